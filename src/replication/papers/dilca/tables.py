"""DILCA (Ienco, Pensa, Meo 2012): from records and archives to its tables and their verdicts.

One function per kind of artefact in ``config/papers/dilca.yaml``.
"""

from __future__ import annotations

import math
import statistics
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from replication.errors import UserError
from replication.papers.dilca.cells import rock_clusters as rock_clusters
from replication.papers.dilca.cells import sensitivity as sensitivity
from replication.papers.dilca.cells import text_numbers as text_numbers
from replication.papers.dilca.cells import unexplained as unexplained
from replication.papers.dilca.records import (
    FIXED,
    MARK_LEGEND,
    PAPER,
    PURITY_COLUMNS,
    SCORES,
    Picked,
    Score,
    count_clause,
    marked,
    pick_for,
    read_records,
    reasons,
)
from replication.papers.dilca.scaling import cost as cost
from replication.papers.dilca.scaling import phases as phases
from replication.papers.dilca.scaling import scalability as scalability
from replication.published import numbers
from replication.sheet import ABSENT_METHOD, NO_DATASET, Column, Job, Sheet, not_run, number
from replication.status import OK
from replication.steps import read_json, setting_text
from replication.verdicts import (
    DIFFERS,
    EXACT,
    MARKS,
    NOT_RUN,
    WITHIN_NOISE,
    Reproduced,
    equals_printed,
    parse_printed,
)

if TYPE_CHECKING:
    import numpy as np
    import pandas as pd

    from couplings.table import CategoricalTable

PURITY_WORDS = {
    "inverse": "inverse purity (for each class the objects in its largest cluster)",
    "eq5": "eq. (5) (for each cluster the objects of its largest class)",
    "matching": "one-to-one matching of clusters and classes",
}
CONTEXT_WORDS = {
    "strict": "an attribute leaves the context if a better one explains it more than the target "
    "(section 3.1)",
    "algorithm3": "an attribute leaves the context if a better one explains it at least as much "
    "as the target (Algorithm 3)",
}
SELECTION_WORDS = {
    "purity-nmi-first": "highest eq. (5) purity, then highest NMI, then the smallest value"
}


MIN_RANGE = 0.05
"""Range over sigma from which on the paper plots a curve in Fig. 12."""

# --- Figs 3-11: quality of the clusterings -----------------------------------------------------


def quality(job: Job, cells: pd.DataFrame) -> Sheet:
    """Tables of purity, NMI or ARI: Figs 3 to 11.

    Readings are those of the specification, and beside them ``fixed``: the pipeline of the first
    reading at the method's fixed setting, which needs no labels.
    """
    score, first = SCORES[job.need("score")], job.readings[0]
    data, verdicts = [], []
    for cell in numbers(cells).to_dict("records"):
        if cell["method_id"] not in job.methods:
            verdicts.append(not_run(cell, ABSENT_METHOD, reading=first))
            continue
        method = job.methods[cell["method_id"]]
        for reading in [*job.readings, *([FIXED] if method["fixed"] else [])]:
            picked = pick_for(job, cell["dataset_id"], method, reading)
            # a fixed setting changes the setting only: the rest is the first reading
            column = score.column(job, first if reading == FIXED else reading)
            row = job.judge(
                cell,
                picked.reproduced(column),
                reading=reading,
                oracle=_is_oracle(method) and reading != FIXED,
                setting=picked.setting,
                trials=len(picked.records),
            )
            verdicts.append(row)
            shown = {
                **row,
                "printed_name": cell["dataset"],
                "printed_value": float(cell["value"]),
                "label": method["label"],
                "compared": column,
            }
            if picked.records:
                shown |= _kinds(job, cell, picked)
            data.append(shown)
    return _quality_sheet(job, score, cells, data, verdicts)


def _is_oracle(method: Mapping[str, Any]) -> bool:
    return bool(method["select"] and method["select"]["oracle"])


KINDS = {
    "purity": (*PURITY_COLUMNS, "any_kind"),
    "nmi": ("nmi_arithmetic", "nmi_max"),
    "ari": (),
}
"""Columns beside the score that is compared: other indices that go by its name."""


