"""Sheets, tables and figures of artefacts."""

import json
import re
import xml.etree.ElementTree as ET

import pandas as pd
import pytest
from kit import ROOT, job_of, recorded, refused_calls
from matplotlib.text import Text
from report_run import sheet

from replication.errors import UserError
from replication.files import read_rows
from replication.judge.cells import Ours, not_run_lines, reasons
from replication.judge.verdicts import DIFFERS, EXACT, NOT_RUN, Reproduced
from replication.show import figures, tables
from replication.show.job import Job
from replication.show.sheet import Cell, Column, build
from replication.show.style import settled

DRAWN = ("fig03", "fig12", "fig15")
"""Figures of DILCA: qualities, curves, sizes."""


@pytest.fixture(params=DRAWN)
def drawn(request, catalog):
    """Specification of a figure, and the committed table that it shows."""
    spec = json.loads(catalog.spec("figure", paper="dilca", artefact=request.param))
    return spec, ROOT / f"figures/dilca/{request.param}.csv"


@pytest.mark.slow
def test_the_step_writes_the_same_bytes_twice(tmp_path, drawn):
    spec, table = drawn
    written = []
    for run in ("one", "two"):
        svg = tmp_path / f"{run}.svg"
        figures.run(spec, table, svg)
        written.append((svg.read_bytes(), svg.with_suffix(".pdf").read_bytes()))
    assert written[0] == written[1]
    svg, pdf = written[0]
    root = ET.fromstring(svg)
    assert root.tag.endswith("svg")
    texts = [one.text or "" for one in root.iter("{http://www.w3.org/2000/svg}text")]
    assert any(f"DILCA, {spec['label']}: " in one for one in texts)
    assert b"Date" not in svg.replace(b"DateTime", b"")
    assert pdf.startswith(b"%PDF")
    assert b"CreationDate" not in pdf


def test_no_two_texts_overlap(drawn):
    spec, table = drawn
    figure, _ = figures.draw(spec, read_rows(table))
    figure.draw_without_rendering()
    boxes = [
        # the text alone: an annotation counts its leader line as well
        (one.get_text(), Text.get_window_extent(one))
        for one in figure.findobj(Text)
        # numbers are tick labels, some of them outside the limits and not drawn
        if re.search(r"[^−.\d]", one.get_text()) and one.get_visible() and not one.get_rotation()
    ]
    page = figure.bbox
    for i, (text, box) in enumerate(boxes):
        assert page.x0 <= box.x0, text
        assert box.x1 <= page.x1, text
        assert page.y0 <= box.y0, text
        assert box.y1 <= page.y1, text
        for other, other_box in boxes[i + 1 :]:
            assert not box.overlaps(other_box), (text, other)


def test_ids_and_last_digits_do_not_depend_on_the_processor():
    one, other = (
        f'<path id="m{name}" d="M 43.{end} 1.5"/><use xlink:href="#m{name}" x="2.0"/>'
        f'<g clip-path="url(#p{name})" transform="scale(0.015625)"/><clipPath id="p{name}"/>'
        for name, end in (("0a1b2c3d4e", "892427"), ("ffffffffff", "892428"))
    )
    assert settled(one) == settled(other)
    assert settled(one) == (
        '<path id="shape_0" d="M 43.892 1.5"/><use xlink:href="#shape_0" x="2.0"/>'
        '<g clip-path="url(#shape_1)" transform="scale(0.015625)"/><clipPath id="shape_1"/>'
    )


def test_latex_is_one_table_with_booktabs():
    made = sheet("toy-fig01")
    made.columns.append(Column("note", "100 % of {it}", text=True))
    made.rows[1]["note"] = "x =~ y_2"
    made.rows[2]["o"] = Cell(verdict=NOT_RUN)
    text = tables.latex(made)
    assert text.count("\\begin{table}") == text.count("\\end{table}") == 1
    assert text.count("\\begin{tabular}{lrrl}") == text.count("\\end{tabular}") == 1
    assert [text.count(rule) for rule in ("\\toprule", "\\midrule", "\\bottomrule")] == [1, 1, 1]
    assert "\\multicolumn{2}{c}{A\\_1}" in text
    body = text.split("\\midrule")[1].split("\\bottomrule")[0].strip().splitlines()
    assert len(body) == 3
    assert all(len(re.findall(r"(?<!\\)&", line)) == 3 for line in body)
    assert "Car \\& co & 70.08 & 70.10 {[}68.00, 70.10{]} $\\sim$ &  \\\\" in text
    assert "$\\emptyset$" in text
    bare = re.sub(r"\\\\[{}]", "", text)
    assert bare.count("{") == bare.count("}")
    assert text.index("\\begin{adjustbox}") < text.index("\\begin{tabular}")
    assert text.index("\\end{tabular}") < text.index("\\end{adjustbox}")
    # what is left needs no package beyond an 8-bit input encoding
    assert text.isascii()


