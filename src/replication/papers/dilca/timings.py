"""Experiments that measure time and memory of DILCA and its rivals: Figs 14 and 16, Mushroom."""

import itertools
from collections.abc import Callable, Generator, Iterator, Mapping, Sequence
from functools import partial
from typing import Any

import numpy as np
import pandas as pd

from couplings.cluster.ward import ward_linkage
from couplings.counts import CooccurrenceCounts, cooccurrence
from couplings.table import CategoricalTable
from replication.data.gaussian import gaussian_classes
from replication.run.cost import Work, costs, durations
from replication.run.experiment import Experiment

CLASSES = 5
SPREAD = 6.0
"""Number and spread of the synthetic classes, see `replication.data.gaussian.gaussian_classes`."""

WARM_UP = (1000, 12)
"""Objects and attributes of the table on which all kernels are compiled before the timing."""


def scalability(
    experiment: Experiment,
    *,
    values: int,
    instances: Mapping[str, Any],
    attributes: Mapping[str, Any],
    long: Mapping[str, Any],
    plain_sizes: int,
    euclidean_sizes: int,
) -> Iterator[dict[str, Any]]:
    """Measure the seconds of every method and phase on growing tables: Figs 14 and 16.

    DILCA and DELTA have four phases: ``counts`` (the one scan of the data), ``values`` (value
    distances from the counts), ``objects`` (all object distances) and ``dendrogram`` (Ward). The
    last two run the same code for all three methods and are measured once, on the distances of
    DILCA_M. Other methods have the phase ``clustering``; DILCA_M on pandas has ``values``.

    Parameters
    ----------
    experiment : Experiment
        Has the measures ``dilca_m`` (at sigma 0), ``dilca_rr``, ``delta`` and the algorithms
        ``rock_keep``, ``limbo``.
    values : int
        Number of values of an attribute.
    instances, long : mapping
        ``sizes`` (objects) and ``attributes``; long tables are counted and learned from only.
    attributes : mapping
        ``sizes`` (attributes), ``instances``, and ``beyond``: larger tables than the paper's, each
        with ``attributes`` and ``values``.
    plain_sizes, euclidean_sizes : int
        Largest number of objects for DILCA_M on pandas, and for Ward on indicator columns.

    Records: ``axis``, ``objects``, ``attributes``, ``values``, ``method``, ``phase``, the times of
    `run.cost`; for the tables in ``beyond``, each in a process of its own, also its memory.
    """
    peers = {"one_hot_ward": euclidean_sizes, "plain": plain_sizes}
    given = (values, instances, attributes, long, peers)
    yield from durations(curves, experiment, *given, once=experiment.once)
    for size in attributes["beyond"]:
        shape = (attributes["instances"], size["attributes"], size["values"])
        yield from costs(beyond, experiment, *shape, once=experiment.once)


def curves(
    experiment: Experiment,
    values: int,
    instances: Mapping[str, Any],
    attributes: Mapping[str, Any],
    long: Mapping[str, Any],
    peers: Mapping[str, int],
) -> Iterator[Work]:
    """Yield the work behind Figs 14 and 16; `peers` gives the largest size of each slow method."""
    bench = _Bench(experiment, values)
    # as in the paper, smaller tables are parts of the largest one
    whole = max(instances["sizes"]), instances["attributes"]
    table = _synthetic(experiment.rng("instances"), *whole, values)
    for n in instances["sizes"]:
        first = table.take(np.arange(n))
        slow = [name for name, largest in peers.items() if n <= largest]
        yield from bench.phases("instances", first)
        yield from bench.rivals("instances", first, "limbo", "rock", *slow)
    whole = attributes["instances"], max(attributes["sizes"])
    table = _synthetic(experiment.rng("attributes"), *whole, values)
    for m in attributes["sizes"]:
        part = table.select(range(m))
        yield from bench.phases("attributes", part)
        # the paper does not time ROCK here
        yield from bench.rivals("attributes", part, "limbo")
    for n in long["sizes"]:
        # the rows are drawn from a smaller table: times depend on the sizes alone
        rng = experiment.rng("long")
        base = _synthetic(rng, min(n, 20_000), long["attributes"], values)
        yield from bench.values("long", base.take(rng.integers(0, base.n_objects, n)))


