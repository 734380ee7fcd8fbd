"""Methods of others in the study: run or scored as its own are, each cell marked *handed in*.

A file of code or of label vectors is one experiment, see `replication.papers.study.handed_files`.
A measure goes through all algorithms of the protocol; a method that clusters the table itself
begins as often as the others of its kind, or, without chance, runs over as many row orders. What
fails on one data set leaves out that cell only, by the rule ``failed``.
"""

from __future__ import annotations

import sys
import traceback
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from replication.papers.study.cells import cell, clustered, over_orders
from replication.papers.study.costs import first_objects, one_start
from replication.papers.study.data import Prepared, prepared
from replication.papers.study.handed_files import (
    CLUSTERING,
    LABELS,
    MEASURE,
    Method,
    load_method,
    read_vectors,
)
from replication.papers.study.handed_out import fingerprint, in_file_order
from replication.papers.study.spaces import LeftOutError, fit, left_out
from replication.papers.study.starts import starts
from replication.run.cost import Work
from replication.run.runner import Clusterings, cluster

if TYPE_CHECKING:
    from replication.run.experiment import Experiment

NOT_HANDED_IN = "not handed in"
"""Rule that leaves out a data set of which a file of label vectors has none."""
NOT_KNOWN = "not known"
"""Rule that leaves out what label vectors cost: nobody here saw how they were made."""


def handed_in(experiment: Experiment) -> Iterator[dict[str, Any]]:
    """Score what one file hands in, on one data set.

    Yields
    ------
    dict
        As the cells of the grid; ``measure`` is the stem of the file, ``algorithm`` too unless it
        is a measure, and ``handed`` says what was handed in.
    """
    path = Path(experiment.parameters["file"])
    made = prepared(experiment)
    if path.suffix == ".parquet":
        common = {"measure": path.stem, "label": path.stem, "kind": "cell", "handed": LABELS}
        vectors = read_vectors(path)
        mark = fingerprint(in_file_order(made))
        labels = vectors.of(experiment.dataset, len(made.labels), mark)
        yield {**common, **cell(experiment, made, path.stem, lambda: _given(made, labels))}
        return
    method = load_method(path)
    common = {"measure": path.stem, "label": method.label, "kind": "cell", "handed": method.kind}
    cells = _clustering if method.kind == CLUSTERING else _measure
    for record in cells(experiment, made, path.stem, method):
        yield {**common, **record}


def handed_cost(experiment: Experiment) -> Iterator[dict[str, Any]]:
    """Seconds and memory of what one file hands in, on one data set.

    Yields
    ------
    dict
        As `replication.papers.study.costs.alone`: one start of a clustering, or the learning of a
        measure. Of label vectors the rule `NOT_KNOWN`, nobody having seen how they were made.
    """
    path = Path(experiment.parameters["file"])
    common = {"measure": path.stem, "label": path.stem}
    if path.suffix == ".parquet":
        record = {"kind": "cost", "algorithm": path.stem, **left_out(NOT_KNOWN)}
    else:
        record = one_start(handed_work, experiment, path.stem)
    yield {**common, **record}


def handed_work(experiment: Experiment) -> Iterator[Work]:
    """One start of a clustering of somebody else, or the learning of a measure.

    Raises
    ------
    LeftOutError
        By the rule ``failed``, if the code fails on the first objects, or while it is measured.
    """
    path = Path(experiment.parameters["file"])
    method = load_method(path)
    made = prepared(experiment)
    few = first_objects(made)

    def learn(data: Prepared) -> object:
        chance = {"random_state": experiment.seed("measure")} if method.random else {}
        return method.made(**chance).fit(data.table)

    def start(data: Prepared) -> object:
        seed = int(experiment.shared(path.stem).integers(2**31)) if method.random else None
        return Foreign(method.made, made.n_classes, seed).fit(data.table)

    once = learn if method.kind == MEASURE else start
    yield Work(
        {"piece": path.stem},
        lambda: guarded(lambda: once(made)),
        lambda: guarded(lambda: once(few)),
    )


