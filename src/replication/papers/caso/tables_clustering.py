"""Tables of CASO on clusterings: Tables XI and XII, their tests, and the threshold of ROCK."""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any

from replication.judge.cells import NO_DATASET
from replication.judge.published import numbers
from replication.papers.caso.analysis import (
    MEASURES,
    at_best_threshold,
    best_threshold,
    change,
    compare_rocks,
    compared,
    pairs_of,
    present,
)
from replication.papers.caso.rocks import METHODS, SCORES
from replication.papers.caso.tables_common import (
    main_algorithms,
    missing_legend,
    printed_name,
    with_sd,
)
from replication.show.job import Job
from replication.show.sheet import Column, Sheet, number

if TYPE_CHECKING:
    import pandas as pd


# --- Table XI: k-modes and spectral clustering ---------------------------------------------------

PARTITION_SCORES = {"ac": "AC", "nmi": "NMI"}
ALGORITHM_NAMES = {
    "kmodes_frequency": "k-modes",
    "kmodes_minimiser": "k-modes, minimising mode",
    "sc_one_minus": "spectral, 1 - D/max",
    "sc_exp_mean": "spectral, exp(-D/mean)",
    "sc_gauss_mean": "spectral, Gaussian",
    "sc_one_minus_rw": "spectral, 1 - D/max, random walk",
    "sc_gauss_mean_rw": "spectral, Gaussian, random walk",
}


def partition_quality(job: Job, cells: pd.DataFrame) -> Sheet:
    """AC and NMI of k-modes and spectral clustering: Table XI, and the change CADO makes."""
    records = job.records("partitions")
    main = main_algorithms(job)
    data = []
    for name in job.datasets:
        done = present(records[records["dataset"] == name])
        for algorithm, measure in itertools.product(ALGORITHM_NAMES, MEASURES):
            whole = done[done["algorithm"] == algorithm]
            part = whole[whole["measure"] == measure]
            if part.empty:
                continue
            for score in PARTITION_SCORES:
                row = {
                    "dataset": name,
                    "printed_name": printed_name(job, name),
                    "algorithm": algorithm,
                    "main": next((key for key, one in main.items() if one == algorithm), ""),
                    "measure": measure,
                    "score": score,
                    "mean": float(part[score].mean()),
                    "sd": float(part[score].std()) if len(part) > 1 else None,
                    "runs": len(part),
                }
                if measure == "cado":
                    row["change"] = change(whole, score).value
                data.append(row)
    data += [
        {
            "dataset": cell["dataset_id"],
            "printed_name": cell["dataset"],
            "main": cell["method"].partition(" ")[0],
            "score": cell["metric"].partition("_")[0].lower(),
            "printed": cell["value"],
        }
        for cell in numbers(cells).to_dict("records")
        if "_improvement_" in cell["metric"]
    ]
    rows = []
    for name, score in ((n, s) for n in job.datasets for s in PARTITION_SCORES):
        row = {"dataset": printed_name(job, name), "score": PARTITION_SCORES[score]}
        for one in data:
            if (one["dataset"], one["score"]) != (name, score) or not one["main"]:
                continue
            if "printed" in one:
                row[f"{one['main']}.printed"] = f"{float(one['printed']) * 100:+.2f}"
            else:
                row[f"{one['main']}.{one['measure']}"] = with_sd(one["mean"], one["sd"])
                if "change" in one:
                    row[f"{one['main']}.change"] = f"{one['change'] * 100:+.1f}"
        if len(row) > 2:
            rows.append(row)
    titles = {"KM": "k-modes", "SC": "spectral clustering"}
    return Sheet(
        name=f"{job.paper}-{job.artefact}",
        title=f"{job.label}: k-modes and spectral clustering with four dissimilarities",
        caption="Mean ± sd over the starts. " + _gains(data, main.values()),
        columns=[
            Column("dataset", "Data set", text=True),
            Column("score", "score", text=True),
            *(
                column
                for key, title in titles.items()
                for column in (
                    *(Column(f"{key}.{m}", label, title) for m, label in MEASURES.items()),
                    Column(f"{key}.change", "change (%)", title),
                    Column(f"{key}.printed", "printed", title),
                )
            ),
        ],
        rows=rows,
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
                for algorithm in dict.fromkeys(
                    one["algorithm"] for one in data if "algorithm" in one
                )
                if algorithm not in main.values()
            ),
            *missing_legend(job, records),
        ],
        data=data,
        data_columns=[
            *("dataset", "printed_name", "algorithm", "main", "measure", "score", "mean", "sd"),
            *("runs", "change", "printed"),
        ],
    )


