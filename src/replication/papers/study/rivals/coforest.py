"""COForest: values on minimum spanning trees of what they say about the clusters."""

import numpy as np
from numpy.typing import ArrayLike

from couplings._checks import check_choice
from couplings.learned.clustering import Data, Run
from couplings.values import ValueMatrices
from replication.papers.study.rivals import kernels
from replication.papers.study.rivals.alternation import (
    alternate,
    equal_labels,
    equal_sums,
    finished,
)
from replication.papers.study.rivals.mismatches import batch_kmodes
from replication.papers.study.rivals.rows import CountedRows
from replication.papers.study.rivals.starts import Random, Seed, StartedClustering

_MOST_ROUNDS = 51
_LEAST_EDGE = 1e-8


class COForest(StartedClustering):
    """Clusters by path lengths in trees of values that are learnt with them (COForest).

    The edge of values x, y of attribute j is
    ``(1 / k) sqrt(sum_c (P(c given x) - P(c given y))^2)``, 0 counting as 1e-8; T_j(x, y) is the
    length of the path in their minimum spanning tree. With p_c the shares of the values in
    cluster c,

        ``D(u, c) = (1 / m) sum_j (1 / (v_j - 1)) sum_b T_j(x_uj, b) p_c(b)``.

    Inner rounds assign all objects, then renew the p_c; an outer round learns the trees from the
    partition. The start is k-modes by mismatches.

    Parameters
    ----------
    n_clusters : int, default 2
        Number of clusters, k.
    reading : {"repaired", "released"}, default "repaired"
        When the outer loop stops: "repaired" when the labels stay the same, "released", as the
        authors' program, when the sum of the labels stays the same, which is true of some
        different partitions.
    n_init : int, default 1
        Number of starts.
    init : array_like of int, shape (k,), optional
        Objects that k-modes starts from, instead of random ones.
    random_state : int, SeedSequence, Generator, OldMatlabRandom or None, default None
        Seed of the starts: objects drawn one by one, equal rows again.

    Attributes
    ----------
    labels_, n_iter_
        As for every `LearnedClustering`.
    empty_clusters_ : ndarray of int64
        Clusters that ended without objects. An emptied cluster keeps its shares p_c, and no value
        speaks for it in P(c given x); one that k-modes has emptied counts as holding its mode.
    objective_ : float
        Sum of the distances of all objects to their clusters at the last assignment. The authors
        name no criterion for restarts; this is ours.
    tree_distances_ : tuple of ndarrays of float64, shape (v_j, v_j)
        T over the values that occur, of the attributes that vary.
    value_contributions_ : ndarray of float64, shape (L, k)
        What each of these values adds to D.

    Notes
    -----
    Constant attributes are left out, of m too. With two clusters the values are on a line, and the
    tree changes nothing. At most 51 rounds of either loop.

    References
    ----------
    Zhao and others, ECAI 2024, doi 10.3233/FAIA240709, arXiv 2603.03387.
    """

    equal_rows = False

    def __init__(
        self,
        n_clusters: int = 2,
        reading: str = "repaired",
        n_init: int = 1,
        init: ArrayLike | None = None,
        random_state: Seed = None,
    ) -> None:
        self.n_clusters = n_clusters
        self.reading = reading
        self.n_init = n_init
        self.init = init
        self.random_state = random_state

    def _check(self, owner: str, rows: CountedRows) -> None:
        super()._check(owner, rows)
        check_choice(owner, "reading", self.reading, ("repaired", "released"))

    def _rows(self, X: Data) -> CountedRows:
        return CountedRows.of(X, constants=False)

    def _run(self, rows: CountedRows, rng: Random) -> Run:
        k = self.n_clusters
        start = self._start(rows, rng)
        labels, modes, _ = batch_kmodes(rows, rows.inverse[start])
        distance = _Trees(rows, modes)
        distance.update(rows.counts(labels, k))
        found = alternate(
            rows,
            distance,
            labels,
            k,
            root=False,
            most_inner=_MOST_ROUNDS,
            most_outer=_MOST_ROUNDS,
            same_inner=equal_labels,
            same_outer=equal_sums if self.reading == "released" else equal_labels,
        )
        return finished(rows, found, distance, tree_distances_=distance.blocks())


class _Trees:
    """Path lengths between values, and the profiles of the clusters."""

    def __init__(self, rows: CountedRows, modes: np.ndarray) -> None:
        self.rows = rows
        v = np.diff(rows.offsets)
        self.starts = np.concatenate([[0], np.cumsum(v**2)]).astype(np.int64)
        self.scale = 1.0 / (rows.n_attributes * np.maximum(v - 1, 1))[rows.attribute, None]
        self.paths = np.zeros(self.starts[-1])
        self.profiles = np.zeros((rows.n_values, len(modes)))
        self.profiles[modes, np.arange(len(modes))[:, None]] = 1.0

    def learn(self, counts: np.ndarray) -> None:
        share = counts / counts.sum(axis=1, keepdims=True)
        k = counts.shape[1]
        self.paths = kernels.tree_distances(
            share, self.starts, self.rows.offsets, 1.0 / k, _LEAST_EDGE
        )

    def update(self, counts: np.ndarray) -> None:
        sizes = self.rows.sizes(counts)
        self.profiles = np.where(sizes > 0, counts / np.maximum(sizes, 1), self.profiles)

    def table(self) -> np.ndarray:
        sums = kernels.weighted_sums(self.paths, self.starts, self.rows.offsets, self.profiles)
        return sums * self.scale

    def blocks(self) -> tuple[np.ndarray, ...]:
        """Return the path lengths as one square per attribute."""
        paths = ValueMatrices(self.paths, self.rows.offsets)
        return tuple(paths.block(j) for j in range(paths.n_attributes))
