"""Spectral clustering of categorical objects, without a matrix over all pairs of objects."""

from dataclasses import dataclass
from typing import Self

import numpy as np

from couplings._kernels import counting, pairs
from couplings._params import Params, check_choice
from couplings.cluster.kmeans import KMeans, Seed
from couplings.errors import MeasureError
from couplings.measures.base import ValueMeasure
from couplings.space import ObjectSpace
from couplings.table import CategoricalTable, require_complete
from couplings.values import ValueMatrices

AFFINITIES = ("one-minus", "exp-mean", "gauss-mean", "gauss", "inverse", "identity")
VARIANTS = ("njw", "sym", "rw", "unnorm")

Dissimilarity = ValueMatrices | ObjectSpace | ValueMeasure

# Directions with less than this share of the largest eigenvalue are outside the range of B.
_RANK = 1e-10
# Eigenvalues of the normalised affinity up to this are 0: their vectors are arbitrary.
_POSITIVE = 1e-12
# Up to this many rows a full decomposition is as fast as Lanczos iterations.
_DENSE = 1000


@dataclass(frozen=True, eq=False)
class SpectralEmbedding:
    """Eigenvectors of an affinity, for the distinct objects.

    Parameters
    ----------
    rows : ndarray of float64, shape (g, k)
        One row per distinct object.
    weights : ndarray of int64, shape (g,)
        How often each occurs.
    inverse : ndarray of int64, shape (n,)
        The distinct object of each object.
    eigenvalues : ndarray of float64, shape (k,)
        Of the normalised affinity, decreasing; for "unnorm" of the Laplacian, increasing.
    reduced : bool
        Whether the problem was solved over the values instead of the distinct objects.
    """

    rows: np.ndarray
    weights: np.ndarray
    inverse: np.ndarray
    eigenvalues: np.ndarray
    reduced: bool

    @property
    def objects(self) -> np.ndarray:
        """One row per object, float64 of shape (n, k)."""
        return self.rows[self.inverse]


