"""Figs 2 and 3 of CDE: dimension and F-score against alpha and beta."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING

from replication.papers.cde.analysis import STABLE, decreasing_from, stable_from
from replication.papers.cde.runs import table_of_runs
from replication.show.job import Job
from replication.show.sheet import Column, Sheet

if TYPE_CHECKING:
    import pandas as pd


def alpha(job: Job, cells: pd.DataFrame) -> Sheet:
    """Dimension before the component analysis, and F-score, against alpha: Fig. 2."""
    return _sweep(
        job,
        "alpha",
        "Mean number of value clusters (dimension before the component analysis) and mean "
        f"F-score. Under the {job.readings[0]} reading the dimension stays within "
        f"{STABLE:.0%} of its last value: "
        f"{_thresholds(job, 'alpha', stable_from, '{} from {:g}')}.",
        {"dimension": ("clusters", "clusters")},
    )


def beta(job: Job, cells: pd.DataFrame) -> Sheet:
    """Dimension after the component analysis, and F-score, against beta: Fig. 3."""
    return _sweep(
        job,
        "beta",
        "Mean dimension of the value embedding and mean F-score. Under the "
        f"{job.readings[0]} reading the dimension first falls where rounding noise is cut "
        f"off: {_thresholds(job, 'beta', decreasing_from, '{} at {:.0e}')}.",
        {"dimension": ("dimension", "dimension"), "dimension_svd": ("dimension_svd", "by SVD")},
    )


def _thresholds(job: Job, parameter: str, rule: Callable[[pd.DataFrame], float], words: str) -> str:
    """Threshold of each data set under the first reading."""
    records = job.ok(parameter)
    if records.empty:
        return ""
    records = records[records["measure"] == job.need("parameters")["measures"][job.readings[0]]]
    return "; ".join(
        words.format(job.printed(dataset), rule(group))
        for dataset, group in records.groupby("dataset", sort=False)
    )


def _sweep(
    job: Job, parameter: str, caption: str, dimensions: Mapping[str, tuple[str, str]]
) -> Sheet:
    """Means per data set, reading and value of a parameter.

    Parameters
    ----------
    dimensions : mapping of str to tuple of str
        Column of the records and heading of each dimension.
    """
    records = job.ok(parameter)
    data = []
    for reading, dataset in itertools.product(job.readings if len(records) else (), job.datasets):
        measure = job.need("parameters")["measures"][reading]
        mine = records[(records["dataset"] == dataset) & (records["measure"] == measure)]
        for value, group in mine.groupby(parameter, sort=True):
            runs = table_of_runs(group)
            sizes = group.drop_duplicates("embedding")
            data.append(
                {"dataset": dataset, "printed_name": job.printed(dataset), "reading": reading}
                | {parameter: float(value)}
                | {key: float(sizes[column].mean()) for key, (column, _) in dimensions.items()}
                | {"dimension_sd": float(sizes[dimensions["dimension"][0]].std(ddof=0))}
                | {"fscore": runs.mean, "standard_error": runs.standard_error}
                | {"embeddings": len(runs.scores)}
            )
    heads = {key: (head, 0) for key, (_, head) in dimensions.items()} | {"fscore": ("F", 3)}
    return Sheet.of(
        job,
        f"dimension and F-score against {parameter}",
        caption,
        [
            Column("reading", "Reading", text=True),
            Column(parameter, parameter),
            *(
                Column(
                    f"{dataset}.{key}",
                    head,
                    job.printed(dataset),
                    digits=digits,
                    of=key,
                    where={"dataset": dataset},
                )
                for dataset in dict.fromkeys(row["dataset"] for row in data)
                for key, (head, digits) in heads.items()
            ),
        ],
        data,
        by=("reading", parameter),
        legend=[
            "The paper draws curves and prints no numbers. Means over embeddings; F-scores are "
            "those of k-means with as many clusters as classes.",
            *(f"{job.printed(name)}: {reason}." for name, reason in job.left_out.items()),
        ],
        data_columns=[
            *("dataset", "printed_name", "reading", parameter, *dimensions, "dimension_sd"),
            *("fscore", "standard_error", "embeddings"),
        ],
    )
