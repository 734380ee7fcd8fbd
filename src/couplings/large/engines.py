"""Tables of Dask and Spark: partitions are counted, assigned and labelled on the workers.

Dask needs the extra ``couplings[dask]``; Spark needs the extra ``couplings[spark]``, and this
package on the workers.
"""

import operator
import pickle
from abc import abstractmethod
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import nullcontext
from dataclasses import dataclass, replace
from functools import partial, reduce
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar, Self, TypeVar, Unpack

import numpy as np

from couplings import reading
from couplings.counts import CooccurrenceCounts, CountAccumulator
from couplings.errors import TableError
from couplings.large.data import (
    Batch,
    Encoder,
    Options,
    PartitionedTable,
    Place,
    Work,
    counted,
    picked,
    worked,
)
from couplings.parquet import ParquetFiles
from couplings.reading import Column
from couplings.table import CategoricalTable

if TYPE_CHECKING:
    import pyarrow as pa

T = TypeVar("T")
Task = Callable[[int, Iterable[Any]], T]
"""Called on the worker with the number of a partition and its parts; can be pickled."""

_FAN_IN = 8
_DEPTH = 2


@dataclass(frozen=True, eq=False)
class Rows:
    """Rows of a frame with their index, as codes over the labels that occur in them."""

    columns: list[Column]
    index: Any = None

    @classmethod
    def of(cls, frame: Any, index: Any = None) -> Self:
        """Return the rows of a frame, with codes of the smallest type."""
        columns = []
        for column in reading.columns_of(frame):
            # The code of a missing cell may be -1 or the number of labels.
            chunks = [
                (positions.astype(reading.code_type(len(labels) + 1)), labels)
                for positions, labels in column.chunks
            ]
            columns.append(replace(column, chunks=chunks))
        return cls(columns, index)

    @property
    def n_rows(self) -> int:
        """Number of rows."""
        return reading.n_rows(self.columns)

    def batches(self) -> Iterator[Batch]:
        """Yield all columns as one batch."""
        yield "", self.columns


class EngineTable(PartitionedTable):
    """Base class of tables whose partitions are on the workers of an engine."""

    engine: ClassVar[str]

    @abstractmethod
    def _each(self, task: Task[T]) -> list[T]:
        """Return the result of a task for each partition, in order."""

    @abstractmethod
    def _summed(
        self, task: Task[T | None], combine: Callable[[T, T], T], progress: bool
    ) -> T | None:
        """Combine the results of a task over the partitions in a tree; None means no rows."""

    def _count(self, progress: bool, state: str | Path | None) -> CooccurrenceCounts:
        if state is not None:
            raise TableError(f"{self.engine} saves no state of a count; persist the frame instead")
        options = (self.domains, self.missing, self.incomplete)
        total = CountAccumulator(*options)
        total.total = self._summed(partial(_counted, options), operator.add, progress)
        return total.counts_

    def reduce(
        self, work: Work[T], combine: Callable[[T, T], T], progress: bool = False, what: str = ""
    ) -> T:
        """Run the work on every partition and combine in a tree; see `PartitionedTable`.

        Spark shows its own progress.
        """
        task = partial(_folded, self.encoder(), work, combine)
        # A table that could be counted has objects, so a result exists.
        return self._summed(task, combine, progress)  # type: ignore[return-value]

    def take(self, rows: Sequence[int] | np.ndarray) -> CategoricalTable:
        """Return the table of selected objects, numbered in the order of the partitions."""
        sizes = np.array(self._each(_size))
        ends = np.cumsum(sizes)
        wanted = np.asarray(rows)
        parts = np.searchsorted(ends, wanted, side="right")
        firsts = (ends - sizes)[parts]
        places = list(zip(parts.tolist(), (wanted - firsts).tolist(), strict=True))
        found = self._each(partial(_picked, self.encoder(), places))
        return self.table_of(np.array([found[part][row] for part, row in places]))


def batches_of(parts: Iterable[Any]) -> Iterator[Batch]:
    """Yield the batches of all parts of a partition."""
    for part in parts:
        yield from part.batches()


def _size(number: int, parts: Iterable[Any]) -> int:
    return sum(part.n_rows for part in parts)


def _counted(
    options: tuple[Any, ...], number: int, parts: Iterable[Any]
) -> CooccurrenceCounts | None:
    return counted(CountAccumulator(*options), batches_of(parts)).total


def _picked(
    encode: Encoder, places: list[Place], number: int, parts: Iterable[Any]
) -> dict[int, np.ndarray]:
    return picked(batches_of(parts), encode, [row for part, row in places if part == number])


