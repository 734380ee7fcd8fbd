"""What the tables and claims of CDE are made of: records to numbers, without words."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import TYPE_CHECKING

import pandas as pd

from replication.errors import UserError
from replication.judge.claims import count, met
from replication.judge.times import MUCH, Power, Seconds, every, faster, mean, power
from replication.papers.cde.runs import printed_table, table_of_runs

if TYPE_CHECKING:
    from replication.judge.claims import Count, Evidence

FIRST = "reconciled"
HIGH_FCI = ("wisconsin", "soybean_small", "mammographic", "zoo", "dermatology")
"""Data sets that the text names as having a high FCI."""
LOW_FCI = ("adult", "primary_tumor")
"""Data sets that the text names as having a low FCI."""
SWEPT = ("adult", "dermatology", "wisconsin", "primary_tumor")
"""Data sets of Figs 2 and 3, said to have the largest |O|, |V|, FCI and VCI, in this order."""
STABLE = 0.05
"""A dimension is stable from where it stays within this share of its value at the largest alpha."""
HALF_ORDER = 10**0.5
"""Half an order of magnitude: a ratio is about 10 from 10 / this to 10 times this."""

# --- records -------------------------------------------------------------------------------------


def stable_from(records: pd.DataFrame) -> float:
    """Smallest alpha from which on the number of value clusters is stable, see `STABLE`."""
    means = records.groupby("alpha")["clusters"].mean().sort_index()
    limit = STABLE * means.iloc[-1]
    unstable = means.index[(means - means.iloc[-1]).abs() > limit]
    later = means.index[means.index > unstable.max()] if len(unstable) else means.index
    return float(later[0])


def decreasing_from(records: pd.DataFrame) -> float:
    """Smallest beta at which the mean dimension is lower than at the smallest beta.

    Raises
    ------
    UserError
        If there is none.
    """
    means = records.groupby("beta")["dimension"].mean().sort_index()
    lower = means.index[means < means.iloc[0]]
    if not len(lower):
        raise UserError(
            "config/papers/cde.yaml: experiments.beta.parameters.beta: the dimension is the same "
            "for every beta; add larger ones"
        )
    return float(lower[0])


def thresholds(
    records: pd.DataFrame, rule: Callable[[pd.DataFrame], float], measure: str = "cde"
) -> dict[str, float]:
    """Threshold of ``alpha`` or ``beta`` on each data set, by one of the rules above."""
    groups = records[records["measure"] == measure].groupby("dataset", sort=False)
    return {str(name): rule(group) for name, group in groups}


def means_along(
    records: pd.DataFrame, parameter: str, dimensions: Mapping[str, str]
) -> dict[tuple[str, str], list[dict[str, float]]]:
    """Means over embeddings by data set and measure, one mapping per ``alpha`` or ``beta``.

    `dimensions` names columns of the records; ``dimension`` comes with its standard deviation.
    """
    found = {}
    for (dataset, measure, value), group in records.groupby(["dataset", "measure", parameter]):
        runs, sizes = table_of_runs(group), group.drop_duplicates("embedding")
        found.setdefault((dataset, measure), []).append(
            {parameter: float(value)}
            | {name: float(sizes[column].mean()) for name, column in dimensions.items()}
            | {"dimension_sd": float(sizes[dimensions["dimension"]].std(ddof=0))}
            | {"fscore": runs.mean, "standard_error": runs.standard_error}
            | {"embeddings": len(runs.scores)}
        )
    return found


def empty_share(records: pd.DataFrame) -> pd.Series:
    """Share of the embeddings without any dimension, by data set and measure."""
    return (records["dimension"] == 0).groupby([records["dataset"], records["measure"]]).mean()


def pair_totals(tables: pd.DataFrame, *counts: str) -> dict[str, int]:
    """Pairs of values of each sort over all tables."""
    return tables[list(counts)].sum().astype(int).to_dict()


def slowdown(records: pd.DataFrame, scale: Callable[[float], float] = float) -> dict[str, float]:
    """Time of CDE over the mean of other embeddings on a scale: count, median, min, max of sets."""
    if records.empty:
        return {"count": 0}
    done = records[(records["status"] == "ok") & (records["kind"] == "embedding")]
    seconds = done.pivot_table("seconds", "dataset", "method")
    ratios = (seconds["cde"] / seconds.drop(columns="cde").mean(axis=1)).map(scale)
    return ratios.agg(["count", "median", "min", "max"]).to_dict()


def speed(records: pd.DataFrame) -> tuple[list[bool | None], list[bool | None]]:
    """By data set, whether CDE takes about ten times the mean of other embeddings (`HALF_ORDER`).

    Then, by data set and similarity, whether it is more than `MUCH` times faster.
    """
    tenfold, much = [], []
    for _, rows in records.groupby("dataset", sort=False):
        times = {
            kind: {row["method"]: Seconds.of(row) for row in some.to_dict("records")}
            for kind, some in rows.groupby("kind")
        }
        mine = times["embedding"].pop("cde")
        theirs = HALF_ORDER * mean(times["embedding"].values())
        tenfold.append(every([faster(theirs, mine), faster(mine, 10 * theirs)]))
        much += [faster(MUCH * mine, one) for one in times.get("similarity", {}).values()]
    return tenfold, much


def growth(records: pd.DataFrame, work: str) -> Power:
    """Exponent by which the time of one part of the work grows with its size."""
    rows = records[records["work"] == work].to_dict("records")
    return power({int(row["size"]): Seconds.of(row) for row in rows})


# --- what the claims are counted on --------------------------------------------------------------


def datasets_of(evidence: Evidence, artefact: str) -> list[str]:
    """Data sets of Table 1 or 2, in the printed order."""
    return list(printed_scores(evidence, artefact).index)


def printed_scores(evidence: Evidence, artefact: str) -> pd.DataFrame:
    """Printed F-scores, data sets in rows and methods in columns; NaN where there is none."""
    cells = evidence.printed.query("artefact == @artefact and metric == 'fscore'")
    names = [name for name in cells["dataset_id"].unique() if name != "average"]
    return printed_table(cells).loc[names].replace("", "nan").astype(float)


def averages_of_nine(evidence: Evidence) -> tuple[pd.Series, pd.Series, list[str]]:
    """Averages of the first nine rows of Table 2, and whether they are printed, by method.

    Then the data sets without which all averages of the others are as printed.
    """
    nine = printed_scores(evidence, "table02").iloc[:9]
    cells = evidence.printed.query("artefact == 'table02' and dataset_id == 'average'")
    averages = cells.set_index("method_id")["value"].astype(float)

    def as_printed(rows: pd.DataFrame) -> pd.Series:
        return (rows.mean() - averages[rows.columns]).abs() <= 0.001

    fit = [name for name in nine.index if as_printed(nine.drop(index=name)).all()]
    return nine.mean(), as_printed(nine), fit


def both(
    evidence: Evidence, artefact: str, datasets: Sequence[str] = ()
) -> tuple[pd.DataFrame, pd.DataFrame]:
    """Our mean F-scores and the printed ones, of some data sets (all if empty) by methods."""
    printed = printed_scores(evidence, artefact)
    names = list(datasets or printed.index)
    rows = evidence.table(artefact, FIRST)
    rows = rows[(rows["metric"] == "fscore") & rows["reproduced"].notna()]
    evidence.need(rows, "dataset", names)
    ours = rows.pivot_table("reproduced", "dataset", "method", aggfunc="first")
    return ours.loc[names], printed.loc[names]


def printed_factor(evidence: Evidence, metric: str) -> pd.Series:
    """A printed size or factor, such as ``objects`` or ``FCI``, by data set."""
    cells = evidence.printed[evidence.printed["metric"] == metric]
    return cells.set_index("dataset_id")["value"].astype(float)


def factors(evidence: Evidence, datasets: Sequence[str] = ()) -> pd.DataFrame:
    """Sizes and factors that we count, by data set."""
    found = evidence.experiment("factors", datasets).set_index("dataset")
    return found.loc[list(datasets)] if datasets else found


def largest(evidence: Evidence, metrics: Sequence[str]) -> tuple[dict[str, str], list[str]]:
    """Data set of Table 1 with the largest of each size or factor, ours by name and as printed."""
    data = factors(evidence, datasets_of(evidence, "table01"))
    ours = {name.lower(): str(data[name.lower()].idxmax()) for name in metrics}
    return ours, [printed_factor(evidence, name).idxmax() for name in metrics]


def best_on(
    evidence: Evidence, artefact: str, method: str, datasets: Sequence[str] = ()
) -> list[dict[str, bool | None]]:
    """Whether a method is ahead, ours and in print, by data set; None where one has no number."""

    def leads(row: pd.Series) -> bool | None:
        return None if row.isna().any() else evidence.ahead(row[method], row.drop(method).max())

    tables = both(evidence, artefact, datasets)
    return [{str(name): leads(row) for name, row in table.iterrows()} for table in tables]


def clearly_ahead(
    evidence: Evidence, artefact: str, method: str, others: Sequence[str], datasets: Iterable[str]
) -> int:
    """Data sets on which a mean leads all `others` by two standard errors of the difference."""
    rows = evidence.table(artefact, FIRST)
    rows = rows[(rows["metric"] == "fscore") & (rows["method"] != "")]
    # cells that the paper leaves empty have no verdict, and their runs stand under trials
    rows = rows.assign(error=rows["sd"] / rows["samples"].fillna(rows["trials"]) ** 0.5)
    cells = rows.pivot_table(["reproduced", "error"], "dataset", "method", aggfunc="first")
    mean, error = (cells[name].loc[list(datasets)] for name in ("reproduced", "error"))
    leads = [
        mean[method] - mean[other] > 2 * (error[method] ** 2 + error[other] ** 2) ** 0.5
        for other in others
    ]
    return sum(map(all, zip(*leads, strict=True)))


def agreeing(evidence: Evidence, rows: pd.DataFrame) -> Count:
    """Rows that agree with the print; all have to be computed."""
    done = rows[rows["verdict"] != "not run"]
    if len(done) < len(rows):
        evidence.need(done, "dataset", set(rows["dataset"]))
    return count(met(done))


def mean_distance(rows: pd.DataFrame) -> float:
    """Mean absolute difference of our numbers from the printed ones."""
    return rows["difference"].abs().mean()


def rank_correlation(one: pd.Series, other: pd.Series) -> float:
    """Spearman's rank correlation over the index of the first."""
    from scipy.stats import spearmanr

    return float(spearmanr(one, other.loc[one.index]).statistic)


