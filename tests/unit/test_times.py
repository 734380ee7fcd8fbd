"""Times: what they tell, and how seconds and memory are measured."""

import math
import os
import sys
from types import SimpleNamespace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from replication.errors import UserError
from replication.judge.times import MARGIN, SLACK, Power, Seconds, every, faster, power
from replication.run import cost
from replication.run.cost import FEWEST_REPEATS, MIB, MOST_REPEATS, STEPS, Work, costs

FINE = 1e-6


def times(least, largest=None, step=FINE):
    return Seconds(least, least if largest is None else largest, step)


measured = st.builds(
    lambda least, more: times(least, least * more), st.floats(1e-3, 1e3), st.floats(1, 3)
)


@pytest.mark.parametrize(
    ("one", "other", "answer"),
    [
        (times(1.0, 1.1), times(1.6, 1.7), True),
        (times(1.6, 1.7), times(1.0, 1.1), False),
        (times(2.11), times(2.11), None),
        (times(1.0), times(1.5), True),
        (times(1.0), times(1.49), None),
        # further apart than the margin, but not than the repetitions of one of them
        (times(1.0, 1.7), times(1.6, 1.7), None),
        (times(1.0, 1.1), times(1.6, 2.3), None),
        # a clock of 8 ms
        (times(0.008, step=0.008), times(0.016, step=0.008), None),
        (times(0.3, step=0.008), times(0.8, step=0.008), None),
        (times(0.4, step=0.008), times(0.8, step=0.008), True),
        (times(0.0), times(1.0), None),
    ],
)
def test_an_order_needs_a_margin_the_repetitions_and_the_clock(one, other, answer):
    assert faster(one, other) is answer


@given(measured, measured)
def test_an_order_is_never_both_ways(one, other):
    there, back = faster(one, other), faster(other, one)
    assert back is (None if there is None else not there)


@given(measured, measured, st.floats(1 / 1.2, 1.2), st.floats(1 / 1.2, 1.2))
def test_a_machine_that_changes_the_ratio_by_less_than_the_margin_turns_no_order(
    one, other, first, second
):
    """Two factors up to 1.2 change the ratio by up to 1.44, less than the margin."""
    again = faster(one * first, other * second)
    assert {faster(one, other), again} != {True, False}


@given(measured, measured, st.floats(1.0, 5.0))
def test_longer_repetitions_never_decide_what_was_open(one, other, more):
    if faster(one, other) is None:
        assert faster(times(one.least, one.largest * more), other) is None


def test_a_record_holds_the_step_of_the_clock_per_call():
    record = {"seconds": 0.001, "slowest": 0.002, "repeats": 3, "step": 0.008, "calls": 400}
    one = Seconds.of(record)
    assert one == Seconds(0.001, 0.002, 0.008 / 400)
    assert one.told
    assert not Seconds.of({**record, "calls": 399}).told


def test_a_time_that_was_taken_once_has_the_margin_as_its_range():
    record = {"seconds": 6.0, "slowest": 6.0, "repeats": 1, "step": FINE, "calls": 1}
    once = Seconds.of(record)
    assert once == times(6.0, MARGIN * 6.0)
    # a gap of 2.8 s is less than the 3 s that it might have been off
    assert faster(times(3.2), once) is None
    assert faster(times(2.9), once) is True


@pytest.mark.parametrize(
    ("answers", "answer"),
    [
        ([], True),
        ([True, True], True),
        ([True, None], None),
        ([None, False], False),
        ([True, False], False),
    ],
)
def test_every_answer_counts(answers, answer):
    assert every(answers) is answer


@given(st.floats(0.5, 4), st.lists(st.integers(1, 10**6), min_size=2, max_size=6, unique=True))
def test_the_power_of_exact_times_is_theirs(exponent, sizes):
    grown = power({size: times(1e-2 * size**exponent) for size in sizes})
    assert grown.low == pytest.approx(exponent)
    assert grown.high == pytest.approx(exponent)


