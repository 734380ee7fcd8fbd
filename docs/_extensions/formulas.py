"""Sphinx extension: formulas as drawings, so that a page needs neither a network nor a script."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from sphinx.util.math import get_node_equation_number

from replication.report.formulas import drawn

if TYPE_CHECKING:
    from docutils import nodes
    from sphinx.application import Sphinx
    from sphinx.writers.html5 import HTML5Translator


def setup(app: Sphinx) -> dict[str, Any]:
    """Register the renderer."""
    app.add_html_math_renderer("drawn", (inline, None), (display, None))
    return {"parallel_read_safe": True, "parallel_write_safe": True}


def inline(self: HTML5Translator, node: nodes.math) -> None:
    """A formula in a line of text."""
    from docutils import nodes as known

    self.body.append(drawn(node.astext()))
    raise known.SkipNode


def display(self: HTML5Translator, node: nodes.math_block) -> None:
    """A formula on a line of its own."""
    from docutils import nodes as known

    number = get_node_equation_number(self, node) if node["number"] else ""
    self.body.append(f'<p class="formula">{drawn(node.astext(), block=True)} {number}</p>\n')
    raise known.SkipNode
