"""Neighbour graphs of objects, and the number of neighbours that two objects share."""

from collections.abc import Callable, Iterator, Sequence
from fractions import Fraction
from functools import cached_property
from typing import Self

import numpy as np

from couplings._checks import check_memory, is_number
from couplings._kernels import links as _links
from couplings.cluster._base import numbered
from couplings.errors import CouplingsError
from couplings.table import CategoricalTable, require_complete

# Number of objects whose similarities to all others are in memory at a time.
_BLOCK = 256
# theta is rounded to the nearest fraction with at most this denominator.
_LARGEST_DENOMINATOR = 1_000_000


class NeighbourGraph:
    """Graph that joins two distinct objects if they are similar enough.

    Build instances with `from_table` or `from_similarity`.

    Parameters
    ----------
    words : ndarray of uint64, shape (n, ceil(n / 64))
        Bit b of word w in row u is set if u and object 64 w + b are neighbours. Symmetric, with an
        empty diagonal; bits beyond n are 0.
    similarity : callable
        Maps object indices to their similarities to all objects, float64 of shape
        (number of indices, n). Only `Rock` with ``label="assign"`` calls it, to break ties.

    Attributes
    ----------
    n_objects : int
        Number of objects, n.
    """

    def __init__(self, words: np.ndarray, similarity: Callable[[np.ndarray], np.ndarray]) -> None:
        self.words = words
        self.similarity = similarity
        self.n_objects = words.shape[0]
        self._keeps = False
        self._taken_from: tuple[NeighbourGraph, np.ndarray] | None = None

    @staticmethod
    def least_agreeing(n_attributes: int, theta: float, strict: bool = False) -> int:
        """Return the smallest number of attributes in which neighbours agree, see `from_table`.

        Thresholds with the same number give the same graph of a table.

        Raises
        ------
        CouplingsError
            If `theta` is outside [0, 1].
        """
        threshold, m = read_threshold(theta), n_attributes
        # q / (2 m - q) >= a / b  <=>  q >= 2 m a / (a + b), rounded up.
        a, b = threshold.numerator, threshold.denominator
        # q / (2 m - q) > a / b   <=>  q > 2 m a / (a + b).
        return 2 * m * a // (a + b) + 1 if strict else -(-2 * m * a // (a + b))

    @classmethod
    def from_table(cls, table: CategoricalTable, theta: float, strict: bool = False) -> Self:
        """Join objects whose Jaccard similarity is at least (or, if strict, above) `theta`.

        Two objects that agree in q of m attributes have the similarity q / (2 m - q). It is
        compared exactly with `theta`, rounded to the nearest fraction with a denominator up to
        10^6: both 0.35 and seven times 0.05 are 7 / 20.

        Parameters
        ----------
        table : CategoricalTable, n objects
            Without missing cells.
        theta : float in [0, 1]
            Similarity threshold.
        strict : bool, default False
            Whether neighbours must exceed `theta`.

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
        m = table.n_attributes
        # With smaller numbers, more are compared at a time.
        small = max(m, *table.n_values) < 1 << 8
        codes = table.codes.astype(np.uint8 if small else np.int32, order="F")

        def jaccard(objects: np.ndarray) -> np.ndarray:
            agreeing = np.zeros((len(objects), len(codes)), dtype=codes.dtype)
            for column in codes.T:
                agreeing += column[objects][:, None] == column
            share = agreeing.astype(np.float64)
            return share / (2 * m - share)

        return cls(_links.pack_agreeing(len(codes) * codes.size, codes, least), jaccard)

    @classmethod
    def from_similarity(
        cls,
        similarity: np.ndarray | Callable[[np.ndarray], np.ndarray],
        theta: float,
        strict: bool = False,
    ) -> Self:
        """Join objects whose similarity is at least (or, if strict, above) `theta`.

        Parameters
        ----------
        similarity : ndarray of shape (n, n), or callable
            Symmetric similarities. A callable maps object indices to their similarities to all
            objects, which avoids an n x n array; for an empty array it must return shape (0, n).
        theta : float in [0, 1]
            Similarity threshold, rounded to the nearest fraction with a denominator up to 10^6.
        strict : bool, default False
            Whether neighbours must exceed `theta`.

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
        """Return one graph per threshold, computing every similarity once.

        Parameters and errors are those of `from_similarity`, except that `thetas` holds several
        thresholds. Each graph takes n^2 / 8 bytes.
        """
        thresholds = [float(read_threshold(theta)) for theta in thetas]
        if not callable(similarity):
            matrix = np.asarray(similarity, dtype=np.float64)
            if matrix.ndim != 2 or matrix.shape[0] != matrix.shape[1]:
                raise CouplingsError(
                    f"similarities must be n x n, not {matrix.shape}; pass a square array"
                )
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
                graph[objects] = pack(near)
        return [cls(_symmetric(graph), similarity) for graph in words]

    @cached_property
    def words(self) -> np.ndarray:
        """Neighbours of each object as bits, see the parameter `words`."""
        graph, order = self._taken_from  # type: ignore[misc]  # set if words are not
        words = np.empty_like(graph.words)
        for start in range(0, len(order), _BLOCK):
            rows = order[start : start + _BLOCK]
            words[start : start + _BLOCK] = _part(graph.words, rows, order)
        return words

    @cached_property
    def n_neighbours(self) -> np.ndarray:
        """Number of neighbours of each object, int64 of shape (n,)."""
        if self._taken_from is not None:
            graph, order = self._taken_from
            return graph.n_neighbours[order]
        return np.bitwise_count(self.words).sum(axis=1, dtype=np.int64)

    def near(self, objects: np.ndarray) -> np.ndarray:
        """Return 1 where others are neighbours of these objects, uint8 of shape (objects, n)."""
        if self._taken_from is not None:
            graph, order = self._taken_from
            return np.take(graph.near(order[objects]), order, axis=1)
        return unpack(self.words[objects], self.n_objects)

    @cached_property
    def component(self) -> np.ndarray:
        """Connected set of each object, int64 of shape (n,), numbered by first objects.

        Two objects with a common neighbour are in one set; so are objects joined by a chain of
        such pairs. These sets are the clusters of ROCK when no links are left.
        """
        if self._taken_from is not None:
            graph, order = self._taken_from
            return numbered(graph.component[order])
        return _links.link_components(self.words)

    def links(self) -> np.ndarray:
        """Return the number of common neighbours of each pair of objects, int64.

        Condensed as in `scipy.spatial.distance`, shape (n (n - 1) / 2,): pairs (0, 1), (0, 2), ...,
        (n - 2, n - 1).
        """
        links = _links_of(self.words)
        return np.concatenate([row[u + 1 :] for u, row in enumerate(links)]).astype(np.int64)

    def keep_links(self) -> None:
        """Keep the links, once a fit of `Rock` has counted them, for later fits to this graph.

        Takes 4 c^2 bytes for each set of c linked objects; a fit needs the same amount again.
        """
        self._keeps = True

    def take(self, order: np.ndarray) -> "NeighbourGraph":
        """Return the graph of the objects in another order; it shares kept links.

        Parameters
        ----------
        order : ndarray of int64, shape (n,)
            A permutation: object a of the result is object ``order[a]``.
        """
        order = np.asarray(order, dtype=np.int64)
        taken = NeighbourGraph.__new__(NeighbourGraph)
        taken.n_objects = self.n_objects
        known = self.similarity
        taken.similarity = lambda objects: np.take(known(order[objects]), order, axis=1)
        taken._keeps = False
        taken._taken_from = self, order
        return taken

    def linked_sets(self) -> Iterator[tuple[np.ndarray, np.ndarray]]:
        """Yield the objects of each set connected by links, and their links.

        Yields
        ------
        members : ndarray of int64, shape (c,)
            At least two objects, in increasing order, see `component`.
        links : ndarray of uint32 or uint64, shape (c, c)
            Symmetric. The type holds the links of any two clusters of the set, except for the
            largest sets, see `couplings._kernels.links`; can be overwritten.
        """
        if not self._keeps:
            yield from self._counted()
            return
        for members, links in self._kept:
            yield members, links.copy()

    def _counted(self) -> Iterator[tuple[np.ndarray, np.ndarray]]:
        """Yield the objects of each connected set of several objects, and their links."""
        if self._taken_from is not None and self._taken_from[0]._keeps:
            graph, order = self._taken_from
            place = np.empty_like(order)
            place[order] = np.arange(len(order))
            for members, links in graph._kept:
                inner = np.argsort(place[members])
                yield place[members][inner], np.take(links[inner], inner, axis=1)
            return
        order = np.argsort(self.component, kind="stable")
        for members in np.split(order, np.flatnonzero(np.diff(self.component[order])) + 1):
            if len(members) > 1:
                yield members, _links_of(_without_empty_columns(self.words, members))

    @cached_property
    def _kept(self) -> list[tuple[np.ndarray, np.ndarray]]:
        return list(self._counted())


