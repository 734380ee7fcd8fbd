"""Tables that are read again in every pass, part by part, and never held."""

from abc import ABC, abstractmethod
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass
from functools import reduce
from pathlib import Path
from typing import TYPE_CHECKING, Any, Self, TypeVar

import numba
import numpy as np

from couplings import reading
from couplings._checks import check_choice
from couplings._params import Params
from couplings.counts import MISSING_LABEL, CooccurrenceCounts, CountAccumulator
from couplings.errors import CouplingsError, TableError
from couplings.large.counting import count_files
from couplings.parquet import BATCH_ROWS, ParquetFiles
from couplings.reading import MISSING
from couplings.table import CategoricalTable, require_complete

T = TypeVar("T")
Place = tuple[int, int]
"""Where a row is: number of its part, number of the row in the part."""

INCOMPLETE = ("raise", "value")
# Batches that a thread takes at a time: handing them over has its price.
_JOINED = 2


class PartitionedTable(ABC):
    """A table in parts, each of which is read when it is needed.

    The counts are found in a first pass, on demand; they fix the domains, and all later passes
    encode by these.

    Parameters
    ----------
    domains, missing
        As in `CategoricalTable.from_any`.
    incomplete : {"raise", "value"}, default "raise"
        What becomes of objects with missing cells, as in `CooccurrenceCounts.from_batches`.
    counts : CooccurrenceCounts, optional
        The counts of this table, if they are known already.
    """

    def __init__(
        self,
        domains: Mapping[str, Sequence[str]] | None = None,
        missing: Iterable[str] = (),
        incomplete: str = "raise",
        counts: CooccurrenceCounts | None = None,
    ) -> None:
        check_choice(type(self).__name__, "incomplete", incomplete, INCOMPLETE)
        self.domains = {str(name): tuple(domain) for name, domain in (domains or {}).items()}
        self.missing = tuple(str(label) for label in missing)
        self.incomplete = incomplete
        if counts is not None:
            _labelled(counts.categories)
            _labelled(counts.attributes)
        self._counts = counts

    def counts(self, progress: bool = False, state: str | Path | None = None) -> CooccurrenceCounts:
        """Return the counts of all objects, after one pass over them (only the first time).

        Parameters
        ----------
        progress, state
            As in `count_parquet`, where the table can keep them.
        """
        if self._counts is None:
            self._counts = self._count(progress, state)
        return self._counts

    @property
    def categories(self) -> tuple[tuple[str, ...], ...]:
        """Domain of each attribute."""
        return _labelled(self.counts().categories)

    @property
    def attributes(self) -> tuple[str, ...]:
        """Names of the attributes."""
        return _labelled(self.counts().attributes)

    @property
    def n_objects(self) -> int:
        """Number of objects, n."""
        return self.counts().n_objects

    def encoder(self) -> "Encoder":
        """Return what turns the data of a part into a table over the domains of the counts."""
        return Encoder(self.attributes, self.categories, self.missing, self.incomplete)

    @abstractmethod
    def fingerprint(self) -> Any:
        """Return what tells these data from others, as JSON values."""

    @abstractmethod
    def _count(self, progress: bool, state: str | Path | None) -> CooccurrenceCounts:
        """Count all objects."""

    @abstractmethod
    def reduce(
        self,
        work: Callable[[CategoricalTable, Place], T],
        combine: Callable[[T, T], T],
        progress: bool = False,
        what: str = "",
    ) -> T:
        """Do the work on every part and combine the results, in any order.

        Parameters
        ----------
        work : callable
            Called with the table of some rows and the place of the first; can be pickled. If it has
            a true attribute `is_threadsafe`, several threads may call it at a time.
        combine : callable
            Associative and commutative.
        progress, what
            Whether to show a progress bar, and its title.
        """

    @abstractmethod
    def map_labels(self, work: Callable[[CategoricalTable, Place], np.ndarray]) -> Any:
        """Return one integer per object, in the form that suits the data."""

    @abstractmethod
    def take(self, rows: Sequence[int] | np.ndarray) -> CategoricalTable:
        """Return the table of some objects, by number in the order of the parts."""

    def table_of(self, codes: np.ndarray) -> CategoricalTable:
        """Return a table of some objects with these codes."""
        return CategoricalTable.from_codes(
            codes, categories=self.categories, attributes=self.attributes
        )


