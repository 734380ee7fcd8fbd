"""Step `unchanged`: whether any file of the project differs from when a run last was complete.

Snakemake takes seconds to find out that nothing is to be done, as it plans all jobs for that. A
list of names, sizes and times of change says the same at once. Only what is the same in all of
these counts; of anything else Snakemake decides.
"""

from __future__ import annotations

import argparse
import hashlib
import os
import sys
from collections.abc import Iterator
from pathlib import Path

from replication.files import write_text

LEFT_OUT = {"__pycache__", "docs", "tests", "benchmarks", "build"}
"""Folders of which no run takes anything, apart from those that begin with a dot."""
MADE = (("results",), ("figures",), ("data", "raw"))
"""Folders that runs write to."""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments of the step."""
    parser.add_argument("--effort", required=True, help="name of the results, such as full")
    parser.add_argument("--mark", action="store_true", help="this run is complete: remember it")


def run(args: argparse.Namespace) -> int:
    """Run the step; the exit code is 1 if something has changed."""
    return unchanged(Path(), args.effort, mark=args.mark)


def unchanged(root: Path, effort: str, *, mark: bool = False) -> int:
    """Compare the files of a project with those at the end of a complete run.

    Parameters
    ----------
    root : Path
        Folder of the project.
    effort : str
        Folder of ``results`` that the run wrote; those of other runs do not count.
    mark : bool
        Remember the files as they are instead, unless one that no run writes was changed since the
        last call without `mark`: the run may have begun without that.

    Returns
    -------
    int
        0 if they are the same, or with `mark`; 1 if they are not.
    """
    results = root / "results" / effort
    known = results / ".complete"
    begun = root / ".snakemake" / f"{effort}.begun"
    files = sorted(_files(root, results))
    now = hashlib.sha256(sys.executable.encode())
    for name, size, changed in files:
        now.update(f"{name}\0{size}\0{changed}\n".encode(errors="surrogateescape"))
    if mark:
        since = begun.stat().st_mtime_ns if begun.exists() else 0
        edited = any(
            changed >= since
            for name, _, changed in files
            if not any(Path(name).parts[: len(made)] == made for made in MADE)
        )
        # without the folder, the configuration has another place for results
        if results.is_dir() and not edited:
            write_text(known, now.hexdigest() + "\n")
        return 0
    if not known.exists() or known.read_text(encoding="ascii").strip() != now.hexdigest():
        write_text(begun, "")
        return 1
    print(f"Nothing to be done: no file has changed since the run in {results} was complete.")
    return 0


def _files(root: Path, results: Path) -> Iterator[tuple[str, int, int]]:
    """Name in the project, size and time of change of each file."""
    folders = [root]
    while folders:
        with os.scandir(folders.pop()) as entries:
            for entry in entries:
                path = Path(entry.path)
                if entry.name.startswith(".") or entry.name in LEFT_OUT:
                    continue
                if entry.is_dir(follow_symlinks=False):
                    if path.parent != results.parent or path == results:
                        folders.append(path)
                    continue
                seen = entry.stat(follow_symlinks=False)
                yield path.relative_to(root).as_posix(), seen.st_size, seen.st_mtime_ns
