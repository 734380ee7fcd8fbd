"""Measure the seconds and the memory that a piece of work needs.

Work is measured in a new process with one thread, after a warm-up that loads the compiled code.
Seconds are processor seconds, which do not count other programs. The time is the smallest of
several repetitions; the largest shows its precision. Work that is too short for the clock is done
many times in one repetition. Memory is the peak of this process alone.
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
"""Smallest number of clock steps in a repetition; the error of its time is then at most 2 %."""
SHORTEST = 0.02
"""Smallest seconds of a repetition, so that one interruption does not dominate its time."""
FEWEST_REPEATS, MOST_REPEATS = 2, 5
"""Smallest and largest number of repetitions."""
SECONDS_OF_REPEATS = 0.5
"""Processor seconds after which no repetition above `FEWEST_REPEATS` is started."""
LONGEST_FIRST_CALL = 1.0
"""Processor seconds up to which the first call may include loading of code."""
LONGEST_REPEATED_CALL = 2.0
"""Processor seconds above which a call is not repeated."""
MIB = 2.0**20

MEMORY = ("before_mib", "peak_mib")
"""Columns of a record about memory, see `measured`."""

_STEPS_SEEN = 9
_CLOCK_LIMIT = 5.0
_STATUS = Path("/proc/self/status")
_PEAK_RESET = Path("/proc/self/clear_refs")


@dataclass(frozen=True)
class Work:
    """A piece of work to measure."""

    # description; different pieces have different labels
    labels: Mapping[str, Any]
    # does the same work in every call; the result is ignored
    run: Callable[[], object]
    # called once before `run` to load code: `run` itself, or the same on less data; None if the
    # code is loaded
    warm_up: Callable[[], object] | None = None


def costs(
    works: Callable[..., Iterator[Work]],
    *arguments: Any,
    once: Callable[[str, Callable[[], dict[str, Any]]], dict[str, Any]] = lambda _name, measure: (
        measure()
    ),
) -> Iterator[dict[str, Any]]:
    """Measure pieces of work, all in one new process.

    To measure the memory of a piece, give it its own process: memory that an earlier piece has
    freed may not be returned to the system.

    Parameters
    ----------
    works : callable
        Function of a module that yields the pieces. It is called in the new process, where it
        prepares their data.
    *arguments : object
        Arguments of `works`; picklable.
    once : callable, optional
        ``once(name, measure)`` returns the result of an interrupted run, or of ``measure()``; see
        `replication.run.experiment.Experiment.once`.

    Yields
    ------
    dict
        Labels of a piece and the result of `measured`.

    Raises
    ------
    UserError
        If the operating system ends the process.
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


def durations(
    works: Callable[..., Iterator[Work]], *arguments: Any, **options: Any
) -> Iterator[dict[str, Any]]:
    """Measure pieces of work as `costs` does, without the memory of the process that they share.

    Times are multiplied by the label ``share`` of a piece, which is left out; 1 without it.
    """
    for record in costs(works, *arguments, **options):
        share = record.pop("share", 1)
        times = {name: share * record[name] for name in ("seconds", "slowest", "step")}
        yield {name: value for name, value in {**record, **times}.items() if name not in MEMORY}


class _Bench:
    """State of the measuring process."""

    works: Iterator[Work]
    work: Any = None


def _one_thread() -> None:
    """Hold numerical libraries to one thread; runs before any of them is loaded."""
    for name in ("OMP", "OPENBLAS", "MKL", "NUMBA"):
        os.environ[f"{name}_NUM_THREADS"] = "1"


def _open(works: Callable[..., Iterator[Work]], arguments: tuple[Any, ...]) -> None:
    _Bench.works = works(*arguments)


def _next() -> dict[str, Any] | None:
    _Bench.work = None  # free the memory of the last piece before the next one is made
    _Bench.work = next(_Bench.works, None)
    return dict(_Bench.work.labels) if _Bench.work else None


def _measure() -> dict[str, Any]:
    return measured(_Bench.work)


