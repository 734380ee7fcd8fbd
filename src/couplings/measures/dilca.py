"""DILCA: values are close if they occur alike in the context of related attributes."""

from dataclasses import dataclass
from typing import Literal

import numpy as np

from couplings._checks import check_number
from couplings._kernels import contexts
from couplings.counts import CooccurrenceCounts, symmetric_uncertainty
from couplings.measures.base import ValueMeasure
from couplings.values import ValueMatrices


class _Dilca(ValueMeasure):
    """Base class of the two context selections."""

    _needs_context = True
    aggregation = "rss"
    rounding: str

    def choose_context(self, counts: CooccurrenceCounts) -> np.ndarray:
        """Return the contexts that `fit` finds in these counts, without learning distances.

        Parameters
        ----------
        counts : CooccurrenceCounts
            Of a table with two attributes or more.

        Returns
        -------
        ndarray of bool, shape (m, m)
            As ``context_``.
        """
        return self._context(symmetric_uncertainty(counts, self.rounding))

    def _values(self, counts: CooccurrenceCounts) -> ValueMatrices:
        self.symmetric_uncertainty_ = symmetric_uncertainty(counts, self.rounding)
        self.context_ = self._context(self.symmetric_uncertainty_)
        return ValueMatrices.from_blocks(
            [
                contexts.dilca_distances(counts.matrix, counts.offsets, row, j)
                for j, row in enumerate(self.context_)
            ]
        )

    def _context(self, uncertainty: np.ndarray) -> np.ndarray:
        raise NotImplementedError


@dataclass(eq=False, repr=False)
class DilcaM(_Dilca):
    """DILCA with the context of attributes above a share of the mean uncertainty.

    The distance of two values y, y' of an attribute is the root of the mean squared difference of
    ``P(y given x)`` and ``P(y' given x)`` over all declared values x of the context. Objects: root
    of the summed squares.

    Parameters
    ----------
    sigma : float, default 0.5
        The context of Y holds the attributes X with ``SU_Y(X) >= sigma * mean``, where the mean is
        over all X other than Y. In [0, 1]; 0 keeps every attribute.
    rounding : {"clipped", "weka"}, default "clipped"
        Rounding of `symmetric_uncertainty`.
    missing, unknown
        As in `ValueMeasure`.

    Attributes
    ----------
    context_ : ndarray of bool, shape (m, m)
        Entry [Y, X]: X is in the context of target Y.
    symmetric_uncertainty_ : ndarray of float64, shape (m, m)
        Entry [Y, X] is SU_Y(X).
    value_matrices_ : ValueMatrices
        Distances in [0, 1], a pseudo-metric; 0 for values that never occur.
    space_ : ObjectSpace
        Link "rss".

    References
    ----------
    DILCA, TKDD 2012, eq. 1 (distance), eq. 3 (context), eq. 4 (objects).

    Examples
    --------
    >>> from couplings import DilcaM
    >>> rows = [["step", "wide", "hub"], ["step", "wide", "rim"], ["sport", "slim", "rim"]]
    >>> DilcaM().fit(rows).pairwise(rows).round(2)
    array([[0.  , 0.71, 1.58],
           [0.71, 0.  , 1.41],
           [1.58, 1.41, 0.  ]])
    """

    sigma: float = 0.5
    rounding: str = "clipped"

    def _context(self, uncertainty: np.ndarray) -> np.ndarray:
        check_number("DilcaM", "sigma", self.sigma, most=1)
        others = ~np.eye(len(uncertainty), dtype=bool)
        # Sum from left to right.
        total = np.where(others, uncertainty, 0.0).cumsum(axis=1)[:, -1:]
        return others & (uncertainty >= self.sigma * (total / (len(uncertainty) - 1)))


@dataclass(eq=False, repr=False)
class DilcaRR(_Dilca):
    """DILCA with the context of relevant and non-redundant attributes.

    The distances are those of `DilcaM`. The other attributes are visited by decreasing uncertainty;
    each remaining one removes the later ones that it predicts better than the target does.

    Parameters
    ----------
    context : {"strict", "algorithm3"}, default "strict"
        X removes K if ``SU_X(K) > SU_Y(K)`` ("strict", the text of the paper), or if ``>=``
        ("algorithm3", its listing).
    rounding : {"clipped", "weka"}, default "clipped"
        Rounding of `symmetric_uncertainty`.
    missing, unknown
        As in `ValueMeasure`.

    Attributes
    ----------
    context_, symmetric_uncertainty_, value_matrices_, space_
        As in `DilcaM`.

    References
    ----------
    DILCA, TKDD 2012, algorithm 3 (context), eq. 1 (distance), eq. 4 (objects).

    Examples
    --------
    >>> from couplings import DilcaRR
    >>> rows = [["step", "wide", "hub"], ["step", "wide", "rim"], ["sport", "slim", "rim"]]
    >>> DilcaRR().fit(rows).pairwise(rows).round(2)
    array([[0.  , 0.71, 1.41],
           [0.71, 0.  , 1.22],
           [1.41, 1.22, 0.  ]])
    """

    context: Literal["strict", "algorithm3"] = "strict"
    rounding: str = "clipped"

    def _context(self, uncertainty: np.ndarray) -> np.ndarray:
        orders = np.argsort(-uncertainty, axis=1, kind="stable")
        context = np.empty(uncertainty.shape, dtype=bool)
        contexts.contexts_redundancy(uncertainty, orders, self.context == "strict", context)
        return context
