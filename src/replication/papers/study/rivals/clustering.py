"""Base classes of the rivals: counted rows, random starts, and the inner and outer loop."""

from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from couplings._checks import check_choice, check_positive
from couplings.errors import CouplingsError
from couplings.learned.clustering import Data, LearnedClustering, NumpySeed, Rows, Run
from replication.papers.study.rivals import kernels

MOST_ROUNDS = 51
"""Most rounds of the released programs."""
Same = Callable[[np.ndarray, np.ndarray, np.ndarray], bool]
"""Test whether a partition is unchanged, from old labels, new labels and weights of the rows."""


class CountedRows(Rows):
    """Rows of a table, which count how often each value occurs in each cluster."""

    def counts(self, labels: np.ndarray, n_clusters: int) -> np.ndarray:
        """Return how often each value occurs in each cluster, int64 of shape (L, k)."""
        return kernels.count_values(self.values, self.weights, labels, n_clusters, self.n_values)

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
        own, n_iter = np.empty(len(rows.values)), 0
        while n_iter < self.max_iter:
            n_iter += 1
            if labels is not None:
                distance.learn(rows.counts(labels, self.n_clusters))
            before = None
            for _ in range(self.most_inner):
                new = np.empty(len(rows.values), dtype=np.int64)
                kernels.nearest(rows.values, distance.table(), self.root, new, own)
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
