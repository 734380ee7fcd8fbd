"""Compare printed and reproduced numbers with runs that others made by the same method.

Runs of several sets are pooled: each run counts once. All comparisons use the standard deviation
of one pooled run, because it is known for both sides, and two standard errors as everywhere.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from math import sqrt
from typing import Any

from replication.judge.verdicts import (
    IN_WORDS,
    STANDARD_ERRORS,
    Printed,
    Reproduced,
    equals_printed,
)

COLUMNS = (
    *("independent", "independent_se", "independent_runs", "independent_from"),
    "independent_says",
)
"""Columns of the verdict on a number: pooled mean, its standard error, runs, whose they are and
what they used otherwise, and one sentence."""
EQUAL = 1e-9
"""Largest difference of means that are equal."""

SUPPORTED = "supported by others"
ABOVE_BOTH, BELOW_BOTH = "printed above both", "printed below both"
OURS_ALONE = "supported by others; ours differs from both"
OTHERS_ALONE = "ours agrees with print; others differ"
BETWEEN = "print, ours and others differ"
ABOVE, BELOW = "printed above others", "printed below others"
OTHER_PREPARATION = "preparation differs"
SAID = {
    SUPPORTED: f"print is within {IN_WORDS} of the pooled runs of others",
    ABOVE_BOTH: "print is higher than ours and than the runs of others, by more than noise",
    BELOW_BOTH: "print is lower than ours and than the runs of others, by more than noise",
    OURS_ALONE: "print is within noise of the runs of others, ours of neither",
    OTHERS_ALONE: "print is within noise of ours, and not of the runs of others",
    BETWEEN: "print lies between ours and the runs of others, within noise of neither",
    ABOVE: "print is higher than the runs of others by more than noise; ours was not run",
    BELOW: "print is lower than the runs of others by more than noise; ours was not run",
    OTHER_PREPARATION: "others used other rows or attributes than print, so nothing is compared",
}
"""Sentences about a number, with the rule of each."""


@dataclass(frozen=True)
class Pooled:
    """Runs of others by one method on one data set: mean, sample deviation, number."""

    mean: float
    sd: float
    runs: int
    # titles of the sources, by their order in the configuration
    sources: tuple[str, ...] = ()
    # what others prepared differently; empty if nothing
    difference: str = ""

    @property
    def error(self) -> float:
        """Standard error of the mean; 0 for runs that are all equal."""
        return self.sd / sqrt(self.runs)

    @property
    def origin(self) -> str:
        """Whose runs they are, and what they used otherwise."""
        other = f"other preparation: {self.difference}" if self.difference else ""
        return "; ".join(filter(None, (", ".join(self.sources), other)))

    def z(self, value: float, runs: int) -> float:
        """Return the distance of another mean over so many runs, in standard errors.

        Both means get the deviation of one pooled run. It is 0 for equal means, and infinite for
        others if that deviation is 0.
        """
        gap = value - self.mean
        if abs(gap) <= EQUAL:
            return 0.0
        error = self.sd * sqrt(1 / runs + 1 / self.runs)
        return gap / error if error > EQUAL else float("inf") * gap

    def near(self, printed: Printed, runs: int) -> bool:
        """Return whether a printed mean over so many runs is within two standard errors."""
        error = STANDARD_ERRORS * self.sd * sqrt(1 / runs + 1 / self.runs)
        gap = abs(float(printed.value) - self.mean)
        return gap <= error + printed.half_unit + EQUAL or equals_printed(printed, self.mean)


def pool(rows: Iterable[Mapping[str, Any]], titles: Mapping[str, str]) -> Pooled | None:
    """Return the pooled runs of sets of runs; None without any.

    Parameters
    ----------
    rows : iterable of mapping
        ``source``, ``mean``, ``sd`` (empty for one run), ``runs`` and ``difference`` of each set.
    titles : mapping of str to str
        Names of the sources, in order.
    """
    rows = sorted(rows, key=lambda one: [*titles].index(one["source"]))
    if not rows:
        return None
    sizes = [int(one["runs"]) for one in rows]
    means = [float(one["mean"]) for one in rows]
    spreads = [float(one["sd"] or 0) for one in rows]
    total = sum(sizes)
    mean = sum(n * m for n, m in zip(sizes, means, strict=True)) / total
    squares = sum(
        (n - 1) * s**2 + n * (m - mean) ** 2 for n, m, s in zip(sizes, means, spreads, strict=True)
    )
    sd = sqrt(squares / (total - 1)) if total > 1 else 0.0
    named = tuple(titles[one["source"]] for one in rows)
    return Pooled(mean, sd, total, named, rows[0].get("difference", ""))


def sentence(
    printed: Printed, printed_runs: int, met: bool, ours: Reproduced | None, others: Pooled
) -> str:
    """Return what the runs of others say about a printed number, one of `SAID`.

    Parameters
    ----------
    printed : Printed
        The printed number, a mean over `printed_runs` runs.
    met : bool
        Whether our number agrees with the printed one (exact or within noise).
    ours : Reproduced or None
        Our number; None if there is none.
    others : Pooled
        The runs of others.
    """
    if others.difference:
        return OTHER_PREPARATION
    supported, above = others.near(printed, printed_runs), float(printed.value) > others.mean
    if ours is None or ours.value is None:
        return SUPPORTED if supported else ABOVE if above else BELOW
    if supported:
        return SUPPORTED if met or agree(ours, others) else OURS_ALONE
    if met:
        return OTHERS_ALONE
    if above == (float(printed.value) > ours.value):
        return ABOVE_BOTH if above else BELOW_BOTH
    return BETWEEN


def agree(ours: Reproduced, others: Pooled) -> bool:
    """Return whether our mean is within two standard errors of the pooled one."""
    return abs(z_between(ours, others)) <= STANDARD_ERRORS


def z_between(ours: Reproduced, others: Pooled) -> float:
    """Return our mean minus the pooled one, in standard errors of the difference.

    It is 0 for equal means, and infinite for others without any deviation.
    """
    gap = ours.number - others.mean
    if abs(gap) <= EQUAL:
        return 0.0
    error = sqrt((ours.sd or 0.0) ** 2 / max(ours.runs, 1) + others.error**2)
    return gap / error if error > EQUAL else float("inf") * gap


def stouffer(scores: Sequence[float]) -> float:
    """Return the sum of independent z-scores over the root of their number; 0 without any."""
    return sum(scores) / sqrt(len(scores)) if scores else 0.0
