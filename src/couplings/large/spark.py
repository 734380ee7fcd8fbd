"""Tables of Spark: every partition is counted, assigned and labelled where it is.

Needs the extra ``couplings[spark]``, and this package on the workers.
"""

import pickle
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, Self, TypeVar, Unpack

import numpy as np

from couplings import reading
from couplings.errors import TableError
from couplings.large.data import Options
from couplings.large.engines import EngineTable, Task
from couplings.large.parts import Encoder, Rows, Work, combined, worked
from couplings.parquet import ParquetFiles

if TYPE_CHECKING:
    import pyarrow as pa

T = TypeVar("T")

_DEPTH = 2


class SparkTable(EngineTable):
    """A Spark data frame as a table in parts.

    Rows are handed to the Python workers as Arrow batches and are not shuffled; sums of counts come
    back along a tree. A task that is run again gives the same part of the sum, as only the result
    of one attempt counts.

    Parameters
    ----------
    frame : pyspark.sql.DataFrame
        Text and boolean columns. What it computes must be deterministic: codes and labels compute
        it anew, as does a lost worker; ``frame.persist()`` keeps it. Codes are kept by the workers
        from the first pass on, on disk where memory is short.
    domains, missing, incomplete, counts
        As in `PartitionedTable`.

    Raises
    ------
    TableError
        If `frame` is no Spark data frame.
    """

    engine = "Spark"

    def __init__(self, frame: Any, **options: Unpack[Options]) -> None:
        if not hasattr(frame, "mapInArrow"):
            raise TableError(f"SparkTable takes a Spark data frame, not {type(frame).__name__}")
        super().__init__(**options)
        self.frame = frame
        self._files: ParquetFiles | None = None
        self._parts: Any = None

    @classmethod
    def from_parquet(
        cls,
        session: Any,
        path: str | Path | Iterable[str | Path],
        *,
        usecols: Sequence[str] | None = None,
        **options: Unpack[Options],
    ) -> Self:
        """Describe Parquet files that every worker can read: one partition is one file.

        The Python workers read dictionary codes, as `LargeTable.from_parquet` does; the rows of a
        Spark data frame would come to them as text. `map_labels` gives the columns ``file``,
        ``row`` (number in the file) and ``cluster``.

        Parameters
        ----------
        session : pyspark.sql.SparkSession
            Where the work is done.
        path, usecols
            As in `CategoricalTable.from_parquet`.
        domains, missing, incomplete, counts
            As in `PartitionedTable`.

        Raises
        ------
        TableError
            As `CategoricalTable.from_parquet`.
        """
        files = ParquetFiles.open(path, usecols, options.get("domains"))
        parts = files.one_by_one()
        table = cls(session.range(0, len(parts), 1, len(parts)), **options)
        table._files = files
        table._parts = session.sparkContext.parallelize(parts, len(parts))
        return table

    def fingerprint(self) -> Any:
        """Return Spark's hash of the plan of the frame, or what `ParquetFiles` tells."""
        return self.frame.semanticHash() if self._files is None else self._files.fingerprint()

    def map_labels(self, work: Work[np.ndarray]) -> Any:
        """Return the frame with a further column ``cluster``."""
        from pyspark.sql.types import LongType, StringType, StructField, StructType

        if self._files is None:
            fields = self.frame.schema.fields
            task: Any = partial(_labelled_rows, self.encoder(), work)
        else:
            fields = [StructField("file", StringType()), StructField("row", LongType())]
            task = partial(_labelled_files, self.encoder(), work, self._files.one_by_one())
        schema = StructType([*fields, StructField("cluster", LongType())])
        return self.frame.mapInArrow(task, schema)

    def _results(self, task: Task[Any]) -> Any:
        """Return what a task gives for each partition; a frame becomes codes here, once.

        The workers keep these, and Spark drops them with this table.
        """
        if self._parts is None:
            from pyspark import StorageLevel

            coded = self.frame.mapInArrow(_coded, "rows binary").rdd
            self._parts = coded.map(_unpacked).persist(StorageLevel.MEMORY_AND_DISK)
        return self._parts.mapPartitionsWithIndex(partial(_run, task))

    def _each(self, task: Task[T]) -> list[T]:
        return self._results(task).collect()

    def _summed(
        self, task: Task[T | None], combine: Callable[[T, T], T], progress: bool
    ) -> T | None:
        # Not treeReduce: that fails where there are no rows.
        fold = partial(_both, combine)
        return self._results(task).treeAggregate(None, fold, fold, _DEPTH)


def _run(task: Task[T], number: int, parts: Iterable[Any]) -> list[T]:
    return [task(number, parts)]


def _both(combine: Callable[[T, T], T], one: T | None, other: T | None) -> T | None:
    return combined(combine, (one, other))


def _coded(batches: "Iterable[pa.RecordBatch]") -> "Iterator[pa.RecordBatch]":
    """Yield the rows of a partition as codes, some 65,000 at a time: Spark's batches are small."""
    import pyarrow as pa

    for table in _gathered(batches):
        rows = pa.array([pickle.dumps(Rows.of(table))], pa.binary())
        yield pa.RecordBatch.from_pydict({"rows": rows})


# Codes go from a task to the next one inside Spark, as Spark itself sends Python objects; nothing
# that was ever in a file is read this way.
def _unpacked(row: Any) -> Rows:
    return pickle.loads(row[0])  # noqa: S301  what our own task has written


def _gathered(batches: "Iterable[pa.RecordBatch]", rows: int = 1 << 16) -> "Iterator[pa.Table]":
    """Join batches to tables of about this many rows."""
    import pyarrow as pa

    held: list[pa.RecordBatch] = []
    for batch in batches:
        if batch.num_rows:
            held.append(batch)
        if sum(one.num_rows for one in held) >= rows:
            yield pa.Table.from_batches(held)
            held = []
    if held:
        yield pa.Table.from_batches(held)


def _labelled_rows(
    encode: Encoder, work: Work[np.ndarray], batches: "Iterable[pa.RecordBatch]"
) -> "Iterator[pa.RecordBatch]":
    """Yield the batches of a partition with their clusters."""
    import pyarrow as pa
    from pyspark import TaskContext

    context: Any = TaskContext.get()  # there is one in every task
    row = 0
    for batch in batches:
        if batch.num_rows:
            table = encode(reading.columns_of(batch))
            labels = work(table, (context.partitionId(), row)).astype(np.int64)
            row += batch.num_rows
            yield pa.RecordBatch.from_arrays(
                [*batch.columns, pa.array(labels)], [*batch.schema.names, "cluster"]
            )


def _labelled_files(
    encode: Encoder,
    work: Work[np.ndarray],
    files: list[ParquetFiles],
    batches: "Iterable[pa.RecordBatch]",
) -> "Iterator[pa.RecordBatch]":
    """Yield the rows of the files whose numbers a partition holds, with their clusters."""
    import pyarrow as pa

    for batch in batches:
        for number in batch.column(0).to_pylist():
            for labels, after in worked(files[number].batches(), number, encode, work):
                n = len(labels)
                yield pa.RecordBatch.from_pydict(
                    {
                        "file": [str(files[number].paths[0])] * n,
                        "row": np.arange(after - n, after),
                        "cluster": labels.astype(np.int64),
                    }
                )
