"""Tables of the study on data sets, cells left out, costs, preparation, variance and agreement."""

import itertools
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np
import pandas as pd

from replication.judge.times import HOW
from replication.papers.study.analysis import (
    ALGORITHMS,
    BESIDE,
    FEW,
    algorithm_name,
    baseline_line,
    by_setting,
    complete,
    labels_of,
    matrix,
    missing,
    p_text,
    plural,
    profiles,
    protocol_lines,
    records,
    scored,
    settings,
)
from replication.papers.study.cells import RULES
from replication.papers.study.data import TREATMENTS
from replication.papers.study.statistics import ROPE, Families, compare
from replication.run.paired import correct
from replication.show.job import Job
from replication.show.sheet import Column, Sheet, across, number, words
from replication.steps import OK

ORDERS = ("ward", "average", "rock", "limbo")
"""Algorithms without starts: their replicates differ in the order of the rows."""


def history(job: Job, cells: pd.DataFrame) -> Sheet:
    """Changes of the protocol, with the answer at the time."""
    return Sheet.of(
        job,
        "protocols by date, each with its answer",
        "Each later protocol was made after the results of earlier ones were known, so none of its "
        "tests was fixed in advance.",
        words(date="Date", protocol="Hash", commit="Commit", change="Change", answer="Answer"),
        [dict(one) for one in job.need("history")],
    )


def data(job: Job, cells: pd.DataFrame, *, families: Families, designs: Sequence[str]) -> Sheet:
    """Description of each data set, and scores of the baselines on it."""
    base = profiles(job, "baseline").set_index(["dataset", "baseline"])["purity"].to_dict()
    family = {name: group for group in families for name in group}
    counts = ("objects", "attributes", "classes", "incomplete")
    found = [
        {"dataset": row["dataset"], **{key: int(row[key]) for key in counts}}
        | {key: row[key] for key in ("values", "majority", "imbalance", "coupling")}
        | {f"purity_{one}": base[name, one] for one in ("majority", "random")}
        | {"related": ", ".join(job.printed(one) for one in family.get(name, []) if one != name)}
        | {"design": "designed" if name in designs else "few objects" * (row["objects"] < FEW)}
        for row in profiles(job).to_dict("records")
        for name in [row["dataset"]]
    ]
    return Sheet.of(
        job,
        "the data sets under the common preparation",
        f"{plural(len(found), 'data set')}. Compare purity with two baselines: one cluster of all "
        "objects has the purity of the column majority, random clusters that of the column random. "
        f"Both baselines have an ARI of 0. {sum(bool(row['design']) for row in found)} data sets "
        "are marked, and half of the variants of a conclusion leave them out: full factorials, "
        f"tables made by a rule, and tables of fewer than {FEW} objects.",
        [
            Column("dataset", "Data set", text=True, of=lambda row: job.printed(row["dataset"])),
            Column("objects", "objects"),
            Column("attributes", "attributes"),
            Column("values", "values per attribute", digits=1),
            Column("classes", "classes"),
            Column("incomplete", "incomplete rows"),
            Column("imbalance", "imbalance", digits=2),
            Column("coupling", "FCI", digits=2),
            Column("purity_majority", "majority", "purity of", digits=2),
            Column("purity_random", "random", "purity of", digits=2),
            Column("related", "related to", text=True),
            Column("design", "Marked as", text=True),
        ],
        found,
        legend=[
            "Imbalance: 1 minus the entropy of the classes divided by its maximum. FCI: mean "
            "symmetric uncertainty over pairs of attributes.",
            "Incomplete rows: a missing cell is a value of its own. Of Adult, only the complete "
            "rows of the training file are used.",
            *missing(job),
        ],
    )


def left_out(job: Job, cells: pd.DataFrame) -> Sheet:
    """Cells that a rule left out, by rule and algorithm."""
    every = records(job, "grid", *BESIDE, outcome="")
    absent = every[every["outcome"] != OK]
    keys = ["dataset", "measure", "algorithm", "rule", "detail"]
    groups = absent.groupby(["rule", "algorithm"], sort=False)

    def some(names: Iterable[str]) -> str:
        names = list(dict.fromkeys(names))
        return ", ".join(names) if len(names) < 8 else f"{len(names)}"

    return Sheet.of(
        job,
        "cells without a result",
        f"{len(absent)} of {len(every)} cells are left out, each by a rule.",
        [
            *words(rule="Rule", algorithm="Algorithm"),
            Column("cells", "cells"),
            *words(measures="measures", datasets="data sets"),
        ],
        [
            {key: None if value != value else value for key, value in row.items()}
            for _, part in groups
            for row in part[keys].to_dict("records")
        ],
        rows=[
            {
                "rule": RULES[rule],
                "algorithm": ALGORITHMS.get(algorithm, part["label"].iloc[0]),
                "cells": str(len(part)),
                "measures": some(part["label"]),
                "datasets": some(map(job.printed, part["dataset"])),
            }
            for (rule, algorithm), part in groups
        ],
        legend=missing(job),
    )


