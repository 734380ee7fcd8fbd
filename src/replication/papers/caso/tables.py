"""CASO (Wang, Dong, Zhou, Cao, Chi 2015): from records to its tables and their verdicts.

One function per kind of artefact in ``config/papers/caso.yaml``.
"""

from __future__ import annotations

import itertools
import math
import statistics
from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from replication.errors import UserError
from replication.judge.cells import NO_DATASET, mean_moved, not_run, tally
from replication.judge.published import numbers
from replication.judge.times import HOW
from replication.judge.verdicts import MARKS, Reproduced
from replication.papers.caso.costs import POWER
from replication.papers.caso.examples import CELL, FITTING, RELATIONS, SHORT, VALUE
from replication.papers.caso.rocks import METHODS, SCORES
from replication.papers.caso.structure import ALL_ROWS
from replication.show.job import Job
from replication.show.sheet import Column, Sheet, number
from replication.steps import OK

if TYPE_CHECKING:
    import pandas as pd

MEASURES = {"smd": "SMD", "ofd": "OFD", "add": "ADD", "cado": "CADO"}
"""The four dissimilarities that the paper compares."""

MARK_LEGEND = (
    "Marks: = the printed digits, rounded or truncated; ~ within noise: chance explains the "
    "difference; ≠ differs; – not comparable; ∅ not run."
)


def _done(records: pd.DataFrame) -> pd.DataFrame:
    """Records of the data sets that could be had."""
    return records[records["status"] == OK]


def _absent(job: Job, records: pd.DataFrame, datasets: Iterable[str]) -> str:
    """Why not all of some data sets were computed; empty if they were."""
    for name in datasets:
        if reason := job.missing(name):
            return reason
        rows = records[records["dataset"] == name]
        if not (rows["status"] == OK).any():
            return rows.iloc[0]["reason"] if len(rows) else "no record of the data set"
    return ""


def _missing_legend(job: Job, records: pd.DataFrame) -> list[str]:
    """Line that names the data sets without records."""
    names = [
        f"{one['printed']}: {reason}"
        for name, one in job.datasets.items()
        if (reason := _absent(job, records, [name]))
    ]
    return [f"Not run: {'; '.join(names)}."] if names else []


def _printed(job: Job, dataset: str) -> str:
    return job.datasets[dataset]["printed"]


# --- Tables I and II: the examples --------------------------------------------------------------


def input_table(job: Job, cells: pd.DataFrame) -> Sheet:
    """One of the two example tables, as reconstructed, with what supports it."""
    (dataset,) = job.datasets
    records = job.records("worked")
    records = records[records["dataset"] == dataset]
    shown, values = (records[records["kind"] == kind] for kind in (CELL, VALUE))
    named = dict(zip(shown["object"].unique(), cells["dataset"].unique(), strict=True))
    rows: dict[str, dict[str, str]] = {}
    data = []
    for one in shown.to_dict("records"):
        name = named[one["object"]]
        rows.setdefault(name, {"object": name})[one["attribute"]] = one["exact"]
        data.append({"object": name, "attribute": one["attribute"], "value": one["exact"]})
    legend = ["The table is an image in the source; what the text says about it decides the cells."]
    legend += [
        f"{fitting} tables, up to the names of the values of a3, agree with what the text says; "
        "this is one of them."
        for fitting in values.loc[values["quantity"] == FITTING, "exact"]
    ]
    attributes = list(shown["attribute"].unique())
    return Sheet(
        name=f"{job.paper}-{job.artefact}",
        title=f"{job.label}: the example {_printed(job, dataset)}",
        caption=(
            f"{len(rows)} objects with {len(attributes)} attributes, reconstructed; "
            f"{len(values)} values are computed from it, those of the text in the table of numbers "
            "in the text."
        ),
        columns=[
            Column("object", "Object", text=True),
            *(Column(name, name, text=True) for name in attributes),
        ],
        rows=list(rows.values()),
        legend=legend,
        data=data,
        data_columns=["object", "attribute", "value"],
    )


# --- Tables III and IV: notation and abbreviations ----------------------------------------------

_NOTATION = (
    ("F_j(U')", "values of some objects in attribute j", "|F2({u1,u2,u3})|"),
    ("G_j(V')", "objects with some values of attribute j", "|G2({B1,B2})|"),
    ("phi_{j->k}(x)", "values of k that occur together with x", "|phi_2->1(B1)|"),
    ("|G_j({x})|", "frequency of a value", "freq(B1)"),
    ("P_{k|j}(W | x)", "share of the objects with x that have a value in W", "P_1|2({A1}|B1)"),
)
_ABBREVIATIONS = (
    ("IaASV", "intra-coupled similarity of values", "eq. (5)", "iaasv", "IaASV(B1,B2)"),
    ("IRSP", "relative similarity by the power set", "eq. (8)", "irsp", "IRSP(B1,B2|a1)"),
    ("IRSU", "relative similarity by the universal set", "eq. (10)", "irsu", "IRSU(B1,B2|a1)"),
    ("IRSJ", "relative similarity by the joint set", "eq. (11)", "irsj", "IRSJ(B1,B2|a1)"),
    ("IRSI", "relative similarity by the intersection set", "eq. (12)", "irsi", "IRSI(B1,B2|a1)"),
    ("IeASV", "inter-coupled similarity of values", "eq. (13)", "ieasv", "IeASV(B1,B2)"),
    ("CASV", "coupled similarity of values", "eq. (14)", "casv", "CASV(B1,B2)"),
    ("CASO", "coupled similarity of objects", "eq. (15)", "Caso", "CASO(u2,u3)"),
    ("CADO", "coupled dissimilarity of objects", "eq. (16)", "Cado", "CADO(B1,B2)"),
)


def _worked_values(job: Job) -> dict[tuple[str, str], Mapping[str, Any]]:
    """Records of the worked values by data set and printed name."""
    records = _done(job.records("worked"))
    values = records[records["kind"] == VALUE]
    return {(one["dataset"], one["quantity"]): one for one in values.to_dict("records")}


def notation(job: Job, cells: pd.DataFrame) -> Sheet:
    """Notation of section III, each symbol with its value on Table II."""
    return _glossary(
        job,
        [(symbol, meaning, "", "", quantity) for symbol, meaning, quantity in _NOTATION],
        f"{job.label}: notation",
    )


def abbreviations(job: Job, cells: pd.DataFrame) -> Sheet:
    """Abbreviations of the measures, with their names in this library and a value on Table II."""
    return _glossary(job, _ABBREVIATIONS, f"{job.label}: abbreviations")


