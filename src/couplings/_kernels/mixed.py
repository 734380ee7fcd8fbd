"""Clusterings of mixed data: k-prototypes, mixed k-means, mixture models."""
# `numeric` is (n, r), `values` (n, m) holds global value indices. Inner loops run over objects or
# clusters, so that one instruction handles several sums, each in the order of a single one.

import math

import numpy as np
from numba import njit

from couplings._kernels.intrinsics import copy_across, copy_to
from couplings._kernels.modes import _least_sum, _shift, mode, spread_by, spread_modes

# Number of objects in a block.
BLOCK = 128
# A smaller share of the cost is rounding.
_NOISE = 1e-12


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
    members, centers, modes, sums, amounts, counts, sizes, uniforms, shared,
):  # fmt: skip
    """Move every object in turn to its nearest prototype; return the number of moves."""
    # An emptied cluster takes an object of the largest cluster, chosen by `uniforms`. With `shared`
    # a match with a mode costs the share of the cluster that has another value.
    moves = 0
    emptied = 0
    n_clusters = len(centers)
    # One row per number and per value, so that all clusters are processed at once.
    across, costs = centers.T.copy(), np.empty((offsets[-1], n_clusters))
    for c in range(n_clusters):
        spread_modes(data, starts, offsets, modes[c], costs[:, c])
        if shared:
            share_matches(counts[c], sizes[c], modes[c], costs[:, c])
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
                        if shared:
                            share_matches(
                                counts[donor], sizes[donor], modes[donor], costs[:, donor]
                            )
                        break
                    rank -= weights[v]
        for c in (source, best):
            copy_to(centers[c], across[:, c])
            spread_modes(data, starts, offsets, modes[c], costs[:, c])
            if shared:
                share_matches(counts[c], sizes[c], modes[c], costs[:, c])
    return moves


@njit(cache=True)
def share_matches(counts, size, modes, costs):
    """Write the costs of a match with the modes of a cluster under Ng's dissimilarity."""
    for x in modes:
        costs[x] = 1.0 - counts[x] / size if size > 0 else 0.0


@njit(cache=True)
def nearest_by_costs(numeric, values, centers, costs, gamma, labels, weights, scales):
    """Give each object its (first) nearest cluster; `costs` are those of its values, (L, k)."""
    total = 0.0
    for u in range(len(numeric)):
        best = math.inf
        for c in range(len(centers)):
            square, apart = 0.0, 0.0
            for t in range(numeric.shape[1]):
                step = centers[c, t] - numeric[u, t]
                square += step * step if step == step else 0.0
            for j in range(values.shape[1]):
                apart += costs[values[u, j], c]
            cost = square * scales[u] + gamma * apart
            if cost < best:
                best = cost
                labels[u] = c
        total += weights[u] * best
    return total


@njit(cache=True)
def nearest_in_turn(numeric, values, centers, modes, offsets, gamma, members, weights, scales):
    """Give each object its nearest prototype; matches cost by the objects before it."""
    k = len(centers)
    counts, sizes = np.zeros((k, offsets[-1]), np.int64), np.zeros(k, np.int64)
    for u in range(len(numeric)):
        best = math.inf
        for c in range(k):
            square, apart = 0.0, 0.0
            for t in range(numeric.shape[1]):
                step = centers[c, t] - numeric[u, t]
                square += step * step if step == step else 0.0
            for j in range(values.shape[1]):
                x = values[u, j]
                if x != modes[c, j]:
                    apart += 1.0
                elif sizes[c] > 0:
                    apart += 1.0 - counts[c, x] / sizes[c]
            cost = square * scales[u] + gamma * apart
            if cost < best:
                best = cost
                members[u] = c
        sizes[members[u]] += weights[u]
        for x in values[u]:
            counts[members[u], x] += weights[u]


