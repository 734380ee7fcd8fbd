"""The report of a run as a reader has it: in a browser, without a network; and its record."""

import base64
import hashlib
import json
import os
import shutil
import subprocess
import sys
import tempfile
import time

import pytest

pytestmark = pytest.mark.workflow

QUICK = ("--configfile", "config/quick.yaml")
CHROMIUM = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "chrome"))), None)
needs_browser = pytest.mark.skipif(CHROMIUM is None, reason="no Chromium is installed")

DESKTOP, PHONE = (1400, 900), (390, 844)


class Browser:
    """Headless Chromium, driven over its debugging pipe."""

    def __init__(self):
        self.profile = tempfile.TemporaryDirectory(ignore_cleanup_errors=True)
        answers, their_output = os.pipe()
        their_input, commands = os.pipe()
        words = [
            *(CHROMIUM, "--headless=new", "--no-sandbox", "--disable-gpu", "--no-first-run"),
            *("--disable-dev-shm-usage", "--disable-background-networking"),
            *("--remote-debugging-pipe", f"--user-data-dir={self.profile.name}", "about:blank"),
        ]
        # Chromium reads commands from descriptor 3 and answers on 4
        redirect = (
            "import os, sys; ends = [os.dup2(int(end), 100 + i) for i, end in"
            " enumerate(sys.argv[1:3])]; [os.dup2(end, 3 + i) for i, end in enumerate(ends)];"
            " os.execv(sys.argv[3], sys.argv[3:])"
        )
        ends = [str(their_input), str(their_output)]
        self.process = subprocess.Popen(
            [sys.executable, "-c", redirect, *ends, *words],
            pass_fds=(their_input, their_output),
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
        os.close(their_input)
        os.close(their_output)
        self.answers, self.commands = os.fdopen(answers, "rb"), os.fdopen(commands, "wb")
        self.waiting, self.events, self.number, self.session = b"", [], 0, None
        target = self.call("Target.createTarget", url="about:blank")["targetId"]
        attached = self.call("Target.attachToTarget", targetId=target, flatten=True)
        self.session = attached["sessionId"]
        for domain in ("Page", "Runtime", "Log", "Network"):
            self.call(f"{domain}.enable")

    def close(self):
        self.process.kill()
        self.process.wait()
        self.answers.close()
        self.commands.close()
        self.profile.cleanup()

    def read(self):
        while b"\0" not in self.waiting:
            part = self.answers.read1(1 << 20)
            assert part, "Chromium ended"
            self.waiting += part
        message, _, self.waiting = self.waiting.partition(b"\0")
        return json.loads(message)

    def call(self, method, **parameters):
        self.number += 1
        message = {"id": self.number, "method": method, "params": parameters}
        if self.session:
            message["sessionId"] = self.session
        self.commands.write(json.dumps(message).encode() + b"\0")
        self.commands.flush()
        while True:
            answer = self.read()
            if answer.get("id") == self.number:
                assert "error" not in answer, answer
                return answer["result"]
            self.events.append(answer)

    def js(self, expression):
        """Value of an expression, awaited if it is a promise."""
        answer = self.call(
            "Runtime.evaluate", expression=expression, awaitPromise=True, returnByValue=True
        )
        assert "exceptionDetails" not in answer, answer
        return answer["result"].get("value")

    def open(self, path, size=DESKTOP, dark=False):
        width, height = size
        self.call(
            "Emulation.setDeviceMetricsOverride",
            width=width,
            height=height,
            deviceScaleFactor=1,
            mobile=size == PHONE,
        )
        scheme = {"name": "prefers-color-scheme", "value": "dark" if dark else "light"}
        self.call("Emulation.setEmulatedMedia", features=[scheme])
        self.events.clear()
        self.call("Page.navigate", url=path.as_uri())
        while not any(event.get("method") == "Page.loadEventFired" for event in self.events):
            self.events.append(self.read())

    def show(self, name):
        """Scroll to an element and wait until its table is there."""
        self.js(
            f"""new Promise((done) => {{
              const host = document.getElementById("{name}");
              const look = () => {{
                host.scrollIntoView({{ behavior: "instant" }});
                if (host.dataset.ready) done(true); else setTimeout(look, 50);
              }};
              look();
            }})"""
        )

    def settles(self, expression, wanted):
        """Wait until an expression has a value, ten seconds at most; the last value."""
        for _ in range(200):
            found = self.js(expression)
            if found == wanted:
                break
            time.sleep(0.05)
        return found

    def cells(self, name, column):
        """Texts of one column of a table, counted from 1."""
        places = f"#{name} tbody tr > :nth-child({column})"
        return self.js(f'[...document.querySelectorAll("{places}")].map((one) => one.innerText)')

    def complaints(self):
        """Errors and warnings that the page caused."""
        return [
            event
            for event in self.events
            if event.get("method") in ("Runtime.exceptionThrown", "Log.entryAdded")
            or (
                event.get("method") == "Runtime.consoleAPICalled"
                and event["params"]["type"] in ("error", "warning", "assert")
            )
        ]

    def requests(self):
        """Addresses that the page asked for, without what it carries inside."""
        return [
            event["params"]["request"]["url"]
            for event in self.events
            if event.get("method") == "Network.requestWillBeSent"
            and not event["params"]["request"]["url"].startswith(("data:", "blob:"))
        ]


@pytest.fixture(scope="module")
def reported(quick):
    """The quick run with its report and its record."""
    run = quick.snakemake("report", "provenance", *QUICK, data=quick.data)
    assert run.returncode == 0, run.stdout[-3000:]
    return quick


@pytest.fixture(scope="module")
def page(reported):
    return reported.root / "results/quick/report.html"


@pytest.fixture(scope="module")
def chromium():
    browser = Browser()
    yield browser
    browser.close()


@pytest.fixture
def browser(chromium, page):
    chromium.open(page)
    return chromium


def artefacts(house):
    """Papers and artefacts that left a table, and whether they left a figure."""
    folder = house.root / "results/quick/figures"
    return [
        (path.parent.name, path.stem, path.with_suffix(".svg").is_file())
        for path in sorted(folder.glob("*/*.html"))
    ]


def test_the_report_is_one_small_file(page):
    assert page.stat().st_size < 25e6
    assert not list(page.parent.glob("report_files*"))


def test_a_second_call_has_nothing_to_do(reported):
    again = reported.snakemake("report", "provenance", *QUICK, data=reported.data)
    assert again.returncode == 0
    assert "Nothing to be done" in again.stdout


@needs_browser
def test_it_opens_without_errors_and_without_a_network(browser, page):
    for name in browser.js('[...document.querySelectorAll("div.data")].map((one) => one.id)'):
        browser.show(name)
    assert browser.complaints() == []
    assert browser.requests() == [page.as_uri()]


@needs_browser
def test_tables_out_of_view_are_made_in_idle_moments(browser):
    ready = 'document.getElementById("numbers-table").dataset.ready'
    assert browser.settles(ready, "yes") == "yes"
    assert browser.js("window.scrollY") == 0
    assert len(browser.cells("numbers-table", 1)) == 25


@needs_browser
def test_every_table_and_figure_is_there(browser, reported):
    found = artefacts(reported)
    assert found
    for paper, name, figure in found:
        section = f'document.getElementById("{paper}-{name.replace("_", "-")}")'
        file = reported.root / f"results/quick/figures/{paper}/{name}.html"
        body = file.read_text(encoding="utf-8").partition("<tbody>")[2]
        rows = browser.js(f'{section}.querySelectorAll("table.paper > tbody > tr").length')
        assert rows == body.count("<tr>"), (paper, name)
        if rows:
            assert browser.js(f'{section}.querySelectorAll("table.paper thead th").length') > 1
        else:
            said = browser.js(
                f'document.getElementById("{paper}-{name.replace("_", "-")}-caption").textContent'
            )
            assert said.startswith("Not run: "), (paper, name, said)
        assert browser.js(f'{section}.querySelectorAll("img.figure").length') == figure, name
    broken = browser.js(
        """Promise.all([...document.querySelectorAll("img.figure")].map(async (image) => {
          image.loading = "eager";
          await image.decode();
          return image.naturalWidth > 100 && image.alt.length > 10 ? "" : image.alt || "no text";
        })).then((all) => all.filter((one) => one))"""
    )
    assert broken == []


@needs_browser
def test_search_finds_and_headings_sort(browser):
    browser.show("numbers-table")
    box = 'document.querySelector("#numbers-table input[type=search]")'
    browser.js(f'{box}.value = "fig01"; {box}.dispatchEvent(new Event("input"))')
    assert set(browser.cells("numbers-table", 2)) == {"fig01"}
    browser.js(f'{box}.value = ""; {box}.dispatchEvent(new Event("input"))')
    browser.show("timings-table")
    heading = """[...document.querySelectorAll("#timings-table thead th")]
      .find((one) => one.innerText.trim() === "Seconds")"""
    browser.js(f"{heading}.click()")
    seconds = [float(text) for text in browser.cells("timings-table", 4)]
    assert len(seconds) > 2
    assert seconds == sorted(seconds)
    browser.js(f"{heading}.click()")
    seconds = [float(text) for text in browser.cells("timings-table", 4)]
    assert seconds == sorted(seconds, reverse=True)


@needs_browser
def test_a_papers_table_sorts_by_numbers(browser):
    browser.js('document.getElementById("dilca-fig03").querySelector(".scroll").id = "probe"')
    browser.show("probe")
    browser.js(
        """[...document.querySelectorAll("#probe thead th")]
          .find((one) => one.innerText.trim() === "printed").click()"""
    )
    printed = [float(text) for text in browser.cells("probe", 2)]
    assert len(printed) > 2
    assert printed == sorted(printed)


@needs_browser
def test_an_artefact_leads_to_its_numbers(browser):
    link = "#dilca-fig01 a[data-search]"
    browser.js(f"document.querySelector('{link}').click()")
    browser.show("numbers-table")
    assert set(browser.cells("numbers-table", 2)) == {"fig01"}


@needs_browser
@pytest.mark.parametrize("size", [DESKTOP, PHONE])
def test_nothing_is_wider_than_the_screen(chromium, page, size):
    chromium.open(page, size)
    chromium.show("numbers-table")
    chromium.show("claims-table")
    assert chromium.js("document.documentElement.scrollWidth") <= size[0]
    assert chromium.complaints() == []


@needs_browser
def test_the_drawer_of_a_phone_closes_behind_a_link(chromium, page):
    chromium.open(page, PHONE)
    drawer = 'document.getElementById("__navigation")'
    chromium.js(f"{drawer}.click()")
    assert chromium.js(f"{drawer}.checked")
    chromium.js("document.querySelector('.sidebar-tree a').click()")
    assert not chromium.js(f"{drawer}.checked")


@needs_browser
def test_everything_that_scrolls_or_sorts_is_reached_by_keyboard(browser):
    browser.show("claims-table")
    loose = browser.settles(
        """[...document.querySelectorAll("article *")]
          .filter((one) => one.scrollWidth > one.clientWidth + 1
            && ["auto", "scroll"].includes(getComputedStyle(one).overflowX)
            && one.tabIndex < 0 && one.tagName !== "PRE")
          .map((one) => one.outerHTML.slice(0, 200))""",
        [],
    )
    assert loose == []
    headings = 'document.querySelectorAll("#claims-table thead th")'
    reached = "one.tabIndex >= 0 || one.querySelector(\"[tabindex='0'], button\")"
    assert browser.js(f"[...{headings}].every((one) => {reached})")
    browser.js(f"({headings}[0].querySelector('[tabindex]') || {headings}[0]).focus()")
    for kind in ("keyDown", "keyUp"):
        browser.call(
            "Input.dispatchKeyEvent",
            type=kind,
            key="Enter",
            code="Enter",
            text="\r",
            windowsVirtualKeyCode=13,
        )
    assert browser.settles(f"{headings}[0].ariaSort", "ascending") == "ascending"


@needs_browser
def test_dark_mode_follows_the_system(chromium, page):
    light = "getComputedStyle(document.body).backgroundColor"
    chromium.open(page)
    assert chromium.js(light) == "rgb(255, 255, 255)"
    assert not chromium.js('document.documentElement.classList.contains("dark")')
    chromium.open(page, dark=True)
    channels = chromium.js(f"{light}.match(/\\d+/g).map(Number)")
    assert max(channels) < 60
    assert chromium.js('document.documentElement.classList.contains("dark")')


@needs_browser
def test_print_has_all_claims(browser):
    content = 'JSON.parse(document.getElementById("claims-table-content").textContent)'
    total = browser.js(f"{content}.rows.length")
    unmade = 'document.querySelectorAll("div.data:not([data-ready])").length'
    assert browser.settles(unmade, 0) == 0
    # a browser prints as soon as the event is dealt with
    rows = 'document.querySelectorAll("#claims-table tbody tr").length'
    assert browser.js(f'(window.dispatchEvent(new Event("beforeprint")), {rows})') == total
    paper = base64.b64decode(browser.call("Page.printToPDF")["data"])
    assert paper.startswith(b"%PDF-")
    assert browser.js(f'(window.dispatchEvent(new Event("afterprint")), {rows})') == min(total, 25)


# ------------------------------------------------------------------------------ the record


def test_the_record_is_an_ro_crate_of_the_run(reported):
    from rocrate.rocrate import ROCrate

    folder = reported.root / "results/quick"
    crate = ROCrate(folder)
    assert crate.mainEntity["name"] == "Snakefile"
    (run,) = crate.get_by_type("CreateAction")
    assert run["instrument"] is crate.mainEntity
    parameters = {one["name"]: one["value"] for one in run["object"] if one.type == "PropertyValue"}
    assert parameters["effort"] == "quick"
    assert parameters["seed"] == "20120301"
    versions = {
        one["name"]: one["softwareVersion"] for one in crate.mainEntity["softwareRequirements"]
    }
    assert {"Python", "numpy", "snakemake"} <= set(versions)
    files = crate.get_by_type("File")
    assert len(files) > 50
    for one in files:
        content = (folder / one.id).read_bytes()
        assert one["sha256"] == hashlib.sha256(content).hexdigest(), one.id
    results = {one["name"] for one in run["result"]}
    assert "results/quick/ledger/verdicts.csv" in results
    assert {f"results/quick/figures/{p}/{a}.html" for p, a, _ in artefacts(reported)} <= results


# ------------------------------------------------------------------------------ Snakemake's own


def test_snakemakes_own_report_has_captions_and_labels(reported, tmp_path):
    place = tmp_path / "report.html"
    run = reported.snakemake("--report", str(place), *QUICK, data=reported.data)
    assert run.returncode == 0, run.stdout[-3000:]
    text = place.read_text(encoding="utf-8")
    assert "{{ snakemake" not in text
    for words in (
        "fig03 of",
        "drawn from the numbers",
        "How many printed numbers were found again",
        "Every claim that the papers make in words",
    ):
        assert words in text
