"""Figures of the planted clusters: phase diagrams of the gains."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from replication.papers.planted.tables import UNDECIDED
from replication.show.drawing import Row, first_of
from replication.show.style import PAGE, new_grid

_GAINS: dict[str, Any] = {"cmap": "PuOr", "vmin": -0.5, "vmax": 0.5}
_SHARES: dict[str, Any] = {"cmap": "Greys", "vmin": 0.0, "vmax": 1.4}


def gains(spec: Mapping[str, Any], rows: Sequence[Row]) -> tuple[Figure, str]:
    """Draw the gain of each measure (columns) and algorithm (rows) over two factors, in hundredths.

    The first column is the ARI of simple matching. If the true distances of values are known, the
    last row is the agreement of the measure's distances with them.
    """
    factors = spec["parameters"]["factors"]
    measures = first_of(rows, "measure")
    kinds = {
        name: [r for r in rows if r["algorithm"] == name] for name in first_of(rows, "algorithm")
    }
    agreed = [row for row in next(iter(kinds.values())) if row["agreement"]]
    kinds |= {"agreement": agreed} if agreed else {}
    levels = [first_of(rows, name) for name in factors]
    height = 0.8 + len(kinds) * (0.45 + 0.15 * len(levels[0]))
    figure, grid = new_grid(PAGE, height, len(kinds), len(measures) + 1)
    for line, (kind, mine) in zip(grid, kinds.items(), strict=True):
        parts = {name: [r for r in mine if r["measure"] == name] for name in measures}
        panels = [(part, "agreement" if mine is agreed else "gain") for part in parts.values()]
        # every measure is compared with the ARI of simple matching
        first = [] if mine is agreed else next(part for part in parts.values() if part)
        for axes, (part, key) in zip(line, [(first, "simple"), *panels], strict=True):
            axes.set_axis_off()
            if part:
                _draw(axes, part, list(factors), levels, key)
        line[mine is agreed].set_ylabel(kind, fontsize=7.5, fontweight="bold")
        line[mine is agreed].set_yticks(np.arange(len(levels[0])) + 0.5, levels[0])
    down, across = factors.values()
    figure.supylabel(down, fontsize=8)
    figure.supxlabel(
        f"{across} (cells: hundredths of ARI or agreement; with a sign: decided; dot: undecided)",
        fontsize=8,
    )
    return figure, "gain in ARI over simple matching"


def _draw(
    axes: Axes,
    rows: Sequence[Row],
    factors: Sequence[str],
    levels: Sequence[Sequence[str]],
    key: str,
) -> None:
    """Draw one panel, with a cell and its number for every setting."""
    values = np.full([len(one) for one in levels], np.nan)
    for row in rows:
        i, j = (one.index(row[name]) for one, name in zip(levels, factors, strict=True))
        if row[key]:
            values[i, j] = value = float(row[key])
            text = f"{round(100 * value):{'+' * (key == 'gain')}d}".replace("-", "−")
            undecided = key == "gain" and row["decision"] == UNDECIDED
            colour = "white" if abs(value) > (0.3 if key == "gain" else 0.8) else "black"
            place: Any = {"ha": "center", "va": "center", "color": colour, "fontsize": 5.5}
            axes.text(j + 0.5, i + 0.5, "·" if undecided else text, **place)
    axes.set_axis_on()
    axes.pcolormesh(
        values, edgecolors="white", linewidth=0.5, **(_GAINS if key == "gain" else _SHARES)
    )
    axes.invert_yaxis()
    title = "simple matching: ARI" if key == "simple" else rows[0]["label"]
    axes.set_title(title, fontsize=6.5)
    axes.set_xticks(np.arange(len(levels[1])) + 0.5, levels[1])
    axes.set_yticks([])
    axes.tick_params(length=0, labelsize=6)
    axes.spines[:].set_visible(False)
