"""Clusterings of CASO: k-modes and spectral clustering (Table XI), ROCK and CROCK (Table XII)."""

from collections.abc import Callable, Iterator, Sequence
from functools import partial
from typing import Any

from couplings.cluster.kmodes import KModes
from couplings.cluster.neighbours import NeighbourGraph
from couplings.cluster.rock import Rock
from couplings.table import CategoricalTable
from replication.errors import UserError
from replication.papers.caso.examples import PREPARATION
from replication.run.experiment import Experiment
from replication.run.runner import Clusterings, cluster, per_attribute
from replication.run.scores import MATCHED

KMODES = {"frequency": "kmodes_frequency", "minimiser": "kmodes_minimiser"}
SPECTRAL = {
    ("one-minus", "njw"): "sc_one_minus",
    ("exp-mean", "njw"): "sc_exp_mean",
    ("gauss-mean", "njw"): "sc_gauss_mean",
    ("one-minus", "rw"): "sc_one_minus_rw",
    ("gauss-mean", "rw"): "sc_gauss_mean_rw",
}


def main_algorithms(choice: Callable[[str], str]) -> dict[str, str]:
    """Return the algorithms KM and SC; `choice` answers a question of ``config/readings.yaml``.

    Raises
    ------
    UserError
        If no algorithm is configured for the answers.
    """
    spectral = (choice("caso.affinity"), choice("caso.laplacian"))
    if spectral not in SPECTRAL:
        raise UserError(
            f"config/readings.yaml: caso.affinity {spectral[0]!r} with caso.laplacian "
            f"{spectral[1]!r} is not computed; add the algorithm to `experiments.partitions`"
        )
    return {"KM": KMODES[choice("caso.mode")], "SC": SPECTRAL[spectral]}


def partitions(experiment: Experiment, *, nmi: str) -> Iterator[dict[str, Any]]:
    """Cluster one data set into as many clusters as it has classes, from many starts.

    A trial has the same start for all dissimilarities, which makes paired comparisons possible.

    Records: ``algorithm``, ``measure``, ``trial``, ``ac`` (accuracy by the best one-to-one matching
    of clusters and classes), ``nmi`` (with the normalisation `nmi`).
    """
    wanted = {"ac": "accuracy", "nmi": f"nmi_{nmi}"}
    objects = experiment.objects(PREPARATION)

    def made(name: str, measure: str) -> Clusterings:
        algorithm = experiment.algorithm(name, n_clusters=objects.n_classes)
        starts = "modes" if isinstance(algorithm, KModes) else "means"
        seeds = [experiment.rng(starts, trial=trial) for trial in range(experiment.trials)]
        return cluster(objects, experiment.similarity(measure, PREPARATION), algorithm, seeds)

    for name in experiment.algorithms:
        for measure in experiment.similarities:
            found = experiment.runner.clusterings(
                objects, partial(made, name, measure), algorithm=name, measure=measure
            )
            for trial, scores in enumerate(found.scores(wanted)):
                yield {"algorithm": name, "measure": measure, "trial": trial, **scores}


METHODS = {"rock": None, "crock": "caso"}
"""Measure of the similarity, by method; None for Jaccard's similarity, which is part of ROCK."""
SCORES = MATCHED
"""Precision, recall and specificity, weighted by class size."""


def rock(
    experiment: Experiment,
    *,
    first: float,
    last: float,
    step: float,
    fixed: float,
    most_orders: int | None = None,
) -> Iterator[dict[str, Any]]:
    """Cluster with ROCK and CROCK over a grid of thresholds and over row orders.

    Both methods are deterministic for a given row order, so the repetitions are row orders, at most
    `most_orders`; the first one is that of the file. The printed threshold `fixed` is added to the
    grid from `first` to `last`.

    Records: ``method``, ``theta``, ``order``, `SCORES`, ``clusters`` (left when no clusters have
    links), ``neighbours`` (mean per object).
    """
    objects = experiment.objects(PREPARATION)
    k = objects.n_classes
    grid = {round(first + i * step, 6) for i in range(round((last - first) / step) + 1)}
    thetas = sorted(grid | {fixed})
    orders = range(1, min(experiment.trials, most_orders or experiment.trials))
    rngs = (experiment.rng("order", trial=order) for order in orders)
    parts = [objects, *(objects.ordered(rng.permutation(objects.n_objects)) for rng in rngs)]
    for method, measure in METHODS.items():
        graphs = _graphs(experiment, objects.table, measure, thetas)
        for theta, graph in zip(thetas, graphs, strict=True):
            # links are counted once, in file order, and permuted for the other orders
            graph.keep_links()
            algorithm = experiment.algorithm("rock_assign", n_clusters=k, theta=theta)
            for order, part in enumerate(parts):
                near = graph if not order or part.rows is None else graph.take(part.rows)
                made = experiment.runner.clusterings(
                    part,
                    partial(cluster, part, near, algorithm, observe=_seen),
                    algorithm=method,
                    setting=f"theta={theta:g}",
                    order=order,
                )
                (scores,) = made.scores(SCORES)
                yield {"method": method, "theta": theta, "order": order, **scores, **made.facts}


def _seen(fitted: Rock) -> dict[str, Any]:
    return {"clusters": fitted.n_remaining_, "neighbours": float(fitted.n_neighbours_.mean())}


def _graphs(
    experiment: Experiment, table: CategoricalTable, measure: str | None, thetas: Sequence[float]
) -> Iterator[NeighbourGraph]:
    """Yield the neighbour graph of a similarity at each threshold, in file order."""
    if measure is None:
        yield from (NeighbourGraph.from_table(table, theta) for theta in thetas)
        return
    alike = per_attribute(table, experiment.similarity(measure, PREPARATION))
    graphs = NeighbourGraph.at_thresholds(alike, thetas)
    while graphs:
        # no reference stays here, so that a used graph frees its links
        yield graphs.pop(0)
