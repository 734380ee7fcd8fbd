"""F-scores over repeated embeddings and starts, and the statistics that follow from them."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Self

import numpy as np
import pandas as pd

from replication.errors import UserError
from replication.run.records import available
from replication.run.statistics import Comparison

FIRST = "reconciled"
PRINT = "print"
"""Reading id of numbers that follow from the printed columns alone."""
STABLE = 0.05
"""Share of the dimension at the largest alpha by which a stable dimension may differ from it."""
RUNS = {"table01": ("embeddings", "measure"), "table02": ("similarities", "pipeline")}
"""Experiment behind a table, and the column of its records that names the method."""
TABLES = 2000
"""Tables that are drawn for the range of an average or a test."""

Statistic = Callable[[Mapping[str, np.ndarray]], np.ndarray]
"""From means by method, float64 of shape (tables, data sets), to one number per table."""


class Runs:
    """F-scores of one method on one data set, and their variation.

    Parameters
    ----------
    scores : ndarray of float64, shape (e, s)
        Embeddings in rows, starts of k-means in columns; one row if the embedding is not random.
    moved : sequence of float
        Share of the objects that rounding moves to another cluster, per run, if known.

    Attributes
    ----------
    mean : float
        Over all runs.
    start_sd, embedding_sd : float
        Standard deviation over the starts of one embedding (0 for a single start), and over
        embeddings without the part that is due to starts (at least 0).
    run_sd : float
        Standard deviation of a run with its own embedding and start.
    standard_error : float
        Standard error of the mean.
    independent : int
        Number of independent runs whose mean would be as precise.
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
    def of(cls, records: pd.DataFrame) -> Self:
        """Return the runs in a method's records: ``embedding``, ``start``, ``fscore``."""
        table = records.pivot_table("fscore", "embedding", "start", aggfunc="first")
        return cls(table.to_numpy(dtype=np.float64), tuple(records.get("moved", ())))

    def resampled(self, rng: np.random.Generator, runs: int, tables: int) -> np.ndarray:
        """Means of `runs` runs drawn with replacement, float64 of shape (tables,)."""
        flat = self.scores.ravel()
        return flat[rng.integers(0, len(flat), (tables, runs))].mean(axis=1)


def collect(records: pd.DataFrame, key: str) -> dict[tuple[str, str], Runs]:
    """Return the runs of an experiment by data set and value of the column `key`."""
    if records.empty:
        return {}
    groups = available(records).groupby(["dataset", key], sort=False)
    return {(str(dataset), str(name)): Runs.of(group) for (dataset, name), group in groups}


def lacking(
    runs: Iterable[tuple[str, str]], sources: Iterable[str], datasets: Iterable[str]
) -> list[str]:
    """Return the data sets on which some source has no runs."""
    known, sources = set(runs), list(sources)
    return [one for one in datasets if any((one, source) not in known for source in sources)]


def printed_table(cells: pd.DataFrame, key: str = "value") -> pd.DataFrame:
    """Return the printed F-scores as texts, data sets in rows and methods in columns."""
    scores = cells[cells["metric"] == "fscore"]
    return scores.pivot_table(key, "dataset_id", "method_id", aggfunc="first")


def one_table(means: pd.DataFrame) -> dict[str, np.ndarray]:
    """Return a table, data sets in rows and methods in columns, in the form of `Statistic`."""
    return {str(name): column.to_numpy()[None] for name, column in means.items()}


def average(method: str) -> Statistic:
    """Return the statistic: mean of a column."""
    return lambda means: means[method].mean(axis=1)


def gain(method: str, other: str) -> Statistic:
    """Return the statistic: relative gain of the mean of a column over that of another one."""
    return lambda means: means[method].mean(axis=1) / means[other].mean(axis=1) - 1


def paired_p(method: str, other: str) -> Statistic:
    """Return the statistic: two-tailed p of the paired t-test between two columns."""
    from scipy.stats import ttest_rel

    return lambda means: np.asarray(ttest_rel(means[method], means[other], axis=1).pvalue)


def wins(method: str) -> Statistic:
    """Return the statistic: number of data sets on which a column is higher than all others."""
    return lambda means: wins_on(means, method).sum(axis=1).astype(np.float64)


def wins_on(means: Mapping[str, Any], method: str) -> np.ndarray:
    """Return whether a column is higher than all others, data set by data set."""
    return means[method] > np.max([one for name, one in means.items() if name != method], axis=0)


