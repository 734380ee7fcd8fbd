"""Bring one file here, from an address, a folder or an archive.

Every transfer has a limit in bytes and in seconds, and is hashed while it is read; the file gets
its name when the hash is right. `requests` reads addresses; `zipfile` and `tarfile` of Python read
archives. Nothing is ever extracted: the one member is read as a stream, so no other member, link
or device reaches the disk, on every version of Python alike.
"""

import bz2
import gzip
import hashlib
import lzma
import signal
import stat
import tarfile
import time
import zipfile
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from types import FrameType
from typing import IO, Any
from urllib.parse import urlsplit

import requests
import urllib3

from replication.files import atomic_write

READ_SECONDS = 60
"""Seconds without data after which a transfer fails."""
FIRST_SECONDS = 30
"""Seconds that any transfer may take."""
SLOWEST = 20_000
"""Bytes after which a transfer may take one second more."""
MOST_SECONDS = 600
"""Seconds after which every transfer ends."""
MOST_UNPACKED = 1_000_000_000
"""Bytes of an archive that are unpacked to find a member."""
MOST_HEADER = 1_000_000
"""Largest part of a tar archive that is read at once, in bytes; a header may declare any size."""
_CHUNK = 1 << 16
_COMPRESSED: dict[bytes, Callable[..., Any]] = {
    b"\x1f\x8b": gzip.open,
    b"BZh": bz2.open,
    b"\xfd7zXZ": lzma.open,
}
"""Functions that open compressed files, by the first bytes of these."""
_NOT_FILES = {
    tarfile.SYMTYPE: "a symbolic link",
    tarfile.LNKTYPE: "a hard link",
    tarfile.CHRTYPE: "a device",
    tarfile.BLKTYPE: "a device",
    tarfile.FIFOTYPE: "a FIFO",
    tarfile.DIRTYPE: "a folder",
}
"""Members of tar archives other than files."""


class UnreachableError(Exception):
    """A place cannot be reached or lacks the file."""


class NoConnectionError(UnreachableError):
    """A host does not answer, or too slowly."""


class UnexpectedError(Exception):
    """A place delivers something other than the expected file."""


class _TooSlowError(Exception):
    """The time is over. Not an `OSError`, which libraries turn into others."""


class _Clock:
    """Time of a transfer: `FIRST_SECONDS`, and more for each byte that arrived."""

    def __init__(self) -> None:
        self.started = time.monotonic()

    def allow(self, received: int) -> None:
        """Set the alarm to the time that a transfer of so many bytes may take."""
        allowed = min(MOST_SECONDS, FIRST_SECONDS + received / SLOWEST)
        left = allowed - (time.monotonic() - self.started)
        signal.setitimer(signal.ITIMER_REAL, max(left, 1e-3))


@contextmanager
def _limited_time() -> Iterator[_Clock]:
    """Run with an alarm that ends whatever the process waits for.

    Raises `NoConnectionError` when the time is over. Works in the main thread only.
    """

    def ring(_signal: int, _frame: FrameType | None) -> None:
        raise _TooSlowError

    before = signal.signal(signal.SIGALRM, ring)
    clock = _Clock()
    try:
        clock.allow(0)
        yield clock
    except _TooSlowError as error:
        seconds = time.monotonic() - clock.started
        raise NoConnectionError(f"too slow: no whole file after {seconds:.0f} s") from error
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)


def store(chunks: Iterable[bytes], path: Path, most: int, sha256: str | None = None) -> None:
    """Write a stream of bytes to a file, within the limits of a transfer.

    Parameters
    ----------
    chunks : iterable of bytes
        The stream. It may wait; the time counts from here.
    path : path
        The file. It appears when it is complete and right.
    most : int
        Largest number of bytes.
    sha256 : str, optional
        The expected SHA-256; by default any.

    Raises
    ------
    UnexpectedError
        If the stream is longer, or has another SHA-256.
    NoConnectionError
        If it takes too long.
    """
    hashed, size = hashlib.sha256(), 0
    with _limited_time() as clock, atomic_write(path) as partial, partial.open("wb") as file:
        for chunk in chunks:
            size += len(chunk)
            if size > most:
                raise UnexpectedError(f"It is larger than {most} bytes.")
            hashed.update(chunk)
            file.write(chunk)
            clock.allow(size)
        if sha256 is not None and hashed.hexdigest() != sha256:
            raise UnexpectedError(
                f"Its SHA-256 is {hashed.hexdigest()}, expected is {sha256} ({size} bytes)."
            )


