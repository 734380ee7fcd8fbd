"""Rows of the ledger: one printed number under one reading, with its verdict."""

from __future__ import annotations

import statistics
from collections.abc import Iterable, Mapping
from math import isnan
from typing import Any

from replication.judge.verdicts import NOT_RUN, Reproduced, Verdict

VERDICT_COLUMNS = (
    "id",
    "paper",
    "artefact",
    "dataset",
    "method",
    "metric",
    "reading",
    "oracle",
    "setting",
    "printed",
    "reproduced",
    "sd",
    "spread_min",
    "spread_max",
    "orders",
    "samples",
    "trials",
    "verdict",
    "difference",
    "position",
    "reason",
)
ABSENT_METHOD = "method not part of this workflow yet"
ABSENT_DATASET = "data set not part of this workflow yet"
ABSENT_ARTEFACT = "artefact not part of this workflow yet"
NO_DATASET = "none of its data sets was computed"


def verdict_row(
    cell: Mapping[str, str],
    judged: Verdict,
    values: Reproduced,
    *,
    reading: str,
    oracle: bool = False,
    setting: str = "",
    trials: int = 0,
) -> dict[str, Any]:
    """Row of the ledger, by `VERDICT_COLUMNS`."""
    low, high = values.spread if values.spread is not None else (None, None)
    ran = values.value is not None
    return {
        "id": cell["id"],
        "paper": cell["paper"],
        "artefact": cell["artefact"],
        "dataset": cell["dataset_id"],
        "method": cell["method_id"],
        "metric": cell["metric"],
        "reading": reading,
        "oracle": "yes" if oracle else "no",
        "setting": setting,
        "printed": cell["printed"],
        "reproduced": values.value,
        "sd": values.sd,
        "spread_min": low,
        "spread_max": high,
        "orders": values.orders if ran else None,
        "samples": values.runs if ran else None,
        "trials": trials if ran else None,
        "verdict": judged.verdict,
        "difference": judged.difference,
        "position": judged.position,
        "reason": judged.reason,
    }


def mean_moved(shares: Iterable[Any]) -> float:
    """Mean share of objects that rounding alone moves; a share that is not known counts as 0."""
    known = [float(share) if share else 0.0 for share in shares]
    return statistics.fmean(0.0 if isnan(share) else share for share in known) if known else 0.0


def not_run(cell: Mapping[str, str], reason: str, *, reading: str) -> dict[str, Any]:
    """Verdict row of a cell for which nothing was computed."""
    return verdict_row(cell, Verdict(NOT_RUN, reason, None), Reproduced(None), reading=reading)


def tally(rows: Iterable[Mapping[str, Any]]) -> dict[str, int]:
    """Number of rows per verdict."""
    counts: dict[str, int] = {}
    for row in rows:
        counts[row["verdict"]] = counts.get(row["verdict"], 0) + 1
    return counts
