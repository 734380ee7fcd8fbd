"""k-modes for tables larger than memory or spread over many machines."""

from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path
from typing import Any, Literal, Self

import numpy as np
from numpy.typing import ArrayLike

from couplings._checks import check_positive
from couplings._kernels import modes as kernel
from couplings.cluster.kmodes import check_matrices, random_starts
from couplings.errors import CouplingsError
from couplings.large.data import BatchClustering, PartitionedTable, Place, State
from couplings.measures.base import ValueMeasure
from couplings.reading import code_type
from couplings.table import CategoricalTable
from couplings.values import ValueMatrices

_RULES = {"frequency": kernel.FREQUENCY, "minimiser": kernel.MINIMISER}


@dataclass(frozen=True, eq=False)
class Nearest:
    """Work of a pass: the nearest mode of each object; for `spread` see `_spread`."""

    is_threadsafe = True
    spread: np.ndarray
    offsets: np.ndarray
    k: int

    def nearest(
        self, table: CategoricalTable, counts: np.ndarray | None = None
    ) -> tuple[np.ndarray, np.ndarray]:
        """Return labels of the smallest signed type, and dissimilarities.

        Adds the value frequencies to `counts`, int64 of the shape of `spread`.
        """
        n = table.n_objects
        labels, own = np.empty(n, dtype=code_type(self.k)), np.empty(n)
        kernel.nearest_modes(table.codes, self.offsets, self.spread, self.k, labels, own, counts)
        return labels, own


@dataclass(frozen=True, eq=False)
class _CountPerMode:
    """Work of a pass: value frequencies among the objects nearest to each mode."""

    is_threadsafe = True
    runs: list[Nearest]

    def __call__(self, table: CategoricalTable, place: Place) -> np.ndarray:
        """Return int64 of shape (number of starts, k, L)."""
        counts = np.zeros((len(self.runs), *self.runs[0].spread.shape), np.int64)
        for run, part in zip(self.runs, counts, strict=True):
            run.nearest(table, part)
        return counts[:, :, : self.runs[0].k].transpose(0, 2, 1)


@dataclass(frozen=True, eq=False)
class _Farthest(Nearest):
    """Work of a pass after clusters became empty: the objects farthest from their modes."""

    most: int

    def __call__(self, table: CategoricalTable, place: Place) -> list[list[tuple]]:
        """Return for each mode up to `most` tuples (-dissimilarity, position, codes), sorted."""
        labels, own = self.nearest(table)
        part, first = place
        found = []
        for c in range(self.k):
            members = np.flatnonzero(labels == c)
            order = members[np.argsort(-own[members], kind="stable")[: self.most]]
            found.append(
                [(-float(own[u]), (part, first + int(u)), tuple(table.codes[u])) for u in order]
            )
        return found

    def combine(self, one: list[list[tuple]], other: list[list[tuple]]) -> list[list[tuple]]:
        return [sorted(a + b)[: self.most] for a, b in zip(one, other, strict=True)]


@dataclass(frozen=True, eq=False)
class _Labels(Nearest):
    """Work of the last pass: the nearest mode of each object, except for objects in `moved`."""

    moved: np.ndarray

    def __call__(self, table: CategoricalTable, place: Place) -> np.ndarray:
        labels, _ = self.nearest(table)
        part, first = place
        for cluster, (where, row) in enumerate(self.moved):
            if where == part and first <= row < first + len(labels):
                labels[row - first] = cluster
        return labels


