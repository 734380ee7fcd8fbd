"""Notice outputs that were changed after the run that made them.

At its end a run remembers size, time and SHA-256 of its outputs. The next run compares size and
time; only where they differ, it reads the file. An output with other content is set aside, and made
again.
"""

import os
import re
import shutil
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path

from replication.errors import UserError
from replication.files import digest, read_json, write_json
from replication.plan.steps import FILES, FOLDERS

ASIDE = "set-aside"
"""Folder of the results for outputs that were changed."""
Known = dict[str, list[int | str]]
"""Size, time in nanoseconds and SHA-256 of a file, by its path."""


def _patterns(roots: Mapping[str, str]) -> Iterator[re.Pattern[str]]:
    """Yield patterns of the outputs of a run; the first group is the output of a rule.

    A name that fits two patterns belongs to the one with fewer wildcards, which comes first.
    """
    for name, path in sorted(FILES.items(), key=lambda item: item[1].count("{")):
        if "{rule}" in path or not path.startswith(("{results}", "{figures}")):
            continue
        text = path.replace("{results}", roots["results"]).replace("{figures}", roots["figures"])
        whole = re.sub(r"\\\{\w+\\\}", "[^/]+", re.escape(text))
        yield re.compile(f"({whole}){'/.*' if name in FOLDERS else ''}")


def _output(file: str, patterns: list[re.Pattern[str]]) -> str:
    """Return the output that a file is or belongs to; empty if it is none."""
    found = next(filter(None, (one.fullmatch(file) for one in patterns)), None)
    return found[1] if found else ""


def record(top: Path, roots: Mapping[str, str]) -> Path:
    """Return the file that remembers the outputs of a run."""
    return top / ".snakemake/outputs" / f"{roots['results'].replace('/', '+')}.json"


def check_folder(path: Path) -> None:
    """Check that a folder, or the nearest one above it that is there, can be written.

    Raises `UserError` if it cannot: by its permissions, or because its disk is read-only.
    """
    there = next(one for one in (path, *path.parents) if one.exists() or one.is_symlink())
    if not os.access(there, os.W_OK | os.X_OK):
        raise UserError(
            f"{there}: nothing can be written there (read-only, not a folder, or not yours); "
            "change that, or run in a copy of the repository"
        )


def check_folders(top: Path, places: Iterable[str]) -> None:
    """Check that some places, and all folders in them, can be written.

    Raises `UserError` if one cannot.
    """
    for place in sorted({*places}):
        check_folder(top / place)
        for folder, _, _ in os.walk(top / place):
            check_folder(Path(folder))


def remembered(path: Path) -> Known:
    """Return what the last run remembers; nothing if it was interrupted."""
    try:
        return read_json(path) if path.is_file() else {}
    except UserError:  # damaged: as after an interrupted run
        return {}


def remember(top: Path, roots: Mapping[str, str], before: Known) -> None:
    """Remember the outputs of a run. Files that are as `before` are not read again."""
    patterns, known = [*_patterns(roots)], {}
    for root in sorted({*roots.values()}):
        for path in sorted((top / root).rglob("*")):
            name = path.relative_to(top).as_posix()
            if path.is_file() and not path.name.startswith(".") and _output(name, patterns):
                state = path.stat()
                old = before.get(name, [])
                same = old[:2] == [state.st_size, state.st_mtime_ns]
                known[name] = [state.st_size, state.st_mtime_ns, old[2] if same else digest(path)]
    write_json(record(top, roots), known)


def changed(top: Path, roots: Mapping[str, str], before: Known) -> list[str]:
    """Return the outputs that are no longer as remembered; missing ones are made if needed."""
    patterns, found = [*_patterns(roots)], []
    for name, (size, written, expected) in before.items():
        path = top / name
        if path.is_file():
            state = path.stat()
            same = [size, written] == [state.st_size, state.st_mtime_ns]
            if not same and (state.st_size != size or digest(path) != expected):
                found.append(_output(name, patterns))
    return [one for one in dict.fromkeys(found) if one]


def forgotten(top: Path, records: Iterable[str]) -> list[str]:
    """Return the records of downloads that `make retry` has removed: their tables are still there.

    Snakemake alone does not make them again, because what was made from them is there.
    """
    return [name for name in records if (top / name).parent.is_dir() and not (top / name).exists()]


def set_aside(top: Path, roots: Mapping[str, str], outputs: list[str]) -> Path:
    """Move outputs out of the way of the run; return the folder that now holds them."""
    folder = top / roots["results"] / ASIDE
    for name in outputs:
        target = folder / name
        if target.is_dir():
            shutil.rmtree(target)
        target.parent.mkdir(parents=True, exist_ok=True)
        (top / name).replace(target)
    return folder
