"""What the study computes: every measure with every algorithm on every data set.

A cell that cannot be had is never left out silently: it becomes a record that says which rule
left it out (`RULES`).
"""

from __future__ import annotations

import statistics
from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from couplings.errors import CouplingsError
from replication.papers.study.data import Prepared, mixed_table, prepared, profile, shared
from replication.run.cost import SECONDS, Work, costs
from replication.steps import OK

if TYPE_CHECKING:
    from couplings.space import ObjectSpace
    from couplings.values import ValueMatrices
    from replication.run.experiment import Experiment

SCORES = ("ari", "nmi_arithmetic", "accuracy", "macro_f1", "purity")
INDICES = ("rd", "dbi", "di", "sd_mean")
ALGORITHMS = ("kmodes", "spectral", "ward", "average", "rock", "kmeans")
RULES = {
    "not a sum": "k-modes adds up dissimilarities of values; this one is no sum over attributes",
    "too large": "the algorithm needs all pairs of objects, and there are more than the limit",
    "no links": "ROCK is defined on Jaccard's neighbours, CROCK on those of CASO",
    "no vectors": "k-means needs vectors; the measure gives dissimilarities only",
    "not mixed": "the representation needs categorical and numeric attributes",
    "vectors only": "the representation is a table of vectors; the algorithm needs values",
    "failed": "the algorithm gave up",
    "few rows": "less than half of the rows are without a missing cell",
}


class LeftOutError(Exception):
    """A cell that a rule leaves out.

    Parameters
    ----------
    rule : str
        Key of `RULES`.
    detail : str
        What happened.
    """

    def __init__(self, rule: str, detail: str = "") -> None:
        super().__init__(rule, detail)
        self.rule, self.detail = rule, detail


class Space:
    """A fitted measure, in the forms that the algorithms ask for.

    Parameters
    ----------
    measure : ValueMeasure
        Fitted.
    limit : int
        Most objects for which all pairs are computed.

    Attributes
    ----------
    measure : ValueMeasure
        As given.
    objects : ObjectSpace
        The dissimilarity of objects. A similarity (`Caso`) is turned round, value by value.
    """

    def __init__(self, measure: Any, limit: int) -> None:
        from couplings.measures.coupled import Caso
        from couplings.space import ObjectSpace

        self.measure, self.limit = measure, limit
        self.objects = measure.space_
        if isinstance(measure, Caso):
            self.objects = ObjectSpace(turned_round(measure.value_matrices_), "sum")

    @property
    def sums(self) -> ValueMatrices | None:
        """The matrices whose sums order the pairs of objects as the dissimilarity does.

        For roots of sums of squares these are the squares, for Jaccard the mismatches. None for a
        quotient of sums.
        """
        additive = self.objects.link in ("sum", "rss", "jaccard")
        return self.objects.matrices if additive else None

    @property
    def blind(self) -> bool:
        """Whether no two values of any attribute differ in what the measure adds up."""
        matrices = self.objects.matrices
        return all(np.ptp(matrices.block(j)) == 0 for j in range(matrices.n_attributes))

    def condensed(self, made: Prepared) -> np.ndarray:
        """Dissimilarities of all pairs.

        Raises
        ------
        LeftOutError
            If there are too many objects.
        """
        if made.table.n_objects > self.limit:
            raise LeftOutError("too large", f"{made.table.n_objects} objects")
        return self.objects.condensed(made.table)


