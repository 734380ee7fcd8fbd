"""HD: total variation, every context weighted by how many values it shows."""

from couplings._kernels import unified
from couplings._params import check_choice
from couplings.counts import CooccurrenceCounts
from couplings.measures.base import ValueMeasure, squared
from couplings.space import ObjectSpace
from couplings.values import ValueMatrices


class HD(ValueMeasure):
    """Homogeneous distance of nominal values (HD).

    For values x, y of attribute j, with tv_k the total variation between the distributions of
    attribute k given either value, and g_k the number of values of k that occur with x or y,

        ``HD_j(x, y) = (1 + sum over k other than j of 2 tv_k(x, y) / g_k(x, y)) / m``.

    The 1 is the attribute's own term. It is the dissimilarity of Ahmad and Dey with every context
    weighted by ``2 / g_k``, plus the constant ``1 / m``; independent attributes make it simple
    matching.

    Parameters
    ----------
    aggregation : {"sum", "rss"}, default "rss"
        Objects: sum over the attributes, or root of the sum of squares, which the authors use.
    missing, unknown : str, default "raise"
        Rules for missing cells and unseen values, see `ValueMeasure`.

    Attributes
    ----------
    value_matrices_ : ValueMatrices
        Dissimilarities in [0, 1], at least 1 / m for different values; the triangle inequality is
        not proved. Values that never occur are at 0.
    space_ : ObjectSpace
        Link "sum" or "rss".

    References
    ----------
    Zhang and Cheung, IEEE TPAMI 44 (2022), doi 10.1109/TPAMI.2021.3056510; nominal attributes.

    Examples
    --------
    >>> from couplings import HD
    >>> rows = [["step", "wide", "hub"], ["step", "wide", "rim"], ["sport", "slim", "rim"]]
    >>> HD().fit(rows).pairwise(rows).round(2)
    array([[0.  , 0.67, 1.35],
           [0.67, 0.  , 1.18],
           [1.35, 1.18, 0.  ]])
    """

    def __init__(
        self, aggregation: str = "rss", *, missing: str = "raise", unknown: str = "raise"
    ) -> None:
        super().__init__(missing=missing, unknown=unknown)
        self.aggregation = aggregation

    def _values(self, counts: CooccurrenceCounts) -> ValueMatrices:
        check_choice("HD", "aggregation", self.aggregation, ("sum", "rss"))
        return ValueMatrices.from_blocks(
            [
                unified.sized_variation(counts.matrix, counts.offsets, j)
                for j in range(counts.n_attributes)
            ]
        )

    def _space(self, values: ValueMatrices, counts: CooccurrenceCounts) -> ObjectSpace:
        if self.aggregation == "sum":
            return ObjectSpace(values, "sum")
        return ObjectSpace(squared(values), "rss")
