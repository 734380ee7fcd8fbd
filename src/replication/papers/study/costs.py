"""Measure seconds and memory of the study's measures and methods."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from typing import Any, Unpack

import numpy as np

from couplings.measures.coupled_mixed import CoupledMixed
from couplings.measures.encodings import Encoding
from replication.papers.study.cells import REFUSED, RUNS, fits, left_out, require_few
from replication.papers.study.data import Prepared, Protocol, prepared
from replication.papers.study.rivals.experiment import PAIRS
from replication.run.cost import Work, costs
from replication.run.experiment import Experiment
from replication.run.runner import cluster
from replication.steps import OK

_WARM_UP = 600
"""Objects on which everything is compiled before it is timed."""


def cost(experiment: Experiment, **protocol: Unpack[Protocol]) -> Iterator[dict[str, Any]]:
    """Measure seconds and memory of fitting one measure, and of the cheapest clustering with it.

    One record: ``algorithm``; ``fit_seconds`` and ``run_seconds`` of fit and clustering;
    ``before_mib`` and ``peak_mib`` of their process. Or the rule that leaves it out.
    """
    yield _cost(experiment, experiment.measures, learning)


def alone(experiment: Experiment, **protocol: Unpack[Protocol]) -> Iterator[dict[str, Any]]:
    """Measure seconds and memory of one start of a method that clusters the table itself.

    One record, as of `cost`, with everything counted as the fit: ``run_seconds`` is 0.
    """
    yield _cost(experiment, experiment.algorithms, clustering)


def _cost(
    experiment: Experiment,
    entries: Mapping[str, Mapping[str, Any]],
    work: Callable[[Experiment], Iterator[Work]],
) -> dict[str, Any]:
    """Return the record of one measure or method, from one or two pieces of work."""
    ((name, entry),) = entries.items()
    common = {"measure": name, "label": entry["label"], "kind": "cost"}
    try:
        first, *others = costs(work, experiment)
    except REFUSED as error:
        return {**common, **left_out(error)}
    (run,) = others or [{"piece": name, "seconds": 0.0, "peak_mib": 0.0}]
    return {
        **common,
        **{"outcome": OK, "algorithm": run["piece"]},
        **{"fit_seconds": first["seconds"], "run_seconds": run["seconds"]},
        "before_mib": first["before_mib"],
        "peak_mib": max(first["peak_mib"], run["peak_mib"]),
    }


def clustering(experiment: Experiment) -> Iterator[Work]:
    """Yield the work of one start of a method that clusters the table itself.

    Raises `LeftOutError` if it needs all pairs of objects, and there are too many.
    """
    (name,) = experiment.algorithms
    made = prepared(experiment)
    if name in PAIRS:
        require_few(experiment, made.n_objects)

    def start(data: Prepared) -> object:
        algorithm = experiment.algorithm(name, n_clusters=made.n_classes)
        random = "random_state" in algorithm.get_params()
        seeds = [experiment.shared("learned") if random else None]
        return cluster(data, None, algorithm, seeds)

    yield Work({"piece": name}, lambda: start(made), lambda: start(first_objects(made)))


def first_objects(made: Prepared) -> Prepared:
    """Return the first objects, with the values that occur in them."""
    few = made.ordered(np.arange(min(_WARM_UP, made.n_objects)))
    return replace(few, table=few.table.observed())


def learning(experiment: Experiment) -> Iterator[Work]:
    """Yield two pieces of work: fit one measure, then the cheapest clustering with it.

    Raises `LeftOutError` or `CouplingsError` if a rule leaves out the measure or the clustering.
    """
    experiment.trials = 1  # one fit and one clustering are timed
    made = prepared(experiment)
    few = first_objects(made)
    fitted, learnt = (fits(experiment, data)(0) for data in (made, few))
    yield Work(
        {"piece": "learning"}, lambda: fits(experiment, made)(0), lambda: fits(experiment, few)(0)
    )
    # the cheapest one that the measure has
    vectors = isinstance(fitted.measure, Encoding | CoupledMixed)
    algorithm = "kmeans" if vectors else "average" if fitted.sums is None else "kmodes"
    yield Work(
        {"piece": algorithm},
        lambda: RUNS[algorithm](experiment, made, fitted, 0),
        lambda: RUNS[algorithm](experiment, few, learnt, 0),
    )
