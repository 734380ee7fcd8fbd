"""Runs of Table 6 by mean or largest accuracy, other records in a useful form, and the tests."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np
import pandas as pd

from replication.run.paired import paired_test
from replication.run.records import available
from replication.run.statistics import Comparison

RECONCILED = "reconciled"
FIXED = "fixed"
"""Reading id: as reconciled, with L = 3 for all data sets."""
COLLAPSED = "collapsed"
"""Reading id: SpectralCAT with a kernel that isolates single objects."""
BEST = "best-run"
"""Reading id: coupledMC by the largest accuracy of its runs."""
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
"""Largest distance of an accuracy that is near the printed one."""

Runs = dict[tuple[str, str, str, str], "dict[str, Any]"]
"""Scores of runs by data set, method, reading and setting; each score is an array over runs."""

Series = Sequence[Mapping[str, Any]]
"""Records of several series of runs, each at its better L; the first series is the result."""


def readings(method: str, fixed: str) -> dict[str, tuple[str, str | None]]:
    """Return the readings of a method's means: reading and setting of the records.

    The setting None stands for the better one.
    """
    if method == OURS:
        found = {RECONCILED: (RECONCILED, None), FIXED: (RECONCILED, fixed)}
        return {**found, "literal": ("literal", None)}
    names = [RECONCILED, COLLAPSED] if method == "spectralcat" else [RECONCILED]
    return {name: (name, "") for name in names}


def by_setting(records: pd.DataFrame) -> Runs:
    """Return the runs in the records of the experiment ``accuracy``."""
    if records.empty or "method" not in records:
        return {}
    records = available(records.assign(moved=records.get("moved", 0.0)))
    records = records.fillna({"setting": "", "moved": 0.0})
    scores = ["accuracy", "nmi_max", "nmi_sqrt", "nmi_arithmetic", "ari", "largest", "moved"]
    return {
        key: {name: group[name].to_numpy(dtype=float) for name in scores}
        for key, group in records.groupby(["dataset", "method", "reading", "setting"], sort=False)
    }


def chosen_runs(
    runs: Runs, names: Iterable[str], method: str, reading: str, wanted: str | None = None
) -> list[tuple[str, dict[str, Any]]]:
    """Return the setting of a method, and the scores of its runs, on each of some data sets.

    The setting is the wanted one, or the one of highest mean accuracy (uses class labels).
    """
    found = []
    for name in names:
        tried = {key[3]: part for key, part in runs.items() if key[:3] == (name, method, reading)}
        best = max(tried, key=lambda one: tried[one]["accuracy"].mean())
        setting = best if wanted is None else wanted
        found.append((setting, tried[setting]))
    return found


def mean_over(chosen: Sequence[tuple[str, Mapping[str, Any]]]) -> dict[str, Any]:
    """Return scores per run averaged over data sets, and the average of the largest accuracies."""
    parts = [part for _, part in chosen]
    largest = mean(float(part["accuracy"].max()) for part in parts)
    scores = {name: sum(part[name] for part in parts) / len(parts) for name in parts[0]}
    return {**scores, "largest_run": largest}


def mean(values: Iterable[float]) -> float:
    """Return the mean of some numbers, summed in their order."""
    values = list(values)
    return sum(values) / len(values)


def best_series(records: pd.DataFrame, variant: str = BEST) -> dict[str, Series]:
    """Return the records of the experiment ``best_runs`` by data set, each series at its better L.

    The better L is that of the larger largest accuracy (uses class labels), or the smaller L.
    """
    if records.empty or "variant" not in records:
        return {}
    mine = available(records).query("variant == @variant")
    mine = mine.sort_values(["accuracy", "power"], ascending=[False, True])
    mine = mine.drop_duplicates(["dataset", "series"]).sort_values("series")
    return {name: part.to_dict("records") for name, part in mine.groupby("dataset")}


def per_series(chosen: Iterable[Series], score: str = "accuracy") -> list[float]:
    """Return a score averaged over data sets, one number per series."""
    return [mean(float(one[score]) for one in row) for row in zip(*chosen, strict=True)]


def improvements(means: Mapping[str, float]) -> tuple[float, float]:
    """Return the smallest and largest improvement of coupledMC's average over another method's."""
    every = [means[OURS] / value - 1 for name, value in means.items() if name != OURS]
    return min(every), max(every)


def near_print(rows: pd.DataFrame, by: Sequence[str], value: str, printed: str) -> pd.DataFrame:
    """Compare groups of numbers with the printed ones.

    Returns ``sets`` (numbers in the group), the means ``average`` and ``printed``, the mean
    absolute difference ``distance``, and ``near``, the count of those within `NEAR_PRINT`.
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
    """Return value and range of the example's numbers by quantity, reading, scale, row, column."""
    if records.empty:
        return {}
    places = records[["quantity", "reading", "scale", "row", "column"]].fillna("")
    numbers = records[["value", "low", "high"]].to_dict("records")
    return dict(zip(places.itertuples(index=False, name=None), numbers, strict=True))


