"""What the tables of several papers share: printed beside ours, stated numbers, costs."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

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

    Parameters
    ----------
    what, caption, title
        As `Sheet.of` takes them.
    experiment : str
        Id of the experiment.
    names : mapping of str to str
        Names of the methods, by id.
    legend : sequence of str
        Lines below the table; the one on memory follows.
    settings : sequence of Column
        What stands between the method and its cost.
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


def without_percent(row: Mapping[str, Any]) -> str:
    """The printed text, whose unit stands in the heading."""
    return row["printed"].rstrip("%")


def beside(
    key: str,
    group: str,
    *,
    digits: Digits = "",
    scale: int = 1,
    where: Mapping[str, Any],
    ours: Mapping[str, Any] | None = None,
) -> list[Column]:
    """The printed number, without a percent sign, and ours beside it.

    Parameters
    ----------
    key : str
        Beginning of the keys, which end in ``.printed`` and ``.ours``.
    group : str
        Heading over the two.
    digits, scale
        Of ours, see `replication.show.sheet.Cell`.
    where : mapping
        What a row of verdicts must hold to be shown here.
    ours : mapping, optional
        What it must hold besides to be shown as ours, such as a reading.
    """
    return [
        Column(f"{key}.printed", "printed", group, of=without_percent, where=where, main=True),
        Column(
            f"{key}.ours",
            "ours",
            group,
            digits=digits,
            scale=scale,
            where={**where, **(ours or {})},
            judged=True,
            main=True,
        ),
    ]


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
