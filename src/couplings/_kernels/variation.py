"""Merging by total variation, with pairs of clusters weighted by their numbers of objects."""
# With masses A and B in multiples of `unit`, s = sum of |a B - b A| = 2 unit A B TV is an integer,
# and a distance is (A + B) s / (A B), or that times 1 / (A B) or (A + B) / (A B): one division of
# integers, exact below 2^53, so that distances equal in theory are equal in the machine.

import numpy as np
from numba import njit

from couplings._kernels.intrinsics import add_to, renew_both

LITERAL, MASS, MASS_FULL = range(3)


@njit(cache=True, inline="always")
def _distance(row, total, mass, columns, amounts, size, other, kind):
    """Return the distance, up to a constant factor, of a dense and a sparse row."""
    s = total * other
    for t in range(size):
        mine = row[columns[t]] * other
        s += abs(mine - amounts[t] * mass) - mine
    both = np.float64(mass + other)
    product = np.float64(mass * other)
    if kind == MASS:
        return both * s / product
    if kind == LITERAL:
        return both * s / (product * product)
    return both * both * s / (product * product)


@njit(cache=True)
def nearest_variation(starts, columns, amounts, masses, rows, row_masses, unit, kind):
    """Return for each sparse item the first dense row with the smallest distance, int64 (n,)."""
    # Arguments are those of `information_loss.nearest`, with rows : int64 (k, L).
    labels = np.zeros(masses.size, dtype=np.int64)
    for i in range(masses.size):
        item = slice(starts[i], starts[i + 1])
        least = np.inf
        for c in range(row_masses.size):
            distance = _distance(
                rows[c],
                unit * row_masses[c],
                row_masses[c],
                columns[item],
                amounts[item],
                starts[i + 1] - starts[i],
                masses[i],
                kind,
            )
            if distance < least:
                least, labels[i] = distance, c
    return labels


@njit(cache=True)
def merge_by_variation(rows, masses, unit, kind, n_clusters):
    """Merge the pair with the smallest distance until `n_clusters` rows are left."""
    # As `information_loss.merge_by_loss`: returns the merged pairs, (g - n_clusters, 2), and their
    # distances up to a constant factor; ties go to the first row, then to the first column.
    g, n_values = rows.shape
    columns = np.empty((g, n_values), dtype=np.int32)
    amounts = np.empty((g, n_values), dtype=np.int64)
    sizes = np.zeros(g, dtype=np.int64)
    for u in range(g):
        _compress(u, rows, columns, amounts, sizes)
    alive = np.arange(g)
    n_alive = g
    partner = np.full(g, -1, dtype=np.int64)  # -1: unknown, `least` is a lower bound
    least = np.zeros(g)
    least[g - 1] = np.inf
    merged = np.empty((g - n_clusters, 2), dtype=np.int64)
    distances = np.empty(g - n_clusters)
    for step in range(g - n_clusters):
        while True:
            first = 0
            for position in range(1, n_alive):
                if least[alive[position]] < least[alive[first]]:
                    first = position
            u = alive[first]
            if partner[u] >= 0:
                break
            bound, least[u] = least[u], np.inf
            for position in range(first + 1, n_alive):
                v = alive[position]
                distance = _distance(
                    rows[u],
                    unit * masses[u],
                    masses[u],
                    columns[v],
                    amounts[v],
                    sizes[v],
                    masses[v],
                    kind,
                )
                if distance < least[u]:
                    least[u], partner[u] = distance, v
                    if distance == bound:
                        break

        v = partner[u]
        merged[step, 0], merged[step, 1] = u, v
        distances[step] = least[u]
        add_to(rows[v], rows[u])
        masses[u] += masses[v]
        _compress(u, rows, columns, amounts, sizes)
        least[u], partner[u] = np.inf, -1
        kept = 0
        for position in range(n_alive):
            q = alive[position]
            if q == v:
                continue
            alive[kept] = q
            kept += 1
            if q == u:
                continue
            distance = _distance(
                rows[u],
                unit * masses[u],
                masses[u],
                columns[q],
                amounts[q],
                sizes[q],
                masses[q],
                kind,
            )
            renew_both(q, distance, u, v, least, partner)
        n_alive = kept
    return merged, distances


@njit(cache=True)
def _compress(u, rows, columns, amounts, sizes):
    """Write the nonzero counts of row u in sparse form."""
    size = 0
    for v in range(rows.shape[1]):
        if rows[u, v]:
            columns[u, size], amounts[u, size] = v, rows[u, v]
            size += 1
    sizes[u] = size
