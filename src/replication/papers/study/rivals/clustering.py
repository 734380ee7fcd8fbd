"""Base classes of the rivals: counted rows, random starts, k-modes, inner and outer loop."""

import math
from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
from numba import njit

from couplings._checks import check_choice, check_positive
from couplings.errors import CouplingsError
from couplings.learned.clustering import Data, LearnedClustering, NumpySeed, Rows, Run
from couplings.values import ValueMatrices

MOST_ROUNDS = 51
"""Most rounds of the released programs."""
Same = Callable[[np.ndarray, np.ndarray, np.ndarray], bool]
"""Test whether a partition is unchanged, from old labels, new labels and weights of the rows."""


class CountedRows(Rows):
    """Rows of a table, which count how often each value occurs in each cluster."""

    def counts(self, labels: np.ndarray, n_clusters: int) -> np.ndarray:
        """Return how often each value occurs in each cluster, int64 of shape (L, k)."""
        return count_values(self.values, self.weights, labels, n_clusters, self.n_values)

    def sizes(self, counts: np.ndarray) -> np.ndarray:
        """Return the number of objects of each cluster, int64 of shape (k,)."""
        return counts[: self.offsets[1]].sum(axis=0)

    def split(self, numbers: np.ndarray) -> list[np.ndarray]:
        """Return the rows of the values of each attribute, from an array of shape (L, k)."""
        return np.split(numbers, self.offsets[1:-1])

    def modes(self, counts: np.ndarray, previous: np.ndarray) -> np.ndarray:
        """Return the most frequent values of each cluster, int64 of shape (k, m).

        Ties go to the lowest code; a cluster without objects keeps its `previous` mode.
        """
        first = zip(self.offsets[:-1], self.split(counts), strict=True)
        modes = np.column_stack([a + part.argmax(axis=0) for a, part in first])
        return np.where(self.sizes(counts)[:, None] > 0, modes, previous)


class OldMatlabRandom:
    """The uniform numbers of MATLAB after ``rand('seed', s)``, continued from call to call.

    The state is ``s 2^16 mod (2^31 - 1)``; every draw multiplies it by 16807, modulo 2^31 - 1, and
    returns its share of the modulus. Programs of several rivals draw their starts from it. It was
    found by trial, and confirmed on starts that were not used to find it.

    Parameters
    ----------
    seed : int
        s, positive and no multiple of 2^31 - 1, whose state would always be 0.

    Raises
    ------
    CouplingsError
        If the seed is not as described.

    References
    ----------
    Park and Miller, Communications of the ACM 31 (1988).
    """

    _MODULUS = 2**31 - 1

    def __init__(self, seed: int) -> None:
        if not isinstance(seed, int | np.integer) or seed < 1 or seed % self._MODULUS == 0:
            raise CouplingsError(
                f"OldMatlabRandom: seed={seed!r} is not a positive integer below {self._MODULUS}"
            )
        self.state = int(seed) * 65536 % self._MODULUS

    def random(self) -> float:
        """Return the next number, in (0, 1)."""
        self.state = self.state * 16807 % self._MODULUS
        return self.state / self._MODULUS


Random = np.random.Generator | OldMatlabRandom
Seed = NumpySeed | OldMatlabRandom


@dataclass(eq=False, repr=False)
class StartedClustering(LearnedClustering):
    """Base of methods that start from k objects.

    Every draw takes one uniform number u, and the object is ``floor(u n)``; an object that was
    drawn before is drawn again.

    Parameters
    ----------
    n_clusters : int, default 2
        Number of clusters, k.
    random_state : int, SeedSequence, Generator, OldMatlabRandom or None, default None
        Seed of the starts.
    """

    equal_rows: ClassVar[Any] = True
    """Whether objects to start from may be equal in all attributes."""
    n_clusters: int = 2
    random_state: Seed = None

    @staticmethod
    def _generator(seed: Seed) -> Random:
        return seed if isinstance(seed, OldMatlabRandom) else np.random.default_rng(seed)

    def _rows(self, X: Data) -> CountedRows:
        return CountedRows.of(X)

    def _start(self, rows: CountedRows, rng: Random) -> np.ndarray:
        """Return the objects that a run starts from, int64 of shape (k,)."""
        k, n = self.n_clusters, rows.n_objects
        if not self.equal_rows and len(rows.values) < k:
            raise CouplingsError(
                f"{type(self).__name__}: n_clusters={k} needs as many different rows to start "
                f"from, the table has {len(rows.values)}; ask for fewer clusters"
            )
        chosen: dict[int, int] = {}
        while len(chosen) < k:
            drawn = int(rng.random() * n)
            chosen.setdefault(drawn if self.equal_rows else int(rows.inverse[drawn]), drawn)
        return np.array([*chosen.values()], dtype=np.int64)


