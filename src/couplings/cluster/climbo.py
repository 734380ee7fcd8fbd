"""CLIMBO: LIMBO with a coupled dissimilarity of clusters instead of the information loss.

A cluster c of values of one attribute has the frequency f_c, which is the sum over its values, the
share p_c = f_c / n, and for every other attribute the distribution of co-occurring values. The mean
total variation of two such distributions over these attributes is 1 - IeASV; since no cell is
missing, it equals the total variation TV of the distributions over all their values together. A
cluster of objects is described in the same way by all attributes.

References
----------
CASO: Wang, Dong, Zhou, Cao, Chi, "Coupled Attribute Similarity Learning on Categorical Data",
IEEE TNNLS 26 (2015), section VIII-C. The paper replaces the information loss by CADO (eq. 16) and
objects by clusters; the details are our reading.
"""

from dataclasses import dataclass
from typing import Any

import numpy as np

from couplings._checks import check_choice, check_clusters, check_positive
from couplings._kernels import variation as _kernels
from couplings.cluster._base import numbered, roots
from couplings.cluster._items import ItemClustering, fitting_unit
from couplings.cluster.joint_counts import JointCounts
from couplings.counts import counts_of
from couplings.errors import CouplingsError

_KINDS = {"literal": _kernels.LITERAL, "mass": _kernels.MASS, "mass-full": _kernels.MASS_FULL}


@dataclass(eq=False, repr=False)
class Climbo(ItemClustering):
    """CLIMBO: agglomerative clustering of objects with a coupled dissimilarity.

    Distinct objects are merged, nearest pair first; then every object joins its nearest cluster.
    The result is deterministic; the order of the objects decides ties.

    Parameters
    ----------
    n_clusters : int >= 1, default 2
        Number of clusters. Fewer result if the data have fewer distinct objects, or if no object
        joins a cluster.
    distance : {"literal", "mass", "mass-full"}, default "literal"
        Distance of two clusters; see `coupled_agglomeration`.
    missing, unknown
        As in `Limbo`.
    n_jobs : int, optional
        Maximum number of threads; None and -1 use all cores.

    Attributes
    ----------
    labels_, representatives_, priors_, n_clusters_
        As in `ItemClustering`.
    distances_ : ndarray of float64
        Distance of each merged pair, in the order of the merges.
    n_features_in_, feature_names_in_
        As in `Clustering`.

    Examples
    --------
    >>> from couplings.cluster import Climbo
    >>> cars = [["vw", "gas"], ["vw", "gas"], ["vw", "oil"], ["bmw", "oil"], ["bmw", "oil"]]
    >>> climbo = Climbo(n_clusters=2, distance="mass").fit(cars)
    >>> climbo.labels_
    array([0, 0, 0, 1, 1])
    >>> climbo.predict([["bmw", "oil"]])
    array([1])
    """

    n_clusters: int = 2
    distance: str = "literal"
    missing: str = "raise"
    unknown: str = "warn"
    n_jobs: int | None = None

    def _merge(self, leaves: JointCounts, n_clusters: int, n_attributes: int) -> np.ndarray:
        labels, self.distances_ = coupled_agglomeration(
            leaves, n_clusters, n_attributes, self.distance
        )
        return labels

    def _assign(self, items: JointCounts) -> np.ndarray:
        return assign_coupled(items, self._representatives, self.distance)


