"""Tables 1 and 2 of CDE, and where the chance in them comes from."""

from __future__ import annotations

import itertools
from collections.abc import Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from replication.judge.cells import Ours, counting, reasons
from replication.judge.verdicts import Reproduced
from replication.papers.cde.analysis import empty_shares
from replication.papers.cde.derived import DERIVED, PRINT, Derived, reproduced
from replication.papers.cde.runs import TABLES, Runs, collect
from replication.papers.cde.tables_common import MARK_LEGEND, sources_of_chance
from replication.show.job import Job
from replication.show.sheet import Cell, Column, Sheet, across

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
    """One of the two tables: facts and F-scores of each data set, averages and p-values."""
    parameters = job.need("parameters")
    methods = {method["id"]: method for method in parameters["methods"]}
    facts = {row["dataset"]: row for row in job.rows("factors")}
    derived = Derived(job, runs, parameters, cells)

    def ours(cell: Mapping[str, str], reading: str) -> Ours:
        dataset, method = cell["dataset_id"], cell["method_id"]
        label = methods[method]["label"] if method else ""
        if dataset in DERIVED:
            return replace(derived.ours(cell, reading), more={"label": label})
        if cell["metric"] == "fscore":
            found = runs.get((dataset, derived.sources(reading)[method]))
            more = {"label": label, **sources_of_chance(found)}
            values = reproduced(found) if found else _why_absent(job, dataset)
            return Ours(
                values,
                setting=methods[method].get("setting", ""),
                trials=found.scores.size if found else 0,
                printed_runs=parameters["printed_runs"],
                more=more,
            )
        if dataset not in facts:
            return Ours(_why_absent(job, dataset), more={"label": label})
        name = _FACTORS.get(cell["metric"])
        if name is None:
            name = "fci" if job.choice("cde.fci", reading) == "distinct" else "fci_printed"
        return Ours(Reproduced(float(facts[dataset][name])), more={"label": label})

    def readings(cell: Mapping[str, str]) -> list[str]:
        return [*job.readings, *([PRINT] if cell["dataset_id"] in DERIVED else [])]

    verdicts = job.judged(cells, ours, readings)
    data = verdicts + _unprinted(job, cells, runs, derived)
    first = [row for row in verdicts if row["reading"] == job.readings[0]]
    scores = [row for row in first if row["metric"] == "fscore" and row["dataset"] not in DERIVED]
    facts_of = [row for row in first if not row["method"]]
    return Sheet.of(
        job,
        title,
        f"Printed numbers and ours. Under the {job.readings[0]} reading, of the data factors "
        f"{counting(facts_of, '', differ=True)}; of the F-scores "
        f"{counting(scores, '', differ=True)}.",
        _columns(job, heads),
        data,
        by=("dataset",),
        legend=[
            MARK_LEGEND,
            f"ours: the {job.readings[0]} reading. text: the wording of the paper taken literally.",
            "F-score: mean over the classes of F1 with the cluster that the best one-to-one "
            "matching assigns (reading cde.fscore). A run whose embedding has no dimension left "
            "scores 0.",
            *_selection(parameters),
            f"Averages and p-values: noise is the central 95 % over {TABLES} tables of "
            f"{parameters['printed_runs']} runs a cell, drawn from ours.",
            "Averages, then p-values, from the printed columns: "
            + ", ".join(
                f"{row['label']} {Cell(row['reproduced'], 4, verdict=row['verdict']).text}"
                for kind in DERIVED
                for row in verdicts
                if row["reading"] == PRINT and row["dataset"] == kind
            )
            + ".",
            *reasons(cells, verdicts),
        ],
        data_columns=_DATA_COLUMNS,
        verdicts=verdicts,
    )


def _why_absent(job: Job, dataset: str) -> str:
    """Why a data set has no numbers."""
    return job.missing(dataset) or "the data set could not be had"


