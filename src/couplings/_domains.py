"""Objects in the terms of a fit: columns by name, cells by label, and what the fit has not seen."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Self

import numpy as np

from couplings import reading
from couplings._params import check_choice, did_you_mean
from couplings.counts import CooccurrenceCounts
from couplings.errors import MeasureError, MissingValuesError, TableError
from couplings.table import CategoricalTable

MISSING_RULES = ("raise", "value", "mismatch")
UNKNOWN_RULES = ("raise", "mismatch", "typical")
_MISSING_LABELS = ("?", "(missing)", "(missing cell)")


@dataclass
class Extras:
    """Values of queried objects that the fit has not seen, numbered after those it has.

    Attributes
    ----------
    labels : list of m lists
        Labels in the order in which they were met; None is a missing cell.
    rules : list of m lists of {"mismatch", "typical"}
        How far each of them is from the values of the fit.
    """

    labels: list[list[str | None]]
    rules: list[list[str]]

    @classmethod
    def of(cls, n_attributes: int) -> Self:
        """Return none, for each of so many attributes."""
        return cls([[] for _ in range(n_attributes)], [[] for _ in range(n_attributes)])

    def __bool__(self) -> bool:
        """Whether there are any."""
        return any(self.labels)

    def index(self, j: int, label: str | None, rule: str) -> int:
        """Return the number of a label of attribute `j` among them, a new one if it is new."""
        if label not in self.labels[j]:
            self.labels[j].append(label)
            self.rules[j].append(rule)
        return self.labels[j].index(label)


@dataclass(frozen=True, eq=False)
class Domains:
    """What a fit has seen: the names, labels and frequencies that later objects are read by.

    Parameters
    ----------
    names : tuple of m str or None
        Names of the attributes; None if the data had none.
    categories : tuple of m tuples of str or None
        Labels in code order; None after a fit on counts without labels.
    offsets : ndarray of int64, shape (m + 1,)
        Of the values of all attributes, side by side.
    share : ndarray of float64, shape (L,)
        Share of the objects that have each value; 0 for a value that never occurs, and for the
        slot of missing cells under ``missing="mismatch"``.
    missing_code : ndarray of int64, shape (m,)
        Code under which missing cells were learned, -1 where there were none.
    """

    names: tuple[str, ...] | None
    categories: tuple[tuple[str, ...], ...] | None
    offsets: np.ndarray
    share: np.ndarray
    missing_code: np.ndarray = field(repr=False)

    @property
    def n_attributes(self) -> int:
        """Number of attributes."""
        return len(self.offsets) - 1

    @property
    def attributes(self) -> tuple[str, ...]:
        """Names of the attributes, ``a0``, ``a1``, ... if the data had none."""
        return self.names or tuple(f"a{j}" for j in range(self.n_attributes))

    def shares(self, j: int) -> np.ndarray:
        """Shares of the values of attribute `j`: a view."""
        return self.share[self.offsets[j] : self.offsets[j + 1]]

    def labels(self, j: int) -> tuple[str, ...]:
        """Labels of the values of attribute `j`, the codes as text if there are none."""
        if self.categories is None:
            return tuple(str(x) for x in range(int(np.diff(self.offsets)[j])))
        return self.categories[j]

    def position(self, attribute: str | int) -> int:
        """Return the position of an attribute, by name or position, or raise `MeasureError`."""
        names = list(self.attributes)
        if isinstance(attribute, str):
            if attribute not in names:
                raise MeasureError(
                    f"no attribute is called {attribute!r}{did_you_mean(attribute, names)}; the "
                    f"attributes: {', '.join(names)}"
                )
            return names.index(attribute)
        if not -len(names) <= attribute < len(names):
            raise MeasureError(
                f"attribute {attribute} is out of range; there are {len(names)}, counted from 0"
            )
        return int(attribute) % len(names)

    @classmethod
    def of_counts(cls, counts: CooccurrenceCounts) -> Self:
        """Return what counts tell; names and labels only if they carry them."""
        share = counts.marginals / max(counts.n_objects, 1)
        return cls(
            counts.attributes,
            counts.categories,
            counts.offsets,
            share,
            np.full(counts.n_attributes, -1),
        )

    def encode(
        self, X: object, owner: str, missing: str, unknown: str, extras: Extras
    ) -> np.ndarray:
        """Return the codes of objects, int32 of shape (n, m).

        Parameters
        ----------
        X : CategoricalTable, data frame or array_like
            Objects.
        owner : str
            Name of the estimator, for messages.
        missing, unknown : str
            The rules, as every measure takes them.
        extras : Extras
            Receives what is new; its i-th value of attribute j gets the code ``v_j + i``.

        Raises
        ------
        MissingValuesError
            If a cell is missing and the rule is "raise".
        MeasureError
            If there are other attributes than in the fit, or if a value is unknown and the rule
            is "raise".
        """
        names, columns, labels_of = self._aligned(X, owner)
        if missing == "raise":
            absent = np.array([(column < 0).sum() for column in columns])
            if absent.any():
                _refuse_missing(owner, reading.counted(names, absent))
        codes = np.empty((len(columns[0]), len(columns)), dtype=np.int32, order="F")
        sizes = np.diff(self.offsets)
        for j, (name, column, labels) in enumerate(zip(names, columns, labels_of, strict=True)):
            seen = self.shares(j) > 0
            index = {label: code for code, label in enumerate(self.labels(j)) if seen[code]}
            # One more entry than labels: code -1, a missing cell, lands on it.
            translation = np.array([index.get(label, -1) for label in labels] + [-1])
            met = np.zeros(len(labels) + 1, dtype=bool)
            met[column] = True
            for position in np.flatnonzero(met & (translation < 0)).tolist():
                label = labels[position] if position < len(labels) else None
                if label is None and missing == "value" and self.missing_code[j] >= 0:
                    translation[position] = self.missing_code[j]
                    continue
                rule = "mismatch" if label is None and missing == "mismatch" else unknown
                if rule == "raise":
                    row = int(np.argmax(column == (position if label is not None else -1)))
                    what = "a missing cell" if label is None else f"the value {label!r}"
                    raise MeasureError(
                        f"{owner}: attribute {name!r}, row {row}: fit has not seen {what}; fit on "
                        "data that have it, or set unknown='mismatch' or unknown='typical'"
                    )
                translation[position] = sizes[j] + extras.index(j, label, rule)
            codes[:, j] = translation[column]
        return codes

    def _aligned(
        self, X: object, owner: str
    ) -> tuple[Sequence[str], list[np.ndarray], list[Sequence[str]]]:
        """Return names, codes and labels of the columns of X, in the order of the fit."""
        if self.categories is None:
            expected = np.diff(self.offsets)
            if not isinstance(X, CategoricalTable) or not np.array_equal(X.n_values, expected):
                raise MeasureError(
                    f"{owner} was fitted on counts without labels, so it takes only tables that "
                    f"declare {expected.tolist()} values per attribute"
                )
            return X.attributes, list(X.codes.T), [self.labels(j) for j in range(len(expected))]
        names, columns, labels = _read(X)
        if len(names) != self.n_attributes:
            raise MeasureError(
                f"X has {len(names)} features, but {owner} is expecting "
                f"{self.n_attributes} features as input"
            )
        if not has_names(X) or self.names in (None, names):
            return names, columns, labels
        if set(names) != set(self.names):
            new = [name for name in names if name not in self.names]
            gone = [name for name in self.names if name not in names]
            raise MeasureError(
                f"{owner}: the feature names should match those of fit; not seen in fit: "
                f"{', '.join(new)}; missing now: {', '.join(gone)}"
            )
        order = [names.index(name) for name in self.names]
        return self.names, [columns[k] for k in order], [labels[k] for k in order]


def learn_domains(X: object, owner: str, missing: str) -> tuple[CategoricalTable, Domains]:
    """Read the data of a fit.

    Parameters
    ----------
    X : CategoricalTable, data frame or array_like
        At least two objects.
    owner : str
        Name of the estimator, for messages.
    missing : {"raise", "value", "mismatch"}
        Rule for missing cells.

    Returns
    -------
    table : CategoricalTable
        Complete: missing cells hold a value of their own.
    domains : Domains

    Raises
    ------
    MissingValuesError
        If a cell is missing and the rule is "raise".
    TableError
        If the data are no table of at least two objects, or an attribute is missing throughout.
    """
    table = X if isinstance(X, CategoricalTable) else CategoricalTable.from_any(_labels(X))
    if table.n_objects < 2 and not isinstance(X, CategoricalTable):
        raise TableError(
            "the data have 1 sample (row); at least two are needed to learn from their values"
        )
    names = table.attributes if has_names(X) else None
    absent = (table.codes < 0).sum(axis=0)
    if (absent == table.n_objects).any():
        name = table.attributes[int(np.argmax(absent == table.n_objects))]
        raise TableError(f"column {name!r} has missing values only; drop it")
    if absent.any():
        if missing == "raise":
            _refuse_missing(owner, reading.counted(table.attributes, absent))
        table = table.missing_as_value(_free_label(table))
    code = np.where(absent > 0, table.n_values - 1, -1)
    share = np.concatenate(
        [
            np.bincount(column, minlength=size) / table.n_objects
            for column, size in zip(table.codes.T, table.n_values, strict=True)
        ]
    )
    if missing == "mismatch":
        share[(table.offsets[:-1] + code)[code >= 0]] = 0.0
    return table, Domains(names, table.categories, table.offsets, share, code)


def has_names(X: object) -> bool:
    """Tell whether data name their columns (tables and data frames do, arrays do not)."""
    return isinstance(X, CategoricalTable) or hasattr(X, "columns") or hasattr(X, "column_names")


def _read(X: object) -> tuple[tuple[str, ...], list[np.ndarray], list[Sequence[str]]]:
    """Return names, codes and labels of the columns of data; a column may be missing throughout."""
    if isinstance(X, CategoricalTable):
        return X.attributes, list(X.codes.T), list(X.categories)
    columns = reading.columns_of(_labels(X))
    every = {
        one.name: one.declared or sorted({label for _, part in one.chunks for label in part})
        for one in columns
    }
    codes, categories, names = reading.encode(columns, every, ())
    return names, list(codes.T), list(categories)


def _labels(X: object) -> object:
    """Return data as `CategoricalTable.from_any` reads them: of an array, numbers are labels."""
    if hasattr(X, "tocsr"):
        raise TableError(
            "sparse data hold no categories; pass a dense array, or a CategoricalTable"
        )
    if has_names(X) or hasattr(X, "__arrow_c_stream__") or hasattr(X, "collect"):
        return X
    if isinstance(X, list | tuple) and all(isinstance(row, list | tuple) for row in X) and X:
        return X
    array = X if isinstance(X, np.ndarray) else np.asarray(X)
    if array.ndim == 1:
        raise TableError(
            "Expected 2D array, got 1D array instead: Reshape your data, one row per object"
        )
    if array.ndim != 2:
        raise TableError(f"data must be a 2-D array of labels, not {array.ndim}-D {array.dtype}")
    if 0 in array.shape:
        axis = "sample" if len(array) == 0 else "feature"
        raise TableError(
            f"Found array with 0 {axis}(s) (shape={array.shape}) while a minimum of 1 is required."
        )
    if array.dtype.kind == "c":
        raise TableError("Complex data not supported: complex numbers are no labels")
    if array.dtype.kind not in "if":
        return array
    absent = np.ma.getmaskarray(array)
    values = np.ma.getdata(array)
    if array.dtype.kind == "f":
        if np.isinf(values).any():
            raise TableError("the array holds infinite numbers (inf), which are no labels")
        absent = absent | np.isnan(values)
    text = np.empty(values.shape, dtype=object)
    for j, column in enumerate(values.T):
        found, positions = np.unique(column, return_inverse=True)
        # 1.0 is the label "1", as the integer 1 is.
        whole = found[np.isfinite(found)] % 1 == 0
        names = [str(int(x)) for x in found[: len(whole)]] if whole.all() else map(str, found)
        text[:, j] = np.array([*names, "nan"], dtype=object)[positions]
    text[absent] = None
    return text


def check_rules(owner: str, missing: str, unknown: str) -> None:
    """Raise `CouplingsError` unless both rules are known."""
    check_choice(owner, "missing", missing, MISSING_RULES)
    check_choice(owner, "unknown", unknown, UNKNOWN_RULES)


def _free_label(table: CategoricalTable) -> str:
    used: Sequence[str] = [label for domain in table.categories for label in domain]
    for label in _MISSING_LABELS:
        if label not in used:
            return label
    raise TableError(f"the labels {', '.join(_MISSING_LABELS)} are all in use; rename one of them")


def _refuse_missing(owner: str, named: str) -> None:
    raise MissingValuesError(
        f"missing cells in {named} (NaN): set {owner}(missing='value') to take them as a value of "
        "their own or missing='mismatch' to let them differ from every value, or fill or drop them"
    )
