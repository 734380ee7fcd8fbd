import numpy as np
import pytest

from couplings import (
    CategoricalTable,
    CooccurrenceCounts,
    CouplingsError,
    MissingValuesError,
    TableError,
    cooccurrence,
)


def test_small_table():
    table = CategoricalTable.from_codes([[0, 1], [1, 1], [0, 0]], [2, 3])
    counts = cooccurrence(table)
    assert counts.matrix.tolist() == [
        [2, 0, 1, 1, 0],
        [0, 1, 0, 1, 0],
        [1, 0, 1, 0, 0],
        [1, 1, 0, 2, 0],
        [0, 0, 0, 0, 0],
    ]
    assert counts.block(0, 1).tolist() == [[1, 1, 0], [0, 1, 0]]
    assert counts.marginals.tolist() == [2, 1, 1, 2, 0]
    assert counts.n_values.tolist() == [2, 3]
    assert (counts.n_objects, counts.n_attributes) == (3, 2)


@pytest.mark.parametrize("n", [511, 512, 513, 5000])
def test_both_ways_to_count_agree(n):
    """Weights of one take the increments, plain rows may take the bit columns."""
    rng = np.random.default_rng(n)
    table = CategoricalTable.from_codes(rng.integers(0, 4, (n, 5)))
    np.testing.assert_array_equal(
        cooccurrence(table).matrix, cooccurrence(table, np.ones(n, dtype=int)).matrix
    )


def test_missing_cells():
    table = CategoricalTable.from_codes([[0, 0], [1, -1]], [2, 2], attributes=["p", "q"])
    with pytest.raises(MissingValuesError, match=r"'q' \(1\).*fill_missing"):
        cooccurrence(table)


def test_too_many_values():
    table = CategoricalTable.from_codes([[0, 0], [1, 1]], [5, 20_000], attributes=["p", "q"])
    with pytest.raises(TableError, match=r"20005 values.*3 GB.*'q' has 20000"):
        cooccurrence(table)


@pytest.mark.parametrize("weights", [[1], [1, -1], [0, 0], [np.nan, 1], [[1, 1]], ["1", "1"]])
def test_bad_weights(weights):
    table = CategoricalTable.from_codes([[0], [1]])
    with pytest.raises(CouplingsError, match="sample_weight must be 2 numbers of at least 0"):
        cooccurrence(table, weights)


def test_fractions_as_weights(tmp_path):
    table = CategoricalTable.from_codes([[0, 1], [1, 0], [1, 1]])
    counts = cooccurrence(table, [0.5, 0.0, 1.25])
    assert counts.matrix.tolist() == [
        [0.5, 0, 0, 0.5],
        [0, 1.25, 0, 1.25],
        [0] * 4,
        [0.5, 1.25, 0, 1.75],
    ]
    assert counts.n_objects == 1.75
    counts.save(tmp_path / "counts.npz")
    assert np.array_equal(CooccurrenceCounts.load(tmp_path / "counts.npz").matrix, counts.matrix)
    both = counts + cooccurrence(table)
    assert both.matrix.dtype == float
    assert both.n_objects == 4.75
