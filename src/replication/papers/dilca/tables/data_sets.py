"""Tables of DILCA's data, contexts and partitions: Figs 1, 2 and 15, and ROCK's clusters."""

import itertools
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import cache
from operator import methodcaller
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from replication.data.store import read_archive
from replication.files import read_json
from replication.judge.cells import Ours, counting, reasons
from replication.judge.verdicts import Reproduced, printed_number
from replication.papers.dilca.records import (
    COUNTED,
    MARK_LEGEND,
    PAPER,
    against_first,
    made_tables,
    over_samples,
)
from replication.show.job import Job
from replication.show.kinds import characteristics, number_table
from replication.show.sheet import Cell, Column, Sheet, grouped, judged_cell, number, pivot, words
from replication.steps import OK, setting_text


def worked_example(job: Job, cells: pd.DataFrame) -> Sheet:
    """Build Fig. 1: counts of the example, and distances between its cities by eq. (1)."""
    first = job.readings[0]
    (dataset,) = job.datasets
    preparation, measure = job.need("similarities")[first]
    table = read_archive(job.file("tables", dataset=dataset), preparation).tables[0]
    frame = table.to_pandas().rename(columns=str.lower)

    def ours(cell: Mapping[str, str], reading: str) -> Ours:
        place = cell["metric"].removeprefix("count(").removesuffix(")")
        hits = (frame["sex"] == cell["method"]) & (frame["city"] == place)
        name = {"quantity": f"objects: {cell['method']}, {place}"}
        return Ours(Reproduced(float(hits.sum())), more=name)

    verdicts = job.judged(cells, ours, [first])
    city = [*frame].index("city")
    learnt = read_archive(job.file("similarity", dataset=dataset), preparation, {measure})
    ((parameter, (sigma,)),) = job.need("grid").items()
    # the matrices hold squared distances, which objects sum up before taking the root
    space = learnt.fit(measure, **{parameter: sigma}).spaces[0]
    matrix = np.sqrt(space.matrices.block(city))
    pairs = itertools.combinations(enumerate(table.categories[city]), 2)
    found = sorted((float(matrix[i, j]), f"d({a}, {b})") for (i, a), (j, b) in pairs)
    distances: list[dict[str, Any]] = [
        {"quantity": pair, "reading": first, "reproduced": value} for value, pair in found
    ]
    return number_table(
        job,
        "the worked example",
        "Objects of each sex in each city, and distances between the cities by eq. (1), "
        f"{parameter} {setting_text(sigma)}: {' < '.join(one['quantity'] for one in distances)}. "
        f"Of the counts, {counting(verdicts)}.",
        [*verdicts, *distances],
        words(quantity="Quantity"),
        lambda one: judged_cell(one, 0) if "verdict" in one else Cell(one["reproduced"], 6),
        legend=[MARK_LEGEND, "The paper does not print the distances."],
        data_columns=[
            *("quantity", "reading", "printed", "reproduced", "verdict", "difference", "reason")
        ],
    )


VALUE_RULES = {
    "values_observed": "occurring",
    "values_with_missing": "occurring + missing",
    "values_declared": "declared",
    "values_mdl": "MDL",
    "values_with_classes": "occurring + classes",
    "values_declared_with_classes": "declared + classes",
    "values_mdl_with_classes": "MDL + classes",
}
"""Rules for counting the values of a data set."""


