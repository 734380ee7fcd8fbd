"""Tables of DISC, one function per kind of artefact in ``config/papers/disc.yaml``."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import pandas as pd

from replication.judge import independent
from replication.judge.cells import Ours, counting, legend_of_marks
from replication.judge.published import numbers
from replication.judge.verdicts import IN_WORDS, REPEATED, Reproduced
from replication.papers.disc.records import (
    ABSENT,
    DISC,
    KMODES,
    LOWER,
    METRICS,
    NOT_MIXED,
    OURS,
    PRINTED_RUNS,
    READ,
    SINGLE,
    all_runs,
    best_of_groups,
    chance,
    mean_run,
    place_of,
    ranges_of_ranks,
    runs_of,
    some_runs,
)
from replication.show import kinds
from replication.show.job import Job
from replication.show.sheet import (
    Cell,
    Column,
    Sheet,
    across,
    grouped,
    number,
    others_cell,
    others_lines,
    pivot,
    words,
)

MARK_LEGEND = legend_of_marks(f"no farther apart than {IN_WORDS} of the difference of two means")
READINGS = (
    "released: the ten runs of the authors' program, with its own random numbers. literal: the "
    "text. repaired: as released, but an emptied cluster keeps its distances. The last two are "
    "means over our starts. HDC is HD with k-modes under released, and HD-NDW under literal. The "
    "other methods are the same in all of them."
)
RANKED = (
    "Average ranks take our scores where there are any, and the printed ones of the other methods. "
    "Their range is that of 95 % of the ranks with means of ten of our runs."
)
ALL = "all"
_RANK = "_average_rank"
_DATA_COLUMNS = (
    *("dataset", "printed_name", "method", "label", "metric", "reading", "printed"),
    *("printed_value", "reproduced", "sd", "spread_min", "spread_max", "samples"),
    *("verdict", "difference", "reason"),
)


def characteristics(job: Job, cells: pd.DataFrame) -> Sheet:
    """Table 1: objects, attributes and classes of the data sets."""
    sizes = all_runs(job).drop_duplicates("dataset").set_index("dataset").to_dict("index")

    def ours(cell: Mapping[str, str], reading: str) -> Ours:
        one = sizes.get(cell["dataset_id"])
        found = Reproduced(float(one[cell["metric"]])) if one else _why(job, cell)
        return Ours(found, more={"label": cell["method"]})

    return kinds.characteristics(
        job,
        cells,
        ours,
        "Printed sizes, and those of the files that the program reads: {said}.",
        {"objects": "objects", "attributes": "attributes", "classes": "classes"},
        legend=lambda data: [MARK_LEGEND],
        data_columns=_DATA_COLUMNS,
    )


_SCORES = {
    "table02": "scores of eleven methods",
    "table03": "accuracy without parts of the method",
    "table04": "accuracy with numeric attributes",
}


def comparison(job: Job, cells: pd.DataFrame) -> Sheet:
    """Tables 2 to 4: scores of all methods and of parts of DISC, and their average ranks."""
    found = all_runs(job)
    absent = ABSENT | (NOT_MIXED if job.artefact == "table04" else {})
    ranks = _ranks(job, numbers(cells), found, absent)

    def ours(cell: Mapping[str, str], reading: str) -> Ours:
        """Return our score or average rank for a printed one."""
        method, metric, dataset = cell["method_id"], cell["metric"], cell["dataset_id"]
        more = {"label": cell["method"]}
        if dataset == ALL:
            rank = ranks.get((metric, method, reading))
            why = "one of the data sets was not computed"
            return Ours(why if rank is None else rank, more=more)
        mean = None if method in absent else mean_run(found, method, dataset, metric, reading)
        if mean is None:
            return Ours(absent.get(method) or _why(job, cell), more=more)
        return Ours(mean, trials=mean.runs, printed_runs=PRINTED_RUNS, more=more)

    def readings(cell: Mapping[str, str]) -> Sequence[str]:
        """Return the readings of a cell: those of its method, and all of them for average ranks."""
        several = job.readings if cell["dataset_id"] == ALL else READ.get(cell["method_id"], ())
        return [one for one in job.readings if one in several] or job.readings[:1]

    def score(one: Mapping[str, Any]) -> str:
        name = METRICS[one["metric"].removesuffix(_RANK)]
        return name + (", average rank" if one["metric"].endswith(_RANK) else "")

    data = job.judged(cells, ours, readings)
    frame = pd.DataFrame(data)
    own = frame[(frame["reading"] == job.readings[0]) & (frame["dataset"] != ALL)]
    captions = [
        f"{rows['label'].iloc[-1]}: {counting(rows.to_dict('records'), '', differ=True)}"
        for method, rows in own.groupby("method", sort=False)
        if method in OURS
    ]
    first = job.readings[0]
    counted = [one for one in data if one["reading"] == first]
    others = [
        Column(
            "independent",
            "independent",
            of=lambda one: others_cell(one, 4),
            where={"reading": first},
        ),
        Column("says", "others say", text=True, of="independent_says", where={"reading": first}),
    ]
    others = others if any(one["independent"] is not None for one in counted) else []
    return Sheet.of(
        job,
        _SCORES[job.artefact],
        f"Under the reading *released*: {'; '.join(captions)}.",
        [
            *words(printed_name="Data set"),
            Column("score", "score", text=True, of=score),
            *words(label="method"),
            Column("printed", "printed"),
            *across(
                "reading",
                {one: f"{one} ours" for one in job.readings},
                of=lambda one: Cell(
                    one["reproduced"], 2 if one["dataset"] == ALL else 4, verdict=one["verdict"]
                ),
            ),
            *others,
            *words(reason="reason"),
        ],
        data,
        by=["id"],
        legend=[READINGS, RANKED, MARK_LEGEND, *others_lines(counted)],
        data_columns=[*_DATA_COLUMNS, *(independent.COLUMNS if others else ())],
        verdicts=data,
    )


_DRAWS = 1000
"""Draws of ten runs behind the range of an average rank."""


def _ranks(
    job: Job, cells: pd.DataFrame, found: pd.DataFrame, absent: Mapping[str, str]
) -> dict[tuple[str, str, str], Reproduced]:
    """Return average ranks with our numbers, all of which a reading needs, and printed ones."""
    result: dict[tuple[str, str, str], Reproduced] = {}
    cells = cells[cells["dataset_id"] != ALL].astype({"value": float})
    for metric, part in cells.groupby("metric", sort=False):
        printed = part.pivot_table("value", "dataset_id", "method_id", sort=False)
        for reading in job.readings:
            runs = {
                (dataset, method): runs_of(found, method, dataset, reading)
                for method in printed.columns.difference([*absent], sort=False)
                for dataset in printed.index[printed[method].notna()]
            }
            if any(one.empty for one in runs.values()):
                continue
            values = {place: _values(one, metric) for place, one in runs.items()}
            rng = job.rng("ranks", metric, reading)
            ranks = ranges_of_ranks(values, printed, metric in LOWER, _DRAWS, rng)
            for method, (rank, low, high) in ranks.round(9).iterrows():
                # rounding removes the error of the sum of ranks
                result[f"{metric}{_RANK}", method, reading] = Reproduced(
                    float(rank), spread=(float(low), float(high)), spread_of=REPEATED
                )
    return result


def _values(runs: pd.DataFrame, metric: str) -> np.ndarray:
    """Return the scores of a sample of runs, or their mean if they are none."""
    values = runs[metric].to_numpy(float)
    single = runs["experiment"].iloc[0] in SINGLE
    return np.array([values.mean()]) if single else values


def honest(job: Job, cells: pd.DataFrame, *, starts: int, draws: int) -> Sheet:
    """Share of means of as many unselected starts that are as good as the printed mean."""
    data = _honest(job, cells, starts, draws)

    def share(one: Mapping[str, Any]) -> str:
        """Return the text of a share; 0 is shown as less than one of all draws."""
        if one["share"] == 0:
            return f"< {1 / draws:.0e}"
        return f"{one['share']:.2g}" if one["share"] < 0.1 else f"{one['share']:.2f}"

    first = [
        one
        for one in data
        if (one["method"], one["metric"]) == (DISC, "accuracy") and one["dataset"] != ALL
    ]
    rare = sum(one["share"] < 0.05 for one in first)
    above = sum(float(one["printed"]) - one["mean"] > 5e-5 for one in first)
    return Sheet.of(
        job,
        "",
        f"Mean over our starts, range of 95 % of the means of {starts} "
        "starts, and the share of these means that are at least as good as the printed one. DISC's "
        f"printed accuracy is above the mean over all starts on {above} of {len(first)} data "
        f"sets; on {rare}, fewer than 5 % of the means reach it.",
        [
            *words(printed_name="Data set", label="method"),
            Column("score", "score", text=True, of=lambda one: METRICS[one["metric"]]),
            Column("printed", "printed"),
            Column("mean", "ours", digits=4),
            Column(
                "range",
                "95 % of means",
                of=lambda one: f"{number(one['low'], 4)} to {number(one['high'], 4)}",
            ),
            Column("share", "as good or better", of=share),
            Column("empty", "starts with an empty cluster, %", digits=1, scale=100),
        ],
        data,
        title="Printed means among means of as many unselected starts",
        legend=[
            "DISC is computed as by its authors' program, and k-modes as by that program's start. "
            "Our seeds draw the rows of every start; no start is selected.",
            "A lower CMP is better. The last rows are means over the data sets.",
        ],
        data_columns=[
            *("dataset", "printed_name", "method", "label", "metric", "printed", "starts"),
            *("mean", "sd", "low", "high", "share", "draws", "empty"),
        ],
    )


_STARTED = {DISC: "disc_released", KMODES: "kmodes_batch"}
"""Algorithms of the unselected starts, by method."""


def _honest(job: Job, cells: pd.DataFrame, starts: int, draws: int) -> list[dict[str, Any]]:
    """Return printed means of DISC and k-modes among ours, by data set and over all of them."""
    found, data = all_runs(job), []
    cells = numbers(cells)
    for cell in cells[cells["method_id"].isin(_STARTED)].to_dict("records"):
        method, metric, dataset = cell["method_id"], cell["metric"], cell["dataset_id"]
        runs = some_runs(found, dataset, "starts", _STARTED[method])
        if runs.empty:
            continue
        values = runs[metric].to_numpy(float)
        drawn = job.rng(dataset, method, metric).integers(len(values), size=(draws, starts))
        means = values[drawn].mean(axis=1)
        half = 0.5 * 10.0 ** -len(cell["value"].partition(".")[2])
        data.append(
            {
                **{"dataset": dataset, "printed_name": cell["dataset"], "method": method},
                **{"label": cell["method"], "metric": metric, "printed": cell["printed"]},
                **{"starts": len(runs), "mean": float(values.mean()), "draws": draws},
                "sd": float(values.std(ddof=1)) if len(values) > 1 else None,
                **chance(means, float(cell["value"]), half, metric),
                **{"empty": float((runs["empty"] > 0).mean()), "means": means},
            }
        )
    for (_, metric), rows in pd.DataFrame(data).groupby(["method", "metric"], sort=False):
        printed, mean, empty = (
            sum(rows[key].astype(float)) / len(rows) for key in ("printed", "mean", "empty")
        )
        data.append(
            {
                **rows.iloc[0].to_dict(),
                **{"dataset": ALL, "printed_name": "mean", "printed": number(printed, 4)},
                **{"mean": mean, "sd": None, "empty": empty, "starts": rows["starts"].min()},
                **chance(np.mean([*rows["means"]], axis=0), printed, 5e-5, metric),
            }
        )
    return data


RESTARTED = {
    "k-modes": ("starts", "kmodes_batch"),
    "DISC, released": ("starts", "disc_released"),
    "DISC, literal": ("readings", "disc_literal"),
    "DISC, repaired": ("readings", "disc"),
    "HD-NDW": ("rivals", "hd_ndw_released"),
    "COForest": ("rivals", "coforest_released"),
    "HARR-V": ("rivals", "harr_v"),
    "latent classes": ("rivals", "latent_classes"),
}
"""Methods that have the same number of starts: experiment and algorithm."""


def restarts(job: Job, cells: pd.DataFrame) -> Sheet:
    """ARI of one start, and of the best of ten by the objective of each method."""
    found = all_runs(job)
    data = [
        {"dataset": dataset, "printed_name": entry["printed"], "label": label, "metric": metric}
        | {"starts": len(runs), "groups": len(best), "single": float(runs[metric].mean())}
        | {"best": float(best.mean()), "empty": float((runs["empty"] > 0).mean())}
        for dataset, entry in job.datasets.items()
        for label, source in RESTARTED.items()
        if len(runs := some_runs(found, dataset, *source))
        for metric in ("accuracy", "ari")
        if len(best := best_of_groups(runs, metric))
    ]
    shown = [one for one in data if one["metric"] == "ari"]
    frame = pd.DataFrame(shown)
    methods = frame.groupby("label")[["single", "best"]]
    sets = frame["dataset"].nunique()
    # means over all data sets, if there are several, of the methods that have all
    means = methods.mean()[(methods.size() == sets) & (sets > 1)].assign(printed_name="mean")
    columns = [Column("single", "one", digits=3), Column("best", "best of ten", digits=3)]
    heads = [
        *words(printed_name="Data set"),
        *grouped("label", {label: label for label in RESTARTED}, columns),
    ]
    return Sheet.of(
        job,
        "",
        "Mean ARI of a single start, and of the best of ten by the method's own objective "
        "(a run with fewer empty clusters goes first). No choice uses the class labels. All "
        "methods have the same number of starts.",
        heads,
        data,
        title="Restarts by own objective: ARI",
        rows=pivot(heads, [*shown, *means.reset_index().to_dict("records")], ["printed_name"]),
        legend=[
            "DISC's own objective, the sum of the distances to the centres, falls to 0 where "
            "clusters vanish, and every partition has learnt the distances that it sums."
        ],
        data_columns=[
            *("dataset", "printed_name", "label", "metric", "starts", "groups"),
            *("single", "best", "empty"),
        ],
    )


def _why(job: Job, cell: Mapping[str, str]) -> str:
    """Return why a cell has no number of ours."""
    place = place_of(cell["method_id"], cell["dataset_id"])
    return job.missing(place) or "the data set was not available"
