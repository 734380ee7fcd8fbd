"""Cluster the tables of the stored partitions by the same methods, in single runs."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np

from couplings.errors import CouplingsError, MeasureError
from replication.run.experiment import Experiment
from replication.run.runner import Clusterings, Objects, Vectors, cluster

SCORES = {"ari": "ari", "nmi": "nmi_arithmetic", "accuracy": "accuracy"}


def runs(
    experiment: Experiment, *, preparation: str, without_values: Mapping[str, Sequence[str]]
) -> Iterator[dict[str, Any]]:
    """Score single runs of every method.

    Records, one per run: ``method``, ``trial`` and its scores; or ``method`` and ``absent``, the
    reason why it has no run.
    """
    objects = _objects(experiment, preparation, without_values)
    for method in (*experiment.algorithms, *experiment.measures, "cdc_dr"):
        make = partial(_clustered, experiment, objects, method)
        try:
            found = experiment.runner.clusterings(objects, make, algorithm=method)
        except CouplingsError as error:
            yield {"method": method, "absent": str(error)}
            continue
        for trial, scores in enumerate(found.scores(list(SCORES.values()))):
            named = {name: scores[score] for name, score in SCORES.items()}
            yield {"method": method, "trial": trial, "objects": objects.n_objects, **named}


def _objects(
    experiment: Experiment, preparation: str, without_values: Mapping[str, Sequence[str]]
) -> Objects:
    """Return the objects of the stored partitions."""
    objects = experiment.objects(preparation)
    if not without_values:
        return objects
    frame = objects.table.to_pandas()[[*without_values]]
    gone = frame.isin(dict(without_values)).any(axis=1).to_numpy()
    kept = objects.ordered(np.flatnonzero(~gone))
    return replace(kept, table=kept.table.observed())


def _clustered(experiment: Experiment, objects: Objects, method: str) -> Clusterings:
    from couplings.cluster.kmeans import KMeans
    from couplings.measures.cdcdr import CDCDR

    k, trials = objects.n_classes, range(experiment.trials)
    if method in experiment.algorithms:
        seeds = [experiment.rng(method, trial=trial) for trial in trials]
        return cluster(objects, None, experiment.algorithm(method, n_clusters=k), seeds)
    seeds = [experiment.rng("k-means", trial=trial) for trial in trials]
    algorithm = KMeans(k, init="plus")
    if method == "cdc_dr":
        vectors = CDCDR(k).fit(objects.table).transform(objects.table)
        return cluster(objects, Vectors(vectors), algorithm, seeds)
    labels = []
    for trial, seed in zip(trials, seeds, strict=True):
        # every stored run has its own embedding
        measure = experiment.measure(method, random_state=experiment.seed(method, trial=trial))
        vectors = measure.fit(objects.table).transform(objects.table)
        if not vectors.shape[1]:
            raise MeasureError(
                f"{method}: its embedding has no column, all value clusters are tiny"
            )
        labels.append(cluster(objects, Vectors(vectors), algorithm, [seed]).labels[0])
    return Clusterings(objects, np.array(labels))
