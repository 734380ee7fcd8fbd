"""Raw files: parsed, read as tables, and bundled."""

import csv
import datetime
import functools
import gzip
import hashlib
import lzma
import re
import struct

import matplotlib as mpl
import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from kit import ROOT, parsed, refused, toy_entry

from couplings import (
    CategoricalTable,
    CouplingsError,
    SimpleMatching,
    TableError,
    describe_table,
    plot_objects,
    plot_values,
    prepare_table,
    read_table,
)
from replication.data.fetch import fetch_dataset, read_origins
from replication.data.parse import parse_dataset, table_bytes, table_columns, table_fingerprint
from replication.errors import UserError
from replication.files import MISSING, read_raw
from replication.judge.availability import artefacts, lines, statuses
from replication.plan.plan import Plan


def parse(payload, columns="ab", extra=None, **more):
    spec = toy_entry({"toy.data": (payload, extra or {})}, list(columns), **more)
    return parse_dataset(spec, {"toy.data": payload})


def rows(frame):
    return frame.to_numpy().tolist()


HEADER = {"header": True, "quote": '"'}
LETTERS = {"columns": "wxyz", "parse": {"letters": True}}
SUFFIX = {"skip_lines": [{"line": 1, "reason": "comment"}], "strip_suffix": {"b": "."}}
MALFORMED = b"1,x\n,2,y\n3,z\n"


def test_a_file_that_is_listed_twice_is_refused():
    spec = toy_entry({"toy.data": (b"1,x\n", {})}, ["a", "b"])
    with pytest.raises(UserError, match=r"toy\.data: listed 2 times"):
        parse_dataset({**spec, "files": spec["files"] * 2}, {"toy.data": b"1,x\n"})


@pytest.mark.parametrize(
    ("payload", "more", "cells"),
    [
        # file order; a missing cell stays a question mark
        (
            b"01,x\n?,y\n1.50,x\n",
            {"parse": {"missing": ["?"]}, "numeric": ["a"]},
            [["01", "x"], ["?", "y"], ["1.50", "x"]],
        ),
        *(
            (payload, {}, [["1", "x"], ["2", "y"]])
            for payload in (
                *(b"1,x\r\n2,y\r\n", b"1,x\n2,y", b"1,x\n2,y\n \n", b"1, x\n2, y\n"),
                b"\xef\xbb\xbf1,x\n2,y\n",
            )
        ),
        (b"1 ,A\n2,A \n", {"parse": {"keep_blanks": ["b"]}}, [["1", "A"], ["2", "A "]]),
        (b"+,\t\tacg\n-,\ttta \n", LETTERS, [["+", "a", "c", "g"], ["-", "t", "t", "a"]]),
        (
            b"|1x3 Cross validator\n25, <=50K.\n30, >50K.\n",
            {"extra": SUFFIX},
            [["25", "<=50K"], ["30", ">50K"]],
        ),
        (
            MALFORMED,
            {"extra": {"skip_lines": [{"line": 2, "reason": "malformed"}]}},
            [["1", "x"], ["3", "z"]],
        ),
        (
            b'18.0   8\t"chevrolet chevelle malibu"\n 15.   8\t"ford f\'s"  \n',
            {"columns": "abc", "parse": {"separator": "whitespace", "quote": '"'}},
            [["18.0", "8", "chevrolet chevelle malibu"], ["15.", "8", "ford f's"]],
        ),
        (
            'a,b\n"Müller, K.","say ""x"""\n'.encode(),
            {"parse": HEADER},
            [["Müller, K.", 'say "x"']],
        ),
        (b'"1,x\n', {}, [['"1', "x"]]),
    ],
)
def test_fields_are_cells(payload, more, cells):
    frame = parse(payload, **more)
    assert rows(frame) == cells
    assert list(frame.columns) == list(more.get("columns", "ab"))


