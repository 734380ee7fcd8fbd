"""Packed neighbour graphs, their links, and greedy merging of clusters by links."""
# Bit b of word w in row u of a graph is set if u and object 64 w + b are neighbours.

import numpy as np
from numba import njit, prange

from couplings._kernels.intrinsics import copy_to, first_least, popcount, renew
from couplings._kernels.threads import twins

# Rows whose words stay in cache while all other rows are read.
BLOCK = 16


@twins()
def pack_agreeing(codes, least):
    """Return the graph of rows equal in at least `least` attributes, without loops."""
    # codes : Fortran-ordered, of the smallest type that also holds m, to compare more at a time.
    n, m = codes.shape
    n_words = (n + 63) // 64
    words = np.zeros((n, n_words), dtype=np.uint64)
    for block in prange((n + BLOCK - 1) // BLOCK):
        agreeing = np.empty(n, dtype=codes.dtype)
        for u in range(block * BLOCK, min(n, (block + 1) * BLOCK)):
            agreeing[:] = 0
            for j in range(m):
                column = codes[:, j]
                code = column[u]
                for v in range(n):
                    agreeing[v] += column[v] == code
            for w in range(n_words):
                word = np.uint64(0)
                for bit in range(min(64, n - 64 * w)):
                    word |= np.uint64(agreeing[64 * w + bit] >= least) << np.uint64(bit)
                words[u, w] = word
            words[u, u // 64] &= ~(np.uint64(1) << np.uint64(u % 64))
    return words


@njit(cache=True)
def _lowest_bit(word):
    """Return the position of the lowest set bit of a nonzero word."""
    return np.int64(popcount((word & (~word + np.uint64(1))) - np.uint64(1)))


@njit(cache=True)
def link_components(words):
    """Return the component of each object in the graph of links, numbered by first objects."""
    # Linked objects share a neighbour, so the search goes to neighbours and from there to theirs.
    n, n_words = words.shape
    component = np.full(n, -1, dtype=np.int64)
    reached = np.zeros(n_words, dtype=np.uint64)
    stepped = np.zeros(n_words, dtype=np.uint64)
    stack = np.empty(n, dtype=np.int64)
    n_components = 0
    for start in range(n):
        if component[start] >= 0:
            continue
        component[start] = n_components
        reached[start // 64] |= np.uint64(1) << np.uint64(start % 64)
        stack[0] = start
        depth = 1
        while depth:
            depth -= 1
            u = stack[depth]
            for w in range(n_words):
                fresh = words[u, w] & ~stepped[w]
                stepped[w] |= fresh
                while fresh:
                    middle = 64 * w + _lowest_bit(fresh)
                    fresh &= fresh - np.uint64(1)
                    for x in range(n_words):
                        linked = words[middle, x] & ~reached[x]
                        reached[x] |= linked
                        while linked:
                            v = 64 * x + _lowest_bit(linked)
                            linked &= linked - np.uint64(1)
                            component[v] = n_components
                            stack[depth] = v
                            depth += 1
        n_components += 1
    return component


@twins()
def count_links(words, links):
    """Write the number of common set bits of every pair of rows to `links`, (c, c), symmetric."""
    c, n_words = words.shape
    n_blocks = (c + BLOCK - 1) // BLOCK
    # Whole blocks of rows, and whole groups of eight words.
    padded = np.zeros((n_blocks * BLOCK, (n_words + 7) // 8 * 8), dtype=np.uint64)
    for u in range(c):
        copy_to(words[u], padded[u])
    width = padded.shape[1]
    for block in prange(n_blocks):
        first, last = block * BLOCK, min(c, (block + 1) * BLOCK)
        for u in range(last):
            row = padded[u]
            for v in range(first, last, 4):
                p, q, r, s = padded[v], padded[v + 1], padded[v + 2], padded[v + 3]
                to_p, to_q, to_r, to_s = np.uint64(0), np.uint64(0), np.uint64(0), np.uint64(0)
                for w in range(width):
                    word = row[w]
                    to_p += popcount(word & p[w])
                    to_q += popcount(word & q[w])
                    to_r += popcount(word & r[w])
                    to_s += popcount(word & s[w])
                common = (to_p, to_q, to_r, to_s)
                for t in range(min(4, last - v)):
                    links[u, v + t] = links[v + t, u] = common[t]


# Share of the clusters in memory below which the remaining ones are moved together.
CLOSE_UP = 0.65
# Cost of a row that was never searched: its best partner is unknown.
UNKNOWN = -np.finfo(np.float64).max


def merge_by_goodness(links, power, last):
    """Merge the pair with the largest goodness until no two clusters are linked.

    Returns the merged pairs of rows, (s, 2) with the earlier one first, and their goodness; ties go
    to the first row, then to the first column. Goodness is links / (power[a + b] - (power[a] +
    power[b])); with `last` a merged cluster takes the row of the later of the two.
    """
    # A single object and any cluster must have fewer than 2^32 links (uint32) or 2^62 (uint64); the
    # diagonal is not read. If links exceed a cell, the rest continues in 64-bit cells. When the
    # best later partner of a cluster changes, its stored cost still bounds the smallest one. Both
    # triangles are stored, so that reads run along rows; absorbed clusters keep their place,
    # masked.
    c = len(links)
    names, size = np.arange(c), np.ones(c, dtype=np.int64)
    partner = np.full(c, -1, dtype=np.int64)  # -1: unknown, `cost` is a lower bound
    cost = np.full(c, UNKNOWN)
    cost[c - 1] = 0.0
    merged, goodness = np.empty((c - 1, 2), dtype=np.int64), np.empty(c - 1)
    state = (names, size, partner, cost, merged, goodness)
    n_merged, wide = _merge_until_wide(links, power, last, *state, 0)
    if wide:
        m = c - n_merged
        wider = links.reshape(-1)[: m * m].reshape(m, m).astype(np.uint64)
        state = (names[:m], size[:m], partner[:m], cost[:m], merged, goodness)
        n_merged, _ = _merge_until_wide(wider, power, last, *state, n_merged)
    return merged[:n_merged], goodness[:n_merged]


@njit(cache=True)
def _merge_until_wide(links, power, last, names, size, partner, cost, merged, goodness, n_merged):
    """Merge as `merge_by_goodness`; return the number of merges, and whether a cell overflowed."""
    # After an overflow the remaining clusters come first, also in the memory of `links`.
    c = links.shape[0]
    width = 32 if links.itemsize == 4 else 62
    cells = links.reshape(-1)
    rows = cells[: c * c].reshape(c, c)
    own = power[size]
    mask = np.full(c, -1, dtype=np.int64)  # 0 for an absorbed cluster
    active = np.arange(c)
    counts = np.empty(c, dtype=np.int64)
    costs = np.empty(c)
    divisors, beside_one = np.empty(c), np.empty(c)  # of the present cluster, of single objects
    _divisors(size, own, 1, power, beside_one)
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
            _close_up(cells, rows, active, n_active, names, size, own, mask, partner, cost)
            return n_merged, True
        merged[n_merged, 0], merged[n_merged, 1] = names[first], names[second]
        goodness[n_merged] = -least
        n_merged += 1
        size[u] += size[v]
        own[u] = power[size[u]]
        mask[v], size[v], own[v] = 0, 1, power[1]
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
            # A row without links now had none before.
            if counts[active[p]]:
                rows[active[p], u] = counts[active[p]]
        for q in range(u):
            if costs[q] <= cost[q] or partner[q] == u or partner[q] == v:
                renew(q, costs[q], u, v, cost, partner)
        for q in range(u + 1, v):
            if partner[q] == v:
                partner[q] = -1
        place, cost[u] = first_least(costs[u + 1 : m])
        partner[u] = u + 1 + place
        if place < 0 or cost[u] >= 0.0:
            cost[u], partner[u] = 0.0, -1
    return n_merged, False


@njit(cache=True)
def _joint(row, mask, counts):
    """Write the links of a row to `counts`, 0 for masked clusters."""
    for q in range(len(mask)):
        counts[q] = np.int64(row[q]) & mask[q]


@njit(cache=True)
def _joint_of_two(row, other, mask, counts, u, v):
    """Write the links of the cluster of u and v to `counts`; return the largest one."""
    longest = np.int64(0)
    for q in range(len(mask)):
        counts[q] = (np.int64(row[q]) + np.int64(other[q])) & mask[q]
    counts[u], counts[v] = 0, 0
    for q in range(len(mask)):
        longest |= counts[q]
    return longest


@njit(cache=True)
def _divisors(size, own, a, power, divisors):
    """Write the divisors of the links between a cluster of `a` objects and each other one."""
    shifted, alone = power[a:], power[a]
    # Separate loops: the first gathers, the second runs over whole blocks.
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
    """Move the data of active clusters to the front, in order; return the remaining rows."""
    # Links only move to smaller addresses, each before its place is overwritten.
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
