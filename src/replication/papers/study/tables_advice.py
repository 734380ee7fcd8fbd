"""What the study advises, and how such advice does beside chance."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from replication.papers.study.advice import LARGEST, ROPE
from replication.papers.study.analysis import (
    ALGORITHMS,
    advice,
    beside,
    clear,
    labels_of,
    scored,
)
from replication.papers.study.tables_common import baseline_line, missing, p_column
from replication.show.job import Job
from replication.show.sheet import Column, Sheet, number

if TYPE_CHECKING:
    import pandas as pd


def answer(job: Job, cells: pd.DataFrame) -> Sheet:
    """What to try first, and how such advice does where it was not looked at, beside chance."""
    names = labels_of(beside(job)) | labels_of(scored(job))
    data = advice(job)

    def named(measure: str, algorithm: str) -> str:
        own = measure == algorithm
        return names[measure] if own else f"{names[measure]}, {ALGORITHMS[algorithm]}"

    def first(size: str, head: str) -> Column:
        def said(row: Mapping[str, Any]) -> str:
            measure = row.get(f"{size}_measure")
            return named(measure, row[f"{size}_algorithm"]) if measure else ""

        return Column(size, head, "Best mean rank", text=True, of=said)

    def recommended(row: Mapping[str, Any]) -> str:
        sizes = (("small", f"up to {LARGEST} objects"), ("large", "for more"))
        there = [(size, words) for size, words in sizes if row.get(f"{size}_advice")]
        found = [named(row[f"{size}_advice"], row[f"{size}_advice_with"]) for size, _ in there]
        if len(set(found)) == 1:
            return found[0]
        return ", ".join(f"{one} {words}" for one, (_, words) in zip(found, there, strict=True))

    def three(key: str, head: str, prefix: str, digits: int) -> Column:
        keys = [f"{prefix}{name}" for name in ("better", "same", "worse")]
        return Column(
            key,
            head,
            "better / same / worse, unseen",
            of=lambda row: " / ".join(number(row[name], digits) for name in keys),
        )

    def against(row: Mapping[str, Any]) -> str:
        better, worse = (number(row[f"chance_{name}"], 1) for name in ("better", "worse"))
        return f"{row['worse']} (at random: {better} and {worse})"

    def beside_it(row: Mapping[str, Any]) -> str:
        if row["choice"] != "both":
            return ""
        return f"; against {row['against']} on {row['better']} and {against(row)}"

    return Sheet.of(
        job,
        "what to try first",
        f"Recommended: {recommended(data[0])}. Choosing by mean rank, without the data set that it "
        "is tried on, is better than a candidate drawn at random in "
        f"{sum(map(clear, data))} of {len(data)} kinds of choice. Among everything, it is better "
        f"than simple matching with k-modes on {data[0]['better']} data sets and worse on "
        f"{against(data[0])}{''.join(map(beside_it, data[1:]))}."
        if data
        else "No data set was computed in this run.",
        [
            Column(
                "choice",
                "What is chosen",
                text=True,
                of=lambda row: (
                    "among everything"
                    if row["choice"] == "both"
                    else f"measure, given {ALGORITHMS[row['choice']]}"
                ),
            ),
            first("small", f"up to {LARGEST} objects"),
            first("large", "more objects"),
            Column("against", "Compared with", text=True),
            three("advice", "advice", "", 0),
            three("chance", "at random", "chance_", 1),
            p_column("p", "at random as good"),
            p_column("p_holm", "Holm"),
            Column(
                "skill",
                "Advice is",
                text=True,
                of=lambda row: "better than chance" if clear(row) else "no better than chance",
            ),
        ],
        data,
        legend=[
            "Best mean rank: the first of all candidates over the data sets. For many "
            "objects only what needs no matrix of all pairs counts; for few, only data sets of "
            "that size.",
            "Unseen: each data set is left out once, everything is chosen on the others, and the "
            f"choice is compared with another one on the one left out; {ROPE:g} ARI either way "
            "is the same. At random: what a candidate drawn from the same list does, on average.",
            "p: probability that random candidates reach the advice's better minus worse, exact; "
            f"Holm over the {len(data)} rows. The rows share data sets and candidates.",
            "Simple matching with k-means is the 0-1 encoding.",
            "Recommended, as `couplings.recommend` says for a table: what has the best mean rank, "
            "but only if that choice is better than chance, and on unseen data sets better than "
            "latent class analysis (sign test, 5 %). Else latent class analysis, if it is better "
            "than simple matching with k-modes (Wilcoxon, 5 %): the anchor of the study, named "
            "before it was run, after others had found it good on some of the same data sets. The "
            "rule itself was made when the scores were known.",
            *baseline_line(job, job.datasets),
            *missing(job),
        ],
    )
