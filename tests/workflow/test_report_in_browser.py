"""The report as a reader has it, measured in headless Chromium, wide and light, narrow and dark.

The report is made of what the repository has: the tables and figures of the last full run, the
printed numbers with the recorded verdicts, and texts as long as real ones.
"""

import json
import re
import shutil

import pytest
from browser import CHROMIUM, DESKTOP, PHONE, Browser
from kit import ROOT, write_ledger
from stored import sheet

from replication.files import read_rows, write_json
from replication.judge.cells import Ours, verdict_row
from replication.judge.claims import CLAIM_COLUMNS
from replication.judge.published import load, numbers
from replication.judge.verdicts import EXACT, NOT_RUN, Reproduced, Verdict, parse_printed
from replication.plan.components import links
from replication.plan.plan import Plan
from replication.report.gather import gather
from replication.report.pages import render
from replication.text.render import stated
from replication.text.view import View

pytestmark = [
    pytest.mark.workflow,
    pytest.mark.skipif(CHROMIUM is None, reason="no Chromium is installed"),
]

REASON = (
    "{id}: all three printed numbers are ours of another method, see dilca.ward and rock.label; "
    "tried: a missing vote as the mode, as a value of its own, and rows with gaps left out; none"
)
VIEWS = [(DESKTOP, False), (PHONE, True)]
LANDS = 100  # pixels
INPUT = 'new Event("input", { bubbles: true })'


def stored_ledger(catalog):
    """Printed numbers and claims with their recorded verdicts."""
    record = ROOT / "data/record/full"
    recorded = [
        (row["id"], row["reading"], row["verdict"]) for row in read_rows(record / "verdicts.csv")
    ]
    said = {row["id"]: row["verdict"] for row in read_rows(record / "claims.csv")}
    rows = []
    for paper in catalog.printed():
        cells = {
            cell["id"]: cell
            for cell in numbers(load(paper, ROOT / "data/published")).to_dict("records")
        }
        for name, reading, verdict in recorded:
            if name not in cells:
                continue
            printed = float(parse_printed(cells[name]["printed"]).value)
            value = None if verdict == NOT_RUN else printed if verdict == EXACT else 1.25 * printed
            judged = Verdict(
                verdict,
                () if verdict == EXACT else (REASON.format(id=name),),
                None if value is None else value - printed,
            )
            rows.append(verdict_row(cells[name], judged, Ours(Reproduced(value)), reading=reading))
    claims = [
        {
            **dict.fromkeys(CLAIM_COLUMNS, ""),
            **{key: claim[key] for key in ("id", "paper", "where", "claim", "asserts", "margin")},
            "verdict": said[claim["id"]] or "not run",
            "ours": "9/11",
            "print": "11/11",
            "evidence": REASON.format(id=claim["id"]),
        }
        for claim in read_rows(ROOT / "data/published/claims.csv")
        if claim["paper"] in catalog.config["papers"]
    ]
    return rows, claims


MARKUP = """<img src="x" onerror="document.ran = true"><b>bold</b>"""
TEXTS = ("label", "title", "name", "head")
"""Keys whose values are texts, even of one word; other texts have several."""


def marked(content, key=""):
    """Content whose texts end with markup."""
    if isinstance(content, dict):
        return {name: marked(one, name) for name, one in content.items()}
    if isinstance(content, list):
        return [marked(one, key) for one in content]
    text = isinstance(content, str) and (key in TEXTS or (" " in content and key != "verdict"))
    return content + MARKUP if text else content


@pytest.fixture(scope="module")
def page(tmp_path_factory):
    return written(tmp_path_factory.mktemp("report"))


@pytest.fixture(scope="module")
def hostile(tmp_path_factory):
    """The report of a configuration and printed numbers with markup in every text."""
    return written(tmp_path_factory.mktemp("hostile"), marked)


