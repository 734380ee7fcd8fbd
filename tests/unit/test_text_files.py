"""Layouts of text files, spellings of missing cells, codes and numbers, as read from files."""

import decimal

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from couplings import (
    CategoricalTable,
    SimpleMatching,
    TableError,
    describe_table,
    prepare_table,
    read_table,
)
from couplings.text_files import AMONG_NUMBERS, SEPARATORS

ROWS = [("M", "y", "n"), ("F", "n", "y"), ("M", "n", "n"), ("F", "y", "y")] * 3
PARSED = (("F", "M"), ("n", "y"), ("n", "y"))


def written(folder, text, name="t.csv"):
    path = folder / name
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    return path


def lines(separator, head=("sex", "smoke", "drink"), end="", start=""):
    return "".join(start + separator.join(row) + end + "\n" for row in [head, *ROWS])


QUOTED = '"{}"'.format
ROW_NAMES = "".join(f'"{i}" "{a}" "{b}" "{c}"\n' for i, (a, b, c) in enumerate(ROWS, 1))
LAYOUTS = {
    **{name: lines(separator) for name, separator in SEPARATORS.items()},
    "carriage returns": lines(",").replace("\n", "\r"),
    "windows": lines(";").replace("\n", "\r\n"),
    "byte order mark": "\ufeff" + lines("\t"),
    "utf-16 as Excel writes it": lines("\t").encode("utf-16"),
    "Excel's first line": "sep=;\n" + lines(";"),
    "several blanks": lines("   "),
    "blanks at both ends": lines(" ", end=" ", start="  "),
    "aligned": "sex  smoke drink\n" + "".join(f"{a:<4} {b:<5} {c}\n" for a, b, c in ROWS),
    "a separator at the end of each row": lines(",").replace("n\n", "n,\n").replace("y\n", "y,\n"),
    "a separator at the end of each line": lines(",", end=","),
    "a blank before a quote": lines(", ").replace(" y", ' "y"', 3),
    "quotes": lines(";").replace("M", QUOTED("M")).replace("sex", QUOTED("sex")),
    "apostrophes around cells": lines(",").replace("sex", "'sex'").replace("smoke", "'smoke'")
    .replace("drink", "'drink'").replace("M", "'M'"),
    "R's write.csv": '"","sex","smoke","drink"\n' + ROW_NAMES.replace('" "', '","'),
    "R's write.table": '"sex" "smoke" "drink"\n' + ROW_NAMES,
    "R's write.table with tabs": '"sex"\t"smoke"\t"drink"\n' + ROW_NAMES.replace(" ", "\t"),
    "pandas' to_csv": pd.DataFrame(ROWS, columns=["sex", "smoke", "drink"]).to_csv(),
    "empty lines": lines(",").replace("\nF", "\n\nF") + "\n\n",
    "colons": lines(":"),
    "carets": lines("^"),
    "Markdown": lines(" | ", start="| ", end=" |"),
    "no line at the end": lines("|").rstrip(),
}  # fmt: skip


@pytest.mark.parametrize("layout", LAYOUTS)
def test_one_table_is_read_from_every_layout(tmp_path, layout):
    table = read_table(written(tmp_path, LAYOUTS[layout]))
    assert table.attributes == ("sex", "smoke", "drink")
    assert table.categories == PARSED
    assert table.n_objects == len(ROWS)
    assert not table.has_missing


