"""Laws that hold for every table, and what a weighted row stands for."""

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from kit import examples
from test_contract import asked, every_value_measure, mixed_of, table_of

from couplings import (
    AhmadDey,
    AhmadDeyKMeans,
    Cado,
    Caso,
    CategoricalTable,
    DilcaM,
    DilcaRR,
    KMeans,
    KModes,
    KPrototypes,
    MeasureError,
    Pearson,
)
from couplings.cluster.kmodes import UPDATES
from couplings.metrics.external import contingency, external_scores


@pytest.mark.parametrize(
    "measure", [AhmadDey(), Pearson(), DilcaM(), DilcaRR(), Caso(), Cado()], ids=repr
)
def test_one_attribute_is_no_context(measure):
    table = CategoricalTable.from_codes([[0], [1], [1]])
    with pytest.raises(MeasureError, match=f"{type(measure).__name__}.*only one"):
        measure.fit(table)


@every_value_measure
def test_only_dilca_and_pearson_read_declared_sizes(entry):
    """DILCA divides by the declared size, Pearson counts declared zeros."""
    table = table_of()
    declared = CategoricalTable.from_codes(table.codes, table.n_values + 2)
    found = [entry.make(random_state=0).fit(one).space_.pairwise(one) for one in (table, declared)]
    changed = np.abs(found[0] - found[1]).max() > 1e-6
    assert changed == issubclass(entry.kind, DilcaM | DilcaRR | Pearson)


seeds = st.integers(0, 1 << 30)


def weighted(seed, n=60):
    """A table whose values all occur, weights, and the rows repeated so often."""
    table, weights = table_of(n, seed=3), np.random.default_rng(seed).integers(0, 4, n)
    first = np.unique(table.codes, axis=0, return_index=True)[1]
    weights[first] = np.maximum(weights[first], 1)
    return table, weights, np.repeat(np.arange(n), weights)


@pytest.mark.parametrize(
    "share",
    [1, pytest.param(0.5, marks=pytest.mark.slow)],  # compiles kernels for it alone
)
@every_value_measure
@examples(3)
@given(seed=seeds)
def test_a_measure_learns_the_same_of_weights_and_of_rows_repeated(entry, share, seed):
    table, weights, rows = weighted(seed)
    expected = asked(entry, entry.make(random_state=0).fit(table.take(rows)), table)
    if share == 1:
        found = entry.make(random_state=0).fit(table, sample_weight=weights)
        np.testing.assert_array_equal(asked(entry, found, table), expected)
    else:
        halves = table.take(np.repeat(rows, 2)), np.full(2 * len(rows), share)
        found = entry.make(random_state=0).fit(halves[0], sample_weight=halves[1])
        np.testing.assert_allclose(asked(entry, found, table), expected, rtol=1e-9, atol=1e-9)


@pytest.mark.parametrize("update", UPDATES)
@examples(20)
@given(seed=seeds)
def test_k_modes_of_weights_are_those_of_rows_repeated(update, seed):
    table, weights, rows = weighted(seed)
    settings = {"n_clusters": 3, "update": update, "n_init": 3, "random_state": seed}
    again = KModes(**settings).fit(table.take(rows))
    model = KModes(**settings).fit(table, sample_weight=weights)
    np.testing.assert_array_equal(model.labels_[rows], again.labels_)
    assert model.objective_ == pytest.approx(again.objective_)
    eighths = KModes(**settings).fit(table, sample_weight=weights / 8)
    np.testing.assert_array_equal(eighths.labels_, model.labels_)
    np.testing.assert_allclose(eighths.epoch_costs_, model.epoch_costs_ / 8, rtol=1e-9)


