"""What the study advises, and how such advice does beside chance."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from couplings.recommendation import LARGEST
from replication.papers.study.analysis import (
    ALGORITHMS,
    ALPHA,
    ROPE,
    advice,
    labels_of,
    scored,
)
from replication.papers.study.tables_common import baseline_line, missing, p_text, sheet
from replication.show.job import Job
from replication.show.sheet import Column, Sheet, number

if TYPE_CHECKING:
    import pandas as pd


# --- the answer ----------------------------------------------------------------------------------


def answer(job: Job, cells: pd.DataFrame) -> Sheet:
    """What to try first, and how such advice does where it was not looked at, beside chance."""
    names = labels_of(scored(job))
    plain = advice(job)

    def first(row: dict[str, Any], size: str) -> str:
        measure = row.get(f"{size}_measure")
        if measure is None:
            return ""
        return f"{names[measure]}, {ALGORITHMS[row[f'{size}_algorithm']]}"

    rows = [
        {
            "choice": "measure and algorithm"
            if row["choice"] == "both"
            else f"measure, given {ALGORITHMS[row['choice']]}",
            "small": first(row, "small"),
            "large": first(row, "large"),
            "against": row["against"],
            "advice": f"{row['better']} / {row['same']} / {row['worse']}",
            "chance": " / ".join(
                number(row[f"chance_{name}"], 1) for name in ("better", "same", "worse")
            ),
            "p": p_text(row["p"]),
            "p_holm": p_text(row["p_holm"]),
            "skill": "better than chance" if row["p_holm"] < ALPHA else "no better than chance",
        }
        for row in plain
    ]
    skilled = [row for row in plain if row["p_holm"] < ALPHA]
    return sheet(
        job,
        "what to try first",
        f"Advice that has not seen a data set is better than a candidate drawn at random in "
        f"{len(skilled)} of {len(plain)} kinds of choice. Choosing measure and algorithm, it is "
        f"better than simple matching with k-modes on {plain[0]['better']} data sets and worse on "
        f"{plain[0]['worse']} (at random: {number(plain[0]['chance_better'], 1)} and "
        f"{number(plain[0]['chance_worse'], 1)}); against simple matching with the same algorithm "
        f"on {plain[1]['better']} and {plain[1]['worse']} (at random: "
        f"{number(plain[1]['chance_better'], 1)} and {number(plain[1]['chance_worse'], 1)})."
        if plain
        else "No data set was computed in this run.",
        [
            Column("choice", "What is chosen", text=True),
            Column("small", f"up to {LARGEST} objects", "Try first", text=True),
            Column("large", "more objects", "Try first", text=True),
            Column("against", "Compared with", text=True),
            Column("advice", "advice", "better / same / worse, unseen"),
            Column("chance", "at random", "better / same / worse, unseen"),
            Column("p", "at random as good", "p"),
            Column("p_holm", "Holm", "p"),
            Column("skill", "Advice is", text=True),
        ],
        rows,
        plain,
        [
            "Try first: the first of all candidates by mean rank over the data sets. For many "
            "objects only what needs no matrix of all pairs counts; for few, only data sets of "
            "that size.",
            "Unseen: each data set is left out once, everything is chosen on the others, and the "
            f"choice is compared with simple matching on the one left out; {ROPE:g} ARI either way "
            "is the same. At random: what a candidate drawn from the same list does, on average.",
            "p: probability that random candidates reach the advice's better minus worse, exact; "
            f"Holm over the {len(plain)} rows. The rows share data sets and candidates.",
            "Simple matching with k-means is the 0-1 encoding. `couplings.recommend` gives this "
            "advice for a table.",
            *baseline_line(job, job.datasets),
            *missing(job),
        ],
    )
