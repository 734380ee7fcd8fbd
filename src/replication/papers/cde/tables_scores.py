"""Tables 1 and 2 of CDE, where the chance in them comes from, and what the text says of them."""

from __future__ import annotations

import itertools
import math
from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import Any, TypedDict, Unpack

import pandas as pd

from replication.judge.cells import Ours, counting, legend_of_marks, reasons
from replication.judge.claims import valued
from replication.judge.verdicts import Reproduced
from replication.papers.cde import analysis
from replication.papers.cde.derived import (
    DERIVED,
    PRINT,
    Derived,
    reason_of_gain,
    reason_of_wins,
    reproduced,
)
from replication.papers.cde.runs import TABLES, Runs, collect, gain, wins
from replication.papers.cde.significance import RUNS
from replication.show.job import Job
from replication.show.kinds import in_its_unit, number_table
from replication.show.sheet import Cell, Column, Sheet, across, grouped

MARK_LEGEND = legend_of_marks(
    "no farther apart than two standard errors of the difference of two means, or inside the range "
    "that chance leaves"
)


def labels_of(methods: Sequence[Mapping[str, Any]]) -> dict[str, str]:
    """Labels of the methods of a table."""
    return {method["id"]: method["label"] for method in methods}


def _chance(runs: Runs | None) -> dict[str, float]:
    """Standard deviations over embeddings and over starts, if there are runs."""
    if runs is None:
        return {}
    return {"embedding_sd": runs.embedding_sd, "start_sd": runs.start_sd}


# --- Tables 1 and 2 -----------------------------------------------------------------------------


class _Table(TypedDict):
    """Methods of Table 1 or 2 with their runs; see `Derived`."""

    methods: Sequence[Mapping[str, Any]]
    columns: Sequence[Mapping[str, str]]
    tested: Sequence[str]
    printed_runs: int


class _Fitted(_Table):
    """Table 2: how its settings were chosen, and the rows of its averages."""

    selected: str
    averaged: Mapping[str, Sequence[str]]


def embeddings(job: Job, cells: pd.DataFrame, **given: Unpack[_Table]) -> Sheet:
    """Table 1: sizes, FCI, and F-scores of embeddings under k-means."""
    heads = {"objects": "|O|", "values": "|V|", "FCI": "FCI"}
    return _scores(job, cells, given, heads, "F-scores of four embeddings under k-means")


def similarities(job: Job, cells: pd.DataFrame, **given: Unpack[_Fitted]) -> Sheet:
    """Table 2: classes, VCI, and F-scores of similarities under spectral clustering."""
    heads = {"classes": "|C|", "VCI": "VCI"}
    return _scores(
        job, cells, given, heads, "F-scores of four similarities under spectral clustering"
    )


def _runs(job: Job, artefact: str) -> dict[tuple[str, str], Runs]:
    """What is behind one of the two tables."""
    experiment, key = RUNS[artefact]
    return collect(job.records(experiment), key)


