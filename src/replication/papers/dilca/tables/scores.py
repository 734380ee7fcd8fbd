"""Quality of the clusterings: Figs 3 to 11."""

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import pandas as pd

from replication.judge.cells import COMPARABLE, Ours, counting, enumerated, reasons
from replication.judge.verdicts import EXACT, equals_printed, printed_number
from replication.papers.dilca.records import (
    FIXED,
    MARK_LEGEND,
    NMI_COLUMNS,
    PAPER,
    PURITY_COLUMNS,
    SCORES,
    Picked,
    against_first,
    ends,
    is_oracle,
    kinds_met,
    pick,
    settings_met,
)
from replication.show.job import Job
from replication.show.kinds import without_percent
from replication.show.sheet import Column, Sheet, across
from replication.steps import setting_text

PURITY_WORDS = {
    "inverse": "inverse purity (for each class the objects in its largest cluster)",
    "eq5": "eq. (5) (for each cluster the objects of its largest class)",
    "matching": "one-to-one matching of clusters and classes",
}
KIND_WORDS = {
    "inverse": "inverse purity",
    "eq5": "eq. (5)",
    "matching": "the best one-to-one matching of clusters and classes",
}
BESIDE_WORDS = {
    "at_least": (
        "≥ theta",
        "ROCK's own paper defines neighbours, a similarity of exactly theta being enough, and with "
        "a merged cluster in the place of the earlier one",
    ),
}
"""Heading and meaning of the readings that single methods have besides."""
KINDS: dict[str, dict[str, str]] = {
    "purity": PURITY_COLUMNS,
    "nmi": {name: name for name in (NMI_COLUMNS["arithmetic"], NMI_COLUMNS["max"])},
    "ari": {},
}
"""Columns beside the score that is compared: other indices that go by its name."""


def quality(job: Job, cells: pd.DataFrame) -> Sheet:
    """Tables of purity, NMI or ARI: Figs 3 to 11.

    Readings are those of the specification, the pipelines that the configuration sets beside
    them, and ``fixed``: the pipeline of the first reading at the method's fixed setting, which is
    chosen without labels.
    """
    index, first = job.need("score"), job.readings[0]
    score, purity = SCORES[index], index == "purity"

    def ours(cell: Mapping[str, str], reading: str) -> Ours:
        picked = pick(job, cell["dataset_id"], cell["method_id"], reading)

        def differs(verdict: str) -> str:
            ways = _other_ways(job, cell, picked, reading)
            return "; ".join(filter(None, [*ways, against_first(first, verdict)]))

        more: dict[str, Any] = {
            "compared": score.column(job, reading),
            "label_cuts": picked.label_cuts,
        }
        more |= {kind: picked.reproduced(name).value for kind, name in KINDS[index].items()}
        if purity and not picked.absent:
            more["any_kind"] = "yes" if kinds_met(cell["printed"], picked) else "no"
        found = picked.ours(job, cell, reading, **more, settings=picked.settings)
        return replace(found, if_differs=differs)

    def readings(cell: Mapping[str, str]) -> list[str]:
        method = job.methods[cell["method_id"]]
        return [*job.readings, *method.get("beside", ()), *([FIXED] if method["fixed"] else [])]

    data = job.judged(cells, ours, readings)
    labels = enumerated([method["label"] for method in job.methods.values()])
    unit = " in %" if score.scale == 100 else ""
    said = counting(one for one in data if one["reading"] == first)
    columns = [
        column for method in job.methods.items() for column in _columns_of(job, index, *method)
    ]
    return Sheet.of(
        job,
        f"{score.name} of {labels}",
        f"{score.name}{unit} of as many clusters as there are classes: as printed, and ours. "
        f"Under the {first} reading, {said}.",
        [Column("dataset", "Data set", text=True, of="printed_name"), *columns],
        data,
        by=["dataset"],
        legend=[MARK_LEGEND, *_legend(job, data if purity else []), *reasons(cells, data)],
        data_columns=[
            *("dataset", "printed_name", "method", "label", "reading", "oracle", "label_cuts"),
            *("setting", "compared", "printed", "printed_value", "reproduced", "sd", "spread_min"),
            *("spread_max", "orders", "samples", "verdict", "difference"),
            *(*KINDS[index], *(["any_kind"] if purity else []), "reason"),
        ],
        verdicts=data,
    )


