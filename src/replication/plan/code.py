"""The code of this repository as text: where a name is defined, and what a job's code depends on.

Snakemake does not look into ``src``. Every rule therefore carries a digest of the modules that its
jobs can reach as a parameter, and a job runs again when, and only when, one of them was changed. Of
the papers, whose words change most, docstrings and comments do not count.
"""

from __future__ import annotations

import ast
import hashlib
import re
from collections.abc import Iterable, Iterator
from functools import cache
from pathlib import Path
from typing import Any

from replication.errors import UserError

PACKAGES = ("couplings", "replication")
BY_SYNTAX = "replication.papers."
"""Modules of which the syntax counts, without docstrings and comments; of others all bytes."""

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
        Top of the repository; the packages are in ``src``.
    """

    def __init__(self, root: Path) -> None:
        self.root = Path(root)
        self.file = cache(self._file)
        self.text = cache(lambda name: self.file(name).read_text(encoding="utf-8"))
        self.imports = cache(self._imports)
        self._digest_of = cache(self._content_digest)

    def _file(self, name: str) -> Any:
        """File of a module of this repository, None if there is no such module."""
        base = self.root.joinpath("src", *name.split("."))
        paths = (base.with_name(f"{base.name}.py"), base / "__init__.py")
        known = name.partition(".")[0] in PACKAGES
        return next((path for path in paths if known and path.is_file()), None)

    def members(self, name: str) -> list[str]:
        """Names of a module and, of a package, of the modules right in it."""
        path = self.file(name)
        package = path.parent if path and path.name == "__init__.py" else None
        parts = sorted(package.glob("[a-z]*.py")) if package else []
        return [name, *(f"{name}.{part.stem}" for part in parts)]

    def defined(self, point: str) -> str:
        """File and line of a function or class, ``module:name``; imports are followed.

        Empty for what is not in this repository; the first line for a name made in another way.
        """
        module = point.partition(":")[0]
        path, line = self.definition(point) or (self.file(module), 1)
        return f"{path.relative_to(self.root).as_posix()}:{line}" if path else ""

    def public(self, module: str) -> list[str]:
        """Public functions and classes of a module and of the modules right in it."""
        return [
            name
            for part in self.members(module)
            if self.file(part)
            for name in _PUBLIC.findall(self.text(part))
        ]

    def definition(self, point: str) -> tuple[Path, int] | None:
        """File and line that define ``module:name``, None if none does.

        Imports are followed, and the modules right in a package are searched.
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

    def _imports(self, name: str) -> list[tuple[str, list[str]]]:
        """Imports of a module, anywhere but for type checkers: from where, and the names."""
        return [
            (found["base"] or "", _NAME.findall(found["names"] or found["modules"]))
            for found in _IMPORT.finditer(_FOR_TYPES.sub("", self.text(name)))
        ]

    def _needs(self, name: str) -> Iterator[str]:
        """Modules of this repository that a module imports, and the package it is in."""
        # the member of a package may be a module
        found = [name.rpartition(".")[0]]
        for base, names in self.imports(name):
            found += (base, *(f"{base}.{one}" for one in names)) if base else names
        return filter(self.file, found)

    def reached(self, entry_points: Iterable[str]) -> set[str]:
        """Modules of this repository that code can reach, the ones where it starts included.

        Names that a package exports lazily are not followed: modules import each other directly.

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
        waiting = [name for name in waiting if name.partition(".")[0] in PACKAGES]
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
        """Digest of the modules that are reached, as 32 hexadecimal digits.

        Raises
        ------
        UserError
            If a module does not exist, or one of a paper cannot be parsed.
        """
        names = sorted(self.reached(entry_points))
        text = "".join(f"{name} {self._digest_of(name)}\n" for name in names)
        return hashlib.sha256(text.encode()).hexdigest()[:32]

    def _content_digest(self, name: str) -> str:
        path = self.file(name)
        content = path.read_bytes()
        if name.startswith(BY_SYNTAX):
            try:
                content = _normalised(ast.parse(content)).encode()
            except (SyntaxError, ValueError) as error:
                line = f", line {error.lineno}" if isinstance(error, SyntaxError) else ""
                raise UserError(f"{path}{line}: not valid Python ({error})") from error
        return hashlib.sha256(content).hexdigest()


def _normalised(module: ast.Module) -> str:
    """Text of a syntax tree without positions and docstrings, which are taken out of it."""
    for node in ast.walk(module):
        if isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef) and ast.get_docstring(
            node
        ):
            node.body = node.body[1:] or [ast.Pass()]
    return ast.dump(module, annotate_fields=False)
