"""What the conditional distributions of two values share."""

from numba import njit, prange

# Below this many products threads cost more than they bring.
_SERIAL_WORK = 10_000_000


@njit(cache=True)
def _shared_row(x, matrix, offsets, starts, weights, divisor, apart, data):
    """Write the entries of `shared` for value x and the values up to it."""
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
            # Slices that start at 0 are added up in vector instructions.
            of_x = matrix[x, offsets[k] : offsets[k + 1]]
            of_y = matrix[y, offsets[k] : offsets[k + 1]]
            for b in range(len(of_x)):
                common += min(of_x[b] * f_y, of_y[b] * f_x)
            part = whole - common if apart else common
            total += weights[j, k] * (part / whole)
        data[starts[j] + (x - first) * size + y - first] = total / divisor
        data[starts[j] + (y - first) * size + x - first] = total / divisor


@njit(parallel=True)
def _shared_rows(matrix, offsets, starts, weights, divisor, apart, data):
    """Write the entries of `shared` for all values, in threads."""
    for x in prange(len(matrix)):
        _shared_row(x, matrix, offsets, starts, weights, divisor, apart, data)


@njit(cache=True)
def shared(matrix, offsets, starts, weights, divisor, apart, data):
    """Write ``sum_k weights[j, k] s_k / divisor`` for every two values x, y of attribute j.

    s_k is the sum over the values b of attribute k of ``min(P(b given x), P(b given y))``, or
    one minus it with `apart`. The sum runs over integers, ``min(N_xb f_y, N_yb f_x)``, so s_k is
    rounded once and equal distributions are at exactly 1 (0 with `apart`). `data` starts as zeros;
    pairs with a value that never occurs keep them.
    """
    if len(data) * len(matrix) < _SERIAL_WORK:
        for x in range(len(matrix)):
            _shared_row(x, matrix, offsets, starts, weights, divisor, apart, data)
    else:
        _shared_rows(matrix, offsets, starts, weights, divisor, apart, data)
