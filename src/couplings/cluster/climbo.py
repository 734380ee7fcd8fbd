"""CLIMBO: LIMBO with a coupled dissimilarity of clusters in place of the information loss.

A cluster c of values of one attribute has the frequency f_c, the sum of theirs, the share
p_c = f_c / n, and in every other attribute the distribution of the values that occur with it. The
mean over those attributes of the total variation of two such distributions is 1 - IeASV; as every
attribute is filled in every object, it is the total variation TV of the distributions over all
their values together. A cluster of objects is described in the same way by all attributes.

References
----------
CASO: Wang, Dong, Zhou, Cao, Chi, "Coupled Attribute Similarity Learning on Categorical Data",
IEEE TNNLS 26 (2015), section VIII-C. The paper says that CADO (eq. 16) takes the place of the
information loss, a cluster that of an object; how, is a reading.
"""

import math
from dataclasses import dataclass
from typing import Any, Self

import numpy as np

from couplings._checks import check_choice, check_clusters, check_positive
from couplings._kernels import variation as _kernels
from couplings.cluster._items import TableClustering
from couplings.cluster.joint_counts import JointCounts
from couplings.counts import CooccurrenceCounts
from couplings.errors import CouplingsError

_KINDS = {"literal": _kernels.LITERAL, "mass": _kernels.MASS, "mass-full": _kernels.MASS_FULL}


