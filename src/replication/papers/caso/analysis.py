"""What the tables and claims of CASO are made of: records to numbers, without words."""

from __future__ import annotations

import math
import statistics
from collections import Counter
from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any

from replication.judge.cells import mean_moved
from replication.judge.claims import EQUAL
from replication.judge.verdicts import Reproduced
from replication.papers.caso.bibliographic import FIELDS, MERGED
from replication.papers.caso.clusterings import main_algorithms as algorithms_of
from replication.papers.caso.costs import POWER
from replication.papers.caso.examples import VALUE
from replication.papers.caso.rocks import SCORES
from replication.papers.caso.structure import ALL_ROWS

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


# --- records -------------------------------------------------------------------------------------


def main_algorithms(job: Job) -> dict[str, str]:
    """Algorithms of the first reading under the paper's names."""
    return algorithms_of(lambda question: job.choice(question, job.readings[0]))


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
    exponential = what == POWER and axis == "values"
    x = [size if exponential else math.log(size) for size, _ in points]
    y = [math.log2(v / size**2) if exponential else math.log(v) for size, v in points]
    return statistics.linear_regression(x, y).slope


def mean_and_sd(scores: pd.Series) -> dict[str, float | None]:
    """Mean of some scores and their standard deviation, which a single one lacks."""
    return {"mean": float(scores.mean()), "sd": float(scores.std()) if len(scores) > 1 else None}


def summary(scores: pd.Series) -> dict[str, Any]:
    """Mean, spread and number of some scores."""
    ends = {"low": float(scores.min()), "high": float(scores.max())}
    return {**mean_and_sd(scores), **ends, "n": len(scores)}


def change(records: pd.DataFrame, score: str) -> Reproduced:
    """Relative change of the mean score from ADD to CADO.

    Parameters
    ----------
    records : DataFrame
        Records of the experiment ``partitions`` for one data set and one algorithm.
    score : str
        Column.

    Returns
    -------
    Reproduced
        Its standard deviation is that of a ratio of two runs that start apart, to first order.
    """
    sides = [records[records["measure"] == name] for name in ("cado", "add")]
    ours, other = (side[score] for side in sides)
    moved, other_moved = (mean_moved(side.get("moved", ())) for side in sides)
    ratio = ours.mean() / other.mean()
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


def count_firsts(data: Iterable[Mapping[str, Any]]) -> Counter[tuple[str, str]]:
    """Data sets, with all their rows, on which a measure is first, by measure and index."""
    return Counter(
        (row["measure"], key)
        for row in data
        for key in INDICES
        if row["rows"] == ALL_ROWS and row[f"{key}_first"] == "yes"
    )


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

    curves = records.groupby(["dataset", "method"], sort=False)
    return pd.concat([curve[curve["theta"] == best_threshold(curve)] for _, curve in curves])


def compare_rocks(data: Iterable[Mapping[str, Any]], own: str) -> tuple[int, int, int]:
    """Scores in which CROCK is better, equal and worse on the data sets of the paper."""
    means = {
        (row["dataset"], row["score"], row["method"]): float(row["mean"])
        for row in data
        if row["own"] == own and row["counted"] == "yes"
    }
    gaps = [means[*cell, "crock"] - rock for (*cell, name), rock in means.items() if name == "rock"]
    better = sum(gap > 1e-9 for gap in gaps)
    equal = sum(abs(gap) <= 1e-9 for gap in gaps)
    return better, equal, len(gaps) - better - equal


# --- what the claims are counted on --------------------------------------------------------------


def worked(evidence: Evidence, dataset: str) -> pd.DataFrame:
    """Worked values of one example, number and exact text, by their printed name."""
    records = evidence.experiment("worked", [dataset])
    records = records[(records["dataset"] == dataset) & (records["kind"] == VALUE)]
    return records.set_index("quantity")[["value", "exact"]]


def structure(evidence: Evidence) -> pd.DataFrame:
    """Indices of Fig. 2 on all rows of its ten data sets."""
    found = evidence.need(evidence.table("fig02"), "dataset", TEN)
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

    cells = found.set_index("dataset").loc[list(TEN)]
    ours, other = (cells[cells["measure"] == name] for name in ("cado", over))
    rank = stats.spearmanr(ours["objects"], ours["rd"] / other["rd"])
    return float(rank.statistic), float(rank.pvalue)


