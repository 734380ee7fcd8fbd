"""The workflow as it runs."""

import csv
import re
import shutil
import sys

import pytest
from kit import PAPERS, ROOT

from replication.judge.cells import ABSENT_ARTEFACT
from replication.plan.lineage import explain
from replication.plan.plan import Plan

pytestmark = pytest.mark.workflow

QUICK = ("--configfile", "config/quick.yaml")


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


SAME = ("data/record/quick", "results/quick")


def test_the_quick_run_is_as_recorded(quick):
    if not (quick.root / "data/record/quick").is_dir():
        pytest.skip("there is no record yet; make baseline EFFORT=quick writes it")
    unavailable = rows(quick.root / "results/quick/ledger/unavailable.csv")
    if unavailable:
        pytest.skip(f"not available here: {', '.join(row['dataset'] for row in unavailable)}")
    run = quick.run(sys.executable, "-m", "replication", "diff", *SAME)
    assert run.returncode == 0, run.stdout


@pytest.mark.parametrize("paper", PAPERS)
def test_ten_numbers_of_each_paper_are_explained(quick, paper):
    ledger = rows(quick.root / "results/quick/ledger/verdicts.csv")
    judged = [row for row in ledger if row["paper"] == paper and row["verdict"] != "not run"]
    catalog = Plan.of_effort(quick.root, "quick")
    for row in judged[:: max(1, len(judged) // 10)][:10]:
        text = "\n".join(explain(catalog, paper, row["id"]))
        (told,) = re.findall(rf"^  {re.escape(row['reading'])}: .*", text, re.MULTILINE)
        assert f"verdict {row['verdict']}" in told
        assert f"reproduced {row['reproduced']}" in told
        assert re.search(r"data/published/\w+\.csv:\d+", text)
        assert re.search(rf"results/quick/verdicts/{paper}/\w+\.csv +sha256 [0-9a-f]{{64}}", text)
        assert re.search(r"source src/replication/papers/[\w/]+\.py:\d+", text)
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


def test_clusterings_of_all_papers_are_trials(quick):
    papers = {path.name for path in (quick.root / "results/quick/trials").iterdir()}
    assert papers == set(PAPERS) - {"disc"}  # its runs take the random numbers of a program


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


def test_a_comment_or_a_docstring_of_a_paper_causes_no_job(quick):
    name = "src/replication/papers/dilca/timings.py"
    first_line = (quick.root / name).read_text(encoding="utf-8").splitlines()[0]
    found = edited(quick, name, first_line, f"# a comment\n{first_line}")
    # the report names lines of the sources, which have moved
    assert set(found) == {"report", "all"}
    assert edited(quick, name, '"""', '"""Other words. ') == {}


def test_an_edited_module_causes_its_jobs_only(quick):
    found = edited(quick, "src/couplings/cluster/ward.py", "\nimport ", "\nimport os\nimport ")
    assert found["trials"] > 0
    assert not {"download", "discretize", "similarity"} & set(found)


def test_an_edited_note_causes_its_tables_only(quick):
    text = "25 are the declared values"
    found = edited(quick, "config/papers/dilca.yaml", text, "nothing gives it")
    assert found["table"] == 1
    assert not {"discretize", "similarity", "trials", "experiment"} & set(found)


def test_a_notebook_is_executed_on_what_was_run(quick, tmp_path):
    """On results of a quick run, as they are: nothing but the notebook is made."""
    house = type(quick)(tmp_path / "house")
    shutil.copytree(quick.root, house.root)
    shutil.copytree(ROOT / "notebooks", house.root / "notebooks")
    target = "results/quick/notebooks/dilca.html"
    run = house.snakemake(target, *QUICK, data=quick.data)
    assert run.returncode == 0, run.stdout
    assert re.search(r"(?m)^notebook +1$", run.stdout), run.stdout
    page = re.sub(r"<[^>]+>", "", (house.root / target).read_text("utf-8"))
    assert "dilca, effort quick: " in page
    assert "not run with effort" not in page
