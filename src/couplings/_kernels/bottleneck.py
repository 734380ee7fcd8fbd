"""Agglomerative information bottleneck of many rows that are alike in parts.

Losses, merges and the rule for ties are those of `information_loss.merge_by_loss`. What a merged
row shares with another is a sum over columns, so it is taken apart: the columns are cut into
groups, and what rows have in a group, their pattern there, is looked at once per merge however many
rows have it.
"""

import numpy as np
from numba import njit

from couplings._kernels.copying import add_to, copy_to
from couplings._kernels.information_loss import _HALF, _SHIFT, _lookup, _single_loss
from couplings._kernels.searching import first_least_whole

# Patterns that a group of columns begins with, at most.
MOST_PATTERNS = 64
_MIX = np.uint64(0x9E3779B97F4A7C15)


@njit(cache=True)
def merge_by_patterns(rows, masses, unit, table, n_clusters, cuts):
    """Merge the pair of least loss until `n_clusters` rows are left.

    cuts : int64 (d + 1,), of `column_groups`; all else, and the result, as
    `information_loss.merge_by_loss`.
    """
    g, n_values = rows.shape
    bits = np.zeros((g, (n_values + 63) // 64), dtype=np.uint64)
    single = np.zeros(g, dtype=np.bool_)
    n_columns = 0
    for u in range(g):
        n_columns += _mark(rows[u], bits[u], single, u)
    packed = bits.size <= n_columns

    n_groups = len(cuts) - 1
    # Pattern p has the entries begin[p] to begin[p + 1]; every merge makes at most n_groups more.
    most = n_groups * (2 * g - n_clusters)
    begin = np.zeros(most + 1, dtype=np.int64)
    columns = np.empty(max(1024, 2 * n_columns), dtype=np.uint32)
    amounts = np.empty(columns.size, dtype=np.int32)
    group_of = np.empty(most, dtype=np.int32)
    inside = np.empty(most, dtype=np.int64)  # the sum of h over its counts
    users = np.zeros(most, dtype=np.int32)
    listed = np.zeros(most, dtype=np.bool_)
    live = np.empty(most, dtype=np.int32)
    shared = np.empty(most, dtype=np.int64)
    size = 1
    while size < 2 * most:
        size *= 2
    slots = np.full(size, -1, dtype=np.int32)
    pattern = np.empty((g, n_groups), dtype=np.int32)
    n_patterns, n_live = 0, 0
    terms = np.empty((2, n_values), dtype=np.int64)
    never = np.iinfo(np.int64).max
    alive = np.arange(g)
    n_alive = g
    partner = np.full(g, -1, dtype=np.int64)  # -1: not known, `least` is a lower bound
    least = np.full(g, np.int64(0))
    least[g - 1] = never
    merged = np.empty((g - n_clusters, 2), dtype=np.int64)
    losses = np.empty(g - n_clusters, dtype=np.int64)
    fresh, step = 0, 0
    while True:
        # Patterns of the rows that are new: all of them, then the sum of each merge.
        last = g if fresh == 0 and n_patterns == 0 else fresh + 1
        for u in range(fresh, last):
            if begin[n_patterns] + n_values > columns.size:
                columns = _doubled(columns, n_values)
                amounts = _doubled(amounts, n_values)
            for k in range(n_groups):
                p = _known(
                    k,
                    rows[u],
                    cuts,
                    slots,
                    begin,
                    columns,
                    amounts,
                    group_of,
                    inside,
                    n_patterns,
                    table,
                )
                n_patterns = max(n_patterns, p + 1)
                pattern[u, k] = p
                users[p] += 1
                if not listed[p]:
                    listed[p] = True
                    live[n_live] = p
                    n_live += 1
        if step > 0:
            u, v = merged[step - 1]
            _lookup(rows[u], terms, table)
            n_live = _share(
                rows[u],
                terms,
                live[:n_live],
                listed,
                users,
                begin,
                columns,
                amounts,
                inside,
                shared,
                table,
            )
            least[u], partner[u] = never, -1
            kept = 0
            for position in range(n_alive):
                q = alive[position]
                if q == v:
                    continue
                alive[kept] = q
                kept += 1
                if q == u:
                    continue
                loss = _loss(masses[u], masses[q], pattern[q], shared, unit, table)
                if q > u:
                    if loss < least[u]:
                        least[u], partner[u] = loss, q
                    if partner[q] == v:
                        partner[q] = -1
                elif loss < least[q]:
                    least[q], partner[q] = loss, u
                elif partner[q] == u or partner[q] == v:
                    partner[q] = u if loss == least[q] else -1
                elif loss == least[q] and partner[q] > u:
                    partner[q] = u
            n_alive = kept
        if step == g - n_clusters:
            break

        while True:
            # what is merged has no least
            u = first_least_whole(least)
            if partner[u] >= 0:
                break
            first = np.searchsorted(alive[:n_alive], u)
            bound, least[u] = least[u], never
            ready = False
            for position in range(first + 1, n_alive):
                v = alive[position]
                if packed and single[u] and single[v]:
                    loss = _single_loss(u, v, bits, masses, unit, table)
                else:
                    if not ready:
                        ready = True
                        _lookup(rows[u], terms, table)
                        n_live = _share(
                            rows[u],
                            terms,
                            live[:n_live],
                            listed,
                            users,
                            begin,
                            columns,
                            amounts,
                            inside,
                            shared,
                            table,
                        )
                    loss = _loss(masses[u], masses[v], pattern[v], shared, unit, table)
                if loss < least[u]:
                    least[u], partner[u] = loss, v
                    if loss == bound:
                        break

        v = partner[u]
        merged[step, 0], merged[step, 1] = u, v
        losses[step], least[v] = least[u], never
        add_to(rows[v], rows[u])
        masses[u] += masses[v]
        single[u] = False
        users[pattern[u]] -= 1
        users[pattern[v]] -= 1
        fresh = u
        step += 1
    return merged, losses


@njit(cache=True)
def _mark(row, bits, single, u):
    """Set bit b of ``bits[w]`` if the count of column 64 w + b is not 0; return how many are not.

    ``single[u]`` says whether all of them are 1.
    """
    size = 0
    single[u] = True
    for v in range(len(row)):
        if row[v]:
            bits[v // 64] |= np.uint64(1) << np.uint64(v % 64)
            single[u] &= row[v] == 1
            size += 1
    return size


@njit(cache=True)
def column_groups(rows, most):
    """Cut the columns into groups in which the rows have few patterns.

    A group ends before the column with which it would have more than `most` patterns (patterns of
    its first columns counted too); one column may have more.

    Returns the cuts, and the chance that two rows drawn have the same pattern, the mean over the
    groups.
    """
    g, n_values = rows.shape
    cuts = np.empty(n_values + 1, dtype=np.int64)
    cuts[0], n_cuts = 0, 1
    size = 1
    while size < 2 * g:
        size *= 2
    keys, marks = np.empty(size, dtype=np.int64), np.full(size, -1, dtype=np.int64)
    found = np.empty(size, dtype=np.int64)
    pattern, grown = np.zeros(g, dtype=np.int64), np.zeros(g, dtype=np.int64)
    n_patterns, mark = 1, 0
    column, alike = 0, 0.0
    while column < n_values:
        mark += 1
        total = n_patterns
        for u in range(g):
            grown[u] = pattern[u]
            if rows[u, column]:
                key = (pattern[u] << 32) + rows[u, column]
                slot = np.int64((np.uint64(key) * _MIX) >> np.uint64(32)) & (size - 1)
                while marks[slot] == mark and keys[slot] != key:
                    slot = (slot + 1) & (size - 1)
                if marks[slot] != mark:
                    marks[slot], keys[slot], found[slot] = mark, key, total
                    total += 1
                grown[u] = found[slot]
        if total > most and column > cuts[n_cuts - 1]:
            cuts[n_cuts] = column
            n_cuts += 1
            alike += _same(pattern, n_patterns)
            pattern[:] = 0
            n_patterns = 1
            continue
        copy_to(grown, pattern)
        n_patterns = total
        column += 1
    cuts[n_cuts] = n_values
    alike += _same(pattern, n_patterns)
    return cuts[: n_cuts + 1].copy(), alike / n_cuts


@njit(cache=True)
def _same(pattern, n_patterns):
    """Return the chance that two of the rows, drawn with replacement, have the same pattern."""
    counts = np.zeros(n_patterns, dtype=np.int64)
    for p in pattern:
        counts[p] += 1
    return (counts * counts).sum() / pattern.size**2


@njit(cache=True)
def _doubled(array, more):
    """Return a copy with room for as many again, and `more`."""
    larger = np.empty(2 * array.size + more, dtype=array.dtype)
    copy_to(array, larger)
    return larger


@njit(cache=True)
def _known(k, row, cuts, slots, begin, columns, amounts, group_of, inside, n_patterns, table):
    """Return the number of the pattern of a row in group k, `n_patterns` if it is a new one.

    What is new is written to the ends of the arrays.
    """
    start = begin[n_patterns]
    end = start
    inner = np.int64(0)
    digest = np.uint64(k + 1) * _MIX
    for c in range(cuts[k], cuts[k + 1]):
        if row[c]:
            columns[end], amounts[end] = c, row[c]
            end += 1
            inner += table[row[c]]
            digest = (digest ^ (np.uint64(c) << np.uint64(32)) ^ np.uint64(row[c])) * _MIX
            digest ^= digest >> np.uint64(29)
    slot = np.int64(digest & np.uint64(slots.size - 1))
    while slots[slot] >= 0:
        p = slots[slot]
        if group_of[p] == k and begin[p + 1] - begin[p] == end - start:
            same = True
            for t in range(end - start):
                same &= columns[begin[p] + t] == columns[start + t]
                same &= amounts[begin[p] + t] == amounts[start + t]
            if same:
                return np.int64(p)
        slot = (slot + 1) & (slots.size - 1)
    slots[slot] = n_patterns
    begin[n_patterns + 1] = end
    group_of[n_patterns] = k
    inside[n_patterns] = inner
    return np.int64(n_patterns)


@njit(cache=True)
def _share(row, terms, live, listed, users, begin, columns, amounts, inside, shared, table):
    """Write what a row shares with every pattern in use to `shared`; return their number.

    live : int32, the patterns that may be in use; those that are not are taken out.
    """
    kept = 0
    for position in range(live.size):
        p = live[position]
        if users[p] == 0:
            listed[p] = False
            continue
        live[kept] = p
        kept += 1
        total = -inside[p]
        for t in range(begin[p], begin[p + 1]):
            column, amount = columns[t], amounts[t]
            if amount == 1:
                total += terms[1, column]
            else:
                # Its own pattern is among them, and twice its count may be beyond the table.
                total += table[min(row[column] + amount, table.size - 1)] - terms[0, column]
        shared[p] = total
    return kept


@njit(cache=True, inline="always")
def _loss(mass, other, patterns, shared, unit, table):
    """Return the loss of merging a row with one of these patterns, which it `shared` with."""
    fine = unit * (table[mass + other] - table[mass] - table[other])
    for k in range(patterns.size):
        fine -= shared[patterns[k]]
    return (fine + _HALF) >> _SHIFT
