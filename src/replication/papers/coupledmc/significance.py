"""Tests of coupledMC: its accuracies against others, its structure against the original one."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from replication.papers.coupledmc.runs import (
    METHODS,
    RECONCILED,
    best_series,
    by_setting,
    chosen_setting,
)
from replication.run.paired import paired_test

if TYPE_CHECKING:
    import pandas as pd

    from replication.run.statistics import Comparison

OURS = "coupledmc"
ORIGINAL = "one-hot"
TESTED = {"rd": 1, "dbi": -1, "di": 1, "sd_max": -1}
"""Internal indices of Fig. 1, and whether more of each is better (1) or less (-1)."""


def paired(comparison: Comparison) -> list[dict[str, Any]]:
    """Paired t-tests over the data sets of Table 6 and Fig. 1.

    Parameters: ``datasets``, of which those count that every experiment has, if they are several.

    Returns
    -------
    list of dict
        ``of`` ("accuracy" or "structure"), ``by`` (for accuracies what is taken of the runs, see
        `replication.papers.coupledmc.analysis.STATISTICS`, else the index), ``first``, ``second``,
        and what `replication.run.paired.paired_test` finds. Values of an index are relative to the
        larger one of each pair, as the paper draws them.
    """
    accuracy, best, structure = (
        _present(comparison.records(name)) for name in ("accuracy", "best_runs", "structure")
    )
    datasets = comparison.parameters["datasets"]
    rows = []
    names = _common(datasets, accuracy, best)
    for by, columns in _accuracies(accuracy, best, names).items() if names else ():
        for other in METHODS:
            if other != OURS:
                found = paired_test(columns[OURS], columns[other])
                rows.append(_row("accuracy", by, other) | found)
    names = _common(datasets, structure)
    for index, sense in TESTED.items() if names else ():
        found = paired_test(*_relative(structure, names, index, sense))
        rows.append(_row("structure", index, ORIGINAL) | found)
    return rows


def _row(of: str, by: str, other: str) -> dict[str, Any]:
    return {"of": of, "by": by, "first": OURS, "second": other}


def _present(records: pd.DataFrame) -> pd.DataFrame:
    return records[records["status"] == "ok"]


def _common(datasets: Sequence[str], *records: pd.DataFrame) -> list[str]:
    there = [set(frame["dataset"]) for frame in records]
    names = [name for name in datasets if all(name in known for known in there)]
    return names if len(names) > 1 else []


def _accuracies(
    accuracy: pd.DataFrame, best: pd.DataFrame, names: Sequence[str]
) -> Mapping[str, dict[str, list[float]]]:
    """Accuracy of each method on each data set, by what is taken of the runs."""
    runs, series = by_setting(accuracy), best_series(best)
    means: dict[str, list[float]] = {}
    largest: dict[str, list[float]] = {}
    for method in METHODS:
        # the better L of coupledMC; the others have one setting
        taken = [
            runs[name, method, RECONCILED, chosen_setting(runs, name, method, RECONCILED, None)]
            for name in names
        ]
        means[method] = [float(run["accuracy"].mean()) for run in taken]
        largest[method] = [float(run["accuracy"].max()) for run in taken]
    ours = {OURS: [float(series[name][0]["accuracy"]) for name in names]}
    return {"means": means, "largest": largest | ours, "mixed": means | ours}


def _relative(
    structure: pd.DataFrame, names: Sequence[str], index: str, sense: int
) -> tuple[list[float], list[float]]:
    """An index of the coupled representation (better L) and of the original one."""
    coupled, original = [], []
    for name in names:
        mine = structure[structure["dataset"] == name]
        values = mine.loc[mine["family"] == "coupled", index]
        best = float(sense * (sense * values).max())
        plain = float(mine.loc[mine["representation"] == ORIGINAL, index].iloc[0])
        largest = max(best, plain)
        largest = largest if largest > 0 else 1.0
        coupled.append(best / largest)
        original.append(plain / largest)
    return coupled, original
