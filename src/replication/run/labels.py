"""Label vectors of clusterings on disk, so that any score can be computed without clustering again.

A file has one row per clustering. Its ``labels`` hold one number per object of the coded or
prepared table, in the order of that table, whatever the order in which the objects were
clustered; null for an object that was left out. Files are byte-identical for identical content.
"""

from __future__ import annotations

import base64
import zlib
from collections.abc import Iterable, Iterator, Mapping
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from replication.errors import UserError

if TYPE_CHECKING:
    import pandas as pd
    import pyarrow as pa

ABSENT = -1
"""Label in memory of an object that was left out."""
TEXTS = ("paper", "job", "dataset", "measure", "algorithm", "setting")
NUMBERS = ("sample", "order", "trial")
COLUMNS = (*TEXTS, *NUMBERS, "labels")
"""Columns of a file. ``job`` is the experiment, or method and reading; ``setting`` says what else
tells the clusterings of a job apart; ``sample``, ``order`` (of the rows) and ``trial`` count."""

_ROWS_PER_GROUP = 1 << 22

LabelRows = list[tuple[dict[str, Any], np.ndarray]]
"""Label vectors with what tells them apart, see `write_labels`."""


def write_labels(path: Path, rows: Iterable[tuple[Mapping[str, Any], np.ndarray]]) -> None:
    """Write the label vectors of one job, whole or not at all.

    Parameters
    ----------
    path : Path
        Where to (Parquet).
    rows : iterable of (mapping, ndarray of int, shape (n,))
        `COLUMNS` but the last, missing ones empty or 0; and the labels, `ABSENT` for an object
        that was left out.
    """
    import pyarrow as pa
    import pyarrow.parquet as pq

    schema = pa.schema(
        [
            *((name, pa.string()) for name in TEXTS),
            *((name, pa.int32()) for name in NUMBERS),
            ("labels", pa.list_(pa.int32())),
        ]
    )
    path = Path(path)
    path.parent.mkdir(parents=True, exist_ok=True)
    partial = path.with_name(path.name + ".partial")
    waiting: list[tuple[Mapping[str, Any], np.ndarray]] = []
    with pq.ParquetWriter(partial, schema, compression="zstd") as writer:

        def flush() -> None:
            vectors = [labels for _, labels in waiting]
            flat = np.concatenate(vectors).astype(np.int32)
            ends = np.cumsum([0, *map(len, vectors)])
            columns = [
                *(_texts([str(key.get(name, "")) for key, _ in waiting]) for name in TEXTS),
                *(
                    _numbers(np.array([int(key.get(name, 0)) for key, _ in waiting]))
                    for name in NUMBERS
                ),
                pa.ListArray.from_arrays(_numbers(ends), _numbers(flat, flat != ABSENT)),
            ]
            writer.write_table(pa.Table.from_arrays(columns, schema=schema))
            waiting.clear()

        n_waiting = 0
        for key, labels in rows:
            waiting.append((key, labels))
            n_waiting += len(labels)
            if n_waiting >= _ROWS_PER_GROUP:
                flush()
                n_waiting = 0
        if waiting:
            flush()
    partial.replace(path)


# Arrays from their buffers: pyarrow imports pandas to look at anything else.
def _numbers(values: np.ndarray, present: np.ndarray | None = None) -> pa.Array:
    """Return integers of 32 bits, null where not present."""
    import pyarrow as pa

    known = None if present is None or present.all() else np.packbits(present, bitorder="little")
    buffers = [
        None if known is None else pa.py_buffer(known),
        pa.py_buffer(values.astype(np.int32)),
    ]
    return pa.Array.from_buffers(pa.int32(), len(values), buffers)


def _texts(texts: list[str]) -> pa.Array:
    """Return texts."""
    import pyarrow as pa

    encoded = [text.encode() for text in texts]
    ends = np.cumsum([0, *map(len, encoded)]).astype(np.int32)
    buffers = [None, pa.py_buffer(ends), pa.py_buffer(b"".join(encoded))]
    return pa.Array.from_buffers(pa.string(), len(texts), buffers)


def each_labels(path: Path) -> Iterator[tuple[tuple[str | int, ...], np.ndarray]]:
    """Read what `write_labels` wrote, a group of rows at a time.

    Parameters
    ----------
    path : Path
        Where from.

    Yields
    ------
    key : tuple of str and int
        `COLUMNS` but the last.
    labels : ndarray of int64, shape (n,)
        `ABSENT` for an object that was left out.

    Raises
    ------
    UserError
        If the file cannot be read.
    """
    import pyarrow as pa
    import pyarrow.parquet as pq

    try:
        with pq.ParquetFile(path) as file:
            for group in range(file.num_row_groups):
                table = file.read_row_group(group)
                keys = zip(*(table[name].to_pylist() for name in COLUMNS[:-1]), strict=True)
                column = table["labels"].combine_chunks()
                labels = column.values.fill_null(ABSENT).to_numpy().astype(np.int64)
                for key, (begin, end) in zip(
                    keys, pairwise(column.offsets.to_pylist()), strict=True
                ):
                    yield key, labels[begin:end]
    except (OSError, pa.ArrowException) as error:
        raise UserError(f"{path}: cannot be read ({error}); delete it and run again") from error


def read_labels(path: Path) -> pd.DataFrame:
    """Read what `write_labels` wrote.

    Parameters
    ----------
    path : Path
        Where from.

    Returns
    -------
    DataFrame
        `COLUMNS`; ``labels`` holds arrays of int64, `ABSENT` for an object that was left out.

    Raises
    ------
    UserError
        If the file cannot be read.
    """
    import pandas as pd

    rows = [(*key, labels) for key, labels in each_labels(path)]
    return pd.DataFrame(rows, columns=list(COLUMNS))


def pack(labels: np.ndarray) -> dict[str, Any]:
    """Label vectors as JSON can hold them.

    Parameters
    ----------
    labels : ndarray of int, shape (t, n)
        `ABSENT` or larger.
    """
    small = np.min_scalar_type(labels.max(initial=0) + 1)
    # what a job keeps to the end only: the files are packed better
    data = zlib.compress((labels - ABSENT).astype(small).tobytes(), level=1)
    return {
        "shape": list(labels.shape),
        "type": small.name,
        "data": base64.b64encode(data).decode("ascii"),
    }


def unpack(packed: Mapping[str, Any]) -> np.ndarray:
    """Label vectors that `pack` packed, int64 of shape (t, n)."""
    data = zlib.decompress(base64.b64decode(packed["data"]))
    labels = np.frombuffer(data, dtype=packed["type"]).reshape(packed["shape"])
    return labels.astype(np.int64) + ABSENT
