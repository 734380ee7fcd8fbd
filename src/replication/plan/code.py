"""The code of this repository as the plan sees it: files of modules, and what functions take."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from functools import lru_cache
from pathlib import Path

from replication.errors import UserError

PACKAGES = ("couplings", "replication")


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


def members(name: str, source: Path) -> list[str]:
    """Names of a module and, of a package, of the modules right in it."""
    path = module_file(name, source)
    package = path.parent if path and path.name == "__init__.py" else None
    parts = sorted(package.glob("[a-z]*.py")) if package else []
    return [name, *(f"{name}.{part.stem}" for part in parts)]


def tree(path: Path) -> ast.Module:
    """Syntax tree of a module, read again where the file has changed.

    Raises
    ------
    UserError
        If it is not valid Python.
    """
    status = path.stat()
    return _tree(path, status.st_mtime_ns, status.st_size)


@lru_cache(maxsize=1024)
def _tree(path: Path, _changed: int, _size: int) -> ast.Module:
    try:
        return ast.parse(path.read_bytes(), filename=str(path))
    except (SyntaxError, ValueError) as error:
        line = f", line {error.lineno}" if isinstance(error, SyntaxError) else ""
        raise UserError(f"{path}{line}: not valid Python ({error})") from error


def defines(path: Path, name: str) -> bool:
    """Whether a module defines a function or class itself; looks at the text, which is fast."""
    text = path.read_text(encoding="utf-8")
    return re.search(rf"^(?:class|def) {re.escape(name)}\b", text, re.MULTILINE) is not None


def public(path: Path, kind: type[ast.stmt]) -> list[str]:
    """Names of the public functions, or classes, that a module defines."""
    names = [node.name for node in tree(path).body if isinstance(node, kind)]  # type: ignore[attr-defined]
    return [name for name in names if not name.startswith("_")]


def keywords(point: str, source: Path) -> dict[str, bool]:
    """Keyword arguments of a function, each with whether it must be given.

    Of ``**given: Unpack[Keys]`` these are the keys of the typed dictionary.

    Parameters
    ----------
    point : str
        The function, as ``module:name``.
    source : Path
        Folder of the packages.

    Returns
    -------
    dict of str to bool
    """
    path, function = definition(point, source)
    if path is None or not isinstance(function, ast.FunctionDef):
        return {}
    taken = function.args
    found = {
        one.arg: default is None
        for one, default in zip(taken.kwonlyargs, taken.kw_defaults, strict=True)
    }
    if taken.kwarg is not None and isinstance(taken.kwarg.annotation, ast.Subscript):
        module = ".".join(path.relative_to(source).with_suffix("").parts)
        found |= _keys(module, taken.kwarg.annotation.slice, source)
    return found


def _keys(module: str, name: ast.expr, source: Path) -> dict[str, bool]:
    """Keys of a typed dictionary, each with whether it must be there."""
    _, node = definition(f"{module}:{ast.unparse(name)}", source)
    if not isinstance(node, ast.ClassDef):
        return {}
    found: dict[str, bool] = {}
    for base in node.bases:
        found |= _keys(module, base, source)
    total = not node.keywords  # the only one is total=False
    fields = [one for one in node.body if isinstance(one, ast.AnnAssign)]
    return found | {ast.unparse(one.target): total for one in fields}


def definition(point: str, source: Path) -> tuple[Path | None, ast.stmt | None]:
    """File and statement that define a name; imports are followed, packages searched.

    Parameters
    ----------
    point : str
        A function or class, as ``module:name``.
    source : Path
        Folder of the packages.

    Returns
    -------
    (Path or None, ast.stmt or None)
        No file for a module of another package, no statement for a name that is made otherwise.
    """
    module, _, name = point.partition(":")
    path = module_file(module, source)
    if path is None:
        return None, None
    nodes = list(_statements(tree(path).body))
    for node in nodes:
        if isinstance(node, ast.FunctionDef | ast.ClassDef) and node.name == name:
            return path, node
    for node in nodes:
        if isinstance(node, ast.ImportFrom) and not node.level:
            for alias in node.names:
                if name == (alias.asname or alias.name):
                    return definition(f"{node.module}:{alias.name}", source)
    found = (definition(f"{part}:{name}", source) for part in members(module, source)[1:])
    return next((one for one in found if one[1] is not None), (path, None))


def _statements(body: list[ast.stmt]) -> Iterator[ast.stmt]:
    """Statements at the top of a module, and below conditions such as ``if TYPE_CHECKING:``."""
    for node in body:
        yield node
        if isinstance(node, ast.If):
            yield from _statements(node.body)
