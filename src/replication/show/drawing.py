"""Parts of the figures of several papers: axes of data sets, marks of verdicts, legends."""

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from typing import Any, TypeVar

from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D

from replication.judge.verdicts import MARKS, NOT_COMPARABLE, NOT_RUN
from replication.show.style import COLOURS, DIM, MARKERS, PAGE, new_grid

Row = Mapping[str, str]
Part = TypeVar("Part")


def first_of(rows: Iterable[Row], key: str) -> list[str]:
    """Return the different values of a column, in order of appearance."""
    return list(dict.fromkeys(row[key] for row in rows))


def names_of(rows: Iterable[Row]) -> dict[str, str]:
    """Return the first printed name of each data set, by id in order of appearance."""
    found: dict[str, str] = {}
    for row in rows:
        found.setdefault(row["dataset"], row["printed_name"])
    return found


def ring(size: float = 6.0, colour: str = "black", width: float = 0.8) -> dict[str, Any]:
    """Return the look of a printed number."""
    edge = {"mfc": "none", "mec": colour, "mew": width}
    return {"marker": "o", "ms": size, "linestyle": "none", **edge}


def dot(size: float, colour: str) -> dict[str, Any]:
    """Return the look of one of our numbers."""
    return {"marker": "o", "ms": size, "color": colour, "linestyle": "none"}


def looks(names: Iterable[str], **more: Any) -> dict[str, dict[str, Any]]:
    """Return the look of each of several lines or kinds of points: colour, marker and `more`."""
    return {
        name: {"color": COLOURS[i % len(COLOURS)], "marker": MARKERS[i % len(MARKERS)], **more}
        for i, name in enumerate(names)
    }


def dot_rows(
    names: Sequence[str],
    parts: Collection[Part],
    draw: Callable[[Axes, Part], None],
    *,
    height: tuple[float, float] = (1.1, 0.24),
    states: Sequence[str] = (),
    widths: Sequence[float] | None = None,
) -> tuple[Figure, Sequence[Axes]]:
    """Draw panels side by side, with one line per data set from top to bottom.

    Parameters
    ----------
    names : sequence of str
        Printed names of the data sets, left of the first panel.
    parts, draw
        Content of the panels, and the function that draws one; data set i has the height i.
    height : tuple of float
        Inches of the figure without data sets, and inches per data set.
    states : sequence of str, optional
        What `status` says of each data set, shown with its name.
    widths : sequence of float, optional
        Relative widths of the panels.
    """
    high = height[0] + height[1] * len(names)
    figure, (panels,) = new_grid(PAGE, high, 1, max(1, len(parts)), width_ratios=widths)
    blank = [""] * len(names)
    for axes, part in zip(panels, parts, strict=False):
        draw(axes, part)
        rows_axis(axes, *((names, states or blank) if axes is panels[0] else (blank, blank)))
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
    """Draw a panel per method, with one line per data set.

    Parameters
    ----------
    draw : callable
        Draws a row, from the axes, the number of its line and the row.
    head : callable
        Returns the heading of a panel, from its rows.
    label : str
        Label of the x axis.
    finish : callable, optional
        Sets the range of x; 0 to 1 if not given.
    more
        Other arguments of `dot_rows`.
    """
    names = names_of(rows)
    lines = {name: i for i, name in enumerate(names)}

    def panel(axes: Axes, method: str) -> None:
        mine = [row for row in rows if row["method"] == method]
        for row in mine:
            draw(axes, lines[row["dataset"]], row)
        axes.set_title(head(mine))
        (finish or unit_axis)(axes)

    figure, _ = dot_rows([*names.values()], first_of(rows, "method"), panel, **more)
    figure.supxlabel(label, fontsize=8)
    return figure


def unit_axis(axes: Axes) -> None:
    """Set an x axis for scores from 0 to 1."""
    axes.set_xlim(0, 1)
    axes.set_xticks([0, 0.5, 1], ["0", "0.5", "1"])
    axes.set_xticks([0.25, 0.75], minor=True)
    axes.grid(axis="x", which="minor")


def curve(axes: Axes, rows: Sequence[Row], x: str, y: str, **look: Any) -> None:
    """Draw a line through one column of some rows against another one."""
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
    """Draw a line for each value of a column, in its look."""
    for name, look in looks.items():
        curve(axes, [row for row in rows if row[key] == name], x, y, **{**look, **more})


def status(rows: Iterable[Row]) -> str:
    """Return ``not run`` or ``not comparable`` if no row of a data set could be compared."""
    verdicts = {row["verdict"] for row in rows}
    if verdicts == {NOT_RUN}:
        return NOT_RUN
    return NOT_COMPARABLE if verdicts <= {NOT_COMPARABLE, NOT_RUN} else ""


def rows_axis(axes: Axes, names: Sequence[str], states: Sequence[str]) -> None:
    """Set a y axis with data sets from top to bottom; those with a state are grey and show it."""
    labels = [
        f"{one} ({state})" if state else one for one, state in zip(names, states, strict=True)
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
"""Positions of columns of verdicts to the right of the axes, as fractions of their width."""


def mark(axes: Axes, i: int, j: int, verdict: str, colour: str) -> None:
    """Draw the mark of a verdict to the right of row i, in column j."""
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
    """Return a line that explains the marks of the verdicts that some rows have."""
    found = {row["verdict"] for row in rows}
    return "Marks: " + ", ".join(f"{mark} {name}" for name, mark in MARKS.items() if name in found)


def legend(figure: Figure, columns: int, *entries: tuple[str, Mapping[str, Any]]) -> None:
    """Draw a legend above the panels, in so many columns: labels with their looks."""
    figure.legend(
        handles=[Line2D([], [], label=label, **look) for label, look in entries],
        loc="outside upper left",
        ncols=columns,
        handletextpad=0.4,
        columnspacing=1.2,
        borderaxespad=0.2,
    )
