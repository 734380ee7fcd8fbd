"""What the tables and claims of CDE are made of: records to numbers, without words."""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Iterable, Sequence
from typing import TYPE_CHECKING

from replication.errors import UserError
from replication.judge.claims import count, met

if TYPE_CHECKING:
    import pandas as pd

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


def slowdowns(records: pd.DataFrame) -> list[float]:
    """Decimal logarithm, per data set, of the time of CDE over the mean of other embeddings."""
    if records.empty:
        return []
    done = records[(records["status"] == "ok") & (records["kind"] == "embedding")]
    seconds = done.pivot_table("seconds", "dataset", "method")
    return (seconds["cde"] / seconds.drop(columns="cde").mean(axis=1)).map(math.log10).tolist()


# --- what the claims are counted on --------------------------------------------------------------


def datasets_of(evidence: Evidence, artefact: str) -> list[str]:
    """Data sets of Table 1 or 2, in the printed order."""
    return list(printed_scores(evidence, artefact).index)


def printed_scores(evidence: Evidence, artefact: str) -> pd.DataFrame:
    """Printed F-scores, data sets in rows and methods in columns; NaN where there is none."""
    cells = evidence.printed.query("artefact == @artefact and metric == 'fscore'")
    values = cells.assign(value=cells["value"].replace("", "nan").astype(float))
    table = values.pivot_table("value", "dataset_id", "method_id", aggfunc="first")
    return table.loc[[name for name in cells["dataset_id"].unique() if name != "average"]]


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


def best_on(evidence: Evidence, scores: pd.DataFrame, method: str) -> dict[str, bool | None]:
    """Whether a method is ahead of all others, by data set; None where another has no number."""
    return {
        str(name): None if row.isna().any() else evidence.ahead(row[method], row.drop(method).max())
        for name, row in scores.iterrows()
    }


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
    import pandas as pd

    random = evidence.experiment("random_tables").query("kind != 'planted'")
    sets = evidence.experiment("factors").assign(kind="data sets")
    return pd.concat([sets, random], ignore_index=True)


def sweep(evidence: Evidence, parameter: str) -> pd.DataFrame:
    """Means along ``alpha`` (Fig. 2) or ``beta`` (Fig. 3), first reading, all four data sets."""
    rows = evidence.table({"alpha": "fig02", "beta": "fig03"}[parameter], FIRST)
    evidence.need(rows, "dataset", SWEPT)
    return rows
