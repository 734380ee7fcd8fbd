"""Tables of CASO on its method: examples, framework, costs, proofs, and numbers in the text."""

import itertools
import math
import statistics
from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import partial

import pandas as pd

from replication.judge.cells import Ours, legend_of_marks, span, tally
from replication.judge.times import HOW
from replication.judge.verdicts import Reproduced
from replication.papers.caso.analysis import change, extreme, venue_clusters, worked_values
from replication.papers.caso.examples import CELL, EXAMPLE, FITTING, POWER, RELATIONS, SHORT, VALUE
from replication.papers.caso.experiments import main_algorithms
from replication.show.job import Job
from replication.show.kinds import in_its_unit, number_table
from replication.show.sheet import Column, Sheet, across, number, words


def input_table(job: Job, cells: pd.DataFrame) -> Sheet:
    """Build one of the two example tables, as reconstructed from the text."""
    (dataset,) = job.datasets
    records = job.records("worked").query("dataset == @dataset")
    shown, values = (records[records["kind"] == kind] for kind in (CELL, VALUE))
    named = dict(zip(shown["object"].unique(), cells["dataset"].unique(), strict=True))
    data = [
        {"object": named[cell["object"]], "attribute": cell["attribute"], "value": cell["exact"]}
        for cell in shown.to_dict("records")
    ]
    attributes = list(shown["attribute"].unique())
    return Sheet.of(
        job,
        f"the example {job.printed(dataset)}",
        f"{len(named)} objects with {len(attributes)} attributes, reconstructed; "
        f"{len(values)} values are computed from it. The table of numbers in the text has those "
        "that the text prints.",
        [
            Column("object", "Object", text=True),
            *across("attribute", {name: name for name in attributes}, of="value", text=True),
        ],
        data,
        by=("object",),
        legend=[
            "The table is an image in the source; what the text says about it decides the cells.",
            *(
                f"{fitting} tables, up to the names of the values of a3, agree with what the text "
                "says; this is one of them."
                for fitting in values.loc[values["quantity"] == FITTING, "exact"]
            ),
        ],
    )


_GLOSSARIES = {
    "notation": (
        ("F_j(U')", "values of some objects in attribute j", "", "", "|F2({u1,u2,u3})|"),
        ("G_j(V')", "objects with some values of attribute j", "", "", "|G2({B1,B2})|"),
        ("phi_{j->k}(x)", "values of k that occur together with x", "", "", "|phi_2->1(B1)|"),
        ("|G_j({x})|", "frequency of a value", "", "", "freq(B1)"),
        (
            *("P_{k|j}(W | x)", "share of the objects with x that have a value in W"),
            *("", "", "P_1|2({A1}|B1)"),
        ),
    ),
    "abbreviations": (
        ("IaASV", "intra-coupled similarity of values", "eq. (5)", "iaasv", "IaASV(B1,B2)"),
        ("IRSP", "relative similarity by the power set", "eq. (8)", "irsp", "IRSP(B1,B2|a1)"),
        ("IRSU", "relative similarity by the universal set", "eq. (10)", "irsu", "IRSU(B1,B2|a1)"),
        ("IRSJ", "relative similarity by the joint set", "eq. (11)", "irsj", "IRSJ(B1,B2|a1)"),
        (
            "IRSI",
            "relative similarity by the intersection set",
            "eq. (12)",
            "irsi",
            "IRSI(B1,B2|a1)",
        ),
        ("IeASV", "inter-coupled similarity of values", "eq. (13)", "ieasv", "IeASV(B1,B2)"),
        ("CASV", "coupled similarity of values", "eq. (14)", "casv", "CASV(B1,B2)"),
        ("CASO", "coupled similarity of objects", "eq. (15)", "Caso", "CASO(u2,u3)"),
        ("CADO", "coupled dissimilarity of objects", "eq. (16)", "Cado", "CADO(B1,B2)"),
    ),
}


