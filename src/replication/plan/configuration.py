"""Read and check configuration files. A mistake is reported in one line with its remedy."""

import itertools
import json
import re
from collections.abc import Collection, Mapping
from functools import cache
from pathlib import Path
from typing import Any

import yaml

from replication.errors import UserError, remedy

_LONGEST = 60
MOST_PIECES = 1_000_000
"""Limit on the size of a configuration file, in pieces of JSON after references are expanded."""
MOST_MERGED = 10_000
"""Limit on the keys of one map, merges (``<<: *name``) included."""
_BOMB = "its references (& and *) expand to too many values; write the values out"
_LARGE = "it holds too many values; split it"
_NUMBER = re.compile(
    r"[-+]?(0|[1-9][0-9]*)(\.[0-9]*)?([eE][-+]?[0-9]+)?|[-+]?\.(inf|nan|[0-9]+)", re.I
)
"""Numbers that mean the same to a reader and to YAML 1.1, for which 017 is 15 and 1:30 is 90."""


class ConfigError(UserError):
    """A mistake in the configuration: one line with file, key, value and remedy."""


def run(files: list[Path], /) -> None:
    """Check that YAML files, by default all in `config`, can be read."""
    for path in files or sorted(Path("config").rglob("*.yaml")):
        read_yaml(path, str(path))


def check_effort(effort: str, files: Collection[str]) -> None:
    """Check that the file of an effort, if there is one, is part of the configuration.

    Raises `ConfigError` if it is not one of `files`, of which the configuration is merged.
    """
    own = f"config/{effort}.yaml"
    if own not in files and Path(own).exists():
        raise ConfigError(
            f"{' + '.join(files)}: effort: {own} is not part of this configuration; add "
            f"--configfile {own}, or choose another name"
        )


def read_yaml(path: Path, name: str) -> dict[str, Any]:
    """Read one YAML file that holds a map. Messages call it `name`.

    Raises `ConfigError` if the file is missing or broken, or gives a key twice. The message gives
    the line.
    """
    try:
        text = Path(path).read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        reason = getattr(error, "strerror", None) or f"{error}; save it as UTF-8"
        raise ConfigError(f"{name}: cannot be read ({reason})") from error
    return json.loads(_parsed(text, name))


@cache
def _parsed(text: str, name: str) -> str:
    """Return the content of a YAML file as JSON. Each file is parsed once."""
    try:
        content = yaml.load(text, Loader=_Loader)  # noqa: S506 - a safe one
        pieces = list(itertools.islice(json.JSONEncoder().iterencode(content), MOST_PIECES))
        if len(pieces) == MOST_PIECES:
            raise ValueError(_BOMB if "*" in text else _LARGE)
    except yaml.YAMLError as error:
        mark = getattr(error, "problem_mark", None)
        place = f", line {mark.line + 1}" if mark else ""
        problem = getattr(error, "problem", None) or str(error).splitlines()[0]
        raise ConfigError(
            f"{name}{place}: not valid YAML ({problem}); look there or just above for a "
            "missing quote, colon or bracket, a wrong indentation, or a tag (!)"
        ) from error
    except RecursionError as error:
        raise ConfigError(f"{name}: lists or maps are nested too deeply; flatten them") from error
    except (TypeError, ValueError) as error:  # a date, or thousands of digits
        raise ConfigError(f"{name}: contains a value that cannot be read ({error})") from error
    if not isinstance(content, dict):
        raise ConfigError(f"{name}: must hold keys and values, holds {shown(content)}")
    return "".join(pieces)


# the loader of libyaml is ten times faster, but not every build of yaml has it
_Safe: Any = getattr(yaml, "CSafeLoader", yaml.SafeLoader)


