"""Tables of the study by kind of data, and by what measures have in common."""

from __future__ import annotations

import itertools
from typing import Any

import numpy as np
import pandas as pd

from replication.papers.study import statistics
from replication.papers.study.advice import REFERENCE
from replication.papers.study.analysis import (
    averaged,
    clear,
    complete,
    labels_of,
    matrix,
    of_algorithm,
    profiles,
    records,
)
from replication.papers.study.grid import INDICES
from replication.papers.study.statistics import DIGITS
from replication.papers.study.tables.common import baseline_line, interval, missing, plural
from replication.run.paired import correct
from replication.show.job import Job
from replication.show.sheet import Cell, Column, Sheet, across, number

FACTORS = {
    "values": ("values per attribute", "few values", "many values"),
    "coupling": ("coupling of the attributes (FCI)", "weak coupling", "strong coupling"),
    "imbalance": ("imbalance of the classes", "balanced classes", "imbalanced classes"),
    "objects": ("objects", "few objects", "many objects"),
}
HALVES = ("lower", "upper")


def kinds(job: Job, cells: pd.DataFrame) -> Sheet:
    """Mean rank of every measure on halves of the data sets: few or many values, and so on."""
    found = records(job, "grid")
    names = labels_of(found)
    places = statistics.ranks(of_algorithm(found, "mean"))
    order = places.mean().sort_values(kind="stable").index
    kind = profiles(job).set_index("dataset")
    data, moved = [], set()
    for measure in order:
        for factor in FACTORS:
            upper = (kind[factor] > kind[factor].median()).reindex(places.index)
            halves = [places.loc[upper == high, measure] for high in (False, True)]
            data += [
                {"measure": measure, "factor": factor, "half": half, "datasets": len(part)}
                | {"rank": float(part.mean())}
                for half, part in zip(HALVES, halves, strict=True)
                if len(part)
            ]
            if abs(halves[1].mean() - halves[0].mean()) > 5:
                moved.add(measure)
    return Sheet.of(
        job,
        "mean ranks by kind of data",
        f"{plural(len(moved), 'measure')} of {len(order)} change by more than five ranks between "
        "two halves of the data sets. Halves share data sets between factors, so the columns are "
        "not independent; see the table of moderators for tests.",
        [
            Column("measure", "Measure", text=True, of=lambda row: names[row["measure"]]),
            Column("all", "all", digits=1, of=lambda row: float(places[row["measure"]].mean())),
            *(
                column
                for factor, (group, *heads) in FACTORS.items()
                for column in across(
                    "half",
                    {half: head.split()[0] for half, head in zip(HALVES, heads, strict=True)},
                    group,
                    name=f"{factor}.{{}}",
                    of="rank",
                    digits=1,
                    where={"factor": factor},
                )
            ),
        ],
        data,
        by=("measure",),
        legend=[
            "Halves: at or below, and above the median of all data sets.",
            f"{plural(len(places), 'data set')}; rank 1 is the best of {len(order)}.",
            *baseline_line(job, places.index),
        ],
    )


def moderators(job: Job, cells: pd.DataFrame) -> Sheet:
    """Small meta-analysis: advantage over simple matching, and what it goes along with."""
    found = records(job, "grid")
    names, table = labels_of(found), averaged(found)
    kind = profiles(job).set_index("dataset")
    data: list[dict[str, Any]] = []
    for measure in table if REFERENCE in table and len(kind) else ():
        if measure != REFERENCE:
            advantage = (table[measure] - table[REFERENCE]).dropna()
            mean = statistics.pooled(advantage.to_numpy()) if len(advantage) > 2 else {}
            data += [
                {"measure": measure, "factor": factor}
                | moderation(advantage.to_numpy(), kind.loc[advantage.index, factor].to_numpy())
                | mean
                for factor in FACTORS
            ]
    correct(data)
    return Sheet.of(
        job,
        "what an advantage over simple matching goes along with",
        f"{sum(map(clear, data))} of {len(data)} correlations between the advantage of a measure "
        "and a property of the data survive Holm's correction. So few data sets can show strong "
        "dependence only, the properties are not independent of each other, and nobody sampled "
        "the data sets: read this as a description.",
        [
            Column("measure", "Measure", text=True, of=lambda row: names[row["measure"]]),
            Column(
                "mean",
                "mean [95 %]",
                "advantage in ARI",
                of=lambda row: interval(row) if "mean" in row else "",
            ),
            Column("spread", "sd between data sets", "advantage in ARI", digits=3),
            *across(
                "factor",
                {factor: head for factor, (head, *_) in FACTORS.items()},
                "Spearman's correlation with",
                of=lambda row: Cell(row["rho"], 2, sign=" *" if clear(row) else ""),
            ),
        ],
        data,
        by=("measure",),
        legend=["Star: below 5 % after Holm's correction over the whole table.", *missing(job)],
    )


