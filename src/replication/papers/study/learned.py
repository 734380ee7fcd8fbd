"""Methods that learn a distance, or a model, together with the clusters: one job per data set."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from typing import Any, Unpack

from replication.papers.study.cells import cell, once, seeds, starts
from replication.papers.study.data import Prepared, Protocol, prepared
from replication.papers.study.spaces import LeftOutError, require_few
from replication.run.experiment import Experiment
from replication.run.runner import Clusterings
from replication.run.scores import score
from replication.steps import OK

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
        algorithm = experiment.algorithm(name, n_clusters=made.n_classes)
        own = {"measure": name, "label": entry["label"]}
        make = partial(_starts, experiment, made, algorithm)
        yield {**own, **cell(experiment, made, name, make)}
        if entry["class"].endswith(":LatentClasses"):
            found = experiment.once("classes", partial(preferred, experiment, made, name))
            yield {**own, "kind": "classes", "algorithm": name, **found}


def _starts(experiment: Experiment, made: Prepared, algorithm: Any, replicate: int) -> Clusterings:
    """All starts of a replicate."""
    return once(made.objects, None, algorithm, seeds(experiment, "learned", replicate))


def preferred(experiment: Experiment, made: Prepared, name: str) -> dict[str, Any]:
    """Number of classes chosen by BIC when k is not given.

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
    try:
        require_few(experiment.parameters["limit"], n)
    except LeftOutError as error:
        return error.record
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
