"""The tables that the step `table` wrote: headings, cells, verdicts, and what fits on a screen."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from replication.judge.verdicts import MARKS

WIDTH = 118
"""Characters side by side that fit into the frame of a table on a screen of 1400 pixels."""
_PADDING = 2
_FIRST = (["printed"], ["ours"])
"""Last words of headings that are shown before others where not all columns fit."""


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


def cell(text: str = "", verdict: str = "", aside: str = "", **_numbers: Any) -> Cell:
    """Cell of what `replication.show.sheet.Cell.record` keeps."""
    return Cell(text.replace("< ", "<\N{NO-BREAK SPACE}"), verdict, MARKS.get(verdict, ""), aside)


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
        every group, then the others, from left to right, as long as there is room. What is printed
        and ours beside it are shown together or not at all.
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
        words = [(column.head.split() or [""])[-1] for column in self.columns]
        for _, i in sorted(ranks):
            pair = words[i : i + 2] == ["printed", "ours"]
            taken = range(i, i + 1 + pair)
            beside = i > 0 and words[i - 1 : i + 1] == ["printed", "ours"]
            if not beside and sum(widths[k] for k in taken) <= room:
                for k in taken:
                    shown[k] = True
                    room -= widths[k]
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


def read(record: Mapping[str, Any]) -> Grid:
    """Table of a sheet.

    Parameters
    ----------
    record : mapping
        What `replication.show.tables.sheet_json` wrote.

    Raises
    ------
    KeyError, TypeError
        If it is something else.
    """
    return Grid(
        title=record["title"],
        caption=record["caption"],
        columns=[Column(**column) for column in record["columns"]],
        rows=[[cell(**one) for one in row] for row in record["rows"]],
        legend=record["legend"],
    )
