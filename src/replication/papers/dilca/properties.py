"""What DILCA says about its distances, its scores and ROCK's partitions, computed on tables."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from replication.run.runner import Objects, cluster

if TYPE_CHECKING:
    from couplings.counts import CooccurrenceCounts
    from couplings.measures.base import ValueMeasure
    from replication.run.experiment import Experiment


# --- value distances ------------------------------------------------------------------------------


def value_distances(
    experiment: Experiment, *, preparation: str, sigmas: Sequence[float]
) -> Iterator[dict[str, Any]]:
    """Range, metric axioms and context sizes of the distances learnt on one data set.

    Of several random samples the first one is taken. DILCA_M is measured in both roundings of the
    symmetric uncertainty.

    Yields
    ------
    dict
        One record per measure and sigma; keys as in `axioms`, and ``measure``, ``setting``.
    """
    from couplings.counts import cooccurrence

    counts = cooccurrence(experiment.tables(preparation).tables[0])
    for sigma in sigmas:
        for name in ("dilca_m", "dilca_m_clipped"):
            measure = experiment.measure(name, sigma=sigma).fit(counts)
            yield {"measure": name, "setting": f"sigma={sigma:g}", **axioms(measure, counts)}
    measure = experiment.measure("dilca_rr").fit(counts)
    yield {"measure": "dilca_rr", "setting": "", **axioms(measure, counts)}


def axioms(measure: ValueMeasure, counts: CooccurrenceCounts) -> dict[str, Any]:
    """Check the value distances of a fitted DILCA over the values that occur.

    Parameters
    ----------
    measure : DilcaM or DilcaRR
        Fitted to `counts`.
    counts : CooccurrenceCounts
        Of m attributes.

    Returns
    -------
    dict
        ``attributes``; ``lowest``, ``highest`` distance; ``diagonal`` (largest distance of a value
        to itself); ``asymmetry`` (largest ``|d(x, y) - d(y, x)|``); ``triangle`` (largest
        ``d(x, z) - d(x, y) - d(y, z)``, at most 0 for a metric up to rounding); ``pairs`` of
        different values and how many of them are at distance 0 (``coinciding``);
        ``smallest_context``, ``largest_context``.
    """
    lowest, highest, diagonal, asymmetry, triangle = np.inf, 0.0, 0.0, 0.0, -np.inf
    pairs = coinciding = 0
    for j in range(counts.n_attributes):
        occurs = counts.block(j, j).diagonal() > 0
        block = measure.value_matrices_.block(j)[np.ix_(occurs, occurs)]
        v = len(block)
        lowest, highest = min(lowest, block.min()), max(highest, block.max())
        diagonal = max(diagonal, np.abs(block.diagonal()).max())
        asymmetry = max(asymmetry, np.abs(block - block.T).max())
        for middle in range(v):
            over = block[:, [middle]] + block[[middle], :]
            triangle = max(triangle, float((block - over).max()))
        upper = block[np.triu_indices(v, 1)]
        pairs += len(upper)
        coinciding += int((upper <= 1e-12).sum())
    sizes = measure.context_.sum(axis=1)
    return {
        "attributes": counts.n_attributes,
        "lowest": float(lowest),
        "highest": float(highest),
        "diagonal": float(diagonal),
        "asymmetry": float(asymmetry),
        "triangle": float(triangle),
        "pairs": pairs,
        "coinciding": coinciding,
        "smallest_context": int(sizes.min()),
        "largest_context": int(sizes.max()),
    }


# --- ROCK's partitions ----------------------------------------------------------------------------


def rock_clusters(
    experiment: Experiment, *, preparation: str, thetas: Sequence[float], rule: str
) -> Iterator[dict[str, Any]]:
    """Clusters that ROCK makes at every theta, in file order.

    `rule` is one of `replication.run.selection`.

    Yields
    ------
    dict
        ``algorithm``, ``theta``, ``chosen`` ("yes" for the theta that the rule picks with the
        class labels), ``classes``, ``clusters``, ``sizes`` (text, the largest eight),
        ``largest_share``, ``small_pure`` (clusters of one class that hold less
        than 5 % of the objects), ``majority_share`` (of the largest class), ``inverse_purity``,
        ``purity``, ``nmi_sqrt``, ``ari``.
    """
    from replication.run.selection import select

    tables = experiment.tables(preparation)
    objects = Objects(tables.tables[0], tables.labels[0])
    for name in experiment.algorithms:
        found = []
        for theta in thetas:
            algorithm = experiment.algorithm(name, n_clusters=objects.n_classes, theta=theta)
            made = experiment.runner.clusterings(
                objects,
                lambda algorithm=algorithm: cluster(objects, None, algorithm),
                algorithm=name,
                setting=f"theta={theta:g}",
            )
            found.append(described(objects.classes, made.labels[0]))
        scores = {score: [one[score] for one in found] for score in ("purity", "nmi_sqrt")}
        best = select(thetas, scores, rule)
        for theta, one in zip(thetas, found, strict=True):
            chosen = "yes" if theta == best else "no"
            yield {
                "algorithm": name,
                "theta": theta,
                "chosen": chosen,
                "classes": objects.n_classes,
                **one,
            }


def described(labels_true: np.ndarray, labels: np.ndarray) -> dict[str, Any]:
    """Sizes and purities of the clusters of a partition.

    Parameters
    ----------
    labels_true, labels : ndarray of int, shape (n,)
        Classes and clusters.

    Returns
    -------
    dict
        See `rock_clusters`.
    """
    from couplings.metrics.external import contingency, external_scores

    # one row per cluster, one column per class
    counts = contingency(labels_true, labels)
    order = np.argsort(-counts.sum(axis=1), kind="stable")
    counts = counts[order]
    sizes, n = counts.sum(axis=1), counts.sum()
    pure = (counts > 0).sum(axis=1) == 1
    scores = external_scores(labels_true, labels)
    return {
        "clusters": len(sizes),
        "sizes": " ".join(map(str, sizes[:8])) + (" ..." if len(sizes) > 8 else ""),
        "largest_share": float(sizes[0] / n),
        "small_pure": int((pure & (sizes < 0.05 * n)).sum()),
        "majority_share": float(counts.sum(axis=0).max() / n),
        **{name: float(scores[name]) for name in ("inverse_purity", "purity", "nmi_sqrt", "ari")},
    }


# --- statements that hold for any table -----------------------------------------------------------


def theorems(experiment: Experiment, *, objects: int, values: int) -> Iterator[dict[str, Any]]:
    """Symmetric uncertainty, information gain, indices and Stanfill and Waltz's metric.

    One random table per trial.

    Yields
    ------
    dict
        ``su``, ``su_reversed``, ``su_determined`` (of an attribute with a renamed copy),
        ``su_independent`` (of a table with proportional rows), ``gain``, ``gain_reversed``,
        ``ari``, ``nmi`` (of independent partitions), ``ari_identical``, ``nmi_identical`` (of one
        partition under two names), ``vdm``, ``vdm_reversed``.
    """
    for trial in range(experiment.trials):
        rng = experiment.rng("table", trial=trial)
        yield {"trial": trial, **_one_trial(rng, objects, values)}


def _one_trial(rng: np.random.Generator, objects: int, values: int) -> Mapping[str, float]:
    from couplings.metrics.external import adjusted_rand, nmi

    x = rng.integers(0, values, objects)
    # y copies x with a probability that differs between trials
    y = np.where(rng.random(objects) < rng.random(), x, rng.integers(0, values, objects))
    joint = np.zeros((values, values), dtype=np.int64)
    np.add.at(joint, (x, y), 1)
    renamed = rng.permutation(values)
    determined = np.zeros_like(joint)
    np.add.at(determined, (x, renamed[x]), 1)
    rows, columns = rng.integers(1, 9, size=(2, values))
    first, second = rng.integers(0, values, size=(2, objects))
    return {
        "su": _uncertainty(joint),
        "su_reversed": _uncertainty(joint.T),
        "su_determined": _uncertainty(determined),
        "su_independent": _uncertainty(np.outer(rows, columns)),
        "gain": _gain(joint),
        "gain_reversed": _gain(joint.T),
        "ari": float(adjusted_rand(first, second)),
        "nmi": float(nmi(first, second)),
        "ari_identical": float(adjusted_rand(x, renamed[x])),
        "nmi_identical": float(nmi(x, renamed[x])),
        "vdm": value_difference(joint[0], joint[1]),
        "vdm_reversed": value_difference(joint[1], joint[0]),
    }


def _uncertainty(joint: np.ndarray) -> float:
    """Symmetric uncertainty of a contingency table by the library's measure."""
    from couplings.counts import CooccurrenceCounts
    from couplings.information import symmetric_uncertainty

    v, w = joint.shape
    matrix = np.zeros((v + w, v + w), dtype=np.int64)
    matrix[:v, :v] = np.diag(joint.sum(axis=1))
    matrix[v:, v:] = np.diag(joint.sum(axis=0))
    matrix[:v, v:], matrix[v:, :v] = joint, joint.T
    counts = CooccurrenceCounts(matrix, np.array([0, v, v + w]), int(joint.sum()))
    return float(symmetric_uncertainty(counts)[0, 1])


def _gain(joint: np.ndarray) -> float:
    """Entropy of the rows less their entropy given the columns, straight from the definition."""
    columns = joint.sum(axis=0)
    inside = [_entropy(joint[:, c]) * columns[c] for c in range(len(columns)) if columns[c]]
    return _entropy(joint.sum(axis=1)) - float(sum(inside)) / float(joint.sum())


def _entropy(counts: np.ndarray) -> float:
    p = counts[counts > 0] / counts.sum()
    return float(-(p * np.log2(p)).sum())


def value_difference(first: np.ndarray, second: np.ndarray) -> float:
    """Value difference metric of Stanfill and Waltz (1986), with exponent 2.

    Parameters
    ----------
    first, second : ndarray of int, shape (c,)
        Class counts of the objects with either value.

    Returns
    -------
    float
        ``sqrt(sum p^2) sum (p - q)^2`` with the class shares p, q of the two values: the weight
        is that of the first one.
    """
    p, q = first / max(first.sum(), 1), second / max(second.sum(), 1)
    return float(np.sqrt((p**2).sum()) * ((p - q) ** 2).sum())
