"""Information loss of merged distributions, in integers.

An item is a row of counts. With h(x) = x ln x, masses A and B (row sums) and N the sum of all
counts, merging two items loses

    (h(A + B) - h(A) - h(B)) / N - sum over values of (h(a + b) - h(a) - h(b)) / N.

h is in multiples of 2^-32, so that sums do not depend on their order, masses in multiples of
`unit`, whose logarithm cancels, and losses in multiples of 2^-20 / N, so that equal ones are equal.
"""

import math

import numpy as np
from numba import njit

from couplings._kernels.intrinsics import add_to, copy_to, first_least_whole, popcount, renew_both

FINE = 1 << 32
COARSE = 1 << 20
_SHIFT = 12
_HALF = 1 << (_SHIFT - 1)


def entropy_table(largest):
    """Return h(0), ..., h(largest) in multiples of 1 / FINE, int64 (largest + 1,)."""
    x = np.arange(largest + 1, dtype=np.float64)
    x[1:] *= np.log(x[1:])
    return np.rint(x * FINE).astype(np.int64)


def fits(total):
    """Return whether the losses of items with `total` counts fit into 64 bits."""
    return total * math.log(max(total, 2)) < 1 << 30


@njit(cache=True, inline="always")
def _loss(row, mass, columns, amounts, other, unit, table):
    """Return the loss of merging a dense row and a sparse one, in multiples of 1 / COARSE."""
    shared = np.int64(0)
    for t in range(columns.size):
        a, b = row[columns[t]], amounts[t]
        shared += table[a + b] - table[a] - table[b]
    fine = unit * (table[mass + other] - table[mass] - table[other]) - shared
    return (fine + _HALF) >> _SHIFT


@njit(cache=True, inline="always")
def _dense_loss(first, mass, second, other, unit, table):
    """Return the loss of merging two dense rows, in multiples of 1 / COARSE."""
    shared = np.int64(0)
    for v in range(first.size):
        shared += table[first[v] + second[v]] - table[first[v]] - table[second[v]]
    fine = unit * (table[mass + other] - table[mass] - table[other]) - shared
    return (fine + _HALF) >> _SHIFT


@njit(cache=True)
def nearest(starts, columns, amounts, masses, rows, row_masses, unit, table):
    """Return for each sparse item the first dense row with the smallest loss, int64 (n,)."""
    # starts : int64 (n + 1,); columns, amounts : int32 (starts[n],); rows : int32 (k, L).
    n = masses.size
    labels = np.zeros(n, dtype=np.int64)
    for i in range(n):
        item = slice(starts[i], starts[i + 1])
        labels[i] = _nearest_row(
            np.arange(row_masses.size),
            columns[item],
            amounts[item],
            masses[i],
            rows,
            row_masses,
            unit,
            table,
        )[0]
    return labels


@njit(cache=True)
def _nearest_row(candidates, columns, amounts, mass, rows, row_masses, unit, table):
    """Return the position of the candidate row with the smallest loss, and the loss."""
    best, least = 0, np.int64(0)
    for position in range(candidates.size):
        c = candidates[position]
        loss = _loss(rows[c], row_masses[c], columns, amounts, mass, unit, table)
        if position == 0 or loss < least:
            best, least = position, loss
    return best, least


# Indices into the state of a tree.
ROOT, ENTRIES, NODES, HEIGHT, LEAVES = range(5)


