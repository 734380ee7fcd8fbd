"""Store label vectors, so that any score can be computed without clustering again.

A file has one row per clustering. Its ``labels`` hold one number per object of the coded or
prepared table, in the order of that table, whatever the order in which the objects were
clustered; null for an object that was left out. Files are byte-identical for identical content.
"""

import base64
import zlib
from collections.abc import Iterator, Mapping, Sequence
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from replication.files import atomic_write, readable

ABSENT = -1
"""Label in memory of an object that was left out."""
TEXTS = ("paper", "job", "dataset", "measure", "algorithm", "setting")
NUMBERS = ("sample", "order", "trial")
COLUMNS = (*TEXTS, *NUMBERS, "labels")
"""Columns of a file. ``job`` is the experiment, or method and reading; ``setting`` identifies the
clusterings of a job; ``sample``, ``order`` (of the rows) and ``trial`` are counts."""

_SCHEMA = pa.schema(
    [(name, pa.string()) for name in TEXTS]
    + [(name, pa.int32()) for name in NUMBERS]
    + [("labels", pa.list_(pa.int32()))]
)
_ROWS_AT_ONCE = 1000

LabelRows = list[tuple[dict[str, Any], np.ndarray]]
"""Label vectors with their keys, see `write_labels`."""


def write_labels(path: Path, rows: Sequence[tuple[Mapping[str, Any], np.ndarray]]) -> None:
    """Write the label vectors of one job atomically.

    A row is a mapping of `COLUMNS` without the last (missing ones become empty or 0), and the
    labels of n objects.
    """
    with (
        atomic_write(path) as partial,
        pq.ParquetWriter(partial, _SCHEMA, compression="zstd") as to,
    ):
        for first in range(0, len(rows), _ROWS_AT_ONCE):
            keys, vectors = zip(*rows[first : first + _ROWS_AT_ONCE], strict=True)
            flat = np.concatenate(vectors, dtype=np.int32, casting="same_kind")
            ends = np.cumsum([0, *map(len, vectors)], dtype=np.int32)
            columns = [
                *([str(key.get(name, "")) for key in keys] for name in TEXTS),
                *([int(key.get(name, 0)) for key in keys] for name in NUMBERS),
                pa.ListArray.from_arrays(ends, pa.array(flat, mask=flat == ABSENT)),
            ]
            to.write_table(pa.Table.from_arrays(columns, schema=_SCHEMA))


def each_labels(path: Path) -> Iterator[tuple[tuple[str | int, ...], np.ndarray]]:
    """Yield the rows that `write_labels` wrote: values of `COLUMNS` without the last, and labels.

    Raises `UserError` if the file cannot be read.
    """
    with readable(path), pq.ParquetFile(path) as file:
        for group in range(file.num_row_groups):
            table = file.read_row_group(group)
            keys = zip(*(table[name].to_pylist() for name in COLUMNS[:-1]), strict=True)
            column = table["labels"].combine_chunks()
            labels = column.values.fill_null(ABSENT).to_numpy().astype(np.int64)
            for key, (begin, end) in zip(keys, pairwise(column.offsets.to_pylist()), strict=True):
                yield key, labels[begin:end]


def pack(labels: np.ndarray) -> dict[str, Any]:
    """Return label vectors of shape (t, n), `ABSENT` or larger, as JSON can hold them."""
    small = np.min_scalar_type(labels.max(initial=0) + 1)
    # fast, because only the running job keeps it; files are compressed better
    data = zlib.compress((labels - ABSENT).astype(small).tobytes(), level=1)
    return {
        "shape": list(labels.shape),
        "type": small.name,
        "data": base64.b64encode(data).decode("ascii"),
    }


def unpack(packed: Mapping[str, Any]) -> np.ndarray:
    """Return the label vectors that `pack` was given, int64 of shape (t, n)."""
    data = zlib.decompress(base64.b64decode(packed["data"]))
    labels = np.frombuffer(data, dtype=packed["type"]).reshape(packed["shape"])
    return labels.astype(np.int64) + ABSENT
