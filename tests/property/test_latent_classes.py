"""Latent classes and clusters of least entropy."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from kit import examples, refused
from rivals_toy import TOY, tables

from couplings import (
    CategoricalTable,
    CouplingsError,
    EntropyClusters,
    LatentClasses,
    MeasureError,
    choose_k,
)

pytestmark = pytest.mark.filterwarnings("ignore:LatentClasses. the best start did not converge")
START = [[0.9, 0.1]] * 3 + [[0.1, 0.9]] * 3


@pytest.mark.parametrize(
    ("pseudo_count", "first", "limit", "bic"),
    [
        (0, [-14.59362282, -13.90914914, -13.73752144], -13.70659561, 47.12254538),
        (0.1, [-14.90778310, -14.43026741, -14.25292854], -14.18935431, 48.08806278),
    ],
)
def test_log_likelihoods_and_bic_of_the_worked_table(pseudo_count, first, limit, bic):
    one = LatentClasses(2, pseudo_count, init=START, tol=0, max_iter=400).fit(TOY)
    np.testing.assert_allclose(one.log_likelihoods_[:3], first, atol=1e-8)
    assert one.log_likelihood_ == pytest.approx(limit, abs=1e-8)
    assert one.bic_ == pytest.approx(bic, abs=2e-8)
    assert one.labels_.tolist() == [0, 0, 0, 1, 1, 1]


def em_in_loops(codes, n_values, posterior, a, steps):
    """The definition, object by object; a missing cell is -1."""
    n, m, k = len(codes), len(n_values), len(posterior[0])
    likelihoods = []
    for _ in range(steps):
        weight = [(sum(r[c] for r in posterior) + a) / (n + k * a) for c in range(k)]
        theta = [
            [
                [
                    (sum(r[c] for r, row in zip(posterior, codes, strict=True) if row[j] == x) + a)
                    / (
                        sum(r[c] for r, row in zip(posterior, codes, strict=True) if row[j] >= 0)
                        + a * n_values[j]
                    )
                    for x in range(n_values[j])
                ]
                for j in range(m)
            ]
            for c in range(k)
        ]
        posterior, total = [], 0.0
        for row in codes:
            joint = [
                weight[c] * math.prod(theta[c][j][x] for j, x in enumerate(row)) for c in range(k)
            ]
            total += math.log(sum(joint))
            posterior.append([p / sum(joint) for p in joint])
        likelihoods.append(total)
    return likelihoods, posterior, weight


@pytest.mark.twin_of("LatentClasses")
@examples(40)
@given(tables(), st.integers(1, 2), st.floats(0.05, 2), st.integers(0, 1000))
def test_the_definition_in_loops_gives_the_same(t, k, a, seed):
    t = t.observed()
    init = np.random.default_rng(seed).dirichlet(np.ones(k), t.n_objects)
    one = LatentClasses(k, a, init=init, tol=0, max_iter=4).fit(t)
    want, posterior, weight = em_in_loops(
        t.codes.tolist(), t.n_values.tolist(), init.tolist(), a, len(one.log_likelihoods_)
    )
    np.testing.assert_allclose(one.log_likelihoods_, want, rtol=1e-9, atol=1e-12)
    np.testing.assert_allclose(one.posterior_, posterior, atol=1e-9)
    np.testing.assert_allclose(one.weights_, weight, atol=1e-9)


@examples(25)
@given(tables(least_rows=3), st.integers(0, 1000))
def test_maximum_likelihood_never_falls(t, seed):
    one = LatentClasses(2, 0, random_state=seed).fit(t)
    assert (np.diff(one.log_likelihoods_) >= -1e-9).all()


def test_an_empty_class_keeps_its_shares_and_is_named():
    init = np.column_stack([np.ones(6), np.zeros(6)])
    one = LatentClasses(2, 0, init=init).fit(TOY)
    assert one.weights_.tolist() == [1, 0]
    assert one.empty_clusters_.tolist() == [1]
    assert np.isfinite(one.value_shares_).all()
    assert one.log_likelihood_ == pytest.approx(LatentClasses(1, 0).fit(TOY).log_likelihood_)


@examples(25)
@given(tables(least_rows=3), st.integers(0, 1000), st.integers(1, 3), st.booleans())
def test_a_weighted_run_is_the_run_with_rows_repeated(t, seed, k, holes):
    rng = np.random.default_rng(seed)
    weights = rng.integers(0, 4, t.n_objects)
    weights[:k] = np.maximum(weights[:k], 1)
    if holes:
        codes = np.where(rng.random(t.codes.shape) < 0.2, -1, t.codes)
        codes[0] = 0  # no column is missing throughout
        t = CategoricalTable.from_codes(codes, t.n_values)
        weights[0] = 1
    # Of two starts with the same optimum, rounding would choose.
    model = LatentClasses(min(k, weights.sum()), n_init=1, random_state=seed, missing="ignore")
    one = LatentClasses(**model.get_params()).fit(t, sample_weight=weights)
    two = model.fit(t.take(np.repeat(np.arange(t.n_objects), weights)))
    np.testing.assert_allclose(one.log_likelihoods_, two.log_likelihoods_, rtol=1e-9, atol=1e-12)
    np.testing.assert_allclose(one.value_shares_, two.value_shares_, atol=1e-9)
    assert one.criteria_ == pytest.approx(two.criteria_)
    np.testing.assert_allclose(one.posterior_[weights > 0], one.predict_proba(t.take(weights > 0)))


@examples(25)
@given(tables(least_rows=3), st.integers(0, 1000))
def test_missing_at_random_is_a_sum_over_the_values(t, seed):
    codes = np.where(np.random.default_rng(seed).random(t.codes.shape) < 0.3, -1, t.codes)
    codes[0] = t.codes[0]
    holed = CategoricalTable.from_codes(codes, t.n_values)
    model = LatentClasses(2, random_state=seed, n_init=1, missing="ignore").fit(holed)
    assert model.score(holed) * len(codes) == pytest.approx(model.log_likelihood_)
    np.testing.assert_allclose(model.predict_proba(holed), model.posterior_)
    # the likelihood of a row with a hole is that of the rows which may be behind it, together
    seen = np.unique(codes[codes[:, 0] >= 0, 0])
    behind = np.repeat(codes[:1], len(seen), axis=0)
    behind[:, 0] = seen
    hole = CategoricalTable.from_codes(
        np.concatenate([[-1], codes[0, 1:]])[None], categories=holed.categories
    )
    table = CategoricalTable.from_codes(behind, categories=holed.categories)
    total = np.logaddexp.reduce(model.score_samples(table))
    assert model.score_samples(hole)[0] == pytest.approx(total)


# Landis and Koch, Biometrics 33 (1977): seven pathologists, a slide a row; Stouffer and Toby,
# American Journal of Sociology 56 (1951): four role conflicts. Patterns and how often they occur.
CARCINOMA = {
    "0000000": 34, "0000100": 2, "0100000": 6, "0100001": 1, "0100100": 4, "0100101": 5,
    "1000000": 2, "1010101": 1, "1100000": 2, "1100001": 1, "1100100": 2, "1100101": 7,
    "1100111": 1, "1101001": 1, "1101101": 2, "1101111": 3, "1110101": 13, "1110111": 5,
    "1111101": 10, "1111111": 16,
}  # fmt: skip
OFTEN = (20, 2, 9, 2, 6, 1, 4, 1, 38, 7, 24, 6, 25, 6, 23, 42)
VALUES = {f"{i:04b}": n for i, n in enumerate(OFTEN)}


@pytest.mark.slow
@pytest.mark.parametrize(
    ("patterns", "k", "printed"),
    [
        (CARCINOMA, 2, -317.2568),
        (CARCINOMA, 3, -293.705),
        (CARCINOMA, 4, -289.2858),
        (VALUES, 1, -543.6498),
        (VALUES, 2, -504.4677),
        (VALUES, 3, -503.3011),
    ],
)
def test_log_likelihoods_that_the_manual_of_polca_prints(patterns, k, printed):
    table = CategoricalTable.from_codes(np.array([[int(x) for x in row] for row in patterns]))
    model = LatentClasses(k, 0, n_init=30, tol=1e-12, max_iter=5000, random_state=0)
    model.fit(table, sample_weight=list(patterns.values()))
    assert model.log_likelihood_ == pytest.approx(printed, abs=6e-4)


def test_criteria_by_their_formulas():
    model = LatentClasses(2, random_state=0).fit(TOY)
    p, n, twice = model.n_parameters_, 6, -2 * model.log_likelihood_
    r = model.posterior_
    entropy = -(r * np.log(np.maximum(r, 1e-300))).sum()
    assert p == 1 + 2 * (2 + 1 + 2)
    assert model.criteria_ == pytest.approx(
        {
            "aic": twice + 2 * p,
            "bic": twice + p * math.log(n),
            "caic": twice + p * (math.log(n) + 1),
            "sabic": twice + p * math.log((n + 2) / 24),
            "icl": twice + p * math.log(n) + 2 * entropy,
            "relative_entropy": 1 - entropy / (n * math.log(2)),
        }
    )
    shown = choose_k(TOY, model, k_range=[1, 2], n_bootstrap=1)
    assert shown.loc[2, "bic"] == pytest.approx(model.bic_)


def test_new_objects_have_the_attributes_of_the_fit_and_a_rule_for_what_is_new():
    rows = [["a", "x"], ["a", "x"], ["b", "y"], ["b", "y"]] * 3
    model = LatentClasses(2, random_state=0, unknown="raise").fit(rows)
    with pytest.raises(MeasureError, match="fit has not seen the value 'c'"):
        model.predict([["c", "x"]])
    easy = LatentClasses(2, random_state=0, unknown="mismatch").fit(rows)
    assert easy.predict([["c", "x"]]) == model.labels_[0]


def test_a_selection_pools_what_the_classes_do_not_share():
    rng = np.random.default_rng(1)
    group = rng.integers(0, 2, 400)
    codes = np.where(rng.random((400, 8)) < 0.85, group[:, None], 1 - group[:, None])
    codes[:, 5:] = rng.integers(0, 3, (400, 3))
    table = CategoricalTable.from_codes(codes)
    plain = LatentClasses(2, 0, random_state=0).fit(table)
    model = LatentClasses(2, 0, random_state=0, select=True).fit(table)
    assert model.relevant_.tolist() == [True] * 5 + [False] * 3
    assert ((model.relevance_ > 0) == model.relevant_).all()
    assert model.n_parameters_ == 1 + 2 * 5 + 2 * 3 < plain.n_parameters_
    assert model.bic_ < plain.bic_
    assert np.ptp(model.value_shares_[10:], axis=1).max() == 0
    # the pooled attributes add what they have alone, and the classes are those of the others
    alone = LatentClasses(2, 0, random_state=0).fit(table.select(range(5)))
    rest = LatentClasses(1, 0).fit(table.select(range(5, 8)))
    total = alone.log_likelihood_ + rest.log_likelihood_
    assert model.log_likelihood_ == pytest.approx(total, abs=1e-3)


test_parameters_out_of_range_are_refused = refused(
    CouplingsError,
    lambda parameters: LatentClasses(**parameters).fit(TOY),
    [
        ({"n_clusters": 7}, "n_clusters=7 is not an integer from 1 to 6 objects"),
        ({"n_init": 0}, "n_init=0 is not a positive integer"),
        ({"max_iter": 0}, "max_iter=0 is not a positive integer"),
        ({"pseudo_count": -1}, "pseudo_count=-1 is not a number of at least 0"),
        ({"tol": math.nan}, "tol=nan is not a number of at least 0"),
        ({"init": np.ones((6, 2))}, "init must be posteriors of shape"),
        ({"missing": "omit"}, "missing='omit' is not known"),
        ({"unknown": "typical"}, "unknown='typical' is not known"),
    ],
)

test_weights_and_covariates_out_of_range_are_refused = refused(
    CouplingsError,
    lambda given, table=TOY: LatentClasses().fit(table, **given),
    [
        ({}, [["x"], [None], ["y"]], "missing cells"),
        ({"sample_weight": [1, 2]}, "sample_weight must be 6 finite numbers"),
        ({"covariates": np.zeros((5, 1))}, r"covariates of shape \(5, 1\) do not fit"),
        ({"covariates": np.full((6, 1), np.nan)}, "the covariate '0' has missing cells"),
        ({"covariates": np.full((6, 1), np.inf)}, "the covariate '0' has infinite numbers"),
    ],
)

CRITERIA = ["attributes", "values"]


def in_loops(codes, labels, criterion):
    n, m = len(codes), len(codes[0])
    total = 0.0
    for c in set(labels):
        members = [row for row, label in zip(codes, labels, strict=True) if label == c]
        for j in range(m):
            # Values outside the cluster have f = 0 and add nothing to either criterion.
            for x in {row[j] for row in members}:
                f, size = sum(row[j] == x for row in members), len(members)
                total -= f * math.log(f / size)
                if criterion == "values" and f < size:
                    total -= (size - f) * math.log((size - f) / size)
    return total if criterion == "attributes" else total / n


@pytest.mark.parametrize(
    ("criterion", "labels", "value"),
    [("attributes", [0, 0, 0, 1, 1, 1], 9.54771252), ("values", [0, 0, 0, 1, 1, 0], 3.17353682)],
)
@pytest.mark.parametrize("search", ["sweep", "random"])
def test_restarts_find_the_best_partition(criterion, labels, value, search):
    found = EntropyClusters(2, criterion, search, n_init=20, random_state=0).fit(TOY)
    assert (found.labels_ == found.labels_[0]).tolist() == [c == labels[0] for c in labels]
    assert found.objective_ == pytest.approx(value, abs=1e-8)


def swept(codes, labels, k, criterion):
    """The sweep by its definition: the criterion anew for every move."""
    labels = list(labels)
    moved = True
    while moved:
        moved = False
        for u in range(len(codes)):
            if criterion == "attributes" and labels.count(labels[u]) == 1:
                continue
            costs = [
                in_loops(codes, [*labels[:u], c, *labels[u + 1 :]], criterion) for c in range(k)
            ]
            if min(costs) < costs[labels[u]] - 1e-9:
                labels[u] = next(c for c in range(k) if costs[c] < min(costs) + 1e-9)
                moved = True
    return labels


@pytest.mark.twin_of("EntropyClusters")
@examples(40)
@given(tables(least_rows=4, most_rows=12), st.integers(1, 3), st.sampled_from(CRITERIA), st.data())
def test_the_sweep_in_loops_gives_the_same(t, k, criterion, data):
    n = t.n_objects
    init = data.draw(st.lists(st.integers(0, k - 1), min_size=n, max_size=n))
    one = EntropyClusters(k, criterion, init=init).fit(t)
    assert one.labels_.tolist() == swept(t.codes.tolist(), init, k, criterion)
    assert one.objective_ == pytest.approx(
        in_loops(t.codes.tolist(), one.labels_.tolist(), criterion), rel=1e-12, abs=1e-12
    )


@examples(25)
@given(tables(least_rows=4), st.integers(1, 3), st.sampled_from(CRITERIA), st.integers(0, 99))
def test_the_random_search_keeps_its_counts_right_and_never_climbs(t, k, criterion, seed):
    one = EntropyClusters(k, criterion, "random", random_state=seed).fit(t)
    codes = t.codes.tolist()
    assert one.objective_ == pytest.approx(
        in_loops(codes, one.labels_.tolist(), criterion), rel=1e-12, abs=1e-12
    )
    start = in_loops(codes, [0] * len(codes), criterion)
    assert one.objective_ <= start + 1e-9
    assert one.n_iter_ > (k - 1) * t.n_objects * (k > 1) - 1


def test_the_random_search_stops_after_as_many_failures_as_there_are_moves():
    equal = CategoricalTable.from_codes(np.zeros((5, 2), dtype=int))
    assert EntropyClusters(3, search="random").fit(equal).n_iter_ == 2 * 5 + 1


def test_clusters_are_emptied_by_one_criterion_only():
    t = CategoricalTable.from_codes(np.array([[0, 0], [0, 0], [0, 0], [0, 1]]))
    init = [0, 0, 0, 1]
    assert EntropyClusters(2, init=init).fit(t).empty_clusters_.tolist() == []
    equal = t.take(np.array([0, 1, 2]))
    kept = EntropyClusters(2, init=[0, 0, 1]).fit(equal)
    assert kept.labels_.tolist() == [0, 0, 1]
    alone = EntropyClusters(3, "values", init=[0, 0, 0, 1]).fit(t)
    assert alone.empty_clusters_.tolist() == [2]


test_parameters_of_entropy_clusters_out_of_range_are_refused = refused(
    CouplingsError,
    lambda parameters: EntropyClusters(**parameters).fit(TOY),
    [
        ({"n_clusters": 9}, "n_clusters=9 is not an integer from 1 to 6 objects"),
        ({"criterion": "SRS"}, "criterion='SRS' is not known"),
        ({"search": "greedy"}, "search='greedy' is not known"),
        ({"max_iter": 0}, "max_iter=0 is not a positive integer"),
        ({"init": [0, 1]}, "init must be 6 labels from 0 to 1"),
        ({"init": [0, 1, 2, 0, 0, 0]}, "init must be 6 labels from 0 to 1"),
    ],
)


@pytest.mark.parametrize("criterion", CRITERIA)
@given(table=tables())
@examples(30)
def test_a_new_object_joins_the_cluster_where_the_criterion_grows_least(criterion, table):
    found = EntropyClusters(2, criterion, random_state=0).fit(table)
    labels, codes = found.labels_.tolist(), table.codes.tolist()
    for new in (codes[0], [9, *codes[0][1:]]):
        costs = [in_loops([*codes, new], [*labels, c], criterion) for c in range(2)]
        domains = [[str(x)] for x in new]
        one = CategoricalTable.from_codes(np.zeros((1, len(new)), int), categories=domains)
        assert costs[found.predict(one)[0]] == pytest.approx(min(costs), abs=1e-9)
