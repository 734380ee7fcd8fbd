"""Passes over all pairs of objects or weighted distinct rows, without a matrix of pairs.

S(u, v) is the sum of the value matrices over the attributes, first to last. The distance of density
peaks is sqrt(s) + a, or sqrt(s + a) with `root`: s sums the squared differences of the numbers, a
the value matrices, both from first to last, so that every pass computes the same number. Each task
returns its own result; results are combined in an order independent of threads.
"""

import math

import numpy as np
from numba import njit, prange

from couplings._kernels.threads import twins


@njit(inline="always")
def spread_codes(codes, data, starts, offsets, v0, v1, spread):
    """Write A_j[x, code of v] for every value x and the objects v0 <= v < v1."""
    for j in range(codes.shape[1]):
        size = offsets[j + 1] - offsets[j]
        for x in range(size):
            row = spread[offsets[j] + x]
            start = starts[j] + x * size
            for v in range(v1 - v0):
                row[v] = data[start + codes[v0 + v, j]]


@njit(inline="always")
def add_row(codes, spread, offsets, u, low, total):
    """Write the sums of row u with the columns from `low` on to the beginning of `total`."""
    m = len(offsets) - 1
    # Slices that start at 0 let the compiler drop its checks for negative indices.
    p = spread[offsets[0] + codes[u, 0]][low:]
    for v in range(len(total)):
        total[v] = p[v]
    j = 1
    # Three attributes per pass over the sums, still added one by one.
    while j + 3 <= m:
        p = spread[offsets[j] + codes[u, j]][low:]
        q = spread[offsets[j + 1] + codes[u, j + 1]][low:]
        r = spread[offsets[j + 2] + codes[u, j + 2]][low:]
        for v in range(len(total)):
            total[v] = ((total[v] + p[v]) + q[v]) + r[v]
        j += 3
    while j < m:
        p = spread[offsets[j] + codes[u, j]][low:]
        for v in range(len(total)):
            total[v] += p[v]
        j += 1


@njit(inline="always")
def _block(task, n_blocks, width, n):
    """Return the columns of a task; long and short blocks alternate to balance the load."""
    block = task // 2 if task % 2 == 0 else n_blocks - 1 - task // 2
    return block * width, min(n, (block + 1) * width)


@njit(inline="always")
def _of_pair(codes, u, v, data, starts, offsets):
    """Return S(u, v)."""
    total = 0.0
    for j in range(codes.shape[1]):
        size = offsets[j + 1] - offsets[j]
        total += data[starts[j] + codes[u, j] * size + codes[v, j]]
    return total


@njit(cache=True)
def largest(codes, reach, data, starts, offsets, width):
    """Return the largest S over the pairs of different rows, or 0 if none is positive."""
    # ``reach[u]`` bounds S(u, v) for every v. Moving to the farthest row gives a first value. Then
    # the largest entries between the values of u and those of `width` adjacent, similar rows,
    # summed in the same order, bound S of u and all rows of the block, so that few blocks need a
    # search.
    n, m = codes.shape
    top, row = 0.0, 0
    while True:
        best, farthest = 0.0, row
        for v in range(n):
            total = _of_pair(codes, row, v, data, starts, offsets)
            if v != row and total > best:
                best, farthest = total, v
        if best <= top:
            break
        top, row = best, farthest
    if top >= reach.max():
        return top
    far = np.empty(offsets[-1])
    for v0 in range(0, n, width):
        v1 = min(n, v0 + width)
        far[:] = 0.0
        for j in range(m):
            size = offsets[j + 1] - offsets[j]
            for v in range(v0, v1):
                for x in range(size):
                    entry = data[starts[j] + x * size + codes[v, j]]
                    far[offsets[j] + x] = max(far[offsets[j] + x], entry)
        for u in range(v0 + 1, n):
            if reach[u] <= top:
                continue
            bound = 0.0
            for j in range(m):
                bound += far[offsets[j] + codes[u, j]]
            if bound > top:
                for v in range(v0, min(v1, u)):
                    top = max(top, _of_pair(codes, u, v, data, starts, offsets))
    return top


@twins()
def root_sum(codes, weights, data, starts, offsets, width):
    """Return the sum of sqrt(S) over pairs of different rows, times both weights, per task."""
    n = len(codes)
    n_blocks = (n + width - 1) // width
    parts = np.zeros(n_blocks)
    for task in prange(n_blocks):
        v0, v1 = _block(task, n_blocks, width, n)
        spread = np.empty((offsets[-1], v1 - v0))
        spread_codes(codes, data, starts, offsets, v0, v1, spread)
        total = np.empty(v1 - v0)
        column = np.zeros(v1 - v0)
        for u in range(v1 - 1):
            low = max(0, u + 1 - v0)
            row, sums = total[low:], column[low:]
            add_row(codes, spread, offsets, u, low, row)
            weight = float(weights[u])
            for v in range(len(row)):
                sums[v] += weight * math.sqrt(row[v])
        parts[task] = (weights[v0:v1] * column).sum()
    return parts


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
        total = _of_pair(codes, u, v, data, starts, offsets)
        out[i] = math.sqrt(square + total) if root else math.sqrt(square) + total
    return out


@njit(cache=True)
def _near(u, v0, v1, later, columns, codes, offsets, root, spread, square, total):
    """Return the first of v0 .. v1 - 1 after u, or v0, and the distances of u, in `total`."""
    # To the objects after u, or before it. The compiler can vectorise loops over slices from 0.
    low = max(v0, u + 1) if later else v0
    size = (v1 if later else min(v1, u)) - low
    squares, distances = square[:size], total[:size]
    if codes.shape[1]:
        add_row(codes, spread, offsets, u, low - v0, distances)
    else:
        distances[:] = 0.0
    if len(columns) == 0 and not root:
        return low, distances
    squares[:] = 0.0
    for t in range(len(columns)):
        column = columns[t, low : low + size]
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
    return low, distances


