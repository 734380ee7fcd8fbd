"""Coupled similarity: the worked example of its paper, edges and refusals."""

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
