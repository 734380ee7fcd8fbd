"""Tables of CASO on its data structure analysis: Fig. 2, and the part of rare values."""

from __future__ import annotations

import math
from collections.abc import Mapping
from functools import partial
from typing import Any

import pandas as pd

from replication.papers.caso.analysis import INDEX_NAMES, INDICES, MEASURES
from replication.papers.caso.structure import ALL_ROWS
from replication.show.job import Job
from replication.show.sheet import Cell, Column, Sheet, across, pivot


def structure_indices(job: Job, cells: pd.DataFrame) -> Sheet:
    """Internal indices of the given classes under four dissimilarities: Fig. 2.

    ``rd_first`` and the like tell whether a measure is among the `firsts` of the four.
    """
    data = []
    for about, records in job.each("structure"):
        for which, part in records.groupby("rows", sort=False):
            numbers = [*INDICES, "dbi_mode", "di_mean", "max_over_mean"]
            values = part.set_index("measure")[numbers]
            known = values.replace({math.nan: None}).to_dict("index")
            best = {
                key: firsts({m: known[m][key] for m in MEASURES}, more)
                for key, more in INDICES.items()
            }
            sizes = {"rows": which, "objects": int(part["objects"].iloc[0])}
            data += (
                {**about, **sizes, "measure": measure, **known[measure]}
                | {f"{key}_first": measure in best[key] for key in INDICES}
                for measure in sorted(known, key=[*MEASURES, *known].index)
            )
    whole = [row for row in data if row["rows"] == ALL_ROWS]
    said = {
        measure: ", ".join(
            f"{name} {sum(row[f'{key}_first'] for row in whole if row['measure'] == measure)}"
            for key, name in INDEX_NAMES.items()
        )
        for measure in ("cado", "add")
    }
    columns = [
        Column("dataset", "Data set", text=True, of=_label),
        Column("measure", "D", text=True, of=lambda row: MEASURES[row["measure"]]),
        *(
            Column(key, name, of=partial(_starred, key, ".4g" if key.startswith("sd") else 3))
            for key, name in INDEX_NAMES.items()
        ),
        Column("max_over_mean", "max/mean", digits=1),
    ]
    return Sheet.of(
        job,
        "given classes under four dissimilarities",
        f"Of {len({row['dataset'] for row in data})} data sets, CADO is first (ties included) on: "
        f"{said['cado']}; ADD: {said['add']}.",
        columns,
        data,
        rows=pivot(columns, [row for row in data if row["measure"] in MEASURES]),
        legend=[
            "* best of the four; none where all four are equal. Undefined: a division by 0.",
            "RD: mean D between classes / mean within. DBI: with means over pairs. DI: least D "
            "between classes / greatest within. SD: sum of D within classes, D divided by its "
            "maximum or by its mean first. max/mean: largest D over mean D.",
            "The printed figure shows curves without numbers; the text says where CADO leads.",
            *job.not_run("structure"),
        ],
    )


def firsts(values: Mapping[str, float | None], more_is_better: bool) -> set[str]:
    """Names with the best number, several if they tie; none if nothing tells them apart.

    Undefined numbers, None, never win.
    """
    known = {name: value for name, value in values.items() if value is not None}
    if len(known) < 2 or max(known.values()) - min(known.values()) <= 1e-9:
        return set()
    best = (max if more_is_better else min)(known.values())
    return {name for name, value in known.items() if math.isclose(value, best, rel_tol=1e-9)}


def _label(row: Mapping[str, Any]) -> str:
    """Name of the data set and, if they are not all, its rows; above the first measure alone."""
    if row["measure"] != next(iter(MEASURES)):
        return ""
    part = "" if row["rows"] == ALL_ROWS else f" ({row['objects']} rows)"
    return f"{row['printed_name']}{part}"


def _starred(key: str, digits: int | str, row: Mapping[str, Any]) -> Cell:
    """Cell of an index, with a star if it is the best one."""
    value = "undefined" if row[key] is None else row[key]
    return Cell(value, digits, sign="*" if row[f"{key}_first"] else "")


def rare_values(job: Job, cells: pd.DataFrame, *, rare: float) -> Sheet:
    """Share of the summed dissimilarity that comparisons with a rare value carry."""
    keys = ["measure", "share", "comparisons", "distance"]
    data = [
        {**about, **row}
        for about, part in job.each("rare_values")
        for row in part[keys].replace({math.nan: None}).to_dict("records")
    ]
    shown = [row for row in data if row["share"] == rare]
    worst = max(
        (row for row in shown if row["measure"] == "cado" and row["comparisons"]),
        key=lambda row: row["distance"] / row["comparisons"],
    )
    percent = {"digits": 2, "scale": 100}
    columns = [
        Column("dataset", "Data set", text=True, of="printed_name"),
        Column("comparisons", "comparisons (%)", **percent),
        *across("measure", MEASURES, "share of the total (%)", of="distance", **percent),
    ]
    return Sheet.of(
        job,
        "who owns the dissimilarity",
        f"Comparisons with a value that occurs once or in at most {rare:.0%} of the objects, "
        "and the share of the total dissimilarity that they carry, in %. Most out of "
        "proportion: "
        f"{worst['printed_name']}, where {worst['comparisons']:.1%} of the comparisons carry "
        f"{worst['distance']:.1%} of CADO.",
        columns,
        data,
        rows=pivot(columns, shown, by=("dataset",)),
        legend=[
            "Comparison: two objects in one attribute. It counts if their values differ and the "
            "rarer one occurs at most max(1, share x objects) times.",
            "CADO weighs a comparison by 1/f_x + 1/f_y: about 2/m for frequent values, 1 and more "
            "for one that occurs once.",
            *job.not_run("rare_values"),
        ],
    )
