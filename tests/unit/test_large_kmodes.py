"""k-modes in passes finds what k-modes in memory finds."""

import numpy as np
import pandas as pd
import pytest

from couplings import (
    AhmadDey,
    CategoricalTable,
    CouplingsError,
    DilcaM,
    MissingValuesError,
    NotFittedError,
    SimpleMatching,
    TableError,
    cooccurrence,
)
from couplings.cluster.kmodes import kmodes, random_starts
from couplings.large import BatchKModes, LargeTable
from couplings.large import kmodes as module


def clustered(seed, n=600, m=6, k=3, values=5, purity=0.6):
    rng = np.random.default_rng(seed)
    typical = rng.integers(0, values, (k, m))
    codes = np.where(
        rng.random((n, m)) < purity, typical[rng.integers(0, k, n)], rng.integers(0, values, (n, m))
    )
    return pd.DataFrame(codes).map(lambda code: f"v{code}").rename(columns=lambda j: f"a{j}")


def in_memory(table, matrices, k, seed, update="frequency", max_iter=100):
    starts = random_starts(table.n_objects, k, 1, seed)
    return kmodes(table, matrices, starts, update, max_iter)


def split(df, size):
    return [df.iloc[i : i + size] for i in range(0, len(df), size)]


@pytest.mark.parametrize("measure", [SimpleMatching(), DilcaM(), AhmadDey()])
@pytest.mark.parametrize("update", ["frequency", "minimiser"])
@pytest.mark.parametrize("seed", [0, 1, 2])
def test_labels_modes_and_objective_are_those_of_kmodes(measure, update, seed):
    df = clustered(seed)
    table = CategoricalTable.from_any(df)
    data = LargeTable.from_batches(split(df, 97))
    fitted = measure.fit(data.counts())
    expected = in_memory(table, measure.fit(table).value_matrices_, 4, seed, update)
    ours = BatchKModes(4, update, random_state=seed)
    labels = ours.fit_predict(data, fitted)
    np.testing.assert_array_equal(labels, expected.labels[0])
    np.testing.assert_array_equal(ours.modes_, expected.modes[0])
    assert ours.objective_ == expected.objective[0]
    assert ours.n_iter_ in (expected.n_iter[0], expected.n_iter[0] - 1)
    assert ours.sizes_.tolist() == np.bincount(expected.labels[0], minlength=4).tolist()
    assert labels.dtype == np.int8


@pytest.mark.parametrize("seed", range(12))
def test_empty_clusters_are_filled_in_the_same_way(seed):
    """Few distinct rows and many clusters: some modes win no object."""
    df = clustered(seed, n=80, m=3, values=2, purity=0.5)
    table = CategoricalTable.from_any(df)
    starts = random_starts(80, 7, 1, seed)
    expected = kmodes(table, SimpleMatching().fit(table).value_matrices_, starts)
    ours = BatchKModes(7, random_state=seed)
    data = LargeTable.from_batches(split(df, 11))
    labels = ours.fit_predict(data, SimpleMatching().fit(data.counts()))
    np.testing.assert_array_equal(labels, expected.labels[0])
    assert ours.sizes_.min() > 0


def test_restarts_share_the_passes_and_the_best_is_kept():
    df = clustered(3, purity=0.3)
    table = CategoricalTable.from_any(df)
    matrices = DilcaM().fit(table).value_matrices_
    runs = kmodes(table, matrices, random_starts(len(df), 4, 6, 7))
    best = int(np.argmin(runs.objective))
    data = LargeTable.from_batches(split(df, 100))
    data.counts()
    passes = []
    reduce = data.reduce
    data.reduce = lambda *args: (passes.append(args[3]), reduce(*args))[1]
    ours = BatchKModes(4, n_init=6, random_state=7)
    np.testing.assert_array_equal(ours.fit_predict(data, matrices), runs.labels[best])
    assert ours.objective_ == runs.objective[best]
    assert len(set(passes)) <= runs.n_iter.max()


