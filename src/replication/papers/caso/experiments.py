"""Experiments of CASO on data sets: clusterings and tests, separation of classes, rare values.

The clusterings are k-modes and spectral clustering (Table XI), ROCK and CROCK (Table XII).
"""

from collections.abc import Callable, Iterator, Sequence
from functools import partial
from typing import Any

import numpy as np
import pandas as pd

from couplings.cluster.neighbours import NeighbourGraph
from couplings.cluster.rock import Rock
from couplings.metrics.internal import internal_indices
from couplings.table import CategoricalTable
from replication.errors import UserError
from replication.papers.caso.examples import PREPARATION
from replication.run.experiment import Experiment
from replication.run.paired import BETWEEN, Pairs, compared, correct
from replication.run.records import available
from replication.run.runner import Clusterings, cluster, per_attribute
from replication.run.scores import MATCHED
from replication.run.statistics import Comparison

KMODES = {"frequency": "kmodes_frequency", "minimiser": "kmodes_minimiser"}
SPECTRAL = {
    ("one-minus", "njw"): "sc_one_minus",
    ("exp-mean", "njw"): "sc_exp_mean",
    ("gauss-mean", "njw"): "sc_gauss_mean",
    ("one-minus", "rw"): "sc_one_minus_rw",
    ("gauss-mean", "rw"): "sc_gauss_mean_rw",
}


def main_algorithms(choice: Callable[[str], str]) -> dict[str, str]:
    """Return the algorithms KM and SC; `choice` answers a question of ``config/readings.yaml``.

    Raises `UserError` if no algorithm is configured for the answers.
    """
    spectral = (choice("caso.affinity"), choice("caso.laplacian"))
    if spectral not in SPECTRAL:
        raise UserError(
            f"config/readings.yaml: caso.affinity {spectral[0]!r} with caso.laplacian "
            f"{spectral[1]!r} is not computed; add the algorithm to `experiments.partitions`"
        )
    return {"KM": KMODES[choice("caso.mode")], "SC": SPECTRAL[spectral]}


def partitions(experiment: Experiment, *, nmi: str) -> Iterator[dict[str, Any]]:
    """Cluster one data set into as many clusters as it has classes, from many starts.

    A trial has the same start for all dissimilarities, which makes paired comparisons possible.

    Records: ``algorithm``, ``measure``, ``trial``, ``ac`` (accuracy by the best one-to-one matching
    of clusters and classes), ``nmi`` (with the normalisation `nmi`).
    """
    wanted = {"ac": "accuracy", "nmi": f"nmi_{nmi}"}
    objects = experiment.objects(PREPARATION)

    def made(name: str, measure: str) -> Clusterings:
        algorithm = experiment.algorithm(name, n_clusters=objects.n_classes)
        starts = "modes" if algorithm.takes == "values" else "means"
        seeds = [experiment.rng(starts, trial=trial) for trial in range(experiment.trials)]
        return cluster(objects, experiment.similarity(measure, PREPARATION), algorithm, seeds)

    for name in experiment.algorithms:
        for measure in experiment.similarities:
            found = experiment.runner.clusterings(
                objects, partial(made, name, measure), algorithm=name, measure=measure
            )
            for trial, scores in enumerate(found.scores(wanted)):
                yield {"algorithm": name, "measure": measure, "trial": trial, **scores}


METHODS = {"rock": None, "crock": "caso"}
"""Measure of the similarity, by method; None for Jaccard's similarity, which is part of ROCK."""
SCORES = MATCHED
"""Precision, recall and specificity, weighted by class size."""


