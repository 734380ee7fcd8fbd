"""Reading of label columns from any data, as dictionary positions and their labels.

Every reader returns `Column`s, and `encode` converts them to the codes of a table. Dictionary
encoded sources keep their positions; only their few labels are compared as text.
"""

import os
import reprlib
import warnings
import zlib
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from importlib import import_module
from itertools import chain, takewhile
from lzma import LZMAError
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any, NoReturn

import numpy as np

from couplings._checks import did_you_mean, is_integer
from couplings._labels import MissingLabels, check_known, domains_of, number_of, text_of
from couplings._readonly import sealed
from couplings.errors import MeasureError, MissingPackageError, TableError

if TYPE_CHECKING:
    import pandas as pd
    import pyarrow as pa

# Rows below which NumPy is as fast as a compiled kernel.
_FEW_ROWS = 1 << 13

# Rows up to which cells of text are read one by one, and bound of small numbers.
_FEW_TEXTS = 256

MISSING = -1
_OUTSIDE = -2
_MOST_LABELS = 10
_MOST_NAMED = 100
# Bounds of a text file; a larger first line is no list of names.
_LONGEST_HEADER, _MOST_COLUMNS = 1 << 24, 100_000
CODE_TYPES = (np.int8, np.int16, np.int32)

UNREADABLE = (OSError, EOFError, LZMAError, zlib.error)
"""Errors of a file that cannot be opened or unpacked."""

ACCEPTED = (
    "a CategoricalTable, a pandas, Polars or other data frame (lazy ones too), an Arrow table or "
    "stream, a DuckDB relation, a two-dimensional NumPy array or a list of rows"
)
"""What `columns_of` takes, for messages."""

# Cell types that pandas infers for an object column, and their names here.
_DATES = ("datetime64", "datetime", "date", "timedelta64", "timedelta", "time", "period")
_NUMBERS = ("floating", "decimal", "complex", "mixed-integer-float")
_KINDS = (
    dict.fromkeys(_NUMBERS, "numeric") | dict.fromkeys(_DATES, "temporal") | {"bytes": "binary"}
)
# Integers in a column of Python objects are labels; a column of integer type holds numbers.
_LABELS = ("string", "boolean", "integer", "empty")
_REASONS = {
    "numeric": "is numeric ({kind}), not categorical: cut it into intervals "
    "(couplings.discretize), or, if its numbers are labels, {remedy}",
    "temporal": "holds dates or times ({kind}), not categories: derive labels from it (month, "
    "weekday, an interval) and give those as text",
    "binary": "is binary ({kind}): decode it to text, or leave it out",
    "nested": "is nested ({kind}): give every part a column of its own, or join the parts to one "
    "label",
}
_ARROW = {
    "nested": ("nested",),
    "binary": ("binary", "large_binary", "fixed_size_binary", "binary_view"),
    "temporal": ("temporal",),
    "numeric": ("integer", "floating", "decimal"),
}
_NESTED = (list, tuple, dict, set, frozenset, np.ndarray)


@dataclass(frozen=True, eq=False)
class Column:
    """A column as stored by its source.

    Parameters
    ----------
    name : str
        Its name.
    chunks : sequence of (positions, labels)
        The rows in order: integers of shape (n_i,), and the list of str that they index; -1, or
        the length of the list, is a missing cell.
    declared : sequence of str or None
        The declared domain. None: the labels that occur, sorted.
    """

    name: str
    chunks: Sequence[tuple[np.ndarray, list[str]]]
    declared: Sequence[str] | None = None


def kind_of(labels: Sequence[str], n: int) -> str:
    """Return the kind of a column of `n` cells with these labels, see `describe_table`."""
    if len(labels) <= 1:
        return "one value" if labels else "empty"
    if len(labels) <= _MOST_LABELS:
        return "labels"
    found = [*takewhile(lambda number: number is not None, map(number_of, labels))]
    if len(found) < len(labels):
        return "names" if len(labels) > n / 2 else "labels"
    numbers = np.array(found, dtype=np.float64)
    with np.errstate(over="ignore", invalid="ignore"):
        in_a_row = len(numbers) == n and np.ptp(numbers) == n - 1
    return "names" if in_a_row and not (numbers % 1).any() else "numbers"


