"""Agglomerative clustering of condensed distances, and the choices left open by ties."""

import numpy as np
from numba import njit

from couplings._kernels.intrinsics import copy_to, first_least, prefetch, smallest_above

# Elements of a column to prefetch: enough to overlap the memory latencies.
AHEAD = 32
# Share of the objects in memory below which the remaining ones are moved together.
CLOSE_UP = 0.55


@njit(cache=True, error_model="numpy")
def _recur(to_i, to_j, size, size_i, size_j, height):
    """Replace the distances of i by those of the cluster of i and j, merged at `height`."""
    for q in range(len(to_i)):
        size_q = size[q]
        to_i[q] = ((size_i + size_q) * to_i[q] + (size_j + size_q) * to_j[q] - size_q * height) / (
            size_i + size_j + size_q
        )


@njit(cache=True)
def _has_rival(to_i, to_j, smallest, slack):
    """Return whether a third object is, up to rounding, equally near to one of a merging pair."""
    # Objects at distance 0 from both do not count: all of them become one cluster.
    limit = smallest * (1.0 + slack)
    found = False
    for q in range(len(to_i)):
        near_i, near_j = to_i[q] <= limit, to_j[q] <= limit
        found |= (near_i | near_j) & ((smallest > 0.0) | (near_i != near_j))
    return found


@njit(cache=True)
def _nearest_later(d, start, i, n, frozen):
    """Return the first nearest object after `i` and its distance, skipping pairs of frozen ones."""
    # Tested alone, or numba would compile what follows for None too.
    if frozen is not None:  # noqa: SIM102
        if frozen[i]:
            place, least = -1, np.inf
            for q in range(i + 1, n):
                if not frozen[q] and d[start + q] < least:
                    place, least = q, d[start + q]
            return place, least
    place, least = first_least(d[start + i + 1 : start + n])
    return (i + 1 + place if place >= 0 else -1), least


@njit(cache=True)
def _close_up(d, starts, active, n_active, names, size, least, nearest, frozen):
    """Move the data of active objects to the front, in order; `starts` are the new row starts."""
    # Distances only move to smaller addresses, each before its place is overwritten.
    place = np.empty(len(names), np.int64)
    for q in range(len(names)):
        place[q] = -1
    for a in range(n_active):
        place[active[a]] = a
    position = 0
    for a in range(n_active):
        start = starts[active[a]]
        for b in range(a + 1, n_active):
            d[position] = d[start + active[b]]
            position += 1
    for a in range(n_active):
        q = active[a]
        names[a], size[a], least[a] = names[q], size[q], least[q]
        if frozen is not None:
            frozen[a] = frozen[q]
        nearest[a] = place[nearest[q]] if nearest[q] >= 0 else -1
        active[a] = a
    _begin_rows(starts, n_active)


@njit(cache=True)
def _begin_rows(starts, n):
    """Write row starts to `starts`: the distance of i and a later j is at starts[i] + j."""
    for i in range(n):
        starts[i] = n * i - i * (i + 1) // 2 - i - 1


@njit(cache=True)
def _position(active, n_active, q):
    """Return the position of object q among the active ones."""
    first, last = 0, n_active
    while first < last:
        middle = (first + last) // 2
        if active[middle] < q:
            first = middle + 1
        else:
            last = middle
    return first


# Bound, slack, maximum of frozen clusters and their marks, under which every nearest pair merges;
# without margin.
ALL = (np.inf, 0.0, -1, None)
UNWATCHED = (np.inf, 0.0, -2, None)


