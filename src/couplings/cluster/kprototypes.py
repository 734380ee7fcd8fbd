"""k-prototypes: means for numbers, modes for categories."""

from typing import Self

import numpy as np

from couplings._checks import Seed, check_clusters, check_number, check_positive, generator
from couplings._kernels import mixed as kernels
from couplings._params import Params, check_choice
from couplings.mixed import (
    SCALES,
    Mixed,
    MixedTable,
    as_mixed,
    require_complete_categories,
    scaled,
)


class KPrototypes(Params):
    """Huang's k-prototypes, one start.

    An object costs in a cluster the squared Euclidean distance of its scaled numbers to the mean,
    plus gamma for every category that is not the mode. Each pass moves the objects one by one to
    their cheapest cluster and updates the two prototypes at once.

    Parameters
    ----------
    n_clusters : int, default 2
        Number of clusters, 1 to the number of objects.
    scale : {"minmax", "z", "raw"}, default "minmax"
        Scale of the numbers, see `couplings.mixed.scaled`.
    gamma : float, optional
        Weight of a mismatch, at least 0. Default: half the mean standard deviation (of the
        population) of the scaled numbers.
    random_state : int, SeedSequence, Generator or None, default None
        Seed of the start, k different objects at random.
    max_iter : int, default 100
        Most passes.

    Attributes
    ----------
    labels_ : ndarray of int64, shape (n,)
        Cluster of the nearest prototype.
    cost_ : float
        Sum of the costs of the objects in these clusters.
    gamma_ : float
        The weight used.
    centers_ : ndarray of float64, shape (k, r)
        Means of the scaled numbers.
    modes_ : ndarray of int64, shape (k, m)
        Codes of the modes.
    n_iter_ : int
        Number of passes.

    Notes
    -----
    It stops when no object moves or the cost no longer falls. Of several nearest prototypes, and
    of several modes, the first counts; the new value is the mode only if it exceeds the old one.
    A cluster that is empty after the start takes a random object, later one of the largest
    cluster. From the same start the result is that of the package kmodes.

    References
    ----------
    Huang, Data Mining and Knowledge Discovery 2 (1998).
    """

    def __init__(
        self,
        n_clusters: int = 2,
        scale: str = "minmax",
        gamma: float | None = None,
        random_state: Seed = None,
        max_iter: int = 100,
    ) -> None:
        self.n_clusters = n_clusters
        self.scale = scale
        self.gamma = gamma
        self.random_state = random_state
        self.max_iter = max_iter

    def fit(self, X: Mixed, y: object = None) -> Self:
        """Cluster the objects.

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
        check_choice("KPrototypes", "scale", self.scale, SCALES)
        table = as_mixed(X)
        check_clusters("KPrototypes", self.n_clusters, table.n_objects)
        check_positive("KPrototypes", "max_iter", self.max_iter)
        if self.gamma is not None:
            check_number("KPrototypes", "gamma", self.gamma)
        rng = generator("KPrototypes", self.random_state)
        values, offsets = global_values(table)
        numeric = scaled(table.numeric, self.scale)
        n, k = len(numeric), self.n_clusters
        gamma = 0.5 * float(numeric.std(axis=0).mean()) if self.gamma is None else self.gamma

        start = rng.choice(n, k, replace=False)
        centers, modes = numeric[start], values[start]
        members = np.empty(n, dtype=np.int64)
        kernels.nearest_prototypes(numeric, values, centers, modes, gamma, members)
        fill_empty(members, k, rng)
        sums, counts = np.empty_like(centers), np.empty((k, offsets[-1]), dtype=np.int64)
        sizes = np.empty(k, dtype=np.int64)
        state = (centers, modes, sums, counts, sizes)
        kernels.prototypes(numeric, values, offsets, members, *state)
        labels = np.empty(n, dtype=np.int64)
        cost = kernels.nearest_prototypes(numeric, values, centers, modes, gamma, labels)
        n_iter, improves = 0, True
        while improves and n_iter < self.max_iter:
            n_iter += 1
            moves = kernels.pass_over_objects(
                numeric, values, offsets, gamma, members, *state, rng.random(k)
            )
            previous = cost
            cost = kernels.nearest_prototypes(numeric, values, centers, modes, gamma, labels)
            improves = moves > 0 and cost < previous
        self.labels_ = labels
        self.cost_ = cost
        self.gamma_ = gamma
        self.centers_ = centers
        self.modes_ = modes - offsets[:-1]
        self.n_iter_ = n_iter
        return self

    def fit_predict(self, X: Mixed, y: object = None) -> np.ndarray:
        """Cluster the objects and return their labels; see `fit`."""
        return self.fit(X, y).labels_


def global_values(table: MixedTable) -> tuple[np.ndarray, np.ndarray]:
    """Return code plus offset of every cell, (n, m) int64, and the offsets, (m + 1,) int64."""
    require_complete_categories(table)
    offsets = table.categorical.offsets
    return np.ascontiguousarray(table.categorical.codes + offsets[:-1]), offsets


def fill_empty(labels: np.ndarray, n_clusters: int, rng: np.random.Generator) -> None:
    """Give every empty cluster a random object of those that are not alone."""
    sizes = np.bincount(labels, minlength=n_clusters)
    for cluster in np.flatnonzero(sizes == 0):
        moved = rng.choice(np.flatnonzero(sizes[labels] > 1))
        sizes[labels[moved]] -= 1
        sizes[cluster] = 1
        labels[moved] = cluster