class Vectors:
    """A representation of objects by vectors, for the algorithms that can use one.

    Parameters
    ----------
    rows : ndarray of float64, shape (n, d)
        One vector per object.
    positions : ndarray of int64, shape (n,)
        The objects, as in `Prepared.rows`.
    limit : int
        Most objects for which all pairs are computed.
    """

    blind = False

    def __init__(self, rows: np.ndarray, positions: np.ndarray, limit: int) -> None:
        self.limit = limit
        self._rows = np.empty((int(positions.max()) + 1, rows.shape[1]))
        self._rows[positions] = rows

    def of(self, made: Prepared) -> np.ndarray:
        """Vectors of the objects of a data set, in its order."""
        return self._rows[made.rows]

    @property
    def sums(self) -> None:
        """There are no value matrices: `LeftOutError`."""
        raise LeftOutError("vectors only")

    objects = sums

    def condensed(self, made: Prepared) -> np.ndarray:
        """Euclidean distances of all pairs; see `Space.condensed`."""
        from scipy.spatial.distance import pdist

        if made.table.n_objects > self.limit:
            raise LeftOutError("too large", f"{made.table.n_objects} objects")
        return pdist(self.of(made))


def turned_round(similarities: ValueMatrices) -> ValueMatrices:
    """Dissimilarities of values: the largest similarity of the attribute, minus each.

    Parameters
    ----------
    similarities : ValueMatrices
        One square per attribute.

    Returns
    -------
    ValueMatrices
        Not negative.
    """
    from couplings.values import ValueMatrices

    blocks = [similarities.block(j) for j in range(similarities.n_attributes)]
    return ValueMatrices.from_blocks([block.max() - block for block in blocks])


def _factored(space: ObjectSpace) -> ObjectSpace:
    """Return the space without the way over all pairs: too many objects for that."""
    from couplings.space import ObjectSpace

    class Factored(ObjectSpace):
        def pairwise(self, table: Any, out: Any = None, dtype: Any = None) -> np.ndarray:
            raise LeftOutError("too large", f"{table.n_objects} different objects, no factors")

    return Factored(space.matrices, space.link)


# --- the grid ------------------------------------------------------------------------------------


def grid(experiment: Experiment) -> Iterator[dict[str, Any]]:
    """One measure on one data set: all algorithms, internal indices, sampled dissimilarities."""
    (name,) = experiment.measures
    made = prepared(experiment)
    common = {"measure": name, "label": experiment.measures[name]["label"]}
    for record in _cells(experiment, made):
        yield {**common, **record}


def _cells(experiment: Experiment, made: Prepared) -> Iterator[dict[str, Any]]:
    """Records of one measure on one prepared data set."""
    (name,) = experiment.measures
    fitted, refused = _fitted(experiment, name, made)
    for algorithm in experiment.parameters["algorithms"]:
        if refused:
            yield {"kind": "cell", "algorithm": algorithm, **refused}
            continue
        yield experiment.once(algorithm, lambda a=algorithm: _cell(experiment, made, fitted, a))
    if refused or isinstance(fitted[0], Vectors):
        return
    yield experiment.once("indices", lambda: _indices(made, fitted[0]))
    yield from experiment.once("pairs", lambda: {"rows": _pairs(experiment, made, fitted[0])})[
        "rows"
    ]


def _fitted(experiment: Experiment, name: str, made: Prepared) -> tuple[list[Any], dict[str, str]]:
    """Fitted measure, one per trial if it is random; or the record of why there is none."""
    from couplings.measures.coupled_mixed import CoupledMixed

    measure = experiment.measure(name)
    limit = experiment.parameters["limit"]
    if isinstance(measure, CoupledMixed):
        return _mixed(experiment, name, made)
    random = "random_state" in measure.get_params()
    states = [
        {"random_state": experiment.seed("measure", trial=t)} if random else {}
        for t in range(experiment.trials if random else 1)
    ]
    try:
        fitted = [
            Space(experiment.measure(name, **state).fit(made.table), limit) for state in states
        ]
    except CouplingsError as error:
        return [], _left_out("failed", str(error))
    return fitted, {}


def _left_out(rule: str, detail: str = "") -> dict[str, str]:
    return {"outcome": "left out", "rule": rule, "detail": detail}


