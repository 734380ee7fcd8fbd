"""Dissimilarity by the correlation of co-occurrence counts."""

from typing import ClassVar

from couplings._kernels import contexts
from couplings.counts import CooccurrenceCounts
from couplings.measures.base import ValueMeasure, squared
from couplings.space import ObjectSpace
from couplings.values import ValueMatrices


class Pearson(ValueMeasure):
    """One minus Pearson's correlation of the co-occurrence counts of two values.

    The vector of a value holds its counts with every declared value of all other attributes; a
    constant vector correlates with nothing. Objects: root of the summed squares.

    Parameters
    ----------
    missing, unknown : str, default "raise"
        Rules for missing cells and unseen values, see `ValueMeasure`.

    Attributes
    ----------
    value_matrices_ : ValueMatrices
        Dissimilarities in [0, 2]. Values that never occur are at 0.
    space_ : ObjectSpace
        Link "rss".

    References
    ----------
    DILCA, TKDD 2012, section 5.1.1 (PEARSON).

    Examples
    --------
    >>> from couplings import Pearson
    >>> rows = [["step", "wide", "hub"], ["step", "wide", "rim"], ["sport", "slim", "rim"]]
    >>> Pearson().fit(rows).pairwise(rows).round(2)
    array([[0.  , 1.  , 2.61],
           [1.  , 0.  , 2.41],
           [2.61, 2.41, 0.  ]])
    """

    _needs_context: ClassVar[bool] = True

    def _values(self, counts: CooccurrenceCounts) -> ValueMatrices:
        return ValueMatrices.from_blocks(
            [
                contexts.correlation_distance(counts.matrix, counts.offsets, j)
                for j in range(counts.n_attributes)
            ]
        )

    def _space(self, values: ValueMatrices, counts: CooccurrenceCounts) -> ObjectSpace:
        return ObjectSpace(squared(values), "rss")
