"""Numbers that the text of CDE states."""

from __future__ import annotations

import statistics
from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from replication.judge.cells import Ours, counting
from replication.judge.cells import reasons as reasons_of
from replication.judge.verdicts import Reproduced
from replication.papers.cde import reasons
from replication.papers.cde.analysis import decreasing_from, slowdowns, stable_from
from replication.papers.cde.derived import PRINT, Derived
from replication.papers.cde.runs import collect, gain, wins
from replication.papers.cde.tables_common import MARK_LEGEND
from replication.show.job import Job
from replication.show.sheet import Cell, Column, Sheet

if TYPE_CHECKING:
    import pandas as pd


_OF_TABLES = ("improvement_of_average", "datasets_where_best", "share_of_datasets_best")
_STATEMENTS = {
    "improvement_of_average": "gain in the average F-score, {method}",
    "datasets_where_best": "data sets on which {method} is best",
    "share_of_datasets_best": "share of data sets on which {method} is best",
    "alpha_dimension_stable_from": "alpha from which the dimension is stable",
    "beta_dimension_decreasing_from": "beta from which the dimension decreases",
    "slowdown_orders_of_magnitude": "orders of magnitude of time, {method}",
}


def statements(job: Job, cells: pd.DataFrame) -> Sheet:
    """Gains, counts and thresholds that stand in the text."""
    derived = {
        method: Derived(
            job,
            collect(job.records(experiment), key),
            job.need("parameters")["tables"][method],
            cells[cells["artefact"] == artefact],
        )
        for method, artefact, experiment, key in (
            ("cde", "table01", "embeddings", "measure"),
            ("cde_g", "table02", "similarities", "pipeline"),
        )
    }
    first = job.readings[0]

    def ours(cell: Mapping[str, str], reading: str) -> Ours:
        statement = _STATEMENTS[cell["metric"]].format(method=cell["method"])
        return replace(_stated(job, cell, reading, derived), more={"statement": statement})

    def readings(cell: Mapping[str, str]) -> list[str]:
        return [*job.readings, *([PRINT] if cell["metric"] in _OF_TABLES else [])]

    cells = cells[cells["artefact"] == job.artefact]
    data = job.judged(cells, ours, readings)
    said = {
        reading: counting([row for row in data if row["reading"] == reading], "", differ=True)
        for reading in (first, PRINT)
    }
    return Sheet.of(
        job,
        "gains, counts and thresholds",
        f"Numbers in the running text beside ours. Under the {first} reading, {said[first]}. From "
        f"the printed Tables 1 and 2 themselves, {said[PRINT]}.",
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
            Column("printed", "printed"),
            Column("ours", "ours", of=lambda row: replace(_shown(row), verdict=row["verdict"])),
            Column("range", "what chance leaves", text=True, of=_range),
        ],
        data,
        legend=[
            MARK_LEGEND,
            "printed columns: what Tables 1 and 2 give as they are printed, and what their "
            "rounding leaves.",
            *reasons_of(cells, data),
        ],
        data_columns=[
            *("statement", "method", "metric", "reading", "printed", "reproduced", "spread_min"),
            *("spread_max", "verdict", "difference", "reason"),
        ],
        verdicts=data,
    )


def _shown(row: Mapping[str, Any], key: str = "reproduced") -> Cell:
    """A number in the unit of the printed one."""
    if row[key] is not None and row["metric"] == "improvement_of_average":
        return Cell(row[key], 1, 100, sign="%")
    return Cell(row[key], ".3g")


def _range(row: Mapping[str, Any]) -> str:
    low, high = (_shown(row, key).text for key in ("spread_min", "spread_max"))
    return f"{low} to {high}" if low else ""


def _stated(
    job: Job, cell: Mapping[str, str], reading: str, derived: Mapping[str, Derived]
) -> Ours:
    """What there is of ours for a number in the text."""
    first, _, second = cell["method_id"].partition("_vs_")
    metric = cell["metric"]
    if metric == "improvement_of_average":
        other = {"0_1": "zero_one", "0_1p": "zero_one_p"}.get(second, second)
        source = job.readings[0] if reading == PRINT else reading
        return derived[first].of(
            reading,
            gain(first, other),
            derived[first].averaged(source),
            lambda ours: reasons.of_gain((ours[first], ours[other])),
        )
    if metric in _OF_TABLES:
        datasets = list(job.datasets)
        share = metric == "share_of_datasets_best"
        total = len(datasets) if share else 1
        if share and reading == PRINT:
            # nobody is best where the others have no number
            datasets = [name for name in datasets if name not in job.need("parameters")["na"]]
        return derived[first].of(
            reading,
            lambda means: wins(first)(means) / total,
            datasets,
            lambda ours: reasons.of_wins(ours, first),
        )
    if metric == "slowdown_orders_of_magnitude":
        values = slowdowns(job.records("embedding_times"))
        if not values:
            return Ours("no data set of this run was timed")
        # to half an order: this number is kept, and every run takes its own times
        median = Reproduced(round(2 * statistics.median(values)) / 2)
        return Ours(median, reason=f"median over {len(values)} data sets, to half an order")
    name, rule = _THRESHOLDS[metric]
    records, wanted = job.ok(name), job.need("parameters")["swept"]
    if absent := [dataset for dataset in wanted if dataset not in set(records["dataset"])]:
        return Ours(f"needs {', '.join(absent)}, which this run lacks")
    mine = records[records["measure"] == derived["cde"].sources(reading)["cde"]]
    values = {dataset: rule(mine[mine["dataset"] == dataset]) for dataset in wanted}
    least, largest = min(values.values()), max(values.values())
    said = ", ".join(f"{dataset} {value:g}" for dataset, value in values.items())
    return Ours(Reproduced(largest, spread=(least, largest)), reason=f"largest over {said}")


_THRESHOLDS: dict[str, tuple[str, Callable[[Any], float]]] = {
    "alpha_dimension_stable_from": ("alpha", stable_from),
    "beta_dimension_decreasing_from": ("beta", decreasing_from),
}
