"""What rounding decides: clusterings that another machine may find otherwise.

A clustering is a sequence of choices of the nearest. Its *margin* is the least share by which the
second best was worse; with spectral clustering also the gap after the last eigenvalue and the
length of the shortest row that was scaled to 1. Ties in the strict sense, equal to the last bit,
have no margin: a rule decides them. Margins below `LEVEL` are those of rounding. Such a clustering
is made again from similarities that are changed in the twelfth digit, and the share of objects
that change their cluster is what rounding leaves open.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import numpy as np

from couplings.cluster.kmodes import KModes, kmodes_margin
from couplings.cluster.spectral import SpectralEmbedding
from couplings.extension import CentredSpace
from couplings.metrics import external
from couplings.space import ObjectSpace
from couplings.values import ValueMatrices

LEVEL = 1e-9
"""Below this a margin is the work of rounding."""
CHANGE = 1e-12
"""Largest relative change of a similarity: more than rounding, far less than `LEVEL`."""
TIMES = 3
"""How often a clustering is made again."""
_GOLDEN = 0.6180339887498949


def margin_of(fitted: Any, table: Any, similarity: Any) -> float | None:
    """Margin of a fitted algorithm; None if it is not known."""
    if isinstance(fitted, KModes):
        if isinstance(similarity, ValueMatrices):
            return kmodes_margin(table, similarity, fitted.modes_)
        return None
    found = getattr(fitted, "margin_", None)
    return None if found is None or np.isnan(found) else float(found)


def margin_of_embedding(similarity: Any) -> float:
    """Margin of the rows that k-means clusters; infinite if they are no eigenvectors."""
    if not isinstance(similarity, SpectralEmbedding):
        return np.inf
    lengths = similarity.lengths[similarity.lengths > 0]
    shortest = lengths.min() / lengths.max() if len(lengths) else np.inf
    return float(np.fmin(similarity.gap, shortest))


def changed(similarity: Any) -> Iterator[Any]:
    """Similarities that differ from the given one by rounding alone, `TIMES` of them.

    Equal numbers remain equal, so that only those choices turn that no rule decides. None at all
    for a kind that is not known here.
    """
    for time in range(TIMES):
        found = _changed(getattr(similarity, "space_", similarity), time)
        if found is not None:
            yield found


def moved(labels: np.ndarray, others: np.ndarray) -> float:
    """Largest share of objects that are in another cluster, clusters matched one to one.

    Parameters
    ----------
    labels : ndarray of int64, shape (n,)
    others : ndarray of int64, shape (t, n)

    Returns
    -------
    float
        In [0, 1).
    """
    tables = (external.contingency(labels, other) for other in others)
    return max((1.0 - external.accuracy(table) for table in tables), default=0.0)


def _changed(similarity: Any, time: int) -> Any:
    if isinstance(similarity, np.ndarray):
        return _nudged(similarity, time)
    if isinstance(similarity, ValueMatrices):
        return replace(similarity, data=_nudged(similarity.data, time))
    if isinstance(similarity, ObjectSpace):
        terms = similarity.value_terms
        return replace(
            similarity,
            matrices=_changed(similarity.matrices, time),
            value_terms=None if terms is None else _nudged(terms, time),
        )
    if isinstance(similarity, CentredSpace):
        return replace(similarity, space=_changed(similarity.space, time))
    if hasattr(similarity, "rows"):
        return replace(similarity, rows=_nudged(similarity.rows, time))
    return None


def _nudged(values: np.ndarray, time: int) -> np.ndarray:
    """Numbers with an irregular but fixed relative change, equal for equal ones."""
    distinct, which = np.unique(values, return_inverse=True)
    steps = np.arange(1, len(distinct) + 1) * (_GOLDEN * (time + 1))
    factors = 1.0 + CHANGE * (2.0 * (steps % 1.0) - 1.0)
    return (distinct * factors)[which].reshape(values.shape)
