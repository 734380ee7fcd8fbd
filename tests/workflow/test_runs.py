"""The workflow as it runs."""

import csv
import re
import sys

import pytest
from kit import PAPERS

from replication.judge.cells import ABSENT_ARTEFACT
from replication.plan.catalog import Catalog
from replication.report.explain import explain

pytestmark = pytest.mark.workflow

QUICK = ("--configfile", "config/quick.yaml")
BUNDLED_ONLY = {"official": False, "mirrors": []}
SMALL = ["person", "car", "post_operative", "titanic"]
FEW = {"datasets": SMALL, "row_orders": 1, "samples": 1, "trials": 1}
ROOTS = {"results": "results/few", "figures": "results/few/figures"}
EACH_KIND = [
    *(f"results/few/figures/dilca/{name}.csv" for name in ("fig01", "fig02", "fig03")),
    *(f"results/few/figures/dilca/{name}.svg" for name in ("fig03", "fig12", "fig15")),
    "results/few/tests/dilca.csv",
]


def few(house, *words, cores=2, limits=FEW, data=BUNDLED_ONLY):
    words = [*words, "--cores", str(cores)]
    return house.snakemake(
        *words, papers=["dilca"], limits=limits, data=data, roots=ROOTS, effort="quick"
    )


def rows(path):
    with path.open(encoding="utf-8", newline="") as stream:
        return list(csv.DictReader(stream))


def jobs(run):
    """Job counts of a dry run, by rule."""
    table = re.search(r"Job stats:\n(.*?)\ntotal", run.stdout, re.DOTALL)
    if table is None:
        assert "Nothing to be done" in run.stdout, run.stdout
        return {}
    return {name: int(n) for name, n in re.findall(r"(?m)^(\w+) +(\d+)$", table[1])}


# ---------------------------------------------------------------------- the whole DAG, once


def test_quick_effort_runs_to_the_end(quick):
    assert quick.first.returncode == 0, quick.first.stdout[-5000:]
    ledger = rows(quick.root / "results/quick/ledger/verdicts.csv")
    assert {row["paper"] for row in ledger} == set(PAPERS)
    assert {row["verdict"] for row in ledger} > {"not run"}


def test_the_quick_run_is_as_recorded(quick):
    if not (quick.root / "data/record/quick").is_dir():
        pytest.skip("there is no record yet; make baseline EFFORT=quick writes it")
    unavailable = rows(quick.root / "results/quick/ledger/unavailable.csv")
    if unavailable:
        pytest.skip(f"not available here: {', '.join(row['dataset'] for row in unavailable)}")
    run = quick.run(sys.executable, "-m", "replication", "verify", "--effort", "quick")
    assert run.returncode == 0, run.stdout


