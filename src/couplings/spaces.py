"""Object spaces: the dissimilarity of objects as a function of value matrices.

`ObjectSpace` applies a function to a sum over the attributes, `QuotientSpace` to a quotient of two
sums. `CentredSpace` has zero self-distances; the method `extended` adds values unseen by a fit.
"""

import math
from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from numpy.typing import DTypeLike

from couplings._checks import check_choice, check_memory, check_positive
from couplings._kernels import objects
from couplings._readonly import ReadOnly
from couplings.errors import MeasureError
from couplings.table import CategoricalTable, require_complete
from couplings.values import ValueMatrices

_LINKS = {
    "sum": objects.SUM,
    "rss": objects.RSS,
    "inverse": objects.INVERSE,
    "jaccard": objects.JACCARD,
    "ratio": objects.RATIO,
}
# The expanded columns of one block and the sums of one row must fit into a 512 KB cache.
_SPREAD_BYTES = 384 * 1024
_WIDEST, _NARROWEST = 2048, 64
_STRIP = 1024
# Pairs up to which NumPy is about as fast as a compiled kernel.
_FEW_PAIRS = 512
# Objects whose values are looked up one by one.
_FEW_OBJECTS = 4
# Dissimilarities of which the nearest are searched while they are in the cache.
_SEARCHED = 1 << 17


