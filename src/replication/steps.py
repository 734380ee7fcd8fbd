"""What every step of the workflow shares: its JSON specification and how it names its inputs."""

from __future__ import annotations

import importlib
import inspect
import json
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from replication.errors import UserError, remedy

OK = "ok"
UNAVAILABLE = "unavailable"
"""The data set could not be had; every file that needs it says so, down to the ledger."""
MARK = "{dataset}"
"""Stands for the data set in the file of a joined record, see `compact`."""
TOGETHER = "together"
"""Stands for the measure in the name of a similarity: all that the experiments of a paper take."""


def specification(text: str) -> dict[str, Any]:
    """Parse the ``--spec`` argument of a step.

    Parameters
    ----------
    text : str
        A JSON object, or ``@`` and the name of a file that holds one: a command has a limited
        length.

    Raises
    ------
    UserError
        If the text is not a JSON object, or there is no such file.
    """
    try:
        if text.startswith("@"):
            text = Path(text[1:]).read_text(encoding="utf-8")
        spec = json.loads(text)
    except OSError as error:
        raise UserError(f"--spec: {text[1:]} cannot be read ({error.strerror})") from error
    except (ValueError, RecursionError) as error:
        raise UserError(f"--spec is not valid JSON: {error}") from error
    if not isinstance(spec, dict):
        raise UserError("--spec must be a JSON object")
    return spec


def made(name: str, parameters: Mapping[str, Any]) -> Any:
    """Object of a class named ``module:Class`` in a registry.

    Raises
    ------
    UserError
        If the class does not exist or does not take the parameters.
    """
    found = load_class(name)
    try:
        inspect.signature(found).bind(**parameters)
    except TypeError as error:
        known = list(inspect.signature(found).parameters)
        wrong = next((key for key in parameters if key not in known), "")
        hint = f"; {remedy(wrong, known)}" if wrong else ""
        raise UserError(f"registry entry class {name!r}: {error}{hint}") from error
    return found(**parameters)


def load_class(name: str) -> type:
    """Class named ``module:Class`` in a registry.

    Raises
    ------
    UserError
        If the module or the class does not exist.
    """
    module, _, attribute = name.partition(":")
    try:
        return getattr(importlib.import_module(module), attribute)
    except (ImportError, AttributeError, ValueError) as error:
        raise UserError(f"registry entry class {name!r}: {error}") from error


def setting_text(value: float | str | None) -> str:
    """Shortest text of a parameter setting, as written to the records."""
    return "" if value is None else f"{value:g}" if isinstance(value, float) else str(value)


def compact(records: Iterable[Mapping[str, str]]) -> list[dict[str, Any]]:
    """Join records that differ in the data set only: a command has a limited length.

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
