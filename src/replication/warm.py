"""Steps in copies of one process that has the libraries loaded already.

To import NumPy, numba and pandas and to ready numba takes longer than most jobs. A run on this
machine therefore keeps one process that has done so (`keep`); ``python -m replication STEP`` hands
it its arguments and its output (`replication.asking`), the process forks, and the copy runs the
step as the command itself would have: a process of its own, with nothing of another step in it.
"""

from __future__ import annotations

import contextlib
import os
import platform
import signal
import socket
import sys
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from replication import processor
from replication.asking import LENGTH, STATUS, VARIABLE, WAIT, read, received
from replication.plan.layout import STEPS

if TYPE_CHECKING:
    import subprocess

Main = Callable[[list[str]], int]
_LOADED = (
    "jinja2",
    "matplotlib.backends.backend_pdf",
    "matplotlib.backends.backend_svg",
    "matplotlib.figure",
    "pandas",
    "pooch",
    "pyarrow.parquet",
    "requests",
    "scipy.cluster.hierarchy",
    "scipy.optimize",
    "scipy.stats",
)
_PACKAGES = ("couplings.cluster", "couplings.measures", "couplings.metrics", "replication.papers")


def keep() -> subprocess.Popen[bytes] | None:
    """Start the process that waits, and tell the commands to come about it.

    It ends when this process does, and its steps with it.

    Returns
    -------
    Popen or None
        None on systems that cannot watch processes as files (only Linux can).
    """
    import subprocess
    import tempfile

    if not hasattr(os, "pidfd_open"):
        return None
    folder = tempfile.mkdtemp(prefix="replication-")
    path = f"{folder}/steps"
    settings = processor.settings(platform.machine()) | {"NUMBA_NUM_THREADS": "1"}
    with socket.socket(socket.AF_UNIX) as listener:
        listener.bind(path)
        listener.listen(64)
        process = subprocess.Popen(  # noqa: S603 - this program, and no word of anybody else
            [sys.executable, "-m", "replication", WAIT, str(listener.fileno()), folder],
            stdin=subprocess.PIPE,
            env={**os.environ, **settings},
            pass_fds=[listener.fileno()],
            start_new_session=True,
        )
    os.environ[VARIABLE] = os.pathsep.join([sys.prefix, path])
    return process


def wait(number: str, folder: str, main: Main) -> None:
    """Run what `ask` asks for, each step in a copy, until standard input ends.

    Parameters
    ----------
    number, folder : str
        Of the socket, and where it is; removed at the end.
    main : callable
        Runs a step by its arguments, and returns the exit code.
    """
    import gc
    import shutil

    from replication.compiling import compile_kernels

    try:
        _load()
        compile_kernels()
        gc.collect()
        gc.freeze()  # so that a copy shares what it does not change
        _serve(socket.socket(fileno=int(number)), main)
    finally:
        shutil.rmtree(folder)


def _serve(listener: socket.socket, main: Main) -> None:
    import selectors

    jobs: dict[int, tuple[int, socket.socket]] = {}  # by the file that tells of its end
    with selectors.DefaultSelector() as events:
        events.register(sys.stdin, selectors.EVENT_READ)
        events.register(listener, selectors.EVENT_READ)
        while True:
            for key, _ in events.select():
                if key.fileobj is sys.stdin:
                    for pid, _ in jobs.values():
                        os.killpg(pid, signal.SIGKILL)
                    return
                if key.fileobj is listener:
                    line = listener.accept()[0]
                    request = _request(line)
                    if request is None:
                        line.close()
                        continue
                    pid = os.fork()
                    if pid == 0:
                        _run(main, *request)
                    with contextlib.suppress(ProcessLookupError, PermissionError):
                        os.setpgid(pid, pid)  # here and there, whoever comes first
                    for number in request[0]:
                        os.close(number)
                    end = os.pidfd_open(pid)
                    jobs[end] = pid, line
                    events.register(end, selectors.EVENT_READ)
                    events.register(line, selectors.EVENT_READ, end)
                elif key.data is not None:
                    # who asked has gone: nobody wants the result
                    events.unregister(key.fileobj)
                    os.killpg(jobs[key.data][0], signal.SIGKILL)
                elif key.fd in jobs:
                    pid, line = jobs.pop(key.fd)
                    events.unregister(key.fd)
                    os.close(key.fd)
                    status = os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])
                    with contextlib.suppress(KeyError):
                        events.unregister(line)
                    with contextlib.suppress(OSError), line:
                        line.sendall(STATUS.pack(status if status >= 0 else 128 - status))


def _request(line: socket.socket) -> tuple[list[int], list[str], str, dict[str, str]] | None:
    """Read output files, arguments, folder and environment; None if who asked has gone."""
    start, numbers, _, _ = socket.recv_fds(line, LENGTH.size, 2)
    words = received(line, LENGTH.unpack(start)[0]) if len(start) == LENGTH.size else b""
    if not words:
        for number in numbers:
            os.close(number)
        return None
    return (numbers, *read(words))


def _run(
    main: Main,
    outputs: Sequence[int],
    arguments: list[str],
    folder: str,
    environment: dict[str, str],
) -> None:
    """Be the process of one step, to its end."""
    import traceback

    status = 1
    try:
        os.setpgid(0, 0)
        os.dup2(os.open(os.devnull, os.O_RDONLY), 0)
        for number, output in enumerate(outputs, start=1):
            os.dup2(output, number)
        os.closerange(3, 256)
        os.chdir(folder)
        os.environ.clear()
        os.environ.update(environment | processor.settings(platform.machine()))
        sys.argv[1:] = arguments
        status = main(arguments)
    except SystemExit as ending:
        status = ending.code if isinstance(ending.code, int) else 1
    except BaseException:
        traceback.print_exc()
    finally:
        with contextlib.suppress(OSError):
            sys.stdout.flush()
            sys.stderr.flush()
        os._exit(status)


def _load() -> None:
    """Import what steps need, and have numba make itself ready."""
    import importlib
    import pkgutil

    for name in (*_LOADED, *sorted(set(STEPS.values()))):
        importlib.import_module(name)
    for name in _PACKAGES:
        package = importlib.import_module(name)
        for module in pkgutil.walk_packages(package.__path__, f"{name}."):
            importlib.import_module(module.name)

    import numpy as np

    from couplings._kernels import agglomeration

    # the first kernel takes long; one without threads, which a copy could not go on with
    agglomeration.condense(np.zeros((1, 1)), np.empty(0))