def cost(job: Job, cells: pd.DataFrame) -> Sheet:
    """Seconds, memory and mean ARI of each method, and the Pareto front."""
    timed = records(job, "cost", kind="cost")
    found = records(job, "grid", *BESIDE)
    # the score of each measure with the algorithm that it was timed with
    own = found.merge(timed[["measure", "algorithm"]].drop_duplicates())
    table = complete(matrix(own, column="measure"))
    data = costs(timed, table.mean(), labels_of(found))
    most = max((row["timed_on"] for row in data), default=0)
    front = [row["label"] for row in data if row["front"]]
    return Sheet.of(
        job,
        "quality and cost",
        f"No method is both faster and better than {' or '.join(front)}."
        if front
        else "This run measured no times.",
        [
            Column("label", "Method", text=True),
            Column("ari", "mean ARI", digits=3),
            Column("fit_seconds", "learning", "seconds", digits=3),
            Column("seconds", "with one clustering", "seconds", digits=3),
            Column("memory_mib", "memory, MiB", digits=0),
            Column(
                "algorithm", "clustering", text=True, of=lambda row: algorithm_name(row, "its own")
            ),
            Column("timed_on", "data sets timed", digits=0),
            Column("front", "Pareto", text=True, of=lambda row: "front" if row["front"] else ""),
        ],
        data,
        legend=[
            f"{HOW} Means over the timed data sets. A method that lacks one of the {most} is not "
            "on the Pareto front.",
            "Memory: peak growth of the process beyond interpreter, libraries, compiled code and "
            "data. Clustering: the cheapest algorithm of the measure, from one start; a method "
            "that clusters the table itself learns and clusters in one step. ARI: with that "
            "algorithm.",
            *baseline_line(job, table.index),
        ],
    )


def costs(
    timed: pd.DataFrame, quality: pd.Series, names: Mapping[str, str]
) -> list[dict[str, Any]]:
    """Return mean seconds, largest memory and score of each measure, and the Pareto front.

    `timed` holds records of costs, `quality` the mean score and `names` the label of each measure.
    """
    found = [
        {"measure": measure, "label": names.get(measure, measure)}
        | {"ari": float(quality[measure]) if measure in quality else None}
        | {"seconds": float((own["fit_seconds"] + own["run_seconds"]).mean())}
        | {"fit_seconds": float(own["fit_seconds"].mean())}
        | {"memory_mib": float((own["peak_mib"] - own["before_mib"]).max())}
        | {"algorithm": ", ".join(dict.fromkeys(own["algorithm"])), "timed_on": len(own)}
        for measure, own in timed.groupby("measure", sort=False)
    ]
    most = timed["dataset"].nunique()
    known = [row for row in found if row["ari"] is not None and row["timed_on"] == most]
    for row in found:
        row["front"] = row in known and not any(
            one["ari"] >= row["ari"]
            and one["seconds"] <= row["seconds"]
            and (one["ari"], one["seconds"]) != (row["ari"], row["seconds"])
            for one in known
        )
    return found


def treatment(job: Job, cells: pd.DataFrame) -> Sheet:
    """Effect of the treatment of missing cells, and of the number of bins."""
    data: list[dict[str, Any]] = []
    said = []
    for column, what in (("treatment", "missing cells"), ("bins", "bins")):
        scores = settings(job, column)
        tests = [
            {"pair": f"{TREATMENTS.get(a, a)} minus {TREATMENTS.get(b, b)}"}
            | compare(scores[[a, b]], job.rng(column, a, b))
            for a, b in itertools.combinations(scores, 2)
        ]
        correct(tests)
        said += [
            f"{what}, {test['pair']}: {number(test['mean_difference'], 3)} "
            f"(p {p_text(test['p_holm']) or 'not tested'})"
            for test in tests
        ]
        data += [
            {"dataset": dataset, "name": job.printed(dataset), "what": column}
            | {"setting": str(name), "ari": float(value)}
            for dataset, row in scores.iterrows()
            for name, value in row.items()
        ]
    return Sheet.of(
        job,
        "treatment of missing cells and of numbers",
        "Mean ARI over measures and algorithms. "
        f"Mean differences: {'; '.join(said) or 'none in this run'}.",
        [
            Column("dataset", "Data set", text=True, of="name"),
            *across("setting", TREATMENTS, "missing cell is", of="ari", digits=3),
            *across("setting", {name: name for name in scores}, "bins", of="ari", digits=3),
        ],
        data,
        by=("dataset",),
        legend=[
            "Treatments of missing cells are compared on the complete rows, numbers of bins on all "
            "rows. p-values: Wilcoxon tests over data sets, with Holm's correction within each "
            "comparison.",
            f"Left out: {RULES['few rows']}.",
            *protocol_lines(job),
            *missing(job),
        ],
    )


