"""Latent class analysis: worked numbers, the definition in loops, laws, errors."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from kit import examples
from rivals_toy import TOY, tables

from couplings import CategoricalTable, CouplingsError, LatentClasses
from couplings.learned.latent_class import classes_by_bic

START = [[0.9, 0.1]] * 3 + [[0.1, 0.9]] * 3


def fitted(pseudo_count, **parameters):
    return LatentClasses(2, pseudo_count, init=START, **parameters).fit(TOY)


@pytest.mark.parametrize(
    ("pseudo_count", "first", "limit", "bic"),
    [
        (0, [-14.59362282, -13.90914914, -13.73752144], -13.70659561, 47.12254538),
        (0.1, [-14.90778310, -14.43026741, -14.25292854], -14.18935431, 48.08806278),
    ],
)
def test_log_likelihoods_and_bic_of_the_worked_table(pseudo_count, first, limit, bic):
    one = fitted(pseudo_count, tol=0, max_iter=400)
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


def test_bic_finds_two_groups_and_no_more():
    rng = np.random.default_rng(0)
    group = np.repeat([0, 1], 100)
    codes = np.where(rng.random((200, 6)) < 0.9, group[:, None], 1 - group[:, None])
    best, bic = classes_by_bic(CategoricalTable.from_codes(codes), 4, random_state=0, n_init=3)
    assert bic.argmin() + 1 == best.n_clusters == 2
    assert bic[1] == best.bic_
    agreement = np.mean((best.labels_ == best.labels_[0]) == (group == 0))
    assert agreement > 0.95


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"n_clusters": 0}, "n_clusters=0 is not an integer from 1 to 6 objects"),
        ({"n_clusters": 7}, "n_clusters=7 is not an integer from 1 to 6 objects"),
        ({"n_init": 0}, "n_init=0 is not a positive integer"),
        ({"max_iter": 0}, "max_iter=0 is not a positive integer"),
        ({"pseudo_count": -1}, "pseudo_count=-1 is not a number of at least 0"),
        ({"tol": math.nan}, "tol=nan is not a number of at least 0"),
        ({"init": np.ones((6, 2))}, "init must be posteriors of shape"),
    ],
)
def test_parameters_out_of_range_are_refused(parameters, message):
    with pytest.raises(CouplingsError, match=message):
        LatentClasses(**parameters).fit(TOY)


def test_missing_cells_are_refused():
    holed = CategoricalTable.from_codes(np.array([[0, 1], [-1, 0], [1, 0]]))
    with pytest.raises(CouplingsError, match="missing cells"):
        LatentClasses().fit(holed)
    with pytest.raises(CouplingsError, match="most=0 is not a positive integer"):
        classes_by_bic(TOY, 0)
