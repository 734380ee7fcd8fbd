"""DILCA (Ienco, Pensa, Meo 2012): from records and archives to its tables and their verdicts.

One function per kind of artefact in ``config/papers/dilca.yaml``; `build` picks the one.
"""

from __future__ import annotations

import csv
import statistics
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from replication.errors import UserError
from replication.papers import (
    ABSENT_DATASET,
    ABSENT_METHOD,
    Column,
    Job,
    Sheet,
    not_run,
    number,
    tally,
)
from replication.published import numbers
from replication.selection import select
from replication.steps import read_json, setting_text
from replication.store import OK, read_similarity, read_tables
from replication.verdicts import (
    DIFFERS,
    EXACT,
    MARKS,
    NOT_COMPARABLE,
    NOT_RUN,
    WITHIN_NOISE,
    Reproduced,
    equals_printed,
    parse_printed,
)

if TYPE_CHECKING:
    import numpy as np
    import pandas as pd

FIXED = "fixed"
PURITY_KINDS = {"inverse": "inverse_purity", "eq5": "purity", "matching": "accuracy"}
SCORE_COLUMNS = {
    "purity": ("dilca.purity", PURITY_KINDS),
    "nmi": ("dilca.nmi", {"sqrt": "nmi_sqrt"}),
    "ari": (None, {None: "ari"}),
}
SCORE_NAMES = {"purity": "Purity", "nmi": "Normalised mutual information", "ari": "Adjusted Rand index"}
SCORE_UNITS = {"purity": ("%", 2, 100), "nmi": ("", 4, 1), "ari": ("", 4, 1)}
MIN_RANGE = 0.05
"""Range over sigma from which on the paper plots a curve in Fig. 12."""

MARK_LEGEND = (
    "Marks: = the printed digits, rounded or truncated; ~ printed number within the range over "
    "row orders or samples; ≠ differs; – not comparable; ∅ not run."
)


def build(job: Job, cells: pd.DataFrame) -> Sheet:
    """Build one artefact.

    Parameters
    ----------
    job : Job
        Specification of the step; ``entry.kind`` names the kind.
    cells : DataFrame
        Printed cells of the paper.

    Raises
    ------
    UserError
        If the kind is unknown or an input is missing.
    """
    kind = job.entry["kind"]
    if kind not in KINDS:
        raise UserError(f"{job.paper}/{job.artefact}: unknown kind {kind!r}: {', '.join(KINDS)}")
    return KINDS[kind](job, cells[cells["artefact"] == job.artefact])


# --- Figs 3-11: quality of the clusterings -----------------------------------------------------


@dataclass(frozen=True)
class Picked:
    """Records of one data set, method and reading, at one parameter setting per sample.

    Attributes
    ----------
    records : list of dict
        Clusterings at the setting, over samples and row orders.
    setting : str
        Such as ``sigma=0.4``; ``sigma=0.1;0.4`` if samples took different ones; may be empty.
    absent : str
        Why there are no records.
    """

    records: list[dict[str, str]]
    setting: str = ""
    absent: str = ""

    def reproduced(self, column: str) -> Reproduced:
        """Numbers of one score column: file order is the value, row orders are the spread."""
        if not self.records:
            return Reproduced(None, absent=self.absent)
        first = [float(row[column]) for row in self.records if row["order"] == "0"]
        every = [float(row[column]) for row in self.records]
        return Reproduced(
            statistics.fmean(first) if len(first) > 1 else first[0],
            sd=statistics.stdev(first) if len(first) > 1 else None,
            runs=len(first),
            spread=(min(every), max(every)),
            orders=len({row["order"] for row in self.records}),
        )


