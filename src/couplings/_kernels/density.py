"""Passes over all pairs of objects that keep no distance.

The distance of two objects is ``sqrt(s) + a``, or ``sqrt(s + a)`` with `root`: s the squared
differences of their numbers, a the entries of their codes in the value matrices, both summed from
first to last, so that every pass meets the same floating-point number.
"""

import math

import numpy as np
from numba import njit, prange

from couplings._kernels.copying import add_to
from couplings._kernels.pairs import add_row

HEIGHT, WIDTH = 512, 256


@njit(cache=True)
def distances_of_pairs(us, vs, numeric, codes, data, starts, offsets, root):
    """Return the distances of pairs of rows; `numeric` has shape (g, r)."""
    out = np.empty(len(us))
    for i in range(len(us)):
        u, v = us[i], vs[i]
        square = 0.0
        for t in range(numeric.shape[1]):
            step = numeric[u, t] - numeric[v, t]
            square += step * step
        total = 0.0
        for j in range(codes.shape[1]):
            size = offsets[j + 1] - offsets[j]
            total += data[starts[j] + codes[u, j] * size + codes[v, j]]
        out[i] = math.sqrt(square + total) if root else math.sqrt(square) + total
    return out


@njit(cache=True)
def _spread(v0, v1, codes, data, starts, offsets, spread):
    """Write A_j[x, code of v] for every value x and the objects v0 <= v < v1."""
    for j in range(codes.shape[1]):
        size = offsets[j + 1] - offsets[j]
        for x in range(size):
            row = spread[offsets[j] + x]
            start = starts[j] + x * size
            for v in range(v1 - v0):
                row[v] = data[start + codes[v0 + v, j]]


@njit(cache=True)
def _row(u, v0, low, high, columns, codes, spread, offsets, root, square, total):
    """Return the distances of u and the objects v0 + low .. v0 + high - 1, in the room of `total`.

    `columns` holds the numbers, one attribute per row. Loops run over slices from 0, which the
    compiler can vectorise.
    """
    squares, distances = square[low:high], total[low:high]
    if codes.shape[1]:
        add_row(codes, spread, offsets, u, low, distances)
    else:
        distances[:] = 0.0
    if len(columns) == 0 and not root:
        return distances
    squares[:] = 0.0
    for t in range(len(columns)):
        column = columns[t, v0 + low : v0 + high]
        here = columns[t, u]
        for v in range(len(squares)):
            step = here - column[v]
            squares[v] += step * step
    if root:
        for v in range(len(distances)):
            distances[v] = math.sqrt(squares[v] + distances[v])
    else:
        for v in range(len(distances)):
            distances[v] = math.sqrt(squares[v]) + distances[v]
    return distances


@njit(cache=True)
def _strips_of(task, n_strips):
    """Return the two strips of a task: a long and a short one, so that tasks are even."""
    # A parallel index is unsigned, and does not mix with signed ones.
    first = np.int64(task)
    return first, np.int64(n_strips) - 1 - first


