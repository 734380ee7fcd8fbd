"""Table 2 of CDE: similarities under spectral clustering, and what the affinity changes."""

import statistics
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import cache, partial
from itertools import product
from typing import Any, TypedDict, Unpack

import numpy as np

from couplings.cluster.kmeans import KMeans
from couplings.cluster.spectral import SpectralEmbedding, spectral_embedding
from couplings.measures.cde import CDE
from replication.papers.cde.data import PREPARATION, Bench
from replication.run.experiment import Experiment
from replication.run.runner import Clusterings


def similarities(
    experiment: Experiment, *, pipelines: Mapping[str, dict[str, str]], embeddings: int, starts: int
) -> Iterator[dict[str, Any]]:
    """Cluster a data set spectrally under several similarities.

    A pipeline has ``measure``, ``algorithm`` and, for a Gaussian of embedded objects, ``sigma``.
    Embeddings that are random are learnt anew in every one of `embeddings` trials, with `starts`
    starts of k-means each; the others once, with all starts.

    Records: ``pipeline``, ``embedding``, ``start``, ``clusters``, ``sigma``, ``reduced`` (whether
    the eigenproblem was solved over the values), ``fscore``, ``nmi``.
    """
    bench = Bench(experiment)
    for name, pipeline in pipelines.items():
        key = {one: pipeline[one] for one in ("measure", "algorithm")}
        for trial in range(min(embeddings, experiment.trials) if "sigma" in pipeline else 1):
            make = partial(_clustered, bench, name, pipeline, trial, starts)
            runs, facts = bench.clustered(make, **key, setting=f"pipeline={name} embedding={trial}")
            yield from ({"pipeline": name, "embedding": trial, **facts, **run} for run in runs)


def _clustered(
    bench: Bench, name: str, pipeline: dict[str, str], trial: int, starts: int
) -> Clusterings:
    experiment, k = bench.experiment, bench.objects.n_classes
    facts: dict[str, Any] = {"clusters": None, "sigma": None}
    spectral = experiment.algorithm(pipeline["algorithm"], n_clusters=k)
    if "sigma" not in pipeline:
        measure = experiment.similarity(pipeline["measure"], PREPARATION)
        starts = experiment.trials
    else:
        measure = _embedding(bench, pipeline["measure"], trial)
        starts = min(starts, experiment.trials)
        facts["clusters"] = measure.indicator_.shape[1]
        if measure.value_embedding_.shape[1] == 0:
            return bench.failed(starts, **facts)
        facts["sigma"] = measure.bandwidth(bench.table, pipeline["sigma"])
    embedding = spectral_embedding(
        bench.table, measure, spectral.affinity, k, spectral.variant, facts["sigma"]
    )
    facts["reduced"] = int(embedding.reduced)
    seeds = bench.starts(starts, name, str(trial))
    return bench.means(embedding, KMeans(k, spectral.kmeans_init), seeds, **facts)


def _embedding(bench: Bench, name: str, trial: int) -> CDE:
    rng = bench.experiment.rng(name, trial=trial)
    return bench.experiment.measure(name, random_state=rng).fit(bench.table)


class Settings(TypedDict):
    """What every method of `bandwidths` is combined with."""

    variants: Sequence[str]
    inits: Sequence[str]
    embeddings: int
    starts: int


def bandwidths(
    experiment: Experiment,
    *,
    measures: Mapping[str, str],
    embedded: str,
    sigmas: Sequence[str],
    affinities: Sequence[str],
    **settings: Unpack[Settings],
) -> Iterator[dict[str, Any]]:
    """Every combination of affinity, normalisation and start for the methods of Table 2.

    Records: ``method``, ``affinity``, ``variant``, ``init``, and ``fscore``, ``sd``, ``runs`` over
    embeddings (random ones) and starts.
    """
    bench = Bench(experiment)
    for method, name in measures.items():
        # every width looks at the same embeddings
        learnt = cache(partial(_embedding, bench, name)) if method == embedded else None
        for choice in sigmas if learnt else affinities:
            yield from _varied(bench, method, name, choice, learnt, settings)


def _varied(
    bench: Bench,
    method: str,
    name: str,
    choice: str,
    learnt: Callable[[int], CDE] | None,
    settings: Settings,
) -> Iterator[dict[str, Any]]:
    trials, k = bench.experiment.trials, bench.objects.n_classes
    embeddings = min(settings["embeddings"], trials) if learnt else 1
    starts = min(settings["starts"], trials) if learnt else trials

    @cache
    def embedded(trial: int) -> SpectralEmbedding | None:
        """Spectral embedding of the objects; None if CDE has no dimension."""
        if learnt is None:
            measure = bench.experiment.similarity(name, PREPARATION)
            return spectral_embedding(bench.table, measure, choice, k, "sym")
        measure = learnt(trial)
        if measure.value_embedding_.shape[1] == 0:
            return None
        width = measure.bandwidth(bench.table, choice)
        return spectral_embedding(bench.table, measure, "gauss", k, "sym", width)

    def make(trial: int, variant: str, init: str) -> Clusterings:
        """Cluster rows as they are ("sym") or scaled to length 1: one decomposition serves both."""
        seeds = bench.starts(starts, method, choice, variant, init, str(trial))
        embedding = embedded(trial)
        if embedding is None:
            return bench.failed(starts)
        rows = embedding.rows
        if variant == "njw":
            length = np.linalg.norm(rows, axis=1, keepdims=True)
            rows = np.divide(rows, length, out=np.zeros_like(rows), where=length > 0)
        return bench.means(bench.vectors(rows), KMeans(k, init), seeds)

    scores: dict[tuple[str, str], list[float]] = {}
    for trial, variant, init in product(range(embeddings), settings["variants"], settings["inits"]):
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
