"""Reading and checking configuration files: every mistake is one line that says how to mend it."""

from __future__ import annotations

import argparse
import json
import math
from collections.abc import Iterable, Iterator, Mapping
from functools import cache
from pathlib import Path
from typing import Any

from replication.errors import UserError, remedy

MOST_VALUES = 200_000
"""Values of a configuration file, all references written out."""


class ConfigError(UserError):
    """A mistake in the configuration: one line with the file, the key, the value, the remedy."""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments of the step `check`."""
    parser.add_argument("files", nargs="*", type=Path, help="files that are read; all by default")


def run(args: argparse.Namespace) -> int:
    """Read YAML files, or all of `config`, and complain about the first that is broken."""
    check_readable(args.files or Path("config"))
    return 0


def check_readable(where: Path | Iterable[Path]) -> None:
    """Read all YAML files of a folder, or the files named.

    Parameters
    ----------
    where : Path or iterable of Path
        A folder, or files.

    Raises
    ------
    ConfigError
        If one cannot be read.
    """
    for path in sorted(where.rglob("*.yaml")) if isinstance(where, Path) else where:
        read_yaml(path, str(path))


def read_yaml(path: Path, name: str) -> dict[str, Any]:
    """Read one YAML file that holds a map; keys that are given twice are refused.

    Parameters
    ----------
    path : Path
        The file.
    name : str
        What to call it in messages.

    Returns
    -------
    dict

    Raises
    ------
    ConfigError
        If the file is missing or broken; the message has the line.
    """
    try:
        text = Path(path).read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        reason = getattr(error, "strerror", None) or f"{error}; save it as UTF-8"
        raise ConfigError(f"{name}: cannot be read ({reason})") from error
    return plain(_parsed(text, name))


@cache
def _parsed(text: str, name: str) -> dict[str, Any]:
    """Content of a YAML file; several checks look at the same one."""
    import yaml

    try:
        loader = _loader()(text)
        node = loader.get_single_node()
        _check_extent(node, name)
        content = None if node is None else loader.construct_document(node)
    except yaml.YAMLError as error:
        mark = getattr(error, "problem_mark", None)
        place = f", line {mark.line + 1}" if mark else ""
        problem = getattr(error, "problem", None) or str(error).splitlines()[0]
        if problem.startswith("could not determine a constructor"):
            raise ConfigError(
                f"{name}{place}: {problem}; a configuration holds texts, numbers, lists and maps "
                "only: remove the tag that begins with an exclamation mark"
            ) from error
        raise ConfigError(
            f"{name}{place}: not valid YAML ({problem}); look for a missing quote, colon or "
            "bracket, or a wrong indentation, there or just above"
        ) from error
    except RecursionError as error:
        raise ConfigError(f"{name}: lists or maps are nested too deep; write it flatter") from error
    except ValueError as error:  # a number of thousands of digits, a date that is none
        raise ConfigError(f"{name}: holds a value that cannot be read ({error})") from error
    if not isinstance(content, dict):
        raise ConfigError(f"{name}: must hold keys and values, holds {shown(content)}")
    return content


def _check_extent(node: Any, name: str) -> None:
    """Refuse references that, written out, would fill the memory, or that go round in a circle."""
    sizes: dict[int, float] = {}

    def size(one: Any) -> float:
        if id(one) not in sizes:
            sizes[id(one)] = math.inf  # until it is known: whoever meets it again is inside of it
            parts = one.value if isinstance(one.value, list) else []
            flat = [
                part for pair in parts for part in (pair if isinstance(pair, tuple) else [pair])
            ]
            sizes[id(one)] = 1 + sum(map(size, flat))
        return sizes[id(one)]

    if node is not None and size(node) > MOST_VALUES:
        raise ConfigError(
            f"{name}: its references (& and *) make more than {MOST_VALUES} values of it, or a "
            "circle; write out what is meant"
        )


def _loader() -> type:
    """Safe YAML loader that refuses keys given twice and keys that are not text."""
    import yaml

    # the one compiled against libyaml is ten times faster, but not every build has it
    class Loader(getattr(yaml, "CSafeLoader", yaml.SafeLoader)):
        pass

    def mapping(loader: Loader, node: yaml.MappingNode) -> dict[str, Any]:
        seen = set()
        for key, _ in node.value:
            if key.tag == "tag:yaml.org,2002:merge":
                continue
            if key.tag != "tag:yaml.org,2002:str":
                raise yaml.constructor.ConstructorError(
                    None,
                    None,
                    f"the key {key.value!r} is not text; put it in quotes",
                    key.start_mark,
                )
            if key.value in seen:
                raise yaml.constructor.ConstructorError(
                    None, None, f"the key {key.value!r} is given twice", key.start_mark
                )
            seen.add(key.value)
        loader.flatten_mapping(node)
        return loader.construct_mapping(node, deep=True)

    Loader.add_constructor("tag:yaml.org,2002:map", mapping)
    return Loader


def check_roots(config: Mapping[str, Any], root: Path, origin: str) -> None:
    """Check that the results of one effort do not go to the places of another.

    Parameters
    ----------
    config : mapping
        The checked content of `config/config.yaml` and of whatever was laid over it.
    root : Path
        Top of the repository.
    origin : str
        What to call `config` in messages.

    Raises
    ------
    ConfigError
        If a file of the folder `config` gives the place to another effort.
    """
    for path in sorted((root / "config").glob("*.yaml")):
        name = f"config/{path.name}"
        other = read_yaml(path, name)
        if other.get("effort") in (None, config["effort"]):
            continue
        for key, place in config["roots"].items():
            if place == (other.get("roots") or {}).get(key):
                raise ConfigError(
                    f"{origin}: roots.{key}: {place!r} belongs to the effort {other['effort']!r} "
                    f"of {name}, this run is {config['effort']!r}; name its file (--configfile) "
                    "or give it places of its own"
                )


def plain(content: Any) -> Any:
    """Ordinary dicts and lists; keys become text."""
    if isinstance(content, Mapping):
        return {str(key): plain(value) for key, value in content.items()}
    if isinstance(content, list | tuple):
        return [plain(value) for value in content]
    return content


def overlaid(below: Mapping[str, Any], above: Mapping[str, Any]) -> dict[str, Any]:
    """Configuration with another one laid over it, key by key, as ``--configfile`` does."""
    return {**below} | {
        key: overlaid(below[key], value)
        if isinstance(value, Mapping) and isinstance(below.get(key), Mapping)
        else value
        for key, value in above.items()
    }


def validate(content: dict[str, Any], kind: str, name: str) -> Any:
    """Check that a file holds what its type says.

    Parameters
    ----------
    content : dict
        What the file holds.
    kind : str
        A key of `replication.plan.model.FILES`.
    name : str
        What to call the file in messages.

    Returns
    -------
    object
        Of that type.

    Raises
    ------
    ConfigError
        For the first mistake.
    """
    from pydantic import ValidationError

    from replication.plan.model import FILES

    if odd := next(_odd_numbers(content, ()), None):
        raise ConfigError(f"{name}: {_place(odd[0])}: is {odd[1]}, must be finite")
    try:
        return FILES[kind].validate_python(content)
    except ValidationError as error:
        mistakes: dict[tuple[str | int, ...], list[Any]] = {}
        for one in error.errors(include_url=False):
            mistakes.setdefault(_located(one, content), []).append(one)
        # a slip in a key makes another one missing; the slip is what is to be mended
        slip = next((at for at, (one, *_) in mistakes.items() if one["type"] == _UNKNOWN), None)
        place = slip or next(iter(mistakes))
        more = f" (and {len(mistakes) - 1} more)" if len(mistakes) > 1 else ""
        raise ConfigError(
            f"{name}: {_explained(place, mistakes[place], content, kind)}{more}"
        ) from error


def _odd_numbers(
    content: Any, path: tuple[str | int, ...]
) -> Iterator[tuple[tuple[str | int, ...], float]]:
    """Places of numbers that are no numbers, such as .nan and .inf."""
    if isinstance(content, float) and not math.isfinite(content):
        yield path, content
    elif isinstance(content, dict | list):
        items = content.items() if isinstance(content, dict) else enumerate(content)
        for key, value in items:
            yield from _odd_numbers(value, (*path, key))


_UNKNOWN = "extra_forbidden"
_TYPES = {
    "int": "a whole number",
    "float": "a number",
    "string": "a text",
    "bool": "true or false",
    "list": "a list",
    "dict": "a map of keys and values",
    "model": "a map of keys and values",
}
_LIMITS = {
    "greater_than_equal": "at least {ge}",
    "less_than_equal": "at most {le:g}",
    "greater_than": "more than {gt:g}",
    "string_too_short": "a text of at least {min_length} characters",
    "string_too_long": "a text of at most {max_length} characters",
    "string_pattern_mismatch": "a text like {pattern}",
}


def _located(mistake: Mapping[str, Any], content: Any) -> tuple[str | int, ...]:
    """Key path of a mistake; pydantic's has names of types between the keys, too."""
    path = []
    for part in mistake["loc"]:
        inside = (
            part in content
            if isinstance(content, dict)
            else isinstance(content, list) and isinstance(part, int)
        )
        if inside or mistake["type"] == "missing":
            path.append(part)
            content = content[part] if inside else None
    return tuple(path)


