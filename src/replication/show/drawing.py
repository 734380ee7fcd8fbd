"""Parts that the figures of several papers share: axes of data sets, verdict marks, legends."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from replication.judge.verdicts import MARKS, NOT_COMPARABLE, NOT_RUN
from replication.show.style import MARKERS

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

Row = Mapping[str, str]


def first_of(rows: Iterable[Row], key: str) -> list[str]:
    """Different values of a column, in order of appearance."""
    return list(dict.fromkeys(row[key] for row in rows))


def status(rows: Iterable[Row]) -> str:
    """``not comparable`` or ``not run`` if that is so for all rows of a data set; else empty."""
    verdicts = {row["verdict"] for row in rows}
    if verdicts == {NOT_RUN}:
        return NOT_RUN
    return NOT_COMPARABLE if verdicts <= {NOT_COMPARABLE, NOT_RUN} else ""


def rows_axis(axes: Axes, names: Sequence[str], states: Sequence[str]) -> None:
    """Data sets from top to bottom; those without a comparison in grey, with the reason."""
    labels = [
        f"{name} ({state})" if state else name for name, state in zip(names, states, strict=True)
    ]
    axes.set_yticks(range(len(names)), labels)
    for label, state in zip(axes.get_yticklabels(), states, strict=True):
        label.set_color("#6B6B6B" if state else "black")
    axes.set_ylim(len(names) - 0.5, -0.5)
    axes.tick_params(axis="y", length=0)
    axes.grid(axis="x")
    for i in range(1, len(names)):
        axes.axhline(i - 0.5, color="#E4E4E4", linewidth=0.5, zorder=0)


MARK_PLACES = [1.03 + 0.045 * j for j in range(len(MARKERS))]
"""Columns of the verdicts to the right of the axes, as fractions of their width."""


def mark(axes: Axes, i: int, j: int, verdict: str, colour: str) -> None:
    """Mark of a verdict beside row i, in column j."""
    axes.text(
        MARK_PLACES[j],
        i,
        MARKS[verdict],
        transform=axes.get_yaxis_transform(),
        va="center",
        ha="center",
        color=colour,
    )


def legend(figure: Figure, entries: Sequence[tuple[str, Mapping[str, Any]]], columns: int) -> None:
    """Legend above the panels."""
    from matplotlib.lines import Line2D

    handles = [Line2D([], [], label=label, **look) for label, look in entries]
    figure.legend(
        handles=handles,
        loc="outside upper left",
        ncols=columns,
        handletextpad=0.4,
        columnspacing=1.2,
        borderaxespad=0.2,
    )