def _other_ways(job: Job, cell: Mapping[str, str], picked: Picked, reading: str) -> list[str]:
    """What else gives the digits of a cell that a reading does not give; no verdict uses it."""
    column, found = SCORES[cell["metric"]].column(job, reading), []
    where = job, cell["dataset_id"], cell["method_id"], cell["printed"]
    if cell["metric"] == "purity":
        kinds = kinds_met(cell["printed"], picked)
        found += [KIND_WORDS[kind] for kind in kinds if PURITY_COLUMNS[kind] != column]
        worse = 1 - picked.reproduced("accuracy").number
        two = (picked.records["n_clusters_found"] == 2).all()
        if two and equals_printed(printed_number(cell["printed"]), worse):
            found.append("the worse of the two matchings")
    found += settings_met(*where, column, reading)
    return [f"{one} gives the printed digits" for one in found]


def _columns_of(job: Job, index: str, name: str, method: Mapping[str, Any]) -> list[Column]:
    """Columns of one method: printed, ours, its setting, and our other readings."""
    first, *others = job.readings
    group, score, where = method["label"], SCORES[index], {"method": name}
    heads = {first: "ours"} | dict.fromkeys(others, "text")
    heads |= {reading: BESIDE_WORDS[reading][0] for reading in method.get("beside", ())}
    heads |= {FIXED: text} if (text := _fixed(method)) else {}
    shown = {"digits": score.digits, "scale": score.scale, "judged": True}
    ours, *rest = across("reading", heads, group, name=f"{name}.{{}}", where=where, **shown)
    if method["select"]:
        (parameter,) = method["grid"]
        rest.insert(0, Column(f"{name}.setting", parameter, group, of=_settings, where=ours.where))
    printed = Column(
        f"{name}.{PAPER}", "printed", group, of=without_percent, where=where, main=True
    )
    return [printed, replace(ours, main=True), *rest]


def _fixed(method: Mapping[str, Any]) -> str:
    """The one setting of a method for all data sets, such as ``sigma 0.5``; empty without one."""
    return " ".join(f"{name} {setting_text(x)}" for name, x in (method["fixed"] or {}).items())


def _settings(one: Mapping[str, Any]) -> str:
    """Value behind ``sigma=``; first and last if samples took different ones."""
    return ends(one["settings"] or [""])


def _legend(job: Job, purities: list[dict[str, Any]]) -> list[str]:
    """What the columns are, and for purity, which one is compared."""
    first, *others = job.readings
    methods = job.methods.values()
    lines = [f"ours: the {first} reading."]
    if chosen := [next(iter(one["grid"])) for one in methods if is_oracle(one)]:
        lines.append(
            f"{enumerated(chosen)}: oracle choice for the column ours, made with the class labels "
            "(highest eq. (5) purity, then highest NMI, then the smallest value)."
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
    if purities:
        compared = "; ".join(
            f"{'ours' if reading == first else 'text'} is "
            f"{PURITY_WORDS[job.choice('dilca.purity', reading)]}"
            for reading in job.readings
        )
        judged = [
            one for one in purities if one["reading"] == first and one["verdict"] in COMPARABLE
        ]
        exact = sum(one["verdict"] == EXACT for one in judged)
        best = sum(one["any_kind"] == "yes" for one in judged)
        # how many cells a choice per cell would meet
        lines.append(
            f"Purity: {compared}. If every cell could take the best of three kinds (these two, and "
            f"{PURITY_WORDS['matching']}), {best} instead of {exact} of {len(judged)} would be "
            "exact; no verdict uses this."
        )
    return lines
