"""Base of the clusterings that learn a distance: restarts, and the loop of two levels."""

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from typing import Any, ClassVar, Generic, Protocol, Self, TypeVar

import numpy as np

from couplings._kernels import learned as kernels
from couplings._params import Params
from couplings.errors import CouplingsError
from couplings.learned.rows import Data, Rows
from couplings.learned.starts import OldMatlabRandom

Random = np.random.Generator | OldMatlabRandom
Source = TypeVar("Source", bound=Random)


@dataclass(frozen=True, eq=False)
class Run:
    """Outcome of one start.

    Parameters
    ----------
    labels : ndarray of int64, shape (n,)
        Cluster of each object, 0 to k - 1.
    objective : float
        What the method makes small.
    n_iter : int
        Rounds of the outermost loop.
    details : dict
        Fitted attributes of the method, by name.
    """

    labels: np.ndarray
    objective: float
    n_iter: int
    details: dict[str, Any] = field(default_factory=dict)


class LearnedClustering(Params, Generic[Source]):
    """Base: a subclass implements `_run`, one start on the rows.

    A subclass has the parameters `n_clusters` and `random_state`, and may have `n_init` and
    `init`. Restarts are compared by the method's own objective, never by labels: first come the
    runs with the fewest empty clusters, among them the one of least objective, the first of
    several.

    Attributes
    ----------
    labels_ : ndarray of int64, shape (n,)
        Cluster of each object, 0 to k - 1.
    objective_ : float
        What restarts are chosen by; lower is better.
    n_iter_ : int
        Rounds of the outermost loop.
    empty_clusters_ : ndarray of int64
        Clusters that ended without objects.
    rank_ : tuple of int and float
        What restarts are compared by, the least being the best: the number of empty clusters, 0
        where they do not count, and `objective_`.
    """

    _emptied_counts: ClassVar[bool] = True
    n_clusters: int
    random_state: Any

    @staticmethod
    def _generator(seed: Any) -> Any:
        """Return the source of random numbers that a seed stands for."""
        return np.random.default_rng(seed)

    def fit(self, X: Data, y: object = None) -> Self:
        """Cluster the objects.

        Parameters
        ----------
        X : CategoricalTable or data frame
            n objects, as whatever `CategoricalTable.from_any` reads; values that none of them has
            are left out.
        y : object
            Ignored.

        Raises
        ------
        MissingValuesError
            If a cell is missing.
        TableError
            If a data frame is no table of categorical attributes.
        CouplingsError
            If a parameter is out of range, or there are not enough different rows to start from.
        """
        return self._fit(self._rows(X))

    def fit_each(self, X: Data, random_states: Iterable[Any]) -> Iterator[Self]:
        """Cluster the same objects from several seeds; equal rows are looked for once.

        Parameters
        ----------
        X : CategoricalTable or data frame
            As `fit`.
        random_states : iterable
            One per clustering, in place of `random_state`.

        Yields
        ------
        LearnedClustering
            As `fit` leaves it, with that seed.

        Raises
        ------
        MissingValuesError, TableError, CouplingsError
            As `fit`.
        """
        rows = self._rows(X)
        parameters = self.get_params(deep=False)
        for state in random_states:
            yield type(self)(**{**parameters, "random_state": state})._fit(rows)

    def _fit(self, rows: Rows) -> Self:
        owner = type(self).__name__
        self._check(owner, rows)
        rng = self._generator(self.random_state)
        n_runs = 1 if getattr(self, "init", None) is not None else getattr(self, "n_init", 1)
        best = min((self._run(rows, rng) for _ in range(n_runs)), key=self._rank)
        self.empty_clusters_, self.rank_ = self._empty(best), self._rank(best)
        self.labels_, self.objective_, self.n_iter_ = best.labels, best.objective, best.n_iter
        for name, value in best.details.items():
            setattr(self, name, value)
        return self

    def fit_predict(self, X: Data, y: object = None) -> np.ndarray:
        """Cluster the objects and return their labels; see `fit`."""
        return self.fit(X, y).labels_

    def _check(self, owner: str, rows: Rows) -> None:
        """Refuse parameters that are out of range."""
        positive(owner, "n_init", getattr(self, "n_init", 1))
        k = self.n_clusters
        if not isinstance(k, int | np.integer) or not 1 <= k <= rows.n_objects:
            raise CouplingsError(
                f"{owner}: n_clusters={k!r} is not an integer from 1 to {rows.n_objects} objects"
            )

    def _empty(self, run: Run) -> np.ndarray:
        return np.flatnonzero(np.bincount(run.labels, minlength=self.n_clusters) == 0)

    def _rank(self, run: Run) -> tuple[int, float]:
        """Return what restarts are compared by, the best first."""
        return len(self._empty(run)) if self._emptied_counts else 0, run.objective

    def _rows(self, X: Data) -> Rows:
        """Return what the method works on; by default equal rows once."""
        return Rows.of(X)

    def _run(self, rows: Rows, rng: Source) -> Run:
        """Cluster from one start."""
        raise NotImplementedError


