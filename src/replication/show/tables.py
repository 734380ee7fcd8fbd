"""Step `table`: one printed table, or the numbers of one printed figure, beside ours.

Writes the same table five times (CSV with everything; Markdown, LaTeX and HTML for reading; JSON
with the cells of these for the report) and the verdict of every printed number.
"""

from __future__ import annotations

import argparse
import itertools
import json
import re
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from replication.files import check_seals, files_of, seal, write_records, write_rows, write_text
from replication.judge.cells import VERDICT_COLUMNS, ill_posed_lines
from replication.judge.published import load, nothing_printed
from replication.show.job import Job
from replication.show.rollup import verdict_colours
from replication.show.sheet import Column, Sheet, build
from replication.steps import specification

if TYPE_CHECKING:
    from markupsafe import Markup

_TAG = re.compile(r"<(?=[A-Za-z/!?])")
_BACKTICKS = re.compile(r"`([^`]+)`")


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments of the step."""
    parser.add_argument("--spec", required=True, help="artefact and its inputs (JSON)")
    parser.add_argument("--inputs", type=Path, nargs="*", default=[], help="files named in --spec")
    parser.add_argument("--published", type=Path, required=True, help="folder of printed numbers")
    for name in ("csv", "markdown", "latex", "html", "sheet", "verdicts"):
        parser.add_argument(f"--{name}", type=Path, required=True, help=f"output ({name})")


def run(args: argparse.Namespace) -> int:
    """Run the step."""
    job = Job(specification(args.spec))
    check_seals(files_of(args.inputs))
    own = job.spec.get("own", False)
    sheet = build(job, nothing_printed() if own else load(job.paper, args.published))
    sheet = replace(sheet, legend=[*sheet.legend, *ill_posed_lines(sheet.verdicts)])
    write_rows(args.csv, sheet.data_columns, sheet.data)
    write_text(args.markdown, markdown(sheet))
    write_text(args.latex, latex(sheet))
    write_text(args.html, html(sheet))
    write_text(args.sheet, sheet_json(sheet))
    write_records(args.verdicts, VERDICT_COLUMNS, sheet.verdicts)
    # the table itself goes to the readers, its digest stays with the results
    seal(args.csv, job.need("seal"))
    return 0


def sheet_json(sheet: Sheet) -> str:
    """JSON of a sheet, a line per row."""

    def line(content: Any) -> str:
        return json.dumps(content, ensure_ascii=False, allow_nan=False)

    record = sheet.record()
    rows = ",\n".join(map(line, record.pop("rows")))
    return f'{line(record)[:-1]}, "rows": [\n{rows}\n]}}\n'


def markdown(sheet: Sheet) -> str:
    """Markdown of a sheet: heading, caption, table, legend."""
    import pandas as pd

    heads = [_markdown_cell(f"{column.group} {column.head}".strip()) for column in sheet.columns]
    body = [[_markdown_cell(cell.text) for cell in sheet.cells(row)] for row in sheet.rows]
    table = pd.DataFrame(body, columns=heads).to_markdown(
        index=False,
        disable_numparse=True,
        colalign=["left" if column.text else "right" for column in sheet.columns],
    )
    legend = "\n".join(f"- {_markdown_text(line)}" for line in sheet.legend)
    title, caption = _markdown_text(sheet.title), _markdown_text(sheet.caption)
    return f"# {title}\n\n{caption}\n\n{table}\n\n{legend}\n"


def _markdown_text(text: str) -> str:
    """Text in which a name opens no tag."""
    return _TAG.sub("&lt;", text)


def _markdown_cell(text: str) -> str:
    """Text that, besides, ends no cell and starts no line."""
    return _markdown_text(" ".join(text.splitlines()).replace("|", "\\|"))


# --- LaTeX --------------------------------------------------------------------------------------

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
    """Text in which LaTeX finds no command, for pdfTeX as well as for Unicode engines."""
    return "".join(_LATEX.get(mark, mark) for mark in text)


def latex(sheet: Sheet) -> str:
    """LaTeX ``table`` environment of a sheet, no larger than the page.

    Needs the packages booktabs and adjustbox.
    """
    grouped = [list(run) for _, run in itertools.groupby(sheet.columns, key=lambda c: c.group)]
    lines = [
        "% needs \\usepackage{booktabs,adjustbox}",
        "\\begin{table}",
        "\\centering\\footnotesize\\setlength{\\tabcolsep}{3pt}",
        f"\\caption{{{latex_escape(sheet.title)}. {latex_escape(sheet.caption)}}}",
        f"\\label{{tab:{sheet.name}}}",
        "\\begin{adjustbox}{max width=\\linewidth,max totalheight=.75\\textheight}",
        f"\\begin{{tabular}}{{{''.join('l' if c.text else 'r' for c in sheet.columns)}}}",
        "\\toprule",
    ]
    if any(column.group for column in sheet.columns):
        lines += _latex_groups(grouped)
    heads = [latex_escape(column.head) for column in sheet.columns]
    lines += [" & ".join(heads) + r" \\", "\\midrule"]
    lines += [
        " & ".join(latex_escape(cell.text) for cell in sheet.cells(row)) + r" \\"
        for row in sheet.rows
    ]
    lines += ["\\bottomrule", "\\end{tabular}", "\\end{adjustbox}", ""]
    lines += [
        "\\medskip",
        "\\begin{minipage}{\\linewidth}\\footnotesize\\raggedright",
        *(latex_escape(line) + "\\par" for line in sheet.legend),
        "\\end{minipage}",
        "\\end{table}",
    ]
    return "\n".join(lines) + "\n"


def _latex_groups(grouped: Sequence[Sequence[Column]]) -> list[str]:
    """Line of headings over several columns, and the rules below them."""
    cells, rules, start = [], [], 1
    for columns in grouped:
        stop = start + len(columns) - 1
        name = columns[0].group
        if name:
            cells.append(f"\\multicolumn{{{len(columns)}}}{{c}}{{{latex_escape(name)}}}")
            rules.append(f"\\cmidrule(lr){{{start}-{stop}}}")
        else:
            cells += [""] * len(columns)
        start = stop + 1
    return [" & ".join(cells) + r" \\", "".join(rules)]


# --- HTML ---------------------------------------------------------------------------------------

_HTML = """\
<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>{{ sheet.title }}</title>
<style>
:root { color-scheme: light dark; --text: #1b1b1b; --back: #fff; --line: #b5b5b5; --soft: #f3f3f3; }
@media (prefers-color-scheme: dark) {
  :root { --text: #e8e8e8; --back: #16181a; --line: #565b60; --soft: #22262a; }
}
body { margin: 0 auto; padding: 1rem; max-width: 70rem; color: var(--text);
  background: var(--back); font: 1rem/1.5 system-ui, sans-serif; }
h1 { font-size: 1.3rem; }
.scroll { overflow-x: auto; }
table { border-collapse: collapse; font-size: .9rem; font-variant-numeric: tabular-nums; }
caption { text-align: left; padding-bottom: .7rem; max-width: 60rem; }
th, td { padding: .2rem .6rem; text-align: right; white-space: nowrap; }
th[scope=row], th.text, td.text { text-align: left; }
th[scope=colgroup] { text-align: center; }
thead th { border-bottom: 1px solid var(--line); }
thead tr:first-child th { border-top: 2px solid var(--line); }
tbody tr:last-child > * { border-bottom: 2px solid var(--line); }
tbody tr:nth-child(even) > * { background: var(--soft); }
tbody th { font-weight: normal; }
abbr { display: inline-block; min-width: 1.1em; border-radius: 3px; text-align: center;
  text-decoration: none; font-weight: bold; background: var(--verdict); color: var(--ink); }
{{ colours }}
ul { padding-left: 1.2rem; max-width: 60rem; font-size: .9rem; }
</style>
</head>
<body>
<main>
<h1>{{ sheet.title }}</h1>
<div class="scroll" role="region" aria-labelledby="caption" tabindex="0">
<table>
<caption id="caption">{{ sheet.caption }}</caption>
<thead>
{%- if groups %}
<tr>
{%- for name, columns in groups %}
{%- if name %}
<th scope="colgroup" colspan="{{ columns | length }}">{{ name }}</th>
{%- else %}
{%- for column in columns %}
<th scope="col" rowspan="2"{{ ' class="text"' | safe if column.text }}>{{ column.head }}</th>
{%- endfor %}
{%- endif %}
{%- endfor %}
</tr>
{%- endif %}
<tr>
{%- for column in sheet.columns %}
{%- if column.group or not groups %}
<th scope="col"{{ ' class="text"' | safe if column.text }}>{{ column.head }}</th>
{%- endif %}
{%- endfor %}
</tr>
</thead>
<tbody>
{%- for row in rows %}
<tr>
<th scope="row">{{ row[0][1].text }}</th>
{%- for column, cell in row[1:] %}
<td{{ ' class="text"' | safe if column.text }}>{{ cell.number }}
{%- if cell.mark %}{{ ' ' if cell.number }}<abbr class="{{ cell.verdict | replace(' ', '-') }}"\
 title="{{ cell.verdict }}">{{ cell.mark }}</abbr>{% endif %}{{ cell.aside }}</td>
{%- endfor %}
</tr>
{%- endfor %}
</tbody>
</table>
</div>
<ul>
{%- for line in sheet.legend %}
<li>{{ line | code }}</li>
{%- endfor %}
</ul>
</main>
</body>
</html>
"""


def _html_code(text: str) -> Markup:
    """A text as HTML, with what stands between backticks as code."""
    from markupsafe import Markup, escape

    return Markup(_BACKTICKS.sub(r"<code>\1</code>", str(escape(text))))  # noqa: S704 - escaped


def html(sheet: Sheet) -> str:
    """One self-contained HTML page of a sheet; a verdict is a mark, its colour comes on top."""
    import jinja2

    environment = jinja2.Environment(autoescape=True, keep_trailing_newline=True)
    environment.filters["code"] = _html_code
    template = environment.from_string(_HTML)
    groups = [
        (name, list(columns))
        for name, columns in itertools.groupby(sheet.columns, key=lambda column: column.group)
    ]
    rows = [list(zip(sheet.columns, sheet.cells(row), strict=True)) for row in sheet.rows]
    grouped = any(column.group for column in sheet.columns)
    return template.render(
        sheet=sheet, groups=groups if grouped else [], rows=rows, colours=verdict_colours()
    )