@njit(parallel=True, cache=True)
def select(columns, codes, weights, data, starts, offsets, root, low_edge, high_edge, capacity):
    """Count and collect the distances of pairs u < v around a bracket.

    Returns the weighted counts below, at the lower edge, inside and at the upper edge, summed over
    the strips; the values inside and their weights, `capacity` per strip; and how many values each
    strip met inside, which may be more than it kept.
    """
    g = len(weights)
    n_strips = (g + HEIGHT - 1) // HEIGHT
    counts = np.zeros((n_strips, 4), np.int64)
    met = np.zeros(n_strips, np.int64)
    values = np.empty((n_strips, capacity))
    masses = np.empty((n_strips, capacity), np.int64)
    for task in prange((n_strips + 1) // 2):
        spread = np.empty((offsets[-1], WIDTH))
        square, total = np.empty(WIDTH), np.empty(WIDTH)
        first, last = _strips_of(task, n_strips)
        for turn in range(2 if last > first else 1):
            strip = last if turn else first
            u0, u1 = strip * HEIGHT, min(g, (strip + 1) * HEIGHT)
            kept = 0
            for v0 in range(u0, g, WIDTH):
                v1 = min(g, v0 + WIDTH)
                _spread(v0, v1, codes, data, starts, offsets, spread)
                for u in range(u0, min(u1, v1 - 1)):
                    low = max(0, u + 1 - v0)
                    high = v1 - v0
                    near = _row(
                        u, v0, low, high, columns, codes, spread, offsets, root, square, total
                    )
                    others = weights[v0 + low : v0 + high]
                    for v in range(len(near)):
                        distance = near[v]
                        if distance > high_edge:
                            continue
                        mass = weights[u] * others[v]
                        if distance < low_edge:
                            counts[strip, 0] += mass
                        elif distance == low_edge:
                            counts[strip, 1] += mass
                        elif distance == high_edge:
                            counts[strip, 3] += mass
                        else:
                            counts[strip, 2] += mass
                            if kept < capacity:
                                values[strip, kept] = distance
                                masses[strip, kept] = mass
                            kept += 1
            met[strip] = kept
    whole = np.zeros(counts.shape[1], np.int64)
    for strip in range(n_strips):
        add_to(counts[strip], whole)
    return whole, values, masses, met


@njit(parallel=True, cache=True)
def densities(columns, codes, weights, data, starts, offsets, root, cutoff, gauss):
    """Return the density of each row by its weighted neighbours, itself left out.

    Every strip sums into its own array, and these are added in order.
    """
    g = len(weights)
    n_strips = (g + HEIGHT - 1) // HEIGHT
    parts = np.zeros((n_strips, g))
    for task in prange((n_strips + 1) // 2):
        spread = np.empty((offsets[-1], WIDTH))
        square, total = np.empty(WIDTH), np.empty(WIDTH)
        first, last = _strips_of(task, n_strips)
        for turn in range(2 if last > first else 1):
            strip = last if turn else first
            part = parts[strip]
            u0, u1 = strip * HEIGHT, min(g, (strip + 1) * HEIGHT)
            for v0 in range(u0, g, WIDTH):
                v1 = min(g, v0 + WIDTH)
                _spread(v0, v1, codes, data, starts, offsets, spread)
                for u in range(u0, min(u1, v1 - 1)):
                    low = max(0, u + 1 - v0)
                    high = v1 - v0
                    near = _row(
                        u, v0, low, high, columns, codes, spread, offsets, root, square, total
                    )
                    others = weights[v0 + low : v0 + high]
                    theirs = part[v0 + low : v0 + high]
                    here = weights[u]
                    if gauss:
                        own = 0.0
                        for v in range(len(near)):
                            ratio = near[v] / cutoff
                            kernel = math.exp(-ratio * ratio)
                            own += kernel * others[v]
                            theirs[v] += kernel * here
                        part[u] += own
                    else:
                        count = 0
                        for v in range(len(near)):
                            inside = near[v] < cutoff
                            count += others[v] if inside else 0
                            theirs[v] += here if inside else 0
                        part[u] += count
    result = np.zeros(g)
    for strip in range(n_strips):
        result += parts[strip]
    return result


@njit(parallel=True, cache=True)
def nearest_earlier(columns, codes, data, starts, offsets, root):
    """Return the distance to the nearest earlier row and the first row at it; row 0 has none."""
    g = len(codes)
    n_strips = (g + HEIGHT - 1) // HEIGHT
    delta = np.full(g, np.inf)
    nearest = np.full(g, -1, np.int64)
    for task in prange((n_strips + 1) // 2):
        spread = np.empty((offsets[-1], WIDTH))
        square, total = np.empty(WIDTH), np.empty(WIDTH)
        first, last = _strips_of(task, n_strips)
        for turn in range(2 if last > first else 1):
            strip = last if turn else first
            u0, u1 = strip * HEIGHT, min(g, (strip + 1) * HEIGHT)
            for v0 in range(0, u1, WIDTH):
                v1 = min(u1, v0 + WIDTH)
                _spread(v0, v1, codes, data, starts, offsets, spread)
                for u in range(max(u0, v0 + 1), u1):
                    high = min(v1, u) - v0
                    near = _row(
                        u, v0, 0, high, columns, codes, spread, offsets, root, square, total
                    )
                    best = delta[u]
                    for v in range(len(near)):
                        if near[v] < best:
                            best = near[v]
                            nearest[u] = v0 + v
                    delta[u] = best
    return delta, nearest


@njit(parallel=True, cache=True)
def border_densities(columns, codes, data, starts, offsets, root, cutoff, rho, labels, n_clusters):
    """Return the largest mean density of two rows of different clusters within the cutoff."""
    g = len(codes)
    n_strips = (g + HEIGHT - 1) // HEIGHT
    borders = np.zeros((n_strips, n_clusters))
    for task in prange((n_strips + 1) // 2):
        spread = np.empty((offsets[-1], WIDTH))
        square, total = np.empty(WIDTH), np.empty(WIDTH)
        first, last = _strips_of(task, n_strips)
        for turn in range(2 if last > first else 1):
            strip = last if turn else first
            border = borders[strip]
            u0, u1 = strip * HEIGHT, min(g, (strip + 1) * HEIGHT)
            for v0 in range(u0, g, WIDTH):
                v1 = min(g, v0 + WIDTH)
                _spread(v0, v1, codes, data, starts, offsets, spread)
                for u in range(u0, min(u1, v1 - 1)):
                    low = max(0, u + 1 - v0)
                    high = v1 - v0
                    near = _row(
                        u, v0, low, high, columns, codes, spread, offsets, root, square, total
                    )
                    for v in range(len(near)):
                        if near[v] > cutoff:
                            continue
                        a, b = labels[u], labels[v0 + low + v]
                        if a != b:
                            mean = (rho[u] + rho[v0 + low + v]) / 2
                            border[a] = max(border[a], mean)
                            border[b] = max(border[b], mean)
    result = np.zeros(n_clusters)
    for strip in range(n_strips):
        result = np.maximum(result, borders[strip])
    return result