def variance(job: Job, cells: pd.DataFrame) -> Sheet:
    """Components of the variance of the ARI: data sets, methods, random draws, preparation."""
    found = scored(job)
    parts = components(found)
    total = sum(parts.values())
    bins = by_setting(job, "bins").sort_index().sort_index(axis=1)
    if parts and bins.shape[1] > 1 and len(bins):
        parts["bins (5, 10, 20)"] = float(bins.var(axis=1).mean())
    errors = found["ari_error"].dropna()
    high = float(errors.quantile(0.9)) if len(errors) else 0.0
    return Sheet.of(
        job,
        "sources of the variance of the ARI",
        f"The standard error of a cell has the median {number(float(errors.median()), 4)} and the "
        f"ninth decile {number(high, 4)}. Twice the ninth decile is "
        f"{'' if 2 * high < ROPE else 'not '}below {ROPE:g}, the largest difference that counts as "
        "none."
        if len(errors)
        else "No cell was repeated in this run.",
        [
            Column("source", "Source", text=True),
            Column("variance", "variance", digits=5),
            Column("sd", "standard deviation", digits=3),
            Column("share", "share of the first five", digits=".1%"),
        ],
        [
            {"source": name, "variance": value, "sd": value**0.5, "share": value / total}
            for name, value in parts.items()
        ],
        legend=[
            "All methods (a measure with an algorithm) on the data sets that all of them have. "
            "Draw: variance over replicates of methods with random starts or random learning. Row "
            "order: the same for hierarchical clusterings, ROCK and LIMBO, which have no random "
            "start. Bins: variance of a cell over 5, 10 and 20 bins, for six measures on data sets "
            "with numbers; not part of the sum.",
            *protocol_lines(job),
            *missing(job),
        ],
    )


def components(found: pd.DataFrame) -> dict[str, float]:
    """Return components of the variance of one run's ARI, by two-way analysis of cell means.

    ``data set``, ``method`` and ``data set x method`` follow from the expected mean squares of the
    block of cells without gaps, the interaction less the error of the cell means. ``draw`` and
    ``row order`` are mean variances over replicates, of methods with and without random starts.
    """
    block = complete(matrix(found))
    n, k = block.shape
    if min(n, k) < 2:
        return {}
    rows, columns, grand = block.mean(axis=1), block.mean(), block.to_numpy().mean()
    rest = block.sub(rows, axis=0).sub(columns, axis=1) + grand
    interaction = float((rest**2).to_numpy().sum() / ((n - 1) * (k - 1)))
    cells = found[found["method"].isin(block.columns) & found["dataset"].isin(block.index)]
    spread = cells["ari_sd"].fillna(0.0) ** 2
    noise = float((spread / cells["replicates"].astype(float)).mean())
    orders = cells["algorithm"].isin(ORDERS)
    return {
        "data set": max(float(rows.var()) - interaction / k, 0.0),
        "method": max(float(columns.var()) - interaction / n, 0.0),
        "data set x method": max(interaction - noise, 0.0),
        "draw": float(spread[~orders].mean()),
        "row order": float(spread[orders].mean()) if orders.any() else 0.0,
    }


def agreement(job: Job, cells: pd.DataFrame) -> Sheet:
    """Rank correlation of the measures' dissimilarities of objects."""
    names = labels_of(records(job, "grid", kind="", outcome=""))
    data = alike(records(job, "grid", kind="pair"), names)
    rho = {(row["first"], row["second"]): row["rho"] for row in data}
    kept = list(dict.fromkeys(row["first"] for row in data))
    pairs = sorted(
        ((rho[p], *p) for p in itertools.combinations(kept, 2) if p in rho), reverse=True
    )
    said = [f"{names[a]} and {names[b]} ({number(value, 2)})" for value, a, b in pairs]
    words = f"Most alike: {said[0]}. Least: {said[-1]}." if said else "Too few measures."
    return Sheet.of(
        job,
        "rank correlation between measures",
        "Spearman's correlation between the dissimilarities that two measures give to the same "
        f"sampled pairs of objects; mean over data sets. {words}",
        [
            Column("measure", "Measure", text=True, of="first_label"),
            *across("second", {m: names[m] for m in kept}, of="rho", digits=2),
        ],
        data,
        by=("first",),
        legend=[
            "Measures that give vectors only have no dissimilarities of values and are left out."
        ],
    )


def alike(pairs: pd.DataFrame, names: dict[str, str]) -> list[dict[str, Any]]:
    """Return the mean rank correlation of sampled dissimilarities, for any two measures."""
    total: dict[tuple[str, str], list[float]] = {}
    for _, part in pairs.groupby("dataset", sort=False):
        wide = part.pivot_table("dissimilarity", "pair", "measure", sort=False).dropna(axis=1)
        wide = wide.loc[:, wide.max() > wide.min()]
        rho = np.atleast_2d(np.corrcoef(wide.rank().to_numpy(), rowvar=False))
        for (i, a), (j, b) in itertools.product(enumerate(wide), repeat=2):
            total.setdefault((a, b), []).append(float(rho[i, j]))
    return [
        {"first": a, "second": b, "first_label": names[a], "second_label": names[b]}
        | {"rho": sum(total[a, b]) / len(total[a, b]), "datasets": len(total[a, b])}
        for a, b in itertools.product(names, repeat=2)
        if (a, b) in total
    ]
