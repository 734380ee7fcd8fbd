"""EM steps of latent classes, and moves of single rows that reduce entropy within clusters."""
# Rows hold global value indices (offset plus code), -1 if missing; g[i] is i ln i.

import math

import numpy as np
from numba import njit, uint32

from couplings._kernels.intrinsics import copy_to, row_sums_4


@njit(cache=True, nogil=True)
def expectation(values, weights, log_weights, log_shares, posterior, evidence):
    """Write posteriors, (g, k), and log-likelihoods, and return their weighted sum."""
    # Log weights are common, (1, k), or per row; a cluster of log weight -inf gets posterior 0.
    k, m, n_values = log_weights.shape[1], values.shape[1], len(log_shares)
    width = -(-k // 4) * 4
    # Row x + 1 belongs to value x and row 0 to missing cells: adding -0.0 leaves a number
    # unchanged. The last row holds the log weights.
    table = np.full((n_values + 2) * width, -0.0)
    for x in range(n_values):
        copy_to(log_shares[x], table[(x + 1) * width :])
    own = table[(n_values + 1) * width :]
    places = np.full(m + 1, (n_values + 1) * width, np.uint32)
    logs = np.empty(width)
    total = 0.0
    for u in range(len(values)):
        if u < len(log_weights):
            copy_to(log_weights[u], own)
        for j in range(m):
            places[j + 1] = uint32(values[u, j] + 1) * uint32(width)
        for c in range(0, width, 4):
            row_sums_4(table, places, 0, 1, m + 1, logs, c)
        largest = logs[0]
        for c in range(1, k):
            largest = max(largest, logs[c])
        likelihood = 0.0
        for c in range(k):
            logs[c] = math.exp(logs[c] - largest)
            likelihood += logs[c]
        for c in range(k):
            posterior[u, c] = logs[c] / likelihood
        evidence[u] = largest + math.log(likelihood)
        total += weights[u] * evidence[u]
    return total


@njit(cache=True, nogil=True)
def expected_counts(values, weights, posterior, n_values):
    """Return the expected counts of each value in each cluster, shape (L, k); -1 is missing."""
    k = posterior.shape[1]
    counts = np.empty((n_values, k))
    # Two clusters at a time, as the compiler is slow at loops over few clusters.
    pair = np.empty(2 * n_values + 2)
    for c in range(0, k, 2):
        d = min(c + 1, k - 1)
        pair[:] = 0.0
        for u in range(len(values)):
            first, second = weights[u] * posterior[u, c], weights[u] * posterior[u, d]
            for j in range(values.shape[1]):
                x = 2 * uint32(values[u, j] + 1)
                pair[x] += first
                pair[x + 1] += second
        for x in range(n_values):
            counts[x, c], counts[x, d] = pair[2 * x + 2], pair[2 * x + 3]
    return counts


CONDITIONAL, BINARY = range(2)


@njit(cache=True)
def _change(row, count, size, step, g, criterion):
    """Return the change of a cluster's cost if the row joins (step 1) or leaves it (-1)."""
    m = len(row)
    if criterion == CONDITIONAL:
        change = m * (g[size + step] - g[size])
        for j in range(m):
            f = count[row[j]]
            change -= g[f + step] - g[f]
        return change
    grown = size + step
    change = len(count) * (g[grown] - g[size])
    for x in range(len(count)):
        change -= g[grown - count[x]] - g[size - count[x]]
    for j in range(m):
        f = count[row[j]]
        change -= g[f + step] - g[f] + g[size - f] - g[grown - f]
    return change


@njit(cache=True)
def _move(u, b, values, counts, sizes, labels):
    a = labels[u]
    for j in range(values.shape[1]):
        counts[a, values[u, j]] -= 1
        counts[b, values[u, j]] += 1
    sizes[a] -= 1
    sizes[b] += 1
    labels[u] = b


@njit(cache=True)
def sweep(values, g, counts, sizes, labels, criterion, margin):
    """Move each row in turn to its (first) best cluster; return whether any row moved."""
    # Differences up to `margin` are rounding. Under CONDITIONAL the last row of a cluster stays.
    moved = False
    for u in range(len(values)):
        a = labels[u]
        if criterion == CONDITIONAL and sizes[a] == 1:
            continue
        leaving = _change(values[u], counts[a], sizes[a], -1, g, criterion)
        best, least = a, 0.0
        for b in range(len(sizes)):
            if b != a:
                joining = _change(values[u], counts[b], sizes[b], 1, g, criterion)
                if leaving + joining < least - margin:
                    best, least = b, leaving + joining
        if best != a:
            _move(u, best, values, counts, sizes, labels)
            moved = True
    return moved


@njit(cache=True)
def random_moves(
    values, g, counts, sizes, labels, criterion, margin, rows, others, failures, limit
):
    """Try drawn moves until `limit` in a row fail; return the failures and the draws used."""
    # Draw i moves row ``rows[i]`` to ``others[i]`` among the k - 1 other clusters.
    for i in range(len(rows)):
        u = rows[i]
        a, b = labels[u], others[i]
        if b >= a:
            b += 1
        better = False
        if criterion == BINARY or sizes[a] > 1:
            change = _change(values[u], counts[a], sizes[a], -1, g, criterion)
            change += _change(values[u], counts[b], sizes[b], 1, g, criterion)
            better = change < -margin
        if better:
            _move(u, b, values, counts, sizes, labels)
            failures = 0
        else:
            failures += 1
            if failures >= limit:
                return failures, i + 1
    return failures, len(rows)
