"""Tables of Spark: every partition is counted, assigned and labelled where it is.

Needs the extra ``couplings[spark]``, and this package on the workers.
"""

import pickle
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import numpy as np

from couplings.counts import CooccurrenceCounts, CountAccumulator
from couplings.errors import TableError
from couplings.large.data import Encoder, PartitionedTable, Place
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
        Text and boolean columns. What it computes must be deterministic, as every pass computes
        it again; ``frame.persist()`` keeps it.
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

    def fingerprint(self) -> int:
        """Return Spark's hash of the plan of the frame."""
        return self.frame.semanticHash()

    def _count(self, progress: bool, state: str | Path | None) -> CooccurrenceCounts:
        if state is not None:
            raise TableError("Spark keeps no state of a count; persist the frame instead")
        work = _Count(self.domains, self.missing, self.incomplete)
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
        return self._tree(_Work(self.encoder(), work, combine), combine)

    def map_labels(self, work: Callable[[CategoricalTable, Place], np.ndarray]) -> Any:
        """Return the frame with a further column ``cluster``."""
        from pyspark.sql.types import LongType, StructField, StructType

        schema = StructType([*self.frame.schema.fields, StructField("cluster", LongType())])
        return self.frame.mapInArrow(_Label(self.encoder(), work), schema)

    def take(self, rows: Sequence[int]) -> CategoricalTable:
        """Return the table of some objects, by number in the order of the partitions."""
        sizes = self.reduce(_Sizes(), _joined)
        order = sorted(sizes)
        ends = np.cumsum([sizes[part] for part in order])
        number = np.searchsorted(ends, np.asarray(rows), side="right")
        places = [
            (order[p], int(row - ends[p] + sizes[order[p]]))
            for row, p in zip(rows, number, strict=True)
        ]
        picked = self.reduce(_Pick(set(places)), _joined)
        return CategoricalTable.from_codes(
            np.array([picked[place] for place in places]),
            categories=self.categories,
            attributes=self.attributes,
        )

    def _tree(self, work: Callable[..., Any], combine: Callable[[T, T], T]) -> T | None:
        results = self.frame.mapInArrow(work, "result binary").rdd.map(_unpacked)
        # Not treeReduce: that fails where there are no rows.
        fold = _Fold(combine)
        return results.treeAggregate(None, fold, fold, _DEPTH)


class _Fold:
    """Combines two results, of which either may be None for no rows."""

    def __init__(self, combine: Callable[[T, T], T]) -> None:
        self.combine = combine

    def __call__(self, one: T | None, other: T | None) -> T | None:
        """Return the combination."""
        if one is None or other is None:
            return other if one is None else one
        return self.combine(one, other)


def _unpacked(row: Any) -> Any:
    return pickle.loads(row[0])  # noqa: S301  what our own task has written


def _packed(result: Any) -> "Iterator[pa.RecordBatch]":
    import pyarrow as pa

    yield pa.RecordBatch.from_pydict({"result": pa.array([pickle.dumps(result)], pa.binary())})


def _part() -> int:
    from pyspark import TaskContext

    return TaskContext.get().partitionId()


class _Count:
    """Task: the counts of a partition."""

    def __init__(
        self, domains: Mapping[str, Sequence[str]], missing: tuple[str, ...], incomplete: str
    ) -> None:
        self.options = (domains, missing, incomplete)

    def __call__(self, batches: "Iterable[pa.RecordBatch]") -> "Iterator[pa.RecordBatch]":
        """Yield one accumulator, pickled."""
        total = CountAccumulator(*self.options)
        for table in _gathered(batches):
            total.partial_fit(table)
        yield from _packed(total)


class _Work:
    """Task: the work of a pass on a partition."""

    def __init__(
        self, encoder: Encoder, work: Callable[..., T], combine: Callable[[T, T], T]
    ) -> None:
        self.encoder, self.work, self.combine = encoder, work, combine

    def __call__(self, batches: "Iterable[pa.RecordBatch]") -> "Iterator[pa.RecordBatch]":
        """Yield one result, pickled; nothing where there are no rows."""
        part, row, result = _part(), 0, None
        for data in _gathered(batches):
            table = self.encoder(data)
            found = self.work(table, (part, row))
            result = found if result is None else self.combine(result, found)
            row += table.n_objects
        if result is not None:
            yield from _packed(result)


class _Label:
    """Task: the rows of a partition with their clusters."""

    def __init__(self, encoder: Encoder, work: Callable[..., np.ndarray]) -> None:
        self.encoder, self.work = encoder, work

    def __call__(self, batches: "Iterable[pa.RecordBatch]") -> "Iterator[pa.RecordBatch]":
        """Yield the batches with one column more."""
        import pyarrow as pa

        part, row = _part(), 0
        for batch in batches:
            if not batch.num_rows:
                continue
            labels = self.work(self.encoder(batch), (part, row)).astype(np.int64)
            row += batch.num_rows
            yield pa.RecordBatch.from_arrays(
                [*batch.columns, pa.array(labels)], [*batch.schema.names, "cluster"]
            )


class _Sizes:
    """Work: the number of rows of each partition."""

    def __call__(self, table: CategoricalTable, place: Place) -> dict[int, int]:
        """Return how many rows there are so far."""
        return {place[0]: place[1] + table.n_objects}


class _Pick:
    """Work: the codes of the rows at some places."""

    def __init__(self, places: set[Place]) -> None:
        self.places = places

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
