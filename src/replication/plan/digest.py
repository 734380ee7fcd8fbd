"""Digest of the code that a step depends on: edits that matter change it, comments do not.

Snakemake does not look into ``src``. Every rule therefore carries this digest as a parameter, and
a job runs again when, and only when, code that it can reach was changed.
"""

from __future__ import annotations

import ast
import hashlib
from collections.abc import Iterable, Iterator
from functools import lru_cache
from pathlib import Path

from replication.errors import UserError

PACKAGES = ("couplings", "replication")


def code_digest(entry_points: Iterable[str], root: Path) -> str:
    """Digest of modules and of everything in this repository that they import.

    Imports are found statically, inside functions as well, except under ``if TYPE_CHECKING``.
    Names that a package exports lazily are not followed: modules import each other directly.
    The digest is that of the syntax trees without docstrings and positions, so it may differ
    between Python versions.

    Parameters
    ----------
    entry_points : iterable of str
        Modules, as ``package.module`` or ``package.module:Class``. Modules of other packages
        are ignored.
    root : Path
        Top of the repository; the packages are in ``src``.

    Returns
    -------
    str
        32 hexadecimal digits.

    Raises
    ------
    UserError
        If a module of this repository does not exist or cannot be parsed.
    """
    source = Path(root) / "src"
    total = hashlib.sha256()
    for name in reachable_modules(entry_points, root):
        path = module_file(name, source)
        total.update(f"{name} {_parsed(path)[0]}\n".encode())
    return total.hexdigest()[:32]


def reachable_modules(entry_points: Iterable[str], root: Path) -> list[str]:
    """Names of the modules that `code_digest` looks at, sorted.

    Parameters
    ----------
    entry_points, root
        As `code_digest`.

    Returns
    -------
    list of str
    """
    source = Path(root) / "src"
    waiting = [point.partition(":")[0] for point in entry_points]
    for name in waiting:
        if name.partition(".")[0] in PACKAGES and module_file(name, source) is None:
            raise UserError(f"there is no module {name!r} in src")
    found: set[str] = set()
    while waiting:
        name = waiting.pop()
        path = module_file(name, source)
        if name in found or path is None:
            continue
        found.add(name)
        parent = name.rpartition(".")[0]
        if parent:
            waiting.append(parent)
        package = name if path.name == "__init__.py" else parent
        waiting += [
            imported
            for level, base, member in _parsed(path)[1]
            for imported in _candidates(level, base, member, package)
        ]
    return sorted(found)


def module_file(name: str, source: Path) -> Path | None:
    """File of a module of this repository, or None if there is no such module.

    Parameters
    ----------
    name : str
        Dotted name.
    source : Path
        Folder of the packages.

    Returns
    -------
    Path or None
    """
    if name.partition(".")[0] not in PACKAGES:
        return None
    base = source.joinpath(*name.split("."))
    for path in (base.with_name(base.name + ".py"), base / "__init__.py"):
        if path.is_file():
            return path
    return None


def _candidates(level: int, base: str, member: str, package: str) -> Iterator[str]:
    """Modules that one import may mean: the module itself, and its member if it is a module."""
    if level:
        parts = package.split(".")
        parts = parts[: len(parts) - level + 1]
        base = ".".join([*parts, base] if base else parts)
    yield base
    if member:
        yield f"{base}.{member}"


def _parsed(path: Path) -> tuple[str, tuple[tuple[int, str, str], ...]]:
    status = path.stat()
    return _parse(path, status.st_mtime_ns, status.st_size)


@lru_cache(maxsize=4096)
def _parse(path: Path, _mtime: int, _size: int) -> tuple[str, tuple[tuple[int, str, str], ...]]:
    """Digest of one file's normalised syntax tree, and its imports."""
    try:
        tree = ast.parse(path.read_bytes(), filename=str(path))
    except (SyntaxError, ValueError) as error:
        line = f", line {error.lineno}" if isinstance(error, SyntaxError) else ""
        raise UserError(f"{path}{line}: not valid Python ({error})") from error
    imports = tuple(sorted(set(_imports(tree))))
    return hashlib.sha256(normalised(tree).encode()).hexdigest(), imports


def normalised(tree: ast.AST) -> str:
    """Text of a syntax tree without docstrings, comments and positions.

    Parameters
    ----------
    tree : ast.AST
        The tree; its docstrings are removed in place.

    Returns
    -------
    str
    """
    for node in ast.walk(tree):
        if isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef):
            first = node.body[0] if node.body else None
            if (
                isinstance(first, ast.Expr)
                and isinstance(first.value, ast.Constant)
                and isinstance(first.value.value, str)
            ):
                node.body = node.body[1:] or [ast.Pass()]
    return ast.dump(tree, annotate_fields=False, include_attributes=False)


def _imports(node: ast.AST) -> Iterator[tuple[int, str, str]]:
    """Imports below a node, as (level, module, member), those for type checkers left out."""
    if isinstance(node, ast.Import):
        for alias in node.names:
            yield 0, alias.name, ""
    elif isinstance(node, ast.ImportFrom):
        for alias in node.names:
            yield node.level, node.module or "", alias.name
    elif isinstance(node, ast.If) and _for_type_checkers(node.test):
        for child in node.orelse:
            yield from _imports(child)
    else:
        for child in ast.iter_child_nodes(node):
            yield from _imports(child)


def _for_type_checkers(test: ast.expr) -> bool:
    name = test.attr if isinstance(test, ast.Attribute) else getattr(test, "id", "")
    return name == "TYPE_CHECKING"
