"""Parquet files of the reader's own: cells as text, in batches, a sample where they are many."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from replication.errors import UserError
from replication.files import MISSING

MISSING_LABELS = ("", MISSING)
"""Cells that count as missing; the same as in `couplings.CategoricalTable.from_csv`."""
MOST_CELLS = 20_000_000
"""Cells that are held at a time: as text and as codes they take a few gigabytes."""


def is_parquet(path: Path) -> bool:
    """Return whether the path is a folder or has a name of a Parquet file."""
    return path.is_dir() or path.suffix == ".parquet"


def parquet_cells(
    path: Path, entry: Mapping[str, Any], place: str
) -> tuple[list[str], list[list[str]], list[int]]:
    """Return the header, the rows and their numbers from 1.

    Parameters
    ----------
    path : Path
        A Parquet file, or a folder of such; folders named ``year=2024`` are a column.
    entry : mapping
        The entry of the data set: `rows` limits the rows that are used.
    place : str
        The entry's place in the configuration, for messages.

    Raises
    ------
    UserError
        If the files cannot be read, differ in their columns, a column holds neither text nor
        numbers, or the rows are too many to be used all.
    """
    import numpy as np

    from couplings.errors import TableError
    from couplings.parquet import ParquetTexts

    try:
        texts = ParquetTexts.open(path)
        n, header = texts.n_rows, list(texts.names)
        most = entry.get("rows")
        if most is None and n * len(header) > MOST_CELLS:
            raise UserError(
                f"{path}: {n} rows of {len(header)} columns are more than the workflow holds at a "
                f"time; take a random sample of them, for instance `rows: "
                f"{max(2, MOST_CELLS // (10 * len(header)))}` in {place}, or cluster all of them "
                "with couplings.large (docs/beyond-one-machine.md)"
            )
        if most is not None and most * len(header) > MOST_CELLS:
            raise UserError(
                f"{place}.rows: {most} rows of {len(header)} columns are more than the workflow "
                f"holds at a time; ask for {MOST_CELLS // len(header)} at most"
            )
        wanted = np.arange(n)
        if most is not None and n > most:
            # The seed is fixed: the same files give the same sample.
            wanted = np.sort(np.random.default_rng(0).choice(n, most, replace=False))
        rows = [
            [
                MISSING if cell is None or cell.strip() in MISSING_LABELS else cell.strip()
                for cell in row
            ]
            for row in texts.rows(wanted)
        ]
    except TableError as error:
        raise UserError(str(error)) from error
    return header, rows, (wanted + 1).tolist()
