"""The one instruction level on which every number of the workflow is computed.

NumPy, OpenBLAS and the C library choose their code by the processor; sums then differ in the last
digit, and a near tie with them. Every step therefore runs on x86-64-v2 (any x86-64 processor since
about 2009), with one thread for linear algebra. Our own compiled kernels keep the order of their
operations whatever the instructions, so that they may use all that the processor has.
"""

import os
import platform
import sys
from collections.abc import Mapping

THREADS = {f"{name}_NUM_THREADS": "1" for name in ("OMP", "OPENBLAS", "MKL")}
_WITHOUT = ("AVX2", "FMA", "FMA4")
X86_64 = {
    "NPY_DISABLE_CPU_FEATURES": "X86_V3 X86_V4 AVX512_ICL AVX512_SPR",
    "OPENBLAS_CORETYPE": "Nehalem",
    "NUMBA_DISABLE_INTEL_SVML": "1",
    # names of glibc since 2.33, and before; only read when a process starts
    "GLIBC_TUNABLES": "glibc.cpu.hwcaps="
    + ",".join(f"-{name}{usable}" for usable in ("", "_Usable") for name in _WITHOUT),
}


def settings(machine: str) -> dict[str, str]:
    """Environment of a step on a kind of machine (as ``platform.machine`` names it).

    On anything but x86-64 only the number of threads is fixed: the digits are then those of that
    kind of machine.
    """
    return THREADS | (X86_64 if machine.lower() in ("x86_64", "amd64") else {})


def missing(environment: Mapping[str, str], machine: str) -> dict[str, str]:
    """Settings that a process of this environment still lacks."""
    return {k: v for k, v in settings(machine).items() if environment.get(k) != v}


def fix(command: list[str]) -> None:
    """Start ``command`` anew in place of this process, unless it has the settings already.

    Parameters
    ----------
    command : list of str
        The interpreter with all its arguments, as in ``sys.orig_argv``.
    """
    if lacking := missing(os.environ, platform.machine()):
        sys.stdout.flush()
        os.execve(  # noqa: S606 - the same program, no shell wanted
            sys.executable, [sys.executable, *command[1:]], {**os.environ, **lacking}
        )
