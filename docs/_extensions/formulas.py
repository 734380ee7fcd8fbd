"""Sphinx extension: formulas as drawings, so that a page needs neither a network nor a script."""

from __future__ import annotations

import base64
import io
from typing import TYPE_CHECKING, Any

from sphinx.util.math import get_node_equation_number

if TYPE_CHECKING:
    from docutils import nodes
    from sphinx.application import Sphinx
    from sphinx.writers.html5 import HTML5Translator

_POINTS = 13


def setup(app: Sphinx) -> dict[str, Any]:
    """Register the renderer."""
    app.add_html_math_renderer("drawn", (inline, None), (display, None))
    return {"parallel_read_safe": True, "parallel_write_safe": True}


def drawn(tex: str) -> str:
    """A formula as an image element; what it says in TeX is its text for those who do not see it.

    Raises
    ------
    ValueError
        If the formula uses what matplotlib's mathtext does not know.
    """
    import html

    from matplotlib.mathtext import math_to_image

    stream = io.BytesIO()
    depth = math_to_image(f"${tex.strip()}$", stream, format="svg", dpi=72, prop=_font())
    data = base64.b64encode(stream.getvalue()).decode("ascii")
    return (
        f'<img class="formula" alt="{html.escape(tex.strip())}"'
        f' style="vertical-align: -{depth:.1f}pt" src="data:image/svg+xml;base64,{data}">'
    )


def _font() -> Any:
    from matplotlib.font_manager import FontProperties

    return FontProperties(size=_POINTS, math_fontfamily="stix")


def inline(self: HTML5Translator, node: nodes.math) -> None:
    """A formula in a line of text."""
    from docutils import nodes as known

    self.body.append(drawn(node.astext()))
    raise known.SkipNode


def display(self: HTML5Translator, node: nodes.math_block) -> None:
    """A formula on a line of its own."""
    from docutils import nodes as known

    number = get_node_equation_number(self, node) if node["number"] else ""
    self.body.append(f'<p class="formula">{drawn(node.astext())} {number}</p>\n')
    raise known.SkipNode
