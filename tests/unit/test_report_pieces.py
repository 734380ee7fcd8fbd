"""What the report reads, and the pieces it is made of."""

import base64
import json
import re
from dataclasses import replace
from pathlib import Path

import pytest
from report_run import PROJECT, SVG, Elements, Run, sheet

from replication.errors import UserError
from replication.judge.verdicts import DIFFERS, NOT_COMPARABLE, WITHIN_NOISE
from replication.report import pages, widgets
from replication.report.drawings import time_bars, verdict_bars
from replication.report.gather import Timing, package_names, timings, version
from replication.report.grid import WIDTH, cell, read
from replication.show import tables
from replication.show.rollup import LOOKS, verdict_colours
from replication.show.sheet import Cell, Column


@pytest.fixture
def run(tmp_path):
    return Run(tmp_path)


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
    assert first.files[0] == (f"{run.figures}/one/tab1.csv", "../figures/one/tab1.csv")
    assert second.paper == "mine"


def test_an_artefact_without_a_figure_is_made_by_its_table(run):
    run.spec["papers"][0]["artefacts"][0]["outputs"] = ["table"]
    run.spec["overlay"] = ""
    first = run.gather().artefacts[0]
    assert first.svg is None
    assert first.command == f"snakemake --cores all {run.figures}/one/tab1.md"
    assert [Path(name).suffix for name, _ in first.files] == [".csv", ".md"]


def test_missing_files_are_named(run):
    (run.figures / "one/tab1.svg").unlink()
    with pytest.raises(UserError, match=r"tab1\.svg: cannot be read"):
        run.gather()
    (run.figures / "one/tab1.svg").write_bytes(SVG)
    path = run.figures / "one/tab1.json"
    content = json.loads(path.read_text(encoding="utf-8"))
    path.write_text(json.dumps(content | {"columns": [{"x": 1}]}), encoding="utf-8")
    with pytest.raises(UserError, match=r"tab1\.json: no table .*; delete it, run again"):
        run.gather()
    path.write_text("{}", encoding="utf-8")
    with pytest.raises(UserError, match=r"tab1\.json: lacks 'title'"):
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
    assert {"numpy", "snakemake", "sphinx", "furo", "rocrate"} <= set(names)
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
    grid = read(json.loads(tables.sheet_json(sheet("one-tab1"))))
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


@pytest.mark.parametrize(
    ("made", "parts"),
    [
        (
            Cell(0.5, 1, spread=(0.4, 0.6), verdict=WITHIN_NOISE),
            ("0.5 [0.4, 0.6]", "within noise", "~", ""),
        ),
        (Cell(46.02, 2, verdict=DIFFERS, oracle=True), ("46.02", "differs", "≠", "†")),
        (Cell(verdict=NOT_COMPARABLE), ("", "not comparable", "–", "")),
        (Cell("0–0.9 ="), ("0–0.9 =", "", "", "")),
        (Cell(float("nan")), ("nan", "", "", "")),
        (Cell(), ("", "", "", "")),
    ],
)
def test_a_cell_comes_to_the_report_as_it_was_made(made, parts):
    found = cell(**json.loads(json.dumps(made.record())))
    assert (found.text, found.verdict, found.mark, found.sign) == parts


def test_a_wide_table_shows_what_is_printed_and_ours_first():
    many = sheet("one-tab1")
    columns = [
        Column(f"{head}{i}", head, f"Method {i}")
        for i in range(9)
        for head in ("setting-by-oracle", "printed", "ours")
    ]
    rows = [{"dataset": "Car", **{column.key: "0.12345" for column in columns}}]
    grid = read(replace(many, columns=[many.columns[0], *columns], rows=rows).record())
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
    assert grid.widths()[2:4] == [9, 9]
    for width in range(20, 200):  # never a printed number without ours
        few = grid.fitting(width)
        assert few[2::3] == few[3::3]


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
    rules = verdict_colours()
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
    for some in (words, widgets.Words({})):
        assert some("call `f(<x>)` now") == "call <code>f(&lt;x&gt;)</code> now"


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
