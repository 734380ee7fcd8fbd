"""Co-occurrence with other attributes; all entropies are summed strictly from left to right."""

import math

import numpy as np
from numba import njit, prange

from couplings._kernels.threads import twins


@njit(cache=True)
def dilca_distances(matrix, offsets, context, target):
    """Return the distances of the target's values over `context`, a mask of attributes."""
    # Each is the root of the mean, over all declared values x of the context, of (P(y given x) -
    # P(y' given x))**2; values that never occur add 0 and have distance 0.
    first, v = offsets[target], offsets[target + 1] - offsets[target]
    squares, term, share = np.zeros((v, v)), np.zeros((v, v)), np.empty(v)
    size = 0
    for k in range(len(context)):
        if not context[k]:
            continue
        size += offsets[k + 1] - offsets[k]
        for y in range(v):
            for z in range(y):
                term[y, z] = 0.0
        for x in range(offsets[k], offsets[k + 1]):
            if matrix[x, x] == 0:
                continue
            for y in range(v):
                share[y] = matrix[first + y, x] / matrix[x, x]
            for y in range(v):
                for z in range(y):
                    term[y, z] += (share[y] - share[z]) ** 2
        for y in range(v):
            for z in range(y):
                squares[y, z] += term[y, z]
    for y in range(v):
        for z in range(y):
            observed = matrix[first + y, first + y] > 0 and matrix[first + z, first + z] > 0
            squares[y, z] = math.sqrt(squares[y, z] / size) if observed and size > 0 else 0.0
            squares[z, y] = squares[y, z]
    return squares


@njit(cache=True)
def contexts_redundancy(uncertainty, orders, strict, context):
    """Write the contexts of all targets: relevant attributes without redundant ones."""
    # ``orders[target]`` are the attributes by decreasing relevance.
    m = len(uncertainty)
    for target in range(m):
        order = orders[target]
        for x in range(m):
            context[target, x] = x != target
        for a in range(m):
            x = order[a]
            if not context[target, x]:
                continue
            for b in range(a + 1, m):
                k = order[b]
                between, relevance = uncertainty[x, k], uncertainty[target, k]
                if between > relevance or (not strict and between == relevance):
                    context[target, k] = False


@njit(cache=True)
def variation_distances(matrix, offsets, target):
    """Return the means over the other attributes of the total variation of the values' shares."""
    # Values that never occur have distance 0.
    first, v = offsets[target], offsets[target + 1] - offsets[target]
    m = len(offsets) - 1
    totals, term, share = np.zeros((v, v)), np.empty((v, v)), np.zeros(v)
    for k in range(m):
        if k == target:
            continue
        term[:] = 0.0
        for x in range(offsets[k], offsets[k + 1]):
            if matrix[x, x] == 0:
                continue
            for y in range(v):
                if matrix[first + y, first + y] > 0:
                    share[y] = matrix[first + y, x] / matrix[first + y, first + y]
            for y in range(v):
                for z in range(y):
                    term[y, z] += abs(share[y] - share[z])
        totals += term / 2
    for y in range(v):
        for z in range(y):
            observed = matrix[first + y, first + y] > 0 and matrix[first + z, first + z] > 0
            totals[y, z] = totals[y, z] / (m - 1) if observed else 0.0
            totals[z, y] = totals[y, z]
    return totals


SIZED, ENTROPY = range(2)


@njit(cache=True)
def value_distances(kind, matrix, offsets, weights, target):
    """Return the distances of the target's values from their counts with all attributes."""
    # SIZED: mean over all attributes of the L1 distance of row shares per value that occurs with
    # either; the target itself contributes 1. ENTROPY: sum over s of weights[s] times the entropy
    # of the joint shares, in bits. Values that never occur have distance 0.
    first, v = offsets[target], offsets[target + 1] - offsets[target]
    m = len(offsets) - 1
    n = 0
    for y in range(v):
        n += matrix[first + y, first + y]
    result = np.zeros((v, v))
    for y in range(v):
        frequency_y = matrix[first + y, first + y]
        for z in range(y):
            frequency_z = matrix[first + z, first + z]
            if frequency_y == 0 or frequency_z == 0:
                continue
            total = 1.0 if kind == SIZED else 0.0
            for k in range(m):
                with_y = matrix[first + y, offsets[k] : offsets[k + 1]]
                with_z = matrix[first + z, offsets[k] : offsets[k + 1]]
                if kind == ENTROPY:
                    if weights[k] != 0.0:
                        total += weights[k] * _entropy(with_y, with_z, n)
                elif k != target:
                    variation, size = _variation(with_y, with_z, frequency_y, frequency_z)
                    total += variation / size
            if kind == SIZED:
                total /= m
            result[y, z] = result[z, y] = total
    return result


