"""Symmetric uncertainty of categorical attributes."""

import numpy as np

from couplings._checks import check_choice
from couplings._kernels import contexts
from couplings.counts import CooccurrenceCounts

# Smaller uncertainties are rounding noise of two independent attributes.
_NOISE = 1e-12


def symmetric_uncertainty(counts: CooccurrenceCounts, rounding: str = "clipped") -> np.ndarray:
    """Return the symmetric uncertainty of all pairs of attributes.

    ``SU(i, j) = 2 (H_i - H_i|j) / (H_i + H_j)``: 0 for independent attributes, 1 if each
    determines the other.

    Parameters
    ----------
    counts : CooccurrenceCounts
        Counts of m attributes.
    rounding : {"clipped", "weka"}, default "clipped"
        "clipped" returns a symmetric matrix within [0, 1], where values below 1e-12 are 0. "weka"
        reproduces the floating-point operations of Weka's ``symmetricalUncertainty``, for
        [i, j] and [j, i] separately; its noise around 0 may be negative and determines the
        order of exactly independent attributes.

    Returns
    -------
    ndarray of float64, shape (m, m)
        Entry [i, j] is the uncertainty of target i given j. The diagonal is 1; other entries are
        0 if either attribute is constant.

    Raises
    ------
    CouplingsError
        If `rounding` is unknown.

    References
    ----------
    DILCA, TKDD 2012, eq. 2.
    """
    check_choice("symmetric_uncertainty", "rounding", rounding, ("clipped", "weka"))
    if rounding == "weka":
        return contexts.uncertainty_weka(counts.matrix, counts.offsets, counts.n_objects)
    return contexts.uncertainty_clipped(counts.matrix, counts.offsets, counts.n_objects, _NOISE)