@given(
    st.dictionaries(st.integers(1, 10**6), measured, min_size=2, max_size=6),
    st.lists(st.floats(0, 1), min_size=6, max_size=6),
)
def test_the_power_of_any_repetitions_is_between_the_bounds(found, shares):
    """Least squares on one time from the range of every size."""
    grown = power(found)
    some = {
        size: times(one.least ** (1 - share) * one.largest**share)
        for (size, one), share in zip(found.items(), shares, strict=False)
    }
    inside = power(some)
    wide = 1e-6 * (1 + abs(grown.low) + abs(grown.high))
    assert grown.low - wide <= inside.low <= inside.high <= grown.high + wide


def test_a_stated_power_is_open_between_the_bounds():
    limit = 2 + SLACK
    assert Power(1.9, limit).at_most(2) is True
    assert Power(limit + 0.01, 3.0).at_most(2) is False
    assert Power(1.9, limit + 0.01).at_most(2) is None


def test_growth_that_the_clock_cannot_show_is_open():
    grown = power({10: times(0.008, step=0.008), 1000: times(9.0, step=0.008)})
    assert (grown.low, grown.high) == (-math.inf, math.inf)
    assert grown.at_most(1) is None
    with pytest.raises(ValueError, match="two sizes"):
        power({10: times(1.0)})


