"""`CategoricalTable.from_any`: one table, whatever holds the labels."""

import datetime
import decimal
import enum
import random
import warnings

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest

from couplings import CategoricalTable, SimpleMatching, TableError
from couplings.reading import united

COLOURS = ["red", "blue", None, "red"]
SIZES = ["S", "L", "S", "S"]
SOLD = [True, False, True, True]
DECLARED = ["S", "M", "L"]


@pytest.fixture
def df():
    return pd.DataFrame(
        {"colour": COLOURS, "size": pd.Categorical(SIZES, categories=DECLARED), "sold": SOLD}
    )


def same(table, other):
    np.testing.assert_array_equal(table.codes, other.codes)
    assert table.codes.dtype == other.codes.dtype
    assert table.categories == other.categories
    assert table.attributes == other.attributes


def arrow(df):
    return pa.Table.from_pandas(df, preserve_index=False)


class TestFrames:
    def test_a_table_is_returned_as_it_is(self, df):
        table = CategoricalTable.from_pandas(df)
        assert CategoricalTable.from_any(table) is table

    def test_a_table_is_recoded_to_other_domains(self, df):
        table = CategoricalTable.from_pandas(df)
        domains = {"colour": ["blue", "green", "red"]}
        same(CategoricalTable.from_any(table, domains), CategoricalTable.from_pandas(df, domains))
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
    def test_arrow(self, df, form):
        same(CategoricalTable.from_any(form(arrow(df))), CategoricalTable.from_pandas(df))

    @pytest.mark.parametrize("kind", ["string", "large_string", "string_view"])
    def test_every_kind_of_arrow_text(self, kind):
        column = pa.array(["b", "a", None], getattr(pa, kind)())
        table = CategoricalTable.from_any(pa.table({"x": column}))
        assert table.categories == (("a", "b"),)
        assert table.codes.ravel().tolist() == [1, 0, -1]

    def test_polars_eager_and_lazy(self, df):
        pl = pytest.importorskip("polars")
        frame = pl.DataFrame(
            {"colour": COLOURS, "size": pl.Series(SIZES, dtype=pl.Enum(DECLARED)), "sold": SOLD}
        )
        expected = CategoricalTable.from_pandas(df)
        same(CategoricalTable.from_any(frame), expected)
        same(CategoricalTable.from_any(frame.lazy()), expected)

    def test_a_polars_categorical_declares_nothing(self):
        pl = pytest.importorskip("polars")
        shared = pl.Series(["z", "q", "b", "a"], dtype=pl.Categorical)
        table = CategoricalTable.from_any(pl.DataFrame({"x": shared[1:], "y": shared[:3]}))
        assert table.categories == (("a", "b", "q"), ("b", "q", "z"))
        assert table.codes.tolist() == [[2, 2], [1, 1], [0, 0]]

    def test_a_duckdb_relation(self, df):
        duckdb = pytest.importorskip("duckdb")
        rows = ", ".join(
            f"({'NULL' if c is None else repr(c)}, '{s}'::ENUM('S', 'M', 'L'), {b})"
            for c, s, b in zip(COLOURS, SIZES, SOLD, strict=True)
        )
        relation = duckdb.sql(f"SELECT * FROM (VALUES {rows}) AS t(colour, size, sold)")
        same(CategoricalTable.from_any(relation), CategoricalTable.from_pandas(df))

    def test_random_strings_are_the_same_by_every_way(self):
        rng = random.Random(3)
        columns = {
            name: [rng.choice(["", "ä", "x y", None, "0", "00"]) for _ in range(500)]
            for name in "abc"
        }
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


