"""Where something is written down: lines of the configuration and of the code."""

from __future__ import annotations

import ast
from collections.abc import Iterable
from functools import lru_cache
from pathlib import Path
from typing import Any, NamedTuple

from replication.plan.digest import module_file


class Place(NamedTuple):
    """A line of a file of this repository, and what is written there."""

    file: str
    line: int
    name: str

    def __str__(self) -> str:
        """Text such as ``config/measures.yaml:12 (dilca_m)``."""
        return f"{self.file}:{self.line} ({self.name})"


def defined(root: Path, point: str) -> Place:
    """Where a function or class, named ``module:name``, is defined; imports are followed.

    A name that the module makes in another way is placed at its first line.
    """
    module, _, name = point.partition(":")
    path = module_file(module, root / "src")
    if path is None:
        return Place(module, 1, name)
    for node in tree(path).body:
        if (
            isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef)
            and node.name == name
        ):
            return Place(path.relative_to(root).as_posix(), node.lineno, name)
        if isinstance(node, ast.ImportFrom) and not node.level:
            for alias in node.names:
                if name == (alias.asname or alias.name):
                    return defined(root, f"{node.module}:{alias.name}")
    return Place(path.relative_to(root).as_posix(), 1, name)


@lru_cache
def tree(path: Path) -> ast.Module:
    """Syntax tree of a module."""
    return ast.parse(path.read_bytes())


def entry_line(root: Path, file: str, keys: Iterable[str]) -> Place:
    """Line of a key of a YAML file; of its section, if the key was made of another one."""
    node: Any = _composed(root / file)
    line, name = 1, ""
    for key in keys:
        found = {one.value: (one, value) for one, value in node.value}
        # an experiment over many measures is one entry of the file
        entry = found.get(key) or next(
            (one for short, one in found.items() if key.startswith(f"{short}_")), None
        )
        if entry is None:
            break
        head, node = entry
        line, name = head.start_mark.line + 1, f"{name}.{head.value}".lstrip(".")
    return Place(file, line, name)


@lru_cache
def _composed(path: Path) -> Any:
    import yaml

    loader = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
    return yaml.compose(path.read_text(encoding="utf-8"), Loader=loader)
