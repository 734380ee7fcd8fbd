"""A cell of the study: the clusterings of one data set by one measure and algorithm, scored.

Equal chances: one replicate is the procedure that a user would follow. A method that begins at
random runs from as many starts as every other one, the parameter ``restarts`` of the protocol, and
the run that counts is the one of the least objective of the method itself: the sum of
dissimilarities to modes, of squares to centres, the negated log-likelihood, the criterion that is
learnt by. Labels take no part in it. A measure whose learning is random is learnt anew in each
replicate; a method without starts (hierarchies, ROCK, LIMBO) has another order of the rows in each.

Equal replication: every cell has the same rule for the number of replicates, see `replicated`.

A cell that cannot be had is never left out silently: its record says which of the `RULES` left it
out.
"""

from __future__ import annotations

import math
import statistics
from collections.abc import Callable, Generator, Sequence
from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np

from couplings.errors import CouplingsError
from replication.papers.study.data import Prepared
from replication.papers.study.spaces import (
    LeftOutError,
    Representation,
    factored,
    fits,
    require_few,
)
from replication.run.experiment import Experiment
from replication.run.rounding import ROUNDED
from replication.run.runner import Clusterings, Objects, Vectors, cluster
from replication.run.scores import score
from replication.steps import OK

SCORES = ("ari", "nmi_arithmetic", "accuracy", "macro_f1", "purity")
TIE = 1e-9
"""Objectives that differ by a smaller share are equal, and the first of them counts."""
SETTLED = "settled"
"""Fact of a clustering that every further replicate would repeat."""

Make = Callable[[int], Clusterings]
"""Clusterings of the starts of one replicate, by its number."""

once = partial(cluster, again=False)
"""Cluster without asking what rounding moves: replicates show more than that."""


def starts(experiment: Experiment) -> int:
    """Number of starts: the parameter ``restarts``, at most the trials of the effort."""
    return min(experiment.parameters["restarts"], experiment.trials)


def seeds(experiment: Experiment, name: str, replicate: int = 0) -> list[np.random.Generator]:
    """Seeds of all starts of a replicate, which everything of that name draws from."""
    count = starts(experiment)
    first = replicate * count
    return [experiment.shared(name, trial=trial) for trial in range(first, first + count)]


def measured(
    experiment: Experiment, made: Prepared, among: np.ndarray | None = None, **key: str
) -> Generator[dict[str, Any], None, Any]:
    """Yield the cells of a job's one measure with each algorithm.

    Returns
    -------
    Space, Representation or None
        What the first replicate has learnt; None if a rule leaves the measure out.
    """
    (name,) = experiment.measures
    algorithms = experiment.parameters["algorithms"]
    try:
        fitted = fits(experiment, name, made)
        first = fitted(0)
    except LeftOutError as error:
        yield from ({"kind": "cell", "algorithm": one, **error.record} for one in algorithms)
        return None
    for one in algorithms:
        make = partial(clustered, experiment, made, fitted, one)
        yield cell(experiment, made, one, make, among, measure=name, **key)
    return first


def cell(
    experiment: Experiment,
    made: Prepared,
    algorithm: str,
    make: Make,
    among: np.ndarray | None = None,
    **key: str,
) -> dict[str, Any]:
    """Record of a cell: scores over its replicates, or the rule that leaves it out.

    Parameters
    ----------
    algorithm : str
        Id.
    make : callable
        Makes the clusterings of a replicate. A `LeftOutError` leaves the cell out, a
        `CouplingsError` of a library function by the rule ``failed``.
    among : ndarray of bool, shape (n,), optional
        Objects that are scored.
    **key : str
        As `replication.run.runner.Runner.clusterings` takes it.
    """

    def guarded() -> Clusterings:
        try:
            return replicated(experiment, made.objects, make, among)
        except LeftOutError as error:
            return Clusterings.none(made.objects, rule=error.rule, detail=error.detail)
        except CouplingsError as error:
            return Clusterings.none(made.objects, rule="failed", detail=str(error))

    found = experiment.runner.clusterings(made.objects, guarded, algorithm=algorithm, **key)
    record = {"kind": "cell", "algorithm": algorithm}
    if "rule" in found.facts:
        return {**record, **LeftOutError(**found.facts).record}
    return {**record, "outcome": OK, **summary(found, among)}


