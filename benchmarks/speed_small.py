"""Small tables and single rows: where the time is that of the calls, not of the work.

Each task runs at several numbers of rows n, in a process of its own with one thread; both sides
take turns. 10 columns of 5 values, texts in a data frame unless the task says codes; sizes that
take minutes are left out.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache
from importlib.metadata import version
from importlib.util import find_spec
from itertools import combinations
from typing import Any

import numpy as np
import pandas as pd
from scipy.spatial.distance import pdist, squareform
from speed_cases import lazily, require

from couplings import (
    CategoricalTable,
    DilcaRR,
    KModes,
    LatentClasses,
    MixedDistance,
    OneHot,
    SimpleMatching,
    Ward,
    cooccurrence,
    ward_linkage,
)

COLUMNS, VALUES, CLUSTERS = 10, 5, 4
SIZES = (100, 500, 2_000, 20_000)
SMALL = SIZES[:3]


@dataclass(frozen=True)
class Small:
    """A task at several sizes, beside a peer.

    Attributes
    ----------
    task, peer, package, module : str
        As in `speed_cases.Case`.
    prepare : callable
        ``prepare(n)`` makes the data and fits what is to be asked; not timed.
    ours, theirs : callable
        Both calls on these data.
    same : callable
        ``same(ours, theirs, data)`` says what is equal, or raises `DifferentResultsError`.
    sizes : tuple of int
        Numbers of rows.
    """

    task: str
    peer: str
    package: str
    module: str
    prepare: Callable[[int], Any]
    ours: Callable[[Any], Any]
    theirs: Callable[[Any], Any]
    same: Callable[[Any, Any, Any], str]
    sizes: tuple[int, ...] = SIZES

    @property
    def version(self) -> str | None:
        """Version of the peer's package, None if it is not here."""
        return version(self.package) if find_spec(self.module) else None


@lru_cache(maxsize=4)
def codes(n: int) -> np.ndarray:
    """Codes of n rows in four groups, so that there is something to find."""
    rng = np.random.default_rng(n)
    centres = rng.integers(0, VALUES, (CLUSTERS, COLUMNS))
    found = centres[rng.integers(0, CLUSTERS, n)]
    drawn = rng.integers(0, VALUES, (n, COLUMNS))
    result = np.where(rng.random((n, COLUMNS)) < 0.4, drawn, found)
    result[:VALUES] = np.arange(VALUES)[:, None]  # every value occurs
    return result


def texts(n: int) -> pd.DataFrame:
    """Return the codes as labels in a data frame."""
    return pd.DataFrame({f"a{j}": [f"v{x}" for x in column] for j, column in enumerate(codes(n).T)})


