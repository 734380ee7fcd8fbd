"""Prepare a raw table as a paper did: select rows and columns, treat missing values."""

import hashlib
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from couplings._checks import check_memory
from replication.data.parse import PART, table_fingerprint
from replication.errors import UserError
from replication.files import (
    CLASS,
    MISSING,
    read_json,
    read_raw,
    write_json,
    write_text,
)
from replication.steps import COMPLETE_ROWS, OK, UNAVAILABLE, call, generator

_RECORD = ("status", "reason", "fingerprint")
"""Keys of the record of a raw table."""
_BYTES_PER_CELL = 100.0
"""Bytes per cell of a generated table: its number, code and text."""


def write_prepared(
    spec: dict[str, Any], table: list[Path], source: list[Path], output: Path, facts: Path
) -> dict[str, Any]:
    """Prepare one data set and write it (CSV) and its counts (JSON); return the counts.

    `spec` has ``paper``, ``dataset``, ``entry``, ``source`` (entry of the registry) and ``seed``.
    `source` is the record of the origin of the raw table, if there is one. If the data set could
    not be downloaded, or only rows that are too few for it, the counts are ``status`` and
    ``reason``.
    """
    record = read_json(source[0], *_RECORD) if source else {"status": OK}
    text, found = "", {"status": UNAVAILABLE, "reason": record.get("reason")}
    raw = read_raw(table[0]) if table else None
    if raw is not None and source and record["status"] != UNAVAILABLE:
        check_raw(raw, record["fingerprint"], table[0], spec)
    partial = record["status"] == COMPLETE_ROWS
    if raw is not None and partial and (kept := kept_gaps(raw.columns, spec)):
        found["reason"] = (
            f"only the {len(raw)} complete rows are available, and rows with missing cells in "
            f"{', '.join(kept)} are needed too"
        )
    elif record["status"] != UNAVAILABLE:
        frame, found = synthetic(spec) if raw is None else prepare(raw, spec)
        text = frame.to_csv(index=False, lineterminator="\n")
        if partial:  # values of the rows that are not here are not known
            found["values_with_missing"] = None
        found |= {
            "status": OK,
            "reason": "",
            "sha256": hashlib.sha256(text.encode()).hexdigest(),
        }
    write_text(output, text)
    write_json(facts, found)
    return found


def check_raw(raw: pd.DataFrame, fingerprint: str, path: Path, spec: Mapping[str, Any]) -> None:
    """Check a raw table against its record."""
    numeric = [name for name in spec["source"].get("numeric", []) if name in raw.columns]
    try:
        found = table_fingerprint(raw, numeric)
    except ValueError:  # a numeric cell without a number, or without any text
        found = ""
    if found != fingerprint:
        raise UserError(
            f"{path}: does not match {path.with_name('source.json')}: cut short or changed; "
            "delete both and run again"
        )


def kept_gaps(columns: Iterable[str], spec: Mapping[str, Any]) -> list[str]:
    """Return the columns with missing cells whose rows the entry of a paper keeps.

    Without such columns, the complete rows are all that the paper uses.
    """
    entry, source = spec["entry"], spec["source"]
    deciding = _deciding(_attributes(columns, entry, source), entry)
    return [column for column in source["complete_rows"]["gaps"] if column not in deciding]


def place(spec: Mapping[str, Any]) -> str:
    """Return the place of a data set in the configuration, for messages."""
    return f"config/papers/{spec['paper']}.yaml: datasets.{spec['dataset']}"


def synthetic(spec: dict[str, Any]) -> tuple[pd.DataFrame, dict[str, Any]]:
    """Return a generated table as `prepare` does; attributes declare all their values."""
    # its compiler takes longer to load than most tables do
    from replication.data.datgen import GENERATED, GenerationError, rule_based

    sizes = spec["entry"]["synthetic"]
    where = f"{place(spec)}.synthetic"
    check_memory(
        where,
        _BYTES_PER_CELL * sizes["objects"] * sizes["attributes"],
        f"a table of {sizes['objects']} objects and {sizes['attributes']} attributes",
        "ask for fewer",
    )
    rng = generator(spec["seed"], spec["paper"], spec["dataset"], GENERATED)
    try:
        codes, labels = call(rule_based, **sizes).first(rng)
    except GenerationError as error:
        raise UserError(f"{where}: {error}") from error
    width = len(str(sizes["attributes"] - 1))
    frame = pd.DataFrame(
        codes.astype(str), columns=[f"a{j:0{width}d}" for j in range(codes.shape[1])]
    )
    declared = {name: [str(v) for v in range(sizes["values"])] for name in frame.columns}
    frame[CLASS] = labels.astype(str)
    return frame, _facts(frame, frame, numeric=[], declared=declared, imputed={})


