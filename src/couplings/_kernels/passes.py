"""One pass of an iterative clustering over some rows of a table."""

import numpy as np
from numba import njit, uint32

from couplings._kernels.intrinsics import row_sums_8, row_sums_16
from couplings._kernels.modes import _cost

TILE = 64
LANES = 8


def width(k):
    """Return the number of columns of the spread of k modes: k, and some that are not used."""
    return -(-k // LANES) * LANES


@njit(nogil=True, cache=True)
def nearest_modes(codes, offsets, spread, k, labels, own, counts):
    """Write the nearest mode of each row, and its dissimilarity; count values per mode.

    `spread` holds for each value its dissimilarity to the value of every mode, in the first k of
    ``width(k)`` columns. The sums run from the first attribute to the last, ties go to the first
    mode, as in `modes.run`. The rows are added to `counts`, of the shape of `spread`, if it is not
    empty.

    It runs in one thread, and lets others run beside it: threads of its own would spin while the
    next rows are read.
    """
    n, m = codes.shape
    columns = spread.shape[1]
    flat, counted = spread.ravel(), counts.ravel()
    # Where each cell's value stands in the flat spread, attribute by attribute.
    places = np.empty(m * TILE, np.uint32)
    total = np.empty(columns)
    nearest = np.empty(TILE, np.uint32)
    for first in range(0, n, TILE):
        size = min(n - first, TILE)
        for j in range(m):
            start, step = uint32(offsets[j] * columns), uint32(columns)
            column = codes[first : first + size, j]
            row = places[j * TILE : j * TILE + size]
            for u in range(size):
                row[u] = start + uint32(column[u]) * step
        for u in range(size):
            c = 0
            while c + 16 <= columns:
                row_sums_16(flat, places, u, TILE, m, total, c)
                c += 16
            if c < columns:
                row_sums_8(flat, places, u, TILE, m, total, c)
            best, least = 0, total[0]
            # Written for the processor to select and not to branch, as no guess would hold.
            for c in range(1, k):
                here = total[c]
                best = c if here < least else best
                least = here if here < least else least
            labels[first + u] = best
            own[first + u] = least
            nearest[u] = best
        if len(counted):
            for j in range(m):
                row = places[j * TILE : j * TILE + size]
                for u in range(size):
                    counted[row[u] + nearest[u]] += 1


@njit(cache=True)
def summed_cost(counts, data, starts, offsets, modes):
    """Return the summed dissimilarity of counted values to the modes of their clusters."""
    total = 0.0
    for c in range(len(counts)):
        for j in range(len(offsets) - 1):
            first, last = offsets[j], offsets[j + 1]
            total += _cost(counts[c], data, starts[j], first, last, modes[c, j])
    return total