def spectral_embedding(
    table: CategoricalTable,
    matrices: Dissimilarity,
    affinity: str,
    k: int,
    variant: str = "njw",
    bandwidth: float | None = None,
) -> SpectralEmbedding:
    """Embed objects by the leading eigenvectors of their affinity S.

    Parameters
    ----------
    table : CategoricalTable
        n objects without missing cells.
    matrices : ValueMatrices, ObjectSpace or fitted measure
        The dissimilarity D; value matrices alone are summed up.
    affinity : {"one-minus", "exp-mean", "gauss-mean", "gauss", "inverse", "identity"}
        S is ``1 - D / max D``, ``exp(-D / a)`` or ``exp(-D^2 / (2 a^2))`` with a the mean of D
        over all pairs with D > 0, ``exp(-D^2 / (2 bandwidth^2))``, ``1 / (1 + D)``, or D itself,
        which then has to be a similarity that is a sum over the attributes.
    k : int
        Number of eigenvectors, at least 1.
    variant : {"njw", "sym", "rw", "unnorm"}, default "njw"
        "sym": the k eigenvectors of ``d^-1/2 S d^-1/2`` with the largest eigenvalues, d the row
        sums of S, its diagonal included. "njw": their rows scaled to length 1. "rw": their rows
        divided by the root of d (eigenvectors of the random walk). "unnorm": the k eigenvectors
        of ``diag(d) - S`` with the smallest eigenvalues.
    bandwidth : float, optional
        For "gauss", positive. `CDE.bandwidth` proposes widths.

    Returns
    -------
    SpectralEmbedding

    Raises
    ------
    MissingValuesError
        If a cell is missing.
    MeasureError
        If the dissimilarity does not fit the table, is 0 for all objects where the affinity
        divides by it, or gives an object no affinity to any; if k exceeds the number of distinct
        objects; or if "identity" meets a dissimilarity that is no sum.
    CouplingsError
        If an option is unknown, or the bandwidth is missing, superfluous or not positive.

    Notes
    -----
    Equal objects share one row, weighted by their number: that is exact, except that eigenvectors
    which tell equal objects apart (their eigenvalue is 0, for "unnorm" the degree) are left out.

    If S is a sum over the attributes, ``S = Z A Z'`` with the indicators Z of the values
    ("one-minus" of a sum, "identity"), and if k eigenvalues are positive, the problem reduces
    without loss to one of the size of the number of values: with ``B = d^-1/2 Z`` and an
    orthonormal basis ``Q = B R`` of its range, the eigenvectors of ``B A B'`` are Q times those of
    ``Q' B A B' Q``. Otherwise ("unnorm" always) an affinity of all pairs of distinct objects is
    decomposed, by Lanczos iterations if they are many.

    References
    ----------
    Ng, Jordan and Weiss, NIPS 2001 ("njw"); Shi and Malik, PAMI 22 (2000) ("rw"); von Luxburg,
    Statistics and Computing 17 (2007).
    """
    check_choice("spectral_embedding", "affinity", affinity, AFFINITIES)
    check_choice("spectral_embedding", "variant", variant, VARIANTS)
    if (affinity == "gauss") != (bandwidth is not None) or (
        bandwidth is not None and bandwidth <= 0
    ):
        raise MeasureError(
            f"spectral_embedding: affinity={affinity!r} with bandwidth={bandwidth}; the affinity "
            "'gauss' needs a positive bandwidth, the others take none"
        )
    space = _object_space(matrices)
    require_complete(table)
    if not np.array_equal(table.n_values, space.matrices.n_values):
        raise MeasureError(
            f"the table declares {table.n_values.tolist()} values per attribute, the value "
            f"matrices have {space.matrices.n_values.tolist()}; encode both with the same domains"
        )
    if affinity == "identity" and space.link != "sum":
        raise MeasureError("spectral_embedding: 'identity' takes a similarity of link 'sum'")
    distinct, weights, inverse = table.distinct()
    if not 1 <= k <= distinct.n_objects:
        raise MeasureError(
            f"spectral_embedding: k={k} is not between 1 and the number of distinct objects, "
            f"{distinct.n_objects}"
        )
    additive = space.link == "sum" and affinity in ("one-minus", "identity")
    solved = None
    if additive and variant != "unnorm":
        solved = _reduced(distinct, weights, _additive_affinity(distinct, space, affinity), k)
    reduced = solved is not None
    if not reduced:
        similarity = _affinity(space.pairwise(distinct), weights, affinity, bandwidth)
        solved = _decomposed(similarity, weights, k, variant)
    eigenvalues, vectors, degree = solved
    rows = vectors / np.sqrt(weights)[:, None]
    if variant == "njw":
        length = np.linalg.norm(rows, axis=1, keepdims=True)
        rows = np.divide(rows, length, out=np.zeros_like(rows), where=length > 0)
    elif variant == "rw":
        rows /= np.sqrt(degree)[:, None]
    return SpectralEmbedding(rows, weights, inverse, eigenvalues, reduced)


class CategoricalSpectral(Params):
    """Spectral clustering with any dissimilarity of categorical objects.

    Parameters
    ----------
    n_clusters : int, default 2
        Number of clusters, and of eigenvectors.
    affinity : str, default "one-minus"
        How the dissimilarity becomes an affinity, see `spectral_embedding`.
    variant : {"njw", "sym", "rw", "unnorm"}, default "njw"
        Which eigenvectors, see `spectral_embedding`.
    kmeans_init : {"plus", "sample", "greedy"}, default "sample"
        Start of the k-means on the embedded objects, see `kmeans_runs`.
    bandwidth : float, optional
        For the affinity "gauss".
    random_state : int, SeedSequence, Generator or None, default None
        Seed of the k-means.

    Attributes
    ----------
    labels_ : ndarray of int64, shape (n,)
        Cluster of each object; equal objects share one.
    embedding_ : SpectralEmbedding
        What k-means has clustered.
    """

    def __init__(
        self,
        n_clusters: int = 2,
        affinity: str = "one-minus",
        variant: str = "njw",
        kmeans_init: str = "sample",
        bandwidth: float | None = None,
        random_state: Seed = None,
    ) -> None:
        self.n_clusters = n_clusters
        self.affinity = affinity
        self.variant = variant
        self.kmeans_init = kmeans_init
        self.bandwidth = bandwidth
        self.random_state = random_state

    def fit(self, X: CategoricalTable, matrices: Dissimilarity) -> Self:
        """Cluster objects.

        Parameters
        ----------
        X : CategoricalTable
            n objects without missing cells.
        matrices : ValueMatrices, ObjectSpace or fitted measure
            Their dissimilarity.

        Raises
        ------
        CouplingsError
            As `spectral_embedding` and `kmeans_runs`.
        """
        self.embedding_ = spectral_embedding(
            X, matrices, self.affinity, self.n_clusters, self.variant, self.bandwidth
        )
        means = KMeans(self.n_clusters, self.kmeans_init, self.random_state)
        labels = means.fit_predict(self.embedding_.rows, sample_weight=self.embedding_.weights)
        self.labels_ = labels[self.embedding_.inverse]
        return self

    def fit_predict(self, X: CategoricalTable, matrices: Dissimilarity) -> np.ndarray:
        """Cluster objects and return their labels; see `fit`."""
        return self.fit(X, matrices).labels_