def _glossary(job: Job, entries: Sequence[tuple[str, ...]], title: str) -> Sheet:
    worked = _worked_values(job)
    data = []
    for symbol, meaning, equation, name, quantity in entries:
        found = worked["information_table", quantity]
        data.append(
            {
                "symbol": symbol,
                "meaning": meaning,
                "equation": equation,
                "name": name,
                "quantity": quantity.strip("|") if found["exact"].startswith("{") else quantity,
                "value": found["exact"],
            }
        )
    used = [key for key in data[0] if any(row[key] for row in data)]
    heads = {
        "symbol": "Symbol",
        "meaning": "meaning",
        "equation": "defined in",
        "name": "in couplings",
        "quantity": "example",
        "value": "on Table II",
    }
    return Sheet(
        name=f"{job.paper}-{job.artefact}",
        title=title,
        caption=f"{len(data)} symbols in our words, each with its value on Table II.",
        columns=[Column(key, heads[key], text=True) for key in used],
        rows=[{key: row[key] for key in used} for row in data],
        legend=["The table is an image in the source; it holds no number."],
        data=data,
        data_columns=list(heads),
    )


# --- Tables V to VIII: the relative similarities step by step ------------------------------------

_TERMS = {
    "power": ("subset W", "2 - sum", "least term"),
    "universal": ("value b", "max", "2 - sum of the terms"),
    "joint": ("value b", "max", "2 - sum of the terms"),
    "intersection": ("value b", "min", "sum of the terms"),
}


def relative_steps(job: Job, cells: pd.DataFrame) -> Sheet:
    """Steps of one relative similarity of B1 and B2 with respect to a1."""
    relation = job.need("parameters")["relation"]
    records = job.records("relative")
    steps = records[records["relation"] == relation].astype(object).fillna("").to_dict("records")
    first, term, rule = _TERMS[relation]
    power = relation == "power"
    columns = [Column("values", first, text=True)]
    if power:
        columns.append(Column("complement", "not W", text=True))
    columns += [
        Column("p_x", "P(W | B1)" if power else "P(b | B1)"),
        Column("p_y", "P(not W | B2)" if power else "P(b | B2)"),
        Column("term", term),
    ]
    rows = [
        {column.key: str(step[column.key]) or "∅" for column in columns}
        if power
        else {column.key: str(step[column.key]) for column in columns}
        for step in steps
    ]
    whole = steps[0]
    return Sheet(
        name=f"{job.paper}-{job.artefact}",
        title=f"{job.label}: {SHORT[relation]} of B1 and B2 with respect to a1",
        caption=(
            f"{SHORT[relation]}(B1, B2 | a1) = {whole['similarity']}, the {rule}: {len(steps)} "
            f"{'subsets' if power else 'value' if len(steps) == 1 else 'values'}, "
            f"{whole['evaluations']} evaluations of a conditional probability."
        ),
        columns=columns,
        rows=rows,
        legend=["Exact fractions, by the reference implementation of the library."],
        data=steps,
        data_columns=[
            *("relation", "step", "values", "complement", "p_x", "p_y", "term"),
            *("similarity", "evaluations"),
        ],
    )


# --- Table IX: evaluations ----------------------------------------------------------------------


def evaluation_counts(job: Job, cells: pd.DataFrame) -> Sheet:
    """Evaluations of conditional probabilities per comparison of two values, on every data set."""
    records = job.records("evaluations")
    data, rows = [], []
    for name in job.datasets:
        for one in _done(records[records["dataset"] == name]).to_dict("records"):
            means = {r: int(one[r]) / int(one["comparisons"]) for r in RELATIONS}
            keep = ("objects", "attributes", "most_values", "comparisons", "disordered")
            checks = ("counted", "power_counted", "miscounted", "unequal")
            row = {
                "dataset": name,
                "printed_name": _printed(job, name),
                **{key: int(one[key]) for key in (*keep, *checks)},
                **means,
            }
            data.append(row)
            rows.append(
                {
                    "dataset": row["printed_name"],
                    **{key: str(row[key]) for key in ("most_values", "comparisons")},
                    **{r: number(means[r], 1) for r in RELATIONS},
                    "disordered": str(row["disordered"]),
                    "checked": str(row["counted"]),
                    "wrong": str(row["miscounted"] + row["unequal"]),
                }
            )
    formulas = {one["method"]: one["value"] for one in cells.to_dict("records")}
    total = {key: sum(row[key] for row in data) for key in ("comparisons", "disordered", "counted")}
    wrong = sum(row["miscounted"] + row["unequal"] for row in data)
    return Sheet(
        name=f"{job.paper}-{job.artefact}",
        title=f"{job.label}: evaluations of conditional probabilities",
        caption=(
            f"Mean evaluations per comparison of two values. In {total['disordered']} of "
            f"{total['comparisons']} comparisons a smaller set takes more evaluations than a "
            f"larger one; the library's counter disagrees in {wrong} of {total['counted']}."
        ),
        columns=[
            Column("dataset", "Data set", text=True),
            Column("most_values", "R"),
            Column("comparisons", "comparisons"),
            *(Column(r, SHORT[r], "mean evaluations") for r in RELATIONS),
            Column("disordered", "out of order"),
            Column("checked", "counted", "counter"),
            Column("wrong", "wrong", "counter"),
        ],
        rows=rows,
        legend=[
            "Numbers of evaluations per comparison: "
            + "; ".join(f"{name} {formula}" for name, formula in formulas.items())
            + " (reconstructed; the printed table is an image).",
            "Comparison: two values of an attribute with respect to another attribute. Counter: "
            "a random sample of them by the reference implementation, which counts evaluations and "
            "must give four equal fractions; the power set only where it can be enumerated.",
            *_missing_legend(job, records),
        ],
        data=data,
        data_columns=[
            *("dataset", "printed_name", "objects", "attributes", "most_values", "comparisons"),
            *RELATIONS,
            *("disordered", "counted", "power_counted", "miscounted", "unequal"),
        ],
    )


# --- Table X: complexity ------------------------------------------------------------------------

COMPILED = {"add": "ADD, compiled", "cado": "CADO, compiled"}


def complexity(job: Job, cells: pd.DataFrame) -> Sheet:
    """Growth of evaluations and of seconds with R and n, beside the printed orders."""
    counts, times = _done(job.records("growth")), _done(job.records("seconds"))
    data = [
        {"quantity": "evaluations", "what": one["relation"], "value": one["total"], **one}
        for one in counts.to_dict("records")
    ] + [
        {
            "quantity": "seconds",
            **one,
            "value": one["seconds"],
            **{axis: int(one[axis]) for axis in ("values", "attributes")},
        }
        for one in times.to_dict("records")
        if one["axis"] in ("values", "attributes")
    ]
    printed = {}
    for one in cells.to_dict("records"):
        for method in one["method_id"].split("+"):
            printed[method, one["metric"]] = one["value"]
    rows = []
    for what in (*RELATIONS, *COMPILED):
        short = SHORT.get(what, "").lower()
        row = {
            "what": SHORT.get(what) or COMPILED[what],
            "steps": printed.get(("all", "calculation steps"), "") if short else "",
            "flops": printed.get((short, "flops per step"), ""),
            "order": printed.get((short, "complexity"), ""),
        }
        for quantity in ("evaluations", "seconds"):
            for axis in ("values", "attributes"):
                rate = growth_rate(data, quantity, what, axis)
                row[f"{quantity}.{axis}"] = number(rate, 2)
        rows.append(row)
    return Sheet(
        name=f"{job.paper}-{job.artefact}",
        title=f"{job.label}: complexity of the value similarities",
        caption=_complexity_caption(data),
        columns=[
            Column("what", "Measure", text=True),
            Column("steps", "steps", "printed", text=True),
            Column("flops", "flops per step", "printed", text=True),
            Column("order", "order", "printed", text=True),
            Column("evaluations.values", "R", "evaluations grow with"),
            Column("evaluations.attributes", "n", "evaluations grow with"),
            Column("seconds.values", "R", "seconds grow with"),
            Column("seconds.attributes", "n", "seconds grow with"),
        ],
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
        data=data,
        data_columns=[
            *("quantity", "axis", "values", "attributes", "what", "steps", "per_comparison"),
            *("value", "slowest", "counted"),
        ],
    )


