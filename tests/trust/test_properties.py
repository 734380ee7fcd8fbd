"""Whatever comes in: a table or one message, in bounded time and memory."""

import csv
from datetime import timedelta
from pathlib import Path

import numpy as np
import pytest
from hypothesis import HealthCheck, example, given
from hypothesis import strategies as st
from kit import examples
from trust_cases import TABLES

from replication.data.discretize import discretize
from replication.data.prepare import prepare
from replication.data.store import read_archive, write_archive
from replication.errors import UserError
from replication.files import CLASS, read_raw
from replication.plan.configuration import ConfigError, read_yaml
from replication.run.cost import peak_memory, reset_peak
from replication.run.journal import Journal
from replication.run.records import record_rows, write_records

# a deadline per example is the bound on time: what takes so long here would take hours on a file
SETTINGS = examples(
    100,
    deadline=timedelta(seconds=20),
    suppress_health_check=[HealthCheck.function_scoped_fixture],
    derandomize=True,
)
MOST_BYTES = 500_000_000

CELLS = st.text(st.characters(codec="utf-8", exclude_categories=["Cc", "Cs"]), max_size=8)
ODD = st.sampled_from(["", "?", '"', ",", "1_0", "inf", "5e-324", "1e308", " x "])


@pytest.fixture
def bounded():
    """Measure the memory of this process while a test runs."""
    before = reset_peak()
    yield
    assert peak_memory() - before < MOST_BYTES


def one_message(error):
    said = str(error)
    assert said
    assert len(said) < 100_000


def through(path, entry):
    """All steps from a file to codes; None if one of them refuses."""
    spec = {"paper": "toy", "dataset": "toy", "entry": entry, "source": {}}
    rule = {"numeric": "equal_width", "bins": 3, "labels": "stripped"}
    try:
        frame, facts = prepare(read_raw(path), spec)
        written = path.with_suffix(".prepared.csv")
        written.write_text(frame.to_csv(index=False, lineterminator="\n"), newline="\n")
        cells = {name: column.to_numpy(str) for name, column in read_raw(written).items()}
        assert {name: column.tolist() for name, column in cells.items()} == frame.to_dict("list")
        return frame, discretize(
            cells, facts, {**spec, "preparation": rule, "sample": None, "seed": None}
        )
    except UserError as error:
        one_message(error)
        return None


@SETTINGS
@given(
    cells=st.lists(st.lists(CELLS | ODD, min_size=3, max_size=3), min_size=2, max_size=12),
    entry=st.sampled_from(
        [
            {"missing": "value"},
            {"missing": "impute"},
            {"missing": "drop", "class": "c"},
            {"missing": "value", "without": ["a"], "class": "b"},
        ]
    ),
)
@example(cells=[["x", "p", "u"], ["y", "q", "v"]], entry={"missing": "value", "class": "c"})
def test_a_written_table_comes_back_or_is_refused(tmp_path, bounded, cells, entry):
    """No label is merged with another one, lost or changed on the way to its code."""
    path = tmp_path / "toy.csv"
    with path.open("w", encoding="utf-8", newline="") as stream:
        csv.writer(stream).writerows([["a", "b", "c"], *cells])
    done = through(path, entry)
    if done is None:
        return
    frame, found = done
    (table,) = found.tables
    for name in frame.columns.drop(CLASS):
        j = table.attributes.index(name)
        assert [table.categories[j][code] for code in table.codes[:, j]] == frame[name].tolist()
    assert [found.facts["classes"][i] for i in found.labels[0]] == [
        label.strip() for label in frame[CLASS]
    ]


@SETTINGS
@given(content=st.binary(max_size=300) | st.text(max_size=300).map(lambda text: text.encode()))
@example(content=b"a: &a [*a]")
@example(content=b"a: " + b"[" * 5000)
@example(content=b"a: &a [x,x]\nb: &b [*a,*a]\nc: [*b,*b]")
def test_any_bytes_are_a_configuration_or_a_message(tmp_path, bounded, content):
    path = tmp_path / "toy.yaml"
    path.write_bytes(content)
    try:
        found = read_yaml(path, "toy.yaml")
    except ConfigError as error:
        one_message(error)
        assert str(error).startswith("toy.yaml")
    else:
        assert all(isinstance(key, str) for key in found)


KEYS = st.text(st.characters(categories=["Ll", "Nd"]), min_size=1, max_size=5)


@SETTINGS
@given(data=st.data())
def test_a_damaged_archive_is_the_same_table_or_a_message(tmp_path, bounded, data):
    path = tmp_path / "toy.npz"
    write_archive(path, {"bins": TABLES})
    content = bytearray(path.read_bytes())
    for _ in range(data.draw(st.integers(0, 3))):
        content[data.draw(st.integers(0, len(content) - 1))] = data.draw(st.integers(0, 255))
    path.write_bytes(content[: data.draw(st.integers(0, len(content)))])
    try:
        found = read_archive(path, "bins")
    except UserError as error:
        one_message(error)
        return
    np.testing.assert_array_equal(found.tables[0].codes, TABLES.tables[0].codes)
    assert found.labels[0].tolist() == [0, 1, 1, 0]


@SETTINGS
@given(
    rows=st.lists(st.tuples(st.text(max_size=6), st.integers(-9, 9)), min_size=1, max_size=4),
    place=st.integers(0, 10**6),
    byte=st.integers(0, 255),
)
def test_records_are_read_as_written_or_not_at_all(tmp_path, bounded, rows, place, byte):
    """Of a damaged file nothing is read, or what was written: not all bytes mean something."""
    path = tmp_path / "toy.parquet"
    rows = [{"a": a.encode(errors="ignore").decode() or None, "b": b} for a, b in rows]
    write_records(path, ("a", "b"), rows)
    assert record_rows(path) == rows
    whole = path.read_bytes()
    changed = bytearray(whole)
    changed[place % len(changed)] = byte
    for content in (bytes(changed), whole[: place % len(whole)]):
        path.write_bytes(content)
        try:
            found = record_rows(path)
        except UserError as error:
            one_message(error)
        else:
            assert found == rows


@SETTINGS
@given(
    pieces=st.dictionaries(KEYS, st.dictionaries(KEYS, st.integers(), max_size=2), max_size=4),
    cut=st.integers(0, 10**6),
    rest=st.binary(max_size=20),
)
def test_a_journal_gives_what_was_kept_or_nothing(tmp_path, pieces, cut, rest):
    path = Path(tmp_path) / "toy.partial"
    path.unlink(missing_ok=True)
    journal = Journal(path, "key")
    for name, scores in pieces.items():
        journal.once(name, lambda scores=scores: scores)
    whole = path.read_bytes()
    path.write_bytes(whole[: cut % (len(whole) + 1)])
    again = Journal(path, "key")
    for name, scores in pieces.items():
        assert again.known.get(name) in (None, scores)
    path.write_bytes(whole + rest)
    Journal(path, "key")