@njit(cache=True)
def _variation(with_y, with_z, frequency_y, frequency_z):
    """Return the L1 distance of the shares of two rows, and their number of non-zero values."""
    variation, size = 0.0, 0
    for b in range(len(with_y)):
        if with_y[b] > 0 or with_z[b] > 0:
            size += 1
            variation += abs(with_y[b] / frequency_y - with_z[b] / frequency_z)
    return variation, size


@njit(cache=True)
def _entropy(with_y, with_z, n):
    """Return the entropy of the joint shares of two rows, in bits."""
    entropy = 0.0
    for b in range(len(with_y)):
        share = (with_y[b] + with_z[b]) / n
        if share > 0.0:
            entropy -= share * math.log2(share)
    return entropy


@njit(cache=True)
def correlation_distances(centred, frequency):
    """Return 1 - Pearson's correlation of centred rows; 0 for values that never occur."""
    v = len(centred)
    result = np.zeros((v, v))
    for y in range(v):
        for z in range(y):
            if frequency[y] == 0 or frequency[z] == 0:
                continue
            product, square_y, square_z = 0.0, 0.0, 0.0
            for x in range(centred.shape[1]):
                product += centred[y, x] * centred[z, x]
                square_y += centred[y, x] * centred[y, x]
                square_z += centred[z, x] * centred[z, x]
            # A constant vector has correlation 0.
            rho = product / math.sqrt(square_y * square_z) if square_y * square_z > 0 else 0.0
            result[y, z] = result[z, y] = max(0.0, 1.0 - rho)
    return result


# Below this many products, threads cost more than they save.
_SERIAL_WORK = 10_000_000


@njit(cache=True)
def _shared_row(x, matrix, offsets, starts, weights, divisor, apart, data):
    """Write the entries of `shared` for value x and the values up to x."""
    m = len(offsets) - 1
    j = 0
    while offsets[j + 1] <= x:
        j += 1
    f_x = matrix[x, x]
    if f_x == 0:
        return
    first, size = offsets[j], offsets[j + 1] - offsets[j]
    for y in range(first, x + 1):
        f_y = matrix[y, y]
        if f_y == 0:
            continue
        whole = f_x * f_y
        total = 0.0
        for k in range(m):
            if k == j or weights[j, k] == 0.0:
                continue
            common = 0
            # Slices that start at 0 are summed with vector instructions.
            of_x = matrix[x, offsets[k] : offsets[k + 1]]
            of_y = matrix[y, offsets[k] : offsets[k + 1]]
            for b in range(len(of_x)):
                common += min(of_x[b] * f_y, of_y[b] * f_x)
            # Counts in floating point are rounded.
            common = min(common, whole)
            part = whole - common if apart else common
            total += weights[j, k] * (part / whole)
        data[starts[j] + (x - first) * size + y - first] = total / divisor
        data[starts[j] + (y - first) * size + x - first] = total / divisor


@njit(parallel=True)
def _shared_rows(matrix, offsets, starts, weights, divisor, apart, data):
    """Write the entries of `shared` for all values, in parallel."""
    for x in prange(len(matrix)):
        _shared_row(x, matrix, offsets, starts, weights, divisor, apart, data)


