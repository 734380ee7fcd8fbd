"""The tables that the step `table` wrote as HTML, taken apart again: headings, cells, verdicts."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from html.parser import HTMLParser

WIDTH = 118
"""Characters side by side that fit into the frame of a table on a screen of 1400 pixels."""
_PADDING = 2
_FIRST = ("printed", "ours")
"""Columns that are shown before others where not all of them fit."""
_NUMERAL = re.compile(r"\s*([-−+]?\d[\d,]*(?:\.\d+)?(?:[eE][-+]?\d+)?)")


@dataclass
class Column:
    """One column: heading, the heading above it, whether its cells are words."""

    head: str
    group: str = ""
    text: bool = False


@dataclass
class Cell:
    """One cell: its text, and the verdict that its mark stands for, with the mark."""

    text: str = ""
    verdict: str = ""
    mark: str = ""

    @property
    def order(self) -> str:
        """Number by which the cell is sorted; empty for words."""
        match = _NUMERAL.match(self.text)
        return match[1].replace(",", "").replace("−", "-") if match else ""


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
            ranks.append((0 if i == 0 else 1 if column.head in _FIRST else 2 if opens else 3, i))
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
        self.inside: list[str] = []
        self.text: list[str] = []
        self.here: dict[str, str] = {}
        self.cell = Cell()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Open an element."""
        found = {key: value or "" for key, value in attrs}
        if tag in ("thead", "tbody", "tfoot"):
            self.inside.append(tag)
        elif tag == "tr":
            (self.heads if "thead" in self.inside else self.grid.rows).append([])
        elif tag in ("th", "td"):
            self.here, self.text, self.cell = found, [], Cell()
        elif tag == "abbr":
            self.cell.text, self.text = "".join(self.text).strip(), []
            self.cell.verdict = found.get("title", "")
        elif tag in ("h1", "caption", "li"):
            self.text = []

    def handle_data(self, data: str) -> None:
        """Collect text."""
        self.text.append(data)

    def handle_endtag(self, tag: str) -> None:
        """Close an element."""
        text = "".join(self.text).strip()
        if tag in ("thead", "tbody"):
            self.inside.pop()
        elif tag == "abbr":
            self.cell.mark, self.text = text, []
        elif tag in ("th", "td"):
            if not self.cell.mark:
                self.cell.text = text
            if "thead" in self.inside:
                self.heads[-1].append({**self.here, "": text})
            else:
                self.grid.rows[-1].append(self.cell)
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
    return grid