def measured(work: Work) -> dict[str, Any]:
    """Return the cost of a piece of work in this process.

    The result of `repeated`, and ``before_mib``, the memory of this process before the first
    repetition (interpreter, libraries, compiled code, data), and ``peak_mib``, the largest since
    then, in MiB.
    """
    if work.warm_up:
        work.warm_up()
    before = reset_peak()
    taken = repeated(work.run)
    return {**taken, "before_mib": before / MIB, "peak_mib": peak_memory() / MIB}


def repeated(work: Callable[[], object]) -> dict[str, Any]:
    """Return the processor seconds of a piece of work over several repetitions.

    A repetition calls the work until `STEPS` clock steps and `SHORTEST` seconds have passed. There
    are at least `FEWEST_REPEATS` and at most `MOST_REPEATS` repetitions. The first call counts if
    it takes more than `LONGEST_FIRST_CALL` seconds, or if it fills a repetition and takes at most
    twice as long as the second; otherwise it may include loading. If it takes more than
    `LONGEST_REPEATED_CALL` seconds, it is the only one.

    The result has ``seconds`` and ``slowest``, of one call, in the shortest and in the longest
    repetition; ``repeats``; ``calls`` in a repetition; ``step`` of the clock in seconds.
    """
    step = clock_step()
    # twice the steps, because a later repetition may be faster
    enough = max(2 * STEPS * step, SHORTEST)
    begin = time.process_time()
    calls, taken = 1, _spent(work, 1)
    counted = []
    if taken <= LONGEST_FIRST_CALL:
        first, taken = taken, _spent(work, 1)
        counted = [first] if enough <= min(first, taken) and first <= 2 * taken else []
    while taken < enough:
        # a fifth more than the last time requires, and at least twice as many
        calls = max(2 * calls, math.ceil(1.2 * calls * enough / max(taken, step)))
        taken = _spent(work, calls)
    seconds = [*counted, taken / calls]
    fewest, most = (1, 1) if taken > LONGEST_REPEATED_CALL else (FEWEST_REPEATS, MOST_REPEATS)
    while len(seconds) < fewest or (
        len(seconds) < most and time.process_time() - begin < SECONDS_OF_REPEATS
    ):
        seconds.append(_spent(work, calls) / calls)
    return {
        "seconds": min(seconds),
        "slowest": max(seconds),
        "repeats": len(seconds),
        "calls": calls,
        "step": step,
    }


def _spent(work: Callable[[], object], calls: int) -> float:
    """Return the processor seconds of some calls."""
    begin = time.process_time()
    for _ in range(calls):
        work()
    return time.process_time() - begin


@lru_cache(maxsize=1)
def clock_step() -> float:
    """Return the observed step of the processor clock in seconds, the median of several.

    `time.get_clock_info` returns the unit of the clock; a system may advance it only every few
    milliseconds.

    Raises `UserError` if the clock does not advance.
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
    """Return the peak resident memory of this process in bytes, since `reset_peak` if possible.

    On Linux a child inherits the peak of its parent in `getrusage`, but not in ``/proc``.
    """
    if (peak := _status("VmHWM")) is not None:
        return peak
    import resource

    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    # in bytes on macOS, in KiB elsewhere
    return peak if sys.platform == "darwin" else 1024 * peak


def reset_peak() -> int:
    """Reset the peak to the present memory of this process, and return that memory in bytes.

    Where the peak cannot be reset (not Linux, or not allowed), the result is the peak so far: the
    memory of the work is then understated by what was freed before it.
    """
    _release_memory()
    try:
        _PEAK_RESET.write_text("5")
    except OSError:
        return peak_memory()
    present = _status("VmRSS")
    return peak_memory() if present is None else present


def _release_memory() -> None:
    """Return freed memory to the system, which the allocator of glibc otherwise keeps.

    Surviving objects, mostly modules, are frozen: to collect them again would take longer than a
    short piece of work.
    """
    gc.collect()
    gc.freeze()
    if sys.platform == "linux" and (trim := getattr(ctypes.CDLL(None), "malloc_trim", None)):
        trim(0)


def _status(name: str) -> int | None:
    """Return a line of ``/proc/self/status`` in bytes, or None without such a line."""
    text = _STATUS.read_text(encoding="ascii", errors="replace") if _STATUS.exists() else ""
    found = re.search(rf"^{name}:\s*(\d+)", text, re.M)
    return 1024 * int(found[1]) if found else None
