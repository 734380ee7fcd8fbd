"""Describe the data sets of the study, and score two baselines on each."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Unpack

import numpy as np

from couplings.counts import cooccurrence
from couplings.metrics.factors import feature_correlation
from replication.papers.study.cells import Make, cell
from replication.papers.study.data import Prepared, Protocol, prepared
from replication.run.experiment import Experiment
from replication.run.runner import Clusterings


def profiles(experiment: Experiment, **protocol: Unpack[Protocol]) -> Iterator[dict[str, Any]]:
    """Describe a data set, and score the baselines on it: one cluster, random clusters."""
    made = prepared(experiment)
    yield {"kind": "profile", **profile(made), "incomplete": int((~made.complete).sum())}
    k, shape = made.n_classes, (1, made.n_objects)
    baselines: dict[str, Make] = {
        "majority": lambda _: Clusterings(made, np.zeros(shape, dtype=np.int64)),
        "random": lambda replicate: Clusterings(
            made, experiment.shared("random", trial=replicate).integers(k, size=shape)
        ),
    }
    for name, make in baselines.items():
        yield {**cell(experiment, made, name, make), "kind": "baseline", "baseline": name}


def profile(made: Prepared) -> dict[str, Any]:
    """Describe a data set.

    ``objects``, ``attributes``, ``values`` (mean number of values of an attribute), ``classes``,
    ``majority`` (share of the largest class), ``imbalance`` (1 minus the entropy of the classes
    over its maximum), ``coupling`` (feature correlation index).
    """
    share = np.bincount(made.classes) / made.n_objects
    entropy = float(-(share * np.log(share)).sum() / np.log(len(share)))
    return {
        "objects": made.n_objects,
        "attributes": made.table.n_attributes,
        "values": float(made.table.n_values.mean()),
        "classes": made.n_classes,
        "majority": float(share.max()),
        "imbalance": 1.0 - entropy,
        "coupling": feature_correlation(cooccurrence(made.table)),
    }
