"""Sums over the values of objects, and the farthest pair of objects."""

import numpy as np

from couplings._kernels import pairs
from couplings.table import CategoricalTable
from couplings.values import ValueMatrices

# Size of a block of similar objects that share one bound.
_WIDTH = 64


def summed(codes: np.ndarray, offsets: np.ndarray, parts: np.ndarray) -> np.ndarray:
    """Return, for each row of codes, the sum of `parts` over its values, from first to last."""
    total = parts[offsets[0] + codes[:, 0]]
    for column, offset in zip(codes.T[1:], offsets[1:-1], strict=True):
        total += parts[offset + column]
    return total


def farthest_values(matrices: ValueMatrices) -> np.ndarray:
    """Return the largest dissimilarity of each value, float64 of length L, at least 0."""
    return np.concatenate([block.max(axis=1, initial=0.0) for block in matrices.blocks])


def largest_of_rows(codes: np.ndarray, matrices: ValueMatrices, reach: np.ndarray) -> float:
    """Return the largest summed dissimilarity of two distinct rows, 0 if none is positive."""
    # `reach` is `summed` of `farthest_values`.
    entropies = []
    for column in codes.T:
        shares = np.bincount(column) / max(len(codes), 1)
        entropies.append(-(shares * np.log(np.where(shares > 0, shares, 1.0))).sum())
    # Sorted by attributes of few values first, so that neighbours agree in many attributes.
    order = np.lexsort(codes[:, np.argsort(entropies)[::-1]].T)
    rows, reach = np.ascontiguousarray(codes[order], dtype=np.int32), reach[order]
    starts, offsets = matrices.starts, matrices.offsets
    turned = ValueMatrices.from_blocks([block.T for block in matrices.blocks])
    top = pairs.largest(rows, reach, matrices.data, starts, offsets, _WIDTH)
    if not np.array_equal(turned.data, matrices.data):
        # Rounding can make the two halves unequal; the kernel reads one order of each pair.
        reach = summed(rows, offsets, farthest_values(turned))
        top = max(top, pairs.largest(rows, reach, turned.data, starts, offsets, _WIDTH))
    return float(top)


def largest_dissimilarity(table: CategoricalTable, matrices: ValueMatrices) -> float:
    """Return the largest summed dissimilarity of two objects, or 0, without storing pairs."""
    # It equals the maximum of ``ObjectSpace.pairwise`` bit by bit; distinct rows are enough.
    reach = summed(table.codes, matrices.offsets, farthest_values(matrices))
    return largest_of_rows(table.codes, matrices, reach)
