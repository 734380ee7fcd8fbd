"""Mixture models of mixed data, fitted by expectation maximisation."""

from dataclasses import dataclass
from typing import Literal, Self

import numpy as np
from numpy.typing import ArrayLike
from scipy.linalg import solve_triangular
from scipy.special import xlogy

from couplings._checks import (
    Seed,
    check_clusters,
    check_number,
    check_positive,
    check_weights,
    generator,
    limited,
)
from couplings._domains import Unseen
from couplings._em import criteria_of, logs_of, settled, warn_of_steps
from couplings._kernels import learned
from couplings._kernels import mixed as kernels
from couplings._renamed import renamed
from couplings._weights import present_only, select_rows
from couplings.cluster._base import MixedClustering, announced, warn_of_clusters
from couplings.cluster.kprototypes import global_values, moments, observed_scales, present_numbers
from couplings.errors import CouplingsError
from couplings.mixed import Mixed, MixedTable, location_and_spread
from couplings.values import ValueMatrices

# Log weights, means, factors of the covariances, log shares of the values.
_Parameters = tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]


@renamed(n_components="n_clusters")
@dataclass(eq=False, repr=False)
class MultinomialGaussianMixture(MixedClustering):
    """Mixture of independent multinomials and a full-covariance Gaussian per component.

    Within a component, the categorical attributes are independent of each other and of the numeric
    ones, which are z-scored and jointly normal. Missing numbers are left out of the likelihood
    (missing at random).

    Parameters
    ----------
    n_clusters : int, default 2
        Number of components, 1 to the number of objects.
    pseudo_count : float, default 0.1
        Added to the count of every value in every component; at least 0.
    ridge : float, default 1e-3
        Added to the variances of the z-scored numbers; at least 0.
    tol : float, default 1e-5
        Stop when the relative gain in log-likelihood is below `tol`.
    random_state : int, SeedSequence, Generator or None, default None
        Seed of the starts: k distinct objects at random; every object joins the nearest by squared
        Euclidean distance of the z-scored numbers plus the number of mismatches.
    max_iter : int, default 200
        Maximum number of EM steps.
    n_init : int, default 10
        Number of starts; the first mixture with the largest likelihood is kept.
    verbose : bool, default False
        Print a line per start.
    unknown : {"warn", "raise", "mismatch"}, default "warn"
        Rule for values that `fit` has not seen. "mismatch": leave them out of the object. "warn":
        the same, with an `UnknownValueWarning`. "raise": refuse them.
    missing : {"raise", "value"}, default "raise"
        Rule for missing categories: refuse them, or treat them as one more value.
    n_jobs : int, optional
        Maximum number of threads; None and -1 use all cores.

    Attributes
    ----------
    labels_ : ndarray of int64, shape (n,)
        Component with the largest posterior probability.
    posterior_ : ndarray of float64, shape (n, k)
        Posterior probabilities; rows sum to 1.
    log_likelihoods_ : ndarray of float64, shape ``(n_iter_,)``
        Log-likelihood of the z-scored data under the parameters of each step. Without pseudo-count
        and ridge it never decreases.
    objective_ : float
        Minus the last of `log_likelihoods_`; smaller is better.
    log_likelihood_ : float
        Log-likelihood of the last step in the original units of the numbers: subtracts the log
        standard deviation of each present number. Comparable across programs, as are:
    n_parameters_, bic_, criteria_
        As in `LatentClasses`; a component has r means and r (r + 1) / 2 variances and covariances
        in addition to its shares of values.
    converged_ : bool
        Whether the best start stopped before `max_iter` steps.
    weights_ : ndarray of float64, shape (k,)
        Shares of the components.
    n_iter_ : int
        Number of steps in the best start.
    n_features_in_, feature_names_in_
        As in `Clustering`: categorical attributes first, then numeric ones.

    References
    ----------
    Hunt and Jorgensen, WIREs Data Mining and Knowledge Discovery 1 (2011) (multimix).

    Examples
    --------
    >>> import pandas as pd
    >>> from couplings import MultinomialGaussianMixture
    >>> cars = pd.DataFrame({"fuel": ["gas", "gas", "oil", "oil"], "power": [55.0, 60.0, 110, 125]})
    >>> mixture = MultinomialGaussianMixture(n_clusters=2, random_state=0).fit(cars)
    >>> bool((mixture.predict(cars) == mixture.labels_).all())
    True
    """

    n_clusters: int = 2
    pseudo_count: float = 0.1
    ridge: float = 1e-3
    tol: float = 1e-5
    random_state: Seed = None
    max_iter: int = 200
    n_init: int = 10
    verbose: bool = False
    unknown: Unseen = "warn"
    missing: Literal["raise", "value"] = "raise"
    n_jobs: int | None = None

    _incomplete = True

    @limited
    @present_only
    def fit(self, X: Mixed, y: object = None, sample_weight: ArrayLike | None = None) -> Self:
        """Fit the mixture.

        Parameters
        ----------
        X : MixedTable, data frame or array_like
            n objects without missing categories; numbers can be missing.
        y : object, ignored
        sample_weight : array_like of float, shape (n,), optional
            At least 0. An object of weight 2 counts twice, but is one candidate for a start; one
            of weight 0 is absent.

        Raises
        ------
        MissingValuesError
            If a category is missing, or if all numbers of an attribute are missing.
        CouplingsError
            If a parameter is out of range, or a covariance is singular because `ridge` is too
            small.

        Warns
        -----
        ConvergenceWarning
            If the best start used all `max_iter` steps.
        """
        owner = type(self).__name__
        table = self._read(X)
        check_clusters(owner, self.n_clusters, table.n_objects)
        check_positive(owner, max_iter=self.max_iter, n_init=self.n_init)
        for name in ("pseudo_count", "ridge", "tol"):
            check_number(owner, name, getattr(self, name))
        rng = generator(owner, self.random_state)
        weights = check_weights(owner, sample_weight, table.n_objects).astype(np.float64)
        values, offsets = global_values(table)
        self._scale = centre, spread = _location_and_spread(table, weights)
        numeric = np.ascontiguousarray((table.numeric - centre) / spread)
        runs = (self._run(numeric, values, offsets, weights, rng) for _ in range(self.n_init))
        self.log_likelihoods_, self.posterior_, self._parameters = min(
            announced(
                self, runs, lambda run: f"log-likelihood {run[0][-1]:g}, {len(run[0])} steps"
            ),
            key=lambda run: -run[0][-1],
        )
        self.labels_ = self.posterior_.argmax(axis=1)
        self.objective_ = -float(self.log_likelihoods_[-1])
        warn_of_clusters(owner, self.labels_, self.n_clusters)
        self.weights_ = np.exp(self._parameters[0])
        self.n_iter_ = len(self.log_likelihoods_)
        k, r = self.n_clusters, numeric.shape[1]
        spent = weights @ ~np.isnan(numeric) @ np.log(self._scale[1])
        self.log_likelihood_ = float(self.log_likelihoods_[-1] - spent)
        self.n_parameters_ = k - 1 + k * (r + r * (r + 1) // 2 + int((np.diff(offsets) - 1).sum()))
        entropy = -float(weights @ xlogy(self.posterior_, self.posterior_).sum(axis=1))
        self.criteria_ = criteria_of(
            self.log_likelihood_, self.n_parameters_, float(weights.sum()), k, entropy
        )
        self.bic_ = self.criteria_["bic"]
        self.converged_ = settled(self.log_likelihoods_, self.tol)
        if not self.converged_:
            warn_of_steps(owner, self.max_iter)
        return self

    def predict_proba(self, X: Mixed) -> np.ndarray:
        """Return the posterior probabilities of objects, float64 of shape (n, k).

        Parameters
        ----------
        X : MixedTable, data frame or array_like
            Objects (at least one) with the attributes and categories of `fit`; numbers can be
            missing. If a pseudo-count of 0 excludes every component, the weights of the components
            are returned.

        Raises
        ------
        NotFittedError
            If `fit` has not been called.
        MissingValuesError
            If a category is missing.
        CouplingsError
            If the attributes or categories differ from those of `fit`.
        """
        return self._expected(*self._new(X), self._open_parameters())[0]

    def predict(self, X: Mixed) -> np.ndarray:
        """Return the most probable component, int64 of shape (n,); see `predict_proba`."""
        return self.predict_proba(X).argmax(axis=1)

    def score_samples(self, X: Mixed) -> np.ndarray:
        """Return the log-likelihood of objects in the original units, float64 of shape (n,).

        Parameters and errors are those of `predict_proba`.
        """
        numeric, values = self._new(X)
        evidence = self._expected(numeric, values, self._open_parameters())[1]
        return evidence - ~np.isnan(numeric) @ np.log(self._scale[1])

    def score(self, X: Mixed, y: object = None, sample_weight: ArrayLike | None = None) -> float:
        """Return the mean log-likelihood of an object; larger is better. See `score_samples`."""
        each = self.score_samples(X)
        weights = check_weights(type(self).__name__, sample_weight, len(each))
        return float(np.average(each, weights=weights))

    def _open_parameters(self) -> _Parameters:
        """Return the parameters with a log share of 0 for the unseen values of each attribute."""
        log_weights, means, factors, log_values = self._parameters
        unseen = np.zeros((len(log_values), self._categorical.n_attributes))
        return log_weights, means, factors, np.hstack([log_values, unseen])

    def _know_absent(self, X: Mixed, rows: np.ndarray) -> None:
        super()._know_absent(X, rows)
        posterior = np.empty((len(rows), self.posterior_.shape[1]))
        posterior[rows] = self.posterior_
        posterior[~rows] = self.predict_proba(select_rows(X, ~rows))
        self.posterior_ = posterior

    def _run(
        self,
        numeric: np.ndarray,
        values: np.ndarray,
        offsets: np.ndarray,
        weights: np.ndarray,
        rng: np.random.Generator,
    ) -> tuple[np.ndarray, np.ndarray, _Parameters]:
        """Run one start; return log-likelihoods, posteriors and parameters."""
        (n, r), k, complete = numeric.shape, self.n_clusters, not np.isnan(numeric).any()
        # The kernel counts in the dtype of the pseudo-count.
        pseudo_count, ridge = float(self.pseudo_count), float(self.ridge)
        start = rng.choice(n, k, replace=False)
        labels = np.empty(n, dtype=np.int64)
        mismatches = ValueMatrices.from_blocks([1.0 - np.eye(v) for v in np.diff(offsets)])
        kernels.nearest_prototypes(
            numeric,
            values,
            np.nan_to_num(numeric[start]),
            values[start],
            *(mismatches.data, mismatches.starts, offsets),
            1.0,
            labels,
            weights,
            observed_scales(numeric),
        )
        posterior = np.eye(k)[labels]
        log_weights, means, factors = np.empty(k), np.zeros((k, r)), np.zeros((k, r, r))
        log_values = np.empty((k, offsets[-1]))
        parameters = (log_weights, means, factors, log_values)
        filled = np.broadcast_to(np.nan_to_num(numeric), (k, n, r))
        spare = np.zeros((k, r, r))
        likelihoods: list[float] = []
        while len(likelihoods) < self.max_iter and not settled(likelihoods, self.tol):
            given = posterior * weights[:, np.newaxis]
            if complete:
                singular = kernels.maximisation(
                    numeric, values, offsets, given, pseudo_count, ridge, *parameters
                )
                log_weights += np.log(n / weights.sum())
            else:
                counts = learned.expected_counts(
                    values.astype(np.int32), weights, posterior, int(offsets[-1])
                )
                counts += pseudo_count
                totals = np.repeat(np.add.reduceat(counts, offsets[:-1]), np.diff(offsets), axis=0)
                shares = np.divide(counts, totals, out=np.zeros_like(counts), where=totals > 0)
                log_values[:] = logs_of(shares.T)
                singular = _write_normals(given, filled, spare, ridge, parameters[:3])
            if singular >= 0:
                raise CouplingsError(
                    f"{type(self).__name__}: the covariance of component {singular} is singular; "
                    "use a larger ridge"
                )
            posterior, evidence, filled, spare = self._expected(
                numeric, values, parameters, weights
            )
            likelihoods.append(float((weights * evidence).sum()))
        return np.array(likelihoods), posterior, parameters

    def _expected(
        self,
        numeric: np.ndarray,
        values: np.ndarray,
        parameters: _Parameters,
        weights: np.ndarray | None = None,
    ) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
        """Return posteriors, log-likelihoods, and the expected missing numbers."""
        # These are the numbers as each component fills them, (k, n, r), and the sums of their
        # conditional covariances over the objects, by posterior and weight, (k, r, r).
        (n, r), k = numeric.shape, self.n_clusters
        absent = np.isnan(numeric)
        if not absent.any():
            posterior, evidence = np.empty((n, k)), np.empty(n)
            kernels.expectation(numeric, values, *parameters, posterior, evidence)
            return posterior, evidence, numeric[np.newaxis], np.zeros((k, r, r))
        log_weights, means, factors, log_values = parameters
        covariances = factors @ factors.transpose(0, 2, 1)
        filled, spare = np.repeat(numeric[np.newaxis], k, axis=0), np.zeros((k, r, r))
        terms = log_weights + log_values[:, values].sum(axis=2).T
        patterns, pattern = np.unique(absent, axis=0, return_inverse=True)
        groups = [np.flatnonzero(pattern.ravel() == i) for i in range(len(patterns))]
        conditional = np.zeros((len(patterns), k, r, r))
        for i, (gone, rows) in enumerate(zip(patterns, groups, strict=True)):
            there = ~gone
            for c in range(k):
                factor = np.linalg.cholesky(covariances[c][np.ix_(there, there)])
                far = (numeric[rows][:, there] - means[c, there]).T
                solved = solve_triangular(factor, far, lower=True)
                cross = solve_triangular(factor, covariances[c][np.ix_(there, gone)], lower=True)
                terms[rows, c] -= 0.5 * (solved**2).sum(axis=0) + np.log(np.diag(factor)).sum()
                terms[rows, c] -= 0.5 * there.sum() * np.log(2 * np.pi)
                filled[c][np.ix_(rows, gone)] = means[c, gone] + solved.T @ cross
                within = covariances[c][np.ix_(gone, gone)] - cross.T @ cross
                conditional[i, c][np.ix_(gone, gone)] = within
        highest = terms.max(axis=1)
        none = np.isneginf(highest)
        terms[none] = log_weights
        posterior = np.exp(terms - np.where(none, 0.0, highest)[:, np.newaxis])
        total = posterior.sum(axis=1)
        evidence = np.where(none, -np.inf, highest + np.log(total))
        posterior /= total[:, np.newaxis]
        if weights is not None:
            for i, rows in enumerate(groups):
                mass = weights[rows] @ posterior[rows]
                spare += mass[:, np.newaxis, np.newaxis] * conditional[i]
        return posterior, evidence, filled, spare


def _location_and_spread(table: MixedTable, weights: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return mean and sample standard deviation of the present numbers, weighted as repeats."""
    numeric, seen = table.numeric, present_numbers(table, weights)
    if seen.all() and (weights == 1).all():
        return location_and_spread(numeric, "z")
    mean, variance = moments(numeric, weights)
    amount = weights @ seen
    lowest = np.where(seen, numeric, np.inf).min(axis=0)
    varies = (np.where(seen, numeric, -np.inf).max(axis=0) > lowest) & (amount > 1)
    spread = np.sqrt(variance * amount / np.where(varies, amount - 1, 1))
    return np.where(varies, mean, lowest), np.where(varies, spread, 1.0)


def _write_normals(
    given: np.ndarray,
    filled: np.ndarray,
    spare: np.ndarray,
    ridge: float,
    normals: tuple[np.ndarray, np.ndarray, np.ndarray],
) -> int:
    """Write log weights, means and factors; return the index of a singular component, or -1."""
    log_weights, means, factors = normals
    masses = given.sum(axis=0)
    log_weights[:] = logs_of(masses / masses.sum())
    for c, mass in enumerate(masses):
        factors[c] = np.eye(len(factors[c]))
        if mass > 0:
            means[c] = given[:, c] @ filled[c] / mass
            far = filled[c] - means[c]
            covariance = ((far.T * given[:, c]) @ far + spare[c]) / mass
            try:
                factors[c] = np.linalg.cholesky(covariance + ridge * np.eye(len(covariance)))
            except np.linalg.LinAlgError:
                return c
    return -1
