"""What the clusters of one pipeline are: values that mark them, distances, how many, how firm."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from replication.errors import UserError
from replication.papers.own.clusterings import clustered, data_of, renamed

if TYPE_CHECKING:
    import numpy as np

    from couplings.measures.base import ValueMeasure
    from couplings.table import CategoricalTable
    from replication.run.experiment import Experiment

PROFILE, VALUES, NUMBER, OBJECT = "profile", "values", "number", "object"
"""Parts of the records."""
ODD = 5
"""Rows that are shown as the most typical, and as the oddest."""

Record = dict[str, Any]


def explained(experiment: Experiment) -> Iterator[Record]:
    """One measure with one algorithm on one data set, explained.

    The first measure and the first algorithm of the entry are taken. Parameters: ``preparation``,
    ``clusters`` (as in `clusterings`), ``largest_k``, ``samples`` (bootstrap samples behind the
    stability), ``most`` (objects, drawn at random, of the map and of the number of clusters).

    Yields
    ------
    dict
        ``measure_label``, ``algorithm_label`` and ``part``, which tells what else there is:

        ``profile``: ``cluster``, ``size``, ``attribute``, ``value``, ``inside``, ``outside``,
        ``difference``, ``typical``, as `couplings.cluster_profiles`.
        ``values``: ``attribute``, ``value``, ``other`` and ``distance``, ``share`` of the objects
        with the value; one record per pair, none for a measure of whole objects.
        ``number``: ``k``, ``silhouette``, ``stability``, ``stability_sd``, ``smallest``, as
        `couplings.choose_k`.
        ``object``: ``row`` (from 1), ``cluster``, ``class``, ``x``, ``y``, ``shown`` (share of the
        squared distances that the plane holds), ``oddness``, ``because``, ``rank`` (``typical`` or
        ``odd`` for the extreme ones).
    """
    objects, k = data_of(experiment)
    table, truth = objects.table, objects.classes
    measure, algorithm = (
        next(iter(registry), "") for registry in (experiment.measures, experiment.algorithms)
    )
    place = f"config/papers/{experiment.paper}.yaml: experiments.{experiment.name}"
    if not measure or not algorithm:
        raise UserError(f"{place}: needs one of `measures` and one of `algorithms`")
    fitted = experiment.measure(measure).fit(table)
    if fitted.kind == "similarity":
        raise UserError(f"{place}.measures: {measure!r} is a similarity; take a dissimilarity")
    common = {
        "measure_label": experiment.measures[measure]["label"],
        "algorithm_label": experiment.algorithms[algorithm]["label"],
    }

    def parts() -> dict[str, Any]:
        found = clustered(experiment, objects, k, algorithm, measure, fitted)
        if found.facts:
            raise UserError(f"{place}: {found.facts['note']}")
        labels = found.labels[0]
        return {
            "records": [
                *_profiles(table, labels),
                *_values(table, fitted),
                *_numbers(experiment, table, measure, algorithm),
                *_objects(experiment, table, truth, fitted, labels),
            ]
        }

    for record in experiment.once("explained", parts)["records"]:
        yield {**common, **record}


def _profiles(table: CategoricalTable, labels: np.ndarray) -> list[Record]:
    from couplings.diagnostics import cluster_profiles

    profiles = cluster_profiles(table, renamed(labels))
    return [
        {
            "part": PROFILE,
            **{key: int(row[key]) for key in ("cluster", "size")},
            **{key: str(row[key]) for key in ("attribute", "value")},
            **{key: _finite(row[key]) for key in ("inside", "outside", "difference")},
            "typical": "yes" if row["typical"] else "no",
        }
        for row in profiles.to_dict("records")
    ]


def _values(table: CategoricalTable, fitted: ValueMeasure) -> Iterator[Record]:
    from couplings.errors import MeasureError

    for attribute in table.attributes:
        try:
            distances = fitted.value_distances(attribute)
        except MeasureError:
            return  # the measure compares whole objects
        shares = fitted.value_frequencies(attribute)
        total = float(shares.sum())
        for i, value in enumerate(distances.index):
            for j, other in enumerate(distances.columns):
                yield {
                    "part": VALUES,
                    "attribute": attribute,
                    "value": str(value),
                    "other": str(other),
                    "distance": float(distances.iat[i, j]),
                    "share": float(shares.iat[i]) / total,
                }


def _numbers(
    experiment: Experiment, table: CategoricalTable, measure: str, algorithm: str
) -> Iterator[Record]:
    from couplings.diagnostics import choose_k

    given = experiment.parameters
    part = table.take(_some(experiment, table.n_objects))
    distinct = len({row.tobytes() for row in part.codes})
    numbers = range(2, min(given["largest_k"], distinct - 1) + 1)
    made = experiment.algorithm(algorithm)
    own = experiment.measure(measure) if "measure" in made.get_params(deep=False) else None
    found = choose_k(
        part,
        made,
        own,
        numbers,
        n_bootstrap=given["samples"],
        random_state=experiment.seed("number"),
    )
    for k, row in found.iterrows():
        yield {
            "part": NUMBER,
            "k": int(k),
            **{key: _finite(row[key]) for key in ("silhouette", "stability", "stability_sd")},
            "smallest": int(row["smallest"]),
        }


def _objects(
    experiment: Experiment,
    table: CategoricalTable,
    truth: np.ndarray | None,
    fitted: ValueMeasure,
    labels: np.ndarray,
) -> Iterator[Record]:
    import numpy as np

    from couplings.embedding import principal_coordinates
    from couplings.errors import MeasureError

    rows = _some(experiment, table.n_objects)
    distances = fitted.pairwise(table.take(rows))
    points = principal_coordinates(distances**2)[0]
    spread = (points**2).sum(axis=0)
    shown = float(spread[:2].sum() / spread.sum()) if spread.sum() else 1.0
    points = np.pad(points, ((0, 0), (0, max(0, 2 - points.shape[1]))))
    ends: dict[int, Record] = {}
    try:
        for rank, found in (
            ("typical", fitted.typical(table, ODD)),
            ("odd", fitted.odd(table, ODD)),
        ):
            for row, one in zip(found.index, found.to_dict("records"), strict=True):
                ends[int(row)] = {"rank": rank, **one}
    except MeasureError:
        pass  # the measure compares whole objects, no attribute makes one odd
    clusters = renamed(labels)
    at = dict(zip(rows.tolist(), points[:, :2].tolist(), strict=True))
    for row in sorted({*at, *ends}):
        record: Record = {"part": OBJECT, "row": row + 1, "cluster": clusters[row], "shown": shown}
        if truth is not None:
            record["class"] = str(_classes(experiment)[truth[row]])
        if row in at:
            record |= {"x": at[row][0], "y": at[row][1]}
        yield record | ends.get(row, {})


def _classes(experiment: Experiment) -> list[str]:
    """Texts of the classes in code order."""
    return experiment.tables(experiment.parameters["preparation"]).facts["classes"]


def _some(experiment: Experiment, n: int) -> np.ndarray:
    """Rows of a random part, all of them if there are no more than the parameter ``most``."""
    import numpy as np

    most = experiment.parameters["most"]
    if n <= most:
        return np.arange(n)
    return np.sort(experiment.rng("part").choice(n, most, replace=False))


def _finite(value: float) -> float | None:
    """A number that JSON can hold; None for NaN."""
    return float(value) if value == value else None
