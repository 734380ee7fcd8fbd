"""Co-occurrence counts: the sufficient statistic of every measure here, and additive."""

import json
import zipfile
import zlib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike

from couplings import reading
from couplings._checks import check_choice, check_memory, check_weights
from couplings._labels import MissingLabels, domains_in_order, domains_of
from couplings._readonly import ReadOnly, sealed
from couplings.errors import TableError
from couplings.table import CategoricalTable, Labels, Objects, require_complete, table_of

MAX_VALUES = 20_000
MISSING_LABEL = "?"

_FORMAT, _VERSION = "couplings.CooccurrenceCounts", 1

# Bit columns cost (v_j - 1)(v_k - 1) / 64 words per row, an increment costs the same for any
# domain; the costs are equal at about 22 values each.
_WIDEST_PACKED = 22
_FEWEST_PACKED_ROWS = 512
_TILE = 36
_LONGEST_STEP = 64

# Cells of pairs of attributes up to which NumPy is as fast as a compiled kernel.
_FEW_CELLS = 1 << 14
# Objects, and products of indicators, up to which a matrix product is as fast, or loses less than a
# first call takes to load the kernels. The counts are exact in float32, whose integers reach 2^24.
_FEW_ROWS = 1024
_FEW_PRODUCTS = 1 << 26
# The product of two smaller integers, and the difference of two such products, fit into int64.
_LARGEST_FACTOR = 1 << 31

# Smaller uncertainties are rounding noise of two independent attributes.
_NOISE = 1e-12


