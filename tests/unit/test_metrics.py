"""External and internal indices, and data factors."""

import math
from functools import partial
from itertools import chain, combinations, permutations

import numpy as np
import pytest
from kit import refused, refused_calls

from couplings import (
    AhmadDey,
    Cado,
    CategoricalTable,
    CouplingsError,
    DilcaM,
    Jaccard,
    Lin,
    MeasureError,
    MissingValuesError,
    OccurrenceFrequency,
    SimpleMatching,
    cooccurrence,
    external_scores,
)
from couplings.metrics import external, internal
from couplings.metrics.factors import feature_correlation, value_coupling
from couplings.metrics.internal import internal_indices

# Clusters in rows: sizes 6 and 4; classes of 5, 3 and 2.
TABLE = np.array([[4, 2, 0], [1, 1, 2]])


def test_by_hand():
    assert external.purity(TABLE) == 0.6
    assert external.inverse_purity(TABLE) == 0.8
    assert external.accuracy(TABLE) == external.accuracy(TABLE / 8) == 0.6
    # Matched: cluster 0 with class 0 (F1 8/11), cluster 1 with class 2 (F1 4/6).
    assert external.macro_f1(TABLE) == pytest.approx((8 / 11 + 4 / 6) / 3)
    assert external.best_match_f(TABLE) == pytest.approx((5 * 8 / 11 + 3 * 4 / 9 + 2 * 4 / 6) / 10)


def test_macro_f1_takes_the_best_of_the_matchings_of_highest_accuracy():
    # Both matchings have two objects in common; their means of F1 are 1/3 and 1/2.
    assert external.macro_f1([0, 0, 0, 1], [0, 0, 1, 0]) == pytest.approx(0.5)
    assert external.macro_f1([0, 0, 0, 1], [1, 1, 0, 1]) == pytest.approx(0.5)


@pytest.mark.parametrize("seed", range(60))
def test_macro_f1_is_that_of_all_matchings_compared(seed):
    rng = np.random.default_rng(seed)
    table = rng.integers(0, 4, rng.integers(1, 5, size=2))
    table[0, 0] += 1
    table = table / 8 if seed % 3 == 0 else table
    table = table[table.any(axis=1)][:, table.any(axis=0)]
    tall = table if table.shape[0] >= table.shape[1] else table.T
    sizes = tall.sum(axis=1, keepdims=True) + tall.sum(axis=0)
    columns = list(range(tall.shape[1]))
    found = [
        (tall[rows, columns].sum(), (2 * tall / sizes)[rows, columns].sum())
        for rows in map(list, permutations(range(len(tall)), len(columns)))
    ]
    most = max(common for common, _ in found)
    best = max(f1 for common, f1 in found if common == most)
    assert external.macro_f1(table) == pytest.approx(best / table.shape[1], rel=1e-12)


def test_table_and_labels_are_the_same():
    pred, true = (side.repeat(TABLE.ravel()) for side in np.indices(TABLE.shape).reshape(2, -1))
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


