"""What the tables of CASO have in common."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

from replication.papers.caso.clusterings import main_algorithms as algorithms_of
from replication.show.job import Job
from replication.show.sheet import number
from replication.steps import OK

if TYPE_CHECKING:
    import pandas as pd


MARK_LEGEND = (
    "Marks: = the printed digits, rounded or truncated; ~ within noise: chance explains the "
    "difference; ≠ differs; – not comparable; ∅ not run."
)


def why_absent(job: Job, records: pd.DataFrame, datasets: Iterable[str]) -> str:
    """Why not all of some data sets were computed; empty if they were."""
    for name in datasets:
        if reason := job.missing(name):
            return reason
        rows = records[records["dataset"] == name]
        if not (rows["status"] == OK).any():
            return rows.iloc[0]["reason"] if len(rows) else "no record of the data set"
    return ""


def missing_legend(job: Job, records: pd.DataFrame) -> list[str]:
    """Line that names the data sets without records."""
    names = [
        f"{one['printed']}: {reason}"
        for name, one in job.datasets.items()
        if (reason := why_absent(job, records, [name]))
    ]
    return [f"Not run: {'; '.join(names)}."] if names else []


def printed_name(job: Job, dataset: str) -> str:
    """Name of a data set in the paper."""
    return job.datasets[dataset]["printed"]


PRINTED_RUNS = 100
"""Clusterings behind each mean of Table XI (section VIII-B1)."""


def main_algorithms(job: Job) -> dict[str, str]:
    """Algorithms of the first reading under the paper's names."""
    return algorithms_of(lambda question: job.choice(question, job.readings[0]))


def with_sd(mean: float, sd: float | None) -> str:
    """Mean and standard deviation as text."""
    return number(mean, 3) if sd is None else f"{number(mean, 3)} ± {number(sd, 3)}"