def _kinds(job: Job, cell: Mapping[str, str], picked: Picked) -> dict[str, Any]:
    """The columns of `KINDS`; for purity, whether any of the three gives the printed digits."""
    if job.need("score") != "purity":
        return {name: picked.reproduced(name).value for name in KINDS[job.need("score")]}
    printed = parse_printed(cell["printed"])
    kinds = {kind: picked.reproduced(name).value for kind, name in PURITY_COLUMNS.items()}
    met = any(equals_printed(printed, value) for value in kinds.values())
    return {**kinds, "any_kind": "yes" if met else "no"}


def _quality_sheet(
    job: Job,
    score: Score,
    cells: pd.DataFrame,
    data: list[dict[str, Any]],
    verdicts: list[dict[str, Any]],
) -> Sheet:
    first, *others = job.readings
    columns = [Column("dataset", "Data set", text=True)]
    for name, method in job.methods.items():
        heads = [(PAPER, "printed"), (first, "ours")]
        if method["select"]:
            heads.append(("setting", next(iter(method["grid"]))))
        heads += [(reading, "text") for reading in others]
        if method["fixed"]:
            ((parameter, value),) = method["fixed"].items()
            heads.append((FIXED, f"{parameter} {setting_text(value)}"))
        columns += [Column(f"{name}.{key}", head, method["label"]) for key, head in heads]
    rows: dict[str, dict[str, str]] = {}
    for one in data:
        row = rows.setdefault(one["dataset"], {"dataset": one["printed_name"]})
        row[f"{one['method']}.{PAPER}"] = one["printed"].rstrip("%")
        row[f"{one['method']}.{one['reading']}"] = marked(one, score.digits, score.scale)
        if one["reading"] == first:
            row[f"{one['method']}.setting"] = _settings_range(one["setting"])
    labels = _listed([method["label"] for method in job.methods.values()])
    unit = " in %" if score.scale == 100 else ""
    ours = [row for row in verdicts if row["method"] in job.methods and row["reading"] == first]
    return Sheet(
        name=f"{job.paper}-{job.artefact}",
        title=f"{job.label}: {score.name} of {labels}",
        caption=(
            f"{score.name}{unit} of as many clusters as there are classes: as printed, and ours. "
            f"Under the {first} reading, {count_clause(ours)}."
        ),
        columns=columns,
        rows=list(rows.values()),
        legend=[MARK_LEGEND, *_quality_legend(job, data), *reasons(cells, verdicts)],
        data=data,
        data_columns=[
            *("dataset", "printed_name", "method", "label", "reading", "oracle", "setting"),
            *("compared", "printed", "printed_value", "reproduced", "sd", "spread_min"),
            *(
                "spread_max",
                "orders",
                "samples",
                "verdict",
                "difference",
                *KINDS[job.need("score")],
                "reason",
            ),
        ],
        verdicts=verdicts,
    )


def _listed(words: Sequence[str]) -> str:
    """Words as an enumeration."""
    return " and ".join([", ".join(words[:-1]), words[-1]] if len(words) > 1 else words)


def _settings_range(setting: str) -> str:
    """Value behind ``sigma=``; first and last if samples took different ones."""
    values = setting.partition("=")[2].split(";")
    return values[0] if len(values) == 1 else f"{values[0]}–{values[-1]}"


def _quality_legend(job: Job, data: list[dict[str, Any]]) -> list[str]:
    first, *others = job.readings
    lines = [f"ours: the {first} reading."]
    rules: dict[str, list[str]] = {}
    fixed = []
    for method in job.methods.values():
        if _is_oracle(method):
            rules.setdefault(method["select"]["rule"], []).append(next(iter(method["grid"])))
        if method["fixed"]:
            ((parameter, value),) = method["fixed"].items()
            fixed.append(f"{parameter} {setting_text(value)}")
    lines += [
        f"{_listed(parameters)}: oracle choice for the column ours, made with the class labels "
        f"({SELECTION_WORDS[rule]})."
        for rule, parameters in rules.items()
    ]
    if fixed:
        lines.append(
            f"{_listed(fixed)}: the pipeline of ours with this one setting for all data sets; "
            "needs no labels."
        )
    lines += [
        f"text: the {reading} reading, the wording of the paper taken literally; its supervised "
        "discretisation reads the class labels."
        for reading in others
    ]
    lines.append(
        "Brackets: lowest and highest number over row orders, and over random samples where the "
        "number is their mean."
    )
    if job.need("score") == "purity":
        lines.append(_purity_legend(job, data))
    return lines


