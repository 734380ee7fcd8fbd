"""Delimited text files: their layout, and their columns as labels."""

import csv
import io
import re
import reprlib
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Any

from couplings import reading
from couplings._labels import check_known, names_of, number_of
from couplings.errors import MissingPackageError, TableError

if TYPE_CHECKING:
    import pyarrow as pa

SEPARATORS = {"comma": ",", "semicolon": ";", "tab": "\t", "bar": "|", "blank": " "}
"""Separators that are found, by the names that a setting can use."""

_SAMPLE = 1 << 16
_SAMPLE_ROWS = 200
# Separators of files in which every line has the same number of them.
_RARE = (":", "^", "~")
# A longer first line, or one of more names, is no list of names.
_LONGEST_LINE, _MOST_COLUMNS = 1 << 24, 100_000
# If several separators fit all lines: commas stand within cells most often, tabs least.
_PREFERRED = ("\t", ";", "|", ",")
# The second line of a table in Markdown.
_RULE = re.compile(":?-+:?")
# A comment, but not a name such as "#chrom" or "#".
_COMMENT = re.compile(r"#(?:#|.*\s).*")
_OF_TABS = (".tsv", ".tab")
# Excel's first line, which names the separator.
_DIRECTIVE = re.compile(r"sep=(.)\s*", re.IGNORECASE)

# In a column of numbers these mark a missing cell; among labels, "None" or "-" may be a category.
AMONG_NUMBERS = frozenset(
    {
        *(".", "-", "--", "None", "none", "Null", "nil", "NIL", "NaT", "na", "n.a.", "N.A."),
        *("#NA", "#DIV/0!", "#VALUE!", "#NUM!", "#NAME?", "#NULL!", "#REF!"),
        *("-nan", "-NaN", "<na>"),
    }
)
"""Labels that mark missing cells in a column whose other labels are numbers, more than 10."""


_OTHER_KINDS = {
    "a web page": re.compile(r"\s*<(!doctype|html|head|body)\b", re.IGNORECASE),
    "an XML file": re.compile(r"\s*<\?xml\b"),
    "a JSON file": re.compile(r"""\s*(\{\s*"|\[\s*[\[{])"""),
    "a PDF file": re.compile("%PDF-"),
    "an RTF file": re.compile(r"\{\\rtf"),
}
"""Kinds of text that are often saved under the name of a table, and how they begin."""


