"""Build the table of an artefact from its job, its columns and its verdicts."""

import itertools
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import pandas as pd

from replication.judge import independent
from replication.judge.cells import NO_DATASET, ORACLE, not_run
from replication.judge.published import numbers
from replication.judge.verdicts import MARKS
from replication.show.job import Job
from replication.steps import call, find_function

WIDTH = 118
"""Characters side by side that fit into the frame of a table on a screen of 1400 pixels."""
_PADDING = 2

Digits = int | str | Callable[[float], str]


@dataclass(frozen=True)
class Cell:
    """The content of one cell of a readable table."""

    # a number, words, or nothing
    value: float | str | None = None
    # decimals of a number, its format such as ``.4g``, or a function that returns its text; if
    # empty, the shortest text
    digits: Digits = ""
    # factor of a number: 100 for percent
    scale: int = 1
    # standard deviation; smallest and largest number; in the unit of the value
    sd: float | None = None
    spread: tuple[float, float] | None = None
    # sign directly after the number, such as a star
    sign: str = ""
    # verdict, shown as its mark
    verdict: str = ""
    # text after the mark, such as the mark of class labels
    aside: str = ""

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
    def text(self) -> str:
        """The whole cell as plain text, with the mark of its verdict."""
        return f"{' '.join(filter(None, (self.number, MARKS.get(self.verdict))))}{self.aside}"

    def record(self) -> dict[str, str]:
        """Return the texts of the cell for JSON, without empty ones; ``text`` has no mark."""
        found = {"text": self.number, "verdict": self.verdict, "aside": self.aside}
        return {key: text for key, text in found.items() if text}

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
    """Return the text of a number in a readable table, without a sign on zero; empty for None."""
    return Cell(value, digits, scale).text


def judged_cell(row: Mapping[str, Any], digits: Digits = "", scale: int = 1) -> Cell:
    """Return the cell of our number in a row of verdicts, or its mark alone without a number."""
    if row["reproduced"] is None:
        return Cell(verdict=row["verdict"])
    spread = (row["spread_min"], row["spread_max"])
    return Cell(
        row["reproduced"],
        digits,
        scale,
        spread=None if None in spread else spread,
        verdict=row["verdict"],
        aside=ORACLE if row["oracle"] else "",
    )


@dataclass(frozen=True)
class Column:
    """One column of a readable table, and the origin of its cells in the data."""

    # key of the cell in the rows, and of its value in the data
    key: str
    head: str
    # heading over several neighbouring columns; empty for none
    group: str = ""
    # whether the cells are words (aligned left) and not numbers
    text: bool = False
    # format of numbers, see `Cell`
    digits: Digits = ""
    scale: int = 1
    # function from a row of data to the value or the `Cell`, or the key of the value instead of
    # `key`
    of: Callable[..., Any] | str | None = None
    # key of the standard deviation of the value
    sd: str = ""
    # values by key that a row of data must have to be shown in this column
    where: Mapping[str, Any] = field(default_factory=dict)
    # whether the value is our number with its verdict, see `judged_cell`
    judged: bool = False
    # whether it is a printed number, or ours next to it; see `folded`
    main: bool = False

    def shows(self, row: Mapping[str, Any]) -> bool:
        """Return whether this column shows a row of data."""
        return all(row.get(key) == value for key, value in self.where.items())

    def cell(self, row: Mapping[str, Any]) -> Cell:
        """Return the cell that shows a row of data."""
        if self.judged:
            return judged_cell(row, self.digits, self.scale)
        value = self.of(row) if callable(self.of) else row.get(self.of or self.key)
        if isinstance(value, Cell):
            return value
        return Cell(value, self.digits, self.scale, sd=row.get(self.sd))


OTHER_PREPARATION = "‡"
"""Mark of runs of others on rows or attributes other than the printed ones."""


def others_cell(row: Mapping[str, Any], digits: Digits) -> Cell:
    """Return the cell of the pooled runs of others in a row of verdicts; empty without them."""
    if row.get("independent") is None:
        return Cell()
    other = OTHER_PREPARATION if row["independent_says"] == independent.OTHER_PREPARATION else ""
    error = row["independent_se"] or None
    return Cell(row["independent"], digits, sd=error, aside=other)


def others_lines(rows: Iterable[Mapping[str, Any]]) -> list[str]:
    """Return lines of a legend on the runs of others, one sentence per number; empty without."""
    found = [row for row in rows if row.get("independent") is not None]
    if not found:
        return []
    said: dict[str, list[str]] = {}
    for row in found:
        place = " ".join(filter(None, (row["printed_name"], row["method"], row["metric"])))
        said.setdefault(row["independent_says"], []).append(place)
    whose = dict.fromkeys(row["independent_from"].partition(";")[0] for row in found)
    return [
        "independent: mean ± standard error over runs of the authors' programs that another group "
        f"published ({'; '.join(whose)}); {OTHER_PREPARATION} on other rows or attributes than "
        "print.",
        *(f"{name}: {', '.join(dict.fromkeys(places))}." for name, places in said.items()),
    ]