@njit(cache=True)
def merge_nearest(d, size, n_clusters, below, slack, most, frozen):
    """Merge clusters of `size` objects by Ward's recurrence down to `n_clusters`.

    `d` and `size` are overwritten. Returns the merges as pairs of objects (the smaller one
    represents the result), the values of `d` at them, the smallest relative difference to the next
    pair that a merge rules out or to the next merge, whether such a pair was equally near, and the
    number of frozen clusters. Objects at distance 0 with equal distances to all others decide
    nothing.
    """
    # `nearest` is the first nearest later neighbour; -1 once that has merged, when only a lower
    # bound of the distance is known. With `frozen` (n marks, all False; None leaves this code
    # uncompiled), only merges are made that happen under any order of the objects, below `below`: a
    # pair with a third object equally near, up to `slack`, is frozen, and so is a cluster whose
    # nearest one is frozen; beyond `most` the kernel stops. If `most` is below -1, neither margin
    # nor ties are computed. Absorbed objects keep their place, at infinity, so that searches read
    # adjacent memory, until the others are moved together.
    n = len(size)
    merges = np.empty((n - n_clusters, 2), np.int64)
    heights, least = np.empty(n - n_clusters), np.empty(n)
    names, nearest = np.empty(n, np.int64), np.empty(n, np.int64)
    starts = np.empty(n, np.int64)
    _begin_rows(starts, n)
    # Representatives of the clusters, in increasing order; what follows them is prefetched only.
    active = np.empty(n + AHEAD, np.int64)
    for p in range(n + AHEAD):
        active[p] = p % n
    n_active, n_kept, n_frozen = n, n, 0
    # Infinite for absorbed objects.
    to_i, to_j = np.empty(n), np.empty(n)
    margin, tied = np.inf, False
    for i in range(n):
        names[i], to_i[i], to_j[i] = i, np.inf, np.inf
        nearest[i], least[i] = _nearest_later(d, starts[i], i, n, frozen)
    while n_active > n_clusters and (n_frozen <= most or most < 0):
        if n_active < CLOSE_UP * n_kept:
            _close_up(d, starts, active, n_active, names, size, least, nearest, frozen)
            n_kept = n_active
            for q in range(n_kept):
                to_i[q] = to_j[q] = np.inf
        i, smallest = first_least(least[:n_kept])
        if i < 0 or smallest >= below * (1.0 - slack):
            break
        if nearest[i] < 0:
            nearest[i], least[i] = _nearest_later(d, starts[i], i, n_kept, frozen)
            continue
        j = nearest[i]
        place_i, place_j = _position(active, n_active, i), _position(active, n_active, j)
        stays = False
        if frozen is not None:
            stays = frozen[i] or frozen[j]
        if not stays:
            # Read first, then compute, then write: reads of a column overlap their latencies.
            for p in range(place_i):
                prefetch(d, starts[active[p + AHEAD]] + i)
                to_i[active[p]] = d[starts[active[p]] + i]
            for p in range(place_j):
                prefetch(d, starts[active[p + AHEAD]] + j)
                cell = starts[active[p]] + j
                to_j[active[p]] = d[cell]
                if frozen is None:
                    d[cell] = np.inf
            copy_to(d[starts[i] + i + 1 : starts[i] + n_kept], to_i[i + 1 :])
            copy_to(d[starts[j] + j + 1 : starts[j] + n_kept], to_j[j + 1 :])
            to_i[i] = to_j[i] = to_i[j] = to_j[j] = np.inf
            if frozen is not None:
                stays = _has_rival(to_i[:n_kept], to_j[:n_kept], smallest, slack)
        if frozen is not None:  # noqa: SIM102
            if stays:
                for p in (i, j):
                    if frozen[p]:
                        continue
                    frozen[p] = True
                    n_frozen += 1
                    nearest[p], least[p] = _nearest_later(d, starts[p], p, n_kept, frozen)
                    for q in range(p):
                        if frozen[q] and nearest[q] == p:
                            nearest[q], least[q] = _nearest_later(d, starts[q], q, n_kept, frozen)
                continue

        merges[n - n_active, 0], merges[n - n_active, 1] = names[i], names[j]
        heights[n - n_active] = smallest
        for p in range(place_j, n_active - 1):
            active[p] = active[p + 1]
        n_active -= 1
        if frozen is not None:
            for p in range(place_j):
                d[starts[active[p]] + j] = np.inf
        elif most > -2:
            rival = min(
                smallest_above(to_i[:n_kept], smallest), smallest_above(to_j[:n_kept], smallest)
            )
            if rival - smallest < margin * rival:
                margin = (rival - smallest) / rival
            tied = tied or _has_rival(to_i[:n_kept], to_j[:n_kept], smallest, 0.0)
        _recur(to_i[:n_kept], to_j[:n_kept], size[:n_kept], size[i], size[j], smallest)
        size[i] += size[j]
        nearest[j], least[j] = -1, np.inf

        # Distances of the merged cluster i: update its nearest, and those nearest to it.
        for p in range(place_i):
            d[starts[active[p]] + i] = to_i[active[p]]
        for q in range(i):
            if to_i[q] < least[q]:
                least[q] = to_i[q]
                nearest[q] = i
            elif nearest[q] == i or nearest[q] == j:
                nearest[q] = -1
        copy_to(to_i[i + 1 : n_kept], d[starts[i] + i + 1 :])
        for q in range(i + 1, j):
            if nearest[q] == j:
                nearest[q] = -1
        nearest[i], least[i] = _nearest_later(d, starts[i], i, n_kept, frozen)
    n_merges = n - n_active
    if frozen is not None:
        _close_up(d, starts, active, n_active, names, size, least, nearest, frozen)
    elif n_merges > 0 and n_clusters > 1:
        for q in range(n_kept):
            if nearest[q] < 0 and least[q] < np.inf:
                nearest[q], least[q] = _nearest_later(d, starts[q], q, n_kept, frozen)
        rival = smallest_above(least[:n_kept], heights[-1])
        if rival - heights[-1] < margin * rival:
            margin = (rival - heights[-1]) / rival
        highest = 0.0
        for t in range(n_merges):
            highest = max(highest, heights[t])
        for q in range(n_kept):
            tied |= least[q] <= highest
    return merges[:n_merges], heights[:n_merges], margin, tied, n_frozen