class TestDictionaries:
    def test_the_dictionary_is_the_domain(self):
        column = pa.DictionaryArray.from_arrays([1, None, 1], ["z", "b", "a"])
        table = CategoricalTable.from_any(pa.table({"x": column}))
        assert table.categories == (("z", "b", "a"),)
        assert table.codes.ravel().tolist() == [1, -1, 1]

    def test_a_null_among_the_entries_is_missing(self):
        column = pa.DictionaryArray.from_arrays([0, 1, 2, None], pa.array(["b", None, "a"]))
        table = CategoricalTable.from_any(pa.table({"x": column}))
        assert table.categories == (("b", "a"),)
        assert table.codes.ravel().tolist() == [0, -1, 1, -1]

    def test_run_ends_are_decoded(self):
        column = pa.RunEndEncodedArray.from_arrays([2, 3], ["b", "a"])
        table = CategoricalTable.from_any(pa.table({"x": column}))
        assert table.codes.ravel().tolist() == [1, 1, 0]

    def test_numbers_in_a_dictionary_are_labels(self):
        column = pa.array([3, 1, 3]).dictionary_encode()
        assert CategoricalTable.from_any(pa.table({"x": column})).categories == (("3", "1"),)


class TestArrays:
    def test_integers_are_labels_sorted_as_text(self):
        table = CategoricalTable.from_any(np.array([[10, 2], [9, 2]], dtype=np.uint16))
        assert table.categories == (("10", "9"), ("2",))
        assert table.codes.tolist() == [[0, 0], [1, 0]]

    def test_a_masked_cell_is_missing(self):
        mask = [[False, True], [True, False]]
        for cells in ([["x", "p"], ["y", "q"]], [[1, 2], [3, 4]], [[True, True], [False, False]]):
            table = CategoricalTable.from_any(np.ma.array(cells, mask=mask))
            assert table.codes.tolist() == [[0, -1], [-1, 0]]
            assert table.n_values.tolist() == [1, 1]


class TestRows:
    def test_labels_of_each_type(self):
        table = CategoricalTable.from_any([["x", 3, True], (None, 1, False)])
        assert table.categories == (("x",), ("1", "3"), ("False", "True"))
        assert table.codes.tolist() == [[0, 1, 1], [-1, 0, 0]]

    def test_a_lone_surrogate_is_a_label(self):
        assert CategoricalTable.from_any([["\ud800"], ["a"]]).n_values.tolist() == [2]

    @pytest.mark.parametrize(
        ("rows", "message"),
        [
            ([["x", "y"], ["x"]], "row 1 has 1 cells, the rows before it have 2"),
            (["xy", "xz"], "row 0 is a str; a row is a list"),
            ([{"a": "x"}], r"row 0 is a dict.*pandas\.DataFrame"),
            ([], "no columns"),
            ([[]], "no columns"),
        ],
    )
    def test_bad_rows(self, rows, message):
        with pytest.raises(TableError, match=message):
            CategoricalTable.from_any(rows)


class Colour(enum.Enum):
    RED = 1
    BLUE = 2


class Plain:
    def __init__(self, value):
        self.value = value

    def __str__(self):
        return "same"


