"""Tests of coupledMC: its accuracies against others, its structure against the original one."""

from collections.abc import Mapping, Sequence
from typing import Any

import pandas as pd

from replication.papers.coupledmc.accuracy_runs import (
    METHODS,
    OURS,
    RECONCILED,
    best_series,
    by_setting,
    chosen_runs,
)
from replication.run.paired import paired_test
from replication.run.statistics import Comparison

ORIGINAL = "one-hot"
TESTED = {"rd": 1, "dbi": -1, "di": 1, "sd_max": -1}
"""Internal indices of Fig. 1, and whether more of each is better (1) or less (-1)."""


def paired(comparison: Comparison, *, datasets: Sequence[str]) -> list[dict[str, Any]]:
    """Paired t-tests over the data sets of Table 6 and Fig. 1.

    Of `datasets` those count that every experiment has, if they are several.

    Records: ``of`` ("accuracy" or "structure"), ``by`` (for accuracies what is taken of the runs:
    ``means`` or one of `replication.papers.coupledmc.claims.STATISTICS`, else the index),
    ``first``, ``second``, and what `replication.run.paired.paired_test` finds. Values of an index
    are relative to the larger one of each pair, as the paper draws them.
    """
    records = {name: comparison.records(name) for name in ("accuracy", "best_runs", "structure")}
    done = {name: frame[frame["status"] == "ok"] for name, frame in records.items()}

    def common(*experiments: str) -> list[str]:
        there = set.intersection(*(set(done[name]["dataset"]) for name in experiments))
        names = [name for name in datasets if name in there]
        return names if len(names) > 1 else []

    rows = []
    if names := common("accuracy", "best_runs"):
        for by, columns in _accuracies(done["accuracy"], done["best_runs"], names).items():
            rows += [
                {"of": "accuracy", "by": by, "first": OURS, "second": other}
                | paired_test(columns[OURS], columns[other])
                for other in METHODS
                if other != OURS
            ]
    if names := common("structure"):
        rows += [
            {"of": "structure", "by": index, "first": OURS, "second": ORIGINAL}
            | paired_test(*_relative(done["structure"], names, index, sense))
            for index, sense in TESTED.items()
        ]
    return rows


def _accuracies(
    accuracy: pd.DataFrame, best: pd.DataFrame, names: Sequence[str]
) -> Mapping[str, dict[str, list[float]]]:
    """Accuracy of each method on each data set, by what is taken of the runs."""
    runs, series = by_setting(accuracy), best_series(best)
    # the better L of coupledMC; the others have one setting
    taken = {
        method: [part["accuracy"] for _, part in chosen_runs(runs, names, method, RECONCILED)]
        for method in METHODS
    }
    means = {method: [float(run.mean()) for run in found] for method, found in taken.items()}
    largest = {method: [float(run.max()) for run in found] for method, found in taken.items()}
    ours = {OURS: [float(series[name][0]["accuracy"]) for name in names]}
    return {"means": means, "largest": largest | ours, "mixed": means | ours}


def _relative(
    structure: pd.DataFrame, names: Sequence[str], index: str, sense: int
) -> tuple[list[float], list[float]]:
    """An index of the coupled representation (better L) and of the original one."""
    coupled = structure[structure["family"] == "coupled"].set_index("dataset")[index] * sense
    plain = structure[structure["representation"] == ORIGINAL].set_index("dataset")[index]
    pairs = [(float(sense * coupled[[name]].max()), float(plain[name])) for name in names]
    tops = [max(pair) if max(pair) > 0 else 1.0 for pair in pairs]
    relative = [(a / top, b / top) for (a, b), top in zip(pairs, tops, strict=True)]
    first, second = zip(*relative, strict=True)
    return list(first), list(second)
