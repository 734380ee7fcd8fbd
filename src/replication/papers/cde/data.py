"""Data sets as CDE's experiments use them, and repeated k-means on vectors of their objects."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence
from dataclasses import replace
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from replication.run.runner import Clusterings, Objects, Vectors, cluster

if TYPE_CHECKING:
    from couplings.table import CategoricalTable
    from replication.run.experiment import Experiment

PREPARATION = "values"
SCORES = {"fscore": "macro_f1", "nmi": "nmi_arithmetic"}
"""``fscore``: mean over the classes of F1 against the cluster that the best one-to-one matching
assigns. ``nmi``: normalised by the mean entropy, as eq. (1) of the paper."""
FAILED = dict.fromkeys(SCORES, 0.0)
"""Scores of a run whose embedding has no dimension: there is nothing to cluster."""


class Data(Objects):
    """One data set, equal objects collapsed: all n objects, their classes 0 to c - 1."""

    @cached_property
    def collapsed(self) -> tuple[CategoricalTable, np.ndarray, np.ndarray]:
        """Distinct objects, how often each occurs, and which one each object is."""
        return self.table.distinct()

    @property
    def distinct(self) -> CategoricalTable:
        """The distinct objects."""
        return self.collapsed[0]

    @property
    def weights(self) -> np.ndarray:
        """How often each distinct object occurs, int64."""
        return self.collapsed[1]

    def vectors(self, rows: np.ndarray) -> Vectors:
        """Vectors of the distinct objects as vectors of all, float64 of shape (g, d)."""
        return Vectors(rows, self.weights, self.collapsed[2])


def load(experiment: Experiment) -> Data:
    """Read a data set; numbers and constant attributes are left out by its preparation."""
    return Data(**vars(experiment.objects(PREPARATION)))


def seeds(experiment: Experiment, runs: int, *names: str) -> list[np.random.Generator]:
    """Random numbers of several starts of one embedding."""
    return [experiment.rng("start", *names, trial=start) for start in range(runs)]


def means(
    data: Data,
    vectors: Any,
    algorithm: Any,
    starts: Sequence[np.random.Generator],
    **facts: Any,
) -> Clusterings:
    """Cluster embedded objects from several starts.

    Parameters
    ----------
    data : Data
        The objects.
    vectors : Vectors or SpectralEmbedding
        One row per distinct object; without columns every run fails.
    algorithm : KMeans
        Not fitted.
    starts : sequence of Generator
        One per start.
    **facts
        What is known of the embedding.

    Returns
    -------
    Clusterings
        With the facts, and how many runs have ``failed``.
    """
    if vectors.rows.shape[1] == 0:
        return failed(data, len(starts), **facts)
    made = cluster(data, vectors, algorithm, starts)
    return replace(made, facts={**facts, "failed": 0})


def failed(data: Data, runs: int, **facts: Any) -> Clusterings:
    """No clusterings, and how many there should be.

    The paper's stopping rule may remove every cluster of values; such a run scores 0.
    """
    return Clusterings.none(data, **facts, failed=runs)


def clustered(
    experiment: Experiment,
    data: Data,
    make: Callable[[], Clusterings],
    alike: Hashable = None,
    **key: str,
) -> tuple[list[dict[str, Any]], dict[str, Any]]:
    """Records of several starts of one embedding, and what is known of the embedding.

    Parameters
    ----------
    make : callable
        Returns what `means` does.
    alike, **key
        As `replication.run.runner.Runner.clusterings` takes it.

    Returns
    -------
    records : list of dict
        ``start`` and the scores.
    facts : dict
        Of the embedding.
    """
    made = experiment.runner.clusterings(data, make, alike, **key)
    facts = dict(made.facts)
    scores = [*made.scores(SCORES), *([FAILED] * facts.pop("failed"))]
    return [{"start": start, **row} for start, row in enumerate(scores)], facts
