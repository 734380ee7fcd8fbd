"""Tables of the study that rank measures and algorithms."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from replication.papers.study.analysis import (
    ALGORITHMS,
    BASELINES,
    COMMON,
    REFERENCE,
    ROPE,
    averaged,
    baselines,
    complete,
    labels_of,
    matrix,
    scored,
)
from replication.papers.study.cells import SCORES
from replication.papers.study.tables_common import (
    PAIR_COLUMNS,
    baseline_line,
    correct,
    friedman_words,
    missing,
    pair_legend,
    pair_row,
    plural,
    sheet,
)
from replication.show.job import Job
from replication.show.sheet import Column, Sheet, number

if TYPE_CHECKING:
    import pandas as pd


# --- which measure, which algorithm --------------------------------------------------------------


def overview(job: Job, cells: pd.DataFrame) -> Sheet:
    """Mean ARI of every measure with every algorithm, over the data sets that all have."""
    found = scored(job)
    tables = {a: complete(matrix(found[found["algorithm"] == a])) for a in ALGORITHMS}
    names = labels_of(found)
    means = averaged(found)
    over = complete(means)
    rows, plain = [], []
    order = over.mean().sort_values(ascending=False, kind="stable").index
    for measure in [*order, *(name for name in names if name not in order)]:
        row = {"measure": names[measure]}
        for a, table in tables.items():
            if measure in table:
                value = float(table[measure].mean())
                row[a] = number(value, 3)
                plain.append(
                    {"measure": measure, "algorithm": a, "ari": value, "datasets": len(table)}
                )
        if measure in over:
            row["mean"] = number(float(over[measure].mean()), 3)
        rows.append(row)
    best = {"measure": "oracle: best measure of each data set"}
    for a, table in [*tables.items(), ("mean", over)]:
        if len(table):
            best[a] = number(float(table.max(axis=1).mean()), 3)
    rows.append(best)
    base = {a: baselines(job, table.index) for a, table in [*tables.items(), ("mean", over)]}
    for name, head in BASELINES.items():
        scores = {a: one[name]["ari"] for a, one in base.items() if name in one}
        if scores:
            shown = {a: number(value, 3) for a, value in scores.items()}
            rows.append({"measure": f"baseline: {head}", **shown})
    return sheet(
        job,
        "mean adjusted Rand index of measures and algorithms",
        (
            f"The best measure over the four common algorithms is {names[order[0]]} "
            f"({rows[0]['mean']}); {names[REFERENCE]}, which only asks whether values are equal, "
            f"has {next(r for r in rows if r['measure'] == names[REFERENCE]).get('mean', '–')}. "
            if len(order) and REFERENCE in over
            else "Too few cells for a ranking. "
        )
        + "Whoever knew the best measure of each data set beforehand would have the row oracle; "
        "that choice needs the labels.",
        [
            Column("measure", "Measure", text=True),
            *(Column(a, head) for a, head in ALGORITHMS.items()),
            Column("mean", "mean of four"),
        ],
        rows,
        plain,
        [
            "Each column is over the data sets that all its measures have: "
            + ", ".join(f"{head} {len(tables[a])}" for a, head in ALGORITHMS.items())
            + f", mean of four {len(over)}. Empty: not defined, or left out by a rule.",
            "Mean of four: k-modes, spectral clustering, Ward, average linkage.",
            *missing(job),
        ],
    )


def algorithms(job: Job, cells: pd.DataFrame) -> Sheet:
    """The common algorithms against each other, over all measures that have all of them."""
    import pandas as pd

    from replication.papers.study.statistics import compare, friedman, holm, merged, signed_rank

    found = scored(job)
    table = found[found["algorithm"].isin(COMMON)].pivot_table(
        index=["dataset", "measure"], columns="algorithm", values="ari", sort=False
    )
    table = table.reindex(columns=list(COMMON)).dropna()
    scores = table.groupby("dataset", sort=False).mean() if len(table) else pd.DataFrame()
    test = friedman(scores) if len(scores) else None
    plain = []
    for i, a in enumerate(COMMON):
        for b in COMMON[i + 1 :]:
            if len(scores) == 0:
                continue
            pair = compare(
                scores[a].to_numpy(), scores[b].to_numpy(), ROPE, job.rng("algorithms", a, b)
            )
            fewer = merged(scores, job.need("parameters")["families"])
            again = signed_rank((fewer[a] - fewer[b]).to_numpy())
            plain.append({"first": a, "second": b, **pair, "p_merged": again})
    correct(plain, holm)
    return sheet(
        job,
        "algorithms compared, each as the mean over measures",
        friedman_words(test, {a: ALGORITHMS[a] for a in COMMON}, len(scores)),
        PAIR_COLUMNS,
        [pair_row({**one, "algorithm": ""}, ALGORITHMS) for one in plain],
        plain,
        [*pair_legend(len(plain)), *baseline_line(job, scores.index), *missing(job)],
    )


def ranks(job: Job, cells: pd.DataFrame) -> Sheet:
    """Mean ranks of the measures with one algorithm, Friedman's test and Nemenyi's difference."""
    from replication.papers.study.statistics import friedman
    from replication.papers.study.statistics import ranks as ranked

    algorithm = job.need("parameters")["algorithm"]
    found = scored(job)
    names = labels_of(found)
    if algorithm == "mean":
        scores = {score: complete(averaged(found, score)) for score in SCORES}
    else:
        own = found[found["algorithm"] == algorithm]
        scores = {score: complete(matrix(own, score)) for score in SCORES}
    table = scores["ari"]
    test = friedman(table)
    mean_ranks = ranked(table).mean().sort_values(kind="stable") if table.size else table.mean()
    rows, plain = [], []
    for measure, rank in mean_ranks.items():
        values = {score: float(scores[score][measure].mean()) for score in SCORES}
        above = table[measure] - table.get(REFERENCE, math.nan)
        one = {
            "measure": measure,
            "label": names[measure],
            "rank": float(rank),
            **values,
            "wins": int((above > ROPE).sum()),
            "losses": int((above < -ROPE).sum()),
            "datasets": len(table),
            "difference": test.difference if test else None,
            "p": test.p_f if test else None,
        }
        plain.append(one)
        rows.append(
            {
                "measure": names[measure],
                "rank": number(one["rank"], 2),
                **{score: number(values[score], 3) for score in SCORES},
                "wins": f"{one['wins']} / {one['losses']}" if measure != REFERENCE else "",
            }
        )
    for name, means in baselines(job, table.index).items():
        shown = {score: number(mean, 3) for score, mean in means.items()}
        rows.append({"measure": f"baseline: {BASELINES[name]}", **shown})
    words = "the mean of four algorithms" if algorithm == "mean" else ALGORITHMS[algorithm]
    return sheet(
        job,
        f"measures with {words}",
        friedman_words(test, names, len(table)),
        [
            Column("measure", "Measure", text=True),
            Column("rank", "mean rank (ARI)"),
            Column("ari", "ARI", "mean"),
            Column("nmi_arithmetic", "NMI", "mean"),
            Column("accuracy", "accuracy", "mean"),
            Column("macro_f1", "macro-F1", "mean"),
            Column("purity", "purity", "mean"),
            Column("wins", f"better / worse than {names.get(REFERENCE, 'SMD')}"),
        ],
        rows,
        plain,
        [
            f"Over the {plural(len(table), 'data set')} that all these measures have; random "
            "algorithms by their mean over trials. NMI with the arithmetic mean.",
            f"Better, worse: by more than {ROPE:g} ARI.",
            *missing(job),
        ],
    )
