"""Every measure with every algorithm on one data set of the reader's own."""

from __future__ import annotations

import typing
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from replication.errors import UserError

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
    table, truth, k = _data(experiment)
    for measure, entry in experiment.measures.items():
        fitted = _fitted(experiment, measure, table)
        for algorithm in experiment.algorithms:
            yield {
                "measure": measure,
                "measure_label": entry["label"],
                **_once(experiment, table, truth, k, algorithm, measure, fitted),
            }


def by_table(experiment: Experiment) -> Iterator[dict[str, Any]]:
    """Cluster by algorithms that need no measure; yields what `by_measure` does."""
    table, truth, k = _data(experiment)
    for algorithm in experiment.algorithms:
        yield {
            "measure": WITHOUT_MEASURE,
            "measure_label": "none",
            **_once(experiment, table, truth, k, algorithm, WITHOUT_MEASURE, None),
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


def _data(experiment: Experiment) -> tuple[CategoricalTable, np.ndarray | None, int]:
    """Table, classes (None without a class column) and number of clusters."""
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
    return table, truth if known else None, k


def _once(
    experiment: Experiment,
    table: CategoricalTable,
    truth: np.ndarray | None,
    k: int,
    algorithm: str,
    measure: str,
    fitted: ValueMeasure | str | None,
) -> dict[str, Any]:
    return experiment.once(
        f"{measure}.{algorithm}",
        lambda: {
            "algorithm": algorithm,
            "algorithm_label": experiment.algorithms[algorithm]["label"],
            "clusters_asked": k,
            **(
                {"runs": 0, "note": fitted}
                if isinstance(fitted, str)
                else _clustered(experiment, table, truth, k, algorithm, measure, fitted)
            ),
        },
    )


def _clustered(
    experiment: Experiment,
    table: CategoricalTable,
    truth: np.ndarray | None,
    k: int,
    algorithm: str,
    measure: str,
    fitted: ValueMeasure | None,
) -> dict[str, Any]:
    """Scores of one pipeline, or a note that says why it has none."""
    import numpy as np

    from couplings.errors import CouplingsError

    random = "random_state" in experiment.algorithm(algorithm, n_clusters=k).get_params()
    runs = []
    try:
        for trial in range(experiment.trials if random else 1):
            source = experiment.rng(measure, algorithm, trial=trial)
            options = {"random_state": source} if random else {}
            made = experiment.algorithm(algorithm, n_clusters=k, **options)
            objects, given = _arguments(made, table, fitted)
            runs.append(made.fit_predict(objects, **given))
    except CouplingsError as error:
        return {"runs": 0, "note": str(error)}
    except MemoryError as error:
        return {"runs": 0, "note": _too_large(error)}
    note = ""
    try:
        internal = [_internal(table, labels, fitted) for labels in runs]
    except CouplingsError as error:
        # the clusters are there all the same
        internal, note = [{}] * len(runs), f"without the ratio of dissimilarities: {error}"
    scores = [_scores(truth, labels) | own for labels, own in zip(runs, internal, strict=True)]
    # an index that is undefined in one run, such as a ratio to 0, is left out
    columns = {name: np.array([one[name] for one in scores]) for name in scores[0]}
    columns = {name: column for name, column in columns.items() if np.isfinite(column).all()}
    means = {name: float(column.mean()) for name, column in columns.items()}
    spread = {
        f"sd_{name}": float(column.std(ddof=1)) for name, column in columns.items() if len(runs) > 1
    }
    clusters = " ".join(map(str, _renamed(runs[0])))
    said = {"note": note} if note else {}
    return {"runs": len(runs), **means, **spread, "labels": clusters, **said}


def _arguments(
    algorithm: Any, table: CategoricalTable, fitted: ValueMeasure | None
) -> tuple[Any, dict[str, Any]]:
    """What an algorithm clusters: the table, distances of all pairs, or table and dissimilarity.

    Raises
    ------
    MeasureError
        If the algorithm compares values, and the measure only whole objects.
    """
    from couplings.errors import MeasureError
    from couplings.values import ValueMatrices

    if fitted is None:
        return table, {}
    wanted = typing.get_type_hints(algorithm.fit).get("matrices")
    if wanted is None:
        return fitted.space_.condensed(table), {}
    if set(typing.get_args(wanted) or [wanted]) - {type(None)} != {ValueMatrices}:
        return table, {"matrices": fitted.space_}
    if fitted.space_.link in ("inverse", "ratio"):
        raise MeasureError(
            f"{type(algorithm).__name__} compares values, {type(fitted).__name__} whole objects"
        )
    return table, {"matrices": fitted.space_.matrices}


def _internal(
    table: CategoricalTable, labels: np.ndarray, fitted: ValueMeasure | None
) -> dict[str, float]:
    from couplings.metrics.internal import internal_indices

    return {} if fitted is None else {"rd": internal_indices(table, labels, fitted.space_)["rd"]}


def _scores(truth: np.ndarray | None, labels: np.ndarray) -> dict[str, float]:
    from couplings.metrics.external import external_scores

    scores = {"clusters_found": float(len(set(labels.tolist())))}
    return scores if truth is None else scores | external_scores(truth, labels)


def _renamed(labels: np.ndarray) -> list[int]:
    """Clusters numbered from 1 in order of appearance."""
    numbers: dict[int, int] = {}
    return [numbers.setdefault(label, len(numbers) + 1) for label in labels.tolist()]
