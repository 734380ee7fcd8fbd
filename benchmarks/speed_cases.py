"""Work that the library and another package both do: data, two calls, and what is equal in them.

A case names its family, its task and its peer. `same` compares both results before anything is
timed, and raises `DifferentResultsError`; what it returns is what the page says about them.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from importlib import import_module
from importlib.metadata import PackageNotFoundError, version
from importlib.util import find_spec
from itertools import combinations
from typing import Any

import numpy as np
import pandas as pd
from engine import one_hot, random_table
from learned_distances import read
from scipy.spatial.distance import squareform
from speed_r import InR, Session, version_in_r

from couplings import (
    CategoricalSpectral,
    CategoricalTable,
    CooccurrenceCounts,
    DilcaM,
    KPrototypes,
    MixedDistance,
    MixedTable,
    OneHot,
    Rock,
    SimpleMatching,
    adjusted_rand,
    cooccurrence,
    ward_linkage,
)
from couplings.cluster.kmodes import kmodes, random_starts
from couplings.cluster.neighbours import NeighbourGraph
from couplings.cluster.spectral import spectral_embedding
from couplings.mixed import scaled
from couplings.values import ValueMatrices

THETA = 0.8
"""Least similarity of neighbours in the graphs whose links are counted."""
LOW = 0.3
"""The same where ROCK has nearly all objects to merge."""
NEAR = 0.01
"""Largest relative difference of objectives where the procedures break ties differently."""
ALIKE = 0.9
"""Least adjusted Rand index where a package defines the same thing slightly differently."""


class DifferentResultsError(Exception):
    """The results of the library and of a peer are not the same."""


def require(holds: Any, what: str) -> str:
    """Return `what`, which holds of both results, or raise `DifferentResultsError`."""
    if not bool(holds):
        raise DifferentResultsError(f"does not hold: {what}")
    return what


def threads() -> int:
    """Number of threads that this process was started with."""
    return int(os.environ.get("NUMBA_NUM_THREADS", "1"))


@dataclass(frozen=True)
class Case:
    """A comparison with a peer.

    Attributes
    ----------
    family, task : str
        Heading of the page, and what is done.
    peer, package : str
        What is called there, and the package as pip or R name it.
    module : str
        What is imported to see whether the package is here; not looked at for a peer in R.
    rows : int
        Number of rows of the data.
    prepare : callable
        ``prepare(rows)`` makes the data; not timed.
    ours : callable
        Our call on these data.
    theirs : callable or InR
        The peer's.
    same : callable
        ``same(ours, theirs, data)``, see the module.
    spoil : callable
        A result of the peer that is not equal any more; a test takes it to see that `same` looks.
    threads : tuple of int
        Numbers of threads that are measured; two where the peer has threads in this call.
    """

    family: str
    task: str
    peer: str
    package: str
    module: str
    rows: int
    prepare: Callable[[int], Any]
    ours: Callable[[Any], Any]
    theirs: Callable[[Any], Any] | InR
    same: Callable[[Any, Any, Any], str]
    spoil: Callable[[Any], Any]
    threads: tuple[int, ...] = (1,)

    @property
    def name(self) -> str:
        """Name in commands and messages."""
        return f"{self.family}: {self.task}: {self.peer}"

    def on(self, data: Any) -> Callable[[], Any]:
        """Return the peer's call on data."""
        return self.theirs.on(data) if isinstance(self.theirs, InR) else partial(self.theirs, data)

    @property
    def version(self) -> str | None:
        """Version of the peer's package, None if it is not here."""
        if isinstance(self.theirs, InR):
            return version_in_r(self.package)
        if find_spec(self.module) is None:
            return None
        try:
            return version(self.package)
        except PackageNotFoundError:
            return "of unknown version"


def lazily(module: str, name: str) -> Callable[..., Any]:
    """Return a function of a package that is imported when it is called."""
    return lambda *arguments, **options: getattr(import_module(module), name)(*arguments, **options)


# --- data ---------------------------------------------------------------------------------------


def mushroom(rows: int) -> pd.DataFrame:
    """Evenly spaced rows of Mushroom, without the classes; columns with one value left out."""
    return read("mushroom", rows)[0]


