"""Parts that the figures of several papers share: axes of data sets, verdict marks, legends."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, TypeVar

from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D

from replication.judge.verdicts import MARKS, NOT_COMPARABLE, NOT_RUN
from replication.show.style import COLOURS, DIM, MARKERS, PAGE, new_grid

Row = Mapping[str, str]
Part = TypeVar("Part")


def first_of(rows: Iterable[Row], key: str) -> list[str]:
    """Different values of a column, in order of appearance."""
    return list(dict.fromkeys(row[key] for row in rows))


def names_of(rows: Iterable[Row]) -> dict[str, str]:
    """Printed names of the data sets, in order of appearance."""
    found: dict[str, str] = {}
    for row in rows:
        found.setdefault(row["dataset"], row["printed_name"])
    return found


def ring(size: float = 6.0, colour: str = "black", width: float = 0.8) -> dict[str, Any]:
    """Look of a printed number."""
    look = {"marker": "o", "ms": size, "mfc": "none", "mec": colour, "mew": width}
    return look | {"linestyle": "none"}


def dot(size: float, colour: str) -> dict[str, Any]:
    """Look of a number of ours."""
    return {"marker": "o", "ms": size, "color": colour, "linestyle": "none"}


def looks(names: Iterable[str], **more: Any) -> dict[str, dict[str, Any]]:
    """Colour and marker of each of several lines or kinds of points, and what all have besides."""
    return {
        name: {"color": COLOURS[i % len(COLOURS)], "marker": MARKERS[i % len(MARKERS)], **more}
        for i, name in enumerate(names)
    }


def dot_rows(
    names: Sequence[str],
    parts: Iterable[Part],
    draw: Callable[[Axes, Part], None],
    *,
    height: tuple[float, float] = (1.1, 0.24),
    states: Sequence[str] = (),
    widths: Sequence[float] | None = None,
) -> tuple[Figure, Sequence[Axes]]:
    """Panels side by side, with one line per data set from top to bottom.

    The printed names of the data sets stand to the left of the first panel, with what `status` says
    of them. `draw` draws one of the parts; the i-th data set is at the height i. The heights are
    inches of the figure without data sets, and per data set; the widths are those of the panels,
    relative to each other.
    """
    parts = list(parts)
    high = height[0] + height[1] * len(names)
    figure, (panels,) = new_grid(PAGE, high, 1, max(1, len(parts)), width_ratios=widths)
    for axes, part in zip(panels, parts, strict=False):
        draw(axes, part)
        shown = names if axes is panels[0] else [""] * len(names)
        rows_axis(axes, shown, states if states and axes is panels[0] else [""] * len(names))
    return figure, panels


def method_panels(
    rows: Sequence[Row],
    draw: Callable[[Axes, int, Row], None],
    head: Callable[[Sequence[Row]], str],
    label: str,
    *,
    finish: Callable[[Axes], None] | None = None,
    **more: Any,
) -> Figure:
    """One panel per method, one line per data set.

    `draw` draws a row, given the axes and the number of its line; `head` makes the heading of a
    panel from its rows. The label is that of x, whose range `finish` sets: else it is 0 to 1.
    `more` is what `dot_rows` takes besides.
    """
    names = names_of(rows)
    lines = {name: i for i, name in enumerate(names)}

    def panel(axes: Axes, method: str) -> None:
        mine = [row for row in rows if row["method"] == method]
        for row in mine:
            draw(axes, lines[row["dataset"]], row)
        axes.set_title(head(mine))
        (finish or unit_axis)(axes)

    methods = first_of(rows, "method")
    figure, _ = dot_rows([*names.values()], methods, panel, **more)
    figure.supxlabel(label, fontsize=8)
    return figure


def unit_axis(axes: Axes) -> None:
    """Scores from 0 to 1 along x."""
    axes.set_xlim(0, 1)
    axes.set_xticks([0, 0.5, 1], ["0", "0.5", "1"])
    axes.set_xticks([0.25, 0.75], minor=True)
    axes.grid(axis="x", which="minor")


def curve(axes: Axes, rows: Iterable[Row], x: str, y: str, **look: Any) -> None:
    """Line through one column of some rows against another one."""
    rows = list(rows)
    axes.plot([float(row[x]) for row in rows], [float(row[y]) for row in rows], **look)


def curves(
    axes: Axes,
    rows: Sequence[Row],
    key: str,
    x: str,
    y: str,
    looks: Mapping[str, Mapping[str, Any]],
    **more: Any,
) -> None:
    """A line for each value of a column, in its look."""
    for name, look in looks.items():
        curve(axes, (row for row in rows if row[key] == name), x, y, **{**look, **more})


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
        label.set_color(DIM if state else "black")
    axes.set_ylim(len(names) - 0.5, -0.5)
    axes.tick_params(axis="y", length=0)
    axes.grid(axis="x")
    for i in range(1, len(names)):
        axes.axhline(i - 0.5, color="#E4E4E4", linewidth=0.5, zorder=0)


MARK_PLACES = [1.03 + 0.045 * j for j in range(len(MARKERS))]
"""Columns of the verdicts to the right of the axes, as fractions of their width."""


def mark(axes: Axes, i: int, j: int, verdict: str, colour: str) -> None:
    """Mark of a verdict to the right of row i, in column j."""
    axes.text(
        MARK_PLACES[j],
        i,
        MARKS[verdict],
        transform=axes.get_yaxis_transform(),
        va="center",
        ha="center",
        color=colour,
    )


def marks_explained(rows: Iterable[Row]) -> str:
    """Line that explains the marks of the verdicts that some rows have."""
    found = {row["verdict"] for row in rows}
    return "Marks: " + ", ".join(f"{mark} {name}" for name, mark in MARKS.items() if name in found)


def legend(figure: Figure, entries: Sequence[tuple[str, Mapping[str, Any]]], columns: int) -> None:
    """Legend above the panels."""
    handles = [Line2D([], [], label=label, **look) for label, look in entries]
    figure.legend(
        handles=handles,
        loc="outside upper left",
        ncols=columns,
        handletextpad=0.4,
        columnspacing=1.2,
        borderaxespad=0.2,
    )
