"""Parts of a large table, and what is done with them where they are."""

import threading
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass, replace
from functools import reduce
from typing import Any, Self, TypeVar

import numpy as np

from couplings import reading
from couplings.counts import MISSING_LABEL, CountAccumulator
from couplings.reading import MISSING, Column
from couplings.table import CategoricalTable, require_complete

T = TypeVar("T")
Place = tuple[int, int]
"""Where a row is: number of its part, number of the row in the part."""

Batch = tuple[str, list[Column]]
"""Columns of some rows, and what messages about them begin with."""

# The kernels share their threads, which not every backend of numba allows to several callers.
_KERNELS = threading.Lock()


@dataclass(frozen=True, eq=False)
class Rows:
    """Rows of a frame as codes over the labels that occur in them, with their index."""

    columns: list[Column]
    index: Any = None

    @classmethod
    def of(cls, frame: Any, index: Any = None) -> Self:
        """Return the rows of a frame; codes take the smallest type."""
        columns = []
        for column in reading.columns_of(frame):
            # A missing cell may be -1 or the number of labels.
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
        """Yield all columns at once."""
        yield "", self.columns


@dataclass(frozen=True, eq=False)
class Encoder:
    """Turns the columns of a part into a table over fixed domains; can be pickled.

    Parameters
    ----------
    attributes, categories
        Names and domains.
    missing, incomplete
        As in `PartitionedTable`.
    """

    attributes: tuple[str, ...]
    categories: tuple[tuple[str, ...], ...]
    missing: tuple[str, ...]
    incomplete: str

    def __call__(self, columns: Sequence[Column], place: str = "") -> CategoricalTable:
        """Return the table of the attributes.

        Raises
        ------
        MissingValuesError
            If a cell is missing and has no value of its own.
        TableError
            If an attribute is not there, or a value is outside its domain.
        """
        by_name = {column.name: column for column in columns}
        reading.check_known(self.attributes, by_name, place.removesuffix(": ") or "the data")
        domains = dict(zip(self.attributes, self.categories, strict=True))
        chosen = [by_name[name] for name in self.attributes]
        table = CategoricalTable(
            *reading.encode(chosen, domains, self.missing, place, partial=True)
        )
        if self.incomplete == "value" and table.has_missing:
            for codes, domain in zip(table.codes.T, self.categories, strict=True):
                if domain and domain[-1] == MISSING_LABEL:
                    codes[codes == MISSING] = len(domain) - 1
        require_complete(table)
        return table


Work = Callable[[CategoricalTable, Place], T]
"""Called with the table of some rows and the place of the first."""


def worked(
    batches: Iterable[Batch], number: int, encode: Encoder, work: Work[T]
) -> Iterator[tuple[T, int]]:
    """Yield the result of the work on each batch of a part, and the row after its last one."""
    row = 0
    free: AbstractContextManager[Any] = nullcontext()
    lock = free if getattr(work, "is_threadsafe", False) else _KERNELS
    for place, columns in batches:
        if reading.n_rows(columns):
            table = encode(columns, place)
            with lock:
                found = work(table, (number, row))
            row += table.n_objects
            yield found, row


def counted(total: CountAccumulator, batches: Iterable[Batch]) -> CountAccumulator:
    """Add the counts of batches to a total, and return it."""
    with _KERNELS:
        for place, columns in batches:
            total.add_columns(columns, place)
    return total


def picked(
    batches: Iterable[Batch], encode: Encoder, wanted: Iterable[int]
) -> dict[int, np.ndarray]:
    """Return the codes of some rows of a part."""
    found: dict[int, np.ndarray] = {}
    first = 0
    for place, columns in batches:
        after = first + reading.n_rows(columns)
        here = [row for row in wanted if first <= row < after]
        if here:
            codes = encode(columns, place).codes
            found |= {row: codes[row - first] for row in here}
        first = after
    return found


def combined(combine: Callable[[T, T], T], results: Iterable[T | None]) -> T | None:
    """Return the combination of the results that there are; None stands for no rows."""
    there = [result for result in results if result is not None]
    return reduce(combine, there) if there else None
