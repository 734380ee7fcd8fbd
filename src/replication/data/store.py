"""Files between the steps: tables and similarities as NumPy archives, read without pickle.

Every archive carries a JSON text `facts` with at least ``status`` (``ok`` or ``unavailable``)
and ``reason``. Archives are byte-identical for identical content.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Collection, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from couplings.errors import MeasureError
from couplings.mixed import MixedTable
from couplings.table import CategoricalTable
from couplings.values import ValueMatrices
from replication.errors import UserError
from replication.files import atomic_write

if TYPE_CHECKING:
    from couplings.spaces import ObjectSpace


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
    tables: list[CategoricalTable | MixedTable] = field(default_factory=list)
    labels: list[np.ndarray] = field(default_factory=list)
    rows: list[np.ndarray] = field(default_factory=list)


@dataclass(frozen=True)
class Fit:
    """One measure under one setting, learnt of every table of a preparation.

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
    spaces: list[ObjectSpace | np.ndarray] = field(default_factory=list)
    contexts: list[np.ndarray] = field(default_factory=list)
    reason: str = ""


@dataclass(frozen=True)
class Similarity:
    """What measures have learnt of the tables of one preparation.

    Attributes
    ----------
    facts : dict
        ``status``, ``reason``, ``label_cuts`` of the tables.
    fits : list of Fit
        In the order of the specification.
    """

    facts: dict[str, Any]
    fits: list[Fit] = field(default_factory=list)

    def under(self, measure: str) -> list[Fit]:
        """Fits of a measure, one per setting.

        Raises
        ------
        MeasureError
            If the measure refused the tables.
        """
        found = [fit for fit in self.fits if fit.measure == measure]
        for fit in found:
            if fit.reason:
                raise MeasureError(fit.reason)
        return found

    def of(self, measure: str, **parameters: Any) -> ObjectSpace | np.ndarray:
        """Space or vectors of the first table by a measure with these parameters.

        Raises
        ------
        MeasureError
            If the measure refused the table.
        KeyError
            If it was not asked to learn it with these parameters.
        """
        for fit in self.fits:
            if (fit.measure, fit.setting) == (measure, parameters):
                if fit.reason:
                    raise MeasureError(fit.reason)
                return fit.spaces[0]
        raise KeyError(f"{measure} {parameters}")


def _write(path: Path, arrays: dict[str, np.ndarray], facts: dict[str, Any]) -> None:
    text = json.dumps(facts, sort_keys=True, ensure_ascii=False)
    with atomic_write(path) as partial, partial.open("wb") as stream:
        np.savez_compressed(stream, facts=np.array(text), **arrays)


@contextmanager
def _opened(path: Path, part: str) -> Iterator[tuple[dict[str, Any], Callable[..., np.ndarray]]]:
    """Facts of one part of an archive, and a function that reads an array of it.

    Whatever is wrong with the archive gets one message; zip has a checksum of every array.
    """
    try:
        with np.load(path, allow_pickle=False) as archive:
            facts = json.loads(str(archive["facts"]))[part]

            def array(*names: object) -> np.ndarray:
                return archive["/".join(map(str, (part, *names)))]

            yield facts, array
    except Exception as error:
        # NumPy's message about an object array advises loading it nevertheless
        held = "objects" if "pickle" in str(error) else f"{type(error).__name__}: {error}"
        raise UserError(
            f"{path}: not a readable archive of this workflow ({held}); delete the file and run "
            "the workflow again"
        ) from error


def write_tables(path: Path, tables: Mapping[str, Tables]) -> None:
    """Write tables and labels of every preparation, by its id, to one archive."""
    arrays: dict[str, np.ndarray] = {}
    for preparation, one in tables.items():
        for s, (table, labels) in enumerate(zip(one.tables, one.labels, strict=True)):
            part = f"{preparation}/{s}"
            if isinstance(table, MixedTable):
                arrays[f"{part}/numbers"] = table.numeric
                arrays[f"{part}/names"] = np.array(table.names, dtype=np.str_)
                table = table.categorical
            if one.rows:
                arrays[f"{part}/rows"] = one.rows[s]
            arrays[f"{part}/codes"] = table.codes
            arrays[f"{part}/labels"] = labels.astype(np.int64)
            arrays[f"{part}/attributes"] = np.array(table.attributes, dtype=np.str_)
            arrays[f"{part}/n_values"] = table.n_values
            arrays[f"{part}/categories"] = np.array(
                [value for categories in table.categories for value in categories], dtype=np.str_
            )
    facts = {
        preparation: {
            **one.facts,
            "tables": len(one.tables),
            "mixed": any(isinstance(table, MixedTable) for table in one.tables),
            "partial": bool(one.rows),
        }
        for preparation, one in tables.items()
    }
    _write(Path(path), arrays, facts)