def _cell(
    experiment: Experiment, made: Prepared, fitted: list[Any], algorithm: str
) -> dict[str, Any]:
    """Scores of one algorithm over its trials, or the rule that leaves it out."""
    record = {"kind": "cell", "algorithm": algorithm}
    try:
        partitions, blind = _partitions(experiment, made, fitted, algorithm)
    except LeftOutError as error:
        return {**record, **_left_out(error.rule, error.detail)}
    except CouplingsError as error:
        return {**record, **_left_out("failed", str(error))}
    return {**record, "outcome": OK, **_scored(partitions, blind)}


def scored_cell(
    algorithm: str,
    partitions: Callable[[], Iterable[tuple[np.ndarray, np.ndarray]]] | None = None,
    rule: str = "",
) -> dict[str, Any]:
    """Record of an algorithm's cell: the scores of its partitions, or the rule that leaves it out.

    Parameters
    ----------
    algorithm : str
        Id.
    partitions : callable, optional
        Gives classes and clusters of every trial; a `CouplingsError` of it is the rule ``failed``.
    rule : str
        Key of `RULES`, instead of partitions.
    """
    record = {"kind": "cell", "algorithm": algorithm}
    if partitions is None:
        return {**record, **_left_out(rule)}
    try:
        return {**record, "outcome": OK, **_scored(list(partitions()))}
    except CouplingsError as error:
        return {**record, **_left_out("failed", str(error))}


def _partitions(
    experiment: Experiment, made: Prepared, fitted: list[Any], algorithm: str
) -> tuple[list[tuple[np.ndarray, np.ndarray]], float]:
    """Classes and clusters of every trial, and the share of fits that tell no objects apart.

    Such a fit leaves everything in one cluster; if all do, that is the only partition.
    """
    from couplings.measures.encodings import Encoding

    seeing = [space for space in fitted if not space.blind]
    blind = 1 - len(seeing) / len(fitted)
    if seeing:
        return list(_RUNS[algorithm](experiment, made, seeing)), blind
    if algorithm == "rock":
        raise LeftOutError("no links")
    if algorithm == "kmeans" and not isinstance(fitted[0].measure, Encoding):
        raise LeftOutError("no vectors")
    return [(made.labels, np.zeros(len(made.labels), dtype=np.int64))], 0.0


def _scored(partitions: list[tuple[np.ndarray, np.ndarray]], blind: float = 0.0) -> dict[str, Any]:
    """Mean and spread over trials of (classes, clusters).

    A share `blind` of the trials has failed; they count as one cluster of everything in the means.
    """
    from couplings.metrics.external import contingency, external_scores

    scores = [external_scores(contingency(*pair)) for pair in partitions]
    ari = [one["ari"] for one in scores]
    labels = partitions[0][0]
    failed = external_scores(contingency(labels, np.zeros_like(labels)))
    return {
        "trials": len(partitions),
        "blind": blind,
        "clusters": statistics.fmean(len(np.unique(clusters)) for _, clusters in partitions),
        **{
            name: (1 - blind) * statistics.fmean(one[name] for one in scores) + blind * failed[name]
            for name in SCORES
        },
        "ari_sd": statistics.stdev(ari) if len(ari) > 1 else None,
        "ari_min": min(ari),
        "ari_max": max(ari),
    }


def _kmodes(
    experiment: Experiment, made: Prepared, fitted: list[Space]
) -> Iterator[tuple[np.ndarray, np.ndarray]]:
    from couplings.cluster.kmodes import kmodes, random_starts

    n = made.table.n_objects
    for t in range(experiment.trials):
        space = fitted[t % len(fitted)]
        if space.sums is None:
            raise LeftOutError("not a sum")
        start = random_starts(n, made.n_classes, 1, shared(experiment, "kmodes", trial=t))
        yield made.labels, kmodes(made.table, space.sums, start).labels[0]