class BatchClustering(Params):
    """Base of the clusterings of large tables: a subclass implements `_assignment`."""

    _encoder: "Encoder"

    if TYPE_CHECKING:  # what a subclass brings
        fit: Callable[..., Self]
        _assignment: Callable[[], Callable[[CategoricalTable, Place], np.ndarray]]

    def predict(self, X: Any) -> Any:
        """Return the cluster of each object, in the form that suits the data.

        Parameters
        ----------
        X : PartitionedTable, or whatever `CategoricalTable.from_any` takes
            Objects over the domains of `fit`; a frame is encoded by them.

        Raises
        ------
        NotFittedError
            If `fit` has not been called.
        CouplingsError
            If a cell is missing, or the table or a value is of other domains.
        """
        self._require_fit()
        work = self._assignment()
        if not isinstance(X, PartitionedTable):
            return work(self._table(X), (0, 0))
        if X.categories != self._encoder.categories:
            raise CouplingsError(
                "the clusters are of other domains than this table has; give it the counts of "
                "`fit`, or its domains"
            )
        return X.map_labels(work)

    def fit_predict(self, X: PartitionedTable, *matrices: Any) -> Any:
        """Cluster all objects and return their clusters; see `fit` and `predict`."""
        return self.fit(X, *matrices).predict(X)

    def _table(self, X: Any) -> CategoricalTable:
        """Return objects over the domains of the fit."""
        return self._encoder(X.to_pandas() if isinstance(X, CategoricalTable) else X)


def places_of(rows: Sequence[int] | np.ndarray, sizes: Sequence[int]) -> list[Place]:
    """Return where rows are, by number in the order of parts of these sizes."""
    ends = np.cumsum(sizes)
    parts = np.searchsorted(ends, np.asarray(rows), side="right")
    return [(int(p), int(row - ends[p] + sizes[p])) for row, p in zip(rows, parts, strict=True)]


def combined(combine: Callable[[T, T], T], *results: T | None) -> T | None:
    """Return the combination of the results that there are; None stands for no rows."""
    there = [result for result in results if result is not None]
    return reduce(combine, there) if there else None


def _labelled(found: T | None) -> T:
    """Return what counts know of the labels, or refuse counts without any."""
    if found is None:
        raise TableError("these counts know no labels; count the table with `counts`")
    return found