def growth_rate(
    data: Iterable[Mapping[str, Any]], quantity: str, what: str, axis: str
) -> float | None:
    """Slope by which a number grows, see the legend of the table; None below three points."""
    points = [
        (float(one[axis]), float(one["value"]))
        for one in data
        if (one["quantity"], one["what"], one["axis"]) == (quantity, what, axis)
        # two values make one comparison and one attribute none: nothing grows yet
        and float(one[axis]) > 2
    ]
    if len(points) < 2:
        return None
    if what == POWER and axis == "values":
        x = [size for size, _ in points]
        y = [math.log2(value / size**2) for size, value in points]
    else:
        x = [math.log(size) for size, _ in points]
        y = [math.log(value) for _, value in points]
    return statistics.linear_regression(x, y).slope


def _complexity_caption(data: Sequence[Mapping[str, Any]]) -> str:
    """What the counts say at the largest R."""
    counted = [one for one in data if one["quantity"] == "evaluations" and one["axis"] == "values"]
    largest = max(one["values"] for one in counted)
    means = {one["what"]: one["per_comparison"] for one in counted if one["values"] == largest}
    return (
        f"Evaluations per comparison at R = {largest}: "
        + ", ".join(f"{SHORT[r]} {number(means[r], 1)}" for r in RELATIONS)
        + "."
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
            "statement": one["statement"],
            "tried_on": f"{one['tables']} random tables" if one["tables"] else "frequencies",
            "cases": int(one["cases"]),
            "exceptions": int(one["exceptions"]),
            "largest_difference": one["largest_difference"],
        }
        for name in ("equivalence", "special_cases")
        for one in _done(job.records(name)).to_dict("records")
    ]
    random = len(data)
    records = job.records("bounds")
    found = _done(records)
    if not found.empty:
        within = (
            (found["ieasv_apart_least"] >= 0)
            & (found["ieasv_apart_greatest"] <= 1)
            & (found["ieasv_self_greatest"] <= 1)
        )
        data.append(
            {
                "statement": "IeASV in [0, 1]",
                "tried_on": f"{len(found)} data sets",
                "cases": int((found["pairs"] + found["values"]).sum()),
                "exceptions": int((~within).sum()),
            }
        )
        for statement, cases, exceptions in _BOUNDS:
            held = int((found[exceptions] == 0).sum())
            data.append(
                {
                    "statement": statement,
                    "tried_on": f"{len(found)} data sets, holds on {held}",
                    "cases": int(found[cases].sum()),
                    "exceptions": int(found[exceptions].sum()),
                }
            )
    failing = [one["statement"] for one in data if one["exceptions"]]
    return Sheet(
        name=f"{job.paper}-{job.artefact}",
        title=f"{job.label}: what the paper proves, tried",
        caption=(
            f"{random} statements in exact arithmetic and {len(data) - random} on data sets; "
            f"{len(failing)} have exceptions: {'; '.join(failing)}."
        ),
        columns=[
            Column("statement", "Statement", text=True),
            Column("tried_on", "tried on", text=True),
            Column("cases", "cases"),
            Column("exceptions", "exceptions"),
            Column("largest_difference", "compiled - exact"),
        ],
        rows=[
            {
                **{key: str(one[key]) for key in ("statement", "tried_on", "cases", "exceptions")},
                "largest_difference": f"{one['largest_difference']:.1e}"
                if one.get("largest_difference")
                else "",
            }
            for one in data
        ],
        legend=[
            "Exact: fractions of integers. Compiled - exact: largest difference between the fast "
            "measure of the library and the fraction.",
            "m objects, n attributes. Triples: all ordered ones of a small table, a random sample "
            "of a larger one. For CASO, a similarity, the triangle inequality is read as written.",
            *_missing_legend(job, records),
        ],
        data=data,
        data_columns=["statement", "tried_on", "cases", "exceptions", "largest_difference"],
    )


# --- the numbers in the text --------------------------------------------------------------------

KMODES = {"frequency": "kmodes_frequency", "minimiser": "kmodes_minimiser"}
SPECTRAL = {
    ("one-minus", "njw"): "sc_one_minus",
    ("exp-mean", "njw"): "sc_exp_mean",
    ("gauss-mean", "njw"): "sc_gauss_mean",
    ("one-minus", "rw"): "sc_one_minus_rw",
    ("gauss-mean", "rw"): "sc_gauss_mean_rw",
}
PRINTED_RUNS = 100
"""Clusterings behind each mean of Table XI (section VIII-B1)."""


def main_algorithms(job: Job) -> dict[str, str]:
    """Algorithms of the first reading under the paper's names."""
    first = job.readings[0]
    spectral = (job.choice("caso.affinity", first), job.choice("caso.laplacian", first))
    if spectral not in SPECTRAL:
        raise UserError(
            f"config/readings.yaml: caso.affinity {spectral[0]!r} with caso.laplacian "
            f"{spectral[1]!r} is not computed; add the algorithm to `experiments.partitions`"
        )
    return {"KM": KMODES[job.choice("caso.mode", first)], "SC": SPECTRAL[spectral]}


def change(records: pd.DataFrame, score: str, over: str = "add") -> Reproduced:
    """Relative change of the mean score from one dissimilarity to CADO.

    Parameters
    ----------
    records : DataFrame
        Records of the experiment ``partitions`` for one data set and one algorithm.
    score : str
        Column.
    over : str
        Dissimilarity that CADO is compared with.

    Returns
    -------
    Reproduced
        Its standard deviation is that of a ratio of two runs that start apart, to first order.
    """
    ours, other = (records.loc[records["measure"] == name, score] for name in ("cado", over))
    ratio = ours.mean() / other.mean()
    moved, other_moved = (
        mean_moved(records[records["measure"] == name].get("moved", ())) for name in ("cado", over)
    )
    rounding = float((moved + ratio * other_moved) / other.mean())
    if len(ours) < 2:
        return Reproduced(float(ratio - 1), rounding=rounding)
    sd = math.sqrt(ours.var() + ratio**2 * other.var()) / other.mean()
    return Reproduced(float(ratio - 1), sd=float(sd), runs=len(ours), rounding=rounding)


