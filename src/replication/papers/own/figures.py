"""Figures of the reader's own data: scores of all pipelines, and what the clusters of one are."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from replication.files import MISSING
from replication.papers.own.tables import INTERNAL_WORDS, SCORES, short_labels
from replication.show.drawing import Row, first_of, legend
from replication.show.style import COLOURS, MARKERS, PAGE, new_figure, new_grid

if TYPE_CHECKING:
    from matplotlib.figure import Figure


def scores(spec: Mapping[str, Any], rows: Sequence[Row]) -> tuple[Figure, str]:
    """One line per measure, one shape per algorithm; bars are standard deviations over runs."""
    rows = [row for row in rows if row["value"]]
    datasets = first_of(rows, "dataset")
    lines = {
        dataset: sorted(
            first_of([row for row in rows if row["dataset"] == dataset], "measure"),
            key=lambda name, dataset=dataset: (
                -max(
                    float(row["value"])
                    for row in rows
                    if (row["dataset"], row["measure"]) == (dataset, name)
                )
            ),
        )
        for dataset in datasets
    }
    longest = max(map(len, lines.values()), default=1)
    width = min(PAGE, 4.2 + 1.6 * (len(datasets) - 1))
    figure, panels = new_figure(width, 1.0 + 0.26 * longest, max(1, len(datasets)))
    algorithms = first_of(rows, "algorithm")
    heads = short_labels({row["algorithm"]: row["algorithm_label"] for row in rows})
    looks = {
        name: (COLOURS[i % len(COLOURS)], MARKERS[i % len(MARKERS)])
        for i, name in enumerate(algorithms)
    }
    for axes, dataset in zip(panels, datasets, strict=False):
        here = [row for row in rows if row["dataset"] == dataset]
        for row in here:
            colour, marker = looks[row["algorithm"]]
            axes.errorbar(
                float(row["value"]),
                lines[dataset].index(row["measure"]),
                xerr=float(row["sd"] or 0) or None,
                fmt=marker,
                color=colour,
                ms=5,
                elinewidth=0.8,
                alpha=0.85,
            )
        names = {row["measure"]: row["measure_label"] for row in here}
        axes.set_yticks(range(len(names)), [names[name] for name in lines[dataset]])
        axes.set_ylim(len(names) - 0.5, -0.5)
        axes.grid(axis="both")
        axes.set_title(here[0]["printed_name"])
        axes.set_xlabel(SCORES.get(here[0]["shown"], INTERNAL_WORDS))
    entries = [
        (heads[name], {"marker": marker, "color": colour, "linestyle": "none", "ms": 5})
        for name, (colour, marker) in looks.items()
    ]
    legend(figure, entries, 2)
    return figure, "Scores of measures and algorithms on your own data"


WIDE = 2
"""Panels side by side in the figures of clusters."""
MOST_MAPS = 12
"""Most columns whose values are drawn as heat maps, those with the farthest values first."""
MOST_VALUES = 25
"""Most values of a heat map, the most frequent ones."""


def clusters(spec: Mapping[str, Any], rows: Sequence[Row]) -> tuple[Figure, str]:
    """One panel per cluster: the values that mark it, their share inside and elsewhere."""
    import pandas as pd

    from couplings.plotting.clusters import plot_profiles

    frame = pd.DataFrame([*rows]).assign(kind="value")
    numbers = {key: frame[key].replace("", "nan").astype(float) for key in ("inside", "outside")}
    frame = frame.assign(**numbers)
    groups = [group for _, group in frame.groupby(["dataset", "cluster"], sort=False)]
    most = min(8, max(map(len, groups)))
    lines = -(-len(groups) // WIDE)
    figure, grid = new_grid(PAGE, lines * (0.6 + 0.19 * most) + 0.3, lines, WIDE)
    panels = [axes for line in grid for axes in line]
    for axes in panels[len(groups) :]:
        axes.set_axis_off()
    for group, axes in zip(groups, panels, strict=False):
        plot_profiles(group, most, [axes])
        axes.get_legend().remove()
        axes.grid(axis="x")
        first = group.iloc[0]
        axes.set_title(f"{first['printed_name']}, cluster {first['cluster']}: {first['size']} rows")
    figure.supxlabel("share of the rows", fontsize=8)
    entries = [
        ("in the cluster", {"color": "tab:blue", "linewidth": 5}),
        ("elsewhere", {"color": "black", "marker": "|", "ms": 9, "linestyle": "none"}),
    ]
    legend(figure, entries, 2)
    return figure, "What marks the clusters of your own data"


def values(spec: Mapping[str, Any], rows: Sequence[Row]) -> tuple[Figure, str]:
    """One heat map per column: distances of its values, alike ones side by side."""
    import numpy as np
    from scipy.cluster.hierarchy import leaves_list, linkage
    from scipy.spatial.distance import squareform

    blocks: dict[tuple[str, str], dict[tuple[str, str], float]] = {}
    shares: dict[tuple[str, str], dict[str, float]] = {}
    for row in rows:
        key = (row["printed_name"], row["attribute"])
        blocks.setdefault(key, {})[row["value"], row["other"]] = float(row["distance"])
        shares.setdefault(key, {})[row["value"]] = float(row["share"])
    shown = sorted(blocks, key=lambda key: -max(blocks[key].values()))[:MOST_MAPS]
    across = min(4, len(shown))
    lines = -(-len(shown) // across)
    figure, grid = new_grid(PAGE, 1.95 * lines + 0.2, lines, across)
    panels = [axes for line in grid for axes in line]
    top = max(max(blocks[key].values()) for key in shown)
    for axes in panels[len(shown) :]:
        axes.set_axis_off()
    for key, axes in zip(shown, panels, strict=False):
        names = sorted(shares[key], key=lambda name: -shares[key][name])[:MOST_VALUES]
        matrix = np.array([[blocks[key][a, b] for b in names] for a in names])
        if len(names) > 2:
            tree = linkage(squareform(matrix, checks=False), method="average")
            order = leaves_list(tree)
            names, matrix = [names[i] for i in order], matrix[np.ix_(order, order)]
        image = axes.imshow(matrix, cmap="Blues", vmin=0, vmax=top or 1)
        size = 6 if len(names) <= 10 else 4
        labels = ["missing" if name == MISSING else name for name in names]
        axes.set_xticks(range(len(names)), labels, rotation=90, fontsize=size)
        axes.set_yticks(range(len(names)), labels, fontsize=size)
        title = key[1] if len({name for name, _ in shown}) == 1 else f"{key[0]}: {key[1]}"
        left = len(shares[key]) - len(names)
        axes.set_title(f"{title} (without {left} rare values)" if left else title)
    figure.colorbar(image, ax=panels, label="distance", shrink=0.6, aspect=30)
    return figure, "Distances of the values of your own data"


def number(spec: Mapping[str, Any], rows: Sequence[Row]) -> tuple[Figure, str]:
    """Silhouette and stability over the number of clusters."""
    import pandas as pd

    from couplings.plotting.clusters import plot_choose_k

    datasets = first_of(rows, "dataset")
    figure, panels = new_figure(min(PAGE, 3.6 * len(datasets)), 2.6, len(datasets))
    for axes, dataset in zip(panels, datasets, strict=True):
        here = [row for row in rows if row["dataset"] == dataset]
        table = pd.DataFrame(
            {
                key: [float(row[key] or "nan") for row in here]
                for key in ("silhouette", "stability", "stability_sd")
            },
            index=[int(row["k"]) for row in here],
        )
        plot_choose_k(table, axes)
        axes.grid(axis="y")
        axes.set_ylim(top=1.05)
        axes.set_title(here[0]["printed_name"])
    return figure, "How many clusters your own data have"


def objects(spec: Mapping[str, Any], rows: Sequence[Row]) -> tuple[Figure, str]:
    """Rows as points in the plane of the first two principal coordinates of their distances."""
    rows = [row for row in rows if row["x"]]
    datasets = first_of(rows, "dataset")
    figure, panels = new_figure(min(PAGE, 3.8 * len(datasets)), 3.6, len(datasets))
    for axes, dataset in zip(panels, datasets, strict=True):
        here = [row for row in rows if row["dataset"] == dataset]
        names = sorted(first_of(here, "cluster"), key=int)
        for i, cluster in enumerate(names):
            mine = [row for row in here if row["cluster"] == cluster]
            axes.plot(
                [float(row["x"]) for row in mine],
                [float(row["y"]) for row in mine],
                MARKERS[i % len(MARKERS)],
                color=COLOURS[i % len(COLOURS)],
                ms=4,
                alpha=0.6,
                mew=0,
                label=f"{cluster} ({len(mine)})",
            )
        for row in here:
            if row["rank"] == "odd":
                place = (float(row["x"]), float(row["y"]))
                axes.annotate(row["row"], place, (3, 3), textcoords="offset points", fontsize=6)
        axes.set_aspect("equal", adjustable="datalim")
        axes.set_title(f"{here[0]['printed_name']}: {float(here[0]['shown']):.0%} of the spread")
        axes.set_xlabel("first coordinate")
        axes.set_ylabel("second coordinate")
        axes.legend(title="cluster (rows)", loc="best")
    return figure, "Map of the rows of your own data"
