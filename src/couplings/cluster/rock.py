"""ROCK: agglomerative clustering by links, the numbers of common neighbours."""

import heapq
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, Self

import numpy as np

from couplings._checks import check_choice, check_clusters
from couplings._kernels.links import merge_by_goodness
from couplings.cluster._base import numbered, roots
from couplings.cluster._items import TableClustering
from couplings.cluster.neighbours import NeighbourGraph, read_threshold, unpack
from couplings.errors import CouplingsError

# Objects of `predict` and `assign` that are looked at at a time.
_BLOCK = 256
# Pairs of new and old objects that are compared at a time.
_PAIRS = 1 << 22


@dataclass(eq=False, repr=False)
class Rock(TableClustering):
    """ROCK, robust clustering with links.

    Objects are neighbours if they are at least `theta` similar; the links of two clusters are the
    common neighbours of their objects, summed over all pairs. Starting from single objects, the
    pair with the largest goodness

        links(a, b) / ((n_a + n_b)^e - n_a^e - n_b^e),  e = 1 + 2 (1 - theta) / (1 + theta)

    is merged, until `n_clusters` are left or no two clusters are linked. For theta = 1 the
    denominator vanishes, and the goodness is the number of links. A cluster is named by one of its
    objects; of several pairs with the largest goodness the one whose earlier name is smallest
    goes first, then the one whose later name is.

    Parameters
    ----------
    n_clusters : int >= 1, default 2
        Clusters to stop at. More remain if the links run out before.
    theta : float in [0, 1], default 0.5
        Least similarity of neighbours; it also sets the exponent e. Read as the nearest fraction
        with a denominator up to 10^6.
    label : {"keep", "assign", "outlier", "merge"}, default "keep"
        What becomes of the clusters if more than `n_clusters` remain. "keep": they stay.
        "assign": the `n_clusters` largest stay (of equal size, those with smaller first objects);
        each object of the others joins the one with the largest number of its neighbours /
        (n_a + 1)^((e - 1) / 2); of several, the one with the largest mean similarity to its
        objects, then the first one. "outlier": the `n_clusters` largest stay, the label of the
        other objects is -1. "merge": merging goes on without links by the same order of pairs,
        so that the clusters of the last names stay and all others are one.
    strict : bool, default False
        Whether neighbours must exceed `theta`; otherwise a similarity of exactly `theta` is enough.
    naming : {"first", "last"}, default "first"
        The object that names a cluster: its first or its last one. A program that writes a merged
        cluster in the place of the earlier of the two, or of the later, names it so. It decides
        between pairs of equal goodness, and which clusters ``label="merge"`` leaves.
    missing : {"raise", "value"}, default "raise"
        Missing cells: refuse them, or take them as one more value of their attribute.
    unknown : {"raise", "mismatch"}, default "raise"
        Values in `predict` that the fit has not seen: refuse them, or let them agree with none.

    Attributes
    ----------
    labels_ : ndarray of int64, shape (n,)
        Cluster of each object, numbered by first objects; -1 is an outlier.
    n_clusters_ : int
        Number of clusters in `labels_`, outliers apart.
    n_remaining_ : int
        Number of clusters when the links ran out, or `n_clusters`.
    n_neighbours_ : ndarray of int64, shape (n,)
        Number of neighbours of each object.
    merges_ : ndarray of int64, shape ``(n - n_remaining_, 2)``
        Names of the merged clusters, the earlier one in front, in the order of the merges;
        without those of ``label="merge"``. Where links run out before `n_clusters` are left, the
        clusters do not depend on it: it is then made when it is first asked for.
    goodness_ : ndarray of float64, shape ``(n - n_remaining_,)``
        Goodness of each merge.
    n_features_in_ : int
        Number of attributes; not after a fit on a graph.
    feature_names_in_ : ndarray of object, shape (m,)
        Their names, if the data have any.

    Notes
    -----
    The result is that of the sequential algorithm, computed apart for each set of objects that
    links connect. If there are at least `n_clusters` such sets, they are the clusters, and no
    links are counted. Memory: n^2 / 8 bytes for the neighbours, and where links are counted 4 c^2
    for the largest such set of c objects; once two clusters have 2^32 links, 8 bytes more for every
    pair of clusters that are left.

    References
    ----------
    Guha, Rastogi, Shim: ROCK: a robust clustering algorithm for categorical attributes, ICDE 1999;
    Information Systems 25(5), 2000.

    Examples
    --------
    >>> from couplings import Rock
    >>> cars = [["vw", "gas"], ["vw", "gas"], ["vw", "oil"], ["bmw", "oil"], ["bmw", "oil"]]
    >>> rock = Rock(n_clusters=2, theta=0.3).fit(cars)
    >>> rock.n_clusters_
    2
    >>> rock.predict([["bmw", "oil"]])
    array([1])
    """

    n_clusters: int = 2
    theta: float = 0.5
    label: str = "keep"
    strict: bool = False
    naming: str = "first"
    missing: str = "raise"
    unknown: str = "raise"

    def fit(self, X: Any, y: object = None) -> Self:
        """Cluster the objects.

        Parameters
        ----------
        X : CategoricalTable, data frame, array_like or NeighbourGraph
            Objects, compared by their Jaccard similarity, or a graph of neighbours (by any other
            similarity, see `NeighbourGraph.from_similarity`). A graph is taken as it is: `theta`
            then only sets the exponent, and `strict` nothing.
        y : object
            Ignored.

        Raises
        ------
        MissingValuesError
            If cells are missing and `missing` is "raise".
        CouplingsError
            If a parameter is out of range.
        """
        check_choice("Rock", "label", self.label, ("keep", "assign", "outlier", "merge"))
        check_choice("Rock", "naming", self.naming, ("first", "last"))
        theta = read_threshold(self.theta)
        self._train = None
        if isinstance(X, NeighbourGraph):
            graph = X
            check_clusters("Rock", self.n_clusters, graph.n_objects)
        else:
            self._train = self._read(X)
            check_clusters("Rock", self.n_clusters, self._train.n_objects)
            graph = NeighbourGraph.from_table(self._train, self.theta, self.strict)
        attraction = float((1 - theta) / (1 + theta))
        last = self.naming == "last"
        self.n_neighbours_ = graph.n_neighbours
        n_sets = int(graph.component.max()) + 1
        self.n_remaining_ = max(self.n_clusters, n_sets)
        # What the merges are made of when they are asked for; a graph of objects can be had again.
        self._graph = graph if self._train is None else None
        self._asked = self.n_clusters, theta, self.strict, last
        self._merged = None
        if n_sets < self.n_clusters:
            self._graph, self._merged = None, _merged(graph, self.n_clusters, theta, last)
            # A cluster only ever joins one with a smaller name, or with `last` a larger one.
            first, second = self._merged[0].T
            names = roots(graph.n_objects, *((first, second) if last else (second, first)))
        else:
            # The links run out, so each set ends as one cluster, whatever merges first.
            names = _ends(graph.component, last)
        labels = numbered(names)
        if self.n_remaining_ > self.n_clusters and self.label != "keep":
            labels = self._relabel(labels, names, graph, attraction)
        self.labels_ = labels
        self.n_clusters_ = int(labels.max()) + 1
        return self

    @property
    def merges_(self) -> np.ndarray:
        """Names of the merged clusters."""
        return self._merges()[0]

    @property
    def goodness_(self) -> np.ndarray:
        """Goodness of each merge."""
        return self._merges()[1]

    def _merges(self) -> tuple[np.ndarray, np.ndarray]:
        """Return the merges of the fit and their goodness."""
        self._require_fit()
        if self._merged is None:
            n_clusters, theta, strict, last = self._asked
            graph = self._graph
            if graph is None:
                table = self._train
                graph = NeighbourGraph.from_table(table, float(theta), strict)  # type: ignore[arg-type]  # a fit has either
            self._graph, self._merged = None, _merged(graph, n_clusters, theta, last)
        return self._merged

    def __getstate__(self) -> dict[str, Any]:
        """Return what is pickled: no graph, as it may compare objects by any function."""
        if getattr(self, "_graph", None) is not None:
            self._merges()
        state: dict[str, Any] = super().__getstate__()  # type: ignore[assignment]  # of an instance
        return state

    def predict(self, X: Any) -> np.ndarray:
        """Return the cluster of new objects by the labelling step of ROCK, int64 of shape (n,).

        An object joins the cluster with the largest number of its neighbours /
        (n_a + 1)^((e - 1) / 2), n_a the size of the cluster; of several, and without neighbours
        in any, the one with the largest mean similarity, then the first one.

        Parameters
        ----------
        X : CategoricalTable, data frame or array_like
            Objects, one is enough, with the attributes of `fit`.

        Raises
        ------
        NotFittedError
            If `fit` has not been called.
        CouplingsError
            If `fit` took a graph of neighbours, which knows no objects.
        MissingValuesError, MeasureError
            If a cell is missing or a value unseen, and there is no rule for it.
        """
        self._require_fit()
        if self._train is None:
            raise CouplingsError("Rock was fitted on a graph of neighbours and knows no objects")
        codes, theta = self._codes(X), read_threshold(self.theta)
        kept = self.labels_ >= 0
        old, labels = self._train.codes[kept], self.labels_[kept]
        m, sizes = old.shape[1], np.bincount(labels)
        member = np.zeros((len(old), len(sizes)))
        member[np.arange(len(old)), labels] = 1
        least = NeighbourGraph.least_agreeing(m, self.theta, self.strict)
        attraction = float((1 - theta) / (1 + theta))
        found = np.empty(len(codes), dtype=np.int64)
        step = max(1, _PAIRS // len(old))
        for start in range(0, len(codes), step):
            rows = codes[start : start + step]
            agreeing = np.zeros((len(rows), len(old)))
            for column, others in zip(rows.T, old.T, strict=True):
                agreeing += column[:, None] == others
            score = ((agreeing >= least) @ member) / (sizes + 1.0) ** attraction
            mean = ((agreeing / (2 * m - agreeing)) @ member / sizes).round(12)
            best = score == score.max(axis=1, keepdims=True)
            found[start : start + step] = np.where(best, mean, -np.inf).argmax(axis=1)
        return found

    def _relabel(
        self, labels: np.ndarray, names: np.ndarray, graph: NeighbourGraph, attraction: float
    ) -> np.ndarray:
        """Return labels for `n_clusters` clusters, or -1."""
        sizes = np.bincount(labels)
        if self.label == "merge":
            place = np.unique(names, return_inverse=True)[1]
            return numbered(np.maximum(0, place - (len(sizes) - self.n_clusters)))
        largest = np.sort(np.argsort(-sizes, kind="stable")[: self.n_clusters])
        number = np.full(len(sizes), -1, dtype=np.int64)
        number[largest] = np.arange(len(largest))
        kept = number[labels]
        if self.label == "outlier":
            return kept
        sizes = sizes[largest]
        member = np.zeros((graph.n_objects, len(largest)))
        member[kept >= 0, kept[kept >= 0]] = 1
        assigned = kept.copy()
        others = np.flatnonzero(kept < 0)
        for start in range(0, len(others), _BLOCK):
            objects = others[start : start + _BLOCK]
            near = unpack(graph.words[objects], graph.n_objects).astype(np.float64)
            score = (near @ member) / (sizes + 1.0) ** attraction
            best = score == score.max(axis=1, keepdims=True)
            tied = np.flatnonzero(best.sum(axis=1) > 1)
            if len(tied):
                mean = graph.similarity(objects[tied]) @ member / sizes
                # Equal means may differ in their last digits.
                mean = np.where(best[tied], mean.round(12), -np.inf)
                best[tied] = mean == mean.max(axis=1, keepdims=True)
            assigned[objects] = best.argmax(axis=1)
        return assigned


def _merged(
    graph: NeighbourGraph, n_clusters: int, theta: Fraction, last: bool
) -> tuple[np.ndarray, np.ndarray]:
    """Return all merges as pairs of names, and their goodness."""
    power = np.empty(0)
    if theta < 1:
        exponent = 1 + 2 * float((1 - theta) / (1 + theta))
        power = np.arange(graph.n_objects + 1, dtype=np.float64) ** exponent
    merged = []
    for members, links in graph.linked_sets():
        pairs, goodness = merge_by_goodness(links, power, last)
        merged.append((members[pairs], goodness))
    return _interleave(merged, graph.n_objects - n_clusters)


def _interleave(
    merged: list[tuple[np.ndarray, np.ndarray]], most: int
) -> tuple[np.ndarray, np.ndarray]:
    """Return the first `most` merges of all components in the order of the sequential algorithm.

    Merges in one component leave the goodness in all others unchanged, so the next merge overall
    is the best of the next ones of each component.
    """
    pairs = [part[0].tolist() for part in merged]
    goodness = [part[1].tolist() for part in merged]
    heads = [(-goodness[c][0], *pairs[c][0], c, 0) for c in range(len(merged))]
    heapq.heapify(heads)
    order: list[tuple[int, int]] = []
    values: list[float] = []
    while len(heads) > 1 and len(order) < most:
        value, u, v, c, step = heads[0]
        order.append((u, v))
        values.append(-value)
        step += 1
        if step < len(pairs[c]):
            heapq.heapreplace(heads, (-goodness[c][step], *pairs[c][step], c, step))
        else:
            heapq.heappop(heads)
    if heads:
        c, step = heads[0][3:]
        rest = slice(step, step + most - len(order))
        order += pairs[c][rest]
        values += goodness[c][rest]
    return np.array(order, dtype=np.int64).reshape(-1, 2), np.array(values, dtype=np.float64)


def _ends(component: np.ndarray, last: bool) -> np.ndarray:
    """Return the first or the last object of the set of each object."""
    if last:
        ends = len(component) - 1 - np.unique(component[::-1], return_index=True)[1]
    else:
        ends = np.unique(component, return_index=True)[1]
    return ends[component]
