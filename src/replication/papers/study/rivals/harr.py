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
_MOST_NUMBERS = 20_000_000


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
    n_clusters, n_init, init, random_state, max_iter
        See `LearnedDistance`; a `max_iter` of 100 is the default.
    variant : {"V", "M"}, default "V"
        "V": one weight per coordinate. "M": one per coordinate and cluster, with D over the objects
        in the cluster and S over those outside.

    Attributes
    ----------
    weights_ : ndarray of float64, shape (r,) or (k, r)
        Weights of the coordinates: pairs (0, 1), (0, 2), (1, 2), ... of the values that occur,
        attribute after attribute. They sum to 1.

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
        v = np.diff(rows.offsets)
        numbers = int((v * (v * (v - 1) // 2)).sum()) * self.n_clusters
        if numbers > _MOST_NUMBERS:
            widest = int(v.argmax())
            raise CouplingsError(
                f"{owner}: the pairs of values make {numbers} numbers, more than {_MOST_NUMBERS}; "
                f"merge rare values of wide attributes ({rows.table.attributes[widest]!r} has "
                f"{v[widest]})"
            )

    def _begin(self, rows: CountedRows, start: np.ndarray) -> tuple[Distance, None]:
        return WeightedCoordinates(rows, rows.values[start], self.variant), None


def conditional_differences(counts: CooccurrenceCounts) -> list[np.ndarray]:
    """Return kappa between the values of each attribute, one square per attribute.

    Every declared value must occur.
    """
    given = counts.matrix / counts.marginals
    attribute = np.repeat(np.arange(counts.n_attributes), counts.n_values)
    result = []
    for j, (start, stop) in enumerate(pairwise(counts.offsets)):
        shares = given[start:stop, attribute != j]
        result.append(np.array([np.abs(shares - one).sum(axis=1) for one in shares]))
    return result


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
    """Coordinates of the values, means of the clusters, and weights of shape (k, r)."""

    def __init__(self, rows: CountedRows, modes: np.ndarray, variant: str) -> None:
        super().__init__(rows, modes)
        counts = cooccurrence(rows.table, rows.weights)
        self.variant, self.frequency = variant, counts.marginals
        coordinates = [pair_coordinates(kappa) for kappa in conditional_differences(counts)]
        ends = np.cumsum([0, *(block.shape[1] for block in coordinates)])
        # of each attribute: coordinates, its values, and its part of all coordinates
        self.parts = [
            (block, slice(*values), slice(*columns))
            for block, values, columns in zip(
                coordinates, pairwise(rows.offsets), pairwise(ends), strict=True
            )
        ]
        shape = (len(modes), int(ends[-1]))
        self.weights, self.means = np.full(shape, 1.0 / max(shape[1], 1)), np.empty(shape)
        self._renew_means(self.profiles)

    def _renew_means(self, profiles: np.ndarray) -> None:
        for block, values, columns in self.parts:
            # no matrix product, whose sums may have another order on another machine
            self.means[:, columns] = (profiles[values].T[:, :, None] * block).sum(axis=1)

    def _gap(self, block: np.ndarray, columns: slice) -> np.ndarray:
        """Return the distances of an attribute's values to the means, shape (v_j, k, r_j)."""
        return np.abs(block[:, None, :] - self.means[None, :, columns])

    def learn(self, counts: np.ndarray) -> None:
        """Learn the weights."""
        sizes = self.rows.sizes(counts)
        own, other = np.empty_like(self.means), np.empty_like(self.means)
        for block, values, columns in self.parts:
            gap, inside = self._gap(block, columns), counts[values][:, :, None]
            outside = self.frequency[values][:, None, None] - inside
            own[:, columns] = (inside * gap).sum(axis=0)
            other[:, columns] = (outside * gap).sum(axis=0)
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

    def update(self, counts: np.ndarray) -> None:
        """Compute the means; an empty cluster keeps its old ones."""
        super().update(counts)
        self._renew_means(self.profiles)

    def table(self) -> np.ndarray:
        """Return the weighted distances of the values to the means."""
        sums = [
            (self._gap(block, columns) * self.weights[None, :, columns]).sum(axis=2)
            for block, _, columns in self.parts
        ]
        return np.concatenate(sums)

    def details(self) -> dict[str, np.ndarray]:
        """Return the weights, as one vector if all clusters share them."""
        return {"weights_": self.weights[0] if self.variant == "V" else self.weights.copy()}
