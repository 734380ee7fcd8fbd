"""Dissimilarities of objects from value matrices."""

import math

import numpy as np
from numba import njit, prange

SUM, RSS, INVERSE, JACCARD, RATIO = 0, 1, 2, 3, 4


@njit(parallel=True, cache=True, error_model="numpy")
def dissimilarities(
    codes_a, codes_b, data, starts, offsets, terms_a, terms_b, link, condensed, width, height, out
):
    """Write the dissimilarity of every row of `codes_a` and `codes_b` into the flat `out`.

    A task covers `height` objects of the first table and `width` of the second. It first spreads
    the value matrices over its columns: row x of the spread holds A_j[x, code of column], so that
    a row of the result is a sum of m contiguous rows, which the cache keeps.

    With `condensed`, both tables are the same and only columns beyond the row are written.
    """
    n_a, m = codes_a.shape
    n_b = codes_b.shape[0]
    n_blocks = (n_b + width - 1) // width
    n_strips = (n_a + height - 1) // height
    for task in prange(n_blocks * n_strips):
        v0 = (task // n_strips) * width
        v1 = min(n_b, v0 + width)
        u0 = (task % n_strips) * height
        u1 = min(n_a, u0 + height)
        if condensed and u0 >= v1:
            continue
        spread = np.empty((offsets[m], v1 - v0), out.dtype)
        for j in range(m):
            size = offsets[j + 1] - offsets[j]
            for x in range(size):
                row = spread[offsets[j] + x]
                start = starts[j] + x * size
                for v in range(v1 - v0):
                    row[v] = data[start + codes_b[v0 + v, j]]
        for u in range(u0, u1):
            low = max(0, u + 1 - v0) if condensed else 0
            base = n_a * u - u * (u + 1) // 2 - u - 1 if condensed else u * n_b
            # Slices that start at 0 let the compiler drop its checks for negative indices.
            total = out[base + v0 + low : base + v1]
            p = spread[offsets[0] + codes_a[u, 0]][low:]
            for v in range(len(total)):
                total[v] = p[v]
            j = 1
            # Three attributes per pass over the sums; they are still added one by one.
            while j + 3 <= m:
                p = spread[offsets[j] + codes_a[u, j]][low:]
                q = spread[offsets[j + 1] + codes_a[u, j + 1]][low:]
                r = spread[offsets[j + 2] + codes_a[u, j + 2]][low:]
                for v in range(len(total)):
                    total[v] = ((total[v] + p[v]) + q[v]) + r[v]
                j += 3
            while j < m:
                p = spread[offsets[j] + codes_a[u, j]][low:]
                for v in range(len(total)):
                    total[v] += p[v]
                j += 1
            if link == RSS:
                for v in range(len(total)):
                    total[v] = math.sqrt(total[v])
            elif link == INVERSE:
                for v in range(len(total)):
                    total[v] = 1.0 / (1.0 + total[v])
            elif link == JACCARD:
                # One minus the printed similarity, in this order: rounding decides ties in Ward.
                for v in range(len(total)):
                    total[v] = 1.0 - (m - total[v]) / (m + total[v])
            elif link == RATIO:
                other = terms_b[v0 + low : v1]
                for v in range(len(total)):
                    whole = terms_a[u] + other[v]
                    similarity = total[v] / whole if whole != 0.0 else 1.0
                    total[v] = 1.0 / (1.0 + similarity)
