"""Figures of DISC, one function per kind of artefact, from the CSV of its table."""

from collections.abc import Mapping, Sequence
from typing import Any

from matplotlib.figure import Figure

from replication.papers.disc.records import DISC, KMODES, RELEASED
from replication.show.drawing import Row, dot, legend, names_of, rows_axis
from replication.show.style import COLOURS, GREY, PAGE, new_figure

_PRINTED = {"marker": "o", "ms": 6, "mfc": "none", "mec": "black", "linestyle": "none"}
_LOOKS = {DISC: dot(3.2, COLOURS[0]), KMODES: dot(3.2, COLOURS[1]) | {"marker": "s"}}
_NAMES = {DISC: "DISC", KMODES: "k-modes"}


def comparison(spec: Mapping[str, Any], rows: Sequence[Row]) -> tuple[Figure, str]:
    """Printed accuracies and ARI as rings, ours as marks."""
    kept = [row for row in rows if row["method"] in _LOOKS and row["reading"] == RELEASED]
    return _dots(kept, "reproduced", "score"), f"{spec['label']}: printed and ours"


def honest(spec: Mapping[str, Any], rows: Sequence[Row]) -> tuple[Figure, str]:
    """Printed means as rings, means over all starts as marks, and where most means of ten lie."""
    return _dots(rows, "mean", "score, with 95 % of the means"), "Printed means among honest ones"


def _dots(rows: Sequence[Row], ours: str, label: str) -> Figure:
    """Two panels, accuracy and ARI: a line per data set, the two methods above each other.

    `ours` is the column of our numbers; those with a range have it in ``low`` and ``high``.
    """
    rows = [row for row in rows if row["dataset"] != "all"]
    names = names_of(rows)
    places = {name: i for i, name in enumerate(names)}
    figure, panels = new_figure(PAGE, 1.0 + 0.26 * len(names), 2)
    for axes, metric, title in zip(panels, ("accuracy", "ari"), ("accuracy", "ARI"), strict=True):
        for row in (row for row in rows if row["metric"] == metric):
            look = _LOOKS[row["method"]]
            i = places[row["dataset"]] + (0.16 if row["method"] == KMODES else -0.16)
            axes.plot(float(row["printed"]), i, **_PRINTED)
            if "low" in row:
                ends = [float(row["low"]), float(row["high"])]
                axes.plot(ends, [i, i], color=look["color"], lw=1.0)
            if row[ours]:
                axes.plot(float(row[ours]), i, **look)
        rows_axis(axes, [*names.values()], [""] * len(names))
        axes.axvline(0, color=GREY, lw=0.5, zorder=0)
        axes.set_xlabel(f"{title}: {label}")
    looks = [(_NAMES[method], look) for method, look in _LOOKS.items()]
    legend(figure, [("printed", _PRINTED), *looks], 3)
    return figure