def read_threshold(theta: float) -> Fraction:
    """Return `theta` rounded to the nearest fraction with a small denominator."""
    if not is_number(theta) or not 0 <= theta <= 1:
        raise CouplingsError(f"theta={theta!r} must be a number in [0, 1]")
    return Fraction(float(theta)).limit_denominator(_LARGEST_DENOMINATOR)


def _check_graph(n_objects: int, n_graphs: int = 1) -> None:
    check_memory(
        "Rock",
        n_graphs * n_objects * float(n_objects) / 8,
        f"the neighbours of {n_objects} objects",
        "cluster a sample and use predict, or use KModes or CategoricalSpectral",
    )


def pack(dense: np.ndarray) -> np.ndarray:
    """Pack the rows of a boolean matrix into little-endian words."""
    rows, n = dense.shape
    octets = np.zeros((rows, 8 * -(-n // 64)), dtype=np.uint8)
    octets[:, : -(-n // 8)] = np.packbits(dense, axis=1, bitorder="little")
    return octets.view("<u8").astype(np.uint64, copy=False)


def unpack(words: np.ndarray, n: int) -> np.ndarray:
    """Return the bits of packed rows as uint8 of shape (rows, n)."""
    octets = words.astype("<u8", copy=False).view(np.uint8)
    return np.unpackbits(octets, axis=1, count=n, bitorder="little")


def _part(words: np.ndarray, rows: np.ndarray, columns: np.ndarray) -> np.ndarray:
    """Return these rows of a packed matrix with these columns, in their order."""
    return pack(np.take(unpack(words[rows], 64 * words.shape[1]), columns, axis=1))


def _without_empty_columns(words: np.ndarray, members: np.ndarray) -> np.ndarray:
    """Return the rows of `members` without columns that are empty in all of them."""
    rows = np.split(members, range(_BLOCK, len(members), _BLOCK))
    filled = np.bitwise_or.reduce([np.bitwise_or.reduce(words[part]) for part in rows])
    columns = np.flatnonzero(unpack(filled[np.newaxis], 64 * len(filled)))
    return np.concatenate([_part(words, part, columns) for part in rows])


def _symmetric(words: np.ndarray) -> np.ndarray:
    """Return the words, or raise `CouplingsError` if the relation is not symmetric."""
    n = len(words)
    for start in range(0, n, 64):
        rows = unpack(words[start : start + 64], n)
        # The same 64 objects as columns: one word of each row.
        columns = unpack(np.ascontiguousarray(words[:, start // 64 : start // 64 + 1]), 64)
        if not np.array_equal(rows, columns[:, : len(rows)].T):
            raise CouplingsError("similarities or neighbours must be symmetric")
    return words


def _links_of(words: np.ndarray) -> np.ndarray:
    """Return the common bits of all pairs of rows, in a type that holds sums over clusters."""
    c, n_words = words.shape
    kind = np.uint32 if c * 64 * n_words < 1 << 32 else np.uint64
    check_memory(
        "Rock",
        float(c) * c * np.dtype(kind).itemsize,
        f"the links of {c} connected objects",
        "increase theta to connect fewer objects, or cluster a sample and use predict",
    )
    links = np.empty((c, c), dtype=kind)
    _links.count_links(c * words.size, words, links)
    return links