def _gains(data: Iterable[Mapping[str, Any]], algorithms: Iterable[str]) -> str:
    """How often CADO beats ADD."""
    chosen = set(algorithms)
    changes = [one["change"] for one in data if one.get("algorithm") in chosen and "change" in one]
    up = sum(value > 1e-9 for value in changes)
    same = sum(abs(value) <= 1e-9 for value in changes)
    return f"CADO beats ADD in {up} of {len(changes)} cells and ties in {same}."


# --- the tests behind Tables XI and XII ----------------------------------------------------------


def significance(job: Job, cells: pd.DataFrame) -> Sheet:
    """Tests of CADO against the others, and of CROCK against ROCK."""
    from statsmodels.stats.multitest import multipletests

    main = main_algorithms(job)
    partitions, rocks = present(job.records("partitions")), present(job.records("rock"))
    data: list[dict[str, Any]] = []
    if len(partitions):
        for key, algorithm in main.items():
            chosen = partitions[partitions["algorithm"] == algorithm]
            for over in ("smd", "ofd", "add"):
                for score, label in PARTITION_SCORES.items():
                    pairs = pairs_of(chosen, "measure", "cado", over, score, "trial")
                    family = f"{key}: CADO against {MEASURES[over]}"
                    data += compared(job, family, label, pairs, "starts")
    if len(rocks):
        runs = at_best_threshold(rocks[rocks["dataset"].isin(job.need("parameters")["rock"])])
        for score in SCORES:
            pairs = pairs_of(runs, "method", "crock", "rock", score, "order")
            data += compared(job, "CROCK against ROCK", score, pairs, "row orders")
    for over in ("starts", "row orders", "data sets"):
        family = [one for one in data if one["over"] == over and one["p"] is not None]
        if family:
            adjusted = multipletests([one["p"] for one in family], method="holm")[1]
            for one, value in zip(family, adjusted, strict=True):
                one["p_holm"] = float(value)
    between = [one for one in data if one["over"] == "data sets"]
    low = [one for one in between if one["p"] is not None and one["p"] < 0.05]
    kept = [one for one in low if one["p_holm"] < 0.05]
    return Sheet(
        name=f"{job.paper}-{job.artefact}",
        title=f"{job.label}: is the gain significant?",
        caption=(
            f"Over data sets, {len(low)} of {len(between)} paired t-tests have p < 0.05, "
            f"{sum(one['difference'] > 0 for one in low)} of them in favour of the coupled method; "
            f"after Holm's correction {len(kept)} are left."
        ),
        columns=[
            Column("family", "Comparison", text=True),
            Column("score", "score", text=True),
            Column("n", "sets"),
            Column("difference", "mean difference"),
            Column("p", "t-test"),
            Column("p_one_sided", "t-test, better", ""),
            Column("p_wilcoxon", "Wilcoxon"),
            Column("p_holm", "Holm"),
            Column("within", "sets won : lost", "Welch over runs, Holm"),
        ],
        rows=[
            {
                **{key: str(one[key]) for key in ("family", "score", "n")},
                "difference": f"{one['difference']:+.3f}",
                **{
                    key: number(one[key], 3) if one.get(key) is not None else ""
                    for key in ("p", "p_one_sided", "p_wilcoxon", "p_holm")
                },
                "within": _won_and_lost(data, one),
            }
            for one in between
        ],
        legend=[
            "Paired two-sided t-test over the means of the data sets, the one-sided one (better), "
            "Wilcoxon's signed ranks (zeros after Pratt), and Holm's correction over all tests "
            "of this table.",
            "Within a data set: Welch's t over the starts or row orders, Holm's correction "
            "over all of them. A set without any variation between runs has no test.",
            "ROCK and CROCK at the best threshold of each (oracle), over row orders; given an "
            "order both are deterministic.",
        ],
        data=data,
        data_columns=[
            *("family", "score", "over", "dataset", "n", "difference", "t", "p", "p_one_sided"),
            *("p_paired", "p_wilcoxon", "p_holm"),
        ],
    )