def pick(
    records: Sequence[dict[str, str]],
    rule: str | None = None,
    fixed: Mapping[str, float] | None = None,
) -> Picked:
    """Choose the parameter setting of every sample.

    Parameters
    ----------
    records : sequence of dict
        Records of the step `trials` for one data set, method and reading.
    rule : str or None
        Rule of `replication.selection`, applied to every sample in file order.
    fixed : mapping or None
        Parameter and value to take instead.

    Raises
    ------
    UserError
        If several settings were run and neither `rule` nor `fixed` decides, or `fixed` was not run.
    """
    if records[0]["status"] != OK:
        return Picked([], absent=records[0]["reason"])
    parameter = records[0]["parameter"]
    chosen: dict[str, str] = {}
    for sample in dict.fromkeys(row["sample"] for row in records):
        tried = [row for row in records if row["sample"] == sample and row["order"] == "0"]
        if fixed is not None:
            chosen[sample] = setting_text(next(iter(fixed.values())))
        elif rule is not None:
            chosen[sample] = _best(tried, rule)
        else:
            chosen[sample] = tried[0]["setting"]
            if len(tried) > 1:
                raise UserError(
                    f"{len(tried)} settings of {parameter} were run on {tried[0]['dataset']}, and "
                    "no rule selects one; add `select` to the method"
                )
        if chosen[sample] not in {row["setting"] for row in tried}:
            raise UserError(
                f"{parameter} {chosen[sample]} was not run on {tried[0]['dataset']}; "
                "add it to the grid of the method"
            )
    kept = [row for row in records if row["setting"] == chosen[row["sample"]]]
    settings = sorted(set(chosen.values()))
    return Picked(kept, f"{parameter}={';'.join(settings)}" if parameter else "")


def _best(tried: Sequence[dict[str, str]], rule: str) -> str:
    scores = {
        name: [float(row[name]) for row in tried]
        for name in ("purity", "inverse_purity", "accuracy", "nmi_sqrt", "ari")
    }
    return setting_text(select([float(row["setting"]) for row in tried], scores, rule))


def read_records(path: Path) -> list[dict[str, str]]:
    """Records of the step `trials`, every cell a text.

    Raises
    ------
    UserError
        If the file holds no record.
    """
    with Path(path).open(encoding="utf-8", newline="") as stream:
        records = list(csv.DictReader(stream))
    if not records:
        raise UserError(f"{path}: no records; delete the file and run again")
    return records


def quality(job: Job, cells: pd.DataFrame) -> Sheet:
    """Tables of purity, NMI or ARI: Figs 3 to 11.

    Readings are those of the specification, and beside them ``fixed``: the pipeline of the first
    reading at the method's fixed setting, which needs no labels.
    """
    score = job.entry["score"]
    methods = {name: job.need("methods")[name] for name in job.entry["methods"]}
    known = {one["id"] for one in job.datasets}
    data, verdicts = [], []
    for cell in numbers(cells).to_dict("records"):
        method, dataset = cell["method_id"], cell["dataset_id"]
        first = job.need("readings")[0]
        if method not in methods:
            verdicts.append(not_run(cell, ABSENT_METHOD, reading=first))
            continue
        for reading in _readings(job, methods[method]):
            if dataset in job.left_out:
                picked = Picked([], absent=job.left_out[dataset])
            elif dataset not in known:
                picked = Picked([], absent=ABSENT_DATASET)
            else:
                picked = _picked(job, dataset, method, reading)
            # a fixed setting changes the setting only: the rest is the first reading
            column = _score_column(job, score, first if reading == FIXED else reading)
            values = picked.reproduced(column)
            oracle = reading != FIXED and methods[method].get("select", {}).get("oracle", False)
            row = job.judge(
                cell,
                values,
                reading=reading,
                oracle=oracle,
                setting=picked.setting,
                trials=len(picked.records),
            )
            verdicts.append(row)
            data.append(_quality_data(cell, row, picked, column, methods[method]["label"], score))
    return _quality_sheet(job, methods, score, data, verdicts)


def _readings(job: Job, method: Mapping[str, Any]) -> list[str]:
    return [*job.need("readings"), *([FIXED] if method.get("fixed") else [])]


def _picked(job: Job, dataset: str, method: str, reading: str) -> Picked:
    entry = job.need("methods")[method]
    source = job.need("readings")[0] if reading == FIXED else reading
    records = read_records(job.file("trials", dataset=dataset, method=method, reading=source))
    if reading == FIXED:
        return pick(records, fixed=entry["fixed"])
    return pick(records, rule=entry["select"]["rule"] if entry.get("select") else None)


def _score_column(job: Job, score: str, reading: str) -> str:
    reading_id, columns = SCORE_COLUMNS[score]
    choice = job.choice(reading_id, reading) if reading_id else None
    return columns[choice]


