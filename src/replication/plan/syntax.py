"""What a file of code holds for the plan: digests, imports and names, read once per content.

Reading the syntax of some hundred files takes seconds at each start of Snakemake, and on a cluster
each job starts one. So what was found is kept under ``.snakemake/code``, a file per module, and
holds as long as neither the module, nor this one, nor Python changes.
"""

from __future__ import annotations

import ast
import hashlib
import json
import os
import re
import sys
from collections.abc import Iterable, Iterator
from functools import cache, lru_cache
from pathlib import Path
from typing import Any, NamedTuple

from replication.errors import UserError

KEPT = Path(".snakemake", "code")
_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")
_FIELD = re.compile(r"\{([A-Za-z_][A-Za-z0-9_]*)[}:!]")
_ASKS = ("get", "need")
_MARK = "Pass()"

Import = tuple[int, str, str]
"""Level, module and member."""


class Statement(NamedTuple):
    """A statement at the top of a module; of an import of several names, one name.

    Attributes
    ----------
    kind : str
        Class of its syntax tree, such as ``FunctionDef``; ``ImportAs`` for a member of a module
        that is imported under a name that is given.
    binds : tuple of str
        Names that it defines, imports or assigns.
    names : tuple of str
        Names that it refers to.
    imports : tuple of (int, str, str)
        Imports in it, at any depth.
    text : str
        Its syntax without docstrings and positions.
    """

    kind: str
    binds: tuple[str, ...]
    names: tuple[str, ...]
    imports: tuple[Import, ...]
    text: str


class Part(NamedTuple):
    """What one function, class or constant of a module says and refers to.

    Attributes
    ----------
    words : tuple of str
        Every text in it that could be a parameter's name.
    asked : tuple of str
        Those that are asked for by ``parameters[...]`` or ``parameters.get(...)``.
    listed : bool
        Whether one is asked for by a name that is computed, so that any will do.
    uses : tuple of (str, str)
        Module (empty for the same) and name of what it refers to.
    """

    words: tuple[str, ...]
    asked: tuple[str, ...]
    listed: bool
    uses: tuple[tuple[str, str], ...]


class Module(NamedTuple):
    """What a file of code holds.

    Attributes
    ----------
    digest : str
        SHA-256 of its syntax without docstrings and positions.
    imports : tuple of (int, str, str)
        At any depth, sorted; those for type checkers are left out.
    statements : tuple of Statement
        Those at its top, without texts and what type checkers read.
    parts : dict of str to Part
        By name.
    """

    digest: str
    imports: tuple[Import, ...]
    statements: tuple[Statement, ...]
    parts: dict[str, Part]

    @property
    def binding(self) -> dict[str, set[int]]:
        """Numbers of the statements that bind a name."""
        return _binding(self.statements)

    def reached(self, name: str) -> set[int]:
        """Statements that a name refers to, directly or not, and those that bind nothing."""
        always = [i for i, statement in enumerate(self.statements) if not statement.binds]
        waiting, found = [*self.binding[name], *always], set()
        while waiting:
            i = waiting.pop()
            if i not in found:
                found.add(i)
                for other in self.statements[i].names:
                    waiting += self.binding.get(other, ())
        return found

    def digest_of(self, statements: Iterable[int]) -> str:
        """SHA-256 of some statements, as if the module had no others."""
        texts = [self.statements[i].text for i in sorted(statements)]
        before, after = normalised(ast.Module([ast.Pass()], [])).split(_MARK)
        text = f"{before}{', '.join(texts)}{after}" if texts else normalised(ast.Module([], []))
        return hashlib.sha256(text.encode()).hexdigest()


@cache
def _binding(statements: tuple[Statement, ...]) -> dict[str, set[int]]:
    binding: dict[str, set[int]] = {}
    for i, statement in enumerate(statements):
        for name in statement.binds:
            binding.setdefault(name, set()).add(i)
    return binding


