"""Runs of Table 6: what is taken of them, a mean or the largest; and other records of the paper."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np
import pandas as pd

RECONCILED = "reconciled"
FIXED = "fixed"
"""Reading id of the reconciled one with L = 3 for all data sets."""
COLLAPSED = "collapsed"
"""Reading id of SpectralCAT with a kernel that isolates single objects."""
BEST = "best-run"
"""Reading id of coupledMC by the largest accuracy of its runs."""
OURS = "coupledmc"
METHODS = {
    "random": "random",
    "k_prototypes": "k-prototypes",
    "madd": "mADD",
    "mixture": "mixture",
    "spectralcat": "SpectralCAT",
    OURS: "coupledMC",
}
NEAR_PRINT = 0.02
"""Distance up to which an accuracy is near the printed one."""

Runs = dict[tuple[str, str, str, str], "dict[str, Any]"]
"""Scores of all runs, one array each, by data set, method, reading and setting."""

Series = Sequence[Mapping[str, Any]]
"""Records of several series of runs, the better L of each; the first one gives the number."""


def readings(method: str, fixed: str) -> dict[str, tuple[str, str | None]]:
    """Readings of a method by means: reading of the records and setting (None: the better)."""
    if method == OURS:
        found = {RECONCILED: (RECONCILED, None), FIXED: (RECONCILED, fixed)}
        return {**found, "literal": ("literal", None)}
    names = [RECONCILED, COLLAPSED] if method == "spectralcat" else [RECONCILED]
    return {name: (name, "") for name in names}


def by_setting(records: pd.DataFrame) -> Runs:
    """Runs of the experiment ``accuracy``, where there are any."""
    if records.empty or "method" not in records:
        return {}
    records = records[records["status"] == "ok"].assign(moved=records.get("moved", 0.0))
    records = records.fillna({"setting": "", "moved": 0.0})
    scores = ["accuracy", "nmi_max", "nmi_sqrt", "nmi_arithmetic", "ari", "largest", "moved"]
    return {
        key: {name: group[name].to_numpy(dtype=float) for name in scores}
        for key, group in records.groupby(["dataset", "method", "reading", "setting"], sort=False)
    }


def chosen_runs(
    runs: Runs, names: Iterable[str], method: str, reading: str, wanted: str | None = None
) -> list[tuple[str, dict[str, Any]]]:
    """Setting and scores of the runs of a method on each of some data sets.

    The setting is the wanted one, or the one of highest mean accuracy (oracle).
    """
    found = []
    for name in names:
        tried = {key[3]: part for key, part in runs.items() if key[:3] == (name, method, reading)}
        best = max(tried, key=lambda one: tried[one]["accuracy"].mean())
        setting = best if wanted is None else wanted
        found.append((setting, tried[setting]))
    return found


def mean_over(chosen: Sequence[tuple[str, Mapping[str, Any]]]) -> dict[str, Any]:
    """Scores per run, averaged over data sets, and the average of their largest accuracies."""
    parts = [part for _, part in chosen]
    largest = mean(float(part["accuracy"].max()) for part in parts)
    scores = {name: sum(part[name] for part in parts) / len(parts) for name in parts[0]}
    return {**scores, "largest_run": largest}


def mean(values: Iterable[float]) -> float:
    """Mean of some numbers, summed from the first to the last."""
    values = list(values)
    return sum(values) / len(values)


def best_series(records: pd.DataFrame, variant: str = BEST) -> dict[str, Series]:
    """Records of the experiment ``best_runs`` by data set: of every series the better L.

    L is the one with the larger largest accuracy, the smaller L if they are equal; like the run
    it is chosen with the class labels (oracle).
    """
    if records.empty or "variant" not in records:
        return {}
    mine = records[(records["status"] == "ok") & (records["variant"] == variant)]
    mine = mine.sort_values(["accuracy", "power"], ascending=[False, True])
    mine = mine.drop_duplicates(["dataset", "series"]).sort_values("series")
    return {name: part.to_dict("records") for name, part in mine.groupby("dataset")}


def per_series(chosen: Iterable[Series], score: str = "accuracy") -> list[float]:
    """A score averaged over data sets, one number per series."""
    return [mean(float(one[score]) for one in row) for row in zip(*chosen, strict=True)]


def improvements(means: Mapping[str, float]) -> tuple[float, float]:
    """Least and greatest improvement of the average of coupledMC over another method."""
    every = [means[OURS] / value - 1 for name, value in means.items() if name != OURS]
    return min(every), max(every)


def near_print(rows: pd.DataFrame, by: Sequence[str], value: str, printed: str) -> pd.DataFrame:
    """How near each group of numbers comes to print.

    Number of ``sets``, ``average`` and ``printed`` (means), ``distance`` (mean absolute
    difference), and ``near``, how many are within `NEAR_PRINT`.
    """
    gaps = (rows[value] - rows[printed]).abs()
    groups = rows.assign(gap=gaps, near=gaps <= NEAR_PRINT).groupby(list(by), sort=False)
    return groups.agg(
        sets=("gap", "size"),
        average=(value, mean),
        printed=(printed, mean),
        distance=("gap", mean),
        near=("near", "sum"),
    )


def by_place(records: pd.DataFrame) -> dict[tuple[str, ...], dict[str, float]]:
    """Value and range of the numbers of the worked example by quantity, reading, scale and place.

    A place is a row and a column; reading and scale are empty where a number has none.
    """
    if records.empty:
        return {}
    places = records[["quantity", "reading", "scale", "row", "column"]].fillna("")
    numbers = records[["value", "low", "high"]].to_dict("records")
    return dict(zip(places.itertuples(index=False, name=None), numbers, strict=True))


def map_points(points: pd.DataFrame) -> int:
    """Points of a map that differ on a grid of 1 % of its larger half extent."""
    places = points[["x", "y"]].to_numpy()
    return len(np.unique(np.round(100 * places / np.abs(places).max()), axis=0))
