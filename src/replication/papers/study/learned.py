"""Cluster by methods that learn a distance, or a model, with the clusters; a job per data set."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from typing import Any, Unpack

from replication.papers.study.cells import (
    LeftOutError,
    cell,
    left_out,
    require_few,
    started,
    starts,
)
from replication.papers.study.data import Prepared, Protocol, prepared
from replication.run.experiment import Experiment
from replication.run.scores import score
from replication.steps import OK

FURTHER = 5
"""BIC tries up to this many classes more than the data have."""


def learned(experiment: Experiment, **protocol: Unpack[Protocol]) -> Iterator[dict[str, Any]]:
    """Score every method that the experiment lists on one data set.

    Records: as the cells of the grid; ``measure`` and ``algorithm`` are both the id of the method.
    Latent class analysis has one more record, of kind ``classes``, see `preferred`.
    """
    made = prepared(experiment)
    for name, entry in experiment.algorithms.items():
        algorithm = experiment.algorithm(name, n_clusters=made.n_classes)
        own = {"measure": name, "label": entry["label"]}
        make = partial(started, experiment, made, None, algorithm, "learned")
        yield {**own, **cell(experiment, made, name, make)}
        if entry["class"].endswith(":LatentClasses"):
            found = experiment.once("classes", partial(preferred, experiment, made, name))
            yield {**own, "kind": "classes", "algorithm": name, **found}


def preferred(experiment: Experiment, made: Prepared, name: str) -> dict[str, Any]:
    """Return the number of classes chosen by BIC when k is not given, as a record.

    Each number from 1 to the number of classes plus `FURTHER` has all the starts. The cells do not
    use this choice: they have as many clusters as there are classes.

    The record has the ``classes`` of the data, the number ``preferred``, and ``ari`` of the
    preferred clustering. Or the rule that leaves it out: more than ``limit`` objects.
    """
    try:
        require_few(experiment, made.n_objects)
    except LeftOutError as error:
        return left_out(error)
    given = {"n_init": starts(experiment), "random_state": experiment.shared("classes")}
    fits = [
        experiment.algorithm(name, n_clusters=k, **given).fit(made.table)
        for k in range(1, min(made.n_classes + FURTHER, made.n_objects) + 1)
    ]
    best = min(fits, key=lambda fit: fit.bic_)
    return {
        "outcome": OK,
        "classes": made.n_classes,
        "preferred": best.n_clusters,
        **score(made.classes, best.labels_, ["ari"]),
    }