def _quality_data(
    cell: Mapping[str, str],
    row: Mapping[str, Any],
    picked: Picked,
    column: str,
    label: str,
    score: str,
) -> dict[str, Any]:
    names = (
        "method", "reading", "oracle", "setting", "reproduced", "sd", "spread_min", "spread_max",
        "orders", "samples", "verdict", "difference", "reason",
    )  # fmt: skip
    data = {
        "dataset": row["dataset"],
        "printed_name": cell["dataset"],
        "label": label,
        "compared": column,
        "printed": cell["printed"],
        "printed_value": float(cell["value"]),
        **{name: row[name] for name in names},
    }
    if score == "purity" and picked.records:
        printed = parse_printed(cell["printed"])
        kinds = {kind: picked.reproduced(name).value for kind, name in PURITY_KINDS.items()}
        met = any(equals_printed(printed, value) for value in kinds.values())
        data |= kinds | {"any_kind": "yes" if met else "no"}
    return data


def _quality_sheet(
    job: Job,
    methods: Mapping[str, Any],
    score: str,
    data: list[dict[str, Any]],
    verdicts: list[dict[str, Any]],
) -> Sheet:
    unit, digits, scale = SCORE_UNITS[score]
    first, *others = job.need("readings")
    columns = [Column("dataset", "Data set", text=True)]
    for name, method in methods.items():
        heads = [("printed", "printed"), (first, "ours")]
        if method.get("select"):
            (parameter,) = method["grid"]
            heads.append(("setting", parameter))
        heads += [(reading, "text") for reading in others]
        if method.get("fixed"):
            heads.append((FIXED, " ".join(f"{k} {setting_text(v)}" for k, v in method["fixed"].items())))
        columns += [Column(f"{name}.{key}", head, method["label"]) for key, head in heads]
    rows: dict[str, dict[str, str]] = {}
    for one in data:
        row = rows.setdefault(one["dataset"], {"dataset": one["printed_name"]})
        row[f"{one['method']}.printed"] = one["printed"].rstrip("%")
        row[f"{one['method']}.{one['reading']}"] = _marked(one, digits, scale)
        if one["reading"] == first:
            row[f"{one['method']}.setting"] = _settings_range(one["setting"])
    compared = [row for row in verdicts if row["method"] in methods]
    legend = [MARK_LEGEND, *_quality_legend(job, methods, score, data, verdicts)]
    columns_of_data = [
        "dataset", "printed_name", "method", "label", "reading", "oracle", "setting", "compared",
        "printed", "printed_value", "reproduced", "sd", "spread_min", "spread_max", "orders",
        "samples", "verdict", "difference",
    ]  # fmt: skip
    if score == "purity":
        columns_of_data += [*PURITY_KINDS, "any_kind"]
    names = " and ".join(method["label"] for method in methods.values())
    said = _counted(row for row in compared if row["reading"] == first)
    return Sheet(
        name=f"{job.paper}-{job.artefact}",
        title=f"{job.entry['label']}: {SCORE_NAMES[score]} of {names}",
        caption=(
            f"{SCORE_NAMES[score]}{f' in {unit}' if unit else ''} of Ward's clusterings, cut at the "
            f"number of classes: as printed, and ours. {said}"
        ),
        columns=columns,
        rows=list(rows.values()),
        legend=legend,
        data=data,
        data_columns=[*columns_of_data, "reason"],
        verdicts=verdicts,
    )


def _marked(one: Mapping[str, Any], digits: int, scale: int) -> str:
    """Our number with its spread and the mark of the verdict."""
    mark = MARKS[one["verdict"]]
    if one["reproduced"] is None:
        return mark
    text = number(one["reproduced"], digits, scale)
    low, high = (number(one[key], digits, scale) for key in ("spread_min", "spread_max"))
    return f"{text} {mark}" if low == high else f"{text} [{low}, {high}] {mark}"


def _settings_range(setting: str) -> str:
    """Value behind ``sigma=``; first and last if samples took different ones."""
    values = setting.partition("=")[2].split(";")
    return values[0] if len(values) == 1 else f"{values[0]}–{values[-1]}"


