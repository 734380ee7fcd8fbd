"""k-medoids by FasterPAM, on any dissimilarity of objects."""

from dataclasses import dataclass
from typing import Any, Self

import numpy as np

from couplings._checks import Seed, check_choice, check_clusters, check_positive, generator, word_of
from couplings._weights import select_rows
from couplings.cluster._base import Clustering, warn_of_clusters
from couplings.cluster.ward import condensed_of
from couplings.errors import CouplingsError
from couplings.measures.base import ValueMeasure, require_dissimilarity
from couplings.measures.mixed_distance import MixedDistance
from couplings.measures.registry import measure_from
from couplings.mixed import is_mixed


@dataclass(eq=False, repr=False)
class KMedoids(Clustering):
    """k-medoids: clusters around objects, with the least sum of dissimilarities to them.

    The search is FasterPAM of the package kmedoids, ``pip install couplings[medoids]``; its licence
    is the GPL.

    Parameters
    ----------
    n_clusters : int, default 2
        Number of clusters.
    measure : str, measure, MixedDistance or None, default None
        Dissimilarity of the objects, copied and fitted: the name of a measure of categories (see
        `measure_names`), an instance, or `MixedDistance`. "precomputed": the data are a square
        matrix of dissimilarities. None: `MixedDistance` for tables with numbers and categories,
        otherwise simple matching.
    init : {"build", "random"}, default "build"
        Starts: the greedy one of PAM, a single one without chance, or random objects.
    n_init : int, default 10
        Number of random starts; the first result with the lowest objective is kept.
    max_iter : int, default 100
        Maximum number of passes over the objects.
    random_state : int, SeedSequence, Generator or None, default None
        Seed of the starts.

    Attributes
    ----------
    labels_ : ndarray of int64, shape (n,)
        Cluster of each object: the (first) nearest medoid.
    medoid_indices_ : ndarray of int64, shape (k,)
        The medoids among the objects of `fit`.
    objective_ : float
        Sum of the dissimilarities of all objects to their medoids.
    n_iter_ : int
        Number of passes, in the best start.
    measure_ : measure
        The fitted measure; None for precomputed dissimilarities.
    n_features_in_, feature_names_in_
        As in `Clustering`.

    References
    ----------
    Schubert and Rousseeuw, Information Systems 101 (2021); Schubert and Lenssen, Journal of Open
    Source Software 7 (2022), the package.

    Examples
    --------
    >>> import pandas as pd
    >>> from couplings import KMedoids
    >>> cars = pd.DataFrame({"fuel": ["gas", "gas", "oil", "oil"], "power": [55.0, 60.0, 110, 125]})
    >>> medoids = KMedoids(n_clusters=2).fit(cars)  # doctest: +SKIP
    >>> medoids.labels_[0] == medoids.labels_[3]  # doctest: +SKIP
    False
    """

    takes = "distances"

    n_clusters: int = 2
    measure: Any = None
    init: str = "build"
    n_init: int = 10
    max_iter: int = 100
    random_state: Seed = None

    def fit(self, X: Any, y: object = None) -> Self:
        """Cluster the objects.

        Parameters
        ----------
        X : table of any kind, or ndarray of float, shape (n, n)
            Objects that the measure takes, or their dissimilarities.
        y : object, ignored

        Raises
        ------
        CouplingsError
            If a parameter is out of range, the package kmedoids is not installed, and as the
            measure.
        """
        owner = "KMedoids"
        word = word_of(owner, "init", self.init, ("build", "random"))
        if word is None:
            check_choice(owner, "init", self.init, ("build", "random"))
        check_positive(owner, n_init=self.n_init, max_iter=self.max_iter)
        rng = generator(owner, self.random_state)
        distances = self._distances(X)
        check_clusters(owner, self.n_clusters, len(distances))
        starts = ["build"] if word == "build" else ["random"] * self.n_init
        k, most = self.n_clusters, self.max_iter
        runs = [_searched(distances, k, start, most, rng) for start in starts]
        best = min(runs, key=lambda run: run.loss)
        self.medoid_indices_ = np.asarray(best.medoids, dtype=np.int64)
        self.labels_ = distances[:, self.medoid_indices_].argmin(axis=1)
        self.objective_, self.n_iter_ = float(best.loss), int(best.n_iter)
        self._medoids = None
        if self.measure_ is not None:
            chosen = [select_rows(X, np.arange(len(distances)) == u) for u in self.medoid_indices_]
            self._medoids = chosen
        warn_of_clusters(owner, self.labels_, self.n_clusters)
        return self

    def predict(self, X: Any) -> np.ndarray:
        """Return the (first) nearest medoid of each object, int64 of shape (n,).

        Errors are those of the measure.
        """
        return self.transform(X).argmin(axis=1)

    def fit_transform(self, X: Any, y: object = None) -> np.ndarray:
        """Cluster the objects and transform them; see `fit` and `transform`."""
        return self.fit(X, y).transform(X)

    def transform(self, X: Any) -> np.ndarray:
        """Return the dissimilarities of objects to the medoids, float64 of shape (n, k).

        For precomputed dissimilarities `X` are those to all objects of `fit`, shape (n, n_fitted).
        """
        self._require_fit()
        if self._medoids is None:
            given = np.asarray(X, dtype=np.float64)
            if given.ndim != 2 or given.shape[1] != self.n_features_in_:
                raise CouplingsError(
                    f"KMedoids: pass the dissimilarities to the {self.n_features_in_} objects of "
                    f"fit, not an array of shape {given.shape}"
                )
            return given[:, self.medoid_indices_]
        return np.hstack([self.measure_.pairwise(X, one) for one in self._medoids])

    def _distances(self, X: Any) -> np.ndarray:
        """Return the dissimilarities of all objects; fit the measure."""
        if isinstance(self.measure, str) and self.measure == "precomputed":
            from scipy.spatial.distance import squareform

            self.measure_: Any = None
            square = squareform(condensed_of(X, "ignore"))
            if not (square >= 0).all() or not np.isfinite(square).all():
                raise CouplingsError("KMedoids: dissimilarities must be finite and not negative")
            self._remember_features(None, len(square))
            return square
        chosen = self.measure
        if chosen is None:
            chosen = MixedDistance() if is_mixed(X) else "simple_matching"
        own = chosen if isinstance(chosen, MixedDistance) else measure_from(chosen)
        if isinstance(own, ValueMeasure):
            require_dissimilarity(own, "KMedoids")
        self.measure_ = type(own)(**own.get_params(deep=False))
        self.measure_.fit(X)
        names = getattr(self.measure_, "feature_names_in_", None)
        self._remember_features(names, self.measure_.n_features_in_)
        return np.ascontiguousarray(self.measure_.pairwise(X), dtype=np.float64)


def _searched(
    distances: np.ndarray, n_clusters: int, init: str, max_iter: int, rng: np.random.Generator
) -> Any:
    """Return the result of FasterPAM from one start."""
    try:
        import kmedoids
    except ImportError as error:
        raise CouplingsError(
            "KMedoids needs the package kmedoids; run: pip install couplings[medoids]"
        ) from error
    if n_clusters == 1:
        # The package needs two; the only medoid has the least sum.
        medoid = int(distances.sum(axis=0).argmin())
        return _Single(float(distances[:, medoid].sum()), [medoid], 1)
    seed = int(rng.integers(2**31))
    return kmedoids.fasterpam(
        distances, n_clusters, max_iter=max_iter, init=init, random_state=seed, n_cpu=1
    )


@dataclass(frozen=True)
class _Single:
    """The result for one cluster, in the form of the package."""

    loss: float
    medoids: list[int]
    n_iter: int
