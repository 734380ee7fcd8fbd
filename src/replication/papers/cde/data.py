"""Data sets as CDE's experiments use them, repeated k-means on them, and the scores."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from couplings.metrics.external import macro_f1, nmi

if TYPE_CHECKING:
    from couplings.table import CategoricalTable
    from replication.run.experiment import Experiment


@dataclass(frozen=True)
class Data:
    """One data set without constant attributes, equal objects collapsed.

    Attributes
    ----------
    table : CategoricalTable
        All n objects.
    labels : ndarray of int64, shape (n,)
        Class of each object, 0 to c - 1.
    """

    table: CategoricalTable
    labels: np.ndarray

    @cached_property
    def n_classes(self) -> int:
        """Number of classes c, which is the number of clusters too."""
        return len(np.unique(self.labels))

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

    @cached_property
    def _classes(self) -> np.ndarray:
        """Number of copies of each distinct object in each class, int64 of shape (g, c)."""
        counts = np.zeros((len(self.weights), self.n_classes), dtype=np.int64)
        np.add.at(counts, (self.collapsed[2], self.labels), 1)
        return counts

    def scores(self, clusters: np.ndarray) -> dict[str, float]:
        """Scores of a clustering of the distinct objects.

        Parameters
        ----------
        clusters : ndarray of int64, shape (g,)
            Cluster of each distinct object.

        Returns
        -------
        dict
            ``fscore``: mean over the classes of F1 against the cluster that the best one-to-one
            matching assigns. ``nmi``: normalised by the mean entropy, as eq. (1) of the paper.
        """
        table = np.zeros((int(clusters.max()) + 1, self.n_classes), dtype=np.int64)
        np.add.at(table, clusters, self._classes)
        table = table[table.any(axis=1)]
        return {"fscore": macro_f1(table), "nmi": nmi(table, average="arithmetic")}


FAILED = {"fscore": 0.0, "nmi": 0.0}
"""Scores of a run whose embedding has no dimension: there is nothing to cluster."""


def load(experiment: Experiment, preparation: str = "values") -> Data:
    """Read a data set, drop the attributes of parameter ``without``, then the constant ones."""
    tables = experiment.tables(preparation)
    (table,), (labels,) = tables.tables, tables.labels
    unwanted = experiment.parameters.get("without", [])
    table = table.select([name for name in table.attributes if name not in unwanted]).observed()
    varying = [name for name, v in zip(table.attributes, table.n_values, strict=True) if int(v) > 1]
    return Data(table.select(varying), labels)


def kmeans_scores(
    experiment: Experiment, data: Data, rows: np.ndarray, algorithm: str, runs: int, *names: str
) -> Iterator[dict[str, Any]]:
    """Cluster embedded distinct objects from several starts.

    Parameters
    ----------
    experiment : Experiment
        Owner of the algorithm and of the random numbers.
    data : Data
        The objects.
    rows : ndarray of float64, shape (g, d)
        One row per distinct object; without columns every run fails and scores 0, which is how
        the paper's stopping rule has to be scored when it removes every cluster.
    algorithm : str
        k-means, by its id in ``config/algorithms.yaml``.
    runs : int
        Number of starts.
    *names : str
        Names of the random numbers.

    Yields
    ------
    dict
        ``start`` and the scores.
    """
    for start in range(runs):
        if rows.shape[1] == 0:
            yield {"start": start, **FAILED}
            continue
        means = experiment.algorithm(
            algorithm,
            n_clusters=data.n_classes,
            random_state=experiment.rng("start", *names, trial=start),
        )
        clusters = means.fit_predict(rows, sample_weight=data.weights)
        yield {"start": start, **data.scores(clusters)}
