"""Tables that every pass reads again, part by part, without holding them in memory."""

import hashlib
import json
import threading
import time
from abc import ABC, abstractmethod
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Self, TypedDict, TypeVar, Unpack

import numba
import numpy as np

from couplings import reading
from couplings._checks import check_choice, check_clusters, row_positions
from couplings._labels import MissingLabels, domains_of
from couplings._params import Params
from couplings.counts import (
    MISSING_LABEL,
    CooccurrenceCounts,
    CountAccumulator,
    read_npz,
    write_npz,
)
from couplings.errors import CouplingsError, MissingPackageError, TableError
from couplings.parquet import BATCH_ROWS, ParquetFiles
from couplings.reading import MISSING, Column
from couplings.table import CategoricalTable, Labels, require_complete

try:
    import pyarrow as pa
    from tqdm import tqdm
except ImportError as error:
    raise MissingPackageError("Tables in parts", "pyarrow and tqdm", "large") from error

T = TypeVar("T")
Place = tuple[int, int]
"""Position of a row: number of its part, number of the row in the part."""

Batch = tuple[str, list[Column]]
"""Columns of some rows, and the beginning of messages about them."""

# The kernels share their threads; not every numba threading layer allows several callers.
_KERNELS = threading.Lock()

SECONDS_BETWEEN_STATES = 10.0
_STATE_VERSION = 2
COUNTED_ROWS = 1 << 15
"""Rows counted at a time; fewer than elsewhere, because all columns and their bits are held."""
# Batches that a thread takes at a time, since each hand-over costs time.
_JOINED = 2


class Options(TypedDict, total=False):
    """Options of every table in parts, see `PartitionedTable`."""

    domains: Mapping[str, Sequence[str]] | None
    missing: Labels
    incomplete: str
    counts: CooccurrenceCounts | None


@dataclass(frozen=True, eq=False)
class Encoder:
    """Encodes the columns of a part as a table over fixed domains; can be pickled.

    Parameters
    ----------
    domains : mapping from attribute to tuple of str
        Names and domains.
    missing, incomplete
        As in `PartitionedTable`.
    """

    domains: Mapping[str, tuple[str, ...]]
    missing: MissingLabels
    incomplete: str

    def __call__(self, columns: Sequence[Column], place: str = "") -> CategoricalTable:
        """Return the table of the attributes.

        Raises
        ------
        MissingValuesError
            If a cell is missing and missing is not a value.
        TableError
            If an attribute is missing, or a value is outside its domain.
        """
        by_name = {column.name: column for column in columns}
        reading.check_known(self.domains, by_name, place.removesuffix(": ") or "the data")
        chosen = [by_name[name] for name in self.domains]
        table = CategoricalTable(
            *reading.encode(chosen, self.domains, self.missing, place, partial=True)
        )
        if self.incomplete == "value" and table.has_missing:
            codes = table.codes.copy(order="F")
            for column, domain in zip(codes.T, self.domains.values(), strict=True):
                if domain and domain[-1] == MISSING_LABEL:
                    column[column == MISSING] = len(domain) - 1
            table = CategoricalTable(codes, table.categories, table.attributes)
        require_complete(table)
        return table


Work = Callable[[CategoricalTable, Place], T]
"""Called with a table of some rows and the position of the first."""


def worked(
    batches: Iterable[Batch], number: int, encode: Encoder, work: Work[T]
) -> Iterator[tuple[T, int]]:
    """Yield the result of the work on each batch of a part, and the row after the batch."""
    row = 0
    lock: AbstractContextManager[Any] = (
        nullcontext() if getattr(work, "is_threadsafe", False) else _KERNELS
    )
    for place, columns in batches:
        if reading.n_rows(columns):
            table = encode(columns, place)
            with lock:
                found = work(table, (number, row))
            row += table.n_objects
            yield found, row


def counted(total: CountAccumulator, batches: Iterable[Batch]) -> CountAccumulator:
    """Add the counts of batches to a total and return it."""
    with _KERNELS:
        for place, columns in batches:
            total.add_columns(columns, place)
    return total


def picked(
    batches: Iterable[Batch], encode: Encoder, wanted: Sequence[int] | np.ndarray
) -> dict[int, np.ndarray]:
    """Return the codes of selected rows of a part."""
    found: dict[int, np.ndarray] = {}
    first = 0
    for place, columns in batches:
        after = first + reading.n_rows(columns)
        here = [row for row in wanted if first <= row < after]
        if here:
            codes = encode(columns, place).codes
            found |= {row: codes[row - first] for row in here}
        if len(found) == len(set(wanted)):
            break
        first = after
    return found


