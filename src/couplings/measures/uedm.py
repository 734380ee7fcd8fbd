"""UEDM: values are as far apart as their entropies add up to."""

import numpy as np

from couplings.counts import CooccurrenceCounts
from couplings.measures.base import ValueMeasure, squared
from couplings.space import ObjectSpace
from couplings.values import ValueMatrices


class UEDM(ValueMeasure):
    """Unified entropy-based distance metric of nominal values (UEDM).

    With p_x the share of a value and ``e_x = -p_x ln p_x``, two values of attribute j are
    ``w_j (e_x + e_y)`` apart. The weight w_j is the entropy of the attribute divided by the
    logarithm of its number of values, ``R_j = H_j / ln v_j``, as a share of the sum of all R.

    Parameters
    ----------
    missing, unknown : str, default "raise"
        Rules for missing cells and unseen values, see `ValueMeasure`.

    Attributes
    ----------
    value_matrices_ : ValueMatrices
        Dissimilarities, not negative, a metric on the values of an attribute. Values that never
        occur are at 0 and do not count in v_j; a constant attribute has weight 0.
    weights_ : ndarray of float64, shape (m,)
        The w_j; they sum to 1, unless all attributes are constant.
    space_ : ObjectSpace
        Link "rss", weights inside the squares.

    Notes
    -----
    It ignores how attributes depend on each other.

    References
    ----------
    Zhang, Cheung and Tan, IEEE TNNLS 31 (2020), doi 10.1109/TNNLS.2019.2899381; nominal
    attributes.

    Examples
    --------
    >>> from couplings import UEDM
    >>> rows = [["step", "wide", "hub"], ["step", "wide", "rim"], ["sport", "slim", "rim"]]
    >>> UEDM().fit(rows).pairwise(rows).round(2)
    array([[0.  , 0.21, 0.37],
           [0.21, 0.  , 0.3 ],
           [0.37, 0.3 , 0.  ]])
    """

    def _values(self, counts: CooccurrenceCounts) -> ValueMatrices:
        shares = [
            counts.block(j, j).diagonal() / counts.n_objects for j in range(counts.n_attributes)
        ]
        parts = [-p * np.log(np.where(p > 0, p, 1.0)) for p in shares]
        ratio = np.zeros(counts.n_attributes)
        for j, (p, e) in enumerate(zip(shares, parts, strict=True)):
            n_observed = np.count_nonzero(p)
            if n_observed > 1:
                ratio[j] = e.sum() / np.log(n_observed)
        self.weights_ = ratio / ratio.sum() if ratio.any() else ratio
        blocks = []
        for p, e, weight in zip(shares, parts, self.weights_, strict=True):
            seen = p > 0
            block = np.where(np.outer(seen, seen), weight * np.add.outer(e, e), 0.0)
            np.fill_diagonal(block, 0.0)
            blocks.append(block)
        return ValueMatrices.from_blocks(blocks)

    def _space(self, values: ValueMatrices, counts: CooccurrenceCounts) -> ObjectSpace:
        return ObjectSpace(squared(values), "rss")
