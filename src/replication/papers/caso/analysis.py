"""What the tables and claims of CASO are made of: records to numbers, without words."""

from __future__ import annotations

import math
import statistics
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from replication.judge.cells import mean_moved
from replication.judge.claims import EQUAL
from replication.judge.verdicts import Reproduced
from replication.papers.caso.costs import POWER
from replication.papers.caso.examples import VALUE
from replication.papers.caso.rocks import SCORES
from replication.papers.caso.structure import ALL_ROWS
from replication.steps import OK

if TYPE_CHECKING:
    import pandas as pd

    from replication.judge.claims import Evidence
    from replication.show.job import Job

MEASURES = {"smd": "SMD", "ofd": "OFD", "add": "ADD", "cado": "CADO"}
"""The four dissimilarities that the paper compares."""
INDICES = {"rd": True, "dbi": False, "di": True, "sd_max": False, "sd_mean": False}
"""Indices that are compared, and whether more is better."""
MOVIE, EXAMPLE = "movie", "information_table"
"""Data sets of Tables I and II."""
SIX = ("shuttle", "balloon", "soybean_small", "zoo", "soybean_large", "breastcancer")
"""Data sets of Table XI."""
TEN = (
    *("movie", "balloon", "soybean_small", "zoo", "hayes_roth", "voting", "breastcancer"),
    *("tic", "letter", "mushroom"),
)
"""Data sets of Fig. 2 in the order of its axis."""
FIVE = ("movie", "hayes_roth", "spect", "voting", "mushroom")
"""Data sets of Table XII."""
BALLOONS = ("balloon", "balloon_adult_stretch", "balloon_yellow_small")
"""The files of Balloon that have 20 rows."""
LEVEL = 0.05
"""Level of the tests of the paper."""


Means = dict[tuple[str, str, str], dict[str, float]]
"""Mean score by measure, for each data set, algorithm and score."""


# --- records -------------------------------------------------------------------------------------


def present(records: pd.DataFrame) -> pd.DataFrame:
    """Records of the data sets that could be had."""
    return records[records["status"] == OK]


def worked_values(job: Job) -> dict[tuple[str, str], Mapping[str, Any]]:
    """Records of the worked values by data set and printed name."""
    records = job.ok("worked")
    values = records[records["kind"] == VALUE]
    return {(row["dataset"], row["quantity"]): row for row in values.to_dict("records")}


def growth_rate(
    data: Iterable[Mapping[str, Any]], quantity: str, what: str, axis: str
) -> float | None:
    """Slope by which a number grows, see the legend of the table; None below three points."""
    points = [
        (float(row[axis]), float(row["value"]))
        for row in data
        if (row["quantity"], row["what"], row["axis"]) == (quantity, what, axis)
        # two values make one comparison and one attribute none: nothing grows yet
        and float(row[axis]) > 2
    ]
    if len(points) < 2:
        return None
    if what == POWER and axis == "values":
        x = [size for size, _ in points]
        y = [math.log2(value / size**2) for size, value in points]
    else:
        x = [math.log(size) for size, _ in points]
        y = [math.log(value) for _, value in points]
    return statistics.linear_regression(x, y).slope


def mean_and_sd(scores: pd.Series) -> dict[str, float | None]:
    """Mean of some scores and their standard deviation, which a single one lacks."""
    return {"mean": float(scores.mean()), "sd": float(scores.std()) if len(scores) > 1 else None}


def change(records: pd.DataFrame, score: str, over: str = "add") -> Reproduced:
    """Relative change of the mean score from one dissimilarity to CADO.

    Parameters
    ----------
    records : DataFrame
        Records of the experiment ``partitions`` for one data set and one algorithm.
    score : str
        Column.
    over : str
        Dissimilarity that CADO is compared with.

    Returns
    -------
    Reproduced
        Its standard deviation is that of a ratio of two runs that start apart, to first order.
    """
    ours, other = (records.loc[records["measure"] == name, score] for name in ("cado", over))
    ratio = ours.mean() / other.mean()
    moved, other_moved = (
        mean_moved(records[records["measure"] == name].get("moved", ())) for name in ("cado", over)
    )
    rounding = float((moved + ratio * other_moved) / other.mean())
    if len(ours) < 2:
        return Reproduced(float(ratio - 1), rounding=rounding)
    sd = math.sqrt(ours.var() + ratio**2 * other.var()) / other.mean()
    return Reproduced(float(ratio - 1), sd=float(sd), runs=len(ours), rounding=rounding)


