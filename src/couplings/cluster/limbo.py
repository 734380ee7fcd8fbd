"""LIMBO: scalable clustering by the information bottleneck."""

import math
from dataclasses import dataclass

import numpy as np

from couplings._checks import check_clusters, check_number, is_integer
from couplings._kernels import information_loss as _kernels
from couplings.cluster._base import numbered, roots
from couplings.cluster._items import ItemClustering, fitting_unit
from couplings.cluster.joint_counts import JointCounts
from couplings.cluster.neighbours import pack
from couplings.errors import CouplingsError
from couplings.table import CategoricalTable


@dataclass(eq=False, repr=False)
class Limbo(ItemClustering):
    """LIMBO: clustering of objects that preserves information about their values.

    Objects are summarised in the leaves of a tree of distributional cluster features (DCFs). An
    agglomerative information bottleneck merges the leaves; then every object joins the cluster with
    the smallest information loss. The result is deterministic, but the tree depends on the order of
    the objects.

    Parameters
    ----------
    n_clusters : int >= 1, default 2
        Number of clusters. Fewer result if the tree has fewer leaves, or if no object joins one.
    phi : float >= 0, default 0.0
        Accuracy: an object joins a leaf if the loss is at most phi I / n, where I is the mutual
        information of the n objects and their values. With 0 (and no `space`) the leaves are the
        distinct rows; merging them takes time quadratic in their number.
    branching : int >= 2, default 4
        Maximum number of entries of a node.
    space : int >= 1, optional
        Maximum number of leaves. Whenever it is exceeded, the allowed loss is doubled (at least to
        the resolution of the losses) and the tree is rebuilt from its leaves.
    missing : {"raise", "value"}, default "raise"
        Rule for missing cells: refuse them, or treat them as one more value of the attribute.
    unknown : {"warn", "raise", "mismatch"}, default "warn"
        Rule for unseen values in `predict`. "mismatch": leave them out of the object. "warn": the
        same, with an `UnknownValueWarning`. "raise": refuse them.
    n_jobs : int, optional
        Maximum number of threads; None and -1 use all cores.

    Attributes
    ----------
    labels_, representatives_, priors_, n_clusters_
        As in `ItemClustering`.
    n_leaves_ : int
        Number of leaves of the tree.
    losses_ : ndarray of float64, shape ``(n_leaves_ - n_clusters_,)``
        Information lost by each merge of the second phase, in nats.
    mutual_information_ : float
        I, in nats.
    n_features_in_, feature_names_in_
        As in `Clustering`.

    References
    ----------
    Andritsos, Tsaparas, Miller, Sevcik: LIMBO: scalable clustering of categorical data, EDBT 2004.

    Examples
    --------
    >>> from couplings import Limbo
    >>> cars = [["vw", "gas"], ["vw", "gas"], ["vw", "oil"], ["bmw", "oil"], ["bmw", "oil"]]
    >>> limbo = Limbo(n_clusters=2).fit(cars)
    >>> limbo.labels_
    array([0, 0, 0, 1, 1])
    >>> limbo.predict([["bmw", "oil"]])
    array([1])
    """

    n_clusters: int = 2
    phi: float = 0.0
    branching: int = 4
    space: int | None = None
    missing: str = "raise"
    unknown: str = "warn"
    n_jobs: int | None = None

    def _leaves(self, table: CategoricalTable, items: JointCounts) -> JointCounts:
        check_number("Limbo", "phi", self.phi)
        self.mutual_information_ = items.mutual_information()
        leaves = super()._leaves(table, items)
        if self.phi > 0 or self.space is not None:
            threshold = self.phi * self.mutual_information_ / table.n_objects
            leaves = dcf_tree(items, threshold, self.branching, self.space)
        self.n_leaves_ = leaves.n_items
        return leaves

    def _merge(self, leaves: JointCounts, n_clusters: int, n_attributes: int) -> np.ndarray:
        labels, self.losses_ = agglomerative_information_bottleneck(leaves, n_clusters)
        return labels

    def _assign(self, items: JointCounts) -> np.ndarray:
        return assign(items, self._representatives)


def dcf_tree(
    items: JointCounts, threshold: float, branching: int = 4, space: int | None = None
) -> JointCounts:
    """Return the leaf entries of a DCF tree of items, `JointCounts` ordered by their first items.

    Each item descends to the (first) entry with the smallest information loss. It joins the leaf
    entry that it reaches if the loss is at most `threshold`, and otherwise becomes a new entry. A
    node with more than `branching` entries is split: the two entries with the largest loss seed the
    halves, and the others join the nearer seed, on ties the first.

    Parameters
    ----------
    items : JointCounts
        Items, inserted in order.
    threshold : float >= 0
        Largest information loss of a join, in nats.
    branching : int >= 2, default 4
        Maximum number of entries of a node.
    space : int >= 1, optional
        Maximum number of leaf entries; see `Limbo`.

    Raises
    ------
    CouplingsError
        If a parameter is out of range.
    """
    fits = is_integer(branching) and (space is None or is_integer(space))
    if not threshold >= 0 or not fits or branching < 2 or (space is not None and space < 1):
        raise CouplingsError(
            f"threshold={threshold} must be >= 0, branching={branching!r} an integer >= 2, "
            f"space={space!r} an integer >= 1 or None"
        )
    table = _kernels.entropy_table(_largest(items))
    # Losses are integers in the kernels; no loss exceeds the total information.
    allowed = min(threshold, items.mutual_information() + 1) * items.total * _kernels.COARSE
    allowed = math.floor(allowed + 0.5)
    most = items.n_items if space is None else space
    tree = _Tree(items, branching)
    position = 0
    while True:
        position = tree.insert(items, position, table, allowed, most)
        while tree.n_leaves > most:
            allowed = max(1, 2 * allowed)
            leaves = tree.leaves()
            tree = _Tree(leaves, branching)
            tree.insert(leaves, 0, table, allowed, leaves.n_items)
        if position == items.n_items:
            return tree.leaves()


