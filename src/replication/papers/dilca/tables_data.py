"""Tables of DILCA's data and times: Figs 1, 2, 14 and 16, and the cost on Mushroom."""

from __future__ import annotations

import itertools
from collections.abc import Mapping
from operator import itemgetter
from typing import TYPE_CHECKING

import pandas as pd

from replication.errors import UserError
from replication.judge.cells import Ours, counting, reasons
from replication.judge.times import HOW, MARGIN, seconds_text
from replication.judge.verdicts import MARKS, NOT_RUN, Reproduced, parse_printed
from replication.papers.dilca import analysis
from replication.papers.dilca.analysis import AXES, DILCA, METHODS, PHASES
from replication.papers.dilca.records import MARK_LEGEND, over_samples, read_counts, value_distances
from replication.show.job import Job
from replication.show.kinds import characteristics, cost_table, number_table
from replication.show.sheet import Cell, Column, Sheet, across, judged_cell, number, pivot, words
from replication.steps import setting_text

if TYPE_CHECKING:
    import numpy as np

    from couplings.table import CategoricalTable

# --- Fig. 2: characteristics of the data sets ---------------------------------------------------

VALUE_RULES = {
    "values_observed": "occurring",
    "values_with_missing": "occurring + missing",
    "values_declared": "declared",
    "values_mdl": "MDL",
    "values_with_classes": "occurring + classes",
    "values_declared_with_classes": "declared + classes",
    "values_mdl_with_classes": "MDL + classes",
}
"""Ways to count the values of a data set."""

CHARACTERISTICS = {
    "instances": "objects",
    "features": "attributes",
    "values": "values",
    "classes": "classes",
}


def dataset_characteristics(job: Job, cells: pd.DataFrame) -> Sheet:
    """Counts of objects, attributes, values and classes: Fig. 2.

    No rule of counting values fits every row of the paper. The table lists which of the rules
    give the printed number; the verdict belongs to the rule that the configuration names for the
    data set (``reachable``, chosen after the fact); where it names none, to MDL if there are
    numeric attributes, or else to the values that occur. Of random samples the range is judged.
    """
    first = job.readings[0]
    types = cells[cells["metric"] == "type"].set_index("dataset_id")["printed"].to_dict()
    counted = {
        name: job.missing(name) or read_counts(job, name)
        for name in dict.fromkeys(cells["dataset_id"])
    }

    def ours(cell: Mapping[str, str], reading: str) -> Ours:
        dataset, metric = cell["dataset_id"], cell["metric"]
        found, more = counted[dataset], {"type": types.get(dataset, ""), "rules": ""}
        if isinstance(found, str):
            return Ours(Reproduced(None, absent=found), more=more)
        counts, label_cuts = found
        if metric != "values":
            choice = job.choice("dilca.postop_classes", reading)
            (count,) = counts[f"classes.{choice}" if metric == "classes" else metric]
            return Ours(Reproduced(float(count)), more=more)
        reachable = job.datasets[dataset].get("reachable", ())
        named = next((one for one in reachable if one in VALUE_RULES), "")
        rule = named or ("values_mdl" if label_cuts else "values_observed")
        origin = "rule chosen after the fact" if named else "no rule is named for this data set"
        # ways to count values that give the printed number
        target = int(parse_printed(cell["printed"]).value)
        rules = [
            name
            for one, name in VALUE_RULES.items()
            if min(counts[one]) <= target <= max(counts[one])
        ]
        return Ours(
            over_samples([float(count) for count in counts[rule]]),
            oracle=rule.startswith("values_mdl") and bool(label_cuts),
            reason=f"counted: {VALUE_RULES[rule]} ({origin})",
            more=more | {"rules": "; ".join(rules), "counted": True},
        )

    return characteristics(
        job,
        cells,
        ours,
        f"Printed counts, and ours. Under the {first} reading, {{said}}. No single rule of "
        "counting values gives every printed number; the last column lists those that give "
        "this one.",
        CHARACTERISTICS,
        readings=lambda cell: job.readings if cell["metric"] == "classes" else [first],
        kinds=words(type="type"),
        more=[
            Column(
                "rules",
                "rules that give the printed values",
                text=True,
                of=lambda one: one["rules"] or "none",
                where={"counted": True},
            ),
        ],
        legend=lambda data: [
            MARK_LEGEND,
            "values: counted by the rule that the configuration names for the data set, chosen "
            "after the fact; without one by MDL where attributes are numeric, else values that "
            "occur. Brackets: fewest and most over random samples, the number is their mean.",
            "Rules: occurring, values that occur, numeric attributes in ten bins; + missing, "
            "before imputation, missing is one more value, numbers as they stand; declared, all "
            "declared values, numeric attributes in ten bins; MDL, the same with numeric "
            "attributes cut by the class labels; + classes, and one per class.",
            *reasons(cells, data),
        ],
        data_columns=[
            *("dataset", "printed_name", "metric", "reading", "oracle", "printed", "reproduced"),
            *("spread_min", "spread_max", "verdict", "difference", "rules", "reason"),
        ],
    )


