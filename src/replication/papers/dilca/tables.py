"""DILCA (Ienco, Pensa, Meo 2012): from records and archives to its tables and their verdicts.

One function per kind of artefact in ``config/papers/dilca.yaml``.
"""

from __future__ import annotations

import statistics
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from replication.errors import UserError
from replication.judge.cells import ABSENT_METHOD, NO_DATASET, not_run
from replication.judge.published import numbers
from replication.judge.verdicts import (
    DIFFERS,
    EXACT,
    MARKS,
    NOT_RUN,
    WITHIN_NOISE,
    Reproduced,
    equals_printed,
    parse_printed,
)
from replication.papers.dilca.cells import rock_clusters as rock_clusters
from replication.papers.dilca.cells import sensitivity as sensitivity
from replication.papers.dilca.cells import text_numbers as text_numbers
from replication.papers.dilca.cells import unexplained as unexplained
from replication.papers.dilca.characteristics import (
    dataset_characteristics as dataset_characteristics,
)
from replication.papers.dilca.characteristics import worked_example as worked_example
from replication.papers.dilca.preparations import preparations as preparations
from replication.papers.dilca.records import (
    FIXED,
    MARK_LEGEND,
    PAPER,
    PURITY_COLUMNS,
    SCORES,
    Picked,
    Score,
    against_first,
    count_clause,
    is_oracle,
    marked,
    other_ways,
    pick_for,
    read_records,
    reasons,
)
from replication.papers.dilca.scaling import cost as cost
from replication.papers.dilca.scaling import phases as phases
from replication.papers.dilca.scaling import scalability as scalability
from replication.show.job import Job
from replication.show.sheet import Column, Sheet, number
from replication.steps import OK, setting_text

if TYPE_CHECKING:
    import numpy as np
    import pandas as pd


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


BESIDE_WORDS = {
    "at_least": (
        "≥ theta",
        "ROCK's own paper defines neighbours, a similarity of exactly theta being enough, and with "
        "a merged cluster in the place of the earlier one",
    ),
}
"""Heading and meaning of the readings that single methods have besides."""

MIN_RANGE = 0.05
"""Range over sigma from which on the paper plots a curve in Fig. 12."""

# --- Figs 3-11: quality of the clusterings -----------------------------------------------------


def quality(job: Job, cells: pd.DataFrame) -> Sheet:
    """Tables of purity, NMI or ARI: Figs 3 to 11.

    Readings are those of the specification, the pipelines that the configuration sets beside
    them, and ``fixed``: the pipeline of the first reading at the method's fixed setting, which is
    chosen without labels.
    """
    score, first = SCORES[job.need("score")], job.readings[0]
    data, verdicts = [], []
    for cell in numbers(cells).to_dict("records"):
        if cell["method_id"] not in job.methods:
            verdicts.append(not_run(cell, ABSENT_METHOD, reading=first))
            continue
        method = job.methods[cell["method_id"]]
        verdict = ""
        for reading in _readings(job, method):
            picked = pick_for(job, cell["dataset_id"], method, reading)
            # what is beside the readings is compared as the first one is
            column = score.column(job, reading if reading in job.readings else first)
            judge = partial(
                job.judge,
                cell,
                picked.reproduced(column),
                reading=reading,
                oracle=(is_oracle(method) and reading != FIXED) or bool(picked.label_cuts),
                setting=picked.setting,
                trials=len(picked.records),
                possible=picked.possible(score),
            )
            row = judge()
            if row["verdict"] == DIFFERS:
                ways = other_ways(job, cell, picked, reading)
                if reading != first:
                    ways.append(against_first(first, verdict))
                row = judge(reason="; ".join(filter(None, ways)))
            verdict = row["verdict"] if reading == first else verdict
            verdicts.append(row)
            shown = {
                **row,
                "printed_name": cell["dataset"],
                "printed_value": float(cell["value"]),
                "label": method["label"],
                "compared": column,
                "label_cuts": picked.label_cuts,
            }
            if picked.records:
                shown |= _kinds(job, cell, picked)
            data.append(shown)
    return _quality_sheet(job, score, cells, data, verdicts)


def _readings(job: Job, method: Mapping[str, Any]) -> list[str]:
    """Readings of a method, the first one in front."""
    return [*job.readings, *method.get("beside", ()), *([FIXED] if method["fixed"] else [])]


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
        heads += [(reading, BESIDE_WORDS[reading][0]) for reading in method.get("beside", ())]
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
            *("dataset", "printed_name", "method", "label", "reading", "oracle", "label_cuts"),
            *("setting", "compared", "printed", "printed_value", "reproduced", "sd", "spread_min"),
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
        if is_oracle(method):
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
            f"{_listed(fixed)}: the pipeline of ours with this one setting for all data sets, "
            "chosen without labels."
        )
    lines += [
        f"{BESIDE_WORDS[reading][0]}: {method['label']} as {BESIDE_WORDS[reading][1]}."
        for method in job.methods.values()
        for reading in method.get("beside", ())
    ]
    lines += [
        f"text: the {reading} reading, the wording of the paper taken literally; numeric "
        "attributes are cut with the class labels."
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

CURVES = {"eq5": "Purity, eq. (5)", "inverse": "Inverse purity", "nmi": "NMI"}


def _curve_columns(job: Job) -> dict[str, str]:
    """Columns of the records behind the curves."""
    nmi = SCORES["nmi"].column(job, job.readings[0])
    return {"eq5": "purity", "inverse": "inverse_purity", "nmi": nmi}


def sigma_curves(job: Job, cells: pd.DataFrame) -> Sheet:
    """Purity and NMI against sigma: Fig. 12. The paper draws curves and prints no numbers."""
    (method,) = job.methods.values()
    reading, columns = job.readings[0], _curve_columns(job)
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
        points = {key: [float(row[name]) for row in tried] for key, name in columns.items()}
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
                for key, head in CURVES.items()
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
    label_cuts : sequence of str
        Attributes that were cut with the class labels.
    """

    sizes: Sequence[np.ndarray] = ()
    absent: str = ""
    label_cuts: Sequence[str] = ()

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
            sampled=len(values) > 1,
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
            judge = partial(
                job.judge,
                cell,
                contexts[key].reproduced(cell["metric"]),
                reading=reading,
                oracle=bool(contexts[key].label_cuts) and cell["metric"] != "orig_attributes",
            )
            row = judge()
            if reading == readings[0]:
                first_verdict = row["verdict"]
            elif row["verdict"] == DIFFERS:
                row = judge(reason=against_first(readings[0], first_verdict))
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
            *("dataset", "printed_name", "method", "metric", "reading", "oracle", "printed"),
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
    from replication.data.store import read_similarity

    archive = read_similarity(path)
    if archive.facts["status"] != OK:
        return Contexts(absent=archive.facts["reason"])
    if archive.contexts is None:
        raise UserError(f"{path}: measure {archive.facts['measure']!r} chooses no context")
    return Contexts(
        [settings[0].sum(axis=1) for settings in archive.contexts],
        label_cuts=archive.facts["label_cuts"],
    )
