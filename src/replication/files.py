"""Files as the steps write and read them: whole or not at all, the same content, the same bytes."""

from __future__ import annotations

import csv
import errno
import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

from replication.errors import UserError

if TYPE_CHECKING:
    import pandas as pd

CLASS = "class_label"
"""Column of a prepared table that holds the classes."""
MISSING = "?"
"""Cell of a raw or prepared table that is missing."""


@contextmanager
def whole(path: Path) -> Iterator[Path]:
    """File beside `path` to write to; it takes that place when everything is written.

    Raises
    ------
    UserError
        If the disk is full.
    """
    path = Path(path)
    path.parent.mkdir(parents=True, exist_ok=True)
    partial = path.with_name(path.name + ".partial")
    try:
        yield partial
        partial.replace(path)
    except BaseException as error:
        partial.unlink(missing_ok=True)
        if isinstance(error, OSError) and error.errno == errno.ENOSPC:
            raise UserError(f"{path}: no space left on its disk; make room, run again") from error
        raise


def write_text(path: Path, text: str) -> None:
    """Write a whole file or nothing."""
    with whole(path) as partial:
        partial.write_text(text, encoding="utf-8", newline="\n")


def write_json(path: Path, content: dict[str, Any]) -> None:
    """Write a JSON object with sorted keys."""
    write_text(path, json.dumps(content, sort_keys=True, ensure_ascii=False, indent=1) + "\n")


def read_json(path: Path) -> dict[str, Any]:
    """Read a JSON object written by an earlier step.

    Raises
    ------
    UserError
        If the file is missing or damaged.
    """
    try:
        return json.loads(Path(path).read_text(encoding="utf-8"))
    except (OSError, json.JSONDecodeError) as error:
        raise UserError(f"{path}: cannot be read ({error}); delete it and run again") from error


def write_rows(path: Path, columns: Sequence[str], rows: Iterable[Mapping[str, Any]]) -> None:
    """Write a file whole, or not at all; the same rows give the same bytes.

    Parameters
    ----------
    path : Path
        Where to.
    columns : sequence of str
        Header, and the keys of each row. A missing key or None is an empty cell.
    rows : iterable of mapping
        Numbers are written so that they read back the same, a line break as a space.
    """
    write_text(path, rows_text(columns, rows))


def rows_text(columns: Sequence[str], rows: Iterable[Mapping[str, Any]]) -> str:
    """Text of a file, as `write_rows` writes it."""
    lines = [_line(columns), *(_line(row.get(name) for name in columns) for row in rows)]
    return "\n".join(lines) + "\n"


def read_rows(path: Path, columns: Sequence[str] | None = None) -> list[dict[str, str]]:
    """Read a file; every cell is a text.

    Parameters
    ----------
    path : Path
        Where from.
    columns : sequence of str, optional
        The header that the file must have.

    Raises
    ------
    UserError
        If the file cannot be read or has other columns.
    """
    try:
        with Path(path).open(encoding="utf-8", newline="") as stream:
            reader = csv.DictReader(stream)
            rows = list(reader)
    except OSError as error:
        raise UserError(
            f"{path}: cannot be read ({error.strerror}); run the workflow again"
        ) from error
    if columns is not None and tuple(reader.fieldnames or ()) != tuple(columns):
        raise UserError(f"{path}: columns must be {', '.join(columns)}; delete it and run again")
    return rows


def _line(cells: Iterable[object]) -> str:
    return ",".join("" if cell is None else _cell(cell) for cell in cells)


def _cell(cell: object) -> str:
    if isinstance(cell, float):
        return repr(cell)
    text = str(cell)
    if any(mark in text for mark in ',"\n'):
        return '"' + text.replace('"', '""').replace("\n", " ") + '"'
    return text


def read_raw(path: Path) -> pd.DataFrame:
    """Read a raw table: every cell a text, blanks kept."""
    import pandas as pd

    return pd.read_csv(path, dtype=str, keep_default_na=False, na_filter=False)
