"""How a command has its step run by the process of `replication.warm`.

Every job begins with it, so it imports next to nothing.
"""

from __future__ import annotations

import os
import socket
import struct
import sys
from collections.abc import Sequence

VARIABLE = "REPLICATION_WARM"
"""Environment variable: prefix of the interpreter, and socket of the process that waits."""
WAIT = "--wait"
"""First argument of the process that waits; number of its socket and folder follow."""
LENGTH = struct.Struct("!I")
"""Bytes of the words that follow."""
STATUS = struct.Struct("!i")
"""Exit code of the step."""


def ask(arguments: Sequence[str]) -> int | None:
    """Have a step run in a copy of the process that waits.

    Parameters
    ----------
    arguments : sequence of str
        The step and its arguments.

    Returns
    -------
    int or None
        Exit code; None if nobody waits, or not for such a step: one with other threads than one,
        or of another environment.
    """
    prefix, _, path = os.environ.get(VARIABLE, "").rpartition(os.pathsep)
    after = [arguments[i + 1 : i + 2] for i, word in enumerate(arguments) if word == "--threads"]
    if prefix != sys.prefix or [list(number) for number in after] not in ([], [["1"]]):
        return None
    with socket.socket(socket.AF_UNIX) as line:
        try:
            line.connect(path)
        except OSError:
            return None
        words = _words(arguments)
        sys.stdout.flush()
        socket.send_fds(line, [LENGTH.pack(len(words))], [1, 2])
        line.sendall(words)
        answer = received(line, STATUS.size)
    if not answer:
        print("error: the process that runs the steps has ended; run again", file=sys.stderr)
        return 1
    return STATUS.unpack(answer)[0]


def _words(arguments: Sequence[str]) -> bytes:
    """What is asked: arguments and their number, folder and environment, apart by zero bytes."""
    settings = (f"{name}={value}" for name, value in os.environ.items())
    folder = os.getcwd()  # noqa: PTH109 - pathlib takes as long to import as all the rest
    words = [str(len(arguments)), *arguments, folder, *settings]
    return b"\0".join(map(os.fsencode, words))


def read(words: bytes) -> tuple[list[str], str, dict[str, str]]:
    """Return the arguments, the folder and the environment of a command."""
    count, *rest = map(os.fsdecode, words.split(b"\0"))
    arguments, (folder, *settings) = rest[: int(count)], rest[int(count) :]
    return arguments, folder, dict(setting.split("=", 1) for setting in settings)


def received(line: socket.socket, size: int) -> bytes:
    """Read so many bytes, or none if they do not come."""
    parts = []
    while size:
        part = line.recv(size)
        if not part:
            return b""
        parts.append(part)
        size -= len(part)
    return b"".join(parts)