MISLEADING = {
    "commas in names": ("Smoke, often?\tYes, no, or so?\nu\tv\nw\tv\n", 2),
    "decimal commas": ("a;b\n1,5;x\n2,5;y\n", 2),
    "lists in cells": ("id,tags\np,a;b;c\nq,a;b\n", 2),
    "sentences": ("name,car\nbob smith,a red one\nann lee,a blue one\n", 2),
    "a blank in each line": ("the name,b\nbob smith,u\nann lee,v\nbob ray,w\n", 2),
    "apostrophes": ("a,b\ndon't,it's\nu,v\n", 2),
    "lines in cells": ('a,b\n"x\ny",z\n"x, w",z\n', 2),
    "times": ("t,x\n12:30:00,u\n12:31:00,v\n", 2),
    "addresses": ("u\thttp://a.b/c?x=1;y=2|z\n".replace("u\t", "id,url\nu,"), 2),
    "one column of times": ("time\n12:30\n12:31\n", 1),
    "colons in names and cells": ("Q1: mood;Q2: sex\nwell: very;m\nbad: so;f\n", 2),
    "one column": ("answer\nyes\nno\n", 1),
    "one column of two words": ("answer\nvery good\nvery bad\nvery good\n", 1),
    "one column of two different words": ("answer\nvery good\nquite bad\n", 1),
    "quotes within cells": ('a,b\n"{""k"": [1, 2]}",z\nu,v\n', 2),
    "a quote and a comma after a blank": ('a, b\nx, "u, v"\ny, "w"\n', 2),
}


@pytest.mark.parametrize("case", MISLEADING)
def test_other_separators_in_cells_or_names_do_not_mislead(tmp_path, case):
    text, width = MISLEADING[case]
    assert read_table(written(tmp_path, text)).n_attributes == width


CLEAR = {
    "decimal commas in names and cells": (
        "t.csv",
        "len, cm;wid, cm;g\n1,5;2,5;x\n2,5;3,5;y\n",
        ("len, cm", "wid, cm", "g"),
        (("1,5", "2,5"), ("2,5", "3,5"), ("x", "y")),
    ),
    "numbers of rows and a separator at the end": (
        "t.csv",
        "id,a\n1,x,\n2,y,\n3,y,\n",
        ("id", "a"),
        (("1", "2", "3"), ("x", "y")),
    ),
    "a name of two lines": (
        "t.csv",
        'b,"a\nname"\nx,u\ny,v\n',
        ("b", "a\nname"),
        (("x", "y"), ("u", "v")),
    ),
    "a first name of two lines": (
        "t.csv",
        '"a\nname",b\nx,u\ny,v\n',
        ("a\nname", "b"),
        (("x", "y"), ("u", "v")),
    ),
    "commas in each cell of a file of tabs": (
        "t.tsv",
        "city, state\tb\nBoston, MA\tu\nAustin, TX\tv\n",
        ("city, state", "b"),
        (("Austin, TX", "Boston, MA"), ("u", "v")),
    ),
    "a single column of a file of tabs": (
        "t.tsv",
        "city\nBoston, MA\nAustin, TX\n",
        ("city",),
        (("Austin, TX", "Boston, MA"),),
    ),
    "the rule of Markdown": (
        "t.md",
        "| a | b |\n|---|:-:|\n| x | u |\n| y | v |\n",
        ("a", "b"),
        (("x", "y"), ("u", "v")),
    ),
    "a name with a number sign": ("t.csv", "#id,a\n1,x\n2,y\n", ("#id", "a"), None),
    "numbers between blanks": ("t.txt", "x y\n1 2\n3 4\n", ("x", "y"), None),
}


@pytest.mark.parametrize("case", CLEAR)
def test_layouts_that_look_like_others_are_read_as_they_are(tmp_path, case):
    name, text, attributes, categories = CLEAR[case]
    table = read_table(written(tmp_path, text, name))
    assert table.attributes == attributes
    if categories:
        assert table.categories == categories
    assert table.n_objects == text.count("\n") - 1 - sum(map(text.count, (":-:", "a\nname")))


@pytest.mark.parametrize(
    ("name", "text", "words"),
    [
        ("t.csv", "# my data, of 2020\na,b\nx,u\ny,v\n", "leave out comments above it"),
        ("t.csv", "## sheet\na,b\nx,u\ny,v\n", "leave out comments above it"),
        ("t.tsv", "city, state\nBoston, MA\nAustin, TX\n", "'comma', or 'tab' for a single"),
        ("t.csv", "full name\nJohn Smith\nMary Jones\n", "'blank' for two, 'comma' for one"),
        ("t.csv", "city\nBoston, MA\nAustin, TX\n", "line 2: 2 cells where the header names 1"),
    ],
)
def test_a_layout_that_can_mean_two_tables_is_refused(tmp_path, name, text, words):
    with pytest.raises(TableError, match=words):
        read_table(written(tmp_path, text, name))


