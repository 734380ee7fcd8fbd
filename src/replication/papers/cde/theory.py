"""Count on data sets and random tables what CDE states about values, influences and clusters."""

from collections.abc import Iterator, Sequence
from itertools import product
from typing import Any

import numpy as np

from couplings.counts import CooccurrenceCounts, cooccurrence, symmetric_uncertainty
from couplings.measures.cde import CDE, conditional_influence, granularities, occurrence_influence
from couplings.measures.encodings import OneHot
from couplings.metrics.factors import feature_correlation, value_coupling
from couplings.table import CategoricalTable
from replication.papers.cde import PREPARATION
from replication.run.experiment import Experiment

TOLERANCE = 1e-12
"""Share of the largest entry below which a difference is rounding."""


def factors(experiment: Experiment) -> Iterator[dict[str, Any]]:
    """Compute sizes and data factors of a data set, and the counts behind the theory.

    Records: ``objects``, ``values``, ``classes``, ``fci`` (pairs i < j), ``fci_printed`` (eq. 7
    with j = i as its first pair), ``vci``, and the counts of `value_pairs`.
    """
    data = experiment.objects(PREPARATION)
    counts = cooccurrence(data.table)
    fci = feature_correlation(counts)
    yield {
        "objects": data.table.n_objects,
        "attributes": data.table.n_attributes,
        "values": int(data.table.n_values.sum()),
        "classes": data.n_classes,
        "fci": fci,
        # an attribute explains itself fully: m - 1 ones more in the sum
        "fci_printed": fci + 2 / data.table.n_attributes,
        "vci": value_coupling(data.table, data.classes),
        **value_pairs(counts),
        **embedded(counts, experiment),
    }


def value_pairs(counts: CooccurrenceCounts) -> dict[str, Any]:
    """Count pairs of different values by their rows in the influence matrices.

    ``pairs``: all pairs. ``undistinguished``: equal rows in Mc and in the printed Mo;
    ``undistinguished_code``: in Mc and in the Mo of the authors' program. ``same_extents``: values
    that occur in the same objects. ``siblings``: values of one attribute;
    ``occurrence_mismatches``: siblings with either equal rows of Mo or equal frequencies, but not
    both; ``sibling_influence``: largest entry of Mc between siblings. ``together``: values that
    occur together; ``asymmetric``: those of them whose two influences in Mc differ. ``psi_low``,
    ``psi_high``, ``psi_asymmetry``: range of psi, and its largest asymmetry.
    """
    frequency = counts.marginals
    attribute = np.repeat(np.arange(counts.n_attributes), counts.n_values)
    first, second = np.triu_indices(len(frequency), 1)
    conditional = conditional_influence(counts)
    equal_c = _equal_rows(conditional, first, second)
    equal_o = _equal_rows(occurrence_influence(counts, "printed"), first, second)
    equal_code = _equal_rows(occurrence_influence(counts, "code"), first, second)
    siblings = attribute[first] == attribute[second]
    same_frequency = frequency[first] == frequency[second]
    both = counts.matrix[first, second]
    together = both > 0
    psi = symmetric_uncertainty(counts)
    return {
        "pairs": len(first),
        "undistinguished": int((equal_c & equal_o).sum()),
        "undistinguished_code": int((equal_c & equal_code).sum()),
        "same_extents": int((same_frequency & (both == frequency[first])).sum()),
        "siblings": int(siblings.sum()),
        "occurrence_mismatches": int((siblings & (equal_o != same_frequency)).sum()),
        "sibling_influence": float(conditional[first, second][siblings].max(initial=0.0)),
        "together": int(together.sum()),
        "asymmetric": int((together & ~same_frequency).sum()),
        "psi_low": float(psi.min()),
        "psi_high": float(psi.max()),
        "psi_asymmetry": float(np.abs(psi - psi.T).max()),
    }


def _equal_rows(matrix: np.ndarray, first: np.ndarray, second: np.ndarray) -> np.ndarray:
    """Return whether the rows of each pair are equal up to rounding."""
    size = np.abs(matrix).max(axis=1)
    gap = np.array([np.abs(row - matrix).max(axis=1) for row in matrix])
    return gap[first, second] <= TOLERANCE * np.maximum(size[first], size[second])