def stated_numbers(job: Job, cells: pd.DataFrame) -> Sheet:
    """Every number that the text states, with ours."""
    first = job.readings[0]
    worked = _worked_values(job)
    data, verdicts = [], []
    for cell in numbers(cells).to_dict("records"):
        values, exact, more = _stated(job, cell, worked)
        judged = (
            not_run(cell, values, reading=first)
            if isinstance(values, str)
            else job.judge(cell, values, reading=first, **more)
        )
        verdicts.append(judged)
        about = cell["dataset"] or "paper"
        data.append({**judged, "about": about, "where": cell["note"], "exact": exact})
    counts = tally(verdicts)
    said = ", ".join(f"{count} {name}" for name, count in sorted(counts.items()))
    return Sheet(
        name=f"{job.paper}-{job.artefact}",
        title=f"{job.label}, printed and ours",
        caption=f"{len(verdicts)} numbers: {said}.",
        columns=[
            Column("about", "About", text=True),
            Column("quantity", "quantity", text=True),
            Column("printed", "printed"),
            Column("ours", "ours"),
            Column("exact", "exact", text=True),
            Column("setting", "setting", text=True),
        ],
        rows=[
            {
                "about": one["about"],
                "quantity": " ".join(filter(None, (one["method"], one["metric"]))),
                "printed": one["printed"],
                "ours": _shown(one),
                "exact": one["exact"],
                "setting": one["setting"],
            }
            for one in data
        ],
        legend=[
            MARK_LEGEND,
            "Improvement: relative change of a mean score from ADD to CADO over "
            f"{PRINTED_RUNS} starts; the printed ones are the extremes over six data sets.",
            *(
                f"{one['about']}, {one['method'] or one['metric']}: {one['reason']}"
                for one in data
                if one["reason"]
            ),
        ],
        data=data,
        data_columns=[
            *("id", "about", "method", "metric", "reading", "printed", "reproduced", "sd"),
            *("trials", "verdict", "difference", "exact", "setting", "reason"),
        ],
        verdicts=verdicts,
    )


def _shown(one: Mapping[str, Any]) -> str:
    """Our number in the unit of the printed one, with the mark of the verdict."""
    if one["reproduced"] is None:
        return MARKS[one["verdict"]]
    if one["printed"].endswith("%"):
        text = f"{number(one['reproduced'], 2, 100)}%"
    else:
        text = f"{one['reproduced']:.4g}" if one["reproduced"] % 1 else f"{one['reproduced']:.0f}"
    return f"{text} {MARKS[one['verdict']]}"


def _stated(
    job: Job, cell: Mapping[str, str], worked: Mapping[tuple[str, str], Mapping[str, Any]]
) -> tuple[Reproduced | str, str, dict[str, Any]]:
    """Our number for a cell, its exact text, and what else the verdict wants to know.

    In place of the number stands the reason why there is none.
    """
    dataset, metric = cell["dataset_id"], cell["metric"]
    if (dataset, metric) in worked:
        one = worked[dataset, metric]
        return Reproduced(float(one["value"])), one["exact"], {}
    if "_improvement_" in metric:
        return _improvement(job, cell)
    if "venue_index" in metric:
        return _misplaced_venue(job, metric)
    return *_counted(job, dataset, metric), {}


def _misplaced_venue(job: Job, metric: str) -> tuple[Reproduced | str, str, dict[str, Any]]:
    """First or last place of the venues that CLIMBO puts with the other field (Fig. 3)."""
    from replication.papers.caso.tables_bibliographic import venue_clusters

    records = job.records("venue_map")
    if reason := _absent(job, records, ["bibliographic"]):
        return reason, "", {}
    clusters = venue_clusters(_done(records), "climbo")
    if not clusters.misplaced:
        return "CLIMBO misplaces no venue", "", {}
    place = (min if metric.endswith("low") else max)(clusters.misplaced)
    exact = f"{len(clusters.misplaced)} of {len(clusters.venues)} venues are misplaced"
    return Reproduced(float(place)), exact, {}


def _improvement(job: Job, cell: Mapping[str, str]) -> tuple[Reproduced | str, str, dict[str, Any]]:
    """Change from ADD to CADO on the data set of an extreme of Table XI."""
    records = job.records("partitions")
    if reason := _absent(job, records, [cell["dataset_id"]]):
        return reason, "", {}
    algorithm = main_algorithms(job)[cell["method"].partition(" ")[0]]
    score = cell["metric"].partition("_")[0].lower()
    chosen = records[(records["dataset"] == cell["dataset_id"])]
    values = change(chosen[chosen["algorithm"] == algorithm], score)
    others = [change(part, score).value for _, part in chosen.groupby("algorithm", sort=False)]
    reason = f"over the variants run, {min(others):+.1%} to {max(others):+.1%}"
    more = {"setting": algorithm, "trials": values.runs, "printed_runs": PRINTED_RUNS}
    return values, "", {**more, "reason": reason}


def _counted(job: Job, dataset: str, metric: str) -> tuple[Reproduced | str, str]:
    """Sizes of the data sets, and bounds."""
    records = job.records("bounds")
    groups = job.need("parameters")
    names = groups.get(metric) or groups.get(dataset) or list(job.datasets)
    if dataset != "theory" and (reason := _absent(job, records, names)):
        return reason, ""
    found = _done(records[records["dataset"].isin(names)])
    if metric == "n_uci_datasets":
        return Reproduced(float(len(found))), ", ".join(_printed(job, name) for name in names)
    if metric.startswith("objects_"):
        sizes = found["objects"]
        return Reproduced(float(sizes.min() if metric.endswith("min") else sizes.max())), ""
    if metric == "IaASV lower bound":
        least = min(found["iaasv_apart_least"].min(), found["iaasv_self_least"].min())
        return Reproduced(float(least)), "least value on the data sets"
    return f"nothing here computes {metric!r}", ""


# --- Fig. 1: the framework ----------------------------------------------------------------------

_ARROWS = (
    ("information table", "frequencies of values", "", "freq(B1)"),
    ("information table", "co-occurrence of values", "definition 3.3", "P_1|2({A1}|B1)"),
    ("frequencies of values", "IaASV", "eq. (5)", "IaASV(B1,B2)"),
    ("co-occurrence of values", "IRSI", "eq. (12)", "IRSI(B1,B2|a1)"),
    ("IRSI", "IeASV", "eq. (13)", "IeASV(B1,B2)"),
    ("IaASV", "CASV", "eq. (14)", "CASV(B1,B2)"),
    ("IeASV", "CASV", "eq. (14)", "CASV(B1,B2)"),
    ("CASV", "CASO", "eq. (15)", "CASO(u2,u3)"),
    ("IaASV", "CADO", "eq. (16)", "CADO(B1,B2)"),
    ("IeASV", "CADO", "eq. (16)", "CADO(B1,B2)"),
    ("CASO", "CROCK", "section VIII-B2", ""),
    ("CADO", "data structure", "section VIII-A", ""),
    ("CADO", "k-modes, spectral", "section VIII-B1", ""),
    ("CADO", "CLIMBO", "section VIII-C", ""),
)


