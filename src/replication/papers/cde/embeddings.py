"""Table 1 of CDE: embeddings under k-means; and how the dimension follows alpha and beta."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import cache, partial
from hashlib import sha256
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
from replication.papers.cde.data import Data, clustered, load, means, seeds

if TYPE_CHECKING:
    from replication.run.experiment import Experiment
    from replication.run.runner import Clusterings

KMEANS = "kmeans_plus"


def embeddings(
    experiment: Experiment, *, fixed: Sequence[str], random: Sequence[str], starts: int
) -> Iterator[dict[str, Any]]:
    """Cluster a data set by k-means under several embeddings.

    The measures `fixed` have one embedding and as many starts as there are trials; those of
    `random` are embedded anew in every trial, with `starts` starts each.

    Yields
    ------
    dict
        ``measure``, ``embedding`` (number of the trial that made it), ``start``, ``clusters``
        (columns of the indicator matrix), ``dimension`` (of a value), ``fscore``, ``nmi``.
    """
    data = load(experiment)
    for name in fixed:
        yield from _runs(experiment, data, partial(_fixed, experiment, data, name), name, 0)
    counts = cooccurrence(data.table)
    for name in random:
        for trial in range(experiment.trials):
            make = partial(_random, experiment, data, counts, name, trial, starts)
            yield from _runs(experiment, data, make, name, trial)


def _runs(
    experiment: Experiment, data: Data, make: Callable[[], Clusterings], name: str, trial: int
) -> Iterator[dict[str, Any]]:
    setting = f"embedding={trial}"
    runs, facts = clustered(experiment, data, make, measure=name, algorithm=KMEANS, setting=setting)
    yield from ({"measure": name, "embedding": trial, **run, **facts} for run in runs)


def _kmeans(
    experiment: Experiment, data: Data, rows: np.ndarray, runs: int, *names: str, **facts: Any
) -> Clusterings:
    """Cluster the distinct objects from several starts, whose random numbers have these names."""
    algorithm = experiment.algorithm(KMEANS, n_clusters=data.n_classes)
    starts = seeds(experiment, runs, *names)
    return means(data, data.vectors(rows), algorithm, starts, **facts)


def _fixed(experiment: Experiment, data: Data, name: str) -> Clusterings:
    rows = experiment.measure(name).fit(data.table).transform(data.distinct)
    facts = {"clusters": None, "dimension": rows.shape[1]}
    return _kmeans(experiment, data, rows, experiment.trials, name, **facts)


def _random(
    experiment: Experiment,
    data: Data,
    counts: CooccurrenceCounts,
    name: str,
    trial: int,
    starts: int,
) -> Clusterings:
    measure = experiment.measure(name, random_state=experiment.rng(name, trial=trial)).fit(counts)
    facts = {
        "clusters": measure.indicator_.shape[1],
        "dimension": measure.value_embedding_.shape[1],
    }
    rows = measure.compact(data.distinct)
    return _kmeans(experiment, data, rows, starts, name, str(trial), **facts)


def alpha(
    experiment: Experiment, *, random: Sequence[str], alpha: Sequence[float], starts: int
) -> Iterator[dict[str, Any]]:
    """Dimension of the indicator matrix and scores for each ``alpha``: Fig. 2.

    Yields
    ------
    dict
        ``measure``, ``alpha``, ``embedding``, ``start``, ``clusters``, ``fscore``, ``nmi``.
    """
    data = load(experiment)
    counts = cooccurrence(data.table)
    for name in random:
        for value in alpha:
            for trial in range(experiment.trials):
                # the same random numbers for every alpha, so that alpha alone makes the difference
                rng = experiment.rng(name, trial=trial)
                indicator = _indicator(experiment.measure(name, alpha=value), counts, rng)
                runs, facts = clustered(
                    experiment,
                    data,
                    partial(_alpha, experiment, data, indicator, name, trial, starts),
                    # neighbouring values of alpha often end at the same granularities
                    alike=(name, trial, indicator.shape, sha256(indicator).digest()),
                    measure=name,
                    algorithm=KMEANS,
                    setting=f"alpha={value} embedding={trial}",
                )
                common = {"measure": name, "alpha": value, "embedding": trial, **facts}
                yield from ({**common, **run} for run in runs)


def _alpha(
    experiment: Experiment,
    data: Data,
    indicator: np.ndarray,
    name: str,
    trial: int,
    starts: int,
) -> Clusterings:
    # PCA with a small beta is a rotation: k-means sees the same distances without it
    rows = _objects(data, indicator)
    return _kmeans(experiment, data, rows, starts, name, str(trial), clusters=indicator.shape[1])


def beta(
    experiment: Experiment, *, random: Sequence[str], beta: Sequence[float], starts: int
) -> Iterator[dict[str, Any]]:
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
    for name in random:
        for trial in range(experiment.trials):
            yield from _beta(experiment, data, counts, name, trial, beta, starts)


def _beta(
    experiment: Experiment,
    data: Data,
    counts: CooccurrenceCounts,
    name: str,
    trial: int,
    betas: Sequence[float],
    runs: int,
) -> Iterator[dict[str, Any]]:
    learnt = cache(lambda: _Components(experiment, counts, name, trial))
    ranges = experiment.once(f"{name} {trial}", lambda: learnt().ranges)
    scored: dict[int, list[dict[str, Any]]] = {}
    for value in betas:
        dimension = _columns(ranges["eigen"], value)
        # the same columns have the same scores: most values of beta share them
        if dimension not in scored:
            scored[dimension], _ = clustered(
                experiment,
                data,
                lambda value=value: _kmeans(
                    experiment, data, _objects(data, learnt().kept(value)), runs, name, str(trial)
                ),
                measure=name,
                algorithm=KMEANS,
                setting=f"dimension={dimension} embedding={trial}",
            )
        facts = {
            "measure": name,
            "beta": value,
            "embedding": trial,
            "clusters": ranges["clusters"],
            "dimension": dimension,
            "dimension_svd": _columns(ranges["svd"], value),
        }
        yield from ({**facts, **run} for run in scored[dimension])


def _columns(ranges: Sequence[float], beta: float) -> int:
    """Number of components whose range is at least beta."""
    return sum(one >= beta for one in ranges)


class _Components:
    """Components of the value clusters of one trial, before beta leaves any out."""

    def __init__(
        self, experiment: Experiment, counts: CooccurrenceCounts, name: str, trial: int
    ) -> None:
        rng = experiment.rng(name, trial=trial)
        indicator = _indicator(experiment.measure(name), counts, rng)
        self._components = value_embedding(indicator, beta=0.0)
        self._ranges = _ranges(self._components)
        self.ranges = {
            "clusters": indicator.shape[1],
            "eigen": self._ranges.tolist(),
            "svd": _ranges(_svd_components(indicator)).tolist(),
        }

    def kept(self, beta: float) -> np.ndarray:
        """Components whose range is at least beta."""
        return self._components[:, self._ranges >= beta]


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
