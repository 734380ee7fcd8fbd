"""Items with value counts, which LIMBO and CLIMBO merge."""

from dataclasses import dataclass
from typing import Self

import numpy as np

from couplings._kernels import information_loss as _kernels
from couplings._readonly import ReadOnly, sealed
from couplings.errors import CouplingsError
from couplings.table import CategoricalTable, require_complete


@dataclass(frozen=True, eq=False)
class JointCounts(ReadOnly):
    """Items and their counts over values: distributional cluster features (DCFs).

    With N the sum of all counts, an item of mass A (its row sum) has the probability p = A / N and
    the distribution q = row / A over the values. Build instances with `from_table` or `from_array`.

    Parameters
    ----------
    starts : ndarray of int64, shape (g + 1,)
        Item i has the entries ``starts[i]`` to ``starts[i + 1] - 1`` of `columns` and `amounts`.
    columns : ndarray of int32
        Values.
    amounts : ndarray of int32
        Counts of these values, all positive.
    n_values : int
        Number of values, L.
    unit : int
        A common divisor of all masses.
    """

    starts: np.ndarray
    columns: np.ndarray
    amounts: np.ndarray
    n_values: int
    unit: int

    @classmethod
    def from_table(cls, table: CategoricalTable, weights: np.ndarray | None = None) -> Self:
        """Build one item per object of a table, with its m values.

        Parameters
        ----------
        table : CategoricalTable, n objects
            Without missing cells.
        weights : ndarray of int64, shape (n,), optional
            Number of times each object occurs. Default: 1.

        Raises
        ------
        MissingValuesError
            If cells are missing.
        CouplingsError
            If a weight is not positive, or the table is too large for the integer arithmetic of
            the losses.
        """
        require_complete(table)
        n, m = table.n_objects, table.n_attributes
        columns = (table.codes + table.offsets[:-1]).astype(np.int32).ravel()
        once = np.ones(n, dtype=np.int64) if weights is None else np.asarray(weights)
        if once.shape != (n,) or once.min() < 1:
            raise CouplingsError(f"weights must be {n} positive numbers")
        amounts = np.repeat(once, m)
        starts = np.arange(n + 1, dtype=np.int64) * m
        return cls._checked(starts, columns, amounts, int(table.offsets[-1]))

    @classmethod
    def from_array(cls, counts: np.ndarray) -> Self:
        """Build one item per row of an array of counts.

        Parameters
        ----------
        counts : ndarray of int, shape (g, L)
            Non-negative, without empty rows. To use the values x of one attribute as items, pass
            the rows ``N[x, b]`` of its co-occurrence counts with the values b of all others.

        Raises
        ------
        CouplingsError
            If the counts are not integers, negative or too large, or if a row is empty.
        """
        counts = np.asarray(counts)
        if counts.ndim != 2 or counts.dtype.kind not in "iu" or not counts.any(axis=1).all():
            raise CouplingsError(
                f"counts must be a 2-D array of integers without empty rows, not {counts.ndim}-D "
                f"{counts.dtype}"
            )
        if counts.min() < 0:
            raise CouplingsError("counts must not be negative; pass frequencies of at least 0")
        return cls._from_rows(counts)

    @classmethod
    def _from_rows(cls, counts: np.ndarray, unit: int | None = None) -> Self:
        """Build the items from valid rows."""
        rows, columns = np.nonzero(counts)
        starts = np.searchsorted(rows, np.arange(len(counts) + 1)).astype(np.int64)
        return cls._checked(starts, columns, counts[rows, columns], counts.shape[1], unit)

    @classmethod
    def _checked(
        cls,
        starts: np.ndarray,
        columns: np.ndarray,
        amounts: np.ndarray,
        n_values: int,
        unit: int | None = None,
    ) -> Self:
        """Build the items, by default with the largest possible unit."""
        total = int(amounts.sum(dtype=np.int64))
        if not _kernels.fits(total):
            raise CouplingsError(
                f"{total} counts are too many (the limit is about 5e7); take a sample, or divide "
                "the counts by their common divisor"
            )
        if unit is None:
            unit = int(np.gcd.reduce(np.add.reduceat(amounts.astype(np.int64), starts[:-1])))
        return cls(
            sealed(starts),
            sealed(columns.astype(np.int32)),
            sealed(amounts.astype(np.int32)),
            n_values,
            unit,
        )

    def __post_init__(self) -> None:
        starts, columns = self.starts, self.columns
        fits = (
            len(starts) > 1
            and starts[0] == 0
            and (np.diff(starts) > 0).all()
            and len(columns) == len(self.amounts) == starts[-1]
            and columns.min() >= 0
            and columns.max() < self.n_values
            and self.amounts.min() > 0
        )
        if not fits:
            raise CouplingsError(
                "starts, columns and amounts contradict each other; use JointCounts.from_table"
            )
        super().__post_init__()

    @property
    def n_items(self) -> int:
        """Number of items, g."""
        return len(self.starts) - 1

    @property
    def masses(self) -> np.ndarray:
        """Sum of the counts of each item, int64 of shape (g,)."""
        return np.add.reduceat(self.amounts.astype(np.int64), self.starts[:-1])

    @property
    def total(self) -> int:
        """Sum of all counts, N."""
        return int(self.amounts.sum(dtype=np.int64))

    @property
    def p(self) -> np.ndarray:
        """Probability of each item, float64 of shape (g,)."""
        return self.masses / self.total

    @property
    def q(self) -> np.ndarray:
        """Distribution of each item over the values, float64 of shape (g, L)."""
        return self.dense() / self.masses[:, None]

    def dense(self) -> np.ndarray:
        """Return the counts, int32 of shape (g, L)."""
        counts = np.zeros((self.n_items, self.n_values), dtype=np.int32)
        counts[np.repeat(np.arange(self.n_items), np.diff(self.starts)), self.columns] = (
            self.amounts
        )
        return counts

    def pooled(self, labels: np.ndarray) -> Self:
        """Return the sums of items with equal labels 0, 1, ..., keeping the unit."""
        counts = np.zeros((int(labels.max()) + 1, self.n_values), dtype=np.int64)
        rows = np.repeat(labels, np.diff(self.starts))
        np.add.at(counts, (rows, self.columns), self.amounts)
        return self._from_rows(counts, self.unit)

    def mutual_information(self) -> float:
        """Return the mutual information of items and values, in nats."""
        p = self.amounts / self.total
        values = np.bincount(self.columns, weights=self.amounts) / self.total
        items = np.repeat(self.p, np.diff(self.starts))
        return max(0.0, float((p * np.log(p / (items * values[self.columns]))).sum()))
