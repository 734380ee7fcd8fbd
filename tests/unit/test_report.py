import base64
import csv
import json
import os
import re
from dataclasses import replace
from html.parser import HTMLParser
from pathlib import Path

import pytest
import yaml

from replication.errors import UserError
from replication.files import rows_text, write_json
from replication.judge.cells import VERDICT_COLUMNS, not_run, verdict_row
from replication.judge.claims import COLUMNS as CLAIM_COLUMNS
from replication.judge.ledger import (
    CHANGE_COLUMNS,
    CLAIM_READING,
    DEVIATION_COLUMNS,
    UNAVAILABLE_COLUMNS,
    UNEXPLAINED,
    deviations,
)
from replication.judge.verdicts import Reproduced, verdict
from replication.plan.catalog import Catalog
from replication.report import pages, widgets
from replication.report.drawings import time_bars, verdict_bars
from replication.report.gather import Timing, gather, package_names, timings, version
from replication.report.grid import WIDTH, read
from replication.show import tables
from replication.show.rollup import LOOKS
from replication.show.sheet import Column, Sheet

ROOT = Path(__file__).parents[2]
PROJECT = ROOT / "pyproject.toml"
SVG = b'<svg xmlns="http://www.w3.org/2000/svg" width="20" height="10"><path id="a"/></svg>'


class Elements(HTMLParser):
    """Elements of a page with their attributes."""

    def __init__(self, text):
        super().__init__()
        self.found = []
        self.feed(text)

    def handle_starttag(self, tag, attrs):
        self.found.append((tag, dict(attrs)))

    def all(self, tag):
        return [attrs for name, attrs in self.found if name == tag]


def cell(paper, name, printed, method="a_1"):
    return {
        "id": f"{paper}-tab1-{name}",
        "paper": paper,
        "artefact": "tab1",
        "dataset_id": name,
        "method_id": method,
        "metric": "purity",
        "printed": printed,
    }


def ledger_rows(paper):
    rows = []
    for name, printed, value in (
        ("car", "70.08%", 0.70084),
        ("vote", "91.95%", 0.5),
        ("zoo", "0.50", 0.9),
    ):
        ours = Reproduced(value)
        judged = verdict(printed, ours, reason="the </script> file is *short*" * (name == "vote"))
        oracle = name == "car"
        rows.append(
            verdict_row(
                cell(paper, name, printed), judged, ours, reading="reconciled", oracle=oracle
            )
        )
    return [*rows, not_run(cell(paper, "adult", "61%"), "left out", reading="reconciled")]


def sheet(name):
    return Sheet(
        name=name,
        title="Table 1: purity & <more> of A_1",
        caption="2 of 3 numbers are <exact>.",
        columns=[
            Column("dataset", "Data set", text=True),
            Column("p", "printed", "A_1"),
            Column("o", "ours", "A_1"),
        ],
        rows=[
            {"dataset": "Car & co", "p": "70.08", "o": "70.10 [68.00, 70.10] ~"},
            {"dataset": "Vote", "p": "1,234", "o": "−91.95 ="},
            {"dataset": "Adult", "p": "61"},
        ],
        data=[],
        data_columns=["x"],
        legend=["= exact; ~ within noise"],
    )