def test_given_modes():
    df = clustered(4)
    table = CategoricalTable.from_any(df)
    matrices = DilcaM().fit(table).value_matrices_
    rows = [3, 77, 401]
    expected = kmodes(table, matrices, rows)
    data = LargeTable.from_batches(split(df, 64))
    ours = BatchKModes(3, init=df.iloc[rows].to_numpy())
    np.testing.assert_array_equal(ours.fit_predict(data, matrices), expected.labels[0])
    with pytest.raises(CouplingsError, match=r"init has the shape \(2, 6\)"):
        BatchKModes(3, init=df.iloc[:2].to_numpy()).fit(data, matrices)
    with pytest.raises(TableError, match="'nothing' is outside"):
        BatchKModes(1, init=[["nothing"] * 6]).fit(data, matrices)


def test_new_rows_in_any_form():
    df = clustered(6)
    data = LargeTable.from_batches(split(df, 64))
    model = BatchKModes(3, random_state=0).fit(data, DilcaM().fit(data.counts()))
    whole = model.predict(data)
    for form in (df, CategoricalTable.from_any(df), df[df.columns[::-1]]):
        np.testing.assert_array_equal(model.predict(form), whole)
    for some in (df.iloc[:9], CategoricalTable.from_any(df.iloc[:9])):
        np.testing.assert_array_equal(model.predict(some), whole[:9])
    assert [len(row) for row in model.mode_labels_] == [6, 6, 6]
    for new, error, message in (
        (df.assign(a0="new"), TableError, "'new' is outside the declared domain"),
        (df.rename(columns={"a0": "b"}), TableError, "no column 'a0'"),
        (df.assign(a0=None), MissingValuesError, "'a0'"),
        (LargeTable.from_batches([df.replace("v0", "w")]), CouplingsError, "other domains"),
    ):
        with pytest.raises(error, match=message):
            model.predict(new)
    with pytest.raises(NotFittedError, match="not fitted"):
        BatchKModes().predict([["a"]])


class TestParquet:
    @pytest.fixture
    def stored(self, tmp_path):
        df = clustered(10, n=1000, purity=0.35)
        folder = tmp_path / "data"
        folder.mkdir()
        for i, part in enumerate(split(df, 300)):
            part.to_parquet(folder / f"{i}.parquet", row_group_size=70, index=False)
        return df, folder, tmp_path / "run.state"

    def test_from_disk(self, stored):
        df, folder, _ = stored
        table = CategoricalTable.from_any(df)
        data = LargeTable.from_parquet(folder, batch_rows=33)
        measure = DilcaM().fit(data.counts())
        expected = in_memory(table, DilcaM().fit(table).value_matrices_, 5, 3)
        labels = BatchKModes(5, random_state=3).fit_predict(data, measure)
        np.testing.assert_array_equal(labels, expected.labels[0])
        again = LargeTable.from_parquet(folder, counts=cooccurrence(table))
        rows = [999, 0, 300, 301, 0]
        np.testing.assert_array_equal(again.take(rows).codes, table.take(np.array(rows)).codes)

    def test_goes_on_after_an_interruption(self, stored, monkeypatch):
        _, folder, state = stored
        data = LargeTable.from_parquet(folder)
        measure = DilcaM().fit(data.counts())
        whole = BatchKModes(5, random_state=3, n_init=2).fit(data, measure)
        assert whole.n_iter_ > 3
        step, seen = module._Runs.step, []

        def stop(self, *args):
            seen.append(self.n_passes)
            if len(seen) == 3:
                raise KeyboardInterrupt
            step(self, *args)

        monkeypatch.setattr(module._Runs, "step", stop)
        model = BatchKModes(5, random_state=3, n_init=2, state=state)
        with pytest.raises(KeyboardInterrupt):
            model.fit(data, measure)
        with pytest.raises(TableError, match=r"run\.state: the state of a k-modes clustering of"):
            BatchKModes(4, random_state=3, n_init=2, state=state).fit(data, measure)
        model.fit(data, measure)
        assert seen[:4] == [0, 1, 2, 2]
        np.testing.assert_array_equal(model.modes_, whole.modes_)
        assert model.objective_ == whole.objective_
        assert not state.exists()

    def test_a_progress_bar(self, stored, capsys):
        data = LargeTable.from_parquet(stored[1])
        BatchKModes(2, random_state=0, progress=True).fit(data, SimpleMatching().fit(data.counts()))
        assert "pass 1: 100%" in capsys.readouterr().err
