"""The measures of Boriah, Chandola and Kumar against loops over the formulas of their table 2."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from kit import examples

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
from couplings.table import CategoricalTable


@st.composite
def tables(draw):
    m = draw(st.integers(1, 4))
    n_values = draw(st.lists(st.integers(1, 5), min_size=m, max_size=m))
    row = st.tuples(*(st.integers(0, v - 1) for v in n_values))
    rows = draw(st.lists(row, min_size=2, max_size=18))
    return CategoricalTable.from_codes(np.array(rows), n_values)


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
@given(table=tables())
def test_sums(measure, formula, weight, table):
    measure.fit(table)
    attributes = [Attribute(column.tolist()) for column in table.codes.T]
    for j, a in enumerate(attributes):
        block = measure.similarities_.block(j)
        for x in a.values:
            for y in a.values:
                want = formula(a, x, y) * weight(attributes)
                assert block[x, y] == pytest.approx(want, rel=1e-10, abs=1e-12)


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
@given(table=tables())
def test_quotients(measure, formula, table):
    attributes = [Attribute(column.tolist()) for column in table.codes.T]
    distances = measure.fit(table).space_.pairwise(table)
    rows = table.codes.tolist()
    for u, first in enumerate(rows):
        for v, second in enumerate(rows):
            want = formula(attributes, first, second)
            assert -1e-12 <= want <= 1 + 1e-12
            assert distances[u, v] == pytest.approx(1 / (1 + want), rel=1e-9)
