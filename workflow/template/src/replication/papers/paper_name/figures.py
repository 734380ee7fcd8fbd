"""Figures of the paper, one function per kind of artefact, from the CSV of its table."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from replication.show.drawing import Row, dot, legend, ring, rows_axis
from replication.show.style import COLOURS, PAGE, new_figure

_PRINTED, _OURS = ring(), dot(3.2, COLOURS[0])


def accuracy(spec: Mapping[str, Any], rows: Sequence[Row]) -> tuple[Any, str]:
    """Printed accuracies as rings, ours as dots."""
    figure, (axes,) = new_figure(PAGE, 1.0 + 0.24 * len(rows))
    for i, row in enumerate(rows):
        axes.plot(float(row["printed"]), i, **_PRINTED)
        if row["reproduced"]:
            axes.plot(float(row["reproduced"]), i, **_OURS)
    rows_axis(axes, [row["printed_name"] for row in rows], [""] * len(rows))
    axes.set(xlim=(0, 1), xlabel="accuracy")
    legend(figure, 2, ("printed", _PRINTED), ("ours", _OURS))
    return figure, "accuracy, printed and ours"
