"""Find where a name is defined, and digest the code that a job depends on.

Snakemake does not look into ``src``. Every rule therefore has a parameter with the digest of the
modules that its jobs can import. A job runs again if and only if one of them has changed. Changes
to docstrings and comments of the papers' modules do not count.
"""

import ast
import hashlib
import inspect
import re
from collections.abc import Iterable, Iterator
from functools import cache
from pathlib import Path
from types import CodeType
from typing import Any

from replication import plugins
from replication.errors import UserError

BY_MEANING = "replication.papers."
"""Prefix of modules whose docstrings and comments do not change the digest."""

_PARTS = (
    *("name", "code", "names", "varnames", "cellvars", "freevars", "flags", "exceptiontable"),
    *("argcount", "posonlyargcount", "kwonlyargcount"),
)
"""Attributes that, with the constants, determine what a code object does."""
_IMPORT = re.compile(
    r"^[ \t]*(?:from (?P<base>[\w.]+) import (?P<names>\([^)]*\)|.*)|import (?P<modules>.*))", re.M
)
_FOR_TYPES = re.compile(r"^([ \t]*)if TYPE_CHECKING:\n(?:\1[ \t]+.*\n|\n)+", re.M)
_NAME = re.compile(r"([\w.]+)(?: as \w+)?")
_PUBLIC = re.compile(r"^(?:class|def) ([A-Za-z]\w*)", re.M)


