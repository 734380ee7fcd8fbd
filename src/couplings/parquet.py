"""Tables in Parquet files, read batch by batch."""

import glob
from collections.abc import Iterable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import cached_property
from itertools import islice, takewhile
from pathlib import Path
from typing import TYPE_CHECKING, Self, TypeVar
from urllib.parse import unquote

import numpy as np

from couplings import reading
from couplings.errors import TableError
from couplings.reading import Column

if TYPE_CHECKING:
    import pyarrow as pa
    import pyarrow.parquet as pq

T = TypeVar("T")

BATCH_ROWS = 1 << 16
"""Rows read at a time: enough for the kernels, a few megabytes per attribute."""

_NO_VALUE = "__HIVE_DEFAULT_PARTITION__"


@dataclass(frozen=True, eq=False)
class ParquetFiles:
    """The Parquet files of one table, in the order of their names.

    Parameters
    ----------
    paths : tuple of Path
        The files, at least one.
    attributes : tuple of str
        Columns to read, in this order.
    keys : tuple of mapping from str to str or None
        For each file the columns encoded by its folders (``year=2024/part.parquet``).
    """

    paths: tuple[Path, ...]
    attributes: tuple[str, ...]
    keys: tuple[Mapping[str, str | None], ...]

    @classmethod
    def open(
        cls,
        path: str | Path | Iterable[str | Path],
        usecols: Sequence[str] | None = None,
        declared: Iterable[str] | None = None,
    ) -> Self:
        """Find the files and check that all are Parquet with the same columns of labels.

        Arguments and errors are those of `CategoricalTable.from_parquet`; `declared` are the
        columns with a domain. In folders, names that begin with ``_`` or ``.`` are skipped.
        """
        found = list(_found(path))
        paths = tuple(file for file, _ in found)
        keys = tuple(_keys(file, root) for file, root in found)
        names: list[str] = []
        for file, key in zip(paths, keys, strict=True):
            schema = _opened(file).schema_arrow
            here = [*_labels(schema), *key]
            if not names:
                reading.check_unique(here, f"{file}: ")
                names = here if usecols is None else [str(name) for name in usecols]
                reading.check_unique(names, f"{file}: ")
            reading.check_known(names, here, str(file))
            for name in names:
                if name not in key:
                    try:
                        reading.check_arrow_type(name, schema.field(name).type)
                    except TableError as error:
                        raise TableError(f"{file}: {error}") from None
        reading.check_known(declared or (), names, str(path))
        return cls(paths, tuple(names), keys)

    @cached_property
    def rows(self) -> np.ndarray:
        """Number of rows of each file, int64 of shape (number of files,)."""
        return np.array([_opened(path).metadata.num_rows for path in self.paths], dtype=np.int64)

    @property
    def n_rows(self) -> int:
        """Number of rows of all files."""
        return int(self.rows.sum())

    def one_by_one(self) -> "list[ParquetFiles]":
        """Return the files one by one, as parts of the table."""
        return [
            type(self)((path,), self.attributes, (key,))
            for path, key in zip(self.paths, self.keys, strict=True)
        ]

    def fingerprint(self) -> list[tuple[str, int, int]]:
        """Return path, size and modification time of each file, to detect a changed table."""
        return [
            (str(path.resolve()), path.stat().st_size, path.stat().st_mtime_ns)
            for path in self.paths
        ]

    def batches(
        self, batch_rows: int = BATCH_ROWS, start: int = 0
    ) -> Iterator[tuple[str, list[Column]]]:
        """Yield the columns of the next rows, with file and first row for messages.

        Each batch is read while the previous one is processed; none spans two row groups. The
        first `start` rows are skipped, so that a reader can resume.
        """
        return _ahead(self._read(batch_rows, start))

    def _read(self, batch_rows: int, start: int) -> Iterator[tuple[str, list[Column]]]:
        import pyarrow as pa

        for path, key, n_rows in zip(self.paths, self.keys, self.rows, strict=True):
            if start >= n_rows:
                start -= int(n_rows)
                continue
            stored = [name for name in self.attributes if name not in key]
            schema = _opened(path).schema_arrow
            text = [name for name in stored if reading.is_text(schema.field(name).type)]
            file = _opened(path, text)
            ends = np.cumsum(
                [file.metadata.row_group(g).num_rows for g in range(file.num_row_groups)]
            )
            groups = np.flatnonzero(ends > start)
            row = int(ends[groups[0]] - file.metadata.row_group(int(groups[0])).num_rows)
            skip, start = start - row, 0
            try:
                for batch in file.iter_batches(batch_rows, groups.tolist(), stored):
                    part = batch.slice(skip)
                    row += batch.num_rows - part.num_rows
                    skip = max(skip - batch.num_rows, 0)
                    if part.num_rows:
                        place = f"{path}, from row {row}: "
                        yield place, _columns(part, self.attributes, set(text), key)
                    row += part.num_rows
                    # Release it before the next one is read.
                    del batch, part
            except (pa.ArrowInvalid, OSError) as error:
                raise TableError(f"{path}: cannot be read as Parquet: {error}") from error


