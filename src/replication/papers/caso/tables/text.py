"""Table of CASO of every number that its text states."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any, TypedDict, Unpack

import pandas as pd

from replication.judge.cells import Ours, legend_of_marks, tally
from replication.judge.claims import span
from replication.judge.verdicts import Reproduced
from replication.papers.caso import analysis
from replication.show.job import Job
from replication.show.kinds import in_its_unit, number_table
from replication.show.sheet import Column, Sheet, words

MARK_LEGEND = legend_of_marks("chance explains the difference")
PRINTED_RUNS = 100
"""Clusterings behind each mean of Table XI (section VIII-B1)."""


class Groups(TypedDict):
    """Data sets that a number in the text is about."""

    six_data_sets: Sequence[str]
    ten_data_sets: Sequence[str]
    n_uci_datasets: Sequence[str]


def stated_numbers(job: Job, cells: pd.DataFrame, **groups: Unpack[Groups]) -> Sheet:
    """Every number that the text states, with ours."""
    worked = analysis.worked_values(job)
    data = job.judged(cells, lambda cell, _: _stated(job, cell, worked, groups), job.readings[:1])
    said = ", ".join(f"{count} {name}" for name, count in sorted(tally(data).items()))
    return number_table(
        job,
        "printed and ours",
        f"{len(data)} numbers: {said}.",
        data,
        [
            *words(about="About"),
            Column(
                "quantity",
                "quantity",
                text=True,
                of=lambda row: " ".join(filter(None, (row["method"], row["metric"]))),
            ),
        ],
        lambda row: in_its_unit(row, lambda one: f"{one:{'.4g' if one % 1 else '.0f'}}", 2),
        words(exact="exact", setting="setting"),
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
        title=f"{job.label}, printed and ours",
    )


def _stated(
    job: Job,
    cell: Mapping[str, str],
    worked: Mapping[tuple[str, str], Mapping[str, Any]],
    groups: Groups,
) -> Ours:
    """What there is of ours for a number in the text, and its exact text."""
    dataset, metric = cell["dataset_id"], cell["metric"]
    if (dataset, metric) in worked:
        value = worked[dataset, metric]
        ours, exact = Ours(Reproduced(value["value"])), value["exact"]
    elif "_improvement_" in metric:
        ours, exact = _improvement(job, cell), ""
    elif "venue_index" in metric:
        ours, exact = _misplaced_venue(job, metric)
    else:
        ours, exact = _counted(job, dataset, metric, groups)
    return replace(ours, more={"about": cell["dataset"] or "paper", "exact": exact})


def _misplaced_venue(job: Job, metric: str) -> tuple[Ours, str]:
    """First or last place of the venues that CLIMBO puts with the other field (Fig. 3)."""
    if reason := job.absent("venue_map", "bibliographic"):
        return Ours(reason), ""
    venues = analysis.venue_clusters(job.ok("venue_map"), "climbo")
    wrong = venues.loc[venues["misplaced"], "place"]
    if wrong.empty:
        return Ours("CLIMBO misplaces no venue"), ""
    place = wrong.iloc[0 if metric.endswith("low") else -1]
    exact = f"{len(wrong)} of {len(venues)} venues are misplaced"
    return Ours(Reproduced(float(place))), exact


def _improvement(job: Job, cell: Mapping[str, str]) -> Ours:
    """Change from ADD to CADO on the data set of an extreme of Table XI."""
    if reason := job.absent("partitions", cell["dataset_id"]):
        return Ours(reason)
    algorithm = analysis.main_algorithms(job)[cell["method"].partition(" ")[0]]
    score = cell["metric"].partition("_")[0].lower()
    records = job.records("partitions")
    found = analysis.changes(records[records["dataset"] == cell["dataset_id"]], score)
    return Ours(
        found[algorithm],
        setting=algorithm,
        trials=found[algorithm].runs,
        printed_runs=PRINTED_RUNS,
        reason=f"over the variants run, {span((one.value for one in found.values()), '+.1%')}",
    )


def _counted(job: Job, dataset: str, metric: str, groups: Groups) -> tuple[Ours, str]:
    """Sizes of the data sets, and bounds."""
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
        value = analysis.extreme(bounds, "iaasv", "least").min()
        exact = "least value on the data sets"
    else:
        return Ours(f"nothing here computes {metric!r}"), ""
    return Ours(Reproduced(float(value))), exact
