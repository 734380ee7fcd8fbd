"""k-modes with any dissimilarity of values."""

import warnings
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike

from couplings._checks import (
    Seed,
    check_choice,
    check_clusters,
    check_positive,
    check_weights,
    counted_weights,
    generator,
    is_integer,
    threads,
    word_of,
)
from couplings._domains import Extras
from couplings._kernels import modes as kernel
from couplings._kernels.threads import threaded
from couplings._weights import present_only
from couplings.cluster._base import (
    MeasuredClustering,
    PrototypeClustering,
    blocks,
    refuse_target,
    summed_matrices,
    warn_of_clusters,
)
from couplings.errors import CouplingsError
from couplings.spaces import ObjectSpace
from couplings.table import CategoricalTable, require_complete
from couplings.values import ValueMatrices

_RULES = {"frequency": kernel.FREQUENCY, "minimiser": kernel.MINIMISER, "ng": kernel.SHARED}
UPDATES = (*_RULES, "online", "hartigan")
_ROWS_PER_CHUNK = 16_384
_MOST_CHUNKS = 16
# Cells up to which NumPy adds up dissimilarities as fast as a kernel, which need not be compiled.
_FEW_CELLS = 2_000
# Costs that are kept at first; passes are rarely more.
_FEW_COSTS = 64


@dataclass(frozen=True, eq=False)
class KModesRuns:
    """Results of k-modes from s starts.

    Parameters
    ----------
    labels : ndarray of int64, shape (s, n)
        Clusters 0 to k - 1; cluster c starts from object c of the start. No cluster is empty
        unless the data have fewer than k distinct objects.
    modes : ndarray of int64, shape (s, k, m)
        Codes of the modes of these clusters.
    objective : ndarray of float64, shape (s,)
        Sum of the dissimilarities of all objects to the modes of their clusters.
    n_iter : ndarray of int64, shape (s,)
        Number of passes over the objects, including the last one, which changed nothing.
    costs : tuple of s ndarrays of float64, shape (n_iter + 1,)
        Objective of the initial modes and after each pass.
    converged : ndarray of bool, shape (s,)
        Whether the last pass moved no object.
    """

    labels: np.ndarray
    modes: np.ndarray
    objective: np.ndarray
    n_iter: np.ndarray
    costs: tuple[np.ndarray, ...]
    converged: np.ndarray


def random_starts(
    n_objects: int,
    n_clusters: int,
    n_starts: int,
    random_state: Seed = None,
    sample_weight: ArrayLike | None = None,
) -> np.ndarray:
    """Draw initial objects for k-modes, int64 (s, k): rows of k different indices below n.

    Parameters
    ----------
    n_objects, n_clusters, n_starts : int
        n, k and s.
    random_state : int or Generator, optional
        Source of randomness.
    sample_weight : array_like of float, shape (n,), optional
        Weights of the objects in the draw; objects of weight 0 are not drawn.

    Raises
    ------
    CouplingsError
        If a number is not an integer, or the number of clusters is not in 1 to n.
    """
    check_clusters("kmodes", n_clusters, n_objects)
    check_starts("kmodes", n_starts)
    rng = generator("kmodes", random_state)
    share = None
    if sample_weight is not None:
        weights = check_weights("kmodes", sample_weight, n_objects)
        check_clusters("kmodes", n_clusters, int((weights > 0).sum()), of="objects with a weight")
        if (weights != weights[0]).any():  # equal ones change no draw
            share = weights / weights.sum()
    starts = [rng.choice(n_objects, n_clusters, replace=False, p=share) for _ in range(n_starts)]
    return np.array(starts, dtype=np.int64).reshape(n_starts, n_clusters)


