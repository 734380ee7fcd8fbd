"""Reductions of dissimilarities by class."""

import math

from numba import njit


@njit(cache=True)
def reduce_rows(block, first, weights, bounds, low, high, top, sums):
    """Reduce rows of dissimilarities of weighted objects that are sorted by class.

    Row r of `block` belongs to object ``first + r``, column v to object ``first + v``; only
    the pairs with v > r are read, and v = r where the object stands for several. Class c holds the
    objects ``bounds[c]`` to ``bounds[c + 1] - 1``. Row r yields its least dissimilarity to
    another class in ``low[r]``, the greatest within its class in ``high[r]``, the greatest of all
    in ``top[r]``. If `sums` has rows, ``sums[r, c]`` is the weighted sum over the pairs in c.
    """
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
