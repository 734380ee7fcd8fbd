"""What the tables and claims of CASO are made of: records to numbers, without words."""

from __future__ import annotations

import itertools
import math
import statistics
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from typing import TYPE_CHECKING, Any

import pandas as pd

from replication.judge.cells import mean_moved
from replication.judge.claims import EQUAL
from replication.judge.times import Seconds
from replication.judge.verdicts import Reproduced
from replication.papers.caso.bibliographic import ASSIGNED, FIELDS, MERGED, METHODS
from replication.papers.caso.clusterings import KMODES, SPECTRAL
from replication.papers.caso.clusterings import main_algorithms as algorithms_of
from replication.papers.caso.costs import POWER
from replication.papers.caso.examples import RELATIONS, VALUE
from replication.papers.caso.rocks import SCORES
from replication.papers.caso.significance import best_threshold
from replication.papers.caso.structure import ALL_ROWS

if TYPE_CHECKING:
    from replication.judge.claims import Evidence
    from replication.show.job import Job

MEASURES = {"smd": "SMD", "ofd": "OFD", "add": "ADD", "cado": "CADO"}
"""The four dissimilarities that the paper compares."""
INDICES = {"rd": True, "dbi": False, "di": True, "sd_max": False, "sd_mean": False}
"""Indices that are compared, and whether more is better."""
PARTITION_SCORES = {"ac": "AC", "nmi": "NMI"}
"""Scores of Table XI."""
METRICS = {"precision": "Pr", "specificity": "Sp", "accuracy": "AC"}
"""Scores of Table XIII."""
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


def defined(value: float) -> float | None:
    """The number, None for NaN."""
    return None if math.isnan(value) else float(value)


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


def evaluations_at_most_values(growth: pd.DataFrame) -> tuple[int, pd.Series]:
    """Largest R of the synthetic tables, and the evaluations per comparison there by relation."""
    tables = growth[growth["axis"] == "values"]
    largest = tables["values"].max()
    return largest, tables[tables["values"] == largest].set_index("relation")["per_comparison"]


def mean_evaluations(counts: Mapping[str, Any]) -> dict[str, float]:
    """Evaluations per comparison of two values on one data set, by relation."""
    return {name: int(counts[name]) / int(counts["comparisons"]) for name in RELATIONS}


def extreme(bounds: pd.DataFrame, measure: str, end: str) -> pd.Series:
    """Least or greatest ``iaasv``, ``ieasv`` or ``casv`` of values, equal ones too, by data set."""
    ends = bounds[[f"{measure}_{which}_{end}" for which in ("apart", "self")]]
    return ends.min(axis="columns") if end == "least" else ends.max(axis="columns")


def mean_and_sd(scores: pd.Series) -> dict[str, float | None]:
    """Mean of some scores and their standard deviation, which a single one lacks."""
    return {"mean": float(scores.mean()), "sd": float(scores.std()) if len(scores) > 1 else None}


def summary(scores: pd.Series) -> dict[str, Any]:
    """Mean, spread and number of some scores."""
    ends = {"low": float(scores.min()), "high": float(scores.max())}
    return {**mean_and_sd(scores), **ends, "n": len(scores)}


def change(records: pd.DataFrame, score: str) -> Reproduced:
    """Relative change of a mean score from ADD to CADO on one data set by one algorithm.

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


def changes(records: pd.DataFrame, score: str) -> dict[str, Reproduced]:
    """The `change` on one data set by algorithm."""
    parts = records.groupby("algorithm", sort=False)
    return {str(algorithm): change(part, score) for algorithm, part in parts}


def partition_scores(records: pd.DataFrame) -> Iterator[dict[str, Any]]:
    """Mean scores of one data set, by algorithm, measure and score; beside CADO's the `change`."""
    for algorithm in (*KMODES.values(), *SPECTRAL.values()):
        whole = records[records["algorithm"] == algorithm]
        for measure in MEASURES:
            part = whole[whole["measure"] == measure]
            for score in PARTITION_SCORES if len(part) else ():
                row = {"algorithm": algorithm, "measure": measure, "score": score}
                row |= {**mean_and_sd(part[score]), "runs": len(part)}
                yield row | ({"change": change(whole, score).value} if measure == "cado" else {})


def structure_indices(records: pd.DataFrame) -> Iterator[dict[str, Any]]:
    """Indices of one data set by its rows and by measure, undefined ones None.

    ``rd_first`` and the like tell whether a measure is among the `firsts` of the four.
    """
    numbers = [*INDICES, "dbi_mode", "di_mean", "max_over_mean"]
    order = [*MEASURES, *records["measure"].unique()]
    for which, part in records.groupby("rows", sort=False):
        rows = part.set_index("measure")[numbers].to_dict("index")
        values = {m: {key: defined(row[key]) for key in numbers} for m, row in rows.items()}
        best = {k: firsts({m: values[m][k] for m in MEASURES}, more) for k, more in INDICES.items()}
        sizes = {"rows": which, "objects": int(part["objects"].iloc[0])}
        for measure in sorted(values, key=order.index):
            first = {f"{key}_first": "yes" if measure in best[key] else "no" for key in INDICES}
            yield {**sizes, "measure": measure, **values[measure], **first}