class Run:
    """A small run on disk: paper `one` has numbers and claims, the study `mine` has neither."""

    def __init__(self, place):
        self.place = place
        self.results, self.figures = place / "results", place / "figures"
        self.spec = {
            "effort": "quick",
            "seed": 7,
            "limits": {"datasets": ["car"], "trials": 3},
            "roots": {
                "results": str(self.results),
                "figures": str(self.figures),
                "raw": str(place / "raw"),
            },
            "overlay": " --configfile config/quick.yaml",
            "sources": [
                {
                    "id": "car",
                    "title": "Car Evaluation",
                    "licence": "CC BY 4.0",
                    "homepage": "https://example.org/car",
                    "papers": ["one"],
                }
            ],
            "papers": [self.paper("one", ["tab1"]), self.paper("mine", ["own_1"], own=True)],
            "beside": {},
            "readings": {
                "one.index": {
                    "question": "Which <index>?",
                    "choices": {"inverse": "inverse purity", "eq5": "eq. (5)"},
                    "evidence": "57 of 60 tables; see other.rule",
                    "answers": {"reconciled": "inverse", "printed": "eq5"},
                },
                "other.rule": {
                    "question": "Which rule?",
                    "choices": {"a": "the first"},
                    "evidence": "none",
                    "answers": {"reconciled": "a", "printed": "a"},
                },
            },
        }
        self.links = {
            "pieces": {
                "measure m": {
                    "role": "measure",
                    "id": "m",
                    "config": "config/measures.yaml:3",
                    "readings": {"one.index": "inverse"},
                },
                "one data set car": {"role": "data set", "id": "car", "of": "car"},
                "one table tab1": {"role": "table", "id": "tab1", "label": "Table 1"},
            },
            "methods": {"one a_1": {"reconciled": ["measure m"]}},
            "artefacts": {"one tab1": ["one table tab1"]},
        }
        self.write_ledger(ledger_rows("one"))
        write_json(
            place / "raw/car/source.json",
            {
                "dataset": "car",
                "status": "available",
                "route": "mirror",
                "rows": 1728,
                "columns": 7,
                "files": [{"name": "car.data", "sha256": "ab" * 32, "route": "mirror"}],
            },
        )
        finding = {"id": "exact", "sentence": "3 of 4 <fit>.", "seen": "Shares", "evidence": "all"}
        finding |= {"file": "rollup.md", "page": "#numbers"}
        write_json(self.figures / "findings/findings.json", {"findings": [finding]})
        (self.figures / "findings/exact.svg").write_bytes(SVG)
        for paper in self.spec["papers"]:
            for entry in paper["artefacts"]:
                base = self.figures / paper["id"] / entry["id"]
                base.parent.mkdir(parents=True, exist_ok=True)
                made = sheet(f"{paper['id']}-{entry['id']}")
                base.with_suffix(".html").write_text(tables.html(made), encoding="utf-8")
                base.with_suffix(".svg").write_bytes(SVG)
        self.benchmark("trials/one/car.a_1.reconciled", "2.50", "1.5", "100.0")
        self.benchmark("experiments/mine/speed.none", "9.00", "NA", "-")
        self.benchmark("trials/other/car.b.reconciled", "99.0", "1.0", "1.0")

    def paper(self, name, artefacts, own=False):
        return {
            "id": name,
            "title": f"On the _{name}_ of <things>",
            "citation": "A. Author, 2012.",
            "readings": [] if own else ["reconciled", "printed"],
            "own": own,
            "artefacts": [
                {"id": one, "label": "Table 1", "outputs": ["table", "figure"], "printed": not own}
                for one in artefacts
            ],
        }

    def benchmark(self, name, seconds, cpu, memory):
        path = self.results / "benchmarks" / f"{name}.tsv"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(f"s\tmax_rss\tcpu_time\n{seconds}\t{memory}\t{cpu}\n", encoding="utf-8")

    def write_ledger(self, rows, claims=1, changes=()):
        claimed = [
            {
                "id": f"one-0{i + 1}",
                "paper": "one",
                "where": "Section 2",
                "claim": "A_1 is <best>",
                "verdict": "mixed",
                "asserts": "all",
                "margin": "much",
                "ours": "9/11",
                "print": "11/11",
                "print_verdict": "confirmed",
                "evidence": "9 of 11 hold, by one.index",
                "artefact": "tab1",
            }
            for i in range(claims)
        ]
        for name, columns, content in (
            ("verdicts", VERDICT_COLUMNS, rows),
            ("claims", CLAIM_COLUMNS, claimed),
            ("deviations", DEVIATION_COLUMNS, deviations(rows)),
            ("changes", CHANGE_COLUMNS, changes),
            ("unavailable", UNAVAILABLE_COLUMNS, []),
        ):
            path = self.results / "ledger" / f"{name}.csv"
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(rows_text(columns, content), encoding="utf-8")

    def gather(self):
        return gather(self.spec, PROJECT, self.links)

    def page(self):
        return pages.render(self.gather())


@pytest.fixture
def run(tmp_path):
    return Run(tmp_path)


def content_of(text, name):
    """Content of a table that is filled in the browser."""
    pattern = rf'id="{name}">.*?<script type="application/json">(.*?)</script>'
    return json.loads(re.search(pattern, text, re.DOTALL)[1])


def row_of(content, i):
    """Cells of a row by heading."""
    heads = [head["title"] for head in content["heads"]]
    return dict(zip(heads, content["rows"][i], strict=True))


# ------------------------------------------------------------------------------ gathering


