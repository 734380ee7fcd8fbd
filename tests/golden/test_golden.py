"""Tables, figures and claims of the papers, made from the records of a miniature run.

`python tests/golden/miniature.py` runs it anew; `pytest tests/golden --snapshot-update` accepts
what the diff shows.
"""

import contextlib
import importlib
import json
import re
import shutil
import tarfile
from dataclasses import replace
from functools import cache
from pathlib import Path

import pytest
from kit import ROOT, configuration
from miniature import PAPERS, RECORDS, plan_of
from pages import CSV, MARKDOWN, Page, condensed, described, digest, page

from replication.data.label_sets import SCORE_COLUMNS
from replication.files import write_rows
from replication.judge.claims import Evidence, MissingEvidenceError
from replication.judge.published import load
from replication.plan.components import links
from replication.plan.steps import COMMANDS
from replication.report.gather import gather
from replication.report.pages import render
from replication.show import figures, rollup, tables
from replication.show.job import Job
from replication.show.sheet import build
from replication.show.tables import markdown
from replication.steps import load_class, specification

SHEETS = [
    (paper, artefact)
    for paper in PAPERS
    for artefact in (*configuration(paper)["artefacts"], "claims")
]
PUBLISHED = Path("data/published")
AVERAGED = ("table01", "table02", "text")
"""Artefacts of CDE with averages and tests over data sets that the miniature run leaves out."""


@pytest.mark.parametrize(("paper", "artefact"), SHEETS)
def test_golden_page(pages, snapshot, paper, artefact):
    assert pages(paper)[artefact] == snapshot(extension_class=Page)


@pytest.mark.parametrize("artefact", AVERAGED)
def test_golden_averages(plan, snapshot, artefact):
    spec = json.loads(plan.spec("table", paper="cde", artefact=artefact))
    left_out = {one["dataset"] for one in spec["left_out"]}
    made = build(Job(without(spec, left_out)), load("cde", ROOT / PUBLISHED))
    text = condensed(markdown(made), MARKDOWN, "|")
    reasons = [f"{row['id']}, {row['reading']}: {row['reason']}" for row in made.verdicts]
    assert page(text, condensed("\n".join(reasons), CSV)) == snapshot(extension_class=Page)


def without(content, left_out):
    if isinstance(content, dict):
        return {key: without(one, left_out) for key, one in content.items()}
    if not isinstance(content, list):
        return content
    ids = [one.get("id") if isinstance(one, dict) else one for one in content]
    found = zip(ids, content, strict=True)
    return [without(one, left_out) for name, one in found if name not in left_out]


COUNTED = {"caso-64"}
"""Claims that read the counted work of an experiment that also takes times."""


class Noted(Evidence):
    """Evidence that notes the tables and experiments that a claim asks for."""

    def files(self, role, **wanted):
        self.noted = getattr(self, "noted", set()) | set(wanted.values())
        return super().files(role, **wanted)


@pytest.mark.parametrize("paper", PAPERS)
def test_claims_that_read_times_are_declared(pages, plan, paper):
    assert pages(paper)
    measured = plan.papers[paper].get("measured", {})
    timed = {name for name, one in plan.papers[paper]["experiments"].items() if one.get("alone")}
    timed |= set(measured.get("tables", {})) - {"text"}
    found = set()
    for name, claim in load_class(f"replication.papers.{paper}.claims:CLAIMS").items():
        evidence = Noted(json.loads(plan.spec("claims", paper=paper)), ROOT / PUBLISHED)
        with contextlib.suppress(MissingEvidenceError):
            claim(evidence)
        if timed & getattr(evidence, "noted", set()):
            found.add(name)
    assert found - COUNTED == set(measured.get("claims", []))


@pytest.fixture(scope="module")
def plan(tmp_path_factory):
    place = tmp_path_factory.mktemp("golden")
    # Python before 3.11.4 has no filters
    safe = {"filter": "data"} if hasattr(tarfile, "data_filter") else {}
    shutil.unpack_archive(RECORDS, place / "results", **safe)
    plan = plan_of(results=str(place / "results"), figures=str(place / "figures"))
    # the miniature run has no label vectors of others
    write_rows(Path(plan.file("independent")), SCORE_COLUMNS, [])
    return plan


@pytest.fixture(scope="module")
def pages(plan):
    """Function that makes everything of a paper, once, and returns its pages by artefact."""
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(ROOT)
        patch.setattr(tables, "load", cache(load))
        yield cache(lambda paper: pages_of(plan, paper, patch))


