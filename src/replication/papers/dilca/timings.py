"""Measured times of DILCA and its competitors: Figs 14 and 16, and the cost on Mushroom."""

from __future__ import annotations

import statistics
import time
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import numpy as np

    from couplings.table import CategoricalTable
    from replication.experiment import Experiment

CLASSES = 5
SPREAD = 6.0
"""Shape of the synthetic classes, see `replication.synthetic.gaussian_classes`."""

WARM_UP = (600, 12)
"""Objects and attributes of the table on which everything is compiled before it is timed."""

MEBI = 1024.0


def repeated(work: Callable[[], object], repeats: int, patience: float) -> dict[str, Any]:
    """Time a piece of work several times.

    Parameters
    ----------
    work : callable
        What is timed; its result is dropped. One thread, so that its processor time is what it
        would take on a machine that does nothing else.
    repeats : int
        Largest number of repetitions.
    patience : float
        Seconds (by the clock on the wall) after which no further repetition is started.

    Returns
    -------
    dict
        ``seconds`` (processor time, median), ``fastest``, ``slowest``, ``wall`` (median),
        ``repeats``.
    """
    seconds: list[float] = []
    wall: list[float] = []
    while not wall or (len(wall) < repeats and sum(wall) < patience):
        start, start_wall = time.process_time(), time.perf_counter()
        work()
        seconds.append(time.process_time() - start)
        wall.append(time.perf_counter() - start_wall)
    return {
        "seconds": statistics.median(seconds),
        "fastest": min(seconds),
        "slowest": max(seconds),
        "wall": statistics.median(wall),
        "repeats": len(wall),
    }


# --- scalability --------------------------------------------------------------------------------


def scalability(experiment: Experiment) -> Iterator[dict[str, Any]]:
    """Seconds of every phase and method against objects and attributes: Figs 14 and 16.

    Parameters of the experiment: ``values`` (per attribute), ``instances`` (``sizes``,
    ``attributes``), ``attributes`` (``sizes``, ``instances``, ``beyond`` with ``attributes`` and
    ``values``), ``long`` (``sizes``, ``attributes``; counts and value distances only),
    ``plain_sizes`` and ``euclidean_sizes`` (objects up to which the slow peers are timed),
    ``repeats``, ``patience``.

    Phases of DILCA and DELTA: ``counts`` (the one scan of the data), ``values`` (value distances
    from the counts alone), ``objects`` (all object distances), ``dendrogram`` (Ward). The last
    two are measured once, on the distances of DILCA_M: they are the same code for the three.
    Other methods have one phase, ``clustering``, or ``values`` for a plain DILCA_M on pandas.

    Parameters
    ----------
    experiment : Experiment
        With the measures ``dilca_m`` (at sigma 0), ``dilca_rr``, ``delta`` and the algorithms
        ``rock_keep``, ``limbo``.

    Yields
    ------
    dict
        ``axis``, ``objects``, ``attributes``, ``values``, ``method``, ``phase``, ``seconds``,
        ``fastest``, ``slowest``, ``wall``, ``repeats``.
    """
    import numba
    import numpy as np

    # the machine of the paper is compared by one core, and no method profits from several
    numba.set_num_threads(1)
    given = experiment.parameters
    runner = _Runner(experiment, given["repeats"], given["patience"])
    runner.warm_up(*WARM_UP, given["values"])
    rows = given["instances"]
    # the smaller tables are parts of the largest one, as in the paper
    table = _synthetic(
        experiment, "instances", max(rows["sizes"]), rows["attributes"], given["values"]
    )
    for n in rows["sizes"]:
        first = table.take(np.arange(n))
        yield from runner.phases("instances", first)
        yield from runner.rivals(
            "instances",
            first,
            plain=n <= given["plain_sizes"],
            euclidean=n <= given["euclidean_sizes"],
            rock=True,
        )
    columns = given["attributes"]
    wide = _synthetic(
        experiment, "attributes", columns["instances"], max(columns["sizes"]), given["values"]
    )
    for m in columns["sizes"]:
        part = wide.select(range(m))
        yield from runner.phases("attributes", part)
        # the paper leaves ROCK out here
        yield from runner.rivals("attributes", part, plain=False, euclidean=False, rock=False)
    beyond = columns["beyond"]
    yield from runner.phases(
        "beyond",
        _synthetic(
            experiment, "beyond", columns["instances"], beyond["attributes"], beyond["values"]
        ),
    )
    long = given["long"]
    for n in long["sizes"]:
        yield from runner.values("long", _long(experiment, n, long["attributes"], given["values"]))