# --- Fig. 1: the worked example -----------------------------------------------------------------


def worked_example(job: Job, cells: pd.DataFrame) -> Sheet:
    """Counts of the example, and the distances between its cities by eq. (1): Fig. 1."""
    from replication.data.store import read_tables

    first = job.readings[0]
    (dataset,) = job.datasets
    if absent := job.missing(dataset):
        raise UserError(f"{job.paper}/{job.artefact} needs the data set {dataset!r}: {absent}")
    preparation, measure = job.need("similarities")[first]
    table = read_tables(job.file("tables", dataset=dataset), preparation).tables[0]
    names = [name.lower() for name in table.attributes]
    sex, city = names.index("sex"), names.index("city")

    def ours(cell: Mapping[str, str], reading: str) -> Ours:
        place = cell["metric"].removeprefix("count(").removesuffix(")")
        hits = _has(table, sex, cell["method"]) & _has(table, city, place)
        more = {"quantity": f"objects: {cell['method']}, {place}"}
        return Ours(Reproduced(float(hits.sum())), more=more)

    verdicts = job.judged(cells, ours, [first])
    cities = table.categories[city]
    matrix = value_distances(job.file("similarity", dataset=dataset), preparation, measure, city)
    distances = [
        {
            "quantity": f"d({cities[i]}, {cities[j]})",
            "reading": first,
            "reproduced": float(matrix[i, j]),
        }
        for i, j in itertools.combinations(range(len(cities)), 2)
    ]
    distances.sort(key=itemgetter("reproduced", "quantity"))
    ((parameter, (value,)),) = job.need("grid").items()
    return number_table(
        job,
        "the worked example",
        "Objects of each sex in each city, and distances between the cities by eq. (1), "
        f"{parameter} {setting_text(value)}: {' < '.join(one['quantity'] for one in distances)}. "
        f"Of the counts, {counting(verdicts)}.",
        [*verdicts, *distances],
        words(quantity="Quantity"),
        lambda one: judged_cell(one, 0) if "verdict" in one else Cell(one["reproduced"], 6),
        legend=[MARK_LEGEND, "The paper does not print the distances."],
        data_columns=[
            *("quantity", "reading", "printed", "reproduced", "verdict", "difference", "reason"),
        ],
    )


def _has(table: CategoricalTable, j: int, value: str) -> np.ndarray:
    """Which objects have a value, by position of the attribute."""
    return table.codes[:, j] == table.categories[j].index(value)


# --- Figs 14 and 16, and the cost on Mushroom: times belong to a machine --------------------------

PARTS = {
    "instances": "(a) objects",
    "attributes": "(b) attributes",
    "beyond": "more attributes",
    "long": "more objects, value distances only",
}

COMPILED = f"{HOW} They are not comparable with other hardware."


def scalability(job: Job, cells: pd.DataFrame) -> Sheet:
    """Seconds of whole methods against objects and attributes: Fig. 14."""
    records = job.records("scalability")
    tables = {axis: analysis.totals(records, axis) for axis in PARTS}
    data = [
        {"axis": axis, "size": size, "method": method, "label": METHODS[method]}
        | {"seconds": times[method].least, "slowest": times[method].largest}
        for axis, table in tables.items()
        for size, times in table.items()
        for method in METHODS
        if method in times
    ]
    columns = [
        Column("part", "Part", text=True, of=lambda one: PARTS[one["axis"]]),
        Column("size", "size", digits=","),
        *across("method", METHODS, of="seconds", digits=seconds_text),
    ]
    growth = {axis: analysis.growth(tables[axis]) for axis in ("instances", "attributes")}
    exponents = [
        {"part": Cell(f"growth exponent, {PARTS[axis][:3]}")}
        | {method: Cell(str(one)) for method, one in found.items()}
        for axis, found in growth.items()
    ]
    return Sheet.of(
        job,
        "seconds against objects and attributes",
        "Seconds from coded data to clusters, all phases together; the paper draws curves and "
        f"prints no number. {_beside_dilca(records)}",
        columns,
        data,
        rows=[*pivot(columns, data, ["axis", "size"]), *exponents],
        legend=[
            COMPILED,
            f"(a): {_sizes(records, 'instances')}. (b): {_sizes(records, 'attributes')}. more "
            f"attributes: {_sizes(records, 'beyond')}. more objects: {_sizes(records, 'long')}; "
            "counts and value distances only, on rows drawn with replacement.",
            "Synthetic classes of our own generator; the authors' is gone. sigma, theta and phi "
            "are 0, the worst case of the paper.",
            "one-hot Ward: scikit-learn on indicator columns. plain DILCA_M: value distances only, "
            "written with pandas.crosstab; timed at small sizes only. The paper has neither.",
            "Growth exponent: slope of log seconds against log size, between the bounds that the "
            "repetitions leave; 1 is linear, 2 quadratic.",
        ],
    )


