"""COForest: learn distances of values along minimum spanning trees."""

import numpy as np

from couplings.learned.clustering import Data
from couplings.values import ValueMatrices
from replication.papers.study.rivals import kernels
from replication.papers.study.rivals.clustering import CountedRows, Distance, ReadDistance
from replication.papers.study.rivals.mismatches import batch_kmodes

_LEAST_EDGE = 1e-8


class COForest(ReadDistance):
    """Cluster by path lengths in trees of values, which are learnt with the clusters (COForest).

    The edge of values x, y of attribute j is
    ``(1 / k) sqrt(sum_c (P(c given x) - P(c given y))^2)``, 0 counting as 1e-8; T_j(x, y) is the
    length of the path in their minimum spanning tree. With p_c the shares of the values in
    cluster c,

        ``D(u, c) = (1 / m) sum_j (1 / (v_j - 1)) sum_b T_j(x_uj, b) p_c(b)``.

    An outer round learns the trees from the partition, an inner round computes the p_c. The start
    is k-modes by mismatches from different rows. An emptied cluster keeps its shares p_c, and its
    P(c given x) are 0; a cluster that k-modes has emptied holds its mode.

    Parameters
    ----------
    n_clusters, n_init, init, random_state, max_iter
        See `LearnedDistance`.
    reading : {"repaired", "released"}, default "repaired"
        End of the outer loop. "repaired": the labels are unchanged. "released", the authors'
        program: the sum of the labels is unchanged, as it may be for different partitions.

    Attributes
    ----------
    tree_distances_ : tuple of ndarrays of float64, shape (v_j, v_j)
        T over the values that occur, for the attributes that vary.

    Notes
    -----
    Constant attributes are left out, and do not count in m. With two clusters the values lie on a
    line, and the tree changes nothing. At most 51 inner rounds.

    References
    ----------
    Zhao and others, ECAI 2024, doi 10.3233/FAIA240709, arXiv 2603.03387.
    """

    equal_rows = False

    def _rows(self, X: Data) -> CountedRows:
        return CountedRows.of(X, constants=False)

    def _begin(self, rows: CountedRows, start: np.ndarray) -> tuple[Distance, np.ndarray]:
        labels, modes, _ = batch_kmodes(rows, start)
        distance = Trees(rows, modes)
        distance.update(rows.counts(labels, self.n_clusters))
        return distance, labels


class Trees(Distance):
    """Path lengths between values, and the profiles of the clusters."""

    def __init__(self, rows: CountedRows, modes: np.ndarray) -> None:
        super().__init__(rows, modes)
        v = np.diff(rows.offsets)
        self.starts = np.concatenate([[0], np.cumsum(v**2)]).astype(np.int64)
        self.scale = 1.0 / (rows.n_attributes * np.maximum(v - 1, 1))[rows.attribute, None]
        self.paths = np.zeros(self.starts[-1])

    def learn(self, counts: np.ndarray) -> None:
        """Learn the trees."""
        share = counts / counts.sum(axis=1, keepdims=True)
        self.paths = kernels.tree_distances(
            share, self.starts, self.rows.offsets, 1.0 / counts.shape[1], _LEAST_EDGE
        )

    def table(self) -> np.ndarray:
        """Return the mean path to the values of each cluster."""
        sums = kernels.weighted_sums(self.paths, self.starts, self.rows.offsets, self.profiles)
        return sums * self.scale

    def details(self) -> dict[str, tuple[np.ndarray, ...]]:
        """Return the path lengths as one square per attribute."""
        paths = ValueMatrices(self.paths, self.rows.offsets)
        return {"tree_distances_": tuple(paths.block(j) for j in range(paths.n_attributes))}