def test_artefacts_come_in_the_order_of_the_papers_with_their_parts(run):
    first, second = run.gather().artefacts
    assert (first.paper, first.name, first.anchor) == ("one", "tab1", "one-tab1")
    assert first.grid.title == "Table 1: purity & <more> of A_1"
    assert first.grid.caption == "2 of 3 numbers are <exact>."
    assert first.grid.legend == ["= exact; ~ within noise"]
    assert first.svg == SVG
    assert first.command == (
        f"snakemake --cores all {run.figures}/one/tab1.svg --configfile config/quick.yaml"
    )
    assert first.files[0] == (f"{run.figures}/one/tab1.html", "../figures/one/tab1.html")
    assert second.paper == "mine"


def test_an_artefact_without_a_figure_is_made_by_its_table(run):
    run.spec["papers"][0]["artefacts"][0]["outputs"] = ["table"]
    run.spec["overlay"] = ""
    first = run.gather().artefacts[0]
    assert first.svg is None
    assert first.command == f"snakemake --cores all {run.figures}/one/tab1.html"
    assert [Path(name).suffix for name, _ in first.files] == [".html", ".csv", ".md", ".tex"]


def test_missing_files_are_named(run):
    (run.figures / "one/tab1.svg").unlink()
    with pytest.raises(UserError, match=r"tab1\.svg: cannot be read"):
        run.gather()
    (run.figures / "one/tab1.html").write_text("<h1>x</h1>", encoding="utf-8")
    (run.figures / "one/tab1.svg").write_bytes(SVG)
    with pytest.raises(UserError, match=r"tab1\.html: no table with a title"):
        run.gather()


def test_a_ledger_of_another_layout_is_refused(run):
    (run.results / "ledger/verdicts.csv").write_text("id,paper\n", encoding="utf-8")
    with pytest.raises(UserError, match=r"verdicts\.csv: columns must be id, paper, artefact"):
        run.gather()
    (run.results / "ledger/verdicts.csv").unlink()
    with pytest.raises(
        UserError, match=r"verdicts\.csv: cannot be read .*; run the workflow again"
    ):
        run.gather()


def test_timings_are_those_of_the_papers_longest_first(run):
    found = run.gather().timings
    assert [(one.paper, one.step, one.group) for one in found] == [
        ("mine", "experiments", "speed"),
        ("one", "trials", "a_1"),
    ]
    assert found[0] == Timing("experiments", "mine", "speed.none", 9.0, 0.0, 0.0)
    assert found[1].memory == 100.0
    assert Timing("similarity", "one", "car.bins.dilca_m", 1, 1, 1).group == "dilca_m"
    assert Timing("similarity", "one", "car", 1, 1, 1).group == "car"
    assert timings(run.place / "nowhere", ["one"]) == []


def test_packages_are_those_of_the_project():
    names = package_names(PROJECT)
    assert {"numpy", "snakemake", "sphinx", "furo", "itables", "rocrate"} <= set(names)
    assert "pytest" not in names
    assert re.fullmatch(r"\d+\.\d+.*", version("numpy"))
    assert version("no-such-package-as-this") == "not installed"


# ------------------------------------------------------------------------------ pieces


@pytest.mark.parametrize(
    ("printed", "ours", "text"),
    [
        ("38.05%", "0.46017699", "46.018%"),
        ("0.6006", "0.60064", "0.60064"),
        ("226", "69.0", "69"),
        ("226", "69.25", "69.2"),
        ("1/3", "0.3333333", "0.333333"),
        ("seven", "7.0", "7"),
        ("n.a.", "0.123456", "0.1235"),
    ],
)
def test_our_number_stands_in_the_unit_of_the_printed_one(printed, ours, text):
    assert widgets.as_printed(printed, ours) == (text, float(ours))


def test_empty_numbers_are_empty_cells():
    assert widgets.as_printed("38.05%", "") is None
    assert widgets.number_cell("") is None
    assert widgets.number_cell("0.123456") == ("0.1235", 0.123456)
    assert widgets.printed_cell("38.05%") == ("38.05%", 0.3805)
    assert widgets.printed_cell("n.a.") == ("n.a.", None)


