"""Figures of coupledMC, one function per kind of artefact in ``config/papers/coupledmc.yaml``."""

from collections.abc import Mapping, Sequence
from typing import Any

from matplotlib.axes import Axes
from matplotlib.figure import Figure

from replication.papers.coupledmc.accuracy_runs import BEST, OURS, RECONCILED, TESTED
from replication.show.drawing import (
    Row,
    curve,
    curves,
    dot,
    dot_rows,
    first_of,
    legend,
    looks,
    method_panels,
    names_of,
    ring,
    unit_axis,
)
from replication.show.style import COLOURS, GREY, LIGHT, PAGE, new_grid

_ACCURACY = "accuracy (1 is the best)"


def accuracy(spec: Mapping[str, Any], rows: Sequence[Row]) -> tuple[Figure, str]:
    """Draw printed accuracies and our means, a panel per method; that of coupledMC is wide."""
    names, blue = names_of(rows), COLOURS[0]
    places = {name: i for i, name in enumerate(names)}

    def draw(axes: Axes, method: str) -> None:
        mine = [row for row in rows if row["method"] == method]
        for row in mine:
            i, value = places[row["dataset"]], float(row["mean"])
            if row["reading"] != RECONCILED:
                x, look = (row["largest_run"], _BEST) if row["reading"] == BEST else (value, _OTHER)
                if method == OURS:
                    axes.plot(float(x), i, **look)
                continue
            base, printed = float(row["base_rate"]), float(row["printed_value"])
            axes.plot([base, base], [i - 0.38, i + 0.38], color=LIGHT, linewidth=1.6)
            if row["sd"]:
                ends = [value - float(row["sd"]), value + float(row["sd"])]
                axes.plot(ends, [i, i], color=blue, linewidth=2.2, alpha=0.35)
            axes.plot(printed, i, **ring(), clip_on=False)
            axes.plot(value, i, **dot(3.2, blue))
        axes.set_title(mine[0]["label"])
        unit_axis(axes)

    methods = sorted(first_of(rows, "method"), key=lambda name: name != OURS)
    widths = [2.6 if name == OURS else 1 for name in methods]
    figure, _ = dot_rows([*names.values()], methods, draw, widths=widths)
    figure.supxlabel(_ACCURACY, fontsize=8)
    legend(
        figure,
        3,
        ("printed", ring()),
        ("our mean ± standard deviation", dot(3.2, blue) | {"linestyle": "-", "linewidth": 2.2}),
        ("share of the largest class", dot(9, LIGHT) | {"marker": "|", "mew": 1.6}),
        ("coupledMC: largest run (uses labels)", _BEST),
        ("coupledMC: other readings, means", _OTHER),
    )
    return figure, "accuracies, printed and ours"


_OTHER = dot(3.5, GREY) | {"marker": "x", "mew": 0.8}
_BEST = dot(4.5, COLOURS[1]) | {"marker": "^", "mew": 0}


def envelope(spec: Mapping[str, Any], rows: Sequence[Row]) -> tuple[Figure, str]:
    """Draw the range of our accuracies over settings, the setting used, and the printed number."""
    span: dict[str, Any] = {"color": COLOURS[0], "linewidth": 3, "alpha": 0.4}
    at = dot(3.6, COLOURS[0])

    def draw(axes: Axes, i: int, row: Row) -> None:
        axes.plot([float(row["low"]), float(row["high"])], [i, i], **span)
        axes.plot(float(row["default"]), i, **at)
        axes.plot(float(row["printed"].partition(" ")[0]), i, **ring(6.5))

    figure = method_panels(
        rows, draw, lambda mine: "{label}\n{settings} settings".format(**mine[0]), _ACCURACY
    )
    legend(
        figure,
        3,
        ("printed", ring(6.5, width=1.0)),
        ("ours, one setting for all", at),
        ("ours, lowest to highest", span),
    )
    return figure, "accuracy over settings"


