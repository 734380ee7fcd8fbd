"""Figure of the reader's own data: the table of scores as dots, best measure on top."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from replication.papers.own.tables import INTERNAL_WORDS, SCORES
from replication.show.drawing import Row, first_of, legend
from replication.show.style import COLOURS, MARKERS, PAGE, new_figure

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
        (name, {"marker": marker, "color": colour, "linestyle": "none", "ms": 5})
        for name, (colour, marker) in looks.items()
    ]
    legend(figure, entries, 3)
    return figure, "Scores of measures and algorithms on your own data"
