"""Tables of Spark: every partition is counted, assigned and labelled where it is.

Needs the extra ``couplings[spark]``, and this package on the workers.
"""

import pickle
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, Self, TypeVar

import numpy as np

from couplings import reading
from couplings.counts import CooccurrenceCounts, CountAccumulator
from couplings.errors import TableError
from couplings.large.data import (
    Columns,
    Encoder,
    PartitionedTable,
    Place,
    batches_of,
    combined,
    files_for,
    length,
    places_of,
)
from couplings.parquet import ParquetFiles
from couplings.table import CategoricalTable

if TYPE_CHECKING:
    import pyarrow as pa

T = TypeVar("T")

_DEPTH = 2


class SparkTable(PartitionedTable):
    """A Spark data frame as a table in parts.

    Rows are handed to the Python workers as Arrow batches and are not shuffled; sums of counts come
    back along a tree. A task that is run again gives the same part of the sum, as only the result
    of one attempt counts.

    Parameters
    ----------
    frame : pyspark.sql.DataFrame
        Text and boolean columns. What it computes must be deterministic: counts, codes and labels
        compute it anew, as does a lost worker; ``frame.persist()`` keeps it. Codes are kept by
        the workers from the first pass after the counts on, on disk where memory is short.
    domains, missing, incomplete, counts
        As in `PartitionedTable`.

    Raises
    ------
    TableError
        If `frame` is no Spark data frame.
    """

    def __init__(
        self,
        frame: Any,
        *,
        domains: Mapping[str, Sequence[str]] | None = None,
        missing: Iterable[str] = (),
        incomplete: str = "raise",
        counts: CooccurrenceCounts | None = None,
    ) -> None:
        if not hasattr(frame, "mapInArrow"):
            raise TableError(f"SparkTable takes a Spark data frame, not {type(frame).__name__}")
        super().__init__(domains, missing, incomplete, counts)
        self.frame = frame
        self._rows: _FrameRows | _FileRows = _FrameRows()
        self._codes: Any = None

    @classmethod
    def from_parquet(
        cls,
        session: Any,
        path: str | Path | Iterable[str | Path],
        *,
        usecols: Sequence[str] | None = None,
        domains: Mapping[str, Sequence[str]] | None = None,
        missing: Iterable[str] = (),
        incomplete: str = "raise",
        counts: CooccurrenceCounts | None = None,
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
        files = files_for(path, usecols, domains)
        n = len(files.paths)
        table = cls(
            session.range(0, n, 1, n),
            domains=domains,
            missing=missing,
            incomplete=incomplete,
            counts=counts,
        )
        table._rows = _FileRows(files.one_by_one())
        return table

    def fingerprint(self) -> Any:
        """Return Spark's hash of the plan of the frame, or what `ParquetFiles` tells."""
        return self._rows.fingerprint() or self.frame.semanticHash()

    def _count(self, progress: bool, state: str | Path | None) -> CooccurrenceCounts:
        if state is not None:
            raise TableError("Spark keeps no state of a count; persist the frame instead")
        work = _Count(self._rows, self.domains, self.missing, self.incomplete)
        total = self._tree(work, _merged)
        if total is None:
            total = CountAccumulator(self.domains, self.missing, self.incomplete)
        return total.counts_

    def reduce(
        self,
        work: Callable[[CategoricalTable, Place], T],
        combine: Callable[[T, T], T],
        progress: bool = False,
        what: str = "",
    ) -> T:
        """Do the work on every partition and sum up along a tree; see `PartitionedTable`.

        Spark shows its own progress.
        """
        encoder = self.encoder()
        if isinstance(self._rows, _FileRows):
            encoded = _Encoded(self._rows, encoder)
            total = self._tree(_Work(encoded, work, combine), combine)
        else:
            decoded = _Decoded(encoder.attributes, encoder.categories)
            results = self._kept(encoder).mapPartitions(_Work(decoded, work, combine).results)
            total = _sum(results, combine)
        # A table that could be counted has objects, so there is a result.
        return total  # type: ignore[return-value]

    def _kept(self, encoder: Encoder) -> Any:
        """Return the codes of the frame, kept by the workers; Spark drops them with this table."""
        from pyspark import StorageLevel

        if self._codes is None:
            rows = self.frame.mapInArrow(_Codes(_Encoded(self._rows, encoder)), "codes binary").rdd
            self._codes = rows.map(_first).persist(StorageLevel.MEMORY_AND_DISK)
        return self._codes

    def map_labels(self, work: Callable[[CategoricalTable, Place], np.ndarray]) -> Any:
        """Return the frame with a further column ``cluster``."""
        from pyspark.sql.types import LongType, StringType, StructField, StructType

        if isinstance(self._rows, _FileRows):
            fields = [StructField("file", StringType()), StructField("row", LongType())]
        else:
            fields = self.frame.schema.fields
        schema = StructType([*fields, StructField("cluster", LongType())])
        return self.frame.mapInArrow(_Label(self._rows, self.encoder(), work), schema)

    def take(self, rows: Sequence[int] | np.ndarray) -> CategoricalTable:
        """Return the table of some objects, by number in the order of the partitions."""
        sizes = self.reduce(_Sizes(), _joined)
        order = sorted(sizes)
        found = places_of(rows, [sizes[part] for part in order])
        places = [(order[p], row) for p, row in found]
        picked = self.reduce(_Pick(set(places)), _joined)
        return self.table_of(np.array([picked[place] for place in places]))

    def _tree(self, work: Callable[..., Any], combine: Callable[[T, T], T]) -> T | None:
        results = self.frame.mapInArrow(work, "result binary").rdd.map(_unpacked)
        return _sum(results, combine)


def _sum(results: Any, combine: Callable[[T, T], T]) -> T | None:
    # Not treeReduce: that fails where there are no rows.
    fold: Callable[..., T | None] = partial(combined, combine)
    return results.treeAggregate(None, fold, fold, _DEPTH)


# Results go from a task to the driver inside one Spark job, as Spark itself sends Python objects;
# nothing that was ever in a file is read this way.
def _unpacked(row: Any) -> Any:
    return pickle.loads(row[0])  # noqa: S301  what our own task has written


def _first(row: Any) -> Any:
    return row[0]


def _packed(result: Any) -> "Iterator[pa.RecordBatch]":
    import pyarrow as pa

    yield pa.RecordBatch.from_pydict({"result": pa.array([pickle.dumps(result)], pa.binary())})


def _part() -> int:
    from pyspark import TaskContext

    context: Any = TaskContext.get()  # there is one in every task
    return context.partitionId()


class _FrameRows:
    """The rows of a partition of a frame: joined to larger tables, or batch by batch."""

    def fingerprint(self) -> None:
        """Return None: the frame tells."""

    def tables(self, batches: "Iterable[pa.RecordBatch]") -> "Iterator[tuple[int, str, pa.Table]]":
        """Yield number of the partition, beginning of messages, and rows."""
        for table in _gathered(batches):
            yield _part(), "", table

    def labelled(
        self, batches: "Iterable[pa.RecordBatch]"
    ) -> "Iterator[tuple[int, str, pa.RecordBatch, dict[str, pa.Array]]]":
        """Yield the same for each batch, with the columns that go before the labels."""
        for batch in batches:
            if batch.num_rows:
                yield _part(), "", batch, dict(zip(batch.schema.names, batch.columns, strict=True))


@dataclass(frozen=True, eq=False)
class _FileRows:
    """The rows of the Parquet files whose numbers a partition holds."""

    parts: list[ParquetFiles]

    def fingerprint(self) -> list[Any]:
        """Return what tells the files from others."""
        return [one for part in self.parts for one in part.fingerprint()]

    def tables(self, batches: "Iterable[pa.RecordBatch]") -> Iterator[tuple[int, str, Columns]]:
        """Yield number of the file, beginning of messages, and columns."""
        for batch in batches:
            for number in batch.column(0).to_pylist():
                for place, columns in batches_of(self.parts[number]):
                    yield number, place, columns

    def labelled(
        self, batches: "Iterable[pa.RecordBatch]"
    ) -> "Iterator[tuple[int, str, Columns, dict[str, pa.Array]]]":
        """Yield the same, with the columns that go before the labels."""
        import pyarrow as pa

        row, last = 0, -1
        for number, place, columns in self.tables(batches):
            row, last = (row if number == last else 0), number
            n = length(columns)
            (path,) = self.parts[number].paths
            before = {"file": pa.array([str(path)] * n), "row": pa.array(range(row, row + n))}
            row += n
            yield number, place, columns, before


class _Count:
    """Task: the counts of a partition."""

    def __init__(
        self,
        rows: _FrameRows | _FileRows,
        domains: Mapping[str, Sequence[str]],
        missing: tuple[str, ...],
        incomplete: str,
    ) -> None:
        self.rows, self.options = rows, (domains, missing, incomplete)

    def __call__(self, batches: "Iterable[pa.RecordBatch]") -> "Iterator[pa.RecordBatch]":
        """Yield one accumulator, pickled."""
        total = CountAccumulator(*self.options)
        for _, place, data in self.rows.tables(batches):
            columns = data if isinstance(data, Columns) else reading.columns_of(data)
            total.add_columns(columns, place)
        yield from _packed(total)


@dataclass(frozen=True, eq=False)
class _Encoded:
    """The tables of a partition, from the rows that Spark hands over or names."""

    rows: _FrameRows | _FileRows
    encoder: Encoder

    def __call__(
        self, batches: "Iterable[pa.RecordBatch]"
    ) -> Iterator[tuple[int, CategoricalTable]]:
        """Yield number of the partition and table."""
        for part, place, data in self.rows.tables(batches):
            yield part, self.encoder(data, place)


@dataclass(frozen=True, eq=False)
class _Codes:
    """Task: the codes of a partition, a row of bytes per table."""

    encoded: _Encoded

    def __call__(self, batches: "Iterable[pa.RecordBatch]") -> "Iterator[pa.RecordBatch]":
        """Yield the codes of each table, objects along the rows."""
        import pyarrow as pa

        for _, table in self.encoded(batches):
            codes = pa.array([_narrow(table).tobytes()], pa.binary())
            yield pa.RecordBatch.from_pydict({"codes": codes})


@dataclass(frozen=True, eq=False)
class _Decoded:
    """The tables of a partition, from the bytes that `_Codes` wrote."""

    attributes: tuple[str, ...]
    categories: tuple[tuple[str, ...], ...]

    def __call__(self, contents: Iterable[bytes]) -> Iterator[tuple[int, CategoricalTable]]:
        """Yield number of the partition and table."""
        kind = _kind(self.categories)
        for content in contents:
            codes = np.frombuffer(content, dtype=kind).reshape(-1, len(self.attributes))
            yield (
                _part(),
                CategoricalTable.from_codes(
                    codes, categories=self.categories, attributes=self.attributes
                ),
            )


def _kind(categories: tuple[tuple[str, ...], ...]) -> np.dtype:
    """Return the smallest type of the codes of these domains; -1 is missing."""
    return np.dtype(np.min_scalar_type(-max(map(len, categories), default=1)))


def _narrow(table: CategoricalTable) -> np.ndarray:
    return np.ascontiguousarray(table.codes, dtype=_kind(table.categories))


@dataclass(frozen=True, eq=False)
class _Work:
    """Task: the work of a pass on a partition."""

    tables: _Encoded | _Decoded
    work: Callable[..., Any]
    combine: Callable[..., Any]

    def results(self, partition: Iterable[Any]) -> Iterator[Any]:
        """Yield one result; nothing where there are no rows."""
        row, last, result = 0, -1, None
        for part, table in self.tables(partition):
            row, last = (row if part == last else 0), part
            found = self.work(table, (part, row))
            result = found if result is None else self.combine(result, found)
            row += table.n_objects
        if result is not None:
            yield result

    def __call__(self, batches: "Iterable[pa.RecordBatch]") -> "Iterator[pa.RecordBatch]":
        """Yield the same, pickled."""
        for result in self.results(batches):
            yield from _packed(result)


@dataclass(frozen=True, eq=False)
class _Label:
    """Task: the rows of a partition with their clusters."""

    rows: _FrameRows | _FileRows
    encoder: Encoder
    work: Callable[..., np.ndarray]

    def __call__(self, batches: "Iterable[pa.RecordBatch]") -> "Iterator[pa.RecordBatch]":
        """Yield the batches with one column more."""
        import pyarrow as pa

        row, last = 0, -1
        for part, place, data, before in self.rows.labelled(batches):
            row, last = (row if part == last else 0), part
            labels = self.work(self.encoder(data, place), (part, row)).astype(np.int64)
            row += len(labels)
            yield pa.RecordBatch.from_arrays(
                [*before.values(), pa.array(labels)], [*before, "cluster"]
            )


class _Sizes:
    """Work: the number of rows of each partition."""

    def __call__(self, table: CategoricalTable, place: Place) -> dict[int, int]:
        """Return how many rows there are so far."""
        return {place[0]: place[1] + table.n_objects}


@dataclass(frozen=True, eq=False)
class _Pick:
    """Work: the codes of the rows at some places."""

    places: set[Place]

    def __call__(self, table: CategoricalTable, place: Place) -> dict[Place, np.ndarray]:
        """Return those that are here."""
        part, first = place
        return {
            (p, row): table.codes[row - first]
            for p, row in self.places
            if p == part and first <= row < first + table.n_objects
        }


def _joined(one: dict[Any, Any], other: dict[Any, Any]) -> dict[Any, Any]:
    """Join two dictionaries; of two sizes of a partition the larger has seen more rows."""
    joined = dict(one)
    for key, value in other.items():
        joined[key] = max(value, joined.get(key, 0)) if isinstance(value, int) else value
    return joined


def _merged(one: CountAccumulator, other: CountAccumulator) -> CountAccumulator:
    return one.merge(other)


def _gathered(batches: "Iterable[pa.RecordBatch]", rows: int = 1 << 16) -> "Iterator[pa.Table]":
    """Join the small batches of Spark to tables of about this many rows."""
    import pyarrow as pa

    held: list[pa.RecordBatch] = []
    n = 0
    for batch in batches:
        if batch.num_rows:
            held.append(batch)
            n += batch.num_rows
        if n >= rows:
            yield pa.Table.from_batches(held)
            held, n = [], 0
    if held:
        yield pa.Table.from_batches(held)