@njit(cache=True)
def insert_items(
    first,
    starts,
    columns,
    amounts,
    masses,
    unit,
    table,
    threshold,
    space,
    state,
    rows,
    row_masses,
    child,
    members,
    sizes,
    leaves,
):
    """Insert items from `first` on into a DCF tree; return the next one to insert."""
    # Stops early if the arrays might overflow, and after an item that leaves over `space` leaf
    # entries. An item joins a leaf entry up to a loss of `threshold`. state : root, number of
    # entries, nodes, levels and leaf entries. child : -1 for a leaf entry. leaves : in the order of
    # their first items.
    branching = members.shape[1] - 1
    path_node = np.empty(sizes.size, dtype=np.int64)
    path_slot = np.empty(sizes.size, dtype=np.int64)
    i = first
    while i < masses.size:
        room = state[HEIGHT] + 3
        if state[ENTRIES] + room > row_masses.size or state[NODES] + room > sizes.size:
            return i
        item_columns = columns[starts[i] : starts[i + 1]]
        item_amounts = amounts[starts[i] : starts[i + 1]]
        mass = masses[i]
        i += 1

        node = state[ROOT]
        depth = 0
        joined = False
        while sizes[node]:
            slot, loss = _nearest_row(
                members[node, : sizes[node]],
                item_columns,
                item_amounts,
                mass,
                rows,
                row_masses,
                unit,
                table,
            )
            entry = members[node, slot]
            joined = child[entry] < 0 and loss <= threshold
            if child[entry] < 0 and not joined:
                break
            for t in range(item_columns.size):
                rows[entry, item_columns[t]] += item_amounts[t]
            row_masses[entry] += mass
            if joined:
                break
            path_node[depth], path_slot[depth] = node, slot
            depth += 1
            node = child[entry]
        if joined:
            continue

        entry = state[ENTRIES]
        state[ENTRIES] += 1
        rows[entry] = 0
        for t in range(item_columns.size):
            rows[entry, item_columns[t]] += item_amounts[t]
        row_masses[entry] = mass
        child[entry] = -1
        leaves[state[LEAVES]] = entry
        state[LEAVES] += 1
        members[node, sizes[node]] = entry
        sizes[node] += 1
        while sizes[node] > branching:
            other = state[NODES]
            state[NODES] += 1
            _split(node, other, members, sizes, rows, row_masses, unit, table)
            if depth == 0:
                root = state[NODES]
                state[NODES] += 1
                state[ROOT] = root
                state[HEIGHT] += 1
                members[root, 0] = _new_entry(state, node, members, sizes, rows, row_masses, child)
                members[root, 1] = _new_entry(state, other, members, sizes, rows, row_masses, child)
                sizes[root] = 2
                break
            depth -= 1
            parent = path_node[depth]
            _sum_node(members[parent, path_slot[depth]], node, members, sizes, rows, row_masses)
            members[parent, sizes[parent]] = _new_entry(
                state, other, members, sizes, rows, row_masses, child
            )
            sizes[parent] += 1
            node = parent
        if state[LEAVES] > space:
            return i
    return i


@njit(cache=True)
def _split(node, other, members, sizes, rows, row_masses, unit, table):
    """Move the entries nearer to the second of the two farthest entries to the node `other`."""
    size = sizes[node]
    loss = np.zeros((size, size), dtype=np.int64)
    left, right = 0, 1
    for s in range(size):
        for t in range(s + 1, size):
            a, b = members[node, s], members[node, t]
            loss[s, t] = _dense_loss(rows[a], row_masses[a], rows[b], row_masses[b], unit, table)
            loss[t, s] = loss[s, t]
            if loss[s, t] > loss[left, right]:
                left, right = s, t
    sizes[node], sizes[other] = 0, 0
    for s in range(size):
        entry = members[node, s]
        to_left = s == left or (s != right and loss[s, left] <= loss[s, right])
        target = node if to_left else other
        members[target, sizes[target]] = entry
        sizes[target] += 1


@njit(cache=True)
def _sum_node(entry, node, members, sizes, rows, row_masses):
    """Set an entry to the sum of the entries of a node."""
    rows[entry] = 0
    row_masses[entry] = 0
    for s in range(sizes[node]):
        add_to(rows[members[node, s]], rows[entry])
        row_masses[entry] += row_masses[members[node, s]]


@njit(cache=True)
def _new_entry(state, node, members, sizes, rows, row_masses, child):
    """Return a new entry above a node."""
    entry = state[ENTRIES]
    state[ENTRIES] += 1
    child[entry] = node
    _sum_node(entry, node, members, sizes, rows, row_masses)
    return entry


@njit(cache=True, inline="always")
def _single_loss(u, v, bits, masses, unit, table):
    """Return the loss of merging rows whose counts are all 0 or 1: h(0) = h(1) = 0."""
    common = np.uint64(0)
    for w in range(bits.shape[1]):
        common += popcount(bits[u, w] & bits[v, w])
    fine = unit * (table[masses[u] + masses[v]] - table[masses[u]] - table[masses[v]])
    fine -= np.int64(common) * table[2]
    return (fine + _HALF) >> _SHIFT


# Initial limit on the number of patterns of a group of columns.
MOST_PATTERNS = 64
# Number of rows from which on it can pay to compare patterns; at least that of the columns.
MANY = 1000
# Chance that two rows have the same pattern from which on it pays to compare patterns.
ALIKE = 0.1
_MIX = np.uint64(0x9E3779B97F4A7C15)


