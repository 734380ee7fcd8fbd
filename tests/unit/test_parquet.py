"""Tables and counts out of Parquet files, folders and patterns."""

import os

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from kit import assert_same_counts, assert_same_table

from couplings import CategoricalTable, TableError, cooccurrence, reading
from couplings.counts import CountAccumulator
from couplings.large import count_parquet
from couplings.large import data as counting
from couplings.parquet import ParquetFiles


def frame(seed, n=1000):
    rng = np.random.default_rng(seed)
    pool = np.array(["b", "a", "zz", "", "é"])
    df = pd.DataFrame({f"c{j}": rng.choice(pool, n, p=[0.5, 0.3, 0.1, 0.09, 0.01]) for j in "xyz"})
    df["size"] = pd.Categorical(rng.choice(["S", "L"], n), categories=["S", "M", "L"])
    df["sold"] = rng.random(n) < 0.5
    return df


@pytest.fixture
def folder(tmp_path):
    """Three files of 400, 350 and 250 rows in row groups of 100."""
    df = frame(0)
    for name, rows in (("b", slice(400, 750)), ("a", slice(0, 400)), ("c", slice(750, 1000))):
        df.iloc[rows].to_parquet(tmp_path / f"{name}.parquet", row_group_size=100)
    (tmp_path / "_SUCCESS").write_text("")
    (tmp_path / ".hidden.parquet").write_text("")
    (tmp_path / "_temporary").mkdir()
    (tmp_path / "_temporary/part.parquet").write_text("")
    return tmp_path, df


@pytest.mark.parametrize(
    "form",
    [
        lambda p: p,
        lambda p: p / "*.parquet",
        lambda p: f"{p}/?.parquet",
        lambda p: [p / "a.parquet", p / "b.parquet", p / "c.parquet"],
    ],
)
def test_folder_pattern_and_list_are_one_table(folder, form):
    path, df = folder
    expected = CategoricalTable.from_pandas(df)
    assert_same_table(CategoricalTable.from_parquet(form(path)), expected)
    assert_same_counts(count_parquet(form(path)), cooccurrence(expected))


@pytest.mark.parametrize("batch_rows", [33, 99, 100, 10_000])
def test_batches_of_any_length(folder, batch_rows):
    path, df = folder
    files = ParquetFiles.open(path)
    assert files.n_rows == 1000
    counts = counting.count_files(files, CountAccumulator(), batch_rows=batch_rows)
    assert_same_counts(counts, cooccurrence(CategoricalTable.from_pandas(df)))
    parts = [CategoricalTable(*reading.encode(one, {}, ())) for _, one in files.batches(batch_rows)]
    labels = pd.concat([table.to_pandas().astype(str) for table in parts], ignore_index=True)
    expected = df.astype(str).reset_index(drop=True)
    pd.testing.assert_frame_equal(labels.astype(object), expected.astype(object))


def test_a_subset_of_columns_domains_and_missing_labels(folder):
    path, df = folder
    domains = {"cx": ["zz", "é", "b", "", "q"]}
    options = {"domains": domains, "missing": ["a"]}
    names = ["size", "cx"]
    expected = CategoricalTable.from_pandas(df[names], domains, ["a"])
    assert_same_table(CategoricalTable.from_parquet(path, usecols=names, **options), expected)
    counts = count_parquet(path, usecols=names, incomplete="drop", **options)
    assert_same_counts(counts, cooccurrence(expected.drop_missing()))


def test_a_stored_pandas_index_is_no_attribute(tmp_path):
    df = frame(2, 20).set_index(pd.Index(range(5, 25), name="id"))
    df.to_parquet(tmp_path / "a.parquet")
    assert "id" not in CategoricalTable.from_parquet(tmp_path / "a.parquet").attributes


def test_dictionaries_that_differ_between_files_are_united(tmp_path):
    for name, labels in (("a", ["z", "b"]), ("b", ["b", "a"])):
        column = pa.DictionaryArray.from_arrays([0, 1, 1], labels)
        pq.write_table(pa.table({"x": column}), tmp_path / f"{name}.parquet")
    table = CategoricalTable.from_parquet(tmp_path)
    assert table.categories == (("a", "b", "z"),)
    assert table.codes.ravel().tolist() == [2, 1, 1, 1, 0, 0]