@dataclass(eq=False, repr=False)
class MismatchKModes(StartedClustering):
    """Cluster by k-modes with mismatches or given distances, updating all modes at once or singly.

    Unlike in `KModes`, an empty cluster stays empty and keeps its mode, as in the programs that
    start with this method.

    Parameters
    ----------
    n_clusters, random_state
        See `StartedClustering`.
    update : {"batch", "online"}, default "batch"
        "batch": assign all rows, then compute all modes, until no label changes, at most 51 times;
        the start is drawn from different rows. "online": assign rows in order, and after each
        compute the mode of the cluster that receives it, but not of the cluster that loses it,
        until a pass changes nothing, at most 51 times; the start may hold equal rows, and their
        order matters.
    matrices : ValueMatrices, optional
        With "batch": distances of the values that occur, summed over the attributes, in place of
        mismatches. Modes are the most frequent values all the same.

    Attributes
    ----------
    modes_ : ndarray of int64, shape (k, m)
        Modes, positions in the values that occur, in code order.
    labels_, n_iter_, empty_clusters_
        As for every `LearnedClustering`.
    objective_ : float
        Sum of the distances of all objects from the modes of their clusters: by default the
        number of mismatches.

    Notes
    -----
    Ties of clusters go to the first, ties of values to the lowest code, so results depend on the
    coding and on the order of the rows.

    References
    ----------
    Huang, Data Mining and Knowledge Discovery 2 (1998).
    """

    update: str = "batch"
    matrices: ValueMatrices | None = None

    def _check(self, owner: str, rows: CountedRows) -> None:
        super()._check(owner, rows)
        check_choice(owner, "update", self.update, ("batch", "online"))
        if self.matrices is None:
            return
        if self.update != "batch":
            raise CouplingsError(f"{owner}: matrices need update='batch'")
        if not np.array_equal(self.matrices.offsets, rows.offsets):
            raise CouplingsError(
                f"{owner}: the matrices do not have the values of the table; fit the measure to "
                "the same table, without values that never occur"
            )

    @property
    def equal_rows(self) -> bool:
        """Whether objects to start from may be equal in all attributes."""
        return self.update == "online"

    def _rows(self, X: Data) -> CountedRows:
        return CountedRows.of(X, collapse=self.update != "online")

    def _run(self, rows: CountedRows, rng: Random) -> Run:
        start = rows.inverse[self._start(rows, rng)]
        labels, modes, n_iter = mismatch_kmodes(rows, start, self.update, self.matrices)
        table = from_modes(rows, modes, self.matrices)
        distances = table[rows.values, labels[:, None]].sum(axis=1)
        return Run(
            labels[rows.inverse],
            float((rows.weights * distances).sum()),
            n_iter,
            {"modes_": modes - rows.offsets[:-1]},
        )


def from_modes(
    rows: CountedRows, modes: np.ndarray, matrices: ValueMatrices | None = None
) -> np.ndarray:
    """Return the distance of each value from the modes, float64 of shape (L, k).

    It is 1 for another value than the mode without `matrices`.
    """
    k = len(modes)
    if matrices is None:
        table = np.ones((rows.n_values, k))
        table[modes.ravel(), np.repeat(np.arange(k), rows.n_attributes)] = 0.0
        return table
    columns = (modes - rows.offsets[:-1]).T
    return np.concatenate(
        [block[:, mode] for block, mode in zip(matrices.blocks, columns, strict=True)]
    )


