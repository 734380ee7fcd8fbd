"""Tables in batches: k-modes, latent classes, spectral clustering and samples."""

import numpy as np
import pandas as pd
import pytest

from couplings import (
    AhmadDey,
    Cado,
    Caso,
    CategoricalTable,
    CouplingsError,
    DilcaM,
    LatentClasses,
    Rock,
    SimpleMatching,
    TableError,
    Ward,
    adjusted_rand,
    cooccurrence,
)
from couplings.cluster.kmeans import kmeans_runs
from couplings.cluster.kmodes import kmodes, random_starts
from couplings.cluster.spectral import spectral_embedding
from couplings.large import (
    BatchKModes,
    BatchLatentClasses,
    BatchSpectral,
    LargeTable,
    SampleAndAssign,
    draw,
)
from couplings.large import kmodes as module
from couplings.large import spectral as spectral_module


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


def measured(seed, measure, n=400, size=61, **options):
    df = clustered(seed, n=n, **options)
    data = LargeTable.from_batches(split(df, size))
    return df, CategoricalTable.from_any(df), data, measure.fit(data.counts())


@pytest.mark.parametrize("measure", [SimpleMatching(), DilcaM(), AhmadDey()])
@pytest.mark.parametrize("update", ["frequency", "minimiser"])
@pytest.mark.parametrize("seed", [0, 1, 2])
def test_labels_modes_and_objective_are_those_of_kmodes(measure, update, seed):
    _, table, data, fitted = measured(seed, measure, 600)
    expected = in_memory(table, measure.fit(table).value_matrices_, 4, seed, update)
    ours = BatchKModes(4, update, random_state=seed, n_init=1)
    labels = ours.fit_predict(data, fitted)
    np.testing.assert_array_equal(labels, expected.labels[0])
    np.testing.assert_array_equal(ours.modes_, expected.modes[0])
    assert ours.objective_ == expected.objective[0]
    assert ours.n_iter_ in (expected.n_iter[0], expected.n_iter[0] - 1)
    assert ours.sizes_.tolist() == np.bincount(expected.labels[0], minlength=4).tolist()
    assert labels.dtype == np.int8


@pytest.mark.parametrize(("size", "max_iter"), [(11, 100), (1, 1)])
@pytest.mark.parametrize("seed", range(6))
def test_empty_clusters_are_filled_in_the_same_way(seed, size, max_iter):
    """Few distinct rows and many clusters: some modes win no object."""
    options = {"n": 80, "m": 3, "values": 2, "purity": 0.5}
    _, table, data, fitted = measured(seed, SimpleMatching(), size=size, **options)
    expected = in_memory(table, fitted.value_matrices_, 7, seed, max_iter=max_iter)
    ours = BatchKModes(7, max_iter=max_iter, random_state=seed, n_init=1)
    np.testing.assert_array_equal(ours.fit_predict(data, fitted), expected.labels[0])
    assert ours.sizes_.min() > 0


def test_restarts_share_the_passes_and_the_best_is_kept():
    _, table, data, fitted = measured(3, DilcaM(), 600, purity=0.3)
    runs = kmodes(table, fitted.value_matrices_, random_starts(600, 4, 6, 7))
    passes = []
    reduce = data.reduce
    data.reduce = lambda *args: (passes.append(args[3]), reduce(*args))[1]
    ours = BatchKModes(4, n_init=6, random_state=7)
    best = int(np.argmin(runs.objective))
    np.testing.assert_array_equal(ours.fit_predict(data, fitted), runs.labels[best])
    assert ours.objective_ == runs.objective[best]
    assert len(set(passes)) <= runs.n_iter.max()


def test_given_modes():
    df, table, data, fitted = measured(4, DilcaM(), 600)
    rows = [3, 77, 401]
    expected = kmodes(table, fitted.value_matrices_, rows)
    ours = BatchKModes(3, init=df.iloc[rows].to_numpy())
    np.testing.assert_array_equal(ours.fit_predict(data, fitted), expected.labels[0])


def test_new_rows_in_any_form():
    df, table, data, fitted = measured(6, DilcaM(), 600)
    model = BatchKModes(3, random_state=0).fit(data, fitted)
    whole = model.predict(data)
    for form in (df, table, df[df.columns[::-1]], df.iloc[:9], table.take(np.arange(9))):
        found = model.predict(form)
        np.testing.assert_array_equal(found, whole[: len(found)])
    assert len(found) == 9
    assert [len(row) for row in model.mode_labels_] == [6, 6, 6]
    once = BatchKModes(3, max_iter=1, random_state=0).fit(data, fitted)
    assert once.n_iter_ == 1 < model.n_iter_


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
        labels = BatchKModes(5, random_state=3, n_init=1).fit_predict(data, measure)
        np.testing.assert_array_equal(labels, expected.labels[0])
        again = LargeTable.from_parquet(folder, counts=cooccurrence(table))
        rows = [999, 0, 300, 301, 0]
        np.testing.assert_array_equal(again.take(rows).codes, table.take(np.array(rows)).codes)
        mask = np.arange(table.n_objects) % 100 == 7
        np.testing.assert_array_equal(again.take(mask).codes, table.take(mask).codes)
        assert again.take([-1]).codes.tolist() == table.codes[-1:].tolist()
        for odd in ([table.n_objects], [0.7], mask[1:], "1"):
            with pytest.raises(CouplingsError, match=r"there is no row|neither whole numbers"):
                again.take(odd)

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


