"""Compute the grid of the study: every measure with every algorithm on every data set."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any, Unpack

from replication.papers.study.cells import REFUSED, LeftOutError, fits, left_out, measured
from replication.papers.study.data import TREATMENTS, Prepared, Protocol, prepared
from replication.run.experiment import Experiment
from replication.steps import OK


def grid(experiment: Experiment, **protocol: Unpack[Protocol]) -> Iterator[dict[str, Any]]:
    """Cluster one data set by one measure with all algorithms, and sample its dissimilarities."""
    made, known = prepared(experiment), _named(experiment)
    fitted = fits(experiment, made)
    yield from measured(experiment, made, fitted, known)
    pairs = experiment.once("pairs", lambda: {"rows": _pairs(experiment, made, fitted)})
    yield from ({**known, **row} for row in pairs["rows"])


def _named(experiment: Experiment) -> dict[str, Any]:
    """Return id and label of a job's one measure."""
    ((name, entry),) = experiment.measures.items()
    return {"measure": name, "label": entry["label"]}


def _pairs(
    experiment: Experiment, made: Prepared, fitted: Callable[[int], Any]
) -> list[dict[str, Any]]:
    """Return the dissimilarities of sampled pairs of objects, the same pairs for all measures."""
    try:
        space = fitted(0).objects
    except REFUSED:
        return []
    n, count, rng = made.n_objects, experiment.parameters["pairs"], experiment.shared("pairs")
    first = rng.integers(n, size=count)
    second = (first + rng.integers(1, n, size=count)) % n
    one, other = ([made.table.take(side[[i]]) for i in range(count)] for side in (first, second))
    return [
        {"kind": "pair", "outcome": OK, "pair": i, "dissimilarity": float(value[0, 0])}
        for i, value in enumerate(map(space.between, one, other))
    ]


def treatments(
    experiment: Experiment, *, compared_bins: Sequence[int], **protocol: Unpack[Protocol]
) -> Iterator[dict[str, Any]]:
    """Cluster by one measure under several treatments of missing cells, and numbers of bins.

    Treatments of missing cells are scored on the complete rows, so that all are judged on the same
    objects. Numbers of bins are scored on all rows.
    """
    known = _named(experiment)
    for bins in compared_bins if experiment.facts["numeric"] else ():
        made = prepared(experiment, bins=bins)
        own = {**known, "bins": bins}
        yield from measured(experiment, made, fits(experiment, made), own, setting=f"bins={bins}")
    gaps = ~prepared(experiment, "value").complete
    for treatment in TREATMENTS if gaps.any() else ():
        own = {**known, "treatment": treatment}
        if gaps.mean() > 0.5:
            error = LeftOutError("few rows", f"{1 - gaps.mean():.0%} of the rows are complete")
            yield {**own, "kind": "cell", **left_out(error)}
            continue
        made = prepared(experiment, treatment)
        fitted, among = fits(experiment, made), made.complete[made.rows]
        yield from measured(experiment, made, fitted, own, among, setting=f"missing={treatment}")
