"""Every measure with every algorithm on one data set of the reader's own."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from replication.errors import UserError
from replication.run.runner import Clusterings, Objects, cluster
from replication.run.scores import EXTERNAL

if TYPE_CHECKING:
    import numpy as np

    from couplings.measures.base import ValueMeasure
    from couplings.table import CategoricalTable
    from replication.run.experiment import Experiment

WITHOUT_MEASURE = "table"
"""Stands for the measure of algorithms that work on the table itself."""


def by_measure(experiment: Experiment) -> Iterator[dict[str, Any]]:
    """Cluster by every algorithm with every measure.

    Yields
    ------
    dict
        ``measure``, ``algorithm`` and their labels; ``runs``, ``clusters_asked``; mean scores over
        the runs, ``sd_<score>`` for randomised algorithms; ``labels`` of the first run, separated
        by blanks; ``note``, why there are none.
    """
    objects, k = data_of(experiment)
    for measure, entry in experiment.measures.items():
        fitted = _fitted(experiment, measure, objects.table)
        for algorithm in experiment.algorithms:
            yield {
                "measure": measure,
                "measure_label": entry["label"],
                **_record(experiment, objects, k, algorithm, measure, fitted),
            }


def by_table(experiment: Experiment) -> Iterator[dict[str, Any]]:
    """Cluster by algorithms that need no measure; yields what `by_measure` does."""
    objects, k = data_of(experiment)
    for algorithm in experiment.algorithms:
        yield {
            "measure": WITHOUT_MEASURE,
            "measure_label": "no measure",
            **_record(experiment, objects, k, algorithm, WITHOUT_MEASURE, None),
        }


def _fitted(experiment: Experiment, measure: str, table: CategoricalTable) -> ValueMeasure | str:
    """Measure that has learned the table, or why it cannot."""
    from couplings.errors import CouplingsError

    made = experiment.measure(measure)
    try:
        return made.fit(table)
    except CouplingsError as error:
        return str(error)
    except MemoryError as error:
        return _too_large(error)


def _too_large(error: MemoryError) -> str:
    reason = f" ({error})" if str(error) else ""
    return f"the memory does not suffice{reason}; cluster a sample of the rows"


def data_of(experiment: Experiment) -> tuple[Objects, int]:
    """Objects (classes None without a class column) and number of clusters."""
    tables = experiment.tables(experiment.parameters["preparation"])
    table, truth, classes = tables.tables[0], tables.labels[0], tables.facts["classes"]
    known = classes != ["none"]
    place = (
        f"config/papers/{experiment.paper}.yaml: experiments.{experiment.name}.by_dataset."
        f"{experiment.dataset}.clusters"
    )
    k = experiment.parameters.get("clusters", len(classes) if known else None)
    if k is None:
        raise UserError(f"{place}: is missing; without a class column, say how many clusters")
    if not isinstance(k, int) or isinstance(k, bool) or not 1 <= k <= table.n_objects:
        raise UserError(
            f"{place}: is {k!r}, but the table has {table.n_objects} rows; ask for 1 to "
            f"{table.n_objects} clusters"
        )
    return Objects(table, truth if known else None), k


def _record(
    experiment: Experiment,
    objects: Objects,
    k: int,
    algorithm: str,
    measure: str,
    fitted: ValueMeasure | str | None,
) -> dict[str, Any]:
    """Scores of one pipeline, or a note that says why it has none."""
    made = experiment.runner.clusterings(
        objects,
        lambda: clustered(experiment, objects, k, algorithm, measure, fitted),
        measure=measure,
        algorithm=algorithm,
    )
    common = {
        "algorithm": algorithm,
        "algorithm_label": experiment.algorithms[algorithm]["label"],
        "clusters_asked": k,
    }
    if made.facts:
        return {**common, "runs": 0, **made.facts}
    return {**common, **_summary(made, None if isinstance(fitted, str) else fitted)}


def clustered(
    experiment: Experiment,
    objects: Objects,
    k: int,
    algorithm: str,
    measure: str,
    fitted: ValueMeasure | str | None,
) -> Clusterings:
    """Clusterings of one pipeline; none, and a note, if it cannot be had."""
    from couplings.errors import CouplingsError

    if isinstance(fitted, str):
        return Clusterings.none(objects, note=fitted)
    made = experiment.algorithm(algorithm, n_clusters=k)
    seeds: list[Any] = [None]
    if "random_state" in made.get_params():
        trials = range(experiment.trials)
        seeds = [experiment.rng(measure, algorithm, trial=trial) for trial in trials]
    try:
        return cluster(objects, fitted, made, seeds)
    except CouplingsError as error:
        return Clusterings.none(objects, note=str(error))
    except MemoryError as error:
        return Clusterings.none(objects, note=_too_large(error))


def _summary(made: Clusterings, fitted: ValueMeasure | None) -> dict[str, Any]:
    """Mean and spread of the scores over the runs, and the labels of the first one."""
    import numpy as np

    from couplings.errors import CouplingsError

    runs, said = len(made.labels), {}
    inner = [{"clusters_found": float(len(set(labels.tolist())))} for labels in made.labels]
    try:
        inner = [
            one | _ratio(made.objects, labels, fitted)
            for one, labels in zip(inner, made.labels, strict=True)
        ]
    except CouplingsError as error:
        # the clusters are there all the same
        said = {"note": f"without the ratio of dissimilarities: {error}"}
    scores = [
        {**own, **{name: value for name, value in outer.items() if value is not None}}
        for own, outer in zip(
            inner,
            made.scores(EXTERNAL) if made.objects.classes is not None else [{}] * runs,
            strict=True,
        )
    ]
    # an index that is undefined in one run, such as a ratio to 0, is left out
    columns = {name: np.array([one[name] for one in scores]) for name in scores[0]}
    columns = {name: column for name, column in columns.items() if np.isfinite(column).all()}
    means = {name: float(column.mean()) for name, column in columns.items()}
    spread = {
        f"sd_{name}": float(column.std(ddof=1)) for name, column in columns.items() if runs > 1
    }
    return {
        "runs": runs,
        **means,
        **spread,
        "labels": " ".join(map(str, renamed(made.labels[0]))),
        **said,
    }


def _ratio(objects: Objects, labels: np.ndarray, fitted: ValueMeasure | None) -> dict[str, float]:
    """How well the clusters fit the measure."""
    from couplings.metrics.internal import internal_indices

    if fitted is None:
        return {}
    return {"rd": internal_indices(objects.table, labels, fitted.space_)["rd"]}


def renamed(labels: np.ndarray) -> list[int]:
    """Clusters numbered from 1 in order of appearance."""
    numbers: dict[int, int] = {}
    return [numbers.setdefault(label, len(numbers) + 1) for label in labels.tolist()]
