"""Kinds of tables in ``config/papers/caso.yaml``: from records to sheets with their verdicts.

Here: given classes, cost and theory, and the numbers that the text states.
"""

from __future__ import annotations

import itertools
from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import Any, TypedDict, Unpack

import pandas as pd

from replication.judge.cells import Ours, legend_of_marks, tally
from replication.judge.claims import span
from replication.judge.times import HOW
from replication.judge.verdicts import Reproduced
from replication.papers.caso import analysis
from replication.papers.caso.analysis import INDICES, MEASURES
from replication.papers.caso.examples import RELATIONS, SHORT
from replication.papers.caso.structure import ALL_ROWS
from replication.papers.caso.tables_bibliographic import (
    bibliographic_clusters as bibliographic_clusters,
)
from replication.papers.caso.tables_bibliographic import bibliographic_map as bibliographic_map
from replication.papers.caso.tables_clustering import partition_quality as partition_quality
from replication.papers.caso.tables_clustering import rock_quality as rock_quality
from replication.papers.caso.tables_clustering import significance as significance
from replication.papers.caso.tables_clustering import theta_curve as theta_curve
from replication.papers.caso.tables_examples import abbreviations as abbreviations
from replication.papers.caso.tables_examples import framework as framework
from replication.papers.caso.tables_examples import input_table as input_table
from replication.papers.caso.tables_examples import notation as notation
from replication.papers.caso.tables_examples import relative_steps as relative_steps
from replication.show.job import Job
from replication.show.sheet import Cell, Column, Sheet, across, number, pivot, words

# --- Fig. 2: data structure ---------------------------------------------------------------------


INDEX_NAMES = {
    "rd": "RD",
    "dbi": "DBI",
    "di": "DI",
    "sd_max": "SD (by max)",
    "sd_mean": "SD (by mean)",
}


def structure_indices(job: Job, cells: pd.DataFrame) -> Sheet:
    """Internal indices of the given classes under four dissimilarities: Fig. 2."""
    data = [
        {**about, **row}
        for about, records in job.each("structure")
        for row in analysis.structure_indices(records)
    ]
    wins = analysis.count_firsts(data)
    said = {
        measure: ", ".join(f"{INDEX_NAMES[key]} {wins[measure, key]}" for key in INDICES)
        for measure in ("cado", "add")
    }
    columns = [
        Column("dataset", "Data set", text=True, of=_label),
        Column("measure", "D", text=True, of=lambda row: MEASURES[row["measure"]]),
        *(
            Column(key, name, of=partial(_starred, key, ".4g" if key.startswith("sd") else 3))
            for key, name in INDEX_NAMES.items()
        ),
        Column("max_over_mean", "max/mean", digits=1),
    ]
    return Sheet.of(
        job,
        "given classes under four dissimilarities",
        f"Of {len({row['dataset'] for row in data})} data sets, CADO is first (ties included) on: "
        f"{said['cado']}; ADD: {said['add']}.",
        columns,
        data,
        rows=pivot(columns, [row for row in data if row["measure"] in MEASURES]),
        legend=[
            "* best of the four; none where all four are equal. Undefined: a division by 0.",
            "RD: mean D between classes / mean within. DBI: with means over pairs. DI: least D "
            "between classes / greatest within. SD: sum of D within classes, D divided by its "
            "maximum or by its mean first. max/mean: largest D over mean D.",
            "The printed figure shows curves without numbers; the text says where CADO leads.",
            *job.not_run("structure"),
        ],
    )


def _label(row: Mapping[str, Any]) -> str:
    """Name of the data set and, if they are not all, its rows; above the first measure alone."""
    if row["measure"] != next(iter(MEASURES)):
        return ""
    part = "" if row["rows"] == ALL_ROWS else f" ({row['objects']} rows)"
    return f"{row['printed_name']}{part}"


