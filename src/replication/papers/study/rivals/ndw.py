"""HD-NDW: homogeneous distance with learnt weights of value pairs."""

import itertools
import math

import numpy as np

from couplings._kernels.contexts import SIZED
from couplings.counts import cooccurrence
from couplings.measures.contexts import by_contexts
from replication.papers.study.rivals.clustering import (
    CountedRows,
    Distance,
    ReadDistance,
    Same,
    equal_labels,
    equal_sums,
    product,
)


class HDNDW(ReadDistance):
    """Cluster by homogeneous distances, whose weights are learnt with the clusters (HD-NDW).

    With p_c(b) the share of value b in cluster c, HD the dissimilarities of `HD` and W weights of
    pairs of values,

        ``D(u, c) = sqrt(sum_j [sum_b p_c(b) HD_j(x_uj, b) W_j(x_uj, b)]^2)``.

    Inner rounds compute the p_c. An outer round sets
    ``W_j(x, y) = HD_j(x, y) (1 - sum_c P(c given x) P(c given y))``, divided so that all pairs of
    all attributes add up to 1; in the first one all W are equal. The start is k objects, which may
    be equal in all attributes. An emptied cluster is never chosen again.

    Parameters
    ----------
    n_clusters, random_state, max_iter
        See `LearnedDistance`.
    reading : {"repaired", "released"}, default "repaired"
        End of a loop. "repaired": the labels are unchanged. "released", the authors' program: the
        sum of the labels is unchanged, as it may be for different partitions.

    Notes
    -----
    The text was not available; this class follows the program. Its weights multiply HD, although
    they contain it already. At most 51 inner rounds.

    References
    ----------
    Zhang and Cheung, IEEE TPAMI 44 (2022), doi 10.1109/TPAMI.2021.3056510.
    """

    root = True

    def _begin(self, rows: CountedRows, start: np.ndarray) -> tuple[Distance, None]:
        return WeightedPairs(rows, rows.values[start]), None

    def _same(self) -> tuple[Same, Same]:
        same = equal_sums if self.reading == "released" else equal_labels
        return same, same


class WeightedPairs(Distance):
    """Profiles of the clusters, and the weights of value pairs, one square per attribute."""

    def __init__(self, rows: CountedRows, modes: np.ndarray) -> None:
        super().__init__(rows, modes)
        counts = cooccurrence(rows.table, rows.weights)
        matrices = by_contexts(SIZED, counts)
        self.frequency = counts.marginals
        self.hd = [matrices.block(j) for j in range(matrices.n_attributes)]
        self.weights = _normalised([(block > 0).astype(np.float64) for block in self.hd])

    def learn(self, counts: np.ndarray) -> None:
        """Learn the weights."""
        shares = self.rows.split(counts / self.frequency[:, None])
        self.weights = _normalised(
            [hd * (1.0 - product(p, p.T)) for hd, p in zip(self.hd, shares, strict=True)]
        )

    def update(self, counts: np.ndarray) -> None:
        """Compute the shares; they are infinite for an empty cluster, which no row is near."""
        sizes = self.rows.sizes(counts)
        self.profiles = np.where(sizes > 0, counts / np.maximum(sizes, 1), np.inf)

    def table(self) -> np.ndarray:
        """Return the squared weighted distances, infinite for an empty cluster."""
        there = np.isfinite(self.profiles)
        shares = self.rows.split(np.where(there, self.profiles, 0.0))
        weighted = map(np.multiply, self.hd, self.weights)
        sums = np.concatenate([*map(product, weighted, shares)])
        return np.where(there, sums**2, np.inf)


def _normalised(weights: list[np.ndarray]) -> list[np.ndarray]:
    """Return the weights divided by the sum over all unordered pairs of different values."""
    # Correctly rounded, so that no order of summation decides ties.
    total = math.fsum(itertools.chain(*map(np.ravel, weights))) / 2
    return [one / total for one in weights] if total > 0 else weights
