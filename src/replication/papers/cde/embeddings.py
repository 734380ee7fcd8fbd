"""Table 1 of CDE: embeddings under k-means; and how the dimension follows alpha and beta."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import numpy as np

from couplings.counts import CooccurrenceCounts, cooccurrence
from couplings.measures.cde import (
    CDE,
    compact_coordinates,
    conditional_influence,
    occurrence_influence,
    value_clusters,
    value_embedding,
)
from replication.papers.cde.data import Data, kmeans_scores, load

if TYPE_CHECKING:
    from replication.run.experiment import Experiment

KMEANS = "kmeans_plus"


def embeddings(experiment: Experiment) -> Iterator[dict[str, Any]]:
    """Cluster a data set by k-means under several embeddings.

    Parameters ``fixed`` and ``random`` list measures: the former have one embedding and as many
    starts as there are trials; the latter are embedded anew in every trial, with ``starts`` starts
    each.

    Yields
    ------
    dict
        ``measure``, ``embedding`` (number of the trial that made it), ``start``, ``clusters``
        (columns of the indicator matrix), ``dimension`` (of a value), ``fscore``, ``nmi``.
    """
    data = load(experiment)
    for name in experiment.parameters["fixed"]:
        done = experiment.once(name, lambda name=name: _fixed(experiment, data, name))
        yield from done["records"]
    counts = cooccurrence(data.table)
    for name in experiment.parameters["random"]:
        for trial in range(experiment.trials):
            done = experiment.once(
                f"{name} {trial}",
                lambda name=name, trial=trial: _random(experiment, data, counts, name, trial),
            )
            yield from done["records"]


def _fixed(experiment: Experiment, data: Data, name: str) -> dict[str, Any]:
    rows = experiment.measure(name).fit(data.table).transform(data.distinct)
    runs = kmeans_scores(experiment, data, rows, KMEANS, experiment.trials, name)
    facts = {"clusters": None, "dimension": rows.shape[1]}
    return {"records": [{"measure": name, "embedding": 0, **run, **facts} for run in runs]}


def _random(
    experiment: Experiment, data: Data, counts: CooccurrenceCounts, name: str, trial: int
) -> dict[str, Any]:
    measure = experiment.measure(name, random_state=experiment.rng(name, trial=trial)).fit(counts)
    facts = {
        "clusters": measure.indicator_.shape[1],
        "dimension": measure.value_embedding_.shape[1],
    }
    rows = measure.compact(data.distinct)
    starts = experiment.parameters["starts"]
    runs = kmeans_scores(experiment, data, rows, KMEANS, starts, name, str(trial))
    return {"records": [{"measure": name, "embedding": trial, **run, **facts} for run in runs]}


def alpha(experiment: Experiment) -> Iterator[dict[str, Any]]:
    """Dimension of the indicator matrix and scores for each ``alpha``: Fig. 2.

    Yields
    ------
    dict
        ``measure``, ``alpha``, ``embedding``, ``start``, ``clusters``, ``fscore``, ``nmi``.
    """
    data = load(experiment)
    counts = cooccurrence(data.table)
    for name in experiment.parameters["random"]:
        for value in experiment.parameters["alpha"]:
            for trial in range(experiment.trials):
                done = experiment.once(
                    f"{name} {value} {trial}",
                    lambda name=name, value=value, trial=trial: _alpha(
                        experiment, data, counts, name, value, trial
                    ),
                )
                yield from done["records"]


def _alpha(
    experiment: Experiment,
    data: Data,
    counts: CooccurrenceCounts,
    name: str,
    value: float,
    trial: int,
) -> dict[str, Any]:
    # the same random numbers for every alpha, so that alpha alone makes the difference
    rng = experiment.rng(name, trial=trial)
    indicator = _indicator(experiment.measure(name, alpha=value), counts, rng)
    # PCA with a small beta is a rotation: k-means sees the same distances without it
    rows = _objects(data, indicator)
    starts = experiment.parameters["starts"]
    runs = kmeans_scores(experiment, data, rows, KMEANS, starts, name, str(trial))
    facts = {"measure": name, "alpha": value, "embedding": trial, "clusters": indicator.shape[1]}
    return {"records": [{**facts, **run} for run in runs]}


def beta(experiment: Experiment) -> Iterator[dict[str, Any]]:
    """Dimension of the value embedding and scores for each ``beta``: Fig. 3.

    Two ways to the components are followed: eigenvectors of the covariance, as the library takes
    them, and its singular value decomposition, as eq. (4) has it.

    Yields
    ------
    dict
        ``measure``, ``beta``, ``embedding``, ``start``, ``clusters``, ``dimension``,
        ``dimension_svd``, ``fscore``, ``nmi``.
    """
    data = load(experiment)
    counts = cooccurrence(data.table)
    for name in experiment.parameters["random"]:
        for trial in range(experiment.trials):
            done = experiment.once(
                f"{name} {trial}",
                lambda name=name, trial=trial: _beta(experiment, data, counts, name, trial),
            )
            yield from done["records"]


def _beta(
    experiment: Experiment, data: Data, counts: CooccurrenceCounts, name: str, trial: int
) -> dict[str, Any]:
    indicator = _indicator(experiment.measure(name), counts, experiment.rng(name, trial=trial))
    components = value_embedding(indicator, beta=0.0)
    ranges, ranges_svd = _ranges(components), _ranges(_svd_components(indicator))
    records: list[dict[str, Any]] = []
    scored: dict[int, list[dict[str, Any]]] = {}
    for value in experiment.parameters["beta"]:
        kept = ranges >= value
        dimension = int(kept.sum())
        # the same columns have the same scores: most values of beta share them
        if dimension not in scored:
            rows = _objects(data, components[:, kept])
            starts = experiment.parameters["starts"]
            scored[dimension] = list(
                kmeans_scores(experiment, data, rows, KMEANS, starts, name, str(trial))
            )
        facts = {
            "measure": name,
            "beta": value,
            "embedding": trial,
            "clusters": indicator.shape[1],
            "dimension": dimension,
            "dimension_svd": int((ranges_svd >= value).sum()),
        }
        records += [{**facts, **run} for run in scored[dimension]]
    return {"records": records}


def _indicator(measure: CDE, counts: CooccurrenceCounts, rng: np.random.Generator) -> np.ndarray:
    """Value clusters of both influence matrices, before any component analysis."""
    matrices = (
        conditional_influence(counts, measure.mc_diag),
        occurrence_influence(counts, measure.influence),
    )
    return np.hstack(
        [value_clusters(matrix, measure.alpha, measure.stop, rng) for matrix in matrices]
    )


def _objects(data: Data, vectors: np.ndarray) -> np.ndarray:
    """Distinct objects in few columns, as far apart as their concatenated values."""
    offsets = data.distinct.offsets
    coordinates = compact_coordinates(vectors, offsets)
    return coordinates[data.distinct.codes + offsets[:-1]].sum(axis=1)


def _svd_components(indicator: np.ndarray) -> np.ndarray:
    """Centred indicators times the right singular vectors of their covariance."""
    if indicator.shape[1] == 0:
        return indicator
    centred = indicator - indicator.mean(axis=0)
    covariance = centred.T @ centred / max(len(centred) - 1, 1)
    return centred @ np.linalg.svd(covariance)[2].T


def _ranges(components: np.ndarray) -> np.ndarray:
    """Largest less smallest entry of each column."""
    return np.ptp(components, axis=0) if components.shape[1] else np.zeros(0)