@njit(cache=True)
def linkage_rows(merges, heights, n):
    """Number the clusters of pairs of representatives as scipy does: new ones start at n."""
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
def block_sums(d, labels, n_clusters):
    """Return sums of condensed distances by the clusters of both objects, shape (k, k)."""
    n = len(labels)
    sums = np.zeros((n_clusters, n_clusters))
    position = 0
    for i in range(n):
        for j in range(i + 1, n):
            sums[labels[i], labels[j]] += d[position]
            position += 1
    return sums + sums.T


@njit(cache=True, error_model="numpy")
def merge_clear(square, size, names, owner, below, slack):
    """Merge reciprocal nearest neighbours without rivals below a distance."""
    # Other merges cannot prevent these: Ward's update never reduces distances below those of the
    # parts. Returns distances, sizes, names and owners of what is left, and the number of values
    # read.
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
            owner[owner == names[y]] = names[x]
            merged = True
    return *_left(square, size, names, stays), owner, looks


@njit(cache=True)
def _left(square, size, names, stays):
    """Return distances, sizes and names of the clusters in `stays`."""
    return square[stays][:, stays], size[stays], names[stays]


@njit(cache=True)
def _two_least(values):
    """Return the index of the smallest value, the value, and the second smallest value."""
    place, first, second = -1, np.inf, np.inf
    for q in range(len(values)):
        if values[q] < first:
            place, first, second = q, values[q], first
        elif values[q] < second:
            second = values[q]
    return place, first, second


@njit(cache=True, error_model="numpy")
def _join(square, size, x, y):
    """Store the cluster of x and y in the place of x, and set the distances of y to infinity."""
    height = square[x, y]
    square[x, x] = square[y, y] = square[x, y] = square[y, x] = np.inf
    _recur(square[x], square[y], size, size[x], size[y], height)
    for q in range(len(size)):
        square[q, x] = square[x, q]
        square[y, q] = square[q, y] = np.inf
    size[x] += size[y]


@njit(cache=True)
def choose(square, size, names, owner, x, y, below, slack):
    """Merge x < y in copies of the arguments, then run `merge_clear`."""
    square, size, owner = square.copy(), size.copy(), owner.copy()
    _join(square, size, x, y)
    owner[owner == names[y]] = names[x]
    stays = np.ones(len(size), np.bool_)
    stays[y] = False
    square, size, names = _left(square, size, names, stays)
    return merge_clear(square, size, names, owner, below, slack)


@njit(cache=True)
def choices(square, below, slack):
    """Return the mutually nearest pairs in one set, (p, 2); None if none is below `below`."""
    # Whatever merges elsewhere, the next merge in the set is one of them.
    m = len(square)
    x, height = -1, np.inf
    while x + 1 < m and not height < below * (1.0 - slack):
        x += 1
        _, height, _ = _two_least(square[x])
    if not height < below * (1.0 - slack):
        return [(a, a) for a in range(0)]
    # Follow nearest neighbours from x until distances stop decreasing; then collect all ties.
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
    return [
        (a, b)
        for a in range(m)
        for b in range(a + 1, m)
        if members[a] and members[b] and square[a, b] <= max(limits[a], limits[b])
    ]