def glossary(job: Job, cells: pd.DataFrame, *, of: str) -> Sheet:
    """Build the notation of section III, or the measures with their names in the library.

    Each symbol has a value on Table II.
    """
    worked = worked_values(job)
    heads = {
        **{"symbol": "Symbol", "meaning": "meaning", "equation": "defined in"},
        **{"name": "in couplings", "quantity": "example", "value": "on Table II"},
    }
    data = [
        dict(zip(heads, (*entry, worked[EXAMPLE, entry[-1]]["exact"]), strict=True))
        for entry in _GLOSSARIES[of]
    ]
    for row in data:
        if row["value"].startswith("{"):
            row["quantity"] = row["quantity"].strip("|")
    return Sheet.of(
        job,
        of,
        f"{len(data)} symbols in our words, each with its value on Table II.",
        [column for column in words(**heads) if any(row[column.key] for row in data)],
        data,
        legend=["The table is an image in the source; it holds no number."],
    )


_TERMS = {
    "power": ("subset W", "2 - sum", "smallest term"),
    "universal": ("value b", "max", "2 - sum of the terms"),
    "joint": ("value b", "max", "2 - sum of the terms"),
    "intersection": ("value b", "min", "sum of the terms"),
}


def relative_steps(job: Job, cells: pd.DataFrame, *, relation: str) -> Sheet:
    """Build Tables V to VIII: steps of one relative similarity of B1 and B2 with respect to a1."""
    records = job.records("relative").query("relation == @relation")
    steps = records.loc[:, "relation":].astype(object).fillna("").to_dict("records")
    whole, (first, term, rule) = steps[0], _TERMS[relation]
    power = relation == POWER
    heads = {
        "values": first,
        **({"complement": "not W"} if power else {}),
        "p_x": "P(W | B1)" if power else "P(b | B1)",
        "p_y": "P(not W | B2)" if power else "P(b | B2)",
        "term": term,
    }
    return Sheet.of(
        job,
        f"{SHORT[relation]} of B1 and B2 with respect to a1",
        f"{SHORT[relation]}(B1, B2 | a1) = {whole['similarity']}, the {rule}: {len(steps)} "
        f"{'subsets' if power else 'value' if len(steps) == 1 else 'values'}, "
        f"{whole['evaluations']} evaluations of a conditional probability.",
        [
            Column(
                key,
                head,
                text=key in ("values", "complement"),
                of=lambda step, key=key: step[key] or "∅",
            )
            for key, head in heads.items()
        ],
        steps,
        legend=["Exact fractions, by the reference implementation of the library."],
    )


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
    """Build the table of arrows of the framework (Fig. 1), each with its value on Table II."""
    worked = worked_values(job)
    heads = {
        **{"source": "From", "target": "to", "equation": "by", "example": "example"},
        "value": "on Table II",
    }
    values = {name: worked[EXAMPLE, name]["exact"] for *_, name in _ARROWS if name}
    return Sheet.of(
        job,
        "from frequencies and co-occurrence to similarity",
        f"{len(_ARROWS)} steps; intra-coupling uses the frequencies of an attribute, "
        "inter-coupling what its values share in the others.",
        words(**heads),
        [dict(zip(heads, (*arrow, values.get(arrow[-1], "")), strict=True)) for arrow in _ARROWS],
        legend=["Drawn anew; the printed figure holds no number."],
    )


def evaluation_counts(job: Job, cells: pd.DataFrame) -> Sheet:
    """Build the table of evaluations of conditional probabilities per comparison, by data set."""
    sizes = ["objects", "attributes", "most_values", "comparisons"]
    checks = ["disordered", "counted", "power_counted", "miscounted", "unequal"]
    data = [
        {**about, **{key: row[key] for key in sizes}}
        # texts of integers with up to a million digits
        | {name: int(row[name]) / row["comparisons"] for name in RELATIONS}
        | {key: row[key] for key in checks}
        for about, part in job.each("evaluations")
        for row in part.to_dict("records")
    ]
    formulas = {cell["method"]: cell["value"] for cell in cells.to_dict("records")}
    total = pd.DataFrame(data)[["comparisons", *checks]].sum()
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


COMPILED = {"add": "ADD, compiled", "cado": "CADO, compiled"}
"""Measures of the library that are timed next to the reference code."""