def framework(job: Job, cells: pd.DataFrame) -> Sheet:
    """Arrows of the framework, each with what arrives on Table II."""
    worked = _worked_values(job)
    data = [
        {
            "source": source,
            "target": target,
            "equation": equation,
            "example": example,
            "value": worked["information_table", example]["exact"] if example else "",
        }
        for source, target, equation, example in _ARROWS
    ]
    heads = {
        "source": "From",
        "target": "to",
        "equation": "by",
        "example": "example",
        "value": "on Table II",
    }
    return Sheet(
        name=f"{job.paper}-{job.artefact}",
        title=f"{job.label}: from frequencies and co-occurrence to similarity",
        caption=(
            f"{len(data)} steps; intra-coupling uses the frequencies of an attribute, "
            "inter-coupling what its values share in the others."
        ),
        columns=[Column(key, head, text=True) for key, head in heads.items()],
        rows=[dict(one) for one in data],
        legend=["Drawn anew; the printed figure holds no number."],
        data=data,
        data_columns=list(heads),
    )


# --- Fig. 2: data structure ---------------------------------------------------------------------

INDICES = {"rd": True, "dbi": False, "di": True, "sd_max": False, "sd_mean": False}
"""Indices that are compared, and whether more is better."""
INDEX_NAMES = {
    "rd": "RD",
    "dbi": "DBI",
    "di": "DI",
    "sd_max": "SD (by max)",
    "sd_mean": "SD (by mean)",
}


def firsts(values: Mapping[str, float | None], more_is_better: bool) -> set[str]:
    """Names with the best number, several if they tie; none if nothing tells them apart.

    Parameters
    ----------
    values : mapping of str to float or None
        Undefined numbers never win.
    more_is_better : bool
        Direction.
    """
    known = {name: value for name, value in values.items() if value is not None}
    if len(known) < 2 or max(known.values()) - min(known.values()) <= 1e-9:
        return set()
    best = (max if more_is_better else min)(known.values())
    return {name for name, value in known.items() if math.isclose(value, best, rel_tol=1e-9)}


def structure_indices(job: Job, cells: pd.DataFrame) -> Sheet:
    """Internal indices of the given classes under four dissimilarities: Fig. 2."""
    records = job.records("structure")
    data, rows = [], []
    for name in job.datasets:
        done = _done(records[records["dataset"] == name])
        for which, part in done.groupby("rows", sort=False):
            found = {
                one["measure"]: {
                    key: None if math.isnan(one[key]) else float(one[key])
                    for key in (*INDICES, "dbi_mode", "di_mean", "max_over_mean")
                }
                | {"objects": int(one["objects"])}
                for one in part.to_dict("records")
            }
            best = {
                key: firsts({m: found[m][key] for m in MEASURES}, more)
                for key, more in INDICES.items()
            }
            for measure in sorted(found, key=lambda m: [*MEASURES, m].index(m)):
                values = found[measure]
                row = {
                    "dataset": name,
                    "printed_name": _printed(job, name),
                    "rows": which,
                    "measure": measure,
                    **values,
                    **{f"{key}_first": "yes" if measure in best[key] else "no" for key in INDICES},
                }
                data.append(row)
                if measure not in MEASURES:
                    continue
                label = row["printed_name"]
                if which != ALL_ROWS:
                    label += f" ({values['objects']} rows)"
                star = {key: "*" if measure in best[key] else "" for key in INDICES}
                rows.append(
                    {
                        "dataset": label if measure == "smd" else "",
                        "measure": MEASURES[measure],
                        **{
                            key: (number(values[key], 3) or "undefined") + star[key]
                            for key in ("rd", "dbi", "di")
                        },
                        **{
                            key: (_short(values[key]) or "undefined") + star[key]
                            for key in ("sd_max", "sd_mean")
                        },
                        "max_over_mean": number(values["max_over_mean"], 1),
                    }
                )
    wins = count_firsts(data)
    n_sets = len({one["dataset"] for one in data})
    return Sheet(
        name=f"{job.paper}-{job.artefact}",
        title=f"{job.label}: given classes under four dissimilarities",
        caption=(
            f"Of {n_sets} data sets, CADO is first (ties included) on: "
            + ", ".join(f"{INDEX_NAMES[key]} {wins['cado', key]}" for key in INDICES)
            + "; ADD: "
            + ", ".join(f"{INDEX_NAMES[key]} {wins['add', key]}" for key in INDICES)
            + "."
        ),
        columns=[
            Column("dataset", "Data set", text=True),
            Column("measure", "D", text=True),
            *(Column(key, name) for key, name in INDEX_NAMES.items()),
            Column("max_over_mean", "max/mean"),
        ],
        rows=rows,
        legend=[
            "* best of the four; none where all four are equal. Undefined: a division by 0.",
            "RD: mean D between classes / mean within. DBI: with means over pairs. DI: least D "
            "between classes / greatest within. SD: sum of D within classes, D divided by its "
            "maximum or by its mean first. max/mean: largest D over mean D.",
            "The printed figure shows curves without numbers; the text says where CADO leads.",
            *_missing_legend(job, records),
        ],
        data=data,
        data_columns=[
            *("dataset", "printed_name", "rows", "objects", "measure", *INDICES, "dbi_mode"),
            *("di_mean", "max_over_mean", *(f"{key}_first" for key in INDICES)),
        ],
    )


def _short(value: float | None) -> str:
    return "" if value is None else f"{value:.4g}"


def count_firsts(data: Iterable[Mapping[str, Any]]) -> dict[tuple[str, str], int]:
    """Data sets, with all their rows, on which a measure is first, by measure and index."""
    counts = {(measure, key): 0 for measure in MEASURES for key in INDICES}
    for one in data:
        for key in INDICES:
            if one["rows"] == ALL_ROWS and one[f"{key}_first"] == "yes":
                counts[one["measure"], key] += 1
    return counts


# --- rare values --------------------------------------------------------------------------------


def rare_values(job: Job, cells: pd.DataFrame) -> Sheet:
    """Share of the summed dissimilarity that comparisons with a rare value carry."""
    records = job.records("rare_values")
    rare = job.need("parameters")["rare"]
    data, rows = [], []
    for name in job.datasets:
        done = _done(records[records["dataset"] == name])
        row = {"dataset": _printed(job, name)}
        for one in done.to_dict("records"):
            distance = None if math.isnan(one["distance"]) else float(one["distance"])
            data.append(
                {
                    "dataset": name,
                    "printed_name": row["dataset"],
                    **{key: one[key] for key in ("measure", "share", "comparisons")},
                    "distance": distance,
                }
            )
            if one["share"] == rare:
                row["comparisons"] = number(one["comparisons"], 2, 100)
                row[one["measure"]] = number(distance, 2, 100)
        if len(done):
            rows.append(row)
    worst = max(
        (one for one in data if one["measure"] == "cado" and one["share"] == rare),
        key=lambda one: one["distance"] / one["comparisons"] if one["comparisons"] else 0.0,
    )
    return Sheet(
        name=f"{job.paper}-{job.artefact}",
        title=f"{job.label}: who owns the dissimilarity",
        caption=(
            f"Comparisons with a value that occurs once or in at most {rare:.0%} of the objects, "
            "and the share of the total dissimilarity that they carry, in %. Most out of "
            "proportion: "
            f"{worst['printed_name']}, where {worst['comparisons']:.1%} of the comparisons carry "
            f"{worst['distance']:.1%} of CADO."
        ),
        columns=[
            Column("dataset", "Data set", text=True),
            Column("comparisons", "comparisons (%)"),
            *(Column(m, label, "share of the total (%)") for m, label in MEASURES.items()),
        ],
        rows=rows,
        legend=[
            "Comparison: two objects in one attribute. It counts if their values differ and the "
            "rarer one occurs at most max(1, share x objects) times.",
            "CADO weighs a comparison by 1/f_x + 1/f_y: about 2/m for frequent values, 1 and more "
            "for one that occurs once.",
            *_missing_legend(job, records),
        ],
        data=data,
        data_columns=["dataset", "printed_name", "measure", "share", "comparisons", "distance"],
    )


