"""Digest of the code that a step depends on: edits that matter change it, comments do not.

Snakemake does not look into ``src``. Every rule therefore carries this digest as a parameter, and
a job runs again when, and only when, code that it can reach was changed.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Iterator
from functools import cache, partial
from pathlib import Path

from replication.errors import UserError
from replication.plan import syntax

PACKAGES = ("couplings", "replication")
PARTED = "replication.papers."
"""Modules that hold several computations: of these only what is reached by name counts."""


class Sources:
    """The code of a repository, each file looked for and looked into once.

    Parameters
    ----------
    root : Path
        Top of the repository; the packages are in ``src``.

    Attributes
    ----------
    file : callable
        `module_file` of this repository; takes the dotted name.
    """

    def __init__(self, root: Path) -> None:
        self.root = Path(root)
        self.file = cache(partial(module_file, source=self.root / "src"))
        self._modules: dict[Path, syntax.Module] = {}

    def module(self, path: Path) -> syntax.Module:
        """What a file of code holds, as `syntax.module` says it."""
        if path not in self._modules:
            self._modules[path] = syntax.module(path, self.root)
        return self._modules[path]


def code_digest(entry_points: Iterable[str], root: Path, sources: Sources | None = None) -> str:
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
    sources : Sources, optional
        What is known of the repository; for many digests of code that stays as it is meanwhile.

    Returns
    -------
    str
        32 hexadecimal digits.

    Raises
    ------
    UserError
        If a module of this repository does not exist or cannot be parsed.
    """
    sources = sources or Sources(root)
    total = hashlib.sha256()
    for name, statements in sorted(_reached(entry_points, sources).items()):
        code = sources.module(sources.file(name))
        text = code.digest if statements is None else code.digest_of(statements)
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
    return sorted(_reached(entry_points, Sources(root)))


def _reached(entry_points: Iterable[str], sources: Sources) -> dict[str, set[int] | None]:
    """Modules, and numbers of the statements that count; None for all of them."""
    waiting: list[tuple[str, str]] = []
    for point in entry_points:
        name, _, member = point.partition(":")
        if name.partition(".")[0] in PACKAGES and sources.file(name) is None:
            raise UserError(f"there is no module {name!r} in src")
        waiting.append((name, member if name.startswith(PARTED) else ""))
    seen: set[tuple[str, str]] = set()
    found: dict[str, set[int] | None] = {}
    while waiting:
        name, member = waiting.pop()
        if (name, member) in seen:
            continue
        seen.add((name, member))
        path = sources.file(name)
        if path is None:
            continue
        parent = name.rpartition(".")[0]
        if parent:
            waiting.append((parent, ""))
        package = name if path.name == "__init__.py" else parent
        code = sources.module(path)
        if member and member in code.binding:
            statements = code.reached(member)
            if (known := found.setdefault(name, set())) is not None:
                known |= statements
            for i in statements:
                for imported in code.statements[i].imports:
                    waiting += _named(*imported, package, sources)
            continue
        found[name] = None
        waiting += [
            (imported, "")
            for level, base, member_ in code.imports
            for imported in _candidates(level, base, member_, package)
        ]
    return found


def _named(
    level: int, base: str, member: str, package: str, sources: Sources
) -> Iterator[tuple[str, str]]:
    """Modules that one import may mean, and the name in it if only that counts."""
    whole, *inner = _candidates(level, base, member, package)
    if whole.startswith(PARTED) and inner and sources.file(inner[0]) is None:
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
