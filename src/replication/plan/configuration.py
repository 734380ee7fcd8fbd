"""Reading and checking configuration files: every mistake is one line that says how to mend it."""

from __future__ import annotations

import argparse
import json
import math
import re
import sys
from collections.abc import Iterable, Iterator, Mapping
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

from replication.errors import UserError, remedy

if TYPE_CHECKING:
    from jsonschema import Draft202012Validator
    from jsonschema.exceptions import ValidationError


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


def typed(content: Any, schema: Mapping[str, Any]) -> Any:
    """Numbers and truth values where a schema wants them and a text spells them.

    Below the first level, ``--config`` of Snakemake makes a text of everything.

    Parameters
    ----------
    content : object
        Content of a configuration file.
    schema : mapping
        Its JSON schema.

    Returns
    -------
    object
        `content`, with such texts replaced; anything else is as it was.
    """
    if isinstance(content, dict):
        parts = schema.get("properties", {})
        return {key: typed(value, parts.get(key, {})) for key, value in content.items()}
    for option in schema.get("oneOf", ()):
        value = typed(content, option)
        if value is not content:
            return value
    wanted = {"boolean": bool, "integer": int, "number": (int, float)}.get(schema.get("type"))
    if wanted is None or not isinstance(content, str):
        return content
    try:
        value = json.loads(content.lower())
    except ValueError:
        return content
    return value if isinstance(value, wanted) else content


def validate(content: dict[str, Any], schema_path: Path, name: str) -> None:
    """Check against a JSON schema.

    Raises
    ------
    ConfigError
        For the first mistake in the order of the keys.
    """
    if odd := next(_odd_numbers(content, ()), None):
        raise ConfigError(f"{name}: {_place(odd[0]).rstrip('.')}: is {odd[1]}, must be finite")
    schema = read_yaml(schema_path, str(schema_path))
    errors = sorted(
        validator()(schema).iter_errors(content),
        key=lambda error: [str(part) for part in error.absolute_path],
    )
    if errors:
        more = f" (and {len(errors) - 1} more)" if len(errors) > 1 else ""
        raise ConfigError(f"{name}: {_explained(errors[0])}{more}")


def validator() -> type[Draft202012Validator]:
    """Class that checks; imported without what would take longer than all checks."""
    # A grammar of web addresses, for a format that no schema asks for. jsonschema does without it
    # where it is not installed.
    optional = "rfc3987_syntax"
    hidden = optional not in sys.modules
    if hidden:
        sys.modules[optional] = None  # type: ignore[assignment]
    try:
        from jsonschema import Draft202012Validator
    finally:
        if hidden:
            del sys.modules[optional]
    return Draft202012Validator


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


_TYPES = {
    "integer": "a whole number",
    "number": "a number",
    "string": "a text",
    "boolean": "true or false",
    "array": "a list",
    "object": "a map of keys and values",
    "null": "nothing",
}


def _explained(error: ValidationError) -> str:
    """One line for one violation of a schema."""
    place = _place(error.absolute_path)
    kind, wanted, value = error.validator, error.validator_value, error.instance
    if kind == "additionalProperties" and wanted is False:
        known = list(error.schema.get("properties", {}))
        patterns = list(error.schema.get("patternProperties", {}))
        extra = next(
            key for key in value if key not in known and not any(_matches(p, key) for p in patterns)
        )
        if patterns and not known:
            return f"{place}{extra}: not a valid id; use lower-case letters, digits and _"
        return f"{place}{extra}: unknown key; {remedy(extra, known)}"
    if kind == "required":
        missing = next(key for key in wanted if key not in value)
        return f"{place}{missing}: this key is missing; add it"
    place = place.rstrip(".") or "the file"
    meaning = error.schema.get("description", "")
    about = f" ({meaning.rstrip('.')})" if meaning else ""
    if kind == "type":
        types = [wanted] if isinstance(wanted, str) else wanted
        text = " or ".join(_TYPES[name] for name in types)
        return f"{place}: is {shown(value)}, must be {text}{about}"
    if kind in ("enum", "const"):
        allowed = wanted if kind == "enum" else [wanted]
        return f"{place}: unknown value {shown(value)}; {remedy(value, allowed)}"
    if kind in ("oneOf", "anyOf"):
        inner = [sub for sub in error.context if sub.validator not in ("type", "const")]
        if len(inner) == 1:
            return _explained(inner[0])
        return f"{place}: is {shown(value)}, must be {meaning or 'something else'}"
    limits = {
        "minimum": "at least {}",
        "maximum": "at most {}",
        "exclusiveMinimum": "more than {}",
        "exclusiveMaximum": "less than {}",
        "minItems": "a list of at least {}",
        "minLength": "a text of at least {} characters",
        "minProperties": "a map of at least {}",
        "pattern": "a text like {}",
    }
    if kind in limits:
        return f"{place}: is {shown(value)}, must be {limits[kind].format(wanted)}{about}"
    if kind == "uniqueItems":
        twice = next(item for i, item in enumerate(value) if item in value[:i])
        return f"{place}: {shown(twice)} is listed twice; remove one"
    return f"{place}: {error.message}{about}"


def _matches(pattern: str, key: str) -> bool:
    return re.search(pattern, key) is not None


def _place(path: Iterable[str | int]) -> str:
    """Key path with a dot at its end: ``artefacts.fig01.datasets[2].``."""
    text = ""
    for part in path:
        text += f"[{part}]" if isinstance(part, int) else f".{part}"
    return f"{text.lstrip('.')}." if text else ""


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
