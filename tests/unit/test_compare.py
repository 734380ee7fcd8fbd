"""The comparison of two runs, or of a run with the record."""

import subprocess
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pandas as pd
import pytest
from kit import ROOT

from replication.__main__ import main
from replication.files import write_rows
from replication.judge.cells import VERDICT_COLUMNS
from replication.judge.claims import CLAIM_COLUMNS
from replication.judge.compare import CLAIMS, VERDICTS, changes, summary
from replication.run.labels import write_labels
from replication.run.records import write_records

MEASURED = [{"columns": ["seconds"], "where": {"what": ["time"]}}]
RECORD = "data/record/full"


def row(**cells):
    return {"id": "a", "reading": "literal", "verdict": "exact", **cells}


BASE = {"what": "count", "seconds": "1", "reproduced": "0.5", "sd": "0.1"}
RANGE = {"what": "", "reproduced": "0.5", "spread_min": "0.4", "spread_max": "0.6"}


@pytest.mark.parametrize(
    ("base", "changed", "kinds"),
    [
        (BASE, {}, []),
        (BASE, {"what": "other"}, ["word"]),
        (BASE, {"seconds": "1.5"}, ["number"]),
        (BASE, {"seconds": "1.0000000000001"}, ["rounding"]),
        (BASE, {"reproduced": "0.55"}, ["noise"]),
        (BASE, {"reproduced": "0.55", "sd": "0.12"}, ["noise", "noise"]),
        (BASE | {"mean": "0.5"}, {"reproduced": "0.55", "mean": "0.9"}, ["number", "number"]),
        (BASE, {"reproduced": "0.7"}, ["number"]),
        (BASE, {"sd": "0.2"}, ["number"]),
        (BASE, {"reproduced": ""}, ["word"]),
        (BASE, {"what": "time", "seconds": "9"}, ["word", "number"]),
        ({"what": "time", "seconds": "1"}, {"seconds": "9"}, ["time"]),
        (RANGE, {"reproduced": "0.6"}, ["noise"]),
        (RANGE, {"reproduced": "0.61"}, ["number"]),
    ],
)
def test_kind_of_a_change(base, changed, kinds):
    found = changes(pd.DataFrame([base]), pd.DataFrame([base | changed]), MEASURED)
    assert [kind for kind, *_ in found] == kinds


def test_a_paper_without_numbers_differs_in_none():
    whole = pd.DataFrame([row()])
    assert changes(whole[:0], whole[:0], MEASURED) == []
    assert [place for _, place, *_ in changes(whole, whole[:0], MEASURED)] == ["a literal"]


def test_numbers_that_moved_either_way_are_counted():
    claims = pd.DataFrame({"id": ["c"], "verdict": ["mixed"]})
    rows = [{"id": name, "reading": "literal", "verdict": "near"} for name in "abc"]
    numbers = pd.DataFrame(rows).assign(difference=[0.2, -0.2, 0.1])
    others = numbers.assign(difference=[0.1, 0.3, -0.1])
    runs = (SimpleNamespace(parts={VERDICTS: one, CLAIMS: claims}) for one in (numbers, others))
    assert list(summary(*runs)) == ["2 numbers moved: 1 nearer to print, 1 farther"]


def test_rows_are_matched_by_id():
    one, other = (pd.DataFrame([row(id=name) for name in names]) for names in ("ab", "bc"))
    assert [change[:2] for change in changes(one, other, [])] == [
        ("file", "a literal"),
        ("file", "c literal"),
    ]


LABELS = {"a": [0, 1, 1], "b": [0, 0, 1]}


def write_run(folder, *, verdict="exact", value="0.9", claim="mixed", seconds="1", labels=LABELS):
    """Run of two tables and two claims; one of each holds times."""
    number = {"paper": "dilca", "artefact": "fig03", "sd": "0.1", "printed": "0.9"}
    number |= {"id": "a", "reading": "literal", "difference": float(value) - 0.9}
    verdicts = [{**number, "verdict": verdict, "reproduced": value}]
    claims = [
        {"id": "dilca-01", "paper": "dilca", "verdict": claim},
        {"id": "dilca-41", "paper": "dilca", "verdict": f"after {seconds} s"},
    ]
    write_rows(folder / "ledger/verdicts.csv", VERDICT_COLUMNS, verdicts)
    write_rows(folder / "ledger/claims.csv", CLAIM_COLUMNS, claims)
    tests = [{"paper": "dilca", "p": float(value)}]
    write_records(folder / "tests/dilca.parquet", ["paper", "p"], tests)
    for artefact, cells in (("fig03", {"value": value}), ("fig14", {"seconds": seconds})):
        write_rows(folder / f"verdicts/dilca/{artefact}.csv", VERDICT_COLUMNS, [])
        table = {"dataset": "vote", **cells}
        figures = folder.parents[1] / "figures"
        write_rows(figures / f"dilca/{artefact}.csv", list(table), [table])
    for i, (name, vector) in enumerate(labels.items()):
        keys = {"paper": "dilca", "job": "rock", "dataset": "vote", "setting": name}
        write_labels(folder / f"labels/{i}.parquet", [(keys, np.array(vector))])


