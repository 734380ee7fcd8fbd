"""Cluster by the methods of coupledMC's Table 6, under its open settings, and time one start."""

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
from replication.papers.coupledmc.accuracy_runs import OURS
from replication.run.cost import Work, costs
from replication.run.experiment import Experiment
from replication.run.runner import Clusterings, Objects, Vectors, cluster

SCORES = ("accuracy", "nmi_max", "nmi_sqrt", "nmi_arithmetic", "ari")
SIZE = "largest"
"""Share of the largest cluster."""
STARTED = ("k_prototypes", "madd", "mixture")
"""Algorithms that are fitted anew, from a random start, in every run."""
SPECTRALCAT = {"reconciled": "spectralcat", "collapsed": "spectralcat_narrow"}
"""Algorithm of each reading of SpectralCAT."""

Record = dict[str, Any]

_WARM_UP = 10_000
"""Objects on which code is compiled before it is timed; some of it runs on large tables only."""


def accuracy(
    experiment: Experiment, *, readings: Mapping[str, str], powers: Sequence[int]
) -> Iterator[Record]:
    """Score every run of every method of Table 6.

    `readings` maps each reading of coupledMC to its measure, `powers` lists the values of L.

    Records: ``method``, ``reading``, ``setting``, ``run`` and the scores.
    """
    objects = experiment.objects(PREPARATION)
    wanted = [
        ("random", "reconciled", "", partial(_guessed, objects), ""),
        *(
            (method, "reconciled", "", partial(_started, experiment, objects, method), "")
            for method in STARTED
        ),
        *(
            ("spectralcat", reading, "", partial(_diffused, experiment, objects, algorithm), "")
            for reading, algorithm in SPECTRALCAT.items()
        ),
        *(
            (OURS, reading, f"L={power}", partial(_sampled, objects, rows), measure)
            for (reading, measure), power in product(readings.items(), powers)
            for rows in [experiment.similarity(measure, PREPARATION, max_power=power)]
        ),
    ]
    for method, reading, setting, make, measure in wanted:
        text = " ".join(filter(None, (reading, setting)))
        found = _scored(experiment, objects, f"{method} {text}", make, method, text, measure)
        for run, scores in enumerate(found):
            yield {"method": method, "reading": reading, "setting": setting, "run": run, **scores}


def best_runs(
    experiment: Experiment, *, variants: Mapping[str, dict[str, Any]]
) -> Iterator[Record]:
    """Find the run of largest accuracy among many on the coupled representation (uses labels).

    `variants` names variants of the representation, each with the ``setting`` of the measure, the
    ``powers`` L and the number of ``series`` of runs, which have different seeds.

    Records: ``variant``, ``power``, ``series``, ``runs``; ``accuracy_mean`` and ``accuracy_sd`` of
    the series; and the scores of its first run of largest accuracy.
    """
    objects = experiment.objects(PREPARATION)
    for variant, entry in variants.items():
        for power, series in product(entry["powers"], range(entry["series"])):
            setting = {"max_power": power, **entry["setting"]}
            rows = experiment.similarity("coupled_mixed", PREPARATION, **setting)
            name, make = f"{variant} L={power} series {series}", partial(_sampled, objects, rows)
            found = _scored(experiment, objects, name, make, OURS, name, "coupled_mixed")
            yield {"variant": variant, "power": power, "series": series, **best_of(found)}


def best_of(rows: Sequence[Record]) -> Record:
    """Return the first run of largest accuracy, with mean and deviation of all accuracies."""
    best, of_all = max(rows, key=lambda row: row["accuracy"]), summary(rows)
    spread = {"accuracy_sd": of_all["accuracy_sd"], "accuracy_mean": of_all["accuracy"]}
    return {**best, "runs": of_all["runs"], **spread}


def envelope(
    experiment: Experiment,
    *,
    coupled: Sequence[dict[str, Sequence[Any]]],
    others: Mapping[str, dict[str, Sequence[Any]]],
) -> Iterator[Record]:
    """Score every combination of the settings that the paper leaves open.

    `coupled` lists grids of settings of the measure, `others` holds the grid of each algorithm. A
    run keeps the best of its ``starts`` by the objective, without the labels. A setting of None
    stands for the algorithm's default.

    Records: ``method``, ``setting``, ``runs``, mean and standard deviation of the scores, and
    ``accuracy_largest``, the largest accuracy of the runs.
    """
    from sklearn.model_selection import ParameterGrid

    objects = experiment.objects(PREPARATION)
    known: dict[tuple[Any, ...], dict[str, Any]] = {}

    def make(method: str, setting: dict[str, Any], seeds: Sequence[int]) -> Clusterings:
        if method == OURS:
            measure = experiment.measure("coupled_mixed", **setting)
            return _sampled(objects, measure.represented(objects.table, known), seeds)
        run = _diffused if method == "spectralcat" else _started
        return run(experiment, objects, method, seeds, **setting)

    grids: list[tuple[str, Any]] = [(OURS, coupled), *others.items()]
    for method, setting in ((name, one) for name, grid in grids for one in ParameterGrid(grid)):
        named = (f"{key}={'own' if value is None else value}" for key, value in setting.items())
        text, measure = ", ".join(named), "coupled_mixed" if method == OURS else ""
        run = partial(make, method, setting)
        found = _scored(experiment, objects, method, run, method, text, measure)
        yield {"method": method, "setting": text, **summary(found)}


