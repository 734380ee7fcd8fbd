"""Step `figure`: draw the numbers of one artefact from the CSV of its table."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from replication.files import read_rows
from replication.show.drawing import Row
from replication.show.style import COLUMN, new_figure, save
from replication.steps import find_function

if TYPE_CHECKING:
    from matplotlib.figure import Figure


def run(spec: dict[str, Any], table: Path, svg: Path) -> int:
    """Run the step."""
    figure, title = draw(spec, read_rows(table))
    save(figure, svg, title)
    return 0


def draw(spec: Mapping[str, Any], rows: Sequence[Row]) -> tuple[Figure, str]:
    """Figure of an artefact, and its title.

    Parameters
    ----------
    spec : mapping
        ``paper``, ``artefact``, ``kind``, ``label``, ``readings``, and what the kind needs besides;
        the kind is a function of ``replication.papers.<paper>.figures``.
    rows : sequence of mapping
        Rows of the CSV of the table.

    Raises
    ------
    UserError
        If there is no such figure.
    """
    kind = find_function(f"replication.papers.{spec['paper']}.figures", spec["kind"])
    return kind(spec, rows) if rows else _nothing_computed(spec)


def _nothing_computed(spec: Mapping[str, Any]) -> tuple[Figure, str]:
    """Figure of an artefact without any number."""
    figure, (axes,) = new_figure(COLUMN, 1.0)
    axes.set_axis_off()
    axes.text(0.5, 0.5, f"{spec['label']}: not run", ha="center", va="center", color="#6B6B6B")
    return figure, f"{spec['label']}: not run"
