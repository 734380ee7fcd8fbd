"""ROCK: agglomerative clustering by links, the numbers of common neighbours."""

from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, Self

import numpy as np

from couplings._checks import check_choice, check_clusters, limited
from couplings._kernels.links import merge_by_goodness
from couplings.cluster._base import numbered, roots, warn_of_clusters
from couplings.cluster._items import TableClustering
from couplings.cluster.neighbours import NeighbourGraph, read_threshold
from couplings.errors import CouplingsError

# Number of objects of `predict` and `assign` processed at a time.
_BLOCK = 256
# Number of pairs of new and old objects compared at a time.
_PAIRS = 1 << 22


@dataclass(eq=False, repr=False)
class Rock(TableClustering):
    """ROCK, robust clustering with links.

    Objects are neighbours if their similarity is at least `theta`. The links of two clusters are
    the common neighbours of their objects, summed over all pairs. Starting from single objects,
    ROCK merges the pair with the largest goodness

        links(a, b) / ((n_a + n_b)^e - n_a^e - n_b^e),  e = 1 + 2 (1 - theta) / (1 + theta)

    until `n_clusters` are left or no two clusters are linked. For theta = 1 the denominator
    vanishes, and the goodness is the number of links. One object of each cluster is its name. Ties
    between pairs go to the smallest earlier name, then to the smallest later name.

    Parameters
    ----------
    n_clusters : int >= 1, default 2
        Number of clusters to stop at. More remain if the links run out first.
    theta : float in [0, 1], default 0.5
        Smallest similarity of neighbours; it also sets the exponent e. Rounded to the nearest
        fraction with a denominator up to 10^6.
    label : {"keep", "assign", "outlier", "merge"}, default "keep"
        Treatment of clusters beyond `n_clusters`. "keep": keep all. "assign": keep the `n_clusters`
        largest (of equal size, those with smaller first objects); each object of the others joins
        the cluster with the largest number of its neighbours / (n_a + 1)^((e - 1) / 2), on ties the
        one with the largest mean similarity, then the first. "outlier": keep the `n_clusters`
        largest and label the other objects -1. "merge": continue merging without links in the same
        order of pairs, so that the clusters with the last names stay and all others become one.
    strict : bool, default False
        Whether neighbours must exceed `theta`; otherwise a similarity of `theta` suffices.
    naming : {"first", "last"}, default "first"
        Object that names a cluster: its first or its last. Programs that store a merged cluster in
        the place of the earlier, or of the later, of the two name it so. The name decides ties in
        goodness, and which clusters ``label="merge"`` keeps.
    missing : {"raise", "value"}, default "raise"
        Rule for missing cells: refuse them, or treat them as one more value of the attribute.
    unknown : {"warn", "raise", "mismatch"}, default "warn"
        Rule for unseen values in `predict`. "mismatch": they agree with no value. "warn": the same,
        with an `UnknownValueWarning`. "raise": refuse them.
    n_jobs : int, optional
        Maximum number of threads; None and -1 use all cores.

    Attributes
    ----------
    labels_ : ndarray of int64, shape (n,)
        Cluster of each object, numbered by first objects; -1 for outliers.
    n_clusters_ : int
        Number of clusters in `labels_`, without outliers.
    n_remaining_ : int
        Number of clusters when the links ran out, or `n_clusters`.
    n_neighbours_ : ndarray of int64, shape (n,)
        Number of neighbours of each object.
    merges_ : ndarray of int64, shape ``(n - n_remaining_, 2)``
        Names of the merged clusters in merge order, the earlier name first; without the merges of
        ``label="merge"``. If links run out before `n_clusters` are left, the clusters do not depend
        on it, and it is computed on first access.
    goodness_ : ndarray of float64, shape ``(n - n_remaining_,)``
        Goodness of each merge.
    n_features_in_ : int
        Number of attributes; not set after a fit on a graph.
    feature_names_in_ : ndarray of object, shape (m,)
        Names of the attributes, if the data have any.

    Notes
    -----
    The result equals that of the sequential algorithm, but each set of objects connected by links
    is computed separately. If there are at least `n_clusters` such sets, they are the clusters, and
    no links are counted. Memory: n^2 / 8 bytes for the neighbours and, if links are counted, 4 c^2
    for the largest such set of c objects; once two clusters have 2^32 links, 8 more bytes for every
    pair of remaining clusters.

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

    takes = "graph"

    n_clusters: int = 2
    theta: float = 0.5
    label: str = "keep"
    strict: bool = False
    naming: str = "first"
    missing: str = "raise"
    unknown: str = "warn"
    n_jobs: int | None = None

    @limited
    def fit(self, X: Any, y: object = None) -> Self:
        """Cluster the objects.

        Parameters
        ----------
        X : CategoricalTable, data frame, array_like or NeighbourGraph
            Objects, compared by Jaccard similarity, or a graph of neighbours (for any other
            similarity, see `NeighbourGraph.from_similarity`). With a graph, `theta` only sets the
            exponent and `strict` is ignored.
        y : object, ignored

        Raises
        ------
        MissingValuesError
            If cells are missing and `missing` is "raise".
        CouplingsError
            If a parameter is out of range.

        Warns
        -----
        ConvergenceWarning
            If more clusters are asked for than there are, or than distinct objects.
        """
        check_choice("Rock", "label", self.label, ("keep", "assign", "outlier", "merge"))
        check_choice("Rock", "naming", self.naming, ("first", "last"))
        theta = read_threshold(self.theta)
        self._train = None if isinstance(X, NeighbourGraph) else self._read(X)
        objects = X if self._train is None else self._train
        check_clusters("Rock", self.n_clusters, objects.n_objects)
        graph = X
        if self._train is not None:
            graph = NeighbourGraph.from_table(self._train, self.theta, self.strict)
        attraction = float((1 - theta) / (1 + theta))
        last = self.naming == "last"
        self.n_neighbours_ = graph.n_neighbours
        n_sets = int(graph.component.max()) + 1
        self.n_remaining_ = max(self.n_clusters, n_sets)
        # Inputs of the merges, computed on first access; the graph of a table can be rebuilt.
        self._graph = graph if self._train is None else None
        self._asked = self.n_clusters, theta, self.strict, last
        self._merged = None
        if n_sets < self.n_clusters:
            self._graph, self._merged = None, _merged(graph, self.n_clusters, theta, last)
            # A cluster only ever joins one with a smaller name, or with `last` a larger one.
            first, second = self._merged[0].T
            names = roots(graph.n_objects, *((first, second) if last else (second, first)))
        else:
            # The links run out, so each set ends as one cluster in any merge order.
            names = _ends(graph.component, last)
        labels = numbered(names)
        if self.n_remaining_ > self.n_clusters and self.label != "keep":
            labels = self._relabel(labels, names, graph, attraction)
        self.labels_ = labels
        self.n_clusters_ = int(labels.max()) + 1
        if self._train is not None:
            n_distinct = self._train.distinct()[0].n_objects
            warn_of_clusters("Rock", labels, self.n_clusters, n_distinct)
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
                graph = NeighbourGraph.from_table(self._train, float(theta), strict)  # type: ignore[arg-type]  # a fit has either
            self._graph, self._merged = None, _merged(graph, n_clusters, theta, last)
        return self._merged

    def __getstate__(self) -> dict[str, Any]:
        """Return the pickled state, without the graph, whose similarity may be any function."""
        if getattr(self, "_graph", None) is not None:
            self._merges()
        state: dict[str, Any] = super().__getstate__()  # type: ignore[assignment]  # of an instance
        return state

    def predict(self, X: Any) -> np.ndarray:
        """Return the cluster of new objects by the labelling step of ROCK, int64 of shape (n,).

        An object joins the cluster with the largest number of its neighbours /
        (n_a + 1)^((e - 1) / 2), where n_a is the size of the cluster. Ties, and objects without
        neighbours, go to the cluster with the largest mean similarity, then to the first.

        Parameters
        ----------
        X : CategoricalTable, data frame or array_like
            Objects (at least one) with the attributes of `fit`.

        Raises
        ------
        NotFittedError
            If `fit` has not been called.
        CouplingsError
            If `fit` took a graph of neighbours, which holds no objects.
        MissingValuesError, MeasureError
            If a cell is missing or a value is unseen, and no rule for it is set.
        """
        self._require_fit()
        if self._train is None:
            raise CouplingsError(
                "Rock was fitted on a graph, which holds no objects; fit it on a table"
            )
        codes, theta, m = self._codes(X), read_threshold(self.theta), self._train.n_attributes
        kept = self.labels_ >= 0
        old, member = self._train.codes[kept], _membership(self.labels_[kept])
        least = NeighbourGraph.least_agreeing(m, self.theta, self.strict)
        attraction = float((1 - theta) / (1 + theta))
        found = np.empty(len(codes), dtype=np.int64)
        step = max(1, _PAIRS // len(old))
        for start in range(0, len(codes), step):
            rows = codes[start : start + step]
            agreeing = np.zeros((len(rows), len(old)))
            for column, others in zip(rows.T, old.T, strict=True):
                agreeing += column[:, None] == others
            similarity = agreeing / (2 * m - agreeing)
            found[start : start + step] = _most_attractive(
                agreeing >= least, member, attraction, similarity.__getitem__, np.arange(len(rows))
            )
        return found

    def _relabel(
        self, labels: np.ndarray, names: np.ndarray, graph: NeighbourGraph, attraction: float
    ) -> np.ndarray:
        """Return labels for `n_clusters` clusters, with -1 for outliers."""
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
        member = _membership(kept)
        assigned = kept.copy()
        others = np.flatnonzero(kept < 0)
        for start in range(0, len(others), _BLOCK):
            objects = others[start : start + _BLOCK]
            near = graph.near(objects).astype(np.float64)
            assigned[objects] = _most_attractive(
                near, member, attraction, graph.similarity, objects
            )
        return assigned


def _membership(labels: np.ndarray) -> np.ndarray:
    """Return 1 where an object is in a cluster, float64 of shape (n, k); -1 is in none."""
    return (labels[:, None] == np.arange(labels.max() + 1)).astype(np.float64)


def _most_attractive(
    near: np.ndarray,
    member: np.ndarray,
    attraction: float,
    similarity: Callable[[np.ndarray], np.ndarray],
    objects: np.ndarray,
) -> np.ndarray:
    """Return the cluster of each object by the labelling step, see `Rock.predict`."""
    # `near` marks the neighbours of each object; `similarity` returns the rows of tied objects.
    sizes = member.sum(axis=0)
    score = (near @ member) / (sizes + 1.0) ** attraction
    best = score == score.max(axis=1, keepdims=True)
    tied = np.flatnonzero(best.sum(axis=1) > 1)
    if len(tied):
        # Equal means can differ in their last digits.
        mean = np.where(best[tied], (similarity(objects[tied]) @ member / sizes).round(12), -np.inf)
        best[tied] = mean == mean.max(axis=1, keepdims=True)
    return best.argmax(axis=1)


def _merged(
    graph: NeighbourGraph, n_clusters: int, theta: Fraction, last: bool
) -> tuple[np.ndarray, np.ndarray]:
    """Return all merges in the sequential algorithm's order: pairs of names, and their goodness."""
    # Powers that make each divisor 1.
    power = np.full(graph.n_objects + 1, -1.0)
    if theta < 1:
        exponent = 1 + 2 * float((1 - theta) / (1 + theta))
        power = np.arange(graph.n_objects + 1, dtype=np.float64) ** exponent
    merged = [(np.empty((0, 2), dtype=np.int64), np.empty(0))]
    for members, links in graph.linked_sets():
        pairs, goodness = merge_by_goodness(links, power, last)
        merged.append((members[pairs], goodness))
    names, goodness = map(np.concatenate, zip(*merged, strict=True))
    # A merge in one component does not change the goodness in others, so the next merge overall is
    # the best of each component's next merges: a merge comes when its component's worst one so far
    # is the best.
    rank = np.empty(len(names), dtype=np.int64)
    rank[np.lexsort((names[:, 1], names[:, 0], -goodness))] = np.arange(len(names))
    ends = np.cumsum([len(pairs) for pairs, _ in merged])
    worst = [np.maximum.accumulate(part) for part in np.split(rank, ends[:-1])]
    order = np.argsort(np.concatenate(worst), kind="stable")[: graph.n_objects - n_clusters]
    return names[order], goodness[order]


def _ends(component: np.ndarray, last: bool) -> np.ndarray:
    """Return the first or last object in the set of each object."""
    if last:
        ends = len(component) - 1 - np.unique(component[::-1], return_index=True)[1]
    else:
        ends = np.unique(component, return_index=True)[1]
    return ends[component]
