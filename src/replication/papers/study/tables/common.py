"""What the tables of the study have in common: names, legends, tests in words."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from replication.papers.study.analysis import ALGORITHMS, BASELINES, Natural, baselines, scored
from replication.papers.study.statistics import ROPE, Friedman
from replication.show.job import Job
from replication.show.sheet import Column, number


def protocol_lines(job: Job) -> list[str]:
    """Line that says under which protocol a table was computed, and how often cells are repeated.

    The newest entry of the history of the protocol says which: a test compares its hash with the
    configuration.
    """
    found = scored(job)
    if found.empty or not job.spec.get("history"):
        return []
    newest = job.spec["history"][-1]
    count = found["replicates"]
    noisy = float((2 * found["ari_error"] > ROPE).mean())
    return [
        f"Protocol {newest['protocol']} of {newest['date']}, computed from commit "
        f"{newest['commit']} on. A cell is the mean of {count.min():.0f} to {count.max():.0f} "
        f"replicates ({count.mean():.1f} on average); in {noisy:.0%} of {len(found)} cells two "
        f"standard errors of its ARI exceed {ROPE:g}, the difference that counts as none."
    ]


def baseline_line(job: Job, datasets: Iterable[str]) -> list[str]:
    """Line that says what the two baselines score on the data sets of a table."""
    found = baselines(job, datasets)
    if not found:
        return []
    said = "; ".join(
        f"{BASELINES[name]}: ARI {number(scores['ari'], 3)}, NMI "
        f"{number(scores['nmi_arithmetic'], 3)}, purity {number(scores['purity'], 3)}"
        for name, scores in found.items()
    )
    return [f"Baselines, means over the data sets of this table: {said}."]


def missing(job: Job) -> list[str]:
    """Line about data sets that this run did not compute."""
    if not job.left_out:
        return []
    reason = next(iter(job.left_out.values()))
    return [f"{len(job.left_out)} of {len(job.datasets)} data sets: {reason}."]


def natural_lines(natural: Natural, names: Mapping[str, str]) -> list[str]:
    """Lines about the algorithm that each measure has where whole methods are compared."""
    said = "; ".join(
        f"{ALGORITHMS[algorithm]} for {', '.join(known)}"
        for algorithm, measures in natural.items()
        if (known := [names[name].partition(",")[0] for name in measures if name in names])
    )
    return [
        "Each measure with one algorithm, the same for all data sets: k-means for vectors, what "
        "the measure was first clustered with, else k-modes" + (f" ({said})." if said else ".")
    ]


def p_text(value: float | None) -> str:
    """Text of a p-value."""
    if value is None or value != value:
        return ""
    return "< 0.001" if value < 0.001 else number(value, 3)


def p_column(key: str, head: str, group: str = "p") -> Column:
    """Column of p-values."""
    return Column(key, head, group, of=lambda row: p_text(row[key]))


def interval(row: Mapping[str, Any], mean: str = "mean") -> str:
    """A mean with its interval."""
    low, high = (number(row[key], 3) for key in ("low", "high"))
    return f"{number(row[mean], 3)} [{low}, {high}]"


def plural(count: int, noun: str) -> str:
    """Number with its noun."""
    return f"{count} {noun}" + ("" if count == 1 else "s")


def friedman_words(test: Friedman | None, names: Mapping[str, str], n: int) -> str:
    """What Friedman's test over n data sets says, in words."""
    if test is None:
        return f"{plural(n, 'data set')}: too few for a test of ranks."
    best, others = float(test.ranks.iloc[0]), len(test.ranks) - 1
    level = int((test.ranks - best < test.difference).sum()) - 1
    p = p_text(test.p)
    return (
        f"Over {test.datasets} data sets {names[test.ranks.index[0]]} has the best mean rank "
        f"({number(best, 2)} of {others + 1}). Friedman's test with Iman "
        f"and Davenport's correction: p {p if p.startswith('<') else f'= {p}'}. Mean ranks have to "
        f"differ by {number(test.difference, 2)} (Nemenyi, 5 %); "
        f"{level} of the {others} others are no worse than the best by this test."
    )


def pair_legend(n: int) -> list[str]:
    """Lines below a table of pairs."""
    return [
        f"Two-sided Wilcoxon signed-rank tests over data sets, zeros by Pratt; Holm over the {n} "
        "rows. Effect: matched-pairs rank-biserial correlation. Interval: percentile bootstrap "
        "over data sets.",
        "Probabilities that the mean difference over two new data sets like these is in favour of "
        f"the first, within {ROPE:g} ARI either way, or against it: posterior means of the "
        "Bayesian signed-rank test. *The same in practice*: the interval of the mean difference "
        "lies within that.",
        "Related sets merged: the same test after data sets of one family (see the table of data) "
        "were averaged.",
        "In variants: over all indices, corrections and choices of data sets, see the table of "
        "conclusions.",
    ]


def pair_columns(names: Mapping[str, str], variants: Mapping[Any, str]) -> list[Column]:
    """Columns of compared pairs, whose sides have names, with their standing in the variants."""

    def known(row: Mapping[str, Any], text: str) -> str:
        return "" if row["low"] is None else text

    return [
        Column("claim", "Claimed in", text=True),
        Column("first", "First", text=True, of=lambda row: names[row["first"]]),
        Column("second", "Second", text=True, of=lambda row: names[row["second"]]),
        Column("wtl", "win / tie / loss", of="{wins} / {ties} / {losses}".format_map),
        Column(
            "difference",
            "mean difference [95 %]",
            "ARI",
            of=lambda row: known(row, interval(row, "mean_difference")),
        ),
        Column("effect", "effect", digits=2),
        p_column("p", "Wilcoxon"),
        p_column("p_holm", "Holm"),
        p_column("p_merged", "related sets merged"),
        Column(
            "bayes",
            "better / same / worse",
            "probability (two new data sets)",
            of=lambda row: known(
                row, " / ".join(number(row[key], 2) for key in ("better", "same", "worse"))
            ),
        ),
        Column("verdict", "What remains", text=True),
        Column(
            "variants",
            "better / worse",
            "in variants",
            of=lambda row: variants.get((row["first"], row["second"]), ""),
        ),
    ]