def map_points(points: pd.DataFrame) -> int:
    """Count the points of a map that differ on a grid of 1 % of its larger half extent."""
    places = points[["x", "y"]].to_numpy()
    return len(np.unique(np.round(100 * places / np.abs(places).max()), axis=0))


ORIGINAL = "one-hot"
TESTED = {"rd": 1, "dbi": -1, "di": 1, "sd_max": -1}
"""Internal indices of Fig. 1: 1 if a larger value is better, -1 if a smaller one is."""


def paired(comparison: Comparison, *, datasets: Sequence[str]) -> list[dict[str, Any]]:
    """Run paired t-tests over the data sets of Table 6 and Fig. 1.

    A test needs at least two of the `datasets` in all its experiments.

    Records: ``of`` ("accuracy" or "structure"); ``by``, the index, or for accuracies ``means`` or
    one of `replication.papers.coupledmc.claims.STATISTICS`; ``first``, ``second``, and the results
    of `replication.run.paired.paired_test`. Values of an index are relative to the larger one of
    each pair, as the paper draws them.
    """
    wanted = ("accuracy", "best_runs", "structure")
    done = {name: available(comparison.records(name)) for name in wanted}

    def common(*experiments: str) -> list[str]:
        there = set.intersection(*(set(done[name]["dataset"]) for name in experiments))
        names = [name for name in datasets if name in there]
        return names if len(names) > 1 else []

    rows = []
    if names := common("accuracy", "best_runs"):
        for by, columns in _accuracies(done["accuracy"], done["best_runs"], names).items():
            rows += [
                {"of": "accuracy", "by": by, "first": OURS, "second": other}
                | paired_test(columns[OURS], columns[other])
                for other in METHODS
                if other != OURS
            ]
    if names := common("structure"):
        rows += [
            {"of": "structure", "by": index, "first": OURS, "second": ORIGINAL}
            | paired_test(*_relative(done["structure"], names, index, sense))
            for index, sense in TESTED.items()
        ]
    return rows


def _accuracies(
    accuracy: pd.DataFrame, best: pd.DataFrame, names: Sequence[str]
) -> Mapping[str, dict[str, list[float]]]:
    """Return the accuracy of each method on each data set: by means, largest runs, or mixed."""
    runs, series = by_setting(accuracy), best_series(best)
    # the better L of coupledMC; the others have one setting
    taken = {
        method: [part["accuracy"] for _, part in chosen_runs(runs, names, method, RECONCILED)]
        for method in METHODS
    }
    means, largest = (
        {method: [float(statistic(run)) for run in found] for method, found in taken.items()}
        for statistic in (np.mean, np.max)
    )
    ours = {OURS: [float(series[name][0]["accuracy"]) for name in names]}
    return {"means": means, "largest": largest | ours, "mixed": means | ours}


def _relative(
    structure: pd.DataFrame, names: Sequence[str], index: str, sense: int
) -> tuple[list[float], list[float]]:
    """Return an index of the coupled representation (better L) and of the original one."""
    values = structure.assign(signed=structure[index] * sense).groupby(["family", "dataset"])
    coupled = sense * values["signed"].max()["coupled"][[*names]]
    plain = structure[structure["representation"] == ORIGINAL].set_index("dataset")[index][[*names]]
    tops = coupled.combine(plain, max)
    tops = tops.where(tops > 0, 1.0)
    return (coupled / tops).tolist(), (plain / tops).tolist()
