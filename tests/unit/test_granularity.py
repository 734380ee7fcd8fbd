"""The step `granularity`: what the digits of a printed share allow."""

import math
from decimal import Decimal
from fractions import Fraction

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from kit import PUBLISHED, ROOT

from replication.judge import granularity
from replication.judge.granularity import (
    NEITHER,
    OPEN,
    ROUNDED,
    TRUNCATED,
    chance,
    counts_of,
    least_best_run,
    one_run,
    other_sizes,
    reasons,
    shares,
)
from replication.judge.published import load
from replication.judge.verdicts import Printed, parse_printed
from replication.steps import specification

SHARES = {paper: shares(load(paper, PUBLISHED)) for paper in ("dilca", "cde", "coupledmc")}


def column(paper, method):
    rows = SHARES[paper]
    return rows[rows["method"] == method].to_dict("records")


@given(st.integers(1, 400), st.integers(1, 4), st.data())
def test_counts_are_those_that_print_alike(objects, digits, data):
    count = data.draw(st.integers(0, objects))
    exact = Fraction(count, objects)
    truncated = Decimal(int(exact * 10**digits)).scaleb(-digits)
    rounded = Decimal(int(exact * 10**digits + Fraction(1, 2))).scaleb(-digits)
    assert count in counts_of(parse_printed(f"{truncated:f}"), objects)[TRUNCATED]
    assert count in counts_of(parse_printed(f"{rounded:f}"), objects)[ROUNDED]


@pytest.mark.parametrize("printed", ["0.842", "0.843", "43.71%", "43.70%"])
@pytest.mark.parametrize("objects", [7, 101, 683])
def test_counts_agree_with_trying_all(printed, objects):
    share = parse_printed(printed)
    unit = 10**-share.digits / share.scale
    for name, reach in ((ROUNDED, (-unit / 2, unit / 2)), (TRUNCATED, (0, unit))):
        tried = [
            count
            for count in range(objects + 1)
            if reach[0] < count / objects - float(share.value) < reach[1]
        ]
        assert list(counts_of(share, objects)[name]) == tried


def test_chance_is_the_share_of_digit_strings():
    strings = {round(1000 * count / 101) for count in range(102)}
    assert chance(parse_printed("0.842"), 101) == len(strings) / 1001
    assert chance(parse_printed("84.2%"), 101) == len(strings) / 1001
    assert chance(parse_printed("0.842"), 5000) == 1


def test_with_many_objects_nothing_can_be_told():
    assert one_run(parse_printed("0.707"), 1000) == OPEN
    assert one_run(parse_printed("0.842"), 101) == ROUNDED
    assert one_run(parse_printed("0.841"), 101) == TRUNCATED
    assert one_run(parse_printed("0.843"), 101) == NEITHER


def exactly(number):
    return Printed(Decimal(float(number)), None)


@given(st.lists(st.floats(0.5, 1), min_size=2, max_size=40))
def test_no_runs_beat_the_bound_on_the_largest(runs):
    mean, sd = np.mean(runs), np.std(runs, ddof=1)
    if mean - 0.5 < 1e-6:
        return
    assert least_best_run(exactly(mean), exactly(sd), len(runs), 0.5) <= max(runs) + 1e-9


def test_two_runs_at_the_ends_meet_the_bound():
    sd = exactly(np.std([0.5, 1], ddof=1))
    assert least_best_run(exactly(0.75), sd, 2, 0.5) == pytest.approx(1)
    assert least_best_run(parse_printed("0.40"), exactly(0.1), 10, 0.5) == math.inf
    # of all means that round to .6, one standard deviation above the least run asks least
    assert least_best_run(parse_printed("0.6"), exactly(0.02**0.5), 2, 0.5) == pytest.approx(0.7)


HITS = {"random": 2, "k_prototypes": 3, "madd": 3, "mixture": 5, "spectralcat": 2, "coupledmc": 8}


@pytest.mark.parametrize(("method", "hits"), HITS.items())
def test_one_column_of_coupledmc_consists_of_single_runs(method, hits):
    told = [row for row in column("coupledmc", method) if row["one_run"] != OPEN]
    assert len(told) == 8
    assert sum(row["one_run"] == ROUNDED for row in told) == hits


def test_a_mean_and_a_deviation_ask_for_a_run_that_good():
    needed = {row["dataset"]: row["least_best_run"] for row in column("coupledmc", "coupledmc")}
    assert needed["heart"] == pytest.approx(0.890, abs=5e-4)
    assert needed["statlog"] == pytest.approx(0.728, abs=5e-4)


def test_a_size_that_all_shares_contradict_is_another_one():
    assert other_sizes(SHARES["dilca"]) == {("dilca", "dermatology"): [366]}


def test_a_size_is_that_of_print_where_half_of_the_shares_fit():
    printed = ["0.500", "0.845", "0.155"]
    told = [one_run(parse_printed(share), 100) for share in printed]
    found = pd.DataFrame({"printed": printed, "one_run": told}).assign(
        paper="p", dataset="d", runs=1, objects=100
    )
    assert other_sizes(found) == {("p", "d"): [84, 110, 116]}
    assert other_sizes(found[:2]) == {}
    assert other_sizes(found.assign(runs=2)) == {}


def test_a_share_that_no_count_gives_is_a_reason():
    found = reasons(SHARES["dilca"])
    assert found["dilca-fig03-soybean-rock-purity"] == (
        "no count of 683 objects is 43.71%, rounded or truncated"
    )
    assert not [name for name in found if "dermatology" in name]
    assert reasons(SHARES["coupledmc"]) == {}


def test_the_step_writes_the_committed_tables(tmp_path, catalog):
    spec = specification(catalog.spec("granularity"))
    granularity.run(spec, PUBLISHED, tmp_path / "granularity.csv")
    for name in ("granularity.csv", "granularity.md"):
        assert (tmp_path / name).read_text() == (ROOT / "figures" / name).read_text()
