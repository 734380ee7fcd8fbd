"""Raw files to one table of texts: strict, in file order, nothing guessed.

A data set's entry in ``config/datasets.yaml`` says how its files are read. The result is the
*canonical table*: all cells are texts as they stand in the file, a missing cell is ``?``, and
where a data set has several files the column `part` names the file of each row.
"""

from __future__ import annotations

import csv
import io
from collections.abc import Collection, Iterable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from replication.errors import UserError

if TYPE_CHECKING:
    import pandas as pd

MISSING = "?"
PART = "part"

_SEPARATORS = {"comma": ",", "semicolon": ";", "tab": "\t", "whitespace": " "}
_CHECK = "Check `parse`, `columns` and `files` of this data set in config/datasets.yaml"


def table_columns(spec: Mapping[str, Any]) -> list[str]:
    """Columns of the canonical table of a data set.

    Parameters
    ----------
    spec : mapping
        The entry of the data set in ``config/datasets.yaml``.

    Returns
    -------
    list of str
        The raw columns that are not ignored, and `part` if there are several files.
    """
    ignored = spec.get("ignored") or {}
    columns = [column for column in spec["columns"] if column not in ignored]
    return [*columns, PART] if len(spec["files"]) > 1 else columns


def parse_dataset(spec: Mapping[str, Any], payloads: Mapping[str, bytes]) -> pd.DataFrame:
    """Read the files of one data set into its canonical table.

    Parameters
    ----------
    spec : mapping
        The entry of the data set in ``config/datasets.yaml``.
    payloads : mapping of str to bytes
        Contents of the files, by file name.

    Returns
    -------
    pandas.DataFrame
        Texts only; rows in the order of the files, and of the lines within each file.

    Raises
    ------
    UserError
        If a line has another number of fields than stated, a field is empty, a numeric column
        holds a text, or the number of rows is not the expected one.
    """
    import pandas as pd

    several = len(spec["files"]) > 1
    rows: list[list[str]] = []
    for file in spec["files"]:
        name = file["name"]
        if name not in payloads:
            raise UserError(f"{name}: the content of this file was not handed over to the parser.")
        part = _parse_file(spec, file, payloads[name])
        expected = file.get("rows")
        if expected is not None and len(part) != expected:
            raise UserError(
                f"{name}: found {len(part)} rows where {expected} are expected. The file is cut "
                f"short or another version; delete it and fetch it again. {_CHECK}."
            )
        rows.extend([*row, name] for row in part) if several else rows.extend(part)
    shape = spec.get("shape") or {}
    if "rows" in shape and len(rows) != shape["rows"]:
        raise UserError(
            f"{_names(spec)}: found {len(rows)} rows in all where `shape` expects "
            f"{shape['rows']}. {_CHECK}."
        )
    return pd.DataFrame(rows, columns=table_columns(spec), dtype="str")


def _names(spec: Mapping[str, Any]) -> str:
    return ", ".join(file["name"] for file in spec["files"])


def _parse_file(
    spec: Mapping[str, Any], file: Mapping[str, Any], payload: bytes
) -> list[list[str]]:
    name = file["name"]
    parse = spec.get("parse") or {}
    lacks = set(file.get("lacks") or ())
    ignored = set(spec.get("ignored") or ())
    columns = [column for column in spec["columns"] if column not in lacks]
    kept = [k for k, column in enumerate(columns) if column not in ignored]
    if lacks - ignored:
        raise UserError(
            f"{name}: lacks the columns {sorted(lacks - ignored)}, which the table needs. "
            "List them under `ignored` of this data set in config/datasets.yaml."
        )
    skipped = {skip["line"] for skip in file.get("skip_lines") or ()}
    suffixes = file.get("strip_suffix") or {}
    missing = set(parse.get("missing") or ())
    numeric = set(spec.get("numeric") or ())
    keep_blanks = set(parse.get("keep_blanks") or ()) if parse.get("strip", True) else set(columns)
    header = bool(parse.get("header", False))

    rows: list[list[str]] = []
    for number, fields in records(name, payload, parse, skipped):
        if len(fields) != len(columns):
            raise UserError(
                f"{name}, line {number}: expected {len(columns)} fields, found {len(fields)}. "
                f"If the line is known to be malformed, list it under `skip_lines`. {_CHECK}."
            )
        if header:
            header = False
            found = [field.strip() for field in fields]
            if found != columns:
                raise UserError(
                    f"{name}, line {number}: the header is {found}, expected {columns}. {_CHECK}."
                )
            continue
        row = []
        for k in kept:
            column, cell = columns[k], fields[k]
            if column not in keep_blanks:
                cell = cell.strip()
            suffix = suffixes.get(column)
            if suffix:
                cell = cell.removesuffix(suffix)
            if cell in missing:
                cell = MISSING
            elif cell == "":
                raise UserError(
                    f"{name}, line {number}, column {column}: the field is empty. If this means a "
                    f'missing value, add "" to `parse.missing`. {_CHECK}.'
                )
            elif column in numeric and not _is_number(cell):
                raise UserError(
                    f"{name}, line {number}, column {column}: {cell!r} is not a number. If this "
                    f"means a missing value, add it to `parse.missing`. {_CHECK}."
                )
            row.append(cell)
        rows.append(row)
    return rows


