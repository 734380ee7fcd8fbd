"""Figures of CDE, one function per kind of artefact in ``config/papers/cde.yaml``."""

from collections.abc import Mapping, Sequence
from itertools import permutations
from typing import Any

from matplotlib.axes import Axes
from matplotlib.figure import Figure

from replication.show.drawing import Row, curve, first_of, legend, looks, names_of, ring
from replication.show.style import COLOURS, GREY, LIGHT, PAGE, new_figure

_BOXES = {
    "table": (0, 0.5, "Information table"),
    "influence, co-occurrence": (1, 1.0, "Influence Mc\nby co-occurrence"),
    "influence, occurrence": (1, 0.0, "Influence Mo\nby occurrence"),
    "clusters, co-occurrence": (2, 1.0, "Value clusters\nk = 2 … {last_k}"),
    "clusters, occurrence": (2, 0.0, "Value clusters\nk = 2 … {last_k}"),
    "indicator": (3, 0.5, "Indicators I"),
    "values": (4, 0.5, "Value\nembedding N"),
    "objects": (5, 0.5, "Object\nembedding"),
}
_ARROWS = [
    (start, end)
    for (start, (x, y, _)), (end, (column, row, _)) in permutations(_BOXES.items(), 2)
    if column == x + 1 and (row == y or 0.5 in (row, y))
]
"""Arrows to the next column: along a row, or from or to the middle."""
_STEPS = ("value\ncouplings", "k-means\non values", "side by\nside", "PCA", "values of\nan object")


def pipeline(spec: Mapping[str, Any], rows: Sequence[Row]) -> tuple[Figure, str]:
    """Draw the stages of the framework as boxes, with the sizes of their matrices."""
    figure, (axes,) = new_figure(PAGE, 2.5)
    axes.set_axis_off()
    axes.set(xlim=(-0.45, 5.45), ylim=(-0.4, 1.75))
    middle = {"ha": "center", "va": "center", "fontsize": 6.5}
    box = {"boxstyle": "round,pad=0.35", "fc": "white", "ec": COLOURS[0], "lw": 0.8}
    boxes = {}
    for row in rows:
        x, y, words = _BOXES[row["stage"]]
        said = f"{words}\n{{rows}} {{of_rows}}\n× {{columns}} {{of_columns}}".format(**row)
        boxes[row["stage"]] = axes.text(x, y, said, **middle, linespacing=1.25, bbox=box)
    for start, end in _ARROWS:
        axes.annotate(
            "",
            xy=_BOXES[end][:2],
            xytext=_BOXES[start][:2],
            arrowprops={
                "arrowstyle": "-|>",
                "color": GREY,
                "linewidth": 0.9,
                "patchA": boxes[start].get_bbox_patch(),
                "patchB": boxes[end].get_bbox_patch(),
                "shrinkA": 1,
                "shrinkB": 1,
            },
        )
    for i, words in enumerate(_STEPS):
        axes.text(i + 0.5, 1.58, words, **middle, color="#4A4A4A", style="italic")
    return figure, f"the CURE framework on {rows[0]['dataset']}"


def alpha(spec: Mapping[str, Any], rows: Sequence[Row]) -> tuple[Figure, str]:
    """Draw the dimension before the component analysis, and the F-score, against alpha."""
    figure, left, right = _sweep(spec, rows, "alpha", "value clusters (columns of I)")
    left.set_yscale("log")
    values = sorted({float(row["alpha"]) for row in rows})
    for axes in (left, right):
        axes.set_xticks(values, [f"{value:g}" for value in values])
        axes.set_xticks([], minor=True)
    return figure, "dimension and F-score against alpha"


def beta(spec: Mapping[str, Any], rows: Sequence[Row]) -> tuple[Figure, str]:
    """Draw the dimension after the component analysis, and the F-score, against beta."""
    figure, left, _ = _sweep(spec, rows, "beta", "numbers per value (columns of N)")
    left.set_ylim(bottom=0)
    return figure, "dimension and F-score against beta"


def _sweep(
    spec: Mapping[str, Any], rows: Sequence[Row], parameter: str, unit: str
) -> tuple[Figure, Axes, Axes]:
    """Draw two panels: a colour per data set, full lines for the first reading."""
    figure, (left, right) = new_figure(PAGE, 3.0, 2)
    names = names_of(rows)
    lines = dict(zip(spec["readings"], "-:", strict=False))
    full = looks(names, ms=3.2, linewidth=1.0)
    for reading, line in reversed(lines.items()):
        for dataset, look in full.items():
            mine = [r for r in rows if (r["dataset"], r["reading"]) == (dataset, reading)]
            look = {**look, "linestyle": line, "mfc": look["color"] if line == "-" else "white"}
            curve(left, mine, parameter, "dimension", **look)
            x, y, error = (
                [float(row[key]) for row in mine] for key in (parameter, "fscore", "standard_error")
            )
            right.errorbar(x, y, [2 * one for one in error], elinewidth=0.6, **look)
    for axes, words in ((left, unit), (right, "F-score (mean ± 2 standard errors)")):
        axes.set(xscale="log", xlabel=parameter, ylabel=words)
        axes.grid(axis="y")
    right.set_ylim(-0.02, 1.02)
    strokes = {f"{name} reading": {"color": GREY, "linestyle": lines[name]} for name in lines}
    legend(figure, 6, *((names[name], look) for name, look in full.items()), *strokes.items())
    return figure, left, right


PRINTED = ring(6.5, COLOURS[1], 1.1)
"""Look of the printed numbers."""


def bandwidths(spec: Mapping[str, Any], rows: Sequence[Row]) -> tuple[Figure, str]:
    """Draw a panel per method: printed numbers as rings, ours under every setting as strokes."""
    methods, names = first_of(rows, "method"), names_of(rows)
    figure, panels = new_figure(PAGE, 0.9 + 0.27 * len(names), max(1, len(methods)))
    for axes, method in zip(panels, methods, strict=False):
        for i, dataset in enumerate(names):
            mine = [r for r in rows if (r["dataset"], r["method"]) == (dataset, method)]
            values = [float(row["fscore"]) for row in mine]
            axes.plot([min(values), max(values)], [i, i], color=LIGHT, linewidth=3.0, zorder=1)
            axes.plot(values, [i] * len(values), "|", color=GREY, ms=6, mew=0.6, zorder=2)
            at = [float(row["fscore"]) for row in mine if row["chosen"] == "yes"]
            axes.plot(at, [i] * len(at), "|", color=COLOURS[0], ms=10, mew=1.8, zorder=3)
            axes.plot(float(mine[0]["printed_value"]), i, zorder=4, clip_on=False, **PRINTED)
        axes.set_yticks(
            range(len(names)), names.values() if axes is panels[0] else [""] * len(names)
        )
        axes.set(ylim=(len(names) - 0.5, -0.5), xlim=(0, 1.03))
        axes.tick_params(axis="y", length=0, labelleft=axes is panels[0])
        axes.grid(axis="x")
        axes.set(title=mine[0]["label"], xlabel="F-score")
    stroke = {"marker": "|", "linestyle": "none"}
    legend(
        figure,
        3,
        ("printed", PRINTED),
        ("ours, setting of Table 2", stroke | {"color": COLOURS[0], "ms": 10, "mew": 1.8}),
        ("ours, another setting", stroke | {"color": GREY, "ms": 6, "mew": 0.6}),
    )
    return figure, "F-scores under every affinity, normalisation and start"
