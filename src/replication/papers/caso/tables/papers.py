"""Tables of CASO, section VIII-C: clusters of first authors (Table XIII) and of venues (Fig. 3)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pandas as pd

from replication.papers.caso.analysis import METRICS, mean_and_sd, over_tables, venue_clusters
from replication.papers.caso.bibliographic import ASSIGNED, FIELDS, METHODS, PARTITIONS
from replication.show.job import Job
from replication.show.sheet import Column, Sheet, across, grouped, number, pivot, words

DATASET = "bibliographic"
SOURCES = {"dblp": "papers from dblp", "planted": "planted communities"}
CLUSTERS = {"dblp": "value_clusters", "planted": "value_clusters_planted"}
"""Experiments with the scores of the clusters, by source of the papers."""
MAPS = {"dblp": "venue_map", "planted": "venue_map_planted"}
"""Experiments with the clusters of the venues of one table."""

ONE_CLUSTER = "one_cluster"
_NAMES = {**METHODS, ONE_CLUSTER: "all authors in one cluster"}

CLIMBO_LEGEND = (
    "CLIMBO (as printed): CADO between clusters, 1/f1 + 1/f2 times the mean total variation, in "
    "place of the information loss. Mass: LIMBO's factor p1 + p2 in place of 1/f1 + 1/f2, our "
    "repair. Mass and CADO: both factors."
)


# --- Table XIII ---------------------------------------------------------------------------------


def bibliographic_clusters(job: Job, cells: pd.DataFrame) -> Sheet:
    """Precision, specificity and accuracy of two clusters of first authors: Table XIII."""
    data: list[dict[str, Any]] = []
    frames, absent = _sources(job, CLUSTERS)
    for source, frame in frames.items():
        data += [
            {"source": source, "method": method, "stage": stage, "over": over, "metric": metric}
            | {**mean_and_sd(picked[metric]), "n": len(picked)}
            | {"low": float(picked[metric].min()), "high": float(picked[metric].max())}
            | {"setting": picked["setting"].iloc[0], "all": picked["values"].mean()}
            for attribute, method, stage in PARTITIONS
            if attribute == "first_author"
            for over in ("runs", "tables")
            for picked in [over_tables(frame, attribute, method, stage, over)]
            for metric in (*METRICS, "smaller", "values")
        ]
        # all papers in one cluster, the larger field
        share = float(1 - frame.iloc[0]["papers_database"] / frame.iloc[0]["papers"])
        one = {"precision": share**2, "specificity": 1 - share, "accuracy": share}
        data += (
            {"source": source, "method": ONE_CLUSTER, "over": "tables", "metric": metric}
            | {"mean": score, "n": 1}
            for metric, score in one.items()
        )
    found = pd.DataFrame(data)
    runs, tables = found.groupby("over")["n"].max()
    groups = {"runs": f"one table, {runs} runs", "tables": f"{tables} tables"}
    percent = {"digits": 1, "scale": 100, "of": "mean"}
    columns = [
        Column("source", "Papers", text=True, of=lambda row: SOURCES[row["source"]]),
        Column("method", "method", text=True, of=lambda row: _NAMES[row["method"]]),
        Column("setting", "parameters", text=True),
        *grouped("over", groups, across("metric", METRICS, sd="sd", **percent)),
        Column(
            "assigned",
            "AC",
            "assigned",
            where={"over": "tables", "metric": "accuracy", "stage": ASSIGNED},
            **percent,
        ),
        Column(
            "smaller",
            "authors in the smaller cluster",
            of=lambda row: f"{number(row['mean'], 1)} of {number(row['all'], 1)}",
            where={"over": "tables", "metric": "smaller"},
        ),
    ]
    rows = pivot(columns, data, by=("source", "method"))
    return Sheet.of(
        job,
        "two clusters of first authors",
        _said(found[(found["over"] == "tables") & (found["stage"] != ASSIGNED)], tables),
        columns,
        data,
        rows=[*absent, *rows],
        legend=[
            "Mean ± standard deviation, in percent; Pr precision, Sp specificity, AC accuracy, "
            "each paper in the cluster of its first author. The runs differ in the start of STIRR "
            "and in the order of the values, which decides ties; the tables are drawn anew.",
            CLIMBO_LEGEND,
            "Assigned: after every author joined the nearest of the merged clusters (LIMBO's third "
            "phase), mean over the tables. At phi = 0 every author is a leaf, and merging alone "
            "labels all.",
            "The paper's 720 papers were never published, and its numbers are an image: there is "
            "nothing to compare with digit by digit. The parameters, too, are ours: phi bounds the "
            "loss of a leaf, M is the number of configurations, N of iterations.",
        ],
        data_columns=[
            *("source", "method", "stage", "over", "metric", "mean", "sd", "low", "high", "n")
        ],
    )


def _sources(
    job: Job, experiments: Mapping[str, str]
) -> tuple[dict[str, pd.DataFrame], list[dict[str, str]]]:
    """Records by source, and a row that says why those on papers from dblp are not there."""
    frames = {source: job.ok(name) for source, name in experiments.items()}
    if not frames["dblp"].empty:
        return frames, []
    del frames["dblp"]
    reason = job.missing(DATASET) or str(job.records(experiments["dblp"])["reason"].iloc[0])
    return frames, [{"source": SOURCES["dblp"], "method": f"not run: {reason}"}]


def _said(found: pd.DataFrame, tables: int) -> str:
    """Accuracies over the tables, and what CLIMBO as printed puts in its smaller cluster."""
    means = found.pivot_table("mean", ["method", "metric"], "source", "first")
    sources = list(dict.fromkeys(found["source"]))
    said = []
    for method, name in {**METHODS, ONE_CLUSTER: "one cluster of all authors"}.items():
        parts = (number(one, 1, 100) for one in means.loc[(method, "accuracy"), sources])
        said.append(f"{name} {' and '.join(parts)}")
    left = (
        f"{number(smaller, 1)} of {number(values, 0)}"
        for smaller, values in zip(
            *(means.loc[("climbo", one), sources] for one in ("smaller", "values")), strict=True
        )
    )
    return (
        f"Mean accuracy in percent over {tables} tables of "
        f"{' and of '.join(SOURCES[source] for source in sources)}: {', '.join(said)}. CLIMBO as "
        f"printed has {' and '.join(left)} authors in its smaller cluster."
    )


# --- Fig. 3 -------------------------------------------------------------------------------------


def bibliographic_map(job: Job, cells: pd.DataFrame) -> Sheet:
    """Venues of every paper and their clusters: Fig. 3."""
    data: list[dict[str, Any]] = []
    said: list[str] = []
    sources, rows = _sources(job, MAPS)
    for source, papers in sources.items():
        placed = papers.assign(source=source)[["source", "position", "field", "venue"]]
        counts = []
        for method, name in METHODS.items():
            found = venue_clusters(papers, method)
            n, wrong = len(found), found[found["misplaced"]]
            border, total = (found["cluster"] == FIELDS[0]).sum(), found["papers"].sum()
            rows.append(
                {"source": SOURCES[source], "method": name}
                | dict(zip(FIELDS, (str(border), str(n - border)), strict=True))
                | {"misplaced": f"{len(wrong)} of {n}", "places": ranges(wrong["place"])}
                | {"papers": number(wrong["papers"].sum() / total, 1, 100)}
                | {"accuracy": number(found["hits"].sum() / total, 1, 100)}
            )
            counts.append(f"{name} {len(wrong)}")
            own = found[["place", "cluster", "misplaced"]].add_prefix(f"{method}_")
            placed = placed.join(own, on="venue")
        data += placed.to_dict("records")
        said.append(f"of the {n} venues in the {SOURCES[source]}, {', '.join(counts)}")
    return Sheet.of(
        job,
        "two clusters of venues",
        "Venues in the cluster of the other field, by method: "
        f"{'; '.join(said)}. A venue belongs to the field of most of its papers.",
        [
            *words(source="Papers", method="method"),
            *(Column(field, field, "venues in the cluster") for field in FIELDS),
            Column("misplaced", "number", "misplaced venues"),
            Column("places", "places in the figure", "misplaced venues"),
            Column("papers", "papers, %", "misplaced venues"),
            Column("accuracy", "AC of the papers, %"),
        ],
        data,
        rows=rows,
        legend=[
            "One table of papers per source, one run; in the figure every paper is a point, its "
            "place from left to right, its venue from bottom to top. Clusters as they were merged.",
            CLIMBO_LEGEND,
            "The paper's 720 papers and their venues were never published: only the order of the "
            "methods can be compared.",
        ],
    )


def ranges(places: pd.Series) -> str:
    """Sorted places as text, such as ``3, 5-7``."""
    runs = places.groupby((places.diff() != 1).cumsum()).agg(["min", "max"])
    return ", ".join(
        str(low) if low == high else f"{low}-{high}" for low, high in runs.itertuples(index=False)
    )