def _purity_legend(job: Job, data: list[dict[str, Any]]) -> str:
    """Which purity is compared, and how many cells a choice per cell would meet."""
    first = job.readings[0]
    compared = "; ".join(
        f"{'ours' if reading == first else 'text'} is "
        f"{PURITY_WORDS[job.choice('dilca.purity', reading)]}"
        for reading in job.readings
    )
    judged = [
        one
        for one in data
        if one["reading"] == first and one["verdict"] in (EXACT, WITHIN_NOISE, DIFFERS)
    ]
    exact = sum(one["verdict"] == EXACT for one in judged)
    best = sum(one["any_kind"] == "yes" for one in judged)
    return (
        f"Purity: {compared}. If every cell could take the best of three kinds (these two, and "
        f"{PURITY_WORDS['matching']}), {best} instead of {exact} of {len(judged)} would be exact; "
        "no verdict uses this."
    )


# --- Fig. 12: sensitivity to sigma --------------------------------------------------------------

CURVES = {
    "eq5": ("purity", "Purity, eq. (5)"),
    "inverse": ("inverse_purity", "Inverse purity"),
    "nmi": ("nmi_sqrt", "NMI"),
}


def sigma_curves(job: Job, cells: pd.DataFrame) -> Sheet:
    """Purity and NMI against sigma: Fig. 12. The paper draws curves and prints no numbers."""
    (method,) = job.methods.values()
    reading = job.readings[0]
    data, rows, absent = [], [], dict(job.left_out)
    for dataset, one in job.datasets.items():
        if dataset in job.left_out:
            continue
        records = read_records(
            job.file("trials", dataset=dataset, method=method["id"], reading=reading)
        )
        if records[0]["status"] != OK:
            absent[dataset] = records[0]["reason"]
            continue
        tried = [row for row in records if row["sample"] == "0" and row["order"] == "0"]
        tried.sort(key=lambda row: float(row["setting"]))
        points = {key: [float(row[name]) for row in tried] for key, (name, _) in CURVES.items()}
        ranges = {key: max(values) - min(values) for key, values in points.items()}
        # two shares whose exact difference is the limit may differ by a last bit less
        plotted = {key: value >= MIN_RANGE - 1e-12 for key, value in ranges.items()}
        data += [
            {
                "dataset": dataset,
                "printed_name": one["printed"],
                "sigma": float(row["setting"]),
                **{key: points[key][i] for key in CURVES},
                **{f"{key}_plotted": "yes" if plotted[key] else "no" for key in CURVES},
            }
            for i, row in enumerate(tried)
        ]
        cellsof = {"dataset": one["printed"]}
        for key in CURVES:
            cellsof[f"{key}.low"] = number(min(points[key]), 4)
            cellsof[f"{key}.high"] = number(max(points[key]), 4)
            cellsof[f"{key}.range"] = number(ranges[key], 4) + (" *" if plotted[key] else "")
        rows.append(cellsof)
    caption = f"Not run: {NO_DATASET}."
    if rows:
        varying = {key: sum(row[f"{key}.range"].endswith("*") for row in rows) for key in CURVES}
        caption = (
            f"Lowest and highest score of {method['label']} over "
            f"{len({one['sigma'] for one in data})} values of sigma, in file order, {reading} "
            f"reading. Of {len(rows)} data sets {varying['eq5']} vary by {MIN_RANGE:g} or more in "
            f"purity (eq. 5), {varying['inverse']} in inverse purity, {varying['nmi']} in NMI. "
            "Picking the best sigma from such curves needs the class labels (oracle). The paper "
            "draws its curves and prints no number, so there are no verdicts."
        )
    return Sheet(
        name=f"{job.paper}-{job.artefact}",
        title=f"{job.label}: how much sigma matters",
        caption=caption,
        columns=[
            Column("dataset", "Data set", text=True),
            *(
                Column(f"{key}.{which}", which, head)
                for key, (_, head) in CURVES.items()
                for which in ("low", "high", "range")
            ),
        ],
        rows=rows,
        legend=[
            f"Star: a range of at least {MIN_RANGE:g}; by its rule the paper plots these curves.",
            *(
                f"{MARKS[NOT_RUN]} {job.datasets[dataset]['printed']}: {NOT_RUN}, {reason}."
                for dataset, reason in absent.items()
            ),
        ],
        data=data,
        data_columns=[
            *("dataset", "printed_name", "sigma", *CURVES),
            *(f"{key}_plotted" for key in CURVES),
        ],
    )


