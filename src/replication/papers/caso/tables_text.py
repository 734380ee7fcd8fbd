"""Numbers that the text of CASO states."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from replication.judge.cells import Ours, tally
from replication.judge.verdicts import Reproduced
from replication.papers.caso.analysis import change, worked_values
from replication.papers.caso.analysis_bibliographic import venue_clusters
from replication.papers.caso.tables_common import MARK_LEGEND, PRINTED_RUNS, main_algorithms
from replication.show.job import Job
from replication.show.sheet import Cell, Column, Sheet

if TYPE_CHECKING:
    import pandas as pd


def stated_numbers(job: Job, cells: pd.DataFrame) -> Sheet:
    """Every number that the text states, with ours."""
    worked = worked_values(job)
    data = job.judged(cells, lambda cell, _: _stated(job, cell, worked), job.readings[:1])
    said = ", ".join(f"{count} {name}" for name, count in sorted(tally(data).items()))
    return Sheet.of(
        job,
        "printed and ours",
        f"{len(data)} numbers: {said}.",
        [
            Column("about", "About", text=True),
            Column(
                "quantity",
                "quantity",
                text=True,
                of=lambda row: " ".join(filter(None, (row["method"], row["metric"]))),
            ),
            Column("printed", "printed"),
            Column("ours", "ours", of=_shown),
            Column("exact", "exact", text=True),
            Column("setting", "setting", text=True),
        ],
        data,
        legend=[
            MARK_LEGEND,
            "Improvement: relative change of a mean score from ADD to CADO over "
            f"{PRINTED_RUNS} starts; the printed ones are the extremes over six data sets.",
            *(
                f"{row['about']}, {row['method'] or row['metric']}: {row['reason']}"
                for row in data
                if row["reason"]
            ),
        ],
        data_columns=[
            *("id", "about", "method", "metric", "reading", "printed", "reproduced", "sd"),
            *("trials", "verdict", "difference", "exact", "setting", "reason"),
        ],
        verdicts=data,
        title=f"{job.label}, printed and ours",
    )


def _shown(row: Mapping[str, Any]) -> Cell:
    """Our number in the unit of the printed one, with the mark of the verdict."""
    value = row["reproduced"]
    if value is None:
        return Cell(verdict=row["verdict"])
    if row["printed"].endswith("%"):
        return Cell(value, 2, 100, sign="%", verdict=row["verdict"])
    return Cell(value, ".4g" if value % 1 else 0, verdict=row["verdict"])


def _stated(
    job: Job, cell: Mapping[str, str], worked: Mapping[tuple[str, str], Mapping[str, Any]]
) -> Ours:
    """What there is of ours for a number in the text, and its exact text."""
    dataset, metric = cell["dataset_id"], cell["metric"]
    if (dataset, metric) in worked:
        value = worked[dataset, metric]
        ours, exact = Ours(Reproduced(float(value["value"]))), value["exact"]
    elif "_improvement_" in metric:
        ours, exact = _improvement(job, cell), ""
    elif "venue_index" in metric:
        ours, exact = _misplaced_venue(job, metric)
    else:
        ours, exact = _counted(job, dataset, metric)
    return replace(ours, more={"about": cell["dataset"] or "paper", "exact": exact})


def _misplaced_venue(job: Job, metric: str) -> tuple[Ours, str]:
    """First or last place of the venues that CLIMBO puts with the other field (Fig. 3)."""
    if reason := job.absent("venue_map", "bibliographic"):
        return Ours(reason), ""
    clusters = venue_clusters(job.ok("venue_map"), "climbo")
    if not clusters.misplaced:
        return Ours("CLIMBO misplaces no venue"), ""
    place = (min if metric.endswith("low") else max)(clusters.misplaced)
    exact = f"{len(clusters.misplaced)} of {len(clusters.venues)} venues are misplaced"
    return Ours(Reproduced(float(place))), exact


def _improvement(job: Job, cell: Mapping[str, str]) -> Ours:
    """Change from ADD to CADO on the data set of an extreme of Table XI."""
    if reason := job.absent("partitions", cell["dataset_id"]):
        return Ours(reason)
    algorithm = main_algorithms(job)[cell["method"].partition(" ")[0]]
    score = cell["metric"].partition("_")[0].lower()
    records = job.records("partitions")
    chosen = records[records["dataset"] == cell["dataset_id"]]
    values = change(chosen[chosen["algorithm"] == algorithm], score)
    others = [change(part, score).value for _, part in chosen.groupby("algorithm", sort=False)]
    return Ours(
        values,
        setting=algorithm,
        trials=values.runs,
        printed_runs=PRINTED_RUNS,
        reason=f"over the variants run, {min(others):+.1%} to {max(others):+.1%}",
    )


def _counted(job: Job, dataset: str, metric: str) -> tuple[Ours, str]:
    """Sizes of the data sets, and bounds."""
    groups = job.need("parameters")
    names = groups.get(metric) or groups.get(dataset) or list(job.datasets)
    if dataset != "theory" and (reason := job.absent("bounds", *names)):
        return Ours(reason), ""
    bounds = job.ok("bounds")
    bounds = bounds[bounds["dataset"].isin(names)]
    sizes, exact = bounds["objects"], ""
    if metric == "n_uci_datasets":
        value, exact = len(bounds), ", ".join(map(job.printed, names))
    elif metric.startswith("objects_"):
        value = sizes.min() if metric.endswith("min") else sizes.max()
    elif metric == "IaASV lower bound":
        value = min(bounds["iaasv_apart_least"].min(), bounds["iaasv_self_least"].min())
        exact = "least value on the data sets"
    else:
        return Ours(f"nothing here computes {metric!r}"), ""
    return Ours(Reproduced(float(value))), exact