def _spectral(
    experiment: Experiment, made: Prepared, fitted: list[Space]
) -> Iterator[tuple[np.ndarray, np.ndarray]]:
    from couplings.cluster.kmeans import kmeans_runs
    from couplings.cluster.spectral import spectral_embedding
    from couplings.space import ObjectSpace

    different = made.table.distinct()[0].n_objects
    for s, space in enumerate(fitted):
        form: Any = space.objects
        if form.link in ("sum", "rss"):
            form = ObjectSpace(form.matrices, "sum")
        if different > space.limit:
            if form.link != "sum":
                raise LeftOutError("too large", f"{different} different objects")
            form = _factored(form)
        found = spectral_embedding(made.table, form, "one-minus", made.n_classes)
        # a random measure has one embedding per trial, any other one embedding for all
        trials = range(s, experiment.trials, len(fitted))
        states = [shared(experiment, "spectral", trial=t) for t in trials]
        runs = kmeans_runs(found.rows, made.n_classes, states, init="greedy", weights=found.weights)
        for labels in runs.labels:
            yield made.labels, labels[found.inverse]


def _hierarchical(
    cluster: Callable[[np.ndarray, int], np.ndarray],
) -> Callable[..., Iterator[tuple[np.ndarray, np.ndarray]]]:
    """Runs over row orders, which decide between equal dissimilarities."""

    def runs(
        experiment: Experiment, made: Prepared, fitted: list[Space]
    ) -> Iterator[tuple[np.ndarray, np.ndarray]]:
        n = made.table.n_objects
        orders = min(experiment.parameters["orders"], experiment.trials)
        for t in range(orders):
            space = fitted[t % len(fitted)]
            order = np.arange(n) if t == 0 else shared(experiment, "order", trial=t).permutation(n)
            again = made.ordered(order)
            yield again.labels, cluster(space.condensed(again), made.n_classes)

    return runs


def _ward(distances: np.ndarray, k: int) -> np.ndarray:
    from couplings.cluster.ward import ward

    return ward(distances, k, recurrence="D", ties="R", overwrite=True)


def _average(distances: np.ndarray, k: int) -> np.ndarray:
    from scipy.cluster.hierarchy import linkage

    from couplings._kernels import agglomeration

    n = round((1 + (1 + 8 * len(distances)) ** 0.5) / 2)
    # scipy's own cut may return fewer clusters where merges are at the same height
    return agglomeration.cut(linkage(distances, method="average"), n, k)


def _rock(
    experiment: Experiment, made: Prepared, fitted: list[Space]
) -> Iterator[tuple[np.ndarray, np.ndarray]]:
    from couplings.cluster.rock import NeighbourGraph, Rock
    from couplings.measures.coupled import Caso
    from couplings.measures.overlap import Jaccard

    space = fitted[0]
    theta = experiment.parameters["theta"]
    if isinstance(space, Vectors) or not isinstance(space.measure, Jaccard | Caso):
        raise LeftOutError("no links")
    if made.table.n_objects > space.limit:
        raise LeftOutError("too large", f"{made.table.n_objects} objects")
    if isinstance(space.measure, Jaccard):
        graph = NeighbourGraph.from_table(made.table, theta)
    else:
        alike = space.measure.space_

        def similarity(objects: np.ndarray) -> np.ndarray:
            if len(objects) == 0:
                return np.empty((0, made.table.n_objects))
            return alike.between(made.table.take(objects), made.table) / made.table.n_attributes

        graph = NeighbourGraph.from_similarity(similarity, theta)
    yield made.labels, Rock(made.n_classes, theta, label="assign").fit_predict(graph)


def _kmeans(
    experiment: Experiment, made: Prepared, fitted: list[Any]
) -> Iterator[tuple[np.ndarray, np.ndarray]]:
    from couplings.cluster.kmeans import kmeans_runs
    from couplings.measures.encodings import Encoding

    for t in range(experiment.trials):
        space = fitted[t % len(fitted)]
        if isinstance(space, Vectors):
            vectors = space.of(made)
        elif isinstance(space.measure, Encoding):
            compact = getattr(space.measure, "compact", space.measure.transform)
            vectors = compact(made.table)
        else:
            raise LeftOutError("no vectors")
        state = shared(experiment, "kmeans", trial=t)
        runs = kmeans_runs(vectors, made.n_classes, [state], init="greedy")
        yield made.labels, runs.labels[0]