def replicated(
    experiment: Experiment, objects: Objects, make: Make, among: np.ndarray | None = None
) -> Clusterings:
    """Repeat a cell until its mean ARI is known well enough.

    The parameter ``replicates`` is the rule, the same for every method: rounds of ``least``
    replicates, until the standard error of the mean ARI is below ``error``, or ``most`` are
    reached, or one round more would cluster more than ``objects`` objects (replicates times
    objects). What is `SETTLED` is clustered once.

    Returns
    -------
    Clusterings
        One per replicate, with the mean ARI of all single starts as the fact ``single``.
    """
    rule, counted = experiment.parameters["replicates"], slice(None) if among is None else among
    step = min(rule["least"], experiment.trials)
    affordable = min(rule["most"], experiment.trials, rule["objects"] // objects.n_objects)
    labels: list[np.ndarray] = []
    ari: list[float] = []
    single: list[float] = []
    found = None
    while len(ari) < step or (len(ari) + step <= affordable and error(ari) >= rule["error"]):
        for replicate in range(len(ari), len(ari) + step):
            if found is None or SETTLED not in found.facts:
                found = make(replicate)
                scores = [
                    score(objects.classes[counted], row[counted], ["ari"])["ari"]
                    for row in found.labels
                ]
                best = least(found.objectives) if found.objectives else 0
            labels.append(found.labels[best])
            ari.append(scores[best])
            single.extend(scores)
    return Clusterings(objects, np.array(labels), {"single": float(np.mean(single))})


def least(objectives: Sequence[tuple[float, ...]]) -> int:
    """Position of the least objective, the first of those that rounding alone tells apart.

    All but the last number of an objective are whole.
    """
    *whole, value = min(objectives)
    limit = (*whole, value + TIE * abs(value))
    return next(t for t, one in enumerate(objectives) if one <= limit)


def error(values: Sequence[float]) -> float:
    """Standard error of the mean of values; infinite for a single one."""
    return statistics.stdev(values) / math.sqrt(len(values)) if len(values) > 1 else math.inf


def summary(found: Clusterings, among: np.ndarray | None = None) -> dict[str, Any]:
    """Mean scores over the replicates.

    Returns
    -------
    dict
        ``replicates``; ``clusters`` and the `SCORES`, means over them; of the ARI ``ari_sd``, the
        standard deviation over replicates, and ``ari_error``, the standard error of the mean, None
        for a single replicate; ``ari_single``, the mean ARI of all single starts.
    """
    counted = slice(None) if among is None else among
    scores = found.scores(SCORES, among)
    ari = [row["ari"] for row in scores]
    several = len(ari) > 1
    return {
        "replicates": len(ari),
        "clusters": float(np.mean([len(np.unique(labels[counted])) for labels in found.labels])),
        **{name: float(np.mean([row[name] for row in scores])) for name in SCORES},
        "ari_sd": statistics.stdev(ari) if several else None,
        "ari_error": error(ari) if several else None,
        "ari_single": found.facts["single"],
    }


def clustered(
    experiment: Experiment,
    made: Prepared,
    fitted: Callable[[int], Any],
    algorithm: str,
    replicate: int,
) -> Clusterings:
    """Clusterings of a replicate; one cluster of everything if its fit tells no objects apart."""
    from couplings.measures.encodings import Encoding

    space = fitted(replicate)
    if not space.blind:
        return RUNS[algorithm](experiment, made, space, replicate)
    if algorithm == "rock":
        raise LeftOutError("no links")
    if algorithm == "kmeans" and not isinstance(space.measure, Encoding):
        raise LeftOutError("no vectors")
    return Clusterings(made.objects, np.zeros((1, len(made.labels)), dtype=np.int64))


# --- algorithms: clusterings of one replicate ----------------------------------------------------

Run = Callable[[Experiment, Prepared, Any, int], Clusterings]


def _kmodes(experiment: Experiment, made: Prepared, space: Any, replicate: int) -> Clusterings:
    from couplings.cluster.kmodes import KModes

    if space.sums is None:
        raise LeftOutError("not a sum")
    algorithm = KModes(made.n_classes, init="random", n_init=1)
    return once(made.objects, space.sums, algorithm, seeds(experiment, "kmodes", replicate))


def _spectral(experiment: Experiment, made: Prepared, space: Any, replicate: int) -> Clusterings:
    from couplings.cluster.kmeans import KMeans
    from couplings.cluster.spectral import spectral_embedding
    from couplings.spaces import ObjectSpace

    if space.embedding is None:
        form: Any = space.objects
        if form.link in ("sum", "rss"):
            form = ObjectSpace(form.matrices, "sum")
        different = made.table.distinct()[0].n_objects
        if form.link != "sum":
            require_few(space.limit, different, "different objects")
        elif different > space.limit:
            form = factored(form)
        space.embedding = spectral_embedding(made.table, form, "one-minus", made.n_classes)
    algorithm = KMeans(made.n_classes, "greedy")
    return once(made.objects, space.embedding, algorithm, seeds(experiment, "spectral", replicate))


def _kmeans(experiment: Experiment, made: Prepared, space: Any, replicate: int) -> Clusterings:
    from couplings.cluster.kmeans import KMeans
    from couplings.measures.encodings import Encoding

    if isinstance(space, Representation):
        vectors = space.of(made.objects)
    elif isinstance(space.measure, Encoding):
        vectors = getattr(space.measure, "compact", space.measure.transform)(made.table)
    else:
        raise LeftOutError("no vectors")
    algorithm = KMeans(made.n_classes, "greedy")
    return once(made.objects, Vectors(vectors), algorithm, seeds(experiment, "kmeans", replicate))


def in_order(
    experiment: Experiment, objects: Objects, replicate: int, run: Callable[[Objects], Clusterings]
) -> Clusterings:
    """Clustering of objects in the row order of a replicate, the first that of the table.

    `run` clusters the objects in that order; the labels returned are in the order of `objects`.
    """
    order = np.arange(objects.n_objects)
    if replicate:
        order = experiment.shared("order", trial=replicate).permutation(order)
    found = run(objects.ordered(order))
    labels = np.empty((1, objects.n_objects), dtype=np.int64)
    labels[0, order] = found.labels[0]
    return replace(found, objects=objects, labels=labels)


def _ward(experiment: Experiment, made: Prepared, space: Any, replicate: int) -> Clusterings:
    from couplings.cluster.ward import Ward

    def run(objects: Objects) -> Clusterings:
        algorithm = Ward(made.n_classes, recurrence="D", ties="R", copy=False)
        return once(objects, space.condensed(objects), algorithm, observe=unordered)

    return in_order(experiment, made.objects, replicate, run)


def unordered(fitted: Any) -> dict[str, bool]:
    """Fact `SETTLED` of a Ward whose clusters no order of the rows can change."""
    return {SETTLED: True} if not fitted.tied_ and fitted.margin_ > ROUNDED else {}


def _average(experiment: Experiment, made: Prepared, space: Any, replicate: int) -> Clusterings:
    from scipy.cluster.hierarchy import linkage

    from couplings.cluster.ward import cut

    def run(objects: Objects) -> Clusterings:
        # scipy's own cut may return fewer clusters where merges are at the same height
        labels = cut(linkage(space.condensed(objects), method="average"), made.n_classes)
        return Clusterings(objects, labels[None])

    return in_order(experiment, made.objects, replicate, run)


def _rock(experiment: Experiment, made: Prepared, space: Any, replicate: int) -> Clusterings:
    from couplings.cluster.rock import Rock
    from couplings.measures.coupled import Caso
    from couplings.measures.frequency import Jaccard

    if isinstance(space, Representation) or not isinstance(space.measure, Jaccard | Caso):
        raise LeftOutError("no links")
    require_few(space.limit, made.table.n_objects)
    similarity = None if isinstance(space.measure, Jaccard) else space.measure
    algorithm = Rock(made.n_classes, experiment.parameters["theta"], label="assign")
    return in_order(
        experiment, made.objects, replicate, lambda objects: once(objects, similarity, algorithm)
    )


RUNS: dict[str, Run] = {
    "kmodes": _kmodes,
    "spectral": _spectral,
    "ward": _ward,
    "average": _average,
    "rock": _rock,
    "kmeans": _kmeans,
}
"""Algorithms of the grid, which every measure is combined with; each may raise `LeftOutError`."""
