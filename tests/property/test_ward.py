"""Ward with R's order of merges, and what ties decide."""

import definitions
import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from kit import examples
from scipy.spatial.distance import squareform

from couplings import CouplingsError, Ward, ward_linkage
from couplings.cluster.neighbours import numbered
from couplings.cluster.ward import ward
from couplings.cluster.ward_ties import ward_remainder, ward_settled

SLACK = 1e-9


def ends(square, sizes, members, k, found):
    """Add every partition into k clusters that merging a nearest pair again and again ends in."""
    if len(members) == k:
        found.add(frozenset(members))
        return
    least = square[np.triu_indices(len(square), 1)].min()
    for i, j in zip(*np.nonzero(np.triu(square <= least * (1 + SLACK), 1)), strict=True):
        total = sizes[i] + sizes[j] + sizes
        row = (sizes[i] + sizes) * square[i] + (sizes[j] + sizes) * square[j] - sizes * square[i, j]
        merged = square.copy()
        merged[i] = merged[:, i] = row / total
        rest = np.arange(len(square)) != j
        grown = sizes + (np.arange(len(sizes)) == i) * sizes[j]
        names = [members[i] | members[j] if q == i else members[q] for q in np.flatnonzero(rest)]
        ends(merged[np.ix_(rest, rest)], grown[rest], names, k, found)


def everything(square, k):
    """All partitions that ways of resolving ties end in."""
    found = set()
    ends(square, np.ones(len(square)), [frozenset([i]) for i in range(len(square))], k, found)
    return found


def partition(labels):
    return frozenset(frozenset(np.flatnonzero(labels == c).tolist()) for c in np.unique(labels))


def objects(rng, n, m, values, digits):
    """Distances of random objects, with repeated ones and equal distances."""
    codes = rng.integers(0, values, (n, m))
    between = rng.random((m, values, values)).round(digits)
    between = between + between.transpose(0, 2, 1)
    between[:, range(values), range(values)] = 0.0
    return sum(between[j][codes[:, [j]], codes[:, j]] for j in range(m))


@examples(40)
@given(
    st.integers(2, 7),
    st.integers(1, 4),
    st.integers(2, 3),
    st.sampled_from([0, 1, 15]),
    st.sampled_from(["D", "D2"]),
    st.data(),
)
def test_what_is_settled_is_where_all_ways_end(n, m, values, digits, recurrence, data):
    rng = np.random.default_rng(data.draw(st.integers(0, 2**32 - 1)))
    k = data.draw(st.integers(1, n))
    square = objects(rng, n, m, values, digits)
    condensed = squareform(square)
    labels = ward(condensed, k, recurrence=recurrence)
    found = everything(square if recurrence == "D" else square**2, k)
    assert partition(labels) in found
    settled = ward_settled(condensed, labels, recurrence=recurrence, effort=1e9)
    assert settled == (len(found) == 1)
    left = ward_remainder(condensed, labels, recurrence=recurrence)
    for order in (rng.permutation(n) for _ in range(3)):
        others = left.clusters(k, order)
        assert others is not None or len(found) > 1
        if others is not None:
            assert partition(others[np.argsort(order)]) in found
            assert numbered(others).tolist() == others.tolist()


@given(
    st.integers(3, 24),
    st.integers(1, 4),
    st.integers(1, 3),
    st.sampled_from([1, 2, 15]),
    st.sampled_from(["D", "D2"]),
    st.data(),
)
def test_without_ties_that_decide_no_order_matters(n, m, values, digits, recurrence, data):
    rng = np.random.default_rng(data.draw(st.integers(0, 2**32 - 1)))
    square = objects(rng, n, m, values, digits)
    fitted = Ward(data.draw(st.integers(1, n)), recurrence).fit(squareform(square))
    assume(not fitted.tied_ and fitted.margin_ > 1e-9)
    for _ in range(5):
        order = rng.permutation(n)
        other = Ward(fitted.n_clusters, recurrence).fit(squareform(square[np.ix_(order, order)]))
        assert partition(fitted.labels_[order]) == partition(other.labels_)


def test_by_hand():
    # 1 is as near to 0 as to 2; 3 is far away: in the end 0, 1 and 2 are together in any case
    square = np.array([[0, 1, 2, 9], [1, 0, 1, 9], [2, 1, 0, 9], [9, 9, 9, 0]], dtype=float)
    assert ward_settled(squareform(square), np.array([0, 0, 0, 1]))
    assert not ward_settled(squareform(square), np.array([0, 0, 1, 2]))
    # not those clusters, though they are clear
    assert not ward_settled(squareform(square), np.array([0, 1, 1, 1]))
    # one of the two is farther by less than rounding, or by more
    square[1, 2] = square[2, 1] = 1 + 1e-12
    assert not ward_settled(squareform(square), np.array([0, 0, 1, 2]))
    square[1, 2] = square[2, 1] = 1 + 1e-6
    assert ward_settled(squareform(square), np.array([0, 0, 1, 2]))


def test_too_many_choices_are_not_followed():
    # two grids far from each other: all ways end there, but there are many
    line = np.arange(4.0)
    x, y = np.meshgrid(line, line)
    points = np.column_stack([np.tile(x.ravel(), 2), np.concatenate([y.ravel(), y.ravel() + 1e3])])
    square = np.abs(points[:, None] - points[None]).sum(axis=2)
    labels = np.repeat([0, 1], 16)
    assert ward_linkage(squareform(square))[-1, 2] > 1e3
    assert not ward_settled(squareform(square), labels, effort=1.0)
    assert ward_settled(squareform(square), labels, effort=1e9)


@pytest.mark.parametrize("labels", [[0, 1], [0, 2, 2], [-1, 0, 1], [0.0, 1.0, 1.0]])
def test_labels_that_are_none(labels):
    with pytest.raises(CouplingsError, match="ward_settled needs"):
        ward_settled(np.ones(3), np.array(labels))


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
