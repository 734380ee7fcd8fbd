"""Value matrices: one square matrix per attribute, concatenated in one array."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Self

import numpy as np

from couplings._readonly import ReadOnly, sealed
from couplings.errors import MeasureError


@dataclass(frozen=True, eq=False)
class ValueMatrices(ReadOnly):
    """One (dis)similarity matrix over the values of each attribute.

    Parameters
    ----------
    data : ndarray of float64, shape (sum of v_j squared,)
        The matrices of all attributes, row by row, concatenated.
    offsets : ndarray of int64, shape (m + 1,)
        Global index of each attribute's first value; v_j are the differences. Both arrays are
        read-only: copies, if those given can be written.
    """

    data: np.ndarray
    offsets: np.ndarray

    def __post_init__(self) -> None:
        offsets = self.offsets
        if not isinstance(offsets, np.ndarray) or offsets.dtype != np.int64 or offsets.ndim != 1:
            raise MeasureError("offsets must be a vector of int64; use ValueMatrices.from_blocks")
        if not len(offsets) or offsets[0] != 0 or (np.diff(offsets) < 0).any():
            raise MeasureError("offsets must rise from 0; use ValueMatrices.from_blocks")
        expected = int((np.diff(offsets) ** 2).sum())
        if self.data.shape != (expected,) or self.data.dtype != np.float64:
            raise MeasureError(
                f"the value matrices of these attributes take {expected} float64 numbers in one "
                f"vector, not {self.data.dtype} of shape {self.data.shape}"
            )
        super().__post_init__()

    @cached_property
    def n_values(self) -> np.ndarray:
        """Number of values of each attribute, int64 of shape (m,)."""
        return sealed(np.diff(self.offsets))

    @property
    def n_attributes(self) -> int:
        """Number of attributes, m."""
        return len(self.offsets) - 1

    @cached_property
    def starts(self) -> np.ndarray:
        """Position in `data` of each attribute's matrix, int64 of shape (m + 1,)."""
        return sealed(np.concatenate([[0], np.cumsum(self.n_values**2)]).astype(np.int64))

    def block(self, j: int) -> np.ndarray:
        """Matrix of attribute `j`: a view, float64 of shape (v_j, v_j)."""
        starts, v = self.starts, int(self.n_values[j])
        return self.data[starts[j] : starts[j + 1]].reshape(v, v)

    @property
    def blocks(self) -> list[np.ndarray]:
        """The matrices of all attributes, see `block`."""
        return [self.block(j) for j in range(self.n_attributes)]

    @classmethod
    def from_blocks(cls, blocks: Sequence[np.ndarray]) -> Self:
        """Join square matrices, one per attribute."""
        arrays = [np.asarray(block, dtype=np.float64) for block in blocks]
        for j, block in enumerate(arrays):
            if block.ndim != 2 or block.shape[0] != block.shape[1]:
                raise MeasureError(f"attribute {j}: a value matrix is square, not {block.shape}")
        offsets = np.concatenate([[0], np.cumsum([len(block) for block in arrays])])
        data = np.concatenate([block.ravel() for block in arrays]) if arrays else np.zeros(0)
        return cls(sealed(data), sealed(offsets.astype(np.int64)))

    def to_dense(self) -> np.ndarray:
        """Return the block-diagonal matrix over all values, float64 of shape (L, L)."""
        from scipy.linalg import block_diag

        return block_diag(*self.blocks)
