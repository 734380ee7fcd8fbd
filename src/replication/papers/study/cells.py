"""Compute a cell of the study: score the clusterings of one data set by one measure and algorithm.

Equal chances: a replicate is the procedure that a user would follow. Every method with random
starts has the same number of them, the parameter ``restarts`` of the protocol; the start with the
lowest objective of the method itself counts. Labels take no part in this choice. A random measure
is fitted anew in each replicate. A method without starts (hierarchies, ROCK, LIMBO) gets the rows
in another order.

Equal replication: one rule sets the number of replicates of every cell, see `replicated`.

A cell that cannot be computed has a record with the rule that leaves it out, one of `RULES`.
"""

import math
import statistics
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import cache, partial
from typing import Any

import numpy as np
from scipy.cluster.hierarchy import linkage
from scipy.spatial.distance import pdist

from couplings.cluster.kmeans import KMeans
from couplings.cluster.kmodes import KModes
from couplings.cluster.rock import Rock
from couplings.cluster.spectral import spectral_embedding
from couplings.cluster.ward import Ward, cut
from couplings.errors import CouplingsError
from couplings.measures.cdcdr import CDCDR
from couplings.measures.coupled import Caso
from couplings.measures.coupled_mixed import CoupledMixed
from couplings.measures.encodings import Encoding
from couplings.measures.frequency import Jaccard
from couplings.mixed import MixedTable
from couplings.spaces import ObjectSpace
from couplings.values import ValueMatrices
from replication.files import MISSING
from replication.papers.study.data import Prepared
from replication.run.experiment import Experiment
from replication.run.rounding import ROUNDED
from replication.run.runner import Clusterings, Objects, Vectors, cluster
from replication.run.scores import score
from replication.steps import OK

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
"""Rules that leave a cell out, with their reasons."""
SCORES = ("ari", "nmi_arithmetic", "accuracy", "macro_f1", "purity")
TIE = 1e-9
"""Objectives that differ by a smaller share are equal, and the first one counts."""
SETTLED = "settled"
"""Fact of a clustering that further replicates would only repeat."""

Make = Callable[[int], Clusterings]
"""Clusterings of the starts of one replicate, by its number."""

once = partial(cluster, again=False)
"""Cluster without measuring the effect of rounding, which replicates exceed."""


class LeftOutError(Exception):
    """A cell that a rule leaves out: a key of `RULES`, and perhaps a size or a message."""


REFUSED = (LeftOutError, CouplingsError)
"""Errors that leave a cell out."""


def left_out(error: Exception) -> dict[str, str]:
    """Return the part of a cell's record that names the rule of an error of `REFUSED`."""
    failed = not isinstance(error, LeftOutError)
    rule, detail, *_ = ("failed", str(error)) if failed else (*error.args, "")
    return {"outcome": "left out", "rule": rule, "detail": detail}


def require_few(experiment: Experiment, n: int, what: str = "objects") -> None:
    """Raise `LeftOutError` if there are more objects than the limit for computing all pairs."""
    if n > experiment.parameters["limit"]:
        raise LeftOutError("too large", f"{n} {what}")


def starts(experiment: Experiment) -> int:
    """Return the number of starts: the parameter ``restarts``, at most the trials of the effort."""
    return min(experiment.parameters["restarts"], experiment.trials)


def seeds(experiment: Experiment, name: str, replicate: int) -> list[np.random.Generator]:
    """Return the seeds of all starts of a replicate; methods of one name share them."""
    count = starts(experiment)
    return [experiment.shared(name, trial=replicate * count + i) for i in range(count)]


def started(
    experiment: Experiment,
    objects: Objects,
    similarity: Any,
    algorithm: Any,
    name: str,
    replicate: int,
) -> Clusterings:
    """Cluster from all starts of a replicate, with the seeds of a name."""
    return once(objects, similarity, algorithm, seeds(experiment, name, replicate))


def measured(
    experiment: Experiment,
    made: Prepared,
    fitted: Callable[[int], Any],
    known: Mapping[str, Any],
    among: np.ndarray | None = None,
    **key: str,
) -> Iterator[dict[str, Any]]:
    """Yield the cells of one measure with each algorithm; their records begin with `known`."""
    for one in experiment.parameters["algorithms"]:
        make = partial(clustered, experiment, made, fitted, one)
        found = cell(experiment, made, one, make, among, measure=known["measure"], **key)
        yield {**known, **found}


