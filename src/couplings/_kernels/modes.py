"""k-modes: starts that lie apart, the loop, and one pass over some rows of a table."""

import math

import numpy as np
from numba import njit, prange, uint32

from couplings._kernels.intrinsics import copy_to, row_sums_8, row_sums_16

FREQUENCY, MINIMISER, SHARED = range(3)

# Gains below this share of the objective are rounding.
_NOISE = 1e-12


@njit(cache=True)
def _assign_rows(values, weights, first, last, spread, k, labels, own, change):
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
            weight = weights[u]
            for j in range(m):
                change[best, row[j]] += weight
            if old >= 0:
                for j in range(m):
                    change[old, row[j]] -= weight


@njit(parallel=True)
def _assign_chunks(values, weights, spread, k, labels, own, delta):
    """Move every object to its nearest mode, chunk by chunk."""
    n, n_chunks = len(values), len(delta)
    size = (n + n_chunks - 1) // n_chunks
    for t in prange(n_chunks):
        first, last = t * size, min(n, (t + 1) * size)
        _assign_rows(values, weights, first, last, spread, k, labels, own, delta[t])


@njit
def _assign(values, weights, spread, k, labels, own, delta):
    """Move every object to its nearest mode, the first of several.

    `spread` holds for each value its dissimilarity to the value of every mode, `own` receives the
    distance to the nearest mode. Chunk t of the objects enters its changes of the counts of values
    per cluster into ``delta[t]``. A single chunk starts no threads.
    """
    if len(delta) == 1:
        # of one type with the chunks': the constant 0 would be compiled for, once more
        _assign_rows(values, weights, np.int64(0), len(values), spread, k, labels, own, delta[0])
    else:
        _assign_chunks(values, weights, spread, k, labels, own, delta)


@njit(cache=True)
def _fill_empty(values, weights, labels, own, counts, sizes):
    """Give each empty cluster the object farthest from its mode, out of clusters of several.

    Where all objects equal their modes it stays empty, so that equal objects stay together.
    """
    for c in range(len(sizes)):
        if sizes[c] > 0:
            continue
        taken, farthest = -1, 0.0
        for u in range(len(labels)):
            if own[u] > farthest and sizes[labels[u]] > weights[u] > 0:
                taken, farthest = u, own[u]
        if taken < 0:
            continue
        weight = weights[taken]
        for j in range(values.shape[1]):
            counts[labels[taken], values[taken, j]] -= weight
            counts[c, values[taken, j]] += weight
        sizes[labels[taken]] -= weight
        sizes[c] = weight
        labels[taken] = c


@njit(cache=True)
def mode(count, first, last):
    """Return the most frequent value, the smallest of several."""
    best = first
    for x in range(first + 1, last):
        if count[x] > count[best]:
            best = x
    return best


@njit(cache=True)
def _update(counts, occurs, data, starts, offsets, rule, modes):
    """Write the global index of the mode of every cluster in every attribute.

    That of a cluster without objects stays as it is.
    """
    for c in range(counts.shape[0]):
        if not counts[c, : offsets[1]].any():
            continue
        for j in range(len(offsets) - 1):
            first, last = offsets[j], offsets[j + 1]
            best = mode(counts[c], first, last)
            if rule == MINIMISER:
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
def summed_cost(counts, data, starts, offsets, modes):
    """Return the summed dissimilarity of counted values to the modes of their clusters."""
    total = 0.0
    for c in range(len(counts)):
        for j in range(len(offsets) - 1):
            first, last = offsets[j], offsets[j + 1]
            total += _cost(counts[c], data, starts[j], first, last, modes[c, j])
    return total


@njit(cache=True)
def _spread_mode(data, start, first, last, mode, column):
    """Write the dissimilarities of the values of one attribute to the mode of one cluster."""
    size = last - first
    for x in range(size):
        column[first + x] = data[start + x * size + mode - first]


@njit(cache=True)
def spread_modes(data, starts, offsets, modes, column):
    """Write the dissimilarities of all values to the modes of one cluster."""
    for j in range(len(modes)):
        _spread_mode(data, starts[j], offsets[j], offsets[j + 1], modes[j], column)


@njit(inline="always")
def _summed(spread, row):
    """Return the sum of what is spread over the values of a row, first to last."""
    total = 0.0
    for j in range(len(row)):
        total += spread[row[j]]
    return total


@njit(cache=True)
def _shared_spread(counts, offsets, modes, spread):
    """Let a match with a mode cost the share of the cluster that lacks the value, not nothing."""
    for c in range(len(modes)):
        size = counts[c, : offsets[1]].sum()
        if size > 0:
            for x in modes[c]:
                spread[x, c] = 1.0 - counts[c, x] / size


