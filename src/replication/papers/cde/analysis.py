"""What the tables and claims of CDE are made of: records to numbers, without words."""

from __future__ import annotations

import itertools
import math
import statistics
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from replication.errors import UserError
from replication.judge.claims import EQUAL, Count

if TYPE_CHECKING:
    import pandas as pd

    from replication.judge.claims import Evidence

FIRST = "reconciled"
HIGH_FCI = ("wisconsin", "soybean_small", "mammographic", "zoo", "dermatology")
"""Data sets that the text names as having a high FCI."""
LOW_FCI = ("adult", "primary_tumor")
"""Data sets that the text names as having a low FCI."""
SWEPT = ("adult", "dermatology", "wisconsin", "primary_tumor")
"""Data sets of Figs 2 and 3, said to have the largest |O|, |V|, FCI and VCI, in this order."""
AGREE = ("exact", "within noise")
"""Verdicts of a number that is met."""
STABLE = 0.05
"""A dimension is stable from where it stays within this share of its value at the largest alpha."""

# --- records -------------------------------------------------------------------------------------


def empty_shares(records: pd.DataFrame) -> dict[tuple[str, str], float]:
    """Share of embeddings without a dimension, by data set and measure."""
    if records.empty:
        return {}
    done = records[records["status"] == "ok"]
    shares = (done["dimension"] == 0).groupby([done["dataset"], done["measure"]]).mean()
    return {(str(dataset), str(name)): float(x) for (dataset, name), x in shares.items()}


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


def slowdowns(records: pd.DataFrame) -> list[float]:
    """Decimal logarithm, per data set, of the time of CDE over the mean of other embeddings."""
    if records.empty:
        return []
    done = records[(records["status"] == "ok") & (records["kind"] == "embedding")]
    found = []
    for _, group in done.groupby("dataset", sort=False):
        seconds = group.set_index("method")["seconds"]
        found.append(math.log10(seconds["cde"] / seconds.drop("cde").mean()))
    return found


def nearest_settings(scores: Sequence[Mapping[str, Any]]) -> list[dict[str, Any]]:
    """Mean distance from print by method and setting, the nearest first, with the range of F."""
    groups: dict[tuple[str, ...], list[Mapping[str, Any]]] = {}
    for row in scores:
        key = tuple(row[name] for name in ("label", "affinity", "variant", "init"))
        groups.setdefault(key, []).append(row)
    found = [
        {
            "label": label,
            "setting": ", ".join(setting),
            "gap": statistics.fmean(abs(row["fscore"] - row["printed_value"]) for row in group),
            "low": min(row["fscore"] for row in group),
            "high": max(row["fscore"] for row in group),
            "chosen": "yes" if group[0]["chosen"] == "yes" else "",
        }
        for (label, *setting), group in groups.items()
    ]
    order = list(dict.fromkeys(setting["label"] for setting in found))
    return sorted(found, key=lambda setting: (order.index(setting["label"]), setting["gap"]))


# --- what the claims are counted on --------------------------------------------------------------


def datasets_of(evidence: Evidence, artefact: str) -> list[str]:
    """Data sets of Table 1 or 2, in the printed order."""
    cells = evidence.printed
    rows = cells[(cells["artefact"] == artefact) & (cells["metric"] == "fscore")]
    return [name for name in dict.fromkeys(rows["dataset_id"]) if name != "average"]


def rows_of(evidence: Evidence, artefact: str, reading: str = FIRST) -> pd.DataFrame:
    """Numbers of a table under a reading."""
    table = evidence.table(artefact)
    return table[table["reading"] == reading]


def scores_of(
    evidence: Evidence, artefact: str, datasets: Iterable[str], reading: str = FIRST
) -> pd.DataFrame:
    """Our mean F-scores, data sets in rows (all of `datasets`) and methods in columns."""
    rows = rows_of(evidence, artefact, reading)
    rows = rows[(rows["metric"] == "fscore") & rows["reproduced"].notna()]
    datasets = list(datasets)
    evidence.need(rows, "dataset", datasets)
    return _wide(rows, "dataset", "method", "reproduced").loc[datasets]


def printed_scores(evidence: Evidence, artefact: str) -> pd.DataFrame:
    """Printed F-scores, data sets in rows and methods in columns; NaN where there is none."""
    cells = evidence.printed
    rows = cells[
        (cells["artefact"] == artefact)
        & (cells["metric"] == "fscore")
        & (cells["dataset_id"] != "average")
    ]
    rows = rows.assign(value=rows["value"].replace("", "nan").astype(float))
    table = _wide(rows, "dataset_id", "method_id", "value")
    return table.loc[datasets_of(evidence, artefact)]


