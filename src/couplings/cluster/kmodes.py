"""k-modes with any dissimilarity of values."""

from dataclasses import dataclass
from typing import Self

import numpy as np
from numpy.typing import ArrayLike

from couplings._checks import Seed, check_clusters, check_positive, generator, is_integer
from couplings._kernels import modes as kernel
from couplings._params import Params, check_choice
from couplings.errors import CouplingsError
from couplings.table import CategoricalTable, require_complete
from couplings.values import ValueMatrices

_RULES = {"frequency": kernel.FREQUENCY, "minimiser": kernel.MINIMISER}
_ROWS_PER_CHUNK = 16_384
_MOST_CHUNKS = 16


@dataclass(frozen=True, eq=False)
class KModesRuns:
    """The outcome of k-modes from s starts.

    Parameters
    ----------
    labels : ndarray of int64, shape (s, n)
        Clusters 0 to k - 1, none of them empty; cluster c grew from start object c.
    modes : ndarray of int64, shape (s, k, m)
        Codes of the modes of these clusters.
    objective : ndarray of float64, shape (s,)
        Sum of the dissimilarities of all objects to the modes of their clusters.
    n_iter : ndarray of int64, shape (s,)
        Passes over the objects, the one that changed nothing included.
    """

    labels: np.ndarray
    modes: np.ndarray
    objective: np.ndarray
    n_iter: np.ndarray


def random_starts(
    n_objects: int,
    n_clusters: int,
    n_starts: int,
    random_state: Seed = None,
) -> np.ndarray:
    """Draw the objects that k-modes starts from.

    Parameters
    ----------
    n_objects, n_clusters, n_starts : int
        n, k and s.
    random_state : int or Generator, optional
        Source of randomness.

    Returns
    -------
    ndarray of int64, shape (s, k)
        Rows of k different indices below n.

    Raises
    ------
    CouplingsError
        If a number is no integer, or there are not 1 to n clusters.
    """
    check_clusters("kmodes", n_clusters, n_objects)
    if not is_integer(n_starts) or n_starts < 0:
        raise CouplingsError(f"kmodes: n_starts={n_starts!r} is not an integer of at least 0")
    rng = generator("kmodes", random_state)
    starts = [rng.choice(n_objects, n_clusters, replace=False) for _ in range(n_starts)]
    return np.array(starts, dtype=np.int64).reshape(n_starts, n_clusters)


