"""Files between the steps that were cut short, changed, or come from somewhere else."""

import json
import zipfile
from argparse import Namespace

import numpy as np
import pytest
from trust_cases import GOOD

from couplings.table import CategoricalTable
from replication.data.fingerprint import table_fingerprint
from replication.data.store import Tables, write_tables
from replication.errors import UserError
from replication.files import read_raw, read_rows, write_json, write_rows
from replication.judge.cells import VERDICT_COLUMNS
from replication.judge.claims import COLUMNS as CLAIM_COLUMNS
from replication.run.journal import Finished
from replication.run.records import write_records
from replication.run.trials import COLUMNS as TRIAL_COLUMNS

DAMAGE = {
    "empty": lambda whole: b"",
    "cut": lambda whole: whole[: len(whole) // 2],
    "cut-by-one": lambda whole: whole[:-1],
    "cut-to-the-header": lambda whole: whole.split(b"\n")[0] + b"\n",
    "one-digit": lambda whole: whole[:-2] + bytes([whole[-2] ^ 1]) + whole[-1:],
    "one-more": lambda whole: whole + whole.split(b"\n")[-2] + b"\n",
    "binary": lambda whole: b"\xff\xfe\0\1" * 64,
    "foreign": lambda whole: b"a,b\n1,2\n",
}


def damage(path, how):
    path.write_bytes(DAMAGE[how](path.read_bytes()))


# --- prepared tables ----------------------------------------------------------------------------


@pytest.mark.parametrize("how", DAMAGE)
def test_a_prepared_table_that_was_changed(job, accepted, how):
    accepted("discretize", *job.discretize(job.file(GOOD)))
    assert len(job.experiment.prepared) == 12
    damage(job.prepared, how)
    with pytest.raises(UserError, match=r"mine\.prepared\.csv: is not .*; delete it and run again"):
        _ = job.experiment.prepared


def test_a_prepared_table_that_is_gone(job, accepted):
    accepted("discretize", *job.discretize(job.file(GOOD)))
    job.prepared.unlink()
    with pytest.raises(UserError, match=r"mine\.prepared\.csv: cannot be read"):
        _ = job.experiment.prepared


FACTS = [
    ("empty", b"", "cannot be read"),
    ("cut", b'{"status": "ok", "rea', "cannot be read"),
    ("list", b"[]", "holds no JSON object"),
    ("number", b"1", "holds no JSON object"),
    ("null", b"null", "holds no JSON object"),
    ("no-status", b"{}", "lacks 'status'"),
    ("deep", b"[" * 100_000, "cannot be read"),
    ("binary", b"\xff\xfe{}", "cannot be read"),
]


@pytest.mark.parametrize(("content", "word"), [f[1:] for f in FACTS], ids=[f[0] for f in FACTS])
def test_facts_that_are_none(job, content, word):
    job.facts.write_bytes(content)
    with pytest.raises(UserError, match=rf"mine\.json.*{word}.*delete it and run again"):
        _ = job.experiment.facts


# --- raw tables ---------------------------------------------------------------------------------


@pytest.fixture
def raw(tmp_path, job):
    """Raw table of a registered data set with its record, and the words of `discretize`."""
    table, source = tmp_path / "table.csv", tmp_path / "source.json"
    table.write_text(GOOD)
    record = {
        "status": "available",
        "reason": "",
        "fingerprint": table_fingerprint(read_raw(table)),
    }
    write_json(source, record)
    entry = {"printed": "Toy", "source": "toy", "missing": "value"}
    spec = {"paper": "toy", "dataset": "toy", "entry": entry, "seed": None}
    spec |= {"preparations": {}, "sample": None}
    spec["source"] = {"columns": ["a", "b", "c", "use"], "class": "use"}
    words = ["--spec", json.dumps(spec), "--table", table, "--source", source, *job.written]
    return Namespace(table=table, source=source, words=words)


@pytest.mark.parametrize("how", [name for name in DAMAGE if name != "cut-by-one"])
def test_a_raw_table_that_was_changed(raw, refused, how):
    damage(raw.table, how)
    said = refused("discretize", *raw.words)
    assert "table.csv" in said
    assert "run again" in said


def test_a_raw_table_as_it_was(raw, accepted):
    damage(raw.table, "cut-by-one")  # without the last line break it is the same table
    accepted("discretize", *raw.words)


@pytest.mark.parametrize(
    ("content", "word"),
    [(b"", "cannot be read"), (b"[1]", "no JSON object"), (b'{"status": "ok"}', "lacks 'reason'")],
)
def test_a_record_of_a_raw_table_that_is_none(raw, refused, content, word):
    raw.source.write_bytes(content)
    said = refused("discretize", *raw.words)
    assert "source.json" in said
    assert word in said


# --- archives -----------------------------------------------------------------------------------

TABLE = CategoricalTable.from_codes(np.array([[0, 1], [1, 0], [1, 1], [0, 0]]))
TABLES = Tables(
    {"status": "ok", "reason": "", "classes": ["u", "v"], "cuts": [], "label_cuts": []},
    [TABLE],
    [np.array([0, 1, 1, 0])],
)


class Payload:
    """A pickle that would run a command."""

    def __reduce__(self):
        return (print, ("a pickle was run",))


def parts(path):
    with np.load(path) as archive:
        return dict(archive)


def without(name):
    def change(path):
        arrays = parts(path)
        del arrays[name]
        with path.open("wb") as stream:
            np.savez(stream, **arrays)

    return change


def with_part(**changed):
    def change(path):
        arrays = {**parts(path), **changed}
        with path.open("wb") as stream:
            np.savez(stream, **arrays)

    return change


def one_bit(path):
    content = bytearray(path.read_bytes())
    with zipfile.ZipFile(path) as archive:
        info = archive.getinfo("bins/0/codes.npy")
    # behind the local header, the name and the extra field of the part
    content[info.header_offset + 60 + len(info.filename)] ^= 16
    path.write_bytes(bytes(content))


def bomb(path):
    header = b"\x93NUMPY\x01\0"
    text = b"{'descr': '<i8', 'fortran_order': False, 'shape': (1000000000000000,), }"
    text = text.ljust(117) + b"\n"
    without("bins/0/codes")(path)
    with zipfile.ZipFile(path, "a") as archive:
        archive.writestr("bins/0/codes.npy", header + len(text).to_bytes(2, "little") + text)


def facts(tables):
    """Facts of an archive with so many tables of one preparation."""
    counts = {"tables": tables, "mixed": False, "partial": False}
    return np.array(json.dumps({"bins": {**TABLES.facts, **counts}}))


def objects(path):
    with path.open("wb") as stream:
        payload = np.array([Payload()], dtype=object)
        np.savez(stream, facts=facts(1), **{"bins/0/codes": payload})


ARCHIVES = {
    "empty": lambda path: path.write_bytes(b""),
    "cut": lambda path: path.write_bytes(path.read_bytes()[:-100]),
    "objects": objects,
    "one-bit": one_bit,
    "too-large": bomb,
    "no-facts": without("facts"),
    "facts-no-json": with_part(facts=np.array("{")),
    "facts-lack-the-preparation": with_part(facts=np.array("{}")),
    "facts-lack-a-count": with_part(facts=np.array('{"bins": {}}')),
    "more-tables-than-there-are": with_part(facts=facts(2)),
    "no-codes": without("bins/0/codes"),
    "no-categories": without("bins/0/categories"),
    "fewer-labels": with_part(**{"bins/0/labels": np.array([0, 1])}),
    "codes-out-of-range": with_part(**{"bins/0/codes": np.full((4, 2), 7)}),
    "codes-of-another-shape": with_part(**{"bins/0/codes": np.arange(4)}),
    "fewer-attributes": with_part(**{"bins/0/attributes": np.array(["a"])}),
}


FIT = {"measure": "smd", "class": "couplings.measures.frequency:SimpleMatching"}
LEARN = json.dumps({"preparations": {"bins": [{**FIT, "parameters": {}, "setting": {}}]}})


def test_an_archive_as_it_was(tmp_path, accepted):
    write_tables(tmp_path / "toy.npz", {"bins": TABLES})
    words = ["--tables", tmp_path / "toy.npz", "--output", tmp_path / "out.npz"]
    accepted("similarity", "--spec", LEARN, *words)


@pytest.mark.parametrize("how", ARCHIVES)
def test_an_archive_that_is_none(tmp_path, refused, capsys, how):
    path, output = tmp_path / "toy.npz", tmp_path / "out.npz"
    write_tables(path, {"bins": TABLES})
    ARCHIVES[how](path)
    said = refused("similarity", "--spec", LEARN, "--tables", path, "--output", output)
    assert "toy.npz: not a readable archive of this workflow" in said
    assert "delete the file and run the workflow again" in said
    assert "allow_pickle" not in said
    assert "a pickle was run" not in capsys.readouterr().out
    assert not output.exists()


def test_an_archive_that_is_gone(tmp_path, refused):
    words = ["--spec", LEARN, "--tables", tmp_path / "toy.npz", "--output", tmp_path / "x"]
    assert "toy.npz" in refused("similarity", *words)


# --- records ------------------------------------------------------------------------------------


def step_tests(path, folder):
    entry = {"role": "trials", "method": "m", "file": str(path)}
    comparison = {"methods": ["m", "n"], "reading": "x", "scores": []}
    spec = {"paper": "toy", "comparisons": [comparison], "inputs": [entry]}
    spec = {**spec, "methods": {"m": {}, "n": {}}}
    return ["--spec", json.dumps(spec), "--output", folder / "out.parquet"]


def test_records_as_they_were(tmp_path, accepted):
    path = tmp_path / "m.parquet"
    write_records(path, TRIAL_COLUMNS, [{"paper": "toy", "status": "ok"}] * 3)
    accepted("tests", *step_tests(path, tmp_path))


@pytest.mark.parametrize("how", [*DAMAGE, "one-bit-of-a-page", "gone"])
def test_records_that_were_changed(tmp_path, refused, how):
    path = tmp_path / "m.parquet"
    write_records(path, TRIAL_COLUMNS, [{"paper": "toy", "status": "ok"}] * 3)
    if how == "gone":
        path.unlink()
    elif how == "one-bit-of-a-page":
        content = bytearray(path.read_bytes())
        content[content.index(b"toy")] ^= 1
        path.write_bytes(content)
    else:
        damage(path, how)
    said = refused("tests", *step_tests(path, tmp_path))
    assert "m.parquet: cannot be read" in said
    assert "run again" in said
    assert not list(tmp_path.glob("out*"))


def table(path, columns):
    rows = [dict.fromkeys(columns, "") | {columns[0]: f"toy-{i}", "paper": "toy"} for i in range(3)]
    write_rows(path, columns, rows)
    return path


def step_ledger(folder, path):
    spec = json.dumps({"papers": [], "artefacts": [], "sources": []})
    words = ["ledger", "--spec", spec, "--verdicts", path, "--published", folder]
    for name in ("output", "summary", "unavailable", "all-claims", "coverage"):
        words += [f"--{name}", folder / f"out.{name}.csv"]
    return [*words, "--deviations", folder / "d.csv"]


def step_rollup(folder, path):
    claims = table(folder / "claims.csv", CLAIM_COLUMNS)
    words = ["rollup", "--spec", '{"papers": []}', "--verdicts", path, "--claims", claims]
    for name in ("markdown", "svg", "pdf", "listed", "deviations"):
        words += [f"--{name}", folder / f"out.{name}"]
    return words


@pytest.mark.parametrize("how", ["empty", "binary", "foreign", "gone"])
@pytest.mark.parametrize("step", [step_ledger, step_rollup])
def test_verdicts_that_are_none(tmp_path, refused, step, how):
    path = table(tmp_path / "verdicts.csv", VERDICT_COLUMNS)
    words = step(tmp_path, path)
    path.unlink() if how == "gone" else damage(path, how)
    said = refused(*words)
    assert "verdicts.csv" in said
    assert "again" in said
    assert not list(tmp_path.glob("out*"))


@pytest.mark.parametrize(
    ("content", "word"),
    [
        ("a,b\n1\n", "more or fewer cells"),
        ("a,b\n1,2,3\n", "more or fewer cells"),
        ("x\n1\n", "columns must be a, b"),
        ("", "columns must be a, b"),
        (b"\xff\xfe", "is no table"),
        (b'a,b\n"1', "more or fewer cells"),
    ],
)
def test_tables_that_are_read_row_by_row(tmp_path, content, word):
    path = tmp_path / "t.csv"
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    with pytest.raises(UserError, match=word):
        read_rows(path, ("a", "b"))


# --- what an interrupted job left ---------------------------------------------------------------


@pytest.mark.parametrize(
    "rest",
    [b"b\t{", b"b\t{\n", b"\xff\xfe\n", b"b\n", b"\0\0\0\0\n", b"b\t[1,\nc\t{}\n"],
)
def test_what_is_damaged_is_computed_again(tmp_path, rest):
    path = tmp_path / "x.partial"
    Finished(path, "key").add("a", {"value": 1})
    path.write_bytes(path.read_bytes() + rest)
    again = Finished(path, "key")
    assert again.get("a") == {"value": 1}
    assert again.get("b") is None
    again.add("b", {"value": 2})
    assert Finished(path, "key").get("b") == {"value": 2}


@pytest.mark.parametrize("content", [b"", b"\xff\xfe", b"other\na\t{}\n", b"key"])
def test_a_file_of_another_job_counts_for_nothing(tmp_path, content):
    path = tmp_path / "x.partial"
    path.write_bytes(content)
    assert Finished(path, "key").get("a") is None


# --- specifications -----------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "word"),
    [
        ("", "not valid JSON"),
        ("{", "not valid JSON"),
        ("[]", "must be a JSON object"),
        ("5", "must be a JSON object"),
        ("[" * 100_000, "not valid JSON"),
    ],
)
@pytest.mark.parametrize("step", ["similarity", "discretize"])
def test_a_specification_that_is_none(tmp_path, refused, step, text, word):
    words = {
        "similarity": ["--tables", "x", "--output", "y"],
        "discretize": ["--table", "w", "--prepared", "x", "--facts", "z", "--output", "y"],
    }[step]
    assert word in refused(step, "--spec", text, *words)
