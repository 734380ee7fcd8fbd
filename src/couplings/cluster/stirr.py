"""STIRR: clusters of values from a dynamical system on their co-occurrences."""

import numpy as np

from couplings._checks import Seed, check_positive, generator, is_integer
from couplings.counts import CooccurrenceCounts
from couplings.errors import CouplingsError


def stirr(
    counts: CooccurrenceCounts,
    n_configurations: int = 10,
    n_iter: int = 7,
    random_state: Seed = None,
) -> np.ndarray:
    """Return the weights of all values under STIRR.

    A configuration is a vector of weights of all values. In each round, and in every configuration,
    a value receives the sum, over the objects that have it, of the weights of their other values.
    Then the configurations are orthonormalised, first to last. The first starts with ones, the
    others with normal random numbers.

    Parameters
    ----------
    counts : CooccurrenceCounts
        Counts of L values, in m > 1 attributes.
    n_configurations : int, default 10
        Number of configurations M, 2 to L.
    n_iter : int, default 7
        Number of rounds.
    random_state : int or Generator, optional
        Seed of the initial weights.

    Returns
    -------
    ndarray of float64, shape (L, M)
        Orthonormal columns. The sign of a column is arbitrary; the signs within it separate values.

    Raises
    ------
    CouplingsError
        If the table has one attribute, or if a number is out of range.

    References
    ----------
    Gibson, Kleinberg and Raghavan, VLDB Journal 8 (2000), with the combiner "addition".
    """
    n_values = len(counts.matrix)
    if counts.n_attributes < 2:
        raise CouplingsError(
            "STIRR relates different attributes, and there is only one; add another"
        )
    if not is_integer(n_configurations) or not 2 <= n_configurations <= n_values:
        raise CouplingsError(
            f"stirr: n_configurations={n_configurations!r} must be an integer from 2 to "
            f"{n_values}, the number of values"
        )
    check_positive("stirr", n_iter=n_iter)
    rng = generator("stirr", random_state)
    weights = rng.standard_normal((n_values, n_configurations))
    weights[:, 0] = 1.0
    # Blocks of an attribute with itself are diagonal.
    others = counts.matrix.astype(np.float64)
    np.fill_diagonal(others, 0.0)
    for _ in range(n_iter):
        weights, triangle = np.linalg.qr(others @ weights)
        # Keep the direction of every column, which LAPACK chooses freely.
        weights *= np.where(triangle.diagonal() < 0, -1.0, 1.0)
    return weights