@pytest.mark.parametrize("paper", PAPERS)
def test_ten_numbers_of_each_paper_are_explained(quick, paper):
    ledger = rows(quick.root / "results/quick/ledger/verdicts.csv")
    judged = [row for row in ledger if row["paper"] == paper and row["verdict"] != "not run"]
    catalog = Catalog.of_effort(quick.root, "quick")
    for row in judged[:: len(judged) // 10][:10]:
        text = "\n".join(explain(catalog, paper, row["id"]))
        assert f"{row['reading']}: {row['verdict']}, ours {row['reproduced']}" in text
        assert re.search(r"data/published/\w+\.csv:\d+", text)
        assert re.search(rf"results/quick/verdicts/{paper}/\w+\.csv +sha256 [0-9a-f]{{64}}", text)
        assert re.search(r"source src/replication/papers/\w+/\w+\.py:\d+", text)
        assert re.search(r"configuration config/papers/\w+\.yaml:\d+", text)
        assert "not there" not in text


def test_every_published_row_and_claim_is_accounted_for(quick):
    folder = quick.root / "results/quick/ledger"
    published = {
        row["id"]
        for paper in PAPERS
        for path in (quick.root / "data/published").glob(f"{paper}_*.csv")
        for row in rows(path)
    }
    covered = rows(folder / "coverage.csv")
    assert {row["id"] for row in covered} == published
    assert len(covered) == len(published)
    assert all((row["role"] == "result") == (row["verdicts"] != "0") for row in covered)
    claims = [row["id"] for row in rows(folder / "claims.csv")]
    assert claims == [
        row["id"]
        for paper in PAPERS
        for row in rows(quick.root / "data/published/claims.csv")
        if row["paper"] == paper
    ]


def test_no_printed_number_is_without_an_artefact(quick):
    ledger = rows(quick.root / "results/quick/ledger/verdicts.csv")
    assert [row["id"] for row in ledger if row["reason"] == ABSENT_ARTEFACT] == []


def test_no_verdict_is_worse_than_recorded(quick, mirrors):
    if not mirrors:
        pytest.skip("the recorded run had data sets that are not bundled")
    changed = rows(quick.root / "results/quick/ledger/changes.csv")
    assert [row for row in changed if row["worse"] == "yes"] == []


def test_quick_effort_stays_in_its_own_place(quick):
    assert not (quick.root / "figures").exists()
    assert [path.name for path in (quick.root / "results").iterdir()] == ["quick"]


def test_a_second_run_has_nothing_to_do(quick):
    again = quick.snakemake(*QUICK, data=quick.data)
    assert again.returncode == 0
    assert "Nothing to be done" in again.stdout


def dry(quick):
    return jobs(quick.snakemake("-n", "--quiet", "reason", *QUICK, data=quick.data))


def edited(quick, name, old, new):
    """Jobs that an edit causes; the edit is taken back."""
    path = quick.root / name
    before = path.read_bytes()
    try:
        quick.edit(name, old, new)
        return dry(quick)
    finally:
        path.write_bytes(before)


def test_a_comment_or_a_docstring_causes_no_job(quick):
    name = "src/couplings/measures/dilca.py"
    first_line = (quick.root / name).read_text(encoding="utf-8").splitlines()[0]
    found = edited(quick, name, first_line, f"# a comment\n{first_line}")
    # the report names lines of the sources, which have moved
    assert set(found) <= {"report", "provenance", "all"}
    name = "src/replication/show/tables.py"
    assert edited(quick, name, '"""', '"""Other words. ') == {}


def test_an_edited_measure_causes_its_jobs_only(quick):
    found = edited(quick, "src/couplings/measures/dilca.py", "import ", "import os\nimport ")
    assert found["similarity"] > 0
    assert not {"download", "prepare", "discretize"} & set(found)


def test_an_edited_clustering_leaves_the_similarities(quick):
    found = edited(quick, "src/couplings/cluster/ward.py", "import ", "import os\nimport ")
    assert found["trials"] > 0
    assert not {"download", "prepare", "discretize", "similarity"} & set(found)


def test_an_edited_note_causes_its_tables_only(quick):
    text = "unexplained; tried: values that occur"
    found = edited(quick, "config/papers/dilca.yaml", text, "nothing gives it")
    assert found["table"] == 1
    assert not {"discretize", "similarity", "trials", "experiment"} & set(found)


# ---------------------------------------------------------------------- cores, routes, damage


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
    run = few(house, ledger, "results/few/figures/dilca/fig03.svg", "results/few/tests/dilca.csv")
    assert run.returncode == 0, run.stdout[-5000:]
    assert "NOT AVAILABLE: car, post_operative, titanic" in run.stdout
    missing = rows(house.root / "results/few/ledger/unavailable.csv")
    assert {row["dataset"] for row in missing} == {"car", "post_operative", "titanic"}
    by_artefact = {}
    for row in rows(house.root / ledger):
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


def test_a_damaged_bundled_copy_is_refused_by_name(house):
    path = house.root / "data/bundled/car.csv.xz"
    content = bytearray(path.read_bytes())
    content[len(content) // 2] ^= 1
    path.write_bytes(content)
    run = few(house, "data/raw/car/source.json")
    assert run.returncode != 0
    assert re.search(r"error: .*car\.csv\.xz", run.stdout), run.stdout
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


def test_one_flipped_byte_of_an_official_file_is_refused(house, mirrors):
    if not mirrors:
        pytest.skip("no original files on this machine")
    data = {"official": False, "mirrors": mirrors}
    assert few(house, "data/raw/car/source.json", data=data).returncode == 0
    path = house.root / "data/raw/car/files/car.data"
    content = bytearray(path.read_bytes())
    content[1000] ^= 1
    path.write_bytes(content)
    (house.root / "data/raw/car/source.json").unlink()
    run = few(house, "data/raw/car/source.json", data=data)
    assert run.returncode != 0
    assert re.search(r"error: .*car\.data", run.stdout), run.stdout