@dataclass(frozen=True, eq=False)
class CooccurrenceCounts(ReadOnly):
    """Numbers of objects in which each pair of values occurs.

    Parameters
    ----------
    matrix : ndarray of int64 (float64 if weights are fractions), shape (L, L)
        Symmetric; L is the total number of declared values. The block of one attribute with
        itself is diagonal and contains the frequencies of its values. The counts have read-only
        arrays: copies, if those given can be written.
    offsets : ndarray of int64, shape (m + 1,)
        The values of attribute j are the rows ``offsets[j]`` to ``offsets[j + 1] - 1``.
    n_objects : int or float
        Number of objects counted (the sum of the weights, if given).
    categories : tuple of m tuples of str, optional
        The declared domain of each attribute, in code order, if known.
    attributes : tuple of m str, optional
        Names of the attributes, if known.

    Notes
    -----
    Counts of parts add up to the counts of the whole: ``a + b``, or ``sum(parts)``. Both must have
    the same attributes. If their domains of an attribute are equal, it keeps that domain; otherwise
    it has the labels of both, sorted as text. Sums therefore do not depend on the order or grouping
    of the parts, to the bit; without declared domains they equal the counts of all rows together,
    because their domain is the sorted labels as well.
    """

    matrix: np.ndarray
    offsets: np.ndarray
    n_objects: float
    categories: tuple[tuple[str, ...], ...] | None = None
    attributes: tuple[str, ...] | None = None

    def __post_init__(self) -> None:
        matrix, offsets = self.matrix, self.offsets
        fits = (
            isinstance(matrix, np.ndarray)
            and matrix.dtype in (np.int64, np.float64)
            and isinstance(offsets, np.ndarray)
            and offsets.dtype == np.int64
            and offsets.ndim == 1
            and len(offsets) > 1
            and offsets[0] == 0
            and (np.diff(offsets) >= 0).all()
            and matrix.shape == (offsets[-1], offsets[-1])
        )
        if not fits:
            raise TableError(
                "matrix must be a square array of int64 or float64, and offsets an int64 vector "
                "that rises from 0 to its size; count a table with couplings.cooccurrence"
            )
        if self.categories is not None:
            object.__setattr__(self, "categories", tuple(map(tuple, self.categories)))
        if self.attributes is not None:
            object.__setattr__(self, "attributes", tuple(self.attributes))
        known = [labels for labels in (self.categories, self.attributes) if labels is not None]
        sizes = [len(domain) for domain in self.categories or ()]
        if any(len(labels) != self.n_attributes for labels in known) or (
            sizes and sizes != self.n_values.tolist()
        ):
            raise TableError(
                f"offsets of {self.n_attributes} attributes of {self.n_values.tolist()} values "
                "do not fit their names or domains; give one name and one domain each"
            )
        super().__post_init__()

    def __add__(self, other: object) -> Self:
        """Return the sum of both counts."""
        if not isinstance(other, CooccurrenceCounts):
            return NotImplemented
        self._check_same_attributes(other)
        n, names = self.n_objects + other.n_objects, self.attributes or other.attributes
        if self.categories == other.categories and np.array_equal(self.offsets, other.offsets):
            matrix = self.matrix + other.matrix
            return type(self)(sealed(matrix), self.offsets, n, self.categories, names)
        if self.categories is None or other.categories is None:
            raise TableError(
                f"counts of {self.n_values.tolist()} and of {other.n_values.tolist()} values "
                "cannot be added without their labels; count the tables with `cooccurrence`, "
                "which keeps the labels"
            )
        pairs = zip(self.categories, other.categories, strict=True)
        domains = tuple(reading.united(pair) for pair in pairs)
        total, at = self.reorder(domains), _positions(other.categories, domains)
        matrix = total.matrix.astype(np.result_type(total.matrix, other.matrix))
        matrix[np.ix_(at, at)] += other.matrix
        return type(self)(sealed(matrix), total.offsets, n, domains, names)

    def __radd__(self, other: object) -> Self:
        """Return these counts for 0, the start value of `sum`."""
        return self if isinstance(other, int) and other == 0 else NotImplemented

    def _check_same_attributes(self, other: "CooccurrenceCounts") -> None:
        ours, theirs = self.attributes, other.attributes
        if self.n_attributes != other.n_attributes:
            raise TableError(
                f"counts of {self.n_attributes} and of {other.n_attributes} attributes cannot be "
                "added; count the same columns"
            )
        if ours is not None and theirs is not None and ours != theirs:
            j = next(j for j, (a, b) in enumerate(zip(ours, theirs, strict=True)) if a != b)
            raise TableError(
                f"counts of different attributes cannot be added: number {j} is {ours[j]!r} here "
                f"and {theirs[j]!r} there; count the same columns in the same order"
            )

    def reorder(self, categories: Sequence[Sequence[str]] | Mapping[str, Sequence[str]]) -> Self:
        """Return the same counts over other domains.

        Parameters
        ----------
        categories : sequence of m sequences of str, or mapping from attribute to such
            The new domains, in code order; they may have further labels. Attributes not named in a
            mapping keep theirs.

        Raises
        ------
        TableError
            If the counts have no labels, or a counted value is missing from its domain.
        """
        if self.categories is None:
            raise TableError("these counts have no labels to reorder; count the table again")
        if isinstance(categories, Mapping):
            if self.attributes is None:
                raise TableError("these counts have no names; give one domain per attribute")
            reading.check_known(categories, self.attributes, "the counted table")
            before = dict(zip(self.attributes, self.categories, strict=True))
            categories = {**before, **domains_of(categories)}
        domains = tuple(domains_in_order("categories", categories, self.attributes or ()))
        if len(domains) != self.n_attributes:
            raise TableError(f"{len(domains)} domains for {self.n_attributes} attributes")
        for j, domain in enumerate(domains):
            if len(set(domain)) != len(domain):
                raise TableError(f"{self._name(j)}: a label occurs twice in its domain")
        offsets = np.cumsum([0, *map(len, domains)], dtype=np.int64)
        _check_size(offsets, domains, self.attributes)
        positions = _positions(self.categories, domains)
        lost = (positions < 0) & (self.marginals > 0)
        if lost.any():
            value = int(np.argmax(lost))
            j = int(np.searchsorted(self.offsets, value, side="right")) - 1
            raise TableError(
                f"{self._name(j)}: {self.categories[j][value - self.offsets[j]]!r} was counted "
                f"{self.marginals[value]} times and is not in the new domain; add it"
            )
        kept = positions >= 0
        matrix = np.zeros((int(offsets[-1]),) * 2, dtype=self.matrix.dtype)
        matrix[np.ix_(positions[kept], positions[kept])] = self.matrix[np.ix_(kept, kept)]
        return type(self)(sealed(matrix), sealed(offsets), self.n_objects, domains, self.attributes)

    def _name(self, j: int) -> str:
        return f"attribute {j if self.attributes is None else repr(self.attributes[j])}"

    @classmethod
    def from_batches(
        cls,
        batches: Iterable[Any],
        domains: Mapping[str, Sequence[str]] | None = None,
        missing: Labels = (),
        incomplete: str = "raise",
    ) -> "CooccurrenceCounts":
        """Count the objects of many batches one by one and return the sum.

        Parameters
        ----------
        batches : iterable
            Data accepted by `CategoricalTable.from_any`, all with the same columns.
        domains, missing
            As in `CategoricalTable.from_any`.
        incomplete : {"raise", "drop", "value"}, default "raise"
            Handling of objects with missing cells: raise an error, skip them, or count missing
            cells as the value ``?``, the last of its domain.

        Raises
        ------
        MissingValuesError
            If a cell is missing and `incomplete` is "raise".
        TableError
            If there is no batch with objects to count, if batches differ in their columns, if there
            are too many values, and whenever `CategoricalTable.from_any` would.
        """
        total = CountAccumulator(domains, missing, incomplete)
        reading.check_batches(batches)
        for batch in batches:
            total.add_columns(reading.columns_of(batch))
        return total.counts_

    def save(self, path: str | Path) -> None:
        """Write the counts to one small file (NumPy's npz, without pickle).

        The same counts give the same bytes. An existing file is replaced in one step. Raises
        `TableError` if the file cannot be written.
        """
        about, arrays = self.record()
        write_npz(reading.path_of(path), _FORMAT, _VERSION, about, **arrays)

    @classmethod
    def load(cls, path: str | Path) -> Self:
        """Read counts written by `save`.

        Raises
        ------
        TableError
            If there is no such file, it is truncated, of another kind or of another version, or
            its parts contradict each other.
        """
        path = reading.path_of(path)
        about, arrays = read_npz(path, _FORMAT, _VERSION, "co-occurrence counts")
        counts = cls.from_record(about, arrays)
        if counts is None or not counts._is_consistent():
            raise TableError(f"{path}: the counts contradict each other; write the file again")
        return counts

    def record(self) -> tuple[dict[str, Any], dict[str, np.ndarray]]:
        """Return the contents of a file of these counts: a JSON record and arrays."""
        about = {
            "n_objects": self.n_objects,
            "categories": self.categories,
            "attributes": self.attributes,
        }
        return about, {"offsets": self.offsets, "matrix": self.matrix}

    @classmethod
    def from_record(cls, about: Mapping[str, Any], arrays: Mapping[str, np.ndarray]) -> Self | None:
        """Return the counts of a file's record and arrays, None if any is missing."""
        try:
            categories, attributes = about["categories"], about["attributes"]
            return cls(
                arrays["matrix"],
                arrays["offsets"],
                about["n_objects"],
                None if categories is None else tuple(map(tuple, categories)),
                None if attributes is None else tuple(attributes),
            )
        except (KeyError, TypeError, TableError):
            return None

    def _is_consistent(self) -> bool:
        """Return whether the parts are consistent as counts of one table."""
        matrix, offsets = self.matrix, self.offsets
        if matrix.dtype not in (np.int64, np.float64) or offsets.dtype != np.int64:
            return False
        if offsets.ndim != 1 or len(offsets) < 2:
            return False
        known = [labels for labels in (self.categories, self.attributes) if labels is not None]
        sizes = self.n_values if self.categories is None else list(map(len, self.categories))
        return bool(
            all(len(labels) == self.n_attributes for labels in known)
            and np.array_equal(sizes, self.n_values)
            and offsets[0] == 0
            and (self.n_values >= 0).all()
            and matrix.shape == (offsets[-1],) * 2
            and (matrix >= 0).all()
            and (matrix == matrix.T).all()
            and np.allclose(np.add.reduceat(self.marginals, offsets[:-1]), self.n_objects, 1e-9, 0)
        )

    @property
    def n_values(self) -> np.ndarray:
        """Declared number of values of each attribute, int64 of shape (m,)."""
        return np.diff(self.offsets)

    @property
    def n_attributes(self) -> int:
        """Number of attributes, m."""
        return len(self.offsets) - 1

    @property
    def marginals(self) -> np.ndarray:
        """Frequency of each value, of shape (L,)."""
        return self.matrix.diagonal()

    def block(self, j: int, k: int) -> np.ndarray:
        """Contingency table of attributes `j` and `k`: a view of shape (v_j, v_k)."""
        offsets = self.offsets
        return self.matrix[offsets[j] : offsets[j + 1], offsets[k] : offsets[k + 1]]


