"""Compare measured times: the shorter of two, and the growth with a size.

Times depend on the machine, but these verdicts should be the same on other machines. An order is
decided only if the times differ by more than their repetitions and by a margin; a power of growth
only if all repetitions agree. Otherwise the answer is None, *cannot be told*.
"""

import math
import statistics
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from replication.run.cost import STEPS

MARGIN = 1.5
"""Smallest ratio of two times that decides an order.

Another processor, other caches and libraries, or other programs on the machine change a ratio of
two times by up to a third: in repeated runs of this workflow nearly all changed by less. An order
with a smaller ratio is a property of the machine."""
MUCH_LONGER = 2.0
"""Smallest ratio of a *much* longer time; decided with the same margin as an order."""
SLACK = 0.5
"""Largest excess of a measured exponent of growth over the stated one. Larger data leave the
caches, which appears as growth; half a power separates one power from the next."""

HOW = (
    "Seconds: processor time of one thread in a process of its own, after a warm-up that loads "
    "the compiled code; the least repetition and, where two numbers stand, the largest. They "
    "belong to the machine of this run."
)
HOW_MEMORY = (
    "Memory: of that process alone, in MiB. Before: interpreter, libraries, compiled code and "
    "data; peak: the largest during the work."
)


@dataclass(frozen=True)
class Seconds:
    """Times of the repetitions of one piece of work, and the step of the clock, per call."""

    least: float
    largest: float
    step: float

    @classmethod
    def of(cls, record: Mapping[str, Any]) -> "Seconds":
        """Return the times in a record of `replication.run.cost`.

        Long work is measured once; its largest time is then set to `MARGIN` times that time.
        """
        step = float(record["step"]) / float(record["calls"])
        least, largest = float(record["seconds"]), float(record["slowest"])
        if int(record["repeats"]) == 1:
            largest = MARGIN * least
        return cls(least, largest, step)

    @property
    def told(self) -> bool:
        """Whether the clock is fine enough for these times, see `replication.run.cost.STEPS`."""
        return self.least > 0 and STEPS * self.step <= self.least

    def __add__(self, other: "Seconds") -> "Seconds":
        """Return the time of two pieces of work, one after the other."""
        return Seconds(
            self.least + other.least, self.largest + other.largest, self.step + other.step
        )

    def __mul__(self, factor: float) -> "Seconds":
        """Return the time of `factor` such pieces of work."""
        return Seconds(factor * self.least, factor * self.largest, factor * self.step)

    __rmul__ = __mul__


def mean(times: Iterable[Seconds]) -> Seconds:
    """Return the mean time of several pieces of work.

    Raises `ValueError` if there is none.
    """
    times = list(times)
    if not times:
        raise ValueError("mean() needs at least one time")
    return sum(times[1:], times[0]) * (1 / len(times))


def faster(one: Seconds, other: Seconds) -> bool | None:
    """Return whether a piece of work takes less time than another one; None if it cannot be told.

    It is decided if the ratio of the smallest times is at least `MARGIN`, their difference exceeds
    the range of the repetitions of both, and the clock is fine enough for both.
    ``faster(k * one, other)`` tells whether the other takes k times as long. False means that the
    other one takes less time.
    """
    if not (one.told and other.told):
        return None
    gap = abs(one.least - other.least)
    if gap <= max(one.largest - one.least, other.largest - other.least):
        return None
    if other.least >= MARGIN * one.least:
        return True
    return False if one.least >= MARGIN * other.least else None


def every(answers: Iterable[bool | None]) -> bool | None:
    """Return True if all answers are True, False if one is False, otherwise None."""
    answers = list(answers)
    return False if False in answers else None if None in answers else True


@dataclass(frozen=True)
class Power:
    """Exponent of growth, between the bounds that the repetitions allow."""

    low: float
    high: float

    def at_most(self, stated: float) -> bool | None:
        """Return whether growth is at most a stated power, with `SLACK`; None if undecided."""
        limit = stated + SLACK
        return True if self.high <= limit else False if self.low > limit else None

    def __str__(self) -> str:
        """Return a text such as ``1.02 to 1.10``; one number if the bounds have the same digits."""
        low, high = f"{self.low:.2f}", f"{self.high:.2f}"
        return low if low == high else f"{low} to {high}"


def power(times: Mapping[int, Seconds]) -> Power:
    """Return the exponent of the growth of times with a size, from the times by size.

    The least-squares slope of log seconds against log size is a weighted sum of the logarithms. Its
    bounds take each time from the repetition that lowers or raises the slope most; they are minus
    and plus infinity if the clock is too coarse for one of the times.

    Raises `ValueError` if there are fewer than two sizes.
    """
    if len(times) < 2:
        raise ValueError("growth needs two sizes")
    if not all(one.told for one in times.values()):
        return Power(-math.inf, math.inf)
    x = [math.log(size) for size in times]
    middle = statistics.fmean(x)
    # a longer time lowers the slope at sizes below the middle, and raises it above
    ends = [
        (one.largest, one.least) if a < middle else (one.least, one.largest)
        for a, one in zip(x, times.values(), strict=True)
    ]
    low, high = (
        statistics.linear_regression(x, list(map(math.log, seconds))).slope
        for seconds in zip(*ends, strict=True)
    )
    return Power(low, high)


def seconds_text(seconds: float) -> str:
    """Return seconds with three significant digits."""
    return f"{seconds:.{max(0, 2 - math.floor(math.log10(seconds)))}f}" if seconds > 0 else "0"


def range_text(record: Mapping[str, Any]) -> str:
    """Return the smallest and largest seconds of a record, as ``0.0121 to 0.0134``, or ``once``."""
    ends = seconds_text(record["seconds"]), seconds_text(record["slowest"])
    return "once" if int(record["repeats"]) == 1 else " to ".join(ends)
