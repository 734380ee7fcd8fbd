"""DILCA's synthetic tables under two settings of their generator, many seeds each.

The settings and seeds of the paper were not printed. The spread over seeds says how far a printed
number could be from ours if the setting is right.
"""

from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from typing import Any

import numpy as np

from couplings.counts import CooccurrenceCounts, cooccurrence
from couplings.table import CategoricalTable
from replication.data.datgen import GENERATED, rule_based
from replication.run.experiment import Experiment
from replication.run.runner import Objects, cluster
from replication.run.trials import SCORES


def generated(
    experiment: Experiment,
    *,
    preparation: str,
    settings: Mapping[str, Mapping[str, Any]],
    tables: int,
    measures: Sequence[str],
    algorithm: str,
    on_tables: Mapping[str, str],
    grids: Mapping[str, dict[str, Any]],
    contexts: Sequence[str],
    below: Sequence[float],
) -> Iterator[dict[str, Any]]:
    """Cluster generated tables of the size of a data set by every method.

    Parameters
    ----------
    experiment : Experiment
        Has the measures and algorithms that are named.
    preparation : str
        Its table gives the sizes; under the setting that is counted it is the first table.
    settings : mapping
        Settings of the generator, see `replication.data.datgen.rule_based`.
    tables : int
        Number of tables per setting.
    measures : sequence of str
        Methods that are measures; `algorithm` clusters their distances.
    algorithm : str
    on_tables : mapping
        Algorithm by method, of those without a measure.
    grids : mapping
        Values of a method's parameter.
    contexts : sequence of str
        Measures of which the sizes of the contexts are recorded.
    below : sequence of float
        Thresholds below those that the paper states; the method ``rock`` takes them too.

    Yields
    ------
    dict
        ``variant`` (of `settings`), ``sample`` (table), ``method``, and by the kind of record

        - ``setting`` (value of the parameter), ``stated`` (false for `below`),
          ``n_clusters_found`` and `SCORES`;
        - ``context_mean`` and ``context_sd``, over the attributes, for a method of `contexts`;
        - ``similarity``, the largest Jaccard similarity of two objects, without a method.
    """
    sizes = experiment.objects(preparation)
    (values,) = set(sizes.table.n_values.tolist())
    shape = sizes.n_objects, sizes.table.n_attributes, values, sizes.n_classes

    def clustered(setting: Mapping[str, Any], s: int) -> dict[str, Any]:
        codes, classes = rule_based(*shape, setting).first(experiment.shared(GENERATED, trial=s))
        table = CategoricalTable.from_codes(codes, [values] * codes.shape[1])
        objects, counts = Objects(table, classes), cooccurrence(table)
        found: list[dict[str, Any]] = [{"method": "", "similarity": _largest_similarity(codes)}]
        for name in contexts:
            chosen = experiment.measure(name).choose_context(counts).sum(axis=1)
            numbers = {"context_mean": float(chosen.mean()), "context_sd": float(chosen.std())}
            found.append({"method": name, **numbers})
        for name in measures:
            grid = grids.get(name, {"": [None]})
            found += _by_measure(experiment, objects, counts, name, algorithm, grid)
        for name, own in on_tables.items():
            ((parameter, stated),) = grids[name].items()
            for value in (*stated, *(below if name == "rock" else ())):
                given = {"n_clusters": objects.n_classes, parameter: value}
                scores = _scored(objects, None, experiment.algorithm(own, **given))
                found.append({"method": name, "setting": value, "stated": value in stated} | scores)
        return {"records": found}

    for variant, setting in settings.items():
        for s in range(tables):
            made = experiment.once(f"{variant} {s}", partial(clustered, setting, s))
            yield from ({"variant": variant, "sample": s, **one} for one in made["records"])


def _by_measure(
    experiment: Experiment,
    objects: Objects,
    counts: CooccurrenceCounts,
    name: str,
    algorithm: str,
    grid: Mapping[str, Sequence[Any]],
) -> Iterator[dict[str, Any]]:
    """Yield the records of a measure; settings with equal contexts are clustered once."""
    ((parameter, values),) = grid.items()
    known: dict[bytes, dict[str, Any]] = {}
    for value in values:
        measure = experiment.measure(name, **({parameter: value} if parameter else {}))
        key = measure.choose_context(counts).tobytes() if parameter else b""
        if key not in known:
            ward = experiment.algorithm(algorithm, n_clusters=objects.n_classes)
            known[key] = _scored(objects, measure.fit(counts), ward)
        yield {"method": name, "setting": value, "stated": True} | known[key]


def _scored(objects: Objects, learnt: Any, algorithm: Any) -> dict[str, Any]:
    made = cluster(objects, learnt, algorithm, again=False)
    found = len(np.unique(made.labels))
    return {"n_clusters_found": found} | {
        name: float(value) for name, value in made.scores(SCORES)[0].items() if name in SCORES
    }


def _largest_similarity(codes: np.ndarray) -> float:
    """Return the largest Jaccard similarity of two objects: equal values over all values."""
    n, m = codes.shape
    equal = np.zeros((n, n), dtype=np.int16)
    for column in codes.T:
        equal += column[:, None] == column
    np.fill_diagonal(equal, 0)
    most = int(equal.max())
    return most / (2 * m - most)
