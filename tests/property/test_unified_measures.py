"""HD, UEDM and UDM on six rows worked by hand, digit by digit, and their edges."""

import itertools
import math

import numpy as np
import pytest
from hypothesis import given
from kit import examples
from rivals_toy import TOY, tables

from couplings import HD, UDM, UEDM, AhmadDey, CategoricalTable


def table(codes, n_values=None):
    return CategoricalTable.from_codes(np.array(codes), n_values)


def test_weights_and_interdependence_of_the_worked_table():
    np.testing.assert_allclose(
        UEDM().fit(TOY).weights_, [0.31521385, 0.34239307, 0.34239307], atol=1e-8
    )
    r = UDM().fit(TOY).interdependence_
    np.testing.assert_allclose(
        r, [[1, 0.6, 0.66666667], [0.6, 1, 0], [0.66666667, 0, 1]], atol=1e-8
    )
    assert r.diagonal().tolist() == [1, 1, 1]


def test_binary_contexts_make_hd_that_of_ahmad_and_dey_on_another_scale():
    full = table([[0, 0, 0], [0, 1, 1], [1, 0, 1], [1, 1, 0], [0, 0, 0], [1, 1, 0]])
    hd, add = HD().fit(full).value_matrices_, AhmadDey().fit(full).value_matrices_
    for j in range(3):
        assert hd.block(j)[0, 1] == pytest.approx(1 / 3 + 2 / 3 * add.block(j)[0, 1])


@pytest.mark.parametrize("measure", [UEDM(), UDM()], ids=repr)
def test_constant_attributes_are_left_out(measure):
    rows = np.array([[0, 0], [0, 1], [1, 1], [2, 0], [2, 0]])
    without = measure.fit(table(rows)).value_matrices_
    constant = np.column_stack([rows, np.zeros(5, int)])
    with_it = measure.fit(table(constant)).value_matrices_
    for j in range(2):
        np.testing.assert_allclose(with_it.block(j), without.block(j))


@pytest.mark.parametrize("measure", [HD(), UEDM(), UDM()], ids=repr)
def test_declared_values_that_never_occur_change_nothing(measure):
    declared = table(TOY.codes, [4, 3, 5])
    np.testing.assert_array_equal(
        measure.fit(TOY).pairwise(TOY), measure.fit(declared).pairwise(declared)
    )
    block = measure.value_matrices_.block(0)
    assert not block[3].any()
    assert not block[:, 3].any()


def columns_of(t):
    return [column.tolist() for column in t.codes.T]


def assert_twin(measure, t, definition):
    columns = columns_of(t)
    for j, v in enumerate(t.n_values):
        for x in range(v):
            for y in range(v):
                seen = x != y and x in columns[j] and y in columns[j]
                want = definition(columns, j, x, y) if seen else 0.0
                got = measure.value_matrices_.block(j)[x, y]
                assert got == pytest.approx(want, rel=1e-12, abs=1e-12)


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
    assert_twin(measure().fit(t), t, definition)