def test_the_remedies_of_an_unclear_layout_work(tmp_path):
    path = written(tmp_path, "full name\nJohn Smith\nMary Jones\n")
    assert read_table(path, separator="blank").attributes == ("full", "name")
    assert read_table(path, separator="comma").attributes == ("full name",)
    path = written(tmp_path, "city, state\nBoston, MA\nAustin, TX\n", "t.tsv")
    assert read_table(path, separator="comma").attributes == ("city", "state")
    assert read_table(path, separator="tab").attributes == ("city, state",)
    assert read_table(written(tmp_path, '"# of, kids",b\n1,u\n2,v\n')).n_attributes == 2


@pytest.mark.parametrize("empty", ["", '""'])
def test_an_empty_line_within_a_single_column_is_a_missing_cell(tmp_path, empty):
    table = read_table(written(tmp_path, f"a\nx\n{empty}\ny\nx\n\n\n"))
    assert table.codes[:, 0].tolist() == [0, -1, 1, 0]


def test_a_cell_is_the_same_with_or_without_quotes_and_blanks(tmp_path):
    table = read_table(written(tmp_path, 'a, b\nx, "u"\ny,"u"\nx, "v"\ny , v\n'))
    assert table.categories == (("x", "y"), ("u", "v"))
    marked = read_table(written(tmp_path, 'a,b\n"""x""",u\ny,v\n'))
    assert marked.categories[0] == ('"x"', "y")


def test_a_separator_can_be_set(tmp_path):
    path = written(tmp_path, "a:b\nx:u\ny:v\n")
    assert read_table(path, separator=":").attributes == ("a", "b")
    assert CategoricalTable.from_csv(path, separator=":").n_attributes == 2
    path = written(tmp_path, "a b;c\nx y;z\n")
    assert read_table(path).attributes == ("a b", "c")
    assert read_table(path, separator="blank").attributes == ("a", "b;c")
    for odd in ("::", "", 5, "\n", '"', "x"):
        with pytest.raises(TableError, match="not one character; use one such as ','"):
            read_table(path, separator=odd)
    with pytest.raises(TableError, match=r"line 3: 3 cells .* set another separator \(now comma\)"):
        read_table(written(tmp_path, "a,b\nx,y\nx,y,z\nx,y\n"))
    with pytest.raises(TableError, match=r"line 2: 3 cells .* leave out lines above the names"):
        read_table(written(tmp_path, "My survey\na,b,c\nx,y,z\n"))
    with pytest.raises(TableError, match="line 3: 1 cells"):
        read_table(written(tmp_path, 'a, b\nx, "y"\nx\nx,y\n'))


def test_row_names_are_no_column_unless_they_repeat(tmp_path):
    text = ",a,b\n{},x,u\n{},y,v\n{},x,v\n"
    assert read_table(written(tmp_path, text.format(1, 2, 3))).attributes == ("a", "b")
    repeated = read_table(written(tmp_path, text.format("p", "q", "p")))
    assert repeated.attributes == ("row", "a", "b")
    assert repeated.categories[0] == ("p", "q")
    frame = pd.DataFrame({"a": ["x", "y"]}, index=pd.Index(["p", "p"], name="site"))
    frame.to_parquet(tmp_path / "t.parquet")
    for read in (read_table, CategoricalTable.from_parquet):
        assert read(tmp_path / "t.parquet").attributes == ("a",)


def test_an_empty_column_is_read_and_described_and_left_out(tmp_path):
    rows = "".join(f"{'xyz'[i % 3]},NA,{'uv'[i % 2]},\n" for i in range(12))
    table = read_table(written(tmp_path, "a,none,b,\n" + rows))
    assert table.attributes == ("a", "none", "b")
    assert table.categories[1] == ()
    found = describe_table(table).loc["none"]
    assert (found["kind"], found["values"], found["missing"], found["share"]) == ("empty", 0, 12, 0)
    assert prepare_table(table).attributes == ("a", "b")
    with pytest.raises(TableError, match="'none' has missing values only; drop it"):
        SimpleMatching(missing="value").fit(table)
    with pytest.raises(TableError, match="has missing values only"):
        read_table(written(tmp_path, "a,b\nNA,\n?,\n"))
    kept = pd.DataFrame({"a": ["x", "y"], "none": [None, None]})
    assert describe_table(kept)["kind"].tolist() == ["labels", "empty"]