def written(place, changed=lambda content: content):
    """Write the report, of changed texts."""
    catalog = Plan.of_effort(ROOT, "full")
    spec = changed(json.loads(catalog.spec("report")))
    figures = place / "figures"
    shutil.copytree(ROOT / "figures", figures)
    for paper in spec["papers"]:
        kept = []
        for one in paper["artefacts"]:
            base = figures / paper["id"] / one["id"]
            kinds = [".md", ".svg"] if "figure" in one["outputs"] else [".md"]
            if all(base.with_suffix(kind).is_file() for kind in kinds):  # times are not kept
                record = sheet(base.with_suffix(".md").read_text(encoding="utf-8"))
                write_json(base.with_suffix(".json"), changed(record))
                kept.append(one)
        paper["artefacts"] = kept
    spec["roots"] = {
        "results": str(place / "results/full"),
        "figures": str(figures),
        "raw": str(place / "raw"),
    }
    for one in spec["sources"]:
        file = {"name": f"{one['id']}.data", "sha256": "0123456789abcdef" * 4, "route": "official"}
        record = {"dataset": one["id"], "status": "available", "rows": 8124, "columns": 23}
        write_json(place / "raw" / one["id"] / "source.json", {**record, "files": [file]})
    rows, claims = changed([*stored_ledger(catalog)])
    write_ledger(place / "results/full/ledger", rows, claims)
    view = View.of_record(ROOT)
    evidence = {name: stated(one["evidence"], view, name) for name, one in spec["readings"].items()}
    parts = links(catalog, catalog.config["papers"])
    contents = gather(spec, ROOT / "pyproject.toml", parts, evidence)
    path = place / "results/full/report.html"
    path.write_text(render(contents), encoding="utf-8")
    return path


@pytest.fixture(scope="module")
def chromium():
    browser = Browser()
    yield browser
    browser.close()


@pytest.fixture
def browser(chromium, page):
    chromium.open(page)
    return chromium


def top_of(browser, selector):
    """Where an element is in the window, its top in pixels."""
    return browser.js(f"document.querySelector({json.dumps(selector)}).getBoundingClientRect().top")


SHOWN = "section.page.shown"
WITHIN = ("reading", "machine")
"""Beginnings of addresses inside a page; the others are pages."""


@pytest.mark.parametrize(("size", "dark"), VIEWS)
def test_every_entry_of_the_contents_lands_on_its_heading(chromium, page, size, dark):
    chromium.open(page, size, dark)
    found = chromium.js(
        f"""[...document.querySelectorAll("#contents a")].map((link) => {{
          window.scrollTo(0, 5000);
          link.click();
          const page = document.querySelector("{SHOWN}");
          const marked = [...document.querySelectorAll("#contents [aria-current]")];
          const top = page.querySelector("h1").getBoundingClientRect().top;
          return [link.hash, `#${{page.id}}`, marked.map((one) => one.hash), top];
        }})"""
    )
    assert len(found) > 60
    assert all(here == way and marked == [way] for way, here, marked, _ in found), found
    assert all(0 <= top <= LANDS for *_, top in found), found


@pytest.mark.parametrize("size", [DESKTOP, PHONE])
@pytest.mark.parametrize(
    "name", ("dilca-fig07", "caso-rare-values", "study-duels", "reading-dilca-ward", "machine")
)
def test_a_deep_link_lands_cold_and_stays(chromium, page, name, size):
    chromium.call("Page.navigate", url="about:blank")
    chromium.open(page, size, way=f"#{name}")
    box = f"#{name}" if name.startswith(WITHIN) else f"#{name} h1"
    first = top_of(chromium, box)
    chromium.js("new Promise((done) => setTimeout(done, 700))")
    at = top_of(chromium, box)
    assert at == first
    page_end = "document.documentElement.scrollHeight - window.scrollY - window.innerHeight"
    room = chromium.js(page_end)
    assert 0 <= at <= LANDS or room <= 1, name  # the end of a page cannot come to the top


def test_no_table_is_wider_than_its_frame(chromium, page):
    chromium.open(page)
    wide = chromium.js(
        """[...document.querySelectorAll("#contents a")].flatMap((link) => {
          link.click();
          const page = document.querySelector("section.page.shown");
          return [...page.querySelectorAll(".scroll, .data")]
            .filter((one) => one.clientWidth && one.scrollWidth > one.clientWidth + 1)
            .map((one) => [page.id, one.scrollWidth, one.clientWidth]);
        })"""
    )
    assert wide == []


@pytest.mark.parametrize(("size", "dark"), VIEWS)
def test_no_page_is_wider_than_the_screen(chromium, page, size, dark):
    chromium.open(page, size, dark)
    wide = chromium.js(
        """[...document.querySelectorAll("#contents a")].filter((link) => {
          link.click();
          return document.documentElement.scrollWidth > window.innerWidth;
        }).map((link) => link.hash)"""
    )
    assert wide == []
    assert chromium.complaints() == []


