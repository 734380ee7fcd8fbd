"""Compiled kernels: arrays in, arrays out, no checks.

Numba compiles each kernel when it is first called and keeps the machine code. Where nothing is kept
yet, one line says so, through the logger ``couplings``: shown on standard error unless logging is
configured otherwise, silenced by ``logging.getLogger("couplings").setLevel("ERROR")``.

A kernel with threads that another kernel calls is not kept by itself, nor is what is between the
two: numba would take it from the disk when it compiles the caller, and keep of the caller only code
that does not start the threads. To call that code ends the process.
"""

import logging
from pathlib import Path

from numba import njit


@njit(cache=True)
def _probe():
    """Never called: knows where the machine code of this folder is kept."""


def _announce() -> None:
    folder = _probe.stats.cache_path
    if folder is None or not any(Path(folder).glob("*.nbi")):
        logging.getLogger("couplings").warning(
            "couplings compiles its kernels on first use; that takes some seconds, once"
        )


_announce()
