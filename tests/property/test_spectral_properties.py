"""The reduction to the values is exact, for any additive affinity and any multiplicities."""

import numpy as np
from hypothesis import assume, given
from hypothesis import strategies as st
from kit import examples

from couplings import CategoricalTable
from couplings.cluster._farthest import largest_dissimilarity
from couplings.cluster.spectral import spectral_embedding
from couplings.spaces import ObjectSpace
from couplings.values import ValueMatrices


@st.composite
def problems(draw):
    """Draw a table with repeated rows, symmetric value matrices with zero diagonals."""
    rng = np.random.default_rng(draw(st.integers(0, 2**32)))
    sizes = draw(st.lists(st.integers(1, 5), min_size=1, max_size=5))
    rows = rng.integers(0, sizes, (draw(st.integers(2, 12)), len(sizes)))
    codes = rows[rng.integers(0, len(rows), draw(st.integers(2, 40)))]
    halves = [np.triu(rng.random((v, v)), 1) for v in sizes]
    matrices = ValueMatrices.from_blocks([half + half.T for half in halves])
    return CategoricalTable.from_codes(codes, sizes), matrices


def dense(similarity):
    degree = similarity.sum(axis=1)
    return np.linalg.eigh(similarity / np.sqrt(np.outer(degree, degree)))


@examples(100)
@given(problems(), st.integers(1, 6))
def test_the_reduction_is_exact(problem, k):
    table, matrices = problem
    distances = ObjectSpace(matrices, "sum").pairwise(table)
    assume(distances.max() > 0)
    values, vectors = dense(1 - distances / distances.max())
    values, vectors = values[::-1], vectors[:, ::-1]
    assume(k <= table.distinct()[0].n_objects)
    embedding = spectral_embedding(table, matrices, "one-minus", k, "sym")
    np.testing.assert_allclose(embedding.eigenvalues[0], 1, atol=1e-10)
    if embedding.reduced:
        np.testing.assert_allclose(embedding.eigenvalues, values[:k], rtol=0, atol=1e-10)
    # The eigenvectors are determined only where the next eigenvalue is apart.
    after = values[k] if k < len(values) else -1.0
    assume(embedding.reduced and values[k - 1] - after > 1e-3)
    rows = embedding.objects
    np.testing.assert_allclose(rows @ rows.T, vectors[:, :k] @ vectors[:, :k].T, rtol=0, atol=1e-10)


@examples(60)
@given(problems(), st.sampled_from(["sum", "rss"]))
def test_collapsing_repeated_rows_is_exact(problem, link):
    table, matrices = problem
    space = ObjectSpace(matrices, link)
    similarity = np.exp(-(space.pairwise(table) ** 2) / 2)
    values, _ = dense(similarity)
    k = table.distinct()[0].n_objects
    embedding = spectral_embedding(table, space, "gauss", k, "sym", 1.0)
    # All others are 0: their vectors tell equal objects apart.
    expected = np.sort(np.concatenate([embedding.eigenvalues, np.zeros(table.n_objects - k)]))
    np.testing.assert_allclose(expected, values, rtol=0, atol=1e-10)
    rows = embedding.objects
    degree = similarity.sum(axis=1)
    matrix = similarity / np.sqrt(np.outer(degree, degree))
    np.testing.assert_allclose(rows * embedding.eigenvalues @ rows.T, matrix, rtol=0, atol=1e-10)


@examples(100)
@given(problems())
def test_the_search_for_the_largest_skips_nothing(problem):
    table, matrices = problem
    expected = ObjectSpace(matrices, "sum").pairwise(table).max()
    assert largest_dissimilarity(table, matrices) == expected
