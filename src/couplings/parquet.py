"""Tables in Parquet files, read batch by batch."""

import glob
from collections.abc import Iterable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Any, Self, TypeVar

from couplings import reading
from couplings._labels import domains_of, names_of
from couplings.errors import MissingPackageError, TableError
from couplings.reading import Column

if TYPE_CHECKING:
    import pyarrow as pa
    import pyarrow.parquet as pq

T = TypeVar("T")

BATCH_ROWS = 1 << 16
"""Rows read at a time: enough for the kernels, a few megabytes per attribute."""

SUFFIXES = (".parquet", ".pq")
"""Suffixes of Parquet files."""


@dataclass(frozen=True, eq=False)
class ParquetFiles:
    """The Parquet files of one table, in the order of their names.

    Parameters
    ----------
    paths : tuple of Path
        The files, at least one.
    attributes : tuple of str
        Columns to read, in this order.
    """

    paths: tuple[Path, ...]
    attributes: tuple[str, ...]

    @classmethod
    def open(
        cls,
        path: str | Path | Iterable[str | Path],
        usecols: Sequence[str] | None = None,
        declared: Any = None,
    ) -> Self:
        """Find the files and check that all are Parquet with the same columns of labels.

        Arguments and errors are those of `CategoricalTable.from_parquet`; `declared` are the
        columns with a domain. In folders, names that begin with ``_`` or ``.`` are skipped.
        """
        paths = tuple(_found(path))
        names: list[str] = []
        for file in paths:
            schema = _opened(file).schema_arrow
            here = without_index(schema)
            if not names:
                reading.check_unique(here, f"{file}: ")
                names = here if usecols is None else list(names_of("usecols", usecols))
                reading.check_unique(names, f"{file}: ")
            reading.check_known(names, here, str(file))
            try:
                for name in names:
                    reading.check_arrow_type(name, schema.field(name).type)
            except TableError as error:
                raise TableError(f"{file}: {error}") from None
        reading.check_known(domains_of(declared), names, str(path))
        return cls(paths, tuple(names))

    @property
    def n_rows(self) -> int:
        """Number of rows of all files."""
        return sum(_opened(path).metadata.num_rows for path in self.paths)

    def fingerprint(self) -> list[tuple[str, int, int]]:
        """Return path, size and modification time of each file, to detect a changed table."""
        return [
            (str(path.resolve()), path.stat().st_size, path.stat().st_mtime_ns)
            for path in self.paths
        ]

    def batches(self, batch_rows: int = BATCH_ROWS) -> Iterator[tuple[str, list[Column]]]:
        """Yield the columns of the next rows, with file and first row for messages.

        Each batch is read while the previous one is processed.
        """
        return _ahead(self._read(batch_rows))

    def _read(self, batch_rows: int) -> Iterator[tuple[str, list[Column]]]:
        for path in self.paths:
            schema = _opened(path).schema_arrow
            text = [name for name in self.attributes if reading.is_text(schema.field(name).type)]
            file = _opened(path, text)
            row = 0
            with readable(path):
                for batch in file.iter_batches(batch_rows, columns=self.attributes):
                    if batch.num_rows:
                        yield f"{path}, from row {row}: ", _columns(batch, self.attributes, text)
                    row += batch.num_rows
                    # Release it before the next one is read.
                    del batch


def _ahead(batches: Iterator[T]) -> Iterator[T]:
    """Yield the batches, reading each while the previous one is processed."""
    with ThreadPoolExecutor(1) as reader:
        coming = reader.submit(list, islice(batches, 1))
        while found := coming.result():
            coming = reader.submit(list, islice(batches, 1))
            # Popped, so that only the consumer holds a reference.
            yield found.pop()


def _found(path: str | Path | Iterable[str | Path]) -> Iterator[Path]:
    """Yield the files of a path, a folder, a pattern, or several of them."""
    if not isinstance(path, str | Path):
        for one in path:
            yield from _found(one)
        return
    root = Path(path)
    if root.is_dir():
        files = [
            file
            for file in sorted(root.rglob("*"))
            if file.suffix in SUFFIXES
            and not any(part.startswith(("_", ".")) for part in file.relative_to(root).parts)
        ]
        for keyed in (file for file in files if "=" in str(file.relative_to(root).parent)):
            raise TableError(
                f"{keyed}: its folder holds a column that is not in the file; give the batches of "
                f"a pyarrow.dataset to LargeTable.from_batches, or leave the column out: "
                f"{root}/**/*{keyed.suffix}"
            )
    else:
        named = sorted(glob.glob(str(path), recursive=True))  # noqa: PTH207
        files = [root] if root.is_file() else list(map(Path, named))
    files = [file for file in files if file.is_file()]
    if not files:
        raise TableError(
            f"{path}: no such file, and no folder or pattern with Parquet files; check the path "
            f"(here: {Path.cwd()})"
        )
    yield from files


@contextmanager
def readable(path: Path) -> Iterator[None]:
    """Raise `TableError` if a file cannot be read as Parquet."""
    try:
        import pyarrow as pa
    except ImportError as error:
        raise MissingPackageError("Parquet files", "pyarrow", "arrow") from error
    try:
        yield
    except (pa.ArrowInvalid, OSError) as error:
        raise TableError(f"{path}: cannot be read as Parquet: {error}") from error


def _opened(path: Path, dictionaries: Sequence[str] = ()) -> "pq.ParquetFile":
    """Open a Parquet file; the named text columns are read as dictionaries."""
    with readable(path):
        import pyarrow.parquet as pq

        return pq.ParquetFile(path, read_dictionary=list(dictionaries), pre_buffer=False)


def without_index(schema: "pa.Schema") -> list[str]:
    """Return the names of the columns, except a stored pandas index."""
    stored = (schema.pandas_metadata or {}).get("index_columns", [])
    index = {name for name in stored if isinstance(name, str)}
    return [name for name in schema.names if name not in index]


def _columns(
    batch: "pa.RecordBatch", attributes: Sequence[str], text: Sequence[str]
) -> list[Column]:
    import pyarrow as pa

    # A dictionary of a text column is only its storage, not a declared domain.
    return [
        reading.arrow_column(name, pa.chunked_array([batch.column(name)]), name not in text)
        for name in attributes
    ]