@dataclass(eq=False, repr=False)
class Climbo(TableClustering):
    """CLIMBO, clustering of objects by merging with a coupled dissimilarity.

    The distinct objects are merged, nearest pair first, and every object then joins the cluster
    it is nearest to. There is no randomness; the order of the objects decides ties.

    Parameters
    ----------
    n_clusters : int >= 1, default 2
        Number of clusters. Fewer result if there are fewer distinct objects, or if no object
        joins one.
    distance : {"literal", "mass", "mass-full"}, default "literal"
        Distance of two clusters; see `coupled_agglomeration`.
    missing : {"raise", "value"}, default "raise"
        Missing cells: refuse them, or take them as one more value of their attribute.
    unknown : {"raise", "mismatch"}, default "raise"
        Values in `predict` that the fit has not seen: refuse them, or leave them out of the object.

    Attributes
    ----------
    labels_ : ndarray of int64, shape (n,)
        Representative of each object.
    representatives_ : ndarray of float64, shape ``(n_clusters_, L)``
        Distribution of each merged cluster over the values of all attributes; rows sum to 1.
    priors_ : ndarray of float64, shape ``(n_clusters_,)``
        Share of the objects in each of them.
    n_clusters_ : int
        Number of representatives.
    distances_ : ndarray of float64
        Distance of each merged pair, in the order of the merges.
    n_features_in_ : int
        Number of attributes.
    feature_names_in_ : ndarray of object, shape (m,)
        Their names, if the data have any.

    Examples
    --------
    >>> from couplings import Climbo
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
    unknown: str = "raise"

    def fit(self, X: Any, y: object = None) -> Self:
        """Cluster objects.

        Parameters
        ----------
        X : CategoricalTable, data frame or array_like, shape (n, m)
            Labels, whatever `CategoricalTable.from_any` reads.
        y : object
            Ignored.

        Raises
        ------
        MissingValuesError
            If cells are missing and `missing` is "raise".
        CouplingsError
            If a parameter is out of range.
        """
        table = self._read(X)
        n, m = table.n_objects, table.n_attributes
        check_clusters("Climbo", self.n_clusters, n)
        items = JointCounts.from_table(table)
        distinct, weights, _ = table.distinct()
        leaves = JointCounts.from_table(distinct, weights)
        labels, self.distances_ = coupled_agglomeration(
            leaves, min(self.n_clusters, leaves.n_items), m, self.distance
        )
        representatives = leaves.pooled(labels)
        self.n_clusters_ = representatives.n_items
        self.representatives_ = representatives.q
        self.priors_ = representatives.p
        self.labels_ = assign_coupled(items, representatives, self.distance)
        self._representatives = representatives
        return self

    def predict(self, X: Any) -> np.ndarray:
        """Return the representative that each object is nearest to, int64 of shape (n,).

        Parameters
        ----------
        X : CategoricalTable, data frame or array_like
            Objects, one is enough, with the attributes of `fit`; each counts once.

        Raises
        ------
        NotFittedError
            If `fit` has not been called.
        MissingValuesError, MeasureError
            If a cell is missing or a value unseen, and there is no rule for it.
        """
        items, filled = self._items(X)
        labels = assign_coupled(items, self._representatives, self.distance)
        return self._spread(labels, filled, self.priors_)


def climbo_labels(
    counts: CooccurrenceCounts, attribute: int, n_clusters: int, distance: str = "literal"
) -> np.ndarray:
    """Cluster the values of an attribute by CLIMBO.

    Parameters
    ----------
    counts : CooccurrenceCounts
        Counts of m > 1 attributes; every value of `attribute` occurs.
    attribute : int
        The attribute, from 0.
    n_clusters : int in 1 .. v
        Number of clusters, v being the number of values. Fewer result if no value joins one.
    distance : {"literal", "mass", "mass-full"}, default "literal"
        Distance of two clusters; see `coupled_agglomeration`.

    Returns
    -------
    ndarray of int64, shape (v,)
        The cluster that each value is nearest to once the values are merged.

    Raises
    ------
    CouplingsError
        If there is only one attribute, a value never occurs, or a parameter is out of range.
    """
    items = value_items(counts, attribute)
    labels, _ = coupled_agglomeration(items, n_clusters, counts.n_attributes - 1, distance)
    return assign_coupled(items, items.pooled(labels), distance)


def value_items(counts: CooccurrenceCounts, attribute: int) -> JointCounts:
    """Return the values of an attribute as items, described by the other attributes.

    Parameters
    ----------
    counts : CooccurrenceCounts
        Counts of m > 1 attributes; every value of `attribute` occurs.
    attribute : int
        The attribute, from 0.

    Returns
    -------
    JointCounts
        Item x has the counts N[x, b] of the values b of all other attributes, in their order: its
        mass is (m - 1) f_x. LIMBO clusters values by the same items.

    Raises
    ------
    CouplingsError
        If there is only one attribute, it is out of range, or one of its values never occurs.
    """
    m = counts.n_attributes
    if not 0 <= attribute < m:
        raise CouplingsError(f"attribute {attribute} is out of range; there are {m} attributes")
    if m < 2:
        raise CouplingsError("values are known by other attributes, and there is only one")
    start, end = counts.offsets[attribute], counts.offsets[attribute + 1]
    rows = counts.matrix[start:end]
    if not rows.any(axis=1).all():
        absent = int(np.flatnonzero(~rows.any(axis=1))[0])
        raise CouplingsError(f"value {absent} of attribute {attribute} never occurs; leave it out")
    return JointCounts.from_array(np.delete(rows, slice(start, end), axis=1))


def coupled_agglomeration(
    items: JointCounts, n_clusters: int, contexts: int, distance: str = "literal"
) -> tuple[np.ndarray, np.ndarray]:
    """Merge the nearest two items until `n_clusters` are left.

    A cluster is known by its first item; of several pairs of least distance the one with the
    smallest first item goes first, then the one with the smallest second.

    Parameters
    ----------
    items : JointCounts, g items
        What to merge; frequencies f are masses divided by `contexts`.
    n_clusters : int in 1 .. g
        Where to stop.
    contexts : int >= 1
        Number of attributes that describe an item: m for objects, m - 1 for the values of one
        of m attributes.
    distance : {"literal", "mass", "mass-full"}, default "literal"
        With the total variation TV of the distributions of two clusters:

        - "literal": (1/f1 + 1/f2) TV, the summand of CADO. It shrinks as clusters grow, which
          draws every item into one of them.
        - "mass": (p1 + p2) TV. LIMBO's loss is p1 + p2 times a divergence; this keeps the factor
          and drops the intra-coupled 1/f1 + 1/f2.
        - "mass-full": (p1 + p2) (1/f1 + 1/f2) TV, with both.

    Returns
    -------
    labels : ndarray of int64, shape (g,)
        Cluster of each item, numbered by first items.
    distances : ndarray of float64, shape (g - n_clusters,)
        Distance of each merged pair; it may fall from one merge to the next.

    Raises
    ------
    CouplingsError
        If a parameter is out of range.

    Notes
    -----
    Distances are quotients of integers, exact in tables of several thousand objects, so that
    equal ones are recognised as equal. In larger tables rounding may decide between them.
    """
    g = items.n_items
    check_choice("CLIMBO", "distance", distance, tuple(_KINDS))
    check_clusters("CLIMBO", n_clusters, g, of="items")
    check_positive("CLIMBO", "contexts", contexts)
    unit = items.unit
    merges, distances = _kernels.merge_by_variation(
        items.dense().astype(np.int64), items.masses // unit, unit, _KINDS[distance], n_clusters
    )
    root = np.arange(g)
    root[merges[:, 1]] = merges[:, 0]
    # A cluster only ever joins one with a smaller first item.
    while not np.array_equal(root[root], root):
        root = root[root]
    labels = np.unique(root, return_inverse=True)[1].astype(np.int64)
    scale = {
        "literal": contexts / (2 * unit**2),
        "mass": 1 / (2 * items.total),
        "mass-full": contexts / (2 * unit * items.total),
    }[distance]
    return labels, distances * scale


def assign_coupled(
    items: JointCounts, representatives: JointCounts, distance: str = "literal"
) -> np.ndarray:
    """Return for each item the representative that it is nearest to.

    Parameters
    ----------
    items : JointCounts, g items
        What to assign; each counts with its own mass.
    representatives : JointCounts, k items
        Over the same values, with masses in the same counts.
    distance : {"literal", "mass", "mass-full"}, default "literal"
        As in `coupled_agglomeration`.

    Returns
    -------
    ndarray of int64, shape (g,)
        The first representative of least distance.

    Raises
    ------
    CouplingsError
        If the values differ in number, or the distance is unknown.
    """
    check_choice("CLIMBO", "distance", distance, tuple(_KINDS))
    if items.n_values != representatives.n_values:
        raise CouplingsError(
            f"items over {items.n_values} values, representatives over {representatives.n_values}"
        )
    unit = math.gcd(items.unit, representatives.unit)
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
