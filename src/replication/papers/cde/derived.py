"""Numbers of CDE that follow from whole columns: averages, tests, gains, counts of wins."""

from __future__ import annotations

import math
import statistics
from collections.abc import Callable, Mapping, Sequence
from operator import itemgetter
from typing import TYPE_CHECKING, Any

from replication.judge.cells import Ours, mean_moved
from replication.judge.claims import listed
from replication.judge.verdicts import Reproduced, equals_printed, parse_printed, within_noise
from replication.papers.cde.runs import (
    Columns,
    Runs,
    average,
    complete,
    gain,
    one_table,
    paired_p,
    printed_table,
    wins,
)
from replication.run.records import record_rows
from replication.show.job import Job

if TYPE_CHECKING:
    import pandas as pd

    from replication.papers.cde.runs import Statistic


PRINT = "print"
"""Reading id of what follows from the printed columns alone."""
TEST = "p_paired_t_two_tailed"
DERIVED = ("average", "p_value")
SETTING = ("affinity", "variant", "init")
"""What the paper does not name of the spectral clustering: affinity, rows, start of k-means."""


def reproduced(runs: Runs) -> Reproduced:
    """Mean, spread of a single run, and how many runs stand behind it."""
    return Reproduced(
        runs.mean,
        sd=runs.run_sd if runs.scores.size > 1 else None,
        runs=runs.independent,
        spread=(float(runs.scores.min()), float(runs.scores.max())),
        rounding=mean_moved(runs.moved),
    )


class Derived:
    """What follows from whole columns: averages, tests, gains, counts of wins.

    Parameters
    ----------
    job : Job
        The artefact; its data sets are the rows.
    runs : mapping
        What `replication.papers.cde.runs.collect` found.
    parameters : mapping
        ``columns`` (``id`` of a method and, per reading, the name of its runs; the first one is
        compared with the others), ``printed_runs``, ``tested`` (rows that are tested), and for
        Table 2 ``averaged`` (rows by answer to ``cde.averages``) and ``selected`` (how the
        settings of the columns were chosen).
    cells : DataFrame
        Printed cells of the table.
    """

    def __init__(
        self,
        job: Job,
        runs: Mapping[tuple[str, str], Runs],
        parameters: Mapping[str, Any],
        cells: pd.DataFrame,
    ) -> None:
        self._job, self._runs, self._parameters, self._cells = job, runs, parameters, cells
        self.methods = [one["id"] for one in parameters["columns"]]

    def sources(self, reading: str) -> dict[str, str]:
        """Name of the runs of each method under a reading."""
        return {one["id"]: one[reading] for one in self._parameters["columns"]}

    def averaged(self, reading: str) -> list[str]:
        """Data sets behind the averages under a reading."""
        rows = self._parameters.get("averaged")
        return rows[self._job.choice("cde.averages", reading)] if rows else list(self._job.datasets)

    def ours(self, cell: Mapping[str, str], reading: str) -> Ours:
        """Average or p-value of ours under a reading, or from the printed columns."""
        if cell["metric"] == TEST:
            datasets = [one for one in self._job.datasets if one in self._parameters["tested"]]
            pair = [self.methods[0], cell["method_id"]]
            statistic = paired_p(*pair) if reading == PRINT else self._tested(reading, *pair)

            def explain(ours: pd.DataFrame) -> str:
                return reason_of_test(ours[pair], self.printed(datasets).means[pair])
        else:
            # the printed averages are taken over what explains them
            datasets = self.averaged(self._job.readings[0] if reading == PRINT else reading)
            method = cell["method_id"]
            statistic = average(method)

            def explain(ours: pd.DataFrame) -> str:
                printed = self.printed(datasets).means[method]
                return reason_of_average(ours[method], printed, float(cell["value"]))

        return self.of(reading, statistic, datasets, explain)

    def of(
        self,
        reading: str,
        statistic: Statistic | Reproduced | None,
        datasets: Sequence[str],
        explain: Callable[[pd.DataFrame], str],
    ) -> Ours:
        """What a statistic of the columns gives.

        Parameters
        ----------
        reading : str
            Reading of our columns, or `PRINT` for the printed ones.
        statistic : callable, Reproduced or None
            What is computed from the columns; or what the rule `tests` has computed from ours.
        datasets : sequence of str
            Rows.
        explain : callable
            What our columns, data sets in rows and methods in columns, say of the number.
        """
        reason = f"over {len(datasets)} data sets"
        if reading == PRINT:
            values = _reproduced(*self.printed(datasets).central(statistic))
            return Ours(values, reason=f"from the printed F-scores, {reason}")
        if absent := complete(self._runs, self.sources(reading).values(), datasets):
            return Ours(f"needs {', '.join(absent)}, which this run lacks")
        rng, runs = self._job.rng("columns", reading), self._parameters["printed_runs"]
        columns = Columns.ours(self._runs, self.sources(reading), datasets, rng, runs)
        if callable(statistic):
            statistic = _reproduced(*columns.central(statistic))
        return Ours(
            statistic,
            setting=self._parameters.get("selected", ""),
            reason=f"{reason}; {explain(columns.means)}",
        )

    def _tested(self, reading: str, first: str, second: str) -> Reproduced | None:
        """P-value of two of our columns, as the rule `tests` found it; None for incomplete ones."""
        wanted = {"artefact": self._job.artefact, "reading": reading}
        wanted |= {"first": first, "second": second}
        for row in record_rows(self._job.file("tests")):
            if wanted.items() <= row.items():
                return _reproduced(row["p"], row["low"], row["high"])
        return None

    def printed(self, datasets: Sequence[str]) -> Columns:
        """The printed columns; every cell of these data sets has to hold a number."""
        table = printed_table(self._cells).loc[list(datasets), self.methods]
        return Columns.printed(table.astype(float), self._job.rng("rounding"))