def complexity(job: Job, cells: pd.DataFrame) -> Sheet:
    """Build the table of growth of evaluations and seconds with R and n, and printed orders."""
    axes = ["values", "attributes"]
    growth, seconds = job.ok("growth"), job.ok("seconds")
    seconds = seconds[seconds["axis"].isin(axes)].astype(dict.fromkeys(axes, int))
    shown = [
        growth.assign(quantity="evaluations", what=growth["relation"], value=growth["total"]),
        seconds.assign(quantity="seconds", value=seconds["seconds"]),
    ]
    columns = ["quantity", "axis", *axes, "what", "steps", "per_comparison", "value"]
    found = pd.concat(frame.astype(object) for frame in shown)[[*columns, "slowest", "counted"]]
    data = found.replace({math.nan: None}).to_dict("records")
    printed = {
        (method, cell["metric"]): cell["value"]
        for cell in cells.to_dict("records")
        for method in cell["method_id"].split("+")
    }
    rates = {
        (quantity, axis, what): number(growth_rate(part, axis, what == POWER), 2)
        for (quantity, axis, what), part in found.groupby(["quantity", "axis", "what"])
    }
    rows = [
        {"what": name}
        | {"steps": printed.get(("all", "calculation steps"), "") if what in SHORT else ""}
        | {"flops": printed.get((SHORT.get(what, "").lower(), "flops per step"), "")}
        | {"order": printed.get((SHORT.get(what, "").lower(), "complexity"), "")}
        | {
            f"{quantity}.{axis}": rates.get((quantity, axis, what), "")
            for quantity, axis in itertools.product(("evaluations", "seconds"), axes)
        }
        for what, name in {**SHORT, **COMPILED}.items()
    ]
    means = growth[growth["axis"] == "values"].set_index(["values", "relation"])["per_comparison"]
    largest = max(means.index.levels[0])
    return Sheet.of(
        job,
        "complexity of the value similarities",
        f"Evaluations per comparison at R = {largest}: "
        f"{', '.join(f'{SHORT[r]} {number(means[largest, r], 1)}' for r in RELATIONS)}.",
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


def growth_rate(found: pd.DataFrame, axis: str, power_set: bool) -> float | None:
    """Return the exponent by which ``value`` grows, None with fewer than two sizes above 2."""
    # at the sizes 1 and 2 there is at most one comparison
    found = found[found[axis] > 2]
    x, y = found[axis].tolist(), found["value"].tolist()
    if len(x) < 2:
        return None
    if power_set and axis == "values":
        y = [math.log2(value / size**2) for size, value in zip(x, y, strict=True)]
    else:
        x, y = ([math.log(one) for one in numbers] for numbers in (x, y))
    return statistics.linear_regression(x, y).slope


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
    """Build the table of the paper's statements, with their tested cases and exceptions."""
    data = [
        {
            "statement": tried["statement"],
            "tried_on": f"{tried['tables']} random tables" if tried["tables"] else "frequencies",
            **{key: tried[key] for key in ("cases", "exceptions", "largest_difference")},
        }
        for name in ("equivalence", "special_cases")
        for tried in job.rows(name)
    ]
    random, bounds = len(data), job.ok("bounds")
    if not bounds.empty:
        low, high = (extreme(bounds, "ieasv", end) for end in ("least", "greatest"))
        tried_on = f"{len(bounds)} data sets"
        values = int((bounds["pairs"] + bounds["values"]).sum())
        data += [
            {"statement": "IeASV in [0, 1]", "tried_on": tried_on}
            | {"cases": values, "exceptions": int(((low < 0) | (high > 1)).sum())},
            *(
                {"statement": statement}
                | {"tried_on": f"{tried_on}, holds on {(bounds[failed] == 0).sum()}"}
                | {"cases": int(bounds[cases].sum()), "exceptions": int(bounds[failed].sum())}
                for statement, cases, failed in _BOUNDS
            ),
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


PRINTED_RUNS = 100
"""Clusterings behind each mean of Table XI (section VIII-B1)."""


def stated_numbers(job: Job, cells: pd.DataFrame, **groups: Sequence[str]) -> Sheet:
    """Build the table of numbers in the text; `groups` names the data sets behind some of them."""
    worked = worked_values(job)

    def ours(cell: Mapping[str, str], _: str) -> Ours:
        place = cell["dataset_id"], cell["metric"]
        if place in worked:
            return _found(cell, worked[place]["value"], worked[place]["exact"])
        if "_improvement_" in cell["metric"]:
            return _improvement(job, cell)
        if "venue_index" in cell["metric"]:
            return _misplaced_venue(job, cell)
        return _counted(job, cell, groups)

    data = job.judged(cells, ours, job.readings[:1])
    said = ", ".join(f"{count} {name}" for name, count in sorted(tally(data).items()))
    return number_table(
        job,
        "printed and ours",
        f"{len(data)} numbers: {said}.",
        data,
        [
            *words(about="About"),
            Column(
                "quantity",
                "quantity",
                text=True,
                of=lambda row: " ".join(filter(None, (row["method"], row["metric"]))),
            ),
        ],
        lambda row: in_its_unit(row, lambda one: f"{one:{'.4g' if one % 1 else '.0f'}}", 2),
        words(exact="exact", setting="setting"),
        legend=[
            legend_of_marks("chance explains the difference"),
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
        title=f"{job.label}, printed and ours",
    )


def _found(cell: Mapping[str, str], found: float | str, exact: str = "") -> Ours:
    """Return our number, or the reason why there is none, with the other columns of the table."""
    more = {"about": cell["dataset"] or "paper", "exact": exact}
    return Ours(found if isinstance(found, str) else Reproduced(float(found)), more=more)


def _misplaced_venue(job: Job, cell: Mapping[str, str]) -> Ours:
    """Return the first or last place of the venues that CLIMBO misplaces (Fig. 3)."""
    if reason := job.absent("venue_map", "bibliographic"):
        return _found(cell, reason)
    venues = venue_clusters(job.ok("venue_map"), "climbo")
    wrong = venues.loc[venues["misplaced"], "place"]
    if wrong.empty:
        return _found(cell, "CLIMBO misplaces no venue")
    place = wrong.min() if cell["metric"].endswith("low") else wrong.max()
    return _found(cell, place, f"{len(wrong)} of {len(venues)} venues are misplaced")


def _improvement(job: Job, cell: Mapping[str, str]) -> Ours:
    """Return the change from ADD to CADO on a data set at an end of the range of Table XI."""
    if reason := job.absent("partitions", cell["dataset_id"]):
        return _found(cell, reason)
    main = main_algorithms(partial(job.choice, reading=job.readings[0]))
    algorithm = main[cell["method"].partition(" ")[0]]
    score = cell["metric"].partition("_")[0].lower()
    records = job.records("partitions")
    own = records[records["dataset"] == cell["dataset_id"]].groupby("algorithm")
    found = {name: change(runs, score) for name, runs in own}
    values = found[algorithm].ours
    changes = [one.ours.number for one in found.values()]
    return replace(
        _found(cell, ""),
        values=values,
        setting=algorithm,
        trials=values.runs,
        printed_runs=PRINTED_RUNS,
        printed_sd=found[algorithm].independent_sd,
        reason=f"over the variants run, {span(changes, '+.1%')}",
    )


def _counted(job: Job, cell: Mapping[str, str], groups: Mapping[str, Sequence[str]]) -> Ours:
    """Return a number about the data sets: their count, their sizes, or the bound of IaASV."""
    dataset, metric = cell["dataset_id"], cell["metric"]
    names = groups.get(metric) or groups.get(dataset) or list(job.datasets)
    if dataset != "theory" and (reason := job.absent("bounds", *names)):
        return _found(cell, reason)
    bounds = job.ok("bounds").query("dataset in @names")
    if metric == "n_uci_datasets":
        return _found(cell, len(bounds), ", ".join(map(job.printed, names)))
    if metric == "IaASV lower bound":
        return _found(cell, extreme(bounds, "iaasv", "least").min(), "least value on the data sets")
    return _found(cell, bounds["objects"].agg(metric.removeprefix("objects_")))
