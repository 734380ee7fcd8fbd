"""The least of many floating-point numbers, in whole blocks."""

import numpy as np
from numba import njit

from couplings._kernels.intrinsics import LANES, least_above


@njit(cache=True)
def smallest_above(values, bound):
    """Return the least value that is larger than the bound, infinity if there is none."""
    whole = len(values) - len(values) % LANES
    least = least_above(values, whole, bound)
    for t in range(whole, len(values)):
        if bound < values[t] < least:
            least = values[t]
    return least


@njit(cache=True)
def first_least(values):
    """Return the first place of the least value, and the value; -1 and infinity without any."""
    least = smallest_above(values, -np.inf)
    if least < np.inf:
        for t in range(len(values)):
            if values[t] == least:
                return t, values[t]
    return -1, np.inf


@njit(cache=True)
def first_least_whole(values):
    """Return the first place of the least of some integers."""
    least = values[0]
    for t in range(len(values)):
        least = min(least, values[t])
    place = 0
    while values[place] != least:
        place += 1
    return place