def firsts(values: Mapping[str, float | None], more_is_better: bool) -> set[str]:
    """Names with the best number, several if they tie; none if nothing tells them apart.

    Parameters
    ----------
    values : mapping of str to float or None
        Undefined numbers never win.
    more_is_better : bool
        Direction.
    """
    known = {name: value for name, value in values.items() if value is not None}
    if len(known) < 2 or max(known.values()) - min(known.values()) <= 1e-9:
        return set()
    best = (max if more_is_better else min)(known.values())
    return {name for name, value in known.items() if math.isclose(value, best, rel_tol=1e-9)}


def count_firsts(data: Iterable[Mapping[str, Any]]) -> dict[tuple[str, str], int]:
    """Data sets, with all their rows, on which a measure is first, by measure and index."""
    counts = {(measure, key): 0 for measure in MEASURES for key in INDICES}
    for row in data:
        for key in INDICES:
            if row["rows"] == ALL_ROWS and row[f"{key}_first"] == "yes":
                counts[row["measure"], key] += 1
    return counts


def best_threshold(curve: pd.DataFrame) -> float:
    """Threshold with the highest sum of the three scores, a mean over row orders (oracle).

    Parameters
    ----------
    curve : DataFrame
        Records of the experiment ``rock`` for one data set and one method.

    Returns
    -------
    float
        The smallest of several.
    """
    sums = curve.groupby("theta")[list(SCORES)].mean().sum(axis="columns")
    return float(sums[sums >= sums.max() - 1e-9].index.min())


def at_best_threshold(records: pd.DataFrame) -> pd.DataFrame:
    """Records of every data set and method at its own best threshold."""
    import pandas as pd

    return pd.concat(
        [
            part[part["theta"] == best_threshold(part)]
            for _, part in records.groupby(["dataset", "method"], sort=False)
        ]
    )


def compare_rocks(data: Iterable[Mapping[str, Any]], own: str) -> tuple[int, int, int]:
    """Scores in which CROCK is better, equal and worse on the data sets of the paper."""
    cells: dict[tuple[str, str], dict[str, float]] = {}
    for row in data:
        if row["own"] == own and row["counted"] == "yes":
            cells.setdefault((row["dataset"], row["score"]), {})[row["method"]] = float(row["mean"])
    gaps = [cell["crock"] - cell["rock"] for cell in cells.values()]
    better = sum(gap > 1e-9 for gap in gaps)
    equal = sum(abs(gap) <= 1e-9 for gap in gaps)
    return better, equal, len(gaps) - better - equal


# --- what the claims are counted on --------------------------------------------------------------


def worked(evidence: Evidence, dataset: str) -> dict[str, Mapping[str, Any]]:
    """Worked values of one example by their printed name."""
    records = evidence.experiment("worked", [dataset])
    records = records[(records["dataset"] == dataset) & (records["kind"] == "value")]
    return {row["quantity"]: row for row in records.to_dict("records")}


def printed_values(evidence: Evidence, quantities: Sequence[str]) -> list[float]:
    """Numbers that the text prints for worked values."""
    cells = evidence.printed[evidence.printed["artefact"] == "text"].set_index("metric")
    return [float(cells.loc[name, "value"]) for name in quantities]


def statements(evidence: Evidence, names: Sequence[str]) -> list[dict[str, Any]]:
    """Records of the table `theory` about some statements: cases, exceptions, where tried."""
    records = evidence.table("theory")
    evidence.need(records, "statement", names)
    return records.set_index("statement", drop=False).loc[list(names)].to_dict("records")


