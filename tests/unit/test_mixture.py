import numpy as np
import pytest
from scipy.special import logsumexp
from scipy.stats import multivariate_normal
from test_kprototypes import random_table

from couplings.cluster.mixture import MultinomialGaussianMixture
from couplings.mixed import scaled


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
