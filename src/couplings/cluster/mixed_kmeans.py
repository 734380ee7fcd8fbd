"""k-means for mixed data with learned weights of attributes and values."""

from dataclasses import dataclass
from operator import itemgetter
from typing import Literal, Self

import numpy as np
from numpy.typing import ArrayLike

from couplings._checks import (
    Seed,
    check_choice,
    check_clusters,
    check_positive,
    counted_weights,
    generator,
    limited,
)
from couplings._domains import Unseen
from couplings._kernels import mixed as kernels
from couplings._renamed import renamed
from couplings._weights import present_only
from couplings.cluster._base import MixedClustering, announced, warn_of_clusters
from couplings.cluster.kprototypes import fill_empty, global_values, scale_of
from couplings.counts import cooccurrence
from couplings.discretize import apply_cuts, equal_width_cuts
from couplings.measures.contexts import AhmadDey
from couplings.mixed import SCALES, Mixed, MixedTable, with_categories
from couplings.spaces import farthest
from couplings.values import ValueMatrices


def random_partition(n_objects: int, n_clusters: int, random_state: Seed = None) -> np.ndarray:
    """Return independent uniform random labels, the baseline of any clustering.

    Labels are int64 of shape (n_objects,), 0 to n_clusters - 1; clusters can be empty.

    Parameters
    ----------
    n_objects, n_clusters : int
        Numbers of objects and of clusters, positive.
    random_state : int, SeedSequence, Generator or None, default None
        Seed.
    """
    return generator("random_partition", random_state).integers(0, n_clusters, n_objects)