def _ahead(batches: Iterator[T]) -> Iterator[T]:
    """Yield the batches, reading each while the previous one is processed."""
    with ThreadPoolExecutor(1) as reader:
        coming = reader.submit(list, islice(batches, 1))
        while found := coming.result():
            coming = reader.submit(list, islice(batches, 1))
            # Popped, so that only the consumer holds a reference.
            yield found.pop()


def _found(path: str | Path | Iterable[str | Path]) -> Iterator[tuple[Path, Path]]:
    """Yield each file with the folder that was searched."""
    if not isinstance(path, str | Path):
        for one in path:
            yield from _found(one)
        return
    root = Path(path)
    if root.is_file():
        yield root, root.parent
        return
    if root.is_dir():
        hidden = ("_", ".")
        files = [
            file
            for file in sorted(root.rglob("*"))
            if file.suffix in (".parquet", ".pq")
            and file.is_file()
            and not any(part.startswith(hidden) for part in file.relative_to(root).parts)
        ]
    else:
        found = map(Path, sorted(glob.glob(str(path), recursive=True)))  # noqa: PTH207
        files = [file for file in found if file.is_file()]
        # The folders before the first wildcard.
        root = Path(*takewhile(lambda part: not glob.has_magic(part), root.parts[:-1]))
    if not files:
        raise TableError(
            f"{path}: no such file, and no folder or pattern with Parquet files; check the path "
            f"(here: {Path.cwd()})"
        )
    for file in files:
        yield file, root


def _keys(file: Path, root: Path) -> dict[str, str | None]:
    """Return the ``name=label`` pairs of the folders between root and file."""
    keys: dict[str, str | None] = {}
    for part in file.parent.relative_to(root).parts:
        name, equals, label = part.partition("=")
        if equals:
            keys[unquote(name)] = None if label == _NO_VALUE else unquote(label)
    return keys


def _opened(path: Path, dictionaries: Sequence[str] = ()) -> "pq.ParquetFile":
    import pyarrow as pa
    import pyarrow.parquet as pq

    try:
        return pq.ParquetFile(path, read_dictionary=list(dictionaries), pre_buffer=False)
    except (pa.ArrowInvalid, OSError) as error:
        raise TableError(f"{path}: cannot be read as Parquet: {error}") from error


def _labels(schema: "pa.Schema") -> list[str]:
    """Return the names of the columns, except a stored pandas index."""
    stored = (schema.pandas_metadata or {}).get("index_columns", [])
    index = {name for name in stored if isinstance(name, str)}
    return [name for name in schema.names if name not in index]


def _columns(
    batch: "pa.RecordBatch",
    attributes: Sequence[str],
    text: set[str],
    key: Mapping[str, str | None],
) -> list[Column]:
    import pyarrow as pa

    columns = []
    for name in attributes:
        if name in key:
            label = key[name]
            positions = np.zeros(batch.num_rows, dtype=np.int8)
            columns.append(Column(name, [(positions, [] if label is None else [label])]))
        else:
            array = batch.column(batch.schema.get_field_index(name))
            # A dictionary of a text column is only its storage, not a declared domain.
            columns.append(reading.arrow_column(name, pa.chunked_array([array]), name not in text))
    return columns
