"""Data factors: how much the attributes of a table, and the values in its classes, are coupled."""

from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from couplings._checks import label_codes
from couplings.counts import counts_of, symmetric_uncertainty
from couplings.errors import CouplingsError
from couplings.table import require_complete, table_of


def feature_correlation(counts: Any) -> float:
    """Return the feature correlation index (FCI): the mean symmetric uncertainty of two attributes.

    It is a float in [0, 1]; 0 for independent attributes.

    Parameters
    ----------
    counts : CooccurrenceCounts, or table of any kind
        Counts of m attributes, m > 1, or the objects, without missing cells.

    Raises
    ------
    CouplingsError
        If there is only one attribute.

    References
    ----------
    CDE, IJCAI 2017, section 5. The pairs are i < j; the paper prints j = i as their first.
    """
    counts = counts_of(counts)
    m = counts.n_attributes
    if m < 2:
        raise CouplingsError("the feature correlation index needs two attributes, there is one")
    return float(symmetric_uncertainty(counts)[np.triu_indices(m, 1)].mean())


def value_coupling(table: Any, labels: ArrayLike) -> float:
    """Return the value coupling index (VCI): how much classes differ in their values.

    It is the mean over the attributes of the largest ``1 - |A ∩ B| / |A ∪ B|`` of two classes, with
    A and B the sets of values that occur in them. VCI is a float in [0, 1]; 0 if all classes have
    the same values.

    Parameters
    ----------
    table : CategoricalTable, data frame or array_like
        n objects without missing cells.
    labels : array_like, shape (n,)
        Class of each object, at least two classes.

    Raises
    ------
    CouplingsError
        If there is not one label per object, or only one class.
    MissingValuesError
        If a cell is missing.

    References
    ----------
    CDE, IJCAI 2017, section 5.
    """
    table = table_of(table)
    require_complete(table)
    classes, codes = label_codes(labels, table.n_objects)
    if len(classes) < 2:
        raise CouplingsError("the value coupling index compares classes, and there is only one")
    total = 0.0
    for column, v in zip(table.codes.T, table.n_values, strict=True):
        uses = np.zeros((len(classes), v), dtype=np.int64)
        uses[codes, column] = 1
        common = uses @ uses.T
        sizes = common.diagonal()
        total += (1 - common / (np.add.outer(sizes, sizes) - common)).max()
    return float(total / table.n_attributes)
