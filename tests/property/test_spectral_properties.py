"""Spectral embeddings, and the products of matrices behind them."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from kit import examples

from couplings import CategoricalTable
from couplings._kernels.scaled import BLOCK, ROWS, product
from couplings.cluster import _eigen
from couplings.cluster._farthest import largest_dissimilarity
from couplings.spaces import ObjectSpace
from couplings.values import ValueMatrices


@st.composite
def problems(draw):
    """Draw a table with repeated rows, symmetric value matrices with zero diagonals."""
    rng = np.random.default_rng(draw(st.integers(0, 2**32)))
    sizes = draw(st.lists(st.integers(1, 5), min_size=1, max_size=5))
    rows = rng.integers(0, sizes, (draw(st.integers(2, 12)), len(sizes)))
    codes = rows[rng.integers(0, len(rows), draw(st.integers(2, 40)))]
    halves = [np.triu(rng.random((v, v)), 1) for v in sizes]
    matrices = ValueMatrices.from_blocks([half + half.T for half in halves])
    return CategoricalTable.from_codes(codes, sizes), matrices


@examples(100)
@given(problems())
def test_the_search_for_the_largest_skips_nothing(problem):
    table, matrices = problem
    expected = ObjectSpace(matrices, "sum").pairwise(table).max()
    assert largest_dissimilarity(table, matrices) == expected


def one_row(terms, lanes):
    """Sum of a row: blocks of groups of four, or of lanes; what is left after whole fours last."""
    whole = len(terms) - len(terms) % ROWS
    total = 0.0
    for begin in range(0, whole, BLOCK):
        block = terms[begin : min(begin + BLOCK, whole)]
        if lanes == 1:
            part = 0.0
            for a, b, c, d in block.reshape(-1, ROWS):
                part += ((a + b) + c) + d
        else:
            sums = [0.0] * lanes
            for j, term in enumerate(block):
                sums[j % lanes] += term
            part = sums[0] + sums[1] if lanes == 2 else (sums[0] + sums[2]) + (sums[1] + sums[3])
        total += part
    rest = 0.0
    for term in terms[whole:]:
        rest += term
    return total + rest if whole < len(terms) else total


def lanes_of(i, n):
    """Rows after the last four go in a pair, or alone."""
    left = i - (n - n % ROWS)
    if left < 0:
        return 1
    return 2 if n % ROWS > 1 and left < 2 else 4


def problem(n, seed):
    rng = np.random.default_rng(seed)
    matrix = rng.random((n, n))
    matrix += matrix.T
    return matrix, rng.random(n), rng.standard_normal(n)


@given(st.integers(1, 40), st.integers(0, 2**32 - 1))
def test_a_product_adds_in_the_stated_order(n, seed):
    matrix, scale, x = problem(n, seed)
    terms = matrix * scale[:, None] * scale * x
    expected = [one_row(terms[i], lanes_of(i, n)) for i in range(n)]
    assert product(matrix, scale, x).tolist() == expected


@pytest.mark.parametrize("n", [BLOCK, BLOCK + 1, BLOCK + 6, 2 * BLOCK + 3])
def test_sums_begin_anew_after_a_block(n):
    matrix, scale, x = problem(n, n)
    found = product(matrix, scale, x)
    for i in {0, 5, BLOCK - 1, min(BLOCK, n - 1), n - 3, n - 2, n - 1}:
        assert found[i] == one_row(matrix[i] * scale[i] * scale * x, lanes_of(i, n))


def test_of_the_lower_triangle_only_the_diagonal_is_read():
    matrix, scale, x = problem(36, 0)
    halved = np.where(np.arange(36)[:, None] // ROWS > np.arange(36) // ROWS, np.nan, matrix)
    assert product(halved, scale, x).tolist() == product(matrix, scale, x).tolist()


def test_leading_eigenvalues_of_a_scaled_matrix(monkeypatch):
    matrix, scale, _ = problem(90, 1)
    whole = matrix * scale[:, None] * scale
    values, vectors = np.linalg.eigh(whole)
    for dense in (1000, 20):
        monkeypatch.setattr(_eigen, "_DENSE", dense)
        found, directions, gap = _eigen.leading(matrix.copy(), 3, scale)
        np.testing.assert_allclose(found, values[::-1][:3], rtol=1e-12)
        np.testing.assert_allclose(np.abs(directions), np.abs(vectors[:, ::-1][:, :3]), atol=1e-9)
        assert gap == pytest.approx((values[-3] - values[-4]) / values[-1], rel=1e-5)
