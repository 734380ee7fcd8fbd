"""What the paper computes: records, one per measure and algorithm."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from replication.run.experiment import Experiment


def clusters(experiment: Experiment, *, preparation: str) -> Iterator[dict[str, Any]]:
    """Accuracy of every algorithm under every measure, with as many clusters as classes."""
    from replication.run.runner import cluster

    objects = experiment.objects(preparation)
    for measure in experiment.similarities:
        space = experiment.similarity(measure, preparation)
        for name in experiment.algorithms:
            algorithm = experiment.algorithm(name, n_clusters=objects.n_classes)
            make = partial(cluster, objects, space, algorithm)
            found = experiment.runner.clusterings(objects, make, measure=measure, algorithm=name)
            for scores in found.scores(["accuracy"]):
                yield {"measure": measure, "algorithm": name, **scores}
