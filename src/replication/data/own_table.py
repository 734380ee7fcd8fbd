"""Tables of the reader's own, read strictly: a mistake is one line with its place and remedy."""

from __future__ import annotations

import csv
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, TextIO

from replication.data import own_parquet
from replication.data.own_parquet import MISSING_LABELS, is_parquet, parquet_cells
from replication.errors import UserError, remedy
from replication.files import CLASS, MISSING

if TYPE_CHECKING:
    import pandas as pd

RESERVED = ("part", "class_label")
"""Names that later steps use for columns of their own."""
LONGEST = 1000
"""Characters of a cell or a name: what is longer is a text, not a category."""
_LONGEST_LINE = 2_000_000
"""Characters of a line of the file."""
_CONTROL = {"\0": "a NUL character", "\r": "a carriage return", "\n": "a line break"}


def read_own(path: Path, spec: Mapping[str, Any]) -> pd.DataFrame:
    """Read a file of the reader's own and check it against its entry.

    Parameters
    ----------
    path : Path
        Comma-separated UTF-8 text whose first line names the columns; or a Parquet file, or a
        folder of such.
    spec : mapping
        ``paper``, ``dataset`` and ``entry`` (its entry in ``config/papers/<paper>.yaml``).

    Returns
    -------
    DataFrame of str
        Cells without surrounding blanks; missing ones hold ``?``.

    Raises
    ------
    UserError
        If the file is missing, is not such a text, has a row that is longer or shorter than the
        header, or fewer than two rows; if the entry names a column that does not exist; if a
        column is entirely missing, a class is missing, or a numeric cell holds no number; if a cell
        that is used holds a control character or is longer than `LONGEST`; if the table is larger
        than what is held at a time.
    """
    import pandas as pd

    entry = spec["entry"]
    place = f"config/papers/{spec['paper']}.yaml: datasets.{spec['dataset']}"
    if is_parquet(Path(path)):
        header, rows, lines = parquet_cells(Path(path), entry, place)
        unit = "row"
    else:
        header, rows, lines = _cells(Path(path))
        unit = "line"
    _check_header(path, header, entry.get("class"))
    for key in ("class", "attributes", "without", "numeric", "declared", "mode_ties", "missing_in"):
        named = entry.get(key, [])
        for column in [named] if isinstance(named, str) else named:
            if column not in header:
                raise UserError(
                    f"{place}.{key}: {path} has no column {column!r}; {remedy(column, header)}"
                )
    if len(rows) < 2:
        raise UserError(f"{path}: holds {len(rows)} rows below the header; clustering needs two")
    frame = pd.DataFrame(rows, columns=header, dtype=str)
    _check_cells(path, frame, lines, entry, unit)
    return frame


def check_prepared(path: Path, prepared: pd.DataFrame, spec: Mapping[str, Any]) -> None:
    """Check what is left of a file after missing values were treated.

    Parameters
    ----------
    path : Path
        The file, for messages.
    prepared : DataFrame of str
        Attributes, and the class under ``class_label``.
    spec : mapping
        As in `read_own`.

    Raises
    ------
    UserError
        If fewer than two rows are left, or an attribute or the class is the same in all of them.
    """
    place = f"config/papers/{spec['paper']}.yaml: datasets.{spec['dataset']}"
    if len(prepared) < 2:
        raise UserError(
            f"{path}: {len(prepared)} rows have no missing cell; take `missing: value` or "
            f"`missing: impute` in {place}"
        )
    numeric = spec["entry"].get("numeric", [])
    if "class" in spec["entry"] and prepared[CLASS].nunique() == 1:
        raise UserError(
            f"{path}: the class column {spec['entry']['class']!r} holds {prepared[CLASS].iloc[0]!r} "
            f"in every row that is used; take `class` out of {place} and give `clusters`"
        )
    for column in prepared.columns.drop(CLASS):
        cells = set(prepared[column])
        if column in numeric:
            # 5 and 5.0 are two texts, but one number
            cells = {cell if cell == MISSING else float(cell) for cell in cells}
        if len(cells) == 1:
            raise UserError(
                f"{path}: column {column!r} holds {prepared[column].iloc[0]!r} in every row that "
                f"is used and tells no objects apart; leave it out: `without: [{column}]` in "
                f"{place}"
            )


def dropped_rows(raw: pd.DataFrame, prepared: pd.DataFrame, spec: Mapping[str, Any]) -> list[int]:
    """Rows that were dropped because a cell is missing, counted from 1 below the header."""
    columns = deciding(spec["entry"], prepared.columns.drop(CLASS))
    holes = (raw[columns] == MISSING).any(axis=1).to_numpy()
    return [int(i) + 1 for i in holes.nonzero()[0]]


def ruled(entry: Mapping[str, Any], columns: Iterable[str], rule: str) -> list[str]:
    """Columns whose missing cells are treated by a rule: ``impute``, ``value`` or ``drop``."""
    own = entry.get("missing_in", {})
    return [column for column in columns if own.get(column, entry["missing"]) == rule]


def deciding(entry: Mapping[str, Any], columns: Iterable[str]) -> list[str]:
    """Columns in which a missing cell drops the row: some of those used, and others by name."""
    named = [name for name, rule in entry.get("missing_in", {}).items() if rule == "drop"]
    return list(dict.fromkeys([*ruled(entry, columns, "drop"), *named]))


