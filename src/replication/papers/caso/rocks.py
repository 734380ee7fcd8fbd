"""ROCK and CROCK of CASO (Table XII): neighbours by Jaccard's similarity or by CASO / n."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import cached_property
from typing import TYPE_CHECKING, Any

from couplings.cluster.neighbours import NeighbourGraph
from replication.papers.caso.examples import PREPARATION
from replication.run.runner import Clusterings, Objects, cluster, per_attribute
from replication.run.scores import MATCHED

if TYPE_CHECKING:
    from couplings.cluster.rock import Rock
    from couplings.table import CategoricalTable
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
    thetas = sorted(grid | {parameters["fixed"]})
    orders = min(experiment.trials, parameters.get("most_orders", experiment.trials))
    k = len(tables.facts["classes"])
    for method, measure in METHODS.items():
        graphs = _Graphs(experiment, objects.table, measure, thetas)
        for theta in thetas:
            algorithm = experiment.algorithm("rock_assign", n_clusters=k, theta=theta)
            for order in range(orders):
                part = _ordered(experiment, objects, order)
                made = experiment.runner.clusterings(
                    part,
                    lambda part=part, graphs=graphs, algorithm=algorithm: _clustered(
                        part, graphs, algorithm
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


class _Graphs:
    """Neighbours by one similarity at each of some thresholds, which are asked for in order.

    Neighbours and links are counted in the order of the file; other orders take them from there.
    """

    def __init__(
        self,
        experiment: Experiment,
        table: CategoricalTable,
        measure: str | None,
        thetas: Sequence[float],
    ) -> None:
        self._experiment, self._table = experiment, table
        self._measure, self._thetas = measure, thetas
        self._linked: tuple[float, NeighbourGraph] | None = None

    @cached_property
    def _all(self) -> dict[float, NeighbourGraph]:
        if self._measure is None:
            graphs = [NeighbourGraph.from_table(self._table, theta) for theta in self._thetas]
        else:
            space = self._experiment.similarity(self._measure, PREPARATION)
            alike = per_attribute(self._table, space)
            graphs = NeighbourGraph.at_thresholds(alike, self._thetas)
        return dict(zip(self._thetas, graphs, strict=True))

    def of(self, objects: Objects, theta: float) -> NeighbourGraph:
        """Return the graph of the objects of the table in the given order."""
        if self._linked is None or self._linked[0] != theta:
            # Its links are free again before those of the next one are counted.
            self._linked = None
            graph = self._all.pop(theta)
            graph.keep_links()
            self._linked = theta, graph
        graph = self._linked[1]
        return graph if objects.rows is None else graph.take(objects.rows)


def _clustered(objects: Objects, graphs: _Graphs, algorithm: Rock) -> Clusterings:
    return cluster(
        objects,
        graphs.of(objects, algorithm.theta),
        algorithm,
        observe=lambda fitted: {
            "clusters": fitted.n_remaining_,
            "neighbours": float(fitted.n_neighbours_.mean()),
        },
    )
