"""The workflow as it runs."""

import re
import shutil
import sys

import pytest
from kit import PAPERS, QUICK, ROOT

from replication.files import read_json, read_rows
from replication.judge.cells import ABSENT_ARTEFACT
from replication.judge.published import load, numbers
from replication.plan.lineage import explain
from replication.plan.plan import Plan

pytestmark = pytest.mark.workflow

COMPUTING = {"discretize", "similarity", "trials", "experiment", "timing", "tests"}


def dry(quick):
    """Jobs of a dry run, counted by rule."""
    run = quick.snakemake("-n", "--quiet", "reason", *QUICK)
    table = re.search(r"Job stats:\n(.*?)\ntotal", run.stdout, re.DOTALL)
    assert table, run.stdout
    return {name: int(n) for name, n in re.findall(r"(?m)^(\w+) +(\d+)$", table[1])}


def test_quick_effort_runs_to_the_end(quick):
    assert quick.first.returncode == 0, quick.first.stdout[-5000:]
    ledger = read_rows(quick.root / "results/quick/ledger/verdicts.csv")
    assert {row["paper"] for row in ledger} == set(PAPERS)
    assert {row["verdict"] for row in ledger} > {"not run"}


def test_quick_effort_needs_no_network(quick):
    """The official addresses were tried, and the bundled copies taken."""
    found = [read_json(path) for path in (quick.root / "data/raw").glob("*/source.json")]
    # the label vectors of other programs have a file of their own
    records = [one for one in found if "route" in one]
    assert len(records) > 8
    assert {one["route"] for one in records} == {"bundled"}
    said = {attempt["outcome"] for one in records for attempt in one["attempts"]}
    assert said == {"no connection to archive.ics.uci.edu", "taken"}
    assert read_rows(quick.root / "results/quick/ledger/unavailable.csv") == []
    assert "NOT AVAILABLE" not in quick.first.stdout


SAME = ("data/record/quick", "results/quick")


def test_the_quick_run_is_as_recorded(quick):
    if not (quick.root / "data/record/quick").is_dir():
        pytest.skip("there is no record yet; make baseline EFFORT=quick writes it")
    run = quick.run(sys.executable, "-m", "replication", "diff", *SAME)
    assert run.returncode == 0, run.stdout


@pytest.fixture(scope="module")
def plan(quick):
    return Plan.of_effort(quick.root, "quick")


@pytest.mark.parametrize("paper", PAPERS)
def test_ten_numbers_of_each_paper_are_explained(quick, plan, paper):
    ledger = read_rows(quick.root / "results/quick/ledger/verdicts.csv")
    judged = [row for row in ledger if row["paper"] == paper and row["verdict"] != "not run"]
    for row in judged[:: max(1, len(judged) // 10)][:10]:
        text = "\n".join(explain(plan, paper, row["id"]))
        (told,) = re.findall(rf"^  {re.escape(row['reading'])}: .*", text, re.MULTILINE)
        assert f"verdict {row['verdict']}" in told
        assert f"reproduced {row['reproduced']}" in told
        assert re.search(r"data/published/\w+\.csv:\d+", text)
        assert re.search(rf"results/quick/verdicts/{paper}/\w+\.csv +sha256 [0-9a-f]{{64}}", text)
        assert re.search(r"source src/replication/papers/[\w/]+\.py:\d+", text)
        assert re.search(r"configuration config/papers/\w+\.yaml:\d+", text)
        assert "not there" not in text


def test_every_printed_number_and_claim_has_an_artefact_and_a_verdict(quick):
    folder = quick.root / "results/quick/ledger"
    cells = [load(paper, quick.root / "data/published") for paper in PAPERS]
    published = {name for one in cells for name in numbers(one)["id"]}
    ledger = read_rows(folder / "verdicts.csv")
    assert {row["id"] for row in ledger} == published
    assert [row["id"] for row in ledger if row["reason"] == ABSENT_ARTEFACT] == []
    claims = [row["id"] for row in read_rows(folder / "claims.csv")]
    assert claims == [
        row["id"]
        for paper in PAPERS
        for row in read_rows(quick.root / "data/published/claims.csv")
        if row["paper"] == paper
    ]


def test_clusterings_of_all_papers_are_trials(quick):
    papers = {path.name for path in (quick.root / "results/quick/trials").iterdir()}
    others = {"crosscheck"}
    assert (
        papers == set(PAPERS) - {"disc"} | others
    )  # its runs take the random numbers of a program


def test_quick_effort_stays_in_its_own_place(quick):
    assert not (quick.root / "figures").exists()
    assert [path.name for path in (quick.root / "results").iterdir()] == ["quick"]


def test_a_second_run_has_nothing_to_do(quick):
    again = quick.snakemake(*QUICK)
    assert again.returncode == 0
    assert "Nothing to be done" in again.stdout


def test_data_that_make_retry_forgets_are_had_again(quick):
    """Their tables are there, and all that was made from them."""
    record, aside = quick.root / "data/raw/zoo/source.json", quick.root / "data/raw/zoo/aside"
    record.rename(aside)
    found = dry(quick)
    aside.rename(record)
    assert found["download"] == 1


def test_an_edited_note_and_a_comment_compute_nothing(quick):
    name = "src/replication/papers/dilca/timings.py"
    first_line = (quick.root / name).read_text(encoding="utf-8").splitlines()[0]
    text = "the printed number is that of the declared values"
    with (
        quick.edited(name, first_line, f"# a comment\n{first_line}"),
        quick.edited("config/papers/dilca.yaml", text, "nothing gives it"),
    ):
        found = dry(quick)
    # the table of the note, and two tables of cross-checks that read the ledger
    assert (found["table"], found["report"]) == (3, 1)
    assert not COMPUTING & set(found)


def test_an_edited_module_causes_its_jobs_only(quick):
    name = "src/couplings/cluster/ward.py"
    with quick.edited(name, "\nimport ", "\nimport os\nimport "):
        found = dry(quick)
    assert found["trials"] > 0
    assert not {"download", "discretize", "similarity"} & set(found)


def test_the_number_of_cores_leaves_no_trace(quick, house):
    """A part of the run once more, on one core."""
    names = ("dilca/fig01.csv", "caso/table11.csv", "caso/fig01.svg")
    targets = [f"results/quick/figures/{name}" for name in names]
    run = house.snakemake(*targets, *QUICK, "--cores", "1")
    assert run.returncode == 0, run.stdout[-5000:]
    kinds = (".csv", ".md", ".svg", ".npz", ".parquet")
    found, whole = (one.contents("results", suffixes=kinds) for one in (house, quick))
    assert len(found) > 20
    assert {*targets} <= set(found)
    assert [name for name, content in found.items() if whole.get(name) != content] == []


def test_a_notebook_is_executed_on_what_was_run(quick, tmp_path):
    """On results of a quick run, as they are: nothing but the notebook is made."""
    house = type(quick)(tmp_path / "house")
    shutil.copytree(quick.root, house.root)
    shutil.copytree(ROOT / "notebooks", house.root / "notebooks")
    target = "results/quick/notebooks/dilca.html"
    run = house.snakemake(target, *QUICK)
    assert run.returncode == 0, run.stdout
    assert re.search(r"(?m)^notebook +1$", run.stdout), run.stdout
    page = re.sub(r"<[^>]+>", "", (house.root / target).read_text("utf-8"))
    assert "To compute its tables" not in page
