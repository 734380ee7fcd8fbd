"""Figs 2 and 3 of CDE: dimension and F-score against alpha and beta."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any

from replication.papers.cde.analysis import (
    STABLE,
    decreasing_from,
    stable_from,
)
from replication.papers.cde.runs import (
    table_of_runs,
)
from replication.show.job import Job
from replication.show.sheet import Column, Sheet, number

if TYPE_CHECKING:
    import pandas as pd


# --- Figs 2 and 3: alpha and beta ---------------------------------------------------------------


def alpha(job: Job, cells: pd.DataFrame) -> Sheet:
    """Dimension before the component analysis, and F-score, against alpha: Fig. 2."""
    data = _sweep(job, "alpha", {"dimension": "clusters"})
    stable = _stable(job, "alpha", stable_from)
    words = "; ".join(f"{name} from {value:g}" for name, value in stable.items())
    return _sweep_sheet(
        job,
        data,
        "alpha",
        (
            "Mean number of value clusters (dimension before the component analysis) and mean "
            f"F-score. Under the {job.readings[0]} reading the dimension stays within "
            f"{STABLE:.0%} of its last value: {words}."
        ),
        {"dimension": ("clusters", 0)},
    )


def beta(job: Job, cells: pd.DataFrame) -> Sheet:
    """Dimension after the component analysis, and F-score, against beta: Fig. 3."""
    data = _sweep(job, "beta", {"dimension": "dimension", "dimension_svd": "dimension_svd"})
    falls = _stable(job, "beta", decreasing_from)
    words = "; ".join(f"{name} at {value:.0e}" for name, value in falls.items())
    return _sweep_sheet(
        job,
        data,
        "beta",
        (
            "Mean dimension of the value embedding and mean F-score. Under the "
            f"{job.readings[0]} reading the dimension first falls where rounding noise is cut "
            f"off: {words}."
        ),
        {"dimension": ("dimension", 0), "dimension_svd": ("by SVD", 0)},
    )


def _sweep(job: Job, parameter: str, dimensions: Mapping[str, str]) -> list[dict[str, Any]]:
    """Means per data set, reading and value of a parameter."""
    records = job.records(parameter)
    if records.empty:
        return []
    done = records[records["status"] == "ok"]
    found = []
    for reading in job.readings:
        measure = job.need("parameters")["measures"][reading]
        for dataset, entry in job.datasets.items():
            mine = done[(done["dataset"] == dataset) & (done["measure"] == measure)]
            for value, group in mine.groupby(parameter, sort=True):
                one = table_of_runs(group)
                per_embedding = group.drop_duplicates("embedding")
                found.append(
                    {
                        "dataset": dataset,
                        "printed_name": entry["printed"],
                        "reading": reading,
                        parameter: float(value),
                        **{
                            key: float(per_embedding[column].mean())
                            for key, column in dimensions.items()
                        },
                        "dimension_sd": float(per_embedding[dimensions["dimension"]].std(ddof=0)),
                        "fscore": one.mean,
                        "standard_error": one.standard_error,
                        "embeddings": len(one.scores),
                    }
                )
    return found


def _stable(job: Job, parameter: str, rule: Callable[[pd.DataFrame], float]) -> dict[str, float]:
    """Threshold of each data set under the first reading, by printed name."""
    records = job.records(parameter)
    if records.empty:
        return {}
    measure = job.need("parameters")["measures"][job.readings[0]]
    done = records[(records["status"] == "ok") & (records["measure"] == measure)]
    return {
        job.datasets[dataset]["printed"]: rule(group)
        for dataset, group in done.groupby("dataset", sort=False)
    }


def _sweep_sheet(
    job: Job,
    data: list[dict[str, Any]],
    parameter: str,
    caption: str,
    heads: Mapping[str, tuple[str, int]],
) -> Sheet:
    rows: dict[tuple[str, float], dict[str, str]] = {}
    for one in data:
        key = (one["reading"], one[parameter])
        row = rows.setdefault(key, {"reading": one["reading"], parameter: f"{one[parameter]:g}"})
        for name, (_, digits) in heads.items():
            row[f"{one['dataset']}.{name}"] = number(one[name], digits)
        row[f"{one['dataset']}.fscore"] = number(one["fscore"], 3)
    computed = dict.fromkeys(one["dataset"] for one in data)
    return Sheet(
        name=f"{job.paper}-{job.artefact}",
        title=f"{job.label}: dimension and F-score against {parameter}",
        caption=caption,
        columns=[
            Column("reading", "Reading", text=True),
            Column(parameter, parameter),
            *(
                Column(f"{dataset}.{key}", head, job.datasets[dataset]["printed"])
                for dataset in computed
                for key, head in (*((k, head) for k, (head, _) in heads.items()), ("fscore", "F"))
            ),
        ],
        rows=list(rows.values()),
        legend=[
            "The paper draws curves and prints no numbers. Means over embeddings; F-scores are "
            "those of k-means with as many clusters as classes.",
            *(
                f"{job.datasets[name]['printed']}: {reason}."
                for name, reason in job.left_out.items()
            ),
        ],
        data=data,
        data_columns=[
            *("dataset", "printed_name", "reading", parameter, *heads, "dimension_sd", "fscore"),
            *("standard_error", "embeddings"),
        ],
    )
