"""Measures that compare two values of an attribute by the values of the other attributes."""

from dataclasses import dataclass
from itertools import pairwise
from typing import Literal

import numpy as np

from couplings._checks import is_whole
from couplings._kernels import contexts
from couplings.counts import CooccurrenceCounts, multipliable
from couplings.measures.base import ValueMeasure
from couplings.values import ValueMatrices


@dataclass(eq=False, repr=False)
class AhmadDey(ValueMeasure):
    """Ahmad and Dey's dissimilarity (ADD, DELTA, ALGO).

    The dissimilarity of two values of an attribute is the mean, over the other attributes k, of
    the total variation between the distributions of k given either value.

    Parameters
    ----------
    aggregation : {"sum", "rss"}, default "sum"
        Objects: sum over the attributes, or root of the sum of squares.
    missing, unknown
        As in `ValueMeasure`.

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

    aggregation: Literal["sum", "rss"] = "sum"

    _needs_context = True

    def _values(self, counts: CooccurrenceCounts) -> ValueMatrices:
        return ValueMatrices.from_blocks(
            [
                contexts.variation_distances(counts.matrix, counts.offsets, j)
                for j in range(len(counts.offsets) - 1)
            ]
        )


class Pearson(ValueMeasure):
    """One minus Pearson's correlation of the co-occurrence counts of two values.

    The vector of a value holds its counts with every declared value of all other attributes; a
    constant vector has correlation 0. Objects: root of the summed squares.

    Parameters are those of `ValueMeasure`.

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

    _needs_context = True
    aggregation = "rss"

    def _values(self, counts: CooccurrenceCounts) -> ValueMatrices:
        blocks = []
        for first, last in pairwise(counts.offsets):
            rows = np.delete(counts.matrix[first:last], slice(first, last), axis=1)
            centred = rows - rows.sum(axis=1, keepdims=True) / rows.shape[1]
            frequency = counts.marginals[first:last]
            blocks.append(contexts.correlation_distances(centred, frequency))
        return ValueMatrices.from_blocks(blocks)


@dataclass(eq=False, repr=False)
class HD(ValueMeasure):
    """Homogeneous distance of nominal values (HD).

    For values x, y of attribute j, let tv_k be the total variation between the distributions of
    attribute k given either value, and g_k the number of values of k that occur with x or y:

        ``HD_j(x, y) = (1 + sum over k other than j of 2 tv_k(x, y) / g_k(x, y)) / m``.

    The 1 is the term of attribute j itself. The distance is the dissimilarity of Ahmad and Dey with
    every context weighted by ``2 / g_k``, plus ``1 / m``; for independent attributes it is simple
    matching.

    Parameters
    ----------
    aggregation : {"sum", "rss"}, default "rss"
        Objects: sum over the attributes, or root of the sum of squares, which the authors use.
    missing, unknown
        As in `ValueMeasure`.

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

    aggregation: Literal["sum", "rss"] = "rss"

    def _values(self, counts: CooccurrenceCounts) -> ValueMatrices:
        return by_contexts(contexts.SIZED, counts)


class UDM(ValueMeasure):
    """Unified dissimilarity metric of nominal values (UDM).

    With C the counts of attributes r and s, their interdependence R_rs counts the pairs of objects
    that are equal in both, ``sum C (C - 1) / 2``, adds the absolute 2 x 2 minors of C, and divides
    by the number of pairs of objects; with weights that are fractions, pairs are drawn with
    replacement, ``sum C**2 / 2``. For values x, y of r and ``q_g = (C_xg + C_yg) / n``,

        ``M_r(x, y) = (1 / m) sum over s of R_rs (-sum_g q_g log2 q_g) / log2 v_s``,

    where the sum includes s = r and q is not divided by its sum. These two details follow a third
    party's program; the text of the paper was not available.

    Parameters are those of `ValueMeasure`.

    Attributes
    ----------
    value_matrices_ : ValueMatrices
        Non-negative dissimilarities. Values that never occur are at 0 and do not count in v_s.
        Constant attributes are left out, also of m.
    interdependence_ : ndarray of float64, shape (m, m)
        R, symmetric, in [0, 1], with diagonal 1.
    space_ : ObjectSpace
        Link "rss".

    References
    ----------
    Zhang and Cheung, IEEE Transactions on Cybernetics 52 (2022); nominal attributes.

    Examples
    --------
    >>> from couplings.measures import UDM
    >>> rows = [["step", "wide", "hub"], ["step", "wide", "rim"], ["sport", "slim", "rim"]]
    >>> UDM().fit(rows).pairwise(rows).round(2)
    array([[0.  , 0.51, 1.13],
           [0.51, 0.  , 1.01],
           [1.13, 1.01, 0.  ]])
    """

    aggregation = "rss"

    def _values(self, counts: CooccurrenceCounts) -> ValueMatrices:
        n, m = counts.n_objects, counts.n_attributes
        drawn = 1 if is_whole(counts.matrix) else 0
        pairs = n * (n - drawn) / 2
        work = counts.matrix.size**2
        agreements = contexts.agreements(work, multipliable(counts.matrix), counts.offsets, drawn)
        # A single object makes no pairs; its values count as agreeing.
        self.interdependence_ = agreements / pairs if pairs else np.ones((m, m))
        n_observed = np.array([np.count_nonzero(counts.block(j, j)) for j in range(m)])
        varies = n_observed > 1
        scale = np.where(varies, np.log2(np.where(varies, n_observed, 2)) * varies.sum(), np.inf)
        weights = self.interdependence_ / scale
        return by_contexts(contexts.ENTROPY, counts, weights)


def by_contexts(
    kind: int, counts: CooccurrenceCounts, weights: np.ndarray | None = None
) -> ValueMatrices:
    """Return value distances over all contexts, see `_kernels.contexts.value_distances`."""
    m = counts.n_attributes
    weights = np.ones((m, m)) if weights is None else weights
    return ValueMatrices.from_blocks(
        [
            contexts.value_distances(kind, counts.matrix, counts.offsets, weights[j], j)
            for j in range(m)
        ]
    )
