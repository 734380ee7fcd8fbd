"""SpectralCAT: categorised numbers, and diffusion of objects over a kernel of mismatches."""

from dataclasses import dataclass
from typing import Any, Literal, Self

import numpy as np

from couplings._checks import Seed, check_choice, check_clusters, check_positive, generator, limited
from couplings._renamed import renamed
from couplings.cluster._base import MixedClustering, warn_of_clusters
from couplings.cluster.kmeans import kmeans_runs
from couplings.discretize import automatic_categories
from couplings.errors import CouplingsError
from couplings.mixed import Mixed, with_categories
from couplings.spaces import ObjectSpace
from couplings.values import ValueMatrices

_BANDWIDTHS = {"mean": 1, "mean/4": 4, "mean/10": 10}
_MOST_ROWS = 20_000
# Below this many distinct rows all eigenvectors are computed.
_FEWEST_ROWS = 500


@renamed(inertia_="objective_")
@dataclass(eq=False, repr=False)
class SpectralCAT(MixedClustering):
    """Spectral clustering of mixed data by automatic categorisation.

    Numeric attributes are cut by `couplings.discretize.automatic_categories`. The dissimilarity is
    ``H(u, v) = sum_j [x_uj != x_vj] / v_j``, with v_j the number of categories. The kernel
    ``K = exp(-H / bandwidth)`` has row sums d. The embedding consists of the eigenvectors of
    ``D^-1/2 K D^-1/2`` after the first, times ``d^-1/2``, scaled to length 1 and multiplied by
    their eigenvalues. k-means from random objects clusters its rows.

    Parameters
    ----------
    n_clusters : int, default 2
        Number of clusters and of eigenvectors.
    bandwidth : {"mean", "mean/4", "mean/10"}, default "mean"
        The mean of H over all pairs of distinct objects, or a fraction of it. A narrow kernel
        isolates single objects, while the others collapse into one cluster.
    random_state : int, SeedSequence, Generator or None, default None
        Seed of k-means.
    max_iter : int, default 100
        Maximum number of centre updates of k-means.
    n_init : int, default 10
        Number of k-means starts; the first with the lowest inertia is kept.
    missing : {"raise", "value"}, default "raise"
        Rule for missing categories: refuse them, or treat them as one more value.
    n_jobs : int, optional
        Maximum number of threads; None and -1 use all cores.

    Attributes
    ----------
    labels_ : ndarray of int64, shape (n,)
        Cluster of each object.
    embedding_ : ndarray of float64, shape (n, n_clusters)
        The embedded objects; they depend on the data only.
    eigenvalues_ : ndarray of float64, shape (n_clusters + 1,)
        Eigenvalues in decreasing order; the first is 1.
    objective_ : float
        Sum of the squared distances of the embedded objects to their centres.
    n_iter_ : int
        Number of centre updates in the best start.
    n_features_in_, feature_names_in_
        As in `Clustering`: categorical attributes first, then numeric ones.

    Notes
    -----
    The class has no `predict`: the cuts of the numbers, the kernel and the embedding depend on the
    fitted objects, and the paper gives no rule for new ones.

    Equal rows of categories are collapsed; the kernel of g distinct rows takes 8 g**2 bytes.
    The eigenvectors come from LAPACK or ARPACK, so their rounding depends on numpy's BLAS.

    References
    ----------
    David and Averbuch, Pattern Recognition 45 (2012). Based on the paper, not on its code.

    Examples
    --------
    >>> import pandas as pd
    >>> from couplings.cluster import SpectralCAT
    >>> cars = pd.DataFrame({"fuel": ["gas", "gas", "oil", "oil"], "power": [55.0, 60.0, 110, 125]})
    >>> SpectralCAT(n_clusters=2, random_state=0).fit(cars).labels_.shape
    (4,)
    """

    n_clusters: int = 2
    bandwidth: str = "mean"
    random_state: Seed = None
    max_iter: int = 100
    n_init: int = 10
    missing: Literal["raise", "value"] = "raise"
    n_jobs: int | None = None

    @property
    def predict(self) -> Any:
        """Raise an error that says why there is none."""
        raise AttributeError(
            "SpectralCAT has no predict: its cuts, kernel and embedding belong to the objects of "
            "fit, and its paper has no rule for others; KPrototypes or MultinomialGaussianMixture "
            "have one"
        )

    @limited
    def fit(self, X: Mixed, y: object = None) -> Self:
        """Embed and cluster the objects.

        Parameters
        ----------
        X : MixedTable or DataFrame
            n objects without missing cells.
        y : object, ignored

        Raises
        ------
        MissingValuesError
            If a cell is missing.
        CouplingsError
            If a parameter is out of range, or if the distinct rows of categories are fewer than the
            eigenvectors or more than 20,000.
        """
        check_choice("SpectralCAT", "bandwidth", self.bandwidth, tuple(_BANDWIDTHS))
        table = self._read(X)
        check_clusters("SpectralCAT", self.n_clusters, table.n_objects)
        check_positive("SpectralCAT", max_iter=self.max_iter, n_init=self.n_init)
        rng = generator("SpectralCAT", self.random_state)
        cut = with_categories(table, automatic_categories)
        rows, weights, inverse = cut.observed().distinct()
        g, n = rows.n_objects, table.n_objects
        if not self.n_clusters < g <= _MOST_ROWS:
            raise CouplingsError(
                f"SpectralCAT: {g} distinct rows of categories; {self.n_clusters + 1} "
                f"eigenvectors need at least as many rows, and the limit is {_MOST_ROWS}"
            )
        kernel = ObjectSpace(
            ValueMatrices.from_blocks([(1 - np.eye(v)) / v for v in rows.n_values]), "sum"
        ).pairwise(rows)
        mean = float(weights @ (kernel @ weights)) / (n * (n - 1))
        kernel *= -_BANDWIDTHS[self.bandwidth] / mean
        np.exp(kernel, out=kernel)
        degree = kernel @ weights
        root = np.sqrt(weights / degree)
        kernel *= root
        kernel *= root[:, np.newaxis]
        values, vectors = _leading(kernel, self.n_clusters + 1)
        # Eigenvectors of the full matrix: those of the distinct rows, spread over repeats.
        vectors = vectors / np.sqrt(weights * degree)[:, np.newaxis]
        vectors /= np.sqrt(weights @ vectors**2)
        self.eigenvalues_ = values
        self.embedding_ = (vectors[:, 1:] * values[1:])[inverse]
        runs = kmeans_runs(
            self.embedding_,
            self.n_clusters,
            [rng] * self.n_init,
            init="sample",
            max_iter=self.max_iter,
        )
        best = int(runs.inertia.argmin())
        self.labels_ = runs.labels[best]
        warn_of_clusters("SpectralCAT", self.labels_, self.n_clusters)
        self.objective_, self.n_iter_ = float(runs.inertia[best]), int(runs.n_iter[best])
        return self


def _leading(matrix: np.ndarray, k: int) -> tuple[np.ndarray, np.ndarray]:
    """Return the k largest eigenvalues, decreasing, and their eigenvectors in columns."""
    g = len(matrix)
    if g < _FEWEST_ROWS or k > g // 4:
        from scipy.linalg import eigh

        values, vectors = eigh(matrix, subset_by_index=[g - k, g - 1])
    else:
        from scipy.sparse.linalg import eigsh

        start = np.random.default_rng(0).random(g)
        values, vectors = eigsh(matrix, k, which="LA", v0=start)
    order = np.argsort(-values, kind="stable")
    return values[order], vectors[:, order]
