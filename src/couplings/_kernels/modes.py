"""The loop of k-modes."""

import math

import numpy as np
from numba import njit, prange

from couplings._kernels.copying import copy_to

FREQUENCY, MINIMISER = range(2)


@njit(cache=True)
def _assign_rows(values, first, last, spread, k, labels, own, change):
    """Move the objects `first` to `last` to their nearest modes; enter it into `change`."""
    m = values.shape[1]
    width = spread.shape[1]
    total = np.empty(width)
    change[:] = 0
    for u in range(first, last):
        row = values[u]
        part = spread[row[0]]
        for c in range(width):
            total[c] = part[c]
        j = 1
        # Three attributes per pass over the sums; they are still added one by one.
        while j + 3 <= m:
            p, q, r = spread[row[j]], spread[row[j + 1]], spread[row[j + 2]]
            for c in range(width):
                total[c] = ((total[c] + p[c]) + q[c]) + r[c]
            j += 3
        while j < m:
            p = spread[row[j]]
            for c in range(width):
                total[c] += p[c]
            j += 1
        best = 0
        for c in range(1, k):
            if total[c] < total[best]:
                best = c
        own[u] = total[best]
        old = labels[u]
        if old != best:
            labels[u] = best
            for j in range(m):
                change[best, row[j]] += 1
            if old >= 0:
                for j in range(m):
                    change[old, row[j]] -= 1


@njit(parallel=True)
def _assign_chunks(values, spread, k, labels, own, delta):
    """Move every object to its nearest mode, chunk by chunk."""
    n, n_chunks = len(values), len(delta)
    size = (n + n_chunks - 1) // n_chunks
    for t in prange(n_chunks):
        first, last = t * size, min(n, (t + 1) * size)
        _assign_rows(values, first, last, spread, k, labels, own, delta[t])


@njit
def _assign(values, spread, k, labels, own, delta):
    """Move every object to its nearest mode, the first of several.

    `spread` holds for each value its dissimilarity to the value of every mode, `own` receives the
    distance to the nearest mode. Chunk t of the objects enters its changes of the counts of values
    per cluster into ``delta[t]``. A single chunk starts no threads.
    """
    if len(delta) == 1:
        # of one type with the chunks': the constant 0 would be compiled for, once more
        _assign_rows(values, np.int64(0), len(values), spread, k, labels, own, delta[0])
    else:
        _assign_chunks(values, spread, k, labels, own, delta)


@njit(cache=True)
def _fill_empty(values, labels, own, counts, sizes):
    """Give each empty cluster the object farthest from its mode, out of clusters of several."""
    for c in range(len(sizes)):
        if sizes[c] > 0:
            continue
        taken = -1
        for u in range(len(labels)):
            if sizes[labels[u]] > 1 and (taken < 0 or own[u] > own[taken]):
                taken = u
        for j in range(values.shape[1]):
            counts[labels[taken], values[taken, j]] -= 1
            counts[c, values[taken, j]] += 1
        sizes[labels[taken]] -= 1
        sizes[c] = 1
        labels[taken] = c


@njit(cache=True)
def _update(counts, occurs, data, starts, offsets, rule, modes):
    """Write the global index of the mode of every cluster in every attribute."""
    for c in range(counts.shape[0]):
        for j in range(len(offsets) - 1):
            first, last = offsets[j], offsets[j + 1]
            best = first
            if rule == FREQUENCY:
                for x in range(first, last):
                    if counts[c, x] > counts[c, best]:
                        best = x
            else:
                least = math.inf
                for y in range(first, last):
                    if occurs[y]:
                        cost = _cost(counts[c], data, starts[j], first, last, y)
                        if cost < least:
                            least = cost
                            best = y
            modes[c, j] = best


@njit(inline="always")
def _cost(counts, data, start, first, last, y):
    """Return the summed dissimilarity of counted values of one attribute to its value y."""
    total = 0.0
    for x in range(first, last):
        total += counts[x] * data[start + (x - first) * (last - first) + y - first]
    return total


