"""Compiled kernels: arrays in, arrays out, no checks.

Numba compiles each kernel when it is first called and keeps the machine code. Where nothing is kept
yet, one line says so, through the logger ``couplings``: shown on standard error unless logging is
configured otherwise, silenced by ``logging.getLogger("couplings").setLevel("ERROR")``. Where
neither this folder nor that of the user can be written, and ``NUMBA_CACHE_DIR`` names no other,
each process compiles for itself.

A kernel with threads that another kernel calls is not kept by itself, nor is what is between the
two: numba would take it from the disk when it compiles the caller, and keep of the caller only code
that does not start the threads. To call that code ends the process.
"""

import logging
from pathlib import Path
from tempfile import TemporaryDirectory

import numba

from couplings.errors import CouplingsError


def _probe():
    """Never called: knows where the machine code of this folder is kept."""


def _announce() -> "TemporaryDirectory[str] | None":
    """Say what is compiled; return the folder that this process alone keeps kernels in, if any."""
    temporary, how = None, "up to a minute of processor time, once"
    try:
        probe = numba.njit(cache=True)(_probe)
    except RuntimeError:  # neither this folder nor that of the user can be written
        try:
            temporary = TemporaryDirectory(prefix="couplings-")
        except FileNotFoundError as error:
            raise CouplingsError(
                "no folder for compiled kernels can be written; set the environment variable "
                "NUMBA_CACHE_DIR to one"
            ) from error
        # Numba sets its options while it is loaded, out of sight of type checkers.
        numba.config.CACHE_DIR = temporary.name  # type: ignore[attr-defined]
        probe = numba.njit(cache=True)(_probe)
        how = "once per process, as no folder can be written: set NUMBA_CACHE_DIR to one"
    folder = probe.stats.cache_path
    if folder is None or not any(Path(folder).glob("*.nbi")):
        logging.getLogger("couplings").warning(
            "couplings compiles its kernels on first use; that takes %s", how
        )
    return temporary


_TEMPORARY = _announce()