def module(path: Path, root: Path) -> Module:
    """What a file of code holds.

    Parameters
    ----------
    path : Path
        The file.
    root : Path
        Top of the repository, below which findings are kept.

    Raises
    ------
    UserError
        If it is not valid Python.
    """
    status = path.stat()
    return _module(path, root, status.st_mtime_ns, status.st_size)


_FOUND: dict[str, Module] = {}
"""What this process has found, by content: copies of a repository hold the same."""


@lru_cache(maxsize=4096)
def _module(path: Path, root: Path, _changed: int, _size: int) -> Module:
    content = path.read_bytes()
    key = hashlib.sha256(content + _reader()).hexdigest()
    place = root / KEPT / ("-".join(path.relative_to(root).parts) + ".json")
    known = _FOUND.get(key) or _recalled(place, key)
    if known is None:
        known = read(content, path)
        _keep(place, key, known)
    _FOUND[key] = known
    return known


@cache
def _reader() -> bytes:
    """What findings depend on beside the file: this module, and Python's syntax."""
    return Path(__file__).read_bytes() + sys.version.encode()


def _recalled(place: Path, key: str) -> Module | None:
    """What was kept of a file with this content; None if that is not there, or not whole."""
    try:
        kept = json.loads(place.read_bytes())
    except (OSError, ValueError):
        return None
    if not isinstance(kept, dict) or kept.get("key") != key:
        return None
    return Module(
        kept["digest"],
        _tuples(kept["imports"]),
        tuple(
            Statement(kind, tuple(binds), tuple(names), _tuples(imports), text)
            for kind, binds, names, imports, text in kept["statements"]
        ),
        {
            name: Part(tuple(words), tuple(asked), listed, _tuples(uses))
            for name, (words, asked, listed, uses) in kept["parts"].items()
        },
    )


def _tuples(lists: list[list[Any]]) -> tuple[Any, ...]:
    return tuple(tuple(one) for one in lists)


def _keep(place: Path, key: str, found: Module) -> None:
    partial = place.with_name(f"{place.name}.{os.getpid()}")
    try:
        place.parent.mkdir(parents=True, exist_ok=True)
        partial.write_text(json.dumps({"key": key, **found._asdict()}), encoding="utf-8")
        partial.replace(place)
    except OSError:
        # A repository that cannot be written to is read anew each time; nothing else is lost.
        if partial.is_file():
            partial.unlink()


def read(content: bytes, path: Path) -> Module:
    """Read what a file of code holds; see `module`."""
    try:
        tree = ast.parse(content, filename=str(path))
    except (SyntaxError, ValueError) as error:
        line = f", line {error.lineno}" if isinstance(error, SyntaxError) else ""
        raise UserError(f"{path}{line}: not valid Python ({error})") from error
    parts = _parts(tree)
    imports = tuple(sorted(set(_imports(tree))))
    digest = hashlib.sha256(normalised(tree).encode()).hexdigest()
    # after `normalised`, which takes the docstrings away
    statements = tuple(
        Statement(
            _kind(one),
            tuple(sorted(_bound(one))),
            tuple(sorted({node.id for node in ast.walk(one) if isinstance(node, ast.Name)})),
            tuple(_imports(one)),
            normalised(one),
        )
        for one in _single(tree.body)
    )
    return Module(digest, imports, statements, parts)


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


def _kind(statement: ast.stmt) -> str:
    if isinstance(statement, ast.ImportFrom) and statement.names[0].asname:
        return "ImportAs"
    return type(statement).__name__


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


def _parts(tree: ast.Module) -> dict[str, Part]:
    """What a module defines."""
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
        parts.setdefault(name, Part((), (), False, ((module, other),)))
    return parts


def _part(node: ast.stmt, own: set[str], imported: dict[str, tuple[str, str]]) -> Part:
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
    found = sorted(set(filter(None, asked)))
    return Part(tuple(sorted(words)), tuple(found), "" in asked, tuple(sorted(uses)))


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
