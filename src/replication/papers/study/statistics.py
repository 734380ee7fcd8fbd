"""Statistics of the study: comparisons of methods over data sets, by well-kept libraries.

A score matrix has one row per data set and one column per method; higher is better. Every test
treats the data sets as the sample. Scores are rounded to `DIGITS` before anything is ranked, so
that sums in another order tie.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd

DIGITS = 10
ALPHA = 0.05
RESAMPLES = 10_000
"""Draws of the bootstrap."""
DRAWS = 2_000
"""Draws of the posterior: its means to about 0.005."""


@dataclass(frozen=True)
class Friedman:
    """Friedman's test of equal methods, and what follows it.

    Attributes
    ----------
    datasets, methods : int
        N and k.
    ranks : Series
        Mean rank of each method, 1 the best, tied methods sharing theirs.
    chi2, p : float
        Friedman's statistic, corrected for ties, and its p-value.
    f, p_f : float
        Iman and Davenport's correction of it.
    difference : float
        Critical difference of mean ranks by Nemenyi, at `ALPHA`.
    nemenyi : DataFrame
        p-values of all pairs.
    """

    datasets: int
    methods: int
    ranks: pd.Series
    chi2: float
    p: float
    f: float
    p_f: float
    difference: float
    nemenyi: pd.DataFrame


def ranks(scores: pd.DataFrame) -> pd.DataFrame:
    """Ranks within each data set, 1 the best; ties share the mean of their ranks."""
    return scores.round(DIGITS).rank(axis=1, ascending=False)


def friedman(scores: pd.DataFrame) -> Friedman | None:
    """Friedman's test with Nemenyi's comparisons.

    Parameters
    ----------
    scores : DataFrame, shape (N, k)
        Without gaps.

    Returns
    -------
    Friedman or None
        None for fewer than three data sets or methods, or if all methods always tie.

    References
    ----------
    Demsar, Journal of Machine Learning Research 7 (2006).
    """
    from scikit_posthocs import posthoc_nemenyi_friedman
    from scipy.stats import f as f_distribution
    from scipy.stats import friedmanchisquare

    n, k = scores.shape
    rounded = scores.round(DIGITS)
    if n < 3 or k < 3 or (rounded.max(axis=1) == rounded.min(axis=1)).all():
        return None
    test = friedmanchisquare(*(rounded[name] for name in rounded))
    chi2 = float(test.statistic)
    below = n * (k - 1) - chi2
    f = (n - 1) * chi2 / below if below > 1e-9 else math.inf
    # higher scores get higher ranks there; the differences are the same
    nemenyi = posthoc_nemenyi_friedman(rounded.reset_index(drop=True))
    return Friedman(
        n,
        k,
        ranks(scores).mean().sort_values(kind="stable"),
        chi2,
        float(test.pvalue),
        f,
        float(f_distribution.sf(f, k - 1, (k - 1) * (n - 1))),
        critical_difference(k, n),
        nemenyi,
    )


def critical_difference(methods: int, datasets: int, alpha: float = ALPHA) -> float:
    """Nemenyi's critical difference of mean ranks."""
    from scipy.stats import studentized_range

    q = float(studentized_range.ppf(1 - alpha, methods, np.inf)) / math.sqrt(2)
    return q * math.sqrt(methods * (methods + 1) / (6 * datasets))


