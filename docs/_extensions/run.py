"""Sphinx extension: the last full run in the site, and every table that a page names as a link.

What leads to the run is generated: a line on the front page, a page of the run, one of notebooks.

The site keeps the folders of the repository, so that the report finds the files beside it: tables
and figures, the ledger, configuration, code.
"""

from __future__ import annotations

import json
import re
import shutil
from pathlib import Path
from typing import TYPE_CHECKING, Any

from docutils import nodes

if TYPE_CHECKING:
    from sphinx.application import Sphinx

ROOT = Path(__file__).resolve().parents[2]
RESULTS = ROOT / "results" / "full"
COPIED = (
    ("figures", "*/*.*"),
    ("figures", "*.*"),
    ("config", "**/*.yaml"),
    ("src", "**/*.py"),
    ("data/published", "*.csv"),
    ("results/full", "report.html"),
    ("results/full", "ledger/*.csv"),
    ("results/full", "notebooks/*.html"),
)
"""Folders and patterns of what goes into the site."""

_TABLE = re.compile(r"figures/(?:([a-z]+)/)?([a-z0-9_]+)\.(md|html|csv|svg)")


def setup(app: Sphinx) -> dict[str, Any]:
    """Register the extension."""
    app.connect("config-inited", lambda app, config: write(Path(app.srcdir) / "_generated"))
    app.connect("doctree-resolved", link)
    app.connect("build-finished", copy)
    return {"parallel_read_safe": True, "parallel_write_safe": True}


def write(folder: Path) -> None:
    """Write what leads to the report, the notebooks and the tables of the last run."""
    folder.mkdir(parents=True, exist_ok=True)
    pages = {
        "start": start(RESULTS),
        "run": page(RESULTS),
        "notebooks": notebooks(RESULTS, ROOT / "notebooks"),
    }
    for name, text in pages.items():
        path = folder / f"{name}.md"
        if not path.is_file() or path.read_text(encoding="utf-8") != text:
            path.write_text(text, encoding="utf-8")


def start(results: Path) -> str:
    """One line for the front page: what there is of the last run."""
    ways = []
    report, way = results / "report.html", "results/full/report.html"
    if report.is_file():
        content = report.read_text(encoding="utf-8")
        ways += [f'<a href="{way}">the report</a>']
        if '<section class="page" id="paper-study">' in content:
            ways += [f'<a href="{way}#paper-study">the study in it</a>']
    ways += [
        f'the notebook <a href="results/full/notebooks/{path.name}">{path.stem}</a>'
        for path in executed(results)
    ]
    if not ways:
        return "There is no run in this site; `make reproduce` makes one.\n"
    return f"<p>Go straight to {', '.join(ways)}.</p>\n"


def executed(results: Path) -> list[Path]:
    """Notebooks that the last run executed."""
    return sorted((results / "notebooks").glob("*.html"))


def notebooks(results: Path, sources: Path) -> str:
    """Every notebook with its heading and what it begins with, and where it is, if it was executed.

    Parameters
    ----------
    results : Path
        Folder of the last run.
    sources : Path
        Folder of the notebooks.
    """
    there = {path.stem for path in executed(results)}
    parts = []
    for path in sorted(sources.glob("*.ipynb")):
        cells = json.loads(path.read_text(encoding="utf-8"))["cells"]
        heading, _, rest = "".join(cells[0]["source"]).partition("\n")
        lead = rest.strip().partition("\n\n")[0]
        if path.stem in there:
            way = f"results/full/notebooks/{path.name.replace('.ipynb', '.html')}"
            where = f'<p><a href="{way}">Read it, executed</a></p>'
        else:
            where = "Not executed in this run; `snakemake notebooks` does it."
        parts += [f"## {heading.lstrip('# ')}", "", lead, "", where, ""]
    return "\n".join(parts)


def page(results: Path) -> str:
    """What there is of the last run, as Markdown."""
    lines = []
    if (results / "report.html").is_file():
        lines += [
            '<p><a href="results/full/report.html">The report</a>: findings, tables and figures, '
            "every number with its reason and all that it rests on, every claim with its evidence, "
            "one search over everything.</p>",
            "",
        ]
    else:
        lines += [
            "No full run was at hand when this site was built; `make reproduce` makes one.",
            "",
        ]
    if found := executed(results):
        links = ", ".join(
            f'<a href="results/full/notebooks/{path.name}">{path.stem}</a>' for path in found
        )
        lines += [f"<p>The notebooks, executed: {links}.</p>", ""]
    for paper in sorted(path for path in (ROOT / "figures").iterdir() if any(path.glob("*.html"))):
        links = ", ".join(
            f'<a href="figures/{paper.name}/{path.name}">{path.stem}</a>'
            for path in sorted(paper.glob("*.html"))
        )
        lines += [f"<p>Tables of {paper.name}: {links}.</p>", ""]
    return "\n".join(lines)


def link(app: Sphinx, doctree: nodes.document, name: str) -> None:
    """Make links of the names of tables: paths everywhere, bare names in the page of the study."""
    if app.builder.format != "html":
        return
    top = "../" * name.count("/")
    for literal in list(doctree.findall(nodes.literal)):
        if isinstance(literal.parent, nodes.reference):
            continue
        text = literal.astext()
        way = target(text, "study" if name == "study" else "")
        if way:
            reference = nodes.reference("", "", refuri=top + way, internal=False)
            literal.replace_self(reference)
            reference += literal


def target(text: str, paper: str = "") -> str:
    """File of the site that a name in a text stands for; empty if it stands for none.

    Parameters
    ----------
    text : str
        Such as ``figures/study/answer.md``, or ``answer`` where the paper is known.
    paper : str
        Paper of bare names; empty if they mean nothing.
    """
    if match := _TABLE.fullmatch(text):
        folder = f"figures/{match[1]}" if match[1] else "figures"
        for kind in ("html", match[3]):
            if (ROOT / folder / f"{match[2]}.{kind}").is_file():
                return f"{folder}/{match[2]}.{kind}"
        return ""
    if paper and re.fullmatch(r"[a-z0-9_]+", text):
        way = f"figures/{paper}/{text}.html"
        return way if (ROOT / way).is_file() else ""
    return ""


def copy(app: Sphinx, error: Exception | None) -> None:
    """Copy the run into the site."""
    if error is not None or app.builder.format != "html":
        return
    for folder, pattern in COPIED:
        for path in sorted((ROOT / folder).glob(pattern)):
            place = Path(app.outdir) / path.relative_to(ROOT)
            place.parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(path, place)
