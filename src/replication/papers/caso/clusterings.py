"""k-modes and spectral clustering of CASO (Table XI) with four dissimilarities."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any

from replication.errors import UserError
from replication.papers.caso.examples import PREPARATION
from replication.run.runner import Objects, cluster

if TYPE_CHECKING:
    from replication.run.experiment import Experiment


KMODES = {"frequency": "kmodes_frequency", "minimiser": "kmodes_minimiser"}
SPECTRAL = {
    ("one-minus", "njw"): "sc_one_minus",
    ("exp-mean", "njw"): "sc_exp_mean",
    ("gauss-mean", "njw"): "sc_gauss_mean",
    ("one-minus", "rw"): "sc_one_minus_rw",
    ("gauss-mean", "rw"): "sc_gauss_mean_rw",
}


def main_algorithms(choice: Callable[[str], str]) -> dict[str, str]:
    """Algorithms under the paper's names.

    Parameters
    ----------
    choice : callable
        Answers a question of the catalogue of readings.

    Raises
    ------
    UserError
        If no clusterings are made for the answers.
    """
    spectral = (choice("caso.affinity"), choice("caso.laplacian"))
    if spectral not in SPECTRAL:
        raise UserError(
            f"config/readings.yaml: caso.affinity {spectral[0]!r} with caso.laplacian "
            f"{spectral[1]!r} is not computed; add the algorithm to `experiments.partitions`"
        )
    return {"KM": KMODES[choice("caso.mode")], "SC": SPECTRAL[spectral]}


def partitions(experiment: Experiment, *, nmi: str) -> Iterator[dict[str, Any]]:
    """Clusterings of one data set into as many clusters as classes, from many starts.

    The starts of a trial are the same for all dissimilarities, so that they can be compared in
    pairs.

    Yields
    ------
    dict
        ``algorithm``, ``measure``, ``trial``, ``ac`` (best one-to-one matching of clusters and
        classes), ``nmi`` (normalised as `nmi` says), ``nmi_sqrt``.
    """
    from couplings.cluster.kmodes import KModes

    wanted = {"ac": "accuracy", "nmi": f"nmi_{nmi}"}
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
