"""Measures that only ask whether two values are equal."""

import numpy as np

from couplings.counts import CooccurrenceCounts
from couplings.measures.base import ValueMeasure
from couplings.space import ObjectSpace
from couplings.values import ValueMatrices


def _mismatches(counts: CooccurrenceCounts) -> ValueMatrices:
    return ValueMatrices.from_blocks([1.0 - np.eye(size) for size in counts.n_values])


class SimpleMatching(ValueMeasure):
    """Simple matching dissimilarity (overlap, Hamming): the number of differing attributes.

    Parameters
    ----------
    missing, unknown : str, default "raise"
        Rules for missing cells and unseen values, see `ValueMeasure`.

    Attributes
    ----------
    value_matrices_ : ValueMatrices
        0 for equal values, 1 for different ones.
    space_ : ObjectSpace
        Link "sum", so D is in [0, m].

    References
    ----------
    CASO, TNNLS 2015, section VIII-A (SMD).

    Examples
    --------
    >>> from couplings import SimpleMatching
    >>> rows = [["step", "wide", "hub"], ["step", "wide", "rim"], ["sport", "slim", "rim"]]
    >>> SimpleMatching().fit(rows).pairwise(rows).round(2)
    array([[0., 1., 3.],
           [1., 0., 2.],
           [3., 2., 0.]])
    """

    def _values(self, counts: CooccurrenceCounts) -> ValueMatrices:
        return _mismatches(counts)


class Jaccard(ValueMeasure):
    """Jaccard's dissimilarity of the sets of (attribute, value) items of two objects.

    With h differing attributes, ``D = 2 h / (m + h)``, in [0, 1].

    Parameters
    ----------
    missing, unknown : str, default "raise"
        Rules for missing cells and unseen values, see `ValueMeasure`.

    Attributes
    ----------
    value_matrices_ : ValueMatrices
        0 for equal values, 1 for different ones.
    space_ : ObjectSpace
        Link "jaccard".

    References
    ----------
    DILCA, TKDD 2012, section 5.1.1.

    Examples
    --------
    >>> from couplings import Jaccard
    >>> rows = [["step", "wide", "hub"], ["step", "wide", "rim"], ["sport", "slim", "rim"]]
    >>> Jaccard().fit(rows).pairwise(rows).round(2)
    array([[0. , 0.5, 1. ],
           [0.5, 0. , 0.8],
           [1. , 0.8, 0. ]])
    """

    def _values(self, counts: CooccurrenceCounts) -> ValueMatrices:
        return _mismatches(counts)

    def _space(self, values: ValueMatrices, counts: CooccurrenceCounts) -> ObjectSpace:
        return ObjectSpace(values, "jaccard")