@njit(cache=True)
def merge_by_loss(rows, masses, bits, single, unit, table, n_clusters, cuts):
    """Merge the pair with the smallest loss until `n_clusters` rows are left.

    Returns the merged pairs, int64 (g - n_clusters, 2), and their losses in multiples of 1 /
    COARSE; ties go to the first row, then to the first column. `rows` and `masses` are overwritten:
    the first row of a pair becomes the sum.
    """
    # `single` marks rows without a count above 1, compared by their `bits`: bit b of word w is
    # column 64 w + b. The overlap of a row with a pattern of a group of columns (`cuts`) is
    # computed once for all rows that have it. When the best later partner of a row changes, the
    # stored loss still bounds the smallest one, and the row is searched again only once that bound
    # is the smallest.
    g, n_values = rows.shape
    n_groups = len(cuts) - 1
    # Pattern p has the entries begin[p] to begin[p + 1], closed by the column n_values; every
    # merge adds at most n_groups.
    most = n_groups * (2 * g - n_clusters)
    begin = np.zeros(most + 1, dtype=np.int64)
    columns = np.empty(1024, dtype=np.uint32)
    amounts = np.empty(columns.size, dtype=np.int32)
    group_of = np.empty(most, dtype=np.int32)
    inside = np.empty(most, dtype=np.int64)  # sum of h over the counts of each pattern
    ones = np.empty(most, dtype=np.bool_)  # whether these counts are all 1
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
    partner = np.full(g, -1, dtype=np.int64)  # -1: unknown, `least` is a lower bound
    least = np.full(g, np.int64(0))
    least[g - 1] = never
    merged = np.empty((g - n_clusters, 2), dtype=np.int64)
    losses = np.empty(g - n_clusters, dtype=np.int64)
    fresh, step = 0, 0
    while True:
        # Patterns of new rows: first all rows, then the sum of each merge.
        last = g if fresh == 0 and n_patterns == 0 else fresh + 1
        for u in range(fresh, last):
            if begin[n_patterns] + n_values + n_groups > columns.size:
                columns = _doubled(columns, n_values + n_groups)
                amounts = _doubled(amounts, n_values + n_groups)
            for k in range(n_groups):
                p = _known(
                    k, rows[u], cuts, slots, begin, columns, amounts, ones, group_of, inside,
                    n_patterns, table,
                )  # fmt: skip
                n_patterns = max(n_patterns, p + 1)
                pattern[u, k] = p
                users[p] += 1
                if not listed[p]:
                    listed[p] = True
                    live[n_live] = p
                    n_live += 1
        if step > 0:
            u, v = merged[step - 1]
            _look_up(rows[u], terms, table)
            if n_groups > 1:
                n_live = _share(
                    rows[u], terms, live[:n_live], listed, users, begin, columns, amounts, inside,
                    shared, table,
                )  # fmt: skip
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
                if n_groups == 1:
                    p = pattern[q, 0]
                    shared[p] = _overlap(
                        p, rows[u], terms, begin, columns, amounts, ones, inside, table
                    )
                loss = _pattern_loss(masses[u], masses[q], pattern[q], shared, unit, table)
                renew_both(q, loss, u, v, least, partner)
            n_alive = kept
        if step == g - n_clusters:
            break

        while True:
            # a merged row has no smallest loss
            u = first_least_whole(least)
            if partner[u] >= 0:
                break
            first = np.searchsorted(alive[:n_alive], u)
            bound, least[u] = least[u], never
            ready = False
            for position in range(first + 1, n_alive):
                v = alive[position]
                if single[u] and single[v]:
                    loss = _single_loss(u, v, bits, masses, unit, table)
                else:
                    if not ready:
                        ready = True
                        _look_up(rows[u], terms, table)
                        if n_groups > 1:
                            n_live = _share(
                                rows[u], terms, live[:n_live], listed, users, begin, columns,
                                amounts, inside, shared, table,
                            )  # fmt: skip
                    if n_groups == 1:
                        p = pattern[v, 0]
                        shared[p] = _overlap(
                            p, rows[u], terms, begin, columns, amounts, ones, inside, table
                        )
                    loss = _pattern_loss(masses[u], masses[v], pattern[v], shared, unit, table)
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
        for k in range(n_groups):
            users[pattern[u, k]] -= 1
            users[pattern[v, k]] -= 1
        fresh = u
        step += 1
    return merged, losses


