"""The report of a run: its pages, the pieces of a page, and what the plan says of them."""

import base64
import json
import os
import re
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from xml.etree import ElementTree

import pandas as pd
import pytest
from kit import ROOT
from report_run import PROJECT, SVG, Elements, Run, ledger_rows, sheet

from replication.errors import UserError
from replication.files import write_json, write_rows
from replication.judge.claims import CASE_COLUMNS
from replication.judge.ledger import UNAVAILABLE_COLUMNS
from replication.judge.verdicts import DIFFERS, NOT_COMPARABLE, WITHIN_NOISE
from replication.plan.components import links
from replication.plan.plan import Plan
from replication.plan.report_jobs import existing_files
from replication.plan.steps import STEPS
from replication.report import pages, widgets
from replication.report.gather import package_names, version
from replication.show import tables
from replication.show.claim_counts import described
from replication.show.sheet import Cell, Column, folded


@pytest.fixture
def run(tmp_path):
    return Run(tmp_path)


def text_of(cell):
    return "".join(cell.itertext())


def way_of(cell):
    (link,) = cell.iter("a")
    return link.get("href")


def table_of(text, name):
    """Headings of a table, and its rows: cells by heading."""
    start = text.index("<table", text.index(f'id="{name}"'))
    found = ElementTree.fromstring(text[start : text.index("</table>", start) + len("</table>")])
    heads = found.findall("thead/tr/th")
    titles = [head.text for head in heads]
    rows = found.findall("tbody/tr")
    return heads, [dict(zip(titles, row, strict=True)) for row in rows]


def rows_of(text, name):
    return [
        {title: text_of(cell) for title, cell in row.items()} for row in table_of(text, name)[1]
    ]


def test_every_chapter_and_artefact_is_a_page_and_in_the_contents(run):
    elements = Elements(run.page())
    found = [one["id"] for one in elements.all("section") if one.get("class") == "page"]
    papers = ["paper-one", "one-tab1", "paper-mine", "mine-own-1"]
    chapters = ["claims", "deviations", "numbers", "readings", "run"]
    assert found == ["findings", "overview", *papers, *chapters]
    ways = {one["href"] for one in elements.all("a")}
    assert {f"#{name}" for name in found} <= ways
    assert "effort <b>quick</b>: few repetitions" in run.page()


def test_a_section_has_readings_table_figure_files_and_command(run):
    text = run.page()
    text = text[text.index('id="one-tab1"') : text.index('id="paper-mine"')]
    assert "<h1>Table 1: purity &amp; &lt;more&gt; of A_1</h1>" in text
    assert "<b>reconciled</b> (the interpretation that explains most printed numbers" in text
    assert "class labels used for 1" in text
    assert '<th scope="row">Car &amp; co</th>' in text
    assert base64.b64encode(SVG).decode() in text
    assert "tab1.svg --configfile config/quick.yaml" in text
    assert '<a href="../figures/one/tab1.csv">' in text
    assert 'id="one-tab1-numbers" data-of="numbers-table"' in text
    assert "data-of" not in run.page().partition('id="mine-own-1"')[2].partition("</section>")[0]


def test_a_number_leads_to_all_that_it_rests_on(run):
    text = run.page()
    row = table_of(text, "numbers-table")[1][0]
    start = text.index('<template id="pieces">')
    pieces = ElementTree.fromstring(text[start : text.index("</template>") + len("</template>")])
    (chain,) = row["Components"]
    found = [pieces[int(i)] for i in chain.get("value").split()]
    assert [text_of(one).split("\n")[0] for one in found] == [
        "data set car",
        "measure m",
        "table Table 1",
    ]
    assert f"car.data SHA-256 {'ab' * 32} (mirror)" in text_of(found[0])
    config, reading = found[1].iter("a")
    assert config.get("href") == os.path.relpath("config/measures.yaml", run.results)
    assert config.text == "config/measures.yaml:3"
    assert reading.get("href") == "#reading-one-index"
    assert "one.index: inverse purity" in text_of(found[1])
    assert way_of(row["All readings"]) == "#one-tab1-car"
    assert text_of(row["Trace command"]) == "python -m replication explain one one-tab1-car"


def test_the_address_of_a_number_is_the_row_that_is_counted(run):
    first, *rest = ledger_rows("one")
    run.write_ledger([first | {"reading": "literal"}, first, *rest])
    found = re.findall(r'<tr id="one-tab1-car">.*?</tr>', run.page())
    assert len(found) == 1
    assert '<data value="reconciled">' in found[0]


