"""The chain from a printed number to the downloaded file, as the plan knows it."""

import itertools
import re
from pathlib import Path

import pytest
from kit import ROOT

from replication.__main__ import main
from replication.errors import UserError
from replication.files import read_rows
from replication.plan.lineage import explain, inputs_of, job_of
from replication.plan.plan import Plan
from replication.plan.report_jobs import published


@pytest.fixture(scope="module")
def catalog():
    return Plan.of_effort(ROOT, "quick")


def test_the_chain_reaches_every_rule_before_the_report():
    catalog = Plan.of_effort(ROOT, "full")
    waiting = [file for paper in catalog.config["papers"] for file in catalog.targets(paper)]
    jobs, given = [], set()
    for file in waiting:
        job = job_of(catalog, file)
        if job is None:
            given.add(Path(file).parts[:2])
        elif job not in jobs:
            jobs.append(job)
            waiting += inputs_of(catalog, job)
    assert {job.rule for job in jobs} == {
        *("download", "partitions", "discretize", "similarity", "trials", "others"),
        *("experiment", "timing", "tests", "table", "figure", "claims", "ledger"),
    }
    assert given == {("data", "bundled")}


def test_what_the_workflow_is_given_has_no_job(catalog):
    assert job_of(catalog, "data/bundled/printed/movie.csv") is None
    assert job_of(catalog, "data/published/claims.csv") is None
    ids = {"paper": "dilca", "artefact": "fig03"}
    assert job_of(catalog, catalog.file("verdicts", **ids)) == ("table", ids)


def test_before_a_run_the_plan_alone_answers(catalog):
    number = "dilca-fig03-balloons-rock-purity"
    text = "\n".join(explain(catalog, "dilca", number))
    (line,) = re.findall(r"printed data/published/dilca_fig03\.csv:(\d+)", text)
    printed = (ROOT / "data/published/dilca_fig03.csv").read_text().splitlines()
    assert printed[int(line) - 1].startswith(f"{number},")
    for words in (
        "source src/couplings/cluster/rock.py",
        "configuration config/papers/dilca.yaml",
        "trials results/quick/trials/dilca/",
        "discretize results/quick/tables/dilca/balloons",
        "download data/raw/balloons/table.csv",
        "again: snakemake --force results/quick/verdicts/dilca/fig03.csv --configfile",
    ):
        assert words in text
    assert "/vote." not in text
    # short parameters first: the end may be cut
    assert '  parameters paper: "dilca", seed: 20120301, effort: "quick"' in text
    assert "given data/bundled/printed/information_table.csv sha256" in "\n".join(
        explain(catalog, "caso", "caso-table02-u1-a1")
    )


def test_a_claim_leads_to_its_test(catalog):
    text = "\n".join(explain(catalog, "cde", "cde-37"))
    assert re.search(r"source src/replication/papers/cde/claims\.py:\d+\n", text)


def test_unknown_names_get_a_suggestion(catalog, capsys):
    with pytest.raises(UserError, match="did you mean 'cde-37'"):
        list(explain(catalog, "cde", "cde-37x"))
    assert main(["explain", "dilka", "x"]) == 2
    assert "did you mean 'dilca'?" in capsys.readouterr().err


def ten_numbers(catalog, paper):
    """Every so many of the printed results of a paper, and two of its claims."""
    *tables, claims = (
        [row for row in read_rows(ROOT / file) if row["paper"] == paper]
        for file in [*published(catalog, paper), "data/published/claims.csv"]
    )
    results = [
        row["id"]
        for row in itertools.chain(*tables)
        if row["artefact"] in catalog.papers[paper]["artefacts"]
    ]
    return (
        results[:: len(results) // 8][:8] + [row["id"] for row in claims[:: len(claims) // 2]][:2]
    )


@pytest.mark.parametrize("paper", ["dilca", "caso", "cde", "coupledmc"])
def test_the_chain_of_ten_numbers_is_complete(paper):
    """From the print to what was given: each job with its code, parameters, source and command."""
    catalog = Plan.of_effort(ROOT, "full", check=False)
    numbers = ten_numbers(catalog, paper)
    assert len(set(numbers)) == 10
    for number in numbers:
        lines = list(explain(catalog, paper, number))
        heads = [line.split()[0] for line in lines if line[0] != " " and " more, " not in line]
        assert heads[:1] == ["number"]
        assert heads[1] in ("table", "claims")
        assert heads[2:], number
        jobs = sum(head not in ("number", "given") for head in heads)
        for part in ("code", "parameters", "again:"):
            assert sum(line.startswith(f"  {part} ") for line in lines) == jobs, (number, part)
        assert sum(line.startswith("  source ") for line in lines) >= jobs, number


NUMBERS = {"caso": "table11", "cde": "table01", "coupledmc": "table06", "dilca": "fig07"}


@pytest.mark.parametrize("paper", NUMBERS)
def test_one_number_passes_few_modules(catalog, paper):
    """What the command line and the jobs from a data file to the ledger can import."""
    waiting = [catalog.file("verdicts", paper=paper, artefact=NUMBERS[paper])]
    modules = {"replication.__main__", *catalog.entry_points("ledger")}
    for file in waiting:
        if job := job_of(catalog, file):
            modules |= {*catalog.entry_points(job.rule, **job.ids)}
            waiting += [one for one in inputs_of(catalog, job) if one not in waiting]
    code = catalog.code_sources
    reached = {name for name in code.reached(modules) if name.startswith("replication")}
    assert 30 < sum(len(code.text(name)) > 200 for name in reached) <= 50
