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
from replication.files import (
    check_seals,
    read_json,
    read_raw,
    read_rows,
    seal_of,
    write_json,
    write_records,
)
from replication.judge.cells import VERDICT_COLUMNS
from replication.judge.claims import COLUMNS as CLAIM_COLUMNS
from replication.run.journal import Finished
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
def test_a_prepared_table_that_was_changed(job, accepted, refused, how):
    accepted("prepare", *job.prepare(job.file(GOOD)))
    damage(job.prepared, how)
    said = refused("discretize", *job.discretize())
    assert "mine.prepared.csv: is not what the step before wrote" in said
    assert "delete it and run again" in said
    assert not job.tables.exists()


def test_a_prepared_table_that_is_gone(job, accepted, refused):
    accepted("prepare", *job.prepare(job.file(GOOD)))
    job.prepared.unlink()
    assert "mine.prepared.csv: cannot be read" in refused("discretize", *job.discretize())


FACTS = [
    ("empty", b"", "cannot be read"),
    ("cut", b'{"status": "ok", "rea', "cannot be read"),
    ("list", b"[]", "holds no JSON object"),
    ("number", b"1", "holds no JSON object"),
    ("null", b"null", "holds no JSON object"),
    ("no-status", b"{}", "lacks 'status'"),
    (
        "no-digest",
        b'{"status": "ok", "reason": "", "numeric": [], "declared": {}}',
        "lacks 'sha256'",
    ),
    ("deep", b"[" * 100_000, "cannot be read"),
    ("binary", b"\xff\xfe{}", "cannot be read"),
]


@pytest.mark.parametrize(("content", "word"), [f[1:] for f in FACTS], ids=[f[0] for f in FACTS])
def test_facts_that_are_none(job, accepted, refused, content, word):
    accepted("prepare", *job.prepare(job.file(GOOD)))
    job.facts.write_bytes(content)
    said = refused("discretize", *job.discretize())
    assert "mine.json" in said
    assert word in said
    assert "delete it and run again" in said


# --- raw tables ---------------------------------------------------------------------------------


@pytest.fixture
def raw(tmp_path):
    """Raw table of a registered data set with its record, and the words of `prepare`."""
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
    spec["source"] = {"columns": ["a", "b", "c", "use"], "class": "use"}
    words = ["--spec", json.dumps(spec), "--table", table, "--source", source]
    words += ["--output", tmp_path / "out.csv", "--facts", tmp_path / "out.json"]
    return Namespace(table=table, source=source, words=words)


@pytest.mark.parametrize("how", [name for name in DAMAGE if name != "cut-by-one"])
def test_a_raw_table_that_was_changed(raw, refused, how):
    damage(raw.table, how)
    said = refused("prepare", *raw.words)
    assert "table.csv" in said
    assert "run again" in said


def test_a_raw_table_as_it_was(raw, accepted):
    damage(raw.table, "cut-by-one")  # without the last line break it is the same table
    accepted("prepare", *raw.words)


@pytest.mark.parametrize(
    ("content", "word"),
    [(b"", "cannot be read"), (b"[1]", "no JSON object"), (b'{"status": "ok"}', "lacks 'reason'")],
)
def test_a_record_of_a_raw_table_that_is_none(raw, refused, content, word):
    raw.source.write_bytes(content)
    said = refused("prepare", *raw.words)
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
        info = archive.getinfo("codes_0.npy")
    # behind the local header, the name and the extra field of the part
    content[info.header_offset + 60 + len(info.filename)] ^= 16
    path.write_bytes(bytes(content))


def bomb(path):
    header = b"\x93NUMPY\x01\0"
    text = b"{'descr': '<i8', 'fortran_order': False, 'shape': (1000000000000000,), }"
    text = text.ljust(117) + b"\n"
    with zipfile.ZipFile(path, "a") as archive:
        archive.writestr("more.npy", header + len(text).to_bytes(2, "little") + text)


def objects(path):
    with path.open("wb") as stream:
        np.savez(
            stream, facts=np.array(json.dumps({})), codes_0=np.array([Payload()], dtype=object)
        )


ARCHIVES = {
    "empty": lambda path: path.write_bytes(b""),
    "cut": lambda path: path.write_bytes(path.read_bytes()[:-100]),
    "objects": objects,
    "one-bit": one_bit,
    "too-large": bomb,
    "no-facts": without("facts"),
    "facts-no-json": with_part(facts=np.array("{")),
    "facts-lack-status": with_part(facts=np.array('{"tables": 1}')),
    "more-tables-than-there-are": with_part(
        facts=np.array(json.dumps({**TABLES.facts, "tables": 2}))
    ),
    "no-codes": without("codes_0"),
    "no-categories": without("categories_0"),
    "fewer-labels": with_part(labels_0=np.array([0, 1])),
    "codes-out-of-range": with_part(codes_0=np.full((4, 2), 7)),
    "codes-of-another-shape": with_part(codes_0=np.arange(4)),
    "fewer-attributes": with_part(attributes_0=np.array(["a"])),
}


