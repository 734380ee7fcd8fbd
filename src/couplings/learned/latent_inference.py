"""Inference for latent classes: intervals, a test of the number of classes, distal outcomes."""

from collections.abc import Callable, Iterable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from operator import attrgetter
from typing import TYPE_CHECKING, Any, NamedTuple, TypeVar
from warnings import warn

import numpy as np
from numpy.typing import ArrayLike

from couplings._checks import (
    Seed,
    check_choice,
    check_number,
    check_positive,
    check_weights,
    generator,
)
from couplings._domains import Domains
from couplings.errors import CouplingsError
from couplings.learned.clustering import LearnedClustering, Run, WeightedRows
from couplings.learned.covariates import Coding
from couplings.table import CategoricalTable

if TYPE_CHECKING:
    import pandas as pd

T = TypeVar("T")

# A share this close to 0 or 1 is at the boundary, where its logit carries no information.
_BOUNDARY = 1e-6
# Eigenvalues of the scaled information below this share of the largest count as 0.
_SINGULAR = 1e-9
_STEPS = 10_000


@dataclass(frozen=True, eq=False)
class Sample(WeightedRows):
    """Rows to fit; equal rows are collapsed unless they have covariates.

    Parameters
    ----------
    given : ndarray of float64, shape (n,)
        Weight of each object.
    design : ndarray of float64, shape (g, 1 + q), optional
        1 and the covariates of each row.
    domains : Domains
        Names and labels, to encode later objects.
    coding : Coding, optional
        Columns of the covariates, to code later ones.
    """

    given: np.ndarray
    design: np.ndarray | None
    domains: Domains
    coding: Coding | None = None

    @property
    def total(self) -> float:
        """Sum of the weights, by default n."""
        return float(self.weights.sum())

    @property
    def sizes(self) -> np.ndarray:
        """Number of values of each attribute, v."""
        return np.diff(self.offsets)


class LikelihoodRatio(NamedTuple):
    """Result of a bootstrap test of the number of classes.

    Attributes
    ----------
    statistic : float
        Twice the gain in log-likelihood from one more class.
    p_value : float
        Share of the replicates, including the data, whose statistic is at least as large.
    replicates : ndarray of float64
        Statistics of tables drawn from the smaller model.
    """

    statistic: float
    p_value: float
    replicates: np.ndarray


class Outcome(NamedTuple):
    """Outcome per class, with a test that it is equal in all classes.

    Attributes
    ----------
    frame : DataFrame
        Columns ``cluster``, ``value`` (None for a numeric outcome), ``estimate`` (mean, or share
        of the value), ``se``, ``low``, ``high``.
    statistic, p_value : float
        Wald test with a chi-squared distribution.
    """

    frame: "pd.DataFrame"
    statistic: float
    p_value: float


