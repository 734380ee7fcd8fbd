"""From a recommendation to an estimator that can be fitted."""

from typing import Any, Self

import numpy as np

from couplings._params import Params
from couplings.errors import CouplingsError
from couplings.learned.registry import METHODS
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


def clustering(measure: str, algorithm: str, n_clusters: int, random_state: Any = None) -> Any:
    """Return an estimator from the names of a measure and of an algorithm.

    Parameters
    ----------
    measure : str
        As in `measure_from`; of a similarity its distance is taken. Of a method that clusters the
        table itself its name, as `algorithm`.
    algorithm : str
        Name of the evidence of `recommend`: "kmodes", "spectral", "ward", "average", "kmeans",
        "rock", or a method that clusters the table itself (`couplings.learned.registry`). For
        "kmeans" the measure has to be an encoding or to have the exact embedding, for "rock" it is
        Jaccard's.
    n_clusters : int
        Number of clusters.
    random_state : int, SeedSequence, Generator or None, default None
        Seed, where the algorithm is random.

    Returns
    -------
    estimator
        Not fitted; ``fit_predict(X)`` takes what `recommend` takes.

    Raises
    ------
    CouplingsError
        If a name is unknown, or both do not go together.
    """
    import couplings

    if measure == algorithm and measure in METHODS:
        return METHODS[measure].make(n_clusters, random_state)
    made = measure_from(measure)
    if getattr(made, "kind", "") == "similarity":
        made = made.as_distance()
    if algorithm == "kmodes":
        return couplings.KModes(n_clusters, measure=made, random_state=random_state)
    if algorithm == "spectral":
        return couplings.CategoricalSpectral(n_clusters, measure=made, random_state=random_state)
    if algorithm == "ward":
        return couplings.Ward(n_clusters, measure=made)
    from sklearn.cluster import AgglomerativeClustering
    from sklearn.pipeline import make_pipeline

    if algorithm == "average":
        average = AgglomerativeClustering(n_clusters, metric="precomputed", linkage="average")
        return make_pipeline(PairwiseDistances(made), average)
    if algorithm == "kmeans" and hasattr(made, "transform"):
        return make_pipeline(made, couplings.KMeans(n_clusters, random_state=random_state))
    if algorithm == "rock" and type(made) is couplings.Jaccard:
        return couplings.Rock(n_clusters)
    raise CouplingsError(f"the algorithm {algorithm!r} does not go with the measure {measure!r}")


class Startable:
    """What a recommendation can do beside saying what to try."""

    measure: str
    algorithm: str

    def start(self, n_clusters: int, random_state: Any = None) -> Any:
        """Return what is recommended, ready to fit; see `clustering`.

        Examples
        --------
        >>> from couplings import CategoricalTable, recommend
        >>> rows = [["step", "wide"], ["step", "wide"], ["sport", "slim"], ["sport", "slim"]]
        >>> bikes = CategoricalTable.from_any(rows)
        >>> labels = recommend(bikes).start(2, random_state=0).fit_predict(bikes)
        >>> len(set(labels))
        2
        """
        return clustering(self.measure, self.algorithm, n_clusters, random_state)

    def __repr__(self) -> str:
        """Say the choice; ``print`` says the evidence too."""
        beside = "" if self.measure == self.algorithm else f" with {self.algorithm!r}"
        return f"<Recommendation: {self.measure!r}{beside}>"
