"""Discretisation of numeric attributes.

Intervals are closed on the right: a value equal to a cut belongs to the lower one.
"""

import numpy as np
from numpy.typing import ArrayLike

from couplings._checks import check_labels, check_memory, check_positive, label_array, real_numbers
from couplings.errors import CouplingsError
from couplings.table import MISSING

_MOST_CATEGORIES = 20
_MOST_ITERATIONS = 100
# Squares and sums of numbers of up to this power of two fit into float64.
_USUAL_EXPONENT = 300


def equal_width_cuts(x: ArrayLike, bins: int = 10) -> np.ndarray:
    """Return the cuts between intervals of equal width, float64 of shape (bins - 1,).

    The cuts are ``min + i (max - min) / bins``; there are none if `x` is constant.

    Parameters
    ----------
    x : array_like of float, shape (n,)
        Values; NaN is missing.
    bins : int, default 10
        Number of intervals, at least 1.

    Raises
    ------
    CouplingsError
        If the values are not real numbers, none is present or one is infinite, if `bins` is not a
        positive integer, if the range has fewer numbers of this precision than intervals, or if
        the cuts do not fit into memory.
    """
    check_positive("equal_width_cuts", bins=bins)
    check_memory("equal_width_cuts", 32.0 * bins, f"the cuts of bins={bins}", "take fewer bins")
    present = _present(x)
    lowest, highest = present.min(), present.max()
    if lowest == highest:
        return np.zeros(0)
    steps = np.arange(1, bins)
    with np.errstate(over="ignore"):
        width = (highest - lowest) / bins
    if np.isinf(width):  # the range overflows, its halves do not
        cuts = 2 * (lowest / 2 + steps * ((highest / 2 - lowest / 2) / bins))
    else:
        cuts = lowest + steps * width
    if not (np.diff(cuts) > 0).all():
        raise CouplingsError(
            f"equal_width_cuts: between {lowest} and {highest} float64 has no {bins} intervals of "
            "equal width; take fewer bins, or subtract the smallest value"
        )
    return np.asarray(cuts)


def mdl_cuts(x: ArrayLike, labels: ArrayLike) -> np.ndarray:
    """Return the cuts of Fayyad and Irani: class entropy with a description-length criterion.

    Candidates are the midpoints between distinct adjacent values. The one with the lowest class
    entropy is kept if its gain exceeds ``(log2(N - 1) + delta) / N``, with
    ``delta = log2(3^c - 2) - (c H - c1 H1 - c2 H2)`` for N rows of c classes; then both sides are
    cut in the same way. The class labels are used, so later results are supervised. The cuts,
    float64, increase; there may be none.

    Parameters
    ----------
    x : array_like of float, shape (n,)
        Values; NaN is missing; such rows are skipped.
    labels : array_like, shape (n,)
        Class of each row.

    Raises
    ------
    CouplingsError
        If the values are not real numbers, the lengths differ, a label is missing, no value is
        present or one is infinite.

    References
    ----------
    Fayyad and Irani, IJCAI 1993.
    """
    values = real_numbers("mdl_cuts", "x", x).astype(np.float64)
    classes = label_array(labels)
    if values.shape != classes.shape:
        raise CouplingsError(f"x and labels differ in shape: {values.shape}, {classes.shape}")
    check_labels("mdl_cuts: labels", classes)
    present = _present(values)
    codes = np.unique(classes[~np.isnan(values)], return_inverse=True)[1]
    steps, rows = np.unique(present, return_inverse=True)
    counts = np.zeros((len(steps), codes.max() + 1), dtype=np.int64)
    np.add.at(counts, (rows, codes), 1)
    cuts = []
    waiting = [(0, len(steps))]
    while waiting:
        first, last = waiting.pop()
        position = _mdl_position(counts[first:last])
        if position:
            middle = first + position
            cuts.append(_between(steps[middle - 1], steps[middle]))
            waiting += [(first, middle), (middle, last)]
    return np.sort(np.array(cuts, dtype=np.float64))


def automatic_categories(x: ArrayLike) -> np.ndarray:
    """Return categories of a numeric attribute, chosen by the Calinski-Harabasz index.

    One-dimensional k-means with k = 2, 3, ... (at most 20) from evenly spaced quantiles; the first
    k before the index falls is used. One or two distinct values become one category each.
    Categories, int64 of shape (n,), are 0, 1, ... by increasing value; -1 is missing.

    Parameters
    ----------
    x : array_like of float, shape (n,)
        Values; NaN is missing.

    Raises
    ------
    CouplingsError
        If the values are not real numbers, none is present or one is infinite.

    References
    ----------
    David and Averbuch, Pattern Recognition 45 (2012) (SpectralCAT).
    """
    values = real_numbers("automatic_categories", "x", x).astype(np.float64)
    size = np.frexp(np.abs(_present(values)).max())[1]
    if abs(size) > _USUAL_EXPONENT:
        # Another power of two changes no comparison, and its squares can be held.
        values = np.ldexp(values, -size)
    ordered = np.sort(_present(values))
    steps = np.unique(ordered)
    cuts = _between(steps[:-1], steps[1:])
    if len(steps) > 2:
        best = -np.inf
        for k in range(2, min(_MOST_CATEGORIES, len(steps)) + 1):
            ends = _means_1d(ordered, k)
            index = _calinski_harabasz(ordered, ends)
            if index < best:
                break
            best = index
            cuts = _between(ordered[ends[:-1] - 1], ordered[ends[:-1]])
    return apply_cuts(values, cuts)


