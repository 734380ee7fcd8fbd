"""Kinds of tables in several papers: sizes of data sets, stated numbers, seconds and memory."""

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
    """Return a table of seconds and memory, with a row per record of an experiment.

    Parameters
    ----------
    what, caption, title, legend
        As for `Sheet.of`; a line on memory is added to the legend.
    names : mapping of str to str
        Names of the methods, by id.
    settings : sequence of `Column`
        Columns between a method and its cost.
    """
    data = ("objects", "attributes", "seconds", "slowest", "repeats", "before_mib", "peak_mib")
    return Sheet.of(
        job,
        what,
        caption,
        [
            Column("method", "Method", text=True, of=lambda one: names[one["method"]]),
            *settings,
            Column("seconds", "seconds", digits=seconds_text),
            Column("range", "least to largest", of=range_text),
            *MEMORY,
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
    """Return a table of the sizes of data sets, printed and ours, with a row per data set.

    Parameters
    ----------
    ours, readings
        As for `Job.judged`; only the first reading if not given.
    caption : str
        Caption with ``{said}`` for the counts of verdicts under the first reading.
    counts : mapping of str to str
        Headings by metric.
    kinds, more : sequence of `Column`
        Columns before and after the counts.
    legend : callable
        Returns the legend from the rows of verdicts.
    data_columns
        As for `Sheet.of`.
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
    """Return the cell of our number in the unit of the printed one, with the mark of the verdict.

    `row` is a row of verdicts, see `Job.judged`, and `key` the key of the number in it. `digits`
    are those of a plain number, `percent` those of one that is printed with a percent sign.
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
    """Return a table of the numbers stated in a text, or of a worked example, a row each.

    Parameters
    ----------
    what, caption, given
        As for `Sheet.of`.
    data : list of dict
        Rows of `Job.judged`, and rows without a verdict for our numbers that are not printed.
    names, how : sequence of `Column`
        Columns before the printed number, which identify it, and after ours, which explain it.
    ours : callable
        Returns the cell of our number from a row, see `in_its_unit`.
    shown : sequence of mapping, optional
        Rows that the readable table shows; all if not given.
    """
    columns = [*names, Column("printed", "printed"), Column("ours", "ours", of=ours), *how]
    return Sheet.of(
        job,
        what,
        caption,
        columns,
        data,
        rows=None if shown is None else pivot(columns, shown),
        verdicts=[row for row in data if "verdict" in row],
        **given,
    )
