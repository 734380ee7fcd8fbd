"""Figures of the study, one function per kind of artefact."""

from collections.abc import Mapping, Sequence
from textwrap import wrap
from typing import Any

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from replication.papers.study.analysis import ALGORITHMS, INDICES, REFERENCE
from replication.show.drawing import Row, dot, dot_rows, first_of, legend
from replication.show.figures import empty
from replication.show.style import COLOURS, LIGHT, MARKERS, PAGE, new_figure, new_grid


def ranks(spec: Mapping[str, Any], rows: Sequence[Row]) -> tuple[Figure, str]:
    """Draw mean ranks as dots, with half the critical difference to either side."""
    tested = [row for row in rows if row["difference"]]
    if not tested:
        return empty("too few data sets for a test of ranks")
    best, difference = (float(tested[0][key]) for key in ("rank", "difference"))
    bar: dict[str, Any] = {"color": COLOURS[0], "linewidth": 1.0}

    def draw(axes: Axes, _: str) -> None:
        axes.axvspan(best, best + difference, color="#EFEFEF", zorder=0)
        for i, row in enumerate(tested):
            rank = float(row["rank"])
            axes.plot([rank - difference / 2, rank + difference / 2], [i, i], **bar)
            axes.plot(rank, i, **dot(3.6, COLOURS[0]))
            place: dict[str, Any] = {"transform": axes.get_yaxis_transform(), "va": "center"}
            axes.text(1.01, i, f"{rank:.1f}", fontsize=7, **place)
        axes.set_xlabel("mean rank by ARI (1 is the best)")

    figure, _ = dot_rows([row["label"] for row in tested], [""], draw, height=(0.9, 0.155))
    entries = [
        (
            f"mean rank ± half the critical difference of {difference:.2f}",
            dot(3.6, COLOURS[0]) | {"linestyle": "-", **bar},
        ),
        ("not significantly worse than the first", {"color": "#DDDDDD", "linewidth": 6}),
    ]
    legend(figure, entries, 2)
    return (
        figure,
        f"mean ranks over {tested[0]['datasets']} data sets; overlapping bars do not differ",
    )


def heatmap(spec: Mapping[str, Any], rows: Sequence[Row]) -> tuple[Figure, str]:
    """Draw ranks as shades: data sets down, methods across in the order of their mean rank."""
    if not rows:
        return empty("no data set has all measures")
    ranked = pd.DataFrame(rows).astype({"rank": float})
    grid = ranked.pivot_table("rank", "name", "label", sort=False)
    figure, (axes,) = new_figure(PAGE, 2.3 + 0.18 * len(grid))
    image = axes.imshow(grid, cmap="cividis_r", aspect="auto", vmin=1, vmax=grid.shape[1])
    axes.set_xticks(range(grid.shape[1]), grid.columns, rotation=90)
    axes.set_yticks(range(len(grid)), grid.index)
    axes.set_xlabel("methods in the order of their mean ranks; equal shades in a row: equal scores")
    axes.tick_params(length=0)
    axes.spines[:].set_visible(False)
    bar = figure.colorbar(image, ax=axes, pad=0.01, fraction=0.03)
    bar.set_label("rank by ARI (1 is the best)")
    bar.ax.invert_yaxis()
    return figure, f"ranks of {grid.shape[1]} methods on {len(grid)} data sets"


def cost(spec: Mapping[str, Any], rows: Sequence[Row]) -> tuple[Figure, str]:
    """Draw mean ARI against seconds, with the Pareto front as a line."""
    shown = [
        {**row, "algorithm": "its own" if row["algorithm"] == row["measure"] else row["algorithm"]}
        for row in rows
        if row["ari"]
    ]
    if not shown:
        return empty("this run measured no times")
    figure, (axes,) = new_figure(PAGE, 1.2 + 0.11 * len(shown))
    front = sorted(
        (float(row["seconds"]), float(row["ari"])) for row in shown if row["front"] == "yes"
    )
    axes.step(*zip(*front, strict=True), where="post", color=COLOURS[1], linewidth=1.0, zorder=1)
    kinds = first_of(shown, "algorithm")
    for row in shown:
        on = row["front"] == "yes"
        axes.plot(
            float(row["seconds"]),
            float(row["ari"]),
            MARKERS[kinds.index(row["algorithm"]) % len(MARKERS)],
            color=COLOURS[1] if on else COLOURS[0],
            ms=5 if on else 3.5,
        )
    # names in a column next to the axes, in the order of the points; thin lines lead to them
    shown.sort(key=lambda row: (float(row["ari"]), row["label"]))
    for i, row in enumerate(shown):
        axes.annotate(
            row["label"],
            (float(row["seconds"]), float(row["ari"])),
            xytext=(1.04, (i + 0.5) / len(shown)),
            textcoords="axes fraction",
            va="center",
            fontsize=6.5,
            arrowprops={"arrowstyle": "-", "color": LIGHT, "linewidth": 0.5, "zorder": 0},
        )
    taken = "seconds for learning and one clustering (mean over the timed data sets)"
    axes.set(xscale="log", xlabel=taken, ylabel="mean ARI")
    axes.grid(axis="both")
    point = {"color": COLOURS[0], "linestyle": "none"}
    looks = [
        (ALGORITHMS.get(kind, kind), {"marker": MARKERS[i % len(MARKERS)], **point})
        for i, kind in enumerate(kinds)
    ]
    legend(figure, [*looks, ("Pareto front", {"color": COLOURS[1], "linewidth": 1.0})], 4)
    return figure, "mean ARI against seconds"


