"""A cell of the study: the clusterings of one data set by one measure and algorithm, scored.

Equal chances: a method that begins at random runs from as many starts as every other one, the
parameter ``restarts`` of the protocol, and the run that counts is the one of the least objective
of the method itself: the sum of dissimilarities to modes, of squares to centres, the
log-likelihood turned round, the criterion that is learnt by. Labels take no part in it. A measure
whose learning is random itself is learnt ``fits`` times, as objectives of different embeddings
cannot be compared, and the mean over the fits counts; hierarchical clusterings have no start and
run over ``orders`` of the rows, of which the mean counts.

A cell that cannot be had is never left out silently: its record says which of the `RULES` left it
out.
"""

from __future__ import annotations

import statistics
from collections.abc import Callable, Generator, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Any

import numpy as np

from couplings.errors import CouplingsError
from replication.papers.study.data import Prepared
from replication.papers.study.spaces import (
    LeftOutError,
    Representation,
    factored,
    fit,
    require_few,
)
from replication.run.experiment import Experiment
from replication.run.runner import Clusterings, Objects, Vectors, cluster
from replication.run.scores import score
from replication.steps import OK

SCORES = ("ari", "nmi_arithmetic", "accuracy", "macro_f1", "purity")
TIE = 1e-9
"""Objectives that differ by a smaller share are equal, and the first of them counts."""


def starts(experiment: Experiment) -> int:
    """Number of starts: the parameter ``restarts``, at most the trials of the effort."""
    return min(experiment.parameters["restarts"], experiment.trials)


def seeds(experiment: Experiment, name: str) -> list[np.random.Generator]:
    """Seeds of all starts, which everything of that name draws from."""
    return [experiment.shared(name, trial=trial) for trial in range(starts(experiment))]


def measured(
    experiment: Experiment, made: Prepared, among: np.ndarray | None = None, **key: str
) -> Generator[dict[str, Any], None, list[Any]]:
    """Yield the cells of a job's one measure with each algorithm.

    Returns
    -------
    list
        What was fitted; empty if a rule leaves the measure out.
    """
    (name,) = experiment.measures
    algorithms = experiment.parameters["algorithms"]
    try:
        fitted = fit(experiment, name, made)
    except LeftOutError as error:
        yield from ({"kind": "cell", "algorithm": one, **error.record} for one in algorithms)
        return []
    for one in algorithms:
        make = partial(clustered, experiment, made, fitted, one)
        yield cell(experiment, made, one, make, among, measure=name, **key)
    return fitted


def cell(
    experiment: Experiment,
    made: Prepared,
    algorithm: str,
    make: Callable[[], Clusterings],
    among: np.ndarray | None = None,
    **key: str,
) -> dict[str, Any]:
    """Record of a cell: scores over its clusterings, or the rule that leaves it out.

    Parameters
    ----------
    algorithm : str
        Id.
    make : callable
        Makes the clusterings of all starts, of which those are kept and scored that `chosen`
        returns; with the share of fits that tell no objects apart as the fact ``blind`` if there
        is one. A `LeftOutError` leaves the cell out, a `CouplingsError` of a library function by
        the rule ``failed``.
    among : ndarray of bool, shape (n,), optional
        Objects that are scored.
    **key : str
        As `replication.run.runner.Runner.clusterings` takes it.
    """

    def guarded() -> Clusterings:
        try:
            return chosen(make(), among)
        except LeftOutError as error:
            return Clusterings.none(made.objects, rule=error.rule, detail=error.detail)
        except CouplingsError as error:
            return Clusterings.none(made.objects, rule="failed", detail=str(error))

    found = experiment.runner.clusterings(made.objects, guarded, algorithm=algorithm, **key)
    record = {"kind": "cell", "algorithm": algorithm}
    if "rule" in found.facts:
        return {**record, **LeftOutError(**found.facts).record}
    blind = found.facts.get("blind", 0.0) if among is None else 0.0
    return {**record, "outcome": OK, **summary(found, blind, among)}


def chosen(found: Clusterings, among: np.ndarray | None = None) -> Clusterings:
    """Keep the start of least objective, of each fit.

    Parameters
    ----------
    found : Clusterings
        Of all starts, with their objectives; without objectives they count all. The fact ``fit``
        says which fit each belongs to, one for all if there is no such fact.
    among : ndarray of bool, shape (n,), optional
        Objects that the single starts are scored on; all by default.

    Returns
    -------
    Clusterings
        One per fit, with the ARI of every single start as the fact ``single``.
    """
    facts = {name: value for name, value in found.facts.items() if name != "fit"}
    if not found.objectives:
        return replace(found, facts=facts)
    fit = np.array(found.facts.get("fit", np.zeros(len(found.labels), dtype=np.int64)))
    kept = [least(found.objectives, np.flatnonzero(fit == one)) for one in np.unique(fit)]
    return Clusterings(
        found.objects,
        found.labels[kept],
        {**facts, "single": [row["ari"] for row in found.scores(["ari"], among)]},
        [found.rounding[t] for t in kept] if found.rounding else [],
        [found.objectives[t] for t in kept],
    )


