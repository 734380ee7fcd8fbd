"""Settings that Table 6 of coupledMC leaves open: what each gives, for all data sets alike."""

from __future__ import annotations

import itertools
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from replication.papers.coupledmc.runs import METHODS
from replication.papers.coupledmc.tables_common import NEAR
from replication.show.job import Job
from replication.show.sheet import Column, Sheet, pivot

if TYPE_CHECKING:
    import pandas as pd


def envelope(job: Job, cells: pd.DataFrame) -> Sheet:
    """Lowest and highest accuracy over the settings that the paper leaves open."""
    printed = {
        (one["dataset_id"], one["method_id"]): one["printed"] for one in cells.to_dict("records")
    }
    defaults: dict[str, str] = job.need("parameters")["default"]
    ok = job.ok("envelope")
    data = []
    for dataset, method in itertools.product(job.datasets, defaults) if len(ok) else ():
        tried = ok[(ok["dataset"] == dataset) & (ok["method"] == method)]
        if tried.empty:
            continue
        low, high = (tried.loc[tried["accuracy"].agg(how)] for how in ("idxmin", "idxmax"))
        (default,) = tried.loc[tried["setting"] == defaults[method], "accuracy"]
        data.append(
            {
                "dataset": dataset,
                "printed_name": job.printed(dataset),
                "method": method,
                "label": METHODS[method],
                "settings": len(tried),
                "runs": int(tried["runs"].iloc[0]),
                "printed": printed[dataset, method],
                "default": float(default),
                "low": float(low["accuracy"]),
                "high": float(high["accuracy"]),
                "best": str(high["setting"]),
            }
        )
    coupled = [one for one in data if one["method"] == "coupledmc"]
    reach = [one for one in coupled if float(one["printed"].partition(" ")[0]) <= one["high"]]
    return Sheet.of(
        job,
        "accuracy over the settings that the paper leaves open",
        f"Mean accuracy of every setting. Even with the best of them for each data set, which "
        f"takes the labels (oracle), coupledMC reaches the printed number on {len(reach)} of "
        f"{len(coupled)} data sets.",
        [
            Column("dataset", "Data set", text=True, of="printed_name"),
            Column("label", "method", text=True),
            Column("settings", "settings"),
            Column("printed", "printed", of=lambda one: one["printed"].partition(" ")[0]),
            Column("default", "ours", digits=3),
            Column("low", "lowest", digits=3),
            Column("high", "highest", digits=3),
            Column("best", "setting of the highest (oracle)", text=True),
        ],
        data,
        legend=[
            "ours: the one setting that is used for all data sets, coupledMC with L = 3; none is "
            "chosen per data set.",
            "Fewer runs per setting than in Table 6, and other seeds: means differ a little.",
        ],
    )


def settings(job: Job, cells: pd.DataFrame) -> Sheet:
    """How far each setting, taken for all data sets, lies from the printed column of its method."""
    ok = job.ok("envelope")
    printed = {
        (one["dataset_id"], one["method_id"]): float(one["value"])
        for one in cells.to_dict("records")
    }
    defaults: dict[str, str] = job.need("parameters")["default"]
    data: list[dict[str, Any]] = []
    if len(ok):
        for (method, setting), group in ok.groupby(["method", "setting"], sort=False):
            pairs = [
                (one["accuracy"], one["accuracy_largest"], printed[one["dataset"], method])
                for one in group.to_dict("records")
            ]
            data.append(
                {
                    "method": method,
                    "label": METHODS[method],
                    "setting": setting,
                    "chosen": "reconciled" if defaults[method] == setting else "",
                    "sets": len(pairs),
                    "runs": int(group["runs"].iloc[0]),
                    "average": sum(mean for mean, *_ in pairs) / len(pairs),
                    "average_largest": sum(large for _, large, _ in pairs) / len(pairs),
                    "distance": sum(abs(mean - p) for mean, _, p in pairs) / len(pairs),
                    "distance_largest": sum(abs(large - p) for _, large, p in pairs) / len(pairs),
                    "near": sum(abs(mean - p) <= NEAR for mean, _, p in pairs),
                }
            )
    columns = [
        Column("label", "Method", text=True),
        Column("tried", "settings"),
        Column("which", "which", text=True),
        Column("setting", "setting", text=True),
        Column("average", "average", "means", digits=3),
        Column("distance", "distance", "means", digits=3),
        Column("near", f"within {NEAR}", "means", of=lambda one: f"{one['near']} of {one['sets']}"),
        Column("average_largest", "average", "largest runs (oracle)", digits=3),
        Column("distance_largest", "distance", "largest runs (oracle)", digits=3),
    ]
    return Sheet.of(
        job,
        "distance to the printed columns, one setting for all data sets",
        _settings_caption(data),
        columns,
        data,
        rows=pivot(columns, [row for method in defaults for row in _picked(data, method)]),
        legend=[
            "distance: mean over the data sets of |ours - printed|. Every setting was run on all "
            "data sets; none is chosen per data set. All settings are in the CSV.",
            "nearest: chosen after the fact, by the printed column itself, so nothing is judged "
            "by it.",
            "starts: of so many starts a run keeps the one of least objective, without the labels. "
            "Fewer runs per setting than in Table 6: the largest of few runs is below the largest "
            "of a hundred.",
        ],
        data_columns=[
            *("method", "label", "setting", "chosen", "sets", "runs", "average", "distance"),
            *("near", "average_largest", "distance_largest"),
        ],
    )


def _picked(data: Sequence[Mapping[str, Any]], method: str) -> list[dict[str, Any]]:
    """The setting in use, and the ones nearest to print by means and by largest runs."""
    tried = [one for one in data if one["method"] == method]
    if not tried:
        return []
    picked = {
        "reconciled": next(one for one in tried if one["chosen"]),
        "nearest by means": min(tried, key=lambda one: one["distance"]),
        "nearest by largest runs": min(tried, key=lambda one: one["distance_largest"]),
    }
    return [{**one, "tried": len(tried), "which": which} for which, one in picked.items()]


def _settings_caption(data: Sequence[Mapping[str, Any]]) -> str:
    said = []
    for method in dict.fromkeys(one["method"] for one in data):
        tried = [one for one in data if one["method"] == method]
        mean = min(one["distance"] for one in tried)
        largest = min(one["distance_largest"] for one in tried)
        said.append(f"{METHODS[method]} {mean:.3f} and {largest:.3f}")
    if not said:
        return "No data set of this table is part of this run."
    return (
        "Least distance to the printed column that one setting for all data sets reaches, by "
        f"means and by the largest of {data[0]['runs']} runs: {', '.join(said)}."
    )
