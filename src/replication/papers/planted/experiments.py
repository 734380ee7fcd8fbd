"""Generate tables with known clusters, cluster them by each measure, and score the result.

The generators are latent classes, dependent attributes and ordered values. Each takes a random
generator and its settings, and returns a `Planted` table with rows in random order.
"""

import itertools
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import cache, partial
from typing import Any, NamedTuple

import numpy as np
from scipy.stats import spearmanr

from couplings.table import CategoricalTable
from couplings.values import ValueMatrices
from replication.data.gaussian import gaussian_classes
from replication.run.experiment import Experiment
from replication.run.runner import Objects, Vectors, cluster
from replication.run.scores import score
from replication.steps import call


class Planted(NamedTuple):
    """A table with its clusters.

    Attributes
    ----------
    codes : ndarray of int64, shape (objects, attributes)
        Values from 0 to values - 1.
    labels : ndarray of int64, shape (objects,)
        Cluster of each object.
    ordered : bool
        Whether the true distance of two values is the difference of their codes.
    """

    codes: np.ndarray
    labels: np.ndarray
    ordered: bool = False


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
        Function of this module, from a random generator and settings to a `Planted` table.
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
            make = partial(call, f"{__name__}:{generator}", rng, **{**settings, **setting})
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
    if made.takes == "rows":
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


def cluster_labels(
    objects: int, clusters: int, ratio: float, rng: np.random.Generator
) -> np.ndarray:
    """Return labels in random order; sizes rise geometrically, the last `ratio` times the first."""
    shares = float(ratio) ** np.linspace(0, 1, clusters)
    ends = np.rint(objects * np.cumsum(shares) / shares.sum())
    return rng.permutation(np.searchsorted(ends, np.arange(objects), side="right"))


def latent_classes(
    rng: np.random.Generator,
    *,
    objects: int,
    attributes: int,
    values: int,
    clusters: int,
    noise: float,
    ratio: float,
    irrelevant: float,
) -> Planted:
    """Generate attributes that are independent of each other within a cluster.

    In a relevant attribute each cluster has its own distribution of values, drawn uniformly from
    all distributions; in an irrelevant attribute all clusters share one.

    Parameters
    ----------
    objects, attributes, values, clusters : int
        Sizes.
    noise : float
        Share of the cells that a uniformly drawn value replaces.
    ratio : float
        Size of the largest cluster over that of the smallest.
    irrelevant : float
        Share of irrelevant attributes; they come last.
    """
    labels = cluster_labels(objects, clusters, ratio, rng)
    codes = np.empty((objects, attributes), dtype=np.int64)
    for j in range(attributes):
        relevant = j < attributes - round(irrelevant * attributes)
        shares = rng.dirichlet(np.ones(values), size=clusters if relevant else 1)
        below = shares.cumsum(axis=1)[labels if relevant else 0 * labels, :-1]
        codes[:, j] = (rng.random(objects)[:, None] > below).sum(axis=1)
    replaced = rng.random(codes.shape) < noise
    return Planted(np.where(replaced, rng.integers(values, size=codes.shape), codes), labels)


def dependent_attributes(
    rng: np.random.Generator, *, relevant: float, among: float, **settings: Any
) -> Planted:
    """Generate latent classes whose attributes also depend on each other within every cluster.

    Parameters
    ----------
    relevant, among : float
        Strength of the dependence between relevant attributes and between irrelevant ones, see
        `chained`.
    **settings
        Settings of `latent_classes`.
    """
    codes, labels, _ = latent_classes(rng, **settings)
    first = codes.shape[1] - round(settings["irrelevant"] * codes.shape[1])
    parts = [
        chained(codes[:, :first], settings["values"], relevant, rng),
        chained(codes[:, first:], settings["values"], among, rng),
    ]
    return Planted(np.hstack(parts), labels)


def chained(
    codes: np.ndarray, values: int, strength: float, rng: np.random.Generator
) -> np.ndarray:
    """Make each attribute depend on the one before it, in a share `strength` of the objects.

    There its value is a one-to-one function of the value before; elsewhere it does not change.
    """
    codes = codes.copy()
    for j in range(1, codes.shape[1]):
        follows = rng.random(len(codes)) < strength
        renamed = rng.permutation(values)[codes[:, j - 1]]
        codes[follows, j] = renamed[follows]
    return codes


def ordered_values(
    rng: np.random.Generator,
    *,
    objects: int,
    attributes: int,
    values: int,
    clusters: int,
    noise: float,
) -> Planted:
    """Generate positions on a line and cut them into values.

    Each cluster has a centre per attribute; `noise` is the standard deviation around it, as a share
    of the range of the values.
    """
    codes, labels = gaussian_classes(objects, attributes, values, clusters, 1 / noise, rng)
    order = rng.permutation(objects)
    return Planted(codes[order], labels[order], ordered=True)
