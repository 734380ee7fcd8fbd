"""Columns that the tables of several papers have: printed beside ours, seconds and memory."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from replication.judge.times import HOW, HOW_MEMORY, range_text, seconds_text
from replication.show.sheet import Column, Digits

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
COST_DATA = ("seconds", "slowest", "repeats", "before_mib", "peak_mib")
"""What the CSV has of such a record."""
COST_LEGEND = (HOW, HOW_MEMORY)


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
