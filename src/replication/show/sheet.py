"""Build a table of a paper from its job, its columns and its verdicts."""

import itertools
import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import pandas as pd

from replication.judge.cells import NO_DATASET, ORACLE, not_run
from replication.judge.published import numbers
from replication.judge.verdicts import MARKS
from replication.show.job import Job
from replication.steps import OK, called, find_function

WIDTH = 118
"""Characters side by side that fit into the frame of a table on a screen of 1400 pixels."""
_PADDING = 2

Digits = int | str | Callable[[float], str]


@dataclass(frozen=True)
class Cell:
    """The content of one cell of a readable table."""

    # a number, words, or nothing
    value: float | str | None = None
    # decimals of a number, a format such as ``.4g``, or what makes the text; else the shortest text
    digits: Digits = ""
    # what a number is multiplied by: 100 for percent
    scale: int = 1
    # standard deviation, lowest and highest number, in the unit of the value
    sd: float | None = None
    spread: tuple[float, float] | None = None
    # directly behind the number, such as a star
    sign: str = ""
    # the verdict that the mark stands for
    verdict: str = ""
    # whether class labels took part
    oracle: bool = False
    # behind all the rest
    note: str = ""

    @property
    def number(self) -> str:
        """The text without the mark."""
        if self.value is None:
            return self.sign
        text = self._shown(self.value)
        if self.sd is not None:
            text += f" ± {self._shown(self.sd)}"
        if self.spread is not None:
            low, high = map(self._shown, self.spread)
            text += f" [{low}, {high}]" if low != high else ""
        return text + self.sign

    @property
    def mark(self) -> str:
        """Mark of the verdict; empty if there is none."""
        return MARKS.get(self.verdict, "")

    @property
    def aside(self) -> str:
        """What stands behind the mark: that of an oracle, and the note."""
        return (ORACLE if self.oracle else "") + self.note

    @property
    def text(self) -> str:
        """All of it, as plain text."""
        gap = " " if self.number and self.mark else ""
        return f"{self.number}{gap}{self.mark}{self.aside}"

    def record(self) -> dict[str, Any]:
        """What JSON keeps of it: the text without the mark, and whatever else is not empty."""
        found: dict[str, Any] = {"text": self.number, "verdict": self.verdict}
        if isinstance(self.value, int | float) and math.isfinite(self.value):
            found |= {"value": self.value, "sd": self.sd, "spread": self.spread}
        found |= {"scale": self.scale if self.scale != 1 else None, "aside": self.aside}
        return {key: value for key, value in found.items() if value not in (None, "")}

    def _shown(self, value: float | str) -> str:
        if isinstance(value, str):
            return value
        if callable(self.digits):
            return self.digits(value * self.scale)
        if self.digits == "":
            return f"{value * self.scale:g}" if isinstance(value, float) else str(value)
        form = f".{self.digits}f" if isinstance(self.digits, int) else self.digits
        text = format(value * self.scale, form)
        return text.removeprefix("-") if form[-1] == "f" and float(text) == 0 else text


def number(value: float | None, digits: Digits, scale: int = 1) -> str:
    """Text of a number in a readable table, without a sign on zero; empty for None."""
    return Cell(value, digits, scale).text


def judged_cell(row: Mapping[str, Any], digits: Digits = "", scale: int = 1) -> Cell:
    """Cell of our number in a row of verdicts: with spread and marks, or its mark alone."""
    if row["reproduced"] is None:
        return Cell(verdict=row["verdict"])
    spread = (row["spread_min"], row["spread_max"])
    return Cell(
        row["reproduced"],
        digits,
        scale,
        spread=None if None in spread else spread,
        verdict=row["verdict"],
        oracle=row["oracle"],
    )


