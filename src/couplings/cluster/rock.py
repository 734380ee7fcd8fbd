"""ROCK: agglomerative clustering by links, the numbers of common neighbours."""

import heapq
from collections.abc import Callable, Iterator, Sequence
from fractions import Fraction
from typing import Any, Self

import numpy as np

from couplings._checks import check_clusters, check_memory, is_number
from couplings._kernels import links as _links
from couplings._kernels.merging import merge_by_goodness
from couplings._params import check_choice
from couplings.cluster._items import TableClustering
from couplings.errors import CouplingsError
from couplings.table import CategoricalTable, require_complete

# Objects whose similarities to all others are in memory at a time.
_BLOCK = 256
# Pairs of new and old objects that are compared at a time.
_PAIRS = 1 << 22
# theta is read as the nearest fraction with at most this denominator.
_LARGEST_DENOMINATOR = 1_000_000


class NeighbourGraph:
    """Which pairs of objects are neighbours: similar enough, and not the same object.

    Build one with `from_table`, `from_similarity` or `from_dense`.

    Parameters
    ----------
    words : ndarray of uint64, shape (n, ceil(n / 64))
        Bit b of word w in row u says whether u and object 64 w + b are neighbours. Symmetric,
        with an empty diagonal; bits beyond n are 0.
    similarity : callable, optional
        Maps an array of object indices to their similarities to all objects, float64 of shape
        (number of indices, n). Only `Rock` with ``label="assign"`` calls it, to break ties.

    Attributes
    ----------
    n_objects : int
        Number of objects, n.
    """

    def __init__(
        self, words: np.ndarray, similarity: Callable[[np.ndarray], np.ndarray] | None = None
    ) -> None:
        self.words = words
        self.similarity = similarity
        self.n_objects = words.shape[0]
        self._kept: list[tuple[np.ndarray, np.ndarray]] | None = None
        self._taken_from: tuple[NeighbourGraph, np.ndarray] | None = None

    @staticmethod
    def least_agreeing(n_attributes: int, theta: float, strict: bool = False) -> int:
        """Return in how many attributes neighbours agree at least, see `from_table`.

        Thresholds with the same number give the same graph of a table.

        Raises
        ------
        CouplingsError
            If `theta` is outside [0, 1].
        """
        threshold, m = _fraction(theta), n_attributes
        # q / (2 m - q) >= a / b  <=>  q >= 2 m a / (a + b), rounded up.
        a, b = threshold.numerator, threshold.denominator
        # q / (2 m - q) > a / b   <=>  q > 2 m a / (a + b).
        return 2 * m * a // (a + b) + 1 if strict else -(-2 * m * a // (a + b))

    @classmethod
    def from_table(cls, table: CategoricalTable, theta: float, strict: bool = False) -> Self:
        """Join the objects whose Jaccard similarity is at least `theta`, or exceeds it.

        Two objects that agree in q of m attributes have the similarity q / (2 m - q), a
        fraction. It is compared with `theta` exactly, after `theta` has been read as the nearest
        fraction with a denominator up to 10^6: 0.35, and equally the sum of seven times 0.05, is
        7 / 20.

        Parameters
        ----------
        table : CategoricalTable, n objects
            Without missing cells.
        theta : float in [0, 1]
            The threshold.
        strict : bool, default False
            Whether a similarity of exactly `theta` is too small.

        Raises
        ------
        MissingValuesError
            If cells are missing.
        CouplingsError
            If `theta` is outside [0, 1].
        """
        require_complete(table)
        least = cls.least_agreeing(table.n_attributes, theta, strict)
        _check_graph(table.n_objects)
        codes, m = table.codes, table.n_attributes

        def jaccard(objects: np.ndarray) -> np.ndarray:
            agreeing = np.zeros((len(objects), len(codes)))
            for column in codes.T:
                agreeing += column[objects][:, None] == column
            return agreeing / (2 * m - agreeing)

        return cls(_links.pack_agreeing(codes, least), jaccard)

    @classmethod
    def from_similarity(
        cls,
        similarity: np.ndarray | Callable[[np.ndarray], np.ndarray],
        theta: float,
        strict: bool = False,
    ) -> Self:
        """Join the objects whose similarity is at least `theta`, or exceeds it.

        Parameters
        ----------
        similarity : ndarray of shape (n, n), or callable
            Symmetric similarities. A callable maps an array of object indices to their
            similarities to all objects, so that no n x n array is needed; it has to answer for an
            empty array too, with shape (0, n).
        theta : float in [0, 1]
            The threshold, read as the nearest fraction with a denominator up to 10^6.
        strict : bool, default False
            Whether a similarity of exactly `theta` is too small.

        Raises
        ------
        CouplingsError
            If the similarities are not square or not symmetric, or if `theta` is outside [0, 1].
        """
        return cls.at_thresholds(similarity, [theta], strict)[0]

    @classmethod
    def at_thresholds(
        cls,
        similarity: np.ndarray | Callable[[np.ndarray], np.ndarray],
        thetas: Sequence[float],
        strict: bool = False,
    ) -> list[Self]:
        """Return the graph of each of some thresholds; every similarity is computed once.

        The parameters are those of `from_similarity`, with thresholds in place of one. The result
        takes n^2 / 8 bytes for each.

        Raises
        ------
        CouplingsError
            Whenever `from_similarity` would raise.
        """
        thresholds = [float(_fraction(theta)) for theta in thetas]
        if not callable(similarity):
            matrix = np.asarray(similarity, dtype=np.float64)
            if matrix.ndim != 2 or matrix.shape[0] != matrix.shape[1]:
                raise CouplingsError(f"similarities must be n x n, not {matrix.shape}")
            similarity = matrix.__getitem__
        n = similarity(np.arange(0)).shape[1]
        _check_graph(n, len(thresholds))
        words = np.empty((len(thresholds), n, -(-n // 64)), dtype=np.uint64)
        for start in range(0, n, _BLOCK):
            objects = np.arange(start, min(n, start + _BLOCK))
            compared = similarity(objects)
            for graph, threshold in zip(words, thresholds, strict=True):
                near = compared > threshold if strict else compared >= threshold
                near[np.arange(len(objects)), objects] = False
                graph[objects] = _pack(near)
        return [cls(_symmetric(graph), similarity) for graph in words]

    @classmethod
    def from_dense(cls, neighbours: np.ndarray) -> Self:
        """Take the neighbours from a symmetric boolean matrix; its diagonal is ignored.

        Raises
        ------
        CouplingsError
            If `neighbours` is not boolean, not square or not symmetric.
        """
        near = np.array(neighbours)
        if near.dtype != bool or near.ndim != 2 or near.shape[0] != near.shape[1]:
            raise CouplingsError(
                f"neighbours must be a boolean n x n array, not {near.dtype} of {near.shape}"
            )
        np.fill_diagonal(near, False)
        return cls(_symmetric(_pack(near)))

    @property
    def n_neighbours(self) -> np.ndarray:
        """Number of neighbours of each object, int64 of shape (n,)."""
        return _links.count_bits(self.words)

    def links(self) -> np.ndarray:
        """Return the number of common neighbours of each pair of objects.

        Returns
        -------
        ndarray of int64, shape (n (n - 1) / 2,)
            Condensed as in `scipy.spatial.distance`: pairs (0, 1), (0, 2), ..., (n - 2, n - 1).
        """
        links = _links_of(self.words)
        return np.concatenate([row[u + 1 :] for u, row in enumerate(links)]).astype(np.int64)

    def keep_links(self) -> None:
        """Count the links once for all fits of `Rock` to this graph.

        Takes 4 c^2 bytes for each set of c objects that links connect, and a fit as many again.

        Raises
        ------
        CouplingsError
            If they do not fit into memory.
        """
        self._kept = list(self._linked())

    def take(self, order: np.ndarray) -> "NeighbourGraph":
        """Return the graph of the objects in another order; kept links serve it too.

        Parameters
        ----------
        order : ndarray of int64, shape (n,)
            A permutation: object a of the result is object ``order[a]``.
        """
        order = np.asarray(order, dtype=np.int64)
        taken = NeighbourGraph(_links.reorder_words(self.words, order))
        if self.similarity is not None:
            known = self.similarity
            taken.similarity = lambda objects: np.take(known(order[objects]), order, axis=1)
        if self._kept is not None:
            taken._taken_from = self, order
        return taken

    def _linked(self) -> Iterator[tuple[np.ndarray, np.ndarray]]:
        """Objects of each connected set with more than one, and their links."""
        if self._taken_from is not None:
            graph, order = self._taken_from
            place = np.empty_like(order)
            place[order] = np.arange(len(order))
            for members, links in graph._kept or []:
                inner = np.argsort(place[members])
                reordered = np.empty_like(links)
                _links.reorder_links(links, inner, reordered)
                yield place[members][inner], reordered
            return
        component = _links.link_components(self.words)
        order = np.argsort(component, kind="stable")
        for members in np.split(order, np.flatnonzero(np.diff(component[order])) + 1):
            if len(members) > 1:
                yield members, _links_of(_links.gather_rows(self.words, members))

    def _merged(self, power: np.ndarray, last: bool) -> list[tuple[np.ndarray, np.ndarray]]:
        """Merge each connected set of objects to the end; return pairs and goodness of each."""
        merged = []
        for members, links in self._linked() if self._kept is None else self._kept:
            # The merging overwrites the links.
            spare = links if self._kept is None else links.copy()
            pairs, goodness = merge_by_goodness(spare, power, last)
            merged.append((members[pairs], goodness))
        return merged


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
        without those of ``label="merge"``.
    goodness_ : ndarray of float64, shape ``(n - n_remaining_,)``
        Goodness of each merge.
    n_features_in_ : int
        Number of attributes; not after a fit on a graph.
    feature_names_in_ : ndarray of object, shape (m,)
        Their names, if the data have any.

    Notes
    -----
    The result is that of the sequential algorithm, computed apart for each set of objects that
    links connect. Memory: n^2 / 8 bytes for the neighbours and 4 c^2 for the largest such set of
    c objects.

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

    def __init__(
        self,
        n_clusters: int = 2,
        theta: float = 0.5,
        label: str = "keep",
        strict: bool = False,
        naming: str = "first",
        missing: str = "raise",
        unknown: str = "raise",
    ) -> None:
        self.n_clusters = n_clusters
        self.theta = theta
        self.label = label
        self.strict = strict
        self.naming = naming
        self.missing = missing
        self.unknown = unknown

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
        theta = _fraction(self.theta)
        self._train = None
        if isinstance(X, NeighbourGraph):
            graph = X
            check_clusters("Rock", self.n_clusters, graph.n_objects)
        else:
            self._train = self._read(X)
            check_clusters("Rock", self.n_clusters, self._train.n_objects)
            graph = NeighbourGraph.from_table(self._train, self.theta, self.strict)
        n = graph.n_objects
        attraction = float((1 - theta) / (1 + theta))
        power = np.empty(0)
        if attraction > 0:
            power = np.arange(n + 1, dtype=np.float64) ** (1 + 2 * attraction)
        self.n_neighbours_ = graph.n_neighbours
        last = self.naming == "last"
        self.merges_, self.goodness_ = _interleave(graph._merged(power, last), n - self.n_clusters)
        names = _names(self.merges_, n, last)
        labels = _numbered(names)
        self.n_remaining_ = n - len(self.merges_)
        if self.n_remaining_ > self.n_clusters and self.label != "keep":
            labels = self._relabel(labels, names, graph, attraction)
        self.labels_ = labels
        self.n_clusters_ = int(labels.max()) + 1
        return self

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
        self._check_fitted()
        if self._train is None:
            raise CouplingsError("Rock was fitted on a graph of neighbours and knows no objects")
        codes, theta = self._codes(X), _fraction(self.theta)
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
            return _numbered(np.maximum(0, place - (len(sizes) - self.n_clusters)))
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
            near = _unpack(graph.words[objects], graph.n_objects).astype(np.float64)
            score = (near @ member) / (sizes + 1.0) ** attraction
            best = score == score.max(axis=1, keepdims=True)
            tied = np.flatnonzero(best.sum(axis=1) > 1)
            if graph.similarity is not None and len(tied):
                mean = graph.similarity(objects[tied]) @ member / sizes
                # Equal means may differ in their last digits.
                mean = np.where(best[tied], mean.round(12), -np.inf)
                best[tied] = mean == mean.max(axis=1, keepdims=True)
            assigned[objects] = best.argmax(axis=1)
        return assigned


def _fraction(theta: float) -> Fraction:
    """Return `theta` as the nearest fraction with a small denominator."""
    if not is_number(theta) or not 0 <= theta <= 1:
        raise CouplingsError(f"theta={theta!r} is not a number in [0, 1]")
    return Fraction(float(theta)).limit_denominator(_LARGEST_DENOMINATOR)


def _check_graph(n_objects: int, n_graphs: int = 1) -> None:
    check_memory(
        "Rock",
        n_graphs * n_objects * float(n_objects) / 8,
        f"the neighbours of {n_objects} objects",
        "cluster a sample and use predict, or take KModes or CategoricalSpectral",
    )


def _pack(dense: np.ndarray) -> np.ndarray:
    """Pack the rows of a boolean matrix into little-endian words."""
    rows, n = dense.shape
    octets = np.zeros((rows, 8 * -(-n // 64)), dtype=np.uint8)
    octets[:, : -(-n // 8)] = np.packbits(dense, axis=1, bitorder="little")
    return octets.view("<u8").astype(np.uint64, copy=False)


def _unpack(words: np.ndarray, n: int) -> np.ndarray:
    """Return the bits of packed rows as uint8 of shape (rows, n)."""
    octets = words.astype("<u8", copy=False).view(np.uint8)
    return np.unpackbits(octets, axis=1, count=n, bitorder="little")


def _symmetric(words: np.ndarray) -> np.ndarray:
    """Return the words, or raise if some u is a neighbour of v but v none of u."""
    n = len(words)
    for start in range(0, n, 64):
        rows = _unpack(words[start : start + 64], n)
        # The same 64 objects as columns: one word of each row.
        columns = _unpack(np.ascontiguousarray(words[:, start // 64 : start // 64 + 1]), 64)
        if not np.array_equal(rows, columns[:, : len(rows)].T):
            raise CouplingsError("similarities or neighbours must be symmetric")
    return words


def _links_of(words: np.ndarray) -> np.ndarray:
    """Return the common bits of all pairs of rows, with room to add those of a whole cluster."""
    c, n_words = words.shape
    kind = np.uint32 if c * 64 * n_words < 1 << 32 else np.uint64
    check_memory(
        "Rock",
        float(c) * c * np.dtype(kind).itemsize,
        f"the links of {c} objects that are connected",
        "raise theta, so that fewer objects are connected, or cluster a sample and use predict",
    )
    links = np.empty((c, c), dtype=kind)
    _links.count_links(words, links)
    return links


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


def _names(merges: np.ndarray, n: int, last: bool) -> np.ndarray:
    """Return the name of the cluster of each object after the merges."""
    root = np.arange(n)
    # A cluster only ever joins one with a smaller name, or with `last` a larger one.
    root[merges[:, 0 if last else 1]] = merges[:, 1 if last else 0]
    while not np.array_equal(root[root], root):
        root = root[root]
    return root


def _numbered(names: np.ndarray) -> np.ndarray:
    """Return the clusters with these names, numbered by first objects."""
    _, first, place = np.unique(names, return_index=True, return_inverse=True)
    return np.argsort(np.argsort(first))[place].astype(np.int64)