def conclusions(spec: Mapping[str, Any], rows: Sequence[Row]) -> tuple[Figure, str]:
    """Draw specification curves: the variants of each conclusion in the order of their values."""
    from matplotlib.ticker import MaxNLocator

    if not rows:
        return empty("too few data sets for a conclusion")
    names = first_of(rows, "conclusion")
    down = -(-len(names) // 3)
    figure, grid = new_grid(PAGE, 1.35 * down + 0.5, down, 3)
    panels = [axes for row in grid for axes in row]
    shapes = dict(zip(INDICES, MARKERS, strict=False))
    for axes, name in zip(panels, names, strict=False):
        own = [row for row in rows if row["conclusion"] == name]
        own.sort(key=lambda row: float(row["value"]))
        for i, row in enumerate(own):
            look = {"mfc": "black" if row["holds"] == "yes" else "white", "mec": "black"}
            axes.plot(i, float(row["value"]), shapes[row["index"]], ms=2.6, mew=0.4, **look)
        if own[0]["unit"] == "mean difference":
            axes.axhline(0, color="black", linewidth=0.5)
        else:
            axes.set_ylim(-0.5, float(own[-1]["value"]) + 1)
            axes.yaxis.set_major_locator(MaxNLocator(4, integer=True))
        share = sum(row["holds"] == "yes" for row in own) / len(own)
        axes.set_title("\n".join(wrap(f"{name}: {share:.0%}", 42)), fontsize=6)
        axes.set_xticks([])
        axes.tick_params(labelsize=6)
        axes.set_ylabel(own[0]["unit"].partition(" of ")[0], fontsize=6)
    for axes in panels[len(names) :]:
        axes.set_axis_off()
    looks = [
        (INDICES[index], {"marker": shape, "color": "black", "mfc": "none", "linestyle": "none"})
        for index, shape in shapes.items()
    ]
    holds = {"marker": "s", "mec": "black", "linestyle": "none"}
    looks += [("holds", {**holds, "mfc": "black"}), ("does not", {**holds, "mfc": "white"})]
    legend(figure, looks, len(looks))
    return figure, f"{len(names)} conclusions under all analyses (a mark each; %: share in favour)"


def agreement(spec: Mapping[str, Any], rows: Sequence[Row]) -> tuple[Figure, str]:
    """Draw a dendrogram of the measures, by rank correlation of their dissimilarities."""
    from scipy.cluster.hierarchy import dendrogram, linkage

    names = first_of(rows, "first_label")
    if len(names) < 3 or len(rows) < len(names) ** 2:
        return empty("too few measures with dissimilarities on common data sets")
    rho = pd.DataFrame(rows).astype({"rho": float})
    alike = rho.pivot_table("rho", "first_label", "second_label").loc[names, names].to_numpy()
    upper = np.maximum(1.0 - (alike + alike.T) / 2, 0.0)[np.triu_indices(len(names), 1)]
    figure, (axes,) = new_figure(PAGE, 0.8 + 0.16 * len(names))
    dendrogram(
        linkage(upper, "average"),
        labels=names,
        orientation="left",
        ax=axes,
        color_threshold=0,
        above_threshold_color=COLOURS[0],
        leaf_font_size=7.5,
    )
    reference = {row["first_label"] for row in rows if row["first"] == REFERENCE}
    for label in axes.get_yticklabels():
        label.set_fontweight("bold" if label.get_text() in reference else "normal")
    axes.set_xlabel(
        "1 - mean Spearman correlation of the dissimilarities of pairs of objects (0: alike)"
    )
    axes.grid(axis="x")
    axes.spines["left"].set_visible(False)
    return figure, "dendrogram of the measures, by how they order pairs of objects"
