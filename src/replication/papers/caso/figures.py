"""Figures of CASO, one function per kind of artefact in ``config/papers/caso.yaml``."""

import itertools
import math
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from replication.papers.caso.analysis import INDEX_NAMES, INDICES, MEASURES
from replication.papers.caso.bibliographic import FIELDS, METHODS
from replication.papers.caso.examples import SHORT
from replication.papers.caso.experiments import ALL_ROWS
from replication.papers.caso.tables.experiments import METHOD_NAMES, SOURCES
from replication.papers.caso.tables.method import COMPILED
from replication.show.drawing import (
    Row,
    curve,
    curves,
    dot,
    dot_rows,
    first_of,
    legend,
    looks,
    names_of,
    ring,
    rows_axis,
)
from replication.show.style import COLOURS, GREY, LIGHT, LINES, PAGE, new_figure, new_grid

_LOOKS = looks(MEASURES)


def _lines(names: Iterable[str], **more: Any) -> dict[str, dict[str, Any]]:
    """Return the look of each of several lines, with line styles in turn."""
    return {
        name: {**look, "linestyle": stroke}
        for (name, look), stroke in zip(
            looks(names, **more).items(), itertools.cycle(LINES), strict=False
        )
    }


_PLACES = {
    "information table": (0.0, 1.0),
    "frequencies of values": (1.0, 1.75),
    "co-occurrence of values": (1.0, 0.25),
    "IRSI": (2.0, 0.25),
    "IaASV": (3.0, 1.75),
    "IeASV": (3.0, 0.25),
    "CASV": (4.0, 1.75),
    "CASO": (5.0, 1.75),
    "CADO": (4.0, 0.25),
    "CROCK": (6.0, 1.75),
    "data structure": (6.0, 1.0),
    "k-modes, spectral": (6.0, 0.25),
    "CLIMBO": (6.0, -0.5),
}
"""Position of each box: steps from left to right, intra-coupling above inter-coupling."""


def framework(spec: Mapping[str, Any], rows: Sequence[Row]) -> tuple[Figure, str]:
    """Draw the framework as boxes and arrows, with the value of each measure on Table II."""
    figure, (axes,) = new_figure(PAGE, 2.6)
    values = {row["target"]: row for row in rows if row["value"]}
    box = {"boxstyle": "round,pad=0.3", "facecolor": "white", "linewidth": 0.8}
    arrow = {"arrowstyle": "-|>", "color": GREY, "linewidth": 0.9, "shrinkA": 26, "shrinkB": 26}
    for row in rows:
        start, end = _PLACES[row["source"]], _PLACES[row["target"]]
        axes.annotate("", end, xytext=start, arrowprops=arrow, zorder=1)
    for name, (x, y) in _PLACES.items():
        learned = name in ("IaASV", "IeASV", "IRSI", "CASV", "CASO", "CADO")
        edge = COLOURS[0] if learned else GREY
        label = name.replace(" of ", "\nof ").replace(", ", ",\n").replace("n table", "n\ntable")
        axes.text(x, y, label, ha="center", va="center", bbox={**box, "edgecolor": edge}, zorder=3)
        if learned:
            note = "{equation}\n{example} = {value}".format(**values[name])
            side, va = (0.27, "bottom") if y > 1 else (-0.27, "top")
            axes.text(x, y + side, note, ha="center", va=va, fontsize=6.2, zorder=3)
    axes.text(0.55, 2.25, "intra-coupling", color=GREY, ha="left", style="italic")
    axes.text(0.55, -0.55, "inter-coupling", color=GREY, ha="left", style="italic")
    axes.set(xlim=(-0.5, 6.6), ylim=(-0.85, 2.4))
    axes.axis("off")
    return figure, "framework of coupled similarity, with its values on Table II"


def structure_indices(spec: Mapping[str, Any], rows: Sequence[Row]) -> tuple[Figure, str]:
    """Draw one panel per internal index, one line per data set; the best of the four is filled.

    SD is a sum over pairs of objects and depends on their number, so it is drawn relative to SMD.
    """
    shown = [row for row in rows if row["rows"] == ALL_ROWS and row["measure"] in MEASURES]
    names = names_of(shown)
    symbol: dict[str, Any] = {"linestyle": "none", "ms": 4}
    cells = {(row["dataset"], row["measure"]): row for row in shown}
    points = list(itertools.product(enumerate(names), enumerate(_LOOKS.items())))

    def draw(axes: Axes, key: str) -> None:
        relative = key.startswith("sd")
        for (i, dataset), (j, (measure, look)) in points:
            row, base = cells[dataset, measure], cells[dataset, "smd"][key] if relative else "1"
            if row[key] and base:
                fill = look["color"] if row[f"{key}_first"] == "yes" else "white"
                y = i + (j - (len(MEASURES) - 1) / 2) * 0.17
                axes.plot(float(row[key]) / float(base), y, mfc=fill, mew=0.8, **symbol, **look)
        axes.tick_params(axis="x", labelsize=6.5)
        axes.set(title=INDEX_NAMES[key], xscale="log" if key == "sd_max" else "linear")
        better = "more" if INDICES[key] else "less"
        axes.set_xlabel(f"{better} is better" + "\n(SMD = 1)" * relative, fontsize=7)

    figure, _ = dot_rows([*names.values()], INDICES, draw)
    legend(
        figure,
        5,
        *((label, {**_LOOKS[name], **symbol, "mfc": "white"}) for name, label in MEASURES.items()),
        ("filled: best", {"marker": "o", "color": GREY, **symbol}),
    )
    return figure, "internal indices of the given classes under four dissimilarities"


