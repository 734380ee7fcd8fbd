"""What tables of Dask and Spark share: tasks on the parts, and sums along a tree."""

import operator
from abc import abstractmethod
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import partial
from pathlib import Path
from typing import Any, ClassVar, TypeVar

import numpy as np

from couplings.counts import CooccurrenceCounts, CountAccumulator
from couplings.errors import TableError
from couplings.large.data import PartitionedTable
from couplings.large.parts import (
    Batch,
    Encoder,
    Place,
    Work,
    combined,
    counted,
    picked,
    worked,
)
from couplings.table import CategoricalTable

T = TypeVar("T")
Task = Callable[[int, Iterable[Any]], T]
"""Called with the number of a partition and its parts, where these are; can be pickled."""


class EngineTable(PartitionedTable):
    """Base of the tables whose partitions are with the workers of an engine."""

    engine: ClassVar[str]

    @abstractmethod
    def _each(self, task: Task[T]) -> list[T]:
        """Return what a task gives for each partition, in their order."""

    @abstractmethod
    def _summed(
        self, task: Task[T | None], combine: Callable[[T, T], T], progress: bool
    ) -> T | None:
        """Combine what a task gives for the partitions along a tree; None stands for no rows."""

    def _count(self, progress: bool, state: str | Path | None) -> CooccurrenceCounts:
        if state is not None:
            raise TableError(f"{self.engine} keeps no state of a count; persist the frame instead")
        options = (self.domains, self.missing, self.incomplete)
        total = CountAccumulator(*options)
        total.total = self._summed(partial(_counted, options), operator.add, progress)
        return total.counts_

    def reduce(
        self, work: Work[T], combine: Callable[[T, T], T], progress: bool = False, what: str = ""
    ) -> T:
        """Do the work on every partition and sum up along a tree; see `PartitionedTable`.

        Spark shows its own progress.
        """
        task = partial(_folded, self.encoder(), work, combine)
        # A table that could be counted has objects, so there is a result.
        return self._summed(task, combine, progress)  # type: ignore[return-value]

    def take(self, rows: Sequence[int] | np.ndarray) -> CategoricalTable:
        """Return the table of some objects, by number in the order of the partitions."""
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