def pivot(
    columns: Sequence[Column], data: Iterable[Mapping[str, Any]], by: Sequence[str] = ()
) -> list[dict[str, Cell]]:
    """Return the rows of a readable table from data with one number a row.

    Data with the same values of the keys `by` make a row, in order of appearance; without keys
    each row of data does. A cell shows the first of these data that its column shows.
    """
    groups: dict[Any, list[Mapping[str, Any]]] = {}
    for i, one in enumerate(data):
        groups.setdefault(tuple(one.get(key) for key in by) if by else i, []).append(one)
    return [
        {
            column.key: column.cell(row)
            for column in columns
            for row in itertools.islice(filter(column.shows, members), 1)
        }
        for members in groups.values()
    ]


def across(
    by: str, heads: Mapping[Any, str], group: str = "", *, name: str = "{}", **shown: Any
) -> list[Column]:
    """Return neighbouring columns, one per value of a key of the data, such as ``method``.

    Parameters
    ----------
    by : str
        The key.
    heads : mapping
        Heading of each value.
    group : str
        Heading over all columns.
    name : str
        Format of the key of a column, from the value.
    shown
        Other fields of each `Column`.
    """
    where = shown.pop("where", {})
    return [
        Column(name.format(value), head, group, where={**where, by: value}, **shown)
        for value, head in heads.items()
    ]


def words(**heads: str) -> list[Column]:
    """Return columns of words, from headings by the keys in the data."""
    return [Column(key, head, text=True) for key, head in heads.items()]


def grouped(by: str, heads: Mapping[Any, str], columns: Sequence[Column]) -> list[Column]:
    """Return neighbouring groups with the same columns, one group per value of a key.

    Key and headings are as in `across`; the headings are those of the groups.
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
    """Return the positions of the columns that are hidden at first, if not all fit on the screen.

    The first column and those with `Column.main` are always shown; then the first column of every
    group; then the others from left to right. `width` is the number of characters that fit side by
    side. Cells wrap, so a column is as wide as its longest word.
    """
    widths = []
    for i, column in enumerate(columns):
        texts = [column.head, *(row[i].number for row in rows)]
        longest = max((len(word) for text in texts for word in text.split()), default=0)
        widths.append(longest + _PADDING * (1 + any(row[i].verdict for row in rows)))
    groups = [column.group for column in columns]

    def rank(i: int) -> int:
        return 0 if i == 0 or columns[i].main else 1 if groups.index(groups[i]) == i else 2

    hidden = set()
    for i in sorted(range(len(columns)), key=rank):
        if rank(i) and widths[i] > width:
            hidden.add(i)
        else:
            width -= widths[i]
    return hidden


@dataclass(frozen=True)
class Sheet:
    """One reproduced artefact: its readable table, its data and its verdicts."""

    # paper and artefact, such as ``dilca-fig03``
    name: str
    title: str
    caption: str
    # columns of the readable table; the first one names the row
    columns: Sequence[Column]
    # cells by the keys of the columns, words as texts; missing ones are empty
    rows: Sequence[Mapping[str, Cell | str]]
    # all data of the table and its figure, one number a row, and the keys in order
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
        """Return the sheet of a job.

        Parameters
        ----------
        what : str
            Content of the artefact; the title is its label, a colon and this text.
        by, rows
            Keys for `pivot`, or the rows themselves.
        title : str
            Another title.
        data_columns : sequence of str
            Keys of the data, in order; if empty, those of its rows in order of appearance, or
            ``artefact`` without rows.
        """
        return cls(
            name=f"{job.paper}-{job.artefact}",
            title=title or f"{job.label}: {what}",
            caption=caption,
            columns=columns,
            rows=pivot(columns, data, by) if rows is None else rows,
            data=data,
            data_columns=data_columns
            or list(dict.fromkeys(key for row in data for key in row))
            or ["artefact"],
            legend=legend,
            verdicts=list(verdicts),
        )

    def record(self) -> dict[str, Any]:
        """Return the readable table for the report; ``fold`` marks columns hidden at first."""
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
    """Build an artefact with the function of the paper's tables that the job names as its ``kind``.

    Raises `UserError` if there is no such function, or an input is missing.
    """
    given = dict(job.spec.get("parameters", {}))
    function = find_function(f"replication.papers.{job.paper}.tables", job.need("kind"))
    # an artefact of ours may show printed numbers of other artefacts without judging them again
    shown = cells[cells["artefact"].isin([job.artefact, *given.pop("printed_in", [])])]
    if not job.computed():
        return _nothing_computed(job, cells[cells["artefact"] == job.artefact])
    return call(function, job, shown, **given)


def _nothing_computed(job: Job, cells: pd.DataFrame) -> Sheet:
    """Return the sheet of an artefact without any input: every number is not run."""
    reasons = {*[*job.left_out.values()][:1]}.union(
        *(job.records(name)["reason"].dropna() for name in job.spec.get("experiments", ()))
    )
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
