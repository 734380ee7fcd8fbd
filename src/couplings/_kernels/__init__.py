"""Compiled kernels: they take and return arrays, and check nothing.

Numba compiles each kernel at its first call and caches the machine code. If the cache is empty, one
line says so through the logger ``couplings``; it appears on standard error unless logging is
configured, and ``logging.getLogger("couplings").setLevel("ERROR")`` silences it. If neither this
folder nor the user's cache folder is writable, and ``NUMBA_CACHE_DIR`` names no other, every
process compiles for itself.

A parallel kernel that another kernel calls must not be cached itself, nor any kernel between the
two. Numba would load it from the cache when it compiles the caller, and cache for the caller only
code that does not start the threads. Calling that code crashes the process.
"""

import logging
from pathlib import Path
from tempfile import TemporaryDirectory

import numba

from couplings.errors import CouplingsError


def _probe():
    """Locate the cache of this folder; never called."""


def _announce() -> "TemporaryDirectory[str] | None":
    """Log the compilation of kernels; return a cache folder of this process alone, if needed."""
    temporary, how = None, "up to a minute of processor time, once"
    try:
        probe = numba.njit(cache=True)(_probe)
    except RuntimeError:  # neither this folder nor the user's cache folder is writable
        try:
            temporary = TemporaryDirectory(prefix="couplings-")
        except FileNotFoundError as error:
            raise CouplingsError(
                "no folder for compiled kernels is writable; set the environment variable "
                "NUMBA_CACHE_DIR to a writable one"
            ) from error
        # Numba sets its options while it loads, invisibly to type checkers.
        numba.config.CACHE_DIR = temporary.name  # type: ignore[attr-defined]
        probe = numba.njit(cache=True)(_probe)
        how = "in every process, as no folder is writable: set NUMBA_CACHE_DIR to a writable one"
    folder = probe.stats.cache_path
    if folder is None or not any(Path(folder).glob("*.nbi")):
        logging.getLogger("couplings").warning(
            "couplings compiles its kernels on first use: %s", how
        )
    return temporary


_TEMPORARY = _announce()
