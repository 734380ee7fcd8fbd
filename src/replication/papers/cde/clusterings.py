"""Cluster embeddings by k-means and similarities spectrally; vary alpha and beta of CDE."""

import statistics
from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import cache, lru_cache, partial
from hashlib import sha256
from itertools import product
from typing import Any

import numpy as np

from couplings.cluster.kmeans import KMeans
from couplings.cluster.spectral import SpectralEmbedding, spectral_embedding
from couplings.counts import CooccurrenceCounts, cooccurrence
from couplings.measures.cde import (
    CDE,
    compact_coordinates,
    conditional_influence,
    occurrence_influence,
    value_clusters,
    value_embedding,
)
from couplings.table import CategoricalTable
from replication.papers.cde import PREPARATION
from replication.run.experiment import Experiment
from replication.run.runner import Clusterings, Vectors, cluster

KMEANS = "kmeans_plus"
SCORES = {"fscore": "macro_f1", "nmi": "nmi_arithmetic"}
"""``fscore``: mean over the classes of F1 with the cluster of the best one-to-one matching.
``nmi``: normalised by the mean entropy, as in eq. (1) of the paper."""
FAILED = dict.fromkeys(SCORES, 0.0)
"""Scores of a run whose embedding has no dimension, so that there is nothing to cluster."""


class Bench:
    """Objects of an experiment, equal ones merged, and their repeated clusterings."""

    def __init__(self, experiment: Experiment) -> None:
        self.experiment = experiment
        self.objects = experiment.objects(PREPARATION)
        self.table: CategoricalTable = self.objects.table
        self.distinct, *self.places = self.table.distinct()
        # all widths of a Gaussian share the embeddings
        self.embedding = lru_cache(32)(self._embedding)

    def _embedding(self, name: str, trial: int) -> CDE:
        """Return the random embedding of one trial."""
        rng = self.experiment.rng(name, trial=trial)
        return self.experiment.measure(name, random_state=rng).fit(self.table)

    def vectors(self, rows: np.ndarray) -> Vectors:
        """Return vectors of all objects from those of the g distinct ones, float64 (g, d)."""
        return Vectors(rows, *self.places)

    def means(
        self, vectors: Any, algorithm: KMeans, runs: int, *names: str, **facts: Any
    ) -> Clusterings:
        """Cluster embedded objects from several starts, which are seeded by `names`.

        The number of ``failed`` runs is added to the facts of the embedding. All runs fail without
        a column of vectors: the paper's stopping rule may remove every value cluster.
        """
        if vectors is None or vectors.rows.shape[1] == 0:
            return Clusterings.none(self.objects, **facts, failed=runs)
        starts = [self.experiment.rng("start", *names, trial=start) for start in range(runs)]
        made = cluster(self.objects, vectors, algorithm, starts)
        return replace(made, facts={**facts, "failed": 0})

    def clustered(
        self, make: Callable[[], Clusterings], alike: Hashable = None, **key: str
    ) -> tuple[list[dict[str, Any]], dict[str, Any]]:
        """Return the records of an embedding's starts (``start``, scores), and its facts.

        `make` calls `means`; for `alike` and `key` see
        `replication.run.runner.Runner.clusterings`.
        """
        made = self.experiment.runner.clusterings(self.objects, make, alike, **key)
        facts = dict(made.facts)
        scores = [*made.scores(SCORES), *([FAILED] * facts.pop("failed"))]
        return [{"start": start, **row} for start, row in enumerate(scores)], facts


def _kmeans(bench: Bench, rows: np.ndarray, runs: int, *names: str, **facts: Any) -> Clusterings:
    """Cluster vectors of the distinct objects by k-means, see `Bench.means`."""
    means = bench.experiment.algorithm(KMEANS, n_clusters=bench.objects.n_classes)
    return bench.means(bench.vectors(rows), means, runs, *names, **facts)


