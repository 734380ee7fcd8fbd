"""What the tables and claims of coupledMC compare: places, distances to print, indices, maps."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

from replication.judge.cells import mean_moved
from replication.judge.claims import Count, Evidence, MissingEvidenceError, count, met
from replication.judge.published import numbers
from replication.judge.verdicts import Reproduced
from replication.papers.coupledmc.runs import (
    BEST,
    FIXED,
    METHODS,
    RECONCILED,
    Runs,
    Series,
    best_series,
    by_setting,
    chosen_runs,
    mean,
    mean_over,
    per_series,
    readings,
)
from replication.papers.coupledmc.significance import OURS, TESTED
from replication.run.paired import paired_test

if TYPE_CHECKING:
    from replication.show.job import Job

LEVEL = 0.05
NEAR = 0.02
"""Distance up to which an accuracy is near the printed one."""
RAW = "raw"
"""Largest run of coupledMC with the component scores as they are."""
PEAKS = {name: (name, 2.0, "cut") for name in ("heart", "mpg")}
"""Data set, cutoff in percent and kernel that Figs 2 and 3 are drawn with."""
STATISTICS = {
    "largest": "the largest runs of all (oracle)",
    "mixed": "the largest run of coupledMC beside the means of the others",
}
"""How the methods of Table 6 are compared besides by means: as its last column is."""


# --- rows of tables -----------------------------------------------------------------------------


def in_text(evidence: Evidence, start: str) -> pd.DataFrame:
    """Numbers of the text whose quantity starts with some words.

    Raises
    ------
    MissingEvidenceError
        If none of them was computed.
    """
    rows = evidence.table("text", RECONCILED).dropna(subset=["reproduced"])
    rows = rows[rows["quantity"].str.startswith(start)]
    if rows.empty:
        raise MissingEvidenceError(f"text: {start} was not computed (effort {evidence.effort})")
    return rows


def by_place(records: pd.DataFrame) -> dict[tuple[str, ...], dict[str, float]]:
    """Value and range of the numbers of the worked example by quantity, reading, scale and place.

    A place is a row and a column; reading and scale are empty where a number has none.
    """
    if records.empty:
        return {}
    places = records[["quantity", "reading", "scale", "row", "column"]].fillna("").astype(str)
    numbers = records[["value", "low", "high"]].to_dict("records")
    return dict(zip(places.itertuples(index=False, name=None), numbers, strict=True))


def example_numbers(evidence: Evidence) -> dict[tuple[str, ...], float]:
    """Numbers of the worked example, see `by_place`."""
    found = by_place(evidence.experiment("example", ["table1"]))
    return {place: one["value"] for place, one in found.items()}


def printed_text(evidence: Evidence, method: str) -> dict[str, float]:
    """Printed numbers of the text by metric."""
    cells = evidence.printed
    cells = cells[(cells["artefact"] == "text") & (cells["method_id"] == method)]
    return dict(zip(cells["metric"], cells["value"].astype(float), strict=True))


def by_dataset(records: pd.DataFrame) -> dict[str, dict[str, Any]]:
    """First record of each data set; one that could not be had carries ``absent``."""
    return {
        one["dataset"]: one if one["status"] == "ok" else {"absent": one["reason"]}
        for one in records.drop_duplicates("dataset").to_dict("records")
    }


def mean_base_rate(found: Mapping[str, Mapping[str, Any]], names: Iterable[str]) -> float:
    """Share of the largest class, averaged over some data sets; see `by_dataset`."""
    return mean(found[name]["base_rate"] for name in names)


def descriptions(evidence: Evidence) -> pd.DataFrame:
    """Records of the data sets of Table 5; all are there."""
    return evidence.experiment("description", evidence.datasets("table05"))


def extent(sets: pd.DataFrame, name: str) -> tuple[float, float]:
    """Least and greatest entry of a matrix over all data sets, see `descriptions`."""
    return sets[f"{name}_min"].min(), sets[f"{name}_max"].max()


def largest_difference(rows: Iterable[Mapping[str, Any]] | pd.DataFrame) -> float:
    """Largest absolute difference to print; NaN if none is known."""
    return pd.DataFrame(rows)["difference"].astype(float).abs().max()


def sign_of(pairs: Iterable[tuple[str, float]]) -> float:
    """Sign that brings a component nearest to print, from its printed entries and ours."""
    return -1.0 if sum(float(printed) * ours for printed, ours in pairs) < 0 else 1.0


def other_print(cells: pd.DataFrame, name: str) -> pd.DataFrame:
    """Entries of its column that equal one of given id in ours, not in print, unless outvoted."""
    given = cells.set_index("id").loc[name]
    same = cells[(cells["metric"] == given["metric"]) & (cells["ours"] == given["ours"])]
    others = same[same["printed"] != given["printed"]]
    return others if 2 * len(others) >= len(same) else others[:0]


def reductions(evidence: Evidence) -> list[tuple[float, float, float]]:
    """Columns of Tables 3 and 4, and the share of the variance that is kept: ours, printed."""
    found = example_numbers(evidence)
    names = ("n_columns", "n_components")
    before, after = (found["shape", RECONCILED, "", "number", name] for name in names)
    share = sum(value for key, value in found.items() if key[:2] == ("variance", RECONCILED))
    columns, scores = (
        numbers(evidence.printed[evidence.printed["artefact"] == artefact])
        .astype({"value": float})
        .pivot_table("value", "dataset_id", "metric")
        for artefact in ("table03", "table04")
    )
    kept = float(scores.var().sum() / columns.var().sum())
    return [(before, after, share), (columns.shape[1], scores.shape[1], kept)]


def unmet(rows: pd.DataFrame, words: str) -> str:
    """Clause on the printed values that are not met; empty if all are."""
    odd = rows[[not held for held in met(rows)]].to_dict("records")
    return "; ".join(["", *(words.format(**one) for one in odd)])


# --- Table 6 ------------------------------------------------------------------------------------


def accuracies(evidence: Evidence) -> pd.DataFrame:
    """Rows of Table 6 that were computed, without the averages; all data sets are there."""
    rows = evidence.table("table06").query("dataset != 'average'")
    return evidence.need(rows, "dataset", evidence.datasets("table05"))


def column_of(rows: pd.DataFrame, method: str, reading: str, key: str) -> pd.Series:
    """What a method has under a reading, by data set."""
    mine = rows[(rows["method"] == method) & (rows["reading"] == reading)]
    return mine.set_index("dataset")[key]


def mean_scores(
    chosen: Sequence[tuple[str, Mapping[str, Any]]],
) -> tuple[Reproduced, dict[str, float]]:
    """Accuracy over runs, averaged over data sets, and the scores that stand beside it."""
    scores = mean_over(chosen)
    accuracy, largest = scores.pop("accuracy"), scores.pop("largest_run")
    beside = {key: float(value.mean()) for key, value in scores.items()}
    values = reproduced(accuracy, beside["moved"])
    return values, {**beside, "mean": values.value, "largest_run": largest}


def largest_scores(chosen: Sequence[Series]) -> tuple[Reproduced, dict[str, float]]:
    """Largest accuracy, averaged over data sets, and the scores that stand beside it."""
    values = largest_reproduced(chosen)
    names = ("nmi_max", "nmi_sqrt", "nmi_arithmetic", "ari", "largest")
    beside = {name: per_series(chosen, name)[0] for name in names}
    mean_accuracy = per_series(chosen, "accuracy_mean")[0]
    return values, {**beside, "mean": mean_accuracy, "largest_run": values.value}


def judged_statistic(row: Mapping[str, Any]) -> str:
    """What is judged: a mean stands among means, a largest run among largest runs."""
    return "largest_run" if row["reading"] == BEST else "mean"


def rank(row: Mapping[str, Any], rows: Iterable[Mapping[str, Any]]) -> int:
    """Rank of a number of Table 6 among the reconciled ones of the other methods."""
    return 1 + sum(
        other[judged_statistic(row)] > row["reproduced"]
        for other in rows
        if other["dataset"] == row["dataset"]
        and other["method"] != row["method"]
        and other["reading"] == RECONCILED
    )


def near_print(rows: pd.DataFrame, by: Sequence[str], value: str, printed: str) -> pd.DataFrame:
    """How near each group of numbers comes to print, by their ``difference`` to it.

    Number of ``sets``, ``average`` and ``printed`` (means), ``distance`` (mean absolute
    difference), and ``near``, how many are within `NEAR`.
    """
    gaps = rows.assign(gap=rows["difference"].abs())
    return (
        gaps.assign(near=gaps["gap"] <= NEAR)
        .groupby(list(by), sort=False)
        .agg(
            sets=("gap", "size"),
            average=(value, mean),
            printed=(printed, mean),
            distance=("gap", mean),
            near=("near", "sum"),
        )
    )


def accuracies_near_print(rows: Iterable[Mapping[str, Any]] | pd.DataFrame) -> pd.DataFrame:
    """How near the numbers of Table 6 come to print, by method and reading; see `near_print`."""
    columns = ["dataset", "method", "reading", "reproduced", "printed_value", "difference"]
    found = pd.DataFrame(rows, columns=columns).query("dataset != 'average'")
    return near_print(found, ["method", "reading"], "reproduced", "printed_value")


def columns_near_print(rows: Iterable[Mapping[str, Any]]) -> dict[str, dict[str, Any]]:
    """How near each ``column`` of largest runs comes to the printed one; see `near_print`."""
    found = pd.DataFrame(rows, columns=["column", "value", "printed"]).astype({"printed": float})
    found["difference"] = found["value"] - found["printed"]
    return near_print(found, ["column"], "value", "printed").to_dict("index")


def settings_near_print(runs: pd.DataFrame, printed: pd.Series) -> pd.DataFrame:
    """How near each setting, taken for all data sets, comes to the printed column of its method.

    By means as `near_print` has it; by largest runs the same with the ending ``_largest``.
    """
    key = ["method", "setting"]
    runs = runs.join(printed.rename("printed"), on=["dataset", "method"])
    means, largest = (
        near_print(runs.assign(difference=runs[value] - runs["printed"]), key, value, "printed")
        for value in ("accuracy", "accuracy_largest")
    )
    first = runs.groupby(key, sort=False)["runs"].first().astype(int)
    return means.join(largest.add_suffix("_largest")).join(first).reset_index()


def nearest_settings(tried: pd.DataFrame, distance: str) -> dict[str, dict[str, Any]]:
    """Setting of least distance to print by method, see `settings_near_print`."""
    least = tried.loc[tried.groupby("method")[distance].idxmin()]
    return least.set_index("method", drop=False).to_dict("index")


def settings_range(tried: pd.DataFrame, default: str) -> dict[str, Any]:
    """Accuracy of the default setting of a method on a data set, lowest and highest of all."""
    tries = tried.set_index("setting")["accuracy"]
    return {
        "settings": len(tries),
        "runs": int(tried["runs"].iloc[0]),
        "default": float(tries[default]),
        "low": float(tries.min()),
        "high": float(tries.max()),
        "best": str(tries.idxmax()),
    }


def largest_of_all(runs: Runs, dataset: str) -> dict[str, float]:
    """Largest accuracy of the reconciled runs on a data set by method; of coupledMC as `RAW`."""
    largest: dict[str, float] = {}
    for (name, method, reading, _), scores in runs.items():
        if (name, reading) == (dataset, RECONCILED):
            key = RAW if method == OURS else method
            largest[key] = max(largest.get(key, 0.0), float(scores["accuracy"].max()))
    return largest


def lead(means: Mapping[str, float]) -> tuple[str, float]:
    """Best other method, and how far the average of coupledMC is above its average."""
    rival = max((name for name in means if name != OURS), key=lambda name: means[name])
    return rival, means[OURS] - means[rival]


def best_improvement(largest: Mapping[str, Any]) -> tuple[str, float]:
    """Best other method by averages of largest runs, and the improvement of coupledMC over it."""
    means = {**largest, OURS: largest[OURS][0]}
    return lead(means)[0], improvements(means)[0]


def grid(rows: pd.DataFrame, statistic: str = "means", **other: str) -> pd.DataFrame:
    """Accuracies, data sets by methods.

    Parameters
    ----------
    rows : DataFrame
        See `accuracies`.
    statistic : str
        ``means``, one of `STATISTICS`, or ``printed`` for the printed ones.
    **other : str
        Methods that take another reading, such as ``spectralcat="collapsed"``.
    """
    columns = {"largest": "largest_run", "printed": "printed_value"}
    column = columns.get(statistic, "mean")
    taken = dict.fromkeys(METHODS, RECONCILED) | other
    values = {method: column_of(rows, method, reading, column) for method, reading in taken.items()}
    if statistic in STATISTICS:
        values[OURS] = column_of(rows, OURS, BEST, "largest_run")
    return pd.DataFrame(values)


def averages(rows: pd.DataFrame, statistic: str = "means") -> dict[str, float]:
    """Averages over the data sets by method, see `grid`."""
    return grid(rows, statistic).mean().to_dict()


def scale_moves(rows: pd.DataFrame) -> pd.DataFrame:
    """Means of coupledMC with scores ``raw`` and ``scaled`` to [0, 1], the greatest gain first."""
    raw, scaled = (column_of(rows, OURS, reading, "mean") for reading in (RECONCILED, BEST))
    gains = (scaled - raw).sort_values(ascending=False)
    return pd.DataFrame({"raw": raw, "scaled": scaled}).loc[gains.index]


def power_gains(rows: pd.DataFrame) -> tuple[float, float]:
    """What the better of two L (oracle) adds to L = 3: to the average, and at most."""
    better, fixed = (column_of(rows, OURS, key, "reproduced") for key in (RECONCILED, FIXED))
    return (better - fixed).mean(), (better - fixed).max()


def with_intervals(evidence: Evidence) -> tuple[pd.DataFrame, dict[str, float]]:
    """Accuracies of `grid`, ``k_modes`` with numbers in intervals beside them, and averages."""
    cut = evidence.experiment("discretized", evidence.datasets("table05"))
    means = cut.groupby("dataset")["accuracy"].mean()
    found = grid(accuracies(evidence)).assign(k_modes=means)
    return found, found.mean().to_dict()


def places(
    rows: pd.DataFrame, ahead: Callable[[float, float], bool], *taken: str, **other: str
) -> dict[str, int]:
    """Place of coupledMC by data set: one more than the methods ahead of it in a `grid`."""
    return {
        str(name): 1 + sum(ahead(value, row[OURS]) for value in row.drop(OURS))
        for name, row in grid(rows, *taken, **other).iterrows()
    }


def level_with_second(rows: pd.DataFrame, dataset: str) -> bool:
    """Whether chance alone may put the mean of coupledMC behind the second method."""
    mine = rows[(rows["dataset"] == dataset) & (rows["reading"] == RECONCILED)].set_index("method")
    second = mine["mean"].drop(OURS).nlargest(2).index[1]
    error = sum(mine["sd"][name] ** 2 / mine["samples"][name] for name in (second, OURS))
    return mine["mean"][second] - mine["mean"][OURS] <= 2 * error**0.5


def printed_averages(evidence: Evidence) -> tuple[dict[str, float], dict[str, float]]:
    """Printed averages, and the means of the printed columns."""
    cells = evidence.printed.query("artefact == 'table06'").astype({"value": float})
    average = cells["dataset_id"] == "average"
    said = cells[average].set_index("method_id")["value"].to_dict()
    means = cells[~average].groupby("method_id")["value"].mean()
    return said, means[list(said)].to_dict()


def improvements(means: Mapping[str, float]) -> tuple[float, float]:
    """Least and greatest improvement of the average of coupledMC over another method."""
    every = [means[OURS] / value - 1 for name, value in means.items() if name != OURS]
    return min(every), max(every)


def clustering_tests(
    evidence: Evidence, statistic: str = "means"
) -> dict[str, tuple[float, float]]:
    """Paired t test of coupledMC with each other method: p value and mean difference.

    By means, by one of `STATISTICS`, or on the printed accuracies: ``printed``.
    """
    rows = accuracies(evidence)
    if statistic == "printed":
        values = grid(rows, statistic)
        found = {
            name: paired_test(values[OURS], values[name]) for name in values.drop(columns=OURS)
        }
        return {name: (test["p"], test["difference"]) for name, test in found.items()}
    tests = evidence.tests()
    rows = tests[(tests["of"] == "accuracy") & (tests["by"] == statistic)].set_index("second")
    return dict(zip(rows.index, zip(rows["p"], rows["difference"], strict=True), strict=True))


def significant(evidence: Evidence, statistic: str = "means") -> Count:
    """Methods with a difference above 0 and a p value below the level; see `clustering_tests`."""
    return count(p < LEVEL and d > 0 for p, d in clustering_tests(evidence, statistic).values())


# --- Fig. 1 -------------------------------------------------------------------------------------


def indices(evidence: Evidence) -> pd.DataFrame:
    """Rows of Fig. 1; all data sets are there."""
    return evidence.need(evidence.table("fig01"), "dataset", evidence.datasets("table05"))


def against_coupled(records: pd.DataFrame, original: str, index: str, sense: int) -> dict[str, Any]:
    """An index of one data set, on an original representation and on the better coupled one.

    The sense says whether more (1) or less (-1) is better; the ratio is coupled over original.
    """
    value = float(records.set_index("representation").loc[original, index])
    powers = records[records["family"] == "coupled"].set_index("representation")[index]
    power = str((sense * powers).idxmax())
    coupled = float(powers[power])
    better = "yes" if sense * coupled > sense * value else "no"
    ratio = coupled / value if value else None
    found = {"value": value, "coupled": coupled, "power": power, "sense": sense}
    return {**found, "better": better, "ratio": ratio}


def improved(rows: pd.DataFrame, name: str) -> dict[tuple[str, str], pd.Series]:
    """On which data sets of Fig. 1 the coupled representation is better, by index and original."""
    return {
        key: part.set_index(name)["better"] == "yes"
        for key, part in rows.groupby(["index", "original"])
    }


def but(held: pd.Series) -> str:
    """Names for which something does not hold, in brackets; none if it always or never does."""
    return f" (not {', '.join(held.index[~held])})" if 0 < held.sum() < len(held) else ""


def structure_tests(evidence: Evidence) -> dict[str, tuple[float, bool]]:
    """Paired t test over data sets for each index: p value, and whether coupled is better."""
    indices(evidence)
    rows = evidence.tests().query("of == 'structure'")
    return {
        row.by: (row.p, TESTED[row.by] * row.difference > 0) for row in rows.itertuples(index=False)
    }


# --- Figs 2 and 3 -------------------------------------------------------------------------------


def peak_settings(evidence: Evidence) -> dict[str, pd.DataFrame]:
    """Density peaks by distance, indexed by data set, cutoff and kernel."""
    rows = evidence.experiment("sensitivity", PEAKS).set_index(["dataset", "percent", "kernel"])
    return {name: rows[rows["distance"] == name] for name in ("raw", "scaled", "coupled")}


def maps(points: pd.DataFrame) -> pd.DataFrame:
    """Objects, visible places, strange neighbours and different densities by distance."""
    columns = ["distance", "objects", "places", "strange", "densities"]
    rows = [
        (name, len(part), map_points(part), strange_neighbours(part), part["rho"].nunique())
        for name, part in points.groupby("distance")
    ]
    return pd.DataFrame(rows, columns=columns).set_index("distance")


def map_points(points: pd.DataFrame) -> int:
    """Points of a map that differ on a grid of 1 % of its larger half extent."""
    places = points[["x", "y"]].to_numpy(dtype=float)
    return len(np.unique(np.round(100 * places / np.abs(places).max()), axis=0))


def strange_neighbours(points: pd.DataFrame) -> float:
    """Share of the objects whose nearest other object on a map is in another cluster."""
    from scipy.spatial import KDTree

    places = points[["x", "y"]].to_numpy(dtype=float)
    first, second = KDTree(places).query(places, k=2)[1].T
    # where objects lie on each other, the nearest may be another one than the object itself
    nearest = np.where(first == np.arange(len(places)), second, first)
    clusters = points["cluster"].to_numpy()
    return float((clusters[nearest] != clusters).mean())


# --- what is reproduced of the runs ---------------------------------------------------------------

_INCOMPLETE = "needs all data sets of Table 6"


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
