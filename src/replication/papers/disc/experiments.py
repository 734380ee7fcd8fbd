"""Cluster by DISC and its rivals, from the starts of the released program and from random ones."""

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
from scipy.sparse.csgraph import minimum_spanning_tree, shortest_path

from couplings.table import CategoricalTable
from replication.papers.study.rivals.clustering import OldMatlabRandom
from replication.run.experiment import Experiment
from replication.run.runner import Clusterings


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

    def make() -> Clusterings:
        algorithm = experiment.algorithm(name, n_clusters=objects.n_classes, **limit)
        fitted = list(algorithm.fit_each(objects.table, seeds))
        facts = [
            {"objective": float(one.objective_), "iterations": int(one.n_iter_)}
            | {"empty": len(one.empty_clusters_)}
            for one in fitted
        ]
        labels = np.array([one.labels_ for one in fitted], dtype=np.int64)
        return Clusterings(objects, labels, {"runs": facts})

    key = {"algorithm": name, "setting": f"rounds={rounds}" if rounds else ""}
    made = experiment.runner.clusterings(objects, make, **key, sample=group)
    runs = zip(made.labels, made.scores(["accuracy", "ari"]), made.facts["runs"], strict=True)
    for trial, (labels, score, fact) in enumerate(runs):
        yield {
            **{"algorithm": name, "rounds": rounds, "group": group, "trial": trial, **score},
            **{"cmp": compactness(objects.table, labels, objects.n_classes), **fact},
            **{"objects": objects.n_objects, "attributes": objects.table.n_attributes},
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
