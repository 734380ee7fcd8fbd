"""ROCK and CROCK of CASO (Table XII): neighbours by Jaccard's similarity or by CASO / n."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from replication.papers.caso.examples import PREPARATION

if TYPE_CHECKING:
    import numpy as np

    from couplings.table import CategoricalTable
    from replication.run.experiment import Experiment

METHODS = ("rock", "crock")
SCORES = ("precision", "recall", "specificity")


def rock(experiment: Experiment) -> Iterator[dict[str, Any]]:
    """ROCK and CROCK over a grid of thresholds and over row orders.

    Both are deterministic for a given order of rows, so the repetitions are orders: the first is
    that of the file. The printed threshold is part of the grid.

    Yields
    ------
    dict
        ``method``, ``theta``, ``order``, `SCORES` weighted by class size, their plain means over
        the classes (``macro_``), ``clusters`` (when the links ran out), ``neighbours`` (mean per
        object).
    """
    tables = experiment.tables(PREPARATION)
    table, classes = tables.tables[0], tables.labels[0]
    parameters = experiment.parameters
    steps = round((parameters["to"] - parameters["from"]) / parameters["step"])
    grid = {round(parameters["from"] + i * parameters["step"], 6) for i in range(steps + 1)}
    orders = min(experiment.trials, parameters.get("most_orders", experiment.trials))
    k = len(tables.facts["classes"])
    for method in METHODS:
        for theta in sorted(grid | {parameters["fixed"]}):
            for order in range(orders):

                def scores(method: str = method, theta: float = theta, order: int = order) -> Any:
                    part, labels = table, classes
                    if order:
                        rows = experiment.rng("order", trial=order).permutation(table.n_objects)
                        part, labels = table.take(rows), classes[rows]
                    return _scored(experiment, method, part, labels, k, theta)

                found = experiment.once(f"{method} {theta} {order}", scores)
                yield {"method": method, "theta": theta, "order": order, **found}


def _scored(
    experiment: Experiment,
    method: str,
    table: CategoricalTable,
    classes: np.ndarray,
    k: int,
    theta: float,
) -> dict[str, Any]:
    """Scores of one clustering."""
    import numpy as np

    from couplings.cluster.rock import NeighbourGraph
    from couplings.metrics.external import contingency

    if method == "rock":
        graph = NeighbourGraph.from_table(table, theta)
    else:
        space = experiment.measure("caso").fit(table).space_

        def similarity(objects: np.ndarray) -> np.ndarray:
            if not len(objects):
                return np.zeros((0, table.n_objects))
            return space.between(table.take(objects), table) / table.n_attributes

        graph = NeighbourGraph.from_similarity(similarity, theta)
    clustering = experiment.algorithm("rock_assign", n_clusters=k, theta=theta).fit(graph)
    return {
        **matched_scores(contingency(classes, clustering.labels_)),
        "clusters": clustering.n_remaining_,
        "neighbours": float(clustering.n_neighbours_.mean()),
    }


def matched_scores(table: np.ndarray) -> dict[str, float]:
    """Precision, recall and specificity of classes and the clusters that are matched with them.

    Parameters
    ----------
    table : ndarray of int, shape (k, c)
        Objects of every cluster (rows) in every class (columns).

    Returns
    -------
    dict of str to float
        Means over the classes, weighted by their size, and plain ones (``macro_``). A class
        without a cluster has precision and recall 0 and specificity 1.
    """
    import numpy as np
    from scipy.optimize import linear_sum_assignment

    sizes, clusters, n = table.sum(axis=0), table.sum(axis=1), int(table.sum())
    scores = {"precision": np.zeros(len(sizes)), "recall": np.zeros(len(sizes))}
    scores["specificity"] = np.ones(len(sizes))
    for row, column in zip(*linear_sum_assignment(table, maximize=True), strict=True):
        hits = int(table[row, column])
        scores["precision"][column] = hits / clusters[row]
        scores["recall"][column] = hits / sizes[column]
        others = n - int(sizes[column])
        false = int(clusters[row]) - hits
        scores["specificity"][column] = (others - false) / others if others else 1.0
    weights = sizes / n
    return {
        **{name: float((one * weights).sum()) for name, one in scores.items()},
        **{f"macro_{name}": float(one.mean()) for name, one in scores.items()},
    }