def embeddings(
    experiment: Experiment, *, fixed: Sequence[str], random: Sequence[str], starts: int
) -> Iterator[dict[str, Any]]:
    """Cluster a data set by k-means under several embeddings.

    The measures `fixed` are embedded once and have one start per trial; the measures `random` are
    embedded in every trial and have `starts` starts each.

    Records: ``measure``, ``embedding`` (its trial), ``start``, ``dimension`` of a value,
    ``fscore``, ``nmi``.
    """
    bench = Bench(experiment)
    counts = cooccurrence(bench.table)

    def make(name: str, trial: int) -> Clusterings:
        if name in fixed:
            rows = experiment.measure(name).fit(bench.table).transform(bench.distinct)
            return _kmeans(bench, rows, experiment.trials, name, dimension=rows.shape[1])
        rng = experiment.rng(name, trial=trial)
        measure = experiment.measure(name, random_state=rng).fit(counts)
        rows, dimension = measure.compact(bench.distinct), measure.value_embedding_.shape[1]
        return _kmeans(bench, rows, starts, name, str(trial), dimension=dimension)

    for name, trial in [*product(fixed, [0]), *product(random, range(experiment.trials))]:
        key = {"measure": name, "algorithm": KMEANS, "setting": f"embedding={trial}"}
        runs, facts = bench.clustered(partial(make, name, trial), **key)
        yield from ({"measure": name, "embedding": trial, **run, **facts} for run in runs)


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
        rows = _objects(bench, indicator)
        return _kmeans(bench, rows, starts, name, str(trial), clusters=indicator.shape[1])

    for name, value, trial in product(random, alpha, range(experiment.trials)):
        # every alpha uses the same random numbers, so that results differ by alpha alone
        rng = experiment.rng(name, trial=trial)
        indicator = _indicator(experiment.measure(name, alpha=value), counts, rng)
        runs, facts = bench.clustered(
            partial(make, indicator, name, trial),
            # neighbouring values of alpha often give the same indicators
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

    Records: ``measure``, ``beta``, ``embedding``, ``start``, ``dimension``, ``dimension_svd``,
    ``fscore``, ``nmi``.
    """
    bench = Bench(experiment)
    counts = cooccurrence(bench.table)

    def make(kept: np.ndarray, name: str, trial: int) -> Clusterings:
        return _kmeans(bench, _objects(bench, kept), starts, name, str(trial))

    for name, trial in product(random, range(experiment.trials)):
        rng = experiment.rng(name, trial=trial)
        indicator = _indicator(experiment.measure(name), counts, rng)
        # all components, before beta removes any
        components = value_embedding(indicator, beta=0.0)
        centred = indicator - indicator.mean(axis=0)
        covariance = centred.T @ centred / max(len(centred) - 1, 1)
        by_svd = np.ptp(centred @ np.linalg.svd(covariance)[2].T, axis=0)
        scored: dict[int, list[dict[str, Any]]] = {}
        for value in beta:
            kept = components[:, np.ptp(components, axis=0) >= value]
            dimension = kept.shape[1]
            # most values of beta keep the same columns, and so share the scores
            if dimension not in scored:
                setting = f"dimension={dimension} embedding={trial}"
                key = {"measure": name, "algorithm": KMEANS, "setting": setting}
                scored[dimension], _ = bench.clustered(partial(make, kept, name, trial), **key)
            facts = {"measure": name, "beta": value, "embedding": trial, "dimension": dimension}
            facts["dimension_svd"] = int((by_svd >= value).sum())
            yield from ({**facts, **run} for run in scored[dimension])


def _indicator(measure: CDE, counts: CooccurrenceCounts, rng: np.random.Generator) -> np.ndarray:
    """Return the indicators of the value clusters of both influence matrices."""
    matrices = (
        conditional_influence(counts, measure.mc_diag),
        occurrence_influence(counts, measure.influence),
    )
    return np.hstack([value_clusters(one, measure.alpha, measure.stop, rng) for one in matrices])


def _objects(bench: Bench, vectors: np.ndarray) -> np.ndarray:
    """Return the distinct objects in few columns, at the distances of their concatenated values."""
    offsets = bench.distinct.offsets
    return compact_coordinates(vectors, offsets)[bench.distinct.codes + offsets[:-1]].sum(axis=1)


def similarities(
    experiment: Experiment, *, pipelines: Mapping[str, dict[str, str]], embeddings: int, starts: int
) -> Iterator[dict[str, Any]]:
    """Cluster a data set spectrally under several similarities.

    A pipeline has ``measure``, ``algorithm`` and, for a Gaussian of embedded objects, ``sigma``.
    With ``sigma`` the objects are embedded `embeddings` times, with `starts` starts of k-means
    each; without it there is one similarity, with one start per trial.

    Records: ``pipeline``, ``embedding``, ``start``, ``fscore``, ``nmi``.
    """
    bench = Bench(experiment)

    def make(name: str, measure: str, algorithm: str, trial: int, sigma: str = "") -> Clusterings:
        spectral = experiment.algorithm(algorithm, n_clusters=bench.objects.n_classes)
        vectors = _spectral(bench, measure, trial, spectral.affinity, spectral.variant, sigma)
        means = KMeans(spectral.n_clusters, spectral.kmeans_init)
        runs = min(starts, experiment.trials) if sigma else experiment.trials
        return bench.means(vectors, means, runs, name, str(trial))

    for name, pipeline in pipelines.items():
        key = {one: pipeline[one] for one in ("measure", "algorithm")}
        for trial in range(min(embeddings, experiment.trials) if "sigma" in pipeline else 1):
            clustered = partial(make, name, **pipeline, trial=trial)
            setting = f"pipeline={name} embedding={trial}"
            runs, _ = bench.clustered(clustered, **key, setting=setting)
            yield from ({"pipeline": name, "embedding": trial, **run} for run in runs)


def _spectral(
    bench: Bench, name: str, trial: int, affinity: str, variant: str, sigma: str = ""
) -> SpectralEmbedding | None:
    """Return the spectral embedding, None without a dimension; `sigma` asks for a Gaussian."""
    table, k, width = bench.table, bench.objects.n_classes, None
    if not sigma:
        measure = bench.experiment.similarity(name, PREPARATION)
    else:
        measure = bench.embedding(name, trial)
        if measure.value_embedding_.shape[1] == 0:
            return None
        width = measure.bandwidth(table, sigma)
    return spectral_embedding(table, measure, affinity, k, variant, width)


def bandwidths(
    experiment: Experiment,
    *,
    measures: Mapping[str, str],
    embedded: str,
    sigmas: Sequence[str],
    affinities: Sequence[str],
    variants: Sequence[str],
    inits: Sequence[str],
    embeddings: int,
    starts: int,
) -> Iterator[dict[str, Any]]:
    """Cluster by the methods of Table 2 under every affinity, scale of the rows and start.

    Records: ``method``, ``affinity``, ``variant``, ``init``; mean ``fscore``, its ``sd`` and number
    of ``runs`` over starts, and over embeddings for the method `embedded`.
    """
    bench, trials = Bench(experiment), experiment.trials
    for method, name in measures.items():
        random = method == embedded
        runs = (min(embeddings, trials), min(starts, trials)) if random else (1, trials)
        for choice in sigmas if random else affinities:
            ways = product(range(runs[0]), variants, inits)
            yield from _varied(bench, method, name, choice, random, ways, runs[1])


def _varied(
    bench: Bench,
    method: str,
    name: str,
    choice: str,
    random: bool,
    ways: Iterable[tuple[int, str, str]],
    starts: int,
) -> Iterator[dict[str, Any]]:
    """Yield records under one affinity (width if `random`), by trial, scale of rows and start."""
    affinity, sigma = ("gauss", choice) if random else (choice, "")
    # one decomposition serves the rows as they are ("sym") and scaled to length 1 ("njw")
    embedded = cache(partial(_spectral, bench, name, affinity=affinity, variant="sym", sigma=sigma))

    def make(trial: int, variant: str, init: str) -> Clusterings:
        embedding, means = embedded(trial), KMeans(bench.objects.n_classes, init)
        rows = embedding.rows if embedding else np.zeros((0, 0))
        if variant == "njw":
            length = np.linalg.norm(rows, axis=1, keepdims=True)
            rows = np.divide(rows, length, out=np.zeros_like(rows), where=length > 0)
        names = (method, choice, variant, init, str(trial))
        return bench.means(bench.vectors(rows), means, starts, *names)

    scores: dict[tuple[str, str], list[float]] = {}
    for trial, variant, init in ways:
        runs, _ = bench.clustered(
            partial(make, trial, variant, init),
            measure=name,
            algorithm=f"spectral {variant} {init}",
            setting=f"affinity={choice} embedding={trial}",
        )
        scores.setdefault((variant, init), []).extend(run["fscore"] for run in runs)
    for (variant, init), values in scores.items():
        yield {
            **{"method": method, "affinity": choice, "variant": variant, "init": init},
            "fscore": statistics.fmean(values),
            "sd": statistics.stdev(values) if len(values) > 1 else None,
            "runs": len(values),
        }
