"""Time and memory of CDE and its rivals."""

from __future__ import annotations

import statistics
from typing import TYPE_CHECKING

from replication.judge.times import HOW, HOW_MEMORY
from replication.papers.cde.analysis import (
    slowdowns,
)
from replication.papers.cde.runs import (
    collect,
)
from replication.show.job import Job
from replication.show.sheet import Column, Sheet, number

if TYPE_CHECKING:
    import pandas as pd


# --- costs --------------------------------------------------------------------------------------


_COST = (*("seconds", "slowest", "repeats", "fit_seconds", "before_mib", "peak_mib", "matrix_mib"),)


def cost(job: Job, cells: pd.DataFrame) -> Sheet:
    """Time and memory of the similarities of Table 2 on Adult, with the F-scores they lead to."""
    records = job.records("adult_cost")
    labels = {one["id"]: one["label"] for one in job.need("parameters")["methods"]}
    scores = collect(job.records("similarities"), "pipeline")
    data = []
    if not records.empty and (records["status"] == "ok").any():
        done = records[records["status"] == "ok"].set_index("pipeline").to_dict("index")
        for name, row in ((name, done[name]) for name in labels):
            one = scores.get((row["dataset"], name))
            data.append(
                {
                    "method": name,
                    "label": labels[name],
                    "objects": int(row["objects"]),
                    "distinct": int(row["distinct"]),
                    **{key: row[key] for key in _COST},
                    "fscore": one.mean if one else None,
                    "sd": one.run_sd if one else None,
                }
            )
    if data:
        most = max(data, key=lambda one: one["peak_mib"])
        said = (
            f"All {len(data)} run in at most {most['peak_mib']:.0f} MiB ({most['label']}), where a "
            f"matrix over all pairs of the {most['objects']} objects alone takes "
            f"{most['matrix_mib']:.0f} MiB."
        )
    else:
        said = "Not run: Adult is not part of this run."
    return Sheet(
        name=f"{job.paper}-{job.artefact}",
        title=f"{job.label}: spectral embedding without a matrix over all pairs",
        caption=said,
        columns=[
            Column("label", "Method", text=True),
            Column("seconds", "embedding (s)"),
            Column("fit_seconds", "measure (s)"),
            Column("before_mib", "before", "memory, MiB"),
            Column("peak_mib", "peak", "memory, MiB"),
            Column("matrix_mib", "all pairs (MiB)"),
            Column("fscore", "F-score"),
        ],
        rows=[
            {
                "label": one["label"],
                "seconds": number(one["seconds"], 2),
                "fit_seconds": number(one["fit_seconds"], 2),
                "before_mib": number(one["before_mib"], 0),
                "peak_mib": number(one["peak_mib"], 0),
                "matrix_mib": number(one["matrix_mib"], 0),
                "fscore": number(one["fscore"], 3),
            }
            for one in data
        ],
        legend=[
            HOW,
            HOW_MEMORY,
            "COS and ALGO are sums over the attributes: their problem reduces to one "
            "over the values. DILCA and the Gaussian of CDE are decomposed over distinct objects.",
        ],
        data=data,
        data_columns=[
            *("method", "label", "objects", "distinct", *_COST, "fscore", "sd"),
        ],
    )


def times(job: Job, cells: pd.DataFrame) -> Sheet:
    """Seconds until the objects are represented, by data set and method."""
    records = job.records("embedding_times")
    labels = {one["id"]: one["label"] for one in job.need("parameters")["methods"]}
    data = [
        {
            "dataset": row["dataset"],
            "printed_name": job.datasets[row["dataset"]]["printed"],
            **{key: row[key] for key in ("method", "kind", "objects", "seconds", "slowest")},
            "label": labels[row["method"]],
        }
        for row in records.to_dict("records")
        if row["status"] == "ok"
    ]
    rows: dict[str, dict[str, str]] = {}
    for one in data:
        row = rows.setdefault(
            one["dataset"], {"dataset": one["printed_name"], "objects": str(one["objects"])}
        )
        row[one["method"]] = number(one["seconds"], 2, 1000)
    orders = slowdowns(records)
    said = (
        f"CDE takes 10^{statistics.median(orders):.1f} times as long as the mean of the other "
        f"embeddings (median; 10^{min(orders):.1f} to 10^{max(orders):.1f})."
        if orders
        else "No data set of this run was timed."
    )
    return Sheet(
        name=f"{job.paper}-{job.artefact}",
        title=f"{job.label}: time to represent the objects",
        caption=f"Milliseconds from the table to the representation. {said}",
        columns=[
            Column("dataset", "Data set", text=True),
            Column("objects", "objects"),
            *(Column(name, label) for name, label in labels.items()),
        ],
        rows=list(rows.values()),
        legend=[
            "Embeddings yield a matrix of objects and dimensions, similarities one over all pairs "
            "of objects (left out where it has more than 10^8 entries).",
            HOW,
        ],
        data=data,
        data_columns=[
            *("dataset", "printed_name", "objects", "method", "label", "kind", "seconds"),
            "slowest",
        ],
    )