def read_tables(path: Path, preparation: str) -> Tables:
    """Read one preparation of what `write_tables` wrote.

    Raises
    ------
    UserError
        If the file is not such an archive.
    """
    tables: list[CategoricalTable | MixedTable] = []
    labels, rows = [], []
    with _opened(path, preparation) as (facts, array):
        for s in range(facts["tables"]):
            cuts = np.cumsum(array(s, "n_values"))[:-1]
            categories = tuple(
                tuple(map(str, part)) for part in np.split(array(s, "categories"), cuts)
            )
            attributes = tuple(map(str, array(s, "attributes")))
            table = CategoricalTable(array(s, "codes"), categories, attributes)
            labels.append(array(s, "labels"))
            if len(labels[s]) != table.n_objects:
                raise ValueError(f"{len(labels[s])} labels of {table.n_objects} objects")
            if facts["mixed"]:
                names = tuple(map(str, array(s, "names")))
                tables.append(MixedTable(table, array(s, "numbers"), names))
            else:
                tables.append(table)
            if facts["partial"]:
                rows.append(array(s, "rows"))
    return Tables(facts, tables, labels, rows)


def write_similarity(path: Path, learnt: Mapping[str, Similarity]) -> None:
    """Write what measures learnt of every preparation, by its id, to one archive."""
    arrays: dict[str, np.ndarray] = {}
    facts = {}
    for preparation, similarity in learnt.items():
        described = []
        for f, fit in enumerate(similarity.fits):
            links = set()
            for s, space in enumerate(fit.spaces):
                part = f"{preparation}/{f}/{s}"
                if isinstance(space, np.ndarray):
                    arrays[f"{part}/vectors"] = space
                    continue
                links.add(space.link)
                arrays[f"{part}/offsets"] = space.matrices.offsets
                arrays[f"{part}/values"] = space.matrices.data
                if space.value_terms is not None:
                    arrays[f"{part}/terms"] = space.value_terms
            for s, context in enumerate(fit.contexts):
                arrays[f"{preparation}/{f}/{s}/context"] = context
            described.append(
                {
                    "measure": fit.measure,
                    "setting": fit.setting,
                    "reason": fit.reason,
                    "tables": len(fit.spaces),
                    "link": links.pop() if links else None,
                    "terms": any(getattr(x, "value_terms", None) is not None for x in fit.spaces),
                    "contexts": bool(fit.contexts),
                }
            )
        facts[preparation] = {**similarity.facts, "fits": described}
    _write(Path(path), arrays, facts)


def read_similarity(path: Path, preparation: str, measures: Collection[str]) -> Similarity:
    """Read some measures on one preparation of what `write_similarity` wrote.

    Raises
    ------
    UserError
        If the file is not such an archive.
    """
    # Only here: steps that read or write tables alone need no kernel.
    from couplings.spaces import ObjectSpace

    fits = []
    with _opened(path, preparation) as (facts, array):

        def space(entry: Mapping[str, Any], f: int, s: int) -> ObjectSpace | np.ndarray:
            if entry["link"] is None:
                return array(f, s, "vectors")
            matrices = ValueMatrices(array(f, s, "values"), array(f, s, "offsets"))
            return ObjectSpace(
                matrices, entry["link"], array(f, s, "terms") if entry["terms"] else None
            )

        for f, entry in enumerate(facts.pop("fits")):
            if entry["measure"] in measures:
                number = range(entry["tables"])
                fits.append(
                    Fit(
                        entry["measure"],
                        entry["setting"],
                        [space(entry, f, s) for s in number],
                        [array(f, s, "context") for s in number] if entry["contexts"] else [],
                        entry["reason"],
                    )
                )
    return Similarity(facts, fits)