def of_folder(path: Path) -> Iterator[bytes]:
    """Yield the content of a file in a folder.

    Raises `UnreachableError` if there is no such file.
    """
    if not path.is_file():
        raise UnreachableError("not there" if path.parents[1].is_dir() else "no such folder")
    with path.open("rb") as file:
        yield from _pieces(file)


def host_of(url: str) -> str:
    """Return the host of an address, with its port and without user and password."""
    return urlsplit(url).netloc.rpartition("@")[2]


def of_address(url: str, timeout: float) -> Iterator[bytes]:
    """Yield what an address (``http:``, ``https:``) delivers.

    `timeout` are the seconds to wait for a connection.

    Raises `UnreachableError` if it answers with an error or the transfer breaks off.
    """
    try:
        with requests.get(url, timeout=(timeout, READ_SECONDS), stream=True) as answer:
            answer.raise_for_status()
            yield from answer.iter_content(_CHUNK)
    except requests.HTTPError as error:
        status = error.response.status_code  # type: ignore[union-attr]  # there is an answer
        raise UnreachableError(f"answered {status}") from error
    except (requests.ConnectionError, requests.Timeout) as error:
        raise NoConnectionError(f"no connection to {host_of(url)}") from error
    except (requests.RequestException, urllib3.exceptions.HTTPError, ValueError) as error:
        raise UnreachableError(f"transfer failed ({type(error).__name__})") from error


def of_archive(path: Path, name: str) -> Iterator[bytes]:
    """Yield the content of one file in a zip or tar archive, plain or compressed.

    Raises `UnreachableError` if the archive has no member of this name, and `UnexpectedError` if it
    is not a regular file, is there twice, or the archive cannot be read.
    """
    try:
        yield from (_zip_member if zipfile.is_zipfile(path) else _tar_member)(path, name)
    except (UnreachableError, UnexpectedError, _TooSlowError):
        raise
    except Exception as error:  # a damaged archive raises errors of many types
        raise UnexpectedError(f"It is not a readable zip or tar archive ({error}).") from error


def _zip_member(path: Path, name: str) -> Iterator[bytes]:
    with zipfile.ZipFile(path) as archive:
        found = [one for one in archive.infolist() if _plain(one.filename) == name]
        member = _the_one(found, name)
        mode = member.external_attr >> 16
        if member.is_dir() or stat.S_IFMT(mode) not in (0, stat.S_IFREG):
            kind = "a symbolic link" if stat.S_ISLNK(mode) else "not a file"
            raise UnexpectedError(f"Its member {name} is {kind}.")
        with archive.open(member) as file:
            yield from _pieces(file)


def _tar_member(path: Path, name: str) -> Iterator[bytes]:
    with path.open("rb") as file:
        start = file.read(8)
    opened = next((one for magic, one in _COMPRESSED.items() if start.startswith(magic)), open)
    with opened(path, "rb") as stream, tarfile.TarFile(fileobj=_Bounded(stream)) as archive:  # type: ignore[arg-type]  # all that tarfile needs
        member = _the_one([one for one in archive if _plain(one.name) == name], name)
        content = archive.extractfile(member) if member.isreg() else None
        if content is None:
            kind = _NOT_FILES.get(member.type, "not a file")
            raise UnexpectedError(f"Its member {name} is {kind}.")
        yield from _pieces(content)


def _plain(name: str) -> str:
    """Return the name of a member without the ``./`` and ``/`` that tar may write around it."""
    return name.removeprefix("./").rstrip("/")


def _the_one(found: list[Any], name: str) -> Any:
    if not found:
        raise UnreachableError(f"has no member {name}")
    if len(found) > 1:
        raise UnexpectedError(f"It has {len(found)} members {name}.")
    return found[0]


def _pieces(file: IO[bytes]) -> Iterator[bytes]:
    while chunk := file.read(_CHUNK):
        yield chunk


class _Bounded:
    """The stream of a tar archive, with limits for what its headers declare."""

    def __init__(self, stream: IO[bytes]) -> None:
        self.stream = stream
        self.tell = stream.tell

    def seek(self, position: int) -> int:
        """Go to a position within `MOST_UNPACKED`."""
        if position > MOST_UNPACKED:
            raise UnexpectedError(f"It unpacks to more than {MOST_UNPACKED} bytes.")
        return self.stream.seek(position)

    def read(self, size: int) -> bytes:
        """Read up to `MOST_HEADER` bytes."""
        if size > MOST_HEADER:
            raise UnexpectedError(f"One of its headers is larger than {MOST_HEADER} bytes.")
        return self.stream.read(size)
