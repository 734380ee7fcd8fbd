"""Categorical tables, whatever holds the labels."""

import datetime
import decimal
import enum
import warnings

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
from kit import assert_same_table as same
from kit import refused, refused_calls

from couplings import (
    CategoricalTable,
    CouplingsError,
    MeasureError,
    MixedTable,
    SimpleMatching,
    TableError,
)
from couplings.reading import united

COLOURS = ["red", "blue", None, "red"]
SIZES = ["S", "L", "S", "S"]
SOLD = [True, False, True, True]
DECLARED = ["S", "M", "L"]


@pytest.fixture
def labels():
    return pd.DataFrame(
        {"colour": COLOURS, "size": pd.Categorical(SIZES, categories=DECLARED), "sold": SOLD}
    )


class TestFromPandas:
    def test_codes_and_domains(self, labels):
        table = CategoricalTable.from_pandas(labels)
        assert table.attributes == ("colour", "size", "sold")
        assert table.categories == (("blue", "red"), ("S", "M", "L"), ("False", "True"))
        assert table.codes.tolist() == [[1, 0, 1], [0, 2, 0], [-1, 0, 1], [1, 0, 1]]
        assert table.codes.dtype == np.int8
        assert table.codes.flags.f_contiguous
        assert table.n_values.tolist() == [2, 3, 2]
        assert table.offsets.tolist() == [0, 2, 5, 7]
        assert table.has_missing
        assert table.missing.sum() == 1
        assert repr(table) == "CategoricalTable(4 objects, 3 attributes, 7 values)"

    def test_numeric_column(self, labels):
        labels["price"] = [1.5, 2.0, 3.0, 4.0]
        with pytest.raises(TableError, match=r"'price' is numeric.*discretize.*astype"):
            CategoricalTable.from_pandas(labels)
        labels["price"] = labels["price"].astype("category")
        assert CategoricalTable.from_pandas(labels).categories[3] == ("1.5", "2", "3", "4")

    @pytest.mark.parametrize(
        ("change", "domains", "message"),
        [
            (lambda df: df, {"colour": ["red"]}, r"'colour', row 1: value 'blue' is outside"),
            (lambda df: df.assign(colour=None), {}, "'colour' has missing values only"),
            (lambda df: df.iloc[:0], {}, "the table has no rows"),
            (lambda df: df.iloc[:, :0], {}, "no columns"),
            (lambda df: df.rename(columns={"colour": "size"}), {}, "'size' occurs twice"),
            (lambda df: df, {"price": ["1"]}, r"no column 'price'.*colour, size, sold"),
            (lambda df: df, {"colour": ["red", "blue", "red"]}, "'colour': a label occurs twice"),
            (lambda df: df.to_numpy().tolist(), {}, r"a pandas DataFrame, not list;.*from_any"),
        ],
    )
    def test_errors(self, labels, change, domains, message):
        with pytest.raises(TableError, match=message):
            CategoricalTable.from_pandas(change(labels), domains=domains)


class TestFromCsv:
    def test_labels(self, tmp_path):
        path = tmp_path / "a.csv"
        path.write_text('id;kind\n1;"x, y"\n10;?\n2;z\n\n')
        table = CategoricalTable.from_csv(path, separator=";")
        assert table.categories == (("1", "10", "2"), ("x, y", "z"))
        assert table.codes.tolist() == [[0, 0], [1, -1], [2, 1]]

    def test_usecols_and_domains(self, tmp_path):
        path = tmp_path / "a.csv"
        path.write_text("a,b\n1,x\n2,y\n")
        table = CategoricalTable.from_csv(path, usecols=["b"], domains={"b": ["z", "y", "x"]})
        assert table.attributes == ("b",)
        assert table.codes.ravel().tolist() == [2, 1]

    @pytest.mark.parametrize(
        ("text", "usecols", "message"),
        [
            (None, None, r"a\.csv: no such file"),
            (b"a,b\n1,x\n2\n3,x\n", None, r"a\.csv, line 3: 1 cells.*names 2.*fix"),
            (b"a,b\n1,x\n2,y,z\n3,x\n", None, r"a\.csv, line 3: 3 cells.*names 2.*fix"),
            (b"a,b\n1,x\n", ["c"], r"a\.csv has no column 'c'; its columns: a, b"),
            (b"a,a\n1,x\n", None, r"a\.csv, line 1: the column name 'a' is empty or occurs twice"),
            (b"", None, r"a\.csv, line 1 is empty; the first line must name"),
            (b"a,b\n", None, r"a\.csv: the table has no rows"),
            (b"a,b\n\xff\xfe,x\n1,y\n", None, r"a\.csv"),
        ],
    )
    def test_errors(self, tmp_path, text, usecols, message):
        path = tmp_path / "a.csv"
        if text is not None:
            path.write_bytes(text)
        with pytest.raises(TableError, match=message):
            CategoricalTable.from_csv(path, usecols=usecols)