def compare(a: np.ndarray, b: np.ndarray, rope: float, rng: np.random.Generator) -> dict[str, Any]:
    """Compare two methods over data sets.

    Parameters
    ----------
    a, b : ndarray of float64, shape (N,)
        Scores of the same data sets.
    rope : float
        Differences up to this count as none in the Bayesian test.
    rng : Generator
        Of bootstrap and posterior.

    Returns
    -------
    dict
        ``datasets``; ``wins``, ``ties``, ``losses`` of a; ``mean_difference`` a - b with a 95 %
        bootstrap interval ``low``, ``high`` over data sets; ``effect`` (matched-pairs
        rank-biserial correlation, zeros as Pratt has them); ``p`` (two-sided Wilcoxon signed-rank
        test, Pratt); ``better``, ``same``, ``worse`` (probabilities that the mean difference over
        two new data sets lies above, within or below the rope: posterior means of the Bayesian
        signed-rank test, whose statistic is made of such pairs). What needs more data sets than
        there are is None.
    """
    from baycomp import SignedRankTest
    from scipy.stats import bootstrap

    difference = np.round(np.asarray(a, dtype=np.float64) - b, DIGITS)
    n = len(difference)
    result: dict[str, Any] = {
        "datasets": n,
        "wins": int((difference > 0).sum()),
        "ties": int((difference == 0).sum()),
        "losses": int((difference < 0).sum()),
        "mean_difference": float(difference.mean()) if n else None,
        **dict.fromkeys(("low", "high", "effect", "p", "better", "same", "worse")),
    }
    if n < 3:
        return result
    if np.ptp(difference) > 0:
        interval = bootstrap(
            (difference,),
            np.mean,
            n_resamples=RESAMPLES,
            method="percentile",
            rng=rng,
        ).confidence_interval
        result |= {"low": float(interval.low), "high": float(interval.high)}
    else:
        result |= {"low": float(difference[0]), "high": float(difference[0])}
    result |= {"effect": rank_biserial(difference), "p": signed_rank(difference)}
    # the sample holds the probabilities themselves; probs() counts which of the three is largest
    means = SignedRankTest(
        difference, np.zeros(n), rope=rope, nsamples=DRAWS, random_state=int(rng.integers(2**32))
    ).sample.mean(axis=0)
    return result | dict(zip(("better", "same", "worse"), map(float, means), strict=True))


def signed_rank(difference: np.ndarray) -> float | None:
    """p-value of the two-sided Wilcoxon signed-rank test, zeros by Pratt.

    Parameters
    ----------
    difference : ndarray of float64, shape (N,)
        Differences of scores.

    Returns
    -------
    float or None
        1 if all differences are 0, None for fewer than three.
    """
    from scipy.stats import wilcoxon

    rounded = np.round(difference, DIGITS)
    if len(rounded) < 3:
        return None
    return float(wilcoxon(rounded, zero_method="pratt").pvalue) if rounded.any() else 1.0


def rank_biserial(difference: np.ndarray) -> float:
    """Matched-pairs rank-biserial correlation, in [-1, 1]; 0 if all differences are 0.

    The ranks of the absolute differences, zeros included (Pratt): those of positive differences
    minus those of negative ones, over the sum of both.
    """
    from scipy.stats import rankdata

    place = rankdata(np.abs(difference))
    above, below = place[difference > 0].sum(), place[difference < 0].sum()
    return float((above - below) / (above + below)) if above + below else 0.0


def merged(scores: pd.DataFrame, families: Sequence[Sequence[str]]) -> pd.DataFrame:
    """Scores with related data sets averaged into one row.

    Parameters
    ----------
    scores : DataFrame
        Data sets in the index.
    families : sequence of sequence of str
        Data sets that are not independent of each other.

    Returns
    -------
    DataFrame
    """
    family = {name: "+".join(group) for group in families for name in group}
    keys = [family.get(name, name) for name in scores.index]
    return scores.groupby(keys, sort=False).mean()


def moderation(advantage: np.ndarray, factor: np.ndarray) -> dict[str, Any]:
    """Whether an advantage grows with a property of the data sets: Spearman's correlation.

    Parameters
    ----------
    advantage, factor : ndarray of float64, shape (N,)
        Difference of scores, and the property.

    Returns
    -------
    dict
        ``datasets``, ``rho`` and ``p``; the latter None for fewer than five data sets, or if one
        of the two does not vary.
    """
    from scipy.stats import spearmanr

    advantage = np.round(advantage, DIGITS)
    n = len(advantage)
    if n < 5 or np.ptp(advantage) == 0 or np.ptp(factor) == 0:
        return {"datasets": n, "rho": None, "p": None}
    found = spearmanr(advantage, factor)
    return {"datasets": n, "rho": float(found.statistic), "p": float(found.pvalue)}


def pooled(differences: Mapping[str, np.ndarray]) -> dict[str, dict[str, float]]:
    """Random-effects means of differences, by the variation between data sets alone.

    Parameters
    ----------
    differences : mapping of str to ndarray
        Differences of scores over data sets, by method.

    Returns
    -------
    dict
        By method ``mean``, ``low`` and ``high`` of a 95 % t-interval and ``spread``, the standard
        deviation between data sets: what a new data set would add.
    """
    from scipy.stats import t

    found = {}
    for name, values in differences.items():
        n = len(values)
        if n < 3:
            continue
        mean, spread = float(np.mean(values)), float(np.std(values, ddof=1))
        half = float(t.ppf(0.975, n - 1)) * spread / math.sqrt(n)
        found[name] = {"mean": mean, "low": mean - half, "high": mean + half, "spread": spread}
    return found
