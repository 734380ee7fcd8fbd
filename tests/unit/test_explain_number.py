"""The chain from a printed number to the downloaded file, as the plan knows it."""

import csv
import itertools
import re
import shutil
from pathlib import Path

import pytest

from replication.__main__ import main
from replication.errors import UserError
from replication.plan.catalog import Catalog
from replication.plan.chain import Made, configured, defined, maker, product, programmed, sources
from replication.plan.judging import published
from replication.report.explain import explain

ROOT = Path(__file__).parents[2]


@pytest.fixture(scope="module")
def catalog():
    return Catalog.of_effort(ROOT, "quick")


def every_job(catalog):
    """Jobs above the targets of the run, found by walking the chain."""
    waiting = [file for paper in catalog.config["papers"] for file in catalog.targets(paper)]
    found = {}
    for file in waiting:
        made = maker(catalog, file)
        if made and (key := (made.rule, *sorted(made.ids.items()))) not in found:
            found[key] = made
            waiting += sources(catalog, made)
    return list(found.values())


def test_the_chain_reaches_every_computing_rule(catalog):
    assert {made.rule for made in every_job(catalog)} == {
        *("download", "prepare", "discretize", "similarity", "trials", "experiment"),
        *("clustering", "timing", "tests", "table", "claims"),
    }


def test_a_job_is_found_by_its_file_and_placed_in_the_sources(catalog):
    for made in every_job(catalog):
        assert maker(catalog, product(catalog, made)) == made
        for place in [*programmed(catalog, made), *configured(catalog, made)]:
            lines = (ROOT / place.file).read_text().splitlines()
            assert place.name.rpartition(".")[2] in lines[place.line - 1], (made, place)


def test_what_the_workflow_is_given_has_no_maker(catalog):
    assert maker(catalog, "data/bundled/printed/movie.csv") is None
    assert maker(catalog, "data/published/claims.csv") is None


def test_an_entry_for_each_measure_is_placed_at_the_entry_of_the_file(catalog):
    ids = {"paper": "study", "experiment": "cost_cde", "dataset": "none"}
    (place, *_) = configured(catalog, Made("timing", ids))
    assert place.name == "experiments.cost"


def test_a_name_is_followed_through_imports():
    place = defined(ROOT, "replication.papers.dilca.tables:scalability")
    assert place.file == "src/replication/papers/dilca/tables_data.py"
    assert defined(ROOT, "numpy:array").line == 1


def test_before_a_run_the_plan_alone_answers(catalog):
    lines = list(explain(catalog, "dilca", "dilca-fig03-balloons-rock-purity"))
    text = "\n".join(lines)
    assert re.search(r"data/published/dilca_fig03\.csv:\d+", text)
    for words in (
        "source src/couplings/cluster/rock.py",
        "configuration config/papers/dilca.yaml",
        "results/quick/trials/dilca/balloons.rock.reconciled.csv",
        "results/quick/tables/dilca/balloons.",
        "data/raw/balloons/table.csv",
        "again: snakemake --force results/quick/verdicts/dilca/fig03.csv --configfile",
    ):
        assert words in text
    assert "/vote." not in text


def test_the_printed_line_is_that_of_the_file(catalog):
    number = "caso-text-shuttle-sc_cado_vs_add-nmi_improvement_max"
    place = list(explain(catalog, "caso", number))[1].strip()
    file, line = place.split(":")
    assert number in (ROOT / file).read_text().splitlines()[int(line) - 1]


def test_a_claim_leads_to_its_test(catalog):
    text = "\n".join(explain(catalog, "cde", "cde-37"))
    assert re.search(r"source src/replication/papers/cde/claims_times\.py:\d+ \(speed\)", text)


def test_a_setting_has_no_verdict(catalog):
    assert "no verdict" in list(explain(catalog, "dilca", "dilca-settings-ram_mb"))[-1]


def test_unknown_names_get_a_suggestion(catalog, capsys):
    with pytest.raises(UserError, match="did you mean 'cde-37'"):
        list(explain(catalog, "cde", "cde-37x"))
    assert main(["explain", "dilka", "x"]) == 2
    assert "did you mean 'dilca'?" in capsys.readouterr().err


def ten_numbers(catalog, paper):
    """Every so many of the printed results of a paper, and two of its claims."""
    rows = []
    for file in [*published(catalog, paper), "data/published/claims.csv"]:
        with (ROOT / file).open(encoding="utf-8", newline="") as stream:
            rows.append([row for row in csv.DictReader(stream) if row["paper"] == paper])
    *tables, claims = rows
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
    catalog = Catalog.of_effort(ROOT, "full", check=False)
    numbers = ten_numbers(catalog, paper)
    assert len(set(numbers)) == 10
    for number in numbers:
        lines = list(explain(catalog, paper, number))
        roles = [line[:15].strip() for line in lines if line[0] != " "]
        assert roles[:2] == ["number", "verdict"], number
        assert roles[2:], number
        jobs = sum(role not in ("number", "labels", "given") for role in roles)
        more = sum(" more, such as " in line for line in lines)
        for part in ("rule ", "parameters ", "again: snakemake"):
            assert sum(line[15:].startswith(part) for line in lines) == jobs - more, (number, part)
        assert {"source", "given", "prepared table"} & set(roles) or "records" in roles, number


def test_labels_stand_behind_records_of_clusterings(catalog):
    lines = list(explain(catalog, "dilca", "dilca-fig03-vote-dilca_m-purity"))
    assert any(line.startswith("labels  ") and ".parquet" in line for line in lines)


def test_a_mistake_made_since_the_run_has_its_message(tmp_path, monkeypatch, capsys):
    for name in ("src", "workflow", "data"):
        (tmp_path / name).symlink_to(ROOT / name)
    shutil.copytree(ROOT / "config", tmp_path / "config")
    (tmp_path / "config/measures.yaml").write_text("dilca_m: {}\n")
    monkeypatch.chdir(tmp_path)
    words = ["explain", "dilca", "dilca-fig03-vote-dilca_m-purity"]
    assert main(words) == 2
    assert "config/measures.yaml" in capsys.readouterr().err
