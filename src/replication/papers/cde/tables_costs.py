"""Time and memory of CDE and its rivals."""

from __future__ import annotations

import statistics
from typing import TYPE_CHECKING

from replication.judge.times import HOW, HOW_MEMORY
from replication.papers.cde.analysis import slowdowns
from replication.papers.cde.runs import collect
from replication.show.job import Job
from replication.show.sheet import Column, Sheet, across

if TYPE_CHECKING:
    import pandas as pd


_COST = (*("seconds", "slowest", "repeats", "fit_seconds", "before_mib", "peak_mib", "matrix_mib"),)


def cost(job: Job, cells: pd.DataFrame) -> Sheet:
    """Time and memory of the similarities of Table 2 on Adult, with the F-scores they lead to."""
    labels = {method["id"]: method["label"] for method in job.need("parameters")["methods"]}
    scores = collect(job.records("similarities"), "pipeline")
    done = {row["pipeline"]: row for row in job.rows("adult_cost")}
    data = []
    for name in labels if done else ():
        row = done[name]
        runs = scores.get((row["dataset"], name))
        data.append(
            {"method": name, "label": labels[name]}
            | {key: int(row[key]) for key in ("objects", "distinct")}
            | {key: row[key] for key in _COST}
            | {"fscore": runs.mean if runs else None, "sd": runs.run_sd if runs else None}
        )
    said = "Not run: Adult is not part of this run."
    if data:
        most = max(data, key=lambda row: row["peak_mib"])
        said = (
            f"All {len(data)} run in at most {most['peak_mib']:.0f} MiB ({most['label']}), where a "
            f"matrix over all pairs of the {most['objects']} objects alone takes "
            f"{most['matrix_mib']:.0f} MiB."
        )
    return Sheet.of(
        job,
        "spectral embedding without a matrix over all pairs",
        said,
        [
            Column("label", "Method", text=True),
            Column("seconds", "embedding (s)", digits=2),
            Column("fit_seconds", "measure (s)", digits=2),
            Column("before_mib", "before", "memory, MiB", digits=0),
            Column("peak_mib", "peak", "memory, MiB", digits=0),
            Column("matrix_mib", "all pairs (MiB)", digits=0),
            Column("fscore", "F-score", digits=3),
        ],
        data,
        legend=[
            HOW,
            HOW_MEMORY,
            "COS and ALGO are sums over the attributes: their problem reduces to one "
            "over the values. DILCA and the Gaussian of CDE are decomposed over distinct objects.",
        ],
        data_columns=[*("method", "label", "objects", "distinct"), *_COST, *("fscore", "sd")],
    )


def times(job: Job, cells: pd.DataFrame) -> Sheet:
    """Seconds until the objects are represented, by data set and method."""
    labels = {method["id"]: method["label"] for method in job.need("parameters")["methods"]}
    data = [
        {"dataset": row["dataset"], "printed_name": job.printed(row["dataset"])}
        | {"objects": row["objects"], "method": row["method"], "label": labels[row["method"]]}
        | {key: row[key] for key in ("kind", "seconds", "slowest")}
        for row in job.rows("embedding_times")
    ]
    orders = slowdowns(job.records("embedding_times"))
    said = (
        f"CDE takes 10^{statistics.median(orders):.1f} times as long as the mean of the other "
        f"embeddings (median; 10^{min(orders):.1f} to 10^{max(orders):.1f})."
        if orders
        else "No data set of this run was timed."
    )
    return Sheet.of(
        job,
        "time to represent the objects",
        f"Milliseconds from the table to the representation. {said}",
        [
            Column("dataset", "Data set", text=True, of="printed_name"),
            Column("objects", "objects"),
            *across("method", labels, of="seconds", digits=2, scale=1000),
        ],
        data,
        by=("dataset",),
        legend=[
            "Embeddings yield a matrix of objects and dimensions, similarities one over all pairs "
            "of objects (left out where it has more than 10^8 entries).",
            HOW,
        ],
    )
