"""F-scores of repeated embeddings and starts, and the numbers that follow from records of CDE."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd

from replication.errors import UserError
from replication.run.records import available
from replication.run.statistics import Comparison

FIRST = "reconciled"
PRINT = "print"
"""Reading id of what follows from the printed columns alone."""
STABLE = 0.05
"""A dimension is stable from where it stays within this share of its value at the largest alpha."""
RUNS = {"table01": ("embeddings", "measure"), "table02": ("similarities", "pipeline")}
"""Experiment behind a table, and the column that tells its methods apart."""
TABLES = 2000
"""Tables that are drawn to see what chance does to averages and tests."""

Statistic = Callable[[Mapping[str, np.ndarray]], np.ndarray]
"""From means by method, float64 of shape (tables, data sets), to one number per table."""


class Runs:
    """F-scores of one method on one data set, and what chance does to them.

    Parameters
    ----------
    scores : ndarray of float64, shape (e, s)
        Embeddings in rows, starts of k-means in columns; one row for an embedding without chance.
    moved : sequence of float
        Share of objects of each run that rounding alone moves, where that is known.

    Attributes
    ----------
    mean : float
        Over all runs.
    start_sd, embedding_sd : float
        Standard deviation over the starts of one embedding, 0 for a single start; and over
        embeddings, the chance of the starts taken out, at least 0.
    run_sd : float
        Standard deviation of a run that makes its own embedding and its own start.
    standard_error : float
        Of the mean.
    independent : int
        Number of independent runs that would give so precise a mean.
    """

    def __init__(self, scores: np.ndarray, moved: Sequence[float] = ()) -> None:
        self.scores, self.moved, self.mean = scores, moved, float(scores.mean())
        embeddings, starts = scores.shape
        within = scores.var(axis=1, ddof=1).mean() if starts > 1 else 0.0
        between = scores.mean(axis=1).var(ddof=1) if embeddings > 1 else 0.0
        self.start_sd = float(np.sqrt(within))
        self.embedding_sd = float(np.sqrt(max(0.0, between - self.start_sd**2 / starts)))
        self.run_sd = float(np.hypot(self.embedding_sd, self.start_sd))
        error = self.embedding_sd**2 / embeddings + self.start_sd**2 / scores.size
        self.standard_error = float(np.sqrt(error))
        self.independent = int(scores.size)
        if self.standard_error > 0:
            self.independent = max(1, int((self.run_sd / self.standard_error) ** 2 + 1e-9))
        self.chance = {"embedding_sd": self.embedding_sd, "start_sd": self.start_sd}

    @classmethod
    def of(cls, records: pd.DataFrame) -> Runs:
        """From the records of the method: ``embedding``, ``start``, ``fscore``."""
        table = records.pivot_table("fscore", "embedding", "start", aggfunc="first")
        return cls(table.to_numpy(dtype=np.float64), tuple(records.get("moved", ())))

    def resampled(self, rng: np.random.Generator, runs: int, tables: int) -> np.ndarray:
        """Means of `runs` runs drawn with replacement, float64 of shape (tables,)."""
        flat = self.scores.ravel()
        return flat[rng.integers(0, len(flat), (tables, runs))].mean(axis=1)


def collect(records: pd.DataFrame, key: str) -> dict[tuple[str, str], Runs]:
    """Runs of an experiment by data set and by the value of a column, where there are any."""
    if records.empty:
        return {}
    groups = available(records).groupby(["dataset", key], sort=False)
    return {(str(dataset), str(name)): Runs.of(group) for (dataset, name), group in groups}


def lacking(
    runs: Iterable[tuple[str, str]], sources: Iterable[str], datasets: Iterable[str]
) -> list[str]:
    """Data sets for which not every source has runs."""
    known, sources = set(runs), list(sources)
    return [one for one in datasets if any((one, source) not in known for source in sources)]


def printed_table(cells: pd.DataFrame, key: str = "value") -> pd.DataFrame:
    """Texts of the printed F-scores, data sets in rows and methods in columns."""
    scores = cells[cells["metric"] == "fscore"]
    return scores.pivot_table(key, "dataset_id", "method_id", aggfunc="first")


def one_table(means: pd.DataFrame) -> dict[str, np.ndarray]:
    """A table, data sets in rows and methods in columns, as a statistic takes it."""
    return {str(name): column.to_numpy()[None] for name, column in means.items()}


def average(method: str) -> Statistic:
    """Mean of a column."""
    return lambda means: means[method].mean(axis=1)


def gain(method: str, other: str) -> Statistic:
    """By how much the mean of a column exceeds that of another one, as a share of the latter."""
    return lambda means: means[method].mean(axis=1) / means[other].mean(axis=1) - 1


def paired_p(method: str, other: str) -> Statistic:
    """Two-tailed p of the paired t-test between two columns."""
    from scipy.stats import ttest_rel

    return lambda means: np.asarray(ttest_rel(means[method], means[other], axis=1).pvalue)


def wins(method: str) -> Statistic:
    """Number of data sets on which a column is higher than all others."""
    return lambda means: wins_on(means, method).sum(axis=1).astype(np.float64)


def wins_on(means: Mapping[str, Any], method: str) -> np.ndarray:
    """Where a column is higher than all others."""
    return means[method] > np.max([one for name, one in means.items() if name != method], axis=0)


@dataclass(frozen=True, eq=False)
class ScoreTable:
    """A table of F-scores: ours with what chance does to it, or printed with its rounding.

    Parameters
    ----------
    means : DataFrame of float64
        Number per data set (rows) and method (columns).
    alternatives : mapping of str to ndarray of float64, shape (TABLES, d)
        Other tables that might as well have been, by method.
    """

    means: pd.DataFrame
    alternatives: Mapping[str, np.ndarray]

    @classmethod
    def ours(
        cls,
        runs: Mapping[tuple[str, str], Runs],
        sources: Mapping[str, str],
        datasets: Sequence[str],
        rng: np.random.Generator,
        printed_runs: int,
    ) -> ScoreTable:
        """Our means, and tables of as many runs as the paper had, drawn from ours.

        `sources` names the runs of each method; all data sets have to be there.
        """
        rows = pd.DataFrame(
            {name: [runs[one, source] for one in datasets] for name, source in sources.items()},
            index=list(datasets),
        )
        alternatives = {
            name: np.column_stack([one.resampled(rng, printed_runs, TABLES) for one in column])
            for name, column in rows.items()
        }
        return cls(rows.map(lambda one: one.mean), alternatives)

    @classmethod
    def printed(cls, means: pd.DataFrame, rng: np.random.Generator) -> ScoreTable:
        """Columns as printed with three decimals, and tables that round to them."""
        alternatives = {
            name: column.to_numpy() + rng.uniform(-0.0005, 0.0005, (TABLES, len(column)))
            for name, column in means.items()
        }
        return cls(means, alternatives)

    def central(self, statistic: Statistic) -> tuple[float, float, float]:
        """Number that a statistic gives, with its central 95 % over the other tables."""
        value = float(statistic(one_table(self.means))[0])
        low, high = np.quantile(statistic(self.alternatives), [0.025, 0.975])
        return value, min(float(low), value), max(float(high), value)


def paired(comparison: Comparison, *, tables: Mapping[str, dict[str, Any]]) -> list[dict[str, Any]]:
    """Paired t-tests of the first method of each table against the others.

    `tables` gives of each artefact its ``datasets`` (of which those that were computed count),
    ``columns`` (``id`` of a method and, per reading, the name of its runs) and ``printed_runs``.

    Records: ``artefact``, ``reading``, ``first``, ``second``, ``n`` data sets, ``p`` of the
    two-tailed test between the means, and ``low`` and ``high``, the central 95 % of it over tables
    of as many runs as the paper had, drawn from ours.
    """
    rows = []
    for artefact, entry in tables.items():
        experiment, key = RUNS[artefact]
        records = comparison.records(experiment)
        runs, present = collect(records, key), set(records["dataset"])
        datasets = [name for name in entry["datasets"] if name in present]
        first, *others = (column["id"] for column in entry["columns"])
        for reading in (key for key in entry["columns"][0] if key != "id"):
            sources = {column["id"]: column[reading] for column in entry["columns"]}
            if not datasets or lacking(runs, sources.values(), datasets):
                continue
            rng = comparison.rng(artefact, "columns", reading)
            table = ScoreTable.ours(runs, sources, datasets, rng, entry["printed_runs"])
            for other in others:
                p, low, high = table.central(paired_p(first, other))
                owner = {"artefact": artefact, "reading": reading, "first": first, "second": other}
                rows.append({**owner, "n": len(datasets), "p": p, "low": low, "high": high})
    return rows


def thresholds(records: pd.DataFrame, parameter: str, measure: str = "cde") -> pd.Series:
    """Threshold of ``alpha`` or ``beta`` on each data set, in the order of the records."""
    rule = {"alpha": _stable_from, "beta": _decreasing_from}[parameter]
    mine = records[records["measure"] == measure]
    return mine.groupby("dataset", sort=False).apply(rule, include_groups=False)


def _stable_from(records: pd.DataFrame) -> float:
    """Smallest alpha from which on the number of value clusters is stable, see `STABLE`."""
    means = records.groupby("alpha")["clusters"].mean()
    unstable = means.index[(means - means.iloc[-1]).abs() > STABLE * means.iloc[-1]]
    return float(means.index[means.index > unstable.max()][0] if len(unstable) else means.index[0])


def _decreasing_from(records: pd.DataFrame) -> float:
    """Smallest beta at which the mean dimension is lower than at the smallest beta."""
    means = records.groupby("beta")["dimension"].mean()
    lower = means.index[means < means.iloc[0]]
    if not len(lower):
        raise UserError(
            "config/papers/cde.yaml: experiments.beta.parameters.beta: the dimension is the same "
            "for every beta; add larger ones"
        )
    return float(lower[0])


def slowdown(records: pd.DataFrame, scale: Callable[[float], float] = float) -> dict[str, float]:
    """Time of CDE over the mean of other embeddings on a scale: count, median, min, max of sets."""
    if records.empty:
        return {"count": 0}
    done = available(records).query("kind == 'embedding'")
    seconds = done.pivot_table("seconds", "dataset", "method")
    ratios = (seconds["cde"] / seconds.drop(columns="cde").mean(axis=1)).map(scale)
    return ratios.agg(["count", "median", "min", "max"]).to_dict()
