"""The table of stored partitions, one function per kind of artefact."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from replication.judge.cells import not_run, tally
from replication.judge.published import numbers
from replication.judge.verdicts import EXACT, MARKS, WITHIN_NOISE, Reproduced
from replication.show.job import Job
from replication.show.sheet import Column, Sheet, number
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
    (reading,) = job.readings
    data, rows = [], {}
    for cell in numbers(cells).to_dict("records"):
        values, reason = _number(job, known, cell)
        if values.value is None:
            verdict = not_run(cell, reason, reading=reading)
        else:
            verdict = job.judge(
                cell, values, reading=reading, trials=values.runs, printed_runs=STORED
            )
        data.append({**verdict, "printed_name": cell["dataset"], "label": cell["method"]})
        row = rows.setdefault(
            (cell["dataset"], cell["method"]),
            {"dataset": cell["dataset"], "method": cell["method"], "reason": verdict["reason"]},
        )
        row[f"{cell['metric']} stored"] = number(float(cell["value"]), 3)
        mark = MARKS[verdict["verdict"]]
        row[f"{cell['metric']} ours"] = f"{number(values.value, 3)} {mark}".strip()
    near = []
    for method in dict.fromkeys(one["label"] for one in data):
        aris = [one for one in data if one["label"] == method and one["metric"] == "ari"]
        ran = [one for one in aris if one["reproduced"] is not None]
        found = tally(ran)
        met = found.get(WITHIN_NOISE, 0) + found.get(EXACT, 0)
        near.append(f"{method} {met} of {len(ran)}")
    return Sheet(
        name=f"{job.paper}-{job.artefact}",
        title="Mean scores of stored partitions, and of single runs of ours",
        caption=f"Mean ARI within noise, by method: {'; '.join(near)}.",
        columns=[
            Column("dataset", "Data set", text=True),
            Column("method", "method", text=True),
            *(
                Column(f"{metric} {whose}", whose, name)
                for metric, name in _NAMES.items()
                for whose in ("stored", "ours")
            ),
            Column("reason", "reason", text=True),
        ],
        rows=list(rows.values()),
        legend=[
            f"Stored: means over {STORED} runs. Marks: = the digits; ~ within noise, no farther "
            "apart than two standard errors of the difference of the means; ≠ differs; ∅ not run.",
        ],
        data=data,
        data_columns=[
            *("dataset", "printed_name", "method", "label", "metric", "printed", "reproduced"),
            *("sd", "samples", "verdict", "difference", "reason"),
        ],
        verdicts=data,
    )


def _number(job: Job, known: pd.DataFrame, cell: dict[str, Any]) -> tuple[Reproduced, str]:
    """Our mean for a stored one; else the reason why there is none."""
    dataset = cell["dataset_id"]
    if dataset in UNKNOWN:
        return Reproduced(None), UNKNOWN[dataset]
    if missing := job.missing(dataset):
        return Reproduced(None), missing
    runs = known[(known["dataset"] == dataset) & (known["method"] == METHODS[cell["method_id"]])]
    if runs.empty:
        return Reproduced(None), "the data set could not be had"
    values = runs[cell["metric"]].dropna().to_numpy(float)
    if not len(values):
        return Reproduced(None), str(runs["absent"].iloc[0])
    return Reproduced(float(values.mean()), sd=float(values.std(ddof=1)), runs=len(values)), ""
