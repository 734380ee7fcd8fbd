"""Leading eigenvalues of symmetric matrices, and how far the next one is."""

import math

import numpy as np

# Up to this many rows a full decomposition is as fast as Lanczos iterations.
_DENSE = 1000
# Rows whose absolute values are in memory at a time; all of them would be a second matrix.
_ROWS = 64


def leading(matrix: np.ndarray, k: int) -> tuple[np.ndarray, np.ndarray, float]:
    """Return the k largest eigenvalues, decreasing, their eigenvectors, and the gap after them."""
    from scipy.linalg import eigh
    from scipy.sparse.linalg import ArpackNoConvergence, eigsh

    size = len(matrix)
    if size > max(_DENSE, 10 * k):
        # A fixed start makes the result reproducible.
        start = np.random.default_rng(0).standard_normal(size)
        try:
            values, vectors = eigsh(matrix, k, which="LA", v0=start, ncv=max(20, 3 * k))
        except ArpackNoConvergence:
            pass
        else:
            order = np.argsort(-values, kind="stable")
            values, vectors = values[order], vectors[:, order]
            return values, vectors, _gap(matrix, values, vectors)
    values, vectors = eigh(matrix, subset_by_index=[size - k, size - 1], check_finite=False)
    values, vectors = values[::-1], vectors[:, ::-1]
    return values, vectors, _gap(matrix, values, vectors)


def _gap(matrix: np.ndarray, values: np.ndarray, vectors: np.ndarray) -> float:
    """Return what the last of the leading eigenvalues has over the next, see `SpectralEmbedding`.

    To ask the solver for one eigenvalue more would give the others another rounding. So the next
    one is found alone, with the known ones taken out of the matrix: a few dozen products.
    """
    from scipy.sparse.linalg import ArpackNoConvergence, LinearOperator, eigsh

    size, k = vectors.shape
    if size == k:
        return math.inf
    # Known directions go to the lower end, out of the way.
    shift = values - min(float(values[-1]), 0.0) + _largest_row_sum(matrix)

    def product(vector: np.ndarray) -> np.ndarray:
        vector = vector.reshape(-1)
        return matrix @ vector - vectors @ (shift * (vectors.T @ vector))

    if size - k < 3 or size < 8:
        below = matrix - (vectors * shift) @ vectors.T
        after = float(np.linalg.eigvalsh(below)[-1])
    else:
        operator = LinearOperator(matrix.shape, product, dtype=np.float64)
        start = np.random.default_rng(1).standard_normal(size)
        try:
            after = float(
                eigsh(
                    operator,
                    1,
                    which="LA",
                    v0=start,
                    tol=1e-6,
                    maxiter=20,
                    return_eigenvectors=False,
                )[0]
            )
        except ArpackNoConvergence:
            return math.nan
    largest = max(abs(float(values[0])), abs(float(values[-1])))
    return (float(values[-1]) - after) / largest if largest else 0.0


def _largest_row_sum(matrix: np.ndarray) -> float:
    """Return the largest sum of the absolute values of a row, a bound of all eigenvalues."""
    return max(
        float(np.abs(matrix[start : start + _ROWS]).sum(axis=1).max())
        for start in range(0, len(matrix), _ROWS)
    )
