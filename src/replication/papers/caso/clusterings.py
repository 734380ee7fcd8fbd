"""k-modes and spectral clustering of CASO (Table XI) with four dissimilarities."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from replication.papers.caso.examples import PREPARATION
from replication.run.runner import Objects, cluster

if TYPE_CHECKING:
    from replication.run.experiment import Experiment


def partitions(experiment: Experiment) -> Iterator[dict[str, Any]]:
    """Clusterings of one data set into as many clusters as classes, from many starts.

    The starts of a trial are the same for all dissimilarities, so that they can be compared in
    pairs.

    Yields
    ------
    dict
        ``algorithm``, ``measure``, ``trial``, ``ac`` (best one-to-one matching of clusters and
        classes), ``nmi`` (normalised as the parameter ``nmi`` says), ``nmi_sqrt``.
    """
    from couplings.cluster.kmodes import KModes

    wanted = {"ac": "accuracy", "nmi": f"nmi_{experiment.parameters['nmi']}"}
    wanted |= {"nmi_sqrt": "nmi_sqrt"}
    tables = experiment.tables(PREPARATION)
    objects = Objects(tables.tables[0], tables.labels[0])
    for name in experiment.algorithms:
        algorithm = experiment.algorithm(name, n_clusters=len(tables.facts["classes"]))
        starts = "modes" if isinstance(algorithm, KModes) else "means"
        for measure in experiment.similarities:
            made = experiment.runner.clusterings(
                objects,
                lambda algorithm=algorithm, starts=starts, measure=measure: cluster(
                    objects,
                    experiment.similarity(measure, PREPARATION),
                    algorithm,
                    [experiment.rng(starts, trial=trial) for trial in range(experiment.trials)],
                ),
                algorithm=name,
                measure=measure,
            )
            for trial, scores in enumerate(made.scores(wanted)):
                yield {"algorithm": name, "measure": measure, "trial": trial, **scores}
