"""Tables of Dask: every partition is counted, assigned and labelled where it is.

Needs the extra ``couplings[dask]``.
"""

from collections.abc import Callable, Iterable, Sequence
from contextlib import nullcontext
from functools import partial
from pathlib import Path
from typing import Any, Self, TypeVar, Unpack

import numpy as np

from couplings.errors import TableError
from couplings.large.data import Options
from couplings.large.engines import EngineTable, Task
from couplings.large.parts import Encoder, Rows, Work, combined, worked
from couplings.parquet import ParquetFiles

T = TypeVar("T")

_FAN_IN = 8


class DaskTable(EngineTable):
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

    engine = "Dask"

    def __init__(self, frame: Any, **options: Unpack[Options]) -> None:
        import dask.dataframe as dd

        if not isinstance(frame, dd.DataFrame | ParquetFiles):
            raise TableError(f"DaskTable takes a Dask data frame, not {type(frame).__name__}")
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
        return cls(ParquetFiles.open(path, usecols, options.get("domains")), **options)

    def fingerprint(self) -> str:
        """Return Dask's name of the frame (it tells data and history) or of the files."""
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
        """Return a task per partition; the parts of a frame are computed here, once."""
        import dask

        if self._parts is None:
            coded = dask.delayed(_coded, pure=True)
            self._parts = list(dask.persist(*map(coded, self.frame.to_delayed())))
        # What all tasks share is one task of its own, described once.
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
