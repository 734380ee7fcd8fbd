"""Encoding of objects by a fit: columns by name, cells by label, and values unseen by the fit."""

import sys
import warnings
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Literal, Self

import numpy as np
from numpy.typing import ArrayLike

from couplings import reading
from couplings._checks import check_weights
from couplings.counts import CooccurrenceCounts
from couplings.errors import (
    MeasureError,
    MissingValuesError,
    TableError,
    UnknownValueWarning,
)
from couplings.table import CategoricalTable, table_of

Unknown = Literal["warn", "raise", "mismatch", "typical"]
"""Rules for values that a fit has not seen."""

Unseen = Literal["warn", "raise", "mismatch"]
"""These rules, of clusterings that leave such values out."""

MISSING_LABELS = ("?", "(missing)", "(missing cell)")


@dataclass
class Extras:
    """Labels per attribute that a fit has not seen (None: a missing cell), and a rule for each."""

    labels: list[list[str | None]]
    rules: list[list[str]]

    @classmethod
    def of(cls, n_attributes: int) -> Self:
        return cls([[] for _ in range(n_attributes)], [[] for _ in range(n_attributes)])

    def __bool__(self) -> bool:
        return any(self.labels)

    def index(self, j: int, label: str | None, rule: str) -> int:
        """Return the index of a label of attribute `j`, adding the label if it is new."""
        if label not in self.labels[j]:
            self.labels[j].append(label)
            self.rules[j].append(rule)
        return self.labels[j].index(label)


class Points(Extras):
    """Unseen values of one index per rule: the first for labels, the last for missing cells."""

    def index(self, j: int, label: str | None, rule: str) -> int:
        return 0 if label is not None else len(self.rules[j]) - 1


