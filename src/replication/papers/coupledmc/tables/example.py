"""Tables 1 to 4 of coupledMC and the numbers in its text: every entry beside the printed one."""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import replace
from itertools import product
from typing import Any

import pandas as pd

from replication.judge.cells import Ours, counting, reasons_by_cell
from replication.judge.published import numbers
from replication.judge.verdicts import EXACT, MARKS, WITHIN_NOISE, Reproduced
from replication.papers.coupledmc.accuracy_runs import (
    BEST,
    METHODS,
    OURS,
    RECONCILED,
    best_series,
    by_place,
    by_setting,
    chosen_runs,
    improvements,
    mean_over,
    per_series,
    readings,
)
from replication.papers.coupledmc.tables import MARK_LEGEND, SPREAD, VERDICT
from replication.papers.coupledmc.tables.accuracies import PRINTED_RUNS, reproduced
from replication.show.job import Job
from replication.show.kinds import in_its_unit, number_table
from replication.show.sheet import Cell, Column, Sheet, across, words

_WORKED = {
    "table01": "the mixed data of the worked example",
    "table02": "coupled representation of the discrete attributes",
    "table03": "normalised coupled representation",
    "table04": "principal components",
}


def worked(job: Job, cells: pd.DataFrame) -> Sheet:
    """One table of the worked example, every entry beside the printed one."""
    found = by_place(job.records("example"))
    cells = numbers(cells)
    given, first = job.artefact == "table01", job.readings[0]
    readings = job.readings[:1] if given else job.readings

    def value(cell: Mapping[str, str], reading: str) -> Mapping[str, float]:
        place = (cell["dataset_id"], cell["metric"])
        return found[job.artefact, "" if given else reading, "", *place]

    def turned(reading: str, metric: str) -> float:
        """Sign that turns a component to the printed one: its own is arbitrary."""
        column = cells[cells["metric"] == metric].to_dict("records")
        sign = sum(float(one["value"]) * value(one, reading)["value"] for one in column)
        return -1.0 if job.artefact == "table04" and sign < 0 else 1.0

    table = cells.assign(ours=[value(one, first)["value"] for one in cells.to_dict("records")])

    def entry(cell: Mapping[str, str], reading: str) -> Ours:
        return Ours(
            _worked(value(cell, reading), turned(reading, cell["metric"])),
            reason=_contradiction(cell, table) if job.artefact == "table02" else "",
            more={"object": cell["dataset_id"], "column": cell["metric"]},
        )

    verdicts = job.judged(cells, entry, readings)
    ours = [one for one in verdicts if one["reading"] == first]
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
        f"Ours, marked against print: {counting(ours)}; the largest difference is "
        f"{max(abs(one['difference']) for one in ours):.4f}.",
        [
            Column("row", "object", text=True, of="dataset"),
            *across(
                "metric",
                {name: name for name in cells["metric"]},
                of=_entry,
                where={"reading": first},
            ),
        ],
        verdicts,
        by=["dataset"],
        legend=[*legend, *reasons_by_cell(ours)],
        data_columns=["object", "column", *VERDICT, "printed_value", *SPREAD],
        verdicts=verdicts,
    )


def _entry(one: Mapping[str, Any]) -> Cell:
    """Our entry with as many digits as printed, and the printed one where they differ."""
    note = "" if one["verdict"] in (EXACT, WITHIN_NOISE) else f" ({one['printed']})"
    digits = len(one["printed"].partition(".")[2])
    return Cell(one["reproduced"], digits, verdict=one["verdict"], note=note)


def _worked(one: Mapping[str, float], sign: float = 1.0) -> Reproduced:
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


_NAMED = {
    "max_improvement_of_average": "largest improvement of the average",
    "min_improvement_of_average": "smallest improvement of the average",
    "n_columns": "columns of Table 3",
    "n_components": "columns of Table 4",
    "gamma(a1d) as printed": "gamma(a1d)",
    "gamma(a2r->d) as printed": "gamma(a2r)",
}
_PAIRS = (("u4", "u6"), ("u4", "u3"), ("u6", "u5"), ("u3", "u5"))
_SOURCES = {"gamma(a1d) as printed": "a1d", "gamma(a2r->d) as printed": "a2r"}


