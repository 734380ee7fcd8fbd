"""CDE: values embedded by their membership in value clusters of many granularities.

The steps of the framework (CURE) are available one by one: value influence, value clusters and
value embedding.
"""

import math
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np

from couplings._checks import check_choice, check_number
from couplings._kernels import pairs
from couplings.cluster.kmeans import Seed, kmeans_runs
from couplings.counts import CooccurrenceCounts, counts_of, symmetric_uncertainty
from couplings.errors import MeasureError
from couplings.measures.encodings import ValueEmbedding, principal_axes
from couplings.table import Objects

_BLOCK = 256
# A singular value below this share of the largest is rounding noise.
_NOISE = 1e-12


def occurrence_influence(counts: Any, influence: str = "code") -> np.ndarray:
    """Return the occurrence-based influence of each value on every other, Mo, float64 (L, L).

    With ``p`` the share of a value and ``psi`` the symmetric uncertainty of the attributes of two
    values (1 for the same attribute), entry [i, j] is

    - "printed": ``psi p_j / p_i``,
    - "transposed": ``psi p_i / p_j``,
    - "code": ``g p_i / p_j``, where g is psi if the two values occur in one object, else 1. The
      authors' program computes this form.

    Entries are not negative; the diagonal is 1.

    Parameters
    ----------
    counts : CooccurrenceCounts, or table of any kind
        Every declared value must occur.
    influence : {"code", "printed", "transposed"}, default "code"
        Interpretation of definition 1.

    Raises
    ------
    MeasureError
        If a declared value never occurs.
    CouplingsError
        If the reading is unknown.

    References
    ----------
    CDE, IJCAI 2017, definition 1, eq. 1 and 2.
    """
    counts = counts_of(counts)
    check_choice("occurrence_influence", "influence", influence, ("code", "printed", "transposed"))
    _require_observed(counts)
    attribute = np.repeat(np.arange(counts.n_attributes), counts.n_values)
    weight = symmetric_uncertainty(counts)[np.ix_(attribute, attribute)]
    if influence == "code":
        weight = np.where(counts.matrix > 0, weight, 1.0)
    frequency = counts.marginals.astype(np.float64)
    ratio = frequency[:, None] / frequency[None, :]
    return weight * (ratio.T if influence == "printed" else ratio)


def conditional_influence(counts: Any, mc_diag: int = 1) -> np.ndarray:
    """Return the co-occurrence-based influence of each value on every other, Mc, float64 (L, L).

    Entry [i, j] is the share of the objects with value i that have value j. Entries are in [0, 1],
    and 0 for different values of one attribute.

    Parameters
    ----------
    counts : CooccurrenceCounts, or table of any kind
        Every declared value must occur.
    mc_diag : {1, 0}, default 1
        The diagonal: 1 by the formula; 0 by the remark that values of one attribute never co-occur.

    Raises
    ------
    MeasureError
        If a declared value never occurs.
    CouplingsError
        If `mc_diag` is neither 1 nor 0.

    References
    ----------
    CDE, IJCAI 2017, definition 2, eq. 3.
    """
    counts = counts_of(counts)
    check_choice("conditional_influence", "mc_diag", mc_diag, (1, 0))
    _require_observed(counts)
    influence = counts.matrix / counts.marginals[:, None]
    np.fill_diagonal(influence, float(mc_diag))
    return influence


@dataclass(frozen=True, eq=False)
class Granularity:
    """Value clusters of one number of clusters k.

    Parameters
    ----------
    k : int
        Requested number of clusters.
    indicator : ndarray of float64, shape (L, c)
        1 if the value (row) is in the cluster (column); dropped clusters have no column.
    dropped : int
        Number of clusters dropped because they are tiny.
    """

    k: int
    indicator: np.ndarray
    dropped: int


def granularities(
    influence: np.ndarray, alpha: float = 10, stop: str = "code", random_state: Seed = None
) -> Iterator[Granularity]:
    """Cluster the values into k = 2, 3, ... clusters; yield one `Granularity` after the other.

    Parameters and errors are those of `value_clusters`, which joins the granularities.
    """
    check_choice("value_clusters", "stop", stop, ("code", "printed", "printed-text"))
    check_number("CDE", "alpha", alpha, above=0)
    rng = np.random.default_rng(random_state)
    n_values = len(influence)
    dropped_so_far = 0
    for k in range(2, n_values):
        labels = kmeans_runs(influence, k, [rng]).labels[0]
        sizes = np.bincount(labels, minlength=k)
        tiny = sizes == 1
        if stop == "code":
            tiny |= sizes == n_values - 1
        columns = np.flatnonzero((sizes > 0) & ~tiny)
        dropped = int(tiny.sum())
        dropped_so_far += dropped
        yield Granularity(k, (labels[:, None] == columns).astype(np.float64), dropped)
        if stop == "code":
            enough = dropped > math.ceil(np.count_nonzero(sizes) / alpha)
        elif stop == "printed":
            enough = dropped_so_far >= math.ceil((k + 1) / alpha)
        else:
            enough = dropped_so_far > (k + 1) / alpha
        if enough:
            return