def _won_and_lost(data: Iterable[Mapping[str, Any]], whole: Mapping[str, Any]) -> str:
    """Data sets that are significantly won and lost by Welch's test."""
    within = [
        one
        for one in data
        if (one["family"], one["score"]) == (whole["family"], whole["score"])
        and one["over"] != "data sets"
        and one["p"] is not None
        and one["p_holm"] < 0.05
    ]
    won = sum(one["difference"] > 0 for one in within)
    return f"{won} : {len(within) - won}"


# --- Table XII: ROCK and CROCK -------------------------------------------------------------------

METHOD_NAMES = {"rock": "ROCK", "crock": "CROCK"}
SCORE_NAMES = {"precision": "Pr", "recall": "Re", "specificity": "Sp"}


def rock_quality(job: Job, cells: pd.DataFrame) -> Sheet:
    """Precision, recall and specificity at the best threshold of each method, and at 0.75."""
    records = job.records("rock")
    counted, fixed = (job.need("parameters")[key] for key in ("counted", "fixed"))
    data, rows = [], []
    for name in job.datasets:
        done = present(records[records["dataset"] == name])
        for method in METHODS:
            row = {"dataset": printed_name(job, name), "method": METHOD_NAMES[method]}
            curve = done[done["method"] == method]
            if curve.empty:
                continue
            for own, theta in (("yes", best_threshold(curve)), ("no", fixed)):
                part = curve[curve["theta"] == theta]
                row[f"{own}.theta"] = f"{theta:.2f}"
                row[f"{own}.neighbours"] = number(float(part["neighbours"].mean()), 0)
                for score in SCORES:
                    sd = float(part[score].std()) if len(part) > 1 else None
                    data.append(
                        {
                            "dataset": name,
                            "printed_name": row["dataset"],
                            "counted": "yes" if name in counted else "no",
                            "method": method,
                            "own": own,
                            "oracle": own,
                            "theta": theta,
                            "score": score,
                            "mean": float(part[score].mean()),
                            "sd": sd,
                            "orders": len(part),
                            "neighbours": float(part["neighbours"].mean()),
                        }
                    )
                    row[f"{own}.{score}"] = with_sd(data[-1]["mean"], sd)
            rows.append(row)
    better = {own: compare_rocks(data, own) for own in ("yes", "no")}
    said = {own: f"{one[0]} of {sum(one)}" for own, one in better.items()}
    heads = {"theta": "theta", **SCORE_NAMES, "neighbours": "neighbours"}
    return Sheet(
        name=f"{job.paper}-{job.artefact}",
        title=f"{job.label}: CROCK against ROCK",
        caption=(
            "Means over row orders, at the best threshold of each method (oracle) and at "
            f"{fixed:g} for both. On the data sets of the paper CROCK is better in {said['yes']} "
            f"scores with its own threshold, and in {said['no']} at {fixed:g}."
        ),
        columns=_threshold_columns(heads, ("yes", "no"), fixed),
        rows=rows,
        legend=[
            "Pr, Re, Sp: precision, recall and specificity of the matched clusters, means over the "
            "classes weighted by size. The printed table is an image.",
            "Best theta: highest sum of the three scores, a mean over row orders, chosen with the "
            "class labels (oracle). neighbours: mean number per object. Orders: "
            + ", ".join(
                f"{name} {orders}"
                for name, orders in {one["printed_name"]: one["orders"] for one in data}.items()
            )
            + ".",
            "If more clusters remain than there are classes, the largest ones stay and the other "
            "objects join the nearest.",
            *missing_legend(job, records),
        ],
        data=data,
        data_columns=[
            *("dataset", "printed_name", "counted", "method", "own", "oracle", "theta", "score"),
            *("mean", "sd", "orders", "neighbours"),
        ],
    )


