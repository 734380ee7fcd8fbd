"""Measure the seconds and the memory that a piece of work needs.

Work is measured in a process that was started for it, with one thread, after a warm-up that
loads the compiled code. Seconds are those of the processor, which other programs do not use up;
the least of several repetitions is the time, and the largest says how far it can be trusted. Work
that is too short for the clock is done many times in one repetition. Memory is the largest that
this process holds, and no process that started it.
"""

import ctypes
import gc
import math
import os
import re
import sys
import time
from collections.abc import Callable, Iterator, Mapping
from concurrent.futures import ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from dataclasses import dataclass
from functools import lru_cache
from multiprocessing import get_context
from pathlib import Path
from typing import Any

from replication.errors import UserError

STEPS = 50
"""Least number of steps of the clock in a repetition: its time is then off by 2 % at most."""
SHORTEST = 0.02
"""Least seconds of a repetition, so that a single interruption does not decide its time."""
FEWEST, MOST = 2, 5
"""Least and largest number of repetitions."""
PATIENCE = 0.5
"""Processor seconds after which no repetition above `FEWEST` is started."""
FIRST = 1.0
"""Processor seconds up to which the first call may load something, and counts if it did not."""
LONG = 2.0
"""Processor seconds of a call that is not repeated at all."""
MIB = 2.0**20

SECONDS = ("seconds", "slowest", "repeats", "calls", "step")
"""What a record says about time, see `measured`."""
MEMORY = ("before_mib", "peak_mib")
"""What a record says about memory, see `measured`."""

_STEPS_SEEN = 9
_CLOCK_LIMIT = 5.0
_STATUS = Path("/proc/self/status")
_PEAK_RESET = Path("/proc/self/clear_refs")


@dataclass(frozen=True)
class Work:
    """A piece of work that is to be measured."""

    # what it is; different pieces have different labels
    labels: Mapping[str, Any]
    # does the same every time; its result is dropped
    run: Callable[[], object]
    # called once before, to load what `run` needs: `run` itself, or the same on less data; None
    # if that has been done in this process
    warm_up: Callable[[], object] | None = None


def costs(
    works: Callable[..., Iterator[Work]],
    *arguments: Any,
    once: Callable[[str, Callable[[], dict[str, Any]]], dict[str, Any]] = lambda _name, measure: (
        measure()
    ),
) -> Iterator[dict[str, Any]]:
    """Measure pieces of work, all of them in one process that is started for them.

    To measure the memory of a piece, give it its own process: memory that an earlier piece has
    freed may not be returned to the system.

    Parameters
    ----------
    works : callable
        Function of a module that yields the pieces. It is called in the new process, which
        prepares there what the pieces need.
    *arguments : object
        What `works` is called with; can be pickled.
    once : callable, optional
        ``once(name, measure)`` gives the result of an interrupted run, or that of ``measure()``;
        see `replication.run.experiment.Experiment.once`.

    Yields
    ------
    dict
        The labels of a piece, and what `measured` returns.

    Raises
    ------
    UserError
        If the process is ended from outside.
    """
    labels: dict[str, Any] | None = None
    # a forked process would have the threads and the memory of this one
    with ProcessPoolExecutor(1, get_context("spawn"), initializer=_one_thread) as pool:
        try:
            pool.submit(_open, works, arguments).result()
            while (labels := pool.submit(_next).result()) is not None:
                name = " ".join(str(label) for label in labels.values())
                yield {**labels, **once(name, lambda: pool.submit(_measure).result())}
        except BrokenProcessPool as error:
            what = " ".join(str(label) for label in (labels or {}).values())
            raise UserError(
                f"{works.__module__}.{works.__qualname__}: the process that measures was ended "
                f"from outside, at the piece {what or 'that comes first'!r}; probably "
                "for lack of memory: close other programs, or choose smaller sizes in "
                "config/papers"
            ) from error


class _Bench:
    """What the measuring process works on."""

    works: Iterator[Work]
    work: Any = None


def _one_thread() -> None:
    """Hold numerical libraries to one thread; runs before any of them is loaded."""
    for name in ("OMP", "OPENBLAS", "MKL", "NUMBA"):
        os.environ[f"{name}_NUM_THREADS"] = "1"


def _open(works: Callable[..., Iterator[Work]], arguments: tuple[Any, ...]) -> None:
    _Bench.works = works(*arguments)


def _next() -> dict[str, Any] | None:
    _Bench.work = None  # what the last piece holds is free before the next one is made
    _Bench.work = next(_Bench.works, None)
    return dict(_Bench.work.labels) if _Bench.work else None


def _measure() -> dict[str, Any]:
    return measured(_Bench.work)


