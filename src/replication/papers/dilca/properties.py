"""Properties of DILCA's distances and scores that its claims are about, on data and at random."""

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
import pandas as pd

from couplings import DilcaM, DilcaRR
from couplings.counts import CooccurrenceCounts, cooccurrence, symmetric_uncertainty
from couplings.metrics.external import adjusted_rand, nmi
from couplings.table import CategoricalTable
from replication.run.experiment import Experiment


def value_distances(
    experiment: Experiment, *, preparation: str, sigmas: Sequence[float]
) -> Iterator[dict[str, Any]]:
    """Measure range, metric axioms and context sizes of the distances learnt on one data set.

    A data set with random samples gives its first one. DILCA_M is fitted with both ways of rounding
    the symmetric uncertainty.

    Records, one per measure and sigma: ``measure``, ``setting`` and the keys of `axioms`.
    """
    counts = cooccurrence(experiment.tables(preparation).tables[0])
    for sigma in sigmas:
        for name in ("dilca_m", "dilca_m_clipped"):
            measure = experiment.measure(name, sigma=sigma).fit(counts)
            yield {"measure": name, "setting": f"sigma={sigma:g}", **axioms(measure, counts)}
    measure = experiment.measure("dilca_rr").fit(counts)
    yield {"measure": "dilca_rr", "setting": "", **axioms(measure, counts)}


def axioms(measure: DilcaM | DilcaRR, counts: CooccurrenceCounts) -> dict[str, Any]:
    """Check the metric axioms on the value distances of a DILCA fitted to `counts`.

    Over values that occur: ``attributes`` (their number); ``lowest`` and ``highest`` distance;
    ``diagonal`` (largest distance of a value to itself); ``asymmetry`` (largest
    ``|d(x, y) - d(y, x)|``); ``triangle`` (largest ``d(x, z) - d(x, y) - d(y, z)``, at most 0 for a
    metric up to rounding); ``pairs`` (of different values), ``coinciding`` (pairs at distance 0);
    ``smallest_context`` (number of attributes).
    """
    found = []
    for j in range(counts.n_attributes):
        occurs = counts.block(j, j).diagonal() > 0
        block = measure.value_matrices_.block(j)[np.ix_(occurs, occurs)]
        through = block[:, :, None] + block[None, :, :]
        pairs = block[np.triu_indices(len(block), 1)]
        found.append(
            {
                "lowest": block.min(),
                "highest": block.max(),
                "diagonal": np.abs(block.diagonal()).max(),
                "asymmetry": np.abs(block - block.T).max(),
                "triangle": (block[:, None, :] - through).max(),
                "pairs": len(pairs),
                "coinciding": (pairs <= 1e-12).sum(),
            }
        )
    facts = pd.DataFrame(found)
    return {
        "attributes": counts.n_attributes,
        "lowest": float(facts["lowest"].min()),
        **facts[["highest", "diagonal", "asymmetry", "triangle"]].max().to_dict(),
        **facts[["pairs", "coinciding"]].sum().to_dict(),
        "smallest_context": int(measure.context_.sum(axis=1).min()),
    }


def theorems(experiment: Experiment, *, objects: int, values: int) -> Iterator[dict[str, Any]]:
    """Compute symmetric uncertainty, information gain, VDM and indices on random tables.

    Every trial draws a table of two attributes.

    Records: ``su``, ``su_determined`` (of an attribute and a renamed copy), ``su_independent`` (of
    a contingency table with proportional rows), ``gain``, ``gain_reversed``, ``ari`` (of
    independent partitions), ``ari_identical``, ``nmi_identical`` (of a partition and a renamed
    copy), ``vdm``, ``vdm_reversed``; see `value_difference`.
    """
    for trial in range(experiment.trials):
        yield _one_trial(experiment.rng("table", trial=trial), objects, values)


def _one_trial(rng: np.random.Generator, objects: int, values: int) -> dict[str, float]:
    x = rng.integers(0, values, objects)
    # the share of objects whose y is a copy of x varies from trial to trial
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
        "su_determined": _uncertainty(determined),
        "su_independent": _uncertainty(np.outer(rows, columns)),
        "gain": _gain(joint),
        "gain_reversed": _gain(joint.T),
        "ari": float(adjusted_rand(first, second)),
        "ari_identical": float(adjusted_rand(x, renamed[x])),
        "nmi_identical": float(nmi(x, renamed[x])),
        "vdm": value_difference(joint[0], joint[1]),
        "vdm_reversed": value_difference(joint[1], joint[0]),
    }


def _uncertainty(joint: np.ndarray) -> float:
    """Return the symmetric uncertainty of a contingency table, by the library."""
    pairs = np.repeat(np.argwhere(joint >= 0), joint.ravel(), axis=0)
    table = CategoricalTable.from_codes(pairs, joint.shape)
    return float(symmetric_uncertainty(cooccurrence(table))[0, 1])


def _gain(joint: np.ndarray) -> float:
    """Return the entropy of the rows minus their entropy given the columns, by definition."""
    columns = joint.sum(axis=0)
    inside = [_entropy(joint[:, c]) * columns[c] for c in range(len(columns)) if columns[c]]
    return _entropy(joint.sum(axis=1)) - float(sum(inside)) / float(joint.sum())


def _entropy(counts: np.ndarray) -> float:
    p = counts[counts > 0] / counts.sum()
    return float(-(p * np.log2(p)).sum())


def value_difference(first: np.ndarray, second: np.ndarray) -> float:
    """Return the value difference metric of Stanfill and Waltz (1986), with exponent 2.

    ``sqrt(sum p^2) sum (p - q)^2`` with the class shares p, q of the two values, of which `first`
    and `second` hold the number of objects per class, int of shape (c,). The weight is that of the
    first value, which makes the metric asymmetric.
    """
    p, q = first / max(first.sum(), 1), second / max(second.sum(), 1)
    return float(np.sqrt((p**2).sum()) * ((p - q) ** 2).sum())