def prepare(raw: pd.DataFrame, spec: dict[str, Any]) -> tuple[pd.DataFrame, dict[str, Any]]:
    """Select rows and columns, and treat missing cells, as the paper's entry specifies.

    Parameters
    ----------
    raw : DataFrame of str
        Raw table; missing cells hold ``?``.
    spec : dict
        ``entry`` (the data set's entry in config/papers/<paper>.yaml) and ``source`` (columns,
        class and numeric columns of the registry; ``parts`` if the column `part` names files).

    Returns
    -------
    frame : DataFrame of str
        Attributes in file order, then the class, named `CLASS`.
    facts : dict
        ``objects``, ``attributes``, ``classes``, ``values_observed``, ``values_with_missing``,
        ``numeric``, ``declared`` and ``imputed`` (attribute to filled-in text).

    Raises
    ------
    UserError
        If a named column does not exist, no attribute or row is left, or a column has only missing
        cells.
    """
    entry, source, where = spec["entry"], spec.get("source", {}), place(spec)
    frame = raw
    if "parts" in entry:
        frame = raw[raw[PART].isin(entry["parts"])].reset_index(drop=True)
    label = entry.get("class", source.get("class"))
    if CLASS in frame.columns:
        raise UserError(f"{where}: {CLASS!r} is the class of a prepared table; rename this column")
    attributes = _attributes(frame.columns, entry, source)
    if not attributes:
        raise UserError(
            f"{where}: no attribute is left beside the class; name fewer columns in `without`, or "
            "add columns to the file"
        )
    numeric = [c for c in entry.get("numeric", source.get("numeric", [])) if c in attributes]
    named = [
        *filter(None, (*attributes, label)),
        *(
            column
            for key in ("declared", "mode_ties", "missing_in", "without_values")
            for column in entry.get(key, {})
        ),
    ]
    if unknown := next((column for column in named if column not in frame.columns), None):
        raise UserError(
            f"{where}: no column {unknown!r} in the data; columns are {list(frame.columns)}"
        )
    rules, deciding = _rules(attributes, entry), _deciding(attributes, entry)
    gone = (frame[deciding] == MISSING).any(axis=1)
    for column, values in entry.get("without_values", {}).items():
        gone |= frame[column].isin(values)
    after = frame.loc[~gone, attributes]
    if after.empty:
        raise UserError(
            f"{where}: no row is left: each has a missing value in one of {deciding}, or one of "
            "`without_values`; choose another treatment in `missing` or `missing_in`"
        )
    imputed = {}
    for column in [column for column in attributes if rules[column] == "impute"]:
        holes = after[column] == MISSING
        if holes.all():
            raise UserError(f"{where}: column {column!r} has no values; leave it out")
        if holes.any():
            fill = _fill(after[column][~holes], column, column in numeric, entry, where)
            after[column] = after[column].where(~holes, fill)
            imputed[column] = fill
    after = after.assign(**{CLASS: frame[label] if label else "none"}).reset_index(drop=True)
    return after, _facts(after, frame[attributes], numeric, entry.get("declared", {}), imputed)


def _attributes(
    columns: Iterable[str], entry: Mapping[str, Any], source: Mapping[str, Any]
) -> list[str]:
    """Return the attributes that the entry of a paper uses."""
    skipped = {entry.get("class", source.get("class")), *source.get("identifiers", [])}
    if source.get("parts") or "parts" in entry:
        skipped.add(PART)
    attributes = entry.get("attributes") or [c for c in columns if c not in skipped]
    return [c for c in attributes if c not in entry.get("without", [])]


def _rules(attributes: list[str], entry: Mapping[str, Any]) -> dict[str, str]:
    """Return the treatment of missing cells by column."""
    return dict.fromkeys(attributes, entry["missing"]) | entry.get("missing_in", {})


def _deciding(attributes: list[str], entry: Mapping[str, Any]) -> list[str]:
    """Return the columns of which a missing cell drops the row; some are not attributes."""
    return [column for column, rule in _rules(attributes, entry).items() if rule == "drop"]


def _fill(present: pd.Series, column: str, numeric: bool, entry: dict[str, Any], where: str) -> str:
    if numeric:
        mean = pd.to_numeric(present, errors="coerce").astype(float).mean(skipna=False)
        if not np.isfinite(mean):
            raise UserError(
                f"{where}.numeric: column {column!r} has no finite mean; correct its cells, or "
                "take it out of `numeric`"
            )
        return repr(float(mean))
    counts = present.value_counts()
    best = sorted(counts.index[counts == counts.max()])
    choice = entry.get("mode_ties", {}).get(column, best[0])
    if choice not in best:
        raise UserError(f"{where}.mode_ties.{column}: {choice!r} is not a mode; modes are {best}")
    return choice


def _facts(
    after: pd.DataFrame,
    before: pd.DataFrame,
    numeric: list[str],
    declared: dict[str, list[str]],
    imputed: dict[str, str],
) -> dict[str, Any]:
    attributes = [column for column in after.columns if column != CLASS]
    observed = after[attributes].nunique()
    return {
        "objects": len(after),
        "attributes": len(attributes),
        "classes": int(after[CLASS].nunique()),
        "values_observed": int(observed.sum()),
        "values_with_missing": int(before[attributes].nunique().sum()),
        "numeric": numeric,
        "declared": declared,
        "imputed": imputed,
    }
