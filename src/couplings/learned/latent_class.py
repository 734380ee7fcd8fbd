"""Latent class analysis: mixtures of independent multinomials, and their number of classes."""

from dataclasses import dataclass
from typing import Literal, Self

import numpy as np
from numpy.typing import ArrayLike

from couplings._checks import check_clusters, check_number, check_positive, check_weights, limited
from couplings._domains import Domains, Extras, Unseen, learn_domains
from couplings._em import criteria_of, logs_of, settled, warn_of_steps
from couplings._kernels import learned as kernels
from couplings.errors import CouplingsError
from couplings.learned.clustering import Data, NumpySeed, Run
from couplings.learned.covariates import Coding
from couplings.learned.latent_inference import LatentClassInference, Sample, logit_information

# A probability of 0 counts as this, so that logarithms stay finite.
_LEAST_SHARE = 1e-300
_HALVINGS = 20


@dataclass(eq=False, repr=False)
class LatentClasses(LatentClassInference):
    """Latent class analysis by expectation maximisation.

    An object belongs to class c with probability w_c; within a class the attributes are
    independent, and ``theta_cj(x)`` is the share of value x. With the posteriors R and a
    pseudo-count a, a step is ``w_c = (sum_u R_uc + a) / (n + k a)`` and
    ``theta_cj(x) = (sum over u with x of R_uc + a) / (sum_u R_uc + a v_j)``. Weights of the objects
    multiply R, and n is their sum.

    With covariates z the class probabilities are ``w_c(z) = exp(b_c' z) / sum_d exp(b_d' z)`` with
    z_0 = 1 and b_0 = 0, and every step includes one Newton-Raphson step for b, without a.

    Parameters
    ----------
    n_clusters : int, default 2
        Number of classes, k.
    pseudo_count : float, default 0.1
        a, at least 0; 0 gives maximum likelihood.
    n_init : int, default 10
        Number of starts; the best maximises the objective of EM, the log-likelihood plus ``a``
        times the sum of all log shares and log weights.
    init : array_like of float, shape (n, k), optional
        Initial posteriors (rows sum to 1) instead of random ones.
    random_state : int, SeedSequence, Generator or None, default None
        Seed. Initial posteriors of each distinct row are uniform on the simplex (Dirichlet 1).
    tol : float, default 1e-8
        Stop when the relative gain in log-likelihood is below `tol`.
    max_iter : int, default 1000
        Maximum number of steps.
    missing : {"raise", "ignore", "value"}, default "raise"
        Rule for missing cells: refuse them, leave them out of the likelihood (missing at random),
        or treat them as one more value of the attribute.
    unknown : {"warn", "raise", "mismatch"}, default "warn"
        Rule for values that `fit` has not seen. "mismatch": leave them out of the object. "warn":
        the same, with an `UnknownValueWarning`. "raise": refuse them.
    select : bool, default False
        Whether an attribute gets one distribution in all classes if BIC prefers that. A second run,
        continuing from the first, decides it anew in every step.
    n_jobs : int, optional
        Maximum number of threads; None and -1 use all cores.

    Attributes
    ----------
    labels_ : ndarray of int64, shape (n,)
        Most probable class of each object; ties go to the first.
    posterior_ : ndarray of float64, shape (n, k)
        Posterior probabilities of the classes; rows sum to 1.
    weights_ : ndarray of float64, shape (k,)
        Shares of the classes; with covariates, their mean over the objects.
    value_shares_ : ndarray of float64, shape (L, k)
        theta of the values that occur, attribute after attribute, in code order.
    coefficients_ : ndarray of float64, shape (1 + q, k), or None
        b, with the first row for the constant; None without covariates.
    covariate_names_ : tuple of str or None
        Names of the rows of `coefficients_`: ``(constant)``, columns, and ``column=category``.
    log_likelihoods_ : ndarray of float64, shape ``(n_iter_,)``
        Log-likelihood after each step, without the pseudo-count term. With a = 0 and without
        `select` it never decreases.
    log_likelihood_ : float
        Last of `log_likelihoods_`.
    n_parameters_ : int
        ``p = k - 1 + k sum_j (v_j - 1)``; with covariates ``(1 + q) (k - 1)`` replaces k - 1; an
        attribute with one distribution adds v_j - 1. Shares that reached the boundary 0 are
        included.
    bic_ : float
        ``-2 log_likelihood_ + p ln n``.
    criteria_ : dict of str to float
        ``aic``, ``bic``, ``caic`` (``p (1 + ln n)``), ``sabic`` (``p ln((n + 2) / 24)``) and
        ``icl`` (BIC plus twice the entropy E of the posteriors): lower is better. Also
        ``relative_entropy``, 1 - E / (n ln k): 1 means fully separated classes.
    relevance_ : ndarray of float64, shape (m,)
        Gain in BIC if the attribute depends on the class, at the last posteriors; the attribute
        matters if it is positive.
    relevant_ : ndarray of bool, shape (m,)
        Whether the attribute depends on the class; all True without `select`.
    converged_ : bool
        Whether the best start stopped before `max_iter` steps.
    objective_ : float
        Negative objective of EM; with `select` plus p ln(n) / 2.
    n_iter_ : int
        Number of steps.
    empty_clusters_ : ndarray of int64
        Classes that are most probable for no object.
    n_features_in_, feature_names_in_
        As in `Clustering`.

    Notes
    -----
    Values that never occur are left out. A class of weight 0, possible only with a = 0, keeps its
    shares; empty classes do not count against a run. A share of 0 counts as 1e-300 in the
    likelihood of new objects.

    References
    ----------
    Goodman, Biometrika 61 (1974); Schwarz, Annals of Statistics 6 (1978). Covariates: Bandeen-Roche
    and others, Journal of the American Statistical Association 92 (1997). Criteria: Sclove,
    Psychometrika 52 (1987); Biernacki, Celeux and Govaert, IEEE TPAMI 22 (2000). Selection:
    Marbac and Sedki, Statistics and Computing 27 (2017).

    Examples
    --------
    >>> from couplings import LatentClasses
    >>> cars = [["vw", "gas"], ["vw", "gas"], ["bmw", "oil"], ["bmw", "oil"]] * 5
    >>> model = LatentClasses(2, random_state=0).fit(cars)
    >>> model.predict([["vw", "gas"], ["bmw", "oil"]]).tolist() == model.labels_[[0, 2]].tolist()
    True
    """

    n_clusters: int = 2
    pseudo_count: float = 0.1
    n_init: int = 10
    init: ArrayLike | None = None
    random_state: NumpySeed = None
    tol: float = 1e-8
    max_iter: int = 1000
    missing: Literal["raise", "ignore", "value"] = "raise"
    unknown: Unseen = "warn"
    select: bool = False
    n_jobs: int | None = None

    _emptied_counts = False
    _sign_of_fit = "value_shares_"

    @limited
    def fit(
        self,
        X: Data,
        y: object = None,
        sample_weight: ArrayLike | None = None,
        covariates: ArrayLike | None = None,
    ) -> Self:
        """Fit the latent classes.

        Parameters
        ----------
        X : CategoricalTable, data frame or array_like, shape (n, m)
            Labels in any form that `CategoricalTable.from_any` reads.
        y : object, ignored
        sample_weight : array_like of float, shape (n,), optional
            At least 0. An object of weight 2 counts twice; one of weight 0 is absent, but its
            values are known, and it gets a label.
        covariates : array_like, series or data frame, shape (n,) or (n, q), optional
            Predictors of the class of an object, without a column of ones. Numbers and truth values
            are taken as they are; of other columns each category but the first (declared, or in
            the order of text) becomes an indicator.

        Raises
        ------
        MissingValuesError
            If cells are missing and `missing` is "raise".
        CouplingsError
            If a parameter, a weight or a covariate is out of range.
        """
        return self._fit(self._rows(X, sample_weight, covariates))

    def predict_proba(self, X: Data, covariates: ArrayLike | None = None) -> np.ndarray:
        """Return the posterior probabilities of objects, float64 of shape (n, k); rows sum to 1.

        Parameters
        ----------
        X : CategoricalTable, data frame or array_like
            Objects (at least one) with the attributes of `fit`.
        covariates : array_like, series or data frame, shape (n,) or (n, q), optional
            The same columns as in `fit`, matched by name if both have names. Required if and only
            if `fit` had covariates.

        Raises
        ------
        NotFittedError
            If `fit` has not been called.
        MissingValuesError, MeasureError
            If a cell is missing or a value is unseen, and no rule for it is set.
        CouplingsError
            If the covariates do not match those of `fit`.
        """
        return self._expected(X, covariates)[0]

    def predict(self, X: Data, covariates: ArrayLike | None = None) -> np.ndarray:
        """Return the most probable class, int64 of shape (n,); see `predict_proba`."""
        return self.predict_proba(X, covariates).argmax(axis=1)

    def score_samples(self, X: Data, covariates: ArrayLike | None = None) -> np.ndarray:
        """Return the log-likelihood of each object, float64 of shape (n,); see `predict_proba`."""
        return self._expected(X, covariates)[1]

    def score(
        self,
        X: Data,
        y: object = None,
        sample_weight: ArrayLike | None = None,
        covariates: ArrayLike | None = None,
    ) -> float:
        """Return the mean log-likelihood of an object; larger is better. See `predict_proba`."""
        each = self.score_samples(X, covariates)
        return float(
            np.average(each, weights=check_weights(type(self).__name__, sample_weight, len(each)))
        )

    def _check(self, owner: str, rows: Sample) -> None:
        super()._check(owner, rows)
        check_clusters(owner, self.n_clusters, int(np.count_nonzero(rows.given)))
        check_positive(owner, max_iter=self.max_iter)
        check_number(owner, "pseudo_count", self.pseudo_count)
        check_number(owner, "tol", self.tol)

    def _rows(
        self,
        X: Data,
        sample_weight: ArrayLike | None = None,
        covariates: ArrayLike | None = None,
    ) -> Sample:
        owner = self._owner
        self._check_choices()
        table, domains = learn_domains(X, owner, self.missing, sample_weight, ("value", "ignore"))
        n = table.n_objects
        given = check_weights(owner, sample_weight, n).astype(np.float64)
        if not given.all():
            domains = domains.knowing(table.take(given == 0), owner)
        if covariates is None:
            # Objects of weight 0 come last, so that they affect nothing else.
            order = np.argsort(given == 0, kind="stable")
            distinct, _, ranked = table.take(order).distinct()
            inverse = np.empty(n, dtype=np.int64)
            inverse[order] = ranked
            design, coding = None, None
        else:
            distinct, inverse = table, np.arange(n)
            coding = Coding.of(owner, covariates)
            design = coding.design(owner, covariates, n)
        values, offsets = seen_values(distinct.codes, domains)
        weights = np.bincount(inverse, given)
        return Sample(values, offsets, weights, inverse, given, design, domains, coding)

    def _fit(self, rows: Sample) -> Self:
        super()._fit(rows)
        self._domains, self._total = rows.domains, rows.total
        self._coding = rows.coding
        self.covariate_names_ = None if rows.coding is None else rows.coding.columns
        self._remember_features(rows.domains.names, rows.values.shape[1])
        if not self.converged_:
            warn_of_steps("LatentClasses", self.max_iter)
        return self

    def _expected(self, X: Data, covariates: ArrayLike | None) -> tuple[np.ndarray, np.ndarray]:
        """Return posteriors and log-likelihoods of objects."""
        self._require_fit()
        owner, domains = self._owner, self._domains
        extras = Extras.of(self.n_features_in_)
        codes = domains.encode(X, owner, self.missing, self.unknown, extras)
        codes[codes >= np.diff(domains.offsets)] = -1
        values, _ = seen_values(codes, domains)
        if (covariates is None) != (self._coding is None):
            had = "no" if self._coding is None else "some"
            raise CouplingsError(f"{owner}: fit had {had} covariates; pass the same ones here")
        design = None
        if self._coding is not None:
            design = self._coding.design(owner, covariates, len(values))
        return self._under(values, design)[:2]

    def _under(
        self, values: np.ndarray, design: np.ndarray | None
    ) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Return posteriors, log-likelihoods and prior probabilities of rows under the model."""
        from scipy.special import log_softmax

        prior = logs_of(self.weights_)[None]
        if design is not None:
            prior = log_softmax(design @ self.coefficients_, axis=1)
        posterior, evidence = np.empty((len(values), self.n_clusters)), np.empty(len(values))
        shares = np.log(np.maximum(self.value_shares_, _LEAST_SHARE))
        kernels.expectation(values, np.ones(len(values)), prior, shares, posterior, evidence)
        return posterior, evidence, np.exp(prior)

    def _start(self, rows: Sample, rng: np.random.Generator) -> np.ndarray:
        """Return the initial posteriors of the rows, shape (g, k)."""
        k = self.n_clusters
        if self.init is None:
            used = int(np.count_nonzero(rows.weights))
            start = np.full((len(rows.values), k), 1 / k)
            start[rows.weights > 0] = rng.dirichlet(np.ones(k), used)
            return start
        given = np.asarray(self.init, dtype=np.float64)
        shape = (rows.n_objects, k)
        if given.shape != shape or not (given >= 0).all() or not np.allclose(given.sum(axis=1), 1):
            raise CouplingsError(
                f"LatentClasses: init must be posteriors of shape {shape} with rows that sum to 1, "
                f"not an array of shape {given.shape}"
            )
        # Equal rows enter every sum of the first step with the mean of their posteriors.
        means = np.zeros((len(rows.values), k))
        np.add.at(means, rows.inverse, given * rows.given[:, None])
        return means / np.maximum(rows.weights, _LEAST_SHARE)[:, None]

    def _run(self, rows: Sample, rng: np.random.Generator) -> Run:
        posterior = np.ascontiguousarray(self._start(rows, rng))
        run = self._climb(rows, posterior)
        # Random posteriors do not separate attributes, so all would be pooled at once.
        return self._climb(rows, posterior, select=True) if self.select else run

    def _climb(self, rows: Sample, posterior: np.ndarray, select: bool = False) -> Run:
        """Run EM from these posteriors, shape (g, k), which are updated in place."""
        from scipy.special import log_softmax, xlogy

        n, k, a = rows.total, self.n_clusters, float(self.pseudo_count)
        attribute = rows.attribute
        v = rows.sizes[attribute, None]
        shares = np.full((len(attribute), k), 1.0)
        q = 1 if rows.design is None else rows.design.shape[1]
        coefficients = None if rows.design is None else np.zeros((q, k))
        relevant = np.ones(len(rows.sizes), dtype=bool)
        free = (k - 1) * q
        p = free + k * int((rows.sizes - 1).sum())
        evidence = np.empty(len(posterior))
        likelihoods: list[float] = []
        climbed: list[float] = []
        while len(climbed) < self.max_iter and not settled(climbed, self.tol):
            if coefficients is None or rows.design is None:
                weights = (rows.weights @ posterior + a) / (n + k * a)
                prior = logs_of(weights)[None]
            else:
                coefficients = newton_step(rows.design, posterior, rows.weights, coefficients)
                prior = log_softmax(rows.design @ coefficients, axis=1)
                weights = rows.weights @ np.exp(prior) / n
            counts = kernels.expected_counts(rows.values, rows.weights, posterior, len(attribute))
            totals = np.add.reduceat(counts, rows.offsets[:-1])[attribute] + a * v
            shares = np.divide(counts + a, totals, out=shares, where=totals > 0)
            if select:
                relevant = _relevance(rows, counts) > 0
                pooled = (counts.sum(axis=1) + a) / (totals.sum(axis=1) - (a * v * (k - 1))[:, 0])
                shares[~relevant[attribute]] = pooled[~relevant[attribute], None]
                p = free + int(((rows.sizes - 1) * np.where(relevant, k, 1)).sum())
            logs = np.log(np.maximum(shares, _LEAST_SHARE))
            likelihoods.append(
                kernels.expectation(rows.values, rows.weights, prior, logs, posterior, evidence)
            )
            climbed.append(likelihoods[-1] - (0.5 * p * np.log(n) if select else 0))
        objective = climbed[-1]
        if a > 0:
            objective += a * float(logs.sum() + (prior.sum() if coefficients is None else 0.0))
        entropy = -float(rows.weights @ xlogy(posterior, posterior).sum(axis=1))
        criteria = criteria_of(likelihoods[-1], p, n, k, entropy)
        return Run(
            posterior.argmax(axis=1)[rows.inverse],
            -objective,
            len(climbed),
            {
                "posterior_": posterior[rows.inverse],
                "weights_": weights,
                "value_shares_": shares,
                "coefficients_": coefficients,
                "log_likelihoods_": np.array(likelihoods),
                "log_likelihood_": likelihoods[-1],
                "n_parameters_": p,
                "criteria_": criteria,
                "bic_": criteria["bic"],
                "relevance_": _relevance(rows, counts),
                "relevant_": relevant,
                "converged_": settled(climbed, self.tol),
            },
        )


def newton_step(
    design: np.ndarray, posterior: np.ndarray, weights: np.ndarray, coefficients: np.ndarray
) -> np.ndarray:
    """Return coefficients that do not decrease the expected log-likelihood; the first are 0."""
    from scipy.special import log_softmax

    q, k = coefficients.shape
    log_prior = log_softmax(design @ coefficients, axis=1)
    gradient = design.T @ (weights[:, None] * (posterior - np.exp(log_prior)))
    information = logit_information(design, np.exp(log_prior), weights)[q:, q:]
    step = np.zeros((q, k))
    # Least squares give the shortest step if classes are empty or covariates collinear.
    step[:, 1:] = np.linalg.lstsq(information, gradient.T[1:].ravel())[0].reshape(k - 1, q).T
    before = (weights @ (posterior * log_prior)).sum()
    for halving in range(_HALVINGS):
        tried = coefficients + step / 2**halving
        if (weights @ (posterior * log_softmax(design @ tried, axis=1))).sum() >= before:
            return tried
    return coefficients


def seen_values(codes: np.ndarray, domains: Domains) -> tuple[np.ndarray, np.ndarray]:
    """Return indices among the values seen by `fit`, -1 for others, and their offsets."""
    seen = np.append(domains.share > 0, False)
    place = np.where(seen, np.cumsum(seen) - 1, -1).astype(np.int32)
    columns = np.where(codes >= 0, codes.astype(np.int64) + domains.offsets[:-1], -1)
    offsets = np.append(0, np.cumsum(seen))[domains.offsets]
    return np.ascontiguousarray(place[columns]), offsets


def _relevance(rows: Sample, counts: np.ndarray) -> np.ndarray:
    """Return the gain in BIC of attributes that depend on the class, from expected counts."""
    first, (k, n) = rows.offsets[:-1], (counts.shape[1], rows.total)

    def most(counts: np.ndarray) -> np.ndarray:
        from scipy.special import xlogy

        terms = np.add.reduceat(xlogy(counts, counts), first)
        totals = np.add.reduceat(counts, first)
        return (terms - xlogy(totals, totals)).sum(axis=1)

    gain = most(counts) - most(counts.sum(axis=1, keepdims=True))
    return 2 * gain - (k - 1) * (rows.sizes - 1) * np.log(n)
