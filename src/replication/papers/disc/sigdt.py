"""SigDT: a binary tree of significant splits, whose leaves are the clusters."""

from dataclasses import dataclass
from typing import Self

import numpy as np
from scipy.special import erfc
from scipy.stats import binom

from couplings.cluster._base import Clustering
from couplings.table import Objects, require_complete, table_of

LEVEL = 0.01
"""Level of the tests, and of the tree before its correction."""
SMALLEST = 6
"""Fewest objects on either side of a split."""


@dataclass(eq=False, repr=False)
class SigDT(Clustering):
    """Cluster by a binary tree whose splits are tested for significance (SigDT).

    A node with n objects is split by one value of one attribute into the n_1 objects that have it
    and the n_2 others. For every value of the other attributes, a test compares its shares p_1 and
    p_2 on both sides: with p its share in the node, ``|p_1 - p_2|`` is divided by
    ``sqrt(p (1 - p) (1 / n_1 + 1 / n_2))`` and taken as normal. Of all Q values of the table, r are
    significant at 0.01, and the p-value of the split is that of at least r of Q tests,
    ``P(B >= r)`` with B binomial of Q and 0.01. The split of least p-value counts, the first of
    several; both sides need at least 6 objects. Nodes are visited depth first, the objects with
    the value before the others. Node i, counted from 1 at the root, is split if i is 1 or its
    p-value is at most ``0.01 / Q^i``; otherwise it is a cluster. A root without a split of p-value
    below 1 is split by the first value of the first attribute. The method draws no random numbers
    and finds the number of clusters itself.

    Attributes
    ----------
    labels_ : ndarray of int64, shape (n,)
        Cluster of each object, in the order in which the leaves are found.
    n_clusters_ : int
        Number of clusters.
    p_values_ : ndarray of float64, shape (n_clusters_ - 1,)
        P-values of the splits, in the order in which they are made.

    Notes
    -----
    Attributes are taken in the order of the table and their values by first appearance, which
    decides ties. Every step is that of the program.

    References
    ----------
    Hu, Jiang, Liu and He, Information Sciences 690 (2025) 121588. The program is public
    (github.com/hulianyu/SigDT, commit 9a97623); this class was written from its steps.
    """

    def fit(self, X: Objects, y: object = None) -> Self:
        """Cluster the objects.

        Parameters
        ----------
        X : CategoricalTable, data frame or array_like
            n objects in any form that measures accept.
        y : object, ignored

        Raises
        ------
        MissingValuesError
            If a cell is missing.
        """
        table = table_of(X)
        require_complete(table)
        table = table.observed()
        values = table.codes + table.offsets[:-1]
        splits = _Splits(values, int(table.offsets[-1]))
        self.labels_ = np.zeros(len(values), dtype=np.int64)
        self.n_clusters_, node, made = 0, 0, []
        waiting = [np.arange(len(values))]
        while waiting:
            objects, node = waiting.pop(), node + 1
            p_value, inside = splits.best(objects)
            if node > 1 and p_value > splits.limit(node):
                self.labels_[objects] = self.n_clusters_
                self.n_clusters_ += 1
                continue
            made.append(p_value)
            waiting += [objects[~inside], objects[inside]]
        self.p_values_ = np.array(made)
        return self


class _Splits:
    """Splits of sets of objects by one value.

    Parameters
    ----------
    values : ndarray of int, shape (n, m)
        Global indices of the values of n objects.
    n_values : int
        Q, all values of the table.
    """

    def __init__(self, values: np.ndarray, n_values: int) -> None:
        self.values, self.n_values = values, n_values
        # values of an attribute by first appearance, the order in which they are tried
        self.tried = [
            column[np.sort(np.unique(column, return_index=True)[1])] for column in values.T
        ]
        self.tails = binom.sf(np.arange(-1, n_values), n_values, LEVEL)

    def limit(self, node: int) -> float:
        """Return the largest p-value of a split of the node with this number."""
        # of a large node number the power has no floating-point number
        return float(np.exp(np.log(LEVEL) - node * np.log(self.n_values)))

    def best(self, objects: np.ndarray) -> tuple[float, np.ndarray]:
        """Return the least p-value, and which objects have the value of that split."""
        rows = self.values[objects]
        counts = np.bincount(rows.ravel(), minlength=self.n_values)
        least, chosen = 1.0, rows[:, 0] == self.tried[0][0]
        for j, tried in enumerate(self.tried):
            own = np.flatnonzero(np.isin(np.arange(self.n_values), tried))
            for value in tried:
                size = int(counts[value])
                if min(size, len(rows) - size) < SMALLEST:
                    continue
                inside = rows[:, j] == value
                significant = self._significant(rows[inside], counts, own, len(rows))
                if self.tails[significant] < least:
                    least, chosen = float(self.tails[significant]), inside
        return least, chosen

    def _significant(self, inside: np.ndarray, counts: np.ndarray, own: np.ndarray, n: int) -> int:
        """Return how many values of the other attributes have different shares on both sides."""
        within = np.bincount(inside.ravel(), minlength=self.n_values)
        first, second = len(inside), n - len(inside)
        share = counts / n
        spread = np.sqrt(share * (1 - share) * (1 / first + 1 / second))
        # the attribute of the split itself is not tested, nor a value that all or no objects have
        spread[own] = 0.0
        tested = spread > 0
        gap = np.abs(within / first - (counts - within) / second)[tested] / spread[tested]
        return int((erfc(gap / np.sqrt(2)) <= LEVEL).sum())
