"""Every measure against its definition, on random tables."""

import math

import definitions
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from kit import examples, refused_calls
from rivals_toy import tables
from test_contract import table_of

from couplings import (
    AhmadDey,
    CategoricalTable,
    CouplingsError,
    DilcaM,
    DilcaRR,
    Goodall3,
    Jaccard,
    Lin,
    MeasureError,
    OccurrenceFrequency,
    Pearson,
    SimpleMatching,
    cooccurrence,
)
from couplings.counts import symmetric_uncertainty
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
from couplings.values import ValueMatrices

TOLERANCE = {"rtol": 1e-12, "atol": 1e-12}


def columns_of(table):
    return [column.tolist() for column in table.codes.T]


def assert_blocks(measure, table, expected):
    """Compare the value matrices with `expected(j, y, z)`; unobserved values have 0."""
    columns = columns_of(table)
    for j, v in enumerate(table.n_values):
        for y in range(v):
            for z in range(v):
                seen = y in columns[j] and z in columns[j]
                want = expected(j, y, z) if seen else 0.0
                assert measure.value_matrices_.block(j)[y, z] == pytest.approx(
                    want, rel=1e-12, abs=1e-12
                )


@examples(40)
@given(tables(2, declared=True))
def test_symmetric_uncertainty(table):
    columns, counts = columns_of(table), cooccurrence(table)
    clipped = symmetric_uncertainty(counts)
    weka = symmetric_uncertainty(counts, "weka")
    for i, a in enumerate(columns):
        for j, b in enumerate(columns):
            if i == j:
                assert clipped[i, j] == weka[i, j] == 1
                continue
            assert clipped[i, j] == pytest.approx(definitions.uncertainty(a, b), abs=1e-11)
            want = definitions.weka_uncertainty(a, b, table.n_values[i], table.n_values[j])
            assert weka[i, j] == pytest.approx(want, abs=1e-11)


@pytest.mark.twin_of("DilcaM")
@examples(40)
@given(tables(2, declared=True), st.sampled_from([0.0, 0.3, 0.7, 1.0]))
def test_dilca_m(table, sigma):
    measure = DilcaM(sigma).fit(table)
    check_dilca(measure, table, lambda su, j: definitions.context_m(su, j, sigma))


@pytest.mark.twin_of("DilcaRR")
@examples(40)
@given(tables(2, declared=True), st.sampled_from(["strict", "algorithm3"]))
def test_dilca_rr(table, context):
    measure = DilcaRR(context).fit(table)
    check_dilca(measure, table, lambda su, j: definitions.context_rr(su, j, context == "strict"))


@pytest.mark.parametrize("seed", range(3))
def test_dilca_on_related_attributes(seed):
    related = table_of(150, (2, 3, 5, 4, 3, 2), seed)
    table = CategoricalTable.from_codes(related.codes, related.n_values + 1)
    contexts = set()
    for measure, context_of in (
        (DilcaM(0.8), lambda su, j: definitions.context_m(su, j, 0.8)),
        (DilcaRR(), lambda su, j: definitions.context_rr(su, j, True)),
        (DilcaRR(rounding="weka"), lambda su, j: definitions.context_rr(su, j, True)),
    ):
        check_dilca(measure.fit(table), table, context_of)
        contexts.add(measure.context_.tobytes())
    assert len(contexts) > 1


def check_dilca(measure, table, context_of):
    """The context from the measure's own uncertainties (their noise decides ties), then all."""
    columns = columns_of(table)
    su = measure.symmetric_uncertainty_.tolist()
    contexts = [context_of(su, j) for j in range(table.n_attributes)]
    for j, context in enumerate(contexts):
        assert set(np.flatnonzero(measure.context_[j])) == context
    assert_blocks(
        measure,
        table,
        lambda j, y, z: definitions.dilca(columns, table.n_values, j, contexts[j], y, z),
    )
    assert_objects(measure, table, lambda parts: math.sqrt(sum(part**2 for part in parts)))