class LatentClassInference(LearnedClustering):
    """Inference methods of `LatentClasses` after a fit."""

    pseudo_count: float
    weights_: np.ndarray
    value_shares_: np.ndarray
    coefficients_: np.ndarray | None
    relevant_: np.ndarray
    n_parameters_: int
    criteria_: dict[str, float]
    bic_: float
    converged_: bool
    _domains: Domains

    # Provided by `LatentClasses`.
    n_init: int
    _rows: Callable[..., Sample]
    _climb: Callable[..., Run]
    _under: Callable[..., tuple[np.ndarray, np.ndarray, np.ndarray]]
    predict_proba: Callable[..., np.ndarray]

    def intervals(
        self,
        X: Any,
        sample_weight: ArrayLike | None = None,
        covariates: ArrayLike | None = None,
        *,
        level: float = 0.95,
        n_bootstrap: int = 0,
        random_state: Seed = 0,
        n_jobs: int | None = None,
    ) -> "pd.DataFrame":
        """Return standard errors and confidence intervals of class and value shares.

        The delta method uses the observed information of the EM objective, with intervals of shares
        on the logit scale; the bootstrap is an alternative.

        Parameters
        ----------
        X, sample_weight, covariates
            The data of `fit`.
        level : float, default 0.95
            Coverage of the intervals, above 0 and below 1.
        n_bootstrap : int, default 0
            Number of bootstrap samples. Each is fitted from the posteriors of the model, so that
            classes keep their order; intervals lie between quantiles. 0: delta method.
        random_state : int, SeedSequence, Generator or None, default 0
            Seed of the samples.
        n_jobs : int, optional
            Threads of the bootstrap; None and -1 use all cores.

        Returns
        -------
        DataFrame
            Columns of `cluster_profiles`, which `plot_profiles` draws, with the model's shares, and
            ``se``, ``low`` and ``high`` of ``inside``; ``size`` is the expected number of objects.
            Besides "value", ``kind`` can be "share" (of the class itself) or "coefficient" (of each
            covariate, named by its column from "z1" on, and of the "constant").

        Warns
        -----
        UserWarning
            If the model has more parameters than the table can determine, or is not identified, so
            that errors mean little. If shares are at the boundary (0 or 1): they get no error, and
            the other errors treat them as known.

        Raises
        ------
        CouplingsError
            If the data differ from those of `fit`, or a parameter is out of range.

        References
        ----------
        Louis, Journal of the Royal Statistical Society B 44 (1982) (observed information).
        """
        from scipy.special import expit, logit, ndtri

        self._require_fit()
        owner = f"{type(self).__name__}.intervals"
        check_number(owner, "level", level, most=np.nextafter(1.0, 0.0), above=0.0)
        rows = self._rows(X, sample_weight, covariates)
        given = None if rows.design is None else rows.design.shape[1]
        known = None if self.coefficients_ is None else len(self.coefficients_)
        if rows.offsets[-1] != len(self.value_shares_) or given != known:
            raise CouplingsError(
                f"{owner}: the data differ from those of fit; pass the same table and covariates"
            )
        posterior, _, prior = self._under(rows.values, rows.design)
        estimates = _flat(self.weights_, self.value_shares_, self.coefficients_)
        shares = len(self.weights_) + self.value_shares_.size
        if n_bootstrap:
            check_positive(owner, n_bootstrap=n_bootstrap)
            rng = generator(owner, random_state)
            part = rows.weights / rows.total
            drawn = [rng.multinomial(round(rows.total), part) for _ in range(n_bootstrap)]
            again = type(self)(**self.get_params())

            def refit(weights: np.ndarray) -> np.ndarray:
                resampled = replace(rows, weights=weights.astype(np.float64))
                found = again._climb(resampled, posterior.copy()).details
                return _flat(found["weights_"], found["value_shares_"], found["coefficients_"])

            replicates = np.array(_threaded(refit, drawn, n_jobs))
            error = replicates.std(axis=0, ddof=1)
            low, high = np.quantile(replicates, [(1 - level) / 2, (1 + level) / 2], axis=0)
        else:
            covariance = self._covariance(rows, posterior, prior)
            error = np.sqrt(np.maximum(np.diag(covariance), 0))
            error[:shares][_at_boundary(estimates[:shares])] = np.nan
            far = ndtri((1 + level) / 2) * error
            low, high = estimates - far, estimates + far
            with np.errstate(divide="ignore", invalid="ignore"):
                p = estimates[:shares]
                wide = far[:shares] / (p * (1 - p))
                low[:shares], high[:shares] = expit(logit(p) - wide), expit(logit(p) + wide)
        return self._profile(rows, np.column_stack([estimates, error, low, high]))

    def _profile(self, rows: Sample, columns: np.ndarray) -> "pd.DataFrame":
        import pandas as pd

        k, total, domains = self.n_clusters, rows.total, rows.domains
        values = [
            (name, label)
            for j, name in enumerate(domains.attributes)
            for label, share in zip(domains.labels(j), domains.shares(j), strict=True)
            if share > 0
        ]
        named: list[tuple[str, str | None, str | None]] = [("share", None, None)] * k
        named += [("value", *value) for value in values for _ in range(k)]
        w = self.weights_
        with np.errstate(invalid="ignore", divide="ignore"):
            others = (self.value_shares_ @ w)[:, None] - self.value_shares_ * w
            outside = (others / (1 - w)).ravel()
        if self.coefficients_ is not None:
            names = ["constant", *(f"z{i}" for i in range(1, len(self.coefficients_)))]
            named += [("coefficient", name, None) for name in names for _ in range(k)]
        frame = pd.DataFrame(named, columns=["kind", "attribute", "value"])
        frame.insert(0, "cluster", np.arange(len(named)) % k)
        frame.insert(1, "size", np.round(w * total).astype(np.int64)[frame["cluster"]])
        frame[["inside", "se", "low", "high"]] = columns
        frame.loc[frame["kind"] == "value", "outside"] = outside
        frame["difference"] = frame["inside"] - frame["outside"]
        order = ["cluster", "kind", "difference"]
        frame = frame.sort_values(order, ascending=[True, True, False], kind="stable")
        return frame.reset_index(drop=True)

    def _covariance(self, rows: Sample, posterior: np.ndarray, prior: np.ndarray) -> np.ndarray:
        """Return the covariance of class shares, value shares and coefficients."""
        k, shares, n_values = self.n_clusters, self.value_shares_, len(self.value_shares_)
        design = np.ones((len(rows.values), 1)) if rows.design is None else rows.design
        prior = np.broadcast_to(prior, posterior.shape)
        within = np.equal.outer(rows.attribute, rows.attribute)
        spreads = [np.where(within, np.diag(p) - np.outer(p, p), 0) for p in shares.T]
        information = observed_information(
            rows, design, prior, shares, spreads, posterior, float(self.pseudo_count)
        )
        # Columns map the free logits of the model to all logits.
        q = design.shape[1]
        moves = np.eye(len(information))
        kept = np.ones(len(information), dtype=bool)
        kept[:q] = False
        kept[q : q * k] = np.repeat(~_at_boundary(self.weights_[1:]), q)
        blocks = shares.T.ravel()
        first = q * k + n_values * np.arange(k)[:, None]
        for j, (begin, end) in enumerate(zip(rows.offsets[:-1], rows.offsets[1:], strict=True)):
            kept[first.ravel() + begin + shares[begin:end].argmax(axis=0)] = False
            if not self.relevant_[j]:
                for c in range(1, k):
                    moves[
                        first[c, 0] + np.arange(begin, end), first[0, 0] + np.arange(begin, end)
                    ] = 1
                    kept[first[c, 0] + begin : first[c, 0] + end] = False
        kept[q * k :] &= ~_at_boundary(blocks)
        if at := int(_at_boundary(np.append(blocks, self.weights_)).sum()):
            warn(
                f"{at} shares are at the boundary (0 or 1) and have no standard error; fit with "
                "pseudo_count=0.1 to keep shares inside, or set n_bootstrap=1000 for intervals",
                stacklevel=4,
            )
        moves = moves[:, kept]
        information = moves.T @ information @ moves
        scale = np.sqrt(np.maximum(np.diag(information), np.finfo(float).tiny))
        eigenvalues, vectors = np.linalg.eigh(information / np.outer(scale, scale))
        known = eigenvalues > _SINGULAR * eigenvalues.max(initial=1.0)
        cells = float(np.prod(rows.sizes.astype(np.float64))) - 1
        if not known.all() or (rows.design is None and self.n_parameters_ > cells):
            warn(
                f"the model is not identified: it has {self.n_parameters_} parameters, the table "
                f"determines at most {cells:g}, and the likelihood is flat or increases in "
                f"{np.count_nonzero(~known)} directions; use fewer classes",
                stacklevel=4,
            )
        half = moves @ (vectors[:, known] / np.sqrt(eigenvalues[known]) / scale[:, None])
        spread = _jacobian(rows, design, prior, spreads) @ half
        return spread @ spread.T

    def likelihood_ratio_test(
        self,
        X: Any,
        *,
        n_bootstrap: int = 100,
        random_state: Seed = 0,
        n_jobs: int | None = None,
    ) -> LikelihoodRatio:
        """Test this number of classes against one more by a parametric bootstrap.

        Both models are refitted by maximum likelihood to the data and to tables drawn from the
        smaller model, with equal numbers of starts. Covariates are not used. Errors are those of
        `fit`.

        Parameters
        ----------
        X
            Objects, as in `fit`; drawn tables have the same missing cells.
        n_bootstrap : int, default 100
            Number of tables drawn.
        random_state : int, SeedSequence, Generator or None, default 0
            Seed of starts and tables.
        n_jobs : int, optional
            Threads; None and -1 use all cores.

        References
        ----------
        McLachlan, Applied Statistics 36 (1987); Nylund, Asparouhov and Muthen, Structural Equation
        Modeling 14 (2007).
        """
        owner = f"{type(self).__name__}.likelihood_ratio_test"
        check_positive(owner, n_bootstrap=n_bootstrap)
        rng = generator(owner, random_state)
        given = {**self.get_params(), "pseudo_count": 0.0, "init": None, "select": False}
        models = [type(self)(**{**given, "n_clusters": self.n_clusters + more}) for more in (0, 1)]

        def statistic(rows: Sample, rng: np.random.Generator) -> tuple[float, Run]:
            runs = [[model._run(rows, rng) for _ in range(self.n_init)] for model in models]
            best = [min(own, key=attrgetter("objective")) for own in runs]
            return 2 * (best[0].objective - best[1].objective), best[0]

        rows = self._rows(X)
        holes = rows.values[rows.inverse] < 0
        found, null = statistic(rows, rng)

        def drawn(rng: np.random.Generator) -> float:
            return statistic(_drawn(rows, null, holes, rng), rng)[0]

        replicates = np.array(_threaded(drawn, rng.spawn(n_bootstrap), n_jobs))
        p = (1 + np.count_nonzero(replicates >= found)) / (1 + n_bootstrap)
        return LikelihoodRatio(found, float(p), replicates)

    def distal(
        self,
        X: Any,
        outcome: ArrayLike,
        method: str = "bch",
        *,
        sample_weight: ArrayLike | None = None,
        covariates: ArrayLike | None = None,
        level: float = 0.95,
    ) -> Outcome:
        """Estimate an outcome per class, corrected for assignment errors (three-step method).

        Objects are assigned to their most probable class, and the model gives the error rates.

        Parameters
        ----------
        X
            n objects with the attributes of `fit`.
        outcome : array_like, shape (n,)
            One number per object, to estimate means, or one label, to estimate the shares of its
            values. Objects with a missing outcome are left out.
        method : {"bch", "ml"}, default "bch"
            "bch": weight objects by the inverse of the error matrix; it assumes nothing about the
            outcome, and shares can fall below 0 or above 1. "ml": maximum likelihood with known
            errors, with numbers normal and of separate variance in each class; the outcome shifts
            the classes slightly.
        sample_weight, covariates
            As in `fit`.
        level : float, default 0.95
            Coverage of the intervals. Standard errors treat the assignment errors as known, and use
            a sandwich ("bch") or the outer product of the scores ("ml").

        Raises
        ------
        CouplingsError
            Without one outcome per object, or if classes are too similar to estimate the errors.

        References
        ----------
        Bolck, Croon and Hagenaars, Political Analysis 12 (2004); Vermunt, Political Analysis 18
        (2010); Bakk and Vermunt, Structural Equation Modeling 23 (2016).
        """
        import pandas as pd
        from scipy.stats import chi2, norm

        owner = f"{type(self).__name__}.distal"
        check_choice(owner, "method", method, ("bch", "ml"))
        check_number(owner, "level", level, above=0.0)
        posterior = self.predict_proba(X, covariates)
        n, k = posterior.shape
        y = pd.Series(np.asarray(outcome)) if not isinstance(outcome, pd.Series) else outcome
        if len(y) != n:
            raise CouplingsError(f"{owner}: {len(y)} outcomes for {n} objects; pass one per object")
        weights = check_weights(owner, sample_weight, n).astype(np.float64)
        assigned = posterior.argmax(axis=1)
        table = (posterior.T * weights) @ np.eye(k)[assigned]
        table /= table.sum(axis=1, keepdims=True)
        if np.linalg.cond(table) > 1 / _SINGULAR:
            raise CouplingsError(
                f"{owner}: a class is most probable for no object, so assignment errors cannot be "
                "estimated; use fewer classes"
            )
        present = y.notna().to_numpy()
        y, weights, assigned = y[present], weights[present], assigned[present]
        values: list[Any] = [None]
        if pd.api.types.is_numeric_dtype(y) and not pd.api.types.is_bool_dtype(y):
            columns = y.to_numpy(np.float64)[:, None]
        else:
            codes, found = pd.factorize(y.astype(str), sort=True)
            values, columns = list(found), np.eye(len(found))[codes]
        if method == "bch":
            mean, covariance = _bch(columns, np.linalg.inv(table)[assigned], weights)
        else:
            mean, covariance = _maximum_likelihood(columns, table[:, assigned].T, weights)
        error = np.sqrt(np.diag(covariance))
        far = norm.ppf((1 + level) / 2) * error
        frame = pd.DataFrame(
            {
                "cluster": np.repeat(np.arange(k), len(values)),
                "value": values * k,
                "estimate": mean.ravel(),
                "se": error,
                "low": mean.ravel() - far,
                "high": mean.ravel() + far,
            }
        )
        # All but one value of each class are compared with those of the first class.
        d = len(values)
        free = [c * d + x for c in range(1, k) for x in range(max(d - 1, 1))]
        contrast = np.eye(k * d)[free] - np.eye(k * d)[[i % d for i in free]]
        difference = contrast @ mean.ravel()
        inverse = np.linalg.pinv(contrast @ covariance @ contrast.T, hermitian=True)
        statistic = float(difference @ inverse @ difference)
        return Outcome(frame, statistic, float(chi2.sf(statistic, len(free))))