def mismatch_kmodes(
    rows: CountedRows,
    start: np.ndarray,
    update: str = "batch",
    matrices: ValueMatrices | None = None,
) -> tuple[np.ndarray, np.ndarray, int]:
    """Run k-modes from rows as the first modes; parameters as in `MismatchKModes`.

    Returns
    -------
    labels : ndarray of int64, shape (g,)
        Ties go to the first cluster.
    modes : ndarray of int64, shape (k, m)
        Global value indices, ties to the lowest; an emptied cluster keeps its mode.
    n_iter : int
        Rounds.
    """
    k = len(start)
    modes = rows.values[start].astype(np.int64)
    labels = np.full(len(rows.values), -1, dtype=np.int64)
    counts = np.zeros((rows.n_values, k), dtype=np.int64)
    n_iter, changed = 0, True
    while changed and n_iter < MOST_ROUNDS:
        n_iter += 1
        if update == "online":
            changed = online_pass(rows.values, rows.offsets, modes, counts, labels)
            continue
        new, _ = nearest(rows.values, from_modes(rows, modes, matrices), False)
        changed = not np.array_equal(new, labels)
        labels, modes = new, rows.modes(rows.counts(new, k), modes)
    return labels, modes, n_iter


class Distance(ABC):
    """Learnt distance of rows and clusters, ``sum_j table[x_uj, c]`` or its root.

    Parameters
    ----------
    rows : CountedRows
        Distinct rows.
    modes : ndarray of int64, shape (k, m)
        Global indices of the only values of each cluster at the start.
    """

    def __init__(self, rows: CountedRows, modes: np.ndarray) -> None:
        self.rows = rows
        self.profiles = np.zeros((rows.n_values, len(modes)))
        self.profiles[modes, np.arange(len(modes))[:, None]] = 1.0

    @abstractmethod
    def learn(self, counts: np.ndarray) -> None:
        """Learn the distances of values from the counts of a partition, shape (L, k)."""

    def update(self, counts: np.ndarray) -> None:
        """Compute the shares of the values in the clusters; an empty cluster keeps its old ones."""
        sizes = self.rows.sizes(counts)
        self.profiles = np.where(sizes > 0, counts / np.maximum(sizes, 1), self.profiles)

    @abstractmethod
    def table(self) -> np.ndarray:
        """Return the part of each value in the distance of each cluster, float64 (L, k)."""


def product(a: np.ndarray, b: np.ndarray) -> np.ndarray:
    """Return the matrix product of a and b, summed in order: ties depend on the last bit."""
    return sum(map(np.multiply.outer, a.T, b), np.zeros((len(a), b.shape[1])))


@dataclass(eq=False, repr=False)
class LearnedDistance(StartedClustering):
    """Base of methods that alternate between learning a distance and clustering by it.

    An outer round learns the distances of values, then runs inner rounds. An inner round assigns
    all rows to the nearest cluster, the first of several, and updates the clusters. The loops end
    when the partition is unchanged. ``empty_clusters_`` lists emptied clusters. ``objective_`` is
    the sum of the distances of all objects to their clusters at the last assignment; it is our
    criterion for restarts, as the authors name none.

    Parameters
    ----------
    n_clusters, random_state
        See `StartedClustering`.
    max_iter : int, default 51
        Most outer rounds.

    Attributes
    ----------
    labels_, n_iter_, objective_, empty_clusters_
        As for every `LearnedClustering`.
    distance_ : Distance
        The learnt distance; its `table` has the part of each value that occurs.
    """

    root: ClassVar[Any] = False
    """Whether the distance is the root of the sum; rounding may make two roots equal."""
    most_inner: ClassVar[int] = MOST_ROUNDS
    max_iter: int = MOST_ROUNDS

    def _check(self, owner: str, rows: CountedRows) -> None:
        super()._check(owner, rows)
        check_positive(owner, max_iter=self.max_iter)

    def _begin(self, rows: CountedRows, start: np.ndarray) -> tuple[Distance, np.ndarray | None]:
        """Return the distance at the start, and the labels for the first round to learn from."""
        raise NotImplementedError

    def _same(self) -> tuple[Same, Same]:
        """Return the rules by which the inner and the outer loop stop."""
        return equal_labels, equal_labels

    def _run(self, rows: CountedRows, rng: Random) -> Run:
        distance, labels = self._begin(rows, rows.inverse[self._start(rows, rng)])
        same_inner, same_outer = self._same()
        n_iter = 0
        while n_iter < self.max_iter:
            n_iter += 1
            if labels is not None:
                distance.learn(rows.counts(labels, self.n_clusters))
            before = None
            for _ in range(self.most_inner):
                new, own = nearest(rows.values, distance.table(), self.root)
                distance.update(rows.counts(new, self.n_clusters))
                if before is not None and same_inner(before, new, rows.weights):
                    break
                before = new
            if labels is not None and same_outer(labels, new, rows.weights):
                break
            labels = new
        return Run(new[rows.inverse], float(rows.weights @ own), n_iter, {"distance_": distance})


