"""Labels as text, and arguments that list labels or columns."""

import re
from collections.abc import Iterable, Mapping, Sequence, Set
from dataclasses import dataclass
from decimal import Decimal
from typing import Any, Self

import numpy as np

from couplings._checks import did_you_mean
from couplings.errors import TableError

# A leading zero marks a code (ZIP 02139), and so does an exponent between whole numbers without a
# sign (room 1E3): programs write numbers as 1e+03, 1e-03 or 1.0E3.
_MOST_NAMED = 100
_CODE = re.compile(r"[+-]?(0\d.*|\d+[eE]\d+)")


def text_of(label: object) -> str:
    """Return the text of a label; whole numbers as integers, so that 10.0 is 10 and -0.0 is 0.

    Libraries convert a column of integers to floats as soon as one of its cells is missing.

    `TableError` if the label's own class cannot give a text.
    """
    if isinstance(label, float | np.floating) and label.is_integer():
        return str(int(label))
    if isinstance(label, Decimal) and label.is_finite():
        whole = label == label.to_integral_value()
        return str(int(label)) if whole else format(label.normalize(), "f")
    try:
        return str(label)
    except Exception as error:  # code of the label's own class
        raise TableError(
            f"a label of type {type(label).__name__} has no text: {type(error).__name__}; turn the "
            "labels into text first"
        ) from error


def number_of(label: str) -> float | None:
    """Return the number that a label is, None if it is none.

    Codes are none: digits after a leading zero, and a letter E between digits.
    """
    try:
        # Python's own notation 1_000 is a label.
        return None if "_" in label or _CODE.fullmatch(label.strip()) else float(label)
    except ValueError:
        return None


def elements(argument: str, given: Any) -> tuple[Any, ...]:
    """Return the elements of an argument that lists labels, columns or numbers.

    The rule of all such arguments: a text or a number is one element, None is no element, a set is
    sorted as text. `TableError` if it is a mapping, a table, or a list of lists.
    """
    if given is None:
        return ()
    if isinstance(given, bytes | Mapping) or hasattr(given, "columns"):
        raise TableError(
            f"{argument}: a {type(given).__name__} is no list of elements; pass a list"
        )
    if isinstance(given, str | np.generic) or not hasattr(given, "__iter__"):
        return (given,)
    if isinstance(given, np.ndarray) and given.ndim == 0:
        return (given.item(),)
    found = tuple(sorted(given, key=text_of) if isinstance(given, Set) else given)
    nested = [one for one in found if isinstance(one, list | tuple | Mapping | Set | np.ndarray)]
    if nested:
        raise TableError(
            f"{argument}: the element {nested[0]!r} is a {type(nested[0]).__name__}; pass one "
            "list of elements"
        )
    return found


def names_of(argument: str, given: Any) -> tuple[str, ...]:
    """Return the names of columns that an argument lists, by the rule of `elements`."""
    return tuple(str(name) for name in elements(argument, given))


def domain_of(argument: str, given: Any) -> tuple[str, ...]:
    """Return the labels of a domain: a list as in `elements`, or a type with categories."""
    if type(given) is tuple and all(type(label) is str for label in given):
        return given
    return tuple(map(text_of, elements(argument, getattr(given, "categories", given))))


def domains_of(domains: Any) -> dict[str, tuple[str, ...]]:
    """Return declared domains by column, or raise `TableError` if they are no mapping."""
    if domains is None:
        return {}
    if not isinstance(domains, Mapping):
        raise TableError(
            f"domains: a {type(domains).__name__} does not say of which column; pass a mapping "
            "from column to its labels"
        )
    return {str(name): domain_of(f"domains[{name!r}]", one) for name, one in domains.items()}


def domains_in_order(argument: str, given: Any, names: Sequence[str]) -> list[tuple[str, ...]]:
    """Return a domain per column: of a list of domains in order, or of a mapping by name."""
    if isinstance(given, Mapping):
        of_column = domains_of(given)
        check_known(of_column, names, f"{argument}: the table")
        check_known(names, of_column, argument)
        return [of_column[name] for name in names]
    if isinstance(given, str | bytes | Set) or not hasattr(given, "__iter__"):
        raise TableError(
            f"{argument}: a {type(given).__name__} is no list of domains; pass one list of labels "
            "per column"
        )
    return [domain_of(argument, domain) for domain in given]


def check_known(wanted: Iterable[str], names: Iterable[str], place: str) -> None:
    """Raise `TableError` if a wanted column is not among the names."""
    known = [str(name) for name in names]
    among = set(known)
    for name in wanted:
        if str(name) not in among:
            named = known[:_MOST_NAMED]
            raise TableError(
                f"{place} has no column {name!r}{did_you_mean(name, named)}; its columns: "
                f"{', '.join(named)}{' ...' if len(known) > len(named) else ''}"
            )


@dataclass(frozen=True)
class MissingLabels:
    """Labels of missing cells.

    Parameters
    ----------
    of_all : frozenset of str
        In every column.
    of_column : mapping from column to frozenset of str
        Further ones of single columns.
    """

    of_all: frozenset[str] = frozenset()
    of_column: Mapping[str, frozenset[str]] | None = None

    @classmethod
    def of(cls, given: Any, default: Sequence[str] = ()) -> Self:
        """Read an argument `missing`.

        A list replaces `default`; a mapping from columns to labels adds to it. A cell that is None
        or NaN is always missing.
        """
        if isinstance(given, cls):
            return given
        if isinstance(given, Mapping):
            return cls(
                frozenset(default),
                {str(name): _labels(f"missing[{name!r}]", one) for name, one in given.items()},
            )
        return cls(_labels("missing", given))

    def __bool__(self) -> bool:
        return bool(self.of_all or self.of_column)

    def check(self, names: Sequence[str], place: str) -> None:
        """Raise `TableError` if a column with missing labels of its own does not exist."""
        check_known(self.of_column or (), names, f"missing: {place}")

    def labels(self, column: str) -> frozenset[str]:
        """Return the labels of missing cells of a column."""
        return self.of_all | (self.of_column or {}).get(column, frozenset())

    def record(self) -> list[Any]:
        """Return JSON values that identify the labels."""
        own = {name: sorted(labels) for name, labels in sorted((self.of_column or {}).items())}
        return [*sorted(self.of_all), *([own] if own else [])]


def _labels(argument: str, given: Any) -> frozenset[str]:
    found = elements(argument, given)
    return frozenset(text_of(one) for one in found if not _is_null(one))


def _is_null(one: Any) -> bool:
    return (
        one is None
        or (isinstance(one, float | np.floating) and bool(np.isnan(one)))
        or (type(one).__name__ in ("NAType", "NaTType"))
    )
