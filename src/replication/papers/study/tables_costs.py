"""Tables of the study on cost and on the treatment of missing cells."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from replication.judge.times import HOW
from replication.papers.study.analysis import (
    beside,
    costs,
    labels_of,
    parts,
    scored,
    timed_with,
    treated,
)
from replication.papers.study.spaces import RULES
from replication.papers.study.tables_common import algorithm_of, baseline_line, p_text
from replication.show.job import Job
from replication.show.sheet import Column, Sheet, number

if TYPE_CHECKING:
    import pandas as pd


# --- cost ----------------------------------------------------------------------------------------


def cost(job: Job, cells: pd.DataFrame) -> Sheet:
    """Seconds and memory of each method beside its quality, and which are on the front."""
    table = timed_with(job)
    names = labels_of(scored(job)) | labels_of(beside(job))
    data = costs(parts(job, "cost"), table.mean(), names)
    most = max((row["timed_on"] for row in data), default=0)
    front = [row["label"] for row in data if row["front"] == "yes"]
    return Sheet.of(
        job,
        "quality and cost",
        (
            f"Nothing is both faster and better than {' or '.join(front)}."
            if front
            else "No times were taken in this run."
        ),
        [
            Column("label", "Method", text=True),
            Column("ari", "mean ARI", digits=3),
            Column("fit_seconds", "learning", "seconds", digits=3),
            Column("seconds", "with one clustering", "seconds", digits=3),
            Column("memory_mib", "memory, MiB", digits=0),
            Column("algorithm", "clustering", text=True, of=with_what),
            Column("timed_on", "data sets timed", digits=0),
            Column(
                "front",
                "Pareto",
                text=True,
                of=lambda row: "front" if row["front"] == "yes" else "",
            ),
        ],
        data,
        legend=[
            f"{HOW} Means over the data sets that were timed; what lacks one of the {most} is not "
            "on the front.",
            "Memory: by how much the process grew at most beyond interpreter, libraries, compiled "
            "code and data. Clustering: the cheapest one that the measure has, from one start; "
            "what clusters the table itself learns and clusters at once. ARI: with that "
            "clustering.",
            *baseline_line(job, table.index),
        ],
    )


def with_what(row: Mapping[str, Any]) -> str:
    """Algorithm that a measure was timed with; of a method by itself *its own*."""
    return "its own" if row["algorithm"] == row["measure"] else algorithm_of(row)


# --- preparation ---------------------------------------------------------------------------------

TREATMENTS = {"value": "a value", "impute": "filled in", "drop": "dropped"}


def treatment(job: Job, cells: pd.DataFrame) -> Sheet:
    """Effect of what is done with missing cells."""
    scores, tests = treated(job)
    words = "; ".join(
        f"{TREATMENTS[test['first']]} against {TREATMENTS[test['second']]}: mean difference "
        f"{number(test['mean_difference'], 3)}, p {p_text(test['p_holm']) or 'not tested'}"
        for test in tests
    )
    return Sheet.of(
        job,
        "what is done with missing cells",
        "ARI over the complete rows, mean over measures and algorithms "
        f"({words or 'no data set with missing cells in this run'}).",
        [
            Column("name", "Data set", text=True),
            *(Column(name, head, "missing cell is", digits=3) for name, head in TREATMENTS.items()),
        ],
        [
            {"dataset": dataset, "name": job.printed(dataset)}
            | {name: float(row[name]) for name in TREATMENTS}
            for dataset, row in scores.iterrows()
        ],
        legend=[
            "All three are scored on the same rows, those without a missing cell; p-values of "
            "Wilcoxon tests over data sets after Holm's correction.",
            f"Left out: {RULES['few rows']}.",
            *baseline_line(job, parts(job, "treatment")["dataset"]),
        ],
    )