# --- Table XI: k-modes and spectral clustering ---------------------------------------------------

PARTITION_SCORES = {"ac": "AC", "nmi": "NMI"}
ALGORITHM_NAMES = {
    "kmodes_frequency": "k-modes",
    "kmodes_minimiser": "k-modes, minimising mode",
    "sc_one_minus": "spectral, 1 - D/max",
    "sc_exp_mean": "spectral, exp(-D/mean)",
    "sc_gauss_mean": "spectral, Gaussian",
    "sc_one_minus_rw": "spectral, 1 - D/max, random walk",
    "sc_gauss_mean_rw": "spectral, Gaussian, random walk",
}


def partition_quality(job: Job, cells: pd.DataFrame) -> Sheet:
    """AC and NMI of k-modes and spectral clustering: Table XI, and the change CADO makes."""
    records = job.records("partitions")
    main = main_algorithms(job)
    data = []
    for name in job.datasets:
        done = _done(records[records["dataset"] == name])
        for algorithm, measure in itertools.product(ALGORITHM_NAMES, MEASURES):
            whole = done[done["algorithm"] == algorithm]
            part = whole[whole["measure"] == measure]
            if part.empty:
                continue
            for score in PARTITION_SCORES:
                row = {
                    "dataset": name,
                    "printed_name": _printed(job, name),
                    "algorithm": algorithm,
                    "main": next((key for key, one in main.items() if one == algorithm), ""),
                    "measure": measure,
                    "score": score,
                    "mean": float(part[score].mean()),
                    "sd": float(part[score].std()) if len(part) > 1 else None,
                    "runs": len(part),
                }
                if measure == "cado":
                    row["change"] = change(whole, score).value
                data.append(row)
    data += [
        {
            "dataset": cell["dataset_id"],
            "printed_name": cell["dataset"],
            "main": cell["method"].partition(" ")[0],
            "score": cell["metric"].partition("_")[0].lower(),
            "printed": cell["value"],
        }
        for cell in numbers(cells).to_dict("records")
        if "_improvement_" in cell["metric"]
    ]
    rows = []
    for name, score in ((n, s) for n in job.datasets for s in PARTITION_SCORES):
        row = {"dataset": _printed(job, name), "score": PARTITION_SCORES[score]}
        for one in data:
            if (one["dataset"], one["score"]) != (name, score) or not one["main"]:
                continue
            if "printed" in one:
                row[f"{one['main']}.printed"] = f"{float(one['printed']) * 100:+.2f}"
            else:
                row[f"{one['main']}.{one['measure']}"] = _with_sd(one["mean"], one["sd"])
                if "change" in one:
                    row[f"{one['main']}.change"] = f"{one['change'] * 100:+.1f}"
        if len(row) > 2:
            rows.append(row)
    titles = {"KM": "k-modes", "SC": "spectral clustering"}
    return Sheet(
        name=f"{job.paper}-{job.artefact}",
        title=f"{job.label}: k-modes and spectral clustering with four dissimilarities",
        caption="Mean ± sd over the starts. " + _gains(data, main.values()),
        columns=[
            Column("dataset", "Data set", text=True),
            Column("score", "score", text=True),
            *(
                column
                for key, title in titles.items()
                for column in (
                    *(Column(f"{key}.{m}", label, title) for m, label in MEASURES.items()),
                    Column(f"{key}.change", "change (%)", title),
                    Column(f"{key}.printed", "printed", title),
                )
            ),
        ],
        rows=rows,
        legend=[
            "change: of the mean score from ADD to CADO. The printed table is an image; eight "
            "rates of change are in the text and judged with its numbers.",
            "AC: best one-to-one matching of clusters and classes. NMI: divided by the larger "
            "entropy. As many clusters as classes; the same starts for all dissimilarities.",
            f"k-modes: {ALGORITHM_NAMES[main['KM']]}; spectral clustering: "
            f"{ALGORITHM_NAMES[main['SC']]}. Spectral clustering uses the symmetric Laplacian and "
            "rows of length 1 unless it says random walk.",
            *(
                f"{ALGORITHM_NAMES[algorithm]}: {_gains(data, [algorithm])}"
                for algorithm in dict.fromkeys(
                    one["algorithm"] for one in data if "algorithm" in one
                )
                if algorithm not in main.values()
            ),
            *_missing_legend(job, records),
        ],
        data=data,
        data_columns=[
            *("dataset", "printed_name", "algorithm", "main", "measure", "score", "mean", "sd"),
            *("runs", "change", "printed"),
        ],
    )


def _with_sd(mean: float, sd: float | None) -> str:
    return number(mean, 3) if sd is None else f"{number(mean, 3)} ± {number(sd, 3)}"


def _gains(data: Iterable[Mapping[str, Any]], algorithms: Iterable[str]) -> str:
    """How often CADO beats ADD."""
    chosen = set(algorithms)
    changes = [one["change"] for one in data if one.get("algorithm") in chosen and "change" in one]
    up = sum(value > 1e-9 for value in changes)
    same = sum(abs(value) <= 1e-9 for value in changes)
    return f"CADO beats ADD in {up} of {len(changes)} cells and ties in {same}."


# --- the tests behind Tables XI and XII ----------------------------------------------------------


