"""The step `findings`, and the findings of the papers: sentences counted from tables."""

import pandas as pd
import pytest
from kit import ROOT

from replication.errors import UserError
from replication.files import write_rows
from replication.judge.cells import VERDICT_COLUMNS
from replication.judge.claims import COLUMNS as CLAIM_COLUMNS
from replication.papers.dilca import findings as dilca
from replication.show import findings
from replication.show.rollup import settled


def number(name, verdict):
    row = dict.fromkeys(VERDICT_COLUMNS, "")
    return (
        row
        | {"id": name, "paper": "toy", "dataset": name, "reading": "reconciled"}
        | {"printed": "0.5", "verdict": verdict}
    )


NUMBERS = [
    number("a", "exact"),
    number("b", "within noise"),
    number("c", "differs"),
    number("d", "not comparable"),
    number("e", "exact"),
    number("f", "not run"),
]
CLAIMS = [
    dict.fromkeys(CLAIM_COLUMNS, "") | {"id": f"toy-{i}", "paper": "toy", "verdict": verdict}
    for i, verdict in enumerate(("confirmed", "refuted", "mixed", "refuted"))
]


def test_numbers_and_claims_are_counted():
    about = ["worked example", *["score"] * 5]
    exact = findings.exact_numbers(pd.DataFrame(NUMBERS).assign(about=about)).sentence
    assert "Of the 3 scores of clusterings among them 1 match and 1 are within variation" in exact
    assert exact.startswith("Of 4 printed numbers that can be compared, 2 (50%) match")
    assert "2 if the texts are followed literally; 1 more are within" in exact
    claims = findings.fallen_claims(pd.DataFrame(CLAIMS)).sentence
    assert "make in words, 1 are confirmed, 2 refuted (2 of toy), and 1 only partly" in claims
    assert "significance" not in claims
    tests = [{**one, "asserts": "value;significant"} for one in CLAIMS[1:]]
    said = findings.fallen_claims(pd.DataFrame(tests)).sentence
    assert said.endswith("Of the 3 that assert statistical significance, 0 are confirmed.")
    timed = findings.fallen_claims(settled(pd.DataFrame(CLAIMS), ["toy-1"])).sentence
    assert "1 are confirmed, 1 refuted (1 of toy)" in timed
    assert timed.endswith("; times decide 1 more, see the report of a run.")


def column(dataset, label, printed, ours):
    """Rows of one method: a printed and a reproduced number of each of the three scores."""
    common = {"dataset": dataset, "printed_name": dataset.title(), "label": label}
    return [
        {**common, "metric": metric, "printed": text, "reproduced": str(value)}
        for metric, text, value in zip(("purity", "nmi", "ari"), printed, ours, strict=True)
    ]


def test_a_copied_column_has_all_three_numbers_of_one_other_method():
    printed, theirs, other = (".5", ".4", ".3"), (0.5, 0.4, 0.3), (0.5, 0.4, 0.9)
    rows = [
        *column("vote", "DELTA", printed, other),
        *column("vote", "PEARSON", printed, theirs),
        *column("vote", "LIN", printed, other),  # two of three
        *column("zoo", "DELTA", printed, other),
        *column("zoo", "LIN", printed, theirs),
        *column("zoo", "OF", printed, theirs),  # one of two
        *column("car", "DELTA", printed, theirs),  # its own
        *column("car", "LIN", printed, theirs),
    ]
    sentence = dilca.copied(rows).sentence
    assert "On 1 data sets" in sentence
    assert sentence.endswith("Vote (PEARSON).")
    assert dilca.copied(rows[9:]) is None


def run(folder):
    write_rows(folder / "verdicts.csv", VERDICT_COLUMNS, NUMBERS)
    write_rows(folder / "claims.csv", CLAIM_COLUMNS, CLAIMS)
    columns = ["dataset", "printed_name", "measure", "share", "comparisons", "distance"]
    values = [("letter", "Letter", "smd", 0.01, 0.04, 0.05)]
    values.append(("letter", "Letter", "cado", 0.01, 0.04, 0.56))
    rows = [dict(zip(columns, one, strict=True)) for one in values]
    write_rows(folder / "rare.csv", columns, rows)
    rare = {"id": "rare", "paper": "caso", "prints": True, "artefact": "rare_values"}
    spec = {"findings": [{**rare, "tables": [str(folder / "rare.csv")]}], "names": {}, "timed": []}
    files = [folder / f"{name}.csv" for name in ("verdicts", "claims")]
    findings.run(spec, *files, ROOT / "data" / "published", folder / "findings")
    return {
        path.relative_to(folder).as_posix(): path.read_bytes()
        for path in sorted(folder.rglob("*"))
        if path.is_file()
    }


def test_every_finding_has_its_sentence_picture_and_link(tmp_path):
    files = run(tmp_path)
    text = files["findings.md"].decode()
    for one in findings.read(tmp_path / "findings"):
        assert f"{one['sentence']} See [{one['evidence']}]({one['file']})." in text
        assert f"![{one['seen']}](findings/{one['id']}.svg)" in text
        assert b"<svg" in files[f"findings/{one['id']}.svg"]
    assert "on Letter 4.0% of the comparisons make up 56% of it" in text
    bullets = findings.bullets(findings.read(tmp_path / "findings"), "some/where")
    assert "(some/where/caso/rare_values.md)" in bullets
    assert run(tmp_path) == files


def test_findings_that_were_not_made_say_how(tmp_path):
    with pytest.raises(UserError, match=r"findings\.json: this file is missing"):
        findings.read(tmp_path)


def test_the_committed_findings_lead_to_files_and_to_the_ledger():
    found = findings.read(ROOT / "figures/findings")
    for one in found:
        assert (ROOT / "figures" / one["file"]).is_file(), one
    rows = (ROOT / "figures/rollup.md").read_text("utf-8").splitlines()
    cells = [[cell.strip() for cell in row.strip("|").split("|")] for row in rows]
    total = dict(zip(cells[0], next(row for row in cells if row[0] == "all"), strict=True))
    exact = next(one["sentence"] for one in found if one["id"] == "exact")
    assert f" {total['exact']} (" in exact
    assert f" {total['within noise']} more" in exact
