"""Copies and sums of rows within a kernel.

An assignment to a row or a slice does the same, but numba compiles the text of its error with it:
more than a second, in every process that compiles one.
"""

from numba import njit


@njit(cache=True)
def copy_to(values, out):
    """Write values, 1-D, to the first places of `out`."""
    for i in range(len(values)):
        out[i] = values[i]


@njit(cache=True)
def add_to(values, out):
    """Add values, 1-D, to the first places of `out`."""
    for i in range(len(values)):
        out[i] += values[i]
