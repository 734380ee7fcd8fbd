"""Table 5, the figures and the cost of coupledMC: data sets, indices, density peaks, seconds."""

import itertools
from collections.abc import Mapping
from typing import Any

import pandas as pd

from replication.judge.cells import Ours, reasons_by_cell
from replication.judge.times import HOW, seconds_text
from replication.judge.verdicts import Reproduced
from replication.papers.coupledmc.accuracy_runs import METHODS, map_points
from replication.papers.coupledmc.significance import TESTED
from replication.papers.coupledmc.tables import BASE, MARK_LEGEND, SPREAD, VERDICT
from replication.show import kinds
from replication.show.job import Job
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


_COUNTS = {
    "objects": "objects",
    "attributes": "attributes",
    "discrete_attributes": "discrete",
    "classes": "classes",
}


def characteristics(job: Job, cells: pd.DataFrame) -> Sheet:
    """Counts of the twelve data sets, printed and ours, and the share of the largest class."""
    found = job.ok("description").set_index("dataset").to_dict("index")

    def ours(cell: Mapping[str, str], reading: str) -> Ours:
        dataset = cell["dataset_id"]
        if dataset not in found:
            return Ours(job.absent("description", dataset), more={"base_rate": None})
        one = found[dataset]
        return Ours(Reproduced(float(one[cell["metric"]])), more={"base_rate": one["base_rate"]})

    return kinds.characteristics(
        job,
        cells,
        ours,
        "Printed counts, and ours: {said}. The last column is the accuracy of putting everything "
        "into one cluster.",
        _COUNTS,
        more=[Column("base_rate", "largest class", digits=3)],
        legend=lambda data: [
            MARK_LEGEND,
            "Classes of fewer than three objects are left out, which concerns abalone alone.",
            *reasons_by_cell(data),
        ],
        data_columns=["dataset", "metric", *VERDICT, *SPREAD, "base_rate"],
    )


def structure(job: Job, cells: pd.DataFrame) -> Sheet:
    """Internal indices of the classes, original representation against coupled one."""
    data = [
        {**about, "index": index, "label": label, "original": original}
        | _against_coupled(records, original, index, sense)
        for about, records in job.each("structure")
        for (index, (label, sense)), original in itertools.product(INDICES.items(), ORIGINALS)
    ]
    first = next(iter(ORIGINALS))
    better = {
        key: rows.set_index("printed_name")["better"]
        for key, rows in pd.DataFrame(data).groupby(["index", "original"])
    }
    said = ", ".join(f"{INDICES[index][0]} on {better[index, first].sum()}" for index in TESTED)

    def counts(original: str) -> str:
        """On how many data sets each index is better, and on which it is not."""
        cases = [(label, better[index, original]) for index, (label, _) in INDICES.items()]
        return ", ".join(
            f"{label} {held.sum()} of {len(held)}{_but(held)}" for label, held in cases
        )

    shown: dict[str, Any] = {"digits": _compact, "where": {"original": first}}
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


def _against_coupled(
    records: pd.DataFrame, original: str, index: str, sense: int
) -> dict[str, Any]:
    """An index of one data set, on an original representation and on the better coupled one.

    The sense says whether more (1) or less (-1) is better; the ratio is coupled over original.
    """
    values = records.set_index("representation")[index].to_dict()
    powers = records.loc[records["family"] == "coupled", "representation"]
    power = max(powers, key=lambda one: sense * values[one])
    value, coupled = values[original], values[power]
    found = {"value": value, "coupled": coupled, "power": power, "sense": sense}
    ratio = coupled / value if value else None
    return {**found, "better": sense * coupled > sense * value, "ratio": ratio}


def _but(held: pd.Series) -> str:
    """Names for which something does not hold, in brackets; none if it always or never does."""
    return f" (not {', '.join(held.index[~held])})" if 0 < held.sum() < len(held) else ""


def _coupled(one: Mapping[str, Any]) -> Cell:
    return Cell(one["coupled"], _compact, sign=" +" if one["better"] else "")


def _compact(value: float) -> str:
    return f"{value:.0f}" if abs(value) >= 1000 else f"{value:.3g}"


def density(job: Job, cells: pd.DataFrame) -> Sheet:
    """Decision graph and map of one data set, and what they depend on."""
    (dataset,) = job.datasets
    title = f"density peaks on {job.printed(dataset)}"
    if why := job.absent("peaks", dataset):
        columns = [Column("distance", "Distance", text=True)]
        return Sheet.of(job, title, f"Not run: {why}.", columns, [], data_columns=_POINTS)
    points, scores = job.ok("peaks"), job.ok("sensitivity")
    points, scores = points[points["dataset"] == dataset], scores[scores["dataset"] == dataset]
    seen = {name: map_points(part) for name, part in points.groupby("distance")}
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
        f"delta and {seen['raw']} of {drawn['objects'].iloc[0]} visible points on the map; "
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

_COSTS = {**METHODS, "density_peaks": "density peaks"}


def cost(job: Job, cells: pd.DataFrame) -> Sheet:
    """Seconds and memory of one start of each method on Adult."""
    slowest = max(job.rows("adult_cost"), key=lambda one: one["seconds"])
    return kinds.cost_table(
        job,
        "",
        f"One start on {slowest['objects']} objects of {slowest['attributes']} attributes. The "
        f"slowest is {_COSTS[slowest['method']]} with {seconds_text(slowest['seconds'])} s.",
        "adult_cost",
        _COSTS,
        ["One start: everything that follows the table in memory.", HOW],
        title=f"{job.label} on Adult",
    )
