"""What the paper computes: records, one per measure and algorithm."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from replication.run.experiment import Experiment


def clusters(experiment: Experiment, *, preparation: str) -> Iterator[dict[str, Any]]:
    """Accuracy of every algorithm under every measure, with as many clusters as classes."""
    import numpy as np

    from couplings import external_scores

    found = experiment.tables(preparation)
    table, classes = found.tables[0], found.labels[0]
    for measure in experiment.measures:
        distances = experiment.measure(measure).fit(table).space_.condensed(table)
        for name in experiment.algorithms:
            algorithm = experiment.algorithm(name, n_clusters=len(np.unique(classes)))
            scores = external_scores(classes, algorithm.fit_predict(distances))
            yield {"measure": measure, "algorithm": name, "accuracy": scores["accuracy"]}
