"""Step `table`: write a printed table, or the numbers of a printed figure, together with ours.

The table is written as CSV with all data, as Markdown and LaTeX for readers, and as JSON for the
report; the verdicts on its printed numbers as CSV.
"""

import json
import re
from dataclasses import replace
from pathlib import Path
from typing import Any

import pandas as pd

from replication.files import write_rows, write_text
from replication.judge.cells import VERDICT_COLUMNS, ill_posed_lines
from replication.judge.published import load, nothing_printed
from replication.show.job import Job
from replication.show.sheet import Sheet, build

_TAG = re.compile(r"<(?=[A-Za-z/!?])")


def run(spec: dict[str, Any], published: Path, csv: Path, verdicts: Path) -> None:
    """Run the step."""
    job, prints = Job(spec), spec.get("prints", True)
    sheet = build(job, load(job.paper, published) if prints else nothing_printed())
    sheet = replace(sheet, legend=[*sheet.legend, *ill_posed_lines(sheet.verdicts)])
    write_rows(csv, sheet.data_columns, sheet.data)
    write_text(csv.with_suffix(".md"), markdown(sheet))
    write_text(csv.with_suffix(".tex"), latex(sheet))
    write_text(csv.with_suffix(".json"), sheet_json(sheet))
    write_rows(verdicts, VERDICT_COLUMNS, sheet.verdicts)


def sheet_json(sheet: Sheet) -> str:
    """Return the JSON of a sheet, with a line per row."""
    line = json.JSONEncoder(ensure_ascii=False, allow_nan=False).encode
    record = sheet.record()
    rows = ",\n".join(map(line, record.pop("rows")))
    return f'{line(record)[:-1]}, "rows": [\n{rows}\n]}}\n'


def markdown(sheet: Sheet) -> str:
    """Return the Markdown of a sheet: heading, caption, table, legend."""
    heads = [_markdown_cell(f"{column.group} {column.head}".strip()) for column in sheet.columns]
    body = [[_markdown_cell(cell.text) for cell in sheet.cells(row)] for row in sheet.rows]
    table = pd.DataFrame(body, columns=heads).to_markdown(
        index=False,
        disable_numparse=True,
        colalign=["left" if column.text else "right" for column in sheet.columns],
    )
    above = _markdown_text(f"# {sheet.title}\n\n{sheet.caption}")
    legend = _markdown_text("\n".join(f"- {line}" for line in sheet.legend))
    return f"{above}\n\n{table}\n\n{legend}\n"


def _markdown_text(text: str) -> str:
    """Return a text in which ``<`` starts no tag."""
    return _TAG.sub("&lt;", text)


def _markdown_cell(text: str) -> str:
    """Return such a text in one line, with ``|`` escaped."""
    return _markdown_text(" ".join(text.splitlines()).replace("|", "\\|"))


_LATEX = {
    "\\": r"\textbackslash{}",
    "&": r"\&",
    "%": r"\%",
    "$": r"\$",
    "#": r"\#",
    "_": r"\_",
    "{": r"\{",
    "}": r"\}",
    "~": r"$\sim$",
    "^": r"\textasciicircum{}",
    "<": "$<$",
    ">": "$>$",
    "≠": r"$\neq$",
    "∅": r"$\emptyset$",
    "–": "--",
    "−": "$-$",
    "±": r"$\pm$",
    "≤": r"$\leq$",
    "≥": r"$\geq$",
    "×": r"$\times$",
    "σ": r"$\sigma$",
    "†": r"$\dagger$",
    "[": "{[}",
    "]": "{]}",
    "*": r"$\ast$",
}


def latex_escape(text: str) -> str:
    """Return a text with LaTeX characters escaped, for pdfTeX and Unicode engines."""
    return "".join(_LATEX.get(mark, mark) for mark in text)


def latex(sheet: Sheet) -> str:
    """Return the LaTeX ``table`` environment of a sheet, no larger than the page.

    Needs the packages booktabs and adjustbox.
    """
    groups = [latex_escape(column.group) for column in sheet.columns]
    heads = [latex_escape(column.head) for column in sheet.columns]
    rows = [[latex_escape(cell.text) for cell in sheet.cells(row)] for row in sheet.rows]
    lines = [
        "% needs \\usepackage{booktabs,adjustbox}",
        "\\begin{table}",
        "\\centering\\footnotesize\\setlength{\\tabcolsep}{3pt}",
        f"\\caption{{{latex_escape(sheet.title)}. {latex_escape(sheet.caption)}}}",
        f"\\label{{tab:{sheet.name}}}",
        "\\begin{adjustbox}{max width=\\linewidth,max totalheight=.75\\textheight}",
        pd.DataFrame(rows, columns=[groups, heads] if any(groups) else heads)
        .to_latex(
            index=False,
            escape=False,
            column_format="".join("l" if column.text else "r" for column in sheet.columns),
            multicolumn_format="c",
        )
        .rstrip(),
        "\\end{adjustbox}",
        "",
        "\\medskip",
        "\\begin{minipage}{\\linewidth}\\footnotesize\\raggedright",
        *(latex_escape(line) + "\\par" for line in sheet.legend),
        "\\end{minipage}",
        "\\end{table}",
    ]
    return "\n".join(lines) + "\n"