def _counted(rows: Iterable[Mapping[str, Any]]) -> str:
    """Sentence that counts the verdicts of the reading in the column "ours"."""
    counts = tally(rows)
    comparable = sum(counts.get(name, 0) for name in (EXACT, WITHIN_NOISE, DIFFERS))
    parts = [f"{counts.get(EXACT, 0)} of {comparable} comparable cells are exact"]
    parts += [
        f"{counts[name]} {text}"
        for name, text in (
            (WITHIN_NOISE, "within noise"),
            (NOT_COMPARABLE, "not comparable"),
            (NOT_RUN, "not run"),
        )
        if counts.get(name)
    ]
    return f"{', '.join(parts)}."


def _quality_legend(
    job: Job,
    methods: Mapping[str, Any],
    score: str,
    data: list[dict[str, Any]],
    verdicts: list[dict[str, Any]],
) -> list[str]:
    first, *others = job.need("readings")
    lines = []
    selecting = [method for method in methods.values() if method.get("select", {}).get("oracle")]
    if selecting:
        (parameter,) = selecting[0]["grid"]
        fixed = selecting[0].get("fixed", {})
        lines.append(
            f"ours: the {first} reading; {parameter} is an oracle choice, made with the class "
            "labels: highest eq. (5) purity, then NMI, then the smallest."
            + (
                f" {parameter} {setting_text(fixed[parameter])}: the same pipeline, one setting "
                "for all data sets, no labels."
                if parameter in fixed
                else ""
            )
        )
    lines += [
        f"text: the {reading} reading, the paper's wording taken literally; its supervised "
        "discretisation reads the class labels."
        for reading in others
    ]
    lines.append(
        "Brackets: lowest and highest number over row orders (and over random samples, where the "
        "number itself is their mean)."
    )
    if score == "purity":
        kinds = "; ".join(
            f"{'ours' if reading == first else 'text'}: {job.explained('dilca.purity', reading)}"
            for reading in job.need("readings")
        )
        judged = [
            one
            for one in data
            if one["reading"] == first and one["verdict"] in (EXACT, WITHIN_NOISE, DIFFERS)
        ]
        exact = sum(one["verdict"] == EXACT for one in judged)
        best = sum(one["any_kind"] == "yes" for one in judged)
        lines.append(
            f"Purity, {kinds}. If any of the three kinds could meet a cell, {best} instead of "
            f"{exact} of {len(judged)} would be exact; the verdicts do not use this."
        )
    absent = sorted({row["method"] for row in verdicts if row["reason"] == ABSENT_METHOD})
    if absent:
        count = sum(row["reason"] == ABSENT_METHOD for row in verdicts)
        lines.append(
            f"Not run, {ABSENT_METHOD}: {', '.join(absent)} ({count} printed numbers of this figure)."
        )
    return [*lines, *_dataset_legend(verdicts)]


def _dataset_legend(verdicts: Iterable[Mapping[str, Any]]) -> list[str]:
    """Lines that say why data sets are not comparable or were not run."""
    why: dict[tuple[str, str], list[str]] = {}
    for row in verdicts:
        if row["verdict"] in (NOT_COMPARABLE, NOT_RUN) and row["reason"] != ABSENT_METHOD:
            reason = row["reason"].partition("; ")[0]
            names = why.setdefault((row["verdict"], reason), [])
            if row["dataset"] not in names:
                names.append(row["dataset"])
    return [
        f"{verdict.capitalize()}: {', '.join(names)} ({reason})."
        for (verdict, reason), names in why.items()
    ]


# --- Fig. 12: sensitivity to sigma --------------------------------------------------------------


