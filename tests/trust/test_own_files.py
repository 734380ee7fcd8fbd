"""Files of the reader's own that are no tables of categories."""

import gzip
import importlib.util
import json
import os
from pathlib import Path

import pandas as pd
import pytest
from trust_cases import GOOD

from replication.data import own_parquet
from replication.plan import computing

LONG = "x" * 100_000


def with_row(row, good=GOOD):
    return good + row + "\n"


CASES = [
    # name, content, changes of the entry, what the message must say
    ("nul", with_row("x\0,p,r,u"), {}, ["line 14", "NUL", "UTF-8"]),
    ("nul-class", with_row("x,p,r,u\0"), {}, ["line 14", "NUL"]),
    ("nul-header", GOOD.replace("a,b", "a\0,b"), {}, ["line 1", "NUL"]),
    ("nul-only", b"\0" * 4096, {}, ["line 1", "NUL"]),
    ("cr-cell", with_row('"x\ry",p,r,u'), {}, ["line 15", "'a'", "carriage return", "without"]),
    ("cr-class", with_row('x,p,r,"u\rv"'), {}, ["'use'", "carriage return"]),
    ("cr-header", GOOD.replace("a,b", '"a\rz",b'), {}, ["line 1", "column 1", "line break"]),
    ("crlf-cell", with_row('"x\r\ny",p,r,u'), {}, ["'a'", "carriage return"]),
    ("lf-cell", with_row('"x\ny",p,r,u'), {}, ["line 15", "'a'", "line break", "without: [a]"]),
    ("lf-header", GOOD.replace("a,b", '"a\nz",b'), {}, ["column 1", "line break"]),
    ("long-cell", with_row(f"{'x' * 1001},p,r,u"), {}, ["line 14", "1001 characters", "shorten"]),
    ("longer-cell", with_row(f"{LONG},p,r,u"), {}, ["line 14", "100000 characters"]),
    ("beyond-the-reader", with_row(f"{LONG * 2},p,r,u"), {}, ["line 14", "200000 characters"]),
    ("long-class", with_row(f"x,p,r,{LONG}"), {}, ["'use'", "100000 characters"]),
    ("long-name", GOOD.replace("a,b", f"{LONG},b"), {}, ["line 1", "column 1", "1000 characters"]),
    ("long-line", "a,b,use\n" + "x" * 2_100_000, {}, ["line 2", "2000000 characters"]),
    ("class-only", "use\nu\nv\nu\n", {}, ["no attribute is left", "without"]),
    ("all-without", GOOD, {"without": ["a", "b", "c"]}, ["no attribute is left", "fewer columns"]),
    (
        "none-of-the-named",
        GOOD,
        {"attributes": ["a"], "without": ["a"]},
        ["datasets.mine", "no attribute is left"],
    ),
    (
        "one-class",
        GOOD.replace(",v\n", ",u\n"),
        {},
        ["class column 'use'", "'u' in every row", "`clusters`"],
    ),
    (
        "class-none",
        GOOD.replace(",v\n", ",none\n").replace(",u\n", ",none\n"),
        {},
        ["'none' in every row", "take `class` out"],
    ),
    ("underscore", with_row("x,p,1_000,u", "a,b,c,use\n"), {}, ["holds 1 rows"]),
    *(
        (f"number-{name}", f"a,n,use\nx,1,u\ny,{text},v\nx,3,u\n", {"numeric": ["n"]}, words)
        for name, text, words in [
            ("underscore", "1_000", ["line 3", "'1_000'", "is no number", "1234.5"]),
            ("arabic", "٣", ["line 3", "'٣'", "is no number"]),
            ("wide", "３", ["line 3", "is no number"]),
            ("inf", "inf", ["line 3", "'inf'", "is no number"]),
            ("nan", "NaN", ["line 3", "is no number"]),
            ("overflow", "1e999", ["line 3", "is no number"]),
            ("hexadecimal", "0x10", ["line 3", "is no number"]),
            ("minus", "−5", ["line 3", "is no number"]),
            ("comma", '"1,5"', ["line 3", "is no number"]),
            ("unit", "5 kg", ["line 3", "is no number"]),
        ]
    ),
    (
        "one-number-spelt-twice",
        "a,n,use\nx,5,u\ny,5.0,v\nx,5,u\n",
        {"numeric": ["n"]},
        ["column 'n'", "every row", "without: [n]"],
    ),
    ("constant", "a,b,use\nx,p,u\nx,q,v\n", {}, ["column 'a'", "'x' in every row"]),
    ("empty", "", {}, ["is empty", "name the columns"]),
    ("blank", "\n\n  \n", {}, ["line 1", "column 1 has no name"]),
    ("header-only", "a,b,use\n", {}, ["holds 0 rows", "two"]),
    ("spaces-for-commas", "a b use\nx p u\ny q v\n", {}, ["datasets.mine.class", "'use'"]),
    ("quote-inside", with_row('"x"y,p,r,u'), {}, ["line 14", "double quote"]),
    ("quote-open", with_row('"x,p,r,u'), {}, ["line 14", "not closed"]),
    ("utf16", GOOD.encode("utf-16"), {}, ["not UTF-8", "save the file as UTF-8"]),
    ("latin1", with_row("é,p,r,u").encode("latin-1"), {}, ["is not UTF-8"]),
    ("surrogate", GOOD.encode() + b"\xed\xa0\x80,p,r,u\n", {}, ["is not UTF-8"]),
    ("gzip", gzip.compress(GOOD.encode(), mtime=0), {}, ["UTF-8"]),
    ("png", b"\x89PNG\r\n\x1a\n\0\0", {}, ["UTF-8"]),
    ("all-dropped", "a,b,use\n,p,u\nx,,v\n", {"missing": "drop"}, ["0 rows", "impute"]),
    ("numeric-not-there", GOOD, {"numeric": ["d"]}, ["datasets.mine.numeric", "'d'"]),
    ("ties-not-there", GOOD, {"mode_ties": {"d": "x"}}, ["datasets.mine.mode_ties", "'d'"]),
    (
        "no-mode",
        with_row(",p,r,u"),
        {"missing": "impute", "mode_ties": {"a": "w"}},
        ["mode_ties.a", "'w' is not a mode"],
    ),
]