@njit(cache=True)
def run(values, data, starts, offsets, seeds, rule, max_iter, n_chunks, labels, modes):
    """Run k-modes from the objects `seeds`; return the objective and the number of passes.

    `values` holds the global index of each cell's value, row by row. `labels` and `modes` are
    written.
    """
    n, m = values.shape
    k, n_values = len(seeds), offsets[m]
    width = (k + 3) // 4 * 4
    spread = np.zeros((n_values, width))
    delta = np.empty((n_chunks, k, n_values), np.int64)
    counts = np.zeros((k, n_values), np.int64)
    sizes = np.zeros(k, np.int64)
    own = np.empty(n)
    occurs = np.empty(n_values, np.bool_)
    previous = np.empty(n, labels.dtype)
    labels[:] = -1
    for c in range(k):
        copy_to(values[seeds[c]], modes[c])
    n_iter = 0
    while n_iter < max_iter:
        n_iter += 1
        copy_to(labels, previous)
        for j in range(m):
            size = offsets[j + 1] - offsets[j]
            for x in range(size):
                for c in range(k):
                    y = modes[c, j] - offsets[j]
                    spread[offsets[j] + x, c] = data[starts[j] + x * size + y]
        _assign(values, spread, k, labels, own, delta)
        for t in range(n_chunks):
            counts += delta[t]
        for c in range(k):
            sizes[c] = counts[c, : offsets[1]].sum()
        _fill_empty(values, labels, own, counts, sizes)
        if np.array_equal(previous, labels):
            break
        for x in range(n_values):
            occurs[x] = False
            for c in range(k):
                occurs[x] |= counts[c, x] > 0
        _update(counts, occurs, data, starts, offsets, rule, modes)
    objective = 0.0
    for c in range(k):
        for j in range(m):
            first, last = offsets[j], offsets[j + 1]
            objective += _cost(counts[c], data, starts[j], first, last, modes[c, j])
    return objective, n_iter


@njit(cache=True)
def least_margin(values, data, starts, offsets, modes):
    """Return the least share by which the second nearest mode of an object is farther.

    Equal dissimilarities have none: the order of the modes decides them.
    """
    margin = math.inf
    for u in range(len(values)):
        nearest = second = math.inf
        for c in range(len(modes)):
            distance = 0.0
            for j in range(values.shape[1]):
                size = offsets[j + 1] - offsets[j]
                x, y = values[u, j] - offsets[j], modes[c, j] - offsets[j]
                distance += data[starts[j] + x * size + y]
            if distance < nearest:
                nearest, second = distance, nearest
            elif nearest < distance < second:
                second = distance
        if second - nearest < margin * second:
            margin = (second - nearest) / second
    return margin


@njit(cache=True)
def _spread_mode(data, start, first, last, mode, column):
    """Write the dissimilarities of the values of one attribute to the mode of one cluster."""
    size = last - first
    for x in range(size):
        column[first + x] = data[start + x * size + mode - first]


@njit(cache=True)
def run_online(values, data, starts, offsets, seeds, max_iter, labels, modes):
    """Run k-modes with an update after every move; return the objective and the passes.

    All objects join their nearest start, every cluster takes its most frequent values; then each
    object in turn moves to a mode that is nearer than its own, and both modes follow at once.
    """
    n, m = values.shape
    k, n_values = len(seeds), offsets[m]
    spread = np.empty((k, n_values))
    counts = np.zeros((k, n_values), np.int64)
    sizes = np.zeros(k, np.int64)
    own = np.empty(n)
    for c in range(k):
        copy_to(values[seeds[c]], modes[c])
        for j in range(m):
            _spread_mode(data, starts[j], offsets[j], offsets[j + 1], modes[c, j], spread[c])
    for u in range(n):
        best, own[u] = 0, np.inf
        for c in range(k):
            distance = 0.0
            for j in range(m):
                distance += spread[c, values[u, j]]
            if distance < own[u]:
                best, own[u] = c, distance
        labels[u] = best
        sizes[best] += 1
        for j in range(m):
            counts[best, values[u, j]] += 1
    _fill_empty(values, labels, own, counts, sizes)
    _update(counts, np.ones(n_values, np.bool_), data, starts, offsets, FREQUENCY, modes)
    for c in range(k):
        for j in range(m):
            _spread_mode(data, starts[j], offsets[j], offsets[j + 1], modes[c, j], spread[c])
    n_iter, moves = 0, 1
    while moves > 0 and n_iter < max_iter:
        n_iter += 1
        moves = 0
        for u in range(n):
            source = labels[u]
            if sizes[source] == 1:
                continue
            target, least = source, 0.0
            for j in range(m):
                least += spread[source, values[u, j]]
            for c in range(k):
                distance = 0.0
                for j in range(m):
                    distance += spread[c, values[u, j]]
                if distance < least:
                    target, least = c, distance
            if target == source:
                continue
            moves += 1
            labels[u] = target
            sizes[target] += 1
            sizes[source] -= 1
            for j in range(m):
                x = values[u, j]
                first, last = offsets[j], offsets[j + 1]
                counts[target, x] += 1
                counts[source, x] -= 1
                if counts[target, x] > counts[target, modes[target, j]]:
                    modes[target, j] = x
                    _spread_mode(data, starts[j], first, last, x, spread[target])
                if modes[source, j] == x:
                    best = first
                    for y in range(first, last):
                        if counts[source, y] > counts[source, best]:
                            best = y
                    if counts[source, best] > counts[source, x]:
                        modes[source, j] = best
                        _spread_mode(data, starts[j], first, last, best, spread[source])
    objective = 0.0
    for c in range(k):
        for j in range(m):
            first, last = offsets[j], offsets[j + 1]
            objective += _cost(counts[c], data, starts[j], first, last, modes[c, j])
    return objective, n_iter
