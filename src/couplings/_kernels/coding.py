"""Dictionary codes of one source into codes of a domain."""

from numba import njit


@njit(cache=True, nogil=True)
def translate(positions, codes_of, out, used):
    """Write ``codes_of[positions]``; mark in `used` which entries of `codes_of` were met.

    Position -1 is the last entry, as in Python.
    """
    last = len(codes_of) - 1
    for i in range(len(positions)):
        p = positions[i]
        if p < 0:
            p = last
        out[i] = codes_of[p]
        used[p] = True
