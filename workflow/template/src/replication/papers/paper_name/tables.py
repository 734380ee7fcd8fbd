"""Tables of the paper, one function per kind of artefact."""

from __future__ import annotations

from typing import TYPE_CHECKING

from replication.judge.cells import not_run, tally
from replication.judge.published import numbers
from replication.judge.verdicts import MARKS, Reproduced
from replication.show.job import Job
from replication.show.sheet import Column, Sheet, number
from replication.steps import OK

if TYPE_CHECKING:
    import pandas as pd


def accuracy(job: Job, cells: pd.DataFrame) -> Sheet:
    """Printed accuracies beside ours."""
    records = job.records("clusters")
    ours = {
        (row["dataset"], row["measure"]): float(row["accuracy"])
        for row in records[records["status"] == OK].to_dict("records")
    }
    (reading,) = job.readings
    data, rows = [], []
    for cell in numbers(cells).to_dict("records"):
        value = ours.get((cell["dataset_id"], cell["method_id"]))
        if value is None:
            reason = job.missing(cell["dataset_id"]) or "the data set could not be had"
            verdict = not_run(cell, reason, reading=reading)
        else:
            verdict = job.judge(cell, Reproduced(value), reading=reading)
        data.append({**verdict, "printed_name": cell["dataset"]})
        rows.append(
            {
                "dataset": cell["dataset"],
                "printed": cell["printed"],
                "ours": f"{number(value, 4)} {MARKS[verdict['verdict']]}",
            }
        )
    counts = ", ".join(f"{n} {verdict}" for verdict, n in tally(data).items())
    return Sheet(
        name=f"{job.paper}-{job.artefact}",
        title=f"{job.label}: accuracy",
        caption=f"Printed accuracies, and ours: {counts}.",
        columns=[
            Column("dataset", "Data set", text=True),
            Column("printed", "printed"),
            Column("ours", "ours"),
        ],
        rows=rows,
        data=data,
        data_columns=["dataset", "printed_name", "method", "printed", "reproduced", "verdict"],
        verdicts=data,
    )