@dataclass(frozen=True)
class Layout:
    """Layout of a text file.

    Parameters
    ----------
    separator, quote : str
        Characters between and around cells.
    names : tuple of str
        Names of the columns; "" if a column has none.
    skipped : int
        Lines up to and including the one of the names; a name that spans lines is in one.
    plain : bool
        Whether Arrow can read the file, which takes no runs of blanks, no names that span lines
        and no empty lines as cells of a single column.
    """

    separator: str
    quote: str
    names: tuple[str, ...]
    skipped: int
    plain: bool

    @classmethod
    def of(cls, path: Path, separator: str | None = None) -> "Layout":
        """Find the layout of a file from its first lines; `separator` None means any.

        Raises `TableError` if there is no such file, it is not UTF-8 text, its first line does
        not name the columns, or a blank may as well stand within the cells of a single column.
        """
        reading.check_file(path)
        head, whole = _head(path)
        for kind, begins in _OTHER_KINDS.items():
            if begins.match(head):
                raise TableError(f"{path}: is {kind}, no table; save the table itself as text")
        first = re.split("[\r\n]", head, maxsplit=1)[0]
        skipped, given = 0, separator
        if found := _DIRECTIVE.fullmatch(first):
            skipped, given = 1, separator or found[1]
            head = head[len(first) :].removeprefix("\r").removeprefix("\n")
            first = re.split("[\r\n]", head, maxsplit=1)[0]
        line = skipped + 1
        if not first.strip():
            raise TableError(f"{path}, line {line} is empty; the first line must name the columns")
        if "\0" in first:
            raise TableError(
                f"{path}: not UTF-8 text: line {line} has a zero byte; convert the file"
            )
        quote = _quote(first)
        most = max(map(first.count, [given] if given else SEPARATORS.values()))
        if most >= _MOST_COLUMNS:
            raise TableError(
                f"{path}, line {line} names {most + 1} columns, and a table has at most "
                f"{_MOST_COLUMNS}; keep fewer of them, or turn rows and columns round"
            )
        try:
            if given is None:
                given = _of_name(path, first)
            if given is None:
                given = _separator(head, first, quote, whole)
                _check_blanks(path, given, quote, _rows(head, given, quote, whole))
            (names, *rows) = _rows(head, given, quote, whole)
        except csv.Error as error:
            raise TableError(f"{path}, line {line}: no names can be read: {error}") from error
        if _COMMENT.fullmatch(names[0]) and not first.lstrip().startswith(quote):
            raise TableError(
                f"{path}, line {line} begins with {reprlib.repr(names[0])}; the first line must "
                "name the columns: leave out comments above it, or put the name in quotation marks"
            )
        if given == "|" and rows and all(map(_RULE.fullmatch, filter(None, rows[0]))):
            skipped += any(rows.pop(0))
        more = _more(names, rows, quoted=quote in first)
        if more == "row names":
            names = ["", *names]
        elif more == "ends":
            names = [*names, ""]
        spans = any("\n" in name or "\r" in name for name in names)
        plain = given != " " and not spans and len(names) > 1
        return cls(given, quote, tuple(names), skipped + 1, plain)


def separator_of(given: Any) -> str | None:
    """Return the character of a separator, given as such or by name; None for None.

    Raises `TableError` if it is neither.
    """
    if given is None:
        return None
    character = SEPARATORS.get(given, given) if isinstance(given, str) else given
    if character in (r"\t", r"\s+", r"\s", "space", "whitespace", "pipe"):
        character = {"\\t": "\t", "pipe": "|"}.get(character, " ")
    odd = not isinstance(character, str) or len(character) != 1
    if odd or not character.isascii() or character in "\r\n\"'\0" or character.isalnum():
        raise TableError(
            f"separator={given!r} is not one character; use one such as ',' or one of the names "
            f"{', '.join(SEPARATORS)}, or None to find it"
        )
    return character


def read_columns(
    path: Path, separator: str | None, usecols: Any = None, without: Any = None
) -> list[reading.Column]:
    """Return the columns of a text file as labels; blanks around them are dropped.

    A first column without a name is left out if its cells all differ, and called "row" otherwise;
    other columns without a name are left out if they are empty.

    Raises `TableError` as `Layout.of`; also if a row is longer or shorter than the first line, a
    name occurs twice, or a column of `usecols` or `without` is unknown.
    """
    try:
        import pyarrow  # noqa: F401
    except ImportError as error:
        raise MissingPackageError("Text files", "pyarrow", "arrow") from error
    layout = Layout.of(path, separator)
    named = [name for name in layout.names if name]
    twice = next((name for name, times in Counter(named).items() if times > 1), None)
    if twice is not None:
        raise _unnamed(path, layout, twice)
    left_out = names_of("without", without)
    check_known(left_out, named, str(path))
    wanted = named if usecols is None else names_of("usecols", usecols)
    check_known(wanted, named, str(path))
    reading.check_unique(wanted, f"{path}: usecols: ")
    keys = [name or f"\0{j}" for j, name in enumerate(layout.names)]
    unnamed = [key for key in keys if key.startswith("\0")] if usecols is None else []
    chosen = [name for name in wanted if name not in left_out]
    data = _cells(path, layout, keys, [*unnamed, *chosen])
    columns = [reading.arrow_column(name, data.column(name)) for name in data.column_names]
    kept = []
    for column in columns:
        if not column.name.startswith("\0"):
            kept.append(column)
            continue
        labels = {label for _, part in column.chunks for label in part} - {""}
        if not labels:
            continue
        if column.name == "\x000" and len(named) < len(layout.names):
            if len(labels) < data.num_rows:
                name = next(n for n in ("row", "row name", "name of the row") if n not in named)
                kept.append(reading.Column(name, column.chunks))
        else:
            raise _unnamed(path, layout, "")
    return kept