class TestFromCodes:
    def test_defaults(self):
        table = CategoricalTable.from_codes([[0, 2], [1, -1]])
        assert table.attributes == ("a0", "a1")
        assert table.categories == (("0", "1"), ("0", "1", "2"))

    @pytest.mark.parametrize(
        ("n_values", "dtype"), [(128, np.int8), (129, np.int16), (40_000, np.int32)]
    )
    def test_smallest_type(self, n_values, dtype):
        table = CategoricalTable.from_codes([[n_values - 1], [0]], [n_values])
        assert table.codes.dtype == dtype
        assert table.codes[0, 0] == n_values - 1

    @pytest.mark.parametrize(
        ("given", "message"),
        [
            *(
                (([[0], [code]], [2]), r"'a0': code .* outside its domain of 2")
                for code in (-2, 2, 128, 256, 300)
            ),
            (([[-1], [2]], [2]), "code 2 is outside its domain"),
            (([[0.0], [1.0]],), r"2-D array of integers, not 2-D float64"),
            (([0, 1],), "not 1-D"),
            (([[0], [2**40]],), r"code 1099511627776 would.*from_any"),
            ((np.zeros((0, 3), dtype=int),), "needs rows and columns"),
            (([[0], [1]], [3], [["x", "y"]]), "disagree"),
        ],
    )
    def test_errors(self, given, message):
        with pytest.raises(TableError, match=message):
            CategoricalTable.from_codes(*given)


CODES = np.zeros((2, 2), dtype=np.int8, order="F")

test_parts_must_fit = refused(
    TableError,
    lambda codes, domains, names: CategoricalTable(codes, domains, tuple(names)),
    [
        (CODES.astype(float), (("x",), ("y",)), "ab", "from_codes"),
        (np.zeros((3, 2), dtype=np.int8), (("x",), ("y",)), "ab", "Fortran-ordered"),
        (CODES, (("x",),), "ab", "1 domains and 2 attribute names"),
        (CODES, (("x",), ("y",)), "aa", "'a' occurs twice"),
        (CODES, (("x", "x"), ("y",)), "ab", "label occurs twice"),
    ],
)

HOLED = CategoricalTable.from_codes(
    [[0, 3], [2, -1], [2, 3], [0, 1], [0, 3]], [3, 4], attributes=["p", "q"]
)
test_attributes_that_are_not_there_are_refused = refused(
    MeasureError,
    HOLED.select,
    [(["r"], "no attribute is called 'r'"), ([2], "attribute 2 is out of range")],
)
test_missing_cells_that_cannot_be_treated_are_refused = refused_calls(
    TableError,
    [
        (lambda: HOLED.take([1]).drop_missing(), "every row has a missing cell"),
        (lambda: HOLED.missing_as_value("1"), "'q' already has a value '1'"),
        (
            lambda: CategoricalTable.from_codes([[-1], [-1]], [2]).fill_missing(),
            "'a0' has missing values only",
        ),
    ],
)


