"""Measure time and memory of CDE and its rivals: on Adult, on all data sets, on growing input."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from typing import Any

import numpy as np

from couplings.cluster.kmeans import KMeans
from couplings.cluster.spectral import spectral_embedding
from couplings.counts import cooccurrence
from couplings.table import CategoricalTable
from replication.papers.cde import PREPARATION
from replication.run.cost import MIB, Work, costs, durations
from replication.run.experiment import Experiment

_WARM_ROWS = 200
"""Objects on which everything is compiled before it is timed."""
_SEEDS = 5
"""Fits behind the time of a random measure, whose number of columns depends on the seed."""


def memory(
    experiment: Experiment, *, pipelines: Mapping[str, dict[str, str]]
) -> Iterator[dict[str, Any]]:
    """Time the spectral embedding of a data set, each method in its own process.

    Records: ``pipeline``, ``objects``, ``distinct`` objects; seconds and memory of the spectral
    embedding, including the bandwidth, by `replication.run.cost`; ``fit_seconds`` of the measure
    alone; ``matrix_mib``, the size of a matrix over all pairs of objects.
    """
    for name, pipeline in pipelines.items():
        fit, embedding = costs(embedded, experiment, name, pipeline, once=experiment.once)
        yield {
            **{key: value for key, value in embedding.items() if key != "piece"},
            "fit_seconds": fit["seconds"],
            "matrix_mib": 8 * embedding["objects"] ** 2 / MIB,
        }


def embedded(experiment: Experiment, name: str, pipeline: dict[str, str]) -> Iterator[Work]:
    """Yield two pieces of work: fit a measure, then embed the objects with it."""
    objects = experiment.objects(PREPARATION)
    table, k = objects.table, objects.n_classes
    spectral = experiment.algorithm(pipeline["algorithm"], n_clusters=k)
    random = {"random_state": experiment.seed(name)} if "sigma" in pipeline else {}
    measure = experiment.measure(pipeline["measure"], **random)

    def embed(some: CategoricalTable) -> None:
        width = measure.bandwidth(some, pipeline["sigma"]) if random else None
        spectral_embedding(some, measure, spectral.affinity, k, spectral.variant, width)

    few = table.take(np.arange(min(_WARM_ROWS, table.n_objects)))
    distinct = table.distinct()[0].n_objects
    labels = {"pipeline": name, "objects": table.n_objects, "distinct": distinct}
    fit = partial(measure.fit, table)
    yield Work({**labels, "piece": "measure"}, fit, fit)
    yield Work({**labels, "piece": "embedding"}, partial(embed, table), partial(embed, few))


def times(
    experiment: Experiment, *, embeddings: Sequence[str], similarities: Sequence[str], objects: int
) -> Iterator[dict[str, Any]]:
    """Time how long each method takes to represent the objects of a data set.

    The representation of an embedding is a matrix of objects and dimensions, that of a similarity
    a matrix over all pairs of objects. Similarities are left out above `objects` objects.

    Records: ``method``, ``kind`` ("embedding" or "similarity"), ``objects``, and the seconds of
    `replication.run.cost`.
    """
    names = {"embedding": embeddings, "similarity": similarities}
    yield from durations(represented, experiment, names, objects, once=experiment.once)


def represented(
    experiment: Experiment, measures_of: Mapping[str, Sequence[str]], most: int
) -> Iterator[Work]:
    """Yield the pieces of work of `times`; ``share`` is one of the fits in a piece."""
    table = experiment.objects(PREPARATION).table
    for kind, names in measures_of.items():
        if kind == "similarity" and table.n_objects > most:
            continue
        for name in names:
            measures = [experiment.measure(name)]
            if "random_state" in measures[0].get_params():
                seeds = [experiment.seed(name, trial=trial) for trial in range(_SEEDS)]
                measures = [experiment.measure(name, random_state=seed) for seed in seeds]
            way = "transform" if kind == "embedding" else "pairwise"

            def represent(way: str = way, measures: list[Any] = measures) -> None:
                for measure in measures:
                    getattr(measure.fit(table), way)(table)

            labels = {"method": name, "kind": kind, "objects": table.n_objects}
            yield Work({**labels, "share": 1 / len(measures)}, represent, represent)


def growth(
    experiment: Experiment,
    *,
    objects: Sequence[int],
    m: int,
    attributes: Sequence[int],
    n: int,
    values: Sequence[int],
    rows: Sequence[int],
    d: int,
    columns: Sequence[int],
) -> Iterator[dict[str, Any]]:
    """Time the parts of CDE and of k-means on synthetic input of growing size.

    One size grows at a time, as `objects`, `attributes`, `values`, `rows` and `columns` list it;
    the others are fixed at `n` objects, `m` attributes and `d` columns.

    Records: ``work``, its ``size``, and the seconds of `replication.run.cost`. The work is to count
    co-occurrences ("objects", "attributes"), to fit CDE to counts of L values ("values"), or to
    update five centres once ("rows", "columns").
    """
    tables = {"objects": (objects, m), "attributes": (attributes, n)}
    matrices = {"rows": (rows, d), "columns": (columns, n)}
    yield from durations(growing, experiment, tables, values, matrices, once=experiment.once)


def growing(
    experiment: Experiment,
    tables: Mapping[str, tuple[Sequence[int], int]],
    values: Sequence[int],
    matrices: Mapping[str, tuple[Sequence[int], int]],
) -> Iterator[Work]:
    """Yield the pieces of work of `growth`; ``share`` is one of the updates in a piece."""

    def work(what: str, size: int, run: Callable[[], object], **labels: float) -> Work:
        return Work({"work": what, "size": size, **labels}, run, run)

    for what, (sizes, fixed) in tables.items():
        for size in sizes:
            n, m = (size, fixed) if what == "objects" else (fixed, size)
            codes = experiment.rng(what, str(size)).integers(0, 8, (n, m))
            table = CategoricalTable.from_codes(codes, [8] * m)
            yield work(what, size, partial(cooccurrence, table))
    for size in values:
        v = size // 10
        codes = experiment.rng("values", str(size)).integers(0, v, (4000, 10))
        counts = cooccurrence(CategoricalTable.from_codes(codes, [v] * 10))
        measure = experiment.measure("cde", random_state=experiment.seed("cde", str(size)))
        yield work("values", size, partial(measure.fit, counts))
    for what, (sizes, fixed) in matrices.items():
        for size in sizes:
            shape = (size, fixed) if what == "rows" else (fixed, size)
            rows = experiment.rng(what, str(size)).standard_normal(shape)
            means = KMeans(5, "sample", experiment.seed("means"), max_iter=10)
            # k-means may converge before the tenth update
            yield work(what, size, partial(means.fit, rows), share=1 / int(means.fit(rows).n_iter_))