def mushroom_table(rows: int) -> CategoricalTable:
    """Return `mushroom` as codes."""
    return CategoricalTable.from_pandas(mushroom(rows))


def uniform(n: int) -> CategoricalTable:
    """20 attributes of 10 values, for counts."""
    return random_table(n, (10,) * 20, 0)


def same_array(ours: Any, theirs: Any, what: str, tolerance: float = 0.0) -> str:
    """Compare arrays, to the bit or up to a tolerance relative to the largest entry."""
    a, b = np.asarray(ours), np.asarray(theirs)
    largest = max(float(np.abs(b).max(initial=0)), 1e-300)
    return require(a.shape == b.shape and np.allclose(a, b, rtol=0, atol=tolerance * largest), what)


def shifted(result: Any) -> Any:
    """Spoil the first number of an array by a thousandth of the largest, or by 1."""
    spoilt = np.array(result)
    step = 1 if spoilt.dtype.kind in "iu" else 1e-3 * (np.abs(spoilt).max() or 1)
    spoilt.flat[0] += step
    return spoilt


def scattered(labels: np.ndarray) -> np.ndarray:
    """Spoil labels: put them into another order."""
    return np.random.default_rng(0).permutation(labels)


# --- tables and counts --------------------------------------------------------------------------


def ordinal_codes(frame: pd.DataFrame) -> np.ndarray:
    encoder = import_module("sklearn.preprocessing").OrdinalEncoder(dtype=np.int64)
    return encoder.fit_transform(frame)


def factorized(frame: pd.DataFrame) -> np.ndarray:
    return np.column_stack([pd.factorize(frame[name], sort=True)[0] for name in frame])


def count_data(rows: int) -> tuple[CategoricalTable, Any]:
    table = uniform(rows)
    return table, one_hot(table).astype(np.int64)


def crosstab_data(rows: int) -> tuple[CategoricalTable, pd.DataFrame]:
    table = uniform(rows).select(range(8))
    return table, pd.DataFrame(table.codes)


def crosstabs(frame: pd.DataFrame) -> dict[tuple[int, int], np.ndarray]:
    return {
        (j, k): pd.crosstab(frame[j], frame[k]).to_numpy()
        for j, k in combinations(frame.columns, 2)
    }


def same_crosstabs(ours: CooccurrenceCounts, theirs: dict, _data: Any) -> str:
    blocks = [np.array_equal(ours.block(j, k), block) for (j, k), block in theirs.items()]
    return require(all(blocks), "all counts are equal")


def spoilt_crosstabs(tables: dict) -> dict:
    first = next(iter(tables))
    return {**tables, first: shifted(tables[first])}


# --- distances of objects -----------------------------------------------------------------------


def space_data(rows: int) -> tuple[CategoricalTable, Any, np.ndarray]:
    table = mushroom_table(rows)
    return table, SimpleMatching().fit(table).space_, table.codes.astype(np.float64)


def one_hot_distances(codes: np.ndarray) -> np.ndarray:
    encoder = import_module("sklearn.preprocessing").OneHotEncoder(sparse_output=False)
    indicators = encoder.fit_transform(codes)
    return import_module("sklearn.metrics").pairwise.euclidean_distances(indicators, squared=True)


def hamming(codes: np.ndarray) -> np.ndarray:
    metrics = import_module("sklearn.metrics")
    return metrics.pairwise_distances(codes, metric="hamming", n_jobs=threads())


def mixed_frame(rows: int) -> pd.DataFrame:
    frame = mushroom(rows).astype(object)
    return frame.assign(size=np.random.default_rng(0).normal(size=len(frame)))


def of_upper_triangle(distances: np.ndarray) -> np.ndarray:
    """Return the pairs in the order in which R keeps them."""
    return squareform(distances, checks=False)


# --- k-modes and k-prototypes -------------------------------------------------------------------


def modes_data(rows: int) -> tuple[CategoricalTable, ValueMatrices, np.ndarray, np.ndarray]:
    table = mushroom_table(rows)
    return with_start(table)