Data = CooccurrenceCounts | Objects


def counts_of(data: Any) -> CooccurrenceCounts:
    """Return counts as they are, and those of a table of any kind; errors as `cooccurrence`."""
    return data if isinstance(data, CooccurrenceCounts) else cooccurrence(data)


def cooccurrence(table: Any, sample_weight: ArrayLike | None = None) -> CooccurrenceCounts:
    """Count the objects for each pair of values.

    Parameters
    ----------
    table : CategoricalTable, data frame or array_like
        Objects without missing cells, as measures take them.
    sample_weight : array_like of float, shape (n,), optional
        Multiplicity of each row, at least 0, as `CategoricalTable.distinct` returns it.

    Returns
    -------
    CooccurrenceCounts
        With one-hot matrix Z: ``Z.T @ Z``, or ``Z.T @ diag(sample_weight) @ Z``, in int64
        if all weights are whole numbers and in float64 otherwise.

    Raises
    ------
    MissingValuesError
        If a cell is missing.
    TableError
        If the data are not a table of categories, or declare more than 20,000 values altogether.
    CouplingsError
        If the weights are not one number of at least 0 per row, or all 0.
    """
    table = table_of(table)
    require_complete(table)
    offsets = table.offsets
    _check_size(offsets, table.categories, table.attributes)
    weights = check_weights("cooccurrence", sample_weight, table.n_objects)
    few_products = table.n_objects * int(offsets[-1]) ** 2 <= _FEW_PRODUCTS
    if sample_weight is None and table.n_objects <= _FEW_ROWS and few_products:
        matrix = _count_by_product(table.codes + offsets[:-1], int(offsets[-1]))
    else:
        matrix = _count(table, weights, packable=sample_weight is None)
    return CooccurrenceCounts(
        sealed(matrix), sealed(offsets), weights.sum().item(), table.categories, table.attributes
    )