@pytest.mark.filterwarnings("ignore:.*every number is a category")
@pytest.mark.parametrize("word", ["NA", "n/a", "#N/A", "<NA>", "", *sorted(AMONG_NUMBERS)])
def test_the_usual_spellings_of_a_missing_number_leave_a_column_of_numbers(tmp_path, word):
    cells = [word if i % 20 == 0 else str(20 + i * 7 % 40) for i in range(200)]
    path = written(
        tmp_path, "age,g\n" + "".join(f"{c},{'ab'[i % 2]}\n" for i, c in enumerate(cells))
    )
    table = read_table(path)
    assert table.missing[:, 0].sum() == 10
    assert len(prepare_table(table).categories[0]) == 6


def test_words_that_can_be_categories_stay_labels(tmp_path):
    path = written(tmp_path, "reaction,allergy,n\n-,None,1\n+,nuts,2\n-,None,.\n")
    table = read_table(path)
    assert table.categories == (("+", "-"), ("None", "nuts"), (".", "1", "2"))
    given = read_table(path, missing={"n": ["."], "allergy": "None"})
    assert given.missing.sum(axis=0).tolist() == [0, 2, 1]
    assert read_table(path, missing="-").missing.sum(axis=0).tolist() == [2, 0, 0]


CODES = {
    "zip": [f"{7 * i:05d}" for i in range(12)],
    "room": [f"{i}E{j}" for i in range(3) for j in range(4)],
    "icd": [f"0{i}.{i}" for i in range(12)],
    "signed": [f"-0{i}" for i in range(12)],
}
NUMBERS = {
    "decimals": [f"0.{i}" for i in range(1, 14)],
    "R's notation": [f"{i}e+05" for i in range(12)],
    "Python's notation": [f"1.{i}e-07" for i in range(12)],
    "Java's notation": [f"{i}.0E5" for i in range(12)],
    "years": [str(1990 + 2 * i) for i in range(12)],
    "zero and more": [str(3 * i) for i in range(12)],
    "signs": [f"{i:+d}" for i in range(-12, 24, 3)],
}


@pytest.mark.filterwarnings("ignore:.*every number is a category")
@pytest.mark.parametrize("column", [*CODES, *NUMBERS])
def test_codes_stay_codes_and_numbers_are_cut(column):
    cells = {**CODES, **NUMBERS}[column]
    table = CategoricalTable.from_any([[cell, "uv"[i % 2]] for i, cell in enumerate(cells * 4)])
    kind = "labels" if column in CODES else "numbers"
    assert describe_table(table)["kind"].iloc[0] == kind
    domain = prepare_table(table).categories[0]
    assert (domain == tuple(sorted(cells))) == (column in CODES)


INTERVALS = {
    "genome positions": [152300100 + 37 * i for i in range(60)],
    "dates": [20200100 + i for i in range(1, 29)],
    "ten digits": [1003000126 + 9 * i for i in range(60)],
    "longitudes": [f"{52.52 + i * 1e-6:.7f}" for i in range(60)],
    "small": [f"{i}.5e-12" for i in range(20)],
    "beyond double": [str(10**17 + 100 * i) for i in range(20)],
    "negative": [-i * i for i in range(20)],
}


@pytest.mark.filterwarnings("ignore:.*every number is a category")
@pytest.mark.parametrize("name", INTERVALS)
def test_ends_of_intervals_are_numbers_of_the_table_and_differ(name):
    cells = [str(one) for one in INTERVALS[name]]
    table = CategoricalTable.from_any([[one, "uv"[i % 2]] for i, one in enumerate(cells * 3)])
    domain = prepare_table(table).categories[0]
    assert len(set(domain)) == len(domain) == 5
    ends = [end for label in domain for end in label.split(" to ")]
    assert set(ends) <= set(cells)
    assert [float(end) for end in ends] == sorted(map(float, ends))
    assert float(ends[0]) == min(map(float, cells))
    assert float(ends[-1]) == max(map(float, cells))


