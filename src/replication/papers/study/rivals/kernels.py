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


@njit(cache=True)
def weighted_sums(data, starts, offsets, profiles):
    """Return the sums of each value's row of its square, weighted by the profiles; shape (L, k).

    Sums run in code order, because exact ties of clusters depend on the last bit.
    """
    result = np.zeros(profiles.shape)
    for j in range(len(offsets) - 1):
        first, size = offsets[j], offsets[j + 1] - offsets[j]
        for x in range(size):
            for b in range(size):
                weight = data[starts[j] + x * size + b]
                for c in range(profiles.shape[1]):
                    result[first + x, c] += weight * profiles[first + b, c]
    return result


@njit(cache=True)
def inner_products(share, starts, offsets):
    """Return the inner products of the rows of each attribute, square after square."""
    data = np.empty(starts[-1])
    for j in range(len(offsets) - 1):
        first, size = offsets[j], offsets[j + 1] - offsets[j]
        for x in range(size):
            for y in range(size):
                total = 0.0
                for c in range(share.shape[1]):
                    total += share[first + x, c] * share[first + y, c]
                data[starts[j] + x * size + y] = total
    return data


@njit(cache=True)
def tree_distances(share, starts, offsets, scale, least):
    """Return path lengths in the minimum spanning tree of each attribute, square after square.

    An edge is `scale` times the Euclidean distance of two rows of `share`, an edge 0 counts as
    `least`. Prim's algorithm starts at the smallest edge; ties go to the lowest value.
    """
    data = np.zeros(starts[-1])
    for j in range(len(offsets) - 1):
        first, size = offsets[j], offsets[j + 1] - offsets[j]
        edge = np.empty((size, size))
        smallest, root = math.inf, 0
        for x in range(size):
            for y in range(size):
                total = 0.0
                for c in range(share.shape[1]):
                    total += (share[first + x, c] - share[first + y, c]) ** 2
                edge[x, y] = scale * math.sqrt(total)
                if edge[x, y] == 0.0:
                    edge[x, y] = least
                if x != y and edge[x, y] < smallest:
                    smallest, root = edge[x, y], x
        path = data[starts[j] : starts[j + 1]].reshape((size, size))
        inside = np.zeros(size, np.bool_)
        parent = np.full(size, root)
        inside[root] = True
        for _ in range(size - 1):
            new = -1
            for y in range(size):
                if not inside[y] and (new < 0 or edge[parent[y], y] < edge[parent[new], new]):
                    new = y
            for z in range(size):
                if inside[z]:
                    path[new, z] = path[z, parent[new]] + edge[parent[new], new]
                    path[z, new] = path[new, z]
            inside[new] = True
            for y in range(size):
                if not inside[y] and edge[new, y] < edge[parent[y], y]:
                    parent[y] = new
    return data
