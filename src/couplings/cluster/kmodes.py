"""k-modes with any dissimilarity of values."""

from dataclasses import dataclass
from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike

from couplings._checks import (
    Seed,
    check_choice,
    check_clusters,
    check_positive,
    generator,
    is_integer,
    threads,
)
from couplings._kernels import modes as kernel
from couplings._kernels.modes import spread_start
from couplings.cluster._base import (
    MeasuredClustering,
    blocks,
    refuse_target,
    summed_matrices,
)
from couplings.errors import CouplingsError
from couplings.spaces import ObjectSpace
from couplings.table import CategoricalTable, require_complete
from couplings.values import ValueMatrices

_RULES = {"frequency": kernel.FREQUENCY, "minimiser": kernel.MINIMISER}
UPDATES = (*_RULES, "online")
INITS = ("plus", "random")
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
    check_starts("kmodes", n_starts)
    rng = generator("kmodes", random_state)
    starts = [rng.choice(n_objects, n_clusters, replace=False) for _ in range(n_starts)]
    return np.array(starts, dtype=np.int64).reshape(n_starts, n_clusters)


def spread_starts(
    table: CategoricalTable,
    matrices: ValueMatrices,
    n_clusters: int,
    n_starts: int,
    random_state: Seed = None,
) -> np.ndarray:
    """Draw objects that lie apart for k-modes to start from, as k-means++ does.

    The first object of a start is drawn at random, every further one with probability
    proportional to its dissimilarity to the nearest earlier one; of ``2 + floor(ln k)`` such
    candidates the one that leaves the least sum of dissimilarities is taken.

    Parameters
    ----------
    table, matrices
        As in `kmodes`.
    n_clusters, n_starts : int
        k and s.
    random_state : int, SeedSequence, Generator or None, default None
        Source of randomness.

    Returns
    -------
    ndarray of int64, shape (s, k)
        Rows of k different objects. They differ in their values too, unless there are fewer than k
        different objects.

    Raises
    ------
    CouplingsError
        Whenever `random_starts` or `kmodes` would.

    References
    ----------
    Arthur and Vassilvitskii, SODA 2007, for squared Euclidean distances.
    """
    check_clusters("kmodes", n_clusters, table.n_objects)
    check_starts("kmodes", n_starts)
    rng = generator("kmodes", random_state)
    require_complete(table)
    check_matrices(table.n_values, matrices)
    values = _global_values(table, matrices)
    chosen = np.empty((n_starts, n_clusters), dtype=np.int64)
    n_candidates = 2 + int(np.log(n_clusters))
    for one in chosen:
        uniforms = rng.random((n_clusters, n_candidates))
        spread_start(values, matrices.data, matrices.starts, matrices.offsets, uniforms, one)
    return chosen


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
    farthest from its own mode, out of the clusters that have more than one. With the update
    "online" the modes follow every single move instead.

    Parameters
    ----------
    table : CategoricalTable
        n objects without missing cells.
    matrices : ValueMatrices
        Finite dissimilarities M_j of the table's values. With those of `SimpleMatching` the
        objective is that of Huang's k-modes.
    starts : array_like of int, shape (s, k) or (k,)
        The objects that are the first modes, as `random_starts` draws them; different in each row.
    update : {"frequency", "minimiser", "online"}, default "frequency"
        "frequency", "minimiser": once all objects have been assigned, the new modes hold in each
        attribute the most frequent value of the cluster, or the occurring value with the least
        summed dissimilarity to the cluster; the first of several. With "minimiser" the objective
        cannot rise. "online", Huang's own procedure: the objects are taken one by one, one that
        is nearer to another mode moves there, and both modes become the most frequent values at
        once.
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
    check_choice("kmodes", "update", update, UPDATES)
    check_positive("kmodes", "max_iter", max_iter)
    require_complete(table)
    check_matrices(table.n_values, matrices)
    n, m = table.codes.shape
    seeds = _checked_starts(starts, n)
    offsets = matrices.offsets
    values = _global_values(table, matrices)
    n_starts, k = seeds.shape
    labels = np.empty((n_starts, n), dtype=np.int64)
    modes = np.empty((n_starts, k, m), dtype=np.int64)
    objective = np.empty(n_starts)
    n_iter = np.empty(n_starts, dtype=np.int64)
    n_chunks = min(_MOST_CHUNKS, -(-n // _ROWS_PER_CHUNK))
    parts = (values, matrices.data, matrices.starts, offsets)
    for s in range(n_starts):
        if update == "online":
            found = kernel.run_online(*parts, seeds[s], max_iter, labels[s], modes[s])
        else:
            found = kernel.run(
                *parts, seeds[s], _RULES[update], max_iter, n_chunks, labels[s], modes[s]
            )
        objective[s], n_iter[s] = found
    modes -= offsets[:-1]
    return KModesRuns(labels, modes, objective, n_iter)


def kmodes_margin(table: CategoricalTable, matrices: ValueMatrices, modes: np.ndarray) -> float:
    """Return how near the nearest choice of a mode is to another one.

    Parameters
    ----------
    table, matrices
        As in `kmodes`.
    modes : ndarray of int64, shape (k, m)
        Codes of the modes, as `KModesRuns` holds them.

    Returns
    -------
    float
        Least share by which the second nearest mode of an object is farther than the nearest, in
        (0, 1], infinite if there is none. Equal dissimilarities, which the order of the modes
        decides, do not count. At the level of rounding (1e-9 and less) another machine may give
        other clusters.
    """
    offsets = matrices.offsets
    parts = (_global_values(table, matrices), matrices.data, matrices.starts, offsets)
    return float(kernel.least_margin(*parts, modes + offsets[:-1]))


@dataclass(eq=False, repr=False)
class KModes(MeasuredClustering):
    """k-modes with any measure that adds up over the attributes, the best of several starts.

    Parameters
    ----------
    n_clusters : int, default 2
        Number of clusters.
    measure : str or measure, default "simple_matching"
        Dissimilarity of the values, by name (see `measure_names`) or as an instance, which is
        copied and fitted. Simple matching is what Huang's k-modes uses. Rules for missing cells
        and unseen values are parameters of the measure.
    init : {"plus", "random"}, default "plus"
        Starts: objects that lie apart (see `spread_starts`), or any different objects.
    n_init : int, default 10
        Number of starts; the result of the least objective is kept, the first of several.
    update, max_iter
        As in `kmodes`. The default, "frequency", renews the modes after each pass over the
        objects; "online" is Huang's update after each move.
    random_state : int, SeedSequence, Generator or None, default None
        Source of the starts.
    n_jobs : int, optional
        Most threads; None and -1 take all cores.
    verbose : bool, default False
        Print a line per start.

    Attributes
    ----------
    labels_ : ndarray of int64, shape (n,)
        Cluster of each object, that of the nearest mode.
    cluster_centroids_ : ndarray of object, shape (k, m)
        Labels of the modes; None for a missing cell.
    modes_ : ndarray of int64, shape (k, m)
        Codes of the modes.
    objective_ : float
        Sum of the dissimilarities of all objects to the modes of their clusters.
    n_iter_ : int
        Passes over the objects, in the best start.
    measure_ : measure
        The fitted measure, None if matrices were given.
    n_features_in_, feature_names_in_
        As in `Clustering`.

    References
    ----------
    Huang, Data Mining and Knowledge Discovery 2 (1998).

    Examples
    --------
    >>> from couplings import KModes
    >>> cars = [["vw", "gas"], ["vw", "gas"], ["vw", "oil"], ["bmw", "oil"], ["bmw", "oil"]]
    >>> modes = KModes(n_clusters=2, random_state=0).fit(cars)
    >>> modes.cluster_centroids_[modes.labels_[0]]
    array(['vw', 'gas'], dtype=object)
    >>> bool(modes.predict([["bmw", "gas"]])[0] in (0, 1))
    True
    """

    n_clusters: int = 2
    measure: Any = "simple_matching"
    init: str = "plus"
    n_init: int = 10
    update: str = "frequency"
    max_iter: int = 100
    random_state: Seed = None
    n_jobs: int | None = None
    verbose: bool = False

    def fit(self, X: Any, y: object = None, *, matrices: ValueMatrices | None = None) -> Self:
        """Cluster objects.

        Parameters
        ----------
        X : CategoricalTable, data frame or array_like, shape (n, m)
            Labels, whatever `CategoricalTable.from_any` reads.
        y : object
            Ignored.
        matrices : ValueMatrices, optional
            Dissimilarities of the values of a `CategoricalTable`, in place of the measure.

        Raises
        ------
        MissingValuesError
            If a cell is missing and the measure has no rule for it.
        MeasureError
            If the measure is a similarity, or does not add up over the attributes.
        CouplingsError
            Whenever `spread_starts`, `random_starts` or `kmodes` would.
        """
        refuse_target("KModes", y, "matrices")
        check_choice("KModes", "init", self.init, INITS)
        check_positive("KModes", "n_init", self.n_init)
        rng = generator("KModes", self.random_state)
        table, space = self._learn(X, matrices)
        check_clusters("KModes", self.n_clusters, table.n_objects)
        values = summed_matrices("KModes", space)
        if self.init == "plus":
            starts = spread_starts(table, values, self.n_clusters, self.n_init, rng)
        else:
            starts = random_starts(table.n_objects, self.n_clusters, self.n_init, rng)
        with threads("KModes", self.n_jobs):
            runs = kmodes(table, values, starts, self.update, self.max_iter)
        if self.verbose:
            for s, (objective, passes) in enumerate(zip(runs.objective, runs.n_iter, strict=True)):
                print(f"start {s + 1} of {self.n_init}: objective {objective:g}, {passes} passes")
        best = int(runs.objective.argmin())
        self.labels_, self.modes_ = runs.labels[best], runs.modes[best]
        self.objective_, self.n_iter_ = float(runs.objective[best]), int(runs.n_iter[best])
        self._centroids = self._labelled(self.modes_)
        self.cluster_centroids_ = labels_of(self._centroids)
        return self

    def predict(self, X: Any) -> np.ndarray:
        """Return the nearest mode of each object, the first of several, int64 of shape (n,).

        Parameters
        ----------
        X : CategoricalTable, data frame or array_like
            Objects, one is enough, with the attributes of `fit`.

        Raises
        ------
        NotFittedError
            If `fit` has not been called.
        MissingValuesError, MeasureError
            If a cell is missing or a value unseen, and the measure has no rule for it.
        """
        self._require_fit()
        new, modes, space = self._together(X, self._centroids)
        # The objective adds up values: a root would change nothing but rounding.
        space = ObjectSpace(summed_matrices("KModes", space), "sum")
        labels = np.empty(new.n_objects, dtype=np.int64)
        for rows, distances in blocks(new, modes, space):
            labels[rows] = distances.argmin(axis=1)
        return labels


def labels_of(table: CategoricalTable) -> np.ndarray:
    """Return the labels of a table, object of shape (n, m), None for a missing cell."""
    found = np.empty(table.codes.shape, dtype=object)
    for j, (column, domain) in enumerate(zip(table.codes.T, table.categories, strict=True)):
        found[:, j] = np.array([*domain, None], dtype=object)[column]
    return found


def check_starts(owner: str, n_starts: int) -> None:
    """Raise `CouplingsError` unless the number of starts is an integer of at least 0."""
    if not is_integer(n_starts) or n_starts < 0:
        raise CouplingsError(f"{owner}: n_starts={n_starts!r} is not an integer of at least 0")


def check_matrices(n_values: ArrayLike, matrices: ValueMatrices) -> None:
    """Raise `CouplingsError` unless matrices are finite, and of as many values as attributes."""
    sizes = np.asarray(n_values).tolist()
    if sizes != matrices.n_values.tolist():
        raise CouplingsError(
            f"the table declares {sizes} values per attribute, the value matrices have "
            f"{matrices.n_values.tolist()}; encode both with the same domains, or fit the measure "
            "on the counts of this table"
        )
    if not np.isfinite(matrices.data).all():
        raise CouplingsError("kmodes needs finite dissimilarities; some are infinite or NaN")


def _global_values(table: CategoricalTable, matrices: ValueMatrices) -> np.ndarray:
    """Return the global index of each cell's value, int32 of shape (n, m), row by row."""
    return np.ascontiguousarray(table.codes) + matrices.offsets[:-1].astype(np.int32)


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