def sigma_curves(job: Job, cells: pd.DataFrame) -> Sheet:
    """Purity and NMI against sigma: Fig. 12. The paper prints no numbers here."""
    (method,) = job.entry["methods"]
    reading = job.need("readings")[0]
    scores = {"purity": "purity", "inverse": "inverse_purity", "nmi": "nmi_sqrt"}
    data, rows, left_out = [], [], list(job.left_out.items())
    for one in job.datasets:
        records = read_records(job.file("trials", dataset=one["id"], method=method, reading=reading))
        if records[0]["status"] != OK:
            left_out.append((one["id"], records[0]["reason"]))
            continue
        tried = [row for row in records if row["sample"] == "0" and row["order"] == "0"]
        tried.sort(key=lambda row: float(row["setting"]))
        points = {key: [float(row[name]) for row in tried] for key, name in scores.items()}
        ranges = {key: max(values) - min(values) for key, values in points.items()}
        # a difference of two shares that is 0.05 in exact arithmetic counts
        plotted = {key: value >= MIN_RANGE - 1e-12 for key, value in ranges.items()}
        for i, row in enumerate(tried):
            data.append(
                {
                    "dataset": one["id"],
                    "printed_name": one["printed"],
                    "sigma": float(row["setting"]),
                    **{key: points[key][i] for key in scores},
                    **{f"{key}_plotted": "yes" if plotted[key] else "no" for key in scores},
                }
            )
        rows.append(
            {"dataset": one["printed"]}
            | {
                f"{key}.{name}": text
                for key in scores
                for name, text in (
                    ("low", number(min(points[key]), 4)),
                    ("high", number(max(points[key]), 4)),
                    ("range", number(ranges[key], 4) + (" *" if plotted[key] else "")),
                )
            }
        )
    heads = {"purity": "Purity, eq. (5)", "inverse": "Inverse purity", "nmi": "NMI"}
    counts = {key: sum(row[f"{key}.range"].endswith("*") for row in rows) for key in heads}
    legend = [
        f"* range of at least {MIN_RANGE:g}: the curves that the paper plots by its rule.",
        *(f"Not run: {dataset} ({reason})." for dataset, reason in left_out),
    ]
    return Sheet(
        name=f"{job.paper}-{job.artefact}",
        title=f"{job.entry['label']}: how much sigma matters",
        caption=(
            f"Lowest and highest score of {job.need('methods')[method]['label']} over "
            f"{len({one['sigma'] for one in data})} values of sigma, in file order, under the "
            f"{reading} reading. Of {len(rows)} data sets, {counts['purity']} vary by {MIN_RANGE:g} "
            f"or more in purity (eq. 5), {counts['inverse']} in inverse purity, {counts['nmi']} in "
            "NMI. The curves of the paper are drawn, not printed: no verdicts. Picking a sigma "
            "from them needs the class labels (oracle)."
        ),
        columns=[
            Column("dataset", "Data set", text=True),
            *(
                Column(f"{key}.{name}", name, head)
                for key, head in heads.items()
                for name in ("low", "high", "range")
            ),
        ],
        rows=rows,
        legend=legend,
        data=data,
        data_columns=["dataset", "printed_name", "sigma", *scores, *(f"{k}_plotted" for k in scores)],
    )


# --- Fig. 15: context sizes ---------------------------------------------------------------------


def context_sizes(job: Job, cells: pd.DataFrame) -> Sheet:
    """Mean number of context attributes of DILCA_RR, with the population sd: Fig. 15."""
    first, *others = job.need("readings")
    pipelines = {first: (job.entry["preparation"], job.entry["measure"])}
    for reading in others:
        prefix = f"{reading}_"
        if f"{prefix}measure" in job.entry:
            pipelines[reading] = tuple(job.entry[prefix + key] for key in ("preparation", "measure"))
    known = {one["id"] for one in job.datasets}
    sizes: dict[tuple[str, str], _Contexts] = {}
    data, verdicts = [], []
    for cell in numbers(cells).to_dict("records"):
        dataset = cell["dataset_id"]
        for reading, (preparation, measure) in pipelines.items():
            if (dataset, reading) not in sizes:
                if dataset in job.left_out:
                    one = _Contexts(absent=job.left_out[dataset])
                elif dataset not in known:
                    one = _Contexts(absent=ABSENT_DATASET)
                else:
                    one = _contexts(
                        job.file(
                            "similarity", dataset=dataset, preparation=preparation, measure=measure
                        )
                    )
                sizes[dataset, reading] = one
            values = sizes[dataset, reading].reproduced(cell["metric"])
            row = job.judge(cell, values, reading=reading)
            verdicts.append(row)
            data.append(
                {
                    "printed_name": cell["dataset"],
                    "printed_value": float(cell["value"]),
                    **row,
                }
            )
    return _context_sheet(job, data, verdicts, pipelines)


@dataclass(frozen=True)
class _Contexts:
    """Context sizes of the targets, one array per table."""

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


