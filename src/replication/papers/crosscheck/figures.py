"""Figures of the independent runs: tilt of own columns, and our code against runs of others."""

from collections.abc import Mapping, Sequence
from typing import Any

from matplotlib.axes import Axes
from matplotlib.figure import Figure

from replication.judge.tilt import LEVEL, NEITHER
from replication.papers.crosscheck.tables.columns import PRIMARY
from replication.show.drawing import Row, first_of, legend, rows_axis
from replication.show.style import COLOURS, GREY, MARKERS, PAGE, new_grid

_BESIDE = {"marker": "|", "ms": 7, "mew": 1.0, "color": GREY, "linestyle": "none"}
"""Look of the tilts under other choices of cells."""
_LIMITS = 4.0
"""Largest z-score that is drawn in its place."""


def tilt(spec: Mapping[str, Any], rows: Sequence[Row]) -> tuple[Figure, str]:
    """Draw the tilt of each own column and reading, with its other choices of cells."""
    first = [row for row in rows if row["case"] == PRIMARY]
    names = [f"{row['own']}, {row['reading']}" for row in first]
    figure, ((axes,),) = new_grid(PAGE, 1.2 + 0.24 * len(first), 1, 1)
    clear: Mapping[str, Any] = {"marker": "o", "ms": 6.5, "color": COLOURS[0], "linestyle": "none"}
    open_: Mapping[str, Any] = {**clear, "mfc": "white"}
    for i, row in enumerate(first):
        key = ("paper", "own", "reading")
        others = [one for one in rows if all(one[name] == row[name] for name in key)]
        axes.plot([float(one["tilt"]) for one in others], [i] * len(others), **_BESIDE)
        look = clear if row["says"] != NEITHER else open_
        axes.plot([float(row["tilt"])], [i], **look)
        p = float(row["p_holm"] or row["p"])
        said = f"p {p:.2g}{' (Holm)' if row['p_holm'] else ''}"
        axes.text(1.02, i, said, transform=axes.get_yaxis_transform(), va="center", fontsize=7)
    axes.axvline(0, color="black", linewidth=0.6, zorder=0)
    axes.set_xlim(-1.3, 1.3)
    axes.set_xlabel(
        "tilt: mean sign of printed − ours, own column minus rivals (0: like the rivals)"
    )
    rows_axis(axes, names, [""] * len(names))
    legend(
        figure,
        3,
        (f"p below {LEVEL:g}", clear),
        ("no lean beyond chance", open_),
        ("other choices of cells", _BESIDE),
    )
    return figure, "tilt of own columns"


def validation(spec: Mapping[str, Any], rows: Sequence[Row]) -> tuple[Figure, str]:
    """Draw how far our means are from those of others, in standard errors, by method."""
    claimed = spec["parameters"]["claimed"]
    shown = [row for row in rows if claimed.get(row["method"]) == row["index"] and row["ours"]]
    names = {row["dataset"]: row["printed_name"] for row in shown}
    lines = {name: i for i, name in enumerate(names)}
    methods = first_of(shown, "method")
    figure, (panels,) = new_grid(PAGE, 1.1 + 0.22 * len(names), 1, max(1, len(methods)))
    for axes, method, marker in zip(panels, methods, MARKERS, strict=False):
        mine = [row for row in shown if row["method"] == method]
        for row in mine:
            _distance(axes, lines[row["dataset"]], row["z"], marker)
        axes.axvspan(-2, 2, color="#EEEEEE", zorder=0)
        axes.axvline(0, color="black", linewidth=0.6, zorder=0)
        axes.set_xlim(-_LIMITS - 0.4, _LIMITS + 0.4)
        axes.set_title(f"{mine[0]['label']}: {mine[0]['index']}")
        rows_axis(
            axes, [*names.values()] if axes is panels[0] else [""] * len(names), [""] * len(names)
        )
    figure.supxlabel(
        "ours minus others, in standard errors of the difference (grey: within two)", fontsize=8
    )
    return figure, "our code against runs of others"


def _distance(axes: Axes, line: int, z: str, marker: str) -> None:
    """Draw one z-score; one beyond the axis is an arrow at its end with its number."""
    value = float(z) if z else _LIMITS
    inside = min(max(value, -_LIMITS), _LIMITS)
    far = not z or abs(value) > _LIMITS
    axes.plot([inside], [line], marker=marker, ms=5, color=COLOURS[1 if abs(value) > 2 else 0])
    if far:
        text = f"{value:.0f}" if z else "no spread"
        axes.annotate(
            text, (inside, line), (0, 4), textcoords="offset points", fontsize=5.5, ha="center"
        )