def _count_by_product(values: np.ndarray, n_values: int) -> np.ndarray:
    """Return the counts of few objects with the given values."""
    indicators = np.zeros((len(values), n_values), dtype=np.float32)
    indicators[np.arange(len(values))[:, None], values] = 1.0
    return (indicators.T @ indicators).astype(np.int64)


def _count(table: CategoricalTable, weights: np.ndarray, packable: bool) -> np.ndarray:
    """Return the weighted counts of a table; `packable`: every weight is 1."""
    offsets = table.offsets
    matrix = np.zeros((int(offsets[-1]),) * 2, dtype=weights.dtype)
    packed = np.zeros(0, dtype=np.int64)
    if packable:
        narrow = np.flatnonzero(table.n_values <= _WIDEST_PACKED)
        if table.n_objects >= _FEWEST_PACKED_ROWS and len(narrow) >= 2:
            packed = narrow
            _count_packed(table.codes, packed, offsets, matrix)
    first, second = np.triu_indices(table.n_attributes)
    rest = ~(np.isin(first, packed) & np.isin(second, packed))
    pairs = np.column_stack([first[rest], second[rest]])
    if table.n_objects * len(pairs) <= _FEW_CELLS:
        _count_few(table.codes + offsets[:-1], weights, pairs, matrix)
        matrix += np.triu(matrix, 1).T
        return matrix
    from couplings._kernels import counting

    if len(pairs):
        counting.scatter(table.n_objects * len(pairs), table.codes, weights, pairs, offsets, matrix)
    counting.mirror(matrix)
    return matrix


def multipliable(counts: np.ndarray) -> np.ndarray:
    """Return counts as float64 if a product of two of them, or a sum of such, can exceed int64."""
    large = counts.dtype.kind in "iu" and counts.max(initial=0) >= _LARGEST_FACTOR
    return counts.astype(np.float64) if large else counts


def symmetric_uncertainty(counts: Any, rounding: str = "clipped") -> np.ndarray:
    """Return the symmetric uncertainty of all pairs of attributes, float64 of shape (m, m).

    ``SU(i, j) = 2 (H_i - H_i|j) / (H_i + H_j)``: 0 for independent attributes, 1 if each
    determines the other. Entry [i, j] is the uncertainty of target i given j. The diagonal is 1;
    other entries are 0 if either attribute is constant.

    Parameters
    ----------
    counts : CooccurrenceCounts, or table of any kind
        Counts of m attributes, or the objects, without missing cells.
    rounding : {"clipped", "weka"}, default "clipped"
        "clipped" returns a symmetric matrix within [0, 1], where values below 1e-12 are 0. "weka"
        reproduces the floating-point operations of Weka's ``symmetricalUncertainty``, for
        [i, j] and [j, i] separately; its noise around 0 may be negative and determines the
        order of exactly independent attributes.

    Raises
    ------
    CouplingsError
        If `rounding` is unknown.

    References
    ----------
    DILCA, TKDD 2012, eq. 2.
    """
    check_choice("symmetric_uncertainty", "rounding", rounding, ("clipped", "weka"))
    counts = counts_of(counts)
    from couplings._kernels import contexts

    if rounding == "weka":
        return contexts.uncertainty_weka(counts.matrix, counts.offsets, counts.n_objects)
    return contexts.uncertainty_clipped(counts.matrix, counts.offsets, counts.n_objects, _NOISE)


