"""Coupled similarity against the worked examples of its paper, and against exact arithmetic."""

from fractions import Fraction
from functools import partial

import numpy as np
import pytest

from couplings import CategoricalTable, CouplingsError, MeasureError, cooccurrence
from couplings.measures.coupled import (
    Cado,
    Caso,
    RelativeSimilarity,
    casv,
    iaasv,
    ieasv,
    relative_similarity,
    relative_steps,
)

FOUR = [
    partial(relative_similarity, relation=relation)
    for relation in ("power", "universal", "joint", "intersection")
]
POWER, *_, INTERSECTION = FOUR
A1, A2, A3, A4 = range(4)
B1, B2, B3 = range(3)


@pytest.fixture(scope="module")
def information():
    """Table II of the paper."""
    rows = ["A1 B1 C1", "A2 B1 C1", "A2 B2 C2", "A3 B3 C2", "A4 B3 C3", "A4 B2 C3"]
    return table_of(rows)


def table_of(rows):
    cells = [row.split() for row in rows]
    domains = [sorted(set(column)) for column in zip(*cells, strict=True)]
    codes = [[d.index(c) for d, c in zip(domains, row, strict=True)] for row in cells]
    return CategoricalTable.from_codes(np.array(codes), categories=domains)


def random_table(rng, most_objects=30, most_attributes=5, most_values=5):
    m = int(rng.integers(2, most_attributes + 1))
    n_values = rng.integers(1, most_values + 1, m)
    codes = rng.integers(0, n_values, (int(rng.integers(2, most_objects + 1)), m))
    return CategoricalTable.from_codes(codes, n_values.tolist())


def intra(counts, j, x, y):
    f = counts.block(j, j).diagonal().tolist()
    return Fraction(f[x] * f[y], f[x] + f[y] + f[x] * f[y]) if f[x] and f[y] else Fraction(0)


def inter(counts, j, x, y, weights=None):
    f = counts.block(j, j).diagonal()
    if not f[x] or not f[y]:
        return Fraction(0)
    m = counts.n_attributes
    return sum(
        (Fraction(1, m - 1) if weights is None else Fraction(weights[j, k]))
        * INTERSECTION(counts, j, x, y, k).value
        for k in range(m)
        if k != j
    )


def exact(counts, entry):
    """One matrix per attribute from ``entry(j, x, y)``."""
    return [
        [[entry(j, x, y) for y in range(v)] for x in range(v)]
        for j, v in enumerate(counts.n_values)
    ]


def assert_blocks(matrices, expected, tolerance=1e-12):
    for j, block in enumerate(expected):
        assert np.abs(matrices.block(j) - np.array(block, dtype=float)).max() <= tolerance


class TestWorkedExamples:
    def test_relative_similarities_and_their_evaluations(self, information):
        counts = cooccurrence(information)
        found = [measure(counts, 1, B1, B2, 0) for measure in FOUR]
        half = Fraction(1, 2)
        assert found == [RelativeSimilarity(half, count) for count in (32, 8, 6, 2)]
        assert [measure(counts, 1, B1, B2, 2).value for measure in FOUR] == [0] * 4

    @pytest.mark.parametrize(
        ("relation", "values", "terms"),
        [
            ("universal", [A1, A2, A3, A4], [0.5, 0.5, 0, 0.5]),
            ("joint", [A1, A2, A4], [0.5, 0.5, 0.5]),
            ("intersection", [A2], [0.5]),
        ],
    )
    def test_steps_of_the_other_sets(self, information, relation, values, terms):
        steps = list(relative_steps(cooccurrence(information), 1, B1, B2, 0, relation))
        assert [step.values for step in steps] == [(b,) for b in values]
        assert [step.term for step in steps] == terms

    def test_values(self, information):
        counts = cooccurrence(information)
        assert intra(counts, 1, B1, B2) == Fraction(1, 2)
        assert inter(counts, 1, B1, B2) == Fraction(1, 4)
        assert iaasv(counts).block(1)[B1, B2] == 0.5
        assert ieasv(counts).block(1)[B1, B2] == 0.25
        assert casv(counts).block(1)[B1, B2] == 0.125

    def test_objects(self, information):
        similarity = Caso().fit(information).similarities(information)
        assert similarity[1, 2] == 0.5 + 0.125 + 0.125

    def test_triangle_inequality_fails(self, information):
        d = Cado().fit(information).pairwise(information)
        assert (d[0, 3], d[0, 1], d[1, 3]) == (3.75, 0.75, 2.875)
        assert d[0, 3] > d[0, 1] + d[1, 3]

    def test_printed_upper_bound_fails_on_the_diagonal(self):
        table = CategoricalTable.from_codes(np.array([[0, 0]] * 4 + [[1, 1]] * 2))
        counts = cooccurrence(table)
        assert intra(counts, 0, 0, 0) == Fraction(2, 3) > Fraction(6, 10)
        assert iaasv(counts).block(0)[0, 0] == 2 / 3


