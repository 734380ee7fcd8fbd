"""Density peaks clustering without a distance matrix."""

from dataclasses import dataclass
from typing import Any, Self

import numpy as np

from couplings._checks import check_choice, check_clusters, check_memory, check_number, threads
from couplings._kernels import pairs
from couplings.cluster._base import MeasuredClustering, Space, blocks, refuse_target
from couplings.cluster.kmeans import rows_of
from couplings.errors import CouplingsError, MeasureError
from couplings.measures.mixed_distance import MixedDistance, fitted_mixed
from couplings.mixed import Mixed, MixedSpace, as_mixed, is_mixed
from couplings.reading import reread
from couplings.spaces import ObjectSpace
from couplings.table import CategoricalTable, first_seen, require_complete

Objects = np.ndarray | CategoricalTable | Mixed

# Up to this many pairs are sorted at once; beyond it, a sample brackets the cutoff.
_MOST_PAIRS = 4_000_000
_DRAWN = 1 << 18
_MOST_KEPT = 8_000_000


@dataclass(frozen=True, eq=False)
class _Rows:
    """Distinct objects: numbers (g, r), codes (g, m), first appearances, rows of all objects."""

    numeric: np.ndarray
    codes: np.ndarray
    tables: tuple[np.ndarray, np.ndarray, np.ndarray, bool]
    weights: np.ndarray
    first: np.ndarray
    inverse: np.ndarray

    @property
    def work(self) -> int:
        """Elementary steps of a pass over all pairs."""
        return len(self.weights) * (self.numeric.size + self.codes.size)

    @property
    def columns(self) -> np.ndarray:
        return np.ascontiguousarray(self.numeric.T)

    def pairs(self, u: np.ndarray, v: np.ndarray) -> np.ndarray:
        return pairs.distances_of_pairs(u, v, self.numeric, self.codes, *self.tables)


