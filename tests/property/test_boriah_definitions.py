"""The measures of Boriah, Chandola and Kumar against loops over the formulas of their table 2."""

import math

import numpy as np
import pytest
from hypothesis import given
from kit import examples
from rivals_toy import tables

from couplings.errors import CouplingsError, MeasureError
from couplings.measures.frequency import (
    Anderberg,
    Burnaby,
    Eskin,
    Gambaryan,
    Goodall,
    InverseOccurrenceFrequency,
    Lin1,
    Smirnov,
)
from couplings.spaces import QuotientSpace
from couplings.table import CategoricalTable
from couplings.values import ValueMatrices


class Attribute:
    def __init__(self, column):
        self.n = len(column)
        self.values = sorted(set(column))
        self.f = {q: column.count(q) for q in self.values}
        self.p = {q: self.f[q] / self.n for q in self.values}
        self.p2 = {q: self.f[q] * (self.f[q] - 1) / (self.n * (self.n - 1)) for q in self.values}


def eskin(a, x, y):
    return 1 if x == y else len(a.values) ** 2 / (len(a.values) ** 2 + 2)


def iof(a, x, y):
    return 1 if x == y else 1 / (1 + math.log(a.f[x]) * math.log(a.f[y]))


def goodall(variant):
    def similarity(a, x, y):
        if x != y:
            return 0
        if variant == 4:
            return a.p2[x]
        chosen = {
            1: [q for q in a.values if a.f[q] <= a.f[x]],
            2: [q for q in a.values if a.f[q] >= a.f[x]],
            3: [x],
        }[variant]
        return 1 - sum(a.p2[q] for q in chosen)

    return similarity


def smirnov(a, x, y):
    others = sum(a.f[q] / (a.n - a.f[q]) for q in a.values if q not in (x, y))
    return 2 + (a.n - a.f[x]) / a.f[x] + others if x == y else others


def gambaryan(a, x, y):
    if x != y or a.p[x] == 1:
        return 0
    return -(a.p[x] * math.log2(a.p[x]) + (1 - a.p[x]) * math.log2(1 - a.p[x]))


def burnaby(a, x, y):
    if x == y:
        return 1
    whole = sum(2 * math.log(1 - a.p[q]) for q in a.values)
    odds = a.p[x] * a.p[y] / ((1 - a.p[x]) * (1 - a.p[y]))
    return whole / (math.log(odds) + whole)


def per_attribute(attributes):
    return 1 / len(attributes)


def per_value(attributes):
    return 1 / sum(len(a.values) for a in attributes)


CASES = [
    (Eskin(), eskin, per_attribute),
    (InverseOccurrenceFrequency(), iof, per_attribute),
    *((Goodall(variant), goodall(variant), per_attribute) for variant in (1, 2, 3, 4)),
    (Smirnov(), smirnov, per_value),
    (Gambaryan(), gambaryan, per_value),
    (Burnaby(), burnaby, per_attribute),
]


@pytest.mark.twin_of(
    "Eskin", "InverseOccurrenceFrequency", "Goodall", "Smirnov", "Gambaryan", "Burnaby"
)
@pytest.mark.parametrize(("measure", "formula", "weight"), CASES, ids=lambda x: repr(x)[:20])
@examples(30)
@given(table=tables(most_values=5, declared=True))
def test_sums(measure, formula, weight, table):
    measure.fit(table)
    attributes = [Attribute(column.tolist()) for column in table.codes.T]
    for j, a in enumerate(attributes):
        block = measure.similarities_.block(j)
        for x in a.values:
            for y in a.values:
                want = formula(a, x, y) * weight(attributes)
                assert block[x, y] == pytest.approx(want, rel=1e-10, abs=1e-12)
    # dissimilarities are the similarities turned round
    similar = sum(
        measure.similarities_.block(j)[np.ix_(column, column)]
        for j, column in enumerate(table.codes.T)
    )
    total = measure.space_.pairwise(table) + similar
    np.testing.assert_allclose(total, total[0, 0], atol=1e-9)


def lin1(attributes, u, v):
    above = below = 0.0
    for a, x, y in zip(attributes, u, v, strict=True):
        low, high = sorted((a.f[x], a.f[y]))
        between = [q for q in a.values if low <= a.f[q] <= high]
        information = sum(math.log(a.p[q]) for q in between)
        above += information if x == y else 2 * math.log(sum(a.p[q] for q in between))
        below += information
    return above / below if abs(below) > 1e-12 else 1.0


def anderberg(attributes, u, v):
    match = mismatch = 0.0
    for a, x, y in zip(attributes, u, v, strict=True):
        size = 2 / (len(a.values) * (len(a.values) + 1))
        if x == y:
            match += size / a.p[x] ** 2
        else:
            mismatch += size / (2 * a.p[x] * a.p[y])
    return match / (match + mismatch)


@pytest.mark.twin_of("Lin1", "Anderberg")
@pytest.mark.parametrize(("measure", "formula"), [(Lin1(), lin1), (Anderberg(), anderberg)])
@examples(30)
@given(table=tables(most_values=5, declared=True))
def test_quotients(measure, formula, table):
    attributes = [Attribute(column.tolist()) for column in table.codes.T]
    distances = measure.fit(table).space_.pairwise(table)
    rows = table.codes.tolist()
    for u, first in enumerate(rows):
        for v, second in enumerate(rows):
            want = formula(attributes, first, second)
            assert -1e-12 <= want <= 1 + 1e-12
            assert distances[u, v] == pytest.approx(1 / (1 + want), rel=1e-9)


def test_quotients_agree_in_all_their_forms():
    rng = np.random.default_rng(3)
    table = CategoricalTable.from_codes(rng.integers(0, 3, (40, 4)))
    space = Anderberg().fit(table).space_
    square = space.pairwise(table)
    np.testing.assert_array_equal(square, square.T)
    np.testing.assert_array_equal(space.condensed(table), square[np.triu_indices(40, 1)])
    np.testing.assert_array_equal(space.between(table.take(np.arange(5)), table), square[:5])
    out = np.empty((40, 40), dtype=np.float32)
    assert space.pairwise(table, out) is out
    np.testing.assert_allclose(out, square, rtol=1e-6)


def test_what_cannot_be_computed_is_refused():
    one, two = (CategoricalTable.from_codes(np.zeros((n, 2), dtype=int)) for n in (1, 2))
    with pytest.raises(MeasureError, match="Eskin needs at least two objects"):
        Eskin().fit(one)
    with pytest.raises(CouplingsError, match="variant=5 is not known"):
        Goodall(5).fit(two)
    wide, narrow = (ValueMatrices.from_blocks([np.eye(size)]) for size in (3, 2))
    with pytest.raises(MeasureError, match="different domains"):
        QuotientSpace(wide, narrow)