def in_order(one: pd.Series, other: pd.Series) -> Count:
    """Pairs of entries that two series order alike, of the pairs that both order."""
    return count(
        (one[a] - one[b]) * (other[a] - other[b]) > 0
        for a, b in itertools.combinations(one.index, 2)
        if one[a] != one[b] and other[a] != other[b]
    )


def all_tables(evidence: Evidence) -> pd.DataFrame:
    """Data sets and random tables, these each once more with the first attribute repeated."""
    random = evidence.experiment("random_tables").query("kind != 'planted'")
    sets = evidence.experiment("factors").assign(kind="data sets")
    return pd.concat([sets, random], ignore_index=True)


def sweep(evidence: Evidence, parameter: str, mean: str) -> pd.DataFrame:
    """A mean along ``alpha`` (Fig. 2) or ``beta`` (Fig. 3), first reading; data sets in columns."""
    rows = evidence.table({"alpha": "fig02", "beta": "fig03"}[parameter], FIRST)
    evidence.need(rows, "dataset", SWEPT)
    return rows.pivot_table(mean, parameter, "dataset")[list(SWEPT)]


def ranges(curves: pd.DataFrame) -> pd.Series:
    """Distance of the largest from the least value of each column."""
    return curves.max() - curves.min()


def constant(curves: pd.DataFrame, share: float) -> Count:
    """Columns that stay within a share of their largest value."""
    return count(ranges(curves) <= share * curves.max())


