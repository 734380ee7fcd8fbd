"""Cluster the tables of the label vectors of others by our code, in single runs."""

from collections.abc import Iterator
from functools import partial
from itertools import combinations, pairwise
from typing import Any

import numpy as np

from couplings.counts import cooccurrence
from couplings.errors import CouplingsError, MeasureError
from couplings.measures.cde import occurrence_influence
from couplings.table import CategoricalTable
from replication.run.experiment import Experiment
from replication.run.runner import Clusterings, Objects, Vectors, cluster

SCORES = ("ari", "nmi_arithmetic", "accuracy", "macro_f1")


EQUAL = 1e-9
"""Largest difference of eigenvalues, and of influences, that are equal."""
ROTATED = "cdc_dr_rotated"
"""Runs of CDC-DR with random bases of equal eigenvalues."""


def runs(
    experiment: Experiment, *, preparation: str, bases: int, starts: int, more: int
) -> Iterator[dict[str, Any]]:
    """Score single runs of every method.

    Algorithms without a measure are fast and have `more` times as many runs. Records, one per run:
    ``method``, ``trial`` and its scores, or ``absent``, the reason why it has none. If the
    embedding of CDC-DR is undefined, one record more has the mean scores over `bases` random bases
    with `starts` starts each, and the range of 95 % of the means of ARI. The last record has
    ``equal``, see `equal_values`.
    """
    objects = experiment.objects(preparation)
    for method in (*experiment.algorithms, *experiment.measures):
        runs = experiment.trials * (more if method in experiment.algorithms else 1)
        make = partial(_clustered, experiment, objects, method, runs)
        try:
            found = experiment.runner.clusterings(objects, make, algorithm=method)
        except CouplingsError as error:
            yield {"method": method, "absent": str(error)}
            continue
        yield from _records(method, found, runs)
    yield from _spectral(experiment, objects, bases, starts)
    yield {"method": VALUES, "equal": equal_values(objects.table)}


def _records(method: str, found: Clusterings, trials: int) -> Iterator[dict[str, Any]]:
    """Yield the scores of runs, and a record for each run that has none."""
    scores = found.scores(list(SCORES))
    for trial, one in enumerate(scores):
        yield {"method": method, "trial": trial, **one}
    for trial in range(len(scores), trials):
        yield {"method": method, "trial": trial, "absent": NO_COLUMN}


NO_COLUMN = "the embedding has no column, all value clusters are tiny"


VALUES = "cde_values"
"""Record of the share of values that CDE cannot tell apart."""


def equal_values(table: CategoricalTable) -> float:
    """Return the share of pairs of values of one attribute with equal influence on all values.

    Rows of CDE's occurrence influence (Definition 1). If all are equal, as in a full factorial
    table, the starts of k-means and its ties decide which values form a cluster.
    """
    counts = cooccurrence(table.observed())
    influence = occurrence_influence(counts)
    equal = [
        np.abs(influence[x] - influence[y]).max() <= EQUAL
        for first, last in pairwise(counts.offsets)
        for x, y in combinations(range(first, last), 2)
    ]
    return float(np.mean(equal)) if equal else 0.0


def _clustered(experiment: Experiment, objects: Objects, method: str, runs: int) -> Clusterings:
    from couplings.cluster.kmeans import KMeans

    k, trials = objects.n_classes, range(runs)
    if method in experiment.algorithms:
        seeds = [experiment.rng(method, trial=trial) for trial in trials]
        return cluster(objects, None, experiment.algorithm(method, n_clusters=k), seeds)
    algorithm, labels = KMeans(k, init="plus"), []
    for trial in trials:
        # every run of others has its own embedding
        measure = experiment.measure(method, random_state=experiment.seed(method, trial=trial))
        vectors = measure.fit(objects.table).transform(objects.table)
        if vectors.shape[1]:
            seed = experiment.rng("k-means", trial=trial)
            labels.append(cluster(objects, Vectors(vectors), algorithm, [seed]).labels[0])
    if not labels:
        raise MeasureError(f"{method}: {NO_COLUMN}")
    return Clusterings(objects, np.array(labels))


def _spectral(
    experiment: Experiment, objects: Objects, bases: int, starts: int
) -> Iterator[dict[str, Any]]:
    """Yield the runs of CDC-DR, or its scores over random bases if its embedding is undefined."""
    from couplings.cluster.kmeans import KMeans
    from couplings.measures.cdcdr import CDCDR

    k, method = objects.n_classes, "cdc_dr"
    algorithm = KMeans(k, init="plus")

    def make(vectors: np.ndarray, seeds: list[np.random.Generator]) -> Clusterings:
        return cluster(objects, Vectors(vectors), algorithm, seeds)

    try:
        vectors = CDCDR(k, ties="refuse").fit(objects.table).transform(objects.table)
    except MeasureError as error:
        yield {"method": method, "absent": str(error)}
    else:
        seeds = [experiment.rng("k-means", trial=trial) for trial in range(experiment.trials)]
        found = experiment.runner.clusterings(
            objects, lambda: make(vectors, seeds), algorithm=method
        )
        yield from _records(method, found, experiment.trials)
        return
    means = []
    for basis in range(bases):
        rng = experiment.rng(ROTATED, trial=basis)
        found = make(rotated(objects.table, k, rng), list(rng.spawn(starts)))
        means.append([[one[name] for name in SCORES] for one in found.scores(list(SCORES))])
    of_basis = np.mean(means, axis=1)
    low, high = np.quantile(of_basis[:, SCORES.index("ari")], [0.025, 0.975])
    yield {
        **{"method": ROTATED, "bases": bases, "ari_low": float(low), "ari_high": float(high)},
        **dict(zip(SCORES, map(float, of_basis.mean(axis=0)), strict=True)),
    }


def rotated(table: CategoricalTable, k: int, rng: np.random.Generator) -> np.ndarray:
    """Return the embedding of CDC-DR with a random basis of each group of equal eigenvalues.

    Shape (n, m * k) for n objects and m attributes. Every such basis is a valid result of the
    program, which takes the k first eigenvectors.
    """
    counts = cooccurrence(table)
    seen = counts.marginals > 0
    matrix, root = counts.matrix[np.ix_(seen, seen)], np.sqrt(counts.marginals[seen])
    similarity = matrix / np.outer(root, root)
    scale = np.sqrt(similarity.sum(axis=1))
    values, vectors = np.linalg.eigh(similarity / np.outer(scale, scale))
    values, vectors = values[::-1], vectors[:, ::-1]
    first = 0
    while first < k:
        last = int(np.count_nonzero(values >= values[first] - EQUAL))
        if last - first > 1:
            turn, _ = np.linalg.qr(rng.standard_normal((last - first, last - first)))
            vectors[:, first:last] = vectors[:, first:last] @ turn
        first = last
    kept = vectors[:, :k]
    embedding = np.full((len(seen), k), np.nan)
    embedding[seen] = kept / np.linalg.norm(kept, axis=1, keepdims=True)
    return embedding[table.codes + counts.offsets[:-1]].reshape(len(table.codes), -1)