def code_type(n_values: int) -> np.dtype:
    """Return the smallest signed integer type for -1 and the codes 0 .. n_values - 1."""
    return np.dtype(np.min_scalar_type(-max(n_values, 1)))


def opened(path: Path) -> IO[bytes]:
    """Open a file, decompressing it if its name ends in ``.gz``, ``.bz2`` or ``.xz``."""
    packer = {".gz": "gzip", ".bz2": "bz2", ".xz": "lzma"}.get(path.suffix.lower(), "io")
    return import_module(packer).open(path, "rb")


def path_of(path: Any) -> Path:
    """Return a path, or raise `TableError` if it is neither text nor a `Path`."""
    if not isinstance(path, str | os.PathLike) or isinstance(os.fspath(path), bytes):
        raise TableError(f"path={path!r} is no path; give the name of a file as text, or a Path")
    return Path(path)


def check_writable(path: Path) -> None:
    """Raise `TableError` if a path cannot become a file: no folder, or something else is there."""
    if not is_there(path.parent, Path.is_dir):
        raise TableError(f"{path}: there is no folder {str(path.parent)!r}; make it first")
    if is_there(path, Path.exists) and not path.is_file():
        raise TableError(f"{path}: is a folder, a device or a pipe; choose another name")


def is_there(path: Path, test: Callable[[Path], bool]) -> bool:
    """Return the answer of a test of a path; False for a name that no file can have."""
    try:
        return test(path)
    except (OSError, ValueError):
        return False


def check_text(labels: Sequence[str], what: str) -> None:
    """Raise `TableError` if labels cannot be written as UTF-8 (a lone surrogate)."""
    try:
        "\n".join(labels).encode()
    except UnicodeEncodeError as error:
        place = error.object.count("\n", 0, error.start)
        wrong = error.object.split("\n")[place]
        raise TableError(
            f"{what}: {wrong!r} is not valid text (a lone surrogate); decode the data again, or "
            "replace the character"
        ) from error


def check_file(path: Path) -> None:
    """Raise `TableError` if there is no such file, or if it is a folder or a pipe."""
    if not is_there(path, Path.is_file):
        exists = is_there(path, Path.exists)
        kind = "is a folder or a pipe, not a file" if exists else "no such file"
        raise TableError(f"{path}: {kind}; check the path (here: {Path.cwd()})")


def n_rows(columns: Sequence[Column]) -> int:
    """Return the number of rows of columns, 0 if there are none."""
    return sum(len(positions) for column in columns[:1] for positions, _ in column.chunks)


def check_unique(names: Sequence[str], place: str = "") -> None:
    """Raise `TableError` if a name occurs twice."""
    if len(set(names)) < len(names):
        name = next(name for j, name in enumerate(names) if name in names[:j])
        raise TableError(f"{place}column {name!r} occurs twice; rename one of them")


def counted(names: Sequence[str], counts: np.ndarray, most: int | None = None) -> str:
    """Return at most `most` names of non-zero count, each with its count, for messages."""
    return ", ".join(f"{names[j]!r} ({counts[j]})" for j in np.flatnonzero(counts)[:most])


def columns_of(data: Any, numbers: bool = False, whole: bool = False) -> list[Column]:
    """Return the columns of any supported data, see `CategoricalTable.from_any`.

    With `numbers` the numbers of an array are labels, including negative ones and fractions; with
    `whole` so are the columns of a frame that hold whole numbers alone.

    Raises
    ------
    TableError
        If the data are of another type, a column occurs twice, or does not hold labels.
    """
    import pandas as pd

    try:
        if hasattr(data, "as_columns") and not isinstance(data, type):
            return list(data.as_columns())
        if isinstance(data, pd.DataFrame):
            return pandas_columns(data, whole)
        if isinstance(data, np.ndarray):
            masked = isinstance(data, np.ma.MaskedArray)
            return _array_columns(data if masked else np.asarray(data), numbers)
        if isinstance(data, list | tuple):
            return _row_columns(data)
        return _frame_columns(data, whole)
    except UnicodeEncodeError as error:
        raise TableError(f"a cell is not valid text ({error.reason}): {error.object!r}") from error