_RUNS: dict[str, Callable[..., Iterator[tuple[np.ndarray, np.ndarray]]]] = {
    "kmodes": _kmodes,
    "spectral": _spectral,
    "ward": _hierarchical(_ward),
    "average": _hierarchical(_average),
    "rock": _rock,
    "kmeans": _kmeans,
}


def _indices(made: Prepared, space: Space) -> dict[str, Any]:
    """How well the classes fit the measure: internal indices of the classes."""
    from couplings.metrics.internal import internal_indices

    record = {"kind": "indices"}
    different = made.table.distinct()[0].n_objects
    if different > space.limit:
        return {**record, **_left_out("too large", f"{different} different objects")}
    found = internal_indices(made.table, made.labels, space.objects)
    finite = {name: found[name] if np.isfinite(found[name]) else None for name in INDICES}
    return {**record, "outcome": OK, **finite}


def _pairs(experiment: Experiment, made: Prepared, space: Space) -> list[dict[str, Any]]:
    """Dissimilarities of a sample of pairs of objects, the same pairs for all measures."""
    count = experiment.parameters["pairs"]
    rng = shared(experiment, "pairs")
    first = rng.integers(made.table.n_objects, size=count)
    step = rng.integers(1, made.table.n_objects, size=count)
    second = (first + step) % made.table.n_objects
    return [
        {
            "kind": "pair",
            "outcome": OK,
            "pair": i,
            "dissimilarity": float(
                space.objects.between(made.table.take([u]), made.table.take([v]))[0, 0]
            ),
        }
        for i, (u, v) in enumerate(zip(first, second, strict=True))
    ]


# --- mixed data ----------------------------------------------------------------------------------


def _mixed(experiment: Experiment, name: str, made: Prepared) -> tuple[list[Any], dict[str, str]]:
    """Coupled representation, from the numbers themselves; a missing one is the mean."""
    table = mixed_table(experiment, made)
    if table is None:
        return [], _left_out("not mixed")
    try:
        rows = experiment.measure(name).fit_transform(table)
    except CouplingsError as error:
        return [], _left_out("failed", str(error))
    return [Vectors(rows, made.rows, experiment.parameters["limit"])], {}


# --- one job per data set ------------------------------------------------------------------------


def profiles(experiment: Experiment) -> Iterator[dict[str, Any]]:
    """What kind of data a data set is, and the two baselines: one cluster, random clusters."""
    made = prepared(experiment)
    incomplete = int((~made.complete).sum())
    yield {"kind": "profile", **profile(made), "incomplete": incomplete}
    one = np.zeros(made.table.n_objects, dtype=np.int64)
    yield {"kind": "baseline", "baseline": "majority", **_scored([(made.labels, one)])}
    guesses = [
        (
            made.labels,
            shared(experiment, "random", trial=t).integers(
                made.n_classes, size=made.table.n_objects
            ),
        )
        for t in range(experiment.trials)
    ]
    yield {"kind": "baseline", "baseline": "random", **_scored(guesses)}