def structure(spec: Mapping[str, Any], rows: Sequence[Row]) -> tuple[Figure, str]:
    """Draw coupled over original index, a panel per index and a shape per original representation.

    The side on which the coupled representation is worse is grey.
    """
    names, originals = names_of(rows), looks(first_of(rows, "original"), linestyle="none", ms=4)
    places = {name: i for i, name in enumerate(names)}
    shifts = {name: 0.22 * (i - (len(originals) - 1) / 2) for i, name in enumerate(originals)}

    def draw(axes: Axes, index: str) -> None:
        mine = [row for row in rows if row["index"] == index]
        shown = [row for row in mine if row["ratio"] and float(row["ratio"]) > 0]
        ratios = [float(row["ratio"]) for row in shown]
        more = mine[0]["sense"] == "1"
        low, high = min([*ratios, 0.9]) / 1.25, max([*ratios, 1.1]) * 1.25
        axes.axvspan(*((low, 1) if more else (1, high)), color="#EFEFEF", zorder=0)
        axes.axvline(1, color=GREY, linewidth=0.9)
        for row, ratio in zip(shown, ratios, strict=True):
            y = places[row["dataset"]] + shifts[row["original"]]
            axes.plot(ratio, y, **originals[row["original"]])
        better = f"({'more' if more else 'less'} is better)"
        axes.set(title=f"{mine[0]['label']} {better}", xscale="log", xlim=(low, high))
        _plain_log_ticks(axes, low, high)

    figure, _ = dot_rows([*names.values()], TESTED, draw, height=(1.2, 0.24))
    figure.supxlabel(
        "index of the coupled representation / of the original; grey: coupled is worse"
    )
    words = {"one-hot": "0/1 columns", "codes": "codes", "mixed": "mixed distance"}
    legend(figure, 3, *((f"original: {words[name]}", look) for name, look in originals.items()))
    return figure, "internal indices, coupled over original representation"


def _plain_log_ticks(axes: Axes, low: float, high: float) -> None:
    """Set ticks as plain numbers: the finest of three choices with at most four on the axis."""
    choices = ((0.01, 0.1, 1, 10, 100), (0.1, 0.2, 0.5, 1, 2, 5), (0.7, 0.8, 1, 1.25, 1.5, 2))
    fitting = [[t for t in row if low <= t <= high] for row in choices]
    ticks = max((row for row in fitting if len(row) <= 4), key=len)
    axes.set_xticks(ticks, [f"{t:g}" for t in ticks])
    axes.set_xticks([], minor=True)


def density(spec: Mapping[str, Any], rows: Sequence[Row]) -> tuple[Figure, str]:
    """Draw decision graphs above and maps below, a column per distance.

    Centres are large, a cluster has one shape and colour, objects of the halo are hollow.
    """
    names = first_of(rows, "distance")
    figure, panels = new_grid(PAGE, 4.6, 2, len(names))
    clusters = looks(sorted({row["cluster"] for row in rows}, key=int), linestyle="none")
    for above, below, name in zip(*panels, names, strict=True):
        mine = [row for row in rows if row["distance"] == name]
        curve(above, mine, "rho", "delta", marker="o", linestyle="none", ms=2.6, color=GREY, mew=0)
        for cluster, look in clusters.items():
            members = [row for row in mine if row["cluster"] == cluster]
            faces = {"1": {"mfc": "none"}, "0": {"mfc": look["color"]}}
            curves(below, members, "halo", "x", "y", faces, **look, ms=2.8, mew=0.5)
            for row in members:
                if row["center"] == "1":
                    curve(above, [row], "rho", "delta", **look, ms=7)
                    curve(below, [row], "x", "y", **look, ms=8, mec="black", mew=0.9)
        head = mine[0]["distance_label"].replace(", ", ",\n")
        above.set(title=head, xlabel="density rho (objects)", ylim=(0, None))
        places = f"{mine[0]['levels']} places of {len(mine)} objects"
        below.set(title=places, xlabel="first coordinate")
        below.set_aspect("equal", adjustable="datalim")
    panels[0][0].set_ylabel("distance delta")
    panels[1][0].set_ylabel("second coordinate")
    legend(
        figure,
        5,
        *((f"cluster {int(one) + 1}", look | {"ms": 4}) for one, look in clusters.items()),
        ("centre", {"marker": "o", "color": LIGHT, "mec": "black", "ms": 8, "linestyle": "none"}),
        *[("halo", ring(4, GREY, 1.0))] * any(row["halo"] == "1" for row in rows),
    )
    return figure, f"density peaks on {spec['datasets'][0]['printed']}"
