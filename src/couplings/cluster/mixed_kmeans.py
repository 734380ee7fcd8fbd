"""k-means for mixed data with learned significance of attributes and values."""

from typing import Self

import numpy as np

from couplings._checks import Seed, check_clusters, check_positive, generator
from couplings._kernels import mixed as kernels
from couplings._params import Params
from couplings.cluster.kprototypes import fill_empty, global_values
from couplings.counts import cooccurrence
from couplings.discretize import apply_cuts, equal_width_cuts
from couplings.measures.ahmad_dey import AhmadDey
from couplings.mixed import Mixed, MixedTable, as_mixed, scaled
from couplings.table import CategoricalTable
from couplings.values import ValueMatrices


def random_partition(n_objects: int, n_clusters: int, random_state: Seed = None) -> np.ndarray:
    """Return independent labels drawn uniformly, the baseline of any clustering.

    Parameters
    ----------
    n_objects, n_clusters : int
        Numbers of objects and of clusters, positive.
    random_state : int, SeedSequence, Generator or None, default None
        Seed.

    Returns
    -------
    ndarray of int64, shape (n_objects,)
        0 to n_clusters - 1; a cluster may be empty.
    """
    return generator("random_partition", random_state).integers(0, n_clusters, n_objects)


def with_categories(table: MixedTable, categories: np.ndarray) -> CategoricalTable:
    """Return the categorical attributes, followed by the numeric ones as categories.

    `categories` are codes 0, 1, ... of shape (n, r).
    """
    own = table.categorical
    return CategoricalTable.from_codes(
        np.column_stack([own.codes.astype(np.int64), categories]),
        categories=[
            *own.categories,
            *([str(code) for code in range(highest + 1)] for highest in categories.max(axis=0)),
        ],
        attributes=table.attributes,
    )


class AhmadDeyKMeans(Params):
    """Ahmad and Dey's k-means for mixed data (mADD), one start.

    The value dissimilarities of `AhmadDey` are learned on the categorical attributes and the
    binned numeric ones together. A numeric attribute weighs the mean dissimilarity of its bins.
    An object costs in a cluster ``sum_t (w_t (x_t - mean_t))**2`` over the min-max numbers plus
    ``sum_j (sum_y share_j(y) d_j(x_j, y))**2`` over the categories, share_j(y) being the share of
    the cluster's objects that have value y.

    Parameters
    ----------
    n_clusters : int, default 2
        Number of clusters, 1 to the number of objects.
    bins : int, default 5
        Equal-width bins of each numeric attribute; used for learning only.
    random_state : int, SeedSequence, Generator or None, default None
        Seed of the start, a random partition, and of the object that an empty cluster takes.
    max_iter : int, default 100
        Most updates.

    Attributes
    ----------
    labels_ : ndarray of int64, shape (n,)
        The cluster of each object.
    weights_ : ndarray of float64, shape (r,)
        Weight of each numeric attribute, in [0, 1]; 0 if it is constant.
    value_matrices_ : ValueMatrices
        Dissimilarities of the values of the categorical attributes.
    cost_ : float
        Sum of the costs of the last assignment.
    n_iter_ : int
        Number of updates.

    References
    ----------
    Ahmad and Dey, Data and Knowledge Engineering 63 (2007).
    """

    def __init__(
        self,
        n_clusters: int = 2,
        bins: int = 5,
        random_state: Seed = None,
        max_iter: int = 100,
    ) -> None:
        self.n_clusters = n_clusters
        self.bins = bins
        self.random_state = random_state
        self.max_iter = max_iter

    def fit(self, X: Mixed, y: object = None) -> Self:
        """Learn the dissimilarities and cluster the objects.

        Parameters
        ----------
        X : MixedTable or DataFrame
            n objects without missing cells.
        y : object
            Ignored.

        Raises
        ------
        MissingValuesError
            If a cell is missing.
        CouplingsError
            If a parameter is out of range.
        """
        table = as_mixed(X)
        check_clusters("AhmadDeyKMeans", self.n_clusters, table.n_objects)
        check_positive("AhmadDeyKMeans", "max_iter", self.max_iter)
        check_positive("AhmadDeyKMeans", "bins", self.bins)
        values, offsets = global_values(table)
        self._learn(table)
        rng = generator("AhmadDeyKMeans", self.random_state)
        n, k = table.n_objects, self.n_clusters
        numeric = scaled(table.numeric, "minmax") * self.weights_
        matrices = self.value_matrices_
        centers = np.empty((k, table.n_numeric))
        counts, sizes = np.empty((k, offsets[-1]), dtype=np.int64), np.empty(k, dtype=np.int64)
        costs, distances = np.empty((k, offsets[-1])), np.empty(n)
        labels = random_partition(n, k, rng)
        n_iter, changes = 0, True
        while changes and n_iter < self.max_iter:
            n_iter += 1
            fill_empty(labels, k, rng)
            kernels.cluster_profiles(numeric, values, labels, centers, counts, sizes)
            kernels.squared_value_costs(
                counts, sizes, matrices.data, matrices.starts, matrices.offsets, costs
            )
            moved = np.empty_like(labels)
            kernels.assign_mixed(numeric, values, centers, costs, moved, distances)
            changes = not np.array_equal(moved, labels)
            labels = moved
        self.labels_ = labels
        self.cost_ = float(distances.sum())
        self.n_iter_ = n_iter
        return self

    def fit_predict(self, X: Mixed, y: object = None) -> np.ndarray:
        """Cluster the objects and return their labels; see `fit`."""
        return self.fit(X, y).labels_

    def _learn(self, table: MixedTable) -> None:
        """Learn the value matrices and the weights of the numeric attributes."""
        bins = [
            apply_cuts(column, equal_width_cuts(column, self.bins)) for column in table.numeric.T
        ]
        counts = cooccurrence(with_categories(table, np.column_stack(bins)))
        matrices = AhmadDey().fit(counts).value_matrices_
        m = table.categorical.n_attributes
        self.value_matrices_ = ValueMatrices.from_blocks([matrices.block(j) for j in range(m)])
        self.weights_ = np.zeros(table.n_numeric)
        for t in range(table.n_numeric):
            filled = counts.block(m + t, m + t).diagonal() > 0
            size = np.count_nonzero(filled)
            if size > 1:
                block = matrices.block(m + t)[np.ix_(filled, filled)]
                self.weights_[t] = block.sum() / (size * (size - 1))
