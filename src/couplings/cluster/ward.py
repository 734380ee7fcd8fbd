"""Ward's agglomerative clustering, with a say in what happens on ties."""

import math
from typing import Self

import numpy as np

from couplings._checks import check_clusters, check_memory
from couplings._kernels import agglomeration
from couplings._params import Params, check_choice
from couplings.errors import CouplingsError

_RECURRENCES = ("D", "D2")
_TIES = ("R", "chain")
_DIAGONALS = ("zero", "ignore")


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
        Dissimilarities of the pairs u < v, row by row (scipy's condensed form); finite, not
        negative.
    n_clusters : int
        Number of clusters, 1 to n.
    recurrence : {"D", "D2"}, default "D"
        Apply the Lance-Williams recurrence with Ward's coefficients to the dissimilarities as
        they are, or to their squares (Ward's criterion, if they are Euclidean).
    ties : {"R", "chain"}, default "R"
        Which of several equally near pairs merges first. "R" keeps for each object its first
        nearest later neighbour and merges the first least of them; a cluster goes on under its
        smallest object. This is the order of R's ``hclust``. "chain" follows the nearest-neighbour
        chain of scipy. Without ties both give the same clusters.
    overwrite : bool, default False
        Allow to use the memory of `distances` (float64, contiguous) as working space.

    Returns
    -------
    ndarray of int64, shape (n,)
        Labels 0 to n_clusters - 1 in order of first appearance.

    Raises
    ------
    CouplingsError
        If the distances have no triangular length or are negative, infinite or NaN, if
        `n_clusters` is out of range, or if an option is unknown.

    References
    ----------
    Murtagh and Legendre, Journal of Classification 31 (2014), on the two recurrences.
    """
    condensed, n = _checked(distances, recurrence, ties)
    check_clusters("ward", n_clusters, n)
    if ties == "R":
        work = _working_copy(condensed, recurrence, overwrite)
        merges, heights = agglomeration.merge_nearest(work, n, n_clusters)
        rows = agglomeration.linkage_rows(merges, heights, n)
    else:
        rows = _chain_linkage(condensed, recurrence)
    return agglomeration.cut(rows, n, n_clusters)


def ward_linkage(
    distances: np.ndarray, *, recurrence: str = "D", ties: str = "R", overwrite: bool = False
) -> np.ndarray:
    """Return all merges of Ward's method.

    Parameters and errors are those of `ward`.

    Returns
    -------
    ndarray of float64, shape (n - 1, 4)
        In scipy's form: the two clusters, smaller number first (objects are 0 to n - 1, merge t
        makes cluster n + t), the dissimilarity at which they merge, the size of the new cluster.
    """
    condensed, n = _checked(distances, recurrence, ties)
    if ties == "chain":
        return _chain_linkage(condensed, recurrence)
    work = _working_copy(condensed, recurrence, overwrite)
    merges, heights = agglomeration.merge_nearest(work, n, 1)
    if recurrence == "D2":
        heights = np.sqrt(heights)
    return agglomeration.linkage_rows(merges, heights, n)


class Ward(Params):
    """Ward's agglomerative clustering of a matrix of dissimilarities.

    Parameters
    ----------
    n_clusters : int, default 2
        Number of clusters.
    recurrence, ties
        As in `ward`.
    diagonal : {"zero", "ignore"}, default "zero"
        Whether the diagonal of a square matrix has to be 0.

    Attributes
    ----------
    labels_ : ndarray of int64, shape (n,)
        Cluster of each object, numbered by first appearance.

    References
    ----------
    Ward, Journal of the American Statistical Association 58 (1963).
    """

    def __init__(
        self,
        n_clusters: int = 2,
        recurrence: str = "D",
        ties: str = "R",
        diagonal: str = "zero",
    ) -> None:
        self.n_clusters = n_clusters
        self.recurrence = recurrence
        self.ties = ties
        self.diagonal = diagonal

    def fit(self, X: np.ndarray, y: object = None) -> Self:
        """Cluster from dissimilarities `X`: condensed, or square (n, n) and symmetric.

        Raises
        ------
        CouplingsError
            If `X` is neither, and whenever `ward` would.
        """
        array = np.asarray(X)
        own = array.ndim == 2
        self.labels_ = ward(
            condensed_of(array, self.diagonal) if own else array,
            self.n_clusters,
            recurrence=self.recurrence,
            ties=self.ties,
            overwrite=own,
        )
        return self

    def fit_predict(self, X: np.ndarray, y: object = None) -> np.ndarray:
        """Return the labels of `fit`."""
        return self.fit(X).labels_


def condensed_of(square: np.ndarray, diagonal: str = "zero") -> np.ndarray:
    """Return the pairs u < v of a matrix of dissimilarities.

    Parameters
    ----------
    square : array_like of float, shape (n, n)
        Symmetric.
    diagonal : {"zero", "ignore"}, default "zero"
        Whether the diagonal has to be 0.

    Returns
    -------
    ndarray of float64, shape (n (n - 1) / 2,)

    Raises
    ------
    CouplingsError
        If the matrix is not square or not symmetric, or its diagonal not 0.
    """
    check_choice("ward", "diagonal", diagonal, _DIAGONALS)
    array = np.ascontiguousarray(square, dtype=np.float64)
    n = len(array)
    if array.shape != (n, n):
        raise CouplingsError(f"dissimilarities must be square or condensed, not {array.shape}")
    check_pairs("ward", n)
    condensed = np.empty(n * (n - 1) // 2)
    if not agglomeration.condense(array, condensed) and not np.isnan(condensed).any():
        raise CouplingsError("the matrix of dissimilarities is not symmetric")
    found = array.diagonal()
    if diagonal == "zero" and (found != 0).any() and not np.isnan(found).any():
        raise CouplingsError(
            f"the diagonal of the matrix is not 0 (largest {np.abs(found).max():.3g}): these are "
            "similarities, or objects are at a distance from themselves; turn similarities into "
            "distances (max - S), or leave self-distances out with diagonal='ignore'"
        )
    return condensed


def check_pairs(owner: str, n_objects: int) -> None:
    """Raise `CouplingsError` if the pairs of n objects do not fit into memory."""
    check_memory(
        owner,
        4.0 * n_objects * (n_objects - 1),
        f"the dissimilarities of all pairs of {n_objects} objects",
        "cluster a sample and use predict for the others, or take KModes or CategoricalSpectral",
    )


def _checked(distances: np.ndarray, recurrence: str, ties: str) -> tuple[np.ndarray, int]:
    """Return the condensed distances and the number of objects."""
    check_choice("ward", "recurrence", recurrence, _RECURRENCES)
    check_choice("ward", "ties", ties, _TIES)
    array = np.asarray(distances)
    if array.ndim != 1:
        raise CouplingsError(
            f"ward takes condensed distances, not shape {array.shape}; use the upper triangle, "
            "or the estimator Ward for a square matrix"
        )
    n = (1 + math.isqrt(1 + 8 * len(array))) // 2
    if len(array) == 0 or n * (n - 1) // 2 != len(array):
        raise CouplingsError(
            f"{len(array)} condensed distances belong to no number n of objects; "
            "there are n (n - 1) / 2 of them, n > 1"
        )
    lowest, highest = array.min(), array.max()
    if not (np.isfinite(lowest) and np.isfinite(highest) and lowest >= 0):
        found = "NaN" if np.isnan(lowest) else f"values from {lowest} to {highest}"
        raise CouplingsError(f"ward: distances must be finite and not negative, found {found}")
    return array, n


def _working_copy(condensed: np.ndarray, recurrence: str, overwrite: bool) -> np.ndarray:
    """Return contiguous float64 distances that may be overwritten, squared for "D2"."""
    usable = condensed.dtype == np.float64 and condensed.flags.c_contiguous
    if overwrite and usable and condensed.flags.writeable:
        work = condensed
    else:
        work = np.array(condensed, dtype=np.float64, order="C")
    if recurrence == "D2":
        np.multiply(work, work, out=work)
    return work


def _chain_linkage(condensed: np.ndarray, recurrence: str) -> np.ndarray:
    """Return scipy's linkage; it squares its input, so "D" passes square roots."""
    from scipy.cluster.hierarchy import linkage

    distances = np.asarray(condensed, dtype=np.float64)
    if recurrence == "D2":
        return linkage(distances, method="ward")
    rows = linkage(np.sqrt(distances), method="ward")
    rows[:, 2] **= 2
    return rows
