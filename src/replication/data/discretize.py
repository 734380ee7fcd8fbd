"""Step `discretize`: from a raw table to the prepared one, and to integer codes of it.

Numeric attributes are cut. Numbers that a paper uses unchanged are kept next to the codes.
"""

import itertools
from contextlib import suppress
from pathlib import Path
from typing import Any

import numpy as np

from couplings.discretize import apply_cuts, equal_width_cuts, mdl_cuts
from couplings.errors import CouplingsError
from couplings.mixed import MixedTable
from couplings.table import CategoricalTable
from replication.data.prepare import place, write_prepared
from replication.data.store import Tables, write_archive
from replication.errors import UserError
from replication.files import CLASS, MISSING, read_raw
from replication.steps import OK, generator

KEEP, DROP = "keep", "drop"
"""Rules for numbers that are not cut: keep them next to the codes, or drop them."""
SUPERVISED = ("mdl", "mdl_or_equal_width")
"""Rules by which the class labels decide the cuts."""


def run(
    spec: dict[str, Any],
    table: list[Path],
    source: list[Path],
    prepared: Path,
    facts: Path,
    output: Path,
) -> None:
    """Run the step; `table` and `source` (its record) are empty for a synthetic data set."""
    about = write_prepared(spec, table, source, prepared, facts)
    made: dict[str, Tables] = {}
    if about["status"] != OK:
        absent = {name: about[name] for name in ("status", "reason")}
        made = dict.fromkeys(spec["preparations"], Tables(absent))
    elif spec["preparations"]:
        cells = {name: column.to_numpy(dtype=str) for name, column in read_raw(prepared).items()}
        made = {
            name: discretize(cells, about, {**spec, "preparation": rule})
            for name, rule in spec["preparations"].items()
        }
    write_archive(output, made)


def discretize(cells: dict[str, np.ndarray], facts: dict[str, Any], spec: dict[str, Any]) -> Tables:
    """Code one prepared table, or random samples of it.

    Parameters
    ----------
    cells : dict of ndarray of str, shape (n,)
        Columns by name, the class under `replication.files.CLASS`.
    facts : dict
        ``numeric`` and ``declared`` of the step `prepare`.
    spec : dict
        ``preparation`` (entry: numeric, bins, labels, domain, order, constant, smallest_class),
        ``sample`` (size, count) or None, ``seed``, ``paper``, ``dataset``.

    Returns
    -------
    Tables
        ``facts["cuts"]`` holds the cuts of every table; ``facts["label_cuts"]`` names the
        attributes whose cuts, or absence of cuts, the class labels decided. A missing cell of a
        numeric attribute is an additional value, after the intervals. Kept numbers make the tables
        mixed. Small classes are removed last: their objects take part in cuts, but not in domains.

    Raises
    ------
    UserError
        If an attribute cannot be coded, or none is left.
    CouplingsError
        If numbers are kept, and one is missing.
    """
    rule, n = spec["preparation"], len(cells[CLASS])
    labels = np.char.strip(cells[CLASS]) if rule["labels"] == "stripped" else cells[CLASS]
    classes, codes = np.unique(labels, return_inverse=True)
    numeric = [] if rule["numeric"] == "category" else facts["numeric"]
    uncut = numeric if rule["numeric"] in (KEEP, DROP) else []
    attributes = [name for name in cells if name != CLASS and name not in uncut]
    domains = {
        name: _domain(cells[name], facts["declared"].get(name), rule)
        for name in attributes
        if name not in numeric
    }
    numbers = {
        name: _numbers(cells[name], name, spec) for name in numeric if rule["numeric"] != DROP
    }
    common = np.bincount(codes) >= rule.get("smallest_class", 1)
    renumbered = np.cumsum(common) - 1
    # labels also decide that an attribute has no cut
    supervised = sorted(set(attributes) - set(domains)) if rule["numeric"] in SUPERVISED else []
    about: dict[str, Any] = {
        "status": OK,
        "reason": "",
        "classes": list(map(str, classes[common])),
        "cuts": [],
        "label_cuts": supervised,
    }
    found = Tables(about)
    for rows in _samples(n, spec):
        columns, categories, cuts = [], [], {}
        for name in attributes:
            if name in domains:
                columns.append(_codes(cells[name][rows], domains[name], name, spec))
                categories.append(tuple(domains[name]))
                continue
            column, cuts[name] = _cut(numbers[name][rows], codes[rows], name, spec)
            columns.append(column)
            holes = (MISSING,) if np.isnan(numbers[name]).any() else ()
            categories.append((*_intervals(cuts[name]), *holes))
        table: Any = CategoricalTable.from_codes(
            np.column_stack(columns), categories=categories, attributes=attributes
        )
        kept = np.flatnonzero(common[codes[rows]])
        if len(kept) < len(rows):
            table, rows = table.take(kept).observed(), rows[kept]
            found.rows.append(rows)
        if rule.get("constant") == DROP:
            table = _varying(table, spec)
        if rule["numeric"] == KEEP:
            # column by column in memory, like data frames: the order of sums decides the last bit
            own = np.array([numbers[name][rows] for name in numeric]).T
            table = MixedTable(table, own, tuple(numeric))
        found.tables.append(table)
        found.labels.append(renumbered[codes[rows]].astype(np.int64))
        about["cuts"].append({name: list(map(float, values)) for name, values in cuts.items()})
    return found