def label_columns(X: Any) -> list[Column]:
    """Return the columns of data; numbers in an array and whole numbers in a frame are labels."""
    if isinstance(X, list) and X and isinstance(X[0], Column):
        return X
    # Such an array is a table as it stands, which scikit-learn would take long to say.
    plain = type(X) is np.ndarray and X.ndim == 2 and X.dtype.kind in "iu" and X.size > 0
    rows = isinstance(X, list | tuple) and X and all(isinstance(row, list | tuple) for row in X)
    named = has_names(X) or rows or plain
    return columns_of(X if named else array_of(X), numbers=True, whole=True)


def check_batches(batches: Any) -> None:
    """Raise `TableError` if one table, or a text, is given where batches are meant."""
    named = ("as_columns", "columns", "column_names", "collect", "keys")
    one = isinstance(batches, str | bytes | np.ndarray) or any(hasattr(batches, n) for n in named)
    if one or not (callable(batches) or hasattr(batches, "__iter__")):
        raise TableError(
            f"batches: a {type(batches).__name__} is no list of tables; pass [data], or a list of "
            "its parts"
        )


def reread(data: Any) -> Any:
    """Return data that can be read more than once: an Arrow stream as its table."""
    return data.read_all() if hasattr(data, "read_all") else data


def has_names(X: object) -> bool:
    """Return whether data name their columns (tables and data frames do, arrays do not)."""
    # Lazy frames resolve their schema to name their columns, so "collect" comes first.
    named = ("as_columns", "collect", "columns", "column_names", "__arrow_c_stream__", "numeric")
    return any(hasattr(X, name) for name in named)


def refuse(data: Any) -> NoReturn:
    """Raise `TableError` for data that are no table."""
    raise TableError(f"{type(data).__name__} is not a table; pass {ACCEPTED}")


def array_of(X: Any) -> np.ndarray:
    """Return rows as a two-dimensional array, or raise `TableError` with scikit-learn's wording."""
    from scipy.sparse import issparse
    from sklearn.utils import check_array

    if isinstance(X, str | Path | Mapping | None) and not issparse(X):  # some are mappings
        refuse(X)
    try:
        return check_array(X, dtype=None, ensure_all_finite=False)
    except (TypeError, ValueError) as error:
        raise TableError(str(error)) from error


def check_filled(shape: tuple[int, ...]) -> None:
    """Raise `TableError`, with scikit-learn's wording, if there are no rows or no columns."""
    if 0 in shape:
        axis = "sample" if shape[0] == 0 else "feature"
        raise TableError(
            f"Found array with 0 {axis}(s) (shape={shape}) while a minimum of 1 is required."
        )


def position_of(names: Sequence[str], attribute: str | int) -> int:
    """Return the position of an attribute, by name or position, or raise `MeasureError`."""
    if isinstance(attribute, str):
        if attribute not in names:
            raise MeasureError(
                f"no attribute is called {attribute!r}{did_you_mean(attribute, list(names))}; the "
                f"attributes: {', '.join(names)}"
            )
        return list(names).index(attribute)
    if not is_integer(attribute):
        raise MeasureError(
            f"attribute {attribute!r} is neither a name nor a position; the attributes: "
            f"{', '.join(names)}"
        )
    if not -len(names) <= attribute < len(names):
        raise MeasureError(
            f"attribute {attribute} is out of range; choose one from 0 to {len(names) - 1}"
        )
    return int(attribute) % len(names)


def order_of(owner: str, found: Sequence[str], expected: Sequence[str]) -> list[int]:
    """Return the position of each attribute of a fit among the columns of other data.

    Raises `MeasureError` if the attributes differ.
    """
    if len(found) != len(expected):
        raise MeasureError(
            f"X has {len(found)} features, but {owner} is expecting {len(expected)} features as "
            "input"
        )
    if set(found) != set(expected):
        new = [name for name in found if name not in expected]
        gone = [name for name in expected if name not in found]
        raise MeasureError(
            f"{owner}: the feature names should match those of fit; not seen in fit: "
            f"{', '.join(new)}; missing now: {', '.join(gone)}"
        )
    return [found.index(name) for name in expected]


