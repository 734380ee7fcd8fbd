"""Ward's agglomerative clustering with a choice of tie-breaking."""

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Self

import numpy as np

from couplings._checks import check_choice, check_clusters, check_memory, real_numbers, threads
from couplings._kernels import agglomeration
from couplings.cluster._base import (
    MeasuredClustering,
    Space,
    blocks,
    numbered,
    roots,
    warn_of_clusters,
)
from couplings.errors import CouplingsError
from couplings.measures.mixed_distance import MixedDistance, fitted_mixed
from couplings.table import CategoricalTable


def ward(
    distances: np.ndarray,
    n_clusters: int,
    *,
    recurrence: str = "D",
    ties: str = "R",
    overwrite: bool = False,
) -> np.ndarray:
    """Cluster objects by Ward's method.

    Parameters
    ----------
    distances : array_like of float, shape (n (n - 1) / 2,)
        Dissimilarities of the pairs u < v, row by row (scipy's condensed form); finite and
        non-negative.
    n_clusters : int
        Number of clusters, 1 to n.
    recurrence : {"D", "D2"}, default "D"
        Apply the Lance-Williams recurrence with Ward's coefficients to the dissimilarities
        themselves, or to their squares (Ward's criterion, if they are Euclidean).
    ties : {"R", "chain"}, default "R"
        Tie-breaking between equally near pairs. "R" stores for each object its first nearest later
        neighbour and merges the first of the nearest pairs; the smallest object names a cluster.
        R's ``hclust`` uses this order. "chain" follows scipy's nearest-neighbour chain. Without
        ties both give the same clusters.
    overwrite : bool, default False
        Whether `distances` (float64, contiguous) can be overwritten as working memory.

    Returns
    -------
    ndarray of int64, shape (n,)
        Labels 0 to n_clusters - 1 in order of first appearance.

    Raises
    ------
    CouplingsError
        If the number of distances is not triangular, if distances are negative, infinite or NaN,
        if `n_clusters` is out of range, or if an option is unknown.

    References
    ----------
    Murtagh and Legendre, Journal of Classification 31 (2014), on the two recurrences.
    """
    return _ward(distances, n_clusters, recurrence, ties, overwrite)[0]


def _ward(
    distances: np.ndarray, n_clusters: int, recurrence: str, ties: str, overwrite: bool
) -> tuple[np.ndarray, float, bool | None]:
    """Return labels, smallest margin ("chain": NaN), and whether ties decided (None)."""
    condensed, n = _checked(distances, recurrence, ties)
    check_clusters("ward", n_clusters, n)
    if ties == "chain":
        return cut(_chain_linkage(condensed, recurrence), n_clusters), math.nan, None
    work = _working_copy(condensed, recurrence, overwrite)
    merges, _, margin, tied, _ = agglomeration.merge_nearest(
        work, np.ones(n), n_clusters, *agglomeration.ALL
    )
    return numbered(roots(n, merges[:, 1], merges[:, 0])), margin, tied


def cut(rows: np.ndarray, n_clusters: int) -> np.ndarray:
    """Return the clusters after the first merges in scipy's form, numbered by first objects."""
    n = len(rows) + 1
    pairs = rows[: n - n_clusters, :2].astype(np.int64)
    return numbered(roots(2 * n, pairs.T, n + np.arange(len(pairs)))[:n])


def ward_linkage(
    distances: np.ndarray, *, recurrence: str = "D", ties: str = "R", overwrite: bool = False
) -> np.ndarray:
    """Return all merges of Ward's method.

    Parameters and errors are those of `ward`.

    Returns
    -------
    ndarray of float64, shape (n - 1, 4)
        Merges in scipy's form: the two clusters, smaller number first (objects are 0 to n - 1,
        merge t creates cluster n + t), the dissimilarity of the merge, the size of the new cluster.
    """
    condensed, n = _checked(distances, recurrence, ties)
    if ties == "chain":
        return _chain_linkage(condensed, recurrence)
    work = _working_copy(condensed, recurrence, overwrite)
    merges, heights, *_ = agglomeration.merge_nearest(work, np.ones(n), 1, *agglomeration.UNWATCHED)
    if recurrence == "D2":
        heights = np.sqrt(heights)
    return agglomeration.linkage_rows(merges, heights, n)


