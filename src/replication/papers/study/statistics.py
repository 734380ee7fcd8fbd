"""Compare methods over data sets.

A score matrix has one row per data set and one column per method; higher is better. The data sets
are the sample of every test. Scores are rounded to `DIGITS` before they are ranked, so that scores
which differ by the order of a sum tie.
"""

import math
from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
from baycomp import SignedRankTest
from scipy import stats

DIGITS = 10
ALPHA = 0.05
"""Significance level of p-values, which are corrected if there are several."""
ROPE = 0.01
"""Largest difference of ARI that counts as none: tables print hundredths."""
RESAMPLES = 10_000
"""Draws of the bootstrap."""
DRAWS = 2_000
"""Draws of the posterior, which give its means to about 0.005."""

Families = Sequence[Sequence[str]]
"""Groups of related data sets."""


class Friedman(NamedTuple):
    """Results of Friedman's test and of Nemenyi's comparison.

    Attributes
    ----------
    datasets : int
        N.
    ranks : Series
        Mean rank of each method, best first; 1 is the best rank, and ties share their ranks.
    p : float
        By Iman and Davenport's form of the statistic, corrected for ties.
    difference : float
        Critical difference of mean ranks by Nemenyi, at `ALPHA`.
    """

    datasets: int
    ranks: pd.Series
    p: float
    difference: float


def ranks(scores: pd.DataFrame) -> pd.DataFrame:
    """Return ranks within each data set, 1 for the best; ties share the mean of their ranks."""
    return scores.round(DIGITS).rank(axis=1, ascending=False)


def friedman(scores: pd.DataFrame) -> Friedman | None:
    """Run Friedman's test on scores without gaps, shape (N, k).

    Returns
    -------
    Friedman or None
        None for fewer than three data sets or methods, or if all methods always tie.

    References
    ----------
    Demsar, Journal of Machine Learning Research 7 (2006).
    """
    n, k = scores.shape
    rounded = scores.round(DIGITS)
    if n < 3 or k < 3 or (rounded.max(axis=1) == rounded.min(axis=1)).all():
        return None
    chi2 = float(stats.friedmanchisquare(*(rounded[name] for name in rounded)).statistic)
    below = n * (k - 1) - chi2
    statistic = (n - 1) * chi2 / below if below > 1e-9 else math.inf
    p = float(stats.f.sf(statistic, k - 1, (k - 1) * (n - 1)))
    places = ranks(scores).mean().sort_values(kind="stable")
    return Friedman(n, places, p, critical_difference(k, n))


def critical_difference(methods: int, datasets: int) -> float:
    """Return Nemenyi's critical difference of mean ranks."""
    q = float(stats.studentized_range.ppf(1 - ALPHA, methods, np.inf)) / math.sqrt(2)
    return q * math.sqrt(methods * (methods + 1) / (6 * datasets))


def compare(
    scores: pd.DataFrame, rng: np.random.Generator, families: Families = ()
) -> dict[str, Any]:
    """Compare two methods over data sets.

    Parameters
    ----------
    scores : DataFrame, shape (N, 2)
        Scores of the methods a and b, data sets in the index.
    rng : Generator
        Random numbers of bootstrap and posterior.
    families : sequence of sequence of str
        Groups of data sets that are not independent of each other.

    Returns
    -------
    dict
        ``datasets``; ``wins``, ``ties``, ``losses`` of a; ``mean_difference`` a - b with a 95 %
        bootstrap interval ``low``, ``high`` over data sets; ``effect`` (matched-pairs
        rank-biserial correlation, zeros by Pratt); ``p`` of `signed_rank`; ``better``, ``same``,
        ``worse`` (probabilities that the mean difference over two new data sets lies above, within
        or below `ROPE`: posterior means of the Bayesian signed-rank test, whose statistic consists
        of such pairs); ``p_merged`` (as ``p``, with families averaged). Numbers that need more data
        sets are None.
    """
    difference = _differences(scores)
    n, above, below = len(difference), difference > 0, difference < 0
    result: dict[str, Any] = {
        "datasets": n,
        "wins": int(above.sum()),
        "ties": int((difference == 0).sum()),
        "losses": int(below.sum()),
        "mean_difference": float(difference.mean()) if n else None,
        **dict.fromkeys(("low", "high", "effect", "p", "better", "same", "worse")),
        "p_merged": signed_rank(_differences(merged(scores, families))),
    }
    if n < 3:
        return result
    low = high = difference[0]
    if np.ptp(difference) > 0:
        settings: dict[str, Any] = {"n_resamples": RESAMPLES, "method": "percentile", "rng": rng}
        low, high = stats.bootstrap((difference,), np.mean, **settings).confidence_interval
    place = stats.rankdata(np.abs(difference))
    more, less = place[above].sum(), place[below].sum()
    # the sample holds the probabilities; probs() would count which of the three is largest
    means = SignedRankTest(
        difference, np.zeros(n), rope=ROPE, nsamples=DRAWS, random_state=int(rng.integers(2**32))
    ).sample.mean(axis=0)
    return {
        **result,
        **{"low": float(low), "high": float(high), "p": signed_rank(difference)},
        "effect": float((more - less) / (more + less)) if more + less else 0.0,
        **dict(zip(("better", "same", "worse"), map(float, means), strict=True)),
    }


def _differences(scores: pd.DataFrame) -> np.ndarray:
    first, second = (scores.iloc[:, i].to_numpy(dtype=np.float64) for i in (0, 1))
    return np.round(first - second, DIGITS)


def signed_rank(difference: np.ndarray) -> float | None:
    """Return the p-value of the two-sided Wilcoxon signed-rank test, zeros by Pratt.

    Parameters
    ----------
    difference : ndarray of float64, shape (N,)
        Differences of scores.

    Returns
    -------
    float or None
        1 if all differences are 0, None for fewer than three.
    """
    rounded = np.round(difference, DIGITS)
    if len(rounded) < 3:
        return None
    return float(stats.wilcoxon(rounded, zero_method="pratt").pvalue) if rounded.any() else 1.0


def merged(scores: pd.DataFrame, families: Families) -> pd.DataFrame:
    """Return scores by data set, with each family averaged into one row."""
    family = {name: "+".join(group) for group in families for name in group}
    return scores.groupby([family.get(name, name) for name in scores.index], sort=False).mean()
