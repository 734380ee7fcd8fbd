"""What the report reads, and the pieces it is made of."""

import base64
import re
from dataclasses import replace

import pytest
from report_run import PROJECT, SVG, Elements, Run, sheet

from replication.errors import UserError
from replication.files import write_rows
from replication.judge.claims import CASE_COLUMNS
from replication.judge.verdicts import DIFFERS, NOT_COMPARABLE, WITHIN_NOISE
from replication.report import widgets
from replication.report.gather import package_names, version
from replication.show import tables
from replication.show.sheet import Cell, Column, folded


@pytest.fixture
def run(tmp_path):
    return Run(tmp_path)


# ------------------------------------------------------------------------------ gathering


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


# ------------------------------------------------------------------------------ pieces


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
            Cell(46.02, 2, verdict=DIFFERS, oracle=True),
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


def wide_sheet():
    columns = [
        Column(f"{head}{i}", head, f"Method {i}", main=head != "setting-by-oracle")
        for i in range(9)
        for head in ("setting-by-oracle", "printed", "ours")
    ]
    one = sheet("one-tab1")
    rows = [{"dataset": "Car", **{column.key: "0.12345" for column in columns}}]
    return replace(one, columns=[one.columns[0], *columns], rows=rows)


def test_a_wide_table_folds_what_is_neither_printed_nor_ours(run):
    made = wide_sheet()
    heads = made.record()["columns"]
    shown = [one["head"] for one in heads if "fold" not in one]
    assert shown[0] == "Data set"
    assert set(shown[1:]) == {"printed", "ours"}
    rows = [made.cells(row) for row in made.rows]
    assert folded(made.columns, rows, 10_000) == set()
    for width in range(20, 200):  # never a printed number without ours
        few = folded(made.columns, rows, width)
        assert 0 not in few
        assert [i in few for i in range(2, 28, 3)] == [i in few for i in range(3, 28, 3)]
    (run.figures / "one/tab1.json").write_text(tables.sheet_json(made), encoding="utf-8")
    text = run.page()
    assert 'colspan="2" data-all="3" data-few="2">Method 0</th>' in text
    assert '<button type="button" data-columns>All 28 columns</button>' in text
    assert "All 4 columns" not in text


def test_the_cases_of_a_claim_are_a_table_without_empty_columns(run):
    rows = [
        {"case": "Adult <b>", "ours": 0.123456, "holds": False, "n": 1},
        {"case": "Zoo", "ours": 0.9, "holds": True, "n": 1},
    ]
    write_rows(run.figures / "one/claims/one-01.csv", CASE_COLUMNS, rows)
    text = run.page()
    assert "<th>Case</th><th>Reproduced</th><th>Holds</th></tr>" in text
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
    words = widgets.Words({"a.b": {"question": "Why?"}, "a.b_c": {"question": "How <so>?"}})
    text = words("see `a.b_c`, a.b and xa.b or a.bc & co")
    assert 'href="#reading-a-b-c" title="How &lt;so&gt;?">a.b_c</a>, ' in text
    assert text.count("<a ") == 2
    assert text.endswith("xa.b or a.bc &amp; co")
    assert widgets.Words({})("a.b <i>") == "a.b &lt;i&gt;"
    for some in (words, widgets.Words({})):
        assert some("call `f(<x>)` now") == "call <code>f(&lt;x&gt;)</code> now"