def spread_starts(
    table: CategoricalTable,
    matrices: ValueMatrices,
    n_clusters: int,
    n_starts: int,
    random_state: Seed = None,
    sample_weight: ArrayLike | None = None,
) -> np.ndarray:
    """Draw initial objects for k-modes that lie far apart, as k-means++ does.

    The first object of a start is drawn at random. Every further one is the best of
    ``2 + floor(ln k)`` candidates, drawn with probability proportional to the dissimilarity to the
    nearest earlier object: the one that minimises the sum of dissimilarities. Errors are those of
    `random_starts` and `kmodes`.

    Parameters
    ----------
    table, matrices
        As in `kmodes`.
    n_clusters, n_starts : int
        k and s.
    random_state : int, SeedSequence, Generator or None, default None
        Source of randomness.
    sample_weight : array_like of float, shape (n,), optional
        Number of objects that each row represents, at least 0.

    Returns
    -------
    ndarray of int64, shape (s, k)
        Rows of k objects, whose values differ too unless the data have fewer than k distinct
        objects.

    References
    ----------
    Arthur and Vassilvitskii, SODA 2007 (for squared Euclidean distances).
    """
    check_clusters("kmodes", n_clusters, table.n_objects)
    check_starts("kmodes", n_starts)
    rng = generator("kmodes", random_state)
    require_complete(table)
    check_matrices(table.n_values, matrices)
    weights, _ = counted_weights("kmodes", sample_weight, table.n_objects)
    values = _global_values(table, matrices)
    chosen = np.empty((n_starts, n_clusters), dtype=np.int64)
    n_candidates = 2 + int(np.log(n_clusters))
    parts = (values, weights, matrices.data, matrices.starts, matrices.offsets)
    room = np.empty(int(matrices.offsets[-1])), np.empty((3, table.n_objects))
    for one in chosen:
        kernel.spread_start(*parts, rng.random((n_clusters, n_candidates)), *room, one)
    return chosen


def kmodes(
    table: CategoricalTable,
    matrices: ValueMatrices,
    starts: ArrayLike,
    update: str = "frequency",
    max_iter: int = 100,
    sample_weight: ArrayLike | None = None,
) -> KModesRuns:
    """Cluster objects around modes from one or many starts.

    Every object joins the (first) mode with the smallest ``sum_j M_j[x_uj, mode_j]``, then every
    cluster updates its mode, until no object moves. An empty cluster takes the object farthest from
    its own mode among clusters of several objects. With the updates "online" and "hartigan", modes
    are updated after every single move.

    Parameters
    ----------
    table : CategoricalTable
        n objects without missing cells.
    matrices : ValueMatrices
        Finite dissimilarities M_j of the table's values. With those of `SimpleMatching` the
        objective is that of Huang's k-modes.
    starts : array_like of int, shape (s, k) or (s, k, m)
        Objects that serve as initial modes, distinct in each row, as drawn by `random_starts`; or
        the codes of the initial modes.
    update : {"frequency", "minimiser", "online", "hartigan", "ng"}, default "frequency"
        "frequency", "minimiser": after a pass over all objects, each attribute of a new mode is the
        most frequent value of the cluster, or the occurring value with the smallest summed
        dissimilarity to the cluster; ties go to the first value. With "minimiser" the objective
        cannot increase. "online" (Huang's procedure): objects are visited one by one; an object
        nearer to another mode moves there, and both modes are updated to the most frequent values
        at once. "hartigan" (after Hartigan and Wong): starting from the clusters of "frequency"
        and from those of "online", equal objects move together to the cluster where the objective,
        with the best modes of the old and new cluster, decreases most; the better of the two
        results is kept, and no such move improves it. "ng" (Ng et al.): as "frequency" with simple
        matching, but a match with a mode costs the share of the cluster that has another value.
    max_iter : int, default 100
        Maximum number of passes over the objects.
    sample_weight : array_like of float, shape (n,), optional
        Number of objects that each row represents, at least 0. The result equals that of repeated
        rows, except that an empty cluster takes a row with all its weight.

    Returns
    -------
    KModesRuns

    Raises
    ------
    CouplingsError
        If the starts are not rows of distinct objects, if the matrices do not match the table or
        are not finite, or if an option is out of range.
    MissingValuesError
        If a cell is missing.

    References
    ----------
    Huang, Data Mining and Knowledge Discovery 2 (1998). CASO, IEEE TNNLS 26 (2015), section VIII.
    Hartigan and Wong, Applied Statistics 28 (1979), for means. Ng, Li, Huang and He, IEEE TPAMI 29
    (2007).
    """
    check_choice("kmodes", "update", update, UPDATES)
    check_positive("kmodes", max_iter=max_iter)
    require_complete(table)
    check_matrices(table.n_values, matrices)
    matches = ValueMatrices.from_blocks([1.0 - np.eye(size) for size in table.n_values])
    if update == "ng" and not np.array_equal(matrices.data, matches.data):
        raise CouplingsError("kmodes: update='ng' is defined for simple matching only; use it")
    weights, unit = counted_weights("kmodes", sample_weight, table.n_objects)
    codes = _start_modes(starts, table)
    offsets, inverse = matrices.offsets, None
    if update == "hartigan":
        table, _, inverse = table.distinct()
        single, weights = weights, np.zeros(table.n_objects, dtype=np.int64)
        np.add.at(weights, inverse, single)
    values = _global_values(table, matrices)
    modes = codes + offsets[:-1]
    labels = np.empty((len(modes), len(values)), dtype=np.int64)
    parts = (values, weights, matrices.data, matrices.starts, offsets)
    found = []
    for own, start in zip(labels, modes, strict=True):
        if update == "hartigan":
            found.append(_transferred(parts, max_iter, own, start))
        elif update == "online":
            found.append(_moved_one_by_one(parts, max_iter, own, start))
        else:
            found.append(_run(parts, _RULES[update], max_iter, own, start))
    costs = tuple(one / unit for one, _ in found)
    return KModesRuns(
        labels if inverse is None else labels[:, inverse],
        modes - offsets[:-1],
        np.array([one[-1] for one in costs], dtype=float),
        np.array([len(one) - 1 for one in costs], dtype=np.int64),
        costs,
        np.array([ended for _, ended in found], dtype=bool),
    )