def test_a_papers_table_is_read_as_it_was_written():
    grid = read(tables.html(sheet("one-tab1")))
    assert [(one.group, one.head, one.text) for one in grid.columns] == [
        ("", "Data set", True),
        ("A_1", "printed", False),
        ("A_1", "ours", False),
    ]
    assert [[cell.text for cell in row] for row in grid.rows] == [
        ["Car & co", "70.08", "70.10 [68.00, 70.10]"],
        ["Vote", "1,234", "−91.95"],
        ["Adult", "61", ""],
    ]
    assert [row[2].verdict for row in grid.rows] == ["within noise", "exact", ""]
    assert [row[2].mark for row in grid.rows] == ["~", "=", ""]


def test_a_wide_table_shows_what_is_printed_and_ours_first():
    many = sheet("one-tab1")
    columns = [
        Column(f"{head}{i}", head, f"Method {i}")
        for i in range(9)
        for head in ("setting-by-oracle", "printed", "ours")
    ]
    rows = [{"dataset": "Car", **{column.key: "0.12345" for column in columns}}]
    grid = read(tables.html(replace(many, columns=[many.columns[0], *columns], rows=rows)))
    shown = grid.fitting()
    assert shown[0]
    assert sum(grid.widths()) > WIDTH
    assert sum(width for width, on in zip(grid.widths(), shown, strict=True) if on) <= WIDTH
    heads = [one.head for one, on in zip(grid.columns, shown, strict=True) if on][1:]
    assert set(heads) == {"printed", "ours"}
    groups = grid.groups(shown)
    assert groups[0] == ("", 1, 1)
    assert groups[1] == ("Method 0", 3, 2)
    assert all(grid.fitting(10_000))


def test_data_inside_a_script_cannot_end_it():
    text = widgets.script_json({"a": "</script><!-- <b>"})
    assert "<" not in text
    assert json.loads(text) == {"a": "</script><!-- <b>"}


def test_pictures_are_inside_described_and_have_their_size():
    (image,) = Elements(widgets.picture(SVG, 'a "b" <c>')).all("img")
    assert image["alt"] == 'a "b" <c>'
    assert (image["width"], image["height"]) == ("20", "10")
    assert base64.b64decode(image["src"].partition("base64,")[2]) == SVG
    (image,) = Elements(widgets.picture(b'<svg height="72pt" version="1" width="144pt">', "x")).all(
        "img"
    )
    assert (image["width"], image["height"]) == ("192", "96")


def test_a_verdict_has_the_colour_of_the_figures():
    rules = widgets.colours()
    for name, (colour, _) in LOOKS.items():
        assert f".{widgets.look(name)} {{ --verdict: {colour};" in rules
    assert widgets.marked("within noise") == (
        '<span class="verdict within-noise"><b>~</b> within noise</span>'
    )


def test_ids_of_readings_lead_to_what_they_mean():
    words = widgets.Words({"a.b": {"question": "Why?"}, "a.b_c": {"question": "How <so>?"}})
    text = words("see `a.b_c`, a.b and xa.b or a.bc & co")
    assert 'href="#reading-a-b-c" title="How &lt;so&gt;?">a.b_c</a>, ' in text
    assert text.count("<a ") == 2
    assert text.endswith("xa.b or a.bc &amp; co")
    assert widgets.Words({})("a.b <i>") == "a.b &lt;i&gt;"


@pytest.mark.parametrize(
    ("seconds", "text"), [(1.25, "1.2 s"), (119, "119.0 s"), (120, "2.0 min"), (9000, "2.5 h")]
)
def test_durations(seconds, text):
    assert pages.duration(seconds) == text


def test_the_longest_groups_are_drawn_and_the_rest_is_one_bar():
    times = [Timing("trials", "one", f"car.m{i:02}.x", 30.0 - i, 1, 1) for i in range(25)]
    rows = pages.longest_groups(times)
    assert len(rows) == 21
    assert rows[0] == ("one · trials · m00", 30.0)
    assert rows[-1] == ("5 others", sum(range(6, 11)))


def test_figures_are_the_same_bytes_twice():
    rows = [("one · reconciled", {"exact": 3, "not run": 1}), ("two", {"differs": 2})]
    assert verdict_bars(rows) == verdict_bars(rows)
    assert b"<dc:date>" not in verdict_bars(rows)
    bars = [("one", 1000.0), ("two", 1.0)]
    assert time_bars(bars) == time_bars(bars)


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


def test_the_first_page_has_the_findings(run):
    text = run.page().partition('id="findings"')[2].partition("</section>")[0]
    assert "3 of 4 &lt;fit&gt;." in text
    assert base64.b64encode(SVG).decode() in text
    assert '<a href="#numbers">See all</a>' in text