@pytest.mark.slow
@pytest.mark.parametrize("sample", [10_000, 80])
def test_the_optimum_is_that_of_the_table_in_memory(sample):
    df, _, data, _ = measured(1, SimpleMatching(), 600)
    exact = LatentClasses(3, random_state=0, tol=1e-13, max_iter=5000).fit(df)
    model = BatchLatentClasses(3, sample=sample, tol=1e-13, max_iter=5000).fit(data)
    assert model.log_likelihood_ == pytest.approx(exact.log_likelihood_, abs=1e-4)
    assert model.criteria_ == pytest.approx(exact.criteria_, rel=1e-5)
    assert (np.diff(model.log_likelihoods_) > -1).all()
    assert model.converged_
    labels = model.predict(data)
    assert labels.dtype == np.int8
    assert adjusted_rand(labels, exact.labels_) == 1
    np.testing.assert_array_equal(model.predict(df), labels)
    np.testing.assert_array_equal(model.predict_proba(df).argmax(axis=1), labels)
    assert model.score(data) * 600 == pytest.approx(model.log_likelihood_)
    assert model.score(df) == pytest.approx(model.score(data))
    assert not hasattr(model.model_, "labels_")


@pytest.mark.parametrize("variant", ["njw", "sym", "rw"])
@pytest.mark.parametrize(
    ("measure", "affinity"),
    [(AhmadDey(), "one-minus"), (SimpleMatching(), "one-minus"), (Caso(), "identity")],
)
def test_the_embedding_is_that_of_all_objects_in_memory(measure, affinity, variant):
    df, table, data, fitted = measured(1, measure)
    expected = spectral_embedding(table, fitted, affinity, 3, variant)
    assert expected.reduced
    model = BatchSpectral(3, affinity, variant).fit(data, fitted)
    np.testing.assert_allclose(model.eigenvalues_, expected.eigenvalues, rtol=1e-9)
    ours, theirs = model.embed(df), expected.rows[expected.inverse]
    signs = np.sign((ours * theirs).sum(axis=0))
    np.testing.assert_allclose(ours * signs, theirs, atol=1e-7)
    runs = kmeans_runs(expected.rows, 3, [0], init="sample", weights=expected.weights)
    labels = model.predict(data)
    assert adjusted_rand(labels, runs.labels[0][expected.inverse]) == 1
    np.testing.assert_array_equal(model.predict(df), labels)
    np.testing.assert_array_equal(model.predict(table.take([7])), labels[7:8])
    assert model.sizes_.sum() == 400


def test_too_many_candidates_are_refused(monkeypatch):
    _, _, data, fitted = measured(3, AhmadDey())
    monkeypatch.setattr(spectral_module, "MOST_CANDIDATES", -1)
    with pytest.raises(CouplingsError, match="pass it as `largest`"):
        BatchSpectral().fit(data, fitted)
    BatchSpectral(largest=6.0).fit(data, fitted)


class TestDraw:
    def test_does_not_depend_on_the_batches(self):
        df = clustered(4, n=500)
        sizes = (7, 100, 500)
        drawn = [draw(LargeTable.from_batches(split(df, size)), 60, 3) for size in sizes]
        np.testing.assert_array_equal(drawn[1].codes, drawn[0].codes)
        np.testing.assert_array_equal(drawn[2].codes, drawn[0].codes)
        another = draw(LargeTable.from_batches([df]), 60, 4)
        assert not np.array_equal(another.codes, drawn[0].codes)

    def test_all_objects_in_their_order(self):
        _, table, data, _ = measured(5, SimpleMatching(), 90)
        np.testing.assert_array_equal(draw(data, 1000).codes, table.codes)

    def test_every_object_is_drawn_about_as_often(self):
        rows = [[str(i), "x"] for i in range(40)]
        data = LargeTable.from_batches([rows[:13], rows[13:]])
        often = np.zeros(40)
        for seed in range(600):
            often[draw(data, 10, seed).codes[:, 0]] += 1
        # 150 expected, standard deviation 10.6.
        assert often.sum() == 6000
        assert abs(often - 150).max() < 45


class TestSampleAndAssign:
    def test_ward_of_a_sample_finds_clear_clusters(self):
        _, table, data, fitted = measured(6, AhmadDey(), n=2000, purity=0.85)
        whole = Ward(3).fit_predict(fitted.space_.condensed(table))
        for assign in ("mean", "nearest"):
            model = SampleAndAssign(Ward(3), fitted, sample=300, assign=assign)
            assert adjusted_rand(model.fit_predict(data), whole) > 0.95

    @pytest.mark.parametrize("assign", ["mean", "nearest"])
    def test_an_object_joins_as_the_definition_says(self, assign):
        df, table, data, fitted = measured(7, AhmadDey(), n=300)
        model = SampleAndAssign(Ward(4), fitted, sample=80, assign=assign).fit(data)
        between = fitted.space_.between(table, model.sample_)
        if assign == "nearest":
            expected = model.sample_labels_[between.astype(np.float32).argmin(axis=1)]
        else:
            means = [between[:, model.sample_labels_ == c].mean(axis=1) for c in range(4)]
            expected = np.argmin(means, axis=0)
        assert np.mean(model.predict(data) == expected) > 0.99
        for form in (df, table):
            np.testing.assert_array_equal(model.predict(form), model.predict(data))

    def test_other_links_take_the_nearest(self):
        _, table, data, fitted = measured(8, DilcaM(), n=200)
        labels = SampleAndAssign(Ward(2), fitted, assign="nearest").fit_predict(data)
        whole = Ward(2).fit_predict(fitted.space_.condensed(table))
        np.testing.assert_array_equal(labels, whole)

    def test_an_algorithm_of_tables(self):
        _, _, data, fitted = measured(9, Cado(), n=300, purity=0.95)
        model = SampleAndAssign(Rock(3, 0.4), fitted, sample=100, on_table=True)
        assert len(model.fit_predict(data)) == 300
