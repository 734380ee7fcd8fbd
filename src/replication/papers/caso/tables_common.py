"""What the tables of CASO have in common."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from replication.judge.cells import legend_of_marks
from replication.papers.caso.clusterings import main_algorithms as algorithms_of
from replication.show.job import Job

if TYPE_CHECKING:
    import pandas as pd


MARK_LEGEND = legend_of_marks("chance explains the difference")


def missing_legend(job: Job, experiment: str) -> list[str]:
    """Line that names the data sets without records."""
    names = [f"{name}: {reason}" for name, reason in job.absentees(experiment).items()]
    return [f"Not run: {'; '.join(names)}."] if names else []


def each_dataset(job: Job, experiment: str) -> Iterator[tuple[dict[str, str], pd.DataFrame]]:
    """Keys of the data sets of an artefact that could be had, each with its records."""
    records = job.ok(experiment)
    for dataset in job.datasets:
        part = records[records["dataset"] == dataset]
        if len(part):
            yield {"dataset": dataset, "printed_name": job.printed(dataset)}, part


PRINTED_RUNS = 100
"""Clusterings behind each mean of Table XI (section VIII-B1)."""


def main_algorithms(job: Job) -> dict[str, str]:
    """Algorithms of the first reading under the paper's names."""
    return algorithms_of(lambda question: job.choice(question, job.readings[0]))
