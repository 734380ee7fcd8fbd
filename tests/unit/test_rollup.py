"""The step `rollup`: counts from the ledger, a table and a figure."""

import pandas as pd
import pytest
from kit import PUBLISHED

from replication.errors import UserError
from replication.files import read_rows, write_rows
from replication.judge.cells import VERDICT_COLUMNS
from replication.judge.claims import COLUMNS as CLAIM_COLUMNS
from replication.show import rollup

BEGIN, END = "<!-- rollup -->", "<!-- /rollup -->"


def verdict(name, reading, verdict, **cell):
    row = {"id": name, "paper": "toy", "reading": reading, "verdict": verdict}
    return (
        row
        | {
            "dataset": name,
            "method": "m",
            "metric": "nmi",
            "printed": "0.5",
            "reproduced": "0.5",
            "artefact": "t",
            "oracle": "no",
        }
        | cell
    )


BEGIN, END = "<!-- rollup -->", "<!-- /rollup -->"
NUMBERS = [
    verdict("a", "literal", "differs"),
    verdict("a", "reconciled", "exact"),
    verdict("b", "reconciled", "exact"),
    verdict("b-again", "reconciled", "exact", dataset="b"),
]


@pytest.fixture
def ledger(tmp_path):
    write_rows(tmp_path / "verdicts.csv", VERDICT_COLUMNS, NUMBERS)
    claim = dict.fromkeys(CLAIM_COLUMNS, "") | {"id": "toy-1", "paper": "toy"}
    claim |= {"claim": "a | b", "asserts": "most", "verdict": "refuted"}
    claim |= {"where": "Section 4", "evidence": "in 2 of 10, all <= 3"}
    claim |= {"ours": "2/10", "print": "7/10", "print_verdict": "confirmed"}
    write_rows(tmp_path / "claims.csv", CLAIM_COLUMNS, [claim])
    return tmp_path


def run(folder, papers, timed=()):
    spec = {"papers": papers, "timed": list(timed)}
    files = [folder / f"{name}.csv" for name in ("verdicts", "claims")]
    return rollup.run(spec, *files, PUBLISHED, folder / "rollup.md")


TOY = {"id": "toy", "name": "Toy", "note": ""}


def table(text):
    """Rows of a Markdown table, by paper."""
    head, _, *body = [
        [cell.strip() for cell in line.strip("|").split("|")] for line in text.splitlines()
    ]
    return {row[0]: dict(zip(head, row, strict=True)) for row in body}


def test_every_number_counts_once_and_under_the_reconciled_reading(ledger):
    assert run(ledger, [TOY, TOY | {"id": "none", "name": "None"}]) == 0
    numbers, claims = map(table, (ledger / "rollup.md").read_text().split("\n\n"))
    counted = {"paper": "Toy", "numbers": "2", "printed in": "3", "exact": "2"}
    assert numbers["Toy"] == counted | {"exact by truncation": "0", "exact, literal": "1"}
    assert set(numbers["None"].values()) == {"None", "0"}
    assert numbers["all"] == numbers["Toy"] | {"paper": "all"}
    assert claims["Toy"] == {"paper": "Toy", "claims": "1", "refuted": "1"}
    assert "<svg" in (ledger / "rollup.svg").read_text()


def test_no_file_that_is_kept_moves_with_a_verdict_that_times_decide(ledger):
    kept = []
    for said in ("refuted", "confirmed"):
        path = ledger / "claims.csv"
        claim = read_rows(path)[0] | {"verdict": said, "ours": f"{said} 1/2", "evidence": said}
        write_rows(path, CLAIM_COLUMNS, [claim])
        run(ledger, [TOY], timed=["toy-1"])
        names = ("rollup.md", "rollup.svg", "claims.md", "deviations.md", "breakdown.md")
        kept.append({name: (ledger / name).read_bytes() for name in names})
    assert kept[0] == kept[1]
    claims = table(kept[0]["rollup.md"].decode().split("\n\n")[1])
    assert claims["Toy"] == {"paper": "Toy", "claims": "1", "timed": "1"}
    assert "toy-1` " not in kept[0]["claims.md"].decode()


def test_what_differs_says_why():
    rows = [
        verdict("a", "reconciled", "differs", reproduced="0.61", reason="a misprint"),
        verdict("b", "reconciled", "differs", reproduced="0.4", reason=""),
        verdict("c", "reconciled", "exact", reproduced="0.5", reason=""),
    ]
    text = rollup.deviations_markdown(pd.DataFrame(rows))
    assert "2 printed numbers differ" in text
    assert "For 1 of them nothing that was tried" in text
    assert [line.split("|")[-2].strip() for line in text.splitlines()[-2:]] == [
        "a misprint",
        "unexplained",
    ]
    assert "Nothing differs." in rollup.deviations_markdown(pd.DataFrame(rows[2:]))


@pytest.mark.parametrize("part", ["paper", "dataset", "method", "metric", "printed"])
def test_numbers_that_differ_in_a_part_of_their_place_are_two(part):
    first = verdict("a", "reconciled", "exact")
    assert rollup.distinct(pd.DataFrame([first, first | {"id": "b"}]))["id"].tolist() == ["a"]
    assert len(rollup.distinct(pd.DataFrame([first, first | {"id": "b", part: "0.6"}]))) == 2


def test_one_printed_number_has_one_verdict():
    rows = [verdict("b", "reconciled", "exact"), verdict("c", "reconciled", "differs", dataset="b")]
    with pytest.raises(UserError, match="b and c are one printed number and have two verdicts"):
        rollup.distinct(pd.DataFrame(rows))


def test_the_table_replaces_what_stands_between_the_marks():
    text = f"before\n{BEGIN}\nold\n{END}\nafter"
    new = rollup.insert(text, "|new\\1|\n")
    assert new == f"before\n{BEGIN}\n|new\\1|\n{END}\nafter"
    assert rollup.insert(new, "|new\\1|\n") == new


@pytest.mark.parametrize("text", ["nothing", f"{BEGIN}", f"{BEGIN}{END}" * 2])
def test_a_text_without_the_marks_is_refused(text):
    with pytest.raises(UserError, match="once each"):
        rollup.insert(text, "")
