"""Tables 1 and 2 of CDE, and where the chance in them comes from."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any

from replication.judge.cells import not_run
from replication.judge.published import numbers
from replication.judge.verdicts import (
    MARKS,
    Reproduced,
)
from replication.papers.cde.analysis import (
    empty_shares,
)
from replication.papers.cde.derived import DERIVED, PRINT, TABLES, Derived
from replication.papers.cde.runs import (
    Runs,
    collect,
)
from replication.papers.cde.tables_common import (
    MARK_LEGEND,
    counted,
    facts,
    sources_of_chance,
    why,
    why_absent,
)
from replication.show.job import Job
from replication.show.sheet import Column, Sheet, number

if TYPE_CHECKING:
    import pandas as pd


_FACTORS = {"objects": "objects", "values": "values", "classes": "classes", "VCI": "vci"}
_DATA_COLUMNS = (
    *("dataset", "printed_name", "method", "label", "metric", "reading", "printed"),
    *("printed_value", "reproduced", "sd", "spread_min", "spread_max", "samples", "trials"),
    *("embedding_sd", "start_sd", "verdict", "difference", "reason"),
)


# --- Tables 1 and 2 -----------------------------------------------------------------------------


def embeddings(job: Job, cells: pd.DataFrame) -> Sheet:
    """Table 1: sizes, FCI, and F-scores of embeddings under k-means."""
    return _scores(
        job,
        cells,
        runs=collect(job.records("embeddings"), "measure"),
        heads={"objects": "|O|", "values": "|V|", "FCI": "FCI"},
        title="F-scores of four embeddings under k-means",
    )


def similarities(job: Job, cells: pd.DataFrame) -> Sheet:
    """Table 2: classes, VCI, and F-scores of similarities under spectral clustering."""
    return _scores(
        job,
        cells,
        runs=collect(job.records("similarities"), "pipeline"),
        heads={"classes": "|C|", "VCI": "VCI"},
        title="F-scores of four similarities under spectral clustering",
    )


def _scores(
    job: Job,
    cells: pd.DataFrame,
    runs: Mapping[tuple[str, str], Runs],
    heads: Mapping[str, str],
    title: str,
) -> Sheet:
    printed_runs = job.need("parameters")["printed_runs"]
    methods = job.need("parameters")["methods"]
    labels = {one["id"]: one["label"] for one in methods}
    settings = {one["id"]: one.get("setting", "") for one in methods}
    factors = facts(job.records("factors"))
    derived = Derived(job, runs, job.need("parameters"), cells)
    data, verdicts = [], []

    def add(row: dict[str, Any], cell: Mapping[str, str], extra: Mapping[str, Any]) -> None:
        verdicts.append(row)
        data.append(
            {
                **row,
                "printed_name": cell["dataset"],
                "printed_value": float(cell["value"]) if cell["value"] else None,
                "label": labels.get(cell["method_id"], ""),
                **extra,
            }
        )

    for cell in numbers(cells).to_dict("records"):
        dataset, metric = cell["dataset_id"], cell["metric"]
        for reading in job.readings:
            if dataset in DERIVED:
                add(derived.judged(cell, reading), cell, {})
            elif metric == "fscore":
                one = runs.get((dataset, derived.sources(reading)[cell["method_id"]]))
                setting = settings[cell["method_id"]]
                row = _judged_runs(job, cell, one, reading, printed_runs, setting)
                add(row, cell, sources_of_chance(one))
            else:
                add(_judged_factor(job, cell, factors, reading), cell, {})
        if dataset in DERIVED:
            add(derived.judged(cell, PRINT), cell, {})
    data += _unprinted(job, cells, runs, derived, labels)
    return _scores_sheet(job, cells, heads, title, labels, data, verdicts)


def _judged_runs(
    job: Job,
    cell: Mapping[str, str],
    one: Runs | None,
    reading: str,
    printed_runs: int,
    setting: str,
) -> dict[str, Any]:
    if one is None:
        return not_run(cell, why_absent(job, cell["dataset_id"]), reading=reading)
    return job.judge(
        cell,
        one.reproduced(),
        reading=reading,
        setting=setting,
        trials=one.scores.size,
        printed_runs=printed_runs,
    )


def _judged_factor(
    job: Job, cell: Mapping[str, str], factors: Mapping[str, Mapping[str, Any]], reading: str
) -> dict[str, Any]:
    dataset, metric = cell["dataset_id"], cell["metric"]
    if dataset not in factors:
        return not_run(cell, why_absent(job, dataset), reading=reading)
    if metric == "FCI":
        name = "fci" if job.choice("cde.fci", reading) == "distinct" else "fci_printed"
    else:
        name = _FACTORS[metric]
    return job.judge(cell, Reproduced(float(factors[dataset][name])), reading=reading)


def _unprinted(
    job: Job,
    cells: pd.DataFrame,
    runs: Mapping[tuple[str, str], Runs],
    derived: Derived,
    labels: Mapping[str, str],
) -> list[dict[str, Any]]:
    """Our numbers for cells that the paper prints as NA."""
    rows = []
    blank = cells[(cells["metric"] == "fscore") & (cells["value"] == "")]
    for cell in blank.to_dict("records"):
        for reading in job.readings:
            one = runs.get((cell["dataset_id"], derived.sources(reading)[cell["method_id"]]))
            rows.append(
                {
                    "dataset": cell["dataset_id"],
                    "printed_name": cell["dataset"],
                    "method": cell["method_id"],
                    "label": labels[cell["method_id"]],
                    "metric": "fscore",
                    "reading": reading,
                    "printed": cell["printed"],
                    "reproduced": one.mean if one else None,
                    "sd": one.run_sd if one else None,
                    "trials": one.scores.size if one else None,
                    **sources_of_chance(one),
                }
            )
    return rows


def _scores_sheet(
    job: Job,
    cells: pd.DataFrame,
    heads: Mapping[str, str],
    title: str,
    labels: Mapping[str, str],
    data: list[dict[str, Any]],
    verdicts: list[dict[str, Any]],
) -> Sheet:
    first, *others = job.readings
    columns = [
        Column("dataset", "Data set", text=True),
        *(Column(metric, head) for metric, head in heads.items()),
        *(
            Column(f"{method}.{key}", head, label)
            for method, label in labels.items()
            for key, head in (
                (PRINT, "printed"),
                (first, "ours"),
                *((reading, "text") for reading in others),
            )
        ),
    ]
    rows: dict[str, dict[str, str]] = {}
    for one in data:
        row = rows.setdefault(one["dataset"], {"dataset": one["printed_name"]})
        mark = MARKS[one["verdict"]] if "verdict" in one else ""
        if not one["method"]:
            if one["reading"] == first:
                row[one["metric"]] = f"{one['printed']} {mark}"
            continue
        row[f"{one['method']}.{PRINT}"] = one["printed"]
        if one["reading"] != PRINT:
            ours = f"{number(one['reproduced'], 3)} {mark}".strip()
            row[f"{one['method']}.{one['reading']}"] = ours
    ours = [row for row in verdicts if row["reading"] == first]
    scores = [row for row in ours if row["metric"] == "fscore" and row["dataset"] not in DERIVED]
    facts = [row for row in ours if not row["method"]]
    return Sheet(
        name=f"{job.paper}-{job.artefact}",
        title=f"{job.label}: {title}",
        caption=(
            f"Printed numbers and ours. Under the {first} reading, of the data factors "
            f"{counted(facts)}; of the F-scores {counted(scores)}."
        ),
        columns=columns,
        rows=list(rows.values()),
        legend=[
            MARK_LEGEND,
            f"ours: the {first} reading. text: the wording of the paper taken literally.",
            "F-score: mean over the classes of F1 with the cluster that the best one-to-one "
            "matching assigns (reading cde.fscore). A run whose embedding has no dimension left "
            "scores 0.",
            *_selection(job.need("parameters")),
            f"Averages and p-values: noise is the central 95 % over {TABLES} tables of "
            f"{job.need('parameters')['printed_runs']} runs a cell, drawn from ours.",
            *_from_print(data),
            *why(cells, verdicts),
        ],
        data=data,
        data_columns=_DATA_COLUMNS,
        verdicts=verdicts,
    )


def _selection(parameters: Mapping[str, Any]) -> list[str]:
    """Line that says how settings were chosen, if they were chosen by the printed numbers."""
    if "selected" not in parameters:
        return []
    settings = "; ".join(f"{one['label']} {one['setting']}" for one in parameters["methods"])
    return [f"Settings, under both readings: {parameters['selected']}: {settings}."]


def _from_print(data: Iterable[Mapping[str, Any]]) -> list[str]:
    """Line that says what the printed columns themselves give."""
    parts = [
        f"{one['label']} {one['reproduced']:.4f} {MARKS[one['verdict']]}"
        for kind in DERIVED
        for one in data
        if one["reading"] == PRINT and one["dataset"] == kind
    ]
    return [f"Averages, then p-values, from the printed columns: {', '.join(parts)}."]


# --- where the chance is ------------------------------------------------------------------------


def spread(job: Job, cells: pd.DataFrame) -> Sheet:
    """Chance of the embedding apart from that of k-means, for the random embeddings."""
    records = job.records("embeddings")
    runs = collect(records, "measure")
    shown = {one["id"]: one for one in job.need("parameters")["methods"]}
    empty = empty_shares(records)
    data, rows = [], []
    for dataset in job.datasets:
        row = {"dataset": job.datasets[dataset]["printed"]}
        for reading, entry in shown.items():
            one = runs.get((dataset, entry["measure"]))
            if one is None:
                continue
            share = empty[dataset, entry["measure"]]
            data.append(
                {
                    "dataset": dataset,
                    "printed_name": row["dataset"],
                    "reading": reading,
                    "mean": one.mean,
                    **sources_of_chance(one),
                    "run_sd": one.run_sd,
                    "embeddings": len(one.scores),
                    "starts": one.scores.shape[1],
                    "empty": share,
                }
            )
            row |= {
                f"{reading}.mean": number(one.mean, 3),
                f"{reading}.embedding": number(one.embedding_sd, 3),
                f"{reading}.start": number(one.start_sd, 3),
                f"{reading}.empty": number(share, 1, 100),
            }
        rows.append(row)
    larger = {
        reading: sum(
            one["embedding_sd"] > one["start_sd"] for one in data if one["reading"] == reading
        )
        for reading in shown
    }
    total = len({one["dataset"] for one in data})
    clauses = ", ".join(f"{n} of {total} ({reading})" for reading, n in larger.items())
    return Sheet(
        name=f"{job.paper}-{job.artefact}",
        title=f"{job.label}: the chance in CDE and in k-means",
        caption=(
            "Standard deviation of the F-score over embeddings, the chance of k-means taken out, "
            "and over starts of k-means on one embedding. The embedding is the larger source on "
            f"{clauses} data sets."
        ),
        columns=[
            Column("dataset", "Data set", text=True),
            *(
                Column(f"{reading}.{key}", head, entry["label"])
                for reading, entry in shown.items()
                for key, head in (
                    ("mean", "mean F"),
                    ("embedding", "sd, embedding"),
                    ("start", "sd, start"),
                    ("empty", "empty (%)"),
                )
            ),
        ],
        rows=rows,
        legend=[
            "empty: embeddings from which the stopping rule has removed every cluster; their runs "
            "score 0.",
        ],
        data=data,
        data_columns=[
            *("dataset", "printed_name", "reading", "mean", "embedding_sd", "start_sd"),
            *("run_sd", "embeddings", "starts", "empty"),
        ],
    )
