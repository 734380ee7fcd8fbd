"""Tables of the study that rank measures and algorithms."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from replication.papers.study.analysis import (
    ALGORITHMS,
    BASELINES,
    COMMON,
    GRID,
    METHODS,
    REFERENCE,
    ROPE,
    baselines,
    beside,
    cells_of,
    compared_algorithms,
    labels_of,
    of_algorithm,
    over_measures,
    ranked_measures,
    remaining,
    scored,
)
from replication.papers.study.tables_common import (
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
from replication.show.sheet import Cell, Column, Sheet, pivot

if TYPE_CHECKING:
    import pandas as pd

    from replication.papers.study.analysis import Families, Natural


def overview(job: Job, cells: pd.DataFrame) -> Sheet:
    """Mean ARI of every measure with every algorithm, over the data sets that all have."""
    found = scored(job)
    other = beside(job).assign(algorithm=METHODS)
    names = labels_of(found)
    own = labels_of(other)
    heads = {name: ALGORITHMS[name] for name in GRID} | {"mean": "mean of four"}
    tables = {algorithm: of_algorithm(found, algorithm) for algorithm in heads}
    if own:
        heads[METHODS] = "its own"
        tables[METHODS] = of_algorithm(other, METHODS)
    over = tables["mean"]
    order = over.mean().sort_values(ascending=False, kind="stable").index
    rows = [
        {"measure": names[measure]}
        | {a: Cell(float(t[measure].mean()), 3) for a, t in tables.items() if measure in t}
        for measure in [*order, *(name for name in names if name not in order)]
    ]
    for name, label in own.items():
        known = name in tables[METHODS]
        score = {METHODS: Cell(float(tables[METHODS][name].mean()), 3)} if known else {}
        rows.append({"measure": label, **score})
    means = {row["measure"]: row["mean"].text for row in rows if "mean" in row}
    data = [
        {"measure": measure, "algorithm": algorithm}
        | {"ari": float(tables[algorithm][measure].mean()), "datasets": len(tables[algorithm])}
        for measure in [*order, *(name for name in names if name not in order), *own]
        for algorithm in heads
        if algorithm != "mean" and measure in tables[algorithm]
    ]
    best = {a: Cell(float(t.max(axis=1).mean()), 3) for a, t in tables.items() if len(t)}
    base = {a: baselines(job, table.index) for a, table in tables.items()}
    return Sheet.of(
        job,
        "mean adjusted Rand index of measures and algorithms",
        (
            f"The best measure over the four common algorithms is {names[order[0]]} "
            f"({means[names[order[0]]]}); {names[REFERENCE]}, which only asks whether values are "
            f"equal, has {means[names[REFERENCE]]}. "
            if len(order) and REFERENCE in over
            else "Too few cells for a ranking. "
        )
        + "Whoever knew the best measure of each data set beforehand would have the row oracle; "
        "that choice needs the labels.",
        [
            Column("measure", "Measure", text=True),
            *(Column(key, head) for key, head in heads.items()),
        ],
        data,
        rows=[
            *rows,
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
    from replication.papers.study.statistics import friedman

    scores = over_measures(scored(job))
    data = remaining(compared_algorithms(job, scores, families))
    return Sheet.of(
        job,
        "algorithms compared, each as the mean over measures",
        friedman_words(friedman(scores), {a: ALGORITHMS[a] for a in COMMON}, len(scores)),
        pair_columns(ALGORITHMS),
        data,
        legend=[*pair_legend(len(data)), *baseline_line(job, scores.index), *missing(job)],
    )


def ranks(
    job: Job, cells: pd.DataFrame, *, algorithm: str, natural: Natural | None = None
) -> Sheet:
    """Mean ranks of the measures with one algorithm, Friedman's test and Nemenyi's difference."""
    found = cells_of(job, algorithm, natural or {})
    names = labels_of(found)
    test, datasets, data = ranked_measures(found, algorithm)

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
    words = heads.get(algorithm) or ALGORITHMS[algorithm]
    return Sheet.of(
        job,
        f"{'methods' if algorithm == METHODS else 'measures'} with {words}",
        friedman_words(test, names, len(datasets)),
        columns,
        data,
        rows=[*pivot(columns, data), *baseline_rows(baselines(job, datasets))],
        legend=[
            f"Over the {plural(len(datasets), 'data set')} that all these measures have; of "
            "random starts the one that counts is the method's own choice. NMI with the arithmetic "
            "mean.",
            f"Better, worse: by more than {ROPE:g} ARI.",
            *(natural_lines(natural or {}, names) if algorithm == METHODS else ()),
            *missing(job),
        ],
    )