@pytest.mark.parametrize("n", [10**4, 10**9, 10**10, 10**12, 10**18])
def test_pairs_of_any_number_of_objects_are_counted_exactly(n):
    table = np.array([[4, 1], [1, 4]], dtype=np.int64) * (n // 10)
    assert external.adjusted_rand(table) == pytest.approx(0.36, abs=1e-3 if n < 10**6 else 1e-8)
    assert external.pairwise_f(table) == pytest.approx(0.68, abs=1e-3 if n < 10**6 else 1e-8)
    chance = np.full((2, 2), n // 10)
    expected = -1 / (2 * (2 * (n // 10) - 1))
    assert external.adjusted_rand(chance) == pytest.approx(expected, rel=1e-12)


def test_scores_of_many_distinct_labels_need_no_full_table():
    n = 100_000
    labels = np.arange(n)
    found = external_scores(labels, labels[::-1])
    assert found.pop("mutual_information") == pytest.approx(math.log(n))
    assert found == pytest.approx(dict.fromkeys(found, 1.0))
    paired = external_scores(labels, labels // 2)
    assert paired["accuracy"] == paired["purity"] == 0.5
    assert paired["macro_f1"] == pytest.approx(1 / 3)
    with pytest.raises(CouplingsError, match="too large; leave out accuracy"):
        external.accuracy(
            np.append(labels // 4, labels // 4), np.append(labels // 4, labels % 9973)
        )


SCORES = (
    external.purity,
    external.accuracy,
    external.mutual_information,
    external.nmi,
    external.adjusted_rand,
    external.macro_f1,
    external.pairwise_f,
    external.best_match_f,
)


@pytest.mark.parametrize("score", SCORES)
@pytest.mark.parametrize(
    ("table", "words"),
    [
        (np.zeros((2, 2), dtype=int), "not all 0"),
        (np.zeros((0, 0)), "not all 0"),
        (np.array([[np.nan, 1.0]]), "finite"),
        (np.array([[np.inf, 1.0]]), "finite"),
        (np.full((2, 2), 2**62), r"less than 2\*\*63"),
        (np.full((2, 2), 2**63, dtype=np.uint64), r"less than 2\*\*63"),
        (np.array([[1j, 1]]), "numbers"),
    ],
)
def test_all_scores_refuse_the_same_tables(score, table, words):
    with pytest.raises(CouplingsError, match=words):
        score(table)


test_errors_of_external_scores = refused(
    CouplingsError,
    lambda arguments, score=external.purity: score(*arguments),
    [
        ((TABLE,), partial(external.nmi, average="mean"), r"average='mean'.*'sqrt', 'arithmetic'"),
        (([0, 1], [0]), r"one length.*\(2,\) and \(1,\)"),
        (([], []), "are empty"),
        (([0, 1],), "contingency table"),
        ((np.zeros((2, 2), dtype=int),), "not all 0"),
        ((np.full((2, 2), "1"),), "numbers"),
        ((np.array([[1, -1]]),), "at least 0"),
    ],
)

MEASURES = {
    "smd": SimpleMatching(),
    "ofd": OccurrenceFrequency(link="sum"),
    "add": AhmadDey(),
    "cado": Cado(),
    "rss": DilcaM(0.0),
    "inverse": OccurrenceFrequency(),
    "jaccard": Jaccard(),
    "ratio": Lin(),
}


def ratio(a, b):
    return a / b if b and np.isfinite(a) and np.isfinite(b) else np.nan


def davies_bouldin(scatter, between):
    k = len(scatter)
    if k < 2 or any(between[a][b] == 0 for a, b in combinations(range(k), 2)):
        return np.nan
    return np.mean(
        [
            max((scatter[a] + scatter[b]) / between[a][b] for b in range(k) if b != a)
            for a in range(k)
        ]
    )


def twin(table, labels, space):
    D = space.pairwise(table)
    names = sorted(set(labels))
    members = [[u for u, label in enumerate(labels) if label == name] for name in names]
    k = len(names)
    inside = [[D[u, v] for u, v in combinations(rows, 2)] for rows in members]
    across = {
        (a, b): [D[u, v] for u in members[a] for v in members[b]]
        for a, b in combinations(range(k), 2)
    }
    mean_within = [np.mean(pairs) if pairs else 0.0 for pairs in inside]
    between = np.zeros((k, k))
    for (a, b), pairs in across.items():
        between[a, b] = between[b, a] = np.mean(pairs)
    within_pairs = list(chain.from_iterable(inside))
    between_pairs = list(chain.from_iterable(across.values()))
    every = within_pairs + between_pairs
    codes = table.codes.astype(int)
    modes = [[np.argmax(np.bincount(column)) for column in codes[rows].T] for rows in members]
    mode_table = CategoricalTable.from_codes(np.array(modes), categories=table.categories)
    to_mode = space.between(table, mode_table)

    def mean(values):
        return np.mean(values) if values else np.nan

    least, most = min(between_pairs, default=np.nan), max(within_pairs, default=np.nan)
    top = max(every, default=np.nan)
    return {
        "rd": ratio(mean(between_pairs), mean(within_pairs)),
        "dbi": davies_bouldin(mean_within, between),
        "dbi_centroid": davies_bouldin([np.mean(D[np.ix_(r, r)]) for r in members], between),
        "dbi_mode": davies_bouldin(
            [to_mode[rows, a].mean() for a, rows in enumerate(members)], space.pairwise(mode_table)
        ),
        "di": ratio(least, most),
        "di_mean": ratio(min((between[a, b] for a, b in across), default=np.nan), max(mean_within)),
        "sd_max": ratio(sum(within_pairs), top),
        "sd_mean": ratio(sum(within_pairs), mean(every)),
        "max_over_mean": ratio(top, mean(every)),
    }


def assert_same(found, expected):
    assert found.keys() == expected.keys()
    for name, value in expected.items():
        assert found[name] == pytest.approx(value, rel=1e-12, abs=1e-12, nan_ok=True), name


@pytest.mark.parametrize("name", MEASURES)
@pytest.mark.parametrize("seed", range(4))
def test_twin(name, seed, monkeypatch):
    rng = np.random.default_rng(seed)
    m = int(rng.integers(2, 5))
    # Few values: duplicates, within and across classes.
    n_values = rng.integers(1, 5, m)
    n = int(rng.integers(5, 60))
    table = CategoricalTable.from_codes(rng.integers(0, n_values, (n, m)), n_values.tolist())
    labels = rng.choice(["x", "y", "z"], n)
    space = MEASURES[name].fit(table).space_
    assert_same(internal_indices(table, labels, space), twin(table, labels, space))
    # The same in many blocks of rows.
    monkeypatch.setattr(internal, "_BLOCK", 14**2)
    assert_same(internal_indices(table, labels, space), twin(table, labels, space))


def test_undefined():
    # Distinct objects of equal profiles: every dissimilarity is 0.
    table = CategoricalTable.from_codes(np.array([[0, 0], [1, 0], [0, 0], [1, 0]]))
    found = internal_indices(table, [0, 0, 1, 1], Cado().fit(table).space_)
    assert all(np.isnan(value) for value in found.values())


EQUAL = CategoricalTable.from_codes(np.array([[0, 0], [1, 1]]))
test_errors_of_internal_indices = refused(
    (CouplingsError, MissingValuesError, MeasureError),
    lambda codes, labels: internal_indices(
        CategoricalTable.from_codes(np.array(codes)), labels, SimpleMatching().fit(EQUAL).space_
    ),
    [
        *(([[0, 0], [1, 1]], one, "vector of 2 labels") for one in ([0], [[0], [1]], [0, 1, 2])),
        ([[0, 0], [1, -1]], [0, 1], "missing"),
        ([[0], [1]], [0, 1], "same domains"),
    ],
)


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


ALONE = CategoricalTable.from_codes(np.array([[0], [1]]))
test_errors_of_factors = refused_calls(
    CouplingsError,
    [
        (feature_correlation, cooccurrence(ALONE), "two attributes"),
        (value_coupling, ALONE, [0, 0], "only one"),
        (value_coupling, ALONE, [0, 1, 1], "vector of 2 labels"),
        (value_coupling, CategoricalTable.from_codes(np.array([[0], [-1]])), [0, 1], "missing"),
    ],
)
