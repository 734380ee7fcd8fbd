"""Dependence of Ward's clusters on tie-breaking."""

from dataclasses import dataclass

import numpy as np

from couplings._kernels import agglomeration
from couplings.cluster._base import numbered, roots
from couplings.cluster.ward import _checked, _working_copy
from couplings.errors import CouplingsError

SLACK = 1e-9
"""Relative difference up to which distances are ties: rounding may order them either way."""
EFFORT = 10.0
"""Limit on the numbers read while following choices, in squares of the number of objects."""


def ward_settled(
    distances: np.ndarray,
    labels: np.ndarray,
    *,
    recurrence: str = "D",
    overwrite: bool = False,
    effort: float = EFFORT,
) -> bool:
    """Return whether Ward's method gives these clusters under any tie-breaking.

    If so, they do not depend on the order of the objects or on the rule for ties. A pair merges in
    any case unless a third cluster is equally near to one of the two. Otherwise every choice is
    followed to its end, in turn for each set of mutually nearest clusters; partitions that recur
    are followed once. Errors are those of `ward`; `CouplingsError` also if `labels` do not label n
    objects with such clusters.

    Parameters
    ----------
    distances : array_like of float, shape (n (n - 1) / 2,)
        As in `ward`.
    labels : array_like of int, shape (n,)
        Clusters 0 to k - 1, none empty.
    recurrence, overwrite
        As in `ward`.
    effort : float
        Give up once following the choices has read n² numbers this many times.

    Returns
    -------
    bool
        True if proven. False if other tie-breaking, or rounding of the distances by a relative
        1e-9, may give other clusters, or if there are too many choices to follow.

    Examples
    --------
    Of three objects in a row, the middle one is equally near to the first and the last. A fourth is
    far from all:

    >>> from couplings.cluster.ward import ward
    >>> from couplings.cluster.ward_ties import ward_settled
    >>> distances = [1.0, 2.0, 9.0, 1.0, 9.0, 9.0]
    >>> ward_settled(distances, ward(distances, n_clusters=2))
    True
    >>> ward_settled(distances, ward(distances, n_clusters=3))
    False
    """
    left = ward_remainder(distances, labels, recurrence=recurrence, overwrite=overwrite)
    return left is not None and left.settled(labels, effort)


@dataclass(frozen=True, eq=False)
class WardRemainder:
    """Clusters that arise under any tie-breaking, and the merges left open.

    Attributes
    ----------
    distances : ndarray of float64, shape (m, m)
        Distances of the clusters, numbered by first objects; infinite diagonal.
    sizes : ndarray of float64, shape (m,)
        Number of objects of each cluster.
    member : ndarray of int64, shape (n,)
        Cluster of each object.
    below : float
        Upper bound of all merges within these clusters: the smallest distance between two of the
        requested clusters.
    """

    distances: np.ndarray
    sizes: np.ndarray
    member: np.ndarray
    below: float

    def settled(self, labels: np.ndarray, effort: float = EFFORT) -> bool:
        """Return whether all choices end in the requested clusters, see `ward_settled`."""
        looks = effort * len(self.member) ** 2
        ends = _ends(self.distances.copy(), self.sizes.copy(), self.below, looks)
        wanted = numbered(labels)
        return ends is not None and all(
            np.array_equal(wanted, numbered(end[self.member])) for end in ends
        )

    def clusters(self, n_clusters: int, order: np.ndarray) -> np.ndarray | None:
        """Continue clustering with the objects in another order.

        Parameters
        ----------
        n_clusters : int
            Number of clusters, at most m.
        order : ndarray of int64, shape (n,)
            Order of the objects; the ties "R" of `ward` resolve the remaining choices.

        Returns
        -------
        ndarray of int64, shape (n,), or None
            Labels in that order, 0 to n_clusters - 1 by first appearance. None if a merge left out
            may be nearer than one within the clusters here, so that a merge independent of ties
            could come after the last.
        """
        m = len(self.sizes)
        first, turned = np.unique(self.member[order], return_index=True)
        rows = first[np.argsort(turned)]
        work = self.distances[np.ix_(rows, rows)][np.triu_indices(m, 1)]
        one_more = max(n_clusters - 1, 1)
        merges, heights, *_ = agglomeration.merge_nearest(
            work, self.sizes[rows], one_more, *agglomeration.ALL
        )
        if one_more < n_clusters and heights[-1] < self.below * (1.0 - SLACK):
            return None
        merges = merges[: m - n_clusters]
        labels = numbered(roots(m, merges[:, 1], merges[:, 0]))
        place = np.empty(m, np.int64)
        place[rows] = np.arange(m)
        return labels[place[self.member[order]]]