def _threshold_columns(
    heads: Mapping[str, str], groups: tuple[str, str], fixed: float
) -> list[Column]:
    """Columns of a table that shows each method at its best threshold and at one for both."""
    best, same = groups
    return [
        Column("dataset", "Data set", text=True),
        Column("method", "method", text=True),
        *(Column(f"{best}.{key}", head, "best theta (oracle)") for key, head in heads.items()),
        *(
            Column(f"{same}.{key}", head, f"theta {fixed:g}")
            for key, head in heads.items()
            if key != "theta"
        ),
    ]


def theta_curve(job: Job, cells: pd.DataFrame) -> Sheet:
    """Scores and neighbours against the threshold: why one value cannot serve both methods."""
    records = job.records("rock")
    fixed = job.need("parameters")["fixed"]
    data, rows = [], []
    for name in job.datasets:
        done = present(records[records["dataset"] == name])
        sizes = present(job.records("bounds"))
        for method in METHODS:
            part = done[done["method"] == method]
            if part.empty:
                continue
            n = int(sizes.loc[sizes["dataset"] == name, "objects"].iloc[0])
            part = part.assign(score=part[list(SCORES)].mean(axis="columns"))
            curve = [
                {
                    "dataset": name,
                    "printed_name": printed_name(job, name),
                    "method": method,
                    "theta": theta,
                    "score": float(one["score"].mean()),
                    "least": float(one["score"].min()),
                    "greatest": float(one["score"].max()),
                    "neighbours": float(one["neighbours"].mean()),
                    "share": float(one["neighbours"].mean()) / (n - 1),
                    "clusters": float(one["clusters"].mean()),
                }
                for theta, one in part.groupby("theta")
            ]
            data += curve
            best = max(curve, key=lambda one: (one["score"], -one["theta"]))
            at = next(one for one in curve if one["theta"] == fixed)
            rows.append(
                {
                    "dataset": best["printed_name"],
                    "method": METHOD_NAMES[method],
                    **{
                        f"{key}.{column}": number(one[column], digits, scale)
                        for key, one in (("best", best), ("fixed", at))
                        for column, digits, scale in (
                            ("theta", 2, 1),
                            ("score", 3, 1),
                            ("share", 1, 100),
                        )
                    },
                }
            )
    heads = {"theta": "theta", "score": "mean score", "share": "neighbours (%)"}
    shares = [float(row["fixed.share"]) for row in rows if row["method"] == METHOD_NAMES["crock"]]
    others = [float(row["fixed.share"]) for row in rows if row["method"] == METHOD_NAMES["rock"]]
    caption = f"Not run: {NO_DATASET}."
    if rows:
        caption = (
            f"At theta = {fixed:g} an object has {min(shares):.0f} to {max(shares):.0f} % of the "
            f"others as neighbours by CASO / n (CROCK), and {min(others):.0f} to "
            f"{max(others):.0f} % by Jaccard's similarity (ROCK)."
        )
    return Sheet(
        name=f"{job.paper}-{job.artefact}",
        title=f"{job.label}: one threshold for two similarities",
        caption=caption,
        columns=_threshold_columns(heads, ("best", "fixed"), fixed),
        rows=rows,
        legend=[
            "mean score: of precision, recall and specificity, over row orders. neighbours: of the "
            "other objects. The best theta is chosen with the class labels (oracle).",
            *missing_legend(job, records),
        ],
        data=data,
        data_columns=[
            *("dataset", "printed_name", "method", "theta", "score", "least", "greatest"),
            *("neighbours", "share", "clusters"),
        ],
    )
