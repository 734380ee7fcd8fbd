"""Tables of DISC, one function per kind of artefact in ``config/papers/disc.yaml``."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from replication.judge.cells import Ours, tally
from replication.judge.published import numbers
from replication.judge.verdicts import DIFFERS, EXACT, MARKS, WITHIN_NOISE, Reproduced
from replication.papers.disc.records import (
    ABSENT,
    DISC,
    FIRST,
    KMODES,
    LOWER,
    METRICS,
    PRINTED_RUNS,
    Found,
    average_ranks,
    best_of_groups,
    chance,
    honest_means,
)
from replication.show.job import Job
from replication.show.sheet import Cell, Column, Sheet, across, number
from replication.steps import OK

if TYPE_CHECKING:
    import numpy as np
    import pandas as pd

MARK_LEGEND = (
    "Marks: = the printed digits, rounded or truncated; ~ within noise: no farther apart than two "
    "standard errors of the difference of two means; ≠ differs; – not comparable; ∅ not run."
)
READ = (
    "released: the ten runs of the authors' program, from its own random numbers. literal: the "
    "text; repaired: as released, but an emptied cluster keeps its distances; both means over "
    "starts of ours. k-modes is the same in all of them."
)
OURS = (DISC, FIRST, KMODES, "disc_ii")
ALL = "all"
_RANK = "_average_rank"
_DATA_COLUMNS = (
    *("dataset", "printed_name", "method", "label", "metric", "reading", "printed"),
    *("printed_value", "reproduced", "sd", "spread_min", "spread_max", "samples"),
    *("verdict", "difference", "reason"),
)


# --- Table 1 ------------------------------------------------------------------------------------


def characteristics(job: Job, cells: pd.DataFrame) -> Sheet:
    """Table 1: objects, attributes and classes of the data sets."""
    records = job.records("released")
    known = records[records["status"] == OK] if "objects" in records else records[:0]
    sizes = {row["dataset"]: row for row in known.to_dict("records")}

    def ours(cell: Mapping[str, str], reading: str) -> Ours:
        one = sizes.get(cell["dataset_id"])
        found = Reproduced(float(one[cell["metric"]])) if one else _why(job, cell)
        return Ours(found, more={"label": cell["method"]})

    data = job.judged(cells, ours, job.readings[:1])
    names = ("objects", "attributes", "classes")
    return Sheet.of(
        job,
        "the data sets",
        f"Printed sizes, and those of the files that the program reads: {_counts(data)}.",
        [
            Column("dataset", "Data set", text=True, of="printed_name"),
            *across("metric", {name: name for name in names}, of=_shown),
        ],
        data,
        by=["dataset"],
        legend=["printed; ours in brackets where it is another number.", MARK_LEGEND],
        data_columns=_DATA_COLUMNS,
        verdicts=data,
    )


# --- Tables 2 to 4 ------------------------------------------------------------------------------


def comparison(job: Job, cells: pd.DataFrame) -> Sheet:
    """Table 2: accuracy, ARI and CMP of eleven methods, and their average ranks."""
    return _scores(job, cells, "scores of eleven methods")


def ablation(job: Job, cells: pd.DataFrame) -> Sheet:
    """Table 3: without the outer loop, and without learnt distances."""
    return _scores(job, cells, "accuracy without parts of the method")


def mixed(job: Job, cells: pd.DataFrame) -> Sheet:
    """Table 4: with the numeric attributes."""
    absent = {**ABSENT, "harr": "not run: how the numbers enter is not stated"}
    return _scores(job, cells, "accuracy with numeric attributes", absent)


def _scores(job: Job, cells: pd.DataFrame, title: str, absent: Mapping[str, str] = ABSENT) -> Sheet:
    found = Found(job)
    ranks = _ranks(job, numbers(cells).to_dict("records"), found)

    def readings(cell: Mapping[str, str]) -> Sequence[str]:
        """Readings of a cell; a rival has none of its own."""
        ours = cell["method_id"] in OURS or cell["dataset_id"] == ALL
        return job.readings if ours else job.readings[:1]

    data = job.judged(
        cells, lambda cell, reading: _ours(job, cell, found, ranks, reading, absent), readings
    )
    counted = [row for row in data if row["reading"] == job.readings[0]]
    own = [row for row in counted if row["method"] in OURS and row["dataset"] != ALL]
    captions = [
        f"{name}: {_counts([row for row in own if row['method'] == method])}"
        for method, name in _labels(own).items()
    ]
    return Sheet.of(
        job,
        title,
        f"Read as released. {'; '.join(captions)}.",
        [
            Column("dataset", "Data set", text=True, of="printed_name"),
            Column("score", "score", text=True, of=lambda one: _score_name(one["metric"])),
            Column("method", "method", text=True, of="label"),
            Column("printed", "printed"),
            *across(
                *("reading", {reading: f"{reading} ours" for reading in job.readings}),
                of=lambda one: Cell(
                    one["reproduced"], 2 if one["dataset"] == ALL else 4, verdict=one["verdict"]
                ),
            ),
            Column("reason", "reason", text=True),
        ],
        data,
        by=["id"],
        legend=[READ, MARK_LEGEND],
        data_columns=_DATA_COLUMNS,
        verdicts=data,
    )


def _ours(
    job: Job,
    cell: Mapping[str, str],
    found: Found,
    ranks: Mapping[tuple[str, str, str], float],
    reading: str,
    absent: Mapping[str, str],
) -> Ours:
    """Score or average rank of ours for a printed one."""
    more = {"label": cell["method"]}
    method, metric, dataset = cell["method_id"], cell["metric"], cell["dataset_id"]
    if dataset == ALL:
        rank = ranks.get((metric.removesuffix(_RANK), method, reading))
        if rank is None:
            return Ours("one of the data sets was not computed", more=more)
        # a mean of ranks is a multiple of 1/24; the last bits of a sum are no digits
        return Ours(Reproduced(round(rank, 9)), more=more)
    if method in absent:
        return Ours(absent[method], more=more)
    values = found.number(method, dataset, metric, reading)
    if values.value is None:
        return Ours(_why(job, cell), more=more)
    return Ours(values, trials=values.runs, printed_runs=PRINTED_RUNS, more=more)


def _ranks(
    job: Job, cells: Sequence[Mapping[str, str]], found: Found
) -> dict[tuple[str, str, str], float]:
    """Average ranks by score, method and reading: our columns where there are, else the printed."""
    result: dict[tuple[str, str, str], float] = {}
    scores = {cell["metric"] for cell in cells if cell["dataset_id"] != ALL}
    for metric in scores:
        for reading in job.readings:
            columns: dict[str, dict[str, float]] = {}
            whole = True
            for cell in cells:
                method, dataset = cell["method_id"], cell["dataset_id"]
                if cell["metric"] != metric:
                    continue
                value: float | None = float(cell["value"])
                if method in OURS:
                    value = found.number(method, dataset, metric, reading).value
                    whole = whole and value is not None
                    # four digits, as the columns beside them
                    value = None if value is None else round(value, 4)
                if value is not None:
                    columns.setdefault(method, {})[dataset] = value
            if whole:
                for method, rank in average_ranks(columns, metric in LOWER).items():
                    result[metric, method, reading] = rank
    return result


def _score_name(metric: str) -> str:
    score = metric.removesuffix(_RANK)
    return METRICS[score] + (", average rank" if metric.endswith(_RANK) else "")


# --- what the paper does not print --------------------------------------------------------------


def honest(job: Job, cells: pd.DataFrame, *, starts: int, draws: int) -> Sheet:
    """How likely each printed mean, or a better one, is among means of as many honest starts."""
    data = _honest(job, cells, Found(job), starts, draws)
    rows = [
        {
            "dataset": one["printed_name"],
            "method": one["label"],
            "score": METRICS[one["metric"]],
            "printed": one["printed"],
            "mean": number(one["mean"], 4),
            "range": f"{number(one['low'], 4)} to {number(one['high'], 4)}",
            "share": _share(one["share"], one["draws"]),
            "empty": number(one["empty"], 1, 100),
        }
        for one in data
    ]
    first = [
        one
        for one in data
        if (one["method"], one["metric"]) == (DISC, "accuracy") and one["dataset"] != ALL
    ]
    rare = sum(one["share"] < 0.05 for one in first)
    above = sum(float(one["printed"]) - one["mean"] > 5e-5 for one in first)
    return Sheet(
        name=f"{job.paper}-{job.artefact}",
        title="Printed means among means of as many honest starts",
        caption=(
            f"Mean over the starts of ours, where 95 % of the means of {starts} "
            "starts lie, and the share of such means that are the printed one or better. DISC's "
            f"printed accuracy is above the mean over all starts on {above} of {len(first)} data "
            f"sets, and one that fewer than 5 % of the means reach on {rare}."
        ),
        columns=[
            Column("dataset", "Data set", text=True),
            Column("method", "method", text=True),
            Column("score", "score", text=True),
            Column("printed", "printed"),
            Column("mean", "ours"),
            Column("range", "95 % of means"),
            Column("share", "as good or better"),
            Column("empty", "starts with an empty cluster, %"),
        ],
        rows=rows,
        legend=[
            "DISC as its program computes, k-modes as its start; every start draws its rows by our "
            "seeds, and none is chosen.",
            "Of CMP the lower is the better one. The last rows are means over the data sets.",
        ],
        data=data,
        data_columns=[
            *("dataset", "printed_name", "method", "label", "metric", "printed", "starts"),
            *("mean", "sd", "low", "high", "share", "draws", "empty"),
        ],
    )


def _honest(
    job: Job, cells: pd.DataFrame, found: Found, starts: int, draws: int
) -> list[dict[str, Any]]:
    """Printed means of DISC and k-modes among means of ours, last the means over the data sets."""
    import numpy as np

    data: list[dict[str, Any]] = []
    drawn: dict[tuple[str, str], list[np.ndarray]] = {}
    listed = [
        cell
        for cell in numbers(cells).to_dict("records")
        if cell["method_id"] in (DISC, KMODES) and cell["dataset_id"] != ALL
    ]
    for cell in listed:
        method, metric, dataset = cell["method_id"], cell["metric"], cell["dataset_id"]
        algorithm = "disc_released" if method == DISC else "kmodes_batch"
        runs = found.runs("starts", algorithm, dataset)
        if runs.empty:
            continue
        values = runs[metric].to_numpy(float)
        means = honest_means(values, starts, job.rng(dataset, method, metric), draws)
        drawn.setdefault((method, metric), []).append(means)
        half = 0.5 * 10.0 ** -len(cell["value"].partition(".")[2])
        data.append(
            {
                **{"dataset": dataset, "printed_name": cell["dataset"], "method": method},
                **{"label": cell["method"], "metric": metric, "printed": cell["printed"]},
                **{"starts": len(runs), "mean": float(values.mean())},
                "sd": float(values.std(ddof=1)) if len(values) > 1 else None,
                **_among(means, float(cell["value"]), half, metric),
                **{"draws": draws, "empty": float((runs["empty"] > 0).mean())},
            }
        )
    for (method, metric), columns in drawn.items():
        of = [one for one in data if (one["method"], one["metric"]) == (method, metric)]
        printed = sum(float(one["printed"]) for one in of) / len(of)
        data.append(
            {
                **{"dataset": ALL, "printed_name": "mean", "method": method},
                **{"label": of[0]["label"], "metric": metric, "printed": number(printed, 4)},
                "starts": min(one["starts"] for one in of),
                "mean": sum(one["mean"] for one in of) / len(of),
                "sd": None,
                **_among(np.mean(columns, axis=0), printed, 5e-5, metric),
                "draws": draws,
                "empty": sum(one["empty"] for one in of) / len(of),
            }
        )
    return data


def _among(means: np.ndarray, printed: float, half: float, metric: str) -> dict[str, float]:
    """Where means lie and how many reach a printed one, whichever way is better."""
    sign = -1.0 if metric in LOWER else 1.0
    found = chance(sign * means, sign * printed - half)
    low, high = sorted((sign * found["low"], sign * found["high"]))
    return {"low": low, "high": high, "share": found["share"]}


RESTARTED = (
    ("k-modes", "starts", "kmodes_batch"),
    ("DISC, released", "starts", "disc_released"),
    ("DISC, literal", "readings", "disc_literal"),
    ("DISC, repaired", "readings", "disc"),
    ("HD-NDW", "rivals", "hd_ndw_released"),
    ("COForest", "rivals", "coforest_released"),
    ("HARR-V", "rivals", "harr_v"),
    ("latent classes", "rivals", "latent_classes"),
)
"""Methods that are compared with equal chances: label, experiment, algorithm."""


def restarts(job: Job, cells: pd.DataFrame) -> Sheet:
    """One start, and the best of as many by each method's own objective."""
    found = Found(job)
    data = []
    for dataset, entry in job.datasets.items():
        for label, experiment, algorithm in RESTARTED:
            runs = found.runs(experiment, algorithm, dataset)
            if runs.empty:
                continue
            for metric in ("accuracy", "ari"):
                best = best_of_groups(runs, metric)
                data.append(
                    {
                        "dataset": dataset,
                        "printed_name": entry["printed"],
                        "label": label,
                        "metric": metric,
                        "starts": len(runs),
                        "groups": len(best),
                        "single": float(runs[metric].mean()),
                        "best": float(best.mean()),
                        "empty": float((runs["empty"] > 0).mean()),
                    }
                )
    by = _by([one for one in data if one["metric"] == "ari"], "printed_name", "label")
    labels = [label for label, *_ in RESTARTED]
    rows = [
        {
            "dataset": dataset,
            **{
                f"{label} {kind}": number(of[label][kind], 3)
                for label in labels
                if label in of
                for kind in ("single", "best")
            },
        }
        for dataset, of in by.items()
    ]
    whole = [label for label in labels if by and all(label in of for of in by.values())]
    if len(by) > 1:
        mean = {
            f"{label} {kind}": sum(of[label][kind] for of in by.values()) / len(by)
            for label in whole
            for kind in ("single", "best")
        }
        rows.append({"dataset": "mean", **{key: number(value, 3) for key, value in mean.items()}})
    return Sheet(
        name=f"{job.paper}-{job.artefact}",
        title="Restarts by own objective: ARI",
        caption=(
            "Mean ARI of a single start, and of the best of ten by the method's own objective "
            "(of two runs first the one with fewer empty clusters); labels choose nothing. All "
            "methods have the same number of starts."
        ),
        columns=[
            Column("dataset", "Data set", text=True),
            *(
                Column(f"{label} {kind}", {"single": "one", "best": "best of ten"}[kind], label)
                for label in labels
                for kind in ("single", "best")
            ),
        ],
        rows=rows,
        legend=[
            "DISC's own objective, the sum of the distances to the centres, falls to 0 where "
            "clusters vanish, and compares distances that each partition has made for itself.",
        ],
        data=data,
        data_columns=[
            *("dataset", "printed_name", "label", "metric", "starts", "groups"),
            *("single", "best", "empty"),
        ],
    )