def _scores(
    job: Job,
    cells: pd.DataFrame,
    parameters: Mapping[str, Any],
    heads: Mapping[str, str],
    title: str,
) -> Sheet:
    """One of the two tables: facts and F-scores of each data set, averages and p-values."""
    runs = _runs(job, job.artefact)
    labels = labels_of(parameters["methods"])
    settings = {one["id"]: one["setting"] for one in parameters["methods"] if "setting" in one}
    facts = {row["dataset"]: row for row in job.rows("factors")}
    derived = Derived(job, runs, parameters, cells)

    def ours(cell: Mapping[str, str], reading: str) -> Ours:
        dataset, method, metric = cell["dataset_id"], cell["method_id"], cell["metric"]
        label = {"label": labels[method] if method else ""}
        if dataset in DERIVED:
            return replace(derived.ours(cell, reading), more=label)
        absent = job.missing(dataset) or "the data set could not be had"
        if metric == "fscore":
            found = runs.get((dataset, derived.sources(reading)[method]))
            return Ours(
                reproduced(found) if found else absent,
                setting=settings.get(method, ""),
                trials=found.scores.size if found else 0,
                printed_runs=parameters["printed_runs"],
                more=label | _chance(found),
            )
        printed = metric == "FCI" and job.choice("cde.fci", reading) != "distinct"
        name = "fci_printed" if printed else metric.lower()
        known = dataset in facts
        return Ours(Reproduced(float(facts[dataset][name])) if known else absent, more=label)

    def readings(cell: Mapping[str, str]) -> list[str]:
        return [*job.readings, *([PRINT] if cell["dataset_id"] in DERIVED else [])]

    verdicts = job.judged(cells, ours, readings)
    # our numbers for cells that the paper prints as NA
    blank = cells[(cells["metric"] == "fscore") & (cells["value"] == "")].to_dict("records")
    unprinted = [
        {"dataset": cell["dataset_id"], "printed_name": cell["dataset"]}
        | {"method": cell["method_id"], "label": labels[cell["method_id"]]}
        | {"metric": "fscore", "reading": reading, "printed": cell["printed"]}
        | ({"reproduced": found.mean, "sd": found.run_sd} if found else {})
        | {"trials": found.scores.size if found else None, **_chance(found)}
        for cell, reading in itertools.product(blank, job.readings)
        for found in [runs.get((cell["dataset_id"], derived.sources(reading)[cell["method_id"]]))]
    ]
    first, *others = job.readings
    judged = [row for row in verdicts if row["reading"] == first]
    scores = [row for row in judged if row["metric"] == "fscore" and row["dataset"] not in DERIVED]
    facts_of = [row for row in judged if not row["method"]]
    ours, *rest = across(
        "reading",
        {first: "ours"} | dict.fromkeys(others, "text"),
        of=lambda row: Cell(row.get("reproduced"), 3, verdict=row.get("verdict", "")),
    )
    shown = [Column(PRINT, "printed", of="printed", main=True), replace(ours, main=True), *rest]
    said = "; ".join(f"{labels[method]} {setting}" for method, setting in settings.items())
    selected = parameters.get("selected")
    chosen = [f"Settings, under both readings: {selected}: {said}."] if selected else []
    return Sheet.of(
        job,
        title,
        f"Printed numbers and ours. Under the {first} reading, of the data factors "
        f"{counting(facts_of, '', differ=True)}; of the F-scores "
        f"{counting(scores, '', differ=True)}.",
        [
            Column("dataset", "Data set", text=True, of="printed_name"),
            *across(
                "metric",
                heads,
                of=lambda row: Cell(row["printed"], verdict=row["verdict"]),
                where={"method": "", "reading": first},
            ),
            *grouped("method", labels, shown),
        ],
        verdicts + unprinted,
        by=("dataset",),
        legend=[
            MARK_LEGEND,
            f"ours: the {first} reading. text: the wording of the paper taken literally.",
            "F-score: mean over the classes of F1 with the cluster that the best one-to-one "
            "matching assigns (reading cde.fscore). A run whose embedding has no dimension left "
            "scores 0.",
            *chosen,
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
        data_columns=[
            *("dataset", "printed_name", "method", "label", "metric", "reading", "printed"),
            *("printed_value", "reproduced", "sd", "spread_min", "spread_max", "samples"),
            *("trials", "embedding_sd", "start_sd", "verdict", "difference", "reason"),
        ],
        verdicts=verdicts,
    )


# --- where the chance is ------------------------------------------------------------------------


def spread(job: Job, cells: pd.DataFrame, *, methods: Sequence[Mapping[str, Any]]) -> Sheet:
    """Chance of the embedding apart from that of k-means, for the random embeddings."""
    records = job.ok("embeddings")
    runs = collect(records, "measure")
    shown = {method["id"]: method["measure"] for method in methods}
    empty = analysis.empty_share(records)
    data = [
        {
            **{"dataset": dataset, "printed_name": job.printed(dataset), "reading": reading},
            "mean": found.mean,
            **_chance(found),
            "run_sd": found.run_sd,
            "embeddings": len(found.scores),
            "starts": found.scores.shape[1],
            "empty": float(empty[dataset, measure]),
        }
        for dataset in job.datasets
        for reading, measure in shown.items()
        if (found := runs.get((dataset, measure)))
    ]
    total = len({row["dataset"] for row in data})
    larger = [row["reading"] for row in data if row["embedding_sd"] > row["start_sd"]]
    clauses = ", ".join(f"{larger.count(reading)} of {total} ({reading})" for reading in shown)
    return Sheet.of(
        job,
        "the chance in CDE and in k-means",
        "Standard deviation of the F-score over embeddings, the chance of k-means taken out, "
        "and over starts of k-means on one embedding. The embedding is the larger source on "
        f"{clauses} data sets.",
        [
            Column("dataset", "Data set", text=True, of="printed_name"),
            *grouped(
                "reading",
                labels_of(methods),
                [
                    Column("mean", "mean F", digits=3),
                    Column("embedding_sd", "sd, embedding", digits=3),
                    Column("start_sd", "sd, start", digits=3),
                    Column("empty", "empty (%)", digits=1, scale=100),
                ],
            ),
        ],
        data,
        by=("dataset",),
        legend=[
            "empty: embeddings from which the stopping rule has removed every cluster; their runs "
            "score 0."
        ],
    )


# --- numbers in the text ------------------------------------------------------------------------

_OF_TABLES = ("improvement_of_average", "datasets_where_best", "share_of_datasets_best")
_STATEMENTS = {
    "improvement_of_average": "gain in the average F-score, {method}",
    "datasets_where_best": "data sets on which {method} is best",
    "share_of_datasets_best": "share of data sets on which {method} is best",
    "alpha_dimension_stable_from": "alpha from which the dimension is stable",
    "beta_dimension_decreasing_from": "beta from which the dimension decreases",
    "slowdown_orders_of_magnitude": "orders of magnitude of time, {method}",
}
_RULES = {"alpha": analysis.stable_from, "beta": analysis.decreasing_from}


def statements(
    job: Job,
    cells: pd.DataFrame,
    *,
    tables: Mapping[str, Mapping[str, Any]],
    na: Sequence[str],
    swept: Sequence[str],
) -> Sheet:
    """Gains, counts and thresholds that stand in the text."""
    derived = {
        method: Derived(
            job, _runs(job, artefact), tables[method], cells[cells["artefact"] == artefact]
        )
        for method, artefact in (("cde", "table01"), ("cde_g", "table02"))
    }
    first = job.readings[0]

    def ours(cell: Mapping[str, str], reading: str) -> Ours:
        statement = _STATEMENTS[cell["metric"]].format(method=cell["method"])
        if cell["metric"] in _OF_TABLES:
            stated = _of_columns(job, cell, reading, derived, na)
        else:
            stated = _of_sweep_or_time(job, cell, reading, derived, swept)
        return replace(stated, more={"statement": statement})

    def readings(cell: Mapping[str, str]) -> list[str]:
        return [*job.readings, *([PRINT] if cell["metric"] in _OF_TABLES else [])]

    cells = cells[cells["artefact"] == job.artefact]
    data = job.judged(cells, ours, readings)
    said = {
        reading: counting([row for row in data if row["reading"] == reading], "", differ=True)
        for reading in (first, PRINT)
    }
    return number_table(
        job,
        "gains, counts and thresholds",
        f"Numbers in the running text beside ours. Under the {first} reading, {said[first]}. From "
        f"the printed Tables 1 and 2 themselves, {said[PRINT]}.",
        data,
        [
            Column(
                "statement",
                "Statement",
                text=True,
                of=lambda row: row["statement"] if row["reading"] == first else "",
            ),
            Column(
                "reading",
                "Reading",
                text=True,
                of=lambda row: "printed columns" if row["reading"] == PRINT else row["reading"],
            ),
        ],
        _in_its_unit,
        [Column("range", "what chance leaves", text=True, of=_range)],
        legend=[
            MARK_LEGEND,
            "printed columns: what Tables 1 and 2 give as they are printed, and what their "
            "rounding leaves.",
            *reasons(cells, data),
        ],
        data_columns=[
            *("statement", "method", "metric", "reading", "printed", "reproduced", "spread_min"),
            *("spread_max", "verdict", "difference", "reason"),
        ],
    )


_in_its_unit = partial(in_its_unit, digits=".3g", percent=1)


def _range(row: Mapping[str, Any]) -> str:
    low, high = (_in_its_unit(row, key=key).number for key in ("spread_min", "spread_max"))
    return f"{low} to {high}" if low else ""


def _of_columns(
    job: Job,
    cell: Mapping[str, str],
    reading: str,
    derived: Mapping[str, Derived],
    na: Sequence[str],
) -> Ours:
    """Gain of an average, or number or share of the data sets on which a method is best."""
    first, _, second = cell["method_id"].partition("_vs_")
    columns = derived[first]
    if cell["metric"] == "improvement_of_average":
        other = {"0_1": "zero_one", "0_1p": "zero_one_p"}.get(second, second)
        return columns.of(
            reading,
            gain(first, other),
            columns.averaged(job.readings[0] if reading == PRINT else reading),
            lambda ours: reason_of_gain(ours, first, other),
        )
    datasets = list(job.datasets)
    share = cell["metric"] == "share_of_datasets_best"
    total = len(datasets) if share else 1
    if share and reading == PRINT:
        # nobody is best where the others have no number
        datasets = [name for name in datasets if name not in na]
    return columns.of(
        reading,
        lambda means: wins(first)(means) / total,
        datasets,
        lambda ours: reason_of_wins(ours, first),
    )


def _of_sweep_or_time(
    job: Job,
    cell: Mapping[str, str],
    reading: str,
    derived: Mapping[str, Derived],
    wanted: Sequence[str],
) -> Ours:
    """Threshold of alpha or beta, or by how much CDE takes longer."""
    name = cell["metric"].partition("_")[0]
    if name not in _RULES:
        orders = analysis.slowdown(job.records("embedding_times"), math.log10)
        if not orders["count"]:
            return Ours("no data set of this run was timed")
        # to half an order: this number is kept, and every run takes its own times
        median = Reproduced(round(2 * orders["median"]) / 2)
        return Ours(median, reason=f"median over {orders['count']:.0f} data sets, to half an order")
    records = job.ok(name)
    if absent := [dataset for dataset in wanted if dataset not in set(records["dataset"])]:
        return Ours(f"needs {', '.join(absent)}, which this run lacks")
    found = analysis.thresholds(records, _RULES[name], derived["cde"].sources(reading)["cde"])
    values = {dataset: found[dataset] for dataset in wanted}
    least, largest = min(values.values()), max(values.values())
    said = valued(values, "{} {:g}")
    return Ours(Reproduced(largest, spread=(least, largest)), reason=f"largest over {said}")
