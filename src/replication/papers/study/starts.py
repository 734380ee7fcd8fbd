"""Equal chances: as many starts for every method, and the one that counts is its own choice.

A method that begins at random runs from as many starts as every other one, the parameter
``restarts`` of the protocol, and the run that counts is the one of the least objective of the
method itself: the sum of dissimilarities to modes, of squares to centres, the log-likelihood
turned round, the criterion that is learnt by. Labels take no part in it. A measure whose learning
is random itself is learnt ``fits`` times, as objectives of different embeddings cannot be compared,
and the mean over the fits counts; hierarchical clusterings have no start and run over ``orders`` of
the rows, of which the mean counts.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from replication.run.runner import Clusterings

if TYPE_CHECKING:
    from replication.run.experiment import Experiment

LEVEL = 1e-9
"""Objectives that differ by a smaller share are equal, and the first of them counts."""


def starts(experiment: Experiment) -> int:
    """Number of starts: the parameter ``restarts``, at most the trials of the effort."""
    return min(experiment.parameters["restarts"], experiment.trials)


def fits(experiment: Experiment) -> int:
    """Number of fits of a random measure: the parameter ``fits``, at most the trials."""
    return min(experiment.parameters["fits"], experiment.trials)


def chosen(found: Clusterings, among: np.ndarray | None = None) -> Clusterings:
    """Keep the start of least objective, of each fit.

    Parameters
    ----------
    found : Clusterings
        Of all starts, with their objectives; without objectives they count all. The fact ``fit``
        says which fit each belongs to, one for all if there is no such fact.
    among : ndarray of bool, shape (n,), optional
        Objects that the single starts are scored on; all by default.

    Returns
    -------
    Clusterings
        One per fit, with the ARI of every single start as the fact ``single``.
    """
    facts = {name: value for name, value in found.facts.items() if name != "fit"}
    if not found.objectives:
        return replace(found, facts=facts)
    fit = np.array(found.facts.get("fit", np.zeros(len(found.labels), dtype=np.int64)))
    kept = [least(found.objectives, np.flatnonzero(fit == one)) for one in np.unique(fit)]
    ari = [row["ari"] for row in found.scores(["ari"], among)]
    return Clusterings(
        found.objects,
        found.labels[kept],
        {**facts, "single": ari},
        [found.rounding[t] for t in kept] if found.rounding else [],
        [found.objectives[t] for t in kept],
    )


def least(objectives: list[tuple[float, ...]], among: np.ndarray) -> int:
    """Position of the least objective, the first of those that rounding alone tells apart.

    Parameters
    ----------
    objectives : list of tuple of float
        All but the last number of each are whole.
    among : ndarray of int64
        Positions that are compared.
    """
    *_, value = best = min(objectives[t] for t in among)
    tolerance = LEVEL * abs(value)
    return next(
        int(t)
        for t in among
        if objectives[t][:-1] == best[:-1] and objectives[t][-1] <= value + tolerance
    )


def single(found: Clusterings) -> list[float]:
    """ARI of every single start that the clusterings were chosen from; empty without starts."""
    return list(found.facts.get("single", ()))
