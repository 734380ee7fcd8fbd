"""Compute the grid of the study: every measure with every algorithm on every data set."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Unpack

from replication.papers.study.cells import measured
from replication.papers.study.data import TREATMENTS, Comparison, Prepared, Protocol, prepared
from replication.papers.study.spaces import LeftOutError, Space
from replication.run.experiment import Experiment
from replication.steps import OK


def grid(experiment: Experiment, **protocol: Unpack[Protocol]) -> Iterator[dict[str, Any]]:
    """Cluster one data set by one measure with all algorithms, and sample its dissimilarities."""
    made, known = prepared(experiment), _named(experiment)
    fitted = yield from measured(experiment, made, known)
    if isinstance(fitted, Space):
        pairs = experiment.once("pairs", lambda: {"rows": _pairs(experiment, made, fitted)})
        yield from ({**known, **row} for row in pairs["rows"])


def _named(experiment: Experiment) -> dict[str, Any]:
    """Return id and label of a job's one measure."""
    ((name, entry),) = experiment.measures.items()
    return {"measure": name, "label": entry["label"]}


def _pairs(experiment: Experiment, made: Prepared, space: Space) -> list[dict[str, Any]]:
    """Return the dissimilarities of sampled pairs of objects, the same pairs for all measures."""
    count, table = experiment.parameters["pairs"], made.table
    rng = experiment.shared("pairs")
    first = rng.integers(table.n_objects, size=count)
    second = (first + rng.integers(1, table.n_objects, size=count)) % table.n_objects
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


def treatments(experiment: Experiment, **protocol: Unpack[Comparison]) -> Iterator[dict[str, Any]]:
    """Cluster by one measure under several treatments of missing cells, and numbers of bins.

    Treatments of missing cells are scored on the complete rows, so that all are judged on the same
    objects. Numbers of bins are scored on all rows.
    """
    known = _named(experiment)
    for bins in experiment.parameters["compared_bins"] if experiment.facts["numeric"] else ():
        made = prepared(experiment, bins=bins)
        yield from measured(experiment, made, {**known, "bins": bins}, setting=f"bins={bins}")
    gaps = ~prepared(experiment, "value").complete
    if not gaps.any():
        return
    for treatment in TREATMENTS:
        own = {**known, "treatment": treatment}
        if gaps.mean() > 0.5:
            error = LeftOutError("few rows", f"{1 - gaps.mean():.0%} of the rows are complete")
            yield {**own, "kind": "cell", **error.record}
            continue
        made = prepared(experiment, treatment)
        yield from measured(experiment, made, own, made.complete, setting=f"missing={treatment}")
