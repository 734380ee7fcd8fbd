"""ROCK and CROCK of CASO (Table XII): neighbours by Jaccard's similarity or by CASO / n."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import partial
from typing import TYPE_CHECKING, Any

from couplings.cluster.neighbours import NeighbourGraph
from replication.papers.caso.examples import PREPARATION
from replication.run.runner import Objects, cluster, per_attribute
from replication.run.scores import MATCHED

if TYPE_CHECKING:
    from couplings.cluster.rock import Rock
    from couplings.table import CategoricalTable
    from replication.run.experiment import Experiment

METHODS = {"rock": None, "crock": "caso"}
"""Method to the measure of its similarity; None for Jaccard's, which ROCK has itself."""
SCORES = MATCHED
"""Scores weighted by class size; ``macro_`` before them are plain means over the classes."""


def rock(
    experiment: Experiment,
    *,
    first: float,
    last: float,
    step: float,
    fixed: float,
    most_orders: int | None = None,
) -> Iterator[dict[str, Any]]:
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
    steps = round((last - first) / step)
    grid = {round(first + i * step, 6) for i in range(steps + 1)}
    thetas = sorted(grid | {fixed})
    orders = min(experiment.trials, most_orders or experiment.trials)
    parts = [objects]
    for order in range(1, orders):
        rng = experiment.rng("order", trial=order)
        parts.append(objects.ordered(rng.permutation(objects.n_objects)))
    k = len(tables.facts["classes"])
    for method, measure in METHODS.items():
        graphs = _graphs(experiment, objects.table, measure, thetas)
        for theta, graph in zip(thetas, graphs, strict=True):
            # links are counted once; other orders take them from those of the file
            graph.keep_links()
            algorithm = experiment.algorithm("rock_assign", n_clusters=k, theta=theta)
            for order, part in enumerate(parts):
                near = graph.take(part.rows) if order else graph
                made = experiment.runner.clusterings(
                    part,
                    partial(cluster, part, near, algorithm, observe=_seen),
                    algorithm=method,
                    setting=f"theta={theta:g}",
                    order=order,
                )
                (scores,) = made.scores([*SCORES, *(f"macro_{name}" for name in SCORES)])
                yield {"method": method, "theta": theta, "order": order, **scores, **made.facts}


def _graphs(
    experiment: Experiment, table: CategoricalTable, measure: str | None, thetas: Sequence[float]
) -> Iterator[NeighbourGraph]:
    """Neighbours by one similarity at each of some thresholds, in the order of the file."""
    if measure is None:
        yield from (NeighbourGraph.from_table(table, theta) for theta in thetas)
        return
    alike = per_attribute(table, experiment.similarity(measure, PREPARATION))
    graphs = NeighbourGraph.at_thresholds(alike, thetas)
    while graphs:
        # a graph that is held here would hold its links
        yield graphs.pop(0)


def _seen(fitted: Rock) -> dict[str, Any]:
    return {"clusters": fitted.n_remaining_, "neighbours": float(fitted.n_neighbours_.mean())}