def test_overview_counts_by_paper_artefact_and_method(run):
    text = run.page()
    assert "4 printed cells were judged, 4 of them different numbers" in text
    assert re.search(
        r'<th scope="row" class="text">one</th><td>4</td><td>1</td><td>0</td><td>2</td><td>0</td>'
        r"<td>1</td><td>33 %</td>",
        text,
    )
    row = row_of(content_of(text, "by-artefact"), 0)
    assert row["Artefact"] == ["one Table 1", "#one-tab1"]
    row = row_of(content_of(text, "by-method"), 0)
    assert (row["Method"], row["Reading"], row["Numbers"]) == ("a_1 (one)", "reconciled", ["4", 4])


def test_a_section_has_readings_table_figure_files_and_command(run):
    text = run.page()
    text = text[text.index('id="one-tab1"') : text.index('id="paper-mine"')]
    assert "<h1>Table 1: purity &amp; &lt;more&gt; of A_1</h1>" in text
    assert "<b>reconciled</b> (what explains most of the printed numbers" in text
    assert "1 rest on the class labels (oracle)" in text
    assert '<th scope="row">Car &amp; co</th>' in text
    assert '<abbr class="within-noise" title="within noise">~</abbr>' in text
    assert base64.b64encode(SVG).decode() in text
    assert "tab1.svg --configfile config/quick.yaml" in text
    assert '<a href="../figures/one/tab1.csv">' in text
    assert 'data-of="numbers-table" data-first="one Table 1"' in text
    assert "data-of" not in run.page().partition('id="mine-own-1"')[2].partition("</section>")[0]


def test_every_reading_of_a_number_is_explained():
    config = yaml.safe_load((ROOT / "config/config.yaml").read_text("utf-8"))
    loaded = Catalog.load(config, ROOT)
    with (ROOT / "data/baseline/full.csv").open(encoding="utf-8", newline="") as stream:
        recorded = {row["reading"] for row in csv.DictReader(stream)} - {CLAIM_READING}
    assert {*loaded.ids("reading"), *recorded} <= set(widgets.READINGS)


def test_a_number_leads_to_all_that_it_rests_on(run):
    text = run.page()
    content = content_of(text, "numbers-table")
    row = row_of(content, 0)
    shared = json.loads(
        re.search(r'<script type="application/json" id="shared">(.*?)</script>', text)[1]
    )
    keys = list(shared["pieces"])
    assert [keys[i] for i in row["Rests on"]] == [
        "one data set car",
        "measure m",
        "one table tab1",
    ]
    assert shared["pieces"]["one data set car"]["files"] == [["car.data", "ab" * 32, "mirror"]]
    way = os.path.relpath("config/measures.yaml", run.results)
    assert shared["pieces"]["measure m"]["config"] == ["config/measures.yaml:3", way]
    assert row["Id"] == "one-tab1-car"


def test_six_columns_stand_side_by_side(run):
    text = run.page()
    for name in ("numbers", "deviations", "claims", "sources", "timings"):
        heads = content_of(text, f"{name}-table")["heads"]
        assert sum(not head["folded"] for head in heads) == 6, name


def test_numbers_and_claims_show_their_reason_on_a_phone(run):
    text = run.page()
    for name, title in (("numbers", "Reason"), ("claims", "Evidence")):
        heads = content_of(text, f"{name}-table")["heads"]
        assert [head["title"] for head in heads if head["phone"]] == [title]


def test_deviations_are_sorted_by_size_and_say_why(run):
    text = run.page()
    assert "2 printed cells differ from ours" in text
    assert "for 1 of them nothing that was tried" in text
    content = content_of(text, "deviations-table")
    assert row_of(content, 0)["Data set"] == "vote"
    assert row_of(content, 0)["Printed"] == ["91.95%", 0.9195]
    assert row_of(content, 0)["Ours"] == ["50.000%", 0.5]
    assert row_of(content, 0)["Difference"] == ["-41.950%", -0.4195]
    assert row_of(content, 0)["Reason"] == "the </script> file is *short*"
    assert row_of(content, 1)["Reason"] == UNEXPLAINED
    assert row_of(content, 1)["All of it"] == ["one-tab1-zoo", "#one-tab1-zoo"]