def _starred(key: str, digits: int | str, row: Mapping[str, Any]) -> Cell:
    """Cell of an index, with a star if it is the best one."""
    value = "undefined" if row[key] is None else row[key]
    return Cell(value, digits, sign="*" if row[f"{key}_first"] == "yes" else "")


# --- rare values --------------------------------------------------------------------------------


def rare_values(job: Job, cells: pd.DataFrame, *, rare: float) -> Sheet:
    """Share of the summed dissimilarity that comparisons with a rare value carry."""
    data = [
        {**about, **{key: row[key] for key in ("measure", "share", "comparisons")}}
        | {"distance": analysis.defined(row["distance"])}
        for about, part in job.each("rare_values")
        for row in part.to_dict("records")
    ]
    shown = [row for row in data if row["share"] == rare]
    worst = analysis.out_of_proportion(shown)
    percent = {"digits": 2, "scale": 100}
    columns = [
        Column("dataset", "Data set", text=True, of="printed_name"),
        Column("comparisons", "comparisons (%)", **percent),
        *across("measure", MEASURES, "share of the total (%)", of="distance", **percent),
    ]
    return Sheet.of(
        job,
        "who owns the dissimilarity",
        f"Comparisons with a value that occurs once or in at most {rare:.0%} of the objects, "
        "and the share of the total dissimilarity that they carry, in %. Most out of "
        "proportion: "
        f"{worst['printed_name']}, where {worst['comparisons']:.1%} of the comparisons carry "
        f"{worst['distance']:.1%} of CADO.",
        columns,
        data,
        rows=pivot(columns, shown, by=("dataset",)),
        legend=[
            "Comparison: two objects in one attribute. It counts if their values differ and the "
            "rarer one occurs at most max(1, share x objects) times.",
            "CADO weighs a comparison by 1/f_x + 1/f_y: about 2/m for frequent values, 1 and more "
            "for one that occurs once.",
            *job.not_run("rare_values"),
        ],
    )


# --- Table IX: evaluations ----------------------------------------------------------------------


def evaluation_counts(job: Job, cells: pd.DataFrame) -> Sheet:
    """Evaluations of conditional probabilities per comparison of two values, on every data set."""
    sizes = ("objects", "attributes", "most_values", "comparisons")
    checks = ("disordered", "counted", "power_counted", "miscounted", "unequal")
    data = [
        {
            **about,
            **{key: int(counts[key]) for key in sizes},
            **analysis.mean_evaluations(counts),
            **{key: int(counts[key]) for key in checks},
        }
        for about, part in job.each("evaluations")
        for counts in part.to_dict("records")
    ]
    formulas = {cell["method"]: cell["value"] for cell in cells.to_dict("records")}
    total = {key: sum(row[key] for row in data) for key in ("comparisons", *checks)}
    wrong = total["miscounted"] + total["unequal"]
    return Sheet.of(
        job,
        "evaluations of conditional probabilities",
        f"Mean evaluations per comparison of two values. In {total['disordered']} of "
        f"{total['comparisons']} comparisons a smaller set takes more evaluations than a "
        f"larger one; the library's counter disagrees in {wrong} of {total['counted']}.",
        [
            Column("dataset", "Data set", text=True, of="printed_name"),
            Column("most_values", "R"),
            Column("comparisons", "comparisons"),
            *(Column(r, SHORT[r], "mean evaluations", digits=1) for r in RELATIONS),
            Column("disordered", "out of order"),
            Column("counted", "counted", "counter"),
            Column("wrong", "wrong", "counter", of=lambda row: row["miscounted"] + row["unequal"]),
        ],
        data,
        legend=[
            "Numbers of evaluations per comparison: "
            + "; ".join(f"{name} {formula}" for name, formula in formulas.items())
            + " (reconstructed; the printed table is an image).",
            "Comparison: two values of an attribute with respect to another attribute. Counter: "
            "a random sample of them by the reference implementation, which counts evaluations and "
            "must give four equal fractions; the power set only where it can be enumerated.",
            *job.not_run("evaluations"),
        ],
    )


