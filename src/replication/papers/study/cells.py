"""A cell of the study: the clusterings of one data set by one measure and algorithm, scored.

Whatever begins at random begins as often as everything else, and the start that the method itself
finds best counts, see `replication.papers.study.starts`. A cell that cannot be had is never left
out silently: its record says which of the `RULES` left it out.
"""

from __future__ import annotations

import statistics
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from couplings.errors import CouplingsError
from replication.papers.study.data import Prepared
from replication.papers.study.spaces import LeftOutError, Representation, Space, factored, left_out
from replication.papers.study.starts import chosen, single, starts
from replication.run.runner import Clusterings, Objects, Vectors, cluster
from replication.run.scores import score
from replication.steps import OK

if TYPE_CHECKING:
    from replication.run.experiment import Experiment

SCORES = ("ari", "nmi_arithmetic", "accuracy", "macro_f1", "purity")
ALGORITHMS = ("kmodes", "spectral", "ward", "average", "rock", "kmeans")


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
    if "rule" in found.facts:
        return {"algorithm": algorithm, **left_out(**found.facts)}
    blind = found.facts.get("blind", 0.0) if among is None else 0.0
    return {"algorithm": algorithm, "outcome": OK, **summary(found, blind, among)}


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
        ``ari_max``; ``margin`` and ``moved`` of what was chosen.
    """
    counted = slice(None) if among is None else among
    classes = found.objects.classes[counted]
    scores = found.scores(SCORES, among)
    ari = single(found) or [row["ari"] for row in scores]
    failed = score(classes, np.zeros_like(classes), SCORES)
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
        **rounded(scores),
    }


def rounded(scores: list[dict[str, float]]) -> dict[str, float | None]:
    """Least margin of some clusterings, and the mean share of objects moved by rounding."""
    margins = [row["margin"] for row in scores if row.get("margin") is not None]
    shares = [row["moved"] for row in scores if row.get("moved") is not None]
    return {
        "margin": min(margins, default=None),
        "moved": statistics.fmean(shares) if shares else None,
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


def _by_fit(
    experiment: Experiment,
    made: Prepared,
    fitted: list[Any],
    name: str,
    run: Callable[[Any, list[np.random.Generator]], Clusterings],
) -> Clusterings:
    """Clusterings of every start with every fit; a measure without chance has one fit."""
    found = [
        run(space, [experiment.shared(name, trial=t) for t in range(starts(experiment))])
        for space in fitted
    ]
    return Clusterings(
        made.objects,
        np.concatenate([one.labels for one in found]),
        {"fit": [fit for fit, one in enumerate(found) for _ in one.labels]},
        [rounding for one in found for rounding in one.rounding],
        [objective for one in found for objective in one.objectives],
    )


def _kmodes(experiment: Experiment, made: Prepared, fitted: list[Space]) -> Clusterings:
    from couplings.cluster.kmodes import KModes

    def run(space: Space, seeds: list[np.random.Generator]) -> Clusterings:
        if space.sums is None:
            raise LeftOutError("not a sum")
        algorithm = KModes(made.n_classes, init="random", n_init=1)
        return cluster(made.objects, space.sums, algorithm, seeds)

    return _by_fit(experiment, made, fitted, "kmodes", run)


def _spectral(experiment: Experiment, made: Prepared, fitted: list[Space]) -> Clusterings:
    from couplings.cluster.spectral import CategoricalSpectral
    from couplings.spaces import ObjectSpace

    different = made.table.distinct()[0].n_objects

    def run(space: Space, seeds: list[np.random.Generator]) -> Clusterings:
        form: Any = space.objects
        if form.link in ("sum", "rss"):
            form = ObjectSpace(form.matrices, "sum")
        if different > space.limit:
            if form.link != "sum":
                raise LeftOutError("too large", f"{different} different objects")
            form = factored(form)
        algorithm = CategoricalSpectral(made.n_classes, "one-minus", kmeans_init="greedy")
        return cluster(made.objects, form, algorithm, seeds)

    return _by_fit(experiment, made, fitted, "spectral", run)


@dataclass
class Linkage:
    """Hierarchical clustering of all pairs, whose dissimilarities are overwritten.

    Attributes
    ----------
    n_clusters : int
        Number of clusters.
    method : {"ward", "average"}
        Ward's method on the dissimilarities themselves with ties in R's order, or average linkage.
    labels_ : ndarray of int64, shape (n,)
        Cluster of each object, after `fit`.
    """

    n_clusters: int
    method: str
    labels_: np.ndarray | None = field(default=None, init=False)

    def get_params(self, deep: bool = False) -> dict[str, Any]:
        """Return the parameters."""
        return {"n_clusters": self.n_clusters, "method": self.method}

    def fit(self, distances: np.ndarray) -> Linkage:
        """Cluster objects by the condensed dissimilarities of all pairs."""
        from couplings.cluster.ward import ward

        if self.method == "ward":
            settings: dict[str, Any] = {"recurrence": "D", "ties": "R", "overwrite": True}
            self.labels_ = ward(distances, self.n_clusters, **settings)
        else:
            self.labels_ = _average(distances, self.n_clusters)
        return self


def _average(distances: np.ndarray, k: int) -> np.ndarray:
    from scipy.cluster.hierarchy import linkage

    from couplings._kernels import agglomeration

    n = round((1 + (1 + 8 * len(distances)) ** 0.5) / 2)
    # scipy's own cut may return fewer clusters where merges are at the same height
    return agglomeration.cut(linkage(distances, method="average"), n, k)


def over_orders(
    objects: Objects, orders: list[np.ndarray], run: Callable[[int, Objects], Clusterings]
) -> Clusterings:
    """Clusterings of objects in several orders, which decide ties.

    Parameters
    ----------
    orders : list of ndarray of int64, shape (n,)
        Permutations.
    run : callable
        From the number of an order and the objects in it to one clustering.

    Returns
    -------
    Clusterings
        One per order, in the order of `objects`.
    """
    labels = np.empty((len(orders), objects.n_objects), dtype=np.int64)
    for t, order in enumerate(orders):
        labels[t, order] = run(t, objects.ordered(order)).labels[0]
    return Clusterings(objects, labels)


def _hierarchical(method: str) -> Callable[[Experiment, Prepared, list[Any]], Clusterings]:
    """Runs over row orders, the first that of the data set."""

    def runs(experiment: Experiment, made: Prepared, fitted: list[Any]) -> Clusterings:
        n = made.table.n_objects
        count = min(experiment.parameters["orders"], experiment.trials)
        orders = [np.arange(n)] + [
            experiment.shared("order", trial=t).permutation(n) for t in range(1, count)
        ]
        algorithm = Linkage(made.n_classes, method)
        return over_orders(
            made.objects,
            orders,
            lambda t, objects: cluster(
                objects, fitted[t % len(fitted)].condensed(objects, made.rows[orders[t]]), algorithm
            ),
        )

    return runs


def _rock(experiment: Experiment, made: Prepared, fitted: list[Any]) -> Clusterings:
    from couplings.cluster.rock import Rock
    from couplings.measures.coupled import Caso
    from couplings.measures.frequency import Jaccard

    space = fitted[0]
    if isinstance(space, Representation) or not isinstance(space.measure, Jaccard | Caso):
        raise LeftOutError("no links")
    if made.table.n_objects > space.limit:
        raise LeftOutError("too large", f"{made.table.n_objects} objects")
    similarity = None if isinstance(space.measure, Jaccard) else space.measure
    algorithm = Rock(made.n_classes, experiment.parameters["theta"], label="assign")
    return cluster(made.objects, similarity, algorithm)


def _kmeans(experiment: Experiment, made: Prepared, fitted: list[Any]) -> Clusterings:
    from couplings.cluster.kmeans import KMeans
    from couplings.measures.encodings import Encoding

    def run(space: Any, seeds: list[np.random.Generator]) -> Clusterings:
        if isinstance(space, Representation):
            vectors = space.of(made.rows)
        elif isinstance(space.measure, Encoding):
            compact = getattr(space.measure, "compact", space.measure.transform)
            vectors = compact(made.table)
        else:
            raise LeftOutError("no vectors")
        return cluster(made.objects, Vectors(vectors), KMeans(made.n_classes, "greedy"), seeds)

    return _by_fit(experiment, made, fitted, "kmeans", run)


RUNS: dict[str, Callable[[Experiment, Prepared, list[Any]], Clusterings]] = {
    "kmodes": _kmodes,
    "spectral": _spectral,
    "ward": _hierarchical("ward"),
    "average": _hierarchical("average"),
    "rock": _rock,
    "kmeans": _kmeans,
}
"""Algorithms of the grid; each may raise `LeftOutError`."""
