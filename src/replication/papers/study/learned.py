"""Methods that learn a distance, or a model, together with the clusters: one job per data set."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any, Unpack

from replication.papers.study.cells import cell
from replication.papers.study.data import Prepared, Protocol, prepared
from replication.papers.study.spaces import left_out
from replication.papers.study.starts import starts
from replication.run.runner import Clusterings, cluster
from replication.run.scores import score
from replication.steps import OK

if TYPE_CHECKING:
    from replication.run.experiment import Experiment

FURTHER = 5
"""How many classes more than the data have are tried for BIC."""


def learned(experiment: Experiment, **protocol: Unpack[Protocol]) -> Iterator[dict[str, Any]]:
    """Score every method that the experiment lists on one data set.

    Yields
    ------
    dict
        As the cells of the grid: ``measure`` and ``algorithm`` are both the id of the method. Of
        latent class analysis one record more, of kind ``classes``: how many classes BIC prefers,
        see `preferred`.
    """
    made = prepared(experiment)
    for name, entry in experiment.algorithms.items():
        record = cell(experiment, made, name, lambda n=name: _clustered(experiment, made, n))
        own = {"measure": name, "label": entry["label"]}
        yield {**own, "kind": "cell", **record}
        if entry["class"].endswith(":LatentClasses"):
            found = experiment.once("classes", lambda n=name: preferred(experiment, made, n))
            yield {**own, "kind": "classes", "algorithm": name, **found}


def preferred(experiment: Experiment, made: Prepared, name: str) -> dict[str, Any]:
    """Number of classes that BIC prefers, nobody having told it.

    Every number from 1 to `FURTHER` more than there are classes has all the starts. A note beside
    the cells, in which every method is told the number.

    Returns
    -------
    dict
        ``classes`` of the data, ``preferred``, ``most`` that was tried, and the ``ari`` of the
        preferred clustering. Or the rule that leaves it out: above ``limit`` objects.
    """
    from couplings.learned.latent_class import classes_by_bic

    n = made.table.n_objects
    if n > experiment.parameters["limit"]:
        return left_out("too large", f"{n} objects")
    most = min(made.n_classes + FURTHER, n)
    parameters = experiment.algorithm(name).get_params()
    del parameters["n_clusters"], parameters["random_state"]
    parameters["n_init"] = starts(experiment)
    best, _ = classes_by_bic(made.table, most, experiment.shared("classes"), **parameters)
    return {
        "outcome": OK,
        "classes": made.n_classes,
        "preferred": best.n_clusters,
        "most": most,
        **score(made.labels, best.labels_, ["ari"]),
    }


def _clustered(experiment: Experiment, made: Prepared, name: str) -> Clusterings:
    """Clusterings of every start; all methods draw from the same seeds."""
    seeds = [experiment.shared("learned", trial=trial) for trial in range(starts(experiment))]
    algorithm = experiment.algorithm(name, n_clusters=made.n_classes)
    return cluster(made.objects, None, algorithm, seeds)
