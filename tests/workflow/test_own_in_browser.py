"""The page of tools/own.py in headless Chromium: what a table says is text, whatever it says."""

import csv
from urllib.parse import unquote

import numpy as np
import pytest
from browser import CHROMIUM, Browser

pytestmark = [
    pytest.mark.workflow,
    pytest.mark.skipif(CHROMIUM is None, reason="no Chromium is installed"),
]

RAN = "document.ran=1"
NAMES = [
    f"<img src=x onerror={RAN}>",
    f"<script>{RAN}</script>",
    "</td></table><svg onload=document.ran=1>",
    "[link](javascript:document.ran=1)",
    "<i>number</i>",
    "<b>row</b>",
]
VALUES = [
    [f"<img src=x onerror={RAN}>", "<b>bold</b>", "&lt;b&gt;"],
    [f"<script>{RAN}</script>", "</script><script>document.ran=1</script>", "<!--"],
    ["<svg onload=document.ran=1>", "'\" onmouseover=document.ran=1 x='", "{{ 7*7 }}"],
    ["[a](javascript:document.ran=1)", "**b** `c` | d", "$\\href{javascript:document.ran=1}{e}$"],
]
FILE = f"<img src=x onerror={RAN}> & <b>table<b>.csv"


@pytest.fixture
def table(tmp_path):
    """Three groups of objects, with markup in every name, every value, and the name of the file."""
    rng = np.random.default_rng(0)
    with (tmp_path / FILE).open("w", encoding="utf-8", newline="") as stream:
        writer = csv.writer(stream)
        writer.writerow(NAMES)
        for i in range(60):
            group = i % 3
            codes = [group if rng.random() < 0.9 else rng.integers(3) for _ in VALUES]
            cells = [values[code] for values, code in zip(VALUES, codes, strict=True)]
            writer.writerow([*cells, group * 10 + round(rng.random(), 3), f"<u>{i}</u>"])
    return FILE


def test_markup_in_a_table_of_ones_own_is_shown_as_text(tmp_path, own, table):
    run = own(table)
    assert run.returncode == 0, run.stderr
    (page,) = (tmp_path / "results/own").rglob("your_own_data.html")
    browser = Browser()
    try:
        browser.open(page)
        assert browser.js("document.ran") is None
        made = "img[src='x'], [onerror], [onload], [onmouseover], a[href^='javascript']"
        assert browser.js(f"document.querySelectorAll({made!r}).length".replace("'x'", "x")) == 0
        text = browser.js("document.body.textContent")
        shown = [*NAMES[:5], *VALUES[0], *VALUES[1]]
        assert [one for one in shown if one not in text] == []
        assert [unquote(one) for one in browser.requests()] == [unquote(page.as_uri())]
    finally:
        browser.close()
