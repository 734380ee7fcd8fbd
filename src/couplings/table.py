"""Tables of categorical attributes: integer codes and the declared domains behind them."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Any, Self, Union

import numpy as np
from numpy.typing import ArrayLike

from couplings import reading
from couplings._checks import is_integer, row_positions
from couplings._labels import MissingLabels, domains_in_order, elements, names_of
from couplings._readonly import ReadOnly, sealed
from couplings.errors import MissingValuesError, TableError
from couplings.reading import CODE_TYPES, MISSING, check_unique, code_type, counted

if TYPE_CHECKING:
    import pandas as pd

Labels = str | float | Iterable[Any] | Mapping[str, Any] | MissingLabels | None
"""Labels of missing cells: one, several, or by column."""

# Larger codes are identifiers, not positions in an undeclared domain.
_LARGEST_IMPLIED = 10_000_000
# Rows of Parquet files read at a time: the codes of all rows stay in memory, and few large
# allocations are faster than many small ones.
_PARQUET_ROWS = 1 << 17


@dataclass(frozen=True, eq=False)
class CategoricalTable(ReadOnly):
    """Objects described by categorical attributes.

    The `from_*` constructors build a table from ordinary data. Columns are contiguous because all
    passes over a table run attribute by attribute.

    Parameters
    ----------
    codes : ndarray of int8, int16 or int32, shape (n, m), Fortran-ordered
        Position of each cell's value in the domain of its attribute; -1 is a missing cell. The
        table has a read-only array of them: a copy, if the given one can be written.
    categories : tuple of m tuples of str
        The declared domain of each attribute, in code order. A domain may contain values that do
        not occur: some measures (DILCA, Pearson) depend on the declared size.
    attributes : tuple of m str
        Names of the attributes, all different.

    Raises
    ------
    TableError
        If the parts do not fit together.
    """

    codes: np.ndarray
    categories: tuple[tuple[str, ...], ...]
    attributes: tuple[str, ...]

    def __post_init__(self) -> None:
        codes = self.codes
        if not isinstance(codes, np.ndarray) or codes.ndim != 2 or codes.dtype not in CODE_TYPES:
            raise TableError(
                "codes must be a 2-D array of int8, int16 or int32; "
                "build a table with CategoricalTable.from_codes"
            )
        if not codes.flags.f_contiguous:
            raise TableError("codes must be Fortran-ordered; use CategoricalTable.from_codes")
        n, m = codes.shape
        if n == 0 or m == 0:
            raise TableError(f"codes of shape {n} x {m}; a table needs rows and columns")
        if len(self.categories) != m or len(self.attributes) != m:
            raise TableError(
                f"{m} columns of codes, but {len(self.categories)} domains and "
                f"{len(self.attributes)} attribute names; give one of each per column"
            )
        # Lists could change afterwards.
        object.__setattr__(self, "categories", tuple(map(tuple, self.categories)))
        object.__setattr__(self, "attributes", tuple(self.attributes))
        check_unique(self.attributes)
        super().__post_init__()
        lowest, highest = codes.min(axis=0), codes.max(axis=0)
        for name, domain, low, high in zip(
            self.attributes, self.categories, lowest, highest, strict=True
        ):
            if len(set(domain)) != len(domain):
                raise TableError(f"attribute {name!r}: a label occurs twice in its domain")
            if low < MISSING or high >= len(domain):
                wrong = low if low < MISSING else high
                raise TableError(
                    f"attribute {name!r}: code {wrong} is outside its domain of {len(domain)} "
                    f"values; codes run from 0 to {len(domain) - 1}, -1 is a missing cell"
                )

    @classmethod
    def _of_checked(cls, codes: np.ndarray, n_values: Sequence[int]) -> Self:
        """Return the table of codes that are known to be in these domains, without names."""
        table = object.__new__(cls)
        ordered = sealed(np.array(codes, order="F"))
        object.__setattr__(table, "codes", ordered)
        object.__setattr__(table, "categories", _numbered_domains(tuple(n_values)))
        object.__setattr__(table, "attributes", tuple(f"a{j}" for j in range(codes.shape[1])))
        return table

    @property
    def n_objects(self) -> int:
        """Number of objects (rows), n."""
        return self.codes.shape[0]

    @property
    def n_attributes(self) -> int:
        """Number of attributes (columns), m."""
        return self.codes.shape[1]

    @property
    def n_values(self) -> np.ndarray:
        """Declared number of values of each attribute, int64 of shape (m,)."""
        return np.array([len(domain) for domain in self.categories], dtype=np.int64)

    @property
    def offsets(self) -> np.ndarray:
        """First global index of each attribute's values, int64 of shape (m + 1,)."""
        return np.concatenate([[0], np.cumsum(self.n_values)]).astype(np.int64)

    @property
    def missing(self) -> np.ndarray:
        """Mask of the missing cells, bool of shape (n, m)."""
        return self.codes == MISSING

    @property
    def has_missing(self) -> bool:
        """Whether any cell is missing."""
        return bool(self.codes.min() == MISSING)

    def __repr__(self) -> str:
        """Summarise the shape."""
        return (
            f"CategoricalTable({self.n_objects} objects, {self.n_attributes} attributes, "
            f"{int(self.n_values.sum())} values)"
        )

    @classmethod
    def from_codes(
        cls,
        codes: np.ndarray,
        n_values: Sequence[int] | np.ndarray | None = None,
        categories: Sequence[Sequence[str]] | None = None,
        attributes: Sequence[str] | None = None,
    ) -> Self:
        """Build a table from integer codes.

        Parameters
        ----------
        codes : array_like of integers, shape (n, m)
            Values 0, 1, ... of each attribute; -1 is missing.
        n_values : sequence of m int, optional
            Declared number of values. Default: the largest code plus one (at least 1).
        categories : sequence of m sequences of str, or mapping from attribute to such, optional
            Declared labels; they also fix `n_values`. Default: the codes as text.
        attributes : sequence of m str, optional
            Names. Default: ``a0``, ``a1``, ...

        Raises
        ------
        TableError
            If the codes are not integers or do not fit the domains.
        """
        try:
            array = np.asarray(codes)
        except ValueError as error:
            raise TableError(
                f"codes must be a 2-D array of integers, with rows of one length: {error}"
            ) from error
        if array.ndim != 2 or array.dtype.kind not in "iu":
            raise TableError(
                f"codes must be a 2-D array of integers, not {array.ndim}-D {array.dtype}; "
                "read labels with from_any, and cut numbers with couplings.discretize"
            )
        m = array.shape[1]
        given = [f"a{j}" for j in range(m)] if attributes is None else attributes
        names = names_of("attributes", given)
        if categories is None:
            if n_values is None:
                highest = array.max(axis=0, initial=0).astype(np.int64)
                if highest.max(initial=0) > _LARGEST_IMPLIED:
                    raise TableError(
                        f"attribute {int(np.argmax(highest))}: the code {highest.max()} would "
                        "declare as many values; read numbers that are labels, not positions in a "
                        "domain, with from_any"
                    )
                n_values = highest + 1
            sizes = elements("n_values", n_values)
            if not all(is_integer(size) and size >= 0 for size in sizes):
                raise TableError(f"n_values={n_values!r} are not integers of at least 0")
            domains = tuple(tuple(map(str, range(size))) for size in sizes)
        else:
            domains = tuple(domains_in_order("categories", categories, names))
            declared = [len(domain) for domain in domains]
            if n_values is not None and declared != list(elements("n_values", n_values)):
                raise TableError("n_values and categories disagree; give one of them")
        widest = max((len(domain) for domain in domains), default=1)
        dtype = code_type(widest)
        # Check first: a code too large for the narrow type must not wrap into the domain.
        if array.size and (array.max() >= widest or array.min() < MISSING):
            array = np.clip(array, MISSING - 1, min(widest, np.iinfo(np.int32).max))
            dtype = code_type(widest + 1)
        # Always a copy: the caller can write the given array.
        return cls(sealed(np.array(array, dtype=dtype, order="F")), domains, names)

    @classmethod
    def from_any(
        cls,
        data: Any,
        domains: Mapping[str, Sequence[str]] | None = None,
        missing: Labels = (),
    ) -> "CategoricalTable":
        """Build a table from any data with columns of labels.

        Parameters
        ----------
        data : object
            A `CategoricalTable`; a pandas, Polars or other data frame that narwhals knows, lazy
            ones (Polars LazyFrame, DuckDB relation) too; an Arrow table, record batch or reader,
            or any object with the Arrow C stream interface; a two-dimensional NumPy array of text,
            booleans or non-negative integers, masked or not; a list of rows. Arrays and lists name
            their attributes ``a0``, ``a1``, ...
        domains : mapping from column to sequence of str, optional
            Declared domains. Default: the categories of a pandas ``category`` column, of a Polars
            Enum, or of an Arrow dictionary (a DuckDB ENUM), in their order; the labels that
            occur, sorted as text, of any other column. Chunks of one column with different
            dictionaries get their sorted union.
        missing : iterable of str, or mapping from column to such, default ()
            Labels of missing cells, in addition to nulls, NaN, None and masked cells. A single text
            or number is one label. With a mapping, labels of single columns.

        Returns
        -------
        CategoricalTable
            `data` itself if it is a table and no other argument is given.

        Raises
        ------
        TableError
            If the data are of another kind or have no rows, or if a column holds numbers, dates,
            bytes, nested or mixed cells, is entirely missing, named twice or holds a value outside
            its declared domain.

        Notes
        -----
        Dictionary codes are kept; only the entries of a dictionary are read as text.
        A column of a single Python type other than text, truth values or integers (such as an
        ``enum``) has the text of its objects as labels.
        """
        absent = MissingLabels.of(missing)
        if isinstance(data, CategoricalTable) and not domains and not absent:
            return data
        return cls(*reading.encode(reading.columns_of(data), domains, absent))

    @classmethod
    def from_pandas(
        cls,
        df: "pd.DataFrame",
        domains: Mapping[str, Sequence[str]] | None = None,
        missing: Labels = (),
    ) -> Self:
        """Build a table from a pandas data frame of categorical, string or boolean columns.

        Parameters and errors are those of `from_any`; other data raise `TableError`.
        """
        import pandas as pd

        if not isinstance(df, pd.DataFrame):
            raise TableError(
                f"from_pandas takes a pandas DataFrame, not {type(df).__name__}; "
                "CategoricalTable.from_any takes other data as well"
            )
        return cls(*reading.encode(reading.columns_of(df), domains, missing))

    @classmethod
    def from_csv(
        cls,
        path: str | Path,
        *,
        separator: str | None = ",",
        missing: Labels = ("?", ""),
        domains: Mapping[str, Sequence[str]] | None = None,
        usecols: Sequence[str] | None = None,
    ) -> Self:
        """Read a delimited text file whose first line names the attributes.

        Every column is read as labels, numbers too. Spaces around labels and names are dropped.

        Parameters
        ----------
        path : str or Path
            The file, UTF-8, possibly compressed (``.gz``, ``.bz2``, ``.xz``).
        separator : str or None, default ","
            Character between cells, or its name: "comma", "semicolon", "tab", "bar", "blank" (one
            or more). None: found as `read_table` does.
        missing : iterable of str, or mapping from column to such, default ("?", "")
            Labels that stand for a missing cell. A mapping adds labels of single columns to the
            default.
        domains : mapping from column to sequence of str, optional
            Declared domains. Default: the sorted labels of the column.
        usecols : sequence of str, optional
            Columns to keep, in this order. Default: all.

        Raises
        ------
        TableError
            If the file does not exist or cannot be read, if a row is longer or shorter than the
            header, if a column is unknown, and whenever `from_pandas` would.
        """
        from couplings import text_files

        path = reading.path_of(path)
        columns = text_files.read_columns(path, text_files.separator_of(separator), usecols)
        return cls.from_columns(columns, domains, MissingLabels.of(missing, ("?", "")), f"{path}: ")

    @classmethod
    def from_columns(
        cls,
        columns: Sequence[reading.Column],
        domains: Mapping[str, Sequence[str]] | None = None,
        missing: Labels = (),
        place: str = "",
    ) -> Self:
        """Build a table from the columns of a reader of files, see `reading.encode`.

        A column without any label is kept, with an empty domain.
        """
        return cls(*reading.encode(columns, domains, missing, place, empty=True))

    @classmethod
    def from_parquet(
        cls,
        path: str | Path | Iterable[str | Path],
        *,
        missing: Labels = (),
        domains: Mapping[str, Sequence[str]] | None = None,
        usecols: Sequence[str] | None = None,
    ) -> Self:
        """Read a table from Parquet; its columns follow the rules of `from_any`.

        The files are read batch by batch and stored as codes only, one byte per cell for domains of
        up to 128 values. If only counts are needed, use `couplings.large.count_parquet`, which
        keeps no table in memory.

        Parameters
        ----------
        path : str, Path or iterable of them
            A file, a folder, searched recursively, or a pattern (``"data/*.parquet"``). Folders
            named ``year=2024`` are refused, because they hold a column.
        missing, domains
            As in `from_any`.
        usecols : sequence of str, optional
            Columns to keep, in this order. Default: all but those of a stored pandas index.

        Raises
        ------
        TableError
            If there is no such file, one is not Parquet or lacks a column of the first, if a
            column is unknown, and whenever `from_any` would.
        """
        from couplings.parquet import ParquetFiles

        files = ParquetFiles.open(path, usecols, domains)
        absent = MissingLabels.of(missing)
        parts = [
            reading.encode(columns, domains, absent, place, partial=True)
            for place, columns in files.batches(_PARQUET_ROWS)
        ]
        columns = []
        for j, name in enumerate(files.attributes):
            chunks = [(codes[:, j], list(domains[j])) for codes, domains, _ in parts]
            united = reading.united(labels for _, labels in chunks) if chunks else ()
            columns.append(reading.Column(name, chunks, united))
        return cls.from_columns(columns, domains, (), f"{path}: ")

    def take(self, rows: np.ndarray | slice) -> Self:
        """Return the table of some rows (positions, mask or slice); the domains stay declared.

        Raises `CouplingsError` if there is no such row.
        """
        chosen = rows if isinstance(rows, slice) else row_positions("take", rows, self.n_objects)
        codes = np.asfortranarray(self.codes[chosen])
        kept = codes if np.may_share_memory(codes, self.codes) else sealed(codes)
        return type(self)(kept, self.categories, self.attributes)

    def select(self, attributes: Sequence[str | int]) -> Self:
        """Return the table of the given attributes, by name or position, in this order."""
        chosen = elements("attributes", attributes)
        positions = [reading.position_of(self.attributes, attribute) for attribute in chosen]
        return type(self)(
            sealed(np.asfortranarray(self.codes[:, positions])),
            tuple(self.categories[j] for j in positions),
            tuple(self.attributes[j] for j in positions),
        )

    def observed(self) -> Self:
        """Return the table without the values of the domains that do not occur."""
        codes, domains = [], []
        for column, domain in zip(self.codes.T, self.categories, strict=True):
            seen = np.zeros(len(domain) + 1, dtype=bool)
            seen[column] = True  # -1 marks the extra last entry
            translation = np.append(np.cumsum(seen[:-1]) - 1, MISSING)
            codes.append(translation[column])
            domains.append(tuple(label for label, keep in zip(domain, seen, strict=False) if keep))
        return self._rebuilt(codes, domains)

    def drop_missing(self) -> Self:
        """Return the table of the complete rows; `TableError` if there are none."""
        complete = np.logical_not(self.missing.any(axis=1))
        if not complete.any():
            raise TableError(
                "every row has a missing cell; use fill_missing() or missing_as_value()"
            )
        return self.take(complete)

    def missing_as_value(self, label: str = "?") -> Self:
        """Return the table with missing cells replaced by `label`, added to domains if needed."""
        codes, domains = self.codes.astype(np.int64), list(self.categories)
        for j in np.flatnonzero(self.missing.any(axis=0)):
            if label in domains[j]:
                raise TableError(
                    f"attribute {self.attributes[j]!r} already has a value {label!r}; choose "
                    "another label, or list this one in `missing` when the table is read"
                )
            codes[self.missing[:, j], j] = len(domains[j])
            domains[j] = (*domains[j], label)
        return self._rebuilt(codes.T, domains)

    def fill_missing(self) -> Self:
        """Return the table with missing cells replaced by their attribute's most frequent value.

        Ties go to the value that comes first in the domain.
        """
        codes = self.codes.copy(order="F")
        for name, column, domain in zip(self.attributes, codes.T, self.categories, strict=True):
            frequency = np.bincount(column[column >= 0], minlength=len(domain))
            if not frequency.any():
                raise TableError(f"attribute {name!r} has missing values only; drop it")
            column[column == MISSING] = np.argmax(frequency)
        return type(self)(sealed(codes), self.categories, self.attributes)

    def distinct(self) -> tuple[Self, np.ndarray, np.ndarray]:
        """Collapse equal rows.

        Returns
        -------
        table : CategoricalTable, g rows
            The distinct rows, in order of first appearance.
        weights : ndarray of int64, shape (g,)
            Number of times each occurs.
        inverse : ndarray of int64, shape (n,)
            Index of each object's distinct row: ``table.take(inverse)`` is the original table.
        """
        key = np.zeros(self.n_objects, dtype=np.int64)
        size = 1
        for column, count in zip(self.codes.T, self.n_values, strict=True):
            radix = int(count) + 1
            if size > np.iinfo(np.int64).max // radix:
                # Rank the prefixes seen so far, so that the key always fits into 64 bits.
                seen, key = np.unique(key, return_inverse=True)
                size = len(seen)
            key = key * radix + (column.astype(np.int64) + 1)
            size *= radix
        first, weights, inverse = first_seen(key)
        return self.take(first), weights, inverse

    def as_columns(self) -> list[reading.Column]:
        """Return the columns in the format of readers, with declared domains."""
        return [
            reading.Column(name, [(codes, list(domain))], domain)
            for name, codes, domain in zip(
                self.attributes, self.codes.T, self.categories, strict=True
            )
        ]

    def to_pandas(self) -> "pd.DataFrame":
        """Return a data frame of ``category`` columns, missing cells as NaN."""
        import pandas as pd

        return pd.DataFrame(
            {
                name: pd.Categorical.from_codes(column, categories=list(domain))
                for name, column, domain in zip(
                    self.attributes, self.codes.T, self.categories, strict=True
                )
            }
        )

    def _rebuilt(self, codes: Iterable[np.ndarray], domains: list[tuple[str, ...]]) -> Self:
        """Return a table of these columns and domains under the same names."""
        dtype = code_type(max(len(domain) for domain in domains))
        table = np.empty(self.codes.shape, dtype=dtype, order="F")
        for j, column in enumerate(codes):
            table[:, j] = column
        return type(self)(sealed(table), tuple(domains), self.attributes)


