"""What if: a few lines laid over the configuration, run into folders of their own."""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from replication.errors import remedy
from replication.plan.configuration import ConfigError, overlaid, read_yaml, validate
from replication.plan.readings import RECORD


def read_question(root: Path, file: str) -> dict[str, Any]:
    """Read a file of changes, such as ``config/what-if/ward.yaml``.

    Raises
    ------
    ConfigError
        If it cannot be read, is not of its type or has no name for a folder.
    """
    if not re.fullmatch(r"[a-z0-9][a-z0-9_-]*", Path(file).stem):
        raise ConfigError(
            f"{file}: its name is that of a folder of results; use lower-case letters, "
            "digits, - and _"
        )
    changes = read_yaml(root / file, file)
    validate(changes, "what_if", file)
    if not changes:
        raise ConfigError(f"{file}: changes nothing, must change at least 1 thing")
    return changes


def roots(file: str, effort: str) -> dict[str, str]:
    """Where the results and figures of a question go."""
    results = f"results/whatif-{Path(file).stem}/{effort}"
    return {"results": results, "figures": f"{results}/figures"}


def changed(
    content: Mapping[str, Any], changes: Mapping[str, Any], place: str, depth: int = 1
) -> dict[str, Any]:
    """Lay changes over a file of the configuration; so many levels of their keys must be there.

    Raises
    ------
    ConfigError
        If one is not; it is at `place`.
    """
    for key, entry in changes.items():
        if key not in content:
            raise ConfigError(f"{place}.{key}: there is no such entry; {remedy(key, content)}")
        if depth > 1 and isinstance(entry, Mapping) and isinstance(content[key], Mapping):
            changed(content[key], entry, f"{place}.{key}", depth - 1)
    return overlaid(content, changes)


def answered(
    readings: Mapping[str, dict[str, Any]], answers: Mapping[str, str], place: str
) -> dict[str, dict[str, Any]]:
    """Give readings other reconciled answers.

    Raises
    ------
    ConfigError
        If there is no such reading, or no step takes the answer.
    """
    over = changed(readings, {name: {"reconciled": one} for name, one in answers.items()}, place)
    for name, answer in answers.items():
        entry = readings[name]
        taken = [] if entry.get("steers") == RECORD else entry.get("values", entry["choices"])
        if answer not in taken:
            hint = remedy(answer, taken) if taken else "it is a record; change parameters instead"
            raise ConfigError(f"{place}.{name}: no step takes the answer {answer!r}; {hint}")
    return over
