"""k-modes and spectral clustering of CASO (Table XI) with four dissimilarities."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from replication.papers.caso.examples import PREPARATION

if TYPE_CHECKING:
    import numpy as np

    from couplings.table import CategoricalTable
    from replication.run.experiment import Experiment


def partitions(experiment: Experiment) -> Iterator[dict[str, Any]]:
    """Clusterings of one data set into as many clusters as classes, from many starts.

    The starts of a trial are the same for all dissimilarities, so that they can be compared in
    pairs.

    Yields
    ------
    dict
        ``algorithm``, ``measure``, ``trial``, ``ac`` (best one-to-one matching of clusters and
        classes), ``nmi`` (divided by the larger entropy), ``nmi_sqrt``.
    """
    from couplings.cluster.kmodes import KModes
    from couplings.metrics.external import accuracy, contingency, nmi

    tables = experiment.tables(PREPARATION)
    table, classes = tables.tables[0], tables.labels[0]
    k = len(tables.facts["classes"])
    for algorithm in experiment.algorithms:
        settings = experiment.algorithm(algorithm, n_clusters=k)
        cluster = _by_modes if isinstance(settings, KModes) else _by_spectrum
        for name in experiment.measures:

            def scores(
                settings: Any = settings, cluster: Any = cluster, name: str = name
            ) -> dict[str, list[float]]:
                labels = cluster(experiment, settings, table, name)
                found = [contingency(classes, one) for one in labels]
                return {
                    "ac": [accuracy(one) for one in found],
                    "nmi": [nmi(one, average="max") for one in found],
                    "nmi_sqrt": [nmi(one) for one in found],
                }

            lists = experiment.once(f"{algorithm} {name}", scores)
            for trial in range(experiment.trials):
                yield {
                    "algorithm": algorithm,
                    "measure": name,
                    "trial": trial,
                    **{score: values[trial] for score, values in lists.items()},
                }


def _by_modes(
    experiment: Experiment, settings: Any, table: CategoricalTable, measure: str
) -> np.ndarray:
    """Labels by k-modes, one row per trial."""
    import numpy as np

    from couplings.cluster.kmodes import kmodes, random_starts

    starts = np.concatenate(
        [
            random_starts(
                table.n_objects, settings.n_clusters, 1, experiment.rng("modes", trial=trial)
            )
            for trial in range(experiment.trials)
        ]
    )
    matrices = experiment.measure(measure).fit(table).value_matrices_
    return kmodes(table, matrices, starts, settings.update, settings.max_iter).labels


def _by_spectrum(
    experiment: Experiment, settings: Any, table: CategoricalTable, measure: str
) -> np.ndarray:
    """Labels by spectral clustering, one row per trial; the embedding is the same for all."""
    from couplings.cluster.kmeans import kmeans_runs
    from couplings.cluster.spectral import spectral_embedding

    embedding = spectral_embedding(
        table,
        experiment.measure(measure).fit(table),
        settings.affinity,
        settings.n_clusters,
        settings.variant,
    )
    runs = kmeans_runs(
        embedding.rows,
        settings.n_clusters,
        [experiment.rng("means", trial=trial) for trial in range(experiment.trials)],
        init=settings.kmeans_init,
        weights=embedding.weights,
    )
    return runs.labels[:, embedding.inverse]
