"""Repeated k-means on vectors of the objects of one data set, as CDE's experiments run it."""

from collections.abc import Callable, Hashable, Sequence
from dataclasses import replace
from functools import cached_property
from typing import Any

import numpy as np

from couplings.table import CategoricalTable
from replication.run.experiment import Experiment
from replication.run.runner import Clusterings, Vectors, cluster

PREPARATION = "values"
"""Numbers and constant attributes are left out."""
SCORES = {"fscore": "macro_f1", "nmi": "nmi_arithmetic"}
"""``fscore``: mean over the classes of F1 against the cluster that the best one-to-one matching
assigns. ``nmi``: normalised by the mean entropy, as eq. (1) of the paper."""
FAILED = dict.fromkeys(SCORES, 0.0)
"""Scores of a run whose embedding has no dimension: there is nothing to cluster."""


class Bench:
    """The objects of an experiment, equal ones collapsed, and their repeated clusterings."""

    def __init__(self, experiment: Experiment) -> None:
        self.experiment = experiment
        self.objects = experiment.objects(PREPARATION)
        self.table: CategoricalTable = self.objects.table

    @cached_property
    def collapsed(self) -> tuple[CategoricalTable, np.ndarray, np.ndarray]:
        """Distinct objects, how often each occurs, and which one each object is."""
        return self.table.distinct()

    @property
    def distinct(self) -> CategoricalTable:
        """The distinct objects."""
        return self.collapsed[0]

    def vectors(self, rows: np.ndarray) -> Vectors:
        """Vectors of the distinct objects as vectors of all, float64 of shape (g, d)."""
        return Vectors(rows, *self.collapsed[1:])

    def starts(self, runs: int, *names: str) -> list[np.random.Generator]:
        """Random numbers of several starts of one embedding, which has these names."""
        return [self.experiment.rng("start", *names, trial=start) for start in range(runs)]

    def means(
        self, vectors: Any, algorithm: Any, starts: Sequence[np.random.Generator], **facts: Any
    ) -> Clusterings:
        """Cluster embedded objects, one row per distinct one, from several starts.

        Without columns every run fails. To the facts of the embedding is added how many runs have
        ``failed``.
        """
        if vectors.rows.shape[1] == 0:
            return self.failed(len(starts), **facts)
        made = cluster(self.objects, vectors, algorithm, starts)
        return replace(made, facts={**facts, "failed": 0})

    def failed(self, runs: int, **facts: Any) -> Clusterings:
        """No clusterings, and how many there should be.

        The paper's stopping rule may remove every cluster of values; such a run scores 0.
        """
        return Clusterings.none(self.objects, **facts, failed=runs)

    def clustered(
        self, make: Callable[[], Clusterings], alike: Hashable = None, **key: str
    ) -> tuple[list[dict[str, Any]], dict[str, Any]]:
        """Records of the starts of one embedding (``start``, scores), and facts of the embedding.

        `make` returns what `means` does; `alike` and the key are as
        `replication.run.runner.Runner.clusterings` takes them.
        """
        made = self.experiment.runner.clusterings(self.objects, make, alike, **key)
        facts = dict(made.facts)
        scores = [*made.scores(SCORES), *([FAILED] * facts.pop("failed"))]
        return [{"start": start, **row} for start, row in enumerate(scores)], facts
