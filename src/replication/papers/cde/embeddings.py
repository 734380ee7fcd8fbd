"""Table 1 of CDE: embeddings under k-means; and how the dimension follows alpha and beta."""

from collections.abc import Iterator, Sequence
from functools import cache, partial
from hashlib import sha256
from itertools import product
from typing import Any

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
from replication.papers.cde.data import Bench
from replication.run.experiment import Experiment
from replication.run.runner import Clusterings

KMEANS = "kmeans_plus"


def embeddings(
    experiment: Experiment, *, fixed: Sequence[str], random: Sequence[str], starts: int
) -> Iterator[dict[str, Any]]:
    """Cluster a data set by k-means under several embeddings.

    The measures `fixed` have one embedding and as many starts as there are trials; those of
    `random` are embedded anew in every trial, with `starts` starts each.

    Records: ``measure``, ``embedding`` (number of the trial that made it), ``start``, ``clusters``
    (columns of the indicator matrix), ``dimension`` (of a value), ``fscore``, ``nmi``.
    """
    bench = Bench(experiment)
    counts = cooccurrence(bench.table)

    def once(name: str) -> Clusterings:
        rows = experiment.measure(name).fit(bench.table).transform(bench.distinct)
        facts = {"clusters": None, "dimension": rows.shape[1]}
        return _kmeans(bench, rows, experiment.trials, name, **facts)

    def drawn(name: str, trial: int) -> Clusterings:
        rng = experiment.rng(name, trial=trial)
        measure = experiment.measure(name, random_state=rng).fit(counts)
        facts = {"clusters": measure.indicator_.shape[1]}
        facts["dimension"] = measure.value_embedding_.shape[1]
        return _kmeans(bench, measure.compact(bench.distinct), starts, name, str(trial), **facts)

    every = [(name, 0, partial(once, name)) for name in fixed]
    every += [(*one, partial(drawn, *one)) for one in product(random, range(experiment.trials))]
    for name, trial, make in every:
        key = {"measure": name, "algorithm": KMEANS, "setting": f"embedding={trial}"}
        runs, facts = bench.clustered(make, **key)
        yield from ({"measure": name, "embedding": trial, **run, **facts} for run in runs)


def _kmeans(bench: Bench, rows: np.ndarray, runs: int, *names: str, **facts: Any) -> Clusterings:
    """Cluster the distinct objects from several starts, whose random numbers have these names."""
    algorithm = bench.experiment.algorithm(KMEANS, n_clusters=bench.objects.n_classes)
    return bench.means(bench.vectors(rows), algorithm, bench.starts(runs, *names), **facts)


def alpha(
    experiment: Experiment, *, random: Sequence[str], alpha: Sequence[float], starts: int
) -> Iterator[dict[str, Any]]:
    """Dimension of the indicator matrix and scores for each ``alpha``: Fig. 2.

    Records: ``measure``, ``alpha``, ``embedding``, ``start``, ``clusters``, ``fscore``, ``nmi``.
    """
    bench = Bench(experiment)
    counts = cooccurrence(bench.table)

    def make(indicator: np.ndarray, name: str, trial: int) -> Clusterings:
        # PCA with a small beta is a rotation: k-means sees the same distances without it
        facts = {"clusters": indicator.shape[1]}
        return _kmeans(bench, _objects(bench, indicator), starts, name, str(trial), **facts)

    for name, value, trial in product(random, alpha, range(experiment.trials)):
        # the same random numbers for every alpha, so that alpha alone makes the difference
        rng = experiment.rng(name, trial=trial)
        indicator = _indicator(experiment.measure(name, alpha=value), counts, rng)
        runs, facts = bench.clustered(
            partial(make, indicator, name, trial),
            # neighbouring values of alpha often end at the same granularities
            alike=(name, trial, indicator.shape, sha256(indicator.data).digest()),
            measure=name,
            algorithm=KMEANS,
            setting=f"alpha={value} embedding={trial}",
        )
        common = {"measure": name, "alpha": value, "embedding": trial, **facts}
        yield from ({**common, **run} for run in runs)


