"""Dask, on two worker processes, and Spark, in local mode, find what one process finds."""

import os
import shutil
import sys
import tempfile
from pathlib import Path

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
    SparkTable,
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


class OnSpark:
    """Frames as Spark has them."""

    name = "a Spark data frame"

    def __init__(self):
        sql = pytest.importorskip("pyspark.sql", reason="needs the extra couplings[spark]")
        if shutil.which("java") is None:
            pytest.skip("Spark needs Java")
        here = [str(Path(__file__).parent), str(Path(__file__).parents[2] / "src")]
        os.environ["PYTHONPATH"] = os.pathsep.join([*here, os.environ.get("PYTHONPATH", "")])
        os.environ["PYSPARK_PYTHON"] = sys.executable
        self.session = (
            # Two threads, and a task may fail three times.
            sql.SparkSession.builder.master("local[2,4]")
            .config("spark.ui.enabled", "false")
            .config("spark.driver.host", "127.0.0.1")
            .config("spark.driver.bindAddress", "127.0.0.1")
            .config("spark.sql.execution.arrow.pyspark.enabled", "true")
            .getOrCreate()
        )
        self.session.sparkContext.setLogLevel("OFF")
        self.place = tempfile.TemporaryDirectory()

    def close(self):
        self.session.stop()
        self.place.cleanup()

    def rows(self, df):
        """Four Parquet files, which Spark reads as as many partitions."""
        path = Path(tempfile.mkdtemp(dir=self.place.name))
        for i in range(4):
            df.iloc[250 * i : 250 * i + 250].to_parquet(path / f"{i}.parquet", index=False)
        rows = self.session.read.parquet(str(path))
        assert rows.rdd.getNumPartitions() > 1
        return rows

    table = SparkTable

    def labelled(self, df, labels):
        assert labels.columns == [*df.columns, "cluster"]
        return labels.toPandas()


@pytest.fixture(scope="module")
def dask():
    engine = OnDask()
    yield engine
    engine.close()


@pytest.fixture(scope="module")
def spark():
    engine = OnSpark()
    yield engine
    engine.close()


@pytest.fixture(params=["dask", "spark"])
def engine(request):
    return request.getfixturevalue(request.param)


@pytest.fixture(scope="module")
def df():
    made = clustered(1, n=1000, purity=0.4)
    return made.assign(rare=np.where(np.arange(1000) == 937, "once", "often"))


def test_counts_are_identical(engine, df):
    counts = engine.table(engine.rows(df)).counts()
    expected = cooccurrence(CategoricalTable.from_any(df))
    np.testing.assert_array_equal(counts.matrix, expected.matrix)
    assert counts.categories == expected.categories
    assert counts.attributes == expected.attributes


def test_kmodes_labels_are_equal(engine, df):
    table = CategoricalTable.from_any(df)
    expected = kmodes(table, DilcaM().fit(table).value_matrices_, STARTS)
    data = engine.table(engine.rows(df))
    model = BatchKModes(4, init=df.iloc[STARTS].to_numpy())
    found = engine.labelled(df, model.fit_predict(data, DilcaM().fit(data.counts())))
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


def test_a_lost_worker_changes_nothing(engine, df, tmp_path):
    data = engine.table(engine.rows(df))
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


def test_errors(engine, df, tmp_path):
    with pytest.raises(TableError, match=f"needs {engine.name}, not DataFrame"):
        engine.table(df)
    data = engine.table(engine.rows(df))
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


class Noted:
    """Rows as they are; that they were computed is a byte more in a file."""

    def __init__(self, path):
        self.path = path

    def __call__(self, batches):
        with open(self.path, "ab") as file:  # noqa: PTH123
            file.write(b".")
        yield from batches


def test_a_frame_is_coded_once_however_many_passes(spark, df, tmp_path):
    rows, path = spark.rows(df), tmp_path / "computed"
    data = SparkTable(rows.mapInArrow(Noted(str(path)), rows.schema))
    n = rows.rdd.getNumPartitions()
    measure = DilcaM().fit(data.counts())
    assert path.stat().st_size == n
    model = BatchKModes(4, init=df.iloc[STARTS].to_numpy(), max_iter=5).fit(data, measure)
    assert model.n_iter_ > 1
    assert path.stat().st_size == n
    model.predict(data).count()
    assert path.stat().st_size <= 2 * n
    with pytest.raises(TableError, match="no objects to count"):
        SparkTable(rows.limit(0)).counts()
