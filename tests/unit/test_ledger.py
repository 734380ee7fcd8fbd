import json

import pandas as pd
import pytest

from replication.errors import UserError
from replication.files import read_rows, write_rows
from replication.judge import ledger
from replication.judge.cells import ABSENT_ARTEFACT, VERDICT_COLUMNS
from replication.judge.claims import COLUMNS as CLAIM_COLUMNS
from replication.judge.published import COLUMNS


def printed(name, artefact="fig01", value="0.5"):
    row = dict.fromkeys(COLUMNS, "")
    row |= {"id": f"toy-{artefact}-{name}-m-nmi", "paper": "toy", "artefact": artefact}
    return row | {
        "dataset_id": name,
        "method_id": "m",
        "metric": "nmi",
        "value": value,
        "printed": value,
    }


def judged(name, reading="reconciled", verdict="exact", artefact="fig01"):
    row = dict.fromkeys(VERDICT_COLUMNS, "")
    row |= {"id": f"toy-{artefact}-{name}-m-nmi", "paper": "toy", "artefact": artefact}
    row |= {"printed": "0.5", "reproduced": "0.6", "difference": "0.1"}
    return row | {"dataset": name, "method": "m", "reading": reading, "verdict": verdict}


@pytest.fixture
def folder(tmp_path):
    published = tmp_path / "published"
    published.mkdir()
    for artefact in ("fig01", "fig09"):
        rows = [printed(name, artefact) for name in ("a", "b")]
        write_rows(published / f"toy_{artefact}.csv", COLUMNS, rows)
    return tmp_path


def write(path, rows):
    write_rows(path, VERDICT_COLUMNS, rows)
    return path


def run(folder, verdicts, sources=(), claims=()):
    spec = {"papers": [{"id": "toy"}]}
    output = folder / "verdicts.csv"
    return ledger.run(spec, verdicts, list(claims), list(sources), folder / "published", output)


def test_every_printed_number_gets_a_verdict(folder, capsys):
    rows = [judged("b"), judged("b", "printed", "differs"), judged("a", verdict="differs")]
    assert run(folder, [write(folder / "v.csv", rows)]) == 0
    rows = read_rows(folder / "verdicts.csv")
    found = [(row["id"], row["reading"], row["verdict"]) for row in rows]
    assert found == [
        ("toy-fig01-a-m-nmi", "reconciled", "differs"),
        ("toy-fig01-b-m-nmi", "reconciled", "exact"),
        ("toy-fig01-b-m-nmi", "printed", "differs"),
        ("toy-fig09-a-m-nmi", "reconciled", "not run"),
        ("toy-fig09-b-m-nmi", "reconciled", "not run"),
    ]
    assert rows[-1]["reason"] == ABSENT_ARTEFACT
    said = capsys.readouterr().out
    assert "toy, reconciled: 4 printed numbers: = 1 exact, ≠ 1 differs, ∅ 2 not run" in said
    assert "toy, printed: 1 printed numbers: ≠ 1 differs" in said


def test_unavailable_data_sets_are_listed_with_a_remedy(folder):
    sources = []
    for name, status in (("vote", "available"), ("car", "unavailable")):
        path = folder / f"{name}.json"
        facts = {"dataset": name, "status": status, "reason": "no route, at all", "remedy": "wait"}
        path.write_text(json.dumps(facts))
        sources.append(path)
    run(folder, [], sources)
    rows = read_rows(folder / "unavailable.csv")
    assert rows == [{"dataset": "car", "reason": "no route, at all", "remedy": "wait"}]


def test_contradictions_are_refused(folder):
    twice = write(folder / "v.csv", [judged("a"), judged("a")])
    with pytest.raises(UserError, match="two verdicts for toy-fig01-a-m-nmi"):
        run(folder, [twice])
    strange = write(folder / "v.csv", [judged("z")])
    with pytest.raises(UserError, match="belong to no printed number of toy"):
        run(folder, [strange])
    write_rows(folder / "v.csv", ["id", "verdict"], [])
    with pytest.raises(UserError, match="columns must be id, paper, artefact"):
        run(folder, [folder / "v.csv"])


def claim(name, verdict):
    row = dict.fromkeys(CLAIM_COLUMNS, "words, and more")
    return row | {"id": name, "paper": "toy", "verdict": verdict}


def test_claims_of_all_papers_are_gathered(folder, capsys):
    path = folder / "toy.csv"
    rows = [claim("toy-1", "confirmed"), claim("toy-2", "mixed"), claim("toy-3", "confirmed")]
    write_rows(path, CLAIM_COLUMNS, rows)
    run(folder, [], claims=[path])
    assert read_rows(folder / "claims.csv") == rows
    assert "toy: 3 claims: 2 confirmed, 1 mixed" in capsys.readouterr().out


def test_a_file_that_holds_no_claims_is_refused(folder):
    path = folder / "toy.csv"
    write_rows(path, ["id", "claim"], [])
    with pytest.raises(UserError, match="columns must be id, paper, where"):
        run(folder, [], claims=[path])


def test_every_published_row_has_a_role(folder):
    rows = [
        printed("a", "fig01"),
        printed("b", "settings") | {"metric": "k"},
        printed("c", "fig01") | {"value": "Male", "printed": "Male"},
        printed("d", "fig01") | {"value": "3", "printed": ""},
        printed("e", "fig01") | {"value": "", "printed": "NA"},
    ]
    for path in (folder / "published").glob("toy_*.csv"):
        path.unlink()
    write_rows(folder / "published" / "toy_all.csv", COLUMNS, rows)
    run(folder, [write(folder / "v.csv", [judged("a")])])
    found = read_rows(folder / "coverage.csv")
    assert [row["role"] for row in found] == [
        "result",
        "setting",
        "input",
        "reconstruction",
        "none",
    ]
    assert [row["verdicts"] for row in found] == ["1", "0", "0", "0", "0"]
    assert {row["role"] for row in found} == set(ledger.ROLES)


def test_deviations_are_sorted_by_size():
    def row(name, printed, difference, verdict="differs", reason=""):
        change = {"printed": printed, "difference": difference, "reason": reason}
        return judged(name, verdict=verdict) | change

    rows = [
        row("a", "0.5", "-0.1"),
        row("b", "200", "10", reason="misprint"),
        row("c", "0.5", "0.9", verdict="exact"),
        row("d", "91.95%", "0.3"),
    ]
    found = ledger.deviations(pd.DataFrame(rows))
    assert found["dataset"].tolist() == ["d", "a", "b"]
    assert found["size"].tolist() == pytest.approx([0.3, 0.1, 0.05])
    assert found["reason"].tolist() == ["unexplained", "unexplained", "misprint"]
