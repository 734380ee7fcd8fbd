"""Numbers that the text of CDE states."""

from __future__ import annotations

import statistics
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any

from replication.judge.cells import not_run
from replication.judge.published import numbers
from replication.judge.verdicts import (
    MARKS,
    Reproduced,
)
from replication.papers.cde import reasons
from replication.papers.cde.analysis import (
    decreasing_from,
    slowdowns,
    stable_from,
)
from replication.papers.cde.derived import PRINT, Derived
from replication.papers.cde.runs import (
    collect,
    gain,
    wins,
)
from replication.papers.cde.tables_common import (
    MARK_LEGEND,
    counted,
    why,
)
from replication.show.job import Job
from replication.show.sheet import Column, Sheet, number

if TYPE_CHECKING:
    import pandas as pd

    from replication.papers.cde.runs import Statistic


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
    data, verdicts, rows = [], [], []
    cells = cells[cells["artefact"] == job.artefact]
    for cell in numbers(cells).to_dict("records"):
        statement = _STATEMENTS[cell["metric"]].format(method=cell["method"])
        of_tables = [PRINT] if cell["metric"] in _OF_TABLES else []
        for reading in [*job.readings, *of_tables]:
            row = _stated(job, cell, reading, derived)
            verdicts.append(row)
            data.append({**row, "statement": statement})
            mark = MARKS[row["verdict"]]
            low, high = (_short(row[key], cell) for key in ("spread_min", "spread_max"))
            rows.append(
                {
                    "statement": statement if reading == job.readings[0] else "",
                    "reading": "printed columns" if reading == PRINT else reading,
                    "printed": cell["printed"],
                    "ours": f"{_short(row['reproduced'], cell)} {mark}".strip(),
                    "range": f"{low} to {high}" if low else "",
                }
            )
    ours = [row for row in verdicts if row["reading"] == job.readings[0]]
    from_print = [row for row in verdicts if row["reading"] == PRINT]
    return Sheet(
        name=f"{job.paper}-{job.artefact}",
        title=f"{job.label}: gains, counts and thresholds",
        caption=(
            f"Numbers in the running text beside ours. Under the {job.readings[0]} reading, "
            f"{counted(ours)}. From the printed Tables 1 and 2 themselves, {counted(from_print)}."
        ),
        columns=[
            Column("statement", "Statement", text=True),
            Column("reading", "Reading", text=True),
            Column("printed", "printed"),
            Column("ours", "ours"),
            Column("range", "what chance leaves", text=True),
        ],
        rows=rows,
        legend=[
            MARK_LEGEND,
            "printed columns: what Tables 1 and 2 give as they are printed, and what their "
            "rounding leaves.",
            *why(cells, verdicts),
        ],
        data=data,
        data_columns=[
            *("statement", "method", "metric", "reading", "printed", "reproduced", "spread_min"),
            *("spread_max", "verdict", "difference", "reason"),
        ],
        verdicts=verdicts,
    )


def _stated(
    job: Job, cell: Mapping[str, str], reading: str, derived: Mapping[str, Derived]
) -> dict[str, Any]:
    """Verdict of one number in the text."""
    first, _, second = cell["method_id"].partition("_vs_")
    metric = cell["metric"]
    if metric == "improvement_of_average":
        other = {"0_1": "zero_one", "0_1p": "zero_one_p"}.get(second, second)
        table = derived[first]
        source = job.readings[0] if reading == PRINT else reading
        return table.judge(
            cell,
            reading,
            gain(first, other),
            table.averaged(source),
            lambda ours: reasons.of_gain((ours[first], ours[other])),
        )
    if metric in _OF_TABLES:
        datasets = list(job.datasets)
        count: Statistic = wins(first)
        if metric == "share_of_datasets_best":
            count = _shared(count, len(datasets))
            if reading == PRINT:
                # nobody is best where the others have no number
                datasets = [name for name in datasets if name not in job.need("parameters")["na"]]
        return derived[first].judge(
            cell, reading, count, datasets, lambda ours: reasons.of_wins(ours, first)
        )
    if metric == "slowdown_orders_of_magnitude":
        values = slowdowns(job.records("embedding_times"))
        if not values:
            return not_run(cell, "no data set of this run was timed", reading=reading)
        # to half an order: this number is kept, and every run takes its own times
        found = Reproduced(round(2 * statistics.median(values)) / 2)
        reason = f"median over {len(values)} data sets, to half an order"
        return job.judge(cell, found, reading=reading, reason=reason)
    name, rule = _THRESHOLDS[metric]
    measure = derived["cde"].sources(reading)["cde"]
    records = job.records(name)
    wanted = job.need("parameters")["swept"]
    done = set(records.loc[records["status"] == "ok", "dataset"])
    if absent := [one for one in wanted if one not in done]:
        return not_run(cell, f"needs {', '.join(absent)}, which this run lacks", reading=reading)
    mine = records[records["measure"] == measure]
    values = [rule(mine[mine["dataset"] == dataset]) for dataset in wanted]
    reason = "largest over " + ", ".join(
        f"{dataset} {value:g}" for dataset, value in zip(wanted, values, strict=True)
    )
    return job.judge(
        cell,
        Reproduced(max(values), spread=(min(values), max(values))),
        reading=reading,
        reason=reason,
    )


def _shared(count: Statistic, total: int) -> Statistic:
    return lambda means: count(means) / total


_THRESHOLDS: dict[str, tuple[str, Callable[[Any], float]]] = {
    "alpha_dimension_stable_from": ("alpha", stable_from),
    "beta_dimension_decreasing_from": ("beta", decreasing_from),
}


def _short(value: float | None, cell: Mapping[str, str]) -> str:
    if value is None:
        return ""
    if cell["metric"] == "improvement_of_average":
        return f"{number(value, 1, 100)}%"
    return f"{value:.3g}"
