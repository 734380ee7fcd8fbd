"""Compiled loops over rows and values, for clusterings that learn from counts per cluster.

Rows hold global value indices (offset of the attribute plus code), so that one table over all L
values serves every attribute.
"""

import math

import numpy as np
from numba import njit


@njit(cache=True)
def nearest(values, table, root, labels, own):
    """Assign each row to the cluster with the least sum of its values' entries, first of several.

    `table` has shape (L, k), an entry may be infinite; `own` receives the sums. With `root` it
    compares and stores their roots, some of which rounding makes equal.
    """
    k = table.shape[1]
    total = np.empty(k)
    for u in range(len(values)):
        total[:] = 0.0
        for j in range(values.shape[1]):
            part = table[values[u, j]]
            for c in range(k):
                total[c] += part[c]
        best, least = 0, math.inf
        for c in range(k):
            length = math.sqrt(total[c]) if root else total[c]
            if length < least:
                best, least = c, length
        labels[u] = best
        own[u] = least


@njit(cache=True)
def count_values(values, weights, labels, n_clusters, n_values):
    """Return how often each value occurs in each cluster, int64 of shape (L, k)."""
    counts = np.zeros((n_values, n_clusters), np.int64)
    for u in range(len(values)):
        for j in range(values.shape[1]):
            counts[values[u, j], labels[u]] += weights[u]
    return counts


@njit(cache=True)
def online_pass(values, offsets, modes, counts, labels):
    """Assign each row in turn to its nearest mode, and update that mode.

    A cluster that loses a row keeps its mode until it receives one. Labels are -1 before the first
    pass. Return whether a label changed.
    """
    changed = False
    m = values.shape[1]
    for u in range(len(values)):
        best, least = 0, m + 1
        for c in range(len(modes)):
            mismatches = 0
            for j in range(m):
                if modes[c, j] != values[u, j]:
                    mismatches += 1
            if mismatches < least:
                best, least = c, mismatches
        old = labels[u]
        if old != best:
            changed = True
            labels[u] = best
            for j in range(m):
                counts[values[u, j], best] += 1
                if old >= 0:
                    counts[values[u, j], old] -= 1
        for j in range(m):
            mode = offsets[j]
            for x in range(offsets[j], offsets[j + 1]):
                if counts[x, best] > counts[mode, best]:
                    mode = x
            modes[best, j] = mode
    return changed
