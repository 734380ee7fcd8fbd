"""Copies of numbers within a kernel."""

from numba import njit


@njit(cache=True)
def copy_to(values, out):
    """Write values, 1-D, to the first places of `out`.

    As an assignment to a slice, with which numba compiles the text of its error: more than a
    second, in every process that compiles one.
    """
    for i in range(len(values)):
        out[i] = values[i]