@dataclass(frozen=True, eq=False)
class Domains:
    """Names, labels and frequencies of a fit, by which later objects are encoded.

    `names` and `categories` are None if the data had none. `absent` holds, per attribute, values
    that only rows of weight 0 have: they are known, and count as mismatches without a warning.
    `choices` are the rules for missing cells that the estimator takes. `share` (L,) is 0 for values
    that never occur, and for missing cells under ``missing="mismatch"``; `missing_code` (m,) is -1
    without missing cells in the fit.
    """

    names: tuple[str, ...] | None
    categories: tuple[tuple[str, ...], ...] | None
    offsets: np.ndarray
    share: np.ndarray
    missing_code: np.ndarray = field(repr=False)
    absent: tuple[frozenset[str], ...] = ()
    choices: Sequence[str] = ("value", "mismatch")

    @property
    def n_attributes(self) -> int:
        return len(self.offsets) - 1

    @property
    def attributes(self) -> tuple[str, ...]:
        """Names of the attributes, ``a0``, ``a1``, ... if the data had none."""
        return self.names or tuple(f"a{j}" for j in range(self.n_attributes))

    def shares(self, j: int) -> np.ndarray:
        """Shares of the values of attribute `j`: a view."""
        return self.share[self.offsets[j] : self.offsets[j + 1]]

    @property
    def all_shares(self) -> list[np.ndarray]:
        return [self.shares(j) for j in range(self.n_attributes)]

    def labels(self, j: int) -> tuple[str, ...]:
        """Labels of the values of attribute `j`, the codes as text if there are none."""
        if self.categories is None:
            return tuple(str(x) for x in range(int(np.diff(self.offsets)[j])))
        return self.categories[j]

    def position(self, attribute: str | int) -> int:
        return reading.position_of(self.attributes, attribute)

    @classmethod
    def of_table(cls, table: CategoricalTable) -> Self:
        """Return the domains of a table without missing cells; all declared values are seen."""
        share = np.ones(int(table.offsets[-1]))
        return cls(
            table.attributes,
            table.categories,
            table.offsets,
            share,
            np.full(table.n_attributes, -1),
            choices=("value",),
        )

    @classmethod
    def of_counts(cls, counts: CooccurrenceCounts) -> Self:
        """Return the domains of counts; names and labels only if the counts have them."""
        share = counts.marginals / max(counts.n_objects, 1)
        return cls(
            counts.attributes,
            counts.categories,
            counts.offsets,
            share,
            np.full(counts.n_attributes, -1),
        )

    def encode(
        self,
        X: object,
        owner: str,
        missing: str,
        unknown: str,
        extras: Extras,
        choices: Sequence[str] | None = None,
    ) -> np.ndarray:
        """Return the codes of objects under the rules of a measure, int32 of shape (n, m).

        `choices` are the rules for missing cells that messages name, by default those of the fit.
        Without any, no rule for unseen values is named either.
        """
        # Unseen values are added to `extras`; its i-th value of attribute j gets the code ``v_j +
        # i``.
        read = None if self.categories is None else reading.label_columns(X)
        if read is not None and (known := self._known(X, read)) is not None:
            return known
        names, columns, labels_of = self._aligned(X, read, owner)
        unseen: list[str] = []
        if missing == "raise":
            absent = np.array([(column < 0).sum() for column in columns])
            if absent.any():
                named = reading.counted(names, absent)
                _refuse_missing(owner, named, self.choices if choices is None else choices)
        codes = np.empty((len(columns[0]), len(columns)), dtype=np.int32, order="F")
        sizes = np.diff(self.offsets)
        for j, (name, column, labels) in enumerate(zip(names, columns, labels_of, strict=True)):
            seen = self.shares(j) > 0
            index = {label: code for code, label in enumerate(self.labels(j)) if seen[code]}
            # One extra entry at the end: code -1, a missing cell, indexes it.
            translation = np.array([index.get(label, -1) for label in labels] + [-1])
            met = np.zeros(len(labels) + 1, dtype=bool)
            met[column] = True
            for position in np.flatnonzero(met & (translation < 0)).tolist():
                label = labels[position] if position < len(labels) else None
                if label is None and missing == "value" and self.missing_code[j] >= 0:
                    translation[position] = self.missing_code[j]
                    continue
                if label is None and missing == "ignore":
                    continue
                rule = "mismatch" if label is None and missing == "mismatch" else unknown
                if rule in ("raise", "warn") and self.absent and label in self.absent[j]:
                    rule = "mismatch"
                if rule in ("raise", "warn"):
                    row = int(np.argmax(column == (position if label is not None else -1)))
                    what = "a missing cell" if label is None else f"the value {label!r}"
                    said = f"attribute {name!r}, row {row}: fit has not seen {what}"
                    if rule == "raise":
                        more = "" if choices == () else ", or set unknown='mismatch'"
                        raise MeasureError(f"{owner}: {said}; fit on data that have it{more}")
                    unseen.append(said)
                    rule = "mismatch"
                translation[position] = sizes[j] + extras.index(j, label, rule)
            codes[:, j] = translation[column]
        if unseen:
            _warn_of_unseen(owner, unseen)
        return codes

    def knowing(self, X: object, owner: str) -> Self:
        """Return these domains with the values of rows of weight 0 as known ones."""
        if self.categories is None:
            return self
        _, columns, labels_of = self._aligned(X, reading.label_columns(X), owner)
        absent = tuple(
            frozenset(labels[code] for code in np.unique(column[column >= 0]).tolist())
            for column, labels in zip(columns, labels_of, strict=True)
        )
        return replace(self, absent=absent)

    def known(self, X: object) -> np.ndarray | None:
        """Return the codes of objects that need no rule, int32 of shape (n, m), or None."""
        return None if self.categories is None else self._known(X, reading.label_columns(X))

    def _known(self, X: object, read: Sequence[reading.Column]) -> np.ndarray | None:
        """Return the codes of complete objects whose attributes and values the fit has seen."""
        # None if any is missing or new, or if the attributes come in another order.
        if len(read) != self.n_attributes or not reading.n_rows(read):
            return None
        ours = self.names
        if ours is not None and has_names(X) and ours != tuple(column.name for column in read):
            return None
        codes = np.empty((reading.n_rows(read), len(read)), dtype=np.int32, order="F")
        for j, (column, code_of) in enumerate(zip(read, self._code_of, strict=True)):
            row = 0
            if column.declared is not None and len(set(column.declared)) < len(column.declared):
                return None
            for positions, labels in column.chunks:
                # One extra entry at the end: a missing cell indexes it.
                found = np.array([*(code_of.get(label, -1) for label in labels), -1], np.int32)
                part = codes[row : row + len(positions), j]
                np.take(found, positions, out=part, mode="wrap")
                row += len(positions)
                if part.min(initial=0) < 0:
                    return None
        return codes

    @cached_property
    def _code_of(self) -> list[dict[str, int]]:
        """Codes by label of the values of each attribute that occur."""
        return [
            {label: x for x, label in enumerate(self.labels(j)) if self.shares(j)[x] > 0}
            for j in range(self.n_attributes)
        ]

    def _aligned(
        self, X: object, read: Sequence[reading.Column] | None, owner: str
    ) -> tuple[Sequence[str], list[np.ndarray], list[Sequence[str]]]:
        """Return names, codes and labels of the columns of X, in the order of the fit."""
        if read is None:
            expected = np.diff(self.offsets)
            if not isinstance(X, CategoricalTable) or not np.array_equal(X.n_values, expected):
                raise MeasureError(
                    f"{owner} was fitted on counts without labels, so it takes only tables that "
                    f"declare {expected.tolist()} values per attribute"
                )
            return X.attributes, list(X.codes.T), [self.labels(j) for j in range(len(expected))]
        # All cells of a column may be missing.
        every = {
            one.name: one.declared or sorted({label for _, part in one.chunks for label in part})
            for one in read
        }
        codes, labels, names = reading.encode(read, every, ())
        wanted = self.names
        if wanted is None or not has_names(X):
            # Columns without names match those of the fit by order.
            wanted = names if len(names) == self.n_attributes else self.attributes
        order = reading.order_of(owner, names, wanted)
        return wanted, [codes[:, k] for k in order], [labels[k] for k in order]


