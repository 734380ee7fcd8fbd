"""Base class of clusterings that fit a table directly: seeds, restarts, choice of the best."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from typing import Any, ClassVar, Self

import numpy as np

from couplings._checks import check_clusters, check_positive, generator, limited
from couplings.cluster._base import Clustering, warn_of_clusters
from couplings.table import CategoricalTable, Objects, require_complete, table_of

Data = Objects
NumpySeed = int | np.random.SeedSequence | np.random.Generator | None


@dataclass(frozen=True, eq=False)
class WeightedRows:
    """Rows of a table as indices of the values that occur; equal rows can be one.

    Parameters
    ----------
    values : ndarray of int32, shape (g, m)
        Global value indices: offset of the attribute plus code; -1 for a missing cell.
    offsets : ndarray of int64, shape (m + 1,)
        The values of attribute j are ``offsets[j]`` to ``offsets[j + 1] - 1``, in code order.
    weights : ndarray of int64 or float64, shape (g,)
        Number or total weight of the objects with this row.
    inverse : ndarray of int64, shape (n,)
        Row index of each object.
    """

    values: np.ndarray
    offsets: np.ndarray
    weights: np.ndarray
    inverse: np.ndarray

    @property
    def n_objects(self) -> int:
        """Number of objects, n."""
        return len(self.inverse)

    @property
    def n_attributes(self) -> int:
        """Number of attributes, m."""
        return len(self.offsets) - 1

    @property
    def n_values(self) -> int:
        """Number of values of all attributes, L."""
        return int(self.offsets[-1])

    @property
    def attribute(self) -> np.ndarray:
        """Attribute of each value, int64 of shape (L,)."""
        return np.repeat(np.arange(self.n_attributes), np.diff(self.offsets))


@dataclass(frozen=True, eq=False)
class Rows(WeightedRows):
    """Rows without missing cells; `table`, a `CategoricalTable` of g rows, holds them too."""

    table: CategoricalTable

    @classmethod
    def of(
        cls,
        X: Data,
        *,
        collapse: bool = True,
        constants: bool = True,
    ) -> Self:
        """Encode a table in any form that measures accept.

        With `collapse`, equal rows become one, in order of first appearance; otherwise g is n.
        Without `constants`, attributes with a single value are dropped (one is kept if all are
        constant). Raises `MissingValuesError` if a cell is missing.
        """
        table = table_of(X)
        require_complete(
            table,
            "NaN is not a value here: make it one, df.astype(object).fillna('?'), or drop the "
            "rows, df.dropna()",
        )
        table = table.observed()
        if not constants:
            varying = np.flatnonzero(table.n_values > 1)
            table = table.select([int(j) for j in varying] or [0])
        n = table.n_objects
        weights, inverse = np.ones(n, dtype=np.int64), np.arange(n)
        if collapse:
            table, weights, inverse = table.distinct()
        values = table.codes.astype(np.int32, order="C")
        values += table.offsets[:-1].astype(np.int32)
        return cls(values, table.offsets, weights, inverse, table)


@dataclass(frozen=True, eq=False)
class Run:
    """Result of one start.

    Parameters
    ----------
    labels : ndarray of int64, shape (n,)
        Cluster of each object, 0 to k - 1.
    objective : float
        Objective that the method minimises.
    n_iter : int
        Iterations of the outermost loop.
    details : dict
        Fitted attributes of the method by name.
    """

    labels: np.ndarray
    objective: float
    n_iter: int
    details: dict[str, Any] = field(default_factory=dict)


class LearnedClustering(Clustering):
    """Base class; a subclass implements `_run`, one start on the rows.

    A subclass has the parameters `n_clusters` and `random_state`, and optionally `n_init` and
    `init`. Restarts are compared by the method's own objective, never by labels: the best run has
    the fewest empty clusters, then the lowest objective; ties go to the first.

    Attributes
    ----------
    labels_ : ndarray of int64, shape (n,)
        Cluster of each object, 0 to k - 1.
    objective_ : float
        Objective that selects among restarts; lower is better.
    n_iter_ : int
        Iterations of the outermost loop.
    empty_clusters_ : ndarray of int64
        Clusters without objects at the end.
    rank_ : tuple of int and float
        Rank of a restart, lower is better: the number of empty clusters (0 for methods that ignore
        it) and `objective_`.
    """

    _emptied_counts: ClassVar[bool] = True
    n_clusters: int
    random_state: Any

    @staticmethod
    def _generator(seed: Any) -> Any:
        """Return the source of random numbers that a seed stands for."""
        return generator("random start", seed)

    @limited
    def fit(self, X: Data, y: object = None) -> Self:
        """Cluster the objects.

        Parameters
        ----------
        X : CategoricalTable, data frame or array_like
            n objects in any form that measures accept; values that never occur are left out.
        y : object, ignored

        Raises
        ------
        MissingValuesError
            If a cell is missing.
        TableError
            If a data frame is not a table of categorical attributes.
        CouplingsError
            If a parameter is out of range, or if the distinct rows are too few for a start.
        """
        return self._fit(self._rows(X))

    def fit_each(self, X: Data, random_states: Iterable[Any]) -> Iterator[Self]:
        """Yield one fitted copy per seed for the same objects.

        Equal rows are collapsed only once.
        """
        rows = self._rows(X)
        parameters = self.get_params(deep=False)
        for state in random_states:
            yield type(self)(**{**parameters, "random_state": state})._fit(rows)

    def _fit(self, rows: Any) -> Self:
        self._check(self._owner, rows)
        rng = self._generator(self.random_state)
        n_runs = 1 if getattr(self, "init", None) is not None else getattr(self, "n_init", 1)
        best = min((self._run(rows, rng) for _ in range(n_runs)), key=self._rank)
        self.empty_clusters_, self.rank_ = self._empty(best), self._rank(best)
        self.labels_, self.objective_, self.n_iter_ = best.labels, best.objective, best.n_iter
        for name, value in best.details.items():
            setattr(self, name, value)
        warn_of_clusters(self._owner, self.labels_, self.n_clusters, self._distinct(rows))
        return self

    def _check(self, owner: str, rows: Any) -> None:
        """Raise `CouplingsError` if a parameter is out of range."""
        self._check_choices()
        check_positive(owner, n_init=getattr(self, "n_init", 1))
        check_clusters(owner, self.n_clusters, rows.n_objects)

    def _distinct(self, rows: Any) -> int | None:
        """Return the number of distinct rows if the method can part equal ones."""
        return None

    def _empty(self, run: Run) -> np.ndarray:
        return np.flatnonzero(np.bincount(run.labels, minlength=self.n_clusters) == 0)

    def _rank(self, run: Run) -> tuple[int, float]:
        """Return the rank of a run; the lowest is the best."""
        return len(self._empty(run)) if self._emptied_counts else 0, run.objective

    def _rows(self, X: Data) -> Any:
        """Return the rows that the method fits, by default with equal rows collapsed."""
        return Rows.of(X)

    def _run(self, rows: Any, rng: Any) -> Run:
        """Cluster from a single start."""
        raise NotImplementedError
