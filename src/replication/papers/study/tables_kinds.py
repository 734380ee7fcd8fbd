"""Tables of the study by data set, by kind of data, and by what measures have in common."""

from __future__ import annotations

import itertools
from typing import TYPE_CHECKING

from replication.papers.study.analysis import (
    FACTORS,
    METHODS,
    alike,
    averaged,
    cells_of,
    clear,
    foretelling,
    halves_of,
    labels_of,
    moderated,
    of_algorithm,
    parts,
    profiles,
    scored,
)
from replication.papers.study.grid import INDICES
from replication.papers.study.tables_common import (
    baseline_line,
    interval,
    missing,
    natural_lines,
    plural,
)
from replication.show.job import Job
from replication.show.sheet import Cell, Column, Sheet, across, number

if TYPE_CHECKING:
    import pandas as pd

    from replication.papers.study.analysis import Natural


# --- by data set and by kind of data -------------------------------------------------------------


HALVES = ("lower", "upper")


def heatmap(
    job: Job, cells: pd.DataFrame, *, algorithm: str = "mean", natural: Natural | None = None
) -> Sheet:
    """Rank of every measure on every data set, by the mean ARI of the common algorithms.

    With `algorithm` ``methods`` the rank of every method, see `analysis.methods`.
    """
    from replication.papers.study.statistics import ranks as ranked

    found = cells_of(job, algorithm, natural or {})
    names = labels_of(found)
    table = of_algorithm(found, algorithm)
    noun, means = "measures", "the mean ARI of k-modes, spectral clustering, Ward, average linkage"
    if algorithm == METHODS:
        noun, means = "methods", "ARI"
    places = ranked(table)
    order = places.mean().sort_values(kind="stable").index
    data = [
        {
            "dataset": dataset,
            "name": job.printed(dataset),
            "measure": measure,
            "label": names[measure],
            "rank": float(places.loc[dataset, measure]),
            "ari": float(table.loc[dataset, measure]),
        }
        for measure in order
        for dataset in places.index
    ]
    first = [measure for measure in order if (places[measure] == 1).any()]
    return Sheet.of(
        job,
        f"ranks of the {noun} on each data set",
        f"{len(first)} of {len(order)} {noun} are the best one on some data set"
        + (f": no {noun[:-1]} suits all data." if len(first) > 1 else "."),
        [
            Column("dataset", "Data set", text=True, of="name"),
            *across("measure", {m: names[m] for m in order}, of="rank", digits=1),
        ],
        data,
        by=("dataset",),
        legend=[
            f"Rank by {means}.",
            *(natural_lines(natural or {}, names) if algorithm == METHODS else ()),
            *baseline_line(job, table.index),
        ],
    )


def kinds(job: Job, cells: pd.DataFrame) -> Sheet:
    """Mean rank of every measure on halves of the data sets: few or many values, and so on."""
    from replication.papers.study.statistics import ranks as ranked

    found = scored(job)
    names = labels_of(found)
    places = ranked(of_algorithm(found, "mean"))
    order = places.mean().sort_values(kind="stable").index
    halves = {
        (factor, half): [dataset for dataset in places.index if upper[dataset] == high]
        for factor, upper in halves_of(job).items()
        for high, half in enumerate(HALVES)
    }
    data = [
        {"measure": measure, "factor": factor, "half": half, "datasets": len(chosen)}
        | {"rank": float(places.loc[chosen, measure].mean())}
        for measure in order
        for (factor, half), chosen in halves.items()
        if chosen
    ]
    by_factor: dict[tuple[str, str], list[float]] = {}
    for row in data:
        by_factor.setdefault((row["measure"], row["factor"]), []).append(row["rank"])
    moved = {measure for (measure, _), r in by_factor.items() if max(r) - min(r) > 5}
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
                for factor, (group, *words) in FACTORS.items()
                for column in across(
                    "half",
                    {half: head.split()[0] for half, head in zip(HALVES, words, strict=True)},
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
    found = scored(job)
    names = labels_of(found)
    data = moderated(averaged(found), profiles(job, "profile"))
    significant = sum(map(clear, data))
    return Sheet.of(
        job,
        "what an advantage over simple matching goes along with",
        f"{significant} of {len(data)} correlations between the advantage of a measure and a "
        "property of the data survive Holm's correction. So few data sets can show strong "
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


# --- internal indices, agreement -----------------------------------------------------------------


def indices(job: Job, cells: pd.DataFrame) -> Sheet:
    """Internal indices of the classes, and whether they foretell the ARI of a measure."""
    every = parts(job, "grid", outcome="")
    names = labels_of(every) if len(every) else {}
    places, data = foretelling(parts(job, "grid", "indices"), averaged(scored(job)))
    correlations = {
        index: sorted(row["rho"] for row in data if row["index"] == index) for index in INDICES
    }
    middle = {
        index: number(values[len(values) // 2], 2)
        for index, values in correlations.items()
        if values
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
        [{"kind": "correlation", **row} for row in data]
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
    found = parts(job, "grid", outcome="")
    names = labels_of(found) if len(found) else {}
    data = alike(found[found["kind"] == "pair"] if len(found) else found, names)
    rho = {(row["first"], row["second"]): row["rho"] for row in data}
    kept = list(dict.fromkeys(row["first"] for row in data))
    pairs = sorted(
        ((rho[p], *p) for p in itertools.combinations(kept, 2) if p in rho), reverse=True
    )

    def said(pair: tuple[float, str, str]) -> str:
        value, a, b = pair
        return f"{names[a]} and {names[b]} ({number(value, 2)})"

    words = "Too few measures."
    if pairs:
        words = f"Most alike: {said(pairs[0])}; least: {said(pairs[-1])}."
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