def discretized(experiment: Experiment) -> Iterator[Record]:
    """Cluster by k-modes after cutting numbers into ten intervals, to compare with k-prototypes.

    One record per run: ``run`` and the scores.
    """
    objects = experiment.objects("bins10")
    made = experiment.runner.clusterings(
        objects,
        lambda: cluster(
            objects,
            SimpleMatching().fit(cooccurrence(objects.table)),
            KModes(objects.n_classes, init="random", n_init=1),
            # all starts draw from one generator, one after the other
            [experiment.rng("k-modes")] * experiment.trials,
        ),
        algorithm="k-modes",
        measure="smd",
    )
    for run, scores in enumerate(made.scores((*SCORES, SIZE))):
        yield {"run": run, **scores}


def cost(experiment: Experiment, *, power: int) -> Iterator[Record]:
    """Measure seconds and memory of one start of each method, each in its own process.

    coupledMC has L = `power`.

    Records: ``method``, ``objects``, ``attributes``, and what `replication.run.cost` measures.
    """
    for method in (*STARTED, OURS, "density_peaks"):
        yield from costs(start, experiment, method, power, once=experiment.once)


def start(experiment: Experiment, method: str, power: int) -> Iterator[Work]:
    """Yield the work of one start of a method, from the table in memory to the labels."""
    given, seeds = experiment.objects(PREPARATION), [experiment.seed(method)]
    # both have the same memory layout, so that the compiled code serves both
    n = given.n_objects
    whole, few = (given.ordered(np.arange(size)) for size in (n, min(_WARM_UP, n)))

    def cluster_once(objects: Objects) -> object:
        if method == OURS:
            coupled = experiment.measure("coupled_mixed", max_power=power)
            return _sampled(objects, coupled.fit_transform(objects.table), seeds)
        if method == "density_peaks":
            return cluster(objects, None, DensityPeaks(objects.n_classes))
        return _started(experiment, objects, method, seeds)

    labels = {"method": method, "objects": n, "attributes": len(given.table.attributes)}
    yield Work(labels, partial(cluster_once, whole), partial(cluster_once, few))


def summary(rows: Sequence[Record]) -> Record:
    """Return mean and sample standard deviation of the scores over runs, and largest accuracy."""
    result: Record = {"runs": len(rows), "accuracy_largest": max(row["accuracy"] for row in rows)}
    for name in SCORES:
        values = np.array([row[name] for row in rows])
        spread = float(values.std(ddof=1)) if len(rows) > 1 else 0.0
        result |= {name: float(values.mean()), f"{name}_sd": spread}
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
    """Return the scores of clusterings, one per trial, whose seeds follow from the name."""

    def made() -> Clusterings:
        return make([experiment.seed(name, trial=trial) for trial in range(experiment.trials)])

    key = {"algorithm": algorithm, "measure": measure, "setting": setting}
    return experiment.runner.clusterings(objects, made, **key).scores((*SCORES, SIZE))


def _guessed(objects: Objects, seeds: Sequence[int]) -> Clusterings:
    """Return random partitions."""
    n, k = objects.n_objects, objects.n_classes
    return Clusterings(objects, np.array([random_partition(n, k, seed) for seed in seeds]))


def _started(
    experiment: Experiment,
    objects: Objects,
    method: str,
    seeds: Sequence[int],
    starts: int = 1,
    **setting: Any,
) -> Clusterings:
    """Cluster by an algorithm with random starts, keeping the best of the starts of each seed."""
    algorithm = experiment.algorithm(method, n_clusters=objects.n_classes, **setting)
    return cluster(objects, None, algorithm, seeds, starts=starts)


def _diffused(
    experiment: Experiment, objects: Objects, method: str, seeds: Sequence[int], **setting: Any
) -> Clusterings:
    """Cluster by k-means on the columns of SpectralCAT, which do not depend on the seed."""
    setting |= {"n_clusters": objects.n_classes, "random_state": 0}
    algorithm = experiment.algorithm(method, **setting)
    return _sampled(objects, algorithm.fit(objects.table).embedding_, seeds)


def _sampled(objects: Objects, rows: np.ndarray, seeds: Sequence[int]) -> Clusterings:
    """Cluster by k-means from k random objects."""
    return cluster(objects, Vectors(rows), KMeans(objects.n_classes, init="sample"), seeds)
