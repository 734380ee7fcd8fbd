"""Tables of the study that rank measures and algorithms, and the leaderboard of all methods."""

from __future__ import annotations

import itertools
from collections.abc import Mapping
from typing import Any

import pandas as pd

from replication.papers.study import statistics
from replication.papers.study.advice import REFERENCE
from replication.papers.study.analysis import (
    ALGORITHMS,
    BASELINES,
    BESIDE,
    COMMON,
    METHODS,
    Natural,
    baselines,
    cells_of,
    common,
    complete,
    labels_of,
    of_algorithm,
    profiles,
    records,
    remaining,
)
from replication.papers.study.cells import RUNS, SCORES
from replication.papers.study.statistics import DIGITS, ROPE, Families, friedman
from replication.papers.study.tables.common import (
    baseline_line,
    baseline_rows,
    friedman_words,
    missing,
    natural_lines,
    pair_columns,
    pair_legend,
    plural,
)
from replication.show.job import Job
from replication.show.sheet import Cell, Column, Sheet, across, pivot, words
from replication.steps import OK

BASE = "base rate"
"""What stands in the place of the algorithm of a base rate."""
_KEYS = ("dataset", "measure", "label", "algorithm", "experiment", "rule")
COLUMNS = (*_KEYS, "trials", "clusters", *SCORES, "ari_sd", "rank")
"""Columns of the leaderboard's data. A cell that a rule leaves out has the rule and no scores;
``rank`` is that of the ARI among all methods on the data set; base rates have none."""


def overview(job: Job, cells: pd.DataFrame) -> Sheet:
    """Mean ARI of every measure with every algorithm, over the data sets that all have."""
    found, other = records(job, "grid"), records(job, *BESIDE).assign(algorithm=METHODS)
    names, own = labels_of(found), labels_of(other)
    heads = {name: ALGORITHMS[name] for name in RUNS} | {"mean": "mean of four"}
    tables = {algorithm: of_algorithm(found, algorithm) for algorithm in heads}
    if own:
        heads[METHODS], tables[METHODS] = "its own", of_algorithm(other, METHODS)
    over = tables["mean"].mean().sort_values(ascending=False, kind="stable")
    order = [*over.index, *(name for name in names if name not in over)]
    labels = names | own
    means = {
        (measure, algorithm): float(table[measure].mean())
        for measure in [*order, *own]
        for algorithm, table in tables.items()
        if measure in table
    }
    best = {a: Cell(float(t.max(axis=1).mean()), 3) for a, t in tables.items() if len(t)}
    base = {a: baselines(job, table.index) for a, table in tables.items()}
    caption = "Too few cells for a ranking. "
    if REFERENCE in over:
        caption = (
            f"The best measure over the four common algorithms is {names[order[0]]} "
            f"({over.iloc[0]:.3f}); {names[REFERENCE]}, which only asks whether values are "
            f"equal, has {over[REFERENCE]:.3f}. "
        )
    return Sheet.of(
        job,
        "mean adjusted Rand index of measures and algorithms",
        caption + "Whoever knew the best measure of each data set beforehand would have the row "
        "oracle; that choice needs the labels.",
        [*words(measure="Measure"), *(Column(key, head) for key, head in heads.items())],
        [
            {"measure": measure, "algorithm": a, "ari": mean, "datasets": len(tables[a])}
            for (measure, a), mean in means.items()
            if a != "mean"
        ],
        rows=[
            *(
                {"measure": labels[measure]}
                | {a: Cell(means[measure, a], 3) for a in heads if (measure, a) in means}
                for measure in [*order, *own]
            ),
            {"measure": "oracle: best measure of each data set", **best},
            *baseline_rows(
                {
                    name: {a: scores[name]["ari"] for a, scores in base.items() if name in scores}
                    for name in BASELINES
                }
            ),
        ],
        legend=[
            "Each column is over the data sets that all its measures have: "
            + ", ".join(f"{head} {len(tables[key])}" for key, head in heads.items())
            + ". Empty: not defined, or left out by a rule.",
            "Mean of four: k-modes, spectral clustering, Ward, average linkage. Its own: methods "
            "that learn a distance or a model with the clusters, and the papers' rivals.",
            *missing(job),
        ],
    )