def beyond(experiment: Experiment, n: int, m: int, values: int) -> Iterator[Work]:
    """Yield the work on one table with more attributes than the paper's."""
    bench = _Bench(experiment, values, rivals=False)
    yield from bench.phases("beyond", _synthetic(experiment.rng("beyond"), n, m, values))


class _Bench:
    """Methods to be timed, split into phases; creating it compiles all kernels on a small table."""

    def __init__(self, experiment: Experiment, values: int, *, rivals: bool = True) -> None:
        self._measures = {
            "dilca_m": experiment.measure("dilca_m", sigma=0.0),
            "dilca_rr": experiment.measure("dilca_rr"),
            "delta": experiment.measure("delta"),
        }
        small = _synthetic(experiment.rng("warm-up"), *WARM_UP, values)
        works = [*self.phases("", small)]
        if rivals:
            # phi and theta are 0: the worst case of the paper
            self._rivals = {
                "limbo": experiment.algorithm("limbo", n_clusters=CLASSES, phi=0.0).fit,
                "rock": experiment.algorithm("rock_keep", n_clusters=CLASSES, theta=0.0).fit,
                "one_hot_ward": one_hot_ward,
            }
            # LIMBO uses other code for many objects than for few: compile both
            for table in (small, small.take(np.arange(100))):
                works += self.rivals("", table, *self._rivals)
            # the first call imports the libraries; two columns are enough
            works += self.rivals("", small.select([0, 1]), "plain")
        for work in works:
            work.run()

    def values(
        self, axis: str, table: CategoricalTable
    ) -> Generator[Work, None, CooccurrenceCounts]:
        """Yield counting and learning of value distances, and return the counts."""
        yield _work(axis, table, "all", "counts", lambda: cooccurrence(table))
        counts = cooccurrence(table)
        for name, measure in self._measures.items():
            yield _work(axis, table, name, "values", partial(measure.fit, counts))
        return counts

    def phases(self, axis: str, table: CategoricalTable) -> Iterator[Work]:
        """Yield all phases of DILCA and DELTA."""
        counts = yield from self.values(axis, table)
        space = self._measures["dilca_m"].fit(counts).space_
        del counts  # they are large for many attributes
        yield _work(axis, table, "all", "objects", lambda: space.condensed(table))
        distances = space.condensed(table)
        yield _work(axis, table, "all", "dendrogram", lambda: ward_linkage(distances))

    def rivals(self, axis: str, table: CategoricalTable, *names: str) -> Iterator[Work]:
        """Yield the methods that have a single phase."""
        for name in names:
            if name == "plain":
                frame = table.to_pandas()
                yield _work(axis, table, name, "values", partial(plain_dilca_m, frame, 0.0))
            else:
                yield _work(axis, table, name, "clustering", partial(self._rivals[name], table))


def _work(
    axis: str, table: CategoricalTable, method: str, phase: str, run: Callable[[], object]
) -> Work:
    sizes = {"objects": table.n_objects, "attributes": table.n_attributes}
    sizes["values"] = int(table.n_values[0])
    return Work({"axis": axis, **sizes, "method": method, "phase": phase}, run)


def operations(
    experiment: Experiment,
    *,
    values: int,
    instances: Mapping[str, Any],
    attributes: Mapping[str, Any],
) -> Iterator[dict[str, Any]]:
    """Count the operations of one scan and of learning on growing tables.

    Parameters are those of `scalability`.

    Records: ``axis``, ``objects``, ``attributes``, ``method``; ``scan`` (number of co-occurrences
    counted); ``learning`` (number of cells read for the uncertainties, of attributes compared, and
    of terms summed for the value distances).
    """
    sizes = [("instances", n, instances["attributes"]) for n in instances["sizes"]]
    sizes += [("attributes", attributes["instances"], m) for m in attributes["sizes"]]
    for axis, n, m in sizes:
        counts = cooccurrence(_synthetic(experiment.rng(axis), n, m, values))
        sized = counts.n_values.astype(np.int64)
        pairs, others = sized * (sized - 1) // 2, sized.sum() - sized
        scan = (int(counts.matrix.sum()) - n * m) // 2
        for name, setting in (("dilca_m", {"sigma": 0.0}), ("dilca_rr", {})):
            measure = experiment.measure(name, **setting).fit(counts)
            order = np.argsort(-measure.symmetric_uncertainty_, axis=1, kind="stable")
            # DILCA_RR compares an attribute of the context with all that are less related
            later = m - 1 - np.argsort(order, axis=1, kind="stable")
            compared = (later * measure.context_).sum() if name == "dilca_rr" else m * (m - 1)
            summed = (pairs * measure.context_.sum(axis=1)).sum()
            read = (sized * others).sum() // 2 + (pairs * others).sum()
            what = {"axis": axis, "objects": n, "attributes": m, "method": name}
            yield {**what, "scan": scan, "learning": int(read + compared + summed)}


