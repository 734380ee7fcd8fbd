"""Lines, columns and words that several tables of the study share."""

from collections.abc import Callable, Iterable, Mapping
from typing import Any

import pandas as pd

from replication.papers.study.analysis import (
    ALGORITHMS,
    BASELINES,
    Natural,
    baselines,
    labels_of,
    scored,
)
from replication.papers.study.statistics import ROPE, Friedman
from replication.show.job import Job
from replication.show.sheet import Column, number


def protocol_lines(job: Job) -> list[str]:
    """Line on the protocol of a table, and on the number of replicates.

    The newest entry of the protocol's history counts; a test compares its hash with the
    configuration.
    """
    found = scored(job)
    if found.empty or not job.spec.get("history"):
        return []
    newest = job.spec["history"][-1]
    count = found["replicates"]
    noisy = float((2 * found["ari_error"] > ROPE).mean())
    return [
        f"Protocol {newest['protocol']} of {newest['date']}, in use since commit "
        f"{newest['commit']}. A cell is the mean of {count.min():.0f} to {count.max():.0f} "
        f"replicates ({count.mean():.1f} on average). In {noisy:.0%} of {len(found)} cells, two "
        f"standard errors of its ARI exceed {ROPE:g}, the largest difference that counts as none."
    ]


def baseline_line(job: Job, datasets: Iterable[str]) -> list[str]:
    """Line on the scores of the two baselines on the data sets of a table."""
    said = "; ".join(
        f"{BASELINES[name]}: ARI {number(scores['ari'], 3)}, NMI "
        f"{number(scores['nmi_arithmetic'], 3)}, purity {number(scores['purity'], 3)}"
        for name, scores in baselines(job, datasets).items()
    )
    return [f"Baselines, means over the data sets of this table: {said}."] if said else []


def missing(job: Job) -> list[str]:
    """Line on data sets that this run did not compute."""
    reasons = [*job.left_out.values()]
    return [f"{len(reasons)} of {len(job.datasets)} data sets: {one}." for one in reasons[:1]]


def natural_lines(natural: Natural, found: pd.DataFrame) -> list[str]:
    """Line on the algorithm of each measure in a table of whole methods, from their cells."""
    names = labels_of(found)
    said = "; ".join(
        f"{ALGORITHMS[algorithm]} for {', '.join(known)}"
        for algorithm, measures in natural.items()
        if (known := [names[name].partition(",")[0] for name in measures if name in names])
    )
    return [
        "Each measure has one algorithm for all data sets: k-means for vectors; Ward for quotients "
        "and for the measures of DILCA's paper; k-modes for all others"
        + (f" ({said})." if said else ".")
    ]


def algorithm_name(row: Mapping[str, Any], own: str) -> str:
    """Return the name of a method's algorithm, or `own` if the method clusters by itself."""
    name = row["algorithm"]
    return own if name == row["measure"] else ALGORITHMS.get(name, name)


def p_text(value: float | None) -> str:
    """Return the text of a p-value."""
    if value is None or value != value:
        return ""
    return "< 0.001" if value < 0.001 else number(value, 3)


def p_column(key: str, head: str, group: str = "p") -> Column:
    """Return a column of p-values."""
    return Column(key, head, group, of=lambda row: p_text(row[key]))


def plural(count: int, noun: str) -> str:
    """Return a number with its noun, in the plural if need be."""
    return f"{count} {noun}" + ("" if count == 1 else "s")


def friedman_words(test: Friedman | None, names: Mapping[str, str], n: int) -> str:
    """Return the result of Friedman's test over n data sets in words."""
    if test is None:
        return f"{plural(n, 'data set')}: too few for a test of ranks."
    best, others = float(test.ranks.iloc[0]), len(test.ranks) - 1
    level = int((test.ranks - best < test.difference).sum()) - 1
    p = p_text(test.p)
    return (
        f"Over {test.datasets} data sets, {names[test.ranks.index[0]]} has the best mean rank "
        f"({number(best, 2)} of {others + 1}). Friedman's test with Iman "
        f"and Davenport's correction: p {p if p.startswith('<') else f'= {p}'}. The critical "
        f"difference of mean ranks is {number(test.difference, 2)} (Nemenyi, 5 %): "
        f"{level} of the {others} others are not significantly worse than the best."
    )


def pair_legend(n: int) -> list[str]:
    """Lines below a table of n compared pairs."""
    return [
        "Two-sided Wilcoxon signed-rank tests over data sets, with zeros by Pratt and Holm's "
        f"correction over the {n} rows. Effect: matched-pairs rank-biserial correlation. Interval: "
        "percentile bootstrap over data sets.",
        "Probabilities: the mean difference over two new data sets like these favours the first, "
        f"is at most {ROPE:g} ARI either way, or favours the second (posterior means of the "
        "Bayesian signed-rank test). *The same in practice*: the interval of the mean difference "
        f"lies within {ROPE:g} ARI either way.",
        "Related sets merged: the same test after related data sets (see the table of data) were "
        "averaged into one.",
        "In variants: number of analyses in which the first is better or worse, over all indices, "
        "corrections and choices of data sets (see the table of conclusions).",
    ]


def pair_columns(names: Mapping[str, str], variants: Mapping[Any, str]) -> list[Column]:
    """Return the columns of compared methods, with the names of both and their variants."""

    def shown(form: str, *keys: str, digits: int) -> Callable[[Mapping[str, Any]], str]:
        """Return the text of some numbers of a row; empty without an interval."""
        return lambda row: (
            "" if row["low"] is None else form.format(*(number(row[key], digits) for key in keys))
        )

    return [
        Column("claim", "Claimed in", text=True),
        Column("first", "First", text=True, of=lambda row: names[row["first"]]),
        Column("second", "Second", text=True, of=lambda row: names[row["second"]]),
        Column("wtl", "win / tie / loss", of="{wins} / {ties} / {losses}".format_map),
        Column(
            "difference",
            "mean difference [95 %]",
            "ARI",
            of=shown("{} [{}, {}]", "mean_difference", "low", "high", digits=3),
        ),
        Column("effect", "effect", digits=2),
        p_column("p", "Wilcoxon"),
        p_column("p_holm", "Holm"),
        p_column("p_merged", "related sets merged"),
        Column(
            "bayes",
            "better / same / worse",
            "probability (two new data sets)",
            of=shown("{} / {} / {}", "better", "same", "worse", digits=2),
        ),
        Column("verdict", "Verdict", text=True),
        Column(
            "variants",
            "better / worse",
            "in variants",
            of=lambda row: variants.get((row["first"], row["second"]), ""),
        ),
    ]
