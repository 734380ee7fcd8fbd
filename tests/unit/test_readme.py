"""Every Python block of the README and of docs/ runs."""

import re
import runpy
import textwrap

import pytest
from kit import ROOT

from replication.show.findings import bullets, read
from replication.show.rollup import insert

PACKAGE = ROOT / "src/couplings/README.md"
BLOCKS = [
    pytest.param(textwrap.dedent(code), id=f"{path.parent.name}-{path.stem}-{i}")
    for path in [ROOT / "README.md", PACKAGE, *sorted((ROOT / "docs").rglob("*.md"))]
    for i, code in enumerate(re.findall(r"```python\n(.*?)```", path.read_text("utf-8"), re.S))
]


PEERS = ("gower", "kmodes", "prince")
"""Packages whose code stands beside ours; a block that needs one that is not here is skipped."""


@pytest.mark.parametrize("code", BLOCKS)
def test_block_runs(code, tmp_path, monkeypatch):
    for name in PEERS:
        if re.search(rf"(?m)^(import|from) {name}\b", code):
            pytest.importorskip(name)
    (tmp_path / "data").symlink_to(ROOT / "data")
    monkeypatch.chdir(tmp_path)
    # a reader's process has nothing else; here the libraries that are loaded serve the next block
    exec(compile(code, "block", "exec"), {"__name__": "__main__"})


def test_the_papers_are_those_of_the_configuration():
    script = runpy.run_path(str(ROOT / "workflow/scripts/readme.py"))
    text = (ROOT / "README.md").read_text("utf-8")
    assert insert(text, script["papers_table"](), "papers") == text, "run `make readme`"


def test_what_holds_is_what_the_ledger_says():
    text, table = ((ROOT / name).read_text("utf-8") for name in ("README.md", "figures/rollup.md"))
    assert insert(text, table) == text


def test_the_first_screen_has_the_findings_and_a_picture_of_the_report():
    text = (ROOT / "README.md").read_text("utf-8")
    found = read(ROOT / "figures/findings")
    assert 5 <= len(found) <= 7
    assert insert(text, bullets(found, "figures"), "findings") == text
    first = "\n".join(text.splitlines()[:30])
    assert "<!-- /findings -->" in first
    assert "figures/report.png" in first
    assert (ROOT / "figures/report.png").read_bytes().startswith(b"\x89PNG")
    for word in ("reading", "oracle", "reconciled", "ledger"):  # explained further down
        assert word not in first.lower()