def _folded(
    encode: Encoder,
    work: Work[T],
    combine: Callable[[T, T], T],
    number: int,
    parts: Iterable[Any],
) -> T | None:
    return combined(
        combine, (found for found, _ in worked(batches_of(parts), number, encode, work))
    )


def combined(combine: Callable[[T, T], T], results: Iterable[T | None]) -> T | None:
    """Return the combination of all results except None, which means no rows."""
    there = [result for result in results if result is not None]
    return reduce(combine, there) if there else None


# --- Dask ----------------------------------------------------------------------------------------


class DaskTable(EngineTable):
    """A Dask data frame as a table in parts.

    Rows stay on their workers; only sums of counts move, along a tree. If a worker is lost, its
    partition is computed again and gives the same sum.

    The first pass computes the frame and encodes its labels. The workers keep the codes for later
    passes, in one byte per cell of an attribute with at most 127 values, and spill to disk if their
    memory is full.

    Parameters
    ----------
    frame : dask.dataframe.DataFrame
        Columns in the form that `CategoricalTable.from_pandas` reads.
    domains, missing, incomplete, counts
        As in `PartitionedTable`.

    Raises
    ------
    TableError
        If `frame` is not a Dask data frame.
    """

    engine = "Dask"

    def __init__(self, frame: Any, **options: Unpack[Options]) -> None:
        import dask.dataframe as dd

        if not isinstance(frame, dd.DataFrame | ParquetFiles):
            raise TableError(f"DaskTable needs a Dask data frame, not {type(frame).__name__}")
        super().__init__(**options)
        self.frame: Any = frame
        self._parts = frame.one_by_one() if isinstance(frame, ParquetFiles) else None

    @classmethod
    def from_parquet(
        cls,
        path: str | Path | Iterable[str | Path],
        *,
        usecols: Sequence[str] | None = None,
        **options: Unpack[Options],
    ) -> Self:
        """Describe Parquet files that every worker can read: one partition is one file.

        Workers read dictionary codes, as in `LargeTable.from_parquet`; a Dask data frame would
        first convert them to text. The index of labels is the row number.

        Parameters and errors are those of `LargeTable.from_parquet`, without `batch_rows`.
        """
        return cls(ParquetFiles.open(path, usecols, options.get("domains")), **options)

    def fingerprint(self) -> str:
        """Return Dask's name of the frame (a hash of data and history) or of the files."""
        from dask.base import tokenize

        files = isinstance(self.frame, ParquetFiles)
        return tokenize(self.frame.fingerprint() if files else self.frame)

    def map_labels(self, work: Work[np.ndarray]) -> Any:
        """Return a Dask series of labels, with the index and the partitions of the frame."""
        import dask.dataframe as dd
        import pandas as pd

        if isinstance(self.frame, ParquetFiles):
            ends = np.cumsum(self.frame.rows)
            firsts = (ends - self.frame.rows).tolist()
            index: Any = pd.RangeIndex(0)
            divisions = (*firsts, int(ends[-1]) - 1) if self.frame.rows.all() else None
        else:
            firsts = []
            index = self.frame._meta.index[:0]
            divisions = self.frame.divisions if self.frame.known_divisions else None
        parts = self._delayed(partial(_labelled, self.encoder(), work, firsts))
        meta = pd.Series([], index=index, dtype=np.int64, name="cluster")
        return dd.from_delayed(parts, meta=meta, divisions=divisions)

    def _delayed(self, task: Task[Any]) -> list[Any]:
        """Return one task per partition; computes the parts of a frame once."""
        import dask

        if self._parts is None:
            coded = dask.delayed(_coded, pure=True)
            self._parts = list(dask.persist(*map(coded, self.frame.to_delayed())))
        # Shared arguments become a task of their own, described once.
        shared = dask.delayed(task, pure=True, traverse=False)
        run = dask.delayed(_run, pure=True)
        return [run(shared, number, part) for number, part in enumerate(self._parts)]

    def _each(self, task: Task[T]) -> list[T]:
        import dask

        return list(dask.compute(*self._delayed(task)))

    def _summed(
        self, task: Task[T | None], combine: Callable[[T, T], T], progress: bool
    ) -> T | None:
        import dask
        from dask.diagnostics import ProgressBar

        parts = self._delayed(task)
        joined = dask.delayed(partial(combined, combine), pure=True)
        while len(parts) > 1:
            parts = [joined(parts[i : i + _FAN_IN]) for i in range(0, len(parts), _FAN_IN)]
        with ProgressBar() if progress else nullcontext():
            return parts[0].compute()


