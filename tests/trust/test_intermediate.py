"""Files between the steps that were cut short, changed, or come from somewhere else."""

import json
import zipfile

import numpy as np
import pytest
import trust_cases
from kit import experiment_spec
from trust_cases import GOOD, TABLES

from replication import plugins
from replication.data.parse import table_fingerprint
from replication.data.store import write_archive
from replication.errors import UserError
from replication.files import read_raw, read_rows, write_json, write_rows
from replication.judge.cells import VERDICT_COLUMNS
from replication.judge.claims import CLAIM_COLUMNS
from replication.run.journal import Journal
from replication.run.records import write_records
from replication.run.trials import COLUMNS as TRIAL_COLUMNS

BYTES = {
    "empty": lambda whole: b"",
    "cut": lambda whole: whole[: len(whole) // 2],
    "cut-by-one": lambda whole: whole[:-1],
    "cut-to-the-header": lambda whole: whole.split(b"\n")[0] + b"\n",
    "one-digit": lambda whole: whole[:-2] + bytes([whole[-2] ^ 1]) + whole[-1:],
    "one-more": lambda whole: whole + whole.split(b"\n")[-2] + b"\n",
    "binary": lambda whole: b"\xff\xfe\0\1" * 64,
    "foreign": lambda whole: b"a,b\n1,2\n",
    "gone": None,
}
JSON = {
    "empty": lambda whole: b"",
    "cut": lambda whole: b'{"status": "ok", "rea',
    "list": lambda whole: b"[]",
    "null": lambda whole: b"null",
    "lacks-a-key": lambda whole: b"{}",
    "deep": lambda whole: b"[" * 100_000,
    "binary": lambda whole: b"\xff\xfe{}",
}


class Payload:
    """A pickle that would run a command."""

    def __reduce__(self):
        return (print, ("a pickle was run",))


def arrays(*left_out, **changed):
    """Damage of an archive: arrays are left out or changed."""

    def change(path):
        with np.load(path) as archive:
            kept = {name: part for name, part in archive.items() if name not in left_out}
        with path.open("wb") as stream:
            np.savez(stream, **{**kept, **changed})

    return change


def one_bit(path):
    content = bytearray(path.read_bytes())
    with zipfile.ZipFile(path) as archive:
        info = archive.getinfo("array0.npy")
    # behind the local header, the name and the extra field of the part
    content[info.header_offset + 60 + len(info.filename)] ^= 16
    path.write_bytes(bytes(content))


def bomb(path):
    header = b"\x93NUMPY\x01\0"
    text = b"{'descr': '<i8', 'fortran_order': False, 'shape': (1000000000000000,), }"
    text = text.ljust(117) + b"\n"
    arrays("array0")(path)
    with zipfile.ZipFile(path, "a") as archive:
        archive.writestr("array0.npy", header + len(text).to_bytes(2, "little") + text)


ARCHIVE = {
    "empty": lambda path: path.write_bytes(b""),
    "cut": lambda path: path.write_bytes(path.read_bytes()[:-100]),
    "objects": arrays(**{"array0": np.array([Payload()], dtype=object)}),
    "one-bit": one_bit,
    "too-large": bomb,
    "no-content": arrays("content"),
    "content-no-json": arrays(content=np.array("{")),
    "content-lacks-the-preparation": arrays(content=np.array("{}")),
    "content-lacks-the-parts": arrays(content=np.array('{"bins": {}}')),
    "another-class": arrays(content=np.array('{"bins": {"class": "Popen", "parts": {}}}')),
    "no-codes": arrays("array0"),
    "fewer-labels": arrays(**{"array1": np.array([0, 1])}),
    "codes-out-of-range": arrays(**{"array0": np.full((4, 2), 7)}),
    "codes-of-another-shape": arrays(**{"array0": np.arange(4)}),
    "gone": None,
}


def damage(path, how):
    """Damage a file; a function of an archive takes its path."""
    if how is None:
        path.unlink()
    elif how in ARCHIVE.values():
        how(path)
    else:
        path.write_bytes(how(path.read_bytes()))


@pytest.fixture(autouse=True)
def _own_experiment(monkeypatch):
    monkeypatch.setenv(plugins.VARIABLE, trust_cases.__file__)


def prepared(folder, job):
    return job.prepared, ["experiment", "--spec", spec_of(job), "--output", folder / "out"]


def recorded_facts(folder, job):
    return job.facts, ["experiment", "--spec", spec_of(job), "--output", folder / "out"]


def spec_of(job):
    """An experiment that looks at the prepared table and its facts."""
    inputs = [{"role": "facts", "file": str(job.facts)}]
    inputs += [{"role": "prepared", "file": str(job.prepared)}]
    asked = {"run": "trust_cases:looks", "journal": str(job.folder / "journal")}
    one = experiment_spec("toy", "one", dataset="mine", inputs=inputs, **asked)
    return json.dumps({"experiments": [one]})


def raw_table(folder, job):
    return folder / "table.csv", discretize(folder, job)


def raw_record(folder, job):
    return folder / "source.json", discretize(folder, job)


def discretize(folder, job):
    table, source = folder / "table.csv", folder / "source.json"
    table.write_text(GOOD)
    found = table_fingerprint(read_raw(table))
    write_json(source, {"status": "available", "reason": "", "fingerprint": found})
    entry = {"printed": "Toy", "source": "toy", "missing": "value"}
    spec = {"paper": "toy", "dataset": "toy", "entry": entry, "seed": None}
    spec |= {"preparations": {}, "sample": None}
    spec["source"] = {"columns": ["a", "b", "c", "use"], "class": "use"}
    words = ["--spec", json.dumps(spec), "--table", table, "--source", source]
    written = {name: folder / f"out.{name}" for name in ("prepared", "facts", "output")}
    return ["discretize", *words, *(x for name in written for x in (f"--{name}", written[name]))]


def archive(folder, job):
    path = folder / "toy.npz"
    write_archive(path, {"bins": TABLES})
    fit = {"measure": "smd", "class": "couplings.measures.frequency:SimpleMatching"}
    learn = {"preparations": {"bins": [{**fit, "parameters": {}, "setting": {}}]}}
    words = ["--spec", json.dumps(learn), "--tables", path, "--output", folder / "out.npz"]
    return path, ["similarity", *words]


def records(folder, job):
    path = folder / "m.parquet"
    write_records(path, TRIAL_COLUMNS, [{"paper": "toy", "status": "ok"}] * 3)
    entry = {"role": "trials", "method": "m", "file": str(path)}
    comparison = {"run": "replication.run.statistics:over_datasets", "methods": ["m", "n"]}
    comparison |= {"parameters": {"scores": []}}
    spec = {"paper": "toy", "reading": "x", "comparisons": [comparison], "inputs": [entry]}
    spec |= {"methods": {"m": {}, "n": {}}}
    return path, ["tests", "--spec", json.dumps(spec), "--output", folder / "out.parquet"]


def table(path, columns):
    rows = [dict.fromkeys(columns, "") | {columns[0]: f"toy-{i}", "paper": "toy"} for i in range(3)]
    write_rows(path, columns, rows)
    return path


def ledger(folder, job):
    path = table(folder / "verdicts.csv", VERDICT_COLUMNS)
    spec = json.dumps({"papers": [], "artefacts": [], "sources": []})
    words = ["ledger", "--spec", spec, "--verdicts", path, "--published", folder]
    return path, [*words, "--output", folder / "out.csv"]


def rollup(folder, job):
    path = table(folder / "verdicts.csv", VERDICT_COLUMNS)
    claims = table(folder / "claims.csv", CLAIM_COLUMNS)
    words = ["rollup", "--spec", '{"papers": []}', "--verdicts", path, "--claims", claims]
    return path, [*words, "--published", folder, "--output", folder / "out.md"]


DAMAGED = [
    *((prepared, BYTES[name]) for name in BYTES),
    *((recorded_facts, JSON[name]) for name in JSON),
    # without the last line break it is the same table
    *((raw_table, BYTES[name]) for name in BYTES if name != "cut-by-one"),
    *((raw_record, JSON[name]) for name in JSON),
    *((archive, ARCHIVE[name]) for name in ARCHIVE),
    *((records, BYTES[name]) for name in BYTES),
    *((one, BYTES[name]) for one in (ledger, rollup) for name in ("empty", "binary", "gone")),
]


@pytest.mark.parametrize(("kind", "how"), DAMAGED)
def test_a_damaged_file_is_named_with_what_to_do(
    tmp_path, job, accepted, refused, capsys, kind, how
):
    accepted("discretize", *job.discretize(job.file(GOOD)))
    path, words = kind(tmp_path, job)
    damage(path, how)
    said = refused(*words)
    assert path.name in said
    assert "again" in said
    assert "allow_pickle" not in said
    assert "a pickle was run" not in capsys.readouterr().out
    assert not [one for one in tmp_path.glob("out*") if one.is_file()]


@pytest.mark.parametrize("kind", [prepared, raw_table, archive, records])
def test_a_file_as_it_was_is_taken(tmp_path, job, accepted, kind):
    accepted("discretize", *job.discretize(job.file(GOOD)))
    _, words = kind(tmp_path, job)
    accepted(*words)


def test_one_bit_of_a_page_of_records(tmp_path, job, refused):
    path, words = records(tmp_path, job)
    content = bytearray(path.read_bytes())
    content[content.index(b"toy")] ^= 1
    path.write_bytes(content)
    assert "m.parquet: cannot be read" in refused(*words)


@pytest.mark.parametrize(
    ("content", "word"),
    [
        ("a,b\n1\n", "more or fewer cells"),
        ("a,b\n1,2,3\n", "more or fewer cells"),
        ("x\n1\n", "columns must be a, b"),
        ("", "columns must be a, b"),
        (b"\xff\xfe", "cannot be read"),
        (b'a,b\n"1', "more or fewer cells"),
    ],
)
def test_tables_that_are_read_row_by_row(tmp_path, content, word):
    path = tmp_path / "t.csv"
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    with pytest.raises(UserError, match=rf"t\.csv: .*{word}"):
        read_rows(path, ("a", "b"))


@pytest.mark.parametrize(
    "rest", [b"b\t{", b"b\t{\n", b"\xff\xfe\n", b"b\n", b"\0\0\0\0\n", b"b\t[1,\nc\t{}\n"]
)
def test_what_is_damaged_is_computed_again(tmp_path, rest):
    path = tmp_path / "x.partial"
    Journal(path, "key").once("a", lambda: {"value": 1})
    path.write_bytes(path.read_bytes() + rest)
    again = Journal(path, "key")
    assert again.known.get("a") == {"value": 1}
    assert again.known.get("b") is None
    again.once("b", lambda: {"value": 2})
    assert Journal(path, "key").known.get("b") == {"value": 2}


@pytest.mark.parametrize("content", [b"", b"\xff\xfe", b"other\na\t{}\n", b"key"])
def test_a_file_of_another_job_counts_for_nothing(tmp_path, content):
    path = tmp_path / "x.partial"
    path.write_bytes(content)
    assert Journal(path, "key").known.get("a") is None
    assert path.read_bytes() == b"key\n"


@pytest.mark.parametrize("text", ["", "{", "[]", "5", "[" * 100_000])
@pytest.mark.parametrize("step", ["similarity", "discretize"])
def test_a_specification_that_is_none(refused, step, text):
    words = {
        "similarity": ["--tables", "x", "--output", "y"],
        "discretize": ["--table", "w", "--prepared", "x", "--facts", "z", "--output", "y"],
    }[step]
    assert "must be a JSON object" in refused(step, "--spec", text, *words)