@dataclass(frozen=True, eq=False)
class ScoreTable:
    """Table of F-scores with alternatives: ours within noise, or printed within rounding.

    Parameters
    ----------
    means : DataFrame of float64
        F-score by data set (rows) and method (columns).
    alternatives : mapping of str to ndarray of float64, shape (TABLES, d)
        Equally possible tables, by method.
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
    ) -> Self:
        """Return our means, with tables of `printed_runs` runs a cell drawn from our runs.

        `sources` names the runs of each method; every data set must have them.
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
    def printed(cls, means: pd.DataFrame, rng: np.random.Generator) -> Self:
        """Return printed columns of three decimals, with tables that round to them."""
        alternatives = {
            name: column.to_numpy() + rng.uniform(-0.0005, 0.0005, (TABLES, len(column)))
            for name, column in means.items()
        }
        return cls(means, alternatives)

    def central(self, statistic: Statistic) -> tuple[float, float, float]:
        """Return a statistic of the table, and its central 95 % over the alternatives."""
        value = float(statistic(one_table(self.means))[0])
        low, high = np.quantile(statistic(self.alternatives), [0.025, 0.975])
        return value, min(float(low), value), max(float(high), value)


def paired(comparison: Comparison, *, tables: Mapping[str, dict[str, Any]]) -> list[dict[str, Any]]:
    """Paired t-tests of the first method of each table against the others.

    `tables` holds by artefact its ``datasets`` (those without records are left out), ``columns``
    (``id`` of a method and, per reading, the name of its runs) and ``printed_runs``.

    Records: ``artefact``, ``reading``, ``first``, ``second``, ``n`` data sets, ``p`` of the
    two-tailed test between the means, and ``low`` and ``high``, its central 95 % over tables of
    ``printed_runs`` runs a cell drawn from our runs.
    """
    rows = []
    for artefact, entry in tables.items():
        experiment, key = RUNS[artefact]
        records = comparison.records(experiment)
        runs, present = collect(records, key), set(records["dataset"])
        datasets = [name for name in entry["datasets"] if name in present]
        columns = {column["id"]: column for column in entry["columns"]}
        first, *others = columns
        for reading in (key for key in columns[first] if key != "id"):
            sources = {name: column[reading] for name, column in columns.items()}
            if not datasets or lacking(runs, sources.values(), datasets):
                continue
            rng = comparison.rng(artefact, "columns", reading)
            table = ScoreTable.ours(runs, sources, datasets, rng, entry["printed_runs"])
            owner = {"artefact": artefact, "reading": reading, "first": first}
            for other in others:
                p, low, high = table.central(paired_p(first, other))
                found = {"second": other, "n": len(datasets), "p": p, "low": low, "high": high}
                rows.append(owner | found)
    return rows


def thresholds(records: pd.DataFrame, parameter: str, measure: str = "cde") -> pd.Series:
    """Return the threshold of ``alpha`` or ``beta`` by data set, in the order of the records."""
    rule = {"alpha": _stable_from, "beta": _decreasing_from}[parameter]
    mine = records[records["measure"] == measure]
    return mine.groupby("dataset", sort=False).apply(rule, include_groups=False)


def _stable_from(records: pd.DataFrame) -> float:
    """Return the smallest alpha from which the number of value clusters is stable (`STABLE`)."""
    means = records.groupby("alpha")["clusters"].mean()
    unstable = means.index[(means - means.iloc[-1]).abs() > STABLE * means.iloc[-1]]
    return float(means.index[means.index > unstable.max()][0] if len(unstable) else means.index[0])


def _decreasing_from(records: pd.DataFrame) -> float:
    """Return the smallest beta whose mean dimension is below that of the first beta."""
    means = records.groupby("beta")["dimension"].mean()
    lower = means.index[means < means.iloc[0]]
    if not len(lower):
        raise UserError(
            "config/papers/cde.yaml: experiments.beta.parameters.beta: the dimension is the same "
            "for every beta; add larger ones"
        )
    return float(lower[0])


def slowdown(records: pd.DataFrame, scale: Callable[[float], float] = float) -> dict[str, float]:
    """Return the time of CDE over the mean of the other embeddings, on a scale.

    ``count``, ``median``, ``min`` and ``max`` over data sets.
    """
    if records.empty:
        return {"count": 0}
    done = available(records).query("kind == 'embedding'")
    seconds = done.pivot_table("seconds", "dataset", "method")
    ratios = (seconds["cde"] / seconds.drop(columns="cde").mean(axis=1)).map(scale)
    return ratios.agg(["count", "median", "min", "max"]).to_dict()
