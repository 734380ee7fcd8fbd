"""SpectralCAT: numbers become categories, objects diffuse over a kernel of mismatches."""

from dataclasses import dataclass
from typing import Any, Self

import numpy as np

from couplings._checks import Seed, check_choice, check_clusters, check_positive, generator
from couplings.cluster._base import MixedClustering
from couplings.cluster.kmeans import kmeans_runs
from couplings.cluster.mixed_kmeans import with_categories
from couplings.discretize import automatic_categories
from couplings.errors import CouplingsError
from couplings.mixed import Mixed, require_complete_categories
from couplings.spaces import ObjectSpace
from couplings.values import ValueMatrices

_BANDWIDTHS = {"mean": 1, "mean/4": 4, "mean/10": 10}
_MOST_ROWS = 20_000
# Below so many distinct rows all eigenvectors are computed.
_FEWEST_ROWS = 500


@dataclass(eq=False, repr=False)
class SpectralCAT(MixedClustering):
    """Spectral clustering of mixed data by automatic categorisation.

    Numeric attributes are cut by `couplings.discretize.automatic_categories`. Objects differ by
    ``H(u, v) = sum_j [x_uj != x_vj] / v_j``, v_j the number of categories. With the kernel
    ``K = exp(-H / bandwidth)`` of row sums d, the eigenvectors of ``D^-1/2 K D^-1/2`` that follow
    the first, times ``d^-1/2``, of length 1 and times their eigenvalue, are the columns that
    k-means from random objects clusters.

    Parameters
    ----------
    n_clusters : int, default 2
        Number of clusters and of eigenvectors.
    bandwidth : {"mean", "mean/4", "mean/10"}, default "mean"
        The mean of H over all pairs of different objects, or a part of it. A narrow kernel
        isolates single objects, and the others collapse into one cluster.
    random_state : int, SeedSequence, Generator or None, default None
        Seed of k-means.
    max_iter : int, default 100
        Most updates of k-means.
    n_init : int, default 10
        Starts of k-means; the one of least inertia is kept, the first of several.

    Attributes
    ----------
    labels_ : ndarray of int64, shape (n,)
        The cluster of each object.
    embedding_ : ndarray of float64, shape (n, n_clusters)
        The columns; they depend on the data only.
    eigenvalues_ : ndarray of float64, shape (n_clusters + 1,)
        Decreasing, the first is 1.
    inertia_ : float
        Sum of the squared distances of the embedded objects to their centres.
    n_iter_ : int
        Updates of k-means, in the best start.
    n_features_in_, feature_names_in_
        As in `Clustering`, of the categorical attributes and then of the numeric ones.

    Notes
    -----
    There is no `predict`: the cuts of the numbers, the kernel and the embedding belong to the
    objects of the fit, and the paper has no rule for others.

    Equal rows of categories are collapsed; the kernel of g distinct rows takes 8 g**2 bytes.
    The eigenvectors come from LAPACK or ARPACK, so their rounding depends on numpy's BLAS.

    References
    ----------
    David and Averbuch, Pattern Recognition 45 (2012). A reading of the paper, not of its code.

    Examples
    --------
    >>> import pandas as pd
    >>> from couplings import SpectralCAT
    >>> cars = pd.DataFrame({"fuel": ["gas", "gas", "oil", "oil"], "power": [55.0, 60.0, 110, 125]})
    >>> SpectralCAT(n_clusters=2, random_state=0).fit(cars).labels_.shape
    (4,)
    """

    n_clusters: int = 2
    bandwidth: str = "mean"
    random_state: Seed = None
    max_iter: int = 100
    n_init: int = 10

    @property
    def predict(self) -> Any:
        """Raise an error that says why there is none."""
        raise AttributeError(
            "SpectralCAT has no predict: its cuts, kernel and embedding belong to the objects of "
            "fit, and its paper has no rule for others; KPrototypes or MultinomialGaussianMixture "
            "have one"
        )

    def fit(self, X: Mixed, y: object = None) -> Self:
        """Embed and cluster the objects.

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
            If a parameter is out of range, if there are fewer distinct rows of categories than
            eigenvectors or more than 20,000.
        """
        check_choice("SpectralCAT", "bandwidth", self.bandwidth, tuple(_BANDWIDTHS))
        table = self._read(X)
        check_clusters("SpectralCAT", self.n_clusters, table.n_objects)
        check_positive("SpectralCAT", "max_iter", self.max_iter)
        check_positive("SpectralCAT", "n_init", self.n_init)
        rng = generator("SpectralCAT", self.random_state)
        require_complete_categories(table)
        categories = np.column_stack([automatic_categories(column) for column in table.numeric.T])
        rows, weights, inverse = with_categories(table, categories).observed().distinct()
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
        # Of the objects' full matrix: an eigenvector of the distinct rows, spread over repeats.
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
        self.inertia_, self.n_iter_ = float(runs.inertia[best]), int(runs.n_iter[best])
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