def algorithms(job: Job, cells: pd.DataFrame, *, families: Families) -> Sheet:
    """The common algorithms against each other, over all measures that have all of them."""
    scores = common(records(job, "grid")).groupby("dataset", sort=False).mean()
    data = remaining(
        [
            {"first": a, "second": b}
            | statistics.compare(scores[[a, b]], job.rng("algorithms", a, b), families)
            for a, b in itertools.combinations(COMMON if len(scores) else (), 2)
        ]
    )
    return Sheet.of(
        job,
        "algorithms compared, each as the mean over measures",
        friedman_words(friedman(scores), ALGORITHMS, len(scores)),
        pair_columns(ALGORITHMS),
        data,
        legend=[*pair_legend(len(data)), *baseline_line(job, scores.index), *missing(job)],
    )


def ranks(
    job: Job, cells: pd.DataFrame, *, algorithm: str, natural: Natural | None = None
) -> Sheet:
    """Mean ranks of the measures with one algorithm, Friedman's test and Nemenyi's difference."""
    found = cells_of(job, algorithm, natural)
    names = labels_of(found)
    scores = {score: of_algorithm(found, algorithm, score) for score in SCORES}
    table = scores["ari"]
    test = friedman(table)
    data: list[dict[str, Any]] = []
    for measure, rank in statistics.ranks(table).mean().sort_values(kind="stable").items():
        above = table[measure] - table.get(REFERENCE, float("nan"))
        data.append(
            {"measure": measure, "label": names[measure], "rank": float(rank)}
            | {score: float(scores[score][measure].mean()) for score in SCORES}
            | {"wins": int((above > ROPE).sum()), "losses": int((above < -ROPE).sum())}
            | {"datasets": len(table), "difference": test.difference if test else None}
            | {"p": test.p if test else None}
        )

    def wins(row: Mapping[str, Any]) -> str:
        return "" if row["measure"] == REFERENCE else f"{row['wins']} / {row['losses']}"

    columns = [
        Column("measure", "Measure", text=True, of="label"),
        Column("rank", "mean rank (ARI)", digits=2),
        Column("ari", "ARI", "mean", digits=3),
        Column("nmi_arithmetic", "NMI", "mean", digits=3),
        Column("accuracy", "accuracy", "mean", digits=3),
        Column("macro_f1", "macro-F1", "mean", digits=3),
        Column("purity", "purity", "mean", digits=3),
        Column("wins", f"better / worse than {names.get(REFERENCE, 'SMD')}", of=wins),
    ]
    heads = {"mean": "the mean of four algorithms", METHODS: "their own algorithms"}
    said = heads.get(algorithm) or ALGORITHMS[algorithm]
    return Sheet.of(
        job,
        f"{'methods' if algorithm == METHODS else 'measures'} with {said}",
        friedman_words(test, names, len(table)),
        columns,
        data,
        rows=[*pivot(columns, data), *baseline_rows(baselines(job, table.index))],
        legend=[
            f"Over the {plural(len(table), 'data set')} that all these measures have; of "
            "random starts the one that counts is the method's own choice. NMI with the arithmetic "
            "mean.",
            f"Better, worse: by more than {ROPE:g} ARI.",
            *(natural_lines(natural or {}, names) if algorithm == METHODS else ()),
            *missing(job),
        ],
    )


def heatmap(
    job: Job, cells: pd.DataFrame, *, algorithm: str = "mean", natural: Natural | None = None
) -> Sheet:
    """Rank of every measure on every data set, by the mean ARI of the common algorithms.

    With `algorithm` ``methods`` the rank of every method, see `analysis.methods`.
    """
    found = cells_of(job, algorithm, natural)
    names = labels_of(found)
    table = of_algorithm(found, algorithm)
    noun, means = "measures", "the mean ARI of k-modes, spectral clustering, Ward, average linkage"
    if algorithm == METHODS:
        noun, means = "methods", "ARI"
    places = statistics.ranks(table)
    order = places.mean().sort_values(kind="stable").index
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
        [
            {"dataset": dataset, "name": job.printed(dataset)}
            | {"measure": measure, "label": names[measure], "rank": float(rank)}
            | {"ari": float(table.loc[dataset, measure])}
            for measure in order
            for dataset, rank in places[measure].items()
        ],
        by=("dataset",),
        legend=[
            f"Rank by {means}.",
            *(natural_lines(natural or {}, names) if algorithm == METHODS else ()),
            *baseline_line(job, table.index),
        ],
    )