def test_changes_are_shown_where_there_are_any(run):
    assert "changes-table" not in run.page()
    change = dict(zip(CHANGE_COLUMNS, ("x", "printed", "exact", "differs", "yes"), strict=True))
    run.write_ledger(ledger_rows("one"), changes=[change])
    rows = content_of(run.page(), "changes-table")["rows"]
    assert rows == [[["x", "#x"], "printed", "exact", "differs", "yes"]]


def test_claims_lead_to_their_evidence(run):
    row = row_of(content_of(run.page(), "claims-table"), 0)
    assert row == {
        "Claim": "A_1 is <best>",
        "Asserts": "all much",
        "Holds in": "9/11",
        "In print": "11/11",
        "Verdict": "mixed",
        "Rests on": ["one Table 1", "#one-tab1"],
        "Evidence": "9 of 11 hold, by one.index",
        "Verdict of the printed numbers": "confirmed",
        "Where": "Section 2",
        "Paper": "one",
        "Id": "one-01",
    }


def test_a_number_without_a_section_has_no_link(run):
    run.spec["papers"][0]["artefacts"] = []
    content = content_of(run.page(), "numbers-table")
    assert {tuple(row[0]) for row in content["rows"]} == {("one tab1", "")}


def test_all_numbers_are_in_the_ledger_of_the_page(run):
    content = content_of(run.page(), "numbers-table")
    with (run.results / "ledger/verdicts.csv").open(encoding="utf-8", newline="") as stream:
        ledger = list(csv.DictReader(stream))
    rows = [row_of(content, i) for i in range(len(ledger))]
    assert len(content["rows"]) == len(ledger)
    assert [(row["Data set"], row["Verdict"]) for row in rows] == [
        (row["dataset"], row["verdict"]) for row in ledger
    ]
    assert rows[3]["Ours"] is None
    assert rows[0]["Reason"].startswith("rounded or truncated")


def test_readings_say_what_is_taken_and_lead_to_each_other(run):
    text = run.page().partition('<section class="page" id="readings">')[2]
    assert '<div class="entry" id="reading-one-index">' in text
    assert "<code>inverse</code>: inverse purity <b>reconciled</b>" in text
    assert "<code>eq5</code>: eq. (5) <b>printed</b>" in text
    assert 'href="#reading-other-rule" title="Which rule?">other.rule</a>' in text


def test_the_run_has_hashes_versions_and_times(run):
    text = run.page()
    row = row_of(content_of(text, "sources-table"), 0)
    assert row == {
        "Data set": ["Car Evaluation", "https://example.org/car"],
        "Rows × columns": "1728 × 7",
        "Status": "available",
        "File": "car.data",
        "Route": "mirror",
        "Licence": "CC BY 4.0",
        "SHA-256": "ab" * 32,
        "Papers": "one",
        "Id": "car",
    }
    assert f'<td class="text">{version("numpy")}</td>' in text
    assert "Study seed: 7" in text
    assert "2 jobs were measured: 11.5 s of wall-clock time, 1.5 s of processor time" in text
    jobs = [row[0] for row in content_of(text, "timings-table")["rows"]]
    assert jobs == ["speed.none", "car.a_1.reconciled"]
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
    assert "could not be had" in text
    assert "car: no route put car.data into x_y" in text
    assert row_of(content_of(text, "sources-table"), 0)["Status"] == "unavailable"


def test_a_study_without_a_paper_alone(run):
    run.spec["papers"] = run.spec["papers"][1:]
    run.spec["sources"] = []
    run.write_ledger([], claims=0)
    text = run.page()
    assert "Nothing in this run has a printed number" in text
    assert "No data set of this run comes from a file" in text
    ids = {one.get("id") for one in Elements(text).all("section")}
    assert not {"numbers", "deviations"} & ids


def test_what_was_made_beside_the_run_says_so(run):
    assert "Not part of this run" not in run.page()
    run.spec["beside"] = {"mine": "0123"}
    assert "Not part of this run" in run.page()


def test_nothing_measured_is_said(run):
    run.spec["papers"] = run.spec["papers"][:1]
    (run.results / "benchmarks/trials/one/car.a_1.reconciled.tsv").unlink()
    assert "This run left no measured times" in run.page()


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
    rows = {row_of(content_of(page, "numbers-table"), i)["Id"] for i in range(4)}
    targets |= {target[1:] for target in re.findall(r'"(#[^"$]+)"\]', page)} - rows
    assert targets <= set(ids)
    assert len(ids) == len(set(ids))
    assert run.page() == page