@pytest.fixture
def house(tmp_path, monkeypatch):
    """A small repository with the record of a run."""
    for name in ("config", "src", "workflow"):
        (tmp_path / name).symlink_to(ROOT / name)
    monkeypatch.chdir(tmp_path)
    write_run(Path("results/full"))
    who = ["-c", "user.name=a", "-c", "user.email=a@b"]
    for words in (["init", "-q"], ["add", "figures"], [*who, "commit", "-qm", "Figures"]):
        subprocess.run(["git", *words], check=True)
    assert main(["diff", "--record", RECORD, "results/full"]) == 0
    return tmp_path


def compared(capsys, one=RECORD, other="results/full"):
    status = main(["diff", one, other])
    captured = capsys.readouterr()
    return status, captured.out + captured.err


def test_a_run_is_as_recorded(house, capsys):
    assert compared(capsys)[0] == 0
    write_run(house / "results/full", seconds="7")
    status, said = compared(capsys)
    assert (status, said.splitlines()[-1]) == (0, f"results/full matches {RECORD}")


def test_the_record_holds_no_measured_cells(house):
    texts = {path.name: path.read_text() for path in (house / RECORD).iterdir()}
    assert set(texts) == {"verdicts.csv", "claims.csv", "tests.csv", "digests.csv"}
    assert "mixed" in texts["claims.csv"]
    assert "after" not in texts["claims.csv"]
    write_run(house / "results/full", seconds="7")
    assert main(["diff", "--record", RECORD, "results/full"]) == 0
    assert texts == {path.name: path.read_text() for path in (house / RECORD).iterdir()}


@pytest.mark.parametrize(
    ("changed", "lines"),
    [
        (
            {"value": "0.95"},
            [
                "verdicts of dilca: noise: a literal: reproduced: 0.9 -> 0.95",
                "table fig03 of dilca: number: row 1 (vote): value: 0.9 -> 0.95",
                "tests of dilca: number: row 1 (dilca): p: 0.9 -> 0.95",
                "1 numbers moved: 0 nearer to print, 1 farther",
            ],
        ),
        (
            {"verdict": "differs", "seconds": "7"},
            [
                "verdicts of dilca: word: a literal: verdict: exact -> differs",
                "verdicts on numbers that changed: 1 exact -> differs",
            ],
        ),
        (
            {"claim": "refuted", "seconds": "7"},
            ["claims of dilca: word: dilca-01: verdict: mixed -> refuted"],
        ),
        ({"labels": {**LABELS, "b": [0, 1, 0]}}, ["labels rock vote of dilca: number: label vect"]),
        ({"labels": {"a": [0, 1, 1]}}, ["labels rock vote of dilca: number: label vectors"]),
    ],
)
def test_a_change_is_named_and_ends_with_an_error(house, capsys, changed, lines):
    (house / "results/full/labels/1.parquet").unlink()
    write_run(house / "results/full", **changed)
    status, said = compared(capsys)
    assert status == 1
    assert said.startswith(lines[0])
    for line in lines:
        assert line in said
    assert said.splitlines()[-1].startswith(f"results/full differs from {RECORD}: ")


def test_a_table_that_is_gone_is_named(house, capsys):
    (house / "figures/dilca/fig03.csv").unlink()
    status, said = compared(capsys)
    assert status == 1
    assert "table fig03 of dilca: file: digest: there -> missing" in said


def test_a_table_with_other_columns_first_is_another_file(house, capsys):
    path = house / "figures/dilca/fig03.csv"
    pd.read_csv(path).iloc[:, ::-1].to_csv(path, index=False)
    status, said = compared(capsys)
    assert status == 1
    assert "table fig03 of dilca: file: content: one -> another" in said


def test_label_vectors_are_the_same_however_they_are_cut(house, capsys):
    (house / "results/full/labels/1.parquet").unlink()
    keys = {"paper": "dilca", "job": "rock", "dataset": "vote"}
    vectors = [({**keys, "setting": name}, np.array(LABELS[name])) for name in ("b", "a")]
    write_labels(house / "results/full/labels/0.parquet", vectors)
    assert compared(capsys)[0] == 0


def test_times_of_two_runs_are_told_and_no_error(house, capsys):
    write_run(house / "elsewhere/results/full", seconds="7")
    status, said = compared(capsys, "results/full", "elsewhere/results/full")
    assert status == 0
    assert "claims of dilca: time: dilca-41: verdict: after 1 s -> after 7 s" in said
    assert said.endswith("elsewhere/results/full matches results/full; only timings differ\n")


def test_tables_of_times_name_their_measured_columns(catalog):
    for paper, content in catalog.papers.items():
        alone = {name for name, one in content["experiments"].items() if one.get("alone")}
        timed = {
            name
            for name, entry in content["artefacts"].items()
            if alone & set(entry.get("experiments", []))
        }
        assert timed == set(content.get("measured", {}).get("tables", {})), paper
