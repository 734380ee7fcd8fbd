"""Clustering by density peaks, without a matrix of distances."""

from dataclasses import dataclass
from typing import TYPE_CHECKING, Self, Union

import numpy as np

from couplings._checks import check_clusters, is_number
from couplings._kernels import density
from couplings._params import Params, check_choice
from couplings.errors import MeasureError
from couplings.mixed import MixedSpace, MixedTable, as_mixed
from couplings.space import ObjectSpace
from couplings.table import CategoricalTable, require_complete

if TYPE_CHECKING:
    import pandas as pd

Objects = Union[np.ndarray, CategoricalTable, MixedTable, "pd.DataFrame"]

_KERNELS = ("cut", "gauss")
# Up to so many pairs are sorted at once; beyond, so many are drawn to bracket the cutoff.
_MOST_PAIRS = 4_000_000
_MOST_KEPT = 8_000_000


@dataclass(frozen=True, eq=False)
class _Rows:
    """The distinct objects, as the passes over their pairs take them.

    `numeric` is (g, r), `codes` (g, m), `first` the object of each row's first appearance,
    `inverse` the row of each object.
    """

    numeric: np.ndarray
    codes: np.ndarray
    tables: tuple[np.ndarray, np.ndarray, np.ndarray, bool]
    weights: np.ndarray
    first: np.ndarray
    inverse: np.ndarray

    @property
    def columns(self) -> np.ndarray:
        """The numbers, one attribute per row."""
        return np.ascontiguousarray(self.numeric.T)

    def pairs(self, u: np.ndarray, v: np.ndarray) -> np.ndarray:
        """Return the distances of pairs of rows."""
        return density.distances_of_pairs(u, v, self.numeric, self.codes, *self.tables)


