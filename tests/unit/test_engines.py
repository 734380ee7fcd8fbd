"""Dask, on two worker processes, finds what one process finds."""

import os

import numpy as np
import pandas as pd
import pytest
from test_large import clustered

from couplings import (
    AhmadDey,
    CategoricalTable,
    DilcaM,
    TableError,
    Ward,
    adjusted_rand,
    cooccurrence,
)
from couplings.cluster.kmodes import kmodes
from couplings.large import (
    BatchKModes,
    BatchSpectral,
    DaskTable,
    LargeTable,
    SampleAndAssign,
)

pytestmark = pytest.mark.slow

STARTS = [3, 400, 700, 937]


class OnDask:
    """Frames as Dask has them."""

    name = "a Dask data frame"

    def __init__(self):
        pytest.importorskip("dask", reason="needs the extra couplings[dask]")
        self.frames = pytest.importorskip("dask.dataframe")
        distributed = pytest.importorskip("distributed")
        options = {"n_workers": 2, "threads_per_worker": 2, "processes": True}
        self.workers = distributed.LocalCluster(**options, dashboard_address=":0")
        self.client = distributed.Client(self.workers)

    def close(self):
        self.client.close()
        self.workers.close()

    def rows(self, df):
        return self.frames.from_pandas(df, npartitions=13)

    table = DaskTable

    def labelled(self, df, labels):
        return df.assign(cluster=labels.compute())


@pytest.fixture(scope="module")
def dask():
    engine = OnDask()
    yield engine
    engine.close()


@pytest.fixture(scope="module")
def df():
    made = clustered(1, n=1000, purity=0.4)
    return made.assign(rare=np.where(np.arange(1000) == 937, "once", "often"))


def test_counts_are_identical(dask, df):
    counts = dask.table(dask.rows(df)).counts()
    expected = cooccurrence(CategoricalTable.from_any(df))
    np.testing.assert_array_equal(counts.matrix, expected.matrix)
    assert counts.categories == expected.categories
    assert counts.attributes == expected.attributes


def test_kmodes_labels_are_equal(dask, df):
    table = CategoricalTable.from_any(df)
    expected = kmodes(table, DilcaM().fit(table).value_matrices_, STARTS)
    data = dask.table(dask.rows(df))
    model = BatchKModes(4, init=df.iloc[STARTS].to_numpy())
    found = dask.labelled(df, model.fit_predict(data, DilcaM().fit(data.counts())))
    assert model.objective_ == expected.objective[0]
    np.testing.assert_array_equal(model.modes_, expected.modes[0])
    whole = df.assign(cluster=expected.labels[0])
    found, whole = (one.sort_values(list(whole.columns)).to_numpy() for one in (found, whole))
    np.testing.assert_array_equal(found, whole)


class Fails:
    """Work that ends its worker process once."""

    def __init__(self, marker, work):
        self.marker, self.work = marker, work

    def __call__(self, table, place):
        try:
            os.close(os.open(self.marker, os.O_CREAT | os.O_EXCL))
        except FileExistsError:
            return self.work(table, place)
        os._exit(1)


def test_a_lost_worker_changes_nothing(dask, df, tmp_path):
    data = dask.table(dask.rows(df))
    measure = DilcaM().fit(data.counts())
    init = df.iloc[STARTS].to_numpy()
    whole = BatchKModes(4, init=init, max_iter=2).fit(data, measure)
    reduce = data.reduce
    marker = str(tmp_path / "failed")
    data.reduce = lambda work, *args: reduce(Fails(marker, work), *args)
    again = BatchKModes(4, init=init, max_iter=2).fit(data, measure)
    assert os.path.exists(marker)  # noqa: PTH110
    np.testing.assert_array_equal(again.modes_, whole.modes_)
    np.testing.assert_array_equal(again.sizes_, whole.sizes_)


def test_errors(dask, df, tmp_path):
    with pytest.raises(TableError, match=f"needs {dask.name}, not DataFrame"):
        dask.table(df)
    data = dask.table(dask.rows(df))
    with pytest.raises(TableError, match="saves no state"):
        data.counts(state=tmp_path / "state")


def test_empty_partitions_and_missing_cells(dask):
    df = clustered(2, n=300).mask(np.random.default_rng(0).random((300, 6)) < 0.05)
    from_pandas = dask.frames.from_pandas
    parts = dask.frames.concat([from_pandas(df, npartitions=4), from_pandas(df.iloc[:5])])
    parts = parts[parts.a0 != "v1"]
    data = DaskTable(parts, incomplete="value")
    local = LargeTable.from_batches([parts.compute()], incomplete="value")
    np.testing.assert_array_equal(data.counts().matrix, local.counts().matrix)
    assert data.categories == local.categories
    ours, theirs = (BatchKModes(3, random_state=0) for _ in range(2))
    labels = ours.fit_predict(data, DilcaM().fit(data.counts())).compute()
    np.testing.assert_array_equal(labels, theirs.fit_predict(local, DilcaM().fit(local.counts())))


def test_spectral_and_samples(dask, df):
    data, local = DaskTable(dask.rows(df)), LargeTable.from_batches([df])
    fitted = AhmadDey().fit(data.counts())
    ours, theirs = (BatchSpectral(3).fit(one, fitted) for one in (data, local))
    np.testing.assert_allclose(ours.eigenvalues_, theirs.eigenvalues_, rtol=1e-9)
    assert adjusted_rand(ours.predict(data).compute(), theirs.predict(local)) == 1
    model = SampleAndAssign(Ward(3), fitted, sample=200).fit(data)
    labels = model.predict(data)
    assert labels.npartitions == 13
    pd.testing.assert_index_equal(labels.compute().index, df.index)
    np.testing.assert_array_equal(labels.compute(), model.predict(df))
    with pytest.raises(TableError, match="'n' is numeric"):
        DaskTable(dask.rows(df).assign(n=1.5)).counts()
