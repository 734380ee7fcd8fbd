"""Describe the data sets of the study, and score two baselines on each."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Unpack

import numpy as np

from replication.papers.study.cells import Make, cell
from replication.papers.study.data import Protocol, prepared, profile
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