def _coded(frame: Any) -> Rows:
    return Rows.of(frame, frame.index)


def _run(task: Task[T], number: int, part: Any) -> T:
    return task(number, [part])


def _labelled(
    encode: Encoder, work: Work[np.ndarray], firsts: list[int], number: int, parts: list[Any]
) -> Any:
    import pandas as pd

    found = [labels for labels, _ in worked(parts[0].batches(), number, encode, work)]
    labels = np.concatenate([np.zeros(0, dtype=np.int64), *found])
    index = parts[0].index if isinstance(parts[0], Rows) else None
    if index is None:
        index = pd.RangeIndex(firsts[number], firsts[number] + len(labels))
    return pd.Series(labels, index=index, name="cluster")


# --- Spark ---------------------------------------------------------------------------------------


class SparkTable(EngineTable):
    """A Spark data frame as a table in parts.

    Python workers receive rows as Arrow batches, without a shuffle; sums of counts come back along
    a tree. A task that runs again gives the same sum, because only one attempt counts.

    Parameters
    ----------
    frame : pyspark.sql.DataFrame
        Text and boolean columns. The frame must be deterministic: codes, labels and lost workers
        recompute it, unless ``frame.persist()`` keeps it. Workers keep codes from the first pass
        on, on disk if memory is short.
    domains, missing, incomplete, counts
        As in `PartitionedTable`.

    Raises
    ------
    TableError
        If `frame` is not a Spark data frame.
    """

    engine = "Spark"

    def __init__(self, frame: Any, **options: Unpack[Options]) -> None:
        if not hasattr(frame, "mapInArrow"):
            raise TableError(f"SparkTable needs a Spark data frame, not {type(frame).__name__}")
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

        The Python workers read dictionary codes, as in `LargeTable.from_parquet`; a Spark data
        frame would send them text. `map_labels` returns the columns ``file``, ``row`` (number in
        the file) and ``cluster``.

        Parameters
        ----------
        session : pyspark.sql.SparkSession
            Session that runs the work.
        path, usecols, domains, missing, incomplete, counts
            As in `LargeTable.from_parquet`, with the same errors.
        """
        files = ParquetFiles.open(path, usecols, options.get("domains"))
        parts = files.one_by_one()
        table = cls(session.range(0, len(parts), 1, len(parts)), **options)
        table._files = files
        table._parts = session.sparkContext.parallelize(parts, len(parts))
        return table

    def fingerprint(self) -> Any:
        """Return Spark's hash of the frame's plan, or the fingerprint of `ParquetFiles`."""
        return self.frame.semanticHash() if self._files is None else self._files.fingerprint()

    def map_labels(self, work: Work[np.ndarray]) -> Any:
        """Return the frame with an additional column ``cluster``."""
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
        """Return the result of a task for each partition; encodes a frame once.

        The workers keep the codes until Spark drops them with this table.
        """
        if self._parts is None:
            from pyspark import StorageLevel

            coded = self.frame.mapInArrow(_coded_rows, "rows binary").rdd
            self._parts = coded.map(_unpacked).persist(StorageLevel.MEMORY_AND_DISK)
        return self._parts.mapPartitionsWithIndex(partial(_run_all, task))

    def _each(self, task: Task[T]) -> list[T]:
        return self._results(task).collect()

    def _summed(
        self, task: Task[T | None], combine: Callable[[T, T], T], progress: bool
    ) -> T | None:
        # treeReduce would fail on an empty frame.
        fold = partial(_both, combine)
        return self._results(task).treeAggregate(None, fold, fold, _DEPTH)


def _run_all(task: Task[T], number: int, parts: Iterable[Any]) -> list[T]:
    return [task(number, parts)]


def _both(combine: Callable[[T, T], T], one: T | None, other: T | None) -> T | None:
    return combined(combine, (one, other))


def _coded_rows(batches: "Iterable[pa.RecordBatch]") -> "Iterator[pa.RecordBatch]":
    """Yield the rows of a partition as codes, about 65,000 at a time: Spark's batches are small."""
    import pyarrow as pa

    for table in _gathered(batches):
        rows = pa.array([pickle.dumps(Rows.of(table))], pa.binary())
        yield pa.RecordBatch.from_pydict({"rows": rows})


# Codes pass between tasks inside Spark, pickled as Spark itself sends Python objects; data from
# files are never unpickled.
def _unpacked(row: Any) -> Rows:
    return pickle.loads(row[0])  # noqa: S301  written by our own task


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

    context: Any = TaskContext.get()  # set in every task
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
    """Yield the rows of the files listed in a partition, with their clusters."""
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
