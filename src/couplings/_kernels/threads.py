"""Kernels compiled twice, without and with threads, and the choice between the two.

A kernel with threads takes several times as long to compile, its first call starts the threads, and
every call wakes them; afterwards they spin for a while. Small work is done without them.
"""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from types import FunctionType
from typing import Any

import numba

# Elementary steps (about 1 ns each) from which threads save more than they cost.
LEAST_WORK = 1 << 21

_alone: ContextVar[bool] = ContextVar("alone", default=False)
_both: ContextVar[bool] = ContextVar("both", default=False)


class Twins:
    """A kernel without and with threads; both return the same to the last bit.

    Parameters
    ----------
    function : callable
        The kernel; its tasks, in a `prange`, write to places of their own.
    **options
        Further options of `numba.njit`.
    """

    def __init__(self, function: Callable[..., Any], **options: Any) -> None:
        self.__doc__ = function.__doc__
        self.parallel = numba.njit(parallel=True, cache=True, **options)(function)
        self.serial = numba.njit(cache=True, **options)(_renamed(function))

    def __call__(self, work: float, *args: Any) -> Any:
        """Call the kernel, with threads if `work`, in elementary steps, is worth them."""
        used, other = self.serial, self.parallel
        if threaded(work):
            used, other = other, used
        if _both.get():
            other.compile(tuple(map(numba.typeof, args)))
        return used(*args)


def twins(**options: Any) -> Callable[[Callable[..., Any]], Twins]:
    """Return a decorator that compiles a kernel without and with threads."""
    return lambda function: Twins(function, **options)


def threaded(work: float) -> bool:
    """Return whether work, in elementary steps, is worth threads, and several are allowed."""
    # Numba sets its options while it loads, invisibly to type checkers.
    several = numba.config.NUMBA_NUM_THREADS > 1  # type: ignore[attr-defined]
    return work >= LEAST_WORK and several and not _alone.get()


@contextmanager
def one_thread() -> Iterator[None]:
    """Use the kernels without threads."""
    token = _alone.set(True)
    try:
        yield
    finally:
        _alone.reset(token)


@contextmanager
def both_kinds() -> Iterator[None]:
    """Compile both kinds of every kernel that is called, so that later calls find them."""
    token = _both.set(True)
    try:
        yield
    finally:
        _both.reset(token)


def _renamed(function: Any) -> FunctionType:
    """Return the function under a name of its own, by which numba names the cached machine code."""
    name = f"{function.__name__}_serial"
    copy = FunctionType(function.__code__, function.__globals__, name, function.__defaults__)
    copy.__qualname__, copy.__module__ = name, function.__module__
    return copy
