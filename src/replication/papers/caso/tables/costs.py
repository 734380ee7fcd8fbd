"""Tables of CASO on what it proves and what it costs: Tables IX and X, theorems and bounds."""

from __future__ import annotations

import itertools
import math
import statistics
from collections.abc import Iterable, Mapping
from typing import Any

import pandas as pd

from replication.judge.times import HOW
from replication.papers.caso.analysis import extreme
from replication.papers.caso.costs import POWER
from replication.papers.caso.examples import RELATIONS, SHORT
from replication.show.job import Job
from replication.show.sheet import Column, Sheet, number, words

# --- Table IX: evaluations ----------------------------------------------------------------------


def evaluation_counts(job: Job, cells: pd.DataFrame) -> Sheet:
    """Evaluations of conditional probabilities per comparison of two values, on every data set."""
    sizes = ["objects", "attributes", "most_values", "comparisons"]
    checks = ["disordered", "counted", "power_counted", "miscounted", "unequal"]
    data = [
        {**about, **{key: row[key] for key in sizes}}
        # whole numbers of up to a million digits
        | {name: int(row[name]) / row["comparisons"] for name in RELATIONS}
        | {key: row[key] for key in checks}
        for about, part in job.each("evaluations")
        for row in part.to_dict("records")
    ]
    formulas = {cell["method"]: cell["value"] for cell in cells.to_dict("records")}
    total = {key: sum(row[key] for row in data) for key in ["comparisons", *checks]}
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
    axes = ["values", "attributes"]
    growth, seconds = job.ok("growth"), job.ok("seconds")
    seconds = seconds[seconds["axis"].isin(axes)].astype(dict.fromkeys(axes, int))
    shown = [
        growth.assign(quantity="evaluations", what=growth["relation"], value=growth["total"]),
        seconds.assign(quantity="seconds", value=seconds["seconds"]),
    ]
    columns = ["quantity", "axis", *axes, "what", "steps", "per_comparison", "value", "slowest"]
    columns.append("counted")
    found = pd.concat([frame.astype(object) for frame in shown])[columns]
    data = found.replace({math.nan: None}).to_dict("records")
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
            row[f"{quantity}.{axis}"] = number(growth_rate(data, quantity, what, axis), 2)
        rows.append(row)
    tables = growth[growth["axis"] == "values"]
    largest = tables["values"].max()
    means = tables[tables["values"] == largest].set_index("relation")["per_comparison"]
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
    )


def growth_rate(
    data: Iterable[Mapping[str, Any]], quantity: str, what: str, axis: str
) -> float | None:
    """Slope by which a number grows, see the legend of the table; None below three points."""
    points = [
        (row[axis], row["value"])
        for row in data
        if (row["quantity"], row["what"], row["axis"]) == (quantity, what, axis)
        # two values make one comparison and one attribute none: nothing grows yet
        and row[axis] > 2
    ]
    if len(points) < 2:
        return None
    exponential = what == POWER and axis == "values"
    x = [size if exponential else math.log(size) for size, _ in points]
    y = [math.log2(v / size**2) if exponential else math.log(v) for size, v in points]
    return statistics.linear_regression(x, y).slope


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
            **{key: tried[key] for key in ("cases", "exceptions", "largest_difference")},
        }
        for name in ("equivalence", "special_cases")
        for tried in job.rows(name)
    ]
    random = len(data)
    bounds = job.ok("bounds")
    if not bounds.empty:
        low, high = (extreme(bounds, "ieasv", end) for end in ("least", "greatest"))
        tried_on = f"{len(bounds)} data sets"
        outside = {"exceptions": int(((low < 0) | (high > 1)).sum())}
        values = int((bounds["pairs"] + bounds["values"]).sum())
        data.append(
            {"statement": "IeASV in [0, 1]", "tried_on": tried_on, "cases": values, **outside}
        )
        data += [
            {
                "statement": statement,
                "tried_on": f"{tried_on}, holds on {(bounds[failed] == 0).sum()}",
                **{"cases": int(bounds[cases].sum()), "exceptions": int(bounds[failed].sum())},
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