# --- Fig. 15: context sizes ---------------------------------------------------------------------


@dataclass(frozen=True)
class Contexts:
    """Context sizes of one data set.

    Attributes
    ----------
    sizes : sequence of ndarray of int64, shape (m,)
        Number of context attributes of every target, one array per table.
    absent : str
        Why there are none.
    """

    sizes: Sequence[np.ndarray] = ()
    absent: str = ""

    def reproduced(self, metric: str) -> Reproduced:
        """Value of a metric, a mean over the tables if there are several samples."""
        if not self.sizes:
            return Reproduced(None, absent=self.absent)
        measured: Callable[[np.ndarray], float] = {
            "orig_attributes": lambda sizes: float(len(sizes)),
            "mean_context_size": lambda sizes: float(sizes.mean()),
            "sd_context_size": lambda sizes: float(sizes.std()),
        }[metric]
        values = [measured(one) for one in self.sizes]
        return Reproduced(
            statistics.fmean(values),
            sd=statistics.stdev(values) if len(values) > 1 else None,
            runs=len(values),
            spread=(min(values), max(values)),
        )


SIZES = {
    "orig_attributes": ("attributes", 0),
    "mean_context_size": ("mean", 2),
    "sd_context_size": ("sd", 2),
}


def context_sizes(job: Job, cells: pd.DataFrame) -> Sheet:
    """Mean number of context attributes of DILCA_RR, with the population sd: Fig. 15."""
    shown = {one.get("reading") for one in job.inputs}
    readings = [name for name in job.readings if name in shown] or job.readings[:1]
    contexts: dict[tuple[str, str], Contexts] = {}
    data, verdicts = [], []
    for cell in numbers(cells).to_dict("records"):
        dataset, absent = cell["dataset_id"], job.missing(cell["dataset_id"])
        for reading in readings:
            key = (dataset, reading)
            if key not in contexts:
                contexts[key] = (
                    Contexts(absent=absent)
                    if absent
                    else read_contexts(job.file("similarity", dataset=dataset, reading=reading))
                )
            row = job.judge(cell, contexts[key].reproduced(cell["metric"]), reading=reading)
            verdicts.append(row)
            data.append(
                {
                    **row,
                    "printed_name": cell["dataset"],
                    "printed_value": float(cell["value"]),
                }
            )
    first, *others = readings
    rows: dict[str, dict[str, str]] = {}
    for one in data:
        row = rows.setdefault(one["dataset"], {"dataset": one["printed_name"]})
        row[f"{PAPER}.{one['metric']}"] = one["printed"]
        row[f"{one['reading']}.{one['metric']}"] = marked(one, SIZES[one["metric"]][1])
    groups = {PAPER: "printed", first: "ours"} | dict.fromkeys(others, "text")
    counted = count_clause(row for row in verdicts if row["reading"] == first)
    return Sheet(
        name=f"{job.paper}-{job.artefact}",
        title=f"{job.label}: context sizes of DILCA_RR",
        caption=(
            "Number of attributes; mean and population standard deviation, over the attributes, of "
            f"the number of attributes in the context. Under the {first} reading, {counted}."
        ),
        columns=[
            Column("dataset", "Data set", text=True),
            *(
                Column(f"{group}.{metric}", head, label)
                for group, label in groups.items()
                for metric, (head, _) in SIZES.items()
            ),
        ],
        rows=list(rows.values()),
        legend=[
            MARK_LEGEND,
            *(
                f"{'ours' if reading == first else 'text'}: the {reading} reading; "
                f"{CONTEXT_WORDS[job.choice('dilca.context', reading)]}."
                for reading in readings
            ),
            "Numeric attributes are cut with the class labels (oracle), as the paper does here. "
            "Brackets: lowest and highest number over random samples, the number is their mean.",
            *reasons(cells, verdicts),
        ],
        data=data,
        data_columns=[
            *("dataset", "printed_name", "method", "metric", "reading", "printed"),
            *("printed_value", "reproduced", "sd", "spread_min", "spread_max", "samples"),
            *("verdict", "difference", "reason"),
        ],
        verdicts=verdicts,
    )


