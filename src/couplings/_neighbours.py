"""Nearest objects in blocks of rows."""

from collections.abc import Callable

import numpy as np

from couplings._checks import check_positive
from couplings.errors import MeasureError

# Pairs that are held at once.
_BLOCK = 1 << 22


def k_nearest(
    owner: str,
    block_of: Callable[[np.ndarray], np.ndarray],
    shape: tuple[int, int],
    n_neighbors: int,
    others: bool,
) -> tuple[np.ndarray, np.ndarray]:
    """Return the k nearest columns of every row of a matrix that is made in blocks.

    `block_of` takes row numbers and returns these rows of a matrix of that shape; with `others` the
    column of the same number as the row is left out. The distances, (n, k), increase; of equal ones
    the first indices are taken. Raises `CouplingsError` if there are fewer than k columns.
    """
    from couplings._kernels import objects

    n, n_columns = shape
    check_positive(owner, "n_neighbors", n_neighbors)
    k = int(n_neighbors)
    available = n_columns - others
    if k > available:
        raise MeasureError(
            f"{owner}: {k} neighbours asked for, but there are {available} other objects"
        )
    distances = np.empty((n, k))
    indices = np.empty((n, k), dtype=np.int64)
    step = max(1, _BLOCK // n_columns)
    for first in range(0, n, step):
        part = slice(first, min(first + step, n))
        block = block_of(np.arange(part.start, part.stop))
        objects.nearest(block, first if others else -1, distances[part], indices[part])
    return distances, indices
