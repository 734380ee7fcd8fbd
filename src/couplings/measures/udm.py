"""UDM: entropies of two values seen through all attributes, weighted by interdependence."""

import numpy as np

from couplings._kernels import unified
from couplings.counts import CooccurrenceCounts
from couplings.measures.base import ValueMeasure, squared
from couplings.space import ObjectSpace
from couplings.values import ValueMatrices


class UDM(ValueMeasure):
    """Unified dissimilarity metric of nominal values (UDM).

    With C the counts of attributes r and s, their interdependence R_rs is the number of pairs of
    objects equal in both, ``sum C (C - 1) / 2``, plus the sum of the absolute 2 x 2 minors of C,
    divided by the number of pairs of objects. For values x, y of r and
    ``q_g = (C_xg + C_yg) / n``,

        ``M_r(x, y) = (1 / m) sum over s of R_rs (-sum_g q_g log2 q_g) / log2 v_s``,

    s = r included.

    Parameters
    ----------
    missing, unknown : str, default "raise"
        Rules for missing cells and unseen values, see `ValueMeasure`.

    Attributes
    ----------
    value_matrices_ : ValueMatrices
        Dissimilarities, not negative. Values that never occur are at 0 and do not count in v_s.
        Constant attributes are left out, of m too.
    interdependence_ : ndarray of float64, shape (m, m)
        R, symmetric, in [0, 1], with diagonal 1.
    space_ : ObjectSpace
        Link "rss".

    Notes
    -----
    The text of the paper was not available. That s = r is in the sum, and that q is not divided by
    its sum, is taken from a third party's program.

    References
    ----------
    Zhang and Cheung, IEEE Transactions on Cybernetics 52 (2022); nominal attributes.

    Examples
    --------
    >>> from couplings import UDM
    >>> rows = [["step", "wide", "hub"], ["step", "wide", "rim"], ["sport", "slim", "rim"]]
    >>> UDM().fit(rows).pairwise(rows).round(2)
    array([[0.  , 0.51, 1.13],
           [0.51, 0.  , 1.01],
           [1.13, 1.01, 0.  ]])
    """

    def _values(self, counts: CooccurrenceCounts) -> ValueMatrices:
        n, m = counts.n_objects, counts.n_attributes
        pairs = n * (n - 1) // 2
        agreements = unified.agreements(counts.matrix, counts.offsets)
        # One object makes no pairs; all that is compared with itself agrees.
        self.interdependence_ = agreements / pairs if pairs else np.ones((m, m))
        n_observed = np.array([np.count_nonzero(counts.block(j, j)) for j in range(m)])
        varies = n_observed > 1
        scale = np.where(varies, np.log2(np.where(varies, n_observed, 2)) * varies.sum(), np.inf)
        weights = self.interdependence_ / scale
        return ValueMatrices.from_blocks(
            [
                unified.entropy_distances(counts.matrix, counts.offsets, weights[j], j)
                for j in range(m)
            ]
        )

    def _space(self, values: ValueMatrices, counts: CooccurrenceCounts) -> ObjectSpace:
        return ObjectSpace(squared(values), "rss")
