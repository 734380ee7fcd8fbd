"""CDC-DR and the unified measures against their definitions."""

import itertools
import math

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from kit import examples, refused
from rivals_toy import TOY, tables

from couplings import CategoricalTable, CouplingsError, MeasureError
from couplings.measures import CDCDR, HD, UDM, UEDM


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
        CDCDR(2, ties="refuse").fit(grid)
    together = CDCDR(2).fit(grid)
    assert together.value_embedding_.shape == (6, 5)
    # All values of an attribute are alike, so the repaired embedding keeps them equally far apart.
    block = together.value_matrices_.block(0)
    np.testing.assert_allclose(block[np.triu_indices(3, 1)], block[0, 1])


test_parameters_out_of_range_are_refused = refused(
    CouplingsError,
    lambda parameters: CDCDR(**parameters).fit(TOY),
    [
        ({"n_components": 0}, "n_components=0 is not an integer from 1 to 8 values"),
        ({"n_components": 9}, "n_components=9 is not an integer from 1 to 8 values"),
        ({"ties": "drop"}, "ties='drop' is not known"),
    ],
)


def test_weights_and_interdependence_of_the_worked_table():
    np.testing.assert_allclose(
        UEDM().fit(TOY).weights_, [0.31521385, 0.34239307, 0.34239307], atol=1e-8
    )
    r = UDM().fit(TOY).interdependence_
    np.testing.assert_allclose(
        r, [[1, 0.6, 0.66666667], [0.6, 1, 0], [0.66666667, 0, 1]], atol=1e-8
    )
    assert r.diagonal().tolist() == [1, 1, 1]


def hd(columns, j, x, y):
    total = 0.0
    for k, other in enumerate(columns):
        if k == j:
            total += 1.0
            continue
        given_x = [b for a, b in zip(columns[j], other, strict=True) if a == x]
        given_y = [b for a, b in zip(columns[j], other, strict=True) if a == y]
        met = set(given_x) | set(given_y)
        variation = sum(
            abs(given_x.count(b) / len(given_x) - given_y.count(b) / len(given_y)) for b in met
        )
        total += variation / len(met)
    return total / len(columns)


def uedm(columns, j, x, y):
    n = len(columns[0])

    def part(column, value):
        p = column.count(value) / n
        return -p * math.log(p)

    ratios = [
        sum(part(c, a) for a in set(c)) / math.log(len(set(c))) if len(set(c)) > 1 else 0.0
        for c in columns
    ]
    return ratios[j] / sum(ratios) * (part(columns[j], x) + part(columns[j], y))


def udm(columns, r, x, y):
    n = len(columns[0])
    varying = [c for c in columns if len(set(c)) > 1]
    total = 0.0
    for other in varying:
        agree = 0
        for u, v in itertools.combinations(range(n), 2):
            agree += columns[r][u] == columns[r][v] and other[u] == other[v]
        count = [
            [
                sum((a, b) == (t, g) for a, b in zip(columns[r], other, strict=True))
                for g in sorted(set(other))
            ]
            for t in sorted(set(columns[r]))
        ]
        for row_t, row_h in itertools.combinations(count, 2):
            for g, u in itertools.combinations(range(len(row_t)), 2):
                agree += abs(row_t[g] * row_h[u] - row_t[u] * row_h[g])
        entropy = 0.0
        for g in set(other):
            q = sum(a in (x, y) and b == g for a, b in zip(columns[r], other, strict=True)) / n
            entropy -= q * math.log2(q) if q else 0.0
        total += agree / (n * (n - 1) / 2) * entropy / math.log2(len(set(other)))
    return total / len(varying)


@pytest.mark.twin_of("HD", "UEDM", "UDM")
@examples(40)
@given(tables(declared=True))
@pytest.mark.parametrize(("measure", "definition"), [(HD, hd), (UEDM, uedm), (UDM, udm)])
def test_the_definition_in_loops_gives_the_same(measure, definition, t):
    found = measure().fit(t).value_matrices_
    columns = [column.tolist() for column in t.codes.T]
    for j, v in enumerate(t.n_values):
        for x in range(v):
            for y in range(v):
                seen = x != y and x in columns[j] and y in columns[j]
                want = definition(columns, j, x, y) if seen else 0.0
                assert found.block(j)[x, y] == pytest.approx(want, rel=1e-12, abs=1e-12)
