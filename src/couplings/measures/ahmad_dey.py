"""Ahmad and Dey's dissimilarity by co-occurrence with the other attributes."""

from typing import ClassVar

from couplings._kernels import contexts
from couplings._params import check_choice
from couplings.counts import CooccurrenceCounts
from couplings.measures.base import ValueMeasure, squared
from couplings.space import ObjectSpace
from couplings.values import ValueMatrices


class AhmadDey(ValueMeasure):
    """Ahmad and Dey's dissimilarity (ADD, DELTA, ALGO).

    The dissimilarity of two values of an attribute is the mean, over the other attributes k, of
    the total variation between the distributions of k given either value.

    Parameters
    ----------
    aggregation : {"sum", "rss"}, default "sum"
        Objects: sum over the attributes, or root of the sum of squares.
    missing, unknown : str, default "raise"
        Rules for missing cells and unseen values, see `ValueMeasure`.

    Attributes
    ----------
    value_matrices_ : ValueMatrices
        Dissimilarities in [0, 1], a pseudo-metric. Values that never occur are at 0.
    space_ : ObjectSpace
        Link "sum" or "rss".

    References
    ----------
    Ahmad and Dey, Pattern Recognition Letters 28 (2007); CASO, TNNLS 2015, eq. 8 and 13:
    1 minus the inter-coupled similarity with equal weights.

    Examples
    --------
    >>> from couplings import AhmadDey
    >>> rows = [["step", "wide", "hub"], ["step", "wide", "rim"], ["sport", "slim", "rim"]]
    >>> AhmadDey().fit(rows).pairwise(rows).round(2)
    array([[0. , 0.5, 2. ],
           [0.5, 0. , 1.5],
           [2. , 1.5, 0. ]])
    """

    _needs_context: ClassVar[bool] = True

    def __init__(
        self, aggregation: str = "sum", *, missing: str = "raise", unknown: str = "raise"
    ) -> None:
        super().__init__(missing=missing, unknown=unknown)
        self.aggregation = aggregation

    def _values(self, counts: CooccurrenceCounts) -> ValueMatrices:
        check_choice("AhmadDey", "aggregation", self.aggregation, ("sum", "rss"))
        return ValueMatrices.from_blocks(
            [
                contexts.mean_total_variation(counts.matrix, counts.offsets, j)
                for j in range(counts.n_attributes)
            ]
        )

    def _space(self, values: ValueMatrices, counts: CooccurrenceCounts) -> ObjectSpace:
        if self.aggregation == "sum":
            return ObjectSpace(values, "sum")
        return ObjectSpace(squared(values), "rss")
