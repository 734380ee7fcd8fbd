"""Figures of the report itself, as SVG text."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from replication.judge.verdicts import MARKS, VERDICTS
from replication.show.rollup import LOOKS
from replication.show.style import COLOURS, PAGE, new_figure, svg_bytes


def verdict_bars(rows: Sequence[tuple[str, Mapping[str, int]]]) -> bytes:
    """Shares of the verdicts, one bar per row.

    Parameters
    ----------
    rows : sequence of (str, mapping of str to int)
        Label and counts by verdict; the counts of a row do not add up to 0.
    """
    figure, (axes,) = new_figure(PAGE, 0.7 + 0.21 * len(rows))
    for i, (_, counts) in enumerate(rows):
        total, start = sum(counts.values()), 0.0
        for name in VERDICTS:
            colour, hatch = LOOKS[name]
            width = 100 * counts.get(name, 0) / total
            if not width:
                continue
            axes.barh(
                i, width, left=start, color=colour, hatch=hatch, edgecolor="white", height=0.8
            )
            if width > 4:
                axes.text(
                    start + width / 2,
                    i,
                    counts[name],
                    ha="center",
                    va="center",
                    fontsize=7,
                    bbox={"facecolor": "white", "edgecolor": "none", "pad": 0.8, "alpha": 0.9},
                )
            start += width
    axes.set_yticks(range(len(rows)), [label for label, _ in rows])
    axes.set_ylim(len(rows) - 0.5, -0.5)
    axes.set_xlim(0, 100)
    axes.set_xlabel("share of the printed numbers (%); labels count them")
    axes.tick_params(axis="y", length=0)
    from matplotlib.patches import Patch

    handles = [
        Patch(
            facecolor=LOOKS[name][0],
            hatch=LOOKS[name][1],
            edgecolor="white",
            label=f"{MARKS[name]} {name}",
        )
        for name in VERDICTS
    ]
    figure.legend(handles=handles, loc="outside upper left", ncols=len(VERDICTS))
    return svg_bytes(figure, "Verdicts")


def time_bars(rows: Sequence[tuple[str, float]]) -> bytes:
    """Time spent, one bar per row.

    Parameters
    ----------
    rows : sequence of (str, float)
        Label and seconds.
    """
    figure, (axes,) = new_figure(PAGE, 0.6 + 0.2 * len(rows))
    unit, name = (
        (60.0, "minutes") if max(seconds for _, seconds in rows) > 300 else (1.0, "seconds")
    )
    axes.barh(
        range(len(rows)), [seconds / unit for _, seconds in rows], color=COLOURS[0], height=0.7
    )
    for i, (_, seconds) in enumerate(rows):
        axes.annotate(
            f"{seconds / unit:.3g}",
            (seconds / unit, i),
            (3, 0),
            textcoords="offset points",
            va="center",
            fontsize=7,
        )
    axes.set_yticks(range(len(rows)), [label for label, _ in rows])
    axes.set_ylim(len(rows) - 0.5, -0.5)
    axes.set_xlabel(f"wall-clock time of the jobs ({name})")
    axes.tick_params(axis="y", length=0)
    axes.grid(axis="x")
    axes.margins(x=0.08)
    return svg_bytes(figure, "Where the time went")
