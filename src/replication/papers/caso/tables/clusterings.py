"""Tables of CASO on clusterings: Tables XI and XII, their tests, and the threshold of ROCK."""

from __future__ import annotations

import itertools
import math
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import pandas as pd

from replication.judge.cells import NO_DATASET
from replication.judge.published import numbers
from replication.papers.caso.analysis import (
    MEASURES,
    SIGNIFICANCE_LEVEL,
    changes,
    main_algorithms,
    mean_and_sd,
)
from replication.papers.caso.clusterings import KMODES, SPECTRAL
from replication.papers.caso.rocks import METHODS, SCORES
from replication.papers.caso.significance import best_threshold
from replication.run.paired import BETWEEN
from replication.show.job import Job
from replication.show.sheet import Cell, Column, Sheet, across, grouped, number, pivot, words

# --- Table XI: k-modes and spectral clustering ---------------------------------------------------

ALGORITHM_NAMES = {
    "kmodes_frequency": "k-modes",
    "kmodes_minimiser": "k-modes, minimising mode",
    "sc_one_minus": "spectral, 1 - D/max",
    "sc_exp_mean": "spectral, exp(-D/mean)",
    "sc_gauss_mean": "spectral, Gaussian",
    "sc_one_minus_rw": "spectral, 1 - D/max, random walk",
    "sc_gauss_mean_rw": "spectral, Gaussian, random walk",
}

PARTITION_SCORES = {"ac": "AC", "nmi": "NMI"}
MEANS = {"of": "mean", "sd": "sd", "digits": 3}
"""How columns show means."""


def partition_quality(job: Job, cells: pd.DataFrame) -> Sheet:
    """AC and NMI of k-modes and spectral clustering: Table XI, and the change CADO makes."""
    main = main_algorithms(job)
    titles = {algorithm: key for key, algorithm in main.items()}
    data: list[dict[str, Any]] = []
    for about, records in job.each("partitions"):
        change = {score: changes(records, score) for score in PARTITION_SCORES}
        parts = dict(list(records.groupby(["algorithm", "measure"])))
        for key in itertools.product((*KMODES.values(), *SPECTRAL.values()), MEASURES):
            algorithm, measure = key
            for score in PARTITION_SCORES if key in parts else ():
                row: dict[str, Any] = {**about, "algorithm": algorithm}
                row |= {"main": titles.get(algorithm, ""), "measure": measure, "score": score}
                row |= {**mean_and_sd(parts[key][score]), "runs": len(parts[key])}
                if measure == "cado":
                    row["change"] = change[score][algorithm].value
                data.append(row)
    data += [
        {
            **{"dataset": cell["dataset_id"], "printed_name": cell["dataset"]},
            "main": cell["method"].partition(" ")[0],
            "score": cell["metric"].partition("_")[0].lower(),
            "printed": cell["value"],
        }
        for cell in numbers(cells).to_dict("records")
        if "_improvement_" in cell["metric"]
    ]
    columns = [
        Column("dataset", "Data set", text=True, of="printed_name"),
        Column("score", "score", text=True, of=lambda row: PARTITION_SCORES[row["score"]]),
        *(column for key in main for column in _of_algorithm(key)),
    ]
    return Sheet.of(
        job,
        "k-modes and spectral clustering with four dissimilarities",
        "Mean ± sd over the starts. " + _gains(data, main.values()),
        columns,
        data,
        rows=pivot(columns, [row for row in data if row["main"]], by=("dataset", "score")),
        legend=[
            "change: of the mean score from ADD to CADO. The printed table is an image; eight "
            "rates of change are in the text and judged with its numbers.",
            "AC: best one-to-one matching of clusters and classes. NMI: divided by the larger "
            "entropy. As many clusters as classes; the same starts for all dissimilarities.",
            f"k-modes: {ALGORITHM_NAMES[main['KM']]}; spectral clustering: "
            f"{ALGORITHM_NAMES[main['SC']]}. Spectral clustering uses the symmetric Laplacian and "
            "rows of length 1 unless it says random walk.",
            *(
                f"{ALGORITHM_NAMES[algorithm]}: {_gains(data, [algorithm])}"
                for algorithm in dict.fromkeys(row.get("algorithm", "") for row in data)
                if algorithm and algorithm not in main.values()
            ),
            *job.not_run("partitions"),
        ],
    )