def positive(owner: str, name: str, value: object) -> None:
    """Raise `CouplingsError` unless `value` is a positive integer."""
    if not isinstance(value, int | np.integer) or value < 1:
        raise CouplingsError(f"{owner}: {name}={value!r} is not a positive integer")


class Distance(Protocol):
    """A distance of rows and clusters, ``sum_j table[x_uj, c]`` or its root, that is learnt."""

    def learn(self, counts: np.ndarray) -> None:
        """Learn the distances of values from the counts of a partition, shape (L, k)."""

    def update(self, counts: np.ndarray) -> None:
        """Renew the centres or profiles of the clusters, the distances of values being fixed."""

    def table(self) -> np.ndarray:
        """Return what each value adds to the distance of each cluster, float64 of shape (L, k)."""


Same = Callable[[np.ndarray, np.ndarray, np.ndarray], bool]


@dataclass(frozen=True, eq=False)
class Alternation:
    """Outcome of `alternate`.

    Parameters
    ----------
    labels : ndarray of int64, shape (g,)
        Cluster of each row.
    distances : ndarray of float64, shape (g,)
        Distance of each row to its cluster at the last assignment.
    n_iter : int
        Outer rounds.
    """

    labels: np.ndarray
    distances: np.ndarray
    n_iter: int


def alternate(
    rows: Rows,
    distance: Distance,
    labels: np.ndarray | None,
    n_clusters: int,
    *,
    root: bool,
    most_inner: int,
    most_outer: int,
    same_inner: Same,
    same_outer: Same,
) -> Alternation:
    """Learn a distance from the clusters, cluster by it, and so on until the partition stays.

    Parameters
    ----------
    rows : Rows
        Equal rows once.
    distance : Distance
        Ready to assign; changed in place.
    labels : ndarray of int64, shape (g,), or None
        Partition that the first outer round learns from; None to leave the distance as it is.
    n_clusters : int
        Number of clusters, k.
    root : bool
        Whether the root of the sum is the distance; rounding may make two roots equal.
    most_inner, most_outer : int
        Most rounds: an inner one assigns all rows, then updates the clusters, an outer one learns
        the distances of values, then goes through inner rounds.
    same_inner, same_outer : callable
        When a partition stays, from (old labels, new labels, weights of the rows).

    Returns
    -------
    Alternation
        Of several nearest clusters a row takes the first.
    """
    assign = kernels.nearest_roots if root else kernels.nearest
    own = np.empty(len(rows.values))
    n_iter = 0
    while n_iter < most_outer:
        n_iter += 1
        if labels is not None:
            distance.learn(rows.counts(labels, n_clusters))
        before = None
        for _ in range(most_inner):
            new = np.empty(len(rows.values), dtype=np.int64)
            assign(rows.values, distance.table(), new, own)
            distance.update(rows.counts(new, n_clusters))
            if before is not None and same_inner(before, new, rows.weights):
                break
            before = new
        if labels is not None and same_outer(labels, new, rows.weights):
            break
        labels = new
    return Alternation(new, own, n_iter)


def finished(rows: Rows, found: Alternation, distance: Distance, **details: object) -> Run:
    """Return the outcome of one start; its objective is the sum of the distances at the end."""
    return Run(
        found.labels[rows.inverse],
        float(rows.weights @ found.distances),
        found.n_iter,
        {"value_contributions_": distance.table(), **details},
    )


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
    """Return whether the labels add up to the same, which different partitions may do too."""
    return int((weights * (old - new)).sum()) == 0