def leaderboard(job: Job, cells: pd.DataFrame) -> Sheet:
    """All methods by their mean rank in ARI, and in the CSV every cell."""
    data = leaderboard_rows(job)
    base = data[data["algorithm"] == BASE]
    scored = data[(data["algorithm"] != BASE) & data["ari"].notna()]
    names = dict(zip(data["key"], data.to_dict("records"), strict=True))
    table = scored.pivot_table("ari", "dataset", "key", sort=False)
    table = table.reindex(columns=list(dict.fromkeys(scored["key"])))
    block = complete(table)
    test = friedman(block)
    places = statistics.ranks(block).mean().sort_values(kind="stable")
    level = places.index[places - places.min() < test.difference] if test else ()
    rows: list[dict[str, Cell | str]] = [
        {
            "label": names[key]["label"],
            "algorithm": _algorithm(names[key]),
            "rank": Cell(float(places[key]), 2) if key in places else "",
            "ari": Cell(float(block[key].mean()), 3) if key in places else "",
            "all": Cell(float(table[key].mean()), 3),
            "datasets": str(table[key].count()),
            "level": "like the best" if key in level else "",
        }
        for key in [*places.index, *(key for key in table if key not in places)]
    ]
    for label, own in base.groupby("label", sort=False):
        ranked = own.loc[own["dataset"].isin(block.index), "ari"]
        rows.append(
            {"label": f"{BASE}: {label}", "datasets": str(len(own))}
            | {"ari": _mean(ranked.tolist()), "all": _mean(own["ari"].tolist())}
        )
    titles = {
        key: f"{row['label']} with {name}" if (name := _algorithm(row)) else row["label"]
        for key, row in names.items()
    }
    return Sheet.of(
        job,
        "all methods on all data sets",
        friedman_words(test, titles, len(block)),
        [
            *words(label="Method", algorithm="Algorithm"),
            Column("rank", "mean rank"),
            Column("ari", "common data sets", "mean ARI"),
            Column("all", "its own", "mean ARI"),
            Column("datasets", "data sets"),
            Column("level", "Beside the best", text=True),
        ],
        data[[*COLUMNS]].astype(object).where(data.notna(), None).to_dict("records"),
        rows=rows,
        data_columns=COLUMNS,
        legend=[
            f"A method is a measure with an algorithm, or an algorithm of its own. Ranks over the "
            f"{plural(len(block), 'data set')} that all ranked methods have; a method that lacks "
            "more than a quarter of the data sets has no rank.",
            "Like the best: the mean rank is less than the critical difference behind the first.",
            *missing(job),
        ],
    )


def leaderboard_rows(job: Job) -> pd.DataFrame:
    """Every cell of the artefact's experiments and the base rates, by `COLUMNS` and ``key``."""
    base = profiles(job, "baseline")
    base = base.assign(measure=base["baseline"], label=base["baseline"].map(BASELINES))
    base = base.assign(algorithm=BASE, experiment="profiles", outcome=OK)
    found = pd.concat([records(job, "grid", *BESIDE, outcome=""), base], ignore_index=True)
    found = found.reindex(columns=["outcome", *COLUMNS])
    found["rule"] = found["rule"].mask(found["outcome"] == OK, "")
    numbers = list(COLUMNS[6:-1])
    found.loc[found["outcome"] != OK, numbers] = None
    found[numbers] = found[numbers].astype(float).map(lambda value: round(value, DIGITS))
    found["trials"] = found["trials"].astype("Int64")
    places = {name: i for i, name in enumerate(job.datasets)}
    found = found.sort_values("dataset", key=lambda one: one.map(places), kind="stable")
    competing = found[(found["algorithm"] != BASE) & found["ari"].notna()]
    found["rank"] = competing.groupby("dataset")["ari"].rank(ascending=False)
    return found.assign(key=found["measure"] + " " + found["algorithm"])


def _algorithm(row: Mapping[str, Any]) -> str:
    """Name of the algorithm of a method; empty if it is the method."""
    name = row["algorithm"]
    return "" if name == row["measure"] else ALGORITHMS.get(name, name)


def _mean(values: list[float]) -> Cell:
    return Cell(sum(values) / len(values) if values else None, 3)