def structure(evidence: Evidence) -> pd.DataFrame:
    """Indices of Fig. 2 on all rows of its ten data sets."""
    found = evidence.table("fig02")
    evidence.need(found, "dataset", TEN)
    return found[found["rows"] == ALL_ROWS]


def better_by_add(found: pd.DataFrame) -> dict[str, int]:
    """Data sets of Fig. 2 on which ADD is better than both SMD and OFD, by index."""
    cells = found.set_index(["dataset", "measure"])
    better = {}
    for key, more in INDICES.items():
        sign = 1 if more else -1
        rows = [[sign * cells.loc[(name, m), key] for m in ("add", "smd", "ofd")] for name in TEN]
        better[key] = sum(add > max(smd, ofd) + EQUAL for add, smd, ofd in rows)
    return better


def gains_against_size(found: pd.DataFrame, over: str) -> tuple[float, float]:
    """Rank correlation, with its p, of the number of objects and CADO's gain in RD over another."""
    from scipy import stats

    cells = found.set_index(["dataset", "measure"])
    sizes = [cells.loc[(name, "cado"), "objects"] for name in TEN]
    gains = [cells.loc[(name, "cado"), "rd"] / cells.loc[(name, over), "rd"] for name in TEN]
    rank = stats.spearmanr(sizes, gains)
    return float(rank.statistic), float(rank.pvalue)


def partition_means(evidence: Evidence) -> tuple[Means, dict[str, str]]:
    """Means of Table XI, and the algorithms under the paper's names."""
    found = evidence.table("table11")
    found = found[found["algorithm"].notna()]
    evidence.need(found, "dataset", SIX)
    means: Means = {}
    for row in found.to_dict("records"):
        key = (row["dataset"], row["algorithm"], row["score"])
        means.setdefault(key, {})[row["measure"]] = row["mean"]
    main = found[found["main"].notna()].drop_duplicates("main")
    return means, dict(zip(main["main"], main["algorithm"], strict=True))


def cells_of(means: Means, algorithm: str) -> list[dict[str, float]]:
    """Means of one algorithm by measure, one record per data set and score."""
    return [one for (_, name, _), one in means.items() if name == algorithm]


def changes(means: Means, algorithm: str, score: str) -> dict[str, float]:
    """Relative change of a mean from ADD to CADO, by data set of Table XI."""
    cells = {dataset: means[dataset, algorithm, score] for dataset in SIX}
    return {dataset: row["cado"] / row["add"] - 1 for dataset, row in cells.items()}


def printed_extremes(evidence: Evidence, key: str, metrics: Sequence[str]) -> list[float]:
    """Printed least and greatest change of an algorithm (``KM`` or ``SC``)."""
    cells = evidence.printed[evidence.printed["method_id"] == f"{key.lower()}_cado_vs_add"]
    cells = cells.set_index("metric")["value"]
    return [float(cells[metric]) for metric in metrics]


def balloon_ratios(evidence: Evidence) -> tuple[float, float]:
    """Least and greatest CADO / ADD over pairs of objects in the Balloon files of 20 rows."""
    bounds = evidence.experiment("bounds", BALLOONS).set_index("dataset").loc[list(BALLOONS)]
    return float(bounds["ratio_least"].min()), float(bounds["ratio_greatest"].max())


def tests(evidence: Evidence, keep: Callable[[str], bool], over: str = "data sets") -> pd.DataFrame:
    """Tests of some families, over the data sets or within each."""
    found = evidence.table("significance")
    inside = found["over"] == over
    return found[inside & found["family"].map(keep)]


def rocks(evidence: Evidence) -> list[dict[str, Any]]:
    """Rows of Table XII, all five data sets being there."""
    found = evidence.table("table12")
    evidence.need(found, "dataset", FIVE)
    return found.to_dict("records")


def thresholds_on_voting(evidence: Evidence) -> dict[str, pd.Series]:
    """Mean of the three scores by threshold on Voting, for ROCK and CROCK."""
    found = evidence.experiment("rock", ["voting"])
    found = found[found["dataset"] == "voting"]
    return {
        str(method): part.groupby("theta")[list(SCORES)].mean().mean(axis="columns")
        for method, part in found.groupby("method")
    }