def moderation(advantage: np.ndarray, factor: np.ndarray) -> dict[str, Any]:
    """Whether an advantage grows with a property of the data sets: Spearman's correlation.

    Returns
    -------
    dict
        ``datasets``, ``rho`` and ``p``; the latter None for fewer than five data sets, or if one
        of the two does not vary.
    """
    from scipy.stats import spearmanr

    advantage = np.round(advantage, DIGITS)
    n = len(advantage)
    if n < 5 or np.ptp(advantage) == 0 or np.ptp(factor) == 0:
        return {"datasets": n, "rho": None, "p": None}
    found = spearmanr(advantage, factor)
    return {"datasets": n, "rho": float(found.statistic), "p": float(found.pvalue)}


def indices(job: Job, cells: pd.DataFrame) -> Sheet:
    """Internal indices of the classes, and whether they foretell the ARI of a measure."""
    from scipy.stats import spearmanr

    names = labels_of(records(job, "grid", kind="", outcome=""))
    found, means = records(job, "grid", kind="indices"), averaged(records(job, "grid"))
    places, rhos = {}, []
    for index, sign in INDICES.items() if len(found) else ():
        table = sign * complete(matrix(found, index))
        places[index] = statistics.ranks(table).mean()
        both = table.columns.intersection(means.columns)
        for dataset in table.index.intersection(means.index, sort=False) if len(both) >= 5 else ():
            score = means.loc[dataset, both].to_numpy(dtype=float)
            value = table.loc[dataset, both].to_numpy(dtype=float)
            if not np.isnan(score).any() and score.std() > 0 and value.std() > 0:
                rho = float(spearmanr(value, score).statistic)
                rhos.append({"index": index, "dataset": dataset, "rho": rho})
    middle = {
        index: number(known[len(known) // 2], 2)
        for index in INDICES
        if (known := sorted(row["rho"] for row in rhos if row["index"] == index))
    }
    return Sheet.of(
        job,
        "internal indices of the classes",
        "Mean rank of each measure by how well the classes fit its dissimilarity, and in the last "
        "row the median over data sets of the rank correlation of an index with the ARI that the "
        "measures reach: " + ("; ".join(map(" ".join, middle.items())) or "too few cells") + ".",
        [
            Column("measure", "Measure", text=True),
            Column("rd", "RD (more)"),
            Column("dbi", "DBI (less)"),
            Column("di", "DI (more)"),
            Column("sd_mean", "SD (less)"),
        ],
        [{"kind": "correlation", **row} for row in rhos]
        + [
            {"kind": "rank", "index": index, "measure": measure, "rank": float(rank)}
            for index, of_measure in places.items()
            for measure, rank in of_measure.items()
        ],
        rows=[
            *(
                {"measure": name} | {i: number(float(p[m]), 1) for i, p in places.items() if m in p}
                for m, name in names.items()
                if any(m in p for p in places.values())
            ),
            {"measure": "median correlation with ARI over data sets", **middle},
        ],
        legend=[
            "The indices know the classes: they judge the dissimilarity, no clustering. They "
            "change with the scale and the link of a dissimilarity, so they compare unlike things.",
            *missing(job),
        ],
    )


def agreement(job: Job, cells: pd.DataFrame) -> Sheet:
    """How alike the measures order the pairs of objects."""
    names = labels_of(records(job, "grid", kind="", outcome=""))
    data = alike(records(job, "grid", kind="pair"), names)
    rho = {(row["first"], row["second"]): row["rho"] for row in data}
    kept = list(dict.fromkeys(row["first"] for row in data))
    pairs = sorted(
        ((rho[p], *p) for p in itertools.combinations(kept, 2) if p in rho), reverse=True
    )
    said = [f"{names[a]} and {names[b]} ({number(value, 2)})" for value, a, b in pairs]
    words = f"Most alike: {said[0]}; least: {said[-1]}." if said else "Too few measures."
    return Sheet.of(
        job,
        "agreement of the measures",
        "Spearman's correlation of the dissimilarities of the same sampled pairs of objects, mean "
        f"over data sets. {words}",
        [
            Column("measure", "Measure", text=True, of="first_label"),
            *across("second", {m: names[m] for m in kept}, of="rho", digits=2),
        ],
        data,
        by=("first",),
        legend=[
            "Representations by vectors alone have no dissimilarity of values and are not here."
        ],
    )


def alike(pairs: pd.DataFrame, names: dict[str, str]) -> list[dict[str, Any]]:
    """Mean rank correlation of the dissimilarities of sampled pairs, for any two measures."""
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
