"""Data factors on tables whose factors are known."""

from itertools import combinations

import numpy as np
import pytest

from couplings import CategoricalTable, CouplingsError, MissingValuesError, cooccurrence
from couplings.metrics.factors import feature_correlation, value_coupling


def fci(codes):
    return feature_correlation(cooccurrence(CategoricalTable.from_codes(np.array(codes))))


def test_feature_correlation_is_the_mean_over_pairs():
    # The first two attributes are one, the third is independent of both, a constant adds nothing.
    rows = [[0, 0, 0, 0], [0, 0, 1, 0], [1, 1, 0, 0], [1, 1, 1, 0]]
    assert fci(rows) == pytest.approx(1 / 6, abs=1e-15)
    assert fci([row[:3] for row in rows]) == pytest.approx(1 / 3, abs=1e-15)


def test_feature_correlation_against_its_definition():
    rng = np.random.default_rng(0)
    codes = rng.integers(0, 3, (30, 4))

    def entropy(columns):
        _, counts = np.unique(codes[:, columns], axis=0, return_counts=True)
        return -(counts / 30 * np.log(counts / 30)).sum()

    expected = np.mean(
        [
            2 * (entropy([i]) + entropy([j]) - entropy([i, j])) / (entropy([i]) + entropy([j]))
            for i, j in combinations(range(4), 2)
        ]
    )
    assert fci(codes) == pytest.approx(expected, abs=1e-12)


def test_value_coupling_against_its_definition():
    rng = np.random.default_rng(0)
    table = CategoricalTable.from_codes(rng.integers(0, 6, (25, 4)))
    labels = rng.integers(0, 5, 25)
    total = 0
    for column in table.codes.T:
        sets = [set(column[labels == c].tolist()) for c in np.unique(labels)]
        total += max(1 - len(a & b) / len(a | b) for a, b in combinations(sets, 2))
    assert value_coupling(table, labels) == pytest.approx(total / 4, abs=1e-12)


def test_errors():
    table = CategoricalTable.from_codes(np.array([[0], [1]]))
    with pytest.raises(CouplingsError, match="two attributes"):
        feature_correlation(cooccurrence(table))
    with pytest.raises(CouplingsError, match="only one"):
        value_coupling(table, [0, 0])
    with pytest.raises(CouplingsError, match="vector of 2 labels"):
        value_coupling(table, [0, 1, 1])
    with pytest.raises(MissingValuesError):
        value_coupling(CategoricalTable.from_codes(np.array([[0], [-1]])), [0, 1])
