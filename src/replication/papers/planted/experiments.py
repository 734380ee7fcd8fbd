"""Cluster planted tables by each measure, and score against the planted clusters."""

import itertools
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import cache, partial
from typing import Any

import numpy as np
from scipy.stats import spearmanr

from couplings.cluster.kmeans import KMeans
from couplings.table import CategoricalTable
from couplings.values import ValueMatrices
from replication.papers.planted.generators import Planted
from replication.run.experiment import Experiment
from replication.run.runner import Objects, Vectors, cluster
from replication.run.scores import score
from replication.steps import called

_GENERATORS = "replication.papers.planted.generators"


def planted(
    experiment: Experiment,
    *,
    generator: str,
    settings: Mapping[str, Any],
    factors: Mapping[str, Sequence[Any]],
    compared: Mapping[str, Sequence[str]],
    starts: int,
) -> Iterator[dict[str, Any]]:
    """Score each measure and algorithm on random tables, at all combinations of the factors.

    Parameters
    ----------
    generator : str
        Function of `replication.papers.planted.generators`.
    settings, factors : mapping
        Its fixed settings, and the levels of those that vary.
    compared : mapping of str to sequence of str
        Measures by algorithm.
    starts : int
        Number of starts of a random algorithm; the one with the lowest objective counts.

    Yields
    ------
    dict
        The level of each factor; ``trial``, the number of the table; ``algorithm``, ``measure``,
        ``label``, ``ari``; ``blind``, true if the measure tells no objects apart, which are then
        one cluster; ``agreement`` by `agreement`, None if the true distances are unknown.
    """
    for levels in itertools.product(*factors.values()):
        setting = dict(zip(factors, levels, strict=True))
        key = " ".join(f"{name}={level}" for name, level in setting.items())
        for trial in range(experiment.trials):
            rng = experiment.rng("table", key, trial=trial)
            seed = experiment.seed("starts", key, trial=trial)
            make = partial(called, f"{_GENERATORS}:{generator}", rng, **{**settings, **setting})
            scores = partial(_scores, experiment, make, compared, seed, starts)
            found = experiment.once(f"{key} table={trial}", scores)
            yield from ({**setting, "trial": trial, **row} for row in found["rows"])


def _scores(
    experiment: Experiment,
    make: Callable[[], Planted],
    compared: Mapping[str, Sequence[str]],
    seed: int,
    starts: int,
) -> dict[str, Any]:
    """Return the records of one table, without the attributes that do not vary."""
    table = make()
    codes = table.codes[:, np.ptp(table.codes, axis=0) > 0]
    objects = Objects(CategoricalTable.from_codes(codes).observed(), table.labels)
    seeds = np.random.SeedSequence(seed).spawn(starts)

    @cache
    def fitted(name: str) -> Any:
        random = "random_state" in experiment.measure(name).get_params()
        state = {"random_state": seed} if random else {}
        return experiment.measure(name, **state).fit(objects.table)

    rows = []
    for algorithm, name in ((one, name) for one, names in compared.items() for name in names):
        matrices = fitted(name).space_.matrices
        blind = all(np.ptp(matrices.block(j)) == 0 for j in range(matrices.n_attributes))
        ari = 0.0 if blind else _ari(experiment, objects, fitted(name), algorithm, seeds)
        rows.append(
            {
                **{"algorithm": algorithm, "measure": name},
                **{"label": experiment.measures[name]["label"], "ari": ari, "blind": blind},
                "agreement": agreement(matrices, codes) if table.ordered else None,
            }
        )
    return {"rows": rows}


def _ari(
    experiment: Experiment, objects: Objects, fitted: Any, algorithm: str, seeds: Sequence[Any]
) -> float:
    """Return the adjusted Rand index of the start with the lowest objective."""
    made = experiment.algorithm(algorithm, n_clusters=objects.n_classes)
    similarity = fitted
    if isinstance(made, KMeans):
        similarity = Vectors(fitted.transform(objects.table))
    elif "random_state" in made.get_params():
        similarity = fitted.space_.matrices
    else:
        seeds = [None]
    found = cluster(objects, similarity, made, seeds, again=False)
    best = int(np.argmin([value for (value,) in found.objectives])) if found.objectives else 0
    return score(objects.classes, found.labels[best], ["ari"])["ari"]


def agreement(matrices: ValueMatrices, codes: np.ndarray) -> float | None:
    """Return the rank correlation of a measure's distances of values with the true ones.

    Parameters
    ----------
    matrices : ValueMatrices
        Distances of the values that occur.
    codes : ndarray of int64, shape (objects, attributes)
        Values, whose true distances are their differences.

    Returns
    -------
    float or None
        Mean of Spearman's correlation over attributes with at least three values; None without
        such an attribute. An attribute with equal distances counts 0.
    """
    found = []
    for j, column in enumerate(codes.T):
        positions = np.unique(column)
        if len(positions) > 2:
            a, b = np.triu_indices(len(positions), 1)
            ours, true = matrices.block(j)[a, b], positions[b] - positions[a]
            found.append(spearmanr(ours, true).statistic if np.ptp(ours) > 1e-12 else 0.0)
    return float(np.mean(found)) if found else None