def falling(curves: pd.DataFrame) -> Count:
    """Columns that never rise and are lower in the end."""
    return count((curves.diff().iloc[1:] <= 0).all() & (curves.iloc[0] > curves.iloc[-1]))


def storage(evidence: Evidence) -> pd.DataFrame:
    """By data set the ``columns`` of an embedding, and the ``ratio`` of objects to them.

    A matrix over all pairs holds so many times as many numbers; least ratio first.
    """
    rows = evidence.experiment("embeddings", ["adult"]).query("measure == 'cde'")
    sizes = evidence.experiment("factors", ["adult"]).set_index("dataset")
    columns = rows.groupby("dataset")["dimension"].mean() * sizes["attributes"]
    found = sizes.assign(columns=columns, ratio=sizes["objects"] / columns)
    return found.dropna(subset="ratio").sort_values("ratio")[["columns", "ratio"]]


def nmi_beside_fscore(evidence: Evidence) -> pd.DataFrame:
    """Rank correlation ``rho`` over the embeddings of Table 1; whether the best is the ``same``."""
    records = evidence.experiment("embeddings").query("measure != 'cde_printed'")
    groups = records.groupby(["dataset", "measure"])[["fscore", "nmi"]].mean().groupby("dataset")
    best = groups.idxmax()
    rho = {name: rank_correlation(group["fscore"], group["nmi"]) for name, group in groups}
    return pd.DataFrame({"rho": rho, "same": best["fscore"] == best["nmi"]})
