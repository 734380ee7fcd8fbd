"""How a pair of calls is measured: in a process of its own, first compared, then taking turns.

python benchmarks/speed_measure.py pair|memory|growth|limits|small NUMBER [SIDE]

Prints JSON. The number of threads is that of the environment (`environment`), set before any
numerical library is loaded. `page.py` starts these processes.
"""

from __future__ import annotations

import json
import math
import os
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import speed_limits
import speed_small
import speed_start
from speed_cases import CASES, Case, DifferentResultsError
from speed_growth import GROWTHS, Growth, grouped
from speed_r import Bound, InR

from replication.run.cost import MIB, peak_memory, reset_peak

SHORTEST = 0.02
"""Least seconds of a repetition; shorter work is called several times in one."""
FEWEST, MOST = 3, 9
"""Least and largest number of repetitions of each side."""
PATIENCE = 2.5
"""Wall seconds after which no repetition above `FEWEST` is started."""
WARM = 60
"""Rows of the data on which kernels are compiled and libraries loaded before memory is taken."""
POOLS = ("NUMBA", "OMP", "OPENBLAS", "MKL")


def environment(threads: int) -> dict[str, str]:
    """Environment of a process with a number of threads for all that has threads."""
    return {**os.environ, **{f"{name}_NUM_THREADS": str(threads) for name in POOLS}}


def spent(work: Callable[[], object], calls: int = 1) -> tuple[float, float]:
    """Return processor and wall seconds of one of several calls; R counts its own."""
    if isinstance(work, Bound):
        return work.spent(calls)
    cpu, wall = time.process_time(), time.perf_counter()
    for _ in range(calls):
        work()
    return (time.process_time() - cpu) / calls, (time.perf_counter() - wall) / calls


def in_turns(
    sides: list[Callable[[], object]], patience: float = PATIENCE
) -> list[list[tuple[float, float]]]:
    """Processor and wall seconds of several pieces of work that take turns.

    Each has been called before. One that takes less than `SHORTEST` is called several times in
    a repetition.
    """
    calls = [max(1, math.ceil(SHORTEST / max(spent(work)[1], 1e-7))) for work in sides]
    taken: list[list[tuple[float, float]]] = [[] for _ in sides]
    begin = time.perf_counter()
    while len(taken[0]) < FEWEST or (
        len(taken[0]) < MOST and time.perf_counter() - begin < patience
    ):
        for times, work, number in zip(taken, sides, calls, strict=True):
            times.append(spent(work, number))
    return taken


def pair(case: Case, rows: int, patience: float = PATIENCE) -> dict[str, Any]:
    """Compare the results of both sides, then time them in turns.

    Raises
    ------
    DifferentResultsError
        If the results are not the same.
    UnusablePeerError
        If the peer fails.
    """
    data = case.prepare(rows)
    result = case.ours(data)
    try:
        theirs = case.on(data)
        peers = theirs()
    except Exception as error:
        raise UnusablePeerError(type(error).__name__) from error
    try:
        agreement = case.same(result, peers, data)
    except DifferentResultsError as error:
        raise DifferentResultsError(f"{case.name}: {error}") from error
    ours, others = in_turns([lambda: case.ours(data), theirs], patience)
    return {"agreement": agreement, "ours": ours, "theirs": others}


def memory(case: Case, rows: int, side: str) -> float:
    """MiB that a call needs beyond the data, of this process, which has done little else."""
    if side == "theirs" and isinstance(case.theirs, InR):
        return case.theirs.on(case.prepare(rows)).memory()
    work = {"ours": case.ours, "theirs": case.theirs}[side]
    work(case.prepare(min(WARM, rows)))
    data = case.prepare(rows)
    before = reset_peak()
    result = work(data)
    needed = (peak_memory() - before) / MIB
    del result
    return max(needed, 0.0)