def test_the_largest_deviation_comes_first(run):
    run.write_ledger(ledger_rows("one")[::-1])
    found = [row["Data set"] for row in rows_of(run.page(), "deviations-table")]
    assert found == ["vote", "zoo"]


def test_claims_lead_to_their_evidence(run):
    (row,) = rows_of(run.page(), "claims-table")
    assert row == {
        "Claim": "A_1 is <best>9 of 11 hold, by one.index",
        "Asserts": "all much",
        "Confirmed in": "9/11",
        "Cases": "",
        "In print": "11/11",
        "Verdict": " mixed",
        "Evidence": "One Table 1",
        "Verdict of the printed numbers": "confirmed",
        "Confirmed under": "",
        "Falls with others by": "",
        "Stated as": "words",
        "Under each reading": "",
        "In the other form": "",
        "Place in the paper": "Section 2",
        "Paper": "One",
        "Id": "one-01",
    }


def test_readings_say_what_is_taken_and_lead_to_each_other(run):
    before, _, text = run.page().partition('<section class="page" id="readings">')
    question = r'<li><a [^>]*href="#reading-one[^>]*>[^<]*</a> Which &lt;index&gt;\?</li>'
    assert re.search(question, before + text)
    assert '<div class="entry" id="reading-one-index">' in text
    assert "<code>inverse</code>: inverse purity <b>reconciled</b>" in text
    assert "<code>eq5</code>: eq. (5) <b>literal</b>" in text
    assert 'href="#reading-other-rule" title="Which rule?">other.rule</a>' in text


def test_the_run_has_hashes_versions_and_times(run):
    text = run.page()
    (row,) = table_of(text, "sources-table")[1]
    assert way_of(row["Data set"]) == "https://example.org/car"
    assert {title: text_of(cell) for title, cell in row.items()} == {
        "Data set": "Car Evaluation",
        "Rows × columns": "1728 × 7",
        "Status": "available",
        "File": "car.data",
        "Route": "mirror",
        "Authors": "M. Bohanec (1997)",
        "Licence": "CC BY 4.0",
        "SHA-256": "ab" * 32,
        "Papers": "One",
        "Id": "car",
    }
    assert f'<td class="text">{version("numpy")}</td>' in text
    assert "Seed: 7" in text
    before, machine = text.split('<h2 id="machine">')
    assert "measured times depend on the machine" in machine
    assert ">Cores<" in machine
    assert ">Cores<" not in before


def test_what_could_not_be_had_is_said_with_a_remedy(run):
    source = run.place / "raw/car/source.json"
    write_json(source, {"dataset": "car", "status": "unavailable", "files": [], "route": ""})
    lost = {"dataset": "car", "reason": "no route", "remedy": "put car.data into x_y"}
    write_rows(run.results / "ledger/unavailable.csv", UNAVAILABLE_COLUMNS, [lost])
    text = run.page()
    assert "could not be downloaded" in text
    assert "car: no route put car.data into x_y" in text
    assert rows_of(text, "sources-table")[0]["Status"] == "unavailable"


def test_a_study_without_a_paper_alone(run):
    run.spec["papers"] = run.spec["papers"][1:]
    run.spec["sources"] = []
    run.write_ledger([], claims=0)
    text = run.page()
    assert "This run has no printed numbers" in text
    assert "This run read no data set from a file" in text
    ids = {one.get("id") for one in Elements(text).all("section")}
    assert not {"numbers", "deviations"} & ids


def test_a_page_loads_nothing_and_its_links_lead_somewhere(run):
    page = run.page()
    elements = Elements(page)
    for tag, attrs in elements.found:
        for name in ("src", "href", "data", "poster", "srcset"):
            address = attrs.get(name, "")
            if tag == "a" and not address.startswith("#"):
                continue  # a file or a site, opened only when clicked
            assert address.startswith(("#", "data:")) or not address, (tag, attrs)
    assert not re.search(r"@import|url\((?!['\"]?(?:data:|#))", page)
    ids = [attrs["id"] for _, attrs in elements.found if "id" in attrs]
    targets = {a["href"][1:] for a in elements.all("a") if a["href"].startswith("#")}
    assert targets <= set(ids)
    assert len(ids) == len(set(ids))
    assert run.page() == page


def test_missing_files_are_named(run):
    (run.figures / "one/tab1.json").write_text("{}", encoding="utf-8")
    with pytest.raises(UserError, match=r"tab1\.json: the key 'title' is missing"):
        run.gather()
    (run.figures / "one/tab1.svg").unlink()
    (run.figures / "one/tab1.json").write_text(tables.sheet_json(sheet("one-tab1")), "utf-8")
    with pytest.raises(FileNotFoundError, match=r"tab1\.svg"):
        run.gather()