class DensityPeaks(Params):
    """Clustering by fast search and find of density peaks.

    The density rho of an object is the number of others within the cutoff d_c; delta is its
    distance to the nearest object of higher density. Objects with both large are centres; the
    others take, by decreasing density, the label of that nearest denser object.

    Parameters
    ----------
    n_clusters : int, default 2
        Number of centres: the objects of the largest rho * delta.
    percent : float, default 2.0
        d_c is the distance at position ``round(percent / 100 * number of pairs)`` of all sorted
        distances; above 0, at most 100.
    kernel : {"cut", "gauss"}, default "cut"
        rho is the number of others with ``D < d_c``, or the sum of ``exp(-(D / d_c)**2)``.
    halo : bool, default False
        Whether to mark the objects that may be noise, one more pass over the pairs.

    Attributes
    ----------
    cutoff_ : float
        d_c.
    rho_ : ndarray of float64, shape (n,)
        Density, 0 to n - 1.
    delta_ : ndarray of float64, shape (n,)
        Distance to the nearest denser object; for the densest one its largest distance.
    nearest_denser_ : ndarray of int64, shape (n,)
        That object, -1 for the densest one.
    centers_ : ndarray of int64, shape (n_clusters,)
        The centres, by decreasing rho * delta.
    labels_ : ndarray of int64, shape (n,)
        Cluster t is that of centre t.
    halo_ : ndarray of bool, shape (n,)
        With `halo`: rho below the border density of the own cluster, the largest mean density of
        two objects of different clusters within d_c.

    Notes
    -----
    Objects are ordered by decreasing rho, equal ones by their position; of several nearest denser
    objects the first in this order counts. Only one of several equal objects can be a centre. The
    distances are computed anew in each of three or four passes over the pairs of distinct objects;
    memory grows with n.

    References
    ----------
    Rodriguez and Laio, Science 344 (2014); the halo is that of their program.
    """

    def __init__(
        self,
        n_clusters: int = 2,
        percent: float = 2.0,
        kernel: str = "cut",
        halo: bool = False,
    ) -> None:
        self.n_clusters = n_clusters
        self.percent = percent
        self.kernel = kernel
        self.halo = halo

    def fit(self, X: Objects, space: ObjectSpace | MixedSpace | None = None) -> Self:
        """Find the density peaks of the objects.

        Parameters
        ----------
        X : ndarray of float, shape (n, d), CategoricalTable, MixedTable or DataFrame
            At least two different objects; a frame is read as a mixed table.
        space : ObjectSpace or MixedSpace, optional
            For a categorical table its object space, with link "sum" or "rss". For a mixed table
            its space; default `MixedSpace.weighted`. None for an array: Euclidean distance.

        Raises
        ------
        MissingValuesError
            If a cell is missing.
        MeasureError
            If the space does not fit the objects, a parameter is out of range, all objects are
            equal, or d_c is 0.
        """
        check_choice("DensityPeaks", "kernel", self.kernel, _KERNELS)
        if not is_number(self.percent) or not 0 < self.percent <= 100:
            raise MeasureError(
                f"DensityPeaks: percent={self.percent!r} is not above 0 and at most 100"
            )
        rows = _distinct(X, space)
        g = len(rows.weights)
        if g < 2:
            raise MeasureError("DensityPeaks: all objects are equal")
        check_clusters("DensityPeaks", self.n_clusters, g, of="different objects")
        self.cutoff_ = _cutoff(rows, self.percent)
        if self.cutoff_ == 0:
            raise MeasureError(
                f"DensityPeaks: {self.percent} % of the distances are 0, so there is no cutoff; "
                "choose a larger percent"
            )
        columns = rows.columns
        rho = density.densities(
            columns, rows.codes, rows.weights, *rows.tables, self.cutoff_, self.kernel == "gauss"
        )
        # Equal objects are at distance 0 from each other.
        rho += rows.weights - 1
        order = np.argsort(-rho, kind="stable")
        delta, nearest = np.empty(g), np.full(g, -1, dtype=np.int64)
        delta[order], position = density.nearest_earlier(
            np.ascontiguousarray(columns[:, order]), rows.codes[order], *rows.tables
        )
        nearest[order[1:]] = order[position[1:]]
        top = order[0]
        delta[top] = rows.pairs(np.full(g, top), np.arange(g)).max()
        centers = np.argsort(-(rho * delta), kind="stable")[: self.n_clusters]
        labels = self._follow(rows, order, nearest, centers)

        self.rho_ = rho[rows.inverse]
        self.centers_ = rows.first[centers]
        self.labels_ = labels[rows.inverse]
        self._expand(rows, delta, nearest)
        if self.halo:
            border = density.border_densities(
                columns, rows.codes, *rows.tables, self.cutoff_, rho, labels, self.n_clusters
            )
            self.halo_ = self.rho_ < border[self.labels_]
        return self

    def fit_predict(self, X: Objects, space: ObjectSpace | MixedSpace | None = None) -> np.ndarray:
        """Find the density peaks and return the labels; see `fit`."""
        return self.fit(X, space).labels_

    def _follow(
        self, rows: _Rows, order: np.ndarray, nearest: np.ndarray, centers: np.ndarray
    ) -> np.ndarray:
        """Return the labels of the rows, handed down from the centres."""
        labels = np.full(len(order), -1, dtype=np.int64)
        labels[centers] = np.arange(len(centers))
        if labels[order[0]] < 0:
            labels[order[0]] = np.argmin(rows.pairs(np.full(len(centers), order[0]), centers))
        for row in order[1:]:
            if labels[row] < 0:
                labels[row] = labels[nearest[row]]
        return labels

    def _expand(self, rows: _Rows, delta: np.ndarray, nearest: np.ndarray) -> None:
        """Give each object its delta: what repeats an earlier one is at distance 0 from it."""
        denser = np.where(nearest >= 0, rows.first[nearest], -1)
        self.delta_ = np.zeros(len(rows.inverse))
        self.delta_[rows.first] = delta
        # Of the objects at distance 0 the first row in the order may be another one.
        self.nearest_denser_ = np.where((delta == 0) & (nearest >= 0), denser, rows.first)[
            rows.inverse
        ]
        self.nearest_denser_[rows.first] = denser