@njit
def _blocks(task, n_strips, later, codes, data, starts, offsets):
    """Yield strip, columns v0 .. v1 - 1, rows u0 .. u1 - 1 that meet them, and room for `_near`."""
    # The columns come after the rows, or before them. A long and a short strip balance the load.
    room = np.empty((offsets[-1], WIDTH)), np.empty(WIDTH), np.empty(WIDTH)
    # A parallel index is unsigned and cannot be mixed with signed ones.
    one = np.int64(task)
    other = np.int64(n_strips) - 1 - one
    for strip in range(one, max(one, other) + 1, max(1, other - one)):
        u0, u1 = strip * HEIGHT, min(len(codes), (strip + 1) * HEIGHT)
        begin, end = (u0, len(codes)) if later else (0, u1)
        for v0 in range(begin, end, WIDTH):
            v1 = min(end, v0 + WIDTH)
            spread_codes(codes, data, starts, offsets, v0, v1, room[0])
            if later:
                yield strip, v0, v1, u0, min(u1, v1 - 1), room
            else:
                yield strip, v0, v1, max(u0, v0 + 1), u1, room


@twins()
def select(columns, codes, weights, data, starts, offsets, root, low_edge, high_edge, capacity):
    """Count and collect the distances of pairs u < v around a bracket."""
    # Returns the weighted counts below, at the lower edge, inside and at the upper edge; the values
    # inside, at most `capacity` per strip, and their weights; and how many each strip met inside.
    n_strips = (len(codes) + HEIGHT - 1) // HEIGHT
    counts = np.zeros((n_strips, 4), np.int64)
    met = np.zeros(n_strips, np.int64)
    values = np.empty((n_strips, capacity))
    masses = np.empty((n_strips, capacity), np.int64)
    for task in prange((n_strips + 1) // 2):
        for strip, v0, v1, u0, u1, room in _blocks(
            task, n_strips, True, codes, data, starts, offsets
        ):
            for u in range(u0, u1):
                first, near = _near(u, v0, v1, True, columns, codes, offsets, root, *room)
                others = weights[first : first + len(near)]
                kept = met[strip]
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
    return counts.sum(axis=0), values, masses, met


@twins()
def densities(columns, codes, weights, data, starts, offsets, root, cutoff, gauss):
    """Return the density of each row from its weighted neighbours, excluding itself."""
    # Every strip sums into its own array; these are added in order.
    g = len(weights)
    n_strips = (g + HEIGHT - 1) // HEIGHT
    parts = np.zeros((n_strips, g))
    for task in prange((n_strips + 1) // 2):
        for strip, v0, v1, u0, u1, room in _blocks(
            task, n_strips, True, codes, data, starts, offsets
        ):
            for u in range(u0, u1):
                first, near = _near(u, v0, v1, True, columns, codes, offsets, root, *room)
                others = weights[first : first + len(near)]
                theirs = parts[strip, first : first + len(near)]
                here = weights[u]
                if gauss:
                    own = 0.0
                    for v in range(len(near)):
                        ratio = near[v] / cutoff
                        kernel = math.exp(-ratio * ratio)
                        own += kernel * others[v]
                        theirs[v] += kernel * here
                    parts[strip, u] += own
                else:
                    count = 0
                    for v in range(len(near)):
                        inside = near[v] < cutoff
                        count += others[v] if inside else 0
                        theirs[v] += here if inside else 0
                    parts[strip, u] += count
    return parts.sum(axis=0)


@twins()
def nearest_earlier(columns, codes, data, starts, offsets, root):
    """Return the distance to the nearest earlier row, and the first such row; row 0 has none."""
    g = len(codes)
    n_strips = (g + HEIGHT - 1) // HEIGHT
    delta = np.full(g, np.inf)
    nearest = np.full(g, -1, np.int64)
    for task in prange((n_strips + 1) // 2):
        for _, v0, v1, u0, u1, room in _blocks(task, n_strips, False, codes, data, starts, offsets):
            for u in range(u0, u1):
                first, near = _near(u, v0, v1, False, columns, codes, offsets, root, *room)
                best = delta[u]
                for v in range(len(near)):
                    if near[v] < best:
                        best = near[v]
                        nearest[u] = first + v
                delta[u] = best
    return delta, nearest


@twins()
def border_densities(columns, codes, data, starts, offsets, root, cutoff, rho, labels, n_clusters):
    """Return the largest mean density of two rows of different clusters within the cutoff."""
    n_strips = (len(codes) + HEIGHT - 1) // HEIGHT
    borders = np.zeros((n_strips, n_clusters))
    for task in prange((n_strips + 1) // 2):
        for strip, v0, v1, u0, u1, room in _blocks(
            task, n_strips, True, codes, data, starts, offsets
        ):
            for u in range(u0, u1):
                first, near = _near(u, v0, v1, True, columns, codes, offsets, root, *room)
                border = borders[strip]
                for v in range(len(near)):
                    a, b = labels[u], labels[first + v]
                    if a != b and near[v] <= cutoff:
                        mean = (rho[u] + rho[first + v]) / 2
                        border[a] = max(border[a], mean)
                        border[b] = max(border[b], mean)
    result = np.zeros(n_clusters)
    for strip in range(n_strips):
        result = np.maximum(result, borders[strip])
    return result
