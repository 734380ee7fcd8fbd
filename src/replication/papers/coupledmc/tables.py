"""coupledMC (Wang, Chi, Zhou, Wong 2015): from records to its tables and their verdicts.

One function per kind of artefact in ``config/papers/coupledmc.yaml``; those of the worked example
and of Table 6 have modules of their own.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from replication.judge.cells import not_run
from replication.judge.published import numbers
from replication.judge.times import HOW, HOW_MEMORY, range_text, seconds_text
from replication.judge.verdicts import MARKS, Reproduced
from replication.papers.coupledmc.maps import map_points
from replication.papers.coupledmc.runs import METHODS
from replication.papers.coupledmc.tables_clustering import accuracy as accuracy
from replication.papers.coupledmc.tables_clustering import best_runs as best_runs
from replication.papers.coupledmc.tables_common import (
    BASE,
    MARK_LEGEND,
    SPREAD,
    VERDICT,
    by_dataset,
    counted_verdicts,
    reasons,
)
from replication.papers.coupledmc.tables_example import text as text
from replication.papers.coupledmc.tables_example import worked as worked
from replication.papers.coupledmc.tables_settings import envelope as envelope
from replication.papers.coupledmc.tables_settings import settings as settings
from replication.show.job import Job
from replication.show.sheet import Column, Sheet, number

if TYPE_CHECKING:
    import pandas as pd

INDICES = {
    "rd": ("RD", 1),
    "dbi": ("DBI", -1),
    "di": ("DI", 1),
    "di_mean": ("DI, mean linkage", 1),
    "sd_max": ("SD / max", -1),
    "sd_mean": ("SD / mean", -1),
}
"""Internal indices: name, and whether more (1) or less (-1) is better."""
ORIGINALS = {"one-hot": "0/1 columns", "codes": "codes", "mixed": "mixed distance"}
DISTANCES = {
    "raw": "mixed distance, gamma as printed",
    "scaled": "mixed distance, gamma of scaled numbers",
    "coupled": "coupled representation",
}


# --- Table 5 ------------------------------------------------------------------------------------

_COUNTS = {
    "objects": "objects",
    "attributes": "attributes",
    "discrete_attributes": "discrete",
    "classes": "classes",
}


def characteristics(job: Job, cells: pd.DataFrame) -> Sheet:
    """Counts of the twelve data sets, printed and ours, and the share of the largest class."""
    found = by_dataset(job.records("description"))
    data, verdicts, rows = [], [], {}
    for cell in numbers(cells).to_dict("records"):
        dataset = cell["dataset_id"]
        one = found.get(dataset, {})
        absent = job.missing(dataset) or one.get("absent", "")
        row = rows.setdefault(dataset, {"dataset": cell["dataset"]})
        if absent:
            verdict = not_run(cell, absent, reading=job.readings[0])
        else:
            values = Reproduced(float(one[cell["metric"]]))
            verdict = job.judge(cell, values, reading=job.readings[0])
            row["base"] = number(one["base_rate"], 3)
        verdicts.append(verdict)
        row[f"{cell['metric']}.printed"] = cell["printed"]
        ours = "" if absent else f"{int(one[cell['metric']])} "
        row[f"{cell['metric']}.ours"] = ours + MARKS[verdict["verdict"]]
        data.append({**verdict, "metric": cell["metric"], "base_rate": one.get("base_rate")})
    return Sheet(
        name=f"{job.paper}-{job.artefact}",
        title=f"{job.label}: characteristics of the data sets",
        caption=(
            f"Printed counts, and ours: {counted_verdicts(verdicts)}. The last column is the "
            "accuracy of putting everything into one cluster."
        ),
        columns=[
            Column("dataset", "Data set", text=True),
            *(
                Column(f"{metric}.{which}", which, head)
                for metric, head in _COUNTS.items()
                for which in ("printed", "ours")
            ),
            Column("base", "largest class"),
        ],
        rows=list(rows.values()),
        legend=[
            MARK_LEGEND,
            "Classes of fewer than three objects are left out, which concerns abalone alone.",
            *reasons(verdicts),
        ],
        data=data,
        data_columns=["dataset", "metric", *VERDICT, *SPREAD, "base_rate"],
        verdicts=verdicts,
    )


# --- Fig. 1 -------------------------------------------------------------------------------------


def structure(job: Job, cells: pd.DataFrame) -> Sheet:
    """Internal indices of the classes, original representation against coupled one."""
    records = job.records("structure")
    ok = records[records["status"] == "ok"] if "family" in records else records[:0]
    data, rows = [], []
    for dataset, entry in job.datasets.items():
        mine = {
            one["representation"]: one for one in ok.to_dict("records") if one["dataset"] == dataset
        }
        if not mine:
            continue
        row = {"dataset": entry["printed"]}
        coupled = [one for name, one in mine.items() if one["family"] == "coupled"]
        for index, (label, sense) in INDICES.items():
            best = max(coupled, key=lambda one, i=index, s=sense: s * one[i])
            for original in ORIGINALS:
                value = mine[original][index]
                better = sense * best[index] > sense * value
                data.append(
                    {"dataset": dataset, "printed_name": entry["printed"], "index": index}
                    | {"label": label, "original": original, "value": value, "sense": sense}
                    | {"coupled": best[index], "power": best["representation"]}
                    | {"better": "yes" if better else "no"}
                    | {"ratio": best[index] / value if value else None}
                )
                if original == next(iter(ORIGINALS)):
                    row[f"{index}.original"] = _compact(value)
                    row[f"{index}.coupled"] = _compact(best[index]) + (" +" if better else "")
        rows.append(row)
    first = next(iter(ORIGINALS))
    counts = {
        (original, index): (
            sum(one["better"] == "yes" for one in chosen),
            len(chosen),
            [one["printed_name"] for one in chosen if one["better"] == "no"],
        )
        for original in ORIGINALS
        for index in INDICES
        for chosen in [
            [one for one in data if (one["original"], one["index"]) == (original, index)]
        ]
    }
    said = ", ".join(
        f"{INDICES[index][0]} on {counts[first, index][0]}"
        for index in ("rd", "dbi", "di", "sd_max")
    )
    return Sheet(
        name=f"{job.paper}-{job.artefact}",
        title=f"{job.label}: internal indices of the classes",
        caption=(
            f"Original (0/1 columns and min-max numbers) against coupled representation on "
            f"{len(rows)} data sets. The coupled one is better in {said}."
        ),
        columns=[
            Column("dataset", "Data set", text=True),
            *(
                Column(f"{index}.{which}", which, label)
                for index, (label, _) in INDICES.items()
                for which in ("original", "coupled")
            ),
        ],
        rows=rows,
        legend=[
            "+ : the coupled representation is better. RD, DI: more is better; DBI, SD: less.",
            "coupled: the better of L = 3 and L = 4 per index (oracle: the classes are given); "
            f"{BASE}.",
            "SD is the only index that depends on how distances are normalised: by their maximum, "
            "which favours long tails, or by their mean.",
            *(
                f"Original as {ORIGINALS[original]}: better on "
                + ", ".join(
                    f"{INDICES[index][0]} {held} of {total}"
                    + (f" (not {', '.join(absent)})" if 0 < held < total else "")
                    for index in INDICES
                    for held, total, absent in [counts[original, index]]
                )
                + "."
                for original in ORIGINALS
            ),
            "The paper draws error bars; the indices of given classes are not random.",
        ],
        data=data,
        data_columns=[
            *("dataset", "printed_name", "index", "label", "original", "value", "coupled"),
            *("power", "sense", "better", "ratio"),
        ],
    )


def _compact(value: float) -> str:
    return f"{value:.0f}" if abs(value) >= 1000 else f"{value:.3g}"


# --- Figs 2 and 3 -------------------------------------------------------------------------------


def density(job: Job, cells: pd.DataFrame) -> Sheet:
    """Decision graph and map of one data set, and what they depend on."""
    (dataset,) = job.datasets
    points = job.records("peaks")
    scores = job.records("sensitivity")
    points = points[points["dataset"] == dataset]
    scores = scores[scores["dataset"] == dataset]
    if points.empty or (points["status"] != "ok").any():
        why = job.missing(dataset) or str(points["reason"].iloc[0])
        return Sheet(
            name=f"{job.paper}-{job.artefact}",
            title=f"{job.label}: density peaks on {job.datasets[dataset]['printed']}",
            caption=f"Not run: {why}.",
            columns=[Column("distance", "Distance", text=True)],
            rows=[],
            data=[],
            data_columns=list(_POINTS),
        )
    maps = {name: map_points(points, name) for name in DISTANCES}
    rows = [
        {
            "distance": DISTANCES[one["distance"]],
            "percent": f"{one['percent']:g}",
            "kernel": one["kernel"],
            "rho": str(one["rho_levels"]),
            "delta": str(one["delta_levels"]),
            "pairs": str(one["pairs_visible"]),
            "gap": number(one["gap"], 2),
            "halo": number(one["halo"], 0, 100),
            "accuracy": number(one["accuracy"], 3),
            "nmi": number(one["nmi"], 3),
            "ari": number(one["ari"], 3),
        }
        for one in scores.to_dict("records")
    ]
    main = {
        one["distance"]: one
        for one in scores.to_dict("records")
        if (one["percent"], one["kernel"]) == (2.0, "cut")
    }
    total = int(main["raw"]["objects"])
    return Sheet(
        name=f"{job.paper}-{job.artefact}",
        title=f"{job.label}: density peaks on {job.datasets[dataset]['printed']}",
        caption=(
            f"With gamma as printed, the mixed distance leaves {main['raw']['delta_levels']} "
            f"visible levels of delta and {maps['raw']} of {total} visible points on the map; with "
            f"gamma on the scale of its numbers {main['scaled']['delta_levels']} and "
            f"{maps['scaled']}, the coupled representation {main['coupled']['delta_levels']} and "
            f"{maps['coupled']}: the printed contrast is one of gamma."
        ),
        columns=[
            Column("distance", "Distance", text=True),
            Column("percent", "cutoff (%)"),
            Column("kernel", "kernel", text=True),
            Column("rho", "rho", "visible levels"),
            Column("delta", "delta", "visible levels"),
            Column("pairs", "pairs", "visible levels"),
            Column("gap", "gap"),
            Column("halo", "halo (%)"),
            Column("accuracy", "accuracy"),
            Column("nmi", "NMI"),
            Column("ari", "ARI"),
        ],
        rows=rows,
        legend=[
            "Visible: what differs on a grid of 1 % of the largest value. gap: rho times delta of "
            "the last centre over that of the next object.",
            "Centres: as many as classes, those of the largest rho times delta (oracle: the number "
            "of classes). The figure has the cutoff at 2 % and the counting kernel.",
            f"Coupled representation: {BASE}.",
            "Map: metric stress from the classical solution; see the CSV for every object.",
        ],
        data=[
            {**one, "distance_label": DISTANCES[one["distance"]], "levels": maps[one["distance"]]}
            for one in points.to_dict("records")
        ],
        data_columns=list(_POINTS),
    )


_POINTS = (
    *("dataset", "distance", "distance_label", "object", "class", "cluster", "center", "halo"),
    *("rho", "delta", "x", "y", "levels"),
)


# --- cost ---------------------------------------------------------------------------------------

_COSTS = {**METHODS, "density_peaks": "density peaks"}


def cost(job: Job, cells: pd.DataFrame) -> Sheet:
    """Seconds and memory of one start of each method on Adult."""
    records = job.records("adult_cost")
    ok = records[records["status"] == "ok"].to_dict("records")
    rows = [
        {
            "method": _COSTS[one["method"]],
            "seconds": seconds_text(one["seconds"]),
            "range": range_text(one),
            "before": number(one["before_mib"], 0),
            "peak": number(one["peak_mib"], 0),
        }
        for one in ok
    ]
    said = "Not run: Adult is not part of this run."
    if ok:
        slowest = max(ok, key=lambda one: one["seconds"])
        said = (
            f"One start on {ok[0]['objects']} objects of {ok[0]['attributes']} attributes. The "
            f"slowest is {_COSTS[slowest['method']]} with {seconds_text(slowest['seconds'])} s."
        )
    return Sheet(
        name=f"{job.paper}-{job.artefact}",
        title=f"{job.label} on Adult",
        caption=said,
        columns=[
            Column("method", "Method", text=True),
            Column("seconds", "seconds"),
            Column("range", "least to largest"),
            Column("before", "before", "memory, MiB"),
            Column("peak", "peak", "memory, MiB"),
        ],
        rows=rows,
        legend=[
            "One start: everything that follows the table in memory.",
            HOW,
            HOW_MEMORY,
        ],
        data=ok,
        data_columns=[
            *("method", "objects", "attributes", "seconds", "slowest", "repeats", "before_mib"),
            "peak_mib",
        ],
    )