def records(
    name: str, payload: bytes, parse: Mapping[str, Any], skipped: Collection[int] = ()
) -> Iterable[tuple[int, list[str]]]:
    """Yield line numbers, counted from 1, and their fields; lines without content are no rows."""
    separator = _SEPARATORS[parse.get("separator", "comma")]
    quote = parse.get("quote")
    options: dict[str, Any] = {"delimiter": separator, "strict": True}
    if quote:
        options["quotechar"] = quote
    else:
        options["quoting"] = csv.QUOTE_NONE
    blanks, letters = separator == " ", parse.get("letters", False)
    if blanks:
        options["skipinitialspace"] = True
    for number, line in enumerate(_text(name, payload).split("\n"), start=1):
        line = line.removesuffix("\r")
        if number in skipped or not line.strip():
            continue
        if blanks:
            line = line.replace("\t", " ").strip()
        try:
            (fields,) = csv.reader([line], **options)
        except csv.Error as error:
            raise UserError(
                f"{name}, line {number}: {error}. {_CHECK}, `quote` above all."
            ) from error
        yield number, [*fields[:-1], *fields[-1].strip()] if letters else fields


def _text(name: str, payload: bytes) -> str:
    try:
        text = payload.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = payload.count(b"\n", 0, error.start) + 1
        raise UserError(
            f"{name}, line {line}: byte {error.start} is not UTF-8 text ({error.reason}). Save the "
            "file in UTF-8, or fetch it again."
        ) from error
    if "\0" in text:
        line = text.count("\n", 0, text.index("\0")) + 1
        raise UserError(f"{name}, line {line}: a NUL character; this is not a text file.")
    return text


def _is_number(cell: str) -> bool:
    try:
        float(cell)
    except ValueError:
        return False
    return True


def table_bytes(frame: pd.DataFrame) -> bytes:
    """Canonical table as CSV: UTF-8, a header, line ends of one character, quotes only at need.

    Parameters
    ----------
    frame : pandas.DataFrame
        Texts only.

    Returns
    -------
    bytes
        The same bytes for the same table, on every system.
    """
    buffer = io.StringIO()
    writer = csv.writer(buffer, lineterminator="\n")
    writer.writerow(frame.columns)
    writer.writerows(frame.itertuples(index=False, name=None))
    return buffer.getvalue().encode()


def table_from_bytes(payload: bytes, *, name: str) -> pd.DataFrame:
    """Read back what `table_bytes` wrote.

    Parameters
    ----------
    payload : bytes
        The CSV.
    name : str
        What to call the table in error messages.

    Returns
    -------
    pandas.DataFrame
        Texts only.

    Raises
    ------
    UserError
        If a row has another number of fields than the header.
    """
    import pandas as pd

    try:
        rows = list(csv.reader(io.StringIO(_text(name, payload), newline=""), strict=True))
    except csv.Error as error:
        raise UserError(
            f"{name}: not a canonical table ({error}); delete and remake it."
        ) from error
    if not rows:
        raise UserError(f"{name}: empty, not even a header; delete and remake it.")
    for number, row in enumerate(rows, start=1):
        if len(row) != len(rows[0]):
            raise UserError(
                f"{name}, row {number}: expected {len(rows[0])} fields, found {len(row)}; "
                "delete and remake it."
            )
    return pd.DataFrame(rows[1:], columns=rows[0], dtype="str")


def read_table(path: Path | str) -> pd.DataFrame:
    """Read a canonical table from a CSV file, every cell as a text.

    Parameters
    ----------
    path : path
        A file that the download step wrote.

    Returns
    -------
    pandas.DataFrame
        Texts only; missing cells are ``?``.
    """
    path = Path(path)
    try:
        payload = path.read_bytes()
    except OSError as error:
        raise UserError(f"{path}: cannot be read ({error.strerror or error}).") from error
    return table_from_bytes(payload, name=str(path))
