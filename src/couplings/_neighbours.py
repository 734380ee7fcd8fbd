"""Nearest objects in blocks of rows."""

from collections.abc import Callable

import numpy as np

from couplings._params import check_integer
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
    """Return the nearest columns of every row of a matrix that is made in blocks.

    Parameters
    ----------
    owner : str
        Name of the estimator, for messages.
    block_of : callable
        Takes row numbers, returns these rows, float64.
    shape : tuple of int
        Rows and columns of the matrix.
    n_neighbors : int
        k, at least 1.
    others : bool
        Whether to leave out the column of the same number as the row.

    Returns
    -------
    distances : ndarray of float64, shape (n, k)
        Increasing.
    indices : ndarray of int64, shape (n, k)
        Of equal entries the first ones.

    Raises
    ------
    CouplingsError
        If k is no positive integer, or more than there are columns.
    """
    from couplings._kernels import objects

    n, n_columns = shape
    k = check_integer(owner, "n_neighbors", n_neighbors, 1)
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