@pytest.mark.parametrize(
    ("text", "escaped"),
    [
        ("50%", r"50\%"),
        ("a_b & c#d", r"a\_b \& c\#d"),
        ("{x}^2", r"\{x\}\textasciicircum{}2"),
        ("\\", r"\textbackslash{}"),
        ("5 ± 1 ≠ 3 – 2", r"5 $\pm$ 1 $\neq$ 3 -- 2"),
        ("0.5 =†", r"0.5 =$\dagger$"),
        ("a < b", "a $<$ b"),
        ("$5", r"\$5"),
    ],
)
def test_latex_escapes(text, escaped):
    assert tables.latex_escape(text) == escaped


test_jobs_that_cannot_be_made_are_refused = refused_calls(
    UserError,
    [
        (lambda: figures.draw({"paper": "dilca", "kind": "poem"}, []), "poem"),
        (lambda: Job({"paper": "dilca"}), r"--spec of dilca/\? lacks 'artefact'"),
        (
            lambda: build(job_of("dilca", "fig99", kind="poem"), pd.DataFrame({"artefact": []})),
            "no function .poem",
        ),
    ],
)


@pytest.mark.parametrize(
    ("cell", "text"),
    [
        (Cell(), ""),
        (Cell("words"), "words"),
        (Cell(7), "7"),
        (Cell(0.25), "0.25"),
        (Cell(-0.001, 2), "0.00"),
        (Cell(0.5, 1, 100, sd=0.02), "50.0 ± 2.0"),
        (Cell(12345.6, ".3g"), "1.23e+04"),
        (Cell(0.1, "+.1f", 100), "+10.0"),
        (Cell(0.5, 2, spread=(0.5, 0.5)), "0.50"),
        (Cell(0.5, 2, spread=(0.4, 0.6), verdict=EXACT, aside="†"), "0.50 [0.40, 0.60] =†"),
        (Cell(0.5, 2, sign=" +"), "0.50 +"),
        (Cell(0.5, 2, aside="†"), "0.50†"),
        (Cell(verdict=NOT_RUN), "∅"),
    ],
)
def test_a_cell_says_what_it_holds(cell, text):
    assert cell.text == text


NAMED = [{"id": "vote", "printed": "Vote"}, {"id": "zoo", "printed": "Zoo"}]


def test_every_printed_number_is_judged_under_every_reading():
    readings = ["reconciled", "literal"]
    job = job_of("toy", "table1", label="Table 1", readings=readings, datasets=NAMED)
    plain = {"paper": "toy", "artefact": "table1", "method": "A", "method_id": "a", "std": ""}
    plain |= {"metric": "nmi", "note": ""}
    cells = pd.DataFrame(
        {**plain, "id": name, "dataset": name.title(), "dataset_id": name}
        | {"value": text, "printed": text}
        for name, text in {"vote": "0.50", "zoo": "0.75", "car": ""}.items()
    )
    values = {("vote", "reconciled"): 0.5, ("vote", "literal"): 0.9}

    def ours(cell, reading):
        value = values.get((cell["dataset_id"], reading))
        if value is None:
            return Ours("nobody has it")
        said = lambda first: f"first: {first}"  # noqa: E731
        return Ours(Reproduced(value), if_differs=said, more={"label": "A_1"})

    data = job.judged(cells, ours)
    assert [(one["dataset"], one["reading"], one["verdict"]) for one in data] == [
        ("vote", "reconciled", EXACT),
        ("vote", "literal", DIFFERS),
        ("zoo", "reconciled", NOT_RUN),
        ("zoo", "literal", NOT_RUN),
    ]
    assert [one["reason"] for one in data[1:3]] == [f"first: {EXACT}", "nobody has it"]
    assert (data[0]["printed_name"], data[0]["printed_value"]) == ("Vote", 0.5)
    assert [one.get("label") for one in data] == ["A_1", "A_1", None, None]
    assert len(job.judged(cells, ours, ["reconciled"])) == 2
    assert len(job.judged(cells, ours, lambda cell: ["literal"])) == 2
    assert reasons(cells, data) == ["∅ Zoo: not run, nobody has it."]


def test_an_experiment_says_what_it_lacks_and_why(tmp_path):
    rows = [
        {"dataset": "vote", "nmi": 0.5},
        {"dataset": "zoo", "status": "unavailable", "reason": "gone"},
    ]
    inputs = [recorded(tmp_path / "found.parquet", rows, experiment="found")]
    job = job_of("toy", "table1", datasets=NAMED, inputs=inputs, experiments=["found"])
    assert [one["nmi"] for one in job.rows("found")] == [0.5]
    assert job.absent("found", "vote") == ""
    assert job.not_run("found") == ["Not run: Zoo: gone."]
    assert not_run_lines({"Zoo": job.absent("found", "zoo")}) == ["∅ Zoo: not run, gone."]