def value_clusters(
    influence: np.ndarray, alpha: float = 10, stop: str = "code", random_state: Seed = None
) -> np.ndarray:
    """Cluster the values into k = 2, 3, ... clusters and drop the tiny ones.

    Parameters
    ----------
    influence : ndarray of float64, shape (L, L)
        One row per value. K-means clusters the rows, with one k-means++ start per k.
    alpha : float, default 10
        Larger values stop k earlier; positive.
    stop : {"code", "printed", "printed-text"}, default "code"
        When to drop a cluster and when to stop, by the authors' program or by the paper:

        - "code": drop clusters of one value and of all values but one. Stop when more than
          ``ceil(c / alpha)`` of the c clusters of the present k were dropped.
        - "printed": drop clusters of one value. Stop when at least ``ceil((k + 1) / alpha)``
          were dropped over all k so far (k is increased before the test).
        - "printed-text": the same, but stop when more than ``(k + 1) / alpha`` were dropped.
    random_state : int, SeedSequence, Generator or None, default None
        Seed.

    Returns
    -------
    ndarray of float64, shape (L, c)
        1 if the value (row) is in the cluster (column), in order of k, which stays below L; values
        of dropped clusters remain as rows. The matrix has no columns if the table has two values,
        or if the first k drops all its clusters.

    Raises
    ------
    MeasureError
        If `alpha` is not positive.
    CouplingsError
        If `stop` is unknown.

    References
    ----------
    CDE, IJCAI 2017, section 3.3 and algorithm 1, lines 3 to 11.
    """
    kept = [one.indicator for one in granularities(influence, alpha, stop, random_state)]
    return np.hstack([np.zeros((len(influence), 0)), *kept])


def value_embedding(indicator: np.ndarray, beta: float = 1e-10) -> np.ndarray:
    """Rotate an indicator matrix onto its principal components.

    Parameters
    ----------
    indicator : ndarray of float64, shape (L, c)
        Columns of value clusters.
    beta : float, default 1e-10
        Drop components whose range of entries is smaller.

    Returns
    -------
    ndarray of float64, shape (L, r)
        Centred indicators times the eigenvectors of their covariance, by decreasing variance.
        Distances equal those of the indicators if only null components are dropped.

    References
    ----------
    CDE, IJCAI 2017, eq. 4 and algorithm 1, lines 12 to 16.
    """
    if indicator.shape[1] == 0:
        return indicator.copy()
    centred = indicator - indicator.mean(axis=0)
    _, axes = principal_axes(centred.T @ centred / max(len(centred) - 1, 1))
    embedding = centred @ axes
    return embedding[:, np.ptp(embedding, axis=0) >= beta]


def compact_coordinates(vectors: np.ndarray, offsets: np.ndarray) -> np.ndarray:
    """Return coordinates of each attribute's value vectors in a basis of their differences.

    Parameters
    ----------
    vectors : ndarray of float64, shape (L, r)
        One row per value.
    offsets : ndarray of int64, shape (m + 1,)
        The values of attribute j are the rows ``offsets[j]`` to ``offsets[j + 1] - 1``.

    Returns
    -------
    Each attribute has its own columns, which are zero for the values of others. The sums over
    the values of two objects are as far apart as the concatenated vectors of their values.
    """
    from scipy.linalg import block_diag

    blocks = []
    for start, stop in pairwise(offsets):
        centred = vectors[start:stop] - vectors[start:stop].mean(axis=0)
        left, size, _ = np.linalg.svd(centred, full_matrices=False)
        rank = np.count_nonzero(size[: stop - start - 1] > _NOISE * size.max(initial=_NOISE))
        blocks.append(left[:, :rank] * size[:rank])
    return block_diag(*blocks)


