"""Settings that Table 6 of coupledMC leaves open, per data set and for all data sets."""

from collections.abc import Mapping
from typing import Any

import pandas as pd

from replication.papers.coupledmc.accuracy_runs import (
    METHODS,
    NEAR_PRINT,
    OURS,
    RECONCILED,
    near_print,
)
from replication.show.job import Job
from replication.show.sheet import Column, Sheet, pivot, words


def envelope(job: Job, cells: pd.DataFrame, *, default: Mapping[str, str]) -> Sheet:
    """Lowest and highest accuracy over the settings that the paper leaves open."""
    printed = cells.set_index(["dataset_id", "method_id"])["printed"]
    data: list[dict[str, Any]] = []
    for about, records in job.each("envelope"):
        for method, setting in default.items():
            tried = records[records["method"] == method].set_index("setting")
            accuracy = tried["accuracy"]
            data.append(
                {**about, "method": method, "label": METHODS[method], "settings": len(tried)}
                | {"runs": int(tried["runs"].iloc[0]), "printed": printed[about["dataset"], method]}
                | {"default": float(accuracy[setting]), "low": float(accuracy.min())}
                | {"high": float(accuracy.max()), "best": accuracy.idxmax()}
            )
    coupled = [one for one in data if one["method"] == OURS]
    reach = [one for one in coupled if float(one["printed"].partition(" ")[0]) <= one["high"]]
    return Sheet.of(
        job,
        "accuracy over the settings that the paper leaves open",
        f"Mean accuracy of every setting. Even with the best of them for each data set, which "
        f"takes the labels (oracle), coupledMC reaches the printed number on {len(reach)} of "
        f"{len(coupled)} data sets.",
        [
            *words(printed_name="Data set", label="method"),
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


def settings(job: Job, cells: pd.DataFrame, *, default: Mapping[str, str]) -> Sheet:
    """How far each setting, taken for all data sets, lies from the printed column of its method."""
    printed = cells.astype({"value": float}).set_index(["dataset_id", "method_id"])["value"]
    runs = job.ok("envelope").join(printed.rename("print"), on=["dataset", "method"])
    key = ["method", "setting"]
    means, largest = (
        near_print(runs, key, value, "print") for value in ("accuracy", "accuracy_largest")
    )
    first = runs.groupby(key, sort=False)["runs"].first().astype(int)
    tried = means.join(largest.add_suffix("_largest")).join(first).reset_index()
    tried["label"] = tried["method"].map(METHODS)
    ours = tried["setting"] == tried["method"].map(default)
    tried["chosen"] = ours.map({True: RECONCILED, False: ""})
    columns = [
        *words(label="Method"),
        Column("tried", "settings"),
        *words(which="which", setting="setting"),
        Column("average", "average", "means", digits=3),
        Column("distance", "distance", "means", digits=3),
        Column("held", f"within {NEAR_PRINT}", "means"),
        Column("average_largest", "average", "largest runs (oracle)", digits=3),
        Column("distance_largest", "distance", "largest runs (oracle)", digits=3),
    ]
    # by method: the setting in use, and those of least distance to print
    by = tried.groupby("method")
    which = {
        RECONCILED: tried.index[ours],
        "nearest by means": by["distance"].idxmin(),
        "nearest by largest runs": by["distance_largest"].idxmin(),
    }
    shown = pd.concat(tried.loc[rows].assign(which=name) for name, rows in which.items())
    shown["tried"] = shown["method"].map(tried["method"].value_counts())
    shown["held"] = [
        f"{near} of {sets}" for near, sets in zip(shown["near"], shown["sets"], strict=True)
    ]
    shown["place"] = shown["method"].map(list(default).index)
    shown = shown.sort_values("place", kind="stable")
    means, largest = (shown[shown["which"] == name] for name in [*which][1:])
    least = ", ".join(
        f"{METHODS[method]} {by_means:.3f} and {by_largest:.3f}"
        for method, by_means, by_largest in zip(
            means["method"], means["distance"], largest["distance_largest"], strict=True
        )
    )
    return Sheet.of(
        job,
        "distance to the printed columns, one setting for all data sets",
        "Least distance to the printed column that one setting for all data sets reaches, by "
        f"means and by the largest of {tried['runs'].iloc[0]} runs: {least}.",
        columns,
        tried.to_dict("records"),
        rows=pivot(columns, shown.to_dict("records")),
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
