import math

import numpy as np
import pytest
from kit import refused
from scipy.spatial.distance import pdist, squareform

from couplings.cluster.kmeans import KMeans
from couplings.counts import cooccurrence, symmetric_uncertainty
from couplings.errors import CouplingsError, MeasureError
from couplings.measures.cde import (
    CDE,
    conditional_influence,
    occurrence_influence,
    value_clusters,
    value_embedding,
)
from couplings.table import CategoricalTable

# Four objects: a = 0 0 1 1, b = 0 1 1 1.
TINY = CategoricalTable.from_codes([[0, 0], [0, 1], [1, 1], [1, 1]])

SIZES = (2, 3, 5, 4)


def random_table(seed, n=50, sizes=SIZES):
    rng = np.random.default_rng(seed)
    codes = np.column_stack([rng.integers(0, v, n) for v in sizes])
    # Related attributes, so that some values never meet.
    codes[:, 1] = np.minimum(codes[:, 1], codes[:, 2])
    return CategoricalTable.from_codes(codes).observed()


def brute_influences(table, influence, mc_diag):
    """Twin: both matrices cell by cell, from the rows."""
    codes = table.codes
    n = table.n_objects
    values = [(j, x) for j in range(table.n_attributes) for x in range(table.n_values[j])]
    uncertainty = symmetric_uncertainty(cooccurrence(table))

    def together(*pairs):
        return sum(all(row[j] == x for j, x in pairs) for row in codes)

    mo, mc = np.zeros((len(values), len(values))), np.zeros((len(values), len(values)))
    for a, first in enumerate(values):
        for b, second in enumerate(values):
            p_a, p_b, both = together(first) / n, together(second) / n, together(first, second)
            psi = 1.0 if first[0] == second[0] else uncertainty[first[0], second[0]]
            if influence == "printed":
                mo[a, b] = psi * p_b / p_a
            elif influence == "transposed":
                mo[a, b] = psi * p_a / p_b
            else:
                mo[a, b] = (psi if both else 1.0) * p_a / p_b
            mc[a, b] = mc_diag if a == b else both / n / p_a
    return mo, mc


@pytest.mark.twin_of("CDE")
@pytest.mark.parametrize("influence", ["code", "printed", "transposed"])
@pytest.mark.parametrize("mc_diag", [1, 0])
def test_influences_are_the_brute_force(influence, mc_diag):
    for seed in range(3):
        table = random_table(seed, n=12)
        counts = cooccurrence(table)
        mo, mc = brute_influences(table, influence, mc_diag)
        ours = occurrence_influence(counts, influence)
        np.testing.assert_allclose(ours, mo, rtol=0, atol=1e-12)
        np.testing.assert_allclose(conditional_influence(counts, mc_diag), mc, rtol=0, atol=1e-12)


def brute_clusters(matrix, alpha, stop, rng):
    """Twin: columns as lists, the rules word by word."""
    n_values = len(matrix)
    columns, removed, k = [], [], 2
    while k <= n_values - 1:
        labels = KMeans(k, random_state=rng).fit_predict(matrix)
        clusters = [set(np.flatnonzero(labels == c)) for c in range(k)]
        clusters = [cluster for cluster in clusters if cluster]
        small = [cluster for cluster in clusters if len(cluster) == 1]
        if stop == "code":
            small += [cluster for cluster in clusters if len(cluster) == n_values - 1]
        columns += [cluster for cluster in clusters if cluster not in small]
        removed += small
        if stop == "code":
            done = len(small) > math.ceil(len(clusters) / alpha)
        elif stop == "printed":
            done = len(removed) >= math.ceil((k + 1) / alpha)
        else:
            done = len(removed) > (k + 1) / alpha
        if done:
            break
        k += 1
    return np.array([[x in cluster for cluster in columns] for x in range(n_values)], dtype=float)


@pytest.mark.twin_of("CDE")
@pytest.mark.parametrize("stop", ["code", "printed", "printed-text"])
@pytest.mark.parametrize("alpha", [1, 3, 10])
def test_value_clusters_are_the_brute_force(stop, alpha):
    for seed in range(2):
        matrix = conditional_influence(cooccurrence(random_table(seed)))
        twin = brute_clusters(matrix, alpha, stop, np.random.default_rng(seed))
        assert (value_clusters(matrix, alpha, stop, seed) == twin.reshape(len(matrix), -1)).all()


def test_the_code_drops_clusters_of_all_values_but_one():
    matrix = np.array([[0.0], [0.1], [0.2], [9.0]]) * np.ones((1, 4))
    # k = 2 finds {0, .1, .2} and {9}; both readings stop there.
    assert value_clusters(matrix, 10, "code", 0).shape == (4, 0)
    printed = value_clusters(matrix, 10, "printed", 0)
    assert printed.tolist() == [[1.0], [1.0], [1.0], [0.0]]


