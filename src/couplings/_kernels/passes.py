"""One pass of an iterative clustering over some rows of a table."""

import numpy as np
from numba import njit, prange

from couplings._kernels.modes import _cost

TILE = 256


@njit(parallel=True, cache=True)
def nearest_modes(codes, offsets, spread, k, labels, own, counts):
    """Write the nearest mode of each row, and its dissimilarity; count values per mode.

    `spread` holds for each value its dissimilarity to the value of every mode, padded to a multiple
    of four. The sums run from the first attribute to the last, ties go to the first mode, as in
    `modes.run`. Part t of the rows is counted in ``counts[t]``, none if that is empty.
    """
    n, m = codes.shape
    width = spread.shape[1]
    n_parts = len(counts)
    size = (n + n_parts - 1) // n_parts
    counted = counts.shape[1] > 0
    for t in prange(n_parts):
        first, last = t * size, min(n, (t + 1) * size)
        rows = np.empty((TILE, m), np.int32)
        total = np.empty(width)
        for a in range(first, last, TILE):
            b = min(last, a + TILE)
            for j in range(m):
                for u in range(b - a):
                    rows[u, j] = offsets[j] + codes[a + u, j]
            for u in range(b - a):
                row = rows[u]
                p = spread[row[0]]
                for c in range(width):
                    total[c] = p[c]
                j = 1
                # Three attributes per pass over the sums; they are still added one by one.
                while j + 3 <= m:
                    p, q, r = spread[row[j]], spread[row[j + 1]], spread[row[j + 2]]
                    for c in range(width):
                        total[c] = ((total[c] + p[c]) + q[c]) + r[c]
                    j += 3
                while j < m:
                    p = spread[row[j]]
                    for c in range(width):
                        total[c] += p[c]
                    j += 1
                best = 0
                for c in range(1, k):
                    if total[c] < total[best]:
                        best = c
                labels[a + u] = best
                own[a + u] = total[best]
                if counted:
                    for j in range(m):
                        counts[t, best, row[j]] += 1


@njit(cache=True)
def summed_cost(counts, data, starts, offsets, modes):
    """Return the summed dissimilarity of counted values to the modes of their clusters."""
    total = 0.0
    for c in range(len(counts)):
        for j in range(len(offsets) - 1):
            first, last = offsets[j], offsets[j + 1]
            total += _cost(counts[c], data, starts[j], first, last, modes[c, j])
    return total