def _contexts(path: Path) -> _Contexts:
    archive = read_similarity(path)
    if archive.facts["status"] != OK:
        return _Contexts(absent=archive.facts["reason"])
    if archive.contexts is None:
        raise UserError(f"{path}: measure {archive.facts['measure']!r} chooses no context")
    return _Contexts([settings[0].sum(axis=1) for settings in archive.contexts])


def _context_sheet(
    job: Job,
    data: list[dict[str, Any]],
    verdicts: list[dict[str, Any]],
    pipelines: Mapping[str, tuple[str, str]],
) -> Sheet:
    first = next(iter(pipelines))
    heads = {
        "orig_attributes": ("attributes", 0),
        "mean_context_size": ("mean", 2),
        "sd_context_size": ("sd", 2),
    }
    rows: dict[str, dict[str, str]] = {}
    for one in data:
        row = rows.setdefault(one["dataset"], {"dataset": one["printed_name"]})
        row[f"printed.{one['metric']}"] = one["printed"]
        # the mean over samples of a count that is the same in all is a whole number
        digits = heads[one["metric"]][1]
        row[f"{one['reading']}.{one['metric']}"] = _marked(one, digits, 1)
    groups = {"printed": "printed", first: "ours"} | {
        reading: "text" for reading in list(pipelines)[1:]
    }
    counted = _counted(row for row in verdicts if row["reading"] == first)
    return Sheet(
        name=f"{job.paper}-{job.artefact}",
        title=f"{job.entry['label']}: context sizes of DILCA_RR",
        caption=(
            "Attributes of the data set; mean and population standard deviation, over its "
            f"attributes, of the number of attributes in the context. {counted}"
        ),
        columns=[
            Column("dataset", "Data set", text=True),
            *(
                Column(f"{group}.{metric}", head, label)
                for group, label in groups.items()
                for metric, (head, _) in heads.items()
            ),
        ],
        rows=list(rows.values()),
        legend=[
            MARK_LEGEND,
            f"ours: the {first} reading, {job.explained('dilca.context', first)}. "
            + " ".join(
                f"text: the {reading} reading, {job.explained('dilca.context', reading)}."
                for reading in list(pipelines)[1:]
            ),
            "Supervised discretisation of numeric attributes reads the class labels.",
            *_dataset_legend(verdicts),
        ],
        data=data,
        data_columns=[
            "dataset", "printed_name", "method", "metric", "reading", "printed", "printed_value",
            "reproduced", "sd", "spread_min", "spread_max", "samples", "verdict", "difference",
            "reason",
        ],
        verdicts=verdicts,
    )  # fmt: skip


# --- Fig. 2: characteristics of the data sets ---------------------------------------------------

VALUE_RULES = {
    "values_observed": "values that occur",
    "values_with_missing": "values that occur, missing as one",
    "values_declared": "declared values, ten bins",
    "values_mdl": "declared values, MDL cuts",
}
"""Ways to count the values of a data set; each also with the class values (``_with_classes``)."""


