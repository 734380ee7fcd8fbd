"""Read raw files into one table of texts, in file order; anything unexpected is an error.

A data set's entry in ``config/datasets.yaml`` says how its files are read. The result is the
*canonical table*: all cells are texts as in the file, and a missing cell is ``?``. If a data set
has several files, the column `part` names the file of each row.
"""

import csv
import hashlib
import struct
from collections.abc import Collection, Iterable, Mapping
from typing import Any

import numpy as np
import pandas as pd

from replication.errors import UserError
from replication.files import MISSING

PART = "part"

_SEPARATORS = {"comma": ",", "semicolon": ";", "tab": "\t", "whitespace": " "}
_CHECK = "Check `parse`, `columns` and `files` of this data set in config/datasets.yaml"


def table_columns(spec: Mapping[str, Any]) -> list[str]:
    """Return the columns of the canonical table: not ignored, and `part` for several files."""
    columns = [column for column in spec["columns"] if column not in spec.get("ignored", ())]
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
    DataFrame of str
        Rows in the order of the files, and of the lines within each file.

    Raises
    ------
    UserError
        If a line has another number of fields than stated, a field is empty, a numeric column
        holds a text, or the number of rows is not the expected one.
    """
    parts: list[pd.DataFrame] = []
    names = [file["name"] for file in spec["files"]]
    for file in spec["files"]:
        name = file["name"]
        if names.count(name) > 1:
            raise UserError(f"{name}: listed {names.count(name)} times under `files`; list it once")
        part = _parse_file(spec, file, payloads[name])
        if len(part) != file.get("rows", len(part)):
            raise UserError(
                f"{name}: found {len(part)} rows where {file['rows']} are expected. The file is "
                f"cut short or another version; delete it and fetch it again. {_CHECK}."
            )
        parts.append(part.assign(**{PART: name}))
    return pd.concat(parts, ignore_index=True)[table_columns(spec)].astype("str")


def _parse_file(spec: Mapping[str, Any], file: Mapping[str, Any], payload: bytes) -> pd.DataFrame:
    name = file["name"]
    parse = spec.get("parse") or {}
    columns = [column for column in spec["columns"] if column not in file.get("lacks", ())]
    skipped = {skip["line"] for skip in file.get("skip_lines") or ()}
    lines = payload.count(b"\n") + 1
    if beyond := [line for line in sorted(skipped) if line > lines]:
        raise UserError(
            f"{name}: `skip_lines` names line {beyond[0]}, and the file has {lines}. {_CHECK}."
        )
    rows = dict(records(name, payload, parse, skipped))
    for number, fields in rows.items():
        if len(fields) != len(columns):
            raise UserError(
                f"{name}, line {number}: expected {len(columns)} fields, found {len(fields)}. "
                f"If the line is known to be malformed, list it under `skip_lines`. {_CHECK}."
            )
    if parse.get("header") and rows:
        number = next(iter(rows))
        header = [field.strip() for field in rows.pop(number)]
        if header != columns:
            raise UserError(
                f"{name}, line {number}: the header is {header}, expected {columns}. {_CHECK}."
            )
    frame = pd.DataFrame(list(rows.values()), list(rows), columns, dtype="str")
    frame = frame[[column for column in columns if column not in spec.get("ignored", ())]]
    return frame.apply(_clean, spec=spec, parse=parse, file=file)


def _clean(
    cells: pd.Series, spec: Mapping[str, Any], parse: Mapping[str, Any], file: Mapping[str, Any]
) -> pd.Series:
    """Return the cells of one column, by line, without blanks and suffixes, checked."""
    if cells.name not in parse.get("keep_blanks", ()):
        cells = cells.str.strip()
    if suffix := (file.get("strip_suffix") or {}).get(cells.name):
        cells = cells.str.removesuffix(suffix)
    missing, wrong = cells.isin(parse.get("missing") or ()), cells == ""
    if cells.name in (spec.get("numeric") or ()):
        wrong |= ~np.isfinite(pd.to_numeric(cells, errors="coerce"))
    for number in cells.index[wrong & ~missing]:
        cell = cells[number]
        problem = f"{cell!r} is not a finite number" if cell else "the field is empty"
        raise UserError(
            f"{file['name']}, line {number}, column {cells.name}: {problem}. If this means a "
            f"missing value, add {cell!r} to `parse.missing`. {_CHECK}."
        )
    return cells.mask(missing, MISSING)


def records(
    name: str, payload: bytes, parse: Mapping[str, Any], skipped: Collection[int] = ()
) -> Iterable[tuple[int, list[str]]]:
    """Yield line numbers, counted from 1, and their fields; lines without content are skipped."""
    separator = _SEPARATORS[parse.get("separator", "comma")]
    blanks = separator == " "
    options: dict[str, Any] = {
        "delimiter": separator,
        "quotechar": parse.get("quote"),
        "quoting": csv.QUOTE_MINIMAL if "quote" in parse else csv.QUOTE_NONE,
        "strict": True,
        "skipinitialspace": blanks,
    }
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
        yield number, [*fields[:-1], *fields[-1].strip()] if parse.get("letters") else fields


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


def table_bytes(frame: pd.DataFrame) -> bytes:
    """Return a canonical table as CSV: UTF-8, a header, Unix line ends, quotes only at need."""
    return frame.to_csv(index=False, lineterminator="\n").encode()


def table_fingerprint(frame: pd.DataFrame, numeric: Collection[str] = ()) -> str:
    """Return the SHA-256 of a table, independent of the names of its labels.

    Hashed are the number of rows and of columns (two little-endian int64) and then, column by
    column, the code of every cell, numbered in order of first appearance (little-endian int32).
    A one-to-one renaming of the labels of a column does not change the fingerprint. Every other
    change does: another order of rows, two merged labels, a moved label, another missing cell
    (``?`` is a label like any other). Two swapped columns change it unless both divide the rows
    into the same groups.

    Parameters
    ----------
    frame : pandas.DataFrame
        Texts only, without missing entries of pandas.
    numeric : collection of str, optional
        Columns that hold quantities, which no renaming may touch: of these the values are hashed
        (little-endian float64, a missing cell as one fixed NaN), so ``1``, ``1.0`` and ``01`` are
        the same. Names that are not columns of the table are an error.

    Returns
    -------
    str
        64 hexadecimal digits.
    """
    if unknown := {*numeric} - {*frame.columns}:
        raise KeyError(f"numeric columns that the table does not have: {sorted(unknown)}")
    digest = hashlib.sha256(struct.pack("<qq", *frame.shape))
    for column, cells in frame.items():
        if cells.isna().any():
            raise ValueError(f"column {column}: a missing cell must be the text {MISSING!r}")
        if column in numeric:
            values = np.array(
                [np.nan if cell == MISSING else float(cell) + 0.0 for cell in cells], dtype="<f8"
            )
            digest.update(values.tobytes())
        else:
            codes, _ = pd.factorize(cells, use_na_sentinel=False)
            digest.update(codes.astype("<i4").tobytes())
    return digest.hexdigest()
