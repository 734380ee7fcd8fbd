"""The papers' own rivals that are no measure of the grid: one job per data set.

They cluster the table itself (LIMBO), a table of categories and numbers (k-prototypes, k-means of
Ahmad and Dey, the mixture, SpectralCAT), or the principal components of the 0-1 encoding.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from replication.papers.study.data import Prepared, mixed_table, prepared, shared
from replication.papers.study.experiments import scored_cell

if TYPE_CHECKING:
    import numpy as np

    from replication.run.experiment import Experiment

MIXED = ("k_prototypes", "madd", "mixture", "spectralcat")
"""Algorithms that take categories and numbers."""
PAIRS = ("limbo", "spectralcat")
"""Algorithms that look at all pairs of objects, or of their summaries."""
ENCODED = "kmeans"
"""Algorithm that takes the vectors of an encoding."""


def rivals(experiment: Experiment) -> Iterator[dict[str, Any]]:
    """Score every rival on one data set.

    The parameter ``limit`` is the largest number of objects for what is no k-means; the algorithms
    and encodings are those that the experiment lists.

    Yields
    ------
    dict
        As the cells of the grid: ``measure`` is the id of the rival, ``algorithm`` too (of an
        encoding: ``kmeans``).
    """
    made = prepared(experiment)
    for name, entry in {**experiment.measures, **experiment.algorithms}.items():
        algorithm = ENCODED if name in experiment.measures else name
        yield {
            "measure": name,
            "label": entry["label"],
            **experiment.once(name, lambda n=name, a=algorithm: _cell(experiment, made, n, a)),
        }


def _cell(experiment: Experiment, made: Prepared, name: str, algorithm: str) -> dict[str, Any]:
    if algorithm == ENCODED:
        return scored_cell(algorithm, lambda: _encoded(experiment, made, name))
    if name in PAIRS and len(made.labels) > experiment.parameters["limit"]:
        return scored_cell(algorithm, rule="too large")
    if name in MIXED:
        table = mixed_table(experiment, made)
        if table is None:
            return scored_cell(algorithm, rule="not mixed")
        return scored_cell(algorithm, lambda: _mixed(experiment, made, table, name))
    return scored_cell(algorithm, lambda: _hierarchical(experiment, made, name))


def _seeds(experiment: Experiment, name: str) -> list[int]:
    return [
        int(shared(experiment, name, trial=trial).integers(2**31))
        for trial in range(experiment.trials)
    ]


def _encoded(
    experiment: Experiment, made: Prepared, name: str
) -> Iterator[tuple[np.ndarray, np.ndarray]]:
    """Classes and clusters of k-means on the vectors of an encoding."""
    from couplings.cluster.kmeans import kmeans_runs

    vectors = experiment.measure(name).fit(made.table).transform(made.table)
    for trial in range(experiment.trials):
        state = shared(experiment, "kmeans", trial=trial)
        runs = kmeans_runs(vectors, made.n_classes, [state], init="greedy")
        yield made.labels, runs.labels[0]


def _mixed(
    experiment: Experiment, made: Prepared, table: Any, name: str
) -> Iterator[tuple[np.ndarray, np.ndarray]]:
    """Classes and clusters of an algorithm on categories and numbers, one per start."""
    size = "n_components" if name == "mixture" else "n_clusters"
    for seed in _seeds(experiment, name):
        algorithm = experiment.algorithm(name, **{size: made.n_classes, "random_state": seed})
        yield made.labels, algorithm.fit_predict(table)


def _hierarchical(
    experiment: Experiment, made: Prepared, name: str
) -> Iterator[tuple[np.ndarray, np.ndarray]]:
    """Classes and clusters of an algorithm on the table, one per row order."""
    for trial in range(experiment.parameters["orders"]):
        order = shared(experiment, "order", trial=trial).permutation(len(made.labels))
        part = made.ordered(order)
        algorithm = experiment.algorithm(name, n_clusters=made.n_classes)
        yield part.labels, algorithm.fit_predict(part.table)
