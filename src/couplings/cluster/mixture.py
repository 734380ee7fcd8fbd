"""Mixture models of mixed data, fitted by expectation maximisation."""

from typing import Self

import numpy as np

from couplings._checks import Seed, check_clusters, check_number, check_positive, generator
from couplings._kernels import mixed as kernels
from couplings._params import Params
from couplings.cluster.kprototypes import global_values
from couplings.errors import CouplingsError
from couplings.mixed import Mixed, as_mixed, scaled


class MultinomialGaussianMixture(Params):
    """Mixture of independent multinomials and one full-covariance Gaussian per component.

    Within a component the categorical attributes are independent of each other and of the
    numeric ones, which are z-scored and jointly normal.

    Parameters
    ----------
    n_components : int, default 2
        Number of components, 1 to the number of objects.
    pseudo_count : float, default 0.1
        Added to the count of every value in every component, at least 0.
    ridge : float, default 1e-3
        Added to the variances of the z-scored numbers, at least 0.
    tol : float, default 1e-5
        Stop when the log-likelihood gains less than `tol` times its size.
    random_state : int, SeedSequence, Generator or None, default None
        Seed of the start: k different objects at random; every object belongs to the nearest by
        squared Euclidean distance of the z-scored numbers plus the number of mismatches.
    max_iter : int, default 200
        Most steps.

    Attributes
    ----------
    labels_ : ndarray of int64, shape (n,)
        Component of largest posterior.
    posterior_ : ndarray of float64, shape (n, k)
        Rows sum to 1.
    log_likelihoods_ : ndarray of float64, shape ``(n_iter_,)``
        Log-likelihood of the z-scored data under the parameters of each step. Without pseudo-count
        and ridge it never falls.
    weights_ : ndarray of float64, shape (k,)
        Shares of the components.
    n_iter_ : int
        Number of steps.

    References
    ----------
    Hunt and Jorgensen, WIREs Data Mining and Knowledge Discovery 1 (2011) (multimix).
    """

    def __init__(
        self,
        n_components: int = 2,
        pseudo_count: float = 0.1,
        ridge: float = 1e-3,
        tol: float = 1e-5,
        random_state: Seed = None,
        max_iter: int = 200,
    ) -> None:
        self.n_components = n_components
        self.pseudo_count = pseudo_count
        self.ridge = ridge
        self.tol = tol
        self.random_state = random_state
        self.max_iter = max_iter

    def fit(self, X: Mixed, y: object = None) -> Self:
        """Fit the mixture.

        Parameters
        ----------
        X : MixedTable or DataFrame
            n objects without missing cells.
        y : object
            Ignored.

        Raises
        ------
        MissingValuesError
            If a cell is missing.
        CouplingsError
            If a parameter is out of range, or a covariance is singular for want of a ridge.
        """
        table = as_mixed(X)
        owner = type(self).__name__
        n, k = table.n_objects, self.n_components
        check_clusters(owner, k, n, "n_components")
        check_positive(owner, "max_iter", self.max_iter)
        for name in ("pseudo_count", "ridge", "tol"):
            check_number(owner, name, getattr(self, name))
        # The kernel counts in the type of the pseudo-count.
        pseudo_count, ridge = float(self.pseudo_count), float(self.ridge)
        rng = generator(owner, self.random_state)
        values, offsets = global_values(table)
        numeric = scaled(table.numeric, "z")
        r = table.n_numeric
        start = rng.choice(n, k, replace=False)
        labels = np.empty(n, dtype=np.int64)
        kernels.nearest_prototypes(numeric, values, numeric[start], values[start], 1.0, labels)
        posterior = np.zeros((n, k))
        posterior[np.arange(n), labels] = 1.0
        log_weights, means, factors = np.empty(k), np.empty((k, r)), np.zeros((k, r, r))
        log_values, evidence = np.empty((k, offsets[-1])), np.empty(n)
        parameters = (log_weights, means, factors, log_values)
        likelihoods: list[float] = []
        while len(likelihoods) < self.max_iter:
            singular = kernels.maximisation(
                numeric, values, offsets, posterior, pseudo_count, ridge, *parameters
            )
            if singular >= 0:
                raise CouplingsError(
                    f"{owner}: the covariance of component {singular} is singular; use a ridge"
                )
            kernels.expectation(numeric, values, *parameters, posterior, evidence)
            likelihoods.append(float(evidence.sum()))
            if len(likelihoods) > 1:
                before, now = likelihoods[-2:]
                if now - before < self.tol * abs(now):
                    break
        self.posterior_ = posterior
        self.labels_ = posterior.argmax(axis=1)
        self.log_likelihoods_ = np.array(likelihoods)
        self.weights_ = np.exp(log_weights)
        self.n_iter_ = len(likelihoods)
        return self

    def fit_predict(self, X: Mixed, y: object = None) -> np.ndarray:
        """Fit the mixture and return the labels; see `fit`."""
        return self.fit(X, y).labels_
