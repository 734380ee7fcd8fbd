"""What the study advises, how such advice does beside chance, and what it rests on."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import asdict
from typing import Any

import pandas as pd

from couplings.errors import CouplingsError
from replication.papers.study.advice import (
    AGAINST,
    DEFAULT,
    LARGEST,
    STANDARD,
    advise,
    check,
    reference_of,
)
from replication.papers.study.analysis import (
    ALGORITHMS,
    BESIDE,
    clear,
    labels_of,
    profiles,
    records,
)
from replication.papers.study.rivals.experiment import MIXED
from replication.papers.study.statistics import ROPE
from replication.papers.study.tables.common import baseline_line, missing, p_column, plural
from replication.run.paired import correct
from replication.show.job import Job
from replication.show.sheet import Column, Sheet, number, words


def evidence_rows(job: Job) -> list[dict[str, Any]]:
    """Scores of all cells with the kind of their data: what the recommendation rests on.

    Beside the grid, what clusters a table of categories by itself; what needs the numbers
    themselves has no place in advice for such a table.
    """
    found = records(job, "grid", *BESIDE)
    found = found[~found["measure"].isin(MIXED)].merge(
        profiles(job)[["dataset", "objects", "values", "coupling"]], on="dataset"
    )
    found["objects"] = found["objects"].astype(int)
    for key, digits in {"values": 3, "coupling": 4, "ari": 4}.items():
        found[key] = [round(value, digits) for value in found[key]]
    keys = ["dataset", "objects", "values", "coupling", "measure", "algorithm", "ari"]
    return found[keys].to_dict("records")


def advice(job: Job) -> list[dict[str, Any]]:
    """What choosing by mean rank says, among everything or given an algorithm, and its skill."""
    known = evidence_rows(job)
    if not known:
        return []
    same = "simple matching with the same algorithm"
    choices = [
        ("both", known, AGAINST[DEFAULT], lambda algorithm: DEFAULT),
        ("both", known, same, reference_of),
    ]
    if any(row["measure"] == STANDARD[0] for row in known):
        choices.append(("both", known, AGAINST[STANDARD], lambda algorithm: STANDARD))
    for name in dict.fromkeys(row["algorithm"] for row in known):
        part = [row for row in known if row["algorithm"] == name]
        if any(row["measure"] == reference_of(name)[0] for row in part):
            choices.append((name, part, same, reference_of))
    found = []
    for choice, rows, against, reference in choices:
        row = {"choice": choice, "against": against, **asdict(check(rows, against, reference))}
        for size in ("small", "large"):
            try:
                best = advise(rows, size == "large")
            except CouplingsError:
                continue
            row[f"{size}_measure"], row[f"{size}_algorithm"] = best.first
            if choice == "both":
                row |= {f"{size}_advice": best.measure, f"{size}_advice_with": best.algorithm}
        found.append(row)
    correct(found)
    return found


def answer(job: Job, cells: pd.DataFrame) -> Sheet:
    """What to try first, and how such advice does where it was not looked at, beside chance."""
    names = labels_of(records(job, *BESIDE, "grid"))
    data = advice(job)

    def named(row: Mapping[str, Any], key: str, algorithm: str) -> str:
        if key not in row:
            return ""
        own = row[key] == row[algorithm]
        return names[row[key]] + ("" if own else f", {ALGORITHMS[row[algorithm]]}")

    def recommended(row: Mapping[str, Any]) -> str:
        sizes = {"small": f"up to {LARGEST} objects", "large": "for more"}
        found = {
            f"{said} {text}": said
            for size, text in sizes.items()
            if (said := named(row, f"{size}_advice", f"{size}_advice_with"))
        }
        return ", ".join(set(found.values()) if len(set(found.values())) == 1 else found)

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

    return Sheet.of(
        job,
        "what to try first",
        f"Recommended: {recommended(data[0])}. Choosing by mean rank, without the data set that it "
        "is tried on, is better than a candidate drawn at random in "
        f"{sum(map(clear, data))} of {len(data)} kinds of choice. Among everything, it is better "
        f"than simple matching with k-modes on {data[0]['better']} data sets and worse on "
        + "; ".join(
            [against(data[0])]
            + [
                f"against {row['against']} on {row['better']} and {against(row)}"
                for row in data[1:]
                if row["choice"] == "both"
            ]
        )
        + "."
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
            *(
                Column(
                    size,
                    head,
                    "Best mean rank",
                    text=True,
                    of=lambda row, s=size: named(row, f"{s}_measure", f"{s}_algorithm"),
                )
                for size, head in (
                    ("small", f"up to {LARGEST} objects"),
                    ("large", "more objects"),
                )
            ),
            *words(against="Compared with"),
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


def evidence(job: Job, cells: pd.DataFrame) -> Sheet:
    """Rows of the recommendation's evidence, counted by data set."""
    rows = evidence_rows(job)
    counts = Counter(row["dataset"] for row in rows)
    return Sheet.of(
        job,
        "what the recommendation rests on",
        f"{len(rows)} cells of {plural(len(counts), 'data set')}; the CSV is what "
        "`python -m replication.papers.study.evidence` packages for `couplings.recommend`.",
        [Column("dataset", "Data set", text=True), Column("cells", "cells")],
        rows,
        rows=[{"dataset": job.printed(name), "cells": str(n)} for name, n in counts.items()],
        legend=missing(job),
    )
