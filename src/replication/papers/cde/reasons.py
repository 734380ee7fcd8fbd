"""Why a number that follows from whole columns differs: what the columns themselves do."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from replication.judge.claims import listed

Column = Mapping[str, float]
"""F-score by data set."""


def of_average(ours: Column, printed: Column, average: float) -> str:
    """Parts of the difference of an average: its cells, and which data sets it is over.

    Parameters
    ----------
    ours, printed : mapping
        Our column and the printed one, over the data sets of our average.
    average : float
        The printed average.
    """
    gaps = {name: ours[name] - printed[name] for name in ours}
    most = sorted(gaps, key=lambda name: -abs(gaps[name]))[:2]
    said = f"the cells give {_mean(gaps):+.3f}, most by " + " and ".join(
        f"{name} ({gaps[name]:+.3f})" for name in most
    )
    sets = _mean(printed) - average
    # an average is printed with three digits
    return said if abs(sets) <= 0.001 else f"{said}; the choice of data sets gives {sets:+.3f}"


def of_test(ours: tuple[Column, Column], printed: tuple[Column, Column]) -> str:
    """Lead of the first column over the second, ours and printed, with its standard deviation."""
    leads = [
        np.array([first[name] - second[name] for name in first])
        for first, second in (ours, printed)
    ]
    mine, theirs = (f"{lead.mean():+z.3f} ± {lead.std(ddof=1):.3f}" for lead in leads)
    return f"mean lead and its sd over the data sets: {mine}, in print {theirs}"


def of_gain(ours: tuple[Column, Column]) -> str:
    """Averages behind a gain."""
    return "our averages are {:.3f} and {:.3f}".format(*map(_mean, ours))


def of_wins(columns: Mapping[str, Column], method: str) -> str:
    """Data sets on which a method is best."""
    others = [column for name, column in columns.items() if name != method]
    won = [
        name
        for name, value in columns[method].items()
        if all(value > column[name] for column in others)
    ]
    return f"best on {listed(won)}"


def _mean(column: Column) -> float:
    return float(np.mean(list(column.values())))