class _Runner:
    """Times the parts of the methods, each on disk as soon as it is finished."""

    def __init__(self, experiment: Experiment, repeats: int, patience: float) -> None:
        self._experiment = experiment
        self._limits = (repeats, patience)
        self._measures = {
            "dilca_m": experiment.measure("dilca_m", sigma=0.0),
            "dilca_rr": experiment.measure("dilca_rr"),
            "delta": experiment.measure("delta"),
        }

    def warm_up(self, n: int, m: int, values: int) -> None:
        """Compile everything, on a small table."""
        import numpy as np

        from couplings.cluster.ward import ward_linkage
        from couplings.counts import cooccurrence

        table = _table(np.random.default_rng(0), n, m, values)
        counts = cooccurrence(table)
        for measure in self._measures.values():
            space = measure.fit(counts).space_
        ward_linkage(space.condensed(table), overwrite=True)
        for work in self._algorithms(table).values():
            work()
        # the peers import what they need when they are first called
        one_hot_ward(table, CLASSES)
        plain_dilca_m(table.select([0, 1]).to_pandas(), 0.0)

    def values(self, axis: str, table: CategoricalTable) -> Iterator[dict[str, Any]]:
        """Counts, and value distances from them."""
        from couplings.counts import cooccurrence

        yield self._timed(axis, table, "all", "counts", lambda: cooccurrence(table))
        counts = cooccurrence(table)
        for name, measure in self._measures.items():
            yield self._timed(axis, table, name, "values", lambda m=measure: m.fit(counts))

    def phases(self, axis: str, table: CategoricalTable) -> Iterator[dict[str, Any]]:
        """All phases of DILCA and DELTA."""
        from couplings.cluster.ward import ward_linkage
        from couplings.counts import cooccurrence

        yield from self.values(axis, table)
        space = self._measures["dilca_m"].fit(cooccurrence(table)).space_
        yield self._timed(axis, table, "all", "objects", lambda: space.condensed(table))
        distances = space.condensed(table)
        yield self._timed(axis, table, "all", "dendrogram", lambda: ward_linkage(distances))

    def rivals(
        self, axis: str, table: CategoricalTable, *, plain: bool, euclidean: bool, rock: bool
    ) -> Iterator[dict[str, Any]]:
        """Methods that are timed as a whole."""
        works = self._algorithms(table)
        if not rock:
            del works["rock"]
        for name, work in works.items():
            yield self._timed(axis, table, name, "clustering", work)
        if euclidean:
            yield self._timed(
                axis, table, "one_hot_ward", "clustering", lambda: one_hot_ward(table, CLASSES)
            )
        if plain:
            frame = table.to_pandas()
            yield self._timed(axis, table, "plain", "values", lambda: plain_dilca_m(frame, 0.0))

    def _algorithms(self, table: CategoricalTable) -> dict[str, Callable[[], object]]:
        """LIMBO and ROCK at the worst case of the paper, parameter 0."""
        limbo = self._experiment.algorithm("limbo", n_clusters=CLASSES, phi=0.0)
        rock = self._experiment.algorithm("rock_keep", n_clusters=CLASSES, theta=0.0)
        return {"limbo": lambda: limbo.fit(table), "rock": lambda: rock.fit(table)}

    def _timed(
        self,
        axis: str,
        table: CategoricalTable,
        method: str,
        phase: str,
        work: Callable[[], object],
    ) -> dict[str, Any]:
        n, m = table.n_objects, table.n_attributes
        times = self._experiment.once(
            f"{axis} {n} {m} {method} {phase}", lambda: repeated(work, *self._limits)
        )
        values = int(table.n_values[0])
        where = {"axis": axis, "objects": n, "attributes": m, "values": values}
        return {**where, "method": method, "phase": phase, **times}


def _synthetic(experiment: Experiment, axis: str, n: int, m: int, values: int) -> CategoricalTable:
    return _table(experiment.rng(axis), n, m, values)


def _table(rng: np.random.Generator, n: int, m: int, values: int) -> CategoricalTable:
    """Synthetic classes, in random order of the objects."""
    from couplings.table import CategoricalTable
    from replication.synthetic import gaussian_classes

    codes, _ = gaussian_classes(n, m, values, CLASSES, SPREAD, rng)
    return CategoricalTable.from_codes(codes[rng.permutation(n)], [values] * m)


def _long(experiment: Experiment, n: int, m: int, values: int) -> CategoricalTable:
    """`n` rows drawn from a smaller table with replacement: times depend on sizes only."""
    from couplings.table import CategoricalTable

    rng = experiment.rng("long")
    base = _table(rng, min(n, 20_000), m, values)
    codes = base.codes[rng.integers(0, base.n_objects, n)]
    return CategoricalTable.from_codes(codes, [values] * m)


# --- peers ---------------------------------------------------------------------------------------