# --- Table X: complexity ------------------------------------------------------------------------

COMPILED = {"add": "ADD, compiled", "cado": "CADO, compiled"}


def complexity(job: Job, cells: pd.DataFrame) -> Sheet:
    """Growth of evaluations and of seconds with R and n, beside the printed orders."""
    axes = ("values", "attributes")
    growth = job.ok("growth")
    data = [
        {"quantity": "evaluations", "what": count["relation"], "value": count["total"], **count}
        for count in growth.to_dict("records")
    ] + [
        {"quantity": "seconds", **time, "value": time["seconds"]}
        | {axis: int(time[axis]) for axis in axes}
        for time in job.rows("seconds")
        if time["axis"] in axes
    ]
    printed = {
        (method, cell["metric"]): cell["value"]
        for cell in cells.to_dict("records")
        for method in cell["method_id"].split("+")
    }
    rows = []
    for what in (*RELATIONS, *COMPILED):
        short = SHORT.get(what, "").lower()
        row = {
            "what": SHORT.get(what) or COMPILED[what],
            "steps": printed.get(("all", "calculation steps"), "") if short else "",
            "flops": printed.get((short, "flops per step"), ""),
            "order": printed.get((short, "complexity"), ""),
        }
        for quantity, axis in itertools.product(("evaluations", "seconds"), axes):
            row[f"{quantity}.{axis}"] = number(analysis.growth_rate(data, quantity, what, axis), 2)
        rows.append(row)
    largest, means = analysis.evaluations_at_most_values(growth)
    return Sheet.of(
        job,
        "complexity of the value similarities",
        f"Evaluations per comparison at R = {largest}: "
        f"{', '.join(f'{SHORT[r]} {number(means[r], 1)}' for r in RELATIONS)}.",
        [
            Column("what", "Measure", text=True),
            Column("steps", "steps", "printed", text=True),
            Column("flops", "flops per step", "printed", text=True),
            Column("order", "order", "printed", text=True),
            *(
                Column(f"{quantity}.{axis}", size, f"{quantity} grow with")
                for quantity in ("evaluations", "seconds")
                for axis, size in zip(axes, ("R", "n"), strict=True)
            ),
        ],
        data,
        rows=rows,
        legend=[
            "Growth with R: for IRSP the slope of log2 of the number divided by R^2, over R (1 for "
            "R^2 2^R); for the others the exponent of R, least squares over all R. With n: "
            "the exponent of n.",
            "Synthetic tables of three classes. Evaluations are counted by the reference "
            "implementation; where the power set is too large to enumerate, its size is taken. "
            "Seconds are of the same code in Python, taken from a sample of comparisons to all; "
            "below, of the compiled measures.",
            HOW,
            "Exponents of evaluations above the printed ones come from R (R - 1) and n (n - 1), "
            "lower ones from values that never meet, those of seconds from fixed costs at small "
            "sizes. The printed flops count the two values of a comparison twice.",
        ],
        data_columns=[
            *("quantity", "axis", "values", "attributes", "what", "steps", "per_comparison"),
            *("value", "slowest", "counted"),
        ],
    )


# --- theorems, bounds and special cases ---------------------------------------------------------

_BOUNDS = (
    ("IaASV of different values in [1/3, m/(m+4)]", "pairs", "iaasv_above_apart"),
    ("IaASV of a value with itself at most m/(m+4)", "values", "iaasv_above_self"),
    ("CASO(u, u) at most mn/(m+4)", "objects", "caso_self_above"),
    ("CASO symmetric", "triples", "caso_asymmetric"),
    ("CASO(u, w) at most CASO(u, v) + CASO(v, w)", "triples", "caso_triangle_failures"),
    ("CADO symmetric", "triples", "cado_asymmetric"),
    ("CADO(u, w) at most CADO(u, v) + CADO(v, w)", "triples", "cado_triangle_failures"),
)