_Parts = tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray, np.ndarray]


def _run(
    parts: _Parts, rule: int, max_iter: int, labels: np.ndarray, modes: np.ndarray
) -> tuple[np.ndarray, bool]:
    """Run k-modes from the initial modes; write labels and modes, return costs and convergence."""
    n, (k, m), n_values = len(labels), modes.shape, int(parts[-1][-1])
    n_chunks = min(_MOST_CHUNKS, -(-n // _ROWS_PER_CHUNK))
    delta = None
    if n_chunks > 1 and threaded(n * m * k):
        delta = np.empty((n_chunks, k, n_values), dtype=np.int64)
    spread = np.zeros((n_values, kernel.width(k)))
    counts, sizes = np.zeros((k, n_values), dtype=np.int64), np.zeros(k, dtype=np.int64)
    own, previous = np.empty(n), np.empty(n, dtype=np.int64)
    labels[:] = -1
    no_offsets = np.zeros(m, dtype=np.int64)
    costs, first, converged = np.empty(min(max_iter + 1, _FEW_COSTS)), 1, False
    while True:
        first, converged = kernel.run(
            *parts,
            rule,
            delta,
            spread,
            counts,
            sizes,
            own,
            previous,
            labels,
            modes,
            costs,
            first,
            no_offsets,
        )
        if converged or first > max_iter:
            return costs[:first], converged
        costs = np.append(costs, np.empty(min(max_iter + 1 - first, first)))


def _moved_one_by_one(
    parts: _Parts, max_iter: int, labels: np.ndarray, modes: np.ndarray
) -> tuple[np.ndarray, bool]:
    """Run k-modes with update "online" from the initial modes; write labels and modes."""
    first, _ = _run(parts, kernel.FREQUENCY, 1, labels, modes)
    costs, converged = kernel.run_online(*parts, max_iter, labels, modes)
    costs[0] = first[0]
    return costs, converged


def _transferred(
    parts: _Parts, max_iter: int, labels: np.ndarray, modes: np.ndarray
) -> tuple[np.ndarray, bool]:
    """Run k-modes with update "hartigan" from the initial modes; write labels and modes."""
    runs = []
    for online in (False, True):
        own, ends = labels.copy(), modes.copy()
        if online:
            first, _ = _moved_one_by_one(parts, max_iter, own, ends)
        else:
            first, _ = _run(parts, kernel.FREQUENCY, max_iter, own, ends)
        more, converged = kernel.run_hartigan(*parts, max_iter, own, ends)
        runs.append((np.concatenate([first, more[1:]]), converged, own, ends))
    costs, converged, labels[:], modes[:] = min(runs, key=lambda run: run[0][-1])
    return costs, converged


@dataclass(eq=False, repr=False)
class KModes(MeasuredClustering, PrototypeClustering):
    """k-modes with any measure that adds up over the attributes; the best of several starts.

    Parameters
    ----------
    n_clusters : int, default 2
        Number of clusters.
    measure : str or measure, default "simple_matching"
        Dissimilarity of the values: a name (see `measure_names`) or an instance, which is copied
        and fitted. Huang's k-modes uses simple matching. Rules for missing cells and unseen values
        are parameters of the measure.
    init : {"plus", "random", "cao"} or array_like of shape (k, m), default "plus"
        "plus": objects that lie far apart, see `spread_starts`; the order of the rows does not
        matter. "random": distinct objects at
        random. "cao": Cao's method, see `cao_start`. An array holds the initial modes: their
        labels, or the codes of a `CategoricalTable`.
    n_init : int, default 10
        Number of starts; the first result with the lowest objective is kept. Cao's method and
        given modes are a single start.
    update, max_iter
        As in `kmodes`. The default, "frequency", updates the modes after each pass over the
        objects; "online" is Huang's update after each move; "hartigan" reaches the lowest
        objectives.
    random_state : int, SeedSequence, Generator or None, default None
        Seed of the starts.
    n_jobs : int, optional
        Maximum number of threads; None and -1 use all cores.
    verbose : bool, default False
        Print a line per start.
    missing, unknown : str, optional
        Rules for missing cells and unseen values, see `ValueMeasure`; they replace those of the
        measure.

    Attributes
    ----------
    labels_ : ndarray of int64, shape (n,)
        Cluster of each object: the nearest mode, as in `predict`, once converged. With the updates
        "online" and "hartigan", an object equally near to an earlier mode stays.
    cluster_centroids_ : ndarray of object, shape (k, m)
        Labels of the modes; None for a missing cell.
    modes_ : ndarray of int64, shape (k, m)
        Codes of the modes.
    objective_ : float
        Sum of the dissimilarities of all objects to the modes of their clusters.
    n_iter_ : int
        Number of passes over the objects, in the best start.
    epoch_costs_ : ndarray of float64, shape (n_iter_ + 1,)
        Objective of the initial modes and after each pass.
    measure_ : measure
        The fitted measure; None if matrices were given.
    n_features_in_, feature_names_in_
        As in `Clustering`.

    References
    ----------
    Huang, Data Mining and Knowledge Discovery 2 (1998); further ones in `kmodes`.

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

    takes = "values"

    n_clusters: int = 2
    measure: Any = "simple_matching"
    init: Any = "plus"
    n_init: int = 10
    update: str = "frequency"
    max_iter: int = 100
    random_state: Seed = None
    n_jobs: int | None = None
    verbose: bool = False
    missing: str | None = None
    unknown: str | None = None

    @present_only
    def fit(
        self,
        X: Any,
        y: object = None,
        sample_weight: ArrayLike | None = None,
        *,
        matrices: ValueMatrices | None = None,
    ) -> Self:
        """Cluster objects.

        Parameters
        ----------
        X : CategoricalTable, data frame or array_like, shape (n, m)
            Labels in any form that `CategoricalTable.from_any` reads.
        y : object, ignored
        sample_weight : array_like of float, shape (n,), optional
            Number of objects that each row represents; also used by the measure. A row of weight 0
            is absent, but its values are known, and it gets a label.
        matrices : ValueMatrices, optional
            Dissimilarities of the values of a `CategoricalTable`; replaces the measure.

        Warns
        -----
        ConvergenceWarning
            If distinct objects are fewer than clusters, or if objects still move after `max_iter`
            passes.

        Raises
        ------
        MissingValuesError
            If a cell is missing and the measure has no rule for it.
        MeasureError
            If the measure is a similarity, or does not add up over the attributes.
        CouplingsError
            As `spread_starts`, `random_starts` and `kmodes`.
        """
        refuse_target("KModes", y, "matrices")
        word = word_of("KModes", "init", self.init, ("plus", "random", "cao"))
        check_positive("KModes", n_init=self.n_init)
        rng = generator("KModes", self.random_state)
        table, space = self._learn(X, matrices, sample_weight=sample_weight)
        check_clusters("KModes", self.n_clusters, table.n_objects)
        values = summed_matrices("KModes", space)
        weights, inverse = check_weights("KModes", sample_weight, table.n_objects), None
        objects, given, unit = table, sample_weight, 1.0
        if given is not None and (weights == weights[0]).all():
            # Sums of a fraction are rounded; equal weights are to change no tie.
            unit, weights, given = float(weights[0]), np.ones_like(weights, np.int64), None
        if word == "plus":
            least = table.n_objects if self.update == "online" else self.n_clusters
            objects, given, inverse = _ordered(table, weights, least)
        starts = self._starts(X, objects, values, given, rng, word)
        with threads("KModes", self.n_jobs):
            runs = kmodes(objects, values, starts, self.update, self.max_iter, given)
        if self.verbose:
            for s, (objective, passes) in enumerate(zip(runs.objective, runs.n_iter, strict=True)):
                said = f"objective {objective * unit:g}, {passes} passes"
                print(f"start {s + 1} of {self.n_init}: {said}")
        best = int(runs.objective.argmin())
        self.labels_, self.modes_ = runs.labels[best], runs.modes[best]
        if inverse is not None:
            self.labels_ = self.labels_[inverse]
        self.objective_, self.n_iter_ = float(runs.objective[best]) * unit, int(runs.n_iter[best])
        self.epoch_costs_ = runs.costs[best] * unit
        if self.update == "ng":
            self._shares = _shares_of_modes(table.codes, self.labels_, self.modes_, weights)
        warn_of_clusters("KModes", self.labels_, self.n_clusters)
        warn_of_passes("KModes", self.max_iter, bool(runs.converged[best]))
        self._offsets = values.offsets[:-1].astype(np.int32)
        self._spread = np.zeros((int(values.offsets[-1]), kernel.width(self.n_clusters)))
        for j, modes in enumerate(self.modes_.T):
            rows = slice(values.offsets[j], values.offsets[j + 1])
            self._spread[rows, : self.n_clusters] = values.block(j)[:, modes]
        self._centroids = self._labelled(self.modes_)
        self.cluster_centroids_ = labels_of(self._centroids)
        return self

    def predict(self, X: Any) -> np.ndarray:
        """Return the (first) nearest mode of each object, int64 of shape (n,).

        Parameters
        ----------
        X : CategoricalTable, data frame or array_like
            Objects (at least one) with the attributes of `fit`.

        Raises
        ------
        NotFittedError
            If `fit` has not been called.
        MissingValuesError, MeasureError
            If a cell is missing or a value is unseen, and the measure has no rule for it.
        """
        codes = self._known_codes(X)
        if codes is None or self.update == "ng":
            return np.concatenate([part.argmin(axis=1) for part in self._to_modes(X)])
        _refuse_gaps("KModes", codes, self._centroids)
        labels, own = np.empty(len(codes), dtype=np.int64), np.empty(len(codes))
        values = np.ascontiguousarray(codes, dtype=np.int32) + self._offsets
        zeros = np.zeros(values.shape[1], dtype=np.int64)
        kernel.nearest_modes(values, zeros, self._spread, len(self.modes_), labels, own, None)
        return labels

    def transform(self, X: Any) -> np.ndarray:
        """Return the dissimilarities of objects to the modes, float64 of shape (n, k).

        Parameters and errors are those of `predict`.
        """
        return np.concatenate(list(self._to_modes(X)))

    def score(self, X: Any, y: object = None, sample_weight: ArrayLike | None = None) -> float:
        """Return minus the mean dissimilarity of objects to their nearest mode; larger is better.

        Parameters and errors are those of `predict`; `sample_weight` weights the mean.
        """
        nearest = np.concatenate([part.min(axis=1) for part in self._to_modes(X)])
        weights = check_weights("KModes", sample_weight, len(nearest))
        return -float(np.average(nearest, weights=weights))

    def _to_modes(self, X: Any) -> Iterator[np.ndarray]:
        """Yield the dissimilarities of objects to the modes in blocks."""
        self._require_fit()
        codes = None if self.update == "ng" else self._known_codes(X)
        if codes is not None and codes.size <= _FEW_CELLS:
            _refuse_gaps("KModes", codes, self._centroids)
            values, k = codes + self._offsets, len(self.modes_)
            total = self._spread[values[:, 0], :k]
            for j in range(1, values.shape[1]):
                total += self._spread[values[:, j], :k]
            yield total
            return
        new, modes, space = self._together(X, self._centroids)
        if self.update == "ng":
            total = np.zeros((new.n_objects, len(self.modes_)))
            for column, mode, share in zip(new.codes.T, modes.codes.T, self._shares.T, strict=True):
                total += np.where(column[:, None] == mode, 1.0 - share, 1.0)
            yield total
            return
        # The objective is a sum over values; a root would only change the rounding.
        space = ObjectSpace(summed_matrices("KModes", space), "sum")
        for _, distances in blocks(new, modes, space):
            yield distances

    def _init_codes(self, table: CategoricalTable) -> np.ndarray:
        """Return the codes of the labels of the initial modes."""
        shape = (self.n_clusters, table.n_attributes)
        given = self.init.codes.shape if hasattr(self.init, "codes") else np.shape(self.init)
        if given != shape:
            raise CouplingsError(f"KModes: init has the shape {given}; it must be {shape}")
        if self.measure_ is None:
            return self._codes(self.init)
        measure, extras = self.measure_, Extras.of(table.n_attributes)
        rules = (measure.missing, "raise", extras)
        codes = measure._domains.encode(self.init, "init of KModes", *rules, ())
        if (codes >= table.n_values).any():
            raise CouplingsError("KModes: init has missing cells, which the data do not have")
        return codes

    def _starts(
        self,
        X: Any,
        table: CategoricalTable,
        values: ValueMatrices,
        sample_weight: ArrayLike | None,
        rng: np.random.Generator,
        word: str | None,
    ) -> np.ndarray:
        """Return the starts in the form that `kmodes` takes."""
        k = self.n_clusters
        if word is None:
            own = isinstance(X, CategoricalTable) and not hasattr(self.init, "codes")
            coded = own and np.asarray(self.init).dtype.kind in "iu"
            codes = np.asarray(self.init) if coded else self._init_codes(table)
            if codes.shape != (k, table.n_attributes):
                raise CouplingsError(
                    f"KModes: init has the shape {codes.shape}; it must give the modes of {k} "
                    f"clusters in {table.n_attributes} attributes"
                )
            return codes[None]
        if word == "cao":
            weights = check_weights("KModes", sample_weight, table.n_objects)
            return cao_start(table, values, k, weights)
        if word == "plus":
            return spread_starts(table, values, k, self.n_init, rng, sample_weight)
        return random_starts(table.n_objects, k, self.n_init, rng, sample_weight)


def _refuse_gaps(owner: str, codes: np.ndarray, fitted: CategoricalTable) -> None:
    """Raise `MissingValuesError` if cells of new objects are missing."""
    if codes.min() < 0:
        require_complete(CategoricalTable.from_codes(codes, fitted.n_values))


def _ordered(
    table: CategoricalTable, weights: np.ndarray, least: int
) -> tuple[CategoricalTable, np.ndarray, np.ndarray]:
    """Return objects in the order of their values, their weights, and the place of each row.

    Equal rows become one, unless fewer than `least` would remain. What follows depends neither on
    the order of the rows nor on how often a row is repeated instead of weighted.
    """
    distinct, _, inverse = table.distinct()
    order = np.lexsort(distinct.codes.T[::-1])
    place = np.empty_like(order)
    place[order] = np.arange(len(order))
    inverse = place[inverse]
    if len(order) >= least:
        total = np.zeros(len(order), dtype=weights.dtype)
        np.add.at(total, inverse, weights)
        return distinct.take(order), total, inverse
    rows = np.argsort(inverse, kind="stable")
    place = np.empty_like(rows)
    place[rows] = np.arange(len(rows))
    return table.take(rows), weights[rows], place


def warn_of_passes(owner: str, max_iter: int, converged: bool) -> None:
    """Issue a `ConvergenceWarning` if objects still moved at the end."""
    if not converged:
        from sklearn.exceptions import ConvergenceWarning

        warnings.warn(
            f"{owner}: objects still moved after max_iter={max_iter} passes; increase it",
            ConvergenceWarning,
            stacklevel=3,
        )


def _shares_of_modes(
    codes: np.ndarray, labels: np.ndarray, modes: np.ndarray, weights: np.ndarray
) -> np.ndarray:
    """Return the share of each cluster with the value of its mode, float64 of shape (k, m)."""
    sizes = np.bincount(labels, weights, len(modes))
    alike = (codes == modes[labels]) * weights[:, None]
    sums = np.array([np.bincount(labels, column, len(modes)) for column in alike.T]).T
    return sums / np.where(sizes > 0, sizes, 1.0)[:, None]


def labels_of(table: CategoricalTable) -> np.ndarray:
    """Return the labels of a table, object of shape (n, m), with None for missing cells."""
    found = np.empty(table.codes.shape, dtype=object)
    for j, (column, domain) in enumerate(zip(table.codes.T, table.categories, strict=True)):
        found[:, j] = np.array([*domain, None], dtype=object)[column]
    return found


def check_starts(owner: str, n_starts: int) -> None:
    """Raise `CouplingsError` unless the number of starts is a non-negative integer."""
    if not is_integer(n_starts) or n_starts < 0:
        raise CouplingsError(f"{owner}: n_starts={n_starts!r} must be an integer of at least 0")


def check_matrices(n_values: ArrayLike, matrices: ValueMatrices) -> None:
    """Raise `CouplingsError` unless matrices are finite and match the numbers of values."""
    sizes = np.asarray(n_values).tolist()
    if sizes != matrices.n_values.tolist():
        raise CouplingsError(
            f"the table declares {sizes} values per attribute, but the value matrices have "
            f"{matrices.n_values.tolist()}; encode both with the same domains, or fit the measure "
            "on the counts of this table"
        )
    if not np.isfinite(matrices.data).all():
        raise CouplingsError("kmodes needs finite dissimilarities; some are infinite or NaN")


def _global_values(table: CategoricalTable, matrices: ValueMatrices) -> np.ndarray:
    """Return the global value index of each cell, int32 of shape (n, m), in row order."""
    return np.ascontiguousarray(table.codes) + matrices.offsets[:-1].astype(np.int32)


def cao_start(
    table: CategoricalTable, matrices: ValueMatrices, n_clusters: int, weights: np.ndarray
) -> np.ndarray:
    """Return the codes of Cao's initial modes for k-modes, shape (1, k, m).

    The density of an object is the mean frequency of its values. The first mode is the densest
    object. Every further one maximises, over the objects, the minimum over the earlier modes of
    density times dissimilarity; ties go to the first.

    References
    ----------
    Cao, Liang and Bai, Expert Systems with Applications 36 (2009).
    """
    chosen = cao_objects(table, matrices, n_clusters, weights)
    return table.codes[chosen][None].astype(np.int64)


def cao_objects(
    table: CategoricalTable, matrices: ValueMatrices, n_clusters: int, weights: np.ndarray
) -> np.ndarray:
    """Return the objects that `cao_start` takes as modes, int64 of shape (k,)."""
    n, m = table.codes.shape
    density = np.zeros(n)
    for column, size in zip(table.codes.T, table.n_values, strict=True):
        frequency = np.bincount(column, weights, size)
        density += frequency[column] / weights.sum() / m
    density[weights == 0] = -1.0
    space = ObjectSpace(matrices, "sum")
    chosen = [int(density.argmax())]
    nearest = np.full(n, np.inf)
    while len(chosen) < n_clusters:
        distances = space.between(table, table.take(np.array(chosen[-1:])))[:, 0]
        nearest = np.minimum(nearest, distances * density)
        chosen.append(int(nearest.argmax()))
    return np.array(chosen)


def _start_modes(starts: ArrayLike, table: CategoricalTable) -> np.ndarray:
    """Return the codes of the initial modes, int64 of shape (s, k, m)."""
    array = np.asarray(starts)
    if array.ndim != 3:
        return table.codes.astype(np.int64)[_checked_starts(array, table.n_objects)]
    fits = array.dtype.kind in "iu" and array.shape[1] and array.shape[2] == table.n_attributes
    if not fits or (array < 0).any() or (array >= table.n_values).any():
        raise CouplingsError(
            f"starts must be codes of modes in {table.n_attributes} attributes, shape (s, k, m), "
            f"not {array.dtype} of shape {array.shape}"
        )
    return array.astype(np.int64, order="C")


def _checked_starts(starts: np.ndarray, n_objects: int) -> np.ndarray:
    """Return the starts as int64 of shape (s, k)."""
    array = np.atleast_2d(starts)
    valid = array.ndim == 2 and array.dtype.kind in "iu" and array.shape[1] > 0
    if not valid or (array < 0).any() or (array >= n_objects).any():
        raise CouplingsError(
            f"starts must be rows of object indices from 0 to {n_objects - 1}, "
            f"not {array.dtype} of shape {array.shape}"
        )
    ordered = np.sort(array, axis=1)
    if (ordered[:, 1:] == ordered[:, :-1]).any():
        raise CouplingsError("a start contains the same object twice; use distinct objects")
    return array.astype(np.int64)
