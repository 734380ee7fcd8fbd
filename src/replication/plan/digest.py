"""Digest of the code that a step depends on: edits that matter change it, comments do not.

Snakemake does not look into ``src``. Every rule therefore carries this digest as a parameter, and
a job runs again when, and only when, code that it can reach was changed.
"""

from __future__ import annotations

import ast
import hashlib
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cache, lru_cache
from pathlib import Path

from replication.errors import UserError

PACKAGES = ("couplings", "replication")
PARTED = "replication.papers."
"""Modules that hold several computations: of these only what is reached by name counts."""


def code_digest(entry_points: Iterable[str], root: Path) -> str:
    """Digest of modules and of everything in this repository that they import.

    Imports are found statically, inside functions as well, except under ``if TYPE_CHECKING``.
    Names that a package exports lazily are not followed: modules import each other directly. Of a
    paper's module that is entered by a name, ``replication.papers.x.y:function``, only that name
    counts, and what it refers to: functions, classes and constants at the top of the module,
    statements that bind nothing, and imports, which are followed the same way.
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
    for name, statements in sorted(_reached(entry_points, root).items()):
        path = module_file(name, source)
        text = _parsed(path)[0] if statements is None else _parts(path).digest(statements)
        total.update(f"{name} {text}\n".encode())
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
    return sorted(_reached(entry_points, root))


def _reached(entry_points: Iterable[str], root: Path) -> dict[str, set[int] | None]:
    """Modules, and numbers of the statements that count; None for all of them."""
    source = Path(root) / "src"

    @cache
    def file_of(name: str) -> Path | None:
        return module_file(name, source)

    waiting: list[tuple[str, str]] = []
    for point in entry_points:
        name, _, member = point.partition(":")
        if name.partition(".")[0] in PACKAGES and file_of(name) is None:
            raise UserError(f"there is no module {name!r} in src")
        waiting.append((name, member if name.startswith(PARTED) else ""))
    seen: set[tuple[str, str]] = set()
    found: dict[str, set[int] | None] = {}
    while waiting:
        name, member = waiting.pop()
        if (name, member) in seen:
            continue
        seen.add((name, member))
        path = file_of(name)
        if path is None:
            continue
        parent = name.rpartition(".")[0]
        if parent:
            waiting.append((parent, ""))
        package = name if path.name == "__init__.py" else parent
        if member and member in (parts := _parts(path)).binding:
            statements = parts.reached(member)
            if (known := found.setdefault(name, set())) is not None:
                known |= statements
            for imported in parts.imports(statements):
                waiting += _named(*imported, package, source)
            continue
        found[name] = None
        waiting += [
            (imported, "")
            for level, base, member_ in _parsed(path)[1]
            for imported in _candidates(level, base, member_, package)
        ]
    return found


def _named(
    level: int, base: str, member: str, package: str, source: Path
) -> Iterator[tuple[str, str]]:
    """Modules that one import may mean, and the name in it if only that counts."""
    whole, *inner = _candidates(level, base, member, package)
    if whole.startswith(PARTED) and inner and module_file(inner[0], source) is None:
        yield whole, member
    else:
        yield from ((name, "") for name in (whole, *inner))


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


@dataclass(frozen=True, eq=False)
class _Parts:
    """The statements at the top of a module.

    Attributes
    ----------
    statements : tuple of ast.stmt
        Without those for type checkers; an import of several names is one statement per name.
    binding : dict of str to set of int
        Statements that bind a name.
    always : frozenset of int
        Statements that bind none, such as calls and loops.
    """

    statements: tuple[ast.stmt, ...]
    binding: dict[str, set[int]]
    always: frozenset[int]

    def reached(self, name: str) -> set[int]:
        """Statements that a name refers to, directly or not, and those that bind nothing."""
        waiting, found = [*self.binding[name], *self.always], set()
        while waiting:
            i = waiting.pop()
            if i not in found:
                found.add(i)
                waiting += [
                    other
                    for node in ast.walk(self.statements[i])
                    if isinstance(node, ast.Name)
                    for other in self.binding.get(node.id, ())
                ]
        return found

    def imports(self, statements: Iterable[int]) -> Iterator[tuple[int, str, str]]:
        """Imports of some statements, as `_imports`."""
        for i in statements:
            yield from _imports(self.statements[i])

    def digest(self, statements: Iterable[int]) -> str:
        """Digest of some statements."""
        body = [self.statements[i] for i in sorted(statements)]
        return hashlib.sha256(normalised(ast.Module(body, [])).encode()).hexdigest()


def _parts(path: Path) -> _Parts:
    status = path.stat()
    return _split(path, status.st_mtime_ns, status.st_size)


@lru_cache(maxsize=1024)
def _split(path: Path, _mtime: int, _size: int) -> _Parts:
    _parse(path, _mtime, _size)  # complains if this is no Python
    statements: list[ast.stmt] = []
    binding: dict[str, set[int]] = {}
    always = set()
    for statement in _single(ast.parse(path.read_bytes()).body):
        names = _bound(statement)
        for name in names:
            binding.setdefault(name, set()).add(len(statements))
        if not names:
            always.add(len(statements))
        statements.append(statement)
    return _Parts(tuple(statements), binding, frozenset(always))


def _single(body: Iterable[ast.stmt]) -> Iterator[ast.stmt]:
    """Statements of a module, imports name by name, without texts and what type checkers read."""
    for statement in body:
        if isinstance(statement, ast.If) and _for_type_checkers(statement.test):
            yield from _single(statement.orelse)
        elif isinstance(statement, ast.Import | ast.ImportFrom):
            for alias in statement.names:
                if isinstance(statement, ast.Import):
                    yield ast.Import([alias])
                elif statement.module != "__future__":
                    yield ast.ImportFrom(statement.module, [alias], statement.level)
        elif not (isinstance(statement, ast.Expr) and isinstance(statement.value, ast.Constant)):
            yield statement


def _bound(statement: ast.stmt) -> set[str]:
    """Names that a statement binds by definition, import or assignment."""
    if isinstance(statement, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
        return {statement.name}
    if isinstance(statement, ast.Import | ast.ImportFrom):
        alias = statement.names[0]
        return {alias.asname or alias.name.partition(".")[0]}
    targets: list[ast.expr] = []
    if isinstance(statement, ast.Assign):
        targets = statement.targets
    elif isinstance(statement, ast.AnnAssign | ast.AugAssign):
        targets = [statement.target]
    return {
        node.id for target in targets for node in ast.walk(target) if isinstance(node, ast.Name)
    }


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
