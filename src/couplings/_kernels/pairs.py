"""Statistics over all pairs of weighted distinct rows, streamed: no matrix of pairs is stored.

S(u, v) is the sum of the value matrices over the attributes, first to last. In the parallel kernels
a task takes a block of columns v and the rows u before each. Every task returns its own result: the
caller joins them, in an order that does not depend on the number of threads.
"""

import math

import numpy as np
from numba import njit, prange


@njit(cache=True)
def _spread(codes, data, starts, offsets, v0, v1):
    """Return the value matrices over the columns: row x holds A_j[x, code of column]."""
    spread = np.empty((offsets[-1], v1 - v0))
    for j in range(len(offsets) - 1):
        size = offsets[j + 1] - offsets[j]
        for x in range(size):
            start = starts[j] + x * size
            for v in range(v1 - v0):
                spread[offsets[j] + x, v] = data[start + codes[v0 + v, j]]
    return spread


@njit(inline="always")
def add_row(codes, spread, offsets, u, low, total):
    """Write the sums of row u with the columns from `low` on into `total`, which begins there."""
    m = len(offsets) - 1
    # Slices that start at 0 let the compiler drop its checks for negative indices.
    p = spread[offsets[0] + codes[u, 0]][low:]
    for v in range(len(total)):
        total[v] = p[v]
    j = 1
    # Three attributes per pass over the sums; they are still added one by one.
    while j + 3 <= m:
        p = spread[offsets[j] + codes[u, j]][low:]
        q = spread[offsets[j + 1] + codes[u, j + 1]][low:]
        r = spread[offsets[j + 2] + codes[u, j + 2]][low:]
        for v in range(len(total)):
            total[v] = ((total[v] + p[v]) + q[v]) + r[v]
        j += 3
    while j < m:
        p = spread[offsets[j] + codes[u, j]][low:]
        for v in range(len(total)):
            total[v] += p[v]
        j += 1


@njit(inline="always")
def _block(task, n_blocks, width, n):
    """Return the columns of a task; long and short blocks alternate, for even shares."""
    block = task // 2 if task % 2 == 0 else n_blocks - 1 - task // 2
    return block * width, min(n, (block + 1) * width)


@njit(inline="always")
def _of_pair(codes, u, v, data, starts, offsets):
    """Return S(u, v)."""
    total = 0.0
    for j in range(codes.shape[1]):
        size = offsets[j + 1] - offsets[j]
        total += data[starts[j] + codes[u, j] * size + codes[v, j]]
    return total


@njit(cache=True)
def largest(codes, reach, data, starts, offsets, width):
    """Return the largest S over the pairs of different rows, 0 if none is positive.

    ``reach[u]`` bounds S(u, v) for every v. The farthest row of the farthest row, and so on, comes
    close to the largest S. Then rows meet blocks of `width` neighbouring rows, which should be
    alike: the largest entries of the values of u with those of a block, summed up in the same
    order, are no less than S of u and any of its rows, and hardly any block is looked into.
    """
    n, m = codes.shape
    top, row = 0.0, 0
    while True:
        best, farthest = 0.0, row
        for v in range(n):
            total = _of_pair(codes, row, v, data, starts, offsets)
            if v != row and total > best:
                best, farthest = total, v
        if best <= top:
            break
        top, row = best, farthest
    if top >= reach.max():
        return top
    far = np.empty(offsets[-1])
    for v0 in range(0, n, width):
        v1 = min(n, v0 + width)
        far[:] = 0.0
        for j in range(m):
            size = offsets[j + 1] - offsets[j]
            for v in range(v0, v1):
                for x in range(size):
                    entry = data[starts[j] + x * size + codes[v, j]]
                    far[offsets[j] + x] = max(far[offsets[j] + x], entry)
        for u in range(v0 + 1, n):
            if reach[u] <= top:
                continue
            bound = 0.0
            for j in range(m):
                bound += far[offsets[j] + codes[u, j]]
            if bound > top:
                for v in range(v0, min(v1, u)):
                    top = max(top, _of_pair(codes, u, v, data, starts, offsets))
    return top


@njit(parallel=True, cache=True)
def root_sum(codes, weights, data, starts, offsets, width):
    """Return the sum of sqrt(S) over the pairs of different rows, times both weights, per task."""
    n = len(codes)
    n_blocks = (n + width - 1) // width
    parts = np.zeros(n_blocks)
    for task in prange(n_blocks):
        v0, v1 = _block(task, n_blocks, width, n)
        spread = _spread(codes, data, starts, offsets, v0, v1)
        total = np.empty(v1 - v0)
        column = np.zeros(v1 - v0)
        for u in range(v1 - 1):
            low = max(0, u + 1 - v0)
            row, sums = total[low:], column[low:]
            add_row(codes, spread, offsets, u, low, row)
            weight = float(weights[u])
            for v in range(len(row)):
                sums[v] += weight * math.sqrt(row[v])
        for v in range(v1 - v0):
            parts[task] += weights[v0 + v] * column[v]
    return parts


@njit(parallel=True, cache=True)
def histogram(codes, weights, data, starts, offsets, width, first, shift, n_bins):
    """Return the weights of the pairs of different rows by the bit pattern of S, per task.

    Bin b holds the patterns from ``first + (b << shift)`` on; patterns of non-negative numbers
    are in the order of the numbers.
    """
    n = len(codes)
    n_blocks = (n + width - 1) // width
    parts = np.zeros((n_blocks, n_bins), np.int64)
    for task in prange(n_blocks):
        v0, v1 = _block(task, n_blocks, width, n)
        spread = _spread(codes, data, starts, offsets, v0, v1)
        total = np.empty(v1 - v0)
        pattern = total.view(np.int64)
        for u in range(v1 - 1):
            low = max(0, u + 1 - v0)
            add_row(codes, spread, offsets, u, low, total[low:])
            for v in range(low, v1 - v0):
                b = (pattern[v] - first) >> shift
                if 0 <= b < n_bins:
                    parts[task, b] += weights[u] * weights[v0 + v]
    return parts
