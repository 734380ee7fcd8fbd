"""Diagnostics of clusterings: number of clusters, stability and characteristic values."""

from collections.abc import Iterable
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike

from couplings._checks import (
    Seed,
    check_clusters,
    check_positive,
    generator,
    is_integer,
    label_codes,
)
from couplings._renamed import warn_of_name
from couplings.errors import CouplingsError
from couplings.mixed import MixedTable, as_mixed, is_mixed
from couplings.reading import reread
from couplings.table import CategoricalTable


def choose_k(
    X: Any,
    estimator: Any = None,
    k_range: Iterable[int] | None = None,
    measure: Any = None,
    *,
    n_bootstrap: int = 10,
    sample: int = 2000,
    random_state: Seed = 0,
    algorithm: Any = None,
) -> pd.DataFrame:
    """Compare numbers of clusters: objective, silhouette and stability.

    No index determines the number of clusters: a high silhouette or stability supports a number but
    does not prove it. Values absent from a bootstrap sample count as mismatches.

    Parameters
    ----------
    X : CategoricalTable, MixedTable, data frame or array_like
        Objects, as accepted by the estimator.
    estimator : clustering, optional
        Copied, and fitted for every number of clusters. Default: `KModes`,
        for mixed data `KPrototypes`.
    k_range : iterable of int, optional
        Numbers of clusters. Default: 2 to 10, but fewer than the objects.
    measure : str or measure, optional
        Replaces the measure of the estimator.
    n_bootstrap : int, default 10
        Bootstrap samples for the stability.
    sample : int, default 2000
        Maximum number of objects, drawn at random, to average silhouettes over.
    random_state : int, SeedSequence, Generator or None, default 0
        Seed of the samples.
    algorithm : clustering, optional
        Old name of `estimator`.

    Returns
    -------
    DataFrame
        One row per k, the index.

        =============  ============================================================================
        objective      the objective the algorithm minimises (``objective_``); NaN if
                       it has none
        silhouette     mean silhouette in [-1, 1] under the measure of the algorithm, or simple
                       matching if it has none; for mixed data under `MixedDistance` with that
                       measure, for KPrototypes under its own cost of two objects; larger is
                       better. NaN if all objects are in one cluster
        stability      mean adjusted Rand index, over the bootstrap samples, between the clustering
                       of all objects and the prediction of a fit on the sample; 1 if all agree.
                       Without `predict`, on the objects of the sample
        stability_sd   its standard deviation over the samples
        smallest       size of the smallest cluster
        aic, bic, ...  ``criteria_`` of a mixture model
        =============  ============================================================================

    Raises
    ------
    CouplingsError
        If a number is out of range, and as the algorithm does.

    References
    ----------
    Rousseeuw, Journal of Computational and Applied Mathematics 20 (1987) (silhouette); Hennig,
    Computational Statistics and Data Analysis 52 (2007) (bootstrap stability).

    Examples
    --------
    >>> from couplings import KModes, choose_k
    >>> cars = [["vw", "gas"], ["vw", "gas"], ["bmw", "oil"], ["bmw", "oil"]] * 5
    >>> table = choose_k(cars, KModes(random_state=0), k_range=[2, 3])
    >>> float(table.loc[2, "silhouette"])
    1.0
    """
    from sklearn.metrics import silhouette_score

    from couplings.cluster.kmodes import KModes
    from couplings.cluster.kprototypes import KPrototypes
    from couplings.metrics.external import adjusted_rand

    if algorithm is not None:
        warn_of_name("choose_k", "algorithm", "estimator")
        estimator = algorithm
    if isinstance(k_range, str) or hasattr(k_range, "fit"):
        warn_of_name("choose_k", "a measure as third argument", "measure=, after k_range,")
        k_range, measure = measure, k_range
    algorithm = estimator
    if algorithm is not None and (isinstance(algorithm, type) or not hasattr(algorithm, "fit")):
        raise CouplingsError(
            f"choose_k: estimator={algorithm!r:.100} is no clustering; pass an instance, such as "
            "KModes()"
        )
    check_positive("choose_k", n_bootstrap=n_bootstrap, sample=sample)
    rng = generator("choose_k", random_state)
    data = X if isinstance(X, CategoricalTable | MixedTable) else _table(X)
    n = data.n_objects
    if algorithm is None:
        own = KPrototypes if isinstance(data, MixedTable) else KModes
        algorithm = own(random_state=0)
    if is_integer(k_range):
        raise CouplingsError(
            f"choose_k: k_range={k_range!r} is one number; give all to compare, as range(2, 11)"
        )
    ks = list(range(2, min(11, n)) if k_range is None else k_range)
    if not ks:
        raise CouplingsError(
            f"choose_k: k_range is empty; give numbers of clusters from 2 to {n - 1}, which takes "
            "a table of at least 3 rows"
        )
    for k in ks:
        check_clusters("choose_k", k, n, "k")
    ks = list(dict.fromkeys(ks))
    if sample < n and sample <= max(ks):
        raise CouplingsError(
            f"choose_k: sample={sample!r} objects have no silhouettes in {max(ks)} clusters; take "
            "more objects than clusters"
        )
    settings = _settings(algorithm, measure)
    shown = np.sort(rng.choice(n, min(n, sample), replace=False))
    samples = [rng.integers(0, n, n) for _ in range(n_bootstrap)]
    rows = []
    for k in ks:
        model = type(algorithm)(**{**settings, "n_clusters": k}).fit(data)
        labels = model.labels_
        distances = _distances(model, data, shown)
        groups = np.unique(labels[shown])
        silhouette = np.nan
        if distances is not None and 1 < len(groups) < len(shown):
            silhouette = silhouette_score(distances, labels[shown], metric="precomputed")
        agreement = []
        for drawn in samples:
            again = type(algorithm)(**{**settings, "n_clusters": k}).fit(data.take(drawn))
            if hasattr(again, "predict"):
                agreement.append(adjusted_rand(labels, again.predict(data)))
            else:
                agreement.append(adjusted_rand(labels[drawn], again.labels_))
        objectives = ("objective_", "cost_", "inertia_")
        known = next((name for name in objectives if hasattr(model, name)), None)
        rows.append(
            {
                "objective": float(getattr(model, known)) if known else np.nan,
                "silhouette": float(silhouette),
                "stability": float(np.mean(agreement)),
                "stability_sd": float(np.std(agreement)),
                "smallest": int(np.bincount(labels[labels >= 0]).min()),
                **getattr(model, "criteria_", {}),
            }
        )
    return pd.DataFrame(rows, index=pd.Index(ks, name="k"))


