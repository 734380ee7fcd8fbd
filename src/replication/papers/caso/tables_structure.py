"""Tables of CASO on given classes: internal indices (Fig. 2), and what rare values weigh."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from replication.papers.caso.analysis import (
    INDICES,
    MEASURES,
    count_firsts,
    firsts,
    present,
)
from replication.papers.caso.structure import ALL_ROWS
from replication.papers.caso.tables_common import (
    missing_legend,
    printed_name,
)
from replication.show.job import Job
from replication.show.sheet import Column, Sheet, number

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


def structure_indices(job: Job, cells: pd.DataFrame) -> Sheet:
    """Internal indices of the given classes under four dissimilarities: Fig. 2."""
    records = job.records("structure")
    data, rows = [], []
    for name in job.datasets:
        done = present(records[records["dataset"] == name])
        for which, part in done.groupby("rows", sort=False):
            found = {
                one["measure"]: {
                    key: None if math.isnan(one[key]) else float(one[key])
                    for key in (*INDICES, "dbi_mode", "di_mean", "max_over_mean")
                }
                | {"objects": int(one["objects"])}
                for one in part.to_dict("records")
            }
            best = {
                key: firsts({m: found[m][key] for m in MEASURES}, more)
                for key, more in INDICES.items()
            }
            for measure in sorted(found, key=lambda m: [*MEASURES, m].index(m)):
                values = found[measure]
                row = {
                    "dataset": name,
                    "printed_name": printed_name(job, name),
                    "rows": which,
                    "measure": measure,
                    **values,
                    **{f"{key}_first": "yes" if measure in best[key] else "no" for key in INDICES},
                }
                data.append(row)
                if measure not in MEASURES:
                    continue
                label = row["printed_name"]
                if which != ALL_ROWS:
                    label += f" ({values['objects']} rows)"
                star = {key: "*" if measure in best[key] else "" for key in INDICES}
                rows.append(
                    {
                        "dataset": label if measure == "smd" else "",
                        "measure": MEASURES[measure],
                        **{
                            key: (number(values[key], 3) or "undefined") + star[key]
                            for key in ("rd", "dbi", "di")
                        },
                        **{
                            key: (_short(values[key]) or "undefined") + star[key]
                            for key in ("sd_max", "sd_mean")
                        },
                        "max_over_mean": number(values["max_over_mean"], 1),
                    }
                )
    wins = count_firsts(data)
    n_sets = len({one["dataset"] for one in data})
    return Sheet(
        name=f"{job.paper}-{job.artefact}",
        title=f"{job.label}: given classes under four dissimilarities",
        caption=(
            f"Of {n_sets} data sets, CADO is first (ties included) on: "
            + ", ".join(f"{INDEX_NAMES[key]} {wins['cado', key]}" for key in INDICES)
            + "; ADD: "
            + ", ".join(f"{INDEX_NAMES[key]} {wins['add', key]}" for key in INDICES)
            + "."
        ),
        columns=[
            Column("dataset", "Data set", text=True),
            Column("measure", "D", text=True),
            *(Column(key, name) for key, name in INDEX_NAMES.items()),
            Column("max_over_mean", "max/mean"),
        ],
        rows=rows,
        legend=[
            "* best of the four; none where all four are equal. Undefined: a division by 0.",
            "RD: mean D between classes / mean within. DBI: with means over pairs. DI: least D "
            "between classes / greatest within. SD: sum of D within classes, D divided by its "
            "maximum or by its mean first. max/mean: largest D over mean D.",
            "The printed figure shows curves without numbers; the text says where CADO leads.",
            *missing_legend(job, records),
        ],
        data=data,
        data_columns=[
            *("dataset", "printed_name", "rows", "objects", "measure", *INDICES, "dbi_mode"),
            *("di_mean", "max_over_mean", *(f"{key}_first" for key in INDICES)),
        ],
    )


def _short(value: float | None) -> str:
    return "" if value is None else f"{value:.4g}"


# --- rare values --------------------------------------------------------------------------------


def rare_values(job: Job, cells: pd.DataFrame) -> Sheet:
    """Share of the summed dissimilarity that comparisons with a rare value carry."""
    records = job.records("rare_values")
    rare = job.need("parameters")["rare"]
    data, rows = [], []
    for name in job.datasets:
        done = present(records[records["dataset"] == name])
        row = {"dataset": printed_name(job, name)}
        for one in done.to_dict("records"):
            distance = None if math.isnan(one["distance"]) else float(one["distance"])
            data.append(
                {
                    "dataset": name,
                    "printed_name": row["dataset"],
                    **{key: one[key] for key in ("measure", "share", "comparisons")},
                    "distance": distance,
                }
            )
            if one["share"] == rare:
                row["comparisons"] = number(one["comparisons"], 2, 100)
                row[one["measure"]] = number(distance, 2, 100)
        if len(done):
            rows.append(row)
    worst = max(
        (one for one in data if one["measure"] == "cado" and one["share"] == rare),
        key=lambda one: one["distance"] / one["comparisons"] if one["comparisons"] else 0.0,
    )
    return Sheet(
        name=f"{job.paper}-{job.artefact}",
        title=f"{job.label}: who owns the dissimilarity",
        caption=(
            f"Comparisons with a value that occurs once or in at most {rare:.0%} of the objects, "
            "and the share of the total dissimilarity that they carry, in %. Most out of "
            "proportion: "
            f"{worst['printed_name']}, where {worst['comparisons']:.1%} of the comparisons carry "
            f"{worst['distance']:.1%} of CADO."
        ),
        columns=[
            Column("dataset", "Data set", text=True),
            Column("comparisons", "comparisons (%)"),
            *(Column(m, label, "share of the total (%)") for m, label in MEASURES.items()),
        ],
        rows=rows,
        legend=[
            "Comparison: two objects in one attribute. It counts if their values differ and the "
            "rarer one occurs at most max(1, share x objects) times.",
            "CADO weighs a comparison by 1/f_x + 1/f_y: about 2/m for frequent values, 1 and more "
            "for one that occurs once.",
            *missing_legend(job, records),
        ],
        data=data,
        data_columns=["dataset", "printed_name", "measure", "share", "comparisons", "distance"],
    )