def missing_numbers(columns: Sequence[reading.Column], absent: Any) -> dict[str, frozenset[str]]:
    """Return the labels of `AMONG_NUMBERS` in columns whose other labels are many numbers."""
    found = {}
    for column in columns:
        labels = {label for _, part in column.chunks for label in part}
        labels -= absent.labels(column.name)
        words = AMONG_NUMBERS & labels
        numbers = labels - words
        if words and reading.kind_of(sorted(numbers), len(numbers) + 1) == "numbers":
            found[column.name] = words
    return found


def _head(path: Path) -> tuple[str, bool]:
    """Return the first lines of a file, and whether they are all of it."""
    try:
        with _text(path) as file:
            data = file.read(_SAMPLE)
            while len(data) < _LONGEST_LINE and not re.search(b"[\r\n].", data):
                more = file.read(len(data))
                if not more:
                    break
                data += more
            whole = not file.read(1)
            if len(data) >= _LONGEST_LINE and not re.search(b"[\r\n].", data):
                raise TableError(f"{path}: its first line is longer than 16 MB, so it is no table")
    except reading.UNREADABLE as error:
        raise TableError(f"{path}: cannot be read: {error}") from error
    if not whole:
        # The last line may be cut, even within a letter.
        data = re.split(rb"[\r\n](?=[^\r\n]*$)", data, maxsplit=1)[0]
    try:
        return data.decode().lstrip("\ufeff"), whole
    except UnicodeDecodeError as error:
        raise TableError(f"{path}: not UTF-8 text: {error}; convert the file") from error


def _text(path: Path) -> Any:
    """Open a file of UTF-8, or of UTF-16 with a byte order mark, as UTF-8."""
    file = reading.opened(path)
    start = file.read(2)
    file.seek(0)
    if start not in (b"\xff\xfe", b"\xfe\xff"):
        return file
    with file:
        try:
            return io.BytesIO(file.read().decode("utf-16").encode())
        except UnicodeError as error:
            raise TableError(f"{path}: not UTF-16 text: {error}; convert the file") from error


def _quote(line: str) -> str:
    """Return the quotation mark of the names: an apostrophe if it surrounds each of them."""
    marks = re.findall(r"'[^']*'", line)
    rest = re.sub(r"'[^']*'", "", line)
    return "'" if marks and '"' not in line and not re.search(r"\w", rest) else '"'


def _separator(head: str, first: str, quote: str, whole: bool) -> str:
    """Return the separator whose cells fit the names best.

    That of csv.Sniffer comes first, then the most frequent in the first line.
    """
    bare = re.sub(f"{quote}[^{quote}]*{quote}", "", first)
    visible = [one for one in SEPARATORS.values() if one != " "]
    ordered = sorted(visible, key=bare.count, reverse=True)
    try:
        sniffed = csv.Sniffer().sniff(head, "".join(visible)).delimiter
        ordered.sort(key=lambda one: one != sniffed)
    except csv.Error:
        pass  # It finds none; the cells decide.
    shares = {}
    for one in [*ordered, *_RARE, " "]:
        names, *rows = _rows(head, one, quote, whole)
        exact = sum(len(row) == len(names) for row in rows) / max(len(rows), 1)
        more = _more(names, rows, quoted=quote in first) if len(rows) > 1 else ""
        if len(names) > 1 or (more == "row names" and one == " "):
            shares[one] = 1.0 if more else exact
    fitting = [one for one in shares if shares[one] == 1]
    if fitting:
        return next((one for one in _PREFERRED if one in fitting and rows), fitting[0])
    for one in (" ", *_RARE):
        shares.pop(one, None)
    if shares:
        return max(shares, key=lambda one: (bare.count(one), shares[one]))
    return ordered[0] if bare.count(ordered[0]) else ","


