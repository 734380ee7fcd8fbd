"""k-prototypes: means for numbers, modes for categories."""

from dataclasses import dataclass
from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike

from couplings._checks import (
    Seed,
    check_choice,
    check_clusters,
    check_number,
    check_positive,
    counted_weights,
    generator,
    limited,
    word_of,
)
from couplings._kernels import mixed as kernels
from couplings._kernels.modes import spread_modes
from couplings._renamed import renamed
from couplings._weights import present_only
from couplings.cluster._base import (
    MeasuredClustering,
    PrototypeClustering,
    announced,
    summed_matrices,
    warn_of_clusters,
)
from couplings.cluster.kmodes import cao_objects, labels_of, warn_of_passes
from couplings.errors import CouplingsError, MissingValuesError
from couplings.mixed import (
    SCALES,
    Mixed,
    MixedTable,
    as_mixed,
    frame_of,
    location_and_spread,
)
from couplings.spaces import ObjectSpace
from couplings.table import CategoricalTable
from couplings.values import ValueMatrices


@renamed(cost_="objective_")
@dataclass(eq=False, repr=False)
class KPrototypes(MeasuredClustering, PrototypeClustering):
    """Huang's k-prototypes with any measure for the categories; the best of several starts.

    The cost of an object in a cluster is the squared Euclidean distance of its scaled numbers to
    the mean plus gamma times the dissimilarity of its categories to the modes. Missing numbers are
    left out, and the squared distance over the present ones is multiplied by the number of numeric
    attributes, r, divided by their number.

    Parameters
    ----------
    n_clusters : int, default 2
        Number of clusters, 1 to the number of objects.
    scale : {"minmax", "symmetric", "z", "raw"}, default "minmax"
        Scale of the numbers, see `couplings.mixed.scaled`.
    gamma : float or "lambdaest", optional
        Weight of the categories, at least 0. Default: half the mean population standard deviation
        of the scaled numbers, proposed by Huang for mismatches. "lambdaest", from clustMixType: the
        mean sample variance of the scaled numbers, divided by the mean over the categorical
        attributes of ``1 - sum of p_x**2``, with p_x the share of a value. Both are 1 if all
        numbers are constant.
    random_state : int, SeedSequence, Generator or None, default None
        Seed of the starts.
    max_iter : int, default 100
        Maximum number of passes.
    measure : str or measure, default "simple_matching"
        Dissimilarity of the categories: a name (see `measure_names`) or an instance, which is
        copied and fitted; it must add up over the attributes. Rules for missing cells and unseen
        values are parameters of the measure.
    n_init : int, default 10
        Number of starts; the first result with the lowest cost is kept. Given prototypes are a
        single start.
    verbose : bool, default False
        Print a line per start.
    init : {"plus", "random", "cao"}, MixedTable or DataFrame of k rows, default "plus"
        Starts. "plus": objects that lie far apart, drawn as in `spread_starts` of k-modes with the
        cost of this clustering. "random": k distinct objects. "cao": the objects whose categories
        are Cao's modes, a single start. Rows are the prototypes, in the units of the data.
    update : {"online", "hartigan", "ng"}, default "hartigan"
        "online" (Huang): each pass moves objects one by one to their cheapest cluster and updates
        both prototypes at once. "hartigan" (after Hartigan and Wong): then objects move while the
        total cost, with the best prototypes of the old and the new cluster, decreases, so the cost
        is never above that of "online". "ng" (Ng et al.): as "online" with simple matching, but
        a match with a mode costs the share of the cluster that has another value.
    missing, unknown : str, optional
        Rules for missing cells and unseen values, see `ValueMeasure`; they replace those of the
        measure.
    n_jobs : int, optional
        Maximum number of threads; None and -1 use all cores.

    Attributes
    ----------
    labels_ : ndarray of int64, shape (n,)
        Nearest prototype of each object.
    cluster_centroids_ : ndarray of object, shape (k, m + r)
        Labels of the modes and means of the numbers in their original units, in the column order
        of `feature_names_in_`.
    objective_ : float
        Total cost of the objects in their clusters.
    gamma_ : float
        Weight of the categories.
    centers_ : ndarray of float64, shape (k, r)
        Means of the scaled numbers.
    modes_ : ndarray of int64, shape (k, m)
        Codes of the modes.
    n_iter_ : int
        Number of passes, in the best start.
    epoch_costs_ : ndarray of float64, shape (n_iter_ + 1,)
        Cost of the start, after one update of its prototypes, and after each pass.
    measure_ : measure
        The fitted measure.
    n_features_in_, feature_names_in_
        As in `Clustering`; the categorical attributes of a `MixedTable` come first.

    Notes
    -----
    Iterations stop when no object moves or the cost no longer decreases. Ties between prototypes
    and between modes go to the first; a new value replaces the mode only if it is more frequent. A
    cluster that is empty after the start takes a random object, later one of the largest cluster.
    From the same start, simple matching with the updates "online" and "ng" gives the result of the
    package kmodes.

    References
    ----------
    Huang, Data Mining and Knowledge Discovery 2 (1998). Szepannek, The R Journal 10 (2018):
    clustMixType. Hartigan and Wong, Applied Statistics 28 (1979). Ng, Li, Huang and He, IEEE TPAMI
    29 (2007). Cao, Liang and Bai, Expert Systems with Applications 36 (2009).

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
    gamma: float | str | None = None
    random_state: Seed = None
    max_iter: int = 100
    measure: Any = "simple_matching"
    n_init: int = 10
    verbose: bool = False
    init: Any = "plus"
    missing: str | None = None
    unknown: str | None = None
    n_jobs: int | None = None
    update: str = "hartigan"

    @limited
    @present_only
    def fit(self, X: Mixed, y: object = None, sample_weight: ArrayLike | None = None) -> Self:
        """Cluster the objects.

        Parameters
        ----------
        X : MixedTable or DataFrame
            n objects with numbers, possibly missing, and categories.
        y : object, ignored
        sample_weight : array_like of float, shape (n,), optional
            Number of objects that each row represents, at least 0.

        Warns
        -----
        ConvergenceWarning
            If distinct objects are fewer than clusters, or if objects still move after `max_iter`
            passes.

        Raises
        ------
        MissingValuesError
            If a category is missing and the measure has no rule for it, or if all cells of a
            numeric column are missing.
        CouplingsError
            If a parameter is out of range.
        """
        check_choice("KPrototypes", "scale", self.scale, SCALES)
        data = X if isinstance(X, MixedTable) else frame_of(X)
        table = as_mixed(data, incomplete=True)
        check_clusters("KPrototypes", self.n_clusters, table.n_objects)
        check_positive("KPrototypes", max_iter=self.max_iter, n_init=self.n_init)
        if isinstance(self.gamma, str):
            check_choice("KPrototypes", "gamma", self.gamma, ("lambdaest",))
        elif self.gamma is not None:
            check_number("KPrototypes", "gamma", self.gamma)
        self._word = word_of("KPrototypes", "init", self.init, ("plus", "random", "cao"))
        check_choice("KPrototypes", "update", self.update, ("online", "hartigan", "ng"))
        rng = generator("KPrototypes", self.random_state)
        weights, unit = counted_weights("KPrototypes", sample_weight, table.n_objects)
        coded, space = self._learn(table.categorical, sample_weight=sample_weight)
        names = [str(name) for name in getattr(data, "columns", table.attributes)]
        self._remember_features(names, len(names))
        matrices = summed_matrices("KPrototypes", space)
        matches = ValueMatrices.from_blocks([1.0 - np.eye(size) for size in matrices.n_values])
        if self.update == "ng" and not np.array_equal(matrices.data, matches.data):
            raise CouplingsError(
                "KPrototypes: update='ng' is defined for simple matching only; use it"
            )
        self._names = table.names
        plain = sample_weight is None and not np.isnan(table.numeric).any()
        self._scale = scale_of("KPrototypes", table, self.scale, weights, unit)
        numeric = (table.numeric - self._scale[0]) / self._scale[1]
        variances = numeric.var(axis=0) if plain else moments(numeric, weights)[1]
        self.gamma_ = self._gamma(variances, coded, weights, unit)
        objects = (
            np.ascontiguousarray(numeric),
            np.ascontiguousarray(coded.codes.astype(np.int64) + matrices.offsets[:-1]),
            weights,
            observed_scales(numeric),
        )
        given = None if isinstance(self.init, str) else self._prototypes(matrices)
        if self._word == "cao":
            chosen = cao_objects(coded, matrices, self.n_clusters, weights)
            given = self._at(chosen, objects)
        n_runs = self.n_init if given is None else 1
        distinct = _distinct(objects[0], objects[1])
        runs = (self._run(objects, matrices, given, rng, distinct) for _ in range(n_runs))
        self.labels_, costs, self.centers_, modes, converged, self._value_costs = min(
            announced(
                self, runs, lambda run: f"cost {run[1][-1] / unit:g}, {len(run[1]) - 1} passes"
            ),
            key=lambda run: run[1][-1] / unit,
        )
        self.objective_ = float(costs[-1]) / unit
        self.epoch_costs_ = np.array(costs) / unit
        self.n_iter_ = len(costs) - 1
        self.modes_ = modes - matrices.offsets[:-1]
        if self.update == "ng":
            of_cluster = np.arange(self.n_clusters)[:, np.newaxis]
            self._match_costs = self._value_costs[modes, of_cluster]
        self._centroids = self._labelled(self.modes_)
        means = self.centers_ * self._scale[1] + self._scale[0]
        centroids = np.hstack([labels_of(self._centroids), means.astype(object)])
        self.cluster_centroids_ = centroids[:, [table.attributes.index(name) for name in names]]
        warn_of_clusters("KPrototypes", self.labels_, self.n_clusters)
        warn_of_passes("KPrototypes", self.max_iter, converged)
        return self

    def predict(self, X: Mixed) -> np.ndarray:
        """Return the (first) nearest prototype of each object, int64 of shape (n,).

        Parameters
        ----------
        X : MixedTable or DataFrame
            Objects (at least one) with the attributes of `fit`. Errors are those of
            `KModes.predict`.
        """
        if self.update == "ng":
            return self.transform(X).argmin(axis=1)
        numeric, new, modes, matrices = self._new_objects(X)
        first = matrices.offsets[:-1]
        labels = np.empty(new.n_objects, dtype=np.int64)
        kernels.nearest_prototypes(
            np.ascontiguousarray(numeric),
            np.ascontiguousarray(new.codes.astype(np.int64) + first),
            self.centers_,
            np.ascontiguousarray(modes.codes.astype(np.int64) + first),
            *(matrices.data, matrices.starts, matrices.offsets),
            float(self.gamma_),
            labels,
            np.ones(len(labels), dtype=np.int64),
            observed_scales(numeric),
        )
        return labels

    def transform(self, X: Mixed) -> np.ndarray:
        """Return the costs of objects in the clusters, float64 of shape (n, k).

        Parameters and errors are those of `predict`.
        """
        numeric, new, modes, matrices = self._new_objects(X)
        costs = self.gamma_ * ObjectSpace(matrices, "sum").between(new, modes)
        if self.update == "ng":
            matching = zip(new.codes.T, self._centroids.codes.T, self._match_costs.T, strict=True)
            for column, mode, own in matching:
                costs += self.gamma_ * np.where(column[:, np.newaxis] == mode, own, 0.0)
        scales = observed_scales(numeric)
        for c, center in enumerate(self.centers_):
            costs[:, c] += np.nansum((numeric - center) ** 2, axis=1) * scales
        return costs

    def between(self, X: Mixed) -> np.ndarray:
        """Return the cost of each object with each other object as prototype, float64 (n, n).

        For each pair, the sum over the numbers present in both is multiplied by r and divided by
        their number. Parameters and errors are those of `predict`.
        """
        numeric, new, _, matrices = self._new_objects(X)
        costs = self.gamma_ * ObjectSpace(matrices, "sum").between(new, new)
        for u, own in enumerate(numeric):
            steps = numeric - own
            costs[u] += np.nansum(steps**2, axis=1) * observed_scales(steps)
        return costs

    def _new_objects(
        self, X: Mixed
    ) -> tuple[np.ndarray, CategoricalTable, CategoricalTable, ValueMatrices]:
        """Return scaled numbers and codes of objects, codes of the modes, and value matrices."""
        self._require_fit()
        table = as_mixed(X, self._train, self._names, declared=False, incomplete=True)
        new, modes, space = self._together(table.categorical, self._centroids)
        numeric = (table.numeric - self._scale[0]) / self._scale[1]
        return numeric, new, modes, summed_matrices("KPrototypes", space)

    def _categories_of(self, X: Mixed) -> CategoricalTable:
        return as_mixed(X, self._train, self._names, declared=False, incomplete=True).categorical

    def _gamma(
        self, variances: np.ndarray, coded: CategoricalTable, weights: np.ndarray, unit: float
    ) -> float:
        if self.gamma is not None and not isinstance(self.gamma, str):
            return float(self.gamma)
        if not variances.any():
            # Without differences of numbers any weight above 0 gives the same clusters.
            return 1.0
        if self.gamma is None:
            return 0.5 * float(np.sqrt(variances).mean())
        n = weights.sum() / unit
        columns = zip(coded.codes.T, coded.n_values, strict=True)
        shares = [np.bincount(one, weights, size) / weights.sum() for one, size in columns]
        concentration = np.mean([1.0 - (share**2).sum() for share in shares])
        if n <= 1 or concentration == 0:
            raise CouplingsError(
                "KPrototypes: gamma='lambdaest' needs a categorical attribute with several "
                "values, and weights that sum to more than 1; pass a number as gamma"
            )
        return float(variances.mean() * n / (n - 1) / concentration)

    def _prototypes(self, matrices: ValueMatrices) -> tuple[np.ndarray, np.ndarray]:
        """Return the scaled numbers and the global values of the given prototypes."""
        table = as_mixed(self.init, self._train, self._names, declared=False)
        codes = self._codes(table.categorical)
        if len(codes) != self.n_clusters or (codes >= matrices.n_values).any():
            raise CouplingsError(
                f"KPrototypes: init must have {self.n_clusters} rows, one per cluster, with values "
                "that occur in the data"
            )
        numeric = (table.numeric - self._scale[0]) / self._scale[1]
        return numeric, codes.astype(np.int64) + matrices.offsets[:-1]

    def _run(
        self,
        objects: tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray],
        matrices: ValueMatrices,
        given: tuple[np.ndarray, np.ndarray] | None,
        rng: np.random.Generator,
        distinct: tuple[np.ndarray, np.ndarray],
    ) -> tuple[np.ndarray, list[float], np.ndarray, np.ndarray, bool, np.ndarray]:
        """Run one start; return labels, costs, centres, modes, convergence and costs of values."""
        numeric, values, weights, scales = objects
        n, k, offsets = len(numeric), self.n_clusters, matrices.offsets
        parts = (matrices.data, matrices.starts, offsets, self.gamma_)
        if given is None:
            share = None if (weights == weights[0]).all() else weights / weights.sum()
            if self._word == "plus":
                uniforms = rng.random((k, 2 + int(np.log(k))))
                start = np.empty(k, dtype=np.int64)
                means = moments(numeric, weights)[0]
                kernels.spread_start(
                    numeric, values, *parts, weights, scales, means, uniforms, start
                )
            else:
                start = rng.choice(n, k, replace=False, p=share)
            centers, modes = self._at(start, objects)
        else:
            centers, modes = given[0].copy(), given[1].copy()
        members = np.empty(n, dtype=np.int64)
        near = (numeric, values, centers, modes, *parts)
        shared = self.update == "ng"
        if shared:
            kernels.nearest_in_turn(
                numeric, values, centers, modes, offsets, self.gamma_, members, weights, scales
            )
        else:
            kernels.nearest_prototypes(*near, members, weights, scales)
        fill_empty(members, k, rng, weights)
        sums, counts = np.empty_like(centers), np.empty((k, offsets[-1]), dtype=np.int64)
        amounts, sizes = np.empty_like(centers), np.empty(k, dtype=np.int64)
        state = (centers, modes, sums, amounts, counts, sizes)
        kernels.prototypes(numeric, values, offsets, weights, scales, members, *state)
        labels = np.empty(n, dtype=np.int64)
        value_costs = np.empty((int(offsets[-1]), k))

        def cost() -> float:
            if not shared:
                return kernels.nearest_prototypes(*near, labels, weights, scales)
            for c in range(k):
                spread_modes(*parts[:3], modes[c], value_costs[:, c])
                kernels.share_matches(counts[c], sizes[c], modes[c], value_costs[:, c])
            return kernels.nearest_by_costs(
                numeric, values, centers, value_costs, self.gamma_, labels, weights, scales
            )

        costs = [cost()]
        improves = True
        while improves and len(costs) <= self.max_iter:
            moves = kernels.pass_over_objects(
                *(numeric, values, *parts, weights, scales, members, *state),
                rng.random(k),
                shared,
            )
            costs.append(cost())
            improves = moves > 0 and costs[-1] < costs[-2]
        if self.update == "hartigan" and not improves:
            fill_empty(labels, k, rng, weights)
            # Equal objects move together, so that a weight is so many rows.
            first, inverse = distinct
            masses = np.zeros(len(first), dtype=np.int64)
            np.add.at(masses, inverse, weights)
            few = (numeric[first], values[first], *parts, masses, scales[first], labels[first])
            improves = True
            while improves and len(costs) <= self.max_iter:
                improves = kernels.transfer(*few, centers, modes) > 0
                costs.append(cost())
        return labels, costs, centers, modes, not improves, value_costs

    def _at(
        self, chosen: np.ndarray, objects: tuple[np.ndarray, ...]
    ) -> tuple[np.ndarray, np.ndarray]:
        """Return objects as prototypes; a missing number becomes the mean of the column."""
        numeric, values, weights, _ = objects
        centers = numeric[chosen]
        return (
            np.where(np.isnan(centers), moments(numeric, weights)[0], centers),
            values[chosen],
        )


def _distinct(numeric: np.ndarray, values: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return the index of the first of equal objects, and the place of each object among them."""
    # Bits, so that a missing number equals another one.
    bits = np.ascontiguousarray(np.hstack([numeric.view(np.int64), values]))
    _, first, inverse = np.unique(bits, axis=0, return_index=True, return_inverse=True)
    return first, inverse.ravel()