def test_a_number_is_found_in_three_actions(browser):
    browser.click("#find")  # 1
    browser.type("vote delta")  # 2
    seen = browser.js("document.getElementById('found').innerText")
    assert re.search(r"Fig\. 5 · vote · delta ari", seen)
    assert "differs" in seen
    assert REASON.format(id="dilca-fig05-vote-delta-ari") in seen
    browser.js(  # 3
        "[...document.querySelectorAll('#found a')]"
        ".find((one) => one.hash === '#dilca-fig05-vote-delta-ari').click()"
    )
    opened = browser.js(f'document.querySelector("{SHOWN} tr.detail").innerText')
    for part in (
        "dilca-fig05-vote-delta-ari: all three printed numbers",
        "the interpretation that explains most printed numbers",
        "couplings.measures.contexts:AhmadDey",
        '{"aggregation":"rss"}',
        "config/measures.yaml:",
        "src/couplings/cluster/ward.py:",
        "house_votes.data",
        "0123456789abcdef",
        "dilca.ward: distances",
        "python -m replication explain dilca dilca-fig05-vote-delta-ari",
    ):
        assert part in opened, part
    for part in ("config/measures.yaml", "src/couplings/cluster/ward.py"):
        way = browser.js(
            f"[...document.querySelectorAll('{SHOWN} tr.detail a')]"
            f".find((one) => one.textContent.startsWith('{part}')).getAttribute('href')"
        )
        assert way.startswith("../../")
        assert way.endswith(part)


def test_the_search_finds_claims_readings_and_tables(browser):
    box = "document.querySelector('#find')"

    def heads(text):
        browser.js(f"{box}.value = '{text}'; {box}.dispatchEvent({INPUT})")
        return browser.js("[...found.querySelectorAll('h2')].map((one) => one.textContent)")

    assert "Claims" in {head.partition(":")[0] for head in heads("caso-02")}
    assert "Readings" in {head.partition(":")[0] for head in heads("dilca.ward")}
    assert "Tables and figures" in {head.partition(":")[0] for head in heads("rare values")}
    assert heads("no such thing as this") == ["No results"]
    assert heads("purty")[0] == "Results for: purity"
    heads("licence")
    assert browser.js("document.querySelector('#found a').hash") == "#run"
    browser.js("location.hash = '#nowhere'")
    said = "This report has no page or row “nowhere”"
    assert browser.settles("found.innerText", said) == said
    browser.js("location.hash = '#claims'")
    assert browser.settles("found.hidden", True)


def test_markup_in_texts_is_shown_as_text(chromium, hostile):
    chromium.open(hostile)
    shown = chromium.js(
        """(async () => {
          const box = document.getElementById("find");
          for (const text of ["purty", "img", "bold onerror", "licence", "vote delta", "dilca"]) {
            box.value = text;
            box.dispatchEvent(new Event("input", { bubbles: true }));
          }
          const found = document.getElementById("found").innerText;
          for (const link of document.querySelectorAll("#contents a")) {
            link.click();
            const page = document.querySelector("section.page.shown");
            for (const button of [...page.querySelectorAll(".open")].slice(0, 5)) button.click();
            for (const button of page.querySelectorAll("thead button")) button.click();
          }
          await new Promise((done) => setTimeout(done, 500));
          return [found, document.querySelectorAll("img[src='x'], [onerror]").length,
            document.querySelectorAll("tr.detail").length, document.body.innerText.length];
        })()"""
    )
    found, made, opened, _ = shown
    assert MARKUP.split(">")[0] in found
    assert (made, opened > 5) == (0, True)
    assert chromium.js("document.ran") is None
    assert chromium.js("document.body.textContent.split('<b>bold</b>').length") > 1000
    assert chromium.complaints() == []


def test_no_script_of_the_report_reads_text_as_html():
    for path in (ROOT / "src/replication/report/assets").glob("*.js"):
        assert not re.search(
            r"HTML|document\.write|eval|Function\(", path.read_text("utf-8").replace("as HTML", "")
        ), path


