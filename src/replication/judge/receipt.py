"""Step `receipt`: digests of what a run found, the same on every machine that found the same.

The digest of a table leaves its measured cells out. Two runs with equal receipts differ in times
at most.
"""

from __future__ import annotations

import argparse
import hashlib
import json
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from replication.files import read_rows, rows_text, write_rows
from replication.run.labels import each_labels
from replication.steps import specification

COLUMNS = ("file", "rows", "sha256")


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments of the step."""
    parser.add_argument("--spec", required=True, help="files and their measured columns (JSON)")
    parser.add_argument("--output", type=Path, required=True, help="output (CSV)")


def run(args: argparse.Namespace) -> int:
    """Run the step."""
    write_rows(args.output, COLUMNS, receipt(specification(args.spec)["files"]))
    return 0


def receipt(records: Iterable[Mapping[str, Any]]) -> list[dict[str, Any]]:
    """Receipt of files.

    Parameters
    ----------
    records : iterable of mapping
        ``name``, ``file`` and ``measured``, see `replication.plan.recording.receipt_records`.

    Returns
    -------
    list of dict
        One row per file, by `COLUMNS`.

    Raises
    ------
    UserError
        If a file cannot be read.
    """
    return [{"file": one["name"], **digest(Path(one["file"]), one["measured"])} for one in records]


def digest(path: Path, measured: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    """Rows and SHA-256 of the content of one file: a table, or label vectors (Parquet).

    Raises
    ------
    UserError
        If the file cannot be read.
    """
    if path.suffix == ".parquet":
        return _of_labels(path)
    rows = read_rows(path)
    text = rows_text(list(rows[0]) if rows else (), [stable(row, measured) for row in rows])
    return {"rows": len(rows), "sha256": hashlib.sha256(text.encode()).hexdigest()}


def _of_labels(path: Path) -> dict[str, Any]:
    """Digest of label vectors and of what they belong to, however the file is compressed."""
    total = hashlib.sha256()
    rows = 0
    for key, labels in each_labels(path):
        total.update(json.dumps([str(one) for one in key])[:-1].encode())
        total.update(b", " * bool(len(labels)) + numbers_text(labels) + b"]")
        rows += 1
    return {"rows": rows, "sha256": total.hexdigest()}


def numbers_text(numbers: np.ndarray) -> bytes:
    """Text of integers as JSON has it between the brackets of a list.

    Parameters
    ----------
    numbers : ndarray of int, shape (n,)
        Where they lie close together, the text of each different one is made once.

    Returns
    -------
    bytes
        Empty for no numbers.
    """
    least, largest = (int(numbers.min()), int(numbers.max())) if len(numbers) else (0, 0)
    if largest - least > len(numbers):
        return json.dumps(numbers.tolist())[1:-1].encode()
    # of one width, filled up with zero bytes, which no number has
    texts = np.array([f"{number}, ".encode() for number in range(least, largest + 1)])
    return texts[numbers - least].tobytes().replace(b"\0", b"")[:-2]


def stable(row: Mapping[str, str], measured: Iterable[Mapping[str, Any]]) -> dict[str, str]:
    """Row without its measured cells."""
    left_out = measured_in(row, measured)
    return {name: "" if name in left_out else cell for name, cell in row.items()}


def measured_in(row: Mapping[str, str], measured: Iterable[Mapping[str, Any]]) -> set[str]:
    """Columns that hold a measured time or memory in this row."""
    return {
        column
        for rule in measured
        if all(row.get(name) in values for name, values in rule.get("where", {}).items())
        for column in rule["columns"]
    }