def dataset_characteristics(job: Job, cells: pd.DataFrame) -> Sheet:
    """Counts of objects, attributes, values and classes: Fig. 2.

    No rule of counting values fits every row of the paper. The table lists which of the rules
    give the printed number; the verdict belongs to the rule that the configuration names for the
    data set (``reachable``, chosen after the fact), or to the values that occur.
    """
    readings = job.need("readings")
    first = readings[0]
    entries = {one["id"]: one for one in job.datasets}
    counted = {name: _Counts.read(job, entry) for name, entry in entries.items()}
    data, verdicts = [], []
    rows: dict[str, dict[str, str]] = {}
    for cell in numbers(cells).to_dict("records"):
        dataset, metric = cell["dataset_id"], cell["metric"]
        row = rows.setdefault(
            dataset, {"dataset": cell["dataset"], "type": _printed_type(cells, dataset)}
        )
        absent = job.left_out.get(dataset, ABSENT_DATASET)
        one = counted.get(dataset, _Counts(absent=absent))
        variants = readings if metric == "classes" else [first]
        for reading in variants:
            reason = ""
            if metric == "values" and not one.absent:
                rule = _value_rule(entries[dataset])
                value: int | None = one.values()[rule]
                reason = f"counted as {rule}, {_rule_origin(entries[dataset])}"
            else:
                value = one.count(metric, job.choice("dilca.postop_classes", reading))
            values = Reproduced(None if value is None else float(value), absent=one.absent)
            judged = job.judge(cell, values, reading=reading, reason=reason)
            verdicts.append(judged)
            data.append({**judged, "printed_name": cell["dataset"], "rules": ""})
            if reading == first:
                row[f"{metric}.printed"] = cell["printed"]
                text = "" if value is None else f"{value} "
                row[f"{metric}.ours"] = text + MARKS[judged["verdict"]]
        if metric == "values" and not one.absent:
            fitting = [
                rule
                for rule, value in one.values().items()
                if value == int(parse_printed(cell["printed"]).value)
            ]
            row["rules"] = data[-1]["rules"] = "; ".join(map(_rule_words, fitting)) or "none"
    heads = {"instances": "objects", "features": "attributes", "values": "values", "classes": "classes"}
    said = _counted(row for row in verdicts if row["reading"] == first)
    return Sheet(
        name=f"{job.paper}-{job.artefact}",
        title=f"{job.entry['label']}: characteristics of the data sets",
        caption=(
            f"Printed counts and ours. {said} No one rule of counting values gives all printed "
            "numbers: the last column lists the rules that give this one."
        ),
        columns=[
            Column("dataset", "Data set", text=True),
            Column("type", "type", text=True),
            *(
                Column(f"{metric}.{which}", which, head)
                for metric, head in heads.items()
                for which in ("printed", "ours")
            ),
            Column("rules", "rules that give the printed values", text=True),
        ],
        rows=list(rows.values()),
        legend=[
            MARK_LEGEND,
            "values: the rule that the configuration names for the data set, chosen after the "
            "fact; without one, the values that occur.",
            *_dataset_legend(verdicts),
        ],
        data=data,
        data_columns=[
            "dataset", "printed_name", "metric", "reading", "printed", "reproduced", "verdict",
            "difference", "rules", "reason",
        ],
        verdicts=verdicts,
    )  # fmt: skip


@dataclass(frozen=True)
class _Counts:
    """Counts of one data set."""

    facts: Mapping[str, Any] | None = None
    declared: int = 0
    mdl: int = 0
    labels: Sequence[str] = ()
    absent: str = ""

    @classmethod
    def read(cls, job: Job, entry: Mapping[str, Any]) -> _Counts:
        """Read counts from the prepared facts and the two preparations of the artefact."""
        facts = read_json(job.file("prepared", dataset=entry["id"]))
        if facts["status"] != OK:
            return cls(absent=facts["reason"])
        bins, mdl = (
            read_tables(job.file("tables", dataset=entry["id"], preparation=preparation))
            for preparation in job.entry["preparations"]
        )
        return cls(
            facts,
            declared=int(bins.tables[0].n_values.sum()),
            mdl=int(mdl.tables[0].n_values.sum()),
            labels=bins.facts["classes"],
        ).sized(len(bins.labels[0]))

    def sized(self, objects: int) -> _Counts:
        """Counts with the number of objects of the table that is clustered."""
        facts = {**self.facts, "objects": objects}
        return _Counts(facts, self.declared, self.mdl, self.labels)

    def count(self, metric: str, labels: str) -> int | None:
        """Objects, attributes or classes; `labels` is the choice of ``dilca.postop_classes``."""
        if self.absent:
            return None
        if metric == "classes":
            stripped = labels == "3"
            return len({label.strip() if stripped else label for label in self.labels})
        return self.facts[{"instances": "objects", "features": "attributes"}[metric]]

    def values(self) -> dict[str, int]:
        """Number of values under every rule."""
        plain = {
            "values_observed": self.facts["values_observed"],
            "values_with_missing": self.facts["values_with_missing"],
            "values_declared": self.declared,
            "values_mdl": self.mdl,
        }
        classes = len(self.labels)
        with_classes = {
            rule.replace("values_observed", "values") + "_with_classes": value + classes
            for rule, value in plain.items()
            if rule != "values_with_missing"
        }
        return plain | with_classes


