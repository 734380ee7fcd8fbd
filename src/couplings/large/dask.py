"""Tables of Dask: every partition is counted, assigned and labelled where it is.

Needs the extra ``couplings[dask]``.
"""

import threading
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any, Self, TypeVar

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

T = TypeVar("T")

_FAN_IN = 8
# The kernels share their threads, which not every backend of numba allows to several callers.
_KERNELS = threading.Lock()


class DaskTable(PartitionedTable):
    """A Dask data frame as a table in parts.

    No row leaves its worker: sums of counts do, along a tree. A partition that is computed again,
    because its worker was lost, gives the same part of the sum.

    The first pass computes the frame and makes codes of its labels; the workers keep these for the
    next passes, one byte per cell of an attribute with at most 127 values, and put on disk what
    their memory does not hold.

    Parameters
    ----------
    frame : dask.dataframe.DataFrame
        Columns as `CategoricalTable.from_pandas` reads them.
    domains, missing, incomplete, counts
        As in `PartitionedTable`.

    Raises
    ------
    TableError
        If `frame` is no Dask data frame.
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
        import dask.dataframe as dd

        if not isinstance(frame, dd.DataFrame):
            raise TableError(f"DaskTable takes a Dask data frame, not {type(frame).__name__}")
        super().__init__(domains, missing, incomplete, counts)
        self.frame: Any = frame
        self._parts: list[Any] = [self._delayed(_coded)(part) for part in frame.to_delayed()]
        self._are_kept = False

    @classmethod
    def from_parquet(
        cls,
        path: str | Path | Iterable[str | Path],
        *,
        usecols: Sequence[str] | None = None,
        domains: Mapping[str, Sequence[str]] | None = None,
        missing: Iterable[str] = (),
        incomplete: str = "raise",
        counts: CooccurrenceCounts | None = None,
    ) -> Self:
        """Describe Parquet files that every worker can read: one partition is one file.

        Workers read dictionary codes, as `LargeTable.from_parquet` does; a Dask data frame would
        make text of them first. Labels have the number of the row as their index.

        Parameters
        ----------
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
        table = cls.__new__(cls)
        PartitionedTable.__init__(table, domains, missing, incomplete, counts)
        table.frame = files
        table._parts = files.one_by_one()
        table._are_kept = True
        return table

    def _kept(self) -> list[Any]:
        """Return the parts; those of a frame are computed here, once."""
        import dask

        if not self._are_kept:
            self._parts = list(dask.persist(*self._parts))
            self._are_kept = True
        return self._parts

    def fingerprint(self) -> str:
        """Return Dask's name of the frame (it tells data and history) or of the files."""
        from dask.base import tokenize

        files = isinstance(self.frame, ParquetFiles)
        return tokenize(self.frame.fingerprint() if files else self.frame)

    def _count(self, progress: bool, state: str | Path | None) -> CooccurrenceCounts:
        if state is not None:
            raise TableError("Dask keeps no state of a count; persist the frame instead")
        parts = [
            self._delayed(_counted)(part, self.domains, self.missing, self.incomplete)
            for part in self._kept()
        ]
        total = self._tree(_merged, parts, progress)
        return total.counts_

    def reduce(
        self,
        work: Callable[[CategoricalTable, Place], T],
        combine: Callable[[T, T], T],
        progress: bool = False,
        what: str = "",
    ) -> T:
        """Do the work on every partition and sum up along a tree; see `PartitionedTable`."""
        # what all tasks share is one task of its own, described once
        shared = self._once((self.encoder(), work, combine))
        parts = [
            self._delayed(_worked)(part, number, shared) for number, part in enumerate(self._kept())
        ]
        return self._tree(partial(_joined, combine), parts, progress)

    def map_labels(self, work: Callable[[CategoricalTable, Place], np.ndarray]) -> Any:
        """Return a Dask series of labels, with the index and the partitions of the frame."""
        import dask.dataframe as dd
        import pandas as pd

        shared = self._once((self.encoder(), work))
        if isinstance(self.frame, ParquetFiles):
            ends = np.cumsum(self.frame.rows)
            firsts = (ends - self.frame.rows).tolist()
            index = pd.RangeIndex(0)
            divisions = (*firsts, int(ends[-1]) - 1) if self.frame.rows.all() else None
        else:
            firsts = [0] * len(self._parts)
            index = self.frame._meta.index[:0]
            divisions = self.frame.divisions if self.frame.known_divisions else None
        parts = [
            self._delayed(_labelled)(part, number, shared, first)
            for number, (part, first) in enumerate(zip(self._kept(), firsts, strict=True))
        ]
        meta = pd.Series([], index=index, dtype=np.int64, name="cluster")
        return dd.from_delayed(parts, meta=meta, divisions=divisions)

    def take(self, rows: Sequence[int] | np.ndarray) -> CategoricalTable:
        """Return the table of some objects, by number in the order of the partitions."""
        import dask

        parts = self._kept()
        sizes = dask.compute(*[self._delayed(_size)(part) for part in parts])
        encoder = self._once(self.encoder())
        picked = [
            self._delayed(_picked)(parts[p], row, encoder) for p, row in places_of(rows, sizes)
        ]
        return self.table_of(np.array(dask.compute(*picked)))

    @staticmethod
    def _delayed(function: Callable[..., Any]) -> Callable[..., Any]:
        import dask

        return dask.delayed(function, pure=True)

    @staticmethod
    def _once(shared: Any) -> Any:
        import dask

        return dask.delayed(shared, pure=True, traverse=False)

    def _tree(self, combine: Callable[[list[Any]], Any], parts: list[Any], progress: bool) -> Any:
        """Combine the parts, a few at a time, until one is left."""
        from contextlib import nullcontext

        from dask.diagnostics import ProgressBar

        joined = self._delayed(combine)
        while len(parts) > 1:
            parts = [joined(parts[i : i + _FAN_IN]) for i in range(0, len(parts), _FAN_IN)]
        with ProgressBar() if progress else nullcontext():
            return parts[0].compute()


