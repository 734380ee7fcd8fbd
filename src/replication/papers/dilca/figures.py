"""Figures of DILCA, one function per kind of artefact in ``config/papers/dilca.yaml``."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from replication.show.drawing import (
    MARK_PLACES,
    Row,
    curve,
    dot,
    first_of,
    legend,
    mark,
    method_panels,
    names_of,
    ring,
    rows_axis,
    status,
)
from replication.show.style import COLOURS, COLUMN, GREY, LIGHT, LINES, MARKERS, PAGE, new_figure

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

# --- printed against reproduced -----------------------------------------------------------------

_AXES = {
    "purity": ("purity (%)", 100.0),
    "nmi": ("normalised mutual information", 1.0),
    "ari": ("adjusted Rand index", 1.0),
}


def quality(spec: Mapping[str, Any], rows: Sequence[Row]) -> tuple[Figure, str]:
    """One panel per method, one line per data set: printed numbers as rings, ours as dots.

    A stroke joins the two, a bar spans our numbers over row orders and random samples, a tick is
    our number at the fixed setting. The marks on the right are the verdicts. Only the first
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
    states = {name: status(r for r in ours if r["dataset"] == name) for name in names_of(ours)}
    settings = {
        method["id"]: ", ".join(f"| {name} {value:g}" for name, value in method["fixed"].items())
        for method in spec["methods"]
        if method["fixed"]
    }

    def draw(axes: Axes, i: int, row: Row) -> None:
        aside = states[row["dataset"]]
        colour = GREY if aside else COLOURS[0]
        printed = float(row["printed_value"]) * scale
        axes.plot(printed, i, **ring(5.5, colour if aside else "black"), clip_on=False)
        mark(axes, i, _ASIDE, row["verdict"], GREY if aside else "black")
        if not row["reproduced"]:
            return
        value, low, high = (
            float(row[key]) * scale for key in ("reproduced", "spread_min", "spread_max")
        )
        axes.plot([printed, value], [i, i], color=colour, linewidth=0.7, clip_on=False)
        if low != high:
            axes.plot([low, high], [i, i], color=colour, **_RANGE, clip_on=False)
        if at := fixed.get((row["dataset"], row["method"])):
            axes.plot(float(at) * scale, i, **_FIXED, clip_on=False)
        axes.plot(value, i, **dot(2.8, colour), clip_on=False)

    def finish(axes: Axes) -> None:
        drawn = [float(row["spread_min"]) for row in ours if row["reproduced"]]
        lowest = min(0.0, *(float(row["printed_value"]) for row in ours), *drawn) * scale
        axes.set_xlim(lowest * 1.05, scale)
        axes.set_xticks([0, scale / 2, scale], ["0", f"{scale / 2:g}", f"{scale:g}"])

    figure = method_panels(
        ours,
        draw,
        # every panel has a second line, so that their heads stand at one height
        lambda mine: f"{mine[0]['label']}\n{settings.get(mine[0]['method'], '')}",
        unit,
        height=(0.95, 0.2),
        finish=finish,
        states=list(states.values()),
    )
    entries = [
        ("printed", ring(5.5)),
        ("ours", dot(2.8, COLOURS[0])),
        ("our range", {"color": COLOURS[0], **_RANGE}),
        ("ours at a fixed setting, chosen without labels", _FIXED),
    ]
    legend(figure, entries, 4)
    return figure, f"{spec['label']}: {unit}, printed and ours"


_RANGE = {"linewidth": 2.6, "alpha": 0.3, "solid_capstyle": "butt"}
_ASIDE = 3
"""Column of the verdicts: a point at the end of the axis reaches into the first ones."""
_FIXED = {"marker": "|", "color": COLOURS[1], "ms": 7, "mew": 1.2, "linestyle": "none"}


# --- curves over sigma --------------------------------------------------------------------------

_PANELS = {"eq5": "(a) purity, eq. (5)", "inverse": "(a) inverse purity", "nmi": "(b) NMI"}


