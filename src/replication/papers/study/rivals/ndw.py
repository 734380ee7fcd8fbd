"""HD-NDW: homogeneous distance with weights of value pairs learnt from the clusters."""

import math

import numpy as np
from numpy.typing import ArrayLike

from couplings._checks import check_choice
from couplings._kernels import contexts
from couplings.counts import cooccurrence
from couplings.learned.clustering import Run
from couplings.values import ValueMatrices
from replication.papers.study.rivals import kernels
from replication.papers.study.rivals.alternation import (
    alternate,
    equal_labels,
    equal_sums,
    finished,
)
from replication.papers.study.rivals.rows import CountedRows
from replication.papers.study.rivals.starts import Random, Seed, StartedClustering

_MOST_ROUNDS = 51


class HDNDW(StartedClustering):
    """Clusters by homogeneous distances whose weights are learnt with them (HD-NDW).

    With p_c(b) the share of value b in cluster c, HD the dissimilarities of `HD` and W weights of
    pairs of values,

        ``D(u, c) = sqrt(sum_j [sum_b p_c(b) HD_j(x_uj, b) W_j(x_uj, b)]^2)``.

    Inner rounds assign all objects, then renew the p_c. An outer round then sets
    ``W_j(x, y) = HD_j(x, y) (1 - sum_c P(c given x) P(c given y))``, divided so that all pairs of
    all attributes add up to 1; in the first one all W are equal.

    Parameters
    ----------
    n_clusters : int, default 2
        Number of clusters, k.
    reading : {"repaired", "released"}, default "repaired"
        When a loop stops: "repaired" when the labels stay the same, "released", as the authors'
        program, when the sum of the labels stays the same, which is true of some different
        partitions.
    n_init : int, default 1
        Number of starts.
    init : array_like of int, shape (k,), optional
        Objects to start from, instead of random ones.
    random_state : int, SeedSequence, Generator, OldMatlabRandom or None, default None
        Seed of the starts: k objects, which may be equal in all attributes.

    Attributes
    ----------
    labels_, n_iter_
        As for every `LearnedClustering`.
    empty_clusters_ : ndarray of int64
        Clusters that ended without objects: an emptied cluster is never chosen again.
    objective_ : float
        Sum of the distances of all objects to their clusters at the last assignment. The authors
        name no criterion for restarts; this is ours.
    pair_weights_ : tuple of m ndarrays of float64, shape (v_j, v_j)
        W over the values that occur, zero on the diagonal.
    value_contributions_ : ndarray of float64, shape (L, k)
        What each value that occurs adds to the square of D; infinite for an empty cluster.

    Notes
    -----
    The text was not available: this is what the program computes. Its weights multiply HD, which
    they contain already. At most 51 rounds of either loop.

    References
    ----------
    Zhang and Cheung, IEEE TPAMI 44 (2022), doi 10.1109/TPAMI.2021.3056510.
    """

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

    def _run(self, rows: CountedRows, rng: Random) -> Run:
        k = self.n_clusters
        start = self._start(rows, rng)
        distance = _WeightedPairs(rows, rows.inverse[start])
        same = equal_sums if self.reading == "released" else equal_labels
        found = alternate(
            rows,
            distance,
            None,
            k,
            root=True,
            most_inner=_MOST_ROUNDS,
            most_outer=_MOST_ROUNDS,
            same_inner=same,
            same_outer=same,
        )
        return finished(rows, found, distance, pair_weights_=tuple(distance.pair_weights()))


class _WeightedPairs:
    """Profiles of the clusters, and the weights of value pairs."""

    def __init__(self, rows: CountedRows, start: np.ndarray) -> None:
        counts = cooccurrence(rows.table, rows.weights)
        self.rows, self.frequency = rows, counts.marginals
        self.hd = ValueMatrices.from_blocks(
            [
                contexts.sized_variation(counts.matrix, counts.offsets, j)
                for j in range(rows.n_attributes)
            ]
        )
        self.weights = _normalised((self.hd.data > 0).astype(np.float64))
        self.profiles = np.zeros((rows.n_values, len(start)))
        self.profiles[rows.values[start], np.arange(len(start))[:, None]] = 1.0

    def learn(self, counts: np.ndarray) -> None:
        share = counts / self.frequency[:, None]
        together = kernels.inner_products(share, self.hd.starts, self.hd.offsets)
        self.weights = _normalised(self.hd.data * (1.0 - together))

    def update(self, counts: np.ndarray) -> None:
        sizes = self.rows.sizes(counts)
        # Where the program divides by 0 no row is near.
        self.profiles = np.where(sizes > 0, counts / np.maximum(sizes, 1), np.inf)

    def table(self) -> np.ndarray:
        sums = kernels.weighted_sums(
            self.hd.data * self.weights,
            self.hd.starts,
            self.hd.offsets,
            np.where(np.isfinite(self.profiles), self.profiles, 0.0),
        )
        return np.where(np.isfinite(self.profiles), sums**2, np.inf)

    def pair_weights(self) -> list[np.ndarray]:
        """Return the weights as one square per attribute."""
        weights = ValueMatrices(self.weights, self.hd.offsets)
        return [weights.block(j) for j in range(weights.n_attributes)]


def _normalised(weights: np.ndarray) -> np.ndarray:
    """Return the weights divided by the sum over all unordered pairs of different values."""
    # Correctly rounded, so that no order of summation decides ties.
    total = math.fsum(weights) / 2
    return weights / total if total > 0 else weights