def least(objectives: Sequence[tuple[float, ...]], among: np.ndarray) -> int:
    """Position of the least objective, the first of those that rounding alone tells apart.

    Only the positions `among` count; all but the last number of an objective are whole.
    """
    *whole, value = min(objectives[t] for t in among)
    limit = (*whole, value + TIE * abs(value))
    return next(int(t) for t in among if objectives[t] <= limit)


def summary(
    found: Clusterings, blind: float = 0.0, among: np.ndarray | None = None
) -> dict[str, Any]:
    """Mean scores of what was chosen, and the spread over single starts.

    A share `blind` of the fits has failed; they count as one cluster of everything in the means.

    Returns
    -------
    dict
        ``trials``, the number of label vectors: one, or one per fit or row order; ``starts``, how
        many starts each of them was chosen from; ``clusters`` and the `SCORES`, means over them;
        ``ari_single``, the mean over all single starts, with ``ari_sd``, ``ari_min``,
        ``ari_max``; the least ``margin``, and the mean share of objects ``moved`` by rounding.
    """
    counted = slice(None) if among is None else among
    classes = found.objects.classes[counted]
    scores = found.scores(SCORES, among)
    ari = list(found.facts.get("single", ())) or [row["ari"] for row in scores]
    failed = score(classes, np.zeros_like(classes), SCORES)
    known = {
        name: [row[name] for row in scores if row.get(name) is not None]
        for name in ("margin", "moved")
    }
    return {
        "trials": len(scores),
        "starts": len(ari) // len(scores),
        "blind": blind,
        "clusters": statistics.fmean(len(np.unique(labels[counted])) for labels in found.labels),
        **{
            name: (1 - blind) * statistics.fmean(row[name] for row in scores) + blind * failed[name]
            for name in SCORES
        },
        "ari_single": (1 - blind) * statistics.fmean(ari) + blind * failed["ari"],
        "ari_sd": statistics.stdev(ari) if len(ari) > 1 else None,
        "ari_min": min(ari),
        "ari_max": max(ari),
        "margin": min(known["margin"], default=None),
        "moved": statistics.fmean(known["moved"]) if known["moved"] else None,
    }


def clustered(
    experiment: Experiment, made: Prepared, fitted: list[Any], algorithm: str
) -> Clusterings:
    """Clusterings of every start, and the share of fits that tell no objects apart.

    Such a fit leaves everything in one cluster; if all do, that is the only clustering.
    """
    from couplings.measures.encodings import Encoding

    seeing = [space for space in fitted if not space.blind]
    if seeing:
        runs = RUNS[algorithm](experiment, made, seeing)
        return replace(runs, facts={**runs.facts, "blind": 1 - len(seeing) / len(fitted)})
    if algorithm == "rock":
        raise LeftOutError("no links")
    if algorithm == "kmeans" and not isinstance(fitted[0].measure, Encoding):
        raise LeftOutError("no vectors")
    return Clusterings(made.objects, np.zeros((1, len(made.labels)), dtype=np.int64))


# --- algorithms: clusterings of every start ------------------------------------------------------

Run = Callable[["Experiment", Prepared, list[Any]], Clusterings]


def _by_fit(name: str, run: Callable[[Prepared, Any, Sequence[Any]], Clusterings]) -> Run:
    """Clusterings of every start with every fit; a measure without chance has one fit."""

    def runs(experiment: Experiment, made: Prepared, fitted: list[Any]) -> Clusterings:
        found = [run(made, space, seeds(experiment, name)) for space in fitted]
        return Clusterings(
            made.objects,
            np.concatenate([one.labels for one in found]),
            {"fit": [fit for fit, one in enumerate(found) for _ in one.labels]},
            [rounding for one in found for rounding in one.rounding],
            [objective for one in found for objective in one.objectives],
        )

    return runs


def _kmodes(made: Prepared, space: Any, seeds: Sequence[Any]) -> Clusterings:
    from couplings.cluster.kmodes import KModes

    if space.sums is None:
        raise LeftOutError("not a sum")
    algorithm = KModes(made.n_classes, init="random", n_init=1)
    return cluster(made.objects, space.sums, algorithm, seeds)