class Sources:
    """The code of a repository, each file read once.

    Parameters
    ----------
    root : Path
        Top of the repository; the packages are in ``src``. Modules that the command line allows
        belong to the code as well (`replication.plugins`).
    """

    def __init__(self, root: Path) -> None:
        self.root = Path(root)
        own = dict.fromkeys(plugins.PACKAGES, self.root / "src")
        self.folders = own | plugins.allowed()
        self.file = cache(self._file)
        self.text = cache(lambda name: self.file(name).read_text(encoding="utf-8"))
        self.imports = cache(self._imports)
        self.signature = cache(self._signature)
        self._digest_of = cache(self._content_digest)

    def _file(self, name: str) -> Any:
        """Return the file of a module, None if the code has no such module."""
        folder = self.folders.get(name.partition(".")[0])
        if folder is None:
            return None
        base = folder.joinpath(*name.split("."))
        paths = (base.with_name(f"{base.name}.py"), base / "__init__.py")
        return next((path for path in paths if path.is_file()), None)

    def members(self, name: str) -> list[str]:
        """Return the name of a module and, for a package, those of the modules directly in it."""
        path = self.file(name)
        inside = path is not None and path.name == "__init__.py"
        parts = sorted(path.parent.glob("[a-z]*.py")) if inside else []
        return [name, *(f"{name}.{part.stem}" for part in parts)]

    def defined(self, point: str) -> str:
        """Return file and line of a function or class, ``module:name``; imports are followed.

        Empty for a name outside this repository. Line 1 for a name without ``def`` or ``class``.
        """
        path, line = self.definition(point) or (self.file(point.partition(":")[0]), 1)
        if path and path.is_relative_to(self.root):
            path = path.relative_to(self.root)
        return f"{path.as_posix()}:{line}" if path else ""

    def public(self, module: str) -> list[str]:
        """Return the public functions and classes of a module and of the modules in it."""
        parts = filter(self.file, self.members(module))
        return [name for part in parts for name in _PUBLIC.findall(self.text(part))]

    def definition(self, point: str) -> tuple[Path, int] | None:
        """Return file and line that define ``module:name``, or None.

        Imports are followed, and the modules directly in a package are searched.
        """
        module, _, name = point.partition(":")
        if self.file(module) is None:
            return None
        text = self.text(module)
        if found := re.search(rf"^(?:class|def) {re.escape(name)}\b", text, re.M):
            return self.file(module), text.count("\n", 0, found.start()) + 1
        bases = [base for base, names in self.imports(module) if base and name in names]
        modules = (*bases, *self.members(module)[1:])
        parts = (self.definition(f"{one}:{name}") for one in modules)
        return next(filter(None, parts), None)

    def _signature(self, point: str) -> inspect.Signature | None:
        """Return the parameters of a function ``module:name``, read from its file.

        The keys of ``**given: Unpack[Keys]`` count as parameters. None if no function has this
        name.
        """
        found = self._statement(point)
        if not isinstance(found, ast.FunctionDef):
            return None
        return inspect.Signature([*self._parameters(point.partition(":")[0], found.args)])

    def _statement(self, point: str) -> ast.stmt | None:
        """Return the statement that defines ``module:name``, None if there is none."""
        path, line = self.definition(point) or (None, 0)
        tree = parsed(path) if path else ast.Module([], [])
        # the line of a decorated definition is that of the word `def` or `class`
        return next((one for one in tree.body if one.lineno == line), None)

    def _parameters(self, module: str, given: ast.arguments) -> Iterator[inspect.Parameter]:
        """Yield the parameters of a function in a module."""
        kinds = inspect.Parameter
        in_order = [*given.posonlyargs, *given.args]
        required = len(in_order) - len(given.defaults)
        for i, one in enumerate(in_order):
            alone = i < len(given.posonlyargs)
            kind = kinds.POSITIONAL_ONLY if alone else kinds.POSITIONAL_OR_KEYWORD
            yield kinds(one.arg, kind, default=kinds.empty if i < required else None)
        if given.vararg:
            yield kinds(given.vararg.arg, kinds.VAR_POSITIONAL)
        for one, default in zip(given.kwonlyargs, given.kw_defaults, strict=True):
            yield kinds(one.arg, kinds.KEYWORD_ONLY, default=default or kinds.empty)
        if given.kwarg:
            said = ast.unparse(given.kwarg.annotation) if given.kwarg.annotation else ""
            name = re.fullmatch(r"Unpack\[(\w+)\]", said)
            keys = self._statement(f"{module}:{name[1]}") if name else None
            if isinstance(keys, ast.ClassDef):
                fields = [one.target for one in keys.body if isinstance(one, ast.AnnAssign)]
                yield from (kinds(ast.unparse(one), kinds.KEYWORD_ONLY) for one in fields)
            else:
                yield kinds(given.kwarg.arg, kinds.VAR_KEYWORD)

    def _imports(self, name: str) -> list[tuple[str, list[str]]]:
        """Return the imports of a module, except those for type checkers: source and names."""
        return [
            (found["base"] or "", _NAME.findall(found["names"] or found["modules"]))
            for found in _IMPORT.finditer(_FOR_TYPES.sub("", self.text(name)))
        ]

    def _needs(self, name: str) -> Iterator[str]:
        """Return the modules that a module imports, and its package, in this repository."""
        # an imported name may be a module
        found = [name.rpartition(".")[0]]
        for base, names in self.imports(name):
            found += (base, *(f"{base}.{one}" for one in names)) if base else names
        return filter(self.file, found)

    def reached(self, entry_points: Iterable[str]) -> set[str]:
        """Return the entry points and all modules of this repository that they import.

        Lazy exports of a package are not followed: modules import each other directly.

        Parameters
        ----------
        entry_points : iterable of str
            Modules, as ``package.module`` or ``package.module:Class``. Modules of other packages
            are ignored.

        Raises
        ------
        UserError
            If a module of this repository does not exist.
        """
        waiting = [point.partition(":")[0] for point in entry_points]
        waiting = [name for name in waiting if name.partition(".")[0] in self.folders]
        if gone := next((name for name in waiting if self.file(name) is None), None):
            raise UserError(f"there is no module {gone!r} in src")
        found: set[str] = set()
        while waiting:
            name = waiting.pop()
            if name not in found:
                found.add(name)
                waiting += self._needs(name)
        return found

    def digest(self, entry_points: Iterable[str]) -> str:
        """Return the digest of all modules that the entry points reach, as 32 hexadecimal digits.

        Raises `UserError` if a module does not exist.
        """
        names = sorted(self.reached(entry_points))
        text = "".join(f"{name} {self._digest_of(name)}\n" for name in names)
        return hashlib.sha256(text.encode()).hexdigest()[:32]

    def _content_digest(self, name: str) -> str:
        path = self.file(name)
        if name.startswith(BY_MEANING):
            content = _compiled(compile(parsed(path), path, "exec", optimize=2)).encode()
        else:
            content = path.read_bytes()
        return hashlib.sha256(content).hexdigest()


def parsed(path: Path) -> ast.Module:
    """Return the syntax tree of a file.

    Raises `UserError` if it is not Python.
    """
    try:
        return ast.parse(path.read_bytes(), path)
    except SyntaxError as error:
        raise UserError(f"{path}, line {error.lineno}: {error.msg}") from None


def _compiled(code: CodeType) -> str:
    """Return a text that determines what compiled code does, without line numbers."""
    constants = [
        _compiled(one)
        if isinstance(one, CodeType)
        # the order of a set varies
        else repr(sorted(map(repr, one)) if isinstance(one, frozenset) else one)
        for one in code.co_consts
    ]
    return repr((constants, *(getattr(code, f"co_{part}") for part in _PARTS)))
