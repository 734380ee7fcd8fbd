"""Files between the steps: tables and similarities as NumPy archives, read without pickle.

Every archive carries a JSON text `facts` with at least ``status`` (``ok`` or ``unavailable``)
and ``reason``. Archives are byte-identical for identical content.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
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
from replication.files import whole

if TYPE_CHECKING:
    from couplings.space import ObjectSpace


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
class Similarity:
    """Value matrices, or vectors, of one measure on the tables of one preparation.

    Attributes
    ----------
    facts : dict
        ``status``, ``reason``, ``measure``, ``settings`` (one dict per parameter setting; a
        measure without a grid has the one setting ``{}``), ``label_cuts`` of the tables. Of
        measures that were learnt together a setting has the ``measure`` beside its parameters,
        and ``refused`` says of others why they cannot learn the tables.
    spaces : list of list of ObjectSpace, or ndarray of float64, shape (n, d)
        ``spaces[s][p]``: table s, setting p. Of a measure that represents whole objects, their
        vectors.
    contexts : list of list of ndarray of bool, shape (m, m), or None
        ``contexts[s][p][target, attribute]`` for measures that choose a context.
    """

    facts: dict[str, Any]
    spaces: list[list[ObjectSpace | np.ndarray]] = field(default_factory=list)
    contexts: list[list[np.ndarray]] | None = None

    def of(self, measure: str, **parameters: Any) -> ObjectSpace | np.ndarray:
        """Space or vectors of the first table by one of several measures learnt together.

        Raises
        ------
        MeasureError
            If the measure refused the table.
        KeyError
            If it was not asked to learn it with these parameters.
        """
        setting = {"measure": measure, **parameters}
        for one in self.facts["refused"]:
            if one["setting"] == setting:
                raise MeasureError(one["reason"])
        if setting not in self.facts["settings"]:
            raise KeyError(str(setting))
        return self.spaces[0][self.facts["settings"].index(setting)]


def _write(path: Path, arrays: dict[str, np.ndarray], facts: dict[str, Any]) -> None:
    text = json.dumps(facts, sort_keys=True, ensure_ascii=False)
    with whole(path) as partial, partial.open("wb") as stream:
        np.savez_compressed(stream, facts=np.array(text), **arrays)


def _read(path: Path) -> tuple[dict[str, Any], dict[str, np.ndarray]]:
    with _refused(path), np.load(path, allow_pickle=False) as archive:
        arrays = {name: archive[name] for name in archive.files}
        facts = json.loads(str(arrays.pop("facts")))
        if lacking := {"status", "reason", "tables"}.difference(facts):
            raise KeyError(*lacking)
    return facts, arrays


@contextmanager
def _refused(path: Path) -> Iterator[None]:
    """Turn any error while an archive is read into one message."""
    try:
        yield
    except Exception as error:
        # NumPy's words on an object array are the advice to load it nevertheless
        held = "objects" if "pickle" in str(error) else f"{type(error).__name__}: {error}"
        raise UserError(
            f"{path}: not a readable archive of this workflow ({held}); delete the file and run "
            "the workflow again"
        ) from error


def write_tables(path: Path, tables: Tables) -> None:
    """Write tables and labels to one archive."""
    arrays: dict[str, np.ndarray] = {}
    for s, (table, labels) in enumerate(zip(tables.tables, tables.labels, strict=True)):
        if isinstance(table, MixedTable):
            arrays[f"numbers_{s}"] = table.numeric
            arrays[f"names_{s}"] = np.array(table.names, dtype=np.str_)
            table = table.categorical
        if tables.rows:
            arrays[f"rows_{s}"] = tables.rows[s]
        arrays[f"codes_{s}"] = table.codes
        arrays[f"labels_{s}"] = labels.astype(np.int64)
        arrays[f"attributes_{s}"] = np.array(table.attributes, dtype=np.str_)
        arrays[f"n_values_{s}"] = table.n_values
        arrays[f"categories_{s}"] = np.array(
            [value for categories in table.categories for value in categories], dtype=np.str_
        )
    _write(Path(path), arrays, {**tables.facts, "tables": len(tables.tables)})


def read_tables(path: Path) -> Tables:
    """Read what `write_tables` wrote.

    Raises
    ------
    UserError
        If the file is not such an archive.
    """
    facts, arrays = _read(Path(path))
    tables: list[CategoricalTable | MixedTable] = []
    labels, rows = [], []
    with _refused(path):
        for s in range(facts["tables"]):
            cuts = np.cumsum(arrays[f"n_values_{s}"])[:-1]
            categories = tuple(
                tuple(map(str, part)) for part in np.split(arrays[f"categories_{s}"], cuts)
            )
            table = CategoricalTable(
                arrays[f"codes_{s}"], categories, tuple(map(str, arrays[f"attributes_{s}"]))
            )
            tables.append(table)
            if f"numbers_{s}" in arrays:
                names = tuple(map(str, arrays[f"names_{s}"]))
                tables[s] = MixedTable(table, arrays[f"numbers_{s}"], names)
            labels.append(arrays[f"labels_{s}"])
            if len(labels[s]) != table.n_objects:
                raise ValueError(f"{len(labels[s])} labels of {table.n_objects} objects")
            if f"rows_{s}" in arrays:
                rows.append(arrays[f"rows_{s}"])
    return Tables(facts, tables, labels, rows)


def write_similarity(path: Path, similarity: Similarity) -> None:
    """Write object spaces or vectors, and contexts where there are any, to one archive."""
    arrays: dict[str, np.ndarray] = {}
    links: list[str] = []
    for s, row in enumerate(similarity.spaces):
        links = ["" if isinstance(space, np.ndarray) else space.link for space in row]
        for p, space in enumerate(row):
            if isinstance(space, np.ndarray):
                arrays[f"vectors_{s}_{p}"] = space
                continue
            arrays[f"offsets_{s}"] = space.matrices.offsets
            arrays[f"values_{s}_{p}"] = space.matrices.data
            if space.value_terms is not None:
                arrays[f"terms_{s}_{p}"] = space.value_terms
            if similarity.contexts is not None:
                arrays[f"context_{s}_{p}"] = similarity.contexts[s][p]
    facts = {**similarity.facts, "tables": len(similarity.spaces), "links": links}
    _write(Path(path), arrays, facts)


def read_similarity(path: Path) -> Similarity:
    """Read what `write_similarity` wrote.

    Raises
    ------
    UserError
        If the file is not such an archive.
    """
    # Only here: steps that read or write tables alone need no kernel.
    from couplings.space import ObjectSpace

    facts, arrays = _read(Path(path))
    spaces: list[list[ObjectSpace | np.ndarray]] = []
    contexts: list[list[np.ndarray]] = []
    with _refused(path):
        for s in range(facts["tables"]):
            settings = range(len(facts["settings"]))
            spaces.append(
                [
                    arrays[f"vectors_{s}_{p}"]
                    if f"vectors_{s}_{p}" in arrays
                    else ObjectSpace(
                        ValueMatrices(arrays[f"values_{s}_{p}"], arrays[f"offsets_{s}"]),
                        facts["links"][p],
                        arrays.get(f"terms_{s}_{p}"),
                    )
                    for p in settings
                ]
            )
            contexts.append(
                [arrays[f"context_{s}_{p}"] for p in settings if f"context_{s}_{p}" in arrays]
            )
    return Similarity(facts, spaces, contexts if any(contexts) else None)