class TestObjectColumns:
    @pytest.mark.parametrize(
        ("cells", "message"),
        [
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
    )
    def test_cells_that_are_no_labels(self, cells, message):
        df = pd.DataFrame({"x": pd.Series(cells, dtype=object)})
        with pytest.raises(TableError, match=message):
            CategoricalTable.from_any(df)

    def test_integers_and_other_objects_of_one_type(self):
        df = pd.DataFrame(
            {
                "i": pd.Series([10, 9, None], dtype=object),
                "e": pd.Series([Colour.RED, Colour.BLUE, Colour.RED], dtype=object),
            }
        )
        table = CategoricalTable.from_any(df)
        assert table.categories == (("10", "9"), ("Colour.BLUE", "Colour.RED"))
        assert table.codes.tolist() == [[0, 1], [1, 0], [-1, 1]]


@pytest.mark.parametrize(
    ("column", "message"),
    [
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
)
def test_an_arrow_column_without_labels_is_named_with_its_type(column, message):
    with pytest.raises(TableError, match=message):
        CategoricalTable.from_any(pa.table({"x": column}))


@pytest.mark.parametrize(
    ("column", "message"),
    [
        (pd.Series(pd.to_datetime(["2000-01-01"] * 2)), "holds dates or times"),
        (pd.Series(pd.to_timedelta([1, 2])), "holds dates or times"),
        (pd.Series(pd.period_range("2000", periods=2)), "holds dates or times"),
        (pd.Series([[1], [2]], dtype=pd.ArrowDtype(pa.list_(pa.int64()))), "is nested"),
        (pd.Series([1, 2], dtype="Int64"), "is numeric"),
        (pd.Series(pd.Categorical([b"x", b"y"])), "is binary"),
    ],
)
def test_a_pandas_column_without_labels_is_named_with_its_type(column, message):
    with pytest.raises(TableError, match=rf"'x' {message}"):
        CategoricalTable.from_any(pd.DataFrame({"x": column}))


@pytest.mark.parametrize(
    ("data", "message"),
    [
        *((data, r"a table is read from .* a list of rows; not from") for data in (3, "a", {})),
        (pa.chunked_array([["a"]]), "Arrow stream of this ChunkedArray is no table"),
        (pa.table([["a"], ["b"]], names=["x", "x"]), "'x' occurs twice"),
        (np.array([[0, 0], [0, -1]]), r"'a1', row 1: -1 could be .*from_codes"),
        (np.array(["x"]), "two dimensions"),
        (np.zeros((2, 2, 2), dtype=int), "two dimensions"),
        (np.zeros(3, dtype=[("x", "U1")]), "of records"),
        (np.zeros((2, 1), dtype="S1"), "'a0'.*binary"),
        (np.zeros((2, 1), dtype="M8[D]"), "'a0'.*dates"),
        (np.zeros((2, 1)), "'a0'.*numeric"),
    ],
)
def test_other_data(data, message):
    with pytest.raises(TableError, match=message):
        CategoricalTable.from_any(data)


def test_united_domains_do_not_depend_on_the_order():
    parts = [("b", "a"), ("a", "b"), ("b", "a"), ("c",)]
    assert united(parts[:1] * 3) == ("b", "a")
    rng = random.Random(0)
    for _ in range(50):
        rng.shuffle(parts)
        cut = rng.randint(1, 3)
        nested = united([united(parts[:cut]), united(parts[cut:])])
        assert nested == united(parts) == ("a", "b", "c")


def test_whole_floats_are_the_labels_of_integers():
    frame = pd.DataFrame({"z": [10.0, 20.5, np.nan]}).astype("category")
    assert CategoricalTable.from_any(frame).categories == (("10", "20.5"),)
    arrow = pa.table({"z": pa.array([10.0, 20.0]).dictionary_encode()})
    assert CategoricalTable.from_any(arrow).categories == (("10", "20"),)
    assert CategoricalTable.from_any(frame, {"z": [10, 20.5]}).categories == (("10", "20.5"),)


def test_numbers_and_names_of_rows_are_taken_as_categories_with_a_warning():
    frame = pd.DataFrame({"n": [str(i * i) for i in range(12)], "of": [f"a{i}" for i in range(12)]})
    with pytest.warns(UserWarning, match="'n': numbers.*prepare_table"):
        CategoricalTable.from_any(frame)
    with pytest.warns(UserWarning, match="'of': names of rows.*leave them out"):
        SimpleMatching().fit(frame)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        CategoricalTable.from_any(frame.astype("category"))
        CategoricalTable.from_any(frame[:10])


@pytest.mark.parametrize("data", [None, "table.csv", {"a": ["x", "y"]}])
def test_what_is_no_table_is_refused_with_what_is(data):
    with pytest.raises(TableError, match=f"list of rows; not from {type(data).__name__}"):
        SimpleMatching().fit(data)