@dataclass(eq=False, repr=False)
class Ward(MeasuredClustering):
    """Ward's agglomerative clustering of objects or of a dissimilarity matrix.

    Parameters
    ----------
    n_clusters : int, default 2
        Number of clusters.
    recurrence, ties
        As in `ward`.
    diagonal : {"zero", "ignore"}, default "zero"
        Whether the diagonal of a square matrix must be 0.
    measure : str, measure, MixedDistance or None, default None
        Dissimilarity of the objects: a name (see `measure_names`) or an instance, which is copied
        and fitted; `MixedDistance` takes tables with numbers. "precomputed": the data are
        dissimilarities. None: a numeric array that is square or has one dimension holds
        dissimilarities; other data are objects, compared by simple matching.
    n_jobs : int, optional
        Maximum number of threads for the dissimilarities; None and -1 use all cores.
    copy : bool, default True
        Whether to leave condensed dissimilarities unchanged. False allows overwriting them
        (float64, contiguous) as working memory.
    missing, unknown : str, optional
        Rules for missing cells and unseen values, see `ValueMeasure`; they replace those of the
        measure.

    Attributes
    ----------
    labels_ : ndarray of int64, shape (n,)
        Cluster of each object, numbered by first appearance.
    margin_ : float
        Smallest relative difference between a merge and the next pair that it rules out, or the
        first merge left out. Ties, which `ties` decides, do not count. At rounding level (1e-9 or
        less), another machine may give other clusters. NaN for the ties "chain".
    tied_ : bool or None
        Whether `ties` decided: a pair that a merge rules out, or the first merge left out, was
        equally near. If False and `margin_` is above rounding level, any order of the objects gives
        the same clusters, because reciprocal nearest neighbours always merge eventually, and Ward's
        update never reduces distances below those of the parts. None for the ties "chain".
    linkage_ : ndarray of float64, shape (n - 1, 4)
        All merges in scipy's form, see `ward_linkage`; computed on first access, and only after a
        fit on objects.
    measure_ : measure
        The fitted measure; None without one.
    n_features_in_ : int
        Number of attributes, or of columns of the matrix.
    feature_names_in_ : ndarray of object, shape (m,)
        Names of the attributes, if the data have any.

    References
    ----------
    Ward, Journal of the American Statistical Association 58 (1963).

    Examples
    --------
    >>> from couplings import Ward
    >>> cars = [["vw", "gas"], ["vw", "gas"], ["vw", "oil"], ["bmw", "oil"], ["bmw", "oil"]]
    >>> ward = Ward(n_clusters=2, measure="simple_matching").fit(cars)
    >>> ward.labels_
    array([0, 0, 0, 1, 1])
    >>> ward.predict([["bmw", "oil"]])
    array([1])
    >>> ward.linkage_.shape
    (4, 4)
    """

    takes = "distances"

    n_clusters: int = 2
    recurrence: str = "D"
    ties: str = "R"
    diagonal: str = "zero"
    measure: Any = None
    n_jobs: int | None = None
    copy: bool = True
    missing: str | None = None
    unknown: str | None = None

    def fit(self, X: Any, y: object = None) -> Self:
        """Cluster objects.

        Parameters
        ----------
        X : CategoricalTable, data frame or array_like
            Labels of n objects, shape (n, m); or dissimilarities: condensed, or square (n, n),
            symmetric and, by default, with a diagonal of 0. A data frame holds dissimilarities if
            it is such a matrix of numbers.
        y : object, ignored

        Raises
        ------
        MissingValuesError
            If a cell is missing and the measure has no rule for it.
        CouplingsError
            If the dissimilarities are neither square nor condensed or exceed the memory, if the
            measure is a similarity, and as `ward`.
        """
        self.__dict__.pop("_linkage", None)
        X = _unframed(X) if self.measure is None else X
        self._objects = not self._takes_dissimilarities(X)
        if isinstance(self.measure, MixedDistance):
            condensed = self._learn_mixed(X)
        elif self._objects:
            table, space = self._learn(X, measure=self.measure or "simple_matching")
            check_clusters("Ward", self.n_clusters, table.n_objects)
            check_pairs("Ward", table.n_objects)
            with threads("Ward", self.n_jobs):
                condensed = space.condensed(table)
        else:
            self.measure_ = None
            array = _as_numbers(X)
            condensed = condensed_of(array, self.diagonal) if array.ndim == 2 else array
            self._remember_features(None, array.shape[-1])
        own = condensed is not X or not self.copy
        n_distinct = _distinct(condensed)
        self.labels_, self.margin_, self.tied_ = _ward(
            condensed, self.n_clusters, self.recurrence, self.ties, own
        )
        warn_of_clusters("Ward", self.labels_, self.n_clusters, n_distinct)
        if isinstance(self.measure_, MixedDistance):
            powered = self._powered(self.measure_._among_fitted())
            groups = [np.flatnonzero(self.labels_ == c) for c in range(self.n_clusters)]
            means = [powered[np.ix_(one, one)].mean() for one in groups]
            self._within: np.ndarray = np.array(means)
        elif self._objects:
            self._within = self._means_within(table, space)
        return self

    def _learn_mixed(self, X: Any) -> np.ndarray:
        """Fit the distance and return those of all pairs, condensed."""
        self.measure_ = fitted_mixed(self.measure, X)
        self._remember_features(self.measure_.feature_names_in_, self.measure_.n_features_in_)
        n = len(self.measure_._fitted[0])
        check_clusters("Ward", self.n_clusters, n)
        check_pairs("Ward", n)
        distances = self.measure_._among_fitted()
        if np.isnan(distances).any():
            raise CouplingsError(
                "Ward: two objects have no attribute present in both, so their distance is "
                "undefined; drop such objects, or set missing='mismatch'"
            )
        return condensed_of(distances, "ignore")

    @property
    def predict(self) -> Callable[[Any], np.ndarray]:
        """Return the nearest cluster of objects, int64 of shape (n,).

        Only available after a fit on objects. The nearest cluster minimises the mean dissimilarity
        to its objects minus half the mean among them. If the dissimilarities (for the recurrence
        "D2" their squares) are squared Euclidean, that is the squared distance to the centroid.
        Fitted objects may be assigned to another cluster than by the merges.
        """
        if self.measure == "precomputed" or not getattr(self, "_objects", True):
            raise AttributeError(
                "Ward was fitted on dissimilarities, which hold no objects to compare new ones "
                "with; fit it on the objects with a measure to use predict"
            )
        return self._predict

    @property
    def linkage_(self) -> np.ndarray:
        """All merges in scipy's form."""
        self._require_fit()
        if not self._objects:
            raise CouplingsError(
                "Ward does not keep the dissimilarities it was fitted on; call "
                "ward_linkage(distances) for all merges"
            )
        if not hasattr(self, "_linkage"):
            if isinstance(self.measure_, MixedDistance):
                condensed = condensed_of(self.measure_._among_fitted(), "ignore")
            else:
                table, _, space = self._together(self._train, self._train)
                condensed = space.condensed(table)
            self._linkage = ward_linkage(
                condensed, recurrence=self.recurrence, ties=self.ties, overwrite=True
            )
        return self._linkage

    def _predict(self, X: Any) -> np.ndarray:
        self._require_fit()
        member = np.eye(self.n_clusters)[self.labels_]
        member /= member.sum(axis=0)
        if isinstance(self.measure_, MixedDistance):
            means = self._powered(self.measure_._to_fitted(X)) @ member
        else:
            new, old, space = self._together(X, self._train)
            means = np.concatenate(
                [self._powered(distances) @ member for _, distances in blocks(new, old, space)]
            )
        return (means - 0.5 * self._within).argmin(axis=1)

    def _powered(self, distances: np.ndarray) -> np.ndarray:
        """Return dissimilarities as the recurrence adds them up."""
        return distances**2 if self.recurrence == "D2" else distances

    def _means_within(self, table: CategoricalTable, space: Space) -> np.ndarray:
        """Return the mean dissimilarity among the objects of each cluster, shape (k,)."""
        means = np.zeros(self.n_clusters)
        for c in range(self.n_clusters):
            members = table.take(np.flatnonzero(self.labels_ == c))
            for _, distances in blocks(members, members, space):
                means[c] += self._powered(distances).sum()
            means[c] /= members.n_objects**2
        return means

    def _takes_dissimilarities(self, X: Any) -> bool:
        if self.measure is not None:
            return isinstance(self.measure, str) and self.measure == "precomputed"
        numbers = isinstance(X, np.ndarray) and X.dtype.kind in "fiu"
        return numbers and (X.ndim != 2 or X.shape[0] == X.shape[1])

    def __sklearn_tags__(self) -> Any:
        """Describe the estimator to scikit-learn: precomputed dissimilarities are pairwise."""
        tags = super().__sklearn_tags__()
        pairs = self._takes_dissimilarities(None)
        tags.input_tags.pairwise = pairs
        tags.input_tags.categorical = tags.input_tags.string = not pairs
        return tags


