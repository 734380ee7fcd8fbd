"""coupledMC (Wang, Chi, Zhou, Wong 2015): from records to its tables and their verdicts.

One function per kind of artefact in ``config/papers/coupledmc.yaml``; those of the worked example
and of Table 6 have modules of their own.
"""

from __future__ import annotations

import itertools
from collections.abc import Mapping
from typing import Any

import pandas as pd

from replication.judge.cells import Ours, counting, reasons_by_cell
from replication.judge.times import seconds_text
from replication.judge.verdicts import Reproduced
from replication.papers.coupledmc import analysis
from replication.papers.coupledmc.runs import METHODS, RECONCILED
from replication.papers.coupledmc.significance import TESTED
from replication.papers.coupledmc.tables_clustering import (
    BASE,
    MARK_LEGEND,
    SPREAD,
    VERDICT,
)
from replication.papers.coupledmc.tables_clustering import accuracy as accuracy
from replication.papers.coupledmc.tables_clustering import best_runs as best_runs
from replication.papers.coupledmc.tables_example import text as text
from replication.papers.coupledmc.tables_example import worked as worked
from replication.show.job import Job
from replication.show.kinds import COST, COST_DATA, COST_LEGEND, beside
from replication.show.sheet import Cell, Column, Sheet, grouped, pivot

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
    found = analysis.by_dataset(job.records("description"))

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
    data = [
        {**about, "index": index, "label": label, "original": original}
        | analysis.against_coupled(records, original, index, sense)
        for about, records in job.each("structure")
        for (index, (label, sense)), original in itertools.product(INDICES.items(), ORIGINALS)
    ]
    better = analysis.improved(pd.DataFrame(data), "printed_name")
    first = next(iter(ORIGINALS))
    said = ", ".join(f"{INDICES[index][0]} on {better[index, first].sum()}" for index in TESTED)

    def counts(original: str) -> str:
        """On how many data sets each index is better, and on which it is not."""
        cases = [(label, better[index, original]) for index, (label, _) in INDICES.items()]
        return ", ".join(
            f"{label} {held.sum()} of {len(held)}{analysis.but(held)}" for label, held in cases
        )

    shown = {"digits": _compact, "where": {"original": first}}
    return Sheet.of(
        job,
        "internal indices of the classes",
        f"Original (0/1 columns and min-max numbers) against coupled representation on "
        f"{len({one['dataset'] for one in data})} data sets. The coupled one is better in {said}.",
        [
            Column("dataset", "Data set", text=True, of="printed_name"),
            *grouped(
                "index",
                {index: label for index, (label, _) in INDICES.items()},
                [
                    Column("original", "original", of="value", **shown),
                    Column("coupled", "coupled", of=_coupled, **shown),
                ],
            ),
        ],
        data,
        by=["dataset"],
        legend=[
            "+ : the coupled representation is better. RD, DI: more is better; DBI, SD: less.",
            "coupled: the better of L = 3 and L = 4 per index (oracle: the classes are given); "
            f"{BASE}.",
            "SD is the only index that depends on how distances are normalised: by their maximum, "
            "which favours long tails, or by their mean.",
            *(
                f"Original as {words}: better on {counts(original)}."
                for original, words in ORIGINALS.items()
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
    points, scores = (
        records[records["dataset"] == dataset]
        for records in (job.records("peaks"), job.records("sensitivity"))
    )
    if why := job.absent("peaks", dataset):
        columns = [Column("distance", "Distance", text=True)]
        return Sheet.of(job, title, f"Not run: {why}.", columns, [], data_columns=_POINTS)
    seen = analysis.maps(points)["places"]
    drawn = scores[(scores["percent"] == 2.0) & (scores["kernel"] == "cut")].set_index("distance")
    levels = drawn["delta_levels"]
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
        f"With gamma as printed, the mixed distance leaves {levels['raw']} visible levels of "
        f"delta and {seen['raw']} of {drawn['objects'].iloc[0]:.0f} visible points on the map; "
        f"with gamma on the scale of its numbers {levels['scaled']} and {seen['scaled']}, the "
        f"coupled representation {levels['coupled']} and {seen['coupled']}: the printed contrast "
        "is one of gamma.",
        columns,
        points.assign(
            distance_label=points["distance"].map(DISTANCES), levels=points["distance"].map(seen)
        ).to_dict("records"),
        rows=pivot(columns, scores.to_dict("records")),
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


# --- settings that Table 6 leaves open ----------------------------------------------------------


def envelope(job: Job, cells: pd.DataFrame, *, default: Mapping[str, str]) -> Sheet:
    """Lowest and highest accuracy over the settings that the paper leaves open."""
    printed = cells.set_index(["dataset_id", "method_id"])["printed"]
    data = [
        {**about, "method": method, "label": METHODS[method]}
        | {"printed": printed[about["dataset"], method]}
        | analysis.settings_range(records[records["method"] == method], setting)
        for about, records in job.each("envelope")
        for method, setting in default.items()
    ]
    coupled = [one for one in data if one["method"] == "coupledmc"]
    reach = [one for one in coupled if float(one["printed"].partition(" ")[0]) <= one["high"]]
    return Sheet.of(
        job,
        "accuracy over the settings that the paper leaves open",
        f"Mean accuracy of every setting. Even with the best of them for each data set, which "
        f"takes the labels (oracle), coupledMC reaches the printed number on {len(reach)} of "
        f"{len(coupled)} data sets.",
        [
            Column("dataset", "Data set", text=True, of="printed_name"),
            Column("label", "method", text=True),
            Column("settings", "settings"),
            Column("printed", "printed", of=lambda one: one["printed"].partition(" ")[0]),
            Column("default", "ours", digits=3),
            Column("low", "lowest", digits=3),
            Column("high", "highest", digits=3),
            Column("best", "setting of the highest (oracle)", text=True),
        ],
        data,
        legend=[
            "ours: the one setting that is used for all data sets, coupledMC with L = 3; none is "
            "chosen per data set.",
            "Fewer runs per setting than in Table 6, and other seeds: means differ a little.",
        ],
        data_columns=[
            *("dataset", "printed_name", "method", "label", "settings", "runs", "printed"),
            *("default", "low", "high", "best"),
        ],
    )


def settings(job: Job, cells: pd.DataFrame, *, default: Mapping[str, str]) -> Sheet:
    """How far each setting, taken for all data sets, lies from the printed column of its method."""
    printed = cells.astype({"value": float}).set_index(["dataset_id", "method_id"])["value"]
    tried = analysis.settings_near_print(job.ok("envelope"), printed)
    tried["label"] = tried["method"].map(METHODS)
    ours = tried["setting"] == tried["method"].map(default)
    tried["chosen"] = ours.map({True: RECONCILED, False: ""})
    columns = [
        Column("label", "Method", text=True),
        Column("tried", "settings"),
        Column("which", "which", text=True),
        Column("setting", "setting", text=True),
        Column("average", "average", "means", digits=3),
        Column("distance", "distance", "means", digits=3),
        Column(
            "near",
            f"within {analysis.NEAR}",
            "means",
            of=lambda one: f"{one['near']} of {one['sets']}",
        ),
        Column("average_largest", "average", "largest runs (oracle)", digits=3),
        Column("distance_largest", "distance", "largest runs (oracle)", digits=3),
    ]
    means, largest = (
        analysis.nearest_settings(tried, name) for name in ("distance", "distance_largest")
    )
    of_method = tried["method"].value_counts()
    methods = [method for method in default if method in means]
    least = ", ".join(
        f"{METHODS[method]} {means[method]['distance']:.3f} and "
        f"{largest[method]['distance_largest']:.3f}"
        for method in methods
    )
    which = {
        "reconciled": tried[ours].set_index("method").to_dict("index"),
        "nearest by means": means,
        "nearest by largest runs": largest,
    }
    return Sheet.of(
        job,
        "distance to the printed columns, one setting for all data sets",
        "Least distance to the printed column that one setting for all data sets reaches, by "
        f"means and by the largest of {tried['runs'].iloc[0]} runs: {least}.",
        columns,
        tried.to_dict("records"),
        rows=pivot(
            columns,
            [
                {**found[method], "tried": int(of_method[method]), "which": words}
                for method in methods
                for words, found in which.items()
            ],
        ),
        legend=[
            "distance: mean over the data sets of |ours - printed|. Every setting was run on all "
            "data sets; none is chosen per data set. All settings are in the CSV.",
            "nearest: chosen after the fact, by the printed column itself, so nothing is judged "
            "by it.",
            "starts: of so many starts a run keeps the one of least objective, without the labels. "
            "Fewer runs per setting than in Table 6: the largest of few runs is below the largest "
            "of a hundred.",
        ],
        data_columns=[
            *("method", "label", "setting", "chosen", "sets", "runs", "average", "distance"),
            *("near", "average_largest", "distance_largest"),
        ],
    )
