"""One file from the network: bounded in size and in time, whatever the other side does."""

from __future__ import annotations

import io
import re
import sys
import threading
import time
from pathlib import Path
from urllib.parse import urlsplit

from replication.files import write_bytes

UNREACHABLE_SECONDS = 600.0
"""Seconds for which a host that did not answer is not asked again."""
READ_SECONDS = 60.0
"""Seconds without a byte after which a transfer is given up."""
WHOLE_SECONDS = 120.0
"""Seconds that every transfer may take, besides what its size asks for."""
SLOWEST = 20_000.0
"""Bytes per second of the slowest connection that is waited for."""


class TransferError(Exception):
    """A route does not have the file, or cannot be reached: the next one is tried."""


class UnreachableError(TransferError):
    """The host does not answer at all."""


class OversizeError(TransferError):
    """The other side sends more than the file that is expected."""


class _Sink(io.BytesIO):
    """Memory that takes so many bytes, until so late."""

    def __init__(self, most: int, until: float) -> None:
        super().__init__()
        self._most, self._until = most, until

    def write(self, chunk: bytes) -> int:  # type: ignore[override]
        if self.tell() + len(chunk) > self._most:
            raise OversizeError(f"sends more than the {self._most} bytes that are expected")
        if time.monotonic() > self._until:
            raise TransferError("too slow")
        return super().write(chunk)


def download(url: str, most: int, connect_seconds: float) -> bytes:
    """Get the content of an address.

    Parameters
    ----------
    url : str
        A http: or https: address.
    most : int
        Bytes above which the transfer is given up.
    connect_seconds : float
        Seconds to wait for a connection.

    Returns
    -------
    bytes

    Raises
    ------
    TransferError
        If the host cannot be reached (`UnreachableError`), refuses, sends more than `most` bytes
        (`OversizeError`), or takes longer than `WHOLE_SECONDS` and a second per `SLOWEST` bytes.
    """
    seconds = WHOLE_SECONDS + connect_seconds + most / SLOWEST
    sink = _Sink(most, time.monotonic() + seconds)
    failure: list[Exception] = []

    def work() -> None:
        try:
            _transfer(url, sink, connect_seconds)
        except Exception as error:
            failure.append(error)

    # a server that sends a byte now and then holds up any read, so the clock is looked at from here
    worker = threading.Thread(target=work, daemon=True)
    worker.start()
    worker.join(seconds)
    if worker.is_alive():
        raise TransferError(f"not finished after {seconds:.0f} s")
    if failure:
        raise failure[0]
    return sink.getvalue()


def _transfer(url: str, sink: _Sink, connect_seconds: float) -> None:
    import pooch
    import requests

    downloader = pooch.HTTPDownloader(
        progressbar=sys.stderr.isatty(), timeout=(connect_seconds, READ_SECONDS)
    )
    try:
        downloader(url, sink, None)
    except requests.exceptions.HTTPError as error:
        raise TransferError(f"answered {error.response.status_code}") from error
    except (requests.exceptions.ConnectionError, requests.exceptions.Timeout) as error:
        raise UnreachableError("no connection") from error
    except requests.exceptions.RequestException as error:
        raise TransferError(f"transfer failed ({type(error).__name__})") from error
    except ValueError as error:  # an address or a header that is none
        raise TransferError(f"no valid address or answer ({type(error).__name__})") from error


def host_is_down(folder: Path, host: str) -> bool:
    """Whether a host did not answer within the last `UNREACHABLE_SECONDS`."""
    try:
        since = float(_marker(folder, host).read_text(encoding="ascii"))
    except (FileNotFoundError, ValueError):
        return False
    return 0 <= time.time() - since < UNREACHABLE_SECONDS


def remember_host(folder: Path, host: str) -> None:
    """Note that a host does not answer, for this and all other processes."""
    write_bytes(_marker(folder, host), repr(time.time()).encode())


def _marker(folder: Path, host: str) -> Path:
    return folder / re.sub(r"[^A-Za-z0-9.-]", "_", host).lstrip(".")


def without_password(address: str) -> str:
    """Address as it may be shown and kept: user name and password are masked."""
    try:
        parts = urlsplit(address)
        name, at, host = parts.netloc.rpartition("@")
    except ValueError:
        return address
    return parts._replace(netloc=f"***@{host}").geturl() if at and name else address
