"""Every column of DILCA's tables on every preparation of the numeric attributes, clustered."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any

from replication.run.runner import Clusterings, Objects, cluster
from replication.run.selection import RULES, select
from replication.steps import setting_text

if TYPE_CHECKING:
    from replication.data.store import Tables
    from replication.run.experiment import Experiment

SCORES = ("inverse_purity", "purity", "accuracy", "nmi_sqrt", "nmi_arithmetic", "nmi_max", "ari")
"""Scores that a reading of DILCA's purity or NMI may ask for."""


def by_column(experiment: Experiment) -> Iterator[dict[str, Any]]:
    """Cluster one data set by every column on every preparation, in file order.

    Parameters of the experiment: ``algorithm`` (that follows a measure), ``on_tables`` (columns
    that have an algorithm instead of a measure), ``grids`` (of columns that have a parameter),
    ``rule`` (of `replication.run.selection`), ``ways`` (a name to a preparation),
    ``stripped`` (the same for the columns ``three_classes``).

    Yields
    ------
    dict
        ``method``, ``way``, ``setting``, ``label_cuts`` (attributes that were cut with the class
        labels) and the scores; one record per column and way, at the setting that the rule picks.
    """
    given = experiment.parameters
    for way in given["ways"]:
        for method in (*experiment.measures, *given["on_tables"]):
            names = given["stripped" if method in given["three_classes"] else "ways"]
            tables = experiment.tables(names[way])
            yield {
                "method": method,
                "way": way,
                "label_cuts": " ".join(tables.facts["label_cuts"]),
                **_best(experiment, method, way, tables),
            }


def _best(experiment: Experiment, method: str, way: str, tables: Tables) -> dict[str, Any]:
    """Scores of a column at the setting that the rule picks."""
    given = experiment.parameters
    objects = Objects(tables.tables[0], tables.labels[0])
    grid = given["grids"].get(method, {"": [None]})
    ((parameter, values),) = grid.items()
    found = []
    for value in values:
        setting = {} if value is None else {parameter: value}
        made = experiment.runner.clusterings(
            objects,
            lambda setting=setting: _clustered(experiment, method, objects, setting),
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
    experiment: Experiment, method: str, objects: Objects, setting: Mapping[str, Any]
) -> Clusterings:
    given, k = experiment.parameters, objects.n_classes
    if method in given["on_tables"]:
        algorithm = experiment.algorithm(given["on_tables"][method], n_clusters=k, **setting)
        return cluster(objects, None, algorithm)
    measure = experiment.measure(method, **setting).fit(objects.table)
    return cluster(objects, measure, experiment.algorithm(given["algorithm"], n_clusters=k))