def pandas_columns(
    df: "pd.DataFrame", whole: bool = False, positions: Sequence[int] | None = None
) -> list[Column]:
    """Return the columns of a pandas data frame, or those at some positions."""
    names = [str(name) for name in df.columns]
    check_unique(names)
    if positions is not None:
        return [_column_at(df, names[j], j, whole) for j in positions]
    return [_column_at(df, name, j, whole) for j, name in enumerate(names)]


def _column_at(df: "pd.DataFrame", name: str, j: int, whole: bool) -> Column:
    """Return the column of a data frame at a position."""
    # For few rows, pandas takes longer to make a series than is needed to read its cells.
    if hasattr(df, "_get_column_array"):
        quick = _quick_column(name, df._get_column_array(j))
        if quick is not None:
            return quick
    return _pandas_column(name, df.iloc[:, j], whole)


def _quick_column(name: str, array: Any) -> Column | None:
    """Return a column whose labels are texts, None for other columns and many objects."""
    import pandas as pd

    if hasattr(array, "categories") and hasattr(array, "codes"):
        labels = array.categories.tolist()
        texts = set(map(type, labels)) <= {str}
        return Column(name, [(array.codes, labels)], labels) if texts else None
    if len(array) > _FEW_TEXTS and isinstance(array.dtype, pd.StringDtype):
        positions, uniques = pd.factorize(array)
        return Column(name, [(positions, uniques.tolist())])
    if len(array) > _FEW_TEXTS or array.dtype.kind != "O":
        return None
    cells = array.tolist()
    return _text_column(name, cells) if set(map(type, cells)) == {str} else None


def _text_column(name: str, cells: Sequence[str]) -> Column:
    """Return a column of texts; its labels are in the order in which they occur."""
    position_of: dict[str, int] = {}
    positions = [position_of.setdefault(cell, len(position_of)) for cell in cells]
    return Column(name, [(np.array(positions), list(position_of))])


def _pandas_column(name: str, column: "pd.Series", whole: bool = False) -> Column:
    import pandas as pd

    dtype, kind_of = column.dtype, pd.api.types.infer_dtype
    values = column.to_numpy() if isinstance(dtype, np.dtype) else column.array
    if isinstance(dtype, pd.CategoricalDtype):
        categories = column.cat.categories
        if kind_of(categories) == "bytes":
            raise _refused(name, "binary", "bytes")
        # An index of float32 iterates as float64, whose texts have other digits.
        numbers = isinstance(categories.dtype, np.dtype) and categories.dtype.kind == "f"
        labels = list(map(text_of, categories.to_numpy() if numbers else categories))
        return Column(name, [(column.cat.codes.to_numpy(), labels)], labels)
    if whole and _holds_whole_numbers(column):
        pass
    elif isinstance(dtype, pd.ArrowDtype):
        check_arrow_type(name, dtype.pyarrow_dtype)
    elif pd.api.types.is_object_dtype(dtype):
        kind = kind_of(values, skipna=True)
        if kind not in _LABELS:
            _check_objects(name, column, kind)
    elif why := (_KINDS | {"integer": "numeric"}).get(kind_of(values, skipna=True)):
        raise _refused(name, why, str(dtype), f"use df[{name!r}].astype('category')")
    positions, uniques = pd.factorize(values, use_na_sentinel=True)
    return Column(name, [(positions, list(map(text_of, uniques)))])


def _holds_whole_numbers(column: "pd.Series") -> bool:
    """Return whether a column of a type of numbers holds whole ones and missing cells alone."""
    from pandas.api import types

    if types.is_integer_dtype(column.dtype):
        return True
    if not types.is_float_dtype(column.dtype):
        return False
    present = column.to_numpy(dtype=np.float64, na_value=np.nan)
    present = present[~np.isnan(present)]
    return len(present) > 0 and bool(np.isfinite(present).all() and (present % 1 == 0).all())


