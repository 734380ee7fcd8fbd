"""What the methods of CDE cost: time and memory on Adult, times on all sets, growth."""

from __future__ import annotations

import resource
import statistics
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ProcessPoolExecutor
from functools import partial
from multiprocessing import get_context
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from couplings.cluster.kmeans import KMeans
from couplings.cluster.spectral import spectral_embedding
from couplings.counts import cooccurrence
from couplings.table import CategoricalTable
from replication.papers.cde.data import load

if TYPE_CHECKING:
    from couplings.measures.base import ValueMeasure
    from replication.experiment import Experiment

MEBI = 2.0**20
_WARM_ROWS = 200


def memory(experiment: Experiment) -> Iterator[dict[str, Any]]:
    """Spectral embedding of a data set, each method in a process of its own.

    Yields
    ------
    dict
        ``pipeline``, ``repeat``, ``objects``, ``distinct``, ``seconds`` of the spectral embedding
        (with the width, if there is one), ``fit_seconds`` of the measure, ``before_mb`` and
        ``peak_mb``: memory of the process, Python included, when everything is loaded and at its
        peak, ``matrix_mb``: a matrix over all pairs of objects.
    """
    data = load(experiment)
    for name, pipeline in experiment.parameters["pipelines"].items():
        spectral = experiment.algorithm(pipeline["algorithm"], n_clusters=data.n_classes)
        for repeat in range(experiment.trials):
            random = {"random_state": experiment.seed(name)} if "sigma" in pipeline else {}
            measure = experiment.measure(pipeline["measure"], **random)
            with ProcessPoolExecutor(1, get_context("spawn")) as pool:
                costs = pool.submit(
                    _embedding_cost,
                    data.table,
                    measure,
                    spectral.affinity,
                    data.n_classes,
                    spectral.variant,
                    pipeline.get("sigma"),
                ).result()
            yield {
                "pipeline": name,
                "repeat": repeat,
                "objects": data.table.n_objects,
                "distinct": data.distinct.n_objects,
                **costs,
                "matrix_mb": 8 * data.table.n_objects**2 / MEBI,
            }


def _embedding_cost(
    table: CategoricalTable,
    measure: ValueMeasure,
    affinity: str,
    k: int,
    variant: str,
    sigma: str | None,
) -> dict[str, float]:
    """Time and memory of one embedding; runs in a fresh process."""

    def embed(objects: CategoricalTable) -> None:
        width = measure.bandwidth(objects, sigma) if sigma else None
        spectral_embedding(objects, measure, affinity, k, variant, width)

    # the first calls load the compiled kernels, which is no part of the work
    measure.fit(table)
    start = time.perf_counter()
    measure.fit(table)
    fitted = time.perf_counter() - start
    embed(table.take(np.arange(min(_WARM_ROWS, table.n_objects))))
    before = peak_memory()
    start = time.perf_counter()
    embed(table)
    return {
        "seconds": time.perf_counter() - start,
        "fit_seconds": fitted,
        "before_mb": before / MEBI,
        "peak_mb": peak_memory() / MEBI,
    }


def peak_memory() -> int:
    """Largest resident memory of this process so far, in bytes.

    Linux hands the peak of the parent on to a child in `getrusage`, but not in ``/proc``.
    """
    status = Path("/proc/self/status")
    if status.exists():
        for line in status.read_text().splitlines():
            if line.startswith("VmHWM:"):
                return int(line.split()[1]) * 1024
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024


def times(experiment: Experiment) -> Iterator[dict[str, Any]]:
    """Seconds until the objects of a data set are represented, by method.

    An embedding yields its object matrix, a similarity the matrix over all pairs of objects; the
    latter is left out above ``objects`` objects.

    Yields
    ------
    dict
        ``method``, ``kind`` ("embedding" or "similarity"), ``objects``, ``seconds`` (median over
        the trials after one more to warm up).
    """
    data = load(experiment)
    for kind, names in (("embedding", "embeddings"), ("similarity", "similarities")):
        if kind == "similarity" and data.table.n_objects > experiment.parameters["objects"]:
            continue
        for name in experiment.parameters[names]:

            def represent(kind: str = kind, name: str = name) -> None:
                measure = experiment.measure(name)
                if kind == "embedding":
                    measure.fit(data.table).transform(data.table)
                else:
                    measure.fit(data.table).pairwise(data.table)

            yield {
                "method": name,
                "kind": kind,
                "objects": data.table.n_objects,
                "seconds": _median_seconds(represent, experiment.trials),
            }


def _median_seconds(work: Callable[[], object], repeats: int) -> float:
    work()
    seconds = []
    for _ in range(repeats):
        start = time.perf_counter()
        work()
        seconds.append(time.perf_counter() - start)
    return statistics.median(seconds)


def growth(experiment: Experiment) -> Iterator[dict[str, Any]]:
    """Seconds of CDE and of k-means on growing synthetic input.

    Yields
    ------
    dict
        ``work`` ("counts": the co-occurrence counts over n objects; "values": CDE from the counts
        over L values; "kmeans": one update of five centres over n rows), ``size``, ``seconds``,
        and for "values" the ``columns`` of the indicator matrix.
    """
    parameters = experiment.parameters
    for size in parameters["objects"]:
        codes = experiment.rng("objects", str(size)).integers(0, 8, (size, 12))
        table = CategoricalTable.from_codes(codes, [8] * 12)
        seconds = _median_seconds(partial(cooccurrence, table), experiment.trials)
        yield {"work": "counts", "size": size, "seconds": seconds}
    for size in parameters["values"]:
        v = size // 10
        codes = experiment.rng("values", str(size)).integers(0, v, (4000, 10))
        counts = cooccurrence(CategoricalTable.from_codes(codes, [v] * 10))
        measure = experiment.measure("cde", random_state=0)
        seconds = _median_seconds(partial(measure.fit, counts), experiment.trials)
        columns = measure.indicator_.shape[1]
        yield {"work": "values", "size": size, "seconds": seconds, "columns": columns}
    for size in parameters["objects"]:
        rows = experiment.rng("rows", str(size)).standard_normal((size, 20))

        means = KMeans(5, "sample", 0, max_iter=10)
        seconds = _median_seconds(partial(means.fit, rows), experiment.trials)
        # few rows converge before the tenth update
        yield {"work": "kmeans", "size": size, "seconds": seconds / means.n_iter_}