def _unprinted(
    job: Job, cells: pd.DataFrame, runs: Mapping[tuple[str, str], Runs], derived: Derived
) -> list[dict[str, Any]]:
    """Our numbers for cells that the paper prints as NA."""
    labels = {method["id"]: method["label"] for method in job.need("parameters")["methods"]}
    rows = []
    blank = cells[(cells["metric"] == "fscore") & (cells["value"] == "")]
    for cell, reading in itertools.product(blank.to_dict("records"), job.readings):
        found = runs.get((cell["dataset_id"], derived.sources(reading)[cell["method_id"]]))
        ours = {} if found is None else {"reproduced": found.mean, "sd": found.run_sd}
        rows.append(
            {
                "dataset": cell["dataset_id"],
                "printed_name": cell["dataset"],
                "method": cell["method_id"],
                "label": labels[cell["method_id"]],
                "metric": "fscore",
                "reading": reading,
                "printed": cell["printed"],
                **ours,
                "trials": found.scores.size if found else None,
                **sources_of_chance(found),
            }
        )
    return rows


def _columns(job: Job, heads: Mapping[str, str]) -> list[Column]:
    """Columns of Table 1 or 2: facts of a data set, then each method, printed and ours."""
    first, *others = job.readings
    return [
        Column("dataset", "Data set", text=True, of="printed_name"),
        *across(
            "metric",
            heads,
            of=lambda row: Cell(row["printed"], verdict=row["verdict"]),
            where={"method": "", "reading": first},
        ),
        *(
            column
            for method in job.need("parameters")["methods"]
            for column in _of_method(method, {first: "ours"} | dict.fromkeys(others, "text"))
        ),
    ]


def _of_method(method: Mapping[str, str], heads: Mapping[str, str]) -> list[Column]:
    """Columns of a method: printed, and ours under every reading."""
    group, name, where = method["label"], f"{method['id']}.{{}}", {"method": method["id"]}

    def ours(row: Mapping[str, Any]) -> Cell:
        return Cell(row.get("reproduced"), 3, verdict=row.get("verdict", ""))

    return [
        Column(name.format(PRINT), "printed", group, of="printed", where=where),
        *across("reading", heads, group, name=name, of=ours, where=where),
    ]


def _selection(parameters: Mapping[str, Any]) -> list[str]:
    """Line that says how settings were chosen, if they were chosen by the printed numbers."""
    if "selected" not in parameters:
        return []
    settings = "; ".join(f"{row['label']} {row['setting']}" for row in parameters["methods"])
    return [f"Settings, under both readings: {parameters['selected']}: {settings}."]


# --- where the chance is ------------------------------------------------------------------------


def spread(job: Job, cells: pd.DataFrame) -> Sheet:
    """Chance of the embedding apart from that of k-means, for the random embeddings."""
    records = job.records("embeddings")
    runs = collect(records, "measure")
    shown = {method["id"]: method for method in job.need("parameters")["methods"]}
    empty = empty_shares(records)
    data = [
        {
            **{"dataset": dataset, "printed_name": job.printed(dataset), "reading": reading},
            "mean": found.mean,
            **sources_of_chance(found),
            "run_sd": found.run_sd,
            "embeddings": len(found.scores),
            "starts": found.scores.shape[1],
            "empty": empty[dataset, method["measure"]],
        }
        for dataset in job.datasets
        for reading, method in shown.items()
        if (found := runs.get((dataset, method["measure"])))
    ]
    total = len({row["dataset"] for row in data})
    larger = dict.fromkeys(shown, 0)
    for row in data:
        larger[row["reading"]] += row["embedding_sd"] > row["start_sd"]
    clauses = ", ".join(f"{n} of {total} ({reading})" for reading, n in larger.items())
    return Sheet.of(
        job,
        "the chance in CDE and in k-means",
        "Standard deviation of the F-score over embeddings, the chance of k-means taken out, "
        "and over starts of k-means on one embedding. The embedding is the larger source on "
        f"{clauses} data sets.",
        [
            Column("dataset", "Data set", text=True, of="printed_name"),
            *(
                Column(
                    f"{reading}.{key}",
                    head,
                    method["label"],
                    digits=digits,
                    scale=scale,
                    of=key,
                    where={"reading": reading},
                )
                for reading, method in shown.items()
                for key, head, digits, scale in (
                    ("mean", "mean F", 3, 1),
                    ("embedding_sd", "sd, embedding", 3, 1),
                    ("start_sd", "sd, start", 3, 1),
                    ("empty", "empty (%)", 1, 100),
                )
            ),
        ],
        data,
        by=("dataset",),
        legend=[
            "empty: embeddings from which the stopping rule has removed every cluster; their runs "
            "score 0."
        ],
    )
