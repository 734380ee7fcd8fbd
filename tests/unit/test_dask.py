"""Dask: a cluster of two worker processes finds what one process finds."""

import os

import numpy as np
import pandas as pd
import pytest
from test_large_kmodes import clustered

dask = pytest.importorskip("dask", reason="needs the extra couplings[dask]")
dd = pytest.importorskip("dask.dataframe", reason="needs the extra couplings[dask]")
distributed = pytest.importorskip("distributed", reason="needs the extra couplings[dask]")

from couplings import (  # noqa: E402
    AhmadDey,
    CategoricalTable,
    DilcaM,
    TableError,
    Ward,
    adjusted_rand,
    cooccurrence,
)
from couplings.cluster.kmodes import kmodes, random_starts  # noqa: E402
from couplings.large import BatchKModes, BatchSpectral, DaskTable, LargeTable, SampleAndAssign  # noqa: E402


@pytest.fixture(scope="module")
def cluster():
    options = {
        "n_workers": 2,
        "threads_per_worker": 2,
        "processes": True,
        "dashboard_address": ":0",
    }
    with distributed.LocalCluster(**options) as workers, distributed.Client(workers) as client:
        yield client


@pytest.fixture
def frame(cluster):
    df = clustered(1, n=1000, purity=0.4)
    df["rare"] = np.where(np.arange(1000) == 937, "once", "often")
    return df, dd.from_pandas(df, npartitions=13)


def test_counts_are_identical(frame):
    df, parts = frame
    counts = DaskTable(parts).counts()
    expected = cooccurrence(CategoricalTable.from_any(df))
    np.testing.assert_array_equal(counts.matrix, expected.matrix)
    assert counts.categories == expected.categories
    assert counts.attributes == expected.attributes


def test_kmodes_labels_are_equal(frame):
    df, parts = frame
    table = CategoricalTable.from_any(df)
    matrices = DilcaM().fit(table).value_matrices_
    runs = kmodes(table, matrices, random_starts(1000, 4, 3, 5))
    data = DaskTable(parts)
    model = BatchKModes(4, n_init=3, random_state=5)
    labels = model.fit_predict(data, DilcaM().fit(data.counts()))
    assert isinstance(labels, dd.Series)
    assert labels.npartitions == parts.npartitions
    found = labels.compute()
    pd.testing.assert_index_equal(found.index, df.index)
    best = int(np.argmin(runs.objective))
    np.testing.assert_array_equal(found, runs.labels[best])
    np.testing.assert_array_equal(model.predict(data).compute(), model.predict(df))


@pytest.fixture
def stored(frame, tmp_path):
    """Five Parquet files, one of them without rows."""
    df, _ = frame
    for i, part in enumerate((df[:400], df[400:401], df[401:401], df[401:800], df[800:])):
        part.to_parquet(tmp_path / f"{i}.parquet", index=False)
    return df, tmp_path


@pytest.mark.parametrize("empty", [True, False])
def test_files_are_read_by_the_workers(stored, empty):
    df, path = stored
    if not empty:
        (path / "2.parquet").unlink()
    data, local = DaskTable.from_parquet(path), LargeTable.from_parquet(path)
    counts = data.counts()
    np.testing.assert_array_equal(counts.matrix, local.counts().matrix)
    assert counts.attributes == local.attributes
    ours, theirs = (BatchKModes(4, n_init=3, random_state=5) for _ in range(2))
    labels = ours.fit_predict(data, DilcaM().fit(counts)).compute()
    np.testing.assert_array_equal(labels, theirs.fit_predict(local, DilcaM().fit(counts)))
    assert labels.index.tolist() == list(range(len(df)))
    np.testing.assert_array_equal(ours.modes_, theirs.modes_)
    model = SampleAndAssign(Ward(3), AhmadDey().fit(counts), sample=200).fit(data)
    np.testing.assert_array_equal(model.predict(data).compute(), model.predict(df))


