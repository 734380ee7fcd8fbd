"""Figures of the study, one function per kind of artefact."""

from collections.abc import Mapping, Sequence
from textwrap import wrap
from typing import Any

from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import MaxNLocator

from replication.papers.study.analysis import INDICES
from replication.show.drawing import Row, dot, dot_rows, first_of, legend
from replication.show.figures import empty
from replication.show.style import COLOURS, MARKERS, PAGE, new_grid


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
    legend(
        figure,
        2,
        (
            f"mean rank ± half the critical difference of {difference:.2f}",
            dot(3.6, COLOURS[0]) | {"linestyle": "-", **bar},
        ),
        ("not significantly worse than the first", {"color": "#DDDDDD", "linewidth": 6}),
    )
    return (
        figure,
        f"mean ranks over {tested[0]['datasets']} data sets; "
        "no significant difference where bars overlap",
    )


def conclusions(spec: Mapping[str, Any], rows: Sequence[Row]) -> tuple[Figure, str]:
    """Draw specification curves: the variants of each conclusion in the order of their values."""
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
    legend(figure, len(looks), *looks)
    return figure, f"{len(names)} conclusions under all analyses (a mark each; %: share in favour)"
