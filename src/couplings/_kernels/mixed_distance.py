"""Weighted means of the differences in numbers and in categories."""

import numpy as np
from numba import njit, prange


@njit(parallel=True, cache=True, error_model="numpy")
def weighted_means(
    numbers_a, numbers_b, codes_a, codes_b, number_weights, code_weights, data, starts, sizes,
    squared, ignore, out,
):  # fmt: skip
    """Write the weighted mean difference of every row of `a` and of `b`.

    Numbers are on the scale of their range, NaN where missing; codes are -1 where missing.
    `data` holds the differences of the values. With `ignore` an attribute that is missing in
    either object is left out, otherwise a missing number is at the largest difference, 1. With
    `squared` differences of numbers are squared and the root of the mean is written.
    """
    for u in prange(len(numbers_a)):
        for v in range(len(numbers_b)):
            total = 0.0
            whole = 0.0
            for t in range(numbers_a.shape[1]):
                x, y = numbers_a[u, t], numbers_b[v, t]
                gap = abs(x - y)
                if np.isnan(gap):
                    if ignore:
                        continue
                    gap = 0.0 if np.isnan(x) and np.isnan(y) else 1.0
                elif squared:
                    gap *= gap
                total += number_weights[t] * gap
                whole += number_weights[t]
            for j in range(codes_a.shape[1]):
                x, y = codes_a[u, j], codes_b[v, j]
                if x < 0 or y < 0:
                    continue
                total += code_weights[j] * data[starts[j] + x * sizes[j] + y]
                whole += code_weights[j]
            mean = total / whole
            out[u, v] = np.sqrt(mean) if squared else mean
