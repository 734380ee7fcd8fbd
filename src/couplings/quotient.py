"""Object spaces whose similarity is a quotient of two sums over the attributes."""

from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from numpy.typing import DTypeLike

from couplings.errors import MeasureError
from couplings.space import ObjectSpace, _buffer
from couplings.table import CategoricalTable
from couplings.values import ValueMatrices

# Pairs that are held at once while a quotient is formed.
_BLOCK = 1 << 22


@dataclass(frozen=True, eq=False)
class QuotientSpace:
    """The dissimilarity ``D(u, v) = 1 / (1 + R)``, ``R = sum_j N_j[x, y] / sum_j M_j[x, y]``.

    The link "ratio" of `ObjectSpace` is the case where the denominator is made of one term per
    object. R is 1 where the denominator is 0.

    Parameters
    ----------
    matrices, denominators : ValueMatrices
        The N_j and the M_j, over the same domains.

    Raises
    ------
    MeasureError
        If the domains differ.
    """

    matrices: ValueMatrices
    denominators: ValueMatrices
    link: ClassVar[str] = "quotient"

    def __post_init__(self) -> None:
        """Check that both parts are over the same domains."""
        if not np.array_equal(self.matrices.offsets, self.denominators.offsets):
            raise MeasureError("numerators and denominators are over different domains")

    def pairwise(
        self,
        table: CategoricalTable,
        out: np.ndarray | None = None,
        dtype: DTypeLike = np.float64,
    ) -> np.ndarray:
        """Return the dissimilarities of all objects of a table, as `ObjectSpace.pairwise`."""
        return self.between(table, table, out, dtype)

    def between(
        self,
        table_a: CategoricalTable,
        table_b: CategoricalTable,
        out: np.ndarray | None = None,
        dtype: DTypeLike = np.float64,
    ) -> np.ndarray:
        """Return the dissimilarities of the objects of two tables, as `ObjectSpace.between`."""
        out = _buffer(out, (table_a.n_objects, table_b.n_objects), dtype)
        for first, last in _steps(table_a.n_objects, table_b.n_objects):
            out[first:last] = self._block(table_a.take(np.arange(first, last)), table_b)
        return out

    def condensed(
        self,
        table: CategoricalTable,
        out: np.ndarray | None = None,
        dtype: DTypeLike = np.float64,
    ) -> np.ndarray:
        """Return the dissimilarities of the pairs u < v, as `ObjectSpace.condensed`."""
        n = table.n_objects
        out = _buffer(out, (n * (n - 1) // 2,), dtype)
        start = 0
        for first, last in _steps(n, n):
            later = table.take(np.arange(first, n))
            rows = self._block(table.take(np.arange(first, last)), later)
            above = np.triu(np.ones(rows.shape, dtype=bool), 1)
            found = rows[above]
            out[start : start + len(found)] = found
            start += len(found)
        return out

    def self_dissimilarities(
        self, table: CategoricalTable, dtype: DTypeLike = np.float64
    ) -> np.ndarray:
        """Return the dissimilarity of each object with itself, as `ObjectSpace` does."""
        above, below = np.zeros((2, table.n_objects))
        for j, column in enumerate(table.codes.T):
            above += self.matrices.block(j).diagonal()[column]
            below += self.denominators.block(j).diagonal()[column]
        quotient = np.divide(above, below, out=np.ones_like(above), where=below != 0)
        return (1.0 / (1.0 + quotient)).astype(dtype)

    def _block(self, rows: CategoricalTable, columns: CategoricalTable) -> np.ndarray:
        quotient = ObjectSpace(self.matrices, "sum").between(rows, columns)
        below = ObjectSpace(self.denominators, "sum").between(rows, columns)
        np.divide(quotient, below, out=quotient, where=below != 0)
        quotient[below == 0] = 1.0
        quotient += 1.0
        return np.reciprocal(quotient, out=quotient)


def _steps(n_rows: int, n_columns: int) -> list[tuple[int, int]]:
    """Return the blocks of rows as (first, last)."""
    step = max(1, _BLOCK // n_columns)
    return [(first, min(n_rows, first + step)) for first in range(0, n_rows, step)]