@dataclass(frozen=True, eq=False)
class Encoder:
    """Turns the data of a part into a table over fixed domains; can be pickled.

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

    def __call__(self, data: Any, place: str = "") -> CategoricalTable:
        """Return the table of the attributes, whatever `CategoricalTable.from_any` takes.

        Raises
        ------
        MissingValuesError
            If a cell is missing and has no value of its own.
        TableError
            If an attribute is not there, or a value is outside its domain.
        """
        columns = data if isinstance(data, Columns) else reading.columns_of(data)
        by_name = {column.name: column for column in columns}
        reading.check_known(self.attributes, by_name, place.removesuffix(": ") or "the data")
        domains = dict(zip(self.attributes, self.categories, strict=True))
        parts = reading.encode(
            [by_name[name] for name in self.attributes], domains, self.missing, place, partial=True
        )
        table = CategoricalTable(*parts)
        if self.incomplete == "value" and table.has_missing:
            codes = table.codes
            for j, domain in enumerate(self.categories):
                if domain and domain[-1] == MISSING_LABEL:
                    codes[codes[:, j] == MISSING, j] = len(domain) - 1
        require_complete(table)
        return table


class Columns(list):
    """Columns of a reader, to tell them from a list of rows."""


def length(columns: Sequence[reading.Column]) -> int:
    """Return the number of rows of columns, 0 if there are none."""
    return sum(len(positions) for column in columns[:1] for positions, _ in column.chunks)


def files_for(
    path: str | Path | Iterable[str | Path],
    usecols: Sequence[str] | None,
    domains: Mapping[str, Sequence[str]] | None,
) -> ParquetFiles:
    """Open Parquet files, as `CategoricalTable.from_parquet` does."""
    files = ParquetFiles.open(path, usecols)
    reading.check_known(domains or {}, files.attributes, str(path))
    return files


def batches_of(files: ParquetFiles) -> Iterator[tuple[str, Columns]]:
    """Yield the batches of Parquet files.

    Each is the beginning of messages and columns, which an `Encoder` takes.
    """
    for place, columns in files.batches():
        yield place, Columns(columns)


class LargeTable(PartitionedTable):
    """A table that is read from disk, or made anew, in every pass of one machine.

    Use `from_parquet` or `from_batches`.
    """

    def __init__(
        self,
        batches: Callable[[int, int], Iterator[tuple[str, Sequence[reading.Column]]]],
        fingerprint: Any,
        domains: Mapping[str, Sequence[str]] | None = None,
        missing: Iterable[str] = (),
        incomplete: str = "raise",
        counts: CooccurrenceCounts | None = None,
        files: ParquetFiles | None = None,
    ) -> None:
        super().__init__(domains, missing, incomplete, counts)
        self._batches = batches
        self._fingerprint = fingerprint
        self._files = files

    @classmethod
    def from_parquet(
        cls,
        path: str | Path | Iterable[str | Path],
        *,
        missing: Iterable[str] = (),
        domains: Mapping[str, Sequence[str]] | None = None,
        usecols: Sequence[str] | None = None,
        incomplete: str = "raise",
        counts: CooccurrenceCounts | None = None,
        batch_rows: int = BATCH_ROWS,
    ) -> Self:
        """Describe a table in Parquet files; nothing but their footers is read yet.

        Parameters
        ----------
        path, missing, domains, usecols
            As in `CategoricalTable.from_parquet`.
        incomplete, counts
            As in `PartitionedTable`.
        batch_rows : int
            Most rows of a batch; a few batches are held at a time.
        """
        files = files_for(path, usecols, domains)
        if counts is not None:
            reading.check_known(counts.attributes or (), files.attributes, str(path))
        return cls(
            lambda start, joined: files.batches(joined * batch_rows, start),
            files.fingerprint(),
            domains,
            missing,
            incomplete,
            counts,
            files,
        )

    @classmethod
    def from_batches(
        cls,
        batches: Sequence[Any] | Callable[[], Iterable[Any]],
        *,
        missing: Iterable[str] = (),
        domains: Mapping[str, Sequence[str]] | None = None,
        incomplete: str = "raise",
        counts: CooccurrenceCounts | None = None,
    ) -> Self:
        """Describe a table by batches that can be had again and again.

        Parameters
        ----------
        batches : sequence, or callable that returns a new iterator
            Each batch whatever `CategoricalTable.from_any` takes.
        missing, domains, incomplete, counts
            As in `PartitionedTable`.

        Raises
        ------
        TableError
            If the batches are an iterator, which only one pass could read.
        """
        if isinstance(batches, Iterator):
            raise TableError(
                "every pass reads the batches anew, an iterator can be read once; give a list, or "
                "a function that returns a new iterator"
            )
        produce = batches if callable(batches) else lambda: batches

        def columns(start: int, joined: int) -> Iterator[tuple[str, Sequence[reading.Column]]]:
            for number, batch in enumerate(produce()):
                yield f"batch {number}: ", _columns_of(batch)

        return cls(columns, None, domains, missing, incomplete, counts)

    def fingerprint(self) -> Any:
        """Return path, size and time of each file; None for batches that are made anew."""
        return self._fingerprint

    def tables(self, start: int = 0) -> Iterator[tuple[CategoricalTable, int]]:
        """Yield table by table, with the number of the first object of each."""
        encode = self.encoder()
        row = start
        for place, columns in self._batches(start, 1):
            if not length(columns):
                continue
            table = encode(Columns(columns), place)
            yield table, row
            row += table.n_objects

    def _count(self, progress: bool, state: str | Path | None) -> CooccurrenceCounts:
        total = CountAccumulator(self.domains, self.missing, self.incomplete)
        if self._files is not None:
            return count_files(self._files, total, progress, state)
        for place, columns in self._batches(0, 1):
            total.add_columns(columns, place)
        return total.counts_

    def reduce(
        self,
        work: Callable[[CategoricalTable, Place], T],
        combine: Callable[[T, T], T],
        progress: bool = False,
        what: str = "",
    ) -> T:
        """Do the work on table after table; see `PartitionedTable.reduce`."""
        from tqdm import tqdm

        with tqdm(
            total=self.n_objects, unit="row", unit_scale=True, disable=not progress, desc=what
        ) as bar:
            worked = self._worked(work)
            result, row = next(worked)
            bar.update(row)
            for part, row in worked:
                result = combine(result, part)
                bar.update(row - bar.n)
        return result

    def _worked(self, work: Callable[[CategoricalTable, Place], T]) -> Iterator[tuple[T, int]]:
        """Yield the result for table after table, and how many objects were done with it."""
        if not getattr(work, "is_threadsafe", False):
            for table, row in self.tables():
                yield work(table, (0, row)), row + table.n_objects
            return
        encode = self.encoder()

        def done(place: str, columns: Sequence[reading.Column], row: int) -> T:
            return work(encode(Columns(columns), place), (0, row))

        n_threads = numba.get_num_threads()
        with ThreadPoolExecutor(n_threads) as pool:
            begun: deque[tuple[Future[T], int]] = deque()
            row = 0
            for place, columns in self._batches(0, _JOINED):
                first, row = row, row + length(columns)
                if row > first:
                    begun.append((pool.submit(done, place, columns, first), row))
                # One part more than there are threads is held, for the first that is done.
                if len(begun) > n_threads:
                    future, end = begun.popleft()
                    yield future.result(), end
            for future, end in begun:
                yield future.result(), end

    def map_labels(
        self, work: Callable[[CategoricalTable, Place], np.ndarray], out: np.ndarray | None = None
    ) -> np.ndarray:
        """Return the labels of all objects, in the smallest type that holds them, or in `out`."""
        for labels, end in self._worked(work):
            if out is None:
                out = np.empty(self.n_objects, dtype=labels.dtype)
            out[end - len(labels) : end] = labels
        # A table that could be counted has objects, so there were labels.
        return out  # type: ignore[return-value]

    def take(self, rows: Sequence[int] | np.ndarray) -> CategoricalTable:
        """Return the table of some objects, by number."""
        encode = self.encoder()
        picked: dict[int, np.ndarray] = {}
        wanted = sorted({int(row) for row in rows})
        if self._files is not None:
            for row in wanted:
                place, columns = next(self._batches(row, 1))
                picked[row] = encode(Columns(_head(columns)), place).codes[0]
        else:
            for table, first in self.tables():
                for row in wanted:
                    if first <= row < first + table.n_objects:
                        picked[row] = table.codes[row - first]
        return self.table_of(np.array([picked[int(row)] for row in rows]))


def _columns_of(batch: Any) -> list[reading.Column]:
    if isinstance(batch, CategoricalTable):
        return [
            reading.Column(name, [(codes, list(domain))], domain)
            for name, codes, domain in zip(
                batch.attributes, batch.codes.T, batch.categories, strict=True
            )
        ]
    return reading.columns_of(batch)


def _head(columns: Sequence[reading.Column]) -> list[reading.Column]:
    """Return the first row of columns."""
    return [
        reading.Column(column.name, [(positions[:1], labels)], column.declared)
        for column in columns
        for positions, labels in column.chunks[:1]
    ]