def _spectral(made: Prepared, space: Any, seeds: Sequence[Any]) -> Clusterings:
    from couplings.cluster.spectral import CategoricalSpectral
    from couplings.spaces import ObjectSpace

    form: Any = space.objects
    if form.link in ("sum", "rss"):
        form = ObjectSpace(form.matrices, "sum")
    different = made.table.distinct()[0].n_objects
    if form.link != "sum":
        require_few(space.limit, different, "different objects")
    elif different > space.limit:
        form = factored(form)
    algorithm = CategoricalSpectral(made.n_classes, "one-minus", kmeans_init="greedy")
    return cluster(made.objects, form, algorithm, seeds)


def _kmeans(made: Prepared, space: Any, seeds: Sequence[Any]) -> Clusterings:
    from couplings.cluster.kmeans import KMeans
    from couplings.measures.encodings import Encoding

    if isinstance(space, Representation):
        vectors = space.of(made.rows)
    elif isinstance(space.measure, Encoding):
        compact = getattr(space.measure, "compact", space.measure.transform)
        vectors = compact(made.table)
    else:
        raise LeftOutError("no vectors")
    return cluster(made.objects, Vectors(vectors), KMeans(made.n_classes, "greedy"), seeds)


@dataclass
class Linkage:
    """Hierarchical clustering of all pairs, whose dissimilarities are overwritten.

    The `method` is Ward's on the dissimilarities themselves with ties in R's order (``ward``), or
    average linkage (``average``).
    """

    n_clusters: int
    method: str
    labels_: np.ndarray | None = field(default=None, init=False)

    def get_params(self, deep: bool = False) -> dict[str, Any]:
        """Return the parameters."""
        return {"n_clusters": self.n_clusters, "method": self.method}

    def fit(self, distances: np.ndarray) -> Linkage:
        """Cluster objects by the condensed dissimilarities of all pairs."""
        from scipy.cluster.hierarchy import linkage

        from couplings.cluster.ward import cut, ward

        if self.method == "ward":
            settings: dict[str, Any] = {"recurrence": "D", "ties": "R", "overwrite": True}
            self.labels_ = ward(distances, self.n_clusters, **settings)
        else:
            # scipy's own cut may return fewer clusters where merges are at the same height
            self.labels_ = cut(linkage(distances, method="average"), self.n_clusters)
        return self


def over_orders(
    objects: Objects, orders: list[np.ndarray], run: Callable[[int, Objects], Clusterings]
) -> Clusterings:
    """Clusterings of objects in several orders, which decide ties, one per order.

    `run` makes one from the number of an order and the objects in it; the labels returned are in
    the order of `objects`.
    """
    labels = np.empty((len(orders), objects.n_objects), dtype=np.int64)
    for t, order in enumerate(orders):
        labels[t, order] = run(t, objects.ordered(order)).labels[0]
    return Clusterings(objects, labels)


def _hierarchical(method: str) -> Run:
    """Runs over row orders, the first that of the data set."""

    def runs(experiment: Experiment, made: Prepared, fitted: list[Any]) -> Clusterings:
        n = made.table.n_objects
        count = min(experiment.parameters["orders"], experiment.trials)
        orders = [np.arange(n)] + [
            experiment.shared("order", trial=t).permutation(n) for t in range(1, count)
        ]

        def run(t: int, objects: Objects) -> Clusterings:
            distances = fitted[t % len(fitted)].condensed(objects, made.rows[orders[t]])
            return cluster(objects, distances, Linkage(made.n_classes, method))

        return over_orders(made.objects, orders, run)

    return runs


def _rock(experiment: Experiment, made: Prepared, fitted: list[Any]) -> Clusterings:
    from couplings.cluster.rock import Rock
    from couplings.measures.coupled import Caso
    from couplings.measures.frequency import Jaccard

    space = fitted[0]
    if isinstance(space, Representation) or not isinstance(space.measure, Jaccard | Caso):
        raise LeftOutError("no links")
    require_few(space.limit, made.table.n_objects)
    similarity = None if isinstance(space.measure, Jaccard) else space.measure
    algorithm = Rock(made.n_classes, experiment.parameters["theta"], label="assign")
    return cluster(made.objects, similarity, algorithm)


RUNS: dict[str, Run] = {
    "kmodes": _by_fit("kmodes", _kmodes),
    "spectral": _by_fit("spectral", _spectral),
    "ward": _hierarchical("ward"),
    "average": _hierarchical("average"),
    "rock": _rock,
    "kmeans": _by_fit("kmeans", _kmeans),
}
"""Algorithms of the grid, which every measure is combined with; each may raise `LeftOutError`."""