@dataclass(eq=False, repr=False)
class DensityPeaks(MeasuredClustering):
    """Clustering by fast search and find of density peaks.

    The density rho of an object is the number of other objects within the cutoff d_c; delta is its
    distance to the nearest object of higher density. Objects with both large are centres; the
    others inherit, by decreasing density, the label of their nearest denser object.

    Parameters
    ----------
    n_clusters : int, default 2
        Number of centres: the objects with the largest rho * delta.
    percent : float, default 2.0
        d_c is the distance at position ``round(percent / 100 * number of pairs)`` of the sorted
        distances of all pairs; above 0, at most 100.
    kernel : {"cut", "gauss"}, default "cut"
        rho is the number of others with ``D < d_c``, or the sum of ``exp(-(D / d_c)**2)``.
    halo : bool, default False
        Whether to mark possible noise, which takes one more pass over the pairs.
    measure : str, measure or None, default None
        Dissimilarity of categorical objects: a name (see `measure_names`) or an instance, which is
        copied and fitted; its object space has the link "sum" or "rss". `MixedDistance` takes all
        pairs at once, n x n numbers. None: Euclidean distance
        for numbers, `MixedSpace.weighted` for mixed data, simple matching for categories.
    n_jobs : int, optional
        Maximum number of threads; None and -1 use all cores.
    missing, unknown : str, optional
        Rules for missing cells and unseen values, see `ValueMeasure`; they replace those of the
        measure.

    Attributes
    ----------
    cutoff_ : float
        d_c.
    rho_ : ndarray of float64, shape (n,)
        Density, 0 to n - 1.
    delta_ : ndarray of float64, shape (n,)
        Distance to the nearest denser object; for the densest object its largest distance.
    nearest_denser_ : ndarray of int64, shape (n,)
        Index of that object; -1 for the densest one.
    centers_ : ndarray of int64, shape (n_clusters,)
        The centres, by decreasing rho * delta.
    labels_ : ndarray of int64, shape (n,)
        Cluster t belongs to centre t.
    halo_ : ndarray of bool, shape (n,)
        With `halo`: whether rho is below the border density of the own cluster, the largest mean
        density of two objects of different clusters within d_c.
    measure_ : measure
        The fitted measure; None without one.
    n_features_in_, feature_names_in_
        As in `Clustering`.

    Notes
    -----
    Objects are ordered by decreasing rho, ties by position; among several nearest denser objects
    the first in this order counts. Of equal objects only one can be a centre. Each of three or four
    passes over the pairs of distinct objects computes the distances anew, so memory grows only with
    n.

    References
    ----------
    Rodriguez and Laio, Science 344 (2014); the halo follows their program.

    Examples
    --------
    >>> from couplings import DensityPeaks
    >>> cars = [["vw", "gas"], ["vw", "gas"], ["vw", "oil"], ["bmw", "oil"], ["bmw", "oil"]]
    >>> peaks = DensityPeaks(n_clusters=2, percent=50).fit(cars)
    >>> peaks.labels_[0] == peaks.labels_[4]
    np.False_
    >>> bool(peaks.predict([["bmw", "oil"]])[0] == peaks.labels_[4])
    True
    """

    takes = "space"

    n_clusters: int = 2
    percent: float = 2.0
    kernel: str = "cut"
    halo: bool = False
    measure: Any = None
    n_jobs: int | None = None
    missing: str | None = None
    unknown: str | None = None

    def fit(
        self,
        X: Objects,
        y: object = None,
        *,
        space: ObjectSpace | MixedSpace | None = None,
    ) -> Self:
        """Find the density peaks of the objects.

        Parameters
        ----------
        X : ndarray of float, shape (n, d), CategoricalTable, MixedTable, data frame or array_like
            At least two distinct objects. A data frame with numeric and other columns is read as a
            mixed table, any other as labels.
        y : object, ignored
        space : ObjectSpace or MixedSpace, optional
            Replaces the measure: for a categorical table an object space with link "sum" or "rss",
            for a mixed table its space.

        Raises
        ------
        MissingValuesError
            If a cell is missing.
        MeasureError
            If the space does not fit the objects, a parameter is out of range, all objects are
            equal, or d_c is 0.
        """
        refuse_target("DensityPeaks", y, "space")
        check_choice("DensityPeaks", "kernel", self.kernel, ("cut", "gauss"))
        check_number("DensityPeaks", "percent", self.percent, most=100, above=0)
        if isinstance(self.measure, MixedDistance):
            if space is not None:
                raise MeasureError("DensityPeaks: MixedDistance is the measure; omit space")
            return self._fit_mixed(X)
        with threads("DensityPeaks", self.n_jobs):
            return self._fit(self._rows_of(X, space))

    def _fit_mixed(self, X: Objects) -> Self:
        """Find the peaks by the matrix of all distances."""
        self._kind, self.measure_ = "distance", fitted_mixed(self.measure, X)
        self._remember_features(self.measure_.feature_names_in_, self.measure_.n_features_in_)
        n = len(self.measure_._fitted[0])
        check_clusters("DensityPeaks", self.n_clusters, n)
        check_memory("DensityPeaks", 24.0 * n * n, f"the distances of {n} objects", "take a sample")
        distances = self.measure_._among_fitted()
        between = distances[np.triu_indices(n, 1)]
        if np.isnan(between).any() or not between.any():
            raise MeasureError(
                "DensityPeaks: all objects are equal, or two have no attribute present in both; "
                "drop such objects"
            )
        position = max(1, int(np.floor(self.percent / 100 * len(between) + 0.5)))
        self.cutoff_ = float(np.partition(between, position - 1)[position - 1])
        if self.cutoff_ == 0:
            self.cutoff_ = float(between[between > 0].min())
        if self.kernel == "gauss":
            self.rho_ = np.exp(-((distances / self.cutoff_) ** 2)).sum(axis=1) - 1
        else:
            self.rho_ = (distances < self.cutoff_).sum(axis=1) - 1.0
        order = np.argsort(-self.rho_, kind="stable")
        # Column t holds the distances to the t-th densest object.
        earlier = np.where(np.tri(n, k=-1, dtype=bool), distances[np.ix_(order, order)], np.inf)
        position_of = earlier.argmin(axis=1)
        self.nearest_denser_ = np.full(n, -1, dtype=np.int64)
        self.nearest_denser_[order[1:]] = order[position_of[1:]]
        self.delta_ = np.empty(n)
        self.delta_[order] = earlier.min(axis=1)
        self.delta_[order[0]] = distances[order[0]].max()
        self.centers_ = np.argsort(-(self.rho_ * self.delta_), kind="stable")[: self.n_clusters]
        labels = np.full(n, -1, dtype=np.int64)
        labels[self.centers_] = np.arange(self.n_clusters)
        if labels[order[0]] < 0:
            labels[order[0]] = distances[order[0], self.centers_].argmin()
        for u in order[1:]:
            if labels[u] < 0:
                labels[u] = labels[self.nearest_denser_[u]]
        self.labels_ = labels
        if self.halo:
            near = (distances <= self.cutoff_) & (labels[:, None] != labels)
            mean = np.where(near, (self.rho_[:, None] + self.rho_) / 2, 0.0).max(axis=1)
            border = np.zeros(self.n_clusters)
            np.maximum.at(border, labels, mean)
            self.halo_ = self.rho_ < border[labels]
        return self

    def _fit(self, rows: _Rows) -> Self:
        g, n = len(rows.weights), int(rows.weights.sum())
        if g < 2:
            what = "n_samples = 1" if n == 1 else "all objects are equal"
            raise MeasureError(f"DensityPeaks: {what}; at least two distinct objects are needed")
        check_clusters("DensityPeaks", self.n_clusters, g, of="different objects")
        position = int(np.floor(self.percent / 100 * (n * (n - 1) // 2) + 0.5))
        self.cutoff_ = order_statistic(rows, max(1, position))
        if self.cutoff_ == 0:
            # Many equal objects: the least distance of different ones.
            alike = int((rows.weights * (rows.weights - 1) // 2).sum())
            self.cutoff_ = order_statistic(rows, alike + 1)
        if self.cutoff_ == 0:
            raise MeasureError(
                f"DensityPeaks: {self.percent} % of the distances are 0, so the cutoff is 0; "
                "choose a larger percent"
            )
        columns = rows.columns
        rho = pairs.densities(
            rows.work,
            columns,
            rows.codes,
            rows.weights,
            *rows.tables,
            self.cutoff_,
            self.kernel == "gauss",
        )
        # Equal objects have distance 0.
        rho += rows.weights - 1
        order = np.argsort(-rho, kind="stable")
        delta, nearest = np.empty(g), np.full(g, -1, dtype=np.int64)
        delta[order], position = pairs.nearest_earlier(
            rows.work, np.ascontiguousarray(columns[:, order]), rows.codes[order], *rows.tables
        )
        nearest[order[1:]] = order[position[1:]]
        top = order[0]
        delta[top] = rows.pairs(np.full(g, top), np.arange(g)).max()
        centers = np.argsort(-(rho * delta), kind="stable")[: self.n_clusters]
        labels = self._follow(rows, order, nearest, centers)

        self.rho_ = rho[rows.inverse]
        self.centers_ = rows.first[centers]
        self.labels_ = labels[rows.inverse]
        # Repeats of an earlier object have delta 0.
        self.delta_ = np.zeros(n)
        self.delta_[rows.first] = delta
        denser = np.where(nearest >= 0, rows.first[nearest], -1)
        # Another object at distance 0 may be first in the order.
        repeated = np.where((delta == 0) & (nearest >= 0), denser, rows.first)
        self.nearest_denser_ = repeated[rows.inverse]
        self.nearest_denser_[rows.first] = denser
        if self.halo:
            border = pairs.border_densities(
                rows.work,
                columns,
                rows.codes,
                *rows.tables,
                self.cutoff_,
                rho,
                labels,
                self.n_clusters,
            )
            self.halo_ = self.rho_ < border[self.labels_]
        return self

    def predict(self, X: Objects) -> np.ndarray:
        """Return the cluster of the nearest fitted object, int64 of shape (n,).

        Of several nearest objects the densest counts, as in `fit`, so fitted objects keep their
        clusters.

        `X` has the form of the data of `fit`; errors are those of `KModes.predict`.
        """
        self._require_fit()
        if self._kind == "distance":
            order = np.argsort(-self.rho_, kind="stable")
            return self.labels_[order][self.measure_._to_fitted(X)[:, order].argmin(axis=1)]
        labels = self.labels_[self._rows.first]
        order = np.argsort(-self.rho_[self._rows.first], kind="stable")
        if self._kind == "measure":
            old = self._train.take(self._rows.first[order])
            parts = [distances.argmin(axis=1) for _, distances in blocks(*self._together(X, old))]
            return labels[order][np.concatenate(parts)]
        if self._kind == "numbers":
            if not isinstance(X, np.ndarray):
                raise CouplingsError(
                    "DensityPeaks was fitted on a numeric array; pass a numeric array"
                )
            numeric = rows_of("DensityPeaks", X, self.n_features_in_)
            codes = np.zeros((len(numeric), 0), dtype=np.int32)
        else:
            categorical, names, space = self._mixed
            numeric, codes = space.rows(as_mixed(X, categorical, names))
        known = self._rows
        u = len(known.weights) + np.arange(len(numeric))
        together = np.vstack([known.numeric, numeric]), np.vstack([known.codes, codes])
        found = np.empty(len(u), dtype=np.int64)
        step = max(1, _MOST_PAIRS // len(order))
        for first in range(0, len(u), step):
            part = u[first : first + step]
            distances = pairs.distances_of_pairs(
                np.repeat(part, len(order)), np.tile(order, len(part)), *together, *known.tables
            )
            nearest = distances.reshape(len(part), -1).argmin(axis=1)
            found[first : first + step] = labels[order][nearest]
        return found

    def _rows_of(self, X: Objects, space: ObjectSpace | MixedSpace | None) -> _Rows:
        """Return the distinct objects, and store what `predict` needs."""
        numbers = X if isinstance(X, np.ndarray) and X.dtype.kind in "fiu" else None
        X = reread(X)
        mixed = numbers is None and is_mixed(X)
        if numbers is not None and self.measure is None:
            if space is not None:
                raise MeasureError("DensityPeaks: an array has Euclidean distances; omit space")
            self._kind, self.measure_ = "numbers", None
            numeric = rows_of("DensityPeaks", numbers)
            self._remember_features(None, numeric.shape[1])
            codes, empty = np.zeros((len(numeric), 0), dtype=np.int32), np.zeros(1, dtype=np.int64)
            found = _distinct(numeric, codes, (np.zeros(0), empty, empty, False))
        elif mixed and self.measure is None:
            table = as_mixed(X)
            space = MixedSpace.weighted(table) if space is None else space
            if not isinstance(space, MixedSpace):
                raise MeasureError("DensityPeaks: space must be a MixedSpace for a mixed table")
            self._kind, self.measure_ = "mixed", None
            self._mixed = table.categorical, table.names, space
            self._remember_features(table.attributes, len(table.attributes))
            tables = (space.matrices.data, space.matrices.starts, space.matrices.offsets, False)
            found = _distinct(*space.rows(table), tables)
        else:
            coded, learned = self._learn(X, space, measure=self.measure or "simple_matching")
            self._kind = "measure"
            found = rows_of_categories(coded, learned)
        self._rows = found
        return found

    def _follow(
        self, rows: _Rows, order: np.ndarray, nearest: np.ndarray, centers: np.ndarray
    ) -> np.ndarray:
        """Return the labels of the rows, passed down from the centres."""
        labels = np.full(len(order), -1, dtype=np.int64)
        labels[centers] = np.arange(len(centers))
        if labels[order[0]] < 0:
            labels[order[0]] = np.argmin(rows.pairs(np.full(len(centers), order[0]), centers))
        for row in order[1:]:
            if labels[row] < 0:
                labels[row] = labels[nearest[row]]
        return labels


def rows_of_categories(table: CategoricalTable, space: Space) -> _Rows:
    """Return the distinct objects of a table with the tables of their distances."""
    if not isinstance(space, ObjectSpace) or space.link not in ("sum", "rss"):
        raise MeasureError(
            "DensityPeaks: a categorical table needs a measure whose ObjectSpace has the link "
            "'sum' or 'rss'"
        )
    require_complete(table)
    matrices = space.matrices
    if not np.array_equal(table.n_values, matrices.n_values):
        raise MeasureError(
            "DensityPeaks: space and table have different domains; fit both together"
        )
    tables = (matrices.data, matrices.starts, matrices.offsets, space.link == "rss")
    return _distinct(np.zeros((table.n_objects, 0)), table.codes.astype(np.int32), tables)


def _distinct(
    numeric: np.ndarray,
    codes: np.ndarray,
    tables: tuple[np.ndarray, np.ndarray, np.ndarray, bool],
) -> _Rows:
    """Collapse equal objects, in order of first appearance."""
    first, weights, inverse = first_seen(np.column_stack([numeric, codes]))
    return _Rows(
        np.ascontiguousarray(numeric[first]),
        np.ascontiguousarray(codes[first]),
        tables,
        weights,
        first,
        inverse,
    )


def order_statistic(rows: _Rows, position: int) -> float:
    """Return the distance at a position (from 1) among the sorted distances of all pairs."""
    weights = rows.weights
    n, g = int(weights.sum()), len(weights)
    # Pairs of equal objects come first.
    zeros = int((weights * (weights - 1) // 2).sum())
    if position <= zeros:
        return 0.0
    position -= zeros
    if g * (g - 1) // 2 <= _MOST_PAIRS:
        u, v = np.triu_indices(g, 1)
        return _weighted_value(rows.pairs(u, v), weights[u] * weights[v], position)
    rng = np.random.default_rng(0)
    last = np.cumsum(weights)
    u, v = np.searchsorted(last, rng.integers(0, n, (2, _DRAWN)), side="right")
    sample = np.sort(rows.pairs(u[u != v], v[u != v]))
    columns = rows.columns
    room = _MOST_KEPT // -(-g // pairs.HEIGHT)
    # `before` pairs do not exceed `low`; the value lies above `low` and below `high`.
    low, before = -1.0, 0
    high, until = np.inf, n * (n - 1) // 2 - zeros
    while True:
        left, right = _bracket(sample, (position - before) / (until - before), low, high)
        counts, values, masses, met = pairs.select(
            rows.work, columns, rows.codes, weights, *rows.tables, left, right, room
        )
        below, to_left, inside, to_right = (int(count) for count in np.cumsum(counts))
        if position <= below:
            high, until = left, below
        elif position <= to_left:
            return left
        elif position <= inside:
            kept = np.arange(room) < met[:, np.newaxis]
            if (met <= room).all():
                return _weighted_value(values[kept], masses[kept], position - to_left)
            # Too many to keep, but enough to narrow the bracket.
            low, before, high, until = left, to_left, right, inside
            sample = np.sort(values[kept])
        elif position <= to_right:
            return right
        else:
            low, before = right, to_right
        sample = sample[(sample > low) & (sample < high)]


def _bracket(sample: np.ndarray, share: float, low: float, high: float) -> tuple[float, float]:
    """Return quantiles of a sorted sample around `share`, or `low` and `high` beyond its ends."""
    n = max(1, len(sample))
    # At most a quarter to each side: one end lies within, so every pass narrows the bracket.
    reach = min(6 * np.sqrt(share * (1 - share) / n) + 2 / n, 0.25)
    left, right = int(np.floor((share - reach) * n)), int(np.floor((share + reach) * n))
    return (
        float(sample[left]) if 0 <= left < len(sample) else low,
        float(sample[right]) if 0 <= right < len(sample) else high,
    )


def _weighted_value(values: np.ndarray, masses: np.ndarray, position: int) -> float:
    """Return the value at a position (from 1) of sorted values repeated by their masses."""
    order = np.argsort(values)
    return float(values[order[np.searchsorted(np.cumsum(masses[order]), position)]])
