"""Step `figure`: draw the numbers of one artefact from the CSV of its table."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from matplotlib.figure import Figure

from replication.files import read_rows
from replication.show.drawing import Row
from replication.show.style import PAGE, add_title, new_figure, save
from replication.steps import find_function


def run(spec: dict[str, Any], table: Path, svg: Path) -> None:
    """Run the step."""
    figure, title = draw(spec, read_rows(table))
    save(figure, svg, title)


def draw(spec: Mapping[str, Any], rows: Sequence[Row]) -> tuple[Figure, str]:
    """Draw an artefact; return the figure and its title, which stands above it.

    Parameters
    ----------
    spec : mapping
        ``paper``, ``name`` of the paper, ``artefact``, ``kind``, ``label``, ``readings``, and
        further keys of the kind: a function of ``replication.papers.<paper>.figures`` that returns
        a figure and its title.
    rows : sequence of mapping
        Rows of the CSV of the table.

    Raises
    ------
    UserError
        If there is no such function.
    """
    kind = find_function(f"replication.papers.{spec['paper']}.figures", spec["kind"])
    figure, what = kind(spec, rows) if rows else empty("not run")
    title = f"{spec['name']}, {spec['label']}: {what}"
    add_title(figure, title)
    return figure, title


def empty(why: str) -> tuple[Figure, str]:
    """Return an empty figure and a title with the reason."""
    figure, (axes,) = new_figure(PAGE, 0.3)
    axes.set_axis_off()
    return figure, f"nothing to draw, {why}"
