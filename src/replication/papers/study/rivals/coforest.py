"""COForest: learn distances of values along minimum spanning trees."""

import numpy as np

from couplings.learned.clustering import Data
from replication.papers.study.rivals.clustering import (
    CountedRows,
    Distance,
    ReadDistance,
    mismatch_kmodes,
    product,
)

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
    n_clusters, random_state, max_iter
        See `LearnedDistance`.
    reading : {"repaired", "released"}, default "repaired"
        End of the outer loop. "repaired": the labels are unchanged. "released", the authors'
        program: the sum of the labels is unchanged, as it may be for different partitions.

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
        labels, modes, _ = mismatch_kmodes(rows, start)
        return Trees(rows, modes), labels


class Trees(Distance):
    """Path lengths between values, one square per attribute, and the profiles of the clusters."""

    def __init__(self, rows: CountedRows, modes: np.ndarray) -> None:
        super().__init__(rows, modes)
        v = np.diff(rows.offsets)
        self.scale = 1.0 / (rows.n_attributes * np.maximum(v - 1, 1))[rows.attribute, None]
        self.paths = [np.zeros((size, size)) for size in v]

    def learn(self, counts: np.ndarray) -> None:
        """Learn the trees, and compute the shares, which the first round has not yet."""
        self.update(counts)
        shares = counts / counts.sum(axis=1, keepdims=True)
        self.paths = [tree_distances(one) for one in self.rows.split(shares)]

    def table(self) -> np.ndarray:
        """Return the mean path to the values of each cluster."""
        shares = self.rows.split(self.profiles)
        return np.concatenate([*map(product, self.paths, shares)]) * self.scale


def tree_distances(shares: np.ndarray) -> np.ndarray:
    """Return path lengths in the minimum spanning tree of an attribute's values, shape (v, v).

    An edge is the distance of two rows of `shares`, shape (v, k), divided by k; an edge 0 counts
    as 1e-8. Prim's algorithm starts at the smallest edge; ties go to the lowest value.
    """
    v, k = shares.shape
    # sums run over the clusters in order, because ties depend on the last bit
    squares = sum(((one[:, None] - one) ** 2 for one in shares.T), np.zeros((v, v)))
    edges = 1.0 / k * np.sqrt(squares)
    edges[edges == 0.0] = _LEAST_EDGE
    values = np.arange(v)
    root = np.where(values[:, None] == values, np.inf, edges).argmin() // v
    inside, parent = values == root, np.full(v, root)
    paths = np.zeros((v, v))
    for _ in range(v - 1):
        new = np.where(inside, np.inf, edges[parent, values]).argmin()
        paths[new, inside] = paths[parent[new], inside] + edges[parent[new], new]
        paths[inside, new] = paths[new, inside]
        inside[new] = True
        parent = np.where(edges[new] < edges[parent, values], new, parent)
    return paths
