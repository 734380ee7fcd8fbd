"""Fig. 3 of CASO: papers against venues, with the clusters of the venues."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from replication.papers.caso.bibliographic import FIELDS, METHODS
from replication.papers.caso.tables_bibliographic import SOURCES
from replication.show.drawing import Row, first_of, legend
from replication.show.style import COLOURS, PAGE, new_figure

if TYPE_CHECKING:
    from matplotlib.figure import Figure

_MOST_NAMES = 12
"""Venues up to which their names stand at the axis instead of their places."""


def bibliographic_map(spec: Mapping[str, Any], rows: Sequence[Row]) -> tuple[Figure, str]:
    """One panel per method and source of the papers: a point per paper, at its venue.

    The thick vertical line parts the papers of the two fields, the thick horizontal line the two
    clusters of venues. Papers whose venue is in the cluster of the other field are crosses.
    """
    sources = first_of(rows, "source")
    figure, (whole,) = new_figure(PAGE, 0.7 + 2.1 * len(sources))
    whole.remove()
    panels = figure.subplots(len(sources), len(METHODS), squeeze=False)
    looks = {
        "no": {"marker": ".", "color": COLOURS[0], "ms": 1.6, "linestyle": "none"},
        "yes": {"marker": "x", "color": COLOURS[1], "ms": 2.4, "mew": 0.5, "linestyle": "none"},
    }
    for line, source in zip(panels, sources, strict=True):
        papers = [row for row in rows if row["source"] == source]
        border = sum(row["field"] == FIELDS[0] for row in papers) + 0.5
        for axes, (method, label) in zip(line, METHODS.items(), strict=True):
            for misplaced, look in looks.items():
                shown = [row for row in papers if row[f"{method}_misplaced"] == misplaced]
                x = [int(row["position"]) for row in shown]
                axes.plot(x, [int(row[f"{method}_place"]) for row in shown], **look)
            names = {int(row[f"{method}_place"]): row["venue"] for row in papers}
            below = {
                int(row[f"{method}_place"])
                for row in papers
                if row[f"{method}_cluster"] == FIELDS[0]
            }
            axes.axvline(border, color="black", linewidth=1.2)
            axes.axhline(len(below) + 0.5, color="black", linewidth=1.2)
            axes.set_xlim(0, len(papers) + 1)
            axes.set_ylim(0.2, len(names) + 0.8)
            if len(names) <= _MOST_NAMES:
                axes.set_yticks(sorted(names), [names[place] for place in sorted(names)])
                axes.tick_params(axis="y", labelsize=5.5, length=0, pad=1)
            if source == sources[0]:
                axes.set_title(label.replace(" (", "\n("), fontsize=7.5)
            if source == sources[-1]:
                axes.set_xlabel("paper")
        line[0].set_ylabel(f"venue ({SOURCES[source]})")
    entries = [("venue in the cluster of its field", {**looks["no"], "ms": 4})]
    entries += [("in that of the other field", {**looks["yes"], "ms": 4, "mew": 0.9})]
    line_look = {"color": "black", "linewidth": 1.2}
    entries += [("border of fields (vertical) and clusters (horizontal)", line_look)]
    legend(figure, entries, 3)
    return figure, f"{spec['label']}: papers and clusters of their venues"