def preparation(experiment: Experiment) -> Iterator[dict[str, Any]]:
    """One measure under three treatments of missing cells.

    Everything is scored on the complete rows, so that all treatments are judged on the same
    objects; only `drop` has clustered nothing else.
    """
    from replication.papers.study.data import TREATMENTS

    (name,) = experiment.measures
    for treatment in TREATMENTS:
        common = {
            "measure": name,
            "label": experiment.measures[name]["label"],
            "treatment": treatment,
            "kind": "cell",
        }
        whole = prepared(experiment, "value")
        share = float(whole.complete.mean())
        if share < 0.5:
            yield {**common, **_left_out("few rows", f"{share:.0%} of the rows are complete")}
            continue
        made = prepared(experiment, treatment)
        fitted, refused = _fitted(experiment, name, made)
        for algorithm in experiment.parameters["algorithms"]:
            if refused:
                yield {**common, "algorithm": algorithm, **refused}
                continue
            record = experiment.once(
                f"{treatment} {algorithm}",
                lambda a=algorithm, m=made, f=fitted: _cell_of_complete(experiment, m, f, a),
            )
            yield {**common, **record}


def _cell_of_complete(
    experiment: Experiment, made: Prepared, fitted: list[Space], algorithm: str
) -> dict[str, Any]:
    """Scores over the complete rows, of algorithms that keep the order of the rows."""
    record = {"algorithm": algorithm}
    try:
        partitions = [
            (labels[made.complete], clusters[made.complete])
            for labels, clusters in _partitions(experiment, made, fitted, algorithm)[0]
        ]
    except LeftOutError as error:
        return {**record, **_left_out(error.rule, error.detail)}
    except CouplingsError as error:
        return {**record, **_left_out("failed", str(error))}
    return {**record, "outcome": OK, **_scored(partitions)}


# --- cost ----------------------------------------------------------------------------------------


def cost(experiment: Experiment) -> Iterator[dict[str, Any]]:
    """Seconds and memory of learning one measure and of the cheapest clustering with it.

    Yields
    ------
    dict
        ``algorithm``; ``fit_seconds``, ``fit_slowest``, ``run_seconds``, ``run_slowest`` of the two
        pieces; ``before_mib`` and ``peak_mib`` of their process. Or the rule that leaves it out.
    """
    (name,) = experiment.measures
    common = {"measure": name, "label": experiment.measures[name]["label"], "kind": "cost"}
    try:
        fit, run = costs(learning, experiment)
    except LeftOutError as error:
        yield {**common, **_left_out(error.rule, error.detail)}
        return
    yield {
        **common,
        "outcome": OK,
        "algorithm": run["piece"],
        **{
            f"{piece}_{name}": record[name]
            for piece, record in (("fit", fit), ("run", run))
            for name in SECONDS
        },
        "before_mib": fit["before_mib"],
        "peak_mib": max(fit["peak_mib"], run["peak_mib"]),
    }


_WARM_UP = 600
"""Objects on which everything is compiled before it is timed."""


def learning(experiment: Experiment) -> Iterator[Work]:
    """Learning of one measure, and the cheapest clustering with it.

    Raises
    ------
    LeftOutError
        If the data have no such measure; or, from the clustering, if it cannot be done.
    """
    (name,) = experiment.measures
    experiment.trials = 1  # one fit and one clustering are timed
    made = prepared(experiment)
    few = made.ordered(np.arange(min(_WARM_UP, len(made.labels))))
    few = replace(few, table=few.table.observed())
    fitted, refused = _fitted(experiment, name, made)
    if refused:
        raise LeftOutError(refused["rule"], refused["detail"])
    learnt = _fitted(experiment, name, few)[0]
    yield Work(
        {"piece": "learning"},
        lambda: _fitted(experiment, name, made),
        lambda: _fitted(experiment, name, few),
    )
    algorithm = _cheapest(fitted[0])
    run = _RUNS[algorithm]
    yield Work(
        {"piece": algorithm},
        lambda: list(run(experiment, made, fitted)),
        lambda: list(run(experiment, few, learnt)),
    )


def _cheapest(space: Any) -> str:
    """Algorithm that a measure is timed with: k-means, k-modes, else average linkage."""
    from couplings.measures.encodings import Encoding

    if isinstance(space, Vectors) or isinstance(space.measure, Encoding):
        return "kmeans"
    return "kmodes" if space.sums is not None else "average"
