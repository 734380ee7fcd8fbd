"""The grid of the study: every measure with every algorithm on every data set."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Unpack

from replication.papers.study.cells import measured
from replication.papers.study.data import TREATMENTS, Comparison, Prepared, Protocol, prepared
from replication.papers.study.spaces import LeftOutError, Space
from replication.run.experiment import Experiment
from replication.steps import OK


def grid(experiment: Experiment, **protocol: Unpack[Protocol]) -> Iterator[dict[str, Any]]:
    """One measure on one data set: all algorithms, and dissimilarities of sampled pairs."""
    (name,) = experiment.measures
    made = prepared(experiment)
    common = {"measure": name, "label": experiment.measures[name]["label"]}
    for record in _cells(experiment, made):
        yield {**common, **record}


def _cells(experiment: Experiment, made: Prepared) -> Iterator[dict[str, Any]]:
    """Records of one measure on one prepared data set."""
    fitted = yield from measured(experiment, made)
    if isinstance(fitted, Space):
        pairs = experiment.once("pairs", lambda: {"rows": _pairs(experiment, made, fitted)})
        yield from pairs["rows"]


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


def treatments(experiment: Experiment, **protocol: Unpack[Comparison]) -> Iterator[dict[str, Any]]:
    """One measure under several treatments of missing cells, and numbers of bins.

    Treatments of missing cells are scored on the complete rows, so that all are judged on the same
    objects; only `drop` has clustered nothing else. Numbers of bins are scored on all rows.
    """
    (name,) = experiment.measures
    common = {"measure": name, "label": experiment.measures[name]["label"]}
    numeric = experiment.facts["numeric"]
    for bins in experiment.parameters["compared_bins"] if numeric else ():
        made = prepared(experiment, bins=bins)
        for record in measured(experiment, made, setting=f"bins={bins}"):
            yield {**common, "bins": bins, **record}
    gaps = ~prepared(experiment, "value").complete
    if not gaps.any():
        return
    for treatment in TREATMENTS:
        common["treatment"] = treatment
        if gaps.mean() > 0.5:
            error = LeftOutError("few rows", f"{1 - gaps.mean():.0%} of the rows are complete")
            yield {**common, "kind": "cell", **error.record}
            continue
        made = prepared(experiment, treatment)
        setting = f"missing={treatment}"
        for record in measured(experiment, made, made.complete, setting=setting):
            yield {**common, **record}