class PartitionedTable(ABC):
    """A table in parts, each read when it is needed.

    A first pass, on demand, counts the table; the counts fix the domains that all later passes use.

    Parameters
    ----------
    domains, missing
        As in `CategoricalTable.from_any`.
    incomplete : {"raise", "value"}, default "raise"
        Rule for objects with missing cells, as in `CooccurrenceCounts.from_batches`.
    counts : CooccurrenceCounts, optional
        Counts of this table, if already known.
    """

    def __init__(
        self,
        domains: Mapping[str, Sequence[str]] | None = None,
        missing: Labels = (),
        incomplete: str = "raise",
        counts: CooccurrenceCounts | None = None,
    ) -> None:
        check_choice(type(self).__name__, "incomplete", incomplete, ("raise", "value"))
        self.domains = domains_of(domains)
        self.missing = MissingLabels.of(missing)
        self.incomplete = incomplete
        if counts is not None and None in (counts.categories, counts.attributes):
            raise TableError("these counts have no labels; count the table itself with `counts`")
        self._counts = counts

    def counts(self, progress: bool = False, state: str | Path | None = None) -> CooccurrenceCounts:
        """Return the counts of all objects; only the first call makes a pass over them.

        Parameters
        ----------
        progress, state
            As in `count_parquet`, if the table supports them.
        """
        if self._counts is None:
            self._counts = self._count(progress, state)
        return self._counts

    @property
    def categories(self) -> tuple[tuple[str, ...], ...]:
        """Domain of each attribute."""
        return self.counts().categories  # type: ignore[return-value]  # counts here have labels

    @property
    def attributes(self) -> tuple[str, ...]:
        """Names of the attributes."""
        return self.counts().attributes  # type: ignore[return-value]  # counts here have labels

    @property
    def n_objects(self) -> int:
        """Number of objects, n."""
        return int(self.counts().n_objects)

    def encoder(self) -> Encoder:
        """Return the encoder of a part over the domains of the counts."""
        domains = dict(zip(self.attributes, self.categories, strict=True))
        return Encoder(domains, self.missing, self.incomplete)

    @abstractmethod
    def fingerprint(self) -> Any:
        """Return JSON values that identify the data."""

    @abstractmethod
    def _count(self, progress: bool, state: str | Path | None) -> CooccurrenceCounts:
        """Count all objects."""

    @abstractmethod
    def reduce(
        self,
        work: Work[T],
        combine: Callable[[T, T], T],
        progress: bool = False,
        what: str = "",
    ) -> T:
        """Run the work on every part and combine the results, in any order.

        Parameters
        ----------
        work : callable
            Called with a table of some rows and the position of the first; can be pickled. If its
            attribute `is_threadsafe` is true, several threads may call it at a time.
        combine : callable
            Associative and commutative.
        progress, what
            Whether to show a progress bar, and its title.
        """

    @abstractmethod
    def map_labels(self, work: Work[np.ndarray]) -> Any:
        """Return one integer per object, in the native form of the data."""

    @abstractmethod
    def take(self, rows: Sequence[int] | np.ndarray) -> CategoricalTable:
        """Return the table of selected objects, numbered in the order of the parts."""

    def table_of(self, codes: np.ndarray) -> CategoricalTable:
        """Return a table of objects with these codes."""
        return CategoricalTable.from_codes(
            codes, categories=self.categories, attributes=self.attributes
        )


class BatchClustering(Params):
    """Base class of clusterings of large tables; a subclass implements `_assignment`."""

    _role = "clusterer"
    _encoder: Encoder

    # Provided by subclasses.
    fit: Callable[..., Self]
    n_clusters: int
    _assignment: Callable[[], Work[np.ndarray]]

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.two_d_array = False  # the tag of estimators that take no arrays
        return tags

    def predict(self, X: Any) -> Any:
        """Return the cluster of each object, in the native form of the data.

        Parameters
        ----------
        X : PartitionedTable, or any data that `CategoricalTable.from_any` takes
            Objects over the domains of `fit`, which encode a data frame.

        Raises
        ------
        NotFittedError
            If `fit` has not been called.
        CouplingsError
            If a cell is missing, or if the domains differ from those of `fit`.
        """
        self._require_fit()
        work = self._assignment()
        if not isinstance(X, PartitionedTable):
            return work(self._table(X), (0, 0))
        self._require_domains(X)
        return X.map_labels(work)

    def _require_parts(self, X: Any, in_memory: str) -> None:
        """Raise `CouplingsError` unless `X` is a table in parts with enough objects."""
        self._check_choices()
        if not isinstance(X, PartitionedTable):
            raise CouplingsError(
                f"{self._owner}.fit needs a LargeTable or a table of Dask, not "
                f"{type(X).__name__}; use LargeTable.from_batches([data]), or {in_memory} for data "
                "that fit into memory"
            )
        check_clusters(self._owner, self.n_clusters, X.n_objects)

    def _require_domains(self, X: PartitionedTable) -> None:
        if tuple(zip(X.attributes, X.categories, strict=True)) != tuple(
            self._encoder.domains.items()
        ):
            raise CouplingsError(
                "the table has other domains than the clusters; create it with the counts or "
                "domains of `fit`"
            )

    def fit_predict(self, X: PartitionedTable, *matrices: Any) -> Any:
        """Cluster all objects and return their clusters; see `fit` and `predict`."""
        return self.fit(X, *matrices).predict(X)

    def _table(self, X: Any) -> CategoricalTable:
        return self._encoder(reading.columns_of(X))