class Clock:
    """Clock of a machine, moved by the work itself; the processor's goes in steps."""

    def __init__(self, step=1e-6, reading=1e-7):
        self.now, self.step, self.reading = 0.0, step, reading

    def perf_counter(self):
        return self.now

    def process_time(self):
        self.now += self.reading  # to read it takes time too
        return self.step * (self.now // self.step)

    def work(self, seconds):
        def run():
            self.now += seconds

        return run


@pytest.fixture
def clock(monkeypatch):
    def install(**parameters):
        made = Clock(**parameters)
        monkeypatch.setattr(cost, "time", made)
        cost.clock_step.cache_clear()
        return made

    yield install
    cost.clock_step.cache_clear()


@pytest.mark.parametrize("step", [1e-6, 1e-3, 0.008])
def test_the_step_of_the_clock_is_measured(clock, step):
    clock(step=step)
    assert cost.clock_step() == pytest.approx(step)


def test_a_clock_that_stands_still_is_an_error(clock, monkeypatch):
    stopped = clock()
    monkeypatch.setattr(stopped, "process_time", lambda: 0.0)
    monkeypatch.setattr(stopped, "perf_counter", iter(range(100)).__next__)
    with pytest.raises(UserError, match="moved 0 times in 5 s"):
        cost.clock_step()


@pytest.mark.parametrize("seconds", [1e-4, 3e-3, 0.04, 0.3])
@pytest.mark.parametrize("step", [1e-6, 0.008])
def test_short_work_fills_many_steps_of_the_clock(clock, step, seconds):
    made = clock(step=step)
    record = cost.repeated(made.work(seconds))
    assert record["seconds"] == pytest.approx(seconds, rel=1 / STEPS)
    assert record["seconds"] <= record["slowest"]
    assert record["calls"] * record["seconds"] >= STEPS * record["step"]
    assert FEWEST_REPEATS <= record["repeats"] <= MOST_REPEATS
    assert Seconds.of(record).told


@pytest.mark.parametrize(("seconds", "done"), [(1.5, FEWEST_REPEATS), (2.5, 1)])
def test_long_work_is_done_as_often_as_it_must(clock, seconds, done):
    made, calls = clock(), []

    def run():
        calls.append(1)
        made.now += seconds

    record = cost.repeated(run)
    assert (record["repeats"], record["calls"], len(calls)) == (done, 1, done)


def test_the_least_and_the_largest_repetition_are_kept(clock):
    made = clock()
    lasts = iter([0.15, 0.06, 0.05, 0.09, 0.07, 0.08])

    def run():
        made.now += next(lasts)

    record = cost.repeated(run)
    assert record["seconds"] == pytest.approx(0.05, rel=1e-3)
    assert record["slowest"] == pytest.approx(0.09, rel=1e-3)


def pieces(size=0, fail=""):
    """Pieces that say in which process they are done, and how; for the child."""
    if fail == "prepare":
        raise UserError("no such table")
    state = {"warm": 0}

    def warm_up():
        state["warm"] += 1

    def run():
        assert state["warm"] == 1
        if fail == "run":
            raise UserError("no such column")
        if fail == "killed":
            os._exit(9)
        block = bytearray(size)
        block[::4096] = b"x" * len(block[::4096])

    yield Work({"what": "block", "size": size}, run, warm_up)
    yield Work({"what": "nothing", "size": 0}, lambda: None)


def surroundings():
    """What the child sees, as labels."""
    threads = {name: value for name, value in os.environ.items() if name.endswith("_NUM_THREADS")}
    labels = {"process": os.getpid(), "numpy": int("numpy" in sys.modules), **threads}
    yield Work(labels, lambda: None)


def test_pieces_are_measured_in_another_process_with_one_thread():
    (record,) = costs(surroundings)
    assert record["process"] != os.getpid()
    assert record["numpy"] == 0  # so that it finds the number of threads when it is loaded
    for name in ("OMP", "OPENBLAS", "MKL", "NUMBA"):
        assert record[f"{name}_NUM_THREADS"] == "1"


@pytest.mark.slow
@pytest.mark.skipif(sys.platform != "linux", reason="memory is read from /proc")
def test_the_peak_is_that_of_the_child_alone():
    size = 300 * int(MIB)
    ballast = bytearray(size)
    ballast[::4096] = b"x" * len(ballast[::4096])  # this process holds more than the child will
    assert cost.peak_memory() > size
    block, nothing = costs(pieces, 40 * int(MIB))
    assert 0 < nothing["before_mib"] <= nothing["peak_mib"] < 150
    # the kernel counts pages in batches
    assert 39 < block["peak_mib"] - block["before_mib"] < 60
    # the block is forgotten when the next piece starts
    assert nothing["peak_mib"] - nothing["before_mib"] < 10


def test_labels_come_first_and_finished_pieces_are_not_measured_again():
    asked = []

    def once(name, measure):
        asked.append(name)
        return {"seconds": 1.0} if name == "block 0" else measure()

    block, nothing = costs(pieces, once=once)
    assert asked == ["block 0", "nothing 0"]
    assert block == {"what": "block", "size": 0, "seconds": 1.0}
    assert list(nothing)[:2] == ["what", "size"]
    assert {"seconds", "slowest", "repeats", "calls", "step", *cost.MEMORY} < set(nothing)


@pytest.mark.parametrize(
    ("fail", "words"),
    [
        ("prepare", "such table"),
        ("run", "such column"),
        ("killed", r"pieces: .* ended from outside.*'block 0'.*memory"),
    ],
)
def test_errors_of_the_child_are_raised_here(fail, words):
    with pytest.raises(UserError, match=words):
        list(costs(pieces, 0, fail))


@pytest.mark.parametrize(("platform", "unit"), [("darwin", 1), ("linux", 1024)])
def test_memory_without_proc_comes_from_the_system(monkeypatch, tmp_path, platform, unit):
    monkeypatch.setattr(cost, "_STATUS", tmp_path / "none")
    monkeypatch.setattr(cost, "_PEAK_RESET", tmp_path / "none" / "either")
    monkeypatch.setattr(sys, "platform", platform)
    usage = SimpleNamespace(getrusage=lambda who: SimpleNamespace(ru_maxrss=7), RUSAGE_SELF=0)
    monkeypatch.setitem(sys.modules, "resource", usage)
    assert cost.peak_memory() == 7 * unit
    assert cost.reset_peak() == 7 * unit


def test_a_peak_that_cannot_be_forgotten_stays(monkeypatch, tmp_path):
    status = tmp_path / "status"
    status.write_text("Name:\tpython\nVmHWM:\t  2048 kB\nVmRSS:\t  1024 kB\n")
    monkeypatch.setattr(cost, "_STATUS", status)
    monkeypatch.setattr(cost, "_PEAK_RESET", tmp_path / "none" / "either")
    assert cost.reset_peak() == 2048 * 1024
    monkeypatch.setattr(cost, "_PEAK_RESET", tmp_path / "reset")
    assert cost.reset_peak() == 1024 * 1024
    status.write_text("Name:\tpython\nVmHWM:\t  2048 kB\n")
    assert cost.reset_peak() == 2048 * 1024
