"""Formulas as drawings, so that a page needs neither a network nor a script."""

import base64
import html
import io
import re
from typing import Any

from matplotlib.font_manager import FontProperties
from matplotlib.mathtext import math_to_image
from nbconvert.preprocessors import Preprocessor

_POINTS = 13
_FORMULA = re.compile(
    r"\$\$(?P<block>.+?)\$\$|(?<![\\$])\$(?P<line>[^\s$](?:[^$]*[^\s$])?)\$", re.S
)
_CODE = re.compile(r"(```.*?```|`[^`\n]+`)", re.S)


def drawn(tex: str, block: bool = False) -> str:
    """A formula as an image element; what it says in TeX is its text for those who do not see it.

    Parameters
    ----------
    tex : str
        Without dollars; a line break is a space.
    block : bool
        Whether it has lines of its own, so that fractions are as large as the rest.

    Raises
    ------
    ValueError
        If the formula uses what matplotlib's mathtext does not know.
    """
    text = " ".join(tex.split())
    shown = text.replace(r"\frac", r"\dfrac") if block else text
    font = FontProperties(size=_POINTS, math_fontfamily="stix")
    stream = io.BytesIO()
    depth = math_to_image(f"${shown}$", stream, format="svg", dpi=72, prop=font)
    data = base64.b64encode(stream.getvalue()).decode("ascii")
    return (
        f'<img class="formula" alt="{html.escape(text)}"'
        f' style="display: inline; vertical-align: -{depth:.1f}pt"'
        f' src="data:image/svg+xml;base64,{data}">'
    )


def with_drawings(markdown: str) -> str:
    """Markdown with its formulas as images; code is left alone.

    Parameters
    ----------
    markdown : str
        Formulas stand between single dollars in a line, between double ones on lines of their own.

    Raises
    ------
    ValueError
        If a formula uses what matplotlib's mathtext does not know.
    """
    parts = _CODE.split(markdown)  # every other one is code
    parts[::2] = [
        _FORMULA.sub(
            lambda found: drawn(found["block"] or found["line"], block=bool(found["block"])), part
        )
        for part in parts[::2]
    ]
    return "".join(parts)


class DrawnFormulas(Preprocessor):
    """Draws the formulas of a notebook's texts on its way to HTML."""

    def preprocess_cell(
        self, cell: Any, resources: dict[str, Any], _index: int
    ) -> tuple[Any, dict[str, Any]]:
        """A cell with its formulas drawn; code cells as they are."""
        if cell.cell_type == "markdown":
            cell.source = with_drawings(cell.source)
        return cell, resources
