"""The style of figures: colours for colour-blind readers and grey print, files without dates."""

import io
import re
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import matplotlib as mpl
from matplotlib.figure import Figure

from replication.files import atomic_write

# Okabe and Ito's colours, dark ones first; yellow is left out, too light for lines on white.
COLOURS = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#000000", "#56B4E9", "#E69F00")
MARKERS = ("o", "s", "^", "D", "v", "P", "X")
LINES = ("-", "--", "-.", ":")
GREY = "#9A9A9A"
LIGHT = "#D0D0D0"
DIM = "#6B6B6B"
"""Words about what is not compared."""
PAGE = 7.1
"""Width of every figure of a paper, in inches."""
_TITLE = 0.24
"""Height of the title of a figure, in inches."""

_SETTINGS: dict[Any, Any] = {
    "font.family": "sans-serif",
    # Verdana is as wide: where DejaVu Sans is lacking, the words of an SVG keep their places
    "font.sans-serif": ["DejaVu Sans", "Verdana"],
    "font.size": 8.0,
    "axes.titlesize": 8.0,
    "axes.titlelocation": "left",
    "axes.labelsize": 8.0,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.linewidth": 0.6,
    "axes.axisbelow": True,
    "xtick.labelsize": 7.5,
    "ytick.labelsize": 7.5,
    "xtick.major.width": 0.6,
    "ytick.major.width": 0.6,
    "legend.fontsize": 7.5,
    "legend.frameon": False,
    "lines.linewidth": 1.2,
    "grid.color": "#E4E4E4",
    "grid.linewidth": 0.5,
    "svg.fonttype": "none",
    "svg.hashsalt": "replication",
    "pdf.fonttype": 42,
    "path.simplify": False,
}


def new_figure(width: float, height: float, panels: int = 1) -> tuple[Figure, Sequence]:
    """Empty figure with panels side by side, laid out without overlaps.

    Parameters
    ----------
    width, height : float
        Inches.
    panels : int
        Number of panels.

    Returns
    -------
    figure : matplotlib.figure.Figure
    axes : sequence of matplotlib.axes.Axes
    """
    figure, grid = new_grid(width, height, 1, panels)
    return figure, grid[0]


def new_grid(
    width: float, height: float, rows: int, columns: int, **options: Any
) -> tuple[Figure, list[list]]:
    """Empty figure with rows of panels, laid out without overlaps.

    Parameters
    ----------
    width, height : float
        Inches.
    rows, columns : int
        Number of panels.
    **options
        Of `matplotlib.figure.Figure.subplots`, such as ``sharex``.

    Returns
    -------
    figure : matplotlib.figure.Figure
    axes : list of list of matplotlib.axes.Axes
    """
    mpl.rcdefaults()
    mpl.rcParams.update(_SETTINGS)
    figure = Figure(figsize=(width, height), layout="constrained")
    return figure, [list(row) for row in figure.subplots(rows, columns, squeeze=False, **options)]


def add_title(figure: Figure, title: str) -> None:
    """Write a title above a finished figure, which grows by its height."""
    from matplotlib.font_manager import FontProperties

    width, height = figure.get_size_inches()
    figure.set_size_inches(width, height + _TITLE)
    look = FontProperties(size=9, weight="bold")
    if not figure.legends:
        figure.suptitle(title, x=0.005, ha="left", fontproperties=look)
    for legend in figure.legends:
        # a title of the figure would lie on the legend above the panels
        legend.set_title(title, prop=look)
        legend.set_alignment("left")


def save(figure: Figure, svg: Path, title: str) -> None:
    """Write a figure as SVG, and as PDF beside it, the same bytes for the same figure.

    Parameters
    ----------
    figure : matplotlib.figure.Figure
        What to write.
    svg : Path
        Where to.
    title : str
        Title in the metadata of both files.
    """
    metadata = {
        "svg": {"Title": title, "Date": None, "Creator": None},
        "pdf": {"Title": title, "CreationDate": None, "Creator": None, "Producer": None},
    }
    for path in (svg, svg.with_suffix(".pdf")):
        kind = path.suffix.removeprefix(".")
        with atomic_write(path) as partial:
            figure.savefig(partial, format=kind, metadata=metadata[kind])
            figure.set_layout_engine(None)  # both have the layout that was found for the first
            if kind == "svg":
                partial.write_text(settled(partial.read_text(encoding="utf-8")), encoding="utf-8")


def settled(svg: str) -> str:
    """SVG without digits that belong to a processor.

    Matplotlib writes coordinates to a millionth of a point, and makes ids of all their digits. Here
    ids are numbers in the order of the file, and coordinates have thousandths.
    """
    names = dict.fromkeys(re.findall(r'id="(\w*[0-9a-f]{10})"', svg))
    numbers = {name: f"shape_{i}" for i, name in enumerate(names)}
    svg = re.sub(
        r'(?<=["#])\w*[0-9a-f]{10}(?=[")])', lambda name: numbers.get(name[0], name[0]), svg
    )
    # what is below one is a scale, not a coordinate
    return re.sub(r"(?<![\w.])[1-9]\d*\.\d{4,}", lambda one: f"{float(one[0]):.3f}", svg)


def svg_bytes(figure: Figure, title: str) -> bytes:
    """A figure as SVG, the same bytes for the same figure."""
    stream = io.BytesIO()
    figure.savefig(stream, format="svg", metadata={"Title": title, "Date": None, "Creator": None})
    return settled(stream.getvalue().decode()).encode()