def partition_means(evidence: Evidence) -> tuple[dict[str, pd.DataFrame], dict[str, str]]:
    """Means of Table XI, and the algorithms under the paper's names.

    By algorithm: a row per data set and score, a column per measure.
    """
    table = evidence.table("table11").dropna(subset="algorithm")
    found = evidence.need(table, "dataset", SIX)
    means = {
        str(algorithm): part.pivot_table("mean", ["dataset", "score"], "measure", "first")
        for algorithm, part in found.groupby("algorithm", sort=False)
    }
    main = found.dropna(subset="main").drop_duplicates("main")
    return means, dict(zip(main["main"], main["algorithm"], strict=True))


def tests(evidence: Evidence, about: str = "", over: str = "data sets") -> pd.DataFrame:
    """Tests of a comparison, or of all, over the data sets or within each."""
    found = evidence.table("significance")
    return found[(found["over"] == over) & found["family"].str.endswith(about)]


def rocks(evidence: Evidence) -> list[dict[str, Any]]:
    """Rows of Table XII, all five data sets being there."""
    return evidence.need(evidence.table("table12"), "dataset", FIVE).to_dict("records")


# --- clusters of authors and venues ---------------------------------------------------------------


def over_tables(
    frame: pd.DataFrame, attribute: str, method: str, stage: str = MERGED, over: str = "tables"
) -> pd.DataFrame:
    """Records of a method on all tables, one run each, sorted by table; or on the first, all runs.

    Authors are known by last names, and sole authors repeated, as in the paper.

    Parameters
    ----------
    frame : DataFrame
        Records of `replication.papers.caso.bibliographic.value_clusters`, one source.
    attribute : str
        ``first_author`` or ``venue``.
    method, stage : str
        Of `METHODS`, and `MERGED` or `ASSIGNED`.
    over : {"tables", "runs"}
        Which of the two.
    """
    picked = "attribute == @attribute and method == @method and stage == @stage"
    same, other = ("run", "draw") if over == "tables" else ("draw", "run")
    picked += f" and names == 'last' and sole == 'repeated' and {same} == 0"
    return frame.query(picked).sort_values(other)


def venue_clusters(papers: pd.DataFrame, method: str) -> pd.DataFrame:
    """Match the clusters of venues with the fields, and put the venues in order.

    Parameters
    ----------
    papers : DataFrame
        Records of `replication.papers.caso.bibliographic.venue_map`, one source.
    method : str
        Column with the cluster of the venue of each paper.

    Returns
    -------
    DataFrame
        By venue, from the bottom of the figure: the cluster of databases, then that of theory; in
        each the venues of the field itself first where databases end and last where theory ends,
        so that misplaced venues lie at the border. ``place`` from 1, ``cluster`` (the field that
        it is matched with; empty without a match), ``field`` of most papers, whether it is
        ``misplaced``, number of ``papers`` and of those in the field of the cluster (``hits``).
    """
    import pandas as pd
    from scipy.optimize import linear_sum_assignment

    counts = _crossed(papers, method)
    rows, columns = linear_sum_assignment(counts.to_numpy(), maximize=True)
    matched = {counts.index[r]: FIELDS[c] for r, c in zip(rows, columns, strict=True)}
    by_venue = _crossed(papers, "venue")
    # of as many papers of both fields, a venue is one of theory, the larger field
    own = (by_venue[FIELDS[0]] <= by_venue[FIELDS[1]]).map({False: FIELDS[0], True: FIELDS[1]})
    cluster = papers.groupby("venue")[method].first().map(lambda label: matched.get(label, ""))
    order = sorted(
        by_venue.index,
        key=lambda venue: (cluster[venue] != FIELDS[0], own[venue] != FIELDS[0], venue),
    )
    found = pd.DataFrame({"cluster": cluster, "field": own, "misplaced": cluster != own})
    found["papers"] = by_venue.sum(axis="columns")
    found["hits"] = sum(by_venue[field].where(cluster == field, 0) for field in FIELDS)
    return found.loc[order].assign(place=range(1, len(order) + 1))


def _crossed(papers: pd.DataFrame, column: str) -> pd.DataFrame:
    """Numbers of papers by the labels of a column and by field."""
    import pandas as pd

    counts = pd.crosstab(papers[column], papers["field"])
    return counts.reindex(columns=list(FIELDS), fill_value=0)
