"""What the tables and claims of CDE are made of: records to numbers, without words."""

from __future__ import annotations

import itertools
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import TYPE_CHECKING

import pandas as pd

from replication.errors import UserError
from replication.judge.claims import cases, met
from replication.judge.times import Power, Seconds, power
from replication.papers.cde.runs import printed_table, table_of_runs

if TYPE_CHECKING:
    from replication.judge.claims import Evidence

FIRST = "reconciled"
HIGH_FCI = ("wisconsin", "soybean_small", "mammographic", "zoo", "dermatology")
"""Data sets that the text names as having a high FCI."""
LOW_FCI = ("adult", "primary_tumor")
"""Data sets that the text names as having a low FCI."""
SWEPT = ("adult", "dermatology", "wisconsin", "primary_tumor")
"""Data sets of Figs 2 and 3, said to have the largest |O|, |V|, FCI and VCI, in this order."""
STABLE = 0.05
"""A dimension is stable from where it stays within this share of its value at the largest alpha."""

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


def rank_correlation(one: pd.Series, other: pd.Series) -> float:
    """Spearman's rank correlation over the index of the first."""
    from scipy.stats import spearmanr

    return float(spearmanr(one, other.loc[one.index]).statistic)


def sweep(evidence: Evidence, parameter: str, mean: str) -> pd.DataFrame:
    """A mean along ``alpha`` (Fig. 2) or ``beta`` (Fig. 3), first reading; data sets in columns."""
    rows = evidence.table({"alpha": "fig02", "beta": "fig03"}[parameter], FIRST)
    evidence.need(rows, "dataset", SWEPT)
    return rows.pivot_table(mean, parameter, "dataset")[list(SWEPT)]


def leading(
    evidence: Evidence, artefact: str, method: str, datasets: Sequence[str] = ()
) -> pd.DataFrame:
    """Cases of a method that is ahead of the others of its table, one per data set.

    Undecided where one of them has no number.
    """

    def leads(row: pd.Series) -> bool | None:
        return None if row.isna().any() else evidence.ahead(row[method], row.drop(method).max())

    ours, printed = both(evidence, artefact, datasets)
    return cases(
        ours.index,
        map(leads, ours.iloc),
        ours=ours[method],
        printed=printed[method],
        print_holds=map(leads, printed.iloc),
        margin=ours[method] - ours.drop(columns=method).max(axis=1),
    )


def agreeing(
    evidence: Evidence,
    names: Iterable[str],
    ours: pd.DataFrame,
    printed: pd.DataFrame | None = None,
) -> pd.DataFrame:
    """Cases of printed numbers that are exact or within noise; all have to be computed.

    Then the same of rows made from the printed numbers, if there are any.
    """
    for rows in (ours,) if printed is None else (ours, printed):
        done = rows[rows["verdict"] != "not run"]
        if len(done) < len(rows):
            evidence.need(done, "dataset", set(rows["dataset"]))
    return cases(
        names,
        met(ours),
        ours=ours["reproduced"],
        printed=ours["printed"],
        print_holds=None if printed is None else met(printed),
    )


def in_order(one: pd.Series, other: pd.Series, side: str = "holds", part: int = 1) -> pd.DataFrame:
    """Cases of pairs of entries that two series order alike, of the pairs that both order."""
    pairs = {
        f"{a} and {b}": bool((one[a] - one[b]) * (other[a] - other[b]) > 0)
        for a, b in itertools.combinations(one.index, 2)
        if one[a] != one[b] and other[a] != other[b]
    }
    return cases(pairs, **{side: pairs.values()}, part=part)


def tallied(names: Iterable[object], holds: Iterable[bool], part: int = 1) -> pd.DataFrame:
    """Cases that are too many for a row each: one row by name and outcome."""
    found = Counter(zip(names, holds, strict=True))
    names, holds = zip(*found, strict=True)
    return cases(names, holds, n=found.values(), part=part)


def all_tables(evidence: Evidence) -> pd.DataFrame:
    """Data sets and random tables, these each once more with the first attribute repeated.

    A ``case`` is a data set or a kind of random tables.
    """
    random = evidence.experiment("random_tables").query("kind != 'planted'")
    sets = evidence.experiment("factors").assign(kind="data sets")
    tables = pd.concat([sets, random], ignore_index=True)
    named = tables["kind"] == "data sets"
    return tables.assign(case=tables["dataset"].where(named, tables["kind"] + " tables"))