def theory(job: Job, cells: pd.DataFrame) -> Sheet:
    """Statements of the paper, how often they were tried and how often they fail."""
    data = [
        {
            "statement": tried["statement"],
            "tried_on": f"{tried['tables']} random tables" if tried["tables"] else "frequencies",
            "cases": int(tried["cases"]),
            "exceptions": int(tried["exceptions"]),
            "largest_difference": tried["largest_difference"],
        }
        for name in ("equivalence", "special_cases")
        for tried in job.rows(name)
    ]
    random = len(data)
    bounds = job.ok("bounds")
    if not bounds.empty:
        low, high = (analysis.extreme(bounds, "ieasv", end) for end in ("least", "greatest"))
        outside = (low < 0) | (high > 1)
        data.append(
            {
                "statement": "IeASV in [0, 1]",
                "tried_on": f"{len(bounds)} data sets",
                "cases": int((bounds["pairs"] + bounds["values"]).sum()),
                "exceptions": int(outside.sum()),
            }
        )
        data += [
            {
                "statement": statement,
                "tried_on": f"{len(bounds)} data sets, holds on {(bounds[failed] == 0).sum()}",
                "cases": int(bounds[cases].sum()),
                "exceptions": int(bounds[failed].sum()),
            }
            for statement, cases, failed in _BOUNDS
        ]
    failing = [row["statement"] for row in data if row["exceptions"]]
    return Sheet.of(
        job,
        "what the paper proves, tried",
        f"{random} statements in exact arithmetic and {len(data) - random} on data sets; "
        f"{len(failing)} have exceptions: {'; '.join(failing)}.",
        [
            *words(statement="Statement", tried_on="tried on"),
            Column("cases", "cases"),
            Column("exceptions", "exceptions"),
            Column(
                "largest_difference",
                "compiled - exact",
                digits=".1e",
                of=lambda row: row.get("largest_difference") or None,
            ),
        ],
        data,
        legend=[
            "Exact: fractions of integers. Compiled - exact: largest difference between the fast "
            "measure of the library and the fraction.",
            "m objects, n attributes. Triples: all ordered ones of a small table, a random sample "
            "of a larger one. For CASO, a similarity, the triangle inequality is read as written.",
            *job.not_run("bounds"),
        ],
    )


# --- numbers in the text ------------------------------------------------------------------------

MARK_LEGEND = legend_of_marks("chance explains the difference")
PRINTED_RUNS = 100
"""Clusterings behind each mean of Table XI (section VIII-B1)."""


class Groups(TypedDict):
    """Data sets that a number in the text is about."""

    six_data_sets: Sequence[str]
    ten_data_sets: Sequence[str]
    n_uci_datasets: Sequence[str]


def stated_numbers(job: Job, cells: pd.DataFrame, **groups: Unpack[Groups]) -> Sheet:
    """Every number that the text states, with ours."""
    worked = analysis.worked_values(job)
    data = job.judged(cells, lambda cell, _: _stated(job, cell, worked, groups), job.readings[:1])
    said = ", ".join(f"{count} {name}" for name, count in sorted(tally(data).items()))
    return Sheet.of(
        job,
        "printed and ours",
        f"{len(data)} numbers: {said}.",
        [
            Column("about", "About", text=True),
            Column(
                "quantity",
                "quantity",
                text=True,
                of=lambda row: " ".join(filter(None, (row["method"], row["metric"]))),
            ),
            Column("printed", "printed"),
            Column("ours", "ours", of=_shown),
            Column("exact", "exact", text=True),
            Column("setting", "setting", text=True),
        ],
        data,
        legend=[
            MARK_LEGEND,
            "Improvement: relative change of a mean score from ADD to CADO over "
            f"{PRINTED_RUNS} starts; the printed ones are the extremes over six data sets.",
            *(
                f"{row['about']}, {row['method'] or row['metric']}: {row['reason']}"
                for row in data
                if row["reason"]
            ),
        ],
        data_columns=[
            *("id", "about", "method", "metric", "reading", "printed", "reproduced", "sd"),
            *("trials", "verdict", "difference", "exact", "setting", "reason"),
        ],
        verdicts=data,
        title=f"{job.label}, printed and ours",
    )


