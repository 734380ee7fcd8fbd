"""Compiled kernels: they take and return arrays, and check nothing.

Numba caches the machine code of each kernel in this folder, the user's cache folder or
``NUMBA_CACHE_DIR``. A parallel kernel that another kernel calls must not be cached itself, nor any
kernel between the two: the caller would be cached with code that does not start the threads, and
calling it crashes the process.
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
    # Numba sets its options while it loads, invisibly to type checkers.
    if numba.config.DISABLE_JIT:  # type: ignore[attr-defined]
        raise CouplingsError(
            "NUMBA_DISABLE_JIT is set, and the kernels of couplings use instructions that only "
            "compiled code has; unset it"
        )
    temporary, how = None, "up to half a minute of processor time, once"
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
