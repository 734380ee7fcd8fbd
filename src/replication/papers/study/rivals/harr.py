"""HARR: represent values by coordinates of value pairs, with learnt weights."""

from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from couplings._checks import check_choice
from couplings.counts import CooccurrenceCounts, cooccurrence
from couplings.errors import CouplingsError
from replication.papers.study.rivals.clustering import CountedRows, Distance, LearnedDistance

_MOST_ROUNDS = 100
_EPSILON = 1e-6


@dataclass(eq=False, repr=False)
class HARR(LearnedDistance):
    """Cluster by weighted coordinates of value pairs, whose weights are learnt (HARR-V, HARR-M).

    Values x, y of attribute j are ``kappa(x, y) = sum over the values b of all other attributes of
    |P(x given b) - P(y given b)|`` apart. Each two values g, h of an attribute make a coordinate

        ``[kappa(x, g)^2 - kappa(x, h)^2 + kappa(g, h)^2] / (2 kappa(g, h))``,

    scaled to 0..1 over the values that occur. Objects are clustered around means by
    ``D(u, c) = sum_r w_r |x_ur - mean_cr|``. When the partition is stable the weights are learnt,
    until the stable partition is the same as before: w_r is the share of ``S_r / (D_r + 1e-6)``,
    where D_r is the mean of ``|x_ur - mean_cr|`` over the objects and their own clusters, and S_r
    that over the objects and the other clusters. The start is k objects, which may be equal in all
    attributes. An emptied cluster keeps its means, and with "M" its weights; the source does not
    mention this case.

    Parameters
    ----------
    n_clusters, random_state, max_iter
        See `LearnedDistance`; a `max_iter` of 100 is the default.
    variant : {"V", "M"}, default "V"
        "V": one weight per coordinate. "M": one per coordinate and cluster, with D over the objects
        in the cluster and S over those outside.

    Notes
    -----
    The source is the text of a third party's program, which was not run; nominal attributes only.
    It does not describe the k-means++ start of HARR-V, so both variants start from random objects.
    At most 100 inner rounds.

    References
    ----------
    Zhang and others, Expert Systems with Applications 273 (2025) 126738, arXiv 2603.04458.
    """

    most_inner = _MOST_ROUNDS
    max_iter: int = _MOST_ROUNDS
    variant: str = "V"

    def _check(self, owner: str, rows: CountedRows) -> None:
        super()._check(owner, rows)
        check_choice(owner, "variant", self.variant, ("V", "M"))
        if rows.n_attributes < 2:
            raise CouplingsError(
                f"{owner} compares the values of an attribute by the other attributes, and there "
                "is only one"
            )

    def _begin(self, rows: CountedRows, start: np.ndarray) -> tuple[Distance, None]:
        return WeightedCoordinates(rows, rows.values[start], self.variant), None


def conditional_differences(counts: CooccurrenceCounts) -> list[np.ndarray]:
    """Return kappa between the values of each attribute, one square per attribute.

    Every declared value must occur.
    """
    given = counts.matrix / counts.marginals
    attribute = np.repeat(np.arange(counts.n_attributes), counts.n_values)
    bounds = enumerate(pairwise(counts.offsets))
    shares = [given[start:stop, attribute != j] for j, (start, stop) in bounds]
    return [np.array([np.abs(part - one).sum(axis=1) for one in part]) for part in shares]


def pair_coordinates(kappa: np.ndarray) -> np.ndarray:
    """Return the scaled coordinates of the values of one attribute from their kappa.

    In [0, 1], shape (v, v (v - 1) / 2): columns are the pairs (0, 1), (0, 2), (1, 2), ... by their
    second value.
    """
    h, g = np.tril_indices(len(kappa), -1)
    between = kappa[g, h]
    raw = kappa[:, g] ** 2 - kappa[:, h] ** 2 + between**2
    raw = np.divide(raw, 2 * between, out=np.zeros_like(raw), where=between > 0)
    low = raw.min(axis=0)
    spread = raw.max(axis=0) - low
    return np.divide(raw - low, spread, out=np.zeros_like(raw), where=spread > 0)


class WeightedCoordinates(Distance):
    """Coordinates of the values, profiles of the clusters, and weights of shape (k, r).

    Columns are pairs (0, 1), (0, 2), (1, 2), ... of the values that occur, attribute after
    attribute. The weights of a cluster sum to 1.
    """

    def __init__(self, rows: CountedRows, modes: np.ndarray, variant: str) -> None:
        super().__init__(rows, modes)
        counts = cooccurrence(rows.table, rows.weights)
        self.variant, self.frequency = variant, rows.split(counts.marginals)
        self.coordinates = [pair_coordinates(kappa) for kappa in conditional_differences(counts)]
        size = sum(block.shape[1] for block in self.coordinates)
        self.weights = np.full((len(modes), size), 1.0 / max(size, 1))

    def gaps(self) -> list[np.ndarray]:
        """Return the distances of each attribute's values to the means, shape (v_j, k, r_j)."""
        parts = [*zip(self.coordinates, self.rows.split(self.profiles), strict=True)]
        # no matrix product, whose sums may have another order on another machine
        means = [(shares.T[:, :, None] * block).sum(axis=1) for block, shares in parts]
        # the layout decides the order of later sums
        return [
            np.abs(block[:, None] - np.ascontiguousarray(mean))
            for (block, _), mean in zip(parts, means, strict=True)
        ]

    def learn(self, counts: np.ndarray) -> None:
        """Learn the weights."""
        sizes = self.rows.sizes(counts)
        inside = [part[:, :, None] for part in self.rows.split(counts)]
        parts = [*zip(self.frequency, inside, self.gaps(), strict=True)]
        own = np.hstack([(part * gap).sum(axis=0) for _, part, gap in parts])
        other = np.hstack([((f[:, None, None] - part) * gap).sum(axis=0) for f, part, gap in parts])
        n, k = self.rows.n_objects, len(sizes)
        if self.variant == "V":
            own = np.broadcast_to(own.sum(axis=0) / n, own.shape)
            other = np.broadcast_to(other.sum(axis=0) / (n * max(k - 1, 1)), other.shape)
        else:
            own = own / np.maximum(sizes, 1)[:, None]
            other = other / np.maximum(n - sizes, 1)[:, None]
        ratio = other / (own + _EPSILON)
        total = ratio.sum(axis=1, keepdims=True)
        renewed = total > 0
        if self.variant == "M":
            renewed &= sizes[:, None] > 0
        self.weights = np.where(renewed, ratio / np.where(renewed, total, 1.0), self.weights)

    def table(self) -> np.ndarray:
        """Return the weighted distances of the values to the means."""
        ends = np.cumsum([block.shape[1] for block in self.coordinates])
        weights = np.split(self.weights, ends[:-1], axis=1)
        parts = zip(self.gaps(), weights, strict=True)
        return np.concatenate([(gap * weight).sum(axis=2) for gap, weight in parts])