def test_value_embedding_is_a_rotation():
    rng = np.random.default_rng(0)
    indicator = rng.integers(0, 2, (12, 30)).astype(float)
    embedding = value_embedding(indicator)
    assert embedding.shape[1] == 11
    gram = indicator - indicator.mean(axis=0)
    np.testing.assert_allclose(embedding @ embedding.T, gram @ gram.T, rtol=0, atol=1e-12)
    variances = embedding.var(axis=0)
    assert (np.diff(variances) <= 1e-12).all()
    covariance = embedding.T @ embedding
    np.testing.assert_allclose(covariance, np.diag(covariance.diagonal()), atol=1e-12)
    assert value_embedding(indicator, 0.0).shape[1] == 30
    wide = value_embedding(indicator, 2.5)
    assert wide.shape[1] < 11
    assert (np.ptp(wide, axis=0) >= 2.5).all()
    assert value_embedding(np.zeros((4, 0))).shape == (4, 0)


@pytest.mark.parametrize("stop", ["code", "printed"])
def test_transform_concatenates_the_value_embeddings(stop):
    table = random_table(1)
    cde = CDE(stop=stop, random_state=3).fit(table)
    n_columns = cde.value_embedding_.shape[1]
    rows = cde.transform(table)
    assert rows.shape == (table.n_objects, 4 * n_columns)
    for u in (0, 7, 49):
        parts = [cde.value_embedding_[table.offsets[j] + table.codes[u, j]] for j in range(4)]
        assert (rows[u] == np.concatenate(parts)).all()


def test_the_compact_form_keeps_the_distances():
    table = random_table(2)
    cde = CDE(random_state=1).fit(table)
    compact = cde.compact(table)
    assert compact.shape[1] <= table.offsets[-1] - table.n_attributes
    squares = squareform(pdist(cde.transform(table), "sqeuclidean"))
    ours = squareform(pdist(compact, "sqeuclidean"))
    np.testing.assert_allclose(ours, squares, rtol=0, atol=1e-12)
    np.testing.assert_allclose(cde.pairwise(table) ** 2, squares, rtol=0, atol=1e-12)


def test_an_empty_embedding_puts_all_objects_in_one_place():
    table = CategoricalTable.from_codes([[0], [1], [1]])
    cde = CDE().fit(table)
    assert cde.value_embedding_.shape == (2, 0)
    assert cde.transform(table).shape == (3, 0)
    assert cde.compact(table).shape == (3, 0)
    assert (cde.pairwise(table) == 0).all()


def test_bandwidths_are_those_of_all_pairs():
    # the last has more different rows than a block
    for seed, n, sizes in ((0, 50, SIZES), (1, 51, SIZES), (5, 1500, (6, 7, 8, 6))):
        table = random_table(seed, n, sizes)
        assert (table.distinct()[0].n_objects > 600) == (n == 1500)
        cde = CDE(random_state=0).fit(table)
        distances = cde.pairwise(table)
        assert cde.bandwidth(table) == pytest.approx(distances.mean(), abs=1e-12)
        assert cde.bandwidth(table, "dim") == math.sqrt(cde.indicator_.shape[1])
        median = np.median(distances[np.triu_indices(n, 1)])
        assert cde.bandwidth(table, "median") == pytest.approx(median, abs=1e-12)


@pytest.mark.parametrize("n_attributes", range(1, 9))
def test_bandwidths_add_up_the_attributes_in_their_order(n_attributes):
    rng = np.random.default_rng(n_attributes)
    table = CategoricalTable.from_codes(rng.integers(0, 3, (40, n_attributes)), [3] * n_attributes)
    table = table.observed()
    cde = CDE(alpha=1, random_state=0).fit(table)
    distinct, weights, _ = table.distinct()
    distances = cde.space_.pairwise(distinct)
    column = np.zeros(len(weights))
    for u in range(len(weights)):
        column[u + 1 :] += weights[u] * distances[u, u + 1 :]
    total = 0.0
    for weight, one in zip(weights, column, strict=True):
        total += weight * one
    assert cde.bandwidth(table) == 2.0 * total / 40**2


test_bad_parameters = refused(
    CouplingsError,
    lambda width, parameters: CDE(**parameters, random_state=0).fit(TINY).bandwidth(TINY, width),
    [
        ("mean", {"alpha": 0}, "alpha"),
        ("mean", {"influence": "paper"}, "'code', 'printed', 'transposed'"),
        ("mean", {"stop": "never"}, "'printed-text'"),
        ("mean", {"mc_diag": 2}, "mc_diag"),
        ("max", {}, "sigma"),
    ],
)

GAP = cooccurrence(CategoricalTable.from_codes([[0, 0], [2, 1]]))
test_influences_need_observed_values = refused(
    MeasureError,
    lambda influence: influence(GAP),
    [(occurrence_influence, "observed"), (conditional_influence, "observed")],
)
