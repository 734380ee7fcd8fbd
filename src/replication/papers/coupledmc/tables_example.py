"""Tables 1 to 4 of coupledMC and the numbers in its text: every entry beside the printed one."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from replication.judge.cells import Ours, counting, reasons_by_cell
from replication.judge.published import numbers
from replication.judge.verdicts import EXACT, MARKS, WITHIN_NOISE, Reproduced
from replication.papers.coupledmc.runs import (
    BEST,
    METHODS,
    averages_of,
    best_improvement,
    improvement,
)
from replication.papers.coupledmc.tables_common import MARK_LEGEND, PRINTED_RUNS, SPREAD, VERDICT
from replication.show.job import Job
from replication.show.sheet import Cell, Column, Sheet, pivot

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
    first = readings[0]

    def entry(cell: Mapping[str, str], reading: str) -> Ours:
        if absent:
            return Ours(absent)
        key = "" if job.artefact == "table01" else reading
        one = found.get((job.artefact, key, "", cell["dataset_id"], cell["metric"]))
        return Ours(
            _worked(one, signs[reading].get(cell["metric"], 1.0)),
            reason=_contradiction(cell, judged, found) if job.artefact == "table02" else "",
            more={"object": cell["dataset_id"], "column": cell["metric"]},
        )

    verdicts = job.judged(cells, entry, readings)
    columns = list(dict.fromkeys(cell["metric"] for cell in judged))
    ours = [one for one in verdicts if one["reading"] == first]
    largest = max(
        (abs(one["difference"]) for one in ours if one["difference"] is not None), default=0
    )
    said = (
        f"Not run: {absent}."
        if absent
        else f"Ours, marked against print: {counting(ours)}; the largest difference is "
        f"{largest:.4f}."
    )
    legend = [MARK_LEGEND, "In brackets: the printed entry where ours differs."]
    if job.artefact != "table01":
        legend.append(
            "Within noise: the printed entry lies in our range over tables that round to Table 1."
        )
        text = [one for one in verdicts if one["reading"] != first]
        legend.append(f"With the weights of eq. (3) as printed, {counting(text)}.")
    if job.artefact == "table04":
        legend.append("The sign of a component is arbitrary; ours are turned to the printed ones.")
    return Sheet.of(
        job,
        _WORKED[job.artefact],
        said,
        [
            Column("row", "object", text=True, of="dataset"),
            *(
                Column(name, name, of=_entry, where={"metric": name, "reading": first})
                for name in columns
            ),
        ],
        [] if absent else verdicts,
        by=["dataset"],
        legend=[*legend, *reasons_by_cell(ours)],
        data_columns=["object", "column", *VERDICT, "printed_value", *SPREAD],
        verdicts=verdicts,
    )


def _entry(one: Mapping[str, Any]) -> Cell:
    """Our entry with as many digits as printed, and the printed one where they differ."""
    met = one["verdict"] in (EXACT, WITHIN_NOISE)
    digits = len(one["printed"].partition(".")[2])
    note = "" if met else f" ({one['printed']})"
    return Cell(one["reproduced"], digits, verdict=one["verdict"], note=note)


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

    def known(cell: Mapping[str, str]) -> list[str]:
        asked = (*job.readings, BEST)
        return [one for one in asked if _text_value(cell, one, found, averages, absent)[0]]

    def number(cell: Mapping[str, str], reading: str) -> Ours:
        values, setting, oracle = _text_value(cell, reading, found, averages, absent)
        several = values.runs > 1
        return Ours(
            values,
            setting=setting,
            oracle=oracle,
            trials=values.runs if several else 0,
            printed_runs=PRINTED_RUNS if several else 1,
            more={"quantity": f"{cell['method']}: {_NAMED.get(cell['metric'], cell['metric'])}"},
        )

    verdicts = job.judged(cells, number, known)
    others = [
        {"quantity": f"normalized Euclidean on RFS: d({','.join(pair)})", "reading": ""}
        | {"setting": f"columns {_SCALED[scale]}", "reproduced": one["value"]}
        for scale in ("z", "raw")
        for pair in _PAIRS
        if (one := found.get(("rfs_distance", "reconciled", scale, *pair)))
    ]
    data = [*verdicts, *others]
    columns = [
        Column("quantity", "Quantity", text=True),
        Column("printed", "printed"),
        Column("ours", "ours", of=_in_its_unit),
        Column("setting", "with", text=True),
    ]
    ours = [one for one in verdicts if one["reading"] == job.readings[0]]
    wmm = _of_method(ours, "wmm")
    pcd = _of_method(ours, "pcd")
    rfs = _of_method(ours, "rfs_distance")
    met = (EXACT, WITHIN_NOISE)
    return Sheet.of(
        job,
        "",
        f"Of the distances, {_met(wmm, met)} mixed (wmm), {_met(pcd, met)} partially coupled "
        f"(pcd) and {_met(rfs, met)} of those on Table 4 come out; the two weights are printed "
        "in exchanged places.",
        columns,
        data,
        rows=pivot(columns, [one for one in data if one["reading"] in (job.readings[0], "")]),
        legend=[
            MARK_LEGEND,
            "The text does not say how the distances on Table 4 are normalised; min-max columns "
            "come nearest and are judged, the others stand below.",
            "Improvements: average accuracy of coupledMC over that of the worst and of the best "
            "other method, minus 1, both ours; they follow from the printed averages as printed.",
            *_best_improvements(verdicts, averages),
            *reasons_by_cell(ours),
        ],
        data_columns=["quantity", *VERDICT, *SPREAD],
        verdicts=verdicts,
        title=f"{job.label} of coupledMC",
    )


def _in_its_unit(one: Mapping[str, Any]) -> Cell:
    """Our number with one digit more than printed, but for counts; percent stay percent."""
    if "verdict" not in one:
        return Cell(one["reproduced"], 3)
    percent = one["printed"].endswith("%")
    digits = len(one["printed"].rstrip("%").partition(".")[2])
    return Cell(
        one["reproduced"],
        digits + (digits > 0 and not percent),
        100 if percent else 1,
        sign="%" if percent and one["reproduced"] is not None else "",
        verdict=one["verdict"],
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
            return best_improvement(metric, averages)
        return improvement(metric, reading, averages)
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