def beta(
    experiment: Experiment, *, random: Sequence[str], beta: Sequence[float], starts: int
) -> Iterator[dict[str, Any]]:
    """Dimension of the value embedding and scores for each ``beta``: Fig. 3.

    Two ways to the components are followed: eigenvectors of the covariance, as the library takes
    them, and its singular value decomposition, as eq. (4) has it.

    Records: ``measure``, ``beta``, ``embedding``, ``start``, ``clusters``, ``dimension``,
    ``dimension_svd``, ``fscore``, ``nmi``.
    """
    bench = Bench(experiment)
    counts = cooccurrence(bench.table)
    for name, trial in product(random, range(experiment.trials)):
        yield from _beta(bench, counts, name, trial, beta, starts)


def _beta(
    bench: Bench,
    counts: CooccurrenceCounts,
    name: str,
    trial: int,
    betas: Sequence[float],
    starts: int,
) -> Iterator[dict[str, Any]]:
    experiment = bench.experiment

    @cache
    def learnt() -> tuple[np.ndarray, np.ndarray]:
        """Value clusters, and their components before beta leaves any out."""
        rng = experiment.rng(name, trial=trial)
        indicator = _indicator(experiment.measure(name), counts, rng)
        return indicator, value_embedding(indicator, beta=0.0)

    def measured() -> dict[str, Any]:
        indicator, components = learnt()
        svd = _ranges(_svd_components(indicator)).tolist()
        return {"clusters": indicator.shape[1], "eigen": _ranges(components).tolist(), "svd": svd}

    def make(value: float) -> Clusterings:
        kept = learnt()[1][:, _ranges(learnt()[1]) >= value]
        return _kmeans(bench, _objects(bench, kept), starts, name, str(trial))

    ranges = experiment.once(f"{name} {trial}", measured)
    scored: dict[int, list[dict[str, Any]]] = {}
    for value in betas:
        dimension, by_svd = (sum(one >= value for one in ranges[way]) for way in ("eigen", "svd"))
        # the same columns have the same scores: most values of beta share them
        if dimension not in scored:
            setting = f"dimension={dimension} embedding={trial}"
            key = {"measure": name, "algorithm": KMEANS, "setting": setting}
            scored[dimension], _ = bench.clustered(partial(make, value), **key)
        facts = {"measure": name, "beta": value, "embedding": trial}
        facts |= {"clusters": ranges["clusters"], "dimension": dimension, "dimension_svd": by_svd}
        yield from ({**facts, **run} for run in scored[dimension])


def _indicator(measure: CDE, counts: CooccurrenceCounts, rng: np.random.Generator) -> np.ndarray:
    """Value clusters of both influence matrices, before any component analysis."""
    matrices = (
        conditional_influence(counts, measure.mc_diag),
        occurrence_influence(counts, measure.influence),
    )
    return np.hstack(
        [value_clusters(matrix, measure.alpha, measure.stop, rng) for matrix in matrices]
    )


def _objects(bench: Bench, vectors: np.ndarray) -> np.ndarray:
    """Distinct objects in few columns, as far apart as their concatenated values."""
    offsets = bench.distinct.offsets
    return compact_coordinates(vectors, offsets)[bench.distinct.codes + offsets[:-1]].sum(axis=1)


def _svd_components(indicator: np.ndarray) -> np.ndarray:
    """Centred indicators times the right singular vectors of their covariance."""
    if indicator.shape[1] == 0:
        return indicator
    centred = indicator - indicator.mean(axis=0)
    return centred @ np.linalg.svd(centred.T @ centred / max(len(centred) - 1, 1))[2].T


def _ranges(components: np.ndarray) -> np.ndarray:
    """Largest less smallest entry of each column."""
    return np.ptp(components, axis=0) if components.shape[1] else np.zeros(0)
