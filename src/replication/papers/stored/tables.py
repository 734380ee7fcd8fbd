"""The table of stored partitions, one function per kind of artefact."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from replication.judge.cells import Ours, tally
from replication.judge.verdicts import EXACT, WITHIN_NOISE, Reproduced
from replication.show.job import Job
from replication.show.sheet import Cell, Column, Sheet, grouped, words
from replication.steps import OK

if TYPE_CHECKING:
    import pandas as pd

METHODS = {"kmodes": "kmodes_online", "entropy": "entropy_single", "cde": "cde", "cdc_dr": "cdc_dr"}
"""Stored methods, and what they are called here."""
UNKNOWN = {"heart_disease": "how its numbers were cut into bins was never published"}
"""Data sets that nobody can prepare again."""
STORED = 50
"""Stored runs behind a mean."""
_NAMES = {"ari": "ARI", "nmi": "NMI", "accuracy": "accuracy"}


def partitions(job: Job, cells: pd.DataFrame) -> Sheet:
    """Mean scores of stored partitions, and of single runs of ours."""
    records = job.records("runs")
    known = records[records["status"] == OK] if "method" in records else records[:0]
    data = job.judged(cells, lambda cell, _: _ours(job, known, cell))
    near = []
    for method in dict.fromkeys(one["label"] for one in data):
        aris = [one for one in data if one["label"] == method and one["metric"] == "ari"]
        ran = [one for one in aris if one["reproduced"] is not None]
        found = tally(ran)
        met = found.get(WITHIN_NOISE, 0) + found.get(EXACT, 0)
        near.append(f"{method} {met} of {len(ran)}")
    return Sheet.of(
        job,
        "",
        f"Mean ARI within noise, by method: {'; '.join(near)}.",
        [
            *words(printed_name="Data set", label="method"),
            *grouped(
                "metric",
                _NAMES,
                [
                    Column("stored", "stored", of="printed_value", digits=3),
                    Column(
                        "ours",
                        "ours",
                        of=lambda one: Cell(one["reproduced"], 3, verdict=one["verdict"]),
                    ),
                ],
            ),
            Column("reason", "reason", text=True),
        ],
        data,
        title="Mean scores of stored partitions, and of single runs of ours",
        by=["dataset", "method"],
        legend=[
            f"Stored: means over {STORED} runs. Marks: = the digits; ~ within noise, no farther "
            "apart than two standard errors of the difference of the means; ≠ differs; ∅ not run.",
        ],
        data_columns=[
            *("dataset", "printed_name", "method", "label", "metric", "printed", "reproduced"),
            *("sd", "samples", "verdict", "difference", "reason"),
        ],
        verdicts=data,
    )


def _ours(job: Job, known: pd.DataFrame, cell: Mapping[str, str]) -> Ours:
    """Our mean for a stored one; else the reason why there is none."""
    dataset, more = cell["dataset_id"], {"label": cell["method"]}
    if missing := UNKNOWN.get(dataset) or job.missing(dataset):
        return Ours(missing, more=more)
    runs = known[(known["dataset"] == dataset) & (known["method"] == METHODS[cell["method_id"]])]
    if runs.empty:
        return Ours("the data set could not be had", more=more)
    values = runs[cell["metric"]].dropna().to_numpy(float)
    if not len(values):
        return Ours(str(runs["absent"].iloc[0]), more=more)
    mean = Reproduced(float(values.mean()), sd=float(values.std(ddof=1)), runs=len(values))
    return Ours(mean, trials=len(values), printed_runs=STORED, more=more)
