"""The engine against pandas, scipy, scikit-learn and fastcluster."""

import fastcluster
import numpy as np
import pytest
from scipy import sparse
from scipy.cluster.hierarchy import cophenet, linkage
from scipy.spatial.distance import pdist, squareform
from sklearn import metrics
from sklearn.metrics.cluster import contingency_matrix

from couplings import CategoricalTable, Jaccard, SimpleMatching, cooccurrence
from couplings.cluster.ward import ward, ward_linkage
from couplings.discretize import apply_cuts, equal_width_cuts
from couplings.metrics import external


def random_table(seed, n, n_values):
    rng = np.random.default_rng(seed)
    codes = np.column_stack([rng.integers(0, v, n) for v in n_values])
    return CategoricalTable.from_codes(codes, n_values)


def one_hot(table):
    n, m = table.codes.shape
    columns = (table.codes.astype(np.int64) + table.offsets[:-1]).ravel()
    shape = (n, int(table.n_values.sum()))
    return sparse.csr_array((np.ones(n * m, np.int64), columns, np.arange(0, n * m + 1, m)), shape)


# Few rows, many rows (bit columns, with an incomplete last word), wide and constant attributes,
# 16-bit codes.
TABLES = [
    (50, (3, 4, 2)),
    (640, (3, 4, 2, 1)),
    (30_001, (2, 1, 22, 5, 10, 7, 22)),
    (3000, (3, 40, 2, 30, 10)),
    (1000, (300, 3, 4)),
]


@pytest.mark.parametrize(("n", "n_values"), TABLES)
def test_counts_are_the_one_hot_product(n, n_values):
    table = random_table(n, n, n_values)
    z = one_hot(table)
    counts = cooccurrence(table)
    np.testing.assert_array_equal(counts.matrix, (z.T @ z).toarray())
    assert counts.matrix.dtype == np.int64
    assert counts.n_objects == n
    weights = np.random.default_rng(1).integers(0, 5, n)
    weighted = cooccurrence(table, weights)
    np.testing.assert_array_equal(
        weighted.matrix, (z.T @ sparse.diags_array(weights, dtype=np.int64) @ z).toarray()
    )
    assert weighted.n_objects == weights.sum()


def test_simple_matching_is_hamming():
    table = random_table(2, 300, (2, 5, 3, 9, 4))
    space = SimpleMatching().fit(table).space_
    hamming = pdist(table.codes, "hamming") * 5
    np.testing.assert_allclose(space.condensed(table), hamming, atol=1e-12)
    np.testing.assert_allclose(space.pairwise(table), squareform(hamming), atol=1e-12)


def test_jaccard_is_that_of_the_one_hot_rows():
    table = random_table(3, 200, (2, 5, 3, 9))
    expected = pdist(one_hot(table).toarray().astype(bool), "jaccard")
    np.testing.assert_allclose(Jaccard().fit(table).space_.condensed(table), expected, atol=1e-15)


@pytest.mark.parametrize("ties", ["R", "chain"])
def test_ward_without_ties(ties):
    rng = np.random.default_rng(4)
    condensed = pdist(rng.random((150, 3)))
    squared = linkage(condensed, "ward")
    np.testing.assert_allclose(
        ward_linkage(condensed, recurrence="D2", ties=ties), squared, rtol=1e-9
    )
    np.testing.assert_allclose(
        ward_linkage(condensed, recurrence="D2", ties=ties)[:, 2],
        fastcluster.linkage(condensed, "ward")[:, 2],
    )
    unsquared = fastcluster.linkage(np.sqrt(condensed), "ward")
    unsquared[:, 2] **= 2
    ours = ward_linkage(condensed, recurrence="D", ties=ties)
    np.testing.assert_allclose(cophenet(ours), cophenet(unsquared))
    for k in (1, 2, 5, 150):
        expected = ward(condensed, k, recurrence="D", ties="chain")
        np.testing.assert_array_equal(ward(condensed, k, ties=ties), expected)


@pytest.mark.parametrize("seed", range(4))
def test_scores_like_scikit_learn(seed):
    rng = np.random.default_rng(seed)
    true = rng.integers(0, 4, 200)
    pred = np.where(rng.random(200) < 0.6, true, rng.integers(0, 6, 200))
    table = external.contingency(true, pred)
    np.testing.assert_array_equal(table, contingency_matrix(true, pred).T)
    assert external.mutual_information(table) == pytest.approx(
        metrics.mutual_info_score(true, pred), abs=1e-14
    )
    for ours, theirs in (
        ("sqrt", "geometric"),
        ("arithmetic", "arithmetic"),
        ("max", "max"),
        ("min", "min"),
    ):
        assert external.nmi(true, pred, average=ours) == pytest.approx(
            metrics.normalized_mutual_info_score(true, pred, average_method=theirs), abs=1e-14
        )
    assert external.adjusted_rand(true, pred) == pytest.approx(
        metrics.adjusted_rand_score(true, pred), abs=1e-14
    )
    (_, fp), (fn, tp) = metrics.cluster.pair_confusion_matrix(true, pred)
    assert external.pairwise_f(true, pred) == pytest.approx(2 * tp / (2 * tp + fp + fn))


def test_macro_f1_of_a_relabelled_prediction():
    rng = np.random.default_rng(5)
    true = rng.integers(0, 3, 100)
    pred = np.where(rng.random(100) < 0.8, true, rng.integers(0, 3, 100))
    relabelled = np.array([2, 0, 1])[pred]
    assert external.macro_f1(true, relabelled) == pytest.approx(
        metrics.f1_score(true, pred, average="macro")
    )
    assert external.accuracy(true, relabelled) == pytest.approx(np.mean(true == pred))


def test_equal_width_is_linspace():
    x = np.random.default_rng(6).normal(size=500)
    cuts = equal_width_cuts(x)
    np.testing.assert_array_equal(cuts, np.linspace(x.min(), x.max(), 11)[1:-1])
    np.testing.assert_array_equal(apply_cuts(x, cuts), np.digitize(x, cuts, right=True))
