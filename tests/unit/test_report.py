"""What the pages of the report say."""

import base64
import os
import re
from xml.etree import ElementTree

import pytest
from report_run import SVG, Elements, Run, ledger_rows

from replication.files import rows_text, write_json
from replication.judge.ledger import UNAVAILABLE_COLUMNS
from replication.report.gather import version


@pytest.fixture
def run(tmp_path):
    return Run(tmp_path)


def text_of(cell):
    """Text of a cell."""
    return "".join(cell.itertext())


def way_of(cell):
    """Address that a cell leads to."""
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
    """Rows of a table: texts by heading."""
    return [
        {title: text_of(cell) for title, cell in row.items()} for row in table_of(text, name)[1]
    ]


# ------------------------------------------------------------------------------ pages


def test_every_chapter_and_artefact_is_a_page_and_in_the_contents(run):
    elements = Elements(run.page())
    found = [one["id"] for one in elements.all("section") if one.get("class") == "page"]
    assert found == [
        "findings",
        "overview",
        "paper-one",
        "one-tab1",
        "paper-mine",
        "mine-own-1",
        "claims",
        "deviations",
        "numbers",
        "readings",
        "run",
    ]
    ways = {one["href"] for one in elements.all("a")}
    assert {f"#{name}" for name in found} <= ways
    assert "effort <b>quick</b>: few repetitions" in run.page()


def test_a_section_has_readings_table_figure_files_and_command(run):
    text = run.page()
    text = text[text.index('id="one-tab1"') : text.index('id="paper-mine"')]
    assert "<h1>Table 1: purity &amp; &lt;more&gt; of A_1</h1>" in text
    assert "<b>reconciled</b> (the interpretation that explains most printed numbers" in text
    assert "1 use class labels" in text
    assert '<th scope="row">Car &amp; co</th>' in text
    assert '<abbr class="within-noise" title="within noise">~</abbr>' in text
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
    (chain,) = row["Dependencies"]
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
    assert text_of(row["Trace"]) == "python -m replication explain one one-tab1-car"


def test_the_address_of_a_number_is_the_row_that_is_counted(run):
    first, *rest = ledger_rows("one")
    run.write_ledger([first | {"reading": "literal"}, first, *rest])
    found = re.findall(r'<tr id="one-tab1-car">.*?</tr>', run.page())
    assert len(found) == 1
    assert '<data value="reconciled">' in found[0]


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
        "Under each reading": "",
        "Under the other form": "",
        "Where": "Section 2",
        "Paper": "One",
        "Id": "one-01",
    }


def test_readings_say_what_is_taken_and_lead_to_each_other(run):
    text = run.page().partition('<section class="page" id="readings">')[2]
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
        "Licence": "CC BY 4.0",
        "SHA-256": "ab" * 32,
        "Papers": "One",
        "Id": "car",
    }
    assert f'<td class="text">{version("numpy")}</td>' in text
    assert "Study seed: 7" in text
    before, machine = text.split('<h2 id="machine">')
    assert "This section depends on the machine" in machine
    assert ">Cores<" in machine
    assert ">Cores<" not in before


def test_what_could_not_be_had_is_said_with_a_remedy(run):
    source = run.place / "raw/car/source.json"
    write_json(source, {"dataset": "car", "status": "unavailable", "files": [], "route": ""})
    lost = {"dataset": "car", "reason": "no route", "remedy": "put car.data into x_y"}
    (run.results / "ledger/unavailable.csv").write_text(
        rows_text(UNAVAILABLE_COLUMNS, [lost]), encoding="utf-8"
    )
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
    assert "No data set of this run comes from a file" in text
    ids = {one.get("id") for one in Elements(text).all("section")}
    assert not {"numbers", "deviations"} & ids


# ------------------------------------------------------------------------------ the page


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
