"""Read and write files: writing is atomic, and the same content gives the same bytes."""

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

CLASS = "class label"
"""Column with the classes in a prepared table; no registered column has a space in its name."""
MISSING = "?"
"""Text of a missing cell in a raw or prepared table."""
_LONGEST_CELL = 2**31 - 1
_KEPT = ("published", "bundled")
"""Folders of files that no run makes again."""


@contextmanager
def atomic_write(path: Path) -> Iterator[Path]:
    """Yield a temporary file next to `path`, which takes its place once it is written.

    Raises `UserError` if the disk is full.
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
            raise UserError(f"{path}: the disk is full; free some space, run again") from error
        raise


@contextmanager
def readable(path: Path) -> Iterator[None]:
    """Turn any error in reading a file into one message.

    Raises `UserError` if it is missing or damaged.
    """
    try:
        yield
    except (OSError, ValueError, RecursionError, csv.Error) as error:
        reason = getattr(error, "strerror", None) or str(error).partition("\n")[0]
        made = "delete it if it exists, and run the workflow again"
        raise UserError(
            f"{path}: cannot be read ({reason or type(error).__name__}); {_remedy(path, made)}"
        ) from error


def _remedy(path: Path, made: str = "delete it and run again") -> str:
    """Return what to do about a damaged file; `made` is for one that a run makes."""
    return "restore it from git" if Path(path).parent.name in _KEPT else made


def write_text(path: Path, text: str) -> None:
    """Write a text file atomically."""
    write_bytes(path, text.encode())


def write_bytes(path: Path, payload: bytes) -> None:
    """Write a file atomically."""
    with atomic_write(path) as partial:
        partial.write_bytes(payload)


def write_json(path: Path, content: dict[str, Any]) -> None:
    """Write a JSON object with sorted keys."""
    write_text(path, json.dumps(content, sort_keys=True, ensure_ascii=False, indent=1) + "\n")


def read_json(path: Path, *keys: str) -> dict[str, Any]:
    """Read a JSON object written by an earlier step, which must have the given keys.

    Raises `UserError` if the file is missing or damaged, is not an object, or lacks a key.
    """
    with readable(path):
        content = json.loads(Path(path).read_text(encoding="utf-8"))
    if not isinstance(content, dict):
        raise UserError(f"{path}: not a JSON object; delete it and run again")
    for key in keys:
        if key not in content:
            raise UserError(f"{path}: the key {key!r} is missing; delete it and run again")
    return content


def digest(path: Path) -> str:
    """Return the SHA-256 of a file, as 64 hexadecimal digits."""
    return hashlib.sha256(Path(path).read_bytes()).hexdigest()


def check_digest(path: Path, expected: str, advice: str = "delete it and run again") -> None:
    """Check that a file has the expected SHA-256.

    Raises `UserError` if it is missing or differs; the message ends with `advice`.
    """
    with readable(path):
        found = digest(path)
    if found != expected:
        raise UserError(
            f"{path}: not the expected file: cut short or changed (sha256 {found}, expected "
            f"{expected}); {advice}"
        )


def write_rows(path: Path, columns: Sequence[str], rows: Iterable[Mapping[str, Any]]) -> None:
    """Write rows as CSV, atomically; the same rows give the same bytes.

    The columns are the header and the keys of each row; a missing key or None is an empty cell.
    Numbers keep all their digits, and a line break becomes a space.
    """
    write_text(path, rows_text(columns, rows))


def rows_text(columns: Sequence[str], rows: Iterable[Mapping[str, Any]]) -> str:
    """Return the text that `write_rows` writes."""
    stream = io.StringIO()
    writer = csv.writer(stream, lineterminator="\n")
    writer.writerow(columns)
    writer.writerows([_cell(row.get(name)) for name in columns] for row in rows)
    return stream.getvalue()


def _cell(cell: object) -> object:
    """Return a cell as it is written: booleans as words, texts in one line."""
    if isinstance(cell, bool):
        return "yes" if cell else "no"
    return " ".join(re.split("\r\n|\r|\n", cell)) if isinstance(cell, str) else cell


def read_rows(path: Path, columns: Sequence[str] | None = None) -> list[dict[str, str]]:
    """Read a CSV file as rows of texts, and check its columns if they are given.

    Raises `UserError` if the file cannot be read or has other columns.
    """
    csv.field_size_limit(_LONGEST_CELL)
    with readable(path), Path(path).open(encoding="utf-8", newline="") as stream:
        reader = csv.DictReader(stream)
        header = tuple(reader.fieldnames or ())
        rows = list(reader)
    if any(None in row or None in row.values() for row in rows):
        raise UserError(f"{path}: a row has more or fewer cells than the header; {_remedy(path)}")
    if columns is not None and header != tuple(columns):
        raise UserError(f"{path}: columns must be {', '.join(columns)}; {_remedy(path)}")
    if not rows and Path(path).parent.name in _KEPT[:1]:
        raise UserError(f"{path}: has no rows; {_remedy(path)}")
    return rows


def read_raw(path: Path) -> pd.DataFrame:
    """Read a table of texts, with blanks kept.

    Raises `UserError` if the file is missing or not a table.
    """
    import pandas as pd

    with readable(path):
        return pd.read_csv(path, dtype=str, keep_default_na=False, na_filter=False)
