"""Describe the data sets of the study, and score two baselines on each."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Unpack

import numpy as np

from replication.papers.study.cells import cell
from replication.papers.study.data import Protocol, prepared, profile
from replication.run.experiment import Experiment
from replication.run.runner import Clusterings


def profiles(experiment: Experiment, **protocol: Unpack[Protocol]) -> Iterator[dict[str, Any]]:
    """Describe a data set, and score the baselines on it: one cluster, random clusters."""
    made = prepared(experiment)
    yield {"kind": "profile", **profile(made), "incomplete": int((~made.complete).sum())}
    n = made.table.n_objects

    def majority(replicate: int) -> Clusterings:
        return Clusterings(made.objects, np.zeros((1, n), dtype=np.int64))

    def random(replicate: int) -> Clusterings:
        rng = experiment.shared("random", trial=replicate)
        return Clusterings(made.objects, rng.integers(made.n_classes, size=(1, n)))

    for make in (majority, random):
        name = make.__name__
        yield {**cell(experiment, made, name, make), "kind": "baseline", "baseline": name}
