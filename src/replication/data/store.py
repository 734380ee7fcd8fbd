"""Store tables and similarities as NumPy archives, without pickle.

An archive holds arrays and one JSON text ``content``: by preparation, the `Tables` or the
`Similarity`, with references to the arrays. Archives are byte-identical for identical content.
"""

import json
from collections.abc import Collection, Mapping
from dataclasses import dataclass, field, fields, is_dataclass
from pathlib import Path
from typing import Any

import numpy as np

from couplings.errors import MeasureError
from replication.errors import UserError
from replication.files import atomic_write
from replication.steps import load_class

_CLASSES = {
    "CategoricalTable": "couplings.table",
    "MixedTable": "couplings.mixed",
    "ObjectSpace": "couplings.spaces",
    "ValueMatrices": "couplings.values",
    **dict.fromkeys(("Tables", "Fit", "Similarity"), __name__),
}
"""Module of each class that an archive may hold, imported when one is read."""


@dataclass(frozen=True)
class Tables:
    """The prepared tables of one (paper, data set, preparation).

    Attributes
    ----------
    facts : dict
        ``status``, ``reason``, ``classes`` (label texts in code order), ``label_cuts``
        (attributes that were cut with the class labels) and counts.
    tables : list of CategoricalTable or MixedTable
        One table, or one per random sample. Empty if the data set is unavailable. Mixed where
        the preparation keeps numbers.
    labels : list of ndarray of int64, shape (n,)
        Class codes of the objects, one array per table.
    rows : list of ndarray of int64, shape (n,)
        Row of each object in the prepared table, one array per table, if objects were left out;
        else empty.
    """

    facts: dict[str, Any]
    tables: list[Any] = field(default_factory=list)
    labels: list[np.ndarray] = field(default_factory=list)
    rows: list[np.ndarray] = field(default_factory=list)

    def __post_init__(self) -> None:
        """Check that every object has a label."""
        if [len(one) for one in self.labels] != [one.n_objects for one in self.tables]:
            raise ValueError("labels and tables have different numbers of objects")


@dataclass(frozen=True)
class Fit:
    """One measure at one setting, fitted on every table of a preparation.

    Attributes
    ----------
    measure : str
        Id.
    setting : dict
        Parameters that are varied; empty for a measure without a grid.
    spaces : list of ObjectSpace, or ndarray of float64, shape (n, d)
        One per table. Of a measure that represents whole objects, their vectors.
    contexts : list of ndarray of bool, shape (m, m)
        ``contexts[s][target, attribute]``; empty unless the measure chooses a context.
    reason : str
        Why the measure refused the tables; `spaces` is empty then.
    """

    measure: str
    setting: dict[str, Any]
    spaces: list[Any] = field(default_factory=list)
    contexts: list[np.ndarray] = field(default_factory=list)
    reason: str = ""


@dataclass(frozen=True)
class Similarity:
    """Measures fitted on the tables of one preparation.

    Attributes
    ----------
    facts : dict
        ``status``, ``reason``, ``label_cuts`` of the tables.
    fits : list of Fit
        In the order of the specification.
    """

    facts: dict[str, Any]
    fits: list[Fit] = field(default_factory=list)

    def fit(self, measure: str, **setting: Any) -> Fit:
        """Return the fit of a measure with these parameters.

        Raises `MeasureError` if the measure refused the tables.
        """
        found = [fit for fit in self.fits if fit.measure == measure]
        if reason := next((fit.reason for fit in found if fit.reason), ""):
            raise MeasureError(reason)
        return next(fit for fit in found if fit.setting == setting)


def write_archive(path: Path, content: Mapping[str, Tables | Similarity]) -> None:
    """Write tables or similarities, by preparation, to one archive."""
    arrays: dict[str, Any] = {}
    packed = {name: _packed(one, arrays) for name, one in content.items()}
    text = np.array(json.dumps(packed, sort_keys=True, ensure_ascii=False))
    with atomic_write(path) as partial, partial.open("wb") as stream:
        np.savez_compressed(stream, content=text, **arrays)


def _packed(content: Any, arrays: dict[str, np.ndarray]) -> Any:
    """Return dataclasses, tuples and arrays as objects of JSON; the arrays join the others."""
    match content:
        case np.ndarray():
            name = f"array{len(arrays)}"
            arrays[name] = content
            return {"array": name}
        case tuple():
            return {"tuple": _packed(list(content), arrays)}
        case list():
            return [_packed(one, arrays) for one in content]
        case _ if is_dataclass(content):
            parts = {one.name: getattr(content, one.name) for one in fields(content)}
            packed = {name: _packed(one, arrays) for name, one in parts.items()}
            return {"class": type(content).__name__, "parts": packed}
    return content


def _unpacked(content: Any, arrays: Mapping[str, np.ndarray]) -> Any:
    """Return what `_packed` was given."""
    match content:
        case {"array": name}:
            return arrays[name]
        case {"tuple": found}:
            return tuple(_unpacked(found, arrays))
        case {"class": name, "parts": parts}:
            made = load_class(f"{_CLASSES[name]}:{name}")
            return made(**{key: _unpacked(one, arrays) for key, one in parts.items()})
        case list():
            return [_unpacked(one, arrays) for one in content]
    return content


def read_archive(path: Path, preparation: str, measures: Collection[str] = ()) -> Any:
    """Read the `Tables` of one preparation, or of its `Similarity` the fits of some measures.

    Raises `UserError` if the file is not such an archive, for any reason.
    """
    try:
        with np.load(path, allow_pickle=False) as archive:
            packed = json.loads(str(archive["content"]))[preparation]
            if fits := packed["parts"].get("fits"):
                fits[:] = [one for one in fits if one["parts"]["measure"] in measures]
            return _unpacked(packed, archive)
    except Exception as error:
        # NumPy's message about an object array advises loading it nevertheless
        held = "objects" if "pickle" in str(error) else f"{type(error).__name__}: {error}"
        raise UserError(
            f"{path}: not a readable archive of this workflow ({held}); delete the file and run "
            "the workflow again"
        ) from error
