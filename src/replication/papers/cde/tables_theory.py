"""The framework of CDE (Fig. 1) and its theorem 1."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from replication.papers.cde.tables_common import (
    facts,
)
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
    records = job.records("pipeline")
    (shown,) = job.datasets.values()
    data = [
        {
            "stage": row["stage"],
            "what": _STAGES[row["stage"]][0],
            "rows": row["rows"],
            "columns": row["columns"],
            "of_rows": _STAGES[row["stage"]][1],
            "of_columns": _STAGES[row["stage"]][2],
            "last_k": "" if math.isnan(row["last_k"]) else int(row["last_k"]),
            "dataset": shown["printed"],
        }
        for row in records.to_dict("records")
        if row["status"] == "ok"
    ]
    return Sheet(
        name=f"{job.paper}-{job.artefact}",
        title=f"{job.label}: the CURE framework, as CDE fills it",
        caption=(
            f"What passes from stage to stage on {shown['printed']}: rows and columns of every "
            "matrix. The object embedding is the concatenation of its embedded values."
        ),
        columns=[
            Column("what", "Stage", text=True),
            Column("rows", "rows"),
            Column("of_rows", "of", text=True),
            Column("columns", "columns"),
            Column("of_columns", "of", text=True),
            Column("last_k", "last k"),
        ],
        rows=[{key: str(value) for key, value in one.items()} for one in data],
        data=data,
        data_columns=[
            *("dataset", "stage", "what", "rows", "of_rows", "columns", "of_columns", "last_k"),
        ],
    )


# --- theorem 1 ----------------------------------------------------------------------------------


def theorem(job: Job, cells: pd.DataFrame) -> Sheet:
    """Pairs of values that neither influence matrix tells apart, on data and on random tables."""
    found = [
        {**row, "source": job.datasets[name]["printed"], "tables": 1}
        for name, row in facts(job.records("factors")).items()
    ]
    random = job.records("random_tables")
    words = {
        "random": "random tables",
        "duplicated": "the same, first attribute twice",
    }
    keys = ("pairs", "siblings", "undistinguished", "undistinguished_code", "same_extents")
    keys += ("occurrence_mismatches",)
    for kind, source in words.items():
        some = random[random["kind"] == kind]
        found.append(
            {"source": source, "tables": len(some), **{key: int(some[key].sum()) for key in keys}}
        )
    data = [{key: one[key] for key in ("source", "tables", *keys)} for one in found]
    broken = sum(one["undistinguished"] for one in data[:-2])
    sets = sum(one["undistinguished"] > 0 for one in data[:-2])
    return Sheet(
        name=f"{job.paper}-{job.artefact}",
        title=f"{job.label}: values that neither matrix tells apart",
        caption=(
            "Pairs of different values with equal rows in the printed Mo and in Mc. Theorem 1 says "
            f"there are none; {sets} of {len(data) - 2} data sets have {broken}, random tables "
            f"{data[-2]['undistinguished']}, and a duplicated attribute makes "
            f"{data[-1]['undistinguished']}."
        ),
        columns=[
            Column("source", "Data", text=True),
            Column("tables", "tables"),
            Column("pairs", "pairs of values"),
            Column("undistinguished", "Mo printed", "equal in both matrices"),
            Column("undistinguished_code", "Mo of the program", "equal in both matrices"),
            Column("same_extents", "same extents"),
            Column("siblings", "pairs in one attribute"),
            Column("occurrence_mismatches", "equal in Mo, other frequency"),
        ],
        rows=[{key: str(value) for key, value in one.items()} for one in data],
        legend=[
            "same extents: values of two attributes that occur in exactly the same objects. "
            "The proof's last case assumes that there are none.",
            "equal in Mo, other frequency: pairs of one attribute for which equal rows of the "
            "printed Mo and equal frequencies do not go together (case 1 of the proof).",
        ],
        data=data,
        data_columns=["source", "tables", *keys],
    )
