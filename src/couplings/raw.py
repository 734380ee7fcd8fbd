"""Raw tables: reading from a file, description by column, preparation for clustering."""

import reprlib
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from couplings import reading, text_files
from couplings._checks import check_positive
from couplings._labels import MissingLabels, check_known, names_of, text_of
from couplings.discretize import apply_cuts, equal_width_cuts
from couplings.errors import TableError
from couplings.mixed import frame_of, number_columns
from couplings.parquet import SUFFIXES, readable, without_index
from couplings.reading import MISSING
from couplings.table import CategoricalTable, Labels

_NO_LABEL = "(missing)"
USUAL_MISSING = ("?", "", "NA", "N/A", "n/a", "NaN", "nan", "NULL", "null", "#N/A", "<NA>")
"""Labels of missing cells unless others are given."""


def read_table(
    path: str | Path,
    *,
    without: str | Iterable[str] = (),
    missing: Labels = USUAL_MISSING,
    separator: str | None = None,
) -> CategoricalTable:
    r"""Read a CSV or Parquet file; every column is read as labels, including numbers.

    Parameters
    ----------
    path : str or Path
        A Parquet file (``.parquet``, ``.pq``), or UTF-8 text whose first line names the columns.
        The text may be compressed (``.gz``, ``.bz2``, ``.xz``). Spaces around cells are dropped.
        Names of rows (a first column without a name, whose cells all differ, as R and pandas write
        it; a stored pandas index) are left out.
    without : str or iterable of str, default ()
        Columns to leave out.
    missing : iterable of str, or mapping from column to such, optional
        Labels of missing cells. Default: "?", "", "NA", "N/A", "n/a", "NaN", "nan", "NULL", "null",
        "#N/A", "<NA>"; in columns whose other labels are more than 10 different numbers also ".",
        "-", "None" and other marks (`couplings.text_files.AMONG_NUMBERS`). A mapping adds labels of
        single columns to the default. A list replaces it; if it has all of the default, the
        marks in columns of numbers count too.
    separator : str, optional
        Character between the cells of a text, or its name: "comma", "semicolon", "tab", "bar",
        "blank" (one or more). Default: the one of these that fits the first lines, or ":", "^" or
        "~" if every line has the same number of them.

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
    path = reading.path_of(path)
    character = text_files.separator_of(separator)
    reading.check_file(path)
    absent = MissingLabels.of(missing, USUAL_MISSING)
    if path.suffix.lower() in SUFFIXES:
        columns = _parquet_columns(path, names_of("without", without))
    else:
        columns = text_files.read_columns(path, character, without=without)
        if absent.of_all.issuperset(USUAL_MISSING):
            further = text_files.missing_numbers(columns, absent)
            own = {one.name: absent.labels(one.name) for one in columns}
            further = {name: own[name] | labels for name, labels in further.items()}
            absent = MissingLabels(absent.of_all, {**(absent.of_column or {}), **further})
    return CategoricalTable.from_columns(columns, None, absent, f"{path}: ")


def _parquet_columns(path: Path, without: tuple[str, ...]) -> list[reading.Column]:
    with readable(path):
        import pyarrow.parquet as pq

        data = pq.ParquetFile(path).read()
    reading.check_unique(data.column_names, f"{path}: ")
    check_known(without, data.column_names, str(path))
    names = [name for name in without_index(data.schema) if name not in without]
    try:
        return [reading.arrow_column(name, data.column(name), numbers=True) for name in names]
    except TableError as error:
        raise TableError(f"{path}: {error}") from error


def labelled(data: Any) -> CategoricalTable:
    """Return any table as one of labels; its numbers are labels too.

    Raises `TableError` if the data are not a table, or hold other cells than labels and numbers.
    """
    if isinstance(data, CategoricalTable):
        return data
    if isinstance(data, np.ndarray) and data.dtype.kind in "iuf":
        columns = reading.columns_of(data, numbers=True)
    else:
        frame = frame_of(data)
        if not reading.has_names(data):
            frame = frame.add_prefix("a")
        numbers = frame.columns[number_columns(frame)]
        texts = {name: _texts(frame[name]) for name in numbers}
        columns = reading.columns_of(frame.assign(**texts).astype(dict.fromkeys(texts, object)))
    return CategoricalTable(*reading.encode(columns, None, (), empty=True, warn=False))


def _texts(numbers: pd.Series) -> pd.Series:
    """Return the text of each number, in its own precision; missing ones stay."""
    cells = zip(numbers.array, numbers.isna(), strict=True)
    texts = [None if absent else text_of(number) for number, absent in cells]
    return pd.Series(texts, index=numbers.index, dtype=object)


def describe_table(table: Any) -> pd.DataFrame:
    """Describe the columns of a table: kind, values, missing cells, most frequent value.

    Parameters
    ----------
    table : table of any kind
        Categories and numbers; see `CategoricalTable.from_any`.

    Returns
    -------
    DataFrame
        One row per attribute, the index.

        =============  ============================================================================
        kind           "empty": no cell has a value; "one value": all objects equal; "numbers": all
                       labels are numbers, and more than 10 differ; "names": more than 10 labels,
                       and more than one for two objects, or as many whole numbers in a row as
                       objects; "labels": all else. Digits after a leading zero (ZIP 02139) and
                       digits around an E (room 1E3) are no numbers
        values         number of values that occur
        missing        number of missing cells
        most_frequent  the most frequent value, the first if tied; None if there is none
        share          share of the objects that have it
        =============  ============================================================================

    Examples
    --------
    >>> from couplings import CategoricalTable, describe_table
    >>> rows = [["step", str(i * i), "new"] for i in range(12)] + [["sport", "7", "new"]]
    >>> describe_table(CategoricalTable.from_any(rows))["kind"].tolist()
    ['labels', 'numbers', 'one value']
    """
    table = labelled(table)
    rows = []
    for column, domain in zip(table.codes.T, table.categories, strict=True):
        counts = np.bincount(column[column != MISSING], minlength=len(domain))
        first = int(counts.argmax()) if counts.any() else None
        rows.append(
            {
                "kind": reading.kind_of(
                    [domain[code] for code in np.flatnonzero(counts)], table.n_objects
                ),
                "values": int(np.count_nonzero(counts)),
                "missing": int((column == MISSING).sum()),
                "most_frequent": None if first is None else domain[first],
                "share": 0.0 if first is None else counts[first] / table.n_objects,
            }
        )
    return pd.DataFrame(rows, index=pd.Index(table.attributes, name="column"))


def prepare_table(table: Any, bins: int = 5) -> CategoricalTable:
    """Prepare a table for clustering; return a `CategoricalTable`.

    Columns of the kinds "names", "one value" and "empty" (see `describe_table`) are dropped,
    numbers are cut into intervals of equal width, and missing cells become a value. The label of an
    interval gives its smallest and largest number as the table writes them.

    Parameters
    ----------
    table : table of any kind
        As in `describe_table`.
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
    check_positive("prepare_table", bins=bins)
    table = labelled(table)
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
            domain = tuple(
                _range(numbers, domain, np.flatnonzero(interval == i)) for i in range(len(found))
            )
            column = np.append(interval, MISSING)[column]
        codes.append(column)
        domains.append(domain)
    cut = CategoricalTable.from_codes(np.column_stack(codes), None, domains, used)
    return cut.missing_as_value(_NO_LABEL)


def _range(numbers: np.ndarray, labels: Sequence[str], members: np.ndarray) -> str:
    """Return the label of an interval: its ends as labels, which differ between intervals."""
    low = labels[members[numbers[members].argmin()]]
    high = labels[members[::-1][numbers[members][::-1].argmax()]]
    return low if numbers[members].min() == numbers[members].max() else f"{low} to {high}"