def rock(
    experiment: Experiment,
    *,
    first: float,
    last: float,
    step: float,
    fixed: float,
    most_orders: int | None = None,
) -> Iterator[dict[str, Any]]:
    """Cluster with ROCK and CROCK over a grid of thresholds and over row orders.

    Both methods are deterministic for a given row order, so the repetitions are row orders, at most
    `most_orders`; the first one is that of the file. The printed threshold `fixed` is added to the
    grid from `first` to `last`.

    Records: ``method``, ``theta``, ``order``, `SCORES`, ``clusters`` (left when no clusters have
    links), ``neighbours`` (mean per object).
    """
    objects = experiment.objects(PREPARATION)
    k = objects.n_classes
    grid = {round(first + i * step, 6) for i in range(round((last - first) / step) + 1)}
    thetas = sorted(grid | {fixed})
    orders = range(1, min(experiment.trials, most_orders or experiment.trials))
    rngs = (experiment.rng("order", trial=order) for order in orders)
    parts = [objects, *(objects.ordered(rng.permutation(objects.n_objects)) for rng in rngs)]
    for method, measure in METHODS.items():
        graphs = _graphs(experiment, objects.table, measure, thetas)
        for theta, graph in zip(thetas, graphs, strict=True):
            # links are counted once, in file order, and permuted for the other orders
            graph.keep_links()
            algorithm = experiment.algorithm("rock_assign", n_clusters=k, theta=theta)
            for order, part in enumerate(parts):
                near = graph if not order or part.rows is None else graph.take(part.rows)
                made = experiment.runner.clusterings(
                    part,
                    partial(cluster, part, near, algorithm, observe=_seen),
                    algorithm=method,
                    setting=f"theta={theta:g}",
                    order=order,
                )
                (scores,) = made.scores(SCORES)
                yield {"method": method, "theta": theta, "order": order, **scores, **made.facts}


def _seen(fitted: Rock) -> dict[str, Any]:
    return {"clusters": fitted.n_remaining_, "neighbours": float(fitted.n_neighbours_.mean())}


def _graphs(
    experiment: Experiment, table: CategoricalTable, measure: str | None, thetas: Sequence[float]
) -> Iterator[NeighbourGraph]:
    """Yield the neighbour graph of a similarity at each threshold, in file order."""
    if measure is None:
        yield from (NeighbourGraph.from_table(table, theta) for theta in thetas)
        return
    alike = per_attribute(table, experiment.similarity(measure, PREPARATION))
    graphs = NeighbourGraph.at_thresholds(alike, thetas)
    while graphs:
        # no reference stays here, so that a used graph frees its links
        yield graphs.pop(0)


OURS, OTHERS = "cado", ("smd", "ofd", "add")
STARTS, ORDERS = "starts", "row orders"
TIED = 1e-9
"""Mean scores that differ by less are equal."""


def coupled(comparison: Comparison, *, rock: Sequence[str]) -> list[dict[str, Any]]:
    """Test over data sets, and within each over starts or row orders.

    ROCK and CROCK have the best threshold of each, which uses class labels. Holm's correction
    covers all tests over data sets, all over starts, and all over row orders. `rock` names the data
    sets of Table XII.

    Records: ``algorithm`` (``KM``, ``SC`` or ``ROCK``), ``first``, ``second``, ``score``, and the
    keys of `replication.run.paired.compared`.
    """
    partitions, rocks = (available(comparison.records(name)) for name in ("partitions", "rock"))
    wanted: list[tuple[Any, ...]] = []
    if len(partitions):
        for key, algorithm in main_algorithms(comparison.choice).items():
            runs = partitions[partitions["algorithm"] == algorithm]
            wanted += (
                (key, STARTS, runs, "measure", OURS, other, score, "trial")
                for other in OTHERS
                for score in ("ac", "nmi")
            )
    if len(rocks):
        runs = at_best_threshold(rocks[rocks["dataset"].isin(rock)])
        wanted += (
            ("ROCK", ORDERS, runs, "method", "crock", "rock", score, "order") for score in SCORES
        )
    rows = [
        {"algorithm": key, "first": first, "second": second, "score": score, **row}
        for key, over, runs, column, first, second, score, run in wanted
        for row in compared(pairs_of(runs, column, first, second, score, run), over)
    ]
    for over in (STARTS, ORDERS, BETWEEN):
        correct([row for row in rows if row["over"] == over])
    return rows


def pairs_of(
    records: pd.DataFrame, column: str, first: str, second: str, score: str, run: str
) -> Pairs:
    """Return the scores of two entries of a column by data set, sorted by run."""
    pairs: Pairs = {}
    for name, part in records.groupby("dataset", sort=False):
        sides = (part[part[column] == one].sort_values(run) for one in (first, second))
        a, b = (side[score].tolist() for side in sides)
        pairs[str(name)] = (a, b)
    return pairs