class CountAccumulator:
    """Sum the counts of batches without storing the batches.

    Parameters
    ----------
    domains, missing
        As in `CategoricalTable.from_any`.
    incomplete : {"raise", "drop", "value"}, default "raise"
        As in `CooccurrenceCounts.from_batches`.

    Attributes
    ----------
    counts_ : CooccurrenceCounts
        Counts of all batches so far.
    total : CooccurrenceCounts or None
        The running sum, in which missing cells may still be an unnamed value.
    """

    def __init__(
        self,
        domains: Mapping[str, Sequence[str]] | None = None,
        missing: Labels = (),
        incomplete: str = "raise",
    ) -> None:
        check_choice("CountAccumulator", "incomplete", incomplete, ("raise", "drop", "value"))
        self.domains = domains_of(domains)
        self.missing = MissingLabels.of(missing)
        self.incomplete = incomplete
        self.total: CooccurrenceCounts | None = None

    def add_columns(self, columns: Sequence[reading.Column], place: str = "") -> Self:
        """Add the objects of the columns of a reader; `place` is the prefix of its messages."""
        if columns and not reading.n_rows(columns):
            return self
        parts = reading.encode(columns, self.domains, self.missing, place, partial=True)
        table = CategoricalTable(*parts)
        if self.incomplete == "value":
            table = _with_absent(table)
        elif self.incomplete == "drop" and table.has_missing:
            if table.missing.any(axis=1).all():
                return self
            table = table.drop_missing()
        counts = cooccurrence(table)
        self.total = counts if self.total is None else self.total + counts
        return self

    @property
    def counts_(self) -> CooccurrenceCounts:
        """The counts of all batches so far; raises `TableError` if nothing was counted."""
        if self.total is None:
            raise TableError(
                "there are no objects to count"
                + (": every one has a missing cell" if self.incomplete == "drop" else "")
            )
        return _with_missing_last(self.total) if self.incomplete == "value" else self.total


# Label of missing cells while batches are summed; no text format can contain it.
_ABSENT = "\0missing"


def _with_absent(table: CategoricalTable) -> CategoricalTable:
    """Return the table with a value for missing cells at the end of every domain."""
    absent = table.n_values.astype(np.int64)
    codes = np.where(table.missing, absent, table.codes)
    domains = [(*domain, _ABSENT) for domain in table.categories]
    return CategoricalTable.from_codes(codes, categories=domains, attributes=table.attributes)


def _with_missing_last(counts: CooccurrenceCounts) -> CooccurrenceCounts:
    """Return the counts with missing cells, if there are any, as the last value, ``?``."""
    domains, named = [], []
    # Counts made from tables have labels.
    for j, domain in enumerate(counts.categories):  # type: ignore[arg-type]
        rest = tuple(label for label in domain if label != _ABSENT)
        n_absent = counts.block(j, j)[domain.index(_ABSENT), domain.index(_ABSENT)]
        if n_absent and MISSING_LABEL in rest:
            raise TableError(
                f"{counts._name(j)} already has a value {MISSING_LABEL!r}; list it in `missing`"
            )
        domains.append((*rest, _ABSENT) if n_absent else rest)
        named.append((*rest, MISSING_LABEL) if n_absent else rest)
    return replace(counts.reorder(domains), categories=tuple(named))


def _positions(domains: Sequence[Sequence[str]], wanted: Sequence[Sequence[str]]) -> np.ndarray:
    """Return the global index in `wanted` of each value of `domains`, -1 if absent."""
    found = []
    start = 0
    for ours, theirs in zip(domains, wanted, strict=True):
        position = {label: start + code for code, label in enumerate(theirs)}
        found += [position.get(label, -1) for label in ours]
        start += len(theirs)
    return np.array(found, dtype=np.int64)