def observed_scales(numeric: np.ndarray) -> np.ndarray:
    """Return r divided by each object's count of present numbers, or 0, float64 of shape (n,)."""
    n_observed = (~np.isnan(numeric)).sum(axis=1)
    return np.where(n_observed > 0, numeric.shape[1] / np.maximum(n_observed, 1), 0.0)


def moments(numeric: np.ndarray, weights: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return weighted mean and population variance of the present numbers, (r,)."""
    share = np.where(np.isnan(numeric), 0.0, weights[:, np.newaxis])
    share /= share.sum(axis=0)
    means = (share * np.nan_to_num(numeric)).sum(axis=0)
    return means, (share * np.nan_to_num(numeric - means) ** 2).sum(axis=0)


def scale_of(
    owner: str, table: MixedTable, scale: str, weights: np.ndarray, unit: float
) -> tuple[np.ndarray, np.ndarray]:
    """Return the weighted `location_and_spread` of the present numbers."""
    seen = present_numbers(table, weights)
    if seen.all() and (weights == unit).all():
        return location_and_spread(table.numeric, scale)
    ends = np.array(
        [
            np.where(seen, table.numeric, np.inf).min(axis=0),
            np.where(seen, table.numeric, -np.inf).max(axis=0),
        ]
    )
    centre, spread = location_and_spread(ends, scale)
    if scale == "z":
        n = (seen * weights[:, np.newaxis]).sum(axis=0) / unit
        varies = ends[0] < ends[1]
        if (n[varies] <= 1).any():
            raise CouplingsError(f"{owner}: scale='z' needs weights that sum to more than 1")
        mean, variance = moments(table.numeric, weights)
        centre[varies] = mean[varies]
        spread[varies] = np.sqrt(variance * n)[varies] / np.sqrt(n[varies] - 1)
    return centre, spread


def present_numbers(table: MixedTable, weights: np.ndarray) -> np.ndarray:
    """Return which numbers of objects with a weight are present, or raise `MissingValuesError`."""
    seen = ~np.isnan(table.numeric) & (weights > 0)[:, np.newaxis]
    if not seen.any(axis=0).all():
        name = table.names[int(np.argmin(seen.any(axis=0)))]
        raise MissingValuesError(f"column {name!r} has missing values only; drop it")
    return seen


def global_values(table: MixedTable) -> tuple[np.ndarray, np.ndarray]:
    """Return code plus offset of every cell, (n, m) int64, and the offsets, (m + 1,) int64."""
    offsets = table.categorical.offsets
    return np.ascontiguousarray(table.categorical.codes + offsets[:-1]), offsets


def fill_empty(
    labels: np.ndarray, n_clusters: int, rng: np.random.Generator, weights: np.ndarray
) -> None:
    """Give every empty cluster a random object of positive weight from a cluster of several."""
    counted = weights > 0
    sizes = np.bincount(labels, counted, n_clusters)
    for cluster in np.flatnonzero(sizes == 0):
        moved = rng.choice(np.flatnonzero((sizes[labels] > 1) & counted))
        sizes[labels[moved]] -= 1
        sizes[cluster] = 1
        labels[moved] = cluster