def growth(growth: Growth, peer: bool, patience: float = 0.3) -> list[dict[str, Any]]:
    """Least processor seconds of a few calls, at every size of every axis."""
    rows = []
    for axis, sizes in growth.axes.items():
        for size in sizes:
            n, m, v = growth.base
            n, m, v = {"n": (size, m, v), "m": (n, size, v), "values": (n, m, size)}[axis]
            data = growth.prepare(grouped(n, m, v))
            sides = [lambda data=data: growth.ours(data)]
            if peer and growth.theirs is not None:
                sides.append(lambda data=data: growth.theirs(data))
            for work in sides:
                work()
            least = [min(cpu for cpu, _ in times) for times in in_turns(sides, patience)]
            rows.append({"axis": axis, "size": size, "seconds": least})
    return rows


def small(number: int, sizes: tuple[int, ...], patience: float = 0.7) -> list[dict[str, Any]]:
    """Compare both sides of a small task at each size, then time them in turns.

    Raises
    ------
    DifferentResultsError
        If the results are not the same.
    """
    task, rows = speed_small.TASKS[number], []
    for n in sizes:
        data = task.prepare(n)
        try:
            agreement = task.same(task.ours(data), task.theirs(data), data)
        except DifferentResultsError as error:
            raise DifferentResultsError(f"{task.task}, {n} rows: {error}") from error
        sides = [lambda data=data: task.ours(data), lambda data=data: task.theirs(data)]
        ours, theirs = in_turns(sides, patience)
        rows.append({"rows": n, "agreement": agreement, "ours": ours, "theirs": theirs})
    return rows


class UnusablePeerError(Exception):
    """A peer that is installed does not run here."""


class Apart:
    """Measures in processes of their own."""

    def run(self, threads: int, *arguments: object) -> Any:
        """Start this file with arguments; return what it prints."""
        done = subprocess.run(
            [sys.executable, __file__, *map(str, arguments)],
            env=environment(threads), capture_output=True, text=True, cwd=Path.cwd(),
        )  # fmt: skip
        if done.returncode:
            last = done.stderr.strip().splitlines()[-1:] or ["no message"]
            for kind in (DifferentResultsError, UnusablePeerError):
                mark = f"{kind.__name__}: "
                if mark in last[0]:
                    raise kind(last[0].partition(mark)[2])
            raise RuntimeError(last[0])
        return json.loads(done.stdout.splitlines()[-1])

    def pair(self, number: int, threads: int) -> dict[str, Any]:
        """Return what `pair` returns for a case."""
        return self.run(threads, "pair", number)

    def memory(self, number: int, side: str) -> float:
        """Return what `memory` returns for a case, with one thread."""
        return self.run(1, "memory", number, side)

    def growth(self, number: int, peer: bool) -> list[dict[str, Any]]:
        """Return what `growth` returns, with one thread."""
        return self.run(1, "growth", number, "theirs" if peer else "ours")

    def small(self, number: int, sizes: tuple[int, ...]) -> list[dict[str, Any]]:
        """Return what `small` returns, with one thread."""
        return self.run(1, "small", number, *sizes)

    def limits(self) -> dict[str, Any]:
        """Return what `speed_limits.measured` returns, with one thread."""
        return self.run(1, "limits", 0)

    def starts(self) -> list[dict[str, Any]]:
        """Return what `speed_start` measures."""
        return speed_start.measured()


def main() -> None:
    """Do one measurement."""
    what, number, *side = sys.argv[1:]
    index = int(number)
    if what == "pair":
        found: Any = pair(CASES[index], CASES[index].rows)
    elif what == "memory":
        found = memory(CASES[index], CASES[index].rows, side[0])
    elif what == "small":
        found = small(index, tuple(map(int, side)))
    elif what == "growth":
        found = growth(GROWTHS[index], side == ["theirs"])
    else:
        found = speed_limits.measured(in_turns)
    print(json.dumps(found))


if __name__ == "__main__":
    main()
