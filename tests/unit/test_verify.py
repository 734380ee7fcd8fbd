"""Receipts and the comparison of a run with the record."""

import ast
import hashlib
import json
from pathlib import Path

import numpy as np
import pytest

from replication.__main__ import main
from replication.files import write_rows
from replication.judge.receipt import digest, numbers_text
from replication.plan.catalog import Catalog
from replication.plan.recording import LABELS, receipt_records
from replication.report import verify
from replication.run.labels import write_labels

ROOT = Path(__file__).parents[2]
MEASURED = [{"columns": ["seconds"], "where": {"what": ["time"]}}]


@pytest.fixture(scope="module")
def catalog():
    return Catalog.of_effort(ROOT, "full")


def row(**cells):
    return {"id": "a", "reading": "literal", "verdict": "exact", **cells}


def table(path, *rows):
    write_rows(path, list(rows[0]), rows)
    return path


# ---------------------------------------------------------------------------------------- receipts


def test_measured_cells_are_no_part_of_the_digest(tmp_path):
    one, same, other, elsewhere = (
        table(
            tmp_path / f"{i}.csv",
            {"what": "time", "seconds": seconds},
            {"what": "count", "seconds": count},
        )
        for i, (seconds, count) in enumerate([("1", "7"), ("2", "7"), ("1", "8"), ("1", "7")])
    )
    digests = [digest(path, MEASURED) for path in (one, same, other, elsewhere)]
    assert digests[0] == digests[1] == digests[3] != digests[2]
    assert digests[0]["rows"] == 2


def test_label_vectors_have_a_digest_of_what_they_say(tmp_path):
    def written(name, vectors, algorithm="ward"):
        rows = (
            ({"algorithm": algorithm, "trial": t}, np.array(one)) for t, one in enumerate(vectors)
        )
        write_labels(tmp_path / name, rows)
        return digest(tmp_path / name, [])

    one = written("one.parquet", [[0, 1, 1], [0, 0, 1]])
    assert one["rows"] == 2
    assert one == written("same.parquet", [[0, 1, 1], [0, 0, 1]])
    assert one != written("moved.parquet", [[0, 1, 1], [0, 1, 1]])
    assert one != written("other.parquet", [[0, 1, 1], [0, 0, 1]], "kmodes")


def test_other_labels_of_a_run_are_a_number(house, capsys):
    assert main(["verify", "--effort", "quick", "--paper", "dilca", "--record"]) == 0
    assert main(["verify", "--effort", "quick", "--paper", "dilca"]) == 0
    catalog = Catalog.of_effort(Path(), "quick")
    labels = next(one for one in receipt_records(catalog, "dilca") if one["name"].endswith(LABELS))
    write_labels(house / labels["file"], [({"trial": 0}, np.array([1, 0]))])
    capsys.readouterr()
    assert main(["verify", "--effort", "quick", "--paper", "dilca"]) == 1
    assert "number: label vectors: recorded -> others" in capsys.readouterr().out


@pytest.mark.parametrize(
    "numbers",
    [[], [0], [7, 0, 3], [-1, 0, 12, -1, 105], [10, 100, 1000] * 400, [-1, 2**31 - 1], [-250, -9]],
)
def test_the_text_of_labels_is_that_of_json(numbers):
    text = numbers_text(np.array(numbers, dtype=np.int64))
    assert text.decode() == json.dumps(numbers)[1:-1]


def test_the_digest_of_labels_is_that_of_their_json(tmp_path):
    rows = [[], [0, 1, -1, 11], [10, 0] * 30]
    path = tmp_path / "labels.parquet"
    keys = [{"paper": "p", "setting": 'a="1"', "trial": t} for t in range(len(rows))]
    write_labels(path, zip(keys, map(np.array, rows), strict=True))
    head = [["p", "", "", "", "", 'a="1"', "0", "0", str(t)] for t in range(len(rows))]
    text = "".join(json.dumps([*one, *row]) for one, row in zip(head, rows, strict=True))
    assert digest(path, []) == {
        "rows": len(rows),
        "sha256": hashlib.sha256(text.encode()).hexdigest(),
    }


def test_the_step_writes_the_receipt(tmp_path, capsys):
    file = table(tmp_path / "a.csv", row())
    spec = {"files": [{"name": "figures/a.csv", "file": str(file), "measured": []}]}
    words = ["--spec", json.dumps(spec), "--output", str(tmp_path / "receipt.csv")]
    assert main(["receipt", *words]) == 0
    head, line = (tmp_path / "receipt.csv").read_text().splitlines()
    assert head == "file,rows,sha256"
    assert line.startswith("figures/a.csv,1,")


