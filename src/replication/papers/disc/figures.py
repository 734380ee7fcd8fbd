"""Figures of DISC, one function per kind of artefact, from the CSV of its table."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from replication.papers.disc.records import DISC, KMODES, RELEASED
from replication.show.drawing import Row, legend, rows_axis
from replication.show.style import COLOURS, GREY, PAGE, new_figure

if TYPE_CHECKING:
    from matplotlib.figure import Figure

_PRINTED = {"marker": "o", "ms": 6, "mfc": "none", "mec": "black", "linestyle": "none"}
_LOOKS = {
    DISC: {"marker": "o", "ms": 3.2, "color": COLOURS[0], "linestyle": "none"},
    KMODES: {"marker": "s", "ms": 3.2, "color": COLOURS[1], "linestyle": "none"},
}
_NAMES = {DISC: "DISC", KMODES: "k-modes"}


def comparison(spec: Mapping[str, Any], rows: Sequence[Row]) -> tuple[Figure, str]:
    """Printed accuracies and ARI as rings, ours as marks."""
    kept = [row for row in rows if row["method"] in _LOOKS and row["reading"] == RELEASED]
    figure = _dots(
        kept, lambda axes, row, i, look: _mark(axes, row["reproduced"], i, look), "score"
    )
    return figure, f"{spec['label']}: printed and ours"


def honest(spec: Mapping[str, Any], rows: Sequence[Row]) -> tuple[Figure, str]:
    """Printed means as rings, means over all starts as marks, and where most means of ten lie."""

    def draw(axes: Any, row: Row, i: float, look: Mapping[str, Any]) -> None:
        axes.plot([float(row["low"]), float(row["high"])], [i, i], color=look["color"], lw=1.0)
        _mark(axes, row["mean"], i, look)

    return _dots(rows, draw, "score, with 95 % of the means"), "Printed means among honest ones"


def _mark(axes: Any, value: str, i: float, look: Mapping[str, Any]) -> None:
    if value:
        axes.plot(float(value), i, **look)


def _dots(rows: Sequence[Row], draw: Any, label: str) -> Figure:
    """Two panels, accuracy and ARI: a line per data set, the two methods above each other."""
    names = list(dict.fromkeys(row["printed_name"] for row in rows if row["dataset"] != "all"))
    figure, panels = new_figure(PAGE, 1.0 + 0.26 * len(names), 2)
    for axes, metric, title in zip(panels, ("accuracy", "ari"), ("accuracy", "ARI"), strict=True):
        for row in rows:
            if row["metric"] != metric or row["dataset"] == "all":
                continue
            i = names.index(row["printed_name"]) + (0.16 if row["method"] == KMODES else -0.16)
            axes.plot(float(row["printed"]), i, **_PRINTED)
            draw(axes, row, i, _LOOKS[row["method"]])
        rows_axis(axes, names, [""] * len(names))
        axes.axvline(0, color=GREY, lw=0.5, zorder=0)
        axes.set_xlabel(f"{title}: {label}")
    looks = [(_NAMES[method], look) for method, look in _LOOKS.items()]
    legend(figure, [("printed", _PRINTED), *looks], 3)
    return figure