def column_groups(rows, most):
    """Return cuts of the columns into groups in which up to 1,000 rows have few patterns.

    One group if rows are few, or two of them rarely have the same pattern: their sums soon have
    none in common.
    """
    if len(rows) < max(MANY, rows.shape[1]):
        return np.array([0, rows.shape[1]])
    # A group ends before the column that would give them over `most`; one column can have more.
    rows = rows[:: len(rows) // 1000 + 1].astype(np.int64)
    # The sum of a row's terms stands for its pattern.
    terms = rows * np.random.default_rng(0).integers(1, 1 << 62, rows.shape[1])
    cuts, sums, n_patterns = [0], np.zeros(len(rows), np.int64), 1
    groups = []
    for column, term in enumerate(terms.T):
        grown = sums + term
        fresh = len(set(grown[term != 0].tolist()))
        if n_patterns + fresh > most and column > cuts[-1]:
            cuts.append(column)
            groups.append(sums)
            grown, n_patterns = term, 1
            fresh = len(set(term[term != 0].tolist()))
        sums, n_patterns = grown, n_patterns + fresh
    counts = [np.unique(found, return_counts=True)[1] for found in (*groups, sums)]
    alike = np.mean([(found**2).sum() for found in counts]) / len(rows) ** 2
    return np.array([*(cuts if alike >= ALIKE else [0]), rows.shape[1]])


@njit(cache=True)
def _doubled(array, more):
    """Return a copy with twice the room plus `more`."""
    larger = np.empty(2 * array.size + more, dtype=array.dtype)
    copy_to(array, larger)
    return larger


@njit(cache=True)
def _known(
    k, row, cuts, slots, begin, columns, amounts, ones, group_of, inside, n_patterns, table
):  # fmt: skip
    """Return the number of a row's pattern in group k; a new pattern is appended to the arrays."""
    start = begin[n_patterns]
    end = start
    inner = np.int64(0)
    single = True
    digest = np.uint64(k + 1) * _MIX
    for c in range(cuts[k], cuts[k + 1]):
        if row[c]:
            columns[end], amounts[end] = c, row[c]
            end += 1
            single &= row[c] == 1
            inner += table[row[c]]
            digest = (digest ^ (np.uint64(c) << np.uint64(32)) ^ np.uint64(row[c])) * _MIX
            digest ^= digest >> np.uint64(29)
    columns[end] = row.size
    end += 1
    slot = np.int64(digest & np.uint64(slots.size - 1))
    while slots[slot] >= 0:
        p = slots[slot]
        if group_of[p] == k and begin[p + 1] - begin[p] == end - start:
            same = True
            for t in range(end - start - 1):
                same &= columns[begin[p] + t] == columns[start + t]
                same &= amounts[begin[p] + t] == amounts[start + t]
            if same:
                return np.int64(p)
        slot = (slot + 1) & (slots.size - 1)
    slots[slot] = n_patterns
    begin[n_patterns + 1] = end
    group_of[n_patterns] = k
    ones[n_patterns], inside[n_patterns] = single, inner
    return np.int64(n_patterns)


@njit(cache=True)
def _look_up(row, terms, table):
    """Write h of every count of a row, and its growth by 1."""
    for v in range(row.size):
        terms[0, v] = table[row[v]]
        # The largest count no longer grows.
        terms[1, v] = table[min(row[v] + 1, table.size - 1)] - terms[0, v]


@njit(cache=True, inline="always")
def _overlap(p, row, terms, begin, columns, amounts, ones, inside, table):
    """Return the overlap of pattern p with a row whose h are in `terms`."""
    # Loops without a known length are not vectorised: long gathers are slower.
    total = -inside[p]
    t = begin[p]
    column = columns[t]
    if ones[p]:
        while column != row.size:
            total += terms[1, column]
            t += 1
            column = columns[t]
    else:
        while column != row.size:
            total += table[row[column] + amounts[t]] - terms[0, column]
            t += 1
            column = columns[t]
    return total


@njit(cache=True)
def _share(row, terms, live, listed, users, begin, columns, amounts, inside, shared, table):
    """Write the overlap of a row with every pattern in use to `shared`; return their number."""
    # terms : h of every count of the row, and its growth by 1. live : patterns; unused ones go.
    kept = 0
    for p in live:
        if users[p] == 0:
            listed[p] = False
            continue
        live[kept] = p
        kept += 1
        total = -inside[p]
        for t in range(begin[p], begin[p + 1] - 1):
            column, amount = columns[t], amounts[t]
            if amount == 1:
                total += terms[1, column]
            else:
                # The row's own pattern is among them; twice its count can exceed the table.
                total += table[min(row[column] + amount, table.size - 1)] - terms[0, column]
        shared[p] = total
    return kept


@njit(cache=True, inline="always")
def _pattern_loss(mass, other, patterns, shared, unit, table):
    """Return the loss of merging a row with one of these patterns, given their overlap `shared`."""
    fine = unit * (table[mass + other] - table[mass] - table[other])
    for k in range(patterns.size):
        fine -= shared[patterns[k]]
    return (fine + _HALF) >> _SHIFT
