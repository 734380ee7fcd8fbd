"""Greedy merging of clusters by their links."""

import numpy as np
from numba import njit

from couplings._kernels.searching import first_least

# Share of the clusters in memory below which those that are left close up.
CLOSE_UP = 0.65
# Before a row is searched, nothing is known about its best partner.
UNKNOWN = -np.finfo(np.float64).max


@njit(cache=True)
def merge_by_goodness(links, power, last):
    """Merge the pair of largest goodness until no two clusters are linked.

    links : uint32 or uint64 (c, c), symmetric; overwritten, the diagonal is not read. A single
    object and any cluster must have fewer than 2^32 links (uint32) or 2^62 (uint64).
    power : float64 (c + 1,); the goodness of clusters of a and b objects is their links divided
    by ``power[a + b] - (power[a] + power[b])``, or the links themselves if `power` is empty.
    last : bool; a merged cluster takes the row of the earlier of the two, or of the later one.

    Returns the merged pairs of rows, int64 (s, 2) with the earlier one in front, and their
    goodness, float64 (s,). Of equal goodness the first row goes first, then the first column.

    A cluster remembers its best later partner, with minus their goodness as cost. When that
    partner changes, the remembered cost still bounds the least one from below, and the row is
    searched again only once the bound is the least of all.

    Both triangles are kept, so that all reading runs along rows. An absorbed cluster stays where
    it is, masked; once many are absorbed, the others close up. Where the links of two merged
    clusters exceed a cell, `_merge_wide` goes on.
    """
    c = links.shape[0]
    width = 32 if links.itemsize == 4 else 62
    cells = links.reshape(-1)
    rows = cells[: c * c].reshape(c, c)
    names = np.arange(c)
    size = np.ones(c, dtype=np.int64)
    own = np.ones(c)  # power of the size
    mask = np.full(c, -1, dtype=np.int64)  # 0 for an absorbed cluster
    active = np.arange(c)
    partner = np.full(c, -1, dtype=np.int64)  # -1: not known, `cost` is a lower bound
    cost = np.full(c, UNKNOWN)
    cost[c - 1] = 0.0
    counts = np.empty(c, dtype=np.int64)
    costs = np.empty(c)
    divisors, beside_one = np.empty(c), np.empty(c)  # of the cluster at hand, of single objects
    _divisors(size, own, 1, power, beside_one)
    merged = np.empty((c - 1, 2), dtype=np.int64)
    goodness = np.empty(c - 1)
    n_merged = np.int64(0)  # a constant would be compiled for, once more
    n_active, m = c, c
    while n_active > 1:
        if n_active < CLOSE_UP * m:
            rows = _close_up(cells, rows, active, n_active, names, size, own, mask, partner, cost)
            m = n_active
            _divisors(size[:m], own[:m], 1, power, beside_one)
        u, least = first_least(cost[:m])
        if least >= 0.0:
            break
        if partner[u] < 0:
            _joint(rows[u, u + 1 :], mask[u + 1 : m], counts)
            divided = beside_one[u + 1 : m]
            if size[u] > 1:
                divided = divisors[: m - u - 1]
                _divisors(size[u + 1 : m], own[u + 1 : m], size[u], power, divided)
            _costs(counts[: m - u - 1], divided, costs)
            place, cost[u] = first_least(costs[: m - u - 1])
            partner[u] = u + 1 + place
            if cost[u] >= 0.0:
                cost[u], partner[u] = 0.0, -1
            continue

        v = partner[u]
        first, second = u, v
        if last:
            u, v = v, u  # u is the one that stays
        if _joint_of_two(rows[u], rows[v], mask[:m], counts, u, v) >> width:
            rows = _close_up(cells, rows, active, n_active, names, size, own, mask, partner, cost)
            n_merged = _merge_wide(
                cells,
                n_active,
                power,
                last,
                names,
                size,
                partner,
                cost,
                merged,
                goodness,
                n_merged,
            )
            break
        merged[n_merged, 0], merged[n_merged, 1] = names[first], names[second]
        goodness[n_merged] = -least
        n_merged += 1
        size[u] += size[v]
        if power.size:
            own[u] = power[size[u]]
        mask[v], size[v], own[v] = 0, 1, 1.0
        cost[v], partner[v] = 0.0, -1
        place = np.searchsorted(active[:n_active], v)
        for p in range(place, n_active - 1):
            active[p] = active[p + 1]
        n_active -= 1
        for q in (u, v):
            _divisors(size[q : q + 1], own[q : q + 1], 1, power, beside_one[q : q + 1])
        _divisors(size[:m], own[:m], size[u], power, divisors)
        _costs(counts[:m], divisors, costs)
        row = rows[u]
        for q in range(m):
            row[q] = counts[q]
        for p in range(n_active):
            # What has no links now had none before.
            if counts[active[p]]:
                rows[active[p], u] = counts[active[p]]
        for q in range(u):
            if costs[q] <= cost[q] or partner[q] == u or partner[q] == v:
                _renew(q, costs[q], u, v, cost, partner)
        for q in range(u + 1, v):
            if partner[q] == v:
                partner[q] = -1
        place, cost[u] = first_least(costs[u + 1 : m])
        partner[u] = u + 1 + place
        if place < 0 or cost[u] >= 0.0:
            cost[u], partner[u] = 0.0, -1
    return merged[:n_merged], goodness[:n_merged]


