"""What kind of data the data sets of the study are, and two baselines on each."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Unpack

import numpy as np

from replication.papers.study.cells import cell
from replication.papers.study.data import Protocol, prepared, profile
from replication.run.experiment import Experiment
from replication.run.runner import Clusterings


def profiles(experiment: Experiment, **protocol: Unpack[Protocol]) -> Iterator[dict[str, Any]]:
    """What kind of data a data set is, and the two baselines: one cluster, random clusters."""
    made = prepared(experiment)
    incomplete = int((~made.complete).sum())
    yield {"kind": "profile", **profile(made), "incomplete": incomplete}
    n = made.table.n_objects

    def majority(replicate: int) -> Clusterings:
        return Clusterings(made.objects, np.zeros((1, n), dtype=np.int64))

    def random(replicate: int) -> Clusterings:
        rng = experiment.shared("random", trial=replicate)
        return Clusterings(made.objects, rng.integers(made.n_classes, size=(1, n)))

    for make in (majority, random):
        name = make.__name__
        found = cell(experiment, made, name, make)
        yield {**found, "kind": "baseline", "baseline": name}
