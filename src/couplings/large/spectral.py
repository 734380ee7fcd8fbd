"""Additive spectral clustering of a table larger than memory."""

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Any, Literal, Self

import numpy as np

from couplings._kernels import counting
from couplings._renamed import renamed
from couplings.cluster._base import space_of
from couplings.cluster._farthest import farthest_values, largest_of_rows, summed
from couplings.cluster.kmeans import kmeans_runs
from couplings.cluster.kmodes import check_matrices
from couplings.cluster.spectral import solve_over_values
from couplings.errors import CouplingsError, MeasureError
from couplings.large.data import BatchClustering, PartitionedTable, Place, Work
from couplings.large.sample import draw
from couplings.measures.base import ValueMeasure
from couplings.reading import code_type
from couplings.spaces import ObjectSpace
from couplings.table import CategoricalTable
from couplings.values import ValueMatrices

MOST_CANDIDATES = 200_000


@dataclass(frozen=True, eq=False)
class _Largest:
    """Work of a pass: the largest dissimilarity, and the objects that may exceed it elsewhere."""

    matrices: ValueMatrices
    farthest: np.ndarray

    def __call__(self, table: CategoricalTable, place: Place) -> tuple[float, np.ndarray]:
        return self._pruned(0.0, table.codes)

    def combine(
        self, one: tuple[float, np.ndarray], other: tuple[float, np.ndarray]
    ) -> tuple[float, np.ndarray]:
        return self._pruned(max(one[0], other[0]), np.concatenate([one[1], other[1]]))

    def _pruned(self, top: float, codes: np.ndarray) -> tuple[float, np.ndarray]:
        # Only an object whose largest distance exceeds `top` can be in a farther pair.
        codes = codes[self._reach(codes) > top]
        if not len(codes):
            return top, codes
        codes = np.unique(codes, axis=0)
        reach = self._reach(codes)
        top = max(top, largest_of_rows(codes, self.matrices, reach))
        codes = codes[reach > top]
        if len(codes) > MOST_CANDIDATES:
            raise CouplingsError(
                f"the largest dissimilarity may belong to any of {len(codes)} distinct objects, "
                "too many to compare; pass it as `largest` (any upper bound works)"
            )
        return top, codes

    def _reach(self, codes: np.ndarray) -> np.ndarray:
        return summed(codes, self.matrices.offsets, self.farthest)


def _gram(
    degree_of: np.ndarray, offsets: np.ndarray, table: CategoricalTable, place: Place
) -> np.ndarray:
    """Work of a pass: upper triangle of the co-occurrences weighted by inverse degrees."""
    degree = summed(table.codes, offsets, degree_of)
    if not (degree > 0).all():
        raise MeasureError(
            f"{np.count_nonzero(~(degree > 0))} object(s) have no positive affinity to the "
            "others; choose another affinity"
        )
    gram = np.zeros((int(offsets[-1]),) * 2)
    attribute_pairs = np.column_stack(np.triu_indices(len(offsets) - 1))
    work = table.n_objects * len(attribute_pairs)
    counting.scatter(work, table.codes, 1.0 / degree, attribute_pairs, offsets, gram)
    return gram


def _embedded(
    parts: np.ndarray, degree_of: np.ndarray, offsets: np.ndarray, variant: str, codes: np.ndarray
) -> np.ndarray:
    """Return the rows of the embedding, float64 of shape (n, d)."""
    degree = summed(codes, offsets, degree_of)[:, None]
    rows = summed(codes, offsets, parts)
    if variant == "rw":
        return rows / degree
    rows = rows / np.sqrt(degree)
    if variant == "njw":
        length = np.linalg.norm(rows, axis=1, keepdims=True)
        rows = np.divide(rows, length, out=np.zeros_like(rows), where=length > 0)
    return rows


Embed = Callable[[np.ndarray], np.ndarray]


def _lloyd(embed: Embed, centers: np.ndarray, table: CategoricalTable, place: Place) -> np.ndarray:
    """Work of a k-means pass: sums of the rows, sizes, squared distances, (k, d + 2)."""
    rows = embed(table.codes)
    labels, squares = _nearest(rows, centers)
    k = len(centers)
    columns = [*rows.T, np.ones(len(rows)), squares]
    return np.column_stack([np.bincount(labels, column, k) for column in columns])


def _labels(embed: Embed, centers: np.ndarray, table: CategoricalTable, place: Place) -> np.ndarray:
    """Work of the last pass: the nearest centre of each object."""
    return _nearest(embed(table.codes), centers)[0].astype(code_type(len(centers)))