def cell(
    experiment: Experiment,
    made: Prepared,
    algorithm: str,
    make: Make,
    among: np.ndarray | None = None,
    **key: str,
) -> dict[str, Any]:
    """Return the record of a cell: scores over its replicates, or the rule that leaves it out.

    Parameters
    ----------
    algorithm : str
        Id.
    make : callable
        Makes the clusterings of a replicate; an error of `REFUSED` leaves the cell out.
    among : ndarray of bool, shape (n,), optional
        Objects to score; all by default.
    **key : str
        As `replication.run.runner.Runner.clusterings` takes it.
    """

    def guarded() -> Clusterings:
        try:
            return replicated(experiment, made, make, among)
        except REFUSED as error:
            return Clusterings.none(made, **left_out(error))

    found = experiment.runner.clusterings(made, guarded, algorithm=algorithm, **key)
    known = {"kind": "cell", "algorithm": algorithm}
    return {**known, **(found.facts or {"outcome": OK, **summary(found, among)})}


def replicated(
    experiment: Experiment, objects: Objects, make: Make, among: np.ndarray | None = None
) -> Clusterings:
    """Repeat a cell until its mean ARI is precise enough; return one clustering per replicate.

    The parameter ``replicates`` holds the rule, the same for every method. Rounds of ``least``
    replicates follow each other until the standard error of the mean ARI is below ``error``, or
    there are ``most`` replicates, or another round would cluster more than ``objects`` objects
    (replicates times objects). A `SETTLED` clustering is computed once.
    """
    rule, counted = experiment.parameters["replicates"], slice(None) if among is None else among
    step = min(rule["least"], experiment.trials)
    affordable = min(rule["most"], experiment.trials, rule["objects"] // objects.n_objects)
    labels: list[np.ndarray] = []
    ari: list[float] = []
    found = None
    while len(ari) < step or (len(ari) + step <= affordable and error(ari) >= rule["error"]):
        for replicate in range(len(ari), len(ari) + step):
            if found is None or SETTLED not in found.facts:
                found = make(replicate)
                best = found.labels[least(found.objectives) if found.objectives else 0]
                scores = score(objects.classes[counted], best[counted], ["ari"])
            labels.append(best)
            ari.append(scores["ari"])
    return Clusterings(objects, np.array(labels))


def least(objectives: Sequence[tuple[float, ...]]) -> int:
    """Return the position of the lowest objective, the first of several that are equal (`TIE`).

    All numbers of an objective but the last are integers.
    """
    *whole, value = min(objectives)
    limit = (*whole, value + TIE * abs(value))
    return next(t for t, one in enumerate(objectives) if one <= limit)


def error(values: Sequence[float]) -> float:
    """Return the standard error of the mean of values; infinite for a single one."""
    return statistics.stdev(values) / math.sqrt(len(values)) if len(values) > 1 else math.inf


def summary(found: Clusterings, among: np.ndarray | None = None) -> dict[str, Any]:
    """Return the number of ``replicates``, and mean scores over them.

    Means are ``clusters`` and `SCORES`. ``ari_sd`` is the standard deviation of the ARI,
    ``ari_error`` the standard error of its mean; both are None for a single replicate.
    """
    counted = slice(None) if among is None else among
    scores = found.scores(SCORES, among)
    ari = [row["ari"] for row in scores]
    return {
        "replicates": len(ari),
        "clusters": float(np.mean([len(np.unique(labels[counted])) for labels in found.labels])),
        **{name: float(np.mean([row[name] for row in scores])) for name in SCORES},
        "ari_sd": statistics.stdev(ari) if len(ari) > 1 else None,
        "ari_error": error(ari) if len(ari) > 1 else None,
    }


def clustered(
    experiment: Experiment,
    made: Prepared,
    fitted: Callable[[int], Any],
    algorithm: str,
    replicate: int,
) -> Clusterings:
    """Cluster a replicate; all objects are one cluster if the fit tells no two of them apart."""
    space = fitted(replicate)
    if not space.blind:
        return RUNS[algorithm](experiment, made, space, replicate)
    if algorithm == "rock":
        raise LeftOutError("no links")
    if algorithm == "kmeans" and not isinstance(space.measure, Encoding):
        raise LeftOutError("no vectors")
    return Clusterings(made, np.zeros((1, made.n_objects), dtype=np.int64))


class Space:
    """Fitted measure, in the forms that the algorithms need.

    Parameters
    ----------
    measure : ValueMeasure
        Fitted.

    Attributes
    ----------
    objects : ObjectSpace
        Dissimilarity of objects. A similarity (`Caso`) is subtracted from the largest one of each
        attribute.
    embedding : SpectralEmbedding or None
        Spectral embedding for all replicates, once it is computed.
    """

    embedding: Any = None

    def __init__(self, measure: Any) -> None:
        self.measure, self.objects = measure, measure.space_
        if isinstance(measure, Caso):
            blocks = map(measure.value_matrices_.block, range(measure.n_attributes_))
            unlike = ValueMatrices.from_blocks([block.max() - block for block in blocks])
            self.objects = ObjectSpace(unlike, "sum")

    @property
    def sums(self) -> ValueMatrices | None:
        """Matrices whose sums order pairs of objects as the dissimilarity does; None without any.

        For roots of sums of squares these are the squares, for Jaccard the mismatches.
        """
        return self.objects.matrices if self.objects.link in ("sum", "rss", "jaccard") else None

    @property
    def blind(self) -> bool:
        """Whether the measure tells no two values of any attribute apart."""
        matrices = self.objects.matrices
        return all(np.ptp(matrices.block(j)) == 0 for j in range(matrices.n_attributes))

    def condensed(self, objects: Objects) -> np.ndarray:
        """Return the dissimilarities of all pairs."""
        return self.objects.condensed(objects.table)

    def vectors(self, objects: Objects) -> np.ndarray:
        """Return the vectors of objects under an encoding."""
        if not isinstance(self.measure, Encoding):
            raise LeftOutError("no vectors")
        return getattr(self.measure, "compact", self.measure.transform)(objects.table)


class Representation:
    """Representation of objects by vectors, for the algorithms that can use one.

    Parameters
    ----------
    measure : CoupledMixed
        Not fitted.
    table : MixedTable
        The objects.
    made : Prepared
        The same objects, with their positions in the file.
    """

    blind = False
    embedding: Any = None

    def __init__(self, measure: CoupledMixed, table: MixedTable, made: Prepared) -> None:
        self.measure, rows = measure, measure.fit_transform(table)
        self._rows = np.empty((len(made.complete), rows.shape[1]))
        self._rows[made.rows] = rows

    def vectors(self, objects: Objects) -> np.ndarray:
        """Return the vectors of objects, by their positions in the file."""
        return self._rows[objects.rows]

    @property
    def sums(self) -> None:
        """Raise `LeftOutError`: there are no value matrices."""
        raise LeftOutError("vectors only")

    objects = sums

    def condensed(self, objects: Objects) -> np.ndarray:
        """Return the Euclidean distances of all pairs."""
        return pdist(self.vectors(objects))


class Factored(ObjectSpace):
    """Space that refuses to compute all pairs of objects, with `LeftOutError`."""

    def pairwise(self, table: Any, dtype: Any = None) -> np.ndarray:
        """Refuse."""
        raise LeftOutError("too large", f"{table.n_objects} different objects, no factors")


def mixed_table(experiment: Experiment, made: Prepared) -> MixedTable:
    """Return the categories and numbers of the data; a missing number becomes the mean.

    Without categories or numbers that vary: `LeftOutError`.
    """
    frame = experiment.prepared.iloc[made.rows]
    numeric = [column for column in experiment.facts["numeric"] if frame[column].nunique() > 1]
    symbolic = [column for column in made.table.attributes if column not in numeric]
    if not numeric or not symbolic:
        raise LeftOutError("not mixed")
    numbers = frame[numeric].replace(MISSING, "nan").to_numpy().astype(float, order="C")
    numbers = np.where(np.isnan(numbers), np.nanmean(numbers, axis=0), numbers)
    return MixedTable(made.table.select(symbolic), numbers, tuple(numeric))


def fits(experiment: Experiment, made: Prepared) -> Callable[[int], Any]:
    """Return a function from the number of a replicate to a job's one measure fitted for it.

    A measure that is not random is fitted once. `CDCDR` has as many dimensions as there are
    classes; `CoupledMixed` represents a `mixed_table`. The function returned raises an error of
    `REFUSED` if the measure cannot be fitted to the data.
    """
    (name,) = experiment.measures
    measure = experiment.measure(name)
    random = "random_state" in measure.get_params()

    @cache
    def learnt(number: int) -> Space | Representation:
        if isinstance(measure, CoupledMixed):
            return Representation(measure, mixed_table(experiment, made), made)
        state = {"random_state": experiment.seed("measure", trial=number)} if random else {}
        if isinstance(measure, CDCDR):
            state = {"n_components": made.n_classes}
        return Space(experiment.measure(name, **state).fit(made.table))

    return lambda replicate: learnt(replicate if random else 0)


Run = Callable[[Experiment, Prepared, Any, int], Clusterings]


def _kmodes(experiment: Experiment, made: Prepared, space: Any, replicate: int) -> Clusterings:
    if space.sums is None:
        raise LeftOutError("not a sum")
    kmodes = KModes(made.n_classes, init="random", n_init=1)
    return started(experiment, made, space.sums, kmodes, "kmodes", replicate)


def _spectral(experiment: Experiment, made: Prepared, space: Any, replicate: int) -> Clusterings:
    if space.embedding is None:
        form, different = space.objects, made.table.distinct()[0].n_objects
        if form.link in ("sum", "rss"):
            many = different > experiment.parameters["limit"]
            form = (Factored if many else ObjectSpace)(form.matrices, "sum")
        else:
            require_few(experiment, different, "different objects")
        space.embedding = spectral_embedding(made.table, form, "one-minus", made.n_classes)
    algorithm = KMeans(made.n_classes, "greedy")
    return started(experiment, made, space.embedding, algorithm, "spectral", replicate)


def _kmeans(experiment: Experiment, made: Prepared, space: Any, replicate: int) -> Clusterings:
    vectors, algorithm = Vectors(space.vectors(made)), KMeans(made.n_classes, "greedy")
    return started(experiment, made, vectors, algorithm, "kmeans", replicate)


def in_order(
    experiment: Experiment, objects: Objects, replicate: int, run: Callable[[Objects], Clusterings]
) -> Clusterings:
    """Cluster objects in the row order of a replicate, and return labels in the order of `objects`.

    Replicate 0 has the order of the table. `run` clusters the objects it is given.
    """
    order = np.arange(objects.n_objects)
    if replicate:
        order = experiment.shared("order", trial=replicate).permutation(order)
    found = run(objects.ordered(order))
    labels = found.labels[:, np.argsort(order)].astype(np.int64)
    return replace(found, objects=objects, labels=labels)


def _ward(experiment: Experiment, made: Prepared, space: Any, replicate: int) -> Clusterings:
    require_few(experiment, made.n_objects)

    def run(objects: Objects) -> Clusterings:
        ward = Ward(made.n_classes, recurrence="D", ties="R", copy=False)
        return once(objects, space.condensed(objects), ward, observe=unordered)

    return in_order(experiment, made, replicate, run)


def unordered(fitted: Any) -> dict[str, bool]:
    """Return the fact `SETTLED` if no order of the rows can change the clusters of a Ward."""
    return {SETTLED: True} if not fitted.tied_ and fitted.margin_ > ROUNDED else {}


def _average(experiment: Experiment, made: Prepared, space: Any, replicate: int) -> Clusterings:
    require_few(experiment, made.n_objects)

    def run(objects: Objects) -> Clusterings:
        # scipy's own cut may return fewer clusters if merges have the same height
        labels = cut(linkage(space.condensed(objects), method="average"), made.n_classes)
        return Clusterings(objects, labels[None])

    return in_order(experiment, made, replicate, run)


def _rock(experiment: Experiment, made: Prepared, space: Any, replicate: int) -> Clusterings:
    if not isinstance(space.measure, Jaccard | Caso):
        raise LeftOutError("no links")
    require_few(experiment, made.n_objects)
    similarity = None if isinstance(space.measure, Jaccard) else space.measure
    rock = Rock(made.n_classes, experiment.parameters["theta"], label="assign")
    return in_order(
        experiment, made, replicate, partial(once, similarity=similarity, algorithm=rock)
    )


RUNS: dict[str, Run] = {
    "kmodes": _kmodes,
    "spectral": _spectral,
    "ward": _ward,
    "average": _average,
    "rock": _rock,
    "kmeans": _kmeans,
}
"""Algorithms of the grid, for every measure; each may raise `LeftOutError`."""