def test_a_choice_of_columns_and_what_files_lack(stored):
    _, path = stored
    data = DaskTable.from_parquet(path, usecols=["a1", "rare"])
    assert data.counts().attributes == ("a1", "rare")
    assert data.fingerprint() == DaskTable.from_parquet(path).fingerprint()
    with pytest.raises(TableError, match="has no column 'b'"):
        DaskTable.from_parquet(path, domains={"b": ["x"]})


def test_empty_partitions_and_missing_cells(cluster):
    df = clustered(2, n=300).mask(np.random.default_rng(0).random((300, 6)) < 0.05)
    parts = dd.concat([dd.from_pandas(df, npartitions=4), dd.from_pandas(df.iloc[:5])])
    parts = parts[parts.a0 != "v1"]
    data = DaskTable(parts, incomplete="value")
    local = LargeTable.from_batches([parts.compute()], incomplete="value")
    np.testing.assert_array_equal(data.counts().matrix, local.counts().matrix)
    assert data.categories == local.categories
    model = BatchKModes(3, random_state=0)
    labels = model.fit_predict(data, DilcaM().fit(data.counts())).compute()
    again = BatchKModes(3, random_state=0)
    np.testing.assert_array_equal(labels, again.fit_predict(local, DilcaM().fit(local.counts())))


def test_empty_clusters_are_filled_as_in_memory(cluster):
    df = clustered(3, n=80, m=3, values=2, purity=0.5)
    data, local = DaskTable(dd.from_pandas(df, npartitions=7)), LargeTable.from_batches([df])
    matrices = AhmadDey().fit(local.counts())
    for seed in range(4):
        ours, theirs = (BatchKModes(7, random_state=seed) for _ in range(2))
        np.testing.assert_array_equal(
            ours.fit_predict(data, matrices).compute(), theirs.fit_predict(local, matrices)
        )


def test_spectral_and_samples(frame):
    df, parts = frame
    data, local = DaskTable(parts), LargeTable.from_batches([df])
    fitted = AhmadDey().fit(data.counts())
    ours = BatchSpectral(3).fit(data, fitted)
    theirs = BatchSpectral(3).fit(local, fitted)
    np.testing.assert_allclose(ours.eigenvalues_, theirs.eigenvalues_, rtol=1e-9)
    assert adjusted_rand(ours.predict(data).compute(), theirs.predict(local)) == 1
    model = SampleAndAssign(Ward(3), fitted, sample=200).fit(data)
    np.testing.assert_array_equal(model.predict(data).compute(), model.predict(df))


class Dies:
    """Work that ends its worker process once."""

    def __init__(self, marker, work):
        self.marker, self.work = marker, work

    def __call__(self, table, place):
        try:
            os.close(os.open(self.marker, os.O_CREAT | os.O_EXCL))
        except FileExistsError:
            return self.work(table, place)
        os._exit(1)


def test_a_lost_worker_changes_nothing(frame, tmp_path):
    _, parts = frame
    data = DaskTable(parts)
    measure = DilcaM().fit(data.counts())
    whole = BatchKModes(4, random_state=5).fit(data, measure)
    reduce = data.reduce
    marker = str(tmp_path / "died")
    data.reduce = lambda work, *args: reduce(Dies(marker, work), *args)
    again = BatchKModes(4, random_state=5).fit(data, measure)
    assert os.path.exists(marker)  # noqa: PTH110
    np.testing.assert_array_equal(again.modes_, whole.modes_)
    np.testing.assert_array_equal(again.sizes_, whole.sizes_)
    assert again.objective_ == whole.objective_


def test_errors(frame, tmp_path):
    df, parts = frame
    with pytest.raises(TableError, match="takes a Dask data frame, not DataFrame"):
        DaskTable(df)
    with pytest.raises(TableError, match="keeps no state"):
        DaskTable(parts).counts(state=tmp_path / "state")
    with pytest.raises(TableError, match="'n' is numeric"):
        DaskTable(parts.assign(n=1.5)).counts()
    data = DaskTable(parts)
    assert data.fingerprint() == DaskTable(parts).fingerprint()