def _nearest(rows: np.ndarray, centers: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    from scipy.spatial.distance import cdist

    squares = cdist(rows, centers, "sqeuclidean")
    labels = squares.argmin(axis=1)
    return labels, squares[np.arange(len(labels)), labels]


@renamed(inertia_="objective_")
@dataclass(eq=False, repr=False)
class BatchSpectral(BatchClustering):
    """Spectral clustering with an additive affinity, in passes over a table of any size.

    The affinity is ``S = Z A Z'`` with the indicators Z of the values. Its eigenvectors are
    computed over the values, as in `spectral_embedding`: one pass sums the weighted co-occurrences,
    and a row of the embedding is a sum over the values of an object. k-means starts from its result
    on a random sample and continues with passes over all objects.

    Parameters
    ----------
    n_clusters : int, default 2
        Number of clusters and of eigenvectors.
    affinity : {"one-minus", "identity"}, default "one-minus"
        As in `spectral_embedding`.
    variant : {"njw", "sym", "rw"}, default "njw"
        As in `spectral_embedding`.
    kmeans_init : {"plus", "sample", "greedy"}, default "sample"
        Initialisation of k-means on the sample.
    sample : int, default 100000
        Number of objects in the sample. If it covers the table, the clusters equal those of
        `CategoricalSpectral`.
    largest : float, optional
        Divisor of the affinity "one-minus". Default: the largest dissimilarity of two objects,
        computed in a separate pass.
    max_iter : int, default 100
        Maximum number of k-means passes.
    random_state : int, default 0
        Seed of the sample and of k-means.
    progress : bool, default False
        Whether to show a progress bar per pass.

    Attributes
    ----------
    eigenvalues_ : ndarray of float64, shape (k,)
        Eigenvalues of the normalised affinity, decreasing.
    centers_ : ndarray of float64, shape (k, k)
        Centres of the clusters in the embedding.
    objective_ : float
        Sum of the squared distances of the objects to their centres.
    sizes_ : ndarray of int64, shape (k,)
        Number of objects in each cluster.
    n_iter_ : int
        Number of k-means passes over all objects.
    """

    _sign_of_fit = "centers_"

    n_clusters: int = 2
    affinity: Literal["one-minus", "identity"] = "one-minus"
    variant: Literal["njw", "sym", "rw"] = "njw"
    kmeans_init: str = "sample"
    sample: int = 100_000
    largest: float | None = None
    max_iter: int = 100
    random_state: int = 0
    progress: bool = False

    def fit(self, X: PartitionedTable, matrices: ValueMatrices | ValueMeasure) -> Self:
        """Fit the embedding and the centres.

        Parameters
        ----------
        X : PartitionedTable
            `LargeTable`, or a table of Dask.
        matrices : ValueMatrices or fitted measure
            Dissimilarities (for "identity": similarities) that add up over the attributes.

        Raises
        ------
        MeasureError
            If they do not add up, do not match the table, are all 0, or leave an object without
            affinity; or if fewer than k eigenvalues are positive.
        CouplingsError
            If an option is unknown or out of range.
        """
        self._require_parts(X, "CategoricalSpectral")
        space = space_of(matrices)
        if not isinstance(space, ObjectSpace) or space.link != "sum":
            raise MeasureError(
                f"these dissimilarities do not add up over the attributes (link {space.link!r}), "
                "so they need all pairs; use a measure with link 'sum', or SampleAndAssign"
            )
        values = space.matrices
        check_matrices([len(domain) for domain in X.categories], values)
        form = self._affinity(X, values).to_dense()
        offsets = values.offsets
        degree_of = form @ X.counts().marginals
        gram = X.reduce(partial(_gram, degree_of, offsets), np.add, self.progress, "affinity")
        counting.mirror(gram)
        solved = solve_over_values(gram, form, self.n_clusters)
        if solved is None:
            raise MeasureError(
                f"fewer than {self.n_clusters} eigenvalues of the affinity are positive; use "
                "fewer clusters or another measure"
            )
        self.eigenvalues_, parts, _ = solved
        self._embed = partial(_embedded, parts, degree_of, offsets, self.variant)
        self._encoder = X.encoder()
        self._cluster(X)
        return self

    def _affinity(self, X: PartitionedTable, values: ValueMatrices) -> ValueMatrices:
        if self.affinity == "identity":
            return values
        largest = self.largest
        if largest is None:
            search = _Largest(values, farthest_values(values))
            largest, _ = X.reduce(search, search.combine, self.progress, "largest")
        if not largest > 0:
            raise MeasureError(
                "all objects are at dissimilarity 0 and cannot be separated; choose another measure"
            )
        return ValueMatrices(1.0 / values.n_attributes - values.data / largest, values.offsets)

    def _cluster(self, X: PartitionedTable) -> None:
        """Compute the centres on a sample, then in passes over all objects."""
        distinct, weights, _ = draw(X, self.sample, self.random_state, self.progress).distinct()
        # Weighted distinct rows, in the form that CategoricalSpectral clusters.
        runs = kmeans_runs(
            self._embed(distinct.codes),
            self.n_clusters,
            [self.random_state],
            init=self.kmeans_init,
            weights=weights,
        )
        centers = runs.centers[0]
        d = centers.shape[1]
        self.n_iter_ = 0
        for _ in range(self.max_iter):
            self.n_iter_ += 1
            work = partial(_lloyd, self._embed, centers)
            total = X.reduce(work, np.add, self.progress, f"pass {self.n_iter_}")
            sizes = total[:, d]
            renewed = np.where(
                sizes[:, None] > 0, total[:, :d] / np.maximum(sizes, 1)[:, None], centers
            )
            self.sizes_, self.objective_ = sizes.astype(np.int64), float(total[:, d + 1].sum())
            # Sums in another order than on the sample move a centre by rounding only.
            if np.allclose(renewed, centers, rtol=0.0, atol=1e-12):
                break
            centers = renewed
        self.centers_ = centers

    def embed(self, X: Any) -> np.ndarray:
        """Return the embedded rows of objects that fit into memory, shape (n, k)."""
        self._require_fit()
        return self._embed(self._table(X).codes)

    def _assignment(self) -> Work[np.ndarray]:
        return partial(_labels, self._embed, self.centers_)
