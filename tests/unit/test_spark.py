"""Spark in local mode finds what one process finds."""

import os
import shutil
import sys
from pathlib import Path

import numpy as np
import pytest
from test_large_kmodes import clustered

sql = pytest.importorskip("pyspark.sql", reason="needs the extra couplings[spark]")
if shutil.which("java") is None:
    pytest.skip("Spark needs Java", allow_module_level=True)

from couplings import (  # noqa: E402
    CategoricalTable,
    DilcaM,
    TableError,
    cooccurrence,
)
from couplings.cluster.kmodes import kmodes  # noqa: E402
from couplings.large import BatchKModes, LargeTable, SparkTable  # noqa: E402


@pytest.fixture(scope="module")
def spark():
    here = [str(Path(__file__).parent), str(Path(__file__).parents[2] / "src")]
    os.environ["PYTHONPATH"] = os.pathsep.join([*here, os.environ.get("PYTHONPATH", "")])
    os.environ["PYSPARK_PYTHON"] = sys.executable
    session = (
        # Two threads, and a task may fail three times.
        sql.SparkSession.builder.master("local[2,4]")
        .config("spark.ui.enabled", "false")
        .config("spark.driver.host", "127.0.0.1")
        .config("spark.driver.bindAddress", "127.0.0.1")
        .config("spark.sql.execution.arrow.pyspark.enabled", "true")
        .getOrCreate()
    )
    session.sparkContext.setLogLevel("OFF")
    yield session
    session.stop()


@pytest.fixture(scope="module")
def stored(spark, tmp_path_factory):
    """Four Parquet files, which Spark reads as as many partitions."""
    df = clustered(1, n=1000, purity=0.4)
    df["rare"] = np.where(np.arange(1000) == 937, "once", "often")
    path = tmp_path_factory.mktemp("spark")
    for i in range(4):
        df.iloc[250 * i : 250 * i + 250].to_parquet(path / f"{i}.parquet", index=False)
    return df, path


@pytest.fixture
def frame(spark, stored):
    df, path = stored
    rows = spark.read.parquet(str(path))
    assert rows.rdd.getNumPartitions() > 1
    return df, rows


def test_counts_are_identical(frame):
    df, rows = frame
    counts = SparkTable(rows).counts()
    expected = cooccurrence(CategoricalTable.from_any(df))
    np.testing.assert_array_equal(counts.matrix, expected.matrix)
    assert counts.categories == expected.categories
    assert counts.attributes == expected.attributes


def test_kmodes_labels_are_equal(frame):
    df, rows = frame
    starts = [3, 400, 700, 937]
    table = CategoricalTable.from_any(df)
    expected = kmodes(table, DilcaM().fit(table).value_matrices_, starts)
    data = SparkTable(rows)
    model = BatchKModes(4, init=df.iloc[starts].to_numpy())
    labelled = model.fit_predict(data, DilcaM().fit(data.counts()))
    assert labelled.columns == [*df.columns, "cluster"]
    assert model.objective_ == expected.objective[0]
    np.testing.assert_array_equal(model.modes_, expected.modes[0])
    found = labelled.toPandas()
    whole = df.assign(cluster=expected.labels[0])
    order = list(whole.columns)
    np.testing.assert_array_equal(
        found.sort_values(order).to_numpy(), whole.sort_values(order).to_numpy()
    )


def test_files_are_read_by_the_python_workers(spark, stored):
    _, path = stored
    data, local = SparkTable.from_parquet(spark, path), LargeTable.from_parquet(path)
    counts = data.counts()
    np.testing.assert_array_equal(counts.matrix, local.counts().matrix)
    assert counts.categories == local.categories
    ours, theirs = (BatchKModes(4, n_init=3, random_state=5) for _ in range(2))
    labelled = ours.fit_predict(data, DilcaM().fit(counts))
    assert labelled.columns == ["file", "row", "cluster"]
    found = labelled.toPandas().sort_values(["file", "row"])
    np.testing.assert_array_equal(found["cluster"], theirs.fit_predict(local, DilcaM().fit(counts)))
    assert found["row"].tolist() == 4 * list(range(250))
    np.testing.assert_array_equal(ours.modes_, theirs.modes_)
    assert data.fingerprint() == SparkTable.from_parquet(spark, path).fingerprint()
    some = SparkTable.from_parquet(spark, path, usecols=["a1"])
    assert some.counts().attributes == ("a1",)
    assert some.fingerprint() == data.fingerprint()


class Noted:
    """Rows as they are; that they were computed is a byte more in a file."""

    def __init__(self, path):
        self.path = path

    def __call__(self, batches):
        with open(self.path, "ab") as file:  # noqa: PTH123
            file.write(b".")
        yield from batches


def test_a_frame_is_coded_once_however_many_passes(frame, tmp_path):
    df, rows = frame
    path = tmp_path / "computed"
    data = SparkTable(rows.mapInArrow(Noted(str(path)), rows.schema))
    n = rows.rdd.getNumPartitions()
    measure = DilcaM().fit(data.counts())
    assert path.stat().st_size == n
    init = df.iloc[[3, 400, 700, 937]].to_numpy()
    model = BatchKModes(4, init=init, max_iter=5).fit(data, measure)
    assert model.n_iter_ > 1
    assert path.stat().st_size == 2 * n
    model.predict(data).count()
    assert path.stat().st_size <= 3 * n


class Fails:
    """Work whose first attempt fails."""

    def __init__(self, marker, work):
        self.marker, self.work = marker, work

    def __call__(self, table, place):
        try:
            os.close(os.open(self.marker, os.O_CREAT | os.O_EXCL))
        except FileExistsError:
            return self.work(table, place)
        os._exit(1)


def test_a_repeated_task_changes_nothing(frame, tmp_path):
    df, rows = frame
    data = SparkTable(rows)
    measure = DilcaM().fit(data.counts())
    init = df.iloc[[3, 400, 700, 937]].to_numpy()
    whole = BatchKModes(4, init=init, max_iter=2).fit(data, measure)
    reduce = data.reduce
    marker = str(tmp_path / "failed")
    data.reduce = lambda work, *args: reduce(Fails(marker, work), *args)
    again = BatchKModes(4, init=init, max_iter=2).fit(data, measure)
    assert os.path.exists(marker)  # noqa: PTH110
    np.testing.assert_array_equal(again.modes_, whole.modes_)
    np.testing.assert_array_equal(again.sizes_, whole.sizes_)


def test_errors(frame, tmp_path):
    df, rows = frame
    with pytest.raises(TableError, match="takes a Spark data frame, not DataFrame"):
        SparkTable(df)
    with pytest.raises(TableError, match="keeps no state"):
        SparkTable(rows).counts(state=tmp_path / "state")
    with pytest.raises(TableError, match="no objects to count"):
        SparkTable(rows.limit(0)).counts()
