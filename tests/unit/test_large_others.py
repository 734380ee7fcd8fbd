"""Spectral clustering and sampling over a table that is never held."""

import numpy as np
import pytest
from test_large_kmodes import clustered, split

from couplings import (
    AhmadDey,
    Cado,
    Caso,
    CategoricalTable,
    CouplingsError,
    DilcaM,
    Rock,
    SimpleMatching,
    Ward,
    adjusted_rand,
)
from couplings.cluster.kmeans import kmeans_runs
from couplings.cluster.spectral import spectral_embedding
from couplings.large import BatchSpectral, LargeTable, SampleAndAssign, draw
from couplings.large import spectral as module


def measured(seed, measure, n=400, **options):
    df = clustered(seed, n=n, **options)
    table = CategoricalTable.from_any(df)
    data = LargeTable.from_batches(split(df, 61))
    return df, table, data, measure.fit(data.counts())


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
    ours, theirs = model.embed(df), expected.objects
    signs = np.sign((ours * theirs).sum(axis=0))
    np.testing.assert_allclose(ours * signs, theirs, atol=1e-7)
    runs = kmeans_runs(expected.rows, 3, [0], init="sample", weights=expected.weights)
    assert adjusted_rand(model.predict(data), runs.labels[0][expected.inverse]) == 1
    np.testing.assert_array_equal(model.predict(df), model.predict(data))
    np.testing.assert_array_equal(model.predict(table.take([7])), model.predict(df)[7:8])
    assert model.sizes_.sum() == 400


def test_too_many_candidates_are_refused(monkeypatch):
    _, _, data, fitted = measured(3, AhmadDey())
    monkeypatch.setattr(module, "MOST_CANDIDATES", -1)
    with pytest.raises(CouplingsError, match="pass it as `largest`"):
        BatchSpectral().fit(data, fitted)
    BatchSpectral(largest=6.0).fit(data, fitted)


class TestDraw:
    def test_does_not_depend_on_the_batches(self):
        df = clustered(4, n=500)
        sizes = (7, 100, 500)
        drawn = [draw(LargeTable.from_batches(split(df, size)), 60, 3) for size in sizes]
        for other in drawn[1:]:
            np.testing.assert_array_equal(other.codes, drawn[0].codes)
        another = draw(LargeTable.from_batches(split(df, 100)), 60, 4)
        assert not np.array_equal(another.codes, drawn[0].codes)

    def test_all_objects_in_their_order(self):
        df = clustered(5, n=90)
        table = draw(LargeTable.from_batches(split(df, 20)), 1000)
        np.testing.assert_array_equal(table.codes, CategoricalTable.from_any(df).codes)

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
        _, _, data, fitted = measured(6, AhmadDey(), n=2000, purity=0.85)
        table = CategoricalTable.from_any(clustered(6, n=2000, purity=0.85))
        whole = Ward(3).fit_predict(fitted.pairwise(table)[np.triu_indices(2000, 1)])
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
        np.testing.assert_array_equal(model.predict(df), model.predict(data))
        np.testing.assert_array_equal(model.predict(table), model.predict(data))

    def test_other_links_take_the_nearest(self):
        _, _, data, fitted = measured(8, DilcaM(), n=200)
        with pytest.raises(CouplingsError, match="use assign='nearest'"):
            SampleAndAssign(Ward(2), fitted).fit(data)
        labels = SampleAndAssign(Ward(2), fitted, assign="nearest").fit_predict(data)
        table = CategoricalTable.from_any(clustered(8, n=200))
        whole = Ward(2).fit_predict(fitted.space_.condensed(table))
        np.testing.assert_array_equal(labels, whole)

    def test_an_algorithm_of_tables(self):
        _, _, data, fitted = measured(9, Cado(), n=300, purity=0.95)
        model = SampleAndAssign(Rock(3, 0.4), fitted, sample=100, on_table=True)
        assert len(model.fit_predict(data)) == 300
