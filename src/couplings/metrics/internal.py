"""Internal indices: how well given classes fit a dissimilarity of objects."""

from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from couplings._checks import label_codes
from couplings._kernels import objects as kernel
from couplings.errors import CouplingsError
from couplings.measures.base import ValueMeasure, require_dissimilarity
from couplings.spaces import ObjectSpace
from couplings.table import CategoricalTable

# Dissimilarities held in memory at once; in a square, the last block has several rows.
_BLOCK = 1 << 22


def internal_indices(table: Any, labels: ArrayLike, space: Any) -> dict[str, float]:
    """Return the internal indices of the given classes of objects.

    For the dissimilarity D of a space, W_a is the mean of D over the pairs of objects in class a
    (0 for a class of one), and B_ab the mean between classes a and b. No n x n matrix is built.
    With the link "sum" all means are computed from the counts of values per class; extremes, and
    means of other links, from blocks of rows of the distinct objects.

    Parameters
    ----------
    table : CategoricalTable, data frame or array_like
        n objects without missing cells; a `CategoricalTable` over the domains of the space, or with
        a fitted measure any table that the measure takes.
    labels : array_like, shape (n,)
        Class of each object.
    space : ObjectSpace or ValueMeasure
        The dissimilarity D, or a fitted measure.

    Returns
    -------
    dict of str to float
        NaN where an index is undefined: no such pair, or a division by 0.

        ==============  =======================================================================
        rd              mean D over the pairs between classes / mean D over those within; larger
                        is better
        dbi             mean over a of the largest (W_a + W_b) / B_ab; smaller is better
        dbi_centroid    dbi with S_a and B_ab, S_a the mean of D over all ordered pairs of a, self
                        pairs included: for sums of value dissimilarities the mean distance to
                        the distribution of the class
        dbi_mode        dbi with the mean of D to the mode of the class, and D between modes
        di              smallest D between classes / largest D within a class; larger is better
        di_mean         smallest B_ab / largest W_a
        sd_max          sum of D over the pairs within classes, D divided by its maximum; less is
                        better
        sd_mean         the same, D divided by its mean
        max_over_mean   maximum of D / mean of D
        ==============  =======================================================================

    Raises
    ------
    CouplingsError
        If there is not one label per object.
    MissingValuesError
        If a cell is missing.
    MeasureError
        If the domains are not those of the space.

    References
    ----------
    CASO, IEEE TNNLS 26 (2015), Fig. 2, names RD, DBI, DI and SD without defining them.
    """
    if isinstance(space, ValueMeasure):
        require_dissimilarity(space, "internal_indices")
        (table,), extras = space._tables(table, None)
        space = space._space_with(space._metric, extras)
    if not isinstance(table, CategoricalTable) or not hasattr(space, "between"):
        raise CouplingsError(
            "internal_indices: a space refers to the codes of a CategoricalTable; pass the fitted "
            f"measure instead of its space to take a {type(table).__name__}"
        )
    classes, codes = label_codes(labels, table.n_objects)
    n_classes = len(classes)
    sizes = np.bincount(codes)
    (low, high, top), sums, self_sums = _scan(table, codes, n_classes, space)
    if space.link == "sum":
        sums = _pair_sums(table, codes, n_classes, space)
        sums[np.diag_indices(n_classes)] = (sums.diagonal() - self_sums) / 2

    pairs = np.outer(sizes, sizes).astype(np.int64)
    pairs[np.diag_indices(n_classes)] = sizes * (sizes - 1) // 2
    upper = np.triu_indices(n_classes, 1)
    within, between = sums.diagonal().sum(), sums[upper].sum()
    n_within, n_between = int(pairs.diagonal().sum()), int(pairs[upper].sum())
    mean_within = sums.diagonal() / np.maximum(pairs.diagonal(), 1)
    means = sums / np.maximum(pairs, 1)
    mean = _ratio(within + between, n_within + n_between)
    centroid = (2 * sums.diagonal() + self_sums) / sizes**2
    return {
        "rd": _ratio(_ratio(between, n_between), _ratio(within, n_within)),
        "dbi": _davies_bouldin(mean_within, means),
        "dbi_centroid": _davies_bouldin(centroid, means),
        "dbi_mode": _davies_bouldin(*_modes(table, codes, n_classes, space)),
        "di": _ratio(low, high),
        "di_mean": _ratio(means[upper].min(initial=np.inf), mean_within.max()),
        "sd_max": _ratio(within, top),
        "sd_mean": _ratio(within, mean),
        "max_over_mean": _ratio(top, mean),
    }


