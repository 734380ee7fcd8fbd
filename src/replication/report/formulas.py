"""Draw formulas as images, so that a page needs neither a network nor a script."""

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
    """Return a formula as an image element with its TeX source as alternative text.

    Parameters
    ----------
    tex : str
        Without dollars; a line break is a space.
    block : bool
        Whether it stands on lines of its own; fractions then have full size.

    Raises
    ------
    ValueError
        If the formula has a command that matplotlib's mathtext does not know.
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
    """Return Markdown with its formulas as images; code does not change.

    Parameters
    ----------
    markdown : str
        Formulas in a line stand between single dollars, those on lines of their own between double
        dollars.

    Raises
    ------
    ValueError
        If a formula has a command that matplotlib's mathtext does not know.
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
    """Draw the formulas in the texts of a notebook that is converted to HTML."""

    def preprocess_cell(
        self, cell: Any, resources: dict[str, Any], _index: int
    ) -> tuple[Any, dict[str, Any]]:
        """Return a cell with its formulas drawn; code cells do not change."""
        if cell.cell_type == "markdown":
            cell.source = with_drawings(cell.source)
        return cell, resources