def dataset_characteristics(job: Job, cells: pd.DataFrame) -> Sheet:
    """Build Fig. 2: numbers of objects, attributes, values and classes.

    No single rule for counting values gives every printed number. The table lists the rules that
    give the printed one. The verdict uses the rule that the configuration names for the data set
    (``reachable``, chosen after the fact); without one it uses MDL if attributes are numeric, and
    otherwise the values that occur. With random samples the verdict is on the range.
    """
    first = job.readings[0]
    types = cells[cells["metric"] == "type"].set_index("dataset_id")["printed"].to_dict()
    counted = {
        name: job.missing(name) or _counts(job, name) for name in dict.fromkeys(cells["dataset_id"])
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
        named = next(filter(VALUE_RULES.get, job.datasets[dataset].get("reachable", ())), "")
        rule = named or ("values_mdl" if label_cuts else "values_observed")
        origin = "rule chosen after the fact" if named else "no rule is named for this data set"
        target = int(printed_number(cell["printed"]).value)
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
        "counting values gives every printed number. The last column lists the rules that give "
        "the printed number of the row.",
        {
            **{"instances": "objects", "features": "attributes"},
            **{"values": "values", "classes": "classes"},
        },
        readings=lambda cell: job.readings if cell["metric"] == "classes" else [first],
        kinds=words(type="type"),
        more=[
            Column(
                "rules",
                "rules that give the printed values",
                text=True,
                of=lambda one: one["rules"] or "none",
                where={"counted": True},
            )
        ],
        legend=lambda data: [
            MARK_LEGEND,
            "values: counted by the rule that the configuration names for the data set, which was "
            "chosen by the printed number. If it names none, numeric attributes are counted "
            "after MDL, others by the values that occur. Brackets: fewest and most over random "
            "samples; the number is their mean.",
            "Rules: occurring, values that occur, numeric attributes in ten bins; + missing, "
            "before imputation, missing is one more value, numbers as they stand; declared, all "
            "declared values, numeric attributes in ten bins; MDL, the same with numeric "
            "attributes discretised with the class labels; + classes, and one per class.",
            *reasons(cells, data),
        ],
        data_columns=[
            *("dataset", "printed_name", "metric", "reading", "oracle", "printed", "reproduced"),
            *("spread_min", "spread_max", "verdict", "difference", "rules", "reason"),
        ],
    )


def _counts(job: Job, dataset: str) -> tuple[dict[str, list[int]], Sequence[str]] | str:
    """Return counts by metric or rule, a number per sample, and label cuts; else the reason."""
    facts = read_json(job.file("facts", dataset=dataset))
    if facts["status"] != OK:
        return facts["reason"]
    if facts["values_with_missing"] is None:
        return "needs all rows, and only the complete ones are available"
    plain, mdl = (
        read_archive(job.file("tables", dataset=dataset), preparation)
        for preparation in job.need("preparations")
    )
    labels = plain.facts["classes"]
    occurring = [int(pd.DataFrame(one.codes).nunique().sum()) for one in plain.tables]
    declared, by_mdl = (
        [int(table.n_values.sum()) for table in some.tables] for some in (plain, mdl)
    )
    return {
        # clustered rows: a sample, where the paper took one, has fewer than the file
        "instances": [len(plain.labels[0])],
        "features": [facts["attributes"]],
        "classes.3": [len({label.strip() for label in labels})],
        "classes.4": [len(labels)],
        # before imputation, discretisation and sampling
        "values_with_missing": [facts["values_with_missing"]] * len(plain.tables),
        **{"values_observed": occurring, "values_declared": declared, "values_mdl": by_mdl},
        "values_with_classes": [count + len(labels) for count in occurring],
        "values_declared_with_classes": [count + len(labels) for count in declared],
        "values_mdl_with_classes": [count + len(labels) for count in by_mdl],
    }, mdl.facts["label_cuts"]


SIZES: dict[str, tuple[str, int, Callable[[np.ndarray], Any]]] = {
    "orig_attributes": ("attributes", 0, len),
    "mean_context_size": ("mean", 2, methodcaller("mean")),
    "sd_context_size": ("sd", 2, methodcaller("std")),
}
"""Heading, decimals and definition of each number about the context sizes of all attributes."""
CONTEXT_WORDS = {
    "strict": "an attribute leaves the context if a better one explains it more than the target "
    "(section 3.1)",
    "algorithm3": "an attribute leaves the context if a better one explains it at least as much "
    "as the target (Algorithm 3)",
}


def _over_tables(job: Job, dataset: str, measure: str, metric: str) -> list[float]:
    """Return context sizes of a measure over the generated tables of a data set, if there are."""
    rows = made_tables(job)
    rows = rows[(rows["dataset"] == dataset) & (rows["variant"] == COUNTED)]
    column = {"mean_context_size": "context_mean", "sd_context_size": "context_sd"}.get(metric)
    found = rows[rows["method"] == measure] if column else rows[:0]
    return found[column].dropna().tolist() if len(found) else []


