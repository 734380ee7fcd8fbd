"""Cluster by the papers' rivals that are no measures of the grid; a job per data set.

They cluster the table itself (LIMBO), a table of categories and numbers (k-prototypes, k-means of
Ahmad and Dey, the mixture, SpectralCAT), or the principal components of the 0-1 encoding.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from functools import partial
from typing import Any, Unpack

from replication.papers.study.cells import (
    LeftOutError,
    cell,
    clustered,
    fits,
    in_order,
    mixed_table,
    once,
    seeds,
)
from replication.papers.study.data import Prepared, Protocol, prepared
from replication.run.experiment import Experiment
from replication.run.runner import Clusterings

MIXED = ("k_prototypes", "madd", "mixture", "spectralcat")
"""Algorithms for tables of categories and numbers."""
PAIRS = ("limbo", "spectralcat")
"""Algorithms that need all pairs of objects, or of their summaries."""


def rivals(experiment: Experiment, **protocol: Unpack[Protocol]) -> Iterator[dict[str, Any]]:
    """Score every rival on one data set.

    The rivals are the encoding and the algorithms that the experiment lists. The parameter
    ``limit`` is the largest number of objects for the algorithms of `PAIRS`.

    Records: as the cells of the grid; ``measure`` and ``algorithm`` are both the id of the rival,
    but the ``algorithm`` of the encoding is ``kmeans``.
    """
    made = prepared(experiment)
    for name, entry in experiment.measures.items():
        make = partial(clustered, experiment, made, fits(experiment, made), "kmeans")
        found = cell(experiment, made, "kmeans", make, measure=name)
        yield {"measure": name, "label": entry["label"], **found}
    for name, entry in experiment.algorithms.items():
        make = partial(_clustered, experiment, made, name)
        found = cell(experiment, made, name, make, measure="")
        yield {"measure": name, "label": entry["label"], **found}


def _clustered(experiment: Experiment, made: Prepared, name: str, replicate: int) -> Clusterings:
    """Cluster categories and numbers from all starts, or the table in the order of a replicate."""
    if name in PAIRS and made.n_objects > experiment.parameters["limit"]:
        raise LeftOutError("too large")
    algorithm = experiment.algorithm(name, n_clusters=made.n_classes)
    if name not in MIXED:
        return in_order(
            experiment, made, replicate, partial(once, similarity=None, algorithm=algorithm)
        )
    mixed = replace(made, table=mixed_table(experiment, made))
    numbers = [int(rng.integers(2**31)) for rng in seeds(experiment, name, replicate)]
    return once(mixed, None, algorithm, numbers)