@dataclass(frozen=True)
class Column:
    """One column of a readable table, and how its cells follow from the data."""

    # key of the cell in the rows, and of its value in the data
    key: str
    head: str
    # heading over several neighbouring columns; empty for none
    group: str = ""
    # whether the cells are words (set flush left) and not numbers
    text: bool = False
    # how numbers are shown, see `Cell`
    digits: Digits = ""
    scale: int = 1
    # from a row of data to the value or the `Cell`, or the key of the value if it is not `key`
    of: Callable[..., Any] | str | None = None
    # key of a standard deviation that goes with the value
    sd: str = ""
    # what a row of data must hold to be the one that this column shows
    where: Mapping[str, Any] = field(default_factory=dict)
    # whether the value is the number of ours that the verdict belongs to, see `judged_cell`
    judged: bool = False
    # whether it is a printed number, or ours next to it; see `folded`
    main: bool = False

    def shows(self, row: Mapping[str, Any]) -> bool:
        """Whether a row of data is one that this column shows."""
        return all(row.get(key) == value for key, value in self.where.items())

    def cell(self, row: Mapping[str, Any]) -> Cell:
        """Cell that shows a row of data."""
        if self.judged:
            return judged_cell(row, self.digits, self.scale)
        value = self.of(row) if callable(self.of) else row.get(self.of or self.key)
        if isinstance(value, Cell):
            return value
        return Cell(value, self.digits, self.scale, sd=row.get(self.sd) if self.sd else None)


def pivot(
    columns: Sequence[Column], data: Iterable[Mapping[str, Any]], by: Sequence[str] = ()
) -> list[dict[str, Cell]]:
    """Rows of a readable table from the data behind it, one number a row.

    The values of the keys `by` make a row, in order of appearance; every row of data is one if
    there are none. In each column a row shows the first of its data that belongs there.
    """
    groups: dict[Any, list[Mapping[str, Any]]] = {}
    for i, one in enumerate(data):
        groups.setdefault(tuple(one.get(key) for key in by) if by else i, []).append(one)
    found = []
    for members in groups.values():
        first = {c.key: next(filter(c.shows, members), None) for c in columns}
        found.append({c.key: c.cell(row) for c in columns if (row := first[c.key]) is not None})
    return found


def across(
    by: str, heads: Mapping[Any, str], group: str = "", *, name: str = "{}", **shown: Any
) -> list[Column]:
    """Columns beside each other: one per value of a key of the data, all showing the same of it.

    The key is such as ``method``; its values have headings, and one heading over all of them. The
    key of a column is made by `name` from the value; `shown` is what `Column` takes besides, of
    which `where` is what else a row of data must hold.
    """
    where = shown.pop("where", {})
    return [
        Column(name.format(value), head, group, where={**where, by: value}, **shown)
        for value, head in heads.items()
    ]


def words(**heads: str) -> list[Column]:
    """Columns of words, by their key in the data."""
    return [Column(key, head, text=True) for key, head in heads.items()]


def grouped(by: str, heads: Mapping[Any, str], columns: Sequence[Column]) -> list[Column]:
    """Groups of columns beside each other: one group per value of a key, all of the same columns.

    Key and values are those of `across`; the headings stand over the groups.
    """
    return [
        replace(
            column,
            key=f"{value}.{column.key}",
            group=head,
            of=column.of or column.key,
            where={**column.where, by: value},
        )
        for value, head in heads.items()
        for column in columns
    ]


def folded(
    columns: Sequence[Column], rows: Sequence[Sequence[Cell]], width: int = WIDTH
) -> set[int]:
    """Positions of the columns that are shown on demand, if not all fit side by side.

    The first column is always shown; then `Column.main`, those of a group together; then the first
    column of every group; then the others from left to right. So many characters fit side by side.
    Cells wrap, so a column is as wide as its longest word.
    """
    widths = []
    for i, column in enumerate(columns):
        texts = [column.head, *(row[i].number for row in rows)]
        longest = max((len(word) for text in texts for word in text.split()), default=0)
        widths.append(longest + _PADDING * (1 + any(row[i].mark for row in rows)))
    if sum(widths) <= width:
        return set()

    def unit(i: int) -> tuple[str, int]:
        return columns[i].group, -1 if columns[i].main else i

    units = [list(run) for _, run in itertools.groupby(range(len(columns)), unit)]
    groups = [column.group for column in columns]

    def rank(members: Sequence[int]) -> int:
        i = members[0]
        return 0 if i == 0 else 1 if columns[i].main else 2 if groups.index(groups[i]) == i else 3

    hidden = set()
    for members in sorted(units, key=rank):
        needed = sum(widths[i] for i in members)
        if needed <= width:
            width -= needed
        else:
            hidden |= {*members}
    return hidden


