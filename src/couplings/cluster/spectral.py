"""Spectral clustering of categorical objects without a matrix of all pairs of objects."""

from dataclasses import dataclass
from typing import Any, Self

import numpy as np

from couplings._checks import (
    Seed,
    check_choice,
    check_clusters,
    check_positive,
    generator,
    is_number,
    threads,
)
from couplings._kernels import counting
from couplings._renamed import renamed
from couplings.cluster._base import (
    Given,
    MeasuredClustering,
    blocks,
    refuse_target,
    space_of,
    warn_of_clusters,
)
from couplings.cluster._eigen import leading
from couplings.cluster._farthest import largest_dissimilarity, summed
from couplings.cluster.kmeans import KMeans, kmeans_runs, nearest_centers
from couplings.errors import MeasureError
from couplings.spaces import CentredSpace, ObjectSpace
from couplings.table import CategoricalTable, require_complete
from couplings.values import ValueMatrices

AFFINITIES = ("one-minus", "exp-mean", "gauss-mean", "gauss", "inverse", "identity")
VARIANTS = ("njw", "sym", "rw")


# Directions below this share of the largest eigenvalue lie outside the range of B.
_RANK = 1e-10
# Eigenvalues of the normalised affinity up to this are 0; their eigenvectors are arbitrary.
_POSITIVE = 1e-12
_EXPONENTIAL = ("exp-mean", "gauss-mean", "gauss")
# Number of rows of a matrix of all pairs that are processed at a time.
_ROWS = 64


@dataclass(frozen=True, eq=False)
class SpectralEmbedding:
    """Eigenvectors of an affinity over the distinct objects.

    Parameters
    ----------
    rows : ndarray of float64, shape (g, k)
        One row per distinct object.
    weights : ndarray of int64, shape (g,)
        Number of occurrences of each distinct object.
    inverse : ndarray of int64, shape (n,)
        Index of the distinct object of each object.
    eigenvalues : ndarray of float64, shape (k,)
        Eigenvalues of the normalised affinity, decreasing.
    reduced : bool
        Whether the problem was solved over the values instead of the distinct objects.
    degree : ndarray of float64, shape (g,)
        Row sums of the affinity over all objects.
    lengths : ndarray of float64, shape (g,)
        Lengths of the rows before scaling to length 1; 1 without scaling.
    scale : float
        Divisor of the dissimilarities; 1 without one.
    gap : float
        Gap between the last eigenvalue and the next one left out, as a share of the largest; NaN
        if the next one was not computed. At rounding level (1e-9 or less), the last eigenvector is
        not unique.
    """

    rows: np.ndarray
    weights: np.ndarray
    inverse: np.ndarray
    eigenvalues: np.ndarray
    reduced: bool
    degree: np.ndarray
    lengths: np.ndarray
    scale: float
    gap: float

    @property
    def margin(self) -> float:
        """The smaller of `gap` and the shortest of the `lengths` as a share of the longest.

        Rows of length 0 do not count. At rounding level, rounding can decide the rows.
        """
        lengths = self.lengths[self.lengths > 0]
        shortest = lengths.min() / lengths.max() if len(lengths) else np.inf
        return float(np.fmin(self.gap, shortest))