def _more(names: list[str], rows: list[list[str]], quoted: bool) -> str:
    """Return why each row has a cell more than there are names: "row names", "ends", or ""."""
    if not rows or any(len(row) != len(names) + 1 for row in rows):
        return ""
    if not any(row[-1] for row in rows):
        return "ends"
    # R writes names of rows without a name of their column, and puts names in quotation marks.
    different = len({row[0] for row in rows}) == len(rows)
    return "row names" if different and (len(names) > 1 or quoted) else ""


def _of_name(path: Path, first: str) -> str | None:
    """Return the tab if the name of the file says so, otherwise None."""
    suffixes = [suffix.lower() for suffix in path.suffixes]
    plain = [suffix for suffix in suffixes if suffix not in (".gz", ".bz2", ".xz")]
    if not plain or plain[-1] not in _OF_TABS:
        return None
    others = [name for name, one in SEPARATORS.items() if one in first and one not in "\t "]
    if "\t" not in first and others:
        raise TableError(
            f"{path}, line 1 has no tab, which the name of the file promises; set the separator, "
            f"for example {others[0]!r}, or 'tab' for a single column"
        )
    return "\t"


def _check_blanks(path: Path, separator: str, quote: str, lines: list[list[str]]) -> None:
    """Refuse two words a line, which can be one column as well, unless all are numbers."""
    if separator != " " or any(len(row) != 2 for row in lines):
        return
    with _text(path) as file:
        start = file.read(_SAMPLE).decode(errors="replace")
    cells = [cell for row in lines[1:] for cell in row]
    aligned = "  " in start or quote in start or "\t" in start
    if not aligned and any(number_of(cell) is None for cell in cells):
        raise TableError(
            f"{path}: its lines have two words each, which can be two columns or one; set the "
            "separator: 'blank' for two, 'comma' for one"
        )


def _rows(head: str, separator: str, quote: str, whole: bool) -> list[list[str]]:
    """Return the cells of the first lines that are not empty."""
    lines = _lines(io.StringIO(head, newline=""), separator)
    reader = csv.reader(lines, delimiter=separator, quotechar=quote, skipinitialspace=True)
    found = [[cell.strip() for cell in row] for row in islice(reader, _SAMPLE_ROWS) if row]
    # A cell that spans lines may be cut.
    return found if whole or len(found) < 2 else found[:-1]


def _lines(file: Any, separator: str) -> Iterator[str]:
    """Yield lines; a separator of blanks may also begin and end them, or be a tab."""
    for line in file:
        yield line.strip().replace("\t", " ") + "\n" if separator == " " else line


def _cells(path: Path, layout: Layout, keys: list[str], wanted: list[str]) -> "pa.Table":
    """Return the cells of columns as trimmed text, by Arrow if it reads them right."""
    from pyarrow import compute

    ragged: list[Any] = []
    if layout.plain:
        data = _by_arrow(path, layout, keys, wanted, ragged)
        if not ragged and not any(_has_quotes(column, layout.quote) for column in data.columns):
            return data
        if ragged and not _mentions(path, layout.quote):
            raise _ragged(path, layout, *ragged[0])
    # Arrow takes a quotation mark after a blank as part of the cell.
    data = _by_python(path, layout, keys, wanted)
    trimmed = [compute.utf8_trim_whitespace(column) for column in data.columns]
    return data.from_arrays(trimmed, names=data.column_names)


