"""The step `claims`: every claim has one test, and every verdict its evidence."""

import csv
from argparse import ArgumentParser

import pytest

from replication import claims
from replication.claims import (
    CONFIRMED,
    MIXED,
    NOT_RUN,
    PUBLISHED_COLUMNS,
    REFUTED,
    ClaimBook,
    Evidence,
    Finding,
    MissingEvidenceError,
    counted,
)
from replication.errors import UserError
from replication.rows import write_rows


def published(*names):
    return [dict.fromkeys(PUBLISHED_COLUMNS, "x") | {"id": name} for name in names]


@pytest.fixture
def evidence(tmp_path):
    for dataset, status in (("vote", "ok"), ("car", "unavailable")):
        text = f"dataset,status,reason,score\n{dataset},{status},,{0.5 if status == 'ok' else ''}\n"
        (tmp_path / f"grid.{dataset}.csv").write_text(text)
    (tmp_path / "fig01.csv").write_text("dataset,reading,reproduced\nvote,fixed,1.5\nNA,fixed,\n")
    inputs = [
        {"role": "experiment", "id": "grid", "dataset": name, "file": tmp_path / f"grid.{name}.csv"}
        for name in ("vote", "car")
    ]
    (tmp_path / "fig02.csv").write_text("artefact\n")
    inputs += [
        {"role": "table", "id": name, "file": tmp_path / f"{name}.csv"}
        for name in ("fig01", "fig02")
    ]
    return Evidence({"paper": "toy", "effort": "quick", "inputs": inputs}, tmp_path)


@pytest.mark.parametrize(
    ("held", "total", "verdict"), [(3, 3, CONFIRMED), (0, 3, REFUTED), (1, 3, MIXED)]
)
def test_counts_decide(held, total, verdict):
    assert counted(held, total) == verdict


@pytest.mark.parametrize(("held", "total"), [(0, 0), (4, 3), (-1, 3)])
def test_impossible_counts_are_refused(held, total):
    with pytest.raises(ValueError, match="no count"):
        counted(held, total)


def test_a_claim_is_tested_once():
    book = ClaimBook()
    book.about("toy-1")(lambda evidence: None)
    with pytest.raises(ValueError, match="toy-1 is tested twice"):
        book.about("toy-1")


def test_tables_and_experiments_are_frames(evidence):
    table = evidence.table("fig01")
    assert table["reproduced"].tolist()[0] == 1.5
    assert table["dataset"].tolist() == ["vote", "NA"]
    assert evidence.experiment("grid")["dataset"].tolist() == ["vote"]


@pytest.mark.parametrize(
    ("ask", "words"),
    [
        (lambda e: e.table("fig09"), "no table 'fig09' in this run"),
        (lambda e: e.table("fig02"), "fig02 has no numbers"),
        (lambda e: e.experiment("other"), "no experiment 'other'"),
        (lambda e: e.experiment("grid", ["vote", "car"]), "was not run on car"),
        (lambda e: e.tests(), "no tests 'toy'"),
        (lambda e: e.need(e.table("fig01"), "dataset", ["vote", "zoo"]), "effort quick.*: zoo"),
    ],
)
def test_what_was_not_run_is_named(evidence, ask, words):
    with pytest.raises(MissingEvidenceError, match=words):
        ask(evidence)


def test_a_claim_without_evidence_is_not_run(evidence):
    def asks(evidence):
        evidence.table("fig09")

    book = {"toy-1": asks, "toy-2": lambda e: Finding(CONFIRMED, "1 of 1", "1/1", "fig01")}
    rows = claims.judge(book, published("toy-1", "toy-2"), evidence)
    assert [row["verdict"] for row in rows] == [NOT_RUN, CONFIRMED]
    assert "fig09" in rows[0]["evidence"]
    assert rows[1]["value"] == "1/1"


@pytest.mark.parametrize("names", [["toy-1"], ["toy-1", "toy-2", "toy-3"]])
def test_claims_and_tests_must_match(evidence, names):
    book = dict.fromkeys(["toy-1", "toy-2"], lambda e: Finding(CONFIRMED, "yes"))
    with pytest.raises(UserError, match=r"toy-[23]"):
        claims.judge(book, published(*names), evidence)


@pytest.mark.parametrize("finding", [Finding("perhaps", "so"), Finding(CONFIRMED, "")])
def test_a_verdict_needs_a_known_name_and_evidence(evidence, finding):
    with pytest.raises(ValueError, match="not a finding"):
        claims.judge({"toy-1": lambda e: finding}, published("toy-1"), evidence)


def test_claims_of_other_columns_are_refused(tmp_path):
    path = tmp_path / "claims.csv"
    path.write_text("id,claim\n")
    with pytest.raises(UserError, match="columns must be"):
        claims.published_claims(path)


def test_the_step_writes_a_row_per_claim(tmp_path, monkeypatch):
    rows = published("toy-1", "toy-2")
    rows[0]["paper"], rows[1]["paper"] = "toy", "other"
    write_rows(tmp_path / "claims.csv", PUBLISHED_COLUMNS, rows)
    book = ClaimBook({"toy-1": lambda e: Finding(REFUTED, "no, 0.5 < 1", "0.5", "fig01")})
    monkeypatch.setattr(claims, "load_class", lambda name: book)
    parser = ArgumentParser()
    claims.add_arguments(parser)
    spec = '{"paper": "toy", "effort": "full", "inputs": []}'
    words = ["--spec", spec, "--published", str(tmp_path), "--output", str(tmp_path / "o.csv")]
    assert claims.run(parser.parse_args(words)) == 0
    with (tmp_path / "o.csv").open(newline="") as stream:
        (row,) = csv.DictReader(stream)
    assert (row["id"], row["verdict"], row["evidence"]) == ("toy-1", REFUTED, "no, 0.5 < 1")
