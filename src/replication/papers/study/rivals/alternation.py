"""The loop of two levels: learn distances of values from the clusters, then cluster by them."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Protocol

import numpy as np

from couplings.learned.clustering import Run
from replication.papers.study.rivals import kernels
from replication.papers.study.rivals.rows import CountedRows


class Distance(Protocol):
    """A distance of rows and clusters, ``sum_j table[x_uj, c]`` or its root, that is learnt."""

    def learn(self, counts: np.ndarray) -> None:
        """Learn the distances of values from the counts of a partition, shape (L, k)."""

    def update(self, counts: np.ndarray) -> None:
        """Renew the centres or profiles of the clusters, the distances of values being fixed."""

    def table(self) -> np.ndarray:
        """Return what each value adds to the distance of each cluster, float64 of shape (L, k)."""


Same = Callable[[np.ndarray, np.ndarray, np.ndarray], bool]


@dataclass(frozen=True, eq=False)
class Alternation:
    """Outcome of `alternate`.

    Parameters
    ----------
    labels : ndarray of int64, shape (g,)
        Cluster of each row.
    distances : ndarray of float64, shape (g,)
        Distance of each row to its cluster at the last assignment.
    n_iter : int
        Outer rounds.
    """

    labels: np.ndarray
    distances: np.ndarray
    n_iter: int


def alternate(
    rows: CountedRows,
    distance: Distance,
    labels: np.ndarray | None,
    n_clusters: int,
    *,
    root: bool,
    most_inner: int,
    most_outer: int,
    same_inner: Same,
    same_outer: Same,
) -> Alternation:
    """Learn a distance from the clusters, cluster by it, and so on until the partition stays.

    Parameters
    ----------
    rows : CountedRows
        Equal rows once.
    distance : Distance
        Ready to assign; changed in place.
    labels : ndarray of int64, shape (g,), or None
        Partition that the first outer round learns from; None to leave the distance as it is.
    n_clusters : int
        Number of clusters, k.
    root : bool
        Whether the root of the sum is the distance; rounding may make two roots equal.
    most_inner, most_outer : int
        Most rounds: an inner one assigns all rows, then updates the clusters, an outer one learns
        the distances of values, then goes through inner rounds.
    same_inner, same_outer : callable
        When a partition stays, from (old labels, new labels, weights of the rows).

    Returns
    -------
    Alternation
        Of several nearest clusters a row takes the first.
    """
    assign = kernels.nearest_roots if root else kernels.nearest
    own = np.empty(len(rows.values))
    n_iter = 0
    while n_iter < most_outer:
        n_iter += 1
        if labels is not None:
            distance.learn(rows.counts(labels, n_clusters))
        before = None
        for _ in range(most_inner):
            new = np.empty(len(rows.values), dtype=np.int64)
            assign(rows.values, distance.table(), new, own)
            distance.update(rows.counts(new, n_clusters))
            if before is not None and same_inner(before, new, rows.weights):
                break
            before = new
        if labels is not None and same_outer(labels, new, rows.weights):
            break
        labels = new
    return Alternation(new, own, n_iter)


def finished(rows: CountedRows, found: Alternation, distance: Distance, **details: object) -> Run:
    """Return the outcome of one start; its objective is the sum of the distances at the end."""
    return Run(
        found.labels[rows.inverse],
        float(rows.weights @ found.distances),
        found.n_iter,
        {"value_contributions_": distance.table(), **details},
    )


def equal_labels(old: np.ndarray, new: np.ndarray, weights: np.ndarray) -> bool:
    """Return whether all labels are the same."""
    return np.array_equal(old, new)


def equal_partitions(old: np.ndarray, new: np.ndarray, weights: np.ndarray) -> bool:
    """Return whether the partitions are the same, whatever their labels."""
    size = int(new.max()) + 1
    pairs = np.flatnonzero(np.bincount(old * size + new))
    first, second = np.bincount(pairs // size), np.bincount(pairs % size)
    return bool(first.max() == 1 and second.max() == 1)


def equal_sums(old: np.ndarray, new: np.ndarray, weights: np.ndarray) -> bool:
    """Return whether the labels add up to the same, which different partitions may do too."""
    return int((weights * (old - new)).sum()) == 0
