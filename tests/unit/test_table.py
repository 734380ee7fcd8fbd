import numpy as np
import pandas as pd
import pytest

from couplings import CategoricalTable, MeasureError, TableError


@pytest.fixture
def df():
    return pd.DataFrame(
        {
            "colour": ["red", "blue", None, "red"],
            "size": pd.Categorical(["S", "L", "S", "S"], categories=["S", "M", "L"]),
            "sold": [True, False, True, True],
        }
    )


class TestFromPandas:
    def test_codes_and_domains(self, df):
        table = CategoricalTable.from_pandas(df)
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

    def test_numeric_column(self, df):
        df["price"] = [1.5, 2.0, 3.0, 4.0]
        with pytest.raises(TableError, match=r"'price' is numeric.*discretize.*astype"):
            CategoricalTable.from_pandas(df)
        df["price"] = df["price"].astype("category")
        assert CategoricalTable.from_pandas(df).categories[3] == ("1.5", "2", "3", "4")

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
    def test_errors(self, df, change, domains, message):
        with pytest.raises(TableError, match=message):
            CategoricalTable.from_pandas(change(df), domains=domains)


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
            (b"a,a\n1,x\n", None, r"a\.csv, line 1: a column is called 'a'.*another one's name"),
            (b"", None, r"a\.csv, line 1: a column is called '', which is empty"),
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
            (([[0.0], [1.0]],), r"2-D array of integers, not 2-D float64"),
            (([0, 1],), "not 1-D"),
            (([[0], [2**40]],), r"largest code .* is 1099511627776.*from_any"),
            ((np.zeros((0, 3), dtype=int),), "needs objects and attributes"),
            (([[0], [1]], [3], [["x", "y"]]), "disagree"),
        ],
    )
    def test_errors(self, given, message):
        with pytest.raises(TableError, match=message):
            CategoricalTable.from_codes(*given)


CODES = np.zeros((2, 2), dtype=np.int8, order="F")


@pytest.mark.parametrize(
    ("codes", "domains", "names", "message"),
    [
        (CODES.astype(float), (("x",), ("y",)), "ab", "from_codes"),
        (np.zeros((3, 2), dtype=np.int8), (("x",), ("y",)), "ab", "Fortran-ordered"),
        (CODES, (("x",),), "ab", "1 domains and 2 attribute names"),
        (CODES, (("x",), ("y",)), "aa", "'a' occurs twice"),
        (CODES, (("x", "x"), ("y",)), "ab", "label occurs twice"),
    ],
)
def test_parts_must_fit(codes, domains, names, message):
    with pytest.raises(TableError, match=message):
        CategoricalTable(codes, domains, tuple(names))


class TestMethods:
    @pytest.fixture
    def table(self):
        return CategoricalTable.from_codes(
            [[0, 3], [2, -1], [2, 3], [0, 1], [0, 3]], [3, 4], attributes=["p", "q"]
        )

    def test_take_keeps_domains(self, table):
        assert table.take([1, 3]).codes.tolist() == [[2, -1], [0, 1]]
        assert table.take(table.codes[:, 0] == 0).n_objects == 3
        assert table.take([1]).categories == table.categories

    def test_select(self, table):
        assert table.select(["q"]).codes.ravel().tolist() == [3, -1, 3, 1, 3]
        assert table.select([-1, 0]).attributes == ("q", "p")
        with pytest.raises(MeasureError, match="no attribute is called 'r'"):
            table.select(["r"])
        with pytest.raises(MeasureError, match="attribute 2 is out of range"):
            table.select([2])

    def test_observed(self, table):
        observed = table.observed()
        assert observed.categories == (("0", "2"), ("1", "3"))
        assert observed.codes.tolist() == [[0, 1], [1, -1], [1, 1], [0, 0], [0, 1]]

    def test_drop_missing(self, table):
        assert table.drop_missing().codes.tolist() == [[0, 3], [2, 3], [0, 1], [0, 3]]
        with pytest.raises(TableError, match="every row has a missing cell"):
            table.take([1]).drop_missing()

    def test_missing_as_value(self, table):
        filled = table.missing_as_value()
        assert filled.categories == (("0", "1", "2"), ("0", "1", "2", "3", "?"))
        assert filled.codes[1].tolist() == [2, 4]
        with pytest.raises(TableError, match="'q' already has a value '1'"):
            table.missing_as_value("1")

    def test_fill_missing(self, table):
        assert table.fill_missing().codes[1].tolist() == [2, 3]
        assert table.codes[1, 1] == -1
        tied = CategoricalTable.from_codes([[2], [1], [-1]], [3])
        assert tied.fill_missing().codes[2, 0] == 1
        with pytest.raises(TableError, match="'a0' has missing values only"):
            CategoricalTable.from_codes([[-1], [-1]], [2]).fill_missing()

    def test_distinct(self, table):
        rows, weights, inverse = table.distinct()
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
