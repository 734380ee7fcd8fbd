"""Object spaces with zero self-distances, and with values that the fit has not seen."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Union, overload

import numpy as np
from numpy.typing import DTypeLike

from couplings.quotient import QuotientSpace
from couplings.space import ObjectSpace
from couplings.table import CategoricalTable
from couplings.values import ValueMatrices

Plain = ObjectSpace | QuotientSpace
Space = Union[Plain, "CentredSpace"]

# Pairs that are shifted at once.
_BLOCK = 1 << 20


@dataclass(frozen=True, eq=False)
class CentredSpace:
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

    def pairwise(
        self,
        table: CategoricalTable,
        out: np.ndarray | None = None,
        dtype: DTypeLike = np.float64,
    ) -> np.ndarray:
        """Return the dissimilarities of all objects of a table, as `ObjectSpace.pairwise`."""
        return self.between(table, table, out, dtype)

    def between(
        self,
        table_a: CategoricalTable,
        table_b: CategoricalTable,
        out: np.ndarray | None = None,
        dtype: DTypeLike = np.float64,
    ) -> np.ndarray:
        """Return the dissimilarities of the objects of two tables, as `ObjectSpace.between`."""
        out = self.space.between(table_a, table_b, out, dtype)
        half_a = 0.5 * self.space.self_dissimilarities(table_a, out.dtype)
        half_b = half_a
        if table_b is not table_a:
            half_b = 0.5 * self.space.self_dissimilarities(table_b, out.dtype)
        step = max(1, _BLOCK // len(half_b))
        for first in range(0, len(half_a), step):
            part = out[first : first + step]
            # The sum first: it is the same for (u, v) and (v, u) to the last bit.
            part -= np.add.outer(half_a[first : first + step], half_b)
            np.maximum(part, 0.0, out=part)
        return out

    def condensed(
        self,
        table: CategoricalTable,
        out: np.ndarray | None = None,
        dtype: DTypeLike = np.float64,
    ) -> np.ndarray:
        """Return the dissimilarities of the pairs u < v, as `ObjectSpace.condensed`."""
        out = self.space.condensed(table, out, dtype)
        half = 0.5 * self.space.self_dissimilarities(table, out.dtype)
        start = 0
        for u in range(len(half) - 1):
            part = out[start : start + len(half) - 1 - u]
            part -= half[u] + half[u + 1 :]
            np.maximum(part, 0.0, out=part)
            start += len(part)
        return out


def with_zero_self_distance(space: ObjectSpace | QuotientSpace) -> Space:
    """Return the space of ``D(u, v) - (D(u, u) + D(v, v)) / 2``.

    A space where every object is at 0 from itself is returned as it is; a sum over the attributes
    stays one.
    """
    if isinstance(space, ObjectSpace) and space.link in ("sum", "rss", "jaccard"):
        if not any(space.matrices.block(j).diagonal().any() for j in range(_size(space))):
            return space
        if space.link == "sum":
            return ObjectSpace(centred(space.matrices), "sum")
    return CentredSpace(space)


def centred(matrices: ValueMatrices) -> ValueMatrices:
    """Return ``A(x, y) - (A(x, x) + A(y, y)) / 2``, 0 on the diagonals, for every attribute."""
    blocks = []
    for j in range(matrices.n_attributes):
        block = matrices.block(j)
        half = 0.5 * block.diagonal()
        shifted = block - np.add.outer(half, half)
        np.fill_diagonal(shifted, 0.0)
        blocks.append(shifted)
    return ValueMatrices.from_blocks(blocks)


@overload
def extended(
    space: Plain, shares: Sequence[np.ndarray], rules: Sequence[Sequence[str]], alike: bool = False
) -> Plain: ...


@overload
def extended(
    space: Space, shares: Sequence[np.ndarray], rules: Sequence[Sequence[str]], alike: bool = False
) -> Space: ...


def extended(
    space: Space,
    shares: Sequence[np.ndarray],
    rules: Sequence[Sequence[str]],
    alike: bool = False,
) -> Space:
    """Return the space over domains that hold further values.

    Parameters
    ----------
    space : ObjectSpace, QuotientSpace or CentredSpace
        Over m attributes.
    shares : sequence of m ndarrays of float64
        Shares of the values of each attribute; values with 0 have not been seen.
    rules : sequence of m sequences of {"mismatch", "typical"}
        One per further value. "mismatch": as far from every other value as the two values of the
        attribute that are farthest apart. "typical": as far as the values of the attribute are on
        average, weighted by their shares, in what the space adds up (for the link "rss" the
        squares). Equal further values agree, of different ones "mismatch" comes before "typical".
    alike : bool, default False
        Whether the space adds up similarities (that of the link "inverse" does anyway).

    Returns
    -------
    ObjectSpace, QuotientSpace or CentredSpace
        The further values of an attribute come after its others.
    """
    if isinstance(space, CentredSpace):
        return CentredSpace(extended(space.space, shares, rules))
    if isinstance(space, ObjectSpace) and space.value_terms is not None:
        space = QuotientSpace(space.matrices, _term_sums(space.value_terms, space.matrices.offsets))
    parts = list(zip(shares, rules, strict=True))
    if isinstance(space, QuotientSpace):
        pairs = [
            _extended_quotient(space.matrices.block(j), space.denominators.block(j), *part)
            for j, part in enumerate(parts)
        ]
        above, below = zip(*pairs, strict=True)
        return QuotientSpace(ValueMatrices.from_blocks(above), ValueMatrices.from_blocks(below))
    alike = alike or space.link == "inverse"
    blocks = [
        extended_block(space.matrices.block(j), *part, alike=alike) for j, part in enumerate(parts)
    ]
    return ObjectSpace(ValueMatrices.from_blocks(blocks), space.link)


def extended_block(
    block: np.ndarray, share: np.ndarray, rules: Sequence[str], alike: bool = False
) -> np.ndarray:
    """Return the matrix of one attribute with further values, see `extended`.

    With `alike` it holds similarities.
    """
    seen = share > 0
    inner = block[np.ix_(seen, seen)]
    weights = share[seen] / share[seen].sum()
    far = inner.min() if alike else inner.max()
    near = inner.diagonal().max() if alike else inner.diagonal().min()
    return _bordered(block, rules, far, near, share / share.sum(), weights @ inner @ weights)


def _extended_quotient(
    above: np.ndarray, below: np.ndarray, share: np.ndarray, rules: Sequence[str]
) -> tuple[np.ndarray, np.ndarray]:
    """Return numerators and denominators of one attribute with further values."""
    seen = np.flatnonzero(share > 0)
    inside = np.ix_(seen, seen)
    over, under = above[inside], below[inside]
    quotient = np.divide(over, under, out=np.ones_like(over), where=under != 0)
    least = quotient.argmin()
    most = under.diagonal()[np.abs(under.diagonal()).argmax()]
    weights = share / share.sum()
    inner = weights[seen]
    return (
        _bordered(above, rules, over.flat[least], most, weights, inner @ over @ inner),
        _bordered(below, rules, under.flat[least], most, weights, inner @ under @ inner),
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


def _term_sums(terms: np.ndarray, offsets: np.ndarray) -> ValueMatrices:
    """Return the denominators of the link "ratio", value by value."""
    parts = np.split(terms, offsets[1:-1])
    return ValueMatrices.from_blocks([np.add.outer(part, part) for part in parts])


def _size(space: ObjectSpace) -> int:
    return space.matrices.n_attributes
