"""The grid of the study: every measure with every algorithm on every data set."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Unpack

import numpy as np

from replication.papers.study.cells import measured
from replication.papers.study.data import Prepared, Protocol, prepared
from replication.papers.study.spaces import LeftOutError, Representation, Space, require_few
from replication.run.experiment import Experiment
from replication.steps import OK

INDICES = {"rd": 1.0, "dbi": -1.0, "di": 1.0, "sd_mean": -1.0}
"""Internal indices; 1 where more is better, -1 where less is."""


def grid(experiment: Experiment, **protocol: Unpack[Protocol]) -> Iterator[dict[str, Any]]:
    """One measure on one data set: all algorithms, internal indices, sampled dissimilarities."""
    (name,) = experiment.measures
    made = prepared(experiment)
    common = {"measure": name, "label": experiment.measures[name]["label"]}
    for record in _cells(experiment, made):
        yield {**common, **record}


def _cells(experiment: Experiment, made: Prepared) -> Iterator[dict[str, Any]]:
    """Records of one measure on one prepared data set."""
    fitted = yield from measured(experiment, made)
    if not fitted or isinstance(fitted[0], Representation):
        return
    yield experiment.once("indices", lambda: _indices(made, fitted[0]))
    yield from experiment.once("pairs", lambda: {"rows": _pairs(experiment, made, fitted[0])})[
        "rows"
    ]


def _indices(made: Prepared, space: Space) -> dict[str, Any]:
    """How well the classes fit the measure: internal indices of the classes."""
    from couplings.metrics.internal import internal_indices

    try:
        require_few(space.limit, made.table.distinct()[0].n_objects, "different objects")
    except LeftOutError as error:
        return {"kind": "indices", **error.record}
    found = internal_indices(made.table, made.labels, space.objects)
    finite = {name: found[name] if np.isfinite(found[name]) else None for name in INDICES}
    return {"kind": "indices", "outcome": OK, **finite}


def _pairs(experiment: Experiment, made: Prepared, space: Space) -> list[dict[str, Any]]:
    """Dissimilarities of a sample of pairs of objects, the same pairs for all measures."""
    count, table = experiment.parameters["pairs"], made.table
    rng = experiment.shared("pairs")
    first = rng.integers(table.n_objects, size=count)
    step = rng.integers(1, table.n_objects, size=count)
    second = (first + step) % table.n_objects
    return [
        {
            "kind": "pair",
            "outcome": OK,
            "pair": i,
            "dissimilarity": float(
                space.objects.between(table.take(first[[i]]), table.take(second[[i]]))[0, 0]
            ),
        }
        for i in range(count)
    ]
