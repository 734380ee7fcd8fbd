"""Store label vectors that others published, by sets of runs; columns of their scores."""

from collections.abc import Iterator, Sequence
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from replication.files import atomic_write, readable

SCORE_COLUMNS = (
    *("source", "method", "dataset", "compared_with", "preparation_equal", "difference"),
    *("index", "mean", "sd", "runs", "distinct", "n"),
)
"""Columns of the scores of sets of runs. ``compared_with`` names the printed number of the method
on the data set; ``preparation_equal`` is yes or no, and ``difference`` what differs; ``sd`` is the
sample standard deviation over the runs; ``distinct`` counts different partitions; ``n`` objects."""
LabelRow = tuple[str, str, str, int, np.ndarray]
"""Source, method, data set, number of the run from 1, and the labels of the objects."""

_SCHEMA = pa.schema(
    [
        *((name, pa.string()) for name in ("source", "method", "dataset")),
        ("run", pa.int32()),
        ("labels", pa.list_(pa.int32())),
    ]
)
_ROWS_AT_ONCE = 1000


def write_label_sets(path: Path, rows: Sequence[LabelRow]) -> None:
    """Write label vectors as Parquet, atomically; the same rows give the same bytes."""
    with (
        atomic_write(path) as partial,
        pq.ParquetWriter(partial, _SCHEMA, compression="zstd") as to,
    ):
        for first in range(0, len(rows), _ROWS_AT_ONCE):
            *keys, vectors = zip(*rows[first : first + _ROWS_AT_ONCE], strict=True)
            ends = np.cumsum([0, *map(len, vectors)], dtype=np.int32)
            columns = [*keys, pa.ListArray.from_arrays(ends, pa.array(np.concatenate(vectors)))]
            to.write_table(
                pa.Table.from_arrays(
                    [
                        pa.array(column, _SCHEMA.field(i).type)
                        for i, column in enumerate(columns[:-1])
                    ]
                    + [columns[-1]],
                    schema=_SCHEMA,
                )
            )


def each_set(path: Path) -> Iterator[tuple[str, str, str, np.ndarray]]:
    """Yield source, method, data set and label vectors, shape (runs, n), of each set of runs.

    Raises `UserError` if the file cannot be read.
    """
    with readable(path):
        table = pq.read_table(path)
    keys = [table[name].to_pylist() for name in ("source", "method", "dataset")]
    labels = table["labels"].combine_chunks()
    flat, ends = labels.values.to_numpy(), labels.offsets.to_numpy()
    sets: dict[tuple[str, ...], list[int]] = {}
    for i, key in enumerate(zip(*keys, strict=True)):
        sets.setdefault(key, []).append(i)
    for (source, method, dataset), rows in sets.items():
        yield source, method, dataset, np.array([flat[ends[i] : ends[i + 1]] for i in rows])
