"""Formulas are drawn, in pages of the site and in notebooks, without a script or a network."""

import base64
import re

import pytest
from kit import ROOT

from replication.report.formulas import drawn, with_drawings

MARK = "replication.report.formulas.DrawnFormulas"


def test_a_formula_is_a_picture_that_says_what_it_is():
    image = drawn("a <\n b'")
    assert 'alt="a &lt; b&#x27;"' in image
    data = re.search(r"base64,([^\"]+)", image)[1]
    assert b"<svg" in base64.b64decode(data)


def test_fractions_of_a_block_are_larger():
    def height(image):
        data = base64.b64decode(re.search(r"base64,([^\"]+)", image)[1])
        return float(re.search(rb'height="([\d.]+)pt"', data)[1])

    assert height(drawn(r"\frac{a}{b}", block=True)) > height(drawn(r"\frac{a}{b}"))


def test_what_cannot_be_drawn_is_an_error():
    with pytest.raises(ValueError, match="bigl"):
        drawn(r"\bigl( a")


def test_code_and_lone_dollars_are_no_formulas():
    text = "it costs $ 5 and 6 $; `$x$`\n```\n$$y$$\n```\nand \\$z\\$"
    assert with_drawings(text) == text
    found = with_drawings("both $a_1$ and\n\n$$\\sum_i\na_i$$\n\n`$b$`")
    assert re.findall(r'alt="([^"]*)"', found) == ["a_1", r"\sum_i a_i"]
    assert found.endswith("`$b$`")


@pytest.mark.parametrize("path", sorted((ROOT / "notebooks").glob("*.ipynb")), ids=lambda p: p.stem)
def test_no_formula_of_a_notebook_is_left_as_source(path):
    # not at the top: each process collects all tests, and these take seconds to import
    import nbformat
    from nbconvert import HTMLExporter

    exporter = HTMLExporter(preprocessors=[MARK], mathjax_url="", require_js_url="")
    page, _ = exporter.from_notebook_node(nbformat.read(path, as_version=4))
    texts = re.sub(r"<pre>.*?</pre>|<script.*?</script>|<style.*?</style>", "", page, flags=re.S)
    assert not re.search(r"\\(frac|sum|text|min)\b", re.sub(r'alt="[^"]*"', "", texts))
    assert page.count('class="formula"') >= (not path.stem.startswith("your_own"))
    rule = (ROOT / "workflow/rules/notebooks.smk").read_text(encoding="utf-8")
    assert f"--HTMLExporter.preprocessors={MARK}" in rule
