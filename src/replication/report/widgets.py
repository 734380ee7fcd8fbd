"""Pieces of HTML: tables that sort and search, tables and figures of the papers."""

from __future__ import annotations

import base64
import html
import json
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from replication.judge.verdicts import MARKS, parse_printed

TEXT, SHORT, WIDE, CODE = "text", "short", "wide", "code"
NUMBER, VERDICT, LINK = "number", "verdict", "link"

_CELL = re.compile(r"<td(?P<rest>[^>]*)>(?P<text>[^<]*)")
_NUMERAL = re.compile(r"\s*([-−+]?\d[\d,]*(?:\.\d+)?(?:[eE][-+]?\d+)?)")


@dataclass(frozen=True)
class Head:
    """Column of a table that sorts and searches.

    Attributes
    ----------
    title : str
        Heading.
    kind : str
        ``text``, ``short`` (kept on one line), ``wide`` (sentences), ``code``: cells are texts.
        ``number``: pairs of text and number, or None. ``verdict``: a verdict on a number or a
        claim. ``link``: pairs of text and anchor.
    choice : bool
        Whether the column has few values, so that a menu of them is worth having.
    """

    title: str
    kind: str = TEXT
    choice: bool = False


def data_table(
    name: str,
    caption: str,
    heads: Sequence[Head],
    rows: Iterable[Sequence[Any]],
    order: Sequence[tuple[int, str]] = (),
    length: int = 25,
    print_all: bool = True,
) -> str:
    """Table that is filled, sorted and searched in the browser.

    Parameters
    ----------
    name : str
        Id, unique in the page.
    caption : str
        What it shows (plain text).
    heads : sequence of Head
        Columns.
    rows : iterable of sequence
        Cells, by the kinds of the columns.
    order : sequence of (int, str)
        Columns and directions of the first order; none for the order of the rows.
    length : int
        Rows of a page.
    print_all : bool
        Whether all rows are printed on paper, or the first page only.
    """
    content = {
        "columns": [{"kind": head.kind, "choice": head.choice} for head in heads],
        "rows": list(rows),
        "order": list(order),
    }
    paper = -1 if print_all else length
    cells = "".join(f'<th scope="col">{html.escape(head.title)}</th>' for head in heads)
    return (
        f'<div class="data" id="{name}" data-length="{length}" data-paper="{paper}">\n'
        f'<table class="display compact" data-content="{name}-content">\n'
        f"<caption>{html.escape(caption)}</caption>\n"
        f"<thead><tr>{cells}</tr></thead><tbody></tbody>\n</table>\n"
        f'<script type="application/json" id="{name}-content">{script_json(content)}</script>\n'
        "<noscript>This table needs JavaScript; the same rows are in the CSV files of the run."
        "</noscript>\n</div>"
    )


def script_json(content: Any) -> str:
    """JSON that can stand inside a ``script`` element."""
    text = json.dumps(content, ensure_ascii=False, separators=(",", ":"), allow_nan=False)
    return text.replace("<", "\\u003c")


def number_cell(text: str, digits: int = 4) -> tuple[str, float] | None:
    """Cell of a number that the ledger keeps with all its digits."""
    if text == "":
        return None
    value = float(text)
    return f"{value:.{digits}g}", value


def printed_cell(text: str) -> tuple[str, float | None]:
    """Cell of a printed number: the text as printed, sorted by its value."""
    printed = parse_printed(text)
    return text, None if printed is None else float(printed.value)


def as_printed(printed: str, text: str) -> tuple[str, float] | None:
    """Cell of our number in the unit of the printed one, with one digit more than printed.

    Parameters
    ----------
    printed : str
        The printed number, such as ``38.05%``.
    text : str
        Our number with all its digits, a percentage as a fraction; may be empty.
    """
    target = parse_printed(printed)
    if text == "" or target is None:
        return number_cell(text)
    value = float(text)
    unit = "%" if target.scale == 100 else ""
    if target.digits is None or (target.digits == 0 and value.is_integer()):
        return f"{value:.6g}", value
    return f"{value * target.scale:.{target.digits + 1}f}{unit}", value


def marked(verdict: str) -> str:
    """Verdict with its mark, as HTML."""
    name = html.escape(verdict)
    mark = MARKS.get(verdict, "")
    return f'<span class="verdict {name.replace(" ", "-")}"><b>{mark}</b> {name}</span>'


def static_table(
    caption: str, heads: Sequence[str], rows: Iterable[Sequence[str]], texts: int = 1
) -> str:
    """Small table of HTML cells; the first `texts` columns are words, the others numbers."""

    def line(cells: Sequence[str], tag: str) -> str:
        parts = []
        for i, cell in enumerate(cells):
            name = "th" if tag == "th" or i == 0 else "td"
            scope = ' scope="col"' if tag == "th" else ' scope="row"' if i == 0 else ""
            look = ' class="text"' if i < texts else ""
            parts.append(f"<{name}{scope}{look}>{cell}</{name}>")
        return f"<tr>{''.join(parts)}</tr>"

    body = "\n".join(line(row, "td") for row in rows)
    return (
        f'<div class="scroll" role="region" aria-label="{html.escape(caption)}" tabindex="0">\n'
        f'<table class="plain">\n<caption>{html.escape(caption)}</caption>\n'
        f"<thead>{line(heads, 'th')}</thead>\n<tbody>\n{body}\n</tbody>\n</table>\n</div>"
    )


def sortable(table: str) -> str:
    """Head and body of a paper's table, whose cells say how they are sorted.

    Parameters
    ----------
    table : str
        ``thead`` and ``tbody`` that the step `table` wrote.

    Returns
    -------
    str
        The same with ``data-order`` on every cell that starts with a number, and headings over
        several columns that do not sort.
    """

    def ordered(match: re.Match[str]) -> str:
        numeral = _NUMERAL.match(match["text"])
        if numeral is None:
            # keeps a column of numbers a column of numbers where a cell is empty
            return match[0] if match["text"].strip() else f'<td{match["rest"]} data-order="-1e999">'
        value = numeral[1].replace(",", "").replace("−", "-")
        return f'<td{match["rest"]} data-order="{value}">{match["text"]}'

    groups = table.replace('<th scope="colgroup"', '<th scope="colgroup" data-dt-order="disable"')
    return _CELL.sub(ordered, groups)


def picture(svg: bytes, alternative: str) -> str:
    """Figure as an image inside the page; several SVG files inline would share ids."""
    content = base64.b64encode(svg).decode("ascii")
    return (
        f'<img class="figure" loading="lazy" decoding="async" alt="{html.escape(alternative)}"'
        f' src="data:image/svg+xml;base64,{content}">'
    )


def counts_line(counts: Mapping[str, int], names: Iterable[str]) -> str:
    """Counts by verdict in one line of HTML, those that are 0 left out."""
    return ", ".join(f"{counts[name]} {marked(name)}" for name in names if counts.get(name))