def observed_information(
    rows: Sample,
    design: np.ndarray,
    prior: np.ndarray,
    shares: np.ndarray,
    spreads: list[np.ndarray],
    posterior: np.ndarray,
    pseudo_count: float,
) -> np.ndarray:
    """Return the negative Hessian of the EM objective in all logits.

    Logits of the classes come first, coefficient by coefficient in each class, then those of the
    values, class after class. One logit of each distribution is redundant. `spreads` are the
    derivatives of the value shares of each class in their logits.
    """
    (g, k), (n_values, q) = posterior.shape, (len(shares), design.shape[1])
    first = q * k
    information = np.zeros((first + k * n_values,) * 2)
    has = (rows.values[:, rows.attribute] == np.arange(n_values)).astype(np.float64)
    filled = np.add.reduceat(has, rows.offsets[:-1], axis=1)[:, rows.attribute]
    mean = np.zeros((g, len(information)))
    weighted = rows.weights[:, None] * posterior
    for c in range(k):
        away = (np.eye(k)[c] - prior)[:, :, None] * design[:, None, :]
        score = np.hstack([away.reshape(g, -1), has - filled * shares[:, c]])
        block = np.append(np.arange(first), first + c * n_values + np.arange(n_values))
        mean[:, block] += posterior[:, c, None] * score
        information[np.ix_(block, block)] -= (score.T * weighted[:, c]) @ score
        own = slice(first + c * n_values, first + (c + 1) * n_values)
        mass = weighted[:, c] @ filled + pseudo_count * rows.sizes[rows.attribute]
        information[own, own] += mass[:, None] * spreads[c]
    information += (mean.T * rows.weights) @ mean
    information[:first, :first] += logit_information(design, prior, rows.weights)
    if rows.design is None:
        information[:k, :k] += pseudo_count * k * (np.diag(prior[0]) - np.outer(prior[0], prior[0]))
    return information


