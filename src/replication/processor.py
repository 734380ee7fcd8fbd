"""Fix the instruction set with which every number of the workflow is computed.

NumPy, OpenBLAS and the C library choose their code by the processor; sums then differ in the last
digit, which may decide a near tie. Every step therefore uses x86-64-v2 (any x86-64 processor since
about 2009), with one thread for linear algebra. Our own compiled kernels have a fixed order of
operations, and so may use all instructions of the processor.
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
    """Return the environment of a step on a kind of machine, named as by ``platform.machine``.

    On other machines than x86-64 only the number of threads is fixed; the last digits may then
    differ.
    """
    return THREADS | (X86_64 if machine.lower() in ("x86_64", "amd64") else {})


def missing(environment: Mapping[str, str], machine: str) -> dict[str, str]:
    """Return the settings that an environment lacks."""
    return {k: v for k, v in settings(machine).items() if environment.get(k) != v}


def fix(command: list[str]) -> None:
    """Replace this process by a new start of ``command``, unless it has the settings already.

    The command is the interpreter with all its arguments, as in ``sys.orig_argv``.
    """
    if lacking := missing(os.environ, platform.machine()):
        sys.stdout.flush()
        os.execve(  # noqa: S606 - the same program, no shell wanted
            sys.executable, [sys.executable, *command[1:]], {**os.environ, **lacking}
        )