def apply_cuts(x: ArrayLike, cuts: ArrayLike) -> np.ndarray:
    """Return the interval of each value, int64 (n,): 0 to c, the cuts below it; -1 is missing.

    Parameters
    ----------
    x : array_like of float, shape (n,)
        Values; NaN is missing.
    cuts : array_like of float, shape (c,)
        Increasing cuts.

    Raises
    ------
    CouplingsError
        If the cuts do not increase, or if values or cuts are not real numbers.
    """
    values = real_numbers("apply_cuts", "x", x).astype(np.float64)
    limits = real_numbers("apply_cuts", "cuts", cuts).astype(np.float64)
    if limits.ndim != 1 or np.isnan(limits).any() or not (np.diff(limits) > 0).all():
        raise CouplingsError("cuts must be a vector of increasing numbers; sort them")
    return np.where(np.isnan(values), MISSING, np.searchsorted(limits, values, side="left"))


def _between(lower: np.ndarray, upper: np.ndarray) -> np.ndarray:
    """Return the middle of pairs of numbers, below the upper one."""
    with np.errstate(over="ignore"):
        middle = (lower + upper) / 2
    middle = np.where(np.isinf(middle), lower / 2 + upper / 2, middle)
    return np.where(middle < upper, middle, lower)


def _present(x: ArrayLike) -> np.ndarray:
    values = real_numbers("discretize", "the values", x).astype(np.float64)
    if values.ndim != 1:
        raise CouplingsError(f"pass one column, a vector, not an array of shape {values.shape}")
    present = values[~np.isnan(values)]
    if len(present) == 0:
        raise CouplingsError("the attribute has no values, or missing ones only; drop it")
    if not np.isfinite(present).all():
        raise CouplingsError("the attribute has infinite values; replace them")
    return present


def _entropy_bits(counts: np.ndarray) -> np.ndarray:
    """Return the entropy of each row of counts, in bits."""
    share = counts / counts.sum(axis=1, keepdims=True)
    return -(share * np.log2(np.where(counts > 0, share, 1.0))).sum(axis=1)


def _mdl_position(counts: np.ndarray) -> int:
    """Return the number of distinct values below the accepted cut, 0 if there is none."""
    if len(counts) < 2:
        return 0
    below = np.cumsum(counts, axis=0)
    whole = below[-1]
    below = below[:-1]
    above = whole - below
    n = int(whole.sum())
    h_below, h_above = _entropy_bits(below), _entropy_bits(above)
    entropy = (below.sum(axis=1) * h_below + above.sum(axis=1) * h_above) / n
    best = int(np.argmin(entropy))
    h = float(_entropy_bits(whole[np.newaxis])[0])
    c, c_below, c_above = (np.count_nonzero(part) for part in (whole, below[best], above[best]))
    # log2(3**c - 2), without overflow for many classes.
    code = c * np.log2(3.0) + np.log2(1 - 2 * 3.0**-c)
    delta = code - (c * h - c_below * h_below[best] - c_above * h_above[best])
    gain = h - entropy[best]
    return best + 1 if gain > 0 and gain > (np.log2(n - 1) + delta) / n else 0


def _means_1d(ordered: np.ndarray, k: int) -> np.ndarray:
    """Return the ends of the (at most) k clusters that k-means finds in sorted values."""
    centres = np.quantile(ordered, (np.arange(k) + 0.5) / k)
    ends = np.zeros(0, dtype=np.int64)
    for _ in range(_MOST_ITERATIONS):
        limits = (centres[:-1] + centres[1:]) / 2
        moved = np.append(np.searchsorted(ordered, limits, side="right"), len(ordered))
        if np.array_equal(moved, ends):
            break
        ends = moved
        sizes = np.diff(ends, prepend=0)
        filled = np.flatnonzero(sizes)
        centres[filled] = np.add.reduceat(ordered, (ends - sizes)[filled]) / sizes[filled]
        if len(filled) < k:
            # One empty cluster at a time restarts at the value farthest from its centre.
            distance = np.abs(ordered - np.repeat(centres, sizes))
            centres[np.argmin(sizes)] = ordered[np.argmax(distance)]
            centres = np.sort(centres)
    return np.unique(ends[ends > 0])


def _calinski_harabasz(ordered: np.ndarray, ends: np.ndarray) -> float:
    """Return the variance ratio of consecutive clusters of sorted values."""
    starts = np.concatenate([[0], ends[:-1]])
    sizes = ends - starts
    means = np.add.reduceat(ordered, starts) / sizes
    within = float(((ordered - np.repeat(means, sizes)) ** 2).sum())
    between = float((sizes * (means - ordered.mean()) ** 2).sum())
    n, k = len(ordered), len(ends)
    return between / (k - 1) / (within / (n - k)) if within > 0 else np.inf