def learn_domains(
    X: object,
    owner: str,
    missing: str,
    sample_weight: ArrayLike | None = None,
    choices: Sequence[str] = ("value", "mismatch"),
) -> tuple[CategoricalTable, Domains]:
    """Read the data of a fit; missing cells become a value, or stay -1 under the rule "ignore".

    `choices` are the rules for missing cells that the owner takes, for messages.
    """
    table = table_of(X)
    if table is not X and sample_weight is None and table.n_objects < 2:
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
            _refuse_missing(owner, reading.counted(table.attributes, absent), choices)
        if missing != "ignore":
            used = set().union(*table.categories)
            free = [label for label in MISSING_LABELS if label not in used]
            if not free:
                raise TableError(
                    f"the labels {', '.join(MISSING_LABELS)} are all in use; rename one of them"
                )
            table = table.missing_as_value(free[0])
    code = np.where((absent > 0) & (missing != "ignore"), table.n_values - 1, -1)
    weights = check_weights(owner, sample_weight, table.n_objects)
    share = np.concatenate(
        [
            np.bincount(column[column >= 0], weights[column >= 0], size) / weights.sum()
            for column, size in zip(table.codes.T, table.n_values, strict=True)
        ]
    )
    if missing == "mismatch":
        share[(table.offsets[:-1] + code)[code >= 0]] = 0.0
    domains = Domains(names, table.categories, table.offsets, share, code, choices=choices)
    return table, domains


def has_names(X: object) -> bool:
    """Return whether data name their columns (tables and data frames do, arrays do not)."""
    return isinstance(X, CategoricalTable) or hasattr(X, "columns") or hasattr(X, "column_names")


def _warn_of_unseen(owner: str, unseen: list[str]) -> None:
    """Warn of the first unseen value, and of the number of further ones."""
    more = f" (and {len(unseen) - 1} more values)" if len(unseen) > 1 else ""
    warnings.warn(
        f"{owner}: {unseen[0]}{more}; it counts as different from every value. Set "
        "unknown='mismatch' to accept this, or unknown='raise' to refuse such values",
        UnknownValueWarning,
        stacklevel=caller_level(),
    )


def caller_level() -> int:
    """Return the `stacklevel`, seen from the caller of this function, of code outside couplings."""
    frame, level = sys._getframe(1), 1
    while frame.f_back is not None and _is_ours(frame.f_globals.get("__name__", "")):
        frame, level = frame.f_back, level + 1
    return level


def _is_ours(module: str) -> bool:
    return module == "couplings" or module.startswith("couplings.")


_RULES = {
    "value": "to take them as a value of their own",
    "mismatch": "to let them differ from every value",
    "ignore": "to leave them out",
    "nan": "to leave them out, where nothing is left with the result NaN",
}


def _refuse_missing(owner: str, named: str, choices: Sequence[str]) -> None:
    rules = [f"{owner}(missing={one!r}) {_RULES[one]}" for one in choices]
    remedy = f"set {' or '.join(rules)}, or fill or drop them" if rules else "fill or drop them"
    raise MissingValuesError(f"missing cells in {named} (NaN): {remedy}")
