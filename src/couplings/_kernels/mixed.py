"""Clusterings of mixed data: k-prototypes, mixed k-means, mixture models."""
# `numeric` is (n, r), `values` (n, m) holds global value indices. Inner loops run over objects or
# clusters, so that one instruction handles several sums, each in the order of a single one.

import math

import numpy as np
from numba import njit

from couplings._kernels.intrinsics import copy_across, copy_to
from couplings._kernels.modes import mode, spread_modes

# Number of objects in a block.
BLOCK = 128


@njit(cache=True)
def nearest_prototypes(
    numeric, values, centers, modes, data, starts, offsets, gamma, labels, weights, scales
):  # fmt: skip
    """Give each object its (first) nearest prototype; return the weighted total cost."""
    # Missing numbers (NaN) are left out; the others' squared distance is multiplied by the scale.
    n, r = numeric.shape
    columns, square, apart = np.empty((r, BLOCK)), np.empty(BLOCK), np.empty(BLOCK)
    least = np.empty(BLOCK)
    total = 0.0
    for begin in range(0, n, BLOCK):
        size = min(BLOCK, n - begin)
        copy_across(numeric[begin : begin + size], columns)
        least[:] = np.inf
        nearest = labels[begin : begin + size]
        nearest[:] = 0
        for c in range(len(centers)):
            square[:] = 0.0
            for t in range(r):
                x, center = columns[t, :size], centers[c, t]
                for b in range(size):
                    step = center - x[b]
                    square[b] += step * step if step == step else 0.0
            apart[:] = 0.0
            for j in range(values.shape[1]):
                first, width = offsets[j], offsets[j + 1] - offsets[j]
                start = starts[j] + modes[c, j] - first
                for b in range(size):
                    apart[b] += data[start + (values[begin + b, j] - first) * width]
            for b in range(size):
                cost = square[b] * scales[begin + b] + gamma * apart[b]
                if cost < least[b]:
                    nearest[b], least[b] = c, cost
        for b in range(size):
            total += weights[begin + b] * least[b]
    return total


@njit(cache=True)
def prototypes(
    numeric, values, offsets, weights, scales, members, centers, modes, sums, amounts, counts, sizes
):  # fmt: skip
    """Compute sums, counts, means and modes of the clusters from their members."""
    # `amounts` are the divisors of the sums: weights times scales of the objects with the number.
    sums[:] = 0.0
    amounts[:] = 0.0
    counts[:] = 0
    sizes[:] = 0
    for u in range(len(numeric)):
        c = members[u]
        sizes[c] += weights[u]
        share = weights[u] * scales[u]
        for t in range(numeric.shape[1]):
            if numeric[u, t] == numeric[u, t]:
                sums[c, t] += share * numeric[u, t]
                amounts[c, t] += share
        for j in range(values.shape[1]):
            counts[c, values[u, j]] += weights[u]
    for c in range(len(centers)):
        if sizes[c] > 0:
            for t in range(numeric.shape[1]):
                if amounts[c, t] > 0.0:
                    centers[c, t] = sums[c, t] / amounts[c, t]
            for j in range(values.shape[1]):
                modes[c, j] = mode(counts[c], offsets[j], offsets[j + 1])


@njit(cache=True)
def _move(
    u, source, target,
    numeric, values, offsets, weights, scales, centers, modes, sums, amounts, counts, sizes,
):  # fmt: skip
    """Move object u from one cluster to another and update both prototypes."""
    weight, share = weights[u], weights[u] * scales[u]
    sizes[target] += weight
    sizes[source] -= weight
    for t in range(numeric.shape[1]):
        if numeric[u, t] != numeric[u, t]:
            continue
        sums[target, t] += share * numeric[u, t]
        sums[source, t] -= share * numeric[u, t]
        amounts[target, t] += share
        amounts[source, t] -= share
        if amounts[target, t] > 0.0:
            centers[target, t] = sums[target, t] / amounts[target, t]
        if sizes[source] > 0 and amounts[source, t] > 0.5 * scales[u]:
            centers[source, t] = sums[source, t] / amounts[source, t]
    for j in range(values.shape[1]):
        x = values[u, j]
        counts[target, x] += weight
        if counts[target, x] > counts[target, modes[target, j]]:
            modes[target, j] = x
        counts[source, x] -= weight
        if modes[source, j] == x:
            modes[source, j] = mode(counts[source], offsets[j], offsets[j + 1])


