"""Latent classes of tables larger than memory or spread over many machines."""

from dataclasses import dataclass
from typing import Any, Self

import numpy as np
from scipy.special import xlogy

from couplings._checks import check_number, check_positive, is_integer
from couplings._domains import Domains
from couplings._em import criteria_of, logs_of, settled
from couplings._kernels import learned as kernels
from couplings.errors import CouplingsError
from couplings.large.data import BatchClustering, PartitionedTable, Place
from couplings.large.sample import draw
from couplings.learned.latent_class import LatentClasses, seen_values
from couplings.reading import code_type
from couplings.table import CategoricalTable

# Uniform part of the initial shares, since a sample may lack some values.
_EVEN = 0.01


@dataclass(frozen=True, eq=False)
class _Expectation:
    """Work of a pass: posteriors of the objects and their sums."""

    is_threadsafe = True
    weights: np.ndarray
    shares: np.ndarray
    domains: Domains

    def expected(self, table: CategoricalTable) -> tuple[np.ndarray, np.ndarray, float]:
        """Return global value indices, posteriors and the log-likelihood."""
        values, _ = seen_values(table.codes, self.domains)
        n = len(values)
        posterior, evidence = np.empty((n, len(self.weights))), np.empty(n)
        likelihood = kernels.expectation(
            values,
            np.ones(n),
            logs_of(self.weights)[None],
            logs_of(self.shares),
            posterior,
            evidence,
        )
        return values, posterior, likelihood

    def __call__(self, table: CategoricalTable, place: Place) -> np.ndarray:
        """Return log-likelihood, entropy, expected class and value counts, (2 + k + L k,)."""
        values, posterior, likelihood = self.expected(table)
        counts = kernels.expected_counts(values, np.ones(len(values)), posterior, len(self.shares))
        entropy = -xlogy(posterior, posterior).sum()
        return np.concatenate([[likelihood, entropy], posterior.sum(axis=0), counts.ravel()])


@dataclass(frozen=True, eq=False)
class _Labels(_Expectation):
    """Work of the last pass: the most probable class of each object."""

    def __call__(self, table: CategoricalTable, place: Place) -> np.ndarray:
        return self.expected(table)[1].argmax(axis=1).astype(code_type(len(self.weights)))


@dataclass(eq=False, repr=False)
class BatchLatentClasses(BatchClustering):
    """Latent class analysis in passes over a table of any size.

    `LatentClasses` finds the best of its starts on a sample; from there, every pass is one EM step
    on all objects. Missing cells are refused, or are a value if the table has
    ``incomplete="value"``.

    Parameters
    ----------
    n_clusters, pseudo_count, n_init, tol, max_iter
        As in `LatentClasses`; starts use the sample, `tol` and `max_iter` apply to the passes.
    sample : int, default 10000
        Number of objects drawn for the starts, at most all.
    random_state : int, default 0
        Seed of the sample and of the starts.
    progress : bool, default False
        Whether to show a progress bar per pass.

    Attributes
    ----------
    model_ : LatentClasses
        Model of all objects, without their labels and posteriors; it predicts and scores data that
        fit into memory.
    weights_, value_shares_, log_likelihoods_, log_likelihood_, criteria_, n_iter_, converged_
        As in `LatentClasses`, for all objects; steps are passes.
    """

    _sign_of_fit = "model_"

    n_clusters: int = 2
    pseudo_count: float = 0.1
    n_init: int = 10
    tol: float = 1e-8
    max_iter: int = 1000
    sample: int = 10_000
    random_state: int = 0
    progress: bool = False

    def fit(self, X: PartitionedTable) -> Self:
        """Fit the latent classes.

        Parameters
        ----------
        X : PartitionedTable
            `LargeTable`, or a table of Dask.

        Raises
        ------
        CouplingsError
            If a parameter is out of range.
        MissingValuesError, TableError
            If `X` cannot be encoded.
        """
        owner = self._owner
        self._require_parts(X, "LatentClasses")
        check_positive(owner, n_init=self.n_init, max_iter=self.max_iter, sample=self.sample)
        for name in ("pseudo_count", "tol"):
            check_number(owner, name, getattr(self, name))
        if not is_integer(self.random_state):
            raise CouplingsError(f"{owner}: random_state={self.random_state!r} must be an integer")
        n, k, a = X.n_objects, self.n_clusters, float(self.pseudo_count)
        self._encoder = X.encoder()
        model = LatentClasses(k, a, self.n_init, None, self.random_state, self.tol)
        model.fit(draw(X, max(self.sample, k), self.random_state, self.progress))
        domains = Domains.of_counts(X.counts())
        of_sample = model._domains.share[domains.share > 0] > 0
        offsets = np.append(0, np.cumsum(domains.share > 0))[domains.offsets]
        sizes = np.diff(offsets)
        attribute = np.repeat(np.arange(len(sizes)), sizes)
        shares = np.zeros((len(attribute), k))
        shares[of_sample] = model.value_shares_
        shares = (1 - _EVEN) * shares + _EVEN / sizes[attribute, None]
        weights = model.weights_
        likelihoods: list[float] = []
        while True:
            work = _Expectation(weights, np.maximum(shares, np.finfo(float).tiny), domains)
            found = X.reduce(work, np.add, self.progress, f"pass {len(likelihoods) + 1}")
            likelihoods.append(float(found[0]))
            converged = settled(likelihoods, self.tol)
            if converged or len(likelihoods) == self.max_iter:
                break
            weights = (found[2 : 2 + k] + a) / (n + k * a)
            counts = found[2 + k :].reshape(-1, k)
            totals = np.add.reduceat(counts, offsets[:-1]) + a * sizes[:, None]
            # A class without objects keeps its shares.
            filled = totals[attribute] > 0
            shares = np.divide(counts + a, totals[attribute], out=shares.copy(), where=filled)
        p = k - 1 + k * int((sizes - 1).sum())
        criteria = criteria_of(likelihoods[-1], p, n, k, float(found[1]))
        fitted: dict[str, Any] = {
            "weights_": weights,
            "value_shares_": shares,
            "log_likelihoods_": np.array(likelihoods),
            "log_likelihood_": likelihoods[-1],
            "n_parameters_": p,
            "criteria_": criteria,
            "bic_": criteria["bic"],
            "n_iter_": len(likelihoods),
            "converged_": converged,
        }
        vars(self).update(fitted)
        vars(model).update(fitted, _domains=domains)
        # Attributes that describe the sample alone.
        for name in ("labels_", "posterior_", "relevance_", "empty_clusters_", "rank_"):
            delattr(model, name)
        self.model_, self._work = model, _Labels(work.weights, work.shares, domains)
        return self

    def predict_proba(self, X: Any) -> np.ndarray:
        """Return the posteriors of objects that fit into memory; see `LatentClasses`."""
        self._require_fit()
        return self.model_.predict_proba(X)

    def score(self, X: Any) -> float:
        """Return the mean log-likelihood of an object; larger is better.

        Parameters
        ----------
        X : PartitionedTable over the domains of `fit`, or data that `LatentClasses.score` takes
        """
        self._require_fit()
        if not isinstance(X, PartitionedTable):
            return self.model_.score(X)
        self._require_domains(X)
        work = _Expectation(self._work.weights, self._work.shares, self._work.domains)
        return float(X.reduce(work, np.add, self.progress, "score")[0]) / X.n_objects

    def _assignment(self) -> _Labels:
        return self._work