# --- rows ---------------------------------------------------------------------------------------


def _why(job: Job, cell: Mapping[str, str]) -> str:
    """Why a cell has no number of ours."""
    return job.missing(cell["dataset_id"]) or "the data set could not be had"


def _shown(one: Mapping[str, Any]) -> str:
    same = one["verdict"] == EXACT or one["reproduced"] is None
    ours = "" if same else f" ({number(one['reproduced'], 0)})"
    return f"{one['printed']}{ours} {MARKS[one['verdict']]}"


def _labels(data: Sequence[Mapping[str, Any]]) -> dict[str, str]:
    return {one["method"]: one["label"] for one in data}


def _by(data: Sequence[Mapping[str, Any]], outer: str, inner: str) -> dict[str, dict[str, Any]]:
    found: dict[str, dict[str, Any]] = {}
    for one in data:
        found.setdefault(one[outer], {})[one[inner]] = one
    return found


def _counts(data: Sequence[Mapping[str, Any]]) -> str:
    found = tally(data)
    order = [EXACT, WITHIN_NOISE, DIFFERS, *found]
    return ", ".join(f"{found[name]} {name}" for name in dict.fromkeys(order) if name in found)


def _share(share: float, draws: int) -> str:
    """Share of the means; what was never seen is below one of all draws."""
    if share == 0:
        return f"< {1 / draws:.0e}"
    return f"{share:.2g}" if share < 0.1 else f"{share:.2f}"