def _varying(table: CategoricalTable, spec: dict[str, Any]) -> CategoricalTable:
    """Return a table without attributes that have the same value for all objects."""
    low, high = table.codes.min(axis=0), table.codes.max(axis=0)
    if (low == high).all():
        raise UserError(f"{place(spec)}: all attributes are constant; keep them, or add columns")
    return table.select([table.attributes[j] for j in np.flatnonzero(low < high)])


def _samples(n: int, spec: dict[str, Any]) -> list[np.ndarray]:
    sample = spec.get("sample")
    if not sample:
        return [np.arange(n)]
    if sample["size"] > n:
        raise UserError(
            f"{place(spec)}.sample: {sample['size']} is more than the {n} rows of the data"
        )
    return [
        np.sort(
            generator(spec["seed"], spec["paper"], spec["dataset"], "sample", trial=trial).choice(
                n, size=sample["size"], replace=False
            )
        )
        for trial in range(sample["count"])
    ]


def _cut(
    values: np.ndarray, labels: np.ndarray, name: str, spec: dict[str, Any]
) -> tuple[np.ndarray, np.ndarray]:
    """Return codes and cuts of a numeric attribute."""
    rule = spec["preparation"]
    there = ~np.isnan(values)
    cuts = np.empty(0)
    try:
        if rule["numeric"] in SUPERVISED:
            cuts = mdl_cuts(values[there], labels[there])
        if rule["numeric"] != "mdl" and not len(cuts):
            cuts = equal_width_cuts(values[there], rule["bins"])
        column = np.full(len(values), len(cuts) + 1)
        column[there] = apply_cuts(values[there], cuts)
    except CouplingsError as error:
        raise UserError(
            f"{place(spec)}: the numeric column {name!r} cannot be cut into intervals "
            f"({error}); its numbers are too large or too close to each other: rescale "
            "it, or take it out of `numeric`"
        ) from error
    return column, cuts


def _domain(column: np.ndarray, declared: list[str] | None, rule: dict[str, Any]) -> list[str]:
    """Return the labels of an attribute; their order decides ties due to rounding of sums."""
    labels = list(dict.fromkeys(map(str, column)))
    if declared and rule.get("domain", "declared") == "declared":
        labels = declared
    order = rule.get("order")
    if order in ("alphabetical", "natural") or (order == "declared" and not declared):
        labels = sorted(labels)
    if order == "natural":
        with suppress(ValueError):  # by number if all are numbers
            labels = sorted(labels, key=float)
    return labels


def _numbers(column: np.ndarray, name: str, spec: dict[str, Any]) -> np.ndarray:
    """Return the numbers of an attribute, NaN for a missing cell."""
    at = f"{place(spec)}.numeric: column {name!r}"
    try:
        found = np.where(column == MISSING, "nan", column).astype(float)
    except ValueError as error:
        raise UserError(f"{at} holds text that is not a number ({error})") from error
    if (wrong := ~np.isfinite(found) & (column != MISSING)).any():
        raise UserError(f"{at} holds {column[wrong][0]!r}, which is not a finite number")
    return found


def _codes(column: np.ndarray, domain: list[str], name: str, spec: dict[str, Any]) -> np.ndarray:
    known = {label: code for code, label in enumerate(domain)}
    try:
        return np.array([known[cell] for cell in column.tolist()])
    except KeyError as error:
        raise UserError(
            f"{place(spec)}.declared.{name}: the data hold {error}, which is not declared; add it"
        ) from error


def _intervals(cuts: np.ndarray) -> tuple[str, ...]:
    """Return readable names of the intervals between cuts: ``(-inf, 3]``, ``(3, inf)``."""
    edges = ["-inf", *(f"{cut:g}" for cut in cuts), "inf"]
    names = [f"({low}, {high}]" for low, high in itertools.pairwise(edges)]
    names[-1] = f"({edges[-2]}, inf)"
    return tuple(names if len(set(names)) == len(names) else (f"{i}" for i in range(len(names))))
