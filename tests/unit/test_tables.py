import re

import pandas as pd
import pytest

from replication.errors import UserError
from replication.judge.verdicts import EXACT, NOT_RUN, WITHIN_NOISE
from replication.show import tables
from replication.show.job import Job
from replication.show.sheet import Cell, Column, Sheet, build


@pytest.fixture
def sheet():
    near = Cell(70.1, 2, spread=(68.0, 70.1), verdict=WITHIN_NOISE)
    return Sheet(
        name="toy-fig01",
        title="Fig. 1: purity & <more> of A_1",
        caption="2 of 3 comparable numbers are exact.",
        columns=[
            Column("dataset", "Data set", text=True),
            Column("a.paper", "printed", "A_1"),
            Column("a.ours", "ours", "A_1"),
            Column("note", "100 % of {it}", text=True),
        ],
        rows=[
            {"dataset": "Car & co", "a.paper": "70.08", "a.ours": near},
            {
                "dataset": "Vote",
                "a.paper": "91.95",
                "a.ours": Cell("91.95", verdict=EXACT),
                "note": "x =~ y_2",
            },
            {"dataset": "Adult", "a.paper": "61", "a.ours": Cell(verdict=NOT_RUN)},
        ],
        legend=["= exact; ~ within noise; ≠ differs", "sigma: oracle choice"],
        data=[{"dataset": "car", "x": 0.1}, {"dataset": 'a "quoted", one'}],
        data_columns=["dataset", "x"],
    )


def test_latex_is_one_table_with_booktabs(sheet):
    text = tables.latex(sheet)
    assert text.count("\\begin{table}") == text.count("\\end{table}") == 1
    assert text.count("\\begin{tabular}{lrrl}") == text.count("\\end{tabular}") == 1
    assert [text.count(rule) for rule in ("\\toprule", "\\midrule", "\\bottomrule")] == [1, 1, 1]
    assert "\\multicolumn{2}{c}{A\\_1}" in text
    assert "\\cmidrule(lr){2-3}" in text
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


def test_markdown_has_caption_table_and_legend(sheet):
    text = tables.markdown(sheet)
    lines = text.splitlines()
    assert lines[0] == "# " + sheet.title.replace("<more>", "&lt;more>")  # no tag in any viewer
    assert sheet.caption.replace("<more>", "&lt;more>") in lines
    grid = [line for line in lines if line.startswith("|")]
    assert len(grid) == 2 + len(sheet.rows)
    assert "A_1 printed" in grid[0]
    assert "70.08" in grid[2]
    assert lines[-1] == "- sigma: oracle choice"


def test_a_specification_names_what_is_missing():
    with pytest.raises(UserError, match=r"--spec of dilca/\? lacks 'artefact'"):
        Job({"paper": "dilca"})


def test_a_kind_without_function_is_refused():
    names = ("artefact", "label", "readings", "datasets", "methods", "left_out", "inputs")
    job = Job(
        {name: [] for name in names} | {"paper": "dilca", "artefact": "fig99", "kind": "poem"}
    )
    with pytest.raises(UserError, match=r"no function .poem"):
        build(job, pd.DataFrame({"artefact": []}))