class TestMethods:
    @pytest.mark.parametrize("rows", [[99], [-99], [0.7], "1", [[1]], [np.nan], 1, [True, False]])
    def test_rows_that_do_not_exist_are_refused(self, rows):
        mixed = MixedTable.from_pandas(pd.DataFrame({"a": list("xyz"), "n": [1.0, 2, 3]}))
        for table in (HOLED, mixed):
            with pytest.raises(CouplingsError, match=r"there is no row|are neither whole numbers"):
                table.take(rows)

    def test_take_keeps_domains(self):
        assert HOLED.take([1, 3]).codes.tolist() == [[2, -1], [0, 1]]
        assert HOLED.take(HOLED.codes[:, 0] == 0).n_objects == 3
        assert HOLED.take([1]).categories == HOLED.categories

    def test_select(self):
        assert HOLED.select(["q"]).codes.ravel().tolist() == [3, -1, 3, 1, 3]
        assert HOLED.select([-1, 0]).attributes == ("q", "p")

    def test_observed(self):
        observed = HOLED.observed()
        assert observed.categories == (("0", "2"), ("1", "3"))
        assert observed.codes.tolist() == [[0, 1], [1, -1], [1, 1], [0, 0], [0, 1]]

    def test_drop_missing(self):
        assert HOLED.drop_missing().codes.tolist() == [[0, 3], [2, 3], [0, 1], [0, 3]]

    def test_missing_as_value(self):
        filled = HOLED.missing_as_value()
        assert filled.categories == (("0", "1", "2"), ("0", "1", "2", "3", "?"))
        assert filled.codes[1].tolist() == [2, 4]

    def test_fill_missing(self):
        assert HOLED.fill_missing().codes[1].tolist() == [2, 3]
        assert HOLED.codes[1, 1] == -1
        tied = CategoricalTable.from_codes([[2], [1], [-1]], [3])
        assert tied.fill_missing().codes[2, 0] == 1

    def test_distinct(self):
        rows, weights, inverse = HOLED.distinct()
        assert rows.codes.tolist() == [[0, 3], [2, -1], [2, 3], [0, 1]]
        assert weights.tolist() == [2, 1, 1, 1]
        assert inverse.tolist() == [0, 1, 2, 3, 0]

    def test_distinct_beyond_64_bits(self):
        rng = np.random.default_rng(0)
        rows = rng.integers(0, 100, (20, 40))
        picks = rng.integers(0, 20, 200)
        table = CategoricalTable.from_codes(rows[picks], [100] * 40)
        distinct, weights, inverse = table.distinct()
        assert distinct.n_objects == len(set(picks))
        assert weights.sum() == 200
        np.testing.assert_array_equal(distinct.take(inverse).codes, table.codes)


def arrow(labels):
    return pa.Table.from_pandas(labels, preserve_index=False)


class TestFrames:
    def test_a_table_is_returned_as_it_is(self, labels):
        table = CategoricalTable.from_pandas(labels)
        assert CategoricalTable.from_any(table) is table

    def test_a_table_is_recoded_to_other_domains(self, labels):
        table = CategoricalTable.from_pandas(labels)
        domains = {"colour": ["blue", "green", "red"]}
        same(
            CategoricalTable.from_any(table, domains), CategoricalTable.from_pandas(labels, domains)
        )
        absent = CategoricalTable.from_any(table, missing=["L"])
        assert absent.codes[:, 1].tolist() == [0, -1, 0, 0]

    @pytest.mark.parametrize(
        "form",
        [
            lambda t: t,
            lambda t: t.to_reader(max_chunksize=3),
            lambda t: t.to_batches()[0],
            lambda t: pa.concat_tables([t.slice(0, 1), t.slice(1)]),
            lambda t: type("Stream", (), {"__arrow_c_stream__": t.__arrow_c_stream__})(),
        ],
    )
    def test_arrow(self, labels, form):
        same(CategoricalTable.from_any(form(arrow(labels))), CategoricalTable.from_pandas(labels))

    def test_polars_eager_and_lazy(self, labels):
        pl = pytest.importorskip("polars")
        frame = pl.DataFrame(
            {"colour": COLOURS, "size": pl.Series(SIZES, dtype=pl.Enum(DECLARED)), "sold": SOLD}
        )
        expected = CategoricalTable.from_pandas(labels)
        same(CategoricalTable.from_any(frame), expected)
        same(CategoricalTable.from_any(frame.lazy()), expected)

    def test_a_polars_categorical_declares_nothing(self):
        pl = pytest.importorskip("polars")
        shared = pl.Series(["z", "q", "b", "a"], dtype=pl.Categorical)
        table = CategoricalTable.from_any(pl.DataFrame({"x": shared[1:], "y": shared[:3]}))
        assert table.categories == (("a", "b", "q"), ("b", "q", "z"))
        assert table.codes.tolist() == [[2, 2], [1, 1], [0, 0]]

    def test_a_duckdb_relation(self, labels):
        duckdb = pytest.importorskip("duckdb")
        rows = ", ".join(
            f"({'NULL' if c is None else repr(c)}, '{s}'::ENUM('S', 'M', 'L'), {b})"
            for c, s, b in zip(COLOURS, SIZES, SOLD, strict=True)
        )
        relation = duckdb.sql(f"SELECT * FROM (VALUES {rows}) AS t(colour, size, sold)")
        same(CategoricalTable.from_any(relation), CategoricalTable.from_pandas(labels))

    def test_random_strings_are_the_same_by_every_way(self):
        rng = np.random.default_rng(3)
        labels = np.array(["", "ä", "x y", None, "0", "00"], dtype=object)
        columns = {name: rng.choice(labels, 500).tolist() for name in "abc"}
        expected = CategoricalTable.from_pandas(pd.DataFrame(columns))
        same(CategoricalTable.from_any(pa.table(columns)), expected)
        encoded = pa.table({name: pa.array(c).dictionary_encode() for name, c in columns.items()})
        declared = CategoricalTable.from_any(
            encoded, dict(zip("abc", expected.categories, strict=True))
        )
        same(declared, expected)
        rows = CategoricalTable.from_any(list(map(list, zip(*columns.values(), strict=True))))
        np.testing.assert_array_equal(rows.codes, expected.codes)
        pl = pytest.importorskip("polars")
        same(CategoricalTable.from_any(pl.DataFrame(columns)), expected)