@pytest.mark.parametrize("scale", ["minmax", "z"])
@pytest.mark.parametrize("gamma", [None, "lambdaest"])
@examples(10)
@given(seed=seeds)
@example(seed=41456)  # rows without weight move while modes are tied
def test_k_prototypes_of_weights_are_those_of_rows_repeated(scale, gamma, seed):
    table, weights, rows = weighted(seed)
    data = mixed_of(table)
    settings = {"n_clusters": 3, "scale": scale, "gamma": gamma, "random_state": seed}
    settings["init"] = data.take(np.array([5, 20, 40]))
    again = KPrototypes(**settings).fit(data.take(rows))
    model = KPrototypes(**settings).fit(data, sample_weight=weights)
    np.testing.assert_array_equal(model.labels_[rows], again.labels_)
    np.testing.assert_allclose([model.objective_, model.gamma_], [again.objective_, again.gamma_])
    np.testing.assert_allclose(model.centers_, again.centers_)
    fixed = settings | {"scale": "minmax", "gamma": 0.5}
    eighths = KPrototypes(**fixed).fit(data, sample_weight=weights / 8)
    whole = KPrototypes(**fixed).fit(data, sample_weight=weights)
    np.testing.assert_allclose(eighths.objective_, whole.objective_ / 8)


@pytest.mark.parametrize("init", ["plus", "greedy", "sample"])
@examples(20)
@given(seed=seeds)
def test_k_means_of_weights_are_those_of_rows_repeated(init, seed):
    numbers = np.random.default_rng(seed).normal(size=(60, 3))
    weights = np.random.default_rng(seed).integers(0, 4, 60)
    rows = np.repeat(np.arange(60), weights)
    settings = {"n_clusters": 3, "init": init, "random_state": seed}
    again = KMeans(**settings).fit(numbers[rows])
    model = KMeans(**settings).fit(numbers, sample_weight=weights)
    np.testing.assert_array_equal(model.labels_[rows], again.labels_)
    np.testing.assert_allclose(model.cluster_centers_, again.cluster_centers_)
    assert model.objective_ == pytest.approx(again.objective_)
    if init != "sample":  # "sample" draws whole objects, so fractions draw in another way
        eighths = KMeans(**settings).fit(numbers, sample_weight=weights / 8)
        np.testing.assert_array_equal(eighths.labels_, model.labels_)
        assert eighths.objective_ == pytest.approx(model.objective_ / 8)


@pytest.mark.parametrize("scale", ["minmax", "z"])
@examples(10)
@given(seed=seeds)
def test_mixed_k_means_learns_the_same_of_weights_and_of_rows_repeated(scale, seed):
    table, weights, rows = weighted(seed)
    data = mixed_of(table)
    model = AhmadDeyKMeans(1, scale=scale, n_init=1).fit(data, sample_weight=weights)
    again = AhmadDeyKMeans(1, scale=scale, n_init=1).fit(data.take(rows))
    np.testing.assert_allclose(model.weights_, again.weights_)
    np.testing.assert_allclose(model.value_matrices_.data, again.value_matrices_.data)
    assert model.objective_ == pytest.approx(again.objective_)
    settings = {"n_clusters": 3, "scale": "minmax", "random_state": seed}
    whole = AhmadDeyKMeans(**settings).fit(data, sample_weight=weights)
    eighths = AhmadDeyKMeans(**settings).fit(data, sample_weight=weights / 8)
    np.testing.assert_array_equal(eighths.labels_, whole.labels_)
    assert eighths.objective_ == pytest.approx(whole.objective_ / 8)


@examples(30)
@given(seed=seeds)
def test_scores_of_weights_are_those_of_rows_repeated(seed):
    table, weights, rows = weighted(seed)
    classes, clusters = table.codes[:, 0], table.codes[:, 1]
    expected = external_scores(classes[rows], clusters[rows])
    table = contingency(classes, clusters, sample_weight=weights)
    assert external_scores(table) == pytest.approx(expected)
    halves = contingency(
        np.repeat(classes[rows], 2), np.repeat(clusters[rows], 2), np.full(2 * len(rows), 0.5)
    )
    assert external_scores(halves) == pytest.approx(expected)
