"""Lloyd's k-means over weighted rows, and squared distances also used by value embeddings."""

import numpy as np
from numba import njit, prange

from couplings._kernels.intrinsics import copy_to
from couplings._kernels.threads import twins

# Share by which bounds are loosened, many times the possible rounding.
MARGIN = 1e-9
# Number of clusters from which a bound per centre pays off, and largest number of bounds.
FEW = 4
MOST = 1 << 23


@njit(cache=True)
def squared_distance(a, b):
    """Return the squared Euclidean distance, as four parallel sums in a fixed order."""
    s0 = s1 = s2 = s3 = 0.0
    d = len(a)
    whole = d - d % 4
    for i in range(0, whole, 4):
        t0 = a[i] - b[i]
        t1 = a[i + 1] - b[i + 1]
        t2 = a[i + 2] - b[i + 2]
        t3 = a[i + 3] - b[i + 3]
        s0 += t0 * t0
        s1 += t1 * t1
        s2 += t2 * t2
        s3 += t3 * t3
    for i in range(whole, d):
        t0 = a[i] - b[i]
        s0 += t0 * t0
    return (s0 + s1) + (s2 + s3)


@njit(cache=True)
def squared_distances(vectors, offsets, starts):
    """Return the squared distances between the vectors of each attribute, block after block."""
    data = np.zeros(starts[-1])
    for j in range(len(offsets) - 1):
        size = offsets[j + 1] - offsets[j]
        for x in range(size):
            for y in range(x):
                value = squared_distance(vectors[offsets[j] + x], vectors[offsets[j] + y])
                data[starts[j] + x * size + y] = value
                data[starts[j] + y * size + x] = value
    return data


@njit(cache=True)
def _pick(cumulative, uniform):
    """Return the index that a number in [0, 1) selects from cumulative masses."""
    target = uniform * cumulative[-1]
    index = min(np.searchsorted(cumulative, target, side="right"), len(cumulative) - 1)
    # The product can round up to the total, beyond which all rows have mass 0.
    while index > 0 and cumulative[index] == cumulative[index - 1]:
        index -= 1
    return index


@njit(cache=True)
def spread_start(rows, weights, uniforms, chosen):
    """Choose rows by squared distance to earlier ones, as the best of several candidates."""
    # `uniforms` has shape (clusters, candidates); one candidate per step is k-means++.
    n = len(rows)
    cumulative = np.cumsum(weights.astype(np.float64))
    chosen[0] = _pick(cumulative, uniforms[0, 0])
    nearest = np.empty(n)
    for i in range(n):
        nearest[i] = squared_distance(rows[i], rows[chosen[0]])
    trial, best = np.empty(n), np.empty(n)
    for c in range(1, len(chosen)):
        total = 0.0
        for i in range(n):
            total += weights[i] * nearest[i]
            cumulative[i] = total
        if total == 0.0:
            # Every row equals a chosen one.
            cumulative = np.cumsum(weights.astype(np.float64))
        least = np.inf
        for t in range(uniforms.shape[1]):
            candidate = _pick(cumulative, uniforms[c, t])
            potential = 0.0
            for i in range(n):
                trial[i] = min(nearest[i], squared_distance(rows[i], rows[candidate]))
                potential += weights[i] * trial[i]
            if potential < least:
                least = potential
                chosen[c] = candidate
                best, trial = trial, best
        nearest, best = best, nearest


@twins()
def spread_starts(rows, weights, uniforms, chosen):
    """Choose the initial rows of each run."""
    for run in prange(len(uniforms)):
        spread_start(rows, weights, uniforms[run], chosen[run])


@njit(cache=True)
def assign(rows, centers, labels, upper, rival, lower):
    """Give each row its (first) nearest centre; return the smallest margin."""
    # A margin is the relative difference of the squared distances to the nearest and second nearest
    # centre; ties have none: the order of the centres decides them. Also initialises the bounds of
    # `_assign_again`: `upper`, the distance to the own centre, `rival`, another near one, and
    # `lower`, if it has rows, the distances to all centres.
    bounded = len(lower) > 0
    margin = np.inf
    for i in range(len(rows)):
        best, nearest, second, other = 0, np.inf, np.inf, 0
        for c in range(len(centers)):
            distance = squared_distance(rows[i], centers[c])
            if bounded:
                lower[i, c] = np.sqrt(distance)
            if distance < nearest:
                best, nearest, second, other = c, distance, nearest, best
            elif nearest < distance < second:
                second, other = distance, c
        labels[i] = best
        upper[i] = np.sqrt(nearest)
        rival[i] = other
        if second - nearest < margin * second:
            margin = (second - nearest) / second
    return margin