class LargeTable(PartitionedTable):
    """A table that every pass on one machine reads from disk or generates again.

    Use `from_parquet` or `from_batches`.
    """

    def __init__(
        self,
        batches: Callable[[int], Iterator[Batch]],
        files: ParquetFiles | None = None,
        **options: Unpack[Options],
    ) -> None:
        super().__init__(**options)
        self._batches = batches
        self._files = files

    @classmethod
    def from_parquet(
        cls,
        path: str | Path | Iterable[str | Path],
        *,
        usecols: Sequence[str] | None = None,
        batch_rows: int = BATCH_ROWS,
        **options: Unpack[Options],
    ) -> Self:
        """Describe a table in Parquet files; only their footers are read now.

        Errors are those of `CategoricalTable.from_parquet`.

        Parameters
        ----------
        path, usecols
            As in `CategoricalTable.from_parquet`.
        batch_rows : int
            Maximum number of rows of a batch; a few batches are held at a time.
        domains, missing, incomplete, counts
            As in `PartitionedTable`.
        """
        files = ParquetFiles.open(path, usecols, options.get("domains"))
        return cls(lambda joined: files.batches(joined * batch_rows), files, **options)

    @classmethod
    def from_batches(
        cls, batches: Sequence[Any] | Callable[[], Iterable[Any]], **options: Unpack[Options]
    ) -> Self:
        """Describe a table by batches that can be iterated repeatedly.

        Parameters
        ----------
        batches : sequence, or callable that returns a new iterator
            Each batch in any form that `CategoricalTable.from_any` takes.
        domains, missing, incomplete, counts
            As in `PartitionedTable`.

        Raises
        ------
        TableError
            If the batches are an iterator, which only one pass could read.
        """
        reading.check_batches(batches)
        if isinstance(batches, Iterator):
            raise TableError(
                "every pass reads the batches again, but an iterator can be read only once; pass a "
                "list, or a function that returns a new iterator"
            )

        def columns(joined: int) -> Iterator[Batch]:
            for number, batch in enumerate(batches() if callable(batches) else batches):
                yield f"batch {number}: ", reading.columns_of(batch)

        return cls(columns, **options)

    def fingerprint(self) -> Any:
        """Return path, size and time of each file; None for generated batches."""
        return None if self._files is None else self._files.fingerprint()

    def _count(self, progress: bool, state: str | Path | None) -> CooccurrenceCounts:
        total = CountAccumulator(self.domains, self.missing, self.incomplete)
        if self._files is None:
            return counted(total, self._batches(1)).counts_
        return count_files(self._files, total, progress, state)

    def reduce(
        self, work: Work[T], combine: Callable[[T, T], T], progress: bool = False, what: str = ""
    ) -> T:
        """Run the work batch by batch; see `PartitionedTable.reduce`."""
        with tqdm(
            total=self.n_objects, unit="row", unit_scale=True, disable=not progress, desc=what
        ) as bar:
            done = self._worked(work)
            result, row = next(done)
            bar.update(row)
            for part, row in done:
                result = combine(result, part)
                bar.update(row - bar.n)
        return result

    def _worked(self, work: Work[T]) -> Iterator[tuple[T, int]]:
        """Yield the result of each batch, and the number of objects processed with it."""
        encode = self.encoder()
        if not getattr(work, "is_threadsafe", False):
            yield from worked(self._batches(1), 0, encode, work)
            return

        def done(place: str, columns: Sequence[Column], row: int) -> T:
            return work(encode(columns, place), (0, row))

        n_threads = numba.get_num_threads()
        with ThreadPoolExecutor(n_threads) as pool:
            begun: deque[tuple[Future[T], int]] = deque()
            row = 0
            for place, columns in self._batches(_JOINED):
                first, row = row, row + reading.n_rows(columns)
                if row > first:
                    begun.append((pool.submit(done, place, columns, first), row))
                # One part more than the number of threads is held, ready for the next free thread.
                if len(begun) > n_threads:
                    future, end = begun.popleft()
                    yield future.result(), end
            for future, end in begun:
                yield future.result(), end

    def map_labels(self, work: Work[np.ndarray]) -> np.ndarray:
        """Return the labels of all objects, in the smallest type that holds them."""
        return np.concatenate([labels for labels, _ in self._worked(work)])

    def take(self, rows: Sequence[int] | np.ndarray) -> CategoricalTable:
        """Return the table of selected objects, by number or as a mask.

        Raises `CouplingsError` if there is no such object.
        """
        wanted = row_positions("take", rows, self.n_objects).tolist()
        found = picked(self._batches(1), self.encoder(), wanted)
        codes = [found[row] for row in wanted]
        return self.table_of(np.array(codes, np.int64).reshape(len(codes), len(self.attributes)))


