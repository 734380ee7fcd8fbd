"""What the measures of the study cost, in seconds and memory."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from typing import Any, Unpack

import numpy as np

from replication.papers.study.cells import RUNS
from replication.papers.study.data import Prepared, Protocol, prepared
from replication.papers.study.rivals.experiment import PAIRS
from replication.papers.study.spaces import LeftOutError, Representation, fits, require_few
from replication.run.cost import SECONDS, Work, costs
from replication.run.experiment import Experiment
from replication.run.runner import cluster
from replication.steps import OK

_WARM_UP = 600
"""Objects on which everything is compiled before it is timed."""


def cost(experiment: Experiment, **protocol: Unpack[Protocol]) -> Iterator[dict[str, Any]]:
    """Seconds and memory of learning one measure and of the cheapest clustering with it.

    Yields
    ------
    dict
        ``algorithm``; ``fit_seconds``, ``fit_slowest``, ``run_seconds``, ``run_slowest`` of the two
        pieces; ``before_mib`` and ``peak_mib`` of their process. Or the rule that leaves it out.
    """
    yield _cost(experiment, experiment.measures, learning, {})


def alone(experiment: Experiment, **protocol: Unpack[Protocol]) -> Iterator[dict[str, Any]]:
    """Seconds and memory of one start of a method that clusters the table itself.

    Yields
    ------
    dict
        As `cost`: learning is all of it, ``run_seconds`` and ``run_slowest`` are 0.
    """
    (name,) = experiment.algorithms
    yield _cost(experiment, experiment.algorithms, clustering, {"algorithm": name})


def _cost(
    experiment: Experiment,
    entries: Mapping[str, Mapping[str, Any]],
    work: Callable[[Experiment], Iterator[Work]],
    known: Mapping[str, str],
) -> dict[str, Any]:
    """Record of one measure or method, from one or two pieces of work."""
    ((name, entry),) = entries.items()
    common = {"measure": name, "label": entry["label"], "kind": "cost", **known}
    try:
        first, *others = costs(work, experiment)
    except LeftOutError as error:
        return {**common, **error.record}
    run = others[0] if others else {"seconds": 0.0, "slowest": 0.0}
    return {
        **common,
        **{"outcome": OK, "algorithm": run.get("piece", name)},
        **{f"fit_{key}": first[key] for key in SECONDS},
        **{f"run_{key}": run[key] for key in SECONDS if key in run},
        "before_mib": first["before_mib"],
        "peak_mib": max(one["peak_mib"] for one in (first, *others)),
    }


def clustering(experiment: Experiment) -> Iterator[Work]:
    """One start of a method that clusters the table itself.

    Raises
    ------
    LeftOutError
        If it looks at all pairs of objects, and there are too many.
    """
    (name,) = experiment.algorithms
    made = prepared(experiment)
    if name in PAIRS:
        require_few(experiment.parameters["limit"], len(made.labels))
    few = first_objects(made)

    def start(data: Prepared) -> object:
        algorithm = experiment.algorithm(name, n_clusters=made.n_classes)
        random = "random_state" in algorithm.get_params()
        seeds = [experiment.shared("learned") if random else None]
        return cluster(data.objects, None, algorithm, seeds)

    yield Work({"piece": name}, lambda: start(made), lambda: start(few))


def first_objects(made: Prepared) -> Prepared:
    """The first objects, with the values that they have."""
    few = made.ordered(np.arange(min(_WARM_UP, len(made.labels))))
    return replace(few, table=few.table.observed())


def learning(experiment: Experiment) -> Iterator[Work]:
    """Learning of one measure, and the cheapest clustering with it.

    Raises
    ------
    LeftOutError
        If the data have no such measure; or, from the clustering, if it cannot be done.
    """
    (name,) = experiment.measures
    experiment.trials = 1  # one fit and one clustering are timed
    made = prepared(experiment)
    few = first_objects(made)
    fitted, learnt = (fits(experiment, name, data)(0) for data in (made, few))
    yield Work(
        {"piece": "learning"},
        lambda: fits(experiment, name, made)(0),
        lambda: fits(experiment, name, few)(0),
    )
    algorithm = _cheapest(fitted)
    run = RUNS[algorithm]
    yield Work(
        {"piece": algorithm},
        lambda: run(experiment, made, fitted, 0),
        lambda: run(experiment, few, learnt, 0),
    )


def _cheapest(space: Any) -> str:
    """Algorithm that a measure is timed with: k-means, k-modes, else average linkage."""
    from couplings.measures.encodings import Encoding

    if isinstance(space, Representation) or isinstance(space.measure, Encoding):
        return "kmeans"
    return "kmodes" if space.sums is not None else "average"
