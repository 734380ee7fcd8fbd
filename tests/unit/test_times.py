"""What measured times can tell."""

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from replication.judge.times import MARGIN, SLACK, Power, Seconds, every, faster, power

FINE = 1e-6


def times(least, largest=None, step=FINE):
    return Seconds(least, least if largest is None else largest, step)


durations = st.floats(1e-3, 1e3)
measured = st.builds(lambda least, more: times(least, least * more), durations, st.floats(1, 3))


# --- orders --------------------------------------------------------------------------------------


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


@given(measured, measured)
def test_what_is_told_leaves_the_repetitions_apart(one, other):
    if faster(one, other):
        assert one.largest < other.least
        assert other.least >= MARGIN * one.least


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


# --- growth --------------------------------------------------------------------------------------


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
