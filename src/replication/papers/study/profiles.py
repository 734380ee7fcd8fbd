"""What kind of data the data sets of the study are, and two baselines on each."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from typing import Any, Unpack

import numpy as np

from replication.papers.study.cells import summary
from replication.papers.study.data import Protocol, prepared, profile
from replication.run.experiment import Experiment
from replication.run.runner import Clusterings


def profiles(experiment: Experiment, **protocol: Unpack[Protocol]) -> Iterator[dict[str, Any]]:
    """What kind of data a data set is, and the two baselines: one cluster, random clusters."""
    made = prepared(experiment)
    incomplete = int((~made.complete).sum())
    yield {"kind": "profile", **profile(made), "incomplete": incomplete}
    n = made.table.n_objects
    guesses = [
        experiment.shared("random", trial=t).integers(made.n_classes, size=n)
        for t in range(experiment.trials)
    ]
    for name, labels in (("majority", [np.zeros(n, dtype=np.int64)]), ("random", guesses)):
        found = experiment.runner.clusterings(
            made.objects,
            partial(Clusterings, made.objects, np.array(labels)),
            algorithm=name,
        )
        yield {"kind": "baseline", "baseline": name, **summary(found)}