@njit(cache=True, inline="always")
def _renew(q, value, u, v, cost, partner):
    """Take the cost of q and the later u, which has absorbed v, into what q remembers."""
    if value < cost[q]:
        cost[q], partner[q] = value, u
    elif partner[q] == u or partner[q] == v:
        # columns between the row that left and the one that stays may be as good
        partner[q] = u if value == cost[q] and partner[q] >= u else -1
    elif value == cost[q] and partner[q] > u:
        partner[q] = u


@njit(cache=True)
def _joint(row, mask, counts):
    """Write the links of a row to `counts`, none for what is masked."""
    for q in range(len(mask)):
        counts[q] = np.int64(row[q]) & mask[q]


@njit(cache=True)
def _joint_of_two(row, other, mask, counts, u, v):
    """Write the links of the cluster of u and v to `counts`; return a number as long as any."""
    longest = np.int64(0)
    for q in range(len(mask)):
        counts[q] = (np.int64(row[q]) + np.int64(other[q])) & mask[q]
    counts[u], counts[v] = 0, 0
    for q in range(len(mask)):
        longest |= counts[q]
    return longest


@njit(cache=True)
def _divisors(size, own, a, power, divisors):
    """Write what the links of a cluster of `a` objects and each of some others are divided by."""
    if power.size == 0:
        divisors[: len(size)] = 1.0
        return
    shifted, alone = power[a:], power[a]
    # On its own the first loop is one of gathers, and the second of whole blocks.
    for q in range(len(size)):
        divisors[q] = shifted[size[q]]
    for q in range(len(size)):
        divisors[q] -= alone + own[q]


@njit(cache=True, error_model="numpy")
def _costs(counts, divisors, costs):
    """Write minus the goodness to `costs`."""
    for q in range(len(counts)):
        costs[q] = -(counts[q] / divisors[q])


@njit(cache=True)
def _close_up(cells, rows, active, n_active, names, size, own, mask, partner, cost):
    """Move what belongs to active clusters to the front, in order; return the rows that are left.

    Links only move to smaller addresses, each before its place is overwritten.
    """
    place = np.full(len(names), -1, np.int64)
    for a in range(n_active):
        place[active[a]] = a
    position = 0
    for a in range(n_active):
        row = rows[active[a]]
        for b in range(n_active):
            cells[position] = row[active[b]]
            position += 1
    for a in range(n_active):
        q = active[a]
        names[a], size[a], own[a], cost[a] = names[q], size[q], own[q], cost[q]
        partner[a] = place[partner[q]] if partner[q] >= 0 else -1
        mask[a] = -1
        active[a] = a
    return cells[: n_active * n_active].reshape(n_active, n_active)


@njit(cache=True)
def _merge_wide(
    cells, n_alive, power, last, names, size, partner, cost, merged, goodness, n_merged
):
    """Go on merging clusters whose links may exceed a cell; return the number of merges.

    The low part of the links of merged clusters stays in the rows that they have, the high part
    goes to rows ``high``, of which the cells behind the first `n_alive` rows have enough: one for
    each cluster that has been merged.
    """
    width = 32 if cells.itemsize == 4 else 62
    c = len(size)
    links = cells[: cells.size // n_alive * n_alive].reshape(cells.size // n_alive, n_alive)
    high = np.full(c, -1, dtype=np.int64)
    free = n_alive
    for q in range(n_alive):
        if size[q] > 1:
            high[q] = free
            links[free] = 0
            free += 1
    alive = np.arange(n_alive)
    while n_alive > 1:
        u, first = -1, -1
        least = 0.0
        for position in range(n_alive):
            if cost[alive[position]] < least:
                u, first = alive[position], position
                least = cost[u]
        if u < 0:
            break
        high_u = high[u]
        least_u, partner_u = 0.0, -1
        if partner[u] < 0:
            for position in range(first + 1, n_alive):
                v = alive[position]
                count = np.int64(links[u, v])
                if high_u >= 0:
                    count += np.int64(links[high_u, v]) << width
                value = -_goodness(count, size[u], size[v], power)
                if value < least_u:
                    least_u, partner_u = value, v
            cost[u], partner[u] = least_u, partner_u
            continue

        v = partner[u]
        merged[n_merged, 0], merged[n_merged, 1] = names[u], names[v]
        goodness[n_merged] = -least
        n_merged += 1
        if last:
            u, v = v, u  # u is the one that stays
            high_u = high[u]
        high_v = high[v]
        size[u] += size[v]
        if high_u < 0:
            high[u] = v
        spill = high[u]
        kept = 0
        for position in range(n_alive):
            q = alive[position]
            if q == v:
                continue
            alive[kept] = q
            kept += 1
            if q == u:
                continue
            count = np.int64(links[u, q]) + np.int64(links[v, q])
            if high_u >= 0:
                count += np.int64(links[high_u, q]) << width
            if high_v >= 0:
                count += np.int64(links[high_v, q]) << width
            links[u, q] = count
            links[q, u] = count
            links[spill, q] = count >> width
            if count >> width:
                links[high[q], u] = count >> width
            value = -_goodness(count, size[u], size[q], power)
            if q < u:
                _renew(q, value, u, v, cost, partner)
            else:
                if value < least_u:
                    least_u, partner_u = value, q
                if partner[q] == v:
                    partner[q] = -1
        cost[u], partner[u] = least_u, partner_u
        n_alive = kept
    return n_merged


@njit(cache=True, inline="always")
def _goodness(links, a, b, power):
    if power.size == 0:
        return np.float64(links)
    return links / (power[a + b] - (power[a] + power[b]))
