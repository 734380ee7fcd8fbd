"""What the tables of coupledMC have in common."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from replication.judge.cells import legend_of_marks

if TYPE_CHECKING:
    import pandas as pd

PRINTED_RUNS = 100
NEAR = 0.02
"""Distance up to which an accuracy is near the printed one."""

MARK_LEGEND = legend_of_marks()
VERDICT = ("reading", "oracle", "setting", "printed", "reproduced", "sd")
SPREAD = ("spread_min", "spread_max", "samples", "verdict", "difference", "reason")

BASE = "z-scores before the powers have the highest average accuracy on these sets: oracle"
"""What is to be said wherever the coupled representation of the reconciled reading acts."""


def by_dataset(records: pd.DataFrame) -> dict[str, dict[str, Any]]:
    """First record of each data set; one that could not be had carries ``absent``."""
    return {
        one["dataset"]: one if one["status"] == "ok" else {"absent": one["reason"]}
        for one in records.drop_duplicates("dataset").to_dict("records")
    }
