"""Records of coupledMC as its tables and claims take them, and words that its tables share."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import pandas as pd

from replication.judge.cells import legend_of_marks
from replication.judge.verdicts import Reproduced
from replication.papers.coupledmc.runs import mean
from replication.papers.coupledmc.significance import OURS

NEAR = 0.02
"""Distance up to which an accuracy is near the printed one."""
PRINTED_RUNS = 100
AVERAGE = "average"

MARK_LEGEND = legend_of_marks()
VERDICT = ("reading", "oracle", "setting", "printed", "reproduced", "sd")
SPREAD = ("spread_min", "spread_max", "samples", "verdict", "difference", "reason")

BASE = "z-scores before the powers have the highest average accuracy on these sets: oracle"
"""To be said wherever the coupled representation of the reconciled reading acts."""


def by_place(records: pd.DataFrame) -> dict[tuple[str, ...], dict[str, float]]:
    """Value and range of the numbers of the worked example by quantity, reading, scale and place.

    A place is a row and a column; reading and scale are empty where a number has none.
    """
    if records.empty:
        return {}
    places = records[["quantity", "reading", "scale", "row", "column"]].fillna("")
    numbers = records[["value", "low", "high"]].to_dict("records")
    return dict(zip(places.itertuples(index=False, name=None), numbers, strict=True))


def by_dataset(records: pd.DataFrame) -> dict[str, dict[str, Any]]:
    """First record of each data set; one that could not be had carries ``absent``."""
    return {
        one["dataset"]: one if one["status"] == "ok" else {"absent": one["reason"]}
        for one in records.drop_duplicates("dataset").to_dict("records")
    }


def near_print(rows: pd.DataFrame, by: Sequence[str], value: str, printed: str) -> pd.DataFrame:
    """How near each group of numbers comes to print.

    Number of ``sets``, ``average`` and ``printed`` (means), ``distance`` (mean absolute
    difference), and ``near``, how many are within `NEAR`.
    """
    gaps = (rows[value] - rows[printed]).abs()
    groups = rows.assign(gap=gaps, near=gaps <= NEAR).groupby(list(by), sort=False)
    return groups.agg(
        sets=("gap", "size"),
        average=(value, mean),
        printed=(printed, mean),
        distance=("gap", mean),
        near=("near", "sum"),
    )


def reproduced(values: Any, rounding: float = 0.0) -> Reproduced:
    """Mean, standard deviation and range over runs, and what rounding leaves open."""
    many = len(values) > 1
    return Reproduced(
        float(values.mean()),
        sd=float(values.std(ddof=1)) if many else None,
        runs=len(values),
        spread=(float(values.min()), float(values.max())),
        rounding=rounding,
    )


def improvements(means: Mapping[str, float]) -> tuple[float, float]:
    """Least and greatest improvement of the average of coupledMC over another method."""
    every = [means[OURS] / value - 1 for name, value in means.items() if name != OURS]
    return min(every), max(every)


def map_points(points: pd.DataFrame) -> int:
    """Points of a map that differ on a grid of 1 % of its larger half extent."""
    places = points[["x", "y"]].to_numpy()
    return len(np.unique(np.round(100 * places / np.abs(places).max()), axis=0))
