"""Tables of several papers: sizes of data sets, stated numbers, seconds and memory."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import pandas as pd

from replication.judge.cells import Ours, counting
from replication.judge.times import HOW_MEMORY, range_text, seconds_text
from replication.show.job import Job
from replication.show.sheet import Cell, Column, Digits, Sheet, pivot

MEMORY = (
    Column("before_mib", "before", "memory, MiB", digits=0),
    Column("peak_mib", "peak", "memory, MiB", digits=0),
)
"""Memory of a process, from a record of `replication.run.cost`."""
COST = (
    Column("seconds", "seconds", digits=seconds_text),
    Column("range", "least to largest", of=range_text),
    *MEMORY,
)
"""Seconds and memory of a piece of work, from such a record."""


def cost_table(
    job: Job,
    what: str,
    caption: str,
    experiment: str,
    names: Mapping[str, str],
    legend: Sequence[str],
    *,
    settings: Sequence[Column] = (),
    title: str = "",
) -> Sheet:
    """Table of seconds and memory, one row per record of an experiment.

    The names are those of the methods, by id; the settings stand between a method and its cost.
    After the legend follows the line on memory. The rest is as `Sheet.of` takes it.
    """
    data = ("objects", "attributes", "seconds", "slowest", "repeats", "before_mib", "peak_mib")
    return Sheet.of(
        job,
        what,
        caption,
        [
            Column("method", "Method", text=True, of=lambda one: names[one["method"]]),
            *settings,
            *COST,
        ],
        job.rows(experiment),
        legend=[*legend, HOW_MEMORY],
        data_columns=["method", *(one.key for one in settings), *data],
        title=title,
    )


def characteristics(
    job: Job,
    cells: pd.DataFrame,
    ours: Callable[[Mapping[str, str], str], Ours],
    caption: str,
    counts: Mapping[str, str],
    *,
    readings: Callable[[Mapping[str, str]], Sequence[str]] | Sequence[str] = (),
    kinds: Sequence[Column] = (),
    more: Sequence[Column] = (),
    legend: Callable[[Sequence[Mapping[str, Any]]], Sequence[str]],
    data_columns: Sequence[str],
) -> Sheet:
    """Sizes of data sets, printed beside ours, one row per data set.

    Parameters
    ----------
    ours, readings
        As `Job.judged` takes them; the first reading alone unless given.
    caption : str
        With ``{said}`` in the place of the counted verdicts under the first reading.
    counts : mapping of str to str
        Headings by metric.
    kinds, more : sequence of Column
        What stands before the counts, and behind them.
    legend : callable
        From the rows of verdicts to the lines below the table.
    data_columns
        As `Sheet.of` takes them.
    """
    first = job.readings[0]
    data = job.judged(cells, ours, readings or [first])
    said = counting(row for row in data if row["reading"] == first)
    columns = [Column("dataset", "Data set", text=True, of="printed_name"), *kinds]
    for metric, head in counts.items():
        shown: dict[str, Any] = {"where": {"metric": metric, "reading": first}, "main": True}
        columns += [
            Column(f"{metric}.printed", "printed", head, of="printed", **shown),
            Column(f"{metric}.ours", "ours", head, digits=0, judged=True, **shown),
        ]
    return Sheet.of(
        job,
        "characteristics of the data sets",
        caption.format(said=said),
        [*columns, *more],
        data,
        by=["dataset"],
        legend=legend(data),
        data_columns=data_columns,
        verdicts=data,
    )


def in_its_unit(
    row: Mapping[str, Any], digits: Digits, percent: Digits, key: str = "reproduced"
) -> Cell:
    """Our number in the unit of the printed one, with the mark of the verdict.

    Parameters
    ----------
    row : mapping
        Row of verdicts, see `Job.judged`.
    digits, percent
        Digits of a plain number, and of one that is printed with a percent sign.
    key : str
        Key of the number.
    """
    if row[key] is None:
        return Cell(verdict=row["verdict"])
    if row["printed"].endswith("%"):
        return Cell(row[key], percent, 100, sign="%", verdict=row["verdict"])
    return Cell(row[key], digits, verdict=row["verdict"])


def number_table(
    job: Job,
    what: str,
    caption: str,
    data: list[dict[str, Any]],
    names: Sequence[Column],
    ours: Callable[[Mapping[str, Any]], Cell],
    how: Sequence[Column] = (),
    *,
    shown: Sequence[Mapping[str, Any]] | None = None,
    **given: Any,
) -> Sheet:
    """Table of the numbers that a text states, or of a worked example: a row each.

    Parameters
    ----------
    what, caption, given
        As `Sheet.of` takes them.
    data : list of dict
        Rows by `Job.judged`, and numbers of ours that are not printed: rows without a verdict.
    names, how : sequence of Column
        What a number is, before the printed one; how ours comes about, behind it.
    ours : callable
        From a row to the cell of our number, see `in_its_unit`.
    shown : sequence of mapping, optional
        Rows that the readable table shows; all if not given.
    """
    columns = [*names, Column("printed", "printed"), Column("ours", "ours", of=ours), *how]
    verdicts = [row for row in data if "verdict" in row]
    rows = None if shown is None else pivot(columns, shown)
    return Sheet.of(job, what, caption, columns, data, rows=rows, verdicts=verdicts, **given)
