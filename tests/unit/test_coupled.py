"""Coupled similarity against the worked examples of its paper, and against exact arithmetic."""

from fractions import Fraction
from functools import partial

import numpy as np
import pytest
from kit import refused_calls

from couplings import CategoricalTable, CouplingsError, MeasureError, cooccurrence
from couplings.measures.coupled import (
    Cado,
    Caso,
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


TABLE = CategoricalTable.from_codes(
    [[0, 0, 0], [1, 0, 0], [1, 1, 1], [2, 2, 1], [3, 2, 2], [3, 1, 2]]
)
"""Table II of the paper."""
COUNTS = cooccurrence(TABLE)


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


@pytest.mark.parametrize(
    ("relation", "values", "terms"),
    [
        ("universal", [A1, A2, A3, A4], [0.5, 0.5, 0, 0.5]),
        ("joint", [A1, A2, A4], [0.5, 0.5, 0.5]),
        ("intersection", [A2], [0.5]),
    ],
)
def test_steps_of_the_worked_example(relation, values, terms):
    steps = list(relative_steps(COUNTS, 1, B1, B2, 0, relation))
    assert [step.values for step in steps] == [(b,) for b in values]
    assert [step.term for step in steps] == terms


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


WIDE = cooccurrence(CategoricalTable.from_codes(np.column_stack([np.zeros(21, int), range(21)])))
test_what_does_not_exist_is_refused = refused_calls(
    MeasureError,
    [
        *(
            (lambda bad=bad: Caso(bad).fit(TABLE), "weights must be 3 x 3")
            for bad in (np.ones(3), np.ones((3, 3)), -1 + np.eye(3), np.full((3, 3), np.nan))
        ),
        (lambda: Cado(h2="inverse-1").fit(TABLE), "infinite for values 0 and 2 of attribute 0"),
        *(
            (partial(measure, COUNTS, *place), words)
            for measure in FOUR
            for *place, words in (
                (1, 0, 1, 1, "own context"),
                (3, 0, 1, 1, "attribute 3 is out of range"),
                (0, 0, 1, -1, "context -1 is out of range"),
                (1, 0, 3, 0, "value 3 of attribute 1 does not occur"),
            )
        ),
        (partial(POWER, WIDE, 0, 0, 0, 1), "at most 20"),
    ],
)
test_unknown_options_are_refused = refused_calls(
    CouplingsError,
    [
        (lambda: Cado(h1="square").fit(TABLE), "h1='square'"),
        (lambda: Cado(h2="one").fit(TABLE), "h2='one'"),
        (lambda: relative_steps(COUNTS, 1, 0, 1, 0, "union"), "relation='union'"),
    ],
)


def test_many_values_are_no_obstacle_to_the_intersection():
    assert INTERSECTION(WIDE, 0, 0, 0, 1).value == 1
