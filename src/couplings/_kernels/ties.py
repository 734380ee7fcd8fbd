"""Ward's merges that happen however ties are resolved, and the choices that are left."""

import numpy as np
from numba import njit

from couplings._kernels.agglomeration import (
    CLOSE_UP,
    _begin_rows,
    _close_up,
    _nearest_later,
    _read_column,
    _recur,
    _write_row,
)
from couplings._kernels.copying import copy_to
from couplings._kernels.searching import first_least


@njit(cache=True)
def block_sums(d, labels, n_clusters):
    """Sum condensed distances by the clusters of both objects, shape (k, k), symmetric."""
    n = len(labels)
    sums = np.zeros((n_clusters, n_clusters))
    position = 0
    for i in range(n):
        for j in range(i + 1, n):
            sums[labels[i], labels[j]] += d[position]
            position += 1
    return sums + sums.T


@njit(cache=True)
def _nearest_free(d, start, i, n, frozen):
    """Return the first nearest object after `i` that is not frozen, and its distance."""
    place, least = -1, np.inf
    for q in range(i + 1, n):
        if not frozen[q] and d[start + q] < least:
            place, least = q, d[start + q]
    return place, least


@njit(cache=True)
def _has_rival(to_i, to_j, smallest, slack):
    """Return whether a third is as near to one of two that merge, but for rounding.

    Objects at distance 0 from both do not count: all of them become one cluster.
    """
    limit = smallest * (1.0 + slack)
    found = False
    for q in range(len(to_i)):
        near_i, near_j = to_i[q] <= limit, to_j[q] <= limit
        found |= (near_i | near_j) & ((smallest > 0.0) | (near_i != near_j))
    return found


@njit(cache=True)
def merge_certain(d, n, below, slack, most):
    """Make the merges that happen in any order of the objects; `d` is overwritten.

    The nearest pair merges, as in `agglomeration.merge_nearest`, if no third is as near to either.
    Otherwise both are frozen: they stay as they are and in the way of others; so is whoever is
    nearest to a frozen one. It ends at the distance `below`, or with more than `most` frozen.

    Returns whether at most `most` clusters are left, numbered by their first objects; if so, their
    distances as a square matrix with an infinite diagonal, their sizes, and the cluster of each
    object.
    """
    names = np.arange(n)
    size = np.ones(n)
    nearest = np.full(n, -1, np.int64)
    least = np.full(n, np.inf)
    starts = np.empty(n, np.int64)
    _begin_rows(starts, n)
    active = np.arange(n)
    n_active, n_kept = n, n
    frozen = np.zeros(n, np.bool_)
    owner = np.arange(n)
    n_frozen = 0
    to_i, to_j = np.full(n, np.inf), np.full(n, np.inf)
    freeze = np.empty(2, np.int64)
    for i in range(n):
        nearest[i], least[i] = _nearest_later(d, starts[i], i, n)
    while n_frozen <= most and n_active > 1:
        if n_active < CLOSE_UP * n_kept:
            for a in range(n_active):
                frozen[a] = frozen[active[a]]
            _close_up(d, starts, active, n_active, names, size, least, nearest)
            n_kept = n_active
            to_i[:n_kept] = np.inf
            to_j[:n_kept] = np.inf
        i, smallest = first_least(least[:n_kept])
        if i < 0 or smallest >= below * (1.0 - slack):
            break
        j = nearest[i]
        place_i = np.searchsorted(active[:n_active], i)
        place_j = np.searchsorted(active[:n_active], j)
        stays = frozen[i] or frozen[j]
        if not stays:
            _read_column(d, starts, active, place_i, i, to_i)
            _read_column(d, starts, active, place_j, j, to_j)
            copy_to(d[starts[i] + i + 1 : starts[i] + n_kept], to_i[i + 1 :])
            copy_to(d[starts[j] + j + 1 : starts[j] + n_kept], to_j[j + 1 :])
            to_i[i] = to_j[i] = to_i[j] = to_j[j] = np.inf
            stays = _has_rival(to_i[:n_kept], to_j[:n_kept], smallest, slack)
        if stays:
            freeze[0], freeze[1] = i, j
            for p in freeze:
                if frozen[p]:
                    continue
                frozen[p] = True
                n_frozen += 1
                nearest[p], least[p] = _nearest_free(d, starts[p], p, n_kept, frozen)
                for q in range(p):
                    if frozen[q] and nearest[q] == p:
                        nearest[q], least[q] = _nearest_free(d, starts[q], q, n_kept, frozen)
            continue

        for p in range(place_j, n_active - 1):
            active[p] = active[p + 1]
        n_active -= 1
        owner[names[j]] = names[i]
        for p in range(place_j):
            d[starts[active[p]] + j] = np.inf
        _recur(to_i[:n_kept], to_j[:n_kept], size[:n_kept], size[i], size[j], smallest)
        size[i] += size[j]
        nearest[j], least[j] = -1, np.inf
        _write_row(d, starts, active, place_i, i, n_kept, to_i, nearest, least)
        for q in range(j):
            if nearest[q] == i or nearest[q] == j:
                if frozen[q]:
                    nearest[q], least[q] = _nearest_free(d, starts[q], q, n_kept, frozen)
                else:
                    nearest[q], least[q] = _nearest_later(d, starts[q], q, n_kept)
    few = n_frozen <= most and n_active <= most
    m = n_active if few else 0
    square = np.full((m, m), np.inf)
    place = np.empty(n, np.int64)
    for a in range(m):
        place[names[active[a]]] = a
        for b in range(a + 1, m):
            square[a, b] = square[b, a] = d[starts[active[a]] + active[b]]
    if few:
        for i in range(n):
            # an owner comes before what it owns
            owner[i] = owner[owner[i]]
        owner = place[owner]
    return few, square, size[active[:m]], owner


