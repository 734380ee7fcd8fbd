"""Raw tables: reading from a file, description by column, preparation for clustering."""

import reprlib
from collections.abc import Iterable
from pathlib import Path

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq

from couplings import reading
from couplings.discretize import apply_cuts, equal_width_cuts
from couplings.errors import TableError
from couplings.parquet import SUFFIXES, readable
from couplings.reading import MISSING
from couplings.table import CategoricalTable

_SEPARATORS = ",;\t|"
_NO_LABEL = "(missing)"
_MISSING = ("?", "", "NA", "N/A", "NaN", "nan", "NULL", "null")


def read_table(
    path: str | Path, *, without: Iterable[str] = (), missing: Iterable[str] = _MISSING
) -> CategoricalTable:
    r"""Read a CSV or Parquet file; every column is read as labels, including numbers.

    Parameters
    ----------
    path : str or Path
        A Parquet file (``.parquet``, ``.pq``), or UTF-8 text whose first line names the columns.
        The separator is the most frequent of comma, semicolon, tab and bar in that line, outside
        quotes. Spaces around cells are dropped. The text may be compressed (``.gz``, ``.bz2``,
        ``.xz``).
    without : iterable of str, default ()
        Columns to leave out.
    missing : iterable of str, default ("?", "", "NA", "N/A", "NaN", "nan", "NULL", "null")
        Labels of missing cells.

    Raises
    ------
    TableError
        If there is no such file, if it is not such a text, if the first line does not name all
        columns, each once, if a name in `without` is not a column, and as
        `CategoricalTable.from_csv` and `CategoricalTable.from_any`.

    Examples
    --------
    >>> from pathlib import Path
    >>> from tempfile import TemporaryDirectory
    >>> from couplings import read_table
    >>> with TemporaryDirectory() as folder:
    ...     path = Path(folder, "bikes.csv")
    ...     _ = path.write_text("frame;gears\nstep;3\nsport;?\n")
    ...     read_table(path)
    CategoricalTable(2 objects, 2 attributes, 3 values)
    """
    path = Path(path)
    reading.check_file(path)
    if path.suffix.lower() in SUFFIXES:
        with readable(path):
            data = pq.ParquetFile(path).read()
        reading.check_unique(data.column_names, f"{path}: ")
        reading.check_known(without, data.column_names, str(path))
        data = data.drop_columns(list(without))
        text = [
            field.with_type(pa.string()) if reading.is_numeric(field.type) else field
            for field in data.schema
        ]
        data = data.cast(pa.schema(text))
        try:
            return CategoricalTable.from_any(data, missing=missing)
        except TableError as error:
            raise TableError(f"{path}: {error}") from error
    names, separator = reading.header(path, _SEPARATORS)
    reading.check_known(without, names, str(path))
    left = [name for name in names if name not in set(without)]
    return CategoricalTable.from_csv(path, separator=separator, missing=missing, usecols=left)


def describe_table(table: CategoricalTable) -> pd.DataFrame:
    """Describe the columns of a table: kind, values, missing cells, most frequent value.

    Returns
    -------
    DataFrame
        One row per attribute, the index.

        =============  ============================================================================
        kind           "one value": all objects equal; "numbers": all labels are numbers, and
                       more than 10 differ; "names": more than 10 labels, and more than one for two
                       objects, or as many whole numbers in a row as objects; "labels": all else
        values         number of values that occur
        missing        number of missing cells
        most_frequent  the most frequent value, the first if tied
        share          share of the objects that have it
        =============  ============================================================================

    Examples
    --------
    >>> from couplings import CategoricalTable, describe_table
    >>> rows = [["step", str(i * i), "new"] for i in range(12)] + [["sport", "7", "new"]]
    >>> describe_table(CategoricalTable.from_any(rows))["kind"].tolist()
    ['labels', 'numbers', 'one value']
    """
    rows = []
    for column, domain in zip(table.codes.T, table.categories, strict=True):
        counts = np.bincount(column[column != MISSING], minlength=len(domain))
        first = int(counts.argmax())
        rows.append(
            {
                "kind": reading.kind_of(
                    [domain[code] for code in np.flatnonzero(counts)], table.n_objects
                ),
                "values": int(np.count_nonzero(counts)),
                "missing": int((column == MISSING).sum()),
                "most_frequent": domain[first],
                "share": counts[first] / table.n_objects,
            }
        )
    return pd.DataFrame(rows, index=pd.Index(table.attributes, name="column"))


def prepare_table(table: CategoricalTable, bins: int = 5) -> CategoricalTable:
    """Prepare a table for clustering; return a `CategoricalTable`.

    Columns of the kinds "names" and "one value" (see `describe_table`) are dropped, numbers are
    cut into intervals of equal width, and missing cells become a value. The label of an interval
    gives its smallest and largest number.

    Parameters
    ----------
    table : CategoricalTable
    bins : int, default 5
        Number of intervals; empty ones are dropped.

    Raises
    ------
    TableError
        If no column is left, or a column of numbers has one that is infinite or no number, or
        numbers that are not told apart in double precision.

    Examples
    --------
    >>> from couplings import CategoricalTable, prepare_table
    >>> rows = [["step", str(i)] for i in range(12)] + [["sport", "?"]]
    >>> table = CategoricalTable.from_any(rows, missing=["?"])
    >>> prepare_table(table, bins=2).categories
    (('sport', 'step'), ('0 to 5', '6 to 11', '(missing)'))
    """
    kinds = describe_table(table)["kind"]
    used = [name for name in table.attributes if kinds[name] in ("labels", "numbers")]
    if not used:
        raise TableError(
            "every column holds one value or names its rows; nothing can be clustered: add a "
            "column whose values repeat"
        )
    chosen = table.select(used).observed()
    codes, domains = [], []
    for name, column, domain in zip(used, chosen.codes.T, chosen.categories, strict=True):
        if kinds[name] == "numbers":
            numbers = np.array([float(label) for label in domain])
            if not np.isfinite(numbers).all():
                raise TableError(
                    f"column {name!r} holds numbers, but "
                    f"{reprlib.repr(domain[np.isfinite(numbers).argmin()])} "
                    "is no finite one: list it in `missing` when the table is read, or correct it"
                )
            cuts = equal_width_cuts(numbers, bins)
            if len(cuts) < bins - 1 or (np.diff(cuts) <= 0).any():
                raise TableError(
                    f"column {name!r}: its numbers differ by less than double precision tells "
                    "apart; subtract a constant from all of them, or leave the column out"
                )
            found, interval = np.unique(apply_cuts(numbers, cuts), return_inverse=True)
            domain = tuple(_range(numbers[interval == i]) for i in range(len(found)))
            column = np.append(interval, MISSING)[column]
        codes.append(column)
        domains.append(domain)
    cut = CategoricalTable.from_codes(np.column_stack(codes), None, domains, used)
    return cut.missing_as_value(_NO_LABEL)


def _range(numbers: np.ndarray) -> str:
    low, high = f"{numbers.min():g}", f"{numbers.max():g}"
    return low if low == high else f"{low} to {high}"
