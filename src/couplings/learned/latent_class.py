"""Latent class analysis: a mixture of independent multinomials, and how many classes it has."""

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from couplings._checks import check_number, check_positive
from couplings._kernels import learned as kernels
from couplings.errors import CouplingsError
from couplings.learned.clustering import Data, LearnedClustering, NumpySeed, Rows, Run

# A probability of 0 counts as this, so that logarithms stay finite.
_LEAST_SHARE = 1e-300


@dataclass(eq=False, repr=False)
class LatentClasses(LearnedClustering):
    """Latent class analysis by expectation maximisation.

    An object belongs to class c with probability w_c; within a class the attributes are
    independent, with ``theta_cj(x)`` the share of value x. With the posteriors R and a pseudo-count
    a, a step is ``w_c = (sum_u R_uc + a) / (n + k a)`` and
    ``theta_cj(x) = (sum over u with x of R_uc + a) / (sum_u R_uc + a v_j)``.

    Parameters
    ----------
    n_clusters : int, default 2
        Number of classes, k.
    pseudo_count : float, default 0.1
        a, at least 0; 0 is maximum likelihood.
    n_init : int, default 1
        Number of starts; the best has the largest log-likelihood, plus ``a`` times the sum of all
        log shares and log weights, which is what the steps climb.
    init : array_like of float, shape (n, k), optional
        First posteriors, rows that sum to 1, instead of random ones.
    random_state : int, SeedSequence, Generator or None, default None
        Seed. The first posteriors of each different row are uniform on the simplex (Dirichlet 1).
    tol : float, default 1e-8
        Stop when the log-likelihood gains less than `tol` times its size.
    max_iter : int, default 1000
        Most steps.

    Attributes
    ----------
    labels_ : ndarray of int64, shape (n,)
        Class of largest posterior, the first of several.
    posterior_ : ndarray of float64, shape (n, k)
        Rows sum to 1.
    weights_ : ndarray of float64, shape (k,)
        Shares of the classes.
    value_shares_ : ndarray of float64, shape (L, k)
        theta, attribute after attribute, of the values that occur, in code order.
    log_likelihoods_ : ndarray of float64, shape ``(n_iter_,)``
        Log-likelihood after each step, without the pseudo-count's part. With a = 0 it never falls.
    log_likelihood_ : float
        The last of them.
    bic_ : float
        ``-2 log_likelihood_ + p ln n`` with ``p = k - 1 + k sum_j (v_j - 1)``; p also counts shares
        that ended at the boundary 0.
    objective_ : float
        Minus what the steps climb.
    n_iter_ : int
        Steps.
    empty_clusters_ : ndarray of int64
        Classes that no object is most likely in.

    Notes
    -----
    Values that never occur are left out. A class of weight 0, possible only with a = 0, keeps its
    shares; a run with an empty class is as good as any other.

    References
    ----------
    Goodman, Biometrika 61 (1974); Schwarz, Annals of Statistics 6 (1978).
    """

    n_clusters: int = 2
    pseudo_count: float = 0.1
    n_init: int = 1
    init: ArrayLike | None = None
    random_state: NumpySeed = None
    tol: float = 1e-8
    max_iter: int = 1000

    _emptied_counts = False

    def _check(self, owner: str, rows: Rows) -> None:
        super()._check(owner, rows)
        check_positive(owner, "max_iter", self.max_iter)
        check_number(owner, "pseudo_count", self.pseudo_count)
        check_number(owner, "tol", self.tol)

    def _start(self, rows: Rows, rng: np.random.Generator) -> np.ndarray:
        """Return the first posteriors of the rows, shape (g, k)."""
        k = self.n_clusters
        if self.init is None:
            return rng.dirichlet(np.ones(k), len(rows.values))
        given = np.asarray(self.init, dtype=np.float64)
        shape = (rows.n_objects, k)
        if given.shape != shape or not (given >= 0).all() or not np.allclose(given.sum(axis=1), 1):
            raise CouplingsError(
                f"LatentClasses: init must be posteriors of shape {shape}, rows that sum to 1, "
                f"not an array of shape {given.shape}"
            )
        # Equal rows count by the mean of their posteriors, in every sum of the first step.
        means = np.zeros((len(rows.values), k))
        np.add.at(means, rows.inverse, given)
        return means / rows.weights[:, None]

    def _run(self, rows: Rows, rng: np.random.Generator) -> Run:
        n, k, a = rows.n_objects, self.n_clusters, float(self.pseudo_count)
        v = np.diff(rows.offsets)
        attribute = rows.attribute
        posterior = np.ascontiguousarray(self._start(rows, rng))
        shares = np.full((rows.n_values, k), 1.0)
        likelihoods: list[float] = []
        while len(likelihoods) < self.max_iter:
            weights = (rows.weights @ posterior + a) / (n + k * a)
            counts = kernels.expected_counts(rows.values, rows.weights, posterior, rows.n_values)
            totals = np.add.reduceat(counts, rows.offsets[:-1]) + a * v[:, None]
            filled = totals[attribute] > 0
            shares = np.divide(counts + a, totals[attribute], out=shares, where=filled)
            with np.errstate(divide="ignore"):
                log_weights = np.log(weights)
            log_shares = np.log(np.maximum(shares, _LEAST_SHARE))
            likelihoods.append(
                kernels.expectation(rows.values, rows.weights, log_weights, log_shares, posterior)
            )
            if len(likelihoods) > 1:
                before, now = likelihoods[-2:]
                if now - before < self.tol * abs(now):
                    break
        climbed = likelihoods[-1]
        if a > 0:
            climbed += a * float(log_shares.sum() + log_weights.sum())
        p = k - 1 + k * int((v - 1).sum())
        return Run(
            posterior.argmax(axis=1)[rows.inverse],
            -climbed,
            len(likelihoods),
            {
                "posterior_": posterior[rows.inverse],
                "weights_": weights,
                "value_shares_": shares,
                "log_likelihoods_": np.array(likelihoods),
                "log_likelihood_": likelihoods[-1],
                "bic_": -2 * likelihoods[-1] + p * float(np.log(n)),
            },
        )


def classes_by_bic(
    X: Data, most: int, random_state: NumpySeed = None, **parameters: Any
) -> tuple[LatentClasses, np.ndarray]:
    """Fit 1, 2, ... latent classes and return the number that BIC prefers.

    Parameters
    ----------
    X : CategoricalTable or DataFrame
        n objects.
    most : int
        Largest number of classes, at most n.
    random_state : int, SeedSequence, Generator or None, default None
        Seed of all fits.
    **parameters
        Other parameters of `LatentClasses`.

    Returns
    -------
    best : LatentClasses
        Fitted, of least BIC, the fewest classes of several.
    bic : ndarray of float64, shape (most,)
        BIC of 1 to `most` classes.

    Raises
    ------
    CouplingsError
        As `LatentClasses.fit`.
    """
    check_positive("classes_by_bic", "most", most)
    rng = np.random.default_rng(random_state)
    fits = [
        LatentClasses(k, random_state=rng, **parameters).fit(X) for k in range(1, int(most) + 1)
    ]
    bic = np.array([vars(fit)["bic_"] for fit in fits])
    return fits[int(bic.argmin())], bic