def assert_objects(measure, table, combine):
    blocks = [measure.value_matrices_.block(j) for j in range(table.n_attributes)]
    rows = table.codes.tolist()
    want = [
        [combine([b[x, y] for b, x, y in zip(blocks, u, v, strict=True)]) for v in rows]
        for u in rows
    ]
    np.testing.assert_allclose(measure.space_.pairwise(table), want, **TOLERANCE)


@pytest.mark.twin_of("AhmadDey")
@examples(25)
@given(tables(2, declared=True), st.sampled_from(["sum", "rss"]))
def test_ahmad_dey(table, aggregation):
    columns = columns_of(table)
    measure = AhmadDey(aggregation).fit(table)
    assert_blocks(
        measure, table, lambda j, y, z: definitions.ahmad_dey(columns, table.n_values, j, y, z)
    )
    assert_objects(
        measure,
        table,
        sum if aggregation == "sum" else lambda parts: math.sqrt(sum(p * p for p in parts)),
    )


@pytest.mark.twin_of("Pearson")
@examples(25)
@given(tables(2, declared=True))
def test_pearson(table):
    columns = columns_of(table)
    measure = Pearson().fit(table)
    assert_blocks(
        measure,
        table,
        lambda j, y, z: 0.0 if y == z else definitions.pearson(columns, table.n_values, j, y, z),
    )
    assert_objects(measure, table, lambda parts: math.sqrt(sum(part**2 for part in parts)))


@pytest.mark.twin_of("OccurrenceFrequency")
@examples(25)
@given(tables(2, declared=True), st.sampled_from([math.e, 2.0]), st.sampled_from(["object", "sum"]))
def test_occurrence_frequency(table, base, link):
    columns, m = columns_of(table), table.n_attributes
    measure = OccurrenceFrequency(base, link).fit(table)

    def value(j, y, z):
        similarity = definitions.occurrence_frequency(columns[j], y, z, base)
        return similarity if link == "object" else 1 - similarity

    assert_blocks(measure, table, value)
    assert_objects(measure, table, sum if link == "sum" else lambda parts: 1 / (1 + sum(parts) / m))


@pytest.mark.twin_of("Goodall3", "Lin")
@examples(25)
@given(tables(2, declared=True))
def test_goodall3_and_lin(table):
    columns, m = columns_of(table), table.n_attributes
    goodall = Goodall3().fit(table)
    assert_blocks(goodall, table, lambda j, y, z: definitions.goodall3(columns[j], y, z))
    assert_objects(goodall, table, lambda parts: 1 / (1 + sum(parts) / m))
    n = table.n_objects
    want = [[definitions.lin_dissimilarity(columns, u, v) for v in range(n)] for u in range(n)]
    found = Lin(self_distance="paper").fit(table).pairwise(table)
    np.testing.assert_allclose(found, want, **TOLERANCE)


@pytest.mark.twin_of("SimpleMatching", "Jaccard")
@examples(25)
@given(tables(2, declared=True))
def test_overlap(table):
    rows, m = table.codes.tolist(), table.n_attributes
    h = np.array([[sum(p != q for p, q in zip(u, v, strict=True)) for v in rows] for u in rows])
    np.testing.assert_array_equal(SimpleMatching().fit(table).pairwise(table), h)
    equal = m - h
    np.testing.assert_allclose(
        Jaccard().fit(table).pairwise(table), 1 - equal / (2 * m - equal), **TOLERANCE
    )


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
    np.testing.assert_allclose(space.pairwise(table, np.float32), square, rtol=1e-6)


test_what_cannot_be_computed_is_refused = refused_calls(
    MeasureError,
    [
        (
            lambda: Eskin().fit(CategoricalTable.from_codes([[0, 0]])),
            "Eskin needs at least two objects",
        ),
        (
            lambda: QuotientSpace(*(ValueMatrices.from_blocks([np.eye(v)]) for v in (3, 2))),
            "differ in domains",
        ),
    ],
)


def test_a_variant_that_is_not_known_is_refused():
    with pytest.raises(CouplingsError, match="variant=5 is not known"):
        Goodall(5).fit(CategoricalTable.from_codes([[0, 0], [0, 0]]))
