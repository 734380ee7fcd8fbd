"""The papers' own rivals that are no measure of the grid: one job per data set.

They cluster the table itself (LIMBO), a table of categories and numbers (k-prototypes, k-means of
Ahmad and Dey, the mixture, SpectralCAT), or the principal components of the 0-1 encoding.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import TYPE_CHECKING, Any, Unpack

from replication.papers.study.cells import cell, over_orders
from replication.papers.study.data import Prepared, Protocol, mixed_table, prepared
from replication.papers.study.spaces import LeftOutError
from replication.papers.study.starts import starts
from replication.run.runner import Clusterings, Vectors, cluster

if TYPE_CHECKING:
    from replication.run.experiment import Experiment

MIXED = ("k_prototypes", "madd", "mixture", "spectralcat")
"""Algorithms that take categories and numbers."""
PAIRS = ("limbo", "spectralcat")
"""Algorithms that look at all pairs of objects, or of their summaries."""
ENCODED = "kmeans"
"""Algorithm that takes the vectors of an encoding."""


def rivals(experiment: Experiment, **protocol: Unpack[Protocol]) -> Iterator[dict[str, Any]]:
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
        encoded = name in experiment.measures
        record = cell(
            experiment,
            made,
            ENCODED if encoded else name,
            lambda n=name, e=encoded: _clustered(experiment, made, n, e),
            measure=name if encoded else "",
        )
        yield {"measure": name, "label": entry["label"], "kind": "cell", **record}


def _clustered(experiment: Experiment, made: Prepared, name: str, encoded: bool) -> Clusterings:
    if encoded:
        return _encoded(experiment, made, name)
    if name in PAIRS and len(made.labels) > experiment.parameters["limit"]:
        raise LeftOutError("too large")
    if name in MIXED:
        return _mixed(experiment, made, name)
    return _hierarchical(experiment, made, name)


def _encoded(experiment: Experiment, made: Prepared, name: str) -> Clusterings:
    """k-means on the vectors of an encoding."""
    from couplings.cluster.kmeans import KMeans

    vectors = experiment.measure(name).fit(made.table).transform(made.table)
    seeds = [experiment.shared("kmeans", trial=trial) for trial in range(starts(experiment))]
    return cluster(made.objects, Vectors(vectors), KMeans(made.n_classes, "greedy"), seeds)


def _mixed(experiment: Experiment, made: Prepared, name: str) -> Clusterings:
    """An algorithm on categories and numbers, once per start."""
    table = mixed_table(experiment, made)
    if table is None:
        raise LeftOutError("not mixed")
    size = "n_components" if name == "mixture" else "n_clusters"
    seeds = [
        int(experiment.shared(name, trial=trial).integers(2**31))
        for trial in range(starts(experiment))
    ]
    algorithm = experiment.algorithm(name, **{size: made.n_classes})
    return cluster(replace(made.objects, table=table), None, algorithm, seeds)


def _hierarchical(experiment: Experiment, made: Prepared, name: str) -> Clusterings:
    """An algorithm on the table, once per row order."""
    algorithm = experiment.algorithm(name, n_clusters=made.n_classes)
    orders = [
        experiment.shared("order", trial=trial).permutation(len(made.labels))
        for trial in range(experiment.parameters["orders"])
    ]
    return over_orders(made.objects, orders, lambda _, objects: cluster(objects, None, algorithm))