def _beside_dilca(records: pd.DataFrame) -> str:
    """How often DILCA, in both variants, takes less time than each competitor."""
    parts = []
    for rival in ("delta", "limbo", "rock"):
        answers = analysis.compared(records, rival).values()
        told = [one for one in answers if one is not None]
        parts.append(
            f"{METHODS[rival]}: {sum(told)} of {len(answers)} faster, "
            f"{len(answers) - len(told)} cannot be told"
        )
    return (
        f"DILCA, either variant at every size, beside {'; '.join(parts)} (ratio below {MARGIN:g} "
        "or within the repetitions; DELTA differs by the learning of value distances alone, which "
        "is what is compared with it)."
    )


def _sizes(records: pd.DataFrame, axis: str) -> str:
    """What is held fixed on an axis."""
    rows = records[records["axis"] == axis]
    fixed = "attributes" if AXES[axis] == "objects" else "objects"
    return f"{int(rows[fixed].iloc[0]):,} {fixed}, {int(rows['values'].iloc[0])} values each"


def phases(job: Job, cells: pd.DataFrame) -> Sheet:
    """Seconds of the parts of a hierarchical clustering: Fig. 16."""
    records = job.records("scalability")
    table = analysis.phase_times(records, "instances")
    data = [
        {"size": size, "phase": phase, "label": label}
        | {"seconds": times[phase].least, "slowest": times[phase].largest}
        for size, times in table.items()
        for phase, label in PHASES.items()
    ]
    last = max(table)
    seconds = {phase: one.least for phase, one in table[last].items()}
    ratio = min(analysis.ratios([table[last]], "values.delta", [f"values.{one}" for one in DILCA]))
    order = sorted(PHASES, key=lambda phase: -seconds[phase])
    return Sheet.of(
        job,
        "seconds of the phases",
        f"At {last:,} objects the phases take, longest first: "
        f"{', '.join(f'{PHASES[p]} {seconds_text(seconds[p])} s' for p in order)}. Learning "
        f"by DELTA takes {ratio:.1f} times as long as by the slower DILCA variant. The paper "
        "draws curves and prints no number; it does not say what its horizontal axis is, ours "
        "is the number of objects.",
        [
            Column("size", "objects", digits=","),
            *across("phase", PHASES, of="seconds", digits=seconds_text),
            Column(
                "share",
                "DILCA_M's learning, % of its total",
                of=lambda one: analysis.learning_share(table[one["size"]]),
                digits=1,
                scale=100,
            ),
        ],
        data,
        by=["size"],
        legend=[
            COMPILED,
            f"{_sizes(records, 'instances')}. Value distances include the counts, the only scan "
            "of the data. Distances of objects and dendrogram are measured on those of DILCA_M; "
            "they are the same code for all three.",
        ],
    )


def cost(job: Job, cells: pd.DataFrame) -> Sheet:
    """Seconds and memory of single methods on one data set."""
    ran = job.rows("mushroom_cost")
    said = "; ".join(
        f"{METHODS[one['method']]} {one['setting']} {seconds_text(one['seconds'])} s and "
        f"{number(one['peak_mib'], 0)} MiB"
        for one in ran
    )
    sizes = f"{ran[0]['objects']} objects, {ran[0]['attributes']} attributes" if ran else ""
    return cost_table(
        job,
        "ROCK and LIMBO",
        f"{sizes}: {said}." if ran else f"{MARKS[NOT_RUN]} not run with this effort.",
        "mushroom_cost",
        METHODS,
        [COMPILED],
        settings=words(setting="setting"),
    )
