"""README, article and pages of reply: their code, their words and their evidence."""

import re
import textwrap

import article
import pytest
import yaml
from kit import ROOT, configuration

from couplings import recommend
from replication.files import read_rows
from replication.papers.study.cells import RUNS
from replication.show.findings import read
from replication.text import checks

PACKAGE = ROOT / "src/couplings/README.md"
BLOCKS = [
    pytest.param(textwrap.dedent(code), id=f"{path.parent.name}-{path.stem}-{i}")
    for path in [ROOT / "README.md", PACKAGE, *sorted((ROOT / "docs").rglob("*.md"))]
    for i, code in enumerate(re.findall(r"```python\n(.*?)```", path.read_text("utf-8"), re.S))
]


@pytest.mark.parametrize("code", BLOCKS)
def test_block_runs(code, tmp_path, monkeypatch):
    for name in ("gower", "kmodes", "prince"):  # their code stands beside ours
        if re.search(rf"(?m)^(import|from) {name}\b", code):
            pytest.importorskip(name)
    (tmp_path / "data").symlink_to(ROOT / "data")
    monkeypatch.chdir(tmp_path)
    # a reader's process has nothing else; here the libraries that are loaded serve the next block
    exec(compile(code, "block", "exec"), {"__name__": "__main__"})


FIRST = ("exact", "claims", "duels")


def test_the_first_screen_has_the_findings_and_a_picture_of_the_report():
    text = (ROOT / "README.md").read_text("utf-8")
    found = {one["id"]: one for one in read(ROOT / "figures/findings")}
    assert 5 <= len(found) <= 7
    first = "\n".join(text.splitlines()[:30])
    for name in FIRST:
        assert found[name]["sentence"] in first
    assert "figures/report.png" in first
    assert (ROOT / "figures/report.png").read_bytes().startswith(b"\x89PNG")
    for word in ("reading", "oracle", "reconciled", "ledger"):  # explained further down
        assert word not in first.lower()


WORDS = ["none", "one", "two", "three", "four", "five", "six", "seven"]


def text(name: str) -> str:
    """Prose of a page, on one line."""
    return " ".join((ROOT / name).read_text("utf-8").replace("**", "").split())


def test_what_is_recommended():
    for n_objects in (100, 10_000):
        advice = recommend([["a"]] * n_objects)
        assert advice.measure == advice.algorithm == "latent_classes"
    assert "`couplings.recommend(table)` names latent class analysis" in text("README.md")


def test_how_many_of_what():
    study = configuration("study")["experiments"]
    measures, datasets = len(study["grid"]["measures"]), len(study["grid"]["datasets"])
    said = f"{measures} measures, {datasets} data sets, {WORDS[len(RUNS)]} algorithms"
    assert said in text("README.md")
    others = len(study["rivals"]["algorithms"]) + len(study["learned"]["algorithms"])
    assert f"and {others} methods with algorithms of their own" in text("README.md")


def test_every_deviation_has_a_reason_or_what_was_tried():
    page = (ROOT / "figures" / "deviations.md").read_text("utf-8")
    reasons = [line.split(" | ")[-1].strip(" |") for line in page.splitlines() if "|" in line][2:]
    assert reasons
    bare = [reason for reason in reasons if reason.rstrip(".") in ("", "unexplained")]
    assert bare == []


def test_the_evidence_of_the_page_of_reply_exists():
    text = (ROOT / "docs/right-of-reply.md").read_text("utf-8")
    ids = re.findall(r"`(?:python -m replication explain \w+ )?(\w+-[\w-]+)`", text)
    known = {
        row["id"]
        for path in ("published/claims.csv", "record/full/verdicts.csv")
        for row in read_rows(ROOT / "data" / path)
    }
    assert len(ids) > 20
    assert set(ids) <= known
    for name in re.findall(r"`(figures/[\w/.]+)`", text):
        assert (ROOT / name).is_file(), name


def test_the_metadata_name_works_of_the_bibliography():
    meta = yaml.safe_load((article.ARTICLE / "metadata.yaml").read_text("utf-8"))
    works = (article.ARTICLE / meta["bibliography"]).read_text("utf-8")
    source = (article.ARTICLE / "article.typ").read_text("utf-8")
    keys = set(re.findall(r"@\w+\{(\w+),", works))
    assert {one["bib"] for one in meta["replication"]} <= keys
    assert keys == set(re.findall(r"@(\w+\d{4}\w*)", source))
    assert meta["type"] == "Replication"
    assert not checks.typed_figures(meta["abstract"], "metadata.yaml")