def pages_of(plan, paper, patch):
    """What the steps `table`, `figure` and `claims` write for a paper, as Markdown by artefact."""
    found, drawn = {}, []
    patch.setattr(figures, "save", lambda figure, svg, title: drawn.append((figure, title)))
    for artefact in plan.artefacts(paper):
        csv = Path(plan.file("table", paper=paper, artefact=artefact))
        spec = plan.spec("table", paper=paper, artefact=artefact)
        verdicts = Path(plan.file("verdicts", paper=paper, artefact=artefact))
        step("table", spec=spec, published=PUBLISHED, csv=csv, verdicts=verdicts)
        found[artefact] = page(
            condensed(csv.with_suffix(".md").read_text(), MARKDOWN, "|"),
            condensed(csv.read_text(), CSV),
        )
    for artefact in plan.artefacts(paper, "figure"):
        spec = plan.spec("figure", paper=paper, artefact=artefact)
        step("figure", spec=spec, table=csv.with_stem(artefact), svg=Path())
        found[artefact] += page("## Figure", described(*drawn.pop()))
        csv.with_name(f"{artefact}.svg").write_text("<svg/>")
    claims, cases = (Path(plan.file(name, paper=paper)) for name in ("claims", "cases"))
    spec = plan.spec("claims", paper=paper)
    step("claims", spec=spec, published=PUBLISHED, output=claims, cases=cases)
    told = "".join(f"{path.stem}\n{path.read_text()}" for path in sorted(cases.iterdir()))
    return found | {"claims": page(f"# Claims\n\n{claims.read_text()}", condensed(told, MARKDOWN))}


@pytest.fixture(scope="module")
def whole(pages, plan):
    """What the steps after the papers write, as texts by name."""
    for paper in PAPERS:
        pages(paper)
    made, ledger = Path(plan.config["roots"]["figures"]), Path(plan.file("ledger"))
    files = plan.inputs("ledger")
    inputs = {name: [Path(one) for one in files[name]] for name in ("verdicts", "claims")}
    step("ledger", plan.spec("ledger"), **inputs, sources=[], published=PUBLISHED, output=ledger)
    inputs = {"verdicts": ledger, "claims": ledger.with_stem("claims"), "published": PUBLISHED}
    drawn = []
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(rollup, "save", lambda figure, svg, title: drawn.append((figure, title)))
        step("rollup", plan.spec("rollup"), **inputs, output=made / "rollup.md")
    (made / "rollup.svg").write_text("<svg/>")
    step("findings", plan.spec("findings"), **inputs, folder=made / "findings")
    # what was downloaded, and what is installed, differs
    spec = specification(plan.spec("report")) | {"sources": []}
    evidence = {name: one["evidence"] for name, one in spec["readings"].items()}
    parts = links(plan, plan.config["papers"])
    contents = gather(spec, ROOT / "pyproject.toml", parts, evidence)
    report = render(replace(contents, packages=[]))
    # kernel and cores differ too, versions and lines of the source move
    moving = r"<h2 id=.machine.*?</table>|\d+\.\d+\.\d+|(?<=\.py):\d+"
    text = re.sub(rf"(?s)<(style|script|svg).*?</\1>|{moving}", "", report)
    text = re.sub(r"</(tr|p|h\d|li|summary|div)>", "\0", text.replace(str(made.parent), ""))
    blocks = [" ".join(re.sub(r"<[^>]+>", " ", block).split()) for block in text.split("\0")]
    told = {path.stem: path.read_text() for path in made.glob("*.md")}
    # addresses depend on the place of the run
    tags = re.sub(r' href="[^"]*"', "", str(re.findall(r"<\w[^>]*>", text)))
    told["rollup"] += described(*drawn.pop())
    told["tags"] = f"{digest(tags)}\n"
    return told | {"report": "\n".join(filter(None, blocks)) + "\n"}


# on another process than the pages, which are then made once more
@pytest.mark.slow
@pytest.mark.parametrize(
    "name", ["rollup", "claims", "deviations", "breakdown", "findings", "report", "tags"]
)
def test_golden_whole_run(whole, snapshot, name):
    assert page(f"# {name}", condensed(whole[name], MARKDOWN)) == snapshot(extension_class=Page)


def step(name, spec, **arguments):
    importlib.import_module(COMMANDS[name]).run(specification(spec), **arguments)
