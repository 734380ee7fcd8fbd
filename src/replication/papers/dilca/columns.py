"""Every column of DILCA's tables on every preparation of the numeric attributes, clustered."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, TypedDict, Unpack

from replication.run.runner import Clusterings, Objects, cluster
from replication.run.selection import RULES, select
from replication.steps import setting_text

if TYPE_CHECKING:
    from replication.data.store import Tables
    from replication.run.experiment import Experiment

SCORES = ("inverse_purity", "purity", "accuracy", "nmi_sqrt", "nmi_arithmetic", "nmi_max", "ari")
"""Scores that a reading of DILCA's purity or NMI may ask for."""


class Columns(TypedDict):
    """How columns are clustered.

    Attributes
    ----------
    algorithm : str
        Follows a measure.
    on_tables : mapping
        Columns that have an algorithm instead of a measure.
    grids : mapping
        Of columns that have a parameter.
    rule : str
        Of `replication.run.selection`.
    """

    algorithm: str
    on_tables: Mapping[str, str]
    grids: Mapping[str, dict[str, Any]]
    rule: str


def by_column(
    experiment: Experiment,
    *,
    ways: Mapping[str, str],
    stripped: Mapping[str, str],
    three_classes: Sequence[str],
    **columns: Unpack[Columns],
) -> Iterator[dict[str, Any]]:
    """Cluster one data set by every column on every preparation, in file order.

    `ways` names preparations, `stripped` those of the columns `three_classes`.

    Yields
    ------
    dict
        ``method``, ``way``, ``setting``, ``label_cuts`` (attributes that were cut with the class
        labels) and the scores; one record per column and way, at the setting that the rule picks.
    """
    for way in ways:
        for method in (*experiment.measures, *columns["on_tables"]):
            names = stripped if method in three_classes else ways
            tables = experiment.tables(names[way])
            yield {
                "method": method,
                "way": way,
                "label_cuts": " ".join(tables.facts["label_cuts"]),
                **_best(experiment, columns, method, way, tables),
            }


def _best(
    experiment: Experiment, given: Columns, method: str, way: str, tables: Tables
) -> dict[str, Any]:
    """Scores of a column at the setting that the rule picks."""
    objects = Objects(tables.tables[0], tables.labels[0])
    grid = given["grids"].get(method, {"": [None]})
    ((parameter, values),) = grid.items()
    found = []
    for value in values:
        setting = {} if value is None else {parameter: value}
        made = experiment.runner.clusterings(
            objects,
            lambda setting=setting: _clustered(experiment, given, method, objects, setting),
            algorithm=given["on_tables"].get(method, given["algorithm"]),
            measure="" if method in given["on_tables"] else method,
            setting=" ".join([way, *(f"{key}={setting_text(x)}" for key, x in setting.items())]),
        )
        found += made.scores(SCORES)
    if len(values) == 1:
        return {"setting": "", **found[0]}
    picked = {name: [one[name] for one in found] for name in RULES[given["rule"]]}
    best = select(values, picked, given["rule"])
    return {"setting": f"{parameter}={setting_text(best)}", **found[values.index(best)]}


def _clustered(
    experiment: Experiment,
    given: Columns,
    method: str,
    objects: Objects,
    setting: Mapping[str, Any],
) -> Clusterings:
    k = objects.n_classes
    if method in given["on_tables"]:
        algorithm = experiment.algorithm(given["on_tables"][method], n_clusters=k, **setting)
        return cluster(objects, None, algorithm)
    measure = experiment.measure(method, **setting).fit(objects.table)
    return cluster(objects, measure, experiment.algorithm(given["algorithm"], n_clusters=k))
