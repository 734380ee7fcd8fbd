"""Runs of a few data sets: on one core and two, without a route to the data, with damaged files."""

import re

import pytest

from replication.files import read_rows

pytestmark = pytest.mark.workflow

BUNDLED_ONLY = {"official": False, "mirrors": []}
SMALL = ["person", "car", "post_operative", "titanic"]
FEW = {"datasets": SMALL, "row_orders": 1, "samples": 1, "trials": 1}
ROOTS = {"results": "results/few", "figures": "results/few/figures"}
EACH_KIND = [
    *(f"results/few/figures/dilca/{name}.csv" for name in ("fig01", "fig02", "fig03")),
    *(f"results/few/figures/dilca/{name}.svg" for name in ("fig03", "fig12", "fig15")),
    "results/few/tests/dilca.parquet",
]


def few(house, *words, cores=2, limits=FEW, data=BUNDLED_ONLY):
    words = [*words, "--cores", str(cores)]
    return house.snakemake(
        *words, papers=["dilca"], limits=limits, data=data, roots=ROOTS, effort="quick"
    )


@pytest.fixture(scope="module")
def two_cores(tmp_path_factory, copy):
    house = copy(tmp_path_factory.mktemp("two") / "house")
    house.first = few(house, *EACH_KIND)
    return house


def test_the_number_of_cores_leaves_no_trace(two_cores, house):
    assert two_cores.first.returncode == 0, two_cores.first.stdout[-5000:]
    run = few(house, *EACH_KIND, cores=1)
    assert run.returncode == 0, run.stdout[-5000:]
    expected = two_cores.contents("results")
    assert len([name for name in expected if name.endswith(".svg")]) == 3
    assert house.contents("results") == expected
    archives = (".npz",)
    assert house.contents("results", suffixes=archives) == two_cores.contents(
        "results", suffixes=archives
    )


def test_without_any_route_the_run_ends_and_names_what_is_missing(house):
    for path in (house.root / "data/bundled").glob("*.xz"):
        path.unlink()
    ledger = "results/few/ledger/verdicts.csv"
    run = few(
        house, ledger, "results/few/figures/dilca/fig03.svg", "results/few/tests/dilca.parquet"
    )
    assert run.returncode == 0, run.stdout[-5000:]
    assert "NOT AVAILABLE: car, post_operative, titanic" in run.stdout
    missing = read_rows(house.root / "results/few/ledger/unavailable.csv")
    assert {row["dataset"] for row in missing} == {"car", "post_operative", "titanic"}
    by_artefact = {}
    for row in read_rows(house.root / ledger):
        by_artefact.setdefault(row["artefact"], set()).add(row["verdict"])
    assert by_artefact["fig03"] == {"not run"}
    assert by_artefact["fig15"] == {"not run"}
    assert "not run" not in by_artefact["fig01"]


def test_strict_makes_a_missing_data_set_an_error(house):
    (house.root / "data/bundled/car.csv.xz").unlink()
    run = few(house, "data/raw/car/source.json", data=BUNDLED_ONLY | {"strict": True})
    assert run.returncode != 0
    assert "DATA SET car IS NOT AVAILABLE" in run.stdout
    assert "Traceback" not in run.stdout


def test_a_damaged_download_is_refused_by_name(house, tmp_path):
    (tmp_path / "mirror/car").mkdir(parents=True)
    (tmp_path / "mirror/car/car.data").write_text("vhigh,vhigh,2,2,small,low,unacc\n")
    run = few(
        house,
        "results/few/figures/dilca/fig03.csv",
        data={"official": False, "mirrors": [str(tmp_path / "mirror")]},
        limits=FEW | {"datasets": ["car", "titanic"]},
    )
    assert run.returncode != 0
    assert re.search(r"error: .*car\.data", run.stdout), run.stdout
    assert "Traceback" not in run.stdout
    assert (house.root / "data/raw/titanic/table.csv").exists()
    assert not (house.root / "results/few/figures/dilca/fig03.csv").exists()