def test_a_ledger_of_another_layout_is_refused(run):
    (run.results / "ledger/verdicts.csv").write_text("id,paper\n", encoding="utf-8")
    with pytest.raises(UserError, match=r"verdicts\.csv: columns must be id, paper, artefact"):
        run.gather()
    (run.results / "ledger/verdicts.csv").unlink()
    with pytest.raises(UserError, match=r"verdicts\.csv: cannot be read .* run the workflow again"):
        run.gather()


def test_packages_are_those_of_the_project():
    names = package_names(PROJECT)
    assert {"numpy", "snakemake", "sphinx", "furo", "rocrate"} <= set(names)
    assert "pytest" not in names
    assert re.fullmatch(r"\d+\.\d+.*", version("numpy"))
    assert version("no-such-package-as-this") == "not installed"


@pytest.mark.parametrize(
    ("printed", "ours", "text"),
    [
        ("38.05%", "0.46017699", "46.018%"),
        ("0.6006", "0.60064", "0.60064"),
        ("226", "69.0", "69"),
        ("226", "69.25", "69.2"),
        ("1/3", "0.3333333", "0.333333"),
        ("n.a.", "0.123456", "0.1235"),
    ],
)
def test_our_number_stands_in_the_unit_of_the_printed_one(printed, ours, text):
    assert widgets.as_printed(printed, ours) == f'<data value="{float(ours)}">{text}</data>'


@pytest.mark.parametrize(
    ("made", "shown"),
    [
        (
            Cell(0.5, 1, spread=(0.4, 0.6), verdict=WITHIN_NOISE),
            '0.5 [0.4, 0.6] <abbr class="within-noise" title="within noise">~</abbr>',
        ),
        (
            Cell(46.02, 2, verdict=DIFFERS, aside="†"),
            '46.02 <abbr class="differs" title="differs">≠</abbr>†',
        ),
        (
            Cell(verdict=NOT_COMPARABLE),
            ' <abbr class="not-comparable" title="not comparable">–</abbr>',
        ),
        (Cell("0–0.9 ="), "0–0.9 ="),
        (Cell("p < 0.05"), "p &lt;\N{NO-BREAK SPACE}0.05"),
        (Cell(float("nan")), "nan"),
        (Cell(), ""),
    ],
)
def test_a_cell_comes_to_the_report_as_it_was_made(run, made, shown):
    one = sheet("one-tab1")
    rows = [{"dataset": "Car", "p": "70.08", "o": made}]
    text = tables.sheet_json(replace(one, rows=rows))
    (run.figures / "one/tab1.json").write_text(text, encoding="utf-8")
    row = '<tr><th scope="row">Car</th><td class="">70.08</td><td class="">{}</td></tr>'
    assert row.format(shown) in run.page()


def test_a_wide_table_folds_what_is_neither_printed_nor_ours(run):
    columns = [
        Column(f"{head}{i}", head, f"Method {i}", main=head != "setting-by-oracle")
        for i in range(9)
        for head in ("setting-by-oracle", "printed", "ours")
    ]
    one = sheet("one-tab1")
    row = {"dataset": "Car", **{column.key: "0.12345" for column in columns}}
    made = replace(one, columns=[one.columns[0], *columns], rows=[row])
    heads = made.record()["columns"]
    shown = [one["head"] for one in heads if "fold" not in one]
    assert shown[0] == "Data set"
    assert set(shown[1:]) == {"printed", "ours"}
    rows = [made.cells(row) for row in made.rows]
    assert folded(made.columns, rows, 10_000) == set()
    for width in range(20, 200):  # printed numbers and ours are never hidden
        assert folded(made.columns, rows, width) <= set(range(1, 28, 3))
    (run.figures / "one/tab1.json").write_text(tables.sheet_json(made), encoding="utf-8")
    text = run.page()
    assert 'colspan="2" data-all="3" data-few="2">Method 0</th>' in text
    assert '<button type="button" data-columns>Show all 28 columns</button>' in text
    assert "Show all 4 columns" not in text


def test_the_cases_of_a_claim_are_a_table_without_empty_columns(run):
    rows = [
        {"case": "Adult <b>", "ours": 0.123456, "holds": False, "n": 1},
        {"case": "Zoo", "ours": 0.9, "holds": True, "n": 1},
    ]
    write_rows(run.figures / "one/claims/one-01.csv", CASE_COLUMNS, rows)
    text = run.page()
    assert "<th>Case</th><th>Reproduced</th><th>Confirmed</th></tr>" in text
    assert "<td>Adult &lt;b&gt;</td><td>0.1235</td><td>no</td>" in text


