"""Put answers of readings into the configuration, and apply the changes of a what-if file.

`=dilca.ward` in a configuration file stands for the reconciled answer to a question of
``config/readings.yaml``. Measures, algorithms and papers refer to answers in this way. If the
configuration needs a value other than the answer's name, `values` of the reading holds it.
``=caso.h[h1]`` takes one part of such a value.
"""

import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from replication.errors import remedy
from replication.plan.configuration import ConfigError, overlaid, read_yaml, shown, validate

MOST_LETTERS = 200
"""Longest path of a file of changes."""
RECORD, TABLES = "nothing", "tables"
"""Values of `steers`: the reading is only a record; tables ask for its answer."""

MEANINGS = {
    "reconciled": "the interpretation that explains most printed numbers; this one is counted",
    "literal": "the text of the paper as written",
    "released": "the authors' program with its own random numbers; counted if it is run",
    "repaired": "our minimal correction, where neither text nor program works as it is",
    "fixed": "reconciled, with one setting for all data sets, chosen without class labels",
    "print": "counted or computed from other printed numbers, without a run of ours",
}
"""Meaning of the readings that several papers may have, by name."""

DECIDED_BY = {
    "text": "the paper's text",
    "source": "a cited paper or the authors' program",
    "print": "printed numbers, chosen after seeing them",
    "labels": "class labels",
    "open": "nothing; our choice",
}
"""Basis of the reconciled answer of a reading, by `decided_by`."""

_REFERENCE = re.compile(r"=(?P<name>[a-z][a-z0-9_]*\.[a-z][a-z0-9_]*)(\[(?P<part>[a-z0-9_]+)\])?")


def resolved(
    content: Any, readings: Mapping[str, Mapping[str, Any]], file: str, place: tuple[str, ...] = ()
) -> Any:
    """Return content with its references replaced by answers.

    `place` is the key path of `content` in the file. Entries of measures, algorithms and
    preparations get a key ``readings`` with the answers that they use.

    Raises `ConfigError` if a reference names an unknown reading, or its answer has no value.
    """
    match content:
        case list():
            items = enumerate(content)
            return [resolved(value, readings, file, (*place, str(i))) for i, value in items]
        case Mapping():
            found = {
                key: resolved(value, readings, file, (*place, str(key)))
                for key, value in content.items()
            }
            answers = {name: readings[name]["reconciled"] for _, name in references(content)}
            if answers and _notes(file, place):
                found["readings"] = {**answers, **found.get("readings", {})}
            return found
        case str() if content.startswith("="):
            return _value(content, readings, f"{file}: {'.'.join(place)}")
    return content


def _notes(file: str, place: tuple[str, ...]) -> bool:
    """Return whether the entry at a place lists the answers that it uses."""
    if len(place) == 1:
        return file in ("config/measures.yaml", "config/algorithms.yaml")
    return len(place) == 2 and place[0] == "preparations"


def _value(text: str, readings: Mapping, where: str) -> Any:
    match = _REFERENCE.fullmatch(text)
    if match is None or match["name"] not in readings:
        hint = remedy(text.lstrip("="), readings)
        raise ConfigError(f"{where}: {text!r} refers to an unknown reading; {hint}")
    name, part = match["name"], match["part"]
    answer = readings[name]["reconciled"]
    values = readings[name].get("values", {answer: answer})
    if answer not in values:
        raise ConfigError(
            f"config/readings.yaml: {name}: no code computes the answer {answer!r}; "
            f"{remedy(answer, values)}"
        )
    value = values[answer]
    if part is not None and not (isinstance(value, Mapping) and part in value):
        raise ConfigError(f"{where}: the value {shown(value)} of {name} has no part {part!r}")
    return value if part is None else value[part]


def references(content: Any, place: str = "") -> Iterator[tuple[str, str]]:
    """Yield each place of a file that refers to a reading, and the id of the reading.

    `content` is not yet `resolved`. A place is a key path, such as
    ``ward_r.parameters.recurrence``; `place` is the path of `content`.
    """
    match content:
        case Mapping():
            for key, value in content.items():
                yield from references(value, f"{place}.{key}" if place else str(key))
        case list():
            for value in content:
                yield from references(value, place)
        case str() if found := _REFERENCE.fullmatch(content):
            yield place, found["name"]


def check_name(file: str) -> None:
    """Check that the name of a file of changes can name a folder.

    Raises `ConfigError` if not.
    """
    if len(file) > MOST_LETTERS or not re.fullmatch(r"[a-z0-9][a-z0-9_-]*", Path(file).stem):
        raise ConfigError(
            f"{shown(file)}: its name becomes the name of a folder; use lower-case letters, "
            f"digits, - and _, and at most {MOST_LETTERS} letters with its path"
        )


def read_question(root: Path, file: str) -> dict[str, Any]:
    """Read a file of changes, such as ``config/what-if/ward.yaml``.

    Raises `ConfigError` if it cannot be read, does not match its type, or its name cannot name a
    folder.
    """
    check_name(file)
    changes = read_yaml(root / file, file)
    validate(changes, "what_if", file)
    if not any(entry for key, entry in changes.items() if key != "question"):
        raise ConfigError(f"{file}: changes nothing; add at least one change (docs/reproduce.md)")
    return changes


def changed(
    content: Mapping[str, Any], changes: Mapping[str, Any], place: str, depth: int = 1
) -> dict[str, Any]:
    """Apply changes to the content of a file. Keys of the first `depth` levels must exist.

    Raises `ConfigError` if a key does not exist. The message gives its path, which begins with
    `place`.
    """
    for key, entry in changes.items():
        if key not in content:
            raise ConfigError(f"{place}.{key}: unknown entry; {remedy(key, content)}")
        if depth > 1 and isinstance(entry, Mapping) and isinstance(content[key], Mapping):
            changed(content[key], entry, f"{place}.{key}", depth - 1)
    return overlaid(content, changes)


def answered(
    readings: Mapping[str, dict[str, Any]], answers: Mapping[str, str], place: str
) -> dict[str, dict[str, Any]]:
    """Replace the reconciled answers of readings.

    Raises `ConfigError` if a reading does not exist, or no step implements the answer.
    """
    over = changed(readings, {name: {"reconciled": one} for name, one in answers.items()}, place)
    for name, answer in answers.items():
        entry = readings[name]
        taken = [] if entry.get("steers") == RECORD else entry.get("values", entry["choices"])
        if answer not in taken:
            hint = remedy(answer, taken) if taken else "it is a record; change parameters instead"
            raise ConfigError(f"{place}.{name}: no step implements the answer {answer!r}; {hint}")
    return over
