"""Tables 1 to 4 of coupledMC and the numbers in its text: every entry beside the printed one."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from replication.judge.cells import not_run
from replication.judge.published import numbers
from replication.judge.verdicts import EXACT, MARKS, WITHIN_NOISE, Reproduced
from replication.papers.coupledmc.runs import (
    BEST,
    METHODS,
    RECONCILED,
    best_series,
    by_setting,
    chosen_setting,
    mean_largest,
    mean_over,
    per_series,
    readings,
)
from replication.papers.coupledmc.tables_common import (
    MARK_LEGEND,
    PRINTED_RUNS,
    SPREAD,
    VERDICT,
    counted_verdicts,
    reasons,
)
from replication.show.job import Job
from replication.show.sheet import Column, Sheet, number

if TYPE_CHECKING:
    import pandas as pd

# --- Tables 1 to 4 ------------------------------------------------------------------------------


def worked(job: Job, cells: pd.DataFrame) -> Sheet:
    """One table of the worked example, every entry beside the printed one."""
    found = example(job)
    judged = numbers(cells).to_dict("records")
    readings = job.readings if job.artefact != "table01" else job.readings[:1]
    signs = {
        reading: _signs(judged, found, reading if job.artefact == "table04" else "")
        for reading in readings
    }
    absent = job.missing("table1")
    data, verdicts, rows = [], [], {}
    first = readings[0]
    for cell in judged:
        row = rows.setdefault(cell["dataset_id"], {"row": cell["dataset_id"]})
        for reading in readings:
            if absent:
                verdicts.append(not_run(cell, absent, reading=reading))
                continue
            key = "" if job.artefact == "table01" else reading
            one = found.get((job.artefact, key, "", cell["dataset_id"], cell["metric"]))
            values = _worked(one, signs[reading].get(cell["metric"], 1.0))
            reason = _contradiction(cell, judged, found) if job.artefact == "table02" else ""
            verdict = job.judge(cell, values, reading=reading, reason=reason)
            verdicts.append(verdict)
            data.append(
                {**verdict, "object": cell["dataset_id"], "column": cell["metric"]}
                | {"printed_value": float(cell["value"])}
            )
            if reading == first:
                digits = len(cell["printed"].partition(".")[2])
                text = f"{number(values.value, digits)} {MARKS[verdict['verdict']]}"
                if verdict["verdict"] not in (EXACT, WITHIN_NOISE):
                    text += f" ({cell['printed']})"
                row[cell["metric"]] = text
    columns = list(dict.fromkeys(cell["metric"] for cell in judged))
    ours = [one for one in verdicts if one["reading"] == first]
    largest = max(
        (abs(one["difference"]) for one in ours if one["difference"] is not None), default=0
    )
    said = (
        f"Not run: {absent}."
        if absent
        else f"Ours, marked against print: {counted_verdicts(ours)}; the largest difference is "
        f"{largest:.4f}."
    )
    legend = [MARK_LEGEND, "In brackets: the printed entry where ours differs."]
    if job.artefact != "table01":
        legend.append(
            "Within noise: the printed entry lies in our range over tables that round to Table 1."
        )
        text = [one for one in verdicts if one["reading"] != first]
        legend.append(f"With the weights of eq. (3) as printed, {counted_verdicts(text)}.")
    if job.artefact == "table04":
        legend.append("The sign of a component is arbitrary; ours are turned to the printed ones.")
    return Sheet(
        name=f"{job.paper}-{job.artefact}",
        title=f"{job.label}: {_WORKED[job.artefact]}",
        caption=said,
        columns=[Column("row", "object", text=True), *(Column(name, name) for name in columns)],
        rows=list(rows.values()),
        legend=[*legend, *reasons(ours)],
        data=data,
        data_columns=["object", "column", *VERDICT, "printed_value", *SPREAD],
        verdicts=verdicts,
    )


_WORKED = {
    "table01": "the mixed data of the worked example",
    "table02": "coupled representation of the discrete attributes",
    "table03": "normalised coupled representation",
    "table04": "principal components",
}


def example(job: Job) -> dict[tuple[str, ...], dict[str, float]]:
    """Value and range of every number of the worked example, by quantity and place."""
    records = job.records("example")
    if records.empty:
        return {}
    records[["reading", "scale"]] = records[["reading", "scale"]].fillna("")
    keys = ("quantity", "reading", "scale", "row", "column")
    return {
        tuple(str(one[key]) for key in keys): {name: one[name] for name in ("value", "low", "high")}
        for one in records.to_dict("records")
    }


def _worked(one: Mapping[str, float] | None, sign: float = 1.0) -> Reproduced:
    if one is None:
        return Reproduced(None, absent="this reading has no such entry")
    low, high = sorted((sign * one["low"], sign * one["high"]))
    return Reproduced(sign * one["value"], spread=(low, high))


def _signs(
    cells: Iterable[Mapping[str, str]], found: Mapping[tuple[str, ...], Mapping], reading: str
) -> dict[str, float]:
    """For each column the sign that brings it nearest to print."""
    totals: dict[str, float] = {}
    for cell in cells:
        one = found.get(("table04", reading, "", cell["dataset_id"], cell["metric"]))
        if one:
            product = float(cell["value"]) * one["value"]
            totals[cell["metric"]] = totals.get(cell["metric"], 0.0) + product
    return {name: -1.0 if total < 0 else 1.0 for name, total in totals.items()}


def _contradiction(
    cell: Mapping[str, str],
    cells: Iterable[Mapping[str, str]],
    found: Mapping[tuple[str, ...], Mapping],
) -> str:
    """Objects with the same entry of ours for which another number is printed more often."""

    def ours(one: Mapping[str, str]) -> float | None:
        key = ("table02", "reconciled", "", one["dataset_id"], one["metric"])
        return found[key]["value"] if key in found else None

    same = [
        one
        for one in cells
        if one["metric"] == cell["metric"] and ours(one) == ours(cell) is not None
    ]
    others = [one for one in same if one["printed"] != cell["printed"]]
    if not others or len(others) < len(same) - len(others):
        return ""
    names = ", ".join(one["dataset_id"] for one in others)
    return (
        f"misprint: {names} has the same value and prints {others[0]['printed']}; equal values "
        "have equal entries"
    )


# --- numbers in the text ------------------------------------------------------------------------


def text(job: Job, cells: pd.DataFrame) -> Sheet:
    """Distances, weights and sizes of the worked example, and the improvements of Table 6."""
    found = example(job)
    absent = job.missing("table1")
    averages = averages_of(job)
    data, verdicts, rows = [], [], []
    for cell in numbers(cells).to_dict("records"):
        for reading in (*job.readings, BEST):
            values, setting, oracle = _text_value(cell, reading, found, averages, absent)
            if values is None:
                continue
            runs = PRINTED_RUNS if values.runs > 1 else 1
            verdict = job.judge(
                cell,
                values,
                reading=reading,
                setting=setting,
                oracle=oracle,
                trials=values.runs if values.runs > 1 else 0,
                printed_runs=runs,
            )
            verdicts.append(verdict)
            quantity = f"{cell['method']}: {_NAMED.get(cell['metric'], cell['metric'])}"
            data.append({**verdict, "quantity": quantity})
            if reading == job.readings[0]:
                percent = cell["printed"].endswith("%")
                digits = len(cell["printed"].rstrip("%").partition(".")[2])
                # one digit more than printed, but for counts
                more = digits + (digits > 0 and not percent)
                shown = number(values.value, more, 100 if percent else 1)
                rows.append(
                    {
                        "quantity": quantity,
                        "printed": cell["printed"],
                        "ours": f"{shown}{'%' if percent and shown else ''} "
                        f"{MARKS[verdict['verdict']]}".strip(),
                        "setting": setting,
                    }
                )
    for scale in ("z", "raw"):
        for pair in _PAIRS:
            one = found.get(("rfs_distance", "reconciled", scale, *pair))
            if one:
                quantity = f"normalized Euclidean on RFS: d({pair[0]},{pair[1]})"
                setting = f"columns {_SCALED[scale]}"
                data.append(
                    {"quantity": quantity, "reading": "", "setting": setting}
                    | {"reproduced": one["value"]}
                )
                rows.append(
                    {"quantity": quantity, "ours": number(one["value"], 3)} | {"setting": setting}
                )
    ours = [one for one in verdicts if one["reading"] == job.readings[0]]
    wmm = _of_method(ours, "wmm")
    pcd = _of_method(ours, "pcd")
    rfs = _of_method(ours, "rfs_distance")
    met = (EXACT, WITHIN_NOISE)
    return Sheet(
        name=f"{job.paper}-{job.artefact}",
        title=f"{job.label} of coupledMC",
        caption=(
            f"Of the distances, {_met(wmm, met)} mixed (wmm), {_met(pcd, met)} partially coupled "
            f"(pcd) and {_met(rfs, met)} of those on Table 4 come out; the two weights are printed "
            "in exchanged places."
        ),
        columns=[
            Column("quantity", "Quantity", text=True),
            Column("printed", "printed"),
            Column("ours", "ours"),
            Column("setting", "with", text=True),
        ],
        rows=rows,
        legend=[
            MARK_LEGEND,
            "The text does not say how the distances on Table 4 are normalised; min-max columns "
            "come nearest and are judged, the others stand below.",
            "Improvements: average accuracy of coupledMC over that of the worst and of the best "
            "other method, minus 1, both ours; they follow from the printed averages as printed.",
            *_best_improvements(verdicts, averages),
            *reasons(ours),
        ],
        data=data,
        data_columns=["quantity", *VERDICT, *SPREAD],
        verdicts=verdicts,
    )


_NAMED = {
    "max_improvement_of_average": "largest improvement of the average",
    "min_improvement_of_average": "smallest improvement of the average",
    "n_columns": "columns of Table 3",
    "n_components": "columns of Table 4",
    "gamma(a1d) as printed": "gamma(a1d)",
    "gamma(a2r->d) as printed": "gamma(a2r)",
}
_PAIRS = (("u4", "u6"), ("u4", "u3"), ("u6", "u5"), ("u3", "u5"))
_SCALED = {"minmax": "min-max", "z": "z-scored", "raw": "as they are"}
_SOURCES = {"gamma(a1d) as printed": "a1d", "gamma(a2r->d) as printed": "a2r"}


def _of_method(rows: Iterable[Mapping[str, Any]], method: str) -> list[Mapping[str, Any]]:
    return [row for row in rows if row["method"] == method]


def _met(rows: Sequence[Mapping[str, Any]], good: Sequence[str]) -> str:
    return f"{sum(row['verdict'] in good for row in rows)} of {len(rows)}"


def _text_value(
    cell: Mapping[str, str],
    reading: str,
    found: Mapping[tuple[str, ...], Mapping[str, float]],
    averages: Mapping[str, Mapping[str, Sequence[float]]],
    absent: str,
) -> tuple[Reproduced | None, str, bool]:
    """What was computed for a number in the text, with its setting and whether labels chose it."""
    method, metric = cell["method_id"], cell["metric"]
    if metric.endswith("_improvement_of_average"):
        if reading == BEST:
            return _best_improvement(metric, averages)
        return _improvement(metric, reading, averages)
    if reading == BEST:
        return None, "", False
    if method in ("wmm", "pcd"):
        if reading != "reconciled":
            return None, "", False
        key, setting = (method, "", ""), "gamma half the mean sd of the raw numbers"
    elif method == "rfs_distance":
        key, setting = (method, reading, "minmax"), "columns min-max"
    elif method == "coupling_weight":
        key, setting = (
            ("weight", reading, ""),
            "SU shares" if reading == "reconciled" else "eq. (3)",
        )
    else:
        key, setting = ("shape", reading, ""), "L=2"
    if method == "coupling_weight":
        place = ("a2d", _SOURCES[metric])
    elif key[0] == "shape":
        place = ("number", metric)
    else:
        place = tuple(metric.removeprefix("d(").removesuffix(")").split(","))
    if absent:
        return Reproduced(None, absent=absent), setting, False
    return _worked(found[(*key, *place)]), setting, False


def averages_of(job: Job) -> dict[str, dict[str, Any]]:
    """Average accuracy over all data sets, by reading and method; empty if one is missing.

    One number per run, under `BEST` one per series of runs of coupledMC, and for the other
    methods the average of their largest accuracies.
    """
    runs = by_setting(job.records("accuracy"))
    best = best_series(job.records("best_runs"))
    names = [name for name in job.datasets if name != "table1"]
    present = {key[0] for key in runs} & set(best)
    if not runs or not set(names) <= present:
        return {}
    found: dict[str, dict[str, Any]] = {}
    for method in METHODS:
        for reading, source, wanted in readings(method, "L=3"):
            chosen = {name: chosen_setting(runs, name, method, source, wanted) for name in names}
            scores = mean_over(runs, chosen, method, source)
            found.setdefault(reading, {})[method] = scores["accuracy"]
            if reading == RECONCILED and method != "coupledmc":
                largest = mean_largest(runs, chosen, method, source)
                found.setdefault(BEST, {})[method] = largest
    found[BEST]["coupledmc"] = per_series([best[name] for name in names])
    return found


def _improvement(
    metric: str, reading: str, averages: Mapping[str, Mapping[str, Any]]
) -> tuple[Reproduced, str, bool]:
    """Improvement of the mean accuracy of coupledMC over that of another method."""
    if not averages:
        return Reproduced(None, absent=_INCOMPLETE), "", True
    import numpy as np

    coupled = np.array(averages[reading]["coupledmc"])
    other = np.array(averages[RECONCILED][_other(metric, averages)])
    ratio = coupled / other - 1
    value = float(coupled.mean() / other.mean() - 1)
    sd = float(ratio.std(ddof=1))
    values = Reproduced(
        value, sd=sd, runs=len(ratio), spread=(float(ratio.min()), float(ratio.max()))
    )
    return values, "better L, means", True


def _best_improvement(
    metric: str, averages: Mapping[str, Mapping[str, Any]]
) -> tuple[Reproduced, str, bool]:
    """Improvement of the largest run of coupledMC over the mean of another method, as printed."""
    if not averages:
        return Reproduced(None, absent=_INCOMPLETE), "", True
    mean = float(averages[RECONCILED][_other(metric, averages)].mean())
    ratios = [value / mean - 1 for value in averages[BEST]["coupledmc"]]
    values = Reproduced(ratios[0], spread=(min(ratios), max(ratios)))
    return values, "largest runs of coupledMC over means of the others", True


def _other(metric: str, averages: Mapping[str, Mapping[str, Any]]) -> str:
    """Method with the lowest mean, for the largest improvement, or with the highest one."""
    means = {
        method: float(averages[RECONCILED][method].mean())
        for method in METHODS
        if method != "coupledmc"
    }
    return (min if metric.startswith("max") else max)(means, key=lambda one: means[one])


def _best_improvements(
    verdicts: Iterable[Mapping[str, Any]], averages: Mapping[str, Mapping[str, Any]]
) -> list[str]:
    """Improvements of the largest runs: as the print mixes statistics, and like with like."""
    if not averages:
        return []
    mixed = [
        f"{one['reproduced']:.2%} (print: {one['printed']}) {MARKS[one['verdict']]}"
        for one in verdicts
        if one["reading"] == BEST
    ]
    best = averages[BEST]
    rival = max((m for m in best if m != "coupledmc"), key=lambda m: best[m])
    gain = best["coupledmc"][0] / best[rival] - 1
    return [
        f"{BEST} (oracle): largest runs of coupledMC over means of the others, as in the printed "
        f"columns, {' and '.join(mixed)}; over the largest runs of the best other method, "
        f"{METHODS[rival]}, {gain:.2%}."
    ]


_INCOMPLETE = "needs all data sets of Table 6"
