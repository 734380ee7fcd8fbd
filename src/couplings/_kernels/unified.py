"""Value dissimilarities of the unified metrics: by size-weighted contexts, by interdependence."""

import math

import numpy as np
from numba import njit, prange


@njit(cache=True)
def sized_variation(matrix, offsets, target):
    """Return, over all attributes, the mean L1 distance of row shares per value they meet.

    The target itself contributes 1. Values that never occur are at 0.
    """
    m = len(offsets) - 1
    first, v = offsets[target], offsets[target + 1] - offsets[target]
    result = np.zeros((v, v))
    for y in range(v):
        frequency_y = matrix[first + y, first + y]
        for z in range(y):
            frequency_z = matrix[first + z, first + z]
            if frequency_y == 0 or frequency_z == 0:
                continue
            total = 1.0
            for k in range(m):
                if k == target:
                    continue
                size, variation = 0, 0.0
                for b in range(offsets[k], offsets[k + 1]):
                    with_y, with_z = matrix[first + y, b], matrix[first + z, b]
                    if with_y > 0 or with_z > 0:
                        size += 1
                        variation += abs(with_y / frequency_y - with_z / frequency_z)
                total += variation / size
            result[y, z] = total / m
            result[z, y] = result[y, z]
    return result


@njit(cache=True)
def _agreement(matrix, offsets, r, s):
    """Return the pairs of objects equal in both attributes, plus the absolute 2 x 2 minors."""
    total = 0
    for t in range(offsets[r], offsets[r + 1]):
        for g in range(offsets[s], offsets[s + 1]):
            both = matrix[t, g]
            total += both * (both - 1) // 2
    for t in range(offsets[r], offsets[r + 1]):
        for h in range(offsets[r], t):
            for g in range(offsets[s], offsets[s + 1]):
                for u in range(offsets[s], g):
                    total += abs(matrix[t, g] * matrix[h, u] - matrix[t, u] * matrix[h, g])
    return total


@njit(parallel=True, cache=True)
def agreements(matrix, offsets):
    """Return `_agreement` of every two attributes, int64 of shape (m, m)."""
    m = len(offsets) - 1
    result = np.zeros((m, m), np.int64)
    for r in prange(m):
        for s in range(r + 1):
            result[r, s] = _agreement(matrix, offsets, r, s)
    for r in range(m):
        for s in range(r):
            result[s, r] = result[r, s]
    return result


@njit(cache=True)
def entropy_distances(matrix, offsets, weights, target):
    """Return the summed entropies, in bits, of the joint shares of two values of the target.

    ``weights[s]`` multiplies the entropy over attribute s. Values that never occur are at 0.
    """
    first, v = offsets[target], offsets[target + 1] - offsets[target]
    n = 0
    for y in range(v):
        n += matrix[first + y, first + y]
    result = np.zeros((v, v))
    for y in range(v):
        for z in range(y):
            if matrix[first + y, first + y] == 0 or matrix[first + z, first + z] == 0:
                continue
            total = 0.0
            for s in range(len(offsets) - 1):
                if weights[s] == 0.0:
                    continue
                entropy = 0.0
                for g in range(offsets[s], offsets[s + 1]):
                    share = (matrix[first + y, g] + matrix[first + z, g]) / n
                    if share > 0.0:
                        entropy -= share * math.log2(share)
                total += weights[s] * entropy
            result[y, z] = total
            result[z, y] = total
    return result