@njit(cache=True)
def shared(matrix, offsets, starts, weights, divisor, apart, data):
    """Write ``sum_k weights[j, k] s_k / divisor`` for all pairs of values x, y of attribute j."""
    # s_k sums min(P(b given x), P(b given y)), or with `apart` 1 minus it, over integers min(N_xb
    # f_y, N_yb f_x): it is rounded once, and equal distributions give exactly 1 (0 with `apart`).
    # `data` starts as zeros; pairs with a value that never occurs stay 0.
    if len(data) * len(matrix) < _SERIAL_WORK:
        for x in range(len(matrix)):
            _shared_row(x, matrix, offsets, starts, weights, divisor, apart, data)
    else:
        _shared_rows(matrix, offsets, starts, weights, divisor, apart, data)


@njit(cache=True)
def _agreement(matrix, offsets, r, s, drawn):
    """Return the number of object pairs equal in both attributes plus absolute 2 x 2 minors.

    An object makes no pair with itself (`drawn` 1), or is drawn with replacement (0).
    """
    total = 0.0
    for t in range(offsets[r], offsets[r + 1]):
        for g in range(offsets[s], offsets[s + 1]):
            both = matrix[t, g]
            total += both * (both - drawn) / 2
    for t in range(offsets[r], offsets[r + 1]):
        for h in range(offsets[r], t):
            for g in range(offsets[s], offsets[s + 1]):
                for u in range(offsets[s], g):
                    total += abs(matrix[t, g] * matrix[h, u] - matrix[t, u] * matrix[h, g])
    return total


@twins()
def agreements(matrix, offsets, drawn):
    """Return `_agreement` for all pairs of attributes, float64 of shape (m, m)."""
    m = len(offsets) - 1
    result = np.zeros((m, m))
    for r in prange(m):
        for s in range(r + 1):
            result[r, s] = result[s, r] = _agreement(matrix, offsets, r, s, drawn)
    return result


@njit(cache=True)
def entropies(matrix, offsets, n_objects):
    """Return the entropy of each attribute, in nats."""
    result = np.zeros(len(offsets) - 1)
    for j in range(len(result)):
        for x in range(offsets[j], offsets[j + 1]):
            if matrix[x, x] > 0:
                result[j] += matrix[x, x] / n_objects * math.log(n_objects / matrix[x, x])
    return result


@njit(cache=True)
def uncertainty_clipped(matrix, offsets, n_objects, noise):
    """Return the symmetric matrix in [0, 1], with values below `noise` set to 0."""
    h = entropies(matrix, offsets, n_objects)
    n = float(n_objects)
    m = len(h)
    result = np.ones((m, m))
    for i in range(m):
        for j in range(i):
            value = 0.0
            if h[i] > 0 and h[j] > 0:
                gain = 0.0
                for x in range(offsets[i], offsets[i + 1]):
                    for y in range(offsets[j], offsets[j + 1]):
                        if matrix[x, y] > 0:
                            # The ratio is exactly 1 under exact independence.
                            independent = float(matrix[x, x]) * float(matrix[y, y])
                            gain += matrix[x, y] * math.log(matrix[x, y] * n / independent)
                value = 2.0 * (gain / n) / (h[i] + h[j])
                value = min(value, 1.0) if value >= noise else 0.0
            result[i, j] = result[j, i] = value
    return result


@njit(cache=True)
def _count_log(count):
    """Return a ln a, with 0 at 0."""
    return count * math.log(count) if count > 0 else 0.0


@njit(cache=True)
def uncertainty_weka(matrix, offsets, n_objects):
    """Return the matrix in Weka's order of operations: sums of a ln a over raw counts."""
    m = len(offsets) - 1
    total = _count_log(float(n_objects))
    sums = np.zeros(m)
    for j in range(m):
        for x in range(offsets[j], offsets[j + 1]):
            sums[j] += _count_log(float(matrix[x, x]))
    h = sums - total
    result = np.ones((m, m))
    for i in range(m):
        for j in range(m):
            if i == j:
                continue
            if abs(h[i]) < 1e-6 or abs(h[j]) < 1e-6:
                result[i, j] = 0.0
                continue
            joint = 0.0
            for x in range(offsets[i], offsets[i + 1]):
                for y in range(offsets[j], offsets[j + 1]):
                    joint += _count_log(float(matrix[x, y]))
            result[i, j] = 2.0 * ((h[i] - (joint - sums[j])) / (h[i] + h[j]))
    return result