def _unframed(X: Any) -> Any:
    """Return a data frame of dissimilarities as an array, and other data as they are."""
    if isinstance(X, np.ndarray) or not hasattr(X, "columns") or not hasattr(X, "shape"):
        return X
    if X.shape[0] != X.shape[1] or X.shape[0] < 2:
        return X
    array = np.asarray(X)
    if array.dtype.kind not in "fiu":
        return X
    return array if np.array_equal(array, array.T) and not array.diagonal().any() else X


def _distinct(condensed: np.ndarray) -> int | None:
    """Return the number of groups of objects at distance 0, None if no two objects are."""
    from scipy.sparse import coo_array
    from scipy.sparse.csgraph import connected_components

    zeros = np.flatnonzero(condensed == 0)
    n = (1 + math.isqrt(1 + 8 * len(condensed))) // 2
    if not len(zeros) or condensed.ndim != 1 or len(condensed) != n * (n - 1) // 2:
        return None
    first = np.cumsum([0, *range(n - 1, 1, -1)])
    u = np.searchsorted(first, zeros, side="right") - 1
    v = zeros - first[u] + u + 1
    pairs = coo_array((np.ones(len(zeros), dtype=np.int8), (u, v)), shape=(n, n))
    return int(connected_components(pairs, directed=False)[0])


