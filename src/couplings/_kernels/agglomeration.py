"""Agglomerative clustering on a condensed distance array."""

import numpy as np
from numba import njit


@njit(cache=True)
def condense(square, out):
    """Copy the upper triangle of a square matrix; return whether the matrix is symmetric."""
    n = square.shape[0]
    symmetric = True
    position = 0
    for i in range(n):
        for j in range(i + 1, n):
            out[position] = square[i, j]
            symmetric &= square[i, j] == square[j, i]
            position += 1
    return symmetric


@njit(cache=True)
def _nearest_later(d, n, active, place, n_active, i):
    """Return the first nearest active object after `i`, which stands at `place`."""
    base = n * i - i * (i + 1) // 2 - i - 1
    least = np.inf
    nearest = -1
    for p in range(place + 1, n_active):
        q = active[p]
        if d[base + q] < least:
            least = d[base + q]
            nearest = q
    return nearest, least


@njit(cache=True)
def merge_nearest(d, n, n_clusters):
    """Merge by Ward's recurrence down to `n_clusters`; `d` is overwritten.

    Each object keeps its first nearest later neighbour. Returns the merges as pairs of objects
    that represent their clusters (the smaller one goes on), and the values of `d` they merge at.
    """
    n_merges = n - n_clusters
    merges = np.empty((n_merges, 2), np.int64)
    heights = np.empty(n_merges)
    size = np.ones(n)
    nearest = np.full(n, -1, np.int64)
    least = np.full(n, np.inf)
    # The active objects in increasing order, so that every pass skips the absorbed ones.
    active = np.arange(n)
    n_active = n
    for i in range(n - 1):
        nearest[i], least[i] = _nearest_later(d, n, active, i, n_active, i)
    for step in range(n_merges):
        i = active[0]
        smallest = least[i]
        for p in range(1, n_active):
            if least[active[p]] < smallest:
                i = active[p]
                smallest = least[i]
        j = nearest[i]
        merges[step, 0] = i
        merges[step, 1] = j
        heights[step] = smallest
        kept = 0
        for p in range(n_active):
            active[kept] = active[p]
            kept += active[p] != j
        n_active = kept

        size_i, size_j = size[i], size[j]
        base_i = n * i - i * (i + 1) // 2 - i - 1
        base_j = n * j - j * (j + 1) // 2 - j - 1
        nearest[i] = -1
        least[i] = np.inf
        for p in range(n_active):
            q = active[p]
            if q == i:
                continue
            base_q = n * q - q * (q + 1) // 2 - q - 1
            at_i = base_q + i if q < i else base_i + q
            at_j = base_q + j if q < j else base_j + q
            size_q = size[q]
            updated = (
                (size_i + size_q) * d[at_i] + (size_j + size_q) * d[at_j] - size_q * smallest
            ) / (size_i + size_j + size_q)
            d[at_i] = updated
            if q > i:
                if updated < least[i]:
                    least[i] = updated
                    nearest[i] = q
            elif updated < least[q]:
                least[q] = updated
                nearest[q] = i
        size[i] += size_j
        for p in range(n_active):
            q = active[p]
            if nearest[q] == i or nearest[q] == j:
                nearest[q], least[q] = _nearest_later(d, n, active, p, n_active, q)
    return merges, heights


@njit(cache=True)
def linkage_rows(merges, heights, n):
    """Number the clusters of pairs of representatives as scipy does: new ones from n on."""
    rows = np.empty((len(merges), 4))
    number = np.arange(n)
    size = np.ones(n)
    for step in range(len(merges)):
        i, j = merges[step]
        rows[step, 0] = min(number[i], number[j])
        rows[step, 1] = max(number[i], number[j])
        rows[step, 2] = heights[step]
        size[i] += size[j]
        rows[step, 3] = size[i]
        number[i] = n + step
    return rows


@njit(cache=True)
def cut(rows, n, n_clusters):
    """Label the objects after the first n - n_clusters merges, in order of first appearance."""
    parent = np.arange(2 * n)
    for step in range(n - n_clusters):
        parent[int(rows[step, 0])] = n + step
        parent[int(rows[step, 1])] = n + step
    # A cluster is numbered after its members, so roots are known when walking down.
    for node in range(2 * n - 1, -1, -1):
        parent[node] = parent[parent[node]]
    label_of = np.full(2 * n, -1)
    labels = np.empty(n, np.int64)
    n_labels = 0
    for i in range(n):
        if label_of[parent[i]] < 0:
            label_of[parent[i]] = n_labels
            n_labels += 1
        labels[i] = label_of[parent[i]]
    return labels