@njit(cache=True)
def pass_over_objects(
    numeric, values, data, starts, offsets, gamma, weights, scales,
    members, centers, modes, sums, amounts, counts, sizes, uniforms,
):  # fmt: skip
    """Move every object in turn to its nearest prototype; return the number of moves."""
    # An emptied cluster takes an object of the largest cluster, chosen by `uniforms`.
    moves = 0
    emptied = 0
    n_clusters = len(centers)
    # One row per number and per value, so that all clusters are processed at once.
    across, costs = centers.T.copy(), np.empty((offsets[-1], n_clusters))
    for c in range(n_clusters):
        spread_modes(data, starts, offsets, modes[c], costs[:, c])
    square, apart = np.empty(n_clusters), np.empty(n_clusters)
    state = (weights, scales, centers, modes, sums, amounts, counts, sizes)
    for u in range(len(numeric)):
        square[:] = 0.0
        apart[:] = 0.0
        for t in range(numeric.shape[1]):
            x, row = numeric[u, t], across[t]
            if x == x:
                for c in range(n_clusters):
                    step = row[c] - x
                    square[c] += step * step
        for j in range(values.shape[1]):
            row = costs[values[u, j]]
            for c in range(n_clusters):
                apart[c] += row[c]
        for c in range(n_clusters):
            square[c] = square[c] * scales[u] + gamma * apart[c]
        best = np.argmin(square)
        source = members[u]
        if best == source:
            continue
        moves += 1
        members[u] = best
        if weights[u] == 0:
            continue  # it would still settle ties between modes
        _move(u, source, best, numeric, values, offsets, *state)
        if sizes[source] == 0:
            donor = np.argmax(sizes)
            rank = int(uniforms[emptied % len(uniforms)] * sizes[donor])
            emptied += 1
            for v in range(len(members)):
                if members[v] == donor:
                    if rank < weights[v]:
                        members[v] = source
                        _move(v, donor, source, numeric, values, offsets, *state)
                        copy_to(centers[donor], across[:, donor])
                        spread_modes(data, starts, offsets, modes[donor], costs[:, donor])
                        break
                    rank -= weights[v]
        for c in (source, best):
            copy_to(centers[c], across[:, c])
            spread_modes(data, starts, offsets, modes[c], costs[:, c])
    return moves


@njit(cache=True)
def squared_value_costs(counts, sizes, data, starts, offsets, costs):
    """Write, for every cluster and value x, the squared mean of A_j[x, .] over the members."""
    for c in range(len(sizes)):
        for j in range(len(offsets) - 1):
            size = offsets[j + 1] - offsets[j]
            for x in range(size):
                total = 0.0
                for y in range(size):
                    total += counts[c, offsets[j] + y] * data[starts[j] + x * size + y]
                mean = total / sizes[c]
                costs[c, offsets[j] + x] = mean * mean


@njit(cache=True)
def assign_mixed(numeric, values, centers, costs, labels, distances):
    """Give each object the (first) cluster with the smallest squared distance plus value costs."""
    across, parts = centers.T.copy(), costs.T.copy()
    total = np.empty(len(centers))
    for u in range(len(numeric)):
        total[:] = 0.0
        for t in range(numeric.shape[1]):
            x, row = numeric[u, t], across[t]
            for c in range(len(total)):
                step = row[c] - x
                total[c] += step * step
        for j in range(values.shape[1]):
            row = parts[values[u, j]]
            for c in range(len(total)):
                total[c] += row[c]
        labels[u] = np.argmin(total)
        distances[u] = total[labels[u]]


@njit(cache=True)
def _cholesky(matrix, factor):
    """Write the lower Cholesky factor; return whether the matrix is positive definite."""
    r = len(matrix)
    for i in range(r):
        for j in range(i + 1):
            rest = matrix[i, j]
            for t in range(j):
                rest -= factor[i, t] * factor[j, t]
            if i == j:
                if not rest > 0.0:
                    return False
                factor[i, i] = math.sqrt(rest)
            else:
                factor[i, j] = rest / factor[j, j]
    return True