class State:
    """The state file of one computation.

    Parameters
    ----------
    path : str, Path or None
        The file; None stores nothing.
    kind : str
        Name of the computation, for messages.
    key : mapping
        All inputs of the result, as JSON values; another key means another computation.
    """

    def __init__(self, path: str | Path | None, kind: str, key: Mapping[str, Any]) -> None:
        self.path = None if path is None else Path(path)
        self.kind = kind
        text = json.dumps(key, sort_keys=True, default=str)
        self.digest = hashlib.sha256(text.encode()).hexdigest()

    def load(self) -> tuple[dict[str, Any], dict[str, np.ndarray]] | None:
        """Return the record and the arrays saved last, None if there are none.

        Raises
        ------
        TableError
            If the file is of another kind or holds the state of another computation.
        """
        if self.path is None or not self.path.exists():
            return None
        what = f"the state of {self.kind}"
        about, arrays = read_npz(self.path, f"couplings.large: {self.kind}", _STATE_VERSION, what)
        if about.get("key") != self.digest:
            raise TableError(
                f"{self.path}: the state of {self.kind} of other data or with other parameters; "
                "remove the file to start anew, or name another one"
            )
        return about, arrays

    def save(self, about: Mapping[str, Any], **arrays: np.ndarray) -> None:
        """Save a record and arrays, replacing the previous ones."""
        if self.path is not None:
            write_npz(
                self.path,
                f"couplings.large: {self.kind}",
                _STATE_VERSION,
                {"key": self.digest, **about},
                **arrays,
            )

    def remove(self) -> None:
        """Remove the file: the computation is done."""
        if self.path is not None:
            self.path.unlink(missing_ok=True)


def count_parquet(
    path: str | Path | Iterable[str | Path],
    *,
    missing: Labels = (),
    domains: Mapping[str, Sequence[str]] | None = None,
    usecols: Sequence[str] | None = None,
    incomplete: str = "raise",
    progress: bool = False,
    state: str | Path | None = None,
) -> CooccurrenceCounts:
    """Count the objects in Parquet files of any total size, without holding a table.

    Parameters
    ----------
    path, missing, domains, usecols
        As in `CategoricalTable.from_parquet`.
    incomplete
        As in `CooccurrenceCounts.from_batches`.
    progress : bool, default False
        Whether to show a progress bar.
    state : str or Path, optional
        File that saves the counts about every ten seconds, so that an interrupted run continues
        from there. It is removed at the end.

    Raises
    ------
    MissingValuesError, TableError
        As `CooccurrenceCounts.from_batches` and `CategoricalTable.from_parquet`; also if the
        state belongs to other files or parameters.
    """
    files = ParquetFiles.open(path, usecols, domains)
    return count_files(files, CountAccumulator(domains, missing, incomplete), progress, state)


def count_files(
    files: ParquetFiles,
    total: CountAccumulator,
    progress: bool = False,
    state: str | Path | None = None,
    batch_rows: int = COUNTED_ROWS,
) -> CooccurrenceCounts:
    """Count the objects of all files; see `count_parquet`."""
    key = {
        "files": files.fingerprint(),
        "attributes": files.attributes,
        "domains": total.domains,
        "missing": total.missing.record(),
        "incomplete": total.incomplete,
        "batch_rows": batch_rows,
    }
    kept = State(state, "a count", key)
    before, rows = 0, 0
    if (saved := kept.load()) is not None:
        before, total.total = saved[0]["rows"], CooccurrenceCounts.from_record(*saved)
    last = time.monotonic()
    with tqdm(
        total=files.n_rows, unit="row", unit_scale=True, disable=not progress, desc="counting"
    ) as bar:
        for place, columns in files.batches(batch_rows):
            rows += reading.n_rows(columns)
            bar.update(rows - bar.n)
            if rows > before:
                total.add_columns(columns, place)
            # Otherwise Arrow keeps decoded data, three times the memory in use.
            del columns
            pa.default_memory_pool().release_unused()
            if state is not None and time.monotonic() - last >= SECONDS_BETWEEN_STATES:
                record, arrays = ({}, {}) if total.total is None else total.total.record()
                kept.save({"rows": rows, **record}, **arrays)
                last = time.monotonic()
    counts = total.counts_
    kept.remove()
    return counts