def _check_size(
    offsets: np.ndarray, domains: Sequence[Sequence[str]], attributes: Sequence[str] | None
) -> None:
    """Raise `TableError` if the counts of these domains would be too large."""
    n_values = int(offsets[-1])
    remedy = "merge rare values or leave out wide attributes"
    if n_values > MAX_VALUES:
        sizes = [len(domain) for domain in domains]
        widest = int(np.argmax(sizes))
        name = widest if attributes is None else repr(attributes[widest])
        raise TableError(
            f"the attributes declare {n_values} values, and their counts would take "
            f"{8 * n_values**2 / 1e9:.0f} GB; the limit is {MAX_VALUES} values: {remedy} ({name} "
            f"has {sizes[widest]})"
        )
    check_memory("cooccurrence", 8.0 * n_values**2, f"the counts of {n_values} values", remedy)


def _count_few(
    values: np.ndarray, weights: np.ndarray, pairs: np.ndarray, matrix: np.ndarray
) -> None:
    """Add the weighted counts of pairs of attributes; the objects are added in their order."""
    size = len(matrix)
    cells = values[:, pairs[:, 0]] * size + values[:, pairs[:, 1]]
    found = np.bincount(cells.ravel(), np.repeat(weights, len(pairs)), size * size)
    matrix += found.reshape(size, size).astype(matrix.dtype)


def _count_packed(
    codes: np.ndarray, attributes: np.ndarray, offsets: np.ndarray, matrix: np.ndarray
) -> None:
    """Fill the upper triangle for the pairs of `attributes`, by bit columns."""
    from couplings._kernels import counting

    n_columns = np.diff(offsets)[attributes] - 1
    first = np.concatenate([[0], np.cumsum(n_columns)])
    values = np.concatenate(
        [offsets[j] + np.arange(c) for j, c in zip(attributes, n_columns, strict=True)]
    )
    n_words = -(-len(codes) // 64)
    n_blocks = -(-n_words // (7 * _LONGEST_STEP))
    step = -(-n_words // (7 * n_blocks))
    n_words = 7 * step * n_blocks
    bits = np.zeros((len(values), n_words), dtype=np.uint64)
    marginals = np.zeros(len(matrix), dtype=np.int64)
    counting.pack(codes, attributes, first, bits, marginals, offsets)
    tasks = np.column_stack(np.triu_indices(-(-len(values) // _TILE)))
    counting.count_bits(len(values) * bits.size, bits, step, _TILE, tasks, values, matrix)
    counting.complete_last_values(attributes, offsets, marginals, matrix)


def write_npz(path: Path, kind: str, version: int, about: dict[str, Any], **arrays: Any) -> None:
    """Write arrays and a record atomically; equal content gives equal bytes."""
    record = json.dumps({"format": kind, "version": version, **about})
    reading.check_writable(path)
    partial = path.with_name(path.name + ".partial")
    about_bytes = np.frombuffer(record.encode("ascii"), dtype=np.uint8)
    try:
        with partial.open("wb") as file:
            np.savez_compressed(file, about=about_bytes, **arrays)
        partial.replace(path)
    except (OSError, ValueError) as error:
        if reading.is_there(partial, Path.exists):
            partial.unlink()
        raise TableError(
            f"{path}: cannot be written: {error}; choose another name or folder"
        ) from error


def read_npz(
    path: Path, kind: str, version: int, what: str
) -> tuple[dict[str, Any], dict[str, np.ndarray]]:
    """Return the record and the arrays of a file written by `write_npz`.

    Raises `TableError` if there is no such file, or it is truncated, of another kind or version;
    `what` names the expected content, for the message.
    """
    reading.check_file(path)
    try:
        with np.load(path, allow_pickle=False) as stored:
            arrays = {name: stored[name] for name in stored.files}
        about = json.loads(bytes(arrays.pop("about")))
    except (
        *(ValueError, KeyError, TypeError, AttributeError),
        *(EOFError, OSError, zipfile.BadZipFile, zlib.error),
    ) as error:
        raise TableError(f"{path}: is truncated or does not hold {what} ({error})") from error
    if not isinstance(about, dict) or about.get("format") != kind:
        raise TableError(f"{path}: does not hold {what}")
    if about.get("version") != version:
        raise TableError(
            f"{path}: holds {what} in version {about.get('version')} of the format, this package "
            f"reads version {version}"
        )
    return about, arrays
