"""Table 2 of CDE: similarities under spectral clustering, and what the affinity changes."""

from __future__ import annotations

import itertools
import statistics
from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, Any

import numpy as np

from couplings.cluster.kmeans import KMeans
from couplings.cluster.spectral import SpectralEmbedding, spectral_embedding
from couplings.measures.cde import CDE
from replication.papers.cde.data import FAILED, Data, load

if TYPE_CHECKING:
    from replication.run.experiment import Experiment


def similarities(experiment: Experiment) -> Iterator[dict[str, Any]]:
    """Cluster a data set spectrally under several similarities.

    Parameter ``pipelines`` maps an id to ``measure``, ``algorithm`` and, for a Gaussian of embedded
    objects, ``sigma``. Embeddings that are random are learnt anew in every one of ``embeddings``
    trials, with ``starts`` starts of k-means each; the others once, with all starts.

    Yields
    ------
    dict
        ``pipeline``, ``embedding``, ``start``, ``clusters``, ``sigma``, ``reduced`` (whether the
        eigenproblem was solved over the values), ``fscore``, ``nmi``.
    """
    data = load(experiment)
    for name, pipeline in experiment.parameters["pipelines"].items():
        random = "sigma" in pipeline
        for trial in range(min(experiment.parameters["embeddings"], experiment.trials)):
            done = experiment.once(
                f"{name} {trial}",
                lambda name=name, pipeline=pipeline, trial=trial: _clustered(
                    experiment, data, name, pipeline, trial
                ),
            )
            yield from done["records"]
            if not random:
                break


def _clustered(
    experiment: Experiment, data: Data, name: str, pipeline: dict[str, str], trial: int
) -> dict[str, Any]:
    facts = {"pipeline": name, "embedding": trial, "clusters": None, "sigma": None}
    spectral = experiment.algorithm(pipeline["algorithm"], n_clusters=data.n_classes)
    if "sigma" not in pipeline:
        measure = experiment.measure(pipeline["measure"]).fit(data.table)
        starts = experiment.trials
    else:
        measure = _embedding(experiment, data, pipeline["measure"], trial)
        starts = min(experiment.parameters["starts"], experiment.trials)
        facts["clusters"] = measure.indicator_.shape[1]
        if measure.value_embedding_.shape[1] == 0:
            failed = [{**facts, "start": start, **FAILED} for start in range(starts)]
            return {"records": failed}
        facts["sigma"] = measure.bandwidth(data.table, pipeline["sigma"])
    embedding = spectral_embedding(
        data.table,
        measure,
        spectral.affinity,
        data.n_classes,
        spectral.variant,
        facts["sigma"],
    )
    facts["reduced"] = int(embedding.reduced)
    names = (name, str(trial))
    runs = _scores(
        experiment, data, embedding.rows, embedding.weights, spectral.kmeans_init, starts, names
    )
    return {"records": [{**facts, **run} for run in runs]}


def _embedding(experiment: Experiment, data: Data, name: str, trial: int) -> CDE:
    rng = experiment.rng(name, trial=trial)
    return experiment.measure(name, random_state=rng).fit(data.table)


def _scores(
    experiment: Experiment,
    data: Data,
    rows: np.ndarray,
    weights: np.ndarray,
    init: str,
    starts: int,
    names: Iterable[str],
) -> Iterator[dict[str, Any]]:
    """Scores of k-means on spectral rows from several starts."""
    for start in range(starts):
        rng = experiment.rng("start", *names, trial=start)
        means = KMeans(data.n_classes, init, rng)
        yield {"start": start, **data.scores(means.fit_predict(rows, sample_weight=weights))}


def bandwidths(experiment: Experiment) -> Iterator[dict[str, Any]]:
    """Every combination of affinity, normalisation and start for the methods of Table 2.

    Yields
    ------
    dict
        ``method``, ``affinity``, ``variant``, ``init``, and ``fscore``, ``sd``, ``runs`` over
        embeddings (random ones) and starts.
    """
    data = load(experiment)
    parameters = experiment.parameters
    for method, name in parameters["measures"].items():
        random = method == parameters["embedded"]
        choices = parameters["sigmas"] if random else parameters["affinities"]
        for choice in choices:
            done = experiment.once(
                f"{method} {choice}",
                lambda method=method, name=name, choice=choice, random=random: _varied(
                    experiment, data, method, name, choice, random
                ),
            )
            yield from done["records"]


def _varied(
    experiment: Experiment, data: Data, method: str, name: str, choice: str, random: bool
) -> dict[str, Any]:
    parameters = experiment.parameters
    embeddings = min(parameters["embeddings"], experiment.trials) if random else 1
    starts = min(parameters["starts"] if random else experiment.trials, experiment.trials)
    scores: dict[tuple[str, str], list[float]] = {}
    for trial in range(embeddings):
        if random:
            measure = _embedding(experiment, data, name, trial)
            if measure.value_embedding_.shape[1] == 0:
                for key in itertools.product(parameters["variants"], parameters["inits"]):
                    scores.setdefault(key, []).extend([FAILED["fscore"]] * starts)
                continue
            width = measure.bandwidth(data.table, choice)
            found = spectral_embedding(data.table, measure, "gauss", data.n_classes, "sym", width)
        else:
            measure = experiment.measure(name).fit(data.table)
            found = spectral_embedding(data.table, measure, choice, data.n_classes, "sym")
        for variant in parameters["variants"]:
            rows = _rows(found, variant)
            for init in parameters["inits"]:
                names = (method, choice, variant, init, str(trial))
                runs = _scores(experiment, data, rows, found.weights, init, starts, names)
                scores.setdefault((variant, init), []).extend(run["fscore"] for run in runs)
    return {
        "records": [
            {
                "method": method,
                "affinity": choice,
                "variant": variant,
                "init": init,
                "fscore": statistics.fmean(values),
                "sd": statistics.stdev(values) if len(values) > 1 else None,
                "runs": len(values),
            }
            for (variant, init), values in scores.items()
        ]
    }


def _rows(found: SpectralEmbedding, variant: str) -> np.ndarray:
    """Rows as they are ("sym") or scaled to length 1 ("njw"): one decomposition serves both."""
    if variant == "sym":
        return found.rows
    length = np.linalg.norm(found.rows, axis=1, keepdims=True)
    return np.divide(found.rows, length, out=np.zeros_like(found.rows), where=length > 0)