def significance(job: Job, cells: pd.DataFrame) -> Sheet:
    """Tests of CADO against the others, and of CROCK against ROCK."""
    from statsmodels.stats.multitest import multipletests

    main = main_algorithms(job)
    partitions, rocks = _done(job.records("partitions")), _done(job.records("rock"))
    data: list[dict[str, Any]] = []
    if len(partitions):
        for key, algorithm in main.items():
            chosen = partitions[partitions["algorithm"] == algorithm]
            for over in ("smd", "ofd", "add"):
                for score, label in PARTITION_SCORES.items():
                    pairs = _pairs(chosen, "measure", "cado", over, score, "trial")
                    family = f"{key}: CADO against {MEASURES[over]}"
                    data += _compared(job, family, label, pairs, "starts")
    if len(rocks):
        runs = at_best_threshold(rocks[rocks["dataset"].isin(job.need("parameters")["rock"])])
        for score in SCORES:
            pairs = _pairs(runs, "method", "crock", "rock", score, "order")
            data += _compared(job, "CROCK against ROCK", score, pairs, "row orders")
    for over in ("starts", "row orders", "data sets"):
        family = [one for one in data if one["over"] == over and one["p"] is not None]
        if family:
            adjusted = multipletests([one["p"] for one in family], method="holm")[1]
            for one, value in zip(family, adjusted, strict=True):
                one["p_holm"] = float(value)
    between = [one for one in data if one["over"] == "data sets"]
    low = [one for one in between if one["p"] is not None and one["p"] < 0.05]
    kept = [one for one in low if one["p_holm"] < 0.05]
    return Sheet(
        name=f"{job.paper}-{job.artefact}",
        title=f"{job.label}: is the gain significant?",
        caption=(
            f"Over data sets, {len(low)} of {len(between)} paired t-tests have p < 0.05, "
            f"{sum(one['difference'] > 0 for one in low)} of them in favour of the coupled method; "
            f"after Holm's correction {len(kept)} are left."
        ),
        columns=[
            Column("family", "Comparison", text=True),
            Column("score", "score", text=True),
            Column("n", "sets"),
            Column("difference", "mean difference"),
            Column("p", "t-test"),
            Column("p_one_sided", "t-test, better", ""),
            Column("p_wilcoxon", "Wilcoxon"),
            Column("p_holm", "Holm"),
            Column("within", "sets won : lost", "Welch over runs, Holm"),
        ],
        rows=[
            {
                **{key: str(one[key]) for key in ("family", "score", "n")},
                "difference": f"{one['difference']:+.3f}",
                **{
                    key: number(one[key], 3) if one.get(key) is not None else ""
                    for key in ("p", "p_one_sided", "p_wilcoxon", "p_holm")
                },
                "within": _won_and_lost(data, one),
            }
            for one in between
        ],
        legend=[
            "Paired two-sided t-test over the means of the data sets, the one-sided one (better), "
            "Wilcoxon's signed ranks (zeros after Pratt), and Holm's correction over all tests "
            "of this table.",
            "Within a data set: Welch's t over the starts or row orders, Holm's correction "
            "over all of them. A set without any variation between runs has no test.",
            "ROCK and CROCK at the best threshold of each (oracle), over row orders; given an "
            "order both are deterministic.",
        ],
        data=data,
        data_columns=[
            *("family", "score", "over", "dataset", "n", "difference", "t", "p", "p_one_sided"),
            *("p_paired", "p_wilcoxon", "p_holm"),
        ],
    )


Pairs = dict[str, tuple[Sequence[float], Sequence[float]]]
"""Scores of two competitors by data set, run by run."""


def _pairs(
    records: pd.DataFrame, column: str, first: str, second: str, score: str, run: str
) -> Pairs:
    pairs: Pairs = {}
    for name, part in records.groupby("dataset", sort=False):
        sides = (part[part[column] == one].sort_values(run) for one in (first, second))
        a, b = (side[score].tolist() for side in sides)
        pairs[name] = (a, b)
    return pairs


def _compared(job: Job, family: str, score: str, pairs: Pairs, over: str) -> list[dict[str, Any]]:
    """One test over data sets, and one within each."""
    from scipy import stats

    means = [(statistics.fmean(a), statistics.fmean(b)) for a, b in pairs.values()]
    differences = [a - b for a, b in means]
    whole: dict[str, Any] = {
        "family": family,
        "score": score,
        "over": "data sets",
        "dataset": "",
        "n": len(means),
        "difference": statistics.fmean(differences),
        "p": None,
    }
    if _vary(differences):
        test = stats.ttest_1samp(differences, 0.0)
        better = stats.ttest_1samp(differences, 0.0, alternative="greater")
        ranks = stats.wilcoxon(differences, zero_method="pratt")
        whole |= {
            "t": float(test.statistic),
            "p": float(test.pvalue),
            "p_one_sided": float(better.pvalue),
            "p_wilcoxon": float(ranks.pvalue),
        }
    found = [whole]
    for name, (a, b) in pairs.items():
        row: dict[str, Any] = {
            "family": family,
            "score": score,
            "over": over,
            "dataset": name,
            "n": len(a),
            "difference": statistics.fmean(a) - statistics.fmean(b),
            "p": None,
        }
        if _vary(a) or _vary(b):
            # by moments, because one side may be constant
            moments = (
                part
                for side in (a, b)
                for part in (statistics.fmean(side), statistics.stdev(side), len(side))
            )
            test = stats.ttest_ind_from_stats(*moments, equal_var=False)
            row |= {"t": float(test.statistic), "p": float(test.pvalue)}
            if _vary([x - y for x, y in zip(a, b, strict=True)]):
                row["p_paired"] = float(stats.ttest_rel(a, b).pvalue)
        found.append(row)
    return found


def _vary(values: Sequence[float]) -> bool:
    """Whether numbers differ by more than rounding."""
    return max(values) - min(values) > 1e-12


def _won_and_lost(data: Iterable[Mapping[str, Any]], whole: Mapping[str, Any]) -> str:
    """Data sets that are significantly won and lost by Welch's test."""
    within = [
        one
        for one in data
        if (one["family"], one["score"]) == (whole["family"], whole["score"])
        and one["over"] != "data sets"
        and one["p"] is not None
        and one["p_holm"] < 0.05
    ]
    won = sum(one["difference"] > 0 for one in within)
    return f"{won} : {len(within) - won}"


# --- Table XII: ROCK and CROCK -------------------------------------------------------------------

METHOD_NAMES = {"rock": "ROCK", "crock": "CROCK"}
SCORE_NAMES = {"precision": "Pr", "recall": "Re", "specificity": "Sp"}


def best_threshold(curve: pd.DataFrame) -> float:
    """Threshold with the highest sum of the three scores, a mean over row orders (oracle).

    Parameters
    ----------
    curve : DataFrame
        Records of the experiment ``rock`` for one data set and one method.

    Returns
    -------
    float
        The smallest of several.
    """
    sums = curve.groupby("theta")[list(SCORES)].mean().sum(axis="columns")
    return float(sums[sums >= sums.max() - 1e-9].index.min())


def at_best_threshold(records: pd.DataFrame) -> pd.DataFrame:
    """Records of every data set and method at its own best threshold."""
    import pandas as pd

    return pd.concat(
        [
            part[part["theta"] == best_threshold(part)]
            for _, part in records.groupby(["dataset", "method"], sort=False)
        ]
    )


