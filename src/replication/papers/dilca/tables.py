"""DILCA (Ienco, Pensa, Meo 2012): from records and archives to its tables and their verdicts.

One function per kind of artefact in ``config/papers/dilca.yaml``.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import pandas as pd

from replication.judge.cells import (
    ABSENT_METHOD,
    COMPARABLE,
    NO_DATASET,
    Ours,
    counting,
    enumerated,
    not_run_lines,
    reasons,
)
from replication.judge.verdicts import DIFFERS, EXACT, WITHIN_NOISE, Reproduced
from replication.papers.dilca.records import (
    FIXED,
    MARK_LEGEND,
    PAPER,
    PURITY_COLUMNS,
    SCORES,
    Picked,
    Score,
    ends,
    is_oracle,
    kinds_met,
    other_ways,
    pick_for,
    read_contexts,
    sweeps,
)
from replication.papers.dilca.tables_cells import preparations as preparations
from replication.papers.dilca.tables_cells import rock_clusters as rock_clusters
from replication.papers.dilca.tables_cells import sensitivity as sensitivity
from replication.papers.dilca.tables_cells import text_numbers as text_numbers
from replication.papers.dilca.tables_cells import unexplained as unexplained
from replication.papers.dilca.tables_data import cost as cost
from replication.papers.dilca.tables_data import dataset_characteristics as dataset_characteristics
from replication.papers.dilca.tables_data import phases as phases
from replication.papers.dilca.tables_data import scalability as scalability
from replication.papers.dilca.tables_data import worked_example as worked_example
from replication.show.job import Job
from replication.show.kinds import without_percent
from replication.show.sheet import Cell, Column, Sheet, across, grouped
from replication.steps import setting_text

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

    def ours(cell: Mapping[str, str], reading: str) -> Ours:
        if cell["method_id"] not in job.methods:
            return Ours(ABSENT_METHOD)
        method = job.methods[cell["method_id"]]
        picked = pick_for(job, cell["dataset_id"], method, reading)
        column = score.column(job, reading)

        def differs(verdict: str) -> str:
            ways = other_ways(job, cell, picked, reading)
            return "; ".join(filter(None, [*ways, _against_first(first, verdict)]))

        more = {"label": method["label"], "compared": column, "label_cuts": picked.label_cuts}
        more |= {"settings": picked.settings}
        return Ours(
            picked.reproduced(column),
            oracle=(is_oracle(method) and reading != FIXED) or bool(picked.label_cuts),
            setting=picked.setting,
            trials=len(picked.records),
            possible=picked.possible(score),
            if_differs=differs,
            more=more | (_kinds(job, cell, picked) if picked.records else {}),
        )

    def readings(cell: Mapping[str, str]) -> list[str]:
        method = job.methods.get(cell["method_id"])
        if method is None:
            return [first]
        return [*job.readings, *method.get("beside", ()), *([FIXED] if method["fixed"] else [])]

    verdicts = job.judged(cells, ours, readings)
    data = [one for one in verdicts if one["method"] in job.methods]
    labels = enumerated([method["label"] for method in job.methods.values()])
    unit = " in %" if score.scale == 100 else ""
    said = counting(one for one in data if one["reading"] == first)
    return Sheet.of(
        job,
        f"{score.name} of {labels}",
        f"{score.name}{unit} of as many clusters as there are classes: as printed, and ours. "
        f"Under the {first} reading, {said}.",
        [
            Column("dataset", "Data set", text=True, of="printed_name"),
            *(
                column
                for name, method in job.methods.items()
                for column in _quality_columns(job, score, name, method)
            ),
        ],
        data,
        by=["dataset"],
        legend=[MARK_LEGEND, *_quality_legend(job, data), *reasons(cells, verdicts)],
        data_columns=[
            *("dataset", "printed_name", "method", "label", "reading", "oracle", "label_cuts"),
            *("setting", "compared", "printed", "printed_value", "reproduced", "sd", "spread_min"),
            *("spread_max", "orders", "samples", "verdict", "difference"),
            *(*KINDS[job.need("score")], "reason"),
        ],
        verdicts=verdicts,
    )


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
    kinds = {kind: picked.reproduced(name).value for kind, name in PURITY_COLUMNS.items()}
    return {**kinds, "any_kind": "yes" if kinds_met(cell["printed"], picked) else "no"}


def _quality_columns(job: Job, score: Score, name: str, method: Mapping[str, Any]) -> list[Column]:
    """Columns of one method: printed, ours, its setting, and our other readings."""
    first, *others = job.readings
    group = method["label"]
    heads = {first: "ours"} | dict.fromkeys(others, "text")
    heads |= {reading: BESIDE_WORDS[reading][0] for reading in method.get("beside", ())}
    heads |= {FIXED: text} if (text := _fixed(method)) else {}
    where = {"method": name}
    shown = {"digits": score.digits, "scale": score.scale, "judged": True}
    ours, *rest = across("reading", heads, group, name=f"{name}.{{}}", where=where, **shown)
    if method["select"]:
        (parameter,) = method["grid"]
        key = f"{name}.setting"
        rest.insert(0, Column(key, parameter, group, of=_settings, where=ours.where))
    return [
        Column(f"{name}.{PAPER}", "printed", group, of=without_percent, where=where, main=True),
        replace(ours, main=True),
        *rest,
    ]


def _fixed(method: Mapping[str, Any]) -> str:
    """The one setting of a method for all data sets, such as ``sigma 0.5``; empty without one."""
    return " ".join(f"{name} {setting_text(x)}" for name, x in (method["fixed"] or {}).items())


def _settings(one: Mapping[str, Any]) -> str:
    """Value behind ``sigma=``; first and last if samples took different ones."""
    return ends(one.get("settings") or [""])


def _quality_legend(job: Job, data: list[dict[str, Any]]) -> list[str]:
    first, *others = job.readings
    methods = job.methods.values()
    lines = [f"ours: the {first} reading."]
    for rule, said in SELECTION_WORDS.items():
        chosen = [one for one in methods if is_oracle(one) and one["select"]["rule"] == rule]
        if chosen:
            lines.append(
                f"{enumerated([next(iter(one['grid'])) for one in chosen])}: oracle choice for the "
                f"column ours, made with the class labels ({said})."
            )
    if fixed := [text for one in methods if (text := _fixed(one))]:
        lines.append(
            f"{enumerated(fixed)}: the pipeline of ours with this one setting for all data sets, "
            "chosen without labels."
        )
    lines += [
        f"{BESIDE_WORDS[reading][0]}: {method['label']} as {BESIDE_WORDS[reading][1]}."
        for method in methods
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
    judged = [one for one in data if one["reading"] == first and one["verdict"] in COMPARABLE]
    exact = sum(one["verdict"] == EXACT for one in judged)
    best = sum(one["any_kind"] == "yes" for one in judged)
    return (
        f"Purity: {compared}. If every cell could take the best of three kinds (these two, and "
        f"{PURITY_WORDS['matching']}), {best} instead of {exact} of {len(judged)} would be exact; "
        "no verdict uses this."
    )


# --- Fig. 12: sensitivity to sigma --------------------------------------------------------------

CURVES = {"eq5": "Purity, eq. (5)", "inverse": "Inverse purity", "nmi": "NMI"}


def sigma_curves(job: Job, cells: pd.DataFrame) -> Sheet:
    """Purity and NMI against sigma: Fig. 12. The paper draws curves and prints no numbers."""
    (method,) = job.methods.values()
    swept, absent = sweeps(job)
    data, rows = [], []
    varying = dict.fromkeys(CURVES, 0)
    for (dataset, _), by_index in swept.items():
        curves = {key: by_index[key] for key in CURVES}
        # two shares whose exact difference is the limit may differ by a last bit less
        plotted = {key: one.range >= MIN_RANGE - 1e-12 for key, one in curves.items()}
        data += [
            {
                "dataset": dataset,
                "printed_name": job.printed(dataset),
                "sigma": setting,
                **{key: one.scores[setting] for key, one in curves.items()},
                **{f"{key}_plotted": "yes" if plotted[key] else "no" for key in CURVES},
            }
            for setting in curves["nmi"].scores
        ]
        row = {"dataset": Cell(job.printed(dataset))}
        for key, one in curves.items():
            varying[key] += plotted[key]
            row[f"{key}.low"] = Cell(one.low, 4)
            row[f"{key}.high"] = Cell(one.high, 4)
            row[f"{key}.range"] = Cell(one.range, 4, sign=" *" if plotted[key] else "")
        rows.append(row)
    caption = f"Not run: {NO_DATASET}."
    if rows:
        caption = (
            f"Lowest and highest score of {method['label']} over "
            f"{len({one['sigma'] for one in data})} values of sigma, in file order, "
            f"{job.readings[0]} "
            f"reading. Of {len(rows)} data sets {varying['eq5']} vary by {MIN_RANGE:g} or more in "
            f"purity (eq. 5), {varying['inverse']} in inverse purity, {varying['nmi']} in NMI. "
            "Picking the best sigma from such curves needs the class labels (oracle). The paper "
            "draws its curves and prints no number, so there are no verdicts."
        )
    return Sheet.of(
        job,
        "how much sigma matters",
        caption,
        [
            Column("dataset", "Data set", text=True),
            *(
                Column(f"{key}.{which}", which, head)
                for key, head in CURVES.items()
                for which in ("low", "high", "range")
            ),
        ],
        data,
        rows=rows,
        legend=[
            f"Star: a range of at least {MIN_RANGE:g}; by its rule the paper plots these curves.",
            *not_run_lines(absent),
        ],
    )


# --- Fig. 15: context sizes ---------------------------------------------------------------------

SIZES = {
    "orig_attributes": ("attributes", 0),
    "mean_context_size": ("mean", 2),
    "sd_context_size": ("sd", 2),
}


def context_sizes(job: Job, cells: pd.DataFrame) -> Sheet:
    """Mean number of context attributes of DILCA_RR, with the population sd: Fig. 15."""
    learnt: dict[str, tuple[str, str]] = job.need("similarities")
    readings = [name for name in job.readings if name in learnt] or job.readings[:1]
    first, *others = readings

    def ours(cell: Mapping[str, str], reading: str) -> Ours:
        dataset, metric = cell["dataset_id"], cell["metric"]
        if absent := job.missing(dataset):
            return Ours(Reproduced(None, absent=absent))
        found, cuts = read_contexts(job.file("similarity", dataset=dataset), *learnt[reading])
        return Ours(
            found[metric],
            oracle=bool(cuts) and metric != "orig_attributes",
            if_differs=lambda verdict: _against_first(first, verdict),
        )

    data = job.judged(cells, ours, readings)
    groups = {first: "ours"} | dict.fromkeys(others, "text")
    sizes = [
        Column(metric, head, digits=digits, where={"metric": metric}, judged=True)
        for metric, (head, digits) in SIZES.items()
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
                Column(f"{PAPER}.{metric}", head, "printed", of="printed", where={"metric": metric})
                for metric, (head, _) in SIZES.items()
            ),
            *grouped("reading", groups, sizes),
        ],
        data,
        by=["dataset"],
        legend=[
            MARK_LEGEND,
            *(
                f"{'ours' if reading == first else 'text'}: the {reading} reading; "
                f"{CONTEXT_WORDS[job.choice('dilca.context', reading)]}."
                for reading in readings
            ),
            "Numeric attributes are cut with the class labels (oracle), as the paper does here. "
            "Brackets: lowest and highest number over random samples, the number is their mean.",
            *reasons(cells, data),
        ],
        data_columns=[
            *("dataset", "printed_name", "method", "metric", "reading", "oracle", "printed"),
            *("printed_value", "reproduced", "sd", "spread_min", "spread_max", "samples"),
            *("verdict", "difference", "reason"),
        ],
        verdicts=data,
    )


def _against_first(first: str, verdict: str) -> str:
    """Remark on a number of another reading, by the verdict of the first reading."""
    said = {
        EXACT: "gives the printed digits",
        WITHIN_NOISE: "has the printed number within noise",
        DIFFERS: "does not give it either",
    }
    return f"the {first} reading {said[verdict]}" if verdict in said else ""