def context_sizes(job: Job, cells: pd.DataFrame) -> Sheet:
    """Build Fig. 15: mean and population sd of the context sizes of DILCA_RR."""
    learnt: dict[str, tuple[str, str]] = job.need("similarities")
    readings = [name for name in job.readings if name in learnt] or job.readings[:1]
    first, *others = readings

    @cache
    def sizes(path: Path, preparation: str, measure: str) -> tuple[list[np.ndarray], bool] | str:
        """Return context sizes by sample and whether labels took part, or why there are none."""
        archive = read_archive(path, preparation, {measure})
        if archive.facts["status"] != OK:
            return archive.facts["reason"]
        by_sample = [one.sum(axis=1) for one in archive.fit(measure).contexts]
        return by_sample, bool(archive.facts["label_cuts"])

    def ours(cell: Mapping[str, str], reading: str) -> Ours:
        dataset, metric = cell["dataset_id"], cell["metric"]
        values = _over_tables(job, dataset, learnt[reading][1], metric)
        cuts = False
        if not values:
            found = job.missing(dataset) or sizes(
                job.file("similarity", dataset=dataset), *learnt[reading]
            )
            if isinstance(found, str):
                return Ours(Reproduced(None, absent=found))
            (by_sample, cuts), (*_, measured) = found, SIZES[metric]
            values = [float(measured(one)) for one in by_sample]
        return Ours(
            replace(over_samples(values), spread=(min(values), max(values))),
            oracle=cuts and metric != "orig_attributes",
            if_differs=lambda verdict: against_first(first, verdict),
        )

    data = job.judged(cells, ours, readings)
    groups = {first: "ours"} | dict.fromkeys(others, "text")
    heads = [
        Column(metric, head, digits=digits, where={"metric": metric}, judged=True)
        for metric, (head, digits, _) in SIZES.items()
    ]
    said = counting(row for row in data if row["reading"] == first)
    return Sheet.of(
        job,
        "context sizes of DILCA_RR",
        "Number of attributes; mean and population standard deviation, over the attributes, of "
        f"the number of attributes in the context. Under the {first} reading, {said}.",
        [
            Column("dataset", "Data set", text=True, of="printed_name"),
            *(
                Column(f"{PAPER}.{one.key}", one.head, "printed", of="printed", where=one.where)
                for one in heads
            ),
            *grouped("reading", groups, heads),
        ],
        data,
        by=["dataset"],
        legend=[
            MARK_LEGEND,
            *(
                f"{groups[reading]}: the {reading} reading; "
                f"{CONTEXT_WORDS[job.choice('dilca.context', reading)]}."
                for reading in readings
            ),
            "Numeric attributes are discretised with the class labels, as in the paper. "
            "Brackets: lowest and highest number over random samples or generated tables; the "
            "number is their mean.",
            *reasons(cells, data),
        ],
        data_columns=[
            *("dataset", "printed_name", "method", "metric", "reading", "oracle", "printed"),
            *("printed_value", "reproduced", "sd", "spread_min", "spread_max", "samples"),
            *("verdict", "difference", "reason"),
        ],
        verdicts=data,
    )


ROCK_RULES = {
    "rock_last": "above theta, merged on, named by the last object",
    "rock_merge": "at least theta, merged on, named by the first object",
    "rock_keep": "at least theta, leftovers kept, named by the first object",
}


def rock_clusters(job: Job, cells: pd.DataFrame) -> Sheet:
    """Build the table of ROCK's cluster sizes at the theta of the reported scores."""
    common = ["paper", "experiment", "status", "reason"]
    ran = job.ok("rock_clusters").drop(columns=common, errors="ignore").to_dict("records")
    chosen = [one for one in ran if one["chosen"]]
    huge = sum(float(number(one["largest_share"], 2, 100)) > 90 for one in chosen)
    columns = [
        Column("dataset", "Data set", text=True, of=lambda one: one["dataset"].replace("_", "-")),
        Column("algorithm", "rule", text=True, of=lambda one: ROCK_RULES[one["algorithm"]]),
        Column("theta", "theta", of=lambda one: setting_text(one["theta"])),
        Column("clusters", "clusters"),
        *words(sizes="sizes"),
        Column("largest_share", "largest, %", digits=2, scale=100),
        Column("small_pure", "small pure ones"),
        Column("majority_share", "largest class, %", digits=2, scale=100),
        Column("purity", "eq. (5), %", digits=2, scale=100),
        Column("inverse_purity", "inverse purity, %", digits=2, scale=100),
        Column("nmi_sqrt", "NMI", digits=4),
        Column("ari", "ARI", digits=4),
    ]
    return Sheet.of(
        job,
        "sizes at the theta that is reported",
        f"In {huge} of {len(chosen)} partitions one cluster holds more than 90 % of the objects. "
        "The theta is chosen with the class labels.",
        columns,
        ran,
        rows=pivot(columns, chosen),
        legend=["small pure ones: clusters of one class with less than 5 % of the objects."],
    )