def test_several_files_and_a_column_that_only_one_has():
    files = {"a.data": b"92,1,x\n", "a.test": b"2,y\n3,x\n"}
    spec = toy_entry(
        {"a.data": (files["a.data"], {"rows": 1}), "a.test": (files["a.test"], {"lacks": ["id"]})},
        ["id", "a", "b"],
        ignored={"id": "only in one file"},
    )
    frame = parse_dataset(spec, files)
    assert table_columns(spec) == ["a", "b", "part"] == list(frame.columns)
    assert rows(frame) == [["1", "x", "a.data"], ["2", "y", "a.test"], ["3", "x", "a.test"]]


test_a_file_that_is_not_as_stated_is_refused_with_its_line = refused(
    UserError,
    lambda payload, more: parse(payload, **more),
    [
        (b"1,x\n", {"extra": {"rows": 2}}, r"toy\.data: found 1 rows where 2 are expected"),
        (b"1,x\n2,y\n", {"extra": {"rows": 1}}, "found 2 rows where 1 are expected"),
        (b"1,x\n2,\n", {}, r"toy\.data, line 2, column b: the field is empty"),
        *(
            (f"1,x\n{cell},y\n".encode(), {"numeric": ["a"]}, f"'{cell}' is not a finite number")
            for cell in ("two", "inf", "-Infinity", "nan", "1e400", "1_000", "0x10")
        ),
        (b"1,x\n2,\xff\n", {}, r"toy\.data, line 2: byte 6 is not UTF-8"),
        (b"1,x\n2,\0\n", {}, r"toy\.data, line 2: a NUL character"),
        (
            b"1,x\n2,y\n",
            {"extra": {"skip_lines": [{"line": 1, "reason": "x"}, {"line": 9, "reason": "x"}]}},
            r"toy\.data: `skip_lines` names line 9, and the file has 3",
        ),
        (MALFORMED, {}, r"toy\.data, line 2: expected 2 fields, found 3\."),
        (b"+,ac\n", LETTERS, "expected 4 fields, found 3"),
        (b"a,c\n1,2\n", {"parse": HEADER}, r"toy\.data, line 1: the header is \['a', 'c'\]"),
        (b'"1,x\n', {"parse": {"quote": '"'}}, r"toy\.data, line 1: .*quote"),
    ],
)


def test_table_round_trip(tmp_path):
    frame = pd.DataFrame(
        {"a": ["1", "?", 'q"uote', "new\nline"], "b": ["x,y", "ü", " A ", "NA"]}, dtype="str"
    )
    path = tmp_path / "table.csv"
    path.write_bytes(table_bytes(frame))
    assert read_raw(path).equals(frame)
    assert b"\r" not in path.read_bytes()


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
    cells = table([["u", "1"], ["v", "?"], ["u", "2"]])
    expected = hashlib.sha256(struct.pack("<qq", 3, 2) + struct.pack("<6i", 0, 1, 0, 0, 1, 2))
    assert table_fingerprint(cells) == expected.hexdigest()


mpl.use("Agg")
TEXT = "id,frame,gears\n1,step,3\n2,sport,?\n"


@pytest.mark.parametrize(("suffix", "pack"), [(".gz", gzip.compress), (".xz", lzma.compress)])
def test_packed_files_are_read(tmp_path, suffix, pack):
    path = tmp_path / f"a.csv{suffix}"
    path.write_bytes(pack(TEXT.encode()))
    table = read_table(path, without=["id"])
    assert (table.n_objects, table.attributes) == (2, ("frame", "gears"))
    path.write_bytes(b"none")
    with pytest.raises(TableError, match="cannot be read"):
        read_table(path)


