"""Dictionary codes of one source into codes of a domain."""

from numba import njit


@njit(cache=True, nogil=True)
def translate(positions, codes_of, out, used):
    """Write ``codes_of[positions]``; mark in `used` which entries of `codes_of` were met.

    Position -1 is the last entry, as in Python; that one need not be marked.
    """
    last = len(codes_of) - 1
    n = len(positions)
    unseen = last
    i = 0
    while i < n and unseen > 0:
        p = positions[i]
        if p < 0:
            p = last
        out[i] = codes_of[p]
        if not used[p]:
            used[p] = True
            unseen -= p != last
        i += 1
    # Most dictionaries have been met in full by now.
    while i < n:
        out[i] = codes_of[positions[i]]
        i += 1
