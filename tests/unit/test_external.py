import math

import numpy as np
import pytest

from couplings import CouplingsError, external_scores
from couplings.metrics import external

# Clusters in rows: sizes 6 and 4; classes of 5, 3 and 2.
TABLE = np.array([[4, 2, 0], [1, 1, 2]])


def labels_of(table):
    pairs = [
        (c, k) for k, row in enumerate(table) for c, count in enumerate(row) for _ in range(count)
    ]
    return [c for c, _ in pairs], [k for _, k in pairs]


def test_by_hand():
    assert external.purity(TABLE) == 0.6
    assert external.inverse_purity(TABLE) == 0.8
    assert external.accuracy(TABLE) == 0.6
    # Matched: cluster 0 with class 0 (F1 8/11), cluster 1 with class 2 (F1 4/6).
    assert external.macro_f1(TABLE) == pytest.approx((8 / 11 + 4 / 6) / 3)
    assert external.best_match_f(TABLE) == pytest.approx((5 * 8 / 11 + 3 * 4 / 9 + 2 * 4 / 6) / 10)
    # Pairs: 8 in one cell, 21 in one cluster, 14 in one class, 45 altogether.
    assert external.pairwise_f(TABLE) == pytest.approx(16 / 35)
    chance = 21 * 14 / 45
    assert external.adjusted_rand(TABLE) == pytest.approx((8 - chance) / (17.5 - chance))
    information = sum(
        count / 10 * math.log(10 * count / (row * column))
        for count, row, column in ((4, 6, 5), (2, 6, 3), (1, 4, 5), (1, 4, 3), (2, 4, 2))
    )
    assert external.mutual_information(TABLE) == pytest.approx(information)
    h_clusters = -(0.6 * math.log(0.6) + 0.4 * math.log(0.4))
    h_classes = -(0.5 * math.log(0.5) + 0.3 * math.log(0.3) + 0.2 * math.log(0.2))
    assert external.nmi(TABLE) == pytest.approx(information / math.sqrt(h_clusters * h_classes))
    assert external.nmi(TABLE, average="max") == pytest.approx(information / h_classes)


def test_table_and_labels_are_the_same():
    true, pred = labels_of(TABLE)
    np.testing.assert_array_equal(external.contingency(true, pred), TABLE)
    assert external_scores(true, pred) == external_scores(TABLE)
    assert external_scores(np.pad(TABLE, 1)) == external_scores(TABLE)
    names = np.array(["x", "y", "z"])[true]
    assert external_scores(names, pred) == external_scores(TABLE)


def test_perfect_and_trivial():
    perfect = external_scores(["a", "b", "b", "c"], [2, 0, 0, 1])
    entropy = perfect.pop("mutual_information")
    assert entropy == pytest.approx(1.5 * math.log(2))
    assert all(value == pytest.approx(1, abs=1e-15) for value in perfect.values())
    assert all(value <= 1 for value in perfect.values())
    both_trivial = external_scores([0, 0], [0, 0])
    assert both_trivial.pop("mutual_information") == 0
    assert set(both_trivial.values()) == {1.0}
    singletons = external_scores([0, 1], [1, 0])
    assert singletons["ari"] == singletons["pairwise_f"] == 1


def test_no_objects_agree_as_in_scikit_learn():
    assert (external.adjusted_rand([], []), external.nmi([], [])) == (1, 1)
    assert external.mutual_information([], []) == 0


def test_exact_for_many_objects():
    """Pair counts beyond 2**53 keep their difference from chance."""
    n = 10**8
    table = np.array([[n, n], [n, n]])
    assert external.adjusted_rand(table) == pytest.approx(-1 / (2 * (2 * n - 1)), rel=1e-6)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (([0, 1], [0]), r"one length.*\(2,\) and \(1,\)"),
        (([], []), "are empty"),
        (([0, 1],), "contingency table"),
        ((np.zeros((2, 2), dtype=int),), "not all 0"),
        ((np.full((2, 2), "1"),), "numbers"),
        ((np.array([[1, -1]]),), "at least 0"),
    ],
)
def test_errors(arguments, message):
    with pytest.raises(CouplingsError, match=message):
        external.purity(*arguments)


def test_unknown_average():
    with pytest.raises(CouplingsError, match=r"average='mean'.*'sqrt', 'arithmetic'"):
        external.nmi(TABLE, average="mean")
