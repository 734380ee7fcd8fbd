"""Elements of the report: cells of tables, pictures, texts with links."""

import base64
import re
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from markupsafe import Markup, escape

from replication.judge.verdicts import MARKS, in_unit, parse_printed

_SIZE = re.compile(rb"\s(width|height)=\"([\d.]+)(pt|px)?\"")
_PIXELS = {b"pt": 96 / 72, b"px": 1.0, b"": 1.0}


def anchor(*names: str) -> str:
    """Return names as the id of a section of the page, or as a class of the style sheet."""
    return re.sub("[_. ]", "-", "-".join(names))


@dataclass(frozen=True)
class Column:
    """Column of a table that can be sorted and searched."""

    title: str
    # key of the cell in a record, or function from a record to its text or HTML
    of: str | Callable[..., Any]
    # class of its cells: ``number``, ``words`` (sentences) or nothing
    look: str = ""
    # whether its values are few enough for a menu
    choice: bool = False
    # whether only an open row shows it; and whether a small screen always does
    folded: bool = False
    phone: bool = False

    def cell(self, record: Any) -> Any:
        """Return the cell of a record."""
        return record[self.of] if isinstance(self.of, str) else self.of(record)


@dataclass(frozen=True)
class Table:
    """Table that can be sorted and searched in the browser; `name` is its id in the page."""

    name: str
    caption: str
    columns: Sequence[Column]
    records: Sequence[Any]
    # key of the id of a row in the page; rows have none if empty
    id: str = ""
    # first choices of the menus, by heading
    chosen: Mapping[str, str] = field(default_factory=dict)
    # number of rows that are printed on paper; all if empty
    printed: int | str = ""
    # heading of its rows in the search over the whole page; not searched if empty
    find: str = ""


def valued(text: Any, value: Any) -> Markup:
    """Return a cell that is sorted and filtered by a value other than its text."""
    return Markup('<data value="{}">{}</data>').format(value, text)


def link(text: str, way: str) -> Markup:
    """Return a link, or the text alone without an address."""
    return Markup('<a href="{}">{}</a>').format(way, text) if way else escape(text)


def printed_cell(text: str) -> Markup | str:
    """Return the cell of a printed number, sorted by its value."""
    printed = parse_printed(text)
    return text if printed is None else valued(text, float(printed.value))


def short(text: str) -> str:
    """Return the text of a cell; numbers have four digits."""
    try:
        return f"{float(text):.4g}"
    except ValueError:
        return text


def as_printed(printed: str, text: str) -> Markup | str:
    """Return the cell of our number in the unit of the printed one, with one more digit.

    `text` is our number with all its digits, a percentage as a fraction. The cell is sorted by it.
    An empty text gives an empty cell. If the printed cell has no number, ours has four digits.
    """
    if text == "":
        return ""
    return valued(in_unit(printed, float(text)), float(text))


def marked(verdict: str) -> Markup | str:
    """Return a verdict with its mark and colour; empty without a verdict."""
    if not verdict:
        return ""
    return Markup('<data class="verdict {}" value="{}"><b>{}</b> {}</data>').format(
        anchor(verdict), verdict, MARKS.get(verdict, ""), verdict
    )


def picture(svg: bytes, alternative: str) -> Markup:
    """Return a figure as an image of known size, so that the page does not move when it loads.

    An image keeps the ids of several SVG files apart. The browser decodes it when its page is
    shown: decoding all pictures at once would take longer than the rest of the file.
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


def counts_line(verdicts: Iterable[str], names: Sequence[str]) -> Markup:
    """Return the counts by verdict in one line, without zeros."""
    counts = Counter(verdicts)
    return Markup(", ").join(
        Markup("{} {}").format(counts[name], marked(name)) for name in names if counts[name]
    )


def words(readings: Mapping[str, Mapping[str, Any]]) -> Callable[[str], Markup]:
    """Return a converter of texts to HTML: ids of readings are links, backquotes are code.

    `readings` holds questions and answers by id; see `plan.report_jobs.report`.
    """
    ids = sorted(map(re.escape, readings), key=len, reverse=True)
    known = rf"`?(?<![\w.])({'|'.join(ids)})(?![\w.]*\w)`?" if ids else r"(?!)()"
    pattern = re.compile(rf"{known}|`([^`]+)`")

    def linked(found: re.Match[str]) -> str:
        if found[2]:
            return f"<code>{found[2]}</code>"
        return Markup('<a class="reading" href="#{}" title="{}">{}</a>').format(
            anchor("reading", found[1]), readings[found[1]]["question"], found[1]
        )

    return lambda text: Markup(pattern.sub(linked, escape(text)))  # noqa: S704 - escaped
