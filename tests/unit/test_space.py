import numpy as np
import pytest
from kit import refused_calls
from scipy.spatial.distance import squareform

from couplings import CategoricalTable, CouplingsError
from couplings.spaces import ObjectSpace
from couplings.values import ValueMatrices


def space_of(table, link, seed=0):
    rng = np.random.default_rng(seed)
    blocks = []
    for v in table.n_values:
        block = rng.random((v, v))
        blocks.append(np.triu(block, 1) + np.triu(block, 1).T)
    terms = rng.random(int(table.n_values.sum())) if link == "ratio" else None
    return ObjectSpace(ValueMatrices.from_blocks(blocks), link, terms)


def by_definition(space, row, other):
    """D of two rows of codes, summed from left to right."""
    total = terms = 0.0
    for j, (x, y) in enumerate(zip(row, other, strict=True)):
        total += space.matrices.block(j)[x, y]
        if space.value_terms is not None:
            offset = space.matrices.offsets[j]
            terms += space.value_terms[offset + x] + space.value_terms[offset + y]
    return {
        "sum": lambda: total,
        "rss": lambda: np.sqrt(total),
        "inverse": lambda: 1 / (1 + total),
        "jaccard": lambda: 1 - (len(row) - total) / (len(row) + total),
        "ratio": lambda: 1 / (1 + total / terms),
    }[space.link]()


@pytest.mark.parametrize("link", ["sum", "rss", "inverse", "jaccard", "ratio"])
@pytest.mark.parametrize("m", [1, 3, 4, 8])
def test_definition(link, m):
    rng = np.random.default_rng(m)
    table = CategoricalTable.from_codes(rng.integers(0, 4, (40, m)), [4] * m)
    space = space_of(table, link)
    rows = table.codes.tolist()
    expected = np.array([[by_definition(space, u, v) for v in rows] for u in rows])
    full = space.pairwise(table)
    np.testing.assert_allclose(full, expected, rtol=1e-14, atol=0)
    if link in ("sum", "rss", "jaccard"):
        # The order of operations is part of the contract: ties must stay ties.
        np.testing.assert_array_equal(full, expected)
    np.testing.assert_array_equal(space.condensed(table), full[np.triu_indices(40, 1)])
    single = space.pairwise(table, dtype=np.float32)
    assert single.dtype == np.float32
    np.testing.assert_allclose(single, expected, rtol=1e-5)
    other = table.take(np.arange(7, 20))
    np.testing.assert_array_equal(space.between(table, other), full[:, 7:20])
    np.testing.assert_array_equal(space.between(other, table), full[7:20])


@pytest.mark.parametrize("n", [2, 3, 65, 2100])
def test_blocks_do_not_show(n):
    """Several blocks of columns and strips of rows; condensed and square agree."""
    rng = np.random.default_rng(n)
    table = CategoricalTable.from_codes(rng.integers(0, 30, (n, 5)), [30, 40, 100, 30, 30])
    space = space_of(table, "sum")
    full = space.pairwise(table)
    rows = rng.integers(0, n, 50)
    columns = rng.integers(0, n, 50)
    for u, v in zip(rows, columns, strict=True):
        assert full[u, v] == by_definition(space, table.codes[u], table.codes[v])
    np.testing.assert_array_equal(space.condensed(table), squareform(full, checks=False))


def test_ratio_without_denominator():
    table = CategoricalTable.from_codes([[0], [0]])
    space = ObjectSpace(ValueMatrices.from_blocks([[[0.0]]]), "ratio", np.zeros(1))
    assert (space.pairwise(table) == 0.5).all()


PAIR = CategoricalTable.from_codes([[0, 1], [1, 1]])
SPACE = space_of(PAIR, "sum")
test_errors = refused_calls(
    CouplingsError,
    [
        (lambda: SPACE.pairwise(PAIR, dtype=np.int64), "must be float32 or float64, not int64"),
        (
            lambda: SPACE.pairwise(CategoricalTable.from_codes(PAIR.codes, [3, 2])),
            r"\[3, 2\] values.*\[2, 2\].*same domains",
        ),
        (lambda: SPACE.pairwise(CategoricalTable.from_codes([[0, -1]], [2, 2])), "'a1'"),
        (lambda: ObjectSpace(SPACE.matrices, "product"), "link='product'"),
        (lambda: ObjectSpace(SPACE.matrices, "ratio"), "value_terms"),
        (
            lambda: ValueMatrices.from_blocks([[[0]], [[1, 2]]]),
            "attribute 1: a value matrix is square",
        ),
        (lambda: ValueMatrices(np.zeros(4), np.array([0, 2, 3])), "take 5 float64"),
    ],
)


@pytest.mark.parametrize(
    ("link", "block", "far", "near"),
    [("inverse", [[3.0, 1.0], [1.0, 2.0]], 1, 3), ("sum", [[0.5, 4.0], [4.0, 0.0]], 4, 0)],
)
def test_further_values_are_near_themselves_alone(link, block, far, near):
    space = ObjectSpace(ValueMatrices.from_blocks([block]), link)
    found = space.extended([np.full(2, 0.5)], [["mismatch"] * 2]).matrices.block(0)
    assert found[:2, :2].tolist() == block
    assert found[2:].tolist() == [[far, far, near, far], [far, far, far, near]]
    assert found[:2, 2:].tolist() == [[far, far], [far, far]]


def test_value_matrices():
    values = ValueMatrices.from_blocks([[[0, 1], [1, 0]], [[5]]])
    assert values.data.tolist() == [0, 1, 1, 0, 5]
    assert values.offsets.tolist() == [0, 2, 3]
    assert values.n_values.tolist() == [2, 1]
    assert values.to_dense().tolist() == [[0, 1, 0], [1, 0, 0], [0, 0, 5]]
    assert np.shares_memory(values.block(0), values.data)