def test_numbers_of_parquet_are_labels(tmp_path):
    path = tmp_path / "a.parquet"
    frame = pd.DataFrame({"a": [1, 2], "b": [0.5, None], "c": ["x", "y"], "d": [True, False]})
    frame.to_parquet(path)
    table = read_table(path, without=["d"])
    assert table.categories == (("1", "2"), ("0.5",), ("x", "y"))
    assert table.missing[1].tolist() == [False, True, False]


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("p,x,p\na,b,c\n", "line 1: the column name 'p' is .* write a line above it"),
        ("a,,b\n1,2,3\n", "line 1: the column name ''"),
        ("a,b\n1,2\n3\n", "line 3: 1 cells where the header names 2"),
        ("a,b\n1,2\n", "no column 'use'"),
        ("é,b\n1,2\n".encode("latin-1"), "not UTF-8"),
        ("a,b\né,2\n".encode("latin-1"), "not UTF-8 text: .*; convert the file"),
        ("a,b", "the table has no rows below its first line"),
        ("", "line 1 is empty; the first line must name the columns"),
        ("\n\n", "line 1 is empty"),
        ("a,b\n1,2\n".encode("utf-16-le"), "not UTF-8 text: line 1 has a zero byte"),
        ("a, a\n1,2\n", "line 1: the column name 'a'"),
        ("a" * 200_000 + ",b\n1,2\n", "line 1: no names can be read: field larger"),
    ],
)
def test_files_that_are_no_tables(tmp_path, request, text, words):
    request.addfinalizer(functools.partial(csv.field_size_limit, csv.field_size_limit(131_072)))
    path = tmp_path / "a.csv"
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    with pytest.raises(TableError, match=rf"a\.csv.*{words}"):
        read_table(path, without=["use"] if "use" in words else [])
    with pytest.raises(TableError, match="no such file"):
        read_table(tmp_path / "none.csv")
    with pytest.raises(TableError, match="is a folder or a pipe, not a file"):
        read_table(tmp_path)


def test_a_damaged_packed_file(tmp_path):
    packed = bytearray(gzip.compress(TEXT.encode() * 500))
    packed[30:40] = bytes(10)
    (tmp_path / "a.csv.GZ").write_bytes(packed)
    with pytest.raises(TableError, match=r"a\.csv\.GZ: cannot be read"):
        read_table(tmp_path / "a.csv.GZ")


@pytest.mark.parametrize(
    "text",
    [
        "frame,gears\rstep,3\rsport,?\r",
        "frame , gears\nstep, 3\n sport,NA\n",
        "frame|gears\nstep|3\nsport|NaN\n",
        "\ufeffframe\tgears\nstep\t3\nsport\t?\n",
        "\ufeff\ufeffframe,gears\r\nstep,3\r\nsport,\r\n",
        '"frame";"gears"\n"step";"3"\n"sport";"null"\n',
    ],
)
def test_ways_to_write_a_table(tmp_path, text):
    path = tmp_path / "a.csv"
    path.write_bytes(text.encode())
    table = read_table(path)
    assert table.attributes == ("frame", "gears")
    assert table.categories == (("sport", "step"), ("3",))
    assert table.missing.tolist() == [[False, False], [False, True]]


def test_separators_in_quoted_names_do_not_count(tmp_path):
    path = tmp_path / "a.csv"
    path.write_text('"a;;;",b\n1,2\n')
    assert read_table(path).attributes == ("a;;;", "b")


@pytest.mark.parametrize(
    ("column", "words"),
    [
        ([datetime.date(2024, 1, 1)] * 2, "column 'a' holds dates"),
        ([None, None], "column 'a' has missing values only"),
        ([], "the table has no rows"),
    ],
)
def test_errors_of_parquet_name_the_file(tmp_path, column, words):
    pd.DataFrame({"a": column}).to_parquet(tmp_path / "t.pq")
    with pytest.raises(TableError, match=rf"t\.pq: {words}"):
        read_table(tmp_path / "t.pq")


ROWS = [[f"n{i}", str(i), "step" if i % 2 else "sport", str(1.5 * i**2), "x"] for i in range(20)]
RAW = CategoricalTable.from_any([*ROWS, ["n20", "20", "?", "?", "x"]], missing=["?"])


