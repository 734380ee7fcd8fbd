"""The tables that the step `table` wrote, taken apart again: headings, cells, verdicts.

They are read from HTML, or from Markdown, which is what the repository keeps of a run.
"""

from __future__ import annotations

import html
import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from html.parser import HTMLParser

from replication.judge.verdicts import MARKS

WIDTH = 118
"""Characters side by side that fit into the frame of a table on a screen of 1400 pixels."""
_PADDING = 2
_FIRST = (["printed"], ["ours"])
"""Last words of headings that are shown before others where not all columns fit."""
_NAMES = {mark: name for name, mark in MARKS.items()}
_MARKED = re.compile(rf"(.*?)\s*(?<!\S)([{''.join(_NAMES)}])(†?)")


@dataclass
class Column:
    """One column: heading, the heading above it, whether its cells are words."""

    head: str
    group: str = ""
    text: bool = False


@dataclass
class Cell:
    """One cell: its text, the verdict that its mark stands for, the mark, and a sign behind it."""

    text: str = ""
    verdict: str = ""
    mark: str = ""
    sign: str = ""


def cell(text: str, words: bool = False) -> Cell:
    """Cell of a text; a mark at its end stands for a verdict unless the cell holds words."""
    match = None if words else _MARKED.fullmatch(text)
    if match is None:
        return Cell(text)
    return Cell(match[1], _NAMES[match[2]], match[2], match[3])


@dataclass
class Grid:
    """One table.

    Attributes
    ----------
    title, caption : str
        Heading, and what to see.
    columns : list of Column
    rows : list of list of Cell
    legend : list of str
        Lines below the table.
    """

    title: str = ""
    caption: str = ""
    columns: list[Column] = field(default_factory=list)
    rows: list[list[Cell]] = field(default_factory=list)
    legend: list[str] = field(default_factory=list)

    def widths(self) -> list[int]:
        """Least width of each column, in characters: its longest word, as cells may wrap."""
        found = []
        for i, column in enumerate(self.columns):
            cells = [row[i].text for row in self.rows if i < len(row)]
            words = [word for text in (column.head, *cells) for word in text.split()]
            marks = _PADDING if any(row[i].mark for row in self.rows) else 0
            found.append(max(map(len, words), default=0) + _PADDING + marks)
        return found

    def fitting(self, width: int = WIDTH) -> list[bool]:
        """Which columns are shown at first: all if they fit, else the telling ones.

        The first column always; then what is called printed or ours, then the first column of
        every group, then the others, from left to right, as long as there is room.
        """
        widths = self.widths()
        if sum(widths) <= width:
            return [True] * len(widths)
        seen: set[str] = set()
        ranks = []
        for i, column in enumerate(self.columns):
            opens = column.group not in seen
            seen.add(column.group)
            ranks.append(
                (0 if i == 0 else 1 if column.head.split()[-1:] in _FIRST else 2 if opens else 3, i)
            )
        shown, room = [False] * len(widths), width
        for _, i in sorted(ranks):
            if widths[i] <= room:
                shown[i] = True
                room -= widths[i]
        return shown

    def groups(self, shown: Sequence[bool]) -> list[tuple[str, int, int]]:
        """Headings over neighbouring columns: text, columns, columns that are shown at first."""
        found: list[tuple[str, int, int]] = []
        for i, column in enumerate(self.columns):
            if found and found[-1][0] == column.group and column.group:
                name, total, few = found[-1]
                found[-1] = (name, total + 1, few + shown[i])
            else:
                found.append((column.group, 1, int(shown[i])))
        return found


class _Reader(HTMLParser):
    """Reads a page of the step `table`."""

    def __init__(self) -> None:
        super().__init__()
        self.grid = Grid()
        self.heads: list[list[dict[str, str]]] = []
        self.rows: list[list[str]] = []
        self.in_head = False
        self.text: list[str] = []
        self.here: dict[str, str] = {}

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Open an element."""
        if tag in ("thead", "tbody"):
            self.in_head = tag == "thead"
        elif tag == "tr":
            (self.heads if self.in_head else self.rows).append([])
        elif tag in ("th", "td"):
            self.here = {key: value or "" for key, value in attrs}
        if tag in ("th", "td", "h1", "caption", "li"):
            self.text = []

    def handle_data(self, data: str) -> None:
        """Collect text."""
        self.text.append(data)

    def handle_endtag(self, tag: str) -> None:
        """Close an element."""
        text = "".join(self.text).strip()
        if tag in ("th", "td"):
            if self.in_head:
                self.heads[-1].append({**self.here, "": text})
            else:
                self.rows[-1].append(text)
        elif tag == "h1":
            self.grid.title = text
        elif tag == "caption":
            self.grid.caption = text
        elif tag == "li":
            self.grid.legend.append(text)


def read(page: str) -> Grid:
    """Table of a page.

    Parameters
    ----------
    page : str
        HTML that `replication.show.tables.html` wrote.
    """
    reader = _Reader()
    reader.feed(page)
    reader.close()
    grid = reader.grid
    *above, last = reader.heads or [[]]
    below = iter(last)

    def column(head: dict[str, str], group: str = "") -> Column:
        return Column(head[""], group, head.get("class") == "text")

    if above:
        for head in above[0]:
            if head.get("scope") == "colgroup":
                grid.columns += [column(next(below), head[""]) for _ in range(int(head["colspan"]))]
            else:
                grid.columns.append(column(head))
    else:
        grid.columns = [column(head) for head in last]
    grid.rows = _cells(grid.columns, reader.rows)
    return grid


def read_markdown(text: str) -> Grid:
    """Table of a Markdown file; headings over several columns are part of theirs.

    Parameters
    ----------
    text : str
        What `replication.show.tables.markdown` wrote.
    """
    lines = html.unescape(text).splitlines()
    table = [line for line in lines if line.startswith("|")]
    before = lines[: lines.index(table[0])] if table else lines
    parts = [
        [one.strip().replace("\\|", "|") for one in re.split(r"(?<!\\)\|", line)[1:-1]]
        for line in table
    ]
    heads, dashes, rows = (parts[0], parts[1], parts[2:]) if len(parts) > 1 else ([], [], [])
    columns = [
        Column(head, text=mark.startswith(":")) for head, mark in zip(heads, dashes, strict=True)
    ]
    return Grid(
        title=before[0].removeprefix("# ") if before else "",
        caption=" ".join(line for line in before[1:] if line),
        columns=columns,
        rows=_cells(columns, rows),
        legend=[line.removeprefix("- ") for line in lines if line.startswith("- ")],
    )


def _cells(columns: Sequence[Column], rows: Sequence[Sequence[str]]) -> list[list[Cell]]:
    """Cells of rows of texts."""
    return [
        [cell(text, column.text) for text, column in zip(row, columns, strict=True)] for row in rows
    ]