def _check_objects(name: str, column: "pd.Series", kind: str) -> None:
    """Raise `TableError` if Python objects are not labels, or not of one type."""
    if why := _KINDS.get(kind):
        raise _refused(name, why, f"{kind} objects", f"use df[{name!r}].astype('category')")
    types = set(map(type, column.dropna()))
    nested = [one.__name__ for one in types if issubclass(one, _NESTED)]
    if nested:
        raise _refused(name, "nested", min(nested))
    if len(types) > 1:
        named = ", ".join(sorted(one.__name__ for one in types))
        raise TableError(
            f"column {name!r} mixes cells of different types ({named}): 1 and '1' would become "
            f"one label; make them one type, for instance df[{name!r}].map(str, na_action='ignore')"
        )


def _refused(name: str, why: str, kind: str, remedy: str = "") -> TableError:
    """Return the error for a column without labels, one of `_REASONS`."""
    return TableError(f"column {name!r} " + _REASONS[why].format(kind=kind, remedy=remedy))


def check_arrow_type(name: str, dtype: "pa.DataType") -> None:
    """Raise `TableError` if a column of this Arrow type does not hold labels."""
    if _is(dtype, "run_end_encoded"):
        dtype = dtype.value_type
    declared = _is(dtype, "dictionary")
    value = dtype.value_type if declared else dtype
    for why, kinds in _ARROW.items():
        # A dictionary declares its values, so its numbers and dates are labels.
        if _is(value, *kinds) and not (declared and why in ("temporal", "numeric")):
            raise _refused(name, why, str(value), "cast the column to text")
    if not (declared or is_text(dtype) or _is(dtype, "boolean", "null")):
        raise TableError(f"column {name!r} is of the type {dtype}: cast it to text")


def is_numeric(dtype: "pa.DataType") -> bool:
    """Return whether an Arrow type holds numbers."""
    return _is(dtype, *_ARROW["numeric"])


def is_text(dtype: "pa.DataType") -> bool:
    """Return whether an Arrow type is plain text."""
    return _is(dtype, "string", "large_string", "string_view")


def _is(dtype: "pa.DataType", *kinds: str) -> bool:
    import pyarrow as pa

    return any(getattr(pa.types, f"is_{kind}")(dtype) for kind in kinds)


def arrow_column(
    name: str, column: "pa.ChunkedArray", declares: bool = True, numbers: bool = False
) -> Column:
    """Return one Arrow column; with `declares` a dictionary is a declared domain.

    With `numbers` a column of numbers holds labels, too.
    """
    import pyarrow as pa

    if not (numbers and is_numeric(column.type)):
        check_arrow_type(name, column.type)
    if pa.types.is_run_end_encoded(column.type):
        import pyarrow.compute as pc

        column = pa.chunked_array([pc.run_end_decode(chunk) for chunk in column.chunks])
    if pa.types.is_null(column.type):
        column = column.cast(pa.string())
    elif pa.types.is_string_view(column.type):
        column = column.cast(pa.large_string())
    is_dictionary = pa.types.is_dictionary(column.type)
    if not is_dictionary:
        column = column.dictionary_encode()
    chunks = [_arrow_chunk(chunk) for chunk in column.chunks]
    declared = united(labels for _, labels in chunks) if is_dictionary and declares else ()
    return Column(name, chunks, declared or None)


def _arrow_chunk(chunk: "pa.DictionaryArray") -> tuple[np.ndarray, list[str]]:
    """Return the positions and the labels of one dictionary-encoded chunk, each label once."""
    import pyarrow as pa

    dictionary, indices = chunk.dictionary, chunk.indices
    if indices.null_count:
        if pa.types.is_unsigned_integer(indices.type):
            # No unsigned type has a position for missing cells if its last one is used.
            indices = indices.cast(pa.int64())
        indices = indices.fill_null(MISSING)
    positions = np.from_dlpack(indices)
    floats = pa.types.is_floating(dictionary.type)
    # Python's float has more digits than Arrow's narrow types.
    entries = dictionary.to_numpy(zero_copy_only=False) if floats else dictionary.to_pylist()
    absent = [entry is None or (floats and bool(np.isnan(entry))) for entry in entries]
    texts = [text_of(entry) for entry, none in zip(entries, absent, strict=True) if not none]
    labels = list(dict.fromkeys(texts))
    if len(labels) < len(entries):
        # Null and NaN are missing cells like any other; entries of one text are one label.
        place = {label: i for i, label in enumerate(labels)}
        rest = iter(texts)
        position_of = [MISSING if none else place[next(rest)] for none in absent]
        positions = np.array([*position_of, MISSING])[positions]
    return positions, labels


