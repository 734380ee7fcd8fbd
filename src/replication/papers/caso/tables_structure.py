"""Tables of CASO on given classes: internal indices (Fig. 2), and what rare values weigh."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any

from replication.papers.caso.analysis import INDICES, MEASURES, count_firsts, firsts
from replication.papers.caso.structure import ALL_ROWS
from replication.papers.caso.tables_common import each_dataset, missing_legend
from replication.show.job import Job
from replication.show.sheet import Cell, Column, Sheet, across, pivot

if TYPE_CHECKING:
    import pandas as pd


# --- Fig. 2: data structure ---------------------------------------------------------------------


INDEX_NAMES = {
    "rd": "RD",
    "dbi": "DBI",
    "di": "DI",
    "sd_max": "SD (by max)",
    "sd_mean": "SD (by mean)",
}

_NUMBERS = (*INDICES, "dbi_mode", "di_mean", "max_over_mean")


def structure_indices(job: Job, cells: pd.DataFrame) -> Sheet:
    """Internal indices of the given classes under four dissimilarities: Fig. 2."""
    data = []
    for about, records in each_dataset(job, "structure"):
        for which, part in records.groupby("rows", sort=False):
            values = {
                row["measure"]: {"objects": int(row["objects"])}
                | {key: None if math.isnan(row[key]) else float(row[key]) for key in _NUMBERS}
                for row in part.to_dict("records")
            }
            best = {
                key: firsts({m: values[m][key] for m in MEASURES}, more)
                for key, more in INDICES.items()
            }
            data += [
                {**about, "rows": which, "measure": measure, **values[measure]}
                | {f"{key}_first": "yes" if measure in best[key] else "no" for key in INDICES}
                for measure in sorted(values, key=lambda m: [*MEASURES, m].index(m))
            ]
    wins = count_firsts(data)
    said = {
        measure: ", ".join(f"{INDEX_NAMES[key]} {wins[measure, key]}" for key in INDICES)
        for measure in ("cado", "add")
    }
    columns = [
        Column("dataset", "Data set", text=True, of=_label),
        Column("measure", "D", text=True, of=lambda row: MEASURES[row["measure"]]),
        *(
            Column(key, name, of=_starred(key, ".4g" if key.startswith("sd") else 3))
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
            *missing_legend(job, "structure"),
        ],
        data_columns=[
            *("dataset", "printed_name", "rows", "objects", "measure", *INDICES, "dbi_mode"),
            *("di_mean", "max_over_mean", *(f"{key}_first" for key in INDICES)),
        ],
    )


def _label(row: Mapping[str, Any]) -> str:
    """Name of the data set and, if they are not all, its rows; above the first measure alone."""
    if row["measure"] != next(iter(MEASURES)):
        return ""
    part = "" if row["rows"] == ALL_ROWS else f" ({row['objects']} rows)"
    return f"{row['printed_name']}{part}"


def _starred(key: str, digits: int | str) -> Callable[[Mapping[str, Any]], Cell]:
    """Cell of an index, with a star if it is the best one."""

    def cell(row: Mapping[str, Any]) -> Cell:
        value = "undefined" if row[key] is None else row[key]
        return Cell(value, digits, sign="*" if row[f"{key}_first"] == "yes" else "")

    return cell


# --- rare values --------------------------------------------------------------------------------


def rare_values(job: Job, cells: pd.DataFrame) -> Sheet:
    """Share of the summed dissimilarity that comparisons with a rare value carry."""
    rare = job.need("parameters")["rare"]
    data = [
        {**about, **{key: row[key] for key in ("measure", "share", "comparisons")}}
        | {"distance": None if math.isnan(row["distance"]) else float(row["distance"])}
        for about, part in each_dataset(job, "rare_values")
        for row in part.to_dict("records")
    ]
    shown = [row for row in data if row["share"] == rare]
    worst = max(
        (row for row in shown if row["measure"] == "cado"),
        key=lambda row: row["distance"] / row["comparisons"] if row["comparisons"] else 0.0,
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
            *missing_legend(job, "rare_values"),
        ],
    )
