"""Steps and criteria that all mixtures fitted by expectation and maximisation share."""

import warnings
from collections.abc import Sequence

import numpy as np


def logs_of(shares: np.ndarray) -> np.ndarray:
    """Return logarithms, with -inf at 0."""
    with np.errstate(divide="ignore"):
        return np.log(shares)


def settled(objectives: Sequence[float] | np.ndarray, tol: float) -> bool:
    """Return whether the last step increased the objective by less than a share `tol` of it."""
    if len(objectives) < 2:
        return False
    return bool(objectives[-1] - objectives[-2] < tol * abs(objectives[-1]))


def warn_of_steps(owner: str, max_iter: int) -> None:
    """Issue a `ConvergenceWarning` that EM used all steps, in the name of the caller of `fit`."""
    from sklearn.exceptions import ConvergenceWarning

    warnings.warn(
        f"{owner}: the best start did not converge in max_iter={max_iter} steps; increase "
        "max_iter or tol",
        ConvergenceWarning,
        stacklevel=4,
    )


def criteria_of(
    log_likelihood: float, p: int, n: float, k: int, entropy: float
) -> dict[str, float]:
    """Return the information criteria of a model, see `LatentClasses.criteria_`."""
    twice = -2 * log_likelihood
    bic = twice + p * float(np.log(n))
    return {
        "aic": twice + 2 * p,
        "bic": bic,
        "caic": bic + p,
        "sabic": twice + p * float(np.log((n + 2) / 24)),
        "icl": bic + 2 * entropy,
        "relative_entropy": 1 - entropy / (n * float(np.log(k))) if k > 1 else 1.0,
    }