Objects = Union[CategoricalTable, "pd.DataFrame", ArrayLike]
"""What measures and clusterings take as objects."""


def table_of(X: object) -> CategoricalTable:
    """Return the data of a fit as a table; every distinct entry of an array is a value."""
    if isinstance(X, CategoricalTable):
        return X
    return CategoricalTable(*reading.encode(reading.label_columns(X), {}, ()))


@lru_cache(maxsize=64)
def _numbered_domains(n_values: tuple[int, ...]) -> tuple[tuple[str, ...], ...]:
    """Return the domains of codes as text."""
    return tuple(tuple(map(str, range(count))) for count in n_values)


def first_seen(rows: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return the distinct rows (or numbers) in the order in which they occur, all int64.

    They are the index of the first, the number of times it occurs, and the place of each row.
    """
    _, first, inverse, weights = np.unique(
        rows,
        axis=0 if rows.ndim > 1 else None,
        return_index=True,
        return_inverse=True,
        return_counts=True,
    )
    order = np.argsort(first)
    rank = np.empty_like(order)
    rank[order] = np.arange(len(order))
    return first[order], weights[order].astype(np.int64), rank[inverse.ravel()]


def require_complete(
    table: CategoricalTable,
    remedy: str = "use drop_missing(), fill_missing() or missing_as_value() first",
) -> None:
    """Raise `MissingValuesError`, naming the attributes with missing cells, if there are any."""
    if table.has_missing:
        named = counted(table.attributes, table.missing.sum(axis=0), 10)
        raise MissingValuesError(f"missing cells in {named}; {remedy}")