def test_columns_are_described():
    found = describe_table(RAW)
    assert found["kind"].tolist() == ["names", "names", "labels", "numbers", "one value"]
    assert found["missing"].tolist() == [0, 0, 1, 1, 0]
    assert found.loc["a2", ["values", "most_frequent"]].tolist() == [2, "sport"]
    assert found.loc["a4", "share"] == 1.0


def test_numbers_are_cut_and_missing_cells_are_values():
    table = prepare_table(RAW, bins=2)
    assert table.attributes == ("a2", "a3")
    assert table.categories[1] == ("0.0 to 253.5", "294.0 to 541.5", "(missing)")
    assert np.bincount(table.codes[:, 1]).tolist() == [14, 6, 1]
    with pytest.raises(TableError, match="nothing can be clustered"):
        prepare_table(RAW.select(["a0", "a4"]))


@pytest.mark.parametrize(
    ("cells", "words"),
    [
        (["inf", *map(str, range(20))], "column 'a0' holds numbers, but 'inf' is no finite one"),
        (["nan", *map(str, range(20))], "column 'a0' holds numbers, but 'nan' is no finite one"),
        ([str(2**64 - i * i) for i in range(20)], "'a0': its numbers differ by less than double"),
    ],
)
def test_numbers_that_cannot_be_cut(cells, words):
    with pytest.warns(UserWarning, match="cut them into intervals"):
        table = CategoricalTable.from_any([[cell, str(i % 2)] for i, cell in enumerate(cells)])
    with pytest.raises(TableError, match=words):
        prepare_table(table)


@pytest.mark.parametrize("cell", ["x", "1,5", "n-a"])
def test_words_among_numbers_are_told(tmp_path, cell):
    path = tmp_path / "a.csv"
    path.write_text("a;b\n" + "".join(f"{i};x\n{i};y\n" for i in [cell, *range(20)]))
    with pytest.warns(UserWarning, match=rf"a\.csv: 'a': nearly all labels .* but not {cell!r}"):
        assert describe_table(read_table(path))["kind"].tolist() == ["labels", "labels"]


def test_pictures_of_values_and_objects():
    table = prepare_table(RAW)
    measure = SimpleMatching().fit(table)
    axes = plot_values(measure)
    assert [ax.get_title() for ax in axes] == ["a2", "a3"]
    (short,) = plot_values(measure, most=1, labels=2)
    assert short.get_title().endswith("rare values)")
    ax = plot_objects(measure, table, table.codes[:, 0], mark=[20], most=5)
    assert [text.get_text() for text in ax.texts] == ["20"]
    assert ax.get_title().startswith("map of 6 of 21 objects")
    assert [text.get_text() for text in ax.get_legend().get_texts()] == [
        "0 (10)",
        "1 (10)",
        "2 (1)",
    ]
    with pytest.raises(CouplingsError, match="a vector of 21 labels"):
        plot_objects(measure, table, [0])


def test_names_in_pictures_are_short_and_no_formulas():
    rows = [["x" * 5000, "$y^$"], ["$", "z"], ["w", "z"]]
    measure = SimpleMatching().fit(pd.DataFrame(rows, columns=[r"$\frac$", "b"]))
    (ax,) = plot_values(measure)
    ax.figure.canvas.draw()
    assert ax.get_title() == r"\$\frac\$"
    names = {text.get_text() for text in ax.get_xticklabels()}
    assert names == {"x" * 27 + "...", r"\$", "w"}


BUNDLED = ROOT / "data" / "bundled"
SPECS = parsed(ROOT / "config" / "datasets.yaml")
ORIGINS = read_origins(BUNDLED)


def test_no_class_identifies_objects():
    assert not [spec for spec in SPECS.values() if spec["class"] in spec.get("identifiers", ())]


