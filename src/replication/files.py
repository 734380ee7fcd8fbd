"""Files as the steps write and read them: whole or not at all, the same content, the same bytes."""

from __future__ import annotations

import csv
import errno
import hashlib
import io
import json
import os
import re
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
_LONGEST_CELL = 2**31 - 1


@contextmanager
def atomic_write(path: Path) -> Iterator[Path]:
    """File beside `path` to write to, of this process alone; it takes that place when it is whole.

    Raises
    ------
    UserError
        If the disk is full.
    """
    path = Path(path)
    path.parent.mkdir(parents=True, exist_ok=True)
    partial = path.with_name(f"{path.name}.{os.getpid()}.partial")
    try:
        yield partial
        partial.replace(path)
    except BaseException as error:
        partial.unlink(missing_ok=True)
        if isinstance(error, OSError) and error.errno == errno.ENOSPC:
            raise UserError(f"{path}: no space left on its disk; make room, run again") from error
        raise


@contextmanager
def readable(path: Path) -> Iterator[None]:
    """Make one message of whatever keeps a file from being read.

    Raises
    ------
    UserError
        If it is missing or damaged.
    """
    try:
        yield
    except (OSError, ValueError, RecursionError, csv.Error) as error:
        reason = getattr(error, "strerror", None) or str(error).partition("\n")[0]
        raise UserError(
            f"{path}: cannot be read ({reason or type(error).__name__}); delete it, if it is "
            "there, and run the workflow again"
        ) from error


def write_text(path: Path, text: str) -> None:
    """Write a whole file or nothing."""
    write_bytes(path, text.encode())


def write_bytes(path: Path, payload: bytes) -> None:
    """Write a whole file or nothing."""
    with atomic_write(path) as partial:
        partial.write_bytes(payload)


def write_json(path: Path, content: dict[str, Any]) -> None:
    """Write a JSON object with sorted keys."""
    write_text(path, json.dumps(content, sort_keys=True, ensure_ascii=False, indent=1) + "\n")


def read_json(path: Path, *keys: str) -> dict[str, Any]:
    """Read a JSON object written by an earlier step, which must have some keys.

    Raises
    ------
    UserError
        If the file is missing or damaged, is no object, or lacks a key.
    """
    with readable(path):
        content = json.loads(Path(path).read_text(encoding="utf-8"))
    if not isinstance(content, dict):
        raise UserError(f"{path}: holds no JSON object; delete it and run again")
    for key in keys:
        if key not in content:
            raise UserError(f"{path}: lacks {key!r}, so no step wrote it; delete it and run again")
    return content


def digest(path: Path) -> str:
    """SHA-256 of a file, as 64 hexadecimal digits."""
    with Path(path).open("rb") as stream:
        return hashlib.file_digest(stream, "sha256").hexdigest()


def check_digest(path: Path, expected: str, mend: str = "delete it and run again") -> None:
    """Check that a file is the one that was published, or that an earlier step wrote.

    Raises
    ------
    UserError
        If it is missing or another one; the message ends with `mend`.
    """
    with readable(path):
        found = digest(path)
    if found != expected:
        raise UserError(
            f"{path}: not the expected file: cut short, or changed (sha256 {found}, expected "
            f"{expected}); {mend}"
        )


def write_rows(path: Path, columns: Sequence[str], rows: Iterable[Mapping[str, Any]]) -> None:
    """Write a file whole, or not at all; the same rows give the same bytes.

    The columns are the header, and the keys of each row; a missing key or None is an empty cell.
    Numbers are written so that they read back the same, a line break as a space.
    """
    write_text(path, rows_text(columns, rows))


def rows_text(columns: Sequence[str], rows: Iterable[Mapping[str, Any]]) -> str:
    """Text of a file, as `write_rows` writes it."""
    stream = io.StringIO()
    writer = csv.writer(stream, lineterminator="\n")
    writer.writerow(columns)
    writer.writerows([_cell(row.get(name)) for name in columns] for row in rows)
    return stream.getvalue()


def _cell(cell: object) -> object:
    """A cell as it is written: truth as a word, text in one line."""
    if isinstance(cell, bool):
        return "yes" if cell else "no"
    return " ".join(re.split("\r\n|\r|\n", cell)) if isinstance(cell, str) else cell


def read_rows(path: Path, columns: Sequence[str] | None = None) -> list[dict[str, str]]:
    """Read a file, which must have the given columns, if any; every cell is a text.

    Raises
    ------
    UserError
        If the file cannot be read or has other columns.
    """
    csv.field_size_limit(_LONGEST_CELL)
    with readable(path), Path(path).open(encoding="utf-8", newline="") as stream:
        reader = csv.DictReader(stream)
        header = tuple(reader.fieldnames or ())
        rows = list(reader)
    if any(None in row or None in row.values() for row in rows):
        raise UserError(
            f"{path}: a row has more or fewer cells than the header; delete it and run again"
        )
    if columns is not None and header != tuple(columns):
        raise UserError(f"{path}: columns must be {', '.join(columns)}; delete it and run again")
    return rows


def read_raw(path: Path) -> pd.DataFrame:
    """Read a raw table: every cell a text, blanks kept.

    Raises
    ------
    UserError
        If the file is missing or no table.
    """
    import pandas as pd

    with readable(path):
        return pd.read_csv(path, dtype=str, keep_default_na=False, na_filter=False)
