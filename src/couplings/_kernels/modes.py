"""k-modes: spread starts, the iterations, and single passes over some rows of a table."""

import math

import numpy as np
from numba import njit, prange, uint32

from couplings._kernels.intrinsics import copy_to, row_sums_8, row_sums_16

FREQUENCY, MINIMISER, SHARED = range(3)

# Gains below this share of the objective are rounding.
_NOISE = 1e-12


TILE = 64
LANES = 8


def width(k):
    """Return the number of columns of the spread of k modes: k plus padding."""
    return -(-k // LANES) * LANES


@njit(nogil=True, cache=True)
def nearest_modes(codes, offsets, spread, k, labels, own, counts):
    """Write the nearest mode of each row, ties to the first, and its dissimilarity."""
    # `spread` holds each value's dissimilarity to that of every mode, in ``width(k)`` columns,
    # summed from first to last attribute. The rows are added to `counts` unless it is None. One
    # thread, without the GIL: threads of its own would spin while the next rows are read.
    n, m = codes.shape
    columns = spread.shape[1]
    flat = spread.ravel()
    # Position of each cell's value in the flat spread, attribute by attribute.
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
            # Written as a selection, since the processor could not predict a branch.
            for c in range(1, k):
                here = total[c]
                best = c if here < least else best
                least = here if here < least else least
            labels[first + u] = best
            own[first + u] = least
            nearest[u] = best
        if counts is not None:
            counted = counts.ravel()
            for j in range(m):
                row = places[j * TILE : j * TILE + size]
                for u in range(size):
                    counted[row[u] + nearest[u]] += 1


# A kernel that others call is compiled for itself and again within each of them; what is called at
# one place of k-modes is therefore inlined.
@njit(inline="always")
def _assign_rows(values, weights, spread, k, offsets, previous, labels, own, change):
    """Move objects to their nearest modes; add what changes to `change`."""
    # Global values need no `offsets`: they are 0.
    nearest_modes(values, offsets, spread, k, labels, own, None)
    for u in range(len(values)):
        old, new = previous[u], labels[u]
        if old != new:
            for j in range(values.shape[1]):
                x = values[u, j]
                change[new, x] += weights[u]
                if old >= 0:
                    change[old, x] -= weights[u]


@njit(parallel=True)
def _assign_chunks(values, weights, spread, k, offsets, previous, labels, own, delta, counts):
    """Move every object to its nearest mode, chunk by chunk; chunk t writes to ``delta[t]``."""
    n, n_chunks = len(values), len(delta)
    size = (n + n_chunks - 1) // n_chunks
    for t in prange(n_chunks):
        first, last = t * size, min(n, (t + 1) * size)
        delta[t] = 0
        _assign_rows(
            values[first:last], weights[first:last], spread, k, offsets, previous[first:last],
            labels[first:last], own[first:last], delta[t],
        )  # fmt: skip
    for t in range(n_chunks):
        counts += delta[t]


@njit(inline="always")
def _fill_empty(values, weights, labels, own, counts, sizes):
    """Give each empty cluster the object farthest from its mode among clusters of several."""
    # If all objects equal their modes, it stays empty, so that equal objects stay together.
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


@njit(inline="always")
def mode(count, first, last):
    """Return the most frequent value; ties go to the smallest."""
    best = first
    for x in range(first + 1, last):
        if count[x] > count[best]:
            best = x
    return best


@njit(inline="always")
def _update(counts, sizes, data, starts, offsets, rule, modes):
    """Write the global index of every mode; a cluster without objects keeps its mode."""
    for j in range(len(offsets) - 1):
        first, last = offsets[j], offsets[j + 1]
        for c in range(len(counts)):
            if sizes[c] == 0:
                continue
            if rule != MINIMISER:
                modes[c, j] = mode(counts[c], first, last)
                continue
            least = math.inf
            for y in range(first, last):
                b = 0
                while b < len(counts) and counts[b, y] == 0:
                    b += 1
                if b < len(counts):
                    cost = _cost(counts, c, data, starts[j], first, last, y)
                    if cost < least:
                        least = cost
                        modes[c, j] = y


@njit(cache=True)
def update(counts, sizes, data, starts, offsets, rule, modes):
    """Write the global index of every mode; a cluster without objects keeps its mode."""
    _update(counts, sizes, data, starts, offsets, rule, modes)


@njit(inline="always")
def _cost(counts, c, data, start, first, last, y):
    """Return the summed dissimilarity of the values of cluster c in one attribute to value y."""
    total = 0.0
    for x in range(first, last):
        total += counts[c, x] * data[start + (x - first) * (last - first) + y - first]
    return total


@njit(inline="always")
def _summed_cost(counts, data, starts, offsets, modes):
    """Return the summed dissimilarity of counted values to the modes of their clusters."""
    total = 0.0
    for c in range(len(counts)):
        for j in range(len(offsets) - 1):
            first, last = offsets[j], offsets[j + 1]
            total += _cost(counts, c, data, starts[j], first, last, modes[c, j])
    return total


@njit(cache=True)
def summed_cost(counts, data, starts, offsets, modes):
    """Return the summed dissimilarity of counted values to the modes of their clusters."""
    return _summed_cost(counts, data, starts, offsets, modes)


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
def _spread_all(data, starts, offsets, modes, spread):
    """Write the dissimilarities of all values to the modes of all clusters, a column each."""
    for j in range(modes.shape[1]):
        size = offsets[j + 1] - offsets[j]
        for x in range(size):
            for c in range(len(modes)):
                spread[offsets[j] + x, c] = data[starts[j] + x * size + modes[c, j] - offsets[j]]


@njit(inline="always")
def _summed(spread, row):
    """Return the sum of the spread over the values of a row, first to last."""
    total = 0.0
    for j in range(len(row)):
        total += spread[row[j]]
    return total


@njit(cache=True)
def _kept(costs, n_iter, cost):
    """Return the costs with one more at index `n_iter`, in an array that is large enough."""
    if n_iter >= len(costs):
        longer = np.empty(2 * n_iter)
        copy_to(costs, longer)
        costs = longer
    costs[n_iter] = cost
    return costs


@njit(cache=True)
def run(
    values, weights, data, starts, offsets, rule, delta, spread, counts, sizes, own, previous,
    labels, modes, costs, first, no_offsets,
):  # fmt: skip
    """Run passes of k-modes while objects move and `costs` has room; return the number of costs."""
    # The first pass is `first`, 1 or more; before it, labels are -1, and counts and sizes are 0.
    # Returns also whether the last pass moved no object. Under the rule SHARED a match with a mode
    # costs the share of the cluster that has another value. Without `delta` there are no threads,
    # and their code is not compiled. `no_offsets` are m zeros.
    k, m = modes.shape
    for n_iter in range(first, len(costs)):
        for u in range(len(labels)):
            previous[u] = labels[u]
        _spread_all(data, starts, offsets, modes, spread)
        if rule == SHARED:
            for c in range(k):
                if sizes[c] > 0:
                    for j in range(m):
                        x = modes[c, j]
                        spread[x, c] = 1.0 - counts[c, x] / sizes[c]
        if delta is None:
            _assign_rows(values, weights, spread, k, no_offsets, previous, labels, own, counts)
        else:
            _assign_chunks(
                values, weights, spread, k, no_offsets, previous, labels, own, delta, counts
            )
        if n_iter == 1:
            costs[0] = 0.0
            for u in range(len(labels)):
                costs[0] += weights[u] * own[u]
        for c in range(k):
            sizes[c] = 0
            for x in range(offsets[1]):
                sizes[c] += counts[c, x]
        _fill_empty(values, weights, labels, own, counts, sizes)
        moves = False
        for u in range(len(labels)):
            moves |= previous[u] != labels[u]
        if moves:
            _update(counts, sizes, data, starts, offsets, rule, modes)
        if rule == SHARED:
            costs[n_iter] = 0.0
            for c in range(k):
                for j in range(m):
                    f = counts[c, modes[c, j]]
                    if sizes[c] > 0:
                        costs[n_iter] += sizes[c] - f * (f / sizes[c])
        else:
            costs[n_iter] = _summed_cost(counts, data, starts, offsets, modes)
        if not moves:
            return n_iter + 1, True
    return len(costs), False


@njit(cache=True)
def run_online(values, weights, data, starts, offsets, max_iter, labels, modes):
    """Run k-modes with an update of both modes after every move; return the same as `run`."""
    # The clusters are given, with their most frequent values as modes; the caller knows the first
    # cost.
    n, m = values.shape
    k, n_values = len(modes), offsets[m]
    spread = np.empty((k, n_values))
    counts = np.zeros((k, n_values), np.int64)
    sizes = np.zeros(k, np.int64)
    costs = np.empty(16)
    for u in range(n):
        sizes[labels[u]] += weights[u]
        for x in values[u]:
            counts[labels[u], x] += weights[u]
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
    """Return the smallest cost of a cluster after an object joins (negative weight: leaves)."""
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
    """Move single objects while the objective decreases; return the same as `run`."""
    # An object moves where the cost of both clusters, with their best modes, decreases most.
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
    update(counts, sizes, data, starts, offsets, MINIMISER, modes)
    for c in range(k):
        spread_modes(data, starts, offsets, modes[c], spread[c])
    for u in range(n):
        for c in range(k):
            # An object of weight 0 changes nothing, so it joins the nearest mode at the end.
            if weights[u] == 0 and _summed(spread[c], values[u]) < _summed(
                spread[labels[u]], values[u]
            ):
                labels[u] = c
    costs[n_iter] = summed_cost(counts, data, starts, offsets, modes)
    return costs[: n_iter + 1], moves == 0


@njit(cache=True)
def _shift(sums, weight, data, starts, offsets, row):
    """Add the weighted dissimilarities of an object to the sums of a cluster."""
    for j in range(len(row)):
        first, size = offsets[j], offsets[j + 1] - offsets[j]
        start = starts[j] + (row[j] - first) * size
        for y in range(size):
            sums[first + y] += weight * data[start + y]


@njit(cache=True)
def _nearer(values, weights, data, starts, offsets, u, part, nearest, out):
    """Write the distance of each object to the nearest start or `u`; return the weighted sum."""
    for j in range(values.shape[1]):
        size = offsets[j + 1] - offsets[j]
        y = values[u, j] - offsets[j]
        for x in range(size):
            part[offsets[j] + x] = data[starts[j] + x * size + y]
    total = 0.0
    for v in range(len(values)):
        distance = 0.0
        for j in range(values.shape[1]):
            distance += part[values[v, j]]
        out[v] = min(nearest[v], distance)
        total += weights[v] * out[v]
    return total


@njit(cache=True)
def _drawn(distances, weights, total, uniform):
    """Return the object at a share of the summed distances, at most the last with a distance."""
    goal = uniform * total
    last = -1
    for v in range(len(weights)):
        step = weights[v] * distances[v]
        if step > 0.0:
            goal -= step
            last = v
            if goal < 0.0:
                return v
    return last


@njit(inline="always")
def spread_by(nearer, objects, weights, uniforms, part, distances, chosen):
    """Draw objects with probability proportional to the distance to the nearest earlier one."""
    # ``nearer(*objects, u, part, nearest, out)`` writes the distances to the nearest start or u.
    # Of the candidates of a step (columns of `uniforms`) the one with the smallest sum of distances
    # is taken. Once all distances are 0, the first objects follow. Weight w means w equal objects.
    # `part` (L,) and `distances` (3, n) are room.
    k, n_candidates = uniforms.shape
    nearest, trial, best = distances[0], distances[1], distances[2]
    mass = 0
    for v in range(len(weights)):
        trial[v] = 1.0
        nearest[v] = math.inf
        mass += weights[v]
    chosen[0] = _drawn(trial, weights, float(mass), uniforms[0, 0])
    total = nearer(*objects, chosen[0], part, nearest, best)
    nearest, best = best, nearest
    for c in range(1, k):
        if not total > 0.0:
            v, b = 0, 0
            while b < c:
                # from the beginning again, for the next object
                b = 0
                while b < c and chosen[b] != v:
                    b += 1
                v += b < c
            chosen[c] = v
            continue
        least = math.inf
        for t in range(n_candidates):
            u = _drawn(nearest, weights, total, uniforms[c, t])
            left = nearer(*objects, u, part, nearest, trial)
            if left < least:
                least = left
                chosen[c] = u
                trial, best = best, trial
        nearest, best = best, nearest
        total = least


@njit(cache=True)
def spread_start(values, weights, data, starts, offsets, uniforms, part, distances, chosen):
    """Draw objects by `spread_by`; the distance is the sum of the value dissimilarities."""
    objects = (values, weights, data, starts, offsets)
    spread_by(_nearer, objects, weights, uniforms, part, distances, chosen)