def _by_arrow(
    path: Path, layout: Layout, keys: list[str], wanted: list[str], ragged: list[Any]
) -> "pa.Table":
    import pyarrow as pa
    from pyarrow import compute, csv

    def refuse(row: csv.InvalidRow) -> str:
        ragged.append((row.number, row.actual_columns))
        return "skip"

    try:
        with _text(path) as file:
            data = csv.read_csv(
                file,
                # Only with one thread do errors name the line of a bad row.
                csv.ReadOptions(use_threads=False, column_names=keys, skip_rows=layout.skipped),
                csv.ParseOptions(
                    delimiter=layout.separator,
                    quote_char=layout.quote,
                    newlines_in_values=True,
                    invalid_row_handler=refuse,
                ),
                csv.ConvertOptions(
                    column_types=dict.fromkeys(keys, pa.string()), include_columns=wanted
                ),
            )
    except (pa.ArrowInvalid, *reading.UNREADABLE) as error:
        said = str(error)
        if "invalid UTF8" in said:
            raise TableError(f"{path}: not UTF-8 text: {said}; convert the file") from error
        if "Could not skip" in said or "Empty CSV" in said:
            raise TableError(f"{path}: the table has no rows below its first line") from error
        raise TableError(f"{path}: cannot be read as delimited text: {said}") from error
    columns = [compute.utf8_trim_whitespace(data.column(name)) for name in wanted]
    return pa.Table.from_arrays(columns, names=wanted)


def _by_python(path: Path, layout: Layout, keys: list[str], wanted: list[str]) -> "pa.Table":
    import pyarrow as pa

    positions = [keys.index(name) for name in wanted]
    cells: list[list[str]] = [[] for _ in wanted]
    try:
        with io.TextIOWrapper(_text(path), "utf-8-sig", newline="") as file:
            reader = csv.reader(
                _lines(file, layout.separator),
                delimiter=layout.separator,
                quotechar=layout.quote,
                skipinitialspace=True,
            )
            empty = 0
            for row in islice(reader, layout.skipped, None):
                if not row or (len(keys) > 1 and row == [""]):
                    empty += 1
                    continue
                if len(keys) == 1:
                    # An empty line is a missing cell of a single column, but at the end.
                    for column in cells:
                        column.extend([""] * empty)
                    empty = 0
                if len(row) != len(keys):
                    raise _ragged(path, layout, reader.line_num, len(row))
                for column, position in zip(cells, positions, strict=True):
                    column.append(row[position])
    except UnicodeDecodeError as error:
        raise TableError(f"{path}: not UTF-8 text: {error}; convert the file") from error
    except (csv.Error, *reading.UNREADABLE) as error:
        raise TableError(f"{path}: cannot be read as delimited text: {error}") from error
    if not cells or not cells[0]:
        raise TableError(f"{path}: the table has no rows below its first line")
    arrays = [pa.array(column, pa.string()) for column in cells]
    return pa.table(dict(zip(wanted, arrays, strict=True)))


def _has_quotes(column: "pa.ChunkedArray", quote: str) -> bool:
    """Return whether a cell begins with a quotation mark."""
    from pyarrow import compute

    return bool(compute.any(compute.starts_with(column, quote)).as_py())


def _mentions(path: Path, quote: str) -> bool:
    """Return whether a file has a quotation mark after a blank."""
    with _text(path) as file:
        mark = b" " + quote.encode()
        return any(mark in part for part in file)


def _ragged(path: Path, layout: Layout, number: int, n_cells: int) -> TableError:
    name = next((n for n, one in SEPARATORS.items() if one == layout.separator), layout.separator)
    remedy = "fix the line" if len(layout.names) > 1 else "leave out lines above the names"
    return TableError(
        f"{path}, line {number}: {n_cells} cells where the header names {len(layout.names)}; "
        f"{remedy}, or set another separator (now {name})"
    )


def _unnamed(path: Path, layout: Layout, name: str) -> TableError:
    return TableError(
        f"{path}, line {layout.skipped}: the column name {name!r} is empty or occurs twice; the "
        "first line must name every column once: if it is a row of data, write a line above it"
    )
