"""The table of stored partitions, one function per kind of artefact."""

from collections.abc import Mapping

import pandas as pd

from replication.judge.cells import Ours
from replication.judge.verdicts import EXACT, WITHIN_NOISE, Reproduced
from replication.show.job import Job
from replication.show.sheet import Cell, Column, Sheet, grouped, words

METHODS = {"kmodes": "kmodes_online", "entropy": "entropy_single", "cde": "cde", "cdc_dr": "cdc_dr"}
"""Ids of the stored methods in this workflow."""
UNKNOWN = {"heart_disease": "how its numbers were cut into bins was never published"}
"""Data sets whose preparation is not published, with the reason."""
STORED = 50
"""Stored runs behind a mean."""


def partitions(job: Job, cells: pd.DataFrame) -> Sheet:
    """Mean scores of stored partitions, and of single runs of ours."""
    known = job.ok("runs")

    def ours(cell: Mapping[str, str], reading: str) -> Ours:
        """Return our mean for a stored one, or the reason why there is none."""
        dataset, method = cell["dataset_id"], METHODS[cell["method_id"]]
        more = {"label": cell["method"]}
        if missing := UNKNOWN.get(dataset) or job.missing(dataset):
            return Ours(missing, more=more)
        runs = known[(known["dataset"] == dataset) & (known["method"] == method)]
        values = runs[cell["metric"]].dropna().to_numpy(float)
        if not len(values):
            return Ours(next(iter(runs["absent"]), "the data set was not available"), more=more)
        mean = Reproduced(float(values.mean()), sd=float(values.std(ddof=1)), runs=len(values))
        return Ours(mean, trials=len(values), printed_runs=STORED, more=more)

    data = job.judged(cells, ours)
    near: dict[str, list[bool]] = {one["label"]: [] for one in data}
    for one in data:
        if one["metric"] == "ari" and one["reproduced"] is not None:
            near[one["label"]].append(one["verdict"] in (WITHIN_NOISE, EXACT))
    said = "; ".join(f"{method} {sum(met)} of {len(met)}" for method, met in near.items())
    shown = [
        Column("stored", "stored", of="printed_value", digits=3),
        Column("ours", "ours", of=lambda one: Cell(one["reproduced"], 3, verdict=one["verdict"])),
    ]
    return Sheet.of(
        job,
        "",
        f"Mean ARI within noise, by method: {said}.",
        [
            *words(printed_name="Data set", label="method"),
            *grouped("metric", {"ari": "ARI", "nmi": "NMI", "accuracy": "accuracy"}, shown),
            *words(reason="reason"),
        ],
        data,
        title="Mean scores of stored partitions, and of single runs of ours",
        by=["dataset", "method"],
        legend=[
            f"Stored: means over {STORED} runs. Marks: = the digits; ~ within noise, no farther "
            "apart than two standard errors of the difference of the means; ≠ differs; ∅ not run."
        ],
        data_columns=[
            *("dataset", "printed_name", "method", "label", "metric", "printed", "reproduced"),
            *("sd", "samples", "verdict", "difference", "reason"),
        ],
        verdicts=data,
    )
