"""Numbers that the text of CASO states."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from replication.judge.cells import not_run, tally
from replication.judge.published import numbers
from replication.judge.verdicts import MARKS, Reproduced
from replication.papers.caso.analysis import (
    change,
    present,
    worked_values,
)
from replication.papers.caso.analysis_bibliographic import venue_clusters
from replication.papers.caso.tables_common import (
    MARK_LEGEND,
    PRINTED_RUNS,
    main_algorithms,
    printed_name,
    why_absent,
)
from replication.show.job import Job
from replication.show.sheet import Column, Sheet, number

if TYPE_CHECKING:
    import pandas as pd


def stated_numbers(job: Job, cells: pd.DataFrame) -> Sheet:
    """Every number that the text states, with ours."""
    first = job.readings[0]
    worked = worked_values(job)
    data, verdicts = [], []
    for cell in numbers(cells).to_dict("records"):
        values, exact, more = _stated(job, cell, worked)
        judged = (
            not_run(cell, values, reading=first)
            if isinstance(values, str)
            else job.judge(cell, values, reading=first, **more)
        )
        verdicts.append(judged)
        about = cell["dataset"] or "paper"
        data.append({**judged, "about": about, "where": cell["note"], "exact": exact})
    counts = tally(verdicts)
    said = ", ".join(f"{count} {name}" for name, count in sorted(counts.items()))
    return Sheet(
        name=f"{job.paper}-{job.artefact}",
        title=f"{job.label}, printed and ours",
        caption=f"{len(verdicts)} numbers: {said}.",
        columns=[
            Column("about", "About", text=True),
            Column("quantity", "quantity", text=True),
            Column("printed", "printed"),
            Column("ours", "ours"),
            Column("exact", "exact", text=True),
            Column("setting", "setting", text=True),
        ],
        rows=[
            {
                "about": one["about"],
                "quantity": " ".join(filter(None, (one["method"], one["metric"]))),
                "printed": one["printed"],
                "ours": _shown(one),
                "exact": one["exact"],
                "setting": one["setting"],
            }
            for one in data
        ],
        legend=[
            MARK_LEGEND,
            "Improvement: relative change of a mean score from ADD to CADO over "
            f"{PRINTED_RUNS} starts; the printed ones are the extremes over six data sets.",
            *(
                f"{one['about']}, {one['method'] or one['metric']}: {one['reason']}"
                for one in data
                if one["reason"]
            ),
        ],
        data=data,
        data_columns=[
            *("id", "about", "method", "metric", "reading", "printed", "reproduced", "sd"),
            *("trials", "verdict", "difference", "exact", "setting", "reason"),
        ],
        verdicts=verdicts,
    )


def _shown(one: Mapping[str, Any]) -> str:
    """Our number in the unit of the printed one, with the mark of the verdict."""
    if one["reproduced"] is None:
        return MARKS[one["verdict"]]
    if one["printed"].endswith("%"):
        text = f"{number(one['reproduced'], 2, 100)}%"
    else:
        text = f"{one['reproduced']:.4g}" if one["reproduced"] % 1 else f"{one['reproduced']:.0f}"
    return f"{text} {MARKS[one['verdict']]}"


def _stated(
    job: Job, cell: Mapping[str, str], worked: Mapping[tuple[str, str], Mapping[str, Any]]
) -> tuple[Reproduced | str, str, dict[str, Any]]:
    """Our number for a cell, its exact text, and what else the verdict wants to know.

    In place of the number stands the reason why there is none.
    """
    dataset, metric = cell["dataset_id"], cell["metric"]
    if (dataset, metric) in worked:
        one = worked[dataset, metric]
        return Reproduced(float(one["value"])), one["exact"], {}
    if "_improvement_" in metric:
        return _improvement(job, cell)
    if "venue_index" in metric:
        return _misplaced_venue(job, metric)
    return *_counted(job, dataset, metric), {}


def _misplaced_venue(job: Job, metric: str) -> tuple[Reproduced | str, str, dict[str, Any]]:
    """First or last place of the venues that CLIMBO puts with the other field (Fig. 3)."""
    records = job.records("venue_map")
    if reason := why_absent(job, records, ["bibliographic"]):
        return reason, "", {}
    clusters = venue_clusters(present(records), "climbo")
    if not clusters.misplaced:
        return "CLIMBO misplaces no venue", "", {}
    place = (min if metric.endswith("low") else max)(clusters.misplaced)
    exact = f"{len(clusters.misplaced)} of {len(clusters.venues)} venues are misplaced"
    return Reproduced(float(place)), exact, {}


def _improvement(job: Job, cell: Mapping[str, str]) -> tuple[Reproduced | str, str, dict[str, Any]]:
    """Change from ADD to CADO on the data set of an extreme of Table XI."""
    records = job.records("partitions")
    if reason := why_absent(job, records, [cell["dataset_id"]]):
        return reason, "", {}
    algorithm = main_algorithms(job)[cell["method"].partition(" ")[0]]
    score = cell["metric"].partition("_")[0].lower()
    chosen = records[(records["dataset"] == cell["dataset_id"])]
    values = change(chosen[chosen["algorithm"] == algorithm], score)
    others = [change(part, score).value for _, part in chosen.groupby("algorithm", sort=False)]
    reason = f"over the variants run, {min(others):+.1%} to {max(others):+.1%}"
    more = {"setting": algorithm, "trials": values.runs, "printed_runs": PRINTED_RUNS}
    return values, "", {**more, "reason": reason}


def _counted(job: Job, dataset: str, metric: str) -> tuple[Reproduced | str, str]:
    """Sizes of the data sets, and bounds."""
    records = job.records("bounds")
    groups = job.need("parameters")
    names = groups.get(metric) or groups.get(dataset) or list(job.datasets)
    if dataset != "theory" and (reason := why_absent(job, records, names)):
        return reason, ""
    found = present(records[records["dataset"].isin(names)])
    if metric == "n_uci_datasets":
        return Reproduced(float(len(found))), ", ".join(printed_name(job, name) for name in names)
    if metric.startswith("objects_"):
        sizes = found["objects"]
        return Reproduced(float(sizes.min() if metric.endswith("min") else sizes.max())), ""
    if metric == "IaASV lower bound":
        least = min(found["iaasv_apart_least"].min(), found["iaasv_self_least"].min())
        return Reproduced(float(least)), "least value on the data sets"
    return f"nothing here computes {metric!r}", ""
