"""Figures of DISC, one function per kind of artefact, from the CSV of its table."""

from collections.abc import Mapping, Sequence
from typing import Any

from matplotlib.axes import Axes
from matplotlib.figure import Figure

from replication.papers.disc.records import DISC, KMODES, METRICS, RELEASED
from replication.show.drawing import Row, dot, dot_rows, legend, ring
from replication.show.style import COLOURS, GREY

_LOOKS = {DISC: dot(3.2, COLOURS[0]), KMODES: dot(3.2, COLOURS[1]) | {"marker": "s"}}
_LABELS = {DISC: "DISC, ours", KMODES: "k-modes, ours"}


def comparison(spec: Mapping[str, Any], rows: Sequence[Row]) -> tuple[Figure, str]:
    """Draw printed accuracies and ARI as rings, ours as marks."""
    kept = [row for row in rows if row["method"] in _LOOKS and row["reading"] == RELEASED]
    return _dots(spec, kept, "reproduced"), "printed scores and ours"


def honest(spec: Mapping[str, Any], rows: Sequence[Row]) -> tuple[Figure, str]:
    """Draw printed means as rings, means over all starts as marks, the range of means as lines."""
    span = {"color": GREY, "linewidth": 1.0}
    figure = _dots(spec, rows, "mean", ("95 % of the means of as many starts", span))
    return figure, "printed means and means of unselected starts"


def _dots(
    spec: Mapping[str, Any], rows: Sequence[Row], ours: str, *more: tuple[str, dict[str, Any]]
) -> Figure:
    """Draw panels of accuracy and ARI, with a line per data set and method.

    `ours` is the column of our numbers; ``low`` and ``high`` hold their range, if there is one.
    """
    names = {one["id"]: one["printed"] for one in spec["datasets"]}
    names = {name: names[name] for name in names if any(row["dataset"] == name for row in rows)}
    places = {name: i for i, name in enumerate(names)}

    def draw(axes: Axes, metric: str) -> None:
        for row in rows:
            if row["metric"] != metric or row["dataset"] not in places:
                continue
            look = _LOOKS[row["method"]]
            i = places[row["dataset"]] + (0.16 if row["method"] == KMODES else -0.16)
            axes.plot(float(row["printed"]), i, **ring())
            if "low" in row:
                ends = [float(row["low"]), float(row["high"])]
                axes.plot(ends, [i, i], color=look["color"], lw=1.0)
            if row[ours]:
                axes.plot(float(row[ours]), i, **look)
        axes.axvline(0, color=GREY, lw=0.5, zorder=0)
        axes.set_xlabel(f"{METRICS[metric]} (1 is the best)")

    figure, _ = dot_rows([*names.values()], ("accuracy", "ari"), draw, height=(1.0, 0.26))
    looks = [(_LABELS[method], look) for method, look in _LOOKS.items()]
    legend(figure, [("printed", ring()), *looks, *more], 4)
    return figure