def with_start(
    table: CategoricalTable,
) -> tuple[CategoricalTable, ValueMatrices, np.ndarray, np.ndarray]:
    start = random_starts(table.n_objects, 4, 1, 0)
    codes = np.ascontiguousarray(table.codes, dtype=np.uint8)
    return table, SimpleMatching().fit(table).value_matrices_, start, codes


def kmodes_of_kmodes(data: Any) -> tuple[np.ndarray, float]:
    codes, start = data[3].astype(np.int64), data[2][0]
    model = import_module("kmodes.kmodes").KModes(4, init=codes[start], n_init=1).fit(codes)
    return model.labels_, model.cost_


def kmodes_of_faster(data: Any) -> tuple[Callable[[], np.ndarray], float]:
    codes, start = data[3], data[2][0]
    model = import_module("FasterKModes").FasterKModes(
        4, n_init=1, print_log=False, n_jobs=threads()
    )
    model.fit(codes, init_C=codes[start].copy())
    return lambda: model.predict(codes), model.best_cost


def mismatches(codes: np.ndarray, labels: np.ndarray) -> int:
    """Objective of a partition, from its labels alone: mismatches with the modes of its parts."""
    total = codes.size
    for group in np.unique(labels):
        part = codes[labels == group]
        total -= sum(int(np.bincount(column).max()) for column in part.T)
    return total


def same_objective(ours: Any, theirs: tuple[np.ndarray, float], data: Any) -> str:
    mine, other = (mismatches(data[3], labels) for labels in (ours.labels[0], theirs[0]))
    return require(
        abs(mine - other) <= NEAR * other and abs(other - theirs[1]) <= NEAR * other,
        f"same start and update; objectives, recomputed from the labels, within {NEAR:.0%}: "
        f"{mine:,} and {other:,} (ties are broken differently)",
    )


def same_partition(ours: Any, theirs: tuple[Callable[[], np.ndarray], float], _data: Any) -> str:
    equal = np.array_equal(ours.labels[0], theirs[0]()) and ours.objective[0] == theirs[1]
    return require(equal, "same start; all labels and the objective are equal")


def prototypes_data(rows: int) -> tuple[MixedTable, np.ndarray, list[int], list[np.ndarray]]:
    table = mushroom_table(rows)
    rng = np.random.default_rng(1)
    numeric = rng.normal(size=(table.n_objects, 4)) + table.codes[:, :4]
    mixed = MixedTable(table, numeric, ("a", "b", "c", "d"))
    numbers, codes = scaled(numeric, "minmax"), table.codes.astype(np.int64)
    start = np.random.default_rng(0).choice(table.n_objects, 4, replace=False)
    both = np.column_stack([numbers, codes])
    return mixed, both, list(range(4, both.shape[1])), [numbers[start], codes[start]]


def kprototypes_of_kmodes(data: Any) -> tuple[np.ndarray, float]:
    _, both, columns, start = data
    model = import_module("kmodes.kprototypes").KPrototypes(4, init=start, n_init=1)
    model.fit(both, categorical=columns)
    return model.labels_, model.cost_


def huang() -> KPrototypes:
    """One random start with Huang's moves, as the package kmodes makes it."""
    return KPrototypes(4, random_state=0, n_init=1, init="random", update="online")


def same_prototypes(ours: KPrototypes, theirs: tuple[np.ndarray, float], _data: Any) -> str:
    equal = np.array_equal(ours.labels_, theirs[0]) and np.isclose(ours.cost_, theirs[1])
    return require(equal, "same start; all labels are equal, the cost to rounding")


# --- Ward, spectral, links ----------------------------------------------------------------------


def ward_data(rows: int) -> np.ndarray:
    """DILCA_M's distances, with a little noise so that no two are equal: ties are a convention."""
    table = mushroom_table(rows)
    distances = DilcaM().fit(table).space_.condensed(table)
    noise = np.random.default_rng(0).random(len(distances))
    return distances + 1e-3 * distances.max() * noise


def same_merges(ours: np.ndarray, theirs: np.ndarray, _data: Any) -> str:
    equal = np.array_equal(ours[:, [0, 1, 3]], theirs[:, [0, 1, 3]])
    heights = np.allclose(ours[:, 2], theirs[:, 2], rtol=1e-9)
    return require(equal and heights, "all merges are equal, their heights to rounding")


