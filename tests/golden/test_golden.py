"""Tables, figures and claims of the papers, made from the records of a miniature run.

`make golden` runs it anew; `pytest tests/golden --snapshot-update` accepts what the diff shows.
"""

import argparse
import hashlib
import importlib
import re
import shutil
from functools import cache
from pathlib import Path

import numpy as np
import pytest
from kit import ROOT, configuration
from matplotlib.text import Text
from miniature import PAPERS, RECORDS, plan_of
from syrupy.extensions.single_file import SingleFileSnapshotExtension, WriteMode

from replication.plan.layout import STEPS
from replication.show import figures

SHEETS = [
    (paper, artefact)
    for paper in PAPERS
    for artefact in (*configuration(paper)["artefacts"], "claims")
]
LEFT_OUT = "left out by limits.datasets"
CSV, MARKDOWN = 3_000, 12_000
"""Characters of a table from which on a golden page shows a part of its rows."""


class Page(SingleFileSnapshotExtension):
    """A golden file that the site of a repository shows."""

    file_extension = "md"
    _write_mode = WriteMode.TEXT


@pytest.mark.parametrize(("paper", "artefact"), SHEETS)
def test_golden_page(pages, snapshot, paper, artefact):
    assert pages(paper)[artefact] == snapshot(extension_class=Page)


@pytest.fixture(scope="module")
def pages(tmp_path_factory):
    """Function that makes everything of a paper, once, and returns its pages by artefact."""
    place = tmp_path_factory.mktemp("golden")
    shutil.unpack_archive(RECORDS, place / "results", filter="data")
    plan = plan_of(results=str(place / "results"), figures=str(place / "figures"))
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(ROOT)
        yield cache(lambda paper: pages_of(plan, paper, patch))


def pages_of(plan, paper, patch):
    """What the steps `table`, `figure` and `claims` write for a paper, as Markdown by artefact."""
    found, drawn = {}, []
    patch.setattr(figures, "save", lambda figure, svg, pdf, title: drawn.append((figure, title)))
    for artefact in plan.artefacts(paper):
        csv, *others = (
            Path(plan.file(name, paper=paper, artefact=artefact))
            for name in ("table", "markdown", "latex", "sheet")
        )
        names = dict(zip(("markdown", "latex", "sheet"), others, strict=True))
        names |= {"csv": csv, "verdicts": csv.with_suffix(".verdicts")}
        spec = plan.spec("table", paper=paper, artefact=artefact)
        step("table", spec=spec, published="data/published", **names)
        found[artefact] = page(
            condensed(names["markdown"].read_text(), MARKDOWN, "|"),
            condensed(csv.read_text(), CSV),
        )
    for artefact in plan.artefacts(paper, "figure"):
        spec = plan.spec("figure", paper=paper, artefact=artefact)
        step("figure", spec=spec, table=csv.with_stem(artefact), svg="", pdf="")
        found[artefact] += page("## Figure", described(*drawn.pop()))
    claims, cases = csv.with_stem("claims"), csv.with_name("cases")
    spec = plan.spec("claims", paper=paper)
    step("claims", spec=spec, published="data/published", output=claims, cases=cases)
    told = "".join(f"{path.stem}\n{path.read_text()}" for path in sorted(cases.iterdir()))
    return found | {"claims": page(f"# Claims\n\n{claims.read_text()}", condensed(told, MARKDOWN))}


def step(name, **arguments):
    """Run a step with its arguments, in this process."""
    module, parser = importlib.import_module(STEPS[name]), argparse.ArgumentParser()
    module.add_arguments(parser)
    assert module.run(parser.parse_args([f"--{key}={one}" for key, one in arguments.items()])) == 0


def digest(text):
    return hashlib.sha256(text.encode()).hexdigest()[:16]


def page(head, text):
    return f"{head}\n\n```\n{text}```\n"


def condensed(text, size, mark=""):
    """A text without most rows of a long table, and a digest of all of it.

    Rows of data sets outside the miniature run go first; numbers have six digits.
    """
    text = re.sub(r"-?\d+\.\d{6,}(e-?\d+)?", lambda one: f"{float(one[0]):.6g}", text)
    lines = [line for line in text.splitlines(keepends=True) if LEFT_OUT not in line]
    rows = [i for i, line in enumerate(lines) if line.startswith(mark)]
    step = -(-sum(len(lines[i]) for i in rows) // size)
    thinned = set(rows[2:]) - set(rows[2::step])
    shown = [line for i, line in enumerate(lines) if i not in thinned]
    return "".join([*shown, f"\n{len(rows)} rows: {digest(text)}\n"])


def described(figure, title):
    """What can be read in a figure, and a digest of the numbers that each of its axes draws."""
    lines = [title]
    for axes in figure.axes:
        words = [one.get_text() for one in axes.findobj(Text)]
        lines.append(" | ".join(word.replace("\n", " ") for word in words if word.strip()))
        numbers = [line.get_xydata() for line in axes.lines]
        numbers += [one.get_path().vertices for one in axes.patches]
        numbers += [np.asarray(one.get_offsets()) for one in axes.collections]
        rounded = [[f"{number:.5g}" for number in np.ravel(one)] for one in numbers]
        lines.append(f"{len(rounded)} shapes: {digest(str(rounded))}")
    words = [one.get_text() for one in figure.texts]
    return "\n".join([*lines, *words]) + "\n"