def _explained(path: tuple[str | int, ...], mistakes: list[Any], content: Any, kind: str) -> str:
    """One line for what is wrong at one place; several mistakes are those of alternatives."""
    from replication.plan.model import schema

    one = next((one for one in mistakes if one["type"] == "twice"), mistakes[0])
    wrong, limits = one["type"], one.get("ctx", {})
    place, whole = _place(path) or "the file", schema(kind)
    if wrong == "missing":
        return f"{place}: this key is missing; add it"
    if one["loc"][-1] == "[key]":
        return f"{place}: not a valid id; use lower-case letters, digits and _"
    if wrong == _UNKNOWN:
        known = _described(whole, path[:-1]).get("properties", {})
        return f"{place}: unknown key; {remedy(path[-1], known)}"
    for part in path:
        content = content[part]
    if wrong == "twice":
        return f"{place}: {shown(limits['value'])} is listed twice; remove one"
    described = _described(whole, path)
    meaning = described.get("description", "").rstrip(".")
    if "anyOf" in described:
        return f"{place}: is {shown(content)}, must be {meaning}"
    if wrong == "literal_error":
        allowed = described.get("enum", [described.get("const")])
        return f"{place}: unknown value {shown(content)}; {remedy(content, allowed)}"
    if wrong == "too_short":
        least = f"a {'map' if isinstance(content, dict) else 'list'} of at least 1"
    elif wrong in _LIMITS:
        least = _LIMITS[wrong].format(**limits)
    else:
        least = _TYPES.get(wrong.partition("_")[0], one["msg"])
    about = f" ({meaning})" if meaning else ""
    return f"{place}: is {shown(content)}, must be {least}{about}"


def _described(schema: Mapping[str, Any], path: Iterable[str | int]) -> Mapping[str, Any]:
    """Part of a JSON schema that describes what is at a key path."""
    for key in path:
        for option in schema.get("anyOf", [schema]):
            patterns = list(option.get("patternProperties", {}).values())
            part = option.get("properties", {}).get(key, patterns[0] if patterns else None)
            part = option.get("items") if isinstance(key, int) else part
            if part is not None:
                break
        schema = part or {}
    return schema


def _place(path: Iterable[str | int]) -> str:
    """Text of a key path, such as ``artefacts.fig01.datasets[2]``."""
    return "".join(f"[{one}]" if isinstance(one, int) else f".{one}" for one in path).lstrip(".")


def shown(value: Any) -> str:
    """A value as it stands in a message, cut to one line."""
    if isinstance(value, str):
        return repr(value)
    if value is None:
        return "empty"
    text = json.dumps(value, default=str)
    return text if len(text) <= 60 else f"{text[:57]}..."


def as_json(content: Any) -> str:
    """Compact JSON, the same for the same content."""
    return json.dumps(content, sort_keys=True, separators=(",", ":"))
