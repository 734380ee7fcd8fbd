"""The report and the record of a quick run; how the report behaves is measured elsewhere."""

import hashlib
import zipfile

import pytest
from browser import CHROMIUM, Browser
from kit import QUICK

pytestmark = pytest.mark.workflow

needs_browser = pytest.mark.skipif(CHROMIUM is None, reason="no Chromium is installed")


@pytest.fixture(scope="module")
def reported(quick):
    assert quick.first.returncode == 0, quick.first.stdout[-5000:]
    return quick


@pytest.fixture(scope="module")
def page(reported):
    return reported.root / "results/quick/report.html"


@pytest.fixture(scope="module")
def browser(page):
    found = Browser()
    found.open(page)
    yield found
    found.close()


def artefacts(house):
    """Papers and artefacts that left a table, and whether they left a figure."""
    folder = house.root / "results/quick/figures"
    return [
        (path.parent.name, path.stem, path.with_suffix(".svg").is_file())
        for path in sorted(folder.glob("*/*.md"))
    ]


def test_the_findings_of_the_run_are_on_its_first_page(reported, page):
    text = (reported.root / "results/quick/figures/findings.md").read_text(encoding="utf-8")
    sentences = [line.partition(" See [")[0] for line in text.splitlines() if " See [" in line]
    assert sentences
    first = page.read_text(encoding="utf-8").partition('id="findings"')[2]
    first = first.partition("</section>")[0].replace("&#39;", "'")
    assert all(sentence in first for sentence in sentences)


@needs_browser
def test_every_table_and_figure_is_there(browser, reported):
    found = artefacts(reported)
    assert found
    for paper, name, figure in found:
        section = f'document.getElementById("{paper}-{name.replace("_", "-")}")'
        file = reported.root / f"results/quick/figures/{paper}/{name}.md"
        lines = file.read_text(encoding="utf-8").splitlines()
        body = [line for line in lines if line.startswith("|")][2:]
        rows = browser.js(f'{section}.querySelectorAll("table.paper > tbody > tr").length')
        assert rows == len(body), (paper, name)
        if rows:
            assert browser.js(f'{section}.querySelectorAll("table.paper thead th").length') > 1
        else:
            said = browser.js(f'{section}.querySelector("p").textContent')
            assert said.startswith("Not run: "), (paper, name, said)
        assert browser.js(f'{section}.querySelectorAll("img.figure").length') == figure, name
    broken = browser.js(
        """Promise.all([...document.querySelectorAll("img.figure")].map(async (image) => {
          image.loading = "eager";  // as if its page were shown
          await image.decode();
          return image.naturalWidth > 100 && image.alt.length > 10 ? "" : image.alt || "no text";
        })).then((all) => all.filter((one) => one))"""
    )
    assert broken == []


def test_the_record_is_an_ro_crate_of_the_run(reported):
    from rocrate.rocrate import ROCrate

    folder = reported.root / "results/quick"
    crate = ROCrate(folder)
    assert crate.mainEntity["name"] == "workflow/Snakefile"
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
    assert {f"results/quick/figures/{p}/{a}.md" for p, a, _ in artefacts(reported)} <= results


def test_snakemakes_own_report_has_captions_and_labels(reported, tmp_path):
    place = tmp_path / "report.zip"
    run = reported.snakemake("--report", str(place), *QUICK)
    assert run.returncode == 0, run.stdout[-3000:]
    with zipfile.ZipFile(place) as archive:
        text = archive.read("report/report.html").decode()
    assert "{{ snakemake" not in text
    for words in (
        "fig03 of",
        "drawn from the numbers",
        "Every printed number with ours and the verdict",
        "Every claim that the papers make in words",
    ):
        assert words in text
