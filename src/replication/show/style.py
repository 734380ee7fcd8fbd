"""Style and files of figures: colours for colour-blind readers and grey print, no dates."""

import io
import re
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import matplotlib as mpl
from matplotlib.figure import Figure

from replication.files import atomic_write, write_bytes

# Okabe and Ito's colours, dark ones first; yellow is left out, too light for lines on white.
COLOURS = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#000000", "#56B4E9", "#E69F00")
MARKERS = ("o", "s", "^", "D", "v", "P", "X")
LINES = ("-", "--", "-.", ":")
GREY = "#9A9A9A"
LIGHT = "#D0D0D0"
DIM = "#6B6B6B"
"""Colour of the names of data sets that are not compared."""
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
    """Return an empty figure with panels side by side, laid out without overlaps.

    `width` and `height` are inches. The panels are returned too, as `matplotlib.axes.Axes`.
    """
    figure, grid = new_grid(width, height, 1, panels)
    return figure, grid[0]


def new_grid(
    width: float, height: float, rows: int, columns: int, **options: Any
) -> tuple[Figure, list[list]]:
    """Return an empty figure with rows of panels, laid out without overlaps; and their axes.

    The axes, `matplotlib.axes.Axes`, are lists by row. `width` and `height` are inches, `rows` and
    `columns` numbers of panels. `options` are those of `matplotlib.figure.Figure.subplots`, such as
    ``sharex``.
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
    """Write a figure as SVG and as PDF, with the same bytes for the same figure.

    `svg` is the file of the SVG; the PDF has the same name with ``.pdf``. `title` goes to the
    metadata of both files.
    """
    write_bytes(svg, svg_bytes(figure, title))
    figure.set_layout_engine(None)  # the PDF has the layout of the SVG
    metadata = {"Title": title, "CreationDate": None, "Creator": None, "Producer": None}
    with atomic_write(svg.with_suffix(".pdf")) as partial:
        figure.savefig(partial, format="pdf", metadata=metadata)


def settled(svg: str) -> str:
    """Return an SVG without digits that depend on the processor.

    Matplotlib writes coordinates to a millionth of a point, and derives ids from all their digits.
    Here ids are numbered in the order of the file, and coordinates are rounded to thousandths.
    """
    names = dict.fromkeys(re.findall(r'id="(\w*[0-9a-f]{10})"', svg))
    numbers = {name: f"shape_{i}" for i, name in enumerate(names)}
    svg = re.sub(
        r'(?<=["#])\w*[0-9a-f]{10}(?=[")])', lambda name: numbers.get(name[0], name[0]), svg
    )
    # a number below one is a scale, not a coordinate
    return re.sub(r"(?<![\w.])[1-9]\d*\.\d{4,}", lambda one: f"{float(one[0]):.3f}", svg)


def svg_bytes(figure: Figure, title: str) -> bytes:
    """Return a figure as SVG, with the same bytes for the same figure."""
    stream = io.BytesIO()
    figure.savefig(stream, format="svg", metadata={"Title": title, "Date": None, "Creator": None})
    return settled(stream.getvalue().decode()).encode()
