"""Measure how much rounding can change a clustering on another machine.

A clustering is a sequence of choices of the nearest. Its *margin* is the smallest relative
difference between the best and the second-best choice; for spectral clustering also the gap after
the last eigenvalue and the length of the shortest row before scaling to 1. Exact ties have no
margin, because a rule decides them. A margin below `ROUNDED` can come from rounding. Such a
clustering is repeated with similarities that are changed in the twelfth digit; the share of objects
that change their cluster is the effect of rounding.
"""

from collections.abc import Iterator
from dataclasses import replace
from itertools import repeat
from typing import Any

import numpy as np

from couplings.metrics import external
from couplings.spaces import CentredSpace, ObjectSpace
from couplings.table import CategoricalTable
from couplings.values import ValueMatrices

ROUNDED = 1e-9
"""Margins below this may come from rounding."""
CHANGE = 1e-12
"""Largest relative change of a similarity: more than rounding, far less than `ROUNDED`."""
TIMES = 3
"""Number of times a clustering is repeated."""
_GOLDEN = 0.6180339887498949


def margin_of(fitted: Any, table: Any, similarity: Any) -> float | None:
    """Return the margin of a fitted algorithm, or None if it is unknown."""
    if fitted.takes == "values" and isinstance(similarity, ValueMatrices):
        return kmodes_margin(table, similarity, fitted.modes_)
    found = getattr(fitted, "margin_", None)
    return None if found is None or np.isnan(found) else float(found)


def kmodes_margin(table: CategoricalTable, matrices: ValueMatrices, modes: np.ndarray) -> float:
    """Return the smallest relative margin between the nearest and another mode.

    Parameters
    ----------
    table : CategoricalTable
        The objects.
    matrices : ValueMatrices
        Dissimilarities of the values.
    modes : ndarray of int64, shape (k, m)
        Codes of the modes.

    Returns
    -------
    float
        Smallest share by which the second nearest mode of an object is farther than the nearest, in
        (0, 1]; infinite if no object has one. Ties, which the order of the modes decides, do not
        count.
    """
    centres = CategoricalTable.from_codes(modes, table.n_values)
    distances = ObjectSpace(matrices, "sum").between(table.distinct()[0], centres)
    nearest = distances.min(axis=1)
    second = np.where(distances > nearest[:, np.newaxis], distances, np.inf).min(axis=1)
    some = np.isfinite(second)
    return float(((second[some] - nearest[some]) / second[some]).min(initial=np.inf))


def perturb(similarity: Any) -> Iterator[Any]:
    """Yield `TIMES` similarities that differ from the given one by rounding only.

    Equal numbers stay equal, so that exact ties remain ties. An unknown kind of similarity yields
    nothing.
    """
    similarity = getattr(similarity, "space_", similarity)
    match similarity:
        case np.ndarray():
            yield from _nudged(similarity)
        case ValueMatrices():
            for data in _nudged(similarity.data):
                yield replace(similarity, data=data)
        case ObjectSpace():
            terms = similarity.value_terms
            nudged = repeat(None) if terms is None else _nudged(terms)
            for matrices, terms in zip(perturb(similarity.matrices), nudged, strict=False):
                yield replace(similarity, matrices=matrices, value_terms=terms)
        case CentredSpace():
            for space in perturb(similarity.space):
                yield replace(similarity, space=space)
        case _ if hasattr(similarity, "rows"):
            for rows in _nudged(similarity.rows):
                yield replace(similarity, rows=rows)


def share_moved(labels: np.ndarray, others: np.ndarray) -> float:
    """Return the largest share of n objects that change cluster in one of t others, matched 1:1."""
    turned = (other for other in others if not np.array_equal(labels, other))
    tables = (external.contingency(labels, other) for other in turned)
    return max((1.0 - external.accuracy(table) for table in tables), default=0.0)


def _nudged(values: np.ndarray) -> Iterator[np.ndarray]:
    """Yield `TIMES` copies of numbers with fixed relative changes, equal for equal numbers."""
    # hashing needs a quarter of the time of sorting where few numbers differ, as in embeddings
    from pandas import factorize

    which, distinct = factorize(values.ravel(), sort=True, use_na_sentinel=False)
    # the indices are kept between clusterings, and may cover all pairs of objects
    which = which.astype(np.min_scalar_type(len(distinct))).reshape(values.shape)
    for time in range(TIMES):
        steps = np.arange(1, len(distinct) + 1) * (_GOLDEN * (time + 1))
        factors = 1.0 + CHANGE * (2.0 * (steps % 1.0) - 1.0)
        yield (distinct * factors)[which]
