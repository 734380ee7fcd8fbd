"""Step `figure`: draw the numbers of one artefact from the CSV of its table."""

from __future__ import annotations

import argparse
import csv
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from replication.errors import UserError
from replication.steps import specification
from replication.style import (
    COLOURS,
    COLUMN,
    GREY,
    LIGHT,
    LINES,
    MARKERS,
    PAGE,
    new_figure,
    save,
)
from replication.verdicts import MARKS, NOT_COMPARABLE, NOT_RUN

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

Row = Mapping[str, str]


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments of the step."""
    parser.add_argument("--spec", required=True, help="artefact (JSON)")
    parser.add_argument("--table", type=Path, required=True, help="CSV of the table")
    parser.add_argument("--inputs", type=Path, nargs="*", default=[], help="files of the artefact")
    parser.add_argument("--svg", type=Path, required=True, help="output (SVG)")
    parser.add_argument("--pdf", type=Path, required=True, help="output (PDF)")


def run(args: argparse.Namespace) -> int:
    """Run the step."""
    spec = specification(args.spec)
    figure, title = draw(spec, read_rows(args.table))
    save(figure, args.svg, args.pdf, title)
    return 0


def read_rows(path: Path) -> list[dict[str, str]]:
    """Rows of the CSV of a table, every cell a text."""
    with Path(path).open(encoding="utf-8", newline="") as stream:
        return list(csv.DictReader(stream))


def draw(spec: Mapping[str, Any], rows: Sequence[Row]) -> tuple[Figure, str]:
    """Figure of an artefact, and its title.

    Parameters
    ----------
    spec : mapping
        ``kind``, ``label``, ``readings``, and what the kind needs besides.
    rows : sequence of mapping
        Rows of the CSV of the table.

    Raises
    ------
    UserError
        If there is no such figure.
    """
    kind = spec["kind"]
    if kind not in KINDS:
        raise UserError(
            f"{spec['paper']}/{spec['artefact']}: no figure for kind {kind!r}; "
            f"kinds are {', '.join(KINDS)}"
        )
    return KINDS[kind](spec, rows)


def _first_of(rows: Iterable[Row], key: str) -> list[str]:
    """Different values of a column, in order of appearance."""
    return list(dict.fromkeys(row[key] for row in rows))


def _status(rows: Iterable[Row]) -> str:
    """``not comparable`` or ``not run`` if that is so for all rows of a data set; else empty."""
    verdicts = {row["verdict"] for row in rows}
    if verdicts == {NOT_RUN}:
        return NOT_RUN
    return NOT_COMPARABLE if verdicts <= {NOT_COMPARABLE, NOT_RUN} else ""


def _rows_axis(axes: Axes, names: Sequence[str], states: Sequence[str]) -> None:
    """Data sets from top to bottom; those without a comparison in grey, with the reason."""
    labels = [
        f"{name} ({state})" if state else name for name, state in zip(names, states, strict=True)
    ]
    axes.set_yticks(range(len(names)), labels)
    for label, state in zip(axes.get_yticklabels(), states, strict=True):
        label.set_color("#6B6B6B" if state else "black")
    axes.set_ylim(len(names) - 0.5, -0.5)
    axes.tick_params(axis="y", length=0)
    axes.grid(axis="x")
    for i in range(1, len(names)):
        axes.axhline(i - 0.5, color="#E4E4E4", linewidth=0.5, zorder=0)


_MARK_PLACES = [1.03 + 0.045 * j for j in range(len(MARKERS))]
"""Columns of the verdicts to the right of the axes, as fractions of their width."""


def _mark(axes: Axes, i: int, j: int, verdict: str, colour: str) -> None:
    """Mark of a verdict beside row i, in column j."""
    axes.text(
        _MARK_PLACES[j],
        i,
        MARKS[verdict],
        transform=axes.get_yaxis_transform(),
        va="center",
        ha="center",
        color=colour,
    )


def _legend(figure: Figure, entries: Sequence[tuple[str, Mapping[str, Any]]], columns: int) -> None:
    """Legend above the panels."""
    from matplotlib.lines import Line2D

    handles = [Line2D([], [], label=label, **look) for label, look in entries]
    figure.legend(
        handles=handles,
        loc="outside upper left",
        ncols=columns,
        handletextpad=0.4,
        columnspacing=1.2,
        borderaxespad=0.2,
    )


# --- printed against reproduced -----------------------------------------------------------------

_AXES = {
    "purity": ("purity (%)", 100.0),
    "nmi": ("normalised mutual information", 1.0),
    "ari": ("adjusted Rand index", 1.0),
}


def quality(spec: Mapping[str, Any], rows: Sequence[Row]) -> tuple[Figure, str]:
    """Printed numbers as rings, ours as dots, one line of data sets, one shape per method.

    Bars span our numbers over row orders and random samples. A stroke is our number at the fixed
    setting. The marks on the right are the verdicts, one column per method. Only the first
    reading is drawn.
    """
    first = spec["readings"][0]
    unit, scale = _AXES[spec["score"]]
    ours = [row for row in rows if row["reading"] == first]
    fixed = {
        (row["dataset"], row["method"]): row["reproduced"]
        for row in rows
        if row["reading"] == "fixed"
    }
    datasets, methods = _first_of(ours, "dataset"), _first_of(ours, "method")
    names = [next(r["printed_name"] for r in ours if r["dataset"] == d) for d in datasets]
    states = [_status(r for r in ours if r["dataset"] == d) for d in datasets]
    figure, (axes,) = new_figure(0.75 * PAGE, 0.9 + 0.29 * len(datasets))
    step = 0.66 / len(methods) if methods else 0.0
    looks = dict(zip(methods, zip(COLOURS, MARKERS, strict=True), strict=False))
    for row in ours:
        i, j = datasets.index(row["dataset"]), methods.index(row["method"])
        colour, marker = looks[row["method"]]
        colour = GREY if states[i] else colour
        y = i + (j - (len(methods) - 1) / 2) * step
        printed = float(row["printed_value"]) * scale
        axes.plot(printed, y, marker, ms=7, mfc="none", mec=colour, mew=0.9, clip_on=False)
        _mark(axes, i, j, row["verdict"], colour)
        if not row["reproduced"]:
            continue
        value, low, high = (
            float(row[key]) * scale for key in ("reproduced", "spread_min", "spread_max")
        )
        axes.plot([printed, value], [y, y], color=colour, linewidth=0.7, clip_on=False)
        if low != high:
            axes.plot([low, high], [y, y], "|-", color=colour, ms=5, linewidth=0.7, clip_on=False)
        axes.plot(value, y, marker, ms=3.4, color=colour, clip_on=False)
        if at := fixed.get((row["dataset"], row["method"])):
            axes.plot(float(at) * scale, y, "|", color=colour, ms=8, mew=1.4, clip_on=False)
    _rows_axis(axes, names, states)
    axes.set_xlabel(unit)
    entries = []
    for j, (method, (colour, marker)) in enumerate(looks.items()):
        above = {"transform": axes.get_yaxis_transform(), "clip_on": False}
        axes.plot(_MARK_PLACES[j], -0.9, marker, ms=4, mfc="none", mec=colour, **above)
        label = next(row["label"] for row in ours if row["method"] == method)
        look = {"marker": marker, "color": colour, "linestyle": "none"}
        entries += [
            (f"{label}, printed", look | {"ms": 7, "mfc": "none", "mew": 0.9}),
            (f"{label}, ours", look | {"ms": 3.4}),
        ]
    entries.append(("our range", {"marker": "|", "color": GREY, "ms": 5, "linewidth": 0.7}))
    for method in spec["methods"]:
        for parameter, value in (method["fixed"] or {}).items():
            look = {"marker": "|", "color": GREY, "ms": 8, "mew": 1.4, "linestyle": "none"}
            entries.append((f"{method['label']}, {parameter} {value:g}", look))
    _legend(figure, entries, 3)
    return figure, f"{spec['label']}: {unit}, printed and ours"


# --- curves over sigma --------------------------------------------------------------------------

_PANELS = {"eq5": "(a) purity, eq. (5)", "inverse": "(a) inverse purity", "nmi": "(b) NMI"}


def sigma_curves(spec: Mapping[str, Any], rows: Sequence[Row]) -> tuple[Figure, str]:
    """Scores against sigma; data sets whose range is small are drawn in light grey."""
    figure, panels = new_figure(PAGE, 3.3, len(_PANELS))
    datasets = _first_of(rows, "dataset")
    plotted = [d for d in datasets if any(r["dataset"] == d and "yes" in r.values() for r in rows)]
    for axes, (key, head) in zip(panels, _PANELS.items(), strict=True):
        ends = []
        for dataset in datasets:
            curve = [row for row in rows if row["dataset"] == dataset]
            x = [float(row["sigma"]) for row in curve]
            y = [float(row[key]) for row in curve]
            if curve[0][f"{key}_plotted"] != "yes":
                axes.plot(x, y, color=LIGHT, linewidth=0.8, zorder=1)
                continue
            i = plotted.index(dataset)
            colour = COLOURS[i % len(COLOURS)]
            axes.plot(
                x,
                y,
                marker=MARKERS[i % len(MARKERS)],
                linestyle=LINES[i // len(COLOURS) % len(LINES)],
                color=colour,
                ms=3.2,
                linewidth=1.0,
                zorder=2,
            )
            ends.append((y[-1], curve[0]["printed_name"], colour))
        axes.set_title(head)
        axes.set_xlabel("sigma")
        axes.set_xlim(-0.03, 1.03)
        axes.set_ylim(-0.02, 1.03)
        axes.grid(axis="y")
        ends.sort()
        places = _apart([end for end, *_ in ends])
        for place, (end, name, colour) in zip(places, ends, strict=True):
            axes.annotate(
                name,
                (1.0, end),
                xytext=(1.1, place),
                textcoords="data",
                va="center",
                fontsize=7,
                annotation_clip=False,
                arrowprops={"arrowstyle": "-", "color": colour, "linewidth": 0.4, "shrinkA": 0},
            )
    panels[0].set_ylabel("score")
    named = {"color": COLOURS[0], "marker": "o", "ms": 3.2, "linewidth": 1.0}
    looks = [
        ("varies enough for the paper's plot", named),
        ("varies less", {"color": LIGHT, "linewidth": 0.8}),
    ]
    _legend(figure, looks, 2)
    return figure, f"{spec['label']}: scores against sigma"


def _apart(places: Sequence[float], gap: float = 0.055) -> list[float]:
    """Sorted positions in [0, 1], moved as little as possible to lie `gap` apart.

    Least squares: less i gaps the i-th position must not fall, so runs that would fall are
    averaged.
    """
    runs: list[tuple[float, int]] = []
    for i, place in enumerate(sorted(places)):
        mean, size = place - i * gap, 1
        while runs and runs[-1][0] > mean:
            before, count = runs.pop()
            mean, size = (before * count + mean * size) / (count + size), count + size
        runs.append((mean, size))
    lifted = [mean for mean, size in runs for _ in range(size)]
    top = 1.0 - (len(lifted) - 1) * gap
    return [max(min(mean, top), 0.0) + i * gap for i, mean in enumerate(lifted)]


# --- context sizes ------------------------------------------------------------------------------


def context_sizes(spec: Mapping[str, Any], rows: Sequence[Row]) -> tuple[Figure, str]:
    """Mean context size with its standard deviation, printed above ours."""
    first = spec["readings"][0]
    ours = [row for row in rows if row["reading"] == first]
    cells = {(row["dataset"], row["metric"]): row for row in ours}
    datasets = _first_of(ours, "dataset")
    names = [cells[d, "mean_context_size"]["printed_name"] for d in datasets]
    states = [_status([cells[d, "mean_context_size"]]) for d in datasets]
    figure, (axes,) = new_figure(1.35 * COLUMN, 1.1 + 0.27 * len(datasets))
    printed_look = {"marker": "o", "ms": 5.5, "mfc": "white", "mew": 0.9, "linewidth": 0.8}
    ours_look = {"marker": "o", "ms": 3.6, "linewidth": 0.8}
    for i, dataset in enumerate(datasets):
        mean, sd = (cells[dataset, metric] for metric in ("mean_context_size", "sd_context_size"))
        colours = (GREY, GREY) if states[i] else ("black", COLOURS[0])
        pairs = [(-0.17, mean["printed_value"], sd["printed_value"], printed_look, colours[0])]
        if mean["reproduced"]:
            pairs.append((0.17, mean["reproduced"], sd["reproduced"], ours_look, colours[1]))
        for shift, centre, width, look, colour in pairs:
            middle, half = float(centre), float(width)
            whisker = [middle - half, middle + half]
            axes.plot(whisker, [i + shift] * 2, color=colour, linewidth=0.8)
            axes.plot(middle, i + shift, color=colour, **look)
        _mark(axes, i, 0, mean["verdict"], colours[1])
        _mark(axes, i, 1, sd["verdict"], colours[1])
    for place, name in zip(_MARK_PLACES, ("mean", "sd"), strict=False):
        look = {"rotation": 60, "ha": "left", "va": "bottom", "fontsize": 7}
        axes.text(place - 0.01, -0.75, name, transform=axes.get_yaxis_transform(), **look)
    _rows_axis(axes, names, states)
    axes.set_xlabel("attributes in the context (mean ± sd over attributes)")
    looks = [
        ("printed", {"color": "black", **printed_look}),
        ("ours", {"color": COLOURS[0], **ours_look}),
    ]
    _legend(figure, looks, 2)
    return figure, f"{spec['label']}: context sizes, printed and ours"


KINDS: dict[str, Callable[[Mapping[str, Any], Sequence[Row]], tuple[Figure, str]]] = {
    "quality": quality,
    "sigma_curves": sigma_curves,
    "context_sizes": context_sizes,
}
