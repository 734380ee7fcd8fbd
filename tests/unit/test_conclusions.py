"""The sentences in README and study follow from the record: another number, another sentence."""

import json

import pandas as pd
import pytest
from kit import ROOT

from replication.files import read_rows, write_rows
from replication.judge.cells import VERDICT_COLUMNS
from replication.judge.claims import CLAIM_COLUMNS
from replication.papers.study import statistics
from replication.show import findings

PARTS = {"verdicts": VERDICT_COLUMNS, "claims": CLAIM_COLUMNS}
LEFT_OUT = {"vote", "letter", "better", "syn_a"}
"""Data sets and a verdict whose rows other tables lack."""


@pytest.fixture
def recorded(catalog, tmp_path):
    """A function that writes the findings of the record, with other verdicts or tables."""
    spec = json.loads(catalog.spec("findings"))
    record = {name: read_rows(ROOT / f"data/record/full/{name}.csv") for name in PARTS}

    def sentences(change=lambda verdicts, claims: None, keep=lambda row: True):
        rows = {name: [dict(row) for row in record[name]] for name in PARTS}
        change(*rows.values())
        for name, columns in PARTS.items():
            write_rows(tmp_path / f"{name}.csv", columns, rows[name])
        entries = []
        for i, one in enumerate(spec["findings"]):
            tables = []
            for file in one["tables"]:
                table = read_rows(ROOT / file)
                tables.append(str(tmp_path / f"{i}-{len(tables)}.csv"))
                write_rows(tables[-1], list(table[0]), filter(keep, table))
            entries.append({**one, "tables": tables})
        given = {**spec, "findings": entries}
        files = [tmp_path / f"{name}.csv" for name in PARTS]
        findings.run(given, *files, ROOT / "data/published", tmp_path / "findings")
        return {one["id"]: one for one in findings.read(tmp_path / "findings")}

    return sentences


def test_the_committed_findings_are_those_of_the_record(recorded):
    committed = {one["id"]: one for one in findings.read(ROOT / "figures/findings")}
    assert recorded() == committed

    def turned(verdicts, claims):
        verdicts[0]["verdict"] = "differs"
        next(one for one in claims if one["verdict"] == "refuted")["verdict"] = "confirmed"

    moved = recorded(turned)
    assert {name for name in moved if moved[name] != committed[name]} == {"exact", "claims"}


def test_other_tables_give_other_findings(recorded):
    committed = findings.read(ROOT / "figures/findings")
    of_papers = {one["id"] for one in committed} - {"exact", "claims"}
    less = recorded(keep=lambda row: LEFT_OUT.isdisjoint((row.get("dataset"), row.get("verdict"))))
    assert {one["id"] for one in committed if less.get(one["id"]) != one} == of_papers


def answer(rows):
    """Sentences of the conclusions whose variants are some rows."""
    by = pd.DataFrame(rows).groupby(["conclusion", "unit"], sort=False)
    found = [
        statistics.Conclusion(*names, part.assign(holds=part["holds"] == "yes").to_dict("records"))
        for names, part in by
    ]
    return {one.statement: one.sentence for one in found}


def test_the_answer_of_the_study_is_what_its_variants_say():
    rows = read_rows(ROOT / "figures/study/conclusions.csv")
    page = (ROOT / "figures/study/conclusions.md").read_text("utf-8").splitlines()[2]
    found = answer(rows)
    assert sorted(page) == sorted(" ".join(found.values()))
    assert all(sentence in page for sentence in found.values())
    # with the opposite in every variant, every sentence is another
    opposite = [{**row, "holds": "no" if row["holds"] == "yes" else "yes"} for row in rows]
    moved = answer(opposite)
    half = {row["conclusion"] for row in rows if found[row["conclusion"]].count("50%")}
    assert {name for name in found if moved[name] == found[name]} <= half