def united(domains: Iterable[Sequence[str]]) -> tuple[str, ...]:
    """Return the union of domains: the common one if all are equal, else the sorted labels.

    The result does not depend on the order or grouping of the domains.
    """
    different = dict.fromkeys(tuple(domain) for domain in domains)
    if len(different) == 1:
        return next(iter(different))
    return tuple(sorted(set(chain.from_iterable(different))))


def _frame_columns(data: Any, whole: bool = False) -> list[Column]:
    """Return the columns of a frame supported by narwhals or the Arrow C stream interface."""
    # narwhals comes with scikit-learn and supports lazy and eager frames of a dozen libraries.
    import narwhals as nw

    try:
        import pyarrow as pa
    except ImportError as error:
        if not hasattr(data, "columns"):
            raise TableError(f"{type(data).__name__} is not a table; pass {ACCEPTED}") from error
        raise MissingPackageError(
            "Frames other than those of pandas", "pyarrow", "arrow"
        ) from error

    undeclared: list[str] = []
    if not isinstance(data, pa.Table | pa.RecordBatch | pa.RecordBatchReader):
        frame = nw.from_native(data, pass_through=True)
        if isinstance(frame, nw.LazyFrame):
            frame = frame.collect()
        if isinstance(frame, nw.DataFrame):
            if frame.implementation.is_pandas_like():
                return pandas_columns(frame.to_pandas(), whole)
            schema = frame.schema
            for name, dtype in schema.items():
                if dtype == nw.Object:
                    raise TableError(f"column {name!r} holds Python objects: cast it to text")
            if frame.implementation.is_polars():
                # All Categoricals of a Polars session share one growing dictionary.
                undeclared = [name for name, dtype in schema.items() if dtype == nw.Categorical]
            data = frame.to_native()
    if not hasattr(data, "__arrow_c_stream__"):
        raise TableError(f"{type(data).__name__} is not a table; pass {ACCEPTED}")
    try:
        table = pa.RecordBatchReader.from_stream(data).read_all()
    except pa.ArrowInvalid as error:
        raise TableError(
            f"the Arrow stream of this {type(data).__name__} is not a table ({error}); a single "
            "column becomes a table with to_frame()"
        ) from error
    names = [str(name) for name in table.column_names]
    check_unique(names)
    return [
        arrow_column(
            name,
            column,
            name not in undeclared,
            whole and is_numeric(column.type) and _holds_whole_numbers(column.to_pandas()),
        )
        for name, column in zip(names, table.columns, strict=True)
    ]


def _array_columns(array: np.ndarray, numbers: bool) -> list[Column]:
    """Return the columns of a two-dimensional array, named a0, a1, ..."""
    import pandas as pd

    if array.ndim != 2 or array.dtype.names is not None:
        raise TableError(
            "pass labels as an array of two dimensions, objects x attributes, not of shape "
            f"{array.shape}" + (" with named fields" if array.dtype.names is not None else "")
        )
    whole = type(array) is np.ndarray and array.dtype.kind in "iu" and array.size > 0
    if whole and array.min() >= 0 and array.max() < _FEW_TEXTS:
        # Small numbers are positions among themselves; labels that do not occur are left out later.
        cells = np.asarray(array.T, dtype=np.int64, order="C")
        return [
            Column(f"a{j}", [(column, list(map(str, range(most + 1))))])
            for j, (column, most) in enumerate(zip(cells, cells.max(axis=1).tolist(), strict=True))
        ]
    mask = np.ma.getmaskarray(array)
    columns = []
    for j, column in enumerate(np.ma.getdata(array).T):
        name, absent = f"a{j}", mask[:, j]
        if column.dtype.kind in "SV":
            raise _refused(name, "binary", str(column.dtype))
        if column.dtype.kind in "iu" or (numbers and column.dtype.kind == "f"):
            columns.append(_number_column(name, column, absent, numbers))
        else:
            series = pd.Series(column.astype(object) if column.dtype.kind in "UTb" else column)
            columns.append(_pandas_column(name, series.mask(absent) if absent.any() else series))
    return columns