def rock_quality(job: Job, cells: pd.DataFrame) -> Sheet:
    """Precision, recall and specificity at the best threshold of each method, and at 0.75."""
    records = job.records("rock")
    counted, fixed = (job.need("parameters")[key] for key in ("counted", "fixed"))
    data, rows = [], []
    for name in job.datasets:
        done = _done(records[records["dataset"] == name])
        for method in METHODS:
            row = {"dataset": _printed(job, name), "method": METHOD_NAMES[method]}
            curve = done[done["method"] == method]
            if curve.empty:
                continue
            for own, theta in (("yes", best_threshold(curve)), ("no", fixed)):
                part = curve[curve["theta"] == theta]
                row[f"{own}.theta"] = f"{theta:.2f}"
                row[f"{own}.neighbours"] = number(float(part["neighbours"].mean()), 0)
                for score in SCORES:
                    sd = float(part[score].std()) if len(part) > 1 else None
                    data.append(
                        {
                            "dataset": name,
                            "printed_name": row["dataset"],
                            "counted": "yes" if name in counted else "no",
                            "method": method,
                            "own": own,
                            "oracle": own,
                            "theta": theta,
                            "score": score,
                            "mean": float(part[score].mean()),
                            "sd": sd,
                            "orders": len(part),
                            "neighbours": float(part["neighbours"].mean()),
                        }
                    )
                    row[f"{own}.{score}"] = _with_sd(data[-1]["mean"], sd)
            rows.append(row)
    better = {own: compare_rocks(data, own) for own in ("yes", "no")}
    said = {own: f"{one[0]} of {sum(one)}" for own, one in better.items()}
    heads = {"theta": "theta", **SCORE_NAMES, "neighbours": "neighbours"}
    return Sheet(
        name=f"{job.paper}-{job.artefact}",
        title=f"{job.label}: CROCK against ROCK",
        caption=(
            "Means over row orders, at the best threshold of each method (oracle) and at "
            f"{fixed:g} for both. On the data sets of the paper CROCK is better in {said['yes']} "
            f"scores with its own threshold, and in {said['no']} at {fixed:g}."
        ),
        columns=_threshold_columns(heads, ("yes", "no"), fixed),
        rows=rows,
        legend=[
            "Pr, Re, Sp: precision, recall and specificity of the matched clusters, means over the "
            "classes weighted by size. The printed table is an image.",
            "Best theta: highest sum of the three scores, a mean over row orders, chosen with the "
            "class labels (oracle). neighbours: mean number per object. Orders: "
            + ", ".join(
                f"{_printed(job, name)} {next(o['orders'] for o in data if o['dataset'] == name)}"
                for name in dict.fromkeys(one["dataset"] for one in data)
            )
            + ".",
            "If more clusters remain than there are classes, the largest ones stay and the other "
            "objects join the nearest.",
            *_missing_legend(job, records),
        ],
        data=data,
        data_columns=[
            *("dataset", "printed_name", "counted", "method", "own", "oracle", "theta", "score"),
            *("mean", "sd", "orders", "neighbours"),
        ],
    )


def _threshold_columns(
    heads: Mapping[str, str], groups: tuple[str, str], fixed: float
) -> list[Column]:
    """Columns of a table that shows each method at its best threshold and at one for both."""
    best, same = groups
    return [
        Column("dataset", "Data set", text=True),
        Column("method", "method", text=True),
        *(Column(f"{best}.{key}", head, "best theta (oracle)") for key, head in heads.items()),
        *(
            Column(f"{same}.{key}", head, f"theta {fixed:g}")
            for key, head in heads.items()
            if key != "theta"
        ),
    ]


def compare_rocks(data: Iterable[Mapping[str, Any]], own: str) -> tuple[int, int, int]:
    """Scores in which CROCK is better, equal and worse on the data sets of the paper."""
    cells: dict[tuple[str, str], dict[str, float]] = {}
    for one in data:
        if one["own"] == own and one["counted"] == "yes":
            cells.setdefault((one["dataset"], one["score"]), {})[one["method"]] = float(one["mean"])
    gaps = [cell["crock"] - cell["rock"] for cell in cells.values()]
    better = sum(gap > 1e-9 for gap in gaps)
    equal = sum(abs(gap) <= 1e-9 for gap in gaps)
    return better, equal, len(gaps) - better - equal


def theta_curve(job: Job, cells: pd.DataFrame) -> Sheet:
    """Scores and neighbours against the threshold: why one value cannot serve both methods."""
    records = job.records("rock")
    fixed = job.need("parameters")["fixed"]
    data, rows = [], []
    for name in job.datasets:
        done = _done(records[records["dataset"] == name])
        sizes = _done(job.records("bounds"))
        for method in METHODS:
            part = done[done["method"] == method]
            if part.empty:
                continue
            n = int(sizes.loc[sizes["dataset"] == name, "objects"].iloc[0])
            part = part.assign(score=part[list(SCORES)].mean(axis="columns"))
            curve = [
                {
                    "dataset": name,
                    "printed_name": _printed(job, name),
                    "method": method,
                    "theta": theta,
                    "score": float(one["score"].mean()),
                    "least": float(one["score"].min()),
                    "greatest": float(one["score"].max()),
                    "neighbours": float(one["neighbours"].mean()),
                    "share": float(one["neighbours"].mean()) / (n - 1),
                    "clusters": float(one["clusters"].mean()),
                }
                for theta, one in part.groupby("theta")
            ]
            data += curve
            best = max(curve, key=lambda one: (one["score"], -one["theta"]))
            at = next(one for one in curve if one["theta"] == fixed)
            rows.append(
                {
                    "dataset": best["printed_name"],
                    "method": METHOD_NAMES[method],
                    **{
                        f"{key}.{column}": number(one[column], digits, scale)
                        for key, one in (("best", best), ("fixed", at))
                        for column, digits, scale in (
                            ("theta", 2, 1),
                            ("score", 3, 1),
                            ("share", 1, 100),
                        )
                    },
                }
            )
    heads = {"theta": "theta", "score": "mean score", "share": "neighbours (%)"}
    shares = [float(row["fixed.share"]) for row in rows if row["method"] == METHOD_NAMES["crock"]]
    others = [float(row["fixed.share"]) for row in rows if row["method"] == METHOD_NAMES["rock"]]
    caption = f"Not run: {NO_DATASET}."
    if rows:
        caption = (
            f"At theta = {fixed:g} an object has {min(shares):.0f} to {max(shares):.0f} % of the "
            f"others as neighbours by CASO / n (CROCK), and {min(others):.0f} to "
            f"{max(others):.0f} % by Jaccard's similarity (ROCK)."
        )
    return Sheet(
        name=f"{job.paper}-{job.artefact}",
        title=f"{job.label}: one threshold for two similarities",
        caption=caption,
        columns=_threshold_columns(heads, ("best", "fixed"), fixed),
        rows=rows,
        legend=[
            "mean score: of precision, recall and specificity, over row orders. neighbours: of the "
            "other objects. The best theta is chosen with the class labels (oracle).",
            *_missing_legend(job, records),
        ],
        data=data,
        data_columns=[
            *("dataset", "printed_name", "method", "theta", "score", "least", "greatest"),
            *("neighbours", "share", "clusters"),
        ],
    )


# --- bibliographic data -------------------------------------------------------------------------


def bibliographic_clusters(job: Job, cells: pd.DataFrame) -> Sheet:
    """Clusters of first authors and venues: Table XIII."""
    from replication.papers.caso import tables_bibliographic

    return tables_bibliographic.bibliographic_clusters(job, cells)


def bibliographic_map(job: Job, cells: pd.DataFrame) -> Sheet:
    """Venue clusters against papers: Fig. 3."""
    from replication.papers.caso import tables_bibliographic

    return tables_bibliographic.bibliographic_map(job, cells)