def cluster_profiles(X: Any, labels: ArrayLike) -> pd.DataFrame:
    """Describe clusters by the values that are more frequent in them than elsewhere.

    Parameters
    ----------
    X : CategoricalTable, MixedTable, data frame or array_like
        n objects.
    labels : array_like of int, shape (n,)
        Cluster of each object.

    Returns
    -------
    DataFrame
        One row per cluster and value (and per cluster and number), clusters in increasing order,
        in each the most distinguishing first.

        ===========  ==============================================================================
        cluster      the label
        size         number of its objects
        attribute    name
        value        label of the value, None for a missing cell or a numeric attribute
        kind         "value" or "number"
        inside       share of the objects of the cluster that have the value; mean of the numbers
        outside      the same for all other objects, NaN if there are none
        difference   inside - outside; for numbers in standard deviations of the attribute
        typical      whether no value of the attribute is more frequent in the cluster
        ===========  ==============================================================================

    Raises
    ------
    CouplingsError
        If there is not one label per object, or labels are missing.

    Examples
    --------
    >>> from couplings import cluster_profiles
    >>> cars = [["vw", "gas"], ["vw", "oil"], ["bmw", "oil"], ["bmw", "oil"]]
    >>> profiles = cluster_profiles(cars, [0, 0, 1, 1])
    >>> profiles.loc[profiles["cluster"] == 1, ["attribute", "value", "inside", "outside"]].head(2)
      attribute value  inside  outside
    4        a0   bmw     1.0      0.0
    5        a1   oil     1.0      0.5
    """
    data = X if isinstance(X, CategoricalTable | MixedTable) else _table(X)
    table = data.categorical if isinstance(data, MixedTable) else data
    clusters, codes = label_codes(labels, table.n_objects)
    sizes = np.bincount(codes)
    parts = []
    for j, name in enumerate(table.attributes):
        domain = [*table.categories[j], None]
        v = len(domain)
        column = np.where(table.codes[:, j] < 0, v - 1, table.codes[:, j]).astype(np.int64)
        counts = np.bincount(codes * v + column, minlength=len(clusters) * v).reshape(-1, v)
        others = counts.sum(axis=0) - counts
        with np.errstate(invalid="ignore"):
            outside = others / (table.n_objects - sizes)[:, np.newaxis]
        inside = counts / sizes[:, np.newaxis]
        for c, x in zip(*np.nonzero(counts + others), strict=True):
            parts.append(
                (c, name, domain[x], "value", inside[c, x], outside[c, x],
                 inside[c, x] - outside[c, x], counts[c, x] == counts[c].max())
            )  # fmt: skip
    if isinstance(data, MixedTable):
        parts += _numbers(data, codes, sizes)
    frame = pd.DataFrame(
        parts,
        columns=[
            "cluster", "attribute", "value", "kind", "inside", "outside", "difference", "typical",
        ],
    )  # fmt: skip
    strength = frame["difference"].where(frame["kind"] == "value", frame["difference"].abs())
    frame = frame.assign(strength=strength.fillna(frame["inside"])).sort_values(
        ["cluster", "kind", "strength"], ascending=[True, False, False], kind="stable"
    )
    frame.insert(1, "size", sizes[frame["cluster"]])
    frame["cluster"] = clusters[frame["cluster"]]
    return frame.drop(columns="strength").reset_index(drop=True)


