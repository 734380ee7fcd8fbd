"""The papers' own rivals that are no measure of the grid: one job per data set.

They cluster the table itself (LIMBO), a table of categories and numbers (k-prototypes, k-means of
Ahmad and Dey, the mixture, SpectralCAT), or the principal components of the 0-1 encoding.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from functools import cache, partial
from typing import Any, Unpack

from replication.papers.study.cells import Make, cell, in_order, once, seeds
from replication.papers.study.data import Prepared, Protocol, prepared
from replication.papers.study.spaces import LeftOutError, mixed_table
from replication.run.experiment import Experiment
from replication.run.runner import Clusterings, Vectors

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
            make(experiment, made, name),
            measure=name if encoded else "",
        )
        yield {"measure": name, "label": entry["label"], **record}


def _encoded(experiment: Experiment, made: Prepared, name: str) -> Make:
    """k-means on the vectors of an encoding."""
    from couplings.cluster.kmeans import KMeans

    vectors = Vectors(experiment.measure(name).fit(made.table).transform(made.table))
    algorithm = KMeans(made.n_classes, "greedy")
    return lambda replicate: once(
        made.objects, vectors, algorithm, seeds(experiment, "kmeans", replicate)
    )


def _mixed(experiment: Experiment, made: Prepared, name: str) -> Make:
    """An algorithm on categories and numbers."""
    size = "n_components" if name == "mixture" else "n_clusters"
    algorithm = experiment.algorithm(name, **{size: made.n_classes})
    table = cache(partial(mixed_table, experiment, made))

    def make(replicate: int) -> Clusterings:
        _require_few(experiment, made, name)
        numbers = [int(rng.integers(2**31)) for rng in seeds(experiment, name, replicate)]
        return once(replace(made.objects, table=table()), None, algorithm, numbers)

    return make


def _hierarchical(experiment: Experiment, made: Prepared, name: str) -> Make:
    """An algorithm on the table, in a row order per replicate."""
    algorithm = experiment.algorithm(name, n_clusters=made.n_classes)

    def make(replicate: int) -> Clusterings:
        _require_few(experiment, made, name)
        run = partial(once, similarity=None, algorithm=algorithm)
        return in_order(experiment, made.objects, replicate, run)

    return make


def _require_few(experiment: Experiment, made: Prepared, name: str) -> None:
    if name in PAIRS and len(made.labels) > experiment.parameters["limit"]:
        raise LeftOutError("too large")
