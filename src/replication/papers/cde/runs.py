"""Repeated clusterings of CDE as numbers: means, what is chance in them, and what follows."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    import pandas as pd


@dataclass(frozen=True, eq=False)
class Runs:
    """F-scores of one method on one data set.

    Parameters
    ----------
    scores : ndarray of float64, shape (e, s)
        Embeddings in rows, starts of k-means in columns; one row for an embedding without chance.
    moved : sequence of float
        Share of objects of each run that rounding alone moves, where that is known.
    """

    scores: np.ndarray
    moved: Sequence[float] = ()

    @property
    def mean(self) -> float:
        """Mean over all runs."""
        return float(self.scores.mean())

    @property
    def start_sd(self) -> float:
        """Standard deviation over the starts of one embedding; 0 for a single start."""
        if self.scores.shape[1] < 2:
            return 0.0
        return float(np.sqrt(self.scores.var(axis=1, ddof=1).mean()))

    @property
    def embedding_sd(self) -> float:
        """Standard deviation over embeddings, the chance of the starts taken out; at least 0."""
        if len(self.scores) < 2:
            return 0.0
        between = self.scores.mean(axis=1).var(ddof=1)
        return float(np.sqrt(max(0.0, between - self.start_sd**2 / self.scores.shape[1])))

    @property
    def run_sd(self) -> float:
        """Standard deviation of a run that makes its own embedding and its own start."""
        return float(np.hypot(self.embedding_sd, self.start_sd))

    @property
    def standard_error(self) -> float:
        """Standard error of the mean."""
        variance = self.embedding_sd**2 / len(self.scores) + self.start_sd**2 / self.scores.size
        return float(np.sqrt(variance))

    @property
    def independent(self) -> int:
        """Number of independent runs that would give so precise a mean."""
        if self.standard_error == 0:
            return int(self.scores.size)
        return max(1, int((self.run_sd / self.standard_error) ** 2 + 1e-9))

    def resampled(self, rng: np.random.Generator, runs: int, tables: int) -> np.ndarray:
        """Means of `runs` runs drawn with replacement, float64 of shape (tables,)."""
        flat = self.scores.ravel()
        return flat[rng.integers(0, len(flat), (tables, runs))].mean(axis=1)


def collect(records: pd.DataFrame, key: str) -> dict[tuple[str, str], Runs]:
    """Runs by data set and by the value of a column.

    Parameters
    ----------
    records : DataFrame
        Rows of an experiment with ``dataset``, ``status``, ``embedding``, ``start``, ``fscore``
        and `key`; rows with another status than ``ok`` are passed over.
    """
    if records.empty:
        return {}
    groups = records[records["status"] == "ok"].groupby(["dataset", key], sort=False)
    return {(str(dataset), str(name)): table_of_runs(group) for (dataset, name), group in groups}


def table_of_runs(records: pd.DataFrame) -> Runs:
    """Runs from the records of one method on one data set: ``embedding``, ``start``, ``fscore``."""
    table = records.pivot_table("fscore", index="embedding", columns="start", aggfunc="first")
    return Runs(table.to_numpy(dtype=np.float64), tuple(records.get("moved", ())))


def printed_table(cells: pd.DataFrame, key: str = "value") -> pd.DataFrame:
    """Texts of the printed F-scores, data sets in rows and methods in columns."""
    scores = cells[cells["metric"] == "fscore"]
    return scores.pivot_table(key, "dataset_id", "method_id", aggfunc="first")


TABLES = 2000
"""Tables that are drawn to see what chance does to averages and tests."""

Statistic = Callable[[Mapping[str, np.ndarray]], np.ndarray]
"""From means by method, float64 of shape (tables, data sets), to one number per table."""


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

    def statistic(means: Mapping[str, np.ndarray]) -> np.ndarray:
        from scipy.stats import ttest_rel

        return np.asarray(ttest_rel(means[method], means[other], axis=1).pvalue)

    return statistic


def wins(method: str) -> Statistic:
    """Number of data sets on which a column is higher than all others."""

    def statistic(means: Mapping[str, np.ndarray]) -> np.ndarray:
        best = np.max([values for name, values in means.items() if name != method], axis=0)
        return (means[method] > best).sum(axis=1).astype(np.float64)

    return statistic


class Columns:
    """Columns of a table: ours with what chance does to them, or printed with their rounding.

    Parameters
    ----------
    means : DataFrame of float64
        Number per data set (rows) and method (columns).
    alternatives : mapping of str to ndarray of float64, shape (tables, d)
        Other tables that might as well have been, by method.
    """

    def __init__(self, means: pd.DataFrame, alternatives: Mapping[str, np.ndarray]) -> None:
        self.means, self.alternatives = means, alternatives

    @classmethod
    def ours(
        cls,
        runs: Mapping[tuple[str, str], Runs],
        sources: Mapping[str, str],
        datasets: Sequence[str],
        rng: np.random.Generator,
        printed_runs: int,
    ) -> Columns:
        """Our means, and tables of as many runs as the paper had, drawn from ours.

        Parameters
        ----------
        runs : mapping
            What `collect` found.
        sources : mapping of str to str
            Method to the name of its runs.
        datasets : sequence of str
            Rows, all of which have to be there.
        """
        import pandas as pd

        rows = {
            method: [runs[dataset, source] for dataset in datasets]
            for method, source in sources.items()
        }
        means = {method: [row.mean for row in some] for method, some in rows.items()}
        alternatives = {
            method: np.column_stack([row.resampled(rng, printed_runs, TABLES) for row in some])
            for method, some in rows.items()
        }
        return cls(pd.DataFrame(means, index=list(datasets)), alternatives)

    @classmethod
    def printed(cls, means: pd.DataFrame, rng: np.random.Generator) -> Columns:
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


def complete(
    runs: Iterable[tuple[str, str]], sources: Iterable[str], datasets: Iterable[str]
) -> list[str]:
    """Data sets for which not every source has runs."""
    known, sources = set(runs), list(sources)
    return [one for one in datasets if any((one, source) not in known for source in sources)]
