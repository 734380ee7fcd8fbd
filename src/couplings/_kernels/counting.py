"""Dictionary codes, and co-occurrence counts of pairs of values."""

import numpy as np
from numba import njit, prange, uint64

from couplings._kernels.intrinsics import popcount
from couplings._kernels.threads import twins


@njit(cache=True)
def pack(codes, attributes, first, bits, marginals, offsets):
    """Write one bit column per value but the last of each attribute, and count every value."""
    # Attribute ``attributes[a]`` fills the rows of `bits` from ``first[a]``.
    n = codes.shape[0]
    for a in range(len(attributes)):
        j = attributes[a]
        n_columns = offsets[j + 1] - offsets[j] - 1
        words = np.zeros(n_columns + 1, np.uint64)
        for w in range((n + 63) // 64):
            words[:] = 0
            start = 64 * w
            for b in range(min(64, n - start)):
                words[codes[start + b, j]] |= uint64(1) << uint64(b)
            for x in range(n_columns):
                bits[first[a] + x, w] = words[x]
            for x in range(n_columns + 1):
                marginals[offsets[j] + x] += popcount(words[x])


@njit(inline="always")
def _added(a, b, c):
    """Add three words bit by bit; return the words of the sums and of the carries."""
    half = a ^ b
    return half ^ c, (a & b) | (half & c)


@njit(inline="always")
def _common_bits(a, b, step, t):
    """Count the bits set in both words of seven pairs, ``t, t + step, ...``."""
    # Carry-save adders reduce the seven words to three, so three population counts suffice.
    one, carry_a = _added(a[t] & b[t], a[t + step] & b[t + step], a[t + 2 * step] & b[t + 2 * step])
    t += 3 * step
    two, carry_b = _added(a[t] & b[t], a[t + step] & b[t + step], a[t + 2 * step] & b[t + 2 * step])
    t += 3 * step
    ones, carry_c = _added(one, two, a[t] & b[t])
    twos, fours = _added(carry_a, carry_b, carry_c)
    return popcount(ones) + (popcount(twos) << uint64(1)) + (popcount(fours) << uint64(2))


@twins()
def count_bits(bits, step, tile, tasks, values, matrix):
    """Add the pairwise intersections of the bit columns to the upper triangle of `matrix`."""
    # Column c belongs to value ``values[c]``; two tiles of columns stay in the second-level cache.
    n_columns, n_words = bits.shape
    for task in prange(len(tasks)):
        i0, j0 = tasks[task, 0] * tile, tasks[task, 1] * tile
        i1, j1 = min(n_columns, i0 + tile), min(n_columns, j0 + tile)
        for w in range(0, n_words, 7 * step):
            for i in range(i0, i1):
                a = bits[i, w : w + 7 * step]
                for j in range(max(j0, i + 1), j1):
                    b = bits[j, w : w + 7 * step]
                    total = uint64(0)
                    for t in range(step):
                        total += _common_bits(a, b, step, t)
                    matrix[values[i], values[j]] += total


@njit(cache=True)
def complete_last_values(attributes, offsets, marginals, matrix):
    """Fill in the counts of the last value of each attribute from the marginals."""
    for a in range(len(attributes)):
        j0, j1 = offsets[attributes[a]], offsets[attributes[a] + 1]
        for x in range(j0, j1):
            matrix[x, x] = marginals[x]
        for b in range(a + 1, len(attributes)):
            k0, k1 = offsets[attributes[b]], offsets[attributes[b] + 1]
            for x in range(j0, j1 - 1):
                rest = marginals[x]
                for y in range(k0, k1 - 1):
                    rest -= matrix[x, y]
                matrix[x, k1 - 1] = rest
            for y in range(k0, k1):
                rest = marginals[y]
                for x in range(j0, j1 - 1):
                    rest -= matrix[x, y]
                matrix[j1 - 1, y] = rest


@twins()
def scatter(codes, weights, pairs, offsets, matrix):
    """Add the weighted counts of given pairs of attributes to the upper triangle of `matrix`."""
    for p in prange(len(pairs)):
        j, k = pairs[p, 0], pairs[p, 1]
        row, column = offsets[j], offsets[k]
        for u in range(codes.shape[0]):
            matrix[row + codes[u, j], column + codes[u, k]] += weights[u]


@njit(cache=True)
def mirror(matrix):
    """Copy the upper triangle to the lower one."""
    for i in range(matrix.shape[0]):
        for j in range(i):
            matrix[i, j] = matrix[j, i]


@njit(cache=True, nogil=True)
def translate(positions, codes_of, out, used):
    """Write ``codes_of[positions]`` (-1: the last), and mark in `used` the entries that occur."""
    last = len(codes_of) - 1
    n = len(positions)
    unseen = last
    i = 0
    while i < n and unseen > 0:
        p = positions[i]
        if p < 0:
            p = last
        out[i] = codes_of[p]
        if not used[p]:
            used[p] = True
            unseen -= p != last
        i += 1
    # Most dictionary entries have occurred by now.
    while i < n:
        out[i] = codes_of[positions[i]]
        i += 1
