"""Base of the clusterings of a table itself: seeds, restarts, and the best of them."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from typing import Any, ClassVar, Self

import numpy as np

from couplings._params import Params
from couplings.errors import CouplingsError
from couplings.learned.rows import Data, Rows

NumpySeed = int | np.random.SeedSequence | np.random.Generator | None


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


class LearnedClustering(Params):
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

    def _run(self, rows: Rows, rng: Any) -> Run:
        """Cluster from one start."""
        raise NotImplementedError


def positive(owner: str, name: str, value: object) -> None:
    """Raise `CouplingsError` unless `value` is a positive integer."""
    if not isinstance(value, int | np.integer) or value < 1:
        raise CouplingsError(f"{owner}: {name}={value!r} is not a positive integer")