def test_two_receipts(tmp_path, capsys):
    rows = [{"file": name, "rows": 1, "sha256": "0"} for name in ("a", "b")]
    one = tmp_path / "one.csv"
    write_rows(one, ["file", "rows", "sha256"], rows)
    other = tmp_path / "other.csv"
    write_rows(other, ["file", "rows", "sha256"], [rows[0], {**rows[1], "sha256": "1"}])
    assert main(["verify", "--receipt", str(one), str(one)]) == 0
    assert main(["verify", "--receipt", str(one), str(other)]) == 1
    assert "b: differs\n1 of 2 files differ" in capsys.readouterr().out


def test_names_do_not_depend_on_the_effort():
    names = [
        [
            one["name"]
            for one in receipt_records(Catalog.of_effort(ROOT, effort), "cde")
            if not one["name"].endswith(LABELS)  # an effort may leave data sets out
        ]
        for effort in ("full", "quick")
    ]
    assert names[0] == names[1]
    assert "figures/cde/table01.csv" in names[0]
    assert "results/claims/cde.csv" in names[0]


# ------------------------------------------------------------------------------- kinds of changes

BASE = {"what": "count", "seconds": "1", "reproduced": "0.5", "sd": "0.1"}


@pytest.mark.parametrize(
    ("changed", "kinds"),
    [
        ({}, []),
        ({"what": "other"}, ["word"]),
        ({"seconds": "1.5"}, ["number"]),
        ({"seconds": "1.0000000000001"}, ["rounding"]),
        ({"reproduced": "0.55"}, ["noise"]),
        ({"reproduced": "0.55", "sd": "0.12"}, ["noise", "noise"]),
        ({"reproduced": "0.7"}, ["number"]),
        ({"sd": "0.2"}, ["number"]),
        ({"reproduced": ""}, ["word"]),
        ({"reproduced": "nan"}, ["number"]),
    ],
)
def test_kind_of_a_change(changed, kinds):
    found = verify.changes([BASE], [{**BASE, **changed}], MEASURED)
    assert [change.kind for change in found] == kinds


def test_a_measured_cell_is_time():
    timed = {**BASE, "what": "time"}
    found = verify.changes([timed], [{**timed, "seconds": "9"}], MEASURED)
    assert [change.kind for change in found] == ["time"]


def test_a_result_inside_its_recorded_range_is_noise():
    base = {"reproduced": "0.5", "sd": "", "spread_min": "0.4", "spread_max": "0.6"}
    for now, kind in (("0.6", "noise"), ("0.61", "number")):
        found = verify.changes([base], [{**base, "reproduced": now}], [])
        assert [change.kind for change in found] == [kind]


def test_rows_are_matched_by_id():
    found = verify.changes([row(id="a"), row(id="b")], [row(id="b"), row(id="c")], [])
    assert [(change.kind, change.place) for change in found] == [
        ("file", "a literal"),
        ("file", "c literal"),
    ]


# ------------------------------------------------------------------------------------ a whole run


@pytest.fixture
def house(tmp_path, monkeypatch):
    """A small repository with results of one paper."""
    for name in ("config", "src", "workflow"):
        (tmp_path / name).symlink_to(ROOT / name)
    (tmp_path / "data").mkdir()
    for name in ("published", "bundled"):
        (tmp_path / "data" / name).symlink_to(ROOT / "data" / name)
    monkeypatch.chdir(tmp_path)
    catalog = Catalog.of_effort(Path(), "quick")
    for one in receipt_records(catalog, "dilca"):
        if one["name"].endswith(LABELS):
            write_labels(tmp_path / one["file"], [({"trial": 0}, np.array([0, 1]))])
            continue
        columns = {"what": "x", "seconds": "1", "slowest": "1", **row(reproduced="0.5", sd="0.1")}
        table(tmp_path / one["file"], columns)
    return tmp_path


def edit(path, old, new):
    text = path.read_text()
    assert old in text
    path.write_text(text.replace(old, new))


def verified(capsys, *words):
    status = main(["verify", "--effort", "quick", "--paper", "dilca", *words])
    captured = capsys.readouterr()
    return status, captured.out + captured.err