def _given(made: Prepared, labels: np.ndarray) -> Clusterings:
    """Clusterings from label vectors in the order of the file."""
    if not len(labels):
        raise LeftOutError(NOT_HANDED_IN)
    return Clusterings(made.objects, labels[:, np.argsort(np.argsort(made.rows))])


def _measure(
    experiment: Experiment, made: Prepared, name: str, method: Method
) -> Iterator[dict[str, Any]]:
    """A measure, with every algorithm of the protocol."""
    entry = {"class": f"{method.module}:{method.made.__name__}", "label": method.label}
    experiment.measures = {name: entry}
    try:
        fitted, refused = guarded(lambda: fit(experiment, name, made))
    except LeftOutError as error:
        fitted, refused = [], left_out(error.rule, error.detail)
    for algorithm in experiment.parameters["algorithms"]:
        if refused:
            yield {"algorithm": algorithm, **refused}
            continue
        yield cell(
            experiment,
            made,
            algorithm,
            lambda a=algorithm: guarded(lambda: clustered(experiment, made, fitted, a)),
            measure=name,
        )


def _clustering(
    experiment: Experiment, made: Prepared, name: str, method: Method
) -> Iterator[dict[str, Any]]:
    """A method that clusters the table itself, from every start or in every row order."""
    algorithm = Foreign(method.made, made.n_classes)

    def run() -> Clusterings:
        if method.random:
            seeds = [
                int(experiment.shared(name, trial=trial).integers(2**31))
                for trial in range(starts(experiment))
            ]
            return cluster(made.objects, None, algorithm, seeds)
        orders = [
            experiment.shared("order", trial=trial).permutation(len(made.labels))
            for trial in range(min(experiment.parameters["orders"], experiment.trials))
        ]
        return over_orders(
            made.objects, orders, lambda _, objects: cluster(objects, None, algorithm)
        )

    yield cell(experiment, made, name, lambda: guarded(run))


@dataclass
class Foreign:
    """A method of somebody else, as `replication.run.runner.cluster` takes one.

    Attributes
    ----------
    made : type
        Its class.
    n_clusters : int
        Number of clusters.
    random_state : int or None
        Seed, if it takes one.
    labels_ : ndarray of int64, shape (n,)
        Cluster of each object, from 0, after `fit`.
    """

    made: type
    n_clusters: int
    random_state: int | None = None
    labels_: np.ndarray | None = field(default=None, init=False)

    def get_params(self, deep: bool = False) -> dict[str, Any]:
        """Return the parameters."""
        return {name: getattr(self, name) for name in ("made", "n_clusters", "random_state")}

    def fit(self, table: Any) -> Foreign:
        """Cluster a copy of the table.

        Raises
        ------
        TypeError, ValueError
            If the method leaves anything but one whole number per object as ``labels_``.
        """
        chance = {} if self.random_state is None else {"random_state": self.random_state}
        one = self.made(n_clusters=self.n_clusters, **chance)
        one.fit(table.take(np.arange(table.n_objects)))
        labels = np.asarray(one.labels_)
        if labels.dtype.kind not in "iu":
            raise TypeError(f"labels_ are {labels.dtype}, must be whole numbers")
        if labels.shape != (table.n_objects,):
            raise ValueError(f"labels_ have shape {labels.shape}, must be ({table.n_objects},)")
        self.labels_ = np.unique(labels, return_inverse=True)[1].astype(np.int64)
        for name in ("objective_", "cost_", "inertia_"):  # what it makes small itself
            if hasattr(one, name):
                setattr(self, name, float(getattr(one, name)))
        return self


def guarded(work: Callable[[], Any]) -> Any:
    """Do what runs code of somebody else.

    Raises
    ------
    LeftOutError
        By the rule ``failed``, whatever it raises; the traceback goes to the log of the job.
    """
    try:
        return work()
    except LeftOutError:
        raise
    except Exception as error:
        traceback.print_exc(file=sys.stderr)
        raise LeftOutError("failed", f"{type(error).__name__}: {error}"[:300]) from error