@njit(cache=True)
def _shared_cost(counts, offsets, modes):
    """Return the sum of the costs of `_shared_spread`."""
    total = 0.0
    for c in range(len(modes)):
        size = counts[c, : offsets[1]].sum()
        if size > 0:
            for x in modes[c]:
                total += size - counts[c, x] * (counts[c, x] / size)
    return total


@njit(cache=True)
def _start_cost(weights, own):
    """Return the summed distances of the objects to the modes of the start."""
    total = 0.0
    for u in range(len(own)):
        total += weights[u] * own[u]
    return total


@njit(cache=True)
def _kept(costs, n_iter, cost):
    """Return the costs with one more at place `n_iter`, in an array that is long enough."""
    if n_iter >= len(costs):
        longer = np.empty(2 * n_iter)
        longer[:n_iter] = costs
        costs = longer
    costs[n_iter] = cost
    return costs


@njit(cache=True)
def run(
    values, weights, data, starts, offsets, rule, max_iter, n_chunks, labels, modes
):  # fmt: skip
    """Run k-modes from the start modes; return the costs of start and passes, and whether it ended.

    `values` holds the global index of each cell's value, row by row. `labels` and `modes` are
    written. With the rule SHARED the dissimilarity to a mode is that of `_shared_spread`.
    """
    n, m = values.shape
    k, n_values = len(modes), offsets[m]
    columns = (k + 3) // 4 * 4
    spread = np.zeros((n_values, columns))
    delta = np.empty((n_chunks, k, n_values), np.int64)
    counts = np.zeros((k, n_values), np.int64)
    sizes = np.zeros(k, np.int64)
    own = np.empty(n)
    occurs = np.empty(n_values, np.bool_)
    previous = np.empty(n, labels.dtype)
    costs = np.empty(16)
    labels[:] = -1
    n_iter, moves = 0, True
    while moves and n_iter < max_iter:
        n_iter += 1
        copy_to(labels, previous)
        for c in range(k):
            spread_modes(data, starts, offsets, modes[c], spread[:, c])
        if rule == SHARED:
            _shared_spread(counts, offsets, modes, spread)
        _assign(values, weights, spread, k, labels, own, delta)
        if n_iter == 1:
            costs[0] = _start_cost(weights, own)
        for t in range(n_chunks):
            counts += delta[t]
        for c in range(k):
            sizes[c] = counts[c, : offsets[1]].sum()
        _fill_empty(values, weights, labels, own, counts, sizes)
        moves = not np.array_equal(previous, labels)
        if moves:
            for x in range(n_values):
                occurs[x] = False
                for c in range(k):
                    occurs[x] |= counts[c, x] > 0
            _update(counts, occurs, data, starts, offsets, rule, modes)
        if rule == SHARED:
            cost = _shared_cost(counts, offsets, modes)
        else:
            cost = summed_cost(counts, data, starts, offsets, modes)
        costs = _kept(costs, n_iter, cost)
    return costs[: n_iter + 1], not moves


@njit(cache=True)
def least_margin(values, data, starts, offsets, modes):
    """Return the least share by which the second nearest mode of an object is farther.

    Equal dissimilarities have none: the order of the modes decides them.
    """
    margin = math.inf
    spread = np.empty((len(modes), offsets[-1]))
    for c in range(len(modes)):
        spread_modes(data, starts, offsets, modes[c], spread[c])
    for u in range(len(values)):
        nearest = second = math.inf
        for c in range(len(modes)):
            distance = _summed(spread[c], values[u])
            if distance < nearest:
                nearest, second = distance, nearest
            elif nearest < distance < second:
                second = distance
        if second - nearest < margin * second:
            margin = (second - nearest) / second
    return margin


@njit(cache=True)
def _first_clusters(values, weights, data, starts, offsets, labels, modes, counts, sizes, spread):
    """Let all objects join the nearest start mode, the first of several; return their distances.

    `counts`, `sizes` and the most frequent values as `modes` follow.
    """
    k = len(modes)
    own = np.empty(len(values))
    for c in range(k):
        spread_modes(data, starts, offsets, modes[c], spread[c])
    for u in range(len(values)):
        best, own[u] = 0, np.inf
        for c in range(k):
            distance = _summed(spread[c], values[u])
            if distance < own[u]:
                best, own[u] = c, distance
        labels[u] = best
        sizes[best] += weights[u]
        for x in values[u]:
            counts[best, x] += weights[u]
    cost = _start_cost(weights, own)
    _fill_empty(values, weights, labels, own, counts, sizes)
    _update(counts, np.ones(offsets[-1], np.bool_), data, starts, offsets, FREQUENCY, modes)
    return cost


