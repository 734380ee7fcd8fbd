import sys
from pathlib import Path

import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from replication.data.parse import parse_dataset, table_bytes, table_columns, table_fingerprint
from replication.errors import UserError
from replication.files import read_raw

sys.path.insert(0, str(Path(__file__).parents[1] / "data"))
from toy_dataset import entry


def parse(payload, columns="ab", extra=None, **more):
    spec = entry({"toy.data": (payload, extra or {})}, list(columns), **more)
    return parse_dataset(spec, {"toy.data": payload})


def rows(frame):
    return frame.to_numpy().tolist()


def test_cells_are_texts_in_file_order_and_missing_stays_a_question_mark():
    frame = parse(b"01,x\n?,y\n1.50,x\n", parse={"missing": ["?"]}, numeric=["a"])
    assert rows(frame) == [["01", "x"], ["?", "y"], ["1.50", "x"]]
    assert list(frame.columns) == ["a", "b"]


ENDS = [b"1,x\r\n2,y\r\n", b"1,x\n2,y", b"1,x\n2,y\n\n", b"1, x\n2, y\n"]


@pytest.mark.parametrize("payload", [*ENDS, b"\xef\xbb\xbf1,x\n2,y\n"])
def test_line_ends_and_blanks_do_not_matter(payload):
    assert rows(parse(payload)) == [["1", "x"], ["2", "y"]]


def test_a_label_may_keep_its_blank():
    frame = parse(b"1 ,A\n2,A \n", parse={"keep_blanks": ["b"]})
    assert rows(frame) == [["1", "A"], ["2", "A "]]


def test_letters_of_the_last_field_are_columns():
    frame = parse(b"+,\t\tacg\n-,\ttta \n", columns="wxyz", parse={"letters": True})
    assert rows(frame) == [["+", "a", "c", "g"], ["-", "t", "t", "a"]]
    with pytest.raises(UserError, match="expected 4 fields, found 3"):
        parse(b"+,ac\n", columns="wxyz", parse={"letters": True})


def test_comment_line_and_label_suffix():
    frame = parse(
        b"|1x3 Cross validator\n25, <=50K.\n30, >50K.\n",
        extra={"skip_lines": [{"line": 1, "reason": "comment"}], "strip_suffix": {"b": "."}},
    )
    assert rows(frame) == [["25", "<=50K"], ["30", ">50K"]]


def test_malformed_line_is_an_error_unless_it_is_listed():
    payload = b"1,x\n,2,y\n3,z\n"
    with pytest.raises(UserError, match=r"toy\.data, line 2: expected 2 fields, found 3\."):
        parse(payload)
    frame = parse(payload, extra={"skip_lines": [{"line": 2, "reason": "malformed"}]})
    assert rows(frame) == [["1", "x"], ["3", "z"]]


def test_blank_separated_with_tab_quotes_and_trailing_blanks():
    payload = b'18.0   8\t"chevrolet chevelle malibu"\n 15.   8\t"ford f\'s"  \n'
    frame = parse(payload, "abc", parse={"separator": "whitespace", "quote": '"'}, numeric=["a"])
    assert rows(frame) == [["18.0", "8", "chevrolet chevelle malibu"], ["15.", "8", "ford f's"]]


def test_header_and_quotes():
    payload = 'a,b\n"Müller, K.","say ""x"""\n'.encode()
    frame = parse(payload, parse={"header": True, "quote": '"'})
    assert rows(frame) == [["Müller, K.", 'say "x"']]
    with pytest.raises(UserError, match=r"toy\.data, line 1: the header is \['a', 'c'\]"):
        parse(b"a,c\n1,2\n", parse={"header": True})


def test_quotes_are_plain_characters_unless_asked_for():
    assert rows(parse(b'"1,x\n')) == [['"1', "x"]]
    with pytest.raises(UserError, match=r"toy\.data, line 1: .*quote"):
        parse(b'"1,x\n', parse={"quote": '"'})


