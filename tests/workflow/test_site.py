"""The site with a run in it: all of the run is found from the front page, and no link is lost."""

import shutil
import sys
from html.parser import HTMLParser

import pytest
from kit import ROOT, called

pytestmark = pytest.mark.workflow

LEFT_OUT = ",".join(
    (
        *("_build", "_extensions", "_generated", "api.md"),
        *("changelog.md", "third-party-licences.md", "protocols/*", "letters/*"),
    )
)
"""Pages of the reference, which are many, and files that are read in the repository."""
FILES = {
    "report.html": """<section class="page" id="paper-study">
<a href="../../figures/rollup.md">rollup</a><a href="../../config/readings.yaml">config</a>
<a href="ledger/verdicts.csv">all</a></section>""",
    "ledger/verdicts.csv": "id\n",
    "notebooks/dilca.html": "<h1>DILCA</h1>",
    "notebooks/your_own_measure.html": "<h1>Your own</h1>",
}


class Links(HTMLParser):
    def __init__(self, path):
        super().__init__()
        self.found = []
        self.feed(path.read_text(encoding="utf-8"))

    def handle_starttag(self, tag, attributes):
        way = dict(attributes).get("href") if tag == "a" else None
        if way and not way.startswith(("#", "http:", "https:", "mailto:")):
            self.found.append(way)


@pytest.fixture(scope="module")
def site(tmp_path_factory):
    """The site of a small tree of results; no notebook is executed."""
    house = tmp_path_factory.mktemp("house")
    ignored = shutil.ignore_patterns("_build", "_generated")
    shutil.copytree(ROOT / "docs", house / "docs", ignore=ignored)
    for path in ROOT.iterdir():
        if path.name not in ("docs", "results", ".git", ".venv", ".snakemake"):
            (house / path.name).symlink_to(path)
    for name, content in FILES.items():
        path = house / "results/full" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(content, encoding="utf-8")
    place = house / "site"
    options = ("-q", "-b", "html", "-d", house / "trees", "-D", f"exclude_patterns={LEFT_OUT}")
    run = called(sys.executable, "-m", "sphinx", *options, house / "docs", place)
    assert run.returncode == 0, run.stderr
    return place


def test_report_study_and_notebooks_are_links_of_the_front_page(site):
    ways = Links(site / "index.html").found
    assert {
        "results/full/report.html",
        "results/full/report.html#paper-study",
        "results/full/notebooks/dilca.html",
        "results/full/notebooks/your_own_measure.html",
        "results.html",
        "study.html",
    } <= set(ways)


def test_the_page_of_the_notebooks_says_which_were_executed(site):
    page = (site / "results.html").read_text(encoding="utf-8")
    titles = [path.stem for path in (ROOT / "notebooks").glob("*.ipynb")]
    assert page.count("Read it, executed") == 2
    assert page.count("Not executed in this run") == len(titles) - 2
    assert "DILCA: distances learned from a context" in page


def test_no_link_of_the_site_is_lost(site):
    seen, waiting, lost = set(), [site / "index.html"], []
    while waiting:
        page = waiting.pop()
        if page in seen:
            continue
        seen.add(page)
        for way in Links(page).found:
            target = (page.parent / way.partition("#")[0]).resolve()
            if target.name.startswith(("api.", "py-modindex")) or "_generated" in target.parts:
                continue
            if not target.is_file():
                lost.append((page.name, way))
            elif target.suffix == ".html":
                waiting.append(target)
    assert lost == []
    assert {site / "results/full" / name for name in FILES if name.endswith(".html")} <= seen
    assert site / "study.html" in seen
