"""Every column of DILCA's tables on every preparation of the numeric attributes."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any

from replication.judge.published import numbers
from replication.judge.verdicts import EXACT
from replication.papers.dilca.records import (
    MARK_LEGEND,
    NMI_COLUMNS,
    ORACLE,
    PURITY_COLUMNS,
    SCORES,
)
from replication.run.selection import RULES, select
from replication.show.job import Job
from replication.show.sheet import Column, Sheet, number
from replication.steps import OK, setting_text

if TYPE_CHECKING:
    import pandas as pd

    from replication.data.store import Tables
    from replication.run.experiment import Experiment

WAYS = {
    "bins": "ten bins",
    "mdl": "MDL",
    "mdl_or_bins": "MDL or ten bins",
}
"""Preparations of the numeric attributes."""

_COLUMNS = (*PURITY_COLUMNS.values(), *NMI_COLUMNS.values(), "ari")


def by_column(experiment: Experiment) -> Iterator[dict[str, Any]]:
    """Cluster one data set by every column on every preparation, in file order.

    Parameters of the experiment: ``algorithm`` (that follows a measure), ``on_tables`` (columns
    that have an algorithm instead of a measure), ``grids`` (of columns that have a parameter),
    ``rule`` (of `replication.run.selection`), ``ways`` (a word of `WAYS` to a preparation),
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
            yield experiment.once(
                f"{method} {way}",
                lambda method=method, way=way, tables=tables: {
                    "method": method,
                    "way": way,
                    "label_cuts": " ".join(tables.facts["label_cuts"]),
                    **_best(experiment, method, tables),
                },
            )


def _best(experiment: Experiment, method: str, tables: Tables) -> dict[str, Any]:
    """Scores of a column at the setting that the rule picks."""
    from couplings.counts import cooccurrence
    from couplings.metrics.external import external_scores

    given, table, truth = experiment.parameters, tables.tables[0], tables.labels[0]
    grid = given["grids"].get(method, {"": [None]})
    ((parameter, values),) = grid.items()
    counts = cooccurrence(table)
    found = []
    for value in values:
        setting = {} if value is None else {parameter: value}
        k = len(set(truth.tolist()))
        if method in given["on_tables"]:
            name = given["on_tables"][method]
            labels = experiment.algorithm(name, n_clusters=k, **setting).fit_predict(table)
        else:
            space = experiment.measure(method, **setting).fit(counts).space_
            algorithm = experiment.algorithm(given["algorithm"], n_clusters=k)
            labels = algorithm.fit_predict(space.condensed(table))
        scores = external_scores(truth, labels)
        found.append({name: float(scores[name]) for name in _COLUMNS})
    if len(values) == 1:
        return {"setting": "", **found[0]}
    picked = {name: [one[name] for one in found] for name in RULES[given["rule"]]}
    best = select(values, picked, given["rule"])
    return {"setting": f"{parameter}={setting_text(best)}", **found[values.index(best)]}


def preparations(job: Job, cells: pd.DataFrame) -> Sheet:
    """Which cells are exact under each preparation, column by column. No verdict uses this."""
    from replication.judge.verdicts import equals_printed, parse_printed

    records = job.records("preparations")
    ran = records[records["status"] == OK].fillna("").to_dict("records")
    first = job.readings[0]
    shown = numbers(cells).to_dict("records")
    labels = {cell["method_id"]: cell["method"] for cell in shown}
    printed = {
        (cell["dataset_id"], cell["method_id"], cell["metric"]): cell["printed"] for cell in shown
    }
    data = []
    for one in ran:
        for metric, score in SCORES.items():
            text = printed.get((one["dataset"], one["method"], metric))
            if text is None:
                continue
            value = one[score.column(job, first)]
            data.append(
                {
                    "dataset": one["dataset"],
                    "method": one["method"],
                    "label": labels[one["method"]],
                    "way": one["way"],
                    "setting": one["setting"],
                    "oracle": "yes" if one["setting"] or one["label_cuts"] else "no",
                    "label_cuts": one["label_cuts"],
                    "metric": metric,
                    "printed": text,
                    "reproduced": value,
                    "exact": "yes" if equals_printed(parse_printed(text), value) else "no",
                }
            )
    methods = [name for name in labels if any(one["method"] == name for one in data)]
    rows = [
        {"method": labels[method], "dataset": job.datasets[dataset]["printed"]}
        | _row(data, method, dataset)
        for method in methods
        for dataset in job.datasets
    ]
    totals = _totals(data)
    better = [
        f"{labels[method]} ({totals[method, 'mdl']} of {_cells(data, method)}, with ten bins "
        f"{totals[method, 'bins']})"
        for method in methods
        if totals[method, "mdl"] > totals[method, "bins"]
    ]
    return Sheet(
        name=f"{job.paper}-{job.artefact}",
        title=f"{job.label}: exact cells by column",
        caption=(
            "Cells of the data sets with numeric attributes whose printed digits are met, of "
            f"purity, NMI and ARI each. With MDL they are more in: {', '.join(better) or 'none'}."
        ),
        columns=[
            Column("method", "Method", text=True),
            Column("dataset", "Data set", text=True),
            *(Column(f"printed.{metric}", metric, "printed") for metric in SCORES),
            *(
                Column(f"{way}.{key}", head, words)
                for way, words in WAYS.items()
                for key, head in (*((metric, metric) for metric in SCORES), ("exact", EXACT))
            ),
        ],
        rows=rows,
        legend=[
            MARK_LEGEND,
            f"exact: cells of three whose printed digits are met. {ORACLE} MDL finds the cuts with "
            "the class labels; parameters are chosen with them under every preparation. MDL or ten "
            "bins: ten bins where MDL finds no cut. ROCK has three classes on Post-operative, the "
            "others four.",
            f"Met in all, under {', '.join(WAYS.values())}: "
            + ", ".join(
                f"{labels[method]} {' '.join(str(totals[method, way]) for way in WAYS)}"
                for method in methods
            )
            + ".",
        ],
        data=data,
        data_columns=[
            *("dataset", "method", "label", "way", "setting", "oracle", "label_cuts", "metric"),
            *("printed", "reproduced", "exact"),
        ],
    )


def _row(data: list[dict[str, Any]], method: str, dataset: str) -> dict[str, str]:
    """Readable cells of one column and data set."""
    row = {}
    own = [one for one in data if (one["method"], one["dataset"]) == (method, dataset)]
    for one in own:
        score = SCORES[one["metric"]]
        mark = " =" if one["exact"] == "yes" else ""
        oracle = ORACLE if one["oracle"] == "yes" else ""
        text = number(one["reproduced"], score.digits, score.scale)
        row[f"printed.{one['metric']}"] = one["printed"].rstrip("%")
        row[f"{one['way']}.{one['metric']}"] = f"{text}{mark}{oracle}"
    for way in WAYS:
        row[f"{way}.exact"] = str(sum(one["exact"] == "yes" for one in own if one["way"] == way))
    return row


def _totals(data: list[Mapping[str, Any]]) -> Counter[tuple[str, str]]:
    """Exact cells by column and preparation."""
    return Counter((one["method"], one["way"]) for one in data if one["exact"] == "yes")


def _cells(data: list[Mapping[str, Any]], method: str) -> int:
    """Printed cells of a column."""
    return len({(one["dataset"], one["metric"]) for one in data if one["method"] == method})
