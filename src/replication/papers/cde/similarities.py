"""Table 2 of CDE: similarities under spectral clustering, and what the affinity changes."""

from __future__ import annotations

import itertools
import statistics
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import cache, partial
from typing import TYPE_CHECKING, Any, TypedDict, Unpack

import numpy as np

from couplings.cluster.kmeans import KMeans
from couplings.cluster.spectral import SpectralEmbedding, spectral_embedding
from couplings.measures.cde import CDE
from replication.papers.cde.data import PREPARATION, Data, clustered, failed, load, means, seeds

if TYPE_CHECKING:
    from replication.run.experiment import Experiment
    from replication.run.runner import Clusterings


def similarities(
    experiment: Experiment,
    *,
    pipelines: Mapping[str, dict[str, str]],
    embeddings: int,
    starts: int,
) -> Iterator[dict[str, Any]]:
    """Cluster a data set spectrally under several similarities.

    A pipeline has ``measure``, ``algorithm`` and, for a Gaussian of embedded objects, ``sigma``.
    Embeddings that are random are learnt anew in every one of `embeddings` trials, with `starts`
    starts of k-means each; the others once, with all starts.

    Yields
    ------
    dict
        ``pipeline``, ``embedding``, ``start``, ``clusters``, ``sigma``, ``reduced`` (whether the
        eigenproblem was solved over the values), ``fscore``, ``nmi``.
    """
    data = load(experiment)
    for name, pipeline in pipelines.items():
        trials = min(embeddings, experiment.trials) if "sigma" in pipeline else 1
        for trial in range(trials):
            runs, facts = clustered(
                experiment,
                data,
                partial(_clustered, experiment, data, name, pipeline, trial, starts),
                measure=pipeline["measure"],
                algorithm=pipeline["algorithm"],
                setting=f"pipeline={name} embedding={trial}",
            )
            for run in runs:
                yield {"pipeline": name, "embedding": trial, **facts, **run}


def _clustered(
    experiment: Experiment,
    data: Data,
    name: str,
    pipeline: dict[str, str],
    trial: int,
    starts: int,
) -> Clusterings:
    facts = {"clusters": None, "sigma": None}
    spectral = experiment.algorithm(pipeline["algorithm"], n_clusters=data.n_classes)
    if "sigma" not in pipeline:
        measure = experiment.similarity(pipeline["measure"], PREPARATION)
        starts = experiment.trials
    else:
        measure = _embedding(experiment, data, pipeline["measure"], trial)
        starts = min(starts, experiment.trials)
        facts["clusters"] = measure.indicator_.shape[1]
        if measure.value_embedding_.shape[1] == 0:
            return failed(data, starts, **facts)
        facts["sigma"] = measure.bandwidth(data.table, pipeline["sigma"])
    embedding = spectral_embedding(
        data.table, measure, spectral.affinity, data.n_classes, spectral.variant, facts["sigma"]
    )
    facts["reduced"] = int(embedding.reduced)
    algorithm = KMeans(data.n_classes, spectral.kmeans_init)
    return means(data, embedding, algorithm, seeds(experiment, starts, name, str(trial)), **facts)


def _embedding(experiment: Experiment, data: Data, name: str, trial: int) -> CDE:
    rng = experiment.rng(name, trial=trial)
    return experiment.measure(name, random_state=rng).fit(data.table)


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

    Yields
    ------
    dict
        ``method``, ``affinity``, ``variant``, ``init``, and ``fscore``, ``sd``, ``runs`` over
        embeddings (random ones) and starts.
    """
    data = load(experiment)
    for method, name in measures.items():
        random = method == embedded
        choices = sigmas if random else affinities
        # every width looks at the same embeddings
        learnt = cache(partial(_embedding, experiment, data, name))
        for choice in choices:
            once = learnt if random else None
            yield from _varied(experiment, data, method, name, choice, once, settings)


def _varied(
    experiment: Experiment,
    data: Data,
    method: str,
    name: str,
    choice: str,
    learnt: Callable[[int], CDE] | None,
    settings: Settings,
) -> Iterator[dict[str, Any]]:
    embeddings = min(settings["embeddings"], experiment.trials) if learnt else 1
    starts = min(settings["starts"] if learnt else experiment.trials, experiment.trials)
    scores: dict[tuple[str, str], list[float]] = {}
    for trial in range(embeddings):
        measure = partial(learnt, trial) if learnt else None
        embedded = cache(partial(_spectral, experiment, data, name, choice, measure))
        for variant, init in itertools.product(settings["variants"], settings["inits"]):
            names = (method, choice, variant, init, str(trial))
            runs, _ = clustered(
                experiment,
                data,
                partial(_starts, data, embedded, variant, init, seeds(experiment, starts, *names)),
                measure=name,
                algorithm=f"spectral {variant} {init}",
                setting=f"affinity={choice} embedding={trial}",
            )
            scores.setdefault((variant, init), []).extend(run["fscore"] for run in runs)
    for (variant, init), values in scores.items():
        yield {
            "method": method,
            "affinity": choice,
            "variant": variant,
            "init": init,
            "fscore": statistics.fmean(values),
            "sd": statistics.stdev(values) if len(values) > 1 else None,
            "runs": len(values),
        }


def _spectral(
    experiment: Experiment,
    data: Data,
    name: str,
    choice: str,
    learnt: Callable[[], CDE] | None,
) -> SpectralEmbedding | None:
    """Spectral embedding of the objects; None if CDE has no dimension."""
    if learnt is None:
        measure = experiment.similarity(name, PREPARATION)
        return spectral_embedding(data.table, measure, choice, data.n_classes, "sym")
    measure = learnt()
    if measure.value_embedding_.shape[1] == 0:
        return None
    width = measure.bandwidth(data.table, choice)
    return spectral_embedding(data.table, measure, "gauss", data.n_classes, "sym", width)


def _starts(
    data: Data,
    embedded: Callable[[], SpectralEmbedding | None],
    variant: str,
    init: str,
    starts: Sequence[np.random.Generator],
) -> Clusterings:
    """Cluster rows as they are ("sym") or scaled to length 1: one decomposition serves both."""
    embedding = embedded()
    if embedding is None:
        return failed(data, len(starts))
    rows = embedding.rows
    if variant == "njw":
        length = np.linalg.norm(rows, axis=1, keepdims=True)
        rows = np.divide(rows, length, out=np.zeros_like(rows), where=length > 0)
    return means(data, data.vectors(rows), KMeans(data.n_classes, init), starts)
