"""Greedy merging of clusters by their links."""

import numpy as np
from numba import njit


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

    A cluster remembers its best later partner. When that partner changes, the remembered goodness
    still bounds the best from above, and the row is searched again only once the bound is the
    largest of all.

    Both triangles are kept, so that all reading runs along rows. The links of two merged clusters
    may exceed a cell: the low part stays in the rows that they have, the high part goes to the
    rows ``high`` that their merges left free.
    """
    c = links.shape[0]
    width = 32 if links.itemsize == 4 else 62
    size = np.ones(c, dtype=np.int64)
    high = np.full(c, -1, dtype=np.int64)
    alive = np.arange(c)
    n_alive = c
    partner = np.full(c, -1, dtype=np.int64)  # -1: not known, `best` is an upper bound
    best = np.full(c, np.inf)
    best[c - 1] = 0.0
    merged = np.empty((c - 1, 2), dtype=np.int64)
    goodness = np.empty(c - 1)
    n_merged = 0
    while n_alive > 1:
        u, first = -1, -1
        largest = 0.0
        for position in range(n_alive):
            if best[alive[position]] > largest:
                u, first = alive[position], position
                largest = best[u]
        if u < 0:
            break
        high_u = high[u]
        best_u, partner_u = 0.0, -1
        if partner[u] < 0:
            for position in range(first + 1, n_alive):
                v = alive[position]
                count = np.int64(links[u, v])
                if high_u >= 0:
                    count += np.int64(links[high_u, v]) << width
                if count:
                    value = _goodness(count, size[u], size[v], power)
                    if value > best_u:
                        best_u, partner_u = value, v
            best[u], partner[u] = best_u, partner_u
            continue

        v = partner[u]
        merged[n_merged, 0], merged[n_merged, 1] = u, v
        goodness[n_merged] = largest
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
            value = 0.0
            if count:
                value = _goodness(count, size[u], size[q], power)
            if q > u:
                if value > best_u:
                    best_u, partner_u = value, q
                if partner[q] == v:
                    partner[q] = -1
            elif value > best[q]:
                best[q], partner[q] = value, u
            elif partner[q] == u or partner[q] == v:
                # columns between the row that left and the one that stays may be as good
                partner[q] = u if value == best[q] and partner[q] >= u else -1
            elif value == best[q] and partner[q] > u:
                partner[q] = u
        best[u], partner[u] = best_u, partner_u
        n_alive = kept
    return merged[:n_merged], goodness[:n_merged]


@njit(cache=True, inline="always")
def _goodness(links, a, b, power):
    if power.size == 0:
        return np.float64(links)
    return links / (power[a + b] - (power[a] + power[b]))
