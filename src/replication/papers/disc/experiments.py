"""Cluster by DISC and its rivals, from the starts of the released program and from random ones."""

from collections.abc import Iterator, Sequence
from functools import partial
from typing import Any

import numpy as np
from scipy.sparse.csgraph import minimum_spanning_tree, shortest_path

from couplings.errors import MeasureError
from couplings.table import CategoricalTable
from replication.papers.crosscheck.experiments import rotated
from replication.papers.study.rivals.clustering import OldMatlabRandom
from replication.run.experiment import Experiment
from replication.run.runner import Clusterings, Objects, Vectors, cluster


def released(
    experiment: Experiment, *, preparation: str, generator: int, starts: int
) -> Iterator[dict[str, Any]]:
    """Repeat the runs of the released program, whose generator is seeded once per data set.

    Records: as `starts`, for the whole method, and with ``rounds`` 1 for its first outer round.
    """
    (name,) = experiment.algorithms
    for rounds in (0, 1):
        # all runs of a data set draw from one generator
        seeds = [OldMatlabRandom(generator)] * starts
        yield from _group(experiment, preparation, name, seeds, 0, rounds)


def starts(
    experiment: Experiment, *, preparation: str, starts: int, rounds: int = 0
) -> Iterator[dict[str, Any]]:
    """Cluster from random starts that all methods share, in groups of the paper's size.

    Records, one per run: ``algorithm``, ``rounds`` (0 for no limit), ``group``, ``trial`` within
    it, ``accuracy``, ``ari``, ``cmp``, ``objective``, ``iterations``, number of ``empty`` clusters,
    and the ``objects``, ``attributes`` and ``classes`` of the table.
    """
    size = min(starts, experiment.trials)
    for name in experiment.algorithms:
        for group in range(experiment.trials // size):
            seeds = [experiment.shared("start", trial=group * size + i) for i in range(size)]
            yield from _group(experiment, preparation, name, seeds, group, rounds)


def _group(
    experiment: Experiment,
    preparation: str,
    name: str,
    seeds: Sequence[Any],
    group: int,
    rounds: int,
) -> Iterator[dict[str, Any]]:
    """Cluster from some starts and score the partitions."""
    objects = experiment.objects(preparation)
    limit = {"max_iter": rounds} if rounds else {}
    algorithm = experiment.algorithm(name, n_clusters=objects.n_classes, **limit)
    key = {"algorithm": name, "setting": f"rounds={rounds}" if rounds else ""}
    make = partial(_fitted, algorithm, objects, seeds)
    made = experiment.runner.clusterings(objects, make, **key, sample=group)
    for row in _rows(made):
        yield {"algorithm": name, "rounds": rounds, "group": group, **row}


def _fitted(algorithm: Any, objects: Objects, seeds: Sequence[Any]) -> Clusterings:
    """Cluster once per seed, and keep what a run says about itself."""
    fitted = list(algorithm.fit_each(objects.table, seeds))
    facts = [
        {"objective": float(one.objective_), "iterations": int(one.n_iter_)}
        | {"empty": len(one.empty_clusters_)}
        for one in fitted
    ]
    labels = np.array([one.labels_ for one in fitted], dtype=np.int64)
    return Clusterings(objects, labels, {"runs": facts})


def _rows(made: Clusterings) -> Iterator[dict[str, Any]]:
    """Yield the scores of each run, its facts and the sizes of the table."""
    objects = made.objects
    facts = made.facts.get("runs") or [{}] * len(made.labels)
    runs = zip(made.labels, made.scores(["accuracy", "ari"]), facts, strict=True)
    for trial, (labels, score, fact) in enumerate(runs):
        # a method may find the number of clusters itself
        n_clusters = made.facts.get("clusters", objects.n_classes)
        yield {
            **{"trial": trial, **score},
            **{"cmp": compactness(objects.table, labels, n_clusters), **fact},
            **{"objects": objects.n_objects, "attributes": objects.table.n_attributes},
            "classes": objects.n_classes,
        }


def metrics(
    experiment: Experiment, *, preparation: str, algorithm: str
) -> Iterator[dict[str, Any]]:
    """Cluster by k-modes with the distances of a measure, from the starts of all methods.

    Records as `starts`, without groups; ``algorithm`` is the measure.
    """
    objects = experiment.objects(preparation)
    seeds = [experiment.shared("start", trial=trial) for trial in range(experiment.trials)]
    for name in experiment.measures:
        matrices = experiment.measure(name).fit(objects.table.observed()).value_matrices_
        modes = experiment.algorithm(algorithm, n_clusters=objects.n_classes, matrices=matrices)
        make = partial(_fitted, modes, objects, seeds)
        made = experiment.runner.clusterings(objects, make, algorithm=algorithm, measure=name)
        for row in _rows(made):
            yield {"algorithm": name, "rounds": 0, **row}


def embedded(
    experiment: Experiment, *, preparation: str, algorithm: str
) -> Iterator[dict[str, Any]]:
    """Cluster by k-means on an embedding with as many dimensions as clusters.

    Where equal eigenvalues leave the embedding undefined, every run has a basis of its own, drawn
    at random. Records as `starts`, without groups; ``algorithm`` is the measure, and ``bases`` says
    whether bases were drawn.
    """
    objects = experiment.objects(preparation)
    k = objects.n_classes
    means = experiment.algorithm(algorithm, n_clusters=k)
    seeds = [experiment.rng("k-means", trial=trial) for trial in range(experiment.trials)]
    for name in experiment.measures:
        try:
            vectors = experiment.measure(name, n_components=k, ties="refuse").fit_transform(
                objects.table
            )
        except MeasureError:
            make = partial(_on_bases, experiment, objects, means, seeds)
            bases = True
        else:
            make, bases = partial(cluster, objects, Vectors(vectors), means, seeds), False
        made = experiment.runner.clusterings(objects, make, algorithm=algorithm, measure=name)
        for row in _rows(made):
            yield {"algorithm": name, "rounds": 0, "bases": bases, **row}


def _on_bases(
    experiment: Experiment, objects: Objects, means: Any, seeds: Sequence[Any]
) -> Clusterings:
    """Cluster by k-means, each time on the embedding of CDC-DR in another basis."""
    labels = []
    for trial, seed in enumerate(seeds):
        vectors = rotated(objects.table, objects.n_classes, experiment.rng("basis", trial=trial))
        labels.append(cluster(objects, Vectors(vectors), means, [seed]).labels[0])
    return Clusterings(objects, np.array(labels))


def trees(experiment: Experiment, *, preparation: str) -> Iterator[dict[str, Any]]:
    """Cluster once by algorithms without random numbers that find the number of clusters.

    Records as `starts`, without groups, and ``clusters``, the number found.
    """
    objects = experiment.objects(preparation)
    for name in experiment.algorithms:

        def make(name: str = name) -> Clusterings:
            fitted = experiment.algorithm(name).fit(objects.table)
            return Clusterings(objects, fitted.labels_[None], {"clusters": fitted.n_clusters_})

        made = experiment.runner.clusterings(objects, make, algorithm=name)
        for row in _rows(made):
            yield {"algorithm": name, "rounds": 0, "clusters": made.facts["clusters"], **row}


def mixed(experiment: Experiment, *, preparation: str) -> Iterator[dict[str, Any]]:
    """Cluster tables with numbers, from random starts.

    Records, one per run: ``algorithm``, ``rounds`` (0), ``trial``, ``accuracy``, ``ari``, and
    ``objects``, ``attributes`` and ``classes`` of the table.
    """
    objects = experiment.objects(preparation)
    for name in experiment.algorithms:
        algorithm = experiment.algorithm(name, n_clusters=objects.n_classes)
        seeds = [experiment.seed(name, trial=trial) for trial in range(experiment.trials)]
        make = partial(cluster, objects, None, algorithm, seeds)
        made = experiment.runner.clusterings(objects, make, algorithm=name)
        for trial, score in enumerate(made.scores(["accuracy", "ari"])):
            yield {
                **{"algorithm": name, "rounds": 0, "trial": trial, **score},
                **{"objects": objects.n_objects, "attributes": len(objects.table.attributes)},
                "classes": objects.n_classes,
            }


def compactness(table: CategoricalTable, labels: np.ndarray, n_clusters: int) -> float:
    """Return the mean entropy of the attributes in the clusters, over its maximum (CMP).

    ``(1 / (k m)) sum_c sum_j H_c(X_j) / ln v_j``, where v_j values of attribute j occur; an empty
    cluster and an attribute of one value count 0. From 0 to 1; lower is more compact.
    """
    sizes = np.maximum(np.bincount(labels, minlength=n_clusters), 1)
    total = 0.0
    for column in table.codes.T:
        width = int(column.max()) + 1
        counts = np.bincount(labels * width + column, minlength=n_clusters * width)
        values = int((np.bincount(column) > 0).sum())
        if values > 1:
            shares = counts.reshape(n_clusters, width) / sizes[:, None]
            logs = np.log(shares, out=np.zeros_like(shares), where=shares > 0)
            total -= float((shares * logs).sum()) / np.log(values)
    return float(total) / (n_clusters * table.n_attributes)


def line(experiment: Experiment) -> Iterator[dict[str, Any]]:
    """Compare ``|p(x) - p(y)|`` with path lengths in their minimum spanning tree.

    Records, one per drawn cluster: ``trial``, ``values``, ``largest_difference``.
    """
    for trial in range(experiment.trials):
        rng = experiment.rng("shares", trial=trial)
        shares = rng.dirichlet(np.ones(int(rng.integers(2, 12))))
        between = np.abs(shares[:, None] - shares)
        paths = shortest_path(minimum_spanning_tree(between), directed=False)
        yield {
            "trial": trial,
            "values": len(shares),
            "largest_difference": float(np.abs(paths - between).max()),
        }