def value_items(counts: Any, attribute: int) -> JointCounts:
    """Return the values of an attribute as items, described by the other attributes.

    Parameters
    ----------
    counts : CooccurrenceCounts, or table of any kind
        Counts of m > 1 attributes; every value of `attribute` occurs.
    attribute : int
        The attribute, from 0.

    Returns
    -------
    JointCounts
        Item x has the counts N[x, b] of the values b of all other attributes, in their order, and
        the mass (m - 1) f_x. LIMBO clusters values with the same items.

    Raises
    ------
    CouplingsError
        If the table has one attribute, the index is out of range, or a value never occurs.
    """
    counts = counts_of(counts)
    m = counts.n_attributes
    if not 0 <= attribute < m:
        raise CouplingsError(f"attribute {attribute} is out of range; the table has {m} attributes")
    if m < 2:
        raise CouplingsError("value_items compares by other attributes, and there is only one")
    start, end = counts.offsets[attribute], counts.offsets[attribute + 1]
    rows = counts.matrix[start:end]
    if not rows.any(axis=1).all():
        absent = int(np.flatnonzero(~rows.any(axis=1))[0])
        raise CouplingsError(f"value {absent} of attribute {attribute} never occurs; remove it")
    return JointCounts.from_array(np.delete(rows, slice(start, end), axis=1))


def coupled_agglomeration(
    items: JointCounts, n_clusters: int, contexts: int, distance: str = "literal"
) -> tuple[np.ndarray, np.ndarray]:
    """Merge the two nearest items until `n_clusters` are left.

    The first item of a cluster is its name. Ties between pairs go to the smallest first name, then
    to the smallest second name. Distances are quotients of integers, exact in tables of several
    thousand objects, so that ties are recognised. In larger tables rounding may break ties.

    Parameters
    ----------
    items : JointCounts, g items
        Items to merge; frequencies f are masses divided by `contexts`.
    n_clusters : int in 1 .. g
        Number of clusters to stop at.
    contexts : int >= 1
        Number of attributes that describe an item: m for objects, m - 1 for the values of one
        of m attributes.
    distance : {"literal", "mass", "mass-full"}, default "literal"
        Distance, with TV the total variation of the distributions of two clusters:

        - "literal": (1/f1 + 1/f2) TV, the summand of CADO. It shrinks as clusters grow, so that
          one cluster attracts every item.
        - "mass": (p1 + p2) TV. Like LIMBO's loss, it is p1 + p2 times a divergence; it drops the
          intra-coupled factor 1/f1 + 1/f2.
        - "mass-full": (p1 + p2) (1/f1 + 1/f2) TV, with both factors.

    Returns
    -------
    labels : ndarray of int64, shape (g,)
        Cluster of each item, numbered by first items.
    distances : ndarray of float64, shape (g - n_clusters,)
        Distance of each merged pair, not necessarily increasing.

    Raises
    ------
    CouplingsError
        If a parameter is out of range.
    """
    g = items.n_items
    check_choice("CLIMBO", "distance", distance, tuple(_KINDS))
    check_clusters("CLIMBO", n_clusters, g, of="items")
    check_positive("CLIMBO", contexts=contexts)
    unit = items.unit
    merges, distances = _kernels.merge_by_variation(
        items.dense().astype(np.int64), items.masses // unit, unit, _KINDS[distance], n_clusters
    )
    labels = numbered(roots(g, merges[:, 1], merges[:, 0]))
    scale = {
        "literal": contexts / (2 * unit**2),
        "mass": 1 / (2 * items.total),
        "mass-full": contexts / (2 * unit * items.total),
    }[distance]
    return labels, distances * scale


def assign_coupled(
    items: JointCounts, representatives: JointCounts, distance: str = "literal"
) -> np.ndarray:
    """Return the (first) nearest representative of each item, int64 of shape (g,).

    Parameters
    ----------
    items, representatives
        As in `couplings.cluster.limbo.assign`.
    distance : {"literal", "mass", "mass-full"}, default "literal"
        As in `coupled_agglomeration`.

    Raises
    ------
    CouplingsError
        If the values differ in number, or the distance is unknown.
    """
    check_choice("CLIMBO", "distance", distance, tuple(_KINDS))
    unit = fitting_unit(items, representatives)
    return _kernels.nearest_variation(
        items.starts,
        items.columns,
        items.amounts,
        items.masses // unit,
        representatives.dense().astype(np.int64),
        representatives.masses // unit,
        unit,
        _KINDS[distance],
    )
