"""Agglomerative clustering on a condensed distance array."""

import numpy as np
from numba import njit

from couplings._kernels.intrinsics import prefetch

# Elements of a column that are asked for ahead: enough to overlap the waits for memory.
AHEAD = 32


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
def _read_row(d, start, active, begin, end, out):
    """Copy the distances of one object, whose row begins at `start`, to later active ones."""
    for p in range(begin, end):
        out[p] = d[start + active[p]]


@njit(cache=True)
def _read_column(d, starts, active, begin, end, i, out):
    """Copy the distances of the object `i` to earlier active ones, each in a row of its own."""
    for p in range(begin, end):
        prefetch(d, starts[active[min(p + AHEAD, end - 1)]] + i)
        out[p] = d[starts[active[p]] + i]


@njit(cache=True)
def _nearest_later(d, start, active, place, n_active):
    """Return the first nearest active object after the one at `place`, and its distance."""
    least = np.inf
    nearest = -1
    for p in range(place + 1, n_active):
        q = active[p]
        if d[start + q] < least:
            least = d[start + q]
            nearest = q
    return nearest, least


@njit(cache=True)
def merge_nearest(d, n, n_clusters):
    """Merge by Ward's recurrence down to `n_clusters`; `d` is overwritten.

    Each object keeps its first nearest later neighbour. Returns the merges as pairs of objects
    that represent their clusters (the smaller one goes on), the values of `d` they merge at, and
    the least margin: the share by which the next pair that a merge rules out, or at the end the
    next merge, is farther. Equal ones have none: the order of the objects decides them.
    """
    n_merges = n - n_clusters
    merges = np.empty((n_merges, 2), np.int64)
    heights = np.empty(n_merges)
    size = np.ones(n)
    nearest = np.full(n, -1, np.int64)
    least = np.full(n, np.inf)
    # The distance of i and a later j stands at starts[i] + j.
    starts = np.empty(n, np.int64)
    # The active objects in increasing order, so that every pass skips the absorbed ones.
    active = np.arange(n)
    n_active = n
    to_i, to_j = np.empty(n), np.empty(n)
    margin = np.inf
    for i in range(n):
        starts[i] = n * i - i * (i + 1) // 2 - i - 1
        nearest[i], least[i] = _nearest_later(d, starts[i], active, i, n)
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
        kept, place_i, place_j = 0, 0, 0
        for p in range(n_active):
            q = active[p]
            if q == i:
                place_i = kept
            elif q == j:
                place_j = kept
            active[kept] = q
            kept += q != j
        n_active = kept

        # First read, then compute, then write: the reads of a column wait for memory together.
        # From place_j on there are the objects after j; nothing reads what stands for i itself.
        _read_column(d, starts, active, 0, place_i, i, to_i)
        _read_column(d, starts, active, 0, place_i, j, to_j)
        _read_row(d, starts[i], active, place_i + 1, n_active, to_i)
        _read_column(d, starts, active, place_i + 1, place_j, j, to_j)
        _read_row(d, starts[j], active, place_j, n_active, to_j)
        rival = np.inf
        for p in range(n_active):
            if smallest < to_i[p] < rival and p != place_i:
                rival = to_i[p]
            if smallest < to_j[p] < rival and p != place_i:
                rival = to_j[p]
        if rival - smallest < margin * rival:
            margin = (rival - smallest) / rival
        size_i, size_j = size[i], size[j]
        for p in range(n_active):
            size_q = size[active[p]]
            to_i[p] = (
                (size_i + size_q) * to_i[p] + (size_j + size_q) * to_j[p] - size_q * smallest
            ) / (size_i + size_j + size_q)
        size[i] += size_j

        for p in range(place_i):
            q = active[p]
            d[starts[q] + i] = to_i[p]
            if to_i[p] < least[q]:
                least[q] = to_i[p]
                nearest[q] = i
        nearest[i] = -1
        least[i] = np.inf
        for p in range(place_i + 1, n_active):
            q = active[p]
            d[starts[i] + q] = to_i[p]
            if to_i[p] < least[i]:
                least[i] = to_i[p]
                nearest[i] = q
        for p in range(n_active):
            q = active[p]
            if nearest[q] == i or nearest[q] == j:
                nearest[q], least[q] = _nearest_later(d, starts[q], active, p, n_active)
    if n_merges > 0 and n_clusters > 1:
        rival = np.inf
        for p in range(n_active):
            if heights[-1] < least[active[p]] < rival:
                rival = least[active[p]]
        if rival - heights[-1] < margin * rival:
            margin = (rival - heights[-1]) / rival
    return merges, heights, margin


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