def _number_column(name: str, column: np.ndarray, absent: np.ndarray, negative: bool) -> Column:
    """Return a column of numbers that are labels; a column of whole numbers as integers."""
    import pandas as pd

    present = ~absent
    positions = np.full(len(column), MISSING)
    positions[present], found = pd.factorize(column[present])
    if not negative and (found < 0).any():
        row = int(np.argmax(present & (column < 0)))
        raise TableError(
            f"column {name!r}, row {row}: {column[row]} could be a label or a missing cell; pass "
            "labels as text, or codes with -1 for missing cells to CategoricalTable.from_codes"
        )
    if not np.isfinite(found).all():
        raise TableError(f"column {name!r} holds infinite numbers; replace them by labels or NaN")
    return Column(name, [(positions, list(map(text_of, found)))])


def _row_columns(rows: Sequence[Sequence[object]]) -> list[Column]:
    """Return the columns of a list of rows, named a0, a1, ..."""
    import pandas as pd

    width = None
    for i, row in enumerate(rows):
        if not isinstance(row, list | tuple | np.ndarray):
            raise TableError(
                f"row {i} is a {type(row).__name__}; a row is a list of labels, one per attribute "
                "(records with names become a frame: pandas.DataFrame(rows))"
            )
        width = len(row) if width is None else width
        if len(row) != width:
            raise TableError(f"row {i} has {len(row)} cells, the rows before it have {width}")
    columns = list(zip(*rows, strict=True))
    if columns and set(map(type, chain.from_iterable(columns))) == {str}:
        return [_text_column(f"a{j}", cells) for j, cells in enumerate(columns)]
    return pandas_columns(pd.DataFrame(map(list, rows), dtype=object).add_prefix("a"))


def encode(
    columns: Sequence[Column],
    domains: Mapping[str, Sequence[str]] | None,
    missing: Any,
    place: str = "",
    *,
    partial: bool = False,
    empty: bool = False,
    warn: bool = True,
) -> tuple[np.ndarray, tuple[tuple[str, ...], ...], tuple[str, ...]]:
    """Convert columns of equal length to the codes, domains and names of a table.

    Declared domains override those of the columns; `missing` are labels of missing cells, see
    `MissingLabels.of`; `place` is the prefix of messages. Unless `warn` is false, warns of columns
    without a declared domain that hold numbers or identify rows (`kind_of`). With `partial` the
    rows are part of a table, and all cells of a column may be missing; with `empty` they may be so
    too, but not in all columns. Raises `TableError` if there are no columns or rows, a value is
    outside its domain, a domain names a label twice, or a column has missing cells only.
    """
    if not columns:
        raise TableError(f"{place}the table has no columns; pass at least one")
    names = tuple(column.name for column in columns)
    of_column, absent = domains_of(domains), MissingLabels.of(missing)
    where = place.removesuffix(": ") or "the table"
    check_known(of_column, names, where)
    absent.check(names, where)
    check_text(names, f"{place}the name of a column")
    n = n_rows(columns)
    if n == 0:
        raise TableError(f"{place}the table has no rows; pass at least one")
    declared = [of_column.get(column.name, column.declared) for column in columns]
    categories = [
        _domain(column, domain, absent.labels(column.name), place)
        for column, domain in zip(columns, declared, strict=True)
    ]
    for name, domain in zip(names, categories, strict=True):
        check_text(domain, f"{place}column {name!r}, a label")
    codes = np.empty((n, len(columns)), dtype=code_type(max(map(len, categories))), order="F")
    filled = False
    for j, column in enumerate(columns):
        gone = absent.labels(column.name)
        met = _fill(column, categories[j], gone, codes[:, j], place)
        filled |= bool(met.any())
        last = j == len(columns) - 1
        allowed = partial or column.name in of_column or (empty and not (last and not filled))
        if not (allowed or met.any()):
            raise TableError(f"{place}column {column.name!r} has missing values only; drop it")
        if declared[j] is None and not met.all():
            # A dictionary may contain labels that do not occur.
            codes[:, j] = np.append(np.cumsum(met) - 1, MISSING)[codes[:, j]]
            categories[j] = tuple(np.array(categories[j], dtype=object)[met])
    if warn and not partial:
        undeclared = [j for j in range(len(names)) if declared[j] is None]
        kinds = {names[j]: kind_of(categories[j], n) for j in undeclared}
        _warn_of(kinds, "numbers", "every number is a category: cut them into intervals", place)
        _warn_of(kinds, "names", "names of rows, most occur once: leave them out", place)
        for j in undeclared:
            if word := _word_among_numbers(categories[j]):
                warnings.warn(
                    f"{place}{names[j]!r}: nearly all labels are numbers, but not {word!r}; if it "
                    "marks a missing cell, list it in `missing`, and write decimals with a point",
                    stacklevel=3,
                )
    dtype = code_type(max(map(len, categories)))
    return sealed(codes.astype(dtype, copy=False)), tuple(categories), names


