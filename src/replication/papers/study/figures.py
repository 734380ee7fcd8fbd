"""Figures of the study, one function per kind of artefact that has one."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from textwrap import wrap
from typing import TYPE_CHECKING, Any

from replication.papers.study.analysis import ALGORITHMS, INDICES, REFERENCE
from replication.show.drawing import Row, first_of, legend
from replication.show.style import COLOURS, COLUMN, LIGHT, MARKERS, PAGE, new_figure, new_grid

if TYPE_CHECKING:
    from matplotlib.figure import Figure


def _empty(spec: Mapping[str, Any], words: str) -> tuple[Figure, str]:
    """Figure that says why there is nothing to draw."""
    figure, (axes,) = new_figure(COLUMN, 1.0)
    axes.text(0.5, 0.5, words, ha="center", va="center", transform=axes.transAxes)
    axes.set_axis_off()
    return figure, f"{spec['label']}: nothing to draw"


def ranks(spec: Mapping[str, Any], rows: Sequence[Row]) -> tuple[Figure, str]:
    """Critical-difference diagram: mean ranks, bars over what cannot be told apart."""
    import pandas as pd
    from matplotlib.transforms import ScaledTranslation
    from scikit_posthocs import critical_difference_diagram

    tested = [row for row in rows if row["difference"]]
    if not tested:
        return _empty(spec, "too few data sets for a test of ranks")
    names = [row["label"] for row in tested]
    place = pd.Series([float(row["rank"]) for row in tested], index=names)
    difference = float(tested[0]["difference"])
    # a bar joins what lies closer than the critical difference
    apart = pd.DataFrame(
        [[0.0 if abs(a - b) > difference else 1.0 for b in place] for a in place],
        index=names,
        columns=names,
    )
    figure, (axes,) = new_figure(PAGE, 0.9 + 0.095 * len(names))
    drawn = critical_difference_diagram(
        place,
        apart,
        ax=axes,
        label_fmt_left="{label} ({rank:.1f})",
        label_fmt_right="({rank:.1f}) {label}",
        label_props={"fontsize": 7},
        marker_props={"marker": "o", "s": 8, "color": COLOURS[0]},
        elbow_props={"color": "#333333", "linewidth": 0.5},
        crossbar_props={"color": "black", "linewidth": 1.8, "marker": None},
    )
    for (bar,) in drawn["crossbars"]:
        # the library joins the methods in the order of a set
        ends = sorted(bar.get_xdata())
        bar.set_data([ends[0], ends[-1]], bar.get_ydata()[:2])
    axes.set_xlabel("mean rank by ARI (1 is the best)", fontsize=8)
    axes.xaxis.set_label_position("top")
    # above the numbers and the title of the axis, however high the picture is
    above = axes.get_xaxis_transform() + ScaledTranslation(0, 29 / 72, figure.dpi_scale_trans)
    ends = [float(place.min()), float(place.min()) + difference]
    style = {"color": COLOURS[1], "transform": above, "clip_on": False}
    axes.plot(ends, [1, 1], linewidth=1.4, **style)
    axes.text(
        ends[1], 1, f" critical difference {difference:.2f}", va="center", fontsize=7, **style
    )
    return figure, f"{spec['label']}: mean ranks over {tested[0]['datasets']} data sets"


def heatmap(spec: Mapping[str, Any], rows: Sequence[Row]) -> tuple[Figure, str]:
    """Ranks as shades: data sets down, measures across in the order of their mean rank."""
    import numpy as np

    if not rows:
        return _empty(spec, "no data set has all measures")
    measures, datasets = first_of(rows, "label"), first_of(rows, "name")
    value = {(row["name"], row["label"]): float(row["rank"]) for row in rows}
    grid = np.array([[value[d, m] for m in measures] for d in datasets])
    figure, (axes,) = new_figure(PAGE, 1.3 + 0.2 * len(datasets))
    image = axes.imshow(grid, cmap="cividis_r", aspect="auto", vmin=1, vmax=len(measures))
    axes.set_xticks(range(len(measures)), measures, rotation=60, ha="right", rotation_mode="anchor")
    axes.set_yticks(range(len(datasets)), datasets)
    axes.tick_params(length=0)
    axes.spines[:].set_visible(False)
    bar = figure.colorbar(image, ax=axes, pad=0.01, fraction=0.03)
    bar.set_label("rank by ARI (1 is the best)")
    bar.ax.invert_yaxis()
    return (
        figure,
        f"{spec['label']}: ranks of {len(measures)} measures on {len(datasets)} data sets",
    )


def cost(spec: Mapping[str, Any], rows: Sequence[Row]) -> tuple[Figure, str]:
    """Mean ARI against seconds; a line joins what nothing else beats in both."""
    shown = [row for row in rows if row["ari"]]
    if not shown:
        return _empty(spec, "no times were taken in this run")
    figure, (axes,) = new_figure(0.85 * PAGE, 3.6)
    front = sorted(
        (float(row["seconds"]), float(row["ari"])) for row in shown if row["front"] == "yes"
    )
    axes.step(*zip(*front, strict=True), where="post", color=COLOURS[1], linewidth=1.0, zorder=1)
    shown = [
        {**row, "algorithm": "its own" if row["algorithm"] == row["measure"] else row["algorithm"]}
        for row in shown
    ]
    kinds = first_of(shown, "algorithm")
    for row in shown:
        on = row["front"] == "yes"
        place = (float(row["seconds"]), float(row["ari"]))
        axes.plot(
            *place,
            MARKERS[kinds.index(row["algorithm"]) % len(MARKERS)],
            color=COLOURS[1] if on else COLOURS[0],
            ms=5 if on else 3.5,
        )
    # names in a column beside the axes, in the order of the points; thin lines lead to them
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
    axes.set_xscale("log")
    axes.set_xlabel("seconds for learning and one clustering (mean over the timed data sets)")
    axes.set_ylabel("mean ARI")
    axes.grid(axis="both")
    looks: list[tuple[str, dict[str, Any]]] = [
        (
            ALGORITHMS.get(kind, kind),
            {"marker": MARKERS[i % len(MARKERS)], "color": COLOURS[0], "linestyle": "none"},
        )
        for i, kind in enumerate(kinds)
    ]
    looks.append(("Pareto front", {"color": COLOURS[1], "linewidth": 1.0}))
    legend(figure, looks, 4)
    return figure, f"{spec['label']}: mean ARI against seconds"


def conclusions(spec: Mapping[str, Any], rows: Sequence[Row]) -> tuple[Figure, str]:
    """Specification curves: the variants of each conclusion in the order of their values."""
    if not rows:
        return _empty(spec, "too few data sets for a conclusion")
    names = first_of(rows, "conclusion")
    across = 3
    down = -(-len(names) // across)
    figure, grid = new_grid(PAGE, 1.35 * down + 0.5, down, across)
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
            axes.set_ylim(-0.5, float(own[-1]["value"]) + 0.5)
        share = sum(row["holds"] == "yes" for row in own) / len(own)
        axes.set_title("\n".join(wrap(f"{name}: {share:.0%}", 44)), fontsize=5.5)
        axes.set_xticks([])
        axes.tick_params(labelsize=5.5)
        axes.set_ylabel(own[0]["unit"].partition(" of ")[0], fontsize=5.5)
    for axes in panels[len(names) :]:
        axes.set_axis_off()
    looks = [
        (INDICES[index], {"marker": shape, "color": "black", "mfc": "none", "linestyle": "none"})
        for index, shape in shapes.items()
    ]
    holds = {"marker": "s", "mec": "black", "linestyle": "none"}
    looks += [("holds", {**holds, "mfc": "black"}), ("does not", {**holds, "mfc": "white"})]
    legend(figure, looks, len(looks))
    return figure, f"{spec['label']}: specification curves of {len(names)} conclusions"


def agreement(spec: Mapping[str, Any], rows: Sequence[Row]) -> tuple[Figure, str]:
    """Dendrogram of the measures by how alike they order pairs of objects."""
    import numpy as np
    from scipy.cluster.hierarchy import dendrogram, linkage

    names = first_of(rows, "first_label")
    value = {(row["first_label"], row["second_label"]): float(row["rho"]) for row in rows}
    if len(names) < 3 or len(value) < len(names) ** 2:
        return _empty(spec, "too few measures with dissimilarities on common data sets")
    upper = [
        max(1.0 - (value[a, b] + value[b, a]) / 2, 0.0)
        for i, a in enumerate(names)
        for b in names[i + 1 :]
    ]
    figure, (axes,) = new_figure(0.8 * PAGE, 0.8 + 0.19 * len(names))
    dendrogram(
        linkage(np.array(upper), "average"),
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
    axes.set_xlabel("1 - mean Spearman correlation of the dissimilarities of pairs of objects")
    axes.grid(axis="x")
    axes.spines["left"].set_visible(False)
    return figure, f"{spec['label']}: dendrogram of the measures"
