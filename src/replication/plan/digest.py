"""Digest of the code that a step depends on: a file that it can reach counts, no other does.

Snakemake does not look into ``src``. Every rule therefore carries this digest as a parameter, and
a job runs again when, and only when, a module that it can reach was changed. Of the papers, whose
words change most, docstrings and comments do not count.
"""

from __future__ import annotations

import ast
import hashlib
import re
from collections.abc import Iterable, Iterator
from functools import cache
from pathlib import Path

from replication.errors import UserError
from replication.plan.code import PACKAGES, module_file, tree

BY_SYNTAX = "replication.papers."
"""Modules of which the syntax counts, without docstrings and comments; of others all bytes."""

_IMPORT = re.compile(
    r"^[ \t]*(?:from (?P<base>[\w.]+) import (?P<names>\([^)]*\)|.*)|import (?P<modules>.*))", re.M
)
_FOR_TYPES = re.compile(r"^([ \t]*)if TYPE_CHECKING:\n(?:\1[ \t]+.*\n|\n)+", re.M)
_NAME = re.compile(r"([\w.]+)(?: as \w+)?")


class Sources:
    """The code of a repository, each file read once.

    Parameters
    ----------
    root : Path
        Top of the repository; the packages are in ``src``.
    """

    def __init__(self, root: Path) -> None:
        self.file = cache(lambda name: module_file(name, Path(root) / "src"))
        self.digest = cache(self._digest)
        self.needs = cache(lambda name: tuple(sorted(set(self._needs(name)))))

    def _digest(self, name: str) -> str:
        path = self.file(name)
        content = path.read_bytes()
        if name.startswith(BY_SYNTAX):
            content = _normalised(tree(path)).encode()
        return hashlib.sha256(content).hexdigest()

    def _needs(self, name: str) -> Iterator[str]:
        """Modules of this repository that a module imports, anywhere but for type checkers."""
        if "." in name:
            yield name.rpartition(".")[0]
        text = _FOR_TYPES.sub("", self.file(name).read_text(encoding="utf-8"))
        for found in _IMPORT.finditer(text):
            base, listed = found["base"], found["names"] or found["modules"]
            if base and base.partition(".")[0] not in PACKAGES:
                continue
            for one in _NAME.findall(listed):
                # the member of a package may be a module
                yield from filter(self.file, (base, f"{base}.{one}") if base else (one,))


def code_digest(entry_points: Iterable[str], root: Path, sources: Sources | None = None) -> str:
    """Digest of modules and of everything in this repository that they import.

    Imports are found in the text, inside functions as well, except under ``if TYPE_CHECKING:``.
    Names that a package exports lazily are not followed: modules import each other directly.

    Parameters
    ----------
    entry_points : iterable of str
        Modules, as ``package.module`` or ``package.module:Class``. Modules of other packages
        are ignored.
    root : Path
        Top of the repository; the packages are in ``src``.
    sources : Sources, optional
        What is known of the repository; for many digests of code that stays as it is meanwhile.

    Returns
    -------
    str
        32 hexadecimal digits.

    Raises
    ------
    UserError
        If a module of this repository does not exist, or one of a paper cannot be parsed.
    """
    sources = sources or Sources(root)
    names = _reached(entry_points, sources)
    text = "".join(f"{name} {sources.digest(name)}\n" for name in sorted(names))
    return hashlib.sha256(text.encode()).hexdigest()[:32]


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
    return sorted(_reached(entry_points, Sources(root)))


def _reached(entry_points: Iterable[str], sources: Sources) -> set[str]:
    waiting = [point.partition(":")[0] for point in entry_points]
    waiting = [name for name in waiting if name.partition(".")[0] in PACKAGES]
    for name in waiting:
        if sources.file(name) is None:
            raise UserError(f"there is no module {name!r} in src")
    found: set[str] = set()
    while waiting:
        name = waiting.pop()
        if name not in found:
            found.add(name)
            waiting += sources.needs(name)
    return found


def _normalised(module: ast.Module) -> str:
    """Text of a syntax tree without positions and docstrings, which are taken out of it."""
    for node in ast.walk(module):
        if isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef) and ast.get_docstring(
            node
        ):
            node.body = node.body[1:] or [ast.Pass()]
    return ast.dump(module, annotate_fields=False)
