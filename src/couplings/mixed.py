"""Tables of mixed data: categorical and numeric attributes of the same objects."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal, Self, Union, get_args

import numpy as np

from couplings._checks import check_choice, row_positions
from couplings._readonly import ReadOnly, sealed
from couplings.errors import MeasureError, MissingValuesError, TableError
from couplings.reading import array_of, check_filled, check_unique, counted, has_names, order_of
from couplings.table import CategoricalTable, require_complete
from couplings.values import ValueMatrices

if TYPE_CHECKING:
    import pandas as pd

Scale = Literal["minmax", "symmetric", "z", "raw"]
"""Scales of numbers, see `scaled`."""
SCALES = get_args(Scale)
# Sums of squares of a million such numbers stay finite.
_LARGEST_NUMBER = 1e150


# What pandas infers for cells that are numbers.
_NUMBERS = ("integer", "floating", "mixed-integer-float", "decimal")


@dataclass(frozen=True, eq=False)
class MixedTable(ReadOnly):
    """Objects described by categorical and numeric attributes.

    Parameters
    ----------
    categorical : CategoricalTable
        n objects, at least one attribute.
    numeric : ndarray of float64, shape (n, r)
        Values of the numeric attributes, r > 0; NaN is a missing number. The table has
        a read-only array of them: a copy, if the given one can be written.
    names : tuple of r str
        Names of the numeric attributes, distinct from each other and from the categorical ones.

    Raises
    ------
    TableError
        If the parts do not fit together, or a number is infinite or beyond 1e150.
    """

    categorical: CategoricalTable
    numeric: np.ndarray
    names: tuple[str, ...]

    def __post_init__(self) -> None:
        numeric = self.numeric
        shape = (self.categorical.n_objects, len(self.names))
        if not isinstance(numeric, np.ndarray) or numeric.dtype != np.float64:
            raise TableError("numeric must be a 2-D array of float64; use astype(float)")
        if numeric.shape != shape:
            raise TableError(
                f"{shape[0]} rows of codes and {shape[1]} names, but numbers of shape "
                f"{numeric.shape}; pass one row per object and one column per name"
            )
        if not self.names:
            raise TableError(
                "a mixed table needs numeric attributes; without any it is a CategoricalTable"
            )
        object.__setattr__(self, "names", tuple(self.names))
        check_unique(self.attributes)
        super().__post_init__()
        check_squares(self.names, numeric)

    @property
    def n_objects(self) -> int:
        """Number of objects (rows), n."""
        return self.numeric.shape[0]

    @property
    def n_numeric(self) -> int:
        """Number of numeric attributes, r."""
        return self.numeric.shape[1]

    @property
    def attributes(self) -> tuple[str, ...]:
        """Names of all attributes, the categorical ones first."""
        return (*self.categorical.attributes, *self.names)

    def __repr__(self) -> str:
        """Summarise the shape."""
        return (
            f"MixedTable({self.n_objects} objects, {self.categorical.n_attributes} categorical "
            f"and {self.n_numeric} numeric attributes)"
        )

    @classmethod
    def from_pandas(
        cls,
        df: "pd.DataFrame",
        domains: Mapping[str, Sequence[str]] | None = None,
        missing: Iterable[str] = (),
    ) -> Self:
        """Build a table from a data frame.

        Columns of numbers become numeric attributes, all others categorical ones. Numbers that
        are labels must be marked: ``df["code"].astype("category")``.

        Parameters
        ----------
        df : DataFrame
            At least one column of numbers and one other.
        domains, missing
            Of the categorical columns, as in `CategoricalTable.from_pandas`.

        Raises
        ------
        TableError
            If there are no numeric or no categorical columns, and whenever
            `CategoricalTable.from_pandas` would.
        """
        import pandas as pd

        if not isinstance(df, pd.DataFrame):
            raise TableError(
                "mixed data are a MixedTable or a DataFrame with columns of numbers and of "
                f"categories, not {type(df).__name__}"
            )
        is_number = number_columns(df)
        if not any(is_number) or all(is_number):
            kind = "numeric" if all(is_number) else "categorical"
            raise TableError(
                f"all columns are {kind}; a mixed table needs both kinds (numbers that are labels "
                "are marked with .astype('category'))"
            )
        numbers = df.loc[:, is_number]
        return cls(
            CategoricalTable.from_pandas(df.loc[:, ~np.array(is_number)], domains, missing),
            numbers.to_numpy(dtype=np.float64, na_value=np.nan),
            tuple(str(name) for name in numbers.columns),
        )

    def take(self, rows: np.ndarray | slice) -> Self:
        """Return the table of some rows (positions, mask or slice); the domains stay declared.

        Raises `CouplingsError` if there is no such row.
        """
        taken = self.categorical.take(rows)
        chosen = rows if isinstance(rows, slice) else row_positions("take", rows, self.n_objects)
        return type(self)(taken, sealed(self.numeric[chosen]), self.names)


# Types that `frame_of` reads.
Mixed = Union[MixedTable, "pd.DataFrame", Any]


def is_mixed(data: Any) -> bool:
    """Return whether data have numbers and other columns.

    In an array or a list of rows only columns with fractions are numbers; integers are labels.
    """
    if isinstance(data, MixedTable):
        return True
    if isinstance(data, CategoricalTable):
        return False
    if not has_names(data):
        cells = isinstance(data, list) or (isinstance(data, np.ndarray) and data.dtype == object)
        if not cells or not all(isinstance(row, list | tuple | np.ndarray) for row in data):
            return False
        frame = frame_of(data)
        numbers = number_columns(frame)
        fractions = [has_fractions(frame[name]) for name in frame]
        return any(fractions) and not all(numbers)
    numbers = number_columns(frame_of(data))
    return any(numbers) and not all(numbers)


def has_fractions(column: "pd.Series") -> bool:
    """Return whether a column holds a number that is not whole."""
    if not is_number(column.dtype):
        return False
    numbers = column.to_numpy(dtype=np.float64, na_value=np.nan)
    return bool((numbers[~np.isnan(numbers)] % 1 != 0).any())


def frame_of(data: Any) -> "pd.DataFrame":
    """Return data of any kind as a pandas data frame whose column names are text.

    Lazy frames are collected; the columns of arrays and of lists of rows are called "0", "1", ...
    Raises `TableError` if the data are not a table, or empty, or two columns share a name.
    """
    import narwhals as nw
    import pandas as pd

    if isinstance(data, MixedTable):
        numbers = pd.DataFrame(data.numeric, columns=list(data.names))
        frame = pd.concat([data.categorical.to_pandas(), numbers], axis=1)
    elif isinstance(data, pd.DataFrame):
        frame = data
    elif isinstance(data, CategoricalTable):
        frame = data.to_pandas()
    elif hasattr(data, "read_pandas"):  # a reader of Arrow batches
        frame = data.read_pandas()
    elif hasattr(data, "to_pandas") and hasattr(data, "num_rows"):  # of Arrow
        frame = data.to_pandas()
    else:
        read = nw.from_native(data, pass_through=True)
        if isinstance(read, nw.LazyFrame):
            read = read.collect()
        if isinstance(read, nw.DataFrame):
            frame = read.to_pandas()
        else:
            rows = data if isinstance(data, list) else array_of(data)
            frame = pd.DataFrame(rows).infer_objects()
    names = [str(name) for name in frame.columns]
    check_unique(names)
    check_filled(frame.shape)
    return frame if names == list(frame.columns) else frame.set_axis(names, axis=1)


def as_mixed(
    data: Mixed,
    categorical: CategoricalTable | None = None,
    names: Sequence[str] = (),
    declared: bool = True,
    incomplete: bool = False,
) -> MixedTable:
    """Return data of any kind as a mixed table, by `MixedTable.from_pandas`.

    After a fit, its categorical part and the `names` of its numeric attributes define the required
    columns, matched by name, and values, matched by label; other values raise an error if domains
    are `declared`. Raises `MissingValuesError` if numbers are missing, unless the table may be
    `incomplete`.
    """
    same = isinstance(data, MixedTable) and (
        categorical is None
        or (
            data.attributes == (*categorical.attributes, *names)
            and data.categorical.categories == categorical.categories
        )
    )
    if same:
        table = data
    elif categorical is None:
        table = MixedTable.from_pandas(frame_of(data))
    else:
        frame, m = frame_of(data), categorical.n_attributes
        wanted = [*categorical.attributes, *names]
        frame = frame.iloc[:, order_of("the table", list(frame.columns), wanted)]
        domains = dict(zip(categorical.attributes, categorical.categories, strict=True))
        table = MixedTable(
            CategoricalTable.from_any(frame.iloc[:, :m], domains if declared else {}),
            numbers_of(frame, names),
            tuple(names),
        )
    missing = np.isnan(table.numeric).sum(axis=0)
    if missing.any() and not incomplete:
        raise MissingValuesError(
            f"missing numbers in {counted(table.names, missing)}; fill them in (for example "
            "with the mean of the column) or drop the rows"
        )
    return table


def rows_of_any(data: Any) -> tuple[int, Callable[[np.ndarray], Any]]:
    """Return the number of objects of a table of any kind, and a function that takes some rows."""
    if isinstance(data, CategoricalTable | MixedTable):
        return data.n_objects, data.take
    if has_names(data):
        frame = frame_of(data)
        return len(frame), lambda rows: frame.iloc[rows]
    if isinstance(data, list):
        return len(data), lambda rows: [data[i] for i in rows]
    array = data if isinstance(data, np.ndarray) else array_of(data)
    return len(array), lambda rows: array[rows]


def numbers_of(frame: "pd.DataFrame", names: Sequence[str]) -> np.ndarray:
    """Return the columns that held numbers in a fit, float64 of shape (n, r), NaN where missing.

    Raises `MeasureError` if one holds something else now: dates, text and truth values would be
    converted, or fail without the name of the column.
    """
    from pandas.api import types

    numbers = np.empty((len(frame), len(names)))
    positions = {name: j for j, name in enumerate(frame.columns)}
    for t, name in enumerate(names):
        # For few rows, pandas takes longer to make a series than is needed to read its cells.
        get = getattr(frame, "_get_column_array", None)
        array = None if get is None else get(positions[name])
        if isinstance(array, np.ndarray) and array.dtype.kind in "iuf":
            numbers[:, t] = array
            continue
        column = frame[name]
        known = is_number(column.dtype) or column.isna().all()
        if not known and types.is_object_dtype(column.dtype):
            known = types.infer_dtype(column, skipna=True) in _NUMBERS
        if not known:
            raise MeasureError(
                f"column {name!r} held numbers in fit, and now {column.dtype}; give numbers, or "
                "fit on data like these"
            )
        numbers[:, t] = column.to_numpy(dtype=np.float64, na_value=np.nan)
    return numbers


def check_squares(names: Sequence[str], numeric: np.ndarray) -> None:
    """Raise `TableError` if numbers are infinite, or too large for sums of their squares."""
    with np.errstate(invalid="ignore"):
        large = (np.abs(numeric) > _LARGEST_NUMBER).any(axis=0)
    if large.any():
        column = int(np.argmax(large))
        if np.isinf(numeric[:, column]).any():
            raise TableError(f"column {names[column]!r} has infinite numbers (inf); replace them")
        raise TableError(
            f"column {names[column]!r} has numbers beyond 1e150, whose squares overflow; divide "
            "the column by a constant"
        )


def number_columns(df: "pd.DataFrame") -> list[bool]:
    """Return which columns of a data frame hold numbers."""
    return [is_number(dtype) for dtype in df.dtypes]


def is_number(dtype: Any) -> bool:
    """Return whether a column of this type holds numbers."""
    from pandas.api import types

    number = types.is_numeric_dtype(dtype) and not types.is_bool_dtype(dtype)
    return number and not types.is_complex_dtype(dtype)


def require_complete_categories(table: MixedTable) -> None:
    """Raise `MissingValuesError`, naming the categorical attributes with missing cells."""
    require_complete(
        table.categorical,
        "make them a value of their own in the data frame, df[name] = "
        "df[name].astype(object).fillna('?'), or leave the rows out, df.dropna()",
    )


def scaled(numeric: np.ndarray, scale: str) -> np.ndarray:
    """Return columns on a common scale, float64 of shape (n, r).

    Parameters
    ----------
    numeric : ndarray of float64, shape (n, r)
        Finite numbers.
    scale : {"minmax", "symmetric", "z", "raw"}
        "minmax": ``(x - min) / (max - min)``, between 0 and 1. "symmetric": the same range between
        -1 and 1. "z": ``(x - mean) / sd`` with the sample standard deviation. "raw": unchanged.
        A constant column becomes 0 except under "raw".
    """
    centre, spread = location_and_spread(numeric, scale)
    return (numeric - centre) / spread


def location_and_spread(numeric: np.ndarray, scale: str) -> tuple[np.ndarray, np.ndarray]:
    """Return the location that `scaled` subtracts and the spread it divides by, both (r,).

    The column of a constant c gives (c, 1).
    """
    check_choice("scaled", "scale", scale, SCALES)
    lowest, highest = numeric.min(axis=0), numeric.max(axis=0)
    constant = lowest == highest
    if scale == "raw":
        return np.zeros(len(lowest)), np.ones(len(lowest))
    if scale == "minmax":
        return lowest, np.where(constant, 1.0, highest - lowest)
    if scale == "symmetric":
        middle = lowest + (highest - lowest) / 2
        return middle, np.where(constant, 1.0, (highest - lowest) / 2)
    centre = np.where(constant, lowest, numeric.mean(axis=0))
    spread = np.ones(len(lowest))
    # Squares around the final mean, not a running one: values may be large and nearly equal.
    spread[~constant] = numeric[:, ~constant].std(axis=0, ddof=1)
    return centre, spread


@dataclass(frozen=True, eq=False)
class MixedSpace(ReadOnly):
    """The distance ``sqrt(sum_t (y_ut - y_vt)**2) + sum_j A_j[x_uj, x_vj]``, y = x / spread.

    Parameters
    ----------
    spread : ndarray of float64, shape (r,)
        Divisors of the numeric attributes.
    matrices : ValueMatrices
        The A_j, symmetric.
    """

    spread: np.ndarray
    matrices: ValueMatrices

    @classmethod
    def weighted(cls, table: Mixed, gamma: str = "raw") -> Self:
        """Return the weighted mixed metric: min-max numbers, plus gamma for every mismatch.

        Parameters
        ----------
        table : MixedTable or DataFrame
            The objects that fix the ranges and gamma.
        gamma : {"raw", "scaled"}, default "raw"
            Half the mean sample standard deviation of the numeric attributes: of the raw ones, or
            of the min-max ones. "raw" gives the distances printed in coupledMC; for numbers in
            the hundreds only the mismatches then matter. 1 if all numbers are constant.

        References
        ----------
        Huang, Data Mining and Knowledge Discovery 2 (1998); coupledMC, AAAI 2015, introduction.
        """
        check_choice("MixedSpace", "gamma", gamma, ("raw", "scaled"))
        table = as_mixed(table)
        numeric = table.numeric if gamma == "raw" else scaled(table.numeric, "minmax")
        factor = 0.5 * float(numeric.std(axis=0, ddof=1).mean()) or 1.0
        blocks = [factor * (1.0 - np.eye(size)) for size in table.categorical.n_values]
        spread = location_and_spread(table.numeric, "minmax")[1]
        return cls(spread, ValueMatrices.from_blocks(blocks))

    def rows(self, table: Mixed) -> tuple[np.ndarray, np.ndarray]:
        """Return the scaled numbers, (n, r) float64, and the codes, (n, m) int32, of a table.

        Raises
        ------
        MissingValuesError
            If a cell is missing.
        MeasureError
            If the attributes of the table differ from those of this space.
        """
        table = as_mixed(table)
        require_complete_categories(table)
        if table.n_numeric != len(self.spread) or not np.array_equal(
            table.categorical.n_values, self.matrices.n_values
        ):
            raise MeasureError(
                f"this space is over {len(self.spread)} numeric attributes and domains of "
                f"{self.matrices.n_values.tolist()} values, the table has {table.n_numeric} and "
                f"{table.categorical.n_values.tolist()}; fit the space on a table like it"
            )
        numeric = np.divide(table.numeric, self.spread, order="C")
        return numeric, table.categorical.codes.astype(np.int32, order="C")

    def pairwise(self, table: Mixed) -> np.ndarray:
        """Return the distances of all objects of a table, float64 of shape (n, n).

        Errors are those of `rows`.
        """
        # Imported here because reading or cutting tables needs no kernel.
        from couplings._kernels import pairs

        numeric, codes = self.rows(table)
        n = len(codes)
        matrices = self.matrices
        u, v = np.triu_indices(n, 1)
        result = np.zeros((n, n))
        result[u, v] = pairs.distances_of_pairs(
            u, v, numeric, codes, matrices.data, matrices.starts, matrices.offsets, False
        )
        return result + result.T


def with_categories(table: MixedTable, cut: Callable[[np.ndarray], np.ndarray]) -> CategoricalTable:
    """Return the categorical attributes followed by the numeric ones as categories.

    `cut` returns the codes 0, 1, ... of a column of numbers.
    """
    own = table.categorical
    categories = np.column_stack([cut(column) for column in table.numeric.T])
    return CategoricalTable.from_codes(
        np.column_stack([own.codes.astype(np.int64), categories]),
        categories=[
            *own.categories,
            *([str(code) for code in range(highest + 1)] for highest in categories.max(axis=0)),
        ],
        attributes=table.attributes,
    )
