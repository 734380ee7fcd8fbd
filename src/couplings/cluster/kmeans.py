"""k-means by Lloyd's iterations from single starts."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike

from couplings._checks import (
    Seed,
    check_choice,
    check_clusters,
    check_positive,
    counted_weights,
    generator,
    limited,
    real_numbers,
)
from couplings._kernels import lloyd
from couplings._renamed import renamed
from couplings._weights import present_only
from couplings.cluster._base import Clustering, warn_of_clusters
from couplings.errors import CouplingsError

STARTS = ("plus", "sample", "greedy")


@dataclass(frozen=True, eq=False)
class KMeansRuns:
    """Results of several k-means runs.

    Parameters
    ----------
    labels : ndarray of int64, shape (s, n)
        The cluster of each row, 0 to k - 1, in each run.
    centers : ndarray of float64, shape (s, k, d)
        Centres of the clusters in `labels`.
    inertia : ndarray of float64, shape (s,)
        Weighted sum of squared distances to the own centre.
    n_iter : ndarray of int64, shape (s,)
        Number of updates of the centres.
    margin : ndarray of float64, shape (s,)
        Smallest relative difference, over all rows and passes, between the squared distances to the
        nearest and to the second nearest centre. Ties, which the order of the centres decides, do
        not count. At rounding level (1e-9 or less), another machine may give other clusters.
    """

    labels: np.ndarray
    centers: np.ndarray
    inertia: np.ndarray
    n_iter: np.ndarray
    margin: np.ndarray


def kmeans_runs(
    X: ArrayLike,
    n_clusters: int,
    random_states: Sequence[Seed],
    *,
    init: str | ArrayLike = "plus",
    weights: ArrayLike | None = None,
    max_iter: int = 100,
) -> KMeansRuns:
    """Cluster the same rows from several starts.

    Each run equals that of `KMeans` with the same seed; the runs share the cores.

    Parameters
    ----------
    X : array_like of float, shape (n, d)
        Finite, with at least one column.
    n_clusters : int
        Number of clusters, 1 to the number of objects.
    random_states : sequence of int, SeedSequence, Generator or None
        One seed per run.
    init : {"plus", "sample", "greedy"} or array_like of float, shape (k, d), default "plus"
        "plus": k-means++, which draws every next centre with probability proportional to the
        squared distance to the nearest earlier one. "sample": k distinct objects at random.
        "greedy": k-means++ with the best of ``2 + floor(ln k)`` candidates in every step. An array
        holds the initial centres.
    weights : array_like of float, shape (n,), optional
        Number of objects that each row represents, at least 0. Default: 1.
    max_iter : int, default 100
        Maximum number of centre updates.

    Returns
    -------
    KMeansRuns

    Raises
    ------
    CouplingsError
        If the rows, weights, centres or numbers are not as described.

    Notes
    -----
    Of several nearest centres the first counts. An empty cluster takes the object farthest from
    its centre among clusters of several objects; it stays empty if distinct rows are fewer than
    clusters. Weighted rows give the same clusters as repeated rows. Fractional weights are rounded
    to multiples of about ``max / 2**40``, the share of a row that an empty cluster takes.

    References
    ----------
    Lloyd, IEEE Trans. Information Theory 28 (1982); Arthur and Vassilvitskii, SODA 2007.
    """
    rows = rows_of("KMeans", X)
    multiplicity, unit = counted_weights("KMeans", weights, len(rows))
    n_objects = multiplicity.sum() if unit == 1 else np.count_nonzero(multiplicity)
    check_clusters("KMeans", n_clusters, int(n_objects))
    check_positive("KMeans", max_iter=max_iter)
    generators = [generator("KMeans", state) for state in random_states]
    if isinstance(init, str):
        init = init.lower()
        check_choice("KMeans", "init", init, STARTS)
        centers = rows[_start(rows, multiplicity, n_clusters, generators, init, unit)]
    else:
        given = np.asarray(init, dtype=np.float64)
        if given.shape != (n_clusters, rows.shape[1]) or not np.isfinite(given).all():
            raise CouplingsError(
                f"KMeans: init must be one of {STARTS}, or {n_clusters} finite centres of "
                f"{rows.shape[1]} columns, not an array of shape {given.shape}"
            )
        centers = np.tile(given, (len(generators), 1, 1))
    n_runs = len(generators)
    labels = np.empty((n_runs, len(rows)), dtype=np.int64)
    inertia, n_iter = np.empty(n_runs), np.empty(n_runs, dtype=np.int64)
    margin = np.empty(n_runs)
    if n_runs == 1:
        # More threads would only wait for each other.
        result = lloyd.lloyd(rows, multiplicity, centers[0], max_iter, labels[0])
        inertia[0], n_iter[0], margin[0] = result
    else:
        lloyd.lloyd_runs(
            centers.size * len(rows),
            rows,
            multiplicity,
            centers,
            max_iter,
            labels,
            inertia,
            n_iter,
            margin,
        )
    return KMeansRuns(labels, centers, inertia / unit, n_iter, margin)


@renamed(inertia_="objective_")
@dataclass(eq=False, repr=False)
class KMeans(Clustering):
    """k-means from one start.

    Parameters
    ----------
    n_clusters : int, default 2
        Number of clusters.
    init : {"plus", "sample", "greedy"} or array_like of float, shape (k, d), default "plus"
        Initialisation, see `kmeans_runs`. "plus" is plain k-means++, not scikit-learn's greedy
        variant.
    random_state : int, SeedSequence, Generator or None, default None
        Seed; every `fit` advances a generator.
    max_iter : int, default 100
        Maximum number of centre updates.
    n_jobs : int, optional
        Maximum number of threads; None and -1 use all cores.

    Attributes
    ----------
    labels_ : ndarray of int64, shape (n,)
        The nearest centre of each row.
    cluster_centers_ : ndarray of float64, shape (k, d)
        Centres of the clusters.
    objective_ : float
        Weighted sum of squared distances to the own centre.
    n_iter_ : int
        Number of updates of the centres.
    margin_ : float
        Smallest relative margin between the nearest and another centre, see `KMeansRuns`.
    n_features_in_ : int
        Number of columns.
    feature_names_in_ : ndarray of object, shape (d,)
        Names of the columns, if the data have any.

    Examples
    --------
    >>> from couplings import KMeans
    >>> KMeans(n_clusters=2, random_state=0).fit([[0.0], [1.0], [9.0]]).cluster_centers_.shape
    (2, 1)
    """

    takes = "rows"

    n_clusters: int = 2
    init: str | ArrayLike = "plus"
    random_state: Seed = None
    max_iter: int = 100
    n_jobs: int | None = None

    @limited
    @present_only
    def fit(self, X: ArrayLike, y: object = None, sample_weight: ArrayLike | None = None) -> Self:
        """Cluster the rows of `X`.

        Errors are those of `kmeans_runs`.

        Parameters
        ----------
        X : array_like of float, shape (n, d)
            Finite, with at least one column.
        y : object, ignored
        sample_weight : array_like of float, shape (n,), optional
            Number of objects that each row represents, at least 0.
        """
        runs = self.runs(X, [self.random_state], sample_weight)
        self.labels_ = runs.labels[0]
        warn_of_clusters("KMeans", self.labels_, self.n_clusters)
        self.cluster_centers_ = runs.centers[0]
        self.objective_ = float(runs.inertia[0])
        self.n_iter_, self.margin_ = int(runs.n_iter[0]), float(runs.margin[0])
        names = getattr(X, "columns", None)
        text = names is not None and all(isinstance(name, str) for name in names)
        self._remember_features(names if text else None, runs.centers.shape[2])
        return self

    def runs(
        self, X: ArrayLike, random_states: Sequence[Seed], sample_weight: ArrayLike | None = None
    ) -> KMeansRuns:
        """Cluster the rows of `X` once per seed, which is faster than a `fit` for each.

        Parameters
        ----------
        X, sample_weight
            As in `fit`.
        random_states : sequence of int, SeedSequence or Generator
            Seeds in place of `random_state`.

        Raises
        ------
        CouplingsError
            As `kmeans_runs`.
        """
        return kmeans_runs(
            X,
            self.n_clusters,
            random_states,
            init=self.init,
            weights=sample_weight,
            max_iter=self.max_iter,
        )

    def predict(self, X: ArrayLike) -> np.ndarray:
        """Return the nearest centre of each row, int64 of shape (n,).

        Raises
        ------
        NotFittedError
            If `fit` has not been called.
        CouplingsError
            If the rows are not finite or their number of columns differs.
        """
        self._require_fit()
        rows = rows_of("KMeans", X, self.n_features_in_)
        names, found = getattr(self, "feature_names_in_", None), getattr(X, "columns", None)
        if names is not None and found is not None and list(found) != list(names):
            raise CouplingsError(
                f"KMeans: the feature names should match those of fit, {', '.join(names)}, in the "
                f"same order, but are {', '.join(map(str, found))}"
            )
        return nearest_centers(rows, self.cluster_centers_)

    def __sklearn_tags__(self) -> Any:
        """Describe the estimator to scikit-learn: its data are numeric."""
        tags = super().__sklearn_tags__()
        tags.input_tags.categorical = tags.input_tags.string = False
        return tags


def nearest_centers(rows: np.ndarray, centers: np.ndarray) -> np.ndarray:
    """Return the (first) nearest centre of each row, int64 of shape (n,)."""
    labels, rivals = np.empty((2, len(rows)), dtype=np.int64)
    lloyd.assign(rows, centers, labels, np.empty(len(rows)), rivals, np.empty((0, len(centers))))
    return labels


def _start(
    rows: np.ndarray,
    weights: np.ndarray,
    n_clusters: int,
    generators: list[np.random.Generator],
    init: str,
    unit: float = 1.0,
) -> np.ndarray:
    """Return the initial rows of each run, int64 of shape (s, k)."""
    if init == "sample" and unit != 1:
        share = weights / weights.sum()
        return np.array([rng.choice(len(rows), n_clusters, False, share) for rng in generators])
    if init == "sample":
        last = np.cumsum(weights)
        objects = [rng.choice(int(last[-1]), n_clusters, replace=False) for rng in generators]
        return np.searchsorted(last, np.array(objects, dtype=np.int64), side="right")
    n_candidates = 2 + int(np.log(n_clusters)) if init == "greedy" else 1
    shape = (len(generators), n_clusters, n_candidates)
    uniforms = np.array([rng.random(shape[1:]) for rng in generators]).reshape(shape)
    chosen = np.empty(shape[:2], dtype=np.int64)
    if len(generators) == 1:
        lloyd.spread_start(rows, weights, uniforms[0], chosen[0])
    else:
        lloyd.spread_starts(chosen.size * rows.size, rows, weights, uniforms, chosen)
    return chosen


def rows_of(owner: str, X: ArrayLike, n_columns: int | None = None) -> np.ndarray:
    """Return finite contiguous rows; check their number of columns if it is given."""
    if hasattr(X, "tocsr"):
        raise CouplingsError(f"{owner} takes dense rows; sparse data are not supported")
    X = real_numbers(owner, "the rows", X)
    rows = np.ascontiguousarray(X, dtype=np.float64)
    if np.ndim(X) != 2:
        raise CouplingsError(
            f"{owner} needs rows with at least one column, not shape {np.shape(X)}. Expected 2D "
            "array: Reshape your data, one row per object"
        )
    if 0 in rows.shape:
        axis = "sample" if len(rows) == 0 else "feature"
        raise CouplingsError(
            f"{owner} needs rows with at least one column. Found array with 0 {axis}(s) "
            f"(shape={rows.shape}) while a minimum of 1 is required."
        )
    if not np.isfinite(rows).all():
        raise CouplingsError(f"{owner}: the rows hold NaN or infinite numbers; drop or fill them")
    if n_columns is not None and rows.shape[1] != n_columns:
        raise CouplingsError(
            f"X has {rows.shape[1]} features, but {owner} is expecting {n_columns} features as "
            "input"
        )
    return rows
