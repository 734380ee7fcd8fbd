"""Parameters that an experiment or an artefact knows, found in the code behind it.

A parameter is asked for by its name, so a name that occurs nowhere in the functions that a
computation can reach is one that nobody looks at: most likely a slip of the pen.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterable, Iterator
from functools import lru_cache
from pathlib import Path
from typing import NamedTuple

from replication.plan.digest import module_file

_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")
_FIELD = re.compile(r"\{([A-Za-z_][A-Za-z0-9_]*)[}:!]")
_ASKS = ("get", "need")


class Known(NamedTuple):
    """Names that occur in some code.

    Attributes
    ----------
    words : frozenset of str
        Every text that could be a parameter's name.
    asked : frozenset of str
        Those that are asked for by ``parameters[...]`` or ``parameters.get(...)``.
    listed : bool
        Whether one is asked for by a name that is computed, so that any will do.
    """

    words: frozenset[str] = frozenset()
    asked: frozenset[str] = frozenset()
    listed: bool = False


def known_parameters(points: Iterable[str], source: Path) -> Known:
    """Names that the functions behind a computation could ask for.

    Parameters
    ----------
    points : iterable of str
        Functions, as ``module:function``.
    source : Path
        Folder of the packages. Only modules of the workflow are followed.

    Returns
    -------
    Known
    """
    waiting = [tuple(point.split(":")) for point in points]
    seen = set(waiting)
    found = Known()
    while waiting:
        module, name = waiting.pop()
        path = module_file(module, source)
        if path is None or not module.startswith("replication."):
            continue
        part = _parts(path, path.stat().st_mtime_ns).get(name)
        if part is None:
            continue
        found = Known(
            found.words | part.known.words,
            found.asked | part.known.asked,
            found.listed or part.known.listed,
        )
        new = {(one or module, other) for one, other in part.uses} - seen
        seen |= new
        waiting += new
    return found


class _Part(NamedTuple):
    """One function, class or constant of a module."""

    known: Known
    uses: frozenset[tuple[str, str]]
    """Module (empty for the same) and name of what it refers to."""


@lru_cache
def _parts(path: Path, _changed: int) -> dict[str, _Part]:
    """What a module defines; read once as long as the file stays as it is."""
    tree = ast.parse(path.read_bytes())
    imported = {
        alias.asname or alias.name: (node.module, alias.name)
        for node in ast.walk(tree)
        if isinstance(node, ast.ImportFrom) and node.module and not node.level
        for alias in node.names
    }
    nodes: dict[str, ast.stmt] = {}
    for node in tree.body:
        if isinstance(node, ast.FunctionDef | ast.ClassDef):
            nodes[node.name] = node
        elif isinstance(node, ast.Assign | ast.AnnAssign):
            targets = node.targets if isinstance(node, ast.Assign) else [node.target]
            nodes |= {target.id: node for target in targets if isinstance(target, ast.Name)}
    parts = {name: _part(node, set(nodes), imported) for name, node in nodes.items()}
    for name, (module, other) in imported.items():
        parts.setdefault(name, _Part(Known(), frozenset({(module, other)})))
    return parts


def _part(node: ast.stmt, own: set[str], imported: dict[str, tuple[str, str]]) -> _Part:
    words: set[str] = set()
    uses: set[tuple[str, str]] = set()
    for one in ast.walk(node):
        if isinstance(one, ast.Constant) and isinstance(one.value, str):
            words.update([one.value] if _NAME.fullmatch(one.value) else _FIELD.findall(one.value))
        elif isinstance(one, ast.arg):
            words.add(one.arg)
        elif isinstance(one, ast.Name) and one.id in own:
            uses.add(("", one.id))
        elif isinstance(one, ast.Name) and one.id in imported:
            uses.add(imported[one.id])
        elif (
            isinstance(one, ast.Attribute)
            and isinstance(one.value, ast.Name)
            and one.value.id in imported
        ):
            module, name = imported[one.value.id]
            uses.add((f"{module}.{name}", one.attr))
    asked = list(_asked(node))
    known = Known(frozenset(words), frozenset(filter(None, asked)), "" in asked)
    return _Part(known, frozenset(uses))


def _asked(node: ast.AST) -> Iterator[str]:
    """Names that are asked of something called parameters; empty if all of them are."""
    given = {
        target.id
        for one in ast.walk(node)
        if isinstance(one, ast.Assign) and _is_given(one.value, set())
        for target in one.targets
        if isinstance(target, ast.Name)
    }
    for one in ast.walk(node):
        if isinstance(one, ast.Subscript) and _is_given(one.value, given):
            yield from _text(one.slice)
        elif (
            isinstance(one, ast.Call)
            and isinstance(one.func, ast.Attribute)
            and one.func.attr in _ASKS
            and one.args
            and _is_given(one.func.value, given)
        ):
            yield from _text(one.args[0]) if isinstance(one.args[0], ast.Constant) else [""]


def _is_given(node: ast.AST, given: set[str]) -> bool:
    """Whether an expression is the parameters: by its name, or ``need("parameters")``."""
    if isinstance(node, ast.Name):
        return node.id == "parameters" or node.id in given
    if isinstance(node, ast.Attribute):
        return node.attr == "parameters"
    texts = [one for part in ast.iter_child_nodes(node) for one in _text(part)]
    return isinstance(node, ast.Call | ast.Subscript) and "parameters" in texts


def _text(node: ast.AST) -> Iterator[str]:
    if isinstance(node, ast.Constant) and isinstance(node.value, str):
        yield node.value