def spectral_embedding(
    table: CategoricalTable,
    matrices: Given,
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
        The dissimilarity D; value matrices alone are summed.
    affinity : {"one-minus", "exp-mean", "gauss-mean", "gauss", "inverse", "identity"}
        S is ``1 - D / max D``; ``exp(-D / a)`` or ``exp(-D^2 / (2 a^2))`` with a the mean of D
        over all pairs with D > 0; ``exp(-D^2 / (2 bandwidth^2))``; ``1 / (1 + D)``; or D itself,
        which then must be a similarity that is a sum over the attributes.
    k : int
        Number of eigenvectors, at least 1.
    variant : {"njw", "sym", "rw"}, default "njw"
        "sym": the eigenvectors of ``d^-1/2 S d^-1/2`` for the k largest eigenvalues, with d the row
        sums of S including its diagonal. "njw": the same with rows scaled to length 1. "rw": the
        same with rows divided by the root of d (eigenvectors of the random walk).
    bandwidth : float, optional
        For "gauss"; positive. `CDE.bandwidth` proposes widths.

    Returns
    -------
    SpectralEmbedding

    Raises
    ------
    MissingValuesError
        If a cell is missing.
    MeasureError
        If the dissimilarity does not match the table, is 0 for all objects although the affinity
        divides by it, or leaves an object without affinity to others; if k exceeds the number of
        distinct objects; or if "identity" gets a dissimilarity that is not a sum.
    CouplingsError
        If an option is unknown, or the bandwidth is missing, superfluous or not positive.

    Notes
    -----
    Equal objects share one row, weighted by their number. That is exact, but leaves out
    eigenvectors that separate equal objects (their eigenvalue is 0).

    If S is a sum over the attributes, ``S = Z A Z'`` with the indicators Z of the values
    ("one-minus" of a sum, "identity"). If also k eigenvalues are positive, the problem reduces
    exactly to the size of the number of values: with ``B = d^-1/2 Z`` and an orthonormal basis
    ``Q = B R`` of its range, the eigenvectors of ``B A B'`` are Q times those of ``Q' B A B' Q``.
    Otherwise the affinity of all pairs of distinct objects is decomposed, by
    Lanczos iterations if they are many.

    References
    ----------
    Ng, Jordan and Weiss, NIPS 2001 ("njw"); Shi and Malik, PAMI 22 (2000) ("rw"); von Luxburg,
    Statistics and Computing 17 (2007).
    """
    check_choice("spectral_embedding", "affinity", affinity, AFFINITIES)
    check_choice("spectral_embedding", "variant", variant, VARIANTS)
    if (affinity == "gauss") != (bandwidth is not None) or (
        bandwidth is not None and not (is_number(bandwidth) and 0 < bandwidth < np.inf)
    ):
        raise MeasureError(
            f"spectral_embedding: affinity={affinity!r} with bandwidth={bandwidth}; 'gauss' "
            "needs a positive bandwidth, the other affinities take none"
        )
    space = space_of(matrices)
    require_complete(table)
    own = space.space if isinstance(space, CentredSpace) else space
    if not np.array_equal(table.n_values, own.matrices.n_values):
        raise MeasureError(
            f"the table declares {table.n_values.tolist()} values per attribute, but the value "
            f"matrices have {own.matrices.n_values.tolist()}; encode both with the same domains"
        )
    if affinity == "identity" and space.link != "sum":
        raise MeasureError("spectral_embedding: 'identity' needs a similarity with link 'sum'")
    distinct, weights, inverse = table.distinct()
    check_clusters("spectral_embedding", k, distinct.n_objects, "k", "distinct objects")
    summed = space.matrices if isinstance(space, ObjectSpace) and space.link == "sum" else None
    additive = affinity in ("one-minus", "identity")
    solved, scale = None, 1.0
    if summed is not None and additive:
        form = summed
        if affinity == "one-minus":
            scale = _divisor(largest_dissimilarity(distinct, summed))
            parts = 1.0 / table.n_attributes - summed.data / scale
            form = ValueMatrices(parts, summed.offsets)
        solved = _reduced(distinct, weights, form, k)
    reduced = solved is not None
    if solved is None:
        distances = space.pairwise(distinct)
        scale = _scale(distances, weights, affinity, bandwidth)
        # whether the dissimilarity of a pair is bitwise equal in both orders
        mirrored = isinstance(space, ObjectSpace) and all(
            np.array_equal(block, block.T) for block in space.matrices.blocks
        )
        # Computing an exponential takes longer than writing a number twice.
        turn = _affinities_of_pairs if mirrored and affinity in _EXPONENTIAL else affinities
        solved = _decomposed(turn(distances, affinity, scale), weights, k, mirrored)
    eigenvalues, vectors, degree, gap = solved
    rows = vectors / np.sqrt(weights)[:, None]
    lengths = np.ones(len(rows))
    if variant == "njw":
        length = np.linalg.norm(rows, axis=1, keepdims=True)
        lengths = length[:, 0]
        rows = np.divide(rows, length, out=np.zeros_like(rows), where=length > 0)
    elif variant == "rw":
        rows /= np.sqrt(degree)[:, None]
    return SpectralEmbedding(
        rows, weights, inverse, eigenvalues, reduced, degree, lengths, scale, gap
    )


@renamed(inertia_="objective_")
@dataclass(eq=False, repr=False)
class CategoricalSpectral(MeasuredClustering):
    """Spectral clustering with any measure of categorical objects.

    Parameters
    ----------
    n_clusters : int, default 2
        Number of clusters and of eigenvectors.
    affinity : str, default "one-minus"
        Affinity computed from the dissimilarity, see `spectral_embedding`.
    variant : {"njw", "sym", "rw"}, default "njw"
        Choice of eigenvectors, see `spectral_embedding`.
    kmeans_init : {"plus", "sample", "greedy"}, default "sample"
        Initialisation of k-means on the embedded objects, see `kmeans_runs`.
    bandwidth : float, optional
        For the affinity "gauss".
    random_state : int, SeedSequence, Generator or None, default None
        Seed of k-means.
    measure : str or measure, default "simple_matching"
        Dissimilarity of the objects: a name (see `measure_names`) or an instance, which is copied
        and fitted; for the affinity "identity" a similarity, such as `Caso`. Rules for missing
        cells and unseen values are parameters of the measure.
    n_init : int, default 10
        Number of k-means starts; the one with the lowest inertia is kept.
    n_jobs : int, optional
        Maximum number of threads; None and -1 use all cores.
    missing, unknown : str, optional
        Rules for missing cells and unseen values, see `ValueMeasure`; they replace those of the
        measure.

    Attributes
    ----------
    labels_ : ndarray of int64, shape (n,)
        Cluster of each object; equal objects share one.
    embedding_ : SpectralEmbedding
        The embedding that k-means clusters.
    cluster_centers_ : ndarray of float64, shape (k, k)
        Centres of k-means.
    objective_ : float
        Sum of the squared distances of the embedded objects to their centres.
    n_iter_ : int
        Number of centre updates in the best start.
    margin_ : float
        The smaller of the gap of the embedding and the margin of the best start, see
        `SpectralEmbedding` and `KMeansRuns`.
    measure_ : measure
        The fitted measure; None if matrices were given.
    n_features_in_, feature_names_in_
        As in `Clustering`.

    Examples
    --------
    >>> from couplings import CategoricalSpectral
    >>> cars = [["vw", "gas"], ["vw", "gas"], ["vw", "oil"], ["bmw", "oil"], ["bmw", "oil"]]
    >>> spectral = CategoricalSpectral(n_clusters=2, random_state=0).fit(cars)
    >>> bool((spectral.predict(cars) == spectral.labels_).all())
    True
    """

    takes = "space"

    n_clusters: int = 2
    affinity: str = "one-minus"
    variant: str = "njw"
    kmeans_init: str = "sample"
    bandwidth: float | None = None
    random_state: Seed = None
    measure: Any = "simple_matching"
    n_init: int = 10
    n_jobs: int | None = None
    missing: str | None = None
    unknown: str | None = None

    def fit(self, X: Any, y: object = None, *, matrices: Given | None = None) -> Self:
        """Cluster objects.

        Parameters
        ----------
        X : CategoricalTable, data frame or array_like, shape (n, m)
            Labels in any form that `CategoricalTable.from_any` reads.
        y : object, ignored
        matrices : ValueMatrices, ObjectSpace or fitted measure, optional
            Dissimilarity of a `CategoricalTable`; replaces the measure.

        Raises
        ------
        MissingValuesError
            If a cell is missing and the measure has no rule for it.
        CouplingsError
            As `spectral_embedding` and `kmeans_runs`.
        """
        refuse_target("CategoricalSpectral", y, "matrices")
        check_positive("CategoricalSpectral", n_init=self.n_init)
        rng = generator("CategoricalSpectral", self.random_state)
        table, space = self._learn(X, matrices, similarity=self.affinity == "identity")
        check_clusters("CategoricalSpectral", self.n_clusters, table.n_objects)
        with threads("CategoricalSpectral", self.n_jobs):
            found = spectral_embedding(
                table, space, self.affinity, self.n_clusters, self.variant, self.bandwidth
            )
            runs = kmeans_runs(
                found.rows,
                self.n_clusters,
                # In sequence, from the same generator.
                [rng] * self.n_init,
                init=self.kmeans_init,
                weights=found.weights,
            )
        best = int(runs.inertia.argmin())
        self.embedding_ = found
        self.labels_ = runs.labels[best][found.inverse]
        warn_of_clusters(self._owner, self.labels_, self.n_clusters)
        self.cluster_centers_ = runs.centers[best]
        self.objective_, self.n_iter_ = float(runs.inertia[best]), int(runs.n_iter[best])
        self.margin_ = float(np.fmin(runs.margin[best], found.gap))
        return self

    def embed(self, table: CategoricalTable, matrices: Given) -> tuple[SpectralEmbedding, KMeans]:
        """Return the embedding of objects, and the k-means that clusters its rows.

        Parameters and errors are those of `spectral_embedding`.
        """
        rows = spectral_embedding(
            table, matrices, self.affinity, self.n_clusters, self.variant, self.bandwidth
        )
        return rows, KMeans(self.n_clusters, init=self.kmeans_init)

    def predict(self, X: Any) -> np.ndarray:
        """Return the nearest centre of objects in the embedding, int64 of shape (n,).

        The Nystroem extension embeds new objects: their coordinates are the sums of those of the
        fitted objects, weighted by affinity. Fitted objects keep their coordinates.

        Parameters and errors are those of `KModes.predict`.
        """
        self._require_fit()
        new, old, space = self._together(X, self._train.distinct()[0])
        with threads("CategoricalSpectral", self.n_jobs):
            parts = [
                self._extended(affinities(distances, self.affinity, self.embedding_.scale))
                for _, distances in blocks(new, old, space)
            ]
        return nearest_centers(np.ascontiguousarray(np.concatenate(parts)), self.cluster_centers_)

    def _extended(self, similarity: np.ndarray) -> np.ndarray:
        """Return the coordinates of objects from their affinities to the distinct fitted ones."""
        made = self.embedding_
        degree = similarity @ made.weights
        # An object without any affinity is placed at the origin.
        degree = np.where(degree > 0, degree, np.inf)
        # The eigenvectors themselves, up to the length of the rows.
        root = np.sqrt(made.degree)[:, np.newaxis]
        vectors = made.rows * made.lengths[:, np.newaxis]
        if self.variant == "rw":
            vectors *= root
        solid = np.abs(made.eigenvalues) > _POSITIVE
        rows = (similarity @ (vectors / root * made.weights[:, np.newaxis])) / np.where(
            solid, made.eigenvalues, np.inf
        )
        rows /= np.sqrt(degree)[:, np.newaxis]
        if self.variant == "rw":
            return rows / np.sqrt(degree)[:, np.newaxis]
        if self.variant == "njw":
            length = np.linalg.norm(rows, axis=1, keepdims=True)
            return np.divide(rows, length, out=np.zeros_like(rows), where=length > 0)
        return rows


def _reduced(
    distinct: CategoricalTable, weights: np.ndarray, affinity: ValueMatrices, k: int
) -> tuple[np.ndarray, np.ndarray, np.ndarray, float] | None:
    """Solve over the values; return None if fewer than k eigenvalues are positive."""
    offsets = affinity.offsets
    codes = distinct.codes.astype(np.int32, order="F")
    form = affinity.to_dense()
    marginals = np.concatenate(
        [
            np.bincount(column, weights, minlength=v)
            for column, v in zip(codes.T, distinct.n_values, strict=True)
        ]
    )
    degree = _checked_degree(summed(codes, offsets, form @ marginals))
    gram = np.zeros(form.shape)
    attribute_pairs = np.column_stack(np.triu_indices(distinct.n_attributes))
    counting.scatter(
        len(codes) * len(attribute_pairs), codes, weights / degree, attribute_pairs, offsets, gram
    )
    counting.mirror(gram)
    solved = solve_over_values(gram, form, k)
    if solved is None:
        return None
    values, parts, after = solved
    rows = summed(codes, offsets, parts) * np.sqrt(weights / degree)[:, None]
    return values, rows, degree, float((values[-1] - after) / values[0])


def solve_over_values(
    gram: np.ndarray, form: np.ndarray, k: int
) -> tuple[np.ndarray, np.ndarray, float] | None:
    """Solve the reduced problem; return None if fewer than k eigenvalues are positive.

    Parameters
    ----------
    gram : ndarray of float64, shape (L, L)
        ``B' B``, with B the value indicators divided by the roots of the degrees.
    form : ndarray of float64, shape (L, L)
        Affinities of the values, block-diagonal.
    k : int
        Number of eigenvalues.

    Returns
    -------
    eigenvalues : ndarray of float64, shape (k,), decreasing
    parts : ndarray of float64, shape (L, k)
        Contribution of each value to the eigenvectors of its objects, before division by the
        root of the degree.
    after : float
        The eigenvalue after the last; 0 if it is negative, as outside the range.
    """
    # Columns of B have length 1, so that rare values do not spoil the condition number.
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
    after = max(0.0, float(values[-k - 1])) if len(values) > k else 0.0
    values, vectors = values[::-1][:k], vectors[:, ::-1][:, :k]
    parts = np.zeros((len(form), k))
    parts[seen] = axes @ (vectors / spread[:, None]) / length[:, None]
    return values, parts, after


def _scale(
    distances: np.ndarray, weights: np.ndarray, affinity: str, bandwidth: float | None
) -> float:
    """Return the divisor of the dissimilarities of distinct objects in an affinity."""
    if affinity == "one-minus":
        return _divisor(float(distances.max()))
    if affinity in _EXPONENTIAL:
        return bandwidth or _divisor(_mean_positive(distances, weights))
    return 1.0


def affinities(distances: np.ndarray, affinity: str, scale: float) -> np.ndarray:
    """Convert dissimilarities to affinities, in place; return `distances`.

    Parameters
    ----------
    distances : ndarray of float64
        Overwritten.
    affinity : str
        As in `spectral_embedding`.
    scale : float
        Divisor of the dissimilarities.
    """
    if affinity == "one-minus":
        distances /= -scale
        distances += 1.0
    elif affinity == "inverse":
        distances += 1.0
        np.reciprocal(distances, out=distances)
    elif affinity == "exp-mean":
        distances /= -scale
        np.exp(distances, out=distances)
    elif affinity != "identity":
        distances /= scale
        np.square(distances, out=distances)
        distances *= -0.5
        np.exp(distances, out=distances)
    return distances


def _affinities_of_pairs(distances: np.ndarray, affinity: str, scale: float) -> np.ndarray:
    """Apply `affinities` to a symmetric matrix, computing each pair once."""
    for first in range(0, len(distances), _ROWS):
        after = min(first + _ROWS, len(distances))
        upper = affinities(distances[first:after, first:], affinity, scale)
        distances[after:, first:after] = upper[:, after - first :].T
    return distances


def _mean_positive(distances: np.ndarray, weights: np.ndarray) -> float:
    """Return the weighted mean of the positive entries, or 0 if none is positive."""
    total = n_pairs = 0.0
    for row, weight in zip(distances, weights, strict=True):
        total += weight * float(row @ weights)
        n_pairs += weight * float(weights[row > 0].sum())
    return total / n_pairs if n_pairs else 0.0


def _divisor(scale: float) -> float:
    if scale == 0:
        raise MeasureError(
            "spectral_embedding: all objects are at dissimilarity 0 and cannot be separated; "
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
    similarity: np.ndarray, weights: np.ndarray, k: int, mirrored: bool
) -> tuple[np.ndarray, np.ndarray, np.ndarray, float]:
    """Solve over the distinct objects; return eigenvalues, eigenvectors, degrees and gap."""
    # Overwrites the affinity of the objects (`mirrored` or not).
    degree = _checked_degree(similarity @ weights.astype(np.float64))
    scale = np.sqrt(weights / degree)
    if not mirrored:
        similarity *= scale[:, None]
        similarity *= scale
    values, vectors, gap = leading(similarity, k, scale if mirrored else None)
    return values, vectors, degree, gap
