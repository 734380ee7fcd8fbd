"""Clusterings of coupledMC: Table 6, the readings behind it, and the cost of one start."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from itertools import product
from typing import Any

import numpy as np

from couplings.cluster.density_peaks import DensityPeaks
from couplings.cluster.kmeans import KMeans
from couplings.cluster.kmodes import KModes
from couplings.cluster.mixed_kmeans import random_partition
from couplings.counts import cooccurrence
from couplings.measures.frequency import SimpleMatching
from replication.papers.coupledmc import PREPARATION
from replication.run.cost import Work, costs
from replication.run.experiment import Experiment
from replication.run.runner import Clusterings, Objects, Vectors, cluster

SCORES = ("accuracy", "nmi_max", "nmi_sqrt", "nmi_arithmetic", "ari")
SIZE = "largest"
"""Share of the largest cluster."""
STARTED = ("k_prototypes", "madd", "mixture")
"""Algorithms that learn and start anew in every run."""
SPECTRALCAT = {"reconciled": "spectralcat", "collapsed": "spectralcat_narrow"}
"""Algorithm of each reading of SpectralCAT."""
COUPLED = "coupledmc"
"""Not an algorithm of the registry: k-means on the coupled representation."""

Record = dict[str, Any]

_WARM_UP = 10_000
"""Objects on which everything is compiled before it is timed; some code is used for many only."""


def accuracy(
    experiment: Experiment, *, readings: Mapping[str, str], powers: Sequence[int]
) -> Iterator[Record]:
    """Scores of every run of every method of Table 6.

    `readings` names the measure of each reading of coupledMC, `powers` the values of L.

    Records: ``method``, ``reading``, ``setting``, ``run`` and the scores.
    """
    objects = experiment.objects(PREPARATION)
    wanted = [("random", "reconciled", "", partial(_guessed, objects), "")]
    wanted += [
        (method, "reconciled", "", partial(_started, experiment, objects, method), "")
        for method in STARTED
    ]
    wanted += [
        ("spectralcat", reading, "", partial(_diffused, experiment, objects, algorithm), "")
        for reading, algorithm in SPECTRALCAT.items()
    ]
    wanted += [
        (COUPLED, reading, f"L={power}", partial(_sampled, objects, rows), measure)
        for (reading, measure), power in product(readings.items(), powers)
        for rows in [experiment.similarity(measure, PREPARATION, max_power=power)]
    ]
    for method, reading, setting, make, measure in wanted:
        text = " ".join(filter(None, (reading, setting)))
        found = _scored(experiment, objects, f"{method} {text}", make, method, text, measure)
        for run, scores in enumerate(found):
            yield {"method": method, "reading": reading, "setting": setting, "run": run, **scores}


def best_runs(
    experiment: Experiment, *, variants: Mapping[str, dict[str, Any]]
) -> Iterator[Record]:
    """Largest accuracy of many runs on the coupled representation: the labels choose the run.

    `variants` names variants of the representation, each with its ``setting`` of the measure, the
    ``powers`` L, and how many ``series`` of runs there are, all with fresh seeds.

    Records: ``variant``, ``power``, ``series``, ``runs``; ``accuracy_mean`` and ``accuracy_sd`` of
    the runs of the series; and the scores of its first run of largest accuracy.
    """
    objects = experiment.objects(PREPARATION)
    for variant, entry in variants.items():
        for power, series in product(entry["powers"], range(entry["series"])):
            setting = {"max_power": power, **entry["setting"]}
            rows = experiment.similarity("coupled_mixed", PREPARATION, **setting)
            name, make = f"{variant} L={power} series {series}", partial(_sampled, objects, rows)
            found = _scored(experiment, objects, name, make, COUPLED, name, "coupled_mixed")
            yield {"variant": variant, "power": power, "series": series, **best_of(found)}


def best_of(rows: Sequence[Record]) -> Record:
    """Scores of the first run of largest accuracy, and mean and deviation of all accuracies."""
    best, spread = max(rows, key=lambda row: row["accuracy"]), summary(rows)
    kept = {name: spread[name] for name in ("runs", "accuracy_sd")}
    return {**best, **kept, "accuracy_mean": spread["accuracy"]}


def envelope(
    experiment: Experiment,
    *,
    coupled: Sequence[dict[str, Sequence[Any]]],
    others: Mapping[str, dict[str, Sequence[Any]]],
) -> Iterator[Record]:
    """Scores under every combination of the settings that the paper leaves open.

    `coupled` is a list of grids of the measure, `others` holds the grid of each algorithm.
    The setting ``starts`` says how many starts a run makes, of which it keeps the one of least
    objective; the labels have no part in it. Without a value a setting is the algorithm's own.

    Records: ``method``, ``setting``, ``runs``, mean and standard deviation of the scores, and
    ``accuracy_largest``, the largest accuracy of the runs.
    """
    from sklearn.model_selection import ParameterGrid

    objects = experiment.objects(PREPARATION)
    known: dict[tuple[Any, ...], dict[str, Any]] = {}

    def make(method: str, setting: dict[str, Any], seeds: Sequence[int]) -> Clusterings:
        if method == COUPLED:
            measure = experiment.measure("coupled_mixed", **setting)
            return _sampled(objects, measure.represented(objects.table, known), seeds)
        run = _diffused if method == "spectralcat" else _started
        return run(experiment, objects, method, seeds, **setting)

    grids: list[tuple[str, Any]] = [(COUPLED, coupled), *others.items()]
    for method, setting in ((name, one) for name, grid in grids for one in ParameterGrid(grid)):
        named = (f"{key}={'own' if value is None else value}" for key, value in setting.items())
        text, measure = ", ".join(named), "coupled_mixed" if method == COUPLED else ""
        run = partial(make, method, setting)
        found = _scored(experiment, objects, method, run, method, text, measure)
        yield {"method": method, "setting": text, **summary(found)}


def discretized(experiment: Experiment) -> Iterator[Record]:
    """k-modes on the data with every number in one of ten intervals, to set beside k-prototypes.

    One record per run: ``run`` and the scores.
    """
    objects = experiment.objects("bins10")
    made = experiment.runner.clusterings(
        objects,
        lambda: cluster(
            objects,
            SimpleMatching().fit(cooccurrence(objects.table)),
            KModes(objects.n_classes, init="random", n_init=1),
            # all starts come one after the other from the same source
            [experiment.rng("k-modes")] * experiment.trials,
        ),
        algorithm="k-modes",
        measure="smd",
    )
    for run, scores in enumerate(made.scores((*SCORES, SIZE))):
        yield {"run": run, **scores}


def cost(experiment: Experiment, *, power: int) -> Iterator[Record]:
    """Seconds and memory of one start of each method, each in a process of its own.

    `power` is that of coupledMC.

    Records: ``method``, ``objects``, ``attributes``, and what `replication.run.cost` measures.
    """
    for method in (*STARTED, "coupledmc", "density_peaks"):
        yield from costs(start, experiment, method, power, once=experiment.once)


def start(experiment: Experiment, method: str, power: int) -> Iterator[Work]:
    """One start of a method, with everything that follows the table in memory."""
    given, seeds = experiment.objects(PREPARATION), [experiment.seed(method)]
    # the same code is compiled for both, as their arrays lie alike in memory
    n = given.n_objects
    whole, few = (given.ordered(np.arange(size)) for size in (n, min(_WARM_UP, n)))

    def cluster_once(objects: Objects) -> object:
        if method == COUPLED:
            coupled = experiment.measure("coupled_mixed", max_power=power)
            return _sampled(objects, coupled.fit_transform(objects.table), seeds)
        if method == "density_peaks":
            return cluster(objects, None, DensityPeaks(objects.n_classes))
        return _started(experiment, objects, method, seeds)

    labels = {"method": method, "objects": n, "attributes": len(given.table.attributes)}
    yield Work(labels, partial(cluster_once, whole), partial(cluster_once, few))


def summary(rows: Sequence[Record]) -> Record:
    """Mean and sample standard deviation of the scores of several runs, largest accuracy."""
    result: Record = {"runs": len(rows), "accuracy_largest": max(row["accuracy"] for row in rows)}
    for name in SCORES:
        values = np.array([row[name] for row in rows])
        result[name] = float(values.mean())
        result[f"{name}_sd"] = float(values.std(ddof=1)) if len(rows) > 1 else 0.0
    return result


def _scored(
    experiment: Experiment,
    objects: Objects,
    name: str,
    make: Callable[[Sequence[int]], Clusterings],
    algorithm: str,
    setting: str,
    measure: str,
) -> list[Record]:
    """Scores of clusterings, one for each seed that the name gives."""

    def made() -> Clusterings:
        return make([experiment.seed(name, trial=trial) for trial in range(experiment.trials)])

    key = {"algorithm": algorithm, "measure": measure, "setting": setting}
    return experiment.runner.clusterings(objects, made, **key).scores((*SCORES, SIZE))


def _guessed(objects: Objects, seeds: Sequence[int]) -> Clusterings:
    """Random clusters."""
    labels = [random_partition(objects.n_objects, objects.n_classes, seed) for seed in seeds]
    return Clusterings(objects, np.array(labels))


def _started(
    experiment: Experiment,
    objects: Objects,
    method: str,
    seeds: Sequence[int],
    starts: int = 1,
    **setting: Any,
) -> Clusterings:
    """Clusterings by an algorithm that starts anew for each seed, the best of some by cost."""
    size = "n_components" if method == "mixture" else "n_clusters"
    algorithm = experiment.algorithm(method, **{size: objects.n_classes}, **setting)
    return cluster(objects, None, algorithm, seeds, starts=starts)


def _diffused(
    experiment: Experiment, objects: Objects, method: str, seeds: Sequence[int], **setting: Any
) -> Clusterings:
    """k-means on the columns of SpectralCAT, which do not depend on the seed."""
    algorithm = experiment.algorithm(
        method, n_clusters=objects.n_classes, random_state=0, **setting
    )
    return _sampled(objects, algorithm.fit(objects.table).embedding_, seeds)


def _sampled(objects: Objects, rows: np.ndarray, seeds: Sequence[int]) -> Clusterings:
    """k-means from k random objects."""
    return cluster(objects, Vectors(rows), KMeans(objects.n_classes, init="sample"), seeds)
