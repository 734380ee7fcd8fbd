"""Tables of CASO on cost and theory: Tables IX and X, theorems, bounds and special cases."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from replication.judge.times import HOW
from replication.papers.caso.analysis import (
    growth_rate,
    present,
)
from replication.papers.caso.examples import RELATIONS, SHORT
from replication.papers.caso.tables_common import (
    missing_legend,
    printed_name,
)
from replication.show.job import Job
from replication.show.sheet import Column, Sheet, number

if TYPE_CHECKING:
    import pandas as pd


# --- Table IX: evaluations ----------------------------------------------------------------------


def evaluation_counts(job: Job, cells: pd.DataFrame) -> Sheet:
    """Evaluations of conditional probabilities per comparison of two values, on every data set."""
    records = job.records("evaluations")
    data, rows = [], []
    for name in job.datasets:
        for one in present(records[records["dataset"] == name]).to_dict("records"):
            means = {r: int(one[r]) / int(one["comparisons"]) for r in RELATIONS}
            keep = ("objects", "attributes", "most_values", "comparisons", "disordered")
            checks = ("counted", "power_counted", "miscounted", "unequal")
            row = {
                "dataset": name,
                "printed_name": printed_name(job, name),
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
            *missing_legend(job, records),
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
    counts, times = present(job.records("growth")), present(job.records("seconds"))
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
        for one in present(job.records(name)).to_dict("records")
    ]
    random = len(data)
    records = job.records("bounds")
    found = present(records)
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
            *missing_legend(job, records),
        ],
        data=data,
        data_columns=["statement", "tried_on", "cases", "exceptions", "largest_difference"],
    )