def keys(data: Iterable[Mapping[str, Any]]) -> list[str]:
    """Keys of rows of data, in order of appearance; ``artefact`` if there is none."""
    return list(dict.fromkeys(key for one in data for key in one)) or ["artefact"]


@dataclass(frozen=True)
class Sheet:
    """One reproduced artefact: readable table, data behind it, verdicts."""

    # paper and artefact, such as ``dilca-fig03``
    name: str
    title: str
    caption: str
    # of the readable table; the first one names the row
    columns: Sequence[Column]
    # cells by the keys of the columns, words as they are; missing ones are empty
    rows: Sequence[Mapping[str, Cell | str]]
    # everything that the table and its figure show, one number a row, and its keys in order
    data: list[dict[str, Any]]
    data_columns: Sequence[str]
    # lines below the table
    legend: Sequence[str] = ()
    # one row per printed number and reading, by `replication.judge.cells.verdict_row`
    verdicts: list[dict[str, Any]] = field(default_factory=list)

    @classmethod
    def of(
        cls,
        job: Job,
        what: str,
        caption: str,
        columns: Sequence[Column],
        data: list[dict[str, Any]],
        *,
        title: str = "",
        by: Sequence[str] = (),
        rows: Sequence[Mapping[str, Cell | str]] | None = None,
        legend: Sequence[str] = (),
        data_columns: Sequence[str] = (),
        verdicts: Sequence[dict[str, Any]] = (),
    ) -> "Sheet":
        """Sheet of a job: name, rows (by `pivot`) and columns of the data follow unless given.

        Parameters
        ----------
        what : str
            What the title says after the label of the artefact and a colon.
        title : str
            The whole title, if it is another one.
        """
        return cls(
            name=f"{job.paper}-{job.artefact}",
            title=title or f"{job.label}: {what}",
            caption=caption,
            columns=columns,
            rows=pivot(columns, data, by) if rows is None else rows,
            data=data,
            data_columns=data_columns or keys(data),
            legend=legend,
            verdicts=list(verdicts),
        )

    def record(self) -> dict[str, Any]:
        """The readable table as JSON, for the report; ``fold`` marks what it shows on demand."""
        rows = [self.cells(row) for row in self.rows]
        hidden = folded(self.columns, rows)
        return {
            **{name: getattr(self, name) for name in ("name", "title", "caption")},
            "columns": [
                {"head": one.head, "group": one.group, "text": one.text}
                | ({"fold": True} if i in hidden else {})
                for i, one in enumerate(self.columns)
            ],
            "rows": [[cell.record() for cell in row] for row in rows],
            "legend": list(self.legend),
        }

    def cells(self, row: Mapping[str, Cell | str]) -> list[Cell]:
        """Cells of a row, column by column."""
        found = (row.get(column.key, "") for column in self.columns)
        return [one if isinstance(one, Cell) else Cell(one) for one in found]


def build(job: Job, cells: pd.DataFrame) -> Sheet:
    """Build one artefact by the function of the paper's tables that the job names as its ``kind``.

    Raises
    ------
    UserError
        If there is no such function, or an input is missing.
    """
    kind, given = job.need("kind"), dict(job.spec.get("parameters", {}))
    function = find_function(f"replication.papers.{job.paper}.tables", kind)
    # an artefact of ours may look at what others print, without judging it again
    shown = cells[cells["artefact"].isin([job.artefact, *given.pop("printed_in", [])])]
    experiments = job.spec.get("experiments", ())
    if experiments and not any((job.records(name)["status"] == OK).any() for name in experiments):
        return _nothing_computed(job, cells[cells["artefact"] == job.artefact])
    return called(function, job, shown, **given)


def _nothing_computed(job: Job, cells: pd.DataFrame) -> Sheet:
    """Sheet of an artefact none of whose data sets was computed: every number is not run."""
    reasons = {job.spec["left_out"][0]["reason"]} if job.left_out else set()
    for name in job.spec["experiments"]:
        reasons |= set(job.records(name)["reason"].dropna())
    reason = "; ".join(sorted(reasons)) or NO_DATASET
    return Sheet.of(
        job,
        "not run",
        f"Not run: {reason}.",
        [Column("artefact", "Artefact", text=True), Column("status", "status", text=True)],
        [],
        verdicts=[
            not_run(cell, reason, reading=job.readings[0])
            for cell in numbers(cells).to_dict("records")
        ],
    )
