"""Leading eigenvalues of symmetric matrices, and how far the next one is."""

import math

import numpy as np

# Up to this many rows a full decomposition is as fast as Lanczos iterations.
_DENSE = 1000
# Vectors between restarts, and tolerance, with which the next eigenvalue is found: roughly, and
# again if the gap, as a share of the largest eigenvalue, is not clear.
_CLOSER = ((10, 1e-4), (20, 1e-6))
_CLEAR = 1e-3


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
    one is found alone, with the known ones taken out of the matrix: a dozen products, each of which
    reads one half of it. A small gap is looked at more closely.
    """
    from scipy.linalg.blas import dsymv
    from scipy.sparse.linalg import ArpackNoConvergence, LinearOperator, eigsh

    size, k = vectors.shape
    if size == k:
        return math.inf
    largest = max(abs(float(values[0])), abs(float(values[-1])))
    # Known directions get the mean of the other eigenvalues, which is not above the next one.
    shift = values - (matrix.trace() - values.sum()) / (size - k)
    if size - k < 3 or size < 8:
        below = matrix - (vectors * shift) @ vectors.T
        return _share(float(values[-1]) - float(np.linalg.eigvalsh(below)[-1]), largest)

    def product(vector: np.ndarray) -> np.ndarray:
        vector = vector.reshape(-1)
        return dsymv(1.0, matrix.T, vector) - vectors @ (shift * (vectors.T @ vector))

    operator = LinearOperator(matrix.shape, product, dtype=np.float64)
    start = np.random.default_rng(1).standard_normal(size)
    gap = math.nan
    for steps, tolerance in _CLOSER:
        try:
            (after,) = eigsh(
                operator,
                1,
                which="LA",
                v0=start,
                ncv=min(steps, size),
                tol=tolerance,
                maxiter=20,
                return_eigenvectors=False,
            )
        except ArpackNoConvergence:
            continue
        gap = _share(float(values[-1] - after), largest)
        if gap > _CLEAR:
            break
    return gap


def _share(difference: float, largest: float) -> float:
    """Return the difference as a share of the largest eigenvalue, 0 if that is 0."""
    return difference / largest if largest else 0.0