def test_several_files_and_a_column_that_only_one_has():
    files = {"a.data": b"92,1,x\n", "a.test": b"2,y\n3,x\n"}
    spec = entry(
        {"a.data": (files["a.data"], {"rows": 1}), "a.test": (files["a.test"], {"lacks": ["id"]})},
        ["id", "a", "b"],
        ignored={"id": "only in one file"},
        shape={"rows": 3, "columns": 3},
    )
    frame = parse_dataset(spec, files)
    assert table_columns(spec) == ["a", "b", "part"] == list(frame.columns)
    assert rows(frame) == [["1", "x", "a.data"], ["2", "y", "a.test"], ["3", "x", "a.test"]]
    del spec["ignored"]
    with pytest.raises(UserError, match=r"a\.test: lacks the columns \['id'\]"):
        parse_dataset(spec, files)


@pytest.mark.parametrize(
    ("payload", "more", "message"),
    [
        (b"1,x\n", {"extra": {"rows": 2}}, r"toy\.data: found 1 rows where 2 are expected"),
        (b"1,x\n2,\n", {}, r"toy\.data, line 2, column b: the field is empty"),
        (b"1,x\ntwo,y\n", {"numeric": ["a"]}, r"line 2, column a: 'two' is not a number"),
        (b"1,x\n2,\xff\n", {}, r"toy\.data, line 2: byte 6 is not UTF-8"),
        (b"1,x\n2,\0\n", {}, r"toy\.data, line 2: a NUL character"),
    ],
)
def test_a_file_that_is_not_as_stated_is_refused_with_its_line(payload, more, message):
    with pytest.raises(UserError, match=message):
        parse(payload, **more)


def test_table_round_trip(tmp_path):
    frame = pd.DataFrame(
        {"a": ["1", "?", 'q"uote', "new\nline"], "b": ["x,y", "ü", " A ", "NA"]}, dtype="str"
    )
    path = tmp_path / "table.csv"
    path.write_bytes(table_bytes(frame))
    assert read_raw(path).equals(frame)
    assert b"\r" not in path.read_bytes()
    path.write_bytes(b"")
    with pytest.raises(UserError, match="cannot be read"):
        read_raw(path)


LABELS = ["?", "a", "b", "c", "1"]
tables = st.integers(1, 4).flatmap(
    lambda m: st.lists(st.tuples(*[st.sampled_from(LABELS)] * m), min_size=1, max_size=12)
)


def table(cells):
    return pd.DataFrame(cells, columns=[f"c{j}" for j in range(len(cells[0]))], dtype="str")


def partition(cells):
    """The same as the fingerprint should see: per column, rows by first appearance."""
    columns = list(zip(*cells, strict=True))
    return len(cells), [[column.index(cell) for cell in column] for column in columns]


@given(tables, tables, st.randoms(use_true_random=False))
def test_fingerprint_sees_all_but_names(cells, other, random):
    shuffled = random.sample(LABELS, len(LABELS))
    renamed = [[dict(zip(LABELS, shuffled, strict=True))[cell] for cell in row] for row in cells]
    turned = random.sample(cells, len(cells))
    for changed in (renamed, turned, [row[::-1] for row in cells], other):
        same = table_fingerprint(table(cells)) == table_fingerprint(table(changed))
        assert same == (partition(cells) == partition(changed))


def test_fingerprint_of_numeric_columns_is_by_value():
    one = table([["1", "x"], ["2.4", "x"], ["?", "y"]])
    written_otherwise = table([["1.0", "x"], ["02.40", "x"], ["?", "y"]])
    point_lost = table([["1", "x"], ["24", "x"], ["?", "y"]])
    assert table_fingerprint(one, ["c0"]) == table_fingerprint(written_otherwise, ["c0"])
    assert table_fingerprint(one, ["c0"]) != table_fingerprint(point_lost, ["c0"])
    assert table_fingerprint(one) == table_fingerprint(point_lost)


def test_fingerprint_is_pinned():
    """Stored fingerprints must stay valid: the definition does not change by accident."""
    import hashlib
    import struct

    cells = table([["u", "1"], ["v", "?"], ["u", "2"]])
    expected = hashlib.sha256(struct.pack("<qq", 3, 2) + struct.pack("<6i", 0, 1, 0, 0, 1, 2))
    assert table_fingerprint(cells) == expected.hexdigest()
