"""What the tables of the study have in common: names, legends, tests in words."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from replication.papers.study.analysis import (
    ALGORITHMS,
    BASELINES,
    ROPE,
    baselines,
)
from replication.show.job import Job
from replication.show.sheet import Column, Sheet, number

if TYPE_CHECKING:
    pass


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


def name_of(job: Job, dataset: str) -> str:
    """Name of a data set."""
    return job.datasets[dataset]["printed"]


def sheet(
    job: Job,
    title: str,
    caption: str,
    columns: Sequence[Column],
    rows: list[dict[str, str]],
    data: list[dict[str, Any]],
    legend: Sequence[str] = (),
) -> Sheet:
    """Sheet of a table, whose CSV has the columns of its records."""
    keys = list(dict.fromkeys(key for row in data for key in row))
    return Sheet(
        name=f"{job.paper}-{job.artefact}",
        title=f"{job.label}: {title}",
        caption=caption,
        columns=columns,
        rows=rows,
        data=data,
        data_columns=keys or ["dataset"],
        legend=legend,
    )


def missing(job: Job) -> list[str]:
    """Line about data sets that this run did not compute."""
    if not job.left_out:
        return []
    return [f"{len(job.left_out)} of {len(job.datasets)} data sets: {_first(job.left_out)}."]


def _first(left_out: Mapping[str, str]) -> str:
    return next(iter(left_out.values()))


def p_text(value: float | None) -> str:
    """Text of a p-value."""
    if value is None or value != value:
        return ""
    return "< 0.001" if value < 0.001 else number(value, 3)


def known(value: Any) -> float | None:
    """A number, or None for a gap."""
    return None if value is None or value != value else float(value)


def plural(count: int, noun: str) -> str:
    """Number with its noun."""
    return f"{count} {noun}" + ("" if count == 1 else "s")


def friedman_words(test: Any, names: Mapping[str, str], n: int) -> str:
    """What Friedman's test says, in words."""
    if test is None:
        return f"{plural(n, 'data set')}: too few for a test of ranks."
    best = test.ranks.index[0]
    level = [x for x, r in test.ranks.items() if r - test.ranks.iloc[0] < test.difference]
    return (
        f"Over {test.datasets} data sets {names[best]} has the best mean rank "
        f"({number(float(test.ranks.iloc[0]), 2)} of {test.methods}). Friedman's test with Iman "
        f"and Davenport's correction: p {_equals(test.p_f)}. Mean ranks have to differ by "
        f"{number(test.difference, 2)} (Nemenyi, 5 %); "
        f"{len(level) - 1} of the {test.methods - 1} others cannot be told from the best."
    )


def _equals(p: float) -> str:
    return "< 0.001" if p < 0.001 else f"= {number(p, 3)}"


def correct(rows: list[dict[str, Any]], holm: Any) -> None:
    """Add Holm's p-values over all rows, and what remains of the first method's advantage."""
    for one, p in zip(rows, holm([one["p"] for one in rows]), strict=True):
        one["p_holm"] = p
        one["verdict"] = what_remains(one)


def what_remains(one: Mapping[str, Any]) -> str:
    """What is left of an advantage after Holm's correction."""
    if one["p_holm"] is None:
        return "not tested"
    if one["p_holm"] < 0.05:
        return "better" if one["effect"] > 0 else "worse"
    if one["low"] is not None and one["low"] >= -ROPE and one["high"] <= ROPE:
        return "the same in practice"
    return "undecided"


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
    ]


PAIR_COLUMNS = [
    Column("claim", "Claimed in", text=True),
    Column("first", "First", text=True),
    Column("second", "Second", text=True),
    Column("algorithm", "Algorithm", text=True),
    Column("wtl", "win / tie / loss"),
    Column("difference", "mean difference [95 %]", "ARI"),
    Column("effect", "effect"),
    Column("p", "Wilcoxon", "p"),
    Column("p_holm", "Holm", "p"),
    Column("p_merged", "related sets merged", "p"),
    Column("bayes", "better / same / worse", "probability (two new data sets)"),
    Column("verdict", "What remains", text=True),
]


def pair_row(one: Mapping[str, Any], names: Mapping[str, str]) -> dict[str, str]:
    """Row of a compared pair."""
    row = {
        "claim": one.get("claim", ""),
        "first": names[one["first"]],
        "second": names[one["second"]],
        "algorithm": ALGORITHMS.get(one["algorithm"], one["algorithm"]),
        "wtl": f"{one['wins']} / {one['ties']} / {one['losses']}",
        "p": p_text(one["p"]),
        "p_holm": p_text(one["p_holm"]),
        "p_merged": p_text(one["p_merged"]),
        "effect": number(one["effect"], 2),
        "verdict": one["verdict"],
    }
    if one["low"] is not None:
        row["difference"] = (
            f"{number(one['mean_difference'], 3)} [{number(one['low'], 3)}, "
            f"{number(one['high'], 3)}]"
        )
        row["bayes"] = " / ".join(number(one[key], 2) for key in ("better", "same", "worse"))
    return row