def logit_information(design: np.ndarray, prior: np.ndarray, weights: np.ndarray) -> np.ndarray:
    """Return the negative Hessian in all coefficients, class after class."""
    from scipy.linalg import block_diag

    each = (prior[:, :, None] * design[:, None, :]).reshape(len(design), -1)
    parts = [(design.T * (weights * share)) @ design for share in prior.T]
    return -(each.T * weights) @ each + block_diag(*parts)


def _jacobian(
    rows: Sample, design: np.ndarray, prior: np.ndarray, spreads: list[np.ndarray]
) -> np.ndarray:
    """Return the derivatives of class shares, value shares and coefficients in all logits."""
    k, n_values, q = prior.shape[1], len(spreads[0]), design.shape[1]
    first = q * k
    n_coefficients = 0 if rows.design is None else first
    out = np.zeros((k + k * n_values + n_coefficients, first + k * n_values))
    part = rows.weights / rows.total
    for c in range(k):
        moved = (part * prior[:, c])[:, None] * (np.eye(k)[c] - prior)
        out[c, :first] = (moved.T @ design).ravel()
        own = slice(first + c * n_values, first + (c + 1) * n_values)
        out[k + c : k + k * n_values : k, own] = spreads[c]
        if n_coefficients:
            at = k + k * n_values + c + k * np.arange(q)
            out[at, c * q + np.arange(q)] = 1.0
    return out


