"""Entropies and symmetric uncertainty of attribute pairs, summed strictly from left to right."""

import math

import numpy as np
from numba import njit


@njit(cache=True)
def entropies(matrix, offsets, n_objects):
    """Return the entropy of each attribute, in nats."""
    result = np.zeros(len(offsets) - 1)
    for j in range(len(result)):
        for x in range(offsets[j], offsets[j + 1]):
            if matrix[x, x] > 0:
                result[j] += matrix[x, x] / n_objects * math.log(n_objects / matrix[x, x])
    return result


@njit(cache=True)
def uncertainty_clipped(matrix, offsets, n_objects, noise):
    """Return the symmetric matrix in [0, 1]; values below `noise` become 0."""
    h = entropies(matrix, offsets, n_objects)
    n = float(n_objects)
    m = len(h)
    result = np.ones((m, m))
    for i in range(m):
        for j in range(i):
            value = 0.0
            if h[i] > 0 and h[j] > 0:
                gain = 0.0
                for x in range(offsets[i], offsets[i + 1]):
                    for y in range(offsets[j], offsets[j + 1]):
                        if matrix[x, y] > 0:
                            # The ratio is exactly 1 where independence holds exactly.
                            independent = float(matrix[x, x]) * float(matrix[y, y])
                            gain += matrix[x, y] * math.log(matrix[x, y] * n / independent)
                value = 2.0 * (gain / n) / (h[i] + h[j])
                value = min(value, 1.0) if value >= noise else 0.0
            result[i, j] = value
            result[j, i] = value
    return result


@njit(cache=True)
def _count_log(count):
    """Return a ln a, 0 for a = 0."""
    return count * math.log(count) if count > 0 else 0.0


@njit(cache=True)
def uncertainty_weka(matrix, offsets, n_objects):
    """Return the matrix in the order of operations of Weka: sums of a ln a over raw counts."""
    m = len(offsets) - 1
    total = _count_log(float(n_objects))
    sums = np.zeros(m)
    for j in range(m):
        for x in range(offsets[j], offsets[j + 1]):
            sums[j] += _count_log(float(matrix[x, x]))
    h = sums - total
    result = np.ones((m, m))
    for i in range(m):
        for j in range(m):
            if i == j:
                continue
            if abs(h[i]) < 1e-6 or abs(h[j]) < 1e-6:
                result[i, j] = 0.0
                continue
            joint = 0.0
            for x in range(offsets[i], offsets[i + 1]):
                for y in range(offsets[j], offsets[j + 1]):
                    joint += _count_log(float(matrix[x, y]))
            result[i, j] = 2.0 * ((h[i] - (joint - sums[j])) / (h[i] + h[j]))
    return result
