"""Dissimilarities of objects, nearest columns, and reductions by class."""

import math

import numpy as np
from numba import njit, prange

from couplings._kernels.pairs import add_row, spread_codes
from couplings._kernels.threads import twins

SUM, RSS, INVERSE, JACCARD, RATIO = 0, 1, 2, 3, 4


@twins(error_model="numpy")
def dissimilarities(
    columns_a, columns_b, data, starts, offsets, terms_a, terms_b, link, condensed, width, height,
    out,
):  # fmt: skip
    """Write the dissimilarity of every object of `columns_a` and `columns_b` to the flat `out`."""
    # Both are (m, n), so that a table of one object has the same type and needs no further
    # compilation. A task spreads the value matrices over its `width` columns: a row of the result
    # is a sum of m contiguous rows that stay in the cache. With `condensed`, only later columns are
    # written.
    codes_a, codes_b = columns_a.T, columns_b.T
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
        spread_codes(codes_b, data, starts, offsets, v0, v1, spread)
        for u in range(u0, u1):
            low = max(0, u + 1 - v0) if condensed else 0
            base = n_a * u - u * (u + 1) // 2 - u - 1 if condensed else u * n_b
            # Slices that start at 0 let the compiler drop its checks for negative indices.
            total = out[base + v0 + low : base + v1]
            add_row(codes_a, spread, offsets, u, low, total)
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


@njit(cache=True, nogil=True)
def sums_of_few(codes_a, columns_b, data, starts, offsets, out):
    """Write the sums of the few objects of `codes_a`, (n_a, m), with those of `columns_b`."""
    # The values of a row are looked up, as spreading them over all columns would cost more.
    m = len(offsets) - 1
    terms = np.empty(offsets[m], out.dtype)
    for u in range(len(codes_a)):
        total = out[u]
        for j in range(m):
            size = offsets[j + 1] - offsets[j]
            start = starts[j] + codes_a[u, j] * size
            for y in range(size):
                terms[y] = data[start + y]
            column = columns_b[j]
            if j == 0:
                for v in range(len(total)):
                    total[v] = terms[column[v]]
            else:
                for v in range(len(total)):
                    total[v] += terms[column[v]]


@twins(error_model="numpy")
def weighted_means(
    numbers_a, numbers_b, codes_a, codes_b, number_weights, code_weights, largest, data, starts,
    sizes, ignore, out,
):  # fmt: skip
    """Write the weighted mean difference of all pairs of rows of `a` and `b`."""
    # Missing numbers are NaN, missing codes -1. With `ignore`, an attribute missing in either
    # object is left out; otherwise a missing number is at the `largest` difference of its
    # attribute.
    for u in prange(len(numbers_a)):
        for v in range(len(numbers_b)):
            total = 0.0
            whole = 0.0
            for t in range(numbers_a.shape[1]):
                x, y = numbers_a[u, t], numbers_b[v, t]
                gap = abs(x - y)
                if np.isnan(gap):
                    if ignore:
                        continue
                    gap = 0.0 if np.isnan(x) and np.isnan(y) else largest[t]
                total += number_weights[t] * gap
                whole += number_weights[t]
            for j in range(codes_a.shape[1]):
                x, y = codes_a[u, j], codes_b[v, j]
                if x < 0 or y < 0:
                    continue
                total += code_weights[j] * data[starts[j] + x * sizes[j] + y]
                whole += code_weights[j]
            out[u, v] = total / whole


@twins()
def nearest(block, skip, distances, indices):
    """Write the smallest entries of every row, ties to the first columns, and their columns."""
    # Column ``skip + row`` is left out unless `skip` is negative.
    n_rows, n_columns = block.shape
    k = distances.shape[1]
    for row in prange(n_rows):
        found = distances[row]
        place = indices[row]
        found[:] = np.inf
        place[:] = -1
        own = skip + row if skip >= 0 else -1
        for first in range(0, n_columns, 32):
            values = block[row, first : min(first + 32, n_columns)]
            # Most groups hold nothing near enough, which vector instructions see at once.
            bound, near = found[k - 1], place[k - 1] < 0
            for t in range(len(values)):
                near |= values[t] < bound
            if not near:
                continue
            for t in range(len(values)):
                column, value = first + t, values[t]
                if column == own or (place[k - 1] >= 0 and not value < found[k - 1]):
                    continue
                slot = k - 1
                while slot > 0 and (place[slot - 1] < 0 or found[slot - 1] > value):
                    found[slot] = found[slot - 1]
                    place[slot] = place[slot - 1]
                    slot -= 1
                found[slot] = value
                place[slot] = column


@njit(cache=True)
def reduce_rows(block, first, weights, bounds, low, high, top, sums):
    """Reduce rows of dissimilarities of weighted objects, sorted by class."""
    # Row r and column v of `block` belong to objects first + r and first + v, class c to objects
    # bounds[c] to bounds[c + 1] - 1. Only v > r is read, and v = r if the object represents
    # several. Row r writes its smallest dissimilarity to another class, its largest within and of
    # all, and to ``sums[r, c]``, if `sums` has rows, the weighted sum over the pairs in c.
    for r in range(len(block)):
        u = first + r
        low[r], high[r], top[r] = math.inf, -math.inf, -math.inf
        for c in range(len(bounds) - 1):
            begin, end = max(bounds[c], u + 1), bounds[c + 1]
            if end <= u:
                continue
            least, most = math.inf, -math.inf
            for v in range(begin, end):
                least = min(least, block[r, v - first])
                most = max(most, block[r, v - first])
            own = bounds[c] <= u
            if own and weights[u] > 1:
                most = max(most, block[r, r])
            if own:
                high[r] = most
            else:
                low[r] = min(low[r], least)
            top[r] = max(top[r], most)
            if len(sums) > 0:
                total = 0.0
                for v in range(begin, end):
                    total += weights[v] * block[r, v - first]
                sums[r, c] = weights[u] * total
                if own:
                    sums[r, c] += weights[u] * (weights[u] - 1) / 2 * block[r, r]
