"""Shares and centres of the clusters of DISC."""

import math

import numpy as np
from numba import njit


@njit(cache=True)
def divide_by_sums(shares, offsets, epsilon):
    """Divide the shares of each attribute and cluster by (their sum, in code order, + epsilon)."""
    for c in range(shares.shape[1]):
        for j in range(len(offsets) - 1):
            total = 0.0
            for x in range(offsets[j], offsets[j + 1]):
                total += shares[x, c]
            for x in range(offsets[j], offsets[j + 1]):
                shares[x, c] /= total + epsilon


@njit(cache=True)
def central_values(counts, sizes, offsets, shares, centres):
    """Write the value of least summed difference of shares from the objects of each cluster.

    ``centres[c, j]`` is the first of several; a cluster without objects keeps its own. The weights
    of the sum are the present shares as percentages divided by 100, because ties depend on it.
    """
    widest = 0
    for j in range(len(offsets) - 1):
        widest = max(widest, offsets[j + 1] - offsets[j])
    weight = np.empty(widest)
    for c in range(len(sizes)):
        if sizes[c] == 0:
            continue
        for j in range(len(offsets) - 1):
            first, last = offsets[j], offsets[j + 1]
            for x in range(first, last):
                weight[x - first] = (100.0 * counts[x, c] / sizes[c]) / 100.0
            least = math.inf
            for x in range(first, last):
                total = 0.0
                for b in range(first, last):
                    total += abs(shares[x, c] - shares[b, c]) * weight[b - first]
                if total < least:
                    centres[c, j] = x
                    least = total