@dataclass(eq=False, repr=False)
class BatchKModes(BatchClustering):
    """k-modes with any value dissimilarity, in passes over a table of any size.

    Each pass reads the parts of the table once for all starts, and sums the value frequencies of
    each cluster, which determine the modes. The clusters equal those of `KModes` from the same
    start objects.

    Parameters
    ----------
    n_clusters : int, default 2
        Number of clusters, k.
    update, max_iter
        As in `kmodes`.
    n_init : int, default 10
        Number of random starts; the first with the lowest objective is kept.
    init : array_like, shape (k, m), optional
        Labels of the initial modes, instead of random objects.
    random_state : int or Generator, optional
        Seed of the starts, which are the objects that `KModes` would draw.
    progress : bool, default False
        Whether to show a progress bar per pass.
    state : str or Path, optional
        File that saves the modes after each pass, so that an interrupted run continues from there.
        It is removed at the end. Requires an integer `random_state` or `init`.

    Attributes
    ----------
    modes_ : ndarray of int64, shape (k, m)
        Codes of the modes.
    mode_labels_ : list of k lists of m str
        Labels of the modes.
    objective_ : float
        Sum of the dissimilarities of all objects to the modes of their clusters.
    n_iter_ : int
        Number of passes of this start: one less than for `KModes` if the modes show that no object
        would move.
    sizes_ : ndarray of int64, shape (k,)
        Number of objects in each cluster.

    References
    ----------
    Huang, Data Mining and Knowledge Discovery 2 (1998). CASO, IEEE TNNLS 26 (2015), section VIII.
    """

    _sign_of_fit = "modes_"

    n_clusters: int = 2
    update: Literal["frequency", "minimiser"] = "frequency"
    max_iter: int = 100
    n_init: int = 10
    init: ArrayLike | None = None
    random_state: int | np.random.Generator | None = None
    progress: bool = False
    state: str | Path | None = None

    def fit(self, X: PartitionedTable, matrices: ValueMatrices | ValueMeasure) -> Self:
        """Fit the modes.

        Parameters
        ----------
        X : PartitionedTable
            `LargeTable`, or a table of Dask.
        matrices : ValueMatrices or fitted measure
            Finite dissimilarities of the values of the counts of `X`.

        Raises
        ------
        CouplingsError
            If an option is out of range, or the matrices do not match or are not finite.
        MissingValuesError, TableError
            If `X` cannot be encoded, or if the state belongs to other data or parameters.
        """
        values = value_matrices_of(matrices)
        check_positive("BatchKModes", max_iter=self.max_iter, n_init=self.n_init)
        self._require_parts(X, "KModes")
        check_matrices([len(domain) for domain in X.categories], values)
        self._encoder = X.encoder()
        runs = _Runs(values, _RULES[self.update], self.n_clusters)
        kept = self._state_of(X, values)
        if before := kept.load():
            vars(runs).update(before[1])
        else:
            runs.begin(self._starts(X))
        while runs.active.any() and runs.n_passes < self.max_iter:
            runs.step(X, self.progress)
            kept.save({}, **runs.arrays())
        kept.remove()
        best = int(np.argmin(runs.objective))
        self.objective_ = float(runs.objective[best])
        self.n_iter_ = int(runs.n_iter[best])
        self.modes_ = runs.modes[best] - values.offsets[:-1]
        self.sizes_ = runs.sizes[best]
        self.mode_labels_ = [
            [domain[code] for domain, code in zip(X.categories, mode, strict=True)]
            for mode in self.modes_
        ]
        common = values.offsets, self.n_clusters
        self._of_fit = _Labels(_spread(values, runs.assigning[best]), *common, runs.moved[best])
        self._of_modes = _Labels(_spread(values, runs.modes[best]), *common, np.zeros((0, 2)))
        return self

    def fit_predict(self, X: PartitionedTable, matrices: ValueMatrices | ValueMeasure) -> Any:
        """Fit, and return the clusters of all objects after one more pass.

        The result is an array of the smallest signed integer type for a `LargeTable`, and the
        result of `map_labels` for a table of Dask.
        """
        self.fit(X, matrices)
        return X.map_labels(self._of_fit)

    def _assignment(self) -> _Labels:
        return self._of_modes

    def _starts(self, X: PartitionedTable) -> np.ndarray:
        """Return the codes of the initial modes, int64 of shape (s, k, m)."""
        if self.init is not None:
            rows = [list(map(str, row)) for row in np.asarray(self.init, dtype=object)]
            domains = {f"a{j}": domain for j, domain in enumerate(X.categories)}
            codes = CategoricalTable.from_any(rows, domains).codes.astype(np.int64)
            if codes.shape != (self.n_clusters, len(X.categories)):
                raise CouplingsError(
                    f"init has the shape {codes.shape}; it must give the labels of "
                    f"{self.n_clusters} modes in {len(X.categories)} attributes"
                )
            return codes[None]
        starts = random_starts(X.n_objects, self.n_clusters, self.n_init, self.random_state)
        codes = X.take(starts.ravel()).codes.astype(np.int64)
        return codes.reshape(*starts.shape, -1)

    def _state_of(self, X: PartitionedTable, values: ValueMatrices) -> State:
        fixed = isinstance(self.random_state, int | np.integer) or self.init is not None
        if self.state is not None and not fixed:
            raise CouplingsError(
                "BatchKModes: a state needs reproducible starts; pass an integer random_state or "
                "init"
            )
        key = {
            "data": X.fingerprint(),
            "categories": X.categories,
            "matrices": sha256(values.data.tobytes()).hexdigest(),
            "parameters": {
                name: str(value)
                for name, value in self.get_params().items()
                if name not in ("progress", "state", "max_iter")
            },
        }
        return State(self.state, "a k-modes clustering", key)


