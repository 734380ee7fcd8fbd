"""The papers' own rivals that are no measure of the grid: one job per data set.

They cluster the table itself (LIMBO), a table of categories and numbers (k-prototypes, k-means of
Ahmad and Dey, the mixture, SpectralCAT), or the principal components of the 0-1 encoding.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from functools import partial
from typing import Any, Unpack

from replication.papers.study.cells import cell, over_orders, seeds
from replication.papers.study.data import Prepared, Protocol, prepared
from replication.papers.study.spaces import LeftOutError, mixed_table
from replication.run.experiment import Experiment
from replication.run.runner import Clusterings, Vectors, cluster

MIXED = ("k_prototypes", "madd", "mixture", "spectralcat")
"""Algorithms that take categories and numbers."""
PAIRS = ("limbo", "spectralcat")
"""Algorithms that look at all pairs of objects, or of their summaries."""


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
        make = _encoded if encoded else _mixed if name in MIXED else _hierarchical
        record = cell(
            experiment,
            made,
            "kmeans" if encoded else name,
            partial(make, experiment, made, name),
            measure=name if encoded else "",
        )
        yield {"measure": name, "label": entry["label"], **record}


def _encoded(experiment: Experiment, made: Prepared, name: str) -> Clusterings:
    """k-means on the vectors of an encoding."""
    from couplings.cluster.kmeans import KMeans

    vectors = experiment.measure(name).fit(made.table).transform(made.table)
    algorithm = KMeans(made.n_classes, "greedy")
    return cluster(made.objects, Vectors(vectors), algorithm, seeds(experiment, "kmeans"))


def _mixed(experiment: Experiment, made: Prepared, name: str) -> Clusterings:
    """An algorithm on categories and numbers, once per start."""
    _require_few(experiment, made, name)
    table = mixed_table(experiment, made)
    size = "n_components" if name == "mixture" else "n_clusters"
    algorithm = experiment.algorithm(name, **{size: made.n_classes})
    numbers = [int(rng.integers(2**31)) for rng in seeds(experiment, name)]
    return cluster(replace(made.objects, table=table), None, algorithm, numbers)


def _hierarchical(experiment: Experiment, made: Prepared, name: str) -> Clusterings:
    """An algorithm on the table, once per row order."""
    _require_few(experiment, made, name)
    algorithm = experiment.algorithm(name, n_clusters=made.n_classes)
    orders = [
        experiment.shared("order", trial=trial).permutation(len(made.labels))
        for trial in range(experiment.parameters["orders"])
    ]
    return over_orders(made.objects, orders, lambda _, objects: cluster(objects, None, algorithm))


def _require_few(experiment: Experiment, made: Prepared, name: str) -> None:
    if name in PAIRS and len(made.labels) > experiment.parameters["limit"]:
        raise LeftOutError("too large")
