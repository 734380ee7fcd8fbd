"""Tables of the study that rank measures and methods; leaderboard of all methods."""

from collections.abc import Mapping

import pandas as pd

from replication.papers.study import statistics
from replication.papers.study.analysis import (
    ALGORITHMS,
    BASELINES,
    BESIDE,
    COMMON,
    DEFAULT,
    INDICES,
    REFERENCE,
    Natural,
    algorithm_name,
    averaged,
    baseline_line,
    baselines,
    complete,
    labels_of,
    matrix,
    missing,
    names_of,
    natural_lines,
    p_text,
    plural,
    profiles,
    protocol_lines,
    records,
    scored,
    whole,
)
from replication.papers.study.cells import SCORES
from replication.papers.study.statistics import DIGITS, ROPE, Friedman, friedman
from replication.show.job import Job
from replication.show.sheet import Cell, Column, Sheet, across, number, pivot, words

BASE = "base rate"
"""Text in place of the algorithm of a baseline without one."""
COLUMNS = (
    *("dataset", "measure", "label", "algorithm", "experiment", "rule"),
    *("replicates", "clusters", *SCORES, "ari_sd", "ari_error", "rank"),
)
"""Columns of the leaderboard's data. A cell that a rule leaves out has the rule and no scores;
``rank`` is by ARI among all methods on the data set; base rates have none."""


def ranks(job: Job, cells: pd.DataFrame, *, natural: Natural | None = None) -> Sheet:
    """Mean ranks, Friedman's test and Nemenyi's critical difference.

    With the `natural` algorithm of each measure, the table ranks whole methods. Without, it ranks
    measures by their mean over the common algorithms, and adds the mean ranks by algorithm.
    """
    found = scored(job)
    grid = found[found["experiment"].str.startswith("grid")]
    beside: dict[str, pd.Series] = {}
    if natural is None:
        scores = {score: averaged(grid, score) for score in SCORES}
        names, reference = labels_of(grid), REFERENCE
        beside = {
            algorithm: statistics.ranks(complete(matrix(own, column="measure"))).mean()
            for algorithm in (*COMMON, "kmeans")
            for own in [grid[grid["algorithm"] == algorithm]]
        }
    else:
        found = whole(found, natural)
        scores = {score: complete(matrix(found, score)) for score in SCORES}
        names, reference = names_of(found), DEFAULT
    table = scores["ari"]
    test = friedman(table)
    above = table.sub(table.get(reference, pd.Series(dtype=float)), axis=0)
    data = [
        {"measure": method, "label": names[method], "rank": float(rank)}
        | {score: float(scores[score][method].mean()) for score in SCORES}
        | {"wins": int((above[method] > ROPE).sum())}
        | {"losses": int((above[method] < -ROPE).sum())}
        | {f"rank_{one}": place.get(method) for one, place in beside.items()}
        | {"datasets": len(table), "difference": test.difference if test else None}
        | {"p": test.p if test else None}
        for method, rank in statistics.ranks(table).mean().sort_values(kind="stable").items()
    ]
    columns = [
        Column("measure", "Measure" if natural is None else "Method", text=True, of="label"),
        Column("rank", "mean rank (ARI)", digits=2),
        *(Column(score, head, "mean", digits=3) for score, head in INDICES.items()),
        Column(
            "wins",
            f"better / worse than {names.get(reference, reference)}",
            of=lambda row: "" if row["measure"] == reference else "{wins} / {losses}".format(**row),
        ),
        *(Column(f"rank_{a}", ALGORITHMS[a], "mean rank with", digits=1) for a in beside),
    ]
    base = [
        {"measure": f"baseline: {BASELINES[name]}"}
        | {key: Cell(score, 3) for key, score in own.items()}
        for name, own in baselines(job, table.index).items()
    ]
    return Sheet.of(
        job,
        "mean ranks over four algorithms" if natural is None else "mean ranks of whole methods",
        friedman_words(test, names, len(table)),
        columns,
        data,
        rows=[*pivot(columns, data), *base],
        legend=[
            f"Means over the {plural(len(table), 'data set')} that all of them have. NMI uses the "
            "arithmetic mean. Better, worse: number of data sets with a difference of more than "
            f"{ROPE:g} ARI.",
            *(
                ["Scores are means over k-modes, spectral clustering, Ward and average linkage."]
                if natural is None
                else natural_lines(natural, found)
            ),
            *protocol_lines(job),
            *missing(job),
        ],
    )


def friedman_words(test: Friedman | None, names: Mapping[str, str], n: int) -> str:
    """Return the result of Friedman's test over n data sets in words."""
    if test is None:
        return f"{plural(n, 'data set')}: too few for a test of ranks."
    best, others = float(test.ranks.iloc[0]), len(test.ranks) - 1
    level = int((test.ranks - best < test.difference).sum()) - 1
    p = p_text(test.p)
    return (
        f"Over {test.datasets} data sets, {names[test.ranks.index[0]]} has the best mean rank "
        f"({number(best, 2)} of {others + 1}). Friedman's test with Iman "
        f"and Davenport's correction: p {p if p.startswith('<') else f'= {p}'}. The critical "
        f"difference of mean ranks is {number(test.difference, 2)} (Nemenyi, 5 %): "
        f"{level} of the {others} others are not significantly worse than the best."
    )


