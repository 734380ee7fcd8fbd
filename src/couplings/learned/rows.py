"""What the methods of this room work on: rows of value indices, equal rows once."""

from dataclasses import dataclass
from typing import TYPE_CHECKING, Self, Union

import numpy as np

from couplings.table import CategoricalTable, require_complete

if TYPE_CHECKING:
    import pandas as pd

Data = Union[CategoricalTable, "pd.DataFrame"]


@dataclass(frozen=True, eq=False)
class Rows:
    """Rows of a table, over the values that occur.

    Parameters
    ----------
    table : CategoricalTable, g rows
        The rows.
    values : ndarray of int32, shape (g, m)
        The same as global value indices, offset of the attribute plus code; missing is -1.
    offsets : ndarray of int64, shape (m + 1,)
        The values of attribute j are ``offsets[j]`` to ``offsets[j + 1] - 1``, in code order.
    weights : ndarray of int64, shape (g,)
        How often each row occurs.
    inverse : ndarray of int64, shape (n,)
        The row of each object.
    """

    table: CategoricalTable
    values: np.ndarray
    offsets: np.ndarray
    weights: np.ndarray
    inverse: np.ndarray

    @classmethod
    def of(
        cls,
        X: Data,
        *,
        collapse: bool = True,
        missing: bool = False,
        constants: bool = True,
    ) -> Self:
        """Encode a table.

        Parameters
        ----------
        X : CategoricalTable or data frame
            n objects, as whatever `CategoricalTable.from_any` reads.
        collapse : bool, default True
            Whether equal rows become one, in order of first appearance; otherwise g is n.
        missing : bool, default False
            Whether missing cells are allowed.
        constants : bool, default True
            Whether to keep attributes of a single value. One of them stays if there is no other.

        Raises
        ------
        MissingValuesError
            If a cell is missing and may not be.
        TableError
            If a data frame is no table of categorical attributes.
        """
        table = CategoricalTable.from_any(X)
        if not missing:
            require_complete(table)
        table = table.observed()
        if not constants:
            varying = np.flatnonzero(table.n_values > 1)
            table = table.select([int(j) for j in varying] or [0])
        n = table.n_objects
        weights, inverse = np.ones(n, dtype=np.int64), np.arange(n)
        if collapse:
            table, weights, inverse = table.distinct()
        codes = np.ascontiguousarray(table.codes, dtype=np.int32)
        values = np.where(codes < 0, -1, codes + table.offsets[:-1].astype(np.int32))
        return cls(table, values.astype(np.int32), table.offsets, weights, inverse)

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