def test_a_phone_shows_number_ours_verdict_and_reason(chromium, page):
    chromium.open(page, PHONE)
    chromium.js("document.querySelector('#contents a[href=\"#numbers\"]').click()")
    chromium.js("listing(document.getElementById('numbers-table')).search('vote delta')")
    boxes = chromium.js(
        """[...document.querySelector("#numbers-table tbody tr").cells]
          .filter((cell) => cell.offsetHeight).map((cell) => {
          const box = cell.getBoundingClientRect();
          return [cell.className, cell.innerText, box.left, box.right, box.height];
        })"""
    )
    kinds = [box[0] for box in boxes]
    assert kinds == ["", "", "", "number", "number", "", "words folded phone"]
    for _, text, left, right, height in boxes:
        assert text
        assert left >= 0
        assert right <= PHONE[0]
        assert height > 10
    assert "all three printed numbers" in boxes[-1][1]


def test_a_table_searches_sorts_chooses_and_opens(browser):
    browser.js("document.querySelector('#contents a[href=\"#numbers\"]').click()")
    box = 'document.querySelector("#numbers-table input[type=search]")'
    asked = json.dumps('"dilca fig. 15"')
    browser.js(f"{box}.value = {asked}; {box}.dispatchEvent({INPUT})")
    assert set(browser.cells("numbers-table", 1)) == {"DILCA Fig. 15"}
    heading = 'document.querySelectorAll("#numbers-table thead th")[3]'
    for sign in (1, -1):
        browser.js(f'{heading}.querySelector("button").click()')
        found = [float(text) for text in browser.cells("numbers-table", 4) if "±" not in text]
        assert len(found) > 2
        assert found == sorted(found, reverse=sign < 0)
    menu = """[...document.querySelectorAll("#numbers-table select")]
      .find((one) => one.parentNode.textContent.startsWith("Verdict"))"""
    browser.js(f'{menu}.value = "differs"; {menu}.dispatchEvent({INPUT})')
    assert {text.split()[-1] for text in browser.cells("numbers-table", 6)} == {"differs"}
    assert "Verdict=differs" in browser.js("location.hash")  # a view can be sent
    browser.js("location.hash = '#numbers?Verdict=exact'")
    browser.settles("document.querySelector('#numbers-table input[type=search]').value", "")
    assert {text.split()[-1] for text in browser.cells("numbers-table", 6)} == {"exact"}
    button = 'document.querySelector("#numbers-table .open")'
    browser.js(f"{button}.click()")
    assert browser.js(f"{button}.ariaExpanded") == "true"
    assert browser.js("document.querySelectorAll('#numbers-table tr.detail').length") == 1
    browser.js(f"{button}.click()")
    assert browser.js("document.querySelectorAll('#numbers-table tr.detail').length") == 0


def test_everything_that_scrolls_sorts_or_opens_is_reached_by_keyboard(browser):
    loose = browser.js(
        """[...document.querySelectorAll("#contents a")].flatMap((link) => {
          link.click();
          const page = document.querySelector("section.page.shown");
          return [page, ...page.querySelectorAll("*")]
            .filter((one) => one.scrollWidth > one.clientWidth + 1 && one.tabIndex < 0
              && ["auto", "scroll"].includes(getComputedStyle(one).overflowX))
            .map((one) => one.outerHTML.slice(0, 200));
        })"""
    )
    assert loose == []
    for selector in ("#numbers-table thead th", "#numbers-table tbody td:first-child"):
        found = f"[...document.querySelectorAll('{selector}')]"
        found += ".every((one) => one.querySelector('button'))"
        assert browser.js(found)


def test_every_link_to_a_file_has_a_file(browser, page):
    found = browser.js(
        "[...new Set([...document.querySelectorAll('main a')]"
        ".map((one) => one.getAttribute('href')))]"
        ".filter((way) => !way.startsWith('#') && !way.startsWith('http'))"
    )
    assert len(found) > 100
    lost = [way for way in found if not (page.parent / way).resolve().exists()]
    assert lost == []


def test_it_is_one_small_file_that_asks_for_nothing(browser, page):
    assert page.stat().st_size < 18e6
    browser.js("document.querySelectorAll('#contents a').forEach((link) => link.click())")
    assert [way.partition("#")[0] for way in browser.requests()] == [page.as_uri()]