def embedded(counts: CooccurrenceCounts, experiment: Experiment) -> dict[str, Any]:
    """Compute the covariance between columns of a CDE, and distances of the 0-1 encoding.

    ``covariance``: largest covariance of two columns of the value embedding, as a share of the
    largest variance; ``one_hot_low``, ``one_hot_high``: range of the distances of different values
    of one attribute.
    """
    measure = CDE(random_state=experiment.rng("cde")).fit(counts)
    covariance = np.cov(measure.value_embedding_, rowvar=False, ddof=0)
    variances = covariance.diagonal().copy()
    np.fill_diagonal(covariance, 0.0)
    blocks = map(OneHot().fit(counts).value_matrices_.block, range(counts.n_attributes))
    distances = np.concatenate([block[np.triu_indices(len(block), 1)] for block in blocks])
    return {
        "covariance": float(np.abs(covariance).max() / variances.max()),
        "one_hot_low": float(distances.min()),
        "one_hot_high": float(distances.max()),
    }


def random_tables(
    experiment: Experiment, *, strengths: Sequence[float], objects: int
) -> Iterator[dict[str, Any]]:
    """Test the theory on random tables, and the data factors on planted couplings.

    Records: the counts of `value_pairs`, with ``kind`` "random", or "duplicated" if the first
    attribute is repeated under new values (a counterexample to theorem 1). With ``kind`` "planted":
    ``fci`` and ``vci`` of a table whose attributes copy one hidden class with the probability
    ``strength``.
    """
    for trial in range(experiment.trials):
        rng = experiment.rng("random", trial=trial)
        n, m = int(rng.integers(8, 80)), int(rng.integers(2, 7))
        columns = [rng.integers(0, int(rng.integers(2, 6)), n) for _ in range(m)]
        for kind, chosen in (("random", columns), ("duplicated", [*columns, columns[0]])):
            table = _observed(chosen)
            # a coupling needs two attributes that vary
            if (table.n_values > 1).sum() >= 2:
                yield {"kind": kind, **value_pairs(cooccurrence(table))}
    for strength in strengths:
        rng = experiment.rng("planted")
        labels = rng.integers(0, 3, objects)
        columns = [
            np.where(rng.random(objects) < strength, labels, rng.integers(0, 3, objects))
            for _ in range(6)
        ]
        # values that only one class has, more of them with a stronger coupling
        own = [np.where(rng.random(objects) < strength, 3 + labels, column) for column in columns]
        yield {
            "kind": "planted",
            "strength": strength,
            "fci": feature_correlation(cooccurrence(_observed(columns))),
            "vci": value_coupling(_observed(own), labels),
        }


def _observed(columns: list[np.ndarray]) -> CategoricalTable:
    codes = np.column_stack([np.unique(column, return_inverse=True)[1] for column in columns])
    return CategoricalTable.from_codes(codes, codes.max(axis=0) + 1)


def granularity(
    experiment: Experiment, *, alpha: int, stops: Sequence[str]
) -> Iterator[dict[str, Any]]:
    """Find the last k of the clustering of values, by matrix and stopping rule.

    Records: ``matrix``, ``stop``, ``trial``, number of ``values``, last ``k``.
    """
    counts = cooccurrence(experiment.objects(PREPARATION).table)
    matrices = {
        "co-occurrence": conditional_influence(counts),
        "occurrence": occurrence_influence(counts, "code"),
        "occurrence, printed": occurrence_influence(counts, "printed"),
    }
    for (name, matrix), stop, trial in product(matrices.items(), stops, range(experiment.trials)):
        # every rule uses the same random numbers, so that they differ by the rule alone
        *_, last = granularities(matrix, alpha, stop, experiment.rng(name, trial=trial))
        yield {"matrix": name, "stop": stop, "trial": trial, "values": len(matrix), "k": last.k}


def pipeline(experiment: Experiment) -> Iterator[dict[str, Any]]:
    """Fig. 1: measure the matrices between the stages of CDE on one data set.

    Records: ``stage``, ``rows``, ``columns``.
    """
    table = experiment.objects(PREPARATION).table
    counts, rng = cooccurrence(table), experiment.rng("cde")
    measure = experiment.measure("cde", random_state=experiment.rng("cde")).fit(table)
    influences = {
        "co-occurrence": conditional_influence(counts, measure.mc_diag),
        "occurrence": occurrence_influence(counts, measure.influence),
    }
    stages: list[tuple[str, Any, Any]] = [
        ("table", table.codes.shape, ""),
        *((f"influence, {name}", matrix.shape, "") for name, matrix in influences.items()),
    ]
    for name, matrix in influences.items():
        steps = list(granularities(matrix, measure.alpha, measure.stop, rng))
        columns = sum(step.indicator.shape[1] for step in steps)
        stages.append((f"clusters, {name}", (len(matrix), columns), steps[-1].k))
    stages += [
        ("indicator", measure.indicator_.shape, ""),
        ("values", measure.value_embedding_.shape, ""),
        ("objects", measure.transform(table).shape, ""),
    ]
    for stage, (rows, columns), k in stages:
        yield {"stage": stage, "rows": rows, "columns": columns, "last_k": k}
