"""Greedy merging of clusters by their links."""

import numpy as np
from numba import njit


@njit(cache=True)
def merge_by_goodness(links, n_objects, power):
    """Merge the pair of largest goodness until no two clusters are linked.

    links : int64 (c (c - 1) / 2,), condensed; overwritten.
    n_objects : c.
    power : float64 (c + 1,); the goodness of clusters of a and b objects is their links divided
    by ``power[a + b] - (power[a] + power[b])``, or the links themselves if `power` is empty.

    Returns the merged pairs, int64 (s, 2) with the kept cluster (the smaller first object) in
    front, and their goodness, float64 (s,). Of equal goodness the first row goes first, then the
    first column.

    A cluster remembers its best later partner. When that partner changes, the remembered goodness
    still bounds the best from above, and the row is searched again only once the bound is the
    largest of all.
    """
    c = n_objects
    size = np.ones(c, dtype=np.int64)
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
        if partner[u] < 0:
            best[u] = 0.0
            row = u * c - u * (u + 1) // 2 - u - 1
            for position in range(first + 1, n_alive):
                v = alive[position]
                if links[row + v]:
                    value = _goodness(links[row + v], size[u], size[v], power)
                    if value > best[u]:
                        best[u], partner[u] = value, v
            continue

        v = partner[u]
        merged[n_merged, 0], merged[n_merged, 1] = u, v
        goodness[n_merged] = largest
        n_merged += 1
        size[u] += size[v]
        kept = 0
        best[u], partner[u] = 0.0, -1
        row_u, row_v = u * c - u * (u + 1) // 2 - u - 1, v * c - v * (v + 1) // 2 - v - 1
        for position in range(n_alive):
            q = alive[position]
            if q == v:
                continue
            alive[kept] = q
            kept += 1
            if q == u:
                continue
            row_q = q * c - q * (q + 1) // 2 - q - 1
            at_u = row_q + u if q < u else row_u + q
            links[at_u] += links[row_q + v if q < v else row_v + q]
            value = 0.0
            if links[at_u]:
                value = _goodness(links[at_u], size[u], size[q], power)
            if q > u:
                if value > best[u]:
                    best[u], partner[u] = value, q
                if partner[q] == v:
                    partner[q] = -1
            elif value > best[q]:
                best[q], partner[q] = value, u
            elif partner[q] == u or partner[q] == v:
                partner[q] = u if value == best[q] else -1
            elif value == best[q] and partner[q] > u:
                partner[q] = u
        n_alive = kept
    return merged[:n_merged], goodness[:n_merged]


@njit(cache=True, inline="always")
def _goodness(links, a, b, power):
    if power.size == 0:
        return np.float64(links)
    return links / (power[a + b] - (power[a] + power[b]))
