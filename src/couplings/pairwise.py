"""Distances of all pairs of objects, as a step of a pipeline."""

from typing import Any, Self

import numpy as np

from couplings._params import Params
from couplings.measures.registry import measure_from


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

    def __init__(self, measure: Any = "simple_matching") -> None:
        self.measure = measure

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

    def __sklearn_tags__(self) -> object:
        """Describe the estimator to scikit-learn."""
        from sklearn.utils import InputTags, Tags, TargetTags, TransformerTags

        return Tags(
            estimator_type=None,
            target_tags=TargetTags(required=False),
            transformer_tags=TransformerTags(preserves_dtype=[]),
            input_tags=InputTags(categorical=True, string=True),
        )