def printed_factor(evidence: Evidence, metric: str) -> pd.Series:
    """A printed size or factor, such as ``objects`` or ``FCI``, by data set."""
    cells = evidence.printed[evidence.printed["metric"] == metric]
    return cells.set_index("dataset_id")["value"].astype(float)


def factors(evidence: Evidence, datasets: Sequence[str] = ()) -> pd.DataFrame:
    """Sizes and factors that we count, by data set."""
    found = evidence.experiment("factors", datasets).set_index("dataset")
    return found.loc[list(datasets)] if datasets else found


def _wide(rows: pd.DataFrame, index: str, columns: str, values: str) -> pd.DataFrame:
    """Rows of a column's values, one column per value of another; each pair occurs once."""
    return rows.pivot_table(index=index, columns=columns, values=values, aggfunc="first")


def best_on(evidence: Evidence, scores: pd.DataFrame, method: str) -> dict[str, bool | None]:
    """Whether a method is ahead of all others, by data set; None where another has no number."""
    return {
        str(name): None if row.isna().any() else evidence.ahead(row[method], row.drop(method).max())
        for name, row in scores.iterrows()
    }


def named(cases: dict[str, bool | None]) -> str:
    """Data sets on which a case holds."""
    return ", ".join(name for name, holds in cases.items() if holds) or "none"


def clearly_ahead(
    evidence: Evidence, artefact: str, method: str, others: Sequence[str], datasets: Iterable[str]
) -> int:
    """Data sets on which a mean leads all `others` by two standard errors of the difference."""
    rows = rows_of(evidence, artefact)
    rows = rows[(rows["metric"] == "fscore") & (rows["method"] != "")]
    # cells that the paper leaves empty have no verdict, and their runs stand under trials
    runs = rows["samples"].fillna(rows["trials"])
    cells = rows.assign(error=rows["sd"] / runs**0.5).set_index(["dataset", "method"])
    return sum(
        all(
            cells.loc[(name, method), "reproduced"] - cells.loc[(name, other), "reproduced"]
            > 2 * math.hypot(cells.loc[(name, method), "error"], cells.loc[(name, other), "error"])
            for other in others
        )
        for name in datasets
    )


def agreeing(evidence: Evidence, rows: pd.DataFrame) -> Count:
    """Rows that agree with the print; all have to be computed."""
    done = rows[rows["verdict"] != "not run"]
    if len(done) < len(rows):
        evidence.need(done, "dataset", set(rows["dataset"]))
    return Count(int(done["verdict"].isin(AGREE).sum()), len(done))


def rounded_twice(rows: pd.DataFrame) -> int:
    """Printed numbers that come out if ours are rounded to four digits, and these to three."""
    twice = rows["reproduced"].map(lambda x: round(round(x, 4) + EQUAL, 3))
    return int((abs(twice - rows["printed_value"]) <= EQUAL).sum())


def rank_correlation(one: pd.Series, other: pd.Series) -> float:
    """Spearman's rank correlation over the index of the first."""
    from scipy.stats import spearmanr

    return float(spearmanr(one, other.loc[one.index]).statistic)


def in_order(one: pd.Series, other: pd.Series) -> Count:
    """Pairs of entries that two series order alike, of the pairs that both order."""
    pairs = [
        (one[a] - one[b]) * (other[a] - other[b]) > 0
        for a, b in itertools.combinations(one.index, 2)
        if one[a] != one[b] and other[a] != other[b]
    ]
    return Count(sum(pairs), len(pairs))


def random_tables(evidence: Evidence) -> pd.DataFrame:
    """Random tables, each once more with its first attribute repeated; none with planted values."""
    return evidence.experiment("random_tables").query("kind != 'planted'")


def planted_tables(evidence: Evidence) -> pd.DataFrame:
    """Factors of tables with a planted coupling, the weakest first."""
    planted = evidence.experiment("random_tables").query("kind == 'planted'")
    return planted.sort_values("strength")


def all_tables(evidence: Evidence) -> pd.DataFrame:
    """Data sets and random tables."""
    import pandas as pd

    return pd.concat([evidence.experiment("factors"), random_tables(evidence)])


def sweep(evidence: Evidence, parameter: str) -> pd.DataFrame:
    """Means along ``alpha`` (Fig. 2) or ``beta`` (Fig. 3), first reading, all four data sets."""
    rows = rows_of(evidence, {"alpha": "fig02", "beta": "fig03"}[parameter])
    evidence.need(rows, "dataset", SWEPT)
    return rows


def thresholds(
    evidence: Evidence, parameter: str, rule: Callable[[pd.DataFrame], float]
) -> dict[str, float]:
    """Threshold of ``alpha`` or ``beta`` on each of the four data sets, first reading."""
    records = evidence.experiment(parameter, SWEPT).query("measure == 'cde'")
    return {str(name): rule(group) for name, group in records.groupby("dataset", sort=False)}