def _printed_type(cells: pd.DataFrame, dataset: str) -> str:
    kinds = cells.loc[(cells["dataset_id"] == dataset) & (cells["metric"] == "type"), "printed"]
    return kinds.iloc[0] if len(kinds) else ""


def _value_rule(entry: Mapping[str, Any]) -> str:
    named = [key for key in entry.get("reachable", {}) if key.startswith("values")]
    return named[0] if named else "values_observed"


def _rule_origin(entry: Mapping[str, Any]) -> str:
    named = any(key.startswith("values") for key in entry.get("reachable", {}))
    return "chosen after the fact" if named else "no rule is named for this data set"


def _rule_words(rule: str) -> str:
    plain = rule.removesuffix("_with_classes")
    words = VALUE_RULES["values_observed" if plain == "values" else plain]
    return words if plain == rule else f"{words}, and the classes"


# --- Fig. 1: the worked example -----------------------------------------------------------------


def worked_example(job: Job, cells: pd.DataFrame) -> Sheet:
    """Counts of the example and the distances between its cities by eq. (1): Fig. 1."""
    first = job.need("readings")[0]
    (entry,) = job.datasets
    preparation, measure = job.entry["preparation"], job.entry["measure"]
    table = read_tables(job.file("tables", dataset=entry["id"], preparation=preparation)).tables[0]
    similarity = read_similarity(
        job.file("similarity", dataset=entry["id"], preparation=preparation, measure=measure)
    )
    sex, city = (
        [name.lower() for name in table.attributes].index(name) for name in ("sex", "city")
    )
    cities = table.categories[city]
    data, verdicts, rows = [], [], {}
    for cell in numbers(cells).to_dict("records"):
        name = cell["metric"].removeprefix("count(").removesuffix(")")
        count = _count(table, {sex: cell["method"], city: name})
        judged = job.judge(cell, Reproduced(float(count)), reading=first)
        verdicts.append(judged)
        what = f"{cell['method']}, {name}"
        data.append({**judged, "quantity": f"count({what})"})
        rows[what] = {
            "quantity": f"objects: {what}",
            "printed": cell["printed"],
            "ours": f"{count} {MARKS[judged['verdict']]}",
        }
    distances = similarity.spaces[0][0].matrices.block(city)
    between = {
        (a, b): float(distances[cities.index(a), cities.index(b)])
        for i, a in enumerate(cities)
        for b in cities[i + 1 :]
    }
    for (a, b), distance in sorted(between.items(), key=lambda item: item[1]):
        data.append({"quantity": f"d({a}, {b})", "reading": first, "reproduced": distance})
        rows[f"{a}, {b}"] = {
            "quantity": f"distance: {a}, {b}",
            "printed": "",
            "ours": number(distance, 6),
        }
    ordering = " < ".join(
        f"d({a}, {b})" for (a, b), _ in sorted(between.items(), key=lambda item: item[1])
    )
    (parameter,) = job.entry["grid"]
    return Sheet(
        name=f"{job.paper}-{job.artefact}",
        title=f"{job.entry['label']}: the worked example",
        caption=(
            "Objects of each sex in each city, and the distances between cities by eq. (1) in the "
            f"context of sex ({parameter} {setting_text(job.entry['grid'][parameter][0])}). The "
            f"paper prints the counts and says which city is nearer: {ordering}."
        ),
        columns=[
            Column("quantity", "Quantity", text=True),
            Column("printed", "printed"),
            Column("ours", "ours"),
        ],
        rows=list(rows.values()),
        legend=[MARK_LEGEND, "The distances are not printed in the paper."],
        data=data,
        data_columns=["quantity", "reading", "printed", "reproduced", "verdict", "difference", "reason"],
        verdicts=verdicts,
    )


def _count(table: Any, wanted: Mapping[int, str]) -> int:
    """Objects with the given values, by attribute position."""
    hits = [
        table.codes[:, j] == table.categories[j].index(value) for j, value in wanted.items()
    ]
    return int((hits[0] & hits[1]).sum())


KINDS: dict[str, Callable[[Job, pd.DataFrame], Sheet]] = {
    "worked_example": worked_example,
    "dataset_characteristics": dataset_characteristics,
    "quality": quality,
    "sigma_curves": sigma_curves,
    "context_sizes": context_sizes,
}