def kmodes(
    table: CategoricalTable,
    matrices: ValueMatrices,
    starts: ArrayLike,
    update: str = "frequency",
    max_iter: int = 100,
) -> KModesRuns:
    """Cluster objects around modes, from one or many starts.

    Every object joins the mode with the least ``sum_j M_j[x_uj, mode_j]``, the first of several;
    then every cluster renews its mode; until no object moves. An empty cluster takes the object
    farthest from its own mode, out of the clusters that have more than one.

    Parameters
    ----------
    table : CategoricalTable
        n objects without missing cells.
    matrices : ValueMatrices
        Finite dissimilarities M_j of the table's values. With those of `SimpleMatching` and the
        update "frequency" this is Huang's k-modes.
    starts : array_like of int, shape (s, k) or (k,)
        The objects that are the first modes, as `random_starts` draws them; different in each row.
    update : {"frequency", "minimiser"}, default "frequency"
        The new mode holds in each attribute the most frequent value of the cluster, or the
        occurring value with the least summed dissimilarity to the cluster; the first of several.
        With "minimiser" the objective cannot rise.
    max_iter : int, default 100
        Most passes over the objects.

    Returns
    -------
    KModesRuns

    Raises
    ------
    CouplingsError
        If the starts are not rows of different objects, if the matrices do not fit the table
        or are not finite, or if an option is out of range.
    MissingValuesError
        If a cell is missing.

    References
    ----------
    Huang, Data Mining and Knowledge Discovery 2 (1998). CASO, IEEE TNNLS 26 (2015), section VIII.
    """
    check_choice("kmodes", "update", update, tuple(_RULES))
    check_positive("kmodes", "max_iter", max_iter)
    require_complete(table)
    if not np.array_equal(table.n_values, matrices.n_values):
        raise CouplingsError(
            f"the table declares {table.n_values.tolist()} values per attribute, the value "
            f"matrices have {matrices.n_values.tolist()}; encode both with the same domains"
        )
    if not np.isfinite(matrices.data).all():
        raise CouplingsError("kmodes needs finite dissimilarities; some are infinite or NaN")
    n, m = table.codes.shape
    seeds = _checked_starts(starts, n)
    offsets = matrices.offsets
    values = np.ascontiguousarray(table.codes) + offsets[:-1].astype(np.int32)
    n_starts, k = seeds.shape
    labels = np.empty((n_starts, n), dtype=np.int64)
    modes = np.empty((n_starts, k, m), dtype=np.int64)
    objective = np.empty(n_starts)
    n_iter = np.empty(n_starts, dtype=np.int64)
    n_chunks = min(_MOST_CHUNKS, -(-n // _ROWS_PER_CHUNK))
    for s in range(n_starts):
        objective[s], n_iter[s] = kernel.run(
            values,
            matrices.data,
            matrices.starts,
            offsets,
            seeds[s],
            _RULES[update],
            max_iter,
            n_chunks,
            labels[s],
            modes[s],
        )
    modes -= offsets[:-1]
    return KModesRuns(labels, modes, objective, n_iter)


class KModes(Params):
    """k-modes from one random start, with any dissimilarity of values.

    Parameters
    ----------
    n_clusters : int, default 2
        Number of clusters.
    update, max_iter
        As in `kmodes`.
    random_state : int or Generator, optional
        Source of the start.

    Attributes
    ----------
    labels_ : ndarray of int64, shape (n,)
        Cluster of each object.
    modes_ : ndarray of int64, shape (k, m)
        Codes of the modes.
    objective_ : float
        Sum of the dissimilarities of all objects to the modes of their clusters.
    n_iter_ : int
        Passes over the objects.

    References
    ----------
    Huang, Data Mining and Knowledge Discovery 2 (1998).
    """

    def __init__(
        self,
        n_clusters: int = 2,
        update: str = "frequency",
        max_iter: int = 100,
        random_state: int | np.random.Generator | None = None,
    ) -> None:
        self.n_clusters = n_clusters
        self.update = update
        self.max_iter = max_iter
        self.random_state = random_state

    def fit(self, X: CategoricalTable, matrices: ValueMatrices) -> Self:
        """Cluster the objects of `X` with the dissimilarities `matrices` of its values.

        Raises
        ------
        CouplingsError
            Whenever `random_starts` or `kmodes` would.
        """
        starts = random_starts(X.n_objects, self.n_clusters, 1, self.random_state)
        runs = kmodes(X, matrices, starts, self.update, self.max_iter)
        self.labels_, self.modes_ = runs.labels[0], runs.modes[0]
        self.objective_, self.n_iter_ = float(runs.objective[0]), int(runs.n_iter[0])
        return self

    def fit_predict(self, X: CategoricalTable, matrices: ValueMatrices) -> np.ndarray:
        """Return the labels of `fit`."""
        return self.fit(X, matrices).labels_


def _checked_starts(starts: ArrayLike, n_objects: int) -> np.ndarray:
    """Return the starts as int64 of shape (s, k)."""
    array = np.atleast_2d(np.asarray(starts))
    valid = array.ndim == 2 and array.dtype.kind in "iu" and array.shape[1] > 0
    if not valid or (array < 0).any() or (array >= n_objects).any():
        raise CouplingsError(
            f"starts must be rows of object indices from 0 to {n_objects - 1}, "
            f"not {array.dtype} of shape {array.shape}"
        )
    ordered = np.sort(array, axis=1)
    if (ordered[:, 1:] == ordered[:, :-1]).any():
        raise CouplingsError("a start names the same object twice; its objects must differ")
    return array.astype(np.int64)
