"""coupledMC (Wang, Chi, Zhou, Wong 2015): from records to its tables and their verdicts.

One function per kind of artefact in ``config/papers/coupledmc.yaml``; those of the worked example
and of Table 6 have modules of their own.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from replication.judge.cells import Ours, counting, reasons_by_cell
from replication.judge.times import seconds_text
from replication.judge.verdicts import Reproduced
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
)
from replication.papers.coupledmc.tables_example import text as text
from replication.papers.coupledmc.tables_example import worked as worked
from replication.papers.coupledmc.tables_settings import envelope as envelope
from replication.papers.coupledmc.tables_settings import settings as settings
from replication.show.job import Job
from replication.show.kinds import COST, COST_DATA, COST_LEGEND, beside
from replication.show.sheet import Cell, Column, Sheet, pivot

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

    def ours(cell: Mapping[str, str], reading: str) -> Ours:
        one = found.get(cell["dataset_id"], {})
        absent = job.missing(cell["dataset_id"]) or one.get("absent", "")
        values = absent or Reproduced(float(one[cell["metric"]]))
        return Ours(values, more={"base_rate": one.get("base_rate")})

    data = job.judged(cells, ours, job.readings[:1])
    return Sheet.of(
        job,
        "characteristics of the data sets",
        f"Printed counts, and ours: {counting(data)}. The last column is the "
        "accuracy of putting everything into one cluster.",
        [
            Column("dataset", "Data set", text=True, of="printed_name"),
            *(
                column
                for metric, head in _COUNTS.items()
                for column in beside(metric, head, digits=0, where={"metric": metric})
            ),
            Column("base_rate", "largest class", digits=3),
        ],
        data,
        by=["dataset"],
        legend=[
            MARK_LEGEND,
            "Classes of fewer than three objects are left out, which concerns abalone alone.",
            *reasons_by_cell(data),
        ],
        data_columns=["dataset", "metric", *VERDICT, *SPREAD, "base_rate"],
        verdicts=data,
    )


# --- Fig. 1 -------------------------------------------------------------------------------------


def structure(job: Job, cells: pd.DataFrame) -> Sheet:
    """Internal indices of the classes, original representation against coupled one."""
    mine: dict[str, dict[str, Mapping[str, Any]]] = {}
    for one in job.rows("structure"):
        mine.setdefault(one["dataset"], {})[one["representation"]] = one
    data = []
    for dataset in (name for name in job.datasets if name in mine):
        coupled = [one for one in mine[dataset].values() if one["family"] == "coupled"]
        for index, (label, sense) in INDICES.items():
            best = max(coupled, key=lambda one, i=index, s=sense: s * one[i])
            for original in ORIGINALS:
                value = mine[dataset][original][index]
                better = sense * best[index] > sense * value
                data.append(
                    {"dataset": dataset, "printed_name": job.printed(dataset), "index": index}
                    | {"label": label, "original": original, "value": value}
                    | {"coupled": best[index], "power": best["representation"], "sense": sense}
                    | {"better": "yes" if better else "no"}
                    | {"ratio": best[index] / value if value else None}
                )
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
    columns = [Column("dataset", "Data set", text=True, of="printed_name")]
    for index, (label, _) in INDICES.items():
        shown = {"index": index, "original": first}
        columns += [
            Column(
                f"{index}.original", "original", label, of="value", digits=_compact, where=shown
            ),
            Column(f"{index}.coupled", "coupled", label, of=_coupled, where=shown),
        ]
    return Sheet.of(
        job,
        "internal indices of the classes",
        f"Original (0/1 columns and min-max numbers) against coupled representation on "
        f"{len(mine)} data sets. The coupled one is better in {said}.",
        columns,
        data,
        by=["dataset"],
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
    )


def _coupled(one: Mapping[str, Any]) -> Cell:
    return Cell(one["coupled"], _compact, sign=" +" if one["better"] == "yes" else "")


def _compact(value: float) -> str:
    return f"{value:.0f}" if abs(value) >= 1000 else f"{value:.3g}"


# --- Figs 2 and 3 -------------------------------------------------------------------------------


def density(job: Job, cells: pd.DataFrame) -> Sheet:
    """Decision graph and map of one data set, and what they depend on."""
    (dataset,) = job.datasets
    title = f"density peaks on {job.printed(dataset)}"
    points = job.records("peaks")
    scores = job.records("sensitivity")
    points = points[points["dataset"] == dataset]
    scores = scores[scores["dataset"] == dataset]
    if points.empty or (points["status"] != "ok").any():
        why = job.missing(dataset) or str(points["reason"].iloc[0])
        columns = [Column("distance", "Distance", text=True)]
        return Sheet.of(job, title, f"Not run: {why}.", columns, [], data_columns=_POINTS)
    maps = {name: map_points(points, name) for name in DISTANCES}
    settings = scores.to_dict("records")
    main = {
        one["distance"]: one for one in settings if (one["percent"], one["kernel"]) == (2.0, "cut")
    }
    total = int(main["raw"]["objects"])
    columns = [
        Column("distance", "Distance", text=True, of=lambda one: DISTANCES[one["distance"]]),
        Column("percent", "cutoff (%)"),
        Column("kernel", "kernel", text=True),
        Column("rho_levels", "rho", "visible levels"),
        Column("delta_levels", "delta", "visible levels"),
        Column("pairs_visible", "pairs", "visible levels"),
        Column("gap", "gap", digits=2),
        Column("halo", "halo (%)", digits=0, scale=100),
        Column("accuracy", "accuracy", digits=3),
        Column("nmi", "NMI", digits=3),
        Column("ari", "ARI", digits=3),
    ]
    return Sheet.of(
        job,
        title,
        f"With gamma as printed, the mixed distance leaves {main['raw']['delta_levels']} "
        f"visible levels of delta and {maps['raw']} of {total} visible points on the map; with "
        f"gamma on the scale of its numbers {main['scaled']['delta_levels']} and "
        f"{maps['scaled']}, the coupled representation {main['coupled']['delta_levels']} and "
        f"{maps['coupled']}: the printed contrast is one of gamma.",
        columns,
        [
            {**one, "distance_label": DISTANCES[one["distance"]], "levels": maps[one["distance"]]}
            for one in points.to_dict("records")
        ],
        rows=pivot(columns, settings),
        legend=[
            "Visible: what differs on a grid of 1 % of the largest value. gap: rho times delta of "
            "the last centre over that of the next object.",
            "Centres: as many as classes, those of the largest rho times delta (oracle: the number "
            "of classes). The figure has the cutoff at 2 % and the counting kernel.",
            f"Coupled representation: {BASE}.",
            "Map: metric stress from the classical solution; see the CSV for every object.",
        ],
        data_columns=_POINTS,
    )


_POINTS = (
    *("dataset", "distance", "distance_label", "object", "class", "cluster", "center", "halo"),
    *("rho", "delta", "x", "y", "levels"),
)


# --- cost ---------------------------------------------------------------------------------------

_COSTS = {**METHODS, "density_peaks": "density peaks"}


def cost(job: Job, cells: pd.DataFrame) -> Sheet:
    """Seconds and memory of one start of each method on Adult."""
    ok = job.rows("adult_cost")
    said = "Not run: Adult is not part of this run."
    if ok:
        slowest = max(ok, key=lambda one: one["seconds"])
        said = (
            f"One start on {ok[0]['objects']} objects of {ok[0]['attributes']} attributes. The "
            f"slowest is {_COSTS[slowest['method']]} with {seconds_text(slowest['seconds'])} s."
        )
    return Sheet.of(
        job,
        "",
        said,
        [Column("method", "Method", text=True, of=lambda one: _COSTS[one["method"]]), *COST],
        ok,
        legend=["One start: everything that follows the table in memory.", *COST_LEGEND],
        data_columns=["method", "objects", "attributes", *COST_DATA],
        title=f"{job.label} on Adult",
    )