@njit(cache=True)
def _assign_again(
    rows, centers, moved, total, labels, upper, others, rival, lower, margin, touched
):
    """Repeat `assign` after the centres have moved, with the same labels but fewer distances."""
    # Rounding is far smaller than the slack of the bounds. ``others[i]``, below all distances but
    # the own one, decreases by the largest movement of those centres (Hamerly, SDM 2010);
    # ``upper[i]``, above the own distance, increases by the movement of the own centre. If the own
    # centre is not nearer, distances are computed to centres that ``lower[i, c]``, an earlier
    # distance plus the movement until then, allows to be among the nearest two (Elkan, ICML 2003);
    # `total` is the movement until now. Marks changed clusters in `touched`; returns whether a
    # label changed, and the margin.
    bounded = len(lower) > 0
    farthest, first, second = -1, 0.0, 0.0
    for c in range(len(centers)):
        if moved[c] > first:
            farthest, first, second = c, moved[c], first
        elif moved[c] > second:
            second = moved[c]
    changed = False
    for i in range(len(rows)):
        own = labels[i]
        step = second if own == farthest else first
        others[i] = others[i] * (1.0 - MARGIN) - step * (1.0 + MARGIN)
        upper[i] = (upper[i] + moved[own]) * (1.0 + MARGIN)
        if upper[i] < others[i] * (1.0 - MARGIN):
            continue
        nearest = squared_distance(rows[i], centers[own])
        upper[i] = np.sqrt(nearest)
        if upper[i] < others[i] * (1.0 - MARGIN):
            continue
        if bounded:
            lower[i, own] = upper[i] + total[own]
        best, next_nearest, farther = own, np.inf, np.inf
        reach, other = np.inf, rival[i]
        # the rival first, since it rules out most other centres
        for t in range(-1, len(centers)):
            c = rival[i] if t < 0 else t
            if c == own or (t >= 0 and c == rival[i]):
                continue
            if bounded and lower[i, c] * (1.0 - MARGIN) - total[c] * (1.0 + MARGIN) > reach:
                continue
            distance = squared_distance(rows[i], centers[c])
            if bounded:
                lower[i, c] = np.sqrt(distance) + total[c]
            if distance < nearest:
                best, nearest, next_nearest, farther, other = c, distance, nearest, nearest, best
            else:
                if distance == nearest:
                    best = min(best, c)
                if distance < next_nearest:
                    next_nearest = distance
                if nearest < distance < farther:
                    farther, other = distance, c
            reach = np.sqrt(farther) * (1.0 + MARGIN)
        rival[i] = other
        upper[i] = np.sqrt(nearest)
        others[i] = np.sqrt(next_nearest)
        if farther - nearest < margin * farther:
            margin = (farther - nearest) / farther
        if own != best:
            labels[i] = best
            changed = touched[own] = touched[best] = True
    return changed, margin


@njit(cache=True)
def _to_own(rows, centers, labels, distances):
    """Write the squared distance of each row to its own centre."""
    for i in range(len(rows)):
        distances[i] = squared_distance(rows[i], centers[labels[i]])


@njit(cache=True)
def _add_up(rows, weights, labels, touched, sums, sizes):
    """Sum the rows of each touched cluster, in order, and count its objects."""
    for c in range(len(touched)):
        if touched[c]:
            sums[c] = 0.0
            sizes[c] = 0
    for i in range(len(rows)):
        own = labels[i]
        if touched[own]:
            sizes[own] += weights[i]
            weight, row, total = float(weights[i]), rows[i], sums[own]
            for t in range(len(row)):
                total[t] += weight * row[t]


@njit(cache=True)
def _fill_empty(rows, weights, labels, distances, others, sums, sizes):
    """Give each empty cluster the object farthest from its centre that is not alone."""
    # A row of weight w > 0 represents w objects, of which only one moves.
    for c in range(len(sizes)):
        if sizes[c] > 0:
            continue
        farthest, largest = -1, 0.0
        for i in range(len(rows)):
            if distances[i] > largest and sizes[labels[i]] > 1 and weights[i] > 0:
                farthest, largest = i, distances[i]
        if farthest < 0:
            continue
        donor = labels[farthest]
        for t in range(rows.shape[1]):
            sums[donor, t] -= rows[farthest, t]
        sizes[donor] -= 1
        copy_to(rows[farthest], sums[c])
        sizes[c] = 1
        if weights[farthest] == 1:
            labels[farthest] = c
            others[farthest] = 0.0
        for i in range(len(rows)):
            distances[i] = min(distances[i], squared_distance(rows[i], rows[farthest]))


@njit(cache=True)
def lloyd(rows, weights, centers, max_iter, labels):
    """Update the centres until no label changes; return inertia, updates and smallest margin."""
    # The labels belong to the returned centres; the margin covers all assignments.
    n, d = rows.shape
    k = len(centers)
    distances = np.empty(n)
    upper, others = np.empty(n), np.zeros(n)
    rival = np.empty(n, np.int64)
    lower = np.empty((n if FEW <= k <= MOST // n else 0, k))
    moved, total = np.empty(k), np.zeros(k)
    touched = np.ones(k, np.bool_)
    sums = np.empty((k, d))
    sizes = np.empty(k, np.int64)
    margin = assign(rows, centers, labels, upper, rival, lower)
    n_iter = 0
    while n_iter < max_iter:
        # the sums of a cluster with unchanged rows stay the same
        _add_up(rows, weights, labels, touched, sums, sizes)
        emptied = sizes.min() == 0
        if emptied:
            _to_own(rows, centers, labels, distances)
            _fill_empty(rows, weights, labels, distances, others, sums, sizes)
        for c in range(k):
            moved[c] = 0.0
            if sizes[c] > 0 and (touched[c] or emptied):
                center = sums[c] / sizes[c]
                moved[c] = np.sqrt(squared_distance(center, centers[c]))
                total[c] += moved[c]
                copy_to(center, centers[c])
        n_iter += 1
        # objects moved to empty clusters are in no sum
        touched[:] = emptied
        changed, margin = _assign_again(
            rows, centers, moved, total, labels, upper, others, rival, lower, margin, touched
        )
        if not changed:
            break
    _to_own(rows, centers, labels, distances)
    return (weights * distances).sum(), n_iter, margin


@twins()
def lloyd_runs(rows, weights, centers, max_iter, labels, inertia, n_iter, margin):
    """Run `lloyd` from each start."""
    for run in prange(len(centers)):
        inertia[run], n_iter[run], margin[run] = lloyd(
            rows, weights, centers[run], max_iter, labels[run]
        )