@njit(cache=True)
def transfer(
    numeric, values, data, starts, offsets, gamma, weights, scales, members, centers, modes
):  # fmt: skip
    """Move objects one by one where the total cost falls most; return the number of moves.

    The cost of a cluster is that with its best prototype, which `centers` and `modes` become.
    """
    n, r = numeric.shape
    m, k, n_values = values.shape[1], len(centers), offsets[-1]
    sizes, sums = np.zeros(k, np.int64), np.zeros((k, n_values))
    totals, amounts, own = np.zeros((k, r)), np.zeros((k, r)), np.zeros(k)
    occurs = np.zeros(n_values, np.bool_)
    for u in range(n):
        c, share = members[u], weights[u] * scales[u]
        sizes[c] += weights[u]
        for t in range(r):
            if numeric[u, t] == numeric[u, t]:
                totals[c, t] += share * numeric[u, t]
                amounts[c, t] += share
        for x in values[u]:
            occurs[x] = True
        _shift(sums[c], weights[u], data, starts, offsets, values[u])
    whole = 0.0
    for c in range(k):
        own[c] = _least_sum(sums[c], np.int64(0), data, starts, offsets, values[0], occurs)
        whole += gamma * own[c]
    for u in range(n):
        for t in range(r):
            if numeric[u, t] == numeric[u, t]:
                step = numeric[u, t] - totals[members[u], t] / amounts[members[u], t]
                whole += weights[u] * scales[u] * step * step
    moves = 0
    for u in range(n):
        source, weight, row = members[u], weights[u], values[u]
        if sizes[source] == weight or weight == 0:
            continue
        share = weight * scales[u]
        left = _least_sum(sums[source], -weight, data, starts, offsets, row, occurs)
        saved = gamma * (own[source] - left)
        for t in range(r):
            rest = amounts[source, t] - share
            # Without the object no number is left: its step is 0.
            if numeric[u, t] == numeric[u, t] and rest > 0.5 * scales[u]:
                step = numeric[u, t] - totals[source, t] / amounts[source, t]
                saved += amounts[source, t] * share / rest * step * step
        target, least, joined = source, saved - _NOISE * whole, 0.0
        for c in range(k):
            if c == source:
                continue
            cost = _least_sum(sums[c], weight, data, starts, offsets, row, occurs)
            added = gamma * (cost - own[c])
            for t in range(r):
                if numeric[u, t] == numeric[u, t] and amounts[c, t] > 0.0:
                    step = numeric[u, t] - totals[c, t] / amounts[c, t]
                    added += amounts[c, t] * share / (amounts[c, t] + share) * step * step
            if added < least:
                target, least, joined = c, added, cost
        if target == source:
            continue
        moves += 1
        members[u] = target
        sizes[source] -= weight
        sizes[target] += weight
        own[source], own[target] = left, joined
        _shift(sums[source], -weight, data, starts, offsets, row)
        _shift(sums[target], weight, data, starts, offsets, row)
        for t in range(r):
            if numeric[u, t] == numeric[u, t]:
                totals[source, t] -= share * numeric[u, t]
                totals[target, t] += share * numeric[u, t]
                amounts[source, t] -= share
                amounts[target, t] += share
    for c in range(k):
        for t in range(r):
            if amounts[c, t] > 0.5:
                centers[c, t] = totals[c, t] / amounts[c, t]
        for j in range(m):
            least = math.inf
            for y in range(offsets[j], offsets[j + 1]):
                if occurs[y] and sums[c, y] < least:
                    least = sums[c, y]
                    modes[c, j] = y
    return moves


@njit(cache=True)
def _nearer(
    numeric, values, data, starts, offsets, gamma, weights, scales, fill, u, part, nearest, out
):  # fmt: skip
    """Write the cost of each object at the nearest start or object u; return the weighted sum."""
    spread_modes(data, starts, offsets, values[u], part)
    total = 0.0
    for v in range(len(numeric)):
        square, apart = 0.0, 0.0
        for t in range(numeric.shape[1]):
            if numeric[v, t] == numeric[v, t]:
                center = numeric[u, t] if numeric[u, t] == numeric[u, t] else fill[t]
                square += (center - numeric[v, t]) ** 2
        for x in values[v]:
            apart += part[x]
        out[v] = min(nearest[v], square * scales[v] + gamma * apart)
        total += weights[v] * out[v]
    return total


@njit(cache=True)
def spread_start(
    numeric, values, data, starts, offsets, gamma, weights, scales, fill, uniforms, chosen
):  # fmt: skip
    """Draw objects far apart, by `modes.spread_by`; a missing number is that of `fill`."""
    objects = (numeric, values, data, starts, offsets, gamma, weights, scales, fill)
    part, distances = np.zeros(offsets[-1]), np.empty((3, len(numeric)))
    spread_by(_nearer, objects, weights, uniforms, part, distances, chosen)


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