def read_contexts(path: Path) -> Contexts:
    """Context sizes from an archive of the step `similarity`.

    Raises
    ------
    UserError
        If the measure chooses no context.
    """
    from replication.store import read_similarity

    archive = read_similarity(path)
    if archive.facts["status"] != OK:
        return Contexts(absent=archive.facts["reason"])
    if archive.contexts is None:
        raise UserError(f"{path}: measure {archive.facts['measure']!r} chooses no context")
    return Contexts([settings[0].sum(axis=1) for settings in archive.contexts])


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
    values : mapping of str to int
        Number of values by rule, see `VALUE_RULES`.
    absent : str
        Why nothing was counted.
    """

    objects: int = 0
    attributes: int = 0
    labels: Sequence[str] = ()
    values: Mapping[str, int] | None = None
    absent: str = ""

    def number(self, metric: str, classes: str) -> int:
        """Objects, attributes or classes; `classes` is the choice of ``dilca.postop_classes``."""
        if metric == "classes":
            return len({label.strip() if classes == "3" else label for label in self.labels})
        return {"instances": self.objects, "features": self.attributes}[metric]


def read_counts(job: Job, dataset: str) -> Counts:
    """Counts from the facts of `prepare` and the two preparations of the artefact."""
    from replication.store import read_tables

    facts = read_json(job.file("facts", dataset=dataset))
    if facts["status"] != OK:
        return Counts(absent=facts["reason"])
    plain, mdl = (
        read_tables(job.file("tables", dataset=dataset, preparation=preparation))
        for preparation in job.need("preparations")
    )
    table, labels = plain.tables[0], plain.facts["classes"]
    occurring = sum(len(set(column)) for column in table.codes.T.tolist())
    values = {
        "values_observed": occurring,
        # counted before imputation and discretisation
        "values_with_missing": facts["values_with_missing"],
        "values_declared": int(table.n_values.sum()),
        "values_mdl": int(mdl.tables[0].n_values.sum()),
    }
    values["values_with_classes"] = values["values_observed"] + len(labels)
    for rule in ("values_declared", "values_mdl"):
        values[f"{rule}_with_classes"] = values[rule] + len(labels)
    # the rows that are clustered are fewer than the prepared ones where the paper took a sample
    return Counts(len(plain.labels[0]), facts["attributes"], labels, values)


def dataset_characteristics(job: Job, cells: pd.DataFrame) -> Sheet:
    """Counts of objects, attributes, values and classes: Fig. 2.

    No rule of counting values fits every row of the paper. The table lists which of the rules
    give the printed number; the verdict belongs to the rule that the configuration names for the
    data set (``reachable``, chosen after the fact), or else to the values that occur.
    """
    first = job.readings[0]
    kinds = cells[cells["metric"] == "type"].set_index("dataset_id")["printed"].to_dict()
    counted = {
        name: Counts(absent=job.missing(name)) if job.missing(name) else read_counts(job, name)
        for name in dict.fromkeys(cells["dataset_id"])
    }
    data, verdicts = [], []
    rows: dict[str, dict[str, str]] = {}
    for cell in numbers(cells).to_dict("records"):
        dataset, metric = cell["dataset_id"], cell["metric"]
        counts = counted[dataset]
        row = rows.setdefault(dataset, {"dataset": cell["dataset"], "type": kinds.get(dataset, "")})
        row[f"{metric}.printed"] = cell["printed"]
        rules = ""
        if metric == "values" and counts.values is not None:
            target = int(parse_printed(cell["printed"]).value)
            rules = "; ".join(
                words for rule, words in VALUE_RULES.items() if counts.values[rule] == target
            )
            row["rules"] = rules or "none"
        for reading in job.readings if metric == "classes" else [first]:
            value, reason = _characteristic(job, dataset, metric, counts, reading)
            judged = job.judge(
                cell,
                Reproduced(value, absent=counts.absent),
                reading=reading,
                reason=reason,
            )
            verdicts.append(judged)
            data.append({**judged, "printed_name": cell["dataset"], "rules": rules})
            if reading == first:
                row[f"{metric}.ours"] = f"{number(value, 0)} {MARKS[judged['verdict']]}".strip()
    said = count_clause(row for row in verdicts if row["reading"] == first)
    return Sheet(
        name=f"{job.paper}-{job.artefact}",
        title=f"{job.label}: characteristics of the data sets",
        caption=(
            f"Printed counts, and ours. Under the {first} reading, {said}. No single rule of "
            "counting values gives every printed number; the last column lists those that give "
            "this one."
        ),
        columns=[
            Column("dataset", "Data set", text=True),
            Column("type", "type", text=True),
            *(
                Column(f"{metric}.{which}", which, head)
                for metric, head in CHARACTERISTICS.items()
                for which in ("printed", "ours")
            ),
            Column("rules", "rules that give the printed values", text=True),
        ],
        rows=list(rows.values()),
        legend=[
            MARK_LEGEND,
            "values: counted by the rule that the configuration names for the data set, chosen "
            "after the fact; without one, values that occur.",
            "Rules: occurring, values that occur, numeric attributes in ten bins; + missing, "
            "before imputation, missing is one more value, numbers as they stand; declared, all "
            "declared values, numeric attributes in ten bins; MDL, the same with numeric "
            "attributes cut by the class labels; + classes, and one per class.",
            *reasons(cells, verdicts),
        ],
        data=data,
        data_columns=[
            *("dataset", "printed_name", "metric", "reading", "printed", "reproduced"),
            *("verdict", "difference", "rules", "reason"),
        ],
        verdicts=verdicts,
    )


def _characteristic(
    job: Job, dataset: str, metric: str, counts: Counts, reading: str
) -> tuple[float | None, str]:
    """Count of one cell, and what is to be said about the way of counting."""
    if counts.values is None:
        return None, ""
    if metric != "values":
        return float(counts.number(metric, job.choice("dilca.postop_classes", reading))), ""
    named = [rule for rule in job.datasets[dataset].get("reachable", {}) if rule in VALUE_RULES]
    rule = named[0] if named else "values_observed"
    origin = "rule chosen after the fact" if named else "no rule is named for this data set"
    return float(counts.values[rule]), f"counted: {VALUE_RULES[rule]} ({origin})"


# --- Fig. 1: the worked example -----------------------------------------------------------------


def worked_example(job: Job, cells: pd.DataFrame) -> Sheet:
    """Counts of the example, and the distances between its cities by eq. (1): Fig. 1."""
    from replication.store import read_similarity, read_tables

    first = job.readings[0]
    (dataset,) = job.datasets
    if absent := job.missing(dataset):
        raise UserError(f"{job.paper}/{job.artefact} needs the data set {dataset!r}: {absent}")
    table = read_tables(job.file("tables", dataset=dataset)).tables[0]
    similarity = read_similarity(job.file("similarity", dataset=dataset))
    names = [name.lower() for name in table.attributes]
    sex, city = names.index("sex"), names.index("city")
    data, verdicts, rows = [], [], []
    for cell in numbers(cells).to_dict("records"):
        place = cell["metric"].removeprefix("count(").removesuffix(")")
        count = _count(table, {sex: cell["method"], city: place})
        judged = job.judge(cell, Reproduced(float(count)), reading=first)
        quantity = f"objects: {cell['method']}, {place}"
        verdicts.append(judged)
        data.append({**judged, "quantity": quantity})
        ours = f"{count} {MARKS[judged['verdict']]}"
        rows.append({"quantity": quantity, "printed": cell["printed"], "ours": ours})
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
    for distance, quantity in between:
        data.append({"quantity": quantity, "reading": first, "reproduced": distance})
        rows.append({"quantity": quantity, "ours": number(distance, 6)})
    ((parameter, (value,)),) = job.need("grid").items()
    return Sheet(
        name=f"{job.paper}-{job.artefact}",
        title=f"{job.label}: the worked example",
        caption=(
            "Objects of each sex in each city, and distances between the cities by eq. (1), "
            f"{parameter} {setting_text(value)}: {' < '.join(name for _, name in between)}. "
            f"Of the counts, {count_clause(verdicts)}."
        ),
        columns=[
            Column("quantity", "Quantity", text=True),
            Column("printed", "printed"),
            Column("ours", "ours"),
        ],
        rows=rows,
        legend=[MARK_LEGEND, "The paper does not print the distances."],
        data=data,
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
