"""Ward with R's order of merges against its plain transcription, on data full of ties."""

import definitions
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from kit import examples
from scipy.spatial.distance import squareform

from couplings.cluster.ward import Ward, ward, ward_linkage


@pytest.mark.twin_of("Ward")
@examples(150)
@given(st.integers(0, 2**32 - 1), st.integers(2, 25), st.integers(1, 6))
def test_ties_like_the_transcription(seed, n, levels):
    rng = np.random.default_rng(seed)
    condensed = rng.integers(0, levels + 1, n * (n - 1) // 2).astype(float)
    for k in {1, 2, 3, n // 2, n} & set(range(1, n + 1)):
        for recurrence in ("D", "D2"):
            worked = condensed**2 if recurrence == "D2" else condensed
            assert ward(condensed, k, recurrence=recurrence).tolist() == definitions.ward_r(
                squareform(worked), k
            )


@examples(10)
@given(st.integers(0, 2**32 - 1), st.integers(60, 110), st.integers(1, 40))
def test_many_objects_like_the_transcription(seed, n, levels):
    """Enough of them that searches take whole blocks, and that those left close up repeatedly."""
    rng = np.random.default_rng(seed)
    condensed = rng.integers(0, levels + 1, n * (n - 1) // 2).astype(float)
    for k in (1, 5, n // 2):
        assert ward(condensed, k).tolist() == definitions.ward_r(squareform(condensed), k)


@examples(20)
@given(st.integers(0, 2**32 - 1), st.integers(60, 150))
def test_without_ties_the_order_decides_nothing(seed, n):
    rng = np.random.default_rng(seed)
    square = squareform(rng.random(n * (n - 1) // 2))
    order = rng.permutation(n)
    for k in (2, n // 3):
        found = Ward(k).fit(square)
        other = Ward(k).fit(square[np.ix_(order, order)])
        assert other.margin_ == found.margin_
        pairs = np.unique([found.labels_[order], other.labels_], axis=1)
        assert pairs.shape[1] == k
    heights = ward_linkage(squareform(square))[:, 2]
    others = ward_linkage(squareform(square[np.ix_(order, order)]))[:, 2]
    np.testing.assert_array_equal(heights, others)


@examples(30)
@given(st.integers(0, 2**32 - 1), st.integers(3, 20))
def test_linkage_is_a_hierarchy(seed, n):
    """Every cluster is used once, sizes add up, and heights never fall."""
    rng = np.random.default_rng(seed)
    condensed = rng.integers(1, 5, n * (n - 1) // 2).astype(float)
    for ties in ("R", "chain"):
        rows = ward_linkage(condensed, ties=ties)
        assert sorted(rows[:, :2].ravel().astype(int)) == list(range(2 * n - 2))
        size = dict.fromkeys(range(n), 1)
        for t, (a, b, _, count) in enumerate(rows):
            size[n + t] = size[int(a)] + size[int(b)]
            assert a < b
            assert count == size[n + t]
        assert (np.diff(rows[:, 2]) >= -1e-9).all()
