"""Two ways of clustering beside each other, on the data sets that both were scored on."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

# Differences of ARI up to this are none in practice.
ROPE = 0.01
_DIGITS = 10


@dataclass(frozen=True)
class Versus:
    """One way of clustering against another one.

    Attributes
    ----------
    against : str
        The other one, in words.
    better, same, worse : int
        Data sets on which the first is better or worse by more than 0.01 ARI, or neither.
    mean : float
        Mean difference of the ARI.
    low, high : float
        Its 95 % interval over data sets, by Student's t.
    p : float
        Two-sided Wilcoxon signed-rank test, zeros by Pratt; not corrected.
    """

    against: str
    better: int
    same: int
    worse: int
    mean: float
    low: float
    high: float
    p: float

    @classmethod
    def of(cls, differences: np.ndarray, against: str) -> "Versus":
        """Compare by the differences of the scores.

        Parameters
        ----------
        differences : ndarray of float64, shape (N,)
            First minus other, one per data set; N is at least 2.
        against : str
            The other one, in words.
        """
        from scipy.stats import t

        n = len(differences)
        mean = float(differences.mean())
        half = float(t.ppf(0.975, n - 1) * differences.std(ddof=1) / np.sqrt(n))
        better, worse = int((differences > ROPE).sum()), int((differences < -ROPE).sum())
        same = n - better - worse
        p = signed_rank(differences)
        return cls(against, better, same, worse, mean, mean - half, mean + half, p)

    @property
    def tried(self) -> int:
        """Number of data sets."""
        return self.better + self.same + self.worse

    def __str__(self) -> str:
        """Say it in words."""
        return (
            f"better than {self.against} on {self.better} and worse on {self.worse} of "
            f"{self.tried} data sets, by {self.mean:.2f} ARI on average (95 % interval "
            f"{self.low:.2f} to {self.high:.2f}; p {p_text(self.p)})"
        )


def signed_rank(differences: np.ndarray) -> float:
    """p-value of the two-sided Wilcoxon signed-rank test, zeros by Pratt; 1 if all are 0."""
    from scipy.stats import wilcoxon

    rounded = np.round(differences, _DIGITS)
    return float(wilcoxon(rounded, zero_method="pratt").pvalue) if rounded.any() else 1.0


def holm(p_values: Sequence[float]) -> np.ndarray:
    """Correct p-values for their number, after Holm.

    Parameters
    ----------
    p_values : sequence of float
        In [0, 1].

    Returns
    -------
    ndarray of float64
        In the same order.
    """
    p = np.asarray(p_values, dtype=float)
    order = np.argsort(p, kind="stable")
    steps = np.maximum.accumulate(p[order] * np.arange(len(p), 0, -1))
    corrected = np.empty(len(p))
    corrected[order] = np.minimum(steps, 1.0)
    return corrected


def p_text(p: float) -> str:
    """Relation and number, such as ``= 0.020``."""
    return "< 0.001" if p < 0.001 else f"= {p:.3f}"
