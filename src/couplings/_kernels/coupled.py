"""What the conditional distributions of two values share."""

from numba import njit, prange


@njit(parallel=True, cache=True)
def shared(matrix, offsets, starts, weights, divisor, apart, data):
    """Write ``sum_k weights[j, k] s_k / divisor`` for every two values x, y of attribute j.

    s_k is the sum over the values b of attribute k of ``min(P(b given x), P(b given y))``, or
    one minus it with `apart`. The sum runs over integers, ``min(N_xb f_y, N_yb f_x)``, so s_k is
    rounded once and equal distributions are at exactly 1 (0 with `apart`). `data` starts as zeros;
    pairs with a value that never occurs keep them.
    """
    m = len(offsets) - 1
    for x in prange(offsets[m]):
        j = 0
        while offsets[j + 1] <= x:
            j += 1
        f_x = matrix[x, x]
        if f_x == 0:
            continue
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
                for b in range(offsets[k], offsets[k + 1]):
                    common += min(matrix[x, b] * f_y, matrix[y, b] * f_x)
                part = whole - common if apart else common
                total += weights[j, k] * (part / whole)
            data[starts[j] + (x - first) * size + y - first] = total / divisor
            data[starts[j] + (y - first) * size + x - first] = total / divisor
