"""HARR: every pair of values is a coordinate, with weights learnt from the clusters."""

from itertools import pairwise

import numpy as np
from numpy.typing import ArrayLike

from couplings._checks import check_choice
from couplings.counts import CooccurrenceCounts, cooccurrence
from couplings.errors import CouplingsError
from couplings.learned.clustering import Run
from replication.papers.study.rivals.alternation import alternate, equal_labels, finished
from replication.papers.study.rivals.rows import CountedRows
from replication.papers.study.rivals.starts import Random, Seed, StartedClustering

_MOST_ROUNDS = 100
_EPSILON = 1e-6
_MOST_NUMBERS = 20_000_000


class HARR(StartedClustering):
    """k-means of coordinates of value pairs, with learnt weights (HARR-V and HARR-M).

    Values x, y of attribute j are ``kappa(x, y) = sum over the values b of all other attributes of
    |P(x given b) - P(y given b)|`` apart. Each two values g, h of an attribute make a coordinate

        ``[kappa(x, g)^2 - kappa(x, h)^2 + kappa(g, h)^2] / (2 kappa(g, h))``,

    scaled to 0..1 over the values that occur. Objects are clustered around means by
    ``D(u, c) = sum_r w_r |x_ur - mean_cr|``; whenever the partition has settled the weights are
    renewed, until it settles on the same one: w_r is the share of ``S_r / (D_r + 1e-6)``, with D_r
    the mean of ``|x_ur - mean_cr|`` over the objects and their own clusters, S_r over the objects
    and the other clusters.

    Parameters
    ----------
    n_clusters : int, default 2
        Number of clusters, k.
    variant : {"V", "M"}, default "V"
        "V": one weight per coordinate. "M": one per coordinate and cluster, D over the objects of
        the cluster, S over those outside it.
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
        Clusters that ended without objects: an emptied cluster keeps its means, and with "M" its
        weights. The source says nothing of it.
    objective_ : float
        Sum of the distances of all objects to their clusters at the last assignment. The authors
        name no criterion for restarts; this is ours.
    weights_ : ndarray of float64, shape (r,) or (k, r)
        Weights of the coordinates: pairs (0, 1), (0, 2), (1, 2), ... of the values that occur,
        attribute after attribute. They sum to 1.
    value_contributions_ : ndarray of float64, shape (L, k)
        What each value that occurs adds to D.

    Notes
    -----
    Known from the text of a third party's program, which was not run; nominal attributes only. Its
    k-means++ start of HARR-V is not described there: both variants start from random objects here.
    At most 100 rounds of either loop.

    References
    ----------
    Zhang and others, Expert Systems with Applications 273 (2025) 126738, arXiv 2603.04458.
    """

    def __init__(
        self,
        n_clusters: int = 2,
        variant: str = "V",
        n_init: int = 1,
        init: ArrayLike | None = None,
        random_state: Seed = None,
    ) -> None:
        self.n_clusters = n_clusters
        self.variant = variant
        self.n_init = n_init
        self.init = init
        self.random_state = random_state

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

    def _run(self, rows: CountedRows, rng: Random) -> Run:
        k = self.n_clusters
        start = self._start(rows, rng)
        distance = _WeightedCoordinates(rows, rows.inverse[start], self.variant)
        found = alternate(
            rows,
            distance,
            None,
            k,
            root=False,
            most_inner=_MOST_ROUNDS,
            most_outer=_MOST_ROUNDS,
            same_inner=equal_labels,
            same_outer=equal_labels,
        )
        weights = distance.weights[0] if self.variant == "V" else distance.weights
        return finished(rows, found, distance, weights_=weights.copy())


def conditional_differences(counts: CooccurrenceCounts) -> list[np.ndarray]:
    """Return kappa, how differently two values share the values of the other attributes.

    Parameters
    ----------
    counts : CooccurrenceCounts
        Every declared value has to occur.

    Returns
    -------
    list of ndarray of float64, shape (v_j, v_j)
        Symmetric, zero diagonals.
    """
    given = counts.matrix / counts.marginals
    attribute = np.repeat(np.arange(counts.n_attributes), counts.n_values)
    result = []
    for j, (start, stop) in enumerate(pairwise(counts.offsets)):
        shares = given[start:stop, attribute != j]
        result.append(np.array([np.abs(shares - one).sum(axis=1) for one in shares]))
    return result


def pair_coordinates(kappa: np.ndarray) -> np.ndarray:
    """Return the scaled coordinates of the values of one attribute.

    Parameters
    ----------
    kappa : ndarray of float64, shape (v, v)
        As `conditional_differences` returns it.

    Returns
    -------
    ndarray of float64, shape (v, v (v - 1) / 2)
        In [0, 1]; columns are the pairs (0, 1), (0, 2), (1, 2), ... by their second value.
    """
    h, g = np.tril_indices(len(kappa), -1)
    between = kappa[g, h]
    raw = kappa[:, g] ** 2 - kappa[:, h] ** 2 + between**2
    raw = np.divide(raw, 2 * between, out=np.zeros_like(raw), where=between > 0)
    low = raw.min(axis=0)
    spread = raw.max(axis=0) - low
    return np.divide(raw - low, spread, out=np.zeros_like(raw), where=spread > 0)


class _WeightedCoordinates:
    """Coordinates of the values, means of the clusters, and weights of shape (k, r)."""

    def __init__(self, rows: CountedRows, start: np.ndarray, variant: str) -> None:
        counts = cooccurrence(rows.table, rows.weights)
        self.rows, self.variant = rows, variant
        self.values = [slice(a, b) for a, b in pairwise(rows.offsets)]
        self.coordinates = [pair_coordinates(kappa) for kappa in conditional_differences(counts)]
        ends = np.cumsum([0, *(block.shape[1] for block in self.coordinates)])
        self.columns = [slice(a, b) for a, b in pairwise(ends)]
        n_coordinates = int(ends[-1])
        self.frequency = counts.marginals
        self.weights = np.full((len(start), n_coordinates), 1.0 / max(n_coordinates, 1))
        self.means = np.empty((len(start), n_coordinates))
        profiles = np.zeros((rows.n_values, len(start)))
        profiles[rows.values[start], np.arange(len(start))[:, None]] = 1.0
        self._renew_means(profiles)

    def _renew_means(self, profiles: np.ndarray) -> None:
        for block, values, columns in zip(self.coordinates, self.values, self.columns, strict=True):
            # No matrix product: the order of its sums may differ between machines.
            self.means[:, columns] = (profiles[values].T[:, :, None] * block).sum(axis=1)

    def _gaps(self) -> list[np.ndarray]:
        """Return the distances of the values to the means, shape (v_j, k, r_j) per attribute."""
        return [
            np.abs(block[:, None, :] - self.means[None, :, columns])
            for block, columns in zip(self.coordinates, self.columns, strict=True)
        ]

    def learn(self, counts: np.ndarray) -> None:
        sizes = self.rows.sizes(counts)
        own, other = np.empty_like(self.means), np.empty_like(self.means)
        for gap, values, columns in zip(self._gaps(), self.values, self.columns, strict=True):
            inside = counts[values][:, :, None]
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
        sizes = self.rows.sizes(counts)
        kept = self.means.copy()
        self._renew_means(counts / np.maximum(sizes, 1))
        self.means = np.where(sizes[:, None] > 0, self.means, kept)

    def table(self) -> np.ndarray:
        return np.concatenate(
            [
                (gap * self.weights[None, :, columns]).sum(axis=2)
                for gap, columns in zip(self._gaps(), self.columns, strict=True)
            ]
        )