def _shown(row: Mapping[str, Any]) -> Cell:
    """Our number in the unit of the printed one, with the mark of the verdict."""
    value = row["reproduced"]
    if value is None:
        return Cell(verdict=row["verdict"])
    if row["printed"].endswith("%"):
        return Cell(value, 2, 100, sign="%", verdict=row["verdict"])
    return Cell(value, ".4g" if value % 1 else 0, verdict=row["verdict"])


def _stated(
    job: Job,
    cell: Mapping[str, str],
    worked: Mapping[tuple[str, str], Mapping[str, Any]],
    groups: Groups,
) -> Ours:
    """What there is of ours for a number in the text, and its exact text."""
    dataset, metric = cell["dataset_id"], cell["metric"]
    if (dataset, metric) in worked:
        value = worked[dataset, metric]
        ours, exact = Ours(Reproduced(float(value["value"]))), value["exact"]
    elif "_improvement_" in metric:
        ours, exact = _improvement(job, cell), ""
    elif "venue_index" in metric:
        ours, exact = _misplaced_venue(job, metric)
    else:
        ours, exact = _counted(job, dataset, metric, groups)
    return replace(ours, more={"about": cell["dataset"] or "paper", "exact": exact})


def _misplaced_venue(job: Job, metric: str) -> tuple[Ours, str]:
    """First or last place of the venues that CLIMBO puts with the other field (Fig. 3)."""
    if reason := job.absent("venue_map", "bibliographic"):
        return Ours(reason), ""
    venues = analysis.venue_clusters(job.ok("venue_map"), "climbo")
    wrong = venues.loc[venues["misplaced"], "place"]
    if wrong.empty:
        return Ours("CLIMBO misplaces no venue"), ""
    place = wrong.iloc[0 if metric.endswith("low") else -1]
    exact = f"{len(wrong)} of {len(venues)} venues are misplaced"
    return Ours(Reproduced(float(place))), exact


def _improvement(job: Job, cell: Mapping[str, str]) -> Ours:
    """Change from ADD to CADO on the data set of an extreme of Table XI."""
    if reason := job.absent("partitions", cell["dataset_id"]):
        return Ours(reason)
    algorithm = analysis.main_algorithms(job)[cell["method"].partition(" ")[0]]
    score = cell["metric"].partition("_")[0].lower()
    records = job.records("partitions")
    found = analysis.changes(records[records["dataset"] == cell["dataset_id"]], score)
    return Ours(
        found[algorithm],
        setting=algorithm,
        trials=found[algorithm].runs,
        printed_runs=PRINTED_RUNS,
        reason=f"over the variants run, {span((one.value for one in found.values()), '+.1%')}",
    )


def _counted(job: Job, dataset: str, metric: str, groups: Groups) -> tuple[Ours, str]:
    """Sizes of the data sets, and bounds."""
    names = groups.get(metric) or groups.get(dataset) or list(job.datasets)
    if dataset != "theory" and (reason := job.absent("bounds", *names)):
        return Ours(reason), ""
    bounds = job.ok("bounds")
    bounds = bounds[bounds["dataset"].isin(names)]
    sizes, exact = bounds["objects"], ""
    if metric == "n_uci_datasets":
        value, exact = len(bounds), ", ".join(map(job.printed, names))
    elif metric.startswith("objects_"):
        value = sizes.min() if metric.endswith("min") else sizes.max()
    elif metric == "IaASV lower bound":
        value = analysis.extreme(bounds, "iaasv", "least").min()
        exact = "least value on the data sets"
    else:
        return Ours(f"nothing here computes {metric!r}"), ""
    return Ours(Reproduced(float(value))), exact
