"""CDC-DR's value embedding: worked numbers, its definition, ties of eigenvalues."""

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from kit import examples
from rivals_toy import TOY, tables

from couplings import CDCDR, CategoricalTable, CouplingsError, MeasureError


def test_eigenvalues_of_the_worked_table():
    np.testing.assert_allclose(
        CDCDR(2).fit(TOY).eigenvalues_,
        [1, 0.67028548, 0.62439095, 0.35176302, 0.08237041, 0.03623888, 0, 0],
        atol=1e-8,
    )


def test_squared_distances_of_the_worked_table():
    measure = CDCDR(2).fit(TOY)
    expected = [
        [0.79125489, 2.68830714, 0.91992593],
        [0.27377886],
        [0.14535346, 2.49704574, 1.73588354],
    ]
    for j, upper in enumerate(expected):
        block = measure.value_matrices_.block(j)
        np.testing.assert_allclose(block[np.triu_indices(len(block), 1)] ** 2, upper, atol=1e-8)
    assert measure.pairwise(TOY)[0, 3] ** 2 == pytest.approx(1.21038721, abs=1e-8)


def in_loops(t, k):
    """Eigenvalues and squared distances of objects, from the 0-1 columns."""
    columns = [
        (t.codes[:, j] == x).astype(float)
        for j, v in enumerate(t.n_values)
        for x in range(v)
        if (t.codes[:, j] == x).any()
    ]
    s = np.array([[a @ b / np.sqrt((a @ a) * (b @ b)) for b in columns] for a in columns])
    d = s.sum(axis=1)
    values, vectors = np.linalg.eigh(s / np.sqrt(d[:, None] * d[None, :]))
    order = np.argsort(-values)
    h = vectors[:, order[:k]]
    h = h / (np.sqrt((h**2).sum(axis=1)) + 1e-10)[:, None]
    rows = [
        np.concatenate([h[c] for c, a in enumerate(columns) if a[u]]) for u in range(len(t.codes))
    ]
    return values[order], np.array([[((p - q) ** 2).sum() for q in rows] for p in rows])


@examples(60)
@given(tables(least_rows=4, declared=True), st.integers(1, 3))
def test_the_definition_gives_the_same(t, k):
    n_seen = int(t.observed().n_values.sum())
    assume(k <= n_seen)
    values, squares = in_loops(t, k)
    assume(k == n_seen or values[k - 1] - values[k] > 1e-6)
    measure = CDCDR(k).fit(t)
    np.testing.assert_allclose(measure.eigenvalues_, values, atol=1e-10)
    np.testing.assert_allclose(measure.pairwise(t) ** 2, squares, atol=1e-8)
    for rows in (measure.transform(t), measure.compact(t)):
        differences = rows[:, None] - rows[None]
        np.testing.assert_allclose((differences**2).sum(axis=-1), squares, atol=1e-8)


def test_equal_eigenvalues_are_refused_or_taken_together():
    grid = CategoricalTable.from_codes(np.array([[a, b] for a in range(3) for b in range(3)]))
    with pytest.raises(MeasureError, match=r"eigenvalues 2 and 3 are both .*not defined"):
        CDCDR(2).fit(grid)
    together = CDCDR(2, ties="include").fit(grid)
    assert together.value_embedding_.shape == (6, 5)
    # All values of an attribute are alike, so the repaired embedding keeps them equally far apart.
    block = together.value_matrices_.block(0)
    np.testing.assert_allclose(block[np.triu_indices(3, 1)], block[0, 1])


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"n_components": 0}, "n_components=0 is not an integer from 1 to 8 values"),
        ({"n_components": 9}, "n_components=9 is not an integer from 1 to 8 values"),
        ({"ties": "drop"}, "ties='drop' is not known"),
    ],
)
def test_parameters_out_of_range_are_refused(parameters, message):
    with pytest.raises(CouplingsError, match=message):
        CDCDR(**parameters).fit(TOY)
