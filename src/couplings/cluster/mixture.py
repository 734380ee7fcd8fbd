"""Mixture models of mixed data, fitted by expectation maximisation."""

from dataclasses import dataclass
from typing import Self

import numpy as np

from couplings._checks import Seed, check_clusters, check_number, check_positive, generator
from couplings._kernels import mixed as kernels
from couplings.cluster._base import MixedClustering
from couplings.cluster.kprototypes import global_values
from couplings.errors import CouplingsError
from couplings.mixed import Mixed, location_and_spread, scaled
from couplings.values import ValueMatrices

# Log weights, means, factors of the covariances, log shares of the values.
_Parameters = tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]


@dataclass(eq=False, repr=False)
class MultinomialGaussianMixture(MixedClustering):
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
    n_init : int, default 10
        Number of starts; the mixture of the largest likelihood is kept, the first of several.
    verbose : bool, default False
        Print a line per start.

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
        Number of steps, in the best start.
    n_features_in_, feature_names_in_
        As in `Clustering`, of the categorical attributes and then of the numeric ones.

    References
    ----------
    Hunt and Jorgensen, WIREs Data Mining and Knowledge Discovery 1 (2011) (multimix).

    Examples
    --------
    >>> import pandas as pd
    >>> from couplings import MultinomialGaussianMixture
    >>> cars = pd.DataFrame({"fuel": ["gas", "gas", "oil", "oil"], "power": [55.0, 60.0, 110, 125]})
    >>> mixture = MultinomialGaussianMixture(n_components=2, random_state=0).fit(cars)
    >>> bool((mixture.predict(cars) == mixture.labels_).all())
    True
    """

    n_components: int = 2
    pseudo_count: float = 0.1
    ridge: float = 1e-3
    tol: float = 1e-5
    random_state: Seed = None
    max_iter: int = 200
    n_init: int = 10
    verbose: bool = False

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
        owner = type(self).__name__
        table = self._read(X)
        check_clusters(owner, self.n_components, table.n_objects, "n_components")
        check_positive(owner, "max_iter", self.max_iter)
        check_positive(owner, "n_init", self.n_init)
        for name in ("pseudo_count", "ridge", "tol"):
            check_number(owner, name, getattr(self, name))
        rng = generator(owner, self.random_state)
        values, offsets = global_values(table)
        self._scale = location_and_spread(table.numeric, "z")
        numeric = np.ascontiguousarray(scaled(table.numeric, "z"))
        self.log_likelihoods_ = np.array([-np.inf])
        for start in range(self.n_init):
            found = self._run(numeric, values, offsets, rng)
            if self.verbose:
                print(
                    f"start {start + 1} of {self.n_init}: log-likelihood {found[0][-1]:g}, "
                    f"{len(found[0])} steps"
                )
            if start == 0 or found[0][-1] > self.log_likelihoods_[-1]:
                self.log_likelihoods_, self.posterior_, self._parameters = found
        self.labels_ = self.posterior_.argmax(axis=1)
        self.weights_ = np.exp(self._parameters[0])
        self.n_iter_ = len(self.log_likelihoods_)
        return self

    def predict_proba(self, X: Mixed) -> np.ndarray:
        """Return the posterior of new objects, float64 of shape (n, k), rows that sum to 1.

        Parameters
        ----------
        X : MixedTable or DataFrame
            Objects, one is enough, with the attributes and the categories of `fit`. Where a
            pseudo-count of 0 leaves no component for them, the weights of the components.

        Raises
        ------
        NotFittedError
            If `fit` has not been called.
        MissingValuesError
            If a cell is missing.
        CouplingsError
            If there are other attributes or categories.
        """
        numeric, values = self._new(X)
        posterior = np.empty((len(numeric), self.n_components))
        kernels.expectation(numeric, values, *self._parameters, posterior, np.empty(len(numeric)))
        return posterior

    def predict(self, X: Mixed) -> np.ndarray:
        """Return the component of largest posterior, int64 of shape (n,); see `predict_proba`."""
        return self.predict_proba(X).argmax(axis=1)

    def _run(
        self,
        numeric: np.ndarray,
        values: np.ndarray,
        offsets: np.ndarray,
        rng: np.random.Generator,
    ) -> tuple[np.ndarray, np.ndarray, _Parameters]:
        """Return log-likelihoods, posterior and parameters from one start."""
        (n, r), k = numeric.shape, self.n_components
        # The kernel counts in the type of the pseudo-count.
        pseudo_count, ridge = float(self.pseudo_count), float(self.ridge)
        start = rng.choice(n, k, replace=False)
        labels = np.empty(n, dtype=np.int64)
        mismatches = ValueMatrices.from_blocks([1.0 - np.eye(v) for v in np.diff(offsets)])
        kernels.nearest_prototypes(
            numeric,
            values,
            numeric[start],
            values[start],
            *(mismatches.data, mismatches.starts, offsets),
            1.0,
            labels,
        )
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
                    f"{type(self).__name__}: the covariance of component {singular} is singular; "
                    "use a ridge"
                )
            kernels.expectation(numeric, values, *parameters, posterior, evidence)
            likelihoods.append(float(evidence.sum()))
            if len(likelihoods) > 1:
                before, now = likelihoods[-2:]
                if now - before < self.tol * abs(now):
                    break
        return np.array(likelihoods), posterior, parameters