def _cells(path: Path) -> tuple[list[str], list[list[str]], list[int]]:
    """Header, rows, and the line at which each row ends."""
    if not path.is_file():
        raise UserError(f"{path}: there is no such file; put it there, or correct its name")
    header: list[str] = []
    rows, lines, size = [], [], 0
    csv.field_size_limit(_LONGEST_LINE)
    try:
        with path.open(encoding="utf-8-sig", newline="") as stream:
            reader = csv.reader(_lines(path, stream), strict=True)
            for cells in reader:
                size += len(cells)
                if size > own_parquet.MOST_CELLS:
                    raise UserError(
                        f"{path}: more than {own_parquet.MOST_CELLS} cells are more than the "
                        "workflow holds at a time; keep a sample of the rows, write the table as "
                        "Parquet and give `rows` in its entry, or cluster all of them with "
                        "couplings.large (docs/beyond-one-machine.md)"
                    )
                if not cells:
                    continue
                cells = [cell.strip() for cell in cells]
                if not header:
                    header = cells
                    continue
                if len(cells) != len(header):
                    raise UserError(
                        f"{path}, line {reader.line_num}: {len(cells)} cells, but the header names "
                        f"{len(header)} columns; a cell that holds a comma needs double quotes"
                    )
                rows.append([MISSING if cell in MISSING_LABELS else cell for cell in cells])
                lines.append(reader.line_num)
    except UnicodeDecodeError as error:
        raise UserError(
            f"{path}: byte {error.start} is not UTF-8; save the file as UTF-8"
        ) from error
    except OSError as error:
        raise UserError(
            f"{path}: cannot be read ({error.strerror or error}); allow reading it"
        ) from error
    except csv.Error as error:
        raise UserError(
            f"{path}, line {reader.line_num}: {error}; look for a double quote that is not closed"
        ) from error
    return header, rows, lines


def _lines(path: Path, stream: TextIO) -> Iterator[str]:
    """Lines of a text file, each of bounded length."""
    number = 0
    while line := stream.readline(_LONGEST_LINE):
        number += 1
        if len(line) == _LONGEST_LINE:
            raise UserError(
                f"{path}, line {number}: longer than {_LONGEST_LINE} characters; this is no table "
                "of categories"
            )
        if "\0" in line:
            raise UserError(
                f"{path}, line {number}: holds a NUL character; save the file as UTF-8 text"
            )
        yield line


def _check_header(path: Path, header: Sequence[str], label: str | None) -> None:
    if not header:
        raise UserError(f"{path}: is empty; its first line must name the columns")
    if len(header) == 1 and any(mark in header[0] for mark in ";\t"):
        raise UserError(f"{path}, line 1: one column, {header[0]!r}; separate the cells by commas")
    for i, name in enumerate(header):
        if not name:
            raise UserError(f"{path}, line 1: column {i + 1} has no name; give it one")
        if len(name) > LONGEST or any(mark in name for mark in _CONTROL):
            raise UserError(
                f"{path}, line 1: the name of column {i + 1} holds a line break or is longer than "
                f"{LONGEST} characters; shorten it"
            )
        if name in header[:i]:
            raise UserError(f"{path}, line 1: column {name!r} occurs twice; rename one of them")
        if name in RESERVED and name != label:
            raise UserError(f"{path}, line 1: a column may not be called {name!r}; rename it")


def _check_cells(
    path: Path, frame: pd.DataFrame, lines: Sequence[int], entry: Mapping[str, Any], unit: str
) -> None:
    unused = set(entry.get("without", []))
    used = [name for name in entry.get("attributes", frame.columns) if name not in unused]
    label = entry.get("class")
    for column in dict.fromkeys([*used, *([label] if label else [])]):
        _check_texts(path, frame[column], lines, unit)
    for column in used:
        if (frame[column] == MISSING).all():
            raise UserError(
                f"{path}: every cell of column {column!r} is missing; leave it out: "
                f"`without: [{column}]`"
            )
    if label and (holes := (frame[label] == MISSING).to_numpy()).any():
        raise UserError(
            f"{path}, {unit} {lines[holes.argmax()]}: the class {label!r} is missing; fill it in "
            "or remove the row"
        )
    for column in entry.get("numeric", []):
        for line, cell in zip(lines, frame[column], strict=True):
            if cell != MISSING and not _is_number(cell):
                raise UserError(
                    f"{path}, {unit} {line}: {cell!r} in the numeric column {column!r} is no "
                    "number; write it as 1234.5, or take the column out of `numeric`"
                )


def _check_texts(path: Path, column: pd.Series, lines: Sequence[int], unit: str) -> None:
    """Refuse cells that are no name of a category."""
    for cell in set(column):
        control = next((name for mark, name in _CONTROL.items() if mark in cell), "")
        if control or len(cell) > LONGEST:
            line = lines[int((column == cell).to_numpy().argmax())]
            problem = f"holds {control}" if control else f"has {len(cell)} characters"
            raise UserError(
                f"{path}, {unit} {line}: a cell of column {column.name!r} {problem} and names no "
                f"category; shorten or mend it, or leave the column out: `without: [{column.name}]`"
            )


def _is_number(text: str) -> bool:
    if not text.isascii() or "_" in text:  # Python reads 1_000 and other digits too
        return False
    try:
        return float(text) - float(text) == 0  # neither NaN nor infinite
    except ValueError:
        return False