def tied_ward_data(rows: int) -> np.ndarray:
    """DILCA_M's distances, many of them equal."""
    table = mushroom_table(rows)
    return DilcaM().fit(table).space_.condensed(table)


def give_distances(session: Session, distances: np.ndarray) -> None:
    session.numbers(distances, "d")
    n = round((1 + np.sqrt(1 + 8 * len(distances))) / 2)
    session.ask(f'd <- structure(d, Size = {n}L, Diag = FALSE, Upper = FALSE, class = "dist")')


def same_merges_as_r(ours: np.ndarray, theirs: np.ndarray, _data: Any) -> str:
    n = len(ours) + 1
    pairs, heights = theirs[: 2 * (n - 1)].reshape(2, n - 1).T, theirs[2 * (n - 1) :]
    # R counts from 1; an object is negative, the cluster of merge t is t.
    pairs = np.sort(np.where(pairs < 0, -pairs - 1, n + pairs - 1), axis=1)
    equal = np.array_equal(ours[:, :2], pairs) and np.allclose(ours[:, 2], heights, rtol=1e-9)
    return require(equal, "all merges are equal, ties included, their heights to rounding")


def spectral_data(rows: int) -> tuple[CategoricalTable, Any]:
    table = mushroom_table(rows)
    return table, SimpleMatching().fit(table)


def dense_affinity(data: Any) -> np.ndarray:
    table, measure = data
    distances = measure.pairwise(table)
    return 1 - distances / distances.max()


def eigenvalues_of_scipy(data: Any) -> np.ndarray:
    similarity = dense_affinity(data)
    root = np.sqrt(similarity.sum(axis=1))
    similarity /= root[:, None]
    similarity /= root
    solver = import_module("scipy.sparse.linalg").eigsh
    return solver(similarity, 2, which="LA", v0=root, return_eigenvectors=True)[0][::-1]


def clusters_of_sklearn(data: Any) -> np.ndarray:
    clustering = import_module("sklearn.cluster").SpectralClustering(
        2, affinity="precomputed", random_state=0
    )
    return clustering.fit_predict(dense_affinity(data))


def alike(ours: np.ndarray, theirs: np.ndarray, _data: Any) -> str:
    index = adjusted_rand(ours, theirs)
    return require(
        index >= ALIKE,
        f"partitions alike: adjusted Rand index {index:.2f}, at least {ALIKE} asked for "
        "(scikit-learn sets the diagonal of the affinity to 0)",
    )


def links_data(rows: int) -> NeighbourGraph:
    return NeighbourGraph.from_table(mushroom_table(rows), THETA)


def links_of_numpy(graph: NeighbourGraph) -> np.ndarray:
    bits = np.unpackbits(graph.words.view(np.uint8), axis=1, bitorder="little")
    near = bits[:, : graph.n_objects].astype(np.float32)
    links = near @ near.T
    np.fill_diagonal(links, 0)
    return squareform(links, checks=False)


def give_items(session: Session, table: CategoricalTable) -> None:
    session.frame(table.to_pandas().astype(str), "frame")
    session.ask(
        "items <- do.call(cbind, lapply(frame, function(column) "
        'outer(as.integer(column), seq_along(levels(column)), "==")))'
    )


def same_clusters(ours: np.ndarray, theirs: np.ndarray, _data: Any) -> str:
    return require(
        len(ours) == len(theirs) and adjusted_rand(ours, theirs.astype(np.int64)) == 1.0,
        "all clusters are equal",
    )


# --- columns and scores -------------------------------------------------------------------------


def one_hot_of_sklearn(frame: pd.DataFrame) -> np.ndarray:
    encoder = import_module("sklearn.preprocessing").OneHotEncoder(sparse_output=False)
    return encoder.fit_transform(frame)


def label_data(rows: int) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(0)
    truth = rng.integers(0, 20, rows)
    return truth, np.where(rng.random(rows) < 0.5, truth, rng.integers(0, 20, rows))


# --- all of them --------------------------------------------------------------------------------