def _joined(combine: Callable[[T, T], T], results: Iterable[T | None]) -> T | None:
    return combined(combine, *results)


@dataclass(frozen=True)
class _Part:
    """A partition of a frame: its codes over the labels that occur in it, and its index."""

    columns: Columns
    index: Any


def _coded(frame: Any) -> _Part:
    columns = Columns(
        reading.Column(
            column.name,
            [(_narrow(positions, len(labels)), labels) for positions, labels in column.chunks],
            column.declared,
        )
        for column in reading.columns_of(frame)
    )
    return _Part(columns, frame.index)


def _narrow(positions: np.ndarray, n_labels: int) -> np.ndarray:
    """Return codes in the smallest type; a missing cell may be -1 or the number of labels."""
    return positions.astype(reading.code_type(n_labels + 1))


def _size(part: Any) -> int:
    return part.n_rows if isinstance(part, ParquetFiles) else length(part.columns)


def _batches(part: Any) -> Iterator[tuple[str, Columns]]:
    return batches_of(part) if isinstance(part, ParquetFiles) else iter([("", part.columns)])


def _counted(
    part: Any, domains: Mapping[str, Sequence[str]], missing: tuple[str, ...], incomplete: str
) -> CountAccumulator:
    total = CountAccumulator(domains, missing, incomplete)
    with _KERNELS:
        for place, columns in _batches(part):
            total.add_columns(columns, place)
    return total


def _merged(totals: list[CountAccumulator]) -> CountAccumulator:
    first, *others = totals
    merged = CountAccumulator(first.domains, first.missing, first.incomplete)
    for one in (first, *others):
        merged.merge(one)
    return merged


def _locked(work: Callable[..., T]) -> Callable[..., T]:
    """Return the work as one that a thread may call beside others."""
    if getattr(work, "is_threadsafe", False):
        return work

    def locked(*arguments: Any) -> T:
        with _KERNELS:
            return work(*arguments)

    return locked


def _results(part: Any, number: int, encoder: Encoder, work: Callable[..., T]) -> Iterator[T]:
    """Yield the result of the work on each batch of a part that has rows."""
    row = 0
    if not _size(part):
        return
    for place, columns in _batches(part):
        table = encoder(columns, place)
        yield _locked(work)(table, (number, row))
        row += table.n_objects


def _worked(
    part: Any,
    number: int,
    shared: tuple[Encoder, Callable[..., T], Callable[[T, T], T]],
) -> T | None:
    encoder, work, combine = shared
    return combined(combine, *_results(part, number, encoder, work))


def _labelled(
    part: Any, number: int, shared: tuple[Encoder, Callable[..., np.ndarray]], first: int
) -> Any:
    import pandas as pd

    encoder, work = shared
    found = [labels.astype(np.int64) for labels in _results(part, number, encoder, work)]
    labels = np.concatenate(found) if found else np.zeros(0, dtype=np.int64)
    is_frame = not isinstance(part, ParquetFiles)
    index = part.index if is_frame else pd.RangeIndex(first, first + len(labels))
    return pd.Series(labels, index=index, name="cluster")


def _picked(part: Any, row: int, encoder: Encoder) -> np.ndarray:
    if isinstance(part, ParquetFiles):
        place, columns = next(part.batches(1, row))
        return encoder(Columns(columns), place).codes[0]
    one = [
        reading.Column(column.name, [(positions[row : row + 1], labels)], column.declared)
        for column in part.columns
        for positions, labels in column.chunks
    ]
    return encoder(Columns(one)).codes[0]
