"""Readings that steer: `=dilca.ward` in a configuration file stands for the answer to a question.

``config/readings.yaml`` asks; measures, algorithms and papers refer to the reconciled answer where
they depend on it. Where the configuration has another word for an answer, `values` of the reading
holds it; ``=caso.h[h1]`` takes one part of such a value.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any

from replication.errors import remedy
from replication.plan.configuration import ConfigError, shown

RECORD, TABLES = "nothing", "tables"
"""What a reading can steer besides what refers to it: nothing, or tables that ask for it."""

DECIDED_BY = {
    "text": "the paper's text",
    "source": "a cited paper or the authors' program",
    "print": "printed numbers, chosen after seeing them",
    "labels": "class labels",
    "open": "nothing; our choice",
}
"""What can decide for the reconciled answer of a reading, in words."""

_REFERENCE = re.compile(r"=(?P<name>[a-z][a-z0-9_]*\.[a-z][a-z0-9_]*)(\[(?P<part>[a-z0-9_]+)\])?")


def resolved(
    content: Any, readings: Mapping[str, Mapping[str, Any]], file: str, place: tuple[str, ...] = ()
) -> Any:
    """Copy of what stands in a file at a place, with answers in the place of references.

    Measures, algorithms and preparations note, under ``readings``, the answers that they refer to.

    Raises
    ------
    ConfigError
        If a reference leads nowhere.
    """
    if isinstance(content, list):
        items = enumerate(content)
        return [resolved(value, readings, file, (*place, str(i))) for i, value in items]
    if isinstance(content, Mapping):
        found = {
            key: resolved(value, readings, file, (*place, str(key)))
            for key, value in content.items()
        }
        answers = {name: readings[name]["reconciled"] for _, name in references(content)}
        if answers and _notes(file, place):
            found["readings"] = {**answers, **found.get("readings", {})}
        return found
    if isinstance(content, str) and content.startswith("="):
        return _value(content, readings, f"{file}: {'.'.join(place)}")
    return content


def _notes(file: str, place: tuple[str, ...]) -> bool:
    """Whether the entry at a place notes its answers."""
    if len(place) == 1:
        return file in ("config/measures.yaml", "config/algorithms.yaml")
    return len(place) == 2 and place[0] == "preparations"


def _value(text: str, readings: Mapping, where: str) -> Any:
    match = _REFERENCE.fullmatch(text)
    if match is None or match["name"] not in readings:
        hint = remedy(text.lstrip("="), readings)
        raise ConfigError(f"{where}: {text!r} refers to no reading; {hint}")
    name, part = match["name"], match["part"]
    answer = readings[name]["reconciled"]
    values = readings[name].get("values", {answer: answer})
    if answer not in values:
        raise ConfigError(
            f"config/readings.yaml: {name}: nothing computes the answer {answer!r}; "
            f"{remedy(answer, values)}"
        )
    value = values[answer]
    if part is not None and not (isinstance(value, Mapping) and part in value):
        raise ConfigError(f"{where}: the value {shown(value)} of {name} has no part {part!r}")
    return value if part is None else value[part]


def references(content: Any, place: str = "") -> Iterator[tuple[str, str]]:
    """Places of a file, before `resolved`, that refer to a reading, each with the reading's id.

    A place is a key path, such as ``ward_r.parameters.recurrence``; `place` is that of `content`.
    """
    if isinstance(content, Mapping):
        for key, value in content.items():
            yield from references(value, f"{place}.{key}" if place else str(key))
    elif isinstance(content, list):
        for value in content:
            yield from references(value, place)
    elif isinstance(content, str) and (match := _REFERENCE.fullmatch(content)):
        yield place, match["name"]