def test_one_number_has_one_text(tmp_path):
    """Whatever holds it: a float, a category, a declared domain, codes, Arrow, a file."""
    floats = [1.0, -0.0, 0.5]
    texts = ("1", "0", "0.5")
    codes = np.arange(3)[:, None]
    narrow = np.array(floats, dtype=np.float32)
    dictionary = pa.array(floats).dictionary_encode()
    found = [
        CategoricalTable.from_codes(codes, categories=[floats]),
        CategoricalTable.from_codes(codes, categories=[narrow]),
        CategoricalTable.from_any(pd.DataFrame({"a": pd.Categorical(floats, floats)})),
        CategoricalTable.from_any(pd.DataFrame({"a": pd.Categorical(narrow, narrow)})),
        CategoricalTable.from_any(pd.DataFrame({"a": list(texts)}), domains={"a": floats}),
        CategoricalTable.from_any(pa.table({"a": dictionary})),
    ]
    assert [table.categories[0] for table in found] == [texts] * len(found)
    tenth = np.array([0.1, 0.3], dtype=np.float32)
    assert CategoricalTable.from_any(pd.DataFrame({"a": pd.Categorical(tenth)})).categories[0] == (
        "0.1",
        "0.3",
    )
    exact = [decimal.Decimal("1.0"), decimal.Decimal("2.50"), decimal.Decimal("1E+3")]
    assert CategoricalTable.from_any(pd.DataFrame({"a": pd.Categorical(exact)})).categories[0] == (
        "1",
        "2.5",
        "1000",
    )
    columns = {"z": [0.0, -0.0, float("nan")], "n": pa.array([1e20, 2.0, 2.0]), "d": exact}
    pq.write_table(pa.table(columns), tmp_path / "t.parquet")
    table = read_table(tmp_path / "t.parquet")
    assert table.categories == (("0",), ("100000000000000000000", "2"), ("1", "1000", "2.5"))
    assert table.missing.sum() == 1


@pytest.mark.parametrize("index", [pa.uint8(), pa.uint16(), pa.uint32(), pa.uint64(), pa.int16()])
def test_dictionaries_of_any_index_may_have_missing_cells(index):
    labels = [f"v{i:03d}" for i in range(256)]
    column = pa.DictionaryArray.from_arrays(pa.array([*range(256), None], index), labels)
    table = CategoricalTable.from_any(pa.table({"a": column}))
    assert table.categories[0] == tuple(labels)
    assert table.codes[:, 0].tolist() == [*range(256), -1]


def test_odd_dictionaries_of_arrow_are_read_by_their_text():
    twice = pa.DictionaryArray.from_arrays(pa.array([0, 1, 2, None], pa.int32()), ["x", "x", None])
    assert CategoricalTable.from_any(pa.table({"a": twice})).codes[:, 0].tolist() == [0, 0, -1, -1]
    parts = pa.chunked_array([twice, pa.array(["y", "x"]).dictionary_encode()])
    assert CategoricalTable.from_any(pa.table({"a": parts})).codes[:, 0].tolist() == [
        *(0, 0, -1, -1),
        *(1, 0),
    ]
    floats = pa.array([0.0, -0.0, float("nan")]).dictionary_encode()
    assert CategoricalTable.from_any(pa.table({"a": floats})).codes[:, 0].tolist() == [0, 0, -1]


def test_the_error_of_dates_in_arrow_names_the_column():
    dates = pa.array(pd.date_range("2020", periods=2))
    with pytest.raises(TableError, match="column 'd' holds dates"):
        CategoricalTable.from_any(pa.table({"d": dates}))


def test_a_number_has_the_text_of_its_own_precision_in_each_frame():
    frame = pd.DataFrame({"x": np.array([0.1, 0.2, 0.1], dtype=np.float32), "y": list("uvu")})
    for data in (frame, pa.Table.from_pandas(frame), frame.astype({"x": "Float32"})):
        assert describe_table(data)["most_frequent"].tolist() == ["0.1", "u"]