TO_ROUNDING = 1e-6
CASES = (
    Case(
        "Reading", "data frame to codes", "sklearn OrdinalEncoder", "scikit-learn", "sklearn",
        8124, mushroom, lambda frame: CategoricalTable.from_pandas(frame).codes, ordinal_codes,
        lambda a, b, _: same_array(a, b, "all codes are equal"), shifted,
    ),
    Case(
        "Reading", "data frame to codes", "pandas.factorize of each column, sorted", "pandas",
        "pandas", 8124, mushroom, lambda frame: CategoricalTable.from_pandas(frame).codes,
        factorized, lambda a, b, _: same_array(a, b, "all codes are equal"), shifted,
    ),
    Case(
        "Counts", "co-occurrences of all values, 20 attributes of 10 values",
        "scipy.sparse Z'Z, Z given", "scipy", "scipy", 100_000, count_data,
        lambda data: cooccurrence(data[0]).matrix, lambda data: (data[1].T @ data[1]).toarray(),
        lambda a, b, _: same_array(a, b, "all counts are equal"), shifted,
    ),
    Case(
        "Counts", "co-occurrences of all values, 8 attributes of 10 values",
        "pandas.crosstab of all pairs", "pandas", "pandas", 100_000, crosstab_data,
        lambda data: cooccurrence(data[0]), lambda data: crosstabs(data[1]), same_crosstabs,
        spoilt_crosstabs,
    ),
    Case(
        "Distances of objects", "simple matching, condensed", "scipy pdist, hamming", "scipy",
        "scipy", 6000, space_data, lambda data: data[1].condensed(data[0]),
        lambda data: lazily("scipy.spatial.distance", "pdist")(data[2], "hamming"),
        lambda a, b, data: same_array(
            a, b * data[2].shape[1], "all distances are equal to rounding", TO_ROUNDING
        ), shifted,
    ),
    Case(
        "Distances of objects", "simple matching, n x n", "sklearn pairwise_distances, hamming",
        "scikit-learn", "sklearn", 4000, space_data, lambda data: data[1].pairwise(data[0]),
        lambda data: hamming(data[2]),
        lambda a, b, data: same_array(
            a, b * data[2].shape[1], "all distances are equal to rounding", TO_ROUNDING
        ), shifted, (1, 2),
    ),
    Case(
        "Distances of objects", "simple matching, n x n, codes given",
        "sklearn OneHotEncoder, euclidean_distances", "scikit-learn", "sklearn", 4000, space_data,
        lambda data: data[1].pairwise(data[0]), lambda data: one_hot_distances(data[2]),
        lambda a, b, _: same_array(
            a, b / 2, "all distances are equal to rounding", TO_ROUNDING
        ), shifted, (1, 2),
    ),
    Case(
        "Distances of objects", "Gower's distance of a mixed data frame", "gower_matrix", "gower",
        "gower", 1000, mixed_frame,
        lambda frame: MixedDistance("simple_matching").fit(frame).pairwise(frame),
        lambda frame: lazily("gower", "gower_matrix")(frame),
        lambda a, b, _: same_array(
            a, b, "all distances are equal to single precision", TO_ROUNDING
        ), shifted,
    ),
    Case(
        "Distances of objects", "Gower's distance of a mixed data frame, condensed",
        "R: cluster daisy", "cluster", "", 2000, mixed_frame,
        lambda frame: of_upper_triangle(
            MixedDistance("simple_matching").fit(frame).pairwise(frame)
        ),
        InR(
            "cluster", lambda session, frame: session.frame(frame, "frame"),
            'daisy(frame, metric = "gower")',
        ),
        lambda a, b, _: same_array(a, b, "all distances are equal to rounding", TO_ROUNDING),
        shifted,
    ),
    Case(
        "k-modes", "Huang's updates, k = 4, one start, codes given", "kmodes KModes", "kmodes",
        "kmodes", 4000, modes_data, lambda data: kmodes(*data[:3], "online"), kmodes_of_kmodes,
        same_objective, lambda found: (scattered(found[0]), found[1]),
    ),
    Case(
        "k-modes", "updates after each pass, k = 4, one start, codes given", "FasterKModes",
        "FasterKModes", "FasterKModes", 8124, modes_data, lambda data: kmodes(*data[:3]),
        kmodes_of_faster, same_partition,
        lambda found: (lambda: scattered(found[0]()), found[1]), (1, 2),
    ),
    Case(
        "k-modes", "k-prototypes, k = 4, one start, with 4 numbers", "kmodes KPrototypes",
        "kmodes", "kmodes", 2000, prototypes_data,
        lambda data: huang().fit(data[0]), kprototypes_of_kmodes,
        same_prototypes, lambda found: (scattered(found[0]), found[1]),
    ),
    Case(
        "Ward", "all merges, DILCA_M's distances without ties", "fastcluster linkage",
        "fastcluster", "fastcluster", 4000, ward_data,
        lambda d: ward_linkage(d, recurrence="D2"),
        lambda d: lazily("fastcluster", "linkage")(d, "ward"), same_merges, shifted,
    ),
    Case(
        "Ward", "all merges, DILCA_M's distances without ties", "scipy linkage", "scipy", "scipy",
        4000, ward_data, lambda d: ward_linkage(d, recurrence="D2"),
        lambda d: lazily("scipy.cluster.hierarchy", "linkage")(d, "ward"), same_merges, shifted,
    ),
    Case(
        "Ward", "all merges, DILCA_M's distances with their ties", "R: hclust, ward.D", "stats", "",
        4000, tied_ward_data, ward_linkage,
        InR(
            "stats", give_distances, 'hclust(d, "ward.D")', "c(result$merge, result$height)"
        ), same_merges_as_r, lambda rows: shifted(-rows),
    ),
    Case(
        "Spectral", "embedding, affinity 1 - D / max D", "scipy eigsh of the dense affinity",
        "scipy", "scipy", 4000, spectral_data,
        lambda data: spectral_embedding(*data, "one-minus", 2, "sym").eigenvalues,
        eigenvalues_of_scipy,
        lambda a, b, _: same_array(a, b, "eigenvalues are equal to rounding", TO_ROUNDING),
        shifted, (1, 2),
    ),
    Case(
        "Spectral", "clusters, k = 2, affinity 1 - D / max D", "sklearn SpectralClustering",
        "scikit-learn", "sklearn", 2000, spectral_data,
        lambda data: CategoricalSpectral(2, kmeans_init="greedy", random_state=0).fit_predict(
            data[0], matrices=data[1]
        ), clusters_of_sklearn, alike, scattered,
    ),
    Case(
        "Links of ROCK", f"common neighbours of all pairs, theta = {THETA}, graph given",
        "numpy A @ A in single precision", "numpy", "numpy", 4000, links_data,
        lambda graph: graph.links(), links_of_numpy,
        lambda a, b, _: same_array(a, b, "all links are equal"), shifted, (1, 2),
    ),
    Case(
        "ROCK", f"from the table to 4 clusters, theta = {LOW}", "R: cba rockCluster", "cba", "",
        1000, mushroom_table, lambda table: Rock(4, LOW).fit(table).labels_,
        InR(
            # 1 - theta is not exact; without the margin cba loses pairs at the threshold.
            "cba", give_items,
            f"rockCluster(items, n = 4, beta = 1 - {LOW} + 1e-9, theta = {LOW})", "result$cl",
        ), same_clusters, scattered,
    ),
    Case(
        "Columns", "0-1 encoding of a data frame", "sklearn OneHotEncoder", "scikit-learn",
        "sklearn", 8124, mushroom, lambda frame: OneHot().fit_transform(frame),
        one_hot_of_sklearn, lambda a, b, _: same_array(a, b, "all columns are equal"), shifted,
    ),
    Case(
        "Scores", "adjusted Rand index of 20 clusters and 20 classes",
        "sklearn adjusted_rand_score", "scikit-learn", "sklearn", 200_000, label_data,
        lambda data: adjusted_rand(*data),
        lambda data: lazily("sklearn.metrics", "adjusted_rand_score")(*data),
        lambda a, b, _: same_array(a, b, "equal to rounding", 1e-12), lambda x: x + 0.001,
    ),
)  # fmt: skip

WITHOUT = (("Distances of objects", "OF, Lin, Goodall", "R: nomclust"),)
"""Peers that this program does not start: family, task, name."""

FAMILIES = tuple(dict.fromkeys(case.family for case in CASES))
