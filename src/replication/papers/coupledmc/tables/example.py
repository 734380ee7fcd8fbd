"""Tables 1 to 4 of coupledMC and the numbers in its text: every entry beside the printed one."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any

import pandas as pd

from replication.judge.cells import Ours, counting, reasons_by_cell
from replication.judge.published import numbers
from replication.judge.verdicts import EXACT, MARKS, WITHIN_NOISE, Reproduced
from replication.papers.coupledmc.analysis import (
    MARK_LEGEND,
    PRINTED_RUNS,
    SPREAD,
    VERDICT,
    by_place,
    improvements,
    reproduced,
)
from replication.papers.coupledmc.runs import (
    BEST,
    METHODS,
    RECONCILED,
    best_series,
    by_setting,
    chosen_runs,
    mean_over,
    per_series,
    readings,
)
from replication.papers.coupledmc.significance import OURS
from replication.show.job import Job
from replication.show.kinds import in_its_unit, number_table
from replication.show.sheet import Cell, Column, Sheet, across, words

# --- Tables 1 to 4 ------------------------------------------------------------------------------


def worked(job: Job, cells: pd.DataFrame) -> Sheet:
    """One table of the worked example, every entry beside the printed one."""
    found = by_place(job.records("example"))
    cells = numbers(cells)
    given = job.artefact == "table01"
    readings = job.readings[:1] if given else job.readings
    first = readings[0]
    absent = job.missing("table1")

    def value(cell: Mapping[str, str], reading: str) -> Mapping[str, float] | None:
        place = (cell["dataset_id"], cell["metric"])
        return found.get((job.artefact, "" if given else reading, "", *place))

    printed = cells.to_dict("records")
    known = (value(cell, first) for cell in printed)
    table = cells.assign(ours=[one and one["value"] for one in known])

    def entry(cell: Mapping[str, str], reading: str) -> Ours:
        if absent:
            return Ours(absent)
        column = [one for one in printed if one["metric"] == cell["metric"]]
        pairs = [(one["value"], mine["value"]) for one in column if (mine := value(one, reading))]
        turned = job.artefact == "table04" and sum(float(text) * ours for text, ours in pairs) < 0
        return Ours(
            _worked(value(cell, reading), -1.0 if turned else 1.0),
            reason=_contradiction(cell, table) if job.artefact == "table02" else "",
            more={"object": cell["dataset_id"], "column": cell["metric"]},
        )

    verdicts = job.judged(cells, entry, readings)
    ours = [one for one in verdicts if one["reading"] == first]
    said = (
        f"Not run: {absent}."
        if absent
        else f"Ours, marked against print: {counting(ours)}; the largest difference is "
        f"{max(abs(one['difference']) for one in ours):.4f}."
    )
    legend = [MARK_LEGEND, "In brackets: the printed entry where ours differs."]
    if not given:
        text = [one for one in verdicts if one["reading"] != first]
        legend += [
            "Within noise: the printed entry lies in our range over tables that round to Table 1.",
            f"With the weights of eq. (3) as printed, {counting(text)}.",
        ]
    if job.artefact == "table04":
        legend.append("The sign of a component is arbitrary; ours are turned to the printed ones.")
    return Sheet.of(
        job,
        _WORKED[job.artefact],
        said,
        [
            Column("row", "object", text=True, of="dataset"),
            *across(
                "metric",
                {name: name for name in cells["metric"]},
                of=_entry,
                where={"reading": first},
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


def _worked(one: Mapping[str, float] | None, sign: float = 1.0) -> Reproduced:
    if one is None:
        return Reproduced(None, absent="this reading has no such entry")
    low, high = sorted((sign * one["low"], sign * one["high"]))
    return Reproduced(sign * one["value"], spread=(low, high))


def _contradiction(cell: Mapping[str, str], table: pd.DataFrame) -> str:
    """Objects with the same entry of ours for which another number is printed more often."""
    given = table.set_index("id").loc[cell["id"]]
    same = table[(table["metric"] == given["metric"]) & (table["ours"] == given["ours"])]
    others = same[same["printed"] != given["printed"]]
    if others.empty or 2 * len(others) < len(same):
        return ""
    return (
        f"misprint: {', '.join(others['dataset_id'])} has the same value and prints "
        f"{others['printed'].iloc[0]}; equal values have equal entries"
    )


# --- numbers in the text ------------------------------------------------------------------------


def text(job: Job, cells: pd.DataFrame) -> Sheet:
    """Distances, weights and sizes of the worked example, and the improvements of Table 6."""
    found = by_place(job.records("example"))
    absent = job.missing("table1")
    averages = _averages(job)

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
    ours = [one for one in verdicts if one["reading"] == job.readings[0]]

    def said(method: str) -> str:
        mine = [one["verdict"] in (EXACT, WITHIN_NOISE) for one in ours if one["method"] == method]
        return f"{sum(mine)} of {len(mine)}"

    return number_table(
        job,
        "",
        f"Of the distances, {said('wmm')} mixed (wmm), {said('pcd')} partially coupled "
        f"(pcd) and {said('rfs_distance')} of those on Table 4 come out; the two weights are "
        "printed in exchanged places.",
        data,
        words(quantity="Quantity"),
        _in_its_unit,
        words(setting="with"),
        shown=[one for one in data if one["reading"] in (job.readings[0], "")],
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
        title=f"{job.label} of coupledMC",
    )


def _in_its_unit(one: Mapping[str, Any]) -> Cell:
    """Our number with one digit more than printed, but for counts; percent stay percent."""
    if "verdict" not in one:
        return Cell(one["reproduced"], 3)
    digits = len(one["printed"].rstrip("%").partition(".")[2])
    return in_its_unit(one, digits + (digits > 0), digits)


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
        return _improvement(metric, reading, averages)
    pair = metric.removeprefix("d(").removesuffix(")").split(",")
    setting, *key = "L=2", "shape", reading, "", "number", metric
    if method in ("wmm", "pcd"):
        setting, *key = "gamma half the mean sd of the raw numbers", method, "", "", *pair
    elif method == "rfs_distance":
        setting, *key = "columns min-max", method, reading, "minmax", *pair
    elif method == "coupling_weight":
        setting = "SU shares" if reading == "reconciled" else "eq. (3)"
        key = ["weight", reading, "", "a2d", _SOURCES.get(metric)]
    if reading == BEST or (method in ("wmm", "pcd") and reading != "reconciled"):
        return None, "", False
    values = Reproduced(None, absent=absent) if absent else _worked(found[tuple(key)])
    return values, setting, False


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
    means = {**averages[BEST], OURS: averages[BEST][OURS][0]}
    rival = max((name for name in means if name != OURS), key=lambda name: means[name])
    return [
        f"{BEST} (oracle): largest runs of coupledMC over means of the others, as in the printed "
        f"columns, {' and '.join(mixed)}; over the largest runs of the best other method, "
        f"{METHODS[rival]}, {improvements(means)[0]:.2%}."
    ]


_INCOMPLETE = "needs all data sets of Table 6"


def _averages(job: Job) -> dict[str, dict[str, Any]]:
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
            scores = mean_over(chosen_runs(runs, names, method, source, wanted))
            found.setdefault(reading, {})[method] = scores["accuracy"]
            if reading == RECONCILED and method != OURS:
                found.setdefault(BEST, {})[method] = scores["largest_run"]
    found[BEST][OURS] = per_series([best[name] for name in names])
    return found


def _improvement(
    metric: str, reading: str, averages: Mapping[str, Mapping[str, Any]]
) -> tuple[Reproduced, str, bool]:
    """Improvement of the mean accuracy of coupledMC over that of another method.

    The other has the lowest mean, for the largest improvement, or the highest one. Under `BEST` the
    largest run of coupledMC takes the place of its mean, as in print.
    """
    if not averages:
        return Reproduced(None, absent=_INCOMPLETE), "", True
    others = {name: runs for name, runs in averages[RECONCILED].items() if name != OURS}
    extreme = min if metric.startswith("max") else max
    other = extreme(others.values(), key=lambda runs: runs.mean())
    coupled = averages[reading][OURS]
    if reading == BEST:
        ratios = [value / float(other.mean()) - 1 for value in coupled]
        values = Reproduced(ratios[0], spread=(min(ratios), max(ratios)))
        return values, "largest runs of coupledMC over means of the others", True
    values = reproduced(coupled / other - 1)
    return replace(values, value=float(coupled.mean() / other.mean() - 1)), "better L, means", True