@renamed(cost_="objective_")
@dataclass(eq=False, repr=False)
class AhmadDeyKMeans(MixedClustering):
    """Ahmad and Dey's k-means for mixed data (mADD); the best of several starts.

    The value dissimilarities of `AhmadDey` are learned jointly on the categorical and the binned
    numeric attributes. The weight of a numeric attribute is the mean dissimilarity of its bins. The
    cost of an object in a cluster is ``sum_t (w_t (x_t - mean_t))**2`` over the scaled numbers plus
    ``sum_j (sum_y share_j(y) d_j(x_j, y))**2`` over the categories, where share_j(y) is the share
    of the cluster's objects with value y.

    Parameters
    ----------
    n_clusters : int, default 2
        Number of clusters, 1 to the number of objects.
    bins : int, default 5
        Equal-width bins of each numeric attribute, for learning only.
    scale : {"minmax", "symmetric", "z", "raw"}, default "minmax"
        Scale of the numbers, see `couplings.mixed.scaled`.
    random_state : int, SeedSequence, Generator or None, default None
        Seed of the initial random partition and of the objects that empty clusters take.
    max_iter : int, default 100
        Maximum number of updates.
    n_init : int, default 10
        Number of starts; the first result with the lowest cost is kept.
    verbose : bool, default False
        Print a line per start.
    unknown : {"warn", "raise", "mismatch"}, default "warn"
        Rule for values that `fit` has not seen. "mismatch": as far from every value as the two
        farthest values of the attribute. "warn": the same, with an `UnknownValueWarning`. "raise":
        refuse them.
    missing : {"raise", "value"}, default "raise"
        Rule for missing categories: refuse them, or treat them as one more value.
    n_jobs : int, optional
        Maximum number of threads; None and -1 use all cores.

    Attributes
    ----------
    labels_ : ndarray of int64, shape (n,)
        Cluster of each object.
    weights_ : ndarray of float64, shape (r,)
        Weight of each numeric attribute, in [0, 1]; 0 for a constant one.
    value_matrices_ : ValueMatrices
        Dissimilarities of the values of the categorical attributes.
    objective_ : float
        Total cost of the last assignment.
    n_iter_ : int
        Number of updates in the best start.
    n_features_in_, feature_names_in_
        As in `Clustering`: categorical attributes first, then numeric ones.

    References
    ----------
    Ahmad and Dey, Data and Knowledge Engineering 63 (2007).

    Examples
    --------
    >>> import pandas as pd
    >>> from couplings.cluster import AhmadDeyKMeans
    >>> cars = pd.DataFrame({"fuel": ["gas", "gas", "oil", "oil"], "power": [55.0, 60.0, 110, 125]})
    >>> model = AhmadDeyKMeans(n_clusters=2, random_state=0).fit(cars)
    >>> bool((model.predict(cars) == model.labels_).all())
    True
    """

    n_clusters: int = 2
    bins: int = 5
    scale: str = "minmax"
    random_state: Seed = None
    max_iter: int = 100
    n_init: int = 10
    verbose: bool = False
    unknown: Unseen = "warn"
    missing: Literal["raise", "value"] = "raise"
    n_jobs: int | None = None

    @limited
    @present_only
    def fit(self, X: Mixed, y: object = None, sample_weight: ArrayLike | None = None) -> Self:
        """Learn the dissimilarities and cluster the objects.

        Parameters
        ----------
        X : MixedTable or DataFrame
            n objects without missing cells.
        y : object, ignored
        sample_weight : array_like of float, shape (n,), optional
            Number of objects that each row represents, at least 0. A start gives each row one
            cluster, so its partition is another one than that of repeated rows.

        Raises
        ------
        MissingValuesError
            If a cell is missing.
        CouplingsError
            If a parameter is out of range.
        """
        check_choice("AhmadDeyKMeans", "scale", self.scale, SCALES)
        table = self._read(X)
        weights, unit = counted_weights("AhmadDeyKMeans", sample_weight, table.n_objects)
        check_clusters("AhmadDeyKMeans", self.n_clusters, table.n_objects)
        check_positive("AhmadDeyKMeans", n_init=self.n_init, max_iter=self.max_iter, bins=self.bins)
        values, _ = global_values(table)
        self._learn(table, weights, sample_weight)
        rng = generator("AhmadDeyKMeans", self.random_state)
        self._scale = scale_of("AhmadDeyKMeans", table, self.scale, weights, unit)
        centre, spread = self._scale
        numeric = np.ascontiguousarray((table.numeric - centre) / spread * self.weights_)
        runs = (self._run(numeric, values, weights, unit, rng) for _ in range(self.n_init))
        self.labels_, self.objective_, self.n_iter_, self._centers, self._costs = min(
            announced(self, runs, lambda run: f"cost {run[1]:g}, {run[2]} updates"),
            key=itemgetter(1),
        )
        warn_of_clusters("AhmadDeyKMeans", self.labels_, self.n_clusters)
        return self

    def predict(self, X: Mixed) -> np.ndarray:
        """Return the (first) cheapest cluster of each object, int64 of shape (n,).

        Parameters and errors are those of `MultinomialGaussianMixture.predict_proba`.
        """
        numeric, values = self._new(X)
        far = np.square(farthest(self.value_matrices_.blocks, self._domains.all_shares))
        costs = np.hstack([self._costs, np.tile(far, (len(self._costs), 1))])
        return _cheapest(numeric * self.weights_, values, self._centers, costs)[0]

    def _run(
        self,
        numeric: np.ndarray,
        values: np.ndarray,
        weights: np.ndarray,
        unit: float,
        rng: np.random.Generator,
    ) -> tuple[np.ndarray, float, int, np.ndarray, np.ndarray]:
        """Run one start; return labels, cost, updates, centres and value costs."""
        (n, r), k = numeric.shape, self.n_clusters
        matrices = self.value_matrices_
        offsets = matrices.offsets
        centers, sums, costs = np.empty((k, r)), np.empty((k, r)), np.empty((k, offsets[-1]))
        modes, sizes = np.empty((k, values.shape[1]), dtype=np.int64), np.empty(k, dtype=np.int64)
        counts = np.empty((k, offsets[-1]), dtype=np.int64)
        amounts, scales = np.empty((k, r)), np.ones(n)
        state = (centers, modes, sums, amounts, counts, sizes)
        labels = random_partition(n, k, rng)
        n_iter, changes = 0, True
        while changes and n_iter < self.max_iter:
            n_iter += 1
            fill_empty(labels, k, rng, weights)
            kernels.prototypes(numeric, values, offsets, weights, scales, labels, *state)
            kernels.squared_value_costs(
                counts, sizes, matrices.data, matrices.starts, offsets, costs
            )
            moved, distances = _cheapest(numeric, values, centers, costs)
            changes = not np.array_equal(moved, labels)
            labels = moved
        return labels, float((weights * distances).sum()) / unit, n_iter, centers, costs

    def _learn(
        self, table: MixedTable, weights: np.ndarray, sample_weight: ArrayLike | None
    ) -> None:
        def cut(column: np.ndarray) -> np.ndarray:
            return apply_cuts(column, equal_width_cuts(column[weights > 0], self.bins))

        counts = cooccurrence(with_categories(table, cut), sample_weight)
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


def _cheapest(
    numeric: np.ndarray, values: np.ndarray, centers: np.ndarray, costs: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """Return the (first) cheapest cluster of each object, and its cost."""
    labels, distances = np.empty(len(numeric), dtype=np.int64), np.empty(len(numeric))
    kernels.assign_mixed(numeric, values, centers, costs, labels, distances)
    return labels, distances
