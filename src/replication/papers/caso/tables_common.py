"""What the tables of CASO have in common."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from replication.errors import UserError
from replication.judge.cells import legend_of_marks
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


KMODES = {"frequency": "kmodes_frequency", "minimiser": "kmodes_minimiser"}
SPECTRAL = {
    ("one-minus", "njw"): "sc_one_minus",
    ("exp-mean", "njw"): "sc_exp_mean",
    ("gauss-mean", "njw"): "sc_gauss_mean",
    ("one-minus", "rw"): "sc_one_minus_rw",
    ("gauss-mean", "rw"): "sc_gauss_mean_rw",
}
PRINTED_RUNS = 100
"""Clusterings behind each mean of Table XI (section VIII-B1)."""


def main_algorithms(job: Job) -> dict[str, str]:
    """Algorithms of the first reading under the paper's names."""
    first = job.readings[0]
    spectral = (job.choice("caso.affinity", first), job.choice("caso.laplacian", first))
    if spectral not in SPECTRAL:
        raise UserError(
            f"config/readings.yaml: caso.affinity {spectral[0]!r} with caso.laplacian "
            f"{spectral[1]!r} is not computed; add the algorithm to `experiments.partitions`"
        )
    return {"KM": KMODES[job.choice("caso.mode", first)], "SC": SPECTRAL[spectral]}