@dataclass(eq=False)
class _Runs:
    """k-modes from several starts in shared passes.

    `modes`, and `assigning` of the last pass, are global indices, (s, k, m); `moved` are positions
    of the objects that it moved to empty clusters, -1 for the others, (s, k, 2).
    """

    values: ValueMatrices
    rule: int
    k: int

    def begin(self, starts: np.ndarray) -> None:
        """Set the codes of the initial modes."""
        self.modes = starts + self.values.offsets[:-1]
        self.assigning = self.modes.copy()
        s = len(starts)
        self.active = np.ones(s, dtype=bool)
        self.n_iter = np.zeros(s, dtype=np.int64)
        self.objective = np.full(s, np.inf)
        self.sizes = np.zeros((s, self.k), dtype=np.int64)
        self.moved = np.full((s, self.k, 2), -1)

    @property
    def n_passes(self) -> int:
        return int(self.n_iter.max())

    def arrays(self) -> dict[str, np.ndarray]:
        return {name: part for name, part in vars(self).items() if isinstance(part, np.ndarray)}

    def step(self, X: PartitionedTable, progress: bool) -> None:
        """Assign all objects once, and update the modes of the active starts."""
        values, n_passes = self.values, self.n_passes + 1
        moving = np.flatnonzero(self.active)
        runs = [Nearest(_spread(values, self.modes[s]), values.offsets, self.k) for s in moving]
        counted = X.reduce(_CountPerMode(runs), np.add, progress, f"pass {n_passes}")
        for s, run, part in zip(moving, runs, counted, strict=True):
            counts = np.ascontiguousarray(part)
            self.assigning[s] = self.modes[s]
            self.moved[s] = self._fill_empty(X, run, counts)
            self.sizes[s] = counts[:, : values.offsets[1]].sum(axis=1)
            kernel.update(
                counts,
                self.sizes[s],
                values.data,
                values.starts,
                values.offsets,
                self.rule,
                self.modes[s],
            )
            self.n_iter[s] = n_passes
            self.objective[s] = kernel.summed_cost(
                counts, values.data, values.starts, values.offsets, self.modes[s]
            )
            self.active[s] = not np.array_equal(self.modes[s], self.assigning[s])

    def _fill_empty(self, X: PartitionedTable, run: Nearest, counts: np.ndarray) -> np.ndarray:
        """Give each empty cluster the object farthest from its mode among larger clusters."""
        sizes = counts[:, : run.offsets[1]].sum(axis=1)
        empty = np.flatnonzero(sizes == 0)
        moved = np.full((self.k, 2), -1)
        if len(empty):
            search = _Farthest(run.spread, run.offsets, self.k, len(empty))
            farthest = X.reduce(search, search.combine, False, "empty clusters")
        for cluster in empty:
            # Ties go to the first object, by comparison of tuples.
            _, giver = min((farthest[c][0], c) for c in range(self.k) if sizes[c] > 1)
            _, moved[cluster], codes = farthest[giver].pop(0)
            values = run.offsets[:-1] + np.array(codes)
            counts[giver, values] -= 1
            counts[cluster, values] += 1
            sizes[giver] -= 1
            sizes[cluster] = 1
        return moved


def _spread(values: ValueMatrices, modes: np.ndarray) -> np.ndarray:
    """Return each value's dissimilarity to the value of every mode, in the form of the passes."""
    offsets = values.offsets
    spread = np.zeros((int(offsets[-1]), kernel.width(len(modes))))
    for j in range(values.n_attributes):
        inside = slice(offsets[j], offsets[j + 1])
        spread[inside, : len(modes)] = values.block(j)[:, modes[:, j] - offsets[j]]
    return spread


def value_matrices_of(matrices: ValueMatrices | ValueMeasure) -> ValueMatrices:
    """Return the value matrices of a fitted measure; `NotFittedError` if it is not fitted."""
    if isinstance(matrices, ValueMatrices):
        return matrices
    if not isinstance(matrices, ValueMeasure):
        raise CouplingsError(
            f"matrices must be ValueMatrices or a fitted measure, not {type(matrices).__name__}"
        )
    matrices._require_fit()
    return matrices.value_matrices_