def test_what_is_bundled():
    files = {path.name for path in BUNDLED.glob("*.csv.xz")}
    assert files == {f"{name}.csv.xz" for name in ORIGINS}
    assert sum(path.stat().st_size for path in BUNDLED.rglob("*") if path.is_file()) < 1_500_000
    recipes = parsed(BUNDLED / "recipes.yaml")
    assert set(recipes["tables"]) == set(ORIGINS)
    stated = {name for name, one in recipes["tables"].items() if "added" in one}
    assert {name for name, one in ORIGINS.items() if one["added"]} == stated
    unlicensed = {name for name, one in ORIGINS.items() if one["package_licence"] == "not stated"}
    assert unlicensed == {"kr_vs_kp"}


def test_every_bundled_copy_is_attributed():
    _, _, table = (ROOT / "data/README.md").read_text("utf-8").partition("<!-- attribution -->\n")
    for name in ORIGINS:
        spec = SPECS[name]
        assert f"| [{spec['title']}]({spec['homepage']}) | {spec['citation']}" in table
        assert "doi" not in spec or f"doi:{spec['doi']} | {spec['licence']} |" in table


def test_what_a_machine_without_a_network_has_is_said():
    text = (ROOT / "data/README.md").read_text("utf-8")
    (part,) = re.findall(r"(?s)## A machine without a network\n(.*?)\n## ", text)
    rows = [line for line in part.splitlines() if line.startswith("| ")]
    plan = Plan.of_effort(ROOT, "full", check=False)
    status = statuses(plan, bundled_only=True)
    named = {name for row in rows for name in SPECS if f"`{name}`" in row}
    assert named == {
        name for name in SPECS if name not in ORIGINS or "complete_rows" in SPECS[name]
    }
    assert {name for name, one in status.items() if one != "available"} <= named
    found = artefacts(plan, status)
    assert "All other tables and figures are complete." in part
    lacking = {one: kind for one, kind in found.items() if kind != "complete"}
    caso = {name: kind for (paper, name), kind in lacking.items() if paper == "caso"}
    assert caso == {"table13": "missing", "fig03": "missing", "text": "partial"}
    assert {(paper, kind) for (paper, _), kind in lacking.items() if paper != "caso"} == {
        ("disc", "partial"),
        ("crosscheck", "partial"),
    }
    assert len(lacking) - len(caso) == 6 + 2  # tables of DISC and of the cross-check
    said = list(lines(plan, status))
    assert "data sets, complete rows: mammographic_masses" in said
    assert "caso: 18 complete; 1 partial (text); 2 missing (table13, fig03)" in said
    assert set(artefacts(plan, dict.fromkeys(status, "available")).values()) == {"complete"}


@pytest.mark.parametrize("dataset", sorted(ORIGINS))
def test_bundled_copy(dataset, tmp_path):
    spec, origin = SPECS[dataset], ORIGINS[dataset]
    packed = (BUNDLED / f"{dataset}.csv.xz").read_bytes()
    assert hashlib.sha256(packed).hexdigest() == origin["sha256"]
    content = lzma.decompress(packed)
    table = read_raw(BUNDLED / f"{dataset}.csv.xz")
    assert table_bytes(table) == content
    assert list(table.columns) == table_columns(spec)
    rows = sum(file["rows"] for file in spec["files"])
    held = spec.get("complete_rows", {"rows": rows, "fingerprint": spec["fingerprint"]})
    assert len(table) == held["rows"]
    assert table_fingerprint(table, spec["numeric"]) == held["fingerprint"] == origin["fingerprint"]
    same = hashlib.sha256(content).hexdigest() == spec["table_sha256"]
    relation = "completed" if origin["added"] else "identical" if same else "recoded"
    status = "available"
    if "complete_rows" in spec:
        relation = status = "complete rows"
        assert len(table) < rows
        assert MISSING not in set(table.to_numpy().ravel())
    assert origin["relation"] == relation
    fetched, facts = fetch_dataset(dataset, spec, raw=tmp_path, bundled=BUNDLED, official=False)
    assert (facts["status"], facts["route"]) == (status, "bundled")
    assert fetched.equals(table)