def test_pictures_are_inside_described_and_have_their_size():
    (image,) = Elements(widgets.picture(SVG, 'a "b" <c>')).all("img")
    assert image["alt"] == 'a "b" <c>'
    assert (image["width"], image["height"]) == ("20", "10")
    assert base64.b64decode(image["src"].partition("base64,")[2]) == SVG
    (image,) = Elements(widgets.picture(b'<svg height="72pt" version="1" width="144pt">', "x")).all(
        "img"
    )
    assert (image["width"], image["height"]) == ("192", "96")


def test_ids_of_readings_lead_to_what_they_mean():
    words = widgets.words({"a.b": {"question": "Why?"}, "a.b_c": {"question": "How <so>?"}})
    text = words("see `a.b_c`, a.b and xa.b or a.bc & co")
    assert 'href="#reading-a-b-c" title="How &lt;so&gt;?">a.b_c</a>, ' in text
    assert text.count("<a ") == 2
    assert text.endswith("xa.b or a.bc &amp; co")
    assert widgets.words({})("a.b <i>") == "a.b &lt;i&gt;"
    for some in (words, widgets.words({})):
        assert some("call `f(<x>)` now") == "call <code>f(&lt;x&gt;)</code> now"


def test_the_rule_names_all_files_that_the_page_shows(catalog):
    spec, inputs = json.loads(catalog.spec("report")), catalog.inputs("report")
    named = set(inputs["artefacts"])
    for paper in spec["papers"]:
        if paper["id"] in spec["beside"]:
            continue  # made by a run of its own
        for entry in paper["artefacts"]:
            base = f"{spec['roots']['figures']}/{paper['id']}/{entry['id']}"
            assert {f"{base}.{kind}" for kind in ("csv", "md", "tex")} <= named
            assert (f"{base}.svg" in named) == ("figure" in entry["outputs"])
    read = {Path(name).name for name in STEPS["report"].reads.values()}
    assert read >= {"verdicts.csv", "claims.csv", "unavailable.csv", "findings.md"}
    assert {Path(name).suffix for name in inputs["assets"]} == {".css", ".js", ".jinja"}
    assert all((ROOT / name).is_file() for name in inputs["assets"])


def test_the_overlay_of_an_effort_is_part_of_the_commands(catalog):
    quick = (Plan.of_effort(ROOT, "quick"), " --configfile config/quick.yaml")
    for plan, overlay in (quick, (catalog, "")):
        assert json.loads(plan.spec("report"))["overlay"] == overlay


def test_every_number_has_its_configuration_and_its_code(catalog):
    found = links(catalog, catalog.config["papers"])
    for key, piece in found["components"].items():
        file, line = piece["config"].split(":")
        text = (ROOT / file).read_text("utf-8").splitlines()[int(line) - 1]
        head = text.split(":")[0].strip()
        assert piece["id"] == head or piece["id"].startswith(f"{head}_"), key
        if "class" in piece and piece["class"].partition(".")[0] in ("couplings", "replication"):
            file, line = piece["source"].split(":")
            text = (ROOT / file).read_text("utf-8").splitlines()[int(line) - 1]
            assert piece["class"].partition(":")[2] in text, key


@pytest.mark.parametrize("oracle", ["yes", "no"])
def test_the_page_of_a_paper_counts_what_labels_chose(oracle):
    record = {
        name: pd.read_csv(ROOT / f"data/record/full/{name}.csv", dtype=str, keep_default_na=False)
        for name in ("verdicts", "claims")
    }
    record["verdicts"] = record["verdicts"].assign(oracle=oracle)
    counted = described(record["claims"], ROOT / "data/published")
    contents = SimpleNamespace(**record, counted=counted, artefacts=[], spec={"readings": {}})
    page = pages.paper_page(contents, {"id": "dilca"})
    assert page["numbers"].total() > 0
    assert page["chosen"] == (page["numbers"].total() if oracle == "yes" else 0)


def test_an_artefact_is_made_once_all_its_files_are(tmp_path, catalog):
    plan = replace(catalog, root=tmp_path)
    files = [catalog.file(name, paper="dilca", artefact="fig04") for name in ("sheet", "svg")]
    for file in files:
        assert existing_files(plan, "dilca", "fig04") == []
        (tmp_path / file).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / file).touch()
    assert existing_files(plan, "dilca", "fig04") == files
