"""Tables of DILCA's data: what is counted in Fig. 2, and the worked example of Fig. 1."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from replication.errors import UserError
from replication.files import read_json
from replication.judge.cells import Ours, counting, reasons
from replication.judge.verdicts import Reproduced, parse_printed
from replication.papers.dilca.records import MARK_LEGEND, over_samples
from replication.show.job import Job
from replication.show.kinds import beside
from replication.show.sheet import Cell, Column, Sheet, judged_cell
from replication.steps import OK, setting_text

if TYPE_CHECKING:
    import pandas as pd

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


@dataclass(frozen=True)
class Counts:
    """Counts of one data set.

    Attributes
    ----------
    objects, attributes : int
        Size of the table that is clustered.
    labels : sequence of str
        Class labels as they stand in the file.
    values : mapping of str to list of int
        Number of values by rule, see `VALUE_RULES`; one number per random sample.
    label_cuts : sequence of str
        Attributes that MDL cuts with the class labels.
    absent : str
        Why nothing was counted.
    """

    objects: int = 0
    attributes: int = 0
    labels: Sequence[str] = ()
    values: Mapping[str, list[int]] = field(default_factory=dict)
    label_cuts: Sequence[str] = ()
    absent: str = ""

    def number(self, metric: str, classes: str) -> int:
        """Objects, attributes or classes; `classes` is the choice of ``dilca.postop_classes``."""
        if metric == "classes":
            return len({label.strip() if classes == "3" else label for label in self.labels})
        return {"instances": self.objects, "features": self.attributes}[metric]


def read_counts(job: Job, dataset: str) -> Counts:
    """Counts from the facts of `prepare` and the two preparations of the artefact."""
    from replication.data.store import read_tables

    facts = read_json(job.file("facts", dataset=dataset))
    if facts["status"] != OK:
        return Counts(absent=facts["reason"])
    plain, mdl = (
        read_tables(job.file("tables", dataset=dataset, preparation=preparation))
        for preparation in job.need("preparations")
    )
    labels = plain.facts["classes"]
    values = {
        "values_observed": [
            sum(len(set(column)) for column in table.codes.T.tolist()) for table in plain.tables
        ],
        # counted before imputation and discretisation, and before a sample is drawn
        "values_with_missing": [facts["values_with_missing"]] * len(plain.tables),
        "values_declared": [int(table.n_values.sum()) for table in plain.tables],
        "values_mdl": [int(table.n_values.sum()) for table in mdl.tables],
    }
    for rule, name in (
        ("values_observed", "values_with_classes"),
        ("values_declared", "values_declared_with_classes"),
        ("values_mdl", "values_mdl_with_classes"),
    ):
        values[name] = [count + len(labels) for count in values[rule]]
    # the rows that are clustered are fewer than the prepared ones where the paper took a sample
    objects = len(plain.labels[0])
    return Counts(objects, facts["attributes"], labels, values, mdl.facts["label_cuts"])


def dataset_characteristics(job: Job, cells: pd.DataFrame) -> Sheet:
    """Counts of objects, attributes, values and classes: Fig. 2.

    No rule of counting values fits every row of the paper. The table lists which of the rules
    give the printed number; the verdict belongs to the rule that the configuration names for the
    data set (``reachable``, chosen after the fact); where it names none, to MDL if there are
    numeric attributes, or else to the values that occur. Of random samples the range is judged.
    """
    first = job.readings[0]
    kinds = cells[cells["metric"] == "type"].set_index("dataset_id")["printed"].to_dict()
    counted = {
        name: Counts(absent=job.missing(name)) if job.missing(name) else read_counts(job, name)
        for name in dict.fromkeys(cells["dataset_id"])
    }

    def ours(cell: Mapping[str, str], reading: str) -> Ours:
        dataset, metric = cell["dataset_id"], cell["metric"]
        counts = counted[dataset]
        values, oracle, reason = _characteristic(job, dataset, metric, counts, reading)
        rules = _rules(cell, counts) if metric == "values" and counts.values else None
        more = {"rules": "; ".join(rules or ()), "type": kinds.get(dataset, "")}
        return Ours(values, oracle, reason=reason, more=more | {"counted": rules is not None})

    data = job.judged(
        cells, ours, lambda cell: job.readings if cell["metric"] == "classes" else [first]
    )
    said = counting(row for row in data if row["reading"] == first)
    return Sheet.of(
        job,
        "characteristics of the data sets",
        f"Printed counts, and ours. Under the {first} reading, {said}. No single rule of "
        "counting values gives every printed number; the last column lists those that give "
        "this one.",
        [
            Column("dataset", "Data set", text=True, of="printed_name"),
            Column("type", "type", text=True),
            *(
                column
                for metric, head in CHARACTERISTICS.items()
                for column in beside(
                    metric, head, digits=0, where={"metric": metric}, ours={"reading": first}
                )
            ),
            Column(
                "rules",
                "rules that give the printed values",
                text=True,
                of=lambda one: one["rules"] or "none",
                where={"counted": True},
            ),
        ],
        data,
        by=["dataset"],
        legend=[
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
        verdicts=data,
    )


def _rules(cell: Mapping[str, str], counts: Counts) -> list[str]:
    """Ways to count values that give the printed number."""
    target = int(parse_printed(cell["printed"]).value)
    return [
        words
        for rule, words in VALUE_RULES.items()
        if min(counts.values[rule]) <= target <= max(counts.values[rule])
    ]


def _characteristic(
    job: Job, dataset: str, metric: str, counts: Counts, reading: str
) -> tuple[Reproduced, bool, str]:
    """Count of one cell, whether it rests on class labels, and what to say about counting."""
    if not counts.values:
        return Reproduced(None, absent=counts.absent), False, ""
    if metric != "values":
        count = counts.number(metric, job.choice("dilca.postop_classes", reading))
        return Reproduced(float(count)), False, ""
    named = [rule for rule in job.datasets[dataset].get("reachable", {}) if rule in VALUE_RULES]
    rule = "values_mdl" if counts.label_cuts else "values_observed"
    origin = "no rule is named for this data set"
    if named:
        rule, origin = named[0], "rule chosen after the fact"
    found = counts.values[rule]
    values = over_samples([float(count) for count in found])
    oracle = rule.startswith("values_mdl") and bool(counts.label_cuts)
    return values, oracle, f"counted: {VALUE_RULES[rule]} ({origin})"


# --- Fig. 1: the worked example -----------------------------------------------------------------


def worked_example(job: Job, cells: pd.DataFrame) -> Sheet:
    """Counts of the example, and the distances between its cities by eq. (1): Fig. 1."""
    from replication.data.store import read_similarity, read_tables

    first = job.readings[0]
    (dataset,) = job.datasets
    if absent := job.missing(dataset):
        raise UserError(f"{job.paper}/{job.artefact} needs the data set {dataset!r}: {absent}")
    table = read_tables(job.file("tables", dataset=dataset)).tables[0]
    similarity = read_similarity(job.file("similarity", dataset=dataset))
    names = [name.lower() for name in table.attributes]
    sex, city = names.index("sex"), names.index("city")

    def ours(cell: Mapping[str, str], reading: str) -> Ours:
        place = cell["metric"].removeprefix("count(").removesuffix(")")
        count = _count(table, {sex: cell["method"], city: place})
        more = {"quantity": f"objects: {cell['method']}, {place}"}
        return Ours(Reproduced(float(count)), more=more)

    verdicts = job.judged(cells, ours, [first])
    cities = table.categories[city]
    space = similarity.spaces[0][0]
    matrix = space.matrices.block(city)
    between = sorted(
        # objects are compared by the root of a sum of squares: the matrices hold squares
        (
            math.sqrt(matrix[i, j]) if space.link == "rss" else float(matrix[i, j]),
            f"d({cities[i]}, {cities[j]})",
        )
        for i in range(len(cities))
        for j in range(i + 1, len(cities))
    )
    distances = [
        {"quantity": quantity, "reading": first, "reproduced": distance}
        for distance, quantity in between
    ]
    ((parameter, (value,)),) = job.need("grid").items()
    return Sheet.of(
        job,
        "the worked example",
        "Objects of each sex in each city, and distances between the cities by eq. (1), "
        f"{parameter} {setting_text(value)}: {' < '.join(name for _, name in between)}. "
        f"Of the counts, {counting(verdicts)}.",
        [
            Column("quantity", "Quantity", text=True),
            Column("printed", "printed"),
            Column(
                "ours",
                "ours",
                of=lambda one: (
                    judged_cell(one, 0) if "verdict" in one else Cell(one["reproduced"], 6)
                ),
            ),
        ],
        [*verdicts, *distances],
        legend=[MARK_LEGEND, "The paper does not print the distances."],
        data_columns=[
            *("quantity", "reading", "printed", "reproduced", "verdict", "difference", "reason"),
        ],
        verdicts=verdicts,
    )


def _count(table: CategoricalTable, wanted: Mapping[int, str]) -> int:
    """Number of objects with the given values, by position of the attribute."""
    hits = True
    for j, value in wanted.items():
        hits = hits & (table.codes[:, j] == table.categories[j].index(value))
    return int(hits.sum())
