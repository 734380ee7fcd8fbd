"""Read and check configuration files; a mistake is reported in one line, with its remedy."""

import itertools
import json
import os
import re
from collections.abc import Iterable, Mapping
from functools import cache
from pathlib import Path
from typing import Any

from replication.errors import UserError, remedy

_LONGEST = 60
MOST_PIECES = 1_000_000
"""Pieces of JSON that a configuration file may have, all references written out."""
MOST_MERGED = 10_000
"""Keys that one map may have, merges (``<<: *name``) included."""
_PROJECT = (
    *("benchmarks", "config", "data", "docs", "notebooks"),
    *("profiles", "src", "tests", "workflow"),
)
"""Folders of the project, in which no run may write its results."""
_BOMB = "its references, & and *, expand to too much; write the values out"


class ConfigError(UserError):
    """A mistake in the configuration: one line with the file, the key, the value, the remedy."""


def run(files: list[Path], /) -> int:
    """Check that YAML files, by default all in `config`, can be read."""
    check_readable(files or Path("config"))
    return 0


def check_readable(where: Path | Iterable[Path]) -> None:
    """Check that all YAML files in a folder, or the files named, can be read."""
    for path in sorted(where.rglob("*.yaml")) if isinstance(where, Path) else where:
        read_yaml(path, str(path))


def read_yaml(path: Path, name: str) -> dict[str, Any]:
    """Read one YAML file that holds a map, called `name` in messages.

    Raises
    ------
    ConfigError
        If the file is missing or broken, or gives a key twice; the message has the line.
    """
    try:
        text = Path(path).read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        reason = getattr(error, "strerror", None) or f"{error}; save it as UTF-8"
        raise ConfigError(f"{name}: cannot be read ({reason})") from error
    return json.loads(_parsed(text, name))


@cache
def _parsed(text: str, name: str) -> str:
    """Return the content of a YAML file as JSON; a file is parsed once."""
    import yaml

    try:
        content = yaml.load(text, Loader=_loader())  # noqa: S506 - a safe one
        pieces = list(itertools.islice(json.JSONEncoder().iterencode(content), MOST_PIECES))
        if len(pieces) == MOST_PIECES:
            raise ValueError(_BOMB)
    except yaml.YAMLError as error:
        mark = getattr(error, "problem_mark", None)
        place = f", line {mark.line + 1}" if mark else ""
        problem = getattr(error, "problem", None) or str(error).splitlines()[0]
        raise ConfigError(
            f"{name}{place}: not valid YAML ({problem}); look for a missing quote, colon or "
            "bracket, a wrong indentation, or a tag (!), there or just above"
        ) from error
    except RecursionError as error:
        raise ConfigError(f"{name}: lists or maps are nested too deep; write it flatter") from error
    except (TypeError, ValueError) as error:  # a date, or thousands of digits
        raise ConfigError(f"{name}: holds a value that cannot be read ({error})") from error
    if not isinstance(content, dict):
        raise ConfigError(f"{name}: must hold keys and values, holds {shown(content)}")
    return "".join(pieces)


@cache
def _loader() -> type:
    """Return a safe YAML loader that refuses repeated keys and keys that are not text."""
    import yaml

    # the one compiled against libyaml is ten times faster, but not every build has it
    base: Any = getattr(yaml, "CSafeLoader", yaml.SafeLoader)

    class Loader(base):
        def flatten_mapping(self, node: yaml.MappingNode) -> None:
            super().flatten_mapping(node)
            if len(node.value) > MOST_MERGED:
                raise ValueError(_BOMB)

    def mapping(loader: Loader, node: yaml.MappingNode) -> dict[str, Any]:
        seen = set()
        for key, _ in node.value:
            text = key.tag in ("tag:yaml.org,2002:str", "tag:yaml.org,2002:merge")
            if not text or key.value in seen:
                problem = "is given twice" if text else "is not text; put it in quotes"
                raise yaml.constructor.ConstructorError(
                    None, None, f"the key {key.value!r} {problem}", key.start_mark
                )
            seen.add(key.value)
        loader.flatten_mapping(node)
        return loader.construct_mapping(node, deep=True)

    Loader.add_constructor("tag:yaml.org,2002:map", mapping)
    return Loader


def check_roots(config: Mapping[str, Any], root: Path, origin: str) -> None:
    """Check that the results of this effort have places of their own.

    `config` is the checked content of `config/config.yaml` with its overlays; `origin` names it in
    messages.

    Raises
    ------
    ConfigError
        If a place holds files of the project, if results and figures have one place, or if a file
        of the folder `config` gives the place to another effort.
    """
    places = {key: os.path.normpath(place) for key, place in config["roots"].items()}
    for key, place in places.items():
        if place in (".", "/") or Path(place).parts[0] in {"..", *_PROJECT}:
            raise ConfigError(
                f"{origin}: roots.{key}: {config['roots'][key]!r} is not a place for results; take "
                "a folder such as results/mine"
            )
    if places["results"] == places["figures"]:
        raise ConfigError(
            f"{origin}: roots.figures: {places['figures']!r} is the folder of the results as well; "
            "take another one"
        )
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


def overlaid(below: Mapping[str, Any], above: Mapping[str, Any]) -> dict[str, Any]:
    """Return a configuration with another one laid over it, as ``--configfile`` does."""
    return {**below} | {
        key: overlaid(below[key], value)
        if isinstance(value, Mapping) and isinstance(below.get(key), Mapping)
        else value
        for key, value in above.items()
    }


def validate(content: dict[str, Any], kind: str, name: str) -> Any:
    """Return the content of a file as its type in `replication.plan.model.FILES`.

    Raises
    ------
    ConfigError
        For the first mistake; the message calls the file `name`.
    """
    from pydantic import ValidationError

    from replication.plan.model import FILES

    try:
        return FILES[kind].validate_python(content)
    except ValidationError as error:
        found = error.errors(include_url=False)
        first = next((one for one in found if one["type"] == "rule"), found[0])
        raise ConfigError(f"{name}: {_explained(first, content)}") from error


def _explained(mistake: Mapping[str, Any], content: Any) -> str:
    """Return one line about a mistake; its key path has names of types between the keys."""
    wrong, limits, place = mistake["type"], mistake.get("ctx", {}), ""
    for key in mistake["loc"]:
        inside = isinstance(content, dict) and key in content
        if inside or (isinstance(content, list) and isinstance(key, int)):
            content = content[key]
        elif wrong != "missing":
            continue
        place += f"[{key}]" if isinstance(key, int) else f".{key}"
    place = f"{place}.{limits['key']}" if wrong == "key" else place or ".the file"
    if wrong == "missing":
        said = "this key is missing; add it"
    elif mistake["loc"][-1:] == ("[key]",):
        said = "not a valid id; use lower-case letters, digits and _"
    elif wrong in ("key", "rule"):
        said = mistake["msg"]
    elif wrong == "literal_error":
        known = re.findall("'(.*?)'", limits["expected"])
        said = f"unknown value {shown(content)}; {remedy(content, known)}"
    else:
        said = f"is {shown(content)}. {mistake['msg']}; see config/README.md"
    return f"{place[1:]}: {said}"


def shown(value: Any) -> str:
    """Return a value as a message shows it, cut to one line."""
    text = repr(value) if isinstance(value, str) else json.dumps(value, default=str)
    text = "empty" if value is None else text
    return text if len(text) <= _LONGEST else f"{text[: _LONGEST - 3]}..."


def as_json(content: Any) -> str:
    """Return compact JSON; equal content gives equal text."""
    return json.dumps(content, sort_keys=True, separators=(",", ":"))