def plain_dilca_m(frame: Any, sigma: float) -> list[np.ndarray]:
    """DILCA_M as one would write it with pandas and numpy: the peer of a user without this engine.

    Parameters
    ----------
    frame : DataFrame, shape (n, m)
        Categorical columns, or columns whose values all count as occurring.
    sigma : float
        Factor of the mean symmetric uncertainty, section 3.1 and Algorithm 2.

    Returns
    -------
    list of ndarray of float64, shape (v_j, v_j)
        Value distances of eq. (1), one matrix per column.
    """
    import numpy as np
    import pandas as pd

    names = list(frame.columns)
    m = len(names)
    joint: dict[tuple[int, int], np.ndarray] = {}
    for j in range(m):
        for k in range(j + 1, m):
            counts = pd.crosstab(frame[names[j]], frame[names[k]], dropna=False).to_numpy()
            joint[j, k], joint[k, j] = counts, counts.T
    matrices = []
    for j in range(m):
        others = [k for k in range(m) if k != j]
        related = np.array([_uncertainty(joint[j, k]) for k in others])
        context = [k for k, su in zip(others, related, strict=True) if su >= sigma * related.mean()]
        given = np.hstack([joint[j, k] / joint[j, k].sum(axis=0).clip(1) for k in context])
        difference = given[:, None, :] - given[None, :, :]
        matrices.append(np.sqrt((difference**2).sum(axis=2) / given.shape[1]))
    return matrices


def _uncertainty(counts: np.ndarray) -> float:
    """Symmetric uncertainty of a contingency table, eq. (2)."""
    from scipy.stats import entropy

    rows, columns = entropy(counts.sum(axis=1)), entropy(counts.sum(axis=0))
    if rows + columns == 0:
        return 0.0
    return float(2 * (rows + columns - entropy(counts.ravel())) / (rows + columns))


def one_hot_ward(table: CategoricalTable, n_clusters: int) -> np.ndarray:
    """Labels of Ward's clusters on indicator columns, by scikit-learn.

    Parameters
    ----------
    table : CategoricalTable
        n objects.
    n_clusters : int
        Number of clusters.

    Returns
    -------
    ndarray of int64, shape (n,)
    """
    from sklearn.cluster import AgglomerativeClustering
    from sklearn.preprocessing import OneHotEncoder

    indicators = OneHotEncoder(sparse_output=False).fit_transform(table.codes)
    return AgglomerativeClustering(n_clusters, linkage="ward").fit_predict(indicators)


# --- cost on one data set -------------------------------------------------------------------------


def cost(experiment: Experiment) -> Iterator[dict[str, Any]]:
    """Seconds and peak memory of single methods on a data set, each in a process of its own.

    Parameters of the experiment: ``preparation``, ``runs`` (list of ``method``, ``algorithm`` and
    ``parameters``), ``repeats``, ``patience``.

    Yields
    ------
    dict
        ``method``, ``setting``, ``objects``, ``attributes``; what `measure_fit` returns.
    """
    given = experiment.parameters
    tables = experiment.tables(given["preparation"])
    table, labels = tables.tables[0], tables.labels[0]
    n_clusters = len(set(labels))
    for run in given["runs"]:
        settings = {"n_clusters": n_clusters, **run["parameters"]}
        setting = " ".join(f"{key}={value:g}" for key, value in run["parameters"].items())
        algorithm = experiment.algorithm(run["algorithm"], **settings)
        measured = experiment.once(
            f"{run['method']} {setting}",
            lambda algorithm=algorithm: _apart(
                algorithm, table, given["repeats"], given["patience"]
            ),
        )
        sizes = {"objects": table.n_objects, "attributes": table.n_attributes}
        yield {"method": run["method"], "setting": setting, **sizes, **measured}


def _apart(
    algorithm: Any, table: CategoricalTable, repeats: int, patience: float
) -> dict[str, Any]:
    """Measure in a new process, whose peak of memory is its own."""
    from concurrent.futures import ProcessPoolExecutor
    from multiprocessing import get_context

    with ProcessPoolExecutor(1, mp_context=get_context("spawn")) as pool:
        return pool.submit(measure_fit, algorithm, table, repeats, patience).result()


def measure_fit(
    algorithm: Any, table: CategoricalTable, repeats: int, patience: float
) -> dict[str, Any]:
    """Time the fits of an algorithm in this process, after one that compiles.

    Parameters
    ----------
    algorithm : object
        With ``fit(table)``.
    table : CategoricalTable
        Data.
    repeats, patience
        As in `repeated`.

    Returns
    -------
    dict
        What `repeated` returns; ``base_mb`` (peak before: the interpreter with the compiled code
        and the table) and ``peak_mb`` (highest resident memory of the process), in MiB.
    """
    import numba
    import numpy as np

    numba.set_num_threads(1)
    algorithm.fit(table.take(np.arange(min(table.n_objects, WARM_UP[0]))))
    base = _peak_mb()
    times = repeated(lambda: algorithm.fit(table), repeats, patience)
    return {**times, "base_mb": base, "peak_mb": _peak_mb()}


def _peak_mb() -> float:
    """Highest resident memory of this process so far, in MiB."""
    import resource
    import sys

    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    # Linux counts in KiB, macOS in bytes
    return peak / (MEBI if sys.platform != "darwin" else MEBI**2)
