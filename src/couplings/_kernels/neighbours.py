"""The nearest columns of rows of dissimilarities."""

import numpy as np
from numba import njit, prange


@njit(parallel=True, cache=True)
def nearest(block, skip, distances, indices):
    """Write the smallest entries of every row, in increasing order, and where they are.

    Of equal entries the first come first. Column ``skip + row`` is left out if `skip` is not
    negative.
    """
    n_rows, n_columns = block.shape
    k = distances.shape[1]
    for row in prange(n_rows):
        found = distances[row]
        place = indices[row]
        found[:] = np.inf
        place[:] = -1
        own = skip + row if skip >= 0 else -1
        for column in range(n_columns):
            value = block[row, column]
            if column == own or (place[k - 1] >= 0 and not value < found[k - 1]):
                continue
            slot = k - 1
            while slot > 0 and (place[slot - 1] < 0 or found[slot - 1] > value):
                found[slot] = found[slot - 1]
                place[slot] = place[slot - 1]
                slot -= 1
            found[slot] = value
            place[slot] = column
