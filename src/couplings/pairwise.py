"""Distances of all pairs of objects, as a step of a pipeline."""

from dataclasses import dataclass
from typing import Any, Self

import numpy as np

from couplings._params import Params, Transformer
from couplings.measures.registry import measure_from


@dataclass(eq=False, repr=False)
class PairwiseDistances(Params):
    """Step of a pipeline: objects become their distances to each other, for "precomputed".

    Parameters
    ----------
    measure : str or measure
        As in `measure_from`.

    Examples
    --------
    >>> from sklearn.cluster import AgglomerativeClustering
    >>> from sklearn.pipeline import make_pipeline
    >>> from couplings import PairwiseDistances
    >>> rows = [["step", "wide"], ["step", "wide"], ["sport", "slim"]]
    >>> average = AgglomerativeClustering(2, metric="precomputed", linkage="average")
    >>> make_pipeline(PairwiseDistances("simple_matching"), average).fit_predict(rows)
    array([0, 0, 1])
    """

    measure: Any = "simple_matching"

    def fit(self, X: Any, y: object = None) -> Self:
        """Fit the measure, as ``measure_``; errors are those of its `fit`."""
        made = measure_from(self.measure)
        self.measure_ = type(made)(**made.get_params(deep=False)).fit(X)
        return self

    def transform(self, X: Any) -> np.ndarray:
        """Return the distances of objects, (n, n); errors are those of `ValueMeasure.pairwise`."""
        return self.measure_.pairwise(X)

    def fit_transform(self, X: Any, y: object = None) -> np.ndarray:
        """Fit and compare the same objects."""
        return self.fit(X).transform(X)

    __sklearn_tags__ = Transformer.__sklearn_tags__
