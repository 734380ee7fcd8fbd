"""Tables that say what the clusters of the reader's own data are."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from replication.files import MISSING, read_json, read_rows
from replication.papers.own.insight import NUMBER, OBJECT, PROFILE, VALUES
from replication.show.job import Job
from replication.show.sheet import Column, Sheet
from replication.show.sheet import number as digits
from replication.steps import OK

if TYPE_CHECKING:
    import pandas as pd

Row = dict[str, str]

MARKED = 0.2
"""Least difference of the shares inside and outside that distinguishes a cluster."""
SHOWN = 6
"""Most values that are listed for a cluster."""
NEAR = 3
"""Pairs of values that are listed as near and as far."""


def clusters(job: Job, cells: pd.DataFrame) -> Sheet:
    """Size of every cluster, its typical values, and those that tell it from the others."""
    records = _records(job, PROFILE)
    rows = []
    for dataset, entry in job.datasets.items():
        here = [row for row in records if row["dataset"] == dataset]
        sizes = {row["cluster"]: int(row["size"]) for row in here}
        for cluster, size in sizes.items():
            own = [row for row in here if row["cluster"] == cluster]
            rows.append(
                {
                    "dataset": entry["printed"],
                    "cluster": cluster,
                    "size": str(size),
                    "share": digits(size / sum(sizes.values()), 0, 100),
                    "typical": _typical(own),
                    "marks": _marks(own),
                }
            )
    return Sheet(
        name=f"{job.paper}-{job.artefact}",
        title=job.label,
        caption=" ".join(_pipelines(job, records)),
        columns=[
            Column("dataset", "Data", text=True),
            Column("cluster", "Cluster"),
            Column("size", "rows"),
            Column("share", "%"),
            Column("marks", "what distinguishes it", text=True),
            Column("typical", "typical row", text=True),
        ],
        rows=rows,
        legend=[
            f"what distinguishes it: values whose share in the cluster exceeds that elsewhere by "
            f"{MARKED:.0%} or more, at most {SHOWN}, with both shares in per cent.",
            "typical row: the most frequent value of every column in the cluster. Clusters are "
            "numbered by their first row.",
        ],
        data=records,
        data_columns=[
            *("dataset", "printed_name", "cluster", "size", "attribute", "value", "inside"),
            *("outside", "difference", "typical"),
        ],
    )


def _typical(profile: Sequence[Row]) -> str:
    """Most frequent value of every attribute, the surest first."""
    best: dict[str, Row] = {}
    for row in profile:
        known = best.get(row["attribute"])
        if known is None or float(row["inside"]) > float(known["inside"]):
            best[row["attribute"]] = row
    ordered = sorted(best.values(), key=lambda row: -float(row["inside"]))
    return ", ".join(
        f"{row['attribute']} = {_value(row['value'])} ({digits(float(row['inside']), 0, 100)})"
        for row in ordered
    )


def _marks(profile: Sequence[Row]) -> str:
    marked = [row for row in profile if float(row["difference"] or 0) >= MARKED][:SHOWN]
    return (
        ", ".join(
            f"{row['attribute']} = {_value(row['value'])} "
            f"({digits(float(row['inside']), 0, 100)} / {digits(float(row['outside']), 0, 100)})"
            for row in marked
        )
        or "nothing so clear"
    )


def values(job: Job, cells: pd.DataFrame) -> Sheet:
    """Which values of a column the measure takes to be near, and which far from each other."""
    records = _records(job, VALUES)
    rows = []
    for dataset, entry in job.datasets.items():
        here = [row for row in records if row["dataset"] == dataset]
        for attribute in dict.fromkeys(row["attribute"] for row in here):
            # a matrix is symmetric: one of each pair is enough
            pairs = {
                frozenset((row["value"], row["other"])): row
                for row in here
                if row["attribute"] == attribute and row["value"] != row["other"]
            }
            ranked = sorted(pairs.values(), key=lambda row: float(row["distance"]))
            half = (len(ranked) + 1) // 2
            rows.append(
                {
                    "dataset": entry["printed"],
                    "attribute": attribute,
                    "values": str(
                        len({row["value"] for row in here if row["attribute"] == attribute})
                    ),
                    "near": _pairs(ranked[: min(NEAR, half)]),
                    "far": _pairs(ranked[half:][::-1][:NEAR]),
                }
            )
    caption = " ".join(_pipelines(job, records))
    if not records:
        caption = "The measure compares whole objects: it has no distances of values."
    return Sheet(
        name=f"{job.paper}-{job.artefact}",
        title=job.label,
        caption=caption,
        columns=[
            Column("dataset", "Data", text=True),
            Column("attribute", "Column", text=True),
            Column("values", "values"),
            Column("near", "nearest pairs", text=True),
            Column("far", "farthest pairs", text=True),
        ],
        rows=rows,
        legend=["In brackets: their distance, learnt from the other columns of the table."],
        data=records,
        data_columns=[
            *("dataset", "printed_name", "attribute", "value", "other", "distance", "share"),
        ],
    )


def _pairs(rows: Iterable[Row]) -> str:
    return ", ".join(
        f"{_value(row['value'])} – {_value(row['other'])} ({float(row['distance']):.2f})"
        for row in rows
    )


def number(job: Job, cells: pd.DataFrame) -> Sheet:
    """Silhouette and stability for several numbers of clusters."""
    records = _records(job, NUMBER)
    rows = [
        {
            "dataset": row["printed_name"],
            "k": row["k"],
            "silhouette": _number(row["silhouette"]),
            "stability": _number(row["stability"], row["stability_sd"]),
            "smallest": row["smallest"],
        }
        for row in records
    ]
    return Sheet(
        name=f"{job.paper}-{job.artefact}",
        title=job.label,
        caption=" ".join(
            _advice(entry["printed"], [row for row in records if row["dataset"] == dataset])
            for dataset, entry in job.datasets.items()
        ),
        columns=[
            Column("dataset", "Data", text=True),
            Column("k", "clusters"),
            Column("silhouette", "silhouette"),
            Column("stability", "stability"),
            Column("smallest", "smallest cluster"),
        ],
        rows=rows,
        legend=[
            "silhouette: how much nearer a row is to its own cluster than to the next one, in "
            "[-1, 1]; more is better.",
            "stability: adjusted Rand index of the clusters of all rows with those that a "
            "clustering of a bootstrap sample gives them, mean ± standard deviation; 1 is the "
            "same each time.",
            "No index knows how many clusters there are; small clusters and few columns favour "
            "large numbers.",
        ],
        data=records,
        data_columns=[
            *("dataset", "printed_name", "k", "silhouette", "stability", "stability_sd"),
            "smallest",
        ],
    )


def _advice(name: str, rows: Sequence[Row]) -> str:
    """Numbers of clusters with the best indices."""
    said = []
    for key in ("silhouette", "stability"):
        known = [row for row in rows if row[key]]
        if known:
            best = max(known, key=lambda row: float(row[key]))
            said.append(f"{key} is highest for {best['k']} ({_number(best[key])})")
    return f"{name}: {', '.join(said)}." if said else f"{name}: no index could be computed."


def _number(value: str, spread: str = "") -> str:
    if not value:
        return "–"
    return f"{float(value):.2f}" + (f" ± {float(spread):.2f}" if spread else "")


def objects(job: Job, cells: pd.DataFrame) -> Sheet:
    """Most typical and oddest rows, and why; the map of all rows is the figure."""
    records = _records(job, OBJECT)
    for dataset in job.datasets:
        here = [row for row in records if row["dataset"] == dataset]
        dropped = read_json(job.file("facts", dataset=dataset))["dropped"]
        kept = kept_rows(max((int(row["row"]) for row in here), default=0), dropped)
        for row in here:
            row["row"] = str(kept[int(row["row"]) - 1])
    ends = [row for row in records if row["rank"]]
    shown = {row["printed_name"]: float(row["shown"]) for row in records}
    return Sheet(
        name=f"{job.paper}-{job.artefact}",
        title=job.label,
        caption=" ".join(
            f"{name}: the map holds {share:.0%} of the spread of the rows."
            for name, share in shown.items()
        ),
        columns=[
            Column("dataset", "Data", text=True),
            Column("row", "row"),
            Column("rank", "", text=True),
            Column("cluster", "cluster"),
            Column("oddness", "oddness"),
            Column("because", "because of", text=True),
        ],
        rows=[
            {
                "dataset": row["printed_name"],
                **{key: row[key] for key in ("row", "rank", "cluster")},
                "because": row["because"].replace(f"={MISSING} ", "=missing "),
                "oddness": _number(row["oddness"]),
            }
            for row in sorted(ends, key=lambda row: (row["dataset"], float(row["oddness"])))
        ],
        legend=[
            "row: counted from 1 below the header of the file.",
            "oddness: mean dissimilarity (for measures of squares, mean square) to all rows; "
            "because of: the values that make it low or high, with their part.",
        ],
        data=records,
        data_columns=[
            *("dataset", "printed_name", "row", "cluster", "class", "x", "y", "shown", "rank"),
            *("oddness", "because"),
        ],
    )


def kept_rows(n: int, dropped: Sequence[int]) -> list[int]:
    """Numbers of the first n rows that were kept, the first row of the file being 1."""
    gone = set(dropped)
    return [row for row in range(1, n + len(gone) + 1) if row not in gone][:n]


def _records(job: Job, part: str) -> list[Row]:
    """Records of one part, every cell a text: values of the reader's may look like numbers."""
    (experiment,) = job.need("experiments")
    return [
        {**row, "printed_name": entry["printed"]}
        for dataset, entry in job.datasets.items()
        for row in read_rows(job.file("experiment", experiment=experiment, dataset=dataset))
        if row["status"] == OK and row["part"] == part
    ]


def _pipelines(job: Job, records: Iterable[Mapping[str, Any]]) -> list[str]:
    """Which measure and algorithm is explained."""
    said = dict.fromkeys((row["measure_label"], row["algorithm_label"]) for row in records)
    return [f"{measure} with {algorithm}." for measure, algorithm in said]


def _value(text: str) -> str:
    return "missing" if text == MISSING else text
