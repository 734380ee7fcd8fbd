"""ROCK and CROCK of CASO (Table XII): neighbours by Jaccard's similarity or by CASO / n."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from replication.papers.caso.examples import PREPARATION
from replication.run.runner import Clusterings, Objects, cluster
from replication.run.scores import MATCHED

if TYPE_CHECKING:
    from replication.run.experiment import Experiment

METHODS = {"rock": None, "crock": "caso"}
"""Method to the measure of its similarity; None for Jaccard's, which ROCK has itself."""
SCORES = MATCHED
"""Scores weighted by class size; ``macro_`` before them are plain means over the classes."""


def rock(experiment: Experiment) -> Iterator[dict[str, Any]]:
    """ROCK and CROCK over a grid of thresholds and over row orders.

    Both are deterministic for a given order of rows, so the repetitions are orders: the first is
    that of the file. The printed threshold is part of the grid.

    Yields
    ------
    dict
        ``method``, ``theta``, ``order``, precision, recall and specificity weighted by class size,
        their plain means over the classes (``macro_``), ``clusters`` (when the links ran out),
        ``neighbours`` (mean per object).
    """
    tables = experiment.tables(PREPARATION)
    objects = Objects(tables.tables[0], tables.labels[0])
    parameters = experiment.parameters
    steps = round((parameters["to"] - parameters["from"]) / parameters["step"])
    grid = {round(parameters["from"] + i * parameters["step"], 6) for i in range(steps + 1)}
    orders = min(experiment.trials, parameters.get("most_orders", experiment.trials))
    k = len(tables.facts["classes"])
    for method, measure in METHODS.items():
        for theta in sorted(grid | {parameters["fixed"]}):
            algorithm = experiment.algorithm("rock_assign", n_clusters=k, theta=theta)
            for order in range(orders):
                part = _ordered(experiment, objects, order)
                made = experiment.runner.clusterings(
                    part,
                    lambda part=part, measure=measure, algorithm=algorithm: _clustered(
                        experiment, part, measure, algorithm
                    ),
                    algorithm=method,
                    setting=f"theta={theta:g}",
                    order=order,
                )
                (scores,) = made.scores([*SCORES, *(f"macro_{name}" for name in SCORES)])
                yield {"method": method, "theta": theta, "order": order, **scores, **made.facts}


def _ordered(experiment: Experiment, objects: Objects, order: int) -> Objects:
    if order == 0:
        return objects
    return objects.ordered(experiment.rng("order", trial=order).permutation(objects.n_objects))


def _clustered(
    experiment: Experiment, objects: Objects, measure: str | None, algorithm: Any
) -> Clusterings:
    similarity = experiment.similarity(measure, PREPARATION) if measure else None
    return cluster(
        objects,
        similarity,
        algorithm,
        observe=lambda fitted: {
            "clusters": fitted.n_remaining_,
            "neighbours": float(fitted.n_neighbours_.mean()),
        },
    )