@dataclass(eq=False, repr=False)
class CDE(ValueEmbedding):
    """Coupled data embedding: an object concatenates the embeddings of its values.

    CDE clusters values by their influence on each other at many granularities, and embeds them by
    the principal components of the cluster indicators.

    Parameters
    ----------
    alpha : float, default 10
        Controls the number of granularities, see `value_clusters`.
    beta : float, default 1e-10
        Drops components with a smaller range, see `value_embedding`.
    influence : {"code", "printed", "transposed"}, default "code"
        Interpretation used by `occurrence_influence`.
    stop : {"code", "printed", "printed-text"}, default "code"
        Interpretation used by `value_clusters`.
    mc_diag : {1, 0}, default 1
        Diagonal of `conditional_influence`.
    random_state : int, SeedSequence, Generator or None, default None
        Seed of the value clusters, which make the embedding random.
    missing, unknown
        As in `ValueMeasure`.

    Attributes
    ----------
    indicator_ : ndarray of float64, shape (L, c)
        Value clusters, those of Mc before those of Mo. Values that never occur are in none.
    value_embedding_ : ndarray of float64, shape (L, r)
        Embedded values; rows of values that never occur are NaN. r can be 0 (see Notes).
    value_coordinates_ : ndarray of float64, shape (L, q)
        The same in the form of `compact_coordinates`; see `compact`.
    value_matrices_, space_, n_features_in_
        As for every `Encoding`.

    Notes
    -----
    All value clusters can be dropped, most often with ``stop="printed"``. Then r is 0,
    `transform` returns no columns, and all objects are at distance 0. `fit` does not raise; the
    caller decides whether that counts as a failed run.

    Theorem 1 of the paper (two values differ in Mo or in Mc) fails if two attributes partition the
    objects alike, for example if an attribute is duplicated.

    References
    ----------
    CDE, IJCAI 2017, algorithm 1.

    Examples
    --------
    >>> from couplings import CDE
    >>> rows = [["step", "wide", "hub"], ["step", "wide", "rim"], ["sport", "slim", "rim"]]
    >>> CDE(random_state=0).fit(rows).pairwise(rows).round(2)
    array([[0.  , 2.  , 5.29],
           [2.  , 0.  , 4.9 ],
           [5.29, 4.9 , 0.  ]])
    """

    alpha: float = 10
    beta: float = 1e-10
    influence: str = "code"
    stop: str = "code"
    mc_diag: int = 1
    random_state: Seed = None

    def _vectors(self, counts: CooccurrenceCounts) -> np.ndarray:
        observed, seen = of_observed(counts)
        rng = np.random.default_rng(self.random_state)
        matrices = (
            conditional_influence(observed, self.mc_diag),
            occurrence_influence(observed, self.influence),
        )
        indicator = np.hstack(
            [value_clusters(matrix, self.alpha, self.stop, rng) for matrix in matrices]
        )
        embedding = value_embedding(indicator, self.beta)
        coordinates = compact_coordinates(embedding, observed.offsets)
        self.indicator_ = spread(indicator, seen, 0.0)
        self.value_embedding_ = spread(embedding, seen, np.nan)
        return spread(coordinates, seen, np.nan)

    def bandwidth(self, X: Objects, sigma: str = "mean") -> float:
        """Return a width of the Gaussian affinity of embedded objects (CDE-G).

        The width is the float sigma in ``exp(-D^2 / (2 sigma^2))``, not negative. The paper does
        not state the one it used. Pairs of distinct rows are streamed, without storing their
        matrix. Errors are those of `transform`; `CouplingsError` also if the rule is unknown.

        Parameters
        ----------
        X : CategoricalTable, DataFrame or array_like, shape (n, m)
            At least two objects, with values that `fit` has seen.
        sigma : {"mean", "dim", "median"}, default "mean"
            "mean": mean distance over all ordered pairs, including each object with itself. "dim":
            root of the number of value clusters. "median": median distance of distinct objects.

        References
        ----------
        CDE, IJCAI 2017, section 5.2.
        """
        check_choice("CDE.bandwidth", "sigma", sigma, ("mean", "dim", "median"))
        if sigma == "dim":
            return math.sqrt(self.indicator_.shape[1])
        (objects,), extras = self._tables(X, None)
        space = self._space_with(self.space_, extras)
        n = objects.n_objects
        if sigma == "median":
            from couplings.cluster.density_peaks import order_statistic, rows_of_categories

            rows, n_pairs = rows_of_categories(objects, space), n * (n - 1) // 2
            middle = {(n_pairs + 1) // 2, n_pairs // 2 + 1}
            return float(np.mean([order_statistic(rows, rank) for rank in middle]))
        distinct, weights, _ = objects.distinct()
        squares = space.matrices
        codes = distinct.codes.astype(np.int32, order="F")
        sums = pairs.root_sum(
            codes.shape[0] * codes.size,
            codes,
            weights,
            squares.data,
            squares.starts,
            squares.offsets,
            _BLOCK,
        )
        return 2.0 * float(sums.sum()) / n**2


def _require_observed(counts: CooccurrenceCounts) -> None:
    unseen = np.count_nonzero(counts.marginals == 0)
    if unseen:
        raise MeasureError(
            f"{unseen} declared value(s) never occur, so they have no influence to compute; "
            "count the table that CategoricalTable.observed() returns"
        )


def of_observed(counts: CooccurrenceCounts) -> tuple[CooccurrenceCounts, np.ndarray]:
    """Return the counts of the values that occur, and the mask of these values."""
    seen = counts.marginals > 0
    offsets = np.concatenate([[0], np.cumsum(seen)])[counts.offsets].astype(np.int64)
    matrix = np.ascontiguousarray(counts.matrix[np.ix_(seen, seen)])
    return CooccurrenceCounts(matrix, offsets, counts.n_objects), seen


def spread(rows: np.ndarray, seen: np.ndarray, fill: float) -> np.ndarray:
    """Return the rows placed at the values that occur, with `fill` elsewhere."""
    result = np.full((len(seen), rows.shape[1]), fill)
    result[seen] = rows
    return result