class Colour(enum.Enum):
    RED = 1
    BLUE = 2


@pytest.mark.parametrize(
    ("column", "domain", "codes"),
    [
        *(
            (pa.array(["b", "a", None], kind()), ("a", "b"), [1, 0, -1])
            for kind in (pa.string, pa.large_string, pa.string_view)
        ),
        # a dictionary is the domain; a null among its entries is missing
        (pa.DictionaryArray.from_arrays([1, None, 1], [*"zba"]), ("z", "b", "a"), [1, -1, 1]),
        (
            pa.DictionaryArray.from_arrays([0, 1, 2, None], pa.array(["b", None, "a"])),
            ("b", "a"),
            [0, -1, 1, -1],
        ),
        (pa.RunEndEncodedArray.from_arrays([2, 3], ["b", "a"]), ("a", "b"), [1, 1, 0]),
        (pa.array([3, 1, 3]).dictionary_encode(), ("3", "1"), [0, 1, 0]),
        (pa.array([10.0, 20.0]).dictionary_encode(), ("10", "20"), [0, 1]),
    ],
    ids=lambda one: str(one.type) if isinstance(one, pa.Array) else "",
)
def test_every_kind_of_arrow_column(column, domain, codes):
    table = CategoricalTable.from_any(pa.table({"x": column}))
    assert table.categories == (domain,)
    assert table.codes.ravel().tolist() == codes


def test_a_masked_cell_is_missing():
    mask = [[False, True], [True, False]]
    for cells in ([["x", "p"], ["y", "q"]], [[1, 2], [3, 4]], [[True, True], [False, False]]):
        table = CategoricalTable.from_any(np.ma.array(cells, mask=mask))
        assert table.codes.tolist() == [[0, -1], [-1, 0]]
        assert table.n_values.tolist() == [1, 1]


class Plain:
    def __init__(self, value):
        self.value = value

    def __str__(self):
        return "same"


@pytest.mark.parametrize(
    ("data", "categories", "codes"),
    [
        # integers are labels, sorted as text
        (np.array([[10, 2], [9, 2]], dtype=np.uint16), (("10", "9"), ("2",)), [[0, 0], [1, 0]]),
        (
            [["x", 3, True], (None, 1, False)],
            (("x",), ("1", "3"), ("False", "True")),
            [[0, 1, 1], [-1, 0, 0]],
        ),
        (
            pd.DataFrame(
                {"i": [10, 9, None], "e": [Colour.RED, Colour.BLUE, Colour.RED]}, dtype=object
            ),
            (("10", "9"), ("Colour.BLUE", "Colour.RED")),
            [[0, 1], [1, 0], [-1, 1]],
        ),
    ],
    ids=["integers", "rows", "objects"],
)
def test_cells_are_labels(data, categories, codes):
    table = CategoricalTable.from_any(data)
    assert table.categories == categories
    assert table.codes.tolist() == codes


def test_united_domains_do_not_depend_on_the_order():
    parts = [("b", "a"), ("a", "b"), ("b", "a"), ("c",)]
    assert united(parts[:1] * 3) == ("b", "a")
    rng = np.random.default_rng(0)
    for _ in range(50):
        rng.shuffle(parts)
        cut = rng.integers(1, 4)
        nested = united([united(parts[:cut]), united(parts[cut:])])
        assert nested == united(parts) == ("a", "b", "c")


def test_whole_floats_are_the_labels_of_integers():
    frame = pd.DataFrame({"z": [10.0, 20.5, np.nan]}).astype("category")
    assert CategoricalTable.from_any(frame).categories == (("10", "20.5"),)
    domains = {"z": np.float32([10, 20.5])}
    assert CategoricalTable.from_any(frame, domains).categories == (("10", "20.5"),)


def test_numbers_and_names_of_rows_are_taken_as_categories_with_a_warning():
    frame = pd.DataFrame({"n": [str(i * i) for i in range(12)], "of": [f"a{i}" for i in range(12)]})
    with pytest.warns(UserWarning, match="'n': every number is a category.*prepare_table"):
        CategoricalTable.from_any(frame)
    with pytest.warns(UserWarning, match="'of': names of rows.*leave them out"):
        SimpleMatching().fit(frame)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        CategoricalTable.from_any(frame.astype("category"))
        CategoricalTable.from_any(frame[:10])