def _of_algorithm(key: str) -> list[Column]:
    """Columns of k-modes or of spectral clustering."""
    group = {"KM": "k-modes", "SC": "spectral clustering"}[key]
    cado = {"main": key, "measure": "cado"}
    return [
        *across(*("measure", MEASURES, group), name=f"{key}.{{}}", where={"main": key}, **MEANS),
        Column(f"{key}.change", "change (%)", group, False, "+.1f", 100, of="change", where=cado),
        Column(
            f"{key}.printed",
            "printed",
            group,
            of=lambda row: Cell(float(row["printed"]), "+.2f", 100),
            where={"main": key, "measure": None},
        ),
    ]


def _gains(data: Iterable[Mapping[str, Any]], algorithms: Iterable[str]) -> str:
    """How often CADO beats ADD."""
    chosen = set(algorithms)
    changes = [row["change"] for row in data if row.get("algorithm") in chosen and "change" in row]
    up = sum(value > 1e-9 for value in changes)
    same = sum(abs(value) <= 1e-9 for value in changes)
    return f"CADO beats ADD in {up} of {len(changes)} cells and ties in {same}."


# --- the tests behind Tables XI and XII ----------------------------------------------------------


METHOD_NAMES = {"rock": "ROCK", "crock": "CROCK"}
_OF_A_TEST = (
    *("family", "score", "over", "dataset", "n", "difference", "t", "p", "p_one_sided"),
    *("p_paired", "p_wilcoxon", "p_holm"),
)


def significance(job: Job, cells: pd.DataFrame) -> Sheet:
    """Tests of CADO against the others, and of CROCK against ROCK."""
    tests = job.tests()
    names = {**MEASURES, **METHOD_NAMES}
    first, second = (tests[side].map(names) for side in ("first", "second"))
    owner = (tests["algorithm"] + ": ").where(tests["algorithm"] != "ROCK", "")
    found = tests.assign(
        family=owner + first + " against " + second, score=tests["score"].replace(PARTITION_SCORES)
    )[[*_OF_A_TEST]]
    clear = found[found["p_holm"] < SIGNIFICANCE_LEVEL]
    within = clear[clear["over"] != BETWEEN]
    outcomes = Counter(
        zip(within["family"], within["score"], within["difference"] > 0, strict=True)
    )
    between = found[found["over"] == BETWEEN]
    low = between[between["p"] < SIGNIFICANCE_LEVEL]
    data, shown = (one.replace({math.nan: None}).to_dict("records") for one in (found, between))
    columns = [
        *words(family="Comparison", score="score"),
        Column("n", "sets"),
        Column("difference", "mean difference", digits="+.3f"),
        Column("p", "t-test", digits=3),
        Column("p_one_sided", "t-test, better", digits=3),
        Column("p_wilcoxon", "Wilcoxon", digits=3),
        Column("p_holm", "Holm", digits=3),
        Column(
            "within",
            "sets won : lost",
            "Welch over runs, Holm",
            of=lambda row: " : ".join(
                str(outcomes[row["family"], row["score"], won]) for won in (True, False)
            ),
        ),
    ]
    return Sheet.of(
        job,
        "is the gain significant?",
        f"Over data sets, {len(low)} of {len(between)} paired t-tests have p < 0.05, "
        f"{(low['difference'] > 0).sum()} of them in favour of the coupled method; "
        f"after Holm's correction {(low['p_holm'] < SIGNIFICANCE_LEVEL).sum()} are left.",
        columns,
        data,
        rows=pivot(columns, shown),
        legend=[
            "Paired two-sided t-test over the means of the data sets, the one-sided one (better), "
            "Wilcoxon's signed ranks (zeros after Pratt), and Holm's correction over all tests "
            "of this table.",
            "Within a data set: Welch's t over the starts or row orders, Holm's correction "
            "over all of them. A set without any variation between runs has no test.",
            "ROCK and CROCK at the best threshold of each (oracle), over row orders; given an "
            "order both are deterministic.",
        ],
    )


# --- Table XII: ROCK and CROCK -------------------------------------------------------------------

SCORE_NAMES = {"precision": "Pr", "recall": "Re", "specificity": "Sp"}