def mixed(n: int) -> pd.DataFrame:
    """Return half of the columns as labels, and as many numbers."""
    # gower does not know the type that pandas gives to columns of text
    rng = np.random.default_rng(n)
    numbers = {f"x{j}": rng.random(n) for j in range(COLUMNS // 2)}
    return texts(n).iloc[:, : COLUMNS // 2].astype(object).assign(**numbers)


def equal(ours: Any, theirs: Any, what: str = "results are equal to rounding") -> str:
    """Require equal numbers."""
    return require(np.allclose(ours, theirs, rtol=1e-6, atol=1e-6), what)


# --- k-modes ------------------------------------------------------------------------------------


def fitted_modes(rows: int) -> Callable[[int], Any]:
    """Return what fits both sides on n rows and keeps `rows` of them to be asked."""

    def prepare(n: int) -> Any:
        frame = texts(n)
        ours = KModes(CLUSTERS, random_state=0).fit(frame)
        theirs = lazily("kmodes.kmodes", "KModes")(
            CLUSTERS, init="random", n_init=1, random_state=0
        ).fit(frame)
        return ours, theirs, frame.iloc[: min(n, rows)]

    return prepare


def same_costs(ours: Any, theirs: Any, data: Any) -> str:
    """Require nearest modes of both: the dissimilarities, as ties may go elsewhere."""
    return require(len(ours) == len(theirs), "numbers of rows are equal (modes differ in ties)")


def not_worse(ours: Any, theirs: Any, data: Any) -> str:
    """Require a cost that is not higher."""
    return require(ours.objective_ <= theirs.cost_, "our cost is not higher")


# --- neighbours ---------------------------------------------------------------------------------


def neighbours_of(measure: Any, rows: int | None) -> Callable[[int], Any]:
    """Return what fits a measure and scikit-learn's search on n rows."""

    def prepare(n: int) -> Any:
        frame = texts(n)
        ours = measure().fit(frame)
        coded = codes(n) if measure is SimpleMatching else ours.transform(frame)
        metric = {"metric": "hamming", "algorithm": "brute"} if measure is SimpleMatching else {}
        search = lazily("sklearn.neighbors", "NearestNeighbors")(n_neighbors=5, **metric)
        few = min(n, 2_000) if rows is None else rows
        asked = frame.iloc[:few]
        return ours, search.fit(coded), asked, coded[:few]

    return prepare


def nearest(scale: float) -> Callable[[Any, Any, Any], str]:
    """Return what requires equal distances (ours over `scale`)."""
    return lambda ours, theirs, _: equal(ours[0] / scale, theirs[0], "distances are equal")


def mixed_neighbours(n: int) -> Any:
    """Return a fitted distance, the frame and one row of it."""
    frame = mixed(n)
    return MixedDistance("simple_matching").fit(frame), frame, frame.iloc[:1]


def topn(data: Any) -> Any:
    """Return gower's nearest rows of one row."""
    return lazily("gower", "gower_topn")(data[2], data[1], n=5)


# --- counts and distances -----------------------------------------------------------------------


def bincounts(given: np.ndarray) -> np.ndarray:
    """Return all co-occurrences, by one bincount for each pair of columns."""
    size = COLUMNS * VALUES
    found = np.zeros((size, size), dtype=np.int64)
    for j in range(COLUMNS):
        for k in range(j, COLUMNS):
            block = np.bincount(given[:, j] * VALUES + given[:, k], minlength=VALUES**2)
            block = block.reshape(VALUES, VALUES)
            found[j * VALUES : (j + 1) * VALUES, k * VALUES : (k + 1) * VALUES] = block
            found[k * VALUES : (k + 1) * VALUES, j * VALUES : (j + 1) * VALUES] = block.T
    return found


def crosstabs(frame: pd.DataFrame) -> list[Any]:
    """Return all pairs of columns as contingency tables."""
    return [pd.crosstab(frame[a], frame[b]) for a, b in combinations(frame.columns, 2)]


def same_tables(ours: Any, theirs: Any, _: Any) -> str:
    """Require the counts of one table of pandas in ours."""
    return equal(ours.block(0, 1), theirs[0].to_numpy(), "all counts are equal")


def encoded(frame: pd.DataFrame) -> np.ndarray:
    """Return scikit-learn's codes."""
    return lazily("sklearn.preprocessing", "OrdinalEncoder")().fit_transform(frame)


def distances(n: int) -> np.ndarray:
    """Return distances without ties."""
    return np.random.default_rng(n).random(n * (n - 1) // 2) + 0.5


def one_hot_of(n: int) -> Any:
    """Return both encoders, fitted, and the frame."""
    frame = texts(n)
    peer = lazily("sklearn.preprocessing", "OneHotEncoder")(sparse_output=False)
    return OneHot().fit(frame), peer.fit(frame), frame


def latent(rows: int | None) -> Callable[[int], Any]:
    """Return both models, fitted, and rows to be asked."""

    def prepare(n: int) -> Any:
        ours = LatentClasses(CLUSTERS, n_init=1, random_state=0).fit(codes(n))
        theirs = lazily("stepmix.stepmix", "StepMix")(
            CLUSTERS, measurement="categorical", random_state=0, verbose=0, progress_bar=0
        ).fit(codes(n))
        return ours, theirs, codes(n)[: n if rows is None else rows]

    return prepare


def posteriors(ours: Any, theirs: Any, _: Any) -> str:
    """Require probabilities of both, which are at optima of their own."""
    ones = np.allclose(ours.sum(axis=1), 1) and np.allclose(theirs.sum(axis=1), 1)
    return require(ours.shape == theirs.shape and ones, "probabilities of as many classes")


TASKS = (
    Small("k-modes, defaults of both, from a data frame", "kmodes KModes", "kmodes", "kmodes",
          texts, KModes(CLUSTERS, random_state=0).fit,
          lambda frame: lazily("kmodes.kmodes", "KModes")(CLUSTERS, random_state=0).fit(frame),
          not_worse, SMALL),
    Small("k-modes: predict all rows", "kmodes KModes", "kmodes", "kmodes",
          fitted_modes(1 << 30), lambda data: data[0].predict(data[2]),
          lambda data: data[1].predict(data[2]), same_costs),
    Small("k-modes: predict one row", "kmodes KModes", "kmodes", "kmodes",
          fitted_modes(1), lambda data: data[0].predict(data[2]),
          lambda data: data[1].predict(data[2]), same_costs),
    Small("latent classes: probabilities of all rows, codes", "StepMix", "stepmix", "stepmix",
          latent(None), lambda data: data[0].predict_proba(data[2]),
          lambda data: data[1].predict_proba(data[2]), posteriors),
    Small("latent classes: probabilities of one row, codes", "StepMix", "stepmix", "stepmix",
          latent(1), lambda data: data[0].predict_proba(data[2]),
          lambda data: data[1].predict_proba(data[2]), posteriors, SMALL),
    Small("Gower's distance, n x n", "gower_matrix", "gower", "gower",
          mixed, lambda frame: MixedDistance("simple_matching").fit(frame).pairwise(frame),
          lambda frame: lazily("gower", "gower_matrix")(frame),
          lambda ours, theirs, _: equal(ours, theirs), SMALL[:2]),
    Small("Gower: 5 nearest of one row, fit included", "gower_topn", "gower", "gower",
          mixed_neighbours,
          lambda data: MixedDistance("simple_matching").fit(data[1]).kneighbors(data[2]),
          topn, lambda ours, theirs, _: equal(ours[0][0], theirs["values"])),
    Small("Gower: 5 nearest of one row, fitted", "gower_topn", "gower", "gower",
          mixed_neighbours, lambda data: data[0].kneighbors(data[2]),
          topn, lambda ours, theirs, _: equal(ours[0][0], theirs["values"])),
    Small("simple matching, n x n, from a data frame", "OrdinalEncoder, scipy pdist",
          "scikit-learn", "sklearn", texts,
          lambda frame: SimpleMatching().fit(frame).pairwise(frame),
          lambda frame: squareform(pdist(encoded(frame), "hamming")),
          lambda ours, theirs, _: equal(ours / COLUMNS, theirs), SMALL),
    Small("simple matching, condensed, from codes", "scipy pdist", "scipy", "scipy",
          lambda n: (CategoricalTable.from_codes(codes(n)), codes(n).astype(float),
                     SimpleMatching().fit(codes(n)).space_),
          lambda data: data[2].condensed(data[0]), lambda data: pdist(data[1], "hamming"),
          lambda ours, theirs, _: equal(ours / COLUMNS, theirs), SMALL),
    Small("Ward, all merges of given distances", "fastcluster linkage", "fastcluster",
          "fastcluster", distances, lambda given: ward_linkage(given, recurrence="D2"),
          lambda given: lazily("fastcluster", "linkage")(given, "ward"),
          lambda ours, theirs, _: equal(ours[:, 2], theirs[:, 2]), SMALL),
    Small("Ward, all merges of given distances", "scipy linkage", "scipy", "scipy",
          distances, lambda given: ward_linkage(given, recurrence="D2"),
          lambda given: lazily("scipy.cluster.hierarchy", "linkage")(given, "ward"),
          lambda ours, theirs, _: equal(ours[:, 2], theirs[:, 2]), SMALL),
    Small("Ward, from a data frame to labels", "OrdinalEncoder, pdist, fastcluster, fcluster",
          "fastcluster", "fastcluster", texts,
          Ward(CLUSTERS, measure="simple_matching").fit_predict,
          lambda frame: lazily("scipy.cluster.hierarchy", "fcluster")(
              lazily("fastcluster", "linkage")(pdist(encoded(frame), "hamming"), "ward"),
              CLUSTERS, "maxclust"),
          lambda ours, theirs, _: require(len(ours) == len(theirs), "as many labels"), SMALL),
    Small("0-1 encoding of a data frame, fitted", "sklearn OneHotEncoder", "scikit-learn",
          "sklearn", one_hot_of, lambda data: data[0].transform(data[2]),
          lambda data: data[1].transform(data[2]), lambda ours, theirs, _: equal(ours, theirs)),
    Small("0-1 encoding of one row, fitted", "sklearn OneHotEncoder", "scikit-learn", "sklearn",
          one_hot_of, lambda data: data[0].transform(data[2].iloc[:1]),
          lambda data: data[1].transform(data[2].iloc[:1]),
          lambda ours, theirs, _: equal(ours, theirs), SIZES[:1]),
    Small("co-occurrences of all values, from codes", "numpy bincount of each pair", "numpy",
          "numpy", codes, lambda given: cooccurrence(CategoricalTable.from_codes(given)),
          bincounts, lambda ours, theirs, _: equal(ours.matrix, theirs, "all counts are equal")),
    Small("co-occurrences of all values, from a data frame", "pandas.crosstab of each pair",
          "pandas", "pandas", texts,
          lambda frame: cooccurrence(CategoricalTable.from_any(frame)), crosstabs, same_tables,
          SMALL[:2]),
    Small("5 nearest of min(n, 2,000) rows", "sklearn NearestNeighbors, hamming", "scikit-learn",
          "sklearn", neighbours_of(SimpleMatching, None), lambda data: data[0].kneighbors(data[2]),
          lambda data: data[1].kneighbors(data[3]), nearest(COLUMNS)),
    Small("5 nearest of one row", "sklearn NearestNeighbors, hamming", "scikit-learn",
          "sklearn", neighbours_of(SimpleMatching, 1), lambda data: data[0].kneighbors(data[2]),
          lambda data: data[1].kneighbors(data[3]), nearest(COLUMNS)),
    Small("5 nearest of min(n, 2,000) rows, DILCA_RR", "sklearn NearestNeighbors of transform",
          "scikit-learn", "sklearn", neighbours_of(DilcaRR, None),
          lambda data: data[0].kneighbors(data[2]),
          lambda data: data[1].kneighbors(data[0].transform(data[2])), nearest(1.0)),
    Small("5 nearest of one row, DILCA_RR", "sklearn NearestNeighbors of transform", "scikit-learn",
          "sklearn", neighbours_of(DilcaRR, 1), lambda data: data[0].kneighbors(data[2]),
          lambda data: data[1].kneighbors(data[0].transform(data[2])), nearest(1.0)),
)  # fmt: skip
