"""Passes over the rows for latent classes: posteriors, and counts expected under them.

Rows hold global value indices (offset of the attribute plus code), so that one table over all L
values serves every attribute; a missing cell is -1.
"""

import math

import numpy as np
from numba import njit

from couplings._kernels.copying import copy_to


@njit(cache=True)
def expectation(values, weights, log_weights, log_shares, posterior):
    """Write the posteriors, shape (g, k), and return the log-likelihood; -1 is a missing cell.

    A cluster of log weight -inf gets 0.
    """
    k = len(log_weights)
    total = 0.0
    logs = np.empty(k)
    for u in range(len(values)):
        copy_to(log_weights, logs)
        for j in range(values.shape[1]):
            x = values[u, j]
            if x >= 0:
                for c in range(k):
                    logs[c] += log_shares[x, c]
        largest = logs.max()
        evidence = 0.0
        for c in range(k):
            logs[c] = math.exp(logs[c] - largest)
            evidence += logs[c]
        for c in range(k):
            posterior[u, c] = logs[c] / evidence
        total += weights[u] * (largest + math.log(evidence))
    return total


@njit(cache=True)
def expected_counts(values, weights, posterior, n_values):
    """Return the expected counts of each value in each cluster, shape (L, k); -1 is missing."""
    k = posterior.shape[1]
    counts = np.zeros((n_values, k))
    for u in range(len(values)):
        for j in range(values.shape[1]):
            x = values[u, j]
            if x >= 0:
                for c in range(k):
                    counts[x, c] += weights[u] * posterior[u, c]
    return counts
