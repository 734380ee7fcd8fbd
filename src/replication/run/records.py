"""Write, find and read the records between the steps: typed rows in Parquet."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pyarrow as pa
import pyarrow.parquet as pq

from replication.errors import UserError
from replication.files import atomic_write
from replication.steps import OK

if TYPE_CHECKING:
    import pandas as pd

MARK = "{dataset}"
"""Stands for the data set in the file of an entry with several data sets, see `Records`."""
STATUS = ("dataset", "status", "reason")
"""Columns of every file of records."""
_TYPES = {
    frozenset[type](): pa.null(),
    frozenset({bool}): pa.bool_(),
    frozenset({int}): pa.int64(),
    frozenset({float}): pa.float64(),
    frozenset({int, float}): pa.float64(),
    frozenset({str}): pa.string(),
}
"""Type of a column, by the types of its cells."""


def write_records(path: Path, columns: Sequence[str], rows: Iterable[Mapping[str, Any]]) -> None:
    """Write records as Parquet, atomically; the same rows give the same bytes.

    A column holds booleans, integers, floats or texts; integers beside floats become floats. A
    missing key, None or an empty text is a missing cell.

    Raises `UserError` if a column mixes texts with numbers, or holds anything else, and
    `ValueError` if a row has a key that is no column.
    """
    rows = list(rows)
    if others := {name for row in rows for name in row} - {*columns}:
        raise ValueError(f"{path}: no column is called {' or '.join(sorted(others))}")
    arrays = [_column(path, name, [row.get(name) for row in rows]) for name in columns]
    with atomic_write(path) as partial:
        pq.write_table(
            pa.Table.from_arrays(arrays, names=list(columns)), partial, write_page_checksum=True
        )


def _column(path: Path, name: str, cells: list[Any]) -> pa.Array:
    plain = [cell.item() if hasattr(cell, "item") else cell for cell in cells]
    plain = [None if cell == "" else cell for cell in plain]
    kinds = frozenset(type(cell) for cell in plain if cell is not None)
    if kinds not in _TYPES:
        held = " and ".join(sorted(kind.__name__ for kind in kinds))
        raise UserError(f"{path}: column {name!r}: {held}; yield one type per column")
    return pa.array(plain, _TYPES[kinds])


def _read(path: Path) -> pa.Table:
    try:
        return pq.ParquetFile(path, page_checksum_verification=True).read()
    except (OSError, pa.ArrowException) as error:
        # Snakemake looks for the folder that a job writes, not into it
        raise UserError(
            f"{path}: cannot be read ({error}); delete the folder {path.parent} and run again"
        ) from error


def record_rows(path: Path) -> list[dict[str, Any]]:
    """Return the records of one file as mappings; None for a missing cell."""
    return _read(path).to_pylist()


class Records:
    """Input files of a step, by role and ids, and the records in them.

    Parameters
    ----------
    inputs : iterable of mapping
        ``role`` (``facts``, ``prepared``, ``tables``, ``similarity``, ``trials``, ``experiment``,
        ``tests`` or ``table``), ``file`` and the ids that tell the files of a role apart. An entry
        with ``datasets`` stands for one file per data set; its ``file`` has `MARK` in their place.
    place : str
        Name of the step in messages.
    """

    def __init__(self, inputs: Iterable[Mapping[str, Any]], place: str) -> None:
        self._place = place
        self._entries = [
            {**entry, "dataset": dataset, "file": entry["file"].replace(MARK, dataset)}
            if dataset
            else dict(entry)
            for entry in inputs
            for dataset in entry.get("datasets", [""])
        ]

    def files(self, role: str, **wanted: str) -> list[Path]:
        """Return the files of a role with these ids, in the order of the specification."""
        found = {
            one["file"]: None
            for one in self._entries
            if one["role"] == role and all(one.get(key) == value for key, value in wanted.items())
        }
        return [Path(file) for file in found]

    def file(self, role: str, **wanted: str) -> Path:
        """Return the only file of a role with these ids.

        Raises `UserError` if there is none, or more than one.
        """
        found = self.files(role, **wanted)
        if len(found) != 1:
            asked = ", ".join([role, *(f"{key} {value}" for key, value in wanted.items())])
            raise UserError(f"{self._place}: {len(found)} input files for {asked}; one is needed")
        return found[0]

    def frame(self, role: str, **wanted: str) -> pd.DataFrame:
        """Return the records of a role with these ids, over all data sets that were computed.

        Rows of data sets that could not be downloaded have a ``status`` other than ``ok``. Without
        files the frame is empty. Missing numbers and texts are NaN.
        """
        tables = [_read(path) for path in self.files(role, **wanted)]
        none = pa.table({name: pa.array([], "string") for name in STATUS})
        return pa.concat_tables(tables or [none], promote_options="permissive").to_pandas()

    def tests(self) -> pd.DataFrame:
        """Return the results of the step `tests`."""
        return self.frame("tests")


def available(records: pd.DataFrame) -> pd.DataFrame:
    """Return the records of the available data sets."""
    return records[records["status"] == OK]