def rock_quality(job: Job, cells: pd.DataFrame, *, counted: Sequence[str], fixed: float) -> Sheet:
    """Precision, recall and specificity at the best threshold of each method, and at 0.75."""
    data: list[dict[str, Any]] = []
    for about, records in job.each("rock"):
        known = {**about, "counted": about["dataset"] in counted}
        for method, curve in records.groupby("method", sort=False):
            for own, theta in ((True, best_threshold(curve)), (False, fixed)):
                part = curve[curve["theta"] == theta]
                setting = {"method": method, "own": own, "oracle": own, "theta": theta}
                near = {"orders": len(part), "neighbours": float(part["neighbours"].mean())}
                data += (
                    {**known, **setting, "score": score, **mean_and_sd(part[score]), **near}
                    for score in SCORES
                )
    means = {
        (row["own"], row["dataset"], row["score"], row["method"]): row["mean"]
        for row in data
        if row["counted"]
    }
    said = {}
    for own in (True, False):
        better = [
            means[own, *cell, "crock"] - rock > 1e-9
            for (which, *cell, method), rock in means.items()
            if (which, method) == (own, "rock")
        ]
        said[own] = f"{sum(better)} of {len(better)}"
    orders = {row["printed_name"]: row["orders"] for row in data}
    return Sheet.of(
        job,
        "CROCK against ROCK",
        "Means over row orders, at the best threshold of each method (oracle) and at "
        f"{fixed:g} for both. On the data sets of the paper CROCK is better in {said[True]} "
        f"scores with its own threshold, and in {said[False]} at {fixed:g}.",
        _threshold_columns(
            fixed,
            *across("score", SCORE_NAMES, **MEANS),
            Column("neighbours", "neighbours", digits=0),
        ),
        data,
        by=("dataset", "method"),
        legend=[
            "Pr, Re, Sp: precision, recall and specificity of the matched clusters, means over the "
            "classes weighted by size. The printed table is an image.",
            "Best theta: highest sum of the three scores, a mean over row orders, chosen with the "
            "class labels (oracle). neighbours: mean number per object. Orders: "
            + ", ".join(f"{name} {number}" for name, number in orders.items())
            + ".",
            "If more clusters remain than there are classes, the largest ones stay and the other "
            "objects join the nearest.",
            *job.not_run("rock"),
        ],
    )


def _threshold_columns(fixed: float, *shown: Column) -> list[Column]:
    """Columns of a table that shows each method at its best threshold and at one for both."""
    theta = Column("theta", "theta", digits=2)
    return [
        Column("dataset", "Data set", text=True, of="printed_name"),
        Column("method", "method", text=True, of=lambda row: METHOD_NAMES[row["method"]]),
        *grouped("own", {True: "best theta (oracle)"}, [theta, *shown]),
        *grouped("own", {False: f"theta {fixed:g}"}, shown),
    ]


def theta_curve(job: Job, cells: pd.DataFrame, *, fixed: float) -> Sheet:
    """Scores and neighbours against the threshold: why one value cannot serve both methods."""
    sizes = job.ok("bounds").set_index("dataset")["objects"]
    data: list[dict[str, Any]] = []
    shown: list[dict[str, Any]] = []
    for about, records in job.each("rock"):
        for method, curve in records.groupby("method", sort=False):
            best = best_threshold(curve)
            for theta, runs in curve.groupby("theta"):
                scores = runs[list(SCORES)].mean(axis="columns")
                row = {**about, "method": method, "theta": theta, "score": float(scores.mean())}
                row |= {"least": float(scores.min()), "greatest": float(scores.max())}
                row["neighbours"] = float(runs["neighbours"].mean())
                row["share"] = row["neighbours"] / int(sizes[about["dataset"]] - 1)
                row["clusters"] = float(runs["clusters"].mean())
                data.append(row)
                chosen = ((True, best), (False, fixed))
                shown += ({**row, "own": own} for own, one in chosen if one == theta)
    columns = _threshold_columns(
        fixed,
        Column("score", "mean score", digits=3),
        Column("share", "neighbours (%)", digits=1, scale=100),
    )
    caption = f"Not run: {NO_DATASET}."
    if shown:
        said = {}
        for method in METHODS:
            near = [r["share"] for r in shown if (r["method"], r["own"]) == (method, False)]
            said[method] = f"{number(min(near), 0, 100)} to {number(max(near), 0, 100)} %"
        caption = (
            f"At theta = {fixed:g} an object has {said['crock']} of the others as neighbours by "
            f"CASO / n (CROCK), and {said['rock']} by Jaccard's similarity (ROCK)."
        )
    return Sheet.of(
        job,
        "one threshold for two similarities",
        caption,
        columns,
        data,
        rows=pivot(columns, shown, by=("dataset", "method")),
        legend=[
            "mean score: of precision, recall and specificity, over row orders. neighbours: of the "
            "other objects. The best theta is chosen with the class labels (oracle).",
            *job.not_run("rock"),
        ],
    )