def _ratio(numerator: float, denominator: float) -> float:
    """Return the quotient, NaN unless both are finite and the denominator is not 0."""
    if denominator == 0 or not np.isfinite([numerator, denominator]).all():
        return float("nan")
    return float(numerator) / float(denominator)


def _davies_bouldin(scatter: np.ndarray, between: np.ndarray) -> float:
    """Return the mean over the classes of the largest ratio to another, NaN on a division by 0."""
    n_classes = len(scatter)
    apart = ~np.eye(n_classes, dtype=bool)
    if n_classes == 1 or (between[apart] == 0).any():
        return float("nan")
    ratios = np.add.outer(scatter, scatter)
    ratios[apart] /= between[apart]
    ratios[~apart] = -np.inf
    return float(ratios.max(axis=1).mean())


def _pair_sums(
    table: CategoricalTable, codes: np.ndarray, n_classes: int, space: ObjectSpace
) -> np.ndarray:
    """Return the sums over ordered pairs of objects of two classes, shape (c, c), link "sum"."""
    sums = np.zeros((n_classes, n_classes))
    for j in range(table.n_attributes):
        counts = _class_counts(table, codes, n_classes, j)
        sums += counts @ space.matrices.block(j) @ counts.T
    return sums


def _class_counts(table: CategoricalTable, codes: np.ndarray, n_classes: int, j: int) -> np.ndarray:
    """Count each value of attribute `j` in each class, int64 of shape (c, v_j)."""
    v = len(table.categories[j])
    return np.bincount(codes * v + table.codes[:, j], minlength=n_classes * v).reshape(-1, v)


def _scan(
    table: CategoricalTable, codes: np.ndarray, n_classes: int, space: ObjectSpace
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return extremes and sums of D over all pairs of distinct objects."""
    # The smallest D between classes, the largest within one and of all; the sums over the unordered
    # pairs of two classes, (c, c), 0 for the link "sum"; and those of D(u, u) in each class.
    distinct, _, inverse = table.distinct()
    # Equal objects of different classes stay separate.
    keys, weights = np.unique(codes * distinct.n_objects + inverse, return_counts=True)
    classes, rows = np.divmod(keys, distinct.n_objects)
    ordered = distinct.take(rows)
    bounds = np.searchsorted(classes, np.arange(n_classes + 1))
    n_rows = len(keys)
    low, high, top = np.empty((3, n_rows))
    sums = np.zeros((n_classes, n_classes))
    self_sums = np.zeros(n_classes)
    first = 0
    while first < n_rows:
        last = min(n_rows, first + max(1, _BLOCK // (n_rows - first)))
        block = space.between(
            ordered.take(np.arange(first, last)), ordered.take(np.arange(first, n_rows))
        )
        part = np.zeros((0 if space.link == "sum" else last - first, n_classes))
        here = slice(first, last)
        kernel.reduce_rows(block, first, weights, bounds, low[here], high[here], top[here], part)
        np.add.at(sums, classes[first : first + len(part)], part)
        np.add.at(self_sums, classes[first:last], weights[first:last] * block.diagonal())
        first = last
    # Each object is compared only with later ones, of the same or a later class.
    extremes = np.array([low.min(), high.max(), top.max()])
    return extremes, sums + np.triu(sums, 1).T, self_sums


def _modes(
    table: CategoricalTable, codes: np.ndarray, n_classes: int, space: ObjectSpace
) -> tuple[np.ndarray, np.ndarray]:
    """Return the mean D of each class to its mode, and D between the modes."""
    commonest = np.column_stack(
        [
            np.argmax(_class_counts(table, codes, n_classes, j), axis=1)
            for j in range(table.n_attributes)
        ]
    )
    modes = CategoricalTable.from_codes(commonest, categories=table.categories)
    distances = space.between(table, modes)[np.arange(table.n_objects), codes]
    means = np.bincount(codes, weights=distances) / np.bincount(codes)
    return means, space.pairwise(modes)