def threshold_means(curve: pd.DataFrame) -> tuple[pd.Series, list[float]]:
    """Return the mean score of a data set and method by threshold, and the best thresholds."""
    means = curve.groupby("theta")[list(SCORES)].mean().mean(axis="columns")
    return means, means.index[means >= means.max() - TIED].tolist()


def best_threshold(curve: pd.DataFrame) -> float:
    """Return the smallest best threshold, which uses class labels, see `threshold_means`."""
    return threshold_means(curve)[1][0]


def at_best_threshold(records: pd.DataFrame) -> pd.DataFrame:
    """Select the records of every data set and method at its own best threshold."""
    curves = records.groupby(["dataset", "method"], sort=False)
    return pd.concat([curve[curve["theta"] == best_threshold(curve)] for _, curve in curves])


ALL_ROWS = "all"
SAMPLE = "sample"


def structure(experiment: Experiment, *, sample: int = 0) -> Iterator[dict[str, Any]]:
    """Compute internal indices of the given classes of one data set under every dissimilarity.

    Records: ``rows`` (`ALL_ROWS`, or `SAMPLE` for `sample` random rows), ``objects``, ``measure``,
    and the indices of `couplings.metrics.internal.internal_indices`.
    """
    whole = experiment.objects(PREPARATION)
    # empty for `sample` 0
    chosen = experiment.rng("sample").choice(whole.n_objects, sample, replace=False)
    parts = {ALL_ROWS: np.arange(whole.n_objects)} | ({SAMPLE: np.sort(chosen)} if sample else {})

    def indices(rows: str, measure: str) -> dict[str, float | None]:
        part = whole.ordered(parts[rows])
        if rows == ALL_ROWS:
            space = experiment.similarity(measure, PREPARATION)
        else:
            # the measure is learned again from the sample
            space = experiment.measure(measure).fit(part.table).space_
        found = internal_indices(part.table, part.classes, space)
        # JSON has no NaN: an undefined index is None
        return {key: None if np.isnan(one) else one for key, one in found.items()}

    for rows, chosen in parts.items():
        for measure in experiment.similarities:
            found = experiment.once(f"{rows} {measure}", partial(indices, rows, measure))
            yield {"rows": rows, "objects": len(chosen), "measure": measure, **found}


def rare_values(
    experiment: Experiment, *, shares: Sequence[float], rare: float
) -> Iterator[dict[str, Any]]:
    """Compute the part of the total dissimilarity that comparisons with rare values contribute.

    A value is rare at a share s if it occurs in at most ``max(1, s n)`` of the n objects. A
    comparison is a pair of objects in one attribute. It is rare if its values differ and one of
    them is rare.

    Records: ``measure``, ``share`` (s), ``comparisons`` (fraction of comparisons that are rare),
    ``distance`` (their fraction of the dissimilarity summed over all pairs of objects).
    """
    table = experiment.tables(PREPARATION).tables[0]
    n = table.n_objects
    every = table.n_attributes * (n * (n - 1) // 2)
    columns = list(zip(table.codes.T, table.n_values, strict=True))
    for name in experiment.similarities:
        matrices = experiment.similarity(name, PREPARATION).matrices
        parts = []
        for j, (codes, v) in enumerate(columns):
            f = np.bincount(codes, minlength=v)
            x, y = np.triu_indices(v, 1)
            pairs = f[x] * f[y]
            parts.append((np.minimum(f[x], f[y]), pairs, pairs * matrices.block(j)[x, y]))
        rarer, pairs, distances = map(np.concatenate, zip(*parts, strict=True))
        total = float(distances.sum())
        for share in sorted({*shares, rare}):
            counts = rarer <= max(1.0, share * n)
            yield {
                "measure": name,
                "share": share,
                "comparisons": float(pairs[counts].sum()) / every,
                "distance": float(distances[counts].sum()) / total if total > 0 else None,
            }
