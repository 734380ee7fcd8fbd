"""Starts of k-modes that lie apart."""

import math

import numpy as np
from numba import njit


@njit(cache=True)
def _nearer(values, u, data, starts, offsets, part, nearest, out):
    """Write the distance of every object to the nearest of the earlier starts and `u`.

    Returns the sum.
    """
    n, m = values.shape
    for j in range(m):
        size = offsets[j + 1] - offsets[j]
        y = values[u, j] - offsets[j]
        for x in range(size):
            part[offsets[j] + x] = data[starts[j] + x * size + y]
    total = 0.0
    for v in range(n):
        distance = 0.0
        for j in range(m):
            distance += part[values[v, j]]
        out[v] = min(nearest[v], distance)
        total += out[v]
    return total


@njit(cache=True)
def _drawn(nearest, total, uniform):
    """Return the object at a share of the summed distances, the last one with a distance."""
    goal = uniform * total
    last = -1
    for v in range(len(nearest)):
        if nearest[v] > 0.0:
            goal -= nearest[v]
            last = v
            if goal < 0.0:
                return v
    return last


@njit(cache=True)
def spread_start(values, data, starts, offsets, uniforms, chosen):
    """Draw objects, each with probability proportional to its distance to the nearest earlier one.

    Of several candidates per step, one for each column of `uniforms`, the one that leaves the
    least sum of distances is taken. Where no object is at a distance any more, the first objects
    that are not chosen follow.
    """
    n = len(values)
    k, n_candidates = uniforms.shape
    part = np.zeros(offsets[-1])
    nearest = np.full(n, np.inf)
    trial, best = np.empty(n), np.empty(n)
    chosen[0] = min(n - 1, int(uniforms[0, 0] * n))
    total = _nearer(values, chosen[0], data, starts, offsets, part, nearest, best)
    nearest, best = best, nearest
    for c in range(1, k):
        if not total > 0.0:
            chosen[c] = -1
            for v in range(n):
                free = True
                for b in range(c):
                    free &= chosen[b] != v
                if free:
                    chosen[c] = v
                    break
            continue
        least = math.inf
        for t in range(n_candidates):
            u = _drawn(nearest, total, uniforms[c, t])
            left = _nearer(values, u, data, starts, offsets, part, nearest, trial)
            if left < least:
                least = left
                chosen[c] = u
                trial, best = best, trial
        nearest, best = best, nearest
        total = least
