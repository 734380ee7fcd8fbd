"""DISC: learn for every cluster its own distances of values, from their shares in it."""

import numpy as np
from numba import njit

from replication.papers.study.rivals.clustering import (
    CountedRows,
    Distance,
    ReadDistance,
    Same,
    equal_labels,
    equal_partitions,
    mismatch_kmodes,
)

_EPSILON = 1e-10


class DISC(ReadDistance):
    """Cluster with distances of values that each cluster learns for itself (DISC).

    With p_c(x) the share of value x in cluster c, values x, y of an attribute are
    ``M_c(x, y) = |p_c(x) - p_c(y)|`` apart for cluster c: the length of the path between them in
    the minimum spanning tree of these differences. Inner rounds assign all objects to the nearest
    centre, then renew the centres; an outer round learns the M from the partition. The start is
    k-modes by mismatches from different rows, whose partition and modes are the first ones.

    An emptied cluster keeps its centre. Under "released" its M are 0 from the next outer round on,
    so that it takes all rows that are not at distance 0 of an earlier cluster. Under "repaired" and
    "literal" it keeps its M, as the text says nothing; a cluster that k-modes has emptied holds its
    mode alone.

    Parameters
    ----------
    n_clusters, random_state, max_iter
        See `LearnedDistance`. With a `max_iter` of 1 the distances are learnt once, from the
        k-modes partition.
    reading : {"repaired", "released", "literal"}, default "repaired"
        - "literal", the text: ``D(u, c) = sum_j M_cj(x_uj, centre_cj)``, centres are modes, and
          the outer loop stops when no label changes.
        - "released", the authors' program: ``D(u, c) = sqrt(sum_j M_cj(x_uj, centre_cj)^2)``;
          shares are divided by (their sum + 1e-10); a centre has in each attribute the value of
          least summed M from the objects of the cluster; the outer loop stops when the partition
          is the same up to the names of the clusters. For its starts see `OldMatlabRandom`.
        - "repaired": as "released", except for emptied clusters.

    Attributes
    ----------
    objective_ : float
        Sum of the distances of all objects to their centres at the last assignment. It falls to 0
        if clusters vanish, so restarts with fewer empty clusters are preferred.
    distance_ : OwnDistances
        The centres, and the shares p behind M.

    Notes
    -----
    The distances of a row to two clusters come from different M; a cluster with equal shares is
    near to every row. Shares are ratios of small integers, so exact ties are common, and rounding
    decides them: sums run in code order, in double precision. At most 101 inner rounds.

    References
    ----------
    Zhao and others, AAAI 2026, arXiv 2511.09049, eq. 1 to 10 and algorithm 1.
    """

    readings = ("literal", "released", "repaired")
    equal_rows = False
    most_inner = 101

    @property
    def root(self) -> bool:
        """Whether the distance is the root of the sum."""
        return self.reading != "literal"

    def _begin(self, rows: CountedRows, start: np.ndarray) -> tuple[Distance, np.ndarray]:
        labels, modes, _ = mismatch_kmodes(rows, start)
        return OwnDistances(rows, modes, self.reading), labels

    def _same(self) -> tuple[Same, Same]:
        return equal_labels, equal_partitions if self.root else equal_labels


class OwnDistances(Distance):
    """Shares of the values in each cluster, shape (L, k), and its centre, global value indices."""

    def __init__(self, rows: CountedRows, modes: np.ndarray, reading: str) -> None:
        super().__init__(rows, modes)
        self.reading, self.centres = reading, modes.copy()

    def learn(self, counts: np.ndarray) -> None:
        """Learn the shares."""
        sizes = self.rows.sizes(counts)
        shares = counts / np.maximum(sizes, 1)
        if self.reading != "literal":
            for part in self.rows.split(shares):
                # in code order, because ties depend on the last bit
                part /= sum(part) + _EPSILON
        if self.reading != "released":
            shares = np.where(sizes > 0, shares, self.profiles)
        self.profiles = shares

    def update(self, counts: np.ndarray) -> None:
        """Renew the centres."""
        if self.reading == "literal":
            self.centres = self.rows.modes(counts, self.centres)
        else:
            sizes = self.rows.sizes(counts)
            central_values(counts, sizes, self.rows.offsets, self.profiles, self.centres)

    def table(self) -> np.ndarray:
        """Return the differences from the shares of the centres' values, or their squares."""
        at_centre = self.profiles[self.centres, np.arange(len(self.centres))[:, None]]
        differences = np.abs(self.profiles - at_centre.T[self.rows.attribute])
        return differences if self.reading == "literal" else differences**2


@njit(cache=True)
def central_values(counts, sizes, offsets, shares, centres):
    """Write into `centres` the value with the least sum of share differences to the objects.

    ``centres[c, j]`` is the first of several values; a cluster without objects keeps its own. The
    weights of the sum are percentages divided by 100, as in the program, because ties depend on it.
    """
    for c in range(len(sizes)):
        for j in range(len(offsets) - 1):
            if sizes[c]:
                first, last = offsets[j], offsets[j + 1]
                weight = (100.0 * counts[first:last, c] / sizes[c]) / 100.0
                share = shares[first:last, c]
                sums = [(np.abs(share - one) * weight).sum() for one in share]
                centres[c, j] = first + np.argmin(np.array(sums))