def _numbers(data: MixedTable, codes: np.ndarray, sizes: np.ndarray) -> list[tuple[Any, ...]]:
    """Return the rows of `cluster_profiles` of the numeric attributes."""
    rows: list[tuple[Any, ...]] = []
    n = data.n_objects
    for name, column in zip(data.names, data.numeric.T, strict=True):
        spread = column.std() or 1.0
        sums = np.bincount(codes, weights=column)
        for c, size in enumerate(sizes):
            inside = sums[c] / size
            outside = (column.sum() - sums[c]) / (n - size) if n > size else np.nan
            rows.append(
                (c, name, None, "number", inside, outside, (inside - outside) / spread, True)
            )
    return rows


def _table(X: Any) -> CategoricalTable | MixedTable:
    from couplings._domains import learn_domains

    X = reread(X)
    return (
        as_mixed(X, incomplete=True) if is_mixed(X) else learn_domains(X, "this table", "value")[0]
    )


def _settings(algorithm: Any, measure: Any) -> dict[str, Any]:
    """Return parameters with a seed, by which the algorithm accepts values absent from a sample."""
    from couplings.measures.registry import measure_from

    known = algorithm.get_params(deep=False)
    if measure is not None and "measure" not in known:
        raise CouplingsError(f"{type(algorithm).__name__} takes no measure; leave out `measure`")
    if known.get("unknown") in ("raise", "warn"):
        known["unknown"] = "mismatch"
    if known.get("random_state", 0) is None:
        known["random_state"] = 0
    if "measure" in known:
        own = measure_from(measure or known["measure"] or "simple_matching")
        inner = own.get_params(deep=False)
        if inner.get("unknown") in ("raise", "warn"):
            own = type(own)(**{**inner, "unknown": "mismatch"})
        known["measure"] = own
    return known


def _distances(
    model: Any, data: CategoricalTable | MixedTable, rows: np.ndarray
) -> np.ndarray | None:
    """Return the dissimilarities of some objects under the measure of a clustering."""
    measure = getattr(model, "measure_", None)
    if isinstance(data, MixedTable):
        if hasattr(model, "between"):
            return model.between(data.take(rows))
        from couplings.measures.mixed_distance import MixedDistance

        return (
            MixedDistance(measure or "simple_matching", unknown="mismatch")
            .fit(data)
            .pairwise(data.take(rows))
        )
    if measure is None:
        from couplings.measures.frequency import SimpleMatching

        measure = SimpleMatching().fit(data)
    if measure.kind == "similarity":
        return None
    return measure.pairwise(data.take(rows))
