"""What it takes to start: the interpreter, the library, a first call, a step of the workflow."""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

CLUSTER = """
from couplings import KModes
KModes(2, random_state=0).fit([["a", "x", "u"], ["a", "y", "u"], ["b", "y", "v"]] * 20)
"""
KERNELS = """
from couplings import CategoricalTable, SimpleMatching
from couplings.cluster.kmodes import kmodes
table = CategoricalTable.from_codes([[0, 0, 0], [0, 1, 0], [1, 1, 1]] * 20)
kmodes(table, SimpleMatching().fit(table).value_matrices_, [[0, 2]])
"""
STEP = """
from replication.__main__ import main
try:
    main(["trials", "--help"])
except SystemExit:
    pass
"""
README = Path(__file__).resolve().parents[1] / "src/couplings/README.md"
NAMES = "from couplings import DilcaRR, KModes, LatentClasses, Ward"


def example() -> str:
    """Return the first example of the library's README."""
    return README.read_text(encoding="utf-8").partition("```python\n")[2].partition("```")[0]


STARTS = (
    ("the interpreter", ["-c", "pass"], False),
    ("NumPy", ["-c", "import numpy"], False),
    ("import couplings", ["-c", "import couplings"], False),
    ("k-modes of 60 objects, from codes", ["-c", KERNELS], False),
    ("k-modes of 60 objects, from lists, which pandas reads", ["-c", CLUSTER], False),
    ("the same, the first time after an installation", ["-c", CLUSTER], True),
    ("the names of four estimators", ["-c", NAMES], False),
    ("the example of the library's README", ["-c", example()], False),
    ("the same, the first time after an installation", ["-c", example()], True),
    ("a step with kernels (trials), its arguments read, k-modes of 60 objects, from codes",
     ["-c", STEP + KERNELS], False),
)  # fmt: skip
"""What is started, the interpreter's arguments, and whether no machine code is kept yet."""


def measured(repeats: int = 5, cold: int = 2) -> list[dict[str, Any]]:
    """Start each several times, one thread each.

    Parameters
    ----------
    repeats, cold : int
        Runs, and runs of what has to compile; one more of the others goes before.

    Returns
    -------
    list of dict
        ``what``, ``cpu`` and ``wall`` (seconds of each run), ``says`` (the last line it writes
        as a warning, or nothing).
    """
    rows = []
    for what, arguments, compiles in STARTS:
        if not compiles:
            started(arguments)
        runs = [started(arguments, compiles) for _ in range(cold if compiles else repeats)]
        cpu, wall, says = zip(*runs, strict=True)
        rows.append({"what": what, "cpu": cpu, "wall": wall, "says": says[-1]})
    return rows


def started(arguments: Sequence[str], without_code: bool = False) -> tuple[float, float, str]:
    """Run the interpreter; return its processor and wall seconds, and what it says.

    Raises
    ------
    RuntimeError
        If it fails.
    """
    with tempfile.TemporaryDirectory() as folder:
        environment = {**os.environ, "NUMBA_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1"}
        if without_code:
            environment["NUMBA_CACHE_DIR"] = folder
        said = Path(folder) / "said"
        with said.open("wb") as errors:
            begin = time.perf_counter()
            process = subprocess.Popen(
                [sys.executable, *arguments], env=environment,
                stdout=subprocess.DEVNULL, stderr=errors,
            )  # fmt: skip
            _, status, usage = os.wait4(process.pid, 0)
            wall = time.perf_counter() - begin
        process.returncode = os.waitstatus_to_exitcode(status)
        lines = said.read_text(encoding="utf-8", errors="replace").strip().splitlines()
    if process.returncode:
        raise RuntimeError(lines[-1] if lines else f"exit code {process.returncode}")
    return usage.ru_utime + usage.ru_stime, wall, lines[-1] if lines else ""