class _Compared(ABC):
    """Base class of the spaces: checks the tables and allocates the result."""

    def pairwise(self, table: CategoricalTable, dtype: DTypeLike = np.float64) -> np.ndarray:
        """Return the dissimilarities of all objects of a table, `dtype` (n, n), symmetric.

        Parameters
        ----------
        table : CategoricalTable
            n objects without missing cells, over the domains of the value matrices.
        dtype : {float64, float32}, default float64
            Type of the result and of the sums.

        Raises
        ------
        MissingValuesError
            If a cell is missing.
        MeasureError
            If the domains do not fit, or the result does not fit into memory.
        """
        return self.between(table, table, dtype)

    def between(
        self,
        table_a: CategoricalTable,
        table_b: CategoricalTable,
        dtype: DTypeLike = np.float64,
    ) -> np.ndarray:
        """Return the dissimilarities of the objects of two tables over the same domains.

        Parameters and errors are those of `pairwise`; the result has shape (n_a, n_b).
        """
        out = _buffer((table_a.n_objects, table_b.n_objects), dtype)
        self._write(table_a, table_b, False, out.reshape(-1))
        return out

    def condensed(self, table: CategoricalTable, dtype: DTypeLike = np.float64) -> np.ndarray:
        """Return the dissimilarities of the pairs u < v, row by row as scipy orders them.

        Parameters and errors are those of `pairwise`; the result has shape (n (n - 1) / 2,).
        """
        n = table.n_objects
        out = _buffer((n * (n - 1) // 2,), dtype)
        self._write(table, table, True, out)
        return out

    @abstractmethod
    def _write(
        self, table_a: CategoricalTable, table_b: CategoricalTable, condensed: bool, out: np.ndarray
    ) -> None:
        """Write the dissimilarities to a vector, row by row; only u < v if `condensed`."""


@dataclass(frozen=True, eq=False)
class ObjectSpace(_Compared, ReadOnly):
    """The dissimilarity ``D(u, v) = link(S)`` with ``S = sum_j A_j[x_uj, x_vj]``.

    The sum runs over the attributes from first to last in the type of the result, so equal sums
    give equal results; clusterings rely on this to detect ties.

    Parameters
    ----------
    matrices : ValueMatrices
        The A_j.
    link : {"sum", "rss", "inverse", "jaccard", "ratio"}
        "sum": D = S. "rss": D = sqrt(S), where the A_j hold squares. "inverse": D = 1 / (1 + S),
        S a similarity. "jaccard": D = 1 - (m - S) / (m + S), S the number of differing attributes.
        "ratio": D = 1 / (1 + R), R = S / (t_u + t_v), t_u the sum of `value_terms` over the
        values of u; R is 1 where the denominator is 0.
    value_terms : ndarray of float64, shape (L,), optional
        For "ratio" only.

    Raises
    ------
    CouplingsError
        If the link is unknown or lacks its terms.
    """

    matrices: ValueMatrices
    link: str
    value_terms: np.ndarray | None = None

    def __post_init__(self) -> None:
        check_choice("ObjectSpace", "link", self.link, tuple(_LINKS))
        if (self.value_terms is not None) != (self.link == "ratio"):
            raise MeasureError("the link 'ratio' needs value_terms, and no other link takes them")
        if self.value_terms is not None:
            n_values = int(self.matrices.offsets[-1])
            if np.shape(self.value_terms) != (n_values,):
                raise MeasureError(f"value_terms must be a vector of {n_values} numbers")
        ReadOnly.__post_init__(self)

    def self_dissimilarities(
        self, table: CategoricalTable, dtype: DTypeLike = np.float64
    ) -> np.ndarray:
        """Return the dissimilarity of each object with itself, `dtype` of shape (n,).

        They equal the diagonal of `pairwise` to the last bit. Errors are those of `pairwise`.
        """
        codes = self._codes(table)
        total = np.zeros(table.n_objects, dtype=dtype)
        for j, column in enumerate(codes.T):
            total += self.matrices.block(j).diagonal().astype(dtype)[column]
        if self.link == "rss":
            return np.sqrt(total)
        wide = total.astype(np.float64)
        if self.link == "inverse":
            wide = 1.0 / (1.0 + wide)
        elif self.link == "jaccard":
            wide = 1.0 - (table.n_attributes - wide) / (table.n_attributes + wide)
        elif self.link == "ratio":
            wide = _inverted(wide, 2.0 * self._terms(codes))
        return wide.astype(dtype)

    def extended(
        self,
        shares: Sequence[np.ndarray],
        rules: Sequence[Sequence[str]],
        alike: bool = False,
    ) -> "Plain":
        """Return the space over domains with further values appended.

        Parameters
        ----------
        shares : sequence of m ndarrays of float64
            Shares of the values of each attribute; values with share 0 are unseen.
        rules : sequence of m sequences of {"mismatch", "typical"}
            One per further value. "mismatch": its distance to every other value is that of the two
            values of the attribute that are farthest apart, see `farthest`. "typical": its
            distance is the mean over the values of the attribute, weighted by their shares, of
            the summed quantity (squares for the link "rss"). Equal further values agree; between
            different ones "mismatch" takes precedence over "typical".
        alike : bool, default False
            Whether the space sums similarities (the link "inverse" always does).
        """
        if self.value_terms is not None:
            parts = np.split(self.value_terms, self.matrices.offsets[1:-1])
            sums = ValueMatrices.from_blocks([np.add.outer(part, part) for part in parts])
            return QuotientSpace(self.matrices, sums).extended(shares, rules)
        alike = alike or self.link == "inverse"
        extended = extended_blocks(self.matrices.blocks, shares, rules, alike)
        return ObjectSpace(ValueMatrices.from_blocks(extended), self.link)

    def _write(
        self, table_a: CategoricalTable, table_b: CategoricalTable, condensed: bool, out: np.ndarray
    ) -> None:
        codes_a = self._codes(table_a)
        codes_b = codes_a if table_b is table_a else self._codes(table_b)
        offsets = self.matrices.offsets
        if not condensed and (out.size <= _FEW_PAIRS or len(codes_a) <= _FEW_OBJECTS):
            self._write_few(codes_a, codes_b, out.reshape(len(codes_a), len(codes_b)))
            return
        row_bytes = (int(offsets[-1]) + 1) * out.itemsize
        width = min(max(_SPREAD_BYTES // row_bytes // 16 * 16, _NARROWEST), _WIDEST)
        objects.dissimilarities(
            out.size * len(offsets),
            codes_a.T,
            codes_b.T,
            self.matrices.data,
            self.matrices.starts,
            offsets,
            self._terms(codes_a),
            self._terms(codes_b),
            _LINKS[self.link],
            condensed,
            width,
            _STRIP,
            out,
        )

    def _write_few(self, codes_a: np.ndarray, codes_b: np.ndarray, total: np.ndarray) -> None:
        """Write the dissimilarities of few objects as the kernel does, to the last bit."""
        m, matrices = codes_a.shape[1], self.matrices
        if total.size > _FEW_PAIRS:
            data, starts, offsets = matrices.data, matrices.starts, matrices.offsets
            rows = np.ascontiguousarray(codes_a)
            objects.sums_of_few(rows, codes_b.T, data, starts, offsets, total)
        else:
            for j in range(m):
                terms = matrices.block(j).astype(total.dtype, copy=False)
                terms = terms[codes_a[:, j, np.newaxis], codes_b[:, j]]
                if j:
                    total += terms
                else:
                    total[:] = terms
        if self.link == "rss":
            np.sqrt(total, out=total)
        # The kernel computes the other links in double precision.
        wide = total.astype(np.float64, copy=False)
        if self.link == "inverse":
            total[:] = 1.0 / (1.0 + wide)
        elif self.link == "jaccard":
            total[:] = 1.0 - (m - wide) / (m + wide)
        elif self.link == "ratio":
            whole = np.add.outer(self._terms(codes_a), self._terms(codes_b))
            similarity = np.ones_like(whole)
            np.divide(wide, whole, out=similarity, where=whole != 0)
            total[:] = 1.0 / (1.0 + similarity)

    def _terms(self, codes: np.ndarray) -> np.ndarray:
        """Return the sum of the value terms of each object; shape (0,) if there are none."""
        if self.value_terms is None:
            return np.zeros(0)
        total = np.zeros(len(codes))
        for column, offset in zip(codes.T, self.matrices.offsets[:-1], strict=True):
            total += self.value_terms[offset + column]
        return total

    def _codes(self, table: CategoricalTable) -> np.ndarray:
        """Return the codes of a table over the same domains, or raise `MeasureError`."""
        require_complete(table)
        expected = self.matrices.n_values
        if not np.array_equal(table.n_values, expected):
            raise MeasureError(
                f"the table declares {table.n_values.tolist()} values per attribute, the value "
                f"matrices have {expected.tolist()}; encode both with the same domains"
            )
        # One code type needs one compiled kernel; the copy is small compared with the result.
        return table.codes.astype(np.int32, order="F")


def _buffer(shape: tuple[int, ...], dtype: DTypeLike) -> np.ndarray:
    """Return a new array for the dissimilarities, or raise `MeasureError`."""
    if np.dtype(dtype) not in (np.float32, np.float64):
        raise MeasureError(f"dtype must be float32 or float64, not {np.dtype(dtype)}")
    check_memory(
        "pairwise",
        float(math.prod(shape)) * np.dtype(dtype).itemsize,
        f"an array of {' x '.join(map(str, shape))} {np.dtype(dtype)}",
        "use kneighbors, a sample, or an algorithm that needs no matrix of all pairs: KModes, "
        "CategoricalSpectral, or a sample that others join (couplings.large.SampleAndAssign)",
    )
    return np.empty(shape, dtype=dtype)


# Pairs held in memory at once.
_BLOCK = 1 << 22


@dataclass(frozen=True, eq=False)
class QuotientSpace(_Compared):
    """The dissimilarity ``D(u, v) = 1 / (1 + R)``, ``R = sum_j N_j[x, y] / sum_j M_j[x, y]``.

    The link "ratio" of `ObjectSpace` is the special case of a denominator with one term per
    object. R is 1 if the denominator is 0.

    Parameters
    ----------
    matrices, denominators : ValueMatrices
        The N_j and the M_j, over the same domains.

    Raises
    ------
    MeasureError
        If the domains differ.
    """

    matrices: ValueMatrices
    denominators: ValueMatrices
    link: ClassVar[str] = "quotient"

    def __post_init__(self) -> None:
        if not np.array_equal(self.matrices.offsets, self.denominators.offsets):
            raise MeasureError(
                "numerators and denominators differ in domains; compute both from one table"
            )

    def _write(
        self, table_a: CategoricalTable, table_b: CategoricalTable, condensed: bool, out: np.ndarray
    ) -> None:
        n = table_a.n_objects
        step = max(1, _BLOCK // table_b.n_objects)
        start = 0
        for first in range(0, n, step):
            rows = table_a.take(slice(first, first + step))
            if condensed:
                block = self._block(rows, table_a.take(slice(first, n)))
                found = block[np.triu(np.ones(block.shape, dtype=bool), 1)]
            else:
                found = self._block(rows, table_b).reshape(-1)
            out[start : start + len(found)] = found
            start += len(found)

    def extended(
        self,
        shares: Sequence[np.ndarray],
        rules: Sequence[Sequence[str]],
        alike: bool = False,
    ) -> "QuotientSpace":
        """Return the space over domains with further values, as `ObjectSpace.extended`."""
        parts = list(zip(self.matrices.blocks, self.denominators.blocks, strict=True))
        apart = [
            _least_quotient(*part, share) if (share > 0).sum() > 1 else None
            for part, share in zip(parts, shares, strict=True)
        ]
        several = [one for one in apart if one is not None]
        # As in `farthest`, an attribute of one value takes the extreme of the others.
        ratios = [over / under if under else 1.0 for over, under in several]
        borrowed = several[int(np.argmin(ratios))] if several else (0.0, 1.0)
        pairs = [
            _extended_quotient(*part, share, rule, *(far or borrowed))
            for part, share, rule, far in zip(parts, shares, rules, apart, strict=True)
        ]
        above, below = zip(*pairs, strict=True)
        return QuotientSpace(ValueMatrices.from_blocks(above), ValueMatrices.from_blocks(below))

    def self_dissimilarities(
        self, table: CategoricalTable, dtype: DTypeLike = np.float64
    ) -> np.ndarray:
        """Return the dissimilarity of each object with itself, as `ObjectSpace` does."""
        above, below = (space.self_dissimilarities(table) for space in self._sums())
        return _inverted(above, below).astype(dtype)

    def _block(self, rows: CategoricalTable, columns: CategoricalTable) -> np.ndarray:
        above, below = (space.between(rows, columns) for space in self._sums())
        return _inverted(above, below)

    def _sums(self) -> tuple[ObjectSpace, ObjectSpace]:
        """Return the spaces of numerator and denominator."""
        return ObjectSpace(self.matrices, "sum"), ObjectSpace(self.denominators, "sum")


def _inverted(above: np.ndarray, below: np.ndarray) -> np.ndarray:
    """Return ``1 / (1 + above / below)`` in the memory of `above`; 1/2 where `below` is 0."""
    np.divide(above, below, out=above, where=below != 0)
    above[below == 0] = 1.0
    above += 1.0
    return np.reciprocal(above, out=above)


Plain = ObjectSpace | QuotientSpace

# Pairs centred at once.
_SHIFTED = 1 << 20


@dataclass(frozen=True, eq=False)
class CentredSpace(_Compared):
    """The dissimilarity ``D(u, v) - (D(u, u) + D(v, v)) / 2``, 0 from every object to itself.

    Parameters
    ----------
    space : ObjectSpace or QuotientSpace
        D.
    """

    space: ObjectSpace | QuotientSpace

    @property
    def link(self) -> str:
        """Link of D, with a prefix."""
        return f"centred {self.space.link}"

    def _write(
        self, table_a: CategoricalTable, table_b: CategoricalTable, condensed: bool, out: np.ndarray
    ) -> None:
        self.space._write(table_a, table_b, condensed, out)
        half_a = half_b = 0.5 * self.space.self_dissimilarities(table_a, out.dtype)
        if table_b is not table_a:
            half_b = 0.5 * self.space.self_dissimilarities(table_b, out.dtype)
        start = 0
        step = 1 if condensed else max(1, _SHIFTED // len(half_b))
        for first in range(0, len(half_a), step):
            others = half_b[first + 1 :] if condensed else half_b
            # Sum first: the result is then symmetric to the last bit.
            shift = np.add.outer(half_a[first : first + step], others).reshape(-1)
            part = out[start : start + len(shift)]
            part -= shift
            np.maximum(part, 0.0, out=part)
            start += len(shift)

    def extended(
        self, shares: Sequence[np.ndarray], rules: Sequence[Sequence[str]], alike: bool = False
    ) -> "CentredSpace":
        """Return the space over domains with further values, as `ObjectSpace.extended`."""
        return CentredSpace(self.space.extended(shares, rules))


Space = Plain | CentredSpace


def with_zero_self_distance(space: ObjectSpace | QuotientSpace) -> Space:
    """Return the space of ``D(u, v) - (D(u, u) + D(v, v)) / 2``.

    A space with zero self-distances is returned unchanged; a sum over the attributes remains one.
    """
    if isinstance(space, ObjectSpace) and space.link in ("sum", "rss", "jaccard"):
        if not any(block.diagonal().any() for block in space.matrices.blocks):
            return space
        if space.link == "sum":
            return ObjectSpace(centred(space.matrices), "sum")
    return CentredSpace(space)


def centred(matrices: ValueMatrices) -> ValueMatrices:
    """Return ``A(x, y) - (A(x, x) + A(y, y)) / 2``, 0 on the diagonals, for every attribute."""
    blocks = []
    for block in matrices.blocks:
        half = 0.5 * block.diagonal()
        shifted = block - np.add.outer(half, half)
        np.fill_diagonal(shifted, 0.0)
        blocks.append(shifted)
    return ValueMatrices.from_blocks(blocks)


def farthest(
    blocks: Sequence[np.ndarray], shares: Sequence[np.ndarray], alike: bool = False
) -> list[float]:
    """Return the largest distance between two values of each attribute.

    An attribute of a single value gets the largest distance of the other attributes, or 1 if none
    has two values. With `alike` the blocks are similarities: the smallest one is used, or 0.
    """
    extreme = np.min if alike else np.max
    found = [
        float(extreme(block[np.ix_(share > 0, share > 0)])) if (share > 0).sum() > 1 else None
        for block, share in zip(blocks, shares, strict=True)
    ]
    several = [one for one in found if one is not None]
    borrowed = float(extreme(several)) if several else float(not alike)
    return [borrowed if one is None else one for one in found]


def extended_blocks(
    blocks: Sequence[np.ndarray],
    shares: Sequence[np.ndarray],
    rules: Sequence[Sequence[str]],
    alike: bool = False,
) -> list[np.ndarray]:
    """Return the matrices of the attributes with further values, see `ObjectSpace.extended`."""
    extended = []
    apart = farthest(blocks, shares, alike)
    for block, share, rule, far in zip(blocks, shares, rules, apart, strict=True):
        seen = share > 0
        inner = block[np.ix_(seen, seen)]
        weights = share[seen] / share[seen].sum()
        near = inner.diagonal().max() if alike else inner.diagonal().min()
        mean = weights @ inner @ weights
        extended.append(_bordered(block, rule, far, near, share / share.sum(), mean))
    return extended


def _least_quotient(above: np.ndarray, below: np.ndarray, share: np.ndarray) -> tuple[float, float]:
    """Return numerator and denominator of the least similar values of an attribute."""
    inside = np.ix_(share > 0, share > 0)
    over, under = above[inside], below[inside]
    quotient = np.divide(over, under, out=np.ones_like(over), where=under != 0)
    least = quotient.argmin()
    return float(over.flat[least]), float(under.flat[least])


def _extended_quotient(
    above: np.ndarray,
    below: np.ndarray,
    share: np.ndarray,
    rules: Sequence[str],
    over_far: float,
    under_far: float,
) -> tuple[np.ndarray, np.ndarray]:
    """Return numerators and denominators of one attribute with further values."""
    seen = np.flatnonzero(share > 0)
    inside = np.ix_(seen, seen)
    over, under = above[inside], below[inside]
    most = under.diagonal()[np.abs(under.diagonal()).argmax()]
    weights = share / share.sum()
    inner = weights[seen]
    return (
        _bordered(above, rules, over_far, most, weights, inner @ over @ inner),
        _bordered(below, rules, under_far, most, weights, inner @ under @ inner),
    )


def _bordered(
    block: np.ndarray,
    rules: Sequence[str],
    far: float,
    near: float,
    weights: np.ndarray,
    mean: float,
) -> np.ndarray:
    v, extra = len(block), len(rules)
    full = np.full((v + extra, v + extra), far)
    full[:v, :v] = block
    typical = np.array([rule == "typical" for rule in rules], dtype=bool)
    if typical.any():
        at = v + np.flatnonzero(typical)
        full[at, :v] = weights @ block
        full[:v, at] = (weights @ block)[:, np.newaxis]
        full[np.ix_(at, at)] = mean
    full[np.arange(v, v + extra), np.arange(v, v + extra)] = near
    return full


def k_nearest(
    owner: str,
    block_of: Callable[[np.ndarray], np.ndarray],
    shape: tuple[int, int],
    n_neighbors: int,
    others: bool,
    return_distance: bool,
) -> tuple[np.ndarray, np.ndarray] | np.ndarray:
    """Return the k nearest columns of every row of a matrix computed in blocks.

    `block_of` takes row indices and returns these rows of a matrix of that shape; with `others` the
    column with the index of the row is skipped. The distances, (n, k), increase; ties go to the
    smallest indices. Raises `CouplingsError` if there are fewer than k columns.
    """
    n, n_columns = shape
    check_positive(owner, n_neighbors=n_neighbors)
    k = int(n_neighbors)
    available = n_columns - others
    if k > available:
        raise MeasureError(
            f"{owner}: n_neighbors={k} is more than the {available} "
            f"{'other ' if others else ''}objects; choose at most {available}"
        )
    distances = np.empty((n, k))
    indices = np.empty((n, k), dtype=np.int64)
    step = max(64, _SEARCHED // n_columns)
    for first in range(0, n, step):
        part = slice(first, min(first + step, n))
        block = block_of(np.arange(part.start, part.stop))
        skip = first if others else -1
        objects.nearest(block.size, block, skip, distances[part], indices[part])
    return (distances, indices) if return_distance else indices