def rare_values(spec: Mapping[str, Any], rows: Sequence[Row]) -> tuple[Figure, str]:
    """Draw the share of the dissimilarity by data set, and against the limit for rare values."""
    rare = float(spec["parameters"]["rare"])
    names = names_of(rows)
    frame = pd.DataFrame(rows).set_index(["measure", "dataset"])
    frame = frame[["share", "comparisons", "distance"]].replace("", "nan").astype(float)
    at = frame[frame["share"] == rare] * 100
    figure, (left, right) = new_figure(PAGE, 1.2 + 0.2 * len(names), 2)
    for i, dataset in enumerate(names):
        count = at.loc[("cado", dataset), "comparisons"]
        left.plot(count, i, "|", color="black", ms=9, mew=1.6, zorder=4)
        for measure in ("add", "cado"):
            carried = at.loc[(measure, dataset), "distance"]
            if not math.isnan(carried):
                left.plot(carried, i, linestyle="none", ms=4.5, **_LOOKS[measure])
        if not math.isnan(carried):
            left.plot([count, carried], [i, i], color=LIGHT, linewidth=1, zorder=1)
    rows_axis(left, [*names.values()], [""] * len(names))
    left.tick_params(axis="x", labelsize=6.5)
    left.set(
        title=f"(a) values in one object or at most {rare:.0%} of them",
        xlabel="share of the total dissimilarity (%)",
    )
    for dataset, look in _lines(at.loc["cado", "distance"].nlargest(5).index, ms=3.2).items():
        cado = frame.loc[[("cado", dataset)]].query("share > 0") * 100
        right.plot(cado["share"], cado["distance"], label=names[dataset], **look)
    right.set(
        xscale="log",
        title="(b) CADO, the five largest shares of (a)",
        xlabel="a value is rare in at most ... % of the objects",
        ylabel="share of the total dissimilarity (%)",
    )
    right.grid(axis="both")
    right.legend(loc="upper left")
    entries = [
        ("share of the comparisons", {"marker": "|", "color": "black", "ms": 9, "mew": 1.6}),
        *((MEASURES[name], {**_LOOKS[name], "ms": 4.5}) for name in ("add", "cado")),
    ]
    legend(figure, 3, *((text, {**look, "linestyle": "none"}) for text, look in entries))
    return figure, "share of the dissimilarity that they carry"


def complexity(spec: Mapping[str, Any], rows: Sequence[Row]) -> tuple[Figure, str]:
    """Draw evaluations against R and n, and seconds against R."""
    figure, panels = new_figure(PAGE, 2.9, 3)
    names = {**SHORT, **COMPILED}
    lines = _lines(names, ms=3.4)
    wanted = (("evaluations", "values"), ("evaluations", "attributes"), ("seconds", "values"))
    grown = {"values": "values per attribute, R", "attributes": "attributes, n"}
    for axes, letter, (quantity, axis) in zip(panels, "abc", wanted, strict=True):
        shown = [row for row in rows if (row["quantity"], row["axis"]) == (quantity, axis)]
        known = {what: lines[what] for what in lines if what in first_of(shown, "what")}
        curves(axes, shown, "what", axis, "value", known, linewidth=1.0)
        axes.set_xscale("log", base=2)
        sizes = sorted(
            {row[axis] for row in shown if math.log2(int(row[axis])).is_integer()}, key=int
        )
        axes.set_xticks([*map(int, sizes)], sizes)
        axes.minorticks_off()
        axes.set(title=f"({letter}) {quantity}", xlabel=grown[axis], yscale="log")
        axes.grid(axis="both")
    legend(figure, 6, *((names[what], look) for what, look in lines.items()))
    return figure, "growth of evaluations and seconds"


def partition_quality(spec: Mapping[str, Any], rows: Sequence[Row]) -> tuple[Figure, str]:
    """Draw changes of mean scores from ADD to CADO: rings printed, dots ours, strokes variants."""
    names = names_of([row for row in rows if row["change"]])
    ours, other = dot(4, COLOURS[0]), {"marker": "|", "color": GREY, "ms": 7, "linestyle": "none"}
    families = {"KM": ("kmodes", "k-modes"), "SC": ("sc", "spectral")}

    def draw(axes: Axes, panel: tuple[str, str]) -> None:
        score, main = panel
        prefix, algorithm = families[main]
        for row in (row for row in rows if row["score"] == score and row["dataset"] in names):
            i = [*names].index(row["dataset"])
            if row["printed"] and row["main"] == main:
                axes.plot(100 * float(row["printed"]), i, **ring(7))
            if row["change"] and row["algorithm"].startswith(prefix):
                axes.plot(100 * float(row["change"]), i, **(ours if row["main"] else other))
        axes.axvline(0, color="black", linewidth=0.6)
        axes.set_xscale("symlog", linthresh=10)
        ticks = [-100, -10, 0, 10, 100]
        axes.set(xlim=(-200, 600), title=f"{score.upper()}, {algorithm}")
        axes.set_xticks(ticks, [*map(str, ticks)], fontsize=6.5)

    figure, _ = dot_rows([*names.values()], [*itertools.product(("ac", "nmi"), families)], draw)
    figure.supxlabel("change of the mean score from ADD to CADO (%); linear up to 10", fontsize=8)
    legend(
        figure,
        3,
        ("printed", ring(7)),
        ("ours, first variant", ours),
        ("ours, other variants", other),
    )
    return figure, "change of the scores from ADD to CADO"