class TestErrors:
    def test_nothing_there(self, tmp_path):
        for path in (tmp_path / "a.parquet", tmp_path / "*.parquet", tmp_path):
            with pytest.raises(TableError, match="no such file, and no folder or pattern"):
                CategoricalTable.from_parquet(path)

    @pytest.mark.parametrize("read", [CategoricalTable.from_parquet, count_parquet])
    @pytest.mark.parametrize(
        ("change", "options", "message"),
        [
            (None, {}, r"d\.parquet: cannot be read as Parquet"),
            (lambda df: df.drop(columns="cy"), {}, r"d\.parquet has no column 'cy'"),
            (lambda df: df.assign(cy=1.5), {}, r"d\.parquet: column 'cy' is numeric \(double\)"),
            (lambda df: df, {"usecols": ["price"]}, "no column 'price'"),
            (lambda df: df, {"domains": {"price": ["1"]}}, "no column 'price'"),
        ],
    )
    def test_files_that_do_not_fit(self, folder, read, change, options, message):
        path, df = folder
        if change is None:
            (path / "d.parquet").write_text("a,b\n")
        else:
            change(df).to_parquet(path / "d.parquet")
        with pytest.raises(TableError, match=message):
            read(path, **options)

    def test_a_folder_that_holds_a_column_is_refused(self, folder):
        path, _ = folder
        (path / "year=2024").mkdir()
        (path / "a.parquet").rename(path / "year=2024/a.parquet")
        with pytest.raises(TableError, match="its folder holds a column that is not in the file"):
            CategoricalTable.from_parquet(path)
        CategoricalTable.from_parquet(f"{path}/year*/*.parquet")

    def test_a_value_outside_the_domain_is_named_with_its_row(self, folder):
        path, _ = folder
        # The first batch is file a; rows are counted from where the batch begins.
        domains = {"cx": ["a", "b", "zz", ""]}
        with pytest.raises(TableError, match=r"from row 0: column 'cx', row \d+: value 'é'"):
            CategoricalTable.from_parquet(path, domains=domains)

    def test_no_rows(self, tmp_path):
        frame(3, 10).iloc[:0].to_parquet(tmp_path / "a.parquet")
        with pytest.raises(TableError, match="no rows"):
            CategoricalTable.from_parquet(tmp_path / "a.parquet")
        with pytest.raises(TableError, match="no objects to count"):
            count_parquet(tmp_path / "a.parquet")


class Interrupted(Exception):
    pass


class TestState:
    @pytest.fixture
    def interrupted(self, folder, monkeypatch):
        """A count of 50 rows at a time that was stopped in the 13th batch."""
        path, df = folder
        monkeypatch.setattr(counting, "SECONDS_BETWEEN_STATES", 0.0)
        state = path / "count.state"
        total = CountAccumulator()
        add, seen = total.add_columns, []

        def stop(columns, place):
            seen.append(place)
            if len(seen) == 13:
                raise Interrupted
            return add(columns, place)

        monkeypatch.setattr(total, "add_columns", stop)
        with pytest.raises(Interrupted):
            counting.count_files(ParquetFiles.open(path), total, False, state, 50)
        return path, df, state

    def test_goes_on_where_it_was(self, interrupted):
        path, df, state = interrupted
        total = CountAccumulator()
        add, seen = total.add_columns, []
        total.add_columns = lambda columns, place: (seen.append(place), add(columns, place))
        counts = counting.count_files(ParquetFiles.open(path), total, False, state, 50)
        assert len(seen) == 20 - 12
        assert_same_counts(counts, cooccurrence(CategoricalTable.from_pandas(df)))
        assert not state.exists()

    def test_other_data_or_parameters_are_refused(self, interrupted):
        path, _, state = interrupted
        files = ParquetFiles.open(path)
        with pytest.raises(TableError, match=r"count\.state: the state of a count of other data"):
            counting.count_files(files, CountAccumulator(missing=["a"]), False, state, 50)
        os.utime(path / "a.parquet", (0, 0))
        with pytest.raises(TableError, match="of other data"):
            counting.count_files(files, CountAccumulator(), False, state, 50)

    def test_a_damaged_state(self, interrupted):
        path, _, state = interrupted
        state.write_bytes(state.read_bytes()[:-20])
        with pytest.raises(TableError, match=r"count\.state: is truncated"):
            counting.count_files(ParquetFiles.open(path), CountAccumulator(), False, state, 50)

    def test_a_progress_bar(self, folder, capsys):
        count_parquet(folder[0], progress=True)
        assert "counting: 100%" in capsys.readouterr().err
