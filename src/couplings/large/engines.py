"""Tables of Dask: partitions are counted, assigned and labelled on the workers.

Dask needs the extra ``couplings[dask]``, also on the workers.
"""

import operator
from abc import abstractmethod
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import nullcontext
from dataclasses import dataclass, replace
from functools import cached_property, partial, reduce
from typing import Any, ClassVar, Self, TypeVar, Unpack

import numpy as np
import pandas as pd

from couplings import reading
from couplings._checks import row_positions
from couplings._params import index_of
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
from couplings.reading import Column
from couplings.table import CategoricalTable

T = TypeVar("T")

_FAN_IN = 8


@dataclass(frozen=True, eq=False)
class Rows:
    """Rows of a frame with their index, as codes over the labels that occur in them."""

    columns: list[Column]
    index: Any

    @classmethod
    def of(cls, frame: Any) -> Self:
        """Return the rows of a frame, with codes of the smallest type."""
        columns = []
        for column in reading.columns_of(frame):
            # The code of a missing cell may be -1 or the number of labels.
            chunks = [
                (positions.astype(reading.code_type(len(labels) + 1)), labels)
                for positions, labels in column.chunks
            ]
            columns.append(replace(column, chunks=chunks))
        return cls(columns, index_of(frame))


Task = Callable[[int, Iterable[Rows]], T]
"""Called on the worker with the number of a partition and its parts; can be pickled."""


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

    def _count(self, progress: bool, state: Any) -> CooccurrenceCounts:
        if state is not None:
            raise TableError(f"{self.engine} saves no state of a count; persist the frame instead")
        options = (self.domains, self.missing, self.incomplete)
        total = CountAccumulator(*options)
        total.total = self._summed(partial(_counted, options), operator.add, progress)
        return total.counts_

    def reduce(
        self, work: Work[T], combine: Callable[[T, T], T], progress: bool = False, what: str = ""
    ) -> T:
        """Run the work on every partition and combine in a tree; see `PartitionedTable`."""
        task = partial(_folded, self.encoder(), work, combine)
        # A table that could be counted has objects, so a result exists.
        return self._summed(task, combine, progress)  # type: ignore[return-value]

    def take(self, rows: Sequence[int] | np.ndarray) -> CategoricalTable:
        """Return the table of selected objects, numbered in the order of the partitions."""
        sizes = np.array(self._each(_size))
        ends = np.cumsum(sizes)
        wanted = row_positions("take", rows, int(sizes.sum()))
        parts = np.searchsorted(ends, wanted, side="right")
        firsts = (ends - sizes)[parts]
        places = list(zip(parts.tolist(), (wanted - firsts).tolist(), strict=True))
        found = self._each(partial(_picked, self.encoder(), places))
        return self.table_of(np.array([found[part][row] for part, row in places]))


def _batches(parts: Iterable[Rows]) -> Iterator[Batch]:
    for part in parts:
        yield "", part.columns


def _size(number: int, parts: Iterable[Rows]) -> int:
    return sum(reading.n_rows(part.columns) for part in parts)


def _counted(
    options: tuple[Any, ...], number: int, parts: Iterable[Rows]
) -> CooccurrenceCounts | None:
    return counted(CountAccumulator(*options), _batches(parts)).total


def _picked(
    encode: Encoder, places: list[Place], number: int, parts: Iterable[Rows]
) -> dict[int, np.ndarray]:
    return picked(_batches(parts), encode, [row for part, row in places if part == number])


def _folded(
    encode: Encoder,
    work: Work[T],
    combine: Callable[[T, T], T],
    number: int,
    parts: Iterable[Rows],
) -> T | None:
    done = worked(_batches(parts), number, encode, work)
    return _combined(combine, *(found for found, _ in done))


def _combined(combine: Callable[[T, T], T], *results: T | None) -> T | None:
    """Return the combination of all results except None, which means no rows."""
    there = [result for result in results if result is not None]
    return reduce(combine, there) if there else None


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

        if not isinstance(frame, dd.DataFrame):
            raise TableError(f"DaskTable needs a Dask data frame, not {type(frame).__name__}")
        super().__init__(**options)
        self.frame: Any = frame

    def fingerprint(self) -> str:
        """Return Dask's name of the frame, a hash of data and history."""
        from dask.base import tokenize

        return tokenize(self.frame)

    def map_labels(self, work: Work[np.ndarray]) -> Any:
        """Return a Dask series of labels, with the index and the partitions of the frame."""
        import dask.dataframe as dd

        parts = self._delayed(partial(_labelled, self.encoder(), work))
        index = self.frame._meta.index[:0]
        meta = pd.Series([], index=index, dtype=np.int64, name="cluster")
        divisions = self.frame.divisions if self.frame.known_divisions else None
        return dd.from_delayed(parts, meta=meta, divisions=divisions)

    @cached_property
    def _parts(self) -> list[Any]:
        """The codes of each partition, computed once and kept by the workers."""
        import dask

        coded = dask.delayed(Rows.of, pure=True)
        return list(dask.persist(*map(coded, self.frame.to_delayed())))

    def _delayed(self, task: Task[Any]) -> list[Any]:
        import dask

        # Shared arguments become a task of their own, described once.
        shared = dask.delayed(task, pure=True, traverse=False)
        return [shared(number, [part]) for number, part in enumerate(self._parts)]

    def _each(self, task: Task[T]) -> list[T]:
        import dask

        return list(dask.compute(*self._delayed(task)))

    def _summed(
        self, task: Task[T | None], combine: Callable[[T, T], T], progress: bool
    ) -> T | None:
        import dask
        from dask.diagnostics import ProgressBar

        parts = self._delayed(task)
        joined = dask.delayed(partial(_combined, combine), pure=True)
        while len(parts) > 1:
            parts = [joined(*parts[i : i + _FAN_IN]) for i in range(0, len(parts), _FAN_IN)]
        with ProgressBar() if progress else nullcontext():
            return parts[0].compute()


def _labelled(encode: Encoder, work: Work[np.ndarray], number: int, parts: list[Rows]) -> pd.Series:
    found = [labels for labels, _ in worked(_batches(parts), number, encode, work)]
    labels = np.concatenate([np.zeros(0, dtype=np.int64), *found])
    return pd.Series(labels, index=parts[0].index, name="cluster")
