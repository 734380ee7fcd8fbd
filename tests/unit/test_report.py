import base64
import csv
import json
import re
from html.parser import HTMLParser
from pathlib import Path

import pytest

from replication.errors import UserError
from replication.files import rows_text, write_json
from replication.judge.cells import VERDICT_COLUMNS, not_run, verdict_row
from replication.judge.claims import COLUMNS as CLAIM_COLUMNS
from replication.judge.ledger import (
    CHANGE_COLUMNS,
    DEVIATION_COLUMNS,
    UNAVAILABLE_COLUMNS,
    UNEXPLAINED,
    deviations,
)
from replication.judge.verdicts import Reproduced, verdict
from replication.plan.catalog import Catalog
from replication.plan.configuration import read_yaml
from replication.report import pages, widgets
from replication.report.drawings import time_bars, verdict_bars
from replication.report.gather import Timing, gather, package_names, timings, version
from replication.report.site import bundle, embed, script, style
from replication.show import tables
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
            "papers": [self.paper("one", ["tab1"]), self.paper("mine", ["own_1"], readings=[])],
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

    def paper(self, name, artefacts, readings=("reconciled", "printed")):
        choices = [
            {
                "question": "Which <index>?",
                "answers": dict.fromkeys(readings, "inverse"),
                "evidence": "57 of 60 tables",
            }
        ]
        return {
            "id": name,
            "title": f"On the _{name}_ of #things",
            "citation": "A. Author, 2012.",
            "readings": list(readings),
            "choices": choices if readings else [],
            "artefacts": [
                {"id": one, "label": "Table 1", "outputs": ["table", "figure"]} for one in artefacts
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
                "evidence": "9 of 11 hold",
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
        return gather(self.spec, PROJECT)

    def documents(self):
        return pages.documents(self.gather())


@pytest.fixture
def run(tmp_path):
    return Run(tmp_path)


def content_of(text, name):
    """Content of a table that is filled in the browser."""
    match = re.search(rf'<script type="application/json" id="{name}-content">(.*?)</script>', text)
    return json.loads(match[1])


# ------------------------------------------------------------------------------ gathering


def test_artefacts_come_in_the_order_of_the_papers_with_their_parts(run):
    first, second = run.gather().artefacts
    assert (first.paper, first.name, first.anchor) == ("one", "tab1", "one-tab1")
    assert first.title == "Table 1: purity &amp; &lt;more&gt; of A_1"
    assert first.caption == "2 of 3 numbers are &lt;exact&gt;."
    assert first.table.startswith("<thead>")
    assert first.table.endswith("</tbody>")
    assert first.legend == "<li>= exact; ~ within noise</li>"
    assert first.svg == SVG
    assert first.command == (
        f"snakemake --cores all {run.figures}/one/tab1.svg --configfile config/quick.yaml"
    )
    assert second.paper == "mine"


def test_an_artefact_without_a_figure_is_made_by_its_table(run):
    run.spec["papers"][0]["artefacts"][0]["outputs"] = ["table"]
    run.spec["overlay"] = ""
    first = run.gather().artefacts[0]
    assert first.svg is None
    assert first.command == f"snakemake --cores all {run.figures}/one/tab1.html"
    assert [Path(name).suffix for name in first.files] == [".html", ".csv", ".md", ".tex"]


def test_missing_files_are_named(run):
    (run.figures / "one/tab1.svg").unlink()
    with pytest.raises(UserError, match=r"tab1\.svg: cannot be read"):
        run.gather()
    (run.figures / "one/tab1.html").write_text("<h1>x</h1>", encoding="utf-8")
    (run.figures / "one/tab1.svg").write_bytes(SVG)
    with pytest.raises(UserError, match=r"tab1\.html: no caption, table; delete it"):
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


def test_cells_of_a_papers_table_say_how_they_sort():
    table = widgets.sortable(tables.html(sheet("one-tab1")))
    cells = [one.get("data-order") for one in Elements(table).all("td")]
    assert cells == ["70.08", "70.10", "1234", "-91.95", "61", "-1e999"]
    groups = [one for one in Elements(table).all("th") if one.get("scope") == "colgroup"]
    assert [one["data-dt-order"] for one in groups] == ["disable"]


def test_data_inside_a_script_cannot_end_it():
    text = widgets.script_json({"a": "</script><!-- <b>"})
    assert "<" not in text
    assert json.loads(text) == {"a": "</script><!-- <b>"}


def test_pictures_are_inside_and_described():
    (image,) = Elements(widgets.picture(SVG, 'a "b" <c>')).all("img")
    assert image["alt"] == 'a "b" <c>'
    assert base64.b64decode(image["src"].partition("base64,")[2]) == SVG


def test_markdown_finds_no_markup_in_text():
    assert pages.markdown_text("A_1 &amp; *b* [c](d) #1 ~ $x$") == (
        r"A\_1 \& \*b\* \[c\](d) \#1 \~ \$x\$"
    )


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


def test_every_chapter_and_artefact_is_a_page(run):
    found = run.documents()
    assert list(found) == [
        "index",
        "overview",
        "paper-one",
        "one-tab1",
        "paper-mine",
        "mine-own-1",
        "deviations",
        "claims",
        "numbers",
        "provenance",
    ]
    assert "effort **quick**: few repetitions" in found["index"]


def test_overview_counts_by_paper_artefact_and_method(run):
    text = run.documents()["overview"]
    assert text.startswith("# Overview\n\n4 printed numbers were judged")
    assert re.search(
        r'<tr><th scope="row" class="text">one</th><td class="text">reconciled</td>'
        r"<td>4</td><td>1</td><td>0</td><td>2</td><td>0</td><td>1</td><td>33 %</td></tr>",
        text,
    )
    (row,) = content_of(text, "by-artefact")["rows"]
    assert row[:3] == ["one", ["Table 1: purity & <more> of A_1", "#one-tab1"], "reconciled"]
    (row,) = content_of(text, "by-method")["rows"]
    assert row[:3] == ["one", "a_1", "reconciled"]
    assert [cell and cell[0] for cell in row[3:]] == ["4", "1", "0", "2", "0", "1", "33 %"]


def test_a_section_has_readings_table_figure_and_command(run):
    text = run.documents()["one-tab1"]
    assert text.startswith("(one-tab1)=\n# Table 1: purity \\& \\<more\\> of A\\_1\n")
    assert "1 rest on the class labels (oracle)" in text
    assert '<th scope="row">Car &amp; co</th>' in text
    assert base64.b64encode(SVG).decode() in text
    assert "tab1.svg --configfile config/quick.yaml" in text
    assert 'data-search="one tab1"' in text
    assert "data-search" not in run.documents()["mine-own-1"]


def test_deviations_are_sorted_by_size_and_say_why(run):
    text = run.documents()["deviations"]
    assert "2 verdicts, over all readings, say *differs*; 1 of them are unexplained" in text
    rows = content_of(text, "deviations-table")["rows"]
    assert [row[3] for row in rows] == ["vote", "zoo"]
    assert rows[0][7:] == [
        ["91.95%", 0.9195],
        ["50.000%", 0.5],
        ["-41.950%", -0.4195],
        "the </script> file is *short*",
        "",
    ]
    assert rows[1][-2] == UNEXPLAINED


def test_changes_are_shown_where_there_are_any(run):
    assert "changes-table" not in run.documents()["deviations"]
    change = dict(zip(CHANGE_COLUMNS, ("x", "printed", "exact", "differs", "yes"), strict=True))
    run.write_ledger(ledger_rows("one"), changes=[change])
    rows = content_of(run.documents()["deviations"], "changes-table")["rows"]
    assert rows == [["x", "printed", "exact", "differs", "yes"]]


def test_claims_lead_to_their_evidence(run):
    (row,) = content_of(run.documents()["claims"], "claims-table")["rows"]
    assert row == [
        "one-01",
        "mixed",
        "A_1 is <best>",
        "9/11",
        "11/11",
        "9 of 11 hold",
        ["tab1", "#one-tab1"],
        "all much",
        "Section 2",
        "one",
    ]


def test_a_number_without_a_section_has_no_link(run):
    run.spec["papers"][0]["artefacts"] = []
    text = run.documents()["numbers"]
    assert {tuple(row[1]) for row in content_of(text, "numbers-table")["rows"]} == {("tab1", "")}


def test_all_numbers_are_in_the_ledger_of_the_page(run):
    text = run.documents()["numbers"]
    with (run.results / "ledger/verdicts.csv").open(encoding="utf-8", newline="") as stream:
        ledger = list(csv.DictReader(stream))
    rows = content_of(text, "numbers-table")["rows"]
    assert [(row[2], row[8]) for row in rows] == [
        (row["dataset"], row["verdict"]) for row in ledger
    ]
    assert rows[3][7] is None


def test_provenance_has_hashes_versions_and_times(run):
    text = run.documents()["provenance"]
    (row,) = content_of(text, "sources-table")["rows"]
    assert row == [
        "car",
        "Car Evaluation",
        "one",
        "mirror",
        "available",
        "1728 × 7",
        "car.data",
        "ab" * 32,
        "CC BY 4.0",
    ]
    assert f'<td class="text">{version("numpy")}</td>' in text
    assert "Study seed: 7" in text
    assert "2 jobs were measured: 11.5 s of wall-clock time, 1.5 s of processor time" in text
    assert [row[2] for row in content_of(text, "timings-table")["rows"]] == [
        "speed.none",
        "car.a_1.reconciled",
    ]
    before, machine = text.split("(machine)=")
    assert "This section depends on the machine" in machine
    assert "Cores" in machine
    assert "Cores" not in before


def test_what_could_not_be_had_is_said_with_a_remedy(run):
    source = run.place / "raw/car/source.json"
    write_json(source, {"dataset": "car", "status": "unavailable", "files": [], "route": ""})
    lost = {"dataset": "car", "reason": "no route", "remedy": "put car.data into x_y"}
    (run.results / "ledger/unavailable.csv").write_text(
        rows_text(UNAVAILABLE_COLUMNS, [lost]), encoding="utf-8"
    )
    found = run.documents()
    assert "could not be had" in found["overview"]
    assert "car: no route put car.data into x\\_y" in found["provenance"]
    assert content_of(found["provenance"], "sources-table")["rows"][0][4:8] == [
        "unavailable",
        "",
        "",
        "",
    ]


def test_a_study_without_a_paper_alone(run):
    run.spec["papers"] = run.spec["papers"][1:]
    run.spec["sources"] = []
    run.write_ledger([], claims=0)
    found = run.documents()
    assert list(found) == ["index", "overview", "paper-mine", "mine-own-1", "provenance"]
    assert "Nothing in this run has a printed number" in found["overview"]
    assert "No data set of this run comes from a file" in found["provenance"]


def test_nothing_measured_is_said(run):
    run.spec["papers"] = run.spec["papers"][:1]
    (run.results / "benchmarks/trials/one/car.a_1.reconciled.tsv").unlink()
    assert "This run left no measured times" in run.documents()["provenance"]


# ------------------------------------------------------------------------------ the page


def test_style_sheets_and_scripts_go_inside(tmp_path):
    static = tmp_path / "_static"
    static.mkdir()
    (static / "a.css").write_text("b { background: url('a.png') } i { mask: url(data:x) }")
    (static / "a.png").write_bytes(b"png")
    (static / "a.js").write_text('"</script>"')
    page = (
        '<head><link rel="stylesheet" type="text/css" href="_static/a.css?v=1">'
        '</head><body><script src="_static/a.js?v=2"></script></body>'
    )
    page = embed(page, tmp_path)
    assert "_static" not in page
    assert f"url(data:image/png;base64,{base64.b64encode(b'png').decode()})" in page
    assert "url(data:x)" in page
    assert '"<\\/script>"' in page
    assert script(static / "a.js") == '"<\\/script>"'
    assert "a.png" not in style(static / "a.css")
    stored = re.search(r'id="datatables">([^<]*)</script>', page)[1]
    assert base64.b64decode(stored).decode() == bundle("js")


def test_a_page_refers_to_nothing_outside(run):
    from replication.report.site import build

    page = build(run.documents())
    elements = Elements(page)
    for tag, attrs in elements.found:
        for name in ("src", "href", "data", "poster", "srcset"):
            address = attrs.get(name, "")
            if tag == "a" and address.startswith("https://"):
                continue  # a link, followed only when clicked
            assert address.startswith(("#", "data:")) or not address, (tag, attrs)
    assert not re.search(r"@import|url\((?!['\"]?(?:data:|#))", page)
    ids = [attrs["id"] for _, attrs in elements.found if "id" in attrs]
    targets = {a["href"][1:] for a in elements.all("a") if a["href"].startswith("#")} - {""}
    targets |= {target[1:] for target in re.findall(r'"(#[^"]+)"\]', page)}
    assert targets <= set(ids)
    assert {"one-tab1", "mine-own-1", "numbers-table", "machine"} <= set(ids)
    repeated = {one for one in ids if ids.count(one) > 1}
    assert not repeated
    assert build(run.documents()) == page


def test_a_mistake_in_a_page_is_not_passed_over():
    from replication.report.site import build

    with pytest.raises(RuntimeError, match=r"Sphinx: .*nowhere"):
        build({"index": "# A\n\n```{toctree}\nnowhere\n```\n"})


# ------------------------------------------------------------------------------ the catalogue


@pytest.fixture(scope="module")
def catalog():
    return Catalog.load(read_yaml(ROOT / "config/config.yaml", "config"), ROOT)


def test_the_rule_names_all_files_that_the_page_shows(catalog):
    spec, inputs = json.loads(catalog.spec("report")), catalog.inputs("report")
    named = set(inputs["artefacts"])
    for paper in spec["papers"]:
        for entry in paper["artefacts"]:
            base = f"{spec['roots']['figures']}/{paper['id']}/{entry['id']}"
            assert {f"{base}.{kind}" for kind in ("html", "csv", "md", "tex")} <= named
            assert (f"{base}.svg" in named) == ("figure" in entry["outputs"])
    assert {Path(name).name for name in inputs["ledger"]} == {
        "verdicts.csv",
        "claims.csv",
        "deviations.csv",
        "changes.csv",
        "unavailable.csv",
    }
    assert {Path(name).suffix for name in inputs["assets"]} == {".css", ".js", ".jinja"}
    assert all((ROOT / name).is_file() for name in inputs["assets"])


def test_the_specification_fits_on_a_command_line(catalog):
    # Linux allows 128 KiB for one argument, and a shell command is one
    assert len(catalog.spec("report").replace("'", "'\"'\"'")) < 100_000


def test_the_overlay_of_an_effort_is_part_of_the_commands():
    config = read_yaml(ROOT / "config/config.yaml", "config")
    for effort, overlay in (
        ("quick", " --configfile config/quick.yaml"),
        ("full", ""),
        ("other", ""),
    ):
        loaded = Catalog.load({**config, "effort": effort}, ROOT)
        assert json.loads(loaded.spec("report"))["overlay"] == overlay
