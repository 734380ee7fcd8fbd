"""The measures of Boriah, Chandola and Kumar: worked by hand on one small table, and their laws."""

import math

import numpy as np
import pytest

from couplings.counts import cooccurrence
from couplings.errors import CouplingsError, MeasureError
from couplings.measures.frequency import (
    Anderberg,
    Burnaby,
    Eskin,
    Gambaryan,
    Goodall,
    Goodall3,
    InverseOccurrenceFrequency,
    Lin1,
    Smirnov,
)
from couplings.spaces import QuotientSpace
from couplings.table import CategoricalTable
from couplings.values import ValueMatrices

# Attribute 0: a a a b b c (frequencies 3, 2, 1 of 6); attribute 1: x x y y y y (2 and 4).
CODES = np.array([[0, 0], [0, 0], [0, 1], [1, 1], [1, 1], [2, 1]])
TABLE = CategoricalTable.from_codes(CODES)
A, B, C = 0, 1, 2


def similarity(measure, table=TABLE):
    measure.fit(table)
    return measure.similarities_.block(0), measure.similarities_.block(1)


def test_eskin():
    first, second = similarity(Eskin())
    np.testing.assert_allclose(first, (np.full((3, 3), 9 / 11) + 2 / 11 * np.eye(3)) / 2)
    np.testing.assert_allclose(second[0, 1], (4 / 6) / 2)


def test_inverse_occurrence_frequency():
    first, _ = similarity(InverseOccurrenceFrequency())
    assert first[A, B] == pytest.approx(1 / (1 + math.log(3) * math.log(2)) / 2)
    assert first[A, C] == pytest.approx(0.5)  # ln 1 = 0: as alike as equal values
    assert first[B, B] == 0.5


def test_goodall():
    # chances: f (f - 1) / 30, so 6/30, 2/30, 0
    expected = {
        1: [1 - 8 / 30, 1 - 2 / 30, 1.0],
        2: [1 - 6 / 30, 1 - 8 / 30, 1 - 8 / 30],
        3: [1 - 6 / 30, 1 - 2 / 30, 1.0],
        4: [6 / 30, 2 / 30, 0.0],
    }
    for variant, match in expected.items():
        first, _ = similarity(Goodall(variant))
        np.testing.assert_allclose(first, np.diag(match) / 2, atol=1e-15)


def test_goodall3_agrees_with_the_measure_that_was_there_before():
    measure = Goodall3().fit(TABLE)
    np.testing.assert_allclose(similarity(Goodall(3))[0], measure.value_matrices_.block(0) / 2)


def test_smirnov():
    first, second = similarity(Smirnov())
    odds = {A: 3 / 3, B: 2 / 4, C: 1 / 5}
    assert first[A, A] == pytest.approx((2 + 3 / 3 + odds[B] + odds[C]) / 5)
    assert first[C, C] == pytest.approx((2 + 5 / 1 + odds[A] + odds[B]) / 5)
    assert first[A, B] == pytest.approx(odds[C] / 5)
    assert second[0, 1] == pytest.approx(0.0, abs=1e-15)


def test_gambaryan():
    first, second = similarity(Gambaryan())
    assert first[A, A] == pytest.approx(1 / 5)  # one bit for one half
    assert first[A, B] == 0
    share = 1 / 3
    bits = -(share * math.log2(share) + (1 - share) * math.log2(1 - share))
    assert first[B, B] == pytest.approx(bits / 5)
    assert second[1, 1] == pytest.approx(bits / 5)


def test_burnaby():
    first, second = similarity(Burnaby())
    whole = 2 * (math.log(1 / 2) + math.log(2 / 3) + math.log(5 / 6))
    odds = math.log((1 / 2 * 1 / 3) / (1 / 2 * 2 / 3))
    assert first[A, B] == pytest.approx(whole / (odds + whole) / 2)
    np.testing.assert_array_equal(second, 0.5)  # it does not see an attribute of two values


def test_lin1():
    measure = Lin1(self_distance="paper").fit(TABLE)
    above, below = measure.value_matrices_.block(0), measure.denominators_.block(0)
    p = [3 / 6, 2 / 6, 1 / 6]
    assert below[A, B] == pytest.approx(math.log(p[A]) + math.log(p[B]))
    assert below[A, C] == pytest.approx(sum(map(math.log, p)))  # b is between a and c
    assert above[A, B] == pytest.approx(2 * math.log(p[A] + p[B]))
    assert above[A, C] == 0.0
    assert above[B, B] == below[B, B] == pytest.approx(math.log(p[B]))
    distances = measure.pairwise(TABLE)
    s = (above[A, B] + math.log(4 / 6)) / (below[A, B] + math.log(4 / 6))
    assert distances[2, 3] == pytest.approx(1 / (1 + s))
    assert distances[0, 1] == pytest.approx(0.5)