def heatmap(job: Job, cells: pd.DataFrame, *, natural: Natural) -> Sheet:
    """Rank by ARI of every whole method on every data set."""
    found = whole(scored(job), natural)
    names, table = names_of(found), complete(matrix(found))
    places = statistics.ranks(table)
    order = places.mean().sort_values(kind="stable").index
    first = [method for method in order if (places[method] == 1).any()]
    return Sheet.of(
        job,
        "ranks of the methods on each data set",
        f"{len(first)} of {plural(len(order), 'method')} are the single best on some data set.",
        [
            Column("dataset", "Data set", text=True, of="name"),
            *across("measure", {m: names[m] for m in order}, of="rank", digits=1),
        ],
        [
            {"dataset": dataset, "name": job.printed(dataset)}
            | {"measure": method, "label": names[method], "rank": float(rank)}
            | {"ari": float(table.loc[dataset, method])}
            for method in order
            for dataset, rank in places[method].items()
        ],
        by=("dataset",),
        legend=[
            "Rank by ARI.",
            *natural_lines(natural, found),
            *protocol_lines(job),
            *baseline_line(job, table.index),
        ],
    )


def leaderboard(job: Job, cells: pd.DataFrame) -> Sheet:
    """All methods by mean rank in ARI; the CSV holds every cell."""
    data = leaderboard_rows(job)
    base = data[data["algorithm"] == BASE]
    scored = data[(data["algorithm"] != BASE) & data["ari"].notna()]
    names = dict(zip(data["key"], data.to_dict("records"), strict=True))
    table = matrix(scored, column="key")
    block = complete(table)
    test = friedman(block)
    places = statistics.ranks(block).mean().sort_values(kind="stable")
    level = places.index[places - places.min() < test.difference] if test else ()
    rows: list[dict[str, Cell | str]] = [
        {
            "label": names[key]["label"],
            "algorithm": algorithm_name(names[key], ""),
            "rank": Cell(float(places[key]), 2) if key in places else "",
            "ari": Cell(float(block[key].mean()), 3) if key in places else "",
            "all": Cell(float(table[key].mean()), 3),
            "datasets": str(table[key].count()),
            "level": "like the best" if key in level else "",
        }
        for key in [*places.index, *(key for key in table if key not in places)]
    ]
    rows += [
        {
            **{"label": f"{BASE}: {label}", "datasets": str(len(own))},
            "ari": _mean(own.loc[own["dataset"].isin(block.index), "ari"]),
            "all": _mean(own["ari"]),
        }
        for label, own in base.groupby("label", sort=False)
    ]
    titles = {
        key: row["label"] + (f" with {name}" if (name := algorithm_name(row, "")) else "")
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
            Column("all", "all its data sets", "mean ARI"),
            Column("datasets", "data sets"),
            Column("level", "Against the best", text=True),
        ],
        data[[*COLUMNS]].astype(object).where(data.notna(), None).to_dict("records"),
        rows=rows,
        data_columns=COLUMNS,
        legend=[
            "A method is a measure with an algorithm, or an algorithm without a measure. Ranks are "
            f"over the {plural(len(block), 'data set')} that all ranked methods have. A method "
            "that lacks more than a quarter of the data sets has no rank.",
            "Like the best: the mean rank is within the critical difference of the first.",
            *protocol_lines(job),
            *missing(job),
        ],
    )


def leaderboard_rows(job: Job) -> pd.DataFrame:
    """Return all cells of the experiments, and the base rates, by `COLUMNS` and ``key``."""
    base = profiles(job, "baseline")
    base = base.assign(measure=base["baseline"], label=base["baseline"].map(BASELINES))
    base = base.assign(algorithm=BASE, experiment="profiles")
    found = pd.concat([records(job, "grid", *BESIDE, outcome=""), base], ignore_index=True).reindex(
        columns=list(COLUMNS)
    )
    numbers = list(COLUMNS[6:-1])
    found[numbers] = found[numbers].astype(float).map(lambda value: round(value, DIGITS))
    found["replicates"] = found["replicates"].astype("Int64")
    places = {name: i for i, name in enumerate(job.datasets)}
    found = found.sort_values("dataset", key=lambda one: one.map(places), kind="stable")
    competing = found[(found["algorithm"] != BASE) & found["ari"].notna()]
    found["rank"] = competing.groupby("dataset")["ari"].rank(ascending=False)
    return found.assign(key=found["measure"] + " " + found["algorithm"])


def _mean(scores: pd.Series) -> Cell:
    return Cell(sum(scores) / len(scores) if len(scores) else None, 3)