def _distinct(X: Objects, space: ObjectSpace | MixedSpace | None) -> _Rows:
    """Check the objects and collapse equal ones, in order of first appearance."""
    if isinstance(X, np.ndarray):
        if space is not None:
            raise MeasureError("DensityPeaks: an array has Euclidean distances, and no space")
        numeric = np.asarray(X, dtype=np.float64)
        if numeric.ndim != 2 or not np.isfinite(numeric).all():
            raise MeasureError("DensityPeaks: an array has to be 2-D and finite")
        codes = np.zeros((len(numeric), 0), dtype=np.int32)
        tables = (np.zeros(0), np.zeros(1, dtype=np.int64), np.zeros(1, dtype=np.int64), False)
    elif isinstance(X, CategoricalTable):
        if not isinstance(space, ObjectSpace) or space.link not in ("sum", "rss"):
            raise MeasureError(
                "DensityPeaks: a categorical table needs its ObjectSpace, with link 'sum' or "
                "'rss'; fit a measure and pass its space_"
            )
        require_complete(X)
        matrices = space.matrices
        if not np.array_equal(X.n_values, matrices.n_values):
            raise MeasureError("DensityPeaks: the space is over other domains than the table")
        numeric = np.zeros((X.n_objects, 0))
        codes = X.codes.astype(np.int32)
        tables = (matrices.data, matrices.starts, matrices.offsets, space.link == "rss")
    else:
        table = as_mixed(X)
        space = MixedSpace.weighted(table) if space is None else space
        if not isinstance(space, MixedSpace):
            raise MeasureError("DensityPeaks: a mixed table needs a MixedSpace")
        numeric, codes = space.rows(table)
        matrices = space.matrices
        tables = (matrices.data, matrices.starts, matrices.offsets, False)
    _, first, inverse, weights = np.unique(
        np.column_stack([numeric, codes]),
        axis=0,
        return_index=True,
        return_inverse=True,
        return_counts=True,
    )
    order = np.argsort(first)
    rank = np.empty_like(order)
    rank[order] = np.arange(len(order))
    first = first[order]
    return _Rows(
        np.ascontiguousarray(numeric[first]),
        np.ascontiguousarray(codes[first]),
        tables,
        weights[order].astype(np.int64),
        first,
        rank[inverse.ravel()],
    )


def _cutoff(rows: _Rows, percent: float) -> float:
    """Return the distance at the given position of all sorted distances, exactly."""
    weights = rows.weights
    n, g = int(weights.sum()), len(weights)
    position = max(1, int(np.floor(percent / 100 * (n * (n - 1) // 2) + 0.5)))
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
    u, v = np.searchsorted(last, rng.integers(0, n, (2, _MOST_PAIRS)), side="right")
    sample = np.sort(rows.pairs(u[u != v], v[u != v]))
    columns = rows.columns
    room = _MOST_KEPT // -(-g // density.HEIGHT)
    # The value is above `low`, which `before` pairs do not exceed, and below `high`.
    low, before = -1.0, 0
    high, until = np.inf, n * (n - 1) // 2 - zeros
    while True:
        left, right = _bracket(sample, (position - before) / (until - before), low, high)
        counts, values, masses, met = density.select(
            columns, rows.codes, weights, *rows.tables, left, right, room
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
    """Return quantiles of a sorted sample around `share`; `low` and `high` beyond its ends."""
    n = max(1, len(sample))
    # At most a quarter to each side, so that one end lies within and every pass narrows.
    reach = min(6 * np.sqrt(share * (1 - share) / n) + 2 / n, 0.25)
    left, right = int(np.floor((share - reach) * n)), int(np.floor((share + reach) * n))
    return (
        float(sample[left]) if 0 <= left < len(sample) else low,
        float(sample[right]) if 0 <= right < len(sample) else high,
    )


def _weighted_value(values: np.ndarray, masses: np.ndarray, position: int) -> float:
    """Return the value at a position (from 1) of the sorted values, each repeated by its mass."""
    order = np.argsort(values)
    return float(values[order[np.searchsorted(np.cumsum(masses[order]), position)]])
