"""Figures of DILCA, one function per kind of artefact in ``config/papers/dilca.yaml``."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from replication.show.drawing import (
    MARK_PLACES,
    Row,
    curves,
    dot,
    dot_rows,
    first_of,
    legend,
    looks,
    mark,
    marks_explained,
    method_panels,
    names_of,
    ring,
    status,
)
from replication.show.style import COLOURS, GREY, LIGHT, LINES, PAGE, new_figure

_AXES = {
    "purity": ("purity", " (%)", 100.0),
    "nmi": ("normalised mutual information", "", 1.0),
    "ari": ("adjusted Rand index", "", 1.0),
}


def quality(spec: Mapping[str, Any], rows: Sequence[Row]) -> tuple[Figure, str]:
    """Draw Figs 3 to 11: one panel per method, one line per data set, first reading only.

    A ring is the printed number, a dot ours; a stroke joins the two. A bar spans our numbers over
    row orders and random samples. A tick is our number at the fixed setting. The marks on the right
    are the verdicts.
    """
    score, unit, scale = _AXES[spec["score"]]
    ours = [row for row in rows if row["reading"] == spec["readings"][0]]
    fixed = {
        (row["dataset"], row["method"]): float(row["reproduced"]) * scale
        for row in rows
        if row["reading"] == "fixed" and row["reproduced"]
    }
    states = {name: status(r for r in ours if r["dataset"] == name) for name in names_of(ours)}
    settings = {
        method["id"]: ", ".join(f"{name} {value:g}" for name, value in method["fixed"].items())
        for method in spec["methods"]
        if method["fixed"]
    }

    def draw(axes: Axes, i: int, row: Row) -> None:
        dim = GREY if states[row["dataset"]] else ""
        colour = dim or COLOURS[0]
        printed = float(row["printed_value"]) * scale
        axes.plot(printed, i, **ring(5.5, dim or "black"), clip_on=False)
        # marks start in column 3: a point at the end of the axis reaches into those before it
        mark(axes, i, 3, row["verdict"], dim or "black")
        if not row["reproduced"]:
            return
        value, *ends = (
            float(row[key]) * scale for key in ("reproduced", "spread_min", "spread_max")
        )
        axes.plot([printed, value], [i, i], color=colour, linewidth=0.7, clip_on=False)
        if ends[0] != ends[1]:
            axes.plot(ends, [i, i], color=colour, **_RANGE, clip_on=False)
        if (at := fixed.get((row["dataset"], row["method"]))) is not None:
            axes.plot(at, i, **_FIXED, clip_on=False)
        axes.plot(value, i, **dot(2.8, colour), clip_on=False)

    def finish(axes: Axes) -> None:
        found = [row[key] for row in ours for key in ("printed_value", "spread_min") if row[key]]
        axes.set_xlim(min(0.0, *map(float, found)) * scale * 1.05, scale)
        axes.set_xticks([0, scale / 2, scale], ["0", f"{scale / 2:g}", f"{scale:g}"])

    figure = method_panels(
        ours,
        draw,
        # every title has two lines, so that all panels have the same height
        lambda mine: f"{mine[0]['label']}\n{settings.get(mine[0]['method'], '')}",
        f"{score}{unit}, 0 to {scale:g}. {marks_explained(ours)}",
        height=(0.95, 0.2),
        finish=finish,
        states=list(states.values()),
    )
    entries = [
        ("printed", ring(5.5)),
        ("ours", dot(2.8, COLOURS[0])),
        ("our range over row orders and samples", {"color": COLOURS[0], **_RANGE}),
        ("ours, at the setting below the name", _FIXED),
    ]
    legend(figure, 4, *entries[: 4 if fixed else 3])
    return figure, f"{score}, printed and ours"


_RANGE: dict[str, Any] = {"linewidth": 2.6, "alpha": 0.3, "solid_capstyle": "butt"}
_FIXED = dot(7, COLOURS[1]) | {"marker": "|", "mew": 1.2}


_PANELS = {
    "eq5": "(a) purity as in eq. (5)",
    "inverse": "(a) again: inverse purity,\nwhich the paper's tables print",
    "nmi": "(b) NMI",
}


def sigma_curves(spec: Mapping[str, Any], rows: Sequence[Row]) -> tuple[Figure, str]:
    """Draw scores against sigma; data sets with a small range are light grey and not named."""
    figure, panels = new_figure(PAGE, 3.9, len(_PANELS))
    flat = {"color": LIGHT, "linewidth": 0.8}
    names = names_of(row for row in rows if "yes" in row.values())
    varying = {
        name: {**look, "linestyle": LINES[i // len(COLOURS) % len(LINES)]}
        for i, (name, look) in enumerate(looks(names, ms=3.2, linewidth=1.0, zorder=2).items())
    }
    for axes, (key, head) in zip(panels, _PANELS.items(), strict=True):
        shown = [row for row in rows if row[f"{key}_plotted"] == "yes"]
        drawn = {
            name: varying[name] if name in names_of(shown) else {**flat, "zorder": 1}
            for name in names_of(rows)
        }
        curves(axes, rows, "dataset", "sigma", key, drawn)
        ends = sorted(
            (float(row[key]), row["printed_name"], varying[row["dataset"]]["color"])
            for row in shown
            if float(row["sigma"]) == 1
        )
        axes.set(title=head, xlabel="sigma", xlim=(-0.03, 1.03), ylim=(-0.02, 1.03))
        axes.grid(axis="y")
        text = {"textcoords": "data", "va": "center", "fontsize": 7, "annotation_clip": False}
        for place, (end, name, colour) in zip(_apart([end for end, *_ in ends]), ends, strict=True):
            stroke = {"arrowstyle": "-", "color": colour, "linewidth": 0.4, "shrinkA": 0}
            axes.annotate(name, (1.0, end), xytext=(1.1, place), arrowprops=stroke, **text)
    panels[0].set_ylabel("score")
    legend(figure, 1, ("data sets that vary too little for the paper's plot; others: named", flat))
    return figure, "scores against sigma"


def _apart(places: Sequence[float], gap: float = 0.055) -> list[float]:
    """Move sorted positions in [0, 1] as little as possible until they lie `gap` apart."""
    from scipy.optimize import isotonic_regression

    if not places:
        return []
    gaps = gap * np.arange(len(places))
    # positions lie a gap apart if the i-th less i gaps never decreases
    lifted = isotonic_regression(np.sort(places) - gaps).x
    return [*(np.clip(lifted, 0.0, 1.0 - gaps[-1]) + gaps)]


def context_sizes(spec: Mapping[str, Any], rows: Sequence[Row]) -> tuple[Figure, str]:
    """Draw the mean context size with its standard deviation: printed above, ours below."""
    ours = [row for row in rows if row["reading"] == spec["readings"][0]]
    means, sds = (
        [row for row in ours if row["metric"] == metric]
        for metric in ("mean_context_size", "sd_context_size")
    )
    states = [status([row]) for row in means]
    sides: dict[str, tuple[float, str, dict[str, Any]]] = {
        "printed_value": (-0.17, "black", {"marker": "o", "ms": 5.5, "mfc": "white", "mew": 0.9}),
        "reproduced": (0.17, COLOURS[0], {"marker": "o", "ms": 3.6}),
    }

    def draw(axes: Axes, pairs: Sequence[tuple[Row, Row]]) -> None:
        for i, (mean, sd) in enumerate(pairs):
            for value, (shift, colour, look) in sides.items():
                if mean[value]:
                    middle, half = float(mean[value]), float(sd[value])
                    tint = GREY if states[i] else colour
                    axes.plot([middle - half, middle + half], [i + shift] * 2, color=tint, lw=0.8)
                    axes.plot(middle, i + shift, color=tint, lw=0.8, **look)
            mark(axes, i, 0, mean["verdict"], tint)
            mark(axes, i, 1, sd["verdict"], tint)
        for place, name in zip(MARK_PLACES, ("mean", "sd"), strict=False):
            look = {"ha": "center", "va": "bottom", "fontsize": 7}
            axes.text(place, -0.75, name, transform=axes.get_yaxis_transform(), **look)
        axes.set_xlabel(
            "attributes in the context (mean ± standard deviation over the attributes)\n"
            + marks_explained(ours)
        )

    names = [row["printed_name"] for row in means]
    pairs = [*zip(means, sds, strict=True)]
    figure, _ = dot_rows(names, [pairs], draw, height=(1.1, 0.27), states=states)
    legend(
        figure,
        2,
        *(
            (name, {"color": colour, "linewidth": 0.8, **look})
            for name, (_, colour, look) in zip(("printed", "ours"), sides.values(), strict=True)
        ),
    )
    return figure, "sizes of the contexts, printed and ours"


_TIME_PANELS = {
    "(a) objects": {"instances": "-", "long": ":"},
    "(b) attributes": {"attributes": "-", "beyond": "none"},
}
_NESTED = (7.5, 5.5, 3.4)
"""Marker sizes of the first methods, whose curves coincide: two rings around a dot."""


def scalability(spec: Mapping[str, Any], rows: Sequence[Row]) -> tuple[Figure, str]:
    """Draw seconds against objects and attributes.

    Tables with another number of values per attribute are points that no line joins.
    """
    figure, panels = new_figure(PAGE, 3.6, len(_TIME_PANELS))
    nested = _nested(rows, "method")
    for axes, (head, parts) in zip(panels, _TIME_PANELS.items(), strict=True):
        for axis, line in parts.items():
            part = [row for row in rows if row["axis"] == axis]
            curves(axes, part, "method", "size", "seconds", nested, linestyle=line)
        _log_axes(axes, f"number of {head.partition(' ')[2]}", head=head)
    values = {row["size"]: row["values"] for row in rows if row["axis"] == "beyond"}
    for size, count in values.items():
        note = {"rotation": 90, "ha": "center", "va": "bottom", "fontsize": 6.5}
        place = panels[1].get_xaxis_transform()
        panels[1].text(float(size), 0.02, f"{count} values each", transform=place, **note)
    panels[0].set_ylabel("seconds of processor time")
    dotted = ("value distances only", {"color": GREY, "linestyle": ":", "linewidth": 1.0})
    legend(figure, 4, *_named(rows, "method", nested), dotted)
    return figure, "seconds against objects and attributes (10 values each unless noted)"


def phases(spec: Mapping[str, Any], rows: Sequence[Row]) -> tuple[Figure, str]:
    """Draw the seconds of the five phases against the number of objects."""
    figure, (axes,) = new_figure(PAGE, 3.2)
    nested = _nested(rows, "phase")
    curves(axes, rows, "phase", "size", "seconds", nested)
    _log_axes(axes, "number of objects", "seconds of processor time")
    legend(figure, 3, *_named(rows, "phase", nested))
    return figure, "seconds of each phase of DILCA and DELTA"


def _nested(rows: Sequence[Row], key: str) -> dict[str, dict[str, Any]]:
    """Return colour and marker of every method or phase; the first two markers are rings."""
    return {
        name: {
            **look,
            "ms": _NESTED[min(i, len(_NESTED) - 1)],
            "mfc": "none" if i < 2 else look["color"],
        }
        for i, (name, look) in enumerate(looks(first_of(rows, key), linewidth=1.0).items())
    }


def _named(
    rows: Sequence[Row], key: str, looks: Mapping[str, dict[str, Any]]
) -> list[tuple[str, dict[str, Any]]]:
    """Return the legend entries of some curves, all with solid lines."""
    names = {row[key]: row["label"] for row in rows}
    return [(names[name], {**look, "linestyle": "-"}) for name, look in looks.items()]


def _log_axes(axes: Axes, x: str, y: str = "", head: str = "") -> None:
    """Set both axes to a logarithmic scale, with labels, title and grid."""
    axes.set(xscale="log", yscale="log", title=head, xlabel=x, ylabel=y)
    axes.grid(axis="both")
