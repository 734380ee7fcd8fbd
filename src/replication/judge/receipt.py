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

from replication.files import read_rows, rows_text, write_rows
from replication.run.labels import read_labels
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
    frame = read_labels(path)
    total = hashlib.sha256()
    for row in frame.itertuples(index=False):
        total.update(json.dumps([*map(str, row[:-1]), *row.labels.tolist()]).encode())
    return {"rows": len(frame), "sha256": total.hexdigest()}


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