@pytest.mark.parametrize("how", ARCHIVES)
def test_an_archive_that_is_none(tmp_path, refused, capsys, how):
    path, output = tmp_path / "toy.npz", tmp_path / "out.npz"
    write_tables(path, TABLES)
    ARCHIVES[how](path)
    spec = {"measure": "smd", "class": "couplings.measures.overlap:SimpleMatching"}
    spec = json.dumps({**spec, "parameters": {}, "settings": [{}]})
    said = refused("similarity", "--spec", spec, "--tables", path, "--output", output)
    assert "toy.npz: not a readable archive of this workflow" in said
    assert "delete the file and run the workflow again" in said
    assert "allow_pickle" not in said
    assert "a pickle was run" not in capsys.readouterr().out
    assert not output.exists()


def test_an_archive_that_is_gone(tmp_path, refused):
    spec = json.dumps({"measure": "smd", "class": "a:b", "parameters": {}, "settings": [{}]})
    words = ["--spec", spec, "--tables", tmp_path / "toy.npz", "--output", tmp_path / "x"]
    assert "toy.npz" in refused("similarity", *words)


# --- records ------------------------------------------------------------------------------------


def records(path, columns, n=3):
    rows = [dict.fromkeys(columns, "") | {columns[0]: f"toy-{i}", "paper": "toy"} for i in range(n)]
    write_records(path, columns, rows)
    return path


def step_tests(folder, path):
    spec = json.dumps({"paper": "toy", "comparisons": [], "methods": {}, "inputs": []})
    return ["tests", "--spec", spec, "--records", path, "--output", folder / "out.csv"]


def step_table(folder, path):
    spec = {"paper": "dilca", "artefact": "fig03", "kind": "quality", "label": "x", "inputs": []}
    spec |= {"readings": [], "datasets": [], "methods": [], "left_out": [], "seal": "x"}
    words = ["table", "--spec", json.dumps(spec), "--inputs", path, "--published", folder]
    for name in ("csv", "markdown", "latex", "sheet", "verdicts"):
        words += [f"--{name}", folder / f"out.{name}"]
    return words


def step_figure(folder, path):
    spec = {"paper": "dilca", "artefact": "fig03", "kind": "quality", "seal": str(seal_of(path))}
    words = ["figure", "--spec", json.dumps(spec), "--table", path]
    return [*words, "--svg", folder / "out.svg", "--pdf", folder / "out.pdf"]


def step_claims(folder, path):
    (folder / "claims.csv").write_text("id,paper,where,claim,asserts,margin,quantity,kind,inputs\n")
    spec = {"paper": "dilca", "effort": "full", "inputs": []}
    words = ["claims", "--spec", json.dumps(spec), "--inputs", path, "--published", folder]
    return [*words, "--output", folder / "out.csv"]


def step_ledger(folder, path):
    spec = json.dumps({"papers": [], "artefacts": [], "sources": []})
    words = ["ledger", "--spec", spec, "--verdicts", path, "--published", folder]
    for name in ("output", "summary", "unavailable", "all-claims", "coverage"):
        words += [f"--{name}", folder / f"out.{name}.csv"]
    return [*words, "--deviations", folder / "d.csv"]


def step_rollup(folder, path):
    claims = records(folder / "claims.csv", CLAIM_COLUMNS)
    words = ["rollup", "--spec", '{"papers": []}', "--verdicts", path, "--claims", claims]
    for name in ("markdown", "svg", "pdf", "listed", "deviations"):
        words += [f"--{name}", folder / f"out.{name}"]
    return words


STEPS = {
    "tests": (step_tests, TRIAL_COLUMNS),
    "table": (step_table, TRIAL_COLUMNS),
    "figure": (step_figure, ("dataset", "value")),
    "claims": (step_claims, ("dataset", "value")),
    "ledger": (step_ledger, VERDICT_COLUMNS),
    "rollup": (step_rollup, VERDICT_COLUMNS),
}


@pytest.mark.parametrize(
    "how", ["empty", "cut", "cut-to-the-header", "one-digit", "binary", "gone"]
)
@pytest.mark.parametrize("step", STEPS)
def test_records_that_were_changed(tmp_path, refused, step, how):
    words, columns = STEPS[step]
    path = records(tmp_path / "verdicts.csv", columns)
    words = words(tmp_path, path)
    if how == "gone":
        seal_of(path).unlink()
    else:
        damage(path, how)
    said = refused(*words)
    assert "verdicts.csv" in said
    assert "run again" in said
    assert not list(tmp_path.glob("out*"))


def test_a_seal_is_read_by_the_usual_program(tmp_path):
    """``sha256sum --check`` reads it: digest, two blanks, name."""
    path = records(tmp_path / "a.csv", ("id", "paper"))
    digest, name = seal_of(path).read_text().rstrip("\n").split("  ")
    assert (len(digest), name) == (64, "a.csv")
    check_seals([path])


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
        ("@nowhere.json", "nowhere.json cannot be read"),
    ],
)
@pytest.mark.parametrize("step", ["similarity", "discretize"])
def test_a_specification_that_is_none(tmp_path, refused, step, text, word):
    words = {
        "similarity": ["--tables", "x", "--output", "y"],
        "discretize": ["--prepared", "x", "--facts", "z", "--output", "y"],
    }[step]
    assert word in refused(step, "--spec", text, *words)


def test_a_long_specification_comes_in_a_file(job, accepted):
    words = job.prepare(job.file(GOOD))
    place = job.folder / "spec.json"
    place.write_text(words[1])
    accepted("prepare", "--spec", f"@{place}", *words[2:])
    assert read_json(job.facts, "status")["status"] == "ok"
