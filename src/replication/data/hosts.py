"""Know which hosts answer: one job at a time finds out, the others take its answer."""

import fcntl
import threading
import time
from pathlib import Path
from urllib.parse import quote, urlsplit

import requests

from replication.data.transfer import host_of

REMEMBERED_SECONDS = 600
"""Seconds for which an answer, or its absence, is remembered."""
ANSWERS, SILENT = "answers", "silent"


def answers(url: str, folder: Path, timeout: float) -> bool:
    """Return whether the host of an address answers, as remembered in `folder`.

    A host that does not answer costs twice `timeout` seconds at most, in all jobs together, even if
    its name is looked up without end.
    """
    path = _record(url, folder)
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.with_name(f"{path.name}.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        age = time.time() - path.stat().st_mtime if path.exists() else -1
        if not 0 <= age < REMEMBERED_SECONDS:
            path.write_text(ANSWERS if _ask(url, timeout) else SILENT, encoding="utf-8")
        return path.read_text(encoding="utf-8") == ANSWERS


def remember_silence(url: str, folder: Path) -> None:
    """Remember that the host of an address does not answer any more."""
    _record(url, folder).write_text(SILENT, encoding="utf-8")


def _record(url: str, folder: Path) -> Path:
    return folder / quote(host_of(url), safe="")


def _ask(url: str, timeout: float) -> bool:
    """Return whether a host answers anything at all; the proxies of the environment are used."""
    parts = urlsplit(url)
    told: list[int] = []

    def ask() -> None:
        try:
            page = f"{parts.scheme}://{parts.netloc}/"
            told.append(requests.head(page, timeout=timeout).status_code)
        except (requests.RequestException, ValueError):  # also names that no host can have
            pass  # `told` stays empty

    # a thread, because no time limit of a connection covers the lookup of the name
    thread = threading.Thread(target=ask, daemon=True)
    thread.start()
    thread.join(2 * timeout)
    return bool(told)
