"""The framework of CDE (Fig. 1) and its theorem 1."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from replication.show.job import Job
from replication.show.sheet import Column, Sheet

if TYPE_CHECKING:
    import pandas as pd


# --- Fig. 1: the framework ----------------------------------------------------------------------

_STAGES = {
    "table": ("information table", "objects", "attributes"),
    "influence, co-occurrence": ("Mc, influence by co-occurrence", "values", "values"),
    "influence, occurrence": ("Mo, influence by occurrence", "values", "values"),
    "clusters, co-occurrence": ("value clusters on Mc", "values", "clusters"),
    "clusters, occurrence": ("value clusters on Mo", "values", "clusters"),
    "indicator": ("I, both side by side", "values", "clusters"),
    "values": ("N, principal components of I", "values", "dimensions"),
    "objects": ("objects, their values side by side", "objects", "dimensions"),
}


def pipeline(job: Job, cells: pd.DataFrame) -> Sheet:
    """Stages of the framework with their sizes on one data set: Fig. 1."""
    (dataset,) = job.datasets
    data = []
    for row in job.rows("pipeline"):
        what, of_rows, of_columns = _STAGES[row["stage"]]
        data.append(
            {"dataset": job.printed(dataset), "stage": row["stage"], "what": what}
            | {"rows": row["rows"], "of_rows": of_rows}
            | {"columns": row["columns"], "of_columns": of_columns}
            | {"last_k": "" if math.isnan(row["last_k"]) else int(row["last_k"])}
        )
    return Sheet.of(
        job,
        "the CURE framework, as CDE fills it",
        f"What passes from stage to stage on {job.printed(dataset)}: rows and columns of every "
        "matrix. The object embedding is the concatenation of its embedded values.",
        [
            Column("what", "Stage", text=True),
            Column("rows", "rows"),
            Column("of_rows", "of", text=True),
            Column("columns", "columns"),
            Column("of_columns", "of", text=True),
            Column("last_k", "last k"),
        ],
        data,
    )


# --- theorem 1 ----------------------------------------------------------------------------------


def theorem(job: Job, cells: pd.DataFrame) -> Sheet:
    """Pairs of values that neither influence matrix tells apart, on data and on random tables."""
    heads = {
        "pairs": ("pairs of values", ""),
        "undistinguished": ("Mo printed", "equal in both matrices"),
        "undistinguished_code": ("Mo of the program", "equal in both matrices"),
        "same_extents": ("same extents", ""),
        "siblings": ("pairs in one attribute", ""),
        "occurrence_mismatches": ("equal in Mo, other frequency", ""),
    }
    data = [
        {"source": job.printed(row["dataset"]), "tables": 1, **{key: row[key] for key in heads}}
        for row in job.rows("factors")
    ]
    random = job.records("random_tables")
    for kind, source in (
        ("random", "random tables"),
        ("duplicated", "the same, first attribute twice"),
    ):
        some = random[random["kind"] == kind]
        counts = {key: int(some[key].sum()) for key in heads}
        data.append({"source": source, "tables": len(some), **counts})
    *sets, drawn, duplicated = (row["undistinguished"] for row in data)
    return Sheet.of(
        job,
        "values that neither matrix tells apart",
        "Pairs of different values with equal rows in the printed Mo and in Mc. Theorem 1 says "
        f"there are none; {sum(n > 0 for n in sets)} of {len(sets)} data sets have {sum(sets)}, "
        f"random tables {drawn}, and a duplicated attribute makes {duplicated}.",
        [
            Column("source", "Data", text=True),
            Column("tables", "tables"),
            *(Column(key, head, group) for key, (head, group) in heads.items()),
        ],
        data,
        legend=[
            "same extents: values of two attributes that occur in exactly the same objects. "
            "The proof's last case assumes that there are none.",
            "equal in Mo, other frequency: pairs of one attribute for which equal rows of the "
            "printed Mo and equal frequencies do not go together (case 1 of the proof).",
        ],
        data_columns=[
            *("source", "tables", "pairs", "siblings", "undistinguished", "undistinguished_code"),
            *("same_extents", "occurrence_mismatches"),
        ],
    )
