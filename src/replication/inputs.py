"""Lists of input files in a specification, written short: a command has a limited length."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

MARK = "{dataset}"


def compact(records: Iterable[Mapping[str, str]]) -> list[dict[str, Any]]:
    """Join records that differ in the data set only.

    Parameters
    ----------
    records : iterable of mapping
        One record per file: ``file``, mostly ``dataset``, and whatever else tells files apart.

    Returns
    -------
    list of dict
        Records of one data set as they are; others with ``datasets``, and ``file`` with a mark in
        the place of the data set. In order of first appearance.
    """
    joined: dict[tuple, list[Mapping[str, str]]] = {}
    for i, record in enumerate(records):
        dataset, file = record.get("dataset", ""), record["file"]
        stem, dot, rest = file.rpartition(f"/{dataset}.") if dataset else ("", "", "")
        if not dot:
            stem, dot, rest = file.rpartition(f".{dataset}.") if dataset else ("", "", "")
        key: tuple = (i,)
        if dot:
            pattern = f"{stem}{dot[0]}{MARK}.{rest}"
            others = tuple((k, v) for k, v in record.items() if k not in ("dataset", "file"))
            key = (pattern, others)
        joined.setdefault(key, []).append(record)
    result = []
    for key, members in joined.items():
        if len(members) == 1:
            result.append(dict(members[0]))
        else:
            names = [member["dataset"] for member in members]
            result.append({**dict(key[1]), "datasets": names, "file": key[0]})
    return result


def expand(records: Iterable[Mapping[str, Any]]) -> list[dict[str, str]]:
    """One record per file again: what `compact` was given, up to the order."""
    result = []
    for record in records:
        if "datasets" not in record:
            result.append(dict(record))
            continue
        others = {k: v for k, v in record.items() if k not in ("datasets", "file")}
        result += [
            {**others, "dataset": name, "file": record["file"].replace(MARK, name)}
            for name in record["datasets"]
        ]
    return result
