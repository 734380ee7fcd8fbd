"""The leaderboard of the study: all methods on all data sets, base rates beside them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any

from replication.papers.study.analysis import ALGORITHMS, BASELINES, complete, profiles
from replication.papers.study.cells import SCORES
from replication.papers.study.tables_common import friedman_words, missing, plural
from replication.show.job import Job
from replication.show.sheet import Cell, Column, Sheet
from replication.steps import OK

if TYPE_CHECKING:
    import pandas as pd

BASE = "base rate"
"""What stands in the place of the algorithm of a base rate."""
COLUMNS = (
    *("dataset", "measure", "label", "algorithm", "experiment", "rule", "trials", "clusters"),
    *SCORES,
    *("ari_sd", "rank"),
)
"""Columns of the data. A cell that a rule leaves out has the rule and no scores; ``rank`` is that
of the ARI among all methods on the data set; base rates have none."""
BESIDE = ("profiles", "cost")
"""Experiments of an artefact that hold no cells."""
_DIGITS = 10
"""As many as tell scores apart, see `replication.papers.study.statistics`."""


def leaderboard(job: Job, cells: pd.DataFrame) -> Sheet:
    """All methods by their mean rank in ARI, and in the CSV every cell."""
    from replication.papers.study.statistics import friedman, ranks

    data = leaderboard_rows(job)
    table = scores_of(data)
    block = complete(table) if table.size else table
    test = friedman(block) if len(block) else None
    places = ranks(block).mean() if block.size else block.mean()
    names = {key_of(row): row for row in data}
    level = set()
    if test is not None:
        level = {key for key, rank in places.items() if rank - places.min() < test.difference}
    ordered = [*places.sort_values(kind="stable").index]
    ordered += [key for key in table if key not in places.index]
    rows = [
        {
            "label": names[key]["label"],
            "algorithm": algorithm_name(names[key]),
            "rank": Cell(float(places[key]), 2) if key in places.index else "",
            "ari": Cell(float(block[key].mean()), 3) if key in places.index else "",
            "all": Cell(float(table[key].mean()), 3),
            "datasets": str(int(table[key].notna().sum())),
            "level": "like the best" if key in level else "",
        }
        for key in ordered
    ]
    return Sheet.of(
        job,
        "all methods on all data sets",
        friedman_words(test, {key: title(names[key]) for key in names}, len(block)),
        [
            Column("label", "Method", text=True),
            Column("algorithm", "Algorithm", text=True),
            Column("rank", "mean rank"),
            Column("ari", "common data sets", "mean ARI"),
            Column("all", "its own", "mean ARI"),
            Column("datasets", "data sets"),
            Column("level", "Beside the best", text=True),
        ],
        data,
        rows=[*rows, *_base_rows(data, list(block.index))],
        data_columns=COLUMNS,
        legend=[
            f"A method is a measure with an algorithm, or an algorithm of its own. Ranks over the "
            f"{plural(len(block), 'data set')} that all ranked methods have; a method that lacks "
            "more than a quarter of the data sets has no rank.",
            "Like the best: the mean rank is less than the critical difference behind the first.",
            *missing(job),
        ],
    )


def leaderboard_rows(job: Job) -> list[dict[str, Any]]:
    """Every cell of the artefact's experiments, and the base rates."""
    import pandas as pd

    names = [name for name in job.spec["experiments"] if name.partition("_")[0] not in BESIDE]
    found = pd.concat([job.ok(name) for name in names], ignore_index=True)
    if "kind" not in found:
        return []
    found = found[found["kind"] == "cell"].to_dict("records")
    base = [
        {**row, "measure": row["baseline"], "label": BASELINES[row["baseline"]], "outcome": OK}
        | {"algorithm": BASE, "experiment": "profiles"}
        for row in profiles(job, "baseline").to_dict("records")
    ]
    rows = [_row(one) for one in [*found, *base]]
    order = {name: i for i, name in enumerate(job.datasets)}
    return ranked(sorted(rows, key=lambda row: order[row["dataset"]]))


def _row(record: Mapping[str, Any]) -> dict[str, Any]:
    """One cell by `COLUMNS`, numbers to ten digits."""
    row: dict[str, Any] = dict.fromkeys(COLUMNS)
    row |= {key: record.get(key) for key in COLUMNS[:6]}
    if record["outcome"] != OK:
        return row
    row["rule"] = ""
    for key in COLUMNS[6:-1]:
        value = record.get(key)
        if value is not None and value == value:
            row[key] = int(value) if key == "trials" else round(float(value), _DIGITS)
    return row


def ranked(rows: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Rows with the rank of each scored method on its data set, 1 the best; ties share theirs."""
    from scipy.stats import rankdata

    groups: dict[str, list[dict[str, Any]]] = {}
    for row in rows:
        if row["ari"] is not None and row["algorithm"] != BASE:
            groups.setdefault(row["dataset"], []).append(row)
    for group in groups.values():
        for row, place in zip(group, rankdata([-row["ari"] for row in group]), strict=True):
            row["rank"] = float(place)
    return rows


def key_of(row: Mapping[str, Any]) -> str:
    """What tells a method from all others."""
    return f"{row['measure']} {row['algorithm']}"


def title(row: Mapping[str, Any]) -> str:
    """Name of a method in a sentence."""
    algorithm = algorithm_name(row)
    return f"{row['label']} with {algorithm}" if algorithm else row["label"]


def algorithm_name(row: Mapping[str, Any]) -> str:
    """Name of the algorithm of a method; empty if it is the method."""
    if row["algorithm"] == row["measure"]:
        return ""
    return ALGORITHMS.get(row["algorithm"], row["algorithm"])


def scores_of(data: Iterable[Mapping[str, Any]], score: str = "ari") -> pd.DataFrame:
    """Scores with data sets as rows and methods as columns, both in order of appearance."""
    import pandas as pd

    found = [row for row in data if row[score] is not None and row["algorithm"] != BASE]
    table = pd.DataFrame(
        {"dataset": row["dataset"], "key": key_of(row), "value": float(row[score])} for row in found
    )
    if table.empty:
        return pd.DataFrame()
    keys = list(dict.fromkeys(table["key"]))
    return table.pivot_table(index="dataset", columns="key", values="value").reindex(
        index=list(dict.fromkeys(table["dataset"])), columns=keys
    )


def _base_rows(data: Iterable[Mapping[str, Any]], datasets: list[str]) -> list[dict[str, Any]]:
    """Base rates over the data sets of the ranks."""
    found: dict[str, list[Mapping[str, Any]]] = {}
    for row in data:
        if row["algorithm"] == BASE:
            found.setdefault(row["label"], []).append(row)
    return [
        {
            "label": f"{BASE}: {label}",
            "ari": _mean([row["ari"] for row in rows if row["dataset"] in datasets]),
            "all": _mean([row["ari"] for row in rows]),
            "datasets": str(len(rows)),
        }
        for label, rows in found.items()
    ]


def _mean(values: list[float]) -> Cell:
    return Cell(sum(values) / len(values) if values else None, 3)
