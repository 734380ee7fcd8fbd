"""Pictures of the planted clusters: phase diagrams of the gains."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from replication.papers.planted.tables import UNDECIDED
from replication.show.drawing import Row, first_of
from replication.show.style import PAGE, new_grid

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

_GAINS = {"cmap": "PuOr", "vmin": -0.5, "vmax": 0.5}
_SHARES = {"cmap": "Greys", "vmin": 0.0, "vmax": 1.4}


def gains(spec: Mapping[str, Any], rows: Sequence[Row]) -> tuple[Figure, str]:
    """Gain of each measure (columns) with each algorithm (rows) over two factors, in hundredths.

    The first column is the ARI of simple matching itself; the last row, where the true distances of
    values are known, the agreement of the measure's distances with them.
    """
    factors = spec["parameters"]["factors"]
    algorithms, measures = first_of(rows, "algorithm"), first_of(rows, "measure")
    agreed = [row for row in rows if row["agreement"] and row["algorithm"] == algorithms[0]]
    kinds = [*algorithms, *(["agreement"] if agreed else [])]
    levels = [first_of(rows, name) for name in factors]
    height = 0.8 + len(kinds) * (0.45 + 0.15 * len(levels[0]))
    figure, grid = new_grid(PAGE, height, len(kinds), len(measures) + 1)
    for i, kind in enumerate(kinds):
        mine = agreed if kind == "agreement" else [r for r in rows if r["algorithm"] == kind]
        key, look = ("agreement", _SHARES) if kind == "agreement" else ("gain", _GAINS)
        panels = [
            ([] if kind == "agreement" else mine, "simple", "simple matching: ARI", _SHARES),
            *(([r for r in mine if r["measure"] == m], key, "", look) for m in measures),
        ]
        first = True
        for j, (part, shown, head, colours) in enumerate(panels):
            axes = grid[i][j]
            if not part:
                axes.set_axis_off()
                continue
            _draw(axes, part, list(factors), levels, shown, colours)
            axes.set_title(head or part[0]["label"], fontsize=6.5)
            axes.set_yticks(np.arange(len(levels[0])) + 0.5, levels[0] if first else [])
            axes.set_xticks(np.arange(len(levels[1])) + 0.5, levels[1])
            axes.tick_params(length=0, labelsize=6)
            axes.spines[:].set_visible(False)
            if first:
                axes.set_ylabel(kind, fontsize=7.5, fontweight="bold")
            first = False
    down, across = factors.values()
    figure.supylabel(down, fontsize=8)
    figure.supxlabel(f"{across} (hundredths of ARI; + and - decided, dot undecided)", fontsize=8)
    return figure, f"{spec['label']}: gain in ARI over simple matching"


def _draw(
    axes: Axes,
    rows: Sequence[Row],
    factors: Sequence[str],
    levels: Sequence[Sequence[str]],
    key: str,
    colours: Mapping[str, Any],
) -> None:
    """Cells of a panel with their numbers."""
    values = np.full([len(one) for one in levels], np.nan)
    for row in rows:
        i, j = (one.index(row[name]) for one, name in zip(levels, factors, strict=True))
        if not row[key]:
            continue
        values[i, j] = value = float(row[key])
        text = f"{100 * value:+.0f}".replace("-", "−") if key == "gain" else f"{100 * value:.0f}"
        if key == "gain" and row["decision"] == UNDECIDED:
            text = "·"
        dark = abs(value) > (0.3 if key == "gain" else 0.8)
        place: Any = {"ha": "center", "va": "center", "color": "white" if dark else "black"}
        axes.text(j + 0.5, i + 0.5, text, fontsize=5.5, **place)
    axes.pcolormesh(values, edgecolors="white", linewidth=0.5, **colours)
    axes.invert_yaxis()
