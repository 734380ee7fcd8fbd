"""The measures of Boriah, Chandola and Kumar: laws on one small table."""

import numpy as np
import pytest

from couplings.errors import CouplingsError, MeasureError
from couplings.measures.frequency import (
    Anderberg,
    Burnaby,
    Eskin,
    Gambaryan,
    Goodall,
    InverseOccurrenceFrequency,
    Smirnov,
)
from couplings.spaces import QuotientSpace
from couplings.table import CategoricalTable
from couplings.values import ValueMatrices

# Attribute 0: a a a b b c (frequencies 3, 2, 1 of 6); attribute 1: x x y y y y (2 and 4).
CODES = np.array([[0, 0], [0, 0], [0, 1], [1, 1], [1, 1], [2, 1]])
TABLE = CategoricalTable.from_codes(CODES)


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