def out_of_proportion(data: Iterable[Mapping[str, Any]]) -> Mapping[str, Any]:
    """Row in which rare values carry most of CADO for their share of the comparisons."""
    return max(
        (row for row in data if row["measure"] == "cado"),
        key=lambda row: row["distance"] / row["comparisons"] if row["comparisons"] else 0.0,
    )


def firsts(values: Mapping[str, float | None], more_is_better: bool) -> set[str]:
    """Names with the best number, several if they tie; none if nothing tells them apart.

    Undefined numbers, None, never win.
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


def rock_scores(records: pd.DataFrame, fixed: float) -> Iterator[dict[str, Any]]:
    """Mean scores of one data set by method, at its best threshold (``own``) and at a fixed one."""
    for method, curve in records.groupby("method", sort=False):
        for own, theta in (("yes", best_threshold(curve)), ("no", fixed)):
            part = curve[curve["theta"] == theta]
            setting = {"method": method, "own": own, "oracle": own, "theta": theta}
            near = {"orders": len(part), "neighbours": float(part["neighbours"].mean())}
            for score in SCORES:
                yield {**setting, "score": score, **mean_and_sd(part[score]), **near}


def threshold_curve(records: pd.DataFrame, objects: int) -> Iterator[dict[str, Any]]:
    """Means over row orders of one data set, by method and threshold.

    ``score`` is the mean of the three, ``share`` that of the neighbours in the other objects;
    ``best`` tells whether the threshold is the best of the method (oracle).
    """
    for method, curve in records.groupby("method", sort=False):
        best = best_threshold(curve)
        for theta, runs in curve.groupby("theta"):
            scores = summary(runs[list(SCORES)].mean(axis="columns"))
            near = float(runs["neighbours"].mean())
            yield {
                **{"method": method, "theta": theta, "best": theta == best},
                **{"score": scores["mean"], "least": scores["low"], "greatest": scores["high"]},
                **{"neighbours": near, "share": near / (objects - 1)},
                "clusters": float(runs["clusters"].mean()),
            }


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


def partition_means(evidence: Evidence) -> tuple[pd.DataFrame, dict[str, str]]:
    """Means of Table XI by algorithm, data set and score, a column per measure; main algorithms."""
    table = evidence.table("table11").dropna(subset="algorithm")
    found = evidence.need(table, "dataset", SIX)
    rows = ["algorithm", "dataset", "score"]
    means = found.dropna(subset="mean").pivot_table("mean", rows, "measure", "first", sort=False)
    main = found.dropna(subset="main").drop_duplicates("main")
    return means, dict(zip(main["main"], main["algorithm"], strict=True))


def mean_changes(cells: pd.DataFrame, score: str) -> pd.Series:
    """Relative change of a mean score from ADD to CADO by data set, from `partition_means`."""
    cells = cells.xs(score, level="score").loc[list(SIX)]
    return cells["cado"] / cells["add"] - 1


def gains_over_smd(evidence: Evidence) -> tuple[pd.DataFrame, pd.Series]:
    """Gains of ADD and OFD over SMD in both algorithms of Table XI, and their means."""
    means, main = partition_means(evidence)
    cells = means.loc[list(main.values())]
    gains = cells[["add", "ofd"]].sub(cells["smd"], axis="index")
    return gains, gains.mean()


def cado_over_add(evidence: Evidence) -> tuple[float, float]:
    """Least and greatest CADO / ADD of the pairs of objects of the files of `BALLOONS`."""
    bounds = evidence.experiment("bounds", BALLOONS).set_index("dataset").loc[list(BALLOONS)]
    return bounds["ratio_least"].min(), bounds["ratio_greatest"].max()


def tests(evidence: Evidence, about: str = "", over: str = "data sets") -> pd.DataFrame:
    """Tests of a comparison, or of all, over the data sets or within each."""
    found = evidence.table("significance")
    return found[(found["over"] == over) & found["family"].str.endswith(about)]


def rocks(evidence: Evidence) -> list[dict[str, Any]]:
    """Rows of Table XII, all five data sets being there."""
    return evidence.need(evidence.table("table12"), "dataset", FIVE).to_dict("records")


# --- cost -----------------------------------------------------------------------------------------

Table = tuple[str | int, ...]
"""What tells a table: axis, values R and attributes n if it is synthetic, else its data set."""


def evaluations(evidence: Evidence) -> dict[Table, dict[str, float]]:
    """Evaluations by table and relation; on synthetic tables those that the reference counted."""
    found = evidence.experiment("growth").query("counted == 'yes'")
    parts = found.groupby(["axis", "values", "attributes"], sort=False)
    totals = {key: part.set_index("relation")["total"].to_dict() for key, part in parts}
    for row in evidence.experiment("evaluations").to_dict("records"):
        # whole numbers of up to a million digits
        totals[(row["dataset"],)] = {name: int(row[name]) for name in RELATIONS}
    return totals


def multiples_of_order(found: Mapping[Table, Mapping[str, float]]) -> dict[str, list[float]]:
    """`evaluations` of synthetic tables over n^2 R^2 2^R (power set) or n^2 R^3, by relation."""
    multiples: dict[str, list[float]] = {}
    for (_, values, attributes), totals in ((k, v) for k, v in found.items() if len(k) == 3):
        for relation, total in totals.items():
            size = 2**values if relation == POWER else values
            multiples.setdefault(relation, []).append(total / (attributes**2 * values**2 * size))
    return multiples


def times(evidence: Evidence) -> dict[Table, dict[str, Seconds]]:
    """Times of the reference code and of the compiled measures, by table."""
    found = {}
    sources = (
        (evidence.experiment("seconds"), ["axis", "values", "attributes"]),
        (evidence.experiment("seconds_data"), ["dataset"]),
    )
    for records, keys in sources:
        for key, part in records.groupby(keys, sort=False):
            found[key] = {row["what"]: Seconds.of(row) for row in part.to_dict("records")}
    return found


def pairs(
    found: Mapping[Table, Mapping[str, Any]], some: Iterable[str], other: str
) -> list[tuple[Any, Any]]:
    """What each of some things costs beside another one, by thing and table that has both."""
    costs = found.values()
    return [(c[one], c[other]) for one in some for c in costs if {one, other} <= c.keys()]


def ratios(found: Mapping[Table, Mapping[str, Seconds]], one: str, other: str) -> list[float]:
    """How many times as long one thing takes as another, by table."""
    return [long.least / short.least for long, short in pairs(found, [one], other)]


def reuse(evidence: Evidence) -> list[tuple[dict[str, Any], dict[str, Any]]]:
    """Records of value similarities that are kept, and that are computed again, by data set."""
    found = evidence.experiment("seconds_data")
    runs = found[found["what"].str.startswith("values ")].set_index("what")
    parts = [part.to_dict("index") for _, part in runs.groupby("dataset")]
    return [(part["values kept"], part["values computed again"]) for part in parts]


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


def author_scores(frame: pd.DataFrame) -> Iterator[dict[str, Any]]:
    """Scores and sizes of the clusters of first authors, by method, stage, runs or tables."""
    for key in itertools.product(METHODS, (MERGED, ASSIGNED), ("runs", "tables")):
        picked = over_tables(frame, "first_author", *key)
        about = dict(zip(("method", "stage", "over"), key, strict=True))
        for metric in (*METRICS, "smaller", "values") if len(picked) else ():
            whole = {"setting": picked["setting"].iloc[0], "all": picked["values"].mean()}
            yield {**about, "metric": metric, **summary(picked[metric]), **whole}


def one_cluster_scores(frame: pd.DataFrame) -> dict[str, float]:
    """Scores of the partition that puts all papers in one cluster, the larger field."""
    first = frame.iloc[0]
    share = float(1 - first["papers_database"] / first["papers"])
    return {"precision": share**2, "specificity": 1 - share, "accuracy": share}


def means_over_tables(frame: pd.DataFrame, attribute: str) -> pd.DataFrame:
    """Mean scores and sizes over the tables: a row per method, a column per score or size."""
    columns = [*METRICS, "smaller", "values"]
    return pd.DataFrame({m: over_tables(frame, attribute, m)[columns].mean() for m in METHODS}).T


def climbo_gain(frame: pd.DataFrame, rival: str, metric: str) -> tuple[float, float]:
    """One-sided p of CLIMBO (as printed) over a rival in a paired t-test over tables; mean gain."""
    from scipy.stats import ttest_1samp

    ours, other = (
        over_tables(frame, "first_author", method).set_index("draw")[metric]
        for method in ("climbo", rival)
    )
    gains = ours - other
    mean = float(gains.mean())
    if (gains == gains.iloc[0]).all():
        # no spread, no test: the sign decides
        return (0.0 if mean > 0 else 1.0), mean
    return float(ttest_1samp(gains, 0.0, alternative="greater").pvalue), mean


def accuracy_by_naming(frame: pd.DataFrame) -> tuple[pd.Series, int]:
    """Mean accuracy by method, names and sole authors over tables drawn in all ways; how many."""
    draws = frame[frame["names"] == "full"]["draw"].unique()
    frame = frame[frame["draw"].isin(draws)]
    frame = frame.query("attribute == 'first_author' and stage == 'merged' and run == 0")
    return frame.groupby(["method", "names", "sole"])["accuracy"].mean(), len(draws)


def paper_shares(venues: pd.DataFrame) -> tuple[float, float]:
    """Shares of the papers with a misplaced venue, and of those in the cluster of their field."""
    papers = venues["papers"].sum()
    wrong = venues.loc[venues["misplaced"], "papers"].sum()
    return float(wrong / papers), float(venues["hits"].sum() / papers)


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
    counts = pd.crosstab(papers[column], papers["field"])
    return counts.reindex(columns=list(FIELDS), fill_value=0)