COLUMNS = {
    "arrow": [
        (pa.array([1, 2]), r"'x' is numeric \(int64\).*cast the column to text"),
        (pa.array([1.0, 2.0]), "is numeric"),
        (pa.array([decimal.Decimal(1)] * 2), "is numeric"),
        (pa.array([[1], [2]]), "is nested"),
        (pa.array([{"a": 1}] * 2), "is nested"),
        (pa.array([b"x", b"y"]), "is binary"),
        (pa.array([b"x", b"y"], pa.binary(1)), "is binary"),
        (pa.array([b"x", b"y"]).dictionary_encode(), "is binary"),
        (pa.array([datetime.date(2000, 1, 1)] * 2), "holds dates or times"),
        (pa.array([datetime.timedelta(1)] * 2), "holds dates or times"),
        (pa.array([None, None]), "missing values only"),
        (pa.RunEndEncodedArray.from_arrays([2], [7]), "is numeric"),
    ],
    "pandas": [
        (pd.Series(pd.to_datetime(["2000-01-01"] * 2)), "holds dates or times"),
        (pd.Series(pd.to_timedelta([1, 2])), "holds dates or times"),
        (pd.Series(pd.period_range("2000", periods=2)), "holds dates or times"),
        (pd.Series([[1], [2]], dtype=pd.ArrowDtype(pa.list_(pa.int64()))), "is nested"),
        (pd.Series([1, 2], dtype="Int64"), "is numeric"),
        (pd.Series(pd.Categorical([b"x", b"y"])), "is binary"),
    ],
    "objects": [
        ([1.5, 2.0, None], r"'x' is numeric \(.*float.* objects\).*discretize"),
        ([1, 2.5], "is numeric"),
        ([decimal.Decimal(1), decimal.Decimal(2)], "is numeric"),
        ([1, "1"], r"mixes cells of different types \(int, str\): 1 and '1'"),
        ([True, "True"], "mixes cells"),
        ([1, True], "mixes cells"),
        ([b"x", b"y"], "is binary"),
        ([["a"], ["b"]], r"is nested \(list\)"),
        ([{"a": 1}, {"a": 2}], r"is nested \(dict\)"),
        ([("a", 1), ("b", 2)], r"is nested \(tuple\)"),
        ([datetime.date(2000, 1, 1), None], "holds dates or times"),
        ([datetime.datetime(2000, 1, 1), None], "holds dates or times"),
        ([Plain(1), Plain(2)], "different values have the same text 'same'"),
    ],
}
"""Columns without labels, by the library that holds them."""
HELD = {
    "arrow": lambda column: pa.table({"x": column}),
    "pandas": lambda column: pd.DataFrame({"x": column}),
    "objects": lambda cells: pd.DataFrame({"x": pd.Series(cells, dtype=object)}),
}
test_a_column_without_labels_is_named_with_its_type = refused(
    TableError,
    lambda held, column: CategoricalTable.from_any(HELD[held](column)),
    [(held, *case) for held, cases in COLUMNS.items() for case in cases],
)
test_other_data = refused(
    TableError,
    CategoricalTable.from_any,
    [
        *[
            ([["x", "y"], ["x"]], "row 1 has 1 cells, the rows before it have 2"),
            (["xy", "xz"], "row 0 is a str; a row is a list"),
            ([{"a": "x"}], r"row 0 is a dict.*pandas\.DataFrame"),
            ([], "no columns"),
            ([[]], "no columns"),
        ],
        *((one, f"{type(one).__name__} is not a table; pass") for one in (None, "table.csv")),
        *((data, "is not a table; pass .* a list of rows") for data in (3, "a", {})),
        (pa.chunked_array([["a"]]), "Arrow stream of this ChunkedArray is not a table"),
        (pa.table([["a"], ["b"]], names=["x", "x"]), "'x' occurs twice"),
        (np.array([[0, 0], [0, -1]]), r"'a1', row 1: -1 could be .*from_codes"),
        (np.array(["x"]), "two dimensions"),
        (np.zeros((2, 2, 2), dtype=int), "two dimensions"),
        (np.zeros(3, dtype=[("x", "U1")]), "named fields"),
        (np.zeros((2, 1), dtype="S1"), "'a0'.*binary"),
        (np.zeros((2, 1), dtype="M8[D]"), "'a0'.*dates"),
        (np.zeros((2, 1)), "'a0'.*numeric"),
    ],
)
