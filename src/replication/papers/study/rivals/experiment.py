"""Cluster by the papers' rivals that are no measures of the grid; a job per data set.

They cluster the table itself (LIMBO), a table of categories and numbers (k-prototypes, k-means of
Ahmad and Dey, the mixture, SpectralCAT), or the principal components of the 0-1 encoding.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from functools import cache, partial
from typing import Any, Unpack

from couplings.cluster.kmeans import KMeans
from replication.papers.study.cells import Make, cell, in_order, once, seeds
from replication.papers.study.data import Prepared, Protocol, prepared
from replication.papers.study.spaces import LeftOutError, mixed_table
from replication.run.experiment import Experiment
from replication.run.runner import Clusterings, Vectors

MIXED = ("k_prototypes", "madd", "mixture", "spectralcat")
"""Algorithms for tables of categories and numbers."""
PAIRS = ("limbo", "spectralcat")
"""Algorithms that need all pairs of objects, or of their summaries."""


def rivals(experiment: Experiment, **protocol: Unpack[Protocol]) -> Iterator[dict[str, Any]]:
    """Score every rival on one data set.

    The rivals are the encodings and algorithms that the experiment lists. The parameter ``limit``
    is the largest number of objects for the algorithms of `PAIRS`.

    Yields
    ------
    dict
        As the cells of the grid: ``measure`` and ``algorithm`` are both the id of the rival; the
        ``algorithm`` of an encoding is ``kmeans``.
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
    """Return the function that clusters the vectors of an encoding by k-means."""
    vectors = Vectors(experiment.measure(name).fit(made.table).transform(made.table))
    algorithm = KMeans(made.n_classes, "greedy")
    return lambda replicate: once(
        made.objects, vectors, algorithm, seeds(experiment, "kmeans", replicate)
    )


def _mixed(experiment: Experiment, made: Prepared, name: str) -> Make:
    """Return the function that clusters categories and numbers by an algorithm."""
    size = "n_components" if name == "mixture" else "n_clusters"
    algorithm = experiment.algorithm(name, **{size: made.n_classes})
    table = cache(partial(mixed_table, experiment, made))

    def make(replicate: int) -> Clusterings:
        _require_few(experiment, made, name)
        numbers = [int(rng.integers(2**31)) for rng in seeds(experiment, name, replicate)]
        return once(replace(made.objects, table=table()), None, algorithm, numbers)

    return make


def _hierarchical(experiment: Experiment, made: Prepared, name: str) -> Make:
    """Return the function that clusters the table by an algorithm, in a row order per replicate."""
    algorithm = experiment.algorithm(name, n_clusters=made.n_classes)

    def make(replicate: int) -> Clusterings:
        _require_few(experiment, made, name)
        run = partial(once, similarity=None, algorithm=algorithm)
        return in_order(experiment, made.objects, replicate, run)

    return make


def _require_few(experiment: Experiment, made: Prepared, name: str) -> None:
    if name in PAIRS and len(made.labels) > experiment.parameters["limit"]:
        raise LeftOutError("too large")