def _reproduced(value: float, low: float, high: float) -> Reproduced:
    return Reproduced(value, spread=(low, high))


# --- why a number differs: what the columns behind it do ------------------------------------------


def reason_of_average(ours: pd.Series, printed: pd.Series, average: float) -> str:
    """Parts of the difference of an average: its cells, and which data sets it is over.

    Parameters
    ----------
    ours, printed : Series of float64
        Our column and the printed one, over the data sets of our average.
    average : float
        The printed average.
    """
    gaps = ours - printed
    most = gaps.loc[gaps.abs().sort_values(ascending=False, kind="stable").index[:2]]
    said = f"the cells give {gaps.mean():+.3f}, most by " + " and ".join(
        f"{name} ({gap:+.3f})" for name, gap in most.items()
    )
    sets = printed.mean() - average
    # an average is printed with three digits
    return said if abs(sets) <= 0.001 else f"{said}; the choice of data sets gives {sets:+.3f}"


def reason_of_gain(columns: pd.DataFrame, method: str, other: str) -> str:
    """The two averages behind a gain."""
    return "our averages are {:.3f} and {:.3f}".format(*columns[[method, other]].mean())


def reason_of_test(ours: pd.DataFrame, printed: pd.DataFrame) -> str:
    """Lead of the first column over the second, ours and printed, with its standard deviation."""
    leads = [pair.iloc[:, 0] - pair.iloc[:, 1] for pair in (ours, printed)]
    mine, theirs = (f"{lead.mean():+z.3f} ± {lead.std():.3f}" for lead in leads)
    return f"mean lead and its sd over the data sets: {mine}, in print {theirs}"


def reason_of_wins(columns: pd.DataFrame, method: str) -> str:
    """Data sets on which a method is best."""
    ahead = columns[method] > columns.drop(columns=method).max(axis=1)
    return f"best on {listed(columns.index[ahead])}"


# --- Table 2 under settings of the spectral clustering --------------------------------------------


def nearest_first(scores: Sequence[Mapping[str, Any]]) -> pd.DataFrame:
    """``gap`` to the print, ``low`` and ``high`` F-score by method and setting, nearest first."""
    import pandas as pd

    frame = pd.DataFrame(scores)
    frame["gap"] = (frame["fscore"] - frame["printed_value"]).abs()
    frame["setting"] = frame[list(SETTING)].agg(", ".join, axis=1)
    tried = frame.groupby(["method", "label", "setting"], sort=False).agg(
        gap=("gap", statistics.fmean),
        low=("fscore", "min"),
        high=("fscore", "max"),
        chosen=("chosen", "first"),
    )
    methods = tried.reset_index().groupby("method", sort=False)
    return pd.concat(group.sort_values("gap", kind="stable") for _, group in methods)


def compared(
    rows: pd.DataFrame, printed: pd.DataFrame, averaged: Sequence[str], printed_runs: int
) -> list[dict[str, Any]]:
    """How near each column is to the print, and how the first one stands to the others.

    Parameters
    ----------
    rows : DataFrame of dict
        ``fscore``, ``sd`` and ``runs``, data sets in rows and methods in columns.
    printed : DataFrame of str
        Printed F-scores, of the same shape, each of `printed_runs` runs.
    averaged : sequence of str
        Data sets behind ``average`` and ``gain``.
    """
    columns = rows.map(itemgetter("fscore"))
    means, some = one_table(columns), one_table(columns.loc[averaged])
    first, *_ = columns
    found = []
    for method, gaps in (columns - printed.astype(float)).abs().items():
        other = method != first
        p = paired_p(first, method)(means)[0] if other and len(gaps) > 1 else math.nan
        cells = zip(printed[method], rows[method], strict=True)
        found.append(
            {"method": method, "gap": statistics.fmean(gaps)}
            | {"met": sum(_met(*cell, printed_runs) for cell in cells), "cells": len(gaps)}
            | {"average": float(some[method].mean()) if averaged else None}
            | {"gain": float(gain(first, method)(some)[0]) if other and averaged else None}
            # equal columns have no p
            | {"p": float(p) if math.isfinite(p) else None}
            | {"first": None if other else int(wins(first)(means)[0])}
        )
    return found


def _met(text: str, row: Mapping[str, Any], printed_runs: int) -> bool:
    """Whether a printed F-score is exact or within noise of our runs."""
    printed = parse_printed(text)
    ours = Reproduced(row["fscore"], sd=row["sd"], runs=int(row["runs"]))
    return equals_printed(printed, row["fscore"]) or within_noise(
        printed, ours, printed_runs=printed_runs
    )


def overall(
    settings: Mapping[str, Sequence[Mapping[str, Any]]],
) -> tuple[dict[str, dict[str, float]], str]:
    """Mean ``gap`` and ``met`` of `compared` columns by setting; the nearest after the first."""
    found = {
        name: {
            "gap": statistics.fmean(one["gap"] for one in columns),
            "met": sum(one["met"] for one in columns),
        }
        for name, columns in settings.items()
    }
    return found, min([*found][1:], key=lambda name: found[name]["gap"], default="")