def test_a_run_and_its_record(house, capsys):
    status, said = verified(capsys)
    assert (status, "there is no record of dilca" in said) == (2, True)
    assert verified(capsys, "--record")[0] == 0
    status, said = verified(capsys)
    assert (status, said.splitlines()[-1]) == (0, "the run is as recorded")
    figures = house / "results/quick/figures/dilca"

    edit(figures / "fig14.csv", "x,1,", "x,4,")
    status, said = verified(capsys)
    assert status == 0
    assert "fig14.csv: time: 1 measured, 4.00 times the recorded" in said
    assert said.endswith("the run is as recorded, times apart\n")

    edit(figures / "fig03.csv", "0.5", "0.55")
    status, said = verified(capsys)
    assert status == 1
    assert "figures/dilca/fig03.csv: noise: a literal: reproduced: 0.5 -> 0.55 (+0.05)" in said

    (figures / "fig04.csv").unlink()
    edit(figures / "fig03.csv", "exact", "differs")
    status, said = verified(capsys)
    assert status == 1
    assert "word: a literal: verdict: exact -> differs" in said
    assert "figures/dilca/fig04.csv: file: file: recorded -> missing" in said


def test_the_same_record_twice_is_the_same_bytes(house, capsys):
    verified(capsys, "--record")
    folder = house / "data/record/quick"
    first = {path.name: path.read_bytes() for path in folder.iterdir()}
    verified(capsys, "--record")
    assert first == {path.name: path.read_bytes() for path in folder.iterdir()}
    assert set(first) == {"dilca.csv", "dilca.zip"}


def test_without_a_run_the_remedy_is_named(house, capsys):
    assert main(["verify", "--effort", "quick", "--paper", "cde"]) == 2
    assert "make reproduce EFFORT=quick makes them" in capsys.readouterr().err
    assert main(["verify", "--effort", "quick", "--paper", "cdee"]) == 2
    assert "unknown paper 'cdee'" in capsys.readouterr().err
    assert main(["verify", "--effort", "quik"]) == 2
    assert "config/quik.yaml" in capsys.readouterr().err


# ------------------------------------------------------------------------------ what is declared


def alone(catalog, paper):
    return {name for name, one in catalog.papers[paper]["experiments"].items() if one.get("alone")}


def test_tables_of_times_name_their_measured_columns(catalog):
    for paper, content in catalog.papers.items():
        timed = {
            name
            for name, entry in content["artefacts"].items()
            if alone(catalog, paper) & set(entry.get("experiments", []))
        }
        assert timed == set(content.get("measured", {}).get("tables", {})), paper


def called(node):
    """Names that a function uses, and the experiments that it reads."""
    names = {one.id for one in ast.walk(node) if isinstance(one, ast.Name)}
    # what is computed for a claim stands in a module of its own
    names |= {
        one.attr
        for one in ast.walk(node)
        if isinstance(one, ast.Attribute)
        and isinstance(one.value, ast.Name)
        and one.value.id == "analysis"
    }
    read = {
        call.args[0].value
        for call in ast.walk(node)
        if isinstance(call, ast.Call)
        and isinstance(call.func, ast.Attribute)
        and call.func.attr in ("experiment", "table")
        and call.args
        and isinstance(call.args[0], ast.Constant)
    }
    return names, read


def functions_of(tree):
    """What the functions of a module use and read."""
    return {one.name: called(one) for one in tree.body if isinstance(one, ast.FunctionDef)}


@pytest.mark.parametrize("paper", ["dilca", "caso", "cde", "coupledmc"])
def test_claims_that_read_times_are_declared(catalog, paper):
    measured = catalog.papers[paper].get("measured", {})
    timed = alone(catalog, paper) | set(measured["tables"]) - {"text"}
    found = set()
    folder = ROOT / "src/replication/papers" / paper
    computing = functions_of(ast.parse((folder / "analysis.py").read_text()))
    for path in sorted(folder.glob("claims*.py")):
        tree = ast.parse(path.read_text())
        functions = computing | functions_of(tree)

        def reads(name, seen=(), functions=functions):
            names, read = functions[name]
            inner = [n for n in names if n in functions and n not in (*seen, name)]
            return read.union(*(reads(n, (*seen, name)) for n in inner))

        for node in tree.body:
            if isinstance(node, ast.FunctionDef):
                for call in filter(lambda one: isinstance(one, ast.Call), node.decorator_list):
                    # What a claim gives its function may be the table that is read.
                    words = [one.value for one in call.args if isinstance(one, ast.Constant)]
                    if (reads(node.name) | set(words[1:])) & timed:
                        found.add(words[0])
    assert found == set(measured.get("claims", []))
