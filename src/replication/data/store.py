"""Files between the steps: tables and similarities as NumPy archives, read without pickle.

Every archive carries a JSON text `facts` with at least ``status`` (``ok`` or ``unavailable``)
and ``reason``. Archives are byte-identical for identical content.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from itertools import chain
from pathlib import Path
from typing import Any

import numpy as np

from couplings.errors import MeasureError
from couplings.mixed import MixedTable
from couplings.table import CategoricalTable
from couplings.values import ValueMatrices
from replication.errors import UserError
from replication.files import atomic_write


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
    spaces: list[Any] = field(default_factory=list)
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

    def of(self, measure: str, **parameters: Any) -> Any:
        """Space or vectors of the first table by a measure with these parameters.

        Raises
        ------
        MeasureError
            If the measure refused the table.
        KeyError
            If it was not asked to learn it with these parameters.
        """
        for fit in self.under(measure):
            if fit.setting == parameters:
                return fit.spaces[0]
        raise KeyError(f"{measure} {parameters}")


def _write(path: Path, arrays: dict[str, Any], facts: dict[str, Any]) -> None:
    text = json.dumps(facts, sort_keys=True, ensure_ascii=False)
    with atomic_write(path) as partial, partial.open("wb") as stream:
        np.savez_compressed(stream, facts=np.array(text), **arrays)


@contextmanager
def _opened(path: Path, part: str) -> Iterator[tuple[dict[str, Any], Callable[..., Any]]]:
    """Facts of a part of an archive, and a function that reads an array of it, None if absent.

    Whatever is wrong with the archive gets one message; zip has a checksum of every array.
    """
    try:
        with np.load(path, allow_pickle=False) as archive:

            def array(*names: object) -> Any:
                return archive.get("/".join(map(str, (part, *names))))

            yield json.loads(str(archive["facts"]))[part], array
    except Exception as error:
        # NumPy's message about an object array advises loading it nevertheless
        held = "objects" if "pickle" in str(error) else f"{type(error).__name__}: {error}"
        raise UserError(
            f"{path}: not a readable archive of this workflow ({held}); delete the file and run "
            "the workflow again"
        ) from error


def _texts(names: Iterable[str]) -> np.ndarray:
    return np.array(list(names), dtype=np.str_)


def _names(texts: np.ndarray) -> tuple[str, ...]:
    return tuple(map(str, texts))


def write_tables(path: Path, tables: Mapping[str, Tables]) -> None:
    """Write tables and labels of every preparation, by its id, to one archive."""
    arrays: dict[str, Any] = {}
    for preparation, one in tables.items():
        for s, (table, labels) in enumerate(zip(one.tables, one.labels, strict=True)):
            parts = {"labels": labels.astype(np.int64)}
            if isinstance(table, MixedTable):
                parts |= {"numbers": table.numeric, "names": _texts(table.names)}
                table = table.categorical
            if one.rows:
                parts["rows"] = one.rows[s]
            parts |= {
                "codes": table.codes,
                "n_values": table.n_values,
                "attributes": _texts(table.attributes),
                "categories": _texts(chain.from_iterable(table.categories)),
            }
            arrays |= {f"{preparation}/{s}/{name}": part for name, part in parts.items()}
    facts = {name: {**one.facts, "tables": len(one.tables)} for name, one in tables.items()}
    _write(Path(path), arrays, facts)


def read_tables(path: Path, preparation: str) -> Tables:
    """Read one preparation of what `write_tables` wrote.

    Raises
    ------
    UserError
        If the file is not such an archive.
    """
    with _opened(path, preparation) as (facts, array):
        found = Tables(facts)
        for s in range(facts["tables"]):
            cuts = np.cumsum(array(s, "n_values"))[:-1]
            categories = tuple(map(_names, np.split(array(s, "categories"), cuts)))
            table: Any = CategoricalTable(
                array(s, "codes"), categories, _names(array(s, "attributes"))
            )
            found.labels.append(array(s, "labels"))
            if len(found.labels[s]) != table.n_objects:
                raise ValueError(f"{len(found.labels[s])} labels of {table.n_objects} objects")
            if (numbers := array(s, "numbers")) is not None:
                table = MixedTable(table, numbers, _names(array(s, "names")))
            found.tables.append(table)
            if (rows := array(s, "rows")) is not None:
                found.rows.append(rows)
    return found


def write_similarity(path: Path, learnt: Mapping[str, Similarity]) -> None:
    """Write what measures learnt of every preparation, by its id, to one archive."""
    arrays: dict[str, np.ndarray] = {}
    facts = {}
    for preparation, similarity in learnt.items():
        described = []
        for f, fit in enumerate(similarity.fits):
            about = {"measure": fit.measure, "setting": fit.setting, "reason": fit.reason}
            described.append(about | {"tables": len(fit.spaces), "link": None})
            for s, space in enumerate(fit.spaces):
                if isinstance(space, np.ndarray):
                    parts = {"vectors": space}
                else:
                    described[-1]["link"] = space.link
                    parts = {"offsets": space.matrices.offsets, "values": space.matrices.data}
                    parts["terms"] = space.value_terms
                if fit.contexts:
                    parts["context"] = fit.contexts[s]
                arrays |= {
                    f"{preparation}/{f}/{s}/{name}": part
                    for name, part in parts.items()
                    if part is not None
                }
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

    with _opened(path, preparation) as (facts, array):
        found = Similarity(facts)
        for f, entry in enumerate(facts.pop("fits")):
            if entry["measure"] not in measures:
                continue
            fit = Fit(entry["measure"], entry["setting"], reason=entry["reason"])
            for s in range(entry["tables"]):
                space = array(f, s, "vectors")
                if entry["link"] is not None:
                    matrices = ValueMatrices(array(f, s, "values"), array(f, s, "offsets"))
                    space = ObjectSpace(matrices, entry["link"], array(f, s, "terms"))
                fit.spaces.append(space)
                if (context := array(f, s, "context")) is not None:
                    fit.contexts.append(context)
            found.fits.append(fit)
    return found