class TestAgainstExactArithmetic:
    @pytest.mark.parametrize("seed", range(10))
    def test_weighted_value_matrices(self, seed):
        rng = np.random.default_rng(seed)
        counts = cooccurrence(random_table(rng))
        m = counts.n_attributes
        weights = rng.random((m, m)) * (rng.random((m, m)) < 0.7)
        np.fill_diagonal(weights, 0)
        assert_blocks(
            ieasv(counts, weights), exact(counts, lambda j, x, y: inter(counts, j, x, y, weights))
        )
        assert_blocks(
            Caso(weights).fit(counts).value_matrices_,
            exact(counts, lambda j, x, y: intra(counts, j, x, y) * inter(counts, j, x, y, weights)),
        )

    @pytest.mark.parametrize("h1", ["complement", "inverse"])
    def test_dissimilarities(self, h1):
        function = {"complement": lambda t: 1 - t, "inverse": lambda t: 1 / t}[h1]

        def entry(j, x, y):
            f = [Fraction(a) for a in counts.block(j, j).diagonal().tolist()]
            if 0 in (f[x], f[y]):
                return Fraction(0)
            t = 1 / (1 / f[x] + 1 / f[y] + 1)
            return function(t) * (1 - inter(counts, j, x, y))

        for seed in range(5):
            counts = cooccurrence(random_table(np.random.default_rng(seed)))
            matrices = Cado(h1=h1).fit(counts).value_matrices_
            assert_blocks(matrices, exact(counts, entry))

    def test_reciprocal_of_the_inter_coupled_part(self):
        table = CategoricalTable.from_codes(np.array([[0, 0], [0, 1], [1, 1], [1, 0], [1, 0]]))
        counts = cooccurrence(table)
        matrices = Cado(h1="one", h2="inverse-1").fit(counts).value_matrices_
        assert_blocks(matrices, exact(counts, lambda j, x, y: 1 / inter(counts, j, x, y) - 1))


class TestEdges:
    def test_values_that_never_occur(self):
        table = CategoricalTable.from_codes(np.array([[0, 0], [2, 1], [2, 0]]), [3, 2])
        for matrices in (
            *(measure(cooccurrence(table)) for measure in (iaasv, ieasv, casv)),
            Cado(h1="inverse").fit(table).value_matrices_,
        ):
            assert not matrices.block(0)[1].any()
            assert not matrices.block(0)[:, 1].any()

    def test_constant_context_shares_everything(self):
        table = CategoricalTable.from_codes(np.array([[0, 0], [1, 0]]))
        assert (ieasv(cooccurrence(table)).block(0) == 1).all()
        assert not Cado().fit(table).pairwise(table).any()


class TestErrors:
    @pytest.mark.parametrize(
        "weights", [np.ones(3), np.ones((3, 3)), -1 + np.eye(3), np.full((3, 3), np.nan)]
    )
    def test_weights(self, information, weights):
        with pytest.raises(MeasureError, match="weights must be 3 x 3"):
            Caso(weights).fit(information)

    def test_options(self, information):
        with pytest.raises(CouplingsError, match="h1='square'"):
            Cado(h1="square").fit(information)
        with pytest.raises(CouplingsError, match="h2='one'"):
            Cado(h2="one").fit(information)
        with pytest.raises(MeasureError, match="infinite for values 0 and 2 of attribute 0"):
            Cado(h2="inverse-1").fit(information)

    @pytest.mark.parametrize("measure", FOUR)
    def test_pairs(self, information, measure):
        counts = cooccurrence(information)
        with pytest.raises(MeasureError, match="own context"):
            measure(counts, 1, 0, 1, 1)
        with pytest.raises(MeasureError, match="attribute 3 is out of range"):
            measure(counts, 3, 0, 1, 1)
        with pytest.raises(MeasureError, match="context -1 is out of range"):
            measure(counts, 0, 0, 1, -1)
        with pytest.raises(MeasureError, match="value 3 of attribute 1 does not occur"):
            measure(counts, 1, 0, 3, 0)

    def test_too_many_subsets(self):
        codes = np.column_stack([np.zeros(21, int), np.arange(21)])
        counts = cooccurrence(CategoricalTable.from_codes(codes))
        with pytest.raises(MeasureError, match="at most 20"):
            POWER(counts, 0, 0, 0, 1)
        assert INTERSECTION(counts, 0, 0, 0, 1).value == 1

    def test_relation(self, information):
        with pytest.raises(CouplingsError, match="relation='union'"):
            relative_steps(cooccurrence(information), 1, 0, 1, 0, "union")