def _warn_of(kinds: Mapping[str, str], kind: str, what: str, place: str) -> None:
    """Warn of columns of a kind, if there are any."""
    found = [repr(name) for name in kinds if kinds[name] == kind]
    if found:
        warnings.warn(
            f"{place}{', '.join(found[:10])}{' ...' if found[10:] else ''}: {what} "
            "(couplings.prepare_table does), or declare them labels, df[name].astype('category')",
            stacklevel=4,
        )


def _word_among_numbers(labels: Sequence[str]) -> str | None:
    """Return a label that is no number, if over 9 of 10 (of 1,000) are, or have a comma in them."""
    some = labels[:: len(labels) // 1000 + 1]
    words = [label for label in some if number_of(label) is None]
    others = sum(number_of(word.replace(",", "")) is None for word in words)
    return words[0] if words and len(labels) > _MOST_LABELS and others < len(some) / 10 else None


def _fill(
    column: Column, domain: tuple[str, ...], absent: frozenset[str], out: np.ndarray, place: str
) -> np.ndarray:
    """Write the codes of a column; return which codes occur (all or none if codes are copied)."""
    code_of = {label: code for code, label in enumerate(domain)}
    met = np.zeros(len(domain), dtype=bool)
    row = 0
    for positions, labels in column.chunks:
        part = out[row : row + len(positions)]
        row += len(positions)
        if positions.dtype == out.dtype and tuple(labels) == domain == column.declared:
            part[:] = positions
            met |= part.max(initial=MISSING) >= 0
            continue
        codes_of = np.array(
            [MISSING if label in absent else code_of.get(label, _OUTSIDE) for label in labels]
            + [MISSING],
            dtype=out.dtype,
        )
        used = np.zeros(len(codes_of), dtype=bool)
        if len(positions) < _FEW_ROWS:
            part[:] = codes_of[positions]
            used[positions] = True
        else:
            from couplings._kernels import counting

            if positions.dtype.kind == "u":
                # Signed types only, so that few kernels are compiled.
                positions = positions.astype(np.int16 if positions.itemsize == 1 else np.int64)
            counting.translate(positions, codes_of, part, used)
        if (outside := used & (codes_of == _OUTSIDE)).any():
            first = int(np.argmax(part == _OUTSIDE))
            raise TableError(
                f"{place}column {column.name!r}, row {row - len(part) + first}: value "
                f"{labels[positions[first]]!r} is outside the declared domain; add it to the "
                "domain, or list it in `missing`"
                + (f" ({outside.sum()} values are outside)" if outside.sum() > 1 else "")
            )
        met[codes_of[used & (codes_of >= 0)]] = True
    return met


def _domain(
    column: Column, declared: Sequence[str] | None, absent: frozenset[str], place: str
) -> tuple[str, ...]:
    """Return the domain of a column, before labels that do not occur are removed."""
    if declared is None:
        for _, labels in column.chunks:
            if len(set(labels)) < len(labels):
                twice = Counter(labels).most_common(1)[0][0]
                raise TableError(
                    f"{place}column {column.name!r}: different values have the same text "
                    f"{reprlib.repr(twice)}; make them one value, or rename one"
                )
        return tuple(sorted(set(chain.from_iterable(part for _, part in column.chunks)) - absent))
    domain = tuple(label for label in declared if label not in absent)
    if len(set(domain)) != len(domain):
        raise TableError(f"{place}column {column.name!r}: a label occurs twice in its domain")
    return domain
