"""Rows of weight 0: absent from a fit, but known to it and labelled by it."""

from collections.abc import Callable
from functools import wraps
from typing import Any, TypeVar, cast

import numpy as np
from numpy.typing import ArrayLike

from couplings.mixed import MixedTable
from couplings.reading import array_of
from couplings.table import CategoricalTable

Fit = TypeVar("Fit", bound=Callable[..., Any])


def present_only(fit: Fit) -> Fit:
    """Let `fit` see the rows with a weight alone, then name the others by ``_know_absent``.

    The result is that of data without the rows of weight 0: their values, numbers and order affect
    nothing, and no start draws them. ``_know_absent(X, rows)`` gets the data and the mask of the
    rows that were fitted, to give all rows a label.
    """

    @wraps(fit)
    def fitted(
        self: Any,
        X: Any,
        y: object = None,
        sample_weight: ArrayLike | None = None,
        *further: Any,
        **given: Any,
    ) -> Any:
        rows = present_rows(X, sample_weight)
        if rows is None:
            return fit(self, X, y, sample_weight, *further, **given)
        kept = np.asarray(sample_weight)[rows]
        fit(self, select_rows(X, rows), y, kept, *further, **given)
        self._know_absent(X, rows)
        return self

    return cast(Fit, fitted)


def present_rows(X: Any, sample_weight: ArrayLike | None) -> np.ndarray | None:
    """Return the mask of rows with a weight, or None if all have one or the weights are invalid."""
    if sample_weight is None or np.ma.is_masked(sample_weight):
        return None
    weights = np.asarray(sample_weight)
    if weights.ndim != 1 or weights.dtype.kind not in "iuf" or weights.shape != (_count(X),):
        return None
    rows: np.ndarray = weights > 0
    absent: np.ndarray = weights == 0
    if not absent.any() or not rows.any() or not (rows | absent).all():
        return None
    return rows


def select_rows(X: Any, rows: np.ndarray) -> Any:
    """Return some rows, by a mask, of data of any kind."""
    import narwhals as nw

    places = np.flatnonzero(rows)
    if isinstance(X, CategoricalTable | MixedTable):
        return X.take(places)
    if hasattr(X, "iloc"):
        return X.iloc[places]
    if isinstance(X, list | tuple):
        return [X[place] for place in places]
    frame = nw.from_native(X, pass_through=True)
    if isinstance(frame, nw.LazyFrame):
        frame = frame.collect()
    if isinstance(frame, nw.DataFrame):
        return frame[places].to_native()
    return array_of(X)[places]


def _count(X: Any) -> int | None:
    """Return the number of rows of data, None if it is not known without reading them."""
    if isinstance(X, CategoricalTable | MixedTable):
        return X.n_objects
    if hasattr(X, "num_rows"):
        return int(X.num_rows)
    if hasattr(X, "shape"):
        return int(X.shape[0]) if np.ndim(X) else None
    if hasattr(X, "__len__"):
        return len(X)
    if hasattr(X, "collect"):
        return len(X.collect())
    return len(array_of(X)) if hasattr(X, "__array__") else None
