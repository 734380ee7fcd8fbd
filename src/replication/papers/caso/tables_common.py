"""What the tables of CASO have in common."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

from replication.errors import UserError
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


def with_sd(mean: float, sd: float | None) -> str:
    """Mean and standard deviation as text."""
    return number(mean, 3) if sd is None else f"{number(mean, 3)} ± {number(sd, 3)}"