@njit(cache=True, error_model="numpy")
def expectation(numeric, values, log_weights, means, factors, log_values, posterior, evidence):
    """Write each object's posterior and log-likelihood under the mixture."""
    n, r = numeric.shape
    k = len(means)
    # The constant of each Gaussian: half the log-determinant, and the power of 2 pi.
    constants = np.empty(k)
    for c in range(k):
        constants[c] = log_weights[c] - 0.5 * r * math.log(2.0 * math.pi)
        for t in range(r):
            constants[c] -= math.log(factors[c, t, t])
    columns, solved = np.empty((r, BLOCK)), np.empty((r, BLOCK))
    terms, highest = np.empty((k, BLOCK)), np.empty(BLOCK)
    for first in range(0, n, BLOCK):
        size = min(BLOCK, n - first)
        copy_across(numeric[first : first + size], columns)
        highest[:] = -np.inf
        for c in range(k):
            term = terms[c, :size]
            term[:] = constants[c]
            for i in range(r):
                x, rest, mean = columns[i, :size], solved[i, :size], means[c, i]
                for b in range(size):
                    rest[b] = x[b] - mean
                for t in range(i):
                    known, factor = solved[t, :size], factors[c, i, t]
                    for b in range(size):
                        rest[b] -= factor * known[b]
                factor = factors[c, i, i]
                for b in range(size):
                    rest[b] /= factor
                    term[b] -= 0.5 * rest[b] * rest[b]
            for j in range(values.shape[1]):
                for b in range(size):
                    term[b] += log_values[c, values[first + b, j]]
            for b in range(size):
                highest[b] = max(highest[b], term[b])
        for b in range(size):
            u, largest = first + b, highest[b]
            if largest == -np.inf:
                # If no component has a value, only the weights decide.
                for c in range(k):
                    posterior[u, c] = math.exp(log_weights[c])
                evidence[u] = -np.inf
                continue
            total = 0.0
            for c in range(k):
                posterior[u, c] = math.exp(terms[c, b] - largest)
                total += posterior[u, c]
            for c in range(k):
                posterior[u, c] /= total
            evidence[u] = largest + math.log(total)


@njit(cache=True)
def maximisation(
    numeric,
    values,
    offsets,
    posterior,
    pseudo_count,
    ridge,
    log_weights,
    means,
    factors,
    log_values,
):
    """Estimate the parameters from the posterior; return the first component that fails, or -1."""
    # A component without mass keeps log weight -inf and never gains mass.
    n, r = numeric.shape
    k = posterior.shape[1]
    failed = np.zeros(k, np.bool_)
    masses, shares = np.zeros(k), np.full((offsets[-1], k), pseudo_count)
    centers, covariances = np.zeros((r, k)), np.zeros((r, r, k))
    for u in range(n):
        p = posterior[u]
        for c in range(k):
            masses[c] += p[c]
        for t in range(r):
            x, center = numeric[u, t], centers[t]
            for c in range(k):
                center[c] += p[c] * x
        for j in range(values.shape[1]):
            share = shares[values[u, j]]
            for c in range(k):
                share[c] += p[c]
    for c in range(k):
        log_weights[c] = math.log(masses[c] / n) if masses[c] > 0.0 else -np.inf
        if masses[c] > 0.0:
            for t in range(r):
                centers[t, c] /= masses[c]
        else:
            masses[c] = 1.0
    steps, weighted = np.empty((r, k)), np.empty(k)
    for u in range(n):
        p = posterior[u]
        for i in range(r):
            x, center, step = numeric[u, i], centers[i], steps[i]
            for c in range(k):
                step[c] = x - center[c]
                weighted[c] = p[c] * step[c]
            for t in range(i + 1):
                other, total = steps[t], covariances[i, t]
                for c in range(k):
                    total[c] += weighted[c] * other[c]
    for c in range(k):
        covariance, share = covariances[:, :, c].copy(), shares[:, c].copy()
        covariance /= masses[c]
        for t in range(r):
            covariance[t, t] += ridge
        mean = centers[:, c].copy()
        copy_to(mean, means[c])
        if not _cholesky(covariance, factors[c]):
            failed[c] = log_weights[c] > -np.inf
            factors[c] = 0.0
            for t in range(r):
                factors[c, t, t] = 1.0
        for j in range(len(offsets) - 1):
            whole = share[offsets[j] : offsets[j + 1]].sum()
            for x in range(offsets[j], offsets[j + 1]):
                log_values[c, x] = math.log(share[x] / whole) if share[x] > 0.0 else -np.inf
    return np.argmax(failed) if failed.any() else -1
