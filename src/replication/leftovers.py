"""What a killed run leaves behind: its lock, half-written files, and the reason why it failed.

Each run writes down which process it is. A lock is removed only if its run is known to be dead and
no other one may be alive: on this machine and since its last start, in the same space of process
numbers, and with no process that has the number and the time of start.
"""

from __future__ import annotations

import errno
import json
import os
import platform
import re
import shutil
from collections.abc import Iterable, Iterator
from pathlib import Path

_FULL = 1 << 16
# A process that has ended keeps its number until its parent asks for it: states of Linux.
_ENDED = ("Z", "X", "x")
_TEMPORARY = re.compile(r"\..+-[a-z0-9_]{8}")
_ERROR = re.compile(r"^Error in rule (?P<rule>\w+):\n(?P<facts>(?:[ \t].*\n|\n)*)", re.MULTILINE)
_FACT = re.compile(r"^ {4}(?P<name>output|log): (?P<value>.*)$", re.MULTILINE)

Owner = dict[str, str]


def owner(pid: int) -> Owner | None:
    """What tells a process of this machine apart from every other one; None if there is none."""
    known = {"host": platform.node(), "boot": "", "numbers": "", "pid": str(pid)}
    processes = Path("/proc")
    if not (processes / "self/stat").exists():
        return _owner_elsewhere(known, pid)
    try:
        # behind the name of the program, which may hold anything: state, and start in ticks
        facts = (processes / str(pid) / "stat").read_text().rpartition(")")[2].split()
    except (FileNotFoundError, ProcessLookupError):
        return None
    if facts[0] in _ENDED:
        return None
    return known | {
        "boot": (processes / "sys/kernel/random/boot_id").read_text().strip(),
        "numbers": str((processes / "self/ns/pid").readlink()),
        "started": facts[19],
    }


def _owner_elsewhere(known: Owner, pid: int) -> Owner | None:
    import psutil

    try:
        return known | {"started": str(psutil.Process(pid).create_time())}
    except psutil.NoSuchProcess:
        return None


def alive(record: Owner) -> bool:
    """Whether a process may still run: False only if it is certain that it does not."""
    here = owner(os.getpid())
    if here is None or record.get("host") != here["host"]:
        return True
    if record.get("boot") != here["boot"]:
        return False
    if record.get("numbers") != here["numbers"]:
        return True
    return owner(int(record["pid"])) == record


def register(folder: Path) -> Path:
    """Write down that this process runs; the file is to be removed when it ends.

    Parameters
    ----------
    folder : Path
        Where the records of all runs are.

    Returns
    -------
    Path
    """
    folder.mkdir(parents=True, exist_ok=True)
    own = owner(os.getpid())
    path = folder / f"{platform.node()}.{os.getpid()}.json"
    partial = path.with_suffix(f".{os.getpid()}")
    partial.write_text(json.dumps(own), encoding="utf-8")
    partial.replace(path)
    return path


def release(folder: Path, locks: Path) -> str:
    """Remove the locks of runs that were killed, unless another run may be alive.

    Parameters
    ----------
    folder : Path
        Where the records of all runs are; this run has written its own already.
    locks : Path
        Where the locks are.

    Returns
    -------
    str
        What is to be said about it; empty if there is nothing.
    """
    dead, others = [], []
    for path in sorted(folder.glob("*.json")):
        try:
            record = json.loads(path.read_text(encoding="utf-8"))
        except (OSError, ValueError):  # gone meanwhile, or cut off when the power failed
            record = {}
        if not record or not alive(record):
            dead.append((path, record))
        elif record.get("pid") != str(os.getpid()):
            others.append((path, record))
    locked = sorted(locks.glob("*.lock")) if locks.is_dir() else []
    if others:
        path, record = others[0]
        if not locked:
            return ""
        return (
            f"note: another run holds this folder (process {record['pid']} on {record['host']}); "
            f"if it is none any more, remove {path} and run snakemake --unlock"
        )
    if not dead:
        return ""
    for path in locked:
        path.unlink(missing_ok=True)
    for path, _ in dead:
        path.unlink(missing_ok=True)
    number = dead[0][1].get("pid", "unknown")
    return f"note: removed the lock of a run that was killed (process {number})" if locked else ""


def alone(folder: Path) -> bool:
    """Whether no run but this one is known."""
    return len(list(folder.glob("*.json"))) <= 1


def clean(roots: Iterable[Path], resumed: Iterable[Path], downloads: Path) -> list[Path]:
    """Remove half-written files.

    Parameters
    ----------
    roots : iterable of Path
        Folders of results and figures.
    resumed : iterable of Path
        Folders in which a job goes on with its half-written file.
    downloads : Path
        Folder of downloads.

    Returns
    -------
    list of Path
        The files that were removed.
    """
    kept = tuple(resumed)
    found = {
        path
        for root in roots
        for path in root.rglob("*.partial")
        if not any(path.is_relative_to(folder) for folder in kept)
    }
    if downloads.is_dir():
        found |= {path for path in downloads.rglob(".*") if _TEMPORARY.fullmatch(path.name)}
    for path in found:
        path.unlink(missing_ok=True)
    return sorted(found)


def failures(report: str) -> Iterator[tuple[str, str, str]]:
    """Failed jobs of a report of Snakemake: rule, first output, log; each job once."""
    seen = set()
    for block in _ERROR.finditer(report):
        facts = {one["name"]: one["value"] for one in _FACT.finditer(block["facts"])}
        output = facts.get("output", "").split(", ")[0]
        log = facts.get("log", "").removesuffix(" (check log file(s) for error details)")
        if (block["rule"], output) not in seen:
            seen.add((block["rule"], output))
            yield block["rule"], output, log


def last_words(log: Path) -> str:
    """Why a job failed: its last line that begins with ``error:``, else its last line."""
    try:
        lines = [line.strip() for line in log.read_text(encoding="utf-8").splitlines()]
    except (OSError, UnicodeDecodeError):
        lines = []
    errors = [line for line in lines if line.startswith("error:")]
    said = errors or [line for line in lines if line]
    if said:
        return said[-1].removeprefix("error:").strip()
    return "it was stopped before it could say why"


def full_disk(folder: Path) -> str:
    """A line if the disk of a folder is full, else nothing."""
    while not folder.exists():
        folder = folder.parent
    if shutil.disk_usage(folder).free >= _FULL:
        return ""
    return (
        f"error: the disk of {folder.resolve()} is full ({os.strerror(errno.ENOSPC)}); "
        "make room and run again, what is finished is kept"
    )