class _Loader(_Safe):
    """A safe YAML loader that refuses repeated keys and keys that are not text."""

    def flatten_mapping(self, node: yaml.MappingNode) -> None:
        """Merge the maps that a map refers to with ``<<``, up to `MOST_MERGED` keys."""
        own = len(node.value)
        super().flatten_mapping(node)
        if len(node.value) > max(MOST_MERGED, own):
            raise ValueError(_BOMB)

    def number(self, node: yaml.ScalarNode) -> Any:
        """Return a number in the ordinary notation."""
        if not _NUMBER.fullmatch(node.value):
            raise yaml.constructor.ConstructorError(
                None,
                None,
                f"{node.value!r} is another number to YAML than to a reader; write its decimal "
                "digits, or put it in quotes",
                node.start_mark,
            )
        kind = node.tag.rpartition(":")[2]
        return self.construct_yaml_int(node) if kind == "int" else self.construct_yaml_float(node)

    def mapping(self, node: yaml.MappingNode) -> dict[str, Any]:
        """Return a map, its keys checked."""
        seen = set()
        for key, _ in node.value:
            text = key.tag in ("tag:yaml.org,2002:str", "tag:yaml.org,2002:merge")
            if not text or key.value in seen:
                problem = "is given twice" if text else "is not text; put it in quotes"
                raise yaml.constructor.ConstructorError(
                    None, None, f"the key {key.value!r} {problem}", key.start_mark
                )
            seen.add(key.value)
        self.flatten_mapping(node)
        return self.construct_mapping(node, deep=True)


_Loader.add_constructor("tag:yaml.org,2002:map", _Loader.mapping)
for _kind in ("int", "float"):
    _Loader.add_constructor(f"tag:yaml.org,2002:{_kind}", _Loader.number)


def overlaid(below: Mapping[str, Any], above: Mapping[str, Any]) -> dict[str, Any]:
    """Return a configuration in which another one overrides keys, as with ``--configfile``."""
    return {**below} | {
        key: overlaid(below[key], value)
        if isinstance(value, Mapping) and isinstance(below.get(key), Mapping)
        else value
        for key, value in above.items()
    }


def validate(content: dict[str, Any], kind: str, name: str) -> Any:
    """Return the content of a file as its type in `replication.plan.model.FILE_TYPES`.

    Raises `ConfigError` at the first mistake. The message calls the file `name`.
    """
    from pydantic import ValidationError

    from replication.plan.model import FILE_TYPES

    try:
        return FILE_TYPES[kind].validate_python(content)
    except ValidationError as error:
        found = error.errors(include_url=False)
        # of alternatives, the one that the value comes nearest to
        literal = found[0]["type"] == "literal_error" and not isinstance(found[0]["input"], str)
        nearest = found[1] if literal and len(found) > 1 else found[0]
        first = next((one for one in found if one["type"] == "rule"), nearest)
        raise ConfigError(f"{name}: {_explained(first, content)}") from error


def _explained(mistake: Mapping[str, Any], content: Any) -> str:
    """Return one line about a mistake. Its key path also has names of types, left out here."""
    wrong, limits, place = mistake["type"], mistake.get("ctx", {}), ""
    for key in mistake["loc"]:
        inside = isinstance(content, dict) and key in content
        if inside or (isinstance(content, list) and isinstance(key, int)):
            content = content[key]
        elif wrong != "missing":
            continue
        place += f"[{key}]" if isinstance(key, int) else f".{key}"
    place = f"{place}.{limits['key']}" if wrong == "key" else place or ".the file"
    match wrong:
        case "missing":
            said = "this key is missing; add it"
        case _ if mistake["loc"][-1:] == ("[key]",):
            said = "not a valid id; use lower-case letters, digits and _"
        case "key" | "rule":
            said = mistake["msg"]
        case "literal_error":
            known = re.findall("'(.*?)'", limits["expected"])
            said = f"unknown value {shown(content)}; {remedy(content, known)}"
        case _:
            said = f"is {shown(content)}. {mistake['msg']}; see config/README.md"
    return f"{place[1:]}: {said}"


def shown(value: Any) -> str:
    """Return a value as shown in a message, cut to one line."""
    text = repr(value) if isinstance(value, str) else json.dumps(value, default=str)
    text = "empty" if value is None else text
    return text if len(text) <= _LONGEST else f"{text[: _LONGEST - 3]}..."


def as_json(content: Any) -> str:
    """Return compact JSON; equal content gives equal text."""
    return json.dumps(content, sort_keys=True, separators=(",", ":"))