@njit(cache=True)
def run_online(values, weights, data, starts, offsets, max_iter, labels, modes):
    """Run k-modes with an update after every move; return what `run` returns.

    All objects join their nearest start, every cluster takes its most frequent values; then each
    object in turn moves to a mode that is nearer than its own, and both modes follow at once.
    """
    n, m = values.shape
    k, n_values = len(modes), offsets[m]
    spread = np.empty((k, n_values))
    counts = np.zeros((k, n_values), np.int64)
    sizes = np.zeros(k, np.int64)
    costs = np.empty(16)
    costs[0] = _first_clusters(
        values, weights, data, starts, offsets, labels, modes, counts, sizes, spread
    )
    for c in range(k):
        spread_modes(data, starts, offsets, modes[c], spread[c])
    n_iter, moves = 0, 1
    while moves > 0 and n_iter < max_iter:
        n_iter += 1
        moves = 0
        for u in range(n):
            source, weight = labels[u], weights[u]
            if sizes[source] == weight:
                continue
            target, least = source, _summed(spread[source], values[u])
            for c in range(k):
                distance = _summed(spread[c], values[u])
                if distance < least:
                    target, least = c, distance
            if target == source:
                continue
            moves += 1
            labels[u] = target
            sizes[target] += weight
            sizes[source] -= weight
            for j in range(m):
                x = values[u, j]
                first, last = offsets[j], offsets[j + 1]
                counts[target, x] += weight
                counts[source, x] -= weight
                if counts[target, x] > counts[target, modes[target, j]]:
                    modes[target, j] = x
                    _spread_mode(data, starts[j], first, last, x, spread[target])
                if modes[source, j] == x:
                    best = mode(counts[source], first, last)
                    if counts[source, best] > counts[source, x]:
                        modes[source, j] = best
                        _spread_mode(data, starts[j], first, last, best, spread[source])
        costs = _kept(costs, n_iter, summed_cost(counts, data, starts, offsets, modes))
    return costs[: n_iter + 1], moves == 0


@njit(cache=True)
def _least_sum(sums, weight, data, starts, offsets, row, occurs):
    """Return the least cost of a cluster once an object of this weight has joined it.

    `sums` holds the summed dissimilarity of the cluster to every value; a negative weight leaves.
    """
    total = 0.0
    for j in range(len(row)):
        first, size = offsets[j], offsets[j + 1] - offsets[j]
        start = starts[j] + (row[j] - first) * size
        least = math.inf
        for y in range(size):
            if occurs[first + y]:
                least = min(least, sums[first + y] + weight * data[start + y])
        total += least
    return total


@njit(cache=True)
def run_hartigan(values, weights, data, starts, offsets, max_iter, labels, modes):
    """Move single objects from given clusters while the objective falls; return what `run` returns.

    Each object in turn goes where the costs of its old and its new cluster, both with their best
    modes, fall most. The costs begin with that of the best modes of the given clusters.
    """
    n, m = values.shape
    k, n_values = len(modes), offsets[m]
    counts, sizes = np.zeros((k, n_values), np.int64), np.zeros(k, np.int64)
    sums, spread = np.zeros((k, n_values)), np.empty((k, n_values))
    occurs = np.zeros(n_values, np.bool_)
    own = np.zeros(k)
    for u in range(n):
        sizes[labels[u]] += weights[u]
        for x in values[u]:
            occurs[x] = True
            counts[labels[u], x] += weights[u]
        _shift(sums[labels[u]], weights[u], data, starts, offsets, values[u])
    for c in range(k):
        own[c] = _least_sum(sums[c], np.int64(0), data, starts, offsets, values[0], occurs)
    costs = np.empty(16)
    costs[0] = own.sum()
    n_iter, moves = 0, 1
    while moves > 0 and n_iter < max_iter:
        n_iter += 1
        moves = 0
        for u in range(n):
            source, weight, row = labels[u], weights[u], values[u]
            if sizes[source] == weight or weight == 0:
                continue
            left = _least_sum(sums[source], -weight, data, starts, offsets, row, occurs)
            saved = own[source] - left
            target, least, joined = source, saved - _NOISE * own.sum(), 0.0
            for c in range(k):
                if c != source:
                    cost = _least_sum(sums[c], weight, data, starts, offsets, row, occurs)
                    if cost - own[c] < least:
                        target, least, joined = c, cost - own[c], cost
            if target == source:
                continue
            moves += 1
            labels[u] = target
            sizes[target] += weight
            sizes[source] -= weight
            own[source], own[target] = left, joined
            _shift(sums[source], -weight, data, starts, offsets, row)
            _shift(sums[target], weight, data, starts, offsets, row)
            for x in row:
                counts[source, x] -= weight
                counts[target, x] += weight
        costs = _kept(costs, n_iter, own.sum())
    _update(counts, occurs, data, starts, offsets, MINIMISER, modes)
    for c in range(k):
        spread_modes(data, starts, offsets, modes[c], spread[c])
    for u in range(n):
        for c in range(k):
            # An object without weight moves nothing, so it joins the nearest mode at the end.
            if weights[u] == 0 and _summed(spread[c], values[u]) < _summed(
                spread[labels[u]], values[u]
            ):
                labels[u] = c
    costs[n_iter] = summed_cost(counts, data, starts, offsets, modes)
    return costs[: n_iter + 1], moves == 0


