"""k-prototypes: means for numbers, modes for categories."""

from dataclasses import dataclass
from typing import Any, Self

import numpy as np

from couplings._checks import (
    Seed,
    check_choice,
    check_clusters,
    check_number,
    check_positive,
    generator,
)
from couplings._kernels import mixed as kernels
from couplings.cluster._base import MeasuredClustering, summed_matrices
from couplings.cluster.kmodes import labels_of
from couplings.mixed import (
    SCALES,
    Mixed,
    MixedTable,
    as_mixed,
    location_and_spread,
    require_complete_categories,
    scaled,
)
from couplings.values import ValueMatrices


@dataclass(eq=False, repr=False)
class KPrototypes(MeasuredClustering):
    """Huang's k-prototypes, with any measure for the categories, the best of several starts.

    An object costs in a cluster the squared Euclidean distance of its scaled numbers to the mean,
    plus gamma times the dissimilarity of its categories to the modes. Each pass moves the objects
    one by one to their cheapest cluster and updates the two prototypes at once.

    Parameters
    ----------
    n_clusters : int, default 2
        Number of clusters, 1 to the number of objects.
    scale : {"minmax", "symmetric", "z", "raw"}, default "minmax"
        Scale of the numbers, see `couplings.mixed.scaled`.
    gamma : float, optional
        Weight of the categories, at least 0. Default: half the mean standard deviation (of the
        population) of the scaled numbers, which Huang proposes for mismatches.
    random_state : int, SeedSequence, Generator or None, default None
        Seed of the starts, k different objects at random.
    max_iter : int, default 100
        Most passes.
    measure : str or measure, default "simple_matching"
        Dissimilarity of the categories, by name (see `measure_names`) or as an instance, which is
        copied and fitted; it has to add up over the attributes. Rules for missing cells and unseen
        values are parameters of the measure.
    n_init : int, default 10
        Number of starts; the result of the least cost is kept, the first of several.
    verbose : bool, default False
        Print a line per start.

    Attributes
    ----------
    labels_ : ndarray of int64, shape (n,)
        Cluster of the nearest prototype.
    cluster_centroids_ : ndarray of object, shape (k, m + r)
        Labels of the modes and means of the numbers in their own units, in the order of
        `feature_names_in_`.
    cost_ : float
        Sum of the costs of the objects in these clusters.
    gamma_ : float
        The weight used.
    centers_ : ndarray of float64, shape (k, r)
        Means of the scaled numbers.
    modes_ : ndarray of int64, shape (k, m)
        Codes of the modes.
    n_iter_ : int
        Number of passes, in the best start.
    measure_ : measure
        The fitted measure.
    n_features_in_, feature_names_in_
        As in `Clustering`, of the categorical attributes and then of the numeric ones.

    Notes
    -----
    It stops when no object moves or the cost no longer falls. Of several nearest prototypes, and
    of several modes, the first counts; the new value is the mode only if it exceeds the old one.
    A cluster that is empty after the start takes a random object, later one of the largest
    cluster. From the same start, with simple matching, the result is that of the package kmodes.

    References
    ----------
    Huang, Data Mining and Knowledge Discovery 2 (1998).

    Examples
    --------
    >>> import pandas as pd
    >>> from couplings import KPrototypes
    >>> cars = pd.DataFrame({"fuel": ["gas", "gas", "oil", "oil"], "power": [55.0, 60.0, 110, 125]})
    >>> model = KPrototypes(n_clusters=2, random_state=0).fit(cars)
    >>> model.cluster_centroids_[model.labels_[0]]
    array(['gas', 57.5], dtype=object)
    >>> bool(model.predict(pd.DataFrame({"fuel": ["oil"], "power": [100]}))[0] == model.labels_[3])
    True
    """

    n_clusters: int = 2
    scale: str = "minmax"
    gamma: float | None = None
    random_state: Seed = None
    max_iter: int = 100
    measure: Any = "simple_matching"
    n_init: int = 10
    verbose: bool = False

    def fit(self, X: Mixed, y: object = None) -> Self:
        """Cluster the objects.

        Parameters
        ----------
        X : MixedTable or DataFrame
            n objects with numbers, none of them missing, and categories.
        y : object
            Ignored.

        Raises
        ------
        MissingValuesError
            If a number is missing, or a category is and the measure has no rule for it.
        CouplingsError
            If a parameter is out of range.
        """
        check_choice("KPrototypes", "scale", self.scale, SCALES)
        table = as_mixed(X)
        check_clusters("KPrototypes", self.n_clusters, table.n_objects)
        check_positive("KPrototypes", "max_iter", self.max_iter)
        check_positive("KPrototypes", "n_init", self.n_init)
        if self.gamma is not None:
            check_number("KPrototypes", "gamma", self.gamma)
        rng = generator("KPrototypes", self.random_state)
        coded, space = self._learn(table.categorical)
        self._remember_features(np.array(table.attributes), len(table.attributes))
        matrices = summed_matrices("KPrototypes", space)
        values = np.ascontiguousarray(coded.codes.astype(np.int64) + matrices.offsets[:-1])
        self._names = table.names
        self._scale = location_and_spread(table.numeric, self.scale)
        numeric = scaled(table.numeric, self.scale)
        gamma = 0.5 * float(numeric.std(axis=0).mean()) if self.gamma is None else self.gamma
        self.cost_ = np.inf
        for start in range(self.n_init):
            found = self._run(np.ascontiguousarray(numeric), values, matrices, float(gamma), rng)
            if self.verbose:
                print(f"start {start + 1} of {self.n_init}: cost {found[1]:g}, {found[4]} passes")
            if found[1] < self.cost_:
                self.labels_, self.cost_, self.centers_, modes, self.n_iter_ = found
        self.gamma_ = gamma
        self.modes_ = modes - matrices.offsets[:-1]
        self._centroids = self._labelled(self.modes_)
        means = self.centers_ * self._scale[1] + self._scale[0]
        self.cluster_centroids_ = np.hstack([labels_of(self._centroids), means.astype(object)])
        return self

    def predict(self, X: Mixed) -> np.ndarray:
        """Return the nearest prototype of each object, the first of several, int64 of shape (n,).

        Parameters
        ----------
        X : MixedTable or DataFrame
            Objects, one is enough, with the attributes of `fit`. Errors are those of
            `KModes.predict`.
        """
        self._require_fit()
        table = as_mixed(X, self._train, self._names, declared=False)
        new, modes, space = self._together(table.categorical, self._centroids)
        matrices = summed_matrices("KPrototypes", space)
        first = matrices.offsets[:-1]
        centre, spread = self._scale
        labels = np.empty(new.n_objects, dtype=np.int64)
        kernels.nearest_prototypes(
            np.ascontiguousarray((table.numeric - centre) / spread),
            np.ascontiguousarray(new.codes.astype(np.int64) + first),
            self.centers_,
            np.ascontiguousarray(modes.codes.astype(np.int64) + first),
            *(matrices.data, matrices.starts, matrices.offsets),
            float(self.gamma_),
            labels,
        )
        return labels

    def _run(
        self,
        numeric: np.ndarray,
        values: np.ndarray,
        matrices: ValueMatrices,
        gamma: float,
        rng: np.random.Generator,
    ) -> tuple[np.ndarray, float, np.ndarray, np.ndarray, int]:
        """Return labels, cost, centres, modes and passes from one start."""
        n, k, offsets = len(numeric), self.n_clusters, matrices.offsets
        parts = (matrices.data, matrices.starts, offsets, gamma)
        start = rng.choice(n, k, replace=False)
        centers, modes = numeric[start], values[start]
        members = np.empty(n, dtype=np.int64)
        kernels.nearest_prototypes(numeric, values, centers, modes, *parts, members)
        fill_empty(members, k, rng)
        sums, counts = np.empty_like(centers), np.empty((k, offsets[-1]), dtype=np.int64)
        sizes = np.empty(k, dtype=np.int64)
        state = (centers, modes, sums, counts, sizes)
        kernels.prototypes(numeric, values, offsets, members, *state)
        labels = np.empty(n, dtype=np.int64)
        cost = kernels.nearest_prototypes(numeric, values, centers, modes, *parts, labels)
        n_iter, improves = 0, True
        while improves and n_iter < self.max_iter:
            n_iter += 1
            moves = kernels.pass_over_objects(
                numeric, values, *parts, members, *state, rng.random(k)
            )
            previous = cost
            cost = kernels.nearest_prototypes(numeric, values, centers, modes, *parts, labels)
            improves = moves > 0 and cost < previous
        return labels, cost, centers, modes, n_iter


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
