"""STIRR against a twin over the objects, and on planted communities."""

import numpy as np
import pytest

from couplings import CategoricalTable, cooccurrence
from couplings.cluster.stirr import stirr


@pytest.fixture(scope="module")
def communities():
    """Two groups of 6 + 6 values in 3 attributes, with a few objects across."""
    rng = np.random.default_rng(0)
    group = rng.integers(0, 2, (300, 1)) ^ (rng.random((300, 3)) < 0.05)
    codes = 6 * group + rng.integers(0, 6, (300, 3))
    return cooccurrence(CategoricalTable.from_codes(codes, [12, 12, 12]))


def twin(codes, n_values, M, n_iter, seed):
    offsets = np.concatenate([[0], np.cumsum(n_values)])
    L = offsets[-1]
    w = np.random.default_rng(seed).standard_normal((L, M))
    w[:, 0] = 1
    for _ in range(n_iter):
        new = np.zeros_like(w)
        for row in codes + offsets[:-1]:
            for x in row:
                new[x] += sum(w[y] for y in row if y != x)
        # Gram-Schmidt.
        for c in range(M):
            for b in range(c):
                new[:, c] -= new[:, b] @ new[:, c] * new[:, b]
            new[:, c] /= np.linalg.norm(new[:, c])
        w = new
    return w


def test_twin():
    rng = np.random.default_rng(3)
    n_values = [4, 3, 5]
    codes = rng.integers(0, n_values, (40, 3))
    counts = cooccurrence(CategoricalTable.from_codes(codes, n_values))
    np.testing.assert_allclose(
        stirr(counts, 4, 3, random_state=9), twin(codes, n_values, 4, 3, 9), atol=1e-9
    )


def test_seed_decides(communities):
    first = stirr(communities, random_state=1)
    np.testing.assert_array_equal(first, stirr(communities, random_state=1))
    np.testing.assert_array_equal(first, stirr(communities, random_state=np.random.default_rng(1)))
    assert not np.array_equal(first, stirr(communities, random_state=2))
