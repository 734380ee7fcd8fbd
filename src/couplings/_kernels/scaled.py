"""Products of a scaled symmetric matrix with a vector that read only half of the matrix."""

import numpy as np
from numba import njit

from couplings._kernels.intrinsics import copy_to, scaled_rows

# Rows processed together, and columns after which a new sum starts: the order of additions of
# OpenBLAS on any x86-64 processor (x86-64-v2), so that products equal those of the whole matrix.
ROWS = 4
BLOCK = 2048


@njit(cache=True)
def _left_over(row, s, scale, x, lanes):
    """Return the sum of a block of a row outside the groups of four, with parallel lanes."""
    sums = np.zeros(ROWS)
    for j in range(len(x)):
        sums[j % lanes] += ((row[j] * s) * scale[j]) * x[j]
    if lanes == 2:
        return sums[0] + sums[1]
    return (sums[0] + sums[2]) + (sums[1] + sums[3])


@njit(cache=True)
def product(matrix, scale, x):
    """Return the product of B with x, where B_ij is ``(matrix[i, j] * scale[i]) * scale[j]``."""
    # `matrix` is symmetric to the last bit; of its lower triangle, only the 4 x 4 blocks on the
    # diagonal and the last ``n % 4`` rows are read. Every number equals that of BLAS on B.
    n = len(x)
    whole = n - n % ROWS
    cells = matrix.reshape(-1)
    # Contributions of rows to later columns are summed until the block of rows ends.
    result, totals, unused = np.zeros(n), np.zeros(n), np.zeros(n)
    sums = np.empty(ROWS)
    for begin in range(0, whole, BLOCK):
        end = min(begin + BLOCK, whole)
        for i in range(begin, end, ROWS):
            first, last = i + ROWS, end
            own, mine = scale[i:first], x[i:first]
            copy_to(totals[i:first], sums)
            scaled_rows(cells, i * n, i, first, scale, x, own, mine, unused, sums)
            while True:
                scaled_rows(cells, i * n, first, last, scale, x, own, mine, totals, sums)
                for r in range(ROWS):
                    result[i + r] += sums[r]
                    sums[r] = 0.0
                if last == whole:
                    break
                first, last = last, min(last + BLOCK, whole)
        for j in range(end, whole):
            result[j] += totals[j]
            totals[j] = 0.0
    for i in range(whole, n):
        lanes = 2 if n - whole > 1 and i - whole < 2 else 4
        for begin in range(0, whole, BLOCK):
            end = min(begin + BLOCK, whole)
            result[i] += _left_over(
                matrix[i, begin:end], scale[i], scale[begin:end], x[begin:end], lanes
            )
    for i in range(n):
        rest = 0.0
        for j in range(whole, n):
            rest += ((matrix[i, j] * scale[i]) * scale[j]) * x[j]
        if whole < n:
            result[i] += rest
    return result