@njit(cache=True, error_model="numpy")
def merge_clear(square, size, names, owner, below, slack):
    """Make the merges of reciprocal nearest neighbours without rivals below a distance.

    They happen whatever else does: Ward's update brings no cluster nearer than its parts were.
    The arguments are overwritten; `owner` maps objects to the names of their clusters, of which
    the smaller goes on. Returns distances, sizes, names and owners of what is left, and how many
    numbers were looked at.
    """
    m = len(size)
    stays = np.ones(m, np.bool_)
    nearest = np.full(m, -1, np.int64)
    first, second = np.full(m, np.inf), np.full(m, np.inf)
    stale = np.ones(m, np.bool_)
    looks = 0
    merged = True
    while merged:
        merged = False
        for x in range(m):
            if stays[x] and stale[x]:
                stale[x] = False
                nearest[x], first[x], second[x] = _two_least(square[x])
                looks += m
        for x in range(m):
            y = nearest[x]
            if not stays[x] or stale[x] or y <= x or stale[y] or nearest[y] != x:
                continue
            height = first[x]
            limit = height * (1.0 + slack)
            if height >= below * (1.0 - slack) or min(second[x], second[y]) <= limit:
                continue
            for q in range(m):
                if stays[q] and min(square[x, q], square[y, q]) <= second[q]:
                    stale[q] = True
            _join(square, size, x, y)
            looks += m
            stays[y] = False
            stale[x] = True
            _rename(owner, names[y], names[x])
            merged = True
    return *_left(square, size, names, stays), owner, looks


@njit(cache=True)
def _left(square, size, names, stays):
    """Return distances, sizes and names of the clusters that stay."""
    m = 0
    place = np.empty(len(size), np.int64)
    for q in range(len(size)):
        if stays[q]:
            place[m] = q
            m += 1
    distances, sizes, numbers = np.empty((m, m)), np.empty(m), np.empty(m, np.int64)
    for a in range(m):
        sizes[a], numbers[a] = size[place[a]], names[place[a]]
        for b in range(m):
            distances[a, b] = square[place[a], place[b]]
    return distances, sizes, numbers


@njit(cache=True)
def _rename(owner, old, new):
    """Give what one cluster owns to another."""
    for i in range(len(owner)):
        if owner[i] == old:
            owner[i] = new


@njit(cache=True)
def _two_least(values):
    """Return the place of the least value, the value, and the second least."""
    place, first, second = -1, np.inf, np.inf
    for q in range(len(values)):
        if values[q] < first:
            place, first, second = q, values[q], first
        elif values[q] < second:
            second = values[q]
    return place, first, second


@njit(cache=True, error_model="numpy")
def _join(square, size, x, y):
    """Put the cluster of x and y in the place of x; y is at infinite distance afterwards."""
    height = square[x, y]
    square[x, x] = square[y, y] = square[x, y] = square[y, x] = np.inf
    _recur(square[x], square[y], size, size[x], size[y], height)
    for q in range(len(size)):
        square[q, x] = square[x, q]
        square[y, q] = square[q, y] = np.inf
    size[x] += size[y]


@njit(cache=True)
def choose(square, size, names, owner, x, y, below, slack):
    """Merge x < y in copies of the arguments, then what is clear, see `merge_clear`."""
    square, size, owner = square.copy(), size.copy(), owner.copy()
    _join(square, size, x, y)
    _rename(owner, names[y], names[x])
    stays = np.ones(len(size), np.bool_)
    stays[y] = False
    square, size, names = _left(square, size, names, stays)
    return merge_clear(square, size, names, owner, below, slack)


@njit(cache=True)
def choices(square, below, slack):
    """Return the pairs of one set of clusters that are each other's nearest, shape (p, 2).

    Whatever merges elsewhere, the next merge in the set is one of them. None if no distance is
    less than `below`.
    """
    m = len(square)
    x, height = -1, np.inf
    while x + 1 < m and not height < below * (1.0 - slack):
        x += 1
        _, height, _ = _two_least(square[x])
    if not height < below * (1.0 - slack):
        return np.empty((0, 2), np.int64)
    # From x to a nearest one, as long as that has a nearer one itself; then all that are as near.
    members = np.zeros(m, np.bool_)
    limits = np.zeros(m)
    todo = [x]
    while len(todo) > 0:
        u = todo.pop()
        _, least, _ = _two_least(square[u])
        if least * (1.0 + slack) < height:
            members = np.zeros(m, np.bool_)
            height = least
            todo.clear()
        members[u] = True
        limits[u] = least * (1.0 + slack)
        for q in range(m):
            if square[u, q] <= limits[u] and not members[q]:
                members[q] = True
                todo.append(q)
    pairs = [
        (a, b)
        for a in range(m)
        for b in range(a + 1, m)
        if members[a] and members[b] and square[a, b] <= max(limits[a], limits[b])
    ]
    found = np.empty((len(pairs), 2), np.int64)
    for p in range(len(pairs)):
        found[p, 0], found[p, 1] = pairs[p]
    return found