def theta_curve(spec: Mapping[str, Any], rows: Sequence[Row]) -> tuple[Figure, str]:
    """Draw mean scores with their range over row orders, and shares of neighbours, by threshold."""
    datasets, fixed = first_of(rows, "dataset"), float(spec["parameters"]["fixed"])
    figure, panels = new_grid(PAGE, 3.8, 2, len(datasets), sharex=True, sharey=True)
    methods = looks(METHOD_NAMES, linewidth=1.0, ms=2.4)
    for above, below, dataset in zip(*panels, datasets, strict=True):
        for method, look in methods.items():
            mine = [row for row in rows if (row["dataset"], row["method"]) == (dataset, method)]
            curve(above, mine, "theta", "score", **look)
            x, *ends = ([float(row[key]) for row in mine] for key in ("theta", "least", "greatest"))
            above.fill_between(x, *ends, color=look["color"], alpha=0.2, linewidth=0)
            curve(below, mine, "theta", "share", **look)
        above.set_title(mine[0]["printed_name"])
        below.set_xlabel("threshold theta")
    at = {"color": "black", "linestyle": ":", "linewidth": 0.9}
    for axes in itertools.chain(*panels):
        axes.axvline(fixed, **at)
        axes.set(ylim=(-0.02, 1.02), xlim=(0, 1))
        axes.set_xticks([0, 0.25, 0.5, 0.75, 1], ["0", "0.25", "0.5", "0.75", "1"], fontsize=6.5)
        axes.grid(axis="y")
    panels[0][0].set_ylabel("mean score")
    panels[1][0].set_ylabel("share of pairs\nthat are neighbours")
    legend(
        figure,
        4,
        *((METHOD_NAMES[name], look) for name, look in methods.items()),
        ("range over row orders", {"color": LIGHT, "linewidth": 6}),
        (f"theta {fixed:g}, fixed in the paper", at),
    )
    return figure, "scores and neighbours against the threshold"


def bibliographic_map(spec: Mapping[str, Any], rows: Sequence[Row]) -> tuple[Figure, str]:
    """Draw one panel per method and source of papers: a point per paper, at its venue."""
    sources = first_of(rows, "source")
    figure, panels = new_grid(PAGE, 0.7 + 2.1 * len(sources), len(sources), len(METHODS))
    points = {
        "no": {"marker": ".", "color": COLOURS[0], "ms": 1.6, "linestyle": "none"},
        "yes": {"marker": "x", "color": COLOURS[1], "ms": 2.4, "mew": 0.5, "linestyle": "none"},
    }
    line_look = {"color": "black", "linewidth": 1.2}
    for line, source in zip(panels, sources, strict=True):
        papers = pd.DataFrame([row for row in rows if row["source"] == source])
        x = papers["position"].astype(int)
        border = (papers["field"] == FIELDS[0]).sum() + 0.5
        for axes, (method, label) in zip(line, METHODS.items(), strict=True):
            y = papers[f"{method}_place"].astype(int)
            for misplaced, look in points.items():
                shown = papers[f"{method}_misplaced"] == misplaced
                axes.plot(x[shown], y[shown], **look)
            names = dict(sorted(zip(y, papers["venue"], strict=True)))
            axes.axvline(border, **line_look)
            axes.axhline(y[papers[f"{method}_cluster"] == FIELDS[0]].nunique() + 0.5, **line_look)
            axes.set(xlim=(0, len(papers) + 1), ylim=(0.2, len(names) + 0.8))
            # more venues than that are shown by number
            if len(names) <= 12:
                axes.set_yticks(list(names), names.values())
                axes.tick_params(axis="y", labelsize=5.5, length=0, pad=1)
            if source == sources[0]:
                axes.set_title(label.replace(" (", "\n("), fontsize=7.5)
            if source == sources[-1]:
                axes.set_xlabel("paper")
        line[0].set_ylabel(f"venue ({SOURCES[source]})")
    legend(
        figure,
        3,
        ("venue in the cluster of its field", {**points["no"], "ms": 4}),
        ("in that of the other field", {**points["yes"], "ms": 4, "mew": 0.9}),
        ("border of fields (vertical) and clusters (horizontal)", line_look),
    )
    return figure, "papers, and clusters of their venues (both sources are substitutes)"
