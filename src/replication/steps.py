"""What every step of the workflow shares: its JSON specification and atomic output."""

from __future__ import annotations

import importlib
import json
from pathlib import Path
from typing import Any

from replication.errors import UserError


def specification(text: str) -> dict[str, Any]:
    """Parse the ``--spec`` argument of a step.

    Raises
    ------
    UserError
        If the text is not a JSON object.
    """
    try:
        spec = json.loads(text)
    except json.JSONDecodeError as error:
        raise UserError(f"--spec is not valid JSON: {error}") from error
    if not isinstance(spec, dict):
        raise UserError("--spec must be a JSON object")
    return spec


def write_text(path: Path, text: str) -> None:
    """Write a whole file or nothing."""
    path = Path(path)
    path.parent.mkdir(parents=True, exist_ok=True)
    partial = path.with_name(path.name + ".partial")
    partial.write_text(text, encoding="utf-8", newline="\n")
    partial.replace(path)


def write_json(path: Path, content: dict[str, Any]) -> None:
    """Write a JSON object with sorted keys."""
    write_text(path, json.dumps(content, sort_keys=True, ensure_ascii=False, indent=1) + "\n")


def read_json(path: Path) -> dict[str, Any]:
    """Read a JSON object written by an earlier step.

    Raises
    ------
    UserError
        If the file is missing or damaged.
    """
    try:
        return json.loads(Path(path).read_text(encoding="utf-8"))
    except (OSError, json.JSONDecodeError) as error:
        raise UserError(f"{path}: cannot be read ({error}); delete it and run again") from error


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
    except (ImportError, AttributeError) as error:
        raise UserError(f"registry entry class {name!r}: {error}") from error


def setting_text(value: float | str | None) -> str:
    """Shortest text of a parameter setting, as written to the records."""
    return "" if value is None else f"{value:g}" if isinstance(value, float) else str(value)