def largest_dissimilarity(table: CategoricalTable, matrices: ValueMatrices) -> float:
    """Return the largest summed dissimilarity of two objects, without storing any pair.

    Parameters
    ----------
    table : CategoricalTable
        Objects without missing cells; distinct rows are enough.
    matrices : ValueMatrices
        Dissimilarities, not negative.

    Returns
    -------
    float
        0 if there is no positive one. Bit by bit the maximum of ``ObjectSpace.pairwise``.
    """
    blocks = [matrices.block(j) for j in range(matrices.n_attributes)]
    farthest = np.concatenate([block.max(axis=1, initial=0.0) for block in blocks])
    reach = _summed(table.codes, matrices.offsets, farthest)
    order = np.argsort(-reach, kind="stable")
    codes = np.ascontiguousarray(table.codes[order], dtype=np.int32)
    starts, offsets = matrices.starts, matrices.offsets
    return float(pairs.largest(codes, reach[order], matrices.data, starts, offsets))


def _object_space(matrices: Dissimilarity) -> ObjectSpace:
    if isinstance(matrices, ValueMatrices):
        return ObjectSpace(matrices, "sum")
    if isinstance(matrices, ValueMeasure):
        return matrices._fitted_space()
    return matrices


def _additive_affinity(
    distinct: CategoricalTable, space: ObjectSpace, affinity: str
) -> ValueMatrices:
    """Return the A_j whose sums are the affinity."""
    if affinity == "identity":
        return space.matrices
    largest = _divisor(largest_dissimilarity(distinct, space.matrices))
    offsets = space.matrices.offsets
    return ValueMatrices(1.0 / (len(offsets) - 1) - space.matrices.data / largest, offsets)


def _reduced(
    distinct: CategoricalTable, weights: np.ndarray, affinity: ValueMatrices, k: int
) -> tuple[np.ndarray, np.ndarray, np.ndarray] | None:
    """Solve the problem over the values; None if fewer than k eigenvalues are positive.

    Return the eigenvalues, the eigenvectors over the distinct objects and their degrees.
    """
    offsets = affinity.offsets
    codes = np.asfortranarray(distinct.codes, dtype=np.int32)
    form = affinity.to_dense()
    marginals = np.concatenate(
        [
            np.bincount(column, weights, minlength=v)
            for column, v in zip(codes.T, distinct.n_values, strict=True)
        ]
    )
    degree = _checked_degree(_summed(codes, offsets, form @ marginals))
    gram = np.zeros(form.shape)
    attribute_pairs = np.column_stack(np.triu_indices(distinct.n_attributes))
    counting.scatter(codes, weights / degree, attribute_pairs, offsets, gram)
    counting.mirror(gram)
    solved = solve_over_values(gram, form, k)
    if solved is None:
        return None
    values, parts = solved
    rows = _summed(codes, offsets, parts) * np.sqrt(weights / degree)[:, None]
    return values, rows, degree


def solve_over_values(
    gram: np.ndarray, form: np.ndarray, k: int
) -> tuple[np.ndarray, np.ndarray] | None:
    """Solve the reduced problem; None if fewer than k eigenvalues are positive.

    Parameters
    ----------
    gram : ndarray of float64, shape (L, L)
        ``B' B``, with B the indicators of the values over the roots of the degrees.
    form : ndarray of float64, shape (L, L)
        Affinities of the values, block-diagonal.
    k : int
        Number of eigenvalues.

    Returns
    -------
    eigenvalues : ndarray of float64, shape (k,), decreasing
    parts : ndarray of float64, shape (L, k)
        What each value adds to the eigenvectors of its objects, before the root of the degree.
    """
    # Columns of B scaled to length 1, so that rare values do not spoil the condition.
    length = np.sqrt(gram.diagonal())
    seen = np.flatnonzero(length > 0)
    length = length[seen]
    spread, axes = np.linalg.eigh(gram[np.ix_(seen, seen)] / np.outer(length, length))
    kept = spread > _RANK * spread[-1]
    spread, axes = np.sqrt(spread[kept]), axes[:, kept]
    root = length[:, None] * axes * spread
    values, vectors = np.linalg.eigh(root.T @ form[np.ix_(seen, seen)] @ root)
    if np.count_nonzero(values > _POSITIVE) < k:
        return None
    values, vectors = values[::-1][:k], vectors[:, ::-1][:, :k]
    parts = np.zeros((len(form), k))
    parts[seen] = axes @ (vectors / spread[:, None]) / length[:, None]
    return values, parts


