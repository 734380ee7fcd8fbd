"""Leading eigenvalues of symmetric matrices, and their gap to the next one."""

import math

import numpy as np

from couplings._kernels import scaled

# Up to this many rows, a full decomposition is as fast as Lanczos iterations.
_DENSE = 1000
# Lanczos vectors between restarts, and tolerance for the next eigenvalue: first a rough one, then
# a fine one if the gap, as a share of the largest eigenvalue, is unclear.
_CLOSER = ((10, 1e-4), (20, 1e-6))
_CLEAR = 1e-3


def leading(
    matrix: np.ndarray, k: int, scale: np.ndarray | None = None
) -> tuple[np.ndarray, np.ndarray, float]:
    """Return the k largest eigenvalues, decreasing, their eigenvectors, and the gap below them."""
    # `scale` holds factors of rows, then columns; with it `matrix` must be symmetric to the last
    # bit.
    from scipy.linalg import eigh
    from scipy.sparse.linalg import ArpackNoConvergence, LinearOperator, eigsh

    size = len(matrix)
    if size > max(_DENSE, 10 * k):
        operator = matrix
        if scale is not None:
            # the digits of the scaled matrix, of which the solver reads only one half
            operator = LinearOperator(
                matrix.shape, lambda x: scaled.product(matrix, scale, x.reshape(-1)), dtype=float
            )
        # A fixed start makes the result reproducible.
        start = np.random.default_rng(0).standard_normal(size)
        try:
            values, vectors = eigsh(operator, k, which="LA", v0=start, ncv=max(20, 3 * k))
        except ArpackNoConvergence:
            pass
        else:
            order = np.argsort(-values, kind="stable")
            values, vectors = values[order], vectors[:, order]
            return values, vectors, _gap(matrix, values, vectors, scale)
    if scale is not None:
        matrix *= scale[:, None]
        matrix *= scale
    values, vectors = eigh(matrix, subset_by_index=[size - k, size - 1], check_finite=False)
    values, vectors = values[::-1], vectors[:, ::-1]
    return values, vectors, _gap(matrix, values, vectors)


def _gap(
    matrix: np.ndarray, values: np.ndarray, vectors: np.ndarray, scale: np.ndarray | None = None
) -> float:
    """Return the gap between the last leading eigenvalue and the next, see `SpectralEmbedding`."""
    # One more eigenvalue would change the rounding of the others. Instead the known eigenvectors
    # are projected out and the next one is found alone; a small gap is computed again, more
    # precisely.
    from scipy.linalg.blas import dsymv
    from scipy.sparse.linalg import ArpackNoConvergence, LinearOperator, eigsh

    size, k = vectors.shape
    if size == k:
        return math.inf
    by = np.ones(size) if scale is None else scale
    largest = max(abs(float(values[0])), abs(float(values[-1])))
    # Known directions get the mean of the other eigenvalues, which is at most the next one.
    others = float((matrix.diagonal() * by**2).sum() - values.sum()) / (size - k)
    shift = values - others
    if size - k < 3 or size < 8:
        below = matrix - (vectors * shift) @ vectors.T
        return _share(float(values[-1]) - float(np.linalg.eigvalsh(below)[-1]), largest)

    def product(vector: np.ndarray) -> np.ndarray:
        vector = vector.reshape(-1)
        taken_out = vectors @ (shift * (vectors.T @ vector))
        return by * dsymv(1.0, matrix.T, by * vector) - taken_out

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
    return difference / largest if largest else 0.0
