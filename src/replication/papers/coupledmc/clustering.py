"""Clusterings of coupledMC: Table 6, the readings behind it, and the cost of one start."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import product
from typing import TYPE_CHECKING, Any

import numpy as np

from couplings.cluster.density_peaks import DensityPeaks
from couplings.cluster.kmeans import kmeans_runs
from couplings.cluster.kmodes import kmodes, random_starts
from couplings.cluster.mixed_kmeans import random_partition
from couplings.counts import cooccurrence
from couplings.measures.overlap import SimpleMatching
from couplings.metrics.external import external_scores
from replication.papers.coupledmc.data import kept, mixed
from replication.run.cost import Work, costs

if TYPE_CHECKING:
    from couplings.mixed import MixedTable
    from replication.run.experiment import Experiment

SCORES = ("accuracy", "nmi_max", "nmi_sqrt", "nmi_arithmetic", "ari")
STARTED = ("k_prototypes", "madd", "mixture")
"""Algorithms that learn and start anew in every run."""

Record = dict[str, Any]


def accuracy(experiment: Experiment) -> Iterator[Record]:
    """Scores of every run of every method of Table 6.

    The parameter ``readings`` names the measure of each reading of coupledMC, ``powers`` the
    values of L.

    Yields
    ------
    dict
        ``method``, ``reading``, ``setting``, ``run`` and the scores.
    """
    table, classes = mixed(experiment)
    k = int(classes.max()) + 1

    def rows(method: str, reading: str, setting: str, cluster: Callable) -> list[Record]:
        name = " ".join(filter(None, (method, reading, setting)))
        found = experiment.once(
            name, lambda: {"rows": scored(classes, cluster(_seeds(experiment, name)))}
        )["rows"]
        common = {"method": method, "reading": reading, "setting": setting}
        return [{**common, "run": run, **row} for run, row in enumerate(found)]

    yield from rows(
        "random",
        "reconciled",
        "",
        lambda seeds: [random_partition(table.n_objects, k, seed) for seed in seeds],
    )
    for method in STARTED:
        yield from rows(
            method,
            "reconciled",
            "",
            lambda seeds, m=method: _starts(experiment, table, m, k, seeds),
        )
    for reading, method in (("reconciled", "spectralcat"), ("collapsed", "spectralcat_narrow")):
        yield from rows(
            "spectralcat",
            reading,
            "",
            lambda seeds, m=method: _diffused(experiment, table, m, k, seeds),
        )
    for reading, measure in experiment.parameters["readings"].items():
        for power in experiment.parameters["powers"]:
            yield from rows(
                "coupledmc",
                reading,
                f"L={power}",
                lambda seeds, m=measure, p=power: _coupled(experiment, table, m, k, seeds, p),
            )


def best_runs(experiment: Experiment) -> Iterator[Record]:
    """Largest accuracy of many runs on the coupled representation: the labels choose the run.

    The parameter ``variants`` names variants of the representation, each with its ``setting`` of
    the measure, the ``powers`` L, and how many ``series`` of runs there are, all with fresh seeds.

    Yields
    ------
    dict
        ``variant``, ``power``, ``series``, ``runs``; ``accuracy_mean`` and ``accuracy_sd`` of the
        runs of the series; and the scores of its first run of largest accuracy.
    """
    table, classes = mixed(experiment)
    k = int(classes.max()) + 1
    for variant, entry in experiment.parameters["variants"].items():
        for power in entry["powers"]:
            measure = experiment.measure("coupled_mixed", max_power=power, **entry["setting"])
            rows = measure.fit_transform(table)
            for series in range(entry["series"]):
                name = f"{variant} L={power} series {series}"
                found = experiment.once(
                    name,
                    lambda rows=rows, name=name: best_of(
                        scored(classes, _sampled(rows, k, _seeds(experiment, name)))
                    ),
                )
                yield {"variant": variant, "power": power, "series": series, **found}


def best_of(rows: Sequence[Record]) -> Record:
    """Scores of the first run of largest accuracy, and mean and deviation of all accuracies."""
    spread = summary(rows)
    best = max(rows, key=lambda row: row["accuracy"])
    kept = {name: spread[name] for name in ("runs", "accuracy_sd")}
    return {**best, **kept, "accuracy_mean": spread["accuracy"]}


def envelope(experiment: Experiment) -> Iterator[Record]:
    """Scores under every combination of the settings that the paper leaves open.

    The parameter ``coupled`` is a list of grids of the measure, ``others`` holds the grid of each
    algorithm. The setting ``starts`` says how many starts a run makes, of which it keeps the one
    of least objective; the labels have no part in it. Without a value a setting is the
    algorithm's own.

    Yields
    ------
    dict
        ``method``, ``setting``, ``runs``, mean and standard deviation of the scores, and
        ``accuracy_largest``, the largest accuracy of the runs.
    """
    table, classes = mixed(experiment)
    k = int(classes.max()) + 1

    def record(method: str, setting: dict[str, Any], cluster: Callable) -> Record:
        text = setting_text(setting)
        name = f"{method} {text}"
        row = experiment.once(
            name, lambda: summary(scored(classes, cluster(_seeds(experiment, method))))
        )
        return {"method": method, "setting": text, **row}

    for setting in (one for grid in experiment.parameters["coupled"] for one in _grid(grid)):
        yield record(
            "coupledmc",
            setting,
            lambda seeds, s=setting: _sampled(
                experiment.measure("coupled_mixed", **s).fit_transform(table), k, seeds
            ),
        )
    for method, grid in experiment.parameters["others"].items():
        run = _diffused if method == "spectralcat" else _starts
        for setting in _grid(grid):
            yield record(
                method,
                setting,
                lambda seeds, m=method, s=setting, r=run: r(experiment, table, m, k, seeds, **s),
            )


def discretized(experiment: Experiment) -> Iterator[Record]:
    """k-modes on the data with every number in one of ten intervals, to set beside k-prototypes.

    Yields
    ------
    dict
        One record per run: ``run`` and the scores.
    """
    tables = experiment.tables("bins10")
    rows = kept(tables.labels[0], experiment.parameters["smallest_class"])
    table, classes = tables.tables[0].take(rows).observed(), tables.labels[0][rows]
    matrices = SimpleMatching().fit(cooccurrence(table)).value_matrices_
    k = len(np.unique(classes))
    starts = random_starts(table.n_objects, k, experiment.trials, experiment.rng("k-modes"))
    labels = kmodes(table, matrices, starts).labels
    yield from ({"run": run, **row} for run, row in enumerate(scored(classes, labels)))


def cost(experiment: Experiment) -> Iterator[Record]:
    """Seconds and memory of one start of each method, each in a process of its own.

    The parameter ``power`` is that of coupledMC.

    Yields
    ------
    dict
        ``method``, ``objects``, ``attributes``, and what `replication.run.cost` measures.
    """
    for method in (*STARTED, "coupledmc", "density_peaks"):
        yield from costs(start, experiment, method, once=experiment.once)


def start(experiment: Experiment, method: str) -> Iterator[Work]:
    """One start of a method, with everything that follows the table in memory."""
    table, classes = mixed(experiment)
    k = int(classes.max()) + 1
    seeds = [experiment.seed(method)]

    def cluster() -> object:
        if method == "coupledmc":
            power = experiment.parameters["power"]
            return _coupled(experiment, table, "coupled_mixed", k, seeds, power)
        if method == "density_peaks":
            return DensityPeaks(k).fit(table)
        return _starts(experiment, table, method, k, seeds)

    labels = {"method": method, "objects": table.n_objects, "attributes": len(table.attributes)}
    # a part of the objects would not do: some code is used for many objects only
    yield Work(labels, cluster, cluster)


def scored(classes: np.ndarray, labels: Iterable[np.ndarray]) -> list[Record]:
    """Scores of several clusterings, and how many clusters each has."""
    rows = []
    for found in labels:
        scores = external_scores(classes, found)
        largest = np.bincount(found).max() / len(found)
        rows.append({name: float(scores[name]) for name in SCORES} | {"largest": float(largest)})
    return rows


def summary(rows: Sequence[Record]) -> Record:
    """Mean and sample standard deviation of the scores of several runs, largest accuracy."""
    result: Record = {"runs": len(rows)}
    result["accuracy_largest"] = max(row["accuracy"] for row in rows)
    for name in SCORES:
        values = np.array([row[name] for row in rows])
        result[name] = float(values.mean())
        result[f"{name}_sd"] = float(values.std(ddof=1)) if len(rows) > 1 else 0.0
    return result


def _seeds(experiment: Experiment, name: str) -> list[int]:
    return [experiment.seed(name, trial=trial) for trial in range(experiment.trials)]


def _starts(
    experiment: Experiment,
    table: MixedTable,
    method: str,
    k: int,
    seeds: Sequence[int],
    starts: int = 1,
    **setting: Any,
) -> list[np.ndarray]:
    """Labels of an algorithm that starts anew for each seed, the best of some starts by cost."""
    size = "n_components" if method == "mixture" else "n_clusters"
    labels = []
    for seed in seeds:
        fitted = [
            experiment.algorithm(method, **{size: k, "random_state": state, **setting}).fit(table)
            for state in ([seed] if starts == 1 else np.random.SeedSequence(seed).spawn(starts))
        ]
        best = fitted[0] if starts == 1 else min(fitted, key=lambda one: one.cost_)
        labels.append(best.labels_)
    return labels


def _diffused(
    experiment: Experiment,
    table: MixedTable,
    method: str,
    k: int,
    seeds: Sequence[int],
    **setting: Any,
) -> np.ndarray:
    """Labels of k-means on the columns of SpectralCAT, which do not depend on the seed."""
    fitted = experiment.algorithm(method, n_clusters=k, random_state=0, **setting).fit(table)
    return _sampled(fitted.embedding_, k, seeds)


def _coupled(
    experiment: Experiment,
    table: MixedTable,
    measure: str,
    k: int,
    seeds: Sequence[int],
    power: int,
) -> np.ndarray:
    """Labels of k-means on the coupled representation."""
    return _sampled(experiment.measure(measure, max_power=power).fit_transform(table), k, seeds)


def _sampled(rows: np.ndarray, k: int, seeds: Sequence[int]) -> np.ndarray:
    """Labels of k-means from k random objects, one row per seed."""
    return kmeans_runs(rows, k, seeds, init="sample").labels


def setting_text(setting: dict[str, Any]) -> str:
    """Text of a setting, such as ``base=z, max_power=3``; no value is the algorithm's own."""
    return ", ".join(f"{key}={'own' if value is None else value}" for key, value in setting.items())


def _grid(settings: dict[str, Sequence[Any]]) -> list[dict[str, Any]]:
    """Points of a grid, its parameters in alphabetical order."""
    names = sorted(settings)
    return [
        dict(zip(names, point, strict=True)) for point in product(*(settings[n] for n in names))
    ]
