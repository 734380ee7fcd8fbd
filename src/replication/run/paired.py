"""Tests of two competitors with paired runs: over data sets, and within each data set."""

import statistics
from collections.abc import Sequence
from typing import Any

Pairs = dict[str, tuple[Sequence[float], Sequence[float]]]
"""Scores of two competitors by data set, run by run."""
ROUNDING = 1e-12
"""Differences between scores below this are rounding."""
BETWEEN = "data sets"
"""Value of ``over`` for a test with one mean per data set."""


def paired_test(first: Sequence[float], second: Sequence[float]) -> dict[str, Any]:
    """Return the two-sided paired t-test of at least two pairs.

    ``n``, ``difference`` (mean, first minus second), ``t`` and ``p``; the last two are NaN where
    all pairs are equal.
    """
    from scipy import stats

    test = stats.ttest_rel(first, second)
    difference = statistics.fmean(a - b for a, b in zip(first, second, strict=True))
    return {
        "n": len(first),
        "difference": difference,
        "t": float(test.statistic),
        "p": float(test.pvalue),
    }


def compared(pairs: Pairs, over: str) -> list[dict[str, Any]]:
    """Return one test over data sets, and one within each, over the runs named by `over`.

    ``over``, ``dataset``, ``n``, ``difference`` and ``p``, None without variation; with it also
    ``t``. Over the means of data sets: ``p`` of the two-sided paired t-test, ``p_one_sided`` (the
    first is better), ``p_wilcoxon`` (signed ranks, zeros by Pratt). Within a data set: ``p`` of
    Welch's t-test, ``p_paired`` of the paired one.
    """
    from scipy import stats

    differences = [statistics.fmean(a) - statistics.fmean(b) for a, b in pairs.values()]
    whole = _row(BETWEEN, "", len(differences), statistics.fmean(differences))
    if _vary(differences):
        test = stats.ttest_1samp(differences, 0.0)
        better = stats.ttest_1samp(differences, 0.0, alternative="greater")
        whole |= {
            "t": float(test.statistic),
            "p": float(test.pvalue),
            "p_one_sided": float(better.pvalue),
            "p_wilcoxon": float(stats.wilcoxon(differences, zero_method="pratt").pvalue),
        }
    found = [whole]
    for (name, (a, b)), difference in zip(pairs.items(), differences, strict=True):
        row = _row(over, name, len(a), difference)
        if _vary(a) or _vary(b):
            # by moments, because one side may be constant
            one, other = ((statistics.fmean(x), statistics.stdev(x), len(x)) for x in (a, b))
            test = stats.ttest_ind_from_stats(*one, *other, equal_var=False)
            row |= {"t": float(test.statistic), "p": float(test.pvalue)}
            if _vary([x - y for x, y in zip(a, b, strict=True)]):
                row["p_paired"] = float(stats.ttest_rel(a, b).pvalue)
        found.append(row)
    return found


def _row(over: str, dataset: str, n: int, difference: float) -> dict[str, Any]:
    return {"over": over, "dataset": dataset, "n": n, "difference": difference, "p": None}


def holm(p_values: Sequence[float | None]) -> list[float | None]:
    """Return p-values after Holm's correction; None stays None and does not count."""
    from statsmodels.stats.multitest import multipletests

    known = [p for p in p_values if p is not None]
    corrected = iter(multipletests(known, method="holm")[1] if known else ())
    return [None if p is None else float(next(corrected)) for p in p_values]


def correct(rows: Sequence[dict[str, Any]]) -> None:
    """Set ``p_holm`` of rows from their ``p``, by Holm's correction over all of them."""
    for row, p in zip(rows, holm([row["p"] for row in rows]), strict=True):
        row["p_holm"] = p


def _vary(values: Sequence[float]) -> bool:
    """Return whether numbers differ by more than rounding."""
    return max(values) - min(values) > ROUNDING