class _Tree:
    """The arrays of a DCF tree, enlarged as needed."""

    def __init__(self, items: JointCounts, branching: int) -> None:
        self.unit = items.unit
        self.state = np.array([0, 0, 1, 1, 0], dtype=np.int64)
        # Rows, masses, children, members, sizes and leaf entries, as `insert_items` takes them.
        self.arrays: list[np.ndarray] = [np.zeros((64, items.n_values), dtype=np.int32)]
        self.arrays += [np.zeros(64, dtype=np.int64) for _ in range(5)]
        self.arrays[3] = np.zeros((64, branching + 1), dtype=np.int64)

    @property
    def n_leaves(self) -> int:
        return int(self.state[_kernels.LEAVES])

    def insert(
        self, items: JointCounts, position: int, table: np.ndarray, allowed: int, most: int
    ) -> int:
        """Insert items until none is left or the tree has more than `most` leaf entries."""
        masses = items.masses // items.unit
        while True:
            position = _kernels.insert_items(
                position,
                items.starts,
                items.columns,
                items.amounts,
                masses,
                items.unit,
                table,
                allowed,
                most,
                self.state,
                *self.arrays,
            )
            if position == items.n_items or self.n_leaves > most:
                return position
            # Double the size.
            self.arrays = [np.concatenate([one, np.zeros_like(one)]) for one in self.arrays]

    def leaves(self) -> JointCounts:
        entries = self.arrays[0][self.arrays[-1][: self.n_leaves]]
        return JointCounts._from_rows(entries, self.unit)


def agglomerative_information_bottleneck(
    items: JointCounts, n_clusters: int
) -> tuple[np.ndarray, np.ndarray]:
    """Merge the pair of items with the smallest information loss until `n_clusters` are left.

    The loss of merging items with probabilities p1, p2 and distributions q1, q2 is p1 + p2 times
    the Jensen-Shannon divergence of q1 and q2 with weights p1 / (p1 + p2) and p2 / (p1 + p2). The
    first item of a cluster is its name. Ties between pairs go to the smallest first name, then to
    the smallest second name. Losses are computed in integers with resolution 2^-20 / N for N
    counts; smaller differences are ties.

    Parameters
    ----------
    items : JointCounts, g items
        Items to merge.
    n_clusters : int in 1 .. g
        Number of clusters to stop at.

    Returns
    -------
    labels : ndarray of int64, shape (g,)
        Cluster of each item, numbered by first items.
    losses : ndarray of float64, shape (g - n_clusters,)
        Information lost by each merge, in nats.

    Raises
    ------
    CouplingsError
        If `n_clusters` is out of range.
    """
    g = items.n_items
    check_clusters("agglomerative_information_bottleneck", n_clusters, g, of="items")
    rows, masses = items.dense(), items.masses // items.unit
    table = _kernels.entropy_table(_largest(items))
    cuts = _kernels.column_groups(rows, _kernels.MOST_PATTERNS)
    # For few counts, scanning many words takes longer than the patterns.
    bits, single = pack(rows != 0), rows.max(axis=1) <= 1
    single &= bits.size <= len(items.columns)
    merges, losses = _kernels.merge_by_loss(
        rows, masses, bits, single, items.unit, table, n_clusters, cuts
    )
    labels = numbered(roots(g, merges[:, 1], merges[:, 0]))
    return labels, losses / (_kernels.COARSE * items.total)


def assign(items: JointCounts, representatives: JointCounts) -> np.ndarray:
    """Return the (first) representative of smallest information loss of each item, int64 (g,).

    Parameters
    ----------
    items : JointCounts, g items
        Items to assign; each counts with its own mass.
    representatives : JointCounts, k items
        Representatives over the same values, with masses in the same units.

    Raises
    ------
    CouplingsError
        If the values differ in number.
    """
    unit = fitting_unit(items, representatives)
    largest = _largest(items, unit) + _largest(representatives, unit)
    return _kernels.nearest(
        items.starts,
        items.columns,
        items.amounts,
        items.masses // unit,
        representatives.dense(),
        representatives.masses // unit,
        unit,
        _kernels.entropy_table(largest),
    )


def _largest(items: JointCounts, unit: int | None = None) -> int:
    """Return the largest count or mass, in units, that merged items can reach."""
    values = np.bincount(items.columns, weights=items.amounts)
    return max(int(values.max()), items.total // (unit or items.unit))