def _synthetic(rng: np.random.Generator, n: int, m: int, values: int) -> CategoricalTable:
    """Draw a table of synthetic classes, objects in random order."""
    codes, _ = gaussian_classes(n, m, values, CLASSES, SPREAD, rng)
    return CategoricalTable.from_codes(codes[rng.permutation(n)], [values] * m)


def plain_dilca_m(frame: pd.DataFrame, sigma: float) -> list[np.ndarray]:
    """Compute the value distances of DILCA_M with pandas and numpy, without this library.

    Parameters
    ----------
    frame : DataFrame, shape (n, m)
        Columns of categorical dtype, or of values that all occur.
    sigma : float
        Factor of the mean symmetric uncertainty (section 3.1 and Algorithm 2).

    Returns
    -------
    list of ndarray of float64, shape (v_j, v_j)
        Value distances of eq. (1), one matrix per column.
    """
    joint: dict[tuple[str, str], np.ndarray] = {}
    for j, k in itertools.combinations(frame, 2):
        counts = pd.crosstab(frame[j], frame[k], dropna=False).to_numpy()
        joint[j, k], joint[k, j] = counts, counts.T
    matrices = []
    for j in frame:
        others = [k for k in frame if k != j]
        related = np.array([_uncertainty(joint[j, k]) for k in others])
        context = [k for k, su in zip(others, related, strict=True) if su >= sigma * related.mean()]
        given = np.hstack([joint[j, k] / joint[j, k].sum(axis=0).clip(1) for k in context])
        difference = given[:, None, :] - given[None, :, :]
        matrices.append(np.sqrt((difference**2).sum(axis=2) / given.shape[1]))
    return matrices


def _uncertainty(counts: np.ndarray) -> float:
    """Return the symmetric uncertainty of a contingency table, eq. (2)."""
    from scipy.stats import entropy

    both = entropy(counts.sum(axis=1)) + entropy(counts.sum(axis=0))
    return float(2 * (both - entropy(counts.ravel())) / both) if both else 0.0


def one_hot_ward(table: CategoricalTable, n_clusters: int = CLASSES) -> np.ndarray:
    """Cluster indicator columns with Ward's method of scikit-learn and return the labels."""
    from sklearn.cluster import AgglomerativeClustering
    from sklearn.preprocessing import OneHotEncoder

    indicators = OneHotEncoder(sparse_output=False).fit_transform(table.codes)
    return AgglomerativeClustering(n_clusters, linkage="ward").fit_predict(indicators)


def cost(
    experiment: Experiment, *, preparation: str, runs: Sequence[Mapping[str, Any]]
) -> Iterator[dict[str, Any]]:
    """Measure seconds and memory of single methods on a data set, each in its own process.

    Each of `runs` has ``method``, ``algorithm`` and ``parameters``.

    Records: ``method``, ``setting``, ``objects``, ``attributes``, and the columns of `run.cost`.
    """
    for run in runs:
        yield from costs(fit, experiment, preparation, run, once=experiment.once)


def fit(experiment: Experiment, preparation: str, run: Mapping[str, Any]) -> Iterator[Work]:
    """Yield the work of one of the runs of `cost`; the warm-up takes the first objects."""
    tables = experiment.tables(preparation)
    table, labels = tables.tables[0], tables.labels[0]
    settings = {"n_clusters": len(set(labels)), **run["parameters"]}
    algorithm = experiment.algorithm(run["algorithm"], **settings)
    few = table.take(np.arange(min(table.n_objects, WARM_UP[0])))
    what = {
        "method": run["method"],
        "setting": " ".join(f"{key}={value:g}" for key, value in run["parameters"].items()),
        "objects": table.n_objects,
        "attributes": table.n_attributes,
    }
    yield Work(what, lambda: algorithm.fit(table), lambda: algorithm.fit(few))