def _summed(codes: np.ndarray, offsets: np.ndarray, parts: np.ndarray) -> np.ndarray:
    """Return, for each row of codes, the sum of the parts of its values."""
    total = parts[offsets[0] + codes[:, 0]]
    for column, offset in zip(codes.T[1:], offsets[1:-1], strict=True):
        total += parts[offset + column]
    return total


def _affinity(
    distances: np.ndarray, weights: np.ndarray, affinity: str, bandwidth: float | None
) -> np.ndarray:
    """Turn dissimilarities of distinct objects into affinities, in place."""
    if affinity == "one-minus":
        distances /= -_divisor(float(distances.max()))
        distances += 1.0
    elif affinity == "inverse":
        distances += 1.0
        np.reciprocal(distances, out=distances)
    elif affinity == "exp-mean":
        distances /= -_divisor(_mean_positive(distances, weights))
        np.exp(distances, out=distances)
    elif affinity != "identity":
        scale = bandwidth or _divisor(_mean_positive(distances, weights))
        distances /= scale
        np.square(distances, out=distances)
        distances *= -0.5
        np.exp(distances, out=distances)
    return distances


def _mean_positive(distances: np.ndarray, weights: np.ndarray) -> float:
    """Return the weighted mean of the positive entries, 0 if there are none."""
    total = n_pairs = 0.0
    for row, weight in zip(distances, weights, strict=True):
        total += weight * float(row @ weights)
        n_pairs += weight * float(weights[row > 0].sum())
    return total / n_pairs if n_pairs else 0.0


def _divisor(scale: float) -> float:
    if scale == 0:
        raise MeasureError(
            "spectral_embedding: all objects are at dissimilarity 0, so nothing tells them apart; "
            "choose another measure"
        )
    return scale


def _checked_degree(degree: np.ndarray) -> np.ndarray:
    if not (degree > 0).all():
        raise MeasureError(
            f"spectral_embedding: {np.count_nonzero(~(degree > 0))} distinct object(s) have no "
            "positive affinity to the others; choose another affinity"
        )
    return degree


def _decomposed(
    similarity: np.ndarray, weights: np.ndarray, k: int, variant: str
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Solve the problem over the distinct objects, overwriting their affinity.

    Return the eigenvalues, the eigenvectors over the distinct objects and their degrees.
    """
    degree = _checked_degree(similarity @ weights.astype(np.float64))
    scale = np.sqrt(weights if variant == "unnorm" else weights / degree)
    similarity *= scale[:, None]
    similarity *= scale
    if variant == "unnorm":
        similarity[np.diag_indices_from(similarity)] -= degree
        values, vectors = _leading(similarity, k)
        return -values, vectors, degree
    values, vectors = _leading(similarity, k)
    return values, vectors, degree


def _leading(matrix: np.ndarray, k: int) -> tuple[np.ndarray, np.ndarray]:
    """Return the k largest eigenvalues, decreasing, and their eigenvectors."""
    from scipy.linalg import eigh
    from scipy.sparse.linalg import ArpackNoConvergence, eigsh

    size = len(matrix)
    if size > max(_DENSE, 10 * k):
        # A fixed start makes the result reproducible.
        start = np.random.default_rng(0).standard_normal(size)
        try:
            values, vectors = eigsh(matrix, k, which="LA", v0=start, ncv=max(20, 3 * k))
        except ArpackNoConvergence:
            pass
        else:
            order = np.argsort(-values, kind="stable")
            return values[order], vectors[:, order]
    values, vectors = eigh(
        matrix, subset_by_index=[size - k, size - 1], overwrite_a=True, check_finite=False
    )
    return values[::-1], vectors[:, ::-1]
