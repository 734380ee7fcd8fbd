import numpy as np
import pytest
from scipy.special import logsumexp
from scipy.stats import multivariate_normal
from sklearn.exceptions import ConvergenceWarning
from test_kprototypes import random_table

from couplings import MissingValuesError
from couplings.cluster.mixture import MultinomialGaussianMixture
from couplings.mixed import MixedTable, scaled


def brute(table, k, seed, pseudo_count, ridge, steps):
    """EM by the formulas."""
    x, codes = scaled(table.numeric, "z"), table.categorical.codes.astype(int)
    n, r = x.shape
    start = np.random.default_rng(seed).choice(n, k, replace=False)
    far = ((x[:, np.newaxis] - x[start]) ** 2).sum(axis=2) + (
        codes[:, np.newaxis] != codes[start]
    ).sum(axis=2)
    posterior = np.eye(k)[far.argmin(axis=1)]
    likelihoods = []
    for _ in range(steps):
        joint = np.empty((n, k))
        for c in range(k):
            p = posterior[:, c]
            mean = p @ x / p.sum()
            covariance = (p * (x - mean).T) @ (x - mean) / p.sum() + ridge * np.eye(r)
            joint[:, c] = np.log(p.mean()) + multivariate_normal(mean, covariance).logpdf(x)
            for j, v in enumerate(table.categorical.n_values):
                share = np.bincount(codes[:, j], p, v) + pseudo_count
                joint[:, c] += np.log(share / share.sum())[codes[:, j]]
        evidence = logsumexp(joint, axis=1)
        likelihoods.append(evidence.sum())
        posterior = np.exp(joint - evidence[:, np.newaxis])
    return np.array(likelihoods), posterior


@pytest.mark.twin_of("MultinomialGaussianMixture")
@pytest.mark.parametrize(("seed", "k"), [(0, 2), (1, 3), (2, 4), (3, 8)])
def test_brute_force_twin(seed, k):
    table = random_table(120, seed)
    model = MultinomialGaussianMixture(k, random_state=seed, n_init=1).fit(table)
    likelihoods, posterior = brute(table, k, seed, 0.1, 1e-3, model.n_iter_)
    assert np.allclose(model.log_likelihoods_, likelihoods, rtol=1e-12)
    assert np.allclose(model.posterior_, posterior, rtol=0, atol=1e-10)
    gains = np.diff(likelihoods)
    assert gains[-1] < 1e-5 * abs(likelihoods[-1])
    assert (gains[:-1] >= 1e-5 * np.abs(likelihoods[1:-1])).all()
    assert np.isclose(model.weights_.sum(), 1)


@pytest.mark.filterwarnings("ignore:MultinomialGaussianMixture. the best start did not converge")
@pytest.mark.parametrize("seed", range(10))
def test_likelihood_never_falls(seed):
    table = random_table(200, seed)
    model = MultinomialGaussianMixture(
        3, pseudo_count=0.0, ridge=0.0, tol=0.0, random_state=seed, max_iter=60, n_init=1
    ).fit(table)
    assert len(model.log_likelihoods_) > 5
    assert (np.diff(model.log_likelihoods_) >= -1e-9).all()


def test_equal_objects_leave_a_component_without_mass():
    table = random_table(10).take(np.repeat([0, 1], 5))
    model = MultinomialGaussianMixture(4, random_state=0, n_init=1).fit(table)
    assert np.isfinite(model.log_likelihoods_).all()
    assert np.isclose(model.posterior_.sum(axis=1), 1).all()
    assert (model.weights_ == 0).any()


def holed(n, seed):
    table = random_table(n, seed)
    numeric = table.numeric.copy()
    numeric[np.random.default_rng(seed).random(numeric.shape) < 0.2] = np.nan
    return MixedTable(table.categorical, numeric, table.names)


def likelihoods_by_marginals(model, table):
    """Log-likelihood of each object in the numbers' own units: only what it has counts."""
    log_weights, means, factors, log_values = model._parameters
    centre, spread = model._scale
    codes = table.categorical.codes + table.categorical.offsets[:-1]
    out = []
    for row, values in zip(table.numeric, codes, strict=True):
        there = ~np.isnan(row)
        logs = log_weights + log_values[:, values].sum(axis=1)
        for c, factor in enumerate(factors):
            covariance = (factor @ factor.T) * np.outer(spread, spread)
            mean = centre + spread * means[c]
            if there.any():
                normal = multivariate_normal(mean[there], covariance[np.ix_(there, there)])
                logs[c] += normal.logpdf(row[there])
        out.append(logsumexp(logs))
    return np.array(out)


@pytest.mark.filterwarnings("ignore:MultinomialGaussianMixture. the best start did not converge")
@pytest.mark.parametrize("make", [random_table, holed])
def test_likelihoods_are_in_the_units_of_the_numbers_and_of_what_there_is(make):
    table = make(150, 4)
    model = MultinomialGaussianMixture(
        3, pseudo_count=0.0, ridge=0.0, tol=0.0, random_state=1, max_iter=60, n_init=1
    ).fit(table)
    assert (np.diff(model.log_likelihoods_) >= -1e-9).all()
    expected = likelihoods_by_marginals(model, table)
    np.testing.assert_allclose(model.score_samples(table), expected, rtol=1e-9)
    assert model.log_likelihood_ == pytest.approx(expected.sum())
    assert model.score(table) == pytest.approx(expected.mean())
    p = 2 + 3 * (2 + 3 + int((table.categorical.n_values - 1).sum()))
    assert model.n_parameters_ == p
    assert model.bic_ == pytest.approx(-2 * expected.sum() + p * np.log(150))
    assert np.array_equal(model.predict(table), model.labels_)
    # scale and shift of the numbers move the likelihood by the logarithm of the scale alone
    moved = MixedTable(table.categorical, table.numeric * 10 + 3, table.names)
    again = MultinomialGaussianMixture(**model.get_params()).fit(moved)
    there = (~np.isnan(table.numeric)).sum()
    shifted = model.log_likelihood_ - there * np.log(10)
    assert again.log_likelihood_ == pytest.approx(shifted, abs=1e-6)


@pytest.mark.parametrize(("make", "k"), [(random_table, 2), (holed, 1)])
def test_weights_count_as_repeated_objects(make, k):
    table, weights = make(80, 2), np.random.default_rng(5).integers(1, 4, 80)
    exact = {"pseudo_count": 0.0, "ridge": 0.0, "tol": 1e-12, "max_iter": 2000}
    model = MultinomialGaussianMixture(k, random_state=0, **exact)
    one = model.fit(table, sample_weight=weights)
    two = MultinomialGaussianMixture(**model.get_params())
    two.fit(table.take(np.repeat(np.arange(80), weights)))
    assert one.log_likelihood_ == pytest.approx(two.log_likelihood_, abs=1e-5)
    assert one.criteria_ == pytest.approx(two.criteria_, abs=1e-4)


def test_a_number_that_nobody_has_and_too_few_steps_are_named():
    table = random_table(30, 0)
    numeric = table.numeric.copy()
    numeric[:, 1] = np.nan
    with pytest.raises(MissingValuesError, match="column 'y' has missing values only"):
        MultinomialGaussianMixture(2).fit(MixedTable(table.categorical, numeric, table.names))
    with pytest.warns(ConvergenceWarning, match="did not converge in max_iter=1 steps"):
        MultinomialGaussianMixture(2, max_iter=1, random_state=0).fit(table)