@njit(cache=True)
def _shift(sums, weight, data, starts, offsets, row):
    """Add the dissimilarities of an object, so many times, to the sums of a cluster."""
    for j in range(len(row)):
        first, size = offsets[j], offsets[j + 1] - offsets[j]
        start = starts[j] + (row[j] - first) * size
        for y in range(size):
            sums[first + y] += weight * data[start + y]


TILE = 64
LANES = 8


def width(k):
    """Return the number of columns of the spread of k modes: k, and some that are not used."""
    return -(-k // LANES) * LANES


@njit(nogil=True, cache=True)
def nearest_modes(codes, offsets, spread, k, labels, own, counts):
    """Write the nearest mode of each row, and its dissimilarity; count values per mode.

    `spread` holds for each value its dissimilarity to the value of every mode, in the first k of
    ``width(k)`` columns. The sums run from the first attribute to the last, ties go to the first
    mode, as in `run`. The rows are added to `counts`, of the shape of `spread`, if it is not
    empty.

    It runs in one thread, and lets others run beside it: threads of its own would spin while the
    next rows are read.
    """
    n, m = codes.shape
    columns = spread.shape[1]
    flat, counted = spread.ravel(), counts.ravel()
    # Where each cell's value stands in the flat spread, attribute by attribute.
    places = np.empty(m * TILE, np.uint32)
    total = np.empty(columns)
    nearest = np.empty(TILE, np.uint32)
    for first in range(0, n, TILE):
        size = min(n - first, TILE)
        for j in range(m):
            start, step = uint32(offsets[j] * columns), uint32(columns)
            column = codes[first : first + size, j]
            row = places[j * TILE : j * TILE + size]
            for u in range(size):
                row[u] = start + uint32(column[u]) * step
        for u in range(size):
            c = 0
            while c + 16 <= columns:
                row_sums_16(flat, places, u, TILE, m, total, c)
                c += 16
            if c < columns:
                row_sums_8(flat, places, u, TILE, m, total, c)
            best, least = 0, total[0]
            # Written for the processor to select and not to branch, as no guess would hold.
            for c in range(1, k):
                here = total[c]
                best = c if here < least else best
                least = here if here < least else least
            labels[first + u] = best
            own[first + u] = least
            nearest[u] = best
        if len(counted):
            for j in range(m):
                row = places[j * TILE : j * TILE + size]
                for u in range(size):
                    counted[row[u] + nearest[u]] += 1


@njit(cache=True)
def _nearer(values, weights, u, data, starts, offsets, part, nearest, out):
    """Write the distance of every object to the nearest of the earlier starts and `u`.

    Returns the sum.
    """
    spread_modes(data, starts, offsets, values[u], part)
    total = 0.0
    for v in range(len(values)):
        out[v] = min(nearest[v], _summed(part, values[v]))
        total += weights[v] * out[v]
    return total


@njit(cache=True)
def _drawn(nearest, weights, total, uniform):
    """Return the object at a share of the summed distances, the last one with a distance."""
    goal = uniform * total
    last = -1
    for v in range(len(nearest)):
        if weights[v] * nearest[v] > 0.0:
            goal -= weights[v] * nearest[v]
            last = v
            if goal < 0.0:
                return v
    return last


@njit(cache=True)
def spread_start(values, weights, data, starts, offsets, uniforms, chosen):
    """Draw objects, each with probability proportional to its distance to the nearest earlier one.

    Of several candidates per step, one for each column of `uniforms`, the one that leaves the
    least sum of distances is taken. Where no object is at a distance any more, the first objects
    that are not chosen follow. An object of weight w stands for w equal ones.
    """
    n = len(values)
    k, n_candidates = uniforms.shape
    part = np.zeros(offsets[-1])
    nearest = np.full(n, np.inf)
    trial, best = np.empty(n), np.empty(n)
    chosen[0] = _drawn(np.ones(n), weights, float(weights.sum()), uniforms[0, 0])
    total = _nearer(values, weights, chosen[0], data, starts, offsets, part, nearest, best)
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
            u = _drawn(nearest, weights, total, uniforms[c, t])
            left = _nearer(values, weights, u, data, starts, offsets, part, nearest, trial)
            if left < least:
                least = left
                chosen[c] = u
                trial, best = best, trial
        nearest, best = best, nearest
        total = least