def sigma_curves(spec: Mapping[str, Any], rows: Sequence[Row]) -> tuple[Figure, str]:
    """Scores against sigma; data sets whose range is small are drawn in light grey."""
    figure, panels = new_figure(PAGE, 3.3, len(_PANELS))
    datasets = first_of(rows, "dataset")
    plotted = [d for d in datasets if any(r["dataset"] == d and "yes" in r.values() for r in rows)]
    for axes, (key, head) in zip(panels, _PANELS.items(), strict=True):
        ends = []
        for dataset in datasets:
            mine = [row for row in rows if row["dataset"] == dataset]
            if mine[0][f"{key}_plotted"] != "yes":
                curve(axes, mine, "sigma", key, color=LIGHT, linewidth=0.8, zorder=1)
                continue
            i = plotted.index(dataset)
            colour = COLOURS[i % len(COLOURS)]
            look = {"marker": MARKERS[i % len(MARKERS)], "color": colour, "ms": 3.2}
            line = LINES[i // len(COLOURS) % len(LINES)]
            curve(axes, mine, "sigma", key, **look, linestyle=line, linewidth=1.0, zorder=2)
            ends.append((float(mine[-1][key]), mine[0]["printed_name"], colour))
        axes.set_title(head)
        axes.set_xlabel("sigma")
        axes.set_xlim(-0.03, 1.03)
        axes.set_ylim(-0.02, 1.03)
        axes.grid(axis="y")
        ends.sort()
        places = _apart([end for end, *_ in ends])
        text = {"textcoords": "data", "va": "center", "fontsize": 7, "annotation_clip": False}
        for place, (end, name, colour) in zip(places, ends, strict=True):
            stroke = {"arrowstyle": "-", "color": colour, "linewidth": 0.4, "shrinkA": 0}
            axes.annotate(name, (1.0, end), xytext=(1.1, place), arrowprops=stroke, **text)
    panels[0].set_ylabel("score")
    named = {"color": COLOURS[0], "marker": "o", "ms": 3.2, "linewidth": 1.0}
    looks = [
        ("varies enough for the paper's plot", named),
        ("varies less", {"color": LIGHT, "linewidth": 0.8}),
    ]
    legend(figure, looks, 2)
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
    datasets = first_of(ours, "dataset")
    names = [cells[d, "mean_context_size"]["printed_name"] for d in datasets]
    states = [status([cells[d, "mean_context_size"]]) for d in datasets]
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
        mark(axes, i, 0, mean["verdict"], colours[1])
        mark(axes, i, 1, sd["verdict"], colours[1])
    for place, name in zip(MARK_PLACES, ("mean", "sd"), strict=False):
        look = {"rotation": 60, "ha": "left", "va": "bottom", "fontsize": 7}
        axes.text(place - 0.01, -0.75, name, transform=axes.get_yaxis_transform(), **look)
    rows_axis(axes, names, states)
    axes.set_xlabel("attributes in the context (mean ± sd over attributes)")
    looks = [
        ("printed", {"color": "black", **printed_look}),
        ("ours", {"color": COLOURS[0], **ours_look}),
    ]
    legend(figure, looks, 2)
    return figure, f"{spec['label']}: context sizes, printed and ours"


# --- times ----------------------------------------------------------------------------------------

_TIME_PANELS = {
    "(a) objects": {"instances": "-", "long": ":"},
    "(b) attributes": {"attributes": "-", "beyond": ":"},
}
_NESTED = (7.5, 5.5, 3.4)
"""Sizes of the markers of the three methods whose curves coincide: rings around a dot."""


def scalability(spec: Mapping[str, Any], rows: Sequence[Row]) -> tuple[Figure, str]:
    """Seconds against objects and attributes, both axes logarithmic.

    Dotted: sizes beyond the paper's; for objects counts and value distances only.
    """
    figure, panels = new_figure(PAGE, 3.4, len(_TIME_PANELS))
    looks = _looks(rows, "method")
    for axes, (head, parts) in zip(panels, _TIME_PANELS.items(), strict=True):
        for axis, line in parts.items():
            for method, look in looks.items():
                chosen = [row for row in rows if (row["axis"], row["method"]) == (axis, method)]
                curve(axes, chosen, "size", "seconds", **look, linestyle=line)
        _log_axes(axes, f"number of {head.partition(' ')[2]}", head=head)
    panels[0].set_ylabel("seconds")
    names = {row["method"]: row["label"] for row in rows}
    entries = [(names[m], {**look, "linestyle": "-"}) for m, look in looks.items()]
    dotted = {"color": GREY, "linestyle": ":", "marker": "o", "ms": 2.4, "linewidth": 1.0}
    entries.append(("beyond the paper (a: value distances only)", dotted))
    legend(figure, entries, 4)
    return figure, f"{spec['label']}: seconds against objects and attributes"


def phases(spec: Mapping[str, Any], rows: Sequence[Row]) -> tuple[Figure, str]:
    """Seconds of the five phases against the number of objects, both axes logarithmic."""
    figure, (axes,) = new_figure(1.35 * COLUMN, 3.2)
    looks = _looks(rows, "phase")
    for phase, look in looks.items():
        chosen = [row for row in rows if row["phase"] == phase]
        curve(axes, chosen, "size", "seconds", **look)
    _log_axes(axes, "number of objects", "seconds")
    names = {row["phase"]: row["label"] for row in rows}
    entries = [(names[p], {**look, "linestyle": "-"}) for p, look in looks.items()]
    legend(figure, entries, 2)
    return figure, f"{spec['label']}: seconds of the phases"


def _looks(rows: Sequence[Row], key: str) -> dict[str, dict[str, Any]]:
    """Colour and marker of every method or phase; the first curves lie on top of each other."""
    names = first_of(rows, key)
    sizes = (*_NESTED, *[_NESTED[-1]] * (len(names) - len(_NESTED)))
    return {
        name: {"color": colour, "marker": marker, "ms": size, "mfc": fill, "linewidth": 1.0}
        for name, colour, marker, size, fill in zip(
            names, COLOURS, MARKERS, sizes, ("none", "none", *COLOURS[2:]), strict=False
        )
    }


def _log_axes(axes: Axes, x: str, y: str = "", head: str = "") -> None:
    """Both axes logarithmic, with their labels and a grid."""
    axes.set_xscale("log")
    axes.set_yscale("log")
    axes.set_title(head)
    axes.set_xlabel(x)
    axes.set_ylabel(y)
    axes.grid(axis="both")