def _bch(
    columns: np.ndarray, inverse: np.ndarray, weights: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """Return means of shape (k, d) and their covariance; `inverse` is for each object's class."""
    mass = weights @ inverse
    mean = (inverse.T * weights) @ columns / mass[:, None]
    each = inverse[:, :, None] * (columns[:, None, :] - mean) / mass[:, None]
    flat = each.reshape(len(columns), -1)
    return mean, (flat.T * weights) @ flat


def _maximum_likelihood(
    columns: np.ndarray, errors: np.ndarray, weights: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """Return the same by maximum likelihood; `errors` are P(assigned | class) of each object."""
    from scipy.linalg import block_diag
    from scipy.stats import norm

    numbers = columns.shape[1] == 1
    n, k = errors.shape
    posterior = errors / errors.sum(axis=1, keepdims=True)
    before = -np.inf
    for _ in range(_STEPS):
        mass = weights @ posterior
        mean = (posterior.T * weights) @ columns / mass[:, None]
        if numbers:
            variance = ((posterior * (columns - mean.T) ** 2).T @ weights) / mass
            logs = norm.logpdf(columns, mean.T, np.sqrt(variance))
        else:
            logs = np.log(np.maximum(columns @ mean.T, 1e-300))
        logs = logs + np.log(errors * mass / weights.sum() + 1e-300)
        evidence = np.logaddexp.reduce(logs, axis=1)
        posterior = np.exp(logs - evidence[:, None])
        now = float(weights @ evidence)
        if now - before < 1e-10 * abs(now):
            break
        before = now
    share = mass / weights.sum()
    scores = [posterior[:, 1:] - share[1:]]
    if numbers:
        far = columns - mean.T
        scores += [posterior * far / variance, posterior * (far**2 / variance - 1) / 2]
        jacobian = np.eye(k)
    else:
        # Use the logits of all values except the most probable one of each class.
        away = posterior[:, :, None] * (columns[:, None, :] - mean)
        kept = np.arange(columns.shape[1]) != mean.argmax(axis=1)[:, None]
        kept &= ~_at_boundary(mean)
        scores.append(away.reshape(n, -1)[:, kept.ravel()])
        jacobian = block_diag(*(np.diag(p) - np.outer(p, p) for p in mean))[:, kept.ravel()]
    score = np.hstack(scores)
    covariance = np.linalg.pinv((score.T * weights) @ score, hermitian=True)
    own = slice(k - 1, k - 1 + jacobian.shape[1])
    return mean, jacobian @ covariance[own, own] @ jacobian.T


def _drawn(rows: Sample, model: Run, holes: np.ndarray, rng: np.random.Generator) -> Sample:
    """Return a table drawn from a model, with the given missing cells."""
    weights, shares = model.details["weights_"], model.details["value_shares_"]
    classes = rng.choice(len(weights), len(holes), p=weights)
    codes = np.empty(holes.shape, dtype=np.int64)
    for j, (begin, end) in enumerate(zip(rows.offsets[:-1], rows.offsets[1:], strict=True)):
        steps = np.cumsum(shares[begin : end - 1], axis=0)
        codes[:, j] = (rng.random(len(holes)) >= steps[:, classes]).sum(axis=0)
    codes[holes] = -1
    table = CategoricalTable.from_codes(codes, rows.sizes).observed()
    distinct, counts, inverse = table.distinct()
    values = np.where(distinct.codes < 0, -1, distinct.codes + table.offsets[:-1])
    return Sample(
        np.ascontiguousarray(values, dtype=np.int32),
        table.offsets,
        counts.astype(np.float64),
        inverse,
        np.ones(len(holes)),
        None,
        rows.domains,
    )


def _flat(*parts: np.ndarray | None) -> np.ndarray:
    return np.concatenate([part.ravel() for part in parts if part is not None])


def _at_boundary(shares: np.ndarray) -> np.ndarray:
    return (shares < _BOUNDARY) | (shares > 1 - _BOUNDARY)


def _threaded(work: Callable[[Any], T], items: Iterable[Any], n_jobs: int | None) -> list[T]:
    import numba

    n_threads = numba.get_num_threads() if n_jobs in (None, -1) else n_jobs
    with ThreadPoolExecutor(n_threads) as pool:
        return list(pool.map(work, items))
