"""Clusterings by the methods of DILCA's tables on other preparations, and by ROCK at every theta.

A column of the tables is a method: a measure with Ward's algorithm, or an algorithm on the table.
"""

import itertools
from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from typing import Any

import numpy as np

from couplings.metrics.external import contingency
from replication.run.experiment import Experiment
from replication.run.runner import Clusterings, Objects, cluster
from replication.run.selection import RULES, select
from replication.steps import setting_text

SCORES = ("inverse_purity", "purity", "accuracy", "nmi_sqrt", "nmi_arithmetic", "nmi_max", "ari")
"""Scores that the readings of DILCA's purity and NMI choose from."""


def by_column(
    experiment: Experiment,
    *,
    ways: Mapping[str, str],
    stripped: Mapping[str, str],
    three_classes: Sequence[str],
    algorithm: str,
    on_tables: Mapping[str, str],
    grids: Mapping[str, dict[str, Any]],
    rule: str,
) -> Iterator[dict[str, Any]]:
    """Cluster one data set with every method on every preparation, in file order.

    `ways` gives preparations by their key in the records, `stripped` those of the methods in
    `three_classes`. `algorithm` clusters the distances of a measure; `on_tables` names the
    algorithm of each method that has no measure. `grids` gives the values of a method's parameter,
    and `rule`, of `replication.run.selection`, picks its setting.

    Records, one per method and preparation, at the picked setting: ``method``, ``way``,
    ``setting``, ``label_cuts`` (attributes that were cut with the class labels) and `SCORES`.
    """
    for way, method in itertools.product(ways, (*experiment.measures, *on_tables)):
        tables = experiment.tables((stripped if method in three_classes else ways)[way])
        objects = Objects(tables.tables[0], tables.labels[0])
        steps = ("", on_tables[method]) if method in on_tables else (method, algorithm)
        grid = grids.get(method, {"": [None]})
        found = {
            value: {"setting": text, **made.scores(SCORES)[0]}
            for value, text, made in _over_grid(experiment, objects, *steps, grid, f"{way} ")
        }
        cuts = " ".join(tables.facts["label_cuts"])
        yield {"method": method, "way": way, "label_cuts": cuts, **found[_picked(found, rule)]}


def rock_clusters(
    experiment: Experiment, *, preparation: str, thetas: Sequence[float], rule: str
) -> Iterator[dict[str, Any]]:
    """Describe the clusters of ROCK at every theta, in file order.

    `rule` is a rule of `replication.run.selection`.

    Records: ``algorithm``, ``theta``, ``chosen`` (whether the rule picks this theta, with the class
    labels), ``classes``, the keys of `described`, ``inverse_purity``, ``purity``, ``nmi_sqrt``,
    ``ari``.
    """
    objects = experiment.objects(preparation)
    scores = ("inverse_purity", "purity", "nmi_sqrt", "ari")
    for name in experiment.algorithms:
        found = {
            theta: {**described(objects.classes, made.labels[0]), **made.scores(scores)[0]}
            for theta, _, made in _over_grid(experiment, objects, "", name, {"theta": thetas})
        }
        best = _picked(found, rule)
        for theta, one in found.items():
            about = {"algorithm": name, "theta": theta, "chosen": theta == best}
            yield {**about, "classes": objects.n_classes, **one}


def described(labels_true: np.ndarray, labels: np.ndarray) -> dict[str, Any]:
    """Describe the clusters of a partition.

    ``clusters`` (their number), ``sizes`` (text, the largest eight), ``largest_share`` (of the
    objects), ``small_pure`` (clusters of one class with less than 5 % of the objects) and
    ``majority_share`` (of the largest class).
    """
    # one row per cluster, one column per class
    counts = contingency(labels_true, labels)
    counts = counts[np.argsort(-counts.sum(axis=1), kind="stable")]
    sizes, n = counts.sum(axis=1), counts.sum()
    return {
        "clusters": len(sizes),
        "sizes": " ".join(map(str, sizes[:8])) + (" ..." if len(sizes) > 8 else ""),
        "largest_share": float(sizes[0] / n),
        "small_pure": int((((counts > 0).sum(axis=1) == 1) & (sizes < 0.05 * n)).sum()),
        "majority_share": float(counts.sum(axis=0).max() / n),
    }


def _over_grid(
    experiment: Experiment,
    objects: Objects,
    measure: str,
    algorithm: str,
    grid: Mapping[str, Sequence[Any]],
    way: str = "",
) -> Iterator[tuple[Any, str, Clusterings]]:
    """Yield each value of a parameter (the algorithm's without `measure`), text and clusterings."""

    def made(setting: Mapping[str, Any]) -> Clusterings:
        given = {"n_clusters": objects.n_classes, **({} if measure else setting)}
        learnt = experiment.measure(measure, **setting).fit(objects.table) if measure else None
        return cluster(objects, learnt, experiment.algorithm(algorithm, **given))

    ((parameter, values),) = grid.items()
    for value in values:
        text = f"{parameter}={setting_text(value)}" if parameter else ""
        key = {"measure": measure, "algorithm": algorithm, "setting": f"{way}{text}".rstrip()}
        make = partial(made, {parameter: value} if parameter else {})
        yield value, text, experiment.runner.clusterings(objects, make, **key)


def _picked(found: Mapping[Any, Mapping[str, Any]], rule: str) -> Any:
    """Return the parameter value that a rule picks by the scores."""
    scores = {name: [one[name] for one in found.values()] for name in RULES[rule]}
    return select({"setting": [*found], **scores}, rule)
