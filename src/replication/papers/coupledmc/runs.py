"""Runs of Table 6: what is taken of them, a mean or the largest."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from replication.judge.cells import mean_moved
from replication.judge.verdicts import Reproduced

if TYPE_CHECKING:
    import pandas as pd

    from replication.show.job import Job

RECONCILED = "reconciled"
FIXED = "fixed"
"""Reading id of the reconciled one with L = 3 for all data sets."""
COLLAPSED = "collapsed"
"""Reading id of SpectralCAT with a kernel that isolates single objects."""
BEST = "best-run"
"""Reading id of coupledMC by the largest accuracy of its runs."""

METHODS = {
    "random": "random",
    "k_prototypes": "k-prototypes",
    "madd": "mADD",
    "mixture": "mixture",
    "spectralcat": "SpectralCAT",
    "coupledmc": "coupledMC",
}

Runs = dict[tuple[str, str, str, str], "dict[str, Any]"]
"""Scores of all runs, one array each, by data set, method, reading and setting."""

Series = Sequence[Mapping[str, Any]]
"""Records of several series of runs, the better L of each; the first one gives the number."""


def readings(method: str, fixed: str) -> list[tuple[str, str, str | None]]:
    """Readings of a method by means: id, id in the records, and its setting (None: the better)."""
    if method == "coupledmc":
        return [
            (RECONCILED, RECONCILED, None),
            (FIXED, RECONCILED, fixed),
            ("literal", "literal", None),
        ]
    if method == "spectralcat":
        return [(RECONCILED, RECONCILED, ""), (COLLAPSED, COLLAPSED, "")]
    return [(RECONCILED, RECONCILED, "")]


def by_setting(records: pd.DataFrame) -> Runs:
    """Runs of the experiment ``accuracy``."""
    if records.empty or "method" not in records:
        return {}
    records = records[records["status"] == "ok"].copy()
    records["setting"] = records["setting"].fillna("")
    scores = ["accuracy", "nmi_max", "nmi_sqrt", "nmi_arithmetic", "ari", "largest", "moved"]
    records["moved"] = records["moved"].fillna(0.0) if "moved" in records else 0.0
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


def reproduced(values: Any, rounding: float = 0.0) -> Reproduced:
    """Mean, standard deviation and range over runs, and what rounding leaves open."""
    many = len(values) > 1
    return Reproduced(
        float(values.mean()),
        sd=float(values.std(ddof=1)) if many else None,
        runs=len(values),
        spread=(float(values.min()), float(values.max())),
        rounding=rounding,
    )


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


def largest_reproduced(chosen: Sequence[Series]) -> Reproduced:
    """Largest accuracy of the runs of the first series, averaged over data sets.

    It is the number of a single run, so chance is not a standard error: it is the range of the
    number over series of runs with other seeds. The standard deviation is that of the runs.
    """
    values = per_series(chosen)
    return Reproduced(
        values[0],
        sd=float(chosen[0][0]["accuracy_sd"]) if len(chosen) == 1 else None,
        spread=(min(values), max(values)),
        rounding=mean_moved(row[0].get("moved") for row in chosen),
    )


_INCOMPLETE = "needs all data sets of Table 6"


def averages_of(job: Job) -> dict[str, dict[str, Any]]:
    """Average accuracy over all data sets, by reading and method; empty if one is missing.

    One number per run, under `BEST` one per series of runs of coupledMC, and for the other
    methods the average of their largest accuracies.
    """
    runs = by_setting(job.records("accuracy"))
    best = best_series(job.records("best_runs"))
    names = [name for name in job.datasets if name != "table1"]
    present = {key[0] for key in runs} & set(best)
    if not runs or not set(names) <= present:
        return {}
    found: dict[str, dict[str, Any]] = {}
    for method in METHODS:
        for reading, source, wanted in readings(method, "L=3"):
            scores = mean_over(chosen_runs(runs, names, method, source, wanted))
            found.setdefault(reading, {})[method] = scores["accuracy"]
            if reading == RECONCILED and method != "coupledmc":
                found.setdefault(BEST, {})[method] = scores["largest_run"]
    found[BEST]["coupledmc"] = per_series([best[name] for name in names])
    return found


def improvement(
    metric: str, reading: str, averages: Mapping[str, Mapping[str, Any]]
) -> tuple[Reproduced, str, bool]:
    """Improvement of the mean accuracy of coupledMC over that of another method.

    The other has the lowest mean, for the largest improvement, or the highest one. Under `BEST` the
    largest run of coupledMC takes the place of its mean, as in print.
    """
    if not averages:
        return Reproduced(None, absent=_INCOMPLETE), "", True
    others = {name: runs for name, runs in averages[RECONCILED].items() if name != "coupledmc"}
    extreme = min if metric.startswith("max") else max
    other = extreme(others.values(), key=lambda runs: runs.mean())
    coupled = averages[reading]["coupledmc"]
    if reading == BEST:
        ratios = [value / float(other.mean()) - 1 for value in coupled]
        values = Reproduced(ratios[0], spread=(min(ratios), max(ratios)))
        return values, "largest runs of coupledMC over means of the others", True
    values = reproduced(coupled / other - 1)
    return replace(values, value=float(coupled.mean() / other.mean() - 1)), "better L, means", True
