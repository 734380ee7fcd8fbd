"""Runs of a few data sets: without a route to the data, with damaged files."""

import re

import pytest

from replication.files import read_rows

pytestmark = pytest.mark.workflow

BUNDLED_ONLY = {"official": False, "mirrors": []}
SMALL = ["person", "car", "post_operative", "titanic"]
FEW = {"datasets": SMALL, "row_orders": 1, "samples": 1, "trials": 1}
ROOTS = {"results": "results/few", "figures": "results/few/figures"}


def few(house, *words, limits=FEW, data=BUNDLED_ONLY):
    return house.snakemake(
        *words, papers=["dilca"], limits=limits, data=data, roots=ROOTS, effort="quick"
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