@pytest.mark.parametrize(
    ("content", "entry", "words"), [case[1:] for case in CASES], ids=[case[0] for case in CASES]
)
def test_a_file_that_is_no_table(job, refused, content, entry, words):
    said = refused("prepare", *job.prepare(job.file(content), **entry))
    for word in words:
        assert word in said
    assert "mine.csv" in said or "datasets.mine" in said
    assert not job.prepared.exists()


def mistakes_of(name):
    """Rows that a unit test has already; they are run through the command here."""
    path = Path(__file__).parents[1] / "unit" / f"{name}.py"
    spec = importlib.util.spec_from_file_location(f"rows_of_{name}", path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


UNIT = mistakes_of("test_own_table")


@pytest.mark.parametrize(("content", "changes", "words"), UNIT.MISTAKES)
def test_the_rows_of_the_reader_end_the_command_too(job, refused, content, changes, words):
    said = refused("prepare", *job.prepare(job.file(content), **{**UNIT.ENTRY, **changes}))
    assert all(word in said for word in words if "datasets.toy" not in word)


LATER = [
    # name, content, changes of the entry, changes of the specification, what the message must say
    (
        "too-close",
        "a,n,use\nx,0,u\ny,5e-324,v\n",
        {},
        {},
        ["datasets.mine", "numeric column 'n'", "rescale"],
    ),
    (
        "mean-overflows",
        "a,n,use\nx,1.7e308,u\ny,1.7e308,v\nx,,u\ny,1,v\n",
        {"missing": "impute"},
        {},
        ["numeric column 'n'", "infinite", "rescale"],
    ),
    (
        "sample-too-large",
        "a,n,use\nx,1,u\ny,2,v\n",
        {},
        {"sample": {"size": 5, "count": 1}, "seed": 1},
        ["datasets.mine.sample.size: 5", "2 rows"],
    ),
    (
        "not-declared",
        "a,n,use\nx,1,u\ny,2,v\n",
        {"declared": {"a": ["x"]}},
        {},
        ["declared.a", "'y'", "add it"],
    ),
    (
        "bins",
        "a,n,use\nx,1,u\ny,2,v\n",
        {},
        {"preparation": {"numeric": "equal_width", "bins": 10**15, "labels": "raw"}},
        ["numeric column 'n'", "fewer bins"],
    ),
]


@pytest.mark.parametrize(
    ("content", "entry", "changes", "words"),
    [case[1:] for case in LATER],
    ids=[case[0] for case in LATER],
)
def test_numbers_that_cannot_be_cut(job, accepted, refused, content, entry, changes, words):
    accepted("prepare", *job.prepare(job.file(content), numeric=["n"], **entry))
    said = refused("discretize", *job.discretize(**changes))
    for word in words:
        assert word in said
    assert not job.tables.exists()


GOOD_FILES = [
    GOOD,
    "\ufeff" + GOOD,
    GOOD.replace("\n", "\r\n"),
    GOOD.replace("x", '"x, or ""y"""'),
    GOOD.replace("x", "$5 & {y} <b> =1+1 \\ ☂ 🦄"),
    GOOD.replace("a,b", "'a; drop',$(touch b)"),
    GOOD.replace("a,b,c,use", "a,b,text,use").replace("r,", f"{'r' * 5000},"),
]


@pytest.mark.parametrize("content", GOOD_FILES)
def test_odd_but_right_files_go_through(job, accepted, content):
    without = ["text"] if "text" in content[:20] else None
    accepted("prepare", *job.prepare(job.file(content), without=without))
    accepted("discretize", *job.discretize())
    assert json.loads(job.facts.read_text())["objects"] == 12


def test_more_cells_than_are_held(job, refused, monkeypatch):
    monkeypatch.setattr(own_parquet, "MOST_CELLS", 20)
    said = refused("prepare", *job.prepare(job.file(GOOD)))
    assert "more than 20 cells" in said
    assert "sample of the rows" in said
    pd.DataFrame({"a": ["x", "y"] * 20, "use": ["u", "v"] * 20}).to_parquet(
        job.folder / "m.parquet"
    )
    said = refused("prepare", *job.prepare(job.folder / "m.parquet"))
    assert "40 rows of 2 columns" in said
    said = refused("prepare", *job.prepare(job.folder / "m.parquet", rows=30))
    assert "datasets.mine.rows: 30 rows" in said


@pytest.mark.parametrize(
    ("name", "content", "words"),
    [
        ("none.csv", None, ["none.csv", "no such file", "put it there"]),
        ("mine.parquet", b"PAR1 and no more", ["mine.parquet", "cannot be read as Parquet"]),
        ("mine.parquet", b"", ["mine.parquet", "cannot be read as Parquet"]),
    ],
)
def test_files_that_cannot_be_read(job, refused, name, content, words):
    path = job.folder / name
    if content is not None:
        path.write_bytes(content)
    said = refused("prepare", *job.prepare(path))
    assert all(word in said for word in words)


def test_a_parquet_cell_with_a_nul(job, refused):
    frame = pd.DataFrame({"a": ["x\0", "y", "x"], "use": ["u", "v", "u"]})
    frame.to_parquet(job.folder / "mine.parquet")
    said = refused("prepare", *job.prepare(job.folder / "mine.parquet"))
    assert "mine.parquet, row 1" in said
    assert "NUL" in said


def test_a_folder_that_cannot_be_written_is_named(job, refused):
    path = job.file(GOOD)
    job.prepared = path / "inside" / "mine.csv"
    assert "mine.csv" in refused("prepare", *job.prepare(path))


def test_the_content_of_a_file_decides_and_not_its_date(root):
    """An older file that takes the place of a newer one gives another specification."""
    from trust_cases import load

    def spec():
        return load(root).spec("prepare", paper="own", dataset="example")

    path = root / "data/user/example.csv"
    before = spec()
    os.utime(path, (10**9, 10**9))
    assert spec() == before
    path.write_text(GOOD.replace("x", "w"))
    os.utime(path, (10**9, 10**9))
    computing._file_digest.cache_clear()
    assert spec() != before


def test_of_a_large_file_the_ends_and_the_date_decide(root, monkeypatch):
    from trust_cases import load

    monkeypatch.setattr(computing, "WHOLE", 10)
    monkeypatch.setattr(computing, "_END", 10)
    path = root / "data/user/example.csv"
    computing._file_digest.cache_clear()
    before = load(root).spec("prepare", paper="own", dataset="example")
    os.utime(path, (10**9, 10**9))
    assert load(root).spec("prepare", paper="own", dataset="example") != before
