"""The comparison of two ledgers."""

import pytest

from replication.__main__ import main
from replication.files import write_rows
from replication.judge.cells import VERDICT_COLUMNS
from replication.judge.claims import COLUMNS as CLAIM_COLUMNS
from replication.judge.difference import compare, page, read_ledger


def number(name, value, verdict, reading="reconciled", printed="91.95%"):
    return {
        "id": name,
        "paper": "dilca",
        "artefact": "fig03",
        "dataset": "vote",
        "method": "delta",
        "metric": "purity",
        "reading": reading,
        "printed": printed,
        "reproduced": value,
        "difference": "" if value == "" else float(value) - 0.9195,
        "verdict": verdict,
    }


def claim(name, verdict, ours):
    return {"id": name, "paper": "dilca", "claim": "a | b", "verdict": verdict, "ours": ours}


@pytest.fixture
def runs(tmp_path):
    """Function that writes two ledgers."""

    def write(before, after, claims=((), ())):
        for name, rows, said in zip(("one", "two"), (before, after), claims, strict=True):
            folder = tmp_path / name / "ledger"
            write_rows(folder / "verdicts.csv", VERDICT_COLUMNS, rows)
            write_rows(folder / "claims.csv", CLAIM_COLUMNS, said)
        return tmp_path / "one", tmp_path / "two"

    return write


def test_moves_are_numbers_or_verdicts_that_changed(runs):
    folders = runs(
        [
            number("a", "0.9", "differs"),
            number("b", "0.5", "differs"),
            number("c", "0.7", "differs"),
            number("d", "0.1", "differs"),
        ],
        [
            number("a", "0.9195", "exact"),
            number("b", "0.4", "differs"),
            number("c", "0.7", "differs"),
            number("a", "0.9195", "exact", reading="text"),
        ],
    )
    found = compare(*map(read_ledger, folders))
    assert [move.before["id"] for move in found.moves] == ["a", "b"]
    assert [move.verdict_changed for move in found.moves] == [True, False]
    assert found.moves[0].by == pytest.approx(0.0195)
    assert found.moves[0].nearer == pytest.approx(0.0195)
    assert found.moves[1].nearer == pytest.approx(-0.1)
    assert (found.gained, found.lost) == (1, 1)


def test_the_page_says_what_moved(runs):
    folders = runs(
        [number("a", "0.9", "differs"), number("b", "0.5", "differs")],
        [number("a", "0.9195", "exact"), number("b", "", "not run")],
        claims=(
            [claim("x", "confirmed", "2/2"), claim("y", "mixed", "1/2")],
            [claim("x", "refuted", "0/2"), claim("y", "mixed", "1/2")],
        ),
    )
    text = page(compare(*map(read_ledger, folders)), "one", "two", "readings: {a.b: c}\n")
    assert text.startswith("# one and two\n")
    assert "```yaml\nreadings: {a.b: c}\n```" in text
    assert "2 numbers of 2 moved, 1 nearer to print and 0 farther; 2 verdicts changed." in text
    assert "1 claim of 2 changed the verdict" in text
    assert "| dilca | reconciled | 0 → 1 | 0 | 2 → 0 | 0 | 0 → 1 |" in text
    row = "| fig03 | vote | delta | purity | reconciled | 91.95% | 90.0000% | 91.9500% |"
    assert f"{row} ≠ differs → = exact |" in text
    assert "| x |  | a \\| b | confirmed → refuted | 2/2 → 0/2 |" in text


def test_nothing_moved(runs):
    rows = [number("a", "0.9", "differs")]
    found = compare(*map(read_ledger, runs(rows, rows)))
    assert "Nothing moved" in page(found, "one", "two")


def test_the_command_prints_or_writes(runs, tmp_path, capsys):
    one, two = runs([number("a", "0.9", "differs")], [number("a", "0.8", "differs")])
    assert main(["diff", str(one), str(two / "ledger")]) == 0
    assert f"# {one} and {two}\n" in capsys.readouterr().out
    out = tmp_path / "page.md"
    assert main(["diff", str(one), str(two), "--output", str(out)]) == 0
    assert out.read_text().startswith(f"# {one} and {two}")
    assert main(["diff", str(one), str(tmp_path / "three")]) == 2
    assert "three: holds no ledger" in capsys.readouterr().err