def measured(work: Work) -> dict[str, Any]:
    """Cost of a piece of work in this process.

    What `repeated` returns; ``before_mib``, the memory of this process before the first repetition
    (interpreter, libraries, compiled code, data), and ``peak_mib``, the largest since then, in MiB.
    """
    if work.warm_up:
        work.warm_up()
    before = forget_peak()
    taken = repeated(work.run)
    return {**taken, "before_mib": before / MIB, "peak_mib": peak_memory() / MIB}


def repeated(work: Callable[[], object]) -> dict[str, Any]:
    """Processor seconds of a piece of work, repeated.

    A repetition calls the work as often as it takes to fill `STEPS` steps of the clock and
    `SHORTEST` seconds. There are at least `FEWEST` and at most `MOST` repetitions. The first call
    is one of them if it takes more than `FIRST` seconds, or fills a repetition and takes no more
    than twice as long as the second; else it may have loaded something. If it takes more than
    `LONG` seconds, it is the only one.

    The result has ``seconds`` and ``slowest``, of one call, in the shortest and in the longest
    repetition; ``repeats``; ``calls`` in a repetition; ``step`` of the clock in seconds.
    """
    step = clock_step()
    # twice the steps, because a later repetition may be faster than this one
    enough = max(2 * STEPS * step, SHORTEST)
    begin = time.process_time()
    calls, taken = 1, _spent(work, 1)
    counted = []
    if taken <= FIRST:
        first, taken = taken, _spent(work, 1)
        counted = [first] if enough <= min(first, taken) and first <= 2 * taken else []
    while taken < enough:
        # a fifth more than the last time asks for, and at least twice as many
        calls = max(2 * calls, math.ceil(1.2 * calls * enough / max(taken, step)))
        taken = _spent(work, calls)
    seconds = [*counted, taken / calls]
    fewest, most = (1, 1) if taken > LONG else (FEWEST, MOST)
    while len(seconds) < fewest or (len(seconds) < most and time.process_time() - begin < PATIENCE):
        seconds.append(_spent(work, calls) / calls)
    return {
        "seconds": min(seconds),
        "slowest": max(seconds),
        "repeats": len(seconds),
        "calls": calls,
        "step": step,
    }


def _spent(work: Callable[[], object], calls: int) -> float:
    """Processor seconds of some calls."""
    begin = time.process_time()
    for _ in range(calls):
        work()
    return time.process_time() - begin


@lru_cache(maxsize=1)
def clock_step() -> float:
    """Step of the processor clock in seconds, as seen: median of several.

    What `time.get_clock_info` says is the unit of the clock; a system may move it on every few
    milliseconds only.

    Raises
    ------
    UserError
        If the clock does not move.
    """
    steps: list[float] = []
    begin = time.perf_counter()
    last = time.process_time()
    while len(steps) < _STEPS_SEEN:
        now = time.process_time()
        if now > last:
            steps.append(now - last)
            last = now
        elif time.perf_counter() - begin > _CLOCK_LIMIT:
            raise UserError(
                f"the processor clock of this system moved {len(steps)} times in "
                f"{_CLOCK_LIMIT:g} s; no time can be measured here: run with EFFORT=quick "
                "elsewhere, or leave the experiments with `alone: true` out of config/papers"
            )
    return sorted(steps)[len(steps) // 2]


# --- memory --------------------------------------------------------------------------------------


def peak_memory() -> int:
    """Largest resident memory of this process in bytes, since `forget_peak` if that worked.

    Linux hands the peak of the parent on to a child in `getrusage`, but not in ``/proc``.
    """
    if (peak := _status("VmHWM")) is not None:
        return peak
    import resource

    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    # in bytes on macOS, in KiB elsewhere
    return peak if sys.platform == "darwin" else 1024 * peak


def forget_peak() -> int:
    """Let the peak start anew from the present memory of this process.

    Returns
    -------
    int
        The present memory in bytes. Where the system cannot forget (not Linux, or not allowed),
        the peak so far: what the work needs is then understated by what was freed before it.
    """
    _give_back()
    try:
        _PEAK_RESET.write_text("5")
    except OSError:
        return peak_memory()
    present = _status("VmRSS")
    return peak_memory() if present is None else present


def _give_back() -> None:
    """Return what was freed to the system, which the allocator of glibc otherwise keeps.

    What survives, most of it modules, is not looked through again: for each of the many short
    pieces of a process that would take longer than the piece.
    """
    gc.collect()
    gc.freeze()
    if sys.platform == "linux" and (trim := getattr(ctypes.CDLL(None), "malloc_trim", None)):
        trim(0)


def _status(name: str) -> int | None:
    """A line of ``/proc/self/status`` in bytes; None where there is none."""
    text = _STATUS.read_text(encoding="ascii", errors="replace") if _STATUS.exists() else ""
    found = re.search(rf"^{name}:\s*(\d+)", text, re.M)
    return 1024 * int(found[1]) if found else None
