"""DISC: every cluster has its own distances of values, learnt from its shares."""

import numpy as np
from numpy.typing import ArrayLike

from couplings._checks import check_choice, check_positive
from couplings.learned.clustering import Run
from replication.papers.disc import kernels
from replication.papers.study.rivals.alternation import (
    alternate,
    equal_labels,
    equal_partitions,
    finished,
)
from replication.papers.study.rivals.mismatches import batch_kmodes
from replication.papers.study.rivals.rows import CountedRows
from replication.papers.study.rivals.starts import Random, Seed, StartedClustering

READINGS = ("literal", "released", "repaired")
_MOST_INNER = 101
_MOST_OUTER = 51
_EPSILON = 1e-10


class DISC(StartedClustering):
    """Clusters with distances of their own (DISC).

    With p_c(x) the share of value x in cluster c, values x, y of an attribute are
    ``M_c(x, y) = |p_c(x) - p_c(y)|`` apart for cluster c: the length of the path between them in
    the minimum spanning tree of these differences. Inner rounds assign all objects to the nearest
    centre, then renew the centres; an outer round learns the M from the partition. The start is
    k-modes by mismatches, whose partition and modes are the first ones.

    Parameters
    ----------
    n_clusters : int, default 2
        Number of clusters, k.
    reading : {"repaired", "released", "literal"}, default "repaired"
        - "literal", the text: ``D(u, c) = sum_j M_cj(x_uj, centre_cj)``, centres are modes, and
          the outer loop stops when no label changes.
        - "released", the authors' program: ``D(u, c) = sqrt(sum_j M_cj(x_uj, centre_cj)^2)``;
          shares are divided by (their sum + 1e-10); a centre has in each attribute the value of
          least summed M from the objects of the cluster; the outer loop stops when the partition
          is the same up to the names of the clusters. For its starts see `OldMatlabRandom`.
        - "repaired": as "released", but for emptied clusters.
    n_init : int, default 1
        Number of starts.
    init : array_like of int, shape (k,), optional
        Objects that k-modes starts from, instead of random ones.
    random_state : int, SeedSequence, Generator, OldMatlabRandom or None, default None
        Seed of the starts: objects drawn one by one, equal rows again.
    max_iter : int, default 51
        Most outer rounds. With 1 the distances are learnt once, from the k-modes partition.

    Attributes
    ----------
    labels_, n_iter_
        As for every `LearnedClustering`.
    empty_clusters_ : ndarray of int64
        Clusters that ended without objects. An emptied cluster keeps its centre. "released": its M
        are 0 from the next outer round on, so that it takes the rows that are not at distance
        0 of an earlier cluster. "repaired" and "literal", of which the text says nothing: it keeps
        its M; one that k-modes has emptied counts as holding its mode alone.
    objective_ : float
        Sum of the distances of all objects to their centres at the last assignment. It falls to 0
        where clusters vanish: restarts with fewer empty clusters come first.
    centres_ : ndarray of int64, shape (k, m)
        Centres, positions in the values that occur, in code order.
    value_shares_ : ndarray of float64, shape (L, k)
        The shares p behind M.
    value_contributions_ : ndarray of float64, shape (L, k)
        What each value that occurs adds to D, or to the square of D.

    Notes
    -----
    The distances of a row to two clusters are of different M; a cluster whose shares are all alike
    is near to everything. Shares are ratios of small integers, so exact ties are common and
    floating point decides them: sums run in code order, in double precision. At most 101 inner
    rounds.

    References
    ----------
    Zhao and others, AAAI 2026, arXiv 2511.09049, eq. 1 to 10 and algorithm 1.
    """

    equal_rows = False

    def __init__(
        self,
        n_clusters: int = 2,
        reading: str = "repaired",
        n_init: int = 1,
        init: ArrayLike | None = None,
        random_state: Seed = None,
        max_iter: int = _MOST_OUTER,
    ) -> None:
        self.n_clusters = n_clusters
        self.reading = reading
        self.n_init = n_init
        self.init = init
        self.random_state = random_state
        self.max_iter = max_iter

    def _check(self, owner: str, rows: CountedRows) -> None:
        super()._check(owner, rows)
        check_choice(owner, "reading", self.reading, READINGS)
        check_positive(owner, "max_iter", self.max_iter)

    def _run(self, rows: CountedRows, rng: Random) -> Run:
        k = self.n_clusters
        start = self._start(rows, rng)
        labels, modes, _ = batch_kmodes(rows, rows.inverse[start])
        distance = _OwnDistances(rows, modes, self.reading)
        found = alternate(
            rows,
            distance,
            labels,
            k,
            root=self.reading != "literal",
            most_inner=_MOST_INNER,
            most_outer=self.max_iter,
            same_inner=equal_labels,
            same_outer=equal_labels if self.reading == "literal" else equal_partitions,
        )
        return finished(
            rows,
            found,
            distance,
            centres_=distance.centres - rows.offsets[:-1],
            value_shares_=distance.shares,
        )


class _OwnDistances:
    """Shares of the values in each cluster, and its centre."""

    def __init__(self, rows: CountedRows, modes: np.ndarray, reading: str) -> None:
        self.rows, self.reading = rows, reading
        self.centres = modes.copy()
        self.shares = np.zeros((rows.n_values, len(modes)))
        self.shares[modes, np.arange(len(modes))[:, None]] = 1.0

    def learn(self, counts: np.ndarray) -> None:
        sizes = self.rows.sizes(counts)
        shares = counts / np.maximum(sizes, 1)
        if self.reading != "literal":
            kernels.divide_by_sums(shares, self.rows.offsets, _EPSILON)
        if self.reading != "released":
            shares = np.where(sizes > 0, shares, self.shares)
        self.shares = shares

    def update(self, counts: np.ndarray) -> None:
        if self.reading == "literal":
            self.centres = self.rows.modes(counts, self.centres)
        else:
            sizes = self.rows.sizes(counts)
            kernels.central_values(counts, sizes, self.rows.offsets, self.shares, self.centres)

    def table(self) -> np.ndarray:
        cluster = np.arange(len(self.centres))
        at_centre = self.shares[self.centres, cluster[:, None]]
        differences = np.abs(self.shares - at_centre.T[self.rows.attribute])
        return differences if self.reading == "literal" else differences**2