def text(job: Job, cells: pd.DataFrame) -> Sheet:
    """Distances, weights and sizes of the worked example, and the improvements of Table 6."""
    found, averages = by_place(job.records("example")), _averages(job)
    stated: dict[str, dict[str, Ours]] = {}
    for cell, reading in product(numbers(cells).to_dict("records"), (*job.readings, BEST)):
        metric, quantity = cell["metric"], _NAMED.get(cell["metric"], cell["metric"])
        if metric.endswith("_improvement_of_average"):
            one = _improvement(metric, reading, averages)
        else:
            key, setting = _place(cell["method_id"], metric, reading)
            if key not in found:
                continue
            one = Ours(_worked(found[key]), setting=setting)
        more = {"quantity": f"{cell['method']}: {quantity}"}
        stated.setdefault(cell["id"], {})[reading] = replace(one, more=more)
    verdicts = job.judged(
        cells, lambda cell, reading: stated[cell["id"]][reading], lambda cell: [*stated[cell["id"]]]
    )
    others = [
        {"quantity": f"normalized Euclidean on RFS: d({','.join(pair)})", "reading": ""}
        | {"setting": f"columns {scaled}", "reproduced": near["value"]}
        for scale, scaled in (("z", "z-scored"), ("raw", "as they are"))
        for pair in _PAIRS
        if (near := found.get(("rfs_distance", RECONCILED, scale, *pair)))
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


def _place(method: str, metric: str, reading: str) -> tuple[tuple[str, ...], str]:
    """Where a number of the text stands in the records of the example, and its setting."""
    pair = metric.removeprefix("d(").removesuffix(")").split(",")
    if method in ("wmm", "pcd"):
        only = "" if reading == RECONCILED else reading
        return (method, only, "", *pair), "gamma half the mean sd of the raw numbers"
    if method == "rfs_distance":
        return (method, reading, "minmax", *pair), "columns min-max"
    if method == "coupling_weight":
        setting = "SU shares" if reading == RECONCILED else "eq. (3)"
        return ("weight", reading, "", "a2d", _SOURCES.get(metric, "")), setting
    return ("shape", reading, "", "number", metric), "L=2"


def _best_improvements(
    verdicts: Sequence[Mapping[str, Any]], averages: Mapping[str, Mapping[str, Any]]
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


def _averages(job: Job) -> dict[str, dict[str, Any]]:
    """Average accuracy over all data sets, by reading and method; empty if one is missing.

    One number per run, under `BEST` one per series of runs of coupledMC, and for the other
    methods the average of their largest accuracies.
    """
    runs = by_setting(job.records("accuracy"))
    best = best_series(job.records("best_runs"))
    names = [name for name in job.datasets if name != "table1"]
    if not runs or not set(names) <= {key[0] for key in runs} & set(best):
        return {}
    found: dict[str, dict[str, Any]] = defaultdict(dict)
    for method in METHODS:
        for reading, (source, wanted) in readings(method, "L=3").items():
            scores = mean_over(chosen_runs(runs, names, method, source, wanted))
            found[reading][method] = scores["accuracy"]
            if reading == RECONCILED:
                found[BEST][method] = scores["largest_run"]
    found[BEST][OURS] = per_series([best[name] for name in names])
    return found


def _improvement(metric: str, reading: str, averages: Mapping[str, Mapping[str, Any]]) -> Ours:
    """Improvement of the mean accuracy of coupledMC over that of another method.

    The other has the lowest mean, for the largest improvement, or the highest one. Under `BEST` the
    largest run of coupledMC takes the place of its mean, as in print.
    """
    if not averages:
        return Ours(Reproduced(None, absent="needs all data sets of Table 6"), oracle=True)
    others = {name: runs for name, runs in averages[RECONCILED].items() if name != OURS}
    extreme = min if metric.startswith("max") else max
    other = extreme(others.values(), key=lambda runs: runs.mean())
    coupled = averages[reading][OURS]
    if reading == BEST:
        ratios = [value / float(other.mean()) - 1 for value in coupled]
        values = Reproduced(ratios[0], spread=(min(ratios), max(ratios)))
        said = "largest runs of coupledMC over means of the others"
        return Ours(values, oracle=True, setting=said)
    values = replace(
        reproduced(coupled / other - 1), value=float(coupled.mean() / other.mean() - 1)
    )
    runs: dict[str, Any] = (
        {"trials": values.runs, "printed_runs": PRINTED_RUNS} if values.runs > 1 else {}
    )
    return Ours(values, oracle=True, setting="better L, means", **runs)