@dataclass(eq=False, repr=False)
class ReadDistance(LearnedDistance):
    """Base of methods whose paper and program differ, with several `readings`.

    Parameters
    ----------
    reading : str, default "repaired"
        One of the `readings`.
    """

    readings: ClassVar[tuple[str, ...]] = ("repaired", "released")
    reading: str = "repaired"

    def _check(self, owner: str, rows: CountedRows) -> None:
        super()._check(owner, rows)
        check_choice(owner, "reading", self.reading, self.readings)

    def _same(self) -> tuple[Same, Same]:
        return equal_labels, equal_sums if self.reading == "released" else equal_labels


def equal_labels(old: np.ndarray, new: np.ndarray, weights: np.ndarray) -> bool:
    """Return whether all labels are the same."""
    return np.array_equal(old, new)


def equal_partitions(old: np.ndarray, new: np.ndarray, weights: np.ndarray) -> bool:
    """Return whether the partitions are the same, whatever their labels."""
    size = int(new.max()) + 1
    pairs = np.flatnonzero(np.bincount(old * size + new))
    first, second = np.bincount(pairs // size), np.bincount(pairs % size)
    return bool(first.max() == 1 and second.max() == 1)


def equal_sums(old: np.ndarray, new: np.ndarray, weights: np.ndarray) -> bool:
    """Return whether the sums of the labels are equal; different partitions may agree in it."""
    return int((weights * (old - new)).sum()) == 0


# Rows hold global value indices (offset of the attribute plus code), so that one table over all L
# values serves every attribute.


@njit(cache=True)
def nearest(values, table, root):
    """Return the cluster with the least sum of its values' entries for each row, and the sums.

    The first of several clusters counts. `table` has shape (L, k), an entry may be infinite. With
    `root` the roots of the sums are compared and returned; rounding makes some of them equal.
    """
    m, k = values.shape[1], table.shape[1]
    labels, own = np.zeros(len(values), np.int64), np.full(len(values), math.inf)
    # sums of the first values of a row, which many a row shares with the one before it
    totals = np.zeros((m + 1, k))
    for u in range(len(values)):
        first = 0
        while u > 0 and first < m and values[u, first] == values[u - 1, first]:
            first += 1
        for j in range(first, m):
            part, total, longer = table[values[u, j]], totals[j], totals[j + 1]
            for c in range(k):
                longer[c] = total[c] + part[c]
        for c in range(k):
            length = math.sqrt(totals[m, c]) if root else totals[m, c]
            if length < own[u]:
                labels[u], own[u] = c, length
    return labels, own


@njit(cache=True)
def count_values(values, weights, labels, n_clusters, n_values):
    """Return how often each value occurs in each cluster, int64 of shape (L, k)."""
    counts = np.zeros((n_values, n_clusters), np.int64)
    for u in range(len(values)):
        for j in range(values.shape[1]):
            counts[values[u, j], labels[u]] += weights[u]
    return counts


@njit(cache=True)
def online_pass(values, offsets, modes, counts, labels):
    """Assign each row in turn to its nearest mode, and update that mode.

    A cluster that loses a row keeps its mode until it receives one. Labels are -1 before the first
    pass. Return whether a label changed.
    """
    changed = False
    for u in range(len(values)):
        row, old = values[u], labels[u]
        best = np.array([(mode != row).sum() for mode in modes]).argmin()
        if old != best:
            changed = True
            labels[u] = best
            for x in row:
                counts[x, best] += 1
                if old >= 0:
                    counts[x, old] -= 1
        for j in range(len(row)):
            first = offsets[j]
            modes[best, j] = first + counts[first : offsets[j + 1], best].argmax()
    return changed
