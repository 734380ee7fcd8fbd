"""Pieces of the page: cells of tables, pictures, words with links."""

from __future__ import annotations

import base64
import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from markupsafe import Markup, escape

from replication.judge.verdicts import MARKS, parse_printed
from replication.report.gather import anchor

TEXT, WORDS, CODE = "text", "words", "code"
NUMBER, VERDICT, LINK, CHAIN = "number", "verdict", "link", "chain"

READINGS = {
    "reconciled": "what explains most of the printed numbers; this one is counted",
    "literal": "the text of the paper as it stands",
    "released": "what the authors' program computes, with its random numbers; counted if it is run",
    "repaired": "where neither text nor program can be used as it is, with our mending",
    "fixed": "reconciled, with one setting for all data sets, chosen without the classes",
    "at_least": "ROCK as its own paper words it: neighbours from the threshold on",
    "best-run": "the largest of many runs, chosen with the classes, where the paper prints means",
    "collapsed": "SpectralCAT with the narrow kernel under which its clusters collapse",
    "print": "no run of ours: counted or computed from other printed numbers",
}
"""What each reading of a number is, wherever it appears."""

_SIZE = re.compile(rb"\s(width|height)=\"([\d.]+)(pt|px)?\"")
_PIXELS = {b"pt": 96 / 72, b"px": 1.0, b"": 1.0}


@dataclass(frozen=True)
class Head:
    """Column of a table that sorts and searches.

    Attributes
    ----------
    title : str
        Heading.
    kind : str
        ``text``, ``words`` (sentences), ``code``: cells are texts. ``number``: pairs of text and
        number, or None. ``verdict``: a verdict on a number or a claim. ``link``: pairs of text and
        address. ``chain``: keys of what a number rests on.
    choice : bool
        Whether the column has few values, so that a menu of them is worth having.
    folded : bool
        Whether it stands below the row and is shown when the row is opened.
    phone : bool
        Whether a folded column is always shown on a small screen.
    """

    title: str
    kind: str = TEXT
    choice: bool = False
    folded: bool = False
    phone: bool = False


def data_table(
    name: str,
    caption: str,
    heads: Sequence[Head],
    rows: Sequence[Sequence[Any]],
    *,
    chosen: Mapping[str, str] | None = None,
    printed: int | None = None,
    **more: Any,
) -> dict[str, Any]:
    """Table that is filled, sorted and searched in the browser.

    Parameters
    ----------
    name : str
        Id, unique in the page.
    caption : str
        What it shows.
    heads : sequence of Head
        Columns. The first folded one called ``Id`` makes rows that can be linked to.
    rows : sequence of sequence
        Cells, by the kinds of the columns.
    chosen : mapping of str to str, optional
        What the menus are set to at first, by heading.
    printed : int, optional
        Rows that are printed on paper; all by default.
    **more
        What a table of its own kind needs besides.
    """
    content = {
        "heads": [
            {
                "title": head.title,
                "kind": head.kind,
                "choice": head.choice,
                "folded": head.folded,
                "phone": head.phone,
            }
            for head in heads
        ],
        "rows": list(rows),
        "chosen": dict(chosen or {}),
        "printed": printed,
        **more,
    }
    return {"name": name, "caption": caption, "content": script_json(content), "count": len(rows)}


def script_json(content: Any) -> Markup:
    """JSON that can stand inside a ``script`` element."""
    text = json.dumps(content, ensure_ascii=False, separators=(",", ":"), allow_nan=False)
    return Markup(text.replace("<", "\\u003c"))  # noqa: S704 - nothing in it ends the element


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


def marked(verdict: str) -> Markup:
    """Verdict with its mark on its colour."""
    return Markup('<span class="verdict {}"><b>{}</b> {}</span>').format(
        look(verdict), MARKS.get(verdict, ""), verdict
    )


def look(verdict: str) -> str:
    """Class of a verdict in the style sheet."""
    return verdict.replace(" ", "-")


def picture(svg: bytes, alternative: str) -> Markup:
    """Figure as an image inside the page, with its size, so that nothing moves when it is drawn.

    Several SVG files inline would share ids. A picture is read when its page is shown: all at once
    they take longer than everything else in the file.
    """
    start = svg.find(b"<svg")
    sizes = {
        name.decode(): round(float(value) * _PIXELS[unit])
        for name, value, unit in _SIZE.findall(svg[start : svg.find(b">", start)])
    }
    content = base64.b64encode(svg).decode("ascii")
    return Markup(
        '<img class="figure" loading="lazy" alt="{}" width="{}" height="{}"'
        ' src="data:image/svg+xml;base64,{}">'
    ).format(alternative, sizes.get("width", 500), sizes.get("height", 300), content)


def counts_line(counts: Mapping[str, int], names: Sequence[str]) -> Markup:
    """Counts by verdict in one line, those that are 0 left out."""
    parts = [
        Markup("{} {}").format(counts[name], marked(name)) for name in names if counts.get(name)
    ]
    return Markup(", ").join(parts)


class Words:
    """Texts in which the ids of readings lead to what they mean, and code is set as code.

    Parameters
    ----------
    readings : mapping
        Questions and answers by id; see `plan.presenting.report_spec`.
    """

    def __init__(self, readings: Mapping[str, Mapping[str, Any]]) -> None:
        self.readings = readings
        ids = sorted(map(re.escape, readings), key=len, reverse=True)
        known = rf"`?(?<![\w.])({'|'.join(ids)})(?![\w.]*\w)`?" if ids else r"(?!)()"
        self.pattern = re.compile(rf"{known}|`([^`]+)`")

    def __call__(self, text: str) -> Markup:
        """The text as HTML."""
        parts, last = [], 0
        for match in self.pattern.finditer(text):
            parts.append(escape(text[last : match.start()]))
            code = Markup("<code>{}</code>")
            parts.append(self.link(match[1]) if match[1] else code.format(match[2]))
            last = match.end()
        return Markup("").join([*parts, escape(text[last:])])

    def link(self, name: str) -> Markup:
        """Id of a reading, with its question as a note, leading to its entry."""
        return Markup('<a class="reading" href="#{}" title="{}">{}</a>').format(
            anchor("reading", name), self.readings[name]["question"], name
        )
