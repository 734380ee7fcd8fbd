"""Value dissimilarities from the co-occurrence with other attributes."""

import math

import numpy as np
from numba import njit


@njit(cache=True)
def dilca_terms(matrix, offsets, target):
    """Return, for each context attribute, the squared differences of column-conditional shares.

    Entry [X, y, y'] is the sum over the values x of X of (P(y given x) - P(y' given x))**2, with
    P(y given x) = 0 for a value x that never occurs. The target itself gets 0.
    """
    m = len(offsets) - 1
    first, v = offsets[target], offsets[target + 1] - offsets[target]
    terms = np.zeros((m, v, v))
    share = np.empty(v)
    for k in range(m):
        if k == target:
            continue
        for x in range(offsets[k], offsets[k + 1]):
            if matrix[x, x] == 0:
                continue
            for y in range(v):
                share[y] = matrix[first + y, x] / matrix[x, x]
            for y in range(v):
                for z in range(y):
                    terms[k, y, z] += (share[y] - share[z]) ** 2
    for k in range(m):
        for y in range(v):
            for z in range(y):
                terms[k, z, y] = terms[k, y, z]
    return terms


@njit(cache=True)
def dilca_distances(terms, context, n_values, frequency):
    """Return the distances of the target's values over the context (a mask of attributes)."""
    v = terms.shape[1]
    squares = np.zeros((v, v))
    size = 0
    for k in range(len(context)):
        if context[k]:
            squares += terms[k]
            size += n_values[k]
    for y in range(v):
        for z in range(v):
            observed = frequency[y] > 0 and frequency[z] > 0
            squares[y, z] = math.sqrt(squares[y, z] / size) if observed and size > 0 else 0.0
    return squares


@njit(cache=True)
def contexts_mean(uncertainty, sigma):
    """Return the contexts of all targets: at least `sigma` times the mean uncertainty."""
    m = len(uncertainty)
    context = np.zeros((m, m), np.bool_)
    for target in range(m):
        total = 0.0
        for k in range(m):
            if k != target:
                total += uncertainty[target, k]
        threshold = sigma * (total / (m - 1))
        for k in range(m):
            context[target, k] = k != target and uncertainty[target, k] >= threshold
    return context


@njit(cache=True)
def contexts_redundancy(uncertainty, strict):
    """Return the contexts of all targets: relevant attributes, less the redundant ones."""
    m = len(uncertainty)
    context = np.zeros((m, m), np.bool_)
    for target in range(m):
        order = np.argsort(-uncertainty[target], kind="mergesort")
        context[target] = True
        context[target, target] = False
        for a in range(m):
            x = order[a]
            if not context[target, x]:
                continue
            for b in range(a + 1, m):
                k = order[b]
                between, relevance = uncertainty[x, k], uncertainty[target, k]
                if between > relevance or (not strict and between == relevance):
                    context[target, k] = False
    return context


@njit(cache=True)
def mean_total_variation(matrix, offsets, target):
    """Return the mean over the other attributes of the total variation of row shares."""
    m = len(offsets) - 1
    first, v = offsets[target], offsets[target + 1] - offsets[target]
    result = np.zeros((v, v))
    for y in range(v):
        frequency_y = matrix[first + y, first + y]
        for z in range(y):
            frequency_z = matrix[first + z, first + z]
            if frequency_y == 0 or frequency_z == 0:
                continue
            total = 0.0
            for k in range(m):
                if k == target:
                    continue
                variation = 0.0
                for x in range(offsets[k], offsets[k + 1]):
                    variation += abs(
                        matrix[first + y, x] / frequency_y - matrix[first + z, x] / frequency_z
                    )
                total += variation / 2
            result[y, z] = total / (m - 1)
            result[z, y] = result[y, z]
    return result


@njit(cache=True)
def correlation_distance(matrix, offsets, target):
    """Return 1 - Pearson's correlation of the counts with all values of the other attributes."""
    first, last = offsets[target], offsets[target + 1]
    v = last - first
    n_other = matrix.shape[0] - v
    centred = np.empty((v, n_other))
    for y in range(v):
        position = 0
        total = 0.0
        for x in range(matrix.shape[0]):
            if x < first or x >= last:
                centred[y, position] = matrix[first + y, x]
                total += matrix[first + y, x]
                position += 1
        for x in range(n_other):
            centred[y, x] -= total / n_other
    result = np.zeros((v, v))
    for y in range(v):
        for z in range(y):
            if matrix[first + y, first + y] == 0 or matrix[first + z, first + z] == 0:
                continue
            product, square_y, square_z = 0.0, 0.0, 0.0
            for x in range(n_other):
                product += centred[y, x] * centred[z, x]
                square_y += centred[y, x] * centred[y, x]
                square_z += centred[z, x] * centred[z, x]
            # A constant vector correlates with nothing.
            rho = product / math.sqrt(square_y * square_z) if square_y * square_z > 0 else 0.0
            result[y, z] = max(0.0, 1.0 - rho)
            result[z, y] = result[y, z]
    return result