def _as_numbers(X: Any) -> np.ndarray:
    """Return dissimilarities as an array, or raise `CouplingsError`."""
    try:
        return real_numbers("Ward", "dissimilarities", X)
    except CouplingsError as error:
        raise CouplingsError(
            f"Ward(measure='precomputed') needs dissimilarities, not {type(X).__name__}; pass a "
            f"measure to cluster objects ({error})"
        ) from None


def condensed_of(square: np.ndarray, diagonal: str = "zero") -> np.ndarray:
    """Return the pairs u < v of a dissimilarity matrix, float64 of shape (n (n - 1) / 2,).

    Parameters
    ----------
    square : array_like of float, shape (n, n)
        Symmetric.
    diagonal : {"zero", "ignore"}, default "zero"
        Whether the diagonal must be 0.

    Raises
    ------
    CouplingsError
        If the matrix is not square or not symmetric, or its diagonal is not 0.
    """
    from scipy.spatial.distance import squareform

    check_choice("ward", "diagonal", diagonal, ("zero", "ignore"))
    array = np.ascontiguousarray(real_numbers("ward", "distances", square), dtype=np.float64)
    n = len(array)
    if array.shape != (n, n):
        raise CouplingsError(f"dissimilarities must be square or condensed, not {array.shape}")
    check_pairs("ward", n)
    condensed = squareform(array, checks=False)
    if not np.array_equal(array, array.T) and not np.isnan(condensed).any():
        raise CouplingsError("the matrix of dissimilarities is not symmetric")
    found = array.diagonal()
    if diagonal == "zero" and (found != 0).any() and not np.isnan(found).any():
        raise CouplingsError(
            f"the diagonal of the matrix is not 0 (largest {np.abs(found).max():.3g}): either "
            "these are similarities, or objects have a self-distance; turn similarities into "
            "distances (max - S), or ignore self-distances with diagonal='ignore'"
        )
    return condensed


def check_pairs(owner: str, n_objects: int) -> None:
    """Raise `CouplingsError` if the pairs of n objects do not fit into memory."""
    check_memory(
        owner,
        4.0 * n_objects * (n_objects - 1),
        f"the dissimilarities of all pairs of {n_objects} objects",
        "cluster a sample and use predict for the others, or use KModes or CategoricalSpectral",
    )


def _checked(distances: np.ndarray, recurrence: str, ties: str) -> tuple[np.ndarray, int]:
    """Return the condensed distances and the number of objects."""
    check_choice("ward", "recurrence", recurrence, ("D", "D2"))
    check_choice("ward", "ties", ties, ("R", "chain"))
    array = real_numbers("ward", "distances", distances)
    if array.ndim != 1:
        raise CouplingsError(
            f"ward needs condensed distances, not shape {array.shape}; pass the upper triangle, "
            "or use the estimator Ward for a square matrix"
        )
    n = (1 + math.isqrt(1 + 8 * len(array))) // 2
    if len(array) == 0 or n * (n - 1) // 2 != len(array):
        raise CouplingsError(
            f"{len(array)} condensed distances do not match any number n of objects; "
            "n (n - 1) / 2 are needed, n > 1"
        )
    lowest, highest = array.min(), array.max()
    if not (np.isfinite(lowest) and np.isfinite(highest) and lowest >= 0):
        found = "NaN" if np.isnan(lowest) else f"values from {lowest} to {highest}"
        raise CouplingsError(f"ward: distances must be finite and not negative, found {found}")
    return array, n


def _working_copy(condensed: np.ndarray, recurrence: str, overwrite: bool) -> np.ndarray:
    """Return contiguous float64 distances that may be overwritten, squared for "D2"."""
    flags = condensed.flags
    usable = overwrite and condensed.dtype == np.float64 and flags.c_contiguous and flags.writeable
    if recurrence == "D2":
        out = condensed if usable else None
        return np.multiply(condensed, condensed, out=out, dtype=np.float64)
    return condensed if usable else np.array(condensed, dtype=np.float64, order="C")


def _chain_linkage(condensed: np.ndarray, recurrence: str) -> np.ndarray:
    """Return scipy's linkage; it squares its input, so "D" passes square roots."""
    from scipy.cluster.hierarchy import linkage

    distances = np.asarray(condensed, dtype=np.float64)
    if recurrence == "D2":
        return linkage(distances, method="ward")
    rows = linkage(np.sqrt(distances), method="ward")
    rows[:, 2] **= 2
    return rows