def ward_remainder(
    distances: np.ndarray, labels: np.ndarray, *, recurrence: str = "D", overwrite: bool = False
) -> WardRemainder | None:
    """Make the merges of Ward's method that happen under any tie-breaking.

    Parameters and errors are those of `ward_settled`. Returns a `WardRemainder`, or None if more
    than a quarter of the objects, and more than 64, would remain.
    """
    from scipy.spatial.distance import squareform

    condensed, n = _checked(distances, recurrence, "R")
    labels = np.asarray(labels)
    if labels.shape != (n,) or labels.dtype.kind not in "iu":
        raise CouplingsError(f"ward_settled needs a label for each of {n} objects")
    sizes = np.bincount(labels) if labels.min() >= 0 else np.zeros(1)
    if not sizes.all():
        raise CouplingsError("ward_settled needs labels 0 to k - 1, each of at least one object")
    work = _working_copy(condensed, recurrence, overwrite)
    below = _next_height(agglomeration.block_sums(work, labels, len(sizes)), sizes)
    size, most = np.ones(n), max(n // 4, 64)
    merges, *_, n_frozen = agglomeration.merge_nearest(
        work, size, 1, below, SLACK, most, np.zeros(n, dtype=bool)
    )
    m = n - len(merges)
    if max(m, n_frozen) > most:
        return None
    square = squareform(work[: m * (m - 1) // 2], checks=False)
    np.fill_diagonal(square, np.inf)
    member = numbered(roots(n, merges[:, 1], merges[:, 0]))
    return WardRemainder(square, size[:m], member, below)


def _next_height(sums: np.ndarray, sizes: np.ndarray) -> float:
    """Return the smallest distance of two clusters by Ward's update, from sums over pairs."""
    # It is 2 (E(A ∪ B) - E(A) - E(B)), with E the sum of the distances within divided by the size.
    if len(sizes) == 1:
        return float("inf")
    within = sums.diagonal() / 2
    a, b = np.triu_indices(len(sizes), 1)
    together = (within[a] + within[b] + sums[a, b]) / (sizes[a] + sizes[b])
    apart = within[a] / sizes[a] + within[b] / sizes[b]
    return float(2 * (together - apart).min())


def _ends(
    square: np.ndarray, size: np.ndarray, below: float, looks: float
) -> list[np.ndarray] | None:
    """Return the possible partitions after merges below a distance; None if there are too many."""
    names = np.arange(len(size))
    state = agglomeration.merge_clear(square, size, names, names.copy(), below, SLACK)
    waiting, seen, ends = [state], {state[3].tobytes()}, []
    while waiting:
        square, size, names, owner, spent = waiting.pop()
        looks -= spent + 2 * square.size
        if looks < 0:
            return None
        pairs = agglomeration.choices(square, below, SLACK)
        if len(pairs) == 0:
            ends.append(owner)
        for x, y in pairs:
            state = agglomeration.choose(square, size, names, owner, x, y, below, SLACK)
            if state[3].tobytes() not in seen:
                seen.add(state[3].tobytes())
                waiting.append(state)
            else:
                looks -= state[4]
    return ends