def test_lin1_takes_all_values_of_one_frequency():
    # both values of attribute 0 occur twice, so Q holds both even for a match
    table = CategoricalTable.from_codes(np.array([[0, 0], [0, 0], [1, 0], [1, 1]]))
    measure = Lin1().fit(table)
    assert measure.value_matrices_.block(0)[0, 0] == pytest.approx(2 * math.log(0.5))
    assert measure.value_matrices_.block(0)[0, 1] == 0.0


def test_anderberg():
    measure = Anderberg(self_distance="paper").fit(TABLE)
    # objects 2 (a, y) and 3 (b, y): a mismatch in the first, a match in the second attribute
    match = (6 / 4) ** 2 * 2 / (2 * 3)
    mismatch = 1 / (2 * (3 / 6) * (2 / 6)) * 2 / (3 * 4)
    s = match / (match + mismatch)
    assert measure.pairwise(TABLE)[2, 3] == pytest.approx(1 / (1 + s))
    assert measure.pairwise(TABLE)[0, 3] == 1.0  # no match
    assert measure.pairwise(TABLE)[0, 1] == 0.5


SUMS = [
    Eskin(),
    InverseOccurrenceFrequency(),
    *(Goodall(variant) for variant in (1, 2, 3, 4)),
    Smirnov(),
    Gambaryan(),
    Burnaby(),
]


@pytest.mark.parametrize("measure", SUMS, ids=repr)
def test_dissimilarities_reverse_the_similarities(measure):
    measure.fit(TABLE)
    total = sum(
        measure.similarities_.block(j)[np.ix_(column, column)]
        for j, column in enumerate(CODES.T.tolist())
    )
    distances = measure.space_.pairwise(TABLE)
    np.testing.assert_allclose(distances + total, (distances + total)[0, 0])
    assert distances.min() >= 0


@pytest.mark.parametrize("measure", [*SUMS, Lin1(), Anderberg()], ids=repr)
def test_values_that_never_occur_change_nothing(measure):
    wider = CategoricalTable.from_codes(CODES, [4, 3])
    expected = measure.fit(TABLE).pairwise(TABLE)
    np.testing.assert_array_equal(measure.fit(wider).pairwise(wider), expected)
    assert not measure.value_matrices_.block(0)[3].any()


@pytest.mark.parametrize("measure", [*SUMS, Lin1(), Anderberg()], ids=repr)
def test_constant_attributes_tell_nothing_apart(measure):
    constant = CategoricalTable.from_codes(np.zeros((4, 2), dtype=int))
    distances = measure.fit(constant).pairwise(constant)
    assert (distances == distances[0, 0]).all()


def test_what_cannot_be_computed_is_refused():
    one = CategoricalTable.from_codes(np.zeros((1, 2), dtype=int))
    with pytest.raises(MeasureError, match="Eskin needs at least two objects"):
        Eskin().fit(one)
    with pytest.raises(CouplingsError, match="variant=5 is not known"):
        Goodall(5).fit(TABLE)


def test_quotients_agree_in_all_their_forms():
    rng = np.random.default_rng(3)
    table = CategoricalTable.from_codes(rng.integers(0, 3, (40, 4)))
    space = Anderberg().fit(table).space_
    square = space.pairwise(table)
    np.testing.assert_array_equal(square, square.T)
    np.testing.assert_array_equal(space.condensed(table), square[np.triu_indices(40, 1)])
    rows = table.take(np.arange(5))
    np.testing.assert_array_equal(space.between(rows, table), square[:5])
    out = np.empty((40, 40), dtype=np.float32)
    assert space.pairwise(table, out) is out
    np.testing.assert_allclose(out, square, rtol=1e-6)


def test_a_quotient_over_two_domains_is_refused():
    wide, narrow = (ValueMatrices.from_blocks([np.eye(size)]) for size in (3, 2))
    with pytest.raises(MeasureError, match="different domains"):
        QuotientSpace(wide, narrow)


def test_counts_are_enough():
    for measure in (*SUMS, Lin1(), Anderberg()):
        expected = measure.fit(TABLE).value_matrices_.data
        np.testing.assert_array_equal(
            measure.fit(cooccurrence(TABLE)).value_matrices_.data, expected
        )
